"""The order in which a blueprint becomes the files of a server folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, State
from envscaler_mcp.emit.folder import folder_files
from envscaler_mcp.emit.readme import WorkedCall
from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.text import did_you_mean
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.admission import quality_report
from envscaler_mcp.pipeline.corpus import SHIPPED, STATES, grown_states, proven_scenarios
from envscaler_mcp.scenarios import examples
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.tasks import MORE_TASKS
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized, synthesize


@dataclass(frozen=True, slots=True)
class Built:
    """One environment, ready to be written."""

    environment: Environment
    shipped: int
    """How many scenarios its folder ships with."""
    scenarios: int
    """How many there are here."""
    files: dict[str, str]
    extra: dict[str, str]
    """Files that lie in the folder and do not ship."""


def blueprint_of(env_id: str) -> Path:
    """The file of a blueprint that ships."""
    files = blueprint_files()
    if env_id not in files:
        raise BlueprintError(f"There is no blueprint {env_id!r} in the library{did_you_mean(env_id, files)}")
    return files[env_id]


def build(path: Path, many: int = SHIPPED) -> Built:
    """Compile a blueprint, grow its start states, make its scenarios, try every tool; equal files give equal bytes.

    The folder's files are the same however many scenarios are made; those beyond what ships are extra.
    """
    text = path.read_text(encoding="utf-8")
    made = synthesize(read_blueprint(text, path.name), tuple(STATES))
    states = grown_states(made)
    scenarios = list(proven_scenarios(made, states, max(many, SHIPPED))) if made.blueprint.stories else []
    shipped, more = scenarios[:SHIPPED], scenarios[SHIPPED:]
    calls = _worked_calls(made, states[0])
    files = folder_files(made.environment, made.source, text, states, shipped, calls)
    files["quality_report.json"] = quality_report(made, states).to_text()
    extra = {MORE_TASKS: "".join(scenario.to_line() for scenario in more)} if more else {}
    return Built(made.environment, len(shipped), len(scenarios), dict(sorted(files.items())), extra)


def _worked_calls(made: Synthesized, state: State) -> dict[str, WorkedCall]:
    world = open_world(EnvironmentCode.of(made.environment, made.source), state.content, state.seed)
    try:
        found = examples(made.model, made.environment, world)
    finally:
        world.close()
    return {name: WorkedCall(example.arguments, example.result, example.first) for name, example in found.items()}
