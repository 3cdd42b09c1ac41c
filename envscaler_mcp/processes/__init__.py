"""Programs and functions of this package in processes of their own; no other room starts Python."""

from envscaler_mcp.processes.programs import installed_program, own_program

__all__ = ["installed_program", "own_program"]
