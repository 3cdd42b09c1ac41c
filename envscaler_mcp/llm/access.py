"""The way to a model that a run uses: answers are kept, counted, paid once and recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio

from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm.answers import Answers
from envscaler_mcp.llm.charging import Accounts, Budget, PaidModel
from envscaler_mcp.llm.chat import ChatModel, ChatRequest, ChatResponse
from envscaler_mcp.llm.endpoint import Endpoint
from envscaler_mcp.llm.prices import FREE, Ledger, Price
from envscaler_mcp.llm.recording import Recording, ReplayedModel
from envscaler_mcp.llm.retrying import PatientModel, Pauses


class ModelAccess:
    """Asks each question once, however often and from wherever it is put."""

    def __init__(self, model: ChatModel, answers: Answers, recording: Recording | None = None) -> None:
        self.model, self.answers, self.recording = model, answers, recording
        self._asking: dict[str, anyio.Event] = {}

    @property
    def ledger(self) -> Ledger:
        """Everything this run has paid for, also before it was interrupted."""
        return self.answers.ledger

    async def answer(self, question: ChatRequest) -> ChatResponse:
        answer = await self._answer(question)
        if self.recording is not None:
            # What was kept as well: a recording is the whole run.
            self.recording.note(question, answer)
        return answer

    async def _answer(self, question: ChatRequest) -> ChatResponse:
        while True:
            stored = self.answers.find(question)
            if stored is not None:
                self.ledger.answered_before(question.purpose)
                return stored
            under_way = self._asking.get(question.key)
            if under_way is None:
                return await self._ask(question)
            await under_way.wait()

    async def _ask(self, question: ChatRequest) -> ChatResponse:
        done = self._asking[question.key] = anyio.Event()
        try:
            return await self.model.answer(question)
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
        replayed = ReplayedModel(folder) if mode == "replay" and folder is not None else None
        recording = Recording(folder) if mode == "record" and folder is not None else None
        stored = stack.enter_context(Answers(answers))
        if replayed is not None:
            yield ModelAccess(PaidModel(replayed, stored, price or FREE, budget), stored)
            return
        model = await stack.enter_async_context(paid_model(endpoint, stored, price or FREE, Budget(stored, budget)))
        yield ModelAccess(model, stored, recording)


Connect = Callable[[Endpoint], AbstractAsyncContextManager[ChatModel]]
"""Opens the models at an endpoint, for a block."""


def chat_completions(endpoint: Endpoint) -> AbstractAsyncContextManager[ChatModel]:
    """Any endpoint that speaks the chat completions protocol."""
    # Imported here, so that no command waits for it that asks no model.
    from envscaler_mcp.llm.openai_chat import OpenAIChat

    return OpenAIChat(endpoint)


@asynccontextmanager
async def paid_model(
    endpoint: Endpoint, accounts: Accounts, price: Price | None, purse: Budget
) -> AsyncIterator[ChatModel]:
    """An endpoint that is asked with retries and for money; the same question is asked again each time."""
    async with paid_models(endpoint, accounts, purse) as priced:
        yield priced(price)


@asynccontextmanager
async def paid_models(
    endpoint: Endpoint, accounts: Accounts, purse: Budget, connect: Connect = chat_completions
) -> AsyncIterator[Callable[[Price | None], ChatModel]]:
    """The same for models of several prices, who share the endpoint's connections and its pauses."""
    async with connect(endpoint) as chat:
        pauses = Pauses(endpoint.parallel)
        # Inside the retries: money is set aside for each attempt, and only while it is under way.
        yield lambda price: PatientModel(PaidModel(chat, accounts, price, purse=purse), endpoint, pauses)
