"""A server folder becomes a world: at which state, and how far from this process its code runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Scenario, State, Verdict
from envscaler_mcp.config import choices
from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.serving import EnvironmentCode, World, open_world
from envscaler_mcp.serving.grading import Scoring
from envscaler_mcp.serving.session import Judge, Session
from envscaler_mcp.serving.tasks import find_scenario, load_scenarios

Isolation = choices.Isolation


class WrongUseError(LaunchError):
    """What was asked for cannot be meant; ask differently."""


def open_folder(
    folder: Path,
    code: EnvironmentCode,
    state: str | None = None,
    seed: int | None = None,
    isolation: Isolation | None = None,
) -> World:
    """A world of the environment in a server folder."""
    start = start_state(folder, code, state)
    return open_code(code, start, start.seed if seed is None else seed, isolation)


def open_code(code: EnvironmentCode, start: State, seed: int, isolation: Isolation | None = None) -> World:
    """A world that runs where its code may: the compiler's own code here, any other in a worker."""
    chosen = isolation or ("local" if code.trusted else "auto")
    if chosen in ("auto", "portable", "hard"):
        from envscaler_mcp.sandbox.isolation import open_isolated

        return open_isolated(code, start.content, seed, mode=chosen)
    if not code.trusted:
        if chosen == "local":
            raise WrongUseError(
                f"The code of {code.environment.id!r} is not what this installation compiles from the blueprint "
                "beside it; use --isolation auto, or --isolation trusted if you wrote it."
            )
        sys.stderr.write(
            f"{code.environment.id}: code that nobody has compiled runs in this process, with everything you may do.\n"
        )
    return open_world(code, start.content, seed)


def open_session(
    folder: Path,
    code: EnvironmentCode,
    scenario: str | None = None,
    state: str | None = None,
    seed: int | None = None,
    isolation: Isolation | None = None,
    judge: Judge | None = None,
) -> Session:
    """A session at a scenario of the folder, or else at a state."""
    task = None if scenario is None else _task(folder, scenario)
    if task is not None and state is not None:
        raise WrongUseError("A scenario begins at its own state; name one of the two.")
    start = start_state(folder, code, state) if task is None else state_of(folder, code, task)
    return session_at(code, start, task, seed, isolation, judge)


def session_at(
    code: EnvironmentCode,
    start: State,
    task: Scenario | None,
    seed: int | None = None,
    isolation: Isolation | None = None,
    judge: Judge | None = None,
    initial: Mapping[str, Any] | None = None,
) -> Session:
    """A session at a state, which is the scenario's if there is one; `initial` where it is known how that opens."""
    if seed is None:
        seed = start.seed if task is None else task.seed
    return Session(open_code(code, start, seed, isolation), task, judge or _judge, initial, published=code.published)


def state_of(folder: Path, code: EnvironmentCode, task: Scenario) -> State:
    """Where a scenario begins, if folder and scenario still belong together."""
    if task.code_digest != code.environment.code_digest or not code.genuine:
        raise LaunchError(
            f"The scenario {task.id!r} was made for other code than what lies in {folder.name!r}; make it again."
        )
    start = own_state(folder, code, task.state)
    if task.state_digest != start.digest:
        raise LaunchError(f"The scenario {task.id!r} was made for another state {start.name!r}; make it again.")
    return start


_KEPT_STARTS = 16
"""For how many pairs of state and seed it is remembered how a world opens there."""


class Starts:
    """Sessions of one folder, many of them from the same few states, which are read once."""

    def __init__(self, folder: Path, code: EnvironmentCode, judge: Judge | None = None) -> None:
        self._folder = folder
        self._code = code
        self._judge = judge
        self._states: dict[str, State] = {}
        self._initial: dict[tuple[str, int], Mapping[str, Any]] = {}
        """The same state with the same seed opens in the same way."""

    def session(
        self,
        scenario: Scenario | None = None,
        state: str | None = None,
        seed: int | None = None,
        isolation: Isolation | None = None,
    ) -> Session:
        """A session at a scenario of the folder, or at one of its states."""
        key = state or "" if scenario is None else scenario.state_digest
        start = self._states.get(key)
        if start is None:
            if scenario is None:
                start = start_state(self._folder, self._code, state)
            else:
                start = state_of(self._folder, self._code, scenario)
            self._states[key] = start
        if seed is None:
            seed = start.seed if scenario is None else scenario.seed
        place = key, seed
        session = session_at(self._code, start, scenario, seed, isolation, self._judge, self._initial.get(place))
        if len(self._initial) >= _KEPT_STARTS:
            self._initial.clear()
        self._initial[place] = session.initial
        return session


def _task(folder: Path, named: str) -> Scenario:
    try:
        return find_scenario(load_scenarios(folder), named)
    except WorldError as cause:
        raise WrongUseError(str(cause)) from cause


def _judge(
    scenario: Scenario, initial: Mapping[str, Any], final: Mapping[str, Any], scoring: Scoring, published: bool
) -> Verdict:
    from envscaler_mcp.sandbox.judging import judge

    return judge(scenario, initial, final, scoring, published)


def start_state(folder: Path, code: EnvironmentCode, named: str | None = None) -> State:
    """The state of that name in the folder, or in a file of its own; by default the first one."""
    states = code.environment.states
    if named is None:
        if not states:
            raise WrongUseError(f"{folder.name!r} holds no start state; name a file with --state.")
        named = states[0]
    if named in states:
        return own_state(folder, code, named)
    path = Path(named)
    if not path.is_file():
        raise WrongUseError(f"There is no state {named!r}; choose one of {', '.join(states)}, or name a file.")
    return _of_environment(State.read(path), code, path.name)


def own_state(folder: Path, code: EnvironmentCode, named: str) -> State:
    """The state of that name that lies in the folder; no other file is read, whatever the folder's tasks name."""
    states = code.environment.states
    if named not in states:
        raise WrongUseError(f"There is no state {named!r} in {folder.name!r}; there are {', '.join(states)}.")
    return _of_environment(State.read_in(folder, f"states/{named}.json"), code, f"{named}.json")


def _of_environment(state: State, code: EnvironmentCode, name: str) -> State:
    if state.environment != code.environment.id:
        raise WrongUseError(f"{name} is a state of {state.environment!r}, not of {code.environment.id!r}.")
    return state
