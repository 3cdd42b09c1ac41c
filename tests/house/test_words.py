"""Words that the code, the help texts and the pages do without: indefinite people, and names that say nothing.

`CLEAN` and `PAGES` list the rooms and pages that are rewritten; what is added to them stays so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from envscaler_mcp.cli.program import COMMANDS, app, load

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "envscaler_mcp"
CLEAN = (
    *("artifacts", "cli", "config", "emit", "episode", "export", "grading", "html", "launch", "library", "llm"),
    *("pipeline", "runs", "sandbox", "scoring", "serving", "stats", "trust", "viewer"),
    *("__init__.py", "__main__.py", "errors.py", "plain_files.py", "plugins.py", "registry.py", "settings.py"),
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {
    # What an agent hears stands in recorded trajectories, which are played again byte by byte.
    "episode/transcript.py": "Nobody reads along. Call a tool",
}
"""Lines that keep such a word, and why: agents, models or stored data depend on their text."""
STORED = {
    # A column in the database of a run's spending, and a key of its reports.
    ("llm/prices.py", "kept"),
    # A key in what `doctor --json` prints.
    ("sandbox/doctor.py", "told"),
}
"""Names of fields that files and outputs hold."""

WORDS = re.compile(r"\b(somebody|nobody|anybody|everybody|whoever|by itself|by themselves)\b", re.IGNORECASE)
NAMES = {"told", "kept", "found", "one"}
FILES = sorted(
    file for room in CLEAN for file in ([PACKAGE / room] if room.endswith(".py") else (PACKAGE / room).rglob("*.py"))
)


def named(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def lines_of_code_with_words(file: Path) -> list[str]:
    """Those of a module, but for the texts that must stay."""
    text = TEXTS.get(file.relative_to(PACKAGE).as_posix())
    lines = lines_with_words(file.read_text(encoding="utf-8"))
    return [line for line in lines if text is None or text not in line]


def names_that_say_nothing(file: Path) -> list[str]:
    """Where a module binds such a name, but for the fields that must stay."""
    path = file.relative_to(PACKAGE).as_posix()
    return [
        f"{getattr(node, 'lineno', 0)}: {name}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in bound_names(node)
        if name in NAMES and (path, name) not in STORED
    ]


def lines_with_words(text: str) -> list[str]:
    return [f"{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1) if WORDS.search(line)]


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node of the syntax tree binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case _:
            pass


@pytest.mark.parametrize("file", FILES, ids=named)
def test_the_code_uses_plain_words_and_names_that_say_what_they_are(file: Path) -> None:
    assert lines_of_code_with_words(file) == []
    assert names_that_say_nothing(file) == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_pages_use_plain_words(page: Path) -> None:
    assert lines_with_words(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_uses_plain_words(name: str) -> None:
    assert [text for text in help_texts(load(name)) if WORDS.search(text)] == []


def help_texts(command: Any) -> Iterator[str]:
    """The help of a command, of its options and of the commands below it."""
    yield command.help or ""
    yield command.epilog or ""
    for parameter in command.get_params(typer.Context(command)):
        yield getattr(parameter, "help", None) or ""
    for below in getattr(command, "commands", {}).values():
        yield from help_texts(below)


def test_what_keeps_its_words_is_still_there() -> None:
    for path, text in TEXTS.items():
        assert lines_with_words(text), path
        assert text in (PACKAGE / path).read_text(encoding="utf-8"), path
    for path, name in STORED:
        nodes = ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8")))
        assert name in {bound for node in nodes for bound in bound_names(node)}, path


def test_the_words_are_seen_where_they_stand() -> None:
    assert lines_with_words("a\nNobody knows\nall by itself\n") == ["2: Nobody knows", "3: all by itself"]
    source = "def told(found):\n    self.kept = [one for one in found]\nfrom x import y as one\n"
    assert sorted(name for node in ast.walk(ast.parse(source)) for name in bound_names(node) if name in NAMES) == [
        "found",
        "kept",
        "one",
        "one",
        "told",
    ]


def test_the_help_of_the_program_itself_is_read_too() -> None:
    assert [text for text in help_texts(typer.main.get_command(app)) if WORDS.search(text)] == []
