"""A world is called, looked at, marked, restored and forked."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, cast

import pytest

from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, Outcome, load_class, open_unread_world

LEND = {"book_id": "BOOK-00001", "member_id": "MEMB-00001", "until": "2026-04-01"}


def test_a_done_call_says_what_was_done(library_world: LocalWorld) -> None:
    outcome = library_world.call("lend_book", LEND)
    assert outcome.kind == "done"
    assert not outcome.is_error
    assert outcome.text == (
        '{"success":true,"message":"Done: lend BOOK-00001 to MEMB-00001 until 2026-04-01 (LOAN-00001)."}'
    )
    assert outcome.payload == json.loads(outcome.text)


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "error"),
    [
        ("get_book", {"book_id": "BOOK-9"}, "refused", "There is no book BOOK-9."),
        ("get_book", {"book": "BOOK-9"}, "invalid", "There is no argument 'book'; did you mean 'book_id'?"),
        (
            "lend_book",
            {**LEND, "until": "soon"},
            "invalid",
            "until must be a real date written like 2026-03-02, not 'soon'.",
        ),
        ("get_bok", {}, "invalid", "There is no tool 'get_bok'; did you mean 'get_book'?"),
        ("__init__", {"init_config": {}}, "invalid", "There is no tool '__init__'."),
        ("_lend", {}, "invalid", "There is no tool '_lend'."),
        ("_undo", {"journal": []}, "invalid", "There is no tool '_undo'."),
        ("books", {}, "invalid", "There is no tool 'books'; did you mean 'list_books'?"),
        (None, {}, "invalid", "There is no tool null."),
        (
            "stumble",
            {"member_id": "MEMB-00001"},
            "failed",
            "stumble failed because of an error inside the environment; nothing was changed.",
        ),
    ],
)
def test_an_unsuccessful_call_says_why_and_changes_nothing(
    library_world: LocalWorld, tool: Any, arguments: dict[str, Any], kind: str, error: str
) -> None:
    before = library_world.state_hash()
    outcome = library_world.call(tool, arguments)
    assert (outcome.kind, outcome.payload) == (kind, {"success": False, "error": error})
    assert outcome.is_error
    assert library_world.state_hash() == before
    assert library_world.diff().empty


def test_what_environment_code_raised_is_kept_for_its_judges_and_told_to_nobody_else(library_world: LocalWorld) -> None:
    outcome = library_world.call("stumble", {"member_id": "MEMB-00001"})
    assert "/some/secret" not in outcome.text
    assert library_world.last_failure == "RuntimeError: a defect in /some/secret/path.py"


def test_a_call_that_is_refused_half_way_takes_back_its_counters_too(library_world: LocalWorld) -> None:
    before = library_world.state()
    lines = [{"book_id": "BOOK-00001", "days": 3}, {"book_id": "BOOK-00001", "days": 3}]
    assert library_world.call("lend_books", {"member_id": "MEMB-00001", "lines": lines}).kind == "refused"
    assert library_world.state() == before
    assert library_world.call("lend_book", LEND).text.endswith('(LOAN-00001)."}')


def test_a_diff_tells_fact_by_fact_what_the_last_call_changed(library_world: LocalWorld) -> None:
    library_world.call("lend_book", LEND)
    diff = library_world.diff()
    loan = {"book": "BOOK-00001", "member": "MEMB-00001", "until": "2026-04-01", "status": "open"}
    assert diff.created == {"loans": {"LOAN-00001": loan}}
    assert diff.scalars == {"counters.LOAN": (None, 1)}
    library_world.call("return_book", {"book_id": "BOOK-00001"})
    assert library_world.diff().changed == {"loans": {"LOAN-00001": {"status": ("open", "closed")}}}
    library_world.call("remove_member", {"member_id": "MEMB-00001"})
    assert library_world.diff().deleted == {
        "loans": {"LOAN-00001": {**loan, "status": "closed"}},
        "members": {"MEMB-00001": {"name": "Member 1", "email": "m1@example.org", "notes": [], "last": None}},
    }
    library_world.call("get_book", {"book_id": "BOOK-00001"})
    assert library_world.diff().empty


def test_a_diff_since_a_snapshot_forgets_what_came_and_went(library_world: LocalWorld) -> None:
    library_world.call("join", {"name": "Amina", "email": "a@b.org"})
    start = library_world.snapshot()
    library_world.call("lend_book", LEND)
    library_world.call("return_book", {"book_id": "BOOK-00001"})
    library_world.call("remove_member", {"member_id": "MEMB-00001"})
    library_world.call("note", {"member_id": "MEMB-00002", "text": "x"})
    diff = library_world.diff_since(start)
    assert diff.created == {}
    assert list(diff.deleted) == ["members"]
    assert diff.changed == {"members": {"MEMB-00002": {"notes": ([], ["2026-03-02T09:00 x"])}}}
    assert diff.scalars == {"counters.LOAN": (None, 1)}


def test_a_list_that_a_caller_keeps_is_not_shared_with_the_world(library_world: LocalWorld) -> None:
    lines = [{"book_id": "BOOK-00001", "days": 3}]
    library_world.call("lend_books", {"member_id": "MEMB-00001", "lines": lines})
    lines[0]["days"] = 59
    assert library_world.state()["members"]["MEMB-00001"]["last"] == [{"book_id": "BOOK-00001", "days": 3}]


def test_nobody_changes_a_world_through_what_it_gave_away(library_world: LocalWorld, office_world: LocalWorld) -> None:
    hashes = library_world.state_hash(), office_world.state_hash()
    library_world.state()["books"].clear()
    office_world.state()["parcels"]["P-1"]["history"].append("x")
    office_world.call("get_parcel", {"parcel_id": "P-1"}).payload["data"]["history"].append("x")
    library_world.call("list_books", {}).payload["data"]["items"][0]["title"] = "x"
    assert (library_world.state_hash(), office_world.state_hash()) == hashes


@pytest.mark.parametrize("kind", ["library_world", "office_world"])
def test_restoring_brings_back_the_world_as_often_as_wanted(kind: str, request: pytest.FixtureRequest) -> None:
    world: LocalWorld = request.getfixturevalue(kind)
    tool, arguments = (
        ("join", {"name": "Amina", "email": "a@b.org"})
        if kind == "library_world"
        else ("accept", {"receiver": "Amina", "weight": 2})
    )
    start = world.snapshot()
    before = world.state_hash()
    first = world.call(tool, arguments)
    after = world.state_hash()
    assert after != before
    world.set_clock("2026-05-01T10:00")
    world.restore(start)
    assert world.state_hash() == before
    assert world.diff().empty
    assert world.diff_since(start).empty
    assert world.call(tool, arguments) == first
    assert world.state_hash() == after
    world.restore(start)
    assert world.state_hash() == before


@pytest.mark.parametrize("kind", ["library_world", "office_world"])
def test_restoring_forgets_the_snapshots_taken_later(kind: str, request: pytest.FixtureRequest) -> None:
    world: LocalWorld = request.getfixturevalue(kind)
    first, second = world.snapshot(), world.snapshot()
    world.restore(first)
    with pytest.raises(WorldError, match=f"There is no snapshot {second}"):
        world.restore(second)
    assert world.snapshot() not in (first, second)


@pytest.mark.parametrize("kind", ["library_world", "office_world"])
def test_a_fork_and_its_origin_go_their_own_ways(kind: str, request: pytest.FixtureRequest) -> None:
    world: LocalWorld = request.getfixturevalue(kind)
    tool, arguments = ("lend_book", LEND) if kind == "library_world" else ("accept", {"receiver": "Amina", "weight": 2})
    before = world.state_hash()
    twin = world.fork()
    assert twin.state_hash() == before
    outcome = twin.call(tool, arguments)
    assert twin.state_hash() != before
    assert world.state_hash() == before
    assert world.call(tool, arguments) == outcome
    assert world.state_hash() == twin.state_hash()


def test_a_call_sent_twice_with_one_key_is_run_once(library_world: LocalWorld) -> None:
    first = library_world.call("join", {"name": "Amina", "email": "a@b.org"}, "k1")
    after = library_world.state_hash()
    assert library_world.call("join", {"email": "a@b.org", "name": "Amina"}, "k1") == first
    assert library_world.diff().empty
    assert library_world.state_hash() == after
    other = library_world.call("join", {"name": "Bo", "email": "b@b.org"}, "k1")
    assert other == Outcome.saying("invalid", "The idempotency key 'k1' was already used for another call.")
    assert library_world.call("lend_book", LEND, "k1").kind == "invalid"
    assert library_world.state_hash() == after


def test_a_restore_forgets_the_keys_used_since(library_world: LocalWorld) -> None:
    library_world.call("note", {"member_id": "MEMB-00001", "text": "kept"}, "k0")
    start = library_world.snapshot()
    first = library_world.call("join", {"name": "Amina", "email": "a@b.org"}, "k1")
    after = library_world.state_hash()
    library_world.restore(start)
    assert library_world.call("join", {"name": "Amina", "email": "a@b.org"}, "k1") == first
    library_world.call("note", {"member_id": "MEMB-00001", "text": "kept"}, "k0")
    assert library_world.state_hash() == after


def test_a_fork_knows_the_keys_that_its_origin_has_seen(library_world: LocalWorld) -> None:
    library_world.call("join", {"name": "Amina", "email": "a@b.org"}, "k1")
    twin = library_world.fork()
    twin.call("join", {"name": "Amina", "email": "a@b.org"}, "k1")
    assert twin.state_hash() == library_world.state_hash()


def test_arguments_that_are_not_json_are_refused_with_a_key_as_without(library_world: LocalWorld) -> None:
    for arguments in ({"book_id": float("nan")}, {"book_id": "\ud800"}, {"book_id": {1}}):
        assert library_world.call("get_book", arguments, "k") == library_world.call("get_book", arguments)


def test_the_clock_is_state_and_a_change_of_it_can_be_taken_back(library_world: LocalWorld) -> None:
    start = library_world.snapshot()
    library_world.set_clock("2026-03-03T10:00")
    assert library_world.diff().scalars == {"now": ("2026-03-02T09:00", "2026-03-03T10:00")}
    library_world.call("note", {"member_id": "MEMB-00001", "text": "late"})
    assert library_world.state()["members"]["MEMB-00001"]["notes"] == ["2026-03-03T10:00 late"]
    library_world.restore(start)
    assert library_world.state()["now"] == "2026-03-02T09:00"


@pytest.mark.parametrize("kind", ["library_world", "office_world"])
def test_a_clock_that_is_no_minute_is_refused(kind: str, request: pytest.FixtureRequest) -> None:
    world: LocalWorld = request.getfixturevalue(kind)
    with pytest.raises(WorldError, match="cannot show 'noon'"):
        world.set_clock("noon")


def test_a_closed_world_answers_nothing_more(library_world: LocalWorld) -> None:
    library_world.close()
    assert library_world.call("list_books", {}) == Outcome.saying("invalid", "This world is closed.")


def test_written_code_in_the_published_shape_is_served_with_its_own_words(office_world: LocalWorld) -> None:
    assert office_world.call("get_parcel", {"parcel_id": "P-9"}) == Outcome(
        "refused", '{"success":false,"error":"Parcel not found"}'
    )
    assert office_world.call("deliver", {"parcel_id": "P-1", "courier": "Sato"}).text == (
        '{"success":true,"message":"Delivered"}'
    )
    assert office_world.diff().changed == {
        "parcels": {"P-1": {"status": ("waiting", "delivered")}},
        "couriers": {"Sato": {"trips": (0, 1)}},
    }


def test_the_configuration_that_a_class_keeps_is_not_state(office_world: LocalWorld) -> None:
    assert list(office_world.state()) == ["parcels", "couriers", "last_opened"]
    assert list(office_world.fork().state()) == ["parcels", "couriers", "last_opened"]


def test_written_code_that_refuses_half_way_leaves_no_trace_not_even_in_its_ids(office: EnvironmentCode) -> None:
    content = {"parcels": {"P-1": {"status": "waiting", "history": []}}, "couriers": {}}
    one, two = open_unread_world(office, content, 7), open_unread_world(office, content, 7)
    before = one.state_hash()
    assert one.call("deliver", {"parcel_id": "P-1", "courier": "Nobody"}).kind == "refused"
    assert one.state_hash() == before
    accept = "accept", {"receiver": "Amina", "weight": 2}
    assert one.call(*accept) == two.call(*accept)


def test_private_attributes_of_written_code_are_taken_back_and_forked_too(office_world: LocalWorld) -> None:
    start = office_world.snapshot()
    office_world.call("accept", {"receiver": "Amina", "weight": 2})
    twin = office_world.fork()
    office_world.restore(start)
    assert office_world.call("count_drawer", {}).payload["data"] == 0
    assert twin.call("count_drawer", {}).payload["data"] == 1


def test_records_that_written_code_shares_stay_shared_when_restored(office_world: LocalWorld) -> None:
    office_world.call("merge", {"parcel_id": "P-1", "into": "P-2"})
    start = office_world.snapshot()
    for world in (office_world, office_world.fork()):
        world.call("spoil", {"what": "nothing"})
        world.call("deliver", {"parcel_id": "P-2", "courier": "Sato"})
        assert world.call("get_parcel", {"parcel_id": "P-1"}).payload["data"]["status"] == "delivered"
    office_world.restore(start)
    office_world.call("deliver", {"parcel_id": "P-1", "courier": "Sato"})
    assert office_world.call("get_parcel", {"parcel_id": "P-2"}).payload["data"]["status"] == "delivered"


@pytest.mark.parametrize("what", ["exit", "nan", "set", "shape", "surrogate", "deep"])
def test_written_code_that_misbehaves_fails_and_changes_nothing(office_world: LocalWorld, what: str) -> None:
    before = office_world.state_hash()
    outcome = office_world.call("spoil", {"what": what})
    assert outcome == Outcome.saying(
        "failed", "spoil failed because of an error inside the environment; nothing was changed."
    )
    assert office_world.state_hash() == before
    assert office_world.call("get_parcel", {"parcel_id": "P-1"}).kind == "done"


def test_a_result_that_is_too_long_is_a_limit_and_no_defect(office_world: LocalWorld) -> None:
    before = office_world.state_hash()
    outcome = office_world.call("spoil", {"what": "long"})
    assert outcome.kind == "limited"
    assert outcome.payload["error"].endswith("nothing was changed. Ask for less: narrow it.")
    assert office_world.state_hash() == before


def test_written_code_replays_exactly(office: EnvironmentCode, request: pytest.FixtureRequest) -> None:
    content: dict[str, Any] = {"parcels": {}, "couriers": {}}
    hashes = set()
    for seed in (7, 7, 8):
        world = open_unread_world(office, content, seed)
        for _ in range(3):
            world.call("accept", {"receiver": "Amina", "weight": 2})
        hashes.add(world.state_hash())
    assert len(hashes) == 2


def test_a_state_that_would_replace_a_tool_is_refused(office: EnvironmentCode) -> None:
    with pytest.raises(WorldError, match="'accept' cannot be a field of the state"):
        open_unread_world(office, {"accept": {}}, 7)


def test_attributes_that_cannot_be_marshalled_are_copied_another_way(office: EnvironmentCode) -> None:
    source = office.source.replace("self._drawer: list = []", "self._drawer = __import__('collections').deque()")
    environment = office.environment.model_copy(update={"code_digest": digest_of(source)})
    world = open_unread_world(EnvironmentCode.of(environment, source), {"parcels": {}, "couriers": {}}, 7)
    start = world.snapshot()
    world.call("accept", {"receiver": "Amina", "weight": 2})
    twin = world.fork()
    world.restore(start)
    assert world.call("count_drawer", {}).payload["data"] == 0
    assert twin.call("count_drawer", {}).payload["data"] == 1


def test_compiled_code_that_was_changed_runs_as_written_code(library: EnvironmentCode) -> None:
    changed = EnvironmentCode.of(library.environment, library.source + "\n# by hand\n")
    world = open_unread_world(
        changed, {"books": {"B": {"title": "T", "shelf": "fiction"}}, "members": {}, "loans": {}}, 7
    )
    assert type(world).__name__ == "CopiedWorld"
    assert world.call("get_book", {"book_id": "B"}).kind == "done"


def test_many_threads_make_the_class_of_one_environment_at_once() -> None:
    # The threads take turns where it sleeps.
    source = "import time\nfrom dataclasses import dataclass\n\ntime.sleep(0.001)\n\n\n@dataclass\nclass Same:\n    number: int = {}\n"
    with ThreadPoolExecutor(8) as pool:
        for number in range(40):
            together = Barrier(8)

            def make(number: int = number, together: Barrier = together) -> type:
                together.wait()
                return load_class(source.replace("{}", str(number)), "Same", None)

            made = [future.result() for future in [pool.submit(make) for _ in range(8)]]
            assert {cast(Any, one)().number for one in made} == {number}
