"""The order in which published environments and scenarios become server folders; whatever is left out is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Environment, Provenance, Scenario, State, digest_of
from envscaler_mcp.drawing.chance import Chance
from envscaler_mcp.emit.folder import folder_files, write_folder
from envscaler_mcp.errors import ArtifactError, EnvScalerError, SandboxError, WorldError, boundary
from envscaler_mcp.export.items import items
from envscaler_mcp.export.texts import json_of, name_in, text_of
from envscaler_mcp.export.upstream_environment import card_from, id_of, source_of, told_tools
from envscaler_mcp.export.upstream_scenario import config_of, scenario_from
from envscaler_mcp.export.waiting import Placed, waiting_scenarios
from envscaler_mcp.pipeline.building import Built
from envscaler_mcp.pipeline.emission import register
from envscaler_mcp.pipeline.imported import Imported, ImportedEnvironment, ImportedScenario
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sandbox.checking import checker
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.scenarios.splits import split_of
from envscaler_mcp.scenarios.trying import Guesses
from envscaler_mcp.serving.code import EnvironmentCode

KEPT = "upstream.json"
"""What a folder keeps of the documents that it was made of, so that they can be written again as they were."""
_SEED = 7
_CALLS = 12
"""How many drawn calls are made twice to see that a world can be replayed."""


def import_upstream(
    environments: Path,
    scenarios: Path | None,
    servers: Path,
    registry_file: Path,
    progress: Callable[[str, int], None] = lambda _name, _number: None,
) -> Imported:
    """Server folders of all published environments that pass the gate, registered, with their scenarios."""
    found = Imported()
    taken = {entry.id for entry in read_registry(registry_file).entries} if registry_file.is_file() else set[str]()
    with waiting_scenarios(scenarios) as waiting:
        for number, (key, item) in enumerate(items(environments), start=1):
            name = name_in(item, "env_id") or text_of(key)
            mine = waiting.of(name)
            try:
                with boundary(ArtifactError, "it cannot be understood"):
                    _free(id_of(name), taken, servers)
                    made, built = _imported(key, name, item, mine)
                _write(built, servers, registry_file)
                found.environments.append(made)
            except EnvScalerError as error:
                lost = tuple(_lost(place, one, f"its environment is refused: {error}") for place, one in mine)
                found.environments.append(ImportedEnvironment(id_of(name), refused=str(error), scenarios=lost))
            taken.add(id_of(name))
            progress(name, number)
        found.homeless = [_lost(place, one, "its environment is in no file") for place, one in waiting.rest()]
    return found


def _free(env_id: str, taken: set[str], servers: Path) -> None:
    if env_id in taken or (servers / env_id).exists():
        raise ArtifactError(f"there is an environment {env_id!r} already")


def _write(built: Built, servers: Path, registry_file: Path) -> None:
    folder = servers / built.environment.id
    try:
        write_folder(folder, built.files)
        register([built], servers, registry_file)
    except BaseException:
        # Half a folder would be in the way of the next attempt.
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _lost(place: int, item: Mapping[str, Any], why: str) -> ImportedScenario:
    return ImportedScenario(_name_of(place, item), name_in(item, "env_id"), refused=why)


def _name_of(place: int, item: Mapping[str, Any]) -> str:
    return name_in(item, "task_id") or f"scenario {place + 1}"


# One environment


def _imported(key: str | int, name: str, item: Any, mine: Sequence[Placed]) -> tuple[ImportedEnvironment, Built]:
    if not isinstance(item, dict):
        raise ArtifactError("it is no object")
    whole = {**item, "env_id": name}
    source = source_of(whole) if isinstance(whole.get("env_class_code"), str) else ""
    card = card_from(whole, ())
    admit(source, f"The code of {card.id!r}")
    states, begins = _states(card, mine)
    card = card.model_copy(update={"states": tuple(state.name for state in states)})
    code = EnvironmentCode.of(card, source)
    made, told, kept = _scenarios(code, begins, mine)
    files = folder_files(card, source, "", states, made, {})
    files[KEPT] = json_of({"key": key, "environment": item, "scenarios": kept}, 1)
    names = {tool.name for tool in card.tools}
    report = ImportedEnvironment(
        card.id,
        title=card.title,
        tools=len(card.tools),
        states=len(states),
        replayable=_replayable(code, states[0]),
        only_told=tuple(sorted(told_tools(item) - names)),
        scenarios=told,
    )
    return report, Built(card, len(made), len(made), dict(sorted(files.items())), {})


Begins = Mapping[int, State | ArtifactError]
"""The state at which a scenario begins, or why it cannot, by the scenario's place."""


def _states(card: Environment, mine: Sequence[Placed]) -> tuple[list[State], Begins]:
    """Every state at which a scenario begins, equal ones once, and which of them it is."""
    states: dict[str, State] = {}
    begins: dict[int, State | ArtifactError] = {}
    for place, item in mine:
        try:
            content = config_of(item)
            digest = digest_of(content)
            if digest not in states:
                states[digest] = _state(card, f"start_{len(states) + 1}", content)
            begins[place] = states[digest]
        except ArtifactError as error:
            begins[place] = error
    # Served all the same where there is none, with nothing in it.
    return list(states.values()) or [_state(card, "start", {})], begins


def _state(card: Environment, name: str, content: dict[str, Any]) -> State:
    with boundary(ArtifactError, "its init_config cannot be kept"):
        state = State(
            provenance=Provenance(author="person"), environment=card.id, name=name, seed=_SEED, content=content
        )
        state.to_text()
    return state


def _scenarios(
    code: EnvironmentCode, begins: Begins, mine: Sequence[Placed]
) -> tuple[list[Scenario], tuple[ImportedScenario, ...], list[dict[str, Any]]]:
    """Those that can begin, what is told of all, and all as they came."""
    made: list[Scenario] = []
    told: dict[str, ImportedScenario] = {}
    kept: list[dict[str, Any]] = []
    for place, item in mine:
        id_ = _unlike(_name_of(place, item), told)
        kept.append(_as_it_came(place, item, begins[place]))
        try:
            scenario, told[id_] = _scenario(item, id_, code, begins[place])
        except EnvScalerError as error:
            told[id_] = ImportedScenario(id_, code.environment.id, refused=str(error))
            continue
        made.append(scenario.model_copy(update={"split": split_of(code.environment.id, id_)}))
    return made, tuple(told.values()), kept


def _unlike(name: str, others: Collection[str]) -> str:
    """The name, with a number where others have it."""
    return next(one for one in chain([name], (f"{name}-{number}" for number in count(2))) if one not in others)


def _as_it_came(place: int, item: Mapping[str, Any], begin: State | ArtifactError) -> dict[str, Any]:
    """The document, with its start state named where that holds exactly what it holds."""
    if isinstance(begin, ArtifactError) or item.get("init_config") != begin.content:
        return {"place": place, "item": item}
    return {"place": place, "item": {**item, "init_config": None}, "state": begin.name}


def _scenario(
    item: Mapping[str, Any], id_: str, code: EnvironmentCode, begin: State | ArtifactError
) -> tuple[Scenario, ImportedScenario]:
    if isinstance(begin, ArtifactError):
        raise begin
    scenario = scenario_from(item, id_, code.environment, begin)
    return scenario, _looked_at(scenario, code, begin)


def _looked_at(scenario: Scenario, code: EnvironmentCode, state: State) -> ImportedScenario:
    with closing(open_isolated(code, state.content, state.seed)) as world:
        initial = world.state()
    with checker() as judging:
        said = judging.run(scenario.checks, initial, initial)
    return ImportedScenario(
        scenario.id,
        scenario.environment,
        checks=len(said),
        silent=tuple(number for number, one in enumerate(said, start=1) if one.verdict is None),
        true_at_start=tuple(number for number, one in enumerate(said, start=1) if one.verdict is True),
    )


def _replayable(code: EnvironmentCode, state: State) -> bool:
    """Whether drawn calls come to the same, to the last id and minute, in two worlds."""
    try:
        return _played(code, state) == _played(code, state)
    except (SandboxError, WorldError):
        return False


def _played(code: EnvironmentCode, state: State) -> tuple[list[str], str]:
    """What drawn calls are answered, and where they end; nothing is drawn where nothing can be changed."""
    guesses = Guesses(code.environment.tools, Chance(state.seed, f"replay of {code.environment.id}"))
    with closing(open_isolated(code, state.content, state.seed)) as world:
        answers: list[str] = []
        for _ in range(_CALLS if guesses.tools else 0):
            call = guesses.any(world.state())
            answers.append(world.call(call.tool, call.arguments).text if call is not None else "")
        return answers, world.state_hash()
