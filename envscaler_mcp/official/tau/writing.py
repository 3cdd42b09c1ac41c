"""The official agent of tau-bench that writes its actions, `react` or `act`: its prompt, its conversation and its parser.

Its own loop is run from the beginning for each request and for each answer, with all that was said before in its place, up to
the first thing that is not known yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from envscaler_mcp.official.written_calls import sendable

RESPOND = "respond"


class UnansweredRequest(BaseException):
    """A request to a model that is not answered yet."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        super().__init__()
        self.messages = messages


class UnansweredAction(BaseException):
    """An action that nothing has come of yet."""

    def __init__(self, action: Any) -> None:
        super().__init__()
        self.action = action


class Model:
    """What official code asks. Answers come in the order of the requests; one without an answer is handed out."""

    def __init__(self, answers: Sequence[str] = ()) -> None:
        self.answers = list(answers)

    def completion(self, messages: list[dict[str, Any]], **_options: Any) -> Any:
        """An answer as the official code reads it."""
        if not self.answers:
            raise UnansweredRequest(
                [{"role": message["role"], "content": message["content"] or ""} for message in messages]
            )
        return _Response(_Message(self.answers.pop(0)))


class Writing:
    """One conversation of that agent."""

    def __init__(self, agents: ModuleType, types: ModuleType, environment: Any, calls: str) -> None:
        self._agents, self._types, self._task = agents, types, environment.task
        self._agent = agents.ChatReActAgent(
            environment.tools_info, environment.wiki, "", "", use_reasoning=calls == "react"
        )
        self._heard: list[str] = []
        self._wrote: list[str] = []

    def system(self) -> str:
        """What the agent's model is told first."""
        prompt: str = self._agent.prompt
        return prompt

    def request(self, said: str | None, answers: list[str]) -> list[dict[str, str]]:
        """The next request, after what was said, or else after the answer to a call."""
        self._heard.append(answers[0] if said is None else said)
        try:
            self._solve()
        except UnansweredRequest as asked:
            return asked.messages
        raise RuntimeError("The official agent asked its model nothing.")

    def read(self, text: str) -> list[list[Any]] | str:
        """The call in what the model wrote, or else what is said to the user."""
        self._wrote.append(text)
        try:
            self._solve()
        except UnansweredAction as made:
            return _move(made.action)
        raise RuntimeError("The official agent did nothing.")

    def _solve(self) -> None:
        self._agents.completion = Model(self._wrote).completion  # type: ignore[attr-defined]
        self._agent.solve(_Heard(self._types, self._task, self._heard))


class _Heard:
    """The official environment as far as it is known what it has answered."""

    def __init__(self, types: ModuleType, task: Any, heard: Sequence[str]) -> None:
        self._types, self._task, self._heard = types, task, iter(heard)

    def reset(self, **_options: Any) -> Any:
        return self._types.EnvResetResponse(observation=next(self._heard), info=self._info())

    def step(self, action: Any) -> Any:
        for observation in self._heard:
            return self._types.EnvResponse(observation=observation, reward=0.0, done=False, info=self._info())
        raise UnansweredAction(action)

    def _info(self) -> Any:
        return self._types.EnvInfo(task=self._task)


def _move(action: Any) -> list[list[Any]] | str:
    if action.name != RESPOND:
        return [sendable(action.name, action.kwargs)]
    # What is missing here ends an official run with an error, and so it does here.
    said = action.kwargs["content"]
    if not isinstance(said, str):
        raise TypeError(f"The words to the user are {type(said).__name__}, and no text.")
    return said.encode(errors="replace").decode()


class _Message:
    def __init__(self, content: str) -> None:
        self.content = content

    def model_dump(self) -> dict[str, Any]:
        return {"content": self.content, "role": "assistant", "tool_calls": None, "function_call": None}

    def __str__(self) -> str:
        # Two official strategies of users show their model the whole message, as pydantic writes it.
        return " ".join(f"{name}={value!r}" for name, value in self.model_dump().items())


class _Response:
    def __init__(self, message: _Message) -> None:
        self.choices = [_Choice(message)]
        self._hidden_params = {"response_cost": 0.0}


class _Choice:
    def __init__(self, message: _Message) -> None:
        self.message = message
