"""Runs of benchmarks as the paper's table has them, beside its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.errors import RunError
from envscaler_mcp.official.benchmark import BENCHMARKS, Benchmark
from envscaler_mcp.scoring.run_folder import Tally, read_run, read_trajectories


@dataclass(frozen=True, slots=True)
class BenchmarkScore:
    """What a run scored."""

    folder: str
    benchmark: str
    version: str
    agent: str
    user: str
    calls: str
    """Any but `native` where the agent's model wrote its calls, and the authors' code read them."""
    categories: Mapping[str, float | None]
    """Percent solved of the episodes that count, by category; nothing where none was played."""
    score: float | None
    """The mean of the benchmark's default categories; nothing while one is missing."""
    done: int
    planned: int
    masked: int
    """Episodes that count neither way, because the machine or the user failed."""
    figures: Mapping[str, float]
    """What else the judge measured: the mean in percent of the same episodes, by name."""


def read_scores(folders: Sequence[Path]) -> list[BenchmarkScore]:
    """The scores of those folders that are runs of a benchmark."""
    scores = []
    for folder in folders:
        plan, tally, _ = read_run(folder)
        if plan.benchmark is not None:
            scores.append(_score(folder, plan, tally))
    if not scores:
        raise RunError("None of these is a run of a benchmark; `envscaler bench run` makes one.")
    return scores


def _score(folder: Path, plan: RunPlan, tally: Tally) -> BenchmarkScore:
    assert plan.benchmark is not None
    benchmark = benchmark_of(plan.benchmark.name)
    by_category = {name: _solved(f"{benchmark.name}-{name}", tally) for name in benchmark.categories}
    figures = [figure for name in benchmark.default_categories if (figure := by_category[name]) is not None]
    whole = len(figures) == len(benchmark.default_categories) and len(tally.done) == len(plan.episodes)
    return BenchmarkScore(
        folder=str(folder),
        benchmark=benchmark.name,
        version=plan.benchmark.version,
        agent=plan.agent,
        user=plan.user,
        calls=plan.benchmark.calls,
        categories=by_category,
        score=mean(figures) if whole else None,
        done=len(tally.done),
        planned=len(plan.episodes),
        masked=sum(attempt.masked for attempt in tally.done.values()),
        figures=_figures(folder, [f"{benchmark.name}-{name}" for name in benchmark.default_categories]),
    )


def _figures(folder: Path, environments: Sequence[str]) -> dict[str, float]:
    measured: dict[str, list[float]] = {}
    for record in read_trajectories(folder):
        if record.environment in environments and not record.verdict.masked:
            for name, figure in record.verdict.figures.items():
                measured.setdefault(name, []).append(figure)
    return {name: 100 * mean(figures) for name, figures in measured.items()}


def _solved(environment: str, tally: Tally) -> float | None:
    counting = [
        attempt.reward for attempt in tally.done.values() if attempt.environment == environment and not attempt.masked
    ]
    return 100 * mean(counting) if counting else None


def benchmark_of(name: str) -> Benchmark:
    """The benchmark of a run."""
    if name not in BENCHMARKS:
        raise RunError(f"There is no benchmark {name!r} here.")
    return BENCHMARKS[name]
