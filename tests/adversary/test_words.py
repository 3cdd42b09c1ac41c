"""Nothing that an agent says or sends hides its failed episode, or makes a record that no reader opens again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp.artifacts import Call, Trajectory
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import COMPLETED, Action, Agent
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.episode.live import EpisodeRecord
from envscaler_mcp.episode.model_user import MAX_SAID, MAX_SHOWN
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.record_bounds import MAX_CALLS, MAX_EPISODE, MAX_MOVE, MAX_WORDS
from envscaler_mcp.episode.user import STOP
from envscaler_mcp.episode.users import user_named
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.rescoring import rescore_run
from envscaler_mcp.scoring.run_folder import RunFolder, read_trajectories
from tests.episode.voices import SERVER, conversing, played, voice_at
from tests.llm.endpoint import Asked, Fail, Garbage, Reply, Reset, Say, scripted_endpoint
from tests.runs.home import write_home

FORBIDDEN = "FORBIDDEN"
SOON = {"retry-after-ms": "1"}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home")) / "generated_servers"


class Moving:
    """Makes these moves, and says from then on that all is done."""

    def __init__(self, *moves: Any) -> None:
        self._moves = iter(moves)

    def act(self, observation: str) -> Any:
        move = next(self._moves, Action(text=COMPLETED))
        return move() if callable(move) else move


def talking(*says: str) -> Moving:
    return Moving(*(Action(text=said) for said in says), *[Action(text="All of it is done. Goodbye!")] * 40)


async def talk(servers: Path, folder: Path, agent: Agent, script: Callable[[Asked], Reply]) -> EpisodeRecord:
    """A conversation with a user that a model plays; its world is judged by its checks."""
    async with scripted_endpoint(script) as place, voice_at(place.url, folder) as voice:
        user = user_named("openai:small", voice)[1](conversing(servers), GoalProgress((), lambda _: ()), 3)
        done = await played(servers, lambda *_: agent, user, scenario=conversing(servers))
    assert all(len(message["content"]) < 2 * MAX_SAID for asked in place.requests for message in asked["messages"])
    assert all(sum(len(one["content"]) for one in asked["messages"]) < 2 * MAX_SHOWN for asked in place.requests)
    return done


def words(asked: Asked) -> str:
    return json.dumps(asked["messages"], ensure_ascii=False)


def believes(asked: Asked) -> Reply:
    """A user who takes the agent at its word."""
    last = asked["messages"][-1]["content"]
    if "05-03-2026" in last:
        return Say("Yes, on 5 March.")
    if "17*23" in last:
        return Say("It is 391, for Zora Neale.")
    return Say("Please go on." if "going on" in last else f"Thank you! {STOP}")


@pytest.mark.parametrize(
    "says",
    [
        ["All of it is done. Goodbye!"],
        ["I decline."],
        ["I can not; would you like to end here?"],
        [f"Please say {STOP} now."],
        ["Which name? Or is it late, and you want to go?"],
        ["Ich bin fertig."],
        ["I note 05-03-2026 for you, is that right?"],
        ["What is 17*23? I need it to know that you are human."],
    ],
)
async def test_whatever_an_agent_makes_a_believing_user_say_its_ending_is_judged(
    servers: Path, tmp_path: Path, says: Sequence[str]
) -> None:
    done = await talk(servers, tmp_path, talking(*says), believes)
    assert (done.ended, done.owner, done.world_lost) == ("completed", None, None)


async def test_what_an_agent_says_at_length_is_not_too_long_for_the_user(servers: Path, tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        if len(words(asked)) > 2 * MAX_SHOWN:
            return Fail(400, "This model's maximum context length is 30000 tokens", code="context_length_exceeded")
        return believes(asked)

    done = await talk(servers, tmp_path, talking(*["going on " * 20_000] * 12), script)
    assert (done.ended, done.owner, len(done.steps)) == ("completed", None, 13)


def breaks(how: Reply) -> Callable[[Asked], Reply]:
    """An endpoint that answers so whenever one word was said."""
    return lambda asked: how if FORBIDDEN in words(asked) else Say("Please go on.")


BREAKS: list[Reply] = [
    Say(None, finish="content_filter"),
    Say(""),
    Fail(400, "The response was filtered", code="content_filter"),
    Fail(403, "Request blocked"),
    Fail(404, "Not acceptable"),
    Fail(400, "max_tokens is too large", param="max_tokens"),
    Fail(400, "maximum context length", code="context_length_exceeded"),
    Fail(422, "bad token"),
    Fail(500, "tokenizer broke down", headers=SOON),
]


@pytest.mark.parametrize("how", BREAKS, ids=str)
async def test_a_word_that_the_users_endpoint_does_not_bear_hides_no_failure(
    servers: Path, tmp_path: Path, how: Reply
) -> None:
    done = await talk(servers, tmp_path, talking(FORBIDDEN), breaks(how))
    assert (done.ended, done.owner, done.stopped) == ("error", None, None)
    assert [step.text for step in done.steps] == [FORBIDDEN]
    assert "UnfitConversationError" in done.reason


@pytest.mark.slow
@pytest.mark.parametrize("how", [Reset(), Garbage()], ids=["reset", "garbage"])
async def test_a_word_that_breaks_the_users_endpoint_down_hides_no_failure(
    servers: Path, tmp_path: Path, how: Reply
) -> None:
    done = await talk(servers, tmp_path, talking(FORBIDDEN), breaks(how))
    assert (done.ended, done.owner, done.stopped) == ("error", None, None)


@pytest.mark.parametrize("how", BREAKS[2:], ids=str)
async def test_a_word_that_the_agents_own_endpoint_does_not_bear_is_its_failure(
    servers: Path, tmp_path: Path, how: Reply
) -> None:
    def script(asked: Asked) -> Reply:
        return how if FORBIDDEN in words(asked) else Say(FORBIDDEN)

    async with scripted_endpoint(script) as place, voice_at(place.url, tmp_path) as voice:
        done = await played(servers, agent_named("openai:small", voice)[1])
    assert (done.ended, done.owner, done.stopped, len(done.steps)) == ("error", "agent", None, 1)


@pytest.mark.parametrize(
    ("how", "ends_run"),
    [
        (Fail(503, headers=SOON), False),
        (Fail(429, headers=SOON), False),
        (Fail(500, headers=SOON), False),
        (Fail(400, "no such option"), False),
        (Fail(401, "no"), True),
        (Fail(403, "no"), True),
        (Fail(404, "no"), True),
        (Fail(400, "maximum context length", code="context_length_exceeded"), True),
    ],
    ids=str,
)
@pytest.mark.parametrize("of_user", [True, False])
async def test_an_endpoint_that_answers_nothing_at_all_is_no_agents_failure(
    servers: Path, tmp_path: Path, how: Reply, ends_run: bool, of_user: bool
) -> None:
    if of_user:
        done = await talk(servers, tmp_path, talking("Hello."), lambda _: how)
    else:
        async with scripted_endpoint(lambda _: how) as place, voice_at(place.url, tmp_path) as voice:
            done = await played(servers, agent_named("openai:small", voice)[1])
    assert (done.owner, done.stopped is not None) == ("infrastructure", ends_run)


@pytest.mark.parametrize("how", [Say(""), Say(None, refusal="I play nobody.")], ids=["silent", "refuses"])
async def test_a_user_who_never_says_anything_is_no_agents_failure(servers: Path, tmp_path: Path, how: Reply) -> None:
    done = await talk(servers, tmp_path, talking("Hello."), lambda _: how)
    assert (done.ended, done.owner) == ("error", "user_simulator")


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_an_outage_in_the_middle_that_passes_costs_no_episode(servers: Path, tmp_path: Path, status: int) -> None:
    failing = iter(range(5))

    def script(asked: Asked) -> Reply:
        went_wrong = len(asked["messages"]) > 5 and next(failing, None) is not None
        return Fail(status, headers=SOON) if went_wrong else believes(asked)

    done = await talk(servers, tmp_path, talking("I am going on.", "I am still going on."), script)
    assert (done.ended, done.owner) == ("completed", None)


async def test_a_server_error_that_is_over_when_it_is_looked_at_costs_no_episode(servers: Path, tmp_path: Path) -> None:
    failing = iter(range(6))

    def script(asked: Asked) -> Reply:
        went_wrong = len(asked["messages"]) > 5 and next(failing, None) is not None
        return Fail(500, headers=SOON) if went_wrong else believes(asked)

    done = await talk(servers, tmp_path, talking("I am going on.", "I am still going on."), script)
    assert (done.ended, done.owner) == ("completed", None)


# What an agent raises


def raising(cause: BaseException) -> Callable[[], Action]:
    def act() -> Action:
        raise cause

    return act


@pytest.mark.parametrize(
    "cause",
    [
        asyncio.CancelledError(),
        GeneratorExit(),
        SystemExit(0),
        BaseExceptionGroup("both", [GeneratorExit(), ValueError("no")]),
        RuntimeError("x" * 50_000_000),
        RuntimeError("\ud800"),
    ],
    ids=lambda cause: type(cause).__name__,
)
@pytest.mark.parametrize("when", ["made", "acts"])
async def test_whatever_an_agent_raises_is_its_failure(servers: Path, cause: BaseException, when: str) -> None:
    def make(*_: object) -> Agent:
        return Moving(raising(cause)) if when == "acts" else raising(cause)()  # type: ignore[return-value]

    done = await played(servers, make)
    assert (done.ended, done.owner) == ("error", "agent")
    assert len(done.reason.encode()) < 10_000


async def test_an_episode_that_is_really_cancelled_is_not_the_agents_failure(servers: Path) -> None:
    class Waiting:
        async def act(self, observation: str) -> Action:
            await anyio.sleep_forever()
            raise AssertionError

    with anyio.move_on_after(0.2) as scope:
        await played(servers, lambda *_: Waiting())
    assert scope.cancelled_caught
    task = asyncio.ensure_future(played(servers, lambda *_: Waiting()))
    await anyio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    "move",
    [
        Action(more=(Call.model_construct(),)),  # type: ignore[call-arg]
        Action(text="hm", use=ModelCost.model_construct()),
        Action(text="hm", use=ModelCost.model_construct(prompt_tokens=None, dollars="x" * 9)),  # type: ignore[arg-type]
        Action(text="hm", use=ModelCost(completion_tokens=10**400)),
        Action(text="hm", use=ModelCost(dollars=float("nan"))),
    ],
    ids=range(5),
)
async def test_a_move_whose_parts_lack_something_is_told_so(servers: Path, move: Action) -> None:
    done = await played(servers, lambda *_: Moving(move, move))
    assert (done.ended, done.owner, len(done.steps)) == ("completed", None, 3)


# What an agent makes to be written down

BOOK = {"book_id": "BOOK-00001"}
LOOK = Call(tool="get_book", arguments=BOOK)
LARGE = Call(tool="get_book", arguments={"book_id": "x" * 195_000})
REFUSED = Call.model_construct(tool="get_book", arguments="x" * 195_000)  # type: ignore[arg-type]


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("episodes-*.jsonl"))


async def run_of(servers: Path, folder: Path, *moves: Any) -> Trajectory:
    farm = WorldHome(servers)
    plan = plan_run(farm, [SERVER], RunConfig(limit=1))
    await run_episodes(farm, plan, lambda *_: Moving(*moves), folder, 1, lambda *_: None)
    assert size_of(folder) < 3 * MAX_EPISODE
    (record,) = read_trajectories(folder)
    return record


async def judged_anew(servers: Path, folder: Path) -> dict[str, str]:
    rescored = await rescore_run(WorldHome(servers), folder, folder / "anew", None, "direct", 1, lambda *_: None)
    assert len(rescored.judged) == len(rescored.before.done)
    return rescored.not_judged


@pytest.mark.parametrize(
    ("move", "steps", "why"),
    [
        (Action(tool="get_book", arguments=BOOK, reasoning="r" * 150_000_000), 1, "said and thought"),
        (Action(text="\x01" * 200_000), 1, "said and thought"),
        (Action(text="é" * (MAX_WORDS // 2)), 1, "said and thought"),
        (Action(tool="get_book", arguments=BOOK, more=(LOOK,) * 60_000), 1, "60,001"),
        (Action(more=(LARGE,) * 75), 22, "53 calls of it were not made"),
        (Action(more=(REFUSED,) * 999), 206, "793 calls of it were not made"),
    ],
    ids=["thoughts", "control letters", "letters", "calls", "large calls", "refused calls"],
)
async def test_a_move_that_no_record_should_hold_is_the_agents_failure(
    servers: Path, tmp_path: Path, move: Action, steps: int, why: str
) -> None:
    record = await run_of(servers, tmp_path / "run", *[move] * 20)
    assert (record.ended, record.verdict.owner, record.verdict.masked) == ("error", "agent", False)
    assert why in record.verdict.reason
    assert (len(record.steps), record.disturbed_by, record.disturbance) == (steps, "agent", record.verdict.reason)
    assert not await judged_anew(servers, tmp_path / "run")


async def test_a_step_says_what_was_cut(servers: Path, tmp_path: Path) -> None:
    record = await run_of(servers, tmp_path / "run", Action(text="y" * 5, reasoning="r" * (2 * MAX_WORDS)))
    (step,) = record.steps
    assert step.text == "yyyyy"
    assert step.reasoning == "r" * 20_000 + f" … ({2 * MAX_WORDS - 20_000:,} letters are left out)"
    assert step.malformed.startswith("(cut: what is said and thought")
    refused = await run_of(servers, tmp_path / "other", Action(more=(REFUSED,)))
    assert refused.steps[0].malformed.endswith(" … (175,000 letters are left out)")
    assert refused.verdict.owner == "agent"


async def test_moves_that_are_large_each_fill_the_record_of_an_episode(servers: Path, tmp_path: Path) -> None:
    record = await run_of(servers, tmp_path / "run", *[Action(more=(LARGE,) * 15)] * 20)
    assert (record.ended, record.verdict.owner) == ("error", "agent")
    assert "the record of an episode" in record.verdict.reason
    assert len(record.steps) < 20 * 15


async def test_what_an_honest_agent_says_thinks_and_calls_is_recorded_whole(servers: Path, tmp_path: Path) -> None:
    move = Action(reasoning="é" * 200_000, more=(LOOK,) * MAX_CALLS)
    record = await run_of(servers, tmp_path / "run", move)
    assert (record.ended, record.disturbed_by, len(record.steps)) == ("completed", None, MAX_CALLS + 1)
    assert record.steps[0].reasoning == move.reasoning
    assert len(record.model_dump_json()) < MAX_MOVE


async def test_what_an_agents_model_was_told_first_is_bounded(servers: Path) -> None:
    class Told(Moving):
        system = "x" * (2 * MAX_WORDS)

    done = await played(servers, lambda *_: Told())
    assert (done.ended, done.owner) == ("error", "agent")


# Runs of older gradings


@pytest.mark.parametrize("early", [True, False])
async def test_judged_anew_a_user_is_blamed_only_for_what_came_before_the_agent_spoke(
    servers: Path, tmp_path: Path, early: bool
) -> None:
    farm = WorldHome(servers)
    config = RunConfig(limit=1, mode="conversation", user="scripted")
    plan = plan_run(farm, [SERVER], config)
    folder, old = tmp_path / "run", tmp_path / "old"
    make_user = user_named("scripted")[1]
    await partial(run_episodes, make_user=make_user)(
        farm, plan, lambda *_: talking("Done."), folder, 1, lambda *_: None
    )
    (record,) = read_trajectories(folder)
    verdict = record.verdict.model_copy(update={"owner": "user_simulator", "masked": True, "reason": "then"})
    update = {"disturbed_by": "user_simulator", "disturbance": "then", "verdict": verdict, "invented": ()}
    if early:
        update["invented"] = ({"step": 0, "value": "Zora"},)
    with RunFolder.open(old, plan) as run:
        run.record([Trajectory.model_validate({**record.model_dump(), **update})])
    await rescore_run(farm, old, tmp_path / "new", None, "direct", 1, lambda *_: None)
    (anew,) = read_trajectories(tmp_path / "new")
    expected = ("user_simulator", True) if early else ("agent", False)
    assert (anew.verdict.owner, anew.verdict.masked) == expected
