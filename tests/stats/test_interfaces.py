"""What an agent sees of tools, counted natively and in dialects."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Registry
from envscaler_mcp.cli.program import app
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.registry import read_registry
from envscaler_mcp.stats import STATISTICS, Measured, holdings
from tests.runs.home import write_home

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "registry.json").exists(), reason="no environments here")


def measured(subject: str = "") -> Measured:
    registry: Registry = read_registry(ROOT / "registry.json")
    few = registry.model_copy(update={"entries": registry.entries[:3]})
    here = list(holdings(few.entries, ROOT / "generated_servers"))
    return STATISTICS["interfaces"].measure(here, subject, lambda *_: None)


def test_dialects_are_nearer_to_real_servers_than_the_native_interface() -> None:
    document = measured("8").document
    real, native, spoken = document["real"], document["native"], document["dialects"]
    for name in ("arguments that are objects, %", "names with -, %", "their standard deviation"):
        assert abs(spoken[name] - real[name]) < abs(native[name] - real[name]), name
    assert native["names with -, %"] == 0
    assert spoken["tools"] > 7 * native["tools"] / 2


def test_a_table_holds_every_count_beside_the_real_servers() -> None:
    (table,) = measured("2").tables
    assert table.head == ("", "ten real servers", "native", "dialects", "held-out dialects")
    assert all(len(row) == len(table.head) for row in table.rows)


@pytest.mark.parametrize("subject", ["0", "-1", "x", "101", "1000"])
def test_a_number_of_dialects_that_cannot_be_meant_is_refused(subject: str) -> None:
    with pytest.raises(EnvScalerError, match="no number of dialects"):
        measured(subject)


def test_environments_without_dialects_are_counted_natively(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--home", str(write_home(tmp_path / "home", tasks=1)), "stats", "--interfaces"])
    assert result.exit_code == 0, result.output
    assert "held-out dialects" in result.output
