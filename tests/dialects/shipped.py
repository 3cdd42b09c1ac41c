"""Shipped environments, their states and tasks, for tests of dialects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, open_unread_world, read_code
from envscaler_mcp.serving.spoken_world import SpokenWorld
from tests.library_sample import sample, turns

SERVERS = Path(__file__).parent.parent.parent / "generated_servers"
ALL = tuple(sorted(path.parent.name for path in SERVERS.glob("*/scenarios.jsonl")))
SAMPLE = tuple(sample(ALL, 8))
TURNS = turns(SAMPLE, 4)
ID = re.compile(r"[A-Z][A-Z0-9-]*-[0-9]{5,}")


@lru_cache(maxsize=256)
def code_of(environment: str) -> EnvironmentCode:
    """Code that this repository compiled."""
    return read_code(SERVERS / environment)


def dialect_of(environment: str, name: DialectName) -> Dialect:
    return Dialect(code_of(environment).environment, name)


def scenarios_of(environment: str) -> Iterator[Scenario]:
    with (SERVERS / environment / "scenarios.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield Scenario.model_validate_json(line)


@lru_cache(maxsize=8)
def state_of(environment: str, state: str) -> dict[str, Any]:
    text = (SERVERS / environment / "states" / f"{state}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)["content"]
    return content


def world_at(scenario: Scenario) -> LocalWorld:
    content = state_of(scenario.environment, scenario.state)
    return open_unread_world(code_of(scenario.environment), content, scenario.seed)


def spoken_world_at(scenario: Scenario, dialect: Dialect) -> SpokenWorld:
    return SpokenWorld(world_at(scenario), dialect)


@lru_cache(maxsize=256)
def ids_of(environment: str) -> frozenset[str]:
    """Every id of the first start state."""
    content = state_of(environment, "start")
    return frozenset(
        key for name, records in content.items() if isinstance(records, dict) and name != "counters" for key in records
    )
