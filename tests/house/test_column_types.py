"""What a type of column means is asked of its class, and of nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import envscaler_mcp
from envscaler_mcp.language.column_types import COLUMN_TYPES

PACKAGE = Path(envscaler_mcp.__file__).parent
HOME = PACKAGE / "language" / "column_types"
ROOMS = ("language", "synthesis", "sampling", "scenarios", "quality")
GRAMMAR = {"bool", "one_of", "ref", "list", "struct", "ratio", "none", "key"}
"""What the language itself is made of: tests, words, records, lists, and what expressions alone have."""
PLAIN = {"int", "text"}
"""What literals are, and counts: the language's own expressions are of these."""


def compared(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every text that a `kind` is compared with or matched against."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(
            "kind" in ast.unparse(side) for side in (node.left, *node.comparators)
        ):
            inside: list[ast.AST] = [node.left, *node.comparators]
        elif isinstance(node, ast.Match) and "kind" in ast.unparse(node.subject):
            inside = [case.pattern for case in node.cases]
        else:
            continue
        for part in inside:
            for leaf in ast.walk(part):
                if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
                    yield node.lineno, leaf.value


def test_no_module_outside_the_types_asks_for_a_type_of_column_by_its_name() -> None:
    names = COLUMN_TYPES.keys() - GRAMMAR - PLAIN
    assert names >= {"money", "date", "time", "datetime"}
    paths = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py") if HOME not in path.parents]
    asked = [
        f"{path.relative_to(PACKAGE)}:{line} asks for {name!r}"
        for path in paths
        for line, name in compared(ast.parse(path.read_text(encoding="utf-8")))
        if name in names
    ]
    assert len(paths) > 80
    assert asked == []
