"""What the studio shows of recorded runs, as JSON: figures, lists, episodes, and what stands beside what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, TypeVar

from envscaler_mcp.artifacts import Scenario, State
from envscaler_mcp.artifacts.run import PlannedEpisode
from envscaler_mcp.artifacts.scenario import LEVELS
from envscaler_mcp.errors import RunError
from envscaler_mcp.scoring.pass_at_k import grouped, passing
from envscaler_mcp.scoring.trajectory import Attempted
from envscaler_mcp.studio.comparing import parting, side_by_side
from envscaler_mcp.studio.run_schemas import (
    CHANGES,
    OUTCOMES,
    Change,
    ComparedRow,
    EpisodeAnswer,
    EpisodeComparison,
    EpisodeList,
    EpisodeRow,
    Figures,
    Outcome,
    PassRate,
    RunAnswer,
    RunComparison,
    RunList,
    RunWorld,
    StepPair,
)
from envscaler_mcp.studio.schemas import TablesAnswer
from envscaler_mcp.studio.tables import tables_of
from envscaler_mcp.viewer.choosing import attempts_of
from envscaler_mcp.viewer.episode_answer import call_keys, episode_answer
from envscaler_mcp.viewer.milestones import state_after
from envscaler_mcp.viewer.oracle import ORACLE, played_by_oracle
from envscaler_mcp.viewer.review import Reviewed
from envscaler_mcp.viewer.run_shelf import NoRunError, OpenRun, RunShelf
from envscaler_mcp.viewer.summary import figures_of, gradings

PAGE = 200
"""Rows of one answer."""
MOST_WORLDS = 1_000
MOST_RATES = 100
MOST_REPLAYED = 2_000
"""Calls before a step at which a world is opened."""
_LONGEST = 600
"""Characters of a reason or an id in a list."""

T = TypeVar("T")


def run_list(shelf: RunShelf) -> RunList:
    """All that there are."""
    cards, more = shelf.cards()
    return RunList(folder=str(shelf.root).encode(errors="replace").decode(), runs=cards, more=more)


def run_answer(run: OpenRun) -> RunAnswer:
    """A run in figures."""
    plan, tally = run.plan, run.tally
    worlds = sorted(grouped(plan.episodes, "environment").items())
    rates = passing(plan.episodes, tally.done)
    return RunAnswer(
        card=run.card,
        all=_figures(run, plan.episodes),
        levels=_by_level(run, plan.episodes),
        worlds=tuple(
            RunWorld(environment=name, all=_figures(run, episodes), levels=_by_level(run, episodes))
            for name, episodes in worlds[:MOST_WORLDS]
        ),
        more_worlds=max(0, len(worlds) - MOST_WORLDS),
        passing=tuple(PassRate(**asdict(rate)) for rate in rates[:MOST_RATES]),
        gradings=gradings(tally),
        damaged=run.damaged,
        outcomes=dict(Counter(map(outcome_of, attempts_of(tally)))),
    )


def _figures(run: OpenRun, episodes: Sequence[PlannedEpisode]) -> Figures:
    figures = figures_of(episodes, run.tally)
    return Figures(**{**figures, "passing": ()})


def _by_level(run: OpenRun, episodes: Iterable[PlannedEpisode]) -> dict[str, Figures]:
    levels = grouped(episodes, "level")
    return {level: _figures(run, levels[level]) for level in LEVELS if level in levels}


def outcome_of(attempt: Attempted) -> Outcome:
    """How it ended, in one word."""
    if attempt.solved:
        return "solved"
    return "failed" if attempt.owner in (None, "agent") else "disturbed"


def episode_list(run: OpenRun, asked: Mapping[str, str]) -> EpisodeList:
    """The episodes that fit, by their ids."""
    words = asked.get("search", "").lower().split()
    rows = [
        (attempt, run.planned.get(attempt.id))
        for attempt in attempts_of(run.tally)
        if asked.get("environment", "") in ("", attempt.environment)
        and asked.get("outcome", "") in ("", outcome_of(attempt))
        and asked.get("level", "") in ("", _level(run.planned.get(attempt.id)))
        and _has(words, attempt)
    ]
    shown, offset = _page(rows, asked)
    return EpisodeList(episodes=tuple(_row(*row) for row in shown), total=len(rows), offset=offset)


def _has(words: Sequence[str], attempt: Attempted) -> bool:
    text = f"{attempt.id}\n{attempt.environment}\n{attempt.reason}".lower() if words else ""
    return all(word in text for word in words)


def _page(rows: Sequence[T], asked: Mapping[str, str]) -> tuple[Sequence[T], int]:
    text = asked.get("offset", "0")
    offset = int(text) if text.isdecimal() and len(text) < 10 else 0
    return rows[offset : offset + PAGE], offset


def _level(planned: PlannedEpisode | None) -> str:
    return (planned.level or "") if planned is not None else ""


def _row(attempt: Attempted, planned: PlannedEpisode | None) -> EpisodeRow:
    return EpisodeRow(
        id=attempt.id,
        scenario="" if planned is None else planned.scenario[:_LONGEST],
        environment=attempt.environment[:_LONGEST],
        level=_level(planned),
        split=(planned.split or "") if planned is not None else "",
        repetition=0 if planned is None else planned.repetition,
        outcome=outcome_of(attempt),
        reward=attempt.reward,
        owner=attempt.owner or "",
        reason=attempt.reason[:_LONGEST],
        steps=attempt.steps,
        ended=attempt.ended[:_LONGEST],
        masked=attempt.masked,
    )


def _row_of(run: OpenRun, id_: str) -> EpisodeRow:
    attempt = run.tally.done.get(id_) or run.tally.failed.get(id_)
    if attempt is None:
        raise NoRunError("There is no such episode in this run.")
    return _row(attempt, run.planned.get(id_))


def one_episode(run: OpenRun, id_: str) -> EpisodeAnswer:
    """The episode of that id, step by step."""
    row = _row_of(run, id_)
    return episode_answer(run.card.id, row, run.review.of(run.record(id_)), run.review)


def tables_after(run: OpenRun, id_: str, after: int, *, solution: bool = False) -> TablesAnswer:
    """The state after so many steps of an episode, or of the solution of its task, made again from what was recorded."""
    reviewed = _reviewed(run, id_)
    if solution:
        reviewed = played_by_oracle(run.review, reviewed)
    assert reviewed.scenario is not None
    initial = run.review.initial(reviewed.scenario)
    episode = reviewed.episode
    state, reached = state_after(episode.steps, initial, episode.final_hash, after)
    if reached < min(after, len(episode.steps)):
        raise RunError(f"What step {reached + 1} changed is not in the state made again, so none is shown after it.")
    return tables_of(state)


def _reviewed(run: OpenRun, id_: str) -> Reviewed:
    """An episode whose task this home still has."""
    reviewed = run.review.of(run.record(id_))
    if reviewed.scenario is None:
        why = reviewed.unreadable or reviewed.unsure or "its task is not one of this home"
        raise RunError(f"The worlds of this episode cannot be shown: {why}")
    return reviewed


# Comparing


def run_comparison(left: OpenRun, right: OpenRun, asked: Mapping[str, str]) -> RunComparison:
    """Two runs, task by task; which of them solved it."""
    rows = _compared(left, right)
    words = asked.get("search", "").lower().split()
    wanted = [
        (change, key, ids)
        for change, key, ids in rows
        if asked.get("change", "") in ("", change) and all(word in key[0].lower() for word in words)
    ]
    shown, offset = _page(wanted, asked)
    counts = Counter(change for change, _, _ in rows)
    return RunComparison(
        left=left.card,
        right=right.card,
        left_all=_figures(left, left.plan.episodes),
        right_all=_figures(right, right.plan.episodes),
        changes={change: counts[change] for change in CHANGES},
        rows=tuple(_compared_row(left, right, *row) for row in shown),
        total=len(wanted),
        offset=offset,
    )


_Key = tuple[str, str, int]
"""Scenario, its digest, repetition: what two runs have in common."""


def _compared(left: OpenRun, right: OpenRun) -> list[tuple[Change, _Key, tuple[str, str]]]:
    ids = [{_key(episode): episode.id for episode in run.plan.episodes} for run in (left, right)]
    rows: list[tuple[Change, _Key, tuple[str, str]]] = []
    for key in dict.fromkeys((*ids[0], *ids[1])):
        both = ids[0].get(key, ""), ids[1].get(key, "")
        rows.append((_change(left.tally.done.get(both[0]), right.tally.done.get(both[1])), key, both))
    # What is not the same in both is looked for.
    return sorted(rows, key=lambda row: (CHANGES.index(row[0]), row[1]))


def _key(episode: PlannedEpisode) -> _Key:
    return episode.scenario, episode.scenario_digest, episode.repetition


def _change(left: Attempted | None, right: Attempted | None) -> Change:
    if left is None or right is None:
        return "missing"
    names: dict[tuple[bool, bool], Change] = {
        (True, True): "both",
        (True, False): "left",
        (False, True): "right",
        (False, False): "neither",
    }
    return names[left.solved, right.solved]


def _compared_row(left: OpenRun, right: OpenRun, change: Change, key: _Key, ids: tuple[str, str]) -> ComparedRow:
    planned = left.planned.get(ids[0]) or right.planned[ids[1]]
    there = [_row_of(run, id_) if id_ in run.places else None for run, id_ in ((left, ids[0]), (right, ids[1]))]
    return ComparedRow(
        scenario=key[0][:_LONGEST],
        environment=planned.environment[:_LONGEST],
        level=_level(planned),
        repetition=key[2],
        change=change,
        left=there[0],
        right=there[1],
    )


def episode_comparison(run: OpenRun, id_: str, other: OpenRun | None) -> EpisodeComparison:
    """An episode beside the same task in another run, or beside the solution of its task."""
    left_reviewed = run.review.of(run.record(id_))
    left = episode_answer(run.card.id, _row_of(run, id_), left_reviewed, run.review)
    if other is None:
        right_reviewed = played_by_oracle(run.review, _reviewed(run, id_))
        row = left.row.model_copy(update=_solved_row(right_reviewed))
        right = episode_answer(ORACLE, row, right_reviewed, run.review)
    else:
        same = _same_task(run, id_, other)
        right_reviewed = other.review.of(other.record(same))
        right = episode_answer(other.card.id, _row_of(other, same), right_reviewed, other.review)
    reviewed = ((left, left_reviewed), (right, right_reviewed))
    sides = [call_keys(played.episode.steps[: len(answer.steps)]) for answer, played in reviewed]
    rows = side_by_side(*sides)
    calls = [[key for key in side if key is not None] for side in sides]
    return EpisodeComparison(
        left=left,
        right=right,
        rows=tuple(StepPair(left=one_side, right=side, same=same_) for one_side, side, same_ in rows),
        parts_at=parting(calls, ended=True),
    )


def _solved_row(played: Reviewed) -> dict[str, Any]:
    verdict = played.episode.verdict
    return {
        "id": played.episode.id,
        "outcome": OUTCOMES[0] if verdict.solved else OUTCOMES[1],
        "reward": verdict.reward,
        "owner": verdict.owner or "",
        "reason": verdict.reason[:_LONGEST],
        "steps": len(played.episode.steps),
        "ended": "completed",
        "masked": False,
    }


def _same_task(run: OpenRun, id_: str, other: OpenRun) -> str:
    planned = run.planned.get(id_)
    ids = {_key(episode): episode.id for episode in other.plan.episodes}
    same = "" if planned is None else ids.get(_key(planned), "")
    if same not in other.places:
        raise NoRunError("The other run has no episode of this task.")
    return same


# Playing on


@dataclass(frozen=True, slots=True)
class StepStart:
    """How a world comes to be as it was before a step."""

    environment: str
    scenario: Scenario
    state: State | None
    """Where the task begins that lies in no server folder."""
    calls: tuple[tuple[str, Mapping[str, Any], str | None], ...]
    """Each with the answer that was recorded; nothing of one in a dialect or disturbed, where a world answers in its own words."""


def step_start(run: OpenRun, id_: str, step: int) -> StepStart:
    """The task of an episode, and the calls before a step."""
    reviewed = _reviewed(run, id_)
    scenario, steps = reviewed.scenario, reviewed.episode.steps
    assert scenario is not None
    if step > len(steps) + 1:
        raise RunError(f"This episode has {len(steps)} steps.")
    before = islice(steps, step - 1)
    calls: tuple[tuple[str, Mapping[str, Any], str | None], ...]
    if reviewed.episode.dialect or reviewed.episode.disturbances:
        meant = (each.meant for each in before)
        calls = tuple((call.tool, call.arguments, None) for call in meant if call is not None)
    else:
        calls = tuple(
            (each.tool, each.arguments, each.observation) for each in before if each.tool and not each.malformed
        )
    if len(calls) > MOST_REPLAYED:
        raise RunError(f"{len(calls):,} calls stand before this step; at most {MOST_REPLAYED:,} are made again.")
    return StepStart(scenario.environment, scenario, run.review.start(scenario), calls)
