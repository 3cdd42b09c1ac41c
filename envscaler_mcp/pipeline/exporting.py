"""The order in which server folders become documents of a published format again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import State
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.errors import ArtifactError, WorldError, boundary
from envscaler_mcp.export import upstream_environment, upstream_scenario
from envscaler_mcp.export.formats import HomeFormat
from envscaler_mcp.export.texts import json_of
from envscaler_mcp.pipeline.importing import KEPT, whole_item
from envscaler_mcp.serving.code import EnvironmentCode, read_code
from envscaler_mcp.serving.tasks import load_scenarios


def export_upstream(folders: Sequence[Path], environments: Path, scenarios: Path) -> tuple[int, int]:
    """Write the published files; how many environments and scenarios there are in them.

    What was imported is written as it came, in its old order; what was made here gets every key that published ones have.
    """
    exported = {folder.name: _kept(folder) or _made(folder) for folder in folders}
    placed = sorted((placed for _, _, some in exported.values() for placed in some), key=lambda placed: placed[0])
    write_text(environments, json_of(_together(exported), 4))
    write_text(scenarios, json_of([item for _, item in placed], 4))
    return len(exported), len(placed)


Placed = tuple[float, Mapping[str, Any]]
"""A scenario with its place in the file; those that were made here stand at its end."""
Exported = tuple[str | int | None, Mapping[str, Any], list[Placed]]
"""An environment with its scenarios, after its key in an object or its place in a list; none where it was made here."""


def _together(exported: Mapping[str, Exported]) -> Any:
    """A list in its old order where some came in a list and none in an object; else an object."""
    keys = [key for key, _, _ in exported.values() if key is not None]
    if keys and all(isinstance(key, int) for key in keys):
        return [item for _, item, _ in sorted(exported.values(), key=lambda each: inf if each[0] is None else each[0])]
    document: dict[str, Any] = {}
    for name, (key, item, _) in exported.items():
        key = key if isinstance(key, str) else name
        if key in document:
            raise ArtifactError(f"Two environments were published as {key!r}; write them to files of their own.")
        document[key] = item
    return document


def _kept(folder: Path) -> Exported | None:
    """An environment as it came, where it came from elsewhere."""
    if not has_member(folder, KEPT):
        return None
    with boundary(ArtifactError, f"{folder / KEPT} cannot be read"):
        document = json.loads(read_member_text(folder, KEPT))
    came: list[Placed] = [(scenario["place"], whole_item(folder, scenario)) for scenario in document["scenarios"]]
    return document["key"], document["environment"], [*came, *_scenarios(folder, read_code(folder))]


def _made(folder: Path) -> Exported:
    code = read_code(folder)
    states = _states(folder, code)
    if not states:
        raise WorldError(f"{folder.name!r} holds no start state, without which nothing can be told of its records.")
    item = upstream_environment.environment_item(code.environment, code.source, next(iter(states.values())))
    return None, item, _scenarios(folder, code)


def _scenarios(folder: Path, code: EnvironmentCode) -> list[Placed]:
    """Those that were made here."""
    states = _states(folder, code)
    made = [scenario for scenario in load_scenarios(folder) if scenario.frame is not None]
    return [
        (inf, upstream_scenario.scenario_item(scenario, code.environment, states[scenario.state])) for scenario in made
    ]


def _states(folder: Path, code: EnvironmentCode) -> dict[str, State]:
    return {name: State.read_in(folder, f"states/{name}.json") for name in code.environment.states}


FORMAT = HomeFormat("the files of the EnvScaler paper", export_upstream)
