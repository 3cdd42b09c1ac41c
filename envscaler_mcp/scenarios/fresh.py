"""Fresh tasks of one start state: siblings are made, and what is kept for tests is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from envscaler_mcp.artifacts import (
    Conversation,
    Environment,
    Goal,
    Level,
    ProofExtent,
    Scenario,
    Split,
    State,
    canonical_json,
    digest_of,
)
from envscaler_mcp.errors import Unproven
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.scenarios.message import TaskMessage
from envscaler_mcp.scenarios.tasks import TaskMaker
from envscaler_mcp.serving.code import EnvironmentCode


class FreshTaskMaker(TaskMaker):
    """Makes scenarios of one start state; texts may be nearly the same as others', but none is the same in the same state."""

    tries = 40
    patience = 3

    def __init__(
        self,
        model: Model,
        speech: Storybook,
        environment: Environment,
        code: EnvironmentCode,
        state: State,
        split: Split,
        extent: ProofExtent,
        reserved: frozenset[str],
    ) -> None:
        """`reserved` are casts that no task may have; its seed is that of the state."""
        super().__init__(model, speech, environment, code, state.seed)
        self.extent = extent
        self._split, self._reserved = split, reserved
        self._texts: set[str] = set()
        self._misfits: dict[Level, Counter[str]] = {}

    def _begin(self, level: Level) -> None:
        # The state is the same for all tasks: a story that cannot be cast once will not be cast later.
        self.misfit = self._misfits.setdefault(level, Counter())

    def _refuse_known(self, words: TaskMessage, goals: Conversation) -> None:
        if words.text in self._texts:
            raise Unproven("the same task was made before")
        if not self._reserved.isdisjoint(casts_of(goals.goals)):
            raise Unproven("its cast is that of a task that is kept for tests")
        self._texts.add(words.text)

    def _name(self, level: Level, number: int) -> tuple[str, Split]:
        return f"{self.environment.id}-{level}-{self.seed:x}-{number:02d}", self._split


def pattern_of(scenario: Scenario) -> str:
    """The stories of a scenario and their tellings."""
    goals = scenario.conversation.goals if scenario.conversation is not None else ()
    return " + ".join(sorted(f"{goal.story}/{goal.telling}" for goal in goals))


def casts_of(goals: Iterable[Goal]) -> set[str]:
    """Who and what each goal is about, as its words say it, whatever the ids of the records are."""
    return {_cast(goal) for goal in goals}


def _cast(goal: Goal) -> str:
    said = sorted((fact.name, fact.says) for fact in goal.facts if fact.says)
    values = sorted((fact.name, canonical_json(fact.value)) for fact in goal.facts)
    return digest_of([goal.story, said or values])
