"""tau-bench, where its files are: the same tasks, results and rewards as its authors' own code has."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from anyio.from_thread import start_blocking_portal
from pydantic import SecretStr
from typer.testing import CliRunner

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Call, Step, Trajectory
from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.transcript import is_call
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.studio_agents import StudioModel
from envscaler_mcp.llm import Endpoint, ModelParams
from envscaler_mcp.official.benchmark import BENCHMARKS, Benchmark, OfficialTask
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment
from envscaler_mcp.official.own_farm import at_a_farm
from envscaler_mcp.official.scripted import play_scripted, reference_fixture
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.official.tau.benchmark import STRATEGIES
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.llm.endpoint import Asked, Reply, Say, scripted_endpoint
from tests.studio.visitors import studio

pytestmark = pytest.mark.official
RUNNER = Path(__file__).with_name("tau_runner.py")
PLAYED = 40


@pytest.fixture(params=["tau-retail", "tau-airline"], scope="module")
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    benchmark: Benchmark = BENCHMARKS[request.param]
    try:
        find(benchmark.requirement)
    except OfficialFilesError as missing:
        pytest.skip(str(missing))
    with Stage.of(benchmark) as opened:
        yield opened


def test_the_official_splits_have_their_tasks(stage: Stage) -> None:
    categories = [task.category for task in stage.tasks.values()]
    splits = {"tau-retail": {"test": 115, "dev": 20, "train": 500}, "tau-airline": {"test": 50}}
    assert {name: categories.count(name) for name in stage.benchmark.categories} == splits[stage.benchmark.name]


async def test_the_texts_and_tools_that_homes_are_compared_with_are_those_of_the_world(stage: Stage) -> None:
    task = next(iter(stage.tasks.values()))
    assert task.texts == (task.content["instruction"],)
    async with stage.world(task) as world:
        listed = sorted((tool.tool.name, tool.tool.description) for tool in world.tools.values())
    assert sorted(task.documents) == listed


@pytest.mark.timeout(900)
async def test_every_reference_is_rewarded_when_it_is_played_through_the_protocol(stage: Stage) -> None:
    waiting = iter([task for task in stage.tasks.values() if task.category in ("test", "dev")])
    wrong: list[str] = []

    async def play_all() -> None:
        for task in waiting:
            judged = await play_scripted(stage, task, reference_fixture(task))
            if not judged.verdict.solved or judged.official["differing"]:
                wrong.append(task.id)

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(play_all)
    assert wrong == []


class Playing:
    """A model of agents and of users. The user says its whole instruction; the agent knows the reference, and errs now and then."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self._chance = random.Random(seed)
        test = sorted((task for task in stage.tasks.values() if task.category == "test"), key=lambda task: task.id)
        self.tasks: dict[str, tuple[OfficialTask, list[list[Call]]]] = {}
        for task in self._chance.sample(test, len(test)):
            if task.content["instruction"] not in self.tasks and len(self.tasks) < PLAYED:
                steps = [spoiled(step, self._chance) for step in task.reference[0]]
                self.tasks[task.content["instruction"]] = task, steps

    def answer(self, asked: Asked) -> Reply:
        messages = asked["messages"]
        return self._agent(messages) if asked.get("tools") else self._user(messages)

    def _user(self, messages: list[dict[str, Any]]) -> Reply:
        instruction = re.search(r"\n\nInstruction: (.*)\n\nRules:", messages[0]["content"], re.DOTALL)
        assert instruction is not None
        heard = len(messages) - 2
        if heard == 0:
            return Say(instruction[1])
        goes_on = random.Random(f"{instruction[1]} {heard}").random() < 0.3
        return Say(f"Go on, please. I have heard {heard}." if goes_on else "###STOP###")

    def _agent(self, messages: list[dict[str, Any]]) -> Reply:
        task, steps = self.tasks[messages[1]["content"]]
        made = sum(message["role"] == "assistant" for message in messages)
        if made >= len(steps):
            return Say(task.closing[0])
        calls = [(call.tool, json.dumps(call.arguments)) for call in steps[made]]
        return Say("Let me see." if made % 2 else None, finish="tool_calls", tool_calls=calls)


def spoiled(step: tuple[Call, ...], chance: random.Random) -> list[Call]:
    """The step, or something that models do in its place."""
    (call,) = step
    match chance.randrange(24):
        case 0:
            return [Call(tool="look_it_up", arguments={"what": "all"}), call]
        case 1:
            return [Call(tool=call.tool, arguments={**call.arguments, "extra": None})]
        case 2:
            return [call, call]
        case 3:
            return [Call(tool=call.tool, arguments={name: f"{value} é" for name, value in call.arguments.items()})]
        case 4:
            return [Call(tool="transfer_to_human_agents", arguments={"summary": "too hard"})]
        case _:
            return [call]


def episode_of(stage: Stage, record: Trajectory) -> dict[str, Any]:
    """What the models said, for the official runner."""
    task = stage.tasks[record.scenario].content
    agent = [message for message in record.messages if message["role"] == "assistant"]
    user = [message["content"] for message in record.messages[1:] if message["role"] == "user"]
    said = {"domain": stage.benchmark.name.partition("-")[2], "split": task["split"], "index": task["index"]}
    return {**said, "agent": agent, "user": user}


async def run(stage: Stage, model: Playing, out: Path, *more: str) -> list[Trajectory]:
    async with scripted_endpoint(model.answer) as place:
        words = ["bench", "run", stage.benchmark.name, "--agent", "openai:m", "--user", "openai:u", "--out", str(out)]
        variables = {"OPENAI_BASE_URL": place.url, "OPENAI_API_KEY": "key"}
        given = [*words, "--parallel", "4", *more]
        ran = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, given, env=variables))
    assert ran.exit_code == 0, ran.output
    return list(read_trajectories(out))


@pytest.mark.timeout(900)
async def test_rewards_of_models_over_http_are_those_of_the_official_runner(stage: Stage, tmp_path: Path) -> None:
    model = Playing(stage, seed=3)
    records = await run(
        stage, model, tmp_path / "run", *[word for task, _ in model.tasks.values() for word in ("--task", task.id)]
    )
    assert len(records) == PLAYED
    official = await told_by_official(stage, tmp_path, [episode_of(stage, record) for record in records])
    assert [record.verdict.reward for record in records] == [reward for reward, _, _ in official]
    assert [[step.observation for step in record.steps] for record in records] == [
        heard[1:] for _, heard, _ in official
    ]
    assert 0 < sum(reward for reward, _, _ in official) < PLAYED
    assert {is_call(record.steps[-1]) for record in records} == {True, False}


async def told_by_official(stage: Stage, folder: Path, episodes: list[dict[str, Any]]) -> list[Any]:
    """The rewards of the official runner, what its agents heard, and what their models were asked."""
    lines, out = folder / "episodes.jsonl", folder / "rewards.json"
    lines.write_text("\n".join(map(json.dumps, episodes)), encoding="utf-8")
    variables = {"PYTHONPATH": os.pathsep.join(str(root) for root in stage.source.roots), "PYTHONHASHSEED": "0"}
    await anyio.run_process([sys.executable, "-s", str(RUNNER), str(lines), str(out)], env=variables)
    return list(json.loads(out.read_text(encoding="utf-8")))


class Writing(Playing):
    """An agent that writes its actions, in the official form and beside it."""

    def __init__(self, stage: Stage, seed: int) -> None:
        super().__init__(stage, seed)
        self.asked: dict[str, list[list[dict[str, Any]]]] = {}
        self.wrote: dict[str, list[str]] = {}

    def answer(self, asked: Asked) -> Reply:
        assert "tools" not in asked
        messages = asked["messages"]
        if "#Available tools" not in messages[0]["content"]:
            return self._user(messages)
        task, steps = self.tasks[messages[1]["content"]]
        made = len(self.wrote.setdefault(task.id, []))
        self.asked.setdefault(task.id, []).append(messages)
        call = steps[made][0] if made < len(steps) else Call(tool="respond", arguments={"content": task.closing[0]})
        text = written(call, random.Random(f"{task.id} {made}"))
        self.wrote[task.id].append(text)
        return Say(text)


def written(call: Call, chance: random.Random) -> str:
    """An action as models write it, or something that they write in its place."""
    action = json.dumps({"name": call.tool, "arguments": call.arguments})
    match chance.randrange(48):
        case 0:
            return f"Thought:\nIt is so.\nAction:\n```json\n{action}\n```"
        case 1:
            return "What else can I do for you?"
        case 2:
            return f"Thought:\nAction: this one.\nAction: {action}\n\n"
        case 3:
            return action
        case 4:
            return json.dumps({"name": call.tool})
        case 5:
            return f"Action:\n[{action}]"
        case 6:
            return 'Action:\n{"name": "respond", "arguments": {"text": "Wait."}}'
        case 7:
            return 'Action:\n{"name": "respond", "arguments": {"content": "Is that right?", "tone": "friendly"}}'
        case 8:
            return 'Action:\n{"name": "calculate", "arguments": "1 + 1"}'
        case 9:
            return f"Action:\n{action[:-1]}"
        case 10:
            return 'Action:\n"name and arguments"'
        case _:
            return f"Thought:\nI look, é.\nAction:\n{action}"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("calls", ["react", "act"])
async def test_agents_that_write_their_actions_are_asked_and_rewarded_as_in_the_official_runner(
    stage: Stage, tmp_path: Path, calls: str
) -> None:
    model = Writing(stage, seed=len(calls))
    chosen = [word for task, _ in model.tasks.values() for word in ("--task", task.id)]
    records = await run(stage, model, tmp_path / "run", *chosen, "--calls", calls)
    assert len(records) == PLAYED
    episodes = [
        {**episode_of(stage, record), "calls": calls, "agent": spoken(model.wrote[record.scenario])}
        for record in records
    ]
    official = await told_by_official(stage, tmp_path, episodes)
    for record, (reward, heard, asked) in zip(records, official, strict=True):
        assert model.asked[record.scenario] == asked, record.scenario
        assert record.verdict.reward == reward, record.scenario
        assert not record.verdict.masked
        if record.ended != "error":
            heard_here = ["API output: " * is_call(step) + step.observation for step in record.steps]
            assert heard_here == heard[1:], record.scenario
    assert {record.ended for record in records} >= {"completed", "error"}
    assert 0 < sum(reward for reward, _, _ in official) < PLAYED
    replayed = await anyio.to_thread.run_sync(
        lambda: CliRunner().invoke(app, ["runs", "replay", str(tmp_path / "run")])
    )
    assert " 0 differ" in replayed.output, replayed.output


def spoken(texts: list[str]) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text} for text in texts]


class Thinking(Playing):
    """A user that is asked in other ways answers in other forms."""

    def __init__(self, stage: Stage, strategy: str) -> None:
        super().__init__(stage, seed=1)
        self.strategy = strategy
        self.purposes: list[str] = []

    def _user(self, messages: list[dict[str, Any]]) -> Reply:
        text = messages[-1]["content"]
        if "Classification:" in text:
            self.purposes.append("verify")
            # The first try does not please.
            return Say("true" if self.purposes.count("verify") > 1 else "false")
        if "Reflection:" in text:
            self.purposes.append("reflect")
            return Say("Reflection:\nIt was short.\n\nResponse:\nSay it better")
        self.purposes.append("say")
        said = super()._user(messages[:2] if self.strategy == "reflection" and len(messages) == 3 else messages)
        assert isinstance(said, Say)
        if "react" in self.strategy:
            return Say(f"Thought:\nI hide it.\n\nUser Response:\n{said.text}")
        return said


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_users_are_asked_as_the_strategy_says(stage: Stage, tmp_path: Path, strategy: str) -> None:
    if stage.benchmark.name == "tau-airline":
        pytest.skip("the users of both domains are the same")
    model = Thinking(stage, strategy)
    task, _ = next(iter(model.tasks.values()))
    if strategy != "llm":
        # The agent knows a task by the user's words, which these users wrap.
        model._agent = lambda messages: Say("What can I do?")  # type: ignore[method-assign]
    (record,) = await run(stage, model, tmp_path, "--task", task.id, "--user-strategy", strategy)
    first = record.messages[1]["content"]
    assert first == {"react": f"I hide it.\n\nUser Response:\n{task.content['instruction']}"}.get(
        strategy, task.content["instruction"]
    )
    asked = {"verify": {"say", "verify"}, "reflection": {"say", "verify", "reflect"}}.get(strategy, {"say"})
    assert set(model.purposes) == asked
    assert record.ended == "completed", record.verdict.reason
    replayed = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, ["runs", "replay", str(tmp_path)]))
    assert replayed.exit_code == 0, replayed.output


def test_what_a_user_is_asked_cannot_be_misspelt() -> None:
    words = ["bench", "run", "tau-retail", "--agent", "openai:m", "--user", "openai:u", "--out", "x"]
    refused = CliRunner().invoke(app, [*words, "--user-strategy", "reacts"])
    assert refused.exit_code == 2
    assert "'reacts' is not one of llm, react" in " ".join(refused.output.split())


def test_a_calculation_without_end_is_the_agents_failure(stage: Stage) -> None:
    task = next(iter(stage.tasks))
    with start_blocking_portal() as portal, rl.BenchmarkGym(stage, portal).open(task) as episode:
        assert "took too long" in str(episode.call("calculate", {"expression": "9**9**9**9"}))
        assert episode.done
        verdict = episode.verify()
    assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False)


async def test_at_a_farm_nothing_is_done_after_a_conversation_has_ended(stage: Stage) -> None:
    """The judge stops there, so a change after that would be a difference between its state and the world's."""
    task = next(task for task in stage.tasks.values() if len(task.reference[0]) > 1)
    ending = Call(tool="transfer_to_human_agents", arguments={"summary": "I give up."})
    async with at_a_farm(stage, None) as here, here.reached("http") as reached, reached.world(task) as world:
        first, _ = await world.call(ending.tool, dict(ending.arguments), writes=True)
        assert first.text == "Transfer successful"
        for (call,) in task.reference[0]:
            outcome, _ = await world.call(call.tool, dict(call.arguments), writes=True)
            assert outcome.text == "Error: the conversation has ended"
        judged = await world.judged(
            [
                Step(number=number, turn=number, tool=call.tool, arguments=call.arguments)
                for number, call in enumerate([ending, *(step[0] for step in task.reference[0])], 1)
            ]
        )
    assert judged is not None
    assert (judged.verdict.solved, judged.verdict.owner, judged.verdict.masked) == (False, "agent", False)


async def test_in_the_studio_the_official_user_answers_and_hears_the_end(stage: Stage) -> None:
    model = Playing(stage, seed=5)
    task, _ = next(iter(model.tasks.values()))
    (call,) = task.reference[0][0]
    opener = BenchmarkOpener("tau", lambda: BenchmarkEnvironment(stage))

    def answer(asked: Asked) -> Reply:
        return Say("###STOP###") if len(asked["messages"]) > 2 else model.answer(asked)

    async with scripted_endpoint(answer) as place:
        endpoint = Endpoint(api_key=SecretStr("key"), base_url=place.url)
        user = StudioModel("openai:u", endpoint, ModelParams(model="u"))
        async with studio(benchmarks={stage.benchmark.name: opener}, studio_user=user) as (_, owner):
            path = await owner.opened(environment=stage.benchmark.name, scenario=task.id)
            official = (await owner.get(f"{path}/checks"))["official"]
            assert official["system"] == task.system
            opening = await owner.ask("POST", f"{path}/say", {})
            assert opening == {"after": 0, "text": None, "reply": task.content["instruction"]}
            await owner.call(path, call.tool, **call.arguments)
            last = await owner.ask("POST", f"{path}/say", {"text": "That is all."})
            assert (last["after"], last["reply"]) == (1, "###STOP###")
            assert (await owner.get(f"{path}/checks"))["official"]["over"]
            late = await owner.call(path, call.tool, **call.arguments)
            assert late["result"] == "Error: the conversation has ended"
            judged = await owner.ask("POST", f"{path}/judge", {})
    assert judged["answer"]["done"]
    assert not judged["verdict"]["masked"]
    instruction = place.requests[0]["messages"][0]["content"]
    assert f"Instruction: {task.content['instruction']}" in instruction
    assert [len(asked["messages"]) for asked in place.requests] == [2, 4]


@pytest.mark.parametrize("ends_by", ["words", "a call"])
async def test_in_the_studio_a_person_plays_both_sides_until_the_end(stage: Stage, ends_by: str) -> None:
    task = next(task for task in stage.tasks.values() if len(task.reference[0]) > 1)
    opener = BenchmarkOpener("tau", lambda: BenchmarkEnvironment(stage))
    async with studio(benchmarks={stage.benchmark.name: opener}) as (_, owner):
        path = await owner.opened(environment=stage.benchmark.name, scenario=task.id)
        await owner.ask("POST", f"{path}/say", {"reply": "Hello."})
        for (call,) in task.reference[0]:
            await owner.call(path, call.tool, **call.arguments)
        if ends_by == "words":
            await owner.ask("POST", f"{path}/say", {"text": task.closing[0], "reply": "###STOP###"})
        else:
            await owner.call(path, "transfer_to_human_agents", summary="I give up.")
        late = await owner.ask("POST", f"{path}/say", {"text": "More?", "reply": "No."}, status=400)
        assert "has ended" in late["error"]
        judged = await owner.ask("POST", f"{path}/judge", {})
    assert (judged["answer"]["done"], judged["verdict"]["masked"]) == (True, False)
    assert judged["verdict"]["solved"] or ends_by == "a call"


def test_a_policy_of_a_program_writes_its_actions(stage: Stage) -> None:
    task = next(task for task in stage.tasks.values() if len(task.reference[0]) > 1)
    actions = [*(step[0] for step in task.reference[0]), Call(tool="respond", arguments={"content": task.closing[0]})]
    with start_blocking_portal() as portal:
        gym = rl.BenchmarkGym(stage, portal, calls="act")
        with gym.open(task.id) as episode:
            assert episode.tools == []
            assert episode.messages[1] == {"role": "user", "content": task.content["instruction"]}
            for action in actions:
                content = f"Action: {json.dumps({'name': action.tool, 'arguments': action.arguments})}"
                episode.act({"role": "assistant", "content": content})
            assert episode.done
            assert episode.verify().solved
        with gym.open(task.id) as episode:
            episode.act({"role": "assistant", "content": "Is it so?"})
            assert episode.done
        with gym.open(task.id) as episode:
            assert episode.act({"role": "assistant", "content": "Action: 7"}).refused
            verdict = episode.verify()
    assert (verdict.solved, verdict.owner, verdict.masked) == (False, "agent", False)
    assert "the model wrote 'Action: 7'" in verdict.reason


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "calculate", "arguments": {"expression": NaN}}',
        '{"name": "", "arguments": {}}',
        '{"name": "calculate", "arguments": {"expression": "\\ud800"}}',
        '{"name": "respond", "arguments": {"content": "\\ud800"}}',
        '{"name": "respond", "arguments": {"content": null}}',
        '{"name": ["respond"], "arguments": {}}',
        "[" * 100_000,
        "9" * 5_000,
        "",
    ],
)
def test_odd_actions_are_answered_or_end_the_episode_and_never_mask_it(stage: Stage, written: str) -> None:
    task = next(iter(stage.tasks))
    with start_blocking_portal() as portal, rl.BenchmarkGym(stage, portal, calls="react").open(task) as episode:
        episode.act({"role": "assistant", "content": written})
        if not episode.done:
            ending = {"name": "transfer_to_human_agents", "arguments": {"summary": "odd"}}
            episode.act({"role": "assistant", "content": f"Action: {json.dumps(ending)}"})
        verdict = episode.verify()
    assert episode.done
    assert not verdict.masked, verdict.reason
