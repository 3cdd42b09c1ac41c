"""Alpaca rows say in words what the model's own template says, and train one turn each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings

from envscaler_mcp.export.alpaca import write_alpaca
from envscaler_mcp.export.turn import history_by_turn
from tests.export.dialogues import TALK, dialogue, qwen3, rows_in, talks


def chat(row: Any) -> list[dict[str, str]]:
    """The row as messages: what `AlpacaDatasetConverter` in LLaMA-Factory's data/converter.py makes of it."""
    told = [part for pair in [*row["history"], (row["instruction"], row["output"])] for part in pair]
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(told)]
    return [{"role": "system", "content": row["system"]}, *turns]


@settings(deadline=None, max_examples=25)
@given(talks())
@example(TALK)
def test_each_row_reads_like_the_conversation_up_to_its_turn(
    tmp_path_factory: Any, talk: tuple[dict[str, Any], ...]
) -> None:
    one, path = dialogue(talk), tmp_path_factory.mktemp("alpaca") / "rows.jsonl"
    assert write_alpaca(path, [one]) == one.turns
    rows = rows_in(path)
    assert [row["turn"] for row in rows] == list(range(1, one.turns + 1))
    assert [qwen3(chat(row)) for row in rows] == [qwen3(turn, one.tools) for turn in history_by_turn(one.lesson)]


def test_only_the_last_turn_of_a_row_thinks_and_nothing_but_it_is_trained(tmp_path: Path) -> None:
    write_alpaca(tmp_path / "rows.jsonl", [dialogue(TALK)])
    rows = rows_in(tmp_path / "rows.jsonl")
    assert [row["output"] for row in rows] == [
        (
            "<think>\nWhich ones?\n</think>\n\n"
            '<tool_call>\n{"name": "find", "arguments": {"shelf": "a/b", "n": 1.5, "deep": {"x": [null, true]}}}\n</tool_call>'
        ),
        "There are two. Which one?",
        (
            "<think>\nTwo calls\n\nat once.\n</think>\n\nThen both.\n"
            '<tool_call>\n{"name": "lend_book", "arguments": {"book_id": "BOOK-1"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "lend_book", "arguments": {"book_id": "BOOK-2"}}\n</tool_call>'
        ),
        "Task Completed",
    ]
    # With `mask_history` the text before the output is all that carries no loss.
    for row in rows:
        text = qwen3(chat(row))
        assert text.removesuffix("<|im_end|>\n").endswith(row["output"])
        assert "<think>" not in text.removesuffix("<|im_end|>\n").removesuffix(row["output"]).removesuffix(
            "<think>\n\n</think>\n\n"
        )


def test_the_list_of_data_sets_names_the_columns_as_the_paper_does(tmp_path: Path) -> None:
    write_alpaca(tmp_path / "first.jsonl", [dialogue(TALK)])
    # From sft/README.md of RUC-NLPIR/EnvScaler.
    assert json.loads((tmp_path / "dataset_info.json").read_text()) == {
        "first": {
            "file_name": "first.jsonl",
            "formatting": "alpaca",
            "columns": {
                "prompt": "instruction",
                "query": "input",
                "response": "output",
                "history": "history",
                "system": "system",
            },
        }
    }
