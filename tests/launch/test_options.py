"""What a person types after `server.py`, and what comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import State
from envscaler_mcp.errors import LaunchError
from envscaler_mcp.launch.http import http_process, over_http
from envscaler_mcp.launch.opening import WrongUseError, open_folder
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.serving import EnvironmentCode
from envscaler_mcp.trust import load_code
from envscaler_mcp.trust.server import main


@dataclass(frozen=True)
class Ended:
    """How a server ended, and what it said."""

    code: object
    out: str
    err: str


@pytest.fixture
def ended(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """What the program of a server folder does in this process, where it ends at once."""

    def serve(folder: Path, *options: str) -> Ended:
        with pytest.raises(SystemExit) as end:
            main(folder, options)
        out, err = capsys.readouterr()
        return Ended(end.value.code, out, err)

    return serve


def typed(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(folder / "server.py"), *options],
        capture_output=True,
        text=True,
        input="",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--state", "nowhere"], "There is no state 'nowhere'; choose one of start, or name a file."),
        (["--http", "--host", "0.0.0.0"], "Other machines could reach '0.0.0.0'; name a token with --token-env"),
        (["--http", "--host", "192.168.0.1"], "Other machines could reach '192.168.0.1'"),
        (["--http", "--host", "example.org"], "Other machines could reach 'example.org'"),
        (["--http", "--port", "70000"], "There is no port 70000"),
        (
            ["--http", "--token-env", "NOT_SET_ANYWHERE"],
            "The variable 'NOT_SET_ANYWHERE' that --token-env names is empty",
        ),
        (["--with-parent"], "--with-parent belongs to --http"),
        (["--dialect", "klingon"], "'klingon' is no dialect; write a number, such as 17, or held-out-17."),
        (["--dialect", "3"], "'lending_library' has no dialects: its card does not say what its tools answer."),
        (["--isolation", "none"], "There is no isolation 'none'; there are local, auto, portable, hard, trusted."),
        (["--stat", "start"], "unrecognized arguments: --stat"),
        (["--seed", "x"], "invalid int value"),
    ],
)
def test_wrong_use_says_why_and_ends_with_2(
    library_folder: Path, options: list[str], said: str, ended: Callable[..., Ended]
) -> None:
    done = ended(library_folder, *options)
    assert said in done.err
    assert "Traceback" not in done.err
    assert (done.code, done.out) == (2, "")


def test_a_folder_that_cannot_be_served_says_why_and_ends_with_1(tmp_path: Path, library_folder: Path) -> None:
    (tmp_path / "server.py").write_text((library_folder / "server.py").read_text())
    done = typed(tmp_path)
    assert "environment.json cannot be read" in done.stderr
    assert done.returncode == 1


def test_the_tools_are_listed_for_people_and_for_programs(library_folder: Path, ended: Callable[..., Ended]) -> None:
    people, programs = ended(library_folder, "--list-tools"), ended(library_folder, "--list-tools", "--json")
    assert "lend_book      Lend a book to a member.\n" in people.out
    listed = json.loads(programs.out)
    assert [tool["name"] for tool in listed][:2] == ["get_book", "list_books"]
    assert listed[0]["annotations"]["readOnlyHint"] is True
    assert listed[0]["inputSchema"]["additionalProperties"] is False
    assert (people.code, programs.code) == (0, 0)


def test_a_server_nobody_talks_to_ends_with_0(library_folder: Path) -> None:
    done = typed(library_folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


async def test_a_state_may_lie_in_a_file_of_its_own(library_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "one book.json"
    content = {"books": {"B": {"title": "T", "shelf": "fiction"}}, "members": {}, "loans": {}}
    State(environment="lending_library", name="one book", seed=3, content=content).write(file)
    async with over_stdio(library_folder, "--state", str(file)) as client:
        result = await client.call_tool("list_books", {})
    assert result.structured_content == {
        "success": True,
        "data": {"total": 1, "items": [{"id": "B", "title": "T", "shelf": "fiction"}]},
    }


def test_a_state_of_another_environment_is_refused(library_folder: Path, office_folder: Path) -> None:
    with pytest.raises(WrongUseError, match="is a state of 'parcel_office', not of 'lending_library'"):
        open_folder(library_folder, load_code(library_folder), str(office_folder / "states" / "start.json"))


def test_code_nobody_compiled_does_not_run_here_unasked(office_folder: Path) -> None:
    with pytest.raises(WrongUseError, match="is not what this installation compiles"):
        open_folder(office_folder, load_code(office_folder), isolation="local")


def test_code_changed_by_hand_runs_in_a_worker(library: EnvironmentCode, library_folder: Path, tmp_path: Path) -> None:
    for file in library_folder.rglob("*"):
        if file.is_file():
            copy = tmp_path / file.relative_to(library_folder)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(file.read_text())
    changed = library.source.replace('"""Members borrow books."""', '"""Members borrow books, and more."""')
    (tmp_path / "environment.py").write_text(changed)
    assert type(open_folder(library_folder, load_code(library_folder))).__name__ == "JournaledWorld"
    world = open_folder(tmp_path, load_code(tmp_path))
    try:
        assert type(world).__name__ == "WorkerWorld"
        assert world.call("get_book", {"book_id": "BOOK-00001"}).kind == "done"
    finally:
        world.close()


async def test_a_server_that_does_not_start_is_a_launch_error(library_folder: Path) -> None:
    with pytest.raises(LaunchError, match="ended before it was ready"):
        async with over_http(library_folder, "--state", "nowhere"):
            pass
    with pytest.raises(LaunchError, match="did not start"):
        async with over_stdio(library_folder, "--state", "nowhere"):
            pass


async def test_a_port_in_use_is_said_so(library_folder: Path) -> None:
    async with http_process(library_folder) as url:
        port = url.split(":")[2].split("/")[0]
        done = typed(library_folder, "--http", "--port", port)
    assert f"Nothing can listen at 127.0.0.1:{port}" in done.stderr
    assert done.returncode == 1
