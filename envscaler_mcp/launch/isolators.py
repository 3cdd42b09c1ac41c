"""Isolation by name: where the code of an environment runs, and what confines it.

An isolator opens worlds. Those of this package are the names of `Isolation`; an installed package adds another one by an
entry point in the group `envscaler.isolators`. A name of this package always means its own isolator, so that no package can
weaken what `auto` or `hard` promise, and another isolator is used only where it is named. No isolator runs the checks of
scenarios: these run in workers of this package.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Literal, Protocol

from envscaler_mcp.plugins import entry_points_of
from envscaler_mcp.serving import EnvironmentCode, World, open_world


class Isolator(Protocol):
    """Opens a world of an environment's code at a state, with a seed, and decides what confines the code."""

    def __call__(self, code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World: ...


def find_isolator(name: str) -> Isolator | None:
    """The isolator of that name. What an installed package registers is imported here, and PluginError says why it cannot be."""
    # First, so that a package cannot take these names.
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    installed = entry_points_of("envscaler.isolators")
    return installed.get(name)


def isolators() -> list[str]:
    """The names of all isolators, those of this package first."""
    return [*_BUILT_IN, *(name for name in entry_points_of("envscaler.isolators") if name not in _BUILT_IN)]


def _here(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World:
    if not code.trusted:
        sys.stderr.write(f"{code.environment.id}: unread code runs in this process, with everything you may do.\n")
    return open_world(code, state, seed)


def _in_worker(mode: Literal["auto", "portable", "hard"]) -> Isolator:
    def open_in_worker(code: EnvironmentCode, state: Mapping[str, Any], seed: int) -> World:
        # Imported here: a server of compiled code starts without the sandbox.
        from envscaler_mcp.sandbox.isolation import open_isolated

        return open_isolated(code, state, seed, mode)

    return open_in_worker


_BUILT_IN: dict[str, Isolator] = {
    "local": _here,
    "auto": _in_worker("auto"),
    "portable": _in_worker("portable"),
    "hard": _in_worker("hard"),
    "trusted": _here,
}
"""`local` and `trusted` differ before a world is opened: `local` is refused for code that was not compiled here."""
