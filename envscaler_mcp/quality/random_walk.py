"""A world some way further on: calls of every operation that are done, those made least often first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from envscaler_mcp.artifacts import State, Tool
from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.quality.probe_worlds import Opener
from envscaler_mcp.quality.suggestions import Suggestions
from envscaler_mcp.sampling import Chance
from envscaler_mcp.sampling.offers import Offers, offered
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.world import World

_STEPS = 24
_TOOLS_PER_STEP = 6
_DRAWS = 24


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One call, and what time it was, where a state says so."""

    now: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Journey:
    """The calls that were done, and where they led."""

    start: State
    steps: tuple[WalkStep, ...]
    end: State


class Traveller:
    """Makes journeys in worlds of one environment."""

    def __init__(
        self,
        code: EnvironmentCode,
        open_world: Opener,
        suggestions: Suggestions,
        refers: Mapping[tuple[str, str], str],
    ) -> None:
        self._code, self._opener, self._suggestions, self._refers = code, open_world, suggestions, refers

    def go(self, start: State, tools: Sequence[Tool], number: int) -> Journey:
        """The journey of that number from a state; equal arguments give equal journeys."""
        world = self._opener(self._code, start.content, start.seed)
        try:
            steps = tuple(self._calls(world, tools, number))
            end = start.model_copy(update={"name": f"{start.name}, journey {number}", "content": world.state()})
        except EnvScalerError:
            # What ends a world is met by the probes too, and judged there.
            return Journey(start, (), start)
        finally:
            world.close()
        return Journey(start, steps, end)

    def _calls(self, world: World, tools: Sequence[Tool], number: int) -> Iterator[WalkStep]:
        played: Counter[str] = Counter()
        chance = Chance(number, f"journeys of {self._code.environment.id}")
        for step in range(_STEPS):
            now = self._later(world, chance)
            state = world.state()
            order = chance.some(tools, len(tools))
            order.sort(key=lambda tool: played[tool.name])
            for tool in order[:_TOOLS_PER_STEP]:
                drawn = self._drawn(tool, state, number * _STEPS + step)
                done = next((given for given in drawn if world.call(tool.name, given).kind == "done"), None)
                if done is not None:
                    played[tool.name] += 1
                    yield WalkStep(now, tool.name, done)
                    break

    def _later(self, world: World, chance: Chance) -> str:
        """Some hours pass, where the state says what time it is."""
        now = world.state().get("now")
        if not isinstance(now, str) or not is_minute(now):
            return ""
        later = datetime.fromisoformat(now) + timedelta(minutes=15 * chance.between(4, 32))
        world.set_clock(later.isoformat(timespec="minutes"))
        return later.isoformat(timespec="minutes")

    def _drawn(self, tool: Tool, state: Mapping[str, Any], turn: int) -> Iterator[dict[str, Any]]:
        yield from islice(self._suggestions.of(tool.name, state, turn), _DRAWS)
        if not self._suggestions.knows(tool.name):
            offers = Offers(state, self._refers)
            schema = tool.input_schema
            values = {
                name: offers.of(tool.name, name, property_schema)
                for name, property_schema in schema.get("properties", {}).items()
            }
            yield from islice(offered(schema, values), turn % 5, None)
