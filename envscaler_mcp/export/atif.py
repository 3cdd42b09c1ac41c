"""The Agent Trajectory Interchange Format of Harbor: one document for each episode, with all that was said and done."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Step, digest_of
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.errors import ExportError, boundary
from envscaler_mcp.export.dialogue import Dialogue, Message
from envscaler_mcp.export.formats import RECORDS, Format
from envscaler_mcp.plain_files import replacing

VERSION = "ATIF-v1.7"
_SOURCES = {"system": "system", "user": "user", "assistant": "agent"}


def write_atif(folder: Path, dialogues: Iterable[Dialogue]) -> int:
    """One file for each episode, named after it, in a folder that is whole or not there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportError(
            f"{folder} is there already; this format has a file for each episode, so name a new folder with --out."
        )
    names: set[str] = set()
    with boundary(ExportError, f"{folder} cannot be written"), replacing(folder) as new:
        for dialogue in dialogues:
            text = json.dumps(_document(dialogue), ensure_ascii=False, indent=1) + "\n"
            write_text(new / f"{_name(dialogue.trajectory.id, names)}.json", text)
    return len(names)


def _name(id_: str, taken: set[str]) -> str:
    """A name for a file, which is no other episode's on any file system."""
    name = re.sub(r"[^\w.-]+", "_", id_)
    if name.casefold() in taken or len(name.encode()) > 200:
        name = f"{name[:40]}_{digest_of(id_).removeprefix('sha256:')[:16]}"
    taken.add(name.casefold())
    return name


def _document(dialogue: Dialogue) -> dict[str, Any]:
    played = dialogue.trajectory
    verdict = played.verdict.model_dump(mode="json")
    facts = {name: fact for name, fact in dialogue.facts.items() if name not in verdict}
    model = {"model_name": played.provenance.model} if played.provenance.model else {}
    steps = list(_steps(dialogue))
    totals = {f"total_{name}": many for name, many in _metrics(played.use).items()} if played.use else {}
    user = played.model_dump(mode="json", include={"user_use", "invented"})
    return {
        "schema_version": VERSION,
        "session_id": played.id,
        "trajectory_id": played.id,
        "agent": {"name": played.agent, "version": __version__, **model, "tool_definitions": list(dialogue.tools)},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
        "final_metrics": {"total_steps": len(steps), **totals},
        "extra": {**facts, **user, "verdict": verdict},
    }


def _metrics(use: ModelCost) -> dict[str, float]:
    return {
        "prompt_tokens": use.prompt_tokens,
        "completion_tokens": use.completion_tokens,
        "cached_tokens": use.cached_tokens,
        "cost_usd": use.dollars,
    }


def _steps(dialogue: Dialogue) -> Iterator[dict[str, Any]]:
    """What was said, with the answers to its calls in it."""
    calls = {f"call_{step.number}": step for step in dialogue.trajectory.steps if step.tool or step.malformed}
    uses = {step.turn: step.use for step in dialogue.trajectory.steps if step.use is not None}
    step: dict[str, Any] = {}
    turn = 0
    for message in dialogue.messages:
        if message["role"] == "tool":
            id_ = message["tool_call_id"]
            result: dict[str, Any] = {"source_call_id": id_, "content": message["content"]}
            if id_ in calls:
                disturbed = {"disturbed": calls[id_].disturbed} if calls[id_].disturbed else {}
                result["extra"] = {"is_error": calls[id_].is_error, **disturbed}
            step.setdefault("observation", {"results": []})["results"].append(result)
            continue
        if step:
            yield step
        step = _said(message)
        if message["role"] == "assistant":
            turn += 1
            if "tool_calls" in message:
                step["tool_calls"] = [_called(call, calls.get(call["id"])) for call in message["tool_calls"]]
            if turn in uses:
                step["metrics"] = _metrics(uses[turn])
    yield step


def _said(message: Message) -> dict[str, Any]:
    step: dict[str, Any] = {"source": _SOURCES[message["role"]], "message": message["content"]}
    if "reasoning_content" in message:
        step["reasoning_content"] = message["reasoning_content"]
    return step


def _called(call: dict[str, Any], step: Step | None) -> dict[str, Any]:
    """The call; arguments that are no object stand beside it."""
    function = call["function"]
    called = {"tool_call_id": call["id"], "function_name": function["name"]}
    if step is not None and step.malformed:
        return called | {"arguments": {}, "extra": {"malformed": step.malformed}}
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return called | {"arguments": {}, "extra": {"malformed": function["arguments"]}}
    return called | {"arguments": arguments}


FORMAT = Format(*EXPORT_FORMATS["atif"], write_atif, RECORDS, lambda dialogue: dialogue.messages)
