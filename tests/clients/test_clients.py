"""Programs that know nothing of this repository use its servers."""

from __future__ import annotations

import ast
import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from envscaler_mcp.launch.http import http_process

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ROOT / "clients" / "plain_mcp.py"
KEYBOARD = ROOT / "clients" / "keyboard.py"
FOLDER = ROOT / "generated_servers" / "hospital_stays"
SERVER = [sys.executable, str(FOLDER / "server.py")]
CALLS = ["--call", "list_wards", "{}", "--call", "list_wards", '{"wrad": 1}']


def run(*command: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False, timeout=60)


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names


def test_the_plain_client_imports_only_mcp_and_the_keyboard_what_mcp_brings() -> None:
    assert imports_of(PLAIN) == {"mcp"}
    assert imports_of(KEYBOARD) == {"mcp", "anyio"}


@pytest.fixture(scope="module")
def over_stdio() -> subprocess.CompletedProcess[str]:
    """What the plain client says of a server that it starts."""
    return run(sys.executable, PLAIN, *CALLS, "--", *SERVER)


@pytest.mark.parametrize(
    ("era", "spoken"), [("auto", "2026-07-28"), pytest.param("legacy", "2025-11-25", marks=pytest.mark.slow)]
)
def test_the_plain_client_lists_calls_and_is_refused_over_stdio(
    era: str, spoken: str, over_stdio: subprocess.CompletedProcess[str]
) -> None:
    told = over_stdio if era == "auto" else run(sys.executable, PLAIN, "--era", era, *CALLS, "--", *SERVER)
    greeting, right, wrong = map(json.loads, told.stdout.splitlines())
    assert (greeting["protocol"], greeting["server"], len(greeting["tools"])) == (spoken, "hospital_stays", 23)
    assert (right["refused"], right["answer"]["success"]) == (False, True)
    assert wrong["refused"] is True
    assert "There is no argument 'wrad'" in wrong["answer"]["error"]
    assert told.returncode == 1


async def test_the_plain_client_gets_the_same_answers_over_http(
    over_stdio: subprocess.CompletedProcess[str],
) -> None:
    async with http_process(FOLDER) as url:
        over_http = run(sys.executable, PLAIN, *CALLS, url)
    assert over_http.stdout == over_stdio.stdout
    assert over_http.stdout


def test_a_person_picks_a_tool_by_name_or_number_and_types_its_arguments() -> None:
    told = run(sys.executable, KEYBOARD, *SERVER, typed="list_beds\n\n\nclean\n\n3\n\n\nno such tool\nq\n").stdout
    assert "hospital_stays: 23 tools" in told
    assert "* clean_bed: " in told
    assert '"condition": "clean"' in told
    assert "There is no tool 'no such tool'." in told


def test_a_person_is_told_why_a_call_was_refused_and_a_pipe_that_ends_ends_it() -> None:
    told = run(sys.executable, KEYBOARD, *SERVER, typed="clean_bed\nBED-99999\n\n")
    assert "REFUSED" in told.stdout
    assert "BED-99999" in told.stdout.partition("REFUSED")[2]
    assert told.returncode == 0


def test_a_keyboard_without_a_server_says_how_it_is_used() -> None:
    told = run(sys.executable, KEYBOARD)
    assert told.returncode == 1
    assert "python clients/keyboard.py URL" in told.stderr


def children_of(process_id: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{process_id}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread may end while it is looked at
            found += map(int, (thread / "children").read_text().split())
    return found


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells a process's children and when they end")
def test_ctrl_c_at_the_keyboard_ends_the_server_too() -> None:
    with subprocess.Popen(
        [sys.executable, KEYBOARD, *SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith(b"  * changes something"):
            assert process.poll() is None
        servers = children_of(process.pid)
        assert servers
        handles = [os.pidfd_open(server) for server in servers]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        for handle in handles:
            ended, _, _ = select.select([handle], [], [], 30)
            assert ended == [handle]
            os.close(handle)


def test_every_example_for_a_host_starts_a_server_when_its_paths_are_right() -> None:
    files = sorted((ROOT / "clients" / "hosts").rglob("*.json"))
    commands = set()
    for file in files:
        (servers,) = json.loads(file.read_text(encoding="utf-8")).values()
        (server,) = servers.values()
        words = [
            word.replace("/path/to/envscaler-mcp/.venv/bin/python", sys.executable)
            for word in (server["command"], *server["args"])
        ]
        commands.add(tuple(word.replace("/path/to/envscaler-mcp", str(ROOT)) for word in words))
    assert len(files) >= 4
    for command in commands:
        told = run(sys.executable, PLAIN, "--call", "list_wards", "{}", "--", *command)
        assert json.loads(told.stdout.splitlines()[1])["refused"] is False
