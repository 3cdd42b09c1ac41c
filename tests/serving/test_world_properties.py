"""Whatever is called in whatever order: a world can go back, be copied, and say what changed."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts import StateDiff
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, open_unread_world

Call = tuple[str, dict[str, Any]]

books = st.sampled_from([f"BOOK-0000{n}" for n in range(1, 6)])
members = st.sampled_from([f"MEMB-0000{n}" for n in range(1, 6)])
lines = st.lists(st.fixed_dictionaries({"book_id": books, "days": st.integers(0, 3)}), max_size=3)
library_calls: st.SearchStrategy[Call] = st.one_of(
    st.tuples(
        st.just("lend_book"),
        st.fixed_dictionaries({"book_id": books, "member_id": members, "until": st.just("2026-04-01")}),
    ),
    st.tuples(st.just("lend_books"), st.fixed_dictionaries({"member_id": members, "lines": lines})),
    st.tuples(st.just("return_book"), st.fixed_dictionaries({"book_id": books})),
    st.tuples(st.just("remove_member"), st.fixed_dictionaries({"member_id": members})),
    st.tuples(
        st.just("join"),
        st.fixed_dictionaries({"name": st.just("A"), "email": st.sampled_from(["a@b.org", "c@d.org", "x"])}),
    ),
    st.tuples(st.just("note"), st.fixed_dictionaries({"member_id": members, "text": st.text(max_size=3)})),
    st.tuples(st.just("stumble"), st.fixed_dictionaries({"member_id": members})),
    st.tuples(st.just("list_books"), st.just({})),
)
parcels = st.sampled_from([f"P-{n}" for n in range(1, 7)])
office_calls: st.SearchStrategy[Call] = st.one_of(
    st.tuples(
        st.just("accept"), st.fixed_dictionaries({"receiver": st.just("A"), "weight": st.sampled_from([1, 1.0, 2])})
    ),
    st.tuples(
        st.just("deliver"),
        st.fixed_dictionaries({"parcel_id": parcels, "courier": st.sampled_from(["Sato", "Nobody"])}),
    ),
    st.tuples(st.just("merge"), st.fixed_dictionaries({"parcel_id": parcels, "into": parcels})),
    st.tuples(st.just("spoil"), st.fixed_dictionaries({"what": st.sampled_from(["exit", "nan", "nothing"])})),
    st.tuples(st.just("count_drawer"), st.just({})),
)


def library_content() -> dict[str, Any]:
    return {
        "books": {f"BOOK-0000{n}": {"title": f"Volume {n}", "shelf": "fiction"} for n in range(1, 6)},
        "members": {
            f"MEMB-0000{n}": {"name": f"M{n}", "email": f"m{n}@x.org", "notes": [], "last": None} for n in range(1, 5)
        },
        "loans": {},
        "now": "2026-03-02T09:00",
        "counters": {"MEMB": 4},
    }


def office_content() -> dict[str, Any]:
    return {
        "parcels": {f"P-{n}": {"parcel_id": f"P-{n}", "status": "waiting", "history": []} for n in range(1, 6)},
        "couriers": {"Sato": {"trips": 0}},
    }


def applied(diff: StateDiff, state: dict[str, Any]) -> dict[str, Any]:
    """The state after the changes: what a diff means."""
    for container, records in diff.deleted.items():
        for key, record in records.items():
            assert state[container].pop(key) == record
    for container, records in diff.created.items():
        for key, record in records.items():
            assert key not in state[container]
            state[container][key] = record
    for container, fields_of in diff.changed.items():
        for key, fields in fields_of.items():
            for field, (before, after) in fields.items():
                assert state[container][key].get(field) == before
                state[container][key][field] = after
    for path, (before, after) in diff.scalars.items():
        attribute, _, entry = path.partition(".")
        place, name = (state[attribute], entry) if entry else (state, attribute)
        assert place.get(name) == before
        place[name] = after
    return {name: value for name, value in state.items() if value is not None}


def played(world: LocalWorld, calls: list[Call]) -> list[str]:
    return [world.call(tool, arguments).text for tool, arguments in calls]


@pytest.fixture(scope="module", params=["library", "office"])
def kind(request: pytest.FixtureRequest) -> tuple[EnvironmentCode, dict[str, Any], Any]:
    code = request.getfixturevalue(request.param)
    if request.param == "library":
        return code, library_content(), library_calls
    return code, office_content(), office_calls


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_going_back_and_forking_lose_nothing_and_a_diff_is_the_whole_difference(
    kind: tuple[EnvironmentCode, dict[str, Any], Any], data: st.DataObject
) -> None:
    code, content, calls = kind
    script = data.draw(st.lists(calls, max_size=10))
    more = data.draw(st.lists(calls, max_size=10))
    world = open_unread_world(code, content, 7)
    played(world, script)
    before, hashed = world.state(), world.state_hash()
    mark = world.snapshot()
    twin = world.fork()
    texts = played(world, more)
    after = world.state_hash()
    assert applied(world.diff_since(mark), before) == {k: v for k, v in world.state().items() if v is not None}
    world.restore(mark)
    assert world.state_hash() == hashed == twin.state_hash()
    assert played(twin, more) == texts
    assert twin.state_hash() == after


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_diff_of_each_call_is_its_whole_difference_and_an_error_has_none(
    kind: tuple[EnvironmentCode, dict[str, Any], Any], data: st.DataObject
) -> None:
    code, content, calls = kind
    world = open_unread_world(code, content, 7)
    for tool, arguments in data.draw(st.lists(calls, max_size=12)):
        before = world.state()
        outcome = world.call(tool, arguments)
        assert applied(world.diff(), before) == world.state()
        assert not outcome.is_error or world.diff().empty


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_same_calls_end_in_the_same_hash(
    kind: tuple[EnvironmentCode, dict[str, Any], Any], data: st.DataObject
) -> None:
    code, content, calls = kind
    script = data.draw(st.lists(calls, max_size=12))
    one, two = open_unread_world(code, content, 7), open_unread_world(code, content, 7)
    assert played(one, script) == played(two, script)
    assert one.state_hash() == two.state_hash()


def test_64_worlds_interleaved_at_random_end_as_they_do_one_after_the_other(
    kind: tuple[EnvironmentCode, dict[str, Any], Any],
) -> None:
    code, content, _ = kind
    rng = random.Random(64)
    scripts = [[some_call(code.environment.id, rng) for _ in range(40)] for _ in range(64)]
    alone = []
    for seed, script in enumerate(scripts):
        world = open_unread_world(code, content, seed)
        played(world, script)
        alone.append(world.state_hash())
    together = [open_unread_world(code, content, seed) for seed in range(64)]
    turns = [number for number in range(64) for _ in range(40)]
    rng.shuffle(turns)
    waiting = [iter(script) for script in scripts]
    for number in turns:
        tool, arguments = next(waiting[number])
        together[number].call(tool, arguments)
    assert [world.state_hash() for world in together] == alone
    assert len(set(alone)) > 32


def some_call(environment: str, rng: random.Random) -> Call:
    book, member = f"BOOK-0000{rng.randint(1, 5)}", f"MEMB-0000{rng.randint(1, 5)}"
    calls: dict[str, list[Call]] = {
        "parcel_office": [
            ("accept", {"receiver": rng.choice("ABC"), "weight": rng.randint(1, 9)}),
            ("deliver", {"parcel_id": f"P-{rng.randint(1, 7)}", "courier": rng.choice(["Sato", "Nobody"])}),
        ],
        "lending_library": [
            ("lend_book", {"book_id": book, "member_id": member, "until": "2026-04-01"}),
            ("return_book", {"book_id": book}),
            ("remove_member", {"member_id": member}),
            ("note", {"member_id": member, "text": rng.choice("abc")}),
            ("join", {"name": "A", "email": f"{rng.choice('abcdef')}@x.org"}),
            ("stumble", {"member_id": member}),
        ],
    }
    return rng.choice(calls[environment])
