"""Runs to look at, among them one in which every text wants to be something else than text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from envscaler_mcp.artifacts import Call, Scenario
from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.agent import COMPLETED, Action, Briefing
from tests.runs.home import oracle, write_home

HOSTILE = (
    "</script><script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"><!--<script> & "
    "\u2028\u2029\u202eabc\u200b\x1b[31m [bold]red[/bold] :smile: 'quoted\" `tick` ${title} \x9b31m"
    "\n✓ check 1 is true now: forged\n  check 1: true  forged"
)


def envscaler(home: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *map(str, words)], env={"COLUMNS": "200"})


class Hostile:
    """Thinks, says and calls what would break a page; gives up at last."""

    def __init__(self, briefing: Briefing) -> None:
        self._moves = [
            Action(
                text=HOSTILE,
                reasoning=HOSTILE,
                tool="note",
                arguments={"member_id": "MEMB-00003", "text": HOSTILE},
                more=(Call(tool=HOSTILE, arguments={HOSTILE: HOSTILE}),),
            ),
            Action(text=f"Shall I? {HOSTILE}"),
        ]

    def act(self, observation: str) -> Any:
        return self._moves.pop(0) if self._moves else Action(text="It is done.")


class Raising:
    """Ends with words that want to be something else."""

    def __init__(self, briefing: Briefing) -> None:
        raise ValueError(HOSTILE)


EXACT = {"book_id": 5.0, "10": 9007199254740993, "9": [], "list": [1, {"a": "b: [1]"}], "long": "😀" * 100}


class AtOnce:
    """Two calls that matter, one without a name and one with values that must not be written otherwise, in one turn."""

    def __init__(self, briefing: Briefing) -> None:
        self._moves = [
            Action(
                text="All at once.",
                tool="join",
                arguments={"name": "Reader 1", "email": "reader1@example.org"},
                more=(
                    Call(tool="lend_book", arguments=dict(oracle(1)[3].arguments)),
                    Call(tool="", arguments={"secret": 1}),
                    Call(tool="get_book", arguments=EXACT),
                ),
            )
        ]

    def act(self, observation: str) -> Any:
        return self._moves.pop(0) if self._moves else Action(text=COMPLETED)


def hostile_home(home: Path) -> Path:
    """A home in which the words of tasks and checks are hostile, and so is an id."""
    write_home(home, tasks=2)
    file = home / "generated_servers" / "lending_library" / "scenarios.jsonl"
    lines = []
    for number, line in enumerate(file.read_text().splitlines()):
        told = json.loads(line)
        told["task"] = f"Task {number}: {HOSTILE}"
        told["checks"][0]["check_item"] = f"Is it {HOSTILE}?"
        told["id"] += " <b>&amp;\u202e'\"" if number else ""
        lines.append(Scenario.from_text(json.dumps(told), "a task").to_line())
    file.write_text("".join(lines))
    return home


def hostile_run(home: Path, out: Path) -> Path:
    told = envscaler(
        home, "run", "--agent", "tests.viewer.playing:Hostile", "--mode", "conversation", "--out", out, "--json"
    )
    assert json.loads(told.output)["failures"] == {"agent": 2}, told.output
    return out
