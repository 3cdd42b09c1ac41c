"""Why a call was refused: the rule of the environment, or the condition of the tool, whose sentence it was answered with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.text import split_top

_VALUE = re.compile(r"\{[^{}]*\}")
_UNKNOWN = re.compile(r"There is no [\w ]+ '.*'\.", re.DOTALL)
"""What an id that no record has is answered with, before any condition is asked for."""


_Condition = tuple[str, list[str]]
"""A test, and what stands around the values of its sentence."""


class RefusalReasons:
    """The rules of an environment in their order, and what each tool asks for before it does anything."""

    def __init__(self, rules: Sequence[str], required: Mapping[str, Sequence[str]] | None = None) -> None:
        """What is required is written as in blueprints: `test | sentence`."""
        self._rules = tuple(rules)
        self._conditions = {tool: _conditions(lines) for tool, lines in (required or {}).items()}

    def rule(self, sentence: object) -> int | None:
        """The rule with this sentence, counted from 1."""
        return self._rules.index(sentence) + 1 if sentence in self._rules else None

    def condition(self, tool: str, sentence: object) -> str:
        """The test of the tool that is answered with this sentence where it fails; nothing where none or several are.

        A value may be any text, so `{animal.name} is {animal.status}.` fits much: the sentence that leaves the least to
        values is the one that was said.
        """
        if not isinstance(sentence, str) or _UNKNOWN.fullmatch(sentence):
            return ""
        fitting = [(len("".join(pieces)), test) for test, pieces in self._fitting(tool, sentence)]
        most = max((length for length, _ in fitting), default=0)
        tests = {test for length, test in fitting if length == most}
        return tests.pop() if len(tests) == 1 else ""

    def refuses(self, tool: str, sentence: object) -> bool:
        """Whether the world refused a call with this sentence; otherwise its arguments could not be read."""
        if not isinstance(sentence, str):
            return False
        if _UNKNOWN.fullmatch(sentence):
            return not sentence.startswith("There is no tool ")
        return sentence in self._rules or bool(self._fitting(tool, sentence))

    def _fitting(self, tool: str, sentence: str) -> list[_Condition]:
        return [condition for condition in self._conditions.get(tool, ()) if _says(condition[1], sentence)]


def reasons_in(file: Path, rules: Sequence[str]) -> RefusalReasons:
    """The same as a blueprint has it; only the rules where it cannot be read."""
    try:
        blueprint = read_blueprint(file)
    except BlueprintError:
        return RefusalReasons(rules)
    return RefusalReasons(rules, {name: operation.require for name, operation in blueprint.operations.items()})


def _conditions(lines: Sequence[str]) -> tuple[_Condition, ...]:
    halves = (split_top(line, "|") for line in lines)
    return tuple((half[0].strip(), _VALUE.split(half[1].strip())) for half in halves if len(half) == 2)


def _says(pieces: Sequence[str], sentence: str) -> bool:
    """Whether a sentence has these pieces, with values between them."""
    first, *more = pieces
    if not more:
        return sentence == first
    if not (sentence.startswith(first) and sentence.endswith(more[-1])):
        return False
    place = len(first)
    for piece in more[:-1]:
        place = sentence.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return place <= len(sentence) - len(more[-1])
