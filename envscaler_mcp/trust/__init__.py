"""Which code may run in this process: what this installation's own compiler makes of the blueprint beside it."""

from envscaler_mcp.trust.blueprint import blueprint_beside
from envscaler_mcp.trust.code import known_code, load_code
from envscaler_mcp.trust.memory import remember

__all__ = ["blueprint_beside", "known_code", "load_code", "remember"]
