"""Try every tool of a server, rightly and wrongly, and judge what it does; exit 1 where one is not admitted."""

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
        list[str] | None, typer.Argument(metavar="ENV_ID", help="Ids that `envscaler list` shows.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every registered server.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports for programs.")] = False,
    upstream: Annotated[
        bool, typer.Option("--upstream", help="Print every case with its states under EnvScaler's published keys.")
    ] = False,
) -> None:
    from envscaler_mcp.pipeline.building import evaluate_folder
    from envscaler_mcp.quality import func_test_result

    if everything == bool(wanted):
        raise typer.BadParameter("name servers, or ask for --all", param_hint="ENV_ID")
    ids = [entry.id for entry in registry_of(ctx).entries] if everything else list(wanted or ())
    folders = [folder_of(ctx, env_id) for env_id in ids]
    found: list[Evaluation] = []
    with progress_bar("checking") as progress:
        for number, folder in enumerate(folders, start=1):
            found.append(evaluate_folder(folder))
            progress(folder.name, number, len(folders))
    if upstream:
        results = {one.report.environment: func_test_result(one.judged) for one in found}
        print_json(results, indent=None)
    elif as_json:
        print_json([one.report.model_dump(mode="json") for one in found])
    else:
        _tell(found)
    raise typer.Exit(0 if all(one.report.admitted for one in found) else 1)


def _tell(found: Sequence[Evaluation]) -> None:
    head = ("id", "calls", "right", "wrong", "pass", "warning", "fail", "guards shown", "verdict")
    print_table(head, [_row(one) for one in found])
    for one in found:
        for case in one.report.cases:
            if case.judgement != "pass":
                _tell_case(one.report.environment, case)
        if len(found) == 1:
            for gap in one.gaps:
                say(f"not shown: {gap}")


def _row(one: Evaluation) -> tuple[str, ...]:
    summary = one.report.summary
    numbers = (summary.total, summary.positive, summary.negative, summary.passed, summary.warned, summary.failed)
    guards = f"{one.shown} of {one.guards}" if one.guards else "none known"
    verdict = "admitted" if one.report.admitted else "not admitted"
    return (one.report.environment, *map(str, numbers), guards, verdict)


def _tell_case(env_id: str, case: Case) -> None:
    colour = typer.colors.RED if case.judgement == "fail" else typer.colors.YELLOW
    arguments = json.dumps(case.arguments, ensure_ascii=False)
    say(Styled(case.judgement, colour), on_one_line(f": {env_id} {case.operation}: {case.reason}"))
    say(f"  {case.tries}: {arguments}")
