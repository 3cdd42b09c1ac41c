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
from envscaler_mcp.scoring.trajectory import content_digest
from tests.export.dialogues import rows_in
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


def test_two_tasks_of_this_home_are_told_and_judged_as_one_and_are_a_run_as_any_other(
    home: Path, tmp_path: Path
) -> None:
    words = ("--scenario", "lending_library-001", "--scenario", "other_library-002", "--agent", "oracle")
    told = envscaler(home, "play", *words, "--out", tmp_path / "run")
    assert told.exit_code == 0, told.output
    assert "call │ other_library__join {" in told.output
    assert told.output.count("+ loans LOAN-00001") == 2
    assert "reward 1: solved" in told.output
    (episode,) = read_trajectories(tmp_path / "run")
    assert episode.verdict.solved
    assert {step.tool for step in episode.steps if step.tool} <= {tool.name for tool in episode.tools}
    run = tmp_path / "run"
    shown = envscaler(home, "runs", "show", run, "--episode", episode.id)
    assert shown.exit_code == 0, shown.output
    assert "other_library__join" in shown.output
    assert "1 of 1 episodes are identical" in envscaler(home, "runs", "replay", run).output
    rescored = envscaler(home, "runs", "rescore", run, "--scoring", "upstream", "--out", tmp_path / "upstream")
    assert rescored.exit_code == 0, rescored.output
    (again,) = read_trajectories(tmp_path / "upstream")
    assert (again.verdict.scoring, again.verdict.solved, len(again.verdict.checks)) == ("upstream", True, 8)
    page = tmp_path / "run.html"
    assert "shows 1 episodes" in envscaler(home, "runs", "html", run, "--out", page).output
    rows = tmp_path / "rows.jsonl"
    assert envscaler(home, "export", run, "--format", "trl", "--out", rows).exit_code == 0
    (row,) = rows_in(rows)
    assert {tool["function"]["name"] for tool in json.loads(row["tools"])} == {tool.name for tool in episode.tools}
    # A trainer opens one world at a scenario, and could not practise this.
    for_practice = envscaler(home, "export", run, "--format", "verl", "--out", tmp_path / "rows.parquet")
    assert "1 left out (servers)" in for_practice.output
    # The same command finds it done; another one begins no second run there.
    again_played = envscaler(home, "play", *words, "--out", run)
    assert (again_played.exit_code, "reward 1: solved" in again_played.output) == (0, True)
    assert len(list(read_trajectories(run))) == 1
    refused = envscaler(home, "play", *words, "--seed", "3", "--out", run)
    assert "holds another run" in refused.output


def test_one_task_of_this_home_is_played_as_run_plays_it(home: Path, tmp_path: Path) -> None:
    words = ("--scenario", "lending_library-001", "--agent", "oracle", "--out")
    assert envscaler(home, "play", *words, tmp_path / "play").exit_code == 0
    assert envscaler(home, "run", *words, tmp_path / "run").exit_code == 0
    (played,), (run) = read_trajectories(tmp_path / "play"), next(read_trajectories(tmp_path / "run"))
    assert content_digest(played) == content_digest(run)
    assert read_run(tmp_path / "play")[0].episodes == read_run(tmp_path / "run")[0].episodes


def test_a_world_without_a_scenario_and_a_server_of_another_program_are_played_and_not_judged(
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
    run = tmp_path / "run"
    told = envscaler(home, *words, "--agent", f"scripted:{script}", "--out", run)
    assert told.exit_code == 0, told.output
    assert "user     │ Note that Ada called." in told.output
    assert '~ members MEMB-00003: notes [] → ["2026-03-02T09:00 called"]' in told.output
    assert "error    │ That is not allowed ⟨U+001B⟩[31m." in told.output
    assert "reward 0: it was not judged" in told.output
    (episode,) = read_trajectories(run)
    assert [step.tool for step in episode.steps] == [*(call["tool"] for call in calls), ""]
    # What starts a server may hold a key: neither the plan nor the record says it.
    assert str(COMMAND[-1]) not in (run / "plan.json").read_text() + episode.to_text()
    replayed = envscaler(home, "runs", "replay", run)
    assert "cannot be replayed: 'mine' is a server of another program" in " ".join(replayed.output.split())
    rescored = envscaler(home, "runs", "rescore", run, "--out", tmp_path / "again")
    assert (rescored.exit_code, "is not judged: 'mine' is a server" in " ".join(rescored.output.split())) == (1, True)
    assert "lending_library__note" in envscaler(home, "runs", "show", run, "--episode", episode.id).output
    records = tmp_path / "atif"
    assert (
        "1 of 1 episodes are 1 entries" in envscaler(home, "export", run, "--format", "atif", "--out", records).output
    )


def test_worlds_without_a_scenario_are_replayed_and_stay_not_judged(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"tool": "note", "arguments": {"member_id": "MEMB-00003", "text": "called"}}]))
    words = (
        "play",
        "Note it.",
        "--server",
        "lending_library",
        "--agent",
        f"scripted:{script}",
        "--out",
        tmp_path / "run",
    )
    assert envscaler(home, *words).exit_code == 0
    assert "1 of 1 episodes are identical" in envscaler(home, "runs", "replay", tmp_path / "run").output
    assert envscaler(home, "runs", "rescore", tmp_path / "run", "--out", tmp_path / "again").exit_code == 0
    (episode,) = read_trajectories(tmp_path / "again")
    assert (episode.verdict.masked, episode.verdict.owner) == (True, None)


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
            ("hello there", "No user reads along"),
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
        shown.until("It is in")
        assert shown.ended() == 0
    (episode,) = read_trajectories(tmp_path)
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
    (episode,) = read_trajectories(tmp_path)
    assert [str(message["content"])[:20] for message in episode.messages if message["role"] == "user"] == [
        "Ada wants to join.",
        "ada@example.org",
        "###STOP###",
    ]
    assert (episode.user, episode.ended, episode.verdict.masked) == ("person", "completed", True)
    # No check says what a person may want of a world that was opened at no scenario.
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


def test_the_agents_moves_wait_for_enter_one_by_one(home: Path) -> None:
    with screen(home, "play", "--scenario", "lending_library-001", "--agent", "oracle", "--step") as shown:
        for number in range(1, 8):
            assert f"{number - 1:3} call" in shown.until("Enter for the next move> ") or number == 1
            assert f"{number:3} call" not in shown.seen
            shown.type("\n")
        shown.until("Enter for the next move> ")
        shown.type("done\n")
        shown.until("reward 1: solved")
        assert shown.ended() == 0


def test_after_done_the_moves_wait_no_more(home: Path) -> None:
    words = ("play", "--scenario", "lending_library-001", "--agent", "oracle", "--step")
    assert envscaler(home, *words, typed="\ndone\n").output.count("reward 1: solved") == 1
    assert envscaler(home, *words, typed="").output.count("reward 1: solved") == 1


def test_waiting_takes_no_time_of_the_episode(home: Path, tmp_path: Path) -> None:
    words = ("play", "--scenario", "lending_library-001", "--agent", "oracle", "--max-seconds", "1")
    paced = envscaler(home, *words, "--pace", "0.3", "--out", tmp_path)
    assert paced.exit_code == 0, paced.output
    (episode,) = read_trajectories(tmp_path)
    # Eight moves, each of them after a wait.
    assert (episode.ended, episode.verdict.solved) == ("completed", True)


@pytest.mark.parametrize("words", [("--step", "--pace", "1"), ("--step", "--agent", "person"), ("--pace", "-1")])
def test_a_pace_that_cannot_be_meant_is_wrong_use(home: Path, words: tuple[str, ...]) -> None:
    assert envscaler(home, "play", "--scenario", "lending_library-001", "--agent", "oracle", *words).exit_code == 2
