"""The control plane: everything for the owner of a world, nothing for agents, and the same in process and over HTTP."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

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
from envscaler_mcp.serving.control.client import ControlClient
from envscaler_mcp.serving.control.plane import MAX_BODY
from envscaler_mcp.serving.control.schemas import PREFIX, SERVER_OPERATIONS
from envscaler_mcp.serving.session import Controls
from envscaler_mcp.trust.server import main as serve
from tests.runs.home import oracle, write_home

SERVER = "lending_library"
DOINGS = tuple(operation.does for operation in SERVER_OPERATIONS)
TOKEN = secrets.token_urlsafe(32)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=3) / "generated_servers"


@pytest.fixture(scope="module")
def server(servers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address for agents of one server program, and the folder of its control plane's socket."""
    folder = tmp_path_factory.mktemp("socket")
    words = ("--http", "--control", str(folder / "control"), "--control-token-env", "CONTROL")
    command = [sys.executable, str(servers / SERVER / "server.py"), *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "CONTROL": TOKEN})
    assert process.stdout is not None
    with process.stdout as told:
        try:
            yield told.readline().strip(), folder
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(20)
    assert code == 0


@asynccontextmanager
async def at(server: tuple[str, Path], **start: str) -> AsyncIterator[tuple[Client, ControlClient]]:
    """An agent's client and the control client of that program, whose only world was opened for this test."""
    url, folder = server
    async with Client(url) as client:
        with ControlClient(str(folder / "control"), TOKEN) as control:
            opened = await asked(control.open, SERVER, **start)
            for world in await asked(control.worlds):
                if world.name != opened.name:
                    await asked(world.close)
            yield client, control


@asynccontextmanager
async def beside(servers: Path, tmp_path: Path, *options: str) -> AsyncIterator[tuple[Client, ControlClient]]:
    """An agent's client and the control client of one server."""
    address = str(tmp_path / "control")
    given = ("--control", address, "--control-token-env", "CONTROL", *options)
    async with over_stdio(servers / SERVER, *given, variables={"CONTROL": TOKEN}) as client:
        with ControlClient(address, TOKEN) as control:
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


async def test_over_http_it_is_the_same_while_an_agent_plays(servers: Path, server: tuple[str, Path]) -> None:
    async with at(server, scenario=f"{SERVER}-001") as (client, control):
        session: Controls = await asked(control.world)
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


async def test_agents_act_on_whichever_session_is_served(server: tuple[str, Path]) -> None:
    async with at(server) as (client, control):
        first = await asked(control.open, SERVER, scenario=f"{SERVER}-001")
        await solve(client, 1)
        twin = await asked(first.fork)
        await asked(twin.serve)
        await client.call_tool("note", {"member_id": "MEMB-00009", "text": "hello"})
        assert (await asked(first.verify)).reward == 1.0
        assert (await asked(twin.verify)).frame_violations == ("members.MEMB-00009.notes: changed",)
        await asked(twin.close)
        closed = await client.call_tool("list_books", {})
        assert "This world is closed." in closed.content[0].text  # type: ignore[union-attr]
        await asked(control.open, SERVER, scenario=f"{SERVER}-003")
        await solve(client, 3)
        served = await asked(control.world)
        assert served.card.scenario == f"{SERVER}-003"
        assert (await asked(served.verify)).reward == 1.0


WRONG_REQUESTS: list[tuple[str, str, Any, int, str]] = [
    ("POST", "/current/call", {"tool": "list_books"}, 404, "There is no such request."),
    ("POST", "/current/list_books", {}, 404, "There is no such request."),
    ("POST", "/current/state", {}, 405, "Method Not Allowed"),
    ("POST", "/current/restore", {}, 400, "snapshot: Field required"),
    ("POST", "/current/restore", {"snapshot": True}, 400, "snapshot: Input should be a valid integer"),
    ("POST", "/current/restore", {"snapshot": 99}, 400, "There is no snapshot 99"),
    ("POST", "/current/restore", [], 400, "The body: Input should be an object"),
    ("GET", "/99/state", None, 404, "There is no world '99'."),
    ("POST", "/current/verify", {"scoring": "kind"}, 400, "Input should be 'framed' or 'upstream'"),
    ("POST", "/current/verify", {}, 400, "nothing to verify"),
    ("POST", "", {"environment": SERVER, "scenario": "x"}, 400, "There is no scenario 'x' here."),
    ("POST", "", {"environment": SERVER, "state": "nowhere"}, 400, "no state 'nowhere'; choose one of start"),
    ("POST", "", {"environment": SERVER, "seed": "1"}, 400, "seed: Input should be a valid integer"),
    ("POST", "", {"environment": "expense_desk"}, 400, "This server has no environment 'expense_desk'."),
    ("POST", "", {"environment": SERVER, "count": 2}, 400, "one world at a time"),
    ("POST", "", {"environment": SERVER, "lease_seconds": 60.0}, 400, "without a lease"),
    ("POST", "/current/lease", {}, 404, "There is no such request."),
]


async def test_a_wrong_request_is_refused_in_a_sentence_without_a_path(servers: Path, server: tuple[str, Path]) -> None:
    async with at(server), over_control(server[1], TOKEN) as web:
        for method, path, body, status, message in WRONG_REQUESTS:
            answer = await web.request(method, PREFIX + path, json=body)
            assert answer.status_code == status, (method, path, body)
            assert message in answer.json()["error"]
            assert str(servers) not in answer.text
            assert "Traceback" not in answer.text


@asynccontextmanager
async def over_control(folder: Path, token: str | None) -> AsyncIterator[httpx2.AsyncClient]:
    """A plain HTTP client of the control plane, with a token or without one."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    transport = httpx2.AsyncHTTPTransport(uds=str(folder / "control"))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as web:
        yield web


async def test_without_the_token_every_request_is_refused(server: tuple[str, Path]) -> None:
    async with at(server) as (_, control):
        for token in (None, TOKEN[:-1], f"{TOKEN}x"):
            async with over_control(server[1], token) as web:
                for operation in SERVER_OPERATIONS:
                    path = operation.path.replace("{name}", "current")
                    answer = await web.request(operation.method, path, content=b"{}")
                    assert (answer.status_code, answer.text) == (401, "A token is needed")
        with pytest.raises(LaunchError, match="A token is needed"), ControlClient(str(server[1] / "control"), "x") as x:
            await asked(x.world)
        async with over_control(server[1], TOKEN) as web:
            answer = await web.get(f"{PREFIX}/{quote('current')}/state")
            assert answer.json() == {"state": await asked((await asked(control.world)).state)}


async def test_a_request_has_a_bounded_length_and_comes_from_no_other_site(server: tuple[str, Path]) -> None:
    async with at(server), over_control(server[1], TOKEN) as web:
        long = await web.post(PREFIX, content=b" " * (MAX_BODY + 1))
        assert (long.status_code, long.json()) == (413, {"error": f"A request may have {MAX_BODY} bytes."})
        foreign = await web.get(PREFIX, headers={"Origin": "https://other.example"})
        assert foreign.status_code == 403
        renamed = await web.get(PREFIX, headers={"Host": "other.example"})
        assert renamed.status_code == 421


async def test_a_fork_may_be_listed_and_closed_while_the_served_world_stays(server: tuple[str, Path]) -> None:
    async with at(server) as (client, control):
        served = await asked(control.world)
        forks = await asked(served.fork_many, 2)
        assert [world.name for world in await asked(control.worlds)] == [served.name, *(fork.name for fork in forks)]
        for fork in forks:
            await asked(fork.close)
        assert [world.name for world in await asked(control.worlds)] == [served.name]
        assert not (await client.call_tool("list_books", {})).is_error


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
        with ControlClient(port, TOKEN) as control:
            await client.call_tool("note", {"member_id": "MEMB-00001", "text": "hello"})
            assert (await asked((await asked(control.world)).diff)).changed.keys() == {"members"}


async def test_no_agent_reaches_the_control_plane(servers: Path, tmp_path: Path) -> None:
    """Every request of the control plane, tried as a tool, a method, a resource, a prompt and a URL."""
    given = ("--control", str(tmp_path / "control"), "--control-token-env", "CONTROL", "--scenario", f"{SERVER}-001")
    async with http_process(servers / SERVER, *given, variables={"CONTROL": TOKEN}) as url:
        with ControlClient(str(tmp_path / "control"), TOKEN) as control:
            world = await asked(control.world)
            before = await asked(world.state_hash)
            await _try_as_a_client(url)
            await _try_as_a_browser(url)
            assert await asked(world.state_hash) == before


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
        await asked(control.open, SERVER, scenario=f"{SERVER}-003")
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
        (("--control", "/proc/nowhere/x", "--control-token-env", "CONTROL"), "name another --control", 1),
    ],
)
def test_wrong_options_are_told(
    servers: Path,
    options: tuple[str, ...],
    told: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CONTROL", TOKEN)
    with pytest.raises(SystemExit) as ended:
        serve(servers / SERVER, options)
    done = capsys.readouterr()
    assert told in done.err
    assert "Traceback" not in done.err
    assert (ended.value.code, done.out) == (code, "")
