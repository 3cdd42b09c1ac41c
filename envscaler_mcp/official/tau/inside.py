"""What runs of tau-bench in the host of official code: its tools, its users and its agents as they are, and its own environment as the judge.

Official code reads its data from files each time it is asked for; here the files are read once, checked, and read from memory
after that. What its users ask of a model is handed out, and they are asked again once it is answered.
"""

from __future__ import annotations

import copy
import io
import json
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pydantic

from envscaler_mcp.official.plain_view import plain_view
from envscaler_mcp.official.tau.writing import RESPOND, Model, UnansweredRequest, Writing

_SPLITS = {
    "retail": {"test": "tasks_test", "dev": "tasks_dev", "train": "tasks_train"},
    "airline": {"test": "tasks_test"},
}
_ENVIRONMENTS = {"retail": "MockRetailDomainEnv", "airline": "MockAirlineDomainEnv"}
_STRATEGIES = {
    "llm": "LLMUserSimulationEnv",
    "react": "ReactUserSimulationEnv",
    "verify": "VerifyUserSimulationEnv",
    "reflection": "ReflectionUserSimulationEnv",
}
_COPIES = 3
"""How often a verdict loads the data."""
_STOP = "###STOP###"


class Domain:
    """One of the two domains."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._official: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._copies: list[Any] = []
        self._model = Model()

    def load(self) -> None:
        """Import everything that is used later, and read the data."""
        # What pydantic imports late could not be imported behind the kernel's gate.
        pydantic.create_model("Warm", value=(dict[str, Any], ...))(value={}).model_dump()
        package = f"tau_bench.envs.{self._name}"
        for name in ("data", "env", *_SPLITS[self._name].values()):
            self._official[name] = import_module(f"{package}.{name}")
        self._official["users"] = import_module("tau_bench.envs.user")
        self._official["agents"] = import_module("tau_bench.agents.chat_react_agent")
        self._official["types"] = import_module("tau_bench.types")
        self._official["users"].completion = self._model.completion
        data = self._official["data"]
        data.open = lambda path, *_: io.StringIO(self._text(data.__name__, Path(path).name))
        self._copies = [data.load_data() for _ in range(_COPIES)]
        self._official["env"].load_data = self._load_data

    def _text(self, package: str, file: str) -> str:
        if file not in self._texts:
            content = pkgutil.get_data(package, file)
            assert content is not None
            self._texts[file] = content.decode()
        return self._texts[file]

    def _load_data(self) -> Any:
        """Data at its start: copies that this fork has alone, as long as there are any."""
        return self._copies.pop() if self._copies else self._official["data"].load_data()

    def environment(self, task: dict[str, Any]) -> Any:
        """The official environment at a task; no user speaks in it."""
        made = getattr(self._official["env"], _ENVIRONMENTS[self._name])
        return made(user_strategy="human", user_model="", task_split=task["split"], task_index=task["index"])

    def action(self, name: str, arguments: dict[str, Any]) -> Any:
        """A move as the official environment takes it."""
        return self._official["types"].Action(name=name, kwargs=arguments)

    def world(self, task: dict[str, Any]) -> World:
        """A task's world."""
        return World(self, task)

    def writing(self, task: dict[str, Any], calls: str) -> Writing:
        """The requests to a model that writes its actions."""
        return Writing(self._official["agents"], self._official["types"], self.environment(task), calls)

    def person(self, strategy: str) -> Any:
        """A user who has not been told what they want; made without the question that it would put to its model unasked."""
        users = self._official["users"]
        official = getattr(users, _STRATEGIES.get(strategy, "ReactUserSimulationEnv"))
        person = official.__new__(_mended(official) if strategy == "envscaler-react" else official)
        person.model = person.provider = ""
        person.total_cost = 0.0
        person.max_attempts = {"verify": 3, "reflection": 2}.get(strategy, 0)
        return person

    def said(self, person: Any, instruction: str, text: str | None, answers: list[str]) -> str:
        """What the user says; raises where the model has to be asked first."""
        self._model.answers = list(answers)
        reply: str = person.reset(instruction=instruction) if text is None else person.step(text)
        return reply

    def judge(self, task: dict[str, Any], moves: list[dict[str, Any]]) -> dict[str, Any]:
        """The verdict of the official environment on recorded moves, each with what the tool or the user answered."""
        environment = self.environment(task)
        environment.user = _Recorded([move["reply"] for move in moves if move["name"] == RESPOND])
        environment.reset(task["index"])
        hashes: list[str] = []
        official = environment.get_data_hash

        def noted() -> str:
            hashes.append(official())
            return hashes[-1]

        # The reward replaces the data, so the hash of what was done is noted when it is made.
        environment.get_data_hash = noted
        response: Any = None
        differing = 0
        for move in moves:
            response = environment.step(self.action(move["name"], move["kwargs"]))
            differing += response.observation != move["reply"]
            if response.done:
                break
        done = response is not None and response.done
        reward = float(response.reward) if done else 0.0
        same = done and hashes[0] == hashes[1]
        wrong = "" if reward else "not_ended" if not done else "outputs_not_said" if same else "wrong_data"
        return {
            "valid": reward == 1.0,
            "reward": reward,
            "done": done,
            "data_hash": hashes[0] if hashes else noted(),
            "digest": hashes[0],
            "differing": differing,
            "error_type": wrong,
            "reason": "",
        }


class World:
    """The tools of a domain over a task's data, and the task's user."""

    def __init__(self, domain: Domain, task: dict[str, Any]) -> None:
        self._domain = domain
        self._environment = domain.environment(task)
        # A reward would replace the data; it is the judge's.
        self._last, self._environment.terminate_tools = frozenset(self._environment.terminate_tools), []
        self._person: Any = None
        self._over = False
        """Whether the judge stops here: what came later would be in the world's data and not in the judge's."""

    def tools(self, _turn: int) -> list[dict[str, Any]]:
        """The official definitions."""
        return [tool["function"] for tool in self._environment.tools_info]

    def call(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        """What the official environment answers, and whether that is an error."""
        if name == RESPOND:
            return [f"Unknown action {name}", True]
        if self._over:
            return ["Error: the conversation has ended", True]
        self._over = name in self._last
        text = self._environment.step(self._domain.action(name, arguments)).observation
        return [text, text.startswith(("Error", "Unknown action "))]

    def digest(self) -> str:
        """The official hash of the data."""
        digest: str = self._environment.get_data_hash()
        return digest

    def view(self) -> Any:
        """The data, for people."""
        return plain_view(self._environment.data)

    def user(self, strategy: str, text: str | None, answers: list[str]) -> dict[str, Any]:
        """What the user says to a text, or says first; or what its model has to be asked before that."""
        person = self._domain.person(strategy) if self._person is None else copy.deepcopy(self._person)
        try:
            said = self._domain.said(person, self._environment.task.instruction, text, answers)
        except UnansweredRequest as asked:
            return {"ask": asked.messages}
        self._person = person
        self.heard(said)
        return {"said": said}

    def heard(self, said: str) -> None:
        """The user has said this, here or elsewhere."""
        self._over = self._over or _STOP in said


class _Recorded:
    """A user who says what is recorded."""

    def __init__(self, replies: list[str]) -> None:
        self._replies = iter(replies)

    def reset(self, instruction: str | None = None) -> str:  # noqa: ARG002
        return ""

    def step(self, content: str) -> str:  # noqa: ARG002
        return next(self._replies)

    def get_total_cost(self) -> float:
        return 0.0


def _mended(official: type[Any]) -> type[Any]:
    """The thinking user of EnvScaler: what follows `User Response:` is said, and nothing of the thought is."""

    class Mended(official):  # type: ignore[misc]
        def parse_response(self, response: str) -> str:
            if _STOP in response:
                return _STOP
            _, marker, said = response.partition("User Response:")
            if not marker:
                raise ValueError(f"Invalid response format: {json.dumps(response[:500])}")
            return said.strip()

    return Mended
