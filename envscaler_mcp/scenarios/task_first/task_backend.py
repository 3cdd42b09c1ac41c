"""What judges a task that was not made from a story: where it is played, what its plan changes, and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from envscaler_mcp.artifacts import Call, Check, Environment, Frame, Proof, Scenario, State
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.sandbox.checking import checker
from envscaler_mcp.scenarios.discovered_proof import Opener, WrittenProver, wishes_of
from envscaler_mcp.scenarios.facts import checks_and_frame
from envscaler_mcp.scenarios.plain_facts import PlainFacts
from envscaler_mcp.scenarios.proof import Prover
from envscaler_mcp.scenarios.replay import content_form, record
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import World, open_world


@dataclass(frozen=True, slots=True)
class PlanEffects:
    """What a plan comes to."""

    facts: tuple[Check, ...]
    """Everything that it changes, as checks of ours would ask for it."""
    frame: Frame
    form: str
    """The same for plans whose ends a check cannot tell apart."""
    final: dict[str, Any]
    """The state at their end."""


class Court(Protocol):
    """Judges tasks of one environment."""

    @property
    def card(self) -> Environment:
        """What is known of the environment."""

    def opened(self, state: State) -> World:
        """A world at the state."""

    def effects(self, calls: Sequence[Call], state: State) -> PlanEffects:
        """What the calls come to, made one after the other at the state."""

    def proof(self, scenario: Scenario, state: State) -> Proof:
        """The proof, or Unproven."""


@dataclass(frozen=True, slots=True)
class CompiledCourt:
    """Of an environment that was compiled."""

    code: EnvironmentCode
    model: Model
    speech: Storybook

    @property
    def card(self) -> Environment:
        """What is known of the environment."""
        return self.code.environment

    def opened(self, state: State) -> World:
        """A world at the state."""
        return open_world(self.code, state.content, state.seed)

    def effects(self, calls: Sequence[Call], state: State) -> PlanEffects:
        """What the calls come to, made one after the other at the state."""
        with closing(open_world(self.code, state.content, state.seed)) as world:
            mark = world.snapshot()
            record(world, calls)
            diff, final = world.diff_since(mark), world.state()
        facts, frame = checks_and_frame(self.model, diff, state.content)
        return PlanEffects(facts, frame, content_form(diff), final)

    def proof(self, scenario: Scenario, state: State) -> Proof:
        """The proof, or Unproven."""
        with checker(one_author=True) as judging, closing(open_world(self.code, state.content, scenario.seed)) as world:
            return Prover(scenario, self.model, self.speech, self.card, world, judging).prove()


@dataclass(frozen=True, slots=True)
class WrittenCourt:
    """Of an environment whose class is not compiled; it runs where the opener opens worlds."""

    code: EnvironmentCode
    opener: Opener

    @property
    def card(self) -> Environment:
        """What is known of the environment."""
        return self.code.environment

    def opened(self, state: State) -> World:
        """A world at the state."""
        return self.opener(self.code, state.content, state.seed)

    def effects(self, calls: Sequence[Call], state: State) -> PlanEffects:
        """What the calls come to, made one after the other at the state."""
        with closing(self.opened(state)) as world:
            wishes, diff = wishes_of(self.code, calls, world, state.content, state.seed, self.opener)
            record(world, calls)
            final = world.state()
        facts = PlainFacts(wishes, diff, state.content).all()
        return PlanEffects(tuple(facts), wishes.frame(diff), wishes.form(diff), final)

    def proof(self, scenario: Scenario, state: State) -> Proof:
        """The proof, or Unproven."""
        with (
            checker(one_author=True) as judging,
            closing(self.opener(self.code, state.content, scenario.seed)) as world,
        ):
            return WrittenProver(scenario, self.code, world, self.opener, judging).prove()
