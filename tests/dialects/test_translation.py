"""What is said in a dialect means one call, whatever the call and the dialect."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Call, Environment, Tool
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.dialects.dialect import Meant
from envscaler_mcp.dialects.ids import id_prefixes
from envscaler_mcp.serving.spoken_world import SpokenOutcome
from envscaler_mcp.serving.validation import compile_arguments
from tests.dialects.shipped import ALL, ID, SAMPLE, code_of, dialect_of, ids_of, scenarios_of, spoken_world_at
from tests.library_sample import sample

SLOW = [HealthCheck.too_slow]
"""Cards are read while examples are made."""
NAMES = st.builds(DialectName, st.integers(0, 10**9 - 1), st.booleans())
DAYS = st.dates().map(lambda day: day.isoformat())
MINUTES = st.datetimes().map(lambda moment: moment.isoformat()[:16])
TIMES = st.times().map(lambda time: time.isoformat()[:5])
FORMATS = {"date": DAYS, "date-time": MINUTES, "time": TIMES, "email": st.just("a@example.org")}
WORLDS = [
    pytest.param(sample(ALL, 20), id="twenty worlds"),
    pytest.param(ALL, id="all worlds", marks=pytest.mark.slow),
]
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)


def values(name: str, schema: dict[str, Any], ids: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values that a canonical schema allows."""
    if "anyOf" in schema:
        return st.one_of([values(name, option, ids) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema.get("minimum", -(10**9)), schema.get("maximum", 10**9))
        case "array":
            return st.lists(values(name, schema["items"], ids), min_size=max(1, schema.get("minItems", 0)), max_size=3)
        case "object":
            inner = schema["properties"]
            return st.fixed_dictionaries({key: values(key, value, ids) for key, value in inner.items()})
        case _ if re.fullmatch(r"(.*_)?ids?", name):
            return ids
        case _:
            return FORMATS.get(schema.get("format", ""), WORDS)


@st.composite
def calls(draw: st.DrawFn, environment: Environment, tool: Tool) -> Call:
    """A call of the tool that its canonical schema allows."""
    prefixes = sorted(id_prefixes(environment))
    ids = st.builds(lambda prefix, number: f"{prefix}-{number:05d}", st.sampled_from(prefixes), st.integers(1, 10**6))
    schema = tool.input_schema
    arguments = {}
    for name, inner in schema["properties"].items():
        if name in schema["required"] or draw(st.booleans()):
            arguments[name] = draw(values(name, inner, ids))
    if "offset" in arguments and tool.effect == "reads":
        arguments["offset"] = arguments["offset"] // 50 * 50
    return Call(tool=tool.name, arguments=arguments)


def ids_in(value: Any) -> set[str]:
    return set(ID.findall(json.dumps(value)))


def expect_both_ways(dialect: Dialect, call: Call) -> None:
    memory = dialect.memory()
    spoken = dialect.encode(call)
    for canonical in ids_in(call.arguments):
        dialect.tell(canonical, memory)
    tool = next(tool for tool in dialect.tools() if tool.name == spoken.tool)
    assert compile_arguments(tool.input_schema)(spoken.arguments) is None
    meant = dialect.call(spoken.tool, spoken.arguments, memory)
    assert isinstance(meant, Meant), meant
    assert (meant.tool, meant.arguments) == (call.tool, call.arguments)


@given(st.data())
@settings(deadline=None, suppress_health_check=SLOW)
def test_what_was_spoken_means_the_call_that_it_was_made_of(data: st.DataObject) -> None:
    environment = code_of(data.draw(st.sampled_from(ALL))).environment
    dialect = Dialect(environment, data.draw(NAMES))
    for tool in environment.tools:
        expect_both_ways(dialect, data.draw(calls(environment, tool)))


@pytest.mark.slow
@pytest.mark.parametrize("environment", ALL)
def test_every_tool_of_every_world_is_spoken_both_ways(environment: str) -> None:
    @given(st.data())
    @settings(max_examples=20, deadline=None, suppress_health_check=SLOW)
    def holds(data: st.DataObject) -> None:
        card = code_of(environment).environment
        dialect = Dialect(card, data.draw(NAMES))
        for tool in card.tools:
            expect_both_ways(dialect, data.draw(calls(card, tool)))

    holds()


@given(st.data())
@settings(deadline=None, suppress_health_check=SLOW)
def test_an_id_that_was_never_told_is_refused_and_reaches_no_world(data: st.DataObject) -> None:
    environment = code_of(data.draw(st.sampled_from(ALL))).environment
    dialect = Dialect(environment, data.draw(NAMES))
    tool = data.draw(st.sampled_from(environment.tools))
    call = data.draw(calls(environment, tool))
    spoken = dialect.encode(call)
    answer = dialect.call(spoken.tool, spoken.arguments, dialect.memory())
    assert isinstance(answer, SpokenOutcome if ids_in(call.arguments) else Meant)
    if isinstance(answer, SpokenOutcome):
        assert (answer.kind, answer.meant) == ("refused", None)


@given(
    NAMES, st.sampled_from(ALL), st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists)
)
@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
def test_whatever_is_sent_is_answered(name: DialectName, environment: str, value: Any) -> None:
    dialect = dialect_of(environment, name)
    for tool in dialect.tools()[:3]:
        names = list(tool.input_schema["properties"]) or ["none"]
        for arguments in (dict.fromkeys(names, value), value, {names[0]: {"x": value}}, {}):
            answer = dialect.call(tool.name, arguments, dialect.memory())
            assert isinstance(answer, Meant | SpokenOutcome)
    assert isinstance(dialect.call("no such tool", {}, dialect.memory()), SpokenOutcome)


@pytest.mark.parametrize("worlds", WORLDS)
@pytest.mark.parametrize(
    "seed",
    [DialectName(0), pytest.param(DialectName(17), marks=pytest.mark.slow), DialectName(5, held_out=True)],
    ids=str,
)
def test_two_worlds_never_share_an_id(seed: DialectName, worlds: Sequence[str]) -> None:
    seen: dict[Any, str] = {}
    for environment in worlds:
        dialect = dialect_of(environment, seed)
        memory = dialect.memory()
        for canonical in ids_of(environment):
            spelled = dialect.tell(canonical, memory)
            assert spelled not in seen, (environment, seen[spelled], spelled)
            seen[spelled] = environment


def test_a_dialect_follows_from_the_card_and_the_number_alone() -> None:
    for environment in SAMPLE:
        card = code_of(environment).environment
        first, second = (Dialect(card, DialectName(9)) for _ in range(2))
        assert first.tools() == second.tools()
        assert first.axes == second.axes
        assert first.tools() != Dialect(card, DialectName(10)).tools()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("worlds", WORLDS)
def test_a_name_of_a_tool_is_one_that_chat_endpoints_take_and_no_two_are_alike(
    seed: int, worlds: Sequence[str]
) -> None:
    for environment in worlds:
        for held_out in (False, True):
            names = [tool.name for tool in dialect_of(environment, DialectName(seed, held_out)).tools()]
            assert len({*names}) == len(names)
            assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names), names


def canonical_words(environment: Environment) -> set[str]:
    """Names of tools and fields that are not words of everyday language."""
    assert environment.answers is not None
    shapes = " ".join([*environment.answers.records.values(), *environment.answers.data.values()])
    names = {name for tool in environment.tools for name in (tool.name, *tool.input_schema["properties"])}
    return {name for name in names | set(re.findall(r"(\w+):", shapes)) if "_" in name}


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
def test_no_canonical_id_or_name_is_read_by_an_agent(data: st.DataObject) -> None:
    environment = data.draw(st.sampled_from(SAMPLE))
    card = code_of(environment).environment
    dialect = Dialect(card, data.draw(NAMES))
    scenario = data.draw(st.sampled_from(list(scenarios_of(environment))))
    world = spoken_world_at(scenario, dialect)
    said = [json.dumps([tool.model_dump() for tool in dialect.tools()], ensure_ascii=False), dialect.card.introduction]
    for call in scenario.oracle:
        spoken = dialect.encode(call)
        said.append(world.call(spoken.tool, spoken.arguments).text)
        # The same again is refused more often than not, and its refusal is read, too.
        said.append(world.call(spoken.tool, spoken.arguments).text)
    ids = {
        key for records in world.state().values() if isinstance(records, dict) for key in records if ID.fullmatch(key)
    }
    for text in said:
        leaked = [match for match in ID.findall(text) if match in ids]
        assert not leaked, (dialect.axes, leaked[:3], text[:300])
    if dialect.axes.keys != "snake":
        hidden = canonical_words(card) - choices_of(card) - {tool.name for tool in dialect.tools()}
        for text in said:
            words = hidden & set(re.findall(r"\w+", text))
            assert not words, (dialect.axes, words, text[:400])


def choices_of(environment: Environment) -> set[str]:
    """Values of enumerations, which may look like names of fields."""
    text = environment.model_dump_json()
    return {value for options in re.findall(r"=([\w|.-]+)", text) for value in options.split("|")} | {
        value for options in re.findall(r'"enum":\[([^\]]*)\]', text) for value in re.findall(r'"([^"]*)"', options)
    }
