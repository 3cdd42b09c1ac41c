"""What a policy makes of its world is its own failure: the same at a farm as in this process."""

from __future__ import annotations

from pathlib import Path

import anyio.to_thread
import pytest

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Check, Environment, Scenario, State
from tests.adversary.farm_of_neighbours import farm_of
from tests.adversary.hostile_home import write_hostile_home

DEEP = '''
class Place:
    def __init__(self, init_config: dict):
        self.things = {}

    def nest(self, depth: int) -> dict:
        """Nest a row."""
        row = []
        for _ in range(depth):
            row = [row]
        self.things["row"] = {"id": "row", "cells": row}
        return {"success": True, "data": depth}
'''
NO_RECORD = """def check_func(final_state):
    record = final_state["things"].get('row')
    return record is not None and record['cells'] == 0
"""
TASK = "deep_env-easy-01"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose one task is in a world that can be nested too deep to be judged."""
    write_hostile_home(tmp_path, {"deep_env": DEEP}, ())
    folder = tmp_path / "generated_servers" / "deep_env"
    card = Environment.read(folder / "environment.json")
    state = State.read(next((folder / "states").glob("*.json")))
    scenario = Scenario(
        id=TASK,
        environment="deep_env",
        code_digest=card.code_digest,
        state=state.name,
        state_digest=state.digest,
        seed=1,
        level="easy",
        task="Nest a row.",
        checks=(Check(check_item="x", check_func=NO_RECORD),),
        frame=None,
        oracle=(),
    )
    (folder / "scenarios.jsonl").write_text(scenario.model_dump_json() + "\n")
    return tmp_path


def fails_as_the_policy(gym: rl.Gym) -> None:
    with gym.open(TASK) as episode:
        episode.call("nest", {"depth": 150})
        verdict = episode.verify()
        assert (verdict.masked, verdict.owner, verdict.reward) == (False, "agent", 0.0)
        assert "nested more than 100 deep" in verdict.reason
        assert episode.progress() == 0.0


def test_a_state_nested_too_deep_in_this_process(home: Path) -> None:
    with rl.local(home) as gym:
        fails_as_the_policy(gym)


async def test_a_state_nested_too_deep_at_a_farm(home: Path) -> None:
    async with farm_of(home) as farm:

        def play() -> None:
            with rl.connect(f"http://127.0.0.1:{farm.here.control}", farm.here.token("control")) as gym:
                fails_as_the_policy(gym)

        await anyio.to_thread.run_sync(play)
