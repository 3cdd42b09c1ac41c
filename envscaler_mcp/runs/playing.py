"""One episode of a run: its servers are opened, agent and user are made, it is played, and its ending judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio.to_thread

from envscaler_mcp.artifacts import Scenario, Tool, Verdict, digest_of
from envscaler_mcp.artifacts.episode import Owner, Scoring
from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.episode.agent import Briefing, MakeAgent, RunAbortedError
from envscaler_mcp.episode.live import EpisodeLimits, EpisodeRecord, Watch, owner_of_loss
from envscaler_mcp.episode.loop import play
from envscaler_mcp.episode.progress import ChecksOfGoals, GoalProgress, checks_of_goals
from envscaler_mcp.episode.user import MakeUser, User
from envscaler_mcp.errors import EnvScalerError, WorkerEndedError, WorldError
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.grading.verdicts import on_all, own_rule, unplayable
from envscaler_mcp.launch.combined import CombinedServers
from envscaler_mcp.runs.servers import EpisodeServer, OpenServers, scenario_of
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.sandbox.policy import RefusedError

UNJUDGED = "it was not judged: none of its worlds was opened at a scenario"

_OF_THE_WORLD = (WorldError, WorkerEndedError, RefusedError)


@dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """What was played, and what it was worth."""

    record: EpisodeRecord
    verdict: Verdict
    final_hash: str = ""
    tools: tuple[Tool, ...] = ()
    """What the agent could call, where several servers or one of another program had it."""


class EpisodeRunner:
    """Plays and judges the episodes of one run, on whatever servers they are given."""

    def __init__(
        self,
        home: WorldHome,
        plan: RunPlan,
        make_agent: MakeAgent,
        make_user: MakeUser,
        watch: Watch = lambda _: None,
    ) -> None:
        self._home = home
        self._plan = plan
        self._make_agent = make_agent
        self._make_user = make_user
        self._watch = watch
        self._limits = EpisodeLimits(plan.max_steps, plan.max_seconds, plan.max_tokens)
        self._checks_of_goals: dict[str, ChecksOfGoals] = {}

    async def play(self, open_servers: OpenServers, episode: PlannedEpisode) -> JudgedEpisode:
        """Play and judge one episode; whatever goes wrong is in the verdict."""
        record, scoring = EpisodeRecord(), self._plan.scoring
        tools: tuple[Tool, ...] = ()
        try:
            servers = await open_servers(episode)
            combined = CombinedServers(servers)
            tools = combined.offered if episode.servers or episode.dialect or episode.disturbances else ()
            scenario = scenario_of(episode, servers, combined, self._plan.agent)
            user = await self._user(scenario, servers, episode)
            record = await play(
                self._make_agent,
                scenario,
                combined,
                Briefing(
                    environment=episode.environment,
                    introduction=combined.introduction,
                    tools=combined.offered,
                    task=scenario.task,
                    seed=episode.seed,
                    mode=self._plan.mode,
                ),
                self._limits,
                user,
                self._watch,
                published=is_published(servers),
            )
            lost = record.without_ending(scoring)
            if lost is not None:
                return JudgedEpisode(record, lost, tools=tools)
            final = await _ending(record, combined)
            verdict = await anyio.to_thread.run_sync(self._verdict, servers, final, record)
            return JudgedEpisode(record, verdict, ending_digest(episode, final), tools)
        except EnvScalerError as cause:
            if isinstance(cause, RunAbortedError):
                record.stopped = cause
            owner: Owner = record.world_lost or (
                "environment" if isinstance(cause, _OF_THE_WORLD) else "infrastructure"
            )
            return JudgedEpisode(record, unplayable(owner, str(cause), scoring), tools=tools)

    def _verdict(self, servers: Sequence[EpisodeServer], final: Mapping[str, Any], record: EpisodeRecord) -> Verdict:
        judged = judge_worlds(self._home, servers, final, own_rule(self._plan.scoring))
        if judged is None:
            reason = f"{record.reason}; {UNJUDGED}" if record.reason else UNJUDGED
            return Verdict(scoring=self._plan.scoring, owner=record.owner, masked=True, reason=reason, grading=GRADING)
        return record.verdict(judged)

    async def _user(self, scenario: Scenario, servers: Sequence[EpisodeServer], episode: PlannedEpisode) -> User | None:
        if self._plan.mode == "task":
            return None
        progress = await anyio.to_thread.run_sync(self._progress, servers, episode.task)
        return self._make_user(scenario, progress, episode.seed)

    def _progress(self, servers: Sequence[EpisodeServer], task: str) -> GoalProgress:
        """Which goals are done, known from the states of all worlds; checks are counted through."""
        judged = [(server, server.scenario) for server in servers if server.scenario is not None]
        # No check belongs to a task that no scenario has.
        goals: list[frozenset[int]] = [frozenset()] if task else []
        begin = 0
        for server, scenario in judged:
            checks = self._goals_of(server, scenario)
            if scenario.conversation is None:
                checks = (frozenset[int]().union(*checks),)
            goals += [frozenset(begin + number for number in numbers) for numbers in checks]
            begin += len(scenario.checks)
        if not any(scenario.conversation for _, scenario in judged):
            goals = [frozenset[int]().union(*goals)]

        def answers(state: Mapping[str, Any]) -> Sequence[bool]:
            return [
                answer
                for server, scenario in judged
                for answer in _judge(self._home, server, scenario, state[server.name]).checks
            ]

        return GoalProgress(tuple(goals), answers)

    def _goals_of(self, server: EpisodeServer, scenario: Scenario) -> ChecksOfGoals:
        # The same scenario always begins in the same way.
        checks = self._checks_of_goals.get(scenario.digest)
        if checks is None:
            assert server.code is not None
            judge = partial(_judge, self._home, server, scenario)
            checks = checks_of_goals(scenario, server.code, server.initial, lambda state: judge(state).checks)
            self._checks_of_goals[scenario.digest] = checks
        return checks


def judge_worlds(
    home: WorldHome, servers: Sequence[EpisodeServer], final: Mapping[str, Any], scoring: Scoring
) -> Verdict | None:
    """What the endings of all worlds are worth together; nothing where none was opened at a scenario."""
    judged = {
        server.name: _judge(home, server, server.scenario, final[server.name], scoring)
        for server in servers
        if server.scenario is not None
    }
    return on_all(judged) if judged else None


def _judge(
    home: WorldHome,
    server: EpisodeServer,
    scenario: Scenario,
    state: Mapping[str, Any],
    scoring: Scoring = "framed",
) -> Verdict:
    published = server.code is not None and server.code.published
    return home.judge(scenario, server.initial, state, scoring, published)


def is_published(servers: Sequence[EpisodeServer]) -> bool:
    """Whether the only world is a published one, whose rules hold then."""
    return len(servers) == 1 and servers[0].code is not None and servers[0].code.published


def ending_digest(episode: PlannedEpisode, final: Mapping[str, Any]) -> str:
    """The digest of the state of its one world, or of the states of all its servers by name."""
    return digest_of(final if episode.servers else final[episode.environment])


async def _ending(record: EpisodeRecord, servers: CombinedServers) -> Mapping[str, Any]:
    """The states at the end; where they cannot be read, the record says through whom."""
    try:
        return await servers.state()
    except (WorldError, WorkerEndedError) as cause:
        if record.world_lost is None:
            record.world_lost, record.reason = owner_of_loss(cause), str(cause)
        record.owner = record.world_lost
        raise
