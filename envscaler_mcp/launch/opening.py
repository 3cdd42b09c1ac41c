"""Opens worlds and sessions of server folders: at which state, and in which isolation their code runs."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Scenario, State, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.members import MOST_BYTES, read_member_text
from envscaler_mcp.errors import ArtifactError, LaunchError, WorldError
from envscaler_mcp.launch.isolators import ISOLATORS
from envscaler_mcp.serving import EnvironmentCode, LocalWorld, World
from envscaler_mcp.serving.plain_json import LARGEST, has_large_numbers
from envscaler_mcp.serving.session import Judge, Session
from envscaler_mcp.serving.tasks import find_scenario, load_scenarios


@dataclass(frozen=True, slots=True)
class StateBounds:
    """How large a state may be: what is read takes time and memory in the process that reads it."""

    size: int
    """Bytes of its file."""
    values: int
    """Texts, numbers, lists and objects in it, about."""

    def check(self, text: str, name: str) -> None:
        """ArtifactError for a state in JSON that is larger."""
        if len(text) > self.size:
            raise ArtifactError(f"{name} has {len(text):,} letters; {self.size:,} are allowed")
        values = sum(map(text.count, ",[{"))
        if values > self.values:
            raise ArtifactError(f"{name} has about {values:,} values; {self.values:,} are allowed")


ANY_SIZE = StateBounds(MOST_BYTES, MOST_BYTES)


class WrongUseError(LaunchError):
    """The request cannot be meant; the message says what there is instead."""


def open_folder(
    folder: Path,
    code: EnvironmentCode,
    state: str | None = None,
    seed: int | None = None,
    isolation: str | None = None,
) -> World:
    """A world of the environment in a server folder."""
    start = start_state(folder, code, state)
    return open_code(code, start, start.seed if seed is None else seed, isolation)


def open_code(code: EnvironmentCode, start: State, seed: int, isolation: str | None = None) -> World:
    """A world where its code may run: by default compiled code in this process, and any other in a worker."""
    name = isolation or ("local" if code.trusted else "auto")
    if name == "local" and not code.trusted:
        raise WrongUseError(
            f"The code of {code.environment.id!r} is not what this installation compiles from the blueprint "
            "beside it; use --isolation auto, or --isolation trusted if you wrote it."
        )
    isolator = ISOLATORS.get(name)
    if isolator is None:
        raise WrongUseError(f"There is no isolation {name!r}; there are {', '.join(ISOLATORS)}.")
    return isolator(code, start.content, seed)


def open_session(
    folder: Path,
    code: EnvironmentCode,
    scenario: str | None = None,
    state: str | None = None,
    seed: int | None = None,
    isolation: str | None = None,
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
    isolation: str | None = None,
    judge: Judge | None = None,
    initial: Mapping[str, Any] | None = None,
) -> Session:
    """A session at a state, which is the scenario's if there is one; `initial` where it is known how that opens."""
    if seed is None:
        seed = start.seed if task is None else task.seed
    return Session(open_code(code, start, seed, isolation), task, judge or _judge, initial, published=code.published)


StartOf = Callable[[Scenario], State]
"""The start state of a task that lies in no server folder."""


def state_of(folder: Path, code: EnvironmentCode, task: Scenario, bounds: StateBounds = ANY_SIZE) -> State:
    """Where a scenario begins, if folder and scenario still belong together."""
    return check_start(code, task, own_state(folder, _made_for(code, task), task.state, bounds))


def check_start(code: EnvironmentCode, task: Scenario, start: State) -> State:
    """The state, if scenario, code and state belong together."""
    _of_environment(start, _made_for(code, task), start.name)
    if task.state_digest != start.digest:
        raise LaunchError(f"The scenario {task.id!r} was made for another state {start.name!r}; make it again.")
    return start


def _made_for(code: EnvironmentCode, task: Scenario) -> EnvironmentCode:
    if task.code_digest != code.environment.code_digest or not code.genuine:
        raise LaunchError(
            f"The scenario {task.id!r} was made for other code of {code.environment.id!r}; make it again."
        )
    return code


_MOST_STARTS = 16
"""How many states, and opened states with their seeds, are cached."""


class Starts:
    """Sessions of one folder, many of them from the same few states, which are read once.

    A state is kept once a world has opened there, so that one at which none opens holds no memory.
    """

    def __init__(
        self,
        folder: Path,
        code: EnvironmentCode,
        judge: Judge | None = None,
        bounds: StateBounds = ANY_SIZE,
        most: int = _MOST_STARTS,
        start_of: StartOf | None = None,
    ) -> None:
        """The bounds hold for a state in its file, and for what unread code makes of it when a world opens.

        `start_of` gives the states of tasks that lie elsewhere.
        """
        self._folder = folder
        self._start_of = start_of
        self._code = code
        self._judge = judge
        self._bounds = bounds
        self._most = most
        self._states: OrderedDict[str, State] = OrderedDict()
        self._initial: dict[tuple[str, int], Mapping[str, Any]] = {}
        """The same state with the same seed opens in the same way."""

    def session(
        self,
        scenario: Scenario | None = None,
        state: str | None = None,
        seed: int | None = None,
        isolation: str | None = None,
    ) -> Session:
        """A session at a scenario of the folder, or at one of its states."""
        return self.session_at(self.start(scenario, state), scenario, state, seed, isolation)

    def known(self, scenario: Scenario | None = None, state: str | None = None) -> State | None:
        """Where such a session begins, if that was read already."""
        return self._states.get(_key(scenario, state))

    def start(self, scenario: Scenario | None = None, state: str | None = None) -> State:
        """Where such a session begins."""
        known = self.known(scenario, state)
        if known is not None:
            return known
        if scenario is None:
            return start_state(self._folder, self._code, state, self._bounds)
        if self._start_of is not None:
            return check_start(self._code, scenario, self._start_of(scenario))
        return state_of(self._folder, self._code, scenario, self._bounds)

    def session_at(
        self,
        start: State,
        scenario: Scenario | None = None,
        state: str | None = None,
        seed: int | None = None,
        isolation: str | None = None,
    ) -> Session:
        """The same session where its start was read already."""
        key = _key(scenario, state)
        if seed is None:
            seed = start.seed if scenario is None else scenario.seed
        start_key = key, seed
        initial = self._initial.get(start_key)
        session = session_at(self._code, start, scenario, seed, isolation, self._judge, initial)
        if initial is None:
            self._check_size(session)
            if len(self._initial) >= self._most:
                self._initial.clear()
            self._initial[start_key] = session.initial
        self._states[key] = start
        while len(self._states) > self._most:
            self._states.popitem(last=False)
        return session

    def own_session(
        self, task: Scenario, start: State, seed: int | None = None, isolation: str | None = None
    ) -> Session:
        """A session at a task that does not lie in the folder; its state is kept to the same bounds."""
        if self._bounds is not ANY_SIZE:
            self._bounds.check(json.dumps(start.content), f"the state {start.name!r}")
        if self._code.trusted and has_large_numbers(start.content):
            # Indexes of compiled code are made in this process, with no deadline.
            raise LaunchError(f"The state {start.name!r} has a number that is not below {LARGEST:,}.")
        session = session_at(self._code, check_start(self._code, task, start), task, seed, isolation, self._judge)
        self._check_size(session)
        return session

    def _check_size(self, session: Session) -> None:
        """Unread code may make a large state of a small one."""
        if self._bounds is ANY_SIZE or isinstance(session.world, LocalWorld):
            return
        try:
            self._bounds.check(json.dumps(session.initial), "the state at which the world opens")
        except ArtifactError:
            session.close()
            raise


def _key(scenario: Scenario | None, state: str | None) -> str:
    return state or "" if scenario is None else scenario.state_digest


def _task(folder: Path, named: str) -> Scenario:
    try:
        return find_scenario(load_scenarios(folder), named)
    except WorldError as cause:
        raise WrongUseError(str(cause)) from cause


def _judge(
    scenario: Scenario, initial: Mapping[str, Any], final: Mapping[str, Any], scoring: Scoring, published: bool
) -> Verdict:
    from envscaler_mcp.grading.judging import judge

    return judge(scenario, initial, final, scoring, published)


def start_state(folder: Path, code: EnvironmentCode, named: str | None = None, bounds: StateBounds = ANY_SIZE) -> State:
    """The state of that name in the folder, or in a file of its own; by default the first one."""
    states = code.environment.states
    if named is None:
        if not states:
            raise WrongUseError(f"{folder.name!r} holds no start state; name a file with --state.")
        named = states[0]
    if named in states:
        return own_state(folder, code, named, bounds)
    path = Path(named)
    if not path.is_file():
        raise WrongUseError(f"There is no state {named!r}; choose one of {', '.join(states)}, or name a file.")
    return _of_environment(State.read(path), code, path.name)


def own_state(folder: Path, code: EnvironmentCode, named: str, bounds: StateBounds = ANY_SIZE) -> State:
    """The state of that name that lies in the folder; no other file is read, whatever the folder's tasks name."""
    states = code.environment.states
    if named not in states:
        raise WrongUseError(f"There is no state {named!r} in {folder.name!r}; there are {', '.join(states)}.")
    name = f"states/{named}.json"
    text = read_member_text(folder, name, bounds.size)
    bounds.check(text, str(folder / name))
    return _of_environment(State.from_text(text, str(folder / name)), code, f"{named}.json")


def _of_environment(state: State, code: EnvironmentCode, name: str) -> State:
    if state.environment != code.environment.id:
        raise WrongUseError(f"{name} is a state of {state.environment!r}, not of {code.environment.id!r}.")
    return state
