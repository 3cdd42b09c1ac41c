"""One door for trainers: tasks are opened here or at a farm, played move by move, forked and judged.

from envscaler_mcp import rl

with rl.local() as gym:                                  # or rl.connect(), where `envscaler farm` runs
    with gym.open("hospital_stays-easy-01") as episode:
        episode.messages, episode.tools                  # what a policy is shown
        episode.call("find_patients", {"name": "Osei"})  # the text that the policy is shown next
        episode.verify().reward

`envscaler_mcp.rl.aio` has the same names for `async` programs, `envscaler_mcp.rl.trl` an adapter. No trainer is imported here.
"""

from envscaler_mcp.rl.benchmarks import BenchmarkEpisode, BenchmarkGym, benchmark
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.errors import (
    ClosedError,
    FarmLostError,
    FarmRefusedError,
    MaskedError,
    UsageError,
    WorldLostError,
)
from envscaler_mcp.rl.gym import Gym, TaskWithState, connect, local, read_tasks
from envscaler_mcp.rl.options import EpisodeOptions

__all__ = [
    "BenchmarkEpisode",
    "BenchmarkGym",
    "ClosedError",
    "Episode",
    "EpisodeOptions",
    "FarmLostError",
    "FarmRefusedError",
    "Gym",
    "MaskedError",
    "TaskWithState",
    "UsageError",
    "WorldLostError",
    "benchmark",
    "connect",
    "local",
    "read_tasks",
]
