"""Make environments from raw tasks with a model: mined, written, tested, repaired, admitted, with proven scenarios."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.configured import configured
from envscaler_mcp.cli.lookup import home_if_any, settings_of
from envscaler_mcp.cli.printing import print_json, print_table, say
from envscaler_mcp.config.synthesis import SynthesisOptions
from envscaler_mcp.errors import EmitError
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.llm import Ledger
    from envscaler_mcp.pipeline.synthesizing import Synthesis, SynthesisStep

app = typer.Typer(add_completion=False)


@app.command()
@configured(SynthesisOptions)
def synthesize_servers(ctx: typer.Context, options: SynthesisOptions) -> None:
    import anyio

    from envscaler_mcp.cli.models import Pace, price_at, reached
    from envscaler_mcp.llm import ModelParams
    from envscaler_mcp.pipeline.synthesis_run import SynthesisSettings, report, synthesis_run
    from envscaler_mcp.synthesis.topics.mining import read_raw_tasks

    if options.record is not None and options.replay is not None:
        raise typer.BadParameter("a run is recorded or replayed, not both", param_hint="--record")
    settings = settings_of(ctx)
    raw = read_raw_tasks(options.tasks)
    pace = Pace(parallel=options.parallel, timeout=options.timeout)
    endpoint, name = reached(settings, options.model, pace, needed=options.replay is None)
    plan = SynthesisSettings(
        wanted=options,
        asking=ModelParams(model=name, temperature=options.temperature, max_tokens=options.max_tokens),
        endpoint=endpoint,
        price=price_at(settings, name, options.price, options.prices),
        budget=options.budget,
        prompts=options.prompts,
        mode="record" if options.record is not None else "replay" if options.replay is not None else "live",
        recording=options.record or options.replay,
    )
    folder = options.run or _folder(
        settings.home / "synthesis", [[task.text for task in raw], name, options.style, options.plan]
    )
    try:
        with _watched(options.as_json, options.budget) as on:
            synthesis, ledger = anyio.run(
                lambda: synthesis_run(plan, raw, folder, settings.servers, settings.registry_file, on, home_if_any(ctx))
            )
    except KeyboardInterrupt:
        say(f"Answers so far are stored in {folder}; the same command continues from there.", err=True)
        raise
    if options.as_json:
        print_json(report(synthesis, ledger, plan))
    else:
        _print(synthesis, ledger, folder)
    raise typer.Exit(1 if synthesis.stopped or not synthesis.admitted else 0)


def _folder(parent: Path, made_of: object) -> Path:
    """The folder of a run that has none of its own: the same for the same tasks, model and style."""
    from envscaler_mcp.artifacts import digest_of

    folder = parent / digest_of(made_of)[7:19]
    if folder.is_symlink() or parent.is_symlink():
        raise EmitError(f"{str(folder)!r} is a link or lies behind one; name a folder with --run")
    return folder


@contextmanager
def _watched(quiet: bool, budget: float | None) -> Iterator[Callable[[SynthesisStep, Ledger], None]]:
    """A live table on a terminal, else a line for each step."""
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

        def tell(step: SynthesisStep, ledger: Ledger) -> None:
            rows[step.topic or "tasks"] = (step.stage, step.said)
            live.update(table(ledger))

        yield tell


def _tell_line(step: SynthesisStep, ledger: Ledger) -> None:
    line = f"{step.topic or 'tasks'}: {step.stage} {step.said}".rstrip()
    say(on_one_line(f"{line}  ({_spent(ledger, None)})"), err=True)


def _spent(ledger: Ledger, budget: float | None) -> str:
    total = ledger.total
    of = f" of ${budget:.2f}" if budget is not None else ""
    return f"${total.dollars:.2f}{of}, {total.asked} answers, {total.kept} from earlier starts"


def _print(synthesis: Synthesis, ledger: Ledger, folder: Path) -> None:
    admitted = len(synthesis.admitted)
    say(
        f"{synthesis.relevant} of {counted(synthesis.tasks, 'task')} need records; "
        f"{counted(admitted, 'environment')} {are(admitted)} admitted.",
        bold=True,
    )
    if synthesis.admitted:
        rows = [
            (
                admitted.built.environment.id,
                str(len(admitted.built.environment.tools)),
                str(admitted.built.scenarios),
                str(admitted.repairs),
                admitted.topic.title,
            )
            for admitted in synthesis.admitted
        ]
        print_table(("id", "tools", "scenarios", "repairs", "title"), rows)
    for failure in synthesis.failed:
        say(f"{failure.topic.id} failed: {failure.reason}", err=True)
    for left in synthesis.left_out:
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
    if synthesis.stopped:
        say(f"\n{synthesis.stopped}.", err=True)
    say(f"\nAnswers are stored in {folder}; the same command continues and pays for no answer twice.")
