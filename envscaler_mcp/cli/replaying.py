"""Recorded episodes, played again to compare the results, or judged again."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import registry_if_any, servers_of
from envscaler_mcp.cli.printing import print_json, progress_bar, say
from envscaler_mcp.config.choices import Scoring, Via
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Trajectory
    from envscaler_mcp.runs.replaying import Ending, Replayed
    from envscaler_mcp.runs.rescoring import Rescored
    from envscaler_mcp.scoring.trajectory import Attempted

_SHOWN = 10

Run = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.", exists=True, file_okay=False)]
Ways = Annotated[Via, typer.Option(help="How worlds are reached.")]
Parallel = Annotated[int, typer.Option(help="How many episodes are played at the same time.", min=1, max=64)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def replay(
    ctx: typer.Context,
    folder: Run,
    episode: Annotated[str, typer.Option(metavar="ID", help="Only this episode, or the episodes of this task.")] = "",
    via: Ways = "direct",
    parallel: Parallel = 2,
    source: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder with the official files of a benchmark that was played."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Repeat every recorded call in a new world; exit 1 unless all results are identical."""
    import anyio

    from envscaler_mcp.cli.summary import print_gaps
    from envscaler_mcp.runs import WorldHome
    from envscaler_mcp.runs.replaying import replay_run
    from envscaler_mcp.scoring.run_folder import places_of, read_places
    from envscaler_mcp.scoring.task_file import TaskFile

    plan, tally, damaged, recorded = read_places(folder)
    places = {name: place for name, place in recorded.items() if place.counts}
    if episode:
        places = places_of(plan, places, episode)
        if not places:
            raise typer.BadParameter(f"no episode {episode!r} is done in {folder}", param_hint="--episode")
    counts: Counter[str] = Counter()
    others: list[Replayed] = []

    async def take(replayed: Replayed, _record: Trajectory | None, _ending: Ending | None) -> None:
        counts[replayed.outcome] += 1
        if replayed.outcome != "identical":
            others.append(replayed)

    with progress_bar("replaying") as progress:
        if plan.benchmark is not None:
            from envscaler_mcp.official.replaying import replay_official

            anyio.run(replay_official, plan, places, source, parallel, take, progress)
        else:
            with WorldHome.at(servers_of(ctx), registry_if_any(ctx), TaskFile.of_run(folder)) as farm:
                anyio.run(replay_run, farm, plan, places, via, parallel, take, progress)
    others.sort(key=lambda replayed: (replayed.outcome, replayed.id))
    if as_json:
        print_json({
            **{name: counts[name] for name in ("identical", "different", "impossible")},
            "missing": len(plan.episodes) - len(tally.done),
            "damaged": damaged,
            "episodes": [{"id": replayed.id, "outcome": replayed.outcome, "step": replayed.step, "why": replayed.why} for replayed in others],
        })  # fmt: skip
    else:
        for replayed in others:
            how = "cannot be replayed: " if replayed.outcome == "impossible" else ""
            say(on_one_line(f"{replayed.id}: {how}{replayed.why}"), err=True)
        say(
            f"{counts['identical']} of {counted(len(places), 'episode')} {are(counts['identical'])} identical, {counts['different']} differ, "
            f"{counts['impossible']} cannot be replayed."
        )
        print_gaps(plan, tally, damaged)
    raise typer.Exit(0 if 0 < counts["identical"] == len(places) else 1)


def rescore(
    ctx: typer.Context,
    folder: Run,
    scoring: Annotated[Scoring | None, typer.Option(help="The scoring rule. Default: the run's.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder of the new run. Default: DIR-rescored-RULE-GRADING.", file_okay=False),
    ] = None,
    via: Ways = "direct",
    parallel: Parallel = 2,
    as_json: AsJson = False,
) -> None:
    """Judge every final state again, into another run folder; exit 1 if a final state could not be reached."""
    import anyio

    from envscaler_mcp.grading.reward import GRADING
    from envscaler_mcp.runs import WorldHome
    from envscaler_mcp.runs.rescoring import rescore_run, rescored_folder
    from envscaler_mcp.scoring.run_folder import read_plan
    from envscaler_mcp.scoring.task_file import TaskFile

    if (played := read_plan(folder)).benchmark is not None:
        raise typer.BadParameter(
            f"{folder} is a run of {played.benchmark.name}, which its authors' code judges; `runs replay` asks that again",
            param_hint="DIR",
        )
    target = out or rescored_folder(folder, scoring)
    if target.resolve() == folder.resolve():
        raise typer.BadParameter("a run is never changed; choose another folder", param_hint="--out")
    with (
        WorldHome.at(servers_of(ctx), registry_if_any(ctx), TaskFile.of_run(folder)) as farm,
        progress_bar("judging") as progress,
    ):
        judge = partial(rescore_run, farm, folder, target, scoring, via, parallel, progress)
        try:
            rescored = anyio.run(judge)
        except KeyboardInterrupt:
            say(f"Verdicts so far are stored in {target}; the same command judges the rest.", err=True)
            raise
    if as_json:
        print_json({**_figures(rescored), "out": str(target)})
    else:
        _print_rescored(rescored)
        say(f"What {GRADING} says of them is in {target}.")
    raise typer.Exit(1 if rescored.not_judged else 0)


def _print_rescored(rescored: Rescored) -> None:
    from envscaler_mcp.cli.summary import print_gaps

    for then, now in rescored.changed[:_SHOWN]:
        say(on_one_line(f"{now.id}: {_short(then)} → {_short(now)}"))
    if len(rescored.changed) > _SHOWN:
        say(f"… and {len(rescored.changed) - _SHOWN} more.")
    for name, why in sorted(rescored.not_judged.items())[:_SHOWN]:
        say(on_one_line(f"{name} is not judged: {why}"), err=True)
    if len(rescored.not_judged) > _SHOWN:
        say(f"… and {len(rescored.not_judged) - _SHOWN} more.", err=True)
    figures = _figures(rescored)
    say(
        f"{figures['changed']} of {figures['judged']} verdicts changed: {figures['solved_now']} solved now, "
        f"{figures['solved_no_longer']} no longer; reward higher in {figures['higher']}, lower in {figures['lower']}; "
        f"{len(rescored.not_judged)} could not be judged anew."
    )
    print_gaps(rescored.plan, rescored.before, rescored.damaged)


def _figures(rescored: Rescored) -> dict[str, Any]:
    from envscaler_mcp.grading.reward import GRADING

    changed = rescored.changed
    return {
        "grading": GRADING,
        "judged": len(rescored.judged),
        "changed": len(changed),
        "solved_now": sum(now.solved > then.solved for then, now in changed),
        "solved_no_longer": sum(now.solved < then.solved for then, now in changed),
        "higher": sum(now.reward > then.reward for then, now in changed),
        "lower": sum(now.reward < then.reward for then, now in changed),
        "episodes": [{"id": now.id, "before": _worth(then), "after": _worth(now)} for then, now in changed],
        "not_judged": rescored.not_judged,
        "missing": len(rescored.plan.episodes) - len(rescored.before.done),
        "damaged": rescored.damaged,
    }


def _worth(attempt: Attempted) -> dict[str, Any]:
    return {"reward": attempt.reward, "solved": attempt.solved, "owner": attempt.owner, "reason": attempt.reason}


def _short(attempt: Attempted) -> str:
    return f"reward {attempt.reward:g} ({attempt.reason or 'solved'})"
