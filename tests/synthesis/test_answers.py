"""What a card says of the answers and the changes of its tools holds for every call."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from envscaler_mcp.artifacts import Environment, Tool, ToolAnswers
from envscaler_mcp.errors import WorldError
from envscaler_mcp.language.analysis import tool_names
from envscaler_mcp.language.model import Model
from envscaler_mcp.serving.listing import hints_of, listed_tools, output_schema
from envscaler_mcp.serving.shapes import AnswerShapes
from envscaler_mcp.synthesis.answers import answers_of
from tests.synthesis.twins import content
from tests.synthesis.worlds import NAMES, TURNS, Player, compiled, model, start, with_seeds

CALLS, HISTORY = 150, 18


def tools_of(known: Model) -> dict[str, Tool]:
    return {
        name: Tool(name=name, description="", effect="writes" if effect == "writes" else "reads", input_schema={})
        for name, effect in tool_names(known)
    }


def check_calls(name: str, seed: int, calls: int) -> None:
    known, tools = answers_of(model(name)), tools_of(model(name))
    shapes = AnswerShapes(known.records)
    schemas = {tool: Draft202012Validator(output_schema(tools[tool], known, shapes)) for tool in tools}
    hints = {tool: hints_of(tools[tool], known) for tool in tools}
    world, player = compiled(name)(start(name, HISTORY)), Player(name, seed)
    for _ in range(calls):
        before = copy.deepcopy(content(world))
        tool, arguments = player.draw(before)
        answer = called(world, tool, arguments)
        said = f"{tool}({arguments}): {answer}"
        assert not [error.message for error in schemas[tool].iter_errors(answer)], said
        after = copy.deepcopy(content(world))
        assert not hints[tool]["readOnlyHint"] or after == before, said
        assert hints[tool]["destructiveHint"] or only_more(before, after), said
        if hints[tool]["idempotentHint"]:
            called(world, tool, arguments)
            assert content(world) == after, said


def called(world: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    world._journal = []
    answer: dict[str, Any] = getattr(world, tool)(**copy.deepcopy(arguments))
    return answer


def only_more(before: dict[str, Any], after: dict[str, Any]) -> bool:
    records = {name: value for name, value in before.items() if isinstance(value, dict) and name != "counters"}
    return all(after[name].items() >= value.items() for name, value in records.items())


@pytest.mark.parametrize("name", TURNS)
def test_answers_and_changes_are_what_the_card_says(name: str) -> None:
    check_calls(name, 1, CALLS)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "seed"), with_seeds(2, 3))
def test_answers_and_changes_of_every_blueprint_are_what_its_card_says(name: str, seed: int) -> None:
    check_calls(name, seed, 2 * CALLS)


def test_some_changes_only_add_and_some_can_be_repeated() -> None:
    known = [answers_of(model(name)) for name in NAMES]
    assert any(answers.additive for answers in known)
    assert any(answers.repeatable for answers in known)
    for answers, name in zip(known, NAMES, strict=True):
        assert {*answers.additive, *answers.repeatable} <= set(model(name).operations)


@pytest.mark.parametrize("effect", ["reads", "writes"])
def test_of_tools_of_unknown_code_the_worst_is_assumed(effect: Literal["reads", "writes"]) -> None:
    hints = hints_of(Tool(name="t", description="d", effect=effect, input_schema={}))
    assert hints["readOnlyHint"] is hints["idempotentHint"] is (effect == "reads")
    assert hints["destructiveHint"] is (effect == "writes")


SHAPES = st.recursive(
    st.sampled_from(["str", "int", "bool", "any", "=clean|dirty"]),
    lambda inner: st.one_of(
        inner.map(lambda text: f"[{text}]"),
        inner.map(lambda text: text if text.endswith("?") else f"{text}?"),
        st.lists(inner, max_size=3).map(
            lambda texts: "{" + ", ".join(f"k{number}: {text}" for number, text in enumerate(texts)) + "}"
        ),
    ),
    max_leaves=8,
)


@given(SHAPES)
def test_every_shape_is_a_valid_schema(text: str) -> None:
    Draft202012Validator.check_schema(AnswerShapes({}).schema(text))


@given(st.text(alphabet="{}[]:,?=| strA1", max_size=40))
def test_any_other_text_is_a_schema_or_refused(text: str) -> None:
    with suppress(WorldError):
        Draft202012Validator.check_schema(AnswerShapes({}).schema(text))


@pytest.mark.parametrize(
    "records",
    [
        {"A": "[" * 50 + "int" + "]" * 50},
        {"A": "[A]"},
        {"A": "{b: B}", "B": "int"},
        {"A": "{" + ", ".join(f"k{n}: int" for n in range(50_000)) + "}"},
        {"A": "Å"},
        {},
    ],
)
def test_a_tool_of_a_card_with_unusable_shapes_is_listed_without_a_schema(records: dict[str, str]) -> None:
    tool = Tool(name="get_a", description="Look.", effect="reads", input_schema={"type": "object"})
    card = Environment(
        id="elsewhere",
        title="Elsewhere",
        about="A card of another author.",
        sector="s",
        version="1.0.0",
        origin="compiled",
        class_name="Elsewhere",
        introduction="",
        rules=(),
        tools=(tool,),
        answers=ToolAnswers(records=records, data={"get_a": "A"}),
        states=(),
        code_digest="sha256:0",
    )
    (listed,) = listed_tools(card)
    assert "outputSchema" not in listed
    assert listed["title"] == "Get a"
