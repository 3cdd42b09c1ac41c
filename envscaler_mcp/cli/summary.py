"""A run in a table: what was solved where, and what failed for another reason than the agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any

from envscaler_mcp.artifacts.run import PlannedEpisode, RunPlan
from envscaler_mcp.cli.printing import print_table, say
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.html.visible import on_one_line
from envscaler_mcp.scoring.pass_at_k import GROUPS, Group, grouped, passing
from envscaler_mcp.scoring.run_folder import Tally
from envscaler_mcp.scoring.trajectory import Attempted
from envscaler_mcp.viewer.choosing import attempts_of

_SHOWN = 10
_LISTED = 20


def disturbed(tally: Tally) -> list[Attempted]:
    """Episodes that failed for another reason than their agent."""
    return [attempt for attempt in attempts_of(tally) if attempt.owner not in (None, "agent")]


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
        judged = len(tally.done) - masked
        say(
            f"Rewards and passes are of {counted(judged, 'episode')}; {masked} {are(masked)} masked: the agent could not help it."
        )
    _print_passing(plan, tally)
    others = disturbed(tally)
    for attempt in others[:_SHOWN]:
        say(on_one_line(f"{attempt.id}: {attempt.owner}: {attempt.reason}"), err=True)
    if len(others) > _SHOWN:
        say(f"… and {len(others) - _SHOWN} more.", err=True)
    gradings = _gradings(tally)
    if len(gradings) > 1:
        counts = ", ".join(f"{name or 'none'}: {count}" for name, count in gradings.items())
        say(f"Not all verdicts are by one grading ({counts}); `runs rescore` judges all of them by today's.", err=True)


def print_gaps(plan: RunPlan, tally: Tally, damaged: int) -> None:
    """How much of a plan is not done, and how much of the journal cannot be read."""
    missing = len(plan.episodes) - len(tally.done)
    if missing:
        who = "judging the first run anew adds" if plan.rescored else "the command that began the run plays"
        say(f"{counted(missing, 'episode')} {are(missing)} missing; {who} {'it' if missing == 1 else 'them'}.")
    if damaged:
        say(
            f"{counted(damaged, 'stretch', 'stretches')} of the journal {are(damaged)} damaged; what they held is played again.",
            err=True,
        )


def print_first_attempts(attempts: Sequence[Attempted]) -> None:
    """The first of these below a summary, and how to see the others."""
    if not attempts:
        return
    say("")
    _print_lines(attempts[:_LISTED])
    others = f"{len(attempts) - _LISTED} more with --env ID, --failed or --json; " if len(attempts) > _LISTED else ""
    say(f"{others}--episode ID shows one, step by step.")


def print_attempts(attempts: Sequence[Attempted]) -> None:
    """One line for each of these."""
    _print_lines(attempts)
    say(f"{counted(len(attempts), 'episode')}.")


def _print_lines(attempts: Sequence[Attempted]) -> None:
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


def summary_of(plan: RunPlan, tally: Tally, listed: Sequence[Attempted] | None = None) -> dict[str, Any]:
    """The same for programs; with a line for each episode, or for those that are to be listed."""
    done = tally.done.values()
    return {
        "agent": plan.agent,
        "via": plan.via,
        "scoring": plan.scoring,
        "rescored": plan.rescored,
        "gradings": _gradings(tally),
        "planned": len(plan.episodes),
        "done": len(tally.done),
        "solved": sum(attempt.solved for attempt in done),
        "reward": _reward(list(done)),
        "masked": sum(attempt.masked for attempt in done),
        "failures": _failures([*done, *tally.failed.values()]),
        "passing": [asdict(rate) for rate in passing(plan.episodes, tally.done)],
        **{f"by_{group}": _by(group, plan, tally) for group in GROUPS},
        "episodes": [
            {
                "id": attempt.id,
                "environment": attempt.environment,
                "reward": attempt.reward,
                "solved": attempt.solved,
                "owner": attempt.owner,
                "reason": attempt.reason,
                "grading": attempt.grading,
                "steps": attempt.steps,
                "ended": attempt.ended,
                "attempts": tally.attempts[attempt.id],
            }
            for attempt in (attempts_of(tally) if listed is None else listed)
        ],
    }


def _gradings(tally: Tally) -> dict[str, int]:
    """How many of the verdicts that count were given under each number; those of one number are comparable."""
    return dict(sorted(Counter(attempt.grading.rpartition("/")[2] for attempt in tally.done.values()).items()))


def _by(group: Group, plan: RunPlan, tally: Tally) -> dict[str, Any]:
    groups = sorted(grouped(plan.episodes, group).items())
    return {name: _figures(planned, tally) for name, planned in groups}


def _figures(planned: Sequence[PlannedEpisode], tally: Tally) -> dict[str, Any]:
    done, failed = _attempts(planned, tally)
    return {
        "planned": len(planned),
        "done": len(done),
        "masked": sum(attempt.masked for attempt in done),
        "solved": sum(attempt.solved for attempt in done),
        "reward": _reward(done),
        "failures": _failures([*done, *failed]),
        "passing": [asdict(rate) for rate in passing(planned, tally.done)],
    }


def _attempts(planned: Sequence[PlannedEpisode], tally: Tally) -> tuple[list[Attempted], list[Attempted]]:
    """Those that are done, and those that the machine kept from being played."""
    done = [tally.done[episode.id] for episode in planned if episode.id in tally.done]
    return done, [tally.failed[episode.id] for episode in planned if episode.id in tally.failed]


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
    done, failed = _attempts(planned, tally)
    once = [f"{rates[k].at_least_once:.3f} of {rates[k].tasks}" if k in rates else "–" for k in shown]
    always = [f"{rates[k].every_time:.3f}" if k in rates else "–" for k in shown[1:]]
    return [name, str(sum(rate.masked for rate in done)), *once, *always, _told(_failures([*done, *failed]))]


def _told(failures: Mapping[str, int]) -> str:
    return ", ".join(f"{owner} {count}" for owner, count in sorted(failures.items())) or "none"


def _row(environment: str | None, plan: RunPlan, tally: Tally) -> list[str]:
    planned = [episode for episode in plan.episodes if environment in (None, episode.environment)]
    done, failed = _attempts(planned, tally)
    failures = _failures([*done, *failed])
    agents = failures.pop("agent", 0)
    reward = _reward(done)
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


def _reward(done: Sequence[Attempted]) -> float | None:
    """The mean over what is not masked: an episode that something else spoilt says nothing about the agent."""
    counted = [attempt.reward for attempt in done if not attempt.masked]
    return mean(counted) if counted else None


def _failures(attempts: Sequence[Attempted]) -> dict[str, int]:
    owners = [attempt.owner for attempt in attempts if attempt.owner is not None]
    return {str(owner): owners.count(owner) for owner in owners}
