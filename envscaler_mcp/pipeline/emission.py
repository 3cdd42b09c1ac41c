"""Server folders and the registry, made from blueprints or compared with what would be made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from envscaler_mcp.artifacts import Environment, Registry, RegistryEntry, Scenario
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.config.choices import SHIPPED
from envscaler_mcp.emit.folder import folder_differences, write_folder, write_member
from envscaler_mcp.errors import EmitError, EnvScalerError
from envscaler_mcp.pipeline.building import STAMP, Built, build, finished, note_finished
from envscaler_mcp.processes.pool import in_processes
from envscaler_mcp.registry import read_registry, with_entries
from envscaler_mcp.scenarios.splits import environment_split
from envscaler_mcp.serving.tasks import MORE_TASKS, TASKS, load_scenarios

LOCAL = (MORE_TASKS, STAMP)
"""Files of a server folder that do not ship."""

Progress = Callable[[str, int, int], None]
"""Gets what was finished, its number and how many there are."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """One environment whose folder is written."""

    environment: Environment
    shipped: int
    scenarios: int
    reused: bool = False
    """Whether it was left as an earlier build wrote it."""
    short: dict[str, str] = field(default_factory=dict)
    """By level, why there are fewer scenarios of it than were asked for."""
    silent: dict[str, str] = field(default_factory=dict)
    """Stories that are in no scenario, and why."""


@dataclass(frozen=True, slots=True)
class Emission:
    """The result of emitting, by environment; empty if nothing differs."""

    built: tuple[Emitted, ...]
    differences: dict[str, list[str]]
    failures: dict[str, str]
    """By file, why a blueprint was not built; the others were."""


def emit_environments(
    paths: Sequence[Path],
    servers: Path,
    registry_file: Path,
    *,
    check: bool = False,
    all_of_them: bool = False,
    many: int = SHIPPED,
    workers: int = 1,
    resume: bool = False,
    progress: Progress | None = None,
) -> Emission:
    """Write server folders and the registry, or with `check` only say what would change.

    With `all_of_them` these are all the servers of the library: entries of others are removed. With `resume` folders
    that an earlier build finished and that have not changed since are left as they are.
    """
    emitted: dict[str, Emitted] = {}
    differences: dict[str, list[str]] = {}
    failures: dict[str, str] = {}
    waiting: list[Path] = []
    for path in paths:
        reused = _kept(path, servers / path.stem, many, or_more=check) if resume else None
        if reused is None:
            waiting.append(path)
        else:
            emitted[reused.environment.id] = reused
    for path, made in in_processes(partial(_build, many=many), waiting, workers):
        if isinstance(made, EnvScalerError):
            failures[str(path)] = str(made).removeprefix(f"{path}: ")
        else:
            wrong = _written(made, servers / made.environment.id, many, check=check)
            if wrong:
                differences[made.environment.id] = wrong
            emitted[made.environment.id] = Emitted(
                made.environment, made.shipped, made.scenarios, short=made.short, silent=made.silent
            )
        if progress is not None:
            progress(path.stem, len(emitted) + len(failures), len(paths))
    built = tuple(emitted[name] for name in sorted(emitted))
    if built or registry_file.is_file() or not failures:
        _register(built, servers, registry_file, differences, check=check, all_of_them=all_of_them and not failures)
    if all_of_them:
        _others(servers, emitted.keys() | {Path(path).stem for path in failures}, differences)
    return Emission(built, dict(sorted(differences.items())), failures)


def write_built(made: Built, folder: Path) -> Built:
    """Write what was built into the folder; the result counts what the folder then holds.

    If the folder holds the same environment, scenarios that were added to it stay; otherwise it is replaced.
    """
    files = {**made.files, **made.extra}
    card = folder / "environment.json"
    if not has_member(folder, card.name) or read_member_text(folder, card.name) != files[card.name]:
        write_folder(folder, files)
        return made
    there = {scenario.id for scenario in load_scenarios(folder)}
    for name in (TASKS, MORE_TASKS):
        before = read_member_text(folder, name) if has_member(folder, name) else ""
        lines = [line for line in files.get(name, "").split("\n") if line]
        new = [line for line in lines if Scenario.from_text(line, name).id not in there]
        files[name] = before + "".join(f"{line}\n" for line in new)
    for name, text in files.items():
        if text:
            write_member(folder, name, text)
    return replace(made, shipped=files[TASKS].count("\n"), scenarios=len(load_scenarios(folder)))


def add_to_registry(built: Sequence[Built], servers: Path, registry_file: Path) -> None:
    """Add environments to the registry, each in the place of an older one of its id."""
    emitted = [Emitted(made.environment, made.shipped, made.scenarios) for made in built]
    _register(emitted, servers, registry_file, {}, check=False, all_of_them=False)


def _kept(path: Path, folder: Path, many: int, *, or_more: bool) -> Emitted | None:
    scenarios = finished(folder, path, many, or_more=or_more)
    if scenarios is None:
        return None
    shipped = len(read_member_text(folder, TASKS).splitlines()) if has_member(folder, TASKS) else 0
    return Emitted(Environment.read_in(folder, "environment.json"), shipped, scenarios, reused=True)


def _written(made: Built, folder: Path, many: int, *, check: bool) -> list[str]:
    """What was or would be different; a written folder is noted as finished."""
    wrong = folder_differences(folder, made.files, LOCAL)
    if not check:
        files = {**made.files, **made.extra}
        write_folder(folder, files)
        note_finished(folder, many, files, made.scenarios)
    return wrong


def _build(path: Path, many: int) -> Built | EnvScalerError:
    try:
        return build(path, many)
    except EnvScalerError as failure:
        # Our error classes do not all survive pickling between processes; their message does.
        return EmitError(str(failure))


def _register(
    built: Sequence[Emitted],
    servers: Path,
    registry_file: Path,
    differences: dict[str, list[str]],
    *,
    check: bool,
    all_of_them: bool,
) -> None:
    known = read_registry(registry_file) if registry_file.is_file() else Registry()
    if all_of_them:
        # The library has no say about environments that a model or a user wrote.
        known = Registry(entries=tuple(entry for entry in known.entries if _from_elsewhere(servers / entry.id)))
    registry = with_entries(known, [_entry(made, servers, registry_file) for made in built])
    if not registry_file.is_file() or read_member_text(registry_file.parent, registry_file.name) != registry.to_text():
        differences.setdefault("registry.json", []).append("it is not what would be written")
        if not check:
            registry.write(registry_file)


def _others(servers: Path, known: set[str], differences: dict[str, list[str]]) -> None:
    """Name folders that look emitted and belong to no blueprint; other folders are ignored."""
    for card in sorted(servers.glob("*/environment.json")):
        if card.parent.name not in known and not _from_elsewhere(card.parent):
            differences.setdefault(card.parent.name, []).append("no blueprint of the library emits it")


def _from_elsewhere(folder: Path) -> bool:
    """Whether the environment of a folder is not the library's."""
    card = folder / "environment.json"
    return card.is_file() and Environment.read_in(folder, card.name).provenance.author != "library"


def _entry(made: Emitted, servers: Path, registry_file: Path) -> RegistryEntry:
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
        scenarios=made.shipped,
        split=environment_split(environment.id),
        digests=RegistryDigests(
            environment=environment.digest, code=environment.code_digest, blueprint=environment.blueprint_digest
        ),
        command=("{python}", where),
    )
