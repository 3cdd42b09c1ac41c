"""A run that was recorded is played again, byte for byte, and asks nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import ChatResponse, Message, ToolCall, model_access
from tests.llm.asking import endpoint, question
from tests.llm.endpoint import Asked, Say, scripted_endpoint

LONG = "The manual. " * 500


def counts(asked: Asked) -> Say:
    return Say(f"{len(asked['messages'][-1]['content'])} signs\u2028or\u0085so", reasoning="Counting.", usage=(7, 3))


QUESTIONS = [
    question(),
    question(LONG),
    question(LONG, draw=1),
    question("Lines\u2028that end\u0085otherwise"),
    question(
        messages=(
            Message(role="system", content=LONG),
            Message(role="assistant", tool_calls=(ToolCall(id="1", name="look", arguments="{}"),)),
            Message(role="tool", tool_call_id="1", content=""),
        )
    ),
]


async def recorded(folder: Path, answers: Path) -> list[ChatResponse]:
    async with (
        scripted_endpoint(counts) as place,
        model_access(endpoint(place.url), answers, folder=folder, mode="record") as access,
    ):
        return [await access.answer(one) for one in QUESTIONS]


async def test_a_recording_answers_in_place_of_the_model(tmp_path: Path) -> None:
    first = await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    nowhere = endpoint("http://127.0.0.1:9/v1")
    async with model_access(nowhere, tmp_path / "b.sqlite", folder=tmp_path / "run", mode="replay") as access:
        assert [await access.answer(one) for one in reversed(QUESTIONS)] == first[::-1]
        with pytest.raises(ModelError, match=r"no answer to this question of count_wards.*--record"):
            await access.answer(question("How many beds?"))


async def test_a_long_text_is_written_down_once(tmp_path: Path) -> None:
    await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    assert (tmp_path / "run" / "texts.jsonl").read_text().count(LONG) == 1
    assert LONG not in (tmp_path / "run" / "answers.jsonl").read_text()


async def test_recording_again_adds_nothing(tmp_path: Path) -> None:
    await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    await recorded(tmp_path / "run", tmp_path / "second.sqlite")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


async def test_a_recording_whose_last_line_is_torn_still_plays(tmp_path: Path) -> None:
    first = await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    file = tmp_path / "run" / "answers.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    async with model_access(endpoint("x"), tmp_path / "b.sqlite", folder=tmp_path / "run", mode="replay") as access:
        assert [await access.answer(one) for one in QUESTIONS[:-1]] == first[:-1]
        with pytest.raises(ModelError):
            await access.answer(QUESTIONS[-1])


async def replayed(folder: Path, answers: Path) -> list[ChatResponse]:
    async with model_access(endpoint("http://127.0.0.1:9/v1"), answers, folder=folder, mode="replay") as access:
        return [await access.answer(one) for one in QUESTIONS]


async def test_what_was_kept_before_is_recorded_as_well(tmp_path: Path) -> None:
    async with (
        scripted_endpoint(counts) as place,
        model_access(endpoint(place.url), tmp_path / "first.sqlite") as access,
    ):
        first = [await access.answer(one) for one in QUESTIONS[:3]]
    whole = await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    assert whole[:3] == first
    assert await replayed(tmp_path / "run", tmp_path / "b.sqlite") == whole


@pytest.mark.parametrize("name", ["answers.jsonl", "texts.jsonl"])
@pytest.mark.parametrize("torn", [b'{"key": "', '{"digest": "sha256:1", "text": "Ä'.encode()[:-1]])
async def test_a_torn_last_line_spoils_no_line_after_it(name: str, torn: bytes, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_bytes(torn)
    first = await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    assert torn not in (tmp_path / "run" / name).read_bytes()
    assert await replayed(tmp_path / "run", tmp_path / "b.sqlite") == first


async def test_a_last_line_that_only_lacks_its_end_is_whole(tmp_path: Path) -> None:
    first = await recorded(tmp_path / "run", tmp_path / "first.sqlite")
    file = tmp_path / "run" / "answers.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert await recorded(tmp_path / "run", tmp_path / "second.sqlite") == first
    assert file.read_bytes() == whole


async def test_an_empty_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no recorded answers"):
        async with model_access(endpoint("x"), tmp_path / "b.sqlite", folder=tmp_path, mode="replay"):
            pass
