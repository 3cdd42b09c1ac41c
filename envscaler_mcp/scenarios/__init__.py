"""From an environment to worlds worth playing in: grown start states, and calls that work in them."""

from envscaler_mcp.scenarios.examples import Example, examples
from envscaler_mcp.scenarios.growth import Grown, grow
from envscaler_mcp.scenarios.rehearsal import Surprise

__all__ = ["Example", "Grown", "Surprise", "examples", "grow"]
