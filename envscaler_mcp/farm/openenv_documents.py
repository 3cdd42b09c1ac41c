"""What OpenEnv's clients and its validator read about an environment."""

from __future__ import annotations

from typing import Any

import yaml

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Environment, Scenario

_TOOL = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "input_schema": {"type": "object"},
    },
    "required": ["name", "description", "input_schema"],
}
_OUTCOME = {
    "reward": {"anyOf": [{"type": "number", "minimum": -1, "maximum": 1}, {"type": "null"}]},
    "done": {"type": "boolean"},
}
OBSERVATION = {
    "type": "object",
    "properties": {
        **_OUTCOME,
        "tools": {"type": "array", "items": _TOOL, "description": "After list_tools."},
        "tool_name": {"type": "string", "description": "After call_tool."},
        "result": {"type": "string", "description": "What a policy is shown next."},
        "error": {"type": "null"},
    },
    "required": ["reward", "done"],
    "anyOf": [{"required": ["tools"]}, {"required": ["result"]}],
}
RESET_OBSERVATION = {
    "type": "object",
    "properties": {
        **_OUTCOME,
        "messages": {"type": "array", "items": {"type": "object"}, "description": "The system's message and the task."},
        "task": {"type": "string"},
    },
    "required": ["reward", "done", "messages", "task"],
}
STATE = {
    "type": "object",
    "properties": {
        "episode_id": {"type": "string"},
        "step_count": {"type": "integer", "minimum": 0},
        "environment": {"type": "string"},
        "scenario": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "done": {"type": "boolean"},
    },
    "required": ["episode_id", "step_count"],
}
_PATHS = {
    "/reset": ("post", "Begin an episode, and end it: one that goes on needs /ws."),
    "/step": ("post", "List the tools: calls need an episode, and so /ws."),
    "/state": ("get", "The state of no episode."),
    "/schema": ("get", "Schemas of actions, observations and state."),
    "/metadata": ("get", "What the environment is."),
    "/health": ("get", "Whether it answers."),
    "/mcp": ("post", "Tools, and sessions of OpenEnv's client for tools."),
}


def metadata(card: Environment) -> dict[str, Any]:
    """Who it is."""
    return {"name": card.id, "description": card.about or card.title, "version": card.version}


def message_schemas() -> dict[str, Any]:
    """The messages of a session."""
    from envscaler_mcp.farm.openenv_session import AnyAction

    return {
        "action": {"type": "object", **AnyAction.json_schema()},
        "observation": OBSERVATION,
        "reset_observation": RESET_OBSERVATION,
        "state": STATE,
    }


def openapi(card: Environment) -> dict[str, Any]:
    """The routes of one environment."""
    answer = {"200": {"description": "JSON"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{card.title}, for OpenEnv", "version": __version__},
        "paths": {path: {method: {"summary": about, "responses": answer}} for path, (method, about) in _PATHS.items()},
    }


def openenv_yaml(card: Environment, port: int) -> str:
    """`openenv.yaml`."""
    document = {
        "spec_version": 1,
        "name": card.id,
        "version": card.version,
        "description": card.about or card.title,
        "type": "space",
        "runtime": "fastapi",
        "app": "envscaler_mcp.farm",
        "port": port,
        "validation": {
            "reward": {"range": [-1.0, 1.0], "oracle_tolerance": 0.0, "floor_margin": 0.5},
            "resources": {"cpu": 1.0, "memory_mb": 1024, "disk_mb": 1024, "episode_timeout_s": 3600.0},
            "capabilities": {
                "verifier": {"kind": "reward_channel"},
                "set_state": False,
                "task_api": False,
                "declared_tools": [tool.name for tool in card.tools],
            },
            "types": {"tags": ["tool-use", "mcp"]},
        },
    }
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    return text


def runtime_plan(scenario: Scenario) -> dict[str, Any]:
    """The oracle of a task as the actions that OpenEnv's validator plays."""
    calls = [
        {"type": "call_tool", "tool_name": call.tool, "arguments": dict(call.arguments)} for call in scenario.oracle
    ]
    options = {"scenario": scenario.id}
    return {
        "plan_schema_version": "1",
        "reset": {"episode_id": scenario.id, "seed": 0, "options": options},
        "actions": [*calls, {"type": "finish"}],
    }
