"""Words that the code, the help texts and the pages do without: indefinite people, and names that say nothing."""

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
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
STORED = {
    # A column in the database of a run's spending, and a key of its reports.
    ("llm/prices.py", "kept"),
    # A key in what `doctor --json` prints.
    ("sandbox/doctor.py", "told"),
}
"""Names of fields that files and outputs hold."""

TEXTS = {
    ("docs/blueprints.md", "time moves by itself"): "the blueprint error below, in an executed example",
    (
        "envscaler_mcp/episode/transcript.py",
        "Nobody reads along. Call a tool",
    ): "agents hear it, and recorded runs are played again",
    (
        "envscaler_mcp/language/column_types/texts.py",
        '"an address nobody has"',
    ): "the name of a probe, which quality cases quote",
    ("envscaler_mcp/language/column_types/texts.py", '"nobody"'): "the value of a probe, which quality cases quote",
    (
        "envscaler_mcp/language/magnitude.py",
        "is multiplied by itself",
    ): "a blueprint error, which models mend by; a product is meant",
    (
        "envscaler_mcp/language/reader.py",
        "time moves by itself",
    ): "a blueprint error, which models mend by and the manual shows",
    ("envscaler_mcp/scenarios/meaning.py", "|none|nobody|"): "words that turn a clause, as people write them",
    ("envscaler_mcp/scenarios/message.py", "Everybody Everyone"): "first words of sentences, as people write them",
    ("envscaler_mcp/scenarios/message.py", "Nobody None"): "first words of sentences, as people write them",
    ("envscaler_mcp/scenarios/message.py", "Whoever Whose"): "first words of sentences, as people write them",
    (
        "envscaler_mcp/scenarios/rewording.py",
        "which nobody would say.",
    ): "a complaint that a model words a task again by",
}
"""Texts that agents, models or stored data depend on: the file, what stands on the line, and why."""

WORDS = re.compile(r"\b(somebody|nobody|anybody|everybody|whoever|by itself|by themselves)\b", re.IGNORECASE)
NAMES = {"told", "kept", "found", "one"}
FILES = sorted(PACKAGE.rglob("*.py"))


def named(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def lines_to_mend(file: Path) -> list[str]:
    """The lines of a file with such a word, except the texts that must stay."""
    excepted = [text for path, text in TEXTS if path == named(file)]
    lines = lines_with_words(file.read_text(encoding="utf-8"))
    return [line for line in lines if not any(text in line for text in excepted)]


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
    assert lines_to_mend(file) == []
    assert names_that_say_nothing(file) == []


@pytest.mark.parametrize(("path", "text"), TEXTS, ids=str)
def test_an_excepted_text_is_still_there(path: str, text: str) -> None:
    lines = lines_with_words((ROOT / path).read_text(encoding="utf-8"))
    assert any(text in line for line in lines)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_pages_use_plain_words(page: Path) -> None:
    assert lines_to_mend(page) == []


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


def test_an_excepted_name_is_still_there() -> None:
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
