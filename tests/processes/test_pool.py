"""Work that is spread over processes gives the same as without them, and ends with the one who asked."""

from __future__ import annotations

import os
import time

import pytest

from envscaler_mcp.errors import WorldError
from envscaler_mcp.processes.pool import in_processes


@pytest.mark.parametrize("workers", [1, 2])
def test_each_item_comes_with_its_result(workers: int) -> None:
    assert sorted(in_processes(abs, [-3, -2, -1], workers)) == [(-3, 3), (-2, 2), (-1, 1)]


def test_a_process_that_ends_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(WorldError, match="use fewer --workers"):
        list(in_processes(os._exit, [1, 2], 2))


@pytest.mark.timeout(60)
def test_work_that_is_not_wanted_any_more_is_ended_in_the_middle() -> None:
    results = in_processes(time.sleep, [0.0, 600.0, 600.0], 2)
    assert next(results) == (0.0, None)
    results.close()
