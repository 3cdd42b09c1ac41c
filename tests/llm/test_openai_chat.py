"""An endpoint is understood however it answers, and what it cannot do is told in a sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.llm import Author, Message, ModelParams, ToolCall, UnansweredError, Usage, model_access
from envscaler_mcp.llm.bounded_answers import MOST_BYTES
from envscaler_mcp.llm.openai_chat import OpenAIChat
from envscaler_mcp.prompts import Prompts
from tests.llm.asking import endpoint, question
from tests.llm.endpoint import (
    Asked,
    Fail,
    Garbage,
    Half,
    Hang,
    Reply,
    Reset,
    Say,
    Vector,
    one_after_the_other,
    scripted_endpoint,
)


async def test_an_answer_comes_with_what_it_took() -> None:
    async with (
        scripted_endpoint(one_after_the_other(Say("Four.", usage=(12, 3)))) as place,
        OpenAIChat(endpoint(place.url)) as chat,
    ):
        answer = await chat.answer(question(temperature=0.2, max_tokens=50))
    assert (answer.text, answer.finish) == ("Four.", "stop")
    assert answer.usage == Usage(prompt_tokens=12, completion_tokens=3)
    (asked,) = place.requests
    assert (asked["_path"], asked["_key"], asked["model"]) == ("/v1/chat/completions", "sk-test", "small")
    assert (asked["temperature"], asked["max_tokens"]) == (0.2, 50)
    assert asked["messages"] == [{"role": "user", "content": "How many wards are there?"}]


@pytest.mark.parametrize(
    "said",
    [
        Say("Four.", reasoning="North, south, east, west."),
        Say("<think>North, south, east, west.</think>\n\nFour."),
        Say("North, south, east, west.\n</think>\nFour."),
    ],
    ids=["its own field", "in the text", "opened by the template"],
)
async def test_thoughts_are_no_part_of_the_answer(said: Say) -> None:
    async with scripted_endpoint(one_after_the_other(said)) as place, OpenAIChat(endpoint(place.url)) as chat:
        answer = await chat.answer(question())
    assert (answer.text, answer.reasoning) == ("Four.", "North, south, east, west.")


async def test_thoughts_that_never_ended_leave_no_answer() -> None:
    said = Say("<think>North, south,", finish="length")
    async with scripted_endpoint(one_after_the_other(said)) as place, OpenAIChat(endpoint(place.url)) as chat:
        answer = await chat.answer(question())
    assert (answer.text, answer.reasoning, answer.finish) == ("", "North, south,", "length")


async def test_calls_of_tools_go_there_and_back() -> None:
    tool = {"type": "function", "function": {"name": "list_wards", "parameters": {"type": "object"}}}
    said = Say(None, finish="tool_calls", tool_calls=[("list_wards", "{}"), ("list_beds", '{"ward": ')])
    async with (
        scripted_endpoint(one_after_the_other(said, Say("Four."))) as place,
        OpenAIChat(endpoint(place.url)) as chat,
    ):
        first = await chat.answer(question(tools=(tool,)))
        assert first.finish == "tool_calls"
        assert first.tool_calls == (
            ToolCall(id="call_0", name="list_wards", arguments="{}"),
            ToolCall(id="call_1", name="list_beds", arguments='{"ward": '),
        )
        turns = (
            Message(role="user", content="How many?"),
            Message(role="assistant", tool_calls=first.tool_calls[:1]),
            Message(role="tool", tool_call_id="call_0", content="[]"),
        )
        await chat.answer(question(messages=turns))
    assert place.requests[0]["tools"] == [tool]
    assert place.requests[1]["messages"][1]["tool_calls"][0]["function"] == {"name": "list_wards", "arguments": "{}"}
    assert place.requests[1]["messages"][2]["tool_call_id"] == place.requests[1]["messages"][1]["tool_calls"][0]["id"]


async def test_what_is_sent_back_is_taken_by_strict_endpoints_whatever_the_model_made() -> None:
    def calls(*made: tuple[str, str]) -> Message:
        ids = ["0", "0", "0"]
        told = tuple(
            ToolCall(id=id_, name=name, arguments=given) for id_, (name, given) in zip(ids, made, strict=False)
        )
        return Message(role="assistant", tool_calls=told)

    turns = (
        Message(role="user", content="How many?"),
        calls(("list wards!", '{"a": 1}'), ("", '{"a": '), ("look", "[]")),
        *(Message(role="tool", tool_call_id="0", content=f"answer {number}") for number in range(3)),
        Message(role="assistant", content=" \n"),
        Message(role="user", content="Go on."),
        calls(("look", "")),
        Message(role="tool", tool_call_id="0", content="answer 3"),
    )
    async with scripted_endpoint(lambda _: Say("Four.")) as place, OpenAIChat(endpoint(place.url)) as chat:
        await chat.answer(question(messages=turns))
    sent = place.requests[0]["messages"]
    made = [call for message in sent for call in message.get("tool_calls", ())]
    ids = [call["id"] for call in made]
    assert len(set(ids)) == 4
    assert all(len(id_) == 9 and id_.isalnum() for id_ in ids)
    assert [one["tool_call_id"] for one in sent if one["role"] == "tool"] == ids
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in made] == [
        ("list_wards_", '{"a": 1}'), ("unnamed", "{}"), ("look", "{}"), ("look", "{}"),
    ]  # fmt: skip
    assert sent[5] == {"role": "assistant", "content": "…"}


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (Say(None, refusal="I would rather not."), "refused"),
        (Say("", finish="content_filter"), "refused"),
        (Say("Fo", finish="length"), "length"),
    ],
)
async def test_how_an_answer_ended_is_known(said: Say, finish: str) -> None:
    async with scripted_endpoint(one_after_the_other(said)) as place, OpenAIChat(endpoint(place.url)) as chat:
        assert (await chat.answer(question())).finish == finish


def completion(usage: object = None, **message: object) -> Garbage:
    choices = [{"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": "stop"}]
    return Garbage(json.dumps({"choices": choices, "usage": usage}).encode(), "application/json")


WHOLE = json.dumps(Say("Four.").body({})).encode()


def packed(body: bytes, encoding: str = "gzip") -> Garbage:
    return Garbage(body, "application/json", encoding)


async def test_a_packed_answer_is_read() -> None:
    async with (
        scripted_endpoint(one_after_the_other(packed(gzip.compress(WHOLE)))) as place,
        OpenAIChat(endpoint(place.url)) as chat,
    ):
        assert (await chat.answer(question())).text == "Four."


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (packed(gzip.compress(WHOLE.replace(b"Four.", b"a" * MOST_BYTES))), "longer than 8 MiB"),
        (Garbage(WHOLE.replace(b"Four.", b"a" * MOST_BYTES), "application/json"), "longer than 8 MiB"),
        (packed(WHOLE), "cannot be unpacked"),
        (packed(WHOLE, "br"), "packed as 'br'"),
    ],
    ids=["long when unpacked", "long", "no gzip", "another packing"],
)
async def test_an_answer_that_is_too_long_or_cannot_be_unpacked_is_none(sent: Garbage, said: str) -> None:
    async with scripted_endpoint(one_after_the_other(sent)) as place, OpenAIChat(endpoint(place.url)) as chat:
        with pytest.raises(UnansweredError, match=said) as refusal:
            await chat.answer(question())
    assert refusal.value.transient


async def test_nothing_is_sent_where_an_endpoint_points_to() -> None:
    async with scripted_endpoint(one_after_the_other(Say("Four."))) as other:
        moved = Fail(307, headers={"location": f"{other.url}/chat/completions"})
        async with scripted_endpoint(one_after_the_other(moved)) as place, OpenAIChat(endpoint(place.url)) as chat:
            with pytest.raises(UnansweredError, match="name that address if it is right") as refusal:
                await chat.answer(question())
    assert refusal.value.refused
    assert not other.requests


def called(**call: object) -> Garbage:
    return completion(tool_calls=[call])


async def test_a_call_that_is_written_oddly_is_a_call() -> None:
    odd = {
        called(id="1", type="function", function={"name": "look", "arguments": {"ward": 4}}): ("1", '{"ward": 4}'),
        called(id="1", type="function", function={"name": "look", "arguments": None}): ("1", "{}"),
        called(id="1", type="function", function={"name": "look"}): ("1", "{}"),
        called(id="1", function={"name": "look", "arguments": "{}"}): ("1", "{}"),
        called(id=7, type=None, function={"name": "look", "arguments": "{}"}): ("7", "{}"),
        called(type="function", function={"name": "look", "arguments": "{}"}): ("call_0", "{}"),
    }
    async with scripted_endpoint(one_after_the_other(*odd)) as place, OpenAIChat(endpoint(place.url)) as chat:
        for id_, arguments in odd.values():
            answer = await chat.answer(question())
            assert answer.tool_calls == (ToolCall(id=id_, name="look", arguments=arguments),)
            assert answer.finish == "tool_calls"


async def test_an_answer_counts_whatever_is_told_of_what_it_took() -> None:
    odd = {
        completion({"prompt_tokens": 5.5, "completion_tokens": "3"}, content="Four."): Usage(
            prompt_tokens=6, completion_tokens=3
        ),
        completion({"prompt_tokens": -1, "completion_tokens": [], "prompt_tokens_details": "all"}): Usage(),
        completion("much"): Usage(),
        completion({"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 99}}): Usage(
            prompt_tokens=10, cached_tokens=10
        ),
    }
    async with scripted_endpoint(one_after_the_other(*odd)) as place, OpenAIChat(endpoint(place.url)) as chat:
        assert [(await chat.answer(question())).usage for _ in odd] == list(odd.values())


async def test_what_is_no_answer_is_told_as_it_came() -> None:
    odd = {
        completion(content=5): "no chat completion: .*'content': 5",
        completion(tool_calls=["look"]): "no chat completion: .*'tool_calls': ..look",
        called(id="1", type="function", function={"arguments": "{}"}): "no chat completion: .*'arguments'",
        completion(refusal={"why": "no"}): "no chat completion: .*'refusal'",
        Garbage(b'{"choices": {"a": 1}}', "application/json"): "no chat completion: .*'choices'",
        Garbage(b'{"choices": ' + b"[" * 100_000, "application/json"): "no JSON",
    }
    async with scripted_endpoint(one_after_the_other(*odd)) as place, OpenAIChat(endpoint(place.url)) as chat:
        for words in odd.values():
            with pytest.raises(UnansweredError, match=words):
                await chat.answer(question())


def embedding(**body: object) -> Garbage:
    return Garbage(json.dumps(body).encode(), "application/json")


async def test_what_is_no_embedding_is_told_as_it_came() -> None:
    odd = {
        Garbage(): "no embedding: '<html>",
        Garbage(b'{"data": [', "application/json"): "no JSON",
        embedding(data=[]): "no embedding",
        embedding(data=["x"]): "no embedding",
        embedding(data=[{"embedding": "AAAA"}]): "no embedding: .*AAAA",
        embedding(data=[{"embedding": None}]): "no embedding",
    }
    async with scripted_endpoint(one_after_the_other(*odd)) as place, OpenAIChat(endpoint(place.url)) as chat:
        for words in odd.values():
            with pytest.raises(UnansweredError, match=words):
                await chat.answer(question(kind="embedding"))


async def test_numbers_need_not_say_what_they_took() -> None:
    reply = embedding(data=[{"embedding": [1, 0.5]}])
    async with scripted_endpoint(lambda _: reply) as place, OpenAIChat(endpoint(place.url)) as chat:
        answer = await chat.answer(question(kind="embedding"))
    assert (answer.text, answer.usage) == ("[1.0, 0.5]", Usage())


PICKY = {
    "max_tokens": Fail(400, "Use 'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter"),
    "temperature": Fail(400, "'temperature' does not support 0.2 with this model.", param="temperature"),
    "response_format": Fail(400, "This server knows no response_format of type json_schema"),
}


async def test_an_option_that_an_endpoint_does_not_know_is_left_out_from_then_on() -> None:
    def picky(asked: Asked) -> Reply:
        return next((fail for option, fail in PICKY.items() if option in asked), Say('{"wards": 4}'))

    full: dict[str, Any] = {"temperature": 0.2, "max_tokens": 50, "shape": {"type": "object"}, "schema_name": "wards"}
    async with scripted_endpoint(picky) as place, OpenAIChat(endpoint(place.url)) as chat:
        assert (await chat.answer(question(**full))).text == '{"wards": 4}'
        assert len(place.requests) == 4
        await chat.answer(question(**full))
    assert len(place.requests) == 5
    assert place.requests[4]["max_completion_tokens"] == 50
    assert not PICKY.keys() & place.requests[4].keys()


@pytest.mark.parametrize(
    ("reply", "transient", "after", "words"),
    [
        (Fail(429, "slow down", {"Retry-After": "7"}), True, 7.0, "429 slow down"),
        (Fail(429, "slow down", {"retry-after-ms": "250"}), True, 0.25, "429"),
        (
            Fail(
                503,
                "busy",
                {"Date": "Sat, 21 Nov 2026 06:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 06:00:30 GMT"},
            ),
            True,
            30.0,
            "503 busy",
        ),
        (Fail(503, "busy", {"Retry-After": "soon"}), True, None, "503 busy"),
        (Fail(429, "no money left", code="insufficient_quota"), False, None, "no money left"),
        (Fail(500, "oops"), True, None, "500 oops"),
        (Fail(401, "no such key"), False, None, "OPENAI_API_KEY"),
        (Fail(403, "not in your country"), False, None, "OPENAI_API_KEY"),
        (Fail(404, "no such model"), False, None, "the model's name"),
        (Fail(400, "too long"), False, None, "400 too long"),
        (Reset(), True, None, "does not answer"),
        (Half(), True, None, "does not answer"),
        (Hang(), True, None, "nothing came in 0.3 s"),
        (Garbage(), True, None, "no chat completion: '<html>"),
        (Garbage(b'{"choices": [', "application/json"), True, None, "no JSON"),
        (Garbage(b'{"choices": []}', "application/json"), True, None, "no chat completion"),
        (Garbage(b'{"choices": [{"message": "Hi"}]}', "application/json"), True, None, "no chat completion"),
        (Garbage(b"[]", "application/json"), True, None, "no chat completion"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Reply) else None,
)
async def test_a_failure_says_what_to_do_and_whether_to_ask_again(
    reply: Reply, transient: bool, after: float | None, words: str
) -> None:
    async with scripted_endpoint(lambda _: reply) as place, OpenAIChat(endpoint(place.url, timeout=0.3)) as chat:
        with pytest.raises(UnansweredError) as failed:
            await chat.answer(question())
    assert (failed.value.transient, failed.value.after) == (transient, after)
    assert words in str(failed.value)
    assert "sk-test" not in str(failed.value)


@pytest.mark.parametrize(
    ("reply", "refused", "too_long", "advice"),
    [
        (Fail(401, "no such key"), True, False, "Look at the key in OTHER_KEY"),
        (Fail(402, "Insufficient balance"), True, False, "Look at the account"),
        (Fail(403, "flagged by moderation"), False, False, ""),
        (Fail(400, "The response was filtered", code="content_filter"), False, False, ""),
        (Fail(400, "max_tokens is too large: 50. It may be at most 40."), True, False, "fewer tokens at once than 50"),
        (Fail(400, "Invalid max_tokens value, the valid range is [1, 40]"), True, False, "fewer tokens at once"),
        (Fail(400, "'max_tokens' is too large; the maximum context length is 99"), False, True, ""),
        (Fail(400, "The input token count (99) exceeds the maximum number of tokens allowed"), False, True, ""),
        (Fail(400, "Input is too long for requested model."), False, True, ""),
        (Fail(400, "the request exceeds the available context size"), False, True, ""),
        (Fail(429, "Request too large for small on tokens per min: Limit 30000, Requested 43000"), False, True, ""),
    ],
)
async def test_it_is_known_whether_a_refusal_is_about_one_question_or_about_all(
    reply: Fail, refused: bool, too_long: bool, advice: str
) -> None:
    async with (
        scripted_endpoint(one_after_the_other(Say("Four."), reply)) as place,
        OpenAIChat(endpoint(place.url, key_variable="OTHER_KEY")) as chat,
    ):
        await chat.answer(question())
        with pytest.raises(UnansweredError) as failed:
            await chat.answer(question(max_tokens=50))
    assert advice in str(failed.value)
    assert (failed.value.transient, failed.value.refused, failed.value.too_long) == (False, refused, too_long)
    assert len(place.requests) == 2


async def test_whoever_has_no_key_is_told_that_none_was_sent() -> None:
    async with (
        scripted_endpoint(lambda _: Fail(401, "who are you")) as place,
        OpenAIChat(endpoint(place.url, api_key="")) as chat,
    ):
        with pytest.raises(UnansweredError, match="No key was sent"):
            await chat.answer(question())


async def test_nobody_listening_is_told_in_a_sentence() -> None:
    async with OpenAIChat(endpoint("http://127.0.0.1:9/v1")) as chat:
        with pytest.raises(UnansweredError, match=r"http://127\.0\.0\.1:9/v1 does not answer") as failed:
            await chat.answer(question())
    assert failed.value.transient


async def test_a_text_becomes_a_vector_and_is_asked_for_once(tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Vector()) as place:
        for _ in range(2):
            async with model_access(endpoint(place.url), tmp_path / "answers.sqlite") as access:
                author = Author(access, ModelParams(model="small"), Prompts())
                assert [await author.vector("tiny", text) for text in ("a", "abc", "a")] == [[1.0], [3.0], [1.0]]
    assert [one["_path"] for one in place.requests] == ["/v1/embeddings"] * 2
    assert {one["model"] for one in place.requests} == {"tiny"}
