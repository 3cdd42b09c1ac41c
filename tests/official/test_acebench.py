"""ACEBench-Agent, where its files are: the same tasks, results and scores as its authors' own code has."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Call, Step, Trajectory
from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.studio_agents import StudioModel
from envscaler_mcp.llm import Endpoint, ModelParams
from envscaler_mcp.official.ace.texts import message_of
from envscaler_mcp.official.ace.writing import FINISHED
from envscaler_mcp.official.benchmark import BENCHMARKS, OfficialTask
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment
from envscaler_mcp.official.scripted import play_scripted, reference_fixture
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.llm.endpoint import Asked, Reply, Say, scripted_endpoint
from tests.studio.visitors import studio

pytestmark = pytest.mark.official
RUNNER = Path(__file__).with_name("ace_runner.py")
CATEGORIES = ("en_multi_step", "en_multi_turn", "zh_multi_step", "zh_multi_turn")
UNREACHABLE = {f"{language}_agent_multi_step_{number}" for language in ("en", "zh") for number in (0, 1)}
"""Their reference forgets a reminder that is there at the start, in a class that is misspelt."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    benchmark = BENCHMARKS["acebench"]
    try:
        find(benchmark.requirement)
    except OfficialFilesError as missing:
        pytest.skip(str(missing))
    with Stage.of(benchmark) as opened:
        yield opened


def test_each_language_has_20_tasks_without_a_user_and_30_with_one(stage: Stage) -> None:
    categories = [task.category for task in stage.tasks.values()]
    assert [categories.count(name) for name in CATEGORIES] == [20, 30, 20, 30]
    assert stage.benchmark.default_categories == CATEGORIES[:2]


async def test_the_texts_and_tools_that_homes_are_compared_with_are_those_of_the_world(stage: Stage) -> None:
    task = stage.tasks["en_agent_multi_turn_0"]
    assert task.texts == (task.content["question"],)
    async with stage.world(task) as world:
        assert sorted(name for name, _ in task.documents) == sorted(world.tools)


async def test_the_studio_has_a_conversation_where_a_task_has_a_user(stage: Stage) -> None:
    def answer(asked: Asked) -> Reply:
        return Say(f"{FINISHED}." if len(asked["messages"]) > 2 else "Please log in.")

    opener = BenchmarkOpener("ace", lambda: BenchmarkEnvironment(stage))
    async with scripted_endpoint(answer) as place:
        endpoint = Endpoint(api_key=SecretStr("key"), base_url=place.url)
        user = StudioModel("openai:u", endpoint, ModelParams(model="u"))
        async with studio(benchmarks={"acebench": opener}, studio_user=user) as (_, owner):
            alone = await owner.opened(environment="acebench", scenario="en_agent_multi_step_0")
            assert not (await owner.get(f"{alone}/checks"))["official"]["talks"]
            path = await owner.opened(environment="acebench", scenario="en_agent_multi_turn_0")
            assert (await owner.ask("POST", f"{path}/say", {}))["reply"] == "Please log in."
            await owner.call(path, "login_device")
            said = await owner.ask("POST", f"{path}/say", {"text": "You are logged in."})
            assert said == {"after": 1, "text": "You are logged in.", "reply": f"{FINISHED}."}
            assert (await owner.get(f"{path}/checks"))["official"]["over"]
            judged = await owner.ask("POST", f"{path}/judge", {})
    assert not judged["verdict"]["masked"]
    assert stage.tasks["en_agent_multi_turn_0"].content["question"] in place.requests[0]["messages"][0]["content"]


async def test_the_state_of_every_reference_is_reached_through_the_protocol(stage: Stage) -> None:
    lax: set[str] = set()
    for task in stage.tasks.values():
        judged = await play_scripted(stage, task, reference_fixture(task))
        assert (judged.official["end_to_end"], judged.official["process"]) == (1.0, 1.0), task.id
        assert judged.official["differing"] == 0
        lax |= set() if judged.official["strict"] else {task.id}
    assert lax == UNREACHABLE


def test_calls_are_written_as_the_official_milestones_write_them() -> None:
    calls = [("send", {"to": "Eve", "text": "Don't", "times": 2, "items": [{"product": "tea"}]})]
    written = """[send(to='Eve', text='Don't', times=2, items=[{'product': 'tea'}])]"""
    assert message_of("", calls) == written
    own = """[send(to="Eve", text="Don't", times=2, items=[{"product": "tea"}])] """
    assert message_of(own, calls) == own
    assert message_of("[send(to='Frank')]", calls) == written
    assert message_of("[send(", calls) == written


class Playing:
    """A model of agents and of users. The user says the whole question; the agent knows the solution, and errs now and then."""

    def __init__(self, stage: Stage, category: str, seed: int) -> None:
        chance = random.Random(seed)
        self.tasks: dict[str, tuple[OfficialTask, list[list[Call]]]] = {}
        for task in stage.tasks.values():
            if task.category == category and task.content["question"] not in self.tasks:
                steps = [call for step in task.reference[0] for call in spoiled(step[0], chance)]
                self.tasks[task.content["question"]] = task, [[call] for call in steps]

    def answer(self, asked: Asked) -> Reply:
        messages = asked["messages"]
        return self._agent(messages) if asked.get("tools") else self._user(messages)

    def _user(self, messages: list[dict[str, Any]]) -> Reply:
        question = next(question for question in self.tasks if question in messages[0]["content"])
        heard = len(messages) - 2
        if heard == 0:
            return Say(question)
        goes_on = random.Random(f"{question} {heard}").random() < 0.4
        return Say(f"Go on. {heard}" if goes_on else FINISHED)

    def _agent(self, messages: list[dict[str, Any]]) -> Reply:
        _, steps = self.tasks[messages[1]["content"]]
        made = sum(message["role"] == "assistant" for message in messages)
        if made >= len(steps):
            return Say(FINISHED if made % 2 else "What else is there?")
        calls = [(call.tool, json.dumps(call.arguments)) for call in steps[made]]
        return Say(None, finish="tool_calls", tool_calls=calls)


def spoiled(call: Call, chance: random.Random) -> list[Call]:
    """The call, or something that models do in its place."""
    match chance.randrange(14):
        case 0:
            return [Call(tool="look_it_up", arguments={"what": "all"}), call]
        case 1:
            return [Call(tool=call.tool, arguments={**call.arguments, "extra": None}), call]
        case 2:
            return [call, call]
        case 3:
            return [Call(tool=call.tool, arguments={name: f"{value} é" for name, value in call.arguments.items()})]
        case _:
            return [call]


def episode_of(stage: Stage, record: Trajectory) -> dict[str, Any]:
    """What the models said, for the official runner, in which an agent writes its calls."""
    task = stage.tasks[record.scenario]
    agent: list[str] = []
    process: list[str] = []
    user = [str(record.messages[1]["content"])]
    for _, group in groupby(record.steps, key=lambda step: step.turn):
        move: list[Step] = list(group)
        if is_call(move[0]):
            calls = [(step.tool, step.arguments) for step in move]
            named = [", ".join(f"{key}={value!r}" for key, value in given.items()) for _, given in calls]
            agent.append(f"[{', '.join(f'{tool}({given})' for (tool, _), given in zip(calls, named, strict=True))}]")
            process.append(message_of("", calls))
        else:
            agent.append(move[0].text)
            user.append(move[0].observation)
    answer = {"ground_truth": task.answers["ground_truth"], "mile_stone": task.answers["mile_stone"]}
    language = task.content["language"]
    return {
        "entry": dict(task.content),
        "language": language,
        "answer": answer,
        "agent": agent,
        "user": user,
        "process": process,
    }


class Writing:
    """A model whose agent writes calls, in all the ways in which models do; the user says the whole question."""

    def __init__(self, stage: Stage, category: str, seed: int) -> None:
        chance = random.Random(seed)
        self._alone = category.endswith("step")
        self.tasks: dict[str, tuple[OfficialTask, list[str]]] = {}
        self.asked: dict[str, list[Any]] = {}
        for task in stage.tasks.values():
            if task.category == category and task.content["question"] not in self.tasks:
                calls = [call for step in task.reference[0] for call in step]
                self.tasks[task.content["question"]] = task, [*self._texts(calls, chance), FINISHED, FINISHED]

    def _texts(self, calls: list[Call], chance: random.Random) -> Iterator[str]:
        rest = list(calls)
        while rest:
            first = written(rest.pop(0))
            match chance.randrange(20):
                case 0:
                    yield chance.choice(["Done", "[Done]", "[]", "", "5", FINISHED, "What else? [No.]"])
                    yield f"[{first}]"
                case 1:
                    yield f" [{first}]"
                case 2:
                    yield first
                case 3:
                    yield f"Sure: [{first}]"
                    yield f"[{first}]"
                case 4:
                    yield f"[{first}"
                # Officially the answers of several calls are written down when all were made, which shows in records of flights.
                case 5 if rest and "reserve" not in rest[0].tool:
                    yield f"[{first}, {written(rest.pop(0))}]"
                case 6:
                    yield "[look_it_up(what='all')]"
                    yield f"[{first}]"
                case 7:
                    yield "[delete_message(message_id=2 * 50)]"
                    yield f"[{first}]"
                case 8:
                    yield "[login_food_platform('Eve', password=Eve)]"
                    yield f"[{first}]\n"
                case 9:
                    yield first.replace("='", '="').replace("',", '",').replace("')", '")')
                case _:
                    yield f"[{first}]"

    def answer(self, asked: Asked) -> Reply:
        assert "tools" not in asked
        messages = asked["messages"]
        if "[ApiName(" not in messages[0]["content"]:
            return self._user(messages)
        question = next(question for question in self.tasks if f"user:{question}\n" in messages[1]["content"])
        requests = self.asked.setdefault(self.tasks[question][0].id, [])
        requests.append(messages)
        texts = self.tasks[question][1]
        return Say(texts[len(requests) - 1] if len(requests) <= len(texts) else FINISHED)

    def _user(self, messages: list[dict[str, Any]]) -> Reply:
        # Some questions are the beginning of others.
        question = max((question for question in self.tasks if question in messages[0]["content"]), key=len)
        heard = len(messages) - 2
        return Say(question if heard == 0 else f"Go on. {heard}")


def written(call: Call) -> str:
    return f"{call.tool}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("category", CATEGORIES)
async def test_agents_that_write_calls_are_asked_and_scored_as_in_the_official_runner(
    stage: Stage, tmp_path: Path, category: str, seed: int
) -> None:
    run = tmp_path / "run"
    model = Writing(stage, category, seed)
    async with scripted_endpoint(model.answer) as place:
        words = ["bench", "run", "acebench", "--agent", "openai:m", "--user", "openai:u", "--calls", "written"]
        chosen = [word for task, _ in model.tasks.values() for word in ("--task", task.id)]
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        given = [*words, "--parallel", "4", "--out", str(run), *chosen]
        ran = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, given, env=variables))
    assert ran.exit_code == 0, ran.output
    records = list(read_trajectories(run))
    told = await told_by_official(stage, tmp_path, [spoken_in(stage, model, record) for record in records])
    for record, official in zip(records, told, strict=True):
        for own_request, request in zip(model.asked[record.scenario], official["asked"], strict=True):
            assert own_request == request, record.scenario
        own = [record.verdict.reward, record.verdict.figures["process"]]
        assert own == official["scores"], (record.scenario, [(step.text, step.observation) for step in record.steps])
        assert not record.verdict.masked
    assert 0 < sum(record.verdict.solved for record in records) < len(records)
    replayed = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, ["runs", "replay", str(run)]))
    assert replayed.exit_code == 0, replayed.output


def spoken_in(stage: Stage, model: Writing, record: Trajectory) -> dict[str, Any]:
    """What was said, for the official runner."""
    task = stage.tasks[record.scenario]
    _, texts = model.tasks[task.content["question"]]
    words = [step.observation for step in record.steps if not is_call(step) and step.observation != "[]"]
    return {
        "entry": dict(task.content),
        "language": task.content["language"],
        "answer": {"ground_truth": task.answers["ground_truth"], "mile_stone": task.answers["mile_stone"]},
        "agent": [*texts, *[FINISHED] * 20],
        "user": [str(record.messages[1]["content"]), *words],
        "process": None,
    }


async def told_by_official(stage: Stage, folder: Path, episodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the official runner says of what models have said."""
    lines, out = folder / "episodes.jsonl", folder / "told.json"
    lines.write_text("\n".join(map(json.dumps, episodes)), encoding="utf-8")
    for language in ("en", "zh"):
        for number in range(len(episodes)):
            (folder / "score_all" / f"score_{language}" / f"gpt-{number}").mkdir(parents=True)
    roots = os.pathsep.join(str(root) for root in stage.source.roots[:1])
    variables = {"PYTHONPATH": roots, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    await anyio.run_process([sys.executable, "-s", str(RUNNER), str(lines), str(out)], env=variables, cwd=folder)
    told: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
    return told


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [7, 8, 9])
@pytest.mark.parametrize("category", CATEGORIES)
async def test_scores_of_models_over_http_are_those_of_the_official_runner(
    stage: Stage, tmp_path: Path, category: str, seed: int
) -> None:
    run = tmp_path / "run"
    model = Playing(stage, category, seed)
    async with scripted_endpoint(model.answer) as place:
        words = ["bench", "run", "acebench", "--agent", "openai:m", "--user", "openai:u", "--parallel", "4"]
        chosen = [word for task, _ in model.tasks.values() for word in ("--task", task.id)]
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        given = [*words, "--out", str(run), *chosen]
        ran = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, given, env=variables))
    assert ran.exit_code == 0, ran.output
    records = list(read_trajectories(run))
    assert len(records) == len(model.tasks)
    official = [
        each["scores"]
        for each in await told_by_official(stage, tmp_path, [episode_of(stage, record) for record in records])
    ]
    own = [[record.verdict.reward, record.verdict.figures["process"]] for record in records]
    assert own == official
    assert 0 < sum(end_to_end for end_to_end, _ in official) < len(records)
    reported = CliRunner().invoke(app, ["bench", "report", str(run)], env={"COLUMNS": "200"})
    assert (f"{run}: process " in reported.output) == category.startswith("en_"), reported.output
    replayed = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, ["runs", "replay", str(run)]))
    assert replayed.exit_code == 0, replayed.output


async def test_a_move_that_ends_an_episode_does_not_end_it_at_once(stage: Stage) -> None:
    task = stage.tasks["en_agent_multi_step_0"]
    fixture = reference_fixture(task)
    judged = await play_scripted(
        stage, task, type(fixture)(task.id, "said first", ((), *fixture.turns), (FINISHED, FINISHED))
    )
    first, *_, last = judged.record.steps
    assert (first.text, first.observation) == (
        FINISHED,
        "Please do not ask me any questions, use the known conditions to solve the problem",
    )
    assert (judged.record.ended, last.text, judged.verdict.solved) == ("completed", FINISHED, True)
