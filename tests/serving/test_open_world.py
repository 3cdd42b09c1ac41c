"""A world is opened inside this process only where its code is known to be the compiler's own."""

from __future__ import annotations

import pytest

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import EnvironmentCode, open_world
from tests.homes import written

PLACE = '''
class Place:
    def __init__(self, init_config: dict):
        raise SystemExit("this code ran")

    def ping(self) -> dict:
        """Answer."""
        return {"success": True}
'''


def test_unread_code_is_refused_before_it_runs() -> None:
    code: EnvironmentCode = written(PLACE, "Place")
    with pytest.raises(WorldError, match="runs in a worker only"):
        open_world(code, {}, 7)
