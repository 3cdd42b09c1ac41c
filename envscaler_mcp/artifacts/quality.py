"""What happened when every operation was tried, rightly and wrongly."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envscaler_mcp.artifacts.artifact import Artifact, Part

Judgement = Literal["pass", "warning", "fail"]


class Case(Part):
    """One call in an aged world, and what the judge says of it."""

    operation: str
    kind: Literal["positive", "negative"]
    """Whether the call was meant to be done or to be refused."""
    tries: str
    """What is tried, in words: the first guard false, a missing argument, …"""
    arguments: dict[str, Any]
    observation: str
    judgement: Judgement
    reason: str = ""


class CaseCounts(Part):
    """How the cases of an operation or an environment came out."""

    total: int = 0
    passed: int = 0
    warned: int = 0
    failed: int = 0
    positive: int = 0
    negative: int = 0


class QualityReport(Artifact):
    """`quality_report.json` of a server folder."""

    environment: str
    code_digest: str
    seeds: tuple[int, ...]
    summary: CaseCounts
    operations: dict[str, CaseCounts]
    cases: tuple[Case, ...] = Field(default=())
    """Every case that is not a pass, and one pass of each kind per operation."""
    admitted: bool
    """(pass + warning) / total reaches the bar, and compiled operations have no fail."""
