"""What generated code may use: lists, so that what a new version of Python adds is refused until it is listed."""

from __future__ import annotations

import ast
import collections.abc
import itertools
import math
import statistics
from typing import Final


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


NODES: Final = frozenset({
    ast.Module, ast.FunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For,
    ast.While, ast.If, ast.With, ast.withitem, ast.Match, ast.match_case, ast.Raise, ast.Try, ast.ExceptHandler, ast.Assert,
    ast.Import, ast.ImportFrom, ast.alias, ast.Global, ast.Nonlocal, ast.Expr, ast.Pass, ast.Break, ast.Continue,
    ast.BoolOp, ast.And, ast.Or, ast.NamedExpr, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.Pow, ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd, ast.UnaryOp, ast.Invert, ast.Not, ast.UAdd,
    ast.USub, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    ast.comprehension, ast.Yield, ast.YieldFrom, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is,
    ast.IsNot, ast.In, ast.NotIn, ast.Call, ast.keyword, ast.FormattedValue, ast.JoinedStr, ast.Constant, ast.Attribute,
    ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.Load, ast.Store, ast.Del, ast.arguments,
    ast.arg, ast.MatchValue, ast.MatchSingleton, ast.MatchSequence, ast.MatchMapping, ast.MatchClass, ast.MatchStar,
    ast.MatchAs, ast.MatchOr,
})  # fmt: skip

BUILTINS: Final = _names(
    "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float format "
    "frozenset hash hex int isinstance issubclass iter len list map max min next object oct ord pow print property range "
    "repr reversed round set slice sorted staticmethod str sum super tuple zip Ellipsis NotImplemented "
    "ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError KeyError LookupError "
    "MemoryError NameError NotImplementedError OSError OverflowError PermissionError RecursionError RuntimeError "
    "StopIteration TimeoutError TypeError UnicodeError ValueError ZeroDivisionError FileNotFoundError FileExistsError "
    "ConnectionError InterruptedError BaseException EOFError UserWarning Warning DeprecationWarning"
)
"""Taken as they are; `type`, `getattr`, `setattr`, `hasattr` and `delattr` come in narrower versions of ours."""

NARROWED: Final = _names("type getattr setattr hasattr delattr")

FORBIDDEN_NAMES: Final = _names(
    "eval exec compile open input breakpoint globals locals vars dir memoryview help exit quit copyright credits license id "
    "BaseExceptionGroup ExceptionGroup SystemExit KeyboardInterrupt GeneratorExit aiter anext"
)
"""Builtins that are refused with a reason rather than with a NameError later."""

MODULES: Final[dict[str, frozenset[str]]] = {
    "__future__": _names("annotations"),
    "abc": _names("ABC abstractmethod"),
    "base64": _names("b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode b16encode b16decode"),
    "bisect": _names("bisect bisect_left bisect_right insort insort_left insort_right"),
    "calendar": _names("isleap leapdays monthrange weekday timegm MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY"),
    "collections": _names("ChainMap Counter OrderedDict defaultdict deque namedtuple abc"),
    "collections.abc": frozenset(collections.abc.__all__) - _names("Buffer ByteString"),
    "contextlib": _names("contextmanager nullcontext suppress"),
    "copy": _names("copy deepcopy"),
    "dataclasses": _names("dataclass field fields asdict astuple replace is_dataclass FrozenInstanceError KW_ONLY MISSING"),
    "datetime": _names("date datetime time timedelta timezone tzinfo UTC MINYEAR MAXYEAR"),
    "decimal": _names(
        "Decimal Context getcontext localcontext DecimalException InvalidOperation DivisionByZero Inexact Rounded Overflow "
        "Underflow ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP ROUND_05UP"
    ),
    "enum": _names("Enum IntEnum StrEnum Flag IntFlag auto unique"),
    "fractions": _names("Fraction"),
    "functools": _names("cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps"),
    "hashlib": _names("md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_256 sha3_512"),
    "heapq": _names("heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"),
    "itertools": frozenset(name for name in dir(itertools) if not name.startswith("_")),
    "json": _names("dumps loads JSONDecodeError"),
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "numbers": _names("Number Complex Real Rational Integral"),
    "operator": _names(
        "itemgetter add sub mul truediv floordiv mod neg pos abs eq ne lt le gt ge and_ or_ xor not_ truth contains getitem "
        "countOf indexOf is_ is_not concat pow"
    ),
    "random": _names(
        "Random SystemRandom seed random uniform triangular randint randrange choice choices sample shuffle getrandbits "
        "randbytes betavariate expovariate gammavariate gauss lognormvariate normalvariate vonmisesvariate paretovariate "
        "weibullvariate binomialvariate"
    ),
    "re": _names(
        "compile search match fullmatch split findall finditer sub subn escape purge error Pattern Match A ASCII I IGNORECASE "
        "M MULTILINE S DOTALL X VERBOSE U UNICODE NOFLAG RegexFlag"
    ),
    "secrets": _names("token_bytes token_hex token_urlsafe choice randbelow randbits compare_digest"),
    "statistics": frozenset(statistics.__all__),
    "string": _names("ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits punctuation printable whitespace"),
    "textwrap": _names("dedent fill indent shorten wrap"),
    "time": _names(
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time sleep gmtime localtime strftime strptime "
        "mktime asctime ctime struct_time"
    ),
    "typing": _names(
        "Annotated Any AnyStr Callable ClassVar Collection Container Counter DefaultDict Deque Dict Final FrozenSet Generator "
        "Generic Hashable Iterable Iterator List Literal LiteralString Mapping MutableMapping MutableSequence MutableSet "
        "NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec Protocol Required Self Sequence Set Sized "
        "Type TypeAlias TypedDict TypeVar Tuple Union Unpack assert_never cast final overload runtime_checkable Text "
        "SupportsFloat SupportsInt TYPE_CHECKING"
    ),
    "uuid": _names(
        "UUID SafeUUID uuid1 uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500"
    ),
}  # fmt: skip
"""Module to the names in it that may be used; anything else in it is a possible way to `sys` or `os`."""

OWN_METHODS: Final = frozenset(
    f"__{name}__"
    for name in _names(
        "init post_init repr str eq ne lt le gt ge hash len iter next contains getitem setitem delitem bool enter exit call "
        "add sub mul truediv floordiv mod pow neg pos abs radd rsub rmul iadd isub imul and or xor invert int float index "
        "round reversed copy deepcopy missing"
    )
)
"""Special methods that a class may define; those that intercept attributes, creation or destruction are not here."""

OWN_CONSTANTS: Final = _names("__slots__ __all__ __version__ __author__")
"""Special names that may be assigned to."""

READ_NAMES: Final = _names("__name__ __doc__")
"""Special names and attributes that may be read: text about a thing, never the thing."""

TUPLE_METHODS: Final = _names("_asdict _replace _fields _make")
"""What named tuples offer under names with an underscore so that fields cannot collide."""

FORBIDDEN_ATTRIBUTES: Final = _names(
    "tb_frame tb_next tb_lasti tb_lineno gi_frame gi_code gi_yieldfrom gi_running cr_frame cr_code cr_await cr_origin "
    "ag_frame ag_code ag_await f_back f_builtins f_code f_globals f_locals f_trace f_lasti f_lineno co_code co_consts "
    "co_names co_filename func_globals func_code mro format_map with_traceback _evaluate _getframe"
)
"""Ways from a value to the frames, classes and code behind it."""


def is_special(name: str) -> bool:
    """Whether Python gives the name a meaning of its own."""
    return name.startswith("__") and name.endswith("__")
