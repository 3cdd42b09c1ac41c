"""What the package and its plug-ins offer by name: each group is a group of entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint
from typing import Generic, TypeVar

from envscaler_mcp.errors import PlugInError

T = TypeVar("T")


class PlugIns(Mapping[str, T], Generic[T]):
    """The members of a group, each imported when it is asked for.

    Built-in members are declared as a package declares its own: by name, `module:attribute`. They come first, and no
    plug-in takes their names. Entry points of other packages are read when a name is not built in, or all are listed.
    """

    def __init__(self, group: str, kind: type[T], built_in: Mapping[str, str]) -> None:
        self.group = group
        self._kind = kind
        self.built_in = {name: EntryPoint(name, value, group) for name, value in built_in.items()}
        self._loaded: dict[str, T] = {}

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        # Reads a file of every installed package.
        from importlib.metadata import entry_points

        installed: dict[str, EntryPoint] = {}
        for entry in sorted(entry_points(group=self.group), key=lambda entry: (entry.name, entry.value)):
            other = installed.setdefault(entry.name, entry)
            if other.value != entry.value:
                raise PlugInError(
                    f"{entry.name!r} in {self.group} is registered by {_package(other)} and {_package(entry)}; "
                    "uninstall one of them."
                )
        return {name: entry for name, entry in installed.items() if name not in self.built_in}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            entry = self.built_in.get(name) or self._installed[name]
            try:
                member = entry.load()
            except Exception as cause:
                reason = f"{type(cause).__name__}: {cause}"
                raise PlugInError(f"{self._named(entry)} cannot be imported: {reason}") from cause
            if not isinstance(member, self._kind):
                raise PlugInError(f"{self._named(entry)} is a {type(member).__name__}, not a {self._kind.__name__}.")
            self._loaded[name] = member
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._installed

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self._installed

    def __len__(self) -> int:
        return len(self.built_in) + len(self._installed)

    def _named(self, entry: EntryPoint) -> str:
        return f"{entry.name!r} in {self.group} ({entry.value} of {_package(entry)})"


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "envscaler-mcp"
