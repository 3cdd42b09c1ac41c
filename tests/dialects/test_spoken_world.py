"""A world that is spoken to in a dialect: what it has told goes along with forks, and back with restores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from envscaler_mcp.artifacts import Call
from envscaler_mcp.artifacts.answers import ToolAnswers
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import open_unread_world
from envscaler_mcp.serving.server import build_server
from envscaler_mcp.serving.spoken_world import SpokenWorld
from tests.dialects.shipped import SAMPLE, TURNS, code_of, dialect_of, scenarios_of, spoken_world_at, world_at
from tests.homes import written

ENVIRONMENT = "hospital_stays"


def speaking(dialect: Dialect, world: SpokenWorld, tool: str, **arguments: Any) -> Any:
    """A canonical call, made in the dialect with ids as they would be spelled."""
    spoken = dialect.encode(Call(tool=tool, arguments=arguments))
    return world.call(spoken.tool, spoken.arguments)


@pytest.fixture
def dialect() -> Dialect:
    return dialect_of(ENVIRONMENT, DialectName(3))


@pytest.fixture
def world(dialect: Dialect) -> SpokenWorld:
    return spoken_world_at(next(scenarios_of(ENVIRONMENT)), dialect)


def test_a_record_can_be_named_once_its_id_was_read(dialect: Dialect, world: SpokenWorld) -> None:
    assert speaking(dialect, world, "list_stays", patient_id="PATIENT-00022").kind == "refused"
    assert speaking(dialect, world, "list_patients").kind == "done"
    assert speaking(dialect, world, "list_stays", patient_id="PATIENT-00022").kind == "done"


def test_a_restore_takes_back_what_was_told(dialect: Dialect, world: SpokenWorld) -> None:
    mark = world.snapshot()
    speaking(dialect, world, "list_patients")
    assert speaking(dialect, world, "list_stays", patient_id="PATIENT-00022").kind == "done"
    world.restore(mark)
    assert speaking(dialect, world, "list_stays", patient_id="PATIENT-00022").kind == "refused"


def test_a_fork_was_told_what_its_origin_was_told_and_learns_alone(dialect: Dialect, world: SpokenWorld) -> None:
    speaking(dialect, world, "list_patients", name="Lukas Brandt")
    twin = world.fork()
    assert speaking(dialect, twin, "list_stays", patient_id="PATIENT-00022").kind == "done"
    speaking(dialect, twin, "list_wards")
    assert speaking(dialect, twin, "list_rooms", ward_id="WARD-00001").kind == "done"
    assert speaking(dialect, world, "list_rooms", ward_id="WARD-00001").kind == "refused"


def test_a_call_that_reached_no_world_has_changed_nothing(dialect: Dialect, world: SpokenWorld) -> None:
    speaking(dialect, world, "list_beds")
    assert speaking(dialect, world, "block_bed", bed_id="BED-00010", reason="broken").kind in ("done", "refused")
    world.call("no such tool", {})
    assert world.diff().empty


def pages(dialect: Dialect, world: SpokenWorld) -> Iterator[list[dict[str, Any]]]:
    """The rows of all patients, page by page, each asked for with what the page before said."""
    tool = tool_of(dialect, "list_patients")
    asked: dict[str, str] = {}
    while True:
        page = json.loads(world.call(tool, asked).text)
        yield next(value for value in page.values() if isinstance(value, list))
        following = page["next"] if "next" in page else page["Next"]
        if following is None:
            return
        asked = {cursor_of(dialect, tool): following}


def tool_of(dialect: Dialect, tool: str) -> str:
    return dialect.encode(Call(tool=tool, arguments={})).tool


def cursor_of(dialect: Dialect, name: str) -> str:
    tool = next(tool for tool in dialect.tools() if tool.name == name)
    known = {"cursor", "after", "pagetoken"}
    return next(str(key) for key in tool.input_schema["properties"] if re.sub("[-_]", "", key).lower() in known)


def test_each_page_leads_to_the_next_until_all_were_read() -> None:
    scenario = next(scenarios_of(ENVIRONMENT))
    everyone = json.loads(world_at(scenario).call("list_patients", {}).text)["data"]["patients"]
    drawn = [dialect_of(ENVIRONMENT, DialectName(seed)) for seed in range(60)]
    fitting = [
        dialect
        for dialect in drawn
        if (dialect.axes.answers, dialect.axes.paging, dialect.axes.grouping) == ("plain", "cursor", "operation")
    ]
    assert fitting
    for dialect in fitting:
        read = list(pages(dialect, spoken_world_at(scenario, dialect)))
        assert all(len(rows) <= dialect.axes.page_size for rows in read)
        names = [value for rows in read for row in rows for key, value in row.items() if key.lower() == "name"]
        assert names == [patient["name"] for patient in everyone]


async def test_a_client_sees_the_dialect_and_nothing_else(dialect: Dialect, world: SpokenWorld) -> None:
    for mode in ("auto", "legacy"):
        async with Client(build_server(world), mode=mode) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == [tool.name for tool in dialect.tools()]
            assert not (await client.list_resource_templates()).resource_templates
            with pytest.raises(MCPError):
                await client.read_resource("environment://records/patients/PATIENT-00022")
            answer = await client.call_tool(tool_of(dialect, "list_patients"), {})
            assert not answer.is_error
            assert (answer.structured_content is not None) == dialect.axes.structured


@pytest.mark.parametrize("environment", TURNS)
async def test_answers_of_every_dialect_pass_a_client(environment: str) -> None:
    scenario = next(scenarios_of(environment))
    for seed in range(8):
        dialect = dialect_of(environment, DialectName(seed))
        async with Client(build_server(spoken_world_at(scenario, dialect))) as client:
            for call in scenario.oracle:
                spoken = dialect.encode(call)
                answer = await client.call_tool(spoken.tool, spoken.arguments)
                assert not answer.is_error, answer
                assert answer.content


def test_code_whose_answers_are_not_described_has_no_dialects() -> None:
    code = written(
        "class Small:\n    def __init__(self, init_config=None):\n        self.now = 1\n\n    def look(self) -> dict:\n        return {}\n"
    )
    with pytest.raises(WorldError, match="has no dialects"):
        Dialect(code.environment, DialectName(1))


STRANGE = """
class Strange:
    def __init__(self, init_config=None):
        self.things = {}

    def list_things(self, deep: bool = False) -> dict:
        \"\"\"List the things.\"\"\"
        data = {"odd": ["THING-00001", 3]}
        if deep:
            for _ in range(600):
                data = [data]
        return {"success": True, "data": data}

    def add_thing(self) -> dict:
        \"\"\"Add a thing.\"\"\"
        return {"success": True, "data": "THING-00002"}
"""


@pytest.mark.parametrize("seed", range(12))
def test_code_that_answers_otherwise_than_its_card_says_is_answered_all_the_same(seed: int) -> None:
    answers = ToolAnswers(
        records={"Thing": "{id: str}"},
        data={"list_things": "{total: int, things: [Thing]}", "add_thing": "{thing_id: str}"},
    )
    code = written(STRANGE, answers=answers)
    dialect = Dialect(code.environment, DialectName(seed))
    world = SpokenWorld(open_unread_world(code, {}, 1), dialect)
    for tool, arguments in (("list_things", {}), ("list_things", {"deep": True}), ("add_thing", {})):
        outcome = speaking(dialect, world, tool, **arguments)
        assert "THING-0000" not in outcome.text
        assert isinstance(outcome.payload, dict)


@pytest.mark.parametrize("text", ["", "-1", "x", "1e3", "held-out-", "held-out-x", "1" * 10, "٣"])
def test_what_is_no_dialect_is_refused(text: str) -> None:
    with pytest.raises(WorldError, match="is no dialect"):
        DialectName.read(text)


@pytest.mark.parametrize("text", ["0", "17", "held-out-17", "999999999"])
def test_a_dialect_is_written_as_it_is_read(text: str) -> None:
    assert str(DialectName.read(text)) == text


def test_a_card_is_that_of_the_world_but_for_what_is_said() -> None:
    for environment in SAMPLE:
        card = code_of(environment).environment
        spoken = dialect_of(environment, DialectName(2)).card
        assert (spoken.id, spoken.title, spoken.rules) == (card.id, card.title, card.rules)
        assert "YYYY-MM-DD" not in spoken.introduction
