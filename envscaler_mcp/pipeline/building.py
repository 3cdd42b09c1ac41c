"""From a blueprint to the files of a server folder: states grown, scenarios proven, tools tried, and what is done noted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Level, Provenance, QualityReport, Scenario, State, digest_of
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.config.choices import SEED, SHIPPED
from envscaler_mcp.emit.folder import folder_files, write_member
from envscaler_mcp.emit.readme import WorkedCall
from envscaler_mcp.errors import ArtifactError, BlueprintError, EmitError, GrowthError, WorldError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.quality import Evaluation, evaluate
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.scenarios import TaskMaker, examples, grow
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.serving.tasks import MORE_TASKS
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized, synthesize
from envscaler_mcp.trust import blueprint_beside, load_code
from envscaler_mcp.trust.blueprint import BLUEPRINT

STATES = {"start": SEED, "start_2": SEED + 1, "start_3": SEED + 2}
"""The start states of an environment and the seeds they grow from."""
STAMP = ".built.json"
"""Records in a server folder what it was built from; never ships."""
_LEVELS: tuple[Level, ...] = ("easy", "medium", "hard", "medium", "easy", "medium", "hard", "easy", "medium", "hard")
_MAKERS = ("artifacts", "emit", "language", "pipeline", "quality", "sampling", "scenarios", "serving", "synthesis")
"""Rooms whose code decides what a build writes."""


@dataclass(frozen=True, slots=True)
class Built:
    """One environment, ready to be written."""

    environment: Environment
    shipped: int
    """How many scenarios its folder ships with."""
    scenarios: int
    """How many there are in all."""
    files: dict[str, str]
    extra: dict[str, str]
    """Files of the folder that do not ship."""
    short: dict[str, str] = field(default_factory=dict)
    """By level, why there are fewer scenarios of it than were asked for."""
    silent: dict[str, str] = field(default_factory=dict)
    """Stories that are in no scenario, and why."""


@dataclass(frozen=True, slots=True)
class Making:
    """A blueprint and everything that is made of it, before it becomes files."""

    text: str
    made: Synthesized
    states: tuple[State, ...]
    scenarios: tuple[Scenario, ...]
    report: QualityReport
    shipped: int = SHIPPED
    """How many of the scenarios ship, the first ones."""
    short: dict[str, str] = field(default_factory=dict)
    """By level, why there are fewer scenarios of it than were asked for."""
    silent: dict[str, str] = field(default_factory=dict)
    """Stories that are in no scenario, and why."""


@dataclass(frozen=True, slots=True)
class ProvenScenarios:
    """The scenarios that could be made."""

    scenarios: tuple[Scenario, ...] = ()
    shipped: int = SHIPPED
    """How many of them ship, the first ones."""
    short: dict[str, str] = field(default_factory=dict)
    """By level, why there are fewer of it than were asked for."""
    silent: dict[str, str] = field(default_factory=dict)
    """Stories that are in none of them, and why."""


class BuildListener:
    """Hears how far a build is. This one does nothing with it."""

    def compiled(self, made: Synthesized) -> None:
        """The code is there."""

    def grown(self, states: Sequence[State]) -> None:
        """The start states are there."""

    def proven(self, scenario: Scenario) -> None:
        """Another task is made and proven."""

    def short(self, level: Level, reason: str) -> None:
        """No more tasks of this level can be made."""


def blueprint_of(env_id: str) -> Path:
    """The file of a blueprint of the library."""
    files = blueprint_files()
    if env_id not in files:
        raise BlueprintError(f"There is no blueprint {env_id!r} in the library{name_hint(env_id, files)}")
    return files[env_id]


def build(path: Path, many: int = SHIPPED) -> Built:
    """Compile a blueprint, grow its start states, make its scenarios, try every tool; equal files give equal bytes."""
    return built_of(make(path.read_text(encoding="utf-8"), path.name, many))


def make(text: str, name: str, many: int = SHIPPED, listener: BuildListener | None = None) -> Making:
    """Everything that is made of a blueprint's text."""
    listener = listener or BuildListener()
    made = synthesize(read_blueprint(text, name), tuple(STATES))
    listener.compiled(made)
    states = grown_states(made)
    listener.grown(states)
    many = max(many, SHIPPED)
    proven = proven_scenarios(made, states, many, listener) if made.blueprint.stories else ProvenScenarios()
    report = _admitted(made, states)
    return Making(text, made, tuple(states), proven.scenarios, report, proven.shipped, proven.short, proven.silent)


def built_of(making: Making) -> Built:
    """The files. Those that ship are the same however many scenarios there are; the other scenarios are extra."""
    made = making.made
    shipped, more = making.scenarios[: making.shipped], making.scenarios[making.shipped :]
    calls = _worked_calls(made, making.states[0])
    files = folder_files(made.environment, made.source, making.text, making.states, shipped, calls)
    files["quality_report.json"] = making.report.to_text()
    extra = {MORE_TASKS: "".join(scenario.to_line() for scenario in more)} if more else {}
    files = dict(sorted(files.items()))
    return Built(made.environment, len(shipped), len(making.scenarios), files, extra, making.short, making.silent)


def level_of(number: int) -> Level:
    """The level of a scenario by its number, from 1: of ten, three are easy, four medium and three hard."""
    return _LEVELS[(number - 1) % len(_LEVELS)]


def grown_states(made: Synthesized) -> list[State]:
    """Every start state of a compiled environment."""
    nursery = load_class(made.nursery_source, made.nursery_class)
    return [
        State(
            provenance=Provenance(parents={"blueprint": made.blueprint.digest}, seed=seed),
            environment=made.environment.id,
            name=name,
            seed=seed,
            content=grow(made.model, nursery, seed).content,
        )
        for name, seed in STATES.items()
    ]


def task_maker(made: Synthesized) -> TaskMaker:
    """Makes the scenarios of a compiled environment, equal ones each time."""
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    return TaskMaker(made.model, made.speech, made.environment, code, SEED)


def proven_scenarios(
    made: Synthesized, states: Sequence[State], many: int, listener: BuildListener | None = None
) -> ProvenScenarios:
    """`many` scenarios, the start states in turn; the first ones are the same however many there are.

    Where no further scenario of a level can be made, there are fewer of it. GrowthError is raised where there is none at all.
    """
    listener = listener or BuildListener()
    maker = task_maker(made)
    scenarios: list[Scenario] = []
    short: dict[str, str] = {}
    shipped = 0
    for number in range(1, many + 1):
        level = level_of(number)
        if level in short:
            continue
        try:
            scenarios.append(maker.scenario(states[(number - 1) % len(states)], level, number))
        except GrowthError as reason:
            short[level] = str(reason)
            listener.short(level, short[level])
            continue
        listener.proven(scenarios[-1])
        shipped += number <= SHIPPED
    if not scenarios:
        raise GrowthError("; ".join(short.values()))
    return ProvenScenarios(tuple(scenarios), shipped, short, maker.silent())


def evaluate_folder(folder: Path) -> Evaluation:
    """Every tool of a server folder, tried in worlds at its states and judged, against its blueprint where it has one."""
    code = load_code(folder)
    states = [State.read_in(folder, f"states/{name}.json") for name in code.environment.states]
    if not states:
        raise WorldError(f"{folder.name!r} holds no start state in which calls could be tried.")
    model = None
    if has_member(folder, BLUEPRINT):
        model = check_blueprint(blueprint_beside(folder, code.environment)).sound()
    return evaluate(code, states, open_world if code.trusted else open_isolated, model=model)


def note_finished(folder: Path, many: int, files: Mapping[str, str], scenarios: int) -> None:
    """Record what was made of what, so that `finished` can tell it later."""
    stamp = {
        # Of the text that was built; the author's file may have changed since.
        "made_of": _made_of(files[BLUEPRINT]),
        "many": many,
        "files": {name: digest_of(text) for name, text in sorted(files.items())},
        "scenarios": scenarios,
    }
    write_member(folder, STAMP, json.dumps(stamp, indent=1) + "\n")


def finished(folder: Path, blueprint: Path, many: int, *, or_more: bool = False) -> int | None:
    """How many scenarios the folder holds, if it is what a build of this many (or more) would write; else None."""
    try:
        stamp = json.loads(read_member_text(folder, STAMP))
        if stamp["made_of"] != _made_of(blueprint.read_text(encoding="utf-8")) or not (
            stamp["many"] == many or (or_more and stamp["many"] > many)
        ):
            return None
        for name, digest in stamp["files"].items():
            if digest_of(read_member_text(folder, name)) != digest:
                return None
        return int(stamp["scenarios"])
    except (ArtifactError, OSError, ValueError, KeyError, TypeError):
        return None


def _admitted(made: Synthesized, states: Sequence[State]) -> QualityReport:
    """The quality report of what was compiled; EmitError if a call of it breaks the contract."""
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    report = evaluate(code, states, open_world, model=made.model).report
    if not report.admitted:
        worst = next(case for case in report.cases if case.judgement == "fail")
        raise EmitError(
            f"{report.environment} is not admitted: {worst.operation} with {worst.arguments}: {worst.reason} "
            f"({report.summary.failed} of {report.summary.total} calls fail)"
        )
    return report


def _worked_calls(made: Synthesized, state: State) -> dict[str, WorkedCall]:
    world = open_world(EnvironmentCode.of(made.environment, made.source, "compiled"), state.content, state.seed)
    try:
        calls = examples(made.model, made.environment, world)
    finally:
        world.close()
    return {name: WorkedCall(call.arguments, call.result, call.first) for name, call in calls.items()}


def _made_of(blueprint: str) -> str:
    return digest_of([digest_of(blueprint), _makers()])


@cache
def _makers() -> str:
    """The digest of the code that makes environments: other code may make other files."""
    root = Path(__file__).parent.parent
    sources = sorted(path for room in _MAKERS for path in (root / room).rglob("*.py"))
    return digest_of([[path.relative_to(root).as_posix(), digest_of(path.read_text("utf-8"))] for path in sources])
