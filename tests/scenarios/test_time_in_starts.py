"""Start states in which time passes: daily steps, values that follow from others, hours and weekdays."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts import State, canonical_json
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.calendar import move_months
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.pipeline.building import STATES
from envscaler_mcp.quality import evaluate
from envscaler_mcp.scenarios import Grown, examples, grow
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized, synthesize

PAWNSHOP = (Path(__file__).parent.parent / "blueprints" / "pawnshop.yaml").read_text(encoding="utf-8")


def made_of(text: str = PAWNSHOP) -> Synthesized:
    return synthesize(read_blueprint(text, "pawnshop.yaml"), tuple(STATES))


MADE = made_of()
NURSERY = load_class(MADE.nursery_source, MADE.nursery_class)


def grown(text: str, seed: int = 7) -> Grown:
    made = made_of(text)
    return grow(made.model, load_class(made.nursery_source, made.nursery_class), seed)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_nothing_that_a_day_should_have_moved_on_is_left_behind(seed: int) -> None:
    state = grow(MADE.model, NURSERY, seed)
    today = state.content["now"][:10]
    pledges = state.content["pledges"].values()
    assert state.daily > 0
    assert all(pledge["due"] >= today for pledge in pledges if pledge["status"] == "running")
    assert all(pledge["due"] < today for pledge in pledges if pledge["status"] == "lapsed")
    assert canonical_json(state.content) == canonical_json(grow(MADE.model, NURSERY, seed).content)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_values_that_follow_from_the_others_are_what_the_guards_ask_for(seed: int) -> None:
    state = grow(MADE.model, NURSERY, seed)
    pledges = state.content["pledges"]
    redeemed = [pledge for pledge in pledges.values() if pledge["status"] == "redeemed"]
    assert all(pledge["paid"] == pledge["principal"] * 11 // 10 for pledge in redeemed)
    clerks = state.content["clerks"].values()
    assert all(clerk["retires_on"] == move_months(clerk["born"], 67 * 12) for clerk in clerks)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_what_is_written_by_chance_lies_in_the_hours_and_on_the_weekdays(seed: int) -> None:
    for pledge in grow(MADE.model, NURSERY, seed).content["pledges"].values():
        at = datetime.fromisoformat(pledge["taken_at"])
        assert at.weekday() < 5 or (at.weekday() == 5 and at.hour < 12)
        assert "10:00" <= pledge["taken_at"][11:] < "18:00"
        assert date.fromisoformat(pledge["due"]).weekday() < 5


def test_every_operation_has_its_turn_and_a_redemption_needs_no_luck() -> None:
    state = grow(MADE.model, NURSERY, 7)
    assert set(state.played) == {"take_in", "redeem", "let_lapse", "open_day", "close_day"}
    assert sum(state.played.values()) - state.daily == MADE.blueprint.start.history


def test_a_record_that_a_step_makes_is_named_by_the_steps_after_it() -> None:
    days = grow(MADE.model, NURSERY, 7).content["days"].values()
    assert len(days) > 30
    assert all(day["closed"] for day in days if day["on"] < "2026-03-02")


def test_what_is_refused_ends_its_own_pass_and_nothing_more() -> None:
    early = """  daily:
    - for p in Pledge if p.status == 'running':
        - redeem(pledge=p, clerk=first(c for c in Clerk) or p.clerk, paid=1)
        - let_lapse(pledge=p)
"""
    state = grown(PAWNSHOP.replace("  daily:\n", early))
    assert canonical_json(state.content) == canonical_json(grown(PAWNSHOP).content)


def test_a_blueprint_with_time_is_sound_and_its_tools_have_examples() -> None:
    state = grow(MADE.model, NURSERY, STATES["start"])
    code = EnvironmentCode.of(MADE.environment, MADE.source, "compiled")
    world = open_world(code, state.content, 0)
    try:
        shown = examples(MADE.model, MADE.environment, world)
    finally:
        world.close()
    assert "redeem" in shown
    kept = State(environment="pawnshop", name="start", seed=0, content=state.content)
    assert evaluate(code, [kept], open_world, model=MADE.model).report.admitted


def test_the_check_is_content(tmp_path: Path) -> None:
    file = tmp_path / "pawnshop.yaml"
    file.write_text(PAWNSHOP, encoding="utf-8")
    (report,) = check_blueprints([file])
    assert [str(problem) for problem in report.problems] == []


MISTAKES = [
    (
        "let_lapse(pledge=p)",
        "let_laps(pledge=p)",
        "start, daily: there is no operation 'let_laps'; did you mean 'let_lapse'?",
    ),
    ("let_lapse(pledge=p)", "let_lapse(pledge=3)", "start, daily: 'pledge=3' is an int, where Pledge belongs"),
    ("= pledge.principal", "= pledge.principle", "did you mean 'principal'?"),
    ("redeem.paid: = pledge.principal", "redeem.pad: = pledge.principal", "redeem has no 'pad'"),
    ("mon..fri 10:00..18:00", "mo..fri 10:00..18:00", "start, hours: 'mo..fri' is no weekday and no span of them"),
    (
        "mon..fri 10:00..18:00",
        "mon..fri 18:00..10:00",
        "start, hours: 'mon..fri 18:00..10:00': write weekdays and when",
    ),
    ("mon..fri 10:00..18:00", "always", "start, hours: 'always': write weekdays and when"),
]


@pytest.mark.parametrize(("right", "wrong", "words"), MISTAKES, ids=[wrong for _, wrong, _ in MISTAKES])
def test_a_mistake_is_told_with_its_place(right: str, wrong: str, words: str) -> None:
    assert right in PAWNSHOP
    problems = check_blueprint(read_blueprint(PAWNSHOP.replace(right, wrong), "pawnshop.yaml")).errors
    assert words in "\n".join(map(str, problems))


def test_steps_that_grow_with_every_day_are_ended() -> None:
    more = PAWNSHOP.replace(
        "    - open_day(on=today)\n", "    - for p in Day:\n        - open_day(on=p.on)\n    - open_day(on=today)\n"
    )
    more = more.replace("      - none(d for d in Day if d.on == on) | The day is open already.\n", "").replace(
        "on: fixed unique date", "on: fixed date"
    )
    with pytest.raises(GrowthError, match="the daily steps came to more than 5,000 operations"):
        grown(more)


def test_time_stands_still_where_the_calendar_ends() -> None:
    last = PAWNSHOP.replace("2026-03-02T12:00", "9999-12-31T12:00").replace("mon..fri 10:00..18:00 | sat", "mon")
    assert grown(last).content["now"] == "9999-12-31T12:00"


@pytest.mark.slow
def test_a_step_that_works_too_long_is_ended() -> None:
    slow = """    - for d in Day if none(a for a in Day for b in Day for c in Day for e in Day if a.on > d.on and b.on > a.on and c.on > b.on and e.on < d.on):
        - close_day(day_of=d)
    - open_day(on=today)
"""
    with pytest.raises(GrowthError, match="a daily step did not end within 5 seconds"):
        grown(PAWNSHOP.replace("    - open_day(on=today)\n", slow).replace("  days: 60\n", "  days: 300\n"))


def test_a_list_that_is_left_out_is_empty_to_what_follows_from_it() -> None:
    ring = """  ring_up:
    about: Ring up about pledges, or about all of them.
    params:
      about: optional list(ref(Pledge))
      everyone: bool
    effect:
      - for p in about:
          - p.paid = 1
      - for p in Pledge if everyone:
          - p.paid = 2
    say: ring up
  redeem:
"""
    text = PAWNSHOP.replace("  redeem:\n", ring, 1)
    text = text.replace("    open_day: 0\n", "    open_day: 0\n    ring_up: 9\n").replace(
        "  values:\n", "  values:\n    ring_up.about: none\n    ring_up.everyone: = len(about) == 0\n", 1
    )
    assert grown(text).played["ring_up"] > 0


def test_a_record_may_be_chosen_by_an_expression() -> None:
    eldest = "  values:\n    take_in.clerk: = first([c for c in Clerk], by=c.born)\n"
    content = grown(PAWNSHOP.replace("  values:\n", eldest, 1)).content
    clerk = min(content["clerks"].values(), key=lambda clerk: clerk["born"])
    assert {pledge["clerk_id"] for pledge in content["pledges"].values()} == {clerk["id"]}


def test_no_call_is_made_without_a_record_that_it_needs() -> None:
    none = "  values:\n    take_in.clerk: = first([c for c in Clerk if c.born > today])\n"
    assert "take_in" not in grown(PAWNSHOP.replace("  values:\n", none, 1)).played


def test_a_record_of_the_start_needs_all_its_values() -> None:
    text = PAWNSHOP.replace("Clerk.retires_on: = ", "Clerk.retires_on: = None if born < '1980-01-01' else ")
    assert text != PAWNSHOP
    problems = check_blueprint(read_blueprint(text, "pawnshop.yaml")).errors
    assert "may be empty here" in "\n".join(map(str, problems))


def test_a_definition_that_only_start_states_use_is_used() -> None:
    text = PAWNSHOP.replace("define:\n", 'define:\n  "rests(born: date)": add_months(born, 67 * 12)\n', 1)
    assert "define rests" in "\n".join(map(str, check_blueprint(read_blueprint(text, "pawnshop.yaml")).problems))
    used = text.replace("Clerk.retires_on: = add_months(born, 67 * 12)", "Clerk.retires_on: = rests(born)")
    assert check_blueprint(read_blueprint(used, "pawnshop.yaml")).problems == []
