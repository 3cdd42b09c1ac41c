"""What a model is asked, as it was made from a prompt file."""

from __future__ import annotations

from envscaler_mcp.artifacts.artifact import Part


class Prompt(Part):
    """One question in words."""

    name: str
    digest: str
    """Of the prompt file, without what was filled in: documents name the wording that made them."""
    system: str
    user: str
