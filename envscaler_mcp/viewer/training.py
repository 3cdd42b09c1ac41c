"""Runs as the points of a training, and the rows that come of one."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from envscaler_mcp.artifacts.run import PlannedEpisode
from envscaler_mcp.artifacts.scenario import LEVELS
from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.errors import EnvScalerError, RunError
from envscaler_mcp.export.episodes import export_run
from envscaler_mcp.export.filters import ExportFilter
from envscaler_mcp.export.formats import FORMATS
from envscaler_mcp.scoring.pass_at_k import grouped
from envscaler_mcp.studio.run_schemas import Figures, PassRate, RunWorld
from envscaler_mcp.studio.train_schemas import CurvePoint, RowFormat, RowsAnswer, TrainedRun, TrainingAnswer
from envscaler_mcp.viewer.run_shelf import OpenRun, RunShelf
from envscaler_mcp.viewer.summary import figures_of

MOST_RUNS = 20
MOST_WORLDS = 300
SECONDS = 12.0
"""After which no more runs are read for one answer."""
_POINTS = 20
"""Of a curve."""
_RATES = 16
_FIRST = 2
_LONGEST = 4_000
"""Characters of a row that is shown."""


def training(shelf: RunShelf) -> TrainingAnswer:
    """The latest runs that can be read."""
    cards, more = shelf.cards()
    ends = time.monotonic() + SECONDS
    made: list[TrainedRun] = []
    for card in cards:
        if card.problem or card.benchmark or len(made) == MOST_RUNS or time.monotonic() > ends:
            more += 1
            continue
        try:
            made.append(_trained(shelf.run(card.id)))
        except EnvScalerError:
            more += 1
    return TrainingAnswer(runs=tuple(reversed(made)), formats=row_formats(), more=more)


def row_formats() -> tuple[RowFormat, ...]:
    """Those that are built in."""
    return tuple(RowFormat(name=name, about=about) for name, (about, _) in EXPORT_FORMATS.items())


def _trained(run: OpenRun) -> TrainedRun:
    worlds = sorted(grouped(run.plan.episodes, "environment").items())[:MOST_WORLDS]
    return TrainedRun(
        card=run.card,
        all=_rates(run, run.plan.episodes),
        levels=_by_level(run, run.plan.episodes),
        worlds=tuple(
            RunWorld(environment=name, all=_rates(run, episodes), levels=_by_level(run, episodes))
            for name, episodes in worlds
        ),
        curve=tuple(_curve(run)),
    )


def _rates(run: OpenRun, episodes: Sequence[PlannedEpisode]) -> Figures:
    figures = figures_of(episodes, run.tally)
    rates = tuple(PassRate(**rate) for rate in figures["passing"][:_RATES])
    return Figures(**{**figures, "passing": rates})


def _by_level(run: OpenRun, episodes: Sequence[PlannedEpisode]) -> dict[str, Figures]:
    levels = grouped(episodes, "level")
    return {level: _rates(run, levels[level]) for level in LEVELS if level in levels}


def _curve(run: OpenRun) -> Iterable[CurvePoint]:
    """Means of stretches of equal length, in the order of the journal; what is masked says nothing of the agent."""
    rewards = [attempt.reward for attempt in run.tally.done.values() if not attempt.masked]
    length = -(-len(rewards) // _POINTS) or 1
    for begin in range(0, len(rewards), length):
        stretch = rewards[begin : begin + length]
        yield CurvePoint(episodes=begin + len(stretch), reward=mean(stretch))


def rows_of(run: OpenRun, asked: Mapping[str, str], folder: Path) -> RowsAnswer:
    """What `export` would write of a run now; it is written into the empty folder."""
    name, solved = asked.get("format", ""), asked.get("only", "") == "solved"
    if name not in EXPORT_FORMATS:
        raise RunError(f"A format is one of {', '.join(EXPORT_FORMATS)}.")
    _, suffixes = EXPORT_FORMATS[name]
    out = folder / f"rows{suffixes[0] if suffixes else ''}"
    exported = export_run(run.folder, run.servers, FORMATS[name], ExportFilter(solved=solved), out)
    first = _first(out) if out.suffix == ".jsonl" else ()
    target = f"train/{run.card.name}{suffixes[0] if suffixes else ''}"
    words = ["envscaler", "export", str(run.folder), "--format", name, "--out", target]
    return RowsAnswer(
        format=name,
        rows=exported.written,
        episodes=exported.episodes,
        left_out={reason: count for reason, count in exported.removed.items() if count},
        first=first,
        command=shlex.join([*words, "--only", "solved"] if solved else words).encode(errors="replace").decode(),
    )


def _first(file: Path) -> tuple[str, ...]:
    if not file.is_file():
        return ()
    with file.open(encoding="utf-8", errors="replace") as rows:
        lines = [rows.readline(_LONGEST + 1) for _ in range(_FIRST)]
    return tuple(f"{line[:_LONGEST]} …" if len(line) > _LONGEST else line.rstrip("\n") for line in lines if line)
