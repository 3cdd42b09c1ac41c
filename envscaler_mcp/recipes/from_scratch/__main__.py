"""Teaches a small model from nothing: `python -m envscaler_mcp.recipes.from_scratch --help`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from envscaler_mcp.config.choices import Level
from envscaler_mcp.html.visible import visible
from envscaler_mcp.recipes.from_scratch.plan import PLANS, SHAPES, Plan

app = typer.Typer(add_completion=False)
_SIZES = ", ".join(SHAPES)


@app.command()
def teach(
    out: Annotated[Path, typer.Option(help="A folder; each experiment is a folder in it.", file_okay=False)],
    name: Annotated[str, typer.Option(help="Of the experiment. Default: the name of its plan.")] = "",
    plan: Annotated[str, typer.Option(help=f"What the other options change: {', '.join(PLANS)}.")] = "one-world",
    tiny: Annotated[bool, typer.Option("--tiny", help="The plan `tiny`: every part in about a minute.")] = False,
    worlds: Annotated[str | None, typer.Option(help="Ids of environments with commas, or all.")] = None,
    unseen_worlds: Annotated[
        str | None, typer.Option(help="Worlds that are played and never learned, with commas, or all.")
    ] = None,
    level: Annotated[Level | None, typer.Option(help="Of all tasks.")] = None,
    tasks: Annotated[int | None, typer.Option(min=1, help="That are learned, of all worlds together.")] = None,
    unseen: Annotated[int | None, typer.Option(min=1, help="That are played.")] = None,
    parameters: Annotated[str | None, typer.Option(help=f"Of the model: {_SIZES}.")] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Of training: processor time by threads, or of the clock on an accelerator.")
    ] = None,
    grpo: Annotated[int | None, typer.Option(min=0, help="Steps of GRPO after that.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of tasks, model and training.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Of training, and processes that make tasks.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, or cuda.")] = None,
    home: Annotated[Path | None, typer.Option(help="Where the worlds are. Default: as for envscaler.")] = None,
) -> None:
    """Fresh tasks, a model that learns them from nothing, unseen tasks that it plays, GRPO on top, and pictures.

    The same command continues what was interrupted.
    """
    plan = "tiny" if tiny else plan
    if plan not in PLANS:
        raise typer.BadParameter(f"{plan!r} is none of {', '.join(PLANS)}", param_hint="--plan")
    if parameters is not None and parameters not in SHAPES:
        raise typer.BadParameter(f"{parameters!r} is none of {_SIZES}", param_hint="--parameters")
    changes: dict[str, Any] = {
        "worlds": _names(worlds),
        "unseen_worlds": _names(unseen_worlds),
        "level": level,
        "tasks": tasks,
        "unseen": unseen,
        "size": parameters,
        "minutes": minutes,
        "grpo": grpo,
        "seed": seed,
        "threads": threads,
        "device": device,
    }
    chosen = replace(PLANS[plan], **{field: value for field, value in changes.items() if value is not None})
    _perform(chosen, out, out / (name or plan), home)


def _names(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(name.strip() for name in listed.split(",") if name.strip())


def _perform(plan: Plan, out: Path, folder: Path, home: Path | None) -> None:
    try:
        from envscaler_mcp.recipes.from_scratch.experiment import Experiment, TrainingWorlds
    except ModuleNotFoundError as cause:
        if cause.name != "torch":
            raise
        print("PyTorch is not installed; `pip install 'envscaler-mcp[learn]'` brings it.", file=sys.stderr)
        raise typer.Exit(2) from cause
    from envscaler_mcp import rl
    from envscaler_mcp.errors import EnvScalerError
    from envscaler_mcp.home import read_home
    from envscaler_mcp.recipes.from_scratch.figures import draw
    from envscaler_mcp.settings import Settings

    settings = Settings.read(home=home)
    try:
        with rl.local(settings.home) as gym:
            there = read_home(settings)
            worlds = TrainingWorlds(there.servers, there.registry, gym)
            Experiment(plan, worlds, folder, say).perform()
        draw(out)
    except EnvScalerError as cause:
        print(visible(str(cause)), file=sys.stderr)
        raise typer.Exit(2) from cause


def say(text: str) -> None:
    """Print how far it is."""
    print(visible(text), flush=True)


if __name__ == "__main__":
    app()
