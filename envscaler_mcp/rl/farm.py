"""Worlds of a farm: opened and judged through its control plane, called at their own addresses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from envscaler_mcp.artifacts import Environment, FreshTask, Scenario, StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.episode.live import call_too_large, owner_of_loss
from envscaler_mcp.episode.progress import ChecksOfGoals, goals_played
from envscaler_mcp.errors import LaunchError, NoEndingError, UnreadableStateError, WorkerEndedError, WorldError
from envscaler_mcp.farm.tokens import kept_secret, seconds_left, token_for
from envscaler_mcp.rl.calls import TooLargeCallError, WorldCalls
from envscaler_mcp.rl.errors import FarmLostError, FarmRefusedError, MaskedError, WorldLostError
from envscaler_mcp.rl.here import Closer
from envscaler_mcp.rl.places import Task
from envscaler_mcp.serving import Outcome
from envscaler_mcp.serving.code import CallableTool, callable_tools
from envscaler_mcp.serving.control.client import (
    PATIENCE,
    ControlClient,
    NoAnswerError,
    RemoteWorld,
    Token,
    UnknownWorldError,
    text_of,
)
from envscaler_mcp.serving.control.schemas import (
    ENVIRONMENTS,
    EnvironmentNames,
    OwnTask,
    ScenarioList,
)
from envscaler_mcp.serving.outcome import CHANGING, PublishedOutcome
from envscaler_mcp.serving.sockets import answers_this_user
from envscaler_mcp.settings import Settings

T = TypeVar("T", bound=BaseModel)

LEASE_SECONDS = 3_600.0
"""How long the farm keeps a world that is not used: a policy may take its time."""
_TOKEN_SECONDS = 3_600.0
_RENEWED = 1_800.0
"""Seconds for which a token is good yet when another is made."""


class OwnToken:
    """A token for the farm of this user on this machine, good for an hour; made anew as it is needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._latest = _farm_token(settings)

    def __call__(self) -> str:
        """One that is good for half an hour yet."""
        if seconds_left(self._latest) < _RENEWED:
            self._latest = _farm_token(self._settings)
        return self._latest


def _farm_token(settings: Settings) -> str:
    """A token for the farm of this user on this machine, good for an hour."""
    if not settings.farm_secret.is_file():
        raise LaunchError(
            f"Give the token of the farm: there is no secret of a farm of yours in {settings.farm_secret}. On its machine "
            "`envscaler farm token control` prints one."
        )
    return token_for(kept_secret(settings.farm_secret), "control", _TOKEN_SECONDS)


def own_farm(settings: Settings) -> str:
    """The socket file of a farm of this user that runs; the usual one where none does.

    Only a program of this user can listen there, however a farm ended; any could listen at a port that it had.
    """
    return str(next(filter(answers_this_user, settings.farm_sockets), settings.farm_socket))


@contextmanager
def asked_of_farm() -> Iterator[None]:
    """What a lost farm or world raises in the block is raised as a child of MaskedError."""
    try:
        yield
    except (MaskedError, TooLargeCallError):
        raise
    except UnknownWorldError as cause:
        raise WorldLostError(f"The farm has this world no more: {cause}") from cause
    except NoAnswerError as cause:
        raise FarmLostError(str(cause)) from cause
    except LaunchError as cause:
        raise FarmRefusedError(f"The farm did not do this: {cause}") from cause


class FarmPlace:
    """A farm. What it tells of environments and tasks is asked for once."""

    via = "http"

    def __init__(self, address: str, token: Token, timeout: float = PATIENCE) -> None:
        self.client = ControlClient(address, token, timeout)
        self.calls = WorldCalls(token, timeout)
        self.timeout = timeout
        self.unreachable_until = 0.0
        """Until then nothing is closed at a farm that did not answer when it was to close a world."""
        self._token = token
        self.closer = Closer()
        self._lock = threading.Lock()
        self._names: tuple[str, ...] = ()
        self._cards: dict[str, Environment] = {}
        self._tools: dict[str, Mapping[str, CallableTool]] = {}
        self._scenarios: dict[str, tuple[Scenario, ...]] = {}
        self._goals: dict[str, ChecksOfGoals] = {}

    @property
    def agent_headers(self) -> Mapping[str, str]:
        """What agents send with their calls."""
        token = text_of(self._token)
        return {"Authorization": f"Bearer {token}"} if token else {}

    def _ask(self, method: str, path: str, order: BaseModel | None, wanted: type[T]) -> T:
        with asked_of_farm():
            return self.client.ask(method, path, order, wanted)

    def environments(self) -> tuple[str, ...]:
        """The ids of all environments."""
        if not self._names:
            self._names = self._ask("GET", ENVIRONMENTS, None, EnvironmentNames).environments
        return self._names

    def card(self, environment: str) -> Environment:
        """What is known of an environment."""
        known = self._cards.get(environment)
        if known is None:
            known = self._ask("GET", f"{ENVIRONMENTS}/{quote(environment)}", None, Environment)
            self._cards[environment] = known
        return known

    def tools(self, environment: str) -> Mapping[str, CallableTool]:
        """Its tools, by name."""
        known = self._tools.get(environment)
        if known is None:
            known = self._tools[environment] = callable_tools(self.card(environment))
        return known

    def scenarios(self, environment: str) -> tuple[Scenario, ...]:
        """Its stored tasks."""
        known = self._scenarios.get(environment)
        if known is None:
            listed = self._ask("GET", f"{ENVIRONMENTS}/{quote(environment)}/scenarios", None, ScenarioList)
            known = self._scenarios[environment] = listed.scenarios
        return known

    def fresh_tasks(self, environment: str, *_: object) -> Iterator[FreshTask]:
        """Refused: a farm gives no blueprint away."""
        raise WorldError(
            f"A farm makes no fresh tasks. Make them where the blueprint of {environment!r} is (`envscaler tasks`, or `rl.local()`), "
            "and open them here: rl.read_tasks(FILE) reads such a file."
        )

    def checks_of_goals(self, task: Task) -> ChecksOfGoals:
        """Which checks tell of each goal of the task's conversation: the oracle is played in a world of its own."""
        with self._lock:
            known = self._goals.get(task.scenario.digest)
            if known is None:
                (world,) = self.open(task, 1, diffs=False)
                try:
                    known = goals_played(
                        task.scenario,
                        lambda tool, arguments: world.call(tool, arguments, writes=False),
                        lambda: world.judge("framed").checks,
                    )
                finally:
                    world.close()
                self._goals[task.scenario.digest] = known
        return known

    def open(self, task: Task, count: int, *, diffs: bool) -> list[FarmWorld]:
        """Worlds at a task, all of them or none."""
        self.closer.start()
        scenario = task.scenario
        stored = any(known is scenario or known.digest == scenario.digest for known in self._stored(scenario))
        if task.state is None and stored:
            start: dict[str, Any] = {"scenario": scenario.id}
        elif task.state is None:
            raise WorldError(f"The farm holds no scenario {scenario.id!r} like this one; give its state, too.")
        else:
            start = {"task": OwnTask(scenario=scenario, state=task.state)}
        with asked_of_farm():
            opened = self.client.open_many(scenario.environment, count, lease_seconds=LEASE_SECONDS, **start)
        return [self.world(world, diffs=diffs) for world in opened]

    def _stored(self, scenario: Scenario) -> Sequence[Scenario]:
        return [known for known in self.scenarios(scenario.environment) if known.id == scenario.id]

    def world(self, world: RemoteWorld, *, diffs: bool) -> FarmWorld:
        """A world of the farm."""
        return FarmWorld(self, world, diffs=diffs)

    def close(self) -> None:
        """Close what was forgotten, and the connections."""
        self.closer.close()
        self.calls.close()
        self.client.close()


class FarmWorld:
    """A world of a farm, as its owner has it."""

    is_here = False
    lost: MaskedError | None = None

    def __init__(self, place: FarmPlace, world: RemoteWorld, *, diffs: bool) -> None:
        self._place = place
        self._world = world
        self._diffs = diffs
        published = place.card(world.card.environment).origin == "published"
        self._outcome: type[Outcome] = PublishedOutcome if published else Outcome

    @property
    def url(self) -> str:
        """Where an agent connects to it."""
        return self._world.url

    def call(self, tool: str, arguments: dict[str, Any], *, writes: bool) -> tuple[Outcome, StateDiff]:
        """What came of the call, and what it changed where that is to be recorded."""
        try:
            with self._asked():
                kind, text = self._place.calls.call(self._world.url, tool, arguments)
                outcome = self._outcome(kind, text)
                return outcome, self._world.diff() if self._diffs and writes and kind in CHANGING else StateDiff()
        except TooLargeCallError:
            return call_too_large(published=self._outcome is PublishedOutcome), StateDiff()

    @contextmanager
    def _asked(self) -> Iterator[None]:
        try:
            with asked_of_farm():
                yield
        except MaskedError as cause:
            self.lost = cause
            raise

    def initial(self) -> Mapping[str, Any]:
        """The state as the world opened."""
        with self._asked():
            return self._world.state()

    def state(self) -> Mapping[str, Any]:
        """All records as they are now."""
        with self._asked():
            return self._world.state()

    def judge(self, scoring: Scoring) -> Verdict:
        """What the state as it is now would be worth as an ending."""
        try:
            with self._asked():
                return self._world.verify(scoring)
        except (WorkerEndedError, UnreadableStateError) as cause:
            raise NoEndingError(str(cause), owner_of_loss(cause)) from cause

    def fork(self, count: int) -> list[FarmWorld]:
        """Worlds that continue from here."""
        with self._asked():
            forked = self._world.fork_many(count)
        return [self._place.world(world, diffs=self._diffs) for world in forked]

    def close(self) -> None:
        """End the world. One that is lost is closed already, and its lease ends it at a farm that cannot be reached."""
        if time.monotonic() < self._place.unreachable_until:
            return
        try:
            self._world.close()
        except UnknownWorldError:
            return
        except NoAnswerError:
            self._place.unreachable_until = time.monotonic() + self._place.timeout

    def abandon(self) -> None:
        """End the world soon."""
        self._place.closer.put(self)
