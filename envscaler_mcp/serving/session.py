"""The control plane of one world: what its owner may see and do, and agents may not.

In this process this class is all of it; `control/` carries the same methods to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from envscaler_mcp.artifacts import Scenario, StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.spoken_world import Interface, Speaker, SpokenWorld
from envscaler_mcp.serving.state_diff import diff_of_states
from envscaler_mcp.serving.world import World

Judge = Callable[[Scenario, Mapping[str, Any], Mapping[str, Any], Scoring, bool], Verdict]
"""The verdict on a final state, given the state at the start, and whether both stand for Python values."""


class Controls(Protocol):
    """What the control plane offers for one world, in this process or in another."""

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as plain JSON."""

    def state_hash(self) -> str:
        """The digest of the state."""

    def diff(self) -> StateDiff:
        """What the last call changed."""

    def diff_since_start(self) -> StateDiff:
        """What changed since the session was opened."""

    def snapshot(self) -> int:
        """A mark to come back to."""

    def restore(self, snapshot: int) -> None:
        """Go back to the snapshot."""

    def fork(self) -> Controls:
        """A second session that continues from here, independent of this one."""

    def verify(self, scoring: Scoring = "framed") -> Verdict:
        """The verdict on the state as a final state; the session stays open."""

    def close(self) -> None:
        """End the session and its world."""


class Session:
    """One world, alive, and what it was opened from."""

    speaker: Speaker | None = None
    """What agents speak to the world in, where its owner speaks its own words."""

    def __init__(
        self,
        world: World,
        scenario: Scenario | None,
        judge: Judge,
        initial: Mapping[str, Any] | None = None,
        *,
        published: bool = False,
    ) -> None:
        self.world = world
        self.scenario = scenario
        self.initial = world.state() if initial is None else initial
        """The state as the world opened it, which is what checks compare with."""
        self.published = published
        """Whether the world is one of the published runtime, whose state stands for Python values."""
        self._judge = judge

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as plain JSON."""
        return self.world.state()

    def state_hash(self) -> str:
        """The digest of the state."""
        return self.world.state_hash()

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return self.world.diff()

    def diff_since_start(self) -> StateDiff:
        """What changed since the session was opened."""
        return diff_of_states(self.initial, self.world.state())

    def snapshot(self) -> int:
        """A mark to come back to."""
        mark = self.world.snapshot()
        if self.speaker is not None:
            self.speaker.mark(mark)
        return mark

    def forget_marks(self, marks: Sequence[int]) -> None:
        """Nothing goes back to these any more; a world in a worker has bounds of its own."""
        if isinstance(self.world, LocalWorld):
            self.world.forget_marks(marks)
        if self.speaker is not None:
            self.speaker.forget_marks(marks)

    def restore(self, snapshot: int) -> None:
        """Go back to the snapshot."""
        self.world.restore(snapshot)
        if self.speaker is not None:
            self.speaker.restore(snapshot)

    def fork(self) -> Session:
        """A second session that continues from here, independent of this one."""
        twin = Session(self.world.fork(), self.scenario, self._judge, self.initial, published=self.published)
        twin.speaker = None if self.speaker is None else self.speaker.fork()
        return twin

    def verify(self, scoring: Scoring = "framed") -> Verdict:
        """The verdict on the state as a final state; the session stays open."""
        return self.judged(self.world.state(), scoring)

    def judged(self, final: Mapping[str, Any], scoring: Scoring) -> Verdict:
        """The verdict on a final state of this session."""
        if self.scenario is None:
            raise WorldError("This session was opened at a state, not at a scenario, so there is nothing to verify.")
        return self._judge(self.scenario, self.initial, final, scoring, self.published)

    def spoken(self, interface: Interface) -> Session:
        """The same session, whose world agents speak to in another interface."""
        world = SpokenWorld(self.world, interface)
        return Session(world, self.scenario, self._judge, self.initial, published=self.published)

    def close(self) -> None:
        """End the session and its world."""
        self.world.close()
