"""Environments and benchmarks have a door each; who comes to the wrong one is told of the other."""

from __future__ import annotations

from contextlib import suppress

from envscaler_mcp.errors import EnvScalerError, RunError, WorldError
from envscaler_mcp.settings import Settings


def refuse_benchmark(name: str) -> None:
    """Raise where this is the name of a benchmark, whose tasks no gym opens."""
    from envscaler_mcp.official.benchmark import BENCHMARKS

    if name in BENCHMARKS:
        raise WorldError(
            f"{name!r} is a benchmark of other authors and no environment: its users, endings and verdicts are theirs. "
            f"rl.benchmark({name!r}) opens its tasks, with url= and token= at a farm."
        )


def refuse_environment(name: str) -> None:
    """Raise where this is the name of an environment of this home, which is no benchmark."""
    from envscaler_mcp.home import read_home

    known: set[str] = set()
    with suppress(EnvScalerError, OSError):
        known = {entry.id for entry in read_home(Settings.read()).registry.entries}
    if name in known:
        raise RunError(
            f"{name!r} is an environment and no benchmark of other authors: rl.local().open(environment={name!r}) opens its "
            "tasks in this process, and rl.connect(URL) those at a farm."
        )
