"""Worlds of one farm do not notice each other: not in what they hold, and not when one of them ends badly."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from envscaler_mcp.farm.environments import HostedEnvironment
from envscaler_mcp.farm.hosted_world import HostedWorld
from envscaler_mcp.farm.worlds import Caps, FullError
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sandbox.limits import resident
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.serving.outcome import ENDED
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, Here, farm_here
from tests.runs.home import write_home

PLAYED = (
    *("hospital_stays", "expense_approvals", "library_loans", "drone_delivery"),
    *("bank_accounts", "trading_desk", "blood_bank", "issue_tracker"),
)
TASKS = [task for name in PLAYED for task in load_scenarios(ROOT / "generated_servers" / name)[:8]]
"""Some of the ten that ship with each."""


async def called(world: HostedWorld, tool: str, arguments: dict[str, Any]) -> Any:
    outcome = world.call(tool, arguments, None)
    return outcome if not hasattr(outcome, "__await__") else await outcome


async def test_64_worlds_played_in_turns_end_as_if_each_had_been_alone() -> None:
    assert len(TASKS) == 64
    async with farm_here() as farm:
        worlds = farm.front.worlds
        alone = []
        for task in TASKS:
            world = await worlds.open(task.environment, task.id)
            for step in task.oracle:
                await called(world, step.tool, dict(step.arguments))
            alone.append(await world.act(lambda one: one.state_hash()))
            await worlds.close(world)
        together = [(task, await worlds.open(task.environment, task.id), list(task.oracle)) for task in TASKS]
        chance = Random(64)
        waiting = [one for one in together for _ in one[2]]
        chance.shuffle(waiting)
        for _, world, steps in waiting:
            step = steps.pop(0)
            await called(world, step.tool, dict(step.arguments))
        assert [await world.act(lambda one: one.state_hash()) for _, world, _ in together] == alone
        assert len(set(alone)) == len(TASKS)


@pytest.fixture
async def in_workers() -> AsyncIterator[Here]:
    async with farm_here(isolation="auto") as farm:
        yield farm


def kill(world: HostedWorld) -> None:
    held = world.session.world
    assert isinstance(held, WorkerWorld)
    os.kill(held.line.pid, signal.SIGKILL)


async def kill_some(farm: Here, number: int, others: int) -> None:
    """Workers killed at a moment that chance decides, among others that go on."""
    chance = Random(number)
    task = TASKS[0]
    steps = task.oracle
    doomed = [await farm.front.worlds.open(task.environment, task.id) for _ in range(number)]
    safe = [await farm.front.worlds.open(task.environment, task.id) for _ in range(others)]
    ends = {world.name: chance.randrange(len(steps)) for world in doomed}
    for turn, step in enumerate(steps):
        for world in doomed:
            if ends[world.name] == turn:
                kill(world)
            outcome = await called(world, step.tool, dict(step.arguments))
            assert (outcome == ENDED) == (ends[world.name] <= turn)
            assert (world.ended is not None) == (ends[world.name] <= turn)
        for world in safe:
            assert (await called(world, step.tool, dict(step.arguments))).kind == "done"
    assert len({await world.act(lambda one: one.state_hash()) for world in safe}) == 1
    assert (await safe[0].act(lambda one: one.verify())).solved
    for world in doomed + safe:
        await farm.front.worlds.close(world)
    assert farm.front.worlds.counts.crashed == number


async def test_a_worker_that_is_killed_is_the_end_of_its_own_world_only(in_workers: Here) -> None:
    await kill_some(in_workers, 6, 2)


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_200_workers_killed_at_any_call_are_200_worlds_that_ended(in_workers: Here) -> None:
    await kill_some(in_workers, 200, 4)


async def fill(farm: Here) -> None:
    while True:
        await farm.front.worlds.open(PLAYED[0])
        await anyio.lowlevel.checkpoint()


async def test_what_workers_hold_counts_as_the_farms_memory() -> None:
    caps = Caps(memory=resident(os.getpid()) + (96 << 20))
    async with farm_here(isolation="local", caps=caps) as farm:
        for _ in range(100):
            await farm.front.worlds.open(PLAYED[0])
    # What this process holds has changed by now.
    caps = Caps(memory=resident(os.getpid()) + (96 << 20))
    async with farm_here(isolation="auto", caps=caps) as farm:
        with anyio.fail_after(60), pytest.raises(FullError, match="MiB"):
            await fill(farm)
        assert 2 < len(farm.front.worlds) < 1_000


async def test_code_that_nobody_has_compiled_runs_in_a_worker_whatever_the_farm_was_told(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=1)
    registry = read_registry(home / "registry.json")
    async with farm_here(servers=home / "generated_servers", registry=registry, isolation="local") as farm:
        (entry,) = registry.entries
        source = home / "generated_servers" / entry.id / "environment.py"
        world = await farm.front.worlds.open(entry.id, state="start")
        # Compiled here, and of no blueprint of the library: safe to run, and nobody knows how long.
        hosted = await farm.front.worlds.environments.find(entry.id)
        assert isinstance(hosted, HostedEnvironment)
        assert hosted.code.trust == "compiled"
        assert world.place == "worker"
        source.write_text(source.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    async with farm_here(servers=home / "generated_servers", registry=registry, isolation="local") as farm:
        world = await farm.front.worlds.open(entry.id, state="start")
        assert world.place == "worker"
