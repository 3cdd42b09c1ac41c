"""What is kept of an episode: steps as they can be written down, and the conversation as a chat template takes it."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, cast

from envscaler_mcp.artifacts import Step
from envscaler_mcp.artifacts.episode import COMPLETED
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.episode.user import STOP
from envscaler_mcp.serving.code import CallableTool
from envscaler_mcp.serving.plain_json import is_plain

FINISHED = "Task finished"
"""The last thing an agent hears; the words of the published environment."""
UNHEARD = f"Nobody reads along. Call a tool, or say {COMPLETED!r} when everything is done."
EMPTY = f"The move was empty. Call a tool, or say {COMPLETED!r} when everything is done."
SILENT = "The move was empty. Call a tool, or say something to the user."
NO_MOVE = "That is neither a text nor a call of a tool."
_MAX_DEPTH = 64
"""How deep arguments may be nested; tools take less, and what is a few times deeper could not be read from a record."""
MAX_BYTES = 200 * 1024
"""Of arguments, as JSON in ASCII, which is their longest form; less than the shortest message that any way to a world takes."""
MAX_BITS = 1_000
"""Of a number: 301 digits, more than which some ways and some files do not carry."""
MAX_NAME = 200
TOO_LARGE = f"The arguments are too large: {MAX_BYTES // 1024} KiB are taken together, and numbers of at most 301 digits. Send less."
TOO_LONG = f"That is too long to be read. Say it in less than {MAX_BYTES // 1024} KiB."
"""What a user says to more."""
_SHORT = reprlib.Repr()
_SHORT.maxstring = 1_000
_MAX_TOLD = 20_000
"""Letters kept of what could not be sent."""


NO_ACTION = "Error: Failed to parse response to action"
"""What the published runtime answers to an empty move, or to arguments that are no JSON."""


def may_write(tool: CallableTool | None, *, published: bool = False) -> bool:
    """Whether a call may change something; in a published world what is not offered can be called, too."""
    return published if tool is None else tool.tool.effect == "writes"


def heard_by_nobody(text: str, mode: Mode, *, published: bool = False) -> tuple[str, bool]:
    """What follows from words that no user answers, and whether that is an error."""
    if published:
        return (FINISHED, False) if text.strip() and mode == "task" else (NO_ACTION, True)
    if mode == "conversation":
        return SILENT, True
    if COMPLETED in text:
        return FINISHED, False
    return UNHEARD if text.strip() else EMPTY, True


def spared_after(spared: int, turn: Sequence[Step], most: int) -> int:
    """How many moves do not count against the limit after this one: those with a disturbed call, as many as the limit at most."""
    return spared + 1 if spared < most and any(step.disturbed for step in turn) else spared


def is_last(step: Step, mode: Mode) -> bool:
    """Whether an episode is completed with this step."""
    if is_call(step):
        return False
    return step.observation == FINISHED if mode == "task" else STOP in step.observation


def is_call(step: Step) -> bool:
    """Whether a tool was called, or was meant to be."""
    return bool(step.tool or step.malformed)


def is_said(step: Step) -> bool:
    """Whether the agent said something that a user heard."""
    return not is_call(step) and bool(step.text.strip())


def written_arguments(step: Step) -> str:
    """The arguments of a call as they were written, or as JSON."""
    return step.malformed or json.dumps(step.arguments, ensure_ascii=False)


def messages_of(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """One turn as a chat template takes it; nothing in it that its steps do not hold."""
    if not steps:
        return []
    first = steps[0]
    said: dict[str, Any] = {"role": "assistant", "content": first.text}
    if first.reasoning:
        said["reasoning_content"] = first.reasoning
    if not is_call(first):
        # An agent that ran out of time has heard nothing.
        heard = [{"role": "user", "content": first.observation}] if first.observation else []
        return [said, *heard]
    said["tool_calls"] = [
        {
            "id": f"call_{step.number}",
            "type": "function",
            "function": {"name": step.tool, "arguments": written_arguments(step)},
        }
        for step in steps
    ]
    answers = [
        {"role": "tool", "tool_call_id": f"call_{step.number}", "name": step.tool, "content": step.observation}
        for step in steps
    ]
    return [said, *answers]


def storable(text: object) -> str:
    """A text as it can be written down: whatever an agent says ends in a file."""
    try:
        return str(text).encode(errors="replace").decode()
    except Exception:
        # A number of more digits than Python writes, or the agent's own code.
        return type(text).__name__


def is_sendable(tool: object, arguments: object) -> bool:
    """Whether a call can be told in JSON, to a world and to a file."""
    if type(tool) is not str or not tool or type(arguments) is not dict:
        return False
    if len(tool) > MAX_NAME or not tool.isprintable():
        return False
    # Size first, since what holds itself has no end.
    return is_small(arguments) and _is_shallow(arguments) and is_plain(arguments)


def is_small(arguments: object) -> bool:
    """Whether every way to a world carries the arguments; what holds itself is large."""
    room = MAX_BYTES
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        room -= 4
        if isinstance(value, str):
            # As it is sent it is as long or longer: a quote takes two bytes, an emoji twelve.
            room -= len(encode_basestring_ascii(value)) if len(value) <= room else len(value)
        elif value is None or isinstance(value, bool):
            room -= 3
        elif isinstance(value, int):
            size = value.bit_length()
            room -= size // 3
            if size > MAX_BITS:
                return False
        elif isinstance(value, dict):
            waiting += [*value, *value.values()] if 4 * len(value) <= room else []
            room -= 4 * len(value)
        elif isinstance(value, list):
            waiting += value if len(value) <= room else []
            room -= len(value)
        elif isinstance(value, float):
            room -= 24
        if room < 0:
            return False
    return True


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for container in level
            for inner in (container.values() if isinstance(container, dict) else container)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return True
    return False


def as_written(arguments: object) -> str:
    """What stood in the place of arguments that cannot be sent; never nothing."""
    if isinstance(arguments, str) and arguments:
        left_out = len(arguments) - _MAX_TOLD
        return storable(arguments[:_MAX_TOLD]) + (f" … ({left_out:,} letters are left out)" if left_out > 0 else "")
    try:
        if not is_small(arguments):
            return storable(_SHORT.repr(arguments))[:_MAX_TOLD]
    except Exception:
        return f"a {type(arguments).__name__} that is too large"
    try:
        return storable(json.dumps(cast(Any, arguments), ensure_ascii=False))[:_MAX_TOLD]
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return storable(repr(arguments))[:_MAX_TOLD] or "?"
    except Exception:
        # The repr of another program's class.
        return type(arguments).__name__
