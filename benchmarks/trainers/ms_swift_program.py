"""ms-swift's own table of environments."""

import asyncio

from swift.rollout.gym_env import envs
from tasks import TOKEN, URL, told, written

import envscaler_mcp.rl.ms_swift


async def played(task: dict, calls: list) -> tuple[float, int]:
    env = envs["envscaler"]({"environment": task["environment"], "scenario": task["id"], "url": URL, "token": TOKEN})
    observation, _, system = await env.reset(None)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": observation}]
    total = 0.0
    for text in [*map(written, calls), "Task Completed"]:
        messages.append({"role": "assistant", "content": text})
        observation, reward, done, _ = await env.step(messages)
        messages.append({"role": "user", "content": observation})
        total += reward
    assert done
    await env.close()
    return total, len(calls) + 1


told(lambda task, calls: asyncio.run(played(task, calls)))
