"""A model at work with tools is told what it did wrong, and goes on."""

from __future__ import annotations

from typing import Any

from envscaler_mcp.llm import ModelParams
from envscaler_mcp.llm.acting import act
from envscaler_mcp.llm.openai_chat import OpenAIChat
from tests.llm.asking import endpoint, prompt
from tests.llm.endpoint import Say, one_after_the_other, scripted_endpoint


async def test_arguments_that_are_no_plain_object_are_told_and_nothing_is_done() -> None:
    odd = ['{"ward": ', "[4]", '{"ward": "\\ud800"}', '{"ward": NaN}', '{"ward": ' + "[" * 100_000]

    async def perform(tool: str, given: dict[str, Any]) -> str:
        raise AssertionError(f"{tool}({given}) must not be done")

    turns = [Say(None, tool_calls=[("list_beds", arguments)]) for arguments in odd]
    async with (
        scripted_endpoint(one_after_the_other(*turns, Say("Done."))) as place,
        OpenAIChat(endpoint(place.url)) as chat,
    ):
        ended = await act(chat, ModelParams(model="small"), prompt(), [], perform, turns=9)
    assert (ended.how, ended.text, ended.turns) == ("said", "Done.", 6)
    for asked in place.requests[1:]:
        assert "no JSON object; nothing was done" in asked["messages"][-1]["content"]
    # What no endpoint could read is not sent back, nor one id twice.
    made = [call for message in place.requests[-1]["messages"] for call in message.get("tool_calls", ())]
    assert {call["function"]["arguments"] for call in made} == {"{}"}
    assert len({call["id"] for call in made}) == 5
