"""Any number of tasks by seed: equal seeds make equal ones, each is proven, and no split shares anything with another."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import anyio
import pytest

from envscaler_mcp.artifacts import FreshTask, Split
from envscaler_mcp.episode.agents import agent_named
from envscaler_mcp.errors import ArtifactError, GrowthError
from envscaler_mcp.export.episodes import export_run
from envscaler_mcp.export.filters import ExportFilter
from envscaler_mcp.export.formats import FORMATS
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.emission import emit_environments
from envscaler_mcp.pipeline.fresh_tasks import MadeTasks, RegisteredFolder, fresh_tasks, make_tasks, stream_of
from envscaler_mcp.runs import RunConfig, WorldHome, plan_run, run_episodes
from envscaler_mcp.runs.replaying import Replayed, replay_run
from envscaler_mcp.scenarios import Prover
from envscaler_mcp.scenarios.fresh import casts_of
from envscaler_mcp.scenarios.splits import environment_split, split_of_state
from envscaler_mcp.scoring.run_folder import read_places
from envscaler_mcp.scoring.task_file import TaskFile
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.serving.world import open_unread_world
from envscaler_mcp.trust import load_code

SERVERS = Path(__file__).parents[2] / "generated_servers"
BEES, LIFTS = SERVERS / "beekeeping", SERVERS / "lift_service"
MANY = 17
"""One more than one start state has."""


def first(many: int, folder: Path = BEES, seed: int = 3, split: Split = "train") -> list[FreshTask]:
    return list(islice(fresh_tasks(folder, seed=seed, split=split), many))


def made(
    out: Path, many: int = MANY, workers: int = 1, seed: int = 3, names: tuple[Path, ...] = (BEES,)
) -> list[MadeTasks]:
    places = [RegisteredFolder(folder) for folder in names]
    return make_tasks(places, stream_of(places, seed=seed), many, out, workers)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tasks") / "train.jsonl"
    (bees,) = made(out)
    assert (bees.made, bees.states, bees.missing) == (MANY, 2, {})
    return out


@pytest.fixture(scope="module")
def tasks(file: Path) -> tuple[FreshTask, ...]:
    return tuple(TaskFile.at(file))


@pytest.fixture(scope="module")
def again() -> list[FreshTask]:
    """The same and one more, made anew."""
    return first(MANY + 1)


# One stream


def test_equal_seeds_make_equal_tasks_and_other_seeds_others(
    tasks: tuple[FreshTask, ...], again: list[FreshTask]
) -> None:
    assert again[:MANY] == list(tasks)
    assert first(1, seed=4)[0].start.content != tasks[0].start.content


def test_each_task_is_proven_as_a_task_that_ships(tasks: tuple[FreshTask, ...]) -> None:
    code = load_code(BEES)
    checked = check_blueprint(read_blueprint((BEES / "blueprint.yaml").read_text(), "beekeeping.yaml"))
    for task in tasks[::5]:
        world = open_unread_world(code, task.start.content, task.start.seed)
        assert (
            Prover(task.scenario, checked.sound(), checked.speech, code.environment, world).prove()
            == task.scenario.proof
        )
        assert task.scenario.proof is not None
        assert task.scenario.proof.mutants
        assert task.scenario.state_digest == task.start.digest


def test_a_task_with_half_a_proof_says_so_and_can_be_solved() -> None:
    task = next(fresh_tasks(BEES, seed=3, proof="half"))
    proof = task.scenario.proof
    assert proof is not None
    assert (proof.extent, proof.oracle_reward, proof.do_nothing_reward, proof.mutants) == ("half", 1.0, 0.0, {})
    assert proof.flow
    assert '"extent":"half"' in task.to_line()


def test_a_task_counts_its_siblings_and_none_is_made_twice(tasks: tuple[FreshTask, ...]) -> None:
    seen: dict[str, int] = {}
    for task in tasks:
        assert task.sibling == seen.get(task.pattern, 0)
        seen[task.pattern] = task.sibling + 1
    assert len({(task.start.name, task.scenario.task) for task in tasks}) == len(tasks)


# Splits


def test_no_task_for_training_shares_a_state_or_a_cast_with_a_task_that_is_kept_for_tests(
    tasks: tuple[FreshTask, ...],
) -> None:
    shipped = [scenario for scenario in load_scenarios(BEES) if scenario.split != "train" and scenario.conversation]
    assert shipped
    reserved = {cast for scenario in shipped if scenario.conversation for cast in casts_of(scenario.conversation.goals)}
    for task in tasks:
        assert task.scenario.split == split_of_state(task.start.seed) == "train"
        assert task.scenario.conversation is not None
        assert reserved.isdisjoint(casts_of(task.scenario.conversation.goals))
    for_tests = first(2, split="held_out")
    assert {split_of_state(task.start.seed) for task in for_tests} == {"held_out"}
    assert {task.scenario.split for task in for_tests} == {"held_out"}
    states = {path.read_text() for path in (BEES / "states").iterdir()}
    assert not any(json.loads(text)["content"] == task.start.content for text in states for task in tasks)


def test_a_world_that_is_held_out_gives_no_task_for_training() -> None:
    held_out = next(name for name in blueprint_files() if environment_split(name) == "held_out")
    with pytest.raises(
        GrowthError, match=f"'{held_out}' is an environment of the split held_out: none of its tasks is for train"
    ):
        next(fresh_tasks(SERVERS / held_out))


# What cannot be made


def test_a_world_without_a_blueprint_is_told_what_makes_its_tasks(tmp_path: Path) -> None:
    folder = shutil.copytree(BEES, tmp_path / "beekeeping")
    (folder / "blueprint.yaml").unlink()
    with pytest.raises(GrowthError, match=r"has no blueprint.*envscaler scenarios beekeeping --seed N"):
        next(fresh_tasks(folder))


def test_code_that_this_installation_did_not_compile_does_not_run(tmp_path: Path) -> None:
    folder = shutil.copytree(BEES, tmp_path / "beekeeping")
    with (folder / "environment.py").open("a") as source:
        source.write("\nraise SystemExit\n")
    with pytest.raises(GrowthError, match="only that may run here"):
        next(fresh_tasks(folder))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a world of a single story, too few for tasks of level hard."""
    home = tmp_path_factory.mktemp("small")
    blueprint = home / "telescope_time.yaml"
    blueprint.write_text(one_story(blueprint_files()["telescope_time"].read_text(encoding="utf-8")), encoding="utf-8")
    emission = emit_environments([blueprint], home / "generated_servers", home / "registry.json")
    (built,) = emission.built
    assert "needs at least 2 stories, and this world has 1" in built.short["hard"]
    assert 0 < built.scenarios == built.shipped < 10
    return home


def one_story(text: str) -> str:
    """The blueprint with the first of its stories alone."""
    head, stories = re.sub(r"\n  themes:\n.*(?=\nstories:\n)", "", text, flags=re.DOTALL).split("\nstories:\n")
    first_story = re.split(r"\n(?=  \w)", stories)[0]
    return f"{head}\nstories:\n{first_story}\n"


def test_a_world_with_too_few_stories_is_built_with_the_levels_it_can_give(small: Path) -> None:
    levels = {scenario.level for scenario in load_scenarios(small / "generated_servers" / "telescope_time")}
    assert levels
    assert "hard" not in levels


def test_what_a_world_cannot_give_is_told_and_what_it_gave_is_in_the_file(small: Path, tmp_path: Path) -> None:
    place = RegisteredFolder(small / "generated_servers" / "telescope_time")
    (hard,) = make_tasks([place], stream_of([place], level="hard"), 5, tmp_path / "hard.jsonl")
    assert hard.made == 0
    assert "needs at least 2 stories" in hard.missing["hard"]
    (mixed,) = make_tasks([place], stream_of([place]), 5, tmp_path / "mixed.jsonl")
    assert mixed.made == 5 == len(list(TaskFile.at(tmp_path / "mixed.jsonl")))


def test_a_build_that_fails_leaves_no_registry(tmp_path: Path) -> None:
    blueprint = tmp_path / "beekeeping.yaml"
    blueprint.write_text("blueprint: 1\n", encoding="utf-8")
    emission = emit_environments([blueprint], tmp_path / "generated_servers", tmp_path / "registry.json")
    assert emission.failures
    assert not (tmp_path / "registry.json").exists()


# The file


@pytest.mark.parametrize("lost", [1, *(pytest.param(lost, marks=pytest.mark.slow) for lost in (30_000, 130_000))])
def test_a_file_that_was_cut_off_is_continued_to_the_same_bytes(file: Path, tmp_path: Path, lost: int) -> None:
    out = tmp_path / "train.jsonl"
    out.write_bytes(file.read_bytes()[:-lost])
    made(out)
    assert out.read_bytes() == file.read_bytes()


def test_more_tasks_are_added_to_a_file_and_those_it_holds_stay(
    file: Path, again: list[FreshTask], tmp_path: Path
) -> None:
    out = tmp_path / "train.jsonl"
    shutil.copyfile(file, out)
    (bees,) = made(out, MANY + 1)
    assert out.read_bytes().startswith(file.read_bytes())
    assert [task.scenario.id for task in TaskFile.at(out)] == [task.scenario.id for task in again]
    assert bees.made == MANY + 1


def test_a_state_is_written_once(file: Path) -> None:
    kinds = [json.loads(line)["kind"] for line in file.read_text().splitlines()]
    assert kinds == ["stream", "state", *["task"] * 16, "batch", "state", *["task"] * (MANY - 16), "batch"]


def test_a_file_of_another_stream_is_refused(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    shutil.copyfile(file, out)
    with pytest.raises(ArtifactError, match="with another seed"):
        made(out, seed=4)
    assert out.read_bytes() == file.read_bytes()


def test_damage_in_the_middle_of_a_file_is_told_with_its_line(file: Path, tmp_path: Path) -> None:
    lines = file.read_text().splitlines()
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("\n".join([*lines[:4], lines[4][:-9], *lines[5:], ""]))
    with pytest.raises(ArtifactError, match="line 5, is no line of a file of tasks"):
        TaskFile.at(damaged)


def test_a_task_whose_state_was_changed_is_refused(file: Path, tmp_path: Path) -> None:
    lines = file.read_text().splitlines()
    state = json.loads(lines[1])
    state["state"]["content"]["now"] = "2001-01-01T09:00"
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([lines[0], json.dumps(state), *lines[2:], ""]))
    with pytest.raises(ArtifactError, match="is not that of the task"):
        list(TaskFile.at(other))


def test_a_pipe_is_no_file_of_tasks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArtifactError, match="not a plain file"):
        TaskFile.at(tmp_path / "pipe")


# Runs


@pytest.fixture(scope="module")
def run(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An oracle's run of fresh tasks, whose file is gone afterwards."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    gone = folder.with_name("gone.jsonl")
    shutil.copyfile(file, gone)
    with WorldHome.at(SERVERS, tasks=TaskFile.at(gone)) as home:
        plan = plan_run(home, ("beekeeping",), RunConfig(agent="oracle", each=4))
        tally = anyio.run(run_episodes, home, plan, agent_named("oracle")[1], folder, 2, lambda *_: None)
    assert [attempt.reward for attempt in tally.done.values()] == [1.0] * 4
    gone.unlink()
    return folder


def test_a_run_of_fresh_tasks_is_replayed_from_its_own_folder(run: Path) -> None:
    plan, _, _, places = read_places(run)
    outcomes: list[Replayed] = []

    async def take(replayed: Replayed, *_: object) -> None:
        outcomes.append(replayed)

    with WorldHome.at(SERVERS, tasks=TaskFile.of_run(run)) as home:
        anyio.run(replay_run, home, plan, places, "direct", 1, take, lambda *_: None)
    assert [replayed.outcome for replayed in outcomes] == ["identical"] * 4


def test_a_run_of_fresh_tasks_is_exported(run: Path, tmp_path: Path) -> None:
    exported = export_run(run, SERVERS, FORMATS["trl"], ExportFilter(), tmp_path / "sft.jsonl")
    assert (exported.episodes, exported.removed["stale"]) == (4, 0)


def test_a_world_of_a_fresh_task_is_opened_by_its_id(tasks: tuple[FreshTask, ...], file: Path) -> None:
    with WorldHome.at(SERVERS, tasks=TaskFile.at(file)) as home:
        session = home.open("beekeeping", scenario=tasks[0].scenario.id)
        assert session.state() == tasks[0].start.content
        for call in tasks[0].scenario.oracle:
            session.world.call(call.tool, call.arguments)
        assert session.verify().reward == 1.0
        session.close()


def test_a_server_which_knows_its_folder_alone_opens_no_fresh_task(file: Path, tmp_path: Path) -> None:
    with WorldHome.at(SERVERS, tasks=TaskFile.at(file)) as home:
        plan = plan_run(home, ("beekeeping",), RunConfig(agent="oracle", each=1, via="stdio"))
        tally = anyio.run(run_episodes, home, plan, agent_named("oracle")[1], tmp_path / "run", 1, lambda *_: None)
    assert ["use --via direct or worker" in attempt.reason for attempt in tally.failed.values()] == [True]


# In several processes


@pytest.mark.slow
def test_any_number_of_workers_writes_the_same_bytes(tmp_path: Path) -> None:
    made(tmp_path / "one.jsonl", 40, 1, names=(BEES, LIFTS))
    made(tmp_path / "three.jsonl", 40, 3, names=(BEES, LIFTS))
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "three.jsonl").read_bytes()


def trained_on() -> Iterator[Path]:
    for name in sorted(blueprint_files()):
        if environment_split(name) == "train":
            yield SERVERS / name


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_worlds_give_thirty_tasks_each(tmp_path: Path) -> None:
    worlds = made(tmp_path / "tasks.jsonl", 30, 2, names=tuple(list(trained_on())[::16][:10]))
    assert {world.environment: world.missing for world in worlds if world.made < 30} == {}


@pytest.mark.slow
def test_a_build_gives_as_many_scenarios_as_are_asked_for(tmp_path: Path) -> None:
    blueprint = blueprint_files()["beekeeping"]
    emission = emit_environments([blueprint], tmp_path / "generated_servers", tmp_path / "registry.json", many=120)
    (built,) = emission.built
    assert (built.shipped, built.scenarios, built.short) == (10, 120, {})
    assert len(load_scenarios(tmp_path / "generated_servers" / "beekeeping")) == 120


@pytest.mark.slow
def test_a_build_that_is_asked_for_more_scenarios_than_a_world_has_keeps_those_that_it_could_prove(
    small: Path, tmp_path: Path
) -> None:
    blueprint = small / "telescope_time.yaml"
    emission = emit_environments([blueprint], tmp_path / "generated_servers", tmp_path / "registry.json", many=200)
    (built,) = emission.built
    assert "hard" in built.short
    assert 20 < built.scenarios < 200
    assert len(load_scenarios(tmp_path / "generated_servers" / "telescope_time")) == built.scenarios
