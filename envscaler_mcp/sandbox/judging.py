"""What an ending is worth: its checks in a worker, its frame, and whose failure it is where it is not done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Scenario, Verdict
from envscaler_mcp.errors import WorldError
from envscaler_mcp.sandbox import checking
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.serving.grading import Scoring, counted, frame_violations, reward
from envscaler_mcp.serving.plain import MAX_DEPTH, is_deeper

GRADING = f"{__version__}/3"
"""What judges here. Its number is how many entries the changelog has under "Grading changes"."""


def judge(
    scenario: Scenario,
    initial: Mapping[str, Any],
    final: Mapping[str, Any],
    scoring: Scoring = "framed",
    checker: Checker | None = None,
) -> Verdict:
    """The verdict on an ending that came about undisturbed: the agent's failure, or that of a check without an answer."""
    if is_deeper(dict(final), MAX_DEPTH) or is_deeper(dict(initial), MAX_DEPTH):
        # Not a failure of this machine: the comparison of states recurses, and worlds keep to this bound.
        raise WorldError(
            f"The state of {scenario.environment!r} is nested more than {MAX_DEPTH} deep and is not judged."
        )
    with checking.checker() if checker is None else nullcontext(checker) as judging:
        # As published: a check that changes what it is given is seen by those after it.
        checked = judging.run(scenario.checks, initial, final, handed_on=scoring == "upstream")
        # Those that are made here are proven to have no check that is true at the start; of others it is asked.
        at_start = judging.run(scenario.checks, initial, initial) if scenario.frame is None else ()
    answers = tuple(one.verdict is True for one in checked)
    violations = frame_violations(initial, final, scenario.frame)
    telling: Sequence[bool] = answers
    if scoring == "framed" and at_start:
        telling = counted([one.verdict is True for one in at_start], answers)
    earned = reward(telling, violations, scoring)
    silent = [(number, one.failure) for number, one in enumerate(checked, 1) if one.verdict is None]
    verdict = Verdict(
        scoring=scoring,
        checks=answers,
        frame_violations=violations,
        reward=earned,
        solved=earned == 1.0,
        grading=GRADING,
    )
    if not telling:
        why = "every check is true at the start" if checked else "there are no checks"
        return verdict.model_copy(update={"owner": "checker", "masked": True, "reason": why})
    if silent:
        told = "; ".join(f"check {number}: {failure}" for number, failure in silent)
        return verdict.model_copy(update={"owner": "checker", "masked": True, "reason": told})
    return verdict if verdict.solved else verdict.model_copy(update={"owner": "agent", "reason": _missed(verdict)})


def _missed(verdict: Verdict) -> str:
    missed = [str(number) for number, answer in enumerate(verdict.checks, 1) if not answer]
    told = f"{len(missed)} of {len(verdict.checks)} checks are not true: {', '.join(missed)}" if missed else ""
    broken = f"{len(verdict.frame_violations)} changes outside the frame" if verdict.frame_violations else ""
    return "; ".join(part for part in (told, broken) if part)
