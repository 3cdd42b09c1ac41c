"""A server that other people's programs are let loose on, and what its world would answer in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.programs import ROOT, NoProgramsError, Programs, installed
from tests.conformance.results import Results
from tests.conformance.script import Script, script_for
from tests.farm.farms import Program, farm_program

_RESULTS = pytest.StashKey[Results]()


@pytest.fixture(scope="session")
def programs() -> Programs:
    try:
        return installed()
    except NoProgramsError as why:
        pytest.skip(f"Other people's MCP programs cannot be had here: {why}")


@pytest.fixture(scope="session")
def folder() -> Path:
    """A server folder as it ships."""
    return ROOT / "generated_servers" / "hospital_stays"


@pytest.fixture(scope="session")
def script(folder: Path) -> Script:
    return script_for(folder)


@pytest.fixture(scope="session")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The program that serves every environment."""
    with farm_program(tmp_path_factory.mktemp("farm"), processes=2) as program:
        yield program


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    return pytestconfig.stash.setdefault(_RESULTS, Results())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how far the suites went; `make conformance` is run to read it."""
    suites = config.stash.get(_RESULTS, Results()).suites
    if suites:
        terminalreporter.section("official conformance suite")
        for result in suites:
            terminalreporter.line(str(result))
