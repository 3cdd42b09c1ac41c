"""GEM's own `make`, wrappers and vectors over tasks; prints what fifty solved and fifty untouched tasks are worth."""

from __future__ import annotations

import json
import sys
from typing import Any

import gem
from gem.wrappers.observation_wrapper import ObservationWrapper

from envscaler_mcp.rl import gem as adapter
from envscaler_mcp.rl import roll
from envscaler_mcp.rl.text_env import call_text


def main() -> None:
    """Each task solved, and untouched, in an environment that a wrapper counts the turns of."""
    assert adapter.register_gem("library_loans") == [
        "envscaler:task",
        "envscaler:conversation",
        "envscaler:library_loans",
    ]
    assert roll.register_roll() == ["envscaler_non_conv_env", "envscaler_conv_env"]
    env: Any = gem.make("envscaler:task")
    assert isinstance(env, gem.Env)
    gym = env._gym
    names = gym.environments()[:: len(gym.environments()) // 25][:25]
    rewards = {}
    for task in [task for name in names for task in list(gym.tasks(name))[:2]]:
        solved = untouched = 0.0
        env.reset(task=task)
        for call in task.oracle:
            solved += env.step(call_text(call.tool, call.arguments))[1]
        solved += env.step("Task Completed")[1]
        env.reset(task=task)
        untouched += env.step("Task Completed")[1]
        rewards[task.id] = [solved, untouched]
    vector = gem.make_vec(["envscaler:library_loans"] * 2)
    first, _ = vector.reset()
    assert len(set(first)) == 2
    vector.step([env.sample_random_action() for env in vector.envs])
    wrapped: Any = ObservationWrapper(
        gem.make("envscaler:library_loans"), include_action=False, include_chat_template=False
    )
    begun, _ = wrapped.reset(seed=1)
    observed, *_ = wrapped.step(wrapped.unwrapped.sample_random_action())
    assert observed.startswith(begun)
    for id_ in roll.IDS:
        assert gem.make(id_, mode="train", environments=["library_loans"]).reset(seed=1)[0]["type"] == "user"
    sys.stdout.write(json.dumps(rewards) + "\n")


if __name__ == "__main__":
    main()
