"""What answers cost, by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from envscaler_mcp.artifacts.artifact import Part
from envscaler_mcp.artifacts.episode import Usage
from envscaler_mcp.errors import ArtifactError, ModelError, escaped_line
from envscaler_mcp.plain_files import read_named_file

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(Part):
    """Dollars for a million tokens."""

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None

    def of(self, usage: Usage) -> float:
        """What an answer cost."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (fresh * self.input + usage.cached_tokens * cached + usage.completion_tokens * self.output) / 1e6


_LARGEST_TABLE = 4 << 20
"""Bytes of a table of prices."""
FREE = Price(input=0, output=0)


def read_prices(path: Path) -> dict[str, Price]:
    """The table of a file: a model's name, or how it begins with a `*` at the end, and its price."""
    try:
        return TypeAdapter(dict[str, Price]).validate_python(
            yaml.safe_load(read_named_file(path, _LARGEST_TABLE).decode("utf-8")) or {}
        )
    except (ArtifactError, UnicodeDecodeError, yaml.YAMLError, ValidationError, RecursionError) as cause:
        raise ModelError(
            f"{path} is no table of prices: {_reason(cause)}. A line reads `gpt-4.1: {{input: 2, output: 8}}`, in dollars for "
            "a million tokens"
        ) from cause


def _reason(cause: Exception) -> str:
    if isinstance(cause, ValidationError):
        first = cause.errors()[0]
        return escaped_line(f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}")
    return " ".join(str(cause).split())


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model: its own line, else the longest beginning that fits."""
    if model in prices:
        return prices[model]
    fitting = [name for name in prices if name.endswith("*") and model.startswith(name[:-1])]
    return prices[max(fitting, key=len)] if fitting else None


@dataclass(slots=True)
class LedgerLine:
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
    unpriced: int = 0
    """Questions that may have cost something, at an unknown price."""

    def __add__(self, other: LedgerLine) -> LedgerLine:
        return LedgerLine(*(getattr(self, column.name) + getattr(other, column.name) for column in fields(LedgerLine)))


@dataclass(slots=True)
class Ledger:
    """Lines by stage."""

    lines: dict[str, LedgerLine] = field(default_factory=dict)

    def line(self, purpose: str) -> LedgerLine:
        return self.lines.setdefault(purpose, LedgerLine())

    @property
    def total(self) -> LedgerLine:
        return sum(self.lines.values(), LedgerLine())

    def answered_before(self, purpose: str) -> None:
        """The answer was there already, and costs nothing."""
        self.line(purpose).kept += 1

    def paid(self, purpose: str, usage: Usage, dollars: float | None) -> None:
        """An answer came and is owed for."""
        line = self.line(purpose)
        line.asked += 1
        line.prompt_tokens += usage.prompt_tokens
        line.cached_tokens += usage.cached_tokens
        line.completion_tokens += usage.completion_tokens
        line.reasoning_tokens += usage.reasoning_tokens
        self.owed(purpose, dollars)

    def owed(self, purpose: str, dollars: float | None) -> None:
        """Something cost so much; None where its price is not known."""
        line = self.line(purpose)
        if dollars is None:
            line.unpriced += 1
        else:
            line.dollars += dollars
