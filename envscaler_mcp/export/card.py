"""A data set card: what the exported rows hold, counted while they are written, in the form of Hugging Face's README files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envscaler_mcp import __version__
from envscaler_mcp.artifacts import Scenario, digest_of
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.errors import ArtifactError, ExportError
from envscaler_mcp.export.dialogue import Dialogue
from envscaler_mcp.export.filters import Reason
from envscaler_mcp.home import ServerFolders
from envscaler_mcp.html.visible import on_one_line
from envscaler_mcp.library import ShippedDigests, shipped_digests
from envscaler_mcp.serving.code import SOURCE
from envscaler_mcp.serving.tasks import TASKS

_MARK = "envscaler-mcp-card"
"""A tag of every card; a file without it is not replaced."""
_MOST_ROWS = 400
"""Of the table of environments."""


@dataclass
class RowCounts:
    """What was written, by environment and by everything that a reader of the data chooses by."""

    episodes: int = 0
    turns: int = 0
    calls: int = 0
    characters: int = 0
    """Of the agent's turns: what carries loss."""
    thoughts: int = 0
    """Turns with reasoning."""
    reward: float = 0.0
    by: dict[str, Counter[str]] = field(default_factory=dict)
    """How many episodes there are of each agent, mode, split and so on."""
    environments: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Episodes by environment and the digest of its code."""
    scenarios: set[str] = field(default_factory=set)
    tasks: dict[str, set[str]] = field(default_factory=dict)
    """The digests of the scenarios of each environment."""

    def counted(self, dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
        """The same dialogues, each counted when it is written."""
        for dialogue in dialogues:
            self._count(dialogue)
            yield dialogue

    def _count(self, dialogue: Dialogue) -> None:
        played = dialogue.trajectory
        self.episodes += 1
        self.reward += played.verdict.reward
        self.environments[played.environment, played.code_digest] += 1
        self.scenarios.add(played.scenario)
        self.tasks.setdefault(played.environment, set()).add(played.scenario_digest)
        facts = dialogue.facts
        for name in ("split", "agent", "mode", "user", "ended", "solved", "masked", "scoring", "grading"):
            value = facts[name]
            self.by.setdefault(name, Counter())[str(value).lower() if isinstance(value, bool) else value or "none"] += 1
        for message in dialogue.lesson:
            if message["role"] == "assistant":
                calls = message.get("tool_calls", [])
                self.turns += 1
                self.calls += len(calls)
                self.thoughts += "reasoning_content" in message
                self.characters += len(message["content"]) + len(json.dumps(calls)) * bool(calls)


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence of environments, and whose they are."""

    name: str
    about: str


LIBRARY = Licence("Apache-2.0", "environments of the library of EnvScaler MCP")
_UNKNOWN = Licence("unknown", "environments from elsewhere: their authors decide")


def of_library(servers: ServerFolders, counts: RowCounts) -> frozenset[str]:
    """Those of the environments whose code and tasks, as they were played, are what was released with this installation.

    A fresh task is none of these: whose words it holds is not known here.
    """
    released = shipped_digests()
    played: dict[str, set[str]] = {}
    for name, code in counts.environments:
        played.setdefault(name, set()).add(code)
    return frozenset(
        name
        for name, codes in played.items()
        if name in released
        and codes == {released[name].code}
        and counts.tasks.get(name, set()) <= _released_tasks(servers / name, released[name])
    )


def _released_tasks(folder: Path, released: ShippedDigests) -> set[str]:
    """The digests of the folder's tasks; none where its code or its file of tasks is another than was released."""
    try:
        code, tasks = read_member_text(folder, SOURCE), read_member_text(folder, TASKS)
    except ArtifactError:
        return set()
    if (digest_of(code), digest_of(tasks)) != (released.code, released.tasks):
        return set()
    return {Scenario.from_text(line, str(folder / TASKS)).digest for line in tasks.split("\n") if line}


def write_card(path: Path, card: str) -> None:
    """Write it; a file that is no card of ours is left alone."""
    check_card(path)
    write_text(path, card)


def check_card(path: Path) -> None:
    """Refuse a path where a file lies that is no card of ours."""
    if has_member(path.parent, path.name) and _MARK not in read_member_text(path.parent, path.name)[:2000]:
        raise ExportError(f"{path} exists and is no card that an export wrote; name another file with --card.")


def card_text(
    data: Path, form: str, rows: int, counts: RowCounts, library: Collection[str], removed: Mapping[Reason, int]
) -> str:
    """The card as Markdown, with the metadata that Hugging Face reads before it; `library` names environments that ship."""
    licences: Counter[Licence] = Counter()
    for (name, _), episodes in counts.environments.items():
        licences[LIBRARY if name in library else _UNKNOWN] += episodes
    known = set(licences) == {LIBRARY}
    head = [
        "---",
        f"license: {'apache-2.0' if known else 'other'}",
        "language: [en]",
        f"tags: [agents, tool-use, mcp, {_MARK}]",
        "size_categories: [" + _size(rows) + "]",
        "---",
    ]
    mean = counts.reward / counts.episodes if counts.episodes else 0.0
    about = (
        f"{counts.episodes:,} episodes of tool-using agents in {len({name for name, _ in counts.environments}):,} stateful "
        f"environments, written by `envscaler export --format {form}` of EnvScaler MCP {__version__}. "
        "Each final state was judged by the checks of its task."
    )
    lines = [
        *head,
        "",
        f"# {_plain(data.stem)}",
        "",
        about,
        "",
        *_table(
            ("what", "count"),
            [
                ("rows", f"{rows:,}"),
                ("episodes", f"{counts.episodes:,}"),
                ("tasks", f"{len(counts.scenarios):,}"),
                ("turns of the agent", f"{counts.turns:,}"),
                ("tool calls", f"{counts.calls:,}"),
                ("turns with reasoning", f"{counts.thoughts:,}"),
                ("characters of the agent", f"{counts.characters:,}"),
                ("mean reward", f"{mean:.3f}"),
            ],
        ),
    ]
    if not counts.thoughts:
        lines += ["", "No turn has reasoning: train without thinking, or the model learns to think nothing."]
    for name, values in counts.by.items():
        lines += ["", f"**{name}**: " + ", ".join(f"{_plain(value)} {many:,}" for value, many in values.most_common())]
    lines += [
        "",
        "## Left out",
        "",
        *_table(
            ("reason", "episodes"), [(why, f"{many:,}") for why, many in removed.items() if many] or [("none", "0")]
        ),
        "",
        "## Licences",
        "",
        *(f"* {licence.about}: {licence.name} ({many:,} episodes)" for licence, many in licences.most_common()),
        "* what agents and users said: where a model wrote it, the terms of that model hold",
        "",
        "## Environments",
        "",
        *_table(
            ("environment", "code", "episodes"),
            [
                (_plain(name), f"`{_plain(digest)}`", f"{many:,}")
                for (name, digest), many in sorted(counts.environments.items())[:_MOST_ROWS]
            ],
        ),
    ]
    if len(counts.environments) > _MOST_ROWS:
        lines += ["", f"and {len(counts.environments) - _MOST_ROWS:,} more."]
    return "\n".join([*lines, ""])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _plain(text: str) -> str:
    """A text of a run as it may stand in a card: no markup, no table cell, one line."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#&!" else sign for sign in on_one_line(text))


def _size(rows: int) -> str:
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for most, name in bounds if rows < most), "n>1M")
