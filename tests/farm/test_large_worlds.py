"""A world that has grown far is read in threads, one request of a turn of the event loop, with the same answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.artifacts import digest_of, digest_of_state, pieces_of
from envscaler_mcp.farm import control_plane, hosted_world
from envscaler_mcp.farm.fair_line import Costs, Party, clock
from envscaler_mcp.farm.loop_turns import LoopTurns
from envscaler_mcp.serving.outcome import encode
from tests.adversary.farm_of_neighbours import Farm, farm_of
from tests.farm.farms import ROOT
from tests.farm.turns import turns_of_the_loop

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_a_state_in_pieces_is_the_same_text_and_has_the_same_digest(state: dict[str, Any]) -> None:
    assert "".join(pieces_of(state, encode)) == encode(state)
    assert digest_of_state(state) == digest_of(state)


@pytest.mark.anyio
async def test_requests_to_the_application_begin_in_a_turn_of_the_loop_each() -> None:
    turns, party = LoopTurns(Costs()), Party("token")
    began: list[int] = []
    async with turns_of_the_loop() as turn:

        def ask() -> None:
            turns.follow(lambda: began.append(turn()), lambda: party)
            if turns.done > 0.01:
                turns.crowd(0.0)

        ask()
        for _ in range(9):
            assert turns.crowded
            turns.enter(ask, party)
        end = clock() + 20
        while len(began) < 10 and clock() < end:  # noqa: ASYNC110 - turns are what is counted
            await asyncio.sleep(0)
    assert len(set(began)) == 10


async def asked(farm: Farm, card: dict[str, Any], what: str) -> Any:
    answer = await farm.owners.get(f"/v1/worlds/{card['name']}/{what}")
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.anyio
async def test_a_grown_world_is_hashed_once_for_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    def counted(state: Any) -> str:
        nonlocal made
        made += 1
        return digest_of(state)

    monkeypatch.setattr(control_plane, "digest_of_state", counted)
    monkeypatch.setattr(hosted_world, "_LARGE", 0)
    async with farm_of(ROOT) as farm:
        card = await farm.open("wine_cellar")
        small = await asked(farm, card, "hash")
        assert made == 0
        snapshot = (await farm.owners.post(f"/v1/worlds/{card['name']}/snapshot")).json()
        result = json.loads(await farm.call(card, "register_label", grape="riesling", name="A"))
        assert result["success"], result
        first = [await asked(farm, card, "hash") for _ in range(3)]
        assert made == 1
        state = (await asked(farm, card, "state"))["state"]
        assert first == [{"hash": digest_of(state)}] * 3
        assert "riesling" in json.dumps(await asked(farm, card, "changes"))
        await farm.call(card, "register_label", grape="riesling", name="B")
        second = await asked(farm, card, "hash")
        assert made == 2
        assert len({small["hash"], first[0]["hash"], second["hash"]}) == 3
        await farm.owners.post(f"/v1/worlds/{card['name']}/restore", json=snapshot)
        assert await asked(farm, card, "hash") == small
