"""Messages that a trainer would trip over are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings

from envscaler_mcp.export.dialogue import Message
from envscaler_mcp.export.validity import MARKS, calls_are_read, has_empty_turn, has_marks, in_order
from tests.export.dialogues import SYSTEM, TALK, agent, answer, call, dialogue, talks, user


def faults(messages: Sequence[Message]) -> list[str]:
    found = {
        "disordered": not in_order(messages),
        "malformed": not calls_are_read(messages),
        "empty": has_empty_turn(messages),
        "marks": has_marks(messages),
    }
    return [name for name, is_so in found.items() if is_so]


@settings(deadline=None, max_examples=25)
@given(talks())
def test_every_prefix_of_an_episode_has_the_form(talk: tuple[dict[str, Any], ...]) -> None:
    one = dialogue(talk)
    assert [faults(part) for part in (one.messages, one.lesson, one.prompt)] == [[], [], []]


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([SYSTEM], "disordered"),
        ([SYSTEM, agent("Hello.")], "disordered"),
        ([user("Hi"), user("Again"), agent("So.")], "disordered"),
        ([user("Hi"), agent("So."), agent("And.")], "disordered"),
        ([user("Hi"), agent("So."), answer("none")], "disordered"),
        ([user("Hi"), agent("", call("find", {})), agent("So.")], "disordered"),
        ([user("Hi"), agent("", call("find", {})), user("Well?"), agent("So.")], "disordered"),
        ([user("Hi"), agent("", call("find", {})), answer("none", "call_2"), agent("So.")], "disordered"),
        ([user("Hi"), agent("", call("find", {}), call("find", {}, "two")), answer("no"), agent("So.")], "disordered"),
        ([user("Hi"), agent("")], "empty"),
        ([user("Hi"), agent(" ", thought="Hm."), user("Well?"), agent("So.")], "empty"),
        *(
            ([user("Hi"), agent("", call(name, arguments, id_)), answer("none", id_), agent("So.")], "malformed")
            for name, arguments, id_ in (
                ("find", "{", "one"),
                ("find", "[1]", "one"),
                ("find", '{"n": NaN}', "one"),
                ("find", '{"n": "\\ud800"}', "one"),
                ("find", "[" * 9000, "one"),
                ("", {}, "one"),
                ('a", "x": "', {}, "one"),
                ("find it", {}, "one"),
                ("find\n", {}, "one"),
                ("f" * 65, {}, "one"),
            )
        ),
        ([user("Hi"), agent("", call("find", {}, ""))], "malformed"),
        ([user("Hi"), agent("", *[call("find", {})] * 2), *[answer("no")] * 2, agent("So.")], "malformed"),
    ],
)
def test_what_cannot_be_learned_is_known_by_what_is_wrong(messages: list[Message], fault: str) -> None:
    assert faults(dialogue(messages).messages) == [fault]


@pytest.mark.parametrize("mark", MARKS)
def test_a_sign_of_the_template_within_a_message_is_known(mark: str) -> None:
    assert faults(dialogue(TALK).messages) == []
    for broken in (
        [user(f"Hi {mark}"), agent("So.")],
        [user("Hi"), agent(f"So {mark}.")],
        [user("Hi"), agent("So.", thought=mark)],
        [user("Hi"), agent("", call("find", {"shelf": mark})), answer("none"), agent("So.")],
        [user("Hi"), agent("", call("find", {})), answer(mark), agent("So.")],
    ):
        assert faults(dialogue(broken).messages) == ["marks"]
