"""What a caller sends after a call failed on the way."""

from __future__ import annotations

import json
from typing import Any

from envscaler_mcp.artifacts import Call
from envscaler_mcp.disturbances.failures import RENAMED


def sent_again(call: Call, answer: str) -> Call:
    """The call that was disturbed, as it is sent again: the same, with the names that the answer asks for."""
    names = _renamed(answer)
    return call.model_copy(
        update={"arguments": {names.get(name, name): given for name, given in call.arguments.items()}}
    )


def _renamed(answer: str) -> dict[str, Any]:
    try:
        body = json.loads(answer)
    except ValueError:
        return {}
    names = body.get(RENAMED) if isinstance(body, dict) else None
    return names if isinstance(names, dict) else {}
