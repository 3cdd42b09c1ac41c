"""What this user's installation remembers is kept apart for each run of the tests, and the collector leaves modules alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

# A look after every 700 new objects is a tenth of what properties cost: Hypothesis counts each one.
gc.set_threshold(10_000, 20, 10)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collected tests stay until the end: nothing of them is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module", autouse=True)
def the_collector_looks_at_what_tests_make() -> None:
    """Each full collection would look at some hundred thousand objects of modules and tests, in each of them half a second.

    A farm that has ended gives back all that was set aside. What is garbage by then is collected first, with its warnings.
    """
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()
