"""The environments that commands find: those in a folder of the user's own, and behind them those that ship."""

from envscaler_mcp.home.folders import LayeredFolders, ServerFolders, folder_names, has_folders
from envscaler_mcp.home.layers import Home, read_home, read_shipped

__all__ = ["Home", "LayeredFolders", "ServerFolders", "folder_names", "has_folders", "read_home", "read_shipped"]
