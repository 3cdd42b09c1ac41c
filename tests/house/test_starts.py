"""Python is started in one place, which keeps the folder that the user stands in out of what the process imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "envscaler_mcp"
HOME = PACKAGE / "processes" / "programs.py"
FILES = sorted(PACKAGE.rglob("*.py"))
STARTS = {
    "executable",
    "_base_executable",
    "multiprocessing",
    "get_context",
    "ProcessPoolExecutor",
    "to_process",
    "to_interpreter",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "system",
    "popen",
    *(f"{kind}{how}" for kind in ("exec", "spawn") for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    "posix_spawn",
    "posix_spawnp",
}
"""What names the interpreter, or starts it in a way of its own."""
MODULES = {"sys", "os", "asyncio", "anyio", "concurrent", "multiprocessing"}


def starts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines of a module that start Python, or name the program that is to be started."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name(module), name) if module in MODULES:
                full = f"{module}.{name}"
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] in MODULES:
                full = ".".join([module, *(alias.name for alias in names)])
            case ast.Import(names):
                full = ".".join(alias.name for alias in names if alias.name.partition(".")[0] in MODULES)
            case _:
                continue
        if STARTS & set(full.split(".")):
            yield node.lineno, full


@pytest.mark.parametrize(
    "line",
    [
        "import sys; subprocess.run([sys.executable, '-m', 'envscaler_mcp'])",
        "from sys import executable",
        "from multiprocessing import get_context",
        "import multiprocessing.pool as pool",
        "from concurrent.futures import Future, ProcessPoolExecutor",
        "import anyio.to_process",
        "from anyio import BrokenWorkerProcess, to_process",
        "import os; os.execv('/bin/sh', [])",
    ],
)
def test_each_way_to_start_python_is_seen(line: str) -> None:
    assert list(starts(ast.parse(line)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_no_other_module_starts_python(file: Path) -> None:
    seen = list(starts(ast.parse(file.read_text(encoding="utf-8"))))
    assert bool(seen) == (file == HOME), "`envscaler_mcp.processes.own_program` is the command for it"
