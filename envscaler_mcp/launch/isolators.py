"""Isolation by name: where the code of an environment runs, and what confines it.

An isolator opens worlds. Those of this package are the names of `Isolation`; an installed package adds another one by an
entry point in the group `envscaler.isolators`. A name of this package always means its own isolator, so that no package can
weaken what `auto` or `hard` promise, and another isolator is used only where it is named. No isolator runs the checks of
scenarios: these run in workers of this package.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from envscaler_mcp.plugins import PlugIns
from envscaler_mcp.serving import EnvironmentCode, World, open_unread_world


@runtime_checkable
class Isolator(Protocol):
    """Opens a world of an environment's code at a state, with a seed, and decides what confines the code."""

    def __call__(self, code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World: ...


def here(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World:
    """In this process. `local` is refused before, for code that was not compiled here; `trusted` is not."""
    if not code.trusted:
        sys.stderr.write(f"{code.environment.id}: unread code runs in this process, with everything you may do.\n")
    return open_unread_world(code, state, seed)


def auto(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World:
    """In a worker, with the kernel's layer."""
    return _in_worker(code, state, seed, "auto")


def portable(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World:
    """In a worker, also where the kernel's layer is missing."""
    return _in_worker(code, state, seed, "portable")


def hard(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World:
    """In a worker with every layer, for compiled code too."""
    return _in_worker(code, state, seed, "hard")


def _in_worker(
    code: EnvironmentCode, state: Mapping[str, Any], seed: int, mode: Literal["auto", "portable", "hard"]
) -> World:
    # Imported here: a server of compiled code starts without the sandbox.
    from envscaler_mcp.sandbox.isolation import open_isolated

    return open_isolated(code, state, seed, mode)


_HERE = __name__ + ":"
ISOLATORS = PlugIns(
    "envscaler.isolators",
    Isolator,  # type: ignore[type-abstract]
    {
        "local": f"{_HERE}here",
        "auto": f"{_HERE}auto",
        "portable": f"{_HERE}portable",
        "hard": f"{_HERE}hard",
        "trusted": f"{_HERE}here",
    },
)
"""By name, those of this package first."""
