"""Episodes that a program plays itself: the same in this process and at a farm, and the same as in a run."""

from __future__ import annotations

import gc
import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Scenario, State, Trajectory, digest_of
from envscaler_mcp.episode import transcript
from envscaler_mcp.episode.agent import Action
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import EnvScalerError, LaunchError, RunError, WorldError
from envscaler_mcp.rl.episode import BlockingChannel, drive
from envscaler_mcp.rl.trl import dataset, factories
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.replaying import Replayed, replay_run
from envscaler_mcp.scoring.run_folder import read_plan, read_trajectories, recorded_episodes
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, Program, farm_program
from tests.library_sample import sample

SERVERS = ROOT / "generated_servers"
ENVIRONMENT = "hospital_stays"
TASK: Scenario = load_scenarios(SERVERS / ENVIRONMENT)[0]
WORLDS = sample([path.parent.name for path in SERVERS.glob("*/scenarios.jsonl")], 25)


def solve(episode: rl.Episode) -> list[str]:
    return [episode.call(call.tool, call.arguments) for call in episode.scenario.oracle]


def state_of(scenario: Scenario) -> State:
    return State.read(SERVERS / scenario.environment / "states" / f"{scenario.state}.json")


def played_by_a_run(folder: Path, *scenarios: Scenario, mode: Any = "task") -> dict[str, Trajectory]:
    ids = tuple(scenario.id for scenario in scenarios)
    environments = sorted({scenario.environment for scenario in scenarios})
    with WorldHome.at(SERVERS) as home:
        plan = plan_run(home, environments, RunConfig(agent="oracle", scenarios=ids, mode=mode, seed=0))
        anyio.run(run_episodes, home, plan, agent_named("oracle")[1], folder, 2, lambda *_: None)
    return {trajectory.scenario: trajectory for trajectory in read_trajectories(folder)}


def without_times(trajectory: Trajectory) -> dict[str, Any]:
    """What was played; where, when and by whom is left out."""
    document = trajectory.model_dump(mode="json", exclude={"id", "agent", "via", "provenance"})
    for step in document["steps"]:
        del step["milliseconds"]
    return document


def test_the_solution_earns_all_and_doing_nothing_earns_nothing(gym: rl.Gym) -> None:
    for environment in WORLDS[:2]:
        with gym.open(environment=environment, level="medium") as solved, gym.open(environment=environment) as idle:
            solve(solved)
            idle.finish()
            assert (solved.verify().reward, solved.progress(), idle.verify().reward) == (1.0, 1.0, 0.0)


@pytest.mark.slow
def test_the_solution_earns_all_in_fifty_tasks_of_twenty_five_worlds(gym: rl.Gym) -> None:
    tasks = [task for environment in WORLDS for task in list(gym.tasks(environment))[::5][:2]]
    solved, idle = gym.open_many(tasks), gym.open_many(tasks)
    for episode in solved:
        solve(episode)
    assert [verdict.reward for verdict in gym.verify_many(solved)] == [1.0] * 50
    assert [verdict.reward for verdict in gym.verify_many(idle)] == [0.0] * 50
    gym.close_many([*solved, *idle])


def test_an_episode_is_what_a_run_records_of_the_same_moves(gym: rl.Gym, tmp_path: Path) -> None:
    other = next(gym.tasks("library_loans"))
    recorded = played_by_a_run(tmp_path, TASK, other)
    for task in (TASK, other):
        with gym.open(task, record=True) as episode:
            solve(episode)
            episode.finish()
            made, run = without_times(episode.record()), without_times(recorded[task.id])
        # A program in whose place no model plays has its prompt from `play_task`, as a model's agent has.
        assert made["messages"][0]["content"].endswith(run["messages"][0]["content"].strip())
        made["messages"][0] = run["messages"][0] = {}
        assert made == run


def test_a_conversation_is_what_a_run_records_of_the_same_moves(gym: rl.Gym, tmp_path: Path) -> None:
    recorded = played_by_a_run(tmp_path, TASK, mode="conversation")[TASK.id]
    with gym.open(TASK, mode="conversation", record=True) as episode:
        for step in recorded.steps:
            if step.tool:
                episode.call(step.tool, step.arguments)
            else:
                assert episode.say(step.text) == step.observation
        assert episode.done
        made, run = without_times(episode.record()), without_times(recorded)
    made["messages"][0] = run["messages"][0] = {}
    assert made == run


def test_what_cannot_be_called_is_answered_and_told_apart(gym: rl.Gym) -> None:
    with gym.open(TASK) as episode:
        tool = TASK.oracle[0]
        assert not episode.call(tool.tool, tool.arguments).refused
        assert not episode.call(tool.tool, json.dumps(tool.arguments)).refused
        for name, arguments in ((tool.tool, "{"), (tool.tool, {"no_such": 1}), ("no_such", {}), (tool.tool, [1])):
            answer = episode.call(name, arguments)  # type: ignore[arg-type]
            assert answer.refused
            assert json.loads(answer)["success"] is False
        for text in ("x" * 300_000, '"' * 110_000, "\\" * 110_000, "\N{GRINNING FACE}" * 34_000):
            assert "too large" in episode.call(tool.tool, {"name": text})
        assert "too large" not in episode.call(tool.tool, {"name": "\u00e9" * 30_000})
        assert not episode.done
        assert not episode.verify().masked


MALFORMED: list[Any] = [
    "x",
    5,
    {"a": 1},
    [None],
    ["x", {"id": "1", "type": "function", "function": {"arguments": "{}"}}],
    [{"function": {"name": 5}}, {"function": {"name": TASK.oracle[0].tool, "arguments": None}}],
    [{"id": 7, "function": [object()]}],
]


@pytest.mark.parametrize("calls", MALFORMED, ids=lambda calls: type(calls).__name__)
def test_malformed_calls_of_a_message_are_answered_one_by_one_and_recorded(here: rl.Gym, calls: Any) -> None:
    with here.open(TASK) as episode:
        answers = episode.answer({"role": "assistant", "content": "", "tool_calls": calls})
        assert len(answers) == (len(calls) if isinstance(calls, list) else 1)
        steps = episode.record().steps
        assert [(step.is_error, step.observation) for step in steps] == [(True, told["content"]) for told in answers]
        assert all(step.malformed for step in steps)
        assert not episode.verify().masked


def test_progress_counts_every_call_of_a_move(gym: rl.Gym) -> None:
    with gym.open(TASK) as episode:
        assert episode.progress() == 0.0
        episode.act(Action(text="All at once.", more=TASK.oracle))
        assert episode.progress() == episode.verify().reward == 1.0


def test_what_a_farm_refuses_as_too_large_is_answered_and_no_excuse(
    there: rl.Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_BYTES", 8 << 20)
    with there.open(TASK) as episode:
        for size in (300_000, 4_000_000):
            answer = episode.call(TASK.oracle[0].tool, {"name": "x" * size})
            assert (answer.refused, str(answer)) == (True, Outcome.saying("invalid", transcript.TOO_LARGE).text)
        solve(episode)
        verdict = episode.verify()
    assert (verdict.masked, verdict.reward) == (False, 1.0)


def test_a_message_with_several_calls_is_one_move_and_each_call_is_answered(gym: rl.Gym) -> None:
    reads = [call for call in TASK.oracle if call.tool.startswith(("find", "get", "list"))][:2]
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": call.tool, "arguments": json.dumps(call.arguments)}}
        for n, call in enumerate(reads)
    ]
    with gym.open(TASK) as episode:
        answers = episode.answer({"role": "assistant", "content": "Let me see.", "tool_calls": calls})
        assert [answer["tool_call_id"] for answer in answers] == ["c0", "c1"][: len(reads)]
        assert episode.steps == 1
        assert episode.answer({"role": "assistant", "content": "Task Completed"}) == []
        assert episode.done
        assert not episode.truncated
        after = episode.call(reads[0].tool, reads[0].arguments)
        assert after.refused
        assert "over" in after


def test_budgets_of_steps_and_tokens_end_an_episode_as_truncated(gym: rl.Gym) -> None:
    read = TASK.oracle[0]
    with gym.open(TASK, max_steps=2) as episode, gym.open(TASK, max_tokens=100) as other:
        episode.call(read.tool, read.arguments)
        assert not episode.done
        episode.call(read.tool, read.arguments)
        assert episode.truncated
        other.call(read.tool, read.arguments, tokens=60)
        assert not other.done
        other.call(read.tool, read.arguments, tokens=60)
        assert other.truncated


def test_forks_go_on_from_the_same_point_with_the_same_budget_and_history(gym: rl.Gym) -> None:
    with gym.open(TASK, max_steps=len(TASK.oracle) + 1) as episode:
        half = len(TASK.oracle) // 2
        first = [episode.call(call.tool, call.arguments) for call in TASK.oracle[:half]]
        forks = episode.fork_many(3)
        assert [fork.messages for fork in forks] == [episode.messages] * 3
        rest = [[each.call(call.tool, call.arguments) for call in TASK.oracle[half:]] for each in (episode, *forks[:2])]
        assert rest[0] == rest[1] == rest[2]
        assert first
        assert [each.verify().reward for each in (episode, *forks)] == [1.0, 1.0, 1.0, forks[2].progress()]
        assert forks[2].progress() < 1.0
        for _ in range(len(TASK.oracle) + 1 - half):
            forks[2].call(TASK.oracle[0].tool, TASK.oracle[0].arguments)
        assert forks[2].truncated
        assert not forks[1].done
        assert forks[1].state() == episode.state()


def test_a_fork_has_a_user_of_its_own(gym: rl.Gym) -> None:
    with gym.open(TASK, mode="conversation") as episode:
        asked = episode.say("What exactly is to be done?")
        fork = episode.fork()
        solve(fork)
        assert "###STOP###" in (fork.say("That is done.") or "")
        assert "###STOP###" not in (episode.say("That is done.") or "")
        assert (fork.verify().reward, episode.verify().reward) == (1.0, 0.0)
        assert asked


def test_leaving_a_conversation_is_the_agents_own_failure(gym: rl.Gym) -> None:
    with gym.open(TASK, mode="conversation") as episode:
        episode.finish()
        verdict = episode.verify()
        assert (verdict.owner, verdict.masked, verdict.reward) == ("agent", False, 0.0)


def test_what_progress_says_is_what_verify_says_after_every_call(gym: rl.Gym) -> None:
    with gym.open(environment="library_loans", level="hard") as episode:
        for call in episode.scenario.oracle:
            episode.call(call.tool, call.arguments)
            assert episode.progress() == episode.verify().reward


def test_resets_leave_no_trace(here: rl.Gym) -> None:
    with here.open(TASK) as first:
        beginning = digest_of(first.state())
    for _ in range(100):
        with here.open(TASK) as episode:
            assert digest_of(episode.state()) == beginning
            solve(episode)
    gc.collect()
    assert not [episode for episode in here._open if not episode.closed]


@pytest.mark.slow
def test_a_thousand_resets_leave_no_trace_at_a_farm(there: rl.Gym, farm: Program) -> None:
    with there.open(TASK) as first:
        beginning = digest_of(first.state())
    for _ in range(1_000):
        with there.open(TASK) as episode:
            assert digest_of(episode.state()) == beginning
            solve(episode)
    with farm.client() as client:
        assert client.worlds() == []


def test_sixty_four_worlds_are_open_at_once_and_share_nothing(gym: rl.Gym) -> None:
    group = gym.open_many(TASK, 64)
    solved = group[::2]
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(solve, solved))
    assert [verdict.reward for verdict in gym.verify_many(group)] == [1.0, 0.0] * 32
    gym.close_many(group)
    assert all(episode.closed for episode in group)


def test_a_task_of_the_programs_own_begins_at_its_own_state(gym: rl.Gym) -> None:
    state = state_of(TASK)
    own = State(environment=ENVIRONMENT, name="mine", seed=state.seed, content=state.content)
    scenario = TASK.model_copy(update={"id": "mine-1", "state": "mine", "state_digest": own.digest})
    with gym.open(scenario, state=own) as episode:
        solve(episode)
        assert episode.verify().reward == 1.0
    with pytest.raises((WorldError, LaunchError), match="made for another state"):
        gym.open(scenario, state=state)
    with pytest.raises((WorldError, LaunchError), match="made for other code"):
        gym.open(scenario.model_copy(update={"code_digest": "sha256:0"}), state=own)


@pytest.mark.parametrize("content", [{"stays": []}, {"now": 1, "counters": None}])
def test_a_state_that_no_world_can_have_is_refused(gym: rl.Gym, content: dict[str, Any]) -> None:
    state = State(environment=ENVIRONMENT, name="mine", seed=1, content=content)
    scenario = TASK.model_copy(update={"state": "mine", "state_digest": state.digest})
    with pytest.raises(WorldError):
        gym.open(scenario, state=state)
    with gym.open(TASK) as episode:
        assert episode.verify().reward == 0.0


def test_a_farm_takes_tasks_of_a_bounded_size(there: rl.Gym) -> None:
    start = state_of(TASK)
    large = State(**start.model_dump(exclude={"content"}), content={**start.content, "more": "x" * (1 << 20)})
    scenario = TASK.model_copy(update={"state_digest": large.digest})
    with pytest.raises(EnvScalerError, match="bytes"):
        there.open(scenario, state=large)
    large = State(**start.model_dump(exclude={"content"}), content={**start.content, "more": "x" * (1 << 19)})
    with pytest.raises(WorldError, match="are allowed"):
        there.open(TASK.model_copy(update={"state_digest": large.digest}), state=large)
    many = TASK.model_copy(update={"checks": TASK.checks[:1] * 201})
    with pytest.raises(WorldError, match="200 checks"):
        there.open(many, state=start)


def test_checks_of_a_task_of_the_programs_own_run_in_the_sandbox(gym: rl.Gym) -> None:
    hostile = TASK.checks[0].model_copy(
        update={"check_func": "import os\ndef check_func(final_state):\n    return os.getpid() > 0\n"}
    )
    scenario = TASK.model_copy(update={"checks": (hostile,)})
    with gym.open(scenario, state=state_of(TASK)) as episode:
        verdict = episode.verify()
        assert (verdict.owner, verdict.masked) == ("checker", True)
        with pytest.raises(rl.MaskedError):
            episode.progress()


def test_what_is_not_there_is_named_with_what_is_near(gym: rl.Gym) -> None:
    with pytest.raises(WorldError, match="hospital_stays-easy-01"):
        gym.open("hospital_stays-easy-001")
    with pytest.raises(WorldError, match="hospital_stays"):
        gym.open(environment="hospital_stay")
    with pytest.raises(WorldError, match="from 0"):
        gym.open(environment=ENVIRONMENT, index=1_000)
    with pytest.raises(RunError, match="'task' or 'conversation'"):
        gym.open(TASK, mode="talk")  # type: ignore[arg-type]
    with pytest.raises(RunError, match="max_steps is 0"):
        gym.open(TASK, max_steps=0)
    with pytest.raises(RunError, match="no user"):
        gym.open(TASK, mode="conversation", user="person")


def test_tasks_are_chosen_by_environment_level_and_split(gym: rl.Gym) -> None:
    everything = list(gym.tasks(ENVIRONMENT))
    assert {task.level for task in gym.tasks(ENVIRONMENT, level="hard")} == {"hard"}
    assert [task for task in everything if task.split == "train"] == list(gym.tasks(ENVIRONMENT, split="train"))
    assert {task.environment for task in gym.tasks([ENVIRONMENT, "library_loans"])} == {ENVIRONMENT, "library_loans"}


def test_recorded_episodes_are_a_run_that_replays_to_the_letter(gym: rl.Gym, tmp_path: Path) -> None:
    made = []
    for repetition in (1, 2):
        with gym.open(TASK, record=True) as episode:
            solve(episode)
            episode.finish()
            made.append(episode.record(repetition=repetition))
    gym.store(tmp_path / "run", made)
    replayed: list[Replayed] = []

    async def take(one: Replayed, *_: object) -> None:
        replayed.append(one)

    with WorldHome.at(SERVERS) as home:
        places = recorded_episodes(tmp_path / "run")
        anyio.run(replay_run, home, read_plan(tmp_path / "run"), places, "direct", 1, take, lambda *_: None)
    assert [one.outcome for one in replayed] == ["identical"] * 2
    with pytest.raises(RunError, match="repetition"):
        gym.store(tmp_path / "again", [made[0], made[0]])


@pytest.mark.slow
def test_a_farm_that_is_gone_is_an_error_and_masks_the_episode(tmp_path: Path) -> None:
    with farm_program(tmp_path, processes=1) as program:
        gym = rl.connect(program.control, program.token("control"))
        episode = gym.open(TASK)
        read = TASK.oracle[0]
        assert not episode.call(read.tool, read.arguments).refused
    with pytest.raises(LaunchError):
        episode.call(read.tool, read.arguments)
    verdict = episode.verify()
    assert (verdict.owner, verdict.masked) == ("infrastructure", True)
    with pytest.raises(rl.MaskedError):
        episode.progress()
    gym.close()


def test_worlds_that_were_forgotten_are_closed(there: rl.Gym, farm: Program) -> None:
    name = there.open(TASK)._world._world.name  # type: ignore[attr-defined]
    gc.collect()
    with farm.client() as client:
        for _ in range(100):
            if name not in {world.name for world in client.worlds()}:
                return
            threading.Event().wait(0.05)
    raise AssertionError("a world is open that no program can reach")


PROGRAM = """
import sys, time
from envscaler_mcp import rl

gym = rl.connect(sys.argv[1], sys.argv[2])
episodes = gym.open_many("hospital_stays-easy-01", 8)
print("open", flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_ctrl_c_closes_every_world_at_a_farm(farm: Program) -> None:
    words = [sys.executable, "-c", PROGRAM, farm.control, farm.token("control")]
    with farm.client() as client:
        before = len(client.worlds())
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "open\n"
            assert len(client.worlds()) == before + 8
            program.send_signal(signal.SIGINT)
            assert program.wait(20) in (1, -signal.SIGINT, 128 + signal.SIGINT)
        assert len(client.worlds()) == before


def test_an_action_is_as_good_as_a_message(here: rl.Gym) -> None:
    with here.open(TASK) as episode:
        call = TASK.oracle[0]
        episode.act(Action(tool=call.tool, arguments=call.arguments, reasoning="I look first."))
        assert episode.messages[-2]["reasoning_content"] == "I look first."


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of fresh tasks, as a trainer makes one."""
    file = tmp_path_factory.mktemp("fresh") / "train.jsonl"
    words = ["tasks", "tool_crib", "--count", "3", "--level", "easy", "--seed", "5", "--proof", "half", "--out", file]
    subprocess.run([sys.executable, "-m", "envscaler_mcp", "--home", ROOT, *map(str, words)], check=True)
    return file


def test_fresh_tasks_of_a_file_are_solved_in_both_places(gym: rl.Gym, fresh: Path) -> None:
    for task in rl.read_tasks(fresh):
        with gym.open(task) as episode:
            assert episode.verify().reward == 0.0
            solve(episode)
            assert episode.verify().reward == 1.0


@pytest.mark.parametrize("place", ["here", "there"])
def test_a_gym_with_a_file_has_its_tasks_in_place_of_the_stored_ones(place: str, farm: Program, fresh: Path) -> None:
    opened = (
        rl.local(ROOT, tasks=fresh)
        if place == "here"
        else rl.connect(farm.control, farm.token("control", 3_600), tasks=fresh)
    )
    with opened as gym:
        stored = list(gym.tasks())
        assert [task.digest for task in stored] == [task.scenario.digest for task in rl.read_tasks(fresh)]
        for task in stored:
            with gym.open(task.id) as episode, gym.open(task) as other:
                assert episode.state() == other.state()
                solve(episode)
                assert (episode.verify().reward, other.verify().reward) == (1.0, 0.0)
        with pytest.raises(WorldError, match=r"no scenario 'tool_crib-easy-01'"):
            gym.open("tool_crib-easy-01")


def test_stored_episodes_of_fresh_tasks_are_replayed_and_exported(fresh: Path, tmp_path: Path) -> None:
    with rl.local(ROOT, tasks=fresh) as gym:
        task = next(gym.tasks())
        with gym.open(task) as episode:
            solve(episode)
            episode.finish()
            assert episode.say("One more thing.") is None
            gym.store(tmp_path / "run", [episode.record()])
    words = ["export", "run", tmp_path / "run", "--format", "trl", "--out", tmp_path / "rows.jsonl"]
    subprocess.run([sys.executable, "-m", "envscaler_mcp", "--home", ROOT, *map(str, words)], check=True)
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 1


def test_progress_at_a_farm_counts_calls_that_were_made_at_the_worlds_address(there: rl.Gym) -> None:
    with there.open(TASK) as episode:
        assert episode.progress() == 0.0
        behind = BlockingChannel(episode._world, episode._tools)
        for call in TASK.oracle:
            drive(behind.call(call.tool, call.arguments, True))
        assert episode.progress() == 1.0


def test_trl_trains_on_fresh_tasks_as_on_those_that_ship(fresh: Path) -> None:
    with rl.local(ROOT, tasks=fresh) as gym:
        rows = dataset(gym, "tool_crib", split=None)
        assert [row["scenario"] for row in rows] == [task.scenario.id for task in rl.read_tasks(fresh)]
        instance = factories(gym, ["tool_crib"])["tool_crib"]()
        for row in rows:
            instance.reset(**row)
            for call in gym.find(row["scenario"]).oracle:
                getattr(instance, call.tool)(**call.arguments)
            assert instance.get_reward() == 1.0


def test_fresh_tasks_are_streamed_where_the_blueprint_is(here: rl.Gym, there: rl.Gym, fresh: Path) -> None:
    streamed = islice(here.fresh_tasks("tool_crib", level="easy", seed=5, proof="half"), 3)
    assert [task.digest for task in streamed] == [task.digest for task in rl.read_tasks(fresh)]
    with pytest.raises(WorldError, match="read_tasks"):
        there.fresh_tasks("tool_crib")
