"""The order in which a blueprint becomes the files of a server folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import Environment, QualityReport, Scenario, State
from envscaler_mcp.emit.folder import folder_files
from envscaler_mcp.emit.readme import WorkedCall
from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.text import name_hint
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
        raise BlueprintError(f"There is no blueprint {env_id!r} in the library{name_hint(env_id, files)}")
    return files[env_id]


@dataclass(frozen=True, slots=True)
class Making:
    """A blueprint and everything that is made of it, before it becomes files."""

    text: str
    made: Synthesized
    states: tuple[State, ...]
    scenarios: tuple[Scenario, ...]
    report: QualityReport


def build(path: Path, many: int = SHIPPED) -> Built:
    """Compile a blueprint, grow its start states, make its scenarios, try every tool; equal files give equal bytes."""
    return built_of(make(path.read_text(encoding="utf-8"), path.name, many))


def make(text: str, name: str, many: int = SHIPPED) -> Making:
    """Everything that is made of a blueprint's text."""
    made = synthesize(read_blueprint(text, name), tuple(STATES))
    states = grown_states(made)
    scenarios = proven_scenarios(made, states, max(many, SHIPPED)) if made.blueprint.stories else ()
    return Making(text, made, tuple(states), tuple(scenarios), quality_report(made, states))


def built_of(making: Making) -> Built:
    """The files. Those of the folder are the same however many scenarios there are; those beyond what ships are extra."""
    made = making.made
    shipped, more = making.scenarios[:SHIPPED], making.scenarios[SHIPPED:]
    calls = _worked_calls(made, making.states[0])
    files = folder_files(made.environment, made.source, making.text, making.states, shipped, calls)
    files["quality_report.json"] = making.report.to_text()
    extra = {MORE_TASKS: "".join(scenario.to_line() for scenario in more)} if more else {}
    return Built(made.environment, len(shipped), len(making.scenarios), dict(sorted(files.items())), extra)


def _worked_calls(made: Synthesized, state: State) -> dict[str, WorkedCall]:
    world = open_world(EnvironmentCode.of(made.environment, made.source, "compiled"), state.content, state.seed)
    try:
        found = examples(made.model, made.environment, world)
    finally:
        world.close()
    return {name: WorkedCall(example.arguments, example.result, example.first) for name, example in found.items()}
