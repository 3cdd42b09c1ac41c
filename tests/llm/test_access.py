"""An answer is paid for once, and never more than the budget."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts.canonical import canonical_json
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import (
    BudgetSpentError,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Message,
    ModelAccess,
    Price,
    ToolCall,
    Usage,
    model_access,
    price_of,
    read_prices,
)
from envscaler_mcp.llm.answers import Answers
from envscaler_mcp.llm.charging import PaidModel, most_of
from envscaler_mcp.llm.openai_chat import OpenAIChat
from tests.llm.asking import Counting, endpoint, question
from tests.llm.endpoint import Fail, Garbage, Half, Hang, Reply, Reset, Say, Vector, scripted_endpoint

DEAR = Price(input=1000, output=2000)


def paid(model: ChatModel, answers: Answers, budget: float | None = None) -> ModelAccess:
    return ModelAccess(PaidModel(model, answers, DEAR, budget), answers)


async def test_a_question_is_asked_once_however_often_it_is_put(tmp_path: Path) -> None:
    model = Counting()
    with Answers(tmp_path / "answers.sqlite") as answers:
        access = paid(model, answers)
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(access.answer, question())
        assert (await access.answer(question(purpose="another_stage"))).text == "How many wards are there? (0)"
        assert len(model.asked) == 1
        assert (await access.answer(question(draw=1))).text == "How many wards are there? (1)"
        await access.answer(question(temperature=0.1))
        await access.answer(question("How many beds?"))
    assert len(model.asked) == 4


async def test_what_was_answered_before_an_interruption_is_not_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "run" / "answers.sqlite"
    async with scripted_endpoint(lambda _: Say("Four.", usage=(1000, 500))) as place:
        for _ in range(2):
            async with model_access(endpoint(place.url), file, price=DEAR, budget=100) as access:
                assert (await access.answer(question())).text == "Four."
                assert access.ledger.total.dollars == pytest.approx(2.0)
    assert len(place.requests) == 1
    assert access.ledger.line("count_wards").kept == 1


async def test_half_a_surrogate_pair_in_an_answer_is_kept_as_a_question_mark(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    async with scripted_endpoint(lambda _: Say("Four \ud83d.", reasoning="\udc00")) as place:
        for _ in range(2):
            async with model_access(endpoint(place.url), file) as access:
                answer = await access.answer(question())
                assert (answer.text, answer.reasoning) == ("Four ?.", "?")
    assert len(place.requests) == 1


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    async with (
        scripted_endpoint(lambda _: Fail(400, "too long")) as place,
        model_access(endpoint(place.url), tmp_path / "answers.sqlite") as access,
    ):
        for _ in range(2):
            with pytest.raises(ModelError, match="too long"):
                await access.answer(question())
    assert len(place.requests) == 2


async def test_of_two_who_wait_for_an_answer_the_second_asks_when_the_first_failed(tmp_path: Path) -> None:
    failed = list[str]()

    class Failing(Counting):
        async def answer(self, question: ChatRequest) -> ChatResponse:
            self.asked.append(question)
            await anyio.sleep(0.01)
            if len(self.asked) == 1:
                raise ModelError("not this time")
            return ChatResponse(text="Four.")

    async def put(access: ModelAccess) -> None:
        try:
            await access.answer(question())
        except ModelError as error:
            failed.append(str(error))

    model = Failing()
    with Answers(tmp_path / "answers.sqlite") as answers:
        access = paid(model, answers)
        async with anyio.create_task_group() as group:
            group.start_soon(put, access)
            group.start_soon(put, access)
    assert (failed, len(model.asked)) == (["not this time"], 2)


class Costly:
    """Answers that take as much as they may."""

    def __init__(self) -> None:
        self.spent = 0.0

    async def answer(self, question: ChatRequest) -> ChatResponse:
        await anyio.lowlevel.checkpoint()
        size = len(question.messages[0].content.encode())
        usage = Usage(prompt_tokens=size, completion_tokens=question.max_tokens or 0)
        self.spent += DEAR.of(usage)
        return ChatResponse(text="Four.", usage=usage)


@settings(max_examples=30, deadline=None)
@given(
    budget=st.floats(min_value=0, max_value=20),
    sizes=st.lists(st.tuples(st.integers(1, 3000), st.integers(1, 2000)), max_size=12),
)
def test_a_budget_is_never_overspent_however_many_ask_at_once(budget: float, sizes: list[tuple[int, int]]) -> None:
    model = Costly()
    with Answers(Path(":memory:")) as answers:
        access = paid(model, answers, budget)

        async def put(number: int, size: int, most: int) -> None:
            with suppress(BudgetSpentError):
                await access.answer(question("病" * size, draw=number, max_tokens=most))

        async def all_at_once() -> None:
            async with anyio.create_task_group() as group:
                for number, (size, most) in enumerate(sizes):
                    group.start_soon(put, number, size, most)

        anyio.run(all_at_once)
        assert access.ledger.total.dollars == pytest.approx(model.spent)
    assert model.spent <= budget + 1e-9


SMALL, MUCH = 100, 100_000
"""Tokens of answers that cost little, and more than anybody has."""


async def all_at_once(access: ModelAccess, questions: Sequence[ChatRequest]) -> None:
    async with anyio.create_task_group() as group:
        for one in questions:
            group.start_soon(access.answer, one)


async def test_questions_wait_for_money_that_is_only_set_aside(tmp_path: Path) -> None:
    budget = 1.5 * DEAR.of(most_of(question("1", max_tokens=SMALL)))
    async with (
        scripted_endpoint(lambda _: Say("Four.", usage=(1, 1)), delay=0.01) as place,
        model_access(endpoint(place.url), tmp_path / "answers.sqlite", price=DEAR, budget=budget) as access,
    ):
        await all_at_once(access, [question(str(number), max_tokens=SMALL) for number in range(8)])
    assert (len(place.requests), place.most_at_once) == (8, 1)


async def test_answers_under_way_when_the_budget_ends_a_run_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    cheap = [question(str(number), max_tokens=SMALL) for number in range(3)]
    async with (
        scripted_endpoint(lambda _: Say("Four.", usage=(1, 1)), delay=0.05) as place,
        model_access(endpoint(place.url), file, price=DEAR, budget=10) as access,
    ):
        with pytest.raises(ExceptionGroup) as ended:
            await all_at_once(access, [*cheap[:2], question(max_tokens=MUCH)])
        assert ended.group_contains(BudgetSpentError, match="go on with a greater --budget")
        # The run is ending: what went out now would be lost.
        with pytest.raises(BudgetSpentError):
            await access.answer(cheap[2])
    assert len(place.requests) == 2
    with Answers(file) as answers:
        assert [answers.find(one) is not None for one in cheap] == [True, True, False]


async def test_no_answer_is_set_aside_for_where_numbers_are_asked_for(tmp_path: Path) -> None:
    async with (
        scripted_endpoint(lambda _: Vector()) as place,
        model_access(endpoint(place.url), tmp_path / "answers.sqlite", price=DEAR, budget=1) as access,
    ):
        await access.answer(question("x", kind="embedding"))
    assert len(place.requests) == 1


async def test_a_question_is_estimated_with_all_that_is_sent() -> None:
    shape = {"type": "object", "description": "病棟" * 50}
    tool = {"type": "function", "function": {"name": "list_wards", "description": "病棟" * 50, "parameters": {}}}
    asked = question(
        messages=(
            Message(role="user", content="病棟はいくつありますか" * 20),
            Message(role="assistant", tool_calls=(ToolCall(id="1", name="list_wards", arguments="病棟" * 50),)),
            Message(role="tool", tool_call_id="1", content="四つ"),
        ),
        tools=(tool,),
        shape=shape,
    )
    async with scripted_endpoint(lambda _: Say("四")) as place, OpenAIChat(endpoint(place.url)) as chat:
        await chat.answer(asked)
    sent = {name: told for name, told in place.requests[0].items() if not name.startswith("_")}
    assert most_of(asked).prompt_tokens >= len(canonical_json(sent).encode())


@pytest.mark.parametrize(
    ("reply", "lost"), [(Half(), True), (Reset(), True), (Hang(), True), (Garbage(), True), (Fail(500), False)]
)
async def test_an_answer_that_was_asked_for_and_never_came_counts_as_if_it_had(
    reply: Reply, lost: bool, tmp_path: Path
) -> None:
    file = tmp_path / "answers.sqlite"
    async with (
        scripted_endpoint(lambda _: reply) as place,
        model_access(endpoint(place.url, attempts=1, timeout=0.1), file, price=DEAR) as access,
    ):
        with pytest.raises(ModelError):
            await access.answer(question())
    cost = DEAR.of(most_of(question())) if lost else 0.0
    with Answers(file) as answers:
        assert answers.ledger.total.asked == 0
        assert answers.ledger.total.dollars == pytest.approx(cost)


async def test_nothing_is_counted_where_nobody_listens_and_all_where_the_run_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    async with model_access(endpoint("http://127.0.0.1:9/v1", attempts=1), file, price=DEAR) as access:
        with pytest.raises(ModelError):
            await access.answer(question())
        assert access.ledger.total.dollars == 0
    async with (
        scripted_endpoint(lambda _: Hang()) as place,
        model_access(endpoint(place.url), file, price=DEAR) as access,
        anyio.create_task_group() as group,
    ):
        group.start_soon(access.answer, question())
        while not place.requests:  # noqa: ASYNC110 - a server
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert access.ledger.total.dollars == pytest.approx(DEAR.of(most_of(question())))


async def test_a_budget_without_a_price_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="--price INPUT,OUTPUT"):
        async with model_access(endpoint("x"), tmp_path / "answers.sqlite", budget=1.0):
            pass


def test_tokens_that_were_read_before_cost_less() -> None:
    price = Price(input=2, output=8, cached_input=0.5)
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=100_000)
    assert price.of(usage) == pytest.approx(1.2 + 0.2 + 0.8)


def test_the_longest_beginning_that_fits_a_model_names_its_price(tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text(
        "small: {input: 1, output: 2}\nsmall-*: {input: 3, output: 4}\nsmall-pro*: {input: 5, output: 6}\n"
    )
    prices = read_prices(table)
    found = [price_of(name, prices) for name in ("small", "small-mini", "small-pro-2", "smaller")]
    assert [one.input if one else None for one in found] == [1, 3, 5, None]


@pytest.mark.parametrize("text", ["small: 3\n", "small: {input: two, output: 1}\n", "[", "- small\n"])
def test_a_table_that_is_none_is_told_with_an_example(text: str, tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(ModelError, match=r"no table of prices.*input: 2, output: 8"):
        read_prices(tmp_path / "prices.yaml")


def spoiled(file: Path) -> None:
    file.write_bytes(b"no database" * 100)


def below_a_file(file: Path) -> None:
    file.parent.rmdir()
    file.parent.write_text("")


@pytest.mark.parametrize("spoil", [spoiled, below_a_file])
def test_a_place_that_cannot_hold_answers_is_told(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    file = tmp_path / "run" / "answers.sqlite"
    file.parent.mkdir()
    spoil(file)
    with pytest.raises(ModelError, match="cannot hold answers"):
        Answers(file)


async def test_an_answer_kept_by_an_older_version_is_asked_for_again(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    model = Counting()
    with Answers(file) as answers:
        await paid(model, answers).answer(question())
    with sqlite3.connect(file) as raw:
        raw.execute("""UPDATE answers SET answer = '{"words": "Four."}'""")
    raw.close()
    with Answers(file) as answers:
        await paid(model, answers).answer(question())
    assert len(model.asked) == 2
