"""Training in the studio: rewards of runs, pass@k by world and level, and the rows that come of a run."""

from __future__ import annotations

import json
import shlex
import tempfile
from pathlib import Path

import pytest

from envscaler_mcp.farm import studio_runs
from envscaler_mcp.scoring.pass_at_k import passing
from envscaler_mcp.scoring.run_folder import read_run
from tests.farm.farms import ROOT
from tests.studio.runs import TASKS, record_runs
from tests.studio.visitors import ENVIRONMENT, studio, visitor
from tests.viewer.playing import envscaler

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs, and one in which each task is played three times."""
    folder = record_runs(tmp_path_factory.mktemp("runs"))
    order = ("run", "--env", ENVIRONMENT, "--limit", 4, "--repeat", 3, "--agent", "random", "--out", folder / "often")
    assert json.loads(envscaler(ROOT, *order, "--json").output)["done"] == 12
    (folder / "broken").mkdir()
    (folder / "broken" / "plan.json").write_text("{")
    return folder


async def test_runs_are_the_points_of_a_training_the_oldest_first(recorded: Path) -> None:
    async with studio(runs=recorded) as (_, owner):
        answer = await owner.get("/v1/training")
        runs = {run["card"]["name"]: run for run in answer["runs"]}
        assert list(runs) == ["solved", "guessed", "half", "often"]
        assert answer["more"] == 1
        assert (runs["solved"]["all"]["solved"], runs["solved"]["all"]["reward"]) == (TASKS, 1.0)
        assert 0 < runs["half"]["all"]["reward"] < 1
        for run in runs.values():
            assert run["curve"][-1]["episodes"] == run["all"]["done"]
            assert sum(rates["done"] for rates in run["levels"].values()) == run["all"]["done"]
        plan, tally, _ = read_run(recorded / "often")
        wanted = [(rate.k, rate.at_least_once) for rate in passing(plan.episodes, tally.done)]
        assert [(rate["k"], rate["at_least_once"]) for rate in runs["often"]["all"]["passing"]] == wanted
        assert len(wanted) == 3


@pytest.mark.parametrize(("form", "only"), [("trl", ""), ("trl", "solved"), ("llama-factory", "solved"), ("atif", "")])
async def test_rows_are_those_that_the_command_writes(recorded: Path, tmp_path: Path, form: str, only: str) -> None:
    async with studio(runs=recorded) as (_, owner):
        answer = await owner.get(f"/v1/runs/solved/rows?format={form}&only={only}")
    words = shlex.split(answer["command"])
    assert words[:3] == ["envscaler", "export", str(recorded / "solved")]
    out = tmp_path / Path(words[words.index("--out") + 1]).name
    words[words.index("--out") + 1] = str(out)
    done = envscaler(ROOT, *words[1:], "--json")
    assert json.loads(done.output)["written"] == answer["rows"] > 0
    assert (recorded / "solved").is_dir()
    if answer["first"]:
        assert out.read_text().startswith(answer["first"][0].removesuffix(" …"))


def rows_left(folder: Path) -> list[Path]:
    return list(folder.glob("envscaler-rows-*"))


async def test_rows_that_take_too_long_leave_no_file_behind(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with studio(runs=recorded) as (_, owner):
        await owner.get("/v1/runs")
        for seconds in (0.02, 0.04, 0.08):
            monkeypatch.setattr(studio_runs, "SECONDS", seconds)
            await owner.web.get("/v1/runs/often/rows?format=trl")
            assert rows_left(tmp_path) == []


async def test_a_format_or_a_run_that_is_not_there_is_refused(recorded: Path) -> None:
    async with studio(runs=recorded) as (farm, owner), visitor(farm.url, "read") as reader:
        await owner.ask("GET", "/v1/runs/solved/rows?format=nothing", status=400)
        await owner.ask("GET", "/v1/runs/solved/rows", status=400)
        await owner.ask("GET", "/v1/runs/nothing/rows?format=trl", status=404)
        await owner.ask("GET", "/v1/runs/linked/rows?format=trl", status=404)
        for path in ("/v1/training", "/v1/runs/solved/rows?format=trl"):
            assert (await reader.web.get(path)).status_code == 404


async def test_a_studio_without_runs_has_nothing_to_train_on() -> None:
    async with studio() as (_, owner):
        answer = await owner.get("/v1/training")
        assert (answer["runs"], answer["more"]) == ([], 0)
