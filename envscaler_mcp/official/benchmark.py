"""What a benchmark of other authors is here: the seam at which one is added.

A benchmark is two modules. One is a `Benchmark`, in this process: where the official files lie, which tasks there are, who
the user is, what ends an episode, and what of an episode its judge is told. The other runs in the host of official code
(`host_program.py`): `load()` imports that code, `World(content)` is a task's world (its `view()` what people see of it, and its `heard(text)`, where there is one, what a user has said that it did not make), and `judge(content, record)` its verdict. Where models may write their
calls, `Writing(content, calls)` words the requests to them and reads their answers, in the way that `calls` names.
A package adds one by an entry point in the group `envscaler.benchmarks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from envscaler_mcp.artifacts import Call, Step
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.rules import EpisodeRules
from envscaler_mcp.episode.user import User, UserWorld
from envscaler_mcp.official.host import HostedCode
from envscaler_mcp.official.source import Requirement, Source
from envscaler_mcp.official.world import OfficialWorld
from envscaler_mcp.plugins import PlugIns


@dataclass(frozen=True, slots=True)
class OfficialTask:
    """One task of a benchmark."""

    id: str
    category: str
    content: Mapping[str, Any]
    """What the host is given to open its world, and to judge it: JSON."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """What beside that only its judge is given."""
    servers: tuple[str, ...] = ()
    """The official classes that can be served alone, as `envscaler serve NAME:SERVER` names them."""
    system: str = ""
    """What the agent's model is told first; nothing is a request without a system message."""
    texts: tuple[str, ...] = ()
    """What its user says, or is told to want; nothing is made of it but comparisons."""
    turns: tuple[str, ...] = ()
    """What is said in each turn, where the task says that; else all that its user wants. People are shown it."""
    no_user: bool = False
    """Whether no user answers in it, where a model plays the users of other tasks."""
    documents: tuple[tuple[str, str], ...] = ()
    """Name and description of every tool."""
    reference: tuple[tuple[tuple[Call, ...], ...], ...] = ()
    """The authors' solution, if it is a list of calls: turn by turn, step by step."""
    closing: tuple[str, ...] = ()
    """What an agent that plays it says at the end of each turn, where that counts."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A scripted episode, and what the official code said of it."""

    task: str
    variant: str
    turns: tuple[tuple[tuple[Call, ...], ...], ...]
    """The calls of each step of each turn; the agent ends a turn with words."""
    words: tuple[str, ...] = ()
    """What the agent says at the end of each turn; empty where that is nothing."""
    user: tuple[str, ...] = ()
    """What the user says in answer, where the benchmark leaves that to a model."""
    spoken: tuple[str, ...] = ()
    """What the agent says beside the calls of each step, over all turns; empty where that is nothing."""
    moves: int | None = None
    """After how many moves the script has ended, where it leaves the episode open."""
    observations: tuple[str, ...] = ()
    """The first 16 digits of the SHA-256 of every result, in the order of the calls."""
    texts: Callable[[Sequence[Step]], list[str]] = lambda steps: [step.observation for step in steps if step.tool]
    """What these are the digests of."""
    expected: Mapping[str, Any] = field(default_factory=dict)
    """The fields of the judge's answer that must be so."""


@runtime_checkable
class Benchmark(Protocol):
    """A benchmark of other authors."""

    @property
    def name(self) -> str:
        """As commands name it, such as `bfcl-v3`."""

    @property
    def title(self) -> str:
        """One line for people."""

    @property
    def requirement(self) -> Requirement:
        """What must be on this machine."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The parts that are reported each alone."""

    @property
    def default_categories(self) -> tuple[str, ...]:
        """Those that are played where none is named; the mean of their figures is the benchmark's."""

    @property
    def max_steps(self) -> int:
        """Moves after which any episode ends."""

    @property
    def temperature(self) -> float | None:
        """With which official runs ask the agent's model."""

    @property
    def calls(self) -> tuple[Calls, ...]:
        """How models may call. For any way but `native` its module in the host has a `Writing`."""

    @property
    def needs_user_model(self) -> bool:
        """Whether a model plays the user."""

    @property
    def user_strategies(self) -> tuple[str, ...]:
        """The ways in which that model is asked, the usual one first; none where there is no choice."""

    @property
    def published(self) -> Mapping[str, float]:
        """Figures of the EnvScaler paper, in percent, by what they are of."""

    @property
    def differences(self) -> tuple[str, ...]:
        """In what an episode here differs from an official one, in sentences."""

    def hosted(self, source: Source) -> HostedCode:
        """What its host imports."""

    def tasks(self, source: Source) -> Sequence[OfficialTask]:
        """All tasks, in the official order."""

    def alone(self, task: OfficialTask, server: str) -> Mapping[str, Any]:
        """The content of a world with one of the task's servers, and all tools of that."""

    def rules(self, task: OfficialTask) -> EpisodeRules:
        """What ends an episode."""

    def user(
        self, task: OfficialTask, world: UserWorld, player: ModelPlayer | None, seed: int, strategy: str = ""
    ) -> User:
        """Who gives the agent its work. Where a model is needed to play it and none is given, a script does."""

    def scripted_user(self, task: OfficialTask, world: OfficialWorld, fixture: Fixture) -> User:
        """The same for a scripted episode, without a model."""

    def record(self, task: OfficialTask, steps: Sequence[Step]) -> Any:
        """What the judge is told of an episode: JSON."""

    def fixture(self, line: Mapping[str, Any]) -> Fixture | None:
        """The scripted episode in a line of a file, if it is one of this benchmark's."""


BENCHMARKS: PlugIns[Benchmark] = PlugIns(
    "envscaler.benchmarks",
    Benchmark,  # type: ignore[type-abstract]
    {
        "bfcl-v3": "envscaler_mcp.official.bfcl.benchmark:V3",
        "bfcl-v4": "envscaler_mcp.official.bfcl.benchmark:V4",
        "tau-retail": "envscaler_mcp.official.tau.benchmark:RETAIL",
        "tau-airline": "envscaler_mcp.official.tau.benchmark:AIRLINE",
        "acebench": "envscaler_mcp.official.ace.benchmark:ACEBENCH",
    },
)
"""By name, those of this package first."""
