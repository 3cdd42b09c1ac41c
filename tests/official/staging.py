"""The till's benchmark, registered as the benchmark of an installed package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from envscaler_mcp.official.benchmark import BENCHMARKS
from tests.plug_in import install, read_anew

FILES = Path(__file__).parent / "till" / "files"
SOURCE = "from tests.official.till.benchmark import TALK, TILL\n"


@contextmanager
def registered(site: Path) -> Iterator[pytest.MonkeyPatch]:
    """For the block there are the benchmarks `till` and `till-talk`, and a variable says where their files are."""
    install(
        site,
        "till_plug_in",
        SOURCE,
        {"envscaler.benchmarks": {"till": "till_plug_in:TILL", "till-talk": "till_plug_in:TALK"}},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setenv("ENVSCALER_BENCH_TILL", str(FILES))
        with read_anew(BENCHMARKS):
            yield patch


def copied(folder: Path) -> Path:
    """A copy of the official files that a test may change."""
    return Path(shutil.copytree(FILES, folder / "copy"))
