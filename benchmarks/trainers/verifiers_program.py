"""verifiers' own task hooks and tool server: what a rollout does, without a model."""

import asyncio
from types import SimpleNamespace

import envscaler_verifiers as adapter
from tasks import TASKS, URL, told
from verifiers.v1.mcp.server import _call_state

NAMES = sorted({task["environment"] for task in TASKS})
taskset = adapter.load_environment(url=URL, environments=NAMES, split=None)
ROWS = {row.key: row for row in taskset.include(ids=[task["id"] for task in TASKS])}
TOOLS = adapter.EnvScalerTaskset.toolsets(taskset.config)[0]


async def played(task: dict, calls: list) -> tuple[float, int]:
    row = ROWS[task["id"]]
    trace = SimpleNamespace(state=adapter.EnvScalerState())
    await row.setup(trace, None)
    token = _call_state.set(trace.state)
    try:
        for call in calls:
            await TOOLS.call_tool(call["tool"], call["arguments"])
    finally:
        _call_state.reset(token)
    return await row.checks(trace), len(calls) + 1


told(lambda task, calls: asyncio.run(played(task, calls)))
