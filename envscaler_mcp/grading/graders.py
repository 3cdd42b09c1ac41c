"""Graders of final states while a scenario is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Frame, Scenario, StateDiff
from envscaler_mcp.errors import Unproven
from envscaler_mcp.grading.reward import frame_violations, reward
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.sandbox.policy import admit_check


@dataclass(slots=True)
class LocalGrader:
    """Grades final states of one scenario in this process. Only for checks that this process has just written."""

    initial: dict[str, Any]
    checks: list[Callable[[dict[str, Any]], Any]]
    frame: Frame | None

    @classmethod
    def of(cls, scenario: Scenario, initial: dict[str, Any]) -> LocalGrader:
        checks = []
        for check in scenario.checks:
            # The checks quote texts of records, and the blueprint that these come from may have any author.
            admit_check(check.check_func)
            names: dict[str, Any] = {"initial_state": initial}
            exec(compile(check.check_func, "check", "exec"), names)  # noqa: S102
            checks.append(names["check_func"])
        return cls(initial, checks, scenario.frame)

    def answers(self, final: dict[str, Any]) -> list[bool]:
        return [check(final) is True for check in self.checks]

    def grade(self, final: dict[str, Any], diff: StateDiff) -> tuple[float, float]:
        """The reward, and what it would be without the frame."""
        answers = self.answers(final)
        return reward(answers, frame_violations(diff, self.frame)), reward(answers, ())


class WorkerGrader(LocalGrader):
    """Grades final states with checks from a file: in a worker."""

    def __init__(self, scenario: Scenario, initial: dict[str, Any], checker: Checker) -> None:
        super().__init__(initial, [], scenario.frame)
        self._sources, self._checker = scenario.checks, checker

    def answers(self, final: dict[str, Any]) -> list[bool]:
        """The answers of the checks; Unproven where one of them gives none."""
        checked = self._checker.run(self._sources, self.initial, final)
        for number, answer in enumerate(checked, start=1):
            if answer.verdict is None:
                raise Unproven(f"check {number} says nothing: {answer.failure}")
        return [answer.verdict is True for answer in checked]
