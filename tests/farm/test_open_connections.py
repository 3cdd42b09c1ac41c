"""Which connections are closed for others, where there are too many."""

from __future__ import annotations

import resource
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_mcp.farm.fair_line import Party
from envscaler_mcp.farm.open_connections import OpenConnections, most_connections


@dataclass(eq=False)
class Open:
    """A connection, as it is counted."""

    waits_for_client: bool = True
    ended: bool = False

    def cut_off(self) -> None:
        self.ended = True


def strangers(opened: OpenConnections[Open], network: str, count: int) -> list[Open]:
    entered = [Open() for _ in range(count)]
    for connection in entered:
        opened.enter(connection, network)
    return entered


def known(opened: OpenConnections[Open], party: Party, count: int, *, waits: bool = True) -> list[Open]:
    shown = []
    for _ in range(count):
        connection = Open(waits)
        opened.enter(connection, "10.0.0.9")
        opened.show(connection, party)
        shown.append(connection)
    return shown


def test_the_oldest_of_the_network_with_most_makes_room() -> None:
    opened = OpenConnections[Open](40, 10)
    few = strangers(opened, "10.0.0.2", 3)
    many = strangers(opened, "10.0.0.1", 50)
    assert len(opened) == 10
    assert [each.ended for each in many] == [True] * 43 + [False] * 7
    assert not any(each.ended for each in few)


def test_of_networks_with_as_many_the_one_that_came_first_makes_room() -> None:
    opened = OpenConnections[Open](40, 10)
    entered = [strangers(opened, f"10.0.{number}.1", 1)[0] for number in range(30)]
    assert [each.ended for each in entered] == [True] * 20 + [False] * 10


def test_strangers_and_known_ones_take_no_places_of_each_other() -> None:
    opened = OpenConnections[Open](40, 10)
    shown = known(opened, Party("token"), 30)
    unknown = strangers(opened, "10.0.0.1", 10)
    assert len(opened) == 40
    assert not any(each.ended for each in (*shown, *unknown))
    strangers(opened, "10.0.0.1", 100)
    assert not any(each.ended for each in shown)
    known(opened, Party("token"), 100)
    assert sum(not each.ended for each in opened) == len(opened) == 39


def test_a_world_of_an_owner_keeps_its_connections_beside_all_of_a_visitor() -> None:
    opened = OpenConnections[Open](40, 10)
    (modest,) = known(opened, Party("world a", "a"), 1)
    visitors = [known(opened, Party("10.0.0.1", f"{number % 3}"), 1)[0] for number in range(100)]
    assert not modest.ended
    assert sum(not each.ended for each in visitors) == 29


def test_the_world_with_most_connections_of_a_holder_makes_room() -> None:
    opened = OpenConnections[Open](40, 10)
    (modest,) = known(opened, Party("127.0.0.0/8", "mine"), 1)
    known(opened, Party("127.0.0.0/8", "theirs"), 100)
    assert not modest.ended


def test_one_that_was_answered_lately_makes_room_last() -> None:
    opened = OpenConnections[Open](40, 10)
    first, second, *_ = strangers(opened, "10.0.0.1", 10)
    opened.touch(first)
    strangers(opened, "10.0.0.1", 1)
    assert second.ended
    assert not first.ended


def test_one_that_the_farm_works_for_makes_room_only_for_a_holder_with_fewer() -> None:
    opened = OpenConnections[Open](40, 10)
    busy = known(opened, Party("token"), 30, waits=False)
    (same,) = known(opened, Party("token"), 1)
    assert not any(each.ended for each in busy)
    assert not opened.is_known(same)
    (other,) = known(opened, Party("another token"), 1)
    assert opened.is_known(other)
    assert [each.ended for each in busy] == [True] + [False] * 29


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(["enter", "show", "leave", "touch"]), st.integers(0, 5), st.integers(0, 99))))
def test_whatever_comes_and_goes_the_counts_are_right(steps: list[tuple[str, int, int]]) -> None:
    opened = OpenConnections[Open](12, 3)
    entered: list[Open] = []
    for step, party, number in steps:
        if step == "enter":
            entered += strangers(opened, f"10.0.0.{party}", 1)
        elif entered:
            connection = entered[number % len(entered)]
            if step == "show":
                opened.show(connection, Party(f"holder {party % 3}", f"{party}"))
            elif step == "touch":
                opened.touch(connection)
            else:
                opened.leave(connection)
        there = list(opened)
        assert len(there) == len(opened) <= 12
        assert not any(each.ended for each in there)
        assert sum(opened.is_known(each) for each in there) <= 9
        assert sum(not opened.is_known(each) for each in there) <= 3


def test_connections_leave_descriptors_to_owners_and_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4_096, 4_096))
    assert most_connections(20_000) == 2_560
    assert most_connections(20_000, of="owners") == 512
    assert most_connections(20_000, of="peers") == 256
    assert most_connections(10) == 10
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert most_connections(20_000) == 20_000
