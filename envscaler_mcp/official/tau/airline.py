"""The airline domain of tau-bench, in the host of official code."""

from __future__ import annotations

from envscaler_mcp.official.tau.inside import Domain

_domain = Domain("airline")
load, World, Writing, judge = _domain.load, _domain.world, _domain.writing, _domain.judge
