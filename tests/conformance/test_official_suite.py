"""The official conformance suite fails where its own fixtures are missing, and nowhere else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from anyio.streams.buffered import BufferedByteReceiveStream

from tests.conformance.programs import HERE, Programs
from tests.conformance.results import Results, SuiteResult
from tests.conformance.served import HOSTS, served_by
from tests.farm.farms import Program

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]

EXPECTED: dict[str, Any] = yaml.safe_load((HERE / "expected.yaml").read_text(encoding="utf-8"))
DOES_NOT_APPLY: dict[str, list[str]] = {
    scenario: checks for group in EXPECTED["does_not_apply"] for scenario, checks in group["fails"].items()
}
NOT_EVEN_WITH_FIXTURES: dict[str, list[str]] = {
    scenario: checks
    for group in EXPECTED["does_not_apply"]
    if group["fixture"] != "passes"
    for scenario, checks in group["fails"].items()
}
SUITES = {
    "conformance-handshake": ("conformance-handshake", ["--suite", "all"]),
    "conformance-modern 2025-11-25": ("conformance-modern", ["--requirements", "2025-11-25"]),
    "conformance-modern 2026-07-28": ("conformance-modern", ["--requirements", "2026-07-28"]),
}


async def run_suite(programs: Programs, name: str, url: str, folder: Path) -> Mapping[str, list[dict[str, Any]]]:
    """Every scenario of a suite with its checks."""
    program, words = SUITES[name]
    command = [*programs.suite(program), "server", "--url", url, *words, "-o", str(folder)]
    done = await anyio.run_process(command, check=False, env=programs.environment(), stderr=subprocess.STDOUT)
    found = written(folder)
    assert len(found) == EXPECTED["scenarios"][name], done.stdout.decode()
    return found


def written(folder: Path) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for path in sorted(folder.glob("server-*/checks.json")):
        scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+", path.parent.name)
        assert scenario is not None, path
        found[scenario[1]] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", SUITES)
async def test_an_environment_passes_every_scenario_that_applies(
    programs: Programs, folder: Path, farm: Program, tmp_path: Path, results: Results, name: str, host: str
) -> None:
    async with served_by(host, folder, farm) as url:
        found = await run_suite(programs, name, url, tmp_path)
    results.add(SuiteResult.of(f"{name}, {host}", found, DOES_NOT_APPLY))
    assert failed(found) == only(found, DOES_NOT_APPLY)


@pytest.mark.parametrize("name", SUITES)
async def test_with_the_fixtures_of_the_suite_on_top_it_passes_everything_that_is_scored(
    programs: Programs, folder: Path, tmp_path: Path, results: Results, name: str
) -> None:
    async with fixture_process(folder) as url:
        found = await run_suite(programs, name, url, tmp_path)
    results.add(SuiteResult.of(f"{name}, with fixtures", found, NOT_EVEN_WITH_FIXTURES))
    assert failed(found) == only(found, NOT_EVEN_WITH_FIXTURES)


@asynccontextmanager
async def fixture_process(folder: Path) -> AsyncIterator[str]:
    command = [sys.executable, str(HERE / "fixture" / "server.py"), str(folder)]
    async with await anyio.open_process(command, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        yield (await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1_000)).decode()
        process.terminate()


def failed(found: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    failures = {
        scenario: sorted(check["id"] for check in checks if check["status"] == "FAILURE")
        for scenario, checks in found.items()
    }
    return {scenario: ids for scenario, ids in failures.items() if ids}


def only(found: Mapping[str, Any], expected: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {scenario: checks for scenario, checks in expected.items() if scenario in found}
