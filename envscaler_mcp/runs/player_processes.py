"""A run in several processes: this one hands out episodes, asks the models and writes the journal; the others play."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc
from anyio.streams.memory import MemoryObjectSendStream

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.episode.agents import model_of_agent
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import ModelError, RunError
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.llm import BudgetSpentError
from envscaler_mcp.llm.retrying import CLOCK
from envscaler_mcp.processes import own_program
from envscaler_mcp.runs.episode_queue import Assignment, EpisodeQueue, PlayedEpisode
from envscaler_mcp.runs.players import played_episode, players_at_most, unplayed
from envscaler_mcp.runs.process_link import (
    ENDED,
    AskedModel,
    ModelAnswer,
    ModelQuestion,
    NextGiven,
    NextWanted,
    PlayerJob,
    ProcessLink,
    QuestionGivenUp,
    sent_failure,
)
from envscaler_mcp.scoring.trajectory import WrittenAttempt

_PROGRAM = "envscaler_mcp.runs.player_process:play_for_run"
_SECONDS = 10.0
"""How long a process may take to end what it has open."""
_AT_ONCE = 16
"""Episodes that a player is given at most: a scripted one is played in less time than a message takes."""
_WORTH, _WORTH_DIRECT = 16, 200
"""For so many episodes another process is started, which takes a second; scripted ones in process take milliseconds."""


@dataclass(frozen=True, slots=True)
class PlayerProcesses:
    """How episodes are spread over processes."""

    servers: ServerFolders
    registry: Registry | None
    agent: str
    """As the command names it; each process makes its own agents."""
    agents: ModelPlayer | None = None
    users: ModelPlayer | None = None
    prompts: Path | None = None
    number: int | None = None
    """At most one for each core where it is not said."""
    tasks: Path | None = None
    """The run folder that holds fresh tasks, where these are played."""

    def worth_it(self, plan: RunPlan, missing: int, parallel: int) -> int:
        """In how many processes so many episodes are played; 1 is this one."""
        if self.number is not None:
            return min(self.number, parallel, missing)
        worth = _WORTH_DIRECT if plan.via == "direct" and not _has_model(plan) else _WORTH
        return max(1, min(os.cpu_count() or 1, parallel, missing // worth))

    async def play(
        self,
        plan: RunPlan,
        queue: EpisodeQueue,
        sending: MemoryObjectSendStream[WrittenAttempt],
        parallel: int,
        number: int,
    ) -> None:
        """Play what is in the queue in so many processes, and send what came of it."""
        async with anyio.create_task_group() as group:
            for place in range(number):
                share = players_at_most(plan, parallel // number + (place < parallel % number))
                group.start_soon(_Process(self, plan, queue, sending, share).play)


def _has_model(plan: RunPlan) -> bool:
    return bool(model_of_agent(plan.agent) or model_of_user(plan.user))


class _Process:
    """One of the processes, and another in its place where it ends too early."""

    def __init__(
        self,
        processes: PlayerProcesses,
        plan: RunPlan,
        queue: EpisodeQueue,
        sending: MemoryObjectSendStream[WrittenAttempt],
        parallel: int,
    ) -> None:
        self._processes = processes
        self._plan = plan
        self._queue = queue
        self._sending = sending
        self._parallel = parallel
        # Others would wait for what a player is given and does not play yet, and models take seconds.
        self._at_once = 1 if _has_model(plan) else _AT_ONCE
        self._given: dict[str, Assignment] = {}
        """What the process has, by the episode's id."""
        self._questions: dict[int, anyio.CancelScope] = {}

    async def play(self) -> None:
        """Until nothing is left in the queue."""
        while len(self._queue):
            async with _started() as (process, link):
                begun = await self._serve(link)
            code = process.returncode
            lost, self._given = list(self._given.values()), {}
            if not begun:
                raise RunError(f"A process that plays episodes ended with {code} at its start; try --processes 1.")
            if not lost:
                continue
            for assignment in self._queue.lost(lost):
                reason = f"the process that played the episode ended with {code}"
                played = played_episode(self._plan, assignment, unplayed(self._plan, reason))
                await self._sending.send(played.written)

    async def _serve(self, link: ProcessLink) -> bool:
        """Answer the process until it ends; whether it ever asked for anything."""
        begun = False
        try:
            await link.send(self._job())
            async with anyio.create_task_group() as group:
                try:
                    while True:
                        message = await link.receive()
                        begun = True
                        await self._take(message, link, group)
                except ENDED:
                    # No episode waits for what it had asked.
                    group.cancel_scope.cancel()
        except* anyio.BrokenResourceError:
            # It ended while it was answered.
            pass
        return begun

    async def _take(self, message: object, link: ProcessLink, group: anyio.abc.TaskGroup) -> None:
        match message:
            case NextWanted(number, player, wanted):
                given = self._queue.next((self, player), wanted, self._at_once)
                self._given.update({assignment.episode.id: assignment for assignment in given})
                await link.send(NextGiven(number, given))
            case PlayedEpisode():
                del self._given[message.assignment.episode.id]
                self._queue.finished(message)
                await self._sending.send(message.written)
            case ModelQuestion():
                group.start_soon(self._answer, message, link)
            case QuestionGivenUp(number) if number in self._questions:
                self._questions[number].cancel()

    async def _answer(self, question: ModelQuestion, link: ProcessLink) -> None:
        player = self._processes.users if question.of_user else self._processes.agents
        assert player is not None
        clock = _LostTime()
        CLOCK.set(clock)
        with anyio.CancelScope() as scope:
            self._questions[question.number] = scope
            try:
                said = await player.model.answer(question.request)
                answer = ModelAnswer(question.number, said, clock.lost)
            except (ModelError, BudgetSpentError) as error:
                answer = ModelAnswer(question.number, sent_failure(error), clock.lost)
            finally:
                del self._questions[question.number]
        if not scope.cancelled_caught:
            await link.send(answer)

    def _job(self) -> PlayerJob:
        processes = self._processes
        return PlayerJob(
            servers=processes.servers,
            registry=processes.registry,
            plan=self._plan.model_copy(update={"episodes": ()}),
            agent=processes.agent,
            agent_model=_asked(processes.agents),
            user_model=_asked(processes.users),
            prompts=processes.prompts,
            parallel=self._parallel,
            tasks=processes.tasks,
        )


def _asked(player: ModelPlayer | None) -> AskedModel | None:
    return None if player is None else AskedModel(player.asking, player.price)


class _LostTime:
    """Takes the time that a question lost, for the clock of an episode in another process."""

    lost = 0.0

    def stop(self) -> None:
        """The clock there is stopped already."""

    def go_on(self, lost: float) -> None:
        self.lost = lost


@asynccontextmanager
async def _started() -> AsyncIterator[tuple[anyio.abc.Process, ProcessLink]]:
    """A process, ended with the block: by the end of its link, and by force where that is not enough."""
    ours, theirs = socket.socketpair()
    with theirs:
        link = await ProcessLink.over(ours)
        command = own_program(_PROGRAM, str(theirs.fileno()))
        process = await anyio.open_process(
            command, stdin=subprocess.DEVNULL, stdout=None, stderr=None, pass_fds=(theirs.fileno(),)
        )
    try:
        yield process, link
    finally:
        with anyio.CancelScope(shield=True):
            await link.aclose()
            with anyio.move_on_after(_SECONDS):
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()
