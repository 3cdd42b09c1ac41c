"""Cards and tasks from anywhere: what cannot be disturbed is refused, and nothing of a text takes long."""

from __future__ import annotations

from typing import Any

import pytest

from envscaler_mcp.artifacts import Call, Conversation, Fact, Goal
from envscaler_mcp.disturbances import Disturbances, Disturbed, NativeInterface, asked_otherwise
from envscaler_mcp.disturbances.kinds import KINDS
from envscaler_mcp.errors import WorldError
from tests.dialects.shipped import SAMPLE, code_of, scenarios_of

DRAWN = Disturbances(KINDS, "task", 1)


@pytest.mark.parametrize(
    "schema", [{"properties": 3}, {"properties": [1, "a"]}, {"properties": {"a": {}}, "required": 7}]
)
def test_a_card_of_another_shape_is_refused(schema: dict[str, Any]) -> None:
    card = code_of(SAMPLE[0]).environment
    tools = tuple(tool.model_copy(update={"input_schema": schema}) for tool in card.tools)
    for seed in range(10):
        with pytest.raises(WorldError, match="cannot be disturbed"):
            Disturbed(NativeInterface(card.model_copy(update={"tools": tools})), Disturbances(KINDS, "task", seed))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["“" * 200_000, "." * 200_000, "word " * 40_000, "a" * 200_000, "please " * 30_000])
def test_no_text_of_a_task_takes_long(text: str) -> None:
    scenario = next(scenarios_of(SAMPLE[0]))
    facts = tuple(Fact(name=f"f{number}", value=f"value {number}", says=f"says {number}") for number in range(3_000))
    goal = Goal(story="", ask=text, request=text, facts=facts)
    oracle = (Call(tool="x", arguments={"texts": ["t" * 1_000 + str(number) for number in range(3_000)]}),)
    changes = {"task": text, "conversation": Conversation(first=text, goals=(goal,)), "oracle": oracle}
    assert asked_otherwise(scenario.model_copy(update=changes), DRAWN).task
