"""What a run is given that makes environments with a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from envscaler_mcp.config.options import Config, Flag

RESULT, MODEL, FOLDERS = "Result", "Model", "Folders"


class SynthesisConfig(Config):
    """How many environments are made, and how they are written."""

    environments: Annotated[int, Field(ge=1), Flag("At most this many environments.", panel=RESULT)] = 5
    scenarios: Annotated[int, Field(ge=1), Flag("Scenarios of each environment.", panel=RESULT)] = 10
    style: Annotated[
        Literal["blueprint", "code"],
        Flag("Written as blueprints that are compiled, or as classes, one operation at a time.", panel=RESULT),
    ] = "blueprint"
    plan: Annotated[
        Literal["first", "task"],
        Flag(
            "What a scenario starts from. first: calls that were executed, then put into words. task: a task in words, "
            "which a solver must then solve.",
            panel=RESULT,
        ),
    ] = "first"
    judge: Annotated[
        Literal["model", "local"],
        Flag("What decides which tasks need records; local costs nothing.", panel=RESULT),
    ] = "model"
    embeddings: Annotated[
        str,
        Flag(
            "The model whose embeddings compare topics. Default: topics are compared by their words.",
            metavar="MODEL",
            panel=MODEL,
        ),
    ] = ""
    reword: Annotated[bool, Flag("Let the model reword the tasks.", panel=RESULT)] = True
    repairs: Annotated[
        int, Field(ge=0), Flag("How often an environment that fails its tests is repaired.", panel=RESULT)
    ] = 2
    at_once: int = 4
    """How many environments are written at the same time."""


class SynthesisOptions(SynthesisConfig):
    """The options of `envscaler synthesize`."""

    tasks: Annotated[
        Path, Flag('The raw tasks, one per line: {"task": "…"} or plain text.', ("--tasks",), metavar="FILE")
    ]
    model: Annotated[str | None, Flag("The model. Default: the one in the settings file.", panel=MODEL)] = None
    budget: Annotated[
        float | None, Field(ge=0), Flag("At most this many dollars, earlier starts of the run included.", panel=MODEL)
    ] = None
    price: Annotated[
        str | None, Flag("Dollars per million tokens of the model.", metavar="IN,OUT[,CACHED]", panel=MODEL)
    ] = None
    prices: Annotated[Path | None, Flag("A table of prices by model.", metavar="FILE", panel=MODEL)] = None
    parallel: Annotated[int, Field(ge=1), Flag("How many requests are sent at the same time.", panel=MODEL)] = 8
    temperature: Annotated[
        float | None, Field(ge=0, le=2), Flag("Temperature of the model. Default: the endpoint's.", panel=MODEL)
    ] = None
    max_tokens: Annotated[int, Field(ge=256), Flag("At most this many tokens in one answer.", panel=MODEL)] = 32_000
    timeout: Annotated[float, Field(ge=1), Flag("Seconds to wait for an answer.", panel=MODEL)] = 600
    prompts: Annotated[
        Path | None,
        Flag("A folder of prompts that replace the built-in prompts of the same name.", metavar="DIR", panel=MODEL),
    ] = None
    run: Annotated[
        Path | None,
        Flag(
            "The folder of the run, where answers are stored; a run continues in its folder.",
            metavar="DIR",
            panel=FOLDERS,
        ),
    ] = None
    record: Annotated[
        Path | None, Flag("Record every answer of the model in this folder.", metavar="DIR", panel=FOLDERS)
    ] = None
    replay: Annotated[Path | None, Flag("Replay a recorded run; no model is asked.", metavar="DIR", panel=FOLDERS)] = (
        None
    )
    as_json: Annotated[bool, Flag("Print the report as JSON.", ("--json",))] = False
