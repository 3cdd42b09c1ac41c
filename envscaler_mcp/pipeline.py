"""Build time: the order in which a blueprint becomes a server folder and an entry of the registry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from envscaler_mcp.artifacts import (
    Environment,
    Level,
    Provenance,
    QualityReport,
    Registry,
    RegistryEntry,
    Scenario,
    State,
)
from envscaler_mcp.artifacts.artifact import write_text
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.emit.folder import folder_differences, folder_files, write_folder
from envscaler_mcp.emit.readme import WorkedCall
from envscaler_mcp.errors import BlueprintError, EmitError, EnvScalerError, GrowthError, SandboxError, WorldError
from envscaler_mcp.language import Problem, check_blueprint, read_blueprint
from envscaler_mcp.language.lints import tool_names
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.text import did_you_mean
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.quality import Evaluation, evaluate
from envscaler_mcp.registry import find_entry, read_registry, with_entries
from envscaler_mcp.sandbox.checking import Checker, checker, run_checks
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.scenarios import (
    Grown,
    Prover,
    TaskMaker,
    Unproven,
    WrittenProver,
    WrittenTaskMaker,
    examples,
    grow,
)
from envscaler_mcp.serving.code import EnvironmentCode, load_class, load_code
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized, synthesize
from envscaler_mcp.synthesis.nursery import compile_nursery

STATES = {"start": 7, "start_2": 8, "start_3": 9}
"""The start states of an environment and the seeds they grow from."""
SEED = STATES["start"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard", "medium", "easy", "medium", "hard", "easy", "medium", "hard")
"""The levels of an environment's scenarios, in their order."""
_PROBES = (11, 12, 13)
_PROBED_STEPS = 240

Progress = Callable[[str, int, int], None]
"""Told what was finished, its number and how many there are."""


@dataclass(frozen=True, slots=True)
class Built:
    """One environment, ready to be written."""

    environment: Environment
    scenarios: int
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Emission:
    """What emitting found or did, by environment; empty lists where all was as it should be."""

    built: tuple[Built, ...]
    differences: dict[str, list[str]]


@dataclass(slots=True)
class BlueprintReport:
    """What an author is told about one file."""

    path: Path
    id: str = ""
    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return not any(problem.severity == "error" for problem in self.problems)


def blueprint_of(env_id: str) -> Path:
    """The file of a blueprint that ships."""
    files = blueprint_files()
    if env_id not in files:
        raise BlueprintError(f"There is no blueprint {env_id!r} in the library{did_you_mean(env_id, files)}")
    return files[env_id]


def build(path: Path) -> Built:
    """Compile a blueprint, grow its start states, make its scenarios, try every tool; equal files give equal bytes."""
    text = path.read_text(encoding="utf-8")
    made = synthesize(read_blueprint(text, path.name), tuple(STATES))
    states = _states(made)
    scenarios = _scenarios(made, states)
    calls = _worked_calls(made, states[0])
    files = folder_files(made.environment, made.source, text, states, scenarios, calls)
    files["quality_report.json"] = quality_report(made, states).to_text()
    return Built(made.environment, len(scenarios), dict(sorted(files.items())))


def _states(made: Synthesized) -> list[State]:
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


def _scenarios(made: Synthesized, states: Sequence[State]) -> list[Scenario]:
    """Proven scenarios, the start states in turn; none where the blueprint tells no stories."""
    if not made.blueprint.stories:
        return []
    code = EnvironmentCode.of(made.environment, made.source)
    maker = TaskMaker(made.model, made.speech, made.environment, code, SEED)
    return [maker.scenario(states[number % len(states)], level, number + 1) for number, level in enumerate(LEVELS)]


def _worked_calls(made: Synthesized, state: State) -> dict[str, WorkedCall]:
    world = open_world(EnvironmentCode.of(made.environment, made.source), state.content, state.seed)
    try:
        found = examples(made.model, made.environment, world)
    finally:
        world.close()
    return {name: WorkedCall(example.arguments, example.result, example.first) for name, example in found.items()}


def emit_environments(
    paths: Sequence[Path],
    servers: Path,
    registry_file: Path,
    *,
    check: bool = False,
    all_of_them: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> Emission:
    """Write server folders and the registry, or with `check` only say what would change.

    With `all_of_them` these are all the servers there are: entries and folders of others go.
    """
    built: list[Built] = []
    differences: dict[str, list[str]] = {}
    for number, made in enumerate(_built(paths, workers), start=1):
        folder = servers / made.environment.id
        wrong = folder_differences(folder, made.files)
        if wrong:
            differences[made.environment.id] = wrong
        if not check:
            write_folder(folder, made.files)
        built.append(made)
        if progress is not None:
            progress(made.environment.id, number, len(paths))
    known = read_registry(registry_file) if registry_file.is_file() and not all_of_them else Registry()
    registry = with_entries(known, [_entry(made, servers, registry_file) for made in built])
    if not registry_file.is_file() or registry_file.read_text(encoding="utf-8") != registry.to_text():
        differences.setdefault("registry.json", []).append("it is not what would be written")
        if not check:
            registry.write(registry_file)
    if all_of_them:
        _others(servers, {made.environment.id for made in built}, differences)
    return Emission(tuple(built), differences)


def _built(paths: Sequence[Path], workers: int) -> Iterator[Built]:
    """Each built, in their order; by several processes where there are several workers and enough to do."""
    if workers < 2 or len(paths) < 2:
        yield from map(build, paths)
        return
    # Spawned, not forked: a progress bar's thread must not be copied in the middle of what it does.
    with ProcessPoolExecutor(min(workers, len(paths)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(build, paths)


def _others(servers: Path, known: set[str], differences: dict[str, list[str]]) -> None:
    """Name folders that look emitted and belong to no blueprint; what else lies there is nobody's business."""
    for card in sorted(servers.glob("*/environment.json")):
        if card.parent.name not in known:
            differences.setdefault(card.parent.name, []).append("no blueprint of the library emits it")


def _entry(made: Built, servers: Path, registry_file: Path) -> RegistryEntry:
    environment = made.environment
    server = (servers / environment.id / "server.py").resolve()
    home = registry_file.parent.resolve()
    where = server.relative_to(home).as_posix() if server.is_relative_to(home) else str(server)
    return RegistryEntry(
        id=environment.id,
        title=environment.title,
        about=environment.about,
        sector=environment.sector,
        version=environment.version,
        tools=tuple(tool.name for tool in environment.tools),
        scenarios=made.scenarios,
        digests=RegistryDigests(
            environment=environment.digest, code=environment.code_digest, blueprint=environment.blueprint_digest
        ),
        command=("{python}", where),
    )


def check_blueprints(paths: Iterable[Path], *, probe: bool = True) -> list[BlueprintReport]:
    """What an author must mend or should look at, file by file."""
    return [_check(path, probe) for path in paths]


def _check(path: Path, probe: bool) -> BlueprintReport:
    report = BlueprintReport(path)
    try:
        blueprint = read_blueprint(path)
        report.id = blueprint.id
        checked = check_blueprint(blueprint)
        report.problems = list(checked.problems)
        if checked.model is None:
            return report
        report.counts = _counts(checked.model)
        if path.stem != blueprint.id:
            report.problems.append(
                Problem("warning", "id", f"the file is called {path.name}, and the id is {blueprint.id!r}")
            )
        if probe:
            report.problems.extend(_probe(checked.model))
    except EnvScalerError as error:
        report.problems.append(
            Problem("error", path.name, str(error).removeprefix(f"{path}: ").removeprefix(str(path)))
        )
    return report


def _counts(model: Model) -> dict[str, int]:
    effects = Counter(effect for _, effect in tool_names(model))
    return {
        "entities": len(model.entities),
        "attributes": sum(len(entity.attributes) for entity in model.entities.values()),
        "rules": len(model.rules),
        "query tools": effects["reads"],
        "change tools": effects["writes"],
    }


def _probe(model: Model) -> list[Problem]:
    """Play long histories, and tell what no guard foresaw and what never came about."""
    nursery = compile_nursery(model)
    made = load_class(nursery.source, nursery.class_name)
    try:
        runs = [grow(model, made, SEED), *(grow(model, made, seed, _PROBED_STEPS) for seed in _PROBES)]
    except GrowthError as error:
        return [Problem("error", "start", str(error))]
    return [*_surprises(model, runs), *_never_played(model, runs)]


def _surprises(model: Model, runs: list[Grown]) -> list[Problem]:
    found: list[Problem] = []
    for name in model.operations:
        met = [surprise for run in runs for surprise in run.surprises if surprise.operation == name]
        permitted = sum(run.permitted.get(name, 0) for run in runs)
        for error, times in Counter(surprise.error for surprise in met).items():
            example = next(surprise.arguments for surprise in met if surprise.error == error)
            found.append(
                Problem(
                    "warning",
                    f"operation {name}",
                    f"{times} of {permitted} calls that passed every guard were refused: {error!r}; a guard with a "
                    f"sentence of its own would tell the caller what to do. For example {example}",
                )
            )
    return found


def _never_played(model: Model, runs: list[Grown]) -> list[Problem]:
    first, others = runs[0], runs[1:]
    found: list[Problem] = []
    for name in model.operations:
        if model.blueprint.start.play.get(name, 1) == 0:
            continue
        if not any(run.played.get(name) for run in runs):
            found.append(Problem("warning", f"operation {name}", "it never succeeded while start states grew"))
        elif not first.played.get(name) and not any(run.played.get(name, 0) > 1 for run in others):
            found.append(Problem("warning", f"operation {name}", "it hardly ever succeeds while start states grow"))
    return found


def evaluate_folder(folder: Path) -> Evaluation:
    """Every tool of a server folder tried in worlds at its states, and judged, with its blueprint where it has one."""
    code = load_code(folder)
    states = [State.read(folder / "states" / f"{name}.json") for name in code.environment.states]
    if not states:
        raise WorldError(f"{folder.name!r} holds no start state in which calls could be tried.")
    blueprint = folder / "blueprint.yaml"
    model = check_blueprint(read_blueprint(blueprint)).sound() if blueprint.is_file() else None
    return evaluate(code, states, open_world if code.trusted else open_isolated, model=model)


def quality_report(made: Synthesized, states: Sequence[State]) -> QualityReport:
    """What is kept in the folder of what was compiled; EmitError where a call of it breaks the contract."""
    code = EnvironmentCode.of(made.environment, made.source)
    report = evaluate(code, states, open_world, model=made.model).report
    if not report.admitted:
        worst = next(case for case in report.cases if case.judgement == "fail")
        raise EmitError(
            f"{report.environment} is not admitted: {worst.operation} with {worst.arguments}: {worst.reason} "
            f"({report.summary.failed} of {report.summary.total} calls fail)"
        )
    return report


@dataclass(frozen=True, slots=True)
class Proven:
    """What became of one scenario on disk when it was proven again."""

    scenario: str
    failure: str = ""
    """Why it is not proven any more; nothing where it is."""


def write_scenarios(
    folder: Path, seed: int = SEED, levels: Sequence[Level] = LEVELS, registry_file: Path | None = None
) -> tuple[Scenario, ...]:
    """Make proven scenarios for the server folder of a class that somebody wrote, its start states in turn.

    They take the place of those that the folder held; a registry that knows the environment counts them.
    """
    code = load_code(folder)
    if code.trusted:
        raise WorldError(f"{folder.name!r} is compiled; `envscaler build` makes its scenarios from its blueprint.")
    states = [State.read(folder / "states" / f"{name}.json") for name in code.environment.states]
    if not states:
        raise WorldError(f"{folder.name!r} holds no start state at which scenarios could begin.")
    maker = WrittenTaskMaker(code, seed, open_isolated)
    made = tuple(maker.scenario(states[number % len(states)], level, number + 1) for number, level in enumerate(levels))
    write_text(folder / "scenarios.jsonl", "".join(scenario.to_line() for scenario in made))
    if registry_file is not None:
        registry = read_registry(registry_file)
        entry = find_entry(registry, code.environment.id)
        with_entries(registry, [entry.model_copy(update={"scenarios": len(made)})]).write(registry_file)
    return made


def prove_folder(folder: Path) -> Iterator[Proven]:
    """Prove every scenario of a server folder again, from what lies on disk; its checks run in the sandbox too."""
    code = load_code(folder)
    if not code.trusted:
        yield from _prove_written(folder, code)
        return
    model = check_blueprint(read_blueprint(folder / "blueprint.yaml")).sound()
    for line in (folder / "scenarios.jsonl").read_text(encoding="utf-8").splitlines():
        scenario = Scenario.from_text(line, f"{folder.name}/scenarios.jsonl")
        state = State.read(folder / "states" / f"{scenario.state}.json")
        yield Proven(scenario.id, _disproof(scenario, state, model, code))


def _prove_written(folder: Path, code: EnvironmentCode) -> Iterator[Proven]:
    with checker() as judging:
        for line in (folder / "scenarios.jsonl").read_text(encoding="utf-8").splitlines():
            scenario = Scenario.from_text(line, f"{folder.name}/scenarios.jsonl")
            state = State.read(folder / "states" / f"{scenario.state}.json")
            yield Proven(scenario.id, _written_disproof(scenario, state, code, judging))


def _written_disproof(scenario: Scenario, state: State, code: EnvironmentCode, judging: Checker) -> str:
    known = (state.digest, code.environment.code_digest)
    if not code.genuine or (scenario.state_digest, scenario.code_digest) != known:
        return "its start state or the code of its environment is another by now"
    world = open_isolated(code, state.content, scenario.seed)
    try:
        proof = WrittenProver(scenario, code, world, open_isolated, judging).prove()
    except (Unproven, SandboxError) as reason:
        return str(reason)
    finally:
        world.close()
    return "" if proof == scenario.proof else "it is proven, but otherwise than was written down"


def _disproof(scenario: Scenario, state: State, model: Model, code: EnvironmentCode) -> str:
    if (scenario.state_digest, scenario.code_digest) != (state.digest, code.environment.code_digest):
        return "its start state or the code of its environment is another by now"
    world = open_world(code, state.content, scenario.seed)
    try:
        proof = Prover(scenario, model, code.environment, world).prove()
        if proof != scenario.proof:
            return "it is proven, but otherwise than was written down"
        initial = world.state()
        for call in scenario.oracle:
            world.call(call.tool, call.arguments)
        for final, wanted in ((initial, False), (world.state(), True)):
            for number, checked in enumerate(run_checks(scenario.checks, initial, final), start=1):
                if checked.verdict is not wanted:
                    return f"check {number} says {checked.verdict} in the sandbox {checked.failure or ''}".rstrip()
    except Unproven as reason:
        return str(reason)
    finally:
        world.close()
    return ""
