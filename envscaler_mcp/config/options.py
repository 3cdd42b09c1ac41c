"""A field of a config model that is also an option of a command."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Flag:
    """How a field appears on the command line; its name, type, limits and default are the field's."""

    help: str
    names: tuple[str, ...] = ()
    """Such as `--json`; `--` and the field's name by default."""
    metavar: str | None = None
    panel: str | None = None
    argument: bool = False
    """Whether it is a positional argument."""


class Config(BaseModel):
    """A frozen model. Every field with a `Flag` is an option of a command, and a key of its configuration file."""

    # Deferred: a help text needs the fields, not the validator, which takes longer to build than the help to print.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def flags(cls) -> dict[str, Flag]:
        """The fields that are options."""
        marks = {
            name: [mark for mark in field.metadata if isinstance(mark, Flag)]
            for name, field in cls.model_fields.items()
        }
        return {name: of_field[-1] for name, of_field in marks.items() if of_field}

    @classmethod
    def keys(cls) -> dict[str, str]:
        """Key of the configuration file -> field: the name of the option, without dashes."""
        return {_key(name, flag): name for name, flag in cls.flags().items()}


def _key(field: str, flag: Flag) -> str:
    return flag.names[0].lstrip("-").replace("-", "_") if flag.names else field
