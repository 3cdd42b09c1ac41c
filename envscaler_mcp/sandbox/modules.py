"""What `import` and the builtins give to generated code: copies that hold only what is on the lists."""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import functools
import importlib
import keyword
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NoReturn

from envscaler_mcp.sandbox.allowed import BUILTINS, FORBIDDEN_ATTRIBUTES, MODULES

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
    narrowed: dict[str, Callable[..., Any]] = {
        "type": _type,
        "getattr": _getattr,
        "setattr": _setattr,
        "hasattr": _hasattr,
        "delattr": _delattr,
        "__import__": _importer(replaced),
        "__build_class__": builtins.__build_class__,
    }
    plain = {name: getattr(builtins, name) for name in BUILTINS}
    return {**plain, **narrowed, "__debug__": True}


def _importer(replaced: Mapping[str, ModuleType]) -> Callable[..., ModuleType]:
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
            made[whole] = _copy(whole, replaced)
        return made[whole]

    return import_module


def _copy(name: str, replaced: Mapping[str, ModuleType]) -> ModuleType:
    """A module with the allowed names of another and with nothing behind it."""
    original = replaced.get(name) or importlib.import_module(name)
    copy = ModuleType(name)
    for allowed in MODULES[name]:
        if hasattr(original, allowed):
            setattr(copy, allowed, getattr(original, allowed))
    if name == "collections":
        copy.abc = _copy("collections.abc", replaced)  # type: ignore[attr-defined]
    if name == "dataclasses":
        copy.dataclass = _dataclass  # type: ignore[attr-defined]
    if name == "functools":
        copy.wraps = _wraps  # type: ignore[attr-defined]
    return copy


def _dataclass(made: type | None = None, /, **options: Any) -> Any:
    """`dataclasses.dataclass`, which writes field names into program text: here they must be names."""

    def decorate(cls: type) -> type:
        for ancestor in cls.__mro__:
            own = vars(ancestor)
            for name, field in own.get("__dataclass_fields__", {}).items():
                if type(field) is not dataclasses.Field or field.name is not name:
                    _refuse("a dataclass", name)
                _must_be_name(name)
            for name in own.get("__annotations__", {}):
                _must_be_name(name)
        return dataclasses.dataclass(cls, **options)

    return decorate if made is None else decorate(made)


def _must_be_name(name: object) -> None:
    if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
        _refuse("a field", name)


def _wraps(wrapped: Callable[..., Any]) -> Callable[..., Any]:
    """`functools.wraps` without its options, which copy any attribute of one function to another."""

    def apply(wrapper: Callable[..., Any]) -> Callable[..., Any]:
        return functools.update_wrapper(wrapper, wrapped)

    return apply


def _type(value: object, /) -> type:
    """`type` of one argument; with three it makes classes that no gate has read."""
    return type(value)


_NOTHING = object()


def _getattr(value: Any, name: str, default: Any = _NOTHING, /) -> Any:
    _must_be_open(name)
    return getattr(value, name) if default is _NOTHING else getattr(value, name, default)


def _setattr(value: Any, name: str, new: Any, /) -> None:
    _must_be_open(name)
    setattr(value, name, new)


def _hasattr(value: Any, name: str, /) -> bool:
    _must_be_open(name)
    return hasattr(value, name)


def _delattr(value: Any, name: str, /) -> None:
    _must_be_open(name)
    delattr(value, name)


def _must_be_open(name: object) -> None:
    # A subclass of str could answer these questions in one way and name another attribute.
    if type(name) is not str or name.startswith("_") or name == "format" or name in FORBIDDEN_ATTRIBUTES:
        _refuse("an attribute", name)


def _refuse(what: str, name: object) -> NoReturn:
    shown = repr(name) if type(name) is str else "of that kind"
    raise AttributeError(f"{what} {shown} is not open to environment code")
