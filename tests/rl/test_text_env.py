"""Tasks as turns of text, and the environments of Gymnasium and of the paper that are made of them."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp import rl
from envscaler_mcp.errors import LaunchError, RunError
from envscaler_mcp.recipes.roll import main as roll_yaml
from envscaler_mcp.rl import roll
from envscaler_mcp.rl.gymnasium import register_gymnasium
from envscaler_mcp.rl.roll import EnvScalerConvRLEnv, EnvScalerNonConvRLEnv
from envscaler_mcp.rl.text_env import TextEnv, call_text, move_of_text
from tests.farm.farms import ROOT, farm_program

TASK = "hospital_stays-easy-01"
HOME = str(ROOT)


def solve(env: Any) -> list[tuple[Any, float, bool, bool, dict[str, Any]]]:
    """Every step of the stored solution, as a policy writes it, and of saying that it is done."""
    calls = [call_text(call.tool, call.arguments) for call in env.playing().scenario.oracle]
    return [env.step(f"<think>so</think>\n{text}<|im_end|>") for text in calls] + [env.step("Task Completed<|im_end|>")]


def test_a_solution_in_text_earns_everything_and_nothing_done_earns_nothing(gym: rl.Gym) -> None:
    with TextEnv(gym=gym) as env:
        observation, info = env.reset(task=TASK)
        assert "<tools>" in observation
        assert (info["scenario"], [message["role"] for message in info["messages"]]) == (TASK, ["system", "user"])
        *steps, last = solve(env)
        assert all(observed.startswith("<tool_response>\n") for observed, *_ in steps)
        assert [reward for _, reward, *_ in steps] == [0.0] * len(steps)
        assert last[1:4] == (1.0, True, False)
        assert last[4]["solved"]
        env.reset(task=TASK)
        assert env.step("Task Completed")[1:4] == (0.0, True, False)


def test_rewards_of_steps_add_up(here: rl.Gym) -> None:
    with TextEnv(gym=here, step_rewards=True) as env:
        env.reset(task="library_loans-hard-10")
        rewards = [reward for _, reward, *_ in solve(env)]
        assert round(sum(rewards), 6) == 1.0
        assert len([reward for reward in rewards if reward]) > 1


def test_one_seed_gives_one_sequence_of_tasks(here: rl.Gym) -> None:
    names = ["hospital_stays", "library_loans"]
    first, second = TextEnv(gym=here, environments=names), TextEnv(gym=here, environments=names)
    with first, second:
        drawn = [[env.reset(seed=7)[1]["scenario"], env.reset()[1]["scenario"]] for env in (first, second)]
        assert drawn[0] == drawn[1]
        assert len({env.reset(seed=seed)[1]["scenario"] for seed in range(20) for env in (first,)}) > 5


def test_a_spawned_environment_goes_on_from_the_same_state_alone(here: rl.Gym) -> None:
    with TextEnv(gym=here) as env:
        env.reset(task=TASK)
        oracle = env.playing().scenario.oracle
        env.step(call_text(oracle[0].tool, oracle[0].arguments))
        with env.spawn(same_state=True) as other:
            for call in oracle[1:]:
                other.step(call_text(call.tool, call.arguments))
            assert other.step("Task Completed")[1] == 1.0
            assert env.step("Task Completed")[1] < 1.0


def test_a_budget_truncates(here: rl.Gym) -> None:
    with TextEnv(gym=here, max_steps=2) as env:
        env.reset(task=TASK)
        assert env.step(env.sample_random_action())[2:4] == (False, False)
        assert env.step(env.sample_random_action())[2:4] == (False, True)


@pytest.mark.parametrize(
    "text",
    ["<tool_call>\n{", "<tool_call>no</tool_call>", "<think>never closed", "", '<tool_call>{"name": 3}</tool_call>'],
)
def test_what_is_no_call_is_answered(here: rl.Gym, text: str) -> None:
    with TextEnv(gym=here) as env:
        env.reset(task=TASK)
        observation, reward, terminated, truncated, _ = env.step(text)
        assert observation
        assert (reward, terminated, truncated) == (0.0, False, False)


def test_thoughts_and_the_end_of_the_turn_are_no_part_of_a_move() -> None:
    move = move_of_text(
        '<think>look</think>Now.<tool_call>{"name": "find", "arguments": {"a": 1}}</tool_call><|im_end|>\n'
    )
    assert (move.text, move.reasoning, move.tool, move.arguments) == ("Now.", "look", "find", {"a": 1})


def test_a_step_before_any_task_says_what_to_do() -> None:
    with TextEnv(gym=lambda: rl.local(ROOT)) as env, pytest.raises(RunError, match="`reset` comes first"):
        env.step("Task Completed")


def test_gymnasiums_own_checks_pass() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    assert register_gymnasium(["library_loans"]) == register_gymnasium("library_loans")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for id_, options in {
            "envscaler/Conversation-v0": {"environments": "library_loans"},
            "envscaler/library_loans-v0": {},
        }.items():
            env = gymnasium.make(id_, home=HOME, **options)
            check_env(env.unwrapped)
            env.close()


def test_gymnasium_plays_a_task_by_its_id() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    register_gymnasium()
    env = gymnasium.make("envscaler/Task-v0", home=HOME)
    env.reset(seed=3, options={"task": TASK})
    assert solve(env.unwrapped)[-1][1:4] == (1.0, True, False)
    vector = gymnasium.make_vec(
        "envscaler/Task-v0", num_envs=2, vectorization_mode="sync", home=HOME, environments="library_loans"
    )
    observations, _ = vector.reset(seed=1)
    assert all(observation in vector.single_observation_space for observation in observations)
    assert observations[0] != observations[1]
    vector.close()


@pytest.mark.parametrize("kind", [EnvScalerNonConvRLEnv, EnvScalerConvRLEnv])
def test_the_papers_environments_speak_as_its_manager_reads(kind: Any) -> None:
    with kind(mode="train", home=HOME, environments=["library_loans"]) as env:
        observation, info = env.reset(seed=5)
        assert observation["type"] == "user"
        assert set(info) == {"env_name", "env_introduction", "tools", "task"}
        *steps, last = solve(env)
        assert {observed["type"] for observed, *_ in steps} == {"tool"}
        assert (last[0]["type"], *last[1:4]) == ("user", 1.0, True, False)
        with env.spawn() as group_member:
            assert group_member.reset(seed=5)[0] == observation


def test_the_papers_manager_learns_of_a_budget_as_of_an_end() -> None:
    with EnvScalerNonConvRLEnv("train", home=HOME, environments=["library_loans"], max_steps=1) as env:
        env.reset(seed=1)
        assert env.step(env.sample_random_action())[2:4] == (True, True)


def test_the_environments_of_rolls_yaml_begin_tasks(tmp_path: Path) -> None:
    roll_yaml(["--size", "8B", "--tiny", "--home", HOME, "--out", str(tmp_path / "rl.yaml")])
    document = yaml.safe_load((tmp_path / "rl.yaml").read_text(encoding="utf-8"))
    named = {tag for side in ("train", "val") for tag in document[f"{side}_env_manager"]["tags"]}
    assert named < set(document["custom_envs"])
    for entry in document["custom_envs"].values():
        with getattr(roll, roll.IDS[entry["env_type"]])(**entry["env_config"]) as env:
            assert env.reset(seed=1)[1]["tools"]


def test_the_papers_files_are_imported_first() -> None:
    with pytest.raises(RunError, match="import envscaler --environments"):
        EnvScalerNonConvRLEnv("train", env_items_path="191_env_metadata.json")
    with pytest.raises(RunError, match="mode is 'all'"):
        EnvScalerNonConvRLEnv("all")


@pytest.mark.slow
def test_what_a_machine_did_is_no_reward_of_the_policy(tmp_path: Path) -> None:
    with farm_program(tmp_path, processes=1) as program:
        gym = rl.connect(program.control, program.token("control", 3_600))
        lenient, strict = TextEnv(gym=gym, masked="zero"), TextEnv(gym=gym)
        for env in (lenient, strict):
            env.reset(task=TASK)
    with pytest.raises(LaunchError):
        strict.step(strict.sample_random_action())
    observation, reward, terminated, truncated, info = lenient.step(lenient.sample_random_action())
    assert observation
    assert (reward, terminated, truncated, info["masked"]) == (0.0, False, True, True)


@pytest.mark.slow
def test_fifty_tasks_of_twenty_five_worlds_are_worth_one_solved_and_nothing_untouched(here: rl.Gym) -> None:
    names = here.environments()[:: len(here.environments()) // 25][:25]
    tasks = [task for name in names for task in list(here.tasks(name))[:2]]
    assert (len(names), len(tasks)) == (25, 50)
    paper = EnvScalerNonConvRLEnv("train", home=HOME)
    register_gymnasium()
    gymnasium = pytest.importorskip("gymnasium")
    boxed = gymnasium.make("envscaler/Task-v0", home=HOME).unwrapped
    for task in tasks:
        for env, begin in (
            (boxed, partial(boxed.reset, options={"task": task})),
            (paper, partial(paper.reset, task=task)),
        ):
            begin()
            assert solve(env)[-1][1] == 1.0, task.id
            begin()
            assert env.step("Task Completed")[1] == 0.0, task.id


@pytest.mark.slow
def test_no_library_is_imported_by_the_adapters() -> None:
    program = (
        "import sys, envscaler_mcp.rl.gymnasium, envscaler_mcp.rl.gem, envscaler_mcp.rl.roll, envscaler_mcp.recipes.grpo_trl; "
        "print(sorted({'gymnasium', 'gem', 'numpy', 'torch', 'trl'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert answer.stdout == "[]\n"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([" ", "\n", "<|im_end|>", "<|endoftext|>", "x", "<|"]), max_size=30))
def test_only_what_a_template_ends_a_turn_with_is_left_out_of_it(parts: list[str]) -> None:
    said = move_of_text(text := "".join(parts)).text
    assert said == move_of_text(re.sub(r"(\s*<\|(im_end|endoftext)\|>)+\s*\Z", "", text)).text


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", ["\n" * 500_000 + "x", "<|im_end|>" * 50_000 + "x", " \n<|im_end|>" * 50_000])
def test_a_long_turn_of_nothing_is_read_at_once(text: str) -> None:
    assert move_of_text(text).tool is None
