"""What a model says of raw tasks is taken when it is whole, and topics are chosen for how much they differ."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Topic
from envscaler_mcp.llm import ChatRequest, UnusableError
from envscaler_mcp.synthesis.topics.asked import judge_tasks, name_topic
from envscaler_mcp.synthesis.topics.mining import RawTask, TopicGroup
from envscaler_mcp.synthesis.topics.selection import select_topics
from tests.llm.asking import Actor

TASKS = [
    RawTask(f"Book room {number} for Ada" if number % 3 else f"What is {number} squared?", number)
    for number in range(1, 30)
]


def sorting(question: ChatRequest) -> str:
    found = re.findall(r"(?m)^(\d+)\. (.*)$", question.messages[1].content)
    verdicts = [{"number": int(n), "reason": "a booking", "stateful": text.startswith("Book")} for n, text in found]
    return json.dumps({"verdicts": verdicts})


async def test_every_task_gets_its_verdict_several_in_one_question() -> None:
    actor, seen = Actor(judge_tasks=sorting), list[int]()
    verdicts = await judge_tasks(actor.author(), TASKS, seen.append)
    assert [verdict.stateful for verdict in verdicts] == [task.text.startswith("Book") for task in TASKS]
    assert [verdict.number for verdict in verdicts] == list(range(1, 30))
    assert actor.times("judge_tasks") == 3
    assert sum(seen) == 29


async def test_a_task_that_was_forgotten_is_asked_for() -> None:
    def forgetful(question: ChatRequest) -> str:
        whole = json.loads(sorting(question))
        return json.dumps(whole if len(question.messages) > 2 else {"verdicts": whole["verdicts"][1:]})

    actor = Actor(judge_tasks=forgetful)
    assert len(await judge_tasks(actor.author(), TASKS[:5])) == 5
    assert "no verdict on request 1." in actor.asked[1].messages[3].content


async def test_what_cannot_be_sorted_is_left_out_and_says_why() -> None:
    verdicts = await judge_tasks(Actor(judge_tasks=["I like them all."]).author(), TASKS[:3])
    assert not any(verdict.stateful for verdict in verdicts)
    assert all("no answer that can be used" in verdict.reason for verdict in verdicts)


NAMED: dict[str, Any] = {
    "analysis": "Somebody at a desk books rooms.",
    "id": "room_booking",
    "title": "Room booking",
    "introduction": "Keeps rooms and bookings. People book, move and cancel. Rooms are few.",
    "usefulness": 8,
    "modelability": 9,
}
GROUP = TopicGroup(("room", "book"), tuple(TASKS[:9]), ())


async def test_a_group_becomes_a_topic_that_knows_where_it_comes_from() -> None:
    actor = Actor(name_topic=[NAMED])
    topic = await name_topic(actor.author(), GROUP, {"hotel_front_desk": "Hotel front desk"})
    assert (topic.id, topic.title, topic.usefulness, topic.modelability) == ("room_booking", "Room booking", 8, 9)
    assert topic.tasks == tuple(task.text for task in TASKS[:6])
    assert (topic.provenance.author, topic.provenance.model) == ("model", "small")
    assert topic.provenance.prompt_digest is not None
    asked = actor.asked[0].messages[1].content
    assert "* hotel_front_desk: Hotel front desk" in asked
    assert "* Book room 1 for Ada" in asked


async def test_a_name_that_can_be_no_id_goes_back() -> None:
    actor = Actor(name_topic=[{**NAMED, "id": "Room Booking"}, NAMED])
    assert (await name_topic(actor.author(), GROUP, {})).id == "room_booking"
    assert "id: String should match pattern" in actor.asked[1].messages[3].content
    with pytest.raises(UnusableError):
        await name_topic(Actor(name_topic=[{**NAMED, "id": "Room Booking"}]).author(), GROUP, {})


def topic(name: str, about: str, marks: tuple[int, int] = (8, 8)) -> Topic:
    return Topic(id=name, title=name.title(), introduction=about, usefulness=marks[0], modelability=marks[1])


ROOMS = topic("rooms", "Meeting rooms are booked, moved and cancelled by colleagues.", (9, 9))
HALLS = topic("halls", "Meeting rooms are booked, moved and cancelled by colleagues in halls.")
SHIPS = topic("ships", "Container ships are loaded by cranes in the order of their weight.")
CRANES = topic("cranes", "Tower cranes lift steel for the crews of a building site by schedule.")
WISHES = topic("wishes", "Guessing what a poet felt when looking at the moon over the sea.", (9, 3))


def test_topics_are_good_enough_new_and_different() -> None:
    found = select_topics([HALLS, WISHES, CRANES, ROOMS, SHIPS], 2, {"crane_desk": CRANES.text})
    assert [one.id for one in found.chosen] == ["rooms", "ships"]
    assert {one.topic.id: one.reason for one in found.left_out} == {
        "halls": "the same as rooms",
        "wishes": "usefulness 9, modelability 3; both must reach 7",
        "cranes": "there is an environment of it: crane_desk",
    }


def test_vectors_of_a_model_take_the_place_of_words() -> None:
    vectors = {"rooms": [1.0, 0.0], "halls": [0.0, 1.0], "ships": [0.9, 0.1]}
    found = select_topics([ROOMS, HALLS, SHIPS], 3, {}, vectors)
    assert [one.id for one in found.chosen] == ["rooms", "halls"]
    assert [one.reason for one in found.left_out] == ["the same as rooms"]


TOPICS = st.lists(
    st.builds(
        topic,
        st.from_regex(r"[a-z]{3,8}", fullmatch=True),
        st.lists(
            st.sampled_from(["rooms", "ships", "cranes", "poems", "taxes", "goats", "violins", "seeds"]), min_size=4
        ).map(lambda words: " ".join(["what is kept of", *words])),
        st.tuples(st.integers(1, 10), st.integers(1, 10)),
    ),
    unique_by=lambda one: one.id,
    max_size=10,
)


@given(topics=TOPICS, many=st.integers(0, 5))
def test_every_topic_is_chosen_or_told_why_not_whatever_their_order(topics: list[Topic], many: int) -> None:
    found = select_topics(topics, many, {})
    assert len(found.chosen) <= many
    assert {one.id for one in found.chosen} | {one.topic.id for one in found.left_out} == {one.id for one in topics}
    assert len(found.chosen) + len(found.left_out) == len(topics)
    assert select_topics(topics[::-1], many, {}) == found
