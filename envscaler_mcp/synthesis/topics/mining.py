"""From raw requests to the lines of work that they are about, and what of them the library covers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envscaler_mcp.errors import TopicError
from envscaler_mcp.synthesis.topics.grouping import grouped_topics
from envscaler_mcp.synthesis.topics.stateful import Finding, look_at
from envscaler_mcp.synthesis.topics.vectors import Vector, Weights, cosine

COVERED = 0.10
"""How near a group must be to what an environment says of itself to be covered by it."""


@dataclass(frozen=True, slots=True)
class RawTask:
    """One request as it was written."""

    text: str
    line: int
    stateful: bool | None = None
    """What a person said of it, where one did."""


@dataclass(frozen=True, slots=True)
class Match:
    """An environment that is about what a group is about."""

    environment: str
    nearness: float


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """Requests that speak of the same things."""

    words: tuple[str, ...]
    tasks: tuple[RawTask, ...]
    matches: tuple[Match, ...]
    """The nearest environments, the nearest first."""

    @property
    def covered(self) -> bool:
        return bool(self.matches) and self.matches[0].nearness >= COVERED


@dataclass(frozen=True, slots=True)
class Mined:
    """What raw requests hold."""

    tasks: tuple[RawTask, ...]
    findings: tuple[Finding, ...]
    groups: tuple[TopicGroup, ...]

    @property
    def stateful(self) -> int:
        return sum(finding.stateful for finding in self.findings)

    @property
    def agreement(self) -> dict[str, float] | None:
        """How often people who labelled requests agree; nothing where no person labelled any."""
        pairs = [
            (f.stateful, t.stateful) for f, t in zip(self.findings, self.tasks, strict=True) if t.stateful is not None
        ]
        if not pairs:
            return None
        right = sum(judged and said for judged, said in pairs)
        positive = sum(judged for judged, _ in pairs)
        wanted = sum(bool(said) for _, said in pairs)
        return {
            "labelled": float(len(pairs)),
            "precision": right / positive if positive else 1.0,
            "recall": right / wanted if wanted else 1.0,
        }


def read_raw_tasks(path: Path) -> tuple[RawTask, ...]:
    """One request a line: a JSON object with `task`, or plain text; a label `stateful` is kept."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as cause:
        raise TopicError(f"{path} cannot be read: {cause}") from cause
    tasks = tuple(_task(line, number, path) for number, line in enumerate(lines, start=1) if line.strip())
    if not tasks:
        raise TopicError(f'{path} holds no tasks; write one a line, as text or as {{"task": "…"}}.')
    return tasks


def _task(line: str, number: int, path: Path) -> RawTask:
    if not line.lstrip().startswith("{"):
        return RawTask(line.strip(), number)
    try:
        document: Any = json.loads(line)
    except ValueError as cause:
        raise TopicError(f"{path}, line {number}: this is no JSON: {cause}") from cause
    text, said = document.get("task"), document.get("stateful")
    if not isinstance(text, str) or not text.strip() or not (said is None or isinstance(said, bool)):
        raise TopicError(
            f'{path}, line {number}: write {{"task": "…"}}, and "stateful": true or false where you know it'
        )
    return RawTask(text.strip(), number, said)


def mine(tasks: Sequence[RawTask], library: Mapping[str, str], judged: Sequence[Finding] | None = None) -> Mined:
    """Keep what needs records, group it, and hold the groups beside what environments say of themselves.

    What was judged elsewhere, task by task, is not looked at again.
    """
    findings = tuple(judged) if judged is not None else tuple(look_at(task.text) for task in tasks)
    stateful = [task for task, finding in zip(tasks, findings, strict=True) if finding.stateful]
    weights = Weights([*library.values(), *(task.text for task in stateful)])
    vectors = [weights.vector(task.text) for task in stateful]
    described = {name: weights.vector(text) for name, text in library.items()}
    groups = tuple(
        TopicGroup(
            group.words, tuple(stateful[place] for place in group.members), tuple(_matches(group.middle, described))
        )
        for group in grouped_topics(vectors)
    )
    return Mined(tuple(tasks), findings, groups)


def _matches(middle: Vector, described: Mapping[str, Vector], most: int = 3) -> Iterator[Match]:
    near: Iterable[tuple[float, str]] = ((cosine(middle, vector), name) for name, vector in described.items())
    for nearness, name in sorted(near, key=lambda pair: (-pair[0], pair[1]))[:most]:
        if nearness > 0:
            yield Match(name, round(nearness, 4))
