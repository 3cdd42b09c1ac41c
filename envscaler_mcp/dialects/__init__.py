"""Dialects: the same world behind unlike interfaces. The world is untouched; what an agent sends and reads is translated."""

from envscaler_mcp.dialects.axes import MOST_NUMBERS, Axes, DialectName
from envscaler_mcp.dialects.dialect import Dialect

__all__ = ["MOST_NUMBERS", "Axes", "Dialect", "DialectName"]
