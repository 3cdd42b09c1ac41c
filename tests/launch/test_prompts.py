"""A task that a person chooses in a host begins where it can be done."""

from __future__ import annotations

from pathlib import Path

from mcp import Client
from mcp_types import TextContent

from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.serving.tasks import load_scenarios

FOLDER = Path(__file__).resolve().parents[2] / "generated_servers" / "hospital_stays"
TASKS = load_scenarios(FOLDER)
TRAIN = [task for task in TASKS if task.split == "train"]


async def offered(client: Client) -> list[str]:
    return [prompt.name for prompt in (await client.list_prompts()).prompts]


async def words_of(client: Client, name: str) -> str:
    (message,) = (await client.get_prompt(name)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def test_every_offered_task_can_be_done_after_it_was_chosen_whatever_was_done_before() -> None:
    async with over_stdio(FOLDER) as client:
        assert await offered(client) == [task.id for task in TRAIN]
        assert len({task.state for task in TRAIN}) > 1
        for task in (*TRAIN, TRAIN[0]):
            assert await words_of(client, task.id) == task.task
            for step in task.oracle:
                assert not (await client.call_tool(step.tool, dict(step.arguments))).is_error, task.id


async def test_a_task_that_begins_where_the_untouched_world_is_leaves_it() -> None:
    first = next(task for task in TRAIN if task.state == "start")
    async with over_stdio(FOLDER) as client:
        before = (await client.call_tool("list_beds", {})).structured_content
        await words_of(client, first.id)
        assert (await client.call_tool("list_beds", {})).structured_content == before


async def test_a_world_whose_start_was_named_offers_only_what_begins_there() -> None:
    async with over_stdio(FOLDER, "--state", "start_2") as client:
        assert await offered(client) == [task.id for task in TRAIN if task.state == "start_2"]
    async with over_stdio(FOLDER, "--scenario", TRAIN[0].id) as client:
        assert await offered(client) == []
    async with over_stdio(FOLDER, "--prompts", "none") as client:
        assert await offered(client) == []
