"""One episode in the terminal, as the conversation that it was."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.text import Text

from envscaler_mcp.artifacts import Check, Verdict
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.cli.printing import LONGEST
from envscaler_mcp.episode.transcript import written_arguments
from envscaler_mcp.html.visible import on_one_line, visible
from envscaler_mcp.viewer.changes import change_lines
from envscaler_mcp.viewer.milestones import Milestone
from envscaler_mcp.viewer.review import Reviewed
from envscaler_mcp.viewer.turns import Turn, turns_of

_INDENT = 9
_COLOURS = {"+": "green", "-": "red", "~": "cyan"}


def print_episode(reviewed: Reviewed) -> None:
    """Who said, thought and called what, what that changed, and which checks turned true with it."""
    episode = reviewed.episode
    telling = Telling(
        episode.mode,
        reviewed.scenario.checks if reviewed.scenario else (),
        {milestone.step: milestone for milestone in reviewed.milestones},
    )
    telling.title(episode.id)
    telling.first(episode.messages)
    for turn in turns_of(episode.steps):
        telling.turn(turn)
    telling.verdict(episode.verdict)
    if reviewed.unsure:
        telling.warning(f"When checks turned true is not known for sure: {reviewed.unsure}")
    if reviewed.unreadable:
        telling.warning(f"Nothing else can be shown: {reviewed.unreadable}")


class Telling:
    """Tells an episode bit by bit, while it is played or afterwards."""

    def __init__(
        self,
        mode: Mode,
        checks: Sequence[Check] = (),
        milestones: Mapping[int, Milestone] = MappingProxyType({}),
    ) -> None:
        self._conversation = mode == "conversation"
        self._checks = checks
        self._milestones = milestones
        # Nothing in a record is markup, an emoji code or something to be coloured by its looks.
        self._console = Console(markup=False, emoji=False, highlight=False, soft_wrap=True)

    def title(self, text: str) -> None:
        """What stands above."""
        self._line(text, "bold")

    def first(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """What the agent was told to do."""
        first = next((str(message.get("content", "")) for message in messages if message.get("role") == "user"), "")
        if first:
            self._recorded("user", first)

    def turn(self, turn: Turn) -> None:
        """A move of the agent, or a part of it."""
        for place, step in turn.steps:
            if step.reasoning:
                self._recorded("thinks", step.reasoning, "dim italic")
            if step.text:
                self._recorded("agent", step.text)
            if not turn.spoken:
                self._recorded(f"{place:3} call", f"{step.tool or '(no name)'} {written_arguments(step)}", "bold")
            hears = "error" if step.is_error else "" if not turn.spoken else "user" if self._conversation else "hears"
            style = "yellow" if step.is_error else "" if turn.spoken else "dim"
            if step.observation:
                self._recorded(hears, step.observation, style)
            for line in change_lines(step.diff, LONGEST):
                self._line(line, _COLOURS[line[0]], _INDENT)
            self._turned(self._milestones.get(place))

    def _turned(self, milestone: Milestone | None) -> None:
        if milestone is not None:
            for number in milestone.turned_true:
                self._line(f"✓ check {number} is true now: {self._question(number)}", "bold green", _INDENT)
            for number in milestone.turned_false:
                self._line(f"✗ check {number} is not true any more: {self._question(number)}", "bold red", _INDENT)

    def _question(self, number: int) -> str:
        return self._checks[number - 1].check_item if self._checks else ""

    def verdict(self, verdict: Verdict) -> None:
        """What it was worth."""
        owner = f" (failure of: {verdict.owner})" if verdict.owner else ""
        self._line(f"reward {verdict.reward:g}: {verdict.reason or 'solved'}{owner}", "bold")
        for number, answer in enumerate(verdict.checks, 1):
            line = f"check {number}: {'true' if answer else 'not true'}  {self._question(number)}"
            self._line(line.rstrip(), "green" if answer else "red", indent=2)
        for violation in verdict.frame_violations:
            self._line(f"outside the frame: {violation}", "red", indent=2)

    def warning(self, text: str) -> None:
        """What cannot be told."""
        self._line(text, "yellow", indent=2)

    def _recorded(self, who: str, text: str, style: str = "") -> None:
        """Recorded text behind its speaker and a bar in each line, so that it cannot pass for text of this program."""
        lines = [part for line in visible(text).split("\n") for part in self._wrapped(line, _INDENT + 2)]
        for number, line in enumerate(lines):
            head = (who if number == 0 else "").ljust(_INDENT)
            self._console.print(Text.assemble((f"{head}│ ", "cyan"), (line, style)))

    def _line(self, text: str, style: str, indent: int = 0) -> None:
        for line in self._wrapped(on_one_line(text), indent):
            self._console.print(Text.assemble(" " * indent, (line, style)))

    def _wrapped(self, line: str, indent: int) -> list[str]:
        """As it fits on a screen, and as it is in a pipe."""
        if not self._console.is_terminal:
            return [line]
        return textwrap.wrap(line, max(20, self._console.width - indent), break_on_hyphens=False) or [""]
