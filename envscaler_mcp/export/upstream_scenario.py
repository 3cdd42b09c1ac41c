"""A scenario as the published files have it, in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envscaler_mcp.artifacts import Check, Environment, Level, Provenance, Scenario, Span, State
from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.export.texts import text_of
from envscaler_mcp.export.upstream_environment import class_name_of, unwrapped

_LEVELS: tuple[tuple[int, Level], ...] = ((6, "easy"), (14, "medium"))
"""By how many checks it has: nothing else is known of what a published task takes."""


def config_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """The state at which the scenario begins."""
    config = unwrapped(item.get("init_config"))
    if not isinstance(config, dict):
        raise ArtifactError("its init_config is no object")
    return config


def checks_of(item: Mapping[str, Any]) -> tuple[Check, ...]:
    """Its checks, those without code too: they count, and never pass."""
    listed = unwrapped(item.get("checklist_with_func")) or []
    if not isinstance(listed, list):
        raise ArtifactError("its checklist_with_func is no list")
    known = [check if isinstance(check, dict) else {} for check in listed]
    return tuple(
        Check(check_item=text_of(check.get("check_item") or ""), check_func=text_of(check.get("check_func") or ""))
        for check in known
    )


def scenario_from(item: Mapping[str, Any], id_: str, card: Environment, state: State) -> Scenario:
    """A published scenario at its state. Its plan is not known, and so neither is what else may change."""
    task, checks = text_of(item.get("task") or ""), checks_of(item)
    if not task.strip():
        raise ArtifactError("it has no task")
    return Scenario(
        provenance=Provenance(author="person", parents={"state": state.digest}),
        id=id_,
        environment=card.id,
        code_digest=card.code_digest,
        state=state.name,
        state_digest=state.digest,
        seed=state.seed,
        level=next((level for most, level in _LEVELS if len(checks) <= most), "hard"),
        task=task,
        spans=(Span(text=task),),
        checks=checks,
        frame=None,
        oracle=(),
        features={"checks": len(checks)},
    )


def scenario_item(scenario: Scenario, card: Environment, state: State) -> dict[str, Any]:
    """A scenario of ours with every key that published ones have."""
    return {
        "env_id": card.id,
        "env_class_name": class_name_of(card),
        "task_id": scenario.id,
        "init_config": state.content,
        "task": scenario.task,
        "checklist": [check.check_item for check in scenario.checks],
        "checklist_with_func": [
            {"check_item": check.check_item, "check_func": check.check_func} for check in scenario.checks
        ],
    }
