"""Judging a final state: its checks run in a worker, its frame is compared, and the owner of a failure is named.

A check answers True, or it does not hold. One that raises, answers with another value, or is ended by a limit of time,
memory or output on the final state does not hold either: most checks look up a record that the agent had to create, and
a check that raises wherever the task is not done must not mask failed episodes. A check masks an episode only where its
failure cannot depend on the final state:

* the gate refuses it: it is no Python, defines no `check_func`, or uses what no check needs;
* or the module around `check_func` raises when it is loaded at the start state. This counts only where the module could
  not have behaved differently at another final state: it imports no clock and catches no exception (with a caught
  MemoryError it could measure how much memory the final state leaves). Where it could, the check has failed.

A check that has answered True or False once for a scenario is known to run, and masks none of its episodes. By the
published rule (`upstream`) only what the published runtime would have run, and the gate refuses here, is masked: that
runtime counts a module that raises as failed, and would wait forever for a check that never returns, so that its reward
is defined by neither.
"""

from __future__ import annotations

import ast
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from envscaler_mcp.artifacts import Check, Scenario, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import SandboxError, UnreadableStateError, WorldError
from envscaler_mcp.grading.reward import GRADING, frame_violations, informative, reward
from envscaler_mcp.sandbox import checking
from envscaler_mcp.sandbox.check_run import RunsChecks
from envscaler_mcp.sandbox.execution import modules_at
from envscaler_mcp.sandbox.fact_checks import fact_check
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.plain_json import MAX_DEPTH, is_deeper
from envscaler_mcp.serving.state_diff import diff_of_states

_REASON = 300
"""Characters of a check's failure that a verdict quotes."""


def judge(
    scenario: Scenario,
    initial: Mapping[str, Any],
    final: Mapping[str, Any],
    scoring: Scoring = "framed",
    published: bool = False,
    checker: RunsChecks | None = None,
) -> Verdict:
    """The verdict on the final state of an undisturbed episode: the owner is the agent, or a check that cannot run.

    Only the environment says whether its worlds are `published`; then their states stand for Python values. The state
    does not say it: an agent can write what looks like such a value into any other world.
    """
    for state, error in ((final, UnreadableStateError), (initial, WorldError)):
        if is_deeper(dict(state), MAX_DEPTH):
            # The comparison of states recurses, and worlds keep to this bound.
            raise error(
                f"The state of {scenario.environment!r} is nested more than {MAX_DEPTH} deep and is not judged."
            )
    with checking.checker() if checker is None else nullcontext(checker) as judging:
        # As published: what a check changes in the state is seen by the checks after it.
        checked = judging.run(scenario.checks, initial, final, handed_on=scoring == "upstream", python=published)
        # A scenario with a frame was proven here to have no check that is true at the start; other scenarios were not.
        run_at_start = scenario.frame is None and scoring == "framed"
        at_start = judging.run(scenario.checks, initial, initial, python=published) if run_at_start else ()
        for answered in (checked, at_start):
            _RUNNING.add_answered(scenario, answered)
        broken = _cannot_run(judging, scenario, checked, initial, scoring, published)
    answers = tuple(answer.verdict is True for answer in checked)
    violations = frame_violations(diff_of_states(initial, final), scenario.frame) if scenario.frame is not None else ()
    counting: Sequence[bool] = answers
    if at_start:
        counting = informative([answer.verdict is True for answer in at_start], answers)
    earned = reward(counting, violations, scoring)
    verdict = Verdict(
        scoring=scoring,
        checks=answers,
        frame_violations=violations,
        reward=earned,
        solved=earned == 1.0,
        grading=GRADING,
    )
    if not counting:
        why = "every check is true at the start" if checked else "there are no checks"
        return _masked(verdict, why)
    if broken:
        return _masked(verdict, "; ".join(f"check {number} cannot run: {why}" for number, why in broken.items()))
    if verdict.solved:
        return verdict
    return verdict.model_copy(update={"owner": "agent", "reason": _missed(verdict, checked)})


def checks_that_cannot_run(
    judging: RunsChecks, scenario: Scenario, initial: Mapping[str, Any], published: bool
) -> dict[int, str]:
    """Checks that cannot run, by their number, and why: each masks every episode under `framed`."""
    return _unable(judging, scenario, list(range(len(scenario.checks))), initial, published)


def _masked(verdict: Verdict, reason: str) -> Verdict:
    return verdict.model_copy(update={"owner": "checker", "masked": True, "reason": reason})


def _cannot_run(
    judging: RunsChecks,
    scenario: Scenario,
    checked: Sequence[Checked],
    initial: Mapping[str, Any],
    scoring: Scoring,
    published: bool,
) -> dict[int, str]:
    """Of the checks without an answer, those that would have none at any final state."""
    silent = [index for index, answer in enumerate(checked) if answer.verdict is None]
    if scoring == "framed":
        unknown = [index for index in silent if not _RUNNING.knows(scenario, scenario.checks[index])]
        return _unable(judging, scenario, unknown, initial, published)
    refused = {index + 1: _refusal(scenario.checks[index]) for index in silent}
    return {
        number: why
        for number, why in refused.items()
        if why and not _fails_as_published(scenario.checks[number - 1], why)
    }


def _unable(
    judging: RunsChecks, scenario: Scenario, indexes: Sequence[int], initial: Mapping[str, Any], published: bool
) -> dict[int, str]:
    """Of these checks those that the gate refuses or that cannot be loaded, by their number, and why."""
    checks = scenario.checks
    refused = {index: _refusal(checks[index]) for index in indexes}
    # A check that is read as data has no module that could fail. One so near a bound of the gate that what is added to it is
    # refused says nothing about its own module.
    tried = [
        index
        for index, why in refused.items()
        if not why
        and (published or fact_check(checks[index].check_func) is None)
        and _loads_alike(checks[index].check_func)
        and not _refusal(_load_only(checks[index]))
    ]
    loaded = judging.run([_load_only(checks[index]) for index in tried], initial, initial, python=published)
    unable = {index: _quoted(why) for index, why in refused.items() if why}
    for index, answer in zip(tried, loaded, strict=True):
        if answer.verdict is not None:
            _RUNNING.add(scenario, checks[index])
        elif not answer.ended:
            unable[index] = _quoted(answer.failure)
    return {index + 1: unable[index] for index in sorted(unable)}


def _refusal(check: Check) -> str:
    """Why the gate refuses the check; empty where it admits it."""
    try:
        admit_check(check.check_func)
    except SandboxError as cause:
        return str(cause)
    return ""


_LOAD_ONLY = """


def check_func(final_state):
    return True
"""
"""Appended to a check: it answers True once the module around it was loaded."""


def _load_only(check: Check) -> Check:
    return check.model_copy(update={"check_func": check.check_func + _LOAD_ONLY, "engine": "worker"})


_CLOCKS = frozenset(modules_at({}))


def _loads_alike(source: str) -> bool:
    """Whether loading the module has the same result for every final state of a scenario, judged from its text."""
    for node in ast.walk(parsed_module(source)):
        match node:
            case ast.Try() | ast.With() | ast.ClassDef():
                return False
            case ast.Import(names=names) if any(alias.name in _CLOCKS for alias in names):
                return False
            case ast.ImportFrom(module=module) if module in _CLOCKS:
                return False
    return True


def _fails_as_published(check: Check, why: str) -> bool:
    """Whether the published runtime counts a check that is refused here as failed: it does not compile, or makes no function."""
    try:
        parsed_module(check.check_func)
    except (SyntaxError, ValueError):
        return True
    except (RecursionError, MemoryError):
        # Whether it can be parsed depends on the caller; it was refused for its nesting.
        return False
    return "defines no function check_func" in why


class _Running:
    """Cache of checks known to run for their scenario, so that a failed episode does not load them a second time.

    A check that did not run is not remembered: a busy machine may have ended it.
    """

    _MOST = 20_000

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, scenario: Scenario, check: Check) -> bool:
        return self._key(scenario, check) in self._known

    def add(self, scenario: Scenario, check: Check) -> None:
        with self._lock:
            self._known[self._key(scenario, check)] = None
            if len(self._known) > self._MOST:
                self._known.popitem(last=False)

    def add_answered(self, scenario: Scenario, checked: Sequence[Checked]) -> None:
        """Remember the checks that answered True or False."""
        for check, answer in zip(scenario.checks, checked, strict=False):
            if answer.verdict is not None and not self.knows(scenario, check):
                self.add(scenario, check)

    def _key(self, scenario: Scenario, check: Check) -> bytes:
        # Long or short, a digest takes the same room: texts of checks would stay when their worlds are gone.
        text = f"{scenario.state_digest} {scenario.seed} {check.check_func}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


_RUNNING = _Running()


def _missed(verdict: Verdict, checked: Sequence[Checked]) -> str:
    missed = [_missed_check(number, answer) for number, answer in enumerate(checked, 1) if answer.verdict is not True]
    checks = f"{len(missed)} of {len(verdict.checks)} checks are not true: {', '.join(missed)}" if missed else ""
    broken = f"{len(verdict.frame_violations)} changes outside the frame" if verdict.frame_violations else ""
    return "; ".join(part for part in (checks, broken) if part)


def _missed_check(number: int, checked: Checked) -> str:
    return f"{number} ({_quoted(checked.failure)})" if checked.verdict is None else str(number)


def _quoted(failure: str | None) -> str:
    """A check's failure as a verdict can store it. An exception's text is written by the check: it may hold anything."""
    return " ".join((failure or "no answer").encode(errors="replace").decode().split())[:_REASON]
