"""Every stored document has a schema that the files in this repository satisfy."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app
from envscaler_mcp.emit.schemas import schemas

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", sorted(schemas()))
def test_a_schema_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schemas()[name]))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("registry.json", "registry.json"),
        ("environment.json", "generated_servers/*/environment.json"),
        ("state.json", "generated_servers/*/states/*.json"),
    ],
)
def test_what_is_emitted_satisfies_its_schema(name: str, pattern: str) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schemas()[name]))
    files = sorted(ROOT.glob(pattern))
    assert files
    for file in files[:: max(1, len(files) // 24)]:
        validator.validate(json.loads(file.read_text(encoding="utf-8")))


def test_an_unknown_member_is_refused_by_the_schema_too() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schemas()["registry.json"]))
    assert not validator.is_valid({"schema_version": 1, "entries": [], "surprise": True})


def test_checking_says_which_file_is_stale_and_writing_mends_it(tmp_path: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["schemas", "--out", str(tmp_path)]).exit_code == 0
    assert runner.invoke(app, ["schemas", "--out", str(tmp_path), "--check"]).exit_code == 0
    (tmp_path / "state.json").write_text("{}", encoding="utf-8")
    (tmp_path / "gone.json").write_text("{}", encoding="utf-8")
    told = runner.invoke(app, ["schemas", "--out", str(tmp_path), "--check"])
    assert told.exit_code == 1
    assert "state.json is not what" in told.output
    assert "gone.json is not what" in told.output
    assert runner.invoke(app, ["schemas", "--out", str(tmp_path)]).exit_code == 0
    assert not (tmp_path / "gone.json").exists()
    assert json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))["title"] == "State"
