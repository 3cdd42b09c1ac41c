"""Answers that cannot be used go back with what is wrong."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from envscaler_mcp.llm import (
    ChatRequest,
    ChatResponse,
    MisfitError,
    ModelParams,
    UnusableError,
    ask,
    ask_for,
    block_in,
    json_in,
)
from tests.llm.asking import prompt

ASKING = ModelParams(model="small", rounds=2, max_tokens=100)


class Wards(BaseModel):
    wards: int
    names: list[str]


class Says:
    """A model that says one thing after the other."""

    def __init__(self, *answers: str | ChatResponse) -> None:
        self.rest = [one if isinstance(one, ChatResponse) else ChatResponse(text=one) for one in answers]
        self.asked: list[ChatRequest] = []

    async def answer(self, question: ChatRequest) -> ChatResponse:
        self.asked.append(question)
        return self.rest.pop(0)


GOOD = '{"wards": 2, "names": ["North", "South"]}'


async def test_an_answer_of_the_shape_is_read() -> None:
    model = Says(GOOD)
    assert (await ask(model, ASKING, prompt(), Wards)).names == ["North", "South"]
    (question,) = model.asked
    assert question.shape == Wards.model_json_schema()
    assert json.dumps(Wards.model_json_schema()) in question.messages[1].content
    assert (question.purpose, question.model, question.max_tokens) == ("count_wards", "small", 100)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("There are two wards.", "It is no JSON document"),
        ("", "It is empty."),
        ("[" * 100_000, "It is no JSON document"),
        ("[" * 200 + "]" * 200, "It is no JSON document: it is nested more than 100 deep"),
        ('{"wards": 2, "names": ["\\ud800"]}', "surrogates not allowed"),
        ('{"wards": "two", "names": []}', "wards: Input should be a valid integer"),
        ('{"wards": 2}', "names: Field required"),
        ('{"wards": 2, "names": ["North"', "It is no JSON document"),
    ],
)
async def test_a_misfit_goes_back_with_the_reason(bad: str, why: str) -> None:
    model = Says(bad, GOOD)
    assert (await ask(model, ASKING, prompt(), Wards)).wards == 2
    again = model.asked[1].messages
    assert [one.role for one in again] == ["system", "user", "assistant", "user"]
    assert again[2].content == bad
    assert why in again[3].content


async def test_whoever_never_answers_usably_is_given_up_with_the_last_reason() -> None:
    model = Says("no", "no", '{"wards": 2}')
    with pytest.raises(
        UnusableError, match=r"(?s)'small' gave no answer that can be used in 3 rounds.*names"
    ) as failed:
        await ask(model, ASKING, prompt(), Wards)
    assert failed.value.last == '{"wards": 2}'


async def test_an_answer_that_was_cut_off_gets_more_room() -> None:
    model = Says(ChatResponse(text='{"wards": 2, "na', finish="length"), GOOD)
    await ask(model, ASKING, prompt(), Wards)
    assert [one.max_tokens for one in model.asked] == [100, 200]
    assert "cut off" in model.asked[1].messages[3].content


async def test_a_refusal_is_told_and_not_argued_with() -> None:
    model = Says(ChatResponse(text="I would rather not.", finish="refused"))
    with pytest.raises(UnusableError, match=r"refuses to answer.*I would rather not"):
        await ask(model, ASKING, prompt(), Wards)
    assert len(model.asked) == 1


async def test_a_reader_of_ones_own_says_what_is_wrong_in_its_own_words() -> None:
    def read(text: str) -> int:
        if not text.isdigit():
            raise MisfitError("Only a number, please.")
        return int(text)

    model = Says("four", "4")
    assert await ask_for(model, ASKING, prompt(), read) == 4
    assert "Only a number, please." in model.asked[1].messages[3].content
    assert model.asked[0].shape is None


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(document=st.dictionaries(st.text(), DOCUMENTS, max_size=4))
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "\n {} \n",
        "```json\n{}\n```",
        "Here it is:\n\n```json\n{}\n```\nAnything else?",
        "First thoughts:\n```\nnothing yet\n```\nThen:\n````JSON\n{}\n````",
        "Sure. {} That is all.",
    ],
)
def test_a_document_is_found_whatever_stands_around_it(around: str, document: dict[str, Any]) -> None:
    assert json_in(around.replace("{}", json.dumps(document))) == document


def test_the_longest_block_of_a_language_is_the_answer() -> None:
    text = "Try `this`:\n```python\nx = 1\n```\nor better\n```py\nx = 1\ny = 2\n```\n```yaml\na: 1\n```\n"
    assert block_in(text, "python", "py") == "x = 1\ny = 2\n"
    assert block_in("```\nx = 3\n```", "python") == "x = 3\n"
    assert block_in("~~~ never closed\n```py\nx = 4\n``` \n```", "python", "py") == "x = 4\n"
    assert block_in("````py\n```\nx = 5\n```\n````", "py") == "```\nx = 5\n```\n"
    with pytest.raises(MisfitError, match="no block fenced as ```python"):
        block_in("x = 1", "python")


def test_an_answer_that_repeats_itself_is_read_at_once() -> None:
    began = time.perf_counter()
    with pytest.raises(MisfitError):
        block_in("```python\n" * 20_000, "python")
    assert time.perf_counter() - began < 2
