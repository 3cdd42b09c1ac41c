"""The two places where episodes are played: this process, and a farm that is a program of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from envscaler_mcp import rl
from tests.farm.farms import ROOT, Program, farm_program


@pytest.fixture(scope="session")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with farm_program(tmp_path_factory.mktemp("farm"), processes=1) as program:
        yield program


@pytest.fixture(scope="session")
def here() -> Iterator[rl.Gym]:
    with rl.local(ROOT) as gym:
        yield gym


@pytest.fixture(scope="session")
def there(farm: Program) -> Iterator[rl.Gym]:
    with rl.connect(farm.control, farm.token("control", 3_600)) as gym:
        yield gym


@pytest.fixture(params=["here", "there"])
def gym(request: pytest.FixtureRequest) -> rl.Gym:
    found: rl.Gym = request.getfixturevalue(request.param)
    return found
