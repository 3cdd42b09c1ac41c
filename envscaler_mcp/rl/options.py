"""The options of episodes, and how the values that a program gives are checked."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypedDict, cast, get_args

from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.artifacts.run import Mode
from envscaler_mcp.artifacts.scenario import ProofExtent
from envscaler_mcp.config.choices import NATIVE, Level, Split
from envscaler_mcp.config.episode import steps_of
from envscaler_mcp.episode.users import model_of_user
from envscaler_mcp.errors import WorldError
from envscaler_mcp.rl.errors import UsageError
from envscaler_mcp.serving.suggestion import did_you_mean


class Choices(TypedDict, total=False):
    """The fields of `EpisodeOptions`, as keywords."""

    seed: int
    mode: Mode
    user: str
    max_steps: int | None
    max_tokens: int | None
    scoring: Scoring
    dialect: str | int
    disturb: str
    record: bool


@dataclass(frozen=True, slots=True)
class EpisodeOptions:
    """How episodes are played."""

    seed: int = 0
    """For the user's own chance; the world's is the scenario's."""
    mode: Mode = "task"
    user: str = "scripted"
    """Who plays the user of a conversation: `scripted`, or `openai:MODEL`."""
    max_steps: int | None = None
    """Moves of the policy; by default as many as in a run: 60, and with the scoring `upstream` 30, or 40 in a conversation."""
    max_tokens: int | None = None
    """What the policy may write, as far as the caller says how much it wrote; by default there is no limit."""
    scoring: Scoring = "framed"
    dialect: str | int = NATIVE
    """What the policy speaks to the world in: the number of a dialect, `held-out-NUMBER`, or the world's own interface."""
    disturb: str = ""
    """Which disturbances are between the policy and its world: kinds and groups, separated by commas, or `all`."""
    record: bool = False
    """Whether the trajectory tells what every call changed. In process it always does; over a farm that is asked for
    after each call."""

    def __post_init__(self) -> None:
        check_choice("mode", self.mode, Mode)
        check_choice("scoring", self.scoring, Scoring)
        _check_user(self.user, self.mode)
        if not isinstance(self.record, bool):
            raise UsageError(f"record is {self.record!r}; it may be True or False.")
        for name, least in (("seed", None), ("max_steps", 1), ("max_tokens", 1)):
            if name == "seed" or getattr(self, name) is not None:
                object.__setattr__(self, name, whole_number(name, getattr(self, name), least))
        object.__setattr__(self, "dialect", _dialect(self.dialect))
        _ = self.disturbances

    @classmethod
    def of(cls, choices: Mapping[str, Any]) -> EpisodeOptions:
        """The options that these keywords give; UsageError names one that there is not."""
        known = [field.name for field in fields(cls)]
        unknown = next((name for name in choices if name not in known), None)
        if unknown is not None:
            near = did_you_mean(unknown, known)
            raise UsageError(
                f"There is no option {unknown!r}{near}" + (f" There are {', '.join(known)}." if near == "." else "")
            )
        return cls(**choices)

    @property
    def disturbances(self) -> tuple[str, ...]:
        """The kinds that are on."""
        if self.disturb == "":
            return ()
        if not isinstance(self.disturb, str):
            raise UsageError(
                f"disturb is {self.disturb!r}; it is a text, such as 'timeout,typos', 'transition' or 'all'."
            )
        from envscaler_mcp.disturbances import read_disturbances

        try:
            return read_disturbances(self.disturb)
        except WorldError as cause:
            raise UsageError(str(cause)) from None

    @property
    def steps(self) -> int:
        """Moves that the policy has."""
        return self.max_steps or steps_of(self.scoring, self.mode)


def whole_number(name: str, value: Any, least: int | None = 0) -> int:
    """The value as an int; any integer type will do, as NumPy's."""
    bound = "" if least is None else f" of at least {least}"
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or (least is not None and number < least):
        raise UsageError(f"{name} is {value!r}; it is a whole number{bound}.")
    return number


def check_choice(name: str, value: Any, kind: Any) -> None:
    """Refuse a value that is none of the words of a Literal."""
    known = get_args(kind)
    if value not in known:
        raise UsageError(f"{name} is {value!r}; it may be {' or '.join(map(repr, known))}.")


def check_kind(level: Level | None, split: Split | None) -> None:
    """Refuse a level or a split that there is not."""
    if level is not None:
        check_choice("level", level, Level)
    if split is not None:
        check_choice("split", split, Split)


def check_stream(level: Level | None, seed: Any, split: Split, proof: ProofExtent) -> int:
    """Refuse what no stream of fresh tasks can have; the seed as an int."""
    check_kind(level, split)
    check_choice("split", split, Split)
    check_choice("proof", proof, ProofExtent)
    return whole_number("seed", seed)


def names_of(environments: str | Iterable[str]) -> list[str]:
    """One name or several, as a list."""
    if isinstance(environments, str):
        return [environments]
    try:
        names = list(environments)
    except TypeError:
        names = [cast(str, environments)]
    wrong = next((name for name in cast(list[Any], names) if not isinstance(name, str)), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} is no id of an environment; ids are texts.")
    return names


def _check_user(user: Any, mode: Mode) -> None:
    if user == "scripted":
        return
    if not isinstance(user, str) or not model_of_user(user):
        raise UsageError(f"There is no user {user!r} for a program; there are 'scripted' and 'openai:MODEL'.")
    if mode == "task":
        raise UsageError(f"user is {user!r}, and a task has no user; open it with mode='conversation', too.")


def _dialect(dialect: Any) -> str:
    if dialect == NATIVE:
        return NATIVE
    written = str(dialect) if isinstance(dialect, int) and not isinstance(dialect, bool) else dialect
    if not isinstance(written, str):
        raise UsageError(f"dialect is {dialect!r}; it is a number, such as 17, 'held-out-17', or {NATIVE!r}.")
    from envscaler_mcp.dialects import DialectName

    try:
        return str(DialectName.read(written))
    except WorldError as cause:
        raise UsageError(f"dialect: {cause}") from cause
