"""The tables of `envscaler blueprint grow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from envscaler_mcp.cli.printing import print_table, say

if TYPE_CHECKING:
    from envscaler_mcp.pipeline.growing import GrowthReport, OperationReport

_STOPS = 5
"""How many reasons of one operation are shown; `--json` has all."""


def print_growth(report: GrowthReport) -> None:
    """What the start states hold, and what stood in the way while they grew."""
    if not report.states:
        return
    names = [state.name for state in report.states]
    _table(("records", *names), ((entity, *_numbers(report, "rows", entity)) for entity in report.states[0].rows))
    _statuses(report, names)
    _table(
        ("operation", "done", "calls", "ms", "refused", "by"),
        (row for operation in report.operations for row in _operation_rows(report, operation)),
    )
    _table(("rule", "checks", "ms", "says"), _rule_rows(report))
    _casts(report, names)
    for state in report.states:
        if state.stopped:
            say(
                f"{report.id}: {state.name} stopped at {state.reached or 'its beginning'}: {state.stopped}",
                fg=typer.colors.RED,
            )
        daily = f", and {state.daily} daily steps" if state.daily else ""
        say(
            f"{report.id}: {state.name}: {state.operations} of {report.wanted} operations of the history came about{daily}"
        )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    listed = list(rows)
    if listed:
        print_table(head, listed)
        say("")


def _numbers(report: GrowthReport, part: str, name: str) -> list[str]:
    return [str(getattr(state, part).get(name, 0)) for state in report.states]


def _statuses(report: GrowthReport, names: list[str]) -> None:
    _table(
        ("status", "", *names),
        (
            (
                attribute if place == 0 else "",
                status,
                *(str(state.statuses[attribute][status]) for state in report.states),
            )
            for attribute, counts in report.states[0].statuses.items()
            for place, status in enumerate(counts)
        ),
    )


def _operation_rows(report: GrowthReport, operation: OperationReport) -> Iterable[tuple[str, ...]]:
    done = "/".join(_numbers(report, "done", operation.name))
    head = (operation.name, done, str(operation.calls), f"{1000 * operation.seconds:.1f}")
    shown = operation.stops[:_STOPS]
    for place, stop in enumerate(shown):
        text = f"no record or allowed value for {stop.text}" if stop.kind == "no record" else stop.text
        yield (*(head if place == 0 else ("", "", "", "")), str(stop.times), text)
    if not shown:
        yield (*head, "", "")
    if len(operation.stops) > _STOPS:
        rest = operation.stops[_STOPS:]
        yield ("", "", "", "", str(sum(stop.times for stop in rest)), f"{len(rest)} more; --json has them")


def _rule_rows(report: GrowthReport) -> Iterable[tuple[str, ...]]:
    for rule in sorted(report.rules, key=lambda rule: -rule.seconds):
        yield (str(rule.number), str(rule.checks), f"{1000 * rule.seconds:.1f}", rule.text)


def _casts(report: GrowthReport, names: list[str]) -> None:
    reasons: dict[str, list[str]] = {}
    for dry in report.dry:
        reasons.setdefault(dry.story, []).append(f"{dry.state}: {dry.reason} ({dry.times})")
    stories = report.states[0].casts
    _table(
        (f"cast in {report.casts} tries", *names, "ran dry"),
        ((story, *_numbers(report, "casts", story), "; ".join(reasons.get(story, ()))) for story in stories),
    )
