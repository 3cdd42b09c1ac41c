"""Money for questions: set aside while they are out, spent when they are answered, never more than there is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import anyio

from envscaler_mcp.artifacts.episode import Usage
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm.chat import ChatModel, ChatRequest, ChatResponse, UnansweredError
from envscaler_mcp.llm.prices import FREE, Ledger, Price

_ANSWER_TOKENS = 16_000
"""What an answer may take where the question sets no limit."""


class BudgetSpentError(Exception):
    """The next question could cost more than is left. No failure of a stage: the whole run ends."""


class Accounts(Protocol):
    """What remembers on disk what was paid for."""

    @property
    def ledger(self) -> Ledger: ...

    def keep(self, question: ChatRequest, answer: ChatResponse, dollars: float | None) -> None:
        """An answer came, and this is what it cost, if that is known."""

    def lose(self, question: ChatRequest, dollars: float | None) -> None:
        """An answer never came, and may have cost this."""


class Budget:
    """The money of a run, for all the models that it asks."""

    def __init__(self, accounts: Accounts, budget: float | None) -> None:
        if budget is not None and accounts.ledger.total.unpriced:
            raise ModelError(
                "a budget cannot be held: questions were asked before at an unknown price. Go on without "
                "--budget, or begin another run"
            )
        self._accounts, self._budget = accounts, budget
        self._out: list[float] = []
        """What each question that is out may cost."""
        self._back = anyio.Event()
        """Set when one of them comes back."""
        self._stopped = False

    @asynccontextmanager
    async def holding(self, most: float, purpose: str) -> AsyncIterator[None]:
        """So much is set aside for the block."""
        await self._money_for(most, purpose)
        self._out.append(most)
        try:
            yield
        finally:
            self._out.remove(most)
            self._back.set()
            self._back = anyio.Event()

    async def _money_for(self, most: float, purpose: str) -> None:
        """Wait while money is only set aside. Who gives up does so when no answer is under way that could be lost."""
        while self._budget is not None and (
            self._stopped or self._accounts.ledger.total.dollars + sum(self._out) + most > self._budget
        ):
            if not self._out:
                # For all: what goes out now would be lost when the run ends.
                self._stopped = True
                left = max(self._budget - self._accounts.ledger.total.dollars, 0.0)
                raise BudgetSpentError(
                    f"${left:.2f} of ${self._budget:.2f} is left, and the next question ({purpose}) may cost "
                    f"${most:.2f}. What was paid for is kept: go on with a greater --budget"
                )
            await self._back.wait()


class PaidModel:
    """A model whose answers are kept and counted; a question goes out when there is money for the most it can cost."""

    def __init__(
        self,
        model: ChatModel,
        answers: Accounts,
        price: Price | None,
        budget: float | None = None,
        purse: Budget | None = None,
    ) -> None:
        self.model, self.answers, self.price = model, answers, price
        self.purse = purse or Budget(answers, budget)
        """Of its own, unless it shares one."""

    async def answer(self, question: ChatRequest) -> ChatResponse:
        most = most_of(question)
        async with self.purse.holding((self.price or FREE).of(most), question.purpose):
            answer = await self._asked(question, self._cost(most))
            counted = _counted(answer, most)
            # Kept before anything else can fail: from here on it is paid for.
            self.answers.keep(question, counted, self._cost(answer.usage if counted == answer else most))
            return counted

    def _cost(self, usage: Usage) -> float | None:
        return None if self.price is None else self.price.of(usage)

    async def _asked(self, question: ChatRequest, most: float | None) -> ChatResponse:
        try:
            return await self.model.answer(question)
        except UnansweredError as error:
            if error.charged:
                self.answers.lose(question, most)
            raise
        except anyio.get_cancelled_exc_class():
            self.answers.lose(question, most)
            raise


def most_of(question: ChatRequest) -> Usage:
    """The most that a question and its answer can take: no tokenizer makes more tokens of a text than it has bytes."""
    return Usage(
        prompt_tokens=len(question.model_dump_json().encode()),
        completion_tokens=0 if question.kind == "embedding" else question.max_tokens or _ANSWER_TOKENS,
    )


def _counted(answer: ChatResponse, most: Usage) -> ChatResponse:
    """The answer with its tokens: where the endpoint tells none, as many as they can be for what can be seen of it."""
    calls = (text for call in answer.tool_calls for text in (call.name, call.arguments))
    seen = sum(len(text.encode()) for text in (answer.text, answer.reasoning, *calls))
    usage = answer.usage
    counted = usage.model_copy(
        update={
            "prompt_tokens": usage.prompt_tokens or most.prompt_tokens,
            "completion_tokens": usage.completion_tokens or min(seen, most.completion_tokens),
        }
    )
    return answer.model_copy(update={"usage": counted})
