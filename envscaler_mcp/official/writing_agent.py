"""An agent whose model writes its calls into its words, as the authors of a benchmark have it.

Their code words each request and reads each answer, in a fork of its own: some of their parsers evaluate what they read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from pydantic import TypeAdapter, ValidationError

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.agent import Action, Agent, Briefing, MakeAgent, Observation
from envscaler_mcp.episode.calling import Called, action_of
from envscaler_mcp.episode.live import LiveEpisode
from envscaler_mcp.episode.model_agent import next_answer
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.transcript import storable
from envscaler_mcp.episode.user import Look, User
from envscaler_mcp.errors import UnreadableStateError, WorkerEndedError
from envscaler_mcp.llm import Message
from envscaler_mcp.official.benchmark import OfficialTask
from envscaler_mcp.official.host import OfficialHost, OfficialProcess, asked
from envscaler_mcp.official.written_calls import NOTHING

PURPOSE = "official_agent"
"""Under which name what such an agent asks is counted."""
_SHOWN = 600
"""Letters of what could not be read."""
_READ = TypeAdapter(list[tuple[str, dict[str, Any] | str]] | str | None)
_MESSAGES = TypeAdapter(list[Message])


@dataclass(frozen=True, slots=True)
class CallWriter:
    """A model that writes its calls."""

    player: ModelPlayer
    calls: Calls
    """In which of the authors' ways."""


class OfficialWriting:
    """The official code that words the requests of one episode, and reads what its model answers."""

    def __init__(self, process: OfficialProcess, system: str) -> None:
        self.system = system
        """What the model is told first."""
        self.ran_nothing = False
        """Whether the last answer was executed, and had no call."""
        self._process = process

    async def request(self, said: str | None, answers: Sequence[str] = ()) -> list[Message]:
        """The next request, after what was said, or after the answers to calls."""
        messages: list[Message] = _checked(_MESSAGES, await asked(self._process, "request", said, list(answers)))
        return messages

    async def read(self, text: str) -> tuple[str, list[Called]]:
        """What is said in an answer, and its calls."""
        try:
            read = _checked(_READ, await asked(self._process, "read", storable(text)))
        except UnreadableStateError as cause:
            # The move is never made, so this is where it is recorded.
            raise UnreadableStateError(f"{cause} (the model wrote {storable(text)[:_SHOWN]!r})") from cause
        self.ran_nothing = read == []
        if isinstance(read, str):
            return read, []
        return text, [Called(name, given) for name, given in read or ()]

    def agent(self, player: ModelPlayer) -> MakeAgent:
        """Makes the agent whose model is asked so."""

        def made(briefing: Briefing, _scenario: Scenario) -> Agent:
            return _WritingAgent(self, player, briefing.seed)

        return made

    def user(self, user: User) -> User:
        """The user, who does not hear what is executed."""
        return _Overheard(self, user)


@asynccontextmanager
async def official_writing(host: OfficialHost, task: OfficialTask, calls: Calls) -> AsyncIterator[OfficialWriting]:
    """The writing of an episode whose model calls so, for the block."""
    process = await anyio.to_thread.run_sync(host.fork)
    try:
        system = await anyio.to_thread.run_sync(process.write, task.content, calls, abandon_on_cancel=True)
        yield OfficialWriting(process, system)
    finally:
        process.close()


class WrittenMoves:
    """The requests of one conversation, and the moves that are read in what is answered; the official code remembers the rest."""

    def __init__(self, writing: OfficialWriting) -> None:
        self.system = writing.system
        self.request: list[Message] = []
        """What the model is to be asked next."""
        self._writing = writing
        self._called = False

    async def hear(self, observation: str) -> None:
        """What came of the last move, or the task."""
        if self._called:
            answers = observation.answers if isinstance(observation, Observation) else (observation,)
            self.request = await self._writing.request(None, answers)
        else:
            self.request = await self._writing.request(str(observation))

    async def read(self, text: str, reasoning: str = "", use: ModelCost | None = None) -> Action:
        """The move in an answer."""
        said, calls = await self._writing.read(text)
        self._called = bool(calls)
        # Where only a part is said, all that was written stays with the move.
        thought = reasoning if said == text else "\n".join(filter(None, (reasoning, text)))
        return action_of(said, calls, thought, use)

    async def act(self, live: LiveEpisode, text: Any) -> Observation:
        """Make the move in an answer. An answer that ends the code which reads it ends the episode: that is the agent's failure."""
        try:
            heard = await live.act(await self.read(text if isinstance(text, str) else ""))
            if not live.over:
                await self.hear(heard)
        except (WorkerEndedError, UnreadableStateError) as cause:
            live.end("error", "agent", str(cause))
            return Observation(f"The episode is over: {cause}", refused=True)
        return heard


class _WritingAgent:
    """Asks its model for the next move."""

    def __init__(self, writing: OfficialWriting, player: ModelPlayer, seed: int) -> None:
        self.system = writing.system
        self._moves, self._player, self._seed = WrittenMoves(writing), player, seed
        self._first: list[Message] = []

    async def act(self, observation: str) -> Action:
        """What the model does next."""
        await self._moves.hear(observation)
        messages = self._moves.request
        self._first = self._first or messages
        answer, use = await next_answer(self._player, PURPOSE, messages, self._first, self._seed)
        return await self._moves.read(answer.text, answer.reasoning, use)


class _Overheard:
    """A user; words that were executed are answered with their result, which is none."""

    def __init__(self, writing: OfficialWriting, user: User) -> None:
        self._writing, self._user = writing, user

    async def opening(self) -> str:
        return await self._user.opening()

    async def reply(self, said: str, look: Look) -> str:
        return NOTHING if self._writing.ran_nothing else await self._user.reply(said, look)


def _checked(shape: TypeAdapter[Any], answer: Any) -> Any:
    """The answer of a fork that has read an agent's words, if it has this shape."""
    try:
        return shape.validate_python(answer)
    except ValidationError as cause:
        raise UnreadableStateError(f"The official code has no such answer: {cause.errors()[0]['msg']}") from cause
