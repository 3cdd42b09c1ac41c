"""Tasks for ms-swift's GYM scheduler (4.6 or newer): an environment called `envscaler`.

    swift rlhf --rlhf_type grpo --external_plugins envscaler_mcp/rl/ms_swift.py --multi_turn_scheduler gym_scheduler …

A row has `env_config`: `{"name": "envscaler", "environment": …, "scenario": …}`, for a farm its `url` and `token`, and for a
fresh task `tasks`, the file that it lies in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from swift.rollout.gym_env import Env, envs

from envscaler_mcp.errors import RunError
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.opened import shared_gym
from envscaler_mcp.rl.text_env import move_of_text, observed_text, written_prompts

NAME = "envscaler"


class MsSwiftEnv(Env):  # type: ignore[misc] # ms-swift has no types here
    """One rollout. Calls are written between tags, as the system's message says; the reward comes with the last step."""

    def __init__(self, env_config: Mapping[str, Any]) -> None:
        super().__init__(env_config)
        self._gym = shared_gym(*map(env_config.get, ("url", "token", "home", "tasks")))
        self._episode: Episode | None = None

    async def reset(self, config: Any) -> tuple[str, dict[str, Any], str]:  # noqa: ARG002 - the row's env_config names the task
        """The task, and the system's message with the tools in it."""
        await self.close()
        named = self.env_config
        max_steps = named.get("max_steps")
        self._episode = await asyncio.to_thread(
            lambda: self._gym.open(named["scenario"], environment=named["environment"], max_steps=max_steps)
        )
        system, user = written_prompts(self._episode)
        return user, {"scenario": named["scenario"]}, system

    async def step(self, action: list[dict[str, Any]]) -> tuple[str, float, bool, dict[str, Any]]:
        """What came of the last message."""
        episode = self._episode
        if episode is None:
            raise RunError("No task was begun: `reset` comes first.")
        move = move_of_text(str(action[-1]["content"]))
        observation = await asyncio.to_thread(episode.act, move)
        if not episode.done:
            return observed_text(move, observation), 0.0, False, {}
        verdict = await asyncio.to_thread(episode.verify)
        return "", verdict.reward, True, {"masked": verdict.masked, "solved": verdict.solved}

    async def close(self) -> None:
        """End its world."""
        if self._episode is not None:
            episode, self._episode = self._episode, None
            await asyncio.to_thread(episode.close)


envs[NAME] = MsSwiftEnv
