"""What environment code itself does with a call, before its world mends it: for whoever judges the code.

A world takes back what a refused or failing call has written, so that agents never meet it. Here it is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.serving.outcome import Outcome, encode

MAX_RESULT = 1_000_000
"""How long a result may be: clients take quadratic time over longer lines."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that was tried and taken back."""

    outcome: Outcome
    failure: str | None
    """What the code raised, or how its result is not of the published shape."""
    state: str
    """The state's JSON text as the code left it."""


def published(result: Any) -> str:
    """The text of a result in the published shape; ValueError says what is wrong with another."""
    if type(result) is not dict or type(result.get("success")) is not bool:
        raise ValueError("the result is not of the published shape")
    if not result["success"] and type(result.get("error")) is not str:
        raise ValueError("the refusal gives no reason")
    text = encode(result)
    text.encode()
    if len(text) > MAX_RESULT:
        raise ValueError(f"a result of {len(text)} characters")
    return text


def attempted(tool: str, method: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[Outcome, str | None]:
    """What one method does, and what is wrong with how it does it."""
    try:
        result = method(**arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as cause:
        return Outcome.saying("failed", f"{tool} failed."), f"it raised {type(cause).__name__}: {cause}"
    try:
        text = published(result)
    except (TypeError, ValueError, RecursionError) as cause:
        return Outcome.saying("failed", f"{tool} failed."), f"its result is not of the published shape: {cause}"
    return Outcome("done" if result["success"] else "refused", text), None
