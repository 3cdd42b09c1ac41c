"""What agents read in dialects, searched for the words of the world itself: ids, names of tools and names of fields.

`python -m tests.dialects.leaks 10` plays ten episodes of each environment that ships and prints what was read and what leaked.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from envscaler_mcp.artifacts import Environment, Scenario
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.serving.spoken_world import SpokenWorld
from tests.dialects.shipped import ALL, ID, code_of, scenarios_of, spoken_world_at

PLAYERS = ("oracle", "random", "wrong")
MOST_CALLS = 15


@dataclass
class Read:
    """What agents of some episodes have read, and what of it they should not have."""

    episodes: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    letters: int = 0
    leaks: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Environment, dialect, the word, and where it stood."""


def play_episodes(environment: str, many: int, read: Read) -> None:
    """Episodes of the players by turns, each in a dialect of its own; every other one is held out."""
    scenarios = list(scenarios_of(environment))
    for number in range(many):
        player = PLAYERS[number % len(PLAYERS)]
        name = DialectName(number // 2, held_out=number % 2 == 1)
        scenario = scenarios[number % len(scenarios)]
        dialect = Dialect(code_of(environment).environment, name)
        world = spoken_world_at(scenario, dialect)
        read.episodes[player] += 1
        hidden = hidden_words(code_of(environment).environment, dialect)
        ids = ids_in(world)
        tools = json.dumps([tool.model_dump() for tool in dialect.tools()], ensure_ascii=False)
        exchanges = [("", tools), ("", dialect.card.introduction), *_played(player, world, scenario, dialect)]
        for sent, text in exchanges:
            read.answers += 1
            read.letters += len(text)
            read.leaks += [(environment, str(name), word, text[:300]) for word in leaks_of(text, sent, hidden, ids)]


def leaks_of(text: str, sent: str, hidden: frozenset[str], ids: frozenset[str]) -> list[str]:
    """Words of the world itself that stand in a text, but for those that the agent has just written."""
    known = [id_ for id_ in ID.findall(text) if id_ in ids]
    words = hidden.intersection(re.findall(r"\w+", text))
    return [word for word in (*known, *words) if word not in sent]


def hidden_words(card: Environment, dialect: Dialect) -> frozenset[str]:
    """Names of tools and fields that are no words of everyday language, and none of the dialect's own."""
    assert card.answers is not None
    shapes = " ".join([*card.answers.records.values(), *card.answers.data.values()])
    fields = {name for tool in card.tools for name in tool.input_schema["properties"]} | set(
        re.findall(r"(\w+)\??:", shapes)
    )
    spoken = {word for tool in dialect.tools() for word in _names_in(tool.input_schema)}
    spoken |= {tool.name for tool in dialect.tools()}
    # Where two fields of a row would be called alike, one keeps its name.
    spoken |= {word for columns in dialect._columns.values() for word in columns}
    tools = {tool.name for tool in card.tools}
    names = {name for name in fields if dialect._speech.names.key(name) != name} | tools
    return frozenset(name for name in names - spoken - choices_of(card) if "_" in name)


def _names_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (option for option in schema.get("enum", ()) if isinstance(option, str))
        for inner in schema.values():
            yield from _names_in(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _names_in(inner)


def choices_of(environment: Environment) -> set[str]:
    """Values of enumerations, which may look like names of fields."""
    text = environment.model_dump_json()
    return {value for options in re.findall(r"=([\w|.-]+)", text) for value in options.split("|")} | {
        value for options in re.findall(r'"enum":\[([^\]]*)\]', text) for value in re.findall(r'"([^"]*)"', options)
    }


def ids_in(world: SpokenWorld) -> frozenset[str]:
    """Every id of a world."""
    return frozenset(
        key for records in world.state().values() if isinstance(records, dict) for key in records if ID.fullmatch(key)
    )


def _played(player: str, world: SpokenWorld, scenario: Scenario, dialect: Dialect) -> Iterator[tuple[str, str]]:
    """What was sent and what was read, call by call."""
    chance = random.Random(f"{scenario.id}/{dialect.name}")
    sent: list[tuple[str, Any]]
    match player:
        case "oracle":
            calls = [dialect.encode(call) for call in scenario.oracle]
            # Each is sent again, which is refused more often than not.
            sent = [(call.tool, call.arguments) for call in calls for _ in range(2)]
        case "random":
            sent = [(tool.name, None) for tool in chance.choices(dialect.tools(), k=MOST_CALLS)]
        case _:
            sent = [*_wrong_calls(scenario, dialect, chance)]
    seen: list[Any] = []
    for tool, given in sent:
        arguments = _any_arguments(dialect, tool, chance, seen) if given is None else given
        text = world.call(tool, arguments).text
        seen += [*re.findall(r"[\w-]*[0-9][\w-]*", text)][:200]
        yield json.dumps([tool, arguments], ensure_ascii=False), text


def _any_arguments(dialect: Dialect, tool: str, chance: random.Random, seen: list[Any]) -> Any:
    schema = next(each.input_schema for each in dialect.tools() if each.name == tool)
    return _any_value(schema, chance, seen)


def _any_value(schema: Any, chance: random.Random, seen: list[Any]) -> Any:
    """A value that the schema allows, if only just; ids are such as were read before."""
    if "anyOf" in schema:
        return _any_value(schema["anyOf"][0], chance, seen)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            needed = schema.get("required", ())
            properties = schema.get("properties", {})
            taken = [name for name in properties if name in needed or chance.random() < 0.3]
            return {name: _any_value(properties[name], chance, seen) for name in taken}
        case "array":
            return [_any_value(schema.get("items", {}), chance, seen)]
        case "integer":
            numbers = [int(word) for word in seen if word.isdigit()]
            return chance.choice(numbers) if numbers and "minimum" not in schema else schema.get("minimum", 0)
        case "boolean":
            return chance.random() < 0.5
        case _:
            return chance.choice(seen) if seen else "text"


def _wrong_calls(scenario: Scenario, dialect: Dialect, chance: random.Random) -> Iterator[tuple[str, Any]]:
    """The solution spoken badly: words of the world itself, arguments left out, of the wrong kind, or unknown."""
    for call in scenario.oracle[:MOST_CALLS]:
        spoken = dialect.encode(call)
        yield call.tool, call.arguments
        yield spoken.tool, {}
        yield spoken.tool, {**spoken.arguments, "surprise": 1}
        for name in spoken.arguments:
            yield spoken.tool, {**spoken.arguments, name: chance.choice([None, -1, "", [], {"x": 1}, "no such thing"])}
        yield spoken.tool, spoken.arguments


def main() -> None:
    """Print what was read, and every leak."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    read = Read()
    for environment in ALL:
        play_episodes(environment, many, read)
    by_player = ", ".join(f"{player} {number}" for player, number in read.episodes.items())
    print(f"{read.episodes.total():,} episodes of {len(ALL)} environments ({by_player})")
    print(f"{read.answers:,} texts with {read.letters:,} letters; {len(read.leaks)} leaks")
    for leak in read.leaks:
        print(*leak, sep=" | ")


if __name__ == "__main__":
    main()
