"""A model that writes the lending desk of a small library as a class, as a good model would, with a mistake to be mended."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from envscaler_mcp.llm import ChatRequest
from tests.llm.asking import Actor, Part
from tests.quality.test_agents import CALLS, content, passes, picked
from tests.scenarios.written_classes import LENDING, lending_state

_MODULE = ast.parse(LENDING)
_CLASS = next(node for node in _MODULE.body if isinstance(node, ast.ClassDef) and node.name == "LendingDesk")
METHODS = {
    node.name: ast.unparse(node)
    for node in _CLASS.body
    if isinstance(node, ast.FunctionDef) and node.name != "__init__"
}
WRITES = ("lend_book", "extend_loan", "take_back", "move_book", "update_email")
ENTITIES = {"Book": "books", "Reader": "readers", "Loan": "loans"}


def definition() -> str:
    head, _, rest = LENDING.partition("    def list_books(")
    assert rest
    return head.strip() + "\n"


def space() -> dict[str, Any]:
    state = lending_state()
    return {
        "entities": [
            {
                "name": name,
                "container": container,
                "about": f"A {name.lower()}.",
                "attributes": [
                    {"name": field, "type": "str", "about": field.replace("_", " ")}
                    for field in next(iter(state[container].values()))
                ],
            }
            for name, container in ENTITIES.items()
        ],
        "rules": [
            "A reader has at most three books at a time.",
            "A book that is lent cannot be lent again.",
            "A loan is extended at most once.",
        ],
    }


def operations() -> dict[str, Any]:
    return {
        "operations": [
            {"name": name, "kind": "change" if name in WRITES else "query", "about": f"{name.replace('_', ' ')}."}
            for name in METHODS
        ]
    }


def state() -> dict[str, Any]:
    return {name: records for name, records in lending_state().items() if name in ENTITIES.values()}


def fenced(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


def says_it_again(question: ChatRequest) -> str:
    message = content(question).partition("correct and dry:\n\n")[2].partition("\n\nThese words")[0]
    return f"Good morning. {message}\nMany thanks."


def lending_author(wrong: dict[str, str] | None = None, **parts: Part) -> Actor:
    """`wrong` are methods as the model writes them first; what is mended is right."""

    def write(question: ChatRequest) -> str:
        found = re.search(r"Write the method `(\w+)`", question.messages[1].content)
        assert found is not None
        name = found[1]
        first = question.purpose == "write_method"
        return fenced((wrong or {}).get(name, METHODS[name]) if first else METHODS[name])

    played: dict[str, Part] = {
        "infer_state": [space()],
        "infer_operations": [operations()],
        "write_class": [fenced(definition())],
        "write_method": write,
        "repair_method": write,
        "write_state": [fenced(json.dumps(state()), "json")],
        "pick_calls": [picked(CALLS)],
        "judge_calls": passes,
        "word_task": says_it_again,
    }
    return Actor(**(played | parts))
