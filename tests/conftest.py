"""What this user's installation remembers is kept apart for each run of the tests, whose processes compile a world once."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import cache

import httpcore2
import pytest

from envscaler_mcp.settings import state_folder
from envscaler_mcp.trust.memory import memory_file


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What was imported and collected stays until the end, so no collection of garbage looks at it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """A state folder for each process, and in all of them one memory of what was compiled."""
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "compiled.txt"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        state_folder().mkdir(mode=0o700)
        os.close(os.open(shared, os.O_CREAT | os.O_WRONLY, 0o600))
        os.link(shared, memory_file())
        yield


@pytest.fixture(scope="session", autouse=True)
def set_aside_by_no_farm() -> Iterator[None]:
    """Farms in these processes leave the collector alone: when one ends, all that the tests hold would be looked at again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("envscaler_mcp.farm.garbage.LONG", 3600.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """A client of HTTP reads whom it believes when it is made, for 20 ms, and those of tests talk to this machine alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield
