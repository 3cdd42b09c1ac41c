"""Which layers stand between generated code and the machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Layers:
    """All of them, unless a test takes one away to show what it is for."""

    gate: bool = True
    """Code is read before it runs, and sees only lists of builtins and modules."""
    limits: bool = True
    """Bounds on memory, processor time, files and processes, and a user that owns nothing where this one is root."""
    tripwire: bool = True
    """An audit event that no world causes ends the worker."""
    kernel: bool = True
    """Landlock and seccomp, where they work."""

    def without(self, *names: str) -> Self:
        """The same but for these."""
        return replace(self, **dict.fromkeys(names, False))

    @classmethod
    def only(cls, *names: str) -> Self:
        """None but these."""
        none = cls(gate=False, limits=False, tripwire=False, kernel=False)
        return replace(none, **dict.fromkeys(names, True))

    def to_json(self) -> dict[str, Any]:
        """As it travels to the worker."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """As it arrives."""
        return cls(**fields)
