"""Which words of a task say which values of its plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from envscaler_mcp.artifacts import Call, Environment, Span, canonical_json
from envscaler_mcp.errors import Unproven
from envscaler_mcp.language.column_types.moments import spoken_day
from envscaler_mcp.language.column_types.numbers import SMALL_NUMBERS
from envscaler_mcp.language.text import words
from envscaler_mcp.llm import Author, MisfitError
from envscaler_mcp.sampling.offers import plain, told_options
from envscaler_mcp.scenarios.heard import says_little
from envscaler_mcp.scenarios.rewording import marked, positions_of
from envscaler_mcp.scenarios.shapes import leaves

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class _Quote(BaseModel):
    number: int
    words: str = Field(description="As they stand in the text; empty where the text does not say the value.")


class _Quotes(BaseModel):
    quotes: list[_Quote]


@dataclass(frozen=True, slots=True)
class _Value:
    """A plain value in an argument of a call."""

    tool: str
    name: str
    value: object

    @property
    def fact(self) -> str:
        return f"{words(self.tool)}, {words(self.name)} = {canonical_json(self.value)}"


async def mark(
    author: Author, card: Environment, task: str, calls: Sequence[Call], heard: Iterable[str], today: str
) -> tuple[Span, ...]:
    """The text with every value marked that it says; Unproven where a change needs one that nothing says or shows."""
    said: dict[str, str] = {}
    unsaid: dict[str, _Value] = {}
    shown = set(heard)
    for given in (value for call in calls for value in _values(call)):
        quote = next((form for form in _forms(given.value, today) if positions_of(form, task)), "")
        if quote:
            said.setdefault(quote, given.fact)
        elif not _excused(card, given, shown) or _met_by_chance(card, given):
            unsaid.setdefault(canonical_json(given.value), given)
    if unsaid:
        said.update(await _quoted(author, card, task, list(unsaid.values()), said, shown))
    return tuple(marked(task, said))


def _values(call: Call) -> Iterator[_Value]:
    for name, value in sorted(call.arguments.items()):
        for leaf in leaves(value):
            yield _Value(call.tool, name, leaf)


def _excused(card: Environment, value: _Value, shown: Collection[str]) -> bool:
    """Whether an answer or a description may tell the value, so that no word has to; the proof sees whether one does."""
    return str(value.value) in shown or _documented(card, value)


def _met_by_chance(card: Environment, value: _Value) -> bool:
    """Whether a change depends on a value that stands in many an answer about something else."""
    tool = card.tool(value.tool)
    return tool is not None and tool.effect == "writes" and says_little(value.value)


def _documented(card: Environment, value: _Value) -> bool:
    """Whether the tool's description names the value, so that a reader can choose it."""
    tool = card.tool(value.tool)
    if tool is None:
        return False
    schema = tool.input_schema["properties"][value.name]
    listed = value.value in (*plain(schema).get("enum", ()), *told_options(schema))
    return listed or (tool.effect == "reads" and not isinstance(value.value, str))


def _forms(value: object, today: str) -> Iterator[str]:
    """Ways in which a value is written."""
    if isinstance(value, bool):
        return
    if isinstance(value, str):
        yield value
        if "_" in value:
            yield value.replace("_", " ")
        if _DAY.fullmatch(value):
            yield spoken_day(value, today)
            yield spoken_day(value, "0001-01-01")
    elif isinstance(value, int | float):
        yield f"{value}"
        yield f"{value:,}"
        if isinstance(value, int):
            # `one` is said of much that is no number.
            if 1 < value < len(SMALL_NUMBERS):
                yield SMALL_NUMBERS[value]
            if value >= 100:
                whole, cents = divmod(value, 100)
                yield f"{whole:,}.{cents:02d}"
                if not cents:
                    yield f"${whole:,}"
        elif value == int(value):
            yield f"{int(value)}"
            yield f"{int(value):,}"
        else:
            yield f"{value:.2f}"


async def _quoted(
    author: Author,
    card: Environment,
    task: str,
    values: Sequence[_Value],
    said: Mapping[str, str],
    shown: Collection[str],
) -> dict[str, str]:
    """What says the values that do not stand in the text as they are."""

    def check(answer: _Quotes) -> None:
        if sorted(quote.number for quote in answer.quotes) != list(range(1, len(values) + 1)):
            raise MisfitError(f"Each of the {len(values)} values needs one entry.")
        quotes = [quote.words for quote in answer.quotes if quote.words]
        for quote in quotes:
            if not positions_of(quote, task):
                raise MisfitError(f"{quote!r} does not stand in the text.")
            if quote in said or quotes.count(quote) > 1:
                raise MisfitError(f"{quote!r} says another value too; quote the words that say this one alone.")

    answer = await author.ask(
        "find_words",
        _Quotes,
        check,
        introduction=card.introduction,
        task=task,
        values="\n".join(f"{number}. {value.fact}" for number, value in enumerate(values, start=1)),
    )
    silent = [values[quote.number - 1] for quote in answer.quotes if not quote.words]
    silent = [value for value in silent if not _excused(card, value, shown)]
    if silent:
        raise Unproven(f"the task does not say {silent[0].fact}")
    return {quote.words: values[quote.number - 1].fact for quote in answer.quotes if quote.words}
