"""No call of an agent masks its failed episode of a benchmark, and official code runs only where it can be confined."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Call
from envscaler_mcp.episode.live import EpisodeLimits
from envscaler_mcp.official import host
from envscaler_mcp.official.host_program import LIMITS
from envscaler_mcp.official.own_farm import at_a_farm
from envscaler_mcp.official.scripted import Script
from envscaler_mcp.official.stage import OfficialEpisode, Stage, Way
from envscaler_mcp.sandbox import landlock
from envscaler_mcp.settings import PORTABLE
from tests.official.staging import FILES, registered
from tests.official.till.benchmark import TILL

OLD_KERNEL = "tests.official.old_kernel"
Made = tuple[str, dict[str, Any]]
TOO_MUCH: dict[str, list[Made]] = {
    "a call that takes too much memory": [("hoard", {"megabytes": 1100})],
    "an answer that is too long": [("show", {"letters": 70_000_000})],
    "a state that cannot be told": [("deposit", {"amount": 1.7e308})] * 2,
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    # A server of its own finds the benchmark by its name.
    with registered(tmp_path_factory.mktemp("site")), Stage.of(TILL, FILES) as opened:
        yield opened


async def played(stage: Stage, calls: list[Made], task: str = "till_1", way: Way = "worker") -> OfficialEpisode:
    script = Script([[[Call(tool=name, arguments=given)] for name, given in calls]])
    async with at_a_farm(stage, None) as here, here.reached(way) as reached:
        return await reached.play(
            stage.tasks[task],
            lambda _briefing, _scenario: script,
            lambda task, world: TILL.user(task, world, None, 0),
            EpisodeLimits(TILL.max_steps, 60.0),
        )


def of_the_agent(judged: OfficialEpisode) -> bool:
    verdict = judged.verdict
    return (verdict.solved, verdict.reward, verdict.owner, verdict.masked) == (False, 0.0, "agent", False)


@pytest.mark.parametrize(
    ("way", "calls"),
    [
        pytest.param(
            way,
            calls,
            id=f"{way}-{name}",
            # Each starts a server of its own.
            marks=pytest.mark.slow if way == "stdio" or (way == "http" and "memory" in name) else (),
        )
        for way in ("worker", "stdio", "http")
        for name, calls in TOO_MUCH.items()
    ],
)
async def test_what_an_agents_calls_use_up_is_its_own_failure(stage: Stage, calls: list[Made], way: Way) -> None:
    judged = await played(stage, calls, way=way)
    assert of_the_agent(judged), judged.verdict


@pytest.mark.parametrize("way", ["worker", "http"])
async def test_a_call_that_takes_too_long_is_the_agents_failure(
    stage: Stage, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("host", "farm_worlds"):
        monkeypatch.setattr(f"envscaler_mcp.official.{module}.CALL_SECONDS", 0.3)
    judged = await played(stage, [("toil", {"seconds": 30})], way=way)
    assert of_the_agent(judged), judged.verdict
    assert judged.record.steps[0].observation.startswith(
        '{"success":false,"error":"This world has ended because a call'
    )


@pytest.mark.parametrize("way", ["worker", pytest.param("http", marks=pytest.mark.slow)])
async def test_calls_that_together_take_their_judge_too_long_are_the_agents_failure(
    stage: Stage, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_MOST_JUDGE_SECONDS", 0.5)
    judged = await played(stage, [("toil", {"seconds": 0.3})] * 3, way=way)
    assert len(judged.record.steps) == 4
    assert of_the_agent(judged), judged.verdict


async def test_a_judge_has_as_long_for_each_call_as_its_world_had(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "LIMITS", replace(LIMITS, call_seconds=0.5))
    judged = await played(stage, [("toil", {"seconds": 0.3})] * 3 + [("deposit", {"amount": 5})])
    assert judged.verdict.solved, judged.verdict


@pytest.mark.parametrize("way", ["worker", "http"])
async def test_a_call_in_which_official_code_raises_is_answered_and_the_episode_goes_on(stage: Stage, way: Way) -> None:
    judged = await played(stage, [("stumble", {}), ("deposit", {"amount": 5})], way=way)
    assert judged.record.steps[0].observation == "Error: LookupError: half ? letter"
    assert judged.verdict.solved


def test_words_on_which_a_user_raises_end_no_world(stage: Stage) -> None:
    with stage.host.fork() as fork:
        fork.open(stage.tasks["till_1"].content)
        assert fork.answer("user", "plain", "Stumble.", []) == {"failed": "LookupError: half ? letter"}
        assert fork.answer("user", "plain", "Hello.", ["Good day."]) == {"said": "Good day."}


def test_a_program_is_given_a_verdict_where_its_policy_has_ended_the_judge(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start_blocking_portal() as portal, rl.BenchmarkGym(stage, portal).open("till_1") as episode:
        episode.call("toil", {"seconds": 0.3})
        monkeypatch.setattr(host, "_MOST_JUDGE_SECONDS", 0.1)
        verdict = episode.verify()
        assert (verdict.solved, verdict.owner, verdict.masked, episode.done) == (False, "agent", False, False)
        monkeypatch.undo()
        episode.call("deposit", {"amount": 5})
        assert episode.verify().solved


OPENING = f"""
from dataclasses import replace
from pathlib import Path
from envscaler_mcp.official.stage import Stage
from tests.official.till.benchmark import TILL
try:
    with Stage.of(TILL, Path({str(FILES)!r})) as stage, stage.host.fork() as fork:
        fork.open({{"balance": 3, "withheld": {{}}}})
        print(fork.answer("digest"))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock that could be taken away")
@pytest.mark.parametrize(("allowed", "said"), [("", "SandboxError Unread code does not run here"), ("portable", "3\n")])
def test_on_a_kernel_that_cannot_confine_it_official_code_runs_only_where_the_user_says_so(
    allowed: str, said: str
) -> None:
    command = [sys.executable, "-m", OLD_KERNEL, sys.executable, "-c", OPENING]
    ran = subprocess.run(
        command,
        cwd=Path(__file__).parents[2],
        env={PORTABLE: allowed, "PYTHONPATH": ":".join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.startswith(said), ran.stdout + ran.stderr
