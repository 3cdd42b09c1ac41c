"""A world of ours that others run refuses what it refuses here, and comes in again as it went out."""

from __future__ import annotations

import json
from contextlib import closing
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Scenario, State
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.building import build
from envscaler_mcp.pipeline.emission import add_to_registry, write_built
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.serving.code import read_code
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.serving.world import open_unread_world
from tests.adversary.published_runtime import built, played

NAME = "beekeeping"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("exported")
    made = build(blueprint_files()[NAME])
    write_built(made, place / "built" / NAME)
    add_to_registry([made], place / "built", place / "built.json")
    export_upstream([place / "built" / NAME], place / "e.json", place / "s.json")
    return place


def document(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / "e.json").read_text())[NAME]
    return found


def scenarios(home: Path) -> tuple[Scenario, ...]:
    return load_scenarios(home / "built" / NAME)


def test_malformed_calls_are_refused_where_nothing_else_checks_arguments(home: Path) -> None:
    code = read_code(home / "built" / NAME)
    start = State.read(home / "built" / NAME / "states" / f"{code.environment.states[0]}.json")
    here = open_unread_world(code, start.content, start.seed)
    item = document(home)
    there = built(item["env_class_code"], item["env_class_name"], start.content)
    before = deepcopy({name: value for name, value in vars(there).items() if not name.startswith("_")})
    tried = 0
    for call in [call for one in scenarios(home)[:6] for call in one.oracle]:
        tool = code.environment.tool(call.tool)
        assert tool is not None
        for arguments in malformed(tool.input_schema, call.arguments):
            ours = here.call(call.tool, arguments)
            assert ours.kind == "invalid", (call.tool, arguments)
            theirs = called(there, call.tool, arguments)
            if theirs is not None:
                assert theirs["success"] is False
                assert theirs["error"].split(";")[0].rstrip(".") == ours.payload["error"].split(";")[0].rstrip(".")
            tried += 1
    assert tried > 300
    assert {name: value for name, value in vars(there).items() if not name.startswith("_")} == before


def called(world: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """What it answers; nothing where Python itself refuses a name that is not there, or one that is missing."""
    try:
        signature(getattr(world, tool)).bind(**arguments)
    except TypeError:
        return None
    found: dict[str, Any] = getattr(world, tool)(**deepcopy(arguments))
    return found


def malformed(schema: dict[str, Any], right: dict[str, Any]) -> list[dict[str, Any]]:
    odd: list[Any] = [
        None,
        True,
        7.5,
        -(10**20),
        "",
        "x" * 20_000,
        [],
        {},
        [[]],
        "2026-02-30",
        "nobody-1",
        float("nan"),
    ]
    found = [{**right, name: value} for name in right for value in odd]
    found += [{**right, "nothing": 1}, *({key: right[key] for key in right if key != name} for name in right)]
    return [one for one in found if _is_wrong(schema, one)]


def _is_wrong(schema: dict[str, Any], arguments: dict[str, Any]) -> bool:
    from envscaler_mcp.serving.validation import compile_arguments

    return compile_arguments(schema, 20)(arguments) is not None


@pytest.mark.parametrize("faithful", [False, True])
def test_what_went_out_comes_in_again_and_is_solved_alike(home: Path, tmp_path: Path, faithful: bool) -> None:
    servers = tmp_path / "servers"
    (found,) = import_upstream(
        home / "e.json", [home / "s.json"], servers, tmp_path / "r.json", faithful=faithful
    ).environments
    assert (found.refused, [one.id for one in found.scenarios if not one.gradable]) == ("", [])
    ours = {tool.name: tool for tool in read_code(home / "built" / NAME).environment.tools}
    again = read_code(servers / NAME).environment.tools
    assert {tool.name: (tool.effect, tool.input_schema) for tool in again} == {
        name: (tool.effect, tool.input_schema) for name, tool in ours.items()
    }
    with WorldHome.at(servers) as farm:
        for scenario in scenarios(home)[:3]:
            with closing(farm.open(NAME, scenario=scenario.id)) as session:
                assert session.verify("upstream").reward == 0.0
                for call in scenario.oracle:
                    assert session.world.call(call.tool, call.arguments).kind == "done"
                assert session.verify("upstream").reward == 1.0


def test_the_published_runtime_pays_the_oracle_in_full(home: Path) -> None:
    item = document(home)
    for scenario, published in zip(scenarios(home), json.loads((home / "s.json").read_text()), strict=True):
        calls: list[Any] = [(call.tool, call.arguments) for call in scenario.oracle]
        checks = [one["check_func"] for one in published["checklist_with_func"]]
        whole = item["env_class_code"], item["env_class_name"], published["init_config"], checks
        assert played(*whole, ["Task Completed"]).reward == 0.0
        assert played(*whole, [*calls, "Task Completed"], max_steps=200).reward == 1.0
