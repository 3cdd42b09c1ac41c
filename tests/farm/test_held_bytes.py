"""What is held for clients, and who gives up when that is too much."""

from __future__ import annotations

from dataclasses import dataclass, field

from envscaler_mcp.farm.held_bytes import HeldBytes


@dataclass(eq=False)
class Client:
    name: str
    gone: list[str] = field(default_factory=list)

    def give_up(self) -> None:
        self.gone.append(self.name)


def test_the_holder_with_the_most_gives_up_its_largest_first() -> None:
    held, gone = HeldBytes(1_000), list[str]()
    modest = Client("modest", gone)
    held.hold(modest, "10.0.0.2", 90)
    for number in range(30):
        held.hold(Client(f"{number}", gone), "10.0.0.1", 30 + number)
        assert held.total <= 1_000
    assert gone
    assert "modest" not in gone
    assert [int(name) for name in gone[:2]] == sorted(map(int, gone[:2]), reverse=True)


def test_a_holder_gives_up_no_more_than_until_another_has_the_most() -> None:
    held, gone = HeldBytes(1_000), list[str]()
    for number in range(10):
        held.hold(Client(f"a{number}", gone), "a", 50)
        held.hold(Client(f"b{number}", gone), "b", 49)
    held.hold(Client("late", gone), "c", 20)
    assert held.total <= 1_000 - 1_000 // 8
    assert {name[0] for name in gone} == {"a", "b"}


def test_what_is_held_no_more_is_not_counted() -> None:
    held = HeldBytes(1_000)
    one, other = Client("one"), Client("other")
    held.hold(one, "a", 600)
    held.hold(one, "b", 300)
    held.hold(other, "b", 300)
    held.forget(one)
    held.forget(one)
    held.hold(other, "b", 0)
    assert held.total == 0
    assert not held._sums
    assert not one.gone + other.gone
