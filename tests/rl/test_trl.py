"""The adapter for TRL, handled as its GRPOTrainer handles it; the trainer itself is not needed for that."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
from typing import Any

import pytest

from envscaler_mcp import rl
from envscaler_mcp.errors import RunError
from envscaler_mcp.rl.trl import dataset, factories, tool_class
from tests.farm.farms import ROOT

ENVIRONMENTS = ["hospital_stays", "library_loans"]


def tools_of(instance: object) -> dict[str, Any]:
    """As the trainer finds them."""
    members = inspect.getmembers(type(instance), predicate=inspect.isfunction)
    return {
        name: getattr(instance, name) for name, _ in members if name[0] != "_" and name not in ("reset", "get_reward")
    }


def test_rows_and_classes_fit_each_other(gym: rl.Gym) -> None:
    rows, classes = dataset(gym, ENVIRONMENTS, limit=20), factories(gym, ENVIRONMENTS)
    assert {row["environment"] for row in rows} <= set(classes)
    assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]
    instance = classes["hospital_stays"]()
    assert set(tools_of(instance)) == {tool.name for tool in gym.card("hospital_stays").tools}
    assert all(inspect.getdoc(tool) for tool in tools_of(instance).values())


def test_an_instance_that_is_used_again_begins_anew(gym: rl.Gym) -> None:
    instance = tool_class(gym, "library_loans")()
    tasks = list(gym.tasks("library_loans"))[:2]
    for _ in range(3):
        for task in tasks:
            instance.reset(prompt=[], scenario=task.id)
            assert instance.get_reward() == 0.0
            for call in task.oracle:
                tools_of(instance)[call.tool](**call.arguments)
            assert instance.get_reward() == 1.0


def test_rollouts_may_begin_in_the_middle_of_a_solution(gym: rl.Gym) -> None:
    row = dataset(gym, "library_loans", split="train", limit=1, solved=0.5)[0]
    assert row["begun"] > 0
    assert [message["role"] for message in row["prompt"]][:4] == ["system", "user", "assistant", "tool"]
    make = factories(gym, ["library_loans"])["library_loans"]
    group = [make(), make()]
    oracle = gym.find(row["scenario"]).oracle
    for instance in group:
        instance.reset(**row)
    for call in oracle[row["begun"] :]:
        tools_of(group[0])[call.tool](**call.arguments)
    assert [instance.get_reward() == 1.0 for instance in group] == [True, False]


def test_a_conversation_is_refused_with_what_to_do(here: rl.Gym) -> None:
    with pytest.raises(RunError, match="TRL plays tasks only"):
        factories(here, ENVIRONMENTS, mode="conversation")


def test_a_start_whose_world_was_closed_is_opened_again(there: rl.Gym) -> None:
    instance = tool_class(there, "library_loans")()
    task = next(there.tasks("library_loans"))
    instance.reset(prompt=[], scenario=task.id)
    for start in type(instance)._starts._open.values():
        # As a farm closes a world whose lease is over.
        start._world.close()
    instance.reset(prompt=[], scenario=task.id)
    assert instance.get_reward() == 0.0


@pytest.mark.slow
def test_a_thousand_resets_leave_no_trace_of_the_rollout_before(here: rl.Gym) -> None:
    chance = random.Random(1)
    instance = tool_class(here, "library_loans")()
    tools, tasks = tools_of(instance), list(here.tasks("library_loans"))[:8]
    fresh: dict[str, Any] = {}
    for task in tasks:
        with here.open(task) as episode:
            fresh[task.id] = episode.state(), episode.tools, episode.messages
    for _ in range(1_000):
        task = chance.choice(tasks)
        instance.reset(prompt=[], scenario=task.id)
        episode = instance._playing()
        assert (episode.state(), episode.tools, episode.messages) == fresh[task.id]
        for call in chance.sample(task.oracle, chance.randint(0, len(task.oracle))):
            tools[call.tool](**call.arguments)


def test_the_signature_of_a_bound_tool_has_no_self(here: rl.Gym) -> None:
    instance = tool_class(here, "library_loans")()
    for tool in tools_of(instance).values():
        assert "self" not in inspect.signature(tool).parameters


def test_schemas_are_read_from_bound_tools(here: rl.Gym) -> None:
    chat_template_utils = pytest.importorskip("transformers.utils.chat_template_utils")
    for name, tool in tools_of(tool_class(here, "hospital_stays")()).items():
        assert chat_template_utils.get_json_schema(tool)["function"]["name"] == name


@pytest.mark.slow
def test_no_trainer_is_imported_by_the_adapter() -> None:
    program = "import sys, envscaler_mcp.rl.trl, envscaler_mcp.rl.aio; print(sorted({'trl', 'torch', 'transformers', 'datasets'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert answer.stdout == "[]\n"
