"""What only the person asking knows: drawn from parameters and from fields of structures, and said in the trade's words."""

from __future__ import annotations

import pytest

from envscaler_mcp.artifacts import State
from envscaler_mcp.config.choices import SEED
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios import TaskMaker, grow
from envscaler_mcp.scenarios.casting import Casting
from envscaler_mcp.scenarios.threads import Thread, Threading
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import synthesize

KIOSK = """\
id: kiosk
title: Kiosk
about: Sells things by the piece.
sector: tests
entities:
  Item:
    name: unique text
    stock: int(0..99)
    price: money(10..900)
  Sale:
    item: fixed ref(Item)
    units: fixed int(1..9)
    paid: fixed one_of(cash | card)
    given_back: bool = false
rules:
  - text: Nothing is sold for nothing.
    holds: all(s.item.price > 0 for s in Sale)
operations:
  sell:
    about: Sell some items.
    params:
      lines:
        item: ref(Item)
        units: int(1..9)
      paid: one_of(cash | card)
    require:
      - unique(l.item for l in lines) | Name each item once.
      - all(l.units <= l.item.stock for l in lines) | There is not enough of it.
    effect:
      - for l in lines:
          - l.item.stock -= l.units
          - new Sale(item=l.item, units=l.units, paid=paid)
    say: sell some items
  give_back:
    about: Give the money of a sale back.
    params:
      sale: ref(Sale)
    require:
      - not sale.given_back | It was given back.
    effect:
      - sale.given_back = True
    say: give the money back
  restock:
    about: Put more of an item on the shelf.
    params:
      item: ref(Item)
      units: int(1..50)
    require:
      - item.stock + units <= 99 | The shelf is full.
    effect:
      - item.stock += units
    say: restock {item}
start:
  records: {Item: 4}
  history: 0
  values:
    Item.name, stock, price: Tea, 40, 250 | Salt, 12, 90 | Soap, 7, 310 | Rice, 3, 420
    sell.lines.units: 2 | 3
words:
  values:
    sell.paid.card: with a card
    sell.paid.cash: in coins
stories:
  at_the_counter:
    cast:
      - item in Item if item.stock > 3
      - n from sell.lines.units
      - how from sell.paid in card
    do:
      - sell(lines=[(item, n)], paid=how)
    tell:
      - "Somebody took {n} of the {item} and paid {how}."
  wrong_thing:
    cast:
      - item in Item if item.stock > 5 and none(Sale, item=item)
      - n from sell.lines.units
    do:
      - sell(lines=[(item, n)], paid='cash')
      - for s in Sale if s.item == item:
          - give_back(sale=s)
    tell:
      - "Somebody paid {n} of the {item} in coins and brought them straight back, so they get their money again."
  lowest_two:
    cast:
      - n from restock.units in 5
      - most from sell.lines.units in 2
    do:
      - for i in Item by i.stock, i.name limit most:
          - restock(item=i, units=n)
    tell:
      - "Put {n} more on the shelf of each of the {most} items that we have least of."
"""


def told(story: str, text: str = KIOSK) -> Thread:
    made = synthesize(read_blueprint(text, "kiosk.yaml"), ("start",))
    content = grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED).content
    world = open_world(EnvironmentCode.of(made.environment, made.source, "compiled"), content, 1)
    chance = Chance(1, "told")
    names = Casting(made.model).cast(
        made.speech.stories[story], SteadyEvaluator(Store(made.model, world.state())), chance, set()
    )
    assert names is not None
    return Threading(made.model, made.speech, chance).thread(made.speech.stories[story], names, world, 0)


def test_a_field_of_a_structure_is_drawn_from_its_values_and_passed_on() -> None:
    thread = told("at_the_counter")
    (act,) = thread.acts
    assert thread.names["n"] in (2, 3)
    assert act.arguments["lines"][0]["units"] == thread.names["n"]


def test_a_word_that_somebody_chose_is_said_as_the_trade_says_it() -> None:
    text = "".join(span.text for span in told("at_the_counter").spans)
    assert text.endswith("and paid with a card.")
    assert "cash" not in text


def test_a_record_that_a_loop_of_a_call_made_is_found_by_reading_and_proven_under_any_id() -> None:
    only = (
        KIOSK.partition("  at_the_counter:")[0]
        + "  wrong_thing:"
        + KIOSK.partition("  wrong_thing:")[2].partition("  lowest_two:")[0]
    )
    made = synthesize(read_blueprint(only, "kiosk.yaml"), ("start",))
    content = grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED).content
    state = State(environment="kiosk", name="start", seed=SEED, content=content)
    maker = TaskMaker(
        made.model, made.speech, made.environment, EnvironmentCode.of(made.environment, made.source, "compiled"), SEED
    )
    scenario = maker.scenario(state, "easy", 1)
    assert [call.tool for call in scenario.oracle][-3:] == ["sell", "list_sales", "give_back"]
    assert scenario.proof is not None
    assert scenario.proof.benign["other new ids"].right == 1


def test_a_loop_of_a_story_goes_in_an_order_and_only_so_far() -> None:
    thread = told("lowest_two")
    assert [act.arguments["item_id"] for act in thread.acts] == ["ITEM-00004", "ITEM-00003"]
    assert thread.reads


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("n from sell.lines", "draw one of its values: sell.lines.item, sell.lines.units"),
        ("n from sell.lines.unit", "sell.lines has no field 'unit'; did you mean 'units'?"),
        ("n from sell.line.units", "sell has no parameter 'line'; did you mean 'lines'?"),
        ("n from sell.paid.units", "sell.paid has no field 'units'"),
    ],
)
def test_what_cannot_be_drawn_is_told_with_what_can(line: str, complaint: str) -> None:
    checked = check_blueprint(read_blueprint(KIOSK.replace("n from sell.lines.units", line, 1), "kiosk.yaml"))
    assert any(complaint in problem.message for problem in checked.problems), checked.problems


@pytest.mark.parametrize("key", ["sell.paid.cart", "sell.pait.card"])
def test_a_word_that_no_parameter_takes_is_told(key: str) -> None:
    checked = check_blueprint(read_blueprint(KIOSK.replace("sell.paid.card:", f"{key}:", 1), "kiosk.yaml"))
    assert any("did you mean" in problem.message for problem in checked.problems)


def test_a_definition_that_only_a_story_uses_is_used() -> None:
    define = 'define:\n  "scarce(i: Item)": i.stock < 9\nrules:\n'
    text = KIOSK.replace("rules:\n", define, 1)
    assert [p.message for p in check_blueprint(read_blueprint(text, "kiosk.yaml")).problems] == ["it is never used"]
    used = text.replace("item in Item if item.stock > 3", "item in Item if scarce(item)", 1)
    assert check_blueprint(read_blueprint(used, "kiosk.yaml")).problems == []
