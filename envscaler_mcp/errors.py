"""One base error and one class for each boundary: `except EnvScalerError` catches every error of this package and no other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

Fault = TypeVar("Fault", bound=BaseException)


class EnvScalerError(Exception):
    """What was being done, with which value, and what to do next."""


class ArtifactError(EnvScalerError):
    """A stored document cannot be read, or is not what it says."""


class BlueprintError(EnvScalerError):
    """A blueprint cannot be understood; the message names file, place and expression."""


class TopicError(EnvScalerError):
    """Raw tasks cannot be read."""


class WorldError(EnvScalerError):
    """A world cannot be opened, restored or read."""


class UnreadableStateError(WorldError):
    """The state that calls have made of a world cannot be told or judged; at the start it could."""


class SandboxError(EnvScalerError):
    """Unread code was refused, or its worker ended."""


class NoEndingError(WorldError):
    """The state of a world cannot be read any more, so that there is no ending to judge."""

    def __init__(self, message: str, owner: Literal["agent", "environment"]) -> None:
        super().__init__(message)
        self.owner: Literal["agent", "environment"] = owner
        """Through whom its world is gone."""


Reason = Literal["hostile", "time", "memory", "crash", "closed"]
"""`hostile`: it asked for what no world needs, or broke the wire; the others say which bound it went over, or that it
broke down. `closed`: its owner closed it."""


class WorkerEndedError(SandboxError):
    """A world's worker is gone, and the world with it; open another one."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason

    @property
    def used_too_much(self) -> bool:
        """Whether it went over a bound by what it was asked to do, which is the failure of the one who asked."""
        return self.reason in ("time", "memory")


class LaunchError(EnvScalerError):
    """A server cannot be started or reached."""


class RegistryError(EnvScalerError):
    """The registry cannot be read, or does not hold what was asked for."""


class EmitError(EnvScalerError):
    """A server folder or bundle cannot be written."""


class GrowthError(EnvScalerError):
    """No start state could be grown for an environment."""


class Unproven(Exception):  # noqa: N818
    """Why a scenario is not shipped; a result of proving it, and caught where it is proven."""


class RunError(EnvScalerError):
    """A run cannot be begun, gone on with, or written down."""


class PlugInError(EnvScalerError):
    """A plug-in cannot be imported, or is not what its group holds."""


class ExportError(EnvScalerError):
    """Episodes cannot be written as a trainer takes them."""


class SettingsError(EnvScalerError):
    """The settings file holds a value that cannot be used."""


class ModelError(EnvScalerError):
    """A model cannot be reached, does not answer, or gives an answer that cannot be used."""


class MissingExtraError(EnvScalerError, ImportError):
    """A package is not installed that comes with an extra of this one."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Where an import of the block finds a package missing, the error names the extra that brings it."""
    try:
        yield
    except ModuleNotFoundError as cause:
        package = (cause.name or "a package").partition(".")[0]
        raise MissingExtraError(
            f"{package} is not installed here; `pip install 'envscaler-mcp[{name}]'` brings it", name=cause.name
        ) from cause


def escaped_line(text: str) -> str:
    """Foreign text for a message: characters that would begin a line or control a terminal are written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@contextmanager
def boundary(error: type[EnvScalerError], doing: str) -> Iterator[None]:
    """Raise every failure of the block as `error`, its message preceded by what was being done."""
    try:
        yield
    except EnvScalerError:
        raise
    except Exception as cause:
        raise error(f"{doing}: {str(cause) or type(cause).__name__}") from cause


@contextmanager
def ungrouped() -> Iterator[None]:
    """Raise the first error of an exception group instead of the group."""
    try:
        yield
    except BaseExceptionGroup as group:
        first = first_in(group)
        raise first from first.__cause__


def first_in(group: BaseExceptionGroup[Fault]) -> Fault:
    """The first error of a group, however deep it lies."""
    inner = group.exceptions[0]
    return first_in(inner) if isinstance(inner, BaseExceptionGroup) else inner
