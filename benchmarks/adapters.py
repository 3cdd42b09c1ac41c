"""What each trainer's adapter adds to a step: the stored solution played through it, beside the gym's own episode."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import ROOT
from benchmarks.timing import by_turns
from envscaler_mcp import rl
from envscaler_mcp.artifacts.episode import COMPLETED
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.rl.gem import GemEnv
from envscaler_mcp.rl.gymnasium import GymnasiumEnv
from envscaler_mcp.rl.roll import EnvScalerConvRLEnv, EnvScalerNonConvRLEnv
from envscaler_mcp.rl.text_env import call_text
from envscaler_mcp.rl.trl import tool_class

TALK = "ROLL, a conversation"
PEERS: dict[Mode, str] = {"task": "an episode of the gym", "conversation": "a conversation of the gym"}
ENVIRONMENT, TASK = "hospital_stays", "hospital_stays-easy-01"
_CALLS_OF_A_ROLLOUT = 20
"""What a rollout takes beside a call, about."""

Rollout = Callable[[], int]
"""Plays the solution of the task from its reset to its reward, and says how many steps that took."""


def measure(scale: Scale) -> list[Figure]:
    """Steps a second of whole rollouts, by turns."""
    with rl.local(ROOT) as gym:
        sides: dict[str, Rollout] = {mode: partial(_episode, gym, mode) for mode in PEERS}
        sides |= {name: make(gym) for name, make in ADAPTERS.items()}
        times = max(1, scale.calls // _CALLS_OF_A_ROLLOUT)
        speeds = by_turns({name: partial(_steps_a_second, side, times) for name, side in sides.items()}, scale.rounds)
    return [_figure(name, speeds) for name in ADAPTERS]


def _figure(name: str, speeds: Mapping[str, float]) -> Figure:
    mode: Mode = "conversation" if name == TALK else "task"
    peer, budget = Peer(PEERS[mode], speeds[mode]), Budget("at least", speeds[mode] / 2)
    return Figure(f"{name}: steps of rollouts", speeds[name], "1/s", peer, budget)


def _steps_a_second(rollout: Rollout, times: int) -> float:
    start = time.perf_counter()
    steps = sum(rollout() for _ in range(times))
    return steps / (time.perf_counter() - start)


def _episode(gym: rl.Gym, mode: Mode) -> int:
    with gym.open(TASK, mode=mode) as episode:
        for call in episode.scenario.oracle:
            episode.call(call.tool, call.arguments)
        episode.say(COMPLETED)
        return _solved(episode.verify().reward, episode.steps)


def _trl(gym: rl.Gym) -> Rollout:
    instance = tool_class(gym, ENVIRONMENT)()
    oracle = gym.find(TASK).oracle

    def rollout() -> int:
        instance.reset(scenario=TASK)
        for call in oracle:
            getattr(instance, call.tool)(**call.arguments)
        return _solved(instance.get_reward(), len(oracle))

    return rollout


def _of_text(env: Any, reset: Callable[[Any], Any], oracle_of: rl.Gym) -> Rollout:
    written = [call_text(call.tool, call.arguments) for call in oracle_of.find(TASK).oracle] + [COMPLETED]

    def rollout() -> int:
        reset(env)
        return _solved(sum(env.step(text)[1] for text in written), len(written))

    return rollout


def _named(env: Any) -> Any:
    return env.reset(task=TASK)


def _solved(reward: float | None, steps: int) -> int:
    if reward != 1.0:
        raise AssertionError(f"the solution earned {reward}")
    return steps


ADAPTERS: dict[str, Callable[[rl.Gym], Rollout]] = {
    "TRL": _trl,
    "Gymnasium": lambda gym: _of_text(GymnasiumEnv(gym=gym), lambda env: env.reset(options={"task": TASK}), gym),
    "GEM": lambda gym: _of_text(GemEnv(gym=gym), _named, gym),
    "ROLL, a task": lambda gym: _of_text(EnvScalerNonConvRLEnv("train", home=str(ROOT)), _named, gym),
    TALK: lambda gym: _of_text(EnvScalerConvRLEnv("train", home=str(ROOT)), _named, gym),
}

BENCHMARK = Benchmark("adapters", "what adapters of trainers add to a step", measure)
