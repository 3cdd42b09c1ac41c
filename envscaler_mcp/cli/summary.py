"""A run in a table: what was solved where, and what failed for another reason than the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.cli.printing import print_table, say
from envscaler_mcp.html.visible import on_one_line
from envscaler_mcp.scoring.pass_at_k import GROUPS, grouped, passing
from envscaler_mcp.scoring.run_folder import Tally
from envscaler_mcp.scoring.trajectory import Attempted
from envscaler_mcp.viewer.summary import attempts_among, disturbed, failures_of, gradings, mean_reward

_SHOWN = 10


def print_summary(plan: RunPlan, tally: Tally) -> None:
    """One line for each environment, one for all, and why what was disturbed was."""
    environments = sorted({episode.environment for episode in plan.episodes})
    rows = [_row(name, plan, tally) for name in environments]
    if len(rows) > 1:
        rows.append(_row(None, plan, tally))
    print_table(
        ("environment", "episodes", "done", "solved", "reward", "masked", "steps", "agent failed", "other failures"),
        rows,
    )
    masked = sum(attempt.masked for attempt in tally.done.values())
    if masked:
        counted = len(tally.done) - masked
        say(f"Rewards and passes are of {counted} episodes; {masked} are masked, since their agent could not help it.")
    _print_passing(plan, tally)
    others = disturbed(tally)
    for attempt in others[:_SHOWN]:
        say(on_one_line(f"{attempt.id}: {attempt.owner}: {attempt.reason}"), err=True)
    if len(others) > _SHOWN:
        say(f"… and {len(others) - _SHOWN} more.", err=True)
    numbers = gradings(tally)
    if len(numbers) > 1:
        counts = ", ".join(f"{name or 'none'}: {count}" for name, count in numbers.items())
        say(f"Not all verdicts are by one grading ({counts}); `runs rescore` judges all of them by today's.", err=True)


def print_gaps(plan: RunPlan, tally: Tally, damaged: int) -> None:
    """How much of a plan is not done, and how much of the journal cannot be read."""
    missing = len(plan.episodes) - len(tally.done)
    if missing:
        who = "judging the first run anew adds" if plan.rescored else "the command that began the run plays"
        say(f"{missing} episodes are missing; {who} them.")
    if damaged:
        say(f"{damaged} stretches of the journal are damaged; what they held is played again.", err=True)


def print_attempts(attempts: Sequence[Attempted]) -> None:
    """One line for each of these."""
    rows = [
        (
            attempt.id,
            f"{attempt.reward:.3f}",
            str(attempt.steps),
            attempt.ended,
            attempt.owner or "–",
            attempt.reason or "solved",
        )
        for attempt in attempts
    ]
    print_table(("episode", "reward", "steps", "ended", "failure of", "why"), rows)
    say(f"{len(rows)} episodes.")


def _print_passing(plan: RunPlan, tally: Tally) -> None:
    """Where tasks are played more than once: how surely they are solved, for all, and by kind where there are two."""
    overall = passing(plan.episodes, tally.done)
    if len(overall) < 2:
        return
    shown = sorted(
        {1 << power for power in range(len(overall).bit_length())} & {*range(1, len(overall))} | {len(overall)}
    )
    rows = [_passing_row("all", plan.episodes, tally, shown)]
    for group in GROUPS:
        groups = grouped(plan.episodes, group)
        if len(groups) > 1:
            rows += [_passing_row(name, planned, tally, shown) for name, planned in sorted(groups.items())]
    say("")
    print_table(("", "masked", *(f"pass@{k}" for k in shown), *(f"pass^{k}" for k in shown[1:]), "failures"), rows)


def _passing_row(name: str, planned: Sequence[PlannedEpisode], tally: Tally, shown: Sequence[int]) -> list[str]:
    rates = {rate.k: rate for rate in passing(planned, tally.done)}
    done, failed = attempts_among(planned, tally)
    once = [f"{rates[k].at_least_once:.3f} of {rates[k].tasks}" if k in rates else "–" for k in shown]
    always = [f"{rates[k].every_time:.3f}" if k in rates else "–" for k in shown[1:]]
    return [name, str(sum(rate.masked for rate in done)), *once, *always, _told(failures_of([*done, *failed]))]


def _told(failures: Mapping[str, int]) -> str:
    return ", ".join(f"{owner} {count}" for owner, count in sorted(failures.items())) or "none"


def _row(environment: str | None, plan: RunPlan, tally: Tally) -> list[str]:
    planned = [episode for episode in plan.episodes if environment in (None, episode.environment)]
    done, failed = attempts_among(planned, tally)
    failures = failures_of([*done, *failed])
    agents = failures.pop("agent", 0)
    reward = mean_reward(done)
    return [
        environment or "all",
        str(len(planned)),
        str(len(done)),
        str(sum(attempt.solved for attempt in done)),
        "–" if reward is None else f"{reward:.3f}",
        str(sum(attempt.masked for attempt in done)),
        f"{mean(attempt.steps for attempt in done):.1f}" if done else "–",
        str(agents),
        _told(failures),
    ]
