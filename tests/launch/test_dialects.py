"""`server.py --dialect`: what an ordinary client of such a server sees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.launch.http import over_http
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.serving import read_code
from envscaler_mcp.serving.tasks import load_scenarios

FOLDER = Path(__file__).parent.parent.parent / "generated_servers" / "hospital_stays"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="no such server here")


@pytest.fixture(scope="module")
def dialect() -> Dialect:
    return Dialect(read_code(FOLDER).environment, DialectName(8))


def typed(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / "server.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, input="", timeout=60, check=False)


async def test_a_task_is_solved_over_stdio_in_a_dialect(dialect: Dialect) -> None:
    scenario = load_scenarios(FOLDER)[0]
    async with over_stdio(FOLDER, "--dialect", "8", "--scenario", scenario.id) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in dialect.tools()]
        for call in scenario.oracle:
            spoken = dialect.encode(call)
            result = await client.call_tool(spoken.tool, spoken.arguments)
            assert not result.is_error, result


async def test_the_same_is_served_over_http(dialect: Dialect) -> None:
    async with over_http(FOLDER, "--dialect", "8") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in dialect.tools()]


def test_a_random_dialect_is_told_on_standard_error_and_can_be_had_again() -> None:
    first = typed("--dialect", "random", "--list-tools", "--json")
    number = first.stderr.split()[-1]
    again = typed("--dialect", number, "--list-tools", "--json")
    assert (first.stdout, again.stderr) == (again.stdout, "")


def test_the_native_interface_is_what_is_served_unasked() -> None:
    unasked, native = typed("--list-tools", "--json"), typed("--dialect", "native", "--list-tools", "--json")
    assert unasked.stdout == native.stdout
    assert "list_patients" in {tool["name"] for tool in json.loads(native.stdout)}
