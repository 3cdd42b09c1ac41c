"""Tools as Python functions: signatures and docstrings that programs read, and calls that are the world's own."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.rl.functions import tool_function, type_of
from tests.farm.farms import ROOT

CARDS = sorted((ROOT / "generated_servers").glob("*/environment.json"))


def tool(schema: dict[str, Any], name: str = "act") -> Tool:
    return Tool(name=name, description="Does it.", effect="writes", input_schema=schema)


def test_a_function_has_the_tools_arguments_types_and_texts(here: rl.Gym) -> None:
    with here.open("library_loans-easy-01") as episode:
        for function, described in zip(episode.functions(), here.card("library_loans").tools, strict=True):
            signature = inspect.signature(function)
            assert function.__name__ == described.name
            assert set(signature.parameters) == set(described.input_schema["properties"])
            assert set(get_type_hints(function)) == {*signature.parameters, "return"}
            required = {name for name, one in signature.parameters.items() if one.default is inspect.Parameter.empty}
            assert required == set(described.input_schema["required"])
            assert described.description.split()[0] in (function.__doc__ or "")


def test_a_function_does_what_a_call_does(gym: rl.Gym) -> None:
    with gym.open("library_loans-easy-01") as episode, gym.open("library_loans-easy-01") as other:
        functions = {function.__name__: function for function in episode.functions()}
        for call in episode.scenario.oracle:
            assert functions[call.tool](**call.arguments) == other.call(call.tool, call.arguments)
        assert episode.verify().reward == 1.0
        name = episode.scenario.oracle[0].tool
        assert functions[name](no_such=1) == other.call(name, {"no_such": 1})


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"anyOf": []}, Any),
        ({"anyOf": 3}, Any),
        ({"type": ["string", "null"]}, Any),
        ({"type": "array", "items": True}, list[Any]),
        ({"enum": [[1], {}]}, Any),
        ({"anyOf": [{"enum": [[1]]}, {"type": "integer"}]}, Any | int),
    ],
)
def test_a_schema_that_says_no_type_admits_anything(schema: dict[str, Any], type_: Any) -> None:
    assert type_of(schema) == type_
    made = tool_function(tool({"properties": {"given": schema}}), lambda name, arguments: f"{name} {arguments}")
    assert made(given=[1]) == "act {'given': [1]}"


def test_choices_are_literals_and_what_may_be_left_out_has_its_default() -> None:
    schema = {
        "type": "object",
        "properties": {
            "ward": {"type": "string", "enum": ["north", "south"]},
            "beds": {"type": "integer", "default": 3},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["ward", "tags"],
    }
    made = tool_function(tool(schema), lambda name, arguments: f"{name} {arguments}")
    signature = inspect.signature(made)
    assert list(signature.parameters) == ["ward", "tags", "beds", "note"]
    assert get_args(signature.parameters["ward"].annotation) == ("north", "south")
    assert get_origin(signature.parameters["ward"].annotation) is Literal
    assert signature.parameters["beds"].default == 3
    assert signature.parameters["tags"].annotation == list[str]
    assert made("north", ["a"]) == "act {'ward': 'north', 'tags': ['a']}"


def test_names_that_python_does_not_take_still_reach_their_tool() -> None:
    schema = {"type": "object", "properties": {"from": {"type": "string"}}, "required": ["from"]}
    made = tool_function(tool(schema, "book-it"), lambda name, arguments: f"{name} {arguments}")
    assert made.__name__ == "book_it"
    assert made(from_="Monday") == "book-it {'from': 'Monday'}"


def test_nothing_of_a_tools_texts_is_run() -> None:
    text = '"""\nimport os\nos._exit(1)\n"""'
    schema = {"type": "object", "properties": {text: {"type": "string", "description": text}}, "required": []}
    made = tool_function(tool(schema, text), lambda *_: "fine")
    assert made() == "fine"


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "strange"}, {"type": "null"}])
def test_every_schema_has_a_type(schema: dict[str, Any]) -> None:
    type_of(schema)


@pytest.mark.parametrize("card", CARDS[::70], ids=lambda card: card.parent.name)
def test_trainers_read_schemas_from_the_functions(card: Path) -> None:
    chat_template_utils = pytest.importorskip("transformers.utils.chat_template_utils")
    for described in Environment.read(card).tools:
        schema = chat_template_utils.get_json_schema(tool_function(described, lambda *_: ""))["function"]
        assert schema["name"] == described.name
        properties = described.input_schema["properties"]
        assert set(schema["parameters"]["properties"]) == set(properties)
        for name, own in schema["parameters"]["properties"].items():
            assert own["description"]
            if "enum" in properties[name]:
                assert own["enum"] == properties[name]["enum"]
        assert sorted(schema["parameters"].get("required", [])) == sorted(described.input_schema["required"])
