"""What the farm answers about its demonstration: where it is, and to take it over."""

from __future__ import annotations

from envscaler_mcp.serving.control.schemas import ControlOperation, JsonBody

DEMONSTRATION = "/v1/demonstration"


class DemonstrationAnswer(JsonBody):
    """Where a demonstration is."""

    offered: bool
    """Whether this farm has one."""
    playing: bool
    """False where a person has taken over."""
    world: str = ""
    """Where it plays, or was taken over; nothing where no world is open yet."""


_SHOWN = ControlOperation("GET", DEMONSTRATION, "demonstration", "Where it is.", None, DemonstrationAnswer)
DEMONSTRATION_OPERATIONS = (
    _SHOWN,
    ControlOperation(
        "POST",
        f"{DEMONSTRATION}/take",
        "demonstration_take",
        "End it and keep its world, which stays as it is.",
        None,
        DemonstrationAnswer,
    ),
    ControlOperation(
        "POST", f"{DEMONSTRATION}/start", "demonstration_start", "Go on with the next task.", None, DemonstrationAnswer
    ),
)
"""What owners are answered."""
DEMONSTRATION_FOR_READERS = (_SHOWN,)
"""What readers are answered."""
