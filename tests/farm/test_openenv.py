"""OpenEnv's wire at a farm: sessions that reset, step and are rewarded, for owners only and within bounds."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import yaml
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.farm import openenv_routes, websocket
from envscaler_mcp.farm.openenv_documents import openenv_yaml
from envscaler_mcp.serving.code import load_folder
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, Here, farm_here

ENVIRONMENT = "hospital_stays"
TASK = "hospital_stays-easy-01"


def task() -> Scenario:
    return next(each for each in load_scenarios(ROOT / "generated_servers" / ENVIRONMENT) if each.id == TASK)


def address(farm: Here, rest: str = "ws", scheme: str = "ws") -> str:
    return f"{scheme}://127.0.0.1:{farm.control}/openenv/{ENVIRONMENT}/{rest}"


class Wire:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        await self.socket.send(json.dumps({"type": kind, "data": data}))
        return await self.answer()

    async def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await self.socket.recv())
        return answer

    async def call(self, tool: str, arguments: Any) -> dict[str, Any]:
        data: dict[str, Any] = (await self.ask("step", type="call_tool", tool_name=tool, arguments=arguments))["data"]
        return data


@asynccontextmanager
async def wire(farm: Here, rest: str = "ws") -> AsyncIterator[Wire]:
    headers = {"Authorization": f"Bearer {farm.token('control')}"}
    async with connect(address(farm, rest), proxy=None, additional_headers=headers) as socket:
        yield Wire(socket)


@asynccontextmanager
async def web(farm: Here) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {"Authorization": f"Bearer {farm.token('control')}"}
    async with httpx2.AsyncClient(headers=headers) as client:
        yield client


@pytest.mark.parametrize("rewards", ["change", "state", "end"])
async def test_the_solution_earns_one_in_each_way_of_telling_rewards(rewards: str) -> None:
    async with farm_here() as farm, wire(farm) as client:
        await client.ask("reset", scenario=TASK, rewards=rewards)
        told = [(await client.call(call.tool, dict(call.arguments)))["reward"] for call in task().oracle]
        end = (await client.ask("step", type="finish"))["data"]
    assert end["done"]
    told.append(end["reward"])
    assert (sum(told) if rewards == "change" else told[-1]) == pytest.approx(1)
    assert rewards != "end" or not any(told[:-1])


async def test_doing_nothing_earns_nothing_and_the_task_is_told() -> None:
    async with farm_here() as farm, wire(farm) as client:
        begun = (await client.ask("reset", scenario=TASK))["data"]
        tools = (await client.ask("step", type="list_tools"))["data"]["observation"]["tools"]
        end = (await client.ask("step", type="finish"))["data"]
        state = (await client.ask("state"))["data"]
    assert [message["role"] for message in begun["observation"]["messages"]] == ["system", "user"]
    assert begun["observation"]["task"] == task().task
    assert {"name", "description", "input_schema"} == set(tools[0])
    assert (end["reward"], end["done"]) == (0, True)
    assert (state["step_count"], state["scenario"], state["done"]) == (2, TASK, True)


async def test_a_seed_or_an_index_names_a_task_and_a_wrong_one_is_refused() -> None:
    async with farm_here() as farm, wire(farm) as client:
        same = {(await client.ask("reset", seed=7))["data"]["metadata"]["scenario"] for _ in range(2)}
        first = (await client.ask("reset", index=0, split="all", level="hard"))["data"]["metadata"]["scenario"]
        many = await client.ask("reset", index=10_000)
        none = await client.ask("reset", scenario="no")
        typo = await client.ask("reset", scenari=TASK)
    assert len(same) == 1
    assert "-hard-" in first
    assert "10000 was asked for" in many["data"]["message"]
    assert none["data"]["code"] == "EXECUTION_ERROR"
    assert typo["data"]["code"] == "VALIDATION_ERROR"


async def test_an_episode_ends_with_its_steps_and_with_nothing_after() -> None:
    async with farm_here() as farm, wire(farm) as client:
        await client.ask("reset", scenario=TASK, max_steps=1)
        last = await client.call("no_such_tool", {})
        after = await client.call(task().oracle[0].tool, {})
    assert (last["done"], last["metadata"]["refused"]) == (True, True)
    assert (after["done"], "is over" in after["observation"]["result"]) == (True, True)


async def test_a_session_holds_one_world_and_leaves_none() -> None:
    async with farm_here() as farm:
        async with wire(farm) as client:
            for _ in range(3):
                await client.ask("reset")
            assert len(farm.front.worlds) == 1
            await client.socket.send(json.dumps({"type": "close"}))
            await client.socket.wait_closed()
        assert len(farm.front.worlds) == 0


async def test_a_world_that_the_owner_closed_gives_no_reward() -> None:
    async with farm_here() as farm, wire(farm) as client:
        await client.ask("reset", scenario=TASK)
        for world in farm.front.worlds:
            await farm.front.worlds.close(world)
        answer = await client.ask("step", type="finish")
    assert answer["type"] == "error"
    assert "was closed" in answer["data"]["message"]


@pytest.mark.parametrize("scope", ["agent", "read", None])
async def test_only_a_token_for_control_is_let_in(scope: Any) -> None:
    async with farm_here() as farm:
        headers = {"Authorization": f"Bearer {farm.token(scope)}"} if scope else {}
        with pytest.raises(InvalidStatus, match="401"):
            async with connect(address(farm), proxy=None, additional_headers=headers):
                pass
        agents = farm.url.replace("http://", f"ws://x:{farm.token('control')}@")
        with pytest.raises(InvalidStatus, match="404"):
            async with connect(f"{agents}/openenv/{ENVIRONMENT}/ws", proxy=None):
                pass


async def test_a_token_may_stand_in_the_url_where_a_client_sends_no_headers() -> None:
    async with farm_here() as farm:
        at = address(farm).replace("127.0.0.1", f"token:{farm.token('control')}@127.0.0.1")
        async with connect(at, proxy=None) as socket:
            assert (await Wire(socket).ask("reset"))["type"] == "observation"


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '"reset"', "null", '{"type": 7}', '{"type": "reset", "data": []}', "[" * 100_000, '{"type": "dance"}'],
    ids=["half", "list", "text", "null", "number", "data", "deep", "unknown"],
)
async def test_a_message_that_means_nothing_is_answered_and_the_session_goes_on(text: str) -> None:
    async with farm_here() as farm, wire(farm) as client:
        await client.socket.send(text)
        assert (await client.answer())["type"] == "error"
        await client.socket.send(b"\x00")
        assert (await client.answer())["type"] == "error"
        assert (await client.ask("reset"))["type"] == "observation"


@pytest.mark.parametrize("tool_name", ["x" * 100_000, "", "\ud800"])
async def test_a_strange_call_is_refused_as_in_a_run(tool_name: str) -> None:
    async with farm_here() as farm, wire(farm) as client:
        await client.ask("reset")
        for arguments in ({}, "{", '{"a": 1}', {"deep": json.loads("[" * 200 + "]" * 200)}):
            answer = await client.ask("step", type="call_tool", tool_name=tool_name, arguments=arguments)
            assert answer["type"] == "error" or answer["data"]["metadata"]["refused"]
        assert (await client.ask("state"))["type"] == "state"


def too_large(client: ClientConnection) -> None:
    client.protocol.send_text(b"x" * 2_000_000)


def in_too_many_pieces(client: ClientConnection) -> None:
    client.protocol.send_frame(Frame(Opcode.TEXT, b"{", fin=False))
    for _ in range(10 * websocket.MOST_FRAGMENTS):
        client.protocol.send_frame(Frame(Opcode.CONT, b"", fin=False))


def too_many_at_once(client: ClientConnection) -> None:
    for _ in range(3_000):
        client.protocol.send_frame(Frame(Opcode.PING, b"x" * 100))
        client.protocol.send_frame(Frame(Opcode.TEXT, b"{}"))


@pytest.mark.parametrize("send", [too_large, in_too_many_pieces, too_many_at_once])
async def test_what_is_too_much_ends_the_session_and_holds_nothing(send: Callable[[ClientConnection], None]) -> None:
    async with farm_here() as farm:
        async with wire(farm) as client:
            await client.ask("reset")
            send(client.socket)
            with contextlib.suppress(ConnectionClosed):
                client.socket.send_data()
                while True:
                    await client.answer()
        await until(lambda: not len(farm.front.worlds))
        assert not farm.front.owners.held.total


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - a farm tells no test when it is done
            await asyncio.sleep(0.01)


async def test_there_are_so_many_sessions_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openenv_routes, "MOST_SESSIONS", 1)
    async with farm_here() as farm:
        async with wire(farm) as first, wire(farm) as second:
            assert (await first.ask("reset"))["type"] == "observation"
            assert (await second.answer())["data"]["code"] == "CAPACITY_REACHED"
        async with wire(farm) as third:
            assert (await third.ask("reset"))["type"] == "observation"


async def test_requests_without_a_session_are_answered_as_openenvs_own_server_does() -> None:
    async with farm_here() as farm, web(farm) as client:
        told = [
            (await client.get(address(farm, what, "http"))).json()
            for what in ("health", "metadata", "schema", "openapi.json", "state")
        ]
        begun = await client.post(address(farm, "reset", "http"), json={"scenario": TASK})
        listed = await client.post(address(farm, "step", "http"), json={"action": {"type": "list_tools"}})
        lone = await client.post(
            address(farm, "step", "http"), json={"action": {"type": "call_tool", "tool_name": "list_patients"}}
        )
        wrong = await client.post(address(farm, "reset", "http"), content=b"[")
        assert len(farm.front.worlds) == 0
        plain = await client.get(address(farm, "ws", "http"))
        unknown = await client.get(address(farm, "health", "http").replace(ENVIRONMENT, "no_such"))
    assert told[0]["status"] == "healthy"
    assert told[1]["name"] == ENVIRONMENT
    assert {"action", "observation", "reset_observation", "state"} == set(told[2])
    assert {"/reset", "/step", "/state"} < set(told[3]["paths"])
    assert told[4]["step_count"] == 0
    assert begun.json()["metadata"]["scenario"] == TASK
    assert listed.json()["observation"]["tools"]
    assert (lone.status_code, wrong.status_code, plain.status_code, unknown.status_code) == (400, 422, 426, 404)


async def test_the_client_for_tools_shares_a_session_between_requests_and_its_websocket() -> None:
    async with farm_here() as farm, web(farm) as client:

        async def rpc(method: str, **params: Any) -> dict[str, Any]:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer: dict[str, Any] = (await client.post(address(farm, "mcp", "http"), json=body)).json()
            return answer

        name = (await rpc("openenv/session/create"))["result"]["session_id"]
        async with wire(farm, f"ws?session_id={name}") as session:
            await session.ask("reset", scenario=TASK)
            for call in task().oracle:
                said = await rpc("tools/call", session_id=name, name=call.tool, arguments=dict(call.arguments))
                assert '"success":true' in said["result"]["data"]
            async with wire(farm, f"ws?session_id={name}") as other:
                assert (await other.answer())["data"]["code"] == "SESSION_ERROR"
            assert (await session.ask("step", type="finish"))["data"]["reward"] == 1
        assert (await rpc("openenv/session/close", session_id=name))["result"]["closed"]
        assert "no such session" in (await rpc("tools/call", session_id=name, name="x"))["error"]["message"]
        assert (await rpc("no/such"))["error"]["code"] == -32601
        assert (await client.post(address(farm, "mcp", "http"), json={})).json()["error"]["code"] == -32600
        assert len(farm.front.worlds) == 0


def test_the_manifest_names_the_tools_and_how_rewards_are_told() -> None:
    card, _ = load_folder(ROOT / "generated_servers" / ENVIRONMENT)
    told = yaml.safe_load(openenv_yaml(card, 8766))
    assert (told["name"], told["port"], told["spec_version"]) == (ENVIRONMENT, 8766, 1)
    assert told["validation"]["capabilities"]["verifier"] == {"kind": "reward_channel"}
    assert told["validation"]["capabilities"]["declared_tools"] == [tool.name for tool in card.tools]
