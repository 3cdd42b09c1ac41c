"""Statistics of other packages, by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app
from envscaler_mcp.stats import STATISTICS
from tests.plug_in import install, read_anew
from tests.runs.home import write_home

SOURCE = """
from envscaler_mcp.stats.statistic import Histogram, Measured, MeasuredTable, Statistic

def measure(holdings, subject, progress):
    words = [len(scenario.task.split()) for holding in holdings for scenario in holding.scenarios]
    progress("all", 1, 1)
    table = MeasuredTable(("words", "tasks"), ((subject, len(words)),), "How long tasks are.")
    return Measured({"most": max(words)}, (table,), (Histogram("words", tuple(words)),), passed=max(words) < 5)

LENGTHS = Statistic("how long tasks are", measure)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    install(tmp_path / "site", "task_lengths", SOURCE, {"envscaler.statistics": {"lengths": "task_lengths:LENGTHS"}})
    monkeypatch.syspath_prepend(tmp_path / "site")
    with read_anew(STATISTICS):
        yield write_home(tmp_path / "home", tasks=2)


def test_a_statistic_of_another_package_is_measured_printed_and_drawn(home: Path, tmp_path: Path) -> None:
    words = ["--home", str(home), "stats", "--also", "lengths:all of them", "--html", str(tmp_path / "page.html")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1, "what it measured did not pass"
    assert "How long tasks are." in result.output
    assert "all of them  2" in result.output
    assert "words" in (tmp_path / "page.html").read_text()
    document = json.loads(CliRunner().invoke(app, ["--home", str(home), "stats", "--also", "lengths", "--json"]).output)
    assert document["lengths"]["most"] > 5
    assert "similarity" not in document


def test_a_statistic_that_there_is_not_is_named_with_those_that_there_are(home: Path) -> None:
    result = CliRunner().invoke(app, ["--home", str(home), "stats", "--also", "beauty"])
    assert result.exit_code == 2
    assert "similarity" in result.output
    assert "lengths" in result.output
