"""Tasks as environments of GEM (`gem-llm` 0.1), which is imported when `register_gem` is called.

import gem
from envscaler_mcp.rl.gem import register_gem

register_gem()
env = gem.make("envscaler:task", environments=["hospital_stays"], level="easy")
observation, info = env.reset(seed=1)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from envscaler_mcp.errors import extra
from envscaler_mcp.rl.options import names_of
from envscaler_mcp.rl.text_env import TextEnv

KINDS = {"envscaler:task": "task", "envscaler:conversation": "conversation"}


class GemEnv(TextEnv):
    """`TextEnv` with what GEM's wrappers and vectors ask for besides."""

    env_id: str | None = None
    entry_point: Any = None

    @property
    def unwrapped(self) -> Self:
        """Itself: nothing is wrapped."""
        return self

    def spawn(self, same_state: bool = False, **changes: Any) -> Self:
        """A second one of the same configuration; with `same_state` it goes on from here, in a world of its own."""
        other = super().spawn(same_state, **changes)
        other.env_id, other.entry_point = self.env_id, self.entry_point
        return other


def register_gem(environments: str | Iterable[str] = ()) -> list[str]:
    """Make the ids known to GEM: two for tasks of any environments, and one for each of these."""
    with extra("gem"):
        import gem
        from gem.envs.registration import ENV_REGISTRY

    gem.Env.register(GemEnv)
    ids: dict[str, dict[str, Any]] = {id_: {"mode": mode} for id_, mode in KINDS.items()}
    for name in names_of(environments):
        ids[f"envscaler:{name}"] = {"environments": name}
    for id_, options in ids.items():
        if id_ not in ENV_REGISTRY:
            gem.register(id_, f"{__name__}:GemEnv", **options)
    return list(ids)
