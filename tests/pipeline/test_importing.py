"""Published environments become servers, nothing is dropped in silence, and they can be written again as they came."""

from __future__ import annotations

import copy
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.artifacts import Scenario, State, Verdict
from envscaler_mcp.artifacts.episode import Scoring
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.building import build
from envscaler_mcp.pipeline.emission import add_to_registry, write_built
from envscaler_mcp.pipeline.exporting import export_upstream
from envscaler_mcp.pipeline.imported import Imported, ImportedEnvironment
from envscaler_mcp.pipeline.importing import import_upstream
from envscaler_mcp.pipeline.proving import prove_folder, write_scenarios
from envscaler_mcp.registry import read_registry
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.serving.code import read_code
from envscaler_mcp.serving.tasks import load_scenarios
from tests.pipeline.published import ENVIRONMENTS, SCENARIOS, published

Home = tuple[Path, Imported]


def import_into(place: Path) -> Imported:
    environments, scenarios = published(place / "files")
    return import_upstream(environments, [scenarios], place / "generated_servers", place / "registry.json")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    place = tmp_path_factory.mktemp("imported")
    return place, import_into(place)


def test_environments_that_pass_the_gate_are_registered_and_the_others_told(home: Home) -> None:
    place, found = home
    entries = {one.id: one for one in read_registry(place / "registry.json").entries}
    assert {name: (len(one.tools), one.scenarios) for name, one in entries.items()} == {
        "env_1_rl": (10, 5),
        "env_2_sft": (12, 1),
        "env_6": (12, 0),
    }
    refused = {one.id: one.refused for one in found.environments if one.refused}
    assert refused.keys() == {"env_3", "env_4", "env_5"}
    assert "os" in refused["env_3"]
    assert "not Python" in refused["env_4"]
    assert "it has no 'env_class_name'" in refused["env_5"]
    told = {one.id: one for one in found.environments}
    assert told["env_2_sft"].only_told == ("fly",)
    assert (told["env_1_rl"].states, told["env_1_rl"].replayable) == (2, True)


def test_every_scenario_is_told_with_what_can_be_graded(home: Home) -> None:
    _, found = home
    assert len(list(found.scenarios)) == len(SCENARIOS)
    told = {one.id: one for one in found.scenarios}
    gradable = {name for name, one in told.items() if one.gradable}
    assert gradable == {"task_1", "task_1-2", "task_6"}
    assert told["task_1"].true_at_start == (3,)
    assert (told["task_3"].checks, told["task_3"].raising, told["task_3"].broken) == (4, (1,), (3, 4))
    assert told["task_4"].true_at_start == (1,)
    refused = {name: one.refused for name, one in told.items() if one.refused}
    assert refused.keys() == {"task_7", "task_8", "task_9", "task_10"}
    assert refused["task_7"] == "its init_config is no object"
    assert refused["task_8"] == "it has no task"
    assert refused["task_9"].startswith("its environment is refused: ")
    assert refused["task_10"] == "its environment is in no file"


def test_what_was_imported_is_written_again_as_it_came(home: Home, tmp_path: Path) -> None:
    place, _ = home
    here_are = ("env_1_rl", "env_2_sft", "env_6")
    folders = [place / "generated_servers" / name for name in here_are]
    counts = export_upstream(folders, tmp_path / "e.json", tmp_path / "s.json")
    assert counts == (3, 8)
    assert json.loads((tmp_path / "e.json").read_text()) == {name: ENVIRONMENTS[name] for name in here_are}
    here = [one for one in SCENARIOS if one["env_id"] in ("env_1_rl", "env_2_sft")]
    assert json.loads((tmp_path / "s.json").read_text()) == here


def verdict(home: Home, name: str, calls: list[tuple[str, dict[str, Any]]], scoring: Scoring) -> Verdict:
    folder = home[0] / "generated_servers" / "env_1_rl"
    scenario = next(one for one in load_scenarios(folder) if one.id == name)
    state = State.read(folder / "states" / f"{scenario.state}.json")
    with closing(open_isolated(read_code(folder), state.content, state.seed)) as world:
        initial = world.state()
        for tool, arguments in calls:
            assert world.call(tool, arguments).kind == "done"
        return judge(scenario, initial, world.state(), scoring)


BACK = ("take_back", {"loan_id": "LN-0001"})
WRITE = ("update_email", {"reader_id": "RD-1", "email": "ada@example.org"})


@pytest.mark.parametrize(
    ("name", "calls", "upstream", "ours"),
    [
        # Published: what was true before anything was done is paid for.
        ("task_1", [], 0.3333, 0.0),
        ("task_1", [BACK], 0.6667, 0.5),
        ("task_1", [BACK, WRITE], 1.0, 1.0),
        # Published: a check without an answer is one that failed.
        ("task_3", [BACK], 0.25, 1 / 4),
        ("task_4", [], 1.0, 0.0),
        # Published: a check sees what those before it did to the state.
        ("task_6", [], 0.5, 0.0),
    ],
)
def test_an_ending_earns_what_was_published_and_what_we_say(
    home: Home, name: str, calls: list[tuple[str, dict[str, Any]]], upstream: float, ours: float
) -> None:
    assert verdict(home, name, calls, "upstream").reward == upstream
    assert verdict(home, name, calls, "framed").reward == pytest.approx(ours)


def test_a_scenario_in_which_all_is_true_already_is_no_failure_of_an_agent(home: Home) -> None:
    found = verdict(home, "task_4", [], "framed")
    assert (found.owner, found.masked, found.reason) == ("checker", True, "every check is true at the start")


def test_scenarios_with_a_plan_are_made_beside_those_that_came(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "env_1_rl"
    shutil.copytree(home[0] / "generated_servers" / "env_1_rl", folder)
    came = list(load_scenarios(folder))
    for _ in range(2):
        made = write_scenarios(folder, many=2)
        assert list(load_scenarios(folder)) == [*came, *made]
    assert [(one.planless, one.failure) for one in prove_folder(folder)] == [(True, "")] * 5 + [(False, "")] * 2
    export_upstream([folder], tmp_path / "e.json", tmp_path / "s.json")
    written = json.loads((tmp_path / "s.json").read_text())
    assert [one["task_id"] for one in written[-2:]] == [one.id for one in made]
    assert len(written) == 7 + len(made)


def test_what_was_imported_is_not_imported_again(home: Home) -> None:
    place, _ = home
    again = import_into(place)
    assert [(one.id, one.scenarios) for one in again.environments if one.added] == [
        ("env_1_rl", ()),
        ("env_2_sft", ()),
        ("env_6", ()),
    ]
    assert len(read_registry(place / "registry.json").entries) == 3
    assert len(load_scenarios(place / "generated_servers" / "env_1_rl")) == 5


def as_published(
    environment: dict[str, Any], scenario: dict[str, Any], calls: list[tuple[str, dict[str, Any]]]
) -> float:
    """What the published runtime pays: built by the constructor, then field by field; each check on the attributes."""
    names: dict[str, Any] = {}
    exec(compile(environment["env_class_code"], "environment", "exec"), names)
    config = scenario["init_config"]
    world = names[scenario["env_class_name"]](copy.deepcopy(config))
    for name, value in copy.deepcopy(config).items():
        setattr(world, name, value)
    initial = copy.deepcopy(vars(world))
    for tool, arguments in calls:
        assert getattr(world, tool)(**arguments)["success"], tool
    answers = []
    for check in scenario["checklist_with_func"]:
        space: dict[str, Any] = {"initial_state": initial}
        exec(check["check_func"], space)
        answers.append(space["check_func"](vars(world)))
    return round(sum(answer is True for answer in answers) / len(answers), 4)


def test_environments_of_ours_earn_the_same_where_published_ones_run(tmp_path: Path) -> None:
    built = build(blueprint_files()["beekeeping"])
    write_built(built, tmp_path / "beekeeping")
    add_to_registry([built], tmp_path, tmp_path / "registry.json")
    export_upstream([tmp_path / "beekeeping"], tmp_path / "e.json", tmp_path / "s.json")
    environment = json.loads((tmp_path / "e.json").read_text())["beekeeping"]
    assert ENVIRONMENTS["env_1_rl"].keys() <= environment.keys()
    scenarios: list[Scenario] = list(load_scenarios(tmp_path / "beekeeping"))
    for scenario, item in zip(scenarios, json.loads((tmp_path / "s.json").read_text()), strict=True):
        calls = [(call.tool, call.arguments) for call in scenario.oracle]
        assert as_published(environment, item, []) == 0.0
        assert as_published(environment, item, calls) == 1.0


def more_scenarios_into(place: Path, many: int) -> ImportedEnvironment:
    """The first published environment, with fresh scenarios of it, imported again."""
    documents = json.loads((place / "files" / "scenarios.json").read_text(encoding="utf-8"))
    mine = next(one for one in documents if one["env_id"] == "env_1_rl")
    fresh = [{**mine, "task_id": f"fresh_{number}", "task": f"fresh {number}"} for number in range(many)]
    (place / "fresh.json").write_text(json.dumps(fresh), encoding="utf-8")
    found = import_upstream(None, [place / "fresh.json"], place / "generated_servers", place / "registry.json")
    return next(one for one in found.environments if one.id == "env_1_rl")


@pytest.mark.parametrize("name", ["notes.txt", "upstream.json", "environment.json", "states"])
def test_more_scenarios_bring_nothing_from_outside_into_a_folder(name: str, home: Home, tmp_path: Path) -> None:
    place = tmp_path / "home"
    shutil.copytree(home[0], place)
    folder, secret = place / "generated_servers" / "env_1_rl", tmp_path / "secret"
    if name == "notes.txt":
        secret.write_text("PRIVATE KEY", encoding="utf-8")
    else:
        (folder / name).rename(secret)
    (folder / name).symlink_to(secret)
    told = more_scenarios_into(place, 1)
    assert "is a link" in told.refused
    assert (folder / name).is_symlink()
    assert [one.name for one in folder.parent.iterdir() if one.name.startswith(".")] == []


def test_more_scenarios_leave_what_else_lies_in_a_folder(home: Home, tmp_path: Path) -> None:
    place = tmp_path / "home"
    shutil.copytree(home[0], place)
    folder = place / "generated_servers" / "env_1_rl"
    (folder / "notes" / "mine").mkdir(parents=True)
    (folder / "notes" / "mine" / "a.txt").write_text("mine", encoding="utf-8")
    told = more_scenarios_into(place, 1)
    assert (told.refused, told.added) == ("", True)
    assert (folder / "notes" / "mine" / "a.txt").read_text(encoding="utf-8") == "mine"
    assert len(load_scenarios(folder)) == 6
    assert [one.name for one in folder.parent.iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize("linked", ["generated_servers", "generated_servers/env_1_rl"])
def test_nothing_is_imported_through_a_link_of_a_home(linked: str, tmp_path: Path) -> None:
    victim, place = tmp_path / "victim", tmp_path / "home"
    victim.mkdir()
    (place / linked).parent.mkdir(parents=True)
    (place / linked).symlink_to(victim)
    found = import_into(place)
    assert next(one for one in found.environments if one.id == "env_1_rl").refused
    assert list(victim.iterdir()) == []
