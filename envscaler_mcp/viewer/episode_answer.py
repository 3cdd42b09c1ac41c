"""One recorded episode as the studio shows it: what was said and called, and which checks held after each step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from envscaler_mcp.artifacts import Call, Step
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.studio.comparing import CallKey, call_key
from envscaler_mcp.studio.reasons import RefusalReasons
from envscaler_mcp.studio.run_schemas import EpisodeAnswer, EpisodeRow, RunStep
from envscaler_mcp.studio.schemas import CheckLamp, RecordedCall
from envscaler_mcp.studio.shortened import JsonText, bounded
from envscaler_mcp.viewer.milestones import Milestone
from envscaler_mcp.viewer.packing import opening_of, task_of
from envscaler_mcp.viewer.review import Review, Reviewed

MOST_STEPS = 1_000
MOST_SHOWN = 4 << 20
"""Characters of all steps; later ones are left out."""
MOST_PART = 48 * 1024
"""Characters of the arguments or of the answer of one call."""
MOST_WORDS = 20_000
"""Characters of what was said or thought at once."""
MOST_PATHS = 200
"""Changes outside of the frame."""


def episode_answer(run: str, row: EpisodeRow, reviewed: Reviewed, review: Review) -> EpisodeAnswer:
    """An episode with what this home knows about its task."""
    episode, scenario = reviewed.episode, reviewed.scenario
    verdict = episode.verdict
    rules, reasons = _known(review, episode.environment)
    words = [check.check_item for check in scenario.checks] if scenario else [""] * len(verdict.checks)
    at_end = {place for place, holds in enumerate(verdict.checks, 1) if holds}
    marks = {mark.step: mark for mark in reviewed.milestones}
    at_start = _before(at_end, reviewed.milestones)
    steps, more = _steps(episode.steps, marks, at_start, reasons)
    first = {message["role"]: str(message.get("content", "")) for message in reversed(opening_of(episode))}
    return EpisodeAnswer(
        row=row,
        run=run,
        agent=episode.agent,
        user=episode.user,
        mode=episode.mode,
        seed=episode.seed,
        attempt=episode.attempt,
        system=_cut(first.get("system", "")),
        task=_cut(task_of(reviewed) if reviewed.scenario and episode.mode == "task" else first.get("user", "")),
        scoring=verdict.scoring,
        frame_violations=verdict.frame_violations[:MOST_PATHS],
        checks=tuple(
            CheckLamp(words=_cut(text), holds=place in at_end) for place, text in enumerate(words[:MOST_STEPS], 1)
        ),
        holds=tuple(sorted(at_start)),
        rules=rules,
        steps=steps,
        more_steps=more,
        unsure=_cut(reviewed.unsure),
        unreadable=_cut(reviewed.unreadable),
        playable=scenario is not None,
    )


def _known(review: Review, environment: str) -> tuple[tuple[str, ...], RefusalReasons]:
    try:
        return review.card(environment).rules, review.reasons(environment)
    except EnvScalerError:
        return (), RefusalReasons(())


def _before(at_end: set[int], marks: Sequence[Milestone]) -> set[int]:
    """The checks that held at the start: those of the end without what turned."""
    held = set(at_end)
    for mark in reversed(marks):
        held = (held - set(mark.turned_true)) | set(mark.turned_false)
    return held


def _steps(
    steps: Sequence[Step], marks: Mapping[int, Milestone], at_start: set[int], reasons: RefusalReasons
) -> tuple[tuple[RunStep, ...], int]:
    held, shown, size = set(at_start), [], 0
    for place, step in enumerate(islice(steps, MOST_STEPS), 1):
        mark = marks.get(place, Milestone(place, ()))
        held = (held | set(mark.turned_true)) - set(mark.turned_false)
        made = _step(place, step, mark, held, reasons)
        size += len(made.model_dump_json())
        if size > MOST_SHOWN:
            break
        shown.append(made)
    return tuple(shown), len(steps) - len(shown)


def _step(place: int, step: Step, mark: Milestone, held: set[int], reasons: RefusalReasons) -> RunStep:
    called = is_call(step) or bool(step.arguments)
    return RunStep(
        place=place,
        turn=step.turn or place,
        says=_cut(step.text),
        thinks=_cut(step.reasoning),
        call=_call(place, step, reasons) if called else None,
        hears="" if called else _cut(step.observation),
        milliseconds=step.milliseconds if math.isfinite(step.milliseconds) else 0.0,
        holds=tuple(sorted(held)),
        turned_true=mark.turned_true,
        turned_false=mark.turned_false,
    )


def _call(place: int, step: Step, reasons: RefusalReasons) -> RecordedCall:
    parts: dict[str, Any] = {
        "arguments": step.malformed or step.arguments,
        "result": JsonText(step.observation),
        "diff": step.diff.model_dump(mode="json"),
    }
    shown = bounded(parts, MOST_PART)
    error = shown["result"].get("error") if step.is_error and isinstance(shown["result"], dict) else None
    return RecordedCall(
        number=place,
        by="agent",
        tool=step.tool[:MOST_WORDS],
        arguments=shown["arguments"],
        kind=_kind(step, refused=reasons.refuses(step.tool, error)),
        result=shown["result"],
        diff=shown["diff"],
        shortened=shown.get("shortened", {}),
        rule=reasons.rule(error),
        condition=reasons.condition(step.tool, error),
    )


def _kind(step: Step, *, refused: bool) -> str:
    if step.disturbed:
        return "limited"
    return "done" if not step.is_error else "refused" if refused else "invalid"


def call_keys(steps: Sequence[Step]) -> list[CallKey | None]:
    """For each step the call that it was, in the world's own words; nothing where the agent only spoke."""
    return [_key(step.meant or step) if is_call(step) or step.arguments else None for step in steps]


def _key(call: Call | Step) -> CallKey:
    return call_key(call.tool, call.arguments)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]} … ({len(text):,} characters)"
