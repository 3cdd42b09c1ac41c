"""`envscaler bench`: what is here, runs, scripts with known verdicts, and the report."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.official.benchmark import OfficialTask
from tests.llm.endpoint import Asked, Reply, Say, scripted_endpoint
from tests.official.staging import FILES, copied, registered
from tests.official.till.benchmark import TillBenchmark
from tests.runs.home import write_home

ROOT = Path(__file__).parent.parent.parent
FIXTURES = Path(__file__).parent / "scripted.jsonl"


def envscaler(*words: object, **variables: str) -> Result:
    return CliRunner().invoke(app, [*map(str, words)], env={"COLUMNS": "200", **variables})


@pytest.fixture(autouse=True)
def till(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    with registered(tmp_path_factory.mktemp("site")) as patch:
        yield patch


def test_the_list_says_what_is_here_and_how_to_get_the_rest(tmp_path: Path, till: pytest.MonkeyPatch) -> None:
    listed = {each["name"]: each for each in json.loads(envscaler("bench", "list", "--json").output)}
    assert listed["till"]["folder"] == str(FILES)
    assert {"bfcl-v3", "bfcl-v4", "till"} <= set(listed)
    till.setenv("ENVSCALER_BENCH_TILL", str(tmp_path))
    shown = envscaler("bench", "list").output
    assert f"till: {tmp_path} has no folder 'tillbench'. Get it with:\n    pip install --target" in shown


def test_the_authors_solutions_make_a_run_like_any_other(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = envscaler("bench", "run", "till", "--agent", "oracle", "--out", run)
    assert ran.exit_code == 0, ran.output
    rows = [line.split()[:5] for line in ran.output.splitlines()]
    assert ["till-easy", "2", "2", "2", "1.000"] in rows
    assert ["till-hard", "1", "1", "1", "1.000"] in rows
    assert envscaler("runs", "show", run).exit_code == 0
    assert "Take 4 out." in envscaler("runs", "show", run, "--episode", "till_3").output
    page = tmp_path / "page.html"
    assert envscaler("runs", "html", run, "--out", page).exit_code == 0
    assert "Take 4 out." in page.read_text(encoding="utf-8")
    replayed = envscaler("runs", "replay", run)
    assert (replayed.exit_code, replayed.output.splitlines()[-1]) == (
        0,
        "3 of 3 episodes are identical, 0 differ, 0 cannot be replayed.",
    )
    again = envscaler("bench", "run", "till", "--agent", "oracle", "--out", run)
    assert "3 of 3 episodes" in again.output


def test_worlds_in_a_server_process_give_the_same_results_and_release_their_tools(tmp_path: Path) -> None:
    ran = envscaler("bench", "run", "till", "--agent", "oracle", "--via", "stdio", "--out", tmp_path / "run")
    assert ran.exit_code == 0, ran.output
    assert json.loads(envscaler("runs", "show", tmp_path / "run", "--json").output)["solved"] == 3
    replayed = envscaler("bench", "replay", FIXTURES, "--via", "stdio", "--parallel", 2)
    assert (replayed.exit_code, replayed.output) == (0, "4 of 4 scripted episodes are as the official code says.\n")


def test_the_report_shows_each_category_and_the_published_figures(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    envscaler("bench", "run", "till", "--agent", "oracle", "--out", whole)
    envscaler("bench", "run", "till", "--agent", "noop", "--category", "easy", "--limit", 1, "--out", part)
    shown = envscaler("bench", "report", whole, part).output.splitlines()
    rows = [line.split() for line in shown]
    assert ["oracle", "100.00", "100.00", "100.00", "3", "of", "3", str(whole)] in rows
    # The mean is of all categories, so a part of them has none.
    assert ["noop", "0.00", "–", "–", "1", "of", "1", str(part)] in rows
    assert ["paper:", "a", "model", "50.00"] in rows
    assert "  There is none." in shown


def test_a_run_of_a_benchmark_is_exported_only_on_demand_and_judged_by_its_authors_alone(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "rows.jsonl"
    envscaler("bench", "run", "till", "--agent", "oracle", "--out", run)
    words = ("export", run, "--format", "trl", "--out", out, "--split", "held_out", "--min-turns", 1)
    refused = envscaler(*words)
    assert refused.exit_code == 1
    assert "--contaminate exports it all the same" in refused.output
    assert not out.exists()
    assert envscaler(*words, "--contaminate").exit_code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3
    assert envscaler("runs", "rescore", run).exit_code == 2


async def test_a_model_over_http_is_sent_what_the_authors_say_and_nothing_else(tmp_path: Path) -> None:
    def answers(asked: Asked) -> Reply:
        turn = sum(message["role"] == "assistant" for message in asked["messages"])
        if turn == 0:
            return Say("")
        return Say(None, tool_calls=[("withdraw", '{"amount": 4}')]) if turn == 1 else Say("Done.")

    async with scripted_endpoint(answers) as place:
        ran = await anyio.to_thread.run_sync(
            lambda: envscaler(
                *("bench", "run", "till", "--agent", "openai:m", "--task", "till_3", "--out", tmp_path / "run"),
                OPENAI_BASE_URL=place.url,
                OPENAI_API_KEY="key",
            )
        )
    assert ran.exit_code == 0, ran.output
    first, second, third = place.requests
    assert [message["role"] for message in first["messages"]] == ["user"]
    assert first["messages"][0]["content"] == "Take 4 out."
    assert first["temperature"] == 0.25
    assert [tool["function"]["name"] for tool in first["tools"]] == ["deposit", "owners"]
    assert first["tools"][0]["function"]["response"] == {"type": "dict"}
    assert [tool["function"]["name"] for tool in second["tools"]] == ["deposit", "withdraw", "owners"]
    assert [message["content"] for message in second["messages"]] == ["Take 4 out.", "…", "What about now?"]
    assert third["messages"][-1]["content"] == '{"balance": 6}'


def test_scripts_whose_results_and_verdicts_are_as_recorded_end_with_exit_code_0(tmp_path: Path) -> None:
    same = envscaler("bench", "replay", FIXTURES, "--shuffle", 1)
    assert (same.exit_code, same.output) == (0, "4 of 4 scripted episodes are as the official code says.\n")
    packed = tmp_path / "scripted.jsonl.gz"
    packed.write_bytes(gzip.compress(FIXTURES.read_bytes()))
    assert envscaler("bench", "replay", packed).exit_code == 0


def test_a_script_that_ends_otherwise_is_told_in_a_line(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in FIXTURES.read_text(encoding="utf-8").splitlines()]
    lines[0]["sha"][0] = "0" * 16
    lines[1]["expect"]["valid"] = not lines[1]["expect"]["valid"]
    changed = tmp_path / "changed.jsonl"
    changed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    shown = envscaler("bench", "replay", changed, "--json")
    assert shown.exit_code == 1
    document: dict[str, Any] = json.loads(shown.output)
    assert (document["episodes"], document["equal"]) == (4, 2)
    why = {each["task"]: each["why"][0] for each in document["different"]}
    assert why["till_1"].startswith('result 1 is another one: \'{"balance": 15')
    assert why["till_2"] == "valid is True, not False"


def test_a_file_that_is_not_as_known_stops_the_run_before_anything_is_played(
    tmp_path: Path, till: pytest.MonkeyPatch
) -> None:
    folder = copied(tmp_path)
    (folder / "tillbench" / "till.py").write_text("raise SystemExit\n", encoding="utf-8")
    till.setenv("ENVSCALER_BENCH_TILL", str(folder))
    ran = envscaler("bench", "run", "till", "--agent", "oracle", "--out", tmp_path / "run")
    assert ran.exit_code == 1
    assert "till.py is not the file of tillbench 1. Get it with:" in ran.output
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("tile", "--agent", "noop"), "did you mean 'till'"),
        (("till", "--agent", "noop", "--category", "base"), "not one of easy, hard"),
        (("till", "--agent", "noop", "--user", "openai:m"), "no model plays the user"),
        (("till", "--agent", "noone"), "There is no agent"),
    ],
)
def test_what_cannot_be_played_is_wrong_use(tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    ran = envscaler("bench", "run", *words, "--out", tmp_path / "run")
    assert ran.exit_code == 2
    assert complaint in " ".join(ran.output.replace("│", " ").split())


async def test_a_server_of_a_benchmark_answers_any_host(till: pytest.MonkeyPatch, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "envscaler_mcp", "serve", "till:Till", "--entry", "till_3"]
    paths = ":".join(path for path in sys.path if path)
    server = StdioServerParameters(
        command=command[0],
        args=command[1:],
        env={"PYTHONPATH": paths, "ENVSCALER_BENCH_TILL": str(FILES), "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
    )
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["deposit", "withdraw", "owners"]
        assert tools[0].output_schema is None
        result = await client.call_tool("withdraw", {"amount": 11})
        assert (result.content[0].text, result.is_error) == ("Error: not enough in the till", True)  # type: ignore[union-attr]


def test_the_overlap_of_a_home_with_a_benchmark_is_counted_in_words_and_names(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=2)
    measured = envscaler("--home", home, "stats", "--overlap", "till", "--json")
    assert measured.exit_code == 0, measured.output
    overlap = json.loads(measured.output)["overlap"]
    assert (overlap["tasks"], overlap["benchmark_tasks"], overlap["sharing"]) == (2, 3, {"5": 0, "8": 0, "13": 0})
    assert overlap["same_tool_names"] == {"get_book": ["lending_library"]}
    unknown = envscaler("--home", home, "stats", "--overlap", "tile")
    assert (unknown.exit_code, unknown.output.splitlines()[-1]) == (
        1,
        "envscaler: There is no benchmark 'tile'; `envscaler bench list` shows them.",
    )


def test_a_task_that_repeats_thirteen_words_of_a_benchmark_is_a_copy(tmp_path: Path) -> None:
    home = write_home(tmp_path, tasks=2)
    tasks = home / "generated_servers" / "lending_library" / "scenarios.jsonl"
    tasks.write_text(tasks.read_text(encoding="utf-8").replace(" is about.", " is about, today."), encoding="utf-8")
    first = json.loads(tasks.read_text(encoding="utf-8").splitlines()[0])["task"]
    copied_task = OfficialTask("copy", "easy", {}, texts=(f"Please! {first.upper()}",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TillBenchmark, "tasks", lambda _self, _source: [copied_task])
        measured = envscaler("--home", home, "stats", "--overlap", "till", "--json")
    assert measured.exit_code == 1
    assert json.loads(measured.output)["overlap"]["sharing"]["13"] >= 1
