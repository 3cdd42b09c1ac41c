"""Calls that fail on the way to a world: which ones, and what is answered in its place.

A call that fails here never reaches the world, so a change that is sent again is made once.
"""

from __future__ import annotations

from collections.abc import Mapping

from envscaler_mcp.disturbances.kinds import Disturbances
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.spoken_world import SpokenOutcome

RATE = 0.2
"""The share of calls that fail on the way, whatever number of kinds is on; and of tools whose schema has drifted."""
MOST_IN_A_ROW = 2
"""The call after so many failures gets through."""
DRIFT = "drift"

_ANSWERS: Mapping[str, tuple[tuple[int, str, str], ...]] = {
    "timeout": (
        (504, "Gateway Timeout", "The call was given up after 30 seconds, before it was handed on."),
        (408, "Request Timeout", "The request did not arrive in time. Nothing was done."),
    ),
    "rate-limit": ((429, "Too Many Requests", "Too many calls at a time. Nothing was done; send the call again."),),
    "denied": (
        (401, "Unauthorized", "The access token has run out and was renewed. Nothing was done; send the call again."),
        (403, "Forbidden", "The session was locked for a moment. Nothing was done; send the call again."),
    ),
    "server-error": (
        (500, "Internal Server Error", "The gateway failed before the call was handed on."),
        (502, "Bad Gateway", "The server behind could not be reached. Nothing was done."),
        (503, "Service Unavailable", "The service is starting again. Nothing was done."),
    ),
}
_BROKEN = (
    '{"result": {"items": [{"id": "',
    '{"status": "ok", "data": {"na',
    '{"data": [{"value": 1, "te',
    '{"ok": tru',
)
RENAMED = "renamed"


class Failures:
    """Which calls to one world fail on the way. It follows from task, seed and the number of the call."""

    def __init__(self, drawn: Disturbances) -> None:
        self._drawn = drawn
        self._kinds = tuple(kind for kind in drawn.of("transition") if kind != DRIFT)

    def at(self, number: int) -> str:
        """The kind of failure that the call with this number meets, counted from 0; nothing where it gets through."""
        if not self._kinds or not self._drawn_at(number):
            return ""
        before = 0
        while before < number and self._drawn_at(number - before - 1):
            before += 1
        if before % (MOST_IN_A_ROW + 1) == MOST_IN_A_ROW:
            return ""
        return self._drawn.choice(self._kinds, f"kind of failure {number}")

    def _drawn_at(self, number: int) -> bool:
        return self._drawn.happens(RATE, f"failure {number}")

    def answer(self, kind: str, number: int) -> SpokenOutcome:
        """What an agent reads where that happens."""
        if kind == "broken-json":
            # As it arrives, nothing says that it is an error.
            answer = SpokenOutcome("limited", self._drawn.choice(_BROKEN, f"broken {number}"), in_band=True)
            answer.disturbed = kind
            return answer
        status, title, detail = self._drawn.choice(_ANSWERS[kind], f"status {number}")
        more = {"retry_after": 1} if kind == "rate-limit" else {}
        return problem({"status": status, "title": title, "detail": detail, **more}, kind)


def renamed_argument(old: str, new: str) -> SpokenOutcome:
    """What an agent reads who calls by a schema that holds no more."""
    detail = f"The interface has changed: the argument {old!r} is called {new!r} now. Nothing was done."
    return problem({"status": 422, "title": "Unprocessable Entity", "detail": detail, RENAMED: {old: new}}, DRIFT)


def out_of_service(tool: str) -> SpokenOutcome:
    """What a tool answers that stands beside the real one. It was the agent's choice, and is no failure on the way."""
    return problem({"status": 410, "title": "Gone", "detail": f"{tool} is not in service. Nothing was done."}, "")


def problem(body: Mapping[str, object], kind: str) -> SpokenOutcome:
    """An answer of what stands before the world: the same words in every interface."""
    answer = SpokenOutcome("limited" if kind else "refused", encode(dict(body)), dict(body))
    answer.disturbed = kind
    return answer
