"""Rows of which the caller chooses what they hold."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from envscaler_mcp.artifacts import Call
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.dialects.axes import axes_of
from envscaler_mcp.serving.listing import listed_tools
from envscaler_mcp.serving.spoken_world import SpokenWorld
from tests.dialects.shipped import TURNS, dialect_of, scenarios_of, spoken_world_at


def dialects_of_rows(environment: str, *answers: str) -> list[Dialect]:
    """Some dialects in which columns can be chosen, one tool for each operation."""
    names = [DialectName(number, held_out) for number in range(150) for held_out in (False, True)]
    drawn = [(name, axes_of(environment, name)) for name in names]
    fitting = [
        name
        for name, axes in drawn
        if axes.columns == "chosen" and axes.answers in answers and axes.grouping == "operation"
    ]
    return [dialect_of(environment, name) for name in fitting[:4]]


def asked(dialect: Dialect, world: SpokenWorld, tool: str, columns: Any = None) -> Any:
    """The answer of a list, all of it or some columns."""
    call = dialect.encode(Call(tool=tool, arguments={}))
    return world.call(call.tool, call.arguments | ({} if columns is None else {dialect._speech.pages.columns: columns}))


def rows_in(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return value
    return next((rows for inner in value.values() if (rows := rows_in(inner))), []) if isinstance(value, dict) else []


@pytest.mark.parametrize("environment", TURNS)
def test_chosen_columns_are_those_of_the_whole_rows_beside_their_ids(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    for dialect in dialects_of_rows(environment, "plain", "envelope", "ok"):
        operation = next(
            each
            for each in dialect._toolset.operations
            if each.arguments.columns and not each.arguments.schema["required"]
        )
        known = operation.arguments.columns
        chosen = [*known][-1]
        own = [word for word, name in known.items() if name in (known[chosen], "id")]
        whole, part = (
            rows_in(json.loads(asked(dialect, spoken_world_at(scenario, dialect), operation.tool.name, columns).text))
            for columns in (None, [chosen])
        )
        assert part == [{name: row[name] for name in own} for row in whole]


def test_an_id_that_was_not_among_the_chosen_columns_was_not_told() -> None:
    scenario = next(scenarios_of("hospital_stays"))
    for dialect in dialects_of_rows("hospital_stays", "plain", "envelope", "ok"):
        world = spoken_world_at(scenario, dialect)
        rooms = dialect._toolset.operation("list_rooms").arguments.columns
        number, ward = (
            next(word for word, name in rooms.items() if name == wanted) for wanted in ("number", "ward_id")
        )
        call = dialect.encode(Call(tool="list_rooms", arguments={"ward_id": "WARD-00001"}))
        assert asked(dialect, world, "list_rooms", [number]).kind == "done"
        assert world.call(call.tool, call.arguments).kind == "refused"
        assert asked(dialect, world, "list_rooms", [ward]).kind == "done"
        assert world.call(call.tool, call.arguments).kind == "done"


def test_a_column_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    scenario = next(scenarios_of("hospital_stays"))
    for dialect in dialects_of_rows("hospital_stays", "plain", "envelope", "ok", "markdown", "csv", "jsonapi"):
        answer = asked(dialect, spoken_world_at(scenario, dialect), "list_wards", ["no_such"])
        assert answer.kind == "invalid"
        assert all(word in answer.text for word in dialect._toolset.operation("list_wards").arguments.columns)


def test_a_docstring_explains_every_argument() -> None:
    numbers = [DialectName(number) for number in range(60)]
    fitting = [name for name in numbers if axes_of("hospital_stays", name).descriptions == "docstring"]
    assert fitting
    for dialect in (dialect_of("hospital_stays", name) for name in fitting[:4]):
        for tool in dialect.tools():
            if dialect.axes.grouping == "operation" and "Args:" in tool.description:
                lines = [
                    line.split(":")[0].split()[0]
                    for line in tool.description.split("Args:")[1].splitlines()
                    if line.strip()
                ]
                assert {*tool.input_schema["properties"]} <= {*lines}


@pytest.mark.parametrize("environment", TURNS)
def test_answers_are_what_the_output_schema_of_their_tool_says(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    names = [DialectName(number, held_out) for number in range(150) for held_out in (False, True)]
    axes = [(name, axes_of(environment, name)) for name in names]
    fitting = [name for name, drawn in axes if drawn.structured and drawn.grouping == "operation"]
    for dialect in (dialect_of(environment, name) for name in fitting[:6]):
        world = spoken_world_at(scenario, dialect)
        listed = {tool["name"]: tool for tool in listed_tools(dialect.card)}
        asks = [
            Call(tool=each.tool.name, arguments={})
            for each in dialect._toolset.operations
            if each.tool.effect == "reads" and not each.tool.input_schema["required"]
        ]
        for call in (*asks, *scenario.oracle):
            spoken = dialect.encode(call)
            answer = world.call(spoken.tool, spoken.arguments)
            assert answer.kind == "done"
            schema = listed[spoken.tool]["outputSchema"]
            jsonschema.validate(answer.structured, schema)
            assert {*json.loads(answer.text)} <= {*schema["properties"]}
