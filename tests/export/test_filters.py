"""Episodes are left out for a reason."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from envscaler_mcp.artifacts import Step, Verdict
from envscaler_mcp.artifacts.episode import Invention
from envscaler_mcp.errors import ExportError
from envscaler_mcp.export.filters import REASONS, EpisodeFilter, ExportFilter, Keepable
from envscaler_mcp.export.formats import FORMATS
from tests.export.dialogues import TALK, agent, answer, call, dialogue, user

SPOILT = Verdict(owner="user_simulator", masked=True)
OUTSIDE = Verdict(owner="agent", frame_violations=("books BOOK-1 shelf",))
CALL = [user("Hi"), agent("", call("find", {})), answer("none"), agent("So.")]
ODD: dict[Any, dict[str, Any]] = {
    "split": {"split": "held_out"},
    "masked": {"verdict": SPOILT},
    "user": {"invented": (Invention(step=0, value="Zora"),)},
    "silent": {"messages": []},
    "disordered": {"messages": [user("Hi"), agent("So."), agent("And.")]},
    # As the loop writes down what was no object.
    "malformed": {"messages": CALL, "steps": [Step(number=1, turn=1, tool="find", malformed='{"shelf": oops')]},
    "empty": {"messages": [user("Hi"), agent("", thought="Hm."), user("Well?"), agent("So.")]},
    "marks": {"messages": [user("Hi"), agent("<think>"), user("Well?"), agent("So.")]},
    "unfinished": {"ended": "tokens"},
    "turns": {"messages": [user("Hi"), agent("Task Completed")]},
    "frame": {"verdict": OUTSIDE},
    "unsolved": {"verdict": Verdict(owner="agent", reward=0.5)},
    "duplicate": {},
}
KEEPABLE = get_args(Keepable)


def odd(reason: str) -> Any:
    return dialogue(**({"messages": TALK} | ODD[reason]))


def sieve_of(name: Any, **wish: Any) -> EpisodeFilter:
    return FORMATS[name].filter(ExportFilter(**wish))


@pytest.mark.parametrize("reason", ODD)
def test_an_episode_that_teaches_nothing_good_is_left_out_for_its_reason(reason: str) -> None:
    sieve = sieve_of("trl", solved=True)
    assert sieve.reason_of(dialogue(TALK)) is None
    assert sieve.reason_of(odd(reason)) == reason


@pytest.mark.parametrize("reason", KEEPABLE)
def test_what_is_to_be_kept_is_no_reason(reason: Any) -> None:
    sieve = sieve_of("trl", keep=(reason, "duplicate"))
    assert sieve.reason_of(dialogue(TALK)) is None
    assert sieve.reason_of(odd(reason)) is None
    assert reason not in sieve.reasons


def test_the_first_reason_counts_and_each_has_its_sentence() -> None:
    sieve = sieve_of("trl", solved=True)
    assert sieve.reason_of(dialogue(TALK, "held_out", verdict=SPOILT, ended="time")) == "split"
    # Only what a trainer must open is left out where it was played over several servers.
    assert ["attempt", "stale", *sieve.reasons] == [reason for reason in REASONS if reason != "servers"]
    assert sieve_of("verl").reasons[0] == "servers"


@pytest.mark.parametrize(("least", "most", "reason"), [(4, 4, None), (5, 9, "turns"), (1, 3, "turns")])
def test_turns_are_the_agents(least: int, most: int, reason: Any) -> None:
    assert sieve_of("alpaca", min_turns=least, max_turns=most).reason_of(dialogue(TALK)) == reason


def test_bounds_that_no_episode_is_within_are_refused() -> None:
    with pytest.raises(ValidationError, match="no episode has 9 turns or more and at most 2"):
        ExportFilter(min_turns=9, max_turns=2)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_refuses_what_it_could_not_heed(name: Any) -> None:
    known = {"verl": {"masked", "user", "duplicate"}, "atif": set()}
    known["skyrl"] = known["verl"]
    for reason in KEEPABLE:
        if reason in known.get(name, KEEPABLE):
            assert reason not in sieve_of(name, keep=(reason,)).reasons
        else:
            with pytest.raises(ExportError, match=f"{reason} leave out nothing"):
                sieve_of(name, keep=(reason,))
    if "turns" not in sieve_of(name).reasons:
        with pytest.raises(ExportError, match="turns leave out nothing"):
            sieve_of(name, min_turns=3)


def test_a_turn_in_which_the_time_was_over_is_not_learned() -> None:
    # Its second call was not made any more, and is not in the messages.
    cut = dialogue(TALK[:7], ended="time", steps=[Step(number=9, turn=3, tool="find", malformed="{")])
    assert (cut.lesson, cut.turns) == (TALK[:5], 2)
    assert sieve_of("trl", keep=("unfinished",)).reason_of(cut) is None


def test_the_names_of_calls_make_no_other_lesson_and_another_word_does() -> None:
    sieve = sieve_of("trl")
    renamed = [user("Hi"), agent("", call("find", {}, "one")), answer("none", "one"), agent("So.")]
    same = [user("Hi"), agent("", call("find", {}, "two")), answer("none", "two"), agent("So.")]
    other = [user("Hi"), agent("", call("find", {}, "two")), answer("Some", "two"), agent("So.")]
    assert [sieve.reason_of(dialogue(one)) for one in (renamed, same, other)] == [None, "duplicate", None]


def test_a_task_is_one_prompt_however_badly_it_was_played() -> None:
    sieve = sieve_of("verl")
    tried = dialogue(TALK[:3], ended="steps", verdict=OUTSIDE, steps=ODD["malformed"]["steps"])
    assert [sieve.reason_of(one) for one in (tried, dialogue(TALK))] == [None, "duplicate"]
    assert sieve.reason_of(dialogue(TALK, scenario_digest="sha256:2")) is None
    assert sieve.reason_of(dialogue(TALK, verdict=SPOILT, scenario_digest="sha256:3")) == "masked"


def test_a_record_of_a_failure_is_a_record() -> None:
    sieve = sieve_of("atif")
    kept = [reason for reason in ODD if sieve.reason_of(odd(reason)) is None]
    assert [reason for reason in ODD if reason not in kept] == ["split", "silent", "disordered"]
