"""The gate lets ordinary environment code through and refuses the rest with its line."""

from __future__ import annotations

import ast
import inspect
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox import policy
from envscaler_mcp.sandbox.policy import MAX_SOURCE, admit, admit_check, refusals
from envscaler_mcp.sandbox.scopes import Scope
from tests.sandbox.places import LIAR, SHARED, SHOP

EVERYTHING = '''
"""An environment that uses much of the language."""

from __future__ import annotations

import collections
import copy
import datetime
import functools
import itertools
import json
import math
import random
import re
import statistics
import uuid
from collections import Counter, OrderedDict, defaultdict, namedtuple
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, Optional, TypedDict, Union

Date = Annotated[str, {"format": "date"}]
Point = namedtuple("Point", "x y")
CHANGES = ("move",)


class Status(Enum):
    OPEN = "open"
    CLOSED = "closed"


class ItemInfo(TypedDict, total=False):
    id: str
    type: str
    tags: List[str]


@dataclass
class Line:
    what: str
    count: int = 1
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.count = max(0, self.count)


class Refused(Exception):
    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Everything:
    LIMITS: Dict[str, int] = {"a": 1}

    def __init__(self, init_config: Optional[dict] = None):
        self.items: Dict[str, ItemInfo] = {}
        self.__secret = 3
        self._index: dict[str, set[str]] = defaultdict(set)
        self._journal: list[tuple[Any, ...]] = []
        for key, value in (init_config or {}).items():
            setattr(self, key, copy.deepcopy(value))

    @staticmethod
    def _shape(value: Union[str, int]) -> str:
        return f"{value!r:>10}" if isinstance(value, int) else "%s" % value

    @property
    def total(self) -> int:
        return sum(len(item.get("tags", [])) for item in self.items.values())

    def move(self, id: str, to: Literal["a", "b"], *more: str, on: Date = "2026-01-01", **rest: Any) -> dict:
        """Move something."""
        type = "x" if to == "a" else "y"
        try:
            when = date.fromisoformat(on) + timedelta(days=len(more))
            if not re.fullmatch(r"[a-z]+", type) or id not in self.items:
                raise Refused(f"{id} is {type}")
        except (Refused, ValueError) as error:
            return {"success": False, "error": str(error)}
        else:
            self._index[type].add(id)
        finally:
            self._journal, self.__secret = [], 4
        match rest:
            case {"kind": str(kind), **others} if others:
                pass
            case [first, *_] | (first, _):
                pass
            case Point(x=1) | None:
                pass
        price = Decimal("1.005").quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        best = sorted(self.items.values(), key=lambda item: (item.get("type", ""), -len(item)))[:3]
        pairs = {a: b for a, b in itertools.pairwise(range(5)) if (c := a * b) > 2}
        text = "{} of {:>3}".format(when, price) + json.dumps([asdict(Line("x")), list(pairs)])
        while (left := len(best)) and left > 2:
            best.pop()
        del best[:1]
        assert math.isclose(1.0, statistics.mean([1, 1])), "no"
        found = getattr(self, "items", None) if hasattr(self, "items") else None
        names = type if isinstance(found, dict) else None
        first = next((item for item in self.items if item.startswith("A")), None)
        total = functools.reduce(lambda a, b: a + b, [1, 2], 0) + random.randint(1, 2) + int(uuid.uuid4().int % 2)
        moved = Point(1, 2)._replace(x=total)._asdict()
        shown = self.__class_name() or type(self).__name__
        return {"success": True, "data": [text, names, first, moved, shown, Status.OPEN.value, Counter("aab")]}

    def __class_name(self) -> str:
        return ""

    def walk(self) -> Iterable[str]:
        yield from self.items
        for one, two in zip(self.items, self.items):
            yield one if one is not two else two

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Everything) and self.items == other.items

    def __repr__(self) -> str:
        return f"Everything({len(self.items)})"


if __name__ == "__main__":
    print(Everything({}))
'''


@pytest.mark.parametrize("source", [EVERYTHING, SHOP, SHARED, LIAR.replace("__ne__", "__eq__")])
def test_ordinary_environment_code_is_let_through(source: str) -> None:
    assert refusals(source) == ()


REFUSED = {
    "import os": "the module 'os' may not be imported",
    "import os.path as json": "the module 'os.path' may not be imported",
    "from . import x": "the module '.' may not be imported",
    "from typing import *": "'*' may not be imported from 'typing'",
    "from typing import ForwardRef": "'ForwardRef' may not be imported",
    "from collections import abc\nabc.sys": "collections.abc.sys may not be used",
    "import random as r\nr._os": "random._os may not be used",
    "import typing\ntyping.sys": "typing.sys may not be used",
    "def f():\n    import uuid\n    return uuid.os": "uuid.os may not be used",
    "eval('1')": "'eval' may not be used",
    "if False:\n    eval = 1\neval('1')": "'eval' may not be used",
    "def f():\n    open = 1\n    class A:\n        if open: open = 2\n        x = open": "'open' may not be used",
    "[open for x in [1]]": "'open' may not be used",
    "[x for open in [open]]": "'open' may not be used",
    "def f(open=open): pass": "'open' may not be used",
    "def f():\n    global open\n    open = 1\n    def g():\n        return open": "'open' may not be used",
    "__builtins__": "the name '__builtins__' may not be used",
    "__name__ = 'os'": "the name '__name__' may not be given",
    "def f(__class__): pass": "the name '__class__' may not be given",
    "import json as __loader__": "the name '__loader__' may not be given",
    "x.__class__": "the attribute '__class__' may not be used",
    "x.__dict__['y'] = 1": "the attribute '__dict__' may not be used",
    "x.__name__ = 'y'": "the attribute '__name__' may not be used",
    "x._private": "is private to another object",
    "x.gi_frame": "the attribute 'gi_frame' may not be used",
    "x.tb_next": "the attribute 'tb_next' may not be used",
    "str.mro()": "the attribute 'mro' may not be used",
    "'{0.x}'.format(y)": "may not read attributes",
    "'{:{0.x}}'.format(y)": "may not read attributes",
    "text.format(y)": "on a literal text only",
    "str.format(text, y)": "on a literal text only",
    "''.format_map(y)": "the attribute 'format_map' may not be used",
    "match x:\n    case object(__class__=c): pass": "the attribute '__class__' may not be used",
    "match x:\n    case str(format=f): pass": "the attribute 'format' may not be used",
    "match x:\n    case {'a': 1, **__builtins__}: pass": "the name '__builtins__' may not be given",
    "class A:\n    def __getattr__(self, n): pass": "special method '__getattr__' may not be defined",
    "class A:\n    def __del__(self): pass": "special method '__del__' may not be defined",
    "class A:\n    def __init_subclass__(cls): pass": "special method '__init_subclass__' may not be defined",
    "class A:\n    __getattribute__ = f": "the name '__getattribute__' may not be given",
    "class A(metaclass=B): pass": "a metaclass may not be used",
    "class A(**k): pass": "a metaclass may not be used",
    "class E(Enum):\n    def f(self): self._convert_()": "the attributes '_…_' of enumerations",
    "class E(Enum):\n    def f(self):\n        self = x\n        self._y": "is private to another object",
    "class E(Enum):\n    def f(self):\n        [self._y for self in x]": "is private to another object",
    "class E:\n    def f(self):\n        def g():\n            nonlocal self\n            self = x\n        self._y": "is private to",
    "class E:\n    def f(self):\n        (lambda: (self := x))\n        self._y": "is private to another object",
    "class E:\n    @staticmethod\n    def f(thing): thing._y": "is private to another object",
    "def f(self): self._y": "is private to another object",
    "class A:\n    def f(self): self._evaluate()": "the attribute '_evaluate' may not be used",
    "def f(super, x): return super(x).__init__": "the name 'super' may not be given",
    "super = type": "the name 'super' may not be given",
    "def super(x): return x": "the name 'super' may not be given",
    "import json as super": "the name 'super' may not be given",
    "class P:\n    gi_frame: int": "may not be given to a field",
    "f(__class__=1)": "the keyword '__class__' may not be used",
    "async def f(): pass": "async def may not be used",
    "try: pass\nexcept* ValueError: pass": "except* may not be used",
    "a @ b": "the operator @ may not be used",
    "raise SystemExit": "'SystemExit' may not be used",
    "x = (": "this is not Python",
    "\0": "null bytes",
    "-" * 100_000 + "1": "this cannot be read",
    "x" * (MAX_SOURCE + 1): "at most 400000 are read",
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda source: source[:40])
def test_what_could_lead_out_is_refused_with_a_reason(source: str) -> None:
    assert REFUSED[source] in " ".join(str(refusal) for refusal in refusals(source))


def test_a_refusal_names_the_line_and_the_code() -> None:
    with pytest.raises(SandboxError, match=r"My code was refused before it was run: line 3: 'exec' may not be used"):
        admit("x = 1\n\nexec('y')\n", "My code")


def test_many_refusals_are_cut_short() -> None:
    with pytest.raises(SandboxError, match=r"\(and 92 more\)"):
        admit("\n".join(f"x.__a{number}__" for number in range(100)))


def test_names_that_a_function_makes_its_own_are_its_own() -> None:
    assert refusals("def f(open, id):\n    eval = open\n    return eval, id, [vars for vars in id]") == ()


def test_a_check_must_define_its_function() -> None:
    admit_check(
        "import re\n\ndef check_func(final_state):\n    return bool(re.match('a', 'b')) or initial_state is None"
    )
    with pytest.raises(SandboxError, match="defines no function check_func"):
        admit_check("def check(final_state): return True")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gets_an_answer(source: str) -> None:
    refusals(source)


def test_a_module_knows_its_imports() -> None:
    import ast

    scope = Scope.of_module(
        ast.parse("import random\nimport json as j\nimport collections.abc\nfrom collections import abc as a")
    )
    assert scope.modules == {"random": "random", "j": "json", "collections": "collections", "a": "collections.abc"}


def test_every_node_that_may_be_refused_for_a_reason_is_looked_at() -> None:
    cases = [
        case.pattern
        for case in ast.walk(ast.parse(dedent(inspect.getsource(policy._Gate._reason))))
        if isinstance(case, ast.match_case)
    ]
    patterns = [part for case in cases for part in (case.patterns if isinstance(case, ast.MatchOr) else [case])]
    looked_at = {
        pattern.cls.attr
        for pattern in patterns
        if isinstance(pattern, ast.MatchClass) and isinstance(pattern.cls, ast.Attribute)
    }
    assert len(looked_at) > 10
    assert looked_at.isdisjoint(node.__name__ for node in policy._ALWAYS_ALLOWED)
