"""Which connections are closed for others, where there are too many."""

from __future__ import annotations

import resource
from dataclasses import dataclass

import pytest

from envscaler_mcp.farm.open_connections import OpenConnections, most_connections


@dataclass(eq=False)
class Idle:
    address: str
    deadline: float = 0.0
    world: tuple[str, str] | None = None
    is_idle: bool = True
    ended: bool = False

    def end(self) -> None:
        self.ended = True


def test_an_address_has_half_of_the_connections_and_closes_its_own_for_more() -> None:
    opened = OpenConnections[Idle](20)
    other = Idle("10.0.0.2", -1)
    assert opened.enter(other)
    greedy = [Idle("10.0.0.1", number) for number in range(50)]
    assert all(opened.enter(one) for one in greedy)
    assert len(opened) == 11
    assert [one.ended for one in greedy] == [True] * 40 + [False] * 10
    assert not other.ended


def test_where_all_are_taken_the_address_with_most_makes_room() -> None:
    opened = OpenConnections[Idle](20)
    many = [Idle("10.0.0.1", number) for number in range(10)]
    few = [Idle(f"10.0.1.{number}", -1) for number in range(12)]
    assert all(opened.enter(one) for one in (*many, *few))
    assert len(opened) == 20
    assert [one.ended for one in many] == [True] * 2 + [False] * 8
    assert not any(one.ended for one in few)


def test_connections_to_one_world_are_not_closed_for_those_to_another() -> None:
    opened = OpenConnections[Idle](20)
    modest = Idle("127.0.0.1", -1, ("hospital_stays", "mine"))
    assert opened.enter(modest)
    for number in range(100):
        opened.enter(Idle("127.0.0.1", number, ("hospital_stays", "theirs")))
    assert len(opened) == 10
    assert not modest.ended


def test_one_that_is_busy_is_not_closed() -> None:
    opened = OpenConnections[Idle](4)
    busy = [Idle("10.0.0.1", is_idle=False) for _ in range(2)]
    assert all(opened.enter(one) for one in busy)
    newcomer = Idle("10.0.0.1")
    assert not opened.enter(newcomer)
    assert not any(one.ended for one in busy)
    for one in (*busy, newcomer, newcomer):
        opened.leave(one)
    assert len(opened) == 0
    assert not opened._of_address


def test_connections_leave_descriptors_to_owners_and_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4_096, 4_096))
    assert most_connections(20_000) == 2_560
    assert most_connections(20_000, owners=True) == 512
    assert most_connections(10) == 10
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert most_connections(20_000) == 20_000
