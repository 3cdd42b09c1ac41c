"""What a run with a model shall come to."""

from __future__ import annotations

from typing import Literal

from envscaler_mcp.artifacts.artifact import Part


class Wanted(Part):
    """How many environments, and how they are written."""

    environments: int
    scenarios: int = 10
    style: Literal["blueprint", "code"] = "blueprint"
    plan: Literal["first", "task"] = "first"
    """What a scenario begins with: calls that were tried, or a task in words for which a solver must find them."""
    judge: Literal["model", "local"] = "model"
    """Who says which tasks need records."""
    embeddings: str = ""
    """The model that says how near topics are to each other; by their words where there is none."""
    at_once: int = 4
    """How many environments are written at the same time."""
    repairs: int = 2
    """How often what the judge found is mended."""
    reword: bool = True
    """Whether tasks with a plan first are told in the model's words."""
