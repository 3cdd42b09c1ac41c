"""From judged calls to the report that is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts import Case, CaseCounts, Environment, Provenance, QualityReport, StateDiff
from envscaler_mcp.artifacts.quality import Judgement
from envscaler_mcp.quality.judge import Probe

BAR = 0.85
"""The share of calls that must not fail, as in the paper."""
_SHOWN = 240


@dataclass(frozen=True, slots=True)
class Judged:
    """One call, what came of it, and what the judge says."""

    probe: Probe
    state: str
    """The name of the state in which it was made."""
    before: dict[str, object]
    after: dict[str, object]
    diff: StateDiff
    observation: str
    judgement: Judgement
    reason: str = ""


def counts(judged: Iterable[Judged]) -> CaseCounts:
    """How many there are of each."""
    made = list(judged)
    return CaseCounts(
        total=len(made),
        passed=sum(call.judgement == "pass" for call in made),
        warned=sum(call.judgement == "warning" for call in made),
        failed=sum(call.judgement == "fail" for call in made),
        positive=sum(call.probe.kind == "positive" for call in made),
        negative=sum(call.probe.kind == "negative" for call in made),
    )


def is_admitted(summary: CaseCounts, origin: str) -> bool:
    """Whether an environment may be played in; what was compiled must not fail at all."""
    if summary.total == 0 or (origin == "compiled" and summary.failed):
        return False
    return (summary.passed + summary.warned) / summary.total >= BAR


def report_of(
    environment: Environment, code_digest: str, seeds: Sequence[int], judged: Sequence[Judged]
) -> QualityReport:
    """The report: everything counted, and quoted what is not a pass and one pass of each kind per operation."""
    summary = counts(judged)
    names = [tool.name for tool in environment.tools]
    return QualityReport(
        provenance=Provenance(parents={"environment": environment.digest}),
        environment=environment.id,
        code_digest=code_digest,
        seeds=tuple(seeds),
        summary=summary,
        operations={name: counts(call for call in judged if call.probe.tool == name) for name in names},
        cases=tuple(_case(call) for name in names for call in _quoted([j for j in judged if j.probe.tool == name])),
        admitted=is_admitted(summary, environment.origin),
    )


def _quoted(judged: Sequence[Judged]) -> list[Judged]:
    shown: set[str] = set()
    quoted: list[Judged] = []
    for call in judged:
        if call.judgement == "pass":
            if call.probe.kind in shown:
                continue
            shown.add(call.probe.kind)
        quoted.append(call)
    return quoted


def _case(judged: Judged) -> Case:
    probe, said = judged.probe, judged.observation
    return Case(
        operation=probe.tool,
        kind=probe.kind,
        tries=probe.tries,
        arguments=json.loads(json.dumps(probe.arguments)),
        observation=said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…",
        judgement=judged.judgement,
        reason=judged.reason,
    )
