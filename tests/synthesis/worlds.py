"""Grown worlds of every blueprint: those that ship, and those under tests/blueprints that hold what the others do not."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from envscaler_mcp.config.choices import SEED
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.model import Model, Operation, Query
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.sampling.arguments import Arguments
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios import grow
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.nursery import compile_nursery
from tests.library_sample import sample, turns
from tests.synthesis.calls import Calls, State
from tests.synthesis.raw_writes import Raw, RawCalls, raw_writes
from tests.synthesis.twins import Twins, class_of, model_of

_TRICKY = {f.stem: f for f in sorted(Path(__file__).parents[1].glob("blueprints/*.yaml"))}
BLUEPRINTS = {**blueprint_files(), **_TRICKY}
NAMES = [*sample(blueprint_files(), 5), *_TRICKY]
"""Some that ship, and all the others."""
TURNS = [*turns(sample(blueprint_files(), 5), 2), *_TRICKY]
"""The same; the fast suite looks at two of those that ship."""


def with_seeds(*seeds: int) -> list[tuple[str, int]]:
    """Every blueprint with a seed: those that ship with one of these in turn, the others with each of them."""
    shipped = [(name, seeds[number % len(seeds)]) for number, name in enumerate(sorted(blueprint_files()))]
    return [*shipped, *((name, seed) for name in _TRICKY for seed in seeds)]


@cache
def model(name: str) -> Model:
    return model_of(BLUEPRINTS[name])


@cache
def compiled(name: str) -> Any:
    return class_of(model(name))


@cache
def raw(name: str) -> Raw:
    return raw_writes(model(name), 1)


@cache
def raw_compiled(name: str) -> Any:
    return class_of(raw(name).model)


@cache
def _nursery(name: str) -> Any:
    made = compile_nursery(model(name))
    return load_class(made.source, made.class_name)


@cache
def _grown(name: str, history: int) -> State:
    wanted = history if model(name).blueprint.start.records else 0
    return grow(model(name), _nursery(name), SEED, wanted).content


def start(name: str, history: int) -> State:
    """A state in which all rules hold, after so many operations; empty where the blueprint names no base records."""
    return copy.deepcopy(_grown(name, history))


class _Records:
    """A state with its containers as attributes, as the drawing of arguments reads it."""

    def __init__(self, state: State) -> None:
        vars(self).update(state)


class Player:
    """Draws calls of a model's tools, every second one so that its guards may let it through."""

    def __init__(self, name: str, seed: int) -> None:
        self.random, self.chance = Random(seed), Chance(seed, name)
        self.calls = Calls(model(name), self.random)
        asked: dict[str, Operation | Query] = {**model(name).operations, **model(name).queries}
        self.likely = {tool: Arguments(one, model(name)) for tool, one in asked.items()}

    def draw(self, state: State) -> tuple[str, dict[str, Any]]:
        tool, arguments = self.calls.any(state)
        if tool not in self.likely or self.random.random() < 0.5:
            return tool, arguments
        try:
            return tool, self.likely[tool].draw(_Records(state), self.chance) or arguments
        except GrowthError:
            # A text that only the author could choose, and nothing was said.
            return tool, arguments


def play(name: str, seed: int, calls: int, history: int) -> tuple[Twins, int]:
    """Both worlds after so many calls, and how many of them changed something."""
    state = start(name, history)
    twins = Twins(model(name), state, compiled(name))
    player = Player(name, seed)
    for _ in range(calls):
        twins.call(*player.draw(twins.meant.state))
    return twins, len(twins.done)


def write(name: str, seed: int, calls: int, history: int, made: Any = None) -> tuple[Twins, set[str]]:
    """Both worlds after so many raw writes, and the refusals that were met."""
    twins = Twins(raw(name).model, start(name, history), made or raw_compiled(name))
    random = Random(seed)
    drawing = RawCalls(raw(name), random)
    met: set[str] = set()
    for _ in range(calls):
        tool = random.choice(list(raw(name).model.operations))
        result = twins.call(tool, drawing.arguments(tool, twins.meant.state))
        met |= {result.get("error", "")}
    return twins, met
