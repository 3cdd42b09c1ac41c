"""A conversation with n turns is n lessons, and what is to be learned is the last turn of each."""

from __future__ import annotations

from envscaler_mcp.export.turn import history_by_turn
from tests.export.dialogues import TALK, dialogue


def test_each_turn_is_learned_once_after_a_history_without_thoughts() -> None:
    lesson = dialogue(TALK).lesson
    found = list(history_by_turn(lesson))
    assert [one[-1] for one in found] == [message for message in lesson if message["role"] == "assistant"]
    assert [len(one) for one in found] == [3, 5, 7, 10]
    assert not any("reasoning_content" in message for one in found for message in one[:-1])
    assert found[-1][2] == {key: value for key, value in TALK[2].items() if key != "reasoning_content"}
