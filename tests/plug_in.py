"""A package as pip would leave it on the path: one module, and entry points in its dist-info."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from envscaler_mcp.plugins import PlugIns


def install(site: Path, module: str, source: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """Put module and metadata into a folder that is, or will be, on the path."""
    site.mkdir(parents=True, exist_ok=True)
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    about = site / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in members.items())])
        for group, members in entry_points.items()
    ]
    (about / "entry_points.txt").write_text("\n\n".join(groups) + "\n", encoding="utf-8")


@contextmanager
def read_anew(plugins: PlugIns[Any]) -> Iterator[None]:
    """For the block the group has what is on the path now, and after it what was there before."""
    former = dict(vars(plugins))
    vars(plugins).pop("_installed", None)
    plugins._loaded = dict(plugins._loaded)
    try:
        yield
    finally:
        vars(plugins).clear()
        vars(plugins).update(former)
