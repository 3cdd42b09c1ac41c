"""Scripted episodes with known official verdicts are played again, through the protocol."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio

from envscaler_mcp.artifacts import Call, Scenario
from envscaler_mcp.episode.agent import Action, Briefing, MakeAgent
from envscaler_mcp.episode.agents import DONE
from envscaler_mcp.episode.live import EpisodeLimits
from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.official.at_farm import FarmAccess
from envscaler_mcp.official.benchmark import BENCHMARKS, Benchmark, Fixture, OfficialTask
from envscaler_mcp.official.own_farm import at_a_farm
from envscaler_mcp.official.stage import OfficialEpisode, Stage, Way
from envscaler_mcp.runs.recording import Progress

_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class ReplayedFixture:
    """A scripted episode, and in what it was otherwise this time."""

    fixture: Fixture
    benchmark: str
    differences: tuple[str, ...] = ()


@dataclass(slots=True)
class Script:
    """An agent that makes the calls of a script, and ends each turn with its words."""

    turns: Sequence[Sequence[Sequence[Call]]]
    words: Sequence[str] = ()
    spoken: Sequence[str] = ()
    _moves: Iterator[Action] = field(init=False)

    def __post_init__(self) -> None:
        self._moves = self._all()

    def act(self, observation: str) -> Action:  # noqa: ARG002 - it does not listen
        """The next move of the script."""
        return next(self._moves, Action(text="(the script has ended)"))

    def _all(self) -> Iterator[Action]:
        spoken = iter(self.spoken)
        for number, turn in enumerate(self.turns):
            for step in turn:
                first, *more = step
                yield Action(next(spoken, ""), tool=first.tool, arguments=dict(first.arguments), more=tuple(more))
            yield Action(text=self.words[number] if number < len(self.words) else "")


def read_fixtures(path: Path) -> Iterator[tuple[Benchmark, Fixture]]:
    """The scripted episodes of a file, which may be compressed, each with its benchmark."""
    benchmarks = [BENCHMARKS[name] for name in BENCHMARKS]
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _fixture(benchmarks, json.loads(line), f"{path}, line {number}")
    except (OSError, UnicodeDecodeError, ValueError, EOFError, KeyError, TypeError) as cause:
        raise ArtifactError(f"{path} cannot be read as scripted episodes: {cause!r}") from cause


def _fixture(benchmarks: Sequence[Benchmark], line: Any, where: str) -> tuple[Benchmark, Fixture]:
    for benchmark in benchmarks:
        fixture = benchmark.fixture(line)
        if fixture is not None:
            return benchmark, fixture
    raise ArtifactError(f"{where} is of no benchmark that is known here")


async def replay_fixtures(
    stage: Stage,
    fixtures: Sequence[Fixture],
    parallel: int,
    take: Callable[[ReplayedFixture], None],
    progress: Progress,
    via: Way = "worker",
    farm: FarmAccess | None = None,
) -> None:
    """Play each in a world of its own, several at a time; `take` is told of each as it is done.

    Worlds over HTTP are at that farm, or at one in this process.
    """
    waiting = iter(fixtures)
    done = 0

    async def play_all(stage: Stage) -> None:
        nonlocal done
        async with stage.reached(via) as own:
            for fixture in waiting:
                take(await _replayed(own, fixture))
                done += 1
                progress(fixture.task, done, len(fixtures))

    served = at_a_farm(stage, farm) if via == "http" else nullcontext(stage)
    async with served as at, anyio.create_task_group() as group:
        for _ in range(min(parallel, len(fixtures))):
            group.start_soon(play_all, at)


async def _replayed(stage: Stage, fixture: Fixture) -> ReplayedFixture:
    benchmark = stage.benchmark
    task = stage.tasks.get(fixture.task)
    if task is None:
        return ReplayedFixture(fixture, benchmark.name, (f"there is no task {fixture.task!r}",))
    judged = await play_scripted(stage, task, fixture)
    observed = fixture.texts(judged.record.steps)
    differences = [*_unlike_results(fixture, observed), *_unlike_verdict(fixture, judged)]
    return ReplayedFixture(fixture, benchmark.name, tuple(differences))


async def play_scripted(stage: Stage, task: OfficialTask, fixture: Fixture) -> OfficialEpisode:
    """Play the script of a fixture and judge it."""
    benchmark = stage.benchmark
    return await stage.play(
        task,
        lambda _briefing, _scenario: Script(fixture.turns, fixture.words, fixture.spoken),
        lambda task, world: benchmark.scripted_user(task, world, fixture),
        EpisodeLimits(fixture.moves or benchmark.max_steps, _SECONDS),
    )


def _unlike_results(fixture: Fixture, observed: Sequence[str]) -> Iterator[str]:
    digests = [sha256(text.encode()).hexdigest()[:16] for text in observed]
    if not fixture.observations:
        return
    if len(digests) != len(fixture.observations):
        yield f"{len(digests)} results, not {len(fixture.observations)}"
    pairs = zip(digests, fixture.observations, strict=False)
    wrong = next((number for number, (now, then) in enumerate(pairs, 1) if now != then), None)
    if wrong is not None:
        yield f"result {wrong} is another one: {observed[wrong - 1][:200]!r}"


def _unlike_verdict(fixture: Fixture, judged: OfficialEpisode) -> Iterator[str]:
    if judged.verdict.masked:
        yield f"no verdict: {judged.verdict.reason}"
        return
    for name, then in fixture.expected.items():
        now = judged.official.get(name)
        if now != then:
            yield f"{name} is {now!r}, not {then!r}"


def reference_fixture(task: OfficialTask) -> Fixture:
    """The authors' solution as a script."""
    return Fixture(task.id, "reference", task.reference, task.closing, expected={"valid": True})


def reference_agent(stage: Stage) -> MakeAgent:
    """The agent that plays the authors' solution of each task."""

    def made(_briefing: Briefing, scenario: Scenario) -> Script:
        task = stage.tasks[scenario.id]
        return Script(task.reference, task.closing or [DONE] * len(task.reference))

    return made


def by_benchmark(fixtures: Sequence[tuple[Benchmark, Fixture]]) -> Iterator[tuple[Benchmark, list[Fixture]]]:
    """The fixtures of each benchmark together."""
    for _, group in groupby(sorted(fixtures, key=lambda pair: pair[0].name), key=lambda pair: pair[0].name):
        pairs = list(group)
        yield pairs[0][0], [fixture for _, fixture in pairs]
