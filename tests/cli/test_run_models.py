"""A run that models play, from the command line: endpoints, keys, prices, and what is said when it cannot go on."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.agent import COMPLETED
from envscaler_mcp.episode.user import STOP
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.llm.endpoint import Fail, Say, one_after_the_other, scripted_endpoint
from tests.runs.home import write_home


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=2)


async def run(home: Path, out: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    """The command, in a thread: the endpoint that it asks is served by this one."""
    nobody = {"OPENAI_BASE_URL": None, "OPENAI_API_KEY": None}
    command = ["--home", str(home), "run", "--out", str(out), *words]

    def invoke() -> Result:
        return CliRunner().invoke(app, command, env={**nobody, "COLUMNS": "200", **variables})

    done = await anyio.to_thread.run_sync(invoke)
    return done.exit_code, done.stdout, done.stderr


async def test_agent_and_user_may_be_models_at_different_endpoints_with_keys_of_their_own(
    home: Path, tmp_path: Path
) -> None:
    async with (
        scripted_endpoint(lambda _: Say("What is it about?")) as agents,
        scripted_endpoint(one_after_the_other(Say("Hello."), Say(STOP))) as users,
    ):
        words = ("--agent", "openai:big", "--mode", "conversation", "--user", "openai:small", "--limit", "1")
        costs = ("--price", "2,8", "--user-price", "1,1", "--budget", "5")
        where = ("--user-url", users.url, "--user-key", "OTHER_KEY")
        keys = {"OPENAI_BASE_URL": agents.url, "OPENAI_API_KEY": "sk-agent", "OTHER_KEY": "sk-user"}
        _, out, err = await run(home, tmp_path, *words, *costs, *where, "--json", **keys)
    told = json.loads(out)
    assert told["done"] == 1, err
    assert (told["spent"]["asked"], told["spent"]["dollars"]) == (3, pytest.approx(900e-6))
    assert {(asked["model"], asked["_key"]) for asked in agents.requests} == {("big", "sk-agent")}
    assert {(asked["model"], asked["_key"]) for asked in users.requests} == {("small", "sk-user")}
    (one,) = read_trajectories(tmp_path)
    assert (one.agent, one.user) == ("openai:big", "openai:small")
    assert one.use is not None
    assert one.user_use is not None
    assert (one.use.dollars, one.user_use.dollars) == pytest.approx((600e-6, 300e-6))


async def test_the_agent_s_key_is_not_sent_to_the_user_s_endpoint(home: Path, tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Say(STOP)) as users:
        words = ("--mode", "conversation", "--user", "openai:small", "--user-url", users.url, "--limit", "1")
        await run(home, tmp_path, *words, OPENAI_API_KEY="sk-agent")
    assert {asked["_key"] for asked in users.requests} == {"none"}


async def test_a_refused_key_is_one_clear_error_and_the_same_command_goes_on(home: Path, tmp_path: Path) -> None:
    script = one_after_the_other(Say(COMPLETED), Fail(401, "Incorrect API key provided"))
    async with scripted_endpoint(script) as place:
        reached = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "sk-wrong"}
        code, _, err = await run(home, tmp_path, "--agent", "openai:big", "--parallel", "1", **reached)
    assert code == 1
    assert "1 of 2 episodes is stored" in err
    assert err.count("Incorrect API key provided") == 1
    assert "Traceback" not in err
    async with scripted_endpoint(lambda _: Say(COMPLETED)) as place:
        code, out, _ = await run(home, tmp_path, "--agent", "openai:big", OPENAI_BASE_URL=place.url)
    assert (code, out.splitlines()[-1]) == (0, f"2 of 2 episodes are in {tmp_path}.")
    assert out.splitlines()[-2] == "2 answers of models: 200 tokens in, 100 out."
    code, _, err = await run(
        home, tmp_path, "--agent", "openai:big", "--price", "2,8", "--budget", "5", OPENAI_BASE_URL=place.url
    )
    assert (code, "at an unknown price" in err) == (1, True)


TALK = ("--mode", "conversation", "--user", "openai:small")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--agent", "openai:big"), "there is no key in OPENAI_API_KEY and no endpoint in OPENAI_BASE_URL"),
        (("--agent", "openai:big", "--budget", "1", "--user-url", "x"), "there is no key in OPENAI_API_KEY"),
        (("--mode", "conversation", "--user", "somebody"), "There is no user 'somebody'"),
        (
            ("--mode", "conversation", "--user", "openai:small", "--user-url", "http://127.0.0.1:9", "--budget", "1"),
            "a budget needs the price of 'small'",
        ),
        ((*TALK, "--user-url", "http://127.0.0.1:9", "--user-key", "TYPO"), "--user-key: there is no key in TYPO"),
        ((*TALK, "--user-url", "http://127.0.0.1:9", "--user-price", "2,x"), "--user-price: '2,x' is no price"),
        ((*TALK, "--user-url", "http://127.0.0.1:9", "--user-price", "nan,-1"), "'nan,-1' is no price"),
        (TALK, "--user: there is no key in OPENAI_API_KEY"),
    ],
)
async def test_what_models_need_and_do_not_get_is_wrong_use(
    home: Path, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    code, _, err = await run(home, tmp_path, *words)
    assert code == 2
    assert told in " ".join(err.replace("│", " ").split())
