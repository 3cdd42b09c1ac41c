"""OpenEnv's own client."""

import asyncio
import json
import sys
import time

from openenv import GenericEnvClient
from tasks import TASKS, TOKEN, URL, told

HEADERS = {"Authorization": f"Bearer {TOKEN}"}


async def played(client: GenericEnvClient, task: dict, calls: list) -> tuple[float, int]:
    await client.reset(scenario=task["id"])
    total = 0.0
    for call in calls:
        action = {"type": "call_tool", "tool_name": call["tool"], "arguments": call["arguments"]}
        total += (await client.step(action)).reward
    end = await client.step({"type": "finish"})
    assert end.done
    return total + end.reward, len(calls) + 1


async def calls_alone(client: GenericEnvClient, steps: int) -> dict:
    """Calls that read, without opening and judging."""
    await client.reset(scenario=TASKS[0]["id"], max_steps=1_000)
    call = TASKS[0]["oracle"][0]
    action = {"type": "call_tool", "tool_name": call["tool"], "arguments": call["arguments"]}
    steps = min(steps, 999)
    await client.step(action)
    began = time.perf_counter()
    for _ in range(steps):
        await client.step(action)
    return {"steps": steps, "seconds": time.perf_counter() - began}


async def main() -> None:
    clients: dict[str, GenericEnvClient] = {}
    loop = asyncio.get_running_loop()
    for name in sorted({task["environment"] for task in TASKS}):
        clients[name] = GenericEnvClient(base_url=f"{URL}/openenv/{name}", headers=HEADERS)
        await clients[name].connect()

    def play(task: dict, calls: list) -> tuple[float, int]:
        coming = played(clients[task["environment"]], task, calls)
        return asyncio.run_coroutine_threadsafe(coming, loop).result()

    await asyncio.to_thread(told, play)
    if len(sys.argv) > 3:
        print(json.dumps(await calls_alone(clients[TASKS[0]["environment"]], int(sys.argv[3]))))
    for client in clients.values():
        await client.close()


asyncio.run(main())
