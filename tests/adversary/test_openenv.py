"""Sessions over WebSockets take turns with everything else, hold places as connections do, and end with their token."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, get_args

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from envscaler_mcp.artifacts import Step, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.episode.live import EpisodeRecord
from envscaler_mcp.episode.rules import Ending
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm import openenv_routes, slow_queue
from envscaler_mcp.farm.openenv_session import OpenEnvSession
from envscaler_mcp.serving.control.bodies import MOST_OF_ORDER, read_json
from envscaler_mcp.serving.outcome import INSIDE
from tests.farm.farms import Here, farm_here
from tests.farm.turns import turns_of_the_loop

MANY = 40
RESET = json.dumps({"type": "reset", "data": {"seed": 1}})
LARGE = json.dumps({"type": "state", "data": {"padding": "x" * 20_000}})


@asynccontextmanager
async def sockets(
    farm: Here, count: int, token: str | None = None, rest: str = ""
) -> AsyncIterator[list[ClientConnection]]:
    """So many sessions of one token."""
    at = f"ws://127.0.0.1:{farm.control}/openenv/hospital_stays/ws{rest}"
    headers = {"Authorization": f"Bearer {token or farm.token('control')}"}
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(connect(at, proxy=None, additional_headers=headers)) for _ in range(count)
        ]


async def test_of_messages_that_arrive_at_once_one_is_begun_in_each_turn_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reset, begun = OpenEnvSession.reset, list[int]()

    async def noted(session: OpenEnvSession, given: Mapping[str, Any]) -> dict[str, Any]:
        begun.append(now())
        return await reset(session, given)

    monkeypatch.setattr(OpenEnvSession, "reset", noted)
    async with farm_here() as farm, sockets(farm, MANY) as clients, turns_of_the_loop() as now:
        for client in clients:
            client.protocol.send_text(RESET.encode())
        for client in clients:
            client.send_data()
        for client in clients:
            assert json.loads(await client.recv())["type"] == "observation"
    assert len(begun) == len(set(begun)) == MANY


async def test_large_messages_wait_in_the_slow_queue_and_too_many_of_one_token_end_their_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_queue, "MAX_OF_HOLDER", 10)
    async with farm_here() as farm, sockets(farm, MANY) as clients:
        for client in clients:
            client.protocol.send_text(LARGE.encode())
        for client in clients:
            client.send_data()
        answered = [await answer_of(client) for client in clients]
        assert set(answered) == {"state", 1013}
        assert answered.count("state") >= 10
        assert not farm.front.owners.slow_queue.waiting


async def answer_of(client: ClientConnection) -> object:
    """The type of an answer, or the code with which the session ended."""
    try:
        return json.loads(await client.recv())["type"]
    except ConnectionClosed as cause:
        return None if cause.rcvd is None else cause.rcvd.code


async def test_sessions_take_no_more_places_than_connections_and_leave_owners_theirs() -> None:
    async with farm_here(connections=8) as farm, sockets(farm, MANY) as clients:
        async with asyncio.timeout(20):
            while sum(client.close_code is None for client in clients) > 8:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        with farm.client() as client:
            assert await asyncio.to_thread(client.open_many, "hospital_stays", 1)


async def test_a_session_and_a_stream_of_events_end_with_their_token() -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            (world,) = await asyncio.to_thread(client.open_many, "hospital_stays", 1)
        upgrade = "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: "

        async def ends(path: str, more: str, first: bytes) -> None:
            head = f"host: localhost\r\nauthorization: Bearer {farm.token('control', 2)}\r\n"
            reader, writer = await asyncio.open_connection("127.0.0.1", farm.control)
            writer.write(f"GET {path} HTTP/1.1\r\n{head}{more}\r\n".encode())
            assert (await reader.readline()).startswith(first)
            # It does not end in 75 seconds, as an idle connection does, nor in an hour.
            async with asyncio.timeout(10):
                await reader.read()
            writer.close()

        async with asyncio.TaskGroup() as group:
            session = ("/openenv/hospital_stays/ws", f"{upgrade}dGhlIHNhbXBsZSBub25jZQ==\r\n", b"HTTP/1.1 101")
            group.create_task(ends(*session))
            group.create_task(ends(f"/v1/worlds/{world.name}/events", "", b"HTTP/1.1 200"))
        assert not len(farm.front.owners.open)


async def asked(client: ClientConnection, kind: str, **data: Any) -> dict[str, Any]:
    """The answer to a message."""
    await client.send(json.dumps({"type": kind, "data": data}, separators=(",", ":")))
    answer: dict[str, Any] = json.loads(await client.recv())
    return answer


def lists_here() -> int:
    """Lists that this process holds."""
    gc.collect()
    return sum(type(each) is list for each in gc.get_objects())


async def test_a_session_holds_nothing_of_the_calls_that_it_has_answered() -> None:
    lists: list[list[Any]] = [[] for _ in range(5_000)]
    wrong = {"type": "call_tool", "tool_name": "discharge_patient", "arguments": {"text": lists}}
    async with farm_here() as farm, sockets(farm, 1) as (client,):
        await asked(client, "reset", seed=1)
        assert (await asked(client, "step", **wrong))["data"]["metadata"]["refused"]
        before = lists_here()
        for _ in range(10):
            await asked(client, "step", **wrong)
        assert lists_here() - before < len(lists)
        assert (await asked(client, "state"))["data"]["step_count"] == 11


FAILED = [f'{{"success":false,"error":"book{INSIDE}"}}', "Error: x\nTraceback (most recent call last):\n  y"]
ENDINGS = [ending for ending in get_args(Ending) if isinstance(ending, str)]


@given(
    st.lists(st.tuples(st.sampled_from(["", "book"]), st.booleans(), st.sampled_from(["{}", *FAILED]))),
    st.sampled_from(ENDINGS),
    st.sampled_from(get_args(Scoring)),
)
def test_the_verdict_on_an_episode_is_the_same_whether_or_not_its_calls_are_held(
    calls: list[tuple[str, bool, str]], ending: Ending, scoring: Scoring
) -> None:
    held, forgotten = EpisodeRecord(ended=ending), EpisodeRecord(ended=ending)
    for number, (tool, is_error, observation) in enumerate(calls, 1):
        step = Step(number=number, tool=tool, arguments={"a": 1}, observation=observation, is_error=is_error)
        for record in (held, forgotten):
            record.steps.append(step)
            record.messages.append({"role": "tool"})
        forgotten.forget()
        assert len(forgotten.steps) <= 1
        assert not any(step.arguments for step in forgotten.steps)
        assert not forgotten.messages
    judged = Verdict(scoring=scoring, reward=1.0, solved=True)
    assert forgotten.verdict(judged) == held.verdict(judged)


MANY_VALUES: list[list[Any]] = [[] for _ in range(MOST_OF_ORDER + 1)]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "step", "data": {"type": "call_tool", "tool_name": "x", "arguments": {"content": MANY_VALUES}}},
        {
            "type": "step",
            "data": {"type": "call_tool", "tool_name": "x", "arguments": {"task": {"content": [MANY_VALUES]}}},
        },
        {"type": "step", "data": {"type": "finish", "metadata": {"content": {"a": MANY_VALUES}}}},
        {"type": "reset", "data": {"content": {"a": MANY_VALUES}}},
        {"type": "reset", "data": {"task": {"scenario": {"content": {"a": MANY_VALUES}}}}},
        {"type": "reset", "data": {"task": {"state": {"content": {}, "more": [None] * len(MANY_VALUES)}}}},
    ],
)
async def test_values_are_counted_wherever_they_do_not_stand_for_the_records_of_a_state(message: Any) -> None:
    async with farm_here() as farm, sockets(farm, 1) as (client,):
        answer = await asked(client, message["type"], **message["data"])
    assert "beside the records of a state" in answer["data"]["message"]


def test_the_records_of_a_state_are_no_part_of_that_count() -> None:
    task = {"task": {"scenario": {}, "state": {"content": {"patients": MANY_VALUES}}}}
    for body in (task, {"type": "reset", "data": task}):
        assert read_json(json.dumps(body, separators=(",", ":"))) == body
        with pytest.raises(WorldError, match="values"):
            read_json(json.dumps({**body, "beside": MANY_VALUES}, separators=(",", ":")))


def rpc(farm: Here, client: httpx2.AsyncClient, token: str) -> Callable[..., Any]:
    """Asks with this token as OpenEnv's client for tools does."""
    at = f"http://127.0.0.1:{farm.control}/openenv/hospital_stays/mcp"

    async def ask(method: str, **params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer: dict[str, Any] = (await client.post(at, json=body, headers={"authorization": f"Bearer {token}"})).json()
        return answer

    return ask


CREATE, CALL = "openenv/session/create", "tools/call"


async def test_a_session_that_a_request_made_ends_with_its_token_and_so_does_its_world() -> None:
    async with farm_here() as farm, httpx2.AsyncClient() as client:
        short, other = farm.token("control", 3), rpc(farm, client, farm.token("control"))
        name = (await rpc(farm, client, short)(CREATE))["result"]["session_id"]
        async with sockets(farm, 1, farm.token("control"), f"?session_id={name}") as (socket,):
            await asked(socket, "reset")
        assert "no such session" not in json.dumps(await other(CALL, session_id=name, name="x"))
        async with asyncio.timeout(10):
            while "no such" not in json.dumps(await other(CALL, session_id=name, name="x")):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert len(farm.front.worlds) == 0


async def test_the_token_with_most_sessions_makes_room_for_those_with_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openenv_routes, "MOST_SESSIONS", 5)
    async with farm_here() as farm, httpx2.AsyncClient() as client:
        token = farm.token("control")
        greedy, modest = rpc(farm, client, token), rpc(farm, client, farm.token("control"))
        async with sockets(farm, 2, token) as (first, second):
            for each in (first, second):
                await asked(each, "reset", seed=1)
            names = [(await greedy(CREATE))["result"]["session_id"] for _ in range(3)]
            assert "as many as may be" in (await greedy(CREATE))["error"]["message"]
            assert "result" in await modest(CREATE)
            # The one that was used longest ago and has no WebSocket is gone; the others are there.
            there = [
                "no such session" not in json.dumps(await greedy(CALL, session_id=name, name="x")) for name in names
            ]
            assert there == [False, True, True]
            assert "result" in await modest(CREATE)
            # Who has as many as the newcomer would have gives up none.
            assert "as many as may be" in (await modest(CREATE))["error"]["message"]
            assert (await asked(first, "step", type="list_tools"))["type"] == "observation"


async def test_websockets_make_room_too_and_their_worlds_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openenv_routes, "MOST_SESSIONS", 3)
    async with farm_here() as farm, sockets(farm, 3) as greedy:
        for each in greedy:
            await asked(each, "reset", seed=1)
        await asked(greedy[0], "state")
        async with sockets(farm, 1) as (modest,):
            assert (await asked(modest, "reset", seed=1))["type"] == "observation"
            assert await answer_of(greedy[1]) == 1013
            assert len(farm.front.worlds) == 3
            assert (await asked(greedy[0], "state"))["type"] == "state"
