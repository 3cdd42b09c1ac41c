"""Which code may run in this process: what this installation's own compiler makes of the blueprint beside it."""

from envscaler_mcp.trust.code import load_code
from envscaler_mcp.trust.memory import remember

__all__ = ["load_code", "remember"]
