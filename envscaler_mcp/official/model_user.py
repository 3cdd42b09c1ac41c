"""A user whose words official code makes, with a model that this process asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.user import Look, Reply, UserUnavailableError, UserWorld
from envscaler_mcp.llm import ChatResponse, Message, UnansweredError

PURPOSE = "official_user"
"""Under which name what such a user asks is counted."""
_MAX_QUESTIONS = 12
"""Of one reply; the official strategies ask at most six."""
_GREETING = (Message(role="user", content="Hello."),)
"""What a model is asked for comparison where the opening needs none."""


class OfficialUserError(Exception):
    """The official code cannot make words of what its model said."""


class OfficialModelUser:
    """Asks the user of a task's world, and its model whatever that has to know."""

    def __init__(
        self, world: UserWorld, player: ModelPlayer, seed: int, strategy: str, temperature: float | None
    ) -> None:
        self._player = replace(player, asking=player.asking.model_copy(update={"temperature": temperature}))
        self._world, self._seed, self._strategy = world, seed, strategy
        self._beginning: Sequence[Message] = _GREETING
        """The first question of the opening. Any later one may hold all that the agent has said, in one message."""

    async def opening(self) -> str:
        """What the user says first."""
        return await self._said(None)

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - it sees only what a user sees
        """What the user says to what the agent said."""
        return await self._said(said)

    async def _said(self, text: str | None) -> Reply:
        answers: list[str] = []
        took = ModelCost()
        while len(answers) < _MAX_QUESTIONS:
            made = await self._world.user(self._strategy, text, answers)
            if "said" in made:
                return Reply(made["said"], took)
            if "failed" in made:
                raise OfficialUserError(made["failed"])
            messages = [Message(role=message["role"], content=message["content"]) for message in made["ask"]]
            if text is None and not answers:
                self._beginning = messages
            answer, use = await self._answer(messages, of_agent=text is not None)
            answers.append(answer.text)
            took = took + use
        raise OfficialUserError(f"the user asked its model {_MAX_QUESTIONS} times and said nothing")

    async def _answer(self, messages: Sequence[Message], *, of_agent: bool) -> tuple[ChatResponse, ModelCost]:
        try:
            if of_agent:
                return await self._player.answer_in(PURPOSE, messages, self._beginning, seed=self._seed)
            return await self._player.answer(PURPOSE, messages, seed=self._seed)
        except UnansweredError as cause:
            raise UserUnavailableError(str(cause), again=cause.transient) from cause
