"""Money for questions: set aside while they are out, spent when they are answered, never more than there is."""

from __future__ import annotations

import anyio

from envscaler_mcp.llm.accounts import Price
from envscaler_mcp.llm.answers import Answers
from envscaler_mcp.llm.chat import Answer, ChatModel, Question, UnansweredError, Usage

_ANSWER_TOKENS = 16_000
"""What an answer may take where the question sets no limit."""


class BudgetSpentError(Exception):
    """The next question could cost more than is left. No failure of a stage: whoever began the run ends it."""


class PaidModel:
    """A model whose answers are kept and counted; a question goes out when there is money for the most it can cost."""

    def __init__(self, model: ChatModel, answers: Answers, price: Price, budget: float | None = None) -> None:
        self.model, self.answers, self.price, self.budget = model, answers, price, budget
        self._out: list[float] = []
        """What each question that is out may cost."""
        self._back = anyio.Event()
        """Set when one of them comes back."""
        self._stopped = False

    async def answer(self, question: Question) -> Answer:
        most = self.price.of(most_of(question))
        await self._money_for(question, most)
        self._out.append(most)
        try:
            answer = await self._asked(question, most)
            # Kept before anything else can fail: from here on it is paid for.
            self.answers.keep(question, answer, self.price.of(answer.usage))
            return answer
        finally:
            self._out.remove(most)
            self._back.set()
            self._back = anyio.Event()

    async def _asked(self, question: Question, most: float) -> Answer:
        try:
            return await self.model.answer(question)
        except UnansweredError as error:
            if error.charged:
                self.answers.lose(question, most)
            raise
        except anyio.get_cancelled_exc_class():
            self.answers.lose(question, most)
            raise

    async def _money_for(self, question: Question, most: float) -> None:
        """Wait while money is only set aside. Who gives up does so when no answer is under way that could be lost."""
        while self.budget is not None and (
            self._stopped or self.answers.ledger.total.dollars + sum(self._out) + most > self.budget
        ):
            if not self._out:
                # For all: what goes out now would be lost when the run ends.
                self._stopped = True
                left = max(self.budget - self.answers.ledger.total.dollars, 0.0)
                raise BudgetSpentError(
                    f"${left:.2f} of ${self.budget:.2f} is left, and the next question ({question.purpose}) may cost "
                    f"${most:.2f}. What was paid for is kept: go on with a greater --budget"
                )
            await self._back.wait()


def most_of(question: Question) -> Usage:
    """The most that a question and its answer can take: no tokenizer makes more tokens of a text than it has bytes."""
    return Usage(
        prompt_tokens=len(question.model_dump_json().encode()),
        completion_tokens=0 if question.kind == "embedding" else question.max_tokens or _ANSWER_TOKENS,
    )
