"""Tasks of an EnvScaler farm for verifiers 0.4 or newer, as one file: it needs the standard library and verifiers only.

Put this file where Python finds it and name it as the taskset: `vf-eval envscaler_verifiers …`, or call
`load_environment()`. The farm is named by `url`, its control plane; the token is in the variable ENVSCALER_FARM_TOKEN.
"""

from __future__ import annotations

import asyncio
import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote

import verifiers.v1 as vf
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, Tool
from pydantic import Field
from verifiers.v1.harnesses.utils.mcp import mcp_client

__all__ = ["EnvScalerTaskset", "load_environment"]

LEASE_SECONDS = 3_600.0
"""How long the farm keeps a world that is not used."""
WAIT_SECONDS = 120.0


class FarmError(RuntimeError):
    """The farm did not do what it was asked for."""


class Farm:
    """The control plane of a farm."""

    def __init__(self, url: str, token_variable: str) -> None:
        self.url = url.rstrip("/")
        self.token = os.environ.get(token_variable, "")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer."""
        content = None if body is None else json.dumps(body).encode()
        return self._sent(urllib.request.Request(self.url + path, content, self.headers, method=method))  # noqa: S310

    @property
    def headers(self) -> dict[str, str]:
        """What every request to the farm carries."""
        return {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }

    def _sent(self, request: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:  # noqa: S310 - the address is the operator's
                return json.load(answer)
        except urllib.error.HTTPError as cause:
            raise FarmError(f"{request.method} {request.selector}: {cause.code} {cause.read()[:500]!r}") from cause
        except (OSError, ValueError) as cause:
            raise FarmError(f"No farm answers {request.method} {request.full_url}: {cause}") from cause

    def environments(self) -> list[str]:
        """The ids of all environments."""
        return list(self.ask("GET", "/v1/environments")["environments"])

    @lru_cache(maxsize=32)  # noqa: B019 - one farm for the program
    def scenarios(self, environment: str) -> list[dict[str, Any]]:
        """The tasks of an environment, with their solutions."""
        return list(self.ask("GET", f"/v1/environments/{quote(environment)}/scenarios")["scenarios"])

    def messages(self, environment: str, scenario: str) -> list[dict[str, Any]]:
        """What a policy is told first."""
        begun = self.ask("POST", f"/openenv/{quote(environment)}/reset", {"scenario": scenario})
        return list(begun["observation"]["messages"])

    def open(self, environment: str, scenario: str) -> dict[str, Any]:
        """A world at the task."""
        order = {"environment": environment, "scenario": scenario, "lease_seconds": LEASE_SECONDS}
        return dict(self.ask("POST", "/v1/worlds", order)["worlds"][0])

    def reward(self, world: str) -> float:
        """The reward of the world as it is now; FarmError where what failed was not the policy."""
        verdict = self.ask("POST", f"/v1/worlds/{quote(world)}/verify", {})
        if verdict["masked"]:
            raise FarmError(f"The episode has no reward, because of the {verdict['owner']}: {verdict['reason']}")
        return float(verdict["reward"])

    def call(self, url: str, tool: str, arguments: dict[str, Any]) -> str:
        """What a call of a tool answers."""
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        answer = self._sent(urllib.request.Request(url, body, self.headers, method="POST"))  # noqa: S310
        return str(answer["result"]["content"][0]["text"])

    def close(self, world: str) -> None:
        """End the world."""
        self.ask("DELETE", f"/v1/worlds/{quote(world)}")


class EnvScalerState(vf.State):
    """What the hooks of a rollout and its tools share."""

    world: str = ""
    mcp_url: str = ""


class EnvScalerTaskConfig(vf.TaskConfig):
    url: str = "http://127.0.0.1:8766"
    """The control plane of the farm, here of one that was started with `envscaler farm --control 8766`."""
    token_variable: str = "ENVSCALER_FARM_TOKEN"  # noqa: S105 - the name of a variable


class EnvScalerConfig(vf.TasksetConfig):
    environments: list[str] = Field(default_factory=list)
    """Their ids; without any, all that the farm has."""
    level: Literal["easy", "medium", "hard"] | None = None
    split: Literal["train", "validation", "held_out"] | None = "train"
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()
    task: EnvScalerTaskConfig = EnvScalerTaskConfig()


class EnvScalerData(vf.TaskData):
    environment: str
    scenario: str


class EnvScalerTools(vf.Toolset[vf.SharedToolsetConfig, EnvScalerState]):
    """The tools of the world of each rollout."""

    TOOL_PREFIX = None

    def register(self, mcp: MCPServer) -> None:
        # Which tools there are depends on the rollout, so the server asks for them with each request.
        server: Any = mcp
        server.list_tools = self._with_state(self.list_tools)
        server.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        async with mcp_client({"url": self.state.mcp_url, "headers": _agent_headers()}) as client:
            return list((await client.list_tools()).tools)

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> CallToolResult:  # noqa: ARG002 - the server gives it
        async with mcp_client({"url": self.state.mcp_url, "headers": _agent_headers()}) as client:
            return await client.call_tool(name, arguments)


class EnvScalerTask(vf.Task[EnvScalerData, EnvScalerState, EnvScalerTaskConfig]):
    """One task; each rollout has a world of its own."""

    @property
    def key(self) -> str:
        return self.data.scenario

    @property
    def farm(self) -> Farm:
        return Farm(self.config.url, self.config.token_variable)

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:  # noqa: ARG002 - nothing runs in it
        world = await asyncio.to_thread(self.farm.open, self.data.environment, self.data.scenario)
        trace.state.world, trace.state.mcp_url = world["name"], world["url"]

    @vf.reward(weight=1.0)
    async def checks(self, trace: vf.Trace) -> float:
        """The share of checks that hold, and 0 where something changed that the task does not allow."""
        farm, world = self.farm, trace.state.world
        try:
            return await asyncio.to_thread(farm.reward, world)
        finally:
            await asyncio.to_thread(farm.close, world)

    async def validate(self, runtime: vf.Runtime) -> bool:  # noqa: ARG002 - nothing runs in it
        """The stored solution earns 1, and doing nothing less than that."""
        return await asyncio.to_thread(self._proven)

    def _proven(self) -> bool:
        farm, data = self.farm, self.data
        stored = next(task for task in farm.scenarios(data.environment) if task["id"] == data.scenario)
        rewards = []
        for calls in (stored["oracle"], []):
            world = farm.open(data.environment, data.scenario)
            try:
                for call in calls:
                    farm.call(world["url"], call["tool"], call["arguments"])
                rewards.append(farm.reward(world["name"]))
            finally:
                farm.close(world["name"])
        return rewards[0] == 1.0 and rewards[1] < 1.0


class EnvScalerTaskset(vf.Taskset[EnvScalerTask, EnvScalerConfig]):
    """The stored tasks of a farm's environments."""

    @classmethod
    def toolsets(cls, config: EnvScalerConfig) -> list[vf.Toolset]:
        return [EnvScalerTools(config.tools)]

    def load(self) -> Iterator[EnvScalerTask]:
        config = self.config
        farm = Farm(config.task.url, config.task.token_variable)
        for environment in config.environments or farm.environments():
            for stored in farm.scenarios(environment):
                if config.level in (None, stored["level"]) and config.split in (None, stored["split"]):
                    yield EnvScalerTask(_data(farm, environment, stored["id"]), config.task)


def load_environment(**config: Any) -> EnvScalerTaskset:
    """The taskset with this configuration: `url` and `token_variable` of the farm, `environments`, `level`, `split`."""
    own = {name: config.pop(name) for name in ("url", "token_variable") if name in config}
    return EnvScalerTaskset(EnvScalerConfig(task=EnvScalerTaskConfig(**own), **config))


def _data(farm: Farm, environment: str, scenario: str) -> EnvScalerData:
    system, user = farm.messages(environment, scenario)
    return EnvScalerData(
        id=scenario,
        name=scenario,
        environment=environment,
        scenario=scenario,
        system_prompt=system["content"],
        prompt=user["content"],
    )


def _agent_headers() -> dict[str, str]:
    # A farm on this machine asks agents for no token; one with --tokens does.
    token = os.environ.get("ENVSCALER_AGENT_TOKEN", "")
    return {"Authorization": f"Bearer {token}"} if token else {}


if __name__ == "__main__":
    EnvScalerTools.run()
