"""The scenarios of a server folder: made for a written class, and proven again from the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from envscaler_mcp.artifacts import (
    Environment,
    Proof,
    Scenario,
    State,
)
from envscaler_mcp.config.choices import SEED, SHIPPED
from envscaler_mcp.emit.folder import write_member
from envscaler_mcp.errors import SandboxError, WorldError
from envscaler_mcp.language import check_blueprint
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.pipeline.building import level_of
from envscaler_mcp.pipeline.emission import Progress
from envscaler_mcp.processes.pool import in_processes
from envscaler_mcp.registry import find_entry, read_registry, with_entries
from envscaler_mcp.sandbox.checking import Checker, checker
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.scenarios import (
    Prover,
    Unproven,
    WrittenProver,
    WrittenTaskMaker,
)
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.tasks import TASKS, load_scenarios
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.trust import blueprint_beside, load_code


@dataclass(frozen=True, slots=True)
class Proven:
    """The result of proving one stored scenario again."""

    scenario: str
    failure: str = ""
    """Why it is no longer proven; empty if it is."""
    planless: bool = False
    """Whether it has no plan, so that there is nothing to prove."""


def write_scenarios(
    folder: Path,
    seed: int = SEED,
    many: int = SHIPPED,
    registry_file: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Scenario, ...]:
    """Make proven scenarios for the server folder of a written class, its start states in turn.

    They replace the scenarios that were made before; imported scenarios stay. A registry that knows the
    environment counts them.
    """
    code = load_code(folder)
    if code.journaled:
        raise WorldError(f"{folder.name!r} is compiled; `envscaler build` makes its scenarios from its blueprint.")
    if code.published:
        raise WorldError(
            f"{folder.name!r} was imported with --faithful, so its answers are not JSON from which scenarios could be made; "
            "import it without --faithful into another home and make them there."
        )
    states = [State.read_in(folder, f"states/{name}.json") for name in code.environment.states]
    if not states:
        raise WorldError(f"{folder.name!r} holds no start state at which scenarios could begin.")
    maker = WrittenTaskMaker(code, seed, open_isolated)
    made: list[Scenario] = []
    for number in range(1, many + 1):
        made.append(maker.scenario(states[(number - 1) % len(states)], level_of(number), number))
        if progress is not None:
            progress(made[-1].id, number, many)
    came = [scenario for scenario in load_scenarios(folder) if scenario.frame is None]
    write_member(folder, TASKS, "".join(scenario.to_line() for scenario in (*came, *made)))
    if registry_file is not None:
        registry = read_registry(registry_file)
        entry = find_entry(registry, code.environment.id)
        with_entries(registry, [entry.model_copy(update={"scenarios": len(came) + len(made)})]).write(registry_file)
    return tuple(made)


def prove_folders(folders: Sequence[Path], workers: int = 1) -> Iterator[tuple[Path, list[Proven]]]:
    """Every folder with the results of its scenarios, as each is done; with several workers, in several processes."""
    yield from in_processes(_proven, folders, workers)


def _proven(folder: Path) -> list[Proven]:
    return list(prove_folder(folder))


def prove_folder(folder: Path) -> Iterator[Proven]:
    """Prove every scenario of a server folder again, from its files; checks run in the sandbox."""
    code = load_code(folder)
    trade = _trade(folder, code.environment) if code.trusted else None
    with checker(one_author=True) as judging:
        for scenario in load_scenarios(folder):
            if not scenario.oracle:
                yield Proven(scenario.id, planless=True)
                continue
            state = State.read_in(folder, f"states/{scenario.state}.json")
            yield Proven(scenario.id, _disproof(scenario, state, code, trade, judging))


@dataclass(frozen=True, slots=True)
class _Trade:
    """A blueprint as it was read."""

    model: Model
    speech: Storybook


def _trade(folder: Path, environment: Environment) -> _Trade:
    checked = check_blueprint(blueprint_beside(folder, environment))
    return _Trade(checked.sound(), checked.speech)


def _disproof(scenario: Scenario, state: State, code: EnvironmentCode, trade: _Trade | None, judging: Checker) -> str:
    known = (state.digest, code.environment.code_digest)
    if not code.genuine or (scenario.state_digest, scenario.code_digest) != known:
        return "its start state or the code of its environment has changed"
    try:
        proof = _proof(scenario, state, code, trade, judging)
    except (Unproven, SandboxError) as reason:
        return str(reason)
    return "" if proof == scenario.proof else "it is proven, but the proof differs from the stored one"


def _proof(scenario: Scenario, state: State, code: EnvironmentCode, trade: _Trade | None, judging: Checker) -> Proof:
    if trade is None:
        with closing(open_isolated(code, state.content, scenario.seed)) as world:
            return WrittenProver(scenario, code, world, open_isolated, judging).prove()
    with closing(open_world(code, state.content, scenario.seed)) as here:
        return Prover(scenario, trade.model, trade.speech, code.environment, here, judging).prove()
