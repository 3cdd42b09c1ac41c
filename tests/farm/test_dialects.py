"""Worlds of a farm that agents speak to in a dialect, and their owner in the world's own words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

import anyio.to_thread
import pytest
from mcp import Client

from envscaler_mcp.artifacts import Call
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import read_code
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld
from envscaler_mcp.serving.server import build_server
from envscaler_mcp.serving.tasks import load_scenarios
from tests.dialects.shipped import dialect_of, scenarios_of, spoken_world_at
from tests.farm.farms import ROOT, Here, farm_here

ENVIRONMENT = "hospital_stays"
FOLDER = ROOT / "generated_servers" / ENVIRONMENT
NAME = DialectName(12)


@pytest.fixture(scope="module")
def dialect() -> Dialect:
    return Dialect(read_code(FOLDER).environment, NAME)


@pytest.fixture
async def farm() -> AsyncIterator[Here]:
    async with farm_here() as here:
        yield here


@pytest.fixture
def owner(farm: Here) -> Iterator[ControlClient]:
    with farm.client() as client:
        yield client


async def opened(owner: ControlClient, dialect: str, scenario: str | None = None) -> RemoteWorld:
    opening = partial(owner.open, ENVIRONMENT, dialect=dialect, scenario=scenario)
    return await anyio.to_thread.run_sync(opening)


async def test_a_task_is_solved_at_an_address_in_a_dialect_and_its_owner_reads_canonical_records(
    owner: ControlClient, dialect: Dialect
) -> None:
    scenario = load_scenarios(FOLDER)[0]
    world = await opened(owner, scenario=scenario.id, dialect=str(NAME))
    assert world.card.dialect == str(NAME)
    for mode in ("auto", "legacy"):
        async with Client(world.url, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [t.name for t in dialect.tools()]
            assert not (await client.list_resource_templates()).resource_templates
    async with Client(world.url) as client:
        for call in scenario.oracle:
            spoken = dialect.encode(call)
            assert not (await client.call_tool(spoken.tool, spoken.arguments)).is_error
    verdict = await anyio.to_thread.run_sync(world.verify)
    assert verdict.reward == 1.0
    state = await anyio.to_thread.run_sync(world.state)
    assert "PATIENT-00022" in state["patients"]


async def test_a_fork_and_a_restore_take_along_what_was_told(owner: ControlClient, dialect: Dialect) -> None:
    world = await opened(owner, dialect=str(NAME))
    look, use = (
        dialect.encode(Call(tool=tool, arguments=arguments))
        for tool, arguments in (("list_patients", {}), ("list_stays", {"patient_id": "PATIENT-00022"}))
    )

    async def knows(address: str) -> bool:
        async with Client(address) as client:
            answer = await client.call_tool(use.tool, use.arguments)
            return "PATIENT" not in str(answer.content) and "there is no" not in str(answer.content).lower()

    mark = await anyio.to_thread.run_sync(world.snapshot)
    assert not await knows(world.url)
    async with Client(world.url) as client:
        await client.call_tool(look.tool, look.arguments)
    fork = await anyio.to_thread.run_sync(world.fork)
    assert await knows(world.url)
    assert await knows(fork.url)
    await anyio.to_thread.run_sync(world.restore, mark)
    assert not await knows(world.url)
    assert await knows(fork.url)


async def test_the_farm_says_what_a_single_server_says(owner: ControlClient) -> None:
    scenario = next(scenarios_of(ENVIRONMENT))
    for seed in range(6):
        dialect = dialect_of(ENVIRONMENT, DialectName(seed))
        world = await opened(owner, scenario=scenario.id, dialect=str(seed))
        single = build_server(spoken_world_at(scenario, dialect))
        async with Client(world.url) as there, Client(single) as here:
            for call in (*scenario.oracle, scenario.oracle[-1]):
                spoken = dialect.encode(call)
                answers = [await client.call_tool(spoken.tool, spoken.arguments) for client in (there, here)]
                one, other = ((answer.content, answer.structured_content, answer.is_error) for answer in answers)
                assert one == other
            assert (await there.list_tools()).tools == (await here.list_tools()).tools


@pytest.mark.parametrize("wanted", ["klingon", "random", "-1", ""])
async def test_what_is_no_dialect_opens_no_world(owner: ControlClient, wanted: str) -> None:
    with pytest.raises(WorldError, match="is no dialect"):
        await opened(owner, dialect=wanted)
    assert not await anyio.to_thread.run_sync(owner.worlds)


async def test_worlds_in_workers_speak_dialects_too(dialect: Dialect) -> None:
    scenario = load_scenarios(FOLDER)[0]
    async with farm_here(isolation="auto") as farm:
        with farm.client() as client:
            world = await opened(client, str(NAME), scenario.id)
            assert world.card.place == "worker"
            async with Client(world.url) as agent:
                for call in scenario.oracle:
                    spoken = dialect.encode(call)
                    assert not (await agent.call_tool(spoken.tool, spoken.arguments)).is_error
            assert (await anyio.to_thread.run_sync(world.verify)).reward == 1.0
