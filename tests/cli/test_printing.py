"""What people are shown is what was said, whatever signs are in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.cli.printing import print_json, print_table, progress_bar


@contextmanager
def screen(monkeypatch: pytest.MonkeyPatch, stream: str) -> Iterator[list[str]]:
    """What somebody at a terminal sees of the block, afterwards."""
    seen, program = os.openpty()
    shown: list[str] = []
    with Path(os.ttyname(program)).open("w") as terminal:
        monkeypatch.setattr(sys, stream, terminal)
        yield shown
        monkeypatch.undo()
    os.set_blocking(seen, False)
    text = b""
    with suppress(BlockingIOError):
        while part := os.read(seen, 4096):
            text += part
    shown.append(text.decode())
    os.close(program)
    os.close(seen)


def test_a_name_with_brackets_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with screen(monkeypatch, "stderr") as shown, progress_bar("importing") as progress:
        progress("desk[/red]", 1, 2)
    assert "importing desk[/red]" in shown[0]


def test_no_name_steers_the_terminal_while_something_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with screen(monkeypatch, "stderr") as shown, progress_bar("playing") as progress:
        progress("a\x1b]0;x\x07\x9b31m\nb", 1, 2)
    assert "playing a⟨U+001B⟩]0;x⟨U+0007⟩⟨U+009B⟩31m⟨U+000A⟩b" in shown[0]


def test_json_says_on_a_screen_and_in_a_pipe_by_escapes_what_would_steer(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with screen(monkeypatch, "stdout") as shown:
        print_json({"id": "ü\x9b31m\u202e"})
    assert r'"ü\u009b31m\u202e"' in shown[0]
    print_json({"id": "ü\x9b31m\u202e"})
    assert r'"ü\u009b31m\u202e"' in capsys.readouterr().out


def test_no_cell_of_a_table_makes_a_line_of_its_own(capsys: Any) -> None:
    print_table(("episode", "why"), [("one", "boom\ntwo      solved")])
    assert capsys.readouterr().out == "episode  why\none      boom⟨U+000A⟩two      solved\n"
