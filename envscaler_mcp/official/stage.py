"""One episode of an official task: its world is opened, it is played through the protocol, and its authors' code judges it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import anyio.to_thread

from envscaler_mcp.artifacts import Scenario, Step, Tool, Verdict, digest_of
from envscaler_mcp.artifacts.episode import Owner
from envscaler_mcp.episode.agent import Briefing, MakeAgent, RunAbortedError
from envscaler_mcp.episode.live import EpisodeLimits, EpisodeRecord, Watch, owner_of_loss
from envscaler_mcp.episode.loop import play
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.user import User
from envscaler_mcp.errors import EnvScalerError, UnreadableStateError, WorkerEndedError
from envscaler_mcp.grading.verdicts import unplayable
from envscaler_mcp.official.at_farm import FarmAccess, worlds_at_farm
from envscaler_mcp.official.benchmark import Benchmark, OfficialTask
from envscaler_mcp.official.host import OfficialHost, OfficialProcess
from envscaler_mcp.official.over_stdio import Opening, worlds_over_stdio
from envscaler_mcp.official.source import Source, find
from envscaler_mcp.official.world import OfficialWorld, open_official_world
from envscaler_mcp.official.writing_agent import CallWriter, official_writing
from envscaler_mcp.runs.playing import JudgedEpisode
from envscaler_mcp.serving.control.schemas import Judgement

OFFICIAL: Final = "official"
"""The scoring of a run whose judge is the code of a benchmark's authors."""
Way = Literal["worker", "stdio", "http"]
"""How an episode reaches its world."""
MakeOfficialUser = Callable[[OfficialTask, OfficialWorld], User]


@dataclass(frozen=True, slots=True)
class OfficialEpisode(JudgedEpisode):
    """What was played, and what it was worth."""

    official: Mapping[str, Any] = field(default_factory=dict)
    """The answer of the official judge; nothing where it was not asked."""


@dataclass(frozen=True)
class Stage:
    """A benchmark whose files are here, and the host of its code."""

    benchmark: Benchmark
    source: Source
    host: OfficialHost
    opening: Opening | None = None
    """How worlds are opened that are not in this process."""
    farm: FarmAccess | None = None
    """Where they are opened that are reached over HTTP."""

    @classmethod
    @contextmanager
    def of(cls, benchmark: Benchmark, given: Path | None = None, *, portable: bool = False) -> Iterator[Stage]:
        """The stage for the block; `given` is where its files lie, if the user says so.

        `portable`: whether its code may run where the kernel cannot confine it, for those who look at that themselves.
        """
        source = find(benchmark.requirement, given)
        with OfficialHost.of(benchmark.hosted(source), portable=portable) as host:
            yield cls(benchmark, source, host)

    @cached_property
    def tasks(self) -> Mapping[str, OfficialTask]:
        """By id, in the official order."""
        return {task.id: task for task in self.benchmark.tasks(self.source)}

    async def play(
        self,
        task: OfficialTask,
        make_agent: MakeAgent,
        make_user: MakeOfficialUser,
        limits: EpisodeLimits,
        seed: int = 0,
        watch: Watch = lambda _: None,
        written_by: CallWriter | None = None,
    ) -> OfficialEpisode:
        """Play and judge one episode; whatever goes wrong is in the verdict.

        With `written_by` that model is the agent, asked as the authors ask models that write their calls.
        """
        record = EpisodeRecord()
        tools: tuple[Tool, ...] = ()
        try:
            async with self.world(task) as world, AsyncExitStack() as stack:
                user = make_user(task, world)
                if written_by is not None:
                    writing = await stack.enter_async_context(official_writing(self.host, task, written_by.calls))
                    make_agent, user = writing.agent(written_by.player), writing.user(user)
                record = await play(
                    make_agent,
                    official_scenario(self.benchmark, self.source, task),
                    world,
                    self.briefing(task, world, seed),
                    limits,
                    user,
                    watch,
                    rules=self.benchmark.rules(task),
                )
                tools = tuple(Tool(**_plain(tool.tool)) for tool in world.tools.values())
                return await self.judge(task, record, world, tools)
        except EnvScalerError as cause:
            if isinstance(cause, RunAbortedError):
                record.stopped = cause
            lost = isinstance(cause, WorkerEndedError | UnreadableStateError)
            owner: Owner = "environment" if lost else "infrastructure"
            return OfficialEpisode(record, unplayable(owner, str(cause), OFFICIAL), tools=tools)

    def world(self, task: OfficialTask) -> AbstractAsyncContextManager[OfficialWorld]:
        """The task's world, for the block."""
        if self.opening is not None:
            return self.opening(task)
        return open_official_world(self.host, self.benchmark.name, task.content)

    @asynccontextmanager
    async def reached(self, via: Way) -> AsyncIterator[Stage]:
        """The stage with worlds that are reached so, for one player and the block."""
        if via == "worker":
            yield self
            return
        if via == "http":
            assert self.farm is not None
            opened = worlds_at_farm(self.farm, self.benchmark.name, self.source.digest)
        else:
            opened = worlds_over_stdio(self.benchmark.name, self.source)
        async with opened as opening:
            yield replace(self, opening=opening)

    def briefing(self, task: OfficialTask, world: OfficialWorld, seed: int = 0) -> Briefing:
        """What an agent is told before its first move, but for the words of the user."""
        return Briefing(
            environment=environment_of(self.benchmark, task),
            introduction=task.system,
            tools=tuple(tool.tool for tool in world.tools.values()),
            task="",
            seed=seed,
            mode="conversation",
            verbatim=task.system,
        )

    async def judge(
        self, task: OfficialTask, record: EpisodeRecord, world: OfficialWorld, tools: tuple[Tool, ...] = ()
    ) -> OfficialEpisode:
        """The verdict on what was played in a world; it may go on.

        A judge that an agent's calls end, as they did not end the world, has judged them.
        """
        try:
            return await self._judged(task, record, world, tools)
        except (WorkerEndedError, UnreadableStateError) as cause:
            return OfficialEpisode(record, unplayable(owner_of_loss(cause), str(cause), OFFICIAL), tools=tools)

    async def _judged(
        self, task: OfficialTask, record: EpisodeRecord, world: OfficialWorld, tools: tuple[Tool, ...]
    ) -> OfficialEpisode:
        lost = record.without_ending(OFFICIAL)
        if lost is not None:
            return OfficialEpisode(record, lost, tools=tools)
        judged = None if record.world_lost is not None else await world.judged(record.steps)
        if judged is None:
            digest = await world.digest() if record.world_lost is None else ""
            judged = await anyio.to_thread.run_sync(self.judgement, task, record.steps, digest)
        final = f"sha256:{judged.digest}" if judged.digest else ""
        return OfficialEpisode(record, record.verdict(judged.verdict), final, tools, judged.answer)

    def judgement(self, task: OfficialTask, steps: Sequence[Step], digest: str) -> Judgement:
        """What the official code says of recorded steps that have ended in this state; a fresh copy of it is asked."""
        with self.host.fork() as judge:
            return self.judgement_by(judge, task, steps, digest)

    def judgement_by(self, judge: OfficialProcess, task: OfficialTask, steps: Sequence[Step], digest: str) -> Judgement:
        """The same, by a copy that was not asked anything before."""
        calls = sum(map(is_call, steps))
        answer = judge.judge({**task.content, **task.answers}, self.benchmark.record(task, steps), calls)
        verdict = _verdict(answer, digest, self.benchmark.requirement.version)
        return Judgement(verdict=verdict, digest=digest, answer=answer)


def _verdict(answer: Mapping[str, Any], digest: str, version: str) -> Verdict:
    """The verdict that an answer is. Where the judge's own replay ends otherwise than the world did, none counts."""
    valid = answer["valid"] is True
    reward = float(answer.get("reward", 1.0 if valid else 0.0))
    reason = ": ".join(part for part in (answer.get("error_type"), answer.get("reason")) if part)
    verdict = Verdict(
        scoring=OFFICIAL,
        checks=(valid,),
        reward=reward,
        solved=valid,
        owner=None if valid else "agent",
        reason="" if valid else reason[:2000],
        grading=version,
        figures=answer.get("figures", {}),
    )
    judged = answer.get("digest")
    if judged and digest and judged != digest:
        differs = "the state of the world is not the one that the judge's replay of the calls ends in"
        return verdict.model_copy(update={"solved": False, "owner": "checker", "masked": True, "reason": differs})
    return verdict


def environment_of(benchmark: Benchmark, task: OfficialTask) -> str:
    """Under which name the episodes of a category stand in a run."""
    return f"{benchmark.name}-{task.category}" if task.category else benchmark.name


def official_scenario(benchmark: Benchmark, source: Source, task: OfficialTask) -> Scenario:
    """The task as players are told of it; no check of this package judges it."""
    return Scenario(
        id=task.id,
        environment=environment_of(benchmark, task),
        code_digest=source.digest,
        state=OFFICIAL,
        state_digest=digest_of(dict(task.content)),
        seed=0,
        level="medium",
        task="",
        checks=(),
        frame=None,
        oracle=tuple(call for turn in task.reference for step in turn for call in step),
        split="held_out",
    )


def _plain(tool: Tool) -> dict[str, Any]:
    return {name: getattr(tool, name) for name in Tool.model_fields}
