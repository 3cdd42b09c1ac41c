"""A run in several processes is the run in one: same records, one budget, one pace, one end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.episode.agent import COMPLETED, Action, Briefing
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.runs import PlayerProcesses, RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import Tally, read_run, read_trajectories
from tests.llm.endpoint import Asked, Fail, Reply, Say
from tests.runs.home import write_home
from tests.runs.test_model_runs import run, solves

ROOT = Path(__file__).parent.parent.parent
ONCE = "ENVSCALER_TEST_DIES_ONCE"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("home")
    write_home(found, tasks=9, name="another_library")
    return write_home(found, tasks=15)


def played(home: Path, out: Path, processes: int, agent: str = "oracle", **config: Any) -> Tally:
    """With eight players, in so many processes."""
    with WorldHome.at(home / "generated_servers") as worlds:
        wanted = RunConfig.model_validate({"agent": agent, **config})
        plan = plan_run(worlds, ["another_library", "lending_library"], wanted)
        spread = PlayerProcesses(worlds.servers, None, agent, number=processes)
        playing = partial(run_episodes, processes=spread)
        return anyio.run(playing, worlds, plan, agent_named(agent)[1], out, 8, lambda *_: None)


def recorded(folder: Path) -> dict[str, str]:
    """Each record as it lies on the disk, but for the time that its steps took."""
    records: dict[str, str] = {}
    for trajectory in read_trajectories(folder):
        document = json.loads(trajectory.model_dump_json())
        for step in document["steps"]:
            del step["milliseconds"]
        records[trajectory.id] = json.dumps(document)
    return records


@pytest.mark.parametrize(
    ("agent", "config"),
    [
        ("oracle", {}),
        pytest.param("random", {"via": "worker", "repeat": 2}, marks=pytest.mark.slow),
        pytest.param("oracle", {"mode": "conversation"}, marks=pytest.mark.slow),
    ],
)
def test_the_records_are_those_of_one_process(home: Path, tmp_path: Path, agent: str, config: dict[str, Any]) -> None:
    played(home, tmp_path / "one", 1, agent, **config)
    played(home, tmp_path / "two", 2, agent, **config)
    records = recorded(tmp_path / "one")
    assert len(records) == 24 * config.get("repeat", 1)
    assert recorded(tmp_path / "two") == records


class DiesOnce:
    """Solves nothing; the first one in a task of the other library ends its process."""

    def __init__(self, briefing: Briefing) -> None:
        self._briefing = briefing

    def act(self, observation: str) -> Action:
        if self._briefing.environment == "another_library":
            try:
                Path(os.environ[ONCE]).touch(exist_ok=False)
                os._exit(3)
            except FileExistsError:
                pass
        return Action(text=COMPLETED)


class Dies:
    """Ends its process in one task."""

    def __init__(self, briefing: Briefing) -> None:
        self._briefing = briefing

    def act(self, observation: str) -> Action:
        if "another_library-004" in self._briefing.task:
            os._exit(3)
        return Action(text=COMPLETED)


def test_what_a_process_that_ends_was_playing_is_played_by_another(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ONCE, str(tmp_path / "died"))
    tally = played(home, tmp_path / "run", 2, "tests.runs.test_player_processes:DiesOnce")
    assert (tmp_path / "died").exists()
    assert (len(tally.done), tally.failed, set(tally.attempts.values())) == (24, {}, {1})


@pytest.mark.slow
def test_an_episode_that_ends_its_process_each_time_is_the_machine_s_failure(home: Path, tmp_path: Path) -> None:
    tally = played(home, tmp_path / "run", 2, "tests.runs.test_player_processes:Dies")
    failed = tally.failed["another_library-004/tests.runs.test_player_processes:Dies/1"]
    assert failed.owner == "infrastructure"
    assert failed.reason == "the process that played the episode ended with 3"
    assert len(tally.done) + len(tally.failed) == 24
    # The same command goes on where no process ends.
    assert len(tally.done) >= 24 - 8


@pytest.fixture(scope="module")
def servers(home: Path) -> Path:
    return home / "generated_servers"


async def test_models_are_asked_by_one_process_at_the_pace_of_the_endpoint(servers: Path, tmp_path: Path) -> None:
    done = await run(servers, tmp_path, solves, parallel=6, processes=2, limit=6)
    assert [one.reward for one in done.tally.done.values()] == [1.0] * 6
    assert (len(done.place.requests), done.place.most_at_once <= 6) == (6 * 8, True)
    assert done.dollars == pytest.approx(sum(one.use.dollars for one in done.trajectories if one.use))


@pytest.mark.slow
async def test_one_budget_holds_over_all_processes(servers: Path, tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        return Say("Which book?", usage=(1000, 50))

    first = await run(servers, tmp_path, script, parallel=8, processes=2, budget=80.0, limit=8)
    assert "go on with a greater --budget" in first.ended_by
    assert 10 < first.dollars <= 80.0


async def test_a_refused_key_ends_all_processes(servers: Path, tmp_path: Path) -> None:
    left = iter(range(20))

    def script(asked: Asked) -> Reply:
        return solves(asked) if next(left, None) is not None else Fail(401, "Incorrect API key provided")

    first = await run(servers, tmp_path, script, limit=15, parallel=4, processes=2)
    assert "Incorrect API key provided" in first.ended_by
    assert len(first.tally.failed) <= 4
    assert len(first.place.requests) <= 20 + 4


class Stuck:
    """Plays two episodes in each process, then says where it is and never returns: its event loop stands still."""

    played = 0

    def __init__(self, _briefing: Briefing) -> None:
        type(self).played += 1

    async def act(self, observation: str) -> Action:
        if self.played > 2:
            print("thinking", file=sys.stderr, flush=True)
            await anyio.sleep_forever()
        return Action(text=COMPLETED)


def test_ctrl_c_at_a_terminal_ends_all_processes_and_what_was_played_is_safe(home: Path, tmp_path: Path) -> None:
    words = ("run", "--agent", "tests.runs.test_player_processes:Stuck", "--env", "lending_library", "--via", "worker")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "envscaler_mcp",
            "--home",
            str(home),
            *words,
            "--processes",
            "2",
            "--out",
            str(tmp_path),
        ],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert [process.stderr.readline() for _ in range(2)] == ["thinking\n"] * 2
    # A terminal sends it to every process of the group.
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"4 of 15 episodes are stored in {tmp_path}; the same command plays the rest." in told
    assert "Traceback" not in told
    assert len(read_run(tmp_path)[1].done) == 4
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.slow
def test_an_agent_may_know_its_scenario_in_another_process(home: Path, tmp_path: Path) -> None:
    with WorldHome.at(home / "generated_servers") as worlds:
        scenario: Scenario = worlds.scenarios("lending_library")[0]
    script = tmp_path / "script.json"
    script.write_text(json.dumps({scenario.id: [call.model_dump(mode="json") for call in scenario.oracle]}))
    tally = played(home, tmp_path / "run", 2, f"scripted:{script}")
    assert [one.id for one in tally.done.values() if one.solved] == [
        next(name for name in tally.done if name.startswith(f"{scenario.id}/"))
    ]
