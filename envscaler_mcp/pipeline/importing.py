"""The order in which published environments and scenarios become server folders; whatever is left out is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import Environment, Provenance, Scenario, State, digest_of
from envscaler_mcp.drawing.chance import Chance
from envscaler_mcp.emit.folder import folder_files, write_folder
from envscaler_mcp.errors import ArtifactError, EnvScalerError
from envscaler_mcp.export.items import items
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
            name = str(item.get("env_id") or key) if isinstance(item, dict) else key
            mine = waiting.of(name)
            try:
                _free(id_of(name), taken, servers)
                made, built = _imported(key, name, item, mine)
                write_folder(servers / built.environment.id, built.files)
                register([built], servers, registry_file)
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


def _lost(place: int, item: Mapping[str, Any], why: str) -> ImportedScenario:
    return ImportedScenario(_name_of(place, item), str(item.get("env_id") or ""), refused=why)


def _name_of(place: int, item: Mapping[str, Any]) -> str:
    return str(item.get("task_id") or f"scenario {place + 1}")


# One environment


def _imported(key: str, name: str, item: Any, mine: Sequence[Placed]) -> tuple[ImportedEnvironment, Built]:
    if not isinstance(item, dict):
        raise ArtifactError("it is no object")
    whole = {"env_id": name, **item}
    source = source_of(whole) if isinstance(whole.get("env_class_code"), str) else ""
    card = card_from(whole, ())
    admit(source, f"The code of {card.id!r}")
    states, begins = _states(card, mine)
    card = card.model_copy(update={"states": tuple(states)})
    code = EnvironmentCode.of(card, source)
    made, told, kept = _scenarios(code, states, begins, mine)
    files = folder_files(card, source, "", list(states.values()), made, {})
    files[KEPT] = json.dumps({"key": key, "environment": item, "scenarios": kept}, ensure_ascii=False, indent=1) + "\n"
    names = {tool.name for tool in card.tools}
    report = ImportedEnvironment(
        card.id,
        title=card.title,
        tools=len(card.tools),
        states=len(states),
        replayable=_replayable(code, next(iter(states.values()))),
        only_told=tuple(sorted(told_tools(item) - names)),
        scenarios=told,
    )
    return report, Built(card, len(made), len(made), dict(sorted(files.items())), {})


def _states(card: Environment, mine: Sequence[Placed]) -> tuple[dict[str, State], dict[int, str]]:
    """Every state at which a scenario begins, equal ones once, and which it is by the scenario's place."""
    states: dict[str, State] = {}
    begins: dict[int, str] = {}
    names: dict[str, str] = {}
    for place, item in mine:
        try:
            content = config_of(item)
        except ArtifactError:
            continue
        name = names.setdefault(digest_of(content), f"start_{len(names) + 1}")
        begins[place] = name
        if name not in states:
            states[name] = State(
                provenance=Provenance(author="person"), environment=card.id, name=name, seed=_SEED, content=content
            )
    if not states:
        # Served all the same, with nothing in it.
        states["start"] = State(
            provenance=Provenance(author="person"), environment=card.id, name="start", seed=_SEED, content={}
        )
    return states, begins


def _scenarios(
    code: EnvironmentCode, states: Mapping[str, State], begins: Mapping[int, str], mine: Sequence[Placed]
) -> tuple[list[Scenario], tuple[ImportedScenario, ...], list[dict[str, Any]]]:
    """Those that can begin, what is told of all, and all as they came."""
    made: list[Scenario] = []
    told: list[ImportedScenario] = []
    kept: list[dict[str, Any]] = []
    seen: Counter[str] = Counter()
    for place, item in mine:
        name = _name_of(place, item)
        seen[name] += 1
        id_ = name if seen[name] == 1 else f"{name}-{seen[name]}"
        kept.append(_as_it_came(place, item, begins.get(place), states))
        try:
            config_of(item)
            scenario = scenario_from(item, id_, code.environment, states[begins[place]])
            told.append(_looked_at(scenario, code, states[scenario.state]))
        except EnvScalerError as error:
            told.append(ImportedScenario(id_, code.environment.id, refused=str(error)))
            continue
        made.append(scenario.model_copy(update={"split": split_of(code.environment.id, id_)}))
    return made, tuple(told), kept


def _as_it_came(place: int, item: Mapping[str, Any], state: str | None, states: Mapping[str, State]) -> dict[str, Any]:
    """The document, with its start state named where that holds exactly what it holds."""
    given = item.get("init_config")
    if state is None or given != states[state].content:
        return {"place": place, "item": item}
    return {"place": place, "item": {**item, "init_config": None}, "state": state}


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
    return _played(code, state) == _played(code, state)


def _played(code: EnvironmentCode, state: State) -> tuple[list[str], str]:
    """What drawn calls are answered, and where they end; nothing is drawn where nothing can be changed."""
    guesses = Guesses(code.environment.tools, Chance(state.seed, f"replay of {code.environment.id}"))
    with closing(open_isolated(code, state.content, state.seed)) as world:
        answers: list[str] = []
        for _ in range(_CALLS if guesses.tools else 0):
            call = guesses.any(world.state())
            answers.append(world.call(call.tool, call.arguments).text if call is not None else "")
        return answers, world.state_hash()
