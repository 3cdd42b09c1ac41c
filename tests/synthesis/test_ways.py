"""What a change looks for it finds by an index, by ids or through other records, and never by going through all of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as draw

from tests.synthesis.test_support_functions import MADE
from tests.synthesis.worlds import Player, compiled, model, play, start

LOOKED_AT_ALL = {"drop_depot", "drop_empty", "seal"}
"""These delete what closures lead past, or ask for `a or b`."""


class Watched(dict[str, Any]):
    """A container that may be asked for single records only."""

    def values(self) -> Any:
        raise AssertionError("all records were looked at")


@pytest.mark.parametrize("seed", range(4))
def test_a_change_goes_through_no_container(seed: int) -> None:
    done = set()
    player = Player("reach", seed)
    for _ in range(400):
        world = compiled("reach")(start("reach", 14))
        tool, arguments = player.draw(start("reach", 14))
        if tool in model("reach").operations and tool not in LOOKED_AT_ALL:
            for entity in model("reach").entities.values():
                setattr(world, entity.container, Watched(getattr(world, entity.container)))
            done |= {tool} if getattr(world, tool)(**arguments)["success"] else set()
    assert len(done) > 4


@pytest.mark.parametrize("seed", range(10, 16))
def test_what_is_found_that_way_is_what_a_look_at_all_records_finds(seed: int) -> None:
    twins, done = play("reach", seed, 150, 14)
    assert done
    assert {tool for tool, _ in twins.done} & LOOKED_AT_ALL
    assert {tool for tool, _ in twins.done} - LOOKED_AT_ALL


GRAPHS = draw.lists(draw.lists(draw.integers(0, 7), max_size=3, unique=True), min_size=8, max_size=8)


@given(GRAPHS, draw.integers(0, 7))
def test_who_is_below_has_the_other_above(graph: list[list[int]], start_at: int) -> None:
    records = {f"R-{n:05d}": {"id": f"R-{n:05d}", "ups": [f"R-{up:05d}" for up in ups]} for n, ups in enumerate(graph)}
    users: dict[str, dict[str, Any]] = {}
    for record in records.values():
        for up in record["ups"]:
            users.setdefault(up, {})[str(record["id"])] = record
    me = records[f"R-{start_at:05d}"]
    below = MADE["_below"](users, me)
    assert {id(record) for record in below} == {
        id(record)
        for record in records.values()
        if any(above is me for above in MADE["_above"](records, record, "ups"))
    }
    assert MADE["_those"](records, [*(record["id"] for record in below), None, "R-00099"]) == sorted(
        below, key=lambda record: str(record["id"])
    )
