"""Writes the digests of the official files that a benchmark reads and imports: `python -m envscaler_mcp.official.pinning NAME FOLDER`.

For those who add a benchmark or move to another version of one, on a machine where the official files are known to be right.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from envscaler_mcp.official.benchmark import BENCHMARKS
from envscaler_mcp.official.host import OfficialHost
from envscaler_mcp.official.source import Source


class Unpinned(Source):
    """Files that are taken as they are."""

    @cached_property
    def digests(self) -> dict[str, str]:
        """Of those that were read so far."""
        return {}

    def read(self, path: str) -> bytes:
        """The content of a file, whatever it is."""
        content = self._file(path).read_bytes()
        self.digests[path] = sha256(content).hexdigest()
        return content


def taken(name: str, folder: Path) -> dict[str, str]:
    """The digest of every file that is read and imported when everything is loaded once."""
    benchmark = BENCHMARKS[name]
    source = Unpinned(benchmark.requirement, (folder.resolve(),))
    benchmark.tasks(source)
    with OfficialHost.of(replace(benchmark.hosted(source), pins=None)) as host:
        return dict(sorted({**source.digests, **host.loaded}.items()))


def main(name: str, folder: str) -> None:
    """Load everything once, without digests, and write down what was loaded."""
    digests = taken(name, Path(folder))
    package, _, file = BENCHMARKS[name].requirement.pins.partition(":")
    target = Path(str(files(package).joinpath(file)))
    target.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(digests)} files are in {target}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
