"""A process with many worlds is not stopped for what the collector would look at, and loses no memory by that."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest
from anyio.to_thread import run_sync

from envscaler_mcp.farm import garbage
from tests.farm.farms import farm_here


@pytest.fixture(autouse=True)
def every_collection_is_long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In a process that has set nothing aside, as a farm finds it."""
    monkeypatch.setattr(garbage, "LONG", 0.0)
    gc.unfreeze()
    yield
    gc.freeze()


async def test_what_survives_a_long_collection_is_set_aside_until_no_world_is_open() -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            before = gc.get_freeze_count()
            await run_sync(lambda: client.open_many("hospital_stays", 20))
            gc.collect()
            aside = gc.get_freeze_count()
            assert aside > before
            # The next one looks at what has come since, and at nothing of these worlds.
            assert len(gc.get_objects()) < aside / 10
            await farm.front.worlds.close_all()
            async with asyncio.timeout(20):
                # Everything was looked at again, and what was in use was set aside anew.
                while gc.get_freeze_count() >= aside:  # noqa: ASYNC110 - the farm looks once a second
                    await asyncio.sleep(0.3)


async def test_a_closed_world_leaves_nothing_to_the_collector() -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            worlds = await run_sync(lambda: client.open_many("hospital_stays", 2, scenario="hospital_stays-easy-01"))
            for world in worlds:
                await run_sync(world.state)
                await run_sync(world.verify)
            gc.disable()
            try:
                there = [weakref.ref(part) for world in farm.front.worlds for part in (world, world.session)]
                await farm.front.worlds.close_all()
                async with asyncio.timeout(20):
                    while any(part() is not None for part in there):  # noqa: ASYNC110 - a task may hold the last one
                        await asyncio.sleep(0.01)
            finally:
                gc.enable()


@pytest.mark.parametrize("looked_again", [False, True], ids=["at once", "after all worlds were closed"])
async def test_a_farm_that_has_ended_leaves_the_collector_as_it_was(looked_again: bool) -> None:
    before = gc.get_freeze_count()
    async with farm_here() as one:
        async with farm_here():
            pass
        with one.client() as client:
            await run_sync(lambda: client.open_many("hospital_stays", 20))
        gc.collect()
        aside = gc.get_freeze_count()
        assert aside > before
        if looked_again:
            await one.front.worlds.close_all()
            async with asyncio.timeout(20):
                while gc.get_freeze_count() == aside:  # noqa: ASYNC110 - the farm looks once a second
                    await asyncio.sleep(0.3)
            assert gc.get_freeze_count() > before
    gc.collect()
    assert gc.get_freeze_count() == before
