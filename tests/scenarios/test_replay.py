"""Two ends that nobody could tell apart have one content, and no others have."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Call, StateDiff
from envscaler_mcp.scenarios.replay import content_form, record, with_new_ids
from tests.scenarios.lending import lending

CONTAINERS = ("loans", "claims")


@st.composite
def diffs(draw: st.DrawFn) -> dict[str, Any]:
    """New records, some of which refer to one another, and an old one that refers to some of them."""
    number = draw(st.integers(1, 5))
    created: dict[str, dict[str, dict[str, Any]]] = {container: {} for container in CONTAINERS}
    keys: list[str] = []
    for place in range(number):
        container = draw(st.sampled_from(CONTAINERS))
        key = f"N-{place}"
        created[container][key] = {
            "id": key,
            "units": draw(st.integers(0, 2)),
            "of_id": draw(st.sampled_from([None, "OLD-1", *keys[-1:]])),
            "with_ids": draw(st.lists(st.sampled_from(["OLD-1", "OLD-2", *keys[-1:]]), max_size=2)),
        }
        keys.append(key)
    changed = {
        "loans": {"OLD-1": {"last_id": [None, draw(st.sampled_from(keys))], "units": [1, draw(st.integers(2, 4))]}}
    }
    return {"created": created, "changed": changed, "deleted": {"claims": {"OLD-3": {"id": "OLD-3"}}}}


def form(diff: dict[str, Any]) -> str:
    return content_form(StateDiff.model_validate(diff))


@given(diff=diffs(), order=st.randoms(use_true_random=False))
def test_other_ids_of_new_records_and_another_order_change_nothing(diff: dict[str, Any], order: Any) -> None:
    keys = [key for records in diff["created"].values() for key in records]
    names = dict(zip(keys, [f"M-{n}" for n in order.sample(range(100), len(keys))], strict=True))
    other = copy.deepcopy(diff)
    for container, records in diff["created"].items():
        shuffled = order.sample(list(records), len(records))
        other["created"][container] = {names[key]: with_new_ids(records[key], names) for key in shuffled}
        for row in other["created"][container].values():
            row["with_ids"] = order.sample(row["with_ids"], len(row["with_ids"]))
    other["changed"] = with_new_ids(diff["changed"], names)
    assert form(other) == form(diff)


@given(diff=diffs(), data=st.data())
def test_any_field_that_differs_makes_another_content(diff: dict[str, Any], data: st.DataObject) -> None:
    container = data.draw(st.sampled_from([name for name in CONTAINERS if diff["created"][name]]))
    key = data.draw(st.sampled_from(sorted(diff["created"][container])))
    field = data.draw(st.sampled_from(["units", "of_id", "with_ids"]))
    other = copy.deepcopy(diff)
    row = other["created"][container][key]
    row[field] = {"units": 9, "of_id": "OLD-9", "with_ids": [*row["with_ids"], "OLD-9"]}[field]
    assert form(other) != form(diff)


@given(diff=diffs())
def test_what_becomes_of_old_records_is_part_of_the_content(diff: dict[str, Any]) -> None:
    changed = copy.deepcopy(diff)
    changed["changed"]["loans"]["OLD-1"]["units"][1] = 7
    more = {**diff, "deleted": {"claims": {**diff["deleted"]["claims"], "OLD-4": {"id": "OLD-4"}}}}
    fewer = {**diff, "deleted": {}}
    moved = copy.deepcopy(diff)
    for name, other in (CONTAINERS, CONTAINERS[::-1]):
        moved["created"][name] = diff["created"][other]
    forms = {form(one) for one in (diff, changed, more, fewer)}
    assert len(forms) == 4
    assert form(moved) != form(diff)


def test_a_counter_is_nobodys_content() -> None:
    plain = StateDiff()
    assert content_form(plain) == content_form(plain.model_copy(update={"scalars": {"counters.loan": [4, 9]}}))
    assert content_form(plain) != content_form(plain.model_copy(update={"scalars": {"now": ["a", "b"]}}))


def test_calls_are_played_again_with_the_ids_that_are_made_then() -> None:
    lend = {"reader_id": "READER-00001", "book_id": "BOOK-00002", "due_at": "2026-03-09T18:00"}
    plan = [Call(tool="lend", arguments=lend), Call(tool="claim", arguments={"loan_id": "LOAN-00005", "total": 3})]
    recording = record(lending().world(), plan)
    state = lending().state()
    state["counters"]["loan"] = 30
    world = type(lending().world()).open(lending().code, state, 7)
    assert [outcome.kind for outcome in recording.play(world, (0, 1))] == ["done", "done"]
    (claim,) = (one for key, one in world.state()["claims"].items() if key != "CLAIM-00001")
    assert claim["loan_id"] == "LOAN-00031"
    assert recording.play(lending().world(), (1,))[0].payload["error"] == "There is no loan 'LOAN-00005'."
