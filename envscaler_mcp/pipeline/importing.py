"""The order in which published environments and scenarios become server folders; whatever is left out is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from secrets import token_hex
from typing import Any

from envscaler_mcp.artifacts import Environment, Provenance, Scenario, State, digest_of
from envscaler_mcp.artifacts.members import has_member, read_member_text
from envscaler_mcp.artifacts.names import MAX_SCENARIO_ID
from envscaler_mcp.emit.folder import folder_files, server_folder, write_folder
from envscaler_mcp.errors import ArtifactError, EnvScalerError, SandboxError, WorldError, boundary
from envscaler_mcp.export import otherwise
from envscaler_mcp.export.items import items
from envscaler_mcp.export.spool import Placed, waiting_scenarios
from envscaler_mcp.export.texts import json_of, name_in, text_of
from envscaler_mcp.export.upstream_environment import card_from, id_of, source_of, told_tools
from envscaler_mcp.export.upstream_scenario import config_of, scenario_from
from envscaler_mcp.grading.judging import checks_that_cannot_run
from envscaler_mcp.pipeline.building import Built
from envscaler_mcp.pipeline.emission import add_to_registry
from envscaler_mcp.pipeline.imported import Imported, ImportedEnvironment, ImportedScenario
from envscaler_mcp.plain_files import PlainFolder
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sandbox.checking import checker
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.scenarios.splits import split_of
from envscaler_mcp.scenarios.trying import Guesses
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.serving.tools import tool_table

KEPT = "upstream.json"
"""What a folder keeps of the documents that it was made of, so that they can be written again as they were."""
_SEED = 7
_CALLS = 12
"""How many drawn calls are made twice to see that a world can be replayed."""


def import_upstream(
    environments: Path | None,
    scenarios: Sequence[Path],
    servers: Path,
    registry_file: Path,
    progress: Callable[[str, int], None] = lambda _name, _number: None,
    *,
    faithful: bool = False,
) -> Imported:
    """Server folders of all published environments that pass the gate, registered, with their scenarios.

    Scenarios of an environment that was imported before are added to it, whether or not its file is given again; those
    that it has already are not added twice. A faithful environment does what the published runtime does.
    """
    imported = Imported()
    importing = _Importing(servers, registry_file, faithful)
    with waiting_scenarios(scenarios) as waiting:
        for number, (key, item) in enumerate(items(environments) if environments is not None else (), start=1):
            name = name_in(item, "env_id") or text_of(key)
            imported.environments.append(importing.environment(key, name, item, waiting.of(name)))
            progress(name, number)
        for name in waiting.names():
            if importing.was_imported(name):
                imported.environments.append(importing.more_scenarios(name, waiting.of(name)))
        imported.homeless = [
            _lost(place, document, "its environment is in no file") for place, document in waiting.rest()
        ]
    return imported


class _Importing:
    """Environments one after the other, into the server folders of a home."""

    def __init__(self, servers: Path, registry_file: Path, faithful: bool) -> None:
        self._servers = servers
        self._registry_file = registry_file
        self._faithful = faithful
        self._seen: set[str] = set()
        """Ids that a file of this import had."""

    def environment(self, key: str | int, name: str, item: Any, mine: Sequence[Placed]) -> ImportedEnvironment:
        """An environment of a file, new or known."""
        id_ = id_of(name)
        try:
            with boundary(ArtifactError, "it cannot be understood"):
                if id_ in self._seen:
                    raise ArtifactError(f"there is an environment {id_!r} already")
                if self.was_imported(name):
                    return self._added(name, item, mine)
                self._free(id_)
                made, built = _imported(key, name, item, mine, self._faithful)
            self._write(built)
            return made
        except EnvScalerError as error:
            return _refused(id_, error, mine)
        finally:
            self._seen.add(id_)

    def more_scenarios(self, name: str, mine: Sequence[Placed]) -> ImportedEnvironment:
        """Scenarios of an environment that was imported before, and is in no file now."""
        try:
            with boundary(ArtifactError, "it cannot be understood"):
                return self._added(name, None, mine)
        except EnvScalerError as error:
            return _refused(id_of(name), error, mine)

    def was_imported(self, name: str) -> bool:
        """Whether an environment of that name lies here, from an earlier import or from this one."""
        return has_member(self._servers / id_of(name), KEPT)

    def _added(self, name: str, item: Any, mine: Sequence[Placed]) -> ImportedEnvironment:
        folder = self._servers / id_of(name)
        stored = json.loads(read_member_text(folder, KEPT))
        if item is not None and item != stored["environment"]:
            raise ArtifactError(f"there is an environment {folder.name!r} already, and its document is another one")
        card = Environment.read_in(folder, "environment.json")
        faithful = card.origin == "published"
        if self._faithful and not faithful:
            raise ArtifactError(
                f"{folder.name!r} was imported without --faithful; remove {folder} and its entry in the registry first"
            )
        came = [(scenario["place"], whole_item(folder, scenario)) for scenario in stored["scenarios"]]
        known = {_document(document) for _, document in came}
        begin = max((place for place, _ in came), default=-1) + 1
        fresh = [document for _, document in mine if _document(document) not in known]
        if not fresh:
            return _as_it_was(card)
        placed = [*came, *((begin + number, document) for number, document in enumerate(fresh))]
        planned = [scenario for scenario in load_scenarios(folder) if scenario.frame is not None]
        made, built = _imported(stored["key"], name, stored["environment"], placed, faithful, planned)
        self._replace(folder, built)
        return replace(made, added=True, scenarios=made.scenarios[len(came) :])

    def _free(self, id_: str) -> None:
        known = read_registry(self._registry_file).entries if self._registry_file.is_file() else ()
        if any(entry.id == id_ for entry in known) or has_member(self._servers, id_):
            raise ArtifactError(f"there is an environment {id_!r} already, which was not imported")

    def _write(self, built: Built) -> None:
        folder = self._servers / built.environment.id
        try:
            write_folder(folder, built.files)
            add_to_registry([built], self._servers, self._registry_file)
        except BaseException:
            # Half a folder would be in the way of the next attempt.
            with suppress(ArtifactError), server_folder(self._servers) as servers:
                servers.remove_folder(folder.name)
            raise

    def _replace(self, folder: Path, built: Built) -> None:
        """The folder anew, with what else lies in it; the old one stays until the new one is whole."""
        token = token_hex(8)
        new, old = (f".{folder.name}.{token}.{word}" for word in ("new", "old"))
        with server_folder(self._servers) as servers:
            try:
                _copy_folder(servers, folder.name, new, built.files)
                servers.rename(folder.name, old)
                servers.rename(new, folder.name)
            except OSError as cause:
                raise ArtifactError(f"{folder} cannot be written: {cause}") from cause
            finally:
                if servers.has(old) and not servers.has(folder.name):
                    servers.rename(old, folder.name)
                for left in (new, old):
                    servers.remove_folder(left)
        add_to_registry([built], self._servers, self._registry_file)


def _copy_folder(servers: PlainFolder, name: str, new: str, files: Mapping[str, str]) -> None:
    """A copy of a folder with these files in it; where a link lies in the folder, nothing is copied."""
    with PlainFolder.at(servers.path, name) as before, PlainFolder.at(servers.path, new, make=True) as copy:
        for member in before.files():
            if member not in files:
                copy.write(member, before.read(member))
        for member, text in files.items():
            copy.write(member, text.encode("utf-8"))


def _refused(id_: str, error: EnvScalerError, mine: Sequence[Placed]) -> ImportedEnvironment:
    lost = tuple(_lost(place, document, f"its environment is refused: {error}") for place, document in mine)
    return ImportedEnvironment(id_, refused=str(error), scenarios=lost)


def _as_it_was(card: Environment) -> ImportedEnvironment:
    """All that came is here already."""
    return ImportedEnvironment(
        card.id,
        title=card.title,
        tools=len(card.tools),
        states=len(card.states),
        replayable=True,
        faithful=card.origin == "published",
        added=True,
    )


def _document(item: Mapping[str, Any]) -> str:
    return json.dumps(item, sort_keys=True)


def whole_item(folder: Path, stored: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario as it came, from what its folder stores of it."""
    item: dict[str, Any] = dict(stored["item"])
    if "state" in stored:
        item["init_config"] = State.read_in(folder, f"states/{stored['state']}.json").content
    return item


def _lost(place: int, item: Mapping[str, Any], why: str) -> ImportedScenario:
    return ImportedScenario(_name_of(place, item), name_in(item, "env_id"), refused=why)


def _name_of(place: int, item: Mapping[str, Any]) -> str:
    # With a number after it, an id still keeps to its bound.
    return name_in(item, "task_id")[: MAX_SCENARIO_ID - 20] or f"scenario {place + 1}"


# One environment


def _imported(
    key: str | int,
    name: str,
    item: Any,
    mine: Sequence[Placed],
    faithful: bool,
    planned: Sequence[Scenario] = (),
) -> tuple[ImportedEnvironment, Built]:
    """The environment with all scenarios that came, and with those that were made here."""
    if not isinstance(item, dict):
        raise ArtifactError("it is no object")
    whole = {**item, "env_id": name}
    source = source_of(whole) if isinstance(whole.get("env_class_code"), str) else ""
    card = card_from(whole, (), faithful=faithful)
    admit(source, f"The code of {card.id!r}")
    states, begins = _states(card, mine)
    card = card.model_copy(update={"states": tuple(state.name for state in states)})
    code = EnvironmentCode.of(card, source)
    made, reports, documents = _scenarios(code, begins, mine)
    scenarios = [*made, *planned]
    files = folder_files(card, source, "", states, scenarios, {})
    files[KEPT] = json_of({"key": key, "environment": item, "scenarios": documents}, 1)
    methods = {tool.name for tool in tool_table(source, card.class_name)}
    report = ImportedEnvironment(
        card.id,
        title=card.title,
        tools=len(card.tools),
        states=len(states),
        replayable=_replayable(code, states[0]),
        faithful=faithful,
        only_told=tuple(sorted(told_tools(item) - methods)),
        otherwise=otherwise.of_environment(card, item),
        scenarios=reports,
    )
    return report, Built(card, len(scenarios), len(scenarios), dict(sorted(files.items())), {})


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
    """The scenarios that can begin, a report of each, and the document of each as it came."""
    made: list[Scenario] = []
    reports: dict[str, ImportedScenario] = {}
    documents: list[dict[str, Any]] = []
    for place, item in mine:
        id_ = _unlike(_name_of(place, item), reports)
        documents.append(_as_it_came(place, item, begins[place]))
        try:
            scenario, reports[id_] = _scenario(item, id_, code, begins[place])
        except EnvScalerError as error:
            reports[id_] = ImportedScenario(id_, code.environment.id, refused=str(error))
            continue
        made.append(scenario.model_copy(update={"split": split_of(code.environment.id, id_)}))
    return made, tuple(reports.values()), documents


def _unlike(name: str, others: Collection[str]) -> str:
    """The name, with a number where others have it."""
    return next(each for each in chain([name], (f"{name}-{number}" for number in count(2))) if each not in others)


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
    differences = otherwise.of_scenario(scenario, code.source, code.environment, name_in(item, "env_class_name"))
    return scenario, replace(_looked_at(scenario, code, begin), otherwise=differences)


def _looked_at(scenario: Scenario, code: EnvironmentCode, state: State) -> ImportedScenario:
    with closing(open_isolated(code, state.content, state.seed)) as world:
        initial = world.state()
    with checker() as judging:
        said = judging.run(scenario.checks, initial, initial, python=code.published)
        broken = checks_that_cannot_run(judging, scenario, initial, code.published)
    silent = {
        number: answer for number, answer in enumerate(said, start=1) if answer.verdict is None and number not in broken
    }
    return ImportedScenario(
        scenario.id,
        scenario.environment,
        checks=len(said),
        broken=tuple(broken),
        raising=tuple(number for number, answer in silent.items() if not answer.ended),
        unanswered=tuple(number for number, answer in silent.items() if answer.ended),
        true_at_start=tuple(number for number, answer in enumerate(said, start=1) if answer.verdict is True),
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
