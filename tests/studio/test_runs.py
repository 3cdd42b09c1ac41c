"""Recorded runs as the studio is asked for them: figures, episodes, comparisons, worlds at a step, and folders of strangers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest

from envscaler_mcp.farm import studio_runs
from envscaler_mcp.registry import read_registry
from envscaler_mcp.scoring.journal import read_shards
from envscaler_mcp.scoring.lines import sealed
from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
from tests.farm.farms import ROOT
from tests.studio.runs import TASKS, record_runs, tasks
from tests.studio.visitors import ENVIRONMENT, Visitor, studio, visitor
from tests.viewer.playing import HOSTILE, envscaler, hostile_home, hostile_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture
async def owner(recorded: Path) -> AsyncIterator[Visitor]:
    async with studio(runs=recorded) as (_, page):
        yield page


async def episodes(owner: Visitor, run: str, **asked: Any) -> list[dict[str, Any]]:
    query = "&".join(f"{name}={quote(str(value))}" for name, value in asked.items())
    return list((await owner.get(f"/v1/runs/{run}/episodes?{query}"))["episodes"])


async def test_run_folders_are_listed_and_what_is_none_is_not(owner: Visitor) -> None:
    listed = (await owner.get("/v1/runs"))["runs"]
    assert {run["id"]: run["agent"] for run in listed if run["id"] != "half"} == {
        "solved": "oracle",
        "guessed": "random",
    }
    assert [run["planned"] for run in listed] == [TASKS] * 3


async def test_figures_stand_by_world_and_level_and_agree_with_those_of_the_command(
    owner: Visitor, recorded: Path
) -> None:
    answer = await owner.get("/v1/runs/half")
    plan, tally, _ = read_run(recorded / "half")
    assert answer["all"]["solved"] == sum(attempt.solved for attempt in tally.done.values())
    (world,) = answer["worlds"]
    assert (world["environment"], world["all"]) == (ENVIRONMENT, answer["all"])
    levels = [episode.level for episode in plan.episodes]
    assert {name: figures["planned"] for name, figures in world["levels"].items()} == {
        level: levels.count(level) for level in levels
    }
    assert sum(answer["outcomes"].values()) == TASKS


async def test_episodes_are_filtered_by_words_level_and_outcome(owner: Visitor) -> None:
    everything = await episodes(owner, "half")
    assert len(everything) == TASKS
    for outcome in ("solved", "failed", "disturbed"):
        chosen = await episodes(owner, "half", outcome=outcome)
        assert [row["id"] for row in chosen] == [row["id"] for row in everything if row["outcome"] == outcome]
    first = everything[0]
    assert [row["id"] for row in await episodes(owner, "half", search=first["id"].upper())] == [first["id"]]
    assert await episodes(owner, "half", level=first["level"], environment="elsewhere") == []
    assert await episodes(owner, "half", offset=TASKS) == []


async def test_an_episode_says_after_which_step_each_check_held_and_what_was_answered(owner: Visitor) -> None:
    for row in await episodes(owner, "solved"):
        episode = await owner.get(f"/v1/runs/solved/episode?id={quote(row['id'])}")
        everything = list(range(1, len(episode["checks"]) + 1))
        assert (episode["holds"], episode["steps"][-1]["holds"]) == ([], everything)
        assert sorted(n for step in episode["steps"] for n in step["turned_true"]) == everything
        calls = [step["call"] for step in episode["steps"] if step["call"]]
        oracle = next(task.oracle for task in tasks() if task.id == row["scenario"])
        assert [(call["tool"], call["arguments"]) for call in calls] == [(c.tool, c.arguments) for c in oracle]
        assert all(call["result"]["success"] for call in calls)


async def test_tables_after_a_step_are_those_of_a_world_with_the_calls_before(owner: Visitor) -> None:
    row = (await episodes(owner, "solved"))[0]
    path = f"/v1/runs/solved/tables?id={quote(row['id'])}"
    for step in range(row["steps"]):
        order = {"episode": row["id"], "step": step + 1}
        opened = await owner.ask("POST", "/v1/runs/solved/open", order)
        assert (opened["calls"], opened["differs"]) == (min(step, row["steps"]), 0)
        there = await owner.get(f"/v1/worlds/{opened['world']}/tables")
        assert await owner.get(f"{path}&after={step}") == there


async def test_a_world_at_a_step_goes_on_and_can_be_undone(owner: Visitor) -> None:
    row = (await episodes(owner, "half"))[0]
    opened = await owner.ask("POST", "/v1/runs/half/open", {"episode": row["id"], "step": row["steps"] + 1})
    path = f"/v1/worlds/{opened['world']}"
    last = next(task.oracle for task in tasks() if task.id == row["scenario"])[-1]
    await owner.call(path, last.tool, **last.arguments)
    assert (await owner.get(f"{path}/checks"))["solved"]
    await owner.ask("POST", f"{path}/undo", {"after": 0})
    assert not (await owner.get(f"{path}/checks"))["solved"]


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    order = ("run", "--env", ENVIRONMENT, "--limit", 2, "--dialect", 3, "--agent", "oracle", "--out")
    assert json.loads(envscaler(ROOT, *order, tmp_path / "spoken", "--json").output)["solved"] == 2
    return tmp_path


async def test_a_step_of_a_run_in_a_dialect_is_opened_with_what_its_calls_meant(spoken: Path) -> None:
    async with studio(runs=spoken) as (_, owner):
        for row in await episodes(owner, "spoken"):
            opened = await owner.ask("POST", "/v1/runs/spoken/open", {"episode": row["id"], "step": row["steps"] + 1})
            calls = len(next(task.oracle for task in tasks() if task.id == row["scenario"]))
            assert (opened["calls"], opened["differs"]) == (calls, 0)
            assert (await owner.get(f"/v1/worlds/{opened['world']}/checks"))["solved"]
            beside = await owner.get(f"/v1/runs/spoken/beside?id={quote(row['id'])}")
            assert beside["parts_at"] == 0


async def test_two_runs_are_compared_task_by_task(owner: Visitor) -> None:
    answer = await owner.get("/v1/runs/solved/compare?with=guessed")
    guessed = {row["scenario"]: row["outcome"] for row in await episodes(owner, "guessed")}
    wanted = {"both": 0, "left": 0, "right": 0, "neither": 0, "missing": 0}
    for outcome in guessed.values():
        wanted["both" if outcome == "solved" else "left"] += 1
    assert answer["changes"] == wanted
    assert answer["rows"][0]["change"] == "left"
    again = await owner.get("/v1/runs/guessed/compare?with=solved&change=left")
    assert (again["rows"], again["changes"]["right"]) == ([], wanted["left"])


async def test_an_episode_stands_beside_its_solution_and_beside_another_run(owner: Visitor) -> None:
    for row in await episodes(owner, "half"):
        beside = await owner.get(f"/v1/runs/half/beside?id={quote(row['id'])}")
        assert (beside["right"]["row"]["outcome"], beside["right"]["agent"]) == ("solved", "oracle")
        # Only the last call of the solution is missing.
        assert beside["parts_at"] == len([step for step in beside["left"]["steps"] if step["call"]]) + 1
        assert [pair["same"] for pair in beside["rows"]].index(False) == beside["parts_at"] - 1
        steps = len(beside["right"]["steps"])
        solved = await owner.get(f"/v1/runs/half/tables?id={quote(row['id'])}&after={steps}&of=solution")
        other = await owner.get(f"/v1/runs/half/beside?id={quote(row['id'])}&with=solved")
        oracle = quote(other["right"]["row"]["id"])
        assert solved == await owner.get(f"/v1/runs/solved/tables?id={oracle}&after={steps}")
        assert other["parts_at"] == beside["parts_at"]
        same = await owner.get(f"/v1/runs/half/beside?id={quote(row['id'])}&with=half")
        assert (same["parts_at"], all(pair["same"] for pair in same["rows"])) == (0, True)


async def test_answers_are_as_the_document_of_the_control_plane_says(recorded: Path) -> None:
    async with studio(runs=recorded) as (farm, owner):
        headers = {"authorization": f"Bearer {farm.token('control')}"}
        document = (await owner.web.get(f"http://127.0.0.1:{farm.control}/openapi.json", headers=headers)).json()
        id_ = quote((await episodes(owner, "half"))[0]["id"])
        for path, query in (
            ("", ""),
            ("/episodes", "?outcome=failed"),
            ("/episode", f"?id={id_}"),
            ("/tables", f"?id={id_}&after=2"),
            ("/compare", "?with=solved"),
            ("/beside", f"?id={id_}"),
        ):
            content = document["paths"][f"/v1/runs/{{run}}{path}"]["get"]["responses"]["200"]["content"]
            schema = {**content["application/json"]["schema"], "components": document["components"]}
            jsonschema.validate(await owner.get(f"/v1/runs/half{path}{query}"), schema)


async def test_what_there_is_not_is_said_to_be_missing(owner: Visitor) -> None:
    for path in (
        "/v1/runs/nothing",
        "/v1/runs/linked",
        "/v1/runs/empty",
        "/v1/runs/..",
        "/v1/runs/solved/episode?id=nothing",
        "/v1/runs/solved/compare?with=nothing",
    ):
        answer = await owner.web.get(path)
        assert answer.status_code == 404, path
        assert str(ROOT) not in answer.text
    await owner.ask("GET", f"/v1/runs/solved/episodes?search={'a' * 2001}", status=400)
    await owner.ask("POST", "/v1/runs/solved/open", {"episode": "nothing", "step": 1}, status=404)
    await owner.ask("POST", "/v1/runs/solved/open", {"episode": "nothing", "step": 0}, status=400)


async def test_a_reader_sees_no_runs(recorded: Path) -> None:
    async with studio(runs=recorded) as (farm, _), visitor(farm.url, "read") as reader:
        for path in ("/v1/runs", "/v1/runs/solved", "/v1/runs/solved/episodes"):
            assert (await reader.web.get(path)).status_code == 404
        answer = await reader.web.post("/v1/runs/solved/open", json={"episode": "x", "step": 1})
        assert answer.status_code == 403


async def test_a_studio_without_runs_says_so() -> None:
    async with studio() as (_, owner):
        assert await owner.get("/v1/runs") == {"folder": "", "runs": [], "more": 0}
        assert "--runs" in (await owner.ask("GET", "/v1/runs/any", status=404))["error"]


async def test_one_run_may_be_named_in_the_place_of_its_folder(recorded: Path) -> None:
    async with studio(runs=recorded / "solved") as (_, owner):
        assert [run["id"] for run in (await owner.get("/v1/runs"))["runs"]] == ["solved"]
        assert (await owner.get("/v1/runs/solved"))["all"]["solved"] == TASKS


async def test_a_folder_of_runs_that_is_made_after_the_start_is_shown(recorded: Path, tmp_path: Path) -> None:
    async with studio(runs=tmp_path / "runs") as (_, owner):
        assert (await owner.get("/v1/runs"))["runs"] == []
        shutil.copytree(recorded / "half", tmp_path / "runs" / "half")
        assert [run["id"] for run in (await owner.get("/v1/runs"))["runs"]] == ["half"]


async def test_what_is_recorded_meanwhile_is_shown(recorded: Path, tmp_path: Path) -> None:
    shutil.copytree(recorded / "half", tmp_path / "half")
    ((shard, reading),) = read_shards(tmp_path / "half")
    shard.write_bytes(b"".join(map(sealed, reading.records[:2])))
    async with studio(runs=tmp_path) as (_, owner):
        assert (await owner.get("/v1/runs/half"))["all"]["done"] == 2
        with shard.open("ab") as file:
            file.write(sealed(reading.records[2]))
        assert (await owner.get("/v1/runs/half"))["all"]["done"] == 3


# Folders of strangers


async def test_runs_of_strangers_are_shown_as_far_as_they_can_be_read(recorded: Path, tmp_path: Path) -> None:
    for name in ("no_plan", "torn", "piped", "other_json", "not_utf8", "deep"):
        shutil.copytree(recorded / "half", tmp_path / name)
    (tmp_path / "no_plan" / "plan.json").write_text("{")
    shard = next((tmp_path / "torn").glob("episodes-*"))
    shard.write_bytes(shard.read_bytes()[: -len(shard.read_bytes()) // 3])
    next((tmp_path / "piped").glob("episodes-*")).unlink()
    os.mkfifo(tmp_path / "piped" / "episodes-00001.jsonl")
    next((tmp_path / "other_json").glob("episodes-*")).write_bytes(sealed(b'{"id": 3}'))
    (tmp_path / "not_utf8" / "plan.json").write_bytes(b"\xff\xfe")
    next((tmp_path / "deep").glob("episodes-*")).write_bytes(sealed(b"[" * 200_000 + b"]" * 200_000))
    hostile = tmp_path / "<b>bold<b>\u202e%2e"
    shutil.copytree(recorded / "half", hostile)
    async with studio(runs=tmp_path) as (_, owner):
        listed = {run["name"]: run for run in (await owner.get("/v1/runs"))["runs"]}
        assert set(listed) == {"no_plan", "torn", "piped", "other_json", "not_utf8", "deep", hostile.name}
        assert all(listed[name]["problem"] for name in ("no_plan", "not_utf8"))
        assert (await owner.get("/v1/runs/torn"))["all"]["done"] < TASKS
        for name in ("no_plan", "piped", "other_json", "not_utf8", "deep"):
            refusal = await owner.ask("GET", f"/v1/runs/{name}", status=400)
            assert str(tmp_path) not in refusal["error"]
        assert (await owner.get(f"/v1/runs/{listed[hostile.name]['id']}"))["all"]["done"] == TASKS


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    home = hostile_home(tmp_path / "home")
    hostile_run(home, tmp_path / "runs" / "hostile")
    return tmp_path


async def test_hostile_texts_of_an_episode_come_whole_and_as_data(hostile: Path) -> None:
    home = hostile / "home"
    config = {"servers": home / "generated_servers", "registry": read_registry(home / "registry.json")}
    async with studio(runs=hostile / "runs", **config) as (_, owner):
        for row in await episodes(owner, "hostile"):
            episode = await owner.get(f"/v1/runs/hostile/episode?id={quote(row['id'])}")
            assert HOSTILE in {step["says"] for step in episode["steps"]}
            beside = await owner.get(f"/v1/runs/hostile/beside?id={quote(row['id'])}")
            assert beside["right"]["row"]["outcome"] == "solved"


async def test_a_changed_record_says_what_cannot_be_shown(recorded: Path, tmp_path: Path) -> None:
    """Ids, steps and states that lead nowhere are data of the record, and never of this machine."""
    shutil.copytree(recorded / "half", tmp_path / "half")
    ((shard, reading),) = read_shards(tmp_path / "half")
    changed = json.loads(reading.records[0])
    changed["environment"] = "../../etc"
    changed["steps"][0]["diff"] = {"changed": {"beds": {"nowhere": {"condition": ["a", "b"]}}}}
    changed["steps"][0]["milliseconds"] = 1e308
    other = json.loads(reading.records[1])
    other["steps"][0]["diff"] = {"deleted": {"nothing": {"x": {}}}}
    other["steps"] *= 2_000
    shard.write_bytes(b"".join(sealed(json.dumps(record).encode()) for record in (changed, other)))
    async with studio(runs=tmp_path) as (_, owner):
        first, second = await episodes(owner, "half")
        if first["id"] != changed["id"]:
            first, second = second, first
        shown = await owner.get(f"/v1/runs/half/episode?id={quote(first['id'])}")
        assert "no environment" in shown["unsure"]
        assert not shown["playable"]
        await owner.ask("GET", f"/v1/runs/half/tables?id={quote(first['id'])}&after=1", status=400)
        long = await owner.get(f"/v1/runs/half/episode?id={quote(second['id'])}")
        assert long["more_steps"] > 0
        assert len(json.dumps(long)) < 8 << 20
        refusal = await owner.ask("GET", f"/v1/runs/half/tables?id={quote(second['id'])}&after=9", status=400)
        assert "not in the state" in refusal["error"]
        order = {"episode": second["id"], "step": 5_000}
        await owner.ask("POST", "/v1/runs/half/open", order, status=400)


async def test_reading_that_takes_too_long_is_ended_and_others_go_on(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studio_runs, "SECONDS", 0.01)
    async with studio(runs=recorded) as (_, owner):
        refusal = await owner.ask("GET", "/v1/runs/solved", status=400)
        assert "seconds" in refusal["error"]
        monkeypatch.setattr(studio_runs, "SECONDS", 20.0)
        assert (await owner.get("/v1/runs/solved"))["all"]["done"] == TASKS


async def test_a_world_of_another_version_of_the_task_is_not_opened(recorded: Path, tmp_path: Path) -> None:
    shutil.copytree(recorded / "half", tmp_path / "half")
    ((shard, reading),) = read_shards(tmp_path / "half")
    text = reading.records[0].decode()
    episode = next(read_trajectories(tmp_path / "half"))
    shard.write_bytes(sealed(text.replace(episode.scenario_digest, "sha256:" + "0" * 64).encode()))
    async with studio(runs=tmp_path) as (_, owner):
        order = {"episode": episode.id, "step": 1}
        refusal = await owner.ask("POST", "/v1/runs/half/open", order, status=400)
        assert "made again" in refusal["error"]
