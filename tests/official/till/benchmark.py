"""The till's benchmark, as a package of other authors would add it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Call, Step
from envscaler_mcp.artifacts.run import Calls
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.rules import Ending
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.episode.user import STOP, Look, User, UserWorld
from envscaler_mcp.official.benchmark import Fixture, OfficialTask
from envscaler_mcp.official.host import HostedCode
from envscaler_mcp.official.model_user import OfficialModelUser
from envscaler_mcp.official.source import Requirement, Source
from envscaler_mcp.official.world import OfficialWorld

REQUIREMENT = Requirement(
    name="till",
    version="tillbench 1",
    licence="Apache-2.0",
    folders=("tillbench",),
    install="pip install --target {folder} tillbench==1",
    pins="tests.official.till:pins.json",
)


@dataclass(frozen=True)
class TillBenchmark:
    name: str = "till"
    title: str = "A till"
    categories: tuple[str, ...] = ("easy", "hard")
    default_categories: tuple[str, ...] = ("easy", "hard")
    max_steps: int = 20
    temperature: float | None = 0.25
    calls: tuple[Calls, ...] = ("native", "written")
    needs_user_model: bool = False
    user_strategies: tuple[str, ...] = ()
    differences: tuple[str, ...] = ("There is none.",)
    requirement: Requirement = REQUIREMENT

    @property
    def published(self) -> Mapping[str, float]:
        return {"a model": 50.0}

    def hosted(self, source: Source) -> HostedCode:
        return HostedCode(
            adapter="tests.official.till.inside",
            packages=("tillbench",),
            roots=source.roots,
            pins=source.digests,
            stubs=("heavy_things_nobody_has",),
        )

    def tasks(self, source: Source) -> Sequence[OfficialTask]:
        return [
            OfficialTask(
                id=line["id"],
                category=line["category"],
                content={name: line[name] for name in ("balance", "says", "withheld")},
                answers={"wanted": line["wanted"]},
                servers=("Till",),
                texts=tuple(line["says"]),
                documents=(("deposit", "puts in"), ("withdraw", "takes out"), ("get_book", "reads the book")),
                reference=tuple(
                    tuple((Call(tool=name, arguments=arguments),) for name, arguments in turn) for turn in line["calls"]
                ),
            )
            for line in source.json_lines("tillbench/tasks.jsonl")
        ]

    def alone(self, task: OfficialTask, server: str) -> Mapping[str, Any]:
        return {**task.content, "withheld": {}}

    def rules(self, task: OfficialTask) -> Rules:
        return Rules()

    def user(
        self, task: OfficialTask, world: UserWorld, player: ModelPlayer | None, seed: int, strategy: str = ""
    ) -> User:
        return Asker(task, world)

    def scripted_user(self, task: OfficialTask, world: OfficialWorld, fixture: Fixture) -> Asker:
        return Asker(task, world)

    def record(self, task: OfficialTask, steps: Sequence[Step]) -> list[list[Any]]:
        return [[step.tool, step.arguments] for step in steps if step.tool and not step.malformed]

    def fixture(self, line: Mapping[str, Any]) -> Fixture | None:
        if line.get("bench") != self.name:
            return None
        turns = tuple(
            tuple(tuple(Call(tool=name, arguments=arguments) for name, arguments in step) for step in turn)
            for turn in line["turns"]
        )
        return Fixture(line["id"], line["variant"], turns, observations=tuple(line["sha"]), expected=line["expect"])


@dataclass(frozen=True)
class TalkingBenchmark(TillBenchmark):
    """The same till, whose user a model plays."""

    name: str = "till-talk"
    calls: tuple[Calls, ...] = ("native",)
    needs_user_model: bool = True
    user_strategies: tuple[str, ...] = ("plain", "rude")

    def user(
        self, task: OfficialTask, world: UserWorld, player: ModelPlayer | None, seed: int, strategy: str = ""
    ) -> User:
        if player is None:
            return Asker(task, world)
        return OfficialModelUser(world, player, seed, strategy or "plain", None)


class Rules:
    hears_silence = True
    one_call = False

    def ending(self, steps: Sequence[Step]) -> Ending | None:
        """Four calls end an episode."""
        return "steps" if sum(map(is_call, steps)) >= 4 else None


class Asker:
    def __init__(self, task: OfficialTask, world: UserWorld) -> None:
        self._says, self._withheld, self._world = task.content["says"], task.content["withheld"], world
        self._turn = 0

    async def opening(self) -> str:
        return str(self._says[0])

    async def reply(self, said: str, look: Look) -> str:
        self._turn += 1
        if self._turn >= len(self._says):
            return STOP
        if str(self._turn) in self._withheld:
            await self._world.release(self._turn)
        return str(self._says[self._turn])


TILL = TillBenchmark()
TALK = TalkingBenchmark()
