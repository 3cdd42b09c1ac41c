"""The request of a task as a disturbed agent reads it: mistyped, or in other words. What it asks for is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from envscaler_mcp.artifacts import Conversation, Scenario
from envscaler_mcp.disturbances.kinds import Disturbances
from envscaler_mcp.disturbances.wording import Untouched, in_other_words, mistyped

_OPENINGS = ("This is what has to be done.", "Here is what is on the list.", "There is something to take care of.")
_ENDINGS = ("That would be all.", "There is no more to it.", "No more than that.")


def asked_otherwise(scenario: Scenario, drawn: Disturbances) -> Scenario:
    """The scenario with its task and what its user says as they are read."""
    if not {"typos", "request"} & set(drawn.kinds):
        return scenario
    untouched = Untouched(_values_of(scenario))
    task, conversation = scenario.task, scenario.conversation
    if "request" in drawn.kinds:
        task = _framed(untouched.except_in(task, in_other_words), drawn)
        conversation = _said(conversation, lambda text: untouched.except_in(text, in_other_words))
    if "typos" in drawn.kinds:
        task = mistyped(task, untouched, drawn)
        conversation = _said(conversation, lambda text: mistyped(text, untouched, drawn))
    return scenario.model_copy(update={"task": task, "conversation": conversation})


def _framed(task: str, drawn: Disturbances) -> str:
    """The task between two sentences; the day that stands before it stays first."""
    day, mark, rest = task.partition("\n\n")
    if not mark or "," not in day or len(day) > len("Wednesday, 30 September 2026"):
        day, mark, rest = "", "", task
    opening, ending = drawn.choice(_OPENINGS, "opening"), drawn.choice(_ENDINGS, "ending")
    return f"{day}{mark}{opening} {rest} {ending}"


def _said(conversation: Conversation | None, change: Callable[[str], str]) -> Conversation | None:
    if conversation is None:
        return None
    goals = tuple(
        goal.model_copy(update={"ask": change(goal.ask), "request": change(goal.request)})
        for goal in conversation.goals
    )
    return conversation.model_copy(update={"first": change(conversation.first), "goals": goals})


def _values_of(scenario: Scenario) -> Iterator[str]:
    """Every text that the solution sends, and how the values of the task are said."""
    for call in scenario.oracle:
        yield from _texts(call.arguments)
    for goal in scenario.conversation.goals if scenario.conversation is not None else ():
        for fact in goal.facts:
            yield fact.says
            yield from _texts(fact.value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield value.replace("_", " ")
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
