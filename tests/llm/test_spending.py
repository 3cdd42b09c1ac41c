"""A run's money is counted over all its models and all its starts."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import Budget, BudgetSpentError, Price, Spending, paid_model
from envscaler_mcp.llm.charging import most_of
from tests.llm.asking import endpoint, question
from tests.llm.endpoint import Hang, Say, scripted_endpoint

DEAR = Price(input=0, output=1000)
"""An answer of a hundred tokens costs ten cents, and none may be longer."""
ASKED = question(max_tokens=100)


async def test_models_at_different_endpoints_share_one_purse(tmp_path: Path) -> None:
    spent = []

    async with (
        scripted_endpoint(lambda _: Say("Four.", usage=(100, 100)), delay=0.01) as one,
        scripted_endpoint(lambda _: Say("Five.", usage=(100, 100)), delay=0.01) as other,
    ):
        with Spending(tmp_path / "spent.sqlite") as spending:
            purse = Budget(spending, 1.0)
            async with (
                paid_model(endpoint(one.url), spending, DEAR, purse) as first,
                paid_model(endpoint(other.url), spending, DEAR, purse) as second,
            ):

                async def go_on(number: int) -> None:
                    try:
                        while True:
                            await (first, second)[number % 2].answer(ASKED)
                    except BudgetSpentError:
                        spent.append(number)

                async with anyio.create_task_group() as group:
                    for number in range(6):
                        group.start_soon(go_on, number)
            assert len(spent) == 6
            assert 0.85 < spending.ledger.total.dollars < 1.01
    assert min(len(one.requests), len(other.requests)) > 1


async def test_equal_questions_are_paid_for_each_time_and_counted_by_the_next_start(tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Say("Four.")) as place:
        for _ in range(2):
            with Spending(tmp_path / "spent.sqlite") as spending:
                async with paid_model(endpoint(place.url), spending, DEAR, Budget(spending, 1.0)) as model:
                    await model.answer(ASKED)
                    await model.answer(ASKED)
    line = spending.ledger.line("count_wards")
    assert (line.asked, line.completion_tokens, len(place.requests)) == (4, 200, 4)
    assert line.dollars == pytest.approx(0.2)


async def test_what_was_sent_and_never_answered_is_counted_as_the_most_it_may_cost(tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Hang()) as place:
        with Spending(tmp_path / "spent.sqlite") as spending:
            async with paid_model(endpoint(place.url), spending, DEAR, Budget(spending, None)) as model:
                with anyio.move_on_after(0.1):
                    await model.answer(ASKED)
        with Spending(tmp_path / "spent.sqlite") as again:
            assert again.ledger.total.dollars == pytest.approx(0.1)


async def test_an_answer_whose_tokens_nobody_tells_costs_the_most_that_it_may(tmp_path: Path) -> None:
    untold = Say("Four.", usage=(0, 0), tool_calls=[("look", "{}")])
    async with scripted_endpoint(lambda _: untold) as place:
        with Spending(tmp_path / "spent.sqlite") as spending:
            async with paid_model(endpoint(place.url), spending, DEAR, Budget(spending, 0.25)) as model:
                answer = await model.answer(ASKED)
                await model.answer(ASKED)
                with pytest.raises(BudgetSpentError):
                    await model.answer(ASKED)
    assert spending.ledger.total.dollars == pytest.approx(0.2)
    assert answer.usage.completion_tokens == len("Four.") + len("look{}")
    assert answer.usage.prompt_tokens == most_of(ASKED).prompt_tokens


async def test_a_budget_is_refused_where_it_is_not_known_what_was_spent_before(tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Say("Four.")) as place:
        with Spending(tmp_path / "spent.sqlite") as spending:
            async with paid_model(endpoint(place.url), spending, None, Budget(spending, None)) as model:
                await model.answer(ASKED)
    with Spending(tmp_path / "spent.sqlite") as again:
        assert (again.ledger.total.asked, again.ledger.total.unpriced) == (1, 1)
        with pytest.raises(ModelError, match="asked before at an unknown price"):
            Budget(again, 5.0)


def test_a_file_that_cannot_hold_accounts_is_told(tmp_path: Path) -> None:
    (tmp_path / "spent.sqlite").write_text("no accounts, but long enough to be taken for something else " * 20)
    with pytest.raises(ModelError, match="cannot hold what is spent"):
        Spending(tmp_path / "spent.sqlite")
