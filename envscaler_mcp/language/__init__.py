"""The blueprint language: reading files, checking types, and a small reference interpreter."""

from envscaler_mcp.language.check import CheckedBlueprint, Problem, check_blueprint
from envscaler_mcp.language.document import read_blueprint
from envscaler_mcp.language.model import Model

__all__ = ["CheckedBlueprint", "Model", "Problem", "check_blueprint", "read_blueprint"]
