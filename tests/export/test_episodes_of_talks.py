"""What models and users really said goes out: several calls in a turn, thoughts, and nothing that was no call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest

from envscaler_mcp.artifacts import Trajectory
from envscaler_mcp.artifacts.scenario import Split
from envscaler_mcp.episode.agent import COMPLETED
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.export.episodes import Exported, export_run
from envscaler_mcp.export.filters import ExportFilter
from envscaler_mcp.export.formats import FORMATS
from envscaler_mcp.export.turn import history_by_turn
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.replaying import Replayed, replay_run
from envscaler_mcp.scoring.run_folder import read_trajectories, recorded_episodes
from tests.episode.test_model_agent import BOOK, NAMES, SHELF, says
from tests.episode.voices import SERVER, voice_at
from tests.export.dialogues import rows_in
from tests.export.test_alpaca import chat
from tests.export.test_atif import documents, validate
from tests.llm.endpoint import Asked, Reply, Say, scripted_endpoint
from tests.runs.home import write_home

TURNS: Mapping[str, Sequence[dict[str, Any]]] = {
    # What is done by the agent of each task, turn by turn.
    "001": ({"calls": (BOOK, SHELF), "reasoning": "Two\n\nthings."}, {"calls": (SHELF,), "text": "Again."}),
    "002": ({"calls": (SHELF,)}, {"calls": (BOOK, ("list_books", '{"shelf": oops'))}),
    "003": ({"calls": (SHELF,)}, {"reasoning": "Hm."}),
    "004": ({"calls": (SHELF,)}, {"calls": (("list books", "{}"),)}),
}


@dataclass(frozen=True)
class Talked:
    agent: str
    servers: Path
    runs: Path
    asked: list[dict[str, Any]]

    def exported(self, out: Path, name: Any, **wish: Any) -> Exported:
        return export_run(self.runs, self.servers, FORMATS[name], ExportFilter(**wish), out)

    @property
    def trajectories(self) -> dict[str, Trajectory]:
        return {one.scenario[-3:]: one for one in read_trajectories(self.runs)}

    def asked_in(self, task: str) -> list[Any]:
        """What the model was asked in the task, turn by turn."""
        found = [one for one in self.asked if task_of(one) == task]
        return sorted((one["messages"] for one in found), key=len)


def task_of(asked: Asked) -> str:
    return str(asked["messages"][1]["content"].split(f"{SERVER}-")[1][:3])


@pytest.fixture(scope="module", params=NAMES)
def talked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Talked:
    home, agent = write_home(tmp_path_factory.mktemp("home")), request.param

    def script(asked: Asked) -> Reply:
        turns = TURNS[task_of(asked)]
        turn = sum(message["role"] == "assistant" for message in asked["messages"])
        if turn == len(turns):
            return Say(COMPLETED)
        done = turns[turn]
        return says(agent, *done.get("calls", ()), text=done.get("text", ""), reasoning=done.get("reasoning", ""))

    async def run() -> list[dict[str, Any]]:
        farm = WorldHome(home / "generated_servers")
        plan = plan_run(farm, [SERVER], RunConfig(agent=agent))
        async with scripted_endpoint(script) as place, voice_at(place.url, home) as voice:
            await run_episodes(farm, plan, agent_named(agent, voice)[1], home / "runs", 2, lambda *_: None)
        return place.requests

    return Talked(agent, home / "generated_servers", home / "runs", anyio.run(run))


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_no_call_is_no_lesson_and_is_counted(talked: Talked, tmp_path: Path, name: Any) -> None:
    out = tmp_path / name / ("rows" + "".join(FORMATS[name].suffixes[:1]))
    told = talked.exported(out, name)
    removed = Counter({reason: many for reason, many in told.removed.items() if many})
    if name in ("verl", "skyrl", "atif"):
        assert (told.episodes, removed) == (4, {})
    else:
        # A call whose arguments are no JSON, one of a name that is none; and a move without anything.
        assert (told.episodes, removed) == (1, {"malformed": 2, "empty": 1})
        assert "oops" not in out.read_text()
        assert all(row["id"] == talked.trajectories["001"].id for row in rows_in(out))


def test_the_record_says_what_was_written_in_the_place_of_arguments(talked: Talked, tmp_path: Path) -> None:
    talked.exported(tmp_path / "rows", "atif")
    found = {document["extra"]["scenario"][-3:]: document for document in documents(tmp_path / "rows")}
    for document in found.values():
        validate(document)
        assert document["final_metrics"]["total_completion_tokens"] == 150
    read, broken = found["002"]["steps"][3]["tool_calls"]
    assert (read["arguments"], broken["arguments"]) == (json.loads(BOOK[1]), {})
    assert "oops" in broken["extra"]["malformed"]
    results = found["002"]["steps"][3]["observation"]["results"]
    assert [one["extra"]["is_error"] for one in results] == [False, True]


def test_the_history_of_a_row_is_what_the_model_was_asked_with(talked: Talked, tmp_path: Path) -> None:
    talked.exported(tmp_path / "rows.jsonl", "alpaca")
    rows, asked = rows_in(tmp_path / "rows.jsonl"), talked.asked_in("001")
    turns = history_by_turn(talked.trajectories["001"].messages)
    for messages, row, turn in zip(asked, rows, turns, strict=True):
        # Neither is reminded of what it thought.
        assert "reasoning_content" not in str(messages)
        if talked.agent.startswith("openai"):
            assert shaped(messages) == shaped(turn[:-1])
        else:
            # Tools, calls and answers in words: those that `prompted:` plays with.
            assert [one | {"content": one["content"].lstrip("\n")} for one in messages] == chat(row)[:-1]


def shaped(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[Any]]]:
    calls = [[call["function"] for call in one.get("tool_calls", ())] for one in messages]
    read = [[(one["name"], json.loads(one["arguments"])) for one in turn] for turn in calls]
    return [(one["role"], one["content"] or "", called) for one, called in zip(messages, read, strict=True)]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("mode", ["task", "conversation"])
def test_tasks_of_every_world_are_solved_and_replayed_and_go_out_in_every_format(tmp_path: Path, mode: Any) -> None:
    servers = Path(__file__).parents[2] / "generated_servers"
    outcomes: Counter[str] = Counter()

    async def take(replayed: Replayed, *_: object) -> None:
        outcomes[replayed.outcome] += 1

    with WorldHome.at(servers) as farm:
        names = sorted(path.parent.name for path in servers.glob("*/scenarios.jsonl"))
        plan = plan_run(farm, names, RunConfig(mode=mode, max_steps=200, each=2))
        tally = anyio.run(run_episodes, farm, plan, agent_named("oracle")[1], tmp_path / "runs", 8, lambda *_: None)
        assert [one.id for one in tally.done.values() if one.reward < 1] == []
        places = recorded_episodes(tmp_path / "runs")
        anyio.run(replay_run, farm, plan, places, plan.via, 8, take, lambda *_: None)
    assert outcomes == {"identical": len(plan.episodes)}
    talked = Talked("oracle", servers, tmp_path / "runs", [])
    for name, form in FORMATS.items():
        out = tmp_path / name / ("rows" + "".join(form.suffixes[:1]))
        told = talked.exported(out, name, solved=True, splits=get_args(Split))
        assert (told.attempts, told.episodes, sum(told.removed.values())) == (
            len(plan.episodes),
            len(plan.episodes),
            0,
        ), told
        found = documents(out) if name == "atif" else list(load_dataset(out, tmp_path))
        assert len(found) == told.written
        for row in found:
            if name == "atif":
                validate(row)
            assert row.get("extra_info", row.get("extra", row))["mode"] == mode


def load_dataset(path: Path, cache: Path) -> Any:
    import datasets

    kind = "json" if path.suffix == ".jsonl" else "parquet"
    return datasets.load_dataset(kind, data_files=str(path), cache_dir=str(cache / "cache"))["train"]
