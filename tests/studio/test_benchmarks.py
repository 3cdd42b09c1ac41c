"""A benchmark of other authors in the studio: its tasks, tools and state, and their verdict; and what their code cannot do is not there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment
from envscaler_mcp.official.stage import Stage
from tests.official.staging import FILES, registered
from tests.official.till.benchmark import TILL
from tests.studio.visitors import Visitor, studio, visitor


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with registered(tmp_path_factory.mktemp("site")), Stage.of(TILL, FILES) as opened:
        yield opened


@asynccontextmanager
async def with_till(stage: Stage) -> AsyncIterator[tuple[Any, Visitor]]:
    opener = BenchmarkOpener("A till", lambda: BenchmarkEnvironment(stage))
    async with studio(benchmarks={"till": opener}) as (farm, owner):
        yield farm, owner


async def at(owner: Visitor, task: str) -> str:
    return await owner.opened(environment="till", scenario=task)


async def test_the_gallery_of_owners_names_it_as_a_benchmark(stage: Stage) -> None:
    async with with_till(stage) as (farm, owner), visitor(farm.url, "read") as reader:
        listed = [entry for entry in (await owner.get("/v1/catalogue"))["environments"] if entry["benchmark"]]
        assert [(entry["id"], entry["title"], entry["sector"]) for entry in listed] == [("till", "A till", "benchmark")]
        fitting = (await owner.get("/v1/catalogue?search=till%20benchmark"))["environments"]
        assert "till" in [entry["id"] for entry in fitting]
        assert not any(entry["benchmark"] for entry in (await reader.get("/v1/catalogue"))["environments"])
        assert (await reader.get("/v1/environments/till/tasks"))["tasks"] == []


async def test_its_tasks_are_listed_in_the_words_of_its_users(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        tasks = (await owner.get("/v1/environments/till/tasks"))["tasks"]
        assert [(task["id"], task["category"], task["task"], task["turns"], task["steps"]) for task in tasks] == [
            ("till_1", "easy", "Put 5 in.", 1, 1),
            ("till_2", "easy", "Put 5 in.", 2, 2),
            ("till_3", "hard", "Take 4 out.", 2, 1),
        ]


async def test_a_world_shows_its_tools_its_state_and_the_verdict_of_its_authors(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        path = await at(owner, "till_3")
        checks = await owner.get(f"{path}/checks")
        turns = ["Take 4 out.", "What about now?"]
        assert checks["official"] == {"category": "hard", "turns": turns, "begun": 0, "talks": False}
        forms = (await owner.get(f"{path}/forms"))["forms"]
        assert [form["tool"] for form in forms] == ["deposit", "owners"]
        await owner.ask("POST", f"{path}/turn", {"turn": 1})
        assert (await owner.get(f"{path}/checks"))["official"]["begun"] == 1
        forms = (await owner.get(f"{path}/forms"))["forms"]
        assert [form["tool"] for form in forms] == ["deposit", "withdraw", "owners"]
        step = await owner.call(path, "withdraw", amount=4)
        assert (step["kind"], step["result"], step["undoable"]) == ("done", {"balance": 6}, False)
        tables = await owner.get(f"{path}/tables")
        assert tables["scalars"] == {"balance": 6}
        assert [table["name"] for table in tables["tables"]] == ["drawers"]
        judged = await owner.ask("POST", f"{path}/judge", {})
        assert (judged["verdict"]["solved"], judged["answer"]["valid"]) == (True, True)


async def test_what_its_authors_code_cannot_do_is_refused_in_a_sentence(stage: Stage) -> None:
    async with with_till(stage) as (_, owner):
        path = await at(owner, "till_1")
        await owner.call(path, "deposit", amount=5)
        for order, body in (("undo", {"after": 0}), ("fork", {}), ("play", {"agent": "oracle"}), ("snapshot", None)):
            refused = await owner.ask("POST", f"{path}/{order}", body, status=400)
            assert refused["error"].endswith("."), order
        refused = await owner.ask("GET", "/v1/environments/till/connect", status=400)
        assert "no guest links" in refused["error"]
        timeline = await owner.get(f"{path}/timeline")
        assert [step["tool"] for step in timeline["steps"]] == ["deposit"]


async def test_a_reader_of_its_world_may_look_and_not_ask_the_judge(stage: Stage) -> None:
    async with with_till(stage) as (farm, owner), visitor(farm.url, "read") as reader:
        await at(owner, "till_2")
        (world,) = (await reader.get("/v1/worlds"))["worlds"]
        path = f"/v1/worlds/{world['name']}"
        assert (await reader.get(f"{path}/checks"))["official"]["turns"] == ["Put 5 in.", "Take 3 out."]
        assert (await reader.get(f"{path}/tables"))["scalars"] == {"balance": 10}
        for order in ("judge", "turn", "call"):
            await reader.ask("POST", f"{path}/{order}", {}, status=403)


def test_files_of_a_benchmark_that_are_not_here_stop_the_studio(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from envscaler_mcp.cli.program import app

    ran = CliRunner().invoke(
        app, ["studio", "--no-browser", "--benchmark", "bfcl-v3"], env={"ENVSCALER_BENCH_BFCL_V3": str(tmp_path)}
    )
    assert ran.exit_code == 1
    assert "Get it with" in ran.output
