"""From a blueprint to environment code."""

from envscaler_mcp.synthesis.environment import Synthesized, synthesize

__all__ = ["Synthesized", "synthesize"]
