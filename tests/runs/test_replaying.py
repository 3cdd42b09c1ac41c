"""What was recorded is played again byte for byte, and a record that was altered is told at the step where it was."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Call, Scenario, State, StateDiff, Trajectory
from envscaler_mcp.artifacts.run import Via
from envscaler_mcp.episode.agent import COMPLETED, Action, Briefing
from envscaler_mcp.episode.agents import TalkingOracle, agent_named
from envscaler_mcp.episode.guessing import RandomAgent
from envscaler_mcp.episode.replay import NotReplayableError, first_difference
from envscaler_mcp.errors import EnvScalerError, WorkerEndedError
from envscaler_mcp.launch.channels import Host, LocalChannel, hosting
from envscaler_mcp.launch.client_channel import lost_connections_told
from envscaler_mcp.launch.combined import CombinedServers, Member
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, replaying, run_episodes
from envscaler_mcp.runs.replaying import Ending, Replayed, replay_run
from envscaler_mcp.scoring.journal import Journal
from envscaler_mcp.scoring.run_folder import RunFolder, read_run, read_trajectories, recorded_episodes
from envscaler_mcp.scoring.trajectory import record_of
from envscaler_mcp.serving import Outcome, read_code
from envscaler_mcp.serving.outcome import ENDED
from tests.homes import write_server
from tests.library_sample import sample
from tests.runs.home import write_home

LIBRARY = Path(__file__).parent.parent.parent / "generated_servers"
NAMES = ("carpool", "hospital_stays", "key_value_store")


class Disorderly:
    """What solves the task, guesses, calls that make no sense, several at once, and talk, in an order of its own."""

    def __init__(self, briefing: Briefing, scenario: Scenario) -> None:
        self._chance = random.Random(f"{briefing.seed} {scenario.id}")
        self._guessing = RandomAgent(briefing)
        self._knowing = TalkingOracle(scenario)

    def act(self, observation: str) -> Any:
        chance = self._chance.random()
        if chance < 0.4:
            return self._knowing.act(observation)
        if chance < 0.65:
            return self._guessing.act(observation)
        nonsense = (
            None,
            Action(),
            Action(text="Is anybody there? „Grüße“ \u2028"),
            Action(tool=""),
            Action(tool="no_such_tool", arguments={"x": [1, 2.5, {"y": None}]}, reasoning="Why not?"),
            Action(tool=7),  # type: ignore[arg-type]
            Action(tool="no_such_tool", arguments=[1]),  # type: ignore[arg-type]
            Action(tool="\ud800", arguments={"x": float("nan")}),
            Action(text="Both.", tool="one", more=(Call(tool="two"), *self._several()), reasoning="Hm."),
            Action(text="All of it.", more=self._several()),
            Action(text=f"{COMPLETED}!"),
        )
        return self._chance.choice(nonsense)

    def _several(self) -> tuple[Call, ...]:
        moves = [self._guessing.act("") for _ in range(3)]
        return tuple(Call(tool=move.tool, arguments=move.arguments) for move in moves if move.tool)


def played(servers: Path, names: tuple[str, ...], folder: Path, make: Any = Disorderly, **options: Any) -> Path:
    with WorldHome.at(servers) as farm:
        plan = plan_run(farm, names, RunConfig(**{"max_steps": 25, "each": 2, **options}))
        anyio.run(run_episodes, farm, plan, make, folder, 2, lambda *_: None)
    return folder


def replayed(
    servers: Path,
    folder: Path,
    via: Via = "direct",
    parallel: int = 2,
    taken: Callable[[], Awaitable[None]] | None = None,
) -> dict[str, Replayed]:
    found: dict[str, Replayed] = {}

    async def take(told: Replayed, _record: Trajectory | None, _ending: Ending | None) -> None:
        assert told.id not in found
        found[told.id] = told
        if taken is not None:
            await taken()

    plan, places = read_run(folder)[0], recorded_episodes(folder)
    with WorldHome.at(servers) as farm:
        anyio.run(replay_run, farm, plan, places, via, parallel, take, lambda *_: None)
    return found


def altered(folder: Path, out: Path, plan: dict[str, Any] | None = None, **changes: Any) -> Path:
    """The run with these changes in every record, and in its plan."""
    made = read_run(folder)[0].model_copy(update=plan or {})
    with RunFolder.open(out, made) as run:
        run.record([one.model_copy(update=changes) for one in read_trajectories(folder)])
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("runs")
    return [
        played(LIBRARY, NAMES, place / "task", repeat=2),
        played(LIBRARY, NAMES, place / "conversation", mode="conversation", repeat=2),
    ]


@pytest.mark.parametrize("via", ["direct", "worker"])
def test_whatever_was_called_the_same_comes_of_it_again(runs: list[Path], via: Via) -> None:
    for folder in runs if via == "direct" else runs[1:]:
        assert {one for one in replayed(LIBRARY, folder, via).values() if one.outcome != "identical"} == set()
        records = list(read_trajectories(folder))
        assert len(records) == 12
        assert any(step.malformed for record in records for step in record.steps)
        assert any(not step.diff.empty for record in records for step in record.steps)
        assert any(len({step.turn for step in record.steps}) < len(record.steps) for record in records)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("via", ["worker", "stdio", "http"])
def test_so_it_does_in_other_worlds_and_on_every_way(tmp_path: Path, via: Via) -> None:
    names = tuple(sample((path.parent.name for path in LIBRARY.glob("*/scenarios.jsonl")), 4))
    for mode in ("task", "conversation"):
        folder = played(LIBRARY, names, tmp_path / mode, mode=mode, repeat=2)
        for again in ("direct", via):
            found = replayed(LIBRARY, folder, again, 4).values()
            assert len(found) == 16
            assert {one for one in found if one.outcome != "identical"} == set()


def _message_of(record: dict[str, Any], place: int) -> dict[str, Any]:
    """The last message that only this step is about."""
    step = record["steps"][place]
    number = f"call_{step['number']}"
    answers = [one for one in record["messages"] if one.get("tool_call_id") == number]
    if answers:
        answer: dict[str, Any] = answers[0]
        return answer
    turns = [one["turn"] for one in record["steps"][:place]]
    calls = sum(bool(one["tool"] or one["malformed"]) for one in record["steps"][:place])
    said = len(set(turns)) + calls + (place - calls)
    found: dict[str, Any] = record["messages"][2 + said + 1]
    return found


def _said(record: dict[str, Any], place: int, name: str) -> None:
    record["steps"][place][name] += "?"


def _count(record: dict[str, Any], place: int, name: str) -> None:
    record["steps"][place][name] += 1


def _flip(record: dict[str, Any], place: int, name: str) -> None:
    record["steps"][place][name] = not record["steps"][place][name]


def _called(record: dict[str, Any], place: int, name: str) -> None:
    record["steps"][place][name]["more"] = 1


def _changed(record: dict[str, Any], place: int, name: str) -> None:
    record["steps"][place][name]["scalars"]["counters.X"] = [1, 2]


def _message(record: dict[str, Any], place: int, name: str) -> None:
    _message_of(record, place)[name] += " "


def _removed(record: dict[str, Any], place: int, name: str) -> None:
    del record["steps"][place]


PLACES: tuple[tuple[Callable[[dict[str, Any], int, str], None], str], ...] = (
    (_said, "text"),
    (_said, "reasoning"),
    (_said, "tool"),
    (_said, "observation"),
    (_flip, "is_error"),
    (_count, "number"),
    (_count, "turn"),
    (_called, "arguments"),
    (_changed, "diff"),
    (_message, "content"),
    (_removed, "steps"),
)


@pytest.mark.parametrize("seed", range(4))
def test_a_record_that_was_altered_in_one_place_is_told_at_that_step(
    runs: list[Path], tmp_path: Path, seed: int
) -> None:
    folder = runs[seed % 2]
    chance = random.Random(seed)
    expected: dict[str, tuple[int, str]] = {}
    records: list[Trajectory] = []
    for record in read_trajectories(folder):
        document = record.model_dump(mode="json")
        alter, name = PLACES[(len(records) + seed) % len(PLACES)]
        # What comes after the last step is no step.
        place = chance.randrange(len(record.steps) - (alter is _removed))
        alter(document, place, name)
        expected[record.id] = (place + 1, name)
        records.append(Trajectory.from_text(json.dumps(document), "altered"))
    with RunFolder.open(tmp_path, read_run(folder)[0]) as run:
        run.record(records)
    found = replayed(LIBRARY, tmp_path)
    assert {one.outcome for one in found.values()} == {"different"}
    told = {name: (one.step, expected[name][1], one.why) for name, one in found.items()}
    assert {name: step[:2] for name, step in told.items()} == expected, told


def test_an_end_that_is_another_one_is_told(runs: list[Path], tmp_path: Path) -> None:
    record = next(read_trajectories(runs[0]))
    with RunFolder.open(tmp_path, read_run(runs[0])[0]) as run:
        run.record([record.model_copy(update={"final_hash": "sha256:0"})])
    (told,) = replayed(LIBRARY, tmp_path).values()
    assert (told.outcome, told.step) == ("different", len(record.steps))
    assert "the state at the end was sha256:0 and is sha256:" in told.why


def test_a_record_of_something_that_was_not_planned_is_told(runs: list[Path], tmp_path: Path) -> None:
    record = next(read_trajectories(runs[0]))
    with RunFolder.open(tmp_path, read_run(runs[0])[0]) as run:
        run.record([record.model_copy(update={"seed": 99})])
    (told,) = replayed(LIBRARY, tmp_path).values()
    assert (told.outcome, told.step, told.why) == ("different", 0, "step 0: the seed is 99, and 0 was planned")


def test_what_is_not_there_any_more_cannot_be_replayed_and_is_no_difference(tmp_path: Path) -> None:
    write_home(tmp_path, tasks=2, name="another_library")
    servers = write_home(tmp_path, tasks=2) / "generated_servers"
    folder = played(servers, ("another_library", "lending_library"), tmp_path / "run")
    scenarios = servers / "lending_library" / "scenarios.jsonl"
    scenarios.write_text(scenarios.read_text().replace("what lending_library-002 is about", "something else"))
    shutil.rmtree(servers / "another_library")
    found = {name.partition("/")[0]: one for name, one in replayed(servers, folder).items()}
    assert {name: one.outcome for name, one in found.items()} == {
        "another_library-001": "impossible",
        "another_library-002": "impossible",
        "lending_library-001": "identical",
        "lending_library-002": "impossible",
    }
    assert "there is no environment 'another_library' here" in found["another_library-001"].why
    assert "is not what it was then" in found["lending_library-002"].why


def test_what_ended_a_worker_then_is_not_in_the_record(tmp_path: Path) -> None:
    servers = write_home(tmp_path, tasks=1) / "generated_servers"
    folder = played(servers, ("lending_library",), tmp_path / "run")
    record = next(read_trajectories(folder))
    place = next(place for place, step in enumerate(record.steps) if step.tool and not step.malformed)
    step = record.steps[place].model_copy(update={"observation": ENDED.text, "is_error": True})
    steps = (*record.steps[:place], step)
    (told,) = replayed(servers, altered(folder, tmp_path / "ended", steps=steps)).values()
    assert told.outcome == "impossible"
    assert f"the world's worker ended at step {place + 1} then" in told.why


async def test_a_worker_that_ends_now_says_nothing_about_the_record(tmp_path: Path) -> None:
    class Ending(LocalChannel):
        async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
            raise WorkerEndedError("memory", "too much")

    servers = write_home(tmp_path, tasks=1) / "generated_servers"
    farm = WorldHome(servers)
    plan = plan_run(farm, ("lending_library",), RunConfig())
    await run_episodes(farm, plan, agent_named("oracle")[1], tmp_path / "run", 1, lambda *_: None)
    (record,), (scenario,) = read_trajectories(tmp_path / "run"), farm.scenarios("lending_library")
    with closing(farm.open("lending_library", scenario=scenario.id)) as session:
        code = read_code(servers / "lending_library")
        servers_now = CombinedServers([Member("lending_library", "", code.tools, Ending(session), is_world=True)])
        with pytest.raises(NotReplayableError, match="ended at step 1 now"):
            await first_difference(record, servers_now, scenario.task, plan.max_steps)


def test_a_world_that_cannot_be_opened_is_identical_only_where_the_reason_is_the_same(tmp_path: Path) -> None:
    servers = write_home(tmp_path, tasks=1) / "generated_servers"
    good = played(servers, ("lending_library",), tmp_path / "good")
    home = servers / "lending_library"
    (scenario,) = WorldHome(servers).scenarios("lending_library")
    state = State.read(home / "states" / "start.json")
    state = state.model_copy(update={"content": {**state.content, "loans": {"LOAN-00001": {}}}})
    scenario = scenario.model_copy(update={"state_digest": state.digest})
    write_server(home, read_code(home), state, [scenario])
    folder = played(servers, ("lending_library",), tmp_path / "run")
    (record,) = read_trajectories(folder)
    assert (record.messages, record.verdict.owner) == ((), "environment")
    (told,) = replayed(servers, folder).values()
    assert told.outcome == "identical"
    otherwise = record.verdict.model_copy(update={"reason": "The zygote does not answer."})
    digests = {"scenario_digest": scenario.digest}
    planned = tuple(one.model_copy(update=digests) for one in read_run(folder)[0].episodes)
    (once,) = read_trajectories(good)
    for name, changes in (("reason", {"verdict": otherwise}), ("opened", {"messages": once.messages})):
        (told,) = replayed(servers, altered(folder, tmp_path / name, {"episodes": planned}, **changes)).values()
        assert (told.outcome, "its world cannot be opened: " in told.why) == ("impossible", True)


def test_a_world_that_opens_now_and_did_not_then_is_a_difference(tmp_path: Path) -> None:
    servers = write_home(tmp_path, tasks=1) / "generated_servers"
    folder = played(servers, ("lending_library",), tmp_path / "run")
    (told,) = replayed(servers, altered(folder, tmp_path / "new", steps=(), messages=(), final_hash="")).values()
    assert (told.outcome, told.step, told.why) == ("different", 0, "step 0: the world opens now, and did not then")


def test_one_record_that_nobody_can_read_hides_no_other(tmp_path: Path) -> None:
    servers = write_home(tmp_path, tasks=3) / "generated_servers"
    folder = played(servers, ("lending_library",), tmp_path / "run", each=3)
    records = [record_of(one) for one in sorted(read_trajectories(folder), key=lambda one: one.id)]
    with Journal.open(tmp_path / "new") as journal:
        journal.append([records[0], b'{"unheard_of":1,' + records[1][1:], records[2]])
    shutil.copy(folder / "plan.json", tmp_path / "new")
    found = sorted(replayed(servers, tmp_path / "new").values(), key=lambda one: one.id)
    assert [one.outcome for one in found] == ["identical", "impossible", "identical"]
    assert "unheard_of" in found[1].why


@pytest.mark.parametrize("via", ["direct", "stdio"])
@pytest.mark.parametrize("named", ["../theirs/lending_library", "absolute"])
def test_nothing_that_a_run_from_elsewhere_names_is_run(tmp_path: Path, via: Via, named: str) -> None:
    ours, theirs = (write_home(tmp_path / name, tasks=1) / "generated_servers" for name in ("ours", "theirs"))
    folder = played(theirs, ("lending_library",), tmp_path / "run")
    shutil.move(theirs / "lending_library", tmp_path / "ours" / "theirs" / "lending_library")
    evil = tmp_path / "ours" / "theirs" / "lending_library"
    (evil / "server.py").write_text(f"open({str(tmp_path / 'proof')!r}, 'w')")
    name = str(evil) if named == "absolute" else named
    planned = tuple(one.model_copy(update={"environment": name}) for one in read_run(folder)[0].episodes)
    with pytest.raises(EnvScalerError, match="is no id"):
        replayed(ours, altered(folder, tmp_path / "new", {"episodes": planned}), via)
    found = replayed(ours, altered(folder, tmp_path / "other", {}, environment=name), via)
    assert [one.why for one in found.values()] == [
        f"step 0: the environment is {name!r}, and 'lending_library' was planned"
    ]
    assert not (tmp_path / "proof").exists()


def test_an_episode_is_told_once_even_if_its_server_goes_away_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = write_home(tmp_path, tasks=3) / "generated_servers"
    folder = played(servers, ("lending_library",), tmp_path / "run", each=3)
    told = anyio.Event()
    lost: list[str] = []

    async def lose() -> None:
        await told.wait()
        if not lost:
            lost.append("")
            raise ConnectionResetError

    @asynccontextmanager
    async def breaking(*place: Any, **more: Any) -> AsyncIterator[Host]:
        async with lost_connections_told("it"), anyio.create_task_group() as group, hosting(*place, **more) as host:
            group.start_soon(lose)
            yield host
            group.cancel_scope.cancel()

    async def taken() -> None:
        told.set()
        await anyio.wait_all_tasks_blocked()

    monkeypatch.setattr(replaying, "hosting", breaking)
    found = replayed(servers, folder, "direct", 1, taken)
    assert lost
    assert [one.outcome for one in found.values()] == ["identical"] * 3


def test_records_without_numbers_of_turns_cannot_be_replayed(runs: list[Path], tmp_path: Path) -> None:
    record = next(read_trajectories(runs[0]))
    steps = tuple(step.model_copy(update={"turn": 0}) for step in record.steps)
    with RunFolder.open(tmp_path, read_run(runs[0])[0]) as run:
        run.record([record.model_copy(update={"steps": steps})])
    (told,) = replayed(LIBRARY, tmp_path).values()
    assert (told.outcome, told.why) == ("impossible", "it was recorded before turns had numbers")


@pytest.mark.parametrize("calls", [None, 7, "no list", {}])
def test_messages_that_are_none_are_a_difference(runs: list[Path], tmp_path: Path, calls: Any) -> None:
    record = next(read_trajectories(runs[0]))
    place = next(place for place, one in enumerate(record.messages) if "tool_calls" in one)
    number = int(record.messages[place + 1]["tool_call_id"].removeprefix("call_"))
    messages = [dict(one) for one in record.messages]
    messages[place]["tool_calls"] = calls
    with RunFolder.open(tmp_path, read_run(runs[0])[0]) as run:
        run.record([record.model_copy(update={"messages": tuple(messages)})])
    (told,) = replayed(LIBRARY, tmp_path).values()
    assert (told.outcome, told.step) == ("different", number)


def test_whoever_ended_at_the_limit_of_steps_had_made_as_many(tmp_path: Path) -> None:
    servers = write_home(tmp_path, tasks=1) / "generated_servers"
    folder = played(servers, ("lending_library",), tmp_path / "run", make=agent_named("oracle")[1], max_steps=3)
    (told,) = replayed(servers, altered(folder, tmp_path / "new", {"max_steps": 4})).values()
    assert (told.outcome, told.step) == ("different", 3)
    assert "the number of turns at the limit was '4' and is '3'" in told.why
