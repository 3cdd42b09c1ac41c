"""Steps a second through the real classes of trainers at one farm, with the reward of each task, beside OpenEnv's echo server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.farm import farm_program
from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import places
from benchmarks.trainers.packages import TRAINERS, NotInstalledError, python_of
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.serving.tasks import load_scenarios

HERE = Path(__file__).parent
WORLDS = 5


def measure(scale: Scale) -> list[Figure]:
    """The solutions of ten tasks through each; trainers that cannot be installed here are left out."""
    with tempfile.TemporaryDirectory() as folder, farm_program("--isolation", "local", "--control", "0") as farm:
        tasks = Path(folder) / "tasks.json"
        tasks.write_text(json.dumps(_tasks()))
        token = token_for(farm.secret, "control", 3_600)
        figures, echo = [], None
        for trainer in TRAINERS:
            try:
                python = python_of(trainer)
            except NotInstalledError as cause:
                print(cause, file=sys.stderr)
                continue
            variables = {"ENVSCALER_FARM_TOKEN": token, "PYTHONPATH": trainer.path}
            words = [str(trainer.program), f"http://127.0.0.1:{farm.client.address}", str(tasks)]
            told = [_run(python, words, variables) for _ in range(scale.rounds)]
            if trainer.name == "openenv":
                with _echo_server(python) as url:
                    words = [str(HERE / "openenv_echo_program.py"), url, str(scale.calls)]
                    one_by_one = [
                        str(trainer.program),
                        f"http://127.0.0.1:{farm.client.address}",
                        str(tasks),
                        str(scale.calls),
                    ]
                    calls = max(_rate(_run(python, one_by_one, variables)) for _ in range(scale.rounds))
                    echo = Peer(
                        "OpenEnv's echo server", max(_rate(_run(python, words, {})) for _ in range(scale.rounds))
                    )
                figures.append(Figure("calls that read, through OpenEnv's client", calls, "/s", echo))
            solved = min(min(turn["solved"]) for turn in told)
            idle = max(max(turn["idle"]) for turn in told)
            figures += [
                Figure(f"steps of {trainer.name}", max(map(_rate, told)), "/s", echo),
                Figure(f"least reward of a solution, {trainer.name}", solved, "", budget=Budget("at least", 0.999999)),
                Figure(f"most reward of doing nothing, {trainer.name}", idle, "", budget=Budget("at most", 0.0)),
            ]
        return figures


def _tasks() -> list[dict[str, Any]]:
    return [
        {
            "environment": place.folder.name,
            "id": scenario.id,
            "oracle": [{"tool": call.tool, "arguments": dict(call.arguments)} for call in scenario.oracle],
        }
        for place in places(WORLDS)
        for scenario in load_scenarios(place.folder)[:2]
    ]


def _run(python: Path, words: list[str], variables: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [str(python), *words], check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables}
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _rate(told: dict[str, Any]) -> float:
    return float(told["steps"]) / float(told["seconds"])


@contextmanager
def _echo_server(python: Path) -> Iterator[str]:
    words = [str(python), str(HERE.parent / "peers" / "openenv_echo.py")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


BENCHMARK = Benchmark("trainers", "real classes of trainers at a farm", measure)
