"""Run time: sessions, and runs of many episodes that are planned, played, judged and recorded."""

from envscaler_mcp.config.run import RunConfig
from envscaler_mcp.runs.episode_queue import ATTEMPTS
from envscaler_mcp.runs.models import PricedEndpoint, open_models
from envscaler_mcp.runs.plan import plan_run
from envscaler_mcp.runs.player_processes import PlayerProcesses
from envscaler_mcp.runs.run import run_episodes
from envscaler_mcp.runs.sessions import WorldHome

__all__ = [
    "ATTEMPTS",
    "PlayerProcesses",
    "PricedEndpoint",
    "RunConfig",
    "WorldHome",
    "open_models",
    "plan_run",
    "run_episodes",
]
