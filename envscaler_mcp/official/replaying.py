"""The recorded episodes of a benchmark are played again: every move of the agent, in a world of its own, and the judge anew."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio

from envscaler_mcp.artifacts import Call, Step, Trajectory
from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.episode.agent import Action
from envscaler_mcp.episode.live import EpisodeLimits
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.user import STOP, Look, User
from envscaler_mcp.errors import ArtifactError, RunError
from envscaler_mcp.official.benchmark import BENCHMARKS, OfficialTask
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.official.world import OfficialWorld
from envscaler_mcp.runs.recording import Progress
from envscaler_mcp.runs.replaying import Replayed, Take
from envscaler_mcp.scoring.journal import RecordLocation
from envscaler_mcp.scoring.trajectory import trajectory_of


async def replay_official(
    plan: RunPlan,
    places: Mapping[str, RecordLocation],
    source: Path | None,
    parallel: int,
    take: Take,
    progress: Progress,
) -> None:
    """Replay recorded episodes. What a model said as the user is taken from the record; any other user is asked again."""
    assert plan.benchmark is not None
    if plan.benchmark.name not in BENCHMARKS:
        raise RunError(f"There is no benchmark {plan.benchmark.name!r} here.")
    with Stage.of(BENCHMARKS[plan.benchmark.name], source) as stage:
        waiting = deque(places.values())
        done = 0

        async def play_all() -> None:
            nonlocal done
            while waiting:
                replayed = await _one(stage, plan, waiting.popleft())
                await take(replayed, None, None)
                done += 1
                progress(replayed.id, done, len(places))

        async with anyio.create_task_group() as group:
            for _ in range(min(parallel, len(places))):
                group.start_soon(play_all)


async def _one(stage: Stage, plan: RunPlan, place: RecordLocation) -> Replayed:
    try:
        record = trajectory_of(place.read())
    except ArtifactError as cause:
        return Replayed(place.episode, "impossible", why=str(cause))
    task = stage.tasks.get(record.scenario)
    if task is None or record.code_digest != stage.source.digest:
        return Replayed(
            record.id,
            "impossible",
            why=f"it is of other files than those of {plan.benchmark and plan.benchmark.version}",
        )
    if record.ended in ("time", "error"):
        return Replayed(record.id, "impossible", why=f"it was ended by its {record.ended}, which is not in the record")

    def user(task: OfficialTask, world: OfficialWorld) -> User:
        return _RecordedUser(record) if stage.benchmark.needs_user_model else stage.benchmark.user(task, world, None, 0)

    moves = _moves(record)
    played = await stage.play(
        task,
        lambda _briefing, _scenario: _Recorded(moves),
        user,
        EpisodeLimits(min(plan.max_steps, len(moves)), plan.max_seconds),
    )
    return _compared(record, played.record.steps, played.final_hash, (played.verdict.reward, played.verdict.reason))


def _compared(record: Trajectory, now: list[Step], final_hash: str, worth: tuple[float, str]) -> Replayed:
    for then, step in zip(record.steps, now, strict=False):
        if (then.tool, then.observation, then.is_error) != (step.tool, step.observation, step.is_error):
            why = f"step {then.number}: the answer was {then.observation[:60]!r} and is {step.observation[:60]!r}"
            return Replayed(record.id, "different", then.number, why)
    if len(now) != len(record.steps):
        return Replayed(record.id, "different", len(now), f"it has {len(now)} steps now, and had {len(record.steps)}")
    if final_hash != record.final_hash:
        return Replayed(record.id, "different", len(now), "every step is the same, but the state at the end is another")
    if worth != (record.verdict.reward, record.verdict.reason):
        why = f"the reward was {record.verdict.reward:g} ({record.verdict.reason}) and is {worth[0]:g} ({worth[1]})"
        return Replayed(record.id, "different", len(now), why)
    return Replayed(record.id, "identical")


def _moves(record: Trajectory) -> list[Action]:
    moves = []
    for _, steps in groupby(record.steps, key=lambda step: step.turn):
        first, *more = list(steps)
        if not is_call(first):
            moves.append(Action(text=first.text))
            continue
        calls = [Call.model_construct(tool=step.tool, arguments=_arguments(step)) for step in (first, *more)]
        moves.append(Action(first.text, calls[0].tool, calls[0].arguments, tuple(calls[1:])))
    return moves


def _arguments(step: Step) -> Any:
    """As they were sent; what could not be read is for the episode to refuse again."""
    return step.malformed or dict(step.arguments)


class _Recorded:
    """Makes the moves of a record."""

    def __init__(self, moves: list[Action]) -> None:
        self._moves: Iterator[Action] = iter(moves)

    def act(self, observation: str) -> Action:  # noqa: ARG002 - it does not listen
        return next(self._moves)


class _RecordedUser:
    """Says what a model said then."""

    def __init__(self, record: Trajectory) -> None:
        self._first = str(record.messages[1]["content"]) if len(record.messages) > 1 else ""
        self._replies = iter([step.observation for step in record.steps if not is_call(step)])

    async def opening(self) -> str:
        return self._first

    async def reply(self, said: str, look: Look) -> str:  # noqa: ARG002 - the record knows
        return next(self._replies, STOP)
