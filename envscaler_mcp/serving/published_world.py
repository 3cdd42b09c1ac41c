"""A world of a published class that does what the published runtime does, no more and no less.

Nothing is mended here: what a refused call changed stays changed, arguments are handed on unchecked, a result of any
shape is told as Python prints it, whatever the instance has may be called, and an exception ends the episode. The state
is all that `vars()` tells of the instance: private attributes and `init_config` too, and values that are no JSON, which
travel as `python_values` writes them. Only time and chance are the world's own, so that an episode can be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.attempt import MAX_RESULT, TooLargeError, check_length
from envscaler_mcp.serving.copied_world import CopiedWorld
from envscaler_mcp.serving.local_world import CLOSED
from envscaler_mcp.serving.outcome import ENDED, Outcome, PublishedOutcome, encode
from envscaler_mcp.serving.python_values import python_value_as_json

INVALID_ACTION = "Error: Invalid action"
"""What the published runtime answers to a name that the instance does not have, or to arguments that are no object."""


_UNWRITABLE = Outcome.saying("exhausted", ENDED.text)


class PublishedWorld(CopiedWorld):
    """Inside a worker, or inside this process where its owner trusts the class."""

    left_out = frozenset()

    def _made(self, state: Mapping[str, Any]) -> Any:
        """By the constructor, or without arguments where that raises a TypeError; then field by field."""
        config = deepcopy(dict(state))
        try:
            try:
                env = self._class(config)
            except TypeError:
                env = self._class()
            for name, value in config.items():
                setattr(env, name, value)
            vars(env)
        except KeyboardInterrupt:
            raise
        except BaseException as cause:
            name = self._class.__name__
            raise WorldError(f"{name} cannot be opened at this state: {type(cause).__name__}: {cause}") from cause
        return env

    def _text(self) -> str:
        return encode(self._attributes())

    def _attributes(self) -> dict[str, Any]:
        attributes: dict[str, Any] = {}
        for name, value in vars(self._env).items():
            try:
                attributes[name] = python_value_as_json(value)
            except (TypeError, RecursionError) as cause:
                raise WorldError(
                    f"The attribute {name!r} of {self._class.__name__} holds {cause}, which cannot leave its world; "
                    "import the environment without --faithful."
                ) from cause
        return attributes

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        """What came of the call; any attribute of the instance may be called, as published."""
        if key is not None:
            return self._call_once(tool, arguments, key)
        if self._closed:
            return CLOSED
        self._before = self._current
        if type(tool) is not str or type(arguments) is not dict or not self._has(tool):
            return PublishedOutcome("invalid", INVALID_ACTION)
        return self._called(tool, deepcopy(arguments))

    def _has(self, name: str) -> bool:
        try:
            return hasattr(self._env, name)
        except Exception:
            # A property that raises: the published runtime finds it when it is called.
            return True

    def _called(self, name: str, arguments: dict[str, Any]) -> Outcome:
        known = self._tools.get(name)
        try:
            outcome: Outcome = PublishedOutcome("done", _printed(getattr(self._env, name)(**arguments)))
        except KeyboardInterrupt:
            raise
        except TooLargeError as cause:
            self.last_failure = str(cause)
            outcome = PublishedOutcome("limited", f"Error: {name} gave {cause}, and at most {MAX_RESULT:,} are sent.")
        except BaseException as cause:
            self.last_failure = f"{type(cause).__name__}: {_words(cause)}"
            outcome = PublishedOutcome("failed", _told(cause))
        if known is not None and known.tool.effect == "reads" and outcome.kind == "done":
            self._current = self._before = self._current._replace(position=self._sources.position())
            return outcome
        try:
            self._current = self._moment()
        except (WorldError, ValueError, OverflowError, RecursionError, MemoryError) as cause:
            # What it holds now can be neither written down nor judged, and has come of the agent's calls.
            self.last_failure = str(cause)
            self._put_back(self._current)
            return _UNWRITABLE
        return outcome


def _printed(result: Any) -> str:
    text = str(result).encode(errors="backslashreplace").decode()
    check_length(text)
    return text


def _told(cause: BaseException) -> str:
    """As published, but for the lines of the traceback: they name files of a machine, and no worker may look at frames."""
    words = _words(cause)
    last = f"{type(cause).__name__}: {words}" if words else type(cause).__name__
    return f"Error: {words}\nTraceback (most recent call last):\n{last}\n"


def _words(cause: BaseException) -> str:
    """An exception in its own words; asking for them runs code of the class."""
    try:
        return str(cause).encode(errors="backslashreplace").decode()[:MAX_RESULT]
    except BaseException:
        return ""
