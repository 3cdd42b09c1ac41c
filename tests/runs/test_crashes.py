"""Whoever is killed: records stay, nothing is played twice or otherwise, and no process is left behind."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import anyio
import pytest

from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.episode.agent import Action, Briefing
from envscaler_mcp.episode.agents import Scripted, agent_named
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
from envscaler_mcp.scoring.trajectory import content_digest
from tests.runs.home import write_home
from tests.runs.playing import play

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes that are not its children")


def start(home: Path, out: Path, via: Via, processes: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.runs.playing", str(home), str(out), via, str(processes)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def descendants(pid: int) -> Iterator[int]:
    # Whatever ends while it is looked at has no children any more.
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in task.read_text().split():
                yield int(child)
                yield from descendants(int(child))


def kill_and_wait(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    """Kill it, and wait until everything that it had started has ended by itself."""
    with ExitStack() as stack:
        watched = []
        for pid in descendants(process.pid):
            try:
                watched.append(os.pidfd_open(pid))
            except ProcessLookupError:
                continue
            stack.callback(os.close, watched[-1])
        process.send_signal(number)
        process.communicate()
        for descriptor in watched:
            ended, _, _ = select.select([descriptor], [], [], 20)
            assert ended, "a process was left behind"


def killed_again_and_again(home: Path, out: Path, via: Via, processes: int, episodes: int, kills: int) -> int:
    """Kill a run whenever it has done some more; how often it was killed before it was done."""
    chance = random.Random(f"{via} {kills}")
    for done_with in range(kills):
        process = start(home, out, via, processes)
        assert process.stdout is not None
        begun = int(process.stdout.readline() or 0)
        wanted = begun + chance.randint(1, max(1, (episodes - begun) // (kills - done_with)))
        for line in process.stdout:
            if int(line) >= min(wanted, episodes - 1):
                break
        else:
            process.communicate()
            return done_with
        kill_and_wait(process)
    return kills


def content(folder: Path) -> dict[str, str]:
    trajectories = list(read_trajectories(folder))
    assert len({one.id for one in trajectories}) == len(trajectories)
    return {one.id: content_digest(one) for one in trajectories}


def undisturbed(home: Path, out: Path, via: Via) -> dict[str, str]:
    play(home, out, via, lambda _: None)
    return content(out)


@pytest.mark.parametrize(
    ("via", "processes", "episodes", "kills"),
    [
        pytest.param("direct", 1, 30, 2, marks=pytest.mark.slow),
        ("direct", 2, 30, 1),
        ("worker", 1, 16, 2),
        pytest.param("stdio", 1, 6, 1, marks=pytest.mark.slow),
        pytest.param("stdio", 2, 12, 1, marks=pytest.mark.slow),
        pytest.param("direct", 1, 120, 6, marks=pytest.mark.slow),
        pytest.param("direct", 3, 120, 6, marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
        pytest.param("worker", 1, 120, 6, marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
        pytest.param("worker", 2, 60, 3, marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
        pytest.param("http", 1, 30, 2, marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
    ],
)
def test_a_run_that_is_killed_and_gone_on_with_is_the_run_that_was_never_disturbed(
    tmp_path: Path, via: Via, processes: int, episodes: int, kills: int
) -> None:
    home = write_home(tmp_path / "home", tasks=episodes)
    wanted = undisturbed(home, tmp_path / "whole", via)
    assert len(wanted) == episodes
    assert killed_again_and_again(home, tmp_path / "killed", via, processes, episodes, kills) > 0
    assert undisturbed(home, tmp_path / "killed", via) == wanted
    _, tally, _ = read_run(tmp_path / "killed")
    assert len(tally.done) == episodes
    assert not tally.failed


def test_nothing_is_played_again_when_everything_is_done(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=2)
    undisturbed(home, tmp_path / "run", "direct")
    (shard,) = (tmp_path / "run").glob("episodes-*.jsonl")
    before = shard.read_bytes()
    undisturbed(home, tmp_path / "run", "direct")
    assert shard.read_bytes() == before


@pytest.mark.parametrize("via", ["stdio", pytest.param("http", marks=pytest.mark.slow)])
def test_a_server_that_is_killed_is_the_machine_s_failure_and_its_episode_is_played_again(
    tmp_path: Path, via: Via
) -> None:
    home = write_home(tmp_path, tasks=4)
    killed: list[str] = []

    class Killing:
        """Ends the server once, in the middle of the second task."""

        def __init__(self, _briefing: Briefing, scenario: object) -> None:
            self._scripted = Scripted(scenario.oracle)  # type: ignore[attr-defined]
            self._moves = 0
            self._name = str(scenario.id)  # type: ignore[attr-defined]

        def act(self, observation: str) -> Action:
            self._moves += 1
            if self._name.endswith("002") and self._moves == 3 and not killed:
                killed.append(self._name)
                for pid in descendants(os.getpid()):
                    if b"envscaler_mcp.trust" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        os.kill(pid, signal.SIGKILL)
            return self._scripted.act(observation)

    with WorldHome.at(home / "generated_servers") as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(via=via))
        tally = anyio.run(run_episodes, farm, plan, Killing, tmp_path / "run", 1, lambda *_: None)
    assert killed
    assert [one.reward for one in tally.done.values()] == [1.0] * 4
    assert tally.attempts == {episode.id: 2 if "002" in episode.id else 1 for episode in plan.episodes}
    assert not tally.failed


def test_a_server_that_never_starts_is_tried_three_times_and_told(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=1)
    (home / "generated_servers" / "lending_library" / "states" / "start.json").write_text("[]")
    with WorldHome.at(home / "generated_servers") as farm:
        plan = plan_run(farm, ["lending_library"], RunConfig(via="stdio"))
        make = agent_named("oracle")[1]
        tally = anyio.run(run_episodes, farm, plan, make, tmp_path / "run", 1, lambda *_: None)
    (failed,) = tally.failed.values()
    assert (failed.owner, tally.attempts[failed.id], tally.done) == ("infrastructure", 3, {})
    assert "did not start" in failed.reason
