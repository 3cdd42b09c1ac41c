"""What `import` and the builtins give to generated code: copies that hold only what is on the lists."""

from __future__ import annotations

import builtins
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import importlib
import keyword
import random
import re
import statistics
import typing
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any, cast

from envscaler_mcp.sandbox import copying
from envscaler_mcp.sandbox.allowed import BUILTINS, FORBIDDEN_ATTRIBUTES, MODULES
from envscaler_mcp.sandbox.classes import class_builder, must_have_plain_fields, must_mix, refuse
from envscaler_mcp.sandbox.sealing import closed, is_open_function, is_sealed, seal_every_class
from envscaler_mcp.sandbox.stores import OWN, OWN_SELF, own_object, own_self

Own = Callable[[Any], Any]
"""Answers with an object that generated code may change, and refuses any other."""

_MODULE = "environment"
"""Where classes that are made by a call are said to come from."""
_LATE = ("_strptime", "_pylong", "copyreg", "warnings")
"""What Python's own C code imports when it is first needed, through the importer of whoever called it."""
_ENCODINGS = ("ascii", "latin_1", "utf_8", "utf_8_sig", "utf_16", "utf_16_le", "utf_32", "cp1252", "unicode_escape")


def preload() -> None:
    """Import everything that generated code may ask for, and what those import late; a worker can import nothing."""
    for name in (*MODULES, "unicodedata", *(f"encodings.{encoding}" for encoding in _ENCODINGS)):
        importlib.import_module(name)
    for name in _LATE:
        # Not every version of Python has all of them.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def guarded_builtins(replaced: Mapping[str, ModuleType]) -> dict[str, Any]:
    """The builtins of one world; `replaced` are the modules that know its clock and chance."""
    names: dict[str, Any] = {name: getattr(builtins, name) for name in BUILTINS}
    # These are made for each world, and so are not sealed with the rest of the library.
    replacements = {
        id(held) for module in replaced.values() for held in vars(module).values() if isinstance(held, type)
    }
    own = own_object(names, replacements)
    guarded: dict[str, Callable[..., Any]] = {
        "type": _type,
        "getattr": _getattr,
        "setattr": _setter(own),
        "hasattr": _hasattr,
        "delattr": _deleter(own),
        "__import__": _importer(replaced, own),
        "__build_class__": class_builder(lambda made: id(made) in replacements),
        OWN: own,
        OWN_SELF: own_self(replacements),
    }
    # `type` is what it answers for a class, and so is closed once for all.
    names.update({name: _TYPE if name == "type" else closed(function) for name, function in guarded.items()})
    names["__debug__"] = True
    return names


def _importer(replaced: Mapping[str, ModuleType], own: Own) -> Callable[..., ModuleType]:
    made: dict[str, ModuleType] = {}

    def import_module(
        name: str,
        globals: object = None,  # noqa: A002
        locals: object = None,  # noqa: A002
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> ModuleType:
        del globals, locals
        if type(name) is str and name in _LATE:
            # C code takes the module from where it is kept and not from this answer, which is empty for anybody else.
            return ModuleType(name)
        if type(name) is not str or level or name not in MODULES:
            raise ImportError(f"The module {name!r} is not available to environment code.")
        whole = name if fromlist else name.partition(".")[0]
        if whole not in made:
            made[whole] = _copy(whole, replaced, own)
        return made[whole]

    return import_module


def _copy(name: str, replaced: Mapping[str, ModuleType], own: Own) -> ModuleType:
    """A module with the allowed names of another and with nothing behind it, or behind its functions."""
    original = replaced.get(name) or importlib.import_module(name)
    copy = ModuleType(name)
    narrowed = _narrowed(name, own)
    for allowed in MODULES[name]:
        if hasattr(original, allowed):
            value = narrowed.get(allowed, getattr(original, allowed))
            setattr(copy, allowed, _closed(value) if is_open_function(value) else value)
    if name == "collections":
        copy.abc = _copy("collections.abc", replaced, own)  # type: ignore[attr-defined]
    return copy


@functools.lru_cache(maxsize=4096)
def _closed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the library behind C; what `typing` asks of those that stand among the bases of a class goes along."""
    wrapper = closed(function)
    if hasattr(function, "__mro_entries__"):
        # It looks for itself among the bases.
        entries = closed(lambda _: function.__mro_entries__((function,)))
        wrapper.__mro_entries__ = entries  # type: ignore[attr-defined]
    return wrapper


def _narrowed(module: str, own: Own) -> dict[str, Callable[..., Any]]:
    """Functions of a module that come in narrower versions of ours."""
    match module:
        case "collections":
            return {"namedtuple": _namedtuple}
        case "copy":
            return {"copy": copying.copy, "deepcopy": copying.deepcopy}
        case "dataclasses":
            return {"dataclass": _dataclass_of(own)}
        case "functools":
            return {"wraps": _wraps_of(own), "total_ordering": lambda made: functools.total_ordering(own(made))}
        case "typing":
            return {"overload": _overload, "NamedTuple": _NamedTuple, "TypedDict": _TypedDict}
    return {}


def narrow_the_library() -> None:
    """What classes of the library do in the process that is to run generated code, and their classes sealed.

    Called once, in the process from which workers are forked.
    """
    original = enum.EnumType.__call__

    def call(cls: Any, value: Any, *names: Any, **options: Any) -> Any:
        if (names or options) and not cls._member_map_:
            _must_be_members(value, names[0] if names else options.get("names"))
            must_mix(options.get("type"))
            # Python would look at its caller's frame for it, and what it finds there is of no use here.
            options = {**options, "module": _MODULE, "qualname": None}
        return original(cls, value, *names, **options)

    enum.EnumType.__call__ = call  # type: ignore[method-assign]
    _need_no_frames()
    _remember_only_plain_values()
    # Without a seed it takes real chance, and the same calls would be answered in another way.
    statistics.NormalDist.samples = _samples  # type: ignore[assignment, method-assign]
    # Those in the library that copy, such as `dataclasses.asdict`, look these up when they do.
    vars(copy).update(copy=copying.copy, deepcopy=copying.deepcopy)
    seal_every_class()


def _samples(self: statistics.NormalDist, n: int, *, seed: object = None) -> list[float]:
    gauss = random.Random(0 if seed is None else cast(Any, seed)).gauss
    return [gauss(self.mean, self.stdev) for _ in range(n)]


def _remember_only_plain_values() -> None:
    """What the library notes in caches of the whole process never asks generated code for a hash or whether it is equal."""
    for name, function in (
        ("re", "_compile"),
        ("re", "_compile_repl"),
        ("re", "_compile_template"),
        ("_strptime", "_strptime"),
    ):
        module = vars(importlib.import_module(name))
        if function in module:
            module[function] = _of_plain_values(module[function])


def _of_plain_values(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*values: Any) -> Any:
        for value in values:
            if type(value) not in _REMEMBERED:
                return function(*map(_plain, values))
        return function(*values)

    return called


_REMEMBERED = frozenset({str, int, bytes, re.Pattern, re.RegexFlag})


def _plain(value: Any) -> Any:
    """The text or number itself, where it is of a class of generated code."""
    if is_sealed(type(value)):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes.__getitem__(value, slice(None))
    return int.__int__(value) if isinstance(value, int) else value


def _need_no_frames() -> None:
    """What looks at its caller's frame answers without: in a worker nothing may look at one."""
    # `typing_extensions` puts a function of its own into `typing` where Python is old.
    for name in ("typing", "typing_extensions"):
        module = vars(importlib.import_module(name))
        for function, answer in _WITHOUT_FRAMES.items():
            if function in module:
                module[function] = answer


_WITHOUT_FRAMES: dict[str, Callable[..., Any]] = {
    "_caller": lambda *_, **__: _MODULE,
    "_allow_reckless_class_checks": lambda *_, **__: True,
    "_has_generic_or_protocol_as_origin": lambda *_, **__: False,
}


def _must_be_members(title: object, names: object) -> None:
    """An enumeration that is made by a call gets the names that it is given as attributes: they must be plain."""
    _must_be_plain(title)
    if type(names) is str:
        names = names.replace(",", " ").split()
    if type(names) not in (list, tuple, dict):
        refuse("an enumeration", names)
    for name in names:  # type: ignore[attr-defined]
        _must_be_plain(name[0] if type(name) in (tuple, list) and name else name)


def _must_be_plain(name: object) -> None:
    _must_be_name(name)
    if type(name) is str and name.startswith("_"):
        refuse("a member", name)


def _namedtuple(
    typename: str,
    field_names: Any,
    *,
    rename: bool = False,
    defaults: Iterable[Any] | None = None,
    module: str | None = None,
) -> type:
    """`collections.namedtuple` of plain names."""
    if type(field_names) is str:
        field_names = field_names.replace(",", " ").split()
    fields = list(field_names)
    for name in (typename, *([] if rename else fields)):
        _must_be_open_name(name)
    if not all(type(name) is str for name in fields):
        refuse("a field", None)
    del module
    named: Any = collections.namedtuple  # noqa: PYI024
    made: Any = named(typename, fields, rename=rename, defaults=defaults, module=_MODULE)
    for name in made._fields:
        _must_be_open_name(name)
    return made  # type: ignore[no-any-return]


def _NamedTuple(typename: str, fields: Any = (), /, **more: Any) -> Any:  # noqa: N802
    """`typing.NamedTuple`, called; as a base it is asked for what stands in its place."""
    pairs = [(name, kind) for name, kind in (*fields, *more.items())]
    for name in (typename, *(name for name, _ in pairs)):
        _must_be_open_name(name)
    return typing.NamedTuple(typename, pairs)


_NamedTuple.__mro_entries__ = lambda _: typing.NamedTuple.__mro_entries__((typing.NamedTuple,))  # type: ignore[attr-defined]


def _TypedDict(typename: str, fields: Any = None, /, *, total: bool = True, **more: Any) -> Any:  # noqa: N802
    """`typing.TypedDict`, called: other classes read the names of its fields."""
    named = {**({} if fields is None else dict(fields)), **more}
    if type(typename) is not str or not all(type(name) is str for name in named):
        refuse("a field", None)
    return typing.TypedDict(typename, named, total=total)  # type: ignore[operator]


_TypedDict.__mro_entries__ = lambda _: typing.TypedDict.__mro_entries__((typing.TypedDict,))  # type: ignore[attr-defined]


def _dataclass_of(own: Own) -> Callable[..., Any]:
    def dataclass(made: type | None = None, /, **options: Any) -> Any:
        """`dataclasses.dataclass`, which writes field names into program text: here they must be names."""

        def decorate(cls: type) -> type:
            must_have_plain_fields(own(cls))
            for ancestor in cls.__mro__:
                held = vars(ancestor)
                for name, field in held.get("__dataclass_fields__", {}).items():
                    if type(field) is not dataclasses.Field or field.name is not name:
                        refuse("a dataclass", name)
                    _must_be_name(name)
                for name in held.get("__annotations__", {}):
                    _must_be_open_name(name)
            finished: Any = dataclasses.dataclass(cls, **options)
            if any(name.startswith("_") for name in finished.__dict__.get("__match_args__", ())):
                # A pattern reads what it names, of whatever an instance check lets through.
                setattr(finished, "__match_args__", ())  # noqa: B010
            return finished  # type: ignore[no-any-return]

        return decorate if made is None else decorate(made)

    return dataclass


def _must_be_name(name: object) -> None:
    if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
        refuse("a field", name)


def _must_be_open_name(name: object) -> None:
    """A name that becomes an attribute, and that a pattern may then read of something else."""
    _must_be_name(name)
    if name in FORBIDDEN_ATTRIBUTES or str(name).startswith("__"):
        refuse("a field", name)


def _wraps_of(own: Own) -> Callable[..., Any]:
    def wraps(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        """`functools.wraps` without its options, which copy any attribute of one function to another."""
        updated = functools.WRAPPER_UPDATES if type(wrapped) is FunctionType else ()

        def apply(wrapper: Callable[..., Any]) -> Callable[..., Any]:
            if isinstance(wrapper, type):
                refuse("a class that wraps", wrapper.__name__)
            return functools.update_wrapper(own(wrapper), wrapped, updated=updated)

        return apply

    return wraps


def _overload(function: Callable[..., Any]) -> Callable[..., Any]:
    """`typing.overload`, which notes where a function stands for readers that there are none of here."""
    return function


def _type(value: object, /) -> object:
    """`type` of one argument; with three it makes classes that no gate has read, and so does what a class is made by."""
    kind = type(value)
    return _TYPE if issubclass(kind, type) else kind


_TYPE = closed(_type)
_NOTHING = object()


def _getattr(value: Any, name: str, default: Any = _NOTHING, /) -> Any:
    _must_be_open(name)
    return getattr(value, name) if default is _NOTHING else getattr(value, name, default)


def _setter(own: Own) -> Callable[..., Any]:
    def setattr_(value: Any, name: str, new: Any, /) -> None:
        _must_be_open(name)
        setattr(own(value), name, new)

    return setattr_


def _hasattr(value: Any, name: str, /) -> bool:
    _must_be_open(name)
    return hasattr(value, name)


def _deleter(own: Own) -> Callable[..., Any]:
    def delattr_(value: Any, name: str, /) -> None:
        _must_be_open(name)
        delattr(own(value), name)

    return delattr_


def _must_be_open(name: object) -> None:
    # A subclass of str could answer these questions in one way and name another attribute.
    if type(name) is not str or name.startswith("_") or name == "format" or name in FORBIDDEN_ATTRIBUTES:
        refuse("an attribute", name)
