"""A program plays the tasks of a benchmark itself, by the authors' rules."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from anyio.from_thread import start_blocking_portal
from pydantic import SecretStr

from envscaler_mcp import rl
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.errors import RunError, WorldError
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.official.benchmark import BENCHMARKS, OfficialTask
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import Stage
from tests.farm.farms import Here, farm_here
from tests.llm.endpoint import Asked, Fail, Reply, Say, Script, ScriptedEndpoint, scripted_endpoint
from tests.official.staging import FILES, registered
from tests.official.till.benchmark import TILL


@pytest.fixture(scope="module")
def gym(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rl.BenchmarkGym]:
    with registered(tmp_path_factory.mktemp("site")), rl.benchmark("till") as opened:
        yield opened


def test_a_program_plays_a_task_move_by_move(gym: rl.BenchmarkGym) -> None:
    assert gym.tasks("hard") == ("till_3",)
    with gym.open("till_3") as episode:
        assert episode.messages == [{"role": "user", "content": "Take 4 out."}]
        assert [tool["function"]["name"] for tool in episode.tools] == ["deposit", "owners"]
        assert episode.say("I cannot.") == "What about now?"
        assert [tool["function"]["name"] for tool in episode.tools] == ["deposit", "withdraw", "owners"]
        assert not episode.verify().solved
        assert str(episode.call("withdraw", {"amount": 4})) == '{"balance": 6}'
        verdict = episode.verify()
        assert (verdict.solved, verdict.scoring, episode.done) == (True, "official", False)
        episode.say("Done.")
        assert (episode.done, episode.steps) == (True, 3)
        assert episode.call("deposit", {"amount": 1}).refused


def test_messages_of_a_chat_endpoint_are_moves(gym: rl.BenchmarkGym) -> None:
    call = {"type": "function", "id": "1", "function": {"name": "deposit", "arguments": '{"amount": 5}'}}
    with gym.open("till_1") as episode:
        observation = episode.act({"role": "assistant", "content": None, "tool_calls": [call]})
        assert observation.answers == ('{"balance": 15, "fees": 1}',)
        assert episode.verify().reward == 1.0


def test_threads_play_many_at_once(gym: rl.BenchmarkGym) -> None:
    def play(_: int) -> str:
        with gym.open("till_1") as episode:
            return str(episode.call("deposit", {"amount": 5}))

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(play, range(8))) == {'{"balance": 15, "fees": 1}'}


@contextmanager
def talking(folder: Path, script: Script, **chosen: Any) -> Iterator[tuple[rl.BenchmarkGym, ScriptedEndpoint]]:
    """A gym whose users a scripted endpoint plays."""
    with (
        registered(folder),
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(scripted_endpoint(script)) as place,
        rl.benchmark(
            "till-talk",
            user="openai:small",
            endpoint=Endpoint(base_url=place.url, api_key=SecretStr("key")),
            **chosen,
        ) as gym,
    ):
        yield gym, place


def test_a_model_plays_the_user_of_many_episodes_at_once(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Reply:
        said = asked["messages"][-1]["content"]
        return Say("Put 5 in." if said == "Hi" else f"{said} Thank you. ###STOP###")

    def play(number: int) -> tuple[Any, ...]:
        with talk.open("till_1", seed=number) as episode:
            first = episode.messages[-1]["content"]
            episode.call("deposit", {"amount": 5})
            reply = episode.say(f"Done {number}.")
            return first, reply, episode.done, episode.verify().reward

    with talking(tmp_path, answer, user_strategy="rude") as (talk, place), ThreadPoolExecutor(4) as threads:
        played = list(threads.map(play, range(8)))
    assert played == [("Put 5 in.", f"Done {number}. Thank you. ###STOP###", True, 1.0) for number in range(8)]
    assert {request["messages"][0]["content"] for request in place.requests} == {"You are rude."}
    assert {request["seed"] for request in place.requests} == set(range(8))


def test_a_user_whose_model_answers_nothing_is_no_failure_of_the_policy(tmp_path: Path) -> None:
    with (
        talking(tmp_path, lambda _: Fail(401, "no such key")) as (talk, _),
        pytest.raises(RunAbortedError, match="no such key"),
        talk.open("till_1"),
    ):
        pass


def test_a_script_says_the_whole_task_where_no_model_plays_the_user(tmp_path: Path) -> None:
    with registered(tmp_path), rl.benchmark("till-talk", user="scripted") as gym, gym.open("till_1") as episode:
        assert episode.messages == [{"role": "user", "content": "Put 5 in."}]


async def test_worlds_of_a_gym_are_opened_at_a_farm_that_is_named(tmp_path: Path) -> None:
    def play(farm: Here) -> tuple[str, float]:
        with (
            registered(tmp_path),
            rl.benchmark("till", url=farm.control, token=farm.token("control")) as gym,
            gym.open("till_3") as episode,
            gym.open("till_1") as other,
        ):
            assert len(farm.front.worlds) == 2
            assert other.verify().reward == 0.0
            said = episode.say("I cannot.")
            assert [tool["function"]["name"] for tool in episode.tools] == ["deposit", "withdraw", "owners"]
            episode.call("withdraw", {"amount": 4})
            return said, episode.verify().reward

    with Stage.of(TILL, FILES) as stage:
        async with farm_here(
            benchmarks={"till": BenchmarkOpener("A till", lambda: BenchmarkEnvironment(stage))}
        ) as farm:
            assert await anyio.to_thread.run_sync(play, farm) == ("What about now?", 1.0)
            assert len(farm.front.worlds) == 0


def test_who_plays_the_user_is_named_where_a_model_does_and_nowhere_else(tmp_path: Path) -> None:
    chosen: list[tuple[str, dict[str, Any], str]] = [
        ("till-talk", {}, "name it with user='openai:MODEL'"),
        ("till-talk", {"user": "oracle"}, "name it with user='openai:MODEL'"),
        ("till-talk", {"user": "scripted", "user_strategy": "kind"}, "there is plain, rude"),
        ("till", {"user": "scripted"}, "No model plays the user of till"),
        ("till", {"user_strategy": "plain"}, "No model plays the user of till"),
    ]
    with registered(tmp_path):
        for name, given, why in chosen:
            with pytest.raises(RunError, match=why), rl.benchmark(name, **given):
                pass


@pytest.mark.official
@pytest.mark.parametrize("name", ["tau-retail", "tau-airline", "acebench"])
def test_programs_play_the_references_of_benchmarks_with_users(name: str) -> None:
    try:
        find(BENCHMARKS[name].requirement)
    except OfficialFilesError as missing:
        pytest.skip(str(missing))

    def play(task: OfficialTask) -> bool:
        with benchmark.open(task.id) as episode:
            for step in task.reference[0]:
                for call in step:
                    if not episode.done:
                        episode.call(call.tool, call.arguments)
            if not episode.done:
                episode.say(task.closing[0])
            return episode.done and episode.verify().reward == 1.0

    with (
        rl.benchmark(name, user="scripted") as benchmark,
        Stage.of(BENCHMARKS[name]) as stage,
        ThreadPoolExecutor(4) as threads,
    ):
        tasks = [task for task in stage.tasks.values() if task.category in stage.benchmark.default_categories][::5]
        assert all(threads.map(play, tasks))


def test_what_there_is_not_is_an_error_with_a_suggestion(gym: rl.BenchmarkGym, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no task 'till_9'; did you mean"), gym.open("till_9"):
        pass
    with pytest.raises(RunError, match="no benchmark 'bfcl'"), rl.benchmark("bfcl", tmp_path):
        pass


def test_each_of_the_two_doors_refuses_what_belongs_to_the_other(tmp_path: Path) -> None:
    with registered(tmp_path / "site"):
        with rl.local() as gym:
            for ask in (gym.card, lambda name: list(gym.tasks(name)), lambda name: gym.open(environment=name)):
                with pytest.raises(WorldError, match=r"'till' is a benchmark .* rl\.benchmark\('till'\)"):
                    ask("till")
        with pytest.raises(WorldError, match=r"rl\.benchmark\('bfcl-v3'\)"):
            rl.connect("bfcl-v3", "token")
        with (
            pytest.raises(RunError, match=r"'hospital_stays' is an environment .* rl\.connect"),
            rl.benchmark("hospital_stays"),
        ):
            pass


async def test_a_gym_at_a_farm_names_the_door_of_a_benchmark(gym: rl.BenchmarkGym) -> None:
    async with farm_here(
        benchmarks={"till": BenchmarkOpener("A till", lambda: BenchmarkEnvironment(gym._stage))}
    ) as farm:

        def asks() -> None:
            with rl.connect(farm.control, farm.token("control")) as there:
                there.open("till_1", environment="till")

        with pytest.raises(
            WorldError, match=r"rl\.benchmark\('till'\) opens its tasks, with url= and token= at a farm"
        ):
            await anyio.to_thread.run_sync(asks)
