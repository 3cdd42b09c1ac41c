"""What a gym does not take is refused in words before anything is opened, and what was closed does nothing more."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from envscaler_mcp import rl
from envscaler_mcp.config.choices import MAX_STEPS
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.rl.gymnasium import register_gymnasium
from envscaler_mcp.rl.text_env import TextEnv
from tests.farm.farms import ROOT, Program, farm_program

ID = "hospital_stays-easy-01"

MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a level that there is not": (lambda gym: gym.tasks(level="eazy"), "level is 'eazy'"),
    "a split that there is not": (lambda gym: gym.open(environment="hospital_stays", split="test"), "'held_out'"),
    "a level beside an id": (lambda gym: gym.open(ID, level="hard"), "named already"),
    "an index beside an id": (lambda gym: gym.open(ID, index=2), "named already"),
    "an environment that is not the task's": (
        lambda gym: gym.open(gym.find(ID), environment="library_loans"),
        "is of 'hospital_stays'",
    ),
    "an unknown user of a task": (lambda gym: gym.open(ID, user="foo"), "no user 'foo'"),
    "a model that plays the user of a task": (lambda gym: gym.open(ID, user="openai:m"), "mode='conversation'"),
    "a seed that is no number": (lambda gym: gym.open(ID, seed="7"), "seed is '7'"),
    "a budget that is a text": (lambda gym: gym.open(ID, max_steps="3"), "max_steps is '3'"),
    "an option that is mistyped": (lambda gym: gym.open(ID, max_step=3), "did you mean 'max_steps'"),
    "a dialect that is no number": (lambda gym: gym.open(ID, dialect="random"), "is no dialect"),
    "a dialect of another kind": (lambda gym: gym.open(ID, dialect=1.5), "dialect is 1.5"),
    "a task that is a number": (lambda gym: gym.open(5), "5 is no task"),
    "tasks that are a number": (lambda gym: gym.open_many(5), "no list of tasks"),
    "a negative count": (lambda gym: gym.open_many(ID, -1), "count is -1"),
    "a state that is a dictionary": (lambda gym: gym.open(ID, state={}), "state is a dict"),
    "an id whose environment is mistyped": (lambda gym: gym.open("hospital_stay-easy-01"), f"did you mean '{ID}'"),
    "an environment in the place of a task": (
        lambda gym: gym.open("hospital_stays"),
        "open\\(environment='hospital_stays'",
    ),
    "an environment that is mistyped": (lambda gym: gym.tasks("hospital_stay"), "did you mean 'hospital_stays'"),
    "a level of fresh tasks": (lambda gym: gym.fresh_tasks("tool_crib", level="eazy"), "level is 'eazy'"),
    "a seed of fresh tasks": (lambda gym: gym.fresh_tasks("tool_crib", seed="x"), "seed is 'x'"),
    "a negative sample": (lambda gym: gym.sample(-1), "count is -1"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_at_once_and_in_words(gym: rl.Gym, mistake: str) -> None:
    make, words = MISTAKES[mistake]
    with pytest.raises(rl.UsageError, match=words):
        make(gym)


def test_tokens_and_moves_that_make_no_sense_are_refused_and_cost_nothing(gym: rl.Gym) -> None:
    with gym.open(ID, max_tokens=100) as episode:
        for wrong in (-1, "5", True, 1.5):
            with pytest.raises(rl.UsageError, match="tokens is"):
                episode.call("list_beds", {}, tokens=wrong)  # type: ignore[arg-type]
        with pytest.raises(rl.UsageError, match="assistant message"):
            episode.act("Task Completed")  # type: ignore[arg-type]
        with pytest.raises(rl.UsageError, match="count is -1"):
            episode.fork_many(-1)
        assert (episode.steps, episode.fork_many(0), gym.open_many(ID, 0)) == (0, [], [])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rl.local("/nonexistent"), "no folder '/nonexistent'"),
        (lambda: rl.local(ROOT, prompts="/nonexistent"), "with prompts"),
        (lambda: rl.local(cast(Any, 5)), "home is 5"),
        (lambda: rl.connect("localhost", "t"), "is no address"),
        (lambda: rl.connect(8766, "t", timeout=0), "timeout is 0"),
    ],
)
def test_a_place_that_cannot_be_is_refused(make: Callable[[], rl.Gym], words: str) -> None:
    with pytest.raises(rl.UsageError, match=words):
        make()


def test_after_closing_everything_says_that_it_is_closed(farm: Program) -> None:
    for gym in (rl.local(ROOT), rl.connect(farm.control, farm.token("control"))):
        episodes = gym.open_many(ID, 2)
        episode, other = episodes
        episode.close()
        episode.close()
        for use in (
            lambda e: e.call("list_beds", {}),
            lambda e: e.say("hello"),
            rl.Episode.finish,
            rl.Episode.verify,
            rl.Episode.progress,
            rl.Episode.state,
            rl.Episode.fork,
            rl.Episode.record,
        ):
            with pytest.raises(rl.ClosedError, match="was closed"):
                use(episode)
        assert episode.messages
        gym.close()
        gym.close()
        gym.close_many(episodes)
        assert (gym.closed, other.closed) == (True, True)
        for ask in (
            lambda g: g.open(ID),
            lambda g: g.open_many(ID, 2),
            rl.Gym.environments,
            rl.Gym.tasks,
            rl.Gym.sample,
            lambda g: g.fresh_tasks("tool_crib"),
        ):
            with pytest.raises(rl.ClosedError, match="gym was closed"):
                ask(gym)
        with pytest.raises(rl.ClosedError):
            gym.verify_many(episodes)


def test_a_world_that_is_lost_costs_the_others_of_its_batch_nothing(there: rl.Gym, farm: Program) -> None:
    episodes = there.open_many(ID, 3)
    for episode in episodes:
        for call in episode.solution():
            episode.call(call.tool, call.arguments)
    with farm.client() as client:
        client.world(episodes[1]._world._world.name).close()  # type: ignore[attr-defined]
    verdicts = there.verify_many(episodes)
    assert [(verdict.reward, verdict.masked) for verdict in verdicts] == [(1.0, False), (0.0, True), (1.0, False)]
    assert verdicts[1].owner == "infrastructure"
    there.close_many(episodes)


@pytest.mark.parametrize("first", ["call", "verify", "progress", "fork", "state", "say"])
@pytest.mark.parametrize("mode", ["task", "conversation"])
def test_whatever_meets_a_lost_world_first_it_is_masked_from_there_on(
    there: rl.Gym, farm: Program, first: str, mode: Any
) -> None:
    with there.open(ID, mode=mode) as episode:
        with farm.client() as client:
            client.world(episode._world._world.name).close()  # type: ignore[attr-defined]
        acts: dict[str, Callable[[], Any]] = {
            "call": lambda: episode.call("list_beds", {}),
            "progress": episode.progress,
            "fork": episode.fork,
            "state": episode.state,
        }
        if first in acts:
            with pytest.raises(rl.MaskedError if first == "progress" else rl.WorldLostError):
                acts[first]()
        elif first == "say" and mode == "conversation":
            with pytest.raises(rl.WorldLostError):
                episode.say("That is done.")
        verdict = episode.verify()
        assert (verdict.masked, verdict.owner, episode.done, episode.truncated) == (
            True,
            "infrastructure",
            True,
            False,
        )
        with pytest.raises(rl.MaskedError):
            episode.progress()


def test_a_farm_that_hangs_is_noticed_after_the_timeout() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        gym = rl.connect(f"127.0.0.1:{silent.getsockname()[1]}", "token", timeout=0.2)
        with pytest.raises(rl.FarmLostError, match="does not answer"):
            gym.environments()
        gym.close()


def test_a_port_or_a_host_with_a_port_is_an_address(farm: Program) -> None:
    for address in (int(farm.control), f"127.0.0.1:{farm.control}"):
        with rl.connect(address, farm.token("control")) as gym:
            assert "hospital_stays" in gym.environments()


@pytest.mark.parametrize("mode", ["task", "conversation"])
@pytest.mark.parametrize("dialect", ["native", 21, "held-out-3"])
def test_the_solution_is_told_as_it_is_said_here(gym: rl.Gym, mode: Any, dialect: Any) -> None:
    with gym.open(ID, mode=mode, dialect=dialect) as episode:
        if dialect != "native":
            name = DialectName.read(str(dialect))
            spoken = tuple(map(Dialect(gym.card(episode.environment), name).encode, episode.scenario.oracle))
            assert episode.solution() == spoken
        for call in episode.solution():
            assert not episode.call(call.tool, call.arguments).refused
        assert episode.verify().reward == 1.0


def test_a_budget_as_long_as_the_solution_ends_in_a_verdict_and_not_in_truncation(gym: rl.Gym) -> None:
    steps = len(gym.find(ID).oracle)
    with gym.open(ID, max_steps=steps) as solved, gym.open(ID, max_steps=steps - 1) as short:
        for call in solved.solution():
            solved.call(call.tool, call.arguments)
            short.call(call.tool, call.arguments)
        assert (solved.done, solved.truncated, solved.verify().reward) == (True, False, 1.0)
        assert (short.done, short.truncated) == (True, True)
    with gym.open(ID) as episode, gym.open(ID, scoring="upstream") as published:
        assert (episode.max_steps, published.max_steps) == (MAX_STEPS, 30)


def test_what_say_returns_is_the_message_that_is_added(gym: rl.Gym) -> None:
    with gym.open(ID) as episode:
        said = episode.say("Hello?")
        assert episode.messages[-1] == {"role": "user", "content": said}
        assert episode.say("Task Completed") is None
        assert episode.done


def test_samples_are_seeded_and_every_environment_is_as_likely_as_another(gym: rl.Gym) -> None:
    names = ["hospital_stays", "library_loans"]
    drawn = gym.sample(200, environment=names, level="easy", seed=3)
    assert drawn == gym.sample(200, environment=names, level="easy", seed=3)
    assert drawn != gym.sample(200, environment=names, level="easy", seed=4)
    assert {task.level for task in drawn} == {"easy"}
    assert 60 < [task.environment for task in drawn].count("library_loans") < 140


def test_documents_can_be_pickled_and_what_belongs_to_a_process_says_what_to_send(gym: rl.Gym) -> None:
    with gym.open(ID, record=True) as episode:
        answer = episode.call("no_such_tool", {})
        for document in (episode.scenario, episode.options, episode.verify(), episode.record(), answer):
            again = pickle.loads(pickle.dumps(document))
            assert (type(again), again) == (type(document), document)
        assert pickle.loads(pickle.dumps(answer)).refused
        for bound in (gym, episode):
            with pytest.raises(rl.UsageError, match="Open a gym in each process"):
                pickle.dumps(bound)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"environments": ["hospital_stay"]}, "did you mean 'hospital_stays'"),
        ({"environments": []}, "environments is empty"),
        ({"tasks": []}, "tasks is empty"),
        ({"level": "eazy"}, "level is 'eazy'"),
        ({"masked": "none"}, "masked is 'none'"),
        ({"max_step": 3}, "did you mean 'max_steps'"),
        ({"home": "/"}, "home names"),
        ({"gym": 5}, "gym is 5"),
    ],
)
def test_an_environment_of_texts_refuses_mistakes_where_it_is_made(
    here: rl.Gym, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(rl.UsageError, match=words):
        TextEnv(**{"gym": here, **options})


def test_gymnasium_refuses_unknown_options_and_actions(here: rl.Gym) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    register_gymnasium()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gymnasium.make("envscaler/Task-v0", gym=here).unwrapped
    for options, words in (({"tsk": ID}, "no option 'tsk'"), ("x", "a dictionary"), ({"task": 5}, "is no task")):
        with pytest.raises(rl.UsageError, match=words):
            env.reset(options=options)
    env.reset(options={"task": ID})
    with pytest.raises(rl.UsageError, match="text that a policy wrote"):
        env.step(5)
    env.close()


@pytest.mark.slow
def test_a_farm_that_is_gone_masks_a_whole_batch_and_can_be_closed(tmp_path: Path) -> None:
    with farm_program(tmp_path, processes=1) as program:
        gym = rl.connect(program.control, program.token("control"))
        episodes = gym.open_many(ID, 4)
    verdicts = gym.verify_many(episodes)
    assert [(verdict.masked, verdict.owner) for verdict in verdicts] == [(True, "infrastructure")] * 4
    with pytest.raises(rl.FarmLostError):
        gym.open(ID)
    gym.close_many(episodes)
    gym.close()
