"""Values and arguments drawn from what a blueprint says and a state holds, the same on every machine."""

from envscaler_mcp.sampling.arguments import Arguments
from envscaler_mcp.sampling.chance import Chance

__all__ = ["Arguments", "Chance"]
