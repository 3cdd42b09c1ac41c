"""What the pages promise is there: links, commands, targets, tests."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from envscaler_mcp.cli.program import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
WRITTEN_BY_HAND = [page for page in PAGES if page.name != "cli.md"]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    inside = [target for target in targets if "://" not in target]
    assert [target for target in inside if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=named)
def test_every_command_and_every_target_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"`[^`\n]+`|^    .+$|^```[\s\S]+?^```", text, re.MULTILINE))
    assert set(re.findall(r"\benvscaler (?:--home \S+ )?([a-z]+)", code)) <= set(COMMANDS)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
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
