"""What answers cost, by stage, and how much may be spent."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path

import yaml
from pydantic import TypeAdapter, ValidationError

from envscaler_mcp.artifacts.artifact import Part
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm.chat import Question, Usage

_CHARACTERS_PER_TOKEN = 3
"""Fewer than in any text that is asked here, so that an estimate is never too low."""
_ANSWER_TOKENS = 16_000
"""What an answer may take where the question sets no limit."""


class BudgetSpentError(Exception):
    """The next question could cost more than is left. No failure of a stage: whoever began the run ends it."""


class Price(Part):
    """Dollars for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None

    def of(self, usage: Usage) -> float:
        """What an answer cost."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (fresh * self.input + usage.cached_tokens * cached + usage.completion_tokens * self.output) / 1e6


FREE = Price(input=0, output=0)


def read_prices(path: Path) -> dict[str, Price]:
    """The table of a file: a model's name, or how it begins with a `*` at the end, and its price."""
    try:
        return TypeAdapter(dict[str, Price]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as cause:
        raise ModelError(
            f"{path} is no table of prices: {_reason(cause)}. A line reads `gpt-4.1: {{input: 2, output: 8}}`, in dollars for "
            "a million tokens"
        ) from cause


def _reason(cause: Exception) -> str:
    if isinstance(cause, ValidationError):
        first = cause.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"
    return " ".join(str(cause).split())


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model: its own line, else the longest beginning that fits."""
    if model in prices:
        return prices[model]
    fitting = [name for name in prices if name.endswith("*") and model.startswith(name[:-1])]
    return prices[max(fitting, key=len)] if fitting else None


@dataclass(slots=True)
class Line:
    """What one stage has asked."""

    asked: int = 0
    """Questions that were paid for."""
    kept: int = 0
    """Questions whose answers were there already."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    dollars: float = 0.0

    def __add__(self, other: Line) -> Line:
        return Line(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Line)))


@dataclass(slots=True)
class Ledger:
    """Lines by stage."""

    lines: dict[str, Line] = field(default_factory=dict)

    def line(self, purpose: str) -> Line:
        return self.lines.setdefault(purpose, Line())

    @property
    def total(self) -> Line:
        return sum(self.lines.values(), Line())

    def paid(self, purpose: str, usage: Usage, dollars: float) -> None:
        """An answer came and is owed for."""
        line = self.line(purpose)
        line.asked += 1
        line.prompt_tokens += usage.prompt_tokens
        line.cached_tokens += usage.cached_tokens
        line.completion_tokens += usage.completion_tokens
        line.reasoning_tokens += usage.reasoning_tokens
        line.dollars += dollars


class Budget:
    """How much may be spent; what questions under way may cost is set aside."""

    def __init__(self, dollars: float | None, spent: float = 0.0) -> None:
        self.dollars, self.spent = dollars, spent
        self._aside = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def aside(self, question: Question, price: Price) -> Iterator[None]:
        """Room for a question while it is under way."""
        most = price.of(most_of(question)) if self.dollars is not None else 0.0
        with self._lock:
            if self.dollars is not None and self.spent + self._aside + most > self.dollars:
                left = max(self.dollars - self.spent, 0.0)
                raise BudgetSpentError(
                    f"${left:.2f} of ${self.dollars:.2f} is left, and the next question ({question.purpose}) may cost "
                    f"${most:.2f}. What was paid for is kept: go on with a greater --budget"
                )
            self._aside += most
        try:
            yield
        finally:
            with self._lock:
                self._aside -= most

    def spend(self, dollars: float) -> None:
        with self._lock:
            self.spent += dollars


def most_of(question: Question) -> Usage:
    """The most that a question and its answer can take."""
    characters = sum(len(message.content) for message in question.messages) + len(str(question.tools or ""))
    return Usage(
        prompt_tokens=characters // _CHARACTERS_PER_TOKEN + 50 * len(question.messages),
        completion_tokens=question.max_tokens or _ANSWER_TOKENS,
    )
