"""A world of a class that a person or a model wrote, in the published shape.

Such a class keeps no account of its changes, so its attributes are copied before a tool that may write is called. All
attributes are copied, private ones too; the public ones are the state.
"""

from __future__ import annotations

import inspect
import json
import marshal
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple, Self

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.attempt import Attempt, attempted, published
from envscaler_mcp.serving.code import CallableTool, EnvironmentCode, load_class
from envscaler_mcp.serving.determinism import DEFAULT_NOW, Position, Sources
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import Outcome, encode
from envscaler_mcp.serving.plain_json import MAX_DEPTH, is_deeper, json_copy
from envscaler_mcp.serving.state_diff import diff_of_states

NOT_STATE = frozenset({"init_config"})
"""Attributes of the published style that repeat the configuration, or alias the live records."""


class _Mark(NamedTuple):
    """One moment of the world; nothing in it is ever changed."""

    image: bytes | dict[str, Any]
    """All attributes: marshalled where they are plain, which keeps records that are shared shared."""
    text: str
    """The state as JSON."""
    position: Position


class CopiedWorld(LocalWorld):
    """A world of written code: inside a worker, or inside this process where its owner trusts it."""

    left_out: frozenset[str] = NOT_STATE
    """Attributes that are no part of the state."""

    def __init__(self, code: EnvironmentCode, sources: Sources) -> None:
        super().__init__(code)
        self._sources = sources
        self._class = load_class(code.source, code.environment.class_name, sources)
        self._env: Any = None

    @classmethod
    def open(cls, code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> Self:
        """A new world at a state."""
        now = state.get("now")
        world = cls(code, Sources(seed, now if isinstance(now, str) and is_minute(now) else DEFAULT_NOW))
        world._env = world._made(state)
        world._before = world._current = world._moment()
        return world

    _current: _Mark
    """The world after the last call that may have written."""
    _before: _Mark
    """The world before it."""

    def _made(self, state: Mapping[str, Any]) -> Any:
        """An instance at the state, built as the published runtime does: by the constructor, then field by field."""
        name = self._class.__name__
        try:
            takes_config = len(inspect.signature(self._class).parameters) > 0
            env = self._class(json_copy(dict(state))) if takes_config else self._class()
            for attribute, value in json_copy(dict(state)).items():
                if hasattr(self._class, attribute) or attribute.startswith("_"):
                    raise WorldError(
                        f"{attribute!r} cannot be a field of the state: {name} has something of that name."
                    )
                if attribute not in NOT_STATE:
                    vars(env)[attribute] = value
        except (KeyboardInterrupt, WorldError):
            raise
        except BaseException as cause:
            raise WorldError(f"{name} cannot be opened at this state: {type(cause).__name__}: {cause}") from cause
        return env

    def _moment(self) -> _Mark:
        attributes = {name: value for name, value in vars(self._env).items() if name not in self.left_out}
        try:
            image: bytes | dict[str, Any] = marshal.dumps(attributes)
        except ValueError:
            try:
                image = deepcopy(attributes)
            except Exception as cause:
                raise WorldError(f"The attributes of {self._class.__name__} cannot be copied: {cause}") from cause
        return _Mark(image, self._text(), self._sources.position())

    def _text(self) -> str:
        public = {
            name: value for name, value in vars(self._env).items() if not name.startswith("_") and name not in NOT_STATE
        }
        try:
            text = encode(public)
            text.encode()
        except (TypeError, ValueError, RecursionError) as cause:
            raise WorldError(f"The state of {self._class.__name__} is not plain JSON: {cause}") from cause
        return text

    def _put_back(self, moment: _Mark) -> None:
        image = moment.image
        attributes = marshal.loads(image) if isinstance(image, bytes) else deepcopy(image)  # noqa: S302
        uncopied = {name: value for name, value in vars(self._env).items() if name in self.left_out}
        vars(self._env).clear()
        vars(self._env).update(uncopied, **attributes)
        self._sources.go_to(moment.position)

    def _begin(self) -> None:
        self._before = self._current

    def _run(self, callable_tool: CallableTool, arguments: Mapping[str, Any]) -> Outcome:
        self._before = self._current
        name = callable_tool.tool.name
        writes = callable_tool.tool.effect == "writes"
        try:
            result = getattr(self._env, name)(**arguments)
            text = published(result)
            if writes and result["success"]:
                self._current = self._moment()
        except BaseException as cause:
            self._put_back(self._current)
            if isinstance(cause, KeyboardInterrupt):
                raise
            return self._failed(name, cause)
        if result["success"]:
            if not writes:
                # A reading tool may draw ids, and what it drew is not drawn again.
                self._current = self._before = self._current._replace(position=self._sources.position())
            return Outcome("done", text)
        if writes:
            self._put_back(self._current)
        else:
            self._sources.go_to(self._current.position)
        return Outcome("refused", text)

    def attempt(self, tool: str, arguments: Mapping[str, Any]) -> Attempt:
        """What the code does with the call; the world is as before afterwards."""
        wrong = self._wrong(tool, arguments)
        if wrong is not None:
            return Attempt(wrong, None, self._text())
        try:
            outcome, failure = attempted(tool, getattr(self._env, tool), json_copy(dict(arguments)))
            return Attempt(outcome, failure, self._text())
        except WorldError as cause:
            return Attempt(Outcome.saying("failed", f"{tool} failed."), str(cause), self._current.text)
        finally:
            self._put_back(self._current)

    def _mark(self) -> _Mark:
        return self._current

    def _return_to(self, mark: _Mark) -> None:
        self._put_back(mark)
        self._before = self._current = mark

    def _changed_since(self, mark: _Mark) -> StateDiff:
        return diff_of_states(json.loads(mark.text), self.state())

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return self._changed_since(self._before)

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as a copy in plain JSON."""
        state: dict[str, Any] = json.loads(self._text())
        if is_deeper(state, MAX_DEPTH):
            raise WorldError(f"The state of {self._class.__name__} is nested more than {MAX_DEPTH} deep.")
        return state

    def fork(self) -> CopiedWorld:
        """A second world that continues from here, independent of this one, with no marks."""
        twin = type(self)(self.code, self._sources.fork())
        twin._env = object.__new__(twin._class)
        vars(twin._env).update(
            {name: deepcopy(value) for name, value in vars(self._env).items() if name in self.left_out}
        )
        twin._put_back(self._current)
        twin._before = twin._current = self._current
        twin._inherit(self)
        return twin

    def set_clock(self, now: str) -> None:
        """Let it be this minute."""
        self._sources.set_clock(now)
        self._before = self._current = self._current._replace(position=self._sources.position())
