"""What was really played goes out, from the first attempt that counts, while environment and task are what they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Environment, Trajectory, Verdict
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import ArtifactError, ExportError
from envscaler_mcp.export import episodes as exporting
from envscaler_mcp.export.episodes import Exported, export_run
from envscaler_mcp.export.filters import ExportFilter
from envscaler_mcp.export.formats import FORMATS
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import RunFolder, read_trajectories
from tests.export.dialogues import rows_in
from tests.runs.home import write_home


def play(home: Path, out: Path, agent: str = "oracle", repeat: int = 1) -> None:
    with WorldHome.at(home / "generated_servers") as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(agent=agent, repeat=repeat))
        anyio.run(run_episodes, farm, plan, agent_named(agent)[1], out, 2, lambda *_: None)


def with_texts(messages: Any) -> Any:
    """The messages as an episode keeps them: TRL's have objects for arguments."""
    for call in (call for message in messages for call in message.get("tool_calls", [])):
        call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
    return messages


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = write_home(tmp_path_factory.mktemp("home"), tasks=3)
    play(home, home / "runs")
    return home


def exported(home: Path, out: Path, name: Any = "trl", **wish: Any) -> Exported:
    return export_run(home / "runs", home / "generated_servers", FORMATS[name], ExportFilter(**wish), out)


def test_what_an_agent_was_told_said_and_called_goes_out_with_its_tools(played: Path, tmp_path: Path) -> None:
    told = exported(played, tmp_path / "rows.jsonl", solved=True)
    assert (told.attempts, told.episodes, told.written, sum(told.removed.values())) == (3, 3, 3, 0)
    card = Environment.read(played / "generated_servers" / "lending_library" / "environment.json")
    for row, episode in zip(rows_in(tmp_path / "rows.jsonl"), read_trajectories(played / "runs"), strict=True):
        assert json.loads(row["tools"]) == [tool.function for tool in card.tools]
        assert with_texts(row["messages"]) == [*episode.messages][:-1]
        assert [message["role"] for message in row["messages"]][:4] == ["system", "user", "assistant", "tool"]
        assert (row["id"], row["reward"], row["split"]) == (episode.id, 1.0, "train")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_what_was_played_and_gives_the_same_bytes_again(
    played: Path, tmp_path: Path, name: Any
) -> None:
    files = []
    for folder in ("one", "two"):
        out = tmp_path / folder / ("rows" + "".join(FORMATS[name].suffixes[-1:]))
        turns = 8 if name in ("llama-factory", "alpaca") else 1
        assert exported(played, out, name).written == 3 * turns
        files.append({path.name: path.read_bytes() for path in out.parent.rglob("*") if path.is_file()})
    assert files[0] == files[1]


def test_repetitions_that_went_the_same_way_are_one(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=2)
    play(home, home / "runs", repeat=3)
    told = exported(home, tmp_path / "rows.jsonl")
    assert (told.attempts, told.written, told.removed["duplicate"]) == (6, 2, 4)
    assert exported(home, tmp_path / "rows.jsonl", keep=("duplicate",)).written == 6


def test_attempts_that_do_not_count_are_left_out_and_counted(played: Path, tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=3)
    first, second, third = read_trajectories(played / "runs")
    plan = plan_of(played)
    broken = Verdict(owner="infrastructure", masked=True)
    attempts = [
        first.model_copy(update={"verdict": broken}),
        first.model_copy(update={"attempt": 2}),
        second,
        second.model_copy(update={"attempt": 2, "messages": third.messages}),
        third.model_copy(update={"verdict": broken}),
    ]
    with RunFolder.open(home / "runs", plan) as run:
        run.record(attempts)
    told = exported(home, tmp_path / "rows.jsonl")
    assert (told.attempts, told.episodes, told.removed["attempt"]) == (5, 2, 3)
    assert [with_texts(row["messages"]) for row in rows_in(tmp_path / "rows.jsonl")] == [
        [*one.messages][:-1] for one in (first, second)
    ]


def plan_of(home: Path) -> Any:
    with WorldHome.at(home / "generated_servers") as farm:
        return plan_run(farm, ["lending_library"], RunConfig())


def changed_card(folder: Path) -> None:
    card = Environment.read(folder / "environment.json")
    card.model_copy(update={"code_digest": "sha256:other"}).write(folder / "environment.json")


def changed_tasks(folder: Path) -> None:
    path = folder / "scenarios.jsonl"
    path.write_text(path.read_text().replace('"level":"medium"', '"level":"hard"'))


def gone(folder: Path) -> None:
    (folder / "environment.json").unlink()


@pytest.mark.parametrize("change", [changed_card, changed_tasks, gone])
def test_what_is_no_longer_what_was_played_is_left_out(played: Path, tmp_path: Path, change: Any) -> None:
    home = write_home(tmp_path, tasks=3)
    (home / "runs").symlink_to(played / "runs")
    assert exported(home, tmp_path / "rows.jsonl").written == 3
    change(home / "generated_servers" / "lending_library")
    told = exported(home, tmp_path / "others.jsonl")
    assert (told.written, told.removed["stale"]) == (0, 3)
    assert not (tmp_path / "others.jsonl").exists()
    assert told.absent == (("lending_library",) if change is gone else ())


def test_tasks_of_another_split_are_left_out(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=2)
    path = home / "generated_servers" / "lending_library" / "scenarios.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text("\n".join((first.replace('"split":"train"', '"split":"held_out"'), second)) + "\n")
    play(home, home / "runs")
    told = exported(home, tmp_path / "rows.jsonl")
    assert (told.written, told.removed["split"]) == (1, 1)
    assert exported(home, tmp_path / "rows.jsonl", splits=("train", "held_out")).written == 2


def test_an_agent_that_did_nothing_teaches_nothing_but_its_tasks_can_be_practised(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=2)
    play(home, home / "runs", agent="noop")
    told = exported(home, tmp_path / "rows.jsonl")
    assert (told.written, told.removed["turns"]) == (0, 2)
    assert exported(home, tmp_path / "rows.parquet", "verl").written == 2
    assert exported(home, tmp_path / "rows.parquet", "verl", solved=True).removed["unsolved"] == 2


def test_a_trajectory_of_a_conversation_goes_out_whole(tmp_path: Path, played: Path) -> None:
    home = write_home(tmp_path, tasks=3)
    one: Trajectory = next(read_trajectories(played / "runs"))
    system, task, *rest = one.messages
    asked = {"role": "assistant", "content": "Which shelf?", "reasoning_content": "I must ask."}
    talk = (system, task, asked, {"role": "user", "content": "Science."}, *rest)
    with RunFolder.open(home / "runs", plan_of(played)) as run:
        run.record([one.model_copy(update={"messages": talk})])
    assert exported(home, tmp_path / "rows.jsonl").written == 1
    assert with_texts(rows_in(tmp_path / "rows.jsonl")[0]["messages"]) == [*talk][:-1]


def test_what_a_run_lacks_is_told(tmp_path: Path, played: Path) -> None:
    home = write_home(tmp_path, tasks=3)
    with RunFolder.open(home / "runs", plan_of(played)) as run:
        run.record(list(read_trajectories(played / "runs"))[:2])
    (shard,) = (home / "runs").glob("*.jsonl*")
    data = shard.read_bytes()
    shard.write_bytes(data.replace(b"oracle", b"orakel", 1))
    told = exported(home, tmp_path / "rows.jsonl")
    assert (told.attempts, told.written, told.missing, told.damaged) == (1, 1, 2, 1)


def test_a_run_that_goes_on_is_counted_as_it_was_read(
    tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = write_home(tmp_path, tasks=3)
    first, *others = read_trajectories(played / "runs")
    with RunFolder.open(home / "runs", plan_of(played)) as run:
        run.record([first])

        def meanwhile(folder: Path) -> Any:
            run.record(others)
            return read_trajectories(folder)

        monkeypatch.setattr(exporting, "read_trajectories", meanwhile)
        told = exported(home, tmp_path / "rows.jsonl")
    assert (told.attempts, told.episodes, told.written) == (3, 3, 3)


def test_a_file_of_another_form_than_its_name_says_is_refused(tmp_path: Path, played: Path) -> None:
    for name, out in (("alpaca", "rows.parquet"), ("verl", "rows.jsonl"), ("trl", "rows")):
        with pytest.raises(ExportError, match="its name ends with"):
            exported(played, tmp_path / out, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["environment.json", "scenarios.jsonl"])
def test_a_damaged_server_is_told_and_not_left_out(played: Path, tmp_path: Path, name: str) -> None:
    home = write_home(tmp_path, tasks=3)
    (home / "runs").symlink_to(played / "runs")
    (home / "generated_servers" / "lending_library" / name).write_text("{")
    with pytest.raises(ArtifactError, match=name):
        exported(home, tmp_path / "rows.jsonl")
