"""What installed packages add, by entry points: each group maps a name to a callable, which is imported when it is asked for.

The package's own importers, formats and engines are registered in the same way, in pyproject.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from envscaler_mcp.errors import EnvScalerError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Plugin = Callable[..., Any]
Group = Literal[
    "envscaler.importers",
    "envscaler.exports",
    "envscaler.models",
    "envscaler.statistics",
    "envscaler.benchmarks",
    "envscaler.isolators",
    "envscaler.engines",
]


class PluginError(EnvScalerError):
    """A plug-in cannot be loaded; the message names the package that registered it."""


def entry_points_of(group: Group) -> Mapping[str, Plugin]:
    """The plug-ins of a group by name. Nothing is read before the first look-up, and each is imported when its name is looked up."""
    return _Plugins(group)


class _Plugins(Mapping[str, Plugin]):
    def __init__(self, group: Group) -> None:
        self._group = group
        self._loaded: dict[str, Plugin] = {}

    def __getitem__(self, name: str) -> Plugin:
        if name not in self._loaded:
            self._loaded[name] = _load(self._group, name, self._registered[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        # Mapping would load the plug-in to find out.
        return name in self._registered

    def __iter__(self) -> Iterator[str]:
        return iter(self._registered)

    def __len__(self) -> int:
        return len(self._registered)

    @cached_property
    def _registered(self) -> dict[str, list[EntryPoint]]:
        # importlib.metadata takes longer to import than most commands take to run.
        from importlib.metadata import entry_points

        registered: dict[str, list[EntryPoint]] = {}
        for point in sorted(entry_points(group=self._group), key=lambda point: point.name):
            registered.setdefault(point.name, []).append(point)
        return registered


def _load(group: Group, name: str, points: list[EntryPoint]) -> Plugin:
    point = points[0]
    if len({each.value for each in points}) > 1:
        packages = " and ".join(sorted({_package(each) for each in points}))
        raise PluginError(f"The name {name!r} in {group} is registered by {packages}; uninstall one of them.")
    try:
        plugin = point.load()
    except Exception as cause:  # a plug-in's module may raise anything
        reason = f"{type(cause).__name__}: {cause}"
        raise PluginError(
            f"{name!r} in {group} ({point.value} of {_package(point)}) cannot be imported: {reason}"
        ) from cause
    if not callable(plugin):
        raise PluginError(
            f"{name!r} in {group} ({point.value} of {_package(point)}) is not callable; it must name a function or a class."
        )
    checked: Plugin = plugin
    return checked


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
