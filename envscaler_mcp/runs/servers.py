"""The servers of an episode, and what is to be done on them: worlds of a home, each at its scenario, and servers of others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from envscaler_mcp.artifacts import Call, Conversation, Environment, Goal, Scenario, digest_of
from envscaler_mcp.artifacts.run import Mode, PlannedEpisode, PlannedServer
from envscaler_mcp.episode.agents import is_given_solution
from envscaler_mcp.errors import LaunchError, RunError
from envscaler_mcp.launch.channels import Host, LocalChannel
from envscaler_mcp.launch.combined import CombinedServers, Member
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.scenarios.introduction import introduction_at
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.serving.code import callable_tools

if TYPE_CHECKING:
    from envscaler_mcp.disturbances import Disturbable, Disturbances
    from envscaler_mcp.launch.external import Target


@dataclass(frozen=True, slots=True)
class EpisodeServer(Member):
    """One of them, opened."""

    code: EnvironmentCode | None = None
    """Nothing where it is a server of another program."""
    scenario: Scenario | None = None
    """What judges its world."""
    initial: Mapping[str, Any] = field(default_factory=dict)
    asked: Scenario | None = None
    """The same with the request as its agent reads it, where that is disturbed."""
    speak: Callable[[Call], Call] | None = None
    """A canonical call as its agent says it, where that is in a dialect or disturbed."""


OpenServers = Callable[[PlannedEpisode], Awaitable[tuple[EpisodeServer, ...]]]
"""Opens the servers of an episode; those of the episode before it have ended."""
Hosting = Callable[[Path, EnvironmentCode], AbstractAsyncContextManager[Host]]
"""A host of a folder's worlds, for the block."""


def host_of(
    home: WorldHome, mode: Mode, engine: Hosting, external: Mapping[str, Target], episode: PlannedEpisode
) -> AbstractAsyncContextManager[OpenServers]:
    """What opens the servers of this episode, and of others like it, for the block."""
    if episode.servers:
        return several_servers(home, mode, external)
    return one_world(home, episode.environment, mode, engine)


@asynccontextmanager
async def one_world(home: WorldHome, environment: str, mode: Mode, engine: Hosting) -> AsyncIterator[OpenServers]:
    """Opens one world of an environment after the other, at a host that is kept for the block."""
    code = home.code(environment)
    scenarios = {scenario.id: scenario for scenario in home.scenarios(environment)}

    async with engine(home.servers / environment, code) as host:

        async def open_episode(episode: PlannedEpisode) -> tuple[EpisodeServer, ...]:
            scenario = scenarios[episode.scenario]
            opened = await host.open(scenario)
            initial = await opened.initial()
            said = scenario.task if mode == "task" else ""
            interface = _interface(code.environment, episode)
            if interface is None:
                introduction = introduction_at(code.environment, initial, said)
                return (EpisodeServer(environment, introduction, code.tools, opened, True, code, scenario, initial),)
            introduction = introduction_at(interface.card, initial, said)
            tools, channel = callable_tools(interface.card), _spoken(opened, interface)
            server = EpisodeServer(environment, introduction, tools, channel, True, code, scenario, initial)
            return (replace(server, asked=_as_asked(scenario, episode), speak=interface.encode),)

        yield open_episode


def _interface(environment: Environment, episode: PlannedEpisode) -> Disturbable | None:
    """What the episode is played in, where that is not the world's own interface as it is."""
    interface: Disturbable | None = None
    # Most episodes have neither.
    if episode.dialect:
        from envscaler_mcp.dialects import Dialect, DialectName

        interface = Dialect(environment, DialectName.read(episode.dialect))
    if episode.disturbances:
        from envscaler_mcp.disturbances import Disturbed, NativeInterface

        interface = Disturbed(interface or NativeInterface(environment), _drawn(episode))
    return interface


def _drawn(episode: PlannedEpisode) -> Disturbances:
    from envscaler_mcp.disturbances import Disturbances

    return Disturbances(episode.disturbances, episode.scenario, episode.seed)


def _as_asked(scenario: Scenario, episode: PlannedEpisode) -> Scenario:
    if not episode.disturbances:
        return scenario
    from envscaler_mcp.disturbances import asked_otherwise

    return asked_otherwise(scenario, _drawn(episode))


def _spoken(channel: object, interface: Disturbable) -> LocalChannel:
    if not isinstance(channel, LocalChannel):
        raise LaunchError(
            "Worlds that are reached direct or in a worker have dialects and disturbances, not those behind a server."
        )
    return LocalChannel(channel.session.spoken(interface))


@asynccontextmanager
async def several_servers(home: WorldHome, mode: Mode, external: Mapping[str, Target]) -> AsyncIterator[OpenServers]:
    """Opens the servers of one episode after the other, for the block."""
    async with AsyncExitStack() as stack:

        async def opened(episode: PlannedEpisode) -> tuple[EpisodeServer, ...]:
            # Here and not in a task of its own: who opened a client must close it.
            await stack.aclose()
            return tuple([await _opened(home, server, mode, external, stack) for server in episode.servers])

        yield opened


async def _opened(
    home: WorldHome, server: PlannedServer, mode: Mode, external: Mapping[str, Target], stack: AsyncExitStack
) -> EpisodeServer:
    if server.environment is None:
        from envscaler_mcp.launch.external import foreign_server

        if server.name not in external:
            raise RunError(f"The server {server.name!r} is not of this home; give its command or URL again.")
        foreign = await stack.enter_async_context(foreign_server(server.name, external[server.name]))
        return EpisodeServer(server.name, foreign.introduction, foreign.tools, foreign)
    code = home.code(server.environment)
    at = partial(home.open, server.environment, scenario=server.scenario or None)
    session = await anyio.to_thread.run_sync(at)
    stack.callback(session.close)
    scenario = session.scenario
    said = scenario.task if scenario is not None and mode == "task" else ""
    introduction = introduction_at(code.environment, session.initial, said)
    channel = LocalChannel(session)
    return EpisodeServer(server.name, introduction, code.tools, channel, True, code, scenario, session.initial)


def scenario_of(
    episode: PlannedEpisode, servers: Sequence[EpisodeServer], combined: CombinedServers, agent: str
) -> Scenario:
    """What is to be done in the episode: the scenario of its one world, or the scenarios of all and its own task.

    An agent that is given the solution gets it as it says it; WorldError where it cannot be said: it may be a stranger's.
    """
    scenarios = [server.scenario for server in servers if server.scenario is not None]
    if not episode.servers:
        asked, speak = servers[0].asked or scenarios[0], servers[0].speak
        if speak is None or not is_given_solution(agent):
            return asked
        return asked.model_copy(update={"oracle": tuple(map(speak, asked.oracle))})
    calls: list[Call] = []
    threads: list[tuple[int, ...]] = []
    for server in servers:
        if server.scenario is not None:
            threads += [tuple(len(calls) + number for number in thread) for thread in _threads_of(server.scenario)]
            calls += [
                call.model_copy(update={"tool": combined.name_of(server.name, call.tool)})
                for call in server.scenario.oracle
            ]
    return Scenario(
        id=episode.scenario,
        environment=episode.environment,
        code_digest=episode.code_digest,
        state="+".join(scenario.state for scenario in scenarios) or "none",
        state_digest=digest_of([scenario.state_digest for scenario in scenarios]),
        seed=episode.seed,
        level=episode.level or "easy",
        task="\n\n".join([*([episode.task] if episode.task else []), *(scenario.task for scenario in scenarios)]),
        checks=tuple(check for scenario in scenarios for check in scenario.checks),
        frame=None,
        oracle=tuple(calls),
        threads=tuple(threads),
        conversation=_conversation(episode.task, scenarios),
        split=episode.split or "train",
    )


def _threads_of(scenario: Scenario) -> tuple[tuple[int, ...], ...]:
    """The oracle's calls by goal."""
    return scenario.threads or (tuple(range(len(scenario.oracle))),)


def _conversation(task: str, scenarios: Sequence[Scenario]) -> Conversation | None:
    """What a user knows who wants all of it, one goal after the other; a task without a conversation is one goal."""
    if not any(scenario.conversation for scenario in scenarios):
        return None
    parts = [
        *([_one_goal(task)] if task else []),
        *(scenario.conversation or _one_goal(scenario.task) for scenario in scenarios),
    ]
    return Conversation(first=parts[0].first, goals=tuple(goal for part in parts for goal in part.goals))


def _one_goal(task: str) -> Conversation:
    return Conversation(first=task, goals=(Goal(story="", ask=task, request=task),))
