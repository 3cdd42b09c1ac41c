"""A run as a file for a browser: read, looked at, packed and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.scoring.run_folder import read_run
from envscaler_mcp.viewer.packing import pack
from envscaler_mcp.viewer.page import run_page
from envscaler_mcp.viewer.records import by_environment
from envscaler_mcp.viewer.review import Review, Reviewed


def write_page(
    folder: Path, out: Path, review: Review, limit: int | None, progress: Callable[[str, int, int], None]
) -> tuple[int, int]:
    """The page of a run, written whole or not at all; how many episodes it shows, and its bytes."""
    plan, tally, damaged = read_run(folder)
    many = min(limit or len(tally.attempts), len(tally.attempts))

    def reviewed() -> Iterator[Reviewed]:
        for number, place in enumerate(by_environment(folder, limit), 1):
            yield review.of(place.read())
            progress(place.episode, number, many)

    packed = pack(reviewed())
    text = run_page(plan, packed, folder.resolve().name, tally, damaged)
    write_text(out, text)
    return len(packed.rows), len(text.encode())
