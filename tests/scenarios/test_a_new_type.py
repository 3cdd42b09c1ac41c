"""A column type is one class: with it in the registry, blueprints that use it are compiled, played, drawn, told and proven."""

from __future__ import annotations

import re
from typing import Any

import pytest

from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.column_types import COLUMN_TYPES
from envscaler_mcp.language.interpreter import Interpreter
from envscaler_mcp.pipeline.building import grown_states, task_maker
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import LocalWorld, open_world
from envscaler_mcp.synthesis import Synthesized, synthesize
from tests.language.months import Month

BLUEPRINT = """\
id: club
title: Club
about: Bills members by the month.
sector: tests
entities:
  Member:
    name: person
  Invoice:
    member: fixed ref(Member)
    month: month
    status: states(open > paid)
rules:
  - text: A member has one invoice a month.
    holds: unique((i.member, i.month) for i in Invoice)
operations:
  bill:
    about: Bill a member for a month.
    params:
      member: ref(Member)
      month: month
    require:
      - month >= '2026-03' | {month} is over.
      - none(i for i in Invoice if i.member == member and i.month == month) | {member} is billed for {month}.
    effect:
      - new Invoice(member, month)
    say: bill {member} for {month}
  postpone:
    about: Move an invoice to the next month.
    params:
      invoice: ref(Invoice)
    require:
      - invoice.status == 'open' | It is paid.
      - none(i for i in Invoice if i.member == invoice.member and i.month == invoice.month + 1) | There is one already.
    effect:
      - invoice.month = invoice.month + 1
    say: postpone {invoice}
  pay:
    about: Note a payment.
    params:
      invoice: ref(Invoice)
    require:
      - invoice.status == 'open' | It is paid already.
    effect:
      - invoice.status = 'paid'
    say: note a payment
start:
  now: 2026-03-02T09:00
  days: 30
  records: {Member: 12}
  history: 14
words:
  records:
    Invoice: "{member}'s invoice for {month}"
stories:
  bills:
    cast:
      - member in Member
      - month from bill.month
    do:
      - bill(member=member, month=month)
    tell:
      - "{member} wants to be billed for {month:year}."
      - "Please bill {member} for {month}."
  postpones:
    cast:
      - invoice in Invoice if invoice.status == 'open'
    do:
      - postpone(invoice=invoice)
    tell:
      - "{invoice} has to wait until the month after."
      - "Move {invoice} by a month."
  pays:
    cast:
      - invoice in Invoice if invoice.status == 'open'
    do:
      - pay(invoice=invoice)
    tell:
      - "{invoice} has been paid."
      - "We have the money for {invoice}."
"""


@pytest.fixture
def club(monkeypatch: pytest.MonkeyPatch) -> Synthesized:
    """The club, compiled while the registry holds the new type."""
    monkeypatch.setitem(COLUMN_TYPES, "month", Month())
    return synthesize(read_blueprint(BLUEPRINT), ("start",))


def world_of(club: Synthesized) -> tuple[LocalWorld, dict[str, Any]]:
    start = grown_states(club)[0].content
    return open_world(EnvironmentCode.of(club.environment, club.source, "compiled"), start, 7), start


def test_a_new_type_is_compiled_and_checked_at_the_call(club: Synthesized) -> None:
    bill = next(tool for tool in club.environment.tools if tool.name == "bill")
    assert bill.input_schema["properties"]["month"]["pattern"] == "^[0-9]{4}-(0[1-9]|1[0-2])$"
    world, start = world_of(club)
    member = next(iter(start["members"]))
    assert world.call("bill", {"member_id": member, "month": "2026-13"}).kind == "invalid"
    refused = world.call("bill", {"member_id": member, "month": "2026-02"})
    assert (refused.kind, "2026-02 is over." in refused.text) == ("refused", True)
    assert world.call("bill", {"member_id": member, "month": "2031-12"}).kind == "done"
    invoice = next(key for key, row in world.state()["invoices"].items() if row["month"] == "2031-12")
    assert world.call("postpone", {"invoice_id": invoice}).kind == "done"
    assert world.state()["invoices"][invoice]["month"] == "2032-01"


def test_compiled_code_and_the_interpreter_agree_on_a_new_type(club: Synthesized) -> None:
    world, start = world_of(club)
    meant = Interpreter(club.model, start)
    assert meant.check_state() == []
    for number, member in enumerate(start["members"]):
        call = {"member_id": member, "month": f"2026-{number % 12 + 1:02d}"}
        done = world.call("bill", call).kind == "done"
        assert meant.call("bill", call)["success"] is done
    for invoice in list(world.state()["invoices"]):
        done = world.call("postpone", {"invoice_id": invoice}).kind == "done"
        assert meant.call("postpone", {"invoice_id": invoice})["success"] is done
    assert meant.state["invoices"] == world.state()["invoices"]
    row = next(iter(meant.state["invoices"].values()))
    row["month"] = "March"
    assert any("which is no month" in problem for problem in meant.check_state())


def test_a_new_type_is_drawn_told_and_mutated(club: Synthesized) -> None:
    states = grown_states(club)
    drawn = {row["month"] for row in states[0].content["invoices"].values()}
    assert len(drawn) > 2
    assert all(Month().reads(month) for month in drawn)
    maker = task_maker(club)
    scenarios = [maker.scenario(states[0], "easy", number) for number in range(1, 5)]
    assert re.search(r"\b(March|April|May|June|July|August)\b", " ".join(scenario.task for scenario in scenarios))
    billing = [s for s in scenarios if any(call.tool == "bill" for call in s.oracle) and s.proof is not None]
    assert billing
    for scenario in billing:
        assert scenario.proof is not None
        wrong = scenario.proof.mutants["wrong value"]
        assert wrong.made >= 2
        assert wrong.right == wrong.made - wrong.equivalent


def test_a_type_that_is_not_registered_is_no_type() -> None:
    with pytest.raises(BlueprintError, match="there is no type 'month'"):
        synthesize(read_blueprint(BLUEPRINT), ("start",))
