"""A world is an ordinary server of the Model Context Protocol, in both of its eras."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, Outcome, open_unread_world
from envscaler_mcp.serving.server import build_server
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY, INTRODUCTION, RULES

MODES = ["auto", "legacy", "2026-07-28"]


def text_of(result: Any) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_sees_the_tools_and_what_they_do(library_world: LocalWorld, mode: str) -> None:
    async with Client(build_server(library_world), mode=mode) as client:
        listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [tool.name for tool in library_world.environment.tools]
    tools = {tool.name: tool for tool in listed.tools}
    assert tools["get_book"].annotations is not None
    assert tools["get_book"].annotations.read_only_hint is True
    assert tools["lend_book"].annotations is not None
    assert tools["lend_book"].annotations.read_only_hint is False
    assert tools["lend_book"].annotations.open_world_hint is False
    assert tools["lend_book"].input_schema["additionalProperties"] is False


async def test_a_client_may_keep_the_lists_for_an_hour(library_world: LocalWorld) -> None:
    async with Client(build_server(library_world), mode="2026-07-28") as client:
        results: list[Any] = [
            await client.list_tools(),
            await client.list_resources(),
            await client.read_resource(RULES),
        ]
    assert {(result.ttl_ms, result.cache_scope) for result in results} == {(3_600_000, "public")}


async def test_the_lists_are_the_same_after_calls(library_world: LocalWorld) -> None:
    server = build_server(library_world)
    async with Client(server) as client:
        first = await client.list_tools()
        await client.call_tool("remove_member", {"member_id": "MEMB-00001"})
    async with Client(server) as other:
        assert await other.list_tools() == first


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_answers_with_the_outcomes_own_text(library_world: LocalWorld, mode: str) -> None:
    twin = library_world.fork()
    async with Client(build_server(library_world), mode=mode) as client:
        for tool, arguments in (
            ("get_book", {"book_id": "BOOK-00001"}),
            ("get_book", {"book_id": "BOOK-9"}),
            ("get_book", {"book_id": 9}),
            ("get_bok", {"book_id": "x"}),
            ("join", {"name": "Zoë Ωmega", "email": "z@b.org"}),
            ("stumble", {"member_id": "MEMB-00001"}),
        ):
            result = await client.call_tool(tool, arguments)
            expected = twin.call(tool, arguments)
            assert text_of(result) == expected.text
            assert result.structured_content == expected.payload
            assert result.is_error is expected.is_error
    assert library_world.state_hash() == twin.state_hash()


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_without_arguments_is_a_call_with_none(library_world: LocalWorld, mode: str) -> None:
    async with Client(build_server(library_world), mode=mode) as client:
        assert not (await client.call_tool("list_books")).is_error


@pytest.mark.parametrize("mode", MODES)
async def test_introduction_and_rules_are_resources(library_world: LocalWorld, mode: str) -> None:
    async with Client(build_server(library_world), mode=mode) as client:
        assert [str(one.uri) for one in (await client.list_resources()).resources] == [INTRODUCTION, RULES]
        [introduction] = (await client.read_resource(INTRODUCTION)).contents
        [rules] = (await client.read_resource(RULES)).contents
        with pytest.raises(MCPError, match="There is no resource environment://state"):
            await client.read_resource("environment://state")
        instructions = client.instructions
    assert "You work with the lending library." in introduction.model_dump()["text"]
    assert "- A book is lent to one member at a time." in rules.model_dump()["text"]
    # A client that pins the version asks nothing first, so it is told nothing first.
    assert mode == "2026-07-28" or "A member with an open loan stays a member." in str(instructions)


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_sent_twice_with_one_key_is_run_once(library_world: LocalWorld, mode: str) -> None:
    join = "join", {"name": "Amina", "email": "a@b.org"}
    async with Client(build_server(library_world), mode=mode) as client:
        meta: Any = {IDEMPOTENCY_KEY: "k1"}
        first = await client.call_tool(*join, meta=meta)
        after = library_world.state_hash()
        second = await client.call_tool(*join, meta=meta)
        wrong = await client.call_tool("list_books", {}, meta=meta)
        meta[IDEMPOTENCY_KEY] = 5
        odd = await client.call_tool("list_books", {}, meta=meta)
    assert text_of(second) == text_of(first)
    assert not second.is_error
    assert library_world.state_hash() == after
    assert "already used for another call" in text_of(wrong)
    assert "must be a text of 1 to 200 characters" in text_of(odd)


class Distant:
    """A world that is not in this process and has gone away."""

    def __init__(self, world: LocalWorld) -> None:
        self.environment = world.environment

    def call(self, tool: str, arguments: Any, key: str | None = None) -> Outcome:
        raise WorldError("worker 4711 was killed at /some/path")


async def test_a_world_that_has_ended_says_so_without_details(library_world: LocalWorld) -> None:
    gone: Any = Distant(library_world)
    async with Client(build_server(gone)) as client:
        result = await client.call_tool("list_books", {})
    assert result.is_error
    assert text_of(result) == '{"success":false,"error":"This world has ended; a new one must be opened."}'


async def test_written_code_is_served_the_same_way(office: EnvironmentCode) -> None:
    world = open_unread_world(office, {"parcels": {"P-1": {"status": "waiting"}}, "couriers": {}}, 7)
    async with Client(build_server(world)) as client:
        result = await client.call_tool("get_parcel", {"parcel_id": "P-1"})
    assert text_of(result) == '{"success":true,"data":{"status":"waiting"}}'


def test_listing_tools_and_playing_a_world_imports_no_mcp() -> None:
    program = (
        "import sys, envscaler_mcp.serving, envscaler_mcp.launch.server_process\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types', 'openai', 'starlette')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
