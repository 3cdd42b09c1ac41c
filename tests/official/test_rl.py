"""A program plays the tasks of a benchmark itself, by the authors' rules."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envscaler_mcp import rl
from envscaler_mcp.errors import RunError
from tests.official.staging import registered


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


def test_what_there_is_not_is_an_error_with_a_suggestion(gym: rl.BenchmarkGym, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no task 'till_9'; did you mean"), gym.open("till_9"):
        pass
    with pytest.raises(RunError, match="no benchmark 'bfcl'"), rl.benchmark("bfcl", tmp_path):
        pass
