"""`server.py --disturb`: what an ordinary client of such a server meets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Call
from envscaler_mcp.disturbances import Disturbances, Disturbed, NativeInterface, read_disturbances, sent_again
from envscaler_mcp.launch.stdio import over_stdio
from envscaler_mcp.serving import read_code
from envscaler_mcp.serving.tasks import load_scenarios
from tests.launch.test_dialects import FOLDER, typed

pytestmark = pytest.mark.skipif(not Path(FOLDER).exists(), reason="no such server here")


async def test_a_task_is_solved_over_stdio_by_who_sends_again_what_failed() -> None:
    scenario = load_scenarios(FOLDER)[1]
    drawn = Disturbances(read_disturbances("transition,action,metadata"), scenario.id, 3)
    interface = Disturbed(NativeInterface(read_code(FOLDER).environment), drawn)
    options = ("--disturb", "transition,action,metadata", "--scenario", scenario.id, "--seed", "3")
    failed = 0
    async with over_stdio(FOLDER, *options) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == [tool.name for tool in interface.card.tools]
        for canonical in scenario.oracle:
            call: Call = interface.encode(canonical)
            for _ in range(8):
                result = await client.call_tool(call.tool, call.arguments)
                text = result.content[0].text  # type: ignore[union-attr]
                if text.startswith('{"success":true'):
                    break
                failed += 1
                call = sent_again(call, text)
            else:
                raise AssertionError(call)
    assert failed


def test_the_same_options_list_the_same_tools_and_an_unknown_kind_is_wrong_use() -> None:
    first, again = (typed("--disturb", "redundant", "--list-tools", "--json") for _ in range(2))
    assert first.stdout == again.stdout
    plain = typed("--list-tools", "--json")
    assert len(json.loads(first.stdout)) > len(json.loads(plain.stdout))
    wrong = typed("--disturb", "thunder", "--list-tools")
    assert (wrong.returncode, "There is no disturbance" in wrong.stderr) == (2, True)
