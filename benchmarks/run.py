"""Measure the budgets: `python benchmarks/run.py [--only NAME] [--json FILE]`; `make bench` runs all of it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks import (
    adapters,
    building,
    calls,
    dialects,
    episodes,
    farm,
    farm_guards,
    growth,
    http_calls,
    imports,
    library,
    memory,
    others,
    rl,
    rules,
    runs,
    stdio_calls,
    studio,
    synthesis,
    trainers,
    verdicts,
    worlds,
)
from benchmarks.figures import FULL, QUICK, TINY, Figure, table

BENCHMARKS = {
    one.BENCHMARK.name: one.BENCHMARK
    for one in (
        worlds,
        verdicts,
        calls,
        dialects,
        growth,
        rules,
        http_calls,
        stdio_calls,
        memory,
        imports,
        building,
        library,
        episodes,
        runs,
        synthesis,
        farm,
        farm_guards,
        studio,
        rl,
        trainers,
        adapters,
        others,
    )
}
SCALES = {"full": FULL, "quick": QUICK, "tiny": TINY}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and write the JSON; 1 where a benchmark fails, or in strict mode a budget does not hold here."""
    options = _parser().parse_args(arguments)
    chosen = [name for name in options.only or BENCHMARKS if name not in options.without]
    figures: dict[str, list[Figure]] = {}
    failed: list[str] = []
    for name in chosen:
        start = time.monotonic()
        try:
            figures[name] = BENCHMARKS[name].measure(SCALES[options.scale])
        except Exception:
            # What the others measure is not lost with it.
            traceback.print_exc()
            failed.append(name)
            continue
        print(f"\n{BENCHMARKS[name].about}, measured in {time.monotonic() - start:.0f} s\n")
        print(table(figures[name]), flush=True)
    every = [figure for found in figures.values() for figure in found]
    missed = [figure.name for figure in every if figure.holds is False]
    print("\nMissed here: " + "; ".join(missed) + "." if missed else "\nEvery budget holds here.")
    if options.json:
        options.json.write_text(_document(figures, options.scale), encoding="utf-8")
    if failed:
        print(f"Failed here: {', '.join(failed)}.", file=sys.stderr)
    return int(bool(failed) or (bool(missed) and options.strict))


def _document(figures: dict[str, list[Figure]], scale: str) -> str:
    about = {
        "scale": scale,
        "python": platform.python_version(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    measured = {name: [figure.as_json() for figure in found] for name, found in figures.items()}
    return json.dumps({"about": about, "figures": measured}, ensure_ascii=False, indent=1) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("--only", action="append", choices=sorted(BENCHMARKS), help="this one; may be given again")
    parser.add_argument(
        "--without",
        action="append",
        choices=sorted(BENCHMARKS),
        default=[],
        help="all but this one; may be given again",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument(
        "--scale", choices=SCALES, default="full", help="tiny only shows that everything runs; full is for figures"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a budget does not hold")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
