"""Names that become parts of a path: they are checked where they are read, so that none leads out of its folder."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

_ENVIRONMENT = re.compile(r"\w[\w-]{0,79}")
_STATE = re.compile(r"\w[\w .-]{0,79}")

MAX_SCENARIO_ID = 120
"""Characters; a build makes an id of the environment's, which has 80, and an import cuts longer ones."""
_MOST_BYTES = 200
"""With what is put before and after it, a name still fits into the 255 bytes that file systems allow."""


def is_environment_id(text: str) -> bool:
    """Whether an environment, and so its folder, may have this name."""
    return _ENVIRONMENT.fullmatch(text) is not None and len(text.encode()) <= _MOST_BYTES


def is_state_name(text: str) -> bool:
    """Whether a start state, and so its file, may have this name."""
    return _STATE.fullmatch(text) is not None and len(text.encode()) <= _MOST_BYTES


def state_name(text: str) -> str:
    """The nearest name that a state may have, for one that is named after a file."""
    return re.sub(r"[^\w .-]", "_", text).lstrip(" .-")[:80].encode()[:_MOST_BYTES].decode(errors="ignore") or "state"


def _environment_id(text: str) -> str:
    if not is_environment_id(text):
        raise ValueError(
            f"{text[:100]!r} is no id: letters, digits, _ and - only, 80 at most (200 bytes), as it names a folder"
        )
    return text


def _state_name(text: str) -> str:
    if not is_state_name(text):
        raise ValueError(
            f"{text[:100]!r} is no name of a state: letters, digits, spaces, _, - and . only, 80 at most (200 bytes), as it names a file"
        )
    return text


def _environment_ids(text: str) -> str:
    for part in text.split("+"):
        _environment_id(part)
    return text


def _state_names(text: str) -> str:
    for part in text.split("+"):
        _state_name(part)
    return text


EnvironmentId = Annotated[str, AfterValidator(_environment_id)]
"""The id of an environment, which is the name of its folder too."""
EnvironmentIds = Annotated[str, AfterValidator(_environment_ids)]
"""The same, or several of them with + between, for a task over several environments at once."""
StateName = Annotated[str, AfterValidator(_state_name)]
"""The name of a start state, which is the name of its file too."""
StateNames = Annotated[str, AfterValidator(_state_names)]
"""The same, or several of them with + between, for a task over several environments at once."""
