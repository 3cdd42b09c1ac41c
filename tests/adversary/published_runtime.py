"""What the published runtime does, written from its description and on nothing of this project: a reference for tests.

It runs the code that it is given in this process. The fixtures of these tests are the only code that it ever gets.
"""

from __future__ import annotations

import traceback
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

MAX_STEPS = 30


@dataclass
class Episode:
    observations: list[str] = field(default_factory=list)
    reward: float = 0.0
    terminated: bool = False
    final: dict[str, Any] = field(default_factory=dict)


def built(source: str, class_name: str, config: dict[str, Any]) -> Any:
    space: dict[str, Any] = {"__name__": "published"}
    exec(compile(source, "environment.py", "exec"), space)
    whole = deepcopy(config)
    try:
        world = space[class_name](whole)
    except TypeError:
        world = space[class_name]()
    for name, value in whole.items():
        setattr(world, name, value)
    return world


def graded(checks: list[str], initial: dict[str, Any], final: dict[str, Any]) -> float:
    """Each check is run anew with a copy of the initial state; all of them get the one final state."""
    passed = 0
    for source in checks:
        try:
            space: dict[str, Any] = {"initial_state": deepcopy(initial)}
            exec(compile(source, "check.py", "exec"), space)
            answer = space["check_func"](final)
            passed += answer is True
        except Exception:
            continue
    return round(passed / len(checks), 4)


def played(
    source: str,
    class_name: str,
    config: dict[str, Any],
    checks: list[str],
    moves: list[Any],
    max_steps: int = MAX_STEPS,
) -> Episode:
    """Moves are texts, or pairs of a name and arguments; after the last one nothing is said."""
    world = built(source, class_name, config)
    initial = deepcopy(vars(world))
    told = Episode()
    for move in moves[:max_steps]:
        if isinstance(move, str):
            told.observations.append("Task finished")
            told.terminated, told.reward = True, graded(checks, initial, vars(world))
            break
        name, arguments = move
        if not hasattr(world, name) or not isinstance(arguments, dict):
            told.observations.append("Error: Invalid action")
            continue
        try:
            told.observations.append(str(getattr(world, name)(**deepcopy(arguments))))
        except Exception as cause:
            told.observations.append(f"Error: {cause}\n{traceback.format_exc()}")
            told.terminated = True
            break
    told.final = vars(world)
    return told
