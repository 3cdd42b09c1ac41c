"""The world that a prompt belongs to, so that a trainer's rollout can open and judge it."""

from __future__ import annotations

from envscaler_mcp.export.dialogue import Dialogue
from envscaler_mcp.export.table import Columns

SOURCE = "envscaler"
ORIGIN: Columns = {
    "split": "string",
    "environment": "string",
    "scenario": "string",
    "scenario_digest": "string",
    "code_digest": "string",
    "mode": "string",
    "user": "string",
}
"""The kinds of what `origin_of` tells, as a table has them."""


def row_origin(dialogue: Dialogue) -> dict[str, object]:
    """The task and the code, by name and by digest, and who is to play the user where it is a conversation."""
    played = dialogue.trajectory
    return {
        "split": dialogue.split,
        "environment": played.environment,
        "scenario": played.scenario,
        "scenario_digest": played.scenario_digest,
        "code_digest": played.code_digest,
        "mode": played.mode,
        "user": played.user,
    }
