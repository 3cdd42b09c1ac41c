"""What an agent meets whose interface is disturbed."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envscaler_mcp.artifacts import Call
from envscaler_mcp.config.choices import DISTURBANCES
from envscaler_mcp.disturbances import Disturbances, asked_otherwise, read_disturbances
from envscaler_mcp.disturbances.failures import MOST_IN_A_ROW, RATE, Failures
from envscaler_mcp.disturbances.kinds import KINDS
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.code import callable_tools
from envscaler_mcp.serving.spoken_world import MeantCall, SpokenOutcome, SpokenWorld
from tests.dialects.shipped import SAMPLE, world_at
from tests.disturbances.playing import disturbed, some_scenarios

SCENARIOS = some_scenarios(SAMPLE, 3)
ADDING = (*DISTURBANCES["action"], *DISTURBANCES["metadata"])
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
scenarios = st.sampled_from(SCENARIOS)
seeds = st.integers(0, 10**6)


def test_there_are_the_22_kinds_of_the_paper() -> None:
    assert [len(kinds) for kinds in DISTURBANCES.values()] == [4, 6, 6, 6]
    assert len(set(KINDS)) == 22


def test_kinds_are_named_alone_in_groups_or_all_together() -> None:
    assert read_disturbances("") == ()
    assert read_disturbances("drift, timeout,timeout") == ("timeout", "drift")
    assert read_disturbances("observation,denied") == (*DISTURBANCES["observation"], "denied")
    assert read_disturbances("all") == KINDS
    with pytest.raises(WorldError, match=r"There is no disturbance 'tiemout'; did you mean 'timeout'"):
        read_disturbances("tiemout")


@given(scenarios, st.sampled_from(ADDING), seeds, st.none() | st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_tools_that_stand_beside_others_have_names_of_their_own_and_do_nothing(scenario, kind, seed, dialect) -> None:  # type: ignore[no-untyped-def]
    interface = disturbed(scenario, [kind], seed, dialect)
    plain = disturbed(scenario, [], seed, dialect)
    names = [tool.name for tool in interface.card.tools]
    assert len(set(names)) == len(names) > len(plain.card.tools)
    assert all(NAME.fullmatch(name) for name in names)
    assert callable_tools(interface.card)
    world = SpokenWorld(world_at(scenario), interface)
    before = world.state_hash()
    real = {interface.encode(call).tool for call in scenario.oracle}
    answers = [world.call(name, {}) for name in names if name not in real]
    gone = [answer for answer in answers if answer.text.startswith('{"status":410')]
    assert len(gone) == len(names) - len(plain.card.tools)
    assert world.state_hash() == before
    assert all(answer.is_error and not isinstance(answer, MeantCall) for answer in gone)


@given(scenarios, seeds)
@settings(max_examples=30, deadline=None)
def test_a_refusal_speaks_of_its_tool_under_the_name_that_is_offered(scenario, seed) -> None:  # type: ignore[no-untyped-def]
    interface = disturbed(scenario, ["cost-short"], seed)
    world = SpokenWorld(world_at(scenario), interface)
    for call in scenario.oracle:
        spoken = interface.encode(call)
        outcome = world.call(spoken.tool, {"no_such_argument": 1})
        if spoken.tool != call.tool:
            assert not re.search(rf"\b{call.tool}\b", outcome.text)


@given(st.integers(0, 10**9), st.sampled_from(DISTURBANCES["transition"][:5]))
@settings(max_examples=30, deadline=None)
def test_the_share_of_calls_that_fail_is_the_rate_and_no_more_than_two_in_a_row(seed: int, kind: str) -> None:
    failures = Failures(Disturbances((kind,), "task", seed))
    failed = [failures.at(number) for number in range(400)]
    assert set(failed) <= {"", kind}
    assert abs(sum(map(bool, failed)) / 400 - RATE) < 0.1
    assert "x" * (MOST_IN_A_ROW + 1) not in "".join("x" if failure else "." for failure in failed)


def test_failures_are_told_as_what_stands_before_a_server_tells_them() -> None:
    scenario, statuses = SCENARIOS[0], set()
    for kind in DISTURBANCES["transition"][:4]:
        for seed in range(12):
            interface = disturbed(scenario, [kind], seed)
            world = SpokenWorld(world_at(scenario), interface)
            for call in scenario.oracle:
                outcome = world.call(call.tool, call.arguments)
                if isinstance(outcome, SpokenOutcome) and outcome.disturbed:
                    assert outcome.is_error
                    assert world.diff().empty
                    statuses.add(json.loads(outcome.text)["status"])
    assert statuses == {504, 408, 429, 401, 403, 500, 502, 503}


def test_broken_json_looks_like_an_answer_and_cannot_be_read() -> None:
    failures = Failures(Disturbances(("broken-json",), "task", 1))
    for number in range(20):
        answer = failures.answer("broken-json", number)
        assert not answer.is_error
        with pytest.raises(ValueError, match=r"\w"):
            json.loads(answer.text)


def test_a_schema_that_has_drifted_says_the_new_name_and_takes_it() -> None:
    drifted = 0
    for scenario in SCENARIOS:
        interface = disturbed(scenario, ["drift"])
        world = SpokenWorld(world_at(scenario), interface)
        for call in scenario.oracle:
            outcome = world.call(call.tool, call.arguments)
            assert isinstance(outcome, SpokenOutcome)
            if outcome.disturbed:
                names = json.loads(outcome.text)["renamed"]
                (old,) = names
                assert old in call.arguments
                again = {names.get(name, name): given for name, given in call.arguments.items()}
                assert world.call(call.tool, again).kind == "done"
                drifted += 1
    assert drifted


def test_a_restore_brings_the_same_failures_again_and_a_fork_has_them_too() -> None:
    scenario = SCENARIOS[0]
    interface = disturbed(scenario, ["timeout"], 3, dialect=4)
    world = SpokenWorld(world_at(scenario), interface)
    call = interface.encode(Call(tool=scenario.oracle[0].tool, arguments=scenario.oracle[0].arguments))
    mark = world.snapshot()
    first = [world.call(call.tool, call.arguments).text for _ in range(10)]
    twin = world.fork()
    further = [world.call(call.tool, call.arguments).text for _ in range(10)]
    assert [twin.call(call.tool, call.arguments).text for _ in range(10)] == further
    world.restore(mark)
    assert [world.call(call.tool, call.arguments).text for _ in range(10)] == first


@given(scenarios, seeds, st.sampled_from(["typos", "request", "observation"]))
@settings(max_examples=60, deadline=None)
def test_a_request_in_other_words_keeps_every_name_number_and_quotation(scenario, seed, wanted) -> None:  # type: ignore[no-untyped-def]
    asked = asked_otherwise(scenario, Disturbances(read_disturbances(wanted), scenario.id, seed))
    assert asked.task != scenario.task
    assert asked.oracle == scenario.oracle
    kept = re.compile(r"“[^”]*”|\S*\d\S*|(?<=[a-z] )[A-Z]\w+")
    words = asked.task
    for part in kept.findall(scenario.task):
        assert part in words, part
    assert scenario.conversation is not None
    assert asked.conversation is not None
    for goal, other in zip(scenario.conversation.goals, asked.conversation.goals, strict=True):
        assert all(fact.says in other.request for fact in goal.facts if fact.says in goal.request)


@given(scenarios, seeds)
@settings(max_examples=30, deadline=None)
def test_descriptions_in_other_words_are_about_the_same_tools_and_arguments(scenario, seed) -> None:  # type: ignore[no-untyped-def]
    plain = disturbed(scenario, [], seed).card.tools
    other = disturbed(scenario, ["tool-texts", "argument-texts"], seed).card.tools
    for tool, worded in zip(plain, other, strict=True):
        assert worded.description != tool.description
        assert (worded.name, worded.effect) == (tool.name, tool.effect)
        own, theirs = tool.input_schema["properties"], worded.input_schema["properties"]
        for name in own:
            assert theirs[name].pop("description", "") != own[name].get("description") or "description" not in own[name]
            assert theirs[name] == {key: value for key, value in own[name].items() if key != "description"}


def test_nothing_is_different_where_nothing_is_disturbed() -> None:
    for scenario in SCENARIOS:
        interface = disturbed(scenario, [])
        assert interface.card.tools == world_at(scenario).environment.tools
        world, plain = SpokenWorld(world_at(scenario), interface), world_at(scenario)
        for call in scenario.oracle:
            answer, own = world.call(call.tool, call.arguments), plain.call(call.tool, call.arguments)
            assert (answer.kind, answer.text, answer.wire, answer.structured) == (
                own.kind,
                own.text,
                own.wire,
                own.structured,
            )
