"""Words that make a model late, or break it down for a while, hide no failed episode; a model that is down is still told as that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from pydantic import SecretStr

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Verdict
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.live import EpisodeLimits, EpisodeRecord
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.llm import Endpoint
from envscaler_mcp.official.own_farm import at_a_farm
from envscaler_mcp.official.stage import Stage
from tests.adversary.test_words import FORBIDDEN, SOON, breaks, talking, words
from tests.episode.voices import conversing, played, voice_at
from tests.llm.endpoint import Asked, Fail, Hang, Reply, Say, ScriptedEndpoint, Trickle, scripted_endpoint
from tests.official.staging import FILES, registered
from tests.official.till.benchmark import TALK
from tests.runs.home import write_home

LATE: list[Reply] = [
    Hang(),
    Trickle(),
    *(Fail(status, headers=SOON) for status in (408, 409, 503, 504, 522, 524)),
    Fail(500, headers={"retry-after": "86400"}),
]
SCANT = {"timeout": 0.6, "attempts": 2}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home")) / "generated_servers"


async def talk(servers: Path, folder: Path, script: Callable[[Asked], Reply]) -> tuple[EpisodeRecord, ScriptedEndpoint]:
    async with scripted_endpoint(script) as place, voice_at(place.url, folder, **SCANT) as voice:
        user = user_named("openai:small", voice)[1](conversing(servers), GoalProgress((), lambda _: ()), 3)
        return await played(servers, lambda *_: talking(FORBIDDEN), user, scenario=conversing(servers)), place


@pytest.mark.parametrize("how", LATE, ids=lambda how: str(how) if isinstance(how, Fail) else type(how).__name__)
async def test_a_word_that_makes_the_users_model_late_hides_no_failure(
    servers: Path, tmp_path: Path, how: Reply
) -> None:
    done, _ = await talk(servers, tmp_path, breaks(how))
    assert (done.ended, done.owner, done.stopped) == ("error", None, None)
    assert "UnfitConversationError" in done.reason


@pytest.mark.parametrize("how", LATE, ids=lambda how: str(how) if isinstance(how, Fail) else type(how).__name__)
async def test_a_word_that_makes_the_agents_own_model_late_is_its_failure(
    servers: Path, tmp_path: Path, how: Reply
) -> None:
    def script(asked: Asked) -> Reply:
        return how if FORBIDDEN in words(asked) else Say(FORBIDDEN)

    async with scripted_endpoint(script) as place, voice_at(place.url, tmp_path, **SCANT) as voice:
        done = await played(servers, agent_named("openai:small", voice)[1])
    assert (done.ended, done.owner, done.stopped, len(done.steps)) == ("error", "agent", None, 1)


@pytest.mark.parametrize("how", LATE, ids=lambda how: str(how) if isinstance(how, Fail) else type(how).__name__)
async def test_a_model_that_is_late_whatever_it_is_asked_is_told_after_one_question_more(
    servers: Path, tmp_path: Path, how: Reply
) -> None:
    done, place = await talk(servers, tmp_path, lambda _: how)
    assert (done.ended, done.owner) == ("error", "infrastructure")
    assert len(place.requests) <= 1 + 2


async def test_a_word_that_ends_the_users_model_hides_no_failure_while_that_starts_again(
    servers: Path, tmp_path: Path
) -> None:
    says: Iterator[Reply] = chain([Fail(500, headers=SOON)] * 2, repeat(Fail(429, headers=SOON)))
    done, _ = await talk(servers, tmp_path, lambda asked: next(says) if FORBIDDEN in words(asked) else Say("Go on."))
    assert (done.ended, done.owner) == ("error", None)


async def test_an_answer_that_is_late_once_costs_no_episode(servers: Path, tmp_path: Path) -> None:
    says: Iterator[Reply] = chain([Hang()], repeat(Say("Thank you! ###STOP###")))
    done, _ = await talk(servers, tmp_path, lambda asked: next(says) if FORBIDDEN in words(asked) else Say("Go on."))
    assert (done.ended, done.owner) == ("completed", None)


# The user of a benchmark, whose questions may hold all that was said in one message


@contextmanager
def benchmark(folder: Path, script: Callable[[Asked], Reply]) -> Iterator[rl.BenchmarkGym]:
    with (
        registered(folder),
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(scripted_endpoint(script)) as place,
        rl.benchmark(
            "till-talk",
            user="openai:small",
            endpoint=Endpoint(base_url=place.url, api_key=SecretStr("key"), timeout=0.6, attempts=2),
        ) as gym,
    ):
        yield gym


def said(gym: rl.BenchmarkGym, *says: str) -> Verdict:
    with gym.open("till_1") as episode:
        for text in says:
            episode.say(text)
        return episode.verify()


@pytest.mark.parametrize(
    "how",
    [Fail(400, "filtered", code="content_filter"), Fail(422, "bad token"), Fail(504, headers=SOON), Hang()],
    ids=["filter", "token", "gateway", "hang"],
)
def test_a_word_that_the_model_of_a_benchmarks_user_does_not_bear_hides_no_failure(tmp_path: Path, how: Reply) -> None:
    with benchmark(tmp_path, breaks(how)) as gym:
        verdict = said(gym, FORBIDDEN)
    assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False)


def test_a_benchmarks_user_whose_model_goes_down_is_no_agents_failure(tmp_path: Path) -> None:
    says: Iterator[Reply] = chain([Say("Put 5 in.")], repeat(Fail(504, headers=SOON)))
    with benchmark(tmp_path, lambda _: next(says)) as gym:
        verdict = said(gym, "Hello.")
    assert (verdict.owner, verdict.masked) == ("infrastructure", True)


@pytest.mark.parametrize(
    ("says", "ended"),
    [
        (["x" * 30_000], "steps"),
        (["\U0001f600" * 150_000], "steps"),
        (["x" * 200_000] * 6, "steps"),
        (["," * 150_000], "error"),
        (["\0" * 200_000], "error"),
    ],
    ids=["long", "emoji", "often", "commas", "control letters"],
)
async def test_no_length_of_an_agents_words_masks_its_episode_at_a_farm(
    tmp_path: Path, says: list[str], ended: str
) -> None:
    async with scripted_endpoint(lambda _: Say("Go on.")) as place, voice_at(place.url, tmp_path) as voice:
        with registered(tmp_path), Stage.of(TALK, FILES) as stage:
            async with at_a_farm(stage, None) as here, here.reached("http") as reached:
                judged = await reached.play(
                    stage.tasks["till_1"],
                    lambda *_: talking(*says),
                    lambda task, world: TALK.user(task, world, voice, 0),
                    EpisodeLimits(8, 60.0),
                )
    assert (judged.record.ended, judged.verdict.owner, judged.verdict.masked) == (ended, "agent", False)
