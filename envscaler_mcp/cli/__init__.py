"""The command line: one file per command, each of which parses, calls one function and prints."""

from envscaler_mcp.cli.program import main

__all__ = ["main"]
