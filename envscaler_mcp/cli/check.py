"""Test every tool of an environment with valid and invalid calls; exit 1 if an environment is not admitted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from envscaler_mcp.cli.lookup import folder_of, registry_of
from envscaler_mcp.cli.printing import Styled, print_json, print_table, progress_bar, say
from envscaler_mcp.html.visible import on_one_line

if TYPE_CHECKING:
    from envscaler_mcp.artifacts import Case
    from envscaler_mcp.quality import Evaluation

app = typer.Typer(add_completion=False)


@app.command()
def check_servers(
    ctx: typer.Context,
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Ids of environments, as `envscaler list` shows them.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every registered environment.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports as JSON.")] = False,
    upstream: Annotated[
        bool,
        typer.Option(
            "--upstream", help="Print every case with its states as JSON, with the keys of the EnvScaler paper."
        ),
    ] = False,
) -> None:
    from envscaler_mcp.pipeline.building import evaluate_folder
    from envscaler_mcp.quality import func_test_result

    if everything == bool(wanted):
        raise typer.BadParameter("name servers, or ask for --all", param_hint="ENV_ID")
    ids = [entry.id for entry in registry_of(ctx).entries] if everything else list(wanted or ())
    folders = [folder_of(ctx, env_id) for env_id in ids]
    evaluations: list[Evaluation] = []
    with progress_bar("checking") as progress:
        for number, folder in enumerate(folders, start=1):
            evaluations.append(evaluate_folder(folder))
            progress(folder.name, number, len(folders))
    if upstream:
        results = {evaluation.report.environment: func_test_result(evaluation.judged) for evaluation in evaluations}
        print_json(results, indent=None)
    elif as_json:
        print_json([evaluation.report.model_dump(mode="json") for evaluation in evaluations])
    else:
        _tell(evaluations)
    raise typer.Exit(0 if all(evaluation.report.admitted for evaluation in evaluations) else 1)


def _tell(evaluations: Sequence[Evaluation]) -> None:
    head = ("id", "calls", "right", "wrong", "pass", "warning", "fail", "guards shown", "verdict")
    print_table(head, [_row(evaluation) for evaluation in evaluations])
    for evaluation in evaluations:
        for case in evaluation.report.cases:
            if case.judgement != "pass":
                _tell_case(evaluation.report.environment, case)
        if len(evaluations) == 1:
            for gap in evaluation.gaps:
                say(f"not shown: {gap}")


def _row(evaluation: Evaluation) -> tuple[str, ...]:
    summary = evaluation.report.summary
    numbers = (summary.total, summary.positive, summary.negative, summary.passed, summary.warned, summary.failed)
    guards = f"{evaluation.shown} of {evaluation.guards}" if evaluation.guards else "none known"
    verdict = "admitted" if evaluation.report.admitted else "not admitted"
    return (evaluation.report.environment, *map(str, numbers), guards, verdict)


def _tell_case(env_id: str, case: Case) -> None:
    colour = typer.colors.RED if case.judgement == "fail" else typer.colors.YELLOW
    arguments = json.dumps(case.arguments, ensure_ascii=False)
    say(Styled(case.judgement, colour), on_one_line(f": {env_id} {case.operation}: {case.reason}"))
    say(f"  {case.tries}: {arguments}")
