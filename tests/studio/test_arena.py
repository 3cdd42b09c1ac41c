"""Agents beside each other at forks of one world: where they part, and who solved the task with how many calls."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from envscaler_mcp.farm.access import SESSION_KEY
from tests.studio.visitors import TASK, Visitor, studio, visitor


async def forks_of(owner: Visitor, path: str, count: int) -> list[str]:
    answer = await owner.ask("POST", f"{path}/fork", {"count": count}, 201)
    return [f"/v1/worlds/{card['name']}" for card in answer["worlds"]]


async def play(owner: Visitor, path: str, agent: str) -> Any:
    return await owner.ask("POST", f"{path}/play", {"agent": agent})


@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_the_oracle_and_random_calls_part_and_the_oracle_solves_it(isolation: str) -> None:
    async with studio(isolation=isolation) as (_, owner):
        path = await owner.opened(scenario=TASK)
        first, second = await forks_of(owner, path, 2)
        standing = await owner.get(f"{path}/arena")
        assert [each["calls"] for each in standing["contenders"]] == [0, 0]
        assert (standing["parts_at"], standing["first"]) == (0, "")
        steps = (await owner.get(f"{path}/checks"))["steps"]
        for _ in range(steps):
            await play(owner, first, "oracle")
            await play(owner, second, "random")
        standing = await owner.get(f"{path}/arena")
        oracle, chance = standing["contenders"]
        assert (oracle["by"], oracle["calls"], oracle["solved"], oracle["reward"]) == ("oracle", steps, True, 1.0)
        assert (chance["by"], chance["solved"]) == ("random", False)
        assert standing["first"] == first.rpartition("/")[2]
        at = standing["parts_at"]
        calls = [[(step["tool"], step["arguments"]) for step in each["steps"]] for each in standing["contenders"]]
        assert calls[0][: at - 1] == calls[1][: at - 1]
        assert calls[0][at - 1] != calls[1][at - 1]


async def test_only_calls_since_the_fork_count() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(scenario=TASK)
        await play(owner, path, "oracle")
        first, second = await forks_of(owner, path, 2)
        await play(owner, first, "oracle")
        await owner.call(second, "list_wards")
        standing = await owner.get(f"{path}/arena")
        assert [(each["calls"], each["by"]) for each in standing["contenders"]] == [(1, "oracle"), (1, "person")]
        assert standing["parts_at"] == 1
        # The world itself is no contender, and neither are forks of its forks.
        await forks_of(owner, first, 1)
        assert len((await owner.get(f"{path}/arena"))["contenders"]) == 2


async def test_those_who_do_the_same_have_not_parted() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(scenario=TASK)
        first, second = await forks_of(owner, path, 2)
        for _ in range(2):
            await play(owner, first, "oracle")
        await play(owner, second, "oracle")
        assert (await owner.get(f"{path}/arena"))["parts_at"] == 0


async def test_the_one_with_the_fewest_calls_is_first() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(scenario=TASK)
        first, second = await forks_of(owner, path, 2)
        await owner.call(first, "list_wards")
        steps = (await owner.get(f"{path}/checks"))["steps"]
        for fork in (first, second):
            for _ in range(steps):
                await play(owner, fork, "oracle")
        standing = await owner.get(f"{path}/arena")
        assert [each["solved"] for each in standing["contenders"]] == [True, True]
        assert standing["first"] == second.rpartition("/")[2]


async def test_the_four_latest_forks_are_shown() -> None:
    async with studio() as (_, owner):
        path = await owner.opened(scenario=TASK)
        made = await forks_of(owner, path, 7)
        shown = [each["world"] for each in (await owner.get(f"{path}/arena"))["contenders"]]
        assert shown == [fork.rpartition("/")[2] for fork in made[-4:]]


async def test_a_reader_watches_and_learns_no_names() -> None:
    async with studio() as (farm, owner), visitor(farm.url, "read") as reader:
        path = await owner.opened(scenario=TASK)
        forks = await forks_of(owner, path, 2)
        await play(owner, forks[0], "oracle")
        listed = (await reader.get("/v1/worlds"))["worlds"]
        standings = [await reader.get(f"/v1/worlds/{card['name']}/arena") for card in listed]
        (standing,) = [each for each in standings if each["contenders"]]
        names = {fork.rpartition("/")[2] for fork in forks}
        assert not names & {each["world"] for each in standing["contenders"]}
        assert standing["contenders"][0]["calls"] == 1


async def test_a_shared_world_shows_no_forks_of_it() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened(scenario=TASK)
        await forks_of(owner, path, 2)
        address = (await owner.ask("POST", f"{path}/share"))["address"]
        code, alias = re.fullmatch(r"\S+/#code=([\w.-]+)&at=world/([\w-]+)/live", address).groups()  # type: ignore[union-attr]
        async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
            opened = await web.post(f"/studio/login/{code.split('.')[3]}", json={"code": code})
            web.headers[SESSION_KEY] = opened.json()["key"]
            assert (await web.get(f"/v1/worlds/{alias}/arena")).json()["contenders"] == []
