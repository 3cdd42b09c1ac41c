"""Programs that a gate lets through, or nearly, to set or read attributes by name: none of them gets that far."""

from __future__ import annotations

import random
from typing import Any

import pytest

from envscaler_mcp.sandbox.checking import run_checks
from envscaler_mcp.sandbox.policy import MAX_CHECK_NESTING, RefusedError, admit_check

# Each says True where it got what it wanted.
PROGRAMS: dict[str, str] = {
    "the class of a class makes classes": """
def check_func(final_state):
    made = type(int)("X", (), {"__getattr__": lambda self, n: 1})
    return made().anything == 1
""",
    "the class of an abstract class makes classes": """
from abc import ABC
def check_func(final_state):
    return type(ABC)("X", (), {"__getattr__": lambda self, n: 1})().zz == 1
""",
    "an enumeration made by a call takes special methods": """
from enum import Enum
def check_func(final_state):
    return bool(Enum("M", {"__reduce_ex__": lambda s, p: (int, ()), "A": 1}))
""",
    "a name of an enumeration lies about itself": """
from enum import Enum
class N(str):
    def startswith(self, *a): return False
    def isidentifier(self): return True
def check_func(final_state):
    return bool(Enum("M", {N("__reduce_ex__"): lambda s, p: (int, ()), "A": 1}))
""",
    "an own enumeration base made by a call": """
from enum import IntEnum, Flag
class Base(IntEnum):
    pass
def check_func(final_state):
    return bool(Base("M", {"__copy__": lambda s: 1, "A": 1}))
""",
    "names of an enumeration by keyword": """
from enum import Enum
def check_func(final_state):
    return bool(Enum("M", names={"__copy__": lambda s: 1, "A": 1}))
""",
    "names of an enumeration from an iterator": """
from enum import Enum
def check_func(final_state):
    return bool(Enum("M", iter([("__copy__", lambda s: 1), ("A", 1)])))
""",
    "a method of a library class is replaced": """
from collections import Counter
def check_func(final_state):
    Counter.most_common = lambda self, n=None: [1]
    return Counter("a").most_common() == [1]
""",
    "setattr on a library class": """
from collections import Counter
def check_func(final_state):
    setattr(Counter, "most_common", 1)
    return True
""",
    "a library class passed as self": """
from collections import Counter
class A:
    def poke(self):
        self.most_common = 1
def check_func(final_state):
    A.poke(Counter)
    return True
""",
    "a loop sets an attribute": """
from collections import Counter
def check_func(final_state):
    for Counter.most_common in [1]:
        pass
    return True
""",
    "a with statement sets an attribute": """
import json
from contextlib import nullcontext
def check_func(final_state):
    with nullcontext(1) as json.dumps:
        return True
""",
    "unpacking sets an attribute": """
import json
def check_func(final_state):
    [json.dumps, *json.loads], (x, y) = [1, 2], (3, 4)
    return True
""",
    "a comprehension sets an attribute": """
import json
def check_func(final_state):
    return bool([0 for json.dumps in [1]])
""",
    "an augmented assignment sets an attribute": """
from fractions import Fraction
def check_func(final_state):
    Fraction.x += 1
    return True
""",
    "an annotated assignment sets an attribute": """
import json
def check_func(final_state):
    json.dumps: int = 3
    return True
""",
    "a method of a library class is deleted": """
from collections import Counter
def check_func(final_state):
    del Counter.most_common
    return True
""",
    "a library function gets an attribute": """
import json
def check_func(final_state):
    json.dumps.x = 1
    return True
""",
    "wraps writes on a library function": """
import json
from functools import wraps
def f(): pass
def check_func(final_state):
    wraps(f)(json.dumps)
    return json.dumps.__name__ == "f"
""",
    "total_ordering writes on a library class": """
from functools import total_ordering
from fractions import Fraction
def check_func(final_state):
    total_ordering(Fraction); return True
""",
    "dataclass writes on a library class": """
from dataclasses import dataclass
from collections import Counter
def check_func(final_state):
    return True
try:
    dataclass(Counter)
except (TypeError, AttributeError):
    def check_func(final_state):
        return False
""",
    "a field is renamed after its class was made": """
from dataclasses import dataclass, fields, asdict
@dataclass
class D:
    a: int = 1
def check_func(final_state):
    fields(D)[0].name = "__class__"
    return asdict(D())["__class__"] is D
""",
    "a cached property is renamed": """
from functools import cached_property
class A:
    x = cached_property(lambda self: 7)
def check_func(final_state):
    A.x.attrname = "__secret__"
    return True
""",
    "a slot has a special name": """
class A:
    __slots__ = ("__reduce_ex__",)
def check_func(final_state):
    return True
""",
    "a computed slot has a special name": """
class A:
    __slots__ = tuple("_" * 2 + n + "_" * 2 for n in ["deepcopy"])
def check_func(final_state):
    return True
""",
    "a pattern reads a private attribute of what was registered": """
from abc import ABC
from dataclasses import dataclass
@dataclass
class P(ABC):
    _os: int = 0
def check_func(final_state):
    import random
    P.register(type(random))
    match random:
        case P(found):
            return True
    return False
""",
    "a pattern reads the code of a generator": """
from abc import ABC
from dataclasses import dataclass
@dataclass
class P(ABC):
    gi_code: int = 0
def check_func(final_state):
    g = (i for i in [1])
    P.register(type(g))
    match g:
        case P(found):
            return found is not None
    return False
""",
    "a named tuple has fields that are frames": """
from collections import namedtuple
from abc import ABC
P = namedtuple("P", "f_globals gi_frame")
def check_func(final_state):
    return True
""",
    "a typed named tuple has a field that is a frame": """
from typing import NamedTuple
class P(NamedTuple):
    gi_frame: int
class Q(P): pass
def check_func(final_state):
    g = (i for i in [1])
    match g:
        case P(x): return True
    return False
""",
    "a typed named tuple made by a call has a field that is code": """
from typing import NamedTuple
P = NamedTuple("P", [("gi_code", int)])
def check_func(final_state):
    g = (i for i in [1])
    match g:
        case P(x): return True
    return False
""",
    "a class of an enumeration is subclassed": """
from enum import Enum
class E(Enum):
    A = 1
M = type(E)
class X(M):
    pass
def check_func(final_state):
    return True
""",
    "super gives the class": """
def check_func(final_state):
    class A: pass
    return getattr(super(A, A()), "__class__", None) is not None
""",
    "a library function gives what it wraps": """
import json
def check_func(final_state):
    return getattr(json.dumps, "func", None) is not None or json.dumps.cache_parameters() is None
""",
    "a partial gets an attribute": """
from functools import partial
import json
def check_func(final_state):
    q = partial(json.dumps)
    q.x = 1
    return True
""",
    "a library exception gets an attribute": """
import json
def check_func(final_state):
    try:
        json.loads("{")
    except ValueError as e:
        k = type(e)
        k.msg2 = 1
        return True
""",
    "a context manager gets another generator": """
from contextlib import contextmanager
@contextmanager
def c():
    yield 1
def check_func(final_state):
    m = c()
    m.gen = [1]
    return True
""",
    "the world's datetime is replaced": """
from datetime import datetime
def check_func(final_state):
    datetime.now = 1
    return True
""",
    "a subclass of datetime changes its base": """
from datetime import datetime
class D(datetime): pass
def check_func(final_state):
    D.now = 1
    return datetime.now == 1
""",
    "a library function tells what it wraps": """
import json
from functools import lru_cache
def check_func(final_state):
    return hasattr(json.dumps, "func") or getattr(json.dumps, "wrapped", None) is not None
""",
    "a flag made by a call takes special methods": """
from enum import IntFlag
def check_func(final_state):
    return bool(IntFlag("M", {"__reduce_ex__": 1, "A": 1}))
""",
    "names of an enumeration in a list that lies": """
from enum import Enum
class L(list):
    pass
def check_func(final_state):
    return bool(Enum("M", [L(["__copy__", 1])]))
""",
    "abstractmethod writes on a library class": """
from abc import abstractmethod
from collections import Counter
def check_func(final_state):
    abstractmethod(Counter)
    return True
""",
    "the world's chance gets another method": """
import random
def check_func(final_state):
    r = random.Random(1)
    r.getrandbits = lambda k: 1
    return True
""",
    "a subclass of Random changes its base": """
import random
class R(random.Random): pass
def check_func(final_state):
    R.random = lambda self: 7
    return R(1).random() == 7 and random.Random(1).random() == 7
""",
    "a traceback gives its frame": """
def check_func(final_state):
    class C:
        def __enter__(self): return self
        def __exit__(self, a, b, tb):
            self.tb = tb
            return True
    c = C()
    with c:
        raise ValueError
    return hasattr(c.tb, "tb_frame")
""",
    "an alias of typing passes an attribute on": """
from typing import Dict
def check_func(final_state):
    Dict.x = 1
    return True
""",
    "the defaults of a function are replaced": """
def f(a=1): pass
def check_func(final_state):
    setattr(f, "__defaults__", (2,))
    return True
""",
    "the function of a library property gets an attribute": """
from fractions import Fraction
def check_func(final_state):
    q = Fraction.numerator.fget
    q.x = 1
    return True
""",
    "a typed dict lends its field names to a dataclass": """
from typing import TypedDict
from dataclasses import dataclass
T = TypedDict("T", {"a or b": int})
def check_func(final_state):
    dataclass(T)
    return True
""",
    "a field of a named tuple lies about being a name": """
from collections import namedtuple
class S(str):
    def isidentifier(self): return True
def check_func(final_state):
    return bool(namedtuple("X", [S("a, b=print('x')")]))
""",
    "another super is asked for special methods": """
import json
def check_func(final_state):
    [(super := (lambda x: x)) for y in [1]]
    return super(json).__init__ is not None
""",
    "a field of an own class of fields is named with a program": """
from dataclasses import MISSING, dataclass, field
Field = type(field())
class F(Field):
    @property
    def name(self): return '" + str(len(__builtins__)) + "'
    @name.setter
    def name(self, value): pass
@dataclass(init=False, eq=False)
class D:
    x: int = F(MISSING, MISSING, True, True, None, True, None, False)
def check_func(final_state):
    return "name" not in repr(D()) and "." in repr(D())
""",
    "a class of fields stands behind an alias": """
from dataclasses import field
class F(type(field())[int]): pass
def check_func(final_state):
    return True
""",
    "an enumeration made by a call is a field": """
from dataclasses import field
from enum import Enum
def check_func(final_state):
    return bool(Enum("M", {"A": (1, 1, True, True, None, True, None, False)}, type=type(field())))
""",
    "a class of classes stands behind an alias": """
from typing import Type
class M(Type): pass
def check_func(final_state):
    return M("X", (), {"__getattr__": lambda self, name: 1})().anything == 1
""",
    "a subclass of super is copied": """
from copy import copy
class S(super):
    __slots__ = ("a",)
def check_func(final_state):
    return bool(copy(S(int, 1)))
""",
    "a property is subclassed": """
class P(property): pass
def check_func(final_state):
    return True
""",
    "a partial is subclassed": """
from functools import partial
class P(partial): pass
def check_func(final_state):
    return True
""",
    "a module is subclassed": """
import json
class M(type(json)): pass
def check_func(final_state):
    return True
""",
    "what a context manager makes is subclassed": """
from contextlib import contextmanager
@contextmanager
def c(): yield
class M(type(c())): pass
def check_func(final_state):
    return True
""",
    "slots are a list that changes later": """
from copy import copy
NAMES = ["a"]
class A:
    __slots__ = NAMES
def check_func(final_state):
    return bool(A())
""",
    "slots are given by a loop": """
class A:
    for __slots__ in [["a"]]: pass
def check_func(final_state):
    return True
""",
    "slots have a second name": """
class A:
    names = __slots__ = ["a"]
def check_func(final_state):
    return A.names == ["a"]
""",
    "slots are added to": """
class A:
    __slots__ = ("a",)
    __slots__ += ("b",)
def check_func(final_state):
    return True
""",
    "a method reads private attributes of a library object": """
from dataclasses import field
class A:
    def look(self): return self._field_type
def check_func(final_state):
    return A.look(field()) is None
""",
    "a lambda in a method reads private attributes of a library object": """
from collections import OrderedDict
from contextlib import contextmanager
import random
class A:
    def look(self): return (lambda: self._randbelow)()
def check_func(final_state):
    return bool(A.look(random.Random(1)))
""",
    "a renamed staticmethod reads private attributes of a library object": """
from dataclasses import field
static = staticmethod
class A:
    @static
    def look(it): return it._field_type
def check_func(final_state):
    return A.look(field()) is None
""",
    "the memo of a copy is a class of its own": """
from copy import deepcopy
class M(dict):
    seen = []
    def __setitem__(self, key, value): M.seen.append(key)
def check_func(final_state):
    deepcopy([1], M())
    return bool(M.seen)
""",
    "renamed fields of a named tuple are frames": """
from collections import namedtuple
P = namedtuple("P", ["gi_" + "frame"], rename=True)
def check_func(final_state):
    return True
""",
    "a renamed field of a named tuple lies about being a name": """
from collections import namedtuple
class S(str):
    def __str__(self): return self
    def isidentifier(self): return True
def check_func(final_state):
    return bool(namedtuple("X", [S("a")], rename=True))
""",
    "a typed dict has fields that lie about their names": """
from typing import TypedDict
class S(str): pass
def check_func(final_state):
    return bool(TypedDict("T", {S("a"): int}))
""",
    "flags of a pattern lie in the cache of patterns": """
import re
class F(int):
    def __eq__(self, other): return True
    def __hash__(self): return hash(0)
def check_func(final_state):
    re.compile("zq", F(2))
    return re.compile("zq").match("ZQ") is not None
""",
    "a form of time lies in the cache of forms": """
from datetime import datetime
class N(str):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return hash("%H %M")
def check_func(final_state):
    datetime.strptime("07 08", N("%M %H"))
    return datetime.strptime("07 08", "%H %M").hour == 8
""",
    "wraps gives a class the name of another module": """
import json
from functools import wraps
class A: pass
def check_func(final_state):
    wraps(json.dumps)(A)
    return True
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_attribute_is_set_or_read_by_name(name: str) -> None:
    (answer,) = run_checks([PROGRAMS[name]], {}, {})
    assert answer.verdict is not True, answer


ORDINARY = """
from __future__ import annotations
import copy, enum, json, re, uuid, random, datetime, decimal, functools, typing
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from enum import Enum, IntEnum, StrEnum, Flag, IntFlag, auto
from typing import NamedTuple, TypedDict, Generic, TypeVar, Protocol, overload, runtime_checkable
from dataclasses import dataclass, field, asdict, astuple, replace, fields
from contextlib import contextmanager
from abc import ABC, abstractmethod

class S(str, Enum):
    A = "a"
    B = "b"
class I(IntEnum):
    X = auto()
F = Enum("F", "RED GREEN")
G = Enum("G", {"x": 1, "y": 2})
H = Flag("H", ["P", "Q"])
P = namedtuple("P", "x y", defaults=[3])
class N(NamedTuple):
    a: int
    b: str = "q"
M = NamedTuple("M", [("z", int)])
class TD(TypedDict, total=False):
    k: int
T = TypeVar("T")
class Gen(Generic[T]):
    def __init__(self, v: T):
        self.v = v
@dataclass(order=True)
class D:
    n: int
    more: list = field(default_factory=list)
    _hidden: int = 4
@dataclass(frozen=True, slots=True)
class Z:
    q: int = 1
    r: tuple = ()
class Base(ABC):
    @abstractmethod
    def f(self): ...
class Impl(Base):
    def __init__(self):
        self.data = {"a": [1, {2}]}
        self.me = self
    def f(self):
        return 1
@runtime_checkable
class Pr(Protocol):
    def f(self) -> int: ...
@contextmanager
def cm():
    yield 5
@overload
def o(x: int) -> int: ...
def o(x):
    return x
class MyDict(dict):
    pass
class MyErr(Exception):
    def __init__(self, why, code=0):
        super().__init__(why)
        self.code = code
class Slots:
    __slots__ = ("a", "_b")
    def __init__(self):
        self.a, self._b = [1], 2
def check_func(final_state):
    i = Impl()
    j = copy.deepcopy(i)
    assert j.me is j and j.data == i.data and j.data is not i.data and type(j) is Impl
    d = D(1, [2, [3]])
    e = copy.deepcopy(d)
    assert e == d and e.more[1] is not d.more[1]
    assert copy.copy(d).more is d.more
    assert asdict(d) == {"n": 1, "more": [2, [3]], "_hidden": 4} and astuple(d)[0] == 1
    z = copy.deepcopy(Z(2, ([],)))
    assert z == Z(2, ([],)) and replace(z, q=5).q == 5
    for thing in (Counter("abca"), OrderedDict(a=[1]), defaultdict(list, {"a": [1]}), deque([[1]], maxlen=3), ChainMap({"a": [1]}),
                  decimal.Decimal("1.5"), uuid.uuid4(), datetime.datetime.now(), datetime.date(2020, 1, 1), datetime.timedelta(1), S.A, I.X, P(1), N(2),
                  MyDict(a=[1]), {"a": (1, [2])}, frozenset([1]), {1, 2}, bytearray(b"ab"), range(3), re.compile("a"), Gen(3).v, None, len, check_func, Impl, (1, (2,))):
        again = copy.deepcopy(thing)
        assert type(again) is type(thing) and again == thing, repr(thing)
        assert type(copy.copy(thing)) is type(thing)
    dq = copy.deepcopy(deque([[1]], maxlen=3))
    assert dq.maxlen == 3
    dd = copy.deepcopy(defaultdict(list, {"a": [1]}))
    dd["n"].append(1)
    assert dd["n"] == [1]
    md = MyDict(a=[1])
    md.tag = [7]
    m2 = copy.deepcopy(md)
    assert m2.tag == [7] and m2.tag is not md.tag and m2["a"] is not md["a"]
    err = copy.copy(MyErr("w", 3))
    assert err.code == 3 and str(err) == "w"
    s = copy.deepcopy(Slots())
    assert s.a == [1]
    r = random.Random(4)
    r2 = copy.deepcopy(r)
    assert r.random() == r2.random()
    l = [1]
    l.append(l)
    l2 = copy.deepcopy(l)
    assert l2[1] is l2
    t = ([],)
    assert copy.deepcopy(t)[0] is not t[0] and copy.copy(t) is t
    assert F.RED.name == "RED" and G("x") if False else G(1).name == "x"
    assert (H.P | H.Q) and S("a") is S.A and str(I.X) == "1" and json.dumps(S.A) == '"a"'
    assert isinstance(i, Pr) and isinstance(i, Base) and M(3).z == 3 and N(1).b == "q" and P(1).y == 3
    match P(1, 2):
        case P(x, y):
            assert (x, y) == (1, 2)
    match N(1, "w"):
        case N(a, b):
            assert b == "w"
    with cm() as five:
        assert five == 5
    assert json.dumps.__name__ == "dumps"
    assert TD(k=1) == {"k": 1}
    p = functools.partial(json.dumps, sort_keys=True)
    assert p({"b": 1, "a": 2}) == '{"a": 2, "b": 1}'
    return True
"""
"""What ordinary code does with the library: it goes on working, and its copies are those that Python makes."""


def test_ordinary_code_still_has_its_library() -> None:
    (answer,) = run_checks([ORDINARY], {}, {})
    assert answer.verdict is True, answer.failure


def test_ordinary_code_means_the_same_in_python_itself() -> None:
    names: dict[str, Any] = {"__name__": "builtins"}
    exec(compile(ORDINARY, "ordinary", "exec", dont_inherit=True), names)
    assert names["check_func"]({}) is True


def test_code_may_set_attributes_of_what_it_has_made() -> None:
    source = """
from decimal import getcontext
class Box:
    made = 0
    def __init__(self):
        self.size = 1
def helper(): pass
def check_func(final_state):
    box = Box()
    box.size += 2
    Box.made = 4
    helper.calls = 1
    setattr(box, "colour", 5)
    del box.colour
    failure = ValueError("x")
    failure.code = 7
    getcontext().prec = 5
    kinds = type(box) is Box and type(Box) is type and type(type(1)) is type and type("") is str
    return kinds and (box.size, Box.made, helper.calls, failure.code, hasattr(box, "colour")) == (3, 4, 1, 7, False)
"""
    (answer,) = run_checks([source], {}, {})
    assert answer.verdict is True, answer.failure


def test_what_takes_chance_without_a_seed_takes_the_same_each_time() -> None:
    source = "from statistics import NormalDist\ndef check_func(final_state):\n    return NormalDist().samples(2) == final_state['seen']"
    genuine = "from statistics import NormalDist\ndef check_func(final_state):\n    return NormalDist(5, 2).samples(2, seed=7) == NormalDist(5, 2).samples(2, seed=7)"
    first = random.Random(0)
    drawn = [first.gauss(0.0, 1.0) for _ in range(2)]
    for _ in range(3):
        assert [one.verdict for one in run_checks([source, genuine], {}, {"seen": drawn})] == [True, True]


def nested_check(levels: int, mark: str) -> str:
    """A check of so many levels; the mark keeps an answer about another one from being remembered."""
    # The function, what it returns and the last value are three of them.
    return f"def check_func(final_state):\n    return {'not ' * (levels - 3)}False  # {mark}\n"


def answer_of_gate(source: str, callers: int) -> str:
    """What the gate says where it is asked below so many other calls."""
    if callers:
        return answer_of_gate(source, callers - 1)
    try:
        admit_check(source)
    except RefusedError as cause:
        return str(cause)
    return ""


@pytest.mark.parametrize("levels", [60, 100, 101, 400, 700, 900, 1_500, 2_900, 4_000, 20_000])
def test_whether_a_nested_check_is_admitted_does_not_depend_on_who_asks(levels: int) -> None:
    answers = {answer_of_gate(nested_check(levels, f"{callers}"), callers) for callers in (0, 300, 600)}
    refused = f"the check was refused before it was run: it is nested more than {MAX_CHECK_NESTING} levels deep"
    assert answers == {refused if levels > MAX_CHECK_NESTING else ""}


def test_a_check_as_nested_as_is_allowed_runs() -> None:
    (answer,) = run_checks([nested_check(MAX_CHECK_NESTING, "runs")], {}, {})
    assert answer.verdict is True
