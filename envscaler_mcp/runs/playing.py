"""One episode of a run: a world is opened, agent and user are made, it is played, and its ending judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio.to_thread

from envscaler_mcp.artifacts import Environment, Scenario, Verdict, digest_of
from envscaler_mcp.artifacts.episode import Owner, Scoring
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.episode.agent import Briefing, MakeAgent, RunAbortedError
from envscaler_mcp.episode.loop import EpisodeLimits, EpisodeRecord, owner_of_loss, play
from envscaler_mcp.episode.progress import ChecksOfGoals, GoalProgress, checks_of_goals
from envscaler_mcp.episode.user import MakeUser, User
from envscaler_mcp.errors import EnvScalerError, WorldError
from envscaler_mcp.grading.verdicts import final_verdict, ungraded_as_published, unplayable
from envscaler_mcp.launch.channels import Host
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.sandbox.policy import RefusedError
from envscaler_mcp.sandbox.worker_errors import WorkerEndedError
from envscaler_mcp.scenarios.phrases import heading
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.server_info import instructions, introduction_text, rules_text

T = TypeVar("T")

_OF_THE_WORLD = (WorldError, WorkerEndedError, RefusedError)


@dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """What was played, and what it was worth."""

    played: EpisodeRecord
    verdict: Verdict
    final_hash: str = ""


def introduction_of(environment: Environment) -> str:
    """What an agent is told of a world first: what it is, and its rules."""
    if environment.origin == "published":
        return instructions(environment)
    return f"{introduction_text(environment)}\n{rules_text(environment)}"


def introduction_at(environment: Environment, initial: Mapping[str, Any], task: str) -> str:
    """The same with the day and the hour of its world, unless the task says the day, or it is told as published."""
    now, introduction = initial.get("now"), introduction_of(environment)
    if environment.origin == "published" or not isinstance(now, str) or not is_minute(now) or heading(now) in task:
        return introduction
    return f"{introduction}\nIt is {heading(now)}, {now[11:]}.\n"


def spoilt(played: EpisodeRecord, cause: EnvScalerError, scoring: Scoring) -> Verdict:
    """The verdict where there is no ending to judge, and whether others can be played."""
    if isinstance(cause, RunAbortedError):
        played.stopped = cause
    owner: Owner = "environment" if isinstance(cause, _OF_THE_WORLD) else "infrastructure"
    return unplayable(played.world_lost or owner, str(cause), scoring)


def without_ending(played: EpisodeRecord, scoring: Scoring) -> Verdict | None:
    """The verdict where nothing is left to be judged: the machine failed, or a call of the agent has used its world up."""
    if played.owner == "infrastructure":
        return unplayable("infrastructure", played.reason, scoring)
    return unplayable("agent", played.reason, scoring) if played.world_lost == "agent" else None


async def ending_of(played: EpisodeRecord, state: Callable[[], Awaitable[T]]) -> T:
    """The state at the end; where it cannot be read, `played` says through whom."""
    try:
        return await state()
    except (WorldError, WorkerEndedError) as cause:
        if played.world_lost is None:
            played.world_lost, played.reason = owner_of_loss(cause), str(cause)
        played.owner = played.world_lost
        raise


class EpisodeRunner:
    """Where episodes of one run are played, at whatever host they are given."""

    def __init__(self, farm: WorldHome, plan: RunPlan, make_agent: MakeAgent, make_user: MakeUser) -> None:
        self._farm = farm
        self._plan = plan
        self._make_agent = make_agent
        self._make_user = make_user
        self._limits = EpisodeLimits(plan.max_steps, plan.max_seconds, plan.max_tokens)
        self._checks_of_goals: dict[str, ChecksOfGoals] = {}

    async def play(self, host: Host, episode: PlannedEpisode, scenario: Scenario) -> JudgedEpisode:
        """Play and judge one episode; whatever goes wrong is told in the verdict."""
        played = EpisodeRecord()
        try:
            way = await host.open(scenario)
            initial = await way.initial()
            user = await self._user(scenario, host.code, initial, episode.seed)
            briefing = self._briefing(host.code, scenario, initial, episode.seed)
            played = await play(
                self._make_agent, scenario, way, host.code, briefing, self._limits, user, published=host.code.published
            )
            verdict = without_ending(played, self._plan.scoring)
            if verdict is not None:
                return JudgedEpisode(played, verdict)
            final = await ending_of(played, way.state)
            judged = await anyio.to_thread.run_sync(self._farm.judge, scenario, initial, final, self._plan.scoring)
        except EnvScalerError as cause:
            return JudgedEpisode(played, spoilt(played, cause, self._plan.scoring))
        verdict = final_verdict(judged, played.owner, played.reason, ungraded_as_published(played.ended, played.steps))
        return JudgedEpisode(played, verdict, digest_of(final))

    def _briefing(self, code: EnvironmentCode, scenario: Scenario, initial: Mapping[str, Any], seed: int) -> Briefing:
        environment = code.environment
        said = scenario.task if self._plan.mode == "task" else ""
        return Briefing(
            environment=environment.id,
            introduction=introduction_at(environment, initial, said),
            tools=environment.tools,
            task=scenario.task,
            seed=seed,
            mode=self._plan.mode,
        )

    async def _user(
        self, scenario: Scenario, code: EnvironmentCode, initial: Mapping[str, Any], seed: int
    ) -> User | None:
        if self._plan.mode == "task":
            return None

        def answers(state: Mapping[str, Any]) -> Sequence[bool]:
            return self._farm.judge(scenario, initial, state).checks

        # The same scenario always begins in the same way.
        owned = self._checks_of_goals.get(scenario.id)
        if owned is None:
            owned = await anyio.to_thread.run_sync(checks_of_goals, scenario, code, initial, answers)
            self._checks_of_goals[scenario.id] = owned
        return self._make_user(scenario, GoalProgress(owned, answers), seed)
