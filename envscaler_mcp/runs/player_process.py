"""A process that plays episodes of a run: it is given them one by one, and sends back what came of them.

It ends when nothing is left, and with the process of the run, whose models it asks.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import signal
import socket
import sys
from collections import defaultdict, deque
from functools import partial
from typing import Generic, TypeVar

import anyio
import anyio.to_thread

from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.launch.channels import hosting
from envscaler_mcp.llm import ChatRequest, ChatResponse
from envscaler_mcp.llm.retrying import CLOCK
from envscaler_mcp.prompts import Prompts
from envscaler_mcp.runs.episode_queue import Assignment, PlayedEpisode
from envscaler_mcp.runs.players import Players
from envscaler_mcp.runs.playing import EpisodeRunner
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
    received_error,
)
from envscaler_mcp.runs.servers import host_of
from envscaler_mcp.runs.sessions import WorldHome
from envscaler_mcp.sandbox.limits import die_with_parent
from envscaler_mcp.scoring.task_file import TaskFile

_COLLECTED_AFTER = 20_000, 20, 20
"""Objects made until garbage is collected: an episode makes thousands, and leaves none behind that are in a cycle."""

R = TypeVar("R", NextGiven, ModelAnswer)


def play_for_run() -> None:
    """Play what the process at the other end of the socket gives, whose descriptor is the program's argument."""
    # An agent that never returns keeps the loop from seeing that the socket is closed.
    die_with_parent()
    # Ctrl-C reaches all processes of a terminal; this one ends when the process of the run closes the socket. Not ignored
    # by SIG_IGN, which servers that are started here would inherit.
    signal.signal(signal.SIGINT, lambda *_: None)
    # What was imported stays; a collection need not look at it again and again.
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)
    anyio.run(_play, socket.socket(fileno=int(sys.argv[1])))


async def _play(end: socket.socket) -> None:
    link = await ProcessLink.over(end)
    try:
        job = await link.receive()
        assert isinstance(job, PlayerJob)
        tasks = None if job.tasks is None else TaskFile.of_run(job.tasks)
        with WorldHome.at(job.servers, job.registry, tasks) as home:
            async with anyio.create_task_group() as group:
                calls = _Calls(link)
                group.start_soon(calls.receive, group.cancel_scope)
                await _players(job, home, link, calls).play(job.parallel)
                group.cancel_scope.cancel()
    except* ENDED:
        # The process of the run has ended, and what was being played with it.
        pass
    finally:
        with anyio.CancelScope(shield=True):
            await link.aclose()


def _players(job: PlayerJob, home: WorldHome, link: ProcessLink, calls: _Calls) -> Players:
    plan = job.plan
    wordings = Prompts(job.prompts)

    def player(asked: AskedModel | None, of_user: bool) -> ModelPlayer | None:
        if asked is None:
            return None
        return ModelPlayer(_RemoteModel(calls, of_user), asked.params, asked.price, wordings)

    _, make_agent = agent_named(job.agent, player(job.agent_model, of_user=False))
    _, make_user = user_named(plan.user or "scripted", player(job.user_model, of_user=True))
    engine = partial(hosting, via=plan.via, judge=home.judge, start_of=home.start_of)
    runner = EpisodeRunner(home, plan, make_agent, make_user)
    return Players(plan, _Given(link, calls), runner, partial(host_of, home, plan.mode, engine, {}))


class _Slot(Generic[R]):
    """Where an answer is put."""

    def __init__(self) -> None:
        self.came = anyio.Event()
        self.answer: R | None = None


class _Calls:
    """Requests to the process of the run, and its answers."""

    def __init__(self, link: ProcessLink) -> None:
        self.link = link
        self._numbers = itertools.count()
        self._given: dict[int, _Slot[NextGiven]] = {}
        self._answers: dict[int, _Slot[ModelAnswer]] = {}

    async def receive(self, whole: anyio.CancelScope) -> None:
        """Hand every answer to who waits for it, until the other process ends: then all of this one ends."""
        try:
            while True:
                message = await self.link.receive()
                slot: _Slot[NextGiven] | _Slot[ModelAnswer] | None = None
                if isinstance(message, NextGiven):
                    slot = self._given.get(message.number)
                elif isinstance(message, ModelAnswer):
                    slot = self._answers.get(message.number)
                # An answer to a question that was withdrawn has no slot.
                if slot is not None:
                    slot.answer = message  # type: ignore[assignment]
                    slot.came.set()
        except ENDED:
            whole.cancel()

    async def next(self, player: int, group: str) -> list[Assignment]:
        """What the player shall play next."""
        number = next(self._numbers)
        slot = self._given[number] = _Slot[NextGiven]()
        try:
            await self.link.send(NextWanted(number, player, group))
            await slot.came.wait()
        finally:
            del self._given[number]
        assert slot.answer is not None
        return slot.answer.assignments

    async def asked(self, request: ChatRequest, of_user: bool) -> ModelAnswer:
        """What the model said; given up with the episode that asks."""
        number = next(self._numbers)
        slot = self._answers[number] = _Slot[ModelAnswer]()
        try:
            await self.link.send(ModelQuestion(number, of_user, request))
            await slot.came.wait()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), contextlib.suppress(*ENDED):
                await self.link.send(QuestionGivenUp(number))
            raise
        finally:
            del self._answers[number]
        assert slot.answer is not None
        return slot.answer


class _RemoteModel:
    """A model that the process of the run asks: there is the connection, the budget, and what the endpoint bears."""

    def __init__(self, calls: _Calls, of_user: bool) -> None:
        self._calls = calls
        self._of_user = of_user

    async def answer(self, question: ChatRequest) -> ChatResponse:
        clock, lost = CLOCK.get(), 0.0
        if clock is not None:
            clock.stop()
        try:
            answer = await self._calls.asked(question, self._of_user)
            lost = answer.lost
        finally:
            if clock is not None:
                clock.go_on(lost)
        if isinstance(answer.said, tuple):
            raise received_error(answer.said)
        return answer.said


class _Given:
    """The source of players here; of episodes that were given several at once the rest waits here."""

    def __init__(self, link: ProcessLink, calls: _Calls) -> None:
        self._link = link
        self._calls = calls
        self._waiting: defaultdict[str, deque[Assignment]] = defaultdict(deque)

    async def next(self, player: int, group: str) -> Assignment | None:
        if self._waiting[group]:
            # Worlds in this process never wait, nor do scripted agents; answers must be heard all the same.
            await anyio.lowlevel.checkpoint()
        if self._waiting[group]:
            return self._waiting[group].popleft()
        given = await self._calls.next(player, group)
        if not given:
            return None
        self._waiting[given[0].group].extend(given[1:])
        return given[0]

    async def finished(self, played: PlayedEpisode) -> None:
        if played.stopped is not None:
            self._waiting.clear()
        await self._link.send(played)
