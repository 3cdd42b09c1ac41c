"""Agents whose model writes its calls, as the authors of a benchmark read them: played with the till, which anyone has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp import rl
from envscaler_mcp.cli.program import app
from envscaler_mcp.errors import RunError
from envscaler_mcp.official.ace.texts import calls_written_in
from envscaler_mcp.official.written_calls import plain_calls
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.llm.endpoint import Asked, Fail, Reply, Say, ScriptedEndpoint, scripted_endpoint
from tests.official.staging import registered


@pytest.fixture(autouse=True)
def till(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    with registered(tmp_path_factory.mktemp("site")) as patch:
        yield patch


def envscaler(*words: object, **variables: str) -> Result:
    return CliRunner().invoke(app, [*map(str, words)], env={"COLUMNS": "200", **variables})


async def played(
    run: Path, answer: Callable[[Asked], Reply], *words: object, task: str = "till_1"
) -> tuple[Result, ScriptedEndpoint]:
    async with scripted_endpoint(answer) as place:
        given = ("bench", "run", "till", "--agent", "openai:m", "--calls", "written", "--task", task, "--out", run)
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        return await anyio.to_thread.run_sync(lambda: envscaler(*given, *words, **variables)), place


def in_order(*texts: str) -> Callable[[Asked], Reply]:
    rest = list(texts)
    return lambda _: Say(rest.pop(0) if len(rest) > 1 else rest[0])


@pytest.mark.parametrize("via", ["worker", "stdio", "farm"])
async def test_the_authors_word_the_requests_and_read_the_calls(tmp_path: Path, via: str) -> None:
    run = tmp_path / "run"
    ran, place = await played(run, in_order("deposit 4, withdraw 2!", "deposit 3!", "Done."), "--via", via)
    assert ran.exit_code == 0, ran.output
    assert not any("tools" in asked for asked in place.requests)
    assert [asked["messages"] for asked in place.requests][1] == [
        {"role": "system", "content": "Write your calls."},
        {
            "role": "user",
            "content": 'user: Put 5 in.\ntill: {"balance": 14, "fees": 1}\ntill: {"balance": 12}',
        },
    ]
    (record,) = read_trajectories(run)
    assert record.messages[0]["content"] == "Write your calls."
    assert [(step.tool, step.arguments, step.text) for step in record.steps] == [
        ("deposit", {"amount": 4}, "deposit 4, withdraw 2!"),
        ("withdraw", {"amount": 2}, ""),
        ("deposit", {"amount": 3}, "deposit 3!"),
        ("", {}, "Done."),
    ]
    assert record.verdict.solved
    assert "openai:m, written calls" in envscaler("bench", "report", run).output
    replayed = await anyio.to_thread.run_sync(envscaler, "runs", "replay", run)
    assert replayed.exit_code == 0, replayed.output


async def test_a_call_whose_arguments_are_no_json_is_answered_with_an_error(tmp_path: Path) -> None:
    ran, _ = await played(tmp_path / "run", in_order("deposit deposit(1)!", "Done."))
    assert ran.exit_code == 0, ran.output
    (record,) = read_trajectories(tmp_path / "run")
    first = record.steps[0]
    assert (first.tool, first.malformed, first.is_error) == ("deposit", "deposit(1)", True)


async def test_words_that_are_executed_without_a_call_are_heard_by_no_user(tmp_path: Path) -> None:
    ran, place = await played(tmp_path / "run", in_order("Hm.", "withdraw 4!", "Done."), task="till_3")
    assert ran.exit_code == 0, ran.output
    (record,) = read_trajectories(tmp_path / "run")
    assert [(step.text, step.observation) for step in record.steps][:1] == [("Hm.", "[]")]
    assert place.requests[1]["messages"][1]["content"] == "user: Take 4 out.\nuser: []"


async def test_an_answer_of_spoilt_official_code_is_the_agents_failure(tmp_path: Path) -> None:
    ran, _ = await played(tmp_path / "run", in_order("Spoil.", "Done."))
    assert ran.exit_code == 0, ran.output
    (record,) = read_trajectories(tmp_path / "run")
    assert (record.verdict.solved, record.verdict.owner, record.verdict.masked) == (False, "agent", False)


@pytest.mark.slow
async def test_an_answer_that_takes_too_long_to_read_is_the_agents_failure(tmp_path: Path) -> None:
    ran, _ = await played(tmp_path / "run", in_order("Hang."))
    assert ran.exit_code == 0, ran.output
    (record,) = read_trajectories(tmp_path / "run")
    assert (record.verdict.solved, record.verdict.owner, record.verdict.masked) == (False, "agent", False)


async def test_a_conversation_that_an_endpoint_cannot_answer_is_no_outage(tmp_path: Path) -> None:
    def answers(asked: Asked) -> Reply:
        first = "till: " not in asked["messages"][1]["content"]
        return Say("deposit 4!") if first else Fail(400, "this conversation is not acceptable")

    ran, _ = await played(tmp_path / "run", answers)
    assert ran.exit_code == 0, ran.output
    (record,) = read_trajectories(tmp_path / "run")
    assert (record.verdict.owner, record.verdict.masked) == ("agent", False), record.verdict


@pytest.mark.parametrize(
    ("benchmark", "agent", "complaint"),
    [
        ("till", "oracle", "only a model writes its calls"),
        ("till", "prompted:m", "writes calls in a way of its own"),
        ("till-talk", "openai:m", "nothing official reads written calls in till-talk; there is native"),
    ],
)
def test_who_cannot_write_calls_as_the_authors_read_them_is_refused(
    tmp_path: Path, benchmark: str, agent: str, complaint: str
) -> None:
    user = ("--user", "openai:u") if benchmark == "till-talk" else ()
    ran = envscaler("bench", "run", benchmark, "--agent", agent, *user, "--calls", "written", "--out", tmp_path / "run")
    assert ran.exit_code == 2
    assert complaint in " ".join(ran.output.replace("│", " ").split())


def test_the_list_says_where_calls_may_be_written() -> None:
    listed = {each["name"]: each["calls"] for each in json.loads(envscaler("bench", "list", "--json").output)}
    assert (listed["till"], listed["till-talk"]) == (["native", "written"], ["native"])
    assert (listed["acebench"], listed["bfcl-v3"], listed["tau-retail"]) == (
        ["native", "written"],
        ["native", "written"],
        ["native", "react", "act"],
    )


def test_a_decoded_call_is_plain_where_json_says_all_of_it() -> None:
    calls: list[dict[str, Any]] = [
        {"f": {"a": 1, "b": (2, "x")}},
        {"f": {"a": {1: 2}}},
        {"f": {"a": 1e999}},
        {"f": {"a": {"g": {"b": 1}}}},
    ]
    texts = ["f(a=1, b=(2, 'x'))", "f(a={1: 2})", "f(a=inf)", "f(a=g(b=1))"]
    assert plain_calls(calls, texts) == [["f", {"a": 1, "b": [2, "x"]}], *(["f", text] for text in texts[1:])]


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("[f(a='x', b=y)]", [("f", {"a": "x", "b": "y"})]),
        (" f(a=(1, 2)), g()", [("f", {"a": [1, 2]}), ("g", {})]),
        ("Done", []),
        ("That is it.", None),
        ("[f(a=1 + __import__('os').getpid())]", None),
        ("[" * 5000, None),
    ],
)
def test_what_was_written_is_read_without_evaluating_it(said: str, calls: object) -> None:
    assert calls_written_in(said) == calls


def test_a_policy_of_a_program_writes_its_calls() -> None:
    with rl.benchmark("till", calls="written") as gym, gym.open("till_3") as episode:
        assert episode.tools == []
        first = [{"role": "system", "content": "Write your calls."}, {"role": "user", "content": "user: Take 4 out."}]
        assert episode.messages == first
        assert episode.act({"role": "assistant", "content": "I cannot."}) == "What about now?"
        assert str(episode.act({"role": "assistant", "content": "withdraw 4!"})) == '{"balance": 6}'
        assert episode.messages[1]["content"].endswith('user: What about now?\ntill: {"balance": 6}')
        assert episode.verify().solved
        with pytest.raises(RunError, match="Calls are written in this gym"):
            episode.call("withdraw", {"amount": 4})
        assert episode.act({"role": "assistant", "content": "Spoil."}).refused
        assert episode.done
        verdict = episode.verify()
        assert (verdict.solved, verdict.owner) == (True, None)
