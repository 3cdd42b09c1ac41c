"""The report under the published keys of EnvScaler's checking stage, every case with its states."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_mcp.quality.report import Judged

_STATUSES = ("pass", "warning", "fail")


def func_test_result(judged: Sequence[Judged]) -> dict[str, Any]:
    """What the published pipeline keeps as `func_test_result` of an environment."""
    details: dict[str, Any] = {}
    for step, one in enumerate(judged, start=1):
        kept = details.setdefault(one.probe.tool, {"summary": {}, "cases": []})
        kept["cases"].append(_case(step, one))
    for name, kept in details.items():
        kept["summary"] = _summary([one for one in judged if one.probe.tool == name])
    return {"func_test_cases": {"summary": _summary(judged), "details": details}}


def _summary(judged: Sequence[Judged]) -> dict[str, int]:
    def many(kind: str | None, status: str | None) -> int:
        return sum(kind in (None, one.probe.kind) and status in (None, one.judgement) for one in judged)

    return {
        "total_count": len(judged),
        **{f"{status}_count": many(None, status) for status in _STATUSES},
        **{f"{kind}_count": many(kind, None) for kind in ("positive", "negative")},
        **{f"{kind}_{status}_count": many(kind, status) for kind in ("positive", "negative") for status in _STATUSES},
    }


def _case(step: int, one: Judged) -> dict[str, Any]:
    return {
        "step": step,
        "case_type": one.probe.kind,
        "status": one.judgement,
        "passed": one.judgement == "pass",
        "thought": one.probe.tries,
        "parameters": one.probe.arguments,
        "state_before_call": one.before,
        "state_after_call": one.after,
        "state_diff": _difference(one.before, one.after),
        "observation": json.loads(one.observation),
        "check_result": {
            "analysis": one.reason or "Everything the contract asks for holds.",
            "result": one.judgement.capitalize(),
            "error_reason": one.reason if one.judgement != "pass" else "",
        },
        "check_reason": one.reason,
    }


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that came, went or changed, down to where they did."""
    found: dict[str, Any] = {}
    if before is after:
        return found
    for key in {**before, **after}:
        if key not in before:
            found[key] = {"added": after[key]}
        elif key not in after:
            found[key] = {"removed": before[key]}
        elif isinstance(before[key], dict) and isinstance(after[key], dict):
            inner = _difference(before[key], after[key])
            if inner:
                found[key] = inner
        elif before[key] != after[key]:
            found[key] = {"changed": {"old": before[key], "new": after[key]}}
    return found
