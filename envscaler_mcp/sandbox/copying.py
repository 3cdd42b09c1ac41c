"""`copy` and `deepcopy` for generated code: the same copies as Python's, by the kind of a value.

Python's own ask a value how to make it again, and do what it answers: call anything, set any attribute of anything.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import fractions
import functools
import random
import re
import statistics
import uuid
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    EllipsisType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    NoneType,
    NotImplementedType,
)
from typing import Any

from envscaler_mcp.sandbox.sealing import is_sealed

Inner = Callable[[Any], Any]
"""What becomes of a value that lies in another."""

_CLOSED = type(functools.lru_cache(maxsize=0)(len))
_UNCHANGED: tuple[type, ...] = (
    int, float, complex, str, bytes, bool, NoneType, EllipsisType, NotImplementedType, range, slice, property,
    FunctionType, BuiltinFunctionType, MethodType, _CLOSED, type, enum.Enum, dt.date, dt.time, dt.timedelta, dt.tzinfo,
    decimal.Decimal, fractions.Fraction, uuid.UUID, re.Pattern, re.Match, statistics.NormalDist,
)  # fmt: skip
"""What nothing can change; a copy is the thing itself."""
_SCALARS = (str, bytes, int, float, complex)


def copy(value: Any) -> Any:
    """A copy that shares what lies in it."""
    if type(value) in (dict, list, set):
        return value.copy()
    own = _own_method(value, "__copy__")
    return _again(value, lambda inner: inner) if own is None else own(value)


def deepcopy(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A copy that shares nothing that can be changed."""
    if memo is not None and type(memo) is not dict:
        raise TypeError("deepcopy takes a plain dict as its memo")
    return _deep(value, {} if memo is None else memo)


def _deep(value: Any, memo: dict[int, Any]) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    known = memo.get(id(value), memo)
    if known is not memo:
        return known
    own = _own_method(value, "__deepcopy__")
    if own is not None:
        made = own(value, memo)
    elif kind is dict:
        made = memo[id(value)] = {}
        for key, inner in value.items():
            made[_deep(key, memo)] = _deep(inner, memo)
    elif kind is list:
        made = memo[id(value)] = []
        for inner in value:
            made.append(_deep(inner, memo))
    else:
        made = _again(value, lambda inner: _deep(inner, memo), lambda new: memo.__setitem__(id(value), new))
    if made is not value:
        memo[id(value)] = made
        # An object of which only the copy is left could give its number to another.
        memo.setdefault(id(memo), []).append(value)
    return made


_PLAIN = frozenset({str, int, float, bool, NoneType})


def _own_method(value: Any, name: str) -> Callable[..., Any] | None:
    """A method that generated code has written for it."""
    for kind in type(value).__mro__:
        if is_sealed(kind):
            return None
        if name in kind.__dict__:
            method: Callable[..., Any] = kind.__dict__[name]
            return method
    return None


def _again(value: Any, inner: Inner, note: Callable[[Any], None] = lambda _: None) -> Any:
    """The value made anew; `note` hears of it before its contents are copied, which may hold it."""
    kind = type(value)
    if is_sealed(kind) and isinstance(value, _UNCHANGED):
        return value
    if isinstance(value, (tuple, frozenset)):
        return _same_or_new(value, [inner(each) for each in value])
    made = _empty(value)
    if made is value:
        return value
    note(made)
    _copy_attributes(value, made, inner)
    if isinstance(value, dict):
        for key, each in value.items():
            made[inner(key)] = inner(each)
    elif isinstance(value, (list, collections.deque)):
        for each in value:
            made.append(inner(each))
    elif isinstance(value, set):
        for each in value:
            made.add(inner(each))
    return made


def _same_or_new(value: Any, inside: list[Any]) -> Any:
    kind = type(value)
    if is_sealed(kind) and all(new is old for new, old in zip(inside, value, strict=True)):
        return value
    made = tuple.__new__(kind, inside) if isinstance(value, tuple) else frozenset.__new__(kind, inside)
    if not is_sealed(kind):
        _copy_attributes(value, made, lambda each: each)
    return made


def _empty(value: Any) -> Any:
    """A value of the same class with nothing in it; the value itself where nothing could be changed."""
    kind = type(value)
    if issubclass(kind, functools.partial):
        return functools.partial.__new__(kind, value.func, *value.args, **value.keywords)
    if issubclass(kind, collections.defaultdict):
        made = collections.defaultdict.__new__(kind)
        made.default_factory = value.default_factory
        return made
    if issubclass(kind, collections.deque):
        queue = collections.deque.__new__(kind)
        collections.deque.__init__(queue, (), value.maxlen)
        return queue
    if issubclass(kind, random.Random):
        chance = random.Random.__new__(kind)
        chance.setstate(value.getstate())
        return chance
    if issubclass(kind, bytearray):
        return bytearray.__new__(kind) + bytes(value)
    if issubclass(kind, BaseException):
        return _base(kind).__new__(kind, *value.args)
    scalar: Any
    for scalar in _SCALARS:
        if issubclass(kind, scalar):
            return scalar.__new__(kind, *scalar.__getnewargs__(value))
    if issubclass(kind, _UNCHANGED):
        return value
    if issubclass(kind, (dict, list, set, collections.ChainMap)) or not is_sealed(kind):
        return _base(kind).__new__(kind)
    raise TypeError(f"a value of the class {kind.__name__!r} cannot be copied by environment code")


def _base(kind: type) -> Any:
    """The nearest class that generated code has not written."""
    return next(each for each in kind.__mro__ if is_sealed(each))


def _copy_attributes(value: Any, made: Any, inner: Inner) -> None:
    attributes = getattr(value, "__dict__", None)
    if attributes:
        made.__dict__.update({name: inner(each) for name, each in attributes.items()})
    kind: Any = type(value)
    for slot in _slots(kind):
        # Names are never looked up: a slot reads and writes its own place and no other.
        try:
            held = slot.__get__(value)
        except AttributeError:
            continue
        slot.__set__(made, inner(held))


@functools.lru_cache(maxsize=1024)
def _slots(kind: type) -> tuple[MemberDescriptorType, ...]:
    """The slots of the classes that generated code has written."""
    return tuple(
        slot
        for made in kind.__mro__
        if not is_sealed(made)
        for slot in vars(made).values()
        if type(slot) is MemberDescriptorType and slot.__objclass__ is made
    )
