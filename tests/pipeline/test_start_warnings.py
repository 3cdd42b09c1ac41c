"""A check warns of start states in which something never is, never can be done, or was due long ago."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app
from envscaler_mcp.pipeline import authoring

GYM = (Path(__file__).parent.parent / "blueprints" / "gym.yaml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def short_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check also plays long histories; these warnings are of the start states alone."""
    monkeypatch.setattr(authoring, "_PROBED_STEPS", 12)


def warnings(tmp_path: Path, text: str) -> list[str]:
    """What a check warns of, place and message."""
    file = tmp_path / "gym.yaml"
    file.write_text(text, encoding="utf-8")
    shown = CliRunner().invoke(app, ["blueprint", "check", "--json", str(file)])
    (document,) = json.loads(shown.output)
    assert (shown.exit_code, document["sound"]) == (0, True)
    return [f"{problem['place']}: {problem['message']}" for problem in document["problems"]]


def test_a_world_with_some_of_everything_is_not_warned_of(tmp_path: Path) -> None:
    assert warnings(tmp_path, GYM) == []


def test_a_status_that_no_start_state_holds_is_warned_of(tmp_path: Path) -> None:
    never = GYM.replace("history: 25\n", "history: 4\n  play:\n    give_up_place: 0\n")
    assert [warning for warning in warnings(tmp_path, never) if "attribute status" in warning] == [
        (
            "entity Place, attribute status: no place of the start states is 'given_up'; give what makes it so more weight under play, or say "
            "so in base records"
        )
    ]


def test_a_change_that_no_start_state_allows_is_warned_of_with_the_guard_that_stops_it(tmp_path: Path) -> None:
    closed = GYM.replace(
        "  give_up_place:\n",
        """  change_course:
    about: Change the course of a place.
    params:
      place: ref(Place)
      course: ref(Course)
    require:
      - place.booked_on > today | The place was booked on {place.booked_on}.
    effect:
      - place.course = course
    say: move {place}
  give_up_place:
""",
    ).replace("course: fixed ref(Course)", "course: ref(Course)")
    found = [warning for warning in warnings(tmp_path, closed) if "no start state" in warning]
    assert found == [
        (
            "operation change_course: no start state allows it: of 900 calls 900 were refused by 'place.booked_on > today | The place was "
            "booked on {place.booked_on}.'; give its parameters values that fit, or let start states hold what it needs"
        )
    ]


DAYS = (
    GYM.replace("    booked_on: fixed date\n", "    booked_on: fixed date\n    held_on: fixed date\n")
    .replace("      course: ref(Course)\n    require", "      course: ref(Course)\n      held_on: date\n    require")
    .replace("booked_on=today", "held_on=held_on, booked_on=today")
)


def test_open_records_whose_day_lies_long_back_are_warned_of(tmp_path: Path) -> None:
    soon = f"{DAYS}    book_place.held_on: today+1..today+3\n".replace(
        "history: 25\n", "history: 6\n  play:\n    give_up_place: 0\n"
    )
    (warning,) = (warning for warning in warnings(tmp_path, soon) if "days back" in warning)
    assert warning.startswith("entity Place, attribute status: ")
    assert "'booked' in the start states lie more than 14 days back (PLACE-00" in warning
    assert ": held_on 2026-0" in warning


def test_days_to_come_and_days_that_were_past_from_the_beginning_are_not_warned_of(tmp_path: Path) -> None:
    for values in ("today+40..today+60", "today-30..today-20"):
        assert not [w for w in warnings(tmp_path, DAYS + f"    book_place.held_on: {values}\n") if "days back" in w]


def test_people_who_are_born_after_today_are_warned_of(tmp_path: Path) -> None:
    (warning,) = warnings(tmp_path, GYM.replace("1980-01-01..2000-12-31", "2026-03-02..2026-03-09"))
    assert warning.startswith("entity Member, attribute born: ")
    assert "born after today (MEMBER-0000" in warning
