"""BFCL, where its files are: the same tasks, results and verdicts as its authors' own code has."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from anyio.from_thread import start_blocking_portal
from typer.testing import CliRunner

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Call, Trajectory, Verdict
from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.agent import Action
from envscaler_mcp.official.benchmark import BENCHMARKS, Benchmark, OfficialTask
from envscaler_mcp.official.bfcl.benchmark import RELEASED
from envscaler_mcp.official.scripted import reference_fixture, replay_fixtures
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.llm.endpoint import Asked, Reply, Say, scripted_endpoint

pytestmark = pytest.mark.official
RUNNER = Path(__file__).with_name("official_runner.py")
WRITER = Path(__file__).with_name("official_writer.py")
PLAYED = 40


@pytest.fixture(params=["bfcl-v3", "bfcl-v4"], scope="module")
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    benchmark: Benchmark = BENCHMARKS[request.param]
    try:
        find(benchmark.requirement)
    except OfficialFilesError as missing:
        pytest.skip(str(missing))
    with Stage.of(benchmark) as opened:
        yield opened


def test_each_edition_has_four_categories_of_200_tasks(stage: Stage) -> None:
    categories = [task.category for task in stage.tasks.values()]
    assert [(name, categories.count(name)) for name in stage.benchmark.categories] == [
        (name, 200) for name in ("base", "miss_func", "miss_param", "long_context")
    ]


@pytest.mark.timeout(900)
async def test_every_reference_is_right_when_it_is_played_through_the_protocol(stage: Stage) -> None:
    wrong: list[str] = []
    fixtures = [reference_fixture(task) for task in stage.tasks.values()]
    random.Random(5).shuffle(fixtures)

    def take(replayed: Any) -> None:
        wrong.extend([replayed.fixture.task] if replayed.differences else [])

    await replay_fixtures(stage, fixtures, 4, take, lambda *_: None)
    # Its reference has a turn more than its questions; no model can pass it.
    assert wrong == (["multi_turn_base_154"] if stage.benchmark.name == "bfcl-v3" else [])


class Playing:
    """A model that knows the references of some tasks, and now and then does not."""

    def __init__(self, stage: Stage, seed: int) -> None:
        chance = random.Random(seed)
        self.tasks: dict[str, tuple[OfficialTask, list[list[list[Call]]]]] = {}
        for task in chance.sample(sorted(stage.tasks.values(), key=lambda task: task.id), 3 * PLAYED):
            # A task is known by what its user says first.
            first = task.content["question"][0][0]["content"]
            if first not in self.tasks and len(self.tasks) < PLAYED:
                self.tasks[first] = task, [[spoiled(step, chance) for step in turn] for turn in task.reference]

    def answer(self, asked: Asked) -> Reply:
        messages = asked["messages"]
        _, turns = self.tasks[messages[0]["content"]]
        turn = sum(message["role"] == "user" for message in messages) - 1
        last = max(place for place, message in enumerate(messages) if message["role"] == "user")
        step = sum(message["role"] == "assistant" for message in messages[last:])
        if turn >= len(turns) or step >= len(turns[turn]):
            return Say("That is done." if step else "")
        calls = turns[turn][step]
        return Say(None, finish="tool_calls", tool_calls=[(call.tool, json.dumps(call.arguments)) for call in calls])


def spoiled(step: tuple[Call, ...], chance: random.Random) -> list[Call]:
    """The step, or something that models do in its place."""
    first, *rest = step
    match chance.randrange(16):
        case 0:
            return [Call(tool="look_it_up", arguments={"what": "all"}), *step]
        case 1:
            return [Call(tool=first.tool, arguments={**first.arguments, "extra": None}), *rest]
        case 2:
            return [*step, *step]
        case 3:
            return [Call(tool=first.tool, arguments={name: f"{value} é" for name, value in first.arguments.items()})]
        case _:
            return list(step)


def result_of(record: Trajectory) -> list[Any]:
    """What an official run would have stored of the same messages."""
    turns: list[Any] = []
    for message in record.messages[1:]:
        if message["role"] == "user" and message["content"] != "###STOP###":
            turns.append([])
        elif message["role"] == "assistant":
            calls = [call["function"] for call in message.get("tool_calls", ())]
            step = [{call["name"]: call["arguments"]} for call in calls]
            # Without a call, handlers store the text, which no decoder takes for calls.
            turns[-1].append(step or message["content"])
    return turns


@pytest.mark.timeout(600)
async def test_verdicts_on_a_model_over_http_are_those_of_the_official_runner(stage: Stage, tmp_path: Path) -> None:
    name, run = stage.benchmark.name, tmp_path / "run"
    model = Playing(stage, seed=11)
    chosen = [word for task, _ in model.tasks.values() for word in ("--task", task.id)]
    async with scripted_endpoint(model.answer) as place:
        words = ["bench", "run", name, "--agent", "openai:m", "--parallel", "4", "--out", str(run), *chosen]
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        ran = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, words, env=variables))
    assert ran.exit_code == 0, ran.output
    records = list(read_trajectories(run))
    assert len(records) == PLAYED
    lines = []
    for record in records:
        task = stage.tasks[record.scenario]
        content = {key: value for key, value in task.content.items() if key != "documents"}
        lines.append(json.dumps({**content, **task.answers, "result": result_of(record)}))
    results, out = tmp_path / "results.jsonl", tmp_path / "verdicts.json"
    results.write_text("\n".join(lines), encoding="utf-8")
    roots = os.pathsep.join(str(root) for root in stage.source.roots[:1])
    variables = {
        "PYTHONPATH": roots,
        "PYTHONHASHSEED": "0",
        "TZ": "UTC",
        "BFCL_PROJECT_ROOT": str(tmp_path / "project"),
    }
    await anyio.run_process([sys.executable, "-s", str(RUNNER), str(results), str(out)], env=variables)
    official = json.loads(out.read_text(encoding="utf-8"))
    own = [[record.verdict.solved, record.verdict.reason.partition(": ")[0] or None] for record in records]
    assert own == official
    assert 0 < sum(valid for valid, _ in official) < PLAYED


class Writing:
    """A model that writes its calls, in all the ways in which models do."""

    def __init__(self, stage: Stage, seed: int) -> None:
        chance = random.Random(seed)
        self.tasks: dict[str, tuple[OfficialTask, list[str]]] = {}
        self.asked: dict[str, list[Any]] = {}
        for task in chance.sample(sorted(stage.tasks.values(), key=lambda task: task.id), 3 * PLAYED):
            first = task.content["question"][0][0]["content"]
            if first not in self.tasks and len(self.tasks) < PLAYED:
                self.tasks[first] = task, list(self._texts(task, chance))

    def _texts(self, task: OfficialTask, chance: random.Random) -> Iterator[str]:
        for turn in task.reference:
            for step in turn:
                calls = ", ".join(written(call) for call in step)
                match chance.randrange(24):
                    case 0:
                        yield "[look_it_up(what='all')]"
                        yield f"[{calls}]"
                    case 1:
                        yield f"```\n[{calls}]\n```"
                    case 2:
                        yield calls
                    case 3:
                        yield f"[{calls}, {calls}]"
                    case 4:
                        yield "[TravelAPI.get_flight_cost(travel_from='A'), ls('x', a=True), mean(numbers=(1, 2 * 3))]"
                        yield f" [{calls}]\n"
                    case 5:
                        yield chance.choice([f"I call [{calls}]", "[]", f"[{calls}"])
                    case _:
                        yield f"[{calls}]"
            yield chance.choice(["That is done.", "It's done", "I cannot do that [yet]."])

    def answer(self, asked: Asked) -> Reply:
        assert "tools" not in asked
        messages = asked["messages"]
        task, texts = self.tasks[messages[1]["content"]]
        self.asked.setdefault(task.id, []).append(messages)
        said = sum(message["role"] == "assistant" for message in messages)
        return Say(texts[said] if said < len(texts) else "I am finished.")


def written(call: Call) -> str:
    return f"{call.tool}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [1, 2])
async def test_models_that_write_calls_are_asked_and_judged_as_in_the_official_runner(
    stage: Stage, tmp_path: Path, seed: int
) -> None:
    run, model = tmp_path / "run", Writing(stage, seed)
    chosen = [word for task, _ in model.tasks.values() for word in ("--task", task.id)]
    async with scripted_endpoint(model.answer) as place:
        words = ["bench", "run", stage.benchmark.name, "--agent", "openai:m", "--calls", "written", "--parallel", "4"]
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        given = [*words, "--out", str(run), *chosen]
        ran = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, given, env=variables))
    assert ran.exit_code == 0, ran.output
    records = list(read_trajectories(run))
    assert len(records) == PLAYED
    texts = {task.id: texts for task, texts in model.tasks.values()}
    lines = []
    for record in records:
        task = stage.tasks[record.scenario]
        content = {key: value for key, value in task.content.items() if key != "documents"}
        lines.append(json.dumps({**content, **task.answers, "texts": texts[task.id]}))
    episodes, out = tmp_path / "episodes.jsonl", tmp_path / "told.json"
    episodes.write_text("\n".join(lines), encoding="utf-8")
    roots = os.pathsep.join(str(root) for root in stage.source.roots[:1])
    variables = {"PYTHONPATH": roots, "PYTHONHASHSEED": "0", "TZ": "UTC", "BFCL_PROJECT_ROOT": str(tmp_path / "p")}
    await anyio.run_process([sys.executable, "-s", str(WRITER), str(episodes), str(out)], env=variables)
    official = json.loads(out.read_text(encoding="utf-8"))
    for record, (valid, error, asked) in zip(records, official, strict=True):
        for own_request, request in zip(model.asked[record.scenario], asked, strict=True):
            assert own_request == request, record.scenario
        assert [record.verdict.solved, record.verdict.reason.partition(": ")[0] or None] == [valid, error]
        assert not record.verdict.masked
    assert 0 < sum(valid for valid, *_ in official) < PLAYED


async def test_released_tools_come_with_the_official_sentence(stage: Stage, tmp_path: Path) -> None:
    task = next(task for task in stage.tasks.values() if "0" not in task.content.get("missed_function", {"0": 0}))
    asked_for: list[Asked] = []

    def answer(asked: Asked) -> Reply:
        asked_for.append(asked)
        return Say("I cannot.")

    async with scripted_endpoint(answer) as place:
        words = ["bench", "run", stage.benchmark.name, "--agent", "openai:m", "--task", task.id, "--out", str(tmp_path)]
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, words, env=variables))
    (turn, names), *_ = task.content["missed_function"].items()
    before, after = ([tool["function"]["name"] for tool in asked_for[at]["tools"]] for at in (0, int(turn)))
    assert not set(names) & set(before)
    assert set(names) <= set(after)
    assert asked_for[int(turn)]["messages"][-1]["content"] == RELEASED
    hint = " Note that the provided function is in Python 3 syntax."
    assert all(hint in tool["function"]["description"] for tool in asked_for[0]["tools"])


def judged_after(gym: rl.BenchmarkGym, task: str, calls: list[tuple[str, dict[str, Any]]]) -> tuple[list[str], Verdict]:
    """What the calls are answered, each alone in its turn, and what they are worth."""
    answers: list[str] = []
    with gym.open(task) as episode:
        for name, arguments in calls:
            answers.append(str(episode.call(name, arguments)))
        while not episode.done:
            episode.say("done")
        return answers, episode.verify()


def test_nothing_is_evaluated_but_methods_of_the_tasks_classes(stage: Stage) -> None:
    code = "import sys; sys.modules['bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker'].state_checker = None"
    own = {
        "func_call_list": [f"exec({code!r})"],
        "initial_config": {},
        "involved_classes": [],
        "model_name": "x",
        "test_entry_id": "y",
    }
    calls: list[tuple[str, dict[str, Any]]] = [
        ("execute_multi_turn_func_call", own),
        ("ｅxecute_multi_turn_func_call", own),
        ("_process_method_calls", {"function_call_string": "ls()", "instance_mapping": {}}),
        ("_load_scenario", {"scenario": {}}),
        ("pow", {"base": 9, "exp": 900_000_000}),
        *(
            (name, {})
            for name in ("breakpoint", "globals", "input", "lambda", "not", "exit", "importlib", "STATELESS_CLASSES")
        ),
    ]
    with start_blocking_portal() as portal:
        gym = rl.BenchmarkGym(stage, portal)
        answers, verdict = judged_after(gym, "multi_turn_base_0", calls)
    assert answers == [f"Error during execution: name {name!r} is not defined" for name, _ in calls]
    assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False)


def test_what_official_parsers_evaluate_opens_no_file(stage: Stage) -> None:
    with start_blocking_portal() as portal:
        gym = rl.BenchmarkGym(stage, portal, calls="written")
        with gym.open("multi_turn_base_0") as episode:
            assert "[func_name1(" in episode.messages[0]["content"]
            said = episode.act({"role": "assistant", "content": "[cd(folder=open('/etc/passwd').read() + 'x')]"})
            # It cannot be read as a call, so the turn is over.
            second = stage.tasks["multi_turn_base_0"].content["question"][1]
            assert str(said) == "\n".join(each["content"] for each in second)
            assert episode.messages[-1] == {"role": "user", "content": str(said)}


def test_a_process_that_official_parsers_are_made_to_start_is_the_agents_failure(stage: Stage) -> None:
    with start_blocking_portal() as portal:
        gym = rl.BenchmarkGym(stage, portal, calls="written")
        with gym.open("multi_turn_base_0") as episode:
            content = "[cd(folder=__import__('os').popen('id').read() + 'x')]"
            assert "uid" not in str(episode.act({"role": "assistant", "content": content}))
            verdict = episode.verify()
    assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False)


def test_a_method_that_is_not_listed_is_called_all_the_same(stage: Stage) -> None:
    task = next(task for task in stage.tasks.values() if "0" not in task.content.get("missed_function", {"0": 0}))
    withheld = {name for names in task.content["missed_function"].values() for name in names}
    with start_blocking_portal() as portal, rl.BenchmarkGym(stage, portal).open(task.id) as episode:
        assert not withheld & {tool["function"]["name"] for tool in episode.tools}
        for name in withheld:
            assert "is not defined" not in str(episode.call(name, {}))


def test_folders_in_folders_without_end_are_the_agents_failure(stage: Stage) -> None:
    deeper = [call for _ in range(9) for call in (("mkdir", {"dir_name": "d"}), ("cd", {"folder": "d"}))]
    many = Action(more=tuple(Call(tool=name, arguments=given) for name, given in deeper * 50))
    with start_blocking_portal() as portal, rl.BenchmarkGym(stage, portal).open("multi_turn_base_0") as episode:
        episode.act(many)
        while not episode.done:
            episode.say("done")
        verdict = episode.verify()
    assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False), verdict


def test_the_files_of_one_edition_are_refused_as_those_of_the_other(stage: Stage) -> None:
    (other,) = {"bfcl-v3", "bfcl-v4"} - {stage.benchmark.name}
    with pytest.raises(OfficialFilesError, match="Get it with"):
        find(BENCHMARKS[other].requirement, stage.source.roots[0])
