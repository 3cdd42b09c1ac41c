"""A model that plays the agent or the user of an episode: how it is asked, and what its answers took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

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


class TooLongError(Exception):
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
        began = time.perf_counter()
        question = ChatRequest(
            purpose=purpose,
            model=self.asking.model,
            messages=tuple(messages),
            tools=tuple(tools),
            temperature=self.asking.temperature,
            max_tokens=self.asking.max_tokens,
            seed=seed,
        )
        try:
            answer = await self.model.answer(question)
        except UnansweredError as cause:
            if cause.refused:
                raise RunAbortedError(str(cause)) from cause
            if cause.too_long:
                raise TooLongError(str(cause)) from cause
            raise
        except (BudgetSpentError, ModelError) as cause:
            raise RunAbortedError(str(cause)) from cause
        took = round(1000 * (time.perf_counter() - began), 3)
        return answer, ModelCost(
            **answer.usage.model_dump(), dollars=round(self.price.of(answer.usage), 9), milliseconds=took
        )
