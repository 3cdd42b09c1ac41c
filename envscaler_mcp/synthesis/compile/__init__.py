"""From a checked model to one readable Python class."""

from envscaler_mcp.synthesis.compile.environment import Compiled, compile_model

__all__ = ["Compiled", "compile_model"]
