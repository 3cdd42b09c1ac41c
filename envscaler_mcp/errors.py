"""One base error, one class per boundary: who catches `EnvScalerError` catches everything of ours and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

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


class SandboxError(EnvScalerError):
    """Unread code was refused, or its worker ended."""


class LaunchError(EnvScalerError):
    """A server cannot be started or reached."""


class RegistryError(EnvScalerError):
    """The registry cannot be read, or does not hold what was asked for."""


class EmitError(EnvScalerError):
    """A server folder or bundle cannot be written."""


class GrowthError(EnvScalerError):
    """No start state could be grown for an environment."""


class RunError(EnvScalerError):
    """A run cannot be begun, gone on with, or written down."""


class ExportError(EnvScalerError):
    """Episodes cannot be written as a trainer takes them."""


class SettingsError(EnvScalerError):
    """The settings file cannot be used."""


class ModelError(EnvScalerError):
    """A model cannot be asked, does not answer, or gives an answer that cannot be used."""


def escaped_line(text: str) -> str:
    """Words of another in a message: whatever would begin a line or steer a terminal is written as its escape."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


@contextmanager
def boundary(error: type[EnvScalerError], doing: str) -> Iterator[None]:
    """Whatever fails inside is raised as `error`, with what was being done in front."""
    try:
        yield
    except EnvScalerError:
        raise
    except Exception as cause:
        raise error(f"{doing}: {str(cause) or type(cause).__name__}") from cause


@contextmanager
def ungrouped() -> Iterator[None]:
    """Of errors that come in a group, the first is raised alone."""
    try:
        yield
    except BaseExceptionGroup as group:
        first = first_in(group)
        raise first from first.__cause__


def first_in(group: BaseExceptionGroup[Fault]) -> Fault:
    """The first error of a group, however deep it lies."""
    inner = group.exceptions[0]
    return first_in(inner) if isinstance(inner, BaseExceptionGroup) else inner
