"""Raw tasks become environments on disk; a run that was stopped goes on without paying twice, and can be played again."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL

import anyio
import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.program import app
from envscaler_mcp.llm import ChatRequest
from tests.llm.asking import Actor
from tests.llm.endpoint import Asked, Fail, Hang, Reply, Say, scripted_endpoint
from tests.llm.speaking import speaking
from tests.pipeline.lending_author import lending_author

TASKS = [
    "Lend Emma to Ada Cole until the first of April",
    "Extend the loan of Dracula and lend Walden to the same reader",
    "Take back the book that Bo Lind borrowed and lend it to Dan Osei",
    "What is the capital of Peru?",
]
TOPIC = {
    "analysis": "A desk lends books.",
    "id": "lending_desk",
    "title": "Lending desk",
    "introduction": "Keeps books, readers and loans. Books are lent, extended, taken back. Readers have limits.",
    "usefulness": 8,
    "modelability": 9,
}


def sorts(question: ChatRequest) -> str:
    found = re.findall(r"(?m)^(\d+)\. (.*)$", question.messages[1].content)
    verdicts = [{"number": int(n), "reason": "x", "stateful": "capital" not in text} for n, text in found]
    return json.dumps({"verdicts": verdicts})


def actor() -> Actor:
    return lending_author(judge_tasks=sorts, name_topic=[TOPIC])


def command(home: Path, *words: str) -> list[str]:
    tasks = home / "tasks.txt"
    tasks.parent.mkdir(parents=True, exist_ok=True)
    tasks.write_text("\n".join(TASKS))
    options = ["--style", "code", "--scenarios", "2", "--model", "small", *words]
    program = [sys.executable, "-m", "envscaler_mcp", "--home", str(home), "synthesize"]
    return [*program, "--tasks", str(tasks), "--run", str(home / "run"), *options]


QUICKLY = ("--scenarios", "1")
"""For runs of which nobody asks how many scenarios they make."""


NOWHERE = "http://127.0.0.1:9/v1"


def surroundings(url: str = NOWHERE) -> dict[str, str]:
    return {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-test", "COLUMNS": "200"}


async def envscaler(*words: str, url: str = NOWHERE) -> tuple[int, str, str]:
    """What the program answers, in a thread of this process: the endpoint answers meanwhile."""
    runner = CliRunner(env=surroundings(url))
    done = await anyio.to_thread.run_sync(lambda: runner.invoke(app, words))
    return done.exit_code, done.stdout, done.stderr


async def run(home: Path, url: str, *words: str) -> tuple[int, str, str]:
    return await envscaler(*command(home, *words)[3:], url=url)


def files(home: Path) -> dict[str, bytes]:
    servers = home / "generated_servers"
    found = {
        path.relative_to(home).as_posix(): path.read_bytes() for path in sorted(servers.rglob("*")) if path.is_file()
    }
    return found | {"registry.json": (home / "registry.json").read_bytes()}


async def test_raw_tasks_become_an_environment_that_is_registered_and_served(tmp_path: Path) -> None:
    author = actor()
    async with scripted_endpoint(speaking(author)) as place:
        code, out, err = await run(tmp_path, place.url, "--price", "2,8", "--budget", "9", "--embeddings", "tiny")
    assert code == 0, err
    assert "3 of 4 tasks need records; 1 environment is admitted." in out
    assert re.search(r"lending_desk +10 +2 +0 +Lending desk", out)
    assert "judge_tasks" in out
    assert "lending_desk: admitted" in err
    assert re.search(rf"together +{len(place.requests)} ", out)
    told = json.loads((tmp_path / "run" / "report.json").read_text())
    embedded = [asked for asked in place.requests if asked["_path"] == "/v1/embeddings"]
    assert {asked["model"] for asked in embedded} == {"tiny"}
    chats = len(place.requests) - len(embedded)
    assert told["total"]["dollars"] == pytest.approx((chats * (1000 * 2 + 200 * 8) + len(embedded) * 2) / 1e6)
    _, out, _ = await envscaler("--home", str(tmp_path), "call", "lending_desk", "list_books")
    assert "Middlemarch" in out
    _, out, _ = await envscaler("--home", str(tmp_path), "prove")
    assert "2 of 2 scenarios are proven." in out


@pytest.mark.slow
async def test_another_run_leaves_the_environments_of_the_first_alone(tmp_path: Path) -> None:
    async with scripted_endpoint(speaking(actor())) as place:
        await run(tmp_path, place.url, *QUICKLY)
        before = files(tmp_path)
        code, out, _ = await run(tmp_path, place.url, *QUICKLY, "--run", str(tmp_path / "other"))
    assert code == 1
    assert "lending_desk is left out: there is an environment of it: lending_desk" in out
    assert files(tmp_path) == before


def add_to(home: Path) -> None:
    """What somebody may add to an environment: a scenario more, and a file."""
    folder = home / "generated_servers" / "lending_desk"
    (folder / "notes.txt").write_text("mine")
    scenarios, registry = folder / "scenarios.jsonl", home / "registry.json"
    text = scenarios.read_text()
    one = json.loads(text.partition("\n")[0])
    scenarios.write_text(text + json.dumps({**one, "id": "of_my_own"}) + "\n")
    shipped = text.count("\n")
    registry.write_text(registry.read_text().replace(f'"scenarios": {shipped}', f'"scenarios": {shipped + 1}'))


async def test_the_same_command_again_asks_nothing_and_changes_nothing_and_what_was_added_stays(tmp_path: Path) -> None:
    async with scripted_endpoint(speaking(actor())) as place:
        await run(tmp_path, place.url, *QUICKLY)
        add_to(tmp_path)
        before, asked = files(tmp_path), len(place.requests)
        code, out, _ = await run(tmp_path, place.url, *QUICKLY, "--json")
        assert (code, len(place.requests)) == (0, asked)
    assert files(tmp_path) == before
    told = json.loads(out)
    assert told["total"]["asked"] == asked
    assert sum(line["kept"] for line in told["stages"].values()) >= asked


@pytest.mark.slow
async def test_a_recorded_run_is_played_again_without_a_model(tmp_path: Path) -> None:
    async with scripted_endpoint(speaking(actor())) as place:
        await run(tmp_path / "first", place.url, "--record", str(tmp_path / "tape"))
    code, _, err = await run(tmp_path / "second", "http://127.0.0.1:9/v1", "--replay", str(tmp_path / "tape"))
    assert code == 0, err
    assert files(tmp_path / "second") == files(tmp_path / "first")


@pytest.mark.slow
async def test_a_budget_that_is_spent_stops_the_run_and_more_of_it_goes_on(tmp_path: Path) -> None:
    async with scripted_endpoint(speaking(actor())) as place:
        money = ("--price", "2,8", "--max-tokens", "1000")
        code, _, err = await run(tmp_path, place.url, *money, "--budget", "0.06")
        assert code == 1
        assert "go on with a greater --budget" in err
        asked = len(place.requests)
        assert asked > 5
        assert asked * 0.0036 <= 0.06
        code, _, err = await run(tmp_path, place.url, *money, "--budget", "5")
        assert code == 0, err
        whole = len(place.requests)
    async with scripted_endpoint(speaking(actor())) as fresh:
        await run(tmp_path / "fresh", fresh.url, *money)
    assert whole == len(fresh.requests)
    assert files(tmp_path) == files(tmp_path / "fresh")


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_run_that_is_killed_anywhere_goes_on_to_the_same_end_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    async with scripted_endpoint(speaking(actor())) as fresh:
        await run(tmp_path / "fresh", fresh.url)
    async with scripted_endpoint(speaking(actor())) as place:
        for kill in range(10):
            process = await anyio.open_process(
                command(tmp_path, "--parallel", "1"), env=surroundings(place.url), stdout=DEVNULL, stderr=DEVNULL
            )
            wanted = len(fresh.requests) * (kill + 1) // 11
            while len(place.requests) < wanted and process.returncode is None:  # noqa: ASYNC110 - another process
                await anyio.sleep(0.005)
            process.kill()
            await process.wait()
        code, _, err = await run(tmp_path, place.url, "--parallel", "1")
    assert code == 0, err
    assert files(tmp_path) == files(tmp_path / "fresh")
    # Only an answer that was on its way when the process died can have been lost with it.
    assert len(place.requests) - len(fresh.requests) <= 10
    paid = json.loads((tmp_path / "run" / "report.json").read_text())["total"]["asked"]
    assert paid == len(fresh.requests)


async def test_whoever_stops_a_run_is_told_how_to_go_on(tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Hang()) as place:
        process = await anyio.open_process(command(tmp_path), env=surroundings(place.url), stdout=DEVNULL)
        while not place.requests:  # noqa: ASYNC110 - another process
            await anyio.sleep(0.02)
        process.send_signal(signal.SIGINT)
        with anyio.fail_after(20):
            await process.wait()
        assert process.stderr is not None
        told = b"".join([piece async for piece in process.stderr]).decode()
    assert process.returncode == 130
    assert f"Answers so far are stored in {tmp_path / 'run'}; the same command continues from there." in told


async def test_a_screen_shows_what_a_model_said_as_it_said_it(tmp_path: Path) -> None:
    good = speaking(actor())

    def refusing(asked: Asked) -> Reply:
        named = "design environments" in str(asked["messages"][0])
        return Say(None, refusal="There is no [/desk] here.") if named else good(asked)

    screen, program = os.openpty()
    async with scripted_endpoint(refusing) as place:
        process = await anyio.open_process(
            command(tmp_path), env=surroundings(place.url), stdout=program, stderr=program
        )
        os.close(program)
        shown = await anyio.to_thread.run_sync(everything_from, screen)
        await process.wait()
    assert "no [/desk] here" in shown
    assert "3 of 4 tasks need records; 0 environments are admitted." in shown


def everything_from(terminal: int) -> str:
    pieces: list[bytes] = []
    with suppress(OSError):
        while piece := os.read(terminal, 4096):
            pieces.append(piece)
    os.close(terminal)
    return b"".join(pieces).decode()


async def test_an_endpoint_that_falters_is_asked_again(tmp_path: Path) -> None:
    turn = 0

    def faltering(asked: Asked) -> Reply:
        nonlocal turn
        turn += 1
        return Fail(429, "slow down", {"Retry-After": "0.01"}) if turn % 3 == 0 else good(asked)

    good = speaking(actor())
    async with scripted_endpoint(faltering) as place:
        code, _, err = await run(tmp_path, place.url, *QUICKLY)
    assert code == 0, err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--budget", "1"), "a budget needs the model's price"),
        (("--price", "two"), "'two' is no price"),
        (("--record", "a", "--replay", "b"), "recorded or replayed, not both"),
        (("--replay", "nowhere"), "holds no recorded answers"),
        (("--prompts", "."), "takes the place of no prompt"),
    ],
)
def test_wrong_use_is_told(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "mine.md").write_text("")
    told = tuple(str(tmp_path) if word == "." else word for word in words)
    found = CliRunner(env=surroundings()).invoke(app, command(tmp_path, *told)[3:])
    code, err = found.exit_code, found.stderr
    assert code != 0
    assert message in " ".join(err.replace("│", " ").split())


async def test_without_a_key_or_an_endpoint_nothing_is_begun(tmp_path: Path) -> None:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI")}
    done = await anyio.run_process(command(tmp_path), env=variables, check=False)
    assert done.returncode == 2
    assert "OPENAI_BASE_URL" in done.stderr.decode()


async def test_raw_tasks_are_mined_by_a_model_that_is_paid_once(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.txt"
    tasks.write_text("\n".join(TASKS))
    (tmp_path / "registry.json").write_text('{"schema_version": 1, "entries": []}')
    words = ["--home", str(tmp_path), "mine", str(tasks), "--model", "small"]
    async with scripted_endpoint(speaking(actor())) as place:
        _, first, told = await envscaler(*words, "--why", url=place.url)
        _, again, _ = await envscaler(*words, "--json", url=place.url)
    assert len(place.requests) == 1
    assert "3 of 4 tasks need a system with records" in first
    assert "1,000 tokens in, 200 out" in told
    assert json.loads(again)["kept"] == 3
