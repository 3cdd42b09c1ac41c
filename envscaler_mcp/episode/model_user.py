"""A user that a model plays, by the rules of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.episode.model_player import ModelPlayer, UnfitConversationError, WindowFullError, worded
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.user import BrokenUserError, Look, Reply, UserUnavailableError
from envscaler_mcp.llm import ChatResponse, Message, UnansweredError

PROMPT = "play_user"
ATTEMPTS = 3
"""How often a model is asked that says nothing, or too much."""
MAX_REPLY = 16_000
"""Letters that a user says at once; what is longer is no reply."""
MAX_SAID = 4_000
"""Letters that the user is shown of one thing that the agent says."""
MAX_SHOWN = 40_000
"""Letters that the user is shown of the whole conversation, the last things first."""
_OURS = 2
"""Messages that come before anything that the agent says."""


class SilentUserError(BrokenUserError):
    """The model that plays the user says nothing, or too much, whatever it is told."""


class ModelUser:
    """Knows the task and what the scenario says of its conversation, and is told only what the agent says."""

    def __init__(self, scenario: Scenario, player: ModelPlayer, seed: int) -> None:
        self._player, self._seed = player, seed
        with worded():
            prompt = player.prompts.render(PROMPT, task=scenario.task, knowledge=_knowledge(scenario))
        self._messages = [Message(role="system", content=prompt.system), Message(role="user", content=prompt.user)]
        self._first = scenario.conversation.first if scenario.conversation else ""

    def fork(self, _progress: GoalProgress) -> ModelUser:
        """A copy at the same point of the conversation."""
        forked = copy(self)
        forked._messages = list(self._messages)
        return forked

    async def opening(self) -> str:
        """The scenario's own first words, else the model's."""
        if not self._first:
            return await self._said()
        self._messages.append(Message(role="assistant", content=self._first))
        return self._first

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - it sees only what a user sees
        """What the model says to what the agent said."""
        self._messages.append(Message(role="user", content=f"[Agent] {_cut(said)}"))
        return await self._said()

    async def _said(self) -> Reply:
        shown, took = _shown(self._messages), ModelCost()
        try:
            for attempt in range(ATTEMPTS):
                answer, use = await self._answer(shown, self._seed + attempt)
                took = took + use
                if _speaks(answer):
                    self._messages.append(Message(role="assistant", content=answer.text))
                    return Reply(answer.text.strip(), took)
            silence = f"{self._player.asking.model!r} said nothing, or over {MAX_REPLY:,} letters, {ATTEMPTS} times"
            if len(shown) > _OURS and await self._speaks_at_the_beginning():
                raise UnfitConversationError(f"{silence}; before the agent said anything it speaks")
            raise SilentUserError(silence)
        except UnansweredError as cause:
            raise UserUnavailableError(str(cause), again=cause.transient) from cause

    async def _answer(self, messages: Sequence[Message], seed: int) -> tuple[ChatResponse, ModelCost]:
        try:
            return await self._player.answer_in(PROMPT, messages, messages[:_OURS], seed=seed)
        except WindowFullError as cause:
            # Where it cannot read even the beginning, what the agent said is not the cause.
            await self._speaks_at_the_beginning()
            raise UnfitConversationError(str(cause)) from cause

    async def _speaks_at_the_beginning(self) -> bool:
        try:
            answer, _ = await self._player.answer(PROMPT, self._messages[:_OURS], seed=self._seed)
        except WindowFullError as cause:
            raise RunAbortedError(
                f"The model of the user cannot read even the task ({cause}); take one that reads more."
            ) from cause
        return _speaks(answer)


def _speaks(answer: ChatResponse) -> bool:
    return bool(answer.text.strip()) and len(answer.text) <= MAX_REPLY and answer.finish != "refused"


def _cut(said: str) -> str:
    """What the user is shown: an agent that repeats itself must not talk a model out of its depth."""
    left_out = len(said) - MAX_SAID
    return said if left_out <= 0 else f"{said[:MAX_SAID]} … ({left_out:,} more letters)"


def _shown(messages: Sequence[Message]) -> list[Message]:
    """The conversation as the model gets it: of what came long ago only that something was said."""
    room, rest = MAX_SHOWN, []
    for message in reversed(messages[_OURS:]):
        room -= len(message.content)
        rest.append(message if room >= 0 else message.model_copy(update={"content": _FORGOTTEN[message.role]}))
    return [*messages[:_OURS], *reversed(rest)]


_FORGOTTEN = {"user": "[Agent] …", "assistant": "…"}


def _knowledge(scenario: Scenario) -> str:
    """How the person speaks of each thing, and its details in their words."""
    if scenario.conversation is None:
        return "You know no more than that."
    lines = ["How you would begin to speak of each thing, and what you know of it:"]
    for goal in scenario.conversation.goals:
        known = "; ".join(f"{fact.name.replace('_', ' ')}: {fact.says}" for fact in goal.facts if fact.says)
        lines.append(f"- {goal.ask}" + (f" ({known})" if known else ""))
    return "\n".join(lines)
