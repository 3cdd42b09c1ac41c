"""The blueprint language: reading files, checking types, and a small reference interpreter."""

from envscaler_mcp.language.check import Checked, Problem, check_blueprint
from envscaler_mcp.language.document import read_blueprint
from envscaler_mcp.language.model import Model

__all__ = ["Checked", "Model", "Problem", "check_blueprint", "read_blueprint"]
