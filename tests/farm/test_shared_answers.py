"""An answer that many ask for is made once, and none of them gets one that began before it asked."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.farm.shared_answers import SharedAnswers


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.booleans()), max_size=30))
def test_one_is_made_at_a_time_and_none_is_older_than_its_question(asks: list[tuple[int, str, bool]]) -> None:
    async def all_asked() -> None:
        answers, clock, making = SharedAnswers(), 0, dict.fromkeys("ab", 0)

        async def make(key: str) -> int:
            nonlocal clock
            making[key] += 1
            assert making[key] == 1
            clock += 1
            began = clock
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            making[key] -= 1
            return began

        async def ask(key: str) -> None:
            nonlocal clock
            clock += 1
            asked = clock
            assert await answers.answer(key, lambda: make(key)) > asked

        tasks = []
        for pauses, key, gives_up in asks:
            for _ in range(pauses):
                await asyncio.sleep(0)
            tasks.append(asyncio.create_task(ask(key)))
            if gives_up and len(tasks) > 1:
                tasks[-2].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(result is None or isinstance(result, asyncio.CancelledError) for result in results), results

    asyncio.run(all_asked())


async def test_many_who_ask_at_once_cost_two_answers() -> None:
    answers, made, release = SharedAnswers(), 0, asyncio.Event()

    async def make() -> int:
        nonlocal made
        made += 1
        await release.wait()
        return made

    first = asyncio.create_task(answers.answer("key", make))
    await asyncio.sleep(0.01)
    others = [asyncio.create_task(answers.answer("key", make)) for _ in range(50)]
    await asyncio.sleep(0.01)
    release.set()
    assert (await first, {await other for other in others}, made) == (1, {2}, 2)


async def test_an_error_reaches_all_who_asked_and_the_next_answer_is_made_anew() -> None:
    answers = SharedAnswers()

    async def fail() -> int:
        raise ValueError("no")

    async def do() -> int:
        return 1

    asked = [asyncio.create_task(answers.answer("key", fail)) for _ in range(3)]
    assert [str(error) for error in await asyncio.gather(*asked, return_exceptions=True)] == ["no"] * 3
    assert await answers.answer("key", do) == 1
    with pytest.raises(ValueError, match="no"):
        await answers.answer("key", fail)


async def test_those_who_share_an_answer_go_on_one_after_the_other_and_others_in_between() -> None:
    answers, order, release = SharedAnswers(), [], asyncio.Event()

    async def make() -> None:
        await release.wait()

    async def ask() -> None:
        await answers.answer("key", make)
        order.append("shared")

    async def other() -> None:
        while order.count("shared") < 40:
            order.append("other")
            await asyncio.sleep(0)

    asking = [asyncio.create_task(ask()) for _ in range(40)]
    await asyncio.sleep(0.01)
    release.set()
    await asyncio.gather(other(), *asking)
    assert ("shared", "shared") not in set(itertools.pairwise(order))
