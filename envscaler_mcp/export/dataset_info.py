"""LLaMA-Factory's list of data sets, `dataset_info.json`, which lies beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.errors import ArtifactError, ExportError

NAME = "dataset_info.json"


@contextmanager
def enlisted(path: Path, formatting: str, columns: Mapping[str, str]) -> Iterator[None]:
    """The file that the block writes is listed under its name without its ending; what else is in the list stays.

    A list that cannot be read is told before anything is written.
    """
    listed = path.with_name(NAME)
    known = _read(listed) if has_member(path.parent, NAME) else {}
    before = known.pop(path.stem, None)
    yield
    if path.is_file():
        known[path.stem] = {"file_name": path.name, "formatting": formatting, "columns": dict(columns)}
    if path.is_file() or before is not None:
        write_text(listed, json.dumps(known, ensure_ascii=False, indent=2) + "\n")


def _read(listed: Path) -> dict[str, Any]:
    try:
        known = json.loads(read_member_text(listed.parent, listed.name))
    except (ArtifactError, ValueError, RecursionError) as cause:
        raise ExportError(f"{listed} cannot be read: {cause}; mend it, or write to another folder.") from cause
    if not isinstance(known, dict):
        raise ExportError(f"{listed} is no list of data sets; mend it, or write to another folder.")
    return known
