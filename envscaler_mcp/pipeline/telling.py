"""What an author is told of the stories of a blueprint: the tasks that come of them, and why some do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.stories import Story
from envscaler_mcp.pipeline.building import STATES, grown_states, level_of, task_maker
from envscaler_mcp.scenarios import TaskMaker
from envscaler_mcp.scenarios.threads import forks_of
from envscaler_mcp.synthesis import synthesize

_REASONS = 4


@dataclass(frozen=True, slots=True)
class StoryReport:
    """What became of one story."""

    name: str
    used: int
    """In how many tasks it is."""
    tellings: tuple[int, ...]
    """How often each of its tellings was used."""
    branches: tuple[tuple[int, int], ...]
    """How often the test of each of its branches held, and how often not."""
    left_out: tuple[tuple[str, int], ...]
    """Why it made no thread, and how often."""


@dataclass(slots=True)
class TellingReport:
    """What the stories of a blueprint come to."""

    id: str
    scenarios: list[Scenario] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """Tasks that could not be made."""
    stories: list[StoryReport] = field(default_factory=list)

    @property
    def unused(self) -> list[StoryReport]:
        """Stories that are in no task, for reasons that their authors can do something about."""
        return [story for story in self.stories if not story.used and story.left_out]

    @property
    def untried(self) -> list[StoryReport]:
        """Stories that no task was tried with, because few tasks were wanted."""
        return [story for story in self.stories if not (story.used or story.left_out)]

    @property
    def whole(self) -> bool:
        """Whether every task was made and every story is told in one."""
        return bool(self.stories) and not self.failures and all(story.used for story in self.stories)


def tell_stories(path: Path, many: int, progress: Callable[[str, int, int], None]) -> TellingReport:
    """Make so many tasks of a blueprint's stories."""
    made = synthesize(read_blueprint(path), tuple(STATES))
    report = TellingReport(made.blueprint.id)
    if not made.speech.stories:
        return report
    states = grown_states(made)
    maker = task_maker(made)
    for number in range(1, many + 1):
        try:
            report.scenarios.append(maker.scenario(states[(number - 1) % len(states)], level_of(number), number))
        except GrowthError as failure:
            report.failures.append(str(failure))
        progress(made.blueprint.id, number, many)
    report.stories = [_report(story, maker) for story in made.speech.stories.values()]
    return report


def _report(story: Story, maker: TaskMaker) -> StoryReport:
    uses, mine = maker.uses, f"{story.name}: "
    reasons = [(r.removeprefix(mine), n) for r, n in maker.reasons.counts.most_common() if r.startswith(mine)]
    return StoryReport(
        story.name,
        uses.stories[story.name],
        tuple(uses.tellings[story.name, number] for number in range(len(story.tell))),
        tuple(
            (uses.branches[story.name, place, True], uses.branches[story.name, place, False])
            for place in range(len(forks_of(story.do)))
        ),
        tuple(reasons[:_REASONS]),
    )
