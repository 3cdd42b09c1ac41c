"""What other people's suites found, for the end of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One suite, in numbers."""

    name: str
    scenarios: int
    applying: int
    passed: int
    checks: int
    """How many checks passed, in all scenarios."""

    @classmethod
    def of(cls, name: str, found: Mapping[str, list[dict[str, Any]]], exempt: Collection[str]) -> Self:
        """The numbers of a run; `exempt` names the scenarios that do not apply in full."""
        statuses = {scenario: [check["status"] for check in checks] for scenario, checks in found.items()}
        applying = [scenario for scenario in found if scenario not in exempt]
        return cls(
            name,
            len(found),
            len(applying),
            sum("FAILURE" not in statuses[scenario] for scenario in applying),
            sum(one.count("SUCCESS") for one in statuses.values()),
        )

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.passed} of the {self.applying} scenarios that apply in full, {self.checks} checks passed; "
            f"{self.scenarios - self.applying} of {self.scenarios} scenarios do not apply"
        )


@dataclass(slots=True)
class Results:
    """All suites of this run."""

    suites: list[SuiteResult] = field(default_factory=list)

    def add(self, result: SuiteResult) -> None:
        self.suites.append(result)
