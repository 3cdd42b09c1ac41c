"""A blueprint that ships is tested by lying in the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.home.comparing import differences
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.launch.opening import start_state
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.registry import find_entry, read_registry
from envscaler_mcp.serving import open_unread_world, read_code
from tests.library_sample import turns

ROOT = Path(__file__).resolve().parents[2]
SERVERS = ROOT / "generated_servers"
FILES = blueprint_files()
ODD_STARTS = json.loads(Path(__file__).with_name("start_warnings.json").read_text(encoding="utf-8"))
"""Where worlds that ship are warned of their start states. What is mended is taken off the list; nothing is added to it."""

ALIKE_TOOLS = {"bike_sharing", "board_game_cafe", "game_economy", "home_sales", "riding_stable", "transplant_waitlist"}
"""Worlds of which two tools differ by one letter or only in number. The same holds for this list."""


@pytest.mark.parametrize("env_id", turns(FILES))
def test_it_is_sound_and_nothing_is_left_to_look_at_but_what_is_known(env_id: str) -> None:
    (report,) = check_blueprints([FILES[env_id]])
    assert sorted(problem.place for problem in report.problems) == [
        *ODD_STARTS.get(env_id, []),
        *["tools"] * (env_id in ALIKE_TOOLS),
    ]
    assert all(problem.severity == "warning" for problem in report.problems)


@pytest.mark.parametrize("env_id", turns(FILES))
def test_it_lies_in_the_folder_of_its_sector_under_its_own_name(env_id: str) -> None:
    blueprint = read_blueprint(FILES[env_id])
    assert (blueprint.sector, blueprint.id) == (FILES[env_id].parent.name, env_id)


@pytest.mark.parametrize("env_id", turns(FILES))
def test_it_is_a_trade_and_no_table(env_id: str) -> None:
    blueprint = read_blueprint(FILES[env_id])
    card = Environment.read(SERVERS / env_id / "environment.json")
    reads = [tool for tool in card.tools if tool.effect == "reads"]
    writes = [tool for tool in card.tools if tool.effect == "writes"]
    assert 4 <= len(blueprint.entities) <= 8
    assert len(blueprint.rules) >= 6
    assert len(reads) >= 8 + 1
    assert len(writes) >= 7
    assert len(card.tools) <= 22 + 1  # the clock counts for no limit
    assert all(len(tool.name) <= 40 for tool in card.tools)


@pytest.mark.parametrize("env_id", turns(FILES))
def test_its_start_state_has_records_of_every_kind_and_its_reads_can_be_called(env_id: str) -> None:
    code = read_code(SERVERS / env_id)
    start = start_state(SERVERS / env_id, code)
    assert [name for name, records in start.content.items() if records == {}] == []
    world = open_unread_world(code, start.content, start.seed)
    before = world.state_hash()
    called = [
        world.call(tool.name, {}).kind
        for tool in code.environment.tools
        if tool.effect == "reads" and not tool.input_schema.get("required")
    ]
    assert called
    assert set(called) == {"done"}
    assert world.state_hash() == before
    world.close()


def test_every_folder_is_the_one_that_was_registered() -> None:
    registry = read_registry(ROOT / "registry.json")
    assert [find_entry(registry, env_id).id for env_id in FILES] == list(FILES)
    assert [str(difference) for difference in differences(registry, SERVERS)] == []
