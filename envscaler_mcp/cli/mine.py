"""Find the raw tasks that need a system with records, group them, and show what the library does not cover."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from envscaler_mcp.cli.lookup import home_of, settings_of
from envscaler_mcp.cli.printing import print_json, print_table, say
from envscaler_mcp.html.counts import counted

if TYPE_CHECKING:
    from envscaler_mcp.settings import Settings
    from envscaler_mcp.synthesis.topics.mining import Mined, RawTask, TopicGroup
    from envscaler_mcp.synthesis.topics.stateful import Finding

app = typer.Typer(add_completion=False)

_SHOWN = 20
_CUT = 90


@app.command()
def mine_tasks(
    ctx: typer.Context,
    tasks: Annotated[
        Path,
        typer.Argument(
            metavar="TASKS", help='The raw tasks, one per line: {"task": "…"} or plain text.', dir_okay=False
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            help="Let this model judge, at the endpoint of `envscaler synthesize`. Default: rules that cost nothing."
        ),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Show for every task why it is kept or left out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from envscaler_mcp.artifacts import Environment
    from envscaler_mcp.synthesis.topics.described import described
    from envscaler_mcp.synthesis.topics.mining import mine, read_raw_tasks

    settings, raw = settings_of(ctx), read_raw_tasks(tasks)
    home = home_of(ctx)
    cards = [Environment.read_in(home.servers / entry.id, "environment.json") for entry in home.registry.entries]
    judged = None if model is None else _judged(settings, model, raw)
    mined = mine(raw, {card.id: described(card) for card in cards}, judged)
    if as_json:
        print_json(_document(mined))
        return
    if why:
        for task, finding in zip(mined.tasks, mined.findings, strict=True):
            mark = "kept" if finding.stateful else "out "
            say(f"{mark} {finding.weight:+d}  {_short(task.text)}  ({'; '.join(finding.cues) or 'no cue'})")
        say("")
    _print(mined)


def _judged(settings: Settings, model: str, tasks: Sequence[RawTask]) -> list[Finding]:
    import anyio

    from envscaler_mcp.cli.models import Pace, reached
    from envscaler_mcp.llm import ModelParams
    from envscaler_mcp.pipeline.synthesis_run import judged_tasks

    endpoint, name = reached(settings, model, Pace(parallel=8, timeout=600), needed=True)
    answers = settings.home / "synthesis" / "mined.sqlite"
    findings, ledger = anyio.run(judged_tasks, endpoint, ModelParams(model=name), tasks, answers)
    total = ledger.total
    say(f"{name}: {total.prompt_tokens:,} tokens in, {total.completion_tokens:,} out", err=True)
    return findings


def _print(mined: Mined) -> None:
    say(
        f"{mined.stateful} of {counted(len(mined.tasks), 'task')} need a system with records; they make {counted(len(mined.groups), 'group')}.",
        bold=True,
    )
    agreement = mined.agreement
    if agreement is not None:
        say(
            f"People labelled {agreement['labelled']:.0f}: precision {agreement['precision']:.2f}, "
            f"recall {agreement['recall']:.2f}."
        )
    for title, covered in (("Covered by the library", True), ("Not covered", False)):
        groups = [group for group in mined.groups if group.covered is covered]
        tasks = sum(len(group.tasks) for group in groups)
        say(f"\n{title}: {len(groups)} groups, {tasks} tasks", bold=True)
        if groups:
            print_table(("tasks", "nearest", "words", "for example"), [_row(group) for group in groups[:_SHOWN]])
        if len(groups) > _SHOWN:
            say(f"… and {len(groups) - _SHOWN} smaller ones; --json tells all")


def _row(group: TopicGroup) -> tuple[str, str, str, str]:
    nearest = f"{group.matches[0].environment} {group.matches[0].nearness:.2f}" if group.matches else "-"
    return str(len(group.tasks)), nearest, " ".join(group.words[:4]), _short(group.tasks[0].text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CUT else f"{line[: _CUT - 1]}…"


def _document(mined: Mined) -> dict[str, Any]:
    return {
        "tasks": len(mined.tasks),
        "kept": mined.stateful,
        "agreement": mined.agreement,
        "groups": [
            {
                "words": group.words,
                "covered": group.covered,
                "matches": [{"environment": match.environment, "nearness": match.nearness} for match in group.matches],
                "tasks": [{"line": task.line, "task": task.text} for task in group.tasks],
            }
            for group in mined.groups
        ],
        "left_out": [
            {"line": task.line, "weight": finding.weight, "cues": finding.cues}
            for task, finding in zip(mined.tasks, mined.findings, strict=True)
            if not finding.stateful
        ],
    }
