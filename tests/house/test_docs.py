"""What the pages name is there: links, files, modules, classes, commands and their options, targets, tests."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import shlex
import subprocess
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from envscaler_mcp.cli.program import COMMANDS, app
from envscaler_mcp.recipes.arguments import recipe_parser
from tools.readme_hook import readme_of_package

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "envscaler_mcp"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("clients/*.md")])
WRITTEN_BY_HAND = [page for page in PAGES if page.name not in ("cli.md", "CHANGELOG.md")]
"""The changelog names what was there once."""
ABOUT_THE_PACKAGE = [page for page in WRITTEN_BY_HAND if page.name not in ("blueprints.md", "stories.md")]
"""Capitals in the pages of the language are entities of examples; tests/language/test_manual.py reads these pages."""
NO_PATHS = {"tools/call", "tools/list", "roll/pipeline/agentic/env/__init__.py"}
"""Methods of the protocol, and a file of ROLL."""
MADE_LATER = {"build/", "damaged/"}
"""Folders that commands make."""
NOT_OURS = {"MyAgent", "BadParameter", "TrajEnvManager", "AsyncVectorEnv"}
"""A reader's own class, and those of typer, of the EnvScaler paper and of Gymnasium."""


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    return re.sub(r"^```[\s\S]*?^```$|^    .+$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


def inline_code(page: Path) -> list[str]:
    return re.findall(r"`([^`\n]+)`", prose(page))


def code_blocks(page: Path) -> str:
    return "\n".join(re.findall(r"^    .+$|^```[\s\S]+?^```", page.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)", page.read_text(encoding="utf-8"))
    inside = [target.partition("#") for target in targets if "://" not in target]
    assert [target for target, _, _ in inside if not (page.parent / target).exists()] == []
    anchors = [(page.parent / target if target else page, anchor) for target, _, anchor in inside if anchor]
    assert [anchor for target, anchor in anchors if anchor not in headings(target)] == []


def test_the_readme_of_the_package_leads_to_no_file_but_names_pages_that_the_program_prints() -> None:
    text = readme_of_package((ROOT / "README.md").read_text(encoding="utf-8"))
    assert re.findall(r"\]\((?!https?://)[^)]*\)", text) == []
    pages = re.findall(r"`envscaler docs ([\w-]+)`", text)
    assert {"rl", "tutorial", "glossary"} <= set(pages)
    assert [page for page in pages if not (ROOT / "docs" / f"{page}.md").is_file()] == []
    name = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))["name"]
    for words in (f"<!-- mcp-name: {name} -->", "pip install envscaler-mcp", "## Limits"):
        assert words in text


def test_every_page_is_printed_and_listed_with_its_title() -> None:
    listed = CliRunner().invoke(app, ["docs"], env={"COLUMNS": "200"}).output.splitlines()
    pages = sorted((ROOT / "docs").glob("*.md"))
    assert [line.split()[0] for line in listed] == ["page", *(page.stem for page in pages)]
    for page in pages:
        printed = CliRunner().invoke(app, ["docs", page.stem]).output
        assert printed.rstrip() == page.read_text(encoding="utf-8").rstrip()
    wrong = CliRunner().invoke(app, ["docs", "glosary"])
    assert (wrong.exit_code, "did you mean 'glossary'?" in wrong.stderr) == (2, True)


def headings(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=named)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    paths = [code for code in inline_code(page) if re.fullmatch(r"[\w.-]+(/[\w.<>*-]*)+|\w+\.(py|md)", code)]
    assert [path for path in paths if path not in NO_PATHS | MADE_LATER and not exists(path, page)] == []


def exists(path: str, page: Path) -> bool:
    """Whether a path is one of the repository; those of a reader's own folders and of URLs are not looked for."""
    pattern = re.sub(r"<\w+>|(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])", "*", path).rstrip("/")
    first, slash, _ = pattern.partition("/")
    if first == "generated_servers":
        return True
    if not slash:
        return bool(tracked(pattern)) or any((base / pattern).is_dir() for base in (ROOT, PACKAGE, page.parent))
    bases = (ROOT, PACKAGE, page.parent)
    if not pattern.endswith(".py") and not any((base / first).exists() for base in bases):
        return True
    return any(next(base.glob(pattern), None) for base in bases)


@cache
def tracked(name: str) -> list[Path]:
    return [
        file
        for folder in ("envscaler_mcp", "tests", "docs", "clients", "generated_servers", "benchmarks")
        for file in ROOT.glob(f"{folder}/**/{name}")
    ]


@pytest.mark.parametrize("page", ABOUT_THE_PACKAGE, ids=named)
def test_every_module_and_every_class_that_a_page_names_exists(page: Path) -> None:
    for code in inline_code(page):
        if re.fullmatch(r"envscaler_mcp(\.\w+)+", code):
            assert importable(code), code
    for module, names in re.findall(r"\bfrom (envscaler_mcp[\w.]*) import ([\w, ]+)", code_blocks(page)):
        assert [name for name in names.split(", ") if not importable(f"{module}.{name}")] == []
    classes = {name for code in inline_code(page) for name in re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", code)}
    assert classes - NOT_OURS - defined() == set()


def importable(dotted: str) -> bool:
    """Whether this is a module, or a name in one."""
    try:
        importlib.import_module(dotted)
    except ModuleNotFoundError as cause:
        if not str(cause.name).startswith(PACKAGE.name):
            # An adapter, and its trainer is not installed here: its names are among those that are defined.
            return dotted.rpartition(".")[2] in defined() or dotted.startswith(f"{PACKAGE.name}.rl.")
        module, _, name = dotted.rpartition(".")
        return hasattr(importlib.import_module(module), name)
    return True


@cache
def defined() -> set[str]:
    """Every class and type alias of the package."""
    names: set[str] = set()
    for file in PACKAGE.glob("**/*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=named)
def test_every_command_a_page_shows_exists_with_these_options(page: Path) -> None:
    for words in commands(page):
        assert fault(words) is None, f"{' '.join(words)}: {fault(words)}"


def commands(page: Path) -> Iterator[list[str]]:
    """Every command line of the program: in blocks with `$ ` or nothing before it, and within sentences."""
    shown = code_blocks(page).replace("\\\n", " ").splitlines()
    lines = [line.strip().removeprefix("$ ").removeprefix(".venv/bin/") for line in shown]
    for line in [*lines, *inline_code(page)]:
        if match := re.match(r"envscaler( .*)?$", line):
            before_comment = re.split(r" #|[;|>]| && ", match[1] or "")[0]
            yield [word for word in shlex.split(re.sub(r"[\[\]]", "", before_comment)) if word != "…"]


@cache
def program() -> Any:
    return typer.main.get_command(app)


def fault(words: list[str]) -> str | None:
    """Why the program would refuse these words, values and missing arguments aside."""
    command, words = program(), list(words)
    path = "envscaler"
    while True:
        context = command.make_context(path, list(words), resilient_parsing=True)
        parser = command.make_parser(context)
        below = getattr(command, "commands", {})
        if "run" in below and words and words[0] not in below:
            words = ["run", *words]  # `export DIR` stands for `export run DIR`.
        try:
            given, rest, _ = parser.parse_args(list(words))
        except Exception as error:
            return f"{path}: {getattr(error, 'message', error)}"
        for parameter in command.get_params(context):
            value = given.get(parameter.name)
            annotation = parameter.type_descriptor.annotation
            choices = typing.get_args(annotation) if typing.get_origin(annotation) is typing.Literal else ()
            if choices and isinstance(value, str) and value not in choices:
                return f"{path} {parameter.opts[0]}: {value!r} is none of {', '.join(choices)}"
        if not below:
            return None if not rest else f"{path}: too many words: {rest}"
        if not rest:
            return None
        if path == "envscaler" and rest[0] not in COMMANDS:
            return f"there is no command {rest[0]!r}"
        path = f"{path} {rest[0]}"
        _, command, words = command.resolve_command(context, rest)


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=named)
def test_every_option_that_a_sentence_names_is_one_of_a_command(page: Path) -> None:
    spoken = {option for code in inline_code(page) for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", code)}
    foreign = {
        option for code in inline_code(page) if code.startswith("python ") for option in re.findall(r"--\w+", code)
    }
    assert spoken - options() - foreign == set()


@cache
def options() -> set[str]:
    """Every option of every command and of the recipes."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    recipes = re.findall(r"(--[a-z-]+)", recipe_parser("", "").format_help())
    return {*re.findall(r"`(--[a-z-]+)`", text), *recipes, "--help"}


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=named)
def test_every_target_of_make_that_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    code = "\n".join([code_blocks(page), *inline_code(page)])
    assert set(re.findall(r"\bmake ([a-z-]+)", code)) <= targets


def test_every_recipe_names_a_test_that_exists() -> None:
    recipes = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Recipes")[1]
    heads = re.findall(r"^\*\*Add .+$", recipes, re.MULTILINE)
    assert heads
    for head in heads:
        tests = re.findall(r"`(tests/[\w/.]+)`", head)
        assert tests, head
        assert [test for test in tests if not (ROOT / test).exists()] == []


def test_every_decision_is_listed_with_its_title() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text(encoding="utf-8")
    for page in sorted(folder.glob("0*.md")):
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert f"* [{title}]({page.name})\n" in listed


def test_the_constraints_name_versions_and_no_place_they_came_from() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert [line for line in lines[1:] if not re.fullmatch(r"[\w.-]+==[\w.+!]+", line)] == []


def test_make_alone_tells_what_there_is_to_make() -> None:
    told = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("setup", "demo", "check", "test", "test-all", "emit", "docs", "bench", "lock", "clean"):
        assert re.search(rf"^  make {target} ", told, re.MULTILINE)


def test_what_ci_runs_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)
