"""Published scenarios by environment: their file is read once, and may be larger than memory."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from envscaler_mcp.errors import ArtifactError, boundary
from envscaler_mcp.export.items import items
from envscaler_mcp.export.texts import name_in

Placed = tuple[int, Mapping[str, Any]]
"""A published scenario with its place in its file."""


@contextmanager
def waiting_scenarios(paths: Sequence[Path]) -> Iterator[Waiting]:
    """The scenarios of all files, laid down on the disk until they are asked for; their places count through."""
    with tempfile.TemporaryDirectory(prefix="scenarios-") as folder:
        waiting = Waiting(Path(folder))
        every = chain.from_iterable(items(path) for path in paths)
        for place, (_, item) in enumerate(every):
            waiting.put(place, item)
        yield waiting


class Waiting:
    """Scenarios that wait for their environment, one file for each of these."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, Path] = {}

    def put(self, place: int, item: Any) -> None:
        """Lay a scenario down."""
        name = name_in(item, "env_id")
        path = self._files.setdefault(name, self.folder / f"{len(self._files)}.jsonl")
        with boundary(ArtifactError, f"scenario {place + 1} cannot be kept"), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([place, item if isinstance(item, dict) else {}]) + "\n")

    def names(self) -> tuple[str, ...]:
        """The environments of which some wait."""
        return tuple(self._files)

    def of(self, name: str) -> list[Placed]:
        """The scenarios of an environment; they wait no more."""
        path = self._files.pop(name, None)
        if path is None:
            return []
        with boundary(ArtifactError, f"scenarios of {name!r} cannot be kept"):
            return [(place, item) for place, item in map(json.loads, path.read_text(encoding="utf-8").splitlines())]

    def rest(self) -> list[Placed]:
        """Those whose environment never came."""
        return [placed for name in list(self._files) for placed in self.of(name)]
