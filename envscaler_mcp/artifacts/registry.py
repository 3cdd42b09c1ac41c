"""Which servers there are, as one file that others can read too."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from envscaler_mcp.artifacts.artifact import Artifact, Part
from envscaler_mcp.artifacts.names import EnvironmentId
from envscaler_mcp.artifacts.scenario import Split


class RegistryDigests(Part):
    """What a folder must contain to be the one that was registered."""

    environment: str
    code: str
    blueprint: str | None = None


class RegistryEntry(Part):
    """One server: what it is, and how it is started."""

    id: EnvironmentId
    title: str
    about: str
    sector: str
    version: str
    tools: tuple[str, ...]
    scenarios: int = 0
    """How many proven scenarios its folder ships with."""
    split: Split = "train"
    """What its scenarios are for; those of one to train on are split once more."""
    digests: RegistryDigests
    command: tuple[str, ...]
    """Program and arguments, run from the folder that holds the registry; `{python}` stands for an interpreter."""


class Registry(Artifact):
    """All servers, sorted by id, each id once."""

    entries: tuple[RegistryEntry, ...] = ()

    @model_validator(mode="after")
    def _sorted(self) -> Self:
        ids = [entry.id for entry in self.entries]
        if ids != sorted(set(ids)):
            raise ValueError("entries must be sorted by id and each id must occur once")
        return self
