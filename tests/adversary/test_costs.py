"""What a stranger's card, blueprint or task says costs little to work out, or is refused in words."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Environment, Scenario, State
from envscaler_mcp.dialects import Dialect, DialectName
from envscaler_mcp.dialects import dialect as dialects
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import BlueprintError, WorldError
from envscaler_mcp.farm.dialects import FarmDialects
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.pipeline.fresh_tasks import fresh_tasks
from envscaler_mcp.pipeline.proving import prove_folder
from envscaler_mcp.registry import read_registry
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.scenarios import Unproven, flow
from envscaler_mcp.scenarios.flow import StoryFlow
from envscaler_mcp.scoring.run_folder import read_trajectories
from envscaler_mcp.serving.shapes import AnswerShapes
from envscaler_mcp.serving.suggestion import nearest_name
from envscaler_mcp.serving.validation import compile_arguments
from envscaler_mcp.serving.world import open_world
from envscaler_mcp.stats.idle_clauses import clauses_in
from envscaler_mcp.stats.reading import Holding, holdings
from envscaler_mcp.trust import load_code
from tests.adversary.folders import GENUINE, ROOT, home_with
from tests.dialects.shipped import code_of

Card = dict[str, Any]


def seconds_of(does: Callable[[], object]) -> float:
    begin = time.process_time()
    does()
    return time.process_time() - begin


def word(chance: random.Random, length: int = 100) -> str:
    return "".join(chance.choice("ab") for _ in range(length))


def environment_of(tools: Mapping[str, Any], records: Mapping[str, str], data: Mapping[str, str]) -> Environment:
    """A shipped card that tells of these tools, by their schemas, and of these shapes."""
    card: Card = json.loads(code_of("animal_shelter").environment.to_text())
    card["tools"] = [
        {"name": name, "description": "", "effect": "reads", "input_schema": schema} for name, schema in tools.items()
    ]
    card["answers"] = {"records": records, "data": data}
    return Environment.model_validate_json(json.dumps(card))


# Names that are mistyped


def test_a_name_that_is_not_there_is_looked_for_in_a_moment_however_many_there_are() -> None:
    chance = random.Random(3)
    for many in (190, 4_000, 40_000):
        names = [word(chance) for _ in range(many)]
        assert seconds_of(lambda names=names: nearest_name(word(chance), names)) < 0.2  # type: ignore[misc]
    assert nearest_name("lend_book", ["list_books", "lend_books", "x" * 5_000]) == "lend_books"


def test_a_choice_that_is_not_there_costs_little_in_a_schema_of_many_branches() -> None:
    chance = random.Random(3)
    branches = [{"type": "string", "enum": [word(chance) for _ in range(60)]} for _ in range(70)]
    check = compile_arguments({"type": "object", "properties": {"kind": {"anyOf": branches}}})
    assert seconds_of(lambda: check({"kind": word(chance)})) < 0.2
    assert check({"kind": branches[-1]["enum"][0]}) is None


# Dialects


@pytest.mark.parametrize(
    ("tools", "records", "data", "why"),
    [
        ({f"t{n:x}": {"type": "object"} for n in range(1_000)}, {}, {}, "more than 200 tools"),
        ({"t": {"type": "object"}}, {f"_{n:x}": "{}" for n in range(8_000)}, {}, "more than 200 kinds of records"),
        ({"t": {"type": "object"}}, {"_" + "A" * 10_000: "{}"}, {}, "more than 200 letters"),
        ({"t": {"type": "object"}}, {"A": "{x: =" + "|".join(map(str, range(50_000))) + "}"}, {"t": "A"}, "pieces"),
    ],
)
def test_a_card_that_says_more_than_a_dialect_can_hold_has_none(
    tools: Card, records: dict[str, str], data: dict[str, str], why: str
) -> None:
    environment = environment_of(tools, records, data)
    for number in range(4):
        with pytest.raises(WorldError, match=why):
            Dialect(environment, DialectName(number))


@pytest.mark.parametrize(
    ("tools", "records", "data"),
    [
        (
            {f"t{n:x}": {"type": "object", "properties": {f"p{m:x}_a": {} for m in range(480)}} for n in range(20)},
            {},
            {},
        ),
        ({"t": {"type": "object"}}, {"A": "a" * 450_000}, {}),
        ({f"t{n:x}": {"type": "object"} for n in range(200)}, {"A" * 190 + f"{n:x}": "{}" for n in range(95)}, {}),
    ],
    ids=["arguments", "letters", "nouns"],
)
def test_a_dialect_of_a_large_card_is_made_in_a_moment(
    tools: Card, records: dict[str, str], data: dict[str, str]
) -> None:
    environment = environment_of(tools, records, data)
    for number in range(6):
        assert seconds_of(lambda number=number: Dialect(environment, DialectName(number))) < 1  # type: ignore[misc]


def test_the_options_of_a_shape_count_as_pieces() -> None:
    options = "|".join(map(str, range(10_000)))
    shapes = AnswerShapes({"A": f"{{x: ={options}}}"})
    for _ in range(3):
        shapes.schema("A")
    with pytest.raises(WorldError, match="pieces"):
        shapes.schema("A")


def test_requests_that_come_together_make_one_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    environment, farm, made, found = code_of("animal_shelter").environment, FarmDialects(), [], []
    really = dialects.Dialect._make

    def slowly(self: Dialect, environment: Environment, name: DialectName) -> None:
        made.append(name)
        time.sleep(0.1)
        really(self, environment, name)

    monkeypatch.setattr(dialects.Dialect, "_make", slowly)
    threads = [threading.Thread(target=lambda: found.append(farm.find(environment, "7"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 8
    assert len({*map(id, found)}) == 1


# Solutions that cannot be said


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one environment of which the first task has a solution that names a tool that is not there."""
    home = home_with(tmp_path / "home")
    file = home / "generated_servers" / GENUINE / "scenarios.jsonl"
    first, *others = file.read_text(encoding="utf-8").splitlines()
    task = json.loads(first)
    task["oracle"][0]["tool"] = "no_such_tool"
    file.write_text("".join(f"{line}\n" for line in (json.dumps(task), *others)), encoding="utf-8")
    return home


@pytest.mark.parametrize("agent", ["oracle", "noop"])
def test_a_solution_that_cannot_be_said_costs_its_own_episode_and_only_an_agent_that_is_given_it(
    home: Path, tmp_path: Path, agent: str
) -> None:
    with WorldHome.at(home / "generated_servers") as worlds:
        plan = plan_run(worlds, [GENUINE], RunConfig(agent=agent, dialect="11", each=3, max_steps=60))
        broken = next(iter(worlds.scenarios(GENUINE))).id
        tally = anyio.run(run_episodes, worlds, plan, agent_named(agent)[1], tmp_path / "run", 1, lambda *_: None)
    assert not tally.failed
    played = {record.scenario: record.verdict for record in read_trajectories(tmp_path / "run")}
    assert len(played) == 3
    unsaid = [scenario for scenario, verdict in played.items() if "cannot be said" in verdict.reason]
    assert unsaid == ([broken] if agent == "oracle" else [])
    if agent == "oracle":
        assert all(verdict.solved for scenario, verdict in played.items() if scenario != broken)


def test_a_gym_says_in_words_that_a_solution_cannot_be_said(home: Path) -> None:
    broken = tasks_of(home / "generated_servers" / GENUINE)[0].id
    unsaid = pytest.raises(WorldError, match="cannot be said in dialect 11")
    with rl.local(home) as gym, gym.open(broken, dialect="11") as episode, unsaid:
        episode.solution()


# Stories


COSTLY = "count(a for a in Patient for b in Patient for c in Patient for d in Patient for e in Patient if a.name != e.name) >= 0"


def _costly(text: str) -> str:
    plain = "- patient in Patient if stay_of(patient) is not None\n      - stay = stay_of(patient)\n      - bed = stay.bed\n      - why from block_bed"
    assert plain in text
    return text.replace(plain, plain.replace("is not None\n", f"is not None and {COSTLY}\n", 1), 1)


def holding_of(folder: Path, text: str) -> Holding:
    checked = check_blueprint(read_blueprint(text, "costly.yaml"))
    return Holding(Environment.read_in(folder, "environment.json"), folder, checked.sound(), checked.speech, ())


def tasks_of(folder: Path) -> list[Scenario]:
    return [Scenario.from_text(line, "task") for line in (folder / "scenarios.jsonl").read_text("utf-8").splitlines()]


def test_a_cast_that_looks_at_everything_again_and_again_is_followed_no_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flow, "SECONDS", 0.3)
    folder = ROOT / "generated_servers" / GENUINE
    code, text = load_code(folder), _costly((folder / "blueprint.yaml").read_text(encoding="utf-8"))
    holding, scenario = holding_of(folder, text), tasks_of(folder)[0]
    assert holding.model is not None
    assert seconds_of(lambda: clauses_in(holding, code, scenario)) < 3
    assert clauses_in(holding, code, scenario).total() == 0
    state = State.read_in(folder, f"states/{scenario.state}.json")
    effects = {tool.name: tool.effect for tool in code.environment.tools}
    endless = pytest.raises(Unproven, match="did not end")
    with closing(open_world(code, state.content, state.seed)) as world, endless:
        StoryFlow(scenario, holding.model, holding.speech, effects, world)


def test_no_start_state_that_fits_no_story_breaks_the_count_of_clauses(tmp_path: Path) -> None:
    folder = home_with(tmp_path / "home") / "generated_servers" / GENUINE
    code, holding = load_code(folder), holding_of(folder, (folder / "blueprint.yaml").read_text(encoding="utf-8"))
    for scenario in tasks_of(folder)[:2]:
        file = folder / "states" / f"{scenario.state}.json"
        before = file.read_text(encoding="utf-8")
        for container, records in json.loads(before)["content"].items():
            if not isinstance(records, dict) or container == "counters":
                continue
            references = {key for record in records.values() for key in record if key.endswith("_id")}
            for key in sorted(references):
                document = json.loads(before)
                for record in document["content"][container].values():
                    record[key] = ""
                state = State.from_text(json.dumps(document), "state")
                file.write_text(json.dumps(document), encoding="utf-8")
                clauses_in(holding, code, scenario.model_copy(update={"state_digest": state.digest}))
        file.write_text(before, encoding="utf-8")


# Blueprints beside a card that they did not make


def test_a_known_card_beside_another_blueprint_is_not_read_with_it(tmp_path: Path) -> None:
    folder = home_with(tmp_path / "home") / "generated_servers" / GENUINE
    assert load_code(folder).trusted
    blueprint = folder / "blueprint.yaml"
    blueprint.write_text(_costly(blueprint.read_text(encoding="utf-8")), encoding="utf-8")
    registry = read_registry(tmp_path / "home" / "registry.json")
    for reads in (prove_folder(folder), fresh_tasks(folder), holdings(registry.entries, folder.parent)):
        with pytest.raises(BlueprintError, match="is not the blueprint that 'hospital_stays' was made of"):
            next(reads)
