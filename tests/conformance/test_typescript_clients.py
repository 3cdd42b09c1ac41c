"""Both official TypeScript SDKs see what a world in this process says, byte for byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.serving.listing import listed_tools
from envscaler_mcp.serving.server_info import INTRODUCTION, RULES, introduction_text, rules_text
from tests.conformance.programs import Programs
from tests.conformance.script import Script
from tests.conformance.served import HOSTS, served_by
from tests.farm.farms import Program

pytestmark = pytest.mark.conformance

CLIENTS = [("v1.mjs", "handshake"), ("v2.mjs", "handshake"), ("v2.mjs", "modern")]
REVISIONS = {"handshake": "2025-11-25", "modern": "2026-07-28"}


def visitor(programs: Programs, name: str, era: str, script: Script, way: str, target: object) -> list[str]:
    calls = [{"tool": call.tool, "arguments": call.arguments} for call in script.calls]
    return [*programs.script(name), way, json.dumps(target), json.dumps(calls), era]


async def seen_by(command: list[str], programs: Programs) -> dict[str, Any]:
    done = await anyio.run_process(command, check=False, env=programs.environment(), stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def must_be_what_the_world_says(seen: dict[str, Any], script: Script, name: str, era: str) -> None:
    environment = script.environment
    assert seen["tools"] == listed_tools(environment)
    assert seen["texts"] == {INTRODUCTION: introduction_text(environment), RULES: rules_text(environment)}
    assert seen["answers"] == [
        {"text": call.text, "structured": json.loads(call.text), "isError": call.is_error} for call in script.calls
    ]
    if name == "v2.mjs":
        assert seen["revision"] == REVISIONS[era]


@pytest.mark.parametrize(("name", "era"), CLIENTS)
async def test_a_typescript_client_is_served_over_standard_streams(
    programs: Programs, folder: Path, script: Script, name: str, era: str
) -> None:
    server = [sys.executable, str(folder / "server.py")]
    seen = await seen_by(visitor(programs, name, era, script, "stdio", server), programs)
    must_be_what_the_world_says(seen, script, name, era)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("name", "era"), CLIENTS)
async def test_a_typescript_client_is_served_over_http(
    programs: Programs, folder: Path, farm: Program, script: Script, name: str, era: str, host: str
) -> None:
    async with served_by(host, folder, farm) as url:
        seen = await seen_by(visitor(programs, name, era, script, "http", url), programs)
    must_be_what_the_world_says(seen, script, name, era)
