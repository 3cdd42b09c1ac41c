"""A task may not call itself proven where its text leaves open what is to be done, or where chance proves it."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Call, Proof, Scenario, Span
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.pipeline.proving import prove_folder
from envscaler_mcp.pipeline.telling import tell_stories
from envscaler_mcp.scenarios import Prover, Unproven
from envscaler_mcp.scenarios.heard import PlainFlow
from envscaler_mcp.scenarios.replay import record
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.outcome import Outcome
from tests.scenarios.lending import Lending, lending, story

SERVERS = Path(__file__).parents[2] / "generated_servers"

VAULT = """\
id: vault
title: Vault
about: Keeps deposits.
sector: tests
entities:
  Clerk:
    name: unique person
  Hold:
    code: unique text
    amount: money(100..90000)
    clerk: ref(Clerk)
    status: states(open > closed)
    seized: bool = false
    tier: optional one_of(low | high)
    on: optional datetime
rules:
  - text: Only what is closed is seized.
    holds: all(h.status == 'closed' or not h.seized for h in Hold)
operations:
  close:
    about: Close a hold.
    params:
      hold: ref(Hold)
      seized: bool
      tier: one_of(low | high)
      on: datetime
    require:
      - hold.status == 'open' | It is closed.
    effect:
      - hold.status = 'closed'
      - hold.seized = seized
      - hold.tier = tier
      - hold.on = on
    say: close {hold}
  move_hold:
    about: Give a hold to another clerk.
    params:
      hold: ref(Hold)
      clerk: ref(Clerk)
    require:
      - hold.clerk != clerk | That clerk has it already.
    effect:
      - hold.clerk = clerk
    say: move {hold}
derive:
  Hold: [list]
  Clerk: [list]
start:
  records: {Clerk: 3, Hold: 8}
  history: 0
  values:
    Clerk.name: Ann Ash | Bob Cole | Cy Dorn
    Hold.code, amount, clerk, status: >-
      H1, 500, Ann Ash, open | H2, 700, Ann Ash, open | H3, 900, Bob Cole, open | H4, 100, Cy Dorn, open |
      H5, 400, Ann Ash, open | H6, 300, Bob Cole, open | H7, 800, Cy Dorn, open | H8, 600, Cy Dorn, open
    close.on: today+2T10:00
words:
  records:
    Hold: "hold {code}"
stories:
"""
CAST = "hold in Hold if hold.status == 'open'; seized from close.seized; tier from close.tier; on from close.on"


def report_of(folder: Path, telling: str, cast: str = CAST, do: str = "") -> list[str]:
    """Why a story with this telling makes no task, as its author reads it; nothing where it makes some."""
    calls = do or "close(hold=hold, seized=seized, tier=tier, on=on); move_hold(hold=hold, clerk=other)"
    other = "other in Clerk if other != hold.clerk"
    path = folder / "vault.yaml"
    path.write_text(VAULT + story(f"{cast}; {other}", calls, telling), encoding="utf-8")
    report = tell_stories(path, 2, lambda *_: None)
    return [reason for one in report.stories for reason, _ in one.left_out] if report.failures else []


WHOLE = "Close {hold}, {'seized' if seized else 'released'}, as {tier}, on {on}. Then {other} has it."


def test_a_telling_that_says_everything_makes_tasks(tmp_path: Path) -> None:
    assert report_of(tmp_path, WHOLE) == []


@pytest.mark.parametrize(
    ("telling", "sentence"),
    [
        (
            "Close {hold}{'.' if seized else '.'} As {tier}, on {on}; {other}.",
            r"seized is not said: the text is the same",
        ),
        ("Close {hold}, {seized}, {'soon' if tier == 'low' else 'soon'}, on {on}; {other}.", "tier is not said"),
        ("Close {hold}, {seized}, as {tier}, on {on:day}; {other}.", "on is not said: the text is the same for"),
        ("Close {hold if seized else hold}, as {tier}, on {on}; {other}.", "seized is not said: the text is the same"),
        (
            "Close {hold}, {seized and hold.seized}, as {tier}, on {on}; {other}.",
            "seized is not said: the text is the same",
        ),
    ],
    ids=[
        "a full stop either way",
        "one word for both",
        "no time of day",
        "the record either way",
        "hidden by a record",
    ],
)
def test_a_telling_that_reads_the_same_for_another_value_is_refused(
    tmp_path: Path, telling: str, sentence: str
) -> None:
    reasons = report_of(tmp_path, telling)
    assert any(sentence in reason for reason in reasons), reasons
    assert all(
        "for True and for False" in r or "for False and for True" in r for r in reasons if r.startswith("seized")
    )


def test_a_time_of_day_alone_is_todays_and_any_other_day_is_said(tmp_path: Path) -> None:
    assert report_of(tmp_path, WHOLE.replace("{on}", "{on:time}")) == []
    path = tmp_path / "vault.yaml"
    made = tell_stories(path, 1, lambda *_: None).scenarios[0]
    assert " at 10:00" not in made.task
    assert "10:00 on " in made.task


def test_the_telling_of_a_task_on_disk_must_still_say_everything() -> None:
    """A scenario of a sound story is no longer proven once its blueprint tells it with less."""
    place = lending()
    made = place.maker().scenario(place.named_state(), "medium", 1)
    assert prove(place, made) == made.proof
    assert made.conversation is not None
    names = {goal.story for goal in made.conversation.goals}
    assert names
    for name in sorted(names):
        told = place.speech.stories[name]
        mute = {
            **place.speech.stories,
            name: type(told)(told.name, told.cast, told.do, (("Please.",),) * len(told.tell)),
        }
        with pytest.raises(Unproven, match=rf"{name}: \w+ is not said"):
            Prover(made, place.model, type(place.speech)(place.speech.descriptions, mute), *rest(place)).prove()


def rest(place: Lending) -> tuple[Any, LocalWorld]:
    return place.environment, place.world()


def prove(place: Lending, scenario: Scenario) -> Proof:
    return Prover(scenario, place.model, place.speech, *rest(place)).prove()


@cache
def made(level: Any, number: int) -> Scenario:
    return lending().maker(number).scenario(lending().named_state(), level, number)


def test_a_plan_that_is_not_its_stories_is_not_proven() -> None:
    one = made("medium", 1)
    assert one.conversation is not None
    goals = one.conversation.goals
    fewer = one.conversation.model_copy(update={"goals": goals[:-1]})
    with pytest.raises(Unproven, match=r"no story asks for its call|speaks of|no answer"):
        prove(lending(), one.model_copy(update={"conversation": fewer}))
    unknown = goals[0].model_copy(update={"story": "nobody_tells_it"})
    with pytest.raises(Unproven, match="its blueprint has no telling 0 of a story 'nobody_tells_it'"):
        prove(
            lending(),
            one.model_copy(
                update={"conversation": one.conversation.model_copy(update={"goals": (unknown, *goals[1:])})}
            ),
        )


def test_who_is_worked_out_must_be_read_even_where_the_text_happens_to_name_the_same_record() -> None:
    """The dearest book is looked up, though the text speaks of that very book for another reason."""
    do = "block(reader=r); move_book(book=dearest, shelf=s)"
    cast = (
        "r in Reader if not r.blocked; b in Book if b.title == 'Ulysses'; dearest = first([x for x in Book], by=desc(x.price));"
        " s in Shelf if s != dearest.shelf"
    )
    place = lending(story(cast, do, "Block {r}, who has scribbled in {b}. The dearest book of all goes to {s}."))
    thread = place.thread("it", place.world())
    assert Call(tool="list_books", arguments={}) in thread.reads


# What answers tell, where no story is known


def flow_of(calls: tuple[Call, ...], *spans: Span) -> list[str]:
    place = lending()
    world = place.world()
    mark = world.snapshot()
    recording = record(world, calls)
    world.restore(mark)
    effects = {tool.name: tool.effect for tool in place.environment.tools}
    scenario = made("medium", 1).model_copy(update={"conversation": None, "oracle": calls, "spans": spans})
    ids = {key for records in place.start.values() if isinstance(records, dict) for key in records}
    return list(PlainFlow(scenario, effects, ids).lines(recording, world))


READ = Call(tool="list_loans", arguments={})


def test_a_value_that_an_answer_names_for_another_record_is_not_heard() -> None:
    claim = Call(tool="claim", arguments={"loan_id": "LOAN-00001", "total": 500})
    claims = Call(tool="list_claims", arguments={})
    # 500 is what the claim for another loan, or for this one, comes to.
    about = lending().start["claims"]["CLAIM-00001"]["loan_id"]
    other = next(key for key in sorted(lending().start["loans"]) if key != about)
    mine = claim.model_copy(update={"arguments": {"loan_id": about, "total": 500}})
    assert flow_of((READ, claims, mine))[-1] == "3. claim.total: an answer"
    with pytest.raises(Unproven, match="claim needs 500 as total, which no answer told and no word says"):
        flow_of((READ, claims, claim.model_copy(update={"arguments": {"loan_id": other, "total": 500}})))
    said = Span(text="$5", fact="claim, total = 500")
    assert (
        "the words"
        in flow_of((READ, claims, claim.model_copy(update={"arguments": {"loan_id": other, "total": 500}})), said)[-1]
    )


def test_an_id_is_known_from_an_answer_only() -> None:
    with pytest.raises(Unproven, match="take_back needs LOAN-00001, which no answer showed"):
        flow_of((Call(tool="take_back", arguments={"loan_id": "LOAN-00001"}),))


# The order of keys


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, Mapping):
        names = list(value)
        chance.shuffle(names)
        return {name: shuffled(value[name], chance) for name in names}
    return [shuffled(one, chance) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_no_proof_depends_on_the_order_of_keys(level: str, seed: int) -> None:
    """Files are written with sorted keys, answers as the code makes them; the proof is the same for any order."""
    place, one = lending(), made(level, 1)
    chance = random.Random(seed)
    world = type(place.world()).open(place.code, shuffled(place.start, chance), 7)
    call = world.call

    def otherwise(tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        outcome = call(tool, arguments, key)
        return Outcome(outcome.kind, json.dumps(shuffled(outcome.payload, chance)))

    world.call = otherwise  # type: ignore[method-assign]
    read = Scenario.from_text(json.dumps(shuffled(json.loads(one.to_line()), chance)), one.id)
    assert Prover(read, place.model, place.speech, place.environment, world).prove() == one.proof


@pytest.mark.parametrize("world", [pytest.param("meal_planner", marks=pytest.mark.slow), "stamp_collection"])
def test_tasks_with_lists_of_entries_are_proven_from_what_lies_on_disk(world: str) -> None:
    """Arguments with several fields were walked in the order in which code made them, and written in another."""
    ten = itertools.islice(prove_folder(SERVERS / world), 10)
    assert [(one.scenario, one.failure) for one in ten if one.failure] == []


def test_where_every_telling_leaves_something_open_the_maker_says_which() -> None:
    mute = story(
        "reader in Reader if not reader.blocked; total from claim.total; loan in Loan",
        "claim(loan=loan, total=total)",
        "Claim something for {loan}.",
    )
    place = lending(mute)
    with pytest.raises(GrowthError, match="total is not said"):
        place.maker().scenario(place.named_state(), "easy", 1)
