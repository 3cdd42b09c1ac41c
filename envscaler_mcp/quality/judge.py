"""What the contract says of one call that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from envscaler_mcp.artifacts import StateDiff, Tool
from envscaler_mcp.artifacts.quality import Judgement
from envscaler_mcp.language.text import singular, words
from envscaler_mcp.quality.probe_worlds import Earlier, Tried
from envscaler_mcp.sampling.offers import containers

Finding = tuple[Judgement, str]


@dataclass(frozen=True, slots=True)
class Probe:
    """A call worth trying, and what should come of it."""

    tool: str
    kind: Literal["positive", "negative"]
    tries: str
    arguments: dict[str, Any]
    earlier: Earlier = ()
    sentence: str | None = None
    """The words in which it must be refused, where they are known."""
    names: tuple[str, ...] = ()
    """What a refusal has to name, one of these."""
    lenient: bool = False
    """Whether the contrary is doubtful rather than wrong."""


class Law(Protocol):
    """What must hold in one environment besides the contract of all."""

    def faults(self, tool: str, tried: Tried, /) -> Iterator[Finding]:
        """What is wrong with the state that a done call left."""


def judge_call(probe: Probe, tool: Tool, tried: Tried, law: Law) -> Finding:
    """The gravest finding, and of equals the first; a pass needs no words."""
    findings = list(_findings(probe, tool, tried, law))
    for grave in ("fail", "warning"):
        for judgement, reason in findings:
            if judgement == grave:
                return judgement, reason
    return "pass", ""


def _findings(probe: Probe, tool: Tool, tried: Tried, law: Law) -> Iterator[Finding]:
    if tried.failure is not None:
        yield "fail", tried.failure
        return
    if tried.differs:
        yield "fail", f"the same call on two forks gave {tried.differs}"
    kind = tried.outcome.kind
    if kind != "done" and not tried.diff.empty:
        yield "fail", f"the refused call changed {changes_in_words(tried.diff)}"
    elif tool.effect == "reads" and not tried.diff.empty:
        yield "fail", f"it only reads, by its declaration, and changed {changes_in_words(tried.diff)}"
    if tried.stuck:
        yield "fail", f"what it changed is not written down and could not be taken back: {changes_in_words(tried.diff)}"
    if kind == "done":
        yield from _of_a_done_call(probe, tried, law)
    else:
        yield from _of_a_refused_call(probe, tool, tried)


def _of_a_done_call(probe: Probe, tried: Tried, law: Law) -> Iterator[Finding]:
    payload = tried.outcome.payload
    if "data" not in payload and "message" not in payload:
        yield "fail", "its result has neither data nor a message"
    if "error" in payload:
        yield "fail", "its result says success and gives an error"
    if probe.kind == "negative":
        said = f"it was done, although it should be refused: {probe.tries}"
        yield ("warning" if probe.lenient else "fail"), said
    if not tried.diff.empty:
        yield from law.faults(probe.tool, tried)


def _of_a_refused_call(probe: Probe, tool: Tool, tried: Tried) -> Iterator[Finding]:
    sentence = str(tried.outcome.payload.get("error", ""))
    if probe.kind == "positive":
        if probe.lenient:
            yield "warning", f"every guard lets it pass, and it was refused: {sentence}"
        else:
            yield "fail", f"it was refused: {sentence}"
        return
    if probe.sentence is not None and sentence != probe.sentence:
        yield "fail", f"it was refused with {sentence!r}, and the blueprint says {probe.sentence!r}"
    if len(sentence.split()) < 3:
        yield "warning", f"the refusal {sentence!r} is no sentence"
    elif not _names_something(sentence, probe, tool, tried.before):
        yield "warning", f"the refusal {sentence!r} names neither a value nor a thing"


def _names_something(sentence: str, probe: Probe, tool: Tool, state: Mapping[str, Any]) -> bool:
    said = sentence.casefold()
    return any(len(word) > 1 and word.casefold() in said for word in _nameable(probe, tool, state))


def _nameable(probe: Probe, tool: Tool, state: Mapping[str, Any]) -> Iterator[str]:
    """Values of the call, its arguments and things by name, and what records of the state are called."""
    yield from probe.names
    for value in probe.arguments.values():
        for scalar in _scalars(value):
            yield f"{scalar / 100:,.2f}" if isinstance(scalar, int) else str(scalar)
            yield str(scalar)
    for name in (tool.name, *tool.input_schema.get("properties", {})):
        yield from (part for part in words(name).split() if len(part) > 2)
    stored = containers(state)
    for container in stored:
        yield words(singular(container))
    for records in stored.values():
        for record in records.values():
            yield from (value for value in record.values() if isinstance(value, str) and len(value) > 2)


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def changes_in_words(diff: StateDiff) -> str:
    """What a difference changed, in a few words."""
    changes = [f"{container} {key} (new)" for container, records in diff.created.items() for key in records]
    changes += [f"{container} {key} (gone)" for container, records in diff.deleted.items() for key in records]
    changes += [
        f"{container} {key} ({', '.join(fields)})"
        for container, records in diff.changed.items()
        for key, fields in records.items()
    ]
    changes += list(diff.scalars)
    return ", ".join(changes[:3]) + (f" and {len(changes) - 3} more" if len(changes) > 3 else "")
