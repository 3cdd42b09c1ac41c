"""A world behind another interface: calls are translated on the way in, answers on the way out, and nothing else differs.

What the translation remembers, such as which ids were told, goes back with a restore and along with a fork.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

from envscaler_mcp.artifacts import Environment, StateDiff
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import Kind, Outcome, encode
from envscaler_mcp.serving.world import World


@dataclass(slots=True)
class MeantCall:
    """The canonical call that a spoken one stands for."""

    tool: str
    arguments: Mapping[str, Any]


class SpokenOutcome(Outcome):
    """An answer in the words of an interface."""

    __slots__ = ("_body", "disturbed", "in_band", "meant")

    def __init__(self, kind: Kind, text: str, body: Any = None, *, in_band: bool = False) -> None:
        """`body` is what goes with the text as structured content, where the interface has that."""
        super().__init__(kind, text)
        self._body = body
        self.in_band = in_band
        self.meant: MeantCall | None = None
        """Nothing where the call reached no world."""
        self.disturbed = ""
        """The kind of disturbance through which the call failed on the way, where one did."""

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The answer in an object."""
        try:
            parsed = json.loads(self.text)
        except ValueError:
            parsed = None
        return parsed if isinstance(parsed, dict) else {"text": self.text}

    @property
    def structured(self) -> dict[str, Any] | None:
        """What goes with the text, if anything does."""
        return self._body if isinstance(self._body, dict) else None

    @property
    def wire(self) -> str:
        """The structured content as JSON; nothing where there is none."""
        body = self.structured
        return "" if body is None else encode(body)

    @property
    def is_error(self) -> bool:
        """Whether the protocol says that the call did not do what was asked."""
        return self.kind != "done" and not self.in_band


class Memory(Protocol):
    """What an interface remembers of one world, in an order that can be gone back in."""

    def __len__(self) -> int: ...
    def forget_since(self, number: int) -> None:
        """Be as long as then."""

    def copy(self) -> Self:
        """The same for another world."""


class Interface(Protocol):
    """What a world can be spoken to in."""

    @property
    def card(self) -> Environment:
        """The environment as agents see it."""

    def memory(self) -> Memory:
        """What is remembered of a world that nothing was told of."""

    def call(self, name: str, arguments: Any, memory: Any) -> MeantCall | SpokenOutcome:
        """The call that is meant, or what is answered where no world is asked."""

    def answer(self, meant: Any, outcome: Outcome, memory: Any) -> SpokenOutcome:
        """What is read of an outcome."""


class Speaker:
    """An interface in use beside a world, for who reaches that world in its own words, too."""

    def __init__(self, interface: Interface, memory: Memory | None = None) -> None:
        self.interface = interface
        self.memory = interface.memory() if memory is None else memory
        self._marks: dict[int, int] = {}

    def meant(self, tool: str, arguments: Any) -> MeantCall | SpokenOutcome:
        """The call that is meant, or what is answered where no world is asked."""
        return self.interface.call(tool, arguments, self.memory)

    def answer(self, meant: MeantCall, outcome: Outcome) -> SpokenOutcome:
        """What is read of an outcome."""
        return self.interface.answer(meant, outcome, self.memory)

    def mark(self, snapshot: int) -> None:
        """A snapshot of the world is here."""
        self._marks[snapshot] = len(self.memory)

    def forget_marks(self, marks: Iterable[int]) -> None:
        """Nothing goes back to these any more."""
        for mark in marks:
            self._marks.pop(mark, None)

    def restore(self, snapshot: int) -> None:
        """The world is as at the snapshot: what was told since was not told any more."""
        self.memory.forget_since(self._marks[snapshot])
        self._marks = {mark: length for mark, length in self._marks.items() if mark <= snapshot}

    def fork(self) -> Speaker:
        """The same beside a fork of the world."""
        return Speaker(self.interface, self.memory.copy())


class SpokenWorld:
    """A world as an interface offers it. State, marks and clock are those of the world behind."""

    def __init__(self, world: World, interface: Interface, memory: Memory | None = None) -> None:
        self.behind = world
        self.interface = interface
        self._speaker = Speaker(interface, memory)
        self._reached = True

    @property
    def environment(self) -> Environment:
        """The environment as agents see it."""
        return self.interface.card

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        """What came of the spoken call."""
        meant = self._speaker.meant(tool, arguments)
        self._reached = not isinstance(meant, SpokenOutcome)
        if isinstance(meant, SpokenOutcome):
            return meant
        return self._speaker.answer(meant, self.behind.call(meant.tool, meant.arguments, key))

    def state(self) -> dict[str, Any]:
        """Every record and scalar, in the words of the world itself."""
        return self.behind.state()

    def state_hash(self) -> str:
        """The digest of the state."""
        return self.behind.state_hash()

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return self.behind.diff() if self._reached else StateDiff()

    def diff_since(self, snapshot: int) -> StateDiff:
        """What changed since the snapshot."""
        return self.behind.diff_since(snapshot)

    def snapshot(self) -> int:
        """A mark to come back to."""
        mark = self.behind.snapshot()
        self._speaker.mark(mark)
        return mark

    def restore(self, snapshot: int) -> None:
        """Be as at the snapshot: what was told since was not told any more."""
        self.behind.restore(snapshot)
        self._speaker.restore(snapshot)

    def fork(self) -> SpokenWorld:
        """A second world that continues from here, to which the same was told."""
        return SpokenWorld(self.behind.fork(), self.interface, self._speaker.memory.copy())

    def set_clock(self, now: str) -> None:
        """Let it be this minute."""
        self.behind.set_clock(now)

    def close(self) -> None:
        """End the world behind."""
        self.behind.close()


def is_local(world: World) -> bool:
    """Whether its calls are answered in this process, so that nothing is waited for."""
    return isinstance(world.behind if isinstance(world, SpokenWorld) else world, LocalWorld)
