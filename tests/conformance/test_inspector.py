"""The MCP Inspector lists, reads and calls, over standard streams and HTTP, and in both eras."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import CompletedProcess

import anyio
import pytest

from envscaler_mcp.serving.server_info import RULES, rules_text
from tests.conformance.programs import Programs
from tests.conformance.script import Call, Script
from tests.conformance.served import HOSTS, served_by
from tests.farm.farms import Program

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.parametrize("era", ["legacy", "modern"]),
    pytest.mark.parametrize("way", ["stdio", *HOSTS]),
]

DONE, TOOL_ERROR = 0, 5
"""What the Inspector exits with; 6 would be a schema that some client cannot read."""


@asynccontextmanager
async def target(folder: Path, farm: Program, way: str) -> AsyncIterator[list[str]]:
    if way == "stdio":
        yield [sys.executable, str(folder / "server.py")]
        return
    async with served_by(way, folder, farm) as url:
        yield [url, "--transport", "http"]


async def inspect(programs: Programs, server: list[str], era: str, *words: str) -> CompletedProcess[bytes]:
    # A busy machine starts a server in more than the Inspector's 15 seconds.
    patience = ["--connect-timeout", "60000"]
    command = [*programs.inspector(), *server, "--protocol-era", era, "--format", "json", *patience, *words]
    return await anyio.run_process(command, check=False, env=programs.environment(), stderr=subprocess.PIPE)


def calling(call: Call) -> list[str]:
    arguments = [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in call.arguments.items()
    ]
    return ["--method", "tools/call", "--tool-name", call.tool, "--tool-arg", *arguments]


async def test_no_tool_has_a_schema_that_a_client_cannot_read(
    programs: Programs, folder: Path, farm: Program, script: Script, way: str, era: str
) -> None:
    async with target(folder, farm, way) as server:
        done = await inspect(programs, server, era, "--method", "tools/list", "--strict")
    assert done.returncode == DONE, done.stderr.decode()
    listed = json.loads(done.stdout)["result"]["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in script.environment.tools]


async def test_rules_are_read(
    programs: Programs, folder: Path, farm: Program, script: Script, way: str, era: str
) -> None:
    async with target(folder, farm, way) as server:
        done = await inspect(programs, server, era, "--method", "resources/read", "--uri", RULES)
    assert done.returncode == DONE, done.stderr.decode()
    assert json.loads(done.stdout)["result"]["contents"][0]["text"] == rules_text(script.environment)


@pytest.mark.parametrize("number", [0, 1, 2, 3], ids=["query", "change", "refused", "invalid"])
async def test_a_call_answers_what_the_world_says(
    programs: Programs, folder: Path, farm: Program, script: Script, way: str, era: str, number: int
) -> None:
    call = script.calls[number]
    async with target(folder, farm, way) as server:
        done = await inspect(programs, server, era, *calling(call))
    assert done.returncode == (TOOL_ERROR if call.is_error else DONE), done.stderr.decode()
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == call.text
