"""docs/tutorial.md leads where it says: its edits are made, its commands run, and they answer as shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
BLUEPRINT = Path("tool_shed.yaml")


def test_a_reader_who_follows_the_page_has_a_world_with_proven_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, text in re.findall(
        r"^```(\S+(?: \w+)?)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        if kind == "console":
            for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                printed = run(command, monkeypatch)
                assert re.fullmatch(pattern(shown), printed.rstrip()), f"$ {command}\n{printed}"
        else:
            language, section = kind.split()
            assert language == "yaml"
            BLUEPRINT.write_text(with_entries(BLUEPRINT.read_text(encoding="utf-8"), section, text), encoding="utf-8")


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command prints; only `mkdir NAME && cd NAME` is done without the program."""
    if made := re.fullmatch(r"mkdir (\w+) && cd \1", command):
        Path(made[1]).mkdir()
        monkeypatch.chdir(made[1])
        return ""
    program, *words = shlex.split(command)
    assert program == "envscaler"
    done = CliRunner().invoke(app, words, env={"COLUMNS": "400"})
    assert done.exit_code == 0 or '"success": false' in done.output, f"$ {command}\n{done.output}"
    return done.output


def pattern(shown: str) -> str:
    """A line `…` stands for any lines, `…` within a line for any text."""
    lines = [
        r"[\s\S]*?" if line == "…" else re.escape(line).replace("…", ".*?") for line in shown.rstrip().splitlines()
    ]
    return r"\n?".join(lines)


def with_entries(blueprint: str, section: str, entries: str) -> str:
    """The blueprint with these entries at the end of the section; one of the same name takes the place of the old."""
    if not re.search(rf"^{section}:$", blueprint, re.MULTILINE):
        return f"{blueprint.rstrip()}\n\n{section}:\n{entries}"
    head, old, rest = re.split(rf"(^{section}:\n(?:(?:  .*)?\n)*)", blueprint, maxsplit=1, flags=re.MULTILINE)
    for name in re.findall(r"^  (\w+):$", entries, re.MULTILINE):
        old = re.sub(rf"^  {name}:\n(?:    .*\n)*", "", old, flags=re.MULTILINE)
    return f"{head}{old.rstrip()}\n{entries}\n{rest}"
