"""Whether the tools of a server keep their contract."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envscaler_mcp.artifacts import (
    QualityReport,
    State,
)
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.errors import EmitError, WorldError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.quality import Evaluation, evaluate
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized
from envscaler_mcp.trust import load_code

_BLUEPRINT = "blueprint.yaml"


def evaluate_folder(folder: Path) -> Evaluation:
    """Every tool of a server folder tried in worlds at its states, and judged, with its blueprint where it has one."""
    code = load_code(folder)
    states = [State.read_in(folder, f"states/{name}.json") for name in code.environment.states]
    if not states:
        raise WorldError(f"{folder.name!r} holds no start state in which calls could be tried.")
    model = None
    if has_member(folder, _BLUEPRINT):
        blueprint = read_blueprint(read_member_text(folder, _BLUEPRINT), str(folder / _BLUEPRINT))
        model = check_blueprint(blueprint).sound()
    return evaluate(code, states, open_world if code.trusted else open_isolated, model=model)


def quality_report(made: Synthesized, states: Sequence[State]) -> QualityReport:
    """What is kept in the folder of what was compiled; EmitError where a call of it breaks the contract."""
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    report = evaluate(code, states, open_world, model=made.model).report
    if not report.admitted:
        worst = next(case for case in report.cases if case.judgement == "fail")
        raise EmitError(
            f"{report.environment} is not admitted: {worst.operation} with {worst.arguments}: {worst.reason} "
            f"({report.summary.failed} of {report.summary.total} calls fail)"
        )
    return report
