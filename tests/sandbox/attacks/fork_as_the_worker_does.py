"""Starts a process the way the worker itself does, which causes no audit event."""

# mypy: ignore-errors
# alone: gate limits kernel
# free: yes


def attack():
    import os
    import sys

    if sys.modules["envscaler_mcp.sandbox.system"].fork_sibling() == 0:
        os._exit(0)
    return True
