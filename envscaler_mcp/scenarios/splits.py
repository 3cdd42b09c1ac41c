"""What is trained on, what is tuned on, and what is kept apart."""

from __future__ import annotations

from hashlib import sha256

from envscaler_mcp.artifacts import Split


def environment_split(env_id: str) -> Split:
    """Of ten environments eight are trained on, one is for validation and one is held out."""
    return _drawn(f"environment {env_id}")


def split_of(env_id: str, scenario_id: str) -> Split:
    """That of the environment; of the scenarios of those trained on a tenth is for validation, and a tenth held out."""
    of_environment = environment_split(env_id)
    return of_environment if of_environment != "train" else _drawn(f"scenario {scenario_id}")


def _drawn(what: str) -> Split:
    # By the name alone: what is added to the library moves nothing from one split to another.
    tenth = int.from_bytes(sha256(what.encode()).digest()[:4], "big") % 10
    return "held_out" if tenth == 0 else "validation" if tenth == 1 else "train"
