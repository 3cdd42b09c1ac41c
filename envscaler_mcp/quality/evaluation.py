"""The whole of it: aged worlds, probes in each, a judgement of every call, and what could not be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import QualityReport, State, Tool, digest_of
from envscaler_mcp.language.model import Model
from envscaler_mcp.quality.declared import BlueprintInvariants, reference_arguments
from envscaler_mcp.quality.guards import GuardIndex
from envscaler_mcp.quality.judge import Law, Probe, judge_call
from envscaler_mcp.quality.learned import InferredInvariants
from envscaler_mcp.quality.probe_worlds import NOTHING, Bench, Opener, Tried
from envscaler_mcp.quality.probing import Probing
from envscaler_mcp.quality.random_walk import Journey, Traveller
from envscaler_mcp.quality.report import Judged, report_of
from envscaler_mcp.quality.sequences import reused_ids
from envscaler_mcp.quality.suggestions import Suggestions
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.state_diff import diff_of_states

NEVER_DONE = "no call was found that it does"
_JOURNEYS = 2
_AS_THEY_ARE = 2
"""In how many of the states calls are tried as they are; from the others a journey begins."""
_SAME = 2


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was found about one environment."""

    report: QualityReport
    judged: tuple[Judged, ...]
    """Every call, in the order in which they were made."""
    guards: int
    shown: int
    """How many guards there are, and how many of them were shown to refuse while all before them let the call pass."""
    gaps: tuple[str, ...]
    """What no call could be found for, in words."""


def evaluate(
    code: EnvironmentCode,
    states: Sequence[State],
    open_world: Opener,
    *,
    model: Model | None = None,
) -> Evaluation:
    """Try every tool in worlds at these states and judge each call; with a model also by what its blueprint says."""
    return _Evaluating(code, states, open_world, model).run()


class _Evaluating:
    def __init__(self, code: EnvironmentCode, states: Sequence[State], open_world: Opener, model: Model | None) -> None:
        self.code, self.states, self.open_world = code, states, open_world
        self.suggestions = Suggestions(model)
        self.guards = GuardIndex(model) if model is not None else None
        self.refers = reference_arguments(model) if model is not None else {}
        self.law: Law = (
            BlueprintInvariants(model) if model is not None else InferredInvariants([state.content for state in states])
        )
        self.known: set[tuple[str, str]] = set()
        self.judged: list[Judged] = []
        self.tools: dict[str, Tool] = {tool.name: tool for tool in code.environment.tools}
        self.idle: dict[str, Judged] = {}
        """The last try of each tool of which nothing was done so far."""

    def run(self) -> Evaluation:
        for number, state in enumerate(self.states[:_AS_THEY_ARE]):
            self._in_one(state, list(self.tools.values()), first=number == 0)
        self._travel()
        self._never_done()
        order = list(self.tools)
        self.judged.sort(key=lambda call: order.index(call.probe.tool))
        total = sum(map(len, self.guards.of.values())) if self.guards is not None else 0
        seeds = [state.seed for state in self.states]
        report = report_of(self.code.environment, digest_of(self.code.source), seeds, self.judged)
        gaps = (*self._untried(), *self._unshown())
        return Evaluation(report, tuple(self.judged), total, total - len(list(self._unshown())), gaps)

    def _in_one(self, state: State, tools: Sequence[Tool], first: bool) -> None:
        bench = Bench(self.code, state, self.open_world)
        try:
            probing = Probing(bench, self.suggestions, self.refers, self.guards)
            made: list[Judged] = []
            for tool in tools:
                made += [self._judged(bench, probe) for probe in probing.probes(tool, self.known, first)]
                searched = probing.searches[tool.name]
                if not searched.permitted and tool.name not in self.idle:
                    probe = Probe(tool.name, "positive", f"{searched.tried} calls taken from the state", searched.last)
                    answer = Tried(bench.peek(tool.name, searched.last), None, bench.state, bench.state, NOTHING)
                    self.idle[tool.name] = _note(probe, bench, answer, "warning", NEVER_DONE)
            self.judged += made
            self._sequences(bench, made)
        finally:
            bench.close()

    def _travel(self) -> None:
        """Look further on for what the states themselves do not allow, and look at all rules there."""
        traveller = Traveller(self.code, self.open_world, self.suggestions, self.refers)
        writing = [tool for tool in self.tools.values() if tool.effect == "writes"]
        ends = [*self.states[_AS_THEY_ARE:], *self.states[:_AS_THEY_ARE]]
        for state in self.states[_AS_THEY_ARE:]:
            self._in_one(state, [self.tools[name] for name in self._missing()], first=False)
        for number in range(1, _JOURNEYS + 1):
            missing = self._missing()
            if not writing or (number > 1 and not missing):
                return
            start = ends[(number - 1) % len(ends)]
            journey = traveller.go(start, writing, number)
            ends[(number - 1) % len(ends)] = journey.end
            self._look_at_rules(journey)
            # The first journey leads to a world like any other; further ones only look for what is missing.
            tools = [tool for tool in self.tools.values() if tool.name in missing or (number == 1 and tool in writing)]
            self._in_one(journey.end, tools, first=False)

    def _missing(self) -> list[str]:
        """The tools of which something was not shown yet."""
        named = {gap.partition(":")[0] for gap in (*self._untried(), *self._unshown())}
        return [name for name in self.tools if name in named]

    def _look_at_rules(self, journey: Journey) -> None:
        """All rules hold at the end of a journey, or the call is found after which one does not."""
        if not isinstance(self.law, BlueprintInvariants) or not self.law.broken(journey.end.content):
            return
        world = self.open_world(self.code, journey.start.content, journey.start.seed)
        for place, step in enumerate(journey.steps, start=1):
            before = world.state()
            if step.now:
                world.set_clock(step.now)
            outcome = world.call(step.tool, step.arguments)
            after = world.state()
            broken = self.law.broken(after)
            if broken:
                probe = Probe(step.tool, "positive", f"call {place} of {journey.end.name}", step.arguments)
                reason = f"it broke the rule: {broken[0]}"
                said = outcome.text
                self.judged.append(
                    Judged(
                        probe, journey.start.name, before, after, diff_of_states(before, after), said, "fail", reason
                    )
                )
                break
        world.close()

    def _judged(self, bench: Bench, probe: Probe) -> Judged:
        tried = bench.attempt(probe.tool, probe.arguments, probe.earlier)
        judgement, reason = judge_call(probe, self.tools[probe.tool], tried, self.law)
        return _note(probe, bench, tried, judgement, reason)

    def _sequences(self, bench: Bench, made: Sequence[Judged]) -> None:
        """Ids that are given twice count against the call that gives them."""
        chosen: Counter[tuple[str, frozenset[str]]] = Counter()
        done = []
        for call in made:
            what = (call.probe.tool, frozenset({*call.diff.created, *(f"-{name}" for name in call.diff.deleted)}))
            if call.judgement != "fail" and not call.probe.earlier and what[1] and chosen[what] < _SAME:
                chosen[what] += 1
                done.append(((call.probe.tool, call.probe.arguments), call.diff))
        for (tool, arguments), tries, reason in reused_ids(bench, done):
            probe = Probe(tool, "positive", tries, arguments)
            tried = bench.attempt(tool, arguments)
            self.judged.append(_note(probe, bench, tried, "fail", reason))

    def _never_done(self) -> None:
        done = {call.probe.tool for call in self.judged if call.probe.kind == "positive"}
        self.judged += [call for name, call in self.idle.items() if name not in done]

    def _untried(self) -> Iterator[str]:
        tried = {call.probe.tool for call in self.judged if call.probe.kind == "positive" and call.reason != NEVER_DONE}
        yield from (f"{name}: {NEVER_DONE}" for name in self.tools if name not in tried)

    def _unshown(self) -> Iterator[str]:
        shown = {(call.probe.tool, call.probe.tries.partition(":")[0]) for call in self.judged}
        for name, guards in (self.guards.of if self.guards is not None else {}).items():
            for number, guard in enumerate(guards, start=1):
                if (name, f"guard {number} false") not in shown:
                    yield f"{name}: no call was found that passes the guards before this one: {guard.source}"


def _note(probe: Probe, bench: Bench, tried: Tried, judgement: Any, reason: str) -> Judged:
    return Judged(probe, bench.start.name, tried.before, tried.after, tried.diff, tried.outcome.text, judgement, reason)
