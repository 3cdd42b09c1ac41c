"""What every client of an environment is told, the same over every transport and in both eras of the protocol."""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Sequence
from typing import Any, Protocol

from envscaler_mcp.artifacts import Environment

IDEMPOTENCY_KEY = "envscaler/idempotency-key"
"""Where a client puts a call's key in `_meta`: the same call sent twice with one key is run once."""
MAX_KEY = 200
NO_KEY = f"An idempotency key must be a text of 1 to {MAX_KEY} characters."

INTRODUCTION = "environment://introduction"
RULES = "environment://rules"
KEPT_MS = 3_600_000
"""How long a client may keep what it was told."""


def introduction_text(environment: Environment) -> str:
    """What an agent is told first."""
    if environment.origin == "published":
        return f"# Environment Information\n## Brief Introduction:  \n{environment.introduction}\n"
    return f"# {environment.title}\n\n{environment.about}\n\n{environment.introduction}\n"


def rules_text(environment: Environment) -> str:
    """What holds here. That a call which would break it is refused is said only of code that is made to refuse it."""
    rules = "\n".join(f"- {rule}" for rule in environment.rules)
    if environment.origin == "published":
        return f"## Environment Rules / Constraints:  \n{rules}\n"
    if environment.origin == "written":
        return f"# Rules\n\n{rules}\n"
    return f"# Rules\n\nA call that would break one of these is refused and changes nothing.\n\n{rules}\n"


def instructions(environment: Environment) -> str:
    """What a client may put before a model, once."""
    if environment.origin == "published":
        return introduction_text(environment) + rules_text(environment)
    return f"{environment.introduction}\n\n{rules_text(environment)}"


def resources(environment: Environment) -> list[dict[str, Any]]:
    """What can be read, as the protocol lists it."""
    return [
        {
            "uri": INTRODUCTION,
            "name": "introduction",
            "title": "Introduction",
            "description": f"What {environment.title} is and who works with it.",
            "mimeType": "text/markdown",
        },
        {
            "uri": RULES,
            "name": "rules",
            "title": "Rules",
            "description": "What always holds here.",
            "mimeType": "text/markdown",
        },
    ]


def is_key(key: object) -> bool:
    """Whether it can be an idempotency key; half a character could not be told to a worker."""
    if type(key) is not str or not 0 < len(key) <= MAX_KEY:
        return False
    return key.isascii() or not any("\ud800" <= char <= "\udfff" for char in key)


_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#38d" d="M0 1h9v2H0m0 1h6v2H0m0 1h8v2H0"/></svg>'
ICONS = [{"src": f"data:image/svg+xml;base64,{base64.b64encode(_SVG.encode()).decode()}", "mimeType": "image/svg+xml"}]
"""What a client may show beside a server's name: three rows of records; small, since each result of the newer era carries it."""


class TaskText(Protocol):
    """What is told of a task: a scenario, or no more than its words."""

    @property
    def id(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def task(self) -> str: ...


def prompts(tasks: Sequence[TaskText]) -> list[dict[str, Any]]:
    """The tasks as prompts, as the protocol lists them."""
    return [
        {
            "name": task.id,
            "title": f"Task {number} ({task.level})",
            "description": textwrap.shorten(task.task, 120, placeholder=" …"),
        }
        for number, task in enumerate(tasks, 1)
    ]


def no_resource(uri: object) -> str:
    return f"There is no resource {uri}; there are {INTRODUCTION}, {RULES}."


def no_prompt(name: object) -> str:
    return f"There is no prompt {name!r}."
