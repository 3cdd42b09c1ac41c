"""What works with the wheel alone: an empty environment, a user without a home, any folder."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.request import urlopen

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.wheel.installed import Installed, installed, run_folder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WORLD = "hospital_stays"
TASK = "hospital_stays-easy-01"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = run_folder(tmp_path_factory.getbasetemp())
    return installed(folder)


def _seen(folder: Path) -> dict[str, tuple[int, int]]:
    """What lies in a folder, without what Python writes where it imports."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return {str(file): (file.stat().st_size, file.stat().st_mtime_ns) for file in files}


def _worlds(made: Installed) -> Path:
    return made.home / ".cache" / "envscaler" / "worlds"


def test_210_worlds_are_listed_and_none_was_built(wheel: Installed, tmp_path: Path) -> None:
    done = wheel.run(tmp_path, "list", "--json")
    assert done.returncode == 0, done.stderr
    entries = json.loads(done.stdout)
    assert len(entries) == 210
    assert {entry["layer"] for entry in entries} == {"shipped"}
    assert list(tmp_path.iterdir()) == []
    assert wheel.run(tmp_path, "list", "--check").stdout == "210 folders are as registered.\n"


async def _first_answer(made: Installed, folder: Path, home: Path) -> tuple[int, Any, float]:
    began = perf_counter()
    command = StdioServerParameters(
        command=made.program("envscaler-mcp"),
        args=["serve", WORLD],
        env={**made.variables, "HOME": str(home)},
        cwd=folder,
    )
    async with Client(stdio_client(command)) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool("list_beds", {"condition": "clean"})
        return len(tools), answer.structured_content, perf_counter() - began


async def test_the_first_tool_of_a_world_answers_within_ten_seconds_on_a_machine_that_never_saw_the_project(
    wheel: Installed, tmp_path: Path
) -> None:
    (tmp_path / "user").mkdir()
    many, answer, seconds = await _first_answer(wheel, tmp_path, tmp_path / "user")
    assert many == 23
    assert answer is None or answer["success"]
    assert seconds < 10
    shutil.rmtree(tmp_path / "user" / ".cache")
    assert (await _first_answer(wheel, tmp_path, tmp_path / "user"))[0] == 23


def test_every_command_of_the_pages_works_in_any_folder(wheel: Installed, tmp_path: Path) -> None:
    program = (
        "from envscaler_mcp import rl\n"
        "with rl.local() as gym:\n"
        f"    print(len(gym.environments()), next(iter(gym.tasks([{WORLD!r}]))).id)\n"
    )
    for words, said in (
        (("show", WORLD), "Rules"),
        (("call", WORLD, "list_beds", "condition=clean"), '"success": true'),
        (("blueprint", "manual"), "# The blueprint language"),
        (("blueprint", "manual", "stories"), "stories"),
        (("tasks", WORLD, "--count", "1", "--proof", "half", "--out", "tasks.jsonl"), ""),
        (("run", "--agent", "oracle", "--env", WORLD, "--limit", "2", "--out", "runs/first"), "2 of 2 episodes"),
        (("run", "--agent", "oracle", "--tasks", "tasks.jsonl", "--out", "runs/fresh"), "1 of 1 episode is in"),
        (("runs", "show", "runs/first"), WORLD),
        (("runs", "replay", "runs/first"), "identical"),
        (("export", "runs/first", "--format", "trl", "--out", "rows.jsonl"), "entries in rows.jsonl"),
        (("play", "--scenario", TASK, "--agent", "oracle", "--json"), '"reward": 1.0'),
        (("prove", WORLD), "10 of 10 scenarios are proven."),
        (("check", WORLD), ""),
        (("bundle", WORLD, "--out", "bundle"), "bundle:"),
        (("connect", WORLD, "--client", "vscode", "--install"), f"the shipped '{WORLD}'"),
        (("blueprint", "new", "bike_rental"), ""),
        (("doctor",), ""),
    ):
        done = wheel.run(tmp_path, *words)
        assert (done.returncode, said in done.stdout) == (0, True), (words, done.stdout[-500:], done.stderr[-2000:])
    entry = json.loads((tmp_path / ".vscode" / "mcp.json").read_text())["servers"][WORLD]
    assert ".cache" not in " ".join([entry["command"], *entry["args"]])
    # The folder is no home, so it is not named; another person may put a registry there.
    assert entry["args"][-3:] == ["serve", "--shipped", WORLD]
    assert "--home" not in entry["args"]
    checked = wheel.run(tmp_path, "connect", WORLD, "--client", "vscode", "--check")
    assert "answers, with 23 tools" in checked.stdout, checked.stderr
    done = wheel.run(tmp_path, "-c", program, program="python")
    assert done.stdout == f"210 {TASK}\n", done.stderr
    assert not (tmp_path / "registry.json").exists()


def test_a_farm_serves_shipped_worlds(wheel: Installed, tmp_path: Path) -> None:
    command = [
        wheel.program("envscaler"),
        "farm",
        "--json",
        "--port",
        "0",
        "--processes",
        "1",
        "--control",
        "farm.sock",
    ]
    with subprocess.Popen(command, cwd=tmp_path, env=wheel.variables, stdout=subprocess.PIPE, text=True) as farm:
        try:
            assert farm.stdout is not None
            document = json.loads(farm.stdout.readline())
            assert document["environments"] == 210
            with urlopen(f"{document['url']}/v0.1/servers?limit=100") as answer:
                assert len(json.load(answer)["servers"]) == 100
            connected = wheel.run(tmp_path, "connect", f"{document['url']}/e/{WORLD}/new", "--client", "cursor")
            address = json.loads(connected.stdout)["mcpServers"][WORLD]["url"]
            done = wheel.run(tmp_path, "play", "--server", address, "--agent", "noop", "Do nothing.")
            assert done.returncode == 0, done.stderr
        finally:
            farm.send_signal(signal.SIGINT)


def test_what_is_built_lies_in_a_home_of_the_users_own_and_wins(wheel: Installed, tmp_path: Path) -> None:
    wheel.run(tmp_path, "list")
    before = _seen(wheel.packages / "envscaler_mcp"), _seen(_worlds(wheel))
    done = wheel.run(tmp_path, "build", WORLD, "--scenarios", "11")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["generated_servers", "registry.json"]
    deeper = tmp_path / "deeper"
    deeper.mkdir()
    layers = {entry["id"]: entry["layer"] for entry in json.loads(wheel.run(deeper, "list", "--json").stdout)}
    assert len(layers) == 210
    assert [name for name, layer in layers.items() if layer == "own"] == [WORLD]
    # Eleven tasks are in the home's folder, ten in the shipped one.
    done = wheel.run(deeper, "run", "--agent", "oracle", "--env", WORLD, "--env", "hotel_front_desk", "--out", "run")
    assert "21 of 21 episodes" in done.stdout, done.stderr
    refused = wheel.run(deeper, "scenarios", "hotel_front_desk")
    assert (refused.returncode, "makes its scenarios" in refused.stderr) == (1, True)
    assert (_seen(wheel.packages / "envscaler_mcp"), _seen(_worlds(wheel))) == before


def test_the_documentation_comes_with_the_package(wheel: Installed, tmp_path: Path) -> None:
    (metadata,) = wheel.packages.glob("envscaler_mcp-*.dist-info/METADATA")
    text = metadata.read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https?://)[^)]*\)", text) == []
    pages = set(re.findall(r"`envscaler docs ([\w-]+)`", text))
    assert pages
    listed = wheel.run(tmp_path, "docs").stdout
    for page in pages:
        assert f"\n{page} " in listed
        assert re.match(r"(<!--.*?-->\s*)?# ", wheel.run(tmp_path, "docs", page).stdout, re.DOTALL)


@pytest.mark.parametrize(
    ("program", "extra"),
    [
        ("from envscaler_mcp.rl.gymnasium import register_gymnasium; register_gymnasium()", "gymnasium"),
        ("from envscaler_mcp.rl.gem import register_gem; register_gem()", "gem"),
        ("from envscaler_mcp.recipes.sft_trl import main; main(['--tiny'])", "trl"),
        ("from envscaler_mcp.recipes.grpo_trl import main; main(['--tiny'])", "trl"),
    ],
)
def test_a_missing_extra_is_named(wheel: Installed, tmp_path: Path, program: str, extra: str) -> None:
    done = wheel.run(tmp_path, "-c", program, program="python")
    assert done.returncode == 1
    assert f"pip install 'envscaler-mcp[{extra}]'" in done.stderr
