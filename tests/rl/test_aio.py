"""The async twin: the same names, the same answers, and many worlds at once in one event loop."""

from __future__ import annotations

import inspect
from typing import Any

import anyio
import pytest
from pydantic import SecretStr

from envscaler_mcp import rl
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.rl import aio
from tests.farm.farms import ROOT, Program
from tests.llm.endpoint import Fail, Say, one_after_the_other, scripted_endpoint

TASK = "library_loans-easy-01"


@pytest.fixture(params=["here", "there"])
def gym(request: pytest.FixtureRequest) -> aio.AsyncGym:
    if request.param == "here":
        return aio.local(ROOT)
    farm: Program = request.getfixturevalue("farm")
    return aio.connect(farm.control, farm.token("control"))


def public(kind: type) -> dict[str, Any]:
    return {name: inspect.getattr_static(kind, name) for name in dir(kind) if not name.startswith("_")}


def parameters(member: Any) -> list[tuple[str, Any, Any]]:
    return [(word.name, word.kind, word.default) for word in inspect.signature(member).parameters.values()]


WITHOUT_WAITING = {"functions", "solution"}


@pytest.mark.parametrize(("blocking", "twin"), [(rl.Gym, aio.AsyncGym), (rl.Episode, aio.AsyncEpisode)])
def test_the_twin_has_the_same_public_names_with_the_same_arguments(blocking: type, twin: type) -> None:
    ours, theirs = public(blocking), public(twin)
    assert set(ours) == set(theirs)
    for name, member in ours.items():
        assert isinstance(member, property) == isinstance(theirs[name], property), name
        if isinstance(member, property):
            continue
        assert parameters(member) == parameters(theirs[name]), name
        waits = inspect.iscoroutinefunction(theirs[name]) or inspect.isasyncgenfunction(theirs[name])
        assert waits == (name not in WITHOUT_WAITING), name
        streams = "Iterator" in str(member.__annotations__["return"])
        assert streams == inspect.isasyncgenfunction(theirs[name]), name


@pytest.mark.parametrize("name", ["local", "connect", "read_tasks"])
def test_gyms_are_opened_with_the_same_arguments(name: str) -> None:
    assert parameters(getattr(rl, name)) == parameters(getattr(aio, name))


async def test_tasks_are_streamed_sampled_and_played_by_functions(gym: aio.AsyncGym) -> None:
    async with gym:
        listed = [task async for task in gym.tasks("library_loans", level="easy")]
        assert TASK in [task.id for task in listed]
        with pytest.raises(rl.UsageError):
            [task async for task in gym.tasks(level="eazy")]  # type: ignore[arg-type]
        (drawn,) = await gym.sample(environment="library_loans", level="easy", seed=1)
        assert drawn in listed
        async with await gym.open(drawn) as episode:
            functions = {function.__name__: function for function in episode.functions()}
            assert all(map(inspect.iscoroutinefunction, functions.values()))
            for call in episode.solution():
                await functions[call.tool](**call.arguments)
            assert (await episode.verify()).reward == 1.0
            assert episode.introduction
        with pytest.raises(rl.ClosedError):
            await episode.verify()


async def test_many_episodes_are_played_in_one_event_loop(gym: aio.AsyncGym) -> None:
    rewards = []

    async def play(episode: aio.AsyncEpisode) -> None:
        async with episode:
            for call in episode.scenario.oracle:
                assert not (await episode.call(call.tool, call.arguments)).refused
            fork = await episode.fork()
            await episode.finish()
            rewards.append(((await episode.verify()).reward, await fork.progress()))

    async with gym, anyio.create_task_group() as group:
        for episode in await gym.open_many(TASK, 16):
            group.start_soon(play, episode)
    assert rewards == [(1.0, 1.0)] * 16


async def test_a_conversation_goes_on_beside_others(gym: aio.AsyncGym) -> None:
    async with gym, await gym.open(TASK, mode="conversation") as episode:
        assert await episode.say("What exactly is to be done?")
        for call in episode.scenario.oracle:
            await episode.call(call.tool, call.arguments)
        assert "###STOP###" in (await episode.say("That is done.") or "")
        assert episode.done


async def test_a_model_plays_the_user_and_a_fork_has_its_own_conversation() -> None:
    replies = ["Put it on the shelf.", "Thank you. ###STOP###"]
    script = one_after_the_other(*(Say(reply) for reply in replies))
    async with scripted_endpoint(script) as place:
        endpoint = Endpoint(base_url=place.url, api_key=SecretStr("key"))
        async with (
            aio.local(ROOT, endpoint=endpoint) as gym,
            await gym.open(TASK, mode="conversation", user="openai:small") as episode,
        ):
            assert await episode.say("What shall I do?") == replies[0]
            fork = await episode.fork()
            assert await episode.say("Done.") == replies[1]
            assert episode.done
            assert await fork.say("Anything else?") == replies[1]
            asked = [[message["content"] for message in request["messages"]] for request in place.requests]
        assert [said[-1] for said in asked] == ["[Agent] What shall I do?", "[Agent] Done.", "[Agent] Anything else?"]
        assert "[Agent] Done." not in asked[2]


async def test_a_model_that_cannot_be_asked_is_the_machines_failure() -> None:
    async with scripted_endpoint(lambda _: Fail(401, "no such key")) as place:
        endpoint = Endpoint(base_url=place.url, api_key=SecretStr("key"))
        async with (
            aio.local(ROOT, endpoint=endpoint) as gym,
            await gym.open(TASK, mode="conversation", user="openai:small") as episode,
        ):
            with pytest.raises(RunAbortedError, match="no such key"):
                await episode.say("What shall I do?")
            verdict = await episode.verify()
            assert (verdict.owner, verdict.masked) == ("infrastructure", True)
