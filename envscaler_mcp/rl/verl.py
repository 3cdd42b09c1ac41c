"""Tasks for verl (0.9 or newer): the agent loop that rows of `export --format verl` name, `envscaler`.

`loops.yaml`, for `actor_rollout_ref.rollout.agent.agent_loop_config_path`:

    - name: envscaler
      _target_: envscaler_mcp.rl.verl.EnvScalerAgentLoop
      url: http://127.0.0.1:8766   # `envscaler farm --control 8766`; without url and token worlds are opened in the worker's process
      token: …
      tasks: train.jsonl           # where the rows are of fresh tasks: the file that `envscaler tasks` wrote
"""

from __future__ import annotations

import asyncio
from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, register
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse

from envscaler_mcp.errors import RunError
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.opened import shared_gym

NAME = "envscaler"


class _Tool:
    """A tool as verl's loop looks for it; it is called through the episode."""

    def __init__(self, tool: dict[str, Any]) -> None:
        function = tool["function"]
        self.name: str = function["name"]
        # verl's parsers read types from it, and it holds no more of a schema; the model is told the whole one.
        properties = {
            name: {"type": schema.get("type", "string"), "description": schema.get("description")}
            for name, schema in function["parameters"].get("properties", {}).items()
        }
        parameters = {"type": "object", "properties": properties}
        described = {"name": self.name, "description": function["description"], "parameters": parameters}
        self.tool_schema = OpenAIFunctionToolSchema.model_validate({"type": "function", "function": described})


@register(NAME)
class EnvScalerAgentLoop(ToolAgentLoop):  # type: ignore[misc] # verl has no types
    """verl's own loop for tools, with its parser and its masks, in a world that is opened for each rollout.

    Where what failed was not the policy, no token of the rollout is trained on.
    """

    def __init__(
        self,
        *args: Any,
        url: str | None = None,
        token: str | None = None,
        home: str | None = None,
        tasks: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._gym = shared_gym(url, token, home, tasks)
        self._episode: Episode | None = None
        self._turn = asyncio.Lock()
        """Calls of one move are made one after the other."""

    async def run(self, sampling_params: dict[str, Any], priority: int = 0, **kwargs: Any) -> AgentLoopOutput:
        """One rollout of the row's task."""
        row = dict(kwargs.get("extra_info") or {})
        if "scenario" not in row:
            raise RunError(
                "A row for verl has extra_info with a scenario; `envscaler export --format verl` writes them."
            )
        if row.get("mode") == "conversation":
            raise RunError(
                f"{row['scenario']!r} is a conversation; verl's loop for tools hears no user, so leave it out."
            )
        episode = await asyncio.to_thread(
            lambda: self._gym.open(str(row["scenario"]), environment=str(row["environment"]))
        )
        self._episode = episode
        self.tools = {tool.name: tool for tool in map(_Tool, episode.tools)}
        self.tool_schemas = episode.tools
        try:
            output: AgentLoopOutput = await super().run(sampling_params, priority, **kwargs)
            verdict = await asyncio.to_thread(episode.verify)
        finally:
            await asyncio.to_thread(episode.close)
        output.reward_score = verdict.reward
        if verdict.masked:
            output.response_mask = [0] * len(output.response_mask)
        output.extra_fields.update({"masked": verdict.masked, "solved": verdict.solved})
        return output

    async def _call_tool(
        self,
        tool_call: Any,
        tools_kwargs: Any,  # noqa: ARG002 - as verl calls it
        agent_data: Any,  # noqa: ARG002
    ) -> tuple[ToolResponse, None, dict[str, Any]]:
        assert self._episode is not None
        async with self._turn:
            answer = await asyncio.to_thread(self._episode.call, tool_call.name, tool_call.arguments)
        return ToolResponse(text=str(answer)), None, {}
