"""A small, slow interpreter of a checked model: what a blueprint means, without an index or a short cut."""

from envscaler_mcp.language.interpreter.interpreter import GuardRefusal, Interpreter

__all__ = ["GuardRefusal", "Interpreter"]
