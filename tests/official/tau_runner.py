"""The official tau-bench, started alone: its own agent, its own user and its own environment, with models that say what is recorded.

`tau_runner.py EPISODES OUT`: each line of EPISODES has a domain, a split, an index, the messages of agent and user, and the `calls` of
an agent that writes them. OUT has for each its reward, what the agent heard, and what its model was asked.
"""

from __future__ import annotations

import json
import sys
import types
from importlib import import_module
from pathlib import Path
from typing import Any


class Message:
    def __init__(self, recorded: dict[str, Any]) -> None:
        self.content = recorded["content"]
        self._recorded = recorded

    def model_dump(self) -> dict[str, Any]:
        return {"tool_calls": None, **self._recorded}


class Models:
    """Says what is recorded: to a request with tools as the agent, in whatever way it has them, to any other as the user."""

    def __init__(self) -> None:
        self.agent: list[dict[str, Any]] = []
        self.user: list[str] = []
        self.asked: list[list[dict[str, str]]] = []

    def completion(self, messages: list[dict[str, Any]], tools: Any = None, **_options: Any) -> Any:
        if tools or "#Available tools" in messages[0]["content"]:
            self.asked.append([{"role": each["role"], "content": each["content"]} for each in messages])
            message = self.agent.pop(0)
        elif "Instruction: " not in messages[0]["content"]:
            # The user is asked once before it has a task.
            message = {"role": "assistant", "content": "(nothing yet)"}
        else:
            message = {"role": "assistant", "content": self.user.pop(0)}
        choice = types.SimpleNamespace(message=Message(message))
        return types.SimpleNamespace(choices=[choice], _hidden_params={"response_cost": 0.0})


def main(episodes: str, out: str) -> None:
    models = Models()
    stub: Any = types.ModuleType("litellm")
    stub.completion = models.completion
    sys.modules["litellm"] = stub
    native = import_module("tau_bench.agents.tool_calling_agent").ToolCallingAgent
    writing = import_module("tau_bench.agents.chat_react_agent").ChatReActAgent
    get_env = import_module("tau_bench.envs").get_env

    verdicts = []
    for line in Path(episodes).read_text(encoding="utf-8").splitlines():
        episode = json.loads(line)
        models.agent, models.user, models.asked = episode["agent"], episode["user"], []
        env = get_env(episode["domain"], "llm", "m", episode["split"], "openai", task_index=episode["index"])
        calls = episode.get("calls")
        ways = {"use_reasoning": calls == "react"} if calls else {}
        agent = (writing if calls else native)(env.tools_info, env.wiki, "m", "openai", **ways)
        try:
            solved = agent.solve(env, task_index=episode["index"])
        except Exception as cause:
            # As the official runner has it.
            verdicts.append([0.0, [f"{type(cause).__name__}"], models.asked])
            continue
        heard = [message["content"] for message in solved.messages if message["role"] in ("tool", "user")]
        verdicts.append([float(solved.reward), heard, models.asked])
    Path(out).write_text(json.dumps(verdicts), encoding="utf-8")


main(*sys.argv[1:])
