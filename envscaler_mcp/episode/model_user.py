"""A user that a model plays, by the rules of the paper."""

from __future__ import annotations

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.model_player import ModelPlayer, worded
from envscaler_mcp.episode.user import Look, Reply, UserUnavailableError
from envscaler_mcp.llm import Message, UnansweredError

PROMPT = "play_user"
ATTEMPTS = 3
"""How often a model is asked that says nothing."""


class SilentError(Exception):
    """The model that plays the user says nothing."""


class ModelUser:
    """Knows the task and what the scenario says of its conversation, and is told only what the agent says."""

    def __init__(self, scenario: Scenario, player: ModelPlayer, seed: int) -> None:
        self._player, self._seed = player, seed
        with worded():
            prompt = player.prompts.render(PROMPT, task=scenario.task, knowledge=_knowledge(scenario))
        self._messages = [Message(role="system", content=prompt.system), Message(role="user", content=prompt.user)]
        self._first = scenario.conversation.first if scenario.conversation else ""

    async def opening(self) -> str:
        """The scenario's own first words, else the model's."""
        if not self._first:
            return await self._said()
        self._messages.append(Message(role="assistant", content=self._first))
        return self._first

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - it sees only what a user sees
        """What the model says to what the agent said."""
        self._messages.append(Message(role="user", content=f"[Agent] {said}"))
        return await self._said()

    async def _said(self) -> Reply:
        took = ModelCost()
        for attempt in range(ATTEMPTS):
            try:
                answer, use = await self._player.answer(PROMPT, self._messages, seed=self._seed + attempt)
            except UnansweredError as cause:
                raise UserUnavailableError(str(cause), again=cause.transient) from cause
            took = took + use
            if answer.text.strip() and answer.finish != "refused":
                self._messages.append(Message(role="assistant", content=answer.text))
                return Reply(answer.text.strip(), took)
        raise SilentError(f"{self._player.asking.model!r} said nothing, {ATTEMPTS} times")


def _knowledge(scenario: Scenario) -> str:
    """How the person speaks of each thing, and its details in their words."""
    if scenario.conversation is None:
        return "You know no more than that."
    lines = ["How you would begin to speak of each thing, and what you know of it:"]
    for goal in scenario.conversation.goals:
        known = "; ".join(f"{fact.name.replace('_', ' ')}: {fact.says}" for fact in goal.facts if fact.says)
        lines.append(f"- {goal.ask}" + (f" ({known})" if known else ""))
    return "\n".join(lines)
