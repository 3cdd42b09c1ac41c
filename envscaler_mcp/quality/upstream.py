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
    for step, call in enumerate(judged, start=1):
        entry = details.setdefault(call.probe.tool, {"summary": {}, "cases": []})
        entry["cases"].append(_case(step, call))
    for name, entry in details.items():
        entry["summary"] = _summary([call for call in judged if call.probe.tool == name])
    return {"func_test_cases": {"summary": _summary(judged), "details": details}}


def _summary(judged: Sequence[Judged]) -> dict[str, int]:
    def many(kind: str | None, status: str | None) -> int:
        return sum(kind in (None, call.probe.kind) and status in (None, call.judgement) for call in judged)

    return {
        "total_count": len(judged),
        **{f"{status}_count": many(None, status) for status in _STATUSES},
        **{f"{kind}_count": many(kind, None) for kind in ("positive", "negative")},
        **{f"{kind}_{status}_count": many(kind, status) for kind in ("positive", "negative") for status in _STATUSES},
    }


def _case(step: int, call: Judged) -> dict[str, Any]:
    return {
        "step": step,
        "case_type": call.probe.kind,
        "status": call.judgement,
        "passed": call.judgement == "pass",
        "thought": call.probe.tries,
        "parameters": call.probe.arguments,
        "state_before_call": call.before,
        "state_after_call": call.after,
        "state_diff": _difference(call.before, call.after),
        "observation": json.loads(call.observation),
        "check_result": {
            "analysis": call.reason or "Everything the contract asks for holds.",
            "result": call.judgement.capitalize(),
            "error_reason": call.reason if call.judgement != "pass" else "",
        },
        "check_reason": call.reason,
    }


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that came, went or changed, down to where they did."""
    difference: dict[str, Any] = {}
    if before is after:
        return difference
    for key in {**before, **after}:
        if key not in before:
            difference[key] = {"added": after[key]}
        elif key not in after:
            difference[key] = {"removed": before[key]}
        elif isinstance(before[key], dict) and isinstance(after[key], dict):
            inner = _difference(before[key], after[key])
            if inner:
                difference[key] = inner
        elif before[key] != after[key]:
            difference[key] = {"changed": {"old": before[key], "new": after[key]}}
    return difference
