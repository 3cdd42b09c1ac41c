"""The user of a benchmark's task in the studio: a model, the benchmark's script, or the person in front of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from weakref import WeakKeyDictionary

import anyio

from envscaler_mcp.episode.live import exception_sentence
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.user import User
from envscaler_mcp.errors import EnvScalerError, WorkerEndedError, WorldError
from envscaler_mcp.farm.benchmark_session import BenchmarkSession, Said
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.studio_agents import StudioModel
from envscaler_mcp.studio.schemas import PlayedUser, SayOrder

StudioUser = StudioModel | Literal["scripted"]
"""Who answers instead of the person in front of the page."""


class _Reached:
    """A world as its user reaches it."""

    def __init__(self, world: HostedWorld, session: BenchmarkSession) -> None:
        self._world, self._session = world, session

    async def user(self, *given: Any) -> Any:
        return await self._world.act(lambda _: self._session.user(*given))

    async def release(self, turn: int) -> None:
        await self._world.act(lambda _: self._session.turn(turn))
        self._world.tell_agents()


@dataclass(eq=False)
class _Talk:
    """The conversation in one world; one thing is said at a time."""

    user: User | None = None
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class StudioUsers:
    """Those of one process, one for each world."""

    def __init__(self, user: StudioUser | None) -> None:
        self.model = user if isinstance(user, StudioModel) else None
        self.played: PlayedUser = "person" if user is None else "model" if self.model else "scripted"
        self.player: ModelPlayer | None = None
        """What asks the model, while the farm runs."""
        self._talks: WeakKeyDictionary[HostedWorld, _Talk] = WeakKeyDictionary()

    async def say(self, world: HostedWorld, session: BenchmarkSession, order: SayOrder) -> Said:
        """What the user says first, or to what the agent has said; WorldError where that cannot be."""
        self._refuse_misuse(session, order)
        talk = self._talks.setdefault(world, _Talk())
        if talk.lock.locked():
            raise WorldError("The user is thinking already; wait for the answer.")
        async with talk.lock:
            if await world.act(lambda _: session.is_over()):
                raise WorldError("The conversation has ended. Ask for the verdict, or open another world at the task.")
            replies = session.replies
            reply = await self._reply(talk, _Reached(world, session), session, order)
            if session.replies == replies:
                # No code of the authors has answered, so nothing knows of it yet.
                await world.act(lambda _: session.note(order.text, reply))
        world.tell("said", {})
        return session.conversation[-1]

    def _refuse_misuse(self, session: BenchmarkSession, order: SayOrder) -> None:
        if not session.task_card.talks:
            raise WorldError("What the user of this task says stands in the task; begin its next turn instead.")
        if session.conversation and order.text is None:
            raise WorldError("The user has begun already; send what the agent says to that.")
        if not session.conversation and order.text is not None:
            raise WorldError("The user says something first; send that, or an order without a text.")
        if self.played == "person" and order.reply is None:
            raise WorldError("No user answers here: send what the user says too, or start the farm with --user.")
        if self.played != "person" and order.reply is not None:
            raise WorldError("A user answers here; send only what the agent says.")

    async def _reply(self, talk: _Talk, reached: _Reached, session: BenchmarkSession, order: SayOrder) -> str:
        if order.reply is not None:
            return order.reply
        try:
            if talk.user is None:
                talk.user = session.make_user(reached, self.player)
            said = talk.user.opening() if order.text is None else talk.user.reply(order.text, _unseen)
            return str(await said)
        except (WorldError, WorkerEndedError):
            raise
        except EnvScalerError as cause:
            raise WorldError(f"The user cannot answer: {cause}") from cause
        except Exception as cause:
            raise WorldError(f"The user cannot answer: {exception_sentence(cause)}") from cause


async def _unseen() -> Mapping[str, Any]:
    """The state, of which users of benchmarks see nothing."""
    return {}
