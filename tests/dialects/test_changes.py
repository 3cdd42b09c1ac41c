"""What a change answers in a dialect: as much as the dialect says of changes, in its names, ids, choices and days."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Call, Scenario
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.dialects.axes import axes_of
from envscaler_mcp.dialects.spelling import say_moments_in
from tests.dialects.shipped import ID, SAMPLE, TURNS, dialect_of, scenarios_of, spoken_world_at, world_at

ENVIRONMENT = "hospital_stays"
NUMBERS = tuple(DialectName(number, held_out) for number in range(120) for held_out in (False, True))


def dialects_where(environment: str, most: int = 4, **wanted: Any) -> list[Dialect]:
    """Some dialects of an environment with these values."""
    fitting = [
        name
        for name in NUMBERS
        if all(getattr(axes_of(environment, name), axis) in values for axis, values in wanted.items())
    ]
    assert fitting, wanted
    return [dialect_of(environment, name) for name in fitting[:most]]


def changes_of(environment: str, scenario: Scenario, dialect: Dialect) -> list[tuple[Any, Any]]:
    """The canonical answer of each change of a solution beside the spoken one."""
    world, spoken = world_at(scenario), spoken_world_at(scenario, dialect)
    both = []
    for call in scenario.oracle:
        said = dialect.encode(Call(tool=call.tool, arguments=call.arguments))
        canonical, answer = world.call(call.tool, call.arguments), spoken.call(said.tool, said.arguments)
        assert canonical.kind == answer.kind == "done"
        if "message" in canonical.payload:
            both.append((canonical.payload, json.loads(answer.text)))
    return both


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else [value]


JSON = ("plain", "envelope", "ok", "jsonapi")


@pytest.mark.parametrize("environment", TURNS)
def test_a_change_answers_with_every_record_that_it_changed_where_its_dialect_says_so(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    for dialect in dialects_where(environment, changes=("records",), answers=JSON, choices=("plain", "upper")):
        for canonical, spoken in changes_of(environment, scenario, dialect):
            # The status is the dialect's own; what else there is stands for one value of the world's answer.
            extra = len(leaves(spoken)) - len(leaves(canonical.get("data", {})))
            assert extra == (2 if dialect.axes.answers == "ok" else 1)


@pytest.mark.parametrize("environment", TURNS)
def test_a_change_names_no_more_than_the_ids_of_what_was_made_in_other_dialects(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    for dialect in dialects_where(environment, changes=("message", "ids", "bare"), answers=JSON):
        for _, spoken in changes_of(environment, scenario, dialect):
            assert not re.search('"changed"|"deleted"', json.dumps(spoken), re.IGNORECASE)


def test_what_was_changed_is_spelled_as_arguments_are() -> None:
    scenario = next(
        each for each in scenarios_of(ENVIRONMENT) if any(c.tool == "discharge_patient" for c in each.oracle)
    )
    for dialect in dialects_where(
        ENVIRONMENT, changes=("records",), answers=JSON, dates=("epoch", "day_first", "named_month")
    ):
        for canonical, spoken in changes_of(ENVIRONMENT, scenario, dialect):
            text = json.dumps(spoken)
            assert "changed" in text.lower()
            assert not re.search("[0-9]{4}-[0-9]{2}-[0-9]{2}", re.sub("[0-9a-f]{8}-[0-9a-f-]{27}", "", text)), text
            told = {leaf for leaf in leaves(canonical["data"]) if isinstance(leaf, str) and ID.fullmatch(leaf)}
            assert all(json.dumps(dialect.tell(id_, dialect.memory())) in text for id_ in told)


@pytest.mark.parametrize("environment", SAMPLE[:3])
def test_a_table_or_csv_says_each_changed_record_in_a_line(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    for dialect in dialects_where(environment, changes=("records",), answers=("markdown", "csv")):
        world, spoken = world_at(scenario), spoken_world_at(scenario, dialect)
        for call in scenario.oracle:
            said = dialect.encode(call)
            canonical, answer = world.call(call.tool, call.arguments), spoken.call(said.tool, said.arguments)
            records = canonical.payload.get("data", {}).get("changed", {}) if "message" in canonical.payload else {}
            named = f"{dialect._layout.word('changed')} "
            lines = [line for line in answer.text.splitlines() if line.startswith(named)]
            assert len(lines) == sum(map(len, records.values()))


@given(st.dates(), st.sampled_from(["day_first", "named_month", "epoch"]))
def test_a_day_in_a_sentence_is_spelled_unless_it_is_quoted_or_the_agents_own(day: Any, style: Any) -> None:
    said = say_moments_in(f"The day {day} is over, '{day}' not.", style, [])
    assert said.count(str(day)) == 1
    assert f"'{day}'" in said
    own = f"note of {day}"
    assert say_moments_in(f"It says {own}.", style, [{"title": [own]}]) == f"It says {own}."
    assert say_moments_in(f"It is {day}.", "iso", []) == f"It is {day}."


def test_refusals_spell_days_as_arguments_do() -> None:
    scenario = next(scenarios_of(ENVIRONMENT))
    for dialect in dialects_where(
        ENVIRONMENT, dates=("day_first", "named_month"), errors=("sentence", "code", "in_band")
    ):
        world = spoken_world_at(scenario, dialect)
        for tool in ("list_patients", "list_wards"):
            listed = dialect.encode(Call(tool=tool, arguments={}))
            world.call(listed.tool, listed.arguments)
        late = {"patient_id": "PATIENT-00022", "ward_id": "WARD-00001", "on": "1999-01-01", "diagnosis": "x"}
        call = dialect.encode(Call(tool="plan_admission", arguments=late))
        answer = world.call(call.tool, call.arguments)
        assert answer.kind in ("refused", "invalid"), answer
        assert not re.search("[0-9]{4}-[0-9]{2}-[0-9]{2}", answer.text), answer.text


def test_every_axis_of_changes_is_drawn() -> None:
    assert {axes_of(ENVIRONMENT, name).changes for name in NUMBERS} == {"message", "ids", "bare", "records"}
