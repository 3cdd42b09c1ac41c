"""A scenario that gives itself away, asks too much or says too little is not proven."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from envscaler_mcp.artifacts import LEVELS, Check, Level, Scenario, Span
from envscaler_mcp.scenarios import Prover, Unproven
from tests.scenarios.lending import lending


@cache
def scenario(level: Level = "medium") -> Scenario:
    return lending().maker().scenario(lending().named_state(), level, 1)


def prove(one: Scenario) -> None:
    place = lending()
    Prover(one, place.model, place.speech, place.environment, place.world()).prove()


def changed(**fields: object) -> Scenario:
    return scenario().model_copy(update=fields)


@pytest.mark.parametrize("level", LEVELS)
def test_a_scenario_that_was_made_is_proven_again_with_the_same_proof(level: Level) -> None:
    place = lending()
    one = scenario(level)
    proof = Prover(one, place.model, place.speech, place.environment, place.world()).prove()
    assert proof == one.proof
    assert (proof.oracle_reward, proof.do_nothing_reward) == (1.0, 0.0)
    assert sum(tally.made for tally in proof.mutants.values()) > 20
    assert proof.text_mutants.made >= proof.text_mutants.right > 0


def test_no_check_may_be_left_out_that_no_other_one_implies() -> None:
    implied = [check for check in scenario().checks if check.check_item.startswith("Has a loan been entered")]
    assert len(implied) == 1
    for check in scenario().checks:
        fewer = changed(checks=tuple(one for one in scenario().checks if one != check))
        if check in implied:
            # The claim is for a new loan of that content.
            prove(fewer)
        else:
            with pytest.raises(Unproven, match="are rewarded in full"):
                prove(fewer)


@pytest.mark.parametrize("asked", ["due_at", "total", "reader_id", "book_id", "paid", "shelf_id", "blocked"])
def test_no_check_may_ask_for_less(asked: str) -> None:
    weaker = tuple(
        check.model_copy(
            update={"check_func": re.sub(rf"record\['{asked}'\] == ('[^']*'|\w+)", "True", check.check_func)}
        )
        for check in scenario().checks
    )
    assert weaker != scenario().checks
    with pytest.raises(Unproven, match=r"is true at the start|are rewarded in full"):
        prove(changed(checks=weaker))


def test_no_check_may_be_true_at_the_start_or_ask_for_what_the_oracle_does_not_do() -> None:
    easy = Check(check_item="Has nothing happened?", check_func="def check_func(final_state):\n    return True\n")
    with pytest.raises(Unproven, match="is true at the start"):
        prove(changed(checks=(*scenario().checks, easy)))
    never = easy.model_copy(update={"check_func": easy.check_func.replace("True", "False")})
    with pytest.raises(Unproven, match=r"the oracle earns 0\.\d+"):
        prove(changed(checks=(*scenario().checks, never)))


@pytest.mark.parametrize(
    "wider",
    [
        {"created": {"baskets": 1}},
        {"deleted": {"loans": ("LOAN-00004",)}},
        {"changed": {"claims": {"CLAIM-00001": ("paid",)}}},
        {"scalars": ("counters", "now")},
    ],
    ids=["created", "deleted", "changed", "scalars"],
)
def test_the_frame_may_allow_nothing_but_what_the_oracle_does(wider: dict[str, object]) -> None:
    frame = scenario().frame
    assert frame is not None
    both = {part: {**getattr(frame, part), **more} if isinstance(more, dict) else more for part, more in wider.items()}
    with pytest.raises(Unproven, match="the frame allows what the oracle leaves alone"):
        prove(changed(frame=frame.model_copy(update=both)))


def test_the_frame_must_allow_what_the_oracle_does() -> None:
    frame = scenario().frame
    assert frame is not None
    with pytest.raises(Unproven, match=r"the oracle earns 0\.0"):
        prove(changed(frame=frame.model_copy(update={"created": {}, "changed": {}})))


def test_nothing_is_proven_of_a_scenario_that_came_without_a_plan() -> None:
    with pytest.raises(Unproven, match="its plan is not known"):
        prove(changed(frame=None))


def test_no_change_of_the_oracle_may_be_cut() -> None:
    one = scenario()
    effects = {tool.name: tool.effect for tool in lending().environment.tools}
    for place, call in enumerate(one.oracle):
        cut = changed(oracle=one.oracle[:place] + one.oracle[place + 1 :], threads=())
        if effects[call.tool] == "writes":
            with pytest.raises(Unproven, match=r"the oracle earns 0|is refused"):
                prove(cut)


def test_an_oracle_that_knows_ids_without_reading_is_not_proven() -> None:
    effects = {tool.name: tool.effect for tool in lending().environment.tools}
    writes = tuple(call for call in scenario().oracle if effects[call.tool] == "writes")
    with pytest.raises(Unproven, match=r"needs \w+-\d+, which no answer showed"):
        prove(changed(oracle=writes, threads=()))


def without(place: int) -> Callable[[tuple[Span, ...]], str]:
    return lambda spans: "".join(span.text for number, span in enumerate(spans) if number != place)


def test_no_fact_may_be_lost_from_the_text() -> None:
    spans = scenario().spans
    facts = [place for place, span in enumerate(spans) if span.fact and len(span.text) > 3]
    assert len(facts) > 3
    for place in facts:
        with pytest.raises(Unproven, match="the text does not say"):
            prove(changed(task=without(place)(spans)))
    prove(changed(task=f"Dear all, {scenario().task}"))


def test_threads_that_depend_on_each_other_are_not_proven() -> None:
    one = scenario()
    (first, *_) = one.threads
    ahead = tuple(place for place in range(len(one.oracle)) if place not in first)
    prove(changed(threads=(first, ahead)))
    alone = tuple((place,) for place in range(len(one.oracle)))
    with pytest.raises(Unproven, match="another order of its threads ends otherwise"):
        prove(changed(threads=alone))
