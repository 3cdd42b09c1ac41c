"""Trees of source are made by one thread after the other, or Python 3.11 loses count of them."""

from __future__ import annotations

import ast
import gc
import sys
import textwrap
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envscaler_mcp.serving.parsing import parsed_expression, parsed_module

SOURCE = Path(textwrap.__file__).read_text(encoding="utf-8")


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


class Complaining:
    """Ends in a circle, so that only a collection finds it, and then prints a traceback."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        try:
            int("a tree is made of this line, to point at what was wrong")
        except ValueError:
            traceback.format_exc()


def test_what_is_collected_meanwhile_does_not_get_in_between() -> None:
    wanted = ast.dump(parsed_module(SOURCE))
    for _ in range(2):
        gc.collect()
        Complaining()
        assert ast.dump(parsed_module(SOURCE)) == wanted
    assert gc.isenabled()


def test_an_expression_is_the_tree_of_its_text() -> None:
    assert ast.unparse(parsed_expression("a+b  if c else 1")) == "a + b if c else 1"
