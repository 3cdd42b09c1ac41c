"""Export the episodes of a run for a trainer, or environments and scenarios in the files of the EnvScaler paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer
from typer.core import TyperGroup

from envscaler_mcp.cli.lookup import home_of, registry_of, servers_of, settings_of
from envscaler_mcp.cli.printing import print_json, say
from envscaler_mcp.config.choices import EXPORT_FORMATS, Keepable, Split
from envscaler_mcp.errors import ExportError
from envscaler_mcp.html.counts import are, counted

if TYPE_CHECKING:
    from envscaler_mcp.export.episodes import Exported


class _Runs(TyperGroup):
    """What begins with no command is about a run."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            from envscaler_mcp.export.formats import HOME_FORMATS

            # A format of a plug-in is a command as `envscaler` is.
            args = ["envscaler", "--as", *args] if args[0] in HOME_FORMATS else ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(add_completion=False, no_args_is_help=True, cls=_Runs)
_EXAMPLES = "\n\n".join(
    f"envscaler export runs/first --format {name} --out train/{name}/first{''.join(suffixes[:1])}"
    for name, (_, suffixes) in EXPORT_FORMATS.items()
)
_SPLITS, _KEEPABLE = "|".join(get_args(Split)), "|".join(get_args(Keepable))


@app.callback()
def export() -> None:
    """Export the episodes of a run for a trainer, or environments and scenarios in the files of the EnvScaler paper."""


@app.command("run", epilog=_EXAMPLES)
def export_episodes(
    ctx: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The folder of a run; write ./run for a folder that is called run.",
            exists=True,
            file_okay=False,
        ),
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="; ".join(f"{name}: {about}" for name, (about, _) in EXPORT_FORMATS.items())
            + "; or the format of a plug-in.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="The file to write: .parquet for verl and skyrl, .jsonl or .parquet for trl, a new folder for atif, else .jsonl. "
            "An existing file is replaced."
        ),
    ],
    only: Annotated[Literal["solved"] | None, typer.Option(help="Only solved episodes.")] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar=_SPLITS,
            help="Only tasks of this split; repeat for several. Default: train; episodes of other splits are counted.",
        ),
    ] = None,
    min_turns: Annotated[
        int | None, typer.Option(help="At least this many turns of the agent. Default: 2; the paper has 3.", min=1)
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option(help="At most this many turns of the agent. Default: 60; the paper has 29.", min=1)
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar=_KEEPABLE,
            help="Also export episodes that are left out by default; repeat for several. masked: the failure is not the agent's; user: "
            "the user invented something; unfinished: a limit or an error ended it; turns: too few or too many; frame: a change "
            "outside the frame; duplicate. verl and skyrl leave out only masked, user and duplicate; atif none.",
        ),
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a data set card: counts of what the rows hold, splits, digests and licences, as Hugging Face reads them.",
        ),
    ] = None,
    contaminate: Annotated[
        bool,
        typer.Option(
            "--contaminate",
            help="Also export a run of a benchmark. A model that is trained on it can no longer be measured by that benchmark.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Export the episodes of a run; `envscaler export DIR` is the same. Episodes that are left out are counted by reason;
    exit 1 if none is written.
    """
    from pydantic import ValidationError

    from envscaler_mcp.export.card import card_text, check_card, of_library, write_card
    from envscaler_mcp.export.episodes import export_run
    from envscaler_mcp.export.filters import ExportFilter
    from envscaler_mcp.export.formats import FORMATS

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    chosen = FORMATS[form]
    wished = {
        "splits": _known(Split, split or ["train"], "--split"),
        "solved": only == "solved",
        "min_turns": min_turns,
        "max_turns": max_turns,
        "keep": _known(Keepable, keep or [], "--keep"),
    }
    try:
        wish = ExportFilter.model_validate({name: value for name, value in wished.items() if value is not None})
        chosen.check(out)
        chosen.filter(wish)
    except ValidationError as cause:
        raise typer.BadParameter(cause.errors()[0]["msg"]) from cause
    except ExportError as cause:
        raise typer.BadParameter(str(cause)) from cause
    if card is not None:
        check_card(card)
    servers = servers_of(ctx)
    exported = export_run(folder, servers, chosen, wish, out, contaminate=contaminate)
    if card is not None and exported.written:
        counts = exported.counts
        write_card(card, card_text(out, form, exported.written, counts, of_library(servers, counts), exported.removed))
    if as_json:
        print_json(_counts(exported))
    else:
        _tell(exported, out)
        if exported.absent:
            home = settings_of(ctx).home
            say(
                f"The home {home} has no environment {', '.join(exported.absent)}, which the run played; --home names another home.",
                err=True,
            )
    raise typer.Exit(0 if exported.written else 1)


def _known(kind: Any, words: list[str], option: str) -> Any:
    for word in words:
        if word not in get_args(kind):
            raise typer.BadParameter(f"{word!r} is none of {', '.join(get_args(kind))}", param_hint=option)
    return tuple(words)


def _counts(exported: Exported) -> dict[str, Any]:
    from envscaler_mcp.export.filters import REASONS

    return {
        "attempts": exported.attempts,
        "episodes": exported.episodes,
        "written": exported.written,
        "missing": exported.missing,
        "damaged": exported.damaged,
        "absent": list(exported.absent),
        "removed": {reason: exported.removed[reason] for reason in REASONS if reason in exported.removed},
    }


def _tell(exported: Exported, out: Path) -> None:
    from envscaler_mcp.export.filters import REASONS

    for reason, sentence in REASONS.items():
        if many := exported.removed.get(reason, 0):
            say(f"{many} left out ({reason}): {sentence}{_other_splits(exported) if reason == 'split' else ''}.")
    if many := exported.missing:
        them = "it" if many == 1 else "them"
        say(f"{counted(many, 'episode')} {are(many)} missing; the command that began the run plays {them}.")
    if many := exported.damaged:
        stretches = counted(many, "stretch", "stretches")
        say(f"{stretches} of the journal {are(many)} damaged; what was there is not here.", err=True)
    attempts = counted(exported.attempts, "episode")
    if exported.written:
        entries = counted(exported.written, "entry", "entries")
        say(f"{exported.episodes} of {attempts} {are(exported.episodes)} {entries} in {out}.")
    else:
        say(f"Of {attempts} nothing is left to write.", err=True)


def _other_splits(exported: Exported) -> str:
    counts = ", ".join(f"{split} {many}" for split, many in sorted(exported.splits.items()))
    options = " ".join(f"--split {split}" for split in sorted(exported.splits))
    return f" ({counts}); {options} exports {'it' if sum(exported.splits.values()) == 1 else 'them'}"


@app.command("envscaler")
def export_servers(
    ctx: typer.Context,
    environments: Annotated[Path, typer.Option(metavar="FILE", help="The file for the environment metadata.")],
    scenarios: Annotated[Path, typer.Option(metavar="FILE", help="The file for the scenarios.")],
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Environments. Default: all that are registered.")
    ] = None,
    form: Annotated[str, typer.Option("--as", hidden=True)] = "envscaler",
) -> None:
    """Export environments and scenarios in the files of the EnvScaler paper."""
    from envscaler_mcp.export.formats import HOME_FORMATS
    from envscaler_mcp.registry import find_entry

    registry = registry_of(ctx)
    entries = [find_entry(registry, name) for name in wanted] if wanted else list(registry.entries)
    if not entries:
        raise typer.BadParameter("no environment is registered", param_hint="ENV_ID")
    folders = [home_of(ctx).servers / entry.id for entry in entries]
    written, tasks = HOME_FORMATS[form].writer(folders, environments, scenarios)
    what = f"{counted(written, 'environment')} {are(written)} written to {environments}"
    say(f"{what}, {counted(tasks, 'scenario')} to {scenarios}.")
