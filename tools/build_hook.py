"""Puts the worlds and the documentation into a wheel. A checkout that is installed as it lies there has both in folders."""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A build runs this file alone; the folder that it lies in is no package.
pack = runpy.run_path(str(Path(__file__).with_name("pack_worlds.py")))["pack"]


class WorldsInWheel(BuildHookInterface):  # type: ignore[misc]
    """Packs `registry.json`, `generated_servers/` and the pages of `docs/` before a wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the archive and the pages to the files of the wheel."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        # Tests build with 1, which takes a fifth of the time; what is packed is the same.
        preset = int(os.environ.get("WORLDS_PRESET", "6"))  # noqa: TID251
        for file in pack(Path(self.root), Path(self._folder.name), preset):
            build_data["force_include"][str(file)] = f"envscaler_mcp/library/{file.name}"
        for page in sorted((Path(self.root) / "docs").glob("*.md")):
            build_data["force_include"][str(page)] = f"envscaler_mcp/documentation/{page.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was packed."""
        if version != "editable":
            self._folder.cleanup()
