"""What of the till's benchmark runs in the host of official code."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

_official: dict[str, Any] = {}
_AMOUNT = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
_TOOLS = ("deposit", "withdraw", "owners")


def load() -> None:
    for name in ("till", "checker"):
        _official[name] = import_module(f"tillbench.{name}")


class World:
    def __init__(self, task: dict[str, Any]) -> None:
        self._till = _official["till"].Till(task["balance"])
        self._withheld = {name for names in task["withheld"].values() for name in names}
        self._releases = task["withheld"]

    def tools(self, turn: int) -> list[dict[str, Any]]:
        self._withheld -= set(self._releases.get(str(turn), ()))
        return [
            {"name": name, "description": f"{name} of the till", "parameters": _AMOUNT, "response": {"type": "dict"}}
            for name in _TOOLS
            if name not in self._withheld
        ]

    def call(self, name: str, arguments: dict[str, Any]) -> list[Any]:
        if name == "stumble":
            self._till.stumble()
        try:
            result = getattr(self._till, name)(**arguments)
        except Exception as error:
            return [f"Error: {error}", True]
        return [result if isinstance(result, str) else json.dumps(result), False]

    def user(self, strategy: str, text: str | None, answers: list[str]) -> dict[str, Any]:
        if text == "Stumble.":
            self._till.stumble()
        if answers:
            return {"said": answers[0]}
        return {
            "ask": [{"role": "system", "content": f"You are {strategy}."}, {"role": "user", "content": text or "Hi"}]
        }

    def digest(self) -> str:
        return _digest(self._till.balance)

    def view(self) -> dict[str, Any]:
        return {"balance": self._till.balance, "drawers": {"left": {"name": "Left", "locked": True}}}


class Writing:
    """A call is written as `deposit 5`; several stand apart by commas, and a sum is counted."""

    def __init__(self, task: dict[str, Any], calls: str) -> None:
        self._heard: list[str] = []
        self._task = task

    def system(self) -> str:
        return "Write your calls."

    def request(self, said: str | None, answers: list[str]) -> list[dict[str, str]]:
        self._heard += [f"user: {said}"] if said is not None else [f"till: {answer}" for answer in answers]
        return [{"role": "system", "content": self.system()}, {"role": "user", "content": "\n".join(self._heard)}]

    def read(self, text: str) -> Any:
        if text == "Spoil.":
            return [["deposit", 5, "more"]]
        while text == "Hang.":
            pass
        if text == "Hm.":
            return []
        if not text.endswith("!"):
            return None
        calls = [call.split(" ", 1) for call in text[:-1].split(", ")]
        return [[name, {"amount": int(amount)} if amount.isdigit() else amount] for name, amount in calls]


def judge(task: dict[str, Any], calls: list[list[Any]]) -> dict[str, Any]:
    right, balance = _official["checker"].check(task["balance"], calls, task["wanted"])
    answer = {"valid": right, "error_type": None if right else "wrong_balance", "reason": ""}
    return {**answer, "digest": _digest(balance)}


def _digest(balance: float) -> str:
    return json.dumps(balance, allow_nan=False)
