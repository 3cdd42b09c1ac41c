"""A farm of stateful worlds for tool-using agents, each an ordinary Model Context Protocol server."""

__version__ = "0.1.0"
