"""The pages that lead a newcomer lead where they say: files are written, commands run, and answers are as shown."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLUEPRINT = Path("game_shelf.yaml")
SAMPLES = DOCS / "samples" / "raw_tasks.jsonl"
PAGES = [
    "for-ide-users",
    *(pytest.param(page, marks=pytest.mark.slow) for page in ("tutorial", "for-ml-engineers", "for-researchers")),
]


@pytest.mark.parametrize("page", PAGES)
def test_a_reader_who_follows_the_page_gets_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for kind, block in re.findall(r"^```(\w+(?: [\w.]+)?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        language, _, name = kind.partition(" ")
        if language == "console":
            for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                printed = run(command.replace("SAMPLES", str(SAMPLES)), monkeypatch)
                assert re.fullmatch(pattern(shown), printed.rstrip()), f"$ {command}\n{printed}"
        elif language == "python" and name:
            Path(name).write_text(block, encoding="utf-8")
        elif language == "yaml":
            BLUEPRINT.write_text(with_entries(BLUEPRINT.read_text(encoding="utf-8"), name, block), encoding="utf-8")


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command prints; `mkdir NAME && cd NAME` and `python FILE` are the only ones that are not the program."""
    if made := re.fullmatch(r"mkdir (\w+) && cd \1", command):
        Path(made[1]).mkdir()
        monkeypatch.chdir(made[1])
        return ""
    name, *words = shlex.split(command)
    if name == "python":
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True).stdout
    assert name == "envscaler"
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
