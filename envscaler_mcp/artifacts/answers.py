"""What the tools of a compiled environment answer, and what a call changes."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Part


class ToolAnswers(Part):
    """Shapes are short texts, such as `{total: int, beds: [Bed]}`; `serving/shapes.py` makes JSON schemas of them."""

    records: dict[str, str] = Field(default_factory=dict)
    """The shape of each kind of record that answers hold, by its name."""
    data: dict[str, str] = Field(default_factory=dict)
    """The shape of the `data` of a successful answer, by the name of the tool."""
    naming: tuple[str, ...] = ()
    """Tools whose answers may have `names`: what people call the records to which the `data` point, by their ids."""
    whole: dict[str, dict[str, Any]] = Field(default_factory=dict, exclude_if=lambda whole: not whole)
    """In a dialect, and then alone: the JSON schema of all of an answer, by the name of the tool as it is spoken."""
    additive: tuple[str, ...] = ()
    """Operations that add records, and neither change nor delete one that was there."""
    repeatable: tuple[str, ...] = ()
    """Operations of which a second call with the same arguments changes nothing more."""
