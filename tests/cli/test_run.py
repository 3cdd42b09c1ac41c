"""What a person sees of a run: a table, an exit status, and what is safe when it is interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.agent import COMPLETED, Action, Briefing
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.scoring.run_folder import RunFolder, read_run, read_trajectories
from envscaler_mcp.serving.tasks import load_scenarios
from tests.runs.home import oracle, write_home
from tests.viewer.playing import hostile_home, hostile_run

ROOT = Path(__file__).parent.parent.parent


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("home")
    write_home(found, tasks=3, name="another_library")
    return write_home(found, tasks=4)


def test_a_run_ends_in_a_table_with_a_line_for_each_environment(home: Path, tmp_path: Path) -> None:
    told = envscaler(home, "run", "--out", tmp_path)
    assert told.exit_code == 0, told.output
    rows = [line.split() for line in told.output.splitlines()]
    assert rows[1] == ["another_library", "3", "3", "3", "1.000", "0", "8.0", "0", "none"]
    assert rows[2] == ["lending_library", "4", "4", "4", "1.000", "0", "8.0", "0", "none"]
    assert rows[3] == ["all", "7", "7", "7", "1.000", "0", "8.0", "0", "none"]
    assert told.output.splitlines()[-1] == f"7 of 7 episodes are in {tmp_path}."


def test_a_failure_of_the_agent_is_no_failure_of_the_run(home: Path, tmp_path: Path) -> None:
    told = envscaler(home, "run", "--agent", "noop", "--env", "lending_library", "--out", tmp_path, "--json")
    assert told.exit_code == 0
    summary = json.loads(told.output)
    assert (summary["planned"], summary["done"], summary["solved"], summary["reward"]) == (4, 4, 0, 0.0)
    assert summary["failures"] == {"agent": 4}


def test_a_tool_that_raises_leaves_the_agent_to_be_judged_by_the_ending(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"tool": "stumble", "arguments": {"member_id": "MEMB-00002"}}]))
    words = ("run", "--agent", f"scripted:{script}", "--scenario", "lending_library-002", "--out", tmp_path / "run")
    told = envscaler(home, *words, "--json")
    assert told.exit_code == 0
    summary = json.loads(told.output)
    assert (summary["solved"], summary["reward"], summary["failures"]) == (0, 0.0, {"agent": 1})


class Waiting:
    """Never says anything."""

    def __init__(self, briefing: Briefing) -> None:
        pass

    async def act(self, _observation: str) -> Action:
        await anyio.sleep_forever()
        raise AssertionError


def test_a_failure_that_is_not_the_agents_is_told_and_ends_with_1(home: Path, tmp_path: Path) -> None:
    words = (
        "run",
        "--agent",
        "tests.cli.test_run:Waiting",
        "--scenario",
        "lending_library-002",
        "--max-seconds",
        "0.05",
    )
    told = envscaler(home, *words, "--out", tmp_path / "run")
    assert told.exit_code == 1
    assert "timeout 1" in told.output
    shown = envscaler(home, "runs", "show", tmp_path / "run")
    assert (shown.exit_code, shown.output.splitlines()[1]) == (1, told.output.splitlines()[1])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--agent", "orakel"), "There is no agent 'orakel'"),
        (("--env", "lending_libary"), "did you mean 'lending_library'"),
        (("--scenario", "lending_library-9"), "There is no scenario 'lending_library-9'"),
        (("--via", "smoke"), "'smoke' is not one of"),
        (("--parallel", "0"), "--parallel"),
    ],
)
def test_wrong_use_ends_with_2(home: Path, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = envscaler(home, "run", "--out", tmp_path, *words)
    assert result.exit_code == 2
    assert told in result.output.replace("\n", " ")


def test_another_run_in_the_same_folder_is_refused(home: Path, tmp_path: Path) -> None:
    words = ("run", "--env", "lending_library", "--out", tmp_path)
    assert envscaler(home, *words).exit_code == 0
    other = envscaler(home, *words, "--seed", "3")
    assert other.exit_code == 1
    assert "choose another folder with --out" in other.stderr
    assert envscaler(home, *words, "--parallel", "1").exit_code == 0


def test_a_home_without_tasks_says_that_there_is_nothing_to_play(home: Path, tmp_path: Path) -> None:
    empty = write_home(tmp_path / "home")
    (empty / "generated_servers" / "lending_library" / "scenarios.jsonl").unlink()
    told = envscaler(empty, "run", "--out", tmp_path / "run")
    assert told.exit_code == 1
    assert "There is nothing to play" in told.stderr


def test_an_episode_is_shown_move_by_move(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--limit", "2", "--out", tmp_path)
    told = envscaler(home, "runs", "show", tmp_path, "--episode", "lending_library-002")
    assert "note {" in told.output
    assert "+ loans LOAN-00001" in told.output
    assert "reward 1: solved" in told.output
    document = json.loads(
        envscaler(home, "runs", "show", tmp_path, "--episode", "lending_library-002", "--json").output
    )
    assert document["final_hash"].startswith("sha256:")
    assert envscaler(home, "runs", "show", tmp_path, "--episode", "lending_library-003").exit_code == 2
    assert envscaler(home, "runs", "show", home).exit_code == 1


def test_a_run_is_replayed_and_a_difference_ends_with_1(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--out", tmp_path / "run")
    told = envscaler(home, "runs", "replay", tmp_path / "run")
    assert (told.exit_code, told.output) == (0, "4 of 4 episodes are identical, 0 differ, 0 cannot be replayed.\n")
    first, *others = read_trajectories(tmp_path / "run")
    altered = first.steps[2].model_copy(update={"observation": "{}"})
    steps = (*first.steps[:2], altered, *first.steps[3:])
    with RunFolder.open(tmp_path / "altered", read_run(tmp_path / "run")[0]) as run:
        run.record([first.model_copy(update={"steps": steps}), *others])
    told = envscaler(home, "runs", "replay", tmp_path / "altered")
    assert told.exit_code == 1
    assert f"{first.id}: step 3: the answer was '{{}}' and is" in told.stderr
    found = json.loads(envscaler(home, "runs", "replay", tmp_path / "altered", "--json").output)
    assert (found["identical"], found["different"], found["episodes"][0]["step"]) == (3, 1, 3)
    words = ("runs", "replay", tmp_path / "altered", "--episode")
    assert envscaler(home, *words, others[0].id).output.startswith("1 of 1 episode is identical")
    assert envscaler(home, *words, others[0].scenario).exit_code == 0
    assert envscaler(home, *words, "nothing").exit_code == 2


def test_a_replay_of_nothing_or_of_a_part_is_no_success(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--out", tmp_path / "run")
    records = list(read_trajectories(tmp_path / "run"))
    plan = read_run(tmp_path / "run")[0]
    with RunFolder.open(tmp_path / "part", plan) as run:
        run.record(records[:2])
    told = envscaler(home, "runs", "replay", tmp_path / "part")
    assert (told.exit_code, told.output.splitlines()[1:]) == (
        0, ["2 episodes are missing; the command that began the run plays them."],
    )  # fmt: skip
    (shard,) = (tmp_path / "part").glob("*.jsonl")
    shard.write_bytes(b"x" + shard.read_bytes()[1:])
    assert "1 stretch of the journal is damaged" in envscaler(home, "runs", "replay", tmp_path / "part").stderr
    elsewhere = write_home(tmp_path / "elsewhere", tasks=1, name="another_library")
    told = envscaler(elsewhere, "runs", "replay", tmp_path / "run")
    assert (told.exit_code, "0 of 4 episodes are identical, 0 differ, 4 cannot" in told.output) == (1, True)
    with RunFolder.open(tmp_path / "nothing", plan):
        pass
    assert envscaler(home, "runs", "replay", tmp_path / "nothing").exit_code == 1


def test_no_words_from_a_record_steer_the_terminal(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--limit", "1", "--out", tmp_path / "run")
    (record,) = read_trajectories(tmp_path / "run")
    hostile = "\x9b2J\x07\u202e\nlending_library-002: fine"
    verdict = record.verdict.model_copy(update={"owner": "agent", "solved": False, "reward": 0.5, "reason": hostile})
    with RunFolder.open(tmp_path / "new", read_run(tmp_path / "run")[0]) as run:
        run.record([record.model_copy(update={"scenario": hostile, "verdict": verdict})])
    with RunFolder.open(tmp_path / "worth", read_run(tmp_path / "run")[0]) as run:
        run.record([record.model_copy(update={"verdict": verdict})])
    replayed = envscaler(home, "runs", "replay", tmp_path / "new")
    rescored = envscaler(home, "runs", "rescore", tmp_path / "new")
    worth = envscaler(home, "runs", "rescore", tmp_path / "worth")
    assert "⟨U+009B⟩2J⟨U+0007⟩⟨U+202E⟩⟨U+000A⟩lending_library-002: fine" in worth.output
    for told in (replayed, rescored, worth):
        assert not set("\x9b\x07\u202e") & set(told.output)
        assert not any(line.startswith("lending_library-002") for line in told.output.splitlines())


def test_a_run_with_verdicts_of_several_gradings_says_so(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--limit", "2", "--out", tmp_path / "run")
    first, second = read_trajectories(tmp_path / "run")
    older = first.model_copy(update={"verdict": first.verdict.model_copy(update={"grading": "0.0.9/1"})})
    with RunFolder.open(tmp_path / "mixed", read_run(tmp_path / "run")[0]) as run:
        run.record([older, second])
    number = GRADING.split("/")[1]
    assert f"not all verdicts are by one grading (1: 1, {number}: 1)" in (
        envscaler(home, "runs", "show", tmp_path / "mixed").stderr.lower()
    )
    assert "grading" not in envscaler(home, "runs", "show", tmp_path / "run").stderr
    shown = json.loads(envscaler(home, "runs", "show", tmp_path / "mixed", "--json").output)
    assert (shown["gradings"], shown["rescored"]) == ({"1": 1, number: 1}, "")
    assert {one["id"]: one["grading"] for one in shown["episodes"]} == {first.id: "0.0.9/1", second.id: GRADING}


def test_a_run_is_judged_anew_into_another_folder(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    note = {"tool": "note", "arguments": {"member_id": "MEMB-00009", "text": "hello"}}
    (task,) = (one for one in load_scenarios(home / "generated_servers" / "lending_library") if one.id.endswith("-002"))
    script.write_text(json.dumps([note, *(call.model_dump(mode="json") for call in task.oracle)]))
    envscaler(home, "run", "--agent", f"scripted:{script}", "--scenario", task.id, "--out", tmp_path / "run")
    words = ("runs", "rescore", tmp_path / "run")
    told = envscaler(home, *words, "--scoring", "upstream")
    assert told.exit_code == 0, told.output
    assert "reward 0 (1 changes outside the frame) → reward 1 (solved)" in told.output
    assert "1 of 1 verdicts changed: 1 solved now, 0 no longer; reward higher in 1, lower in 0" in told.output
    new = tmp_path / f"run-rescored-upstream-{GRADING.split('/')[1]}"
    shown = json.loads(envscaler(home, "runs", "show", new, "--json").output)
    assert (shown["scoring"], shown["solved"]) == ("upstream", 1)
    assert envscaler(home, "runs", "replay", new).exit_code == 0
    same = json.loads(envscaler(home, *words, "--out", tmp_path / "same", "--json").output)
    assert (same["judged"], same["changed"], same["not_judged"]) == (1, 0, {})
    assert envscaler(home, *words, "--out", tmp_path / "run").exit_code == 2
    elsewhere = write_home(tmp_path / "elsewhere", tasks=1, name="another_library")
    for _ in range(2):
        told = envscaler(elsewhere, *words, "--out", tmp_path / "nowhere")
        assert (told.exit_code, "0 of 0 verdicts changed" in told.output) == (1, True)
        assert "1 could not be judged anew" in told.output


def test_repetitions_are_told_by_environment_level_and_split(home: Path, tmp_path: Path) -> None:
    told = envscaler(home, "run", "--repeat", "3", "--agent", "noop", "--each", "1", "--out", tmp_path)
    rows = [line.split() for line in told.output.splitlines()]
    assert ["masked", "pass@1", "pass@2", "pass@3", "pass^2", "pass^3", "failures"] in rows
    assert ["another_library", "0", *["0.000", "of", "1"] * 3, "0.000", "0.000", "agent", "3"] in rows
    shown = json.loads(envscaler(home, "runs", "show", tmp_path, "--json").output)
    assert shown["passing"][2] == {"k": 3, "at_least_once": 0, "every_time": 0, "tasks": 2}
    assert shown["by_level"]["medium"]["failures"] == {"agent": 6}
    assert (shown["by_split"]["train"]["done"], shown["by_environment"]["another_library"]["done"]) == (6, 3)


def test_an_episode_is_shown_as_a_conversation_with_the_checks_that_turned_true(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--limit", "1", "--mode", "conversation", "--out", tmp_path)
    told = envscaler(home, "runs", "show", tmp_path, "--episode", "lending_library-001").output
    lines = [line.strip() for line in told.splitlines()]
    assert lines[1].startswith("user     │ Somebody is at the desk")
    assert lines[lines.index("agent    │ That is done.") + 1].startswith("user     │ Thank you.")
    joined = next(number for number, line in enumerate(lines) if "call │ join {" in line)
    assert lines[joined + 2].startswith("+ members MEMB-00021")
    assert lines[joined + 3] == "✓ check 1 is true now: Has it been done?"
    assert "check 4: true  Has it been done?" in lines


def test_no_text_of_a_record_steers_the_terminal(tmp_path: Path) -> None:
    hostile = hostile_home(tmp_path / "home")
    run = hostile_run(hostile, tmp_path / "run")
    told = envscaler(hostile, "runs", "show", run, "--episode", "lending_library-001").output
    assert told.count("⟨U+001B⟩[31m [bold]red[/bold] :smile:") >= 5
    assert not set("\x1b\x9b\u202e\u200b") & set(told)
    assert "thinks   │ </script>" in told
    assert told.count(" call ") == 2


def test_no_text_of_a_record_is_taken_for_what_the_harness_says(tmp_path: Path) -> None:
    hostile = hostile_home(tmp_path / "home")
    run = hostile_run(hostile, tmp_path / "run")
    shown = envscaler(hostile, "runs", "show", run, "--episode", "lending_library-001").output.splitlines()
    assert [line for line in shown if "forged" in line and "│" not in line and "⟨U+000A⟩" not in line] == []
    assert "         │ ✓ check 1 is true now: forged" in shown
    envscaler(hostile, "run", "--agent", "tests.viewer.playing:Raising", "--out", tmp_path / "raised")
    listed = envscaler(hostile, "runs", "show", tmp_path / "raised", "--failed").output
    assert len(listed.splitlines()) == 4
    assert "⟨U+009B⟩31m⟨U+000A⟩✓ check" in listed
    shown = envscaler(
        hostile, "runs", "show", tmp_path / "raised", "--episode", "lending_library-001"
    ).output.splitlines()
    assert [line for line in shown if line.strip().startswith("✓ check")] == []


def test_calls_of_one_turn_are_told_each_with_what_came_of_it(home: Path, tmp_path: Path) -> None:
    words = ("--agent", "tests.viewer.playing:AtOnce", "--env", "lending_library", "--limit", "1", "--out", tmp_path)
    envscaler(home, "run", *words)
    told = envscaler(home, "runs", "show", tmp_path, "--episode", "lending_library-001").output
    lines = [line.strip() for line in told.splitlines()]
    heads = [line.partition(" {")[0] for line in lines if " call " in line or line.startswith("✓")]
    assert heads == [
        "1 call │ join",
        "✓ check 1 is true now: Has it been done?",
        "2 call │ lend_book",
        "✓ check 2 is true now: Has it been done?",
        "3 call │ (no name)",
        "4 call │ get_book",
    ]
    assert '3 call │ (no name) {"secret": 1}' in lines


def test_episodes_that_failed_are_listed_with_whose_failure_it_was(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    solution = [call.model_dump(mode="json") for call in oracle(1)]
    stumbling = [{"tool": "stumble", "arguments": {"member_id": "MEMB-00002"}}]
    script.write_text(json.dumps({"lending_library-001": solution, "lending_library-002": stumbling}))
    words = ("--env", "lending_library", "--limit", "3", "--agent", f"scripted:{script}", "--out", tmp_path / "run")
    envscaler(home, "run", *words)

    def listed(*filters: str) -> list[str]:
        told = envscaler(home, "runs", "show", tmp_path / "run", *filters)
        told_to_programs = json.loads(envscaler(home, "runs", "show", tmp_path / "run", *filters, "--json").output)
        numbers = [line[len("lending_library-") :][:3] for line in told.output.splitlines()[1:-1]]
        assert numbers == [one["id"][len("lending_library-") :][:3] for one in told_to_programs["episodes"]]
        return numbers

    assert listed("--failed") == ["002", "003"]
    assert listed("--owner", "environment") == []
    assert listed("--failed", "--owner", "agent") == ["002", "003"]
    assert listed("--env", "lending_library") == ["001", "002", "003"]
    told = envscaler(home, "runs", "show", tmp_path / "run", "--env", "lending_libary")
    assert (told.exit_code, "no episode of 'lending_libary'" in told.output) == (2, True)
    told = envscaler(home, "runs", "show", tmp_path / "run", "--failed", "--episode", "lending_library-001")
    assert told.exit_code == 2


def test_a_list_of_episodes_says_what_is_missing_and_what_is_damaged(home: Path, tmp_path: Path) -> None:
    envscaler(home, "run", "--env", "lending_library", "--agent", "noop", "--out", tmp_path)
    shard = tmp_path / "episodes-00001.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join([lines[0], lines[1][100:], *lines[2:]]))
    for filters in ((), ("--failed",), ("--env", "lending_library")):
        told = envscaler(home, "runs", "show", tmp_path, *filters)
        assert "1 episode is missing" in told.output
        assert "1 stretch of the journal is damaged" in told.stderr


class Stuck:
    """Plays two episodes, then says where it is and thinks for ever."""

    played = 0

    def __init__(self, briefing: Briefing) -> None:
        type(self).played += 1

    async def act(self, observation: str) -> Any:
        if self.played > 2:
            print("thinking", file=sys.stderr, flush=True)
            await anyio.sleep_forever()
        return Action(text=COMPLETED)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
@pytest.mark.parametrize("via", ["direct", "worker", pytest.param("stdio", marks=pytest.mark.slow)])
def test_an_interrupted_run_says_what_is_safe(home: Path, tmp_path: Path, number: int, via: str) -> None:
    program = "import sys; sys.path.insert(0, ''); from envscaler_mcp.cli import main; main()"
    words = ("run", "--agent", "tests.cli.test_run:Stuck", "--env", "lending_library", "--via", via)
    process = subprocess.Popen(
        [sys.executable, "-c", program, "--home", str(home), *words, "--parallel", "1", "--out", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "thinking\n"
    process.send_signal(number)
    _, told = process.communicate()
    assert process.returncode == 130
    assert f"2 of 4 episodes are stored in {tmp_path}; the same command plays the rest." in told
    assert "Traceback" not in told
