"""The control plane as data: its operations, and the bodies of requests and answers. The OpenAPI document is made of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from envscaler_mcp.artifacts import Environment, Scenario, State, StateDiff, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.errors import Reason
from envscaler_mcp.serving.tasks import Offer

MOST_AT_ONCE = 10_000
MOST_SEED = 2**63 - 1


class JsonBody(BaseModel):
    """What is sent as a body: frozen, and nothing in it that its model does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OwnTask(JsonBody):
    """A task that the farm does not hold: its scenario, and the state where it begins."""

    scenario: Scenario
    state: State


class OpenOrder(JsonBody):
    """Worlds to be opened, all at the same start."""

    environment: str
    scenario: str | None = None
    """Its id; the world begins at its state and can be verified."""
    state: str | None = None
    """A state of the environment by name, where no scenario is named; the first one by default."""
    seed: int | None = Field(default=None, ge=-MOST_SEED, le=MOST_SEED)
    prompts: Offer | None = None
    """Which tasks agents are offered as prompts: those of the split `train` that begin at this state by default, none
    in a world at a scenario."""
    dialect: str | None = Field(default=None, max_length=40)
    """What agents speak at its address: the number of a dialect, or `held-out-NUMBER`; only for worlds of a farm."""
    task: OwnTask | None = None
    """A task of the owner's, in the place of a scenario that the farm holds; only for worlds of a farm."""
    count: int = Field(default=1, ge=1, le=MOST_AT_ONCE)
    lease_seconds: float | None = Field(default=None, gt=0)
    """How long each stays without use; only for worlds of a farm."""


class WorldCard(JsonBody):
    """A world that is open."""

    name: str
    environment: str
    scenario: str | None
    url: str
    """Where an agent connects; it admits every client that knows it. Empty where agents use standard input and output."""
    place: str
    """`here` in the server's own process, or `worker`."""
    lease_seconds: float | None
    """How long it stays without use; None where it stays until it is closed or the server ends."""
    dialect: str = Field(default="", exclude_if=lambda dialect: not dialect)
    """What agents speak there, where that is not the world's own interface."""
    calls: int | None = None
    """How often agents have called it; None where that is not counted."""
    ended: bool = False
    """Whether its worker is gone; it can only be closed."""
    reason: Reason | None = None
    """Why its worker is gone."""
    slowed: bool = False
    """Whether a call kept a processor busy for so long that it had to take turns with others like it."""
    memory: int = 0
    """Bytes that its worker held for itself at the last measurement; 0 in the server's own process."""
    fork: bool = Field(default=False, exclude_if=lambda fork: not fork)
    """Whether it went on from another world."""
    of_class: bool = Field(default=False, exclude_if=lambda of_class: not of_class)
    """Whether it is that of a visitor of a class."""


class WorldCards(JsonBody):
    """Worlds that are open."""

    worlds: tuple[WorldCard, ...]


class LeaseOrder(JsonBody):
    """A lease that begins anew."""

    seconds: float | None = Field(default=None, gt=0)


class ForkOrder(JsonBody):
    """How many worlds continue from here."""

    count: int = Field(default=1, ge=1, le=MOST_AT_ONCE)


class Snapshot(JsonBody):
    """A mark to come back to."""

    snapshot: int = Field(ge=0, le=MOST_SEED)


class VerifyOrder(JsonBody):
    """How a final state is to be judged."""

    scoring: Scoring = "framed"


class TurnOrder(JsonBody):
    """Which turn of a benchmark's task begins."""

    turn: int = Field(ge=1, le=MOST_AT_ONCE)


class UserOrder(JsonBody):
    """What the agent has said to the user of a benchmark's task."""

    strategy: str = ""
    text: str | None = None
    """None before anything was said."""
    # Strict, a tuple would be no list, which is what a long body is read as.
    answers: tuple[str, ...] = Field(default=(), strict=False)
    """Of the user's model, to what it was to be asked for this text so far."""


class UserAnswer(JsonBody):
    """What the user says; or what their model is to be asked first."""

    answer: dict[str, Any]
    """`said`, or the messages to `ask`, or why the authors' code has `failed`."""


class Move(JsonBody):
    """One move of an agent in a world of a benchmark."""

    calls: int = Field(default=0, ge=0)
    """How many of the world's answered calls are of this move; the first is the one that follows the last move's."""
    text: str = ""
    reply: str = ""
    """What the user said to the text of a move without calls."""
    malformed: str = ""
    """What stood in the place of arguments, where no call of the move reached the world."""


class JudgeOrder(JsonBody):
    """What is to be judged by the authors of a benchmark."""

    moves: tuple[Move, ...] | None = Field(default=None, strict=False)
    """None: each call is a move, and a turn that was begun ended the one before it."""


class Judgement(JsonBody):
    """What the authors' code says of what was played."""

    verdict: Verdict
    digest: str
    """Of the state of the world, as their check compares it."""
    answer: dict[str, Any]
    """All that their judge has answered."""


class EnvironmentNames(JsonBody):
    """The environments that there are."""

    environments: tuple[str, ...]


class ScenarioList(JsonBody):
    """The tasks of an environment, with all that is stored of them."""

    scenarios: tuple[Scenario, ...]


class StateAnswer(JsonBody):
    """Every record and scalar."""

    state: dict[str, Any]


class HashAnswer(JsonBody):
    """The digest of the state."""

    hash: str


class Done(JsonBody):
    """It was done."""

    done: bool = True


class ErrorAnswer(JsonBody):
    """Why something could not be done."""

    error: str
    reason: Reason | Literal["state"] | None = None
    """Why the worker of the world is gone, where it is; `state` where the state that calls have made of it cannot be judged."""


PREFIX = "/v1/worlds"
ENVIRONMENTS = "/v1/environments"


@dataclass(frozen=True, slots=True)
class ControlOperation:
    """One thing that the owner of a world can do; routes and the OpenAPI document are made from these."""

    method: str
    path: str
    does: str
    """Its name: `ControlPlane` answers it in the method `_do_NAME`."""
    about: str
    takes: type[BaseModel] | None
    gives: type[BaseModel] | None
    """None for a stream of events."""


def _on_world(method: str, does: str, about: str, takes: Any, gives: Any) -> ControlOperation:
    return ControlOperation(method, f"{PREFIX}/{{name}}/{does}", does, about, takes, gives)


OPERATIONS = (
    ControlOperation("POST", PREFIX, "open", "Open worlds at a scenario or a state.", OpenOrder, WorldCards),
    ControlOperation("GET", PREFIX, "list", "The worlds that are open.", None, WorldCards),
    ControlOperation("GET", f"{PREFIX}/{{name}}", "card", "One world.", None, WorldCard),
    ControlOperation("DELETE", f"{PREFIX}/{{name}}", "close", "End a world.", None, Done),
    _on_world("GET", "state", "Every record and scalar.", None, StateAnswer),
    _on_world("GET", "hash", "The digest of the state.", None, HashAnswer),
    _on_world("GET", "diff", "What the last call changed.", None, StateDiff),
    _on_world("GET", "changes", "What changed since the world was opened.", None, StateDiff),
    _on_world("POST", "snapshot", "Set a mark to come back to.", None, Snapshot),
    _on_world("POST", "restore", "Go back to a mark, which stays.", Snapshot, Done),
    _on_world("POST", "fork", "Open worlds that continue from here.", ForkOrder, WorldCards),
    _on_world("POST", "verify", "Judge the state as an ending.", VerifyOrder, Verdict),
)
"""What every control plane answers."""
FARM_OPERATIONS = (
    *OPERATIONS,
    _on_world("POST", "lease", "Let the lease begin anew.", LeaseOrder, WorldCard),
    ControlOperation("GET", ENVIRONMENTS, "environments", "The ids of all environments.", None, EnvironmentNames),
    ControlOperation("GET", f"{ENVIRONMENTS}/{{environment}}", "environment", "One environment.", None, Environment),
    ControlOperation(
        "GET", f"{ENVIRONMENTS}/{{environment}}/scenarios", "scenarios", "Its tasks, whole.", None, ScenarioList
    ),
    _on_world(
        "POST", "turn", "At a benchmark's task: begin a turn, whose tools are listed from here on.", TurnOrder, Done
    ),
    _on_world("POST", "user", "At a benchmark's task: what its user says.", UserOrder, UserAnswer),
    _on_world("POST", "judge", "At a benchmark's task: the official verdict, and all of it.", JudgeOrder, Judgement),
    _on_world("GET", "events", "What happens in the world, as it happens.", None, None),
)
"""What a farm's answers: each of its worlds has an address and a lease."""
SERVER_OPERATIONS = (
    *OPERATIONS,
    _on_world("POST", "serve", "Let the server's agents act on this world from now on.", None, Done),
)
"""What a single server's answers: its agents act on one of its worlds at a time."""
