"""How one knows that a task was done, as a model says it and as code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import anyio.to_thread
from pydantic import BaseModel, Field

from envscaler_mcp.artifacts import Check, Scenario, State
from envscaler_mcp.errors import SandboxError, Unproven
from envscaler_mcp.llm import Author, MisfitError, bullets
from envscaler_mcp.sandbox.checking import run_checks
from envscaler_mcp.scenarios.task_first.task_backend import Court, PlanEffects


class _WrittenCheck(BaseModel):
    question: str = Field(description="Begins with `Has`.")
    function: str = Field(description="Source of `def check_func(final_state)`.")


class _WrittenChecks(BaseModel):
    objection: str = Field(
        default="", description="What was done that the task does not ask for, or left out; or empty."
    )
    checks: list[_WrittenCheck]


async def with_checks(author: Author, court: Court, scenario: Scenario, state: State, effects: PlanEffects) -> Scenario:
    """The scenario with checks and its proof; what the proof does not accept goes back to the model that writes them."""

    async def read(written: _WrittenChecks) -> Scenario:
        if written.objection:
            raise Unproven(f"the solver did something else: {written.objection}")
        checks = tuple(Check(check_item=check.question, check_func=check.function) for check in written.checks)
        return await anyio.to_thread.run_sync(
            _proven, court, scenario.model_copy(update={"checks": checks}), state, effects.final
        )

    return await author.ask_to(
        "write_checks",
        _WrittenChecks,
        read,
        introduction=court.card.introduction,
        state=json.dumps(state.content, ensure_ascii=False, indent=1),
        task=scenario.task,
        changes=bullets(fact.check_item for fact in effects.facts),
    )


def _proven(court: Court, scenario: Scenario, state: State, final: Mapping[str, Any]) -> Scenario:
    wrong = list(_wrong_with(scenario.checks, state.content, final))
    if wrong:
        raise MisfitError(bullets(wrong))
    try:
        return scenario.model_copy(update={"proof": court.proof(scenario, state)})
    except (Unproven, SandboxError) as reason:
        raise MisfitError(f"With these checks the task cannot be proven: {reason}.") from reason


def _wrong_with(checks: Sequence[Check], initial: Mapping[str, Any], final: Mapping[str, Any]) -> Iterator[str]:
    if not checks:
        yield "There is no check."
    for number, check in enumerate(checks, start=1):
        if not (check.check_item.startswith("Has ") and check.check_item.endswith("?")):
            yield f"Check {number} is no question that begins with `Has`."
    for number, said in enumerate(run_checks(checks, initial, initial), start=1):
        if said.verdict is None:
            yield f"Check {number} says nothing in the initial state: {said.failure}"
        elif said.verdict is True:
            yield f"Check {number} is true in the initial state already."
    for number, said in enumerate(run_checks(checks, initial, final), start=1):
        if said.verdict is not True:
            verdict = f"says nothing ({said.failure})" if said.verdict is None else "is false"
            yield f"Check {number} {verdict} at the end that was reached; is it too strict, or was something else done?"
