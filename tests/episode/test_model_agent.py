"""A model that plays hears what each of its calls led to, and whatever it writes is answered."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.episode.agent import COMPLETED
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.live import UNREADABLE, EpisodeLimits, EpisodeRecord
from envscaler_mcp.prompts import Prompts
from tests.episode.voices import played, voice_at
from tests.llm.endpoint import Fail, Reply, Say, ScriptedEndpoint, one_after_the_other, scripted_endpoint
from tests.runs.home import write_home

NAMES = ["openai:small", "prompted:small"]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home")) / "generated_servers"


def says(name: str, *calls: tuple[str, str], text: str = "", **more: Any) -> Say:
    """The same turn, as an endpoint with tools tells it and as a model without them writes it."""
    if name.startswith("openai"):
        return Say(text, tool_calls=calls, finish="tool_calls" if calls else "stop", **more)
    written = "".join(
        f'\n<tool_call>\n{{"name": "{tool}", "arguments": {given}}}\n</tool_call>' for tool, given in calls
    )
    return Say(text + written, **more)


async def episode(
    servers: Path, folder: Path, name: str, *replies: Reply, limits: EpisodeLimits | None = None
) -> tuple[EpisodeRecord, ScriptedEndpoint]:
    async with scripted_endpoint(one_after_the_other(*replies)) as place, voice_at(place.url, folder) as voice:
        return await played(servers, agent_named(name, voice)[1], limits=limits), place


BOOK = ("get_book", '{"book_id": "BOOK-00001"}')
OBJECT = "The arguments must be an object, not "
SHELF = ("list_books", '{"shelf": "fiction"}')


@pytest.mark.parametrize("name", NAMES)
async def test_each_call_of_a_turn_is_made_and_answered(servers: Path, tmp_path: Path, name: str) -> None:
    turn = says(name, BOOK, SHELF, text="Let me look.", reasoning="Two things to know.")
    done, place = await episode(servers, tmp_path, name, turn, Say(COMPLETED))
    assert [(step.number, step.turn, step.tool) for step in done.steps] == [
        (1, 1, "get_book"), (2, 1, "list_books"), (3, 2, ""),
    ]  # fmt: skip
    assert (done.ended, done.steps[0].text, done.steps[0].reasoning) == (
        "completed", "Let me look.", "Two things to know.",
    )  # fmt: skip
    heard = place.requests[1]["messages"][3:]
    answers = [step.observation for step in done.steps[:2]]
    if name.startswith("openai"):
        assert [one["content"] for one in heard] == answers
        assert len({one["tool_call_id"] for one in heard}) == 2
        assert [tool["function"]["name"] for tool in place.requests[0]["tools"]][:1] == ["get_book"]
    else:
        responses = "\n".join(f"<tool_response>\n{answer}\n</tool_response>" for answer in answers)
        assert heard == [{"role": "user", "content": responses}]
        assert "tools" not in place.requests[0]
        assert '"name": "get_book"' in place.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize("name", NAMES)
async def test_the_conversation_that_is_kept_begins_as_the_model_s_own(
    servers: Path, tmp_path: Path, name: str
) -> None:
    done, place = await episode(servers, tmp_path, name, says(name, BOOK), Say(COMPLETED))
    system, task = place.requests[0]["messages"]
    assert system["content"].startswith(done.messages[0]["content"])
    assert "You are at the desk." in done.messages[0]["content"]
    assert COMPLETED in done.messages[0]["content"]
    assert "<tools>" not in done.messages[0]["content"]
    assert task == done.messages[1]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("get_book", '{"book_id": '), OBJECT),
        (("get_book", '["BOOK-00001"]'), OBJECT),
        (("get_bok", "{}"), "There is no tool 'get_bok'; did you mean 'get_book'?"),
        (("get_book", "{}"), "book_id is missing."),
        (("get_book", '{"book_id": NaN}'), OBJECT),
        (("get_book", "[" * 9000), OBJECT),
    ],
)
@pytest.mark.parametrize("name", NAMES)
async def test_a_malformed_call_reaches_the_model_as_an_error_and_the_others_of_its_turn_are_made(
    servers: Path, tmp_path: Path, name: str, call: tuple[str, str], told: str
) -> None:
    done, place = await episode(servers, tmp_path, name, says(name, call, BOOK), Say(COMPLETED))
    assert json.loads(done.steps[0].observation)["error"].startswith(told)
    assert (done.steps[1].is_error, done.ended, done.owner) == (False, "completed", None)
    assert any(told in message["content"] for message in place.requests[1]["messages"])
    assert bool(done.steps[0].malformed) == (told == OBJECT)
    for message in place.requests[1]["messages"]:
        for one in message.get("tool_calls", ()):
            assert isinstance(json.loads(one["function"]["arguments"]), dict)


@pytest.mark.parametrize("written", ["<tool_call>get_book</tool_call>", "<tool_call>[]</tool_call>", "<tool_call>{"])
async def test_what_stands_between_tags_and_is_no_call_is_told_so(servers: Path, tmp_path: Path, written: str) -> None:
    done, _ = await episode(servers, tmp_path, "prompted:small", Say(written), Say(COMPLETED))
    assert json.loads(done.steps[0].observation)["error"] == UNREADABLE
    assert (done.steps[0].malformed, done.ended) != ("", "error")


async def test_a_call_whose_last_tag_was_cut_off_is_made(servers: Path, tmp_path: Path) -> None:
    written = 'Well.<tool_call>{"name": "get_book", "arguments": {"book_id": "BOOK-00001"}}'
    done, _ = await episode(servers, tmp_path, "prompted:small", Say(written), Say(COMPLETED))
    assert (done.steps[0].tool, done.steps[0].text, done.steps[0].is_error) == ("get_book", "Well.", False)


@pytest.mark.parametrize("name", NAMES)
async def test_thoughts_between_tags_are_kept_apart_and_make_no_call(servers: Path, tmp_path: Path, name: str) -> None:
    thought = "<think>I could <tool_call>{}</tool_call> it.</think>\n" + COMPLETED
    done, _ = await episode(servers, tmp_path, name, Say(thought))
    assert (done.steps[0].text, done.steps[0].reasoning) == (COMPLETED, "I could <tool_call>{}</tool_call> it.")
    assert done.messages[2]["reasoning_content"] == done.steps[0].reasoning


async def test_tokens_time_and_dollars_are_kept_by_step_and_in_all(servers: Path, tmp_path: Path) -> None:
    turn = says("openai", BOOK, SHELF, usage=(500, 20))
    done, _ = await episode(servers, tmp_path, "openai:small", turn, Say(COMPLETED, usage=(700, 10)))
    first, second, last = done.steps
    assert first.use is not None
    assert last.use is not None
    assert done.use is not None
    assert (first.use.prompt_tokens, first.use.completion_tokens, second.use) == (500, 20, None)
    assert first.use.milliseconds > 0
    assert done.use == first.use + last.use
    assert done.use.dollars == pytest.approx(1.23)


async def test_a_model_that_writes_too_much_ends_its_episode(servers: Path, tmp_path: Path) -> None:
    turn = says("openai", BOOK, usage=(10, 60))
    done, place = await episode(servers, tmp_path, "openai:small", turn, limits=EpisodeLimits(tokens=100))
    assert (done.ended, done.owner, len(place.requests)) == ("tokens", None, 2)


async def test_an_endpoint_that_is_down_is_nobody_s_failure_in_the_episode(servers: Path, tmp_path: Path) -> None:
    down = Fail(503, headers={"retry-after-ms": "1"})
    done, place = await episode(servers, tmp_path, "openai:small", down)
    assert (done.ended, done.owner, len(place.requests)) == ("error", "infrastructure", 6)
    assert "503 not now (asked 6 times)" in done.reason


async def test_time_that_is_lost_with_an_endpoint_that_is_busy_is_not_the_episode_s(
    servers: Path, tmp_path: Path
) -> None:
    busy = Fail(429, headers={"retry-after-ms": "400"})
    short = EpisodeLimits(seconds=0.35)
    done, _ = await episode(servers, tmp_path, "openai:small", busy, Say(COMPLETED), limits=short)
    assert (done.ended, done.owner) == ("completed", None)
    done, _ = await episode(servers, tmp_path, "openai:small", *[busy] * 6, limits=short)
    assert (done.ended, done.owner) == ("error", "infrastructure")


async def test_a_model_that_is_slow_itself_runs_out_of_time(servers: Path, tmp_path: Path) -> None:
    replies = one_after_the_other(says("openai", BOOK), says("openai", BOOK), Say(COMPLETED))
    async with scripted_endpoint(replies, delay=0.3) as place, voice_at(place.url, tmp_path) as voice:
        done = await played(servers, agent_named("openai:small", voice)[1], limits=EpisodeLimits(seconds=0.35))
    assert (done.ended, done.owner) == ("time", "timeout")


async def test_a_conversation_that_the_model_can_no_longer_read_is_the_agent_s_failure(
    servers: Path, tmp_path: Path
) -> None:
    full = Fail(400, "This model's maximum context length is 4096 tokens", code="context_length_exceeded")
    done, _ = await episode(servers, tmp_path, "openai:small", says("openai", BOOK), full)
    assert (done.ended, done.owner, len(done.steps)) == ("error", "agent", 1)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_key_or_a_model_that_is_refused_is_no_matter_of_one_episode(
    servers: Path, tmp_path: Path, status: int
) -> None:
    done, _ = await episode(servers, tmp_path, "openai:small", Fail(status, "no"))
    assert done.owner == "infrastructure"
    assert str(status) in str(done.stopped)


async def test_a_model_that_cannot_read_even_the_task_ends_the_run_and_not_each_episode(
    servers: Path, tmp_path: Path
) -> None:
    full = Fail(400, "This model's maximum context length is 4096 tokens", code="context_length_exceeded")
    done, _ = await episode(servers, tmp_path, "openai:small", full)
    assert (done.owner, len(done.steps)) == ("infrastructure", 0)
    assert "lower --answer-tokens" in str(done.stopped)


async def test_a_prompt_of_one_s_own_without_its_places_ends_the_run(servers: Path, tmp_path: Path) -> None:
    (tmp_path / "play_task.md").write_text("<!-- system -->\nDo it.\n<!-- user -->\n{{task}}\n")
    async with (
        scripted_endpoint(one_after_the_other(Say(COMPLETED))) as place,
        voice_at(place.url, tmp_path) as voice,
    ):
        own = replace(voice, prompts=Prompts(tmp_path))
        done = await played(servers, agent_named("openai:small", own)[1])
    assert done.owner == "infrastructure"
    assert "introduction" in str(done.stopped)


async def test_an_endpoint_that_knows_no_seed_is_asked_without_it(servers: Path, tmp_path: Path) -> None:
    unknown = Fail(400, "Unrecognized request argument supplied: seed", param="seed")
    done, place = await episode(servers, tmp_path, "openai:small", unknown, Say(COMPLETED))
    assert done.ended == "completed"
    assert [asked.get("seed") for asked in place.requests] == [3, None]
