"""Whichever way a world is reached, the same moves lead to the same answers, the same end and the same verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Environment, State, Trajectory
from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.episode.agent import Action, Briefing, MakeAgent
from envscaler_mcp.episode.agents import Scripted, agent_named
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scoring.run_folder import Tally, read_trajectories
from envscaler_mcp.scoring.trajectory import content_digest
from envscaler_mcp.serving.tasks import load_scenarios
from tests.runs.home import write_home

WAYS: tuple[Via, ...] = ("direct", "worker", "stdio", "http")
SERVER = "lending_library"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=3) / "generated_servers"


def run(
    servers: Path, folder: Path, make_agent: MakeAgent | None = None, parallel: int = 2, **options: Any
) -> tuple[Tally, dict[str, Trajectory]]:
    config = RunConfig(**options)
    with WorldHome.at(servers) as farm:
        plan = plan_run(farm, [path.name for path in sorted(servers.iterdir())], config)
        make = make_agent or agent_named(config.agent)[1]
        tally = anyio.run(run_episodes, farm, plan, make, folder, parallel, lambda *_: None)
    return tally, {one.scenario: one for one in read_trajectories(folder)}


class Everything:
    """Right calls, refused ones, malformed ones and talk, among what the oracle does."""

    def __init__(self, oracle: Scripted) -> None:
        self._oracle = oracle
        self._first = iter(
            [
                Action(tool="get_book", arguments={"book_id": "BOOK-99999"}),
                Action(tool="get_book", arguments={"book_id": 7}),
                Action(tool="get_book", arguments={"book_id": "\ud800"}),
                Action(tool="get_book", arguments={"bok_id": "BOOK-00001"}),
                Action(tool="get_bok"),
                Action(tool=""),
                Action(tool="__init__", arguments={"init_config": {}}),
                Action(tool="lend_books", arguments={"member_id": "MEMB-00001", "lines": [1, {"x": float("inf")}]}),
                Action(tool="note", arguments=[]),  # type: ignore[arg-type]
                Action(text="Where is everybody? „Grüße“ \u2028"),
                Action(),
            ]
        )

    def act(self, observation: str) -> Action:
        return next(self._first, None) or self._oracle.act(observation)


def everything(_briefing: Briefing, scenario: Any) -> Everything:
    return Everything(Scripted(scenario.oracle))


def same(found: Trajectory) -> dict[str, Any]:
    """What must not depend on the way."""
    left_out: Any = {"via": True, "steps": {"__all__": {"milliseconds"}}}
    return found.model_dump(mode="json", exclude=left_out)


def test_all_ways_tell_the_same_and_end_the_same(servers: Path, tmp_path: Path) -> None:
    played = {via: run(servers, tmp_path / via, everything, via=via)[1] for via in WAYS}
    for scenario, direct in played["direct"].items():
        assert (direct.verdict.reward, direct.verdict.solved, direct.verdict.owner) == (1.0, True, None)
        assert direct.final_hash.startswith("sha256:")
        assert len(direct.steps) == 11 + 8
        for via in WAYS[1:]:
            assert same(played[via][scenario]) == same(direct), via


@pytest.mark.parametrize("via", ["direct", "worker"])
def test_doing_nothing_earns_nothing(servers: Path, tmp_path: Path, via: Via) -> None:
    tally, _ = run(servers, tmp_path, agent="noop", via=via)
    assert [(one.reward, one.owner) for one in tally.done.values()] == [(0.0, "agent")] * 3


def test_random_agents_earn_less_than_those_who_know(servers: Path, tmp_path: Path) -> None:
    tally, _ = run(servers, tmp_path / "first", agent="random", repeat=4)
    assert len(tally.done) == 12
    assert all(one.reward < 1 for one in tally.done.values())
    run(servers, tmp_path / "again", agent="random", repeat=4, parallel=1)
    first, again = (
        {one.id: content_digest(one) for one in read_trajectories(tmp_path / name)} for name in ("first", "again")
    )
    assert first == again
    assert len(set(first.values())) == 12


def spoiling(change: Action) -> MakeAgent:
    class Spoiling:
        def __init__(self, briefing: Briefing, scenario: Any) -> None:
            self._moves = iter([change])
            self._oracle = Scripted(scenario.oracle)

        def act(self, observation: str) -> Action:
            return next(self._moves, None) or self._oracle.act(observation)

    return Spoiling


def test_what_must_not_change_costs_everything_and_is_named_but_for_the_published_rule(
    servers: Path, tmp_path: Path
) -> None:
    spoil = spoiling(Action(tool="note", arguments={"member_id": "MEMB-00009", "text": "hello"}))
    _, framed = run(servers, tmp_path / "framed", spoil)
    _, upstream = run(servers, tmp_path / "upstream", spoil, scoring="upstream")
    for one in framed.values():
        assert all(one.verdict.checks)
        assert (one.verdict.reward, one.verdict.owner) == (0.0, "agent")
        assert one.verdict.frame_violations == ("members.MEMB-00009.notes: changed",)
    assert [one.verdict.reward for one in upstream.values()] == [1.0] * 3


def test_a_part_of_the_work_earns_its_share(servers: Path, tmp_path: Path) -> None:
    _, played = run(servers, tmp_path, lambda _briefing, scenario: Scripted(scenario.oracle[:2]))
    assert [(one.verdict.reward, one.verdict.checks) for one in played.values()] == [
        (0.25, (True, False, False, False))
    ] * 3


def rewritten(servers: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The same home with other scenarios."""
    home = write_home(tmp_path / "home", tasks=3)
    file = home / "generated_servers" / SERVER / "scenarios.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    change(lines[1])
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return home / "generated_servers"


def test_a_check_that_cannot_run_is_nobody_else_s_failure(servers: Path, tmp_path: Path) -> None:
    def broken(scenario: dict[str, Any]) -> None:
        scenario["checks"][0]["check_func"] = "import os\n\n\ndef check_func(final_state):\n    return True\n"

    tally, played = run(rewritten(servers, tmp_path, broken), tmp_path / "run")
    assert [one.owner for one in tally.done.values()].count(None) == 2
    verdict = played[f"{SERVER}-002"].verdict
    assert (verdict.owner, verdict.masked, verdict.checks) == ("checker", True, (False, True, True, True))
    assert verdict.reason.startswith(
        "check 1 cannot run: the check was refused before it was run: line 1: the module 'os'"
    )


def test_a_check_that_raises_on_the_ending_does_not_hold(servers: Path, tmp_path: Path) -> None:
    def raising(scenario: dict[str, Any]) -> None:
        scenario["checks"][0]["check_func"] = "def check_func(final_state):\n    return final_state['nothing'] == 1\n"

    _, played = run(rewritten(servers, tmp_path, raising), tmp_path / "run")
    verdict = played[f"{SERVER}-002"].verdict
    assert (verdict.owner, verdict.masked, verdict.checks) == ("agent", False, (False, True, True, True))
    assert verdict.reason == "1 of 4 checks are not true: 1 (KeyError: 'nothing')"


def test_a_state_at_which_no_world_opens_is_the_environment_s_failure(tmp_path: Path) -> None:
    folder = write_home(tmp_path / "home", tasks=2) / "generated_servers" / SERVER
    start, card = State.read(folder / "states" / "start.json"), Environment.read(folder / "environment.json")
    card.model_copy(update={"states": ("start", "broken")}).write(folder / "environment.json")
    content = {**start.content, "loans": {"LOAN-00001": "not a record"}}
    broken = start.model_copy(update={"name": "broken", "content": content})
    broken.write(folder / "states" / "broken.json")
    first, second = load_scenarios(folder)
    second = second.model_copy(update={"state": "broken", "state_digest": broken.digest})
    lines = [json.dumps(one.model_dump(mode="json")) + "\n" for one in (first, second)]
    (folder / "scenarios.jsonl").write_text("".join(lines))
    for via in ("direct", "worker", "stdio"):
        tally, played = run(folder.parent, tmp_path / via, via=via)
        assert {one.id: (one.owner, one.steps) for one in tally.done.values()} == {
            f"{SERVER}-001/oracle/1": (None, 8),
            f"{SERVER}-002/oracle/1": ("environment", 0),
        }
        assert "cannot be opened at this state" in played[second.id].verdict.reason
