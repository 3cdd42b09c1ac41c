"""The control plane: everything to whoever opened the world, nothing to agents, and the same in process and on the line."""

from __future__ import annotations

import json
import secrets
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.launch.http import http_process, over_http
from envscaler_mcp.launch.opening import WrongUseError
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.serving.control import MAX_REQUEST
from envscaler_mcp.serving.control_client import ControlClient, controlled
from envscaler_mcp.serving.session import Controls
from tests.runs.home import oracle, write_home

SERVER = "lending_library"
DOINGS = (
    "open", "state", "hash", "diff", "diff_since_start", "snapshot", "restore", "fork", "serve", "verify", "close",
)  # fmt: skip
TOKEN = secrets.token_urlsafe(32)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=3) / "generated_servers"


@asynccontextmanager
async def beside(servers: Path, tmp_path: Path, *options: str) -> AsyncIterator[tuple[Client, ControlClient]]:
    """An agent's client and the control client of one server."""
    address = str(tmp_path / "control")
    given = ("--control", address, "--control-token-env", "CONTROL", *options)
    async with over_stdio(servers / SERVER, *given, variables={"CONTROL": TOKEN}) as client:
        with controlled(address, TOKEN) as control:
            yield client, control


async def asked(act: Any, *words: Any, **named: Any) -> Any:
    return await anyio.to_thread.run_sync(lambda: act(*words, **named))


async def solve(client: Client, number: int) -> None:
    for call in oracle(number):
        assert not (await client.call_tool(call.tool, call.arguments)).is_error


def test_in_process_a_session_is_opened_read_marked_forked_judged_and_closed(servers: Path) -> None:
    with WorldHome.at(servers) as farm, closing(farm.open(SERVER, scenario=f"{SERVER}-002")) as session:
        start, mark = session.state_hash(), session.snapshot()
        for call in oracle(2):
            assert session.world.call(call.tool, call.arguments).kind == "done"
        assert session.verify().reward == 1.0
        assert session.diff().changed.keys() == {"members"}
        assert session.diff_since_start().created.keys() == {"members", "loans"}
        with closing(session.fork()) as twin:
            session.restore(mark)
            assert session.state_hash() == start
            assert session.verify().reward == 0.0
            assert twin.verify("upstream").solved
            assert twin.state()["members"]["MEMB-00021"]["name"] == "Reader 2"


def test_a_session_may_begin_at_a_state_with_a_seed_and_then_there_is_nothing_to_judge(servers: Path) -> None:
    with WorldHome.at(servers) as farm, closing(farm.open(SERVER, state="start", seed=9, isolation="auto")) as session:
        assert session.world.call("list_books", {}).kind == "done"
        with pytest.raises(WorldError, match="nothing to verify"):
            session.verify()


def test_what_cannot_be_opened_is_told(servers: Path) -> None:
    with WorldHome.at(servers) as farm:
        with pytest.raises(WrongUseError, match="did you mean 'lending_library-001'"):
            farm.open(SERVER, scenario="lending_library-01")
        with pytest.raises(WrongUseError, match="begins at its own state"):
            farm.open(SERVER, scenario=f"{SERVER}-001", state="start")


def test_a_scenario_made_for_another_state_or_other_code_is_refused(tmp_path: Path) -> None:
    folder = write_home(tmp_path) / "generated_servers" / SERVER
    (folder / "states" / "start.json").write_text(
        (folder / "states" / "start.json").read_text().replace('Volume 1"', 'Volume 0"')
    )
    with WorldHome.at(folder.parent) as farm:
        with pytest.raises(LaunchError, match="made for another state"):
            farm.open(SERVER, scenario=f"{SERVER}-001")
        (folder / "environment.py").write_text((folder / "environment.py").read_text() + "\n# changed\n")
        with pytest.raises(LaunchError, match="made for other code"):
            farm.open(SERVER, scenario=f"{SERVER}-001")


async def test_on_the_line_it_is_the_same_while_an_agent_plays(servers: Path, tmp_path: Path) -> None:
    async with beside(servers, tmp_path, "--scenario", f"{SERVER}-001") as (client, control):
        session: Controls = control.current()
        mark = await asked(session.snapshot)
        await solve(client, 1)
        with WorldHome.at(servers) as farm, closing(farm.open(SERVER, scenario=f"{SERVER}-001")) as here:
            for call in oracle(1):
                here.world.call(call.tool, call.arguments)
            assert await asked(session.state_hash) == here.state_hash()
            assert await asked(session.state) == here.state()
            assert await asked(session.diff) == here.diff()
            assert await asked(session.diff_since_start) == here.diff_since_start()
            assert await asked(session.verify) == here.verify()
            assert (await asked(session.verify, "upstream")).reward == 1.0
        twin = await asked(session.fork)
        await asked(session.restore, mark)
        assert (await asked(session.verify)).reward == 0.0
        assert (await asked(twin.verify)).reward == 1.0


async def test_agents_act_on_whichever_session_is_served(servers: Path, tmp_path: Path) -> None:
    async with beside(servers, tmp_path) as (client, control):
        first = await asked(control.open, f"{SERVER}-001")
        await solve(client, 1)
        twin = await asked(first.fork)
        await asked(twin.serve)
        await client.call_tool("note", {"member_id": "MEMB-00009", "text": "hello"})
        assert (await asked(first.verify)).reward == 1.0
        assert (await asked(twin.verify)).frame_violations == ("members.MEMB-00009.notes: changed",)
        await asked(twin.close)
        closed = await client.call_tool("list_books", {})
        assert "This world is closed." in closed.content[0].text  # type: ignore[union-attr]
        await asked(control.open, f"{SERVER}-003")
        await solve(client, 3)
        assert (await asked(control.current().verify)).reward == 1.0


@pytest.mark.parametrize(
    ("asked_for", "told"),
    [
        ({"do": "call", "tool": "list_books"}, "There is no request 'call'"),
        ({"do": "list_books"}, "There is no request 'list_books'."),
        ({"do": "stat"}, "did you mean 'state'?"),
        ({"do": 1}, "There is no request 1."),
        ({}, "There is no request null."),
        ({"do": "restore"}, "mark is missing."),
        ({"do": "restore", "mark": True}, "mark must be a whole number, not true."),
        ({"do": "restore", "mark": 99}, "There is no snapshot 99"),
        ({"do": "state", "session": "99"}, "There is no session '99'."),
        ({"do": "state", "session": 1}, "session must be a text, not 1."),
        ({"do": "verify", "scoring": "kind"}, "There is no scoring 'kind'; there are framed, upstream."),
        ({"do": "verify"}, "nothing to verify"),
        ({"do": "open", "scenario": "x"}, "There is no scenario 'x' here."),
        ({"do": "open", "state": "nowhere"}, "There is no state 'nowhere'; choose one of start"),
        ({"do": "open", "seed": "1"}, "seed must be a whole number, not '1'."),
    ],
)
async def test_a_wrong_request_is_told_in_a_sentence_without_a_path(
    servers: Path, tmp_path: Path, asked_for: dict[str, Any], told: str
) -> None:
    async with beside(servers, tmp_path) as (_, control):
        with pytest.raises(WorldError) as caught:
            await asked(lambda: control._ask_line({"id": 1, **asked_for}))
        assert told in str(caught.value)
        assert str(servers) not in str(caught.value)
        assert "Traceback" not in str(caught.value)


def raw(address: str, *lines: bytes) -> list[dict[str, Any]]:
    """What is answered to these lines until the other side hangs up or has answered them all."""
    with socket.socket(socket.AF_UNIX) as stream, stream.makefile("rb") as answers:
        stream.settimeout(20)
        stream.connect(address)
        heard = []
        for line in lines:
            try:
                stream.sendall(line)
                answer = answers.readline()
            except (BrokenPipeError, ConnectionResetError):
                break
            if not answer:
                break
            heard.append(json.loads(answer))
        return heard


STATE = b'{"id":1,"do":"state"}\n'
REFUSED = [{"id": None, "error": "A token is needed."}]


async def test_nobody_gets_in_without_the_token(servers: Path, tmp_path: Path) -> None:
    async with beside(servers, tmp_path) as (_, control):
        address = str(tmp_path / "control")
        for greeting in (
            STATE,
            b"\n",
            b"{}\n",
            b"[]\n",
            b'{"token":null}\n',
            b'{"token":""}\n',
            b'{"token":"%s"}\n' % TOKEN[:-1].encode(),
            b'{"token":"\\ud800"}\n',
            b"GET / HTTP/1.1\r\n",
            b"[" * 20_000 + b"\n",
        ):
            assert await asked(raw, address, greeting, STATE) == REFUSED, greeting[:50]
        with pytest.raises(WorldError, match="A token is needed"):
            await asked(lambda: controlled(address, "wrong").__enter__())
        welcome = json.dumps({"token": TOKEN}).encode() + b"\n"
        assert [one["id"] for one in await asked(raw, address, welcome, STATE)] == [None, 1]
        long = await asked(raw, address, welcome, b'{"do":"' + b"x" * (2 * MAX_REQUEST), STATE)
        assert long[1] == {"id": None, "error": f"A request may have {MAX_REQUEST} bytes."}
        assert len(long) == 2
        assert await asked(raw, address, welcome, b"not json\n", STATE) == [
            {"id": None, "ok": True},
            {"id": None, "error": "A request is one JSON object on a line."},
            {"id": 1, "ok": await asked(control.current().state)},
        ]


async def test_only_this_user_may_open_the_socket_and_it_goes_with_the_server(servers: Path, tmp_path: Path) -> None:
    address = tmp_path / "control"
    async with beside(servers, tmp_path):
        assert stat.S_IMODE(address.stat().st_mode) == 0o600
    assert not address.exists()


async def test_a_port_of_this_machine_will_do(servers: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = ("--control", port, "--control-token-env", "CONTROL")
    async with over_http(servers / SERVER, *options, variables={"CONTROL": TOKEN}) as client:
        with controlled(port, TOKEN) as control:
            await client.call_tool("note", {"member_id": "MEMB-00001", "text": "hello"})
            assert (await asked(control.current().diff)).changed.keys() == {"members"}


async def test_no_agent_reaches_the_control_plane(servers: Path, tmp_path: Path) -> None:
    """Every request of the control plane, tried as a tool, a method, a resource, a prompt and a URL."""
    given = ("--control", str(tmp_path / "control"), "--control-token-env", "CONTROL", "--scenario", f"{SERVER}-001")
    async with http_process(servers / SERVER, *given, variables={"CONTROL": TOKEN}) as url:
        with controlled(str(tmp_path / "control"), TOKEN) as control:
            before = await asked(control.current().state_hash)
            await _try_as_a_client(url)
            await _try_as_a_browser(url)
            assert await asked(control.current().state_hash) == before


async def _try_as_a_client(url: str) -> None:
    async with Client(url) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert not tools & {*DOINGS, "reset", "grade", "call"}
        listed = (await client.list_resources()).resources
        assert {str(one.uri) for one in listed} == {"environment://introduction", "environment://rules"}
        for name in (*DOINGS, "reset", "control", f"control/{DOINGS[0]}", "_undo", "__init__"):
            result = await client.call_tool(name, {"session": "1", "scenario": f"{SERVER}-002", "token": TOKEN})
            assert "There is no tool" in result.content[0].text  # type: ignore[union-attr]
            for uri in (f"control://{name}", f"environment://{name}", f"state://{name}"):
                with pytest.raises(MCPError):
                    await client.read_resource(uri)
            with pytest.raises(MCPError):
                await client.get_prompt(name)


async def _try_as_a_browser(url: str) -> None:
    base = url.removesuffix("/mcp")
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as web:
        for name in (*DOINGS, "control", "reset"):
            for path in (f"/{name}", f"/control/{name}", f"/mcp/{name}", f"/mcp/../{name}", f"/e/{SERVER}/1/{name}"):
                for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
                    answer = await web.request(method, base + path, content=b"{}")
                    assert answer.status_code in (404, 405), (method, path)
            for method in (name, f"control/{name}", f"session/{name}"):
                message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"do": name, "token": TOKEN}}
                answer = await web.post(url, json=message)
                assert "result" not in answer.json(), method


async def test_tasks_are_prompts_and_the_same_for_everybody(servers: Path, tmp_path: Path) -> None:
    given = ("--prompts", "all", "--scenario", f"{SERVER}-002")
    async with beside(servers, tmp_path, *given) as (client, control):
        before = await client.list_prompts()
        assert [prompt.name for prompt in before.prompts] == [f"{SERVER}-00{n}" for n in (1, 2, 3)]
        await asked(control.open, f"{SERVER}-003")
        assert await client.list_prompts() == before
        (message,) = (await client.get_prompt(f"{SERVER}-002")).messages
        assert message.role == "user"
        assert message.content.text == "Somebody is at the desk and wants what lending_library-002 is about."  # type: ignore[union-attr]
        told = before.model_dump_json() + message.model_dump_json()
        for secret in ("check_func", "oracle", "Reader 2", "final_state"):
            assert secret not in told


@pytest.mark.parametrize(
    ("options", "told", "code"),
    [
        (("--scenario", "lending_library-01"), "did you mean 'lending_library-001'", 2),
        (("--scenario", "lending_library-001", "--state", "start"), "name --scenario or --state", 2),
        (("--control", "x"), "--control and --control-token-env belong together", 2),
        (("--control", "x", "--control-token-env", "NOT_SET_ANYWHERE"), "is empty or not set", 2),
        (("--control", "/nowhere/x", "--control-token-env", "CONTROL"), "choose another place", 1),
    ],
)
def test_wrong_options_are_told(servers: Path, options: tuple[str, ...], told: str, code: int) -> None:
    command = [sys.executable, str(servers / SERVER / "server.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, input="", env={"CONTROL": TOKEN}, check=False)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (code, "")
