"""The gym that a trainer's configuration names, one for each process: trainers make many environments, and fork."""

from __future__ import annotations

import os
import threading

from envscaler_mcp.rl.gym import Gym, connect, local

_gyms: dict[tuple[int, str | None, str | None, str | None, str | None], Gym] = {}
_lock = threading.Lock()


def shared_gym(
    url: str | None = None, token: str | None = None, home: str | None = None, tasks: str | None = None
) -> Gym:
    """The gym at the farm of this URL, else the one of this process with this home; `tasks` is a file of fresh tasks."""
    key = os.getpid(), url, token, home, tasks
    with _lock:
        known = _gyms.get(key)
        if known is None:
            known = _gyms[key] = local(home, tasks=tasks) if url is None else connect(url, token, tasks=tasks)
        return known
