"""Class statements of generated code: which classes of the library may be bases, and what slots are called.

The library trusts its own classes: it takes the name of a field from a `Field` and writes it into program text. A subclass
could answer with anything there, so only classes made to be subclassed may be bases.
"""

from __future__ import annotations

import builtins
import collections
import collections.abc
import dataclasses
import datetime as dt
import enum
import importlib
import typing
from collections.abc import Callable, Iterable, Iterator
from types import MemberDescriptorType, resolve_bases
from typing import Any, NoReturn

from envscaler_mcp.sandbox.allowed import BUILTINS, MODULES, is_special
from envscaler_mcp.sandbox.sealing import is_sealed

_CONTAINERS: tuple[type, ...] = (
    object, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, collections.ChainMap,
    collections.Counter, collections.OrderedDict, collections.defaultdict, collections.deque, dt.tzinfo,
)  # fmt: skip
_ENUMERATIONS: tuple[type, ...] = (enum.Enum, enum.IntEnum, enum.StrEnum, enum.Flag, enum.IntFlag, enum.ReprEnum)
_MIXED_IN: tuple[type, ...] = (int, float, complex, str, bytes)
"""What the members of an enumeration may be besides."""


def _generic_bases() -> Iterator[Any]:
    """What `typing` puts in place of the names that stand among the bases of a class."""
    yield from (typing.Generic, typing.Protocol)
    for name in ("NamedTuple", "TypedDict"):
        yield from getattr(typing, name).__mro_entries__((getattr(typing, name),))


def _abstract_bases() -> Iterator[Any]:
    for module in ("abc", "collections.abc", "numbers"):
        for name in MODULES[module]:
            yield getattr(importlib.import_module(module), name)


def _exceptions() -> Iterator[Any]:
    for name in BUILTINS:
        yield getattr(builtins, name)
    for module, names in MODULES.items():
        for name in names:
            yield getattr(importlib.import_module(module), name, None)


def _listed() -> frozenset[type]:
    exceptions = [each for each in _exceptions() if isinstance(each, type) and issubclass(each, BaseException)]
    abstract = [each for each in _abstract_bases() if isinstance(each, type)]
    return frozenset((*_CONTAINERS, *_ENUMERATIONS, *_generic_bases(), *abstract, *exceptions))


LIBRARY_BASES = _listed()
"""Every class of the library that generated code may subclass; all others only ever mean what the library says."""


def class_builder(foreign: Callable[[type], bool]) -> Callable[..., Any]:
    """What a class statement calls; `foreign` tells classes that were made for this code and not by it."""

    def build_class(body: Any, name: str, *bases: Any, **options: Any) -> Any:
        # Asked before, because making a class already calls methods of it, and after, because that is what was made.
        _must_be_bases(resolve_bases(bases), name, foreign)
        made = builtins.__build_class__(body, name, *bases, **options)
        if not isinstance(made, type):
            refuse("a class", name)
        _must_be_bases(made.__bases__, name, foreign)
        _settle_slots(made)
        return made

    return build_class


def must_mix(kind: object) -> None:
    """Refuse what an enumeration may not be made of by a call."""
    if kind is not None and not _is_among(kind, _MIXED_IN):
        refuse("the type of an enumeration", None)


def must_have_plain_fields(made: type) -> None:
    """Refuse a class to which a dataclass would write anything but names: its own fields must be Python's very own."""
    for value in vars(made).values():
        if isinstance(value, dataclasses.Field) and type(value) is not dataclasses.Field:
            refuse("a field", type(value).__name__)


def refuse(what: str, name: object) -> NoReturn:
    """Say that something is not for generated code."""
    shown = repr(name) if type(name) is str else "of that kind"
    raise AttributeError(f"{what} {shown} is not open to environment code")


def _must_be_bases(bases: Iterable[Any], name: str, foreign: Callable[[type], bool]) -> None:
    for base in bases:
        if not isinstance(base, type) or issubclass(base, type):
            refuse("a class of classes", name)
        if base not in LIBRARY_BASES and (is_sealed(base) or foreign(base)):
            refuse("a subclass of the library's class", base.__name__)


def _settle_slots(made: type) -> None:
    """The names of slots are plain texts, and nothing that generated code holds can change them afterwards."""
    for held, value in vars(made).items():
        if type(value) is MemberDescriptorType and (type(held) is not str or is_special(held)):
            refuse("a slot", held)
    slots = vars(made).get("__slots__", ())
    names = (slots,) if type(slots) is str else slots
    if type(names) not in (tuple, list) or not all(type(name) is str for name in names):
        refuse("a slot", None)
    if "__slots__" in vars(made):
        type.__setattr__(made, "__slots__", tuple(names))


def _is_among(value: object, listed: Iterable[object]) -> bool:
    return any(value is each for each in listed)
