"""The order in which requests are answered that wait."""

from __future__ import annotations

import time

import pytest

from envscaler_mcp.farm import fair_line
from envscaler_mcp.farm.fair_line import Costs, FairLine, Party


def served(line: FairLine) -> None:
    while line.due() is not None:
        line.serve()


def test_a_holder_with_many_worlds_has_no_more_turns_than_one_with_one_world() -> None:
    line, order = FairLine(Costs()), list[str]()
    for world in range(50):
        for _ in range(4):
            line.enter(lambda world=world: order.append(f"visitor {world}"), Party("10.0.0.1", f"{world}"))  # type: ignore[misc]
    for _ in range(3):
        line.enter(lambda: order.append("owner"), Party("world a", "a"))
    served(line)
    assert len(order) == 203
    assert [place for place, name in enumerate(order) if name == "owner"][-1] < 8


def test_a_world_that_cost_much_stands_behind_those_that_cost_nothing() -> None:
    line, order = FairLine(Costs()), list[str]()
    for _ in range(5):
        line.enter(lambda: time.sleep(0.01), Party("10.0.0.1", "slow"))
    line.serve()
    line.serve()
    for number in range(5):
        line.enter(lambda number=number: order.append(f"{number}"), Party("10.0.0.1", f"quick {number}"))  # type: ignore[misc]
    for _ in range(5):
        line.serve()
    assert order == ["0", "1", "2", "3", "4"]
    assert line.waiting == line.waiting_of("10.0.0.1") == 3


def test_those_that_left_are_passed_over_and_forgotten() -> None:
    line, order = FairLine(Costs()), list[int]()
    tickets = [
        line.enter(lambda number=number: order.append(number), Party(f"{number % 3}", f"{number}"))  # type: ignore[misc]
        for number in range(9)
    ]
    for number in (0, 1, 3, 4, 6, 7):
        tickets[number].leave()
        tickets[number].leave()
    assert line.waiting == 3
    served(line)
    assert (order, line.waiting, line.due()) == ([2, 5, 8], 0, None)
    assert not line._places


def test_what_was_done_counts_for_a_while_and_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(fair_line, "clock", lambda: now)
    costs, party = Costs(), Party("10.0.0.1", "a")
    assert costs.due(party) == now
    costs.charge(party, 0.1)
    assert costs.due(party) == costs.due(party.holder) == pytest.approx(now + 0.1 * fair_line.FORGET)
    costs.charge(party, 1_000.0)
    assert costs.due(party) == now + fair_line.LONGEST_DEBT
    now += fair_line.LONGEST_DEBT + 1
    costs.sweep()
    assert costs.due(party) == now
    assert not costs._until
