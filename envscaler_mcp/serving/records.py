"""The records of a world as resources, `environment://records/KIND/ID`, and completion of kinds and ids.

They are read with the world's own `list_…` tools, so that no client sees here what a call would not have shown it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.serving.outcome import Outcome

PREFIX = "environment://records/"
TEMPLATE = f"{PREFIX}{{kind}}/{{id}}"
MOST_VALUES = 100
"""Completions in one answer, as the protocol bounds them."""
_PAGE, _MOST_PAGES = 50, 40
_LIST = re.compile(r"\{total: int, (?P<kind>\w+): \[[A-Z]\w*\]\}")

Reading = Generator[tuple[str, dict[str, Any]], Outcome, dict[str, Any] | None]
"""Calls to be made, whose outcomes are sent in; what comes of them."""


class RecordResources:
    """What can be read and completed in the worlds of one environment."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Each kind of record that a tool lists, with that tool."""
        answers = self._environment.answers
        if answers is None:
            return {}
        return {
            match["kind"]: tool
            for tool, shape in answers.data.items()
            if tool.startswith("list_") and (match := _LIST.fullmatch(shape)) is not None
        }

    @property
    def templates(self) -> list[dict[str, Any]]:
        """The resource templates, as the protocol lists them."""
        if not self.kinds:
            return []
        return [
            {
                "uriTemplate": TEMPLATE,
                "name": "record",
                "title": "Record",
                "description": f"One record as it is now, by its kind ({', '.join(self.kinds)}) and its id.",
                "mimeType": "application/json",
            }
        ]

    def named(self, uri: str) -> tuple[str, str] | None:
        """The kind and the id in the address of a record."""
        kind, _, id_ = uri.removeprefix(PREFIX).partition("/")
        return (kind, unquote(id_)) if uri.startswith(PREFIX) and kind in self.kinds and id_ else None

    def read(self, uri: str) -> Reading:
        """The contents of a record's address; None where there is no such record."""
        named = self.named(uri)
        if named is None:
            return None
        for records in self._pages(named[0]):
            outcome = yield records
            for record in _records(outcome, named[0]):
                if record.get("id") == named[1]:
                    text = json.dumps(record, ensure_ascii=False, indent=1)
                    return {"uri": uri, "mimeType": "application/json", "text": text}
            if not _goes_on(outcome, records[1]):
                return None
        return None

    def complete(self, params: dict[str, Any]) -> Reading:
        """The completion that a client asks for, as the protocol answers it."""
        reference, argument = params["ref"], params["argument"]
        begun = argument["value"].casefold()
        values: list[str] = []
        if reference.get("uri") == TEMPLATE and argument["name"] == "kind":
            values = [kind for kind in self.kinds if kind.startswith(begun)]
        elif reference.get("uri") == TEMPLATE and argument["name"] == "id":
            given = (params.get("context") or {}).get("arguments") or {}
            values = yield from self._ids(given.get("kind", ""), begun)
        return {"values": values[:MOST_VALUES], "total": len(values), "hasMore": len(values) > MOST_VALUES}

    def _ids(self, kind: str, begun: str) -> Generator[tuple[str, dict[str, Any]], Outcome, list[str]]:
        ids: list[str] = []
        if kind not in self.kinds:
            return ids
        for asked in self._pages(kind):
            outcome = yield asked
            here = [str(record.get("id")) for record in _records(outcome, kind)]
            ids += [id_ for id_ in here if id_.casefold().startswith(begun)]
            if len(ids) > MOST_VALUES or not _goes_on(outcome, asked[1]):
                break
        return ids

    def _pages(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        return [(self.kinds[kind], {"offset": page * _PAGE}) for page in range(_MOST_PAGES)]


def progress_after(outcome: Outcome, arguments: dict[str, Any]) -> tuple[int, int] | None:
    """How many records were looked through after this page, and of how many, where there are more pages."""
    if not _goes_on(outcome, arguments):
        return None
    return arguments["offset"] + _PAGE, outcome.payload["data"]["total"]


def _records(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    data = outcome.payload.get("data") if outcome.kind == "done" else None
    records = data.get(kind) if isinstance(data, dict) else None
    return [record for record in records if isinstance(record, dict)] if isinstance(records, list) else []


def _goes_on(outcome: Outcome, arguments: dict[str, Any]) -> bool:
    """Whether there are more records after this page."""
    data = outcome.payload.get("data") if outcome.kind == "done" else None
    total = data.get("total") if isinstance(data, dict) else None
    return isinstance(total, int) and total > arguments["offset"] + _PAGE


def is_completion(params: dict[str, Any]) -> bool:
    """Whether a client asks for a completion as the protocol has it."""
    reference, argument, context = params.get("ref"), params.get("argument"), params.get("context")
    return (
        isinstance(reference, dict)
        and isinstance(
            reference.get({"ref/resource": "uri", "ref/prompt": "name"}.get(reference.get("type", ""), "")), str
        )
        and isinstance(argument, dict)
        and isinstance(argument.get("name"), str)
        and isinstance(argument.get("value"), str)
        and (context is None or (isinstance(context, dict) and _is_texts(context.get("arguments"))))
    )


def _is_texts(given: object) -> bool:
    return given is None or (isinstance(given, dict) and all(isinstance(value, str) for value in given.values()))
