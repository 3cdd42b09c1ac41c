"""Whether an agent can learn from scenarios: what is earned without understanding, and what a solution takes."""

from __future__ import annotations

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from envscaler_mcp.artifacts import LEVELS, Scenario, VariantCounts
from envscaler_mcp.episode.agent import Briefing
from envscaler_mcp.episode.guessing import RandomAgent
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.launch.opening import open_session
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.scenarios.clauses import Tally
from envscaler_mcp.scenarios.variety import TOO_ALIKE, Grams, alike, grams
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.stats.idle_clauses import by_kind, clauses_in, idle_share
from envscaler_mcp.stats.reading import Holding
from envscaler_mcp.stats.statistic import Cell, Histogram, Measured, MeasuredTable, Progress, Statistic
from envscaler_mcp.trust import load_code

_CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English and JSON; no model's tokenizer is at hand."""


@dataclass(frozen=True, slots=True)
class ScenarioSignal:
    """One scenario, and what agents earn that do not understand it."""

    id: str
    environment: str
    level: str
    split: str
    do_nothing: float
    random: float
    checks: int
    true_at_start: int
    mutants: VariantCounts
    texts: VariantCounts
    """Facts of the task's text left out or changed, and how many of those are noticed."""
    calls: int
    reads: int
    changes: int
    branches: int
    branches_held: int
    enabled: int
    distractors: int
    chosen: int
    """Records that the task describes."""
    alone: int
    """Those of them for which nothing else could be mistaken."""
    sentences: int
    stock: int
    task_tokens: int
    prompt_tokens: int
    """Task, introduction and tools."""
    proven: bool
    text: Grams
    clauses: Tally
    """What its text asks to be heeded, and how much of that decides something."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A corpus of scenarios."""

    scenarios: tuple[ScenarioSignal, ...]
    near_duplicates: tuple[tuple[str, str, float], ...]

    @property
    def table(self) -> dict[str, float]:
        """Means over all scenarios, and shares."""
        scenarios = self.scenarios
        many = len(scenarios) or 1
        branches = sum(scenario.branches for scenario in scenarios)
        made = sum(scenario.mutants.made - scenario.mutants.equivalent for scenario in scenarios)
        alike_ones = {name for first, other, _ in self.near_duplicates for name in (first, other)}
        return {
            "scenarios": float(len(scenarios)),
            "proven": sum(scenario.proven for scenario in scenarios) / many,
            "do-nothing reward": sum(scenario.do_nothing for scenario in scenarios) / many,
            "random-policy reward": sum(scenario.random for scenario in scenarios) / many,
            "checks true at the start": _share(
                sum(scenario.true_at_start for scenario in scenarios), sum(scenario.checks for scenario in scenarios)
            ),
            "kill rate": _share(sum(scenario.mutants.right for scenario in scenarios), made),
            "kill rate without the frame": _share(
                sum(scenario.mutants.right_without_frame for scenario in scenarios), made
            ),
            "text mutants noticed": _share(
                sum(scenario.texts.right for scenario in scenarios), sum(scenario.texts.made for scenario in scenarios)
            ),
            "oracle calls": sum(scenario.calls for scenario in scenarios) / many,
            "look-ups needed": sum(scenario.reads for scenario in scenarios) / many,
            "changes": sum(scenario.changes for scenario in scenarios) / many,
            "changes another one enables": sum(scenario.enabled for scenario in scenarios) / many,
            "branches": branches / many,
            "branches whose test holds": _share(sum(scenario.branches_held for scenario in scenarios), branches),
            "distractors": sum(scenario.distractors for scenario in scenarios) / many,
            "descriptions without a near miss": _share(
                sum(scenario.alone for scenario in scenarios), sum(scenario.chosen for scenario in scenarios)
            ),
            "clauses": sum(scenario.clauses.total() for scenario in scenarios) / many,
            "idle clauses": idle_share(_together(scenarios)),
            "task tokens": sum(scenario.task_tokens for scenario in scenarios) / many,
            "prompt tokens with tools": sum(scenario.prompt_tokens for scenario in scenarios) / many,
            "near-duplicates": len(alike_ones) / many,
            "default-worded sentences": _share(
                sum(scenario.stock for scenario in scenarios), sum(scenario.sentences for scenario in scenarios)
            ),
        }

    @property
    def levels(self) -> dict[str, dict[str, float]]:
        """How many there are of each level, and what they take."""
        by_level = {level: [scenario for scenario in self.scenarios if scenario.level == level] for level in LEVELS}
        return {
            level: {
                "scenarios": float(len(scenarios)),
                "calls": statistics.fmean(scenario.calls for scenario in scenarios),
                "calls sd": statistics.pstdev(scenario.calls for scenario in scenarios),
                "changes": statistics.fmean(scenario.changes for scenario in scenarios),
                "random-policy reward": statistics.fmean(scenario.random for scenario in scenarios),
                "idle clauses": idle_share(_together(scenarios)),
            }
            for level, scenarios in by_level.items()
            if scenarios
        }

    @property
    def splits(self) -> dict[str, int]:
        """How many scenarios there are to train on, to validate with, and held out."""
        return dict(sorted(Counter(scenario.split for scenario in self.scenarios).items()))

    def document(self) -> dict[str, object]:
        """Everything but the single scenarios, for programs."""
        return {
            "table": self.table,
            "levels": self.levels,
            "splits": self.splits,
            "near_duplicates": [list(pair) for pair in self.near_duplicates],
        }


def signal_of(holdings: Sequence[Holding], progress: Progress) -> Signal:
    """Play every scenario at random, and count."""
    signals: list[ScenarioSignal] = []
    checker = Checker()
    try:
        for number, holding in enumerate(holdings, start=1):
            signals.extend(_signals(holding, checker))
            progress(holding.environment.id, number, len(holdings))
    finally:
        checker.close()
    return Signal(tuple(signals), tuple(near_duplicates({scenario.id: scenario.text for scenario in signals})))


def _signals(holding: Holding, checker: Checker) -> Iterator[ScenarioSignal]:
    code = load_code(holding.folder)
    environment = holding.environment
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
        for tool in environment.tools
    ]
    around = _tokens(json.dumps(tools)) + _tokens(environment.introduction + "\n".join(environment.rules))
    for scenario in holding.scenarios:
        nothing, chance, true_at_start = _rewards(holding, code, scenario, checker)
        features = scenario.features
        task = _tokens(scenario.task)
        yield ScenarioSignal(
            id=scenario.id,
            environment=environment.id,
            level=scenario.level,
            split=scenario.split,
            do_nothing=nothing,
            random=chance,
            checks=len(scenario.checks),
            true_at_start=true_at_start,
            mutants=_all_mutants(scenario),
            texts=scenario.proof.text_mutants if scenario.proof is not None else VariantCounts(),
            calls=len(scenario.oracle),
            reads=features.get("reads", 0),
            changes=features.get("changes", 0),
            branches=features.get("branches", 0),
            branches_held=features.get("branches_held", 0),
            enabled=features.get("enabled", 0),
            distractors=features.get("distractors", 0),
            chosen=features.get("chosen", 0),
            alone=features.get("unmistakable", 0),
            sentences=features.get("sentences", 0),
            stock=features.get("stock_sentences", 0),
            task_tokens=task,
            prompt_tokens=task + around,
            proven=_whole(scenario),
            text=grams(scenario.spans),
            clauses=clauses_in(holding, code, scenario),
        )


def _rewards(holding: Holding, code: EnvironmentCode, scenario: Scenario, checker: Checker) -> tuple[float, float, int]:
    """What doing nothing and guessing earn, and how many checks are true before anything is done."""
    judging = partial(judge, checker=checker)
    with closing(open_session(holding.folder, code, scenario.id, None, None, None, judging)) as session:
        before = session.verify()
        environment = holding.environment
        agent = RandomAgent(
            Briefing(environment.id, environment.introduction, environment.tools, scenario.task, scenario.seed)
        )
        observation = scenario.task
        while (move := agent.act(observation)).tool is not None:
            observation = session.world.call(move.tool, move.arguments).text
        after = session.verify()
    return before.reward, after.reward, sum(answer is True for answer in before.checks)


def _all_mutants(scenario: Scenario) -> VariantCounts:
    kinds = scenario.proof.mutants.values() if scenario.proof is not None else ()
    return VariantCounts(
        made=sum(kind.made for kind in kinds),
        equivalent=sum(kind.equivalent for kind in kinds),
        right=sum(kind.right for kind in kinds),
        right_without_frame=sum(kind.right_without_frame for kind in kinds),
    )


def _whole(scenario: Scenario) -> bool:
    """Whether its proof says everything that a proof must say."""
    proof = scenario.proof
    if proof is None or proof.oracle_reward != 1.0 or proof.do_nothing_reward != 0.0:
        return False
    tallies = (*proof.mutants.values(), *proof.benign.values(), proof.orders)
    return all(tally.right == tally.made - tally.equivalent for tally in tallies)


def near_duplicates(texts: Mapping[str, Grams], least: float = TOO_ALIKE) -> Iterator[tuple[str, str, float]]:
    """Pairs with so many 3-grams in common, of all pairs there are.

    Two sets that are so alike share one of the rarest grams of each, so only those are looked up.
    """
    often = Counter(gram for of_text in texts.values() for gram in of_text)
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, of_text in texts.items():
        rarest = sorted(of_text, key=lambda gram: (often[gram], gram))[: len(of_text) - int(least * len(of_text)) + 1]
        others: Sequence[str] = sorted({other for gram in rarest for other in holders[gram]})
        for other in others:
            share = alike(of_text, texts[other])
            if share >= least:
                yield other, name, round(share, 3)
        for gram in rarest:
            holders[gram].append(name)


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def _together(scenarios: Iterable[ScenarioSignal]) -> Tally:
    """The clauses of all of them."""
    tally = Tally()
    for scenario in scenarios:
        tally += scenario.clauses
    return tally


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _measured(holdings: Sequence[Holding], _subject: str, progress: Progress) -> Measured:
    learned = signal_of(holdings, progress)
    heads = tuple(next(iter(learned.levels.values()), {}))
    levels: tuple[tuple[Cell, ...], ...] = tuple(
        (level, *(row[head] for head in heads)) for level, row in learned.levels.items()
    )
    return Measured(
        learned.document(),
        (
            MeasuredTable(("signal", "all scenarios"), tuple(learned.table.items())),
            MeasuredTable(("level", *heads), levels),
            by_kind((scenario.level, scenario.clauses) for scenario in learned.scenarios),
        ),
        (Histogram("calls of the oracle", tuple(scenario.calls for scenario in learned.scenarios), step=2),),
        (", ".join(f"{split.replace('_', ' ')} {many}" for split, many in learned.splits.items()),),
    )


SIGNAL = Statistic("the learning signal of the scenarios; plays each at random", _measured)
