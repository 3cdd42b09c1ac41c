"""The order in which a blueprint becomes a server folder and an entry of the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, State
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.emit.folder import folder_differences, folder_files, write_folder
from envscaler_mcp.emit.readme import WorkedCall
from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.text import did_you_mean
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.admission import quality_report
from envscaler_mcp.pipeline.corpus import SHIPPED, STATES, grown_states, proven_scenarios
from envscaler_mcp.registry import read_registry, with_entries
from envscaler_mcp.scenarios import examples
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.synthesis import Synthesized, synthesize

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
    states = grown_states(made)
    scenarios = list(proven_scenarios(made, states, SHIPPED)) if made.blueprint.stories else []
    calls = _worked_calls(made, states[0])
    files = folder_files(made.environment, made.source, text, states, scenarios, calls)
    files["quality_report.json"] = quality_report(made, states).to_text()
    return Built(made.environment, len(scenarios), dict(sorted(files.items())))


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
