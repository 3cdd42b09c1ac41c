"""What a trainer waits for: opening, calling, rewards, verdicts and forks, in this process and at a farm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.farm import farm_program
from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import ROOT, SERVERS
from benchmarks.timing import by_turns, per_call
from envscaler_mcp import rl
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.runs import WorldHome

ENVIRONMENT, TASK = "hospital_stays", "hospital_stays-easy-01"
_FEWER = 10
"""What judges, opens or forks takes so many times longer than a call."""


def measure(scale: Scale) -> list[Figure]:
    """Each operation by turns here, at a farm, and as little of it as can be done."""
    with rl.local(ROOT) as here, farm_program("--isolation", "local") as farm, WorldHome.at(SERVERS) as home:
        token = token_for(farm.secret, "control", 3_600)
        with rl.connect(farm.client.address, token) as there:
            return [figure for name in ACTS for figure in _figures(name, here, there, home, scale)]


Act = Callable[[rl.Gym, int], float]


def _figures(name: str, here: rl.Gym, there: rl.Gym, home: WorldHome, scale: Scale) -> list[Figure]:
    act = ACTS[name]
    times = scale.calls if act is _call else max(2, scale.calls // _FEWER)
    sides = {"here": partial(act, here, times), "farm": partial(act, there, times)}
    sides["alone"] = partial(_alone, home, name, times)
    seconds = by_turns(sides, scale.rounds)
    alone, bare = Peer("a session, without conversation and budgets", 1e6 * seconds["alone"]), 1e6 * seconds["here"]
    return [
        Figure(f"{name}, in this process", bare, "µs", alone, Budget("at most", BUDGETS[name])),
        Figure(f"{name}, at a farm", 1e6 * seconds["farm"], "µs", Peer("in this process", bare)),
    ]


def _alone(home: WorldHome, name: str, times: int) -> float:
    """The same with nothing around the world."""
    scenario = next(scenario for scenario in home.scenarios(ENVIRONMENT) if scenario.id == TASK)
    session = home.open_task(scenario)
    read, change = scenario.oracle[0], scenario.oracle[-1]
    world = session.world

    def rewarded() -> None:
        world.call(change.tool, change.arguments)
        session.verify()

    acts: dict[str, Callable[[], object]] = {
        "a call": lambda: world.call(read.tool, read.arguments),
        "an episode opened and closed": lambda: home.open_task(scenario).close(),
        "a fork opened and closed": lambda: session.fork().close(),
        "a call and its reward": rewarded,
        "a verdict": session.verify,
    }
    try:
        return per_call(acts[name], times)
    finally:
        session.close()


def _call(gym: rl.Gym, times: int) -> float:
    with gym.open(TASK, max_steps=times + 1) as episode:
        read = episode.scenario.oracle[0]
        return per_call(lambda: episode.call(read.tool, read.arguments), times)


def _open(gym: rl.Gym, times: int) -> float:
    return per_call(lambda: gym.open(TASK).close(), times)


def _fork(gym: rl.Gym, times: int) -> float:
    with gym.open(TASK) as episode:
        return per_call(lambda: episode.fork().close(), times)


def _verify(gym: rl.Gym, times: int) -> float:
    with gym.open(TASK) as episode:
        return per_call(episode.verify, times)


def _progress(gym: rl.Gym, times: int) -> float:
    """After every call that writes; without one it is known already."""
    with gym.open(TASK, max_steps=times + 1) as episode:
        change = episode.scenario.oracle[-1]

        def step() -> None:
            episode.call(change.tool, change.arguments)
            episode.progress()

        return per_call(step, times)


ACTS: dict[str, Act] = {
    "a call": _call,
    "an episode opened and closed": _open,
    "a fork opened and closed": _fork,
    "a call and its reward": _progress,
    "a verdict": _verify,
}
BUDGETS = {
    "a call": 150.0,
    "an episode opened and closed": 2_000.0,
    "a fork opened and closed": 2_000.0,
    "a call and its reward": 10_000.0,
    "a verdict": 30_000.0,
}

BENCHMARK = Benchmark("rl", "episodes of a trainer's program", measure)
