"""Tasks for SkyRL (skyrl-gym 0.4 or newer): the environment that rows of `export --format skyrl` name, `envscaler`.

from envscaler_mcp.rl.skyrl import register

register(url="http://127.0.0.1:8766", token=…)  # in the program that SkyRL starts, before its trainer

`envscaler farm --control 8766` listens there. Without a farm worlds are opened in the process that generates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput, ConversationType

from envscaler_mcp.errors import RunError
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.opened import shared_gym
from envscaler_mcp.rl.options import Choices
from envscaler_mcp.rl.text_env import move_of_text, observed_text

NAME = "envscaler"


class SkyRLEnv(BaseTextEnv):  # type: ignore[misc] # skyrl-gym is not installed where types are checked
    """One rollout. Calls are written between tags, as the prompt of the row says; rewards come with the last step.

    An episode that fails through no fault of the policy has the reward 0 and `masked` in its metadata and its metrics:
    SkyRL has no way to leave one out.
    """

    def __init__(
        self,
        env_config: Any = None,  # noqa: ARG002 - SkyRL has a place in its configuration for its own environments only
        extras: Mapping[str, Any] | None = None,
        *,
        url: str | None = None,
        token: str | None = None,
        home: str | None = None,
        tasks: str | None = None,
        step_rewards: bool = False,
    ) -> None:
        super().__init__()
        row = dict((extras or {}).get("extra_info") or {})
        if "scenario" not in row:
            raise RunError(
                "A row for SkyRL has extra_info with a scenario; `envscaler export --format skyrl` writes them."
            )
        self._gym = shared_gym(url, token, home, tasks)
        self._row = row
        self._step_rewards = step_rewards
        turns = (extras or {}).get("max_turns")
        self.max_turns = int(turns) if turns else 1
        self._options: Choices = {}
        if turns:
            self._options["max_steps"] = self.max_turns
        if row.get("mode") == "conversation":
            self._options["mode"], self._options["user"] = "conversation", str(row.get("user") or "scripted")
        self._episode: Episode | None = None
        self._rewarded = 0.0
        self._masked = False

    def init(self, prompt: ConversationType) -> tuple[ConversationType, dict[str, Any]]:
        """The row's own prompt, whose system message holds the tools."""
        self.close()
        self._episode = self._gym.open(self._row["scenario"], environment=self._row["environment"], **self._options)
        return prompt, {"scenario": self._row["scenario"]}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """What came of what the policy wrote."""
        episode = self._episode
        if episode is None:
            raise RunError("No task was begun: `init` comes first.")
        self.turns += 1
        move = move_of_text(action)
        observation = episode.act(move)
        total = self._rewarded
        if episode.done:
            verdict = episode.verify()
            self._masked, total = verdict.masked, verdict.reward
        elif self._step_rewards:
            total = episode.progress()
        reward, self._rewarded = total - self._rewarded, total
        answers = [] if episode.done else [{"role": "user", "content": observed_text(move, observation)}]
        return BaseTextEnvStepOutput(
            observations=answers,
            reward=reward,
            done=episode.done,
            metadata={"masked": self._masked, "refused": observation.refused, "truncated": episode.truncated},
            postprocessed_action=None,
        )

    def get_metrics(self) -> dict[str, Any]:
        """Of the episode."""
        return {"reward": self._rewarded, "masked": float(self._masked), "turns": self.turns}

    def close(self) -> None:
        """End its world."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def register(
    *,
    url: str | None = None,
    token: str | None = None,
    home: str | None = None,
    tasks: str | None = None,
    step_rewards: bool = False,
) -> None:
    """Name it among skyrl-gym's environments. `tasks` is a file of fresh tasks where the rows are of such; with `step_rewards` each turn is given what it added to the reward."""
    import skyrl_gym

    options = {"url": url, "token": token, "home": home, "tasks": tasks, "step_rewards": step_rewards}
    skyrl_gym.register(id=NAME, entry_point=f"{__name__}:SkyRLEnv", kwargs=options)
