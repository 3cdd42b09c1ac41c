"""One episode over any servers: worlds of this home, which are judged, and servers of others, which nobody judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Provenance, Scenario, Tool, Trajectory, Verdict, digest_of
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.episode.agent import Briefing, MakeAgent, Mode
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.loop import EpisodeLimits, EpisodeRecord, Watch, play
from envscaler_mcp.episode.progress import GoalProgress, checks_of_goals
from envscaler_mcp.episode.user import MakeUser
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.grading.verdicts import final_verdict, on_all, ungraded_as_published
from envscaler_mcp.launch.channels import LocalChannel
from envscaler_mcp.launch.combined import Member, Several
from envscaler_mcp.launch.external import Target, foreign_server
from envscaler_mcp.runs.joined_tasks import joined
from envscaler_mcp.runs.playing import ending_of, introduction_at, spoilt, without_ending
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.serving import EnvironmentCode

UNJUDGED = "nobody judged it: none of its worlds was opened at a scenario"


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A world of this home."""

    name: str
    environment: str
    scenario: Scenario | None = None
    """Where it begins, and what judges it; else it begins at its first state."""


@dataclass(frozen=True, slots=True)
class ExternalServer:
    """Any other server."""

    name: str
    target: Target


@dataclass(frozen=True, slots=True)
class JointPlan:
    """What is played, by whom, and how long."""

    servers: tuple[LocalServer | ExternalServer, ...]
    task: str
    """What is to be done besides what the scenarios ask for."""
    agent: str
    limits: EpisodeLimits
    mode: Mode = "task"
    user: str = ""
    seed: int = 0
    scoring: Scoring = "framed"
    answer_tokens: int | None = None
    """What a model may write at once."""
    temperature: float | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Digests of the wordings that models are asked with."""


@dataclass(frozen=True, slots=True)
class JointlyPlayed:
    """What was played."""

    trajectory: Trajectory
    scenario: Scenario
    """All that was to be done, as one."""
    tools: tuple[Tool, ...]


async def play_jointly(
    farm: WorldHome,
    plan: JointPlan,
    make_agent: MakeAgent,
    make_user: MakeUser | None = None,
    watch: Watch = lambda _: None,
) -> JointlyPlayed:
    """Open all servers, and play one episode over them.

    `LaunchError` where a server cannot be opened at all; whatever goes wrong later is told in the verdict.
    """
    async with AsyncExitStack() as stack:
        judged: list[_World] = []
        several = Several([await _opened(farm, plan, one, stack, judged) for one in plan.servers])
        scenario = joined(plan.task, [(one.name, one.asks) for one in judged], several, plan.seed)
        game = _Joint(farm, plan, several, judged)
        played, verdict, final = await game.play(make_agent, make_user, watch, scenario)
    return JointlyPlayed(game.trajectory(scenario, played, verdict, final), scenario, several.offered)


@dataclass(frozen=True, slots=True)
class _World:
    """One that was opened at a scenario."""

    name: str
    code: EnvironmentCode
    asks: Scenario
    initial: Mapping[str, Any]


async def _opened(
    farm: WorldHome, plan: JointPlan, server: LocalServer | ExternalServer, stack: AsyncExitStack, judged: list[_World]
) -> Member:
    if isinstance(server, ExternalServer):
        theirs = await stack.enter_async_context(foreign_server(server.name, server.target))
        return Member(server.name, theirs.introduction, theirs.tools, theirs)
    code = farm.code(server.environment)
    named = None if server.scenario is None else server.scenario.id
    session = await anyio.to_thread.run_sync(partial(farm.open, server.environment, scenario=named))
    stack.callback(session.close)
    if server.scenario is not None:
        judged.append(_World(server.name, code, server.scenario, session.initial))
    said = server.scenario.task if server.scenario is not None and plan.mode == "task" else ""
    introduction = introduction_at(code.environment, session.initial, said)
    return Member(server.name, introduction, code.tools, LocalChannel(session))


class _Joint:
    def __init__(self, farm: WorldHome, plan: JointPlan, several: Several, judged: Sequence[_World]) -> None:
        self._farm = farm
        self._plan = plan
        self._several = several
        self._judged = judged

    async def play(
        self, make_agent: MakeAgent, make_user: MakeUser | None, watch: Watch, scenario: Scenario
    ) -> tuple[EpisodeRecord, Verdict, Mapping[str, Any] | None]:
        plan, played = self._plan, EpisodeRecord()
        try:
            user = None
            if make_user is not None:
                user = make_user(scenario, await anyio.to_thread.run_sync(self._progress), plan.seed)
            briefing = Briefing(
                environment=scenario.environment,
                introduction=self._several.introduction,
                tools=self._several.offered,
                task=scenario.task,
                seed=plan.seed,
                mode=plan.mode,
            )
            played = await play(
                make_agent,
                scenario,
                self._several,
                self._several,
                briefing,
                plan.limits,
                user,
                watch,
                published=self._published,
            )
            verdict = without_ending(played, plan.scoring)
            if verdict is not None:
                return played, verdict, None
            final = await ending_of(played, self._several.state)
            return played, await anyio.to_thread.run_sync(self._verdict, played, final), final
        except EnvScalerError as cause:
            return played, spoilt(played, cause, plan.scoring), None

    @property
    def _published(self) -> bool:
        """Whether the only world is a published one, whose rules hold then."""
        return len(self._several.members) == 1 and any(world.code.published for world in self._judged)

    def _progress(self) -> GoalProgress:
        """Which goals are done, told from the states of all worlds; checks are counted through."""
        # What is told besides is judged by nobody.
        owned: list[frozenset[int]] = [frozenset()] if self._plan.task else []
        begin = 0
        for world in self._judged:
            found = checks_of_goals(world.asks, world.code, world.initial, partial(self._answers, world))
            goals = found if world.asks.conversation else [frozenset[int]().union(*found)]
            owned += [frozenset(begin + number for number in checks) for checks in goals]
            begin += len(world.asks.checks)
        if not any(world.asks.conversation for world in self._judged):
            owned = [frozenset[int]().union(*owned)]

        def answers(state: Mapping[str, Any]) -> Sequence[bool]:
            return [answer for world in self._judged for answer in self._answers(world, state[world.name])]

        return GoalProgress(tuple(owned), answers)

    def _answers(self, world: _World, state: Mapping[str, Any]) -> Sequence[bool]:
        return self._judge(world, state).checks

    def _judge(self, world: _World, state: Mapping[str, Any]) -> Verdict:
        return self._farm.judge(world.asks, world.initial, state, self._plan.scoring)

    def _verdict(self, played: EpisodeRecord, final: Mapping[str, Any]) -> Verdict:
        judged = {world.name: self._judge(world, final[world.name]) for world in self._judged}
        if not judged:
            reason = f"{played.reason}; {UNJUDGED}" if played.reason else UNJUDGED
            return Verdict(scoring=self._plan.scoring, owner=played.owner, masked=True, reason=reason, grading=GRADING)
        ungraded = ungraded_as_published(played.ended, played.steps)
        return final_verdict(on_all(judged), played.owner, played.reason, ungraded)

    def trajectory(
        self, scenario: Scenario, played: EpisodeRecord, verdict: Verdict, final: Mapping[str, Any] | None
    ) -> Trajectory:
        """What is kept of it; its parents are the scenarios by name, and the wordings."""
        plan = self._plan
        single = len(self._several.members) == 1 and final is not None and len(self._judged) == 1
        parents = {f"scenario {one.asks.id}": one.asks.digest for one in self._judged}
        vias = {"direct" if isinstance(one, LocalServer) else _via(one.target) for one in plan.servers}
        return Trajectory(
            provenance=Provenance(
                parents={**parents, **plan.prompts}, model=model_of_agent(plan.agent) or None, seed=plan.seed
            ),
            id=f"{scenario.id}/{plan.agent}/1",
            scenario=scenario.id,
            scenario_digest=scenario.digest,
            environment=scenario.environment,
            code_digest=scenario.code_digest,
            seed=plan.seed,
            agent=plan.agent,
            via="+".join(sorted(vias)),
            mode=plan.mode,
            user=plan.user,
            final_hash="" if final is None else digest_of(next(iter(final.values())) if single else final),
            verdict=verdict,
            **played.kept(),
        )


def _via(target: Target) -> str:
    return "stdio" if isinstance(target, tuple) else "http"
