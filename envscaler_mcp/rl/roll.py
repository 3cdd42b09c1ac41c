"""The two environments of the EnvScaler paper for ROLL, by their names, over the worlds of a home.

In `roll/pipeline/agentic/env/__init__.py` the two registrations become

from envscaler_mcp.rl.roll import register_roll
register_roll()

and the paper's YAML and its `TrajEnvManager` stay as they are. GEM is imported when `register_roll` is called.
"""

from __future__ import annotations

from typing import Any

from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.config.choices import Split
from envscaler_mcp.episode.agent import Action, Observation
from envscaler_mcp.errors import RunError, extra
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.gem import GemEnv
from envscaler_mcp.rl.options import Choices
from envscaler_mcp.rl.text_env import Masked

SPLITS: dict[str, Split] = {"train": "train", "val": "validation", "validation": "validation", "test": "held_out"}
"""The tasks of each `mode`."""
IDS = {"envscaler_non_conv_env": "EnvScalerNonConvRLEnv", "envscaler_conv_env": "EnvScalerConvRLEnv"}
"""The ids that the paper's YAML names."""


class _PaperEnv(GemEnv):
    """Observations and infos as the paper's `TrajEnvManager` reads them, which looks at `terminated` alone."""

    env_name: str
    played: Mode

    def __init__(
        self,
        mode: str,
        env_items_path: str | None = None,
        task_items_path: str | None = None,
        *,
        home: str | None = None,
        environments: list[str] | None = None,
        masked: Masked = "zero",
        seed: int = 0,
        user: str = "scripted",
        max_steps: int | None = 40,
    ) -> None:
        if env_items_path or task_items_path:
            raise RunError(
                f"{env_items_path or task_items_path!r} is a file of the paper. Import it once: `envscaler --home HOME import "
                "envscaler --environments ENV_ITEMS --scenarios TASK_ITEMS --faithful`, and give home=HOME."
            )
        if mode not in SPLITS:
            raise RunError(f"mode is {mode!r}; it may be {', '.join(map(repr, SPLITS))}.")
        options: Choices = {"mode": self.played, "seed": seed, "user": user, "max_steps": max_steps}
        super().__init__(home=home, environments=environments, split=SPLITS[mode], masked=masked, **options)
        self._config = {"home": home, "environments": environments, "masked": masked, "seed": seed}
        self._config |= {"mode": mode, "user": user, "max_steps": max_steps}

    def _first(self, episode: Episode) -> tuple[Any, dict[str, Any]]:
        user = episode.messages[1]["content"]
        info = {"env_name": self.env_name, "env_introduction": episode.introduction, "tools": episode.tools}
        return {"type": "user", "content": user}, {**info, "task": {"task_id": episode.scenario.id, "task": user}}

    def _observed(self, action: Action, observation: Observation) -> Any:
        return {"type": "user" if action.tool is None else "tool", "content": str(observation)}

    def _moved(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = super()._moved(action)
        return observation, reward, terminated or truncated, truncated, info


class EnvScalerNonConvRLEnv(_PaperEnv):
    """The whole task is told at once, and the policy ends it by `Task Completed`."""

    env_name = "envscaler_non_conversation_rl"
    played: Mode = "task"


class EnvScalerConvRLEnv(_PaperEnv):
    """A user tells the task bit by bit: a model as the paper has it, or the script where no model is named."""

    env_name = "envscaler_conversation_rl"
    played: Mode = "conversation"

    def __init__(
        self,
        mode: str,
        user_model: str | None = None,
        provider: str = "openai",
        env_items_path: str | None = None,
        task_items_path: str | None = None,
        **options: Any,
    ) -> None:
        if user_model is not None:
            if provider != "openai":
                raise RunError(f"provider is {provider!r}; any endpoint that speaks chat completions is 'openai'.")
            options["user"] = f"openai:{user_model}"
        super().__init__(mode, env_items_path, task_items_path, **options)
        self._config.pop("user", None)
        self._config |= {"user_model": user_model, "provider": provider}


def register_roll() -> list[str]:
    """Make the paper's two ids known to GEM."""
    with extra("gem"):
        import gem
        from gem.envs.registration import ENV_REGISTRY

    gem.Env.register(GemEnv)
    for id_, name in IDS.items():
        if id_ not in ENV_REGISTRY:
            gem.register(id_, f"{__name__}:{name}")
    return list(IDS)
