"""Dialogues for tests: drawn by chance, or written down; and the real template of Qwen3."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Environment, Tool, Trajectory, Verdict
from envscaler_mcp.artifacts.scenario import Split
from envscaler_mcp.export.dialogue import Dialogue, Message, dialogue_of
from envscaler_mcp.export.validity import MARKS

TEMPLATES = Path(__file__).parent / "templates"
TOOL = Tool(
    name="lend_book",
    description="Lends a book. „Ja“ & <b>",
    effect="writes",
    input_schema={"type": "object", "properties": {"book_id": {"type": "string"}}, "required": ["book_id"]},
)
ENVIRONMENT = Environment(
    id="library",
    title="Library",
    about="Books.",
    sector="test",
    version="1.0.0",
    origin="written",
    class_name="Library",
    introduction="Books are lent.",
    rules=(),
    tools=(TOOL, TOOL.model_copy(update={"name": "find", "input_schema": {"type": "object", "properties": {}}})),
    states=(),
    code_digest="sha256:0",
)


def dialogue(messages: Sequence[Message], split: Split = "train", **played: Any) -> Dialogue:
    facts: dict[str, Any] = {
        "id": "library-001/oracle/1",
        "scenario": "library-001",
        "scenario_digest": "sha256:1",
        "environment": "library",
        "code_digest": "sha256:0",
        "seed": 0,
        "agent": "oracle",
        "via": "direct",
        "verdict": Verdict(reward=1.0, solved=True),
    }
    return dialogue_of(Trajectory(**(facts | played), messages=tuple(messages)), ENVIRONMENT.tools, split)


def call(name: str, arguments: Any, id_: str = "call_1") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def agent(text: str = "", *calls: dict[str, Any], thought: str = "") -> Message:
    message: Message = {"role": "assistant", "content": text}
    if thought:
        message["reasoning_content"] = thought
    return message | ({"tool_calls": list(calls)} if calls else {})


def answer(text: str, id_: str = "call_1") -> Message:
    return {"role": "tool", "tool_call_id": id_, "name": "lend_book", "content": text}


SYSTEM: Message = {"role": "system", "content": "# Library\n\nBe kind."}
TALK: tuple[Message, ...] = (
    SYSTEM,
    user("I want two books, „Grüße“."),
    agent("", call("find", {"shelf": "a/b", "n": 1.5, "deep": {"x": [None, True]}}), thought="Which ones?"),
    answer('{"error": "No such shelf; try \\"science\\"."}'),
    agent("There are two. Which one?"),
    user("Both."),
    agent(
        "Then both.",
        call("lend_book", {"book_id": "BOOK-1"}, "call_3"),
        call("lend_book", {"book_id": "BOOK-2"}, "call_4"),
        thought="Two calls\n\nat once.",
    ),
    answer("lent", "call_3"),
    answer("lent as well", "call_4"),
    agent("Task Completed"),
    user("Task finished"),
)
"""A user in the middle, thoughts, an error, two calls in a turn, and an end that teaches nothing."""

_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).filter(
    lambda text: not any(mark in text for mark in MARKS)
)
_SPOKEN = _WORDS.filter(lambda text: bool(text.strip()))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def talks(draw: st.DrawFn) -> tuple[Message, ...]:
    """Messages of the shape that episodes have."""
    told: list[Message] = [*draw(st.sampled_from(([], [SYSTEM]))), user(draw(_WORDS))]
    for number in range(draw(st.integers(1, 4))):
        calls = [
            call(draw(st.sampled_from(("find", "lend_book"))), draw(st.dictionaries(_WORDS, _VALUES, max_size=2)), name)
            for name in (f"call_{number}_{place}" for place in range(draw(st.integers(0, 2))))
        ]
        told.append(agent(draw(_WORDS if calls else _SPOKEN), *calls, thought=draw(_WORDS)))
        told += [answer(draw(_WORDS), one["id"]) for one in calls] or [user(draw(_WORDS))]
    return tuple(told)


@cache
def _template(name: str) -> jinja2.Template:
    # As transformers sets it up; jinja2's own `tojson` sorts keys and escapes for web pages.
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string((TEMPLATES / name).read_text(encoding="utf-8"))


def qwen3(messages: Sequence[Message], tools: Sequence[dict[str, Any]] | None = None) -> str:
    """The conversation as Qwen3 reads it."""
    return _template("qwen3.jinja").render(messages=list(messages), tools=list(tools) if tools else None)


def rows_in(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
