"""Servers of others: whatever they answer is told to the agent, and only one that is gone ends anything."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from envscaler_mcp.errors import LaunchError, WorkerEndedError
from envscaler_mcp.launch.external import ForeignServer, Target, foreign_server
from tests.launch.notes_server import COMMAND, notes_over_http


@asynccontextmanager
async def notes(way: str, patience: float = 60) -> AsyncIterator[ForeignServer]:
    if way == "stdio":
        async with foreign_server("notes", COMMAND, patience) as server:
            yield server
        return
    async with notes_over_http() as (url, _), foreign_server("notes", url, patience) as server:
        yield server


async def answer(server: ForeignServer, tool: str, **arguments: object) -> tuple[bool, str]:
    outcome, diff = await server.call(tool, dict(arguments), True)
    assert diff.empty
    return outcome.is_error, outcome.text


async def until_gone(server: ForeignServer) -> None:
    while True:
        await answer(server, "notes")


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_its_tools_are_listed_to_the_last_page_and_its_answers_are_told_as_text(way: str) -> None:
    async with notes(way) as server:
        assert server.introduction == "Notes are kept here."
        assert (server.tools["note"].tool.effect, server.tools["notes"].tool.effect) == ("writes", "reads")
        assert server.tools["odd"].tool.input_schema["properties"] == {"x": {"type": "mystery"}}
        assert await answer(server, "note", text="Grüße „an“ alle") == (False, "Noted.")
        assert await answer(server, "note", text="two") == (False, "Noted.")
        assert await answer(server, "notes") == (False, "Grüße „an“ alle\ntwo")
        assert await answer(server, "notes.count") == (False, '{"count": 2}')
        assert await answer(server, "picture") == (False, "[image/png, which cannot be shown as text]")
        assert await answer(server, "fails") == (True, "That is not allowed \x1b[31m.")


async def test_what_breaks_lies_or_never_answers_is_an_error_of_the_tool_and_the_server_can_be_called_on() -> None:
    async with notes("http", patience=0.5) as server:
        assert (await answer(server, "breaks"))[0]
        assert (await answer(server, "note"))[0]
        is_error, text = await answer(server, "lies")
        assert is_error
        assert "Tool lies has an output schema but did not return structured content" in text
        assert "timed out" in (await answer(server, "hangs"))[1]
        assert await answer(server, "notes") == (False, "(nothing)")


async def test_a_url_where_nobody_answers_any_more_is_told_of_and_the_block_goes_on() -> None:
    async with notes_over_http() as (url, stop), foreign_server("notes", url) as server:
        assert await answer(server, "note", text="one") == (False, "Noted.")
        stop()
        with pytest.raises(WorkerEndedError, match="'notes' has ended, or is not reached any more"):
            # What was begun before it stopped may still be answered.
            await until_gone(server)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ((sys.executable, "-c", "print('hello')"), "'notes' did not start"),
        (("no-such-program",), "'notes' did not start"),
        ("http://127.0.0.1:9/mcp", "127.0.0.1:9/mcp is not reached"),
    ],
)
async def test_a_server_that_cannot_be_opened_is_one_clear_error(target: Target, told: str) -> None:
    with pytest.raises(LaunchError, match=told):
        async with foreign_server("notes", target):
            pytest.fail("it opened")
