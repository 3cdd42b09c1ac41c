"""What is said on the control plane: the bodies of its requests and answers, from which its document is made."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.serving.tasks import Offer

MOST_AT_ONCE = 10_000
MOST_SEED = 2**63 - 1


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OpenOrder(_Body):
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
    count: int = Field(default=1, ge=1, le=MOST_AT_ONCE)
    lease_seconds: float | None = Field(default=None, gt=0)
    """How long each stays when nobody uses it."""


class WorldCard(_Body):
    """A world that is open."""

    name: str
    environment: str
    scenario: str | None
    url: str
    """Where an agent connects; whoever knows it may use the world."""
    place: str
    """`here` in the farm's own process, or `worker`."""
    lease_seconds: float
    calls: int
    ended: bool
    """Whether its worker is gone; it can only be closed."""
    reason: str | None = None
    """Why its worker is gone: `memory`, `time`, `hostile` or `crash`."""
    slowed: bool = False
    """Whether a call kept a processor busy for so long that it had to take turns with others like it."""
    memory: int = 0
    """Bytes that its worker held for itself when it was weighed last; 0 in the farm's own process."""


class WorldCards(_Body):
    """Worlds that are open."""

    worlds: tuple[WorldCard, ...]


class LeaseOrder(_Body):
    """A lease that begins anew."""

    seconds: float | None = Field(default=None, gt=0)


class ForkOrder(_Body):
    """How many worlds shall go on from here."""

    count: int = Field(default=1, ge=1, le=MOST_AT_ONCE)


class Snapshot(_Body):
    """A mark to come back to."""

    snapshot: int = Field(ge=0, le=MOST_SEED)


class VerifyOrder(_Body):
    """How an ending is to be judged."""

    scoring: Scoring = "framed"


class StateAnswer(_Body):
    """Every record and scalar."""

    state: dict[str, Any]


class HashAnswer(_Body):
    """The digest of the state."""

    hash: str


class Done(_Body):
    """It was done."""

    done: bool = True


class ErrorAnswer(_Body):
    """Why something could not be done."""

    error: str
