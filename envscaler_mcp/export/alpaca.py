"""Alpaca rows as the paper trains on them: tools, calls and answers written out, one row for each turn of the agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.export.dataset_info import enlisted
from envscaler_mcp.export.dialogue import Dialogue
from envscaler_mcp.export.formats import Format
from envscaler_mcp.export.hermes import exchanges, heard, instructed, said, system_of
from envscaler_mcp.export.table import Row, write_lines
from envscaler_mcp.export.turn import history_by_turn

_COLUMNS = {
    "prompt": "instruction",
    "query": "input",
    "response": "output",
    "system": "system",
    "history": "history",
}


def write_alpaca(path: Path, dialogues: Iterable[Dialogue]) -> int:
    """One row for each turn of the agent, to be trained with `mask_history`."""
    with enlisted(path, "alpaca", _COLUMNS):
        return write_lines(path, (row for dialogue in dialogues for row in _rows(dialogue)))


def _rows(dialogue: Dialogue) -> Iterator[Row]:
    facts = dialogue.facts
    for number, messages in enumerate(history_by_turn(dialogue.lesson), 1):
        *history, (instruction, output) = [
            (heard(observed), said(message)) for observed, message in exchanges(messages)
        ]
        yield {
            "instruction": instruction,
            "input": "",
            "output": output,
            "system": instructed(system_of(messages), dialogue.tools),
            "history": history,
            **facts,
            "turn": number,
        }


FORMAT = Format(*EXPORT_FORMATS["alpaca"], write_alpaca)
