"""Who grades final states while a scenario is proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Frame, Scenario, StateDiff
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.serving.grading import broken_frame, reward


class Unproven(Exception):  # noqa: N818
    """Why a scenario is not shipped."""


@dataclass(slots=True)
class LocalGrader:
    """Grades final states of one scenario, in this process: its checks are text that we made a moment ago."""

    initial: dict[str, Any]
    checks: list[Callable[[dict[str, Any]], Any]]
    frame: Frame | None

    @classmethod
    def of(cls, scenario: Scenario, initial: dict[str, Any]) -> LocalGrader:
        checks = []
        for check in scenario.checks:
            # Texts of records stand in it, and a blueprint may be anyone's.
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
        broken = () if self.frame is None else broken_frame(diff, self.frame)
        return reward(answers, broken), reward(answers, ())


class CheckerJudge(LocalGrader):
    """Grades final states with checks that may come from elsewhere: in a worker."""

    def __init__(self, scenario: Scenario, initial: dict[str, Any], checker: Checker) -> None:
        super().__init__(initial, [], scenario.frame)
        self._sources, self._checker = scenario.checks, checker

    def answers(self, final: dict[str, Any]) -> list[bool]:
        """What the checks say; Unproven where one of them has nothing to say."""
        checked = self._checker.run(self._sources, self.initial, final)
        for number, one in enumerate(checked, start=1):
            if one.verdict is None:
                raise Unproven(f"check {number} says nothing: {one.failure}")
        return [one.verdict is True for one in checked]
