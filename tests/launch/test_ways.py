"""In this process, in a worker, over standard streams and over HTTP: the same world."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from envscaler_mcp.launch.http import over_http
from envscaler_mcp.launch.memory import in_memory
from envscaler_mcp.launch.opening import open_folder
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.serving.server_info import IDEMPOTENCY_KEY
from envscaler_mcp.trust import load_code

LIBRARY: list[tuple[Any, dict[str, Any]]] = [
    ("list_books", {"shelf": "science", "page": 2}),
    ("get_book", {"book_id": "BOOK-00001"}),
    ("lend_book", {"book_id": "BOOK-00001", "member_id": "MEMB-00001", "until": "2026-04-01"}),
    ("lend_book", {"book_id": "BOOK-00001", "member_id": "MEMB-00002", "until": "2026-04-01"}),
    ("lend_book", {"book_id": "BOOK-00002", "member_id": "MEMB-00002", "until": "2026-02-30"}),
    ("lend_books", {"member_id": "MEMB-00003", "lines": [{"book_id": "BOOK-00003", "days": 5}]}),
    ("lend_books", {"member_id": "MEMB-00003", "lines": [{"book": "BOOK-00003", "days": 5}]}),
    ("join", {"name": "Zoë Ωmega 😀", "email": "z@b.org"}),
    ("join", {"name": 5, "email": "z@b.org"}),
    ("jion", {}),
    ("stumble", {"member_id": "MEMB-00001"}),
    ("remove_member", {"member_id": "MEMB-00001"}),
    ("return_book", {"book_id": "BOOK-00001"}),
    ("remove_member", {"member_id": "MEMB-00001"}),
    ("get_book", {"book_id": 3.0}),
    ("get_book", {"book_id": True}),
    ("get_book", {}),
]
OFFICE: list[tuple[Any, dict[str, Any]]] = [
    ("list_parcels", {}),
    ("accept", {"receiver": "Zoë", "weight": 1.5}),
    ("accept", {"receiver": "Bo", "weight": 2}),
    ("list_parcels", {"status": "waiting"}),
    ("deliver", {"parcel_id": "P-1", "courier": "Nobody"}),
    ("deliver", {"parcel_id": "P-1", "courier": "Sato"}),
    ("deliver", {"parcel_id": "P-77", "courier": "Sato"}),
    ("spoil", {"what": "nan"}),
    ("count_drawer", {}),
]


async def played(launched: AbstractAsyncContextManager[Client], script: list[tuple[Any, dict[str, Any]]]) -> list[Any]:
    seen = []
    async with launched as client:
        for tool, arguments in script:
            result = await client.call_tool(tool, arguments)
            [content] = result.content
            assert isinstance(content, TextContent)
            seen.append((content.text, result.structured_content, result.is_error))
    return seen


@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.slow), "2026-07-28"])
@pytest.mark.parametrize("environment", [pytest.param("library", marks=pytest.mark.slow), "office"])
async def test_one_script_gives_equal_bytes_on_every_way(
    environment: str, mode: str, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(f"{environment}_folder")
    script = LIBRARY if environment == "library" else OFFICE
    here, worker = (
        open_folder(folder, load_code(folder), isolation="trusted"),
        open_folder(folder, load_code(folder), isolation="auto"),
    )
    try:
        outcomes = [here.call(tool, arguments) for tool, arguments in script]
        assert [worker.call(tool, arguments) for tool, arguments in script] == outcomes
        assert worker.state_hash() == here.state_hash()
    finally:
        worker.close()
    expected = [(outcome.text, outcome.payload, outcome.is_error) for outcome in outcomes]
    assert (
        await played(in_memory(open_folder(folder, load_code(folder), isolation="trusted"), mode), script) == expected
    )
    assert await played(over_stdio(folder, mode=mode), script) == expected
    assert await played(over_http(folder, mode=mode), script) == expected


@pytest.mark.parametrize("launch", [over_stdio, pytest.param(over_http, marks=pytest.mark.slow)])
async def test_a_new_server_has_a_new_world_with_the_seed_and_state_asked_for(launch: Any, office_folder: Path) -> None:
    accept = [("accept", {"receiver": "Bo", "weight": 2})]
    first = await played(launch(office_folder), accept)
    assert await played(launch(office_folder, "--seed", "7"), accept) == first
    assert await played(launch(office_folder, "--seed", "8"), accept) != first


async def test_a_key_holds_between_two_clients_of_one_http_server(library_folder: Path) -> None:
    join = "join", {"name": "Amina", "email": "a@b.org"}
    async with over_http(library_folder) as client:
        meta: Any = {IDEMPOTENCY_KEY: "k1"}
        first = await client.call_tool(*join, meta=meta)
        again = await client.call_tool(*join, meta=meta)
        anew = await client.call_tool(*join)
    assert again == first
    assert anew.is_error


async def test_what_environment_code_prints_never_stops_an_http_server(library_folder: Path) -> None:
    async with over_http(library_folder) as client:
        for _ in range(3):
            assert (await client.call_tool("stumble", {"member_id": "MEMB-00001"})).is_error
        assert not (await client.call_tool("list_books", {})).is_error
