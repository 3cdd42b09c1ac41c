"""One turn of the agent to learn, after a history to read: the paper's split of a conversation with n turns in n parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envscaler_mcp.export.dialogue import Message


def history_by_turn(lesson: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """For each turn all messages up to it. Only the last one keeps its reasoning: models that play are not reminded of theirs."""
    history: list[Message] = []
    for message in lesson:
        if message["role"] == "assistant":
            yield (*history, message)
        history.append({key: value for key, value in message.items() if key != "reasoning_content"})
