"""The way to a model that a run uses: answers are kept, counted, paid once and recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio

from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm.accounts import Budget, Ledger, Price
from envscaler_mcp.llm.answers import Answers
from envscaler_mcp.llm.chat import Answer, ChatModel, Question
from envscaler_mcp.llm.endpoint import Endpoint
from envscaler_mcp.llm.patience import PatientModel
from envscaler_mcp.llm.recording import RecordingModel, ReplayedModel


class ModelAccess:
    """Asks each question once, however often and from wherever it is put."""

    def __init__(self, model: ChatModel, answers: Answers, price: Price, budget: float | None) -> None:
        self.model, self.answers, self.price = model, answers, price
        self.ledger: Ledger = answers.ledger()
        """Everything this run has paid for, also before it was interrupted."""
        self.budget = Budget(budget, self.ledger.total.dollars)
        self._asking: dict[str, anyio.Event] = {}

    async def answer(self, question: Question) -> Answer:
        while True:
            kept = self.answers.find(question)
            if kept is not None:
                self.ledger.line(question.purpose).kept += 1
                return kept
            under_way = self._asking.get(question.key)
            if under_way is None:
                return await self._pay(question)
            await under_way.wait()

    async def _pay(self, question: Question) -> Answer:
        done = self._asking[question.key] = anyio.Event()
        try:
            with self.budget.aside(question, self.price):
                answer = await self.model.answer(question)
                dollars = self.price.of(answer.usage)
                # Kept before anything else can fail: from here on it is paid for.
                self.answers.keep(question, answer, dollars)
                self.budget.spend(dollars)
            self.ledger.paid(question.purpose, answer.usage, dollars)
            return answer
        finally:
            del self._asking[question.key]
            done.set()


@asynccontextmanager
async def model_access(
    endpoint: Endpoint,
    answers: Path,
    *,
    price: Price | None = None,
    budget: float | None = None,
    folder: Path | None = None,
    mode: Literal["live", "record", "replay"] = "live",
) -> AsyncIterator[ModelAccess]:
    """Access to an endpoint, or to a recorded run in its place; the price must be known where a budget is set."""
    if budget is not None and price is None and mode != "replay":
        raise ModelError(
            "a budget needs the model's price: give --price INPUT,OUTPUT in dollars for a million tokens, or a line "
            "in the table of prices"
        )
    async with AsyncExitStack() as stack:
        model: ChatModel
        if mode == "replay" and folder is not None:
            model = ReplayedModel(folder)
        else:
            # Imported here, so that whoever asks no model does not wait for it.
            from envscaler_mcp.llm.openai_chat import OpenAIChat

            model = PatientModel(await stack.enter_async_context(OpenAIChat(endpoint)), endpoint)
            if mode == "record" and folder is not None:
                model = RecordingModel(model, folder)
        kept = stack.enter_context(Answers(answers))
        yield ModelAccess(model, kept, price or Price(input=0, output=0), budget)
