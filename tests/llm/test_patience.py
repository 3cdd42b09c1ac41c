"""Questions are put again where that may help, and as the endpoint wishes."""

from __future__ import annotations

import anyio
import pytest

from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import UnansweredError
from envscaler_mcp.llm.openai_chat import OpenAIChat
from envscaler_mcp.llm.retrying import CLOCK, PatientModel, off_the_clock
from tests.llm.asking import endpoint, question
from tests.llm.endpoint import Fail, Garbage, Half, Reset, Say, Trickle, one_after_the_other, scripted_endpoint


class Waits:
    """Sleeps that are only noted."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await anyio.lowlevel.checkpoint()


async def test_what_goes_wrong_for_a_moment_is_asked_again_and_waited_for_longer_each_time() -> None:
    script = one_after_the_other(Fail(503), Reset(), Half(), Garbage(), Say("Four."))
    waits = Waits()
    async with scripted_endpoint(script) as place:
        reached = endpoint(place.url)
        async with OpenAIChat(reached) as chat:
            assert (await PatientModel(chat, reached, sleep=waits).answer(question())).text == "Four."
    assert len(place.requests) == 5
    for wait, backoff in zip(waits.seconds, (1, 2, 4, 8), strict=True):
        assert backoff / 2 <= wait <= backoff


async def test_a_pause_that_the_endpoint_asks_for_is_kept_by_every_question() -> None:
    script = one_after_the_other(Fail(429, headers={"Retry-After": "0.2"}), Say("Four."))
    async with scripted_endpoint(script) as place:
        reached = endpoint(place.url, parallel=1)
        began = anyio.current_time()
        async with OpenAIChat(reached) as chat, anyio.create_task_group() as group:
            patient = PatientModel(chat, reached)
            for number in range(3):
                group.start_soon(patient.answer, question(str(number)))
        assert len(place.requests) == 4
        assert anyio.current_time() - began >= 0.2


async def test_a_pause_that_is_too_long_is_told_and_not_kept() -> None:
    script = one_after_the_other(Fail(429, headers={"Retry-After": "86400"}))
    async with scripted_endpoint(script) as place:
        reached = endpoint(place.url)
        async with OpenAIChat(reached) as chat:
            with pytest.raises(UnansweredError, match="asks for a pause of 86400 s"):
                await PatientModel(chat, reached).answer(question())
    assert len(place.requests) == 1


async def test_after_the_last_attempt_the_failure_says_how_often_was_asked() -> None:
    async with scripted_endpoint(lambda _: Fail(500, "oops")) as place:
        reached = endpoint(place.url, attempts=3)
        async with OpenAIChat(reached) as chat:
            with pytest.raises(UnansweredError, match=r"500 oops \(asked 3 times\)") as failed:
                await PatientModel(chat, reached, sleep=Waits()).answer(question())
    assert failed.value.transient
    assert len(place.requests) == 3


async def test_what_will_not_change_is_asked_once() -> None:
    async with scripted_endpoint(lambda _: Fail(401, "no such key")) as place:
        reached = endpoint(place.url)
        async with OpenAIChat(reached) as chat:
            with pytest.raises(ModelError, match="OPENAI_API_KEY"):
                await PatientModel(chat, reached).answer(question())
    assert len(place.requests) == 1


async def test_no_more_questions_are_under_way_than_allowed() -> None:
    async with scripted_endpoint(lambda _: Say("Four."), delay=0.01) as place:
        reached = endpoint(place.url, parallel=3)
        async with OpenAIChat(reached) as chat, anyio.create_task_group() as group:
            patient = PatientModel(chat, reached)
            for number in range(12):
                group.start_soon(patient.answer, question(str(number)))
    assert (len(place.requests), place.most_at_once) == (12, 3)


async def test_an_answer_that_never_ends_is_cut_off_and_asked_for_again() -> None:
    script = one_after_the_other(Trickle(), Say("Four."))
    async with scripted_endpoint(script) as place:
        reached = endpoint(place.url, timeout=0.1)
        async with OpenAIChat(reached) as chat:
            assert (await PatientModel(chat, reached, sleep=Waits()).answer(question())).text == "Four."
    assert len(place.requests) == 2


async def test_a_question_that_is_looked_into_is_put_once_unless_the_endpoint_is_busy() -> None:
    script = one_after_the_other(Fail(429, headers={"retry-after-ms": "1"}), Fail(504), Say("Four."))
    async with scripted_endpoint(script) as place:
        reached = endpoint(place.url)
        async with OpenAIChat(reached) as chat:
            with pytest.raises(UnansweredError, match="504") as failed:
                await PatientModel(chat, reached, sleep=Waits()).answer(question(looked_into=True))
    assert failed.value.suspect
    assert len(place.requests) == 2


class Stopwatch:
    """A clock that notes what is lost."""

    def __init__(self) -> None:
        self.out, self.lost = 0, 0.0

    def stop(self) -> None:
        self.out += 1

    def go_on(self, lost: float) -> None:
        self.out -= 1
        self.lost = max(self.lost, lost)


async def test_what_is_asked_off_the_clock_takes_nothing_of_a_callers_time_also_where_it_is_answered() -> None:
    watch = Stopwatch()
    CLOCK.set(watch)
    async with scripted_endpoint(lambda _: Say("Four."), delay=0.2) as place:
        reached = endpoint(place.url)
        async with OpenAIChat(reached) as chat:
            with off_the_clock():
                await PatientModel(chat, reached).answer(question())
    assert (watch.out, watch.lost >= 0.2) == (0, True)
