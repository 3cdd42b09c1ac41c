"""A model that plays the agent or the user of an episode: how it is asked, and what its answers took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import (
    FREE,
    BudgetSpentError,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Message,
    ModelParams,
    Price,
    UnansweredError,
)
from envscaler_mcp.prompts import Prompts


@contextmanager
def worded() -> Iterator[None]:
    """A wording without its places is the same for every episode."""
    try:
        yield
    except ModelError as cause:
        raise RunAbortedError(str(cause)) from cause


class UnfitConversationError(Exception):
    """The model answers, and not to this conversation: what was said in it is why."""


class WindowFullError(UnfitConversationError):
    """The conversation has grown longer than the model can read."""


@dataclass(frozen=True, slots=True)
class ModelPlayer:
    """One for a whole run: its episodes share the endpoint, its pauses and the money."""

    model: ChatModel
    asking: ModelParams
    price: Price = FREE
    prompts: Prompts = field(default_factory=Prompts)

    async def answer(
        self, purpose: str, messages: Sequence[Message], *, seed: int, tools: Sequence[dict[str, Any]] = ()
    ) -> tuple[ChatResponse, ModelCost]:
        """The answer; `UnansweredError` where there is none this time, `RunAbortedError` where there will be none."""
        return await self._answered(self._question(purpose, messages, seed, tools))

    async def answer_in(
        self,
        purpose: str,
        messages: Sequence[Message],
        first: Sequence[Message],
        *,
        seed: int,
        tools: Sequence[dict[str, Any]] = (),
    ) -> tuple[ChatResponse, ModelCost]:
        """The same in a conversation that began with these first messages, which are ours.

        Where there is no answer, the model is asked what it was asked at the beginning. If it answers that, its endpoint is well, and
        what was said since is why: `UnfitConversationError`. So no words of an agent pass for an outage.
        """
        question = self._question(purpose, messages, seed, tools)
        try:
            return await self._sent(question)
        except UnansweredError as cause:
            if tuple(messages) == tuple(first) or cause.too_long or not cause.suspect:
                _raise_as_of_episode(cause)
            failed = cause
        await self._answered(self._question(purpose, first, seed, tools))
        if failed.transient:
            # It may have been down, and be up again.
            try:
                return await self._sent(question)
            except UnansweredError as cause:
                if not cause.suspect:
                    _raise_as_of_episode(cause)
        raise UnfitConversationError(f"{failed}; what it was asked at the beginning it answers") from failed

    def _question(
        self, purpose: str, messages: Sequence[Message], seed: int, tools: Sequence[dict[str, Any]]
    ) -> ChatRequest:
        return ChatRequest(
            purpose=purpose,
            model=self.asking.model,
            messages=tuple(messages),
            tools=tuple(tools),
            temperature=self.asking.temperature,
            max_tokens=self.asking.max_tokens,
            seed=seed,
        )

    async def _answered(self, question: ChatRequest) -> tuple[ChatResponse, ModelCost]:
        try:
            return await self._sent(question)
        except UnansweredError as cause:
            _raise_as_of_episode(cause)

    async def _sent(self, question: ChatRequest) -> tuple[ChatResponse, ModelCost]:
        began = time.perf_counter()
        try:
            answer = await self.model.answer(question)
        except UnansweredError:
            raise
        except (BudgetSpentError, ModelError) as cause:
            raise RunAbortedError(str(cause)) from cause
        took = round(1000 * (time.perf_counter() - began), 3)
        return answer, ModelCost(
            **answer.usage.model_dump(), dollars=round(self.price.of(answer.usage), 9), milliseconds=took
        )


def _raise_as_of_episode(cause: UnansweredError) -> NoReturn:
    """What it is to an episode that a question has no answer."""
    if cause.refused:
        raise RunAbortedError(str(cause)) from cause
    if cause.too_long:
        raise WindowFullError(str(cause)) from cause
    raise cause
