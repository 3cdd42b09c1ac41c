"""One episode from the command line: which servers are meant, what is told while it goes, and a person at a keyboard."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.artifacts import Trajectory
from envscaler_mcp.cli.program import app
from envscaler_mcp.scoring.run_folder import read_run, read_trajectories
from tests.launch.notes_server import COMMAND, notes_over_http
from tests.llm.endpoint import Say, one_after_the_other, scripted_endpoint
from tests.runs.home import write_home

ROOT = Path(__file__).parent.parent.parent
NOTES = " ".join(COMMAND)
ADA = "member_id=MEMB-00003"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("home")
    write_home(found, tasks=2)
    return write_home(found, tasks=2, name="other_library")


def envscaler(home: Path, *words: object, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"}, input=typed)


def test_two_tasks_of_this_home_are_told_and_judged_as_one_and_kept(home: Path, tmp_path: Path) -> None:
    words = ("--scenario", "lending_library-001", "--scenario", "other_library-002", "--agent", "oracle")
    for _ in range(2):
        told = envscaler(home, "play", *words, "--out", tmp_path)
    assert told.exit_code == 0, told.output
    assert "call │ other_library__join {" in told.output
    assert told.output.count("+ loans LOAN-00001") == 2
    assert "reward 1: solved" in told.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tools-0001.json",
        "tools-0002.json",
        "trajectory-0001.json",
        "trajectory-0002.json",
    ]
    kept = Trajectory.read(tmp_path / "trajectory-0001.json")
    assert kept.verdict.solved
    offered = {one["function"]["name"] for one in json.loads((tmp_path / "tools-0001.json").read_text())}
    assert {step.tool for step in kept.steps if step.tool} <= offered


def test_a_world_without_a_scenario_and_a_server_of_others_are_played_and_judged_by_nobody(
    home: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    calls: list[dict[str, Any]] = [
        {"tool": "lending_library__note", "arguments": {"member_id": "MEMB-00003", "text": "called"}},
        {"tool": "fails"},
        {"tool": "mine__note", "arguments": {"text": "called"}},
    ]
    script.write_text(json.dumps(calls))
    words = ("play", "Note that Ada called.", "--server", "lending_library", "--server", f"mine={NOTES}")
    told = envscaler(home, *words, "--agent", f"scripted:{script}", "--out", tmp_path / "out")
    assert told.exit_code == 0, told.output
    assert "user     │ Note that Ada called." in told.output
    assert '~ members MEMB-00003: notes [] → ["2026-03-02T09:00 called"]' in told.output
    assert "error    │ That is not allowed ⟨U+001B⟩[31m." in told.output
    assert "reward 0: nobody judged it" in told.output
    kept = Trajectory.read(tmp_path / "out" / "trajectory-0001.json")
    assert [step.tool for step in kept.steps] == [*(call["tool"] for call in calls), ""]


async def test_a_model_plays_over_a_url_and_a_person_is_its_user(home: Path) -> None:
    call = Say(None, tool_calls=[("mine__note", '{"text": "Ada"}')])
    async with (
        notes_over_http() as (url, _),
        scripted_endpoint(one_after_the_other(Say("Note what?"), call, Say("It is noted."))) as models,
    ):
        servers = ("--server", f"mine={url}", "--server", "lending_library")
        words = ("play", "Note something.", *servers, "--agent", "openai:big", "--mode", "conversation")
        command = ["--home", str(home), *words]
        variables = {"OPENAI_BASE_URL": models.url, "OPENAI_API_KEY": None, "COLUMNS": "200"}
        told = await anyio.to_thread.run_sync(
            lambda: CliRunner().invoke(app, command, env=variables, input="\nThat Ada called.\ndone\n")
        )
    assert told.exit_code == 0, told.output
    offered = {one["function"]["name"] for one in models.requests[0]["tools"]}
    assert {"mine__note", "lending_library__note", "notes_count", "list_books"} <= offered
    assert [models.requests[-1]["messages"][at]["content"] for at in (1, 3)] == ["Note something.", "That Ada called."]
    # What the person has typed or was asked is not told again.
    assert [line.split() for line in told.stdout.splitlines()][:3] == [
        ["user", "│", "Note", "something."],
        ["2", "call", "│", "mine__note", '{"text":', '"Ada"}'],
        ["│", "Noted."],
    ]
    assert "The agent says:\nNote what?" in told.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a server"),
        (("--server", "lending_library"), "say what the agent shall do"),
        (("Do it.", "--server", "lending_libary"), "did you mean 'lending_library'"),
        (("Do it.", "--server", "x='"), "is no command"),
        (("--scenario", "lending_library-999"), "there is no scenario"),
        (("--scenario", "lending_library-001", "--agent", "orakel"), "There is no agent"),
        (("--scenario", "lending_library-001", "--mode", "conversation", "--user", "me"), "There is no user"),
    ],
)
def test_wrong_use_is_told(home: Path, words: tuple[str, ...], told: str) -> None:
    result = envscaler(home, "play", *words)
    assert result.exit_code == 2
    assert told in re.sub(r"[\s│]+", " ", result.output)


def test_a_server_that_cannot_be_started_is_one_clear_error(home: Path) -> None:
    told = envscaler(home, "play", "Do it.", "--server", f"mine={sys.executable} -c 0", "--agent", "noop")
    assert (told.exit_code, told.stderr.count("\n")) == (1, 1)
    assert "'mine' did not start" in told.stderr


def test_a_person_may_be_a_pipe_and_what_is_shown_to_them_is_not_in_the_document(home: Path) -> None:
    typed = f'note {ADA} text="Asked for volume 1."\ndone\n'
    told = envscaler(home, "play", "--scenario", "lending_library-001", "--json", typed=typed)
    episode = Trajectory.from_text(told.stdout, "it")
    assert [step.tool for step in episode.steps] == ["note", ""]
    assert "Somebody is at the desk" in told.stderr


def test_a_person_plays_one_episode_at_a_time(home: Path, tmp_path: Path) -> None:
    words = ("run", "--agent", "person", "--scenario", "lending_library-001", "--out", tmp_path / "run")
    refused = envscaler(home, *words)
    assert refused.exit_code == 2
    assert "add --parallel 1" in re.sub(r"[\s│]+", " ", refused.output)
    assert envscaler(home, *words, "--parallel", "1", typed="done\n").exit_code == 0
    (one,) = read_trajectories(tmp_path / "run")
    assert (one.agent, one.ended, one.verdict.owner) == ("person", "completed", "agent")


class Screen:
    """A terminal with the real command in it."""

    def __init__(self, home: Path, *words: str) -> None:
        self._master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "INPUTRC": os.devnull}
        # Whoever leads a session and opens a terminal is the one whom its Ctrl-C reaches.
        opening = ("sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(slave))
        command = [*opening, sys.executable, "-m", "envscaler_mcp", "--home", str(home), *words]
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, env=environment, cwd=ROOT, start_new_session=True
        )
        self._slave = slave
        self.seen = ""
        self._read = 0

    def until(self, text: str) -> str:
        """What is shown from where was read last until this text."""
        end = time.monotonic() + 60
        while text not in self.seen[self._read :]:
            ready, _, _ = select.select([self._master], [], [], max(0, end - time.monotonic()))
            assert ready, self.seen
            self.seen += os.read(self._master, 65536).decode(errors="replace")
        begin, self._read = self._read, self.seen.index(text, self._read) + len(text)
        return self.seen[begin : self._read]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def ended(self) -> int:
        """The exit status, when everything that was shown has been read."""
        while True:
            ready, _, _ = select.select([self._master], [], [], 0.05)
            if ready:
                self.seen += os.read(self._master, 65536).decode(errors="replace")
            elif self.process.poll() is not None:
                return self.process.returncode

    def settings(self) -> list[object]:
        return termios.tcgetattr(self._slave)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)


@contextmanager
def screen(home: Path, *words: str) -> Iterator[Screen]:
    shown = Screen(home, *words)
    try:
        yield shown
    finally:
        shown.close()


def test_a_person_at_a_keyboard_plays_the_agent(home: Path, tmp_path: Path) -> None:
    words = ("play", "--scenario", "lending_library-001", "--server", f"mine={NOTES}", "--out", str(tmp_path))
    with screen(home, *words) as shown:
        begun = shown.until("agent> ")
        assert "You work at the desk of a library." in begun
        assert "Somebody is at the desk and wants what lending_library-001 is about." in begun
        shown.type("?\n")
        assert "list_books: " in shown.until("agent> ")
        shown.type("? join\n")
        assert "usage: join name=… email=…" in shown.until("agent> ")
        for mistaken, told in (
            ("get_bok book_id=BOOK-00001", "There is no tool 'get_bok'; did you mean 'get_book'?"),
            ("get_book BOOK-00001", "'BOOK-00001' is not key=value; usage: get_book book_id=…"),
            ("get_book", "book_id is missing. usage: get_book book_id=…"),
            ('get_book {"book_id": ', "That is no JSON"),
            ("get_book book_id='x", "No closing quotation"),
            ("hello there", "Nobody reads along"),
        ):
            shown.type(f"{mistaken}\n")
            assert told in shown.until("agent> "), mistaken
        shown.type("get_bo\tbook_i\tBOOK-00001\n")
        assert '"title": "Volume 1"' in shown.until("agent> ")
        shown.type('get_book {"book_id": "BOOK-00002"}\n')
        assert '"title": "Volume 2"' in shown.until("agent> ")
        shown.type("fails\n")
        assert "That is not allowed ⟨U+001B⟩[31m." in shown.until("agent> ")
        shown.type("\x04")
        shown.until("It is kept in")
        assert shown.ended() == 0
    (path,) = tmp_path.glob("trajectory-*.json")
    episode = Trajectory.read(path)
    assert [step.tool for step in episode.steps] == ["get_book", "get_book", "fails", ""]
    assert (episode.agent, episode.ended, episode.verdict.owner) == ("person", "completed", "agent")


@pytest.mark.slow
def test_a_person_at_a_keyboard_plays_agent_and_user(home: Path, tmp_path: Path) -> None:
    words = (
        "play",
        "Ada wants to join.",
        "--server",
        "lending_library",
        "--mode",
        "conversation",
        "--out",
        str(tmp_path),
    )
    with screen(home, *words) as shown:
        assert "Ada wants to join." in shown.until("user> ")
        shown.type("\n")
        assert "The user says:" in shown.until("agent> ")
        shown.type("What is her address?\n")
        assert "The agent says:\r\nWhat is her address?" in shown.until("user> ")
        shown.type("ada@example.org\n")
        shown.until("agent> ")
        shown.type("join name='Ada Cole' email=ada@example.org\n")
        shown.until("agent> ")
        shown.type("done\n")
        assert "That is done." in shown.until("user> ")
        shown.type("done\n")
        assert shown.ended() == 0
    episode = Trajectory.read(tmp_path / "trajectory-0001.json")
    assert [str(message["content"])[:20] for message in episode.messages if message["role"] == "user"] == [
        "Ada wants to join.",
        "ada@example.org",
        "###STOP###",
    ]
    assert (episode.user, episode.ended, episode.verdict.masked) == ("person", "completed", True)
    # Nobody judges what a person may want of a world that was opened at no scenario.
    assert episode.disturbed_by is None


@pytest.mark.slow
def test_ctrl_c_ends_the_waiting_when_what_was_played_before_is_safe_and_leaves_the_terminal_as_it_was(
    home: Path, tmp_path: Path
) -> None:
    words = ("run", "--agent", "person", "--parallel", "1", "--env", "lending_library", "--out", str(tmp_path))
    with screen(home, *words) as shown:
        shown.until("agent> ")
        shown.type("done\n")
        shown.until("agent> ")
        end = time.monotonic() + 10
        while not read_run(tmp_path)[1].done:
            assert time.monotonic() < end, "the first episode waits for the person"
            time.sleep(0.01)
        shown.type("\x03")
        assert shown.ended() == 130
        assert "1 of 2 episodes are stored" in shown.seen
        assert "Stopped; every server that was started has ended." in shown.seen
        assert shown.settings() == shown.before
