"""Tasks as environments of Gymnasium (1.0 or newer), with texts as actions and observations.

import gymnasium
from envscaler_mcp.rl.gymnasium import register_gymnasium

register_gymnasium(["hospital_stays"])
env = gymnasium.make("envscaler/hospital_stays-v0", level="easy")
observation, info = env.reset(seed=1)

Gymnasium is imported when `register_gymnasium` is called, or `GymnasiumEnv` is asked for.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from envscaler_mcp.errors import extra
from envscaler_mcp.rl.errors import UsageError
from envscaler_mcp.rl.options import names_of
from envscaler_mcp.rl.text_env import TextEnv

MAX_OBSERVATION = 1 << 22
MAX_ACTION = 1 << 18
"""Characters that the spaces admit."""
ENTRY_POINT = f"{__name__}:GymnasiumEnv"
KINDS = {"envscaler/Task-v0": "task", "envscaler/Conversation-v0": "conversation"}
"""The ids for tasks of any environments, and how they are played."""

if TYPE_CHECKING:
    GymnasiumEnv: type[TextEnv]
    """What `gymnasium.make` makes; it takes what `TextEnv` takes."""


def register_gymnasium(environments: str | Iterable[str] = ()) -> list[str]:
    """Make the ids known to Gymnasium: two for tasks of any environments, and one for each of these."""
    with extra("gymnasium"):
        import gymnasium

    ids: dict[str, dict[str, Any]] = {id_: {"mode": mode} for id_, mode in KINDS.items()}
    for name in names_of(environments):
        ids[f"envscaler/{name}-v0"] = {"environments": name}
    for id_, options in ids.items():
        if id_ not in gymnasium.registry:
            gymnasium.register(id_, ENTRY_POINT, kwargs=options, disable_env_checker=True)
    return list(ids)


def _task_of(options: Any) -> Any:
    """The task that the options of a reset name, if they do; UsageError for any other option."""
    if not isinstance(options or {}, Mapping):
        raise UsageError(f"options is {options!r:.80}; it is a dictionary, such as {{'task': ID}}.")
    unknown = [name for name in options or {} if name != "task"]
    if unknown:
        raise UsageError(f"reset knows no option {unknown[0]!r}; there is 'task'.")
    return (options or {}).get("task")


def __getattr__(name: str) -> Any:
    if name == "GymnasiumEnv":
        return _env_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _env_class() -> type[TextEnv]:
    with extra("gymnasium"):
        import gymnasium

    class AnyText(gymnasium.spaces.Text):  # type: ignore[misc]
        """Texts of any characters; samples are of a few printable ones."""

        def __init__(self, max_length: int) -> None:
            super().__init__(max_length, min_length=0, charset=string.printable)

        def contains(self, x: Any) -> bool:
            return isinstance(x, str) and len(x) <= self.max_length

        def sample(self, mask: Any = None, probability: Any = None) -> str:
            if mask is None and probability is None:
                mask = (int(self.np_random.integers(1, 200)), None)
            return str(super().sample(mask, probability))

    class GymnasiumEnv(TextEnv, gymnasium.Env[str, str]):  # type: ignore[misc]
        """`TextEnv` with Gymnasium's spaces and its own chance."""

        metadata: ClassVar[dict[str, Any]] = {"render_modes": []}
        observation_space = AnyText(MAX_OBSERVATION)
        action_space = AnyText(MAX_ACTION)

        def reset(  # type: ignore[override]
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[str, dict[str, Any]]:
            """Begin `options["task"]`, or a task by the chance that `seed` gives."""
            gymnasium.Env.reset(self, seed=seed)
            if seed is not None:
                self._actions.seed(seed)
            task = _task_of(options)
            return self._begin(
                self._chosen(lambda count: int(self.np_random.integers(count))) if task is None else task
            )

    GymnasiumEnv.__module__, GymnasiumEnv.__qualname__ = __name__, "GymnasiumEnv"
    return GymnasiumEnv
