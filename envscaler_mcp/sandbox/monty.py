"""Checks in Monty, an interpreter that cannot do anything else; only where it is installed.

It agrees with Python on most checks and not on all, so it runs those for which both engines agreed when the check was
made. Without it (`pip install 'envscaler-mcp[monty]'`) checks only take a little longer.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from envscaler_mcp.sandbox.execution import failure_of, verdict_of
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.limits import Limits

_starting = threading.Lock()


@lru_cache(maxsize=1)
def monty_installed() -> bool:
    """Whether checks can run in Monty here."""
    return find_spec("pydantic_monty") is not None


def monty_checked(
    source: str, initial_state: Mapping[str, Any], final_state: Mapping[str, Any], limits: Limits
) -> Checked | None:
    """What the check says in Monty; None where Monty cannot be had, and a worker has to be asked."""
    pool = _pool() if monty_installed() else None
    if pool is None:
        return None
    bounds = {"max_feed_duration_secs": limits.call_seconds, "max_memory": limits.memory}
    states = {"initial_state": dict(initial_state), "final_state": dict(final_state)}
    try:
        with pool.checkout(limits=bounds) as session:
            answer = verdict_of(session.feed_run(f"{source}\ncheck_func(final_state)\n", inputs=states))
    except Exception as cause:
        answer = failure_of(cause)
    return Checked(answer.get("verdict"), answer.get("failure"))


def _pool() -> Any:
    with _starting:
        return _started()


@lru_cache(maxsize=1)
def _started() -> Any:
    """The pool of this process, which ends with it; None where its program cannot be started."""
    try:
        pool = import_module("pydantic_monty").Monty()
        pool.__enter__()
    except Exception:
        return None
    atexit.register(pool.__exit__, None, None, None)
    return pool
