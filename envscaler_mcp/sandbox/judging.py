"""What an ending is worth: its checks in a worker, its frame, and whose failure it is where it is not done.

A check answers True, or it does not hold. One that raises anything, answers with something else, or is ended by a limit of
time, memory or output on what the agent left behind does not hold either: most checks look a record up that the agent was
to make, and a check that raises or never returns wherever the task is not done must not take failed episodes out of the
figures. A check masks an episode only where its failure cannot depend on the ending:

* it is refused by the gate, since it is no Python, defines no `check_func` or asks for what no check needs,
* or the module around `check_func` raises when it is loaded at the start state. This is a failure of the check only where
  the module could not have seen anything else at another ending: it imports no clock, and catches no exception, with
  which it could measure the memory that an ending leaves to it. Where it could, the check has failed.

A check that once came to True or False for a scenario can run, and masks none of its episodes. By the published rule
(`upstream`) only what the published runtime would have run, and the gate refuses here, is masked: that runtime counts a module
that raises as failed, and would wait without end for a check that never returns, so that its reward is defined by neither.
"""

from __future__ import annotations

import ast
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Check, Scenario, Verdict
from envscaler_mcp.errors import SandboxError, WorldError
from envscaler_mcp.sandbox import checking
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.sandbox.execution import modules_at
from envscaler_mcp.sandbox.isolation import Checked
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.serving.grading import Scoring, counted, frame_violations, reward
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.plain_json import MAX_DEPTH, is_deeper

GRADING = f"{__version__}/13"
"""What judges here. Its number is how many entries the changelog has under "Grading changes"."""

_REASON = 300
"""Characters kept of what a check says for itself."""


def judge(
    scenario: Scenario,
    initial: Mapping[str, Any],
    final: Mapping[str, Any],
    scoring: Scoring = "framed",
    published: bool = False,
    checker: Checker | None = None,
) -> Verdict:
    """The verdict on an ending that came about undisturbed: the agent's failure, or that of a check that cannot run.

    Only the environment says whether its worlds are `published`: then its states stand for Python values. An agent can
    write what looks like one into any other world.
    """
    if is_deeper(dict(final), MAX_DEPTH) or is_deeper(dict(initial), MAX_DEPTH):
        # Not a failure of this machine: the comparison of states recurses, and worlds keep to this bound.
        raise WorldError(
            f"The state of {scenario.environment!r} is nested more than {MAX_DEPTH} deep and is not judged."
        )
    with checking.checker() if checker is None else nullcontext(checker) as judging:
        # As published: a check that changes what it is given is seen by those after it.
        checked = judging.run(scenario.checks, initial, final, handed_on=scoring == "upstream", python=published)
        # Those that are made here are proven to have no check that is true at the start; of others it is asked.
        asks_start = scenario.frame is None and scoring == "framed"
        at_start = judging.run(scenario.checks, initial, initial, python=published) if asks_start else ()
        for answered in (checked, at_start):
            _RUNNING.add_answered(scenario, answered)
        broken = _cannot_run(judging, scenario, checked, initial, scoring, published)
    answers = tuple(one.verdict is True for one in checked)
    violations = frame_violations(initial, final, scenario.frame)
    telling: Sequence[bool] = answers
    if at_start:
        telling = counted([one.verdict is True for one in at_start], answers)
    earned = reward(telling, violations, scoring)
    verdict = Verdict(
        scoring=scoring,
        checks=answers,
        frame_violations=violations,
        reward=earned,
        solved=earned == 1.0,
        grading=GRADING,
    )
    if not telling:
        why = "every check is true at the start" if checked else "there are no checks"
        return _masked(verdict, why)
    if broken:
        return _masked(verdict, "; ".join(f"check {number} cannot run: {why}" for number, why in broken.items()))
    return (
        verdict
        if verdict.solved
        else verdict.model_copy(update={"owner": "agent", "reason": _missed(verdict, checked)})
    )


def checks_that_cannot_run(
    judging: Checker, scenario: Scenario, initial: Mapping[str, Any], published: bool
) -> dict[int, str]:
    """Checks that no agent can pass or fail, by their number, and why: each masks every episode under `framed`."""
    return _unable(judging, scenario, list(range(len(scenario.checks))), initial, published)


def _masked(verdict: Verdict, reason: str) -> Verdict:
    return verdict.model_copy(update={"owner": "checker", "masked": True, "reason": reason})


def _cannot_run(
    judging: Checker,
    scenario: Scenario,
    checked: Sequence[Checked],
    initial: Mapping[str, Any],
    scoring: Scoring,
    published: bool,
) -> dict[int, str]:
    """Of the checks without an answer, those that have none whatever the agent did."""
    silent = [place for place, one in enumerate(checked) if one.verdict is None]
    if scoring == "framed":
        unknown = [place for place in silent if not _RUNNING.knows(scenario, scenario.checks[place])]
        return _unable(judging, scenario, unknown, initial, published)
    refused = {place + 1: _refusal(scenario.checks[place]) for place in silent}
    return {
        number: why
        for number, why in refused.items()
        if why and not _fails_as_published(scenario.checks[number - 1], why)
    }


def _unable(
    judging: Checker, scenario: Scenario, places: Sequence[int], initial: Mapping[str, Any], published: bool
) -> dict[int, str]:
    """Of these checks those that are refused or cannot be loaded, by their number, and why."""
    refused = {place: _refusal(scenario.checks[place]) for place in places}
    tried = [place for place, why in refused.items() if not why and _loads_alike(scenario.checks[place].check_func)]
    probes = [_load_only(scenario.checks[place]) for place in tried]
    loaded = judging.run(probes, initial, initial, python=published)
    unable = {place: _words(why) for place, why in refused.items() if why}
    for place, one in zip(tried, loaded, strict=True):
        if one.verdict is not None:
            _RUNNING.add(scenario, scenario.checks[place])
        elif not one.ended:
            unable[place] = _words(one.failure)
    return {place + 1: unable[place] for place in sorted(unable)}


def _refusal(check: Check) -> str:
    """Why the gate does not let it run; nothing where it does."""
    try:
        admit_check(check.check_func)
    except SandboxError as cause:
        return str(cause)
    return ""


_LOAD_ONLY = """


def check_func(final_state):
    return True
"""
"""Put after a check: it says True where the module around it was loaded."""


def _load_only(check: Check) -> Check:
    return check.model_copy(update={"check_func": check.check_func + _LOAD_ONLY, "engine": "worker"})


_CLOCKS = frozenset(modules_at({}))


def _loads_alike(source: str) -> bool:
    """Whether loading it comes to the same for every ending of a scenario, read from its text."""
    for node in ast.walk(parsed_module(source)):
        match node:
            case ast.Try() | ast.With() | ast.ClassDef():
                return False
            case ast.Import(names=names) if any(one.name in _CLOCKS for one in names):
                return False
            case ast.ImportFrom(module=module) if module in _CLOCKS:
                return False
    return True


def _fails_as_published(check: Check, why: str) -> bool:
    """Whether the published runtime counts a check that is refused here as failed: it does not compile, or makes no function."""
    try:
        parsed_module(check.check_func)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return "defines no function check_func" in why


class _Running:
    """Checks known to run for their scenario, so that a failing episode asks no second time.

    Only that is remembered: what did not run may have been ended by a machine that was busy.
    """

    _MOST = 20_000

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, int, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, scenario: Scenario, check: Check) -> bool:
        return self._key(scenario, check) in self._known

    def add(self, scenario: Scenario, check: Check) -> None:
        with self._lock:
            self._known[self._key(scenario, check)] = None
            if len(self._known) > self._MOST:
                self._known.popitem(last=False)

    def add_answered(self, scenario: Scenario, checked: Sequence[Checked]) -> None:
        """Those that came to True or False."""
        for check, one in zip(scenario.checks, checked, strict=False):
            if one.verdict is not None and not self.knows(scenario, check):
                self.add(scenario, check)

    def _key(self, scenario: Scenario, check: Check) -> tuple[str, int, str]:
        return scenario.state_digest, scenario.seed, check.check_func


_RUNNING = _Running()


def _missed(verdict: Verdict, checked: Sequence[Checked]) -> str:
    missed = [_missed_check(number, one) for number, one in enumerate(checked, 1) if one.verdict is not True]
    checks = f"{len(missed)} of {len(verdict.checks)} checks are not true: {', '.join(missed)}" if missed else ""
    broken = f"{len(verdict.frame_violations)} changes outside the frame" if verdict.frame_violations else ""
    return "; ".join(part for part in (checks, broken) if part)


def _missed_check(number: int, checked: Checked) -> str:
    return f"{number} ({_words(checked.failure)})" if checked.verdict is None else str(number)


def _words(failure: str | None) -> str:
    """What a check says for itself, as a record can hold it: an exception's words are the check's own."""
    return " ".join((failure or "no answer").encode(errors="replace").decode().split())[:_REASON]
