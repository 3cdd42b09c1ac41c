"""An agent that a model plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import Action, AgentUnavailableError, Briefing, Observation, RunAbortedError
from envscaler_mcp.episode.calling import Called, Calling, action_of
from envscaler_mcp.episode.model_player import ModelPlayer, WindowFullError, worded
from envscaler_mcp.llm import ChatResponse, Message, UnansweredError
from envscaler_mcp.prompts import Prompt

OFFICIAL = "official"
"""The name of a prompt that others have written."""
PROMPTS = {"task": "play_task", "conversation": "play_conversation"}


class ModelAgent:
    """Remembers the whole conversation, and asks for the next move."""

    def __init__(self, briefing: Briefing, player: ModelPlayer, calling: Calling) -> None:
        self._player, self._calling, self._seed = player, calling, briefing.seed
        self._purpose = PROMPTS[briefing.mode]
        with worded():
            self._prompt = (
                player.prompts.render(self._purpose, introduction=briefing.introduction, task=briefing.task)
                if briefing.verbatim is None
                else Prompt(name=OFFICIAL, digest="", system=briefing.verbatim, user=briefing.task)
            )
        self.system = self._prompt.system
        """What the model is told first, without the tools, which a chat template puts there itself."""
        self._messages: list[Message] = []
        self._task = ""
        self._offer(briefing.tools)
        self._ours = len(self._messages) + 1
        """Messages that come before anything that the model says: what it is told first, and its task."""
        self._calls: Sequence[Called] = ()
        self._turn = 0

    def _offer(self, tools: Sequence[Tool]) -> None:
        """Tell the model of the tools, by its endpoint or in what it is told first."""
        with worded():
            prompt = self._calling.prompt(self._player.prompts, self._prompt, tools)
        self._tools = self._calling.offered(tools)
        self._task = prompt.user
        first = [Message(role="system", content=prompt.system)] if prompt.system else []
        self._messages[: len(first)] = first

    async def act(self, observation: str) -> Action:
        """What the model does next."""
        if isinstance(observation, Observation) and observation.tools is not None:
            self._offer(observation.tools)
        self._messages += self._heard(observation)
        self._turn += 1
        answer, use = await next_answer(
            self._player, self._purpose, self._messages, self._messages[: self._ours], self._seed, self._tools
        )
        text, self._calls = self._calling.read(answer)
        self._messages.append(self._calling.said(answer))
        return action_of(text, self._calls, answer.reasoning, use)

    def _heard(self, observation: str) -> list[Message]:
        if not self._calls:
            return [Message(role="user", content=observation if self._turn else self._task)]
        answers = observation.answers if isinstance(observation, Observation) else (observation,)
        if len(answers) < len(self._calls):
            # Where only the first call of a turn is made, the model is not reminded of the others.
            self._calls = self._calls[: len(answers)]
            last = self._messages[-1]
            self._messages[-1] = last.model_copy(update={"tool_calls": last.tool_calls[: len(answers)]})
        return self._calling.answered(self._calls, answers)


async def next_answer(
    player: ModelPlayer,
    purpose: str,
    messages: Sequence[Message],
    first: Sequence[Message],
    seed: int,
    tools: Sequence[dict[str, Any]] = (),
) -> tuple[ChatResponse, ModelCost]:
    """What the model of an agent answers in a conversation that began with these first messages."""
    try:
        return await player.answer_in(purpose, messages, first, seed=seed, tools=tools)
    except WindowFullError as cause:
        if tuple(messages) != tuple(first):
            raise
        raise RunAbortedError(
            f"The model cannot read even the task ({cause}); lower --answer-tokens, or take one that reads more."
        ) from cause
    except UnansweredError as cause:
        raise AgentUnavailableError(str(cause), again=cause.transient) from cause
