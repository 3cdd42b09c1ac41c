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


def state_seed(env_id: str, seed: int, split: Split, number: int) -> int:
    """The seed of a start state of a stream of fresh tasks; its last digit says to which split the state belongs."""
    text = f"fresh state {number} of {env_id}, {split}, seed {seed}"
    drawn = int.from_bytes(sha256(text.encode()).digest()[:6], "big") >> 4
    digit = {"held_out": 0, "validation": 1, "train": 2 + drawn % 8}[split]
    # Above the seeds of the states that ship.
    return 10 * (drawn + 2**32) + digit


def split_of_state(seed: int) -> Split:
    """The split of a start state of a stream: whatever the stream's own seed, no two splits share a state."""
    return _of_digit(seed % 10)


def _drawn(what: str) -> Split:
    # By the name alone: what is added to the library moves nothing from one split to another.
    tenth = int.from_bytes(sha256(what.encode()).digest()[:4], "big") % 10
    return _of_digit(tenth)


def _of_digit(digit: int) -> Split:
    return "held_out" if digit == 0 else "validation" if digit == 1 else "train"
