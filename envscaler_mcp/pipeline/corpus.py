"""The start states of a compiled environment, and the proven scenarios that begin in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envscaler_mcp.artifacts import Level, Provenance, Scenario, State
from envscaler_mcp.scenarios import TaskMaker, grow
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.synthesis import Synthesized

STATES = {"start": 7, "start_2": 8, "start_3": 9}
"""The start states of an environment and the seeds they grow from."""
SEED = STATES["start"]
SHIPPED = 10
"""How many scenarios lie in a server folder as it ships; those after them are made on demand."""
_LEVELS: tuple[Level, ...] = ("easy", "medium", "hard", "medium", "easy", "medium", "hard", "easy", "medium", "hard")


def level_of(number: int) -> Level:
    """The level of a scenario by its number, from 1: of ten three are easy, four medium and three hard."""
    return _LEVELS[(number - 1) % len(_LEVELS)]


def grown_states(made: Synthesized) -> list[State]:
    """Every start state of the environment."""
    nursery = load_class(made.nursery_source, made.nursery_class)
    return [
        State(
            provenance=Provenance(parents={"blueprint": made.blueprint.digest}, seed=seed),
            environment=made.environment.id,
            name=name,
            seed=seed,
            content=grow(made.model, nursery, seed).content,
        )
        for name, seed in STATES.items()
    ]


def task_maker(made: Synthesized) -> TaskMaker:
    """Makes the scenarios of the environment, equal ones each time."""
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    return TaskMaker(made.model, made.speech, made.environment, code, SEED)


def proven_scenarios(made: Synthesized, states: Sequence[State], many: int) -> Iterator[Scenario]:
    """So many scenarios, the start states in turn; the first ones are the same however many there are."""
    maker = task_maker(made)
    for number in range(1, many + 1):
        yield maker.scenario(states[(number - 1) % len(states)], level_of(number), number)
