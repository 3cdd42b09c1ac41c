"""What the studio shows of a benchmark: its tasks, its tools as they are listed now, and its state as far as JSON can say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import UnreadableStateError, WorldError
from envscaler_mcp.farm.benchmark_session import BenchmarkSession, OfficialTaskCard, Said
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.studio.schemas import ChecksAnswer, Listed, OfficialWords, PlayedUser, SaidAnswer, TaskCard

SECTOR = "benchmark"


def official_session(world: HostedWorld) -> BenchmarkSession | None:
    """The session of a world at a benchmark's task."""
    return world.session if isinstance(world.session, BenchmarkSession) else None


def listed_benchmarks(benchmarks: Mapping[str, BenchmarkOpener], search: str) -> Iterator[Listed]:
    """The benchmarks in whose name or title all words of a search stand; none of them is opened for that."""
    words = search.lower().split()
    for name, opener in benchmarks.items():
        if all(word in f"{name} {opener.title} {SECTOR}".lower() for word in words):
            about = "A benchmark of other authors: their tasks, their tools and their verdict."
            yield Listed(id=name, title=opener.title, about=about, sector=SECTOR, tools=0, tasks=0, benchmark=True)


def official_words(card: OfficialTaskCard) -> TaskCard:
    """A task of a benchmark, without its solution."""
    return TaskCard(
        id=card.id,
        level="medium",
        split="held_out",
        task=card.turns[0] if card.turns else "",
        checks=(),
        steps=card.calls,
        category=card.category,
        turns=len(card.turns),
    )


async def official_state(world: HostedWorld) -> Mapping[str, Any]:
    """What the authors' objects hold, for people."""
    try:
        return await world.act(lambda session: session.view() if isinstance(session, BenchmarkSession) else {})
    except UnreadableStateError as cause:
        raise WorldError(f"The state of this world cannot be shown: {cause}") from cause


def official_card(world: HostedWorld, session: BenchmarkSession) -> Environment:
    """The card, with the tools that are listed now."""
    return world.environment.card.model_copy(update={"tools": session.tools})


def official_checks(session: BenchmarkSession, user: PlayedUser) -> ChecksAnswer:
    """The task, and what was said at it. Its verdict is for `judge` to say."""
    card = session.task_card
    words = OfficialWords(
        category=card.category,
        turns=card.turns,
        begun=session.begun,
        talks=card.talks,
        user=user,
        conversation=tuple(map(said_answer, session.conversation)),
        over=session.over,
        system=card.system,
    )
    return ChecksAnswer(task="\n".join(card.turns), id=card.id, official=words)


def said_answer(said: Said) -> SaidAnswer:
    """Something that was said, for people."""
    return SaidAnswer(after=said.after, text=said.text, reply=said.reply)
