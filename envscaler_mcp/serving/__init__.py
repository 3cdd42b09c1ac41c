"""What a running server needs: methods become tools, a world becomes a server. Importing this never imports `mcp`."""

from envscaler_mcp.serving.code import EnvironmentCode, load_class, load_folder, read_code
from envscaler_mcp.serving.tools import tool_table
from envscaler_mcp.serving.world import LocalWorld, Outcome, World, open_unread_world, open_world

__all__ = [
    "EnvironmentCode",
    "LocalWorld",
    "Outcome",
    "World",
    "load_class",
    "load_folder",
    "open_unread_world",
    "open_world",
    "read_code",
    "tool_table",
]
