"""skyrl-gym's own `make`, and its environments' `init` and `step`."""

import skyrl_gym
from tasks import TOKEN, URL, told, written

from envscaler_mcp.rl.skyrl import register

register(url=URL, token=TOKEN)


def play(task: dict, calls: list) -> tuple[float, int]:
    row = {"max_turns": 40, "extra_info": {"scenario": task["id"], "environment": task["environment"]}}
    env = skyrl_gym.make("envscaler", env_config={}, extras=row)
    env.init([{"role": "system", "content": ""}, {"role": "user", "content": ""}])
    total = 0.0
    for text in [*map(written, calls), "Task Completed"]:
        step = env.step(text)
        total += step["reward"]
    assert step["done"]
    assert not env.get_metrics()["masked"]
    env.close()
    return total, len(calls) + 1


told(play)
