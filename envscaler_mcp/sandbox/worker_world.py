"""A world whose code runs in a process of its own, held like any other world."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from typing import Any, cast, get_args

from pydantic import ValidationError

from envscaler_mcp.artifacts import Environment, StateDiff
from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.pending import Pending
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.serving.attempt import MAX_RESULT, Attempt
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.outcome import Kind, Outcome, PublishedOutcome, encode
from envscaler_mcp.serving.plain_json import is_plain

_KINDS: dict[object, Kind] = {kind: kind for kind in get_args(Kind)}


class WorkerWorld:
    """The same methods as a world in this process, and the same bytes; the worker does the work."""

    def __init__(self, code: EnvironmentCode, line: WorkerHandle) -> None:
        self.code = code
        self.line = line

    @property
    def environment(self) -> Environment:
        """What is known about the environment without running it."""
        return self.code.environment

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        """What came of the call. WorkerEndedError when the world itself is gone."""
        return self.outcome(self.line.ask("call", self.line.limits.call_seconds, **_call(tool, arguments, key)))

    def begin(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Pending:
        """The same call, whose answer is waited for by the event loop; `outcome` makes of it what came of the call."""
        return self.line.begin("call", self.line.limits.call_seconds, **_call(tool, arguments, key))

    def outcome(self, answer: Mapping[str, Any]) -> Outcome:
        """What the worker's answer to a call says; WorkerEndedError where it makes no sense."""
        said, payload = answer.get("kind"), answer.get("payload")
        kind = _KINDS.get(said) if type(said) is str else None
        if kind is None or type(payload) is not dict:
            raise self.line.reject("call: an answer that is no outcome")
        published = payload.get("text") if self.code.published else None
        if type(published) is str and len(published) <= MAX_RESULT:
            return PublishedOutcome(kind, published)
        try:
            # Written again from what was understood, so that the text is exactly what a world in this process sends.
            text = encode(payload)
        except (ValueError, RecursionError) as cause:
            raise self.line.reject(f"call: an answer that is not JSON: {cause}") from cause
        if len(text) > MAX_RESULT:
            raise self.line.reject(f"call: a result of {len(text)} characters; at most {MAX_RESULT} are taken")
        return Outcome(kind, text)

    def attempt(self, tool: str, arguments: Mapping[str, Any]) -> Attempt:
        """What the code does with the call; the world is as before afterwards."""
        answer = self.line.ask("attempt", self.line.limits.call_seconds, tool=tool, arguments=dict(arguments))
        said, text, failure, state = (answer.get(name) for name in ("kind", "text", "failure", "state"))
        kind = _KINDS.get(said) if type(said) is str else None
        if kind is None or type(text) is not str or type(state) is not str or type(failure) not in (str, type(None)):
            raise self.line.reject("attempt: an answer that is no attempt")
        try:
            parsed, was = json.loads(text), json.loads(state)
        except (ValueError, RecursionError) as cause:
            raise self.line.reject(f"attempt: an answer that is not JSON: {cause}") from cause
        if type(parsed) is not dict or type(was) is not dict:
            raise self.line.reject("attempt: a result or a state that is no object")
        return Attempt(Outcome(kind, text), failure, state)

    def state(self) -> dict[str, Any]:
        """Every record and scalar, as plain JSON."""
        state: dict[str, Any] = self._asked("state", "state", dict)
        return state

    def state_hash(self) -> str:
        """The digest of the state; equal states have equal hashes everywhere."""
        digest: str = self._asked("hash", "hash", str)
        return digest

    def diff(self) -> StateDiff:
        """What the last call changed."""
        return self._diff("diff")

    def begin_diff(self) -> Pending:
        """The same, whose answer is waited for by the event loop; `diff_in` makes of it what the call changed."""
        return self.line.begin("diff", self.line.limits.call_seconds)

    def diff_in(self, answer: Mapping[str, Any]) -> StateDiff:
        """What the last call changed, as the worker's answer says."""
        return self._diff_of("diff", answer)

    def diff_since(self, snapshot: int) -> StateDiff:
        """What changed since the snapshot."""
        return self._diff("diff_since", mark=snapshot)

    def snapshot(self) -> int:
        """A mark to come back to."""
        mark: int = self._asked("snapshot", "mark", int)
        return mark

    def restore(self, snapshot: int) -> None:
        """Be as at the snapshot, which may be used again. Marks set after it are forgotten."""
        self._asked("restore", "restored", bool, mark=snapshot)

    def fork(self) -> WorkerWorld:
        """A second world, in a second worker, that continues from here."""
        return WorkerWorld(self.code, self.line.fork())

    def set_clock(self, now: str) -> None:
        """Let it be this minute."""
        self._asked("clock", "set", bool, now=now)

    def close(self) -> None:
        """End the worker."""
        self.line.close()

    def _asked(self, do: str, wanted: str, kind: type, **fields: Any) -> Any:
        return self._part_of(do, self.line.ask(do, self.line.limits.call_seconds, **fields), wanted, kind)

    def _part_of(self, do: str, answer: Mapping[str, Any], wanted: str, kind: type) -> Any:
        part = answer.get(wanted)
        if type(part) is not kind:
            raise self.line.reject(f"{do}: an answer of another kind")
        return part

    def _diff(self, do: str, **fields: Any) -> StateDiff:
        return self._diff_of(do, self.line.ask(do, self.line.limits.call_seconds, **fields))

    def _diff_of(self, do: str, answer: Mapping[str, Any]) -> StateDiff:
        try:
            return StateDiff.model_validate(self._part_of(do, answer, "diff", dict))
        except ValidationError as cause:
            raise self.line.reject(f"{do}: an answer that is no difference") from cause


def _call(tool: str, arguments: Mapping[str, Any], key: str | None) -> dict[str, Any]:
    """A call as the worker is asked for it. The worker checks the arguments: a card of unread code may hold a schema
    whose check takes for ever, so this process runs none of it.
    """
    if is_plain([tool, arguments]):
        return {"tool": tool, "arguments": arguments, "key": key}
    try:
        # What a message cannot carry, such as half a character, a tuple or what is nested too deep for it, is refused there,
        # in the words used everywhere.
        return {"packed": marshal.dumps([tool, cast(Any, arguments)]).hex(), "key": key}
    except ValueError as cause:
        raise SandboxError(f"call: the arguments of {tool!r} must be plain JSON: {cause}") from cause
