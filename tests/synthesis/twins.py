"""A compiled world and the interpreter's, played side by side: whatever is asked of both, both must say and hold the same."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from envscaler_mcp.language import Model, check_blueprint, read_blueprint
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.compile import compile_model


def model_of(path: Path) -> Model:
    return check_blueprint(read_blueprint(path)).sound()


def class_of(model: Model) -> Any:
    compiled = compile_model(model)
    return load_class(compiled.source, compiled.class_name)


def content(world: Any) -> dict[str, Any]:
    """The state of a compiled world."""
    return {name: value for name, value in vars(world).items() if not name.startswith("_")}


def indexes(world: Any) -> dict[str, dict[Any, Any]]:
    """What a compiled world finds records by, without buckets that nothing is in any more."""
    found = {name: value for name, value in vars(world).items() if "_by_" in name and name.startswith("_")}
    return {name: {key: bucket for key, bucket in index.items() if bucket} for name, index in found.items()}


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class Twins:
    """Two worlds in one state."""

    def __init__(self, model: Model, state: dict[str, Any] | None = None, made: Any = None) -> None:
        self.model = model
        self.made = made or class_of(model)
        self.world = self.made(copy.deepcopy(state))
        self.meant = Interpreter(model, state)
        self.done: list[tuple[str, dict[str, Any]]] = []
        """The calls that changed something."""
        assert content(self.world) == self.meant.state

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What both answer; the assertions are the test."""
        before, found = text(content(self.world)), copy.deepcopy(indexes(self.world))
        wanted = self.meant.call(tool, copy.deepcopy(arguments))
        self.world._journal = []
        given: dict[str, Any] = getattr(self.world, tool)(**copy.deepcopy(arguments))
        said = f"{tool}({arguments})"
        assert text(given) == text(wanted), said
        assert content(self.world) == self.meant.state, said
        if tool in self.model.operations and given["success"]:
            self._undone_and_done_again(before, found, said)
            self.done.append((tool, arguments))
        else:
            assert text(content(self.world)) == before, said
            assert self.world._journal == [], said
            assert indexes(self.world) == found, said
        return given

    def _undone_and_done_again(self, before: str, found: dict[str, Any], said: str) -> None:
        after, journal = copy.deepcopy(content(self.world)), list(self.world._journal)
        assert indexes(self.world) == indexes(self.made(after)), said
        tool_world = self.made(json.loads(before))
        self.world._undo(journal)
        assert text(content(self.world)) == text(content(tool_world)), said
        assert indexes(self.world) == found, said
        self.world = self.made(after)


def replayed(twins: Twins, state: dict[str, Any]) -> None:
    """From the same JSON, the same calls lead to the same state."""
    again = twins.made(json.loads(json.dumps(state)))
    for tool, arguments in twins.done:
        assert getattr(again, tool)(**copy.deepcopy(arguments))["success"]
    assert content(again) == content(twins.world)
