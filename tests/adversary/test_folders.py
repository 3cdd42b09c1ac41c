"""A folder holds up no world of a farm and leaves nothing behind in it, whatever its author wrote into it."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest

from envscaler_mcp.artifacts import State
from envscaler_mcp.farm import environments, folder_reading
from envscaler_mcp.farm.environments import HostedEnvironment
from envscaler_mcp.farm.folder_reading import FolderError
from envscaler_mcp.launch import opening
from envscaler_mcp.sandbox.limits import MIB, resident
from tests.adversary.farm_of_neighbours import JSON, Farm, farm_of
from tests.adversary.hostile_home import HANG, write_hostile_home

PONG = '{"success":true,"data":"pong"}'
HELD = 2.0
"""Seconds; generous, because tests run on machines that others use. Each of these folders took 1 to 6 before."""
SLOW_DOCSTRING = f'''
class Place:
    def __init__(self, init_config: dict):
        self.things = {{}}

    def ping(self) -> dict:
        """Answer.

        Args:
            a{" " * 60_000}b
        """
        return {{"success": True, "data": "pong"}}
'''
HANGS_AT_OPENING = HANG.replace("self._held = []", "while True: pass")
GROWS_AT_OPENING = HANG.replace("self.things = {}", "self.things = {str(n): [n] for n in range(60_000)}")
REFUSED = HANG.replace("class Place", "import os\n\nclass Place", 1)
SLOW_SOURCE = HANG + "a=[[]]*1\n" * 35_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return write_hostile_home(tmp_path, {"first_env": HANG, "second_env": HANG}, ("hospital_stays",))


def folder_of(home: Path, name: str = "first_env") -> Path:
    return home / "generated_servers" / name


def write_tasks(folder: Path, count: int, last: str = "") -> None:
    task = {"level": "easy", "task": "t" * 100, "state": "start"}
    lines = [json.dumps({"id": f"s{number}", **task}) for number in range(count)]
    (folder / "scenarios.jsonl").write_text("\n".join([*lines, last]) + "\n")


def counted(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[tuple[Any, ...]]:
    """What it is called with from here on."""
    calls: list[tuple[Any, ...]] = []
    does = getattr(module, name)

    def noting(*what: Any) -> Any:
        calls.append(what)
        return does(*what)

    monkeypatch.setattr(module, name, noting)
    return calls


async def longest_wait_beside(farm: Farm, does: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """For how long the event loop did nothing else, at most, while something was done."""
    longest, before = 0.0, time.monotonic()
    doing = asyncio.ensure_future(does())
    while not doing.done():
        await asyncio.sleep(0.005)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    return longest, doing.result()


async def visit(farm: Farm, environment: str) -> httpx2.Response:
    return await farm.agents.get(f"/e/{environment}/new")


async def said_to_visitor(farm: Farm, environment: str, method: str, **params: Any) -> httpx2.Response:
    url = (await visit(farm, environment)).json()["url"]
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return await farm.agents.post(url, content=body, headers=JSON)


@pytest.mark.parametrize("source", [SLOW_SOURCE, SLOW_DOCSTRING], ids=["source", "docstring"])
async def test_a_source_that_takes_long_to_read_holds_up_no_world(
    home: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_reading, "READING_SECONDS", 1.0)
    (folder_of(home) / "environment.py").write_text(source)
    async with farm_of(home) as farm:
        world = await farm.open("hospital_stays")
        held, _ = await longest_wait_beside(farm, lambda: visit(farm, "first_env"))
        assert held < HELD
        assert '"success":true' in await farm.call(world, "list_wards")


async def test_a_source_that_is_too_large_is_refused_with_its_size_and_no_path(home: Path) -> None:
    (folder_of(home) / "environment.py").write_text(HANG + "#\n" * 400_000)
    async with farm_of(home) as farm:
        held, answer = await longest_wait_beside(farm, lambda: visit(farm, "first_env"))
        owner = await farm.owners.post("/v1/worlds", json={"environment": "first_env"})
    assert held < HELD
    assert (answer.status_code, owner.status_code) == (503, 400)
    assert "environment.py has 800," in answer.text
    assert str(home) not in answer.text + owner.text


async def test_code_that_the_gate_refuses_is_refused_with_its_line(home: Path) -> None:
    (folder_of(home) / "environment.py").write_text(REFUSED)
    async with farm_of(home) as farm:
        answer = await said_to_visitor(farm, "first_env", "tools/call", name="ping", arguments={})
        owner = await farm.owners.post("/v1/worlds", json={"environment": "first_env"})
    assert (answer.status_code, owner.status_code) == (503, 400)
    assert "line 2" in answer.text
    assert "line 2" in owner.text


async def test_a_folder_that_cannot_be_read_is_read_again_when_a_file_of_it_changes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = counted(monkeypatch, environments, "read_known")
    source = folder_of(home) / "environment.py"
    source.write_text("class Place(\n")
    async with farm_of(home) as farm:
        answers = [await visit(farm, "first_env") for _ in range(5)]
        assert {answer.status_code for answer in answers} == {503}
        assert len({answer.text for answer in answers}) == 1
        assert len(reads) == 1
        source.write_text(HANG)
        assert (await visit(farm, "first_env")).status_code == 200
        assert len(reads) == 2


async def test_what_failed_because_the_machine_was_busy_is_tried_again_later(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_reading, "READING_SECONDS", 0.001)
    async with farm_of(home) as farm:
        assert "takes too long" in (await visit(farm, "first_env")).text
        monkeypatch.setattr(folder_reading, "READING_SECONDS", 10.0)
        assert (await visit(farm, "first_env")).status_code == 503
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + folder_reading.AGAIN_SECONDS + 1)
        assert (await visit(farm, "first_env")).status_code == 200


@pytest.mark.parametrize(
    ("count", "last", "why"),
    [(40_000, "", "bytes; 4,194,304 are allowed"), (4_000, '{"id":1}', "line 4001"), (5_001, "", "more than 5,000")],
    ids=["bytes", "line", "number"],
)
async def test_tasks_that_cannot_be_read_are_read_once_and_the_world_can_be_used(
    home: Path, count: int, last: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = counted(monkeypatch, environments, "TaskList")
    write_tasks(folder_of(home), count, last)
    async with farm_of(home) as farm:
        for _ in range(3):
            held, answer = await longest_wait_beside(farm, lambda: said_to_visitor(farm, "first_env", "prompts/list"))
            assert held < HELD
            assert answer.status_code == 503
            assert why in answer.json()["error"]["message"]
        assert len(reads) == 1
        answer = await said_to_visitor(farm, "first_env", "tools/call", name="ping", arguments={})
        assert answer.json()["result"]["content"][0]["text"] == PONG
        write_tasks(folder_of(home), 3)
        answer = await said_to_visitor(farm, "first_env", "prompts/list")
        assert len(answer.json()["result"]["prompts"]) == 3


async def test_lines_of_tasks_that_are_nested_too_deep_are_no_scenarios(home: Path) -> None:
    (folder_of(home) / "scenarios.jsonl").write_text("[" * 100_000 + "\n")
    async with farm_of(home) as farm:
        answer = await said_to_visitor(farm, "first_env", "prompts/list")
    assert answer.status_code == 503
    assert "line 1, is no scenario" in answer.text


@pytest.mark.parametrize("values", [400_000, 60_000], ids=["bytes", "values"])
async def test_a_state_that_is_too_large_leaves_no_memory_behind(home: Path, values: int) -> None:
    content: dict[str, Any] = {"things": {"a": [[[] for _ in range(9)] for _ in range(values // 9)]}}
    state = State(environment="first_env", name="start", seed=1, content=content)
    (folder_of(home) / "states" / "start.json").write_text(state.to_line())
    del content, state
    async with farm_of(home) as farm:
        await said_to_visitor(farm, "second_env", "tools/call", name="ping", arguments={})
        before = resident(os.getpid())
        for _ in range(3):
            call = lambda: said_to_visitor(farm, "first_env", "tools/call", name="ping", arguments={})  # noqa: E731
            held, answer = await longest_wait_beside(farm, call)
            assert held < HELD
            assert answer.status_code == 503
            assert "allowed" in answer.text
        assert resident(os.getpid()) - before < 20 * MIB
        hosted = await farm.here.front.worlds.environments.find("first_env")
        assert isinstance(hosted, HostedEnvironment)
        assert hosted._starts.known() is None


@pytest.mark.parametrize("name", ["hospital_stays", "first_env"])
async def test_a_state_within_bounds_is_kept_and_read_once(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = counted(monkeypatch, opening, "read_member_text")
    async with farm_of(home) as farm:
        await farm.open_many(name, 3)
    assert len([1 for _, file, *_ in reads if file.startswith("states/")]) == 1


@pytest.mark.parametrize(
    "source", [pytest.param(HANGS_AT_OPENING, marks=pytest.mark.slow), GROWS_AT_OPENING], ids=["hangs", "grows"]
)
async def test_code_at_which_no_world_opens_is_opened_once(
    home: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = counted(monkeypatch, opening, "open_code")
    (folder_of(home) / "environment.py").write_text(source)
    async with farm_of(home) as farm:
        for _ in range(3):
            answer = await said_to_visitor(farm, "first_env", "tools/call", name="ping", arguments={})
            assert answer.status_code == 503
        assert len(opens) == 1
        assert not len(farm.here.front.worlds)


def test_a_failure_that_is_remembered_holds_nothing_of_what_was_read(home: Path) -> None:
    failures = folder_reading.Failures(folder_of(home))

    def fails() -> None:
        raise FolderError("it is too large")

    with pytest.raises(FolderError):
        failures.noting("it", ("environment.py",), fails)
    with pytest.raises(FolderError, match="too large") as first:
        failures.check("it")
    with pytest.raises(FolderError, match="too large") as second:
        failures.check("it")
    assert first.value is not second.value
    assert second.value.__cause__ is second.value.__context__ is None
