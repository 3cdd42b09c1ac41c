"""An episode ends as it should whatever its agent does, and tells whose failure it was."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest

from envscaler_mcp.artifacts import Call, Scenario, StateDiff, Step
from envscaler_mcp.artifacts.episode import ModelCost
from envscaler_mcp.episode.agent import (
    COMPLETED,
    Action,
    Agent,
    AgentUnavailableError,
    Briefing,
    MakeAgent,
    Observation,
)
from envscaler_mcp.episode.agents import UnknownAgentError, agent_named
from envscaler_mcp.episode.live import UNREADABLE, EpisodeLimits, EpisodeRecord
from envscaler_mcp.episode.loop import play
from envscaler_mcp.episode.transcript import EMPTY, FINISHED, NO_MOVE, SILENT, UNHEARD
from envscaler_mcp.episode.user import User
from envscaler_mcp.launch.channels import LocalChannel
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.serving import Outcome
from tests.episode.voices import alone
from tests.runs.home import write_home

SERVER = "lending_library"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home")) / "generated_servers"


class Saying:
    """Makes the moves it was given, and remembers what it heard."""

    def __init__(self, moves: Iterable[Any]) -> None:
        self._moves = iter(moves)
        self.heard: list[str] = []

    async def act(self, observation: str) -> Any:
        self.heard.append(observation)
        move = next(self._moves, Action(text=COMPLETED))
        return move() if callable(move) else move


def always(agent: Agent) -> MakeAgent:
    return lambda _briefing, _scenario: agent


async def episode(
    servers: Path,
    make_agent: MakeAgent,
    limits: EpisodeLimits | None = None,
    isolation: Literal["local", "auto"] = "local",
) -> EpisodeRecord:
    farm = WorldHome(servers)
    scenario = farm.scenarios(SERVER)[0]
    with closing(farm.open(SERVER, scenario=scenario.id, isolation=isolation)) as session:
        return await played_in(LocalChannel(session), scenario, make_agent, limits)


async def played_in(
    way: LocalChannel,
    scenario: Scenario,
    make_agent: MakeAgent,
    limits: EpisodeLimits | None = None,
    user: User | None = None,
) -> EpisodeRecord:
    servers = alone(way)
    briefing = Briefing(SERVER, "You are at the desk.", servers.offered, scenario.task, 0)
    return await play(make_agent, scenario, servers, briefing, limits or EpisodeLimits(), user)


async def test_the_agent_hears_the_task_and_then_what_its_calls_led_to(servers: Path) -> None:
    agent = Saying([Action(tool="get_book", arguments={"book_id": "BOOK-00001"})])
    done = await episode(servers, always(agent))
    assert agent.heard[0].startswith("Somebody is at the desk")
    assert json.loads(agent.heard[1])["data"]["title"] == "Volume 1"
    assert (done.ended, done.owner, [step.observation for step in done.steps]) == (
        "completed",
        None,
        [agent.heard[1], FINISHED],
    )


async def test_a_step_tells_what_it_changed(servers: Path) -> None:
    calls = [
        Action(tool="note", arguments={"member_id": "MEMB-00001", "text": "hello"}),
        Action(tool="note", arguments={"member_id": "nobody", "text": "hello"}),
    ]
    done = await episode(servers, always(Saying(calls)))
    changed = done.steps[0].diff.changed["members"]["MEMB-00001"]["notes"]
    assert changed == ([], ["2026-03-02T09:00 hello"])
    assert done.steps[1].is_error
    assert done.steps[1].diff.empty


async def test_the_conversation_is_as_a_chat_template_takes_it(servers: Path) -> None:
    move = Action(text="Let me look.", tool="get_book", arguments={"book_id": "BOOK-00001"})
    done = await episode(servers, always(Saying([move])))
    system, task, called, answer, ending, finished = done.messages
    assert [system["role"], task["role"], ending["content"], finished["content"]] == [
        "system", "user", COMPLETED, FINISHED,
    ]  # fmt: skip
    (call,) = called["tool_calls"]
    assert (called["content"], json.loads(call["function"]["arguments"])) == ("Let me look.", move.arguments)
    assert (answer["role"], answer["tool_call_id"], answer["name"]) == ("tool", call["id"], "get_book")


async def test_a_question_that_nobody_answers_does_not_end_the_episode(servers: Path) -> None:
    agent = Saying([Action(text="Which book?"), Action(), Action(text=f"Well then. {COMPLETED}.")])
    done = await episode(servers, always(agent))
    assert agent.heard[1:] == [UNHEARD, EMPTY]
    assert (done.ended, len(done.steps)) == ("completed", 3)


NAN = float("nan")
CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("move", "told"),
    [
        (Action(tool="get_bok", arguments={}), "There is no tool 'get_bok'; did you mean 'get_book'?"),
        (Action(tool=7), "There is no tool 7."),  # type: ignore[arg-type]
        (Action(tool="get_book"), "book_id is missing."),
        (Action(tool="get_book", arguments=None), "The arguments must be an object, not null."),  # type: ignore[arg-type]
        (Action(tool="get_book", arguments=["x"]), "The arguments must be an object, not a list."),  # type: ignore[arg-type]
        (Action(tool="get_book", arguments={"book_id": 3}), "book_id must be a text, not 3."),
        (Action(tool="get_book", arguments={"book_id": NAN}), "book_id must be a text, not nan."),
        (Action(tool="get_book", arguments={"book_id": object()}), "book_id must be a text, not a object."),
        (Action(tool="get_book", arguments={1: 2}), "There is no argument 1; there is book_id."),  # type: ignore[dict-item]
        (Action(tool="__init__", arguments={"init_config": {}}), "There is no tool '__init__'."),
    ],
    ids=range(10),
)
@pytest.mark.parametrize("isolation", ["local", "auto"])
async def test_a_malformed_call_is_answered_and_the_episode_goes_on(
    servers: Path, move: Action, told: str, isolation: Literal["local", "auto"]
) -> None:
    agent = Saying([move])
    done = await episode(servers, always(agent), isolation=isolation)
    assert json.loads(agent.heard[1]) == {"success": False, "error": told}
    assert (done.ended, done.steps[0].is_error, done.owner) == ("completed", True, None)


LOOK = Call(tool="get_book", arguments={"book_id": "BOOK-00002"})


def nested(depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(depth):
        found = {"in": found}
    return found


@pytest.mark.parametrize("arguments", [nested(150), nested(50_000), {"itself": CYCLE}], ids=["deep", "deeper", "cycle"])
async def test_arguments_that_no_record_could_hold_are_refused_and_kept_as_a_text(
    servers: Path, arguments: dict[str, Any]
) -> None:
    done = await episode(servers, always(Saying([Action(tool="get_book", arguments=arguments)])))
    first = done.steps[0]
    assert (done.ended, first.arguments, first.is_error) == ("completed", {}, True)
    assert first.malformed
    (call,) = done.messages[2]["tool_calls"]
    assert call["function"] == {"name": "get_book", "arguments": first.malformed}
    assert Step.model_validate_json(first.model_dump_json()) == first


async def test_a_call_that_was_no_json_stands_in_the_conversation_as_it_was_written(servers: Path) -> None:
    move = Action(tool="get_book", arguments='{"book_id": ')  # type: ignore[arg-type]
    done = await episode(servers, always(Saying([move])))
    assert done.steps[0].malformed == '{"book_id": '
    assert done.messages[2]["tool_calls"][0]["function"]["arguments"] == '{"book_id": '


class Leaving:
    """A user who says something, and then breaks down."""

    async def opening(self) -> str:
        return "Hello."

    async def reply(self, said: str, look: Any) -> str:
        raise RuntimeError(said)


async def test_what_the_agent_said_last_is_kept_where_the_user_breaks_down(servers: Path) -> None:
    farm = WorldHome(servers)
    scenario = farm.scenarios(SERVER)[0]
    with closing(farm.open(SERVER, scenario=scenario.id, isolation="local")) as session:
        agent = always(Saying([Action(), Action(text="Which book?")]))
        done = await played_in(LocalChannel(session), scenario, agent, user=Leaving())
    assert (done.ended, done.owner, [step.text for step in done.steps]) == ("error", None, ["", "Which book?"])
    assert done.reason == "the user raised RuntimeError: Which book?"
    assert done.steps[0].observation == SILENT
    assert done.messages[-1] == {"role": "assistant", "content": "Which book?"}


class Odd:
    """An agent of somebody's own, with a `system` that is no text."""

    @property
    def system(self) -> str:
        raise KeyError("nothing")

    def act(self, observation: str) -> Action:
        return Action(text=COMPLETED)


async def test_an_agent_whose_parts_raise_has_failed_and_nothing_else(servers: Path) -> None:
    done = await episode(servers, lambda _briefing, _scenario: Odd())
    assert (done.ended, done.owner) == ("error", "agent")


async def test_the_calls_of_one_move_are_numbered_and_each_answer_is_heard_by_itself(servers: Path) -> None:
    agent = Saying([Action(tool="list_books", arguments={"shelf": "fiction"}, more=(LOOK, LOOK))])
    done = await episode(servers, always(agent))
    assert [(step.number, step.turn) for step in done.steps] == [(1, 1), (2, 1), (3, 1), (4, 2)]
    heard = agent.heard[1]
    assert isinstance(heard, Observation)
    assert heard.answers == tuple(step.observation for step in done.steps[:3])
    assert heard == "\n".join(heard.answers)
    said, *answers = done.messages[2:6]
    assert [call["id"] for call in said["tool_calls"]] == [answer["tool_call_id"] for answer in answers]
    assert len({answer["tool_call_id"] for answer in answers}) == 3


async def test_what_was_done_before_the_time_was_over_is_kept(servers: Path) -> None:
    farm = WorldHome(servers)
    scenario = farm.scenarios(SERVER)[0]

    class Stalling(LocalChannel):
        async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> Any:
            if tool == "list_books":
                await anyio.sleep_forever()
            return await super().call(tool, arguments, writes)

    note = Action(
        tool="note",
        arguments={"member_id": "MEMB-00001", "text": "hello"},
        more=(Call(tool="list_books"),),
        use=ModelCost(completion_tokens=7),
    )
    with closing(farm.open(SERVER, scenario=scenario.id, isolation="local")) as session:
        done = await played_in(Stalling(session), scenario, always(Saying([note])), EpisodeLimits(seconds=0.2))
    assert (done.ended, done.owner, done.use) == ("time", "timeout", ModelCost(completion_tokens=7))
    assert [(step.tool, bool(step.diff.changed)) for step in done.steps] == [("note", True)]
    assert len(done.messages) == 4


@pytest.mark.parametrize(
    "move",
    [
        Action(tool="list_books", more=None),  # type: ignore[arg-type]
        Action(tool="list_books", more=("get_book",)),  # type: ignore[arg-type]
        Action(tool="list_books", use=7),  # type: ignore[arg-type]
    ],
    ids=range(3),
)
async def test_a_move_of_the_wrong_parts_is_told_so(servers: Path, move: Action) -> None:
    agent = Saying([move])
    done = await episode(servers, always(agent))
    assert agent.heard[1] == NO_MOVE
    assert (done.ended, done.owner) == ("completed", None)


async def test_a_call_that_cannot_be_read_at_all_is_told_so(servers: Path) -> None:
    agent = Saying([Action(tool="", arguments="{")])  # type: ignore[arg-type]
    done = await episode(servers, always(agent))
    assert json.loads(agent.heard[1]) == {"success": False, "error": UNREADABLE}
    assert done.steps[0].malformed == "{"


@pytest.mark.parametrize("move", [None, "Task Completed", {"tool": "get_book"}, 1])
async def test_what_is_no_move_at_all_is_told_so(servers: Path, move: object) -> None:
    agent = Saying([move])
    done = await episode(servers, always(agent))
    assert agent.heard[1] == NO_MOVE
    assert done.ended == "completed"


async def test_half_a_character_said_by_an_agent_can_be_written_down(servers: Path) -> None:
    done = await episode(servers, always(Saying([Action(text="\ud800"), Action(tool="\ud800")])))
    assert json.dumps([step.model_dump(mode="json") for step in done.steps]).encode()


async def test_calls_of_one_turn_are_numbered_on_and_each_has_its_answer(servers: Path) -> None:
    look = Call(tool="get_book", arguments={"book_id": "BOOK-00001"})
    done = await episode(servers, always(Saying([Action(text="Both.", more=(look, look), reasoning="Hm.")] * 2)))
    assert [(step.number, step.turn, step.text, step.reasoning) for step in done.steps[:4]] == [
        (1, 1, "Both.", "Hm."), (2, 1, "", ""), (3, 2, "Both.", "Hm."), (4, 2, "", ""),
    ]  # fmt: skip
    asked = [call["id"] for message in done.messages for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in done.messages if message["role"] == "tool"]
    assert asked == answered == ["call_1", "call_2", "call_3", "call_4"]


async def test_what_was_called_before_time_ran_out_is_in_the_record(servers: Path) -> None:
    class Stopping(LocalChannel):
        async def call(self, tool: str, arguments: dict[str, Any], writes: bool) -> tuple[Outcome, StateDiff]:
            if tool == "list_books":
                await anyio.sleep_forever()
            return await super().call(tool, arguments, writes)

    note = Call(tool="note", arguments={"member_id": "MEMB-00001", "text": "hello"})
    turn = Action(more=(note, Call(tool="list_books"), note))
    farm = WorldHome(servers)
    scenario = farm.scenarios(SERVER)[0]
    with closing(farm.open(SERVER, scenario=scenario.id)) as session:
        done = await played_in(Stopping(session), scenario, always(Saying([turn])), EpisodeLimits(seconds=0.05))
    assert (done.ended, [step.tool for step in done.steps]) == ("time", ["note"])
    assert [message["role"] for message in done.messages] == ["system", "user", "assistant", "tool"]


async def test_what_an_agent_does_with_its_arguments_afterwards_is_not_in_the_record(servers: Path) -> None:
    lines: list[Any] = [{"book_id": "BOOK-00001", "days": 3}]
    call = Action(tool="lend_books", arguments={"member_id": "MEMB-00001", "lines": lines})

    def forget() -> Action:
        lines.clear()
        return Action(text=COMPLETED)

    done = await episode(servers, always(Saying([call, forget])))
    assert done.steps[0].arguments["lines"] == [{"book_id": "BOOK-00001", "days": 3}]


def stops() -> Action:
    raise SystemExit(3)


def fails() -> Action:
    raise ValueError("out of ideas")


def is_down() -> Action:
    raise AgentUnavailableError("the model does not answer")


@pytest.mark.parametrize(
    ("act", "owner", "told"),
    [
        (fails, "agent", "the agent raised ValueError: out of ideas"),
        (stops, "agent", "the agent raised SystemExit: 3"),
        (is_down, "infrastructure", "the model does not answer"),
    ],
)
async def test_what_an_agent_raises_is_told_and_not_raised(servers: Path, act: Any, owner: str, told: str) -> None:
    done = await episode(servers, always(Saying([act])))
    assert (done.ended, done.owner, done.reason) == ("error", owner, told)


async def test_an_agent_that_cannot_be_made_has_failed(servers: Path) -> None:
    def make(_briefing: Briefing, _scenario: Scenario) -> Agent:
        raise KeyError("model")

    done = await episode(servers, make)
    assert (done.ended, done.owner) == ("error", "agent")
    assert "could not be made: KeyError" in done.reason


async def test_too_many_moves_end_an_episode(servers: Path) -> None:
    done = await episode(servers, always(Saying([Action(text="hm")] * 9)), EpisodeLimits(steps=4))
    assert (done.ended, done.owner, len(done.steps)) == ("steps", None, 4)


async def test_an_agent_that_thinks_for_ever_is_not_waited_for(servers: Path) -> None:
    class Thinking:
        async def act(self, observation: str) -> Action:
            await anyio.sleep_forever()
            return Action()

    done = await episode(servers, always(Thinking()), EpisodeLimits(seconds=0.05))
    assert (done.ended, done.owner) == ("time", "timeout")


async def test_a_defect_of_the_environment_is_remembered_and_excuses_no_agent(servers: Path) -> None:
    stumble = Action(tool="stumble", arguments={"member_id": "MEMB-00002"})
    done = await episode(servers, always(Saying([stumble, Action(tool="list_books")])))
    assert (done.ended, done.owner, len(done.steps)) == ("completed", None, 3)
    assert "stumble failed because of an error inside the environment" in done.reason
    assert "path.py" not in done.reason + done.steps[0].observation


async def test_a_worker_that_is_killed_ends_its_own_episode_within_a_second_and_no_other(servers: Path) -> None:
    await _kill_workers(servers, 6)


@pytest.mark.slow
async def test_a_hundred_workers_that_are_killed_end_their_own_episodes_alone(servers: Path) -> None:
    await _kill_workers(servers, 100)


async def _kill_workers(servers: Path, count: int) -> None:
    """Twice as many episodes as are killed, several at a time, each killed before another of its calls."""
    farm = WorldHome(servers)
    scenario = farm.scenarios(SERVER)[0]
    calls = [Action(tool=call.tool, arguments=call.arguments) for call in scenario.oracle]
    ended: dict[int, EpisodeRecord] = {}

    async def one(number: int, limiter: anyio.CapacityLimiter) -> None:
        async with limiter:
            with closing(farm.open(SERVER, scenario=scenario.id, isolation="auto")) as session:
                world = session.world
                assert isinstance(world, WorkerWorld)
                moves: list[Any] = list(calls)
                if number % 2:
                    at = number * 7 % len(calls)

                    def kill(at: int = at, pid: int = world.line.pid) -> Action:
                        os.kill(pid, signal.SIGKILL)
                        return calls[at]

                    moves[at] = kill
                ended[number] = await played_in(LocalChannel(session), scenario, always(Saying(moves)))

    limiter = anyio.CapacityLimiter(4)
    async with anyio.create_task_group() as group:
        for number in range(2 * count):
            group.start_soon(one, number, limiter)
    for number, done in ended.items():
        killed = number % 2 == 1
        assert (done.ended, done.owner) == (("error", "environment") if killed else ("completed", None)), done.reason
        if killed:
            assert (
                done.steps[-1].observation
                == '{"success":false,"error":"This world has ended; a new one must be opened."}'
            )
            assert len(done.steps) == number * 7 % len(calls) + 1
            assert done.steps[-1].milliseconds < 1000


async def test_a_script_is_a_list_of_calls_or_one_for_each_scenario(servers: Path, tmp_path: Path) -> None:
    call = {"tool": "get_book", "arguments": {"book_id": "BOOK-00002"}}
    (tmp_path / "one.json").write_text(json.dumps([call]))
    (tmp_path / "each.json").write_text(json.dumps({f"{SERVER}-001": [call], "other": []}))
    for file in ("one.json", "each.json"):
        name, make = agent_named(f"scripted:{tmp_path / file}")
        done = await episode(servers, make)
        assert [step.tool for step in done.steps] == ["get_book", ""]
        assert name.startswith("scripted-")
    assert agent_named(f"scripted:{tmp_path / 'one.json'}")[0] != name


class Own:
    """An agent as somebody else would write one: it gets its briefing and nothing more."""

    def __init__(self, briefing: Briefing) -> None:
        self.tools = [tool.name for tool in briefing.tools]

    def act(self, observation: str) -> Action:
        return Action(tool="list_books") if "total" not in observation else Action(text=COMPLETED)


async def test_an_agent_of_one_s_own_is_named_by_its_module(servers: Path) -> None:
    _, make = agent_named(f"{__name__}:Own")
    done = await episode(servers, make)
    assert (done.ended, [step.tool for step in done.steps]) == ("completed", ["list_books", ""])


@pytest.mark.parametrize(
    "name", ["orakel", "scripted", "scripted:", "scripted:/nowhere.json", "no.such.module:Agent", f"{__name__}:SERVER"]
)
def test_an_agent_that_is_not_there_is_told_at_once(name: str) -> None:
    with pytest.raises(UnknownAgentError):
        agent_named(name)


async def test_a_random_agent_guesses_the_same_again_and_its_calls_are_well_formed(servers: Path) -> None:
    _, make = agent_named("random")
    first, again = await episode(servers, make), await episode(servers, make)
    assert [step.arguments for step in first.steps] == [step.arguments for step in again.steps]
    assert not any(" is missing." in step.observation for step in first.steps)
