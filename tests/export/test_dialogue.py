"""A trajectory becomes one conversation, in one shape whoever wrote its messages."""

from __future__ import annotations

import pytest

from envscaler_mcp.artifacts import Verdict
from envscaler_mcp.errors import ExportError
from envscaler_mcp.export.dialogue import FACTS, Message
from tests.export.dialogues import TALK, agent, answer, call, dialogue, user


def test_an_episode_ends_with_the_agents_last_turn_where_it_is_a_lesson() -> None:
    one = dialogue(TALK)
    assert one.messages == TALK
    assert one.lesson == TALK[:-1]
    assert one.prompt == TALK[:2]
    assert one.turns == 4


def test_where_the_agent_never_spoke_there_is_a_prompt_and_no_lesson() -> None:
    one = dialogue(TALK[:2])
    assert (one.prompt, one.lesson, one.turns) == (TALK[:2], (), 0)


def test_contents_and_arguments_are_texts_whoever_wrote_them() -> None:
    given = agent("", call("find", {}))
    given |= {"content": None, "reasoning_content": "\nHm.\n"}
    given["tool_calls"][0]["function"]["arguments"] = {"shelf": "ä"}
    _, shaped, _ = dialogue([user("Hi"), given, answer("none")]).messages
    assert shaped == agent("", call("find", '{"shelf": "ä"}'), thought="Hm.")
    spaced = agent("\n\nSo.", call("find", '{"shelf":"\\u00e4"}'))
    assert dialogue([user("Hi"), spaced]).messages[1] == agent("So.", call("find", '{"shelf": "ä"}'))


def test_what_an_episode_was_worth_and_where_it_belongs_is_told() -> None:
    spoilt = dialogue(TALK, verdict=Verdict(owner="timeout", masked=True))
    assert (spoilt.facts["solved"], spoilt.facts["owner"], spoilt.facts["masked"]) == (False, "timeout", True)
    one = dialogue(TALK, "held_out", mode="conversation", user="scripted", ended="steps")
    assert one.facts.keys() == FACTS.keys()
    assert one.facts == {
        "id": "library-001/oracle/1",
        "digest": one.trajectory.digest,
        "environment": "library",
        "scenario": "library-001",
        "split": "held_out",
        "agent": "oracle",
        "mode": "conversation",
        "user": "scripted",
        "ended": "steps",
        "scoring": "framed",
        "grading": "",
        "reward": 1.0,
        "solved": True,
        "owner": "",
        "masked": False,
        "disturbances": "",
    }


@pytest.mark.parametrize("message", [{"content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [7]}])
def test_messages_that_nobody_of_ours_wrote_are_told_with_their_episode(message: Message) -> None:
    with pytest.raises(ExportError, match="the messages of 'library-001/oracle/1' cannot be read"):
        dialogue([message])
