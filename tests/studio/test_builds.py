"""Blueprints built in the studio: what is said as it happens, what becomes of tasks, and that a hostile one is bounded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.cli.studio import builder_command
from envscaler_mcp.farm.builds import BuilderHome
from envscaler_mcp.registry import read_registry
from tests.adversary.folders import plant
from tests.farm.farms import ROOT
from tests.studio.visitors import Visitor, studio, visitor

STARTER = "game_lending"
ENVIRONMENT = "hospital_stays"
SECONDS = 200


@asynccontextmanager
async def builder(folder: Path, command: tuple[str, ...] | None = None) -> AsyncIterator[Visitor]:
    """The page of an owner whose home is that folder."""
    (folder / "generated_servers").mkdir(parents=True)
    (folder / "registry.json").write_text('{"entries": []}')
    servers = folder / "generated_servers"
    home = BuilderHome(command or builder_command(), servers, folder / "registry.json")
    async with studio(builder=home, servers=_Both(servers)) as (_, owner):
        yield owner


class _Both:
    """Folders of the home, and behind them those of the checkout."""

    def __init__(self, own: Path) -> None:
        self._own = own

    def __truediv__(self, name: str) -> Path:
        own = self._own / name
        return own if own.is_dir() else ROOT / "generated_servers" / name


async def built(owner: Visitor, text: str, before: str = "") -> Any:
    """A build, once it has come to its end."""
    answer = await owner.ask("POST", "/v1/builds", {"text": text, "before": before})
    lines = list(answer["lines"])
    for _ in range(SECONDS * 5):
        if not answer["running"]:
            return {**answer, "lines": lines}
        await asyncio.sleep(0.2)
        answer = await owner.get(f"/v1/builds/{answer['build']}?from={answer['next']}")
        lines += answer["lines"]
    raise AssertionError("it does not end")


async def text_of(owner: Visitor, blueprint: str) -> str:
    return str((await owner.get(f"/v1/blueprints/{blueprint}"))["text"])


async def test_no_process_of_a_studio_imports_from_the_folder_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "planted"
    plant(tmp_path / "sent", marker)
    monkeypatch.chdir(tmp_path / "sent")
    async with studio(runs=tmp_path) as (_, owner):
        assert (await owner.get("/v1/runs"))["runs"] == []
    async with builder(tmp_path / "home") as owner:
        made = await built(owner, await text_of(owner, STARTER))
        assert await owner.ask("POST", f"/v1/builds/{made['build']}/publish") == {"environment": STARTER}
    assert not marker.exists()


async def test_the_starter_is_checked_compiled_grown_and_published_as_an_environment(tmp_path: Path) -> None:
    async with builder(tmp_path) as owner:
        made = await built(owner, await text_of(owner, STARTER))
        assert (made["failed"], made["lines"][-1]["stage"]) == ("", "done")
        stages = list(dict.fromkeys(line["stage"] for line in made["lines"]))
        assert stages == ["check", "compile", "grow", "prove", "done"]
        states = [line for line in made["lines"] if "state" in line]
        assert len(states) == 3
        assert all(state["records"]["loans"] > 0 for state in states)
        answer = await owner.ask("POST", f"/v1/builds/{made['build']}/publish")
        assert answer == {"environment": STARTER}
        assert [entry.id for entry in read_registry(tmp_path / "registry.json").entries] == [STARTER]
        assert STARTER in {entry["id"] for entry in (await owner.get("/v1/catalogue"))["environments"]}
        found_first = (await owner.get("/v1/catalogue?search=game%20lending"))["environments"][0]
        assert found_first["id"] == STARTER
        world = await owner.ask("POST", "/v1/worlds", {"environment": STARTER}, 201)
        tables = await owner.get(f"/v1/worlds/{world['worlds'][0]['name']}/tables")
        assert {table["name"] for table in tables["tables"]} == {"games", "members", "loans"}


async def test_errors_are_said_with_their_place_and_nothing_is_compiled(tmp_path: Path) -> None:
    async with builder(tmp_path) as owner:
        text = await text_of(owner, STARTER)
        made = await built(owner, text.replace("holds: all(m.open_loans <= 3", "holds: all(m.opened_loans <= 3"))
        (problem,) = [
            each for line in made["lines"] for each in line.get("problems", []) if each["severity"] == "error"
        ]
        assert "opened_loans" in problem["message"]
        assert "mended" in made["failed"]
        assert {line["stage"] for line in made["lines"]} == {"check"}
        refusal = await owner.ask("POST", f"/v1/builds/{made['build']}/publish", status=400)
        assert "to its end" in refusal["error"]


@pytest.mark.slow
async def test_a_changed_rule_makes_tasks_unprovable_and_says_why(tmp_path: Path) -> None:
    async with builder(tmp_path) as owner:
        text = await text_of(owner, ENVIRONMENT)
        same = await built(owner, text, ENVIRONMENT)
        tasks = [line for line in same["lines"] if line["stage"] == "before" and "task" in line]
        assert len(tasks) == 10
        assert [task["why"] for task in tasks] == [""] * 10
        assert len([line for line in same["lines"] if line["stage"] == "prove" and "task" in line]) == 10
        edited = _stricter(text)
        other = await built(owner, edited, same["build"])
        why = [line["why"] for line in other["lines"] if line["stage"] == "before" and line.get("why")]
        assert why
        assert all("refused" in reason for reason in why)
        refusal = await owner.ask("POST", f"/v1/builds/{same['build']}/publish", status=400)
        assert "library" in refusal["error"]


def _stricter(text: str) -> str:
    """With one more rule: no bed is ever blocked."""
    return text.replace(
        "\nrules:\n",
        "\nrules:\n  - text: No bed is ever blocked.\n    holds: all(b.condition != 'blocked' for b in Bed)\n",
        1,
    )


NO_BLUEPRINTS = (
    "",
    "\x00",
    "a: [" * 50_000,
    "id: x\n" + "y: " + "z" * 150_000,
    "\ud800",
    "id: &a [*a]",
    "!!python/object:os.system x",
    "[]",
)


async def test_what_is_no_blueprint_is_refused_in_words(tmp_path: Path) -> None:
    async with builder(tmp_path) as owner:
        for text in NO_BLUEPRINTS:
            answer = await owner.web.post("/v1/builds", content=_json(text))
            if answer.status_code == 400:
                continue
            made = await built(owner, text)
            assert made["failed"], text
            assert not made["running"], text
            assert str(tmp_path) not in str(made), text


def _json(text: str) -> bytes:
    import json

    return json.dumps({"text": text}).encode()


async def test_a_blueprint_that_is_too_long_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    async with builder(tmp_path) as owner:
        await owner.ask("POST", "/v1/builds", {"text": "x" * 200_001}, 400)


async def test_a_build_that_does_not_end_is_ended_and_so_is_one_that_takes_all_memory(tmp_path: Path) -> None:
    for number, (program, why) in enumerate(
        (
            ("import signal, time; signal.alarm(1); time.sleep(60)", "longer"),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "memory"),
            ("pass", "memory"),
        )
    ):
        command = (sys.executable, "-c", program)
        async with builder(tmp_path / str(number), command) as owner:
            assert why in (await built(owner, "x"))["failed"]


async def test_the_kernel_holds_a_build_to_its_time(tmp_path: Path) -> None:
    program = "from envscaler_mcp.pipeline import builder_process as b; b.SECONDS = 1; b.main()"
    async with builder(tmp_path, (sys.executable, "-c", program)) as owner:
        made = await built(owner, await text_of(owner, ENVIRONMENT))
        assert "longer" in made["failed"]
        assert made["lines"][-1]["stage"] != "done"


def test_the_kernel_holds_a_build_to_its_memory() -> None:
    program = "from envscaler_mcp.pipeline import builder_process as b; b._bound(); bytearray(b.MEMORY)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1] == "MemoryError"


async def test_another_build_ends_the_one_before_it_and_stop_ends_one(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import time; time.sleep(600)")
    async with builder(tmp_path, command) as owner:
        first = await owner.ask("POST", "/v1/builds", {"text": "x"})
        second = await owner.ask("POST", "/v1/builds", {"text": "x"})
        assert not (await owner.get(f"/v1/builds/{first['build']}"))["running"]
        assert (await owner.get(f"/v1/builds/{second['build']}"))["running"]
        await owner.ask("DELETE", f"/v1/builds/{second['build']}")
        assert not (await owner.get(f"/v1/builds/{second['build']}"))["running"]
        for _ in range(4):
            await owner.ask("POST", "/v1/builds", {"text": "x"})
        await owner.ask("GET", f"/v1/builds/{first['build']}", status=404)


async def test_readers_and_farms_without_a_builder_build_nothing(tmp_path: Path) -> None:
    async with studio() as (farm, owner), visitor(farm.url, "read") as reader:
        assert not (await owner.get("/v1/blueprints"))["publishes"]
        refusal = await owner.ask("POST", "/v1/builds", {"text": "x"}, 400)
        assert "envscaler studio" in refusal["error"]
        assert (await reader.web.get("/v1/blueprints")).status_code == 404
        assert (await reader.web.post("/v1/builds", json={"text": "x"})).status_code == 403
        for path in ("/v1/blueprints/..%2f..%2fetc", "/v1/blueprints/nothing", "/v1/builds/nothing"):
            assert (await owner.web.get(path)).status_code == 404
