"""The program knows its commands without importing them, and its exit codes mean what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import envscaler_mcp.cli
from envscaler_mcp import __version__
from envscaler_mcp.cli.program import COMMANDS, app, load

ASKED_FOR_HELP = """
import sys
from envscaler_mcp.cli import main
sys.argv = ["envscaler", "--help"]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
heavy = {"pydantic", "mcp", "openai", "yaml", "anyio", "asyncio"} & set(sys.modules)
commands = [name for name in sys.modules if name.startswith("envscaler_mcp.cli.") and not name.endswith(".program")]
assert not heavy and not commands, (heavy, commands)
"""


ALL_LOADED = """
import sys
from envscaler_mcp.cli.program import COMMANDS, load
configured = ["bench", "play", "run", "synthesize"]
for name in [*(name for name in COMMANDS if name not in configured), None, *configured]:
    if name is None:
        assert "pydantic" not in sys.modules
    else:
        load(name)
rooms = {module.split(".")[1] for module in sys.modules if module.startswith("envscaler_mcp.")}
assert rooms <= {"cli", "config", "errors", "html", "plugins"}, rooms
heavy = {"mcp", "openai", "yaml", "anyio", "asyncio"} & set(sys.modules)
assert not heavy, heavy
"""


def test_the_options_of_every_command_are_declared_without_loading_what_it_runs() -> None:
    loaded = subprocess.run([sys.executable, "-c", ALL_LOADED], capture_output=True, text=True, check=False)
    assert loaded.returncode == 0, loaded.stderr


def test_help_names_every_command_and_imports_none_of_them() -> None:
    told = subprocess.run([sys.executable, "-c", ASKED_FOR_HELP], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    for name in COMMANDS:
        assert f" {name} " in told.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_that_begins_with_its_modules_first_line(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    first = (load(name).help or "").partition("\n")[0]
    assert first.endswith(".")
    assert " ".join(first.split()) in " ".join(shown.output.split())


def test_every_module_that_holds_a_command_is_listed() -> None:
    folder = Path(envscaler_mcp.cli.__file__).parent
    holding = {
        path.stem.removesuffix("_")
        for path in folder.glob("*.py")
        if "\n@app.command" in path.read_text(encoding="utf-8")
    }
    assert holding == set(COMMANDS)


def test_the_version_is_the_packages() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"{__version__}\n"


def test_a_misspelt_command_is_wrong_use_and_is_told_what_it_may_have_meant() -> None:
    told = CliRunner().invoke(app, ["shwo"])
    assert told.exit_code == 2
    assert "Did you mean 'show'" in told.output


def test_an_error_of_ours_is_one_sentence_and_no_traceback(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "envscaler_mcp", "--home", str(tmp_path), "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert told.stderr.startswith("envscaler: There is no registry at ")
    assert told.stderr.count("\n") == 1
