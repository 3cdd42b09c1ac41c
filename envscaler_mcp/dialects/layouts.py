"""How an answer is laid out: in which envelope, as a table, or as a sentence."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_mcp.dialects.axes import Answers, Axes, KeyNames
from envscaler_mcp.dialects.wording import styled
from envscaler_mcp.serving.outcome import encode

TEXTS: tuple[Answers, ...] = ("markdown", "csv")
"""Layouts whose answers are no JSON."""


class Layout:
    """The answers of one dialect."""

    def __init__(self, axes: Axes) -> None:
        self.style = axes.answers
        self._keys: KeyNames = axes.keys
        self.as_text = self.style in TEXTS

    def word(self, *words: str) -> str:
        """A word of the layout's own, in the style of the keys."""
        return styled(words, self._keys)

    def rows(self, kind: str, rows: Sequence[Any], page: Mapping[str, Any], keys: Sequence[str]) -> Any:
        """A list of records; `keys` head a table that has no rows."""
        match self.style:
            case "plain":
                return {kind: rows, **self._styled(page)}
            case "envelope":
                return {self.word("data"): rows, self.word("meta"): self._styled(page)}
            case "ok":
                return {self.word("ok"): True, self.word("result"): {self.word("items"): rows, **self._styled(page)}}
            case "jsonapi":
                return {"data": [self._resource(kind, row) for row in rows], "meta": self._styled(page)}
            case "markdown":
                return _markdown(kind, rows, keys, self._footer(page))
            case "csv":
                return f"{_csv(rows, keys)}# {self._footer(page)}"

    def record(self, value: Any) -> Any:
        """One record, or what else a question that lists nothing answers."""
        match self.style:
            case "plain":
                return value if isinstance(value, dict) else {self.word("value"): value}
            case "envelope" | "jsonapi":
                return {self.word("data"): value}
            case "ok":
                return {self.word("ok"): True, self.word("result"): value}
            case "markdown" | "csv":
                return _lines(value)

    def done(self, said: Mapping[str, Any]) -> Any:
        """What a change answers: a sentence, ids, or nothing but that it was done."""
        if self.as_text:
            return "\n".join(str(value) for value in said.values()) if len(said) == 1 else _sections(said) or "OK"
        return self.record(dict(said))

    def _styled(self, page: Mapping[str, Any]) -> dict[str, Any]:
        return {self.word(*name.split("_")): value for name, value in page.items()}

    def _footer(self, page: Mapping[str, Any]) -> str:
        return ", ".join(f"{name.replace('_', ' ')}: {_cell(value)}" for name, value in page.items())

    def _resource(self, kind: str, row: Any) -> dict[str, Any]:
        """A record as JSON:API has it."""
        if not isinstance(row, dict):
            return {"type": kind, "attributes": {"value": row}}
        own = self.word("id")
        attributes = {name: value for name, value in row.items() if name != own}
        return {"type": kind, **({"id": row[own]} if own in row else {}), "attributes": attributes}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, dict):
        return (
            value["name"]
            if value.keys() == {"code", "name"}
            else "; ".join(f"{k}: {_cell(v)}" for k, v in value.items())
        )
    return ", ".join(map(_cell, value)) if isinstance(value, list) else str(value)


def _table(rows: Sequence[Any], keys: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    if rows and not isinstance(rows[0], dict):
        return ["value"], [[_cell(row)] for row in rows]
    head = list(rows[0]) if rows else list(keys)
    return head, [[_cell(row[name]) for name in head] for row in rows]


def _markdown(kind: str, rows: Sequence[Any], keys: Sequence[str], footer: str) -> str:
    head, lines = _table(rows, keys)
    if not lines:
        return f"No {kind}. ({footer})"
    table = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in table) + f"\n\n{footer}"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", "<br>")


def _csv(rows: Sequence[Any], keys: Sequence[str]) -> str:
    head, lines = _table(rows, keys)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([head, *lines])
    return text.getvalue()


def _lines(value: Any) -> str:
    """One record as text."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_cell(inner)}" for name, inner in value.items())
    return _cell(value)


def _sections(said: Mapping[str, Any]) -> str:
    """What a change answers as text: a line each, and one for each record that it changed."""
    return "\n".join(line for name, value in said.items() for line in _section(name, value))


def _section(name: str, value: Any) -> list[str]:
    if not isinstance(value, dict):
        return [f"{name}: {_cell(value)}"]
    return [f"{name} {kind}: {_cell(record)}" for kind, records in value.items() for record in records]


def as_text(body: Any) -> str:
    """An answer as it is sent."""
    return body if isinstance(body, str) else encode(body)
