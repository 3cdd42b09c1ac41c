"""Disturbances: what goes wrong between an agent and its world, such as timeouts and misleading tools. The world is untouched."""

from envscaler_mcp.disturbances.disturbed import Disturbable, Disturbed
from envscaler_mcp.disturbances.kinds import Disturbances, read_disturbances
from envscaler_mcp.disturbances.native import NativeInterface
from envscaler_mcp.disturbances.requests import asked_otherwise
from envscaler_mcp.disturbances.resending import sent_again

__all__ = [
    "Disturbable",
    "Disturbances",
    "Disturbed",
    "NativeInterface",
    "asked_otherwise",
    "read_disturbances",
    "sent_again",
]
