"""The official agent of ACEBench, which writes its calls: its prompts, its history of the conversation and its parsers.

Officially every request has two messages: the rules, and in one text the functions and all that was said so far.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from envscaler_mcp.official.written_calls import plain_calls

FINISHED = "finish conversation"
"""What the agent or the user says when everything is done."""
_RAISED = "['E', 'r'"
"""How the answer to a call begins that raised in a conversation: officially it is told letter by letter."""
_FILES = ("APIModel_agent", "execution_role", "multi_turn_scene")
_STEP_FILES = ("APIModel_agent", "execution_role_step", "multi_step_scene")


class UnansweredRequest(BaseException):
    """Official code has a request to its model that is not answered yet."""


class Model:
    """The client that official code asks. A request without an answer is handed out."""

    def __init__(self, answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, str]] = []
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def _create(self, messages: list[dict[str, str]], **_options: Any) -> Any:
        if not self._answers:
            self.asked = messages
            raise UnansweredRequest
        message = SimpleNamespace(content=self._answers.pop(0))
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


class Writing:
    """One conversation of the official agent."""

    def __init__(self, task: dict[str, Any], calls: str) -> None:  # noqa: ARG002 - there is one way
        self._task = task
        self._alone = task["kind"] == "multi_step"
        agents, roles, scenes = _modules(task["kind"])
        self._scenes = scenes
        given = (task["initial_config"], task["involved_classes"], task["id"], task["language"])
        if self._alone:
            # Officially it is told no language, and speaks Chinese of its rules.
            self._agent = agents.APIAgent_step("gpt", "", task["function"])
            self._reader = _reading(roles.EXECUTION_STEP)("gpt", *given)
        else:
            self._agent = agents.APIAgent_turn(
                "gpt", "", task["function"], task["involved_classes"], language=task["language"]
            )
            self._reader = _reading(roles.EXECUTION)("gpt", *given)
        self._scene: Any = None
        self._moves = 0
        self._ran = False
        """Whether the last move was executed."""

    def system(self) -> str:
        """What the agent's model is told first."""
        return self._request("")[0]["content"]

    def request(self, said: str | None, answers: list[str]) -> list[dict[str, str]]:
        """The next request, after what was said, or else after the answers to calls."""
        if self._scene is None:
            self._scene = self._opened(said)
        else:
            self._scene.add_dialogue(self._heard(said, answers))
        return self._request(self._scene.get_inference_message())

    def read(self, text: str) -> list[list[Any]] | None:
        """The calls in what the model wrote; none where it is executed without one, and nothing where it is not."""
        self._moves += 1
        self._agent.client = Model([text])
        message = self._agent.respond("")
        self._scene.add_dialogue(message)
        if not self._alone:
            # In tasks without a user the official history has only what the agent hears.
            self._scene.get_inference_message()
        calls = self._calls(text, message["recipient"])
        self._ran = calls is not None
        return calls

    def _calls(self, text: str, recipient: str) -> list[list[Any]] | None:
        ends = self._moves > 1 and FINISHED in text
        if ends or not (self._alone or recipient == "execution"):
            return None
        try:
            expressions = self._reader.decode_function_list(text)
        except Exception:
            return None
        return plain_calls(self._reader.decoded, expressions)

    def _opened(self, said: str | None) -> Any:
        given = {
            "initial_state": self._task["initial_config"],
            "functions": self._task["function"],
            "agent_role": self._agent,
            "language": self._task["language"],
        }
        if self._alone:
            return self._scenes.Mulit_Step_Scene(question=said, **given)
        return self._scenes.Scene(user_role=None, init_message=said, **given)

    def _heard(self, said: str | None, answers: list[str]) -> dict[str, Any]:
        if said is not None and not self._ran:
            return {"sender": "execution" if self._alone else "user", "recipient": "agent", "message": said}
        raised = next((text for text in answers if text.startswith(_RAISED)), None)
        message = [_parsed(text) for text in answers] if raised is None else list(ast.literal_eval(raised))
        return {"sender": "execution", "recipient": "agent", "message": message}

    def _request(self, history: str) -> list[dict[str, str]]:
        self._agent.client = model = Model([])
        try:
            self._agent.respond(history)
        except UnansweredRequest:
            return model.asked
        raise RuntimeError("The official agent asked its model nothing.")


def _modules(kind: str) -> tuple[Any, Any, Any]:
    files = _STEP_FILES if kind == "multi_step" else _FILES
    agents, roles, scenes = (import_module(f"model_inference.{kind}.{file}") for file in files)
    return agents, roles, scenes


def _reading(role: Any) -> Any:
    """The official parser, with what it has decoded at hand."""

    class Reading(role):  # type: ignore[misc]
        decoded: Sequence[dict[str, Any]] = ()

        def decoded_output_to_execution_list(self, decoded: Any) -> Any:
            self.decoded = decoded
            return super().decoded_output_to_execution_list(decoded)

    return Reading


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
