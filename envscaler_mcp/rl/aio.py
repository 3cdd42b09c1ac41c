"""The same names for `async` programs: what would wait, for a farm, a worker or a check, waits in a thread."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import anyio
import anyio.to_thread

from envscaler_mcp.artifacts import Call, Environment, FreshTask, Scenario, State, Tool, Trajectory, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.scenario import ProofExtent
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.rl import gym as blocking
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.functions import async_functions_of
from envscaler_mcp.rl.gym import AnyTask, Gym, read_tasks
from envscaler_mcp.rl.options import Choices

__all__ = ["AsyncEpisode", "AsyncGym", "connect", "local", "read_tasks"]

AT_ONCE = 64
"""Threads in which one gym waits; more waiting for them costs nothing but time."""

T = TypeVar("T")


class _Threads:
    """Runs what waits in threads, so many at once; who is cancelled waits until that is done."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, act: Callable[..., T], *words: Any, **named: Any) -> T:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(AT_ONCE)
        return await anyio.to_thread.run_sync(partial(act, *words, **named), limiter=self._limiter)


class AsyncGym:
    """A `Gym` for a program with an event loop."""

    def __init__(self, gym: Gym) -> None:
        self.blocking = gym
        self._threads = _Threads()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    @property
    def agent_headers(self) -> Mapping[str, str]:
        """What an MCP client sends to the address of an episode's world."""
        return self.blocking.agent_headers

    async def environments(self) -> tuple[str, ...]:
        """The ids of all environments."""
        return await self._threads.run(self.blocking.environments)

    async def card(self, environment: str) -> Environment:
        """What is known of an environment."""
        return await self._threads.run(self.blocking.card, environment)

    @property
    def closed(self) -> bool:
        """Whether it was closed, and every episode with it."""
        return self.blocking.closed

    async def tasks(
        self,
        environment: str | Iterable[str] | None = None,
        *,
        level: Level | None = None,
        split: Split | None = None,
    ) -> AsyncIterator[Scenario]:
        """Stored tasks, environment by environment."""
        stored = await self._threads.run(self.blocking.tasks, environment, level=level, split=split)
        while (task := await self._threads.run(next, stored, None)) is not None:
            yield task

    async def fresh_tasks(
        self,
        environment: str,
        *,
        level: Level | None = None,
        seed: int = 0,
        split: Split = "train",
        proof: ProofExtent = "whole",
    ) -> AsyncIterator[FreshTask]:
        """Proven tasks that are made when they are asked for."""
        wanted: dict[str, Any] = {"level": level, "seed": seed, "split": split, "proof": proof}
        stream = await self._threads.run(self.blocking.fresh_tasks, environment, **wanted)
        while (task := await self._threads.run(next, stream, None)) is not None:
            yield task

    async def sample(
        self,
        count: int = 1,
        *,
        environment: str | Iterable[str] | None = None,
        level: Level | None = None,
        split: Split | None = None,
        seed: int | None = None,
    ) -> list[Scenario]:
        """`count` tasks by chance: every environment is as likely as another, and then every task of it."""
        wanted: dict[str, Any] = {"environment": environment, "level": level, "split": split, "seed": seed}
        return await self._threads.run(self.blocking.sample, count, **wanted)

    async def find(self, scenario: str, environment: str | None = None) -> Scenario:
        """The stored task of that id."""
        return await self._threads.run(self.blocking.find, scenario, environment)

    async def open(
        self,
        task: AnyTask | None = None,
        *,
        environment: str | None = None,
        level: Level | None = None,
        index: int = 0,
        split: Split | None = None,
        state: State | None = None,
        **options: Unpack[Choices],
    ) -> AsyncEpisode:
        """An episode at a task."""
        where: dict[str, Any] = {
            "environment": environment,
            "level": level,
            "index": index,
            "split": split,
            "state": state,
        }
        episode = await self._threads.run(self.blocking.open, task, **where, **options)
        return AsyncEpisode(episode, self._threads)

    async def open_many(
        self, tasks: AnyTask | Iterable[AnyTask], count: int = 1, **options: Unpack[Choices]
    ) -> list[AsyncEpisode]:
        """`count` episodes of each task; all of them or none."""
        episodes = await self._threads.run(self.blocking.open_many, tasks, count, **options)
        return [AsyncEpisode(episode, self._threads) for episode in episodes]

    async def verify_many(self, episodes: Iterable[AsyncEpisode]) -> list[Verdict]:
        """The verdict on each."""
        return await self._threads.run(self.blocking.verify_many, [episode.blocking for episode in episodes])

    async def close_many(self, episodes: Iterable[AsyncEpisode]) -> None:
        """End the worlds of all of them."""
        await self._threads.run(self.blocking.close_many, [episode.blocking for episode in episodes])

    async def store(self, folder: str | Path, trajectories: Iterable[Trajectory]) -> None:
        """Write recorded episodes into a run folder."""
        await self._threads.run(self.blocking.store, folder, trajectories)

    async def close(self) -> None:
        """End every world that was opened here."""
        await self._threads.run(self.blocking.close)


class AsyncEpisode:
    """An `Episode` for a program with an event loop."""

    def __init__(self, episode: Episode, threads: _Threads) -> None:
        self.blocking = episode
        self._threads = threads

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    @property
    def scenario(self) -> Scenario:
        """The task's document."""
        return self.blocking.scenario

    @property
    def environment(self) -> str:
        """The id of its environment."""
        return self.blocking.environment

    @property
    def introduction(self) -> str:
        """What the system is, and its rules."""
        return self.blocking.introduction

    def solution(self) -> tuple[Call, ...]:
        """The calls that solve the task, as they are said to this world's tools."""
        return self.blocking.solution()

    def functions(self) -> list[Callable[..., Awaitable[str]]]:
        """The tools as typed coroutine functions with docstrings; each returns what `call` returns."""
        return async_functions_of(self.blocking.offered, self.call)

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools with their descriptions and schemas."""
        return self.blocking.offered

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as chat endpoints take them."""
        return self.blocking.tools

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far."""
        return self.blocking.messages

    @property
    def done(self) -> bool:
        """Whether it is over, for any reason."""
        return self.blocking.done

    @property
    def truncated(self) -> bool:
        """Whether it is over because of a budget."""
        return self.blocking.truncated

    @property
    def steps(self) -> int:
        """Moves that were made."""
        return self.blocking.steps

    @property
    def max_steps(self) -> int:
        """Moves that the policy has in all."""
        return self.blocking.max_steps

    @property
    def is_here(self) -> bool:
        """Whether calls are made in this process, so that they never wait."""
        return self.blocking.is_here

    @property
    def url(self) -> str:
        """Where an MCP client connects to its world at a farm; empty where it is in this process."""
        return self.blocking.url

    @property
    def closed(self) -> bool:
        """Whether its world has ended."""
        return self.blocking.closed

    async def call(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, tokens: int = 0
    ) -> Observation:
        """Call a tool: the text that a policy is shown, and whether the call was `refused`."""
        if self.blocking.is_here:
            # A call takes less time than a thread.
            return self.blocking.call(name, arguments, tokens=tokens)
        return await self._threads.run(self.blocking.call, name, arguments, tokens=tokens)

    async def say(self, text: str, *, tokens: int = 0) -> str | None:
        """Say something: what the user replies."""
        return await self._threads.run(self.blocking.say, text, tokens=tokens)

    async def finish(self) -> None:
        """End the episode as its policy."""
        await self._threads.run(self.blocking.finish)

    async def act(self, move: Action | Mapping[str, Any], *, tokens: int = 0) -> Observation:
        """Make a whole move."""
        return await self._threads.run(self.blocking.act, move, tokens=tokens)

    async def answer(self, message: Mapping[str, Any], *, tokens: int = 0) -> list[dict[str, Any]]:
        """The messages that answer an assistant message."""
        return await self._threads.run(self.blocking.answer, message, tokens=tokens)

    async def verify(self, scoring: Scoring | None = None) -> Verdict:
        """The verdict that a run would record if the episode ended here."""
        return await self._threads.run(self.blocking.verify, scoring)

    async def progress(self) -> float:
        """The reward of the state as it is now."""
        return await self._threads.run(self.blocking.progress)

    async def state(self) -> dict[str, Any]:
        """Every record of the world, for its owner."""
        return await self._threads.run(self.blocking.state)

    async def fork(self) -> AsyncEpisode:
        """A second episode that goes on from here."""
        return (await self.fork_many(1))[0]

    async def fork_many(self, count: int) -> list[AsyncEpisode]:
        """Several episodes that go on from here."""
        forked = await self._threads.run(self.blocking.fork_many, count)
        return [AsyncEpisode(episode, self._threads) for episode in forked]

    async def record(self, agent: str = "policy", repetition: int = 1) -> Trajectory:
        """What was played, as `runs` and `export` read it."""
        return await self._threads.run(self.blocking.record, agent, repetition)

    async def close(self) -> None:
        """End the world."""
        await self._threads.run(self.blocking.close)


def local(
    home: str | Path | None = None,
    *,
    tasks: str | Path | None = None,
    prompts: str | Path | None = None,
    endpoint: Endpoint | None = None,
) -> AsyncGym:
    """A gym in this process."""
    return AsyncGym(blocking.local(home, tasks=tasks, prompts=prompts, endpoint=endpoint))


def connect(
    url: str | int | None = None,
    token: str | None = None,
    *,
    tasks: str | Path | None = None,
    prompts: str | Path | None = None,
    endpoint: Endpoint | None = None,
    timeout: float = 60.0,
) -> AsyncGym:
    """A gym at a farm."""
    return AsyncGym(blocking.connect(url, token, tasks=tasks, prompts=prompts, endpoint=endpoint, timeout=timeout))
