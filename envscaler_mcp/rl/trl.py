"""Tasks for TRL's GRPOTrainer (1.16 or newer): `environment_factory`, and the rows of a dataset. TRL is not imported here.

from envscaler_mcp import rl
from envscaler_mcp.rl.trl import dataset, factories

gym = rl.local()
rows = dataset(gym, ["hospital_stays", "library_loans"], split="train")
trainer = GRPOTrainer(
    model="Qwen/Qwen3-0.6B",
    train_dataset=Dataset.from_list(rows),
    environment_factory=factories(gym, ["hospital_stays", "library_loans"]),
    args=GRPOConfig(max_tool_calling_iterations=30),
)
trainer.train()
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Unpack

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.config.choices import Level, Split
from envscaler_mcp.errors import RunError, SandboxError, WorldError
from envscaler_mcp.rl.episode import Episode
from envscaler_mcp.rl.errors import MaskedError
from envscaler_mcp.rl.functions import python_name, tool_method
from envscaler_mcp.rl.gym import Gym
from envscaler_mcp.rl.options import Choices

_TAKEN = frozenset({"reset", "get_reward"})
"""Names that TRL gives a meaning to, besides those with a line in front."""


MOST_STARTS = 64
"""Starts of one environment that stay open, to be forked by the rollouts of their groups."""


class RolloutStarts:
    """Where rollouts begin: each start is opened once, and what its group plays are forks of it."""

    def __init__(self, gym: Gym, options: Choices) -> None:
        self._gym = gym
        self._options = options
        self._open: OrderedDict[tuple[str, int], Episode] = OrderedDict()

    def fork(self, scenario: str, begun: int = 0) -> Episode:
        """An episode of its own at a task, after so many calls of the stored solution."""
        known = self._open.get((scenario, begun))
        if known is not None:
            self._open.move_to_end((scenario, begun))
            try:
                return known.fork()
            except (MaskedError, WorldError, SandboxError):
                # Its worker ended, or its lease at a farm.
                self._open.pop((scenario, begun)).close()
        start = self._open[scenario, begun] = self._begun(scenario, begun)
        if len(self._open) > MOST_STARTS:
            self._open.popitem(last=False)[1].close()
        return start.fork()

    def _begun(self, scenario: str, begun: int) -> Episode:
        episode = self._gym.open(scenario, **self._options)
        for call in episode.scenario.oracle[:begun]:
            episode.call(call.tool, call.arguments)
        return episode


class TrlEnvironment:
    """What TRL makes for each rollout and uses again for others. A subclass has the tools of one environment as methods."""

    _starts: ClassVar[RolloutStarts]

    def __init__(self) -> None:
        self._episode: Episode | None = None

    def reset(self, **row: Any) -> None:
        """Begin the row's scenario in a world of its own; the row's prompt says all that is to be said."""
        self._close()
        self._episode = self._starts.fork(str(row["scenario"]), int(row.get("begun") or 0))

    def get_reward(self) -> float | None:
        """The reward; None, which TRL leaves out, where what failed was not the policy."""
        verdict = self._playing().verify()
        return None if verdict.masked else verdict.reward

    def _playing(self) -> Episode:
        if self._episode is None:
            raise RunError("No scenario was begun: `reset` comes first, with a row that has one.")
        return self._episode

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        return str(self._playing().call(name, arguments))

    def _close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def tool_class(gym: Gym, environment: str, **options: Unpack[Choices]) -> type[TrlEnvironment]:
    """A class whose public methods are the tools of an environment."""
    if options.get("mode", "task") != "task":
        raise RunError("TRL plays tasks only: no user answers what its policy says. Leave mode out, or take rl.gym.")
    methods = dict(_method(tool) for tool in gym.card(environment).tools)
    name = "".join(word.capitalize() for word in environment.replace("-", "_").split("_"))
    return type(name, (TrlEnvironment,), {"_starts": RolloutStarts(gym, options), "__doc__": None, **methods})


def factories(
    gym: Gym, environments: Iterable[str], **options: Unpack[Choices]
) -> dict[str, Callable[[], TrlEnvironment]]:
    """`environment_factory`, by the value of a row's column `environment`."""
    return {environment: tool_class(gym, environment, **options) for environment in environments}


def dataset(
    gym: Gym,
    environments: str | Iterable[str],
    *,
    level: Level | None = None,
    split: Split | None = "train",
    limit: int | None = None,
    solved: float = 0.0,
) -> list[dict[str, Any]]:
    """A row for each task: `prompt` as `envscaler run` tells it, `scenario`, and `environment`.

    `solved` is the share of the stored solution that was already played where the row begins, below 1: a policy that
    solves nothing yet begins near the end.
    """
    rows: list[dict[str, Any]] = []
    for scenario in gym.tasks(environments, level=level, split=split):
        if limit is not None and len(rows) >= limit:
            break
        begun = max(0, min(int(solved * len(scenario.oracle)), len(scenario.oracle) - 1))
        with gym.open(scenario) as episode:
            for call in scenario.oracle[:begun]:
                episode.call(call.tool, call.arguments)
            prompt = episode.messages
        rows.append({"prompt": prompt, "environment": scenario.environment, "scenario": scenario.id, "begun": begun})
    return rows


def _method(tool: Tool) -> tuple[str, Callable[..., str]]:
    method = tool_method(tool, _called)
    name = python_name(tool.name)
    if name in _TAKEN or name.startswith("_"):
        raise RunError(f"The tool {tool.name!r} has a name that TRL does not take for a tool.")
    return name, method


def _called(environment: TrlEnvironment, name: str, arguments: dict[str, Any]) -> str:
    return environment._call(name, arguments)
