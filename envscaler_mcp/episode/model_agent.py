"""An agent that a model plays."""

from __future__ import annotations

from collections.abc import Sequence

from envscaler_mcp.episode.agent import Action, AgentUnavailableError, Briefing, Observation, RunAbortedError
from envscaler_mcp.episode.calling import Called, Calling, action_of
from envscaler_mcp.episode.model_player import ModelPlayer, WindowFullError, worded
from envscaler_mcp.llm import Message, UnansweredError

_OURS = 2
"""Messages that come before anything that the model says: what it is told first, and its task."""
PROMPTS = {"task": "play_task", "conversation": "play_conversation"}


class ModelAgent:
    """Remembers the whole conversation, and asks for the next move."""

    def __init__(self, briefing: Briefing, player: ModelPlayer, calling: Calling) -> None:
        self._player, self._calling, self._seed = player, calling, briefing.seed
        self._purpose = PROMPTS[briefing.mode]
        with worded():
            prompt = player.prompts.render(self._purpose, introduction=briefing.introduction, task=briefing.task)
            prompt_with_tools = calling.prompt(player.prompts, prompt, briefing.tools)
        self.system = prompt.system
        """What the model is told first, without the tools, which a chat template puts there itself."""
        self._tools = calling.offered(briefing.tools)
        self._messages = [Message(role="system", content=prompt_with_tools.system)]
        self._task = prompt_with_tools.user
        self._calls: Sequence[Called] = ()
        self._turn = 0

    async def act(self, observation: str) -> Action:
        """What the model does next."""
        self._messages += self._heard(observation)
        self._turn += 1
        try:
            answer, use = await self._player.answer_in(
                self._purpose, self._messages, _OURS, seed=self._seed, tools=self._tools
            )
        except WindowFullError as cause:
            if self._turn > 1:
                raise
            raise RunAbortedError(
                f"The model cannot read even the task ({cause}); lower --answer-tokens, or take one that reads more."
            ) from cause
        except UnansweredError as cause:
            raise AgentUnavailableError(str(cause), again=cause.transient) from cause
        text, self._calls = self._calling.read(answer)
        self._messages.append(self._calling.said(answer))
        return action_of(text, self._calls, answer.reasoning, use)

    def _heard(self, observation: str) -> list[Message]:
        if not self._calls:
            return [Message(role="user", content=observation if self._turn else self._task)]
        answers = observation.answers if isinstance(observation, Observation) else (observation,)
        return self._calling.answered(self._calls, answers)
