"""What goes over standard streams, line by line, as hosts of either era write it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}


class Wire:
    """A server spoken to in raw lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._asked = 0

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        self._asked += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params or {}}).encode())
        answer = self.read()
        assert answer["id"] == self._asked
        return answer

    def tell(self, method: str) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method}).encode())


@contextmanager
def served(folder: Path) -> Iterator[Wire]:
    command = [sys.executable, str(folder / "server.py")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        try:
            yield Wire(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(30) == 0


def test_a_host_may_ask_what_is_there_and_then_open_in_the_older_way(library_folder: Path) -> None:
    with served(library_folder) as wire:
        for _ in range(2):
            found = wire.ask("server/discover", {"_meta": ENVELOPE})["result"]
            assert found["supportedVersions"] == ["2026-07-28"]
            assert "You work with the lending library." in found["instructions"]
        opened = wire.ask("initialize", HELLO)["result"]
        assert opened["protocolVersion"] == "2025-11-25"
        wire.tell("notifications/initialized")
        assert len(wire.ask("tools/list")["result"]["tools"]) == 9
        assert wire.ask("tools/call", {"name": "list_books"})["result"]["isError"] is False


def test_a_host_may_ask_what_is_there_and_go_on_in_the_newer_way(library_folder: Path) -> None:
    with served(library_folder) as wire:
        wire.ask("server/discover", {"_meta": ENVELOPE})
        answer = wire.ask("tools/call", {"name": "list_books", "_meta": ENVELOPE})
        assert answer["result"]["resultType"] == "complete"
        assert wire.ask("server/discover", {"_meta": ENVELOPE})["result"]["supportedVersions"] == ["2026-07-28"]


def test_a_question_without_its_envelope_is_answered_with_what_is_missing(library_folder: Path) -> None:
    with served(library_folder) as wire:
        assert "error" in wire.ask("server/discover")
        assert wire.ask("initialize", HELLO)["result"]["serverInfo"]["name"] == "lending_library"


def test_lines_that_are_no_messages_are_answered_and_survived(library_folder: Path) -> None:
    with served(library_folder) as wire:
        for line, code in (
            (b"{", -32700),
            (b"\xff\xfe", -32700),
            (b'"x"', -32600),
            (b"[]", -32600),
            (b"[" * 100_000, -32700),
            (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
            (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
            (b"x" * (4 * 1024 * 1024 + 10), -32600),
        ):
            wire.send(b"")
            wire.send(line)
            answer = wire.read()
            assert (answer["id"], answer["error"]["code"]) == (None, code), line[:40]
        wire.ask("initialize", HELLO)
        wire.tell("notifications/initialized")
        assert wire.ask("tools/call", {"name": "get_book", "arguments": {"book_id": "BOOK-00001"}})["result"]


def test_what_environment_code_prints_never_reaches_a_message(library_folder: Path) -> None:
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"_meta": ENVELOPE, "name": name, **rest}}
        for number, (name, rest) in enumerate(
            [("stumble", {"arguments": {"member_id": "MEMB-00001"}}), ("list_books", {})] * 3
        )
    ]
    done = subprocess.run(
        [sys.executable, str(library_folder / "server.py")],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {answer["id"] for answer in answers} == set(range(6))
    assert sum(answer["result"]["isError"] for answer in answers) == 3
    assert done.stderr.count("stumbling, and talking about it") == 3


def test_a_long_message_and_a_long_answer_go_through(library_folder: Path) -> None:
    with served(library_folder) as wire:
        wire.ask("initialize", HELLO)
        wire.tell("notifications/initialized")
        text = "x" * 9_000
        note = {
            "name": "note",
            "arguments": {"member_id": "MEMB-00001", "text": text},
            "_meta": {"padding": "y" * 500_000},
        }
        assert wire.ask("tools/call", note)["result"]["isError"] is False
        answer = wire.ask("tools/call", {"name": "note", "arguments": {"member_id": "z" * 9_999, "text": text}})
        assert "z" * 9_999 in answer["result"]["content"][0]["text"]


def test_requests_sent_all_at_once_are_all_answered(library_folder: Path) -> None:
    with served(library_folder) as wire:
        wire.ask("initialize", HELLO)
        wire.tell("notifications/initialized")
        call = {"name": "list_books", "arguments": {}}
        for number in range(300):
            message = {"jsonrpc": "2.0", "id": f"r{number}", "method": "tools/call", "params": call}
            wire.send(json.dumps(message).encode())
        assert {wire.read()["id"] for _ in range(300)} == {f"r{number}" for number in range(300)}


def test_messages_may_come_from_a_file(library_folder: Path, tmp_path: Path) -> None:
    messages = tmp_path / "messages.jsonl"
    call = {"name": "list_books", "_meta": ENVELOPE}
    messages.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}) + "\n")
    answers = tmp_path / "answers.jsonl"
    with messages.open("rb") as source, answers.open("wb") as target:
        done = subprocess.run(
            [sys.executable, str(library_folder / "server.py")], stdin=source, stdout=target, timeout=60, check=True
        )
    assert done.returncode == 0
    assert json.loads(answers.read_text())["result"]["isError"] is False
