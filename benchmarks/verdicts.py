"""Verdicts of compiled tasks, and worlds of unread code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from benchmarks.places import SERVERS, Place, places
from benchmarks.timing import by_turns, typical
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.runs import WorldHome
from envscaler_mcp.sandbox.checking import Checker
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving import EnvironmentCode, World
from envscaler_mcp.serving.session import Session

_PAUSE = 0.02
"""Seconds between two worlds: the next one is forked ahead in the meantime."""
_REMARK = "# This makes it a program like any other.\n"


def measure(scale: Scale) -> list[Figure]:
    """Medians over single actions."""
    with _solved(scale) as sessions, closing(Checker()) as checker:
        verdicts = by_turns(
            {
                "verdict": lambda: _typical_over(sessions, lambda one: one.verify(), scale),
                "programs": lambda: _typical_over(sessions, lambda one: _as_programs(one, checker), scale),
            },
            min(scale.rounds, 3),
        )
    opened = by_turns(
        {
            "worker": lambda: _typical_world(lambda place: open_isolated(_unread(place), place.content, 7), scale),
            "here": lambda: _typical_world(lambda place: place.open(), scale),
        },
        min(scale.rounds, 3),
    )
    programs = Peer("the same checks as programs, in a process", verdicts["programs"] * 1e3)
    here = Peer("compiled code, in process", opened["here"] * 1e3)
    return [
        Figure("a verdict of a compiled task", verdicts["verdict"] * 1e3, "ms", programs, Budget("at most", 1.0)),
        Figure("open a world of unread code", opened["worker"] * 1e3, "ms", here, Budget("at most", 5.0)),
    ]


@contextmanager
def _solved(scale: Scale) -> Iterator[list[Session]]:
    """Sessions of tasks that have been done."""
    with WorldHome.at(SERVERS) as home:
        sessions = []
        for place in places(scale.environments):
            for scenario in islice(home.scenarios(place.folder.name), 4):
                session = home.open(place.folder.name, scenario=scenario.id)
                for call in scenario.oracle:
                    session.world.call(call.tool, call.arguments)
                sessions.append(session)
        yield sessions
        for session in sessions:
            session.close()


def _typical_over(sessions: list[Session], act: Callable[[Session], object], scale: Scale) -> float:
    waiting = iter(sessions * -(-scale.calls // (10 * len(sessions))))
    return typical(lambda: act(next(waiting)), min(scale.calls // 10 + 1, len(sessions)))


def _as_programs(session: Session, checker: Checker) -> None:
    """The verdict where every check has to be run."""
    assert session.scenario is not None
    checks = tuple(
        check.model_copy(update={"check_func": check.check_func + _REMARK}) for check in session.scenario.checks
    )
    scenario = session.scenario.model_copy(update={"checks": checks})
    if not judge(scenario, session.initial, session.state(), "framed", checker=checker).solved:
        raise AssertionError(f"{scenario.id} is not solved")


def _typical_world(open_one: Callable[[Place], World], scale: Scale) -> float:
    """Seconds to open a world, from the second on."""
    place = places(1)[0]
    held: list[World] = []

    def close() -> None:
        held.pop().close()
        time.sleep(_PAUSE)

    held.append(open_one(place))
    close()
    return typical(lambda: held.append(open_one(place)), max(3, scale.calls // 100), close)


_read: dict[str, EnvironmentCode] = {}


def _unread(place: Place) -> EnvironmentCode:
    """The same class as if a person or a model had written it."""
    known = _read.get(place.code.environment.id)
    if known is None:
        card = place.code.environment.model_copy(update={"origin": "written"})
        known = _read[card.id] = EnvironmentCode.of(card, place.code.source)
    return known


BENCHMARK = Benchmark("verdicts", "verdicts, and worlds of unread code", measure)
