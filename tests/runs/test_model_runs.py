"""A run that models play: what is asked is paid for, what fails is tried again, and what cannot go on is told once."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Trajectory
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.episode.agent import COMPLETED, RunAbortedError
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.user import STOP
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.llm import Spending
from envscaler_mcp.runs import (
    PlayerProcesses,
    PricedEndpoint,
    RunConfig,
    WorldHome,
    open_models,
    plan_run,
    run_episodes,
)
from envscaler_mcp.scoring.run_folder import Tally, read_run, read_trajectories
from tests.episode.voices import DEAR, SERVER
from tests.llm.asking import endpoint
from tests.llm.endpoint import (
    Asked,
    Fail,
    Half,
    Hang,
    Reply,
    Reset,
    Say,
    ScriptedEndpoint,
    one_after_the_other,
    scripted_endpoint,
)
from tests.runs.home import oracle, write_home


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=30) / "generated_servers"


def turn_of(asked: Asked) -> int:
    return sum(message["role"] == "assistant" for message in asked["messages"])


def solves(asked: Asked) -> Reply:
    """Knows what to do for whoever is asked about."""
    calls = oracle(int(asked["messages"][1]["content"].split("lending_library-")[1][:3]))
    turn = turn_of(asked)
    if turn == len(calls):
        return Say(COMPLETED)
    return Say(None, finish="tool_calls", tool_calls=[(calls[turn].tool, json.dumps(calls[turn].arguments))])


def talks(asked: Asked) -> Reply:
    """The same, and tells a user that it is done."""
    answer = solves(asked)
    return Say("That is done.") if isinstance(answer, Say) and answer.text == COMPLETED else answer


@dataclass
class Played:
    """A run, and what was asked in it."""

    folder: Path
    place: ScriptedEndpoint
    plan: RunPlan
    ended_by: str

    @property
    def tally(self) -> Tally:
        return read_run(self.folder)[1]

    @property
    def trajectories(self) -> list[Trajectory]:
        return list(read_trajectories(self.folder))

    @property
    def dollars(self) -> float:
        with Spending(self.folder / "spent.sqlite") as spending:
            return spending.ledger.total.dollars


async def run(
    servers: Path,
    folder: Path,
    script: Callable[[Asked], Reply],
    *,
    parallel: int = 4,
    budget: float | None = None,
    patience: float = 5.0,
    processes: int = 1,
    **config: object,
) -> Played:
    wanted = RunConfig.model_validate({"agent": "openai:small", "answer_tokens": 100, **config})
    farm, ended_by = WorldHome(servers), ""
    plan = plan_run(farm, [SERVER], wanted)
    async with scripted_endpoint(script) as place:
        there = PricedEndpoint(endpoint(place.url, parallel=parallel, timeout=patience), DEAR)
        try:
            async with open_models(plan, folder, there, there, budget=budget) as (voice, of_user):
                make_agent = agent_named(wanted.agent, voice)[1]
                make_user = user_named(wanted.user, of_user)[1] if wanted.user else None
                spread = PlayerProcesses(servers, None, wanted.agent, voice, of_user, number=processes)
                await run_episodes(
                    farm, plan, make_agent, folder, parallel, lambda *_: None, make_user=make_user, processes=spread
                )
        except RunAbortedError as cause:
            ended_by = str(cause)
    return Played(folder, place, plan, ended_by)


async def test_a_model_that_knows_what_to_do_solves_what_it_is_given(servers: Path, tmp_path: Path) -> None:
    done = await run(servers, tmp_path, solves, limit=2)
    assert [one.reward for one in done.tally.done.values()] == [1.0, 1.0]
    for one in done.trajectories:
        assert one.use is not None
        assert (one.use.completion_tokens, one.agent, one.provenance.model) == (8 * 50, "openai:small", "small")
        assert one.provenance.parents["play_task"] == done.plan.prompts["play_task"]
    assert done.dollars == pytest.approx(sum(one.use.dollars for one in done.trajectories if one.use))


async def test_each_repetition_is_asked_anew_with_another_seed(servers: Path, tmp_path: Path) -> None:
    done = await run(servers, tmp_path, lambda _: Say(COMPLETED), limit=1, repeat=3, seed=5)
    assert sorted(asked["seed"] for asked in done.place.requests) == [5, 6, 7]
    assert len(done.tally.done) == 3


async def test_a_refused_key_ends_the_run_once_and_what_was_played_is_kept(servers: Path, tmp_path: Path) -> None:
    left = iter(range(9))

    def script(asked: Asked) -> Reply:
        return solves(asked) if next(left, None) is not None else Fail(401, "Incorrect API key provided")

    first = await run(servers, tmp_path, script, limit=5, parallel=1)
    assert "Incorrect API key provided" in first.ended_by
    assert (len(first.tally.done), len(first.tally.failed), len(first.place.requests)) == (1, 1, 10)
    again = await run(servers, tmp_path, solves, limit=5)
    assert (again.ended_by, len(again.tally.done), len(again.place.requests)) == ("", 5, 4 * 8)


async def test_an_endpoint_that_is_down_is_tried_again_and_its_episodes_are_not_done(
    servers: Path, tmp_path: Path
) -> None:
    down = Fail(503, headers={"retry-after-ms": "1"})
    done = await run(servers, tmp_path, one_after_the_other(down), limit=1)
    (failed,) = done.tally.failed.values()
    assert (failed.owner, failed.attempt, len(done.place.requests)) == ("infrastructure", 3, 3 * 6)
    again = await run(servers, tmp_path, solves, limit=1)
    assert [one.solved for one in again.tally.done.values()] == [True]


@pytest.mark.parametrize("mode", ["task", "conversation"])
async def test_a_budget_holds_over_agents_and_users_that_play_at_the_same_time_and_over_starts(
    servers: Path, tmp_path: Path, mode: str
) -> None:
    user = "openai:small" if mode == "conversation" else ""

    def script(asked: Asked) -> Reply:
        return Say("Which book?", usage=(1000, 50))

    first = await run(servers, tmp_path, script, parallel=8, budget=80.0, limit=8, mode=mode, user=user)
    assert "go on with a greater --budget" in first.ended_by
    assert 10 < first.dollars <= 80.0
    second = await run(servers, tmp_path, script, parallel=8, budget=80.0, limit=8, mode=mode, user=user)
    assert first.dollars <= second.dollars <= 80.0
    assert len(second.place.requests) < len(first.place.requests) / 2


async def test_a_user_who_invents_something_fails_the_episodes_that_are_not_solved_and_no_other(
    servers: Path, tmp_path: Path
) -> None:
    def script(asked: Asked) -> Reply:
        if asked["messages"][0]["content"].startswith("You play a person"):
            turn = turn_of(asked)
            number = asked["messages"][0]["content"].split("lending_library-")[1][:3]
            return Say(f"It is about lending_library-{number}, for Zora.") if turn == 0 else Say(STOP)
        return Say("It is done.") if "lending_library-001" in asked["messages"][1]["content"] else talks(asked)

    done = await run(servers, tmp_path, script, limit=2, mode="conversation", user="openai:small")
    failed, solved = sorted(done.trajectories, key=lambda one: one.id)
    assert (
        [(one.step, one.value) for one in failed.invented]
        == [(0, "Zora")]
        == [(one.step, one.value) for one in solved.invented]
    )
    assert (failed.verdict.owner, failed.verdict.masked) == ("user_simulator", True)
    assert failed.verdict.reason == "the user invented Zora"
    assert (solved.verdict.solved, solved.verdict.owner, solved.verdict.masked) == (True, None, False)
    assert failed.provenance.parents.keys() == {"scenario", "code", "play_conversation", "play_user"}


HOSTILE = (
    (0.15, Fail(429, "slow down", headers={"retry-after-ms": "15"})),
    (0.10, Fail(503, headers={"retry-after-ms": "10"})),
    (0.03, Reset()),
    (0.03, Half()),
    (0.01, Hang()),
)
MALFORMED = ('{"book_id": ', "[]", "nothing at all", '{"book_id": "BOOK-00001"}}')


class Hostile:
    """Answers well seven times in ten, and then calls with malformed arguments every fifth time."""

    def __init__(self, seed: int, turns: int) -> None:
        self._chance = random.Random(seed)
        self._turns = turns
        self.good = 0

    def __call__(self, asked: Asked) -> Reply:
        drawn = self._chance.random()
        for share, reply in HOSTILE:
            if (drawn := drawn - share) < 0:
                return reply
        self.good += 1
        if turn_of(asked) >= self._turns:
            return Say(COMPLETED)
        arguments = '{"book_id": "BOOK-00001"}'
        if self._chance.random() < 0.2:
            arguments = self._chance.choice(MALFORMED)
        return Say(None, finish="tool_calls", tool_calls=[("get_book", arguments)])


async def _survive(servers: Path, folder: Path, completions: int, tasks: int) -> None:
    turns, episodes = 4, completions // 5
    script = Hostile(completions, turns)
    config = {"limit": tasks, "repeat": -(-episodes // tasks)}
    done = await run(servers, folder, script, parallel=50, patience=0.3, budget=1e9, **config)
    assert script.good >= completions
    assert len(done.tally.done) + len(done.tally.failed) == len(done.plan.episodes) >= episodes
    assert all(one.owner == "infrastructure" for one in done.tally.failed.values())
    refused = 0
    for one in done.trajectories:
        assert (one.ended, len(one.steps), one.verdict.owner) == ("completed", turns + 1, "agent")
        for step in one.steps:
            refused += bool(step.malformed)
            assert step.is_error == bool(step.malformed)
    told = [asked for asked in done.place.requests if "must be an object, not" in asked["messages"][-1]["content"]]
    # One in five; how many of these arrive is for the endpoint's chance, and not for this machine.
    assert len(told) >= refused > 0.1 * turns * len(done.trajectories) > 0
    assert done.ended_by == ""


async def test_episodes_come_to_their_end_at_a_hostile_endpoint(servers: Path, tmp_path: Path) -> None:
    await _survive(servers, tmp_path, 120, 12)


@pytest.mark.slow
async def test_a_thousand_completions_of_a_hostile_endpoint_end_as_they_should(servers: Path, tmp_path: Path) -> None:
    await _survive(servers, tmp_path, 1000, 30)


async def test_a_budget_holds_at_a_hostile_endpoint(servers: Path, tmp_path: Path) -> None:
    done = await run(servers, tmp_path, Hostile(7, 9), parallel=16, patience=0.3, budget=30.0, limit=16)
    assert "go on with a greater --budget" in done.ended_by
    assert done.dollars <= 30.0
