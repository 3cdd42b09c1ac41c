"""Run time: sessions for whoever wants to hold one, and runs of many episodes, planned, played, judged and kept."""

from envscaler_mcp.farm.plan import RunConfig, plan_run
from envscaler_mcp.farm.run import ATTEMPTS, run_episodes
from envscaler_mcp.farm.sessions import Farm

__all__ = ["ATTEMPTS", "Farm", "RunConfig", "plan_run", "run_episodes"]
