"""What environment code itself does with a call, before its world mends it: for tests of the code.

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
    check_length(text)
    return text


class TooLargeError(ValueError):
    """A result was longer than `MAX_RESULT`; which one a call makes, its caller decides too."""


def check_length(text: str) -> None:
    """TooLargeError where a result is too long to be sent."""
    if len(text) > MAX_RESULT:
        raise TooLargeError(f"a result of {len(text)} characters")


def result_too_large(tool: str, cause: TooLargeError) -> Outcome:
    """What a caller hears then: no defect of the environment."""
    return Outcome.saying(
        "limited",
        f"{tool} gave {cause}, and at most {MAX_RESULT:,} are sent; nothing was changed. Ask for less: narrow it.",
    )


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
