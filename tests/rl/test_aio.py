"""The async twin: the same names, the same answers, and many worlds at once in one event loop."""

from __future__ import annotations

import inspect

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


@pytest.mark.parametrize(("blocking", "twin"), [(rl.Gym, aio.AsyncGym), (rl.Episode, aio.AsyncEpisode)])
def test_the_twin_has_the_same_methods_with_the_same_arguments(blocking: type, twin: type) -> None:
    inner = {"keep", "progress", "functions", "is_here"}
    for name, member in inspect.getmembers(blocking):
        if name.startswith("_") or (name in inner and name != "progress") or not callable(member):
            continue
        if blocking is rl.Gym and name == "progress":
            continue
        assert list(inspect.signature(getattr(twin, name)).parameters) == list(inspect.signature(member).parameters)
        assert inspect.iscoroutinefunction(getattr(twin, name)) or inspect.isasyncgenfunction(getattr(twin, name))


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
