"""Make environments of raw tasks with a model: mined, written, tried, mended, admitted and given proven scenarios."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import anyio
import typer

from envscaler_mcp.artifacts import digest_of
from envscaler_mcp.cli.lookup import settings_of
from envscaler_mcp.cli.models import Pace, price_at, reached
from envscaler_mcp.cli.printing import print_json, print_table, say
from envscaler_mcp.errors import EmitError
from envscaler_mcp.html.visible import on_one_line
from envscaler_mcp.llm import Ledger, ModelParams
from envscaler_mcp.pipeline.synthesis_run import RunOptions, report, synthesis_run
from envscaler_mcp.pipeline.synthesizing import Step, Synthesis
from envscaler_mcp.pipeline.wanted import Wanted
from envscaler_mcp.synthesis.topics.mining import read_raw_tasks

app = typer.Typer(add_completion=False)


@app.command()
def synthesize_servers(
    ctx: typer.Context,
    tasks: Annotated[
        Path, typer.Option("--tasks", metavar="FILE", help='One task a line: {"task": "…"}, or plain text.')
    ],
    environments: Annotated[int, typer.Option(min=1, help="How many environments at most.")] = 5,
    scenarios: Annotated[int, typer.Option(min=1, help="How many scenarios of each.")] = 10,
    model: Annotated[str | None, typer.Option(help="The model; else that of the settings file.")] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Dollars that may be spent, earlier starts of the run included.")
    ] = None,
    price: Annotated[
        str | None, typer.Option(metavar="IN,OUT[,CACHED]", help="Dollars for a million tokens of the model.")
    ] = None,
    prices: Annotated[Path | None, typer.Option(metavar="FILE", help="A table of prices by model.")] = None,
    style: Annotated[
        Literal["blueprint", "code"],
        typer.Option(help="Written as blueprints that are compiled, or as classes, one operation at a time."),
    ] = "blueprint",
    plan: Annotated[
        Literal["first", "task"],
        typer.Option(
            help="What scenarios begin with: a plan that was tried and is then put into words, or a task in words "
            "that a solver then must solve."
        ),
    ] = "first",
    judge: Annotated[
        Literal["model", "local"], typer.Option(help="Who says which tasks need records; local costs nothing.")
    ] = "model",
    embeddings: Annotated[
        str, typer.Option(metavar="MODEL", help="Let this model say how near topics are; else their words do.")
    ] = "",
    reword: Annotated[bool, typer.Option(help="Tell tasks in the model's words.")] = True,
    repairs: Annotated[int, typer.Option(min=0, help="How often what the judge found is mended.")] = 2,
    parallel: Annotated[int, typer.Option(min=1, help="How many questions are asked at once.")] = 8,
    temperature: Annotated[float | None, typer.Option(min=0, max=2, help="Left to the endpoint by default.")] = None,
    max_tokens: Annotated[int, typer.Option(min=256, help="How long an answer may be.")] = 32_000,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds until an answer is given up.")] = 600,
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Prompts of your own, in the place of those of the same name.")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where answers are kept; a run goes on where its folder is.")
    ] = None,
    record: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the whole run down there.")] = None,
    replay: Annotated[Path | None, typer.Option(metavar="DIR", help="Play a recorded run; no model is asked.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    if record is not None and replay is not None:
        raise typer.BadParameter("a run is recorded or replayed, not both", param_hint="--record")
    settings = settings_of(ctx)
    raw = read_raw_tasks(tasks)
    endpoint, name = reached(settings, model, Pace(parallel=parallel, timeout=timeout), needed=replay is None)
    wanted = Wanted(
        environments=environments,
        scenarios=scenarios,
        style=style,
        plan=plan,
        judge=judge,
        embeddings=embeddings,
        reword=reword,
        repairs=repairs,
    )
    options = RunOptions(
        wanted=wanted,
        asking=ModelParams(model=name, temperature=temperature, max_tokens=max_tokens),
        endpoint=endpoint,
        price=price_at(settings, name, price, prices),
        budget=budget,
        prompts=prompts,
        mode="record" if record is not None else "replay" if replay is not None else "live",
        recording=record or replay,
    )
    folder = run or settings.home / "synthesis" / digest_of([[task.text for task in raw], name, style, plan])[7:19]
    if run is None and (folder.is_symlink() or folder.parent.is_symlink()):
        raise EmitError(f"{str(folder)!r} is a link or lies behind one; name a folder with --run")
    try:
        with _watched(as_json, budget) as on:
            found, ledger = anyio.run(
                lambda: synthesis_run(options, raw, folder, settings.servers, settings.registry_file, on)
            )
    except KeyboardInterrupt:
        say(f"What was answered is kept in {folder}; the same command goes on from there.", err=True)
        raise
    if as_json:
        print_json(report(found, ledger, options))
    else:
        _print(found, ledger, folder)
    raise typer.Exit(1 if found.stopped or not found.admitted else 0)


@contextmanager
def _watched(quiet: bool, budget: float | None) -> Iterator[Callable[[Step, Ledger], None]]:
    """A table that lives where somebody looks at a screen, else a line for each step."""
    if quiet or not sys.stderr.isatty():
        yield (lambda _step, _ledger: None) if quiet else _tell_line
        return
    from rich.console import Console
    from rich.live import Live
    from rich.markup import escape
    from rich.table import Table

    rows: dict[str, tuple[str, str]] = {}

    def table(ledger: Ledger | None) -> Table:
        spent = _spent(ledger, budget) if ledger is not None else ""
        made = Table("environment", "stage", "", caption=spent, caption_justify="left", expand=True)
        for name, (stage, said) in rows.items():
            made.add_row(*(escape(on_one_line(cell)) for cell in (name, stage, said[:80])))
        return made

    with Live(table(None), console=Console(stderr=True), transient=True, refresh_per_second=4) as live:

        def tell(step: Step, ledger: Ledger) -> None:
            rows[step.topic or "tasks"] = (step.stage, step.said)
            live.update(table(ledger))

        yield tell


def _tell_line(step: Step, ledger: Ledger) -> None:
    line = f"{step.topic or 'tasks'}: {step.stage} {step.said}".rstrip()
    say(on_one_line(f"{line}  ({_spent(ledger, None)})"), err=True)


def _spent(ledger: Ledger, budget: float | None) -> str:
    total = ledger.total
    of = f" of ${budget:.2f}" if budget is not None else ""
    return f"${total.dollars:.2f}{of}, {total.asked} answers, {total.kept} kept from before"


def _print(found: Synthesis, ledger: Ledger, folder: Path) -> None:
    say(
        f"{found.kept} of {found.tasks} tasks need records; {len(found.admitted)} environments are admitted.", bold=True
    )
    if found.admitted:
        rows = [
            (
                one.built.environment.id,
                str(len(one.built.environment.tools)),
                str(one.built.scenarios),
                str(one.repairs),
                one.topic.title,
            )
            for one in found.admitted
        ]
        print_table(("id", "tools", "scenarios", "repairs", "title"), rows)
    for one in found.failed:
        say(f"{one.topic.id} failed: {one.reason}", err=True)
    for left in found.left_out:
        say(f"{left.topic.id} is left out: {left.reason}")
    stages = [
        (
            name,
            str(line.asked),
            str(line.kept),
            f"{line.prompt_tokens:,}",
            f"{line.completion_tokens:,}",
            f"${line.dollars:.3f}",
        )
        for name, line in [*sorted(ledger.lines.items()), ("together", ledger.total)]
    ]
    say("")
    print_table(("stage", "asked", "kept", "tokens in", "tokens out", "cost"), stages)
    if found.stopped:
        say(f"\n{found.stopped}.", err=True)
    say(f"\nAnswers are kept in {folder}; the same command goes on and pays for nothing twice.")
