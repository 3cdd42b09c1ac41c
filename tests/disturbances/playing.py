"""Tasks that ship, solved through disturbed interfaces, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from envscaler_mcp.artifacts import Call, Scenario
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.disturbances import Disturbances, Disturbed, NativeInterface, sent_again
from envscaler_mcp.serving.spoken_world import SpokenOutcome, SpokenWorld
from tests.dialects.shipped import code_of, scenarios_of, world_at

MOST_SENT = 8
"""How often a call is sent at most; none needs more."""


@dataclass(slots=True)
class Played:
    """What was sent in an episode, and what came of it."""

    final_hash: str = ""
    meant: list[Call] = field(default_factory=list)
    """The canonical calls that reached the world."""
    read: list[str] = field(default_factory=list)
    disturbed: list[str] = field(default_factory=list)


def disturbed(scenario: Scenario, kinds: Sequence[str], seed: int = 0, dialect: int | None = None) -> Disturbed:
    card = code_of(scenario.environment).environment
    interface = NativeInterface(card) if dialect is None else Dialect(card, DialectName(dialect))
    return Disturbed(interface, Disturbances(tuple(kinds), scenario.id, seed))


def solve(
    scenario: Scenario, kinds: Sequence[str], seed: int = 0, dialect: int | None = None, *, resends: bool = True
) -> Played:
    """Send the solution, and what was disturbed of it again."""
    interface = disturbed(scenario, kinds, seed, dialect)
    world, played = SpokenWorld(world_at(scenario), interface), Played()
    for canonical in scenario.oracle:
        call = interface.encode(canonical)
        for _ in range(MOST_SENT):
            outcome = world.call(call.tool, call.arguments)
            assert isinstance(outcome, SpokenOutcome)
            played.read.append(outcome.text)
            if outcome.meant is not None:
                played.meant.append(Call(tool=outcome.meant.tool, arguments=dict(outcome.meant.arguments)))
            if not outcome.disturbed or not resends:
                break
            played.disturbed.append(outcome.disturbed)
            call = sent_again(call, outcome.text)
    played.final_hash = world.state_hash()
    return played


def some_scenarios(environments: Sequence[str], each: int) -> list[Scenario]:
    return [scenario for name in environments for scenario in list(scenarios_of(name))[:each]]
