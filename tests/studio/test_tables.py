"""States of any shape as tables, and sentences of refusals as the conditions that they belong to."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_mcp.farm.held_bytes import HeldBytes
from envscaler_mcp.farm.timeline import Timeline
from envscaler_mcp.studio.reasons import RefusalReasons
from envscaler_mcp.studio.tables import MOST_COLUMNS, MOST_RECORDS, tables_of

NAMES = st.text("abcdef_", min_size=1, max_size=6)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.lists(st.text(max_size=4), max_size=3)
)
RECORDS = st.dictionaries(st.text(min_size=1, max_size=6), st.dictionaries(NAMES, VALUES, max_size=4), max_size=5)
STATES = st.dictionaries(NAMES, st.one_of(RECORDS, VALUES), max_size=5)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(STATES)
def test_every_state_is_shown_whole(state: dict[str, Any]) -> None:
    shown = tables_of(state)
    held = {table.name: table.records for table in shown.tables}
    assert {**held, **shown.scalars} == state
    for table in shown.tables:
        assert set(table.labels) == set(table.records)
        assert {name for record in table.records.values() for name in record} == {
            column.name for column in table.columns
        }


def test_a_large_table_is_shown_by_its_first_records_and_its_number() -> None:
    records = {f"ITEM-{n}": {"id": f"ITEM-{n}", "name": f"Item {n}"} for n in range(MOST_RECORDS + 7)}
    (table,) = tables_of({"items": records}).tables
    assert (len(table.records), table.total) == (MOST_RECORDS, MOST_RECORDS + 7)


@pytest.mark.parametrize(
    "state",
    [
        {"things": {f"T{n}": {f"field_{n}_name": None, "also_id": None} for n in range(10_000)}},
        {f"table{n}s": {f"T{n}": {"other_id": None, "label": f"T{n + 1}"}} for n in range(10_000)},
        {"things": {f"T{n}": {"next_id": f"T{n + 1}", "all": [f"T{m}" for m in range(5)]} for n in range(10_000)}},
    ],
    ids=["columns", "tables", "references"],
)
def test_no_shape_of_a_state_takes_long(state: dict[str, Any]) -> None:
    begun = time.process_time()
    shown = tables_of(state)
    assert time.process_time() - begun < 2
    assert all(len(table.columns) <= MOST_COLUMNS for table in shown.tables)


def test_records_that_name_each_other_in_a_circle_have_labels() -> None:
    state = {"pairs": {"A": {"other": "B"}, "B": {"other": "A"}}}
    (table,) = tables_of(state).tables
    assert set(table.labels) == {"A", "B"}


WORDS = st.text("abc {}", max_size=6).map(lambda text: text.replace("{", "").replace("}", ""))


@given(WORDS, WORDS, WORDS, st.text(max_size=5))
def test_a_refusal_leads_to_the_condition_whose_sentence_it_is(first: str, middle: str, last: str, value: str) -> None:
    line = f"bed.free | x{first}{{bed.label}}{middle}{{bed.room}}{last}y"
    reasons = RefusalReasons((), {"block": (line,)})
    assert reasons.condition("block", f"x{first}{value}{middle}{value}{last}y") == "bed.free"
    assert reasons.condition("other", f"x{first}{value}{middle}{value}{last}y") == ""
    assert reasons.condition("block", f"z{value}") == ""


def test_of_conditions_that_could_say_a_sentence_the_one_that_leaves_least_to_values_said_it() -> None:
    lines = (
        "a.here | {a.name} is {a.status}.",
        "b.dry | {b.name} is not dry.",
        "c.x | {a.name} is red.",
        "c.y | {b.name} is red.",
    )
    reasons = RefusalReasons((), {"move": lines})
    assert reasons.condition("move", "D3 is not dry.") == "b.dry"
    assert reasons.condition("move", "Milo is away.") == "a.here"
    # Two say the same: which of them it was cannot be known.
    assert reasons.condition("move", "D3 is red.") == ""
    sentences = ("D3 is red.", "There is no animal 'X-1'.", "There is no tool 'x'.", "Unreadable arguments.", None)
    assert [reasons.refuses("move", sentence) for sentence in sentences] == [True, True, False, False, False]


def test_a_sentence_that_is_a_rule_leads_to_its_number() -> None:
    reasons = RefusalReasons(("A bed holds one.", "Beds are clean."))
    assert [reasons.rule(text) for text in ("Beds are clean.", "No.", None)] == [2, None, None]


def test_records_are_called_by_a_short_text_of_their_own_and_never_by_the_id_of_another() -> None:
    queens = {
        f"QUEEN-{number}": {"id": f"QUEEN-{number}", "tag": tag, "mother_id": mother}
        for number, tag, mother in ((1, "Agnes 9", None), (2, "Y-39C", "QUEEN-1"), (3, "B-1", "QUEEN-1"))
    }
    visits = {f"VISIT-{n}": {"id": f"VISIT-{n}", "of": queen, "frames": n} for n, queen in enumerate(queens)}
    nameless = {f"BOX-{n}": {"id": f"BOX-{n}", "under": f"BOX-{n - 1}" if n else None} for n in range(3)}
    tables = {table.name: table for table in tables_of({"queens": queens, "visits": visits, "boxes": nameless}).tables}
    assert tables["queens"].labels == {"QUEEN-1": "Agnes 9", "QUEEN-2": "Y-39C", "QUEEN-3": "B-1"}
    assert set(tables["visits"].labels.values()) == {"Agnes 9", "Y-39C", "B-1"}
    assert not set(nameless) & {label for key, label in tables["boxes"].labels.items() if label != key}


def test_a_recording_holds_its_calls_as_text_and_as_many_bytes_as_it_counts() -> None:
    held = HeldBytes(1 << 30)
    timeline = Timeline("world", held, RefusalReasons(()))
    content: dict[str, Any] = {
        "tool": "block_bed",
        "arguments": {"a": [{} for _ in range(1_000)]},
        "kind": "refused",
        "result": None,
    }
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        timeline.add("agent", content, None, writes=False)
    gc.collect()
    # Read, they would be a hundred thousand objects.
    assert len(gc.get_objects()) - before < 2_000
    assert 300_000 < held.total < 500_000
    assert [step.number for step in timeline.steps()] == list(range(1, 101))
    assert timeline.steps()[99].arguments == content["arguments"]
