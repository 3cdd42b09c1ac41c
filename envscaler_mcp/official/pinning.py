"""Writes the digests of the official files that a benchmark reads and imports: `python -m envscaler_mcp.official.pinning NAME FOLDER`.

For whoever adds a benchmark or moves to another version of one, on a machine where the official files are known to be right.
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from envscaler_mcp.official.benchmark import BENCHMARKS
from envscaler_mcp.official.host import HostedCode, OfficialHost
from envscaler_mcp.official.source import Source


class Unpinned(Source):
    """Files that are taken as they are."""

    read_files: dict[str, str]

    @property
    def digests(self) -> dict[str, str]:
        return self.read_files

    def read(self, path: str) -> bytes:
        content = self._file(path).read_bytes()
        self.read_files[path] = sha256(content).hexdigest()
        return content


def main(name: str, folder: str) -> None:
    """Load everything once, without digests, and write down what was loaded."""
    benchmark = BENCHMARKS[name]
    source = Unpinned(benchmark.requirement, (Path(folder).resolve(),))
    object.__setattr__(source, "read_files", {})
    benchmark.tasks(source)
    hosted = benchmark.hosted(source)
    taken = HostedCode(hosted.adapter, hosted.packages, hosted.roots, None, hosted.stubs, hosted.variables)
    with OfficialHost.of(taken) as host:
        pinned = {**source.read_files, **host.loaded}
    package, _, file = benchmark.requirement.pins.partition(":")
    target = Path(str(files(package).joinpath(file)))
    target.write_text(json.dumps(dict(sorted(pinned.items())), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(pinned)} files are in {target}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
