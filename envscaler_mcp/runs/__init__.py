"""Run time: sessions for whoever wants to hold one, and runs of many episodes, planned, played, judged and kept."""

from envscaler_mcp.config.run import RunConfig
from envscaler_mcp.runs.models import PricedEndpoint, open_voices
from envscaler_mcp.runs.plan import plan_run
from envscaler_mcp.runs.run import ATTEMPTS, run_episodes
from envscaler_mcp.runs.sessions import WorldHome

__all__ = ["ATTEMPTS", "PricedEndpoint", "RunConfig", "WorldHome", "open_voices", "plan_run", "run_episodes"]
