"""Trees of source are made by one thread after the other, or Python 3.11 loses count of them."""

from __future__ import annotations

import ast
import gc
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envscaler_mcp.serving.parsing import parsed_expression, parsed_module

SOURCE = Path(ast.__file__).read_text(encoding="utf-8")


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads change places in the middle of everything, also while trees are made."""

    def pause(_phase: str, _info: dict[str, int]) -> None:
        time.sleep(0)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    gc.callbacks.append(pause)
    yield
    gc.callbacks.remove(pause)
    sys.setswitchinterval(interval)


def test_many_threads_get_whole_trees(restless: None) -> None:
    wanted = ast.dump(parsed_module(SOURCE))
    with ThreadPoolExecutor(6) as pool:
        trees = list(pool.map(parsed_module, [SOURCE] * 48))
    assert {ast.dump(tree) for tree in trees} == {wanted}


def test_an_expression_is_the_tree_of_its_text() -> None:
    assert ast.unparse(parsed_expression("a+b  if c else 1")) == "a + b if c else 1"
