"""Records the runs anew: each is synthesized against an endpoint at which its author answers. Type: make recordings."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import anyio

from tests.llm.endpoint import scripted_endpoint
from tests.llm.speaking import speaking
from tests.recordings.runs import RUNS, Run, surroundings


async def record(run: Run) -> int:
    """The exit code of the run; what was recorded before is gone."""
    tape = run.folder / "tape"
    shutil.rmtree(tape, ignore_errors=True)
    with tempfile.TemporaryDirectory() as home:
        async with scripted_endpoint(speaking(run.author(), measured=True)) as place:
            done = await anyio.run_process(
                run.command(Path(home), "--record", str(tape)), env=surroundings(place.url), check=False
            )
    sys.stdout.write(f"{run.name}: exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}\n")
    return done.returncode


def main() -> int:
    """Every run, or those that are named."""
    wanted = [run for run in RUNS if run.name in sys.argv[1:] or not sys.argv[1:]]
    return max(anyio.run(record, run) for run in wanted)


if __name__ == "__main__":
    sys.exit(main())
