"""How near the tasks and tools of a home are to those of a benchmark, so that one can be trained on and the other measured by.

Three questions, from narrow to wide: which tasks share a run of words with the benchmark's, how like its nearest text each
task is, and which tools have the same names. Names, numbers and quoted values count as words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.official.benchmark import BENCHMARKS
from envscaler_mcp.official.source import find
from envscaler_mcp.stats.reading import Holding
from envscaler_mcp.stats.statistic import Measured, MeasuredTable, Progress, Statistic

LENGTHS = (5, 8, 13)
"""Words in a row; thirteen are what is usually taken for a copy."""
_SHOWN = 8
_WORD = re.compile(r"\w+")

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    id: str
    words: tuple[str, ...]


def overlap(homes: Sequence[Holding], benchmark: str, progress: Progress) -> Measured:
    """Tasks and tools of a home beside those of a benchmark whose files are here."""
    if benchmark not in BENCHMARKS:
        raise EnvScalerError(f"There is no benchmark {benchmark!r}; `envscaler bench list` shows them.")
    chosen = BENCHMARKS[benchmark]
    theirs = chosen.tasks(find(chosen.requirement))
    official = [_Text(task.id, _words(" ".join(task.texts))) for task in theirs]
    own = list(_own(homes, progress))
    shared = {length: _shared(own, official, length) for length in LENGTHS}
    nearest = _nearest(own, official)
    names = {name for task in theirs for name, _ in task.documents}
    tools = _same_names(homes, names)
    copied = len(shared[LENGTHS[-1]])
    total = len(own) or 1
    rows = tuple(
        (
            f"{length} words in a row",
            len(sharing),
            100 * len(sharing) / total,
            len({hit for hits in sharing.values() for hit in hits}),
        )
        for length, sharing in shared.items()
    )
    document = {
        "benchmark": benchmark,
        "tasks": len(own),
        "benchmark_tasks": len(official),
        "sharing": {str(length): len(sharing) for length, sharing in shared.items()},
        "nearest": [
            {"task": task, "benchmark_task": other, "similarity": round(alike, 4)} for alike, task, other in nearest
        ],
        "tools": sum(len(holding.environment.tools) for holding in homes),
        "benchmark_tools": len(names),
        "same_tool_names": {name: list(where) for name, where in tools.items()},
    }
    return Measured(
        document,
        (
            MeasuredTable(
                ("shared", "tasks", "percent", f"tasks of {benchmark}"),
                rows,
                f"{len(own):,} tasks beside {len(official):,} of {benchmark}: how many share words in a row with any of them.",
            ),
            MeasuredTable(
                ("task", f"task of {benchmark}", "similarity"),
                tuple((task, other, alike) for alike, task, other in nearest),
                "The most alike: common triples of words, as a share of all triples of both.",
            ),
            MeasuredTable(
                ("tool", "environments"),
                tuple((name, ", ".join(where[:4]) + (" …" if len(where) > 4 else "")) for name, where in tools.items()),
                f"{len(tools)} of {len(names)} tool names of {benchmark} are names of tools here, too.",
            ),
        ),
        passed=copied == 0,
    )


def _own(homes: Sequence[Holding], progress: Progress) -> Iterator[_Text]:
    for number, holding in enumerate(homes, 1):
        for scenario in holding.scenarios:
            yield _Text(scenario.id, _words(scenario.task))
        progress(holding.environment.id, number, len(homes))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


def _grams(words: Sequence[str], length: int) -> Iterator[Gram]:
    return (tuple(words[begin : begin + length]) for begin in range(len(words) - length + 1))


def _shared(own: Sequence[_Text], official: Sequence[_Text], length: int) -> dict[str, set[str]]:
    """The tasks that share such a run of words, each with the benchmark's tasks that have it."""
    places: dict[Gram, set[str]] = defaultdict(set)
    for text in official:
        for gram in _grams(text.words, length):
            places[gram].add(text.id)
    hits = {text.id: set[str]().union(*(places.get(gram, ()) for gram in _grams(text.words, length))) for text in own}
    return {task: others for task, others in hits.items() if others}


def _nearest(own: Sequence[_Text], official: Sequence[_Text]) -> list[tuple[float, str, str]]:
    """The most alike pairs, one for each task of a home."""
    sets = {text.id: set(_grams(text.words, 3)) for text in official}
    places: dict[Gram, list[str]] = defaultdict(list)
    for name, grams in sets.items():
        for gram in grams:
            places[gram].append(name)
    pairs = []
    for text in own:
        grams = set(_grams(text.words, 3))
        common = Counter(name for gram in grams for name in places.get(gram, ()))
        alike = [(count / len(grams | sets[name]), text.id, name) for name, count in common.items()]
        pairs += [max(alike)] if alike else []
    return sorted(pairs, reverse=True)[:_SHOWN]


def _same_names(homes: Iterable[Holding], names: set[str]) -> Mapping[str, Sequence[str]]:
    where: dict[str, list[str]] = defaultdict(list)
    for holding in homes:
        for tool in holding.environment.tools:
            if tool.name in names:
                where[tool.name].append(holding.environment.id)
    return dict(sorted(where.items()))


OVERLAP = Statistic("how near tasks and tools are to those of a benchmark", overlap)
