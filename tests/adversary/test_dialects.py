"""A card, a worker or an agent that means harm gets no further by a dialect than without one."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.dialects.ids import MOST_TOLD_BYTES, IdMemory, IdSpelling, TooMuchToldError, id_prefixes
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.outcome import Outcome, encode
from envscaler_mcp.serving.spoken_world import SpokenOutcome
from tests.dialects.shipped import code_of

ENVIRONMENT = "animal_shelter"


def dialect_with(argument: Any, number: int = 0) -> tuple[Dialect, str, str]:
    """A dialect of a card that its author has changed: the argument is one of a tool that writes, told with its spoken names."""
    card = json.loads(code_of(ENVIRONMENT).environment.to_text())
    tool = next(tool for tool in card["tools"] if tool["effect"] == "writes")
    tool["input_schema"] = {"type": "object", "properties": {"evil": argument}, "required": []}
    environment = Environment.model_validate_json(json.dumps(card))
    for candidate in range(number, number + 200):
        dialect = Dialect(environment, DialectName(candidate, held_out=False))
        axes = dialect.axes
        if axes.arguments == "flat" and axes.grouping != "entity":
            operation = next(each for each in dialect._toolset.operations if each.tool.name == tool["name"])
            return dialect, operation.spoken, operation.arguments.spoken_name("evil")
    raise AssertionError("no number gives flat arguments")


def test_a_pattern_of_a_card_is_not_matched_where_dialects_are_spoken() -> None:
    dialect, tool, argument = dialect_with({"type": "string", "pattern": "^(a+)+$"})
    # It would take longer than the test may.
    meant = dialect.call(tool, {argument: "a" * 60 + "!"}, IdMemory())
    assert not isinstance(meant, SpokenOutcome)
    assert meant.arguments == {"evil": "a" * 60 + "!"}


def test_arguments_that_the_card_does_not_describe_are_refused_and_raise_nothing() -> None:
    dialect, tool, argument = dialect_with({"type": "object", "properties": {"x": {"type": "string"}}})
    answer = dialect.call(tool, {argument: {"unknown": 1}}, IdMemory())
    assert isinstance(answer, SpokenOutcome)
    assert answer.kind == "invalid"


@pytest.mark.parametrize(
    "argument", [{"type": "string", "enum": ["a", 1]}, {"type": "array", "items": True}], ids=["choices", "items"]
)
def test_a_card_that_no_blueprint_gives_has_no_dialects(argument: Any) -> None:
    with pytest.raises(WorldError, match="has no dialects"):
        dialect_with(argument)


def test_what_unread_code_answers_is_not_remembered_without_end() -> None:
    dialect, tool, _ = dialect_with({"type": "string"})
    meant = dialect.call(tool, {}, memory := IdMemory())
    assert not isinstance(meant, SpokenOutcome)
    prefix = min(id_prefixes(dialect.card) | id_prefixes(code_of(ENVIRONMENT).environment))
    answers = [
        encode({"error": " ".join(f"{prefix}-{turn}{number:09d}{'1' * 3_000}" for number in range(100))})
        for turn in range(1, 6)
    ]
    answers += [encode({"data": {f"k{turn}_{number}_{'x' * 3_000}": 1 for number in range(100)}}) for turn in range(5)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for text in answers:
            dialect.answer(meant, Outcome("refused" if "error" in text else "done", text), memory)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 300_000, f"{grown:,} bytes of {sum(map(len, answers)):,} are held"


def changed_card(change: Callable[[Any], None]) -> Environment:
    card = json.loads(code_of(ENVIRONMENT).environment.to_text())
    change(card)
    return Environment.model_validate_json(json.dumps(card))


def test_names_of_records_that_no_blueprint_gives_are_looked_for_in_no_sentence() -> None:
    names = {("a " * 800 + f"a{number}"): "{id: str}" for number in range(90)} | {"B" * 50: "{id: str}", "Ünit": "{}"}
    environment = changed_card(lambda card: card["answers"]["records"].update(names))
    assert id_prefixes(environment) == id_prefixes(code_of(ENVIRONMENT).environment)


def test_a_long_refusal_of_a_card_with_many_kinds_of_records_is_said_at_once() -> None:
    names = {f"A{'b' * 30}{number}": "{id: str}" for number in range(60)}
    environment = changed_card(lambda card: card["answers"]["records"].update(names))
    spelling = IdSpelling("key", "ticket", id_prefixes(environment))
    began = time.thread_time()
    spelling.tell_in("A" * 39 + " A-" * 200_000, IdMemory())
    # One pattern of such names took 7 seconds for a tenth of it.
    assert time.thread_time() - began < 2


def test_a_card_of_many_options_and_a_long_description_has_its_dialect_at_once() -> None:
    options = [f"{'a ' * 60}{number}" for number in range(900)]
    argument = {"type": "string", "enum": options, "description": f"One is {'a ' * 60_000}"}
    began = time.thread_time()
    dialect_with(argument)
    # It took 8 seconds for one dialect, and several are tried here.
    assert time.thread_time() - began < 8


def test_a_spelling_stands_for_the_id_that_it_was_told_for() -> None:
    spelling, memory = IdSpelling("key", "ticket", frozenset({"BED"})), IdMemory()
    told = spelling.tell_in("BED-00007 and BED-0000007", memory)
    spelled, _, other = told.partition(" and ")
    # No world calls a record so: the number of an id is as long as it must be.
    assert (memory.canonical(spelled), other) == ("BED-00007", "BED-0000007")
    memory.tell("OTHER-1", spelled)
    assert memory.canonical(spelled) == "BED-00007"


def test_a_world_tells_ids_of_so_many_characters_and_forgets_them_with_a_restore() -> None:
    memory = IdMemory()
    half = "x" * (MOST_TOLD_BYTES // 2 - 10)
    memory.tell(f"1{half}", 1)
    memory.tell(f"2{half}", 2)
    with pytest.raises(TooMuchToldError):
        memory.tell(f"3{half}", 3)
    with pytest.raises(TooMuchToldError):
        memory.copy().tell(f"3{half}", 3)
    memory.forget_since(1)
    memory.tell(f"3{half}", 3)
    assert memory.canonical(3) == f"3{half}"
