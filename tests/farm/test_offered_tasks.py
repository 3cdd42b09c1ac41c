"""What a world offers as prompts: tasks that can be done in it, and nothing that an agent is to be tested with."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from envscaler_mcp.serving.tasks import Offer, load_scenarios, offered_tasks
from tests.adversary.farm_of_neighbours import Farm, farm_of
from tests.farm.farms import ROOT

PLACE = "hospital_stays"
TASKS = load_scenarios(ROOT / "generated_servers" / PLACE)
STATES = ("start", "start_2", "start_3")


def names(state: str, *splits: str) -> list[str]:
    return [task.id for task in TASKS if task.state == state and task.split in splits]


async def listed(farm: Farm, world: dict[str, Any]) -> list[str]:
    return [prompt["name"] for prompt in (await farm.ask(world, "prompts/list"))["prompts"]]


async def test_a_world_offers_the_tasks_to_train_on_that_begin_where_it_began() -> None:
    async with farm_of(ROOT) as farm:
        for state in STATES:
            assert names(state, "train")
            assert await listed(farm, await farm.open(PLACE, state=state)) == names(state, "train")
        assert await listed(farm, await farm.open(PLACE)) == names("start", "train")
        invited = (await farm.agents.get(f"/e/{PLACE}/new")).json()
        assert await listed(farm, invited) == names("start", "train")


async def test_each_offered_task_can_be_done_in_the_world_that_offers_it() -> None:
    async with farm_of(ROOT) as farm:
        for state in STATES:
            for name in names(state, "train"):
                world = await farm.open(PLACE, state=state)
                assert name in await listed(farm, world)
                (task,) = (task for task in TASKS if task.id == name)
                for step in task.oracle:
                    assert '"success":true' in await farm.call(world, step.tool, **dict(step.arguments))


async def test_a_world_at_a_scenario_offers_none_because_whoever_opened_it_tells_the_task() -> None:
    async with farm_of(ROOT) as farm:
        world = await farm.open(PLACE, scenario=TASKS[0].id)
        assert await listed(farm, world) == []
        body = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": TASKS[0].id}}
        headers = {"accept": "application/json"}
        told = (await farm.agents.post(world["url"], json=body, headers=headers)).json()
        assert "There is no prompt" in told["error"]["message"]
        (forked,) = (await farm.owners.post(f"/v1/worlds/{world['name']}/fork", json={})).json()["worlds"]
        assert await listed(farm, forked) == []


async def test_an_owner_may_offer_more_or_nothing() -> None:
    async with farm_of(ROOT) as farm:
        everything = names("start", "train", "validation", "held_out")
        assert len(everything) > len(names("start", "train"))
        assert await listed(farm, await farm.open(PLACE, prompts="all")) == everything
        assert await listed(farm, await farm.open(PLACE, prompts="none")) == []
        task = next(task for task in TASKS if task.state == "start_2")
        world = await farm.open(PLACE, scenario=task.id, prompts="train")
        assert await listed(farm, world) == names("start_2", "train")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], [task.id for task in TASKS if task.split == "train"]),
        (["--scenario", TASKS[0].id], []),
        pytest.param(["--state", "start_3"], names("start_3", "train"), marks=pytest.mark.slow),
        pytest.param(["--prompts", "all"], [task.id for task in TASKS], marks=pytest.mark.slow),
        pytest.param(["--prompts", "none"], [], marks=pytest.mark.slow),
    ],
)
async def test_a_server_on_standard_streams_offers_what_can_be_done_in_its_world_or_in_a_new_one(
    words: Sequence[str], expected: list[str]
) -> None:
    server = ROOT / "generated_servers" / PLACE / "server.py"
    parameters = StdioServerParameters(command=sys.executable, args=[str(server), *words], cwd=Path.cwd())
    async with Client(stdio_client(parameters)) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == expected


@pytest.mark.parametrize("offer", [None, "train", "none"])
def test_no_task_that_is_held_out_is_offered_unless_all_are(offer: Offer | None) -> None:
    for scenario in (None, "some"):
        for state in (*STATES, None):
            offered = offered_tasks(TASKS, offer, scenario, state)
            assert {task.split for task in offered} <= {"train"}
            assert {task.state for task in offered} <= {state}


def test_every_environment_that_ships_names_a_state_for_each_of_its_tasks() -> None:
    for folder in sorted((ROOT / "generated_servers").iterdir())[::20]:
        states = set(json.loads((folder / "environment.json").read_text(encoding="utf-8"))["states"])
        assert {task.state for task in load_scenarios(folder)} <= states
