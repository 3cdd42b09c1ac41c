"""Classes that cannot be changed: those of Python's library become as unchangeable as those that are written in C.

A class of the library that generated code could change would let it say what other code in the process does. The mark that
forbids it is also how a class of generated code is told from any other: only what is made later is without it.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, NamedTuple

_IMMUTABLE = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE: attributes of the class can neither be set nor deleted."""
_flags_of: Callable[[type], int] = type.__dict__["__flags__"].__get__


def seal_every_class() -> None:
    """No class that exists now can be changed from here on. For a process that runs generated code, before it does."""
    offset = _place_of_flags()
    waiting: list[type] = [object]
    seen: set[type] = set()
    while waiting:
        made = waiting.pop()
        if made not in seen:
            seen.add(made)
            waiting.extend(type.__subclasses__(made))
            _mark(made, offset)


def is_sealed(made: type) -> bool:
    """Whether the class cannot be changed."""
    return bool(_flags_of(made) & _IMMUTABLE)


def closed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function behind an object of C, from which no attribute leads to its code, its globals or its cells."""
    wrapper: Callable[..., Any] = _WRAPPER(function, 0, False, _Counts)
    vars(wrapper).update(__module__=function.__module__, __name__=function.__name__, __doc__=function.__doc__)
    return wrapper


_WRAPPER: Any = type(functools.lru_cache(maxsize=0)(len))
"""What `lru_cache` wraps in. `lru_cache` itself would note on it what was wrapped."""


class _Counts(NamedTuple):
    """What the wrapper tells of its cache, which is empty."""

    hits: int
    misses: int
    maxsize: int
    size: int


def is_open_function(value: object) -> bool:
    """Whether attributes lead from a callable to code and globals."""
    return type(value) in (FunctionType, MethodType)


def _mark(made: type, offset: int) -> None:
    flags = _flags_of(made)
    if not flags & _IMMUTABLE:
        ctypes.c_ulong.from_address(id(made) + offset).value = flags | _IMMUTABLE


@functools.lru_cache(maxsize=1)
def _place_of_flags() -> int:
    """Where in a class object its flags lie, found by looking: builds of Python differ."""
    classes = (int, dict, object, str, BaseException, ctypes.Structure, functools.partial, FunctionType, type)
    size = ctypes.sizeof(ctypes.c_ulong)
    for offset in range(0, 50 * size, size):
        if all(ctypes.c_ulong.from_address(id(made) + offset).value == _flags_of(made) for made in classes):
            return offset
    raise OSError("this build of Python keeps the flags of its classes where they cannot be found")
