"""An author sees the start states of a blueprint: what they hold, what refused which operation, and what took time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.artifacts import canonical_json
from envscaler_mcp.cli.program import app
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.building import STATES, grown_states
from envscaler_mcp.scenarios.growth import watch_growth
from envscaler_mcp.scenarios.growth_log import GrowthLog
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis import synthesize
from tests.library_sample import turns

GYM = (Path(__file__).parent.parent / "blueprints" / "gym.yaml").read_text(encoding="utf-8")


def grow(file: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["blueprint", "grow", str(file), *words], env={"COLUMNS": "300"})


def grown(tmp_path: Path, text: str = GYM) -> dict[str, Any]:
    """What `--json` prints of a blueprint."""
    file = tmp_path / "gym.yaml"
    file.write_text(text, encoding="utf-8")
    document: dict[str, Any] = json.loads(grow(file, "--json").output)
    return document


def test_the_counts_are_those_of_the_states_that_a_build_grows(tmp_path: Path) -> None:
    states = grown_states(synthesize(read_blueprint(GYM, "gym.yaml"), tuple(STATES)))
    shown = grown(tmp_path)
    assert (shown["whole"], shown["wanted"]) == (True, 25)
    for state, report in zip(states, shown["states"], strict=True):
        assert report["name"] == state.name
        assert report["rows"]["Place"] == len(state.content["places"])
        statuses = [place["status"] for place in state.content["places"].values()]
        assert report["statuses"]["Place.status"] == {s: statuses.count(s) for s in ("booked", "given_up")}
        assert report["operations"] == sum(report["done"].values()) == 25


def test_every_call_was_done_or_refused_by_something_that_is_named(tmp_path: Path) -> None:
    for operation in grown(tmp_path)["operations"]:
        refused = sum(stop["times"] for stop in operation["stops"] if stop["kind"] != "no record")
        assert operation["calls"] == operation["done"] + refused
    booking = grown(tmp_path)["operations"][0]
    assert {"course.taken < course.places | {course.name} is full."} <= {stop["text"] for stop in booking["stops"]}


def test_a_refusal_that_no_guard_foresaw_is_named_by_its_rule(tmp_path: Path) -> None:
    guard = "      - course.taken < course.places | {course.name} is full.\n"
    assert guard in GYM
    booking = grown(tmp_path, GYM.replace(guard, ""))["operations"][0]
    assert ("rule", "A course never has more members than places.") in {
        (stop["kind"], stop["text"]) for stop in booking["stops"]
    }


def test_the_rule_that_takes_most_time_is_seen(tmp_path: Path) -> None:
    dear = """rules:
  - text: Places are places.
    holds: all(a.member == b.member or b.course == c.course or c != a for a in Place for b in Place for c in Place)
"""
    rules = {rule["text"]: rule for rule in grown(tmp_path, GYM.replace("rules:\n", dear))["rules"]}
    assert max(rules, key=lambda text: rules[text]["seconds"]) == "Places are places."
    assert rules["Places are places."]["checks"] > 0


def test_what_cannot_be_grown_to_the_end_shows_how_far_it_came_and_what_stopped_it(tmp_path: Path) -> None:
    file = tmp_path / "gym.yaml"
    file.write_text(GYM.replace("Pilates, 3\n", "Pilates, 3\n    book_place.course: Yoga | Rowing\n"), encoding="utf-8")
    shown = grow(file)
    assert shown.exit_code == 1
    assert "Course   4      4        4" in shown.output
    assert "start stopped at 2026-01-" in shown.output
    assert "'Rowing'" in shown.output
    state = json.loads(grow(file, "--json").output)["states"][0]
    assert 0 <= state["operations"] < 25
    assert state["rows"]["Member"] == 8


def test_a_name_that_nothing_has_stops_a_state_before_it_begins(tmp_path: Path) -> None:
    shown = grown(tmp_path, GYM.replace("Member.friend:", "Member.fiend:"))
    assert [(state["operations"], set(state["rows"].values())) for state in shown["states"]] == [(0, {0})] * 3
    assert all("Member has no 'fiend'" in state["stopped"] for state in shown["states"])


STORY = """stories:
  leaves:
    cast:
      - member in Member
      - place in Place if place.member == member and place.course.name == 'Yoga' and place.status == 'booked'
      - other in Place if other.booked_on > today
    do:
      - give_up_place(place=place)
    tell: ["{member} gives {place} up, {other.booked_on}."]
"""


def test_a_story_shows_which_of_its_roles_has_no_record(tmp_path: Path) -> None:
    shown = grown(tmp_path, GYM + STORY)
    assert [state["casts"] for state in shown["states"]] == [{"leaves": 0}] * 3
    assert "no record fits 'other in Place if other.booked_on > today'" in {dry["reason"] for dry in shown["dry"]}


def test_a_mistake_in_a_story_is_told_and_keeps_no_state_from_growing(tmp_path: Path) -> None:
    file = tmp_path / "gym.yaml"
    file.write_text(GYM + STORY.replace("other in Place", "other in Plaice"), encoding="utf-8")
    shown = grow(file)
    assert shown.exit_code == 1
    assert "error: story leaves, cast 3: there is no 'Plaice' here; did you mean 'Place'?" in shown.output
    assert "start: 25 of 25 operations of the history came about" in shown.output


def test_a_file_with_errors_of_another_kind_shows_them(tmp_path: Path) -> None:
    file = tmp_path / "gym.yaml"
    file.write_text(GYM.replace("course.taken < course.places", "course.tkaen < course.places"), encoding="utf-8")
    shown = grow(file)
    assert shown.exit_code == 1
    assert "did you mean 'taken'?" in shown.output


@pytest.mark.parametrize("env_id", turns(sorted(blueprint_files()), 5))
def test_a_state_that_is_watched_while_it_grows_is_the_same(env_id: str) -> None:
    made = synthesize(read_blueprint(blueprint_files()[env_id]), tuple(STATES))
    nursery = load_class(made.nursery_source, made.nursery_class)
    for state in grown_states(made)[:1]:
        watched = watch_growth(made.model, nursery, state.seed, GrowthLog(made.model))
        assert canonical_json(watched.content) == canonical_json(state.content)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Member.friend:", "Member.freind:", "Member has no 'freind'; did you mean 'friend'?"),
        ("Member.friend:", "Membr.friend:", "which is no entity, operation or query; did you mean 'Member'?"),
        (
            "    Trainer: 2\n",
            "    Trainr: 2\n",
            "start.records names 'Trainr', which is no entity; did you mean 'Trainer'?",
        ),
        (
            "  values:\n",
            "  play:\n    book_plce: 2\n  values:\n",
            "start.play names 'book_plce', which is no operation; did you mean 'book_place'?",
        ),
        (
            "  values:\n",
            "  values:\n    book_place.course: Yogi\n",
            "no Course has this label or unique text on 2026-01-31; did you mean 'Yoga'?",
        ),
    ],
    ids=["attribute", "entity", "records", "play", "label"],
)
def test_a_name_that_nothing_has_is_answered_with_the_one_that_may_be_meant(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    assert words in grown(tmp_path, GYM.replace(old, new))["states"][0]["stopped"]
