"""A farm serves the tasks of a benchmark: owners open them, agents play them over HTTP, the authors' code judges."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread
import httpx2
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from envscaler_mcp.artifacts import Environment, Step
from envscaler_mcp.cli.program import app
from envscaler_mcp.episode.agent import Action
from envscaler_mcp.episode.live import EpisodeLimits
from envscaler_mcp.errors import WorkerEndedError, WorldError
from envscaler_mcp.farm.environments import BenchmarkOpener
from envscaler_mcp.farm.watchers import MOST_WATCHERS
from envscaler_mcp.farm.worlds import Caps
from envscaler_mcp.official.at_farm import FarmAccess, moves_of
from envscaler_mcp.official.benchmark import BENCHMARKS, OfficialTask
from envscaler_mcp.official.farm_worlds import BenchmarkEnvironment, opens_benchmark, steps_of_log, steps_of_moves
from envscaler_mcp.official.own_farm import at_a_farm
from envscaler_mcp.official.scripted import play_scripted, reference_fixture
from envscaler_mcp.official.source import OfficialFilesError, find
from envscaler_mcp.official.stage import Stage
from envscaler_mcp.sandbox.limits import MIB
from envscaler_mcp.serving.control.client import ControlClient, RemoteWorld, UnknownWorldError
from envscaler_mcp.serving.control.schemas import Move, ScenarioList
from tests.farm.farms import SECRET, Here, farm_here, farm_program
from tests.official.staging import FILES, copied, registered
from tests.official.till.benchmark import TILL

FIXTURES = Path(__file__).parent / "scripted.jsonl"


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage.of(TILL, FILES) as opened:
        yield opened


@dataclass
class Served(Here):
    """A farm, and an owner of worlds there."""

    owner: ControlClient


@asynccontextmanager
async def serving_till(stage: Stage, **config: Any) -> AsyncIterator[Served]:
    benchmarks = {"till": BenchmarkOpener("A till", lambda: BenchmarkEnvironment(stage))}
    async with farm_here(**{"benchmarks": benchmarks, **config}) as farm:
        with farm.client() as owner:
            yield Served(farm.front, farm.url, farm.control, owner)


async def waited(act: Any, *given: Any, **named: Any) -> Any:
    return await anyio.to_thread.run_sync(partial(act, *given, **named))


async def opened(farm: Served, task: str, **named: Any) -> RemoteWorld:
    world: RemoteWorld = await waited(farm.owner.open, "till", scenario=task, **named)
    return world


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@asynccontextmanager
async def agent(url: str, mode: Any = "legacy", **named: Any) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=30) as web,
        Client(streamable_http_client(url, http_client=web), mode=mode, **named) as client,
    ):
        yield client


async def test_an_agent_plays_a_task_at_its_address_and_the_authors_judge_it(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_2")
        assert world.url.startswith(f"{farm.url}/e/till/")
        async with agent(world.url) as client:
            result = await client.call_tool("deposit", {"amount": 5})
            assert (text_of(result), result.is_error, result.structured_content) == (
                '{"balance": 15, "fees": 1}', False, None,
            )  # fmt: skip
            assert not (await waited(world.verify)).solved
            # What is not listed, and what fits no schema, is answered by the official code all the same.
            wrong = await client.call_tool("withdraw", {"much": 3})
            assert (text_of(wrong)[:7], wrong.is_error) == ("Error: ", True)
            await waited(world.turn, 1)
            await client.call_tool("withdraw", {"amount": 3})
        verdict = await waited(world.verify)
        assert (verdict.solved, verdict.reward, verdict.scoring, verdict.grading) == (
            True,
            1.0,
            "official",
            "tillbench 1",
        )


async def test_the_owner_says_which_calls_were_one_move_and_no_call_is_made_up(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_1")
        async with agent(world.url) as client:
            await client.call_tool("deposit", {"amount": 5})
        judgement = await waited(
            world.judge, [Move(calls=1, text="I put it in."), Move(text="Done.", reply="###STOP###")]
        )
        assert (judgement.verdict.solved, judgement.digest, judgement.answer["digest"]) == (True, "15", "15")
        with pytest.raises(WorldError, match="The moves have 2 calls, and this world has answered 1"):
            await waited(world.judge, [Move(calls=2)])


TEXTS = st.sampled_from(["", "It is done.", 'a "quote"', "###STOP###", "é深"])
SAID = st.builds(lambda text, reply: [Step(number=0, text=text, observation=reply)], TEXTS, TEXTS)
UNREAD = st.builds(lambda text: [Step(number=0, text=text, tool="deposit", malformed="{")], TEXTS)
CALL = st.builds(
    lambda amount, text: Step(number=0, tool="deposit", arguments={"amount": amount}, observation=text),
    st.integers(0, 9),
    TEXTS,
)
CALLS = st.lists(CALL, min_size=1, max_size=3)


@given(st.lists(st.one_of(SAID, UNREAD, CALLS), max_size=6))
def test_what_a_farm_is_told_of_moves_gives_back_the_steps_that_a_judge_needs(moves: list[list[Step]]) -> None:
    steps = [step.model_copy(update={"turn": turn}) for turn, move in enumerate(moves, 1) for step in move]
    log = [
        {"tool": step.tool, "arguments": step.arguments, "observation": step.observation, "is_error": False}
        for step in steps
        if step.tool and not step.malformed
    ]
    again = list(steps_of_moves(log, list(moves_of(steps))))
    for benchmark in (BENCHMARKS["bfcl-v3"], BENCHMARKS["tau-retail"], BENCHMARKS["acebench"]):
        task = OfficialTask("task", "", {"kind": "multi_step"})
        assert benchmark.record(task, again) == benchmark.record(task, steps)


@given(st.lists(CALLS, max_size=1), st.lists(st.one_of(st.just([]), CALLS), max_size=4))
def test_without_moves_each_turn_that_was_begun_has_its_calls(first: list[list[Step]], later: list[list[Step]]) -> None:
    turns = [first[0] if first else [], *later]
    log: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        log += [{"turn": number}] if number else []
        log += [{"tool": step.tool, "arguments": step.arguments, "observation": "", "is_error": False} for step in turn]
    record = BENCHMARKS["bfcl-v3"].record(OfficialTask("task", "", {}), list(steps_of_log(log)))
    assert record == [[[[step.tool, step.arguments]] for step in turn] for turn in turns]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_agent_is_told_over_http_when_its_tools_are_released(stage: Stage, mode: str) -> None:
    heard = anyio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            heard.set()

    async with serving_till(stage) as farm:
        world = await opened(farm, "till_3")
        async with agent(world.url, mode, message_handler=hear) as client:
            assert client.server_capabilities is not None
            assert client.server_capabilities.tools is not None
            assert client.server_capabilities.tools.list_changed
            assert [tool.name for tool in (await client.list_tools()).tools] == ["deposit", "owners"]
            with anyio.fail_after(20):
                if mode == "legacy":
                    await waited(world.turn, 1)
                    await heard.wait()
                else:
                    async with client.listen(tools_list_changed=True) as changes:
                        await waited(world.turn, 1)
                        await anext(changes)
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == ["deposit", "withdraw", "owners"]
            assert listed[0].meta is not None
            assert list(listed[0].meta["envscaler/official"]) == ["name", "description", "parameters", "response"]


async def test_an_agent_that_comes_late_is_told_at_once(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_3")
        await waited(world.turn, 1)
        accepts = {"accept": "text/event-stream"}
        async with (
            httpx2.AsyncClient(trust_env=False, timeout=30) as web,
            web.stream("GET", world.url, headers=accepts) as stream,
        ):
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = stream.aiter_lines()
            with anyio.fail_after(20):
                data = [line async for line in _until_data(lines)][-1]
        assert json.loads(data.removeprefix("data: ")) == {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
        }


async def test_few_clients_listen_to_one_world_and_closing_it_ends_their_streams(stage: Stage) -> None:
    accepts = {"accept": "text/event-stream"}
    async with (
        serving_till(stage) as farm,
        httpx2.AsyncClient(trust_env=False, timeout=30) as web,
        AsyncExitStack() as all_,
    ):
        world = await opened(farm, "till_3")
        streams = [
            await all_.enter_async_context(web.stream("GET", world.url, headers=accepts))
            for _ in range(MOST_WATCHERS + 1)
        ]
        assert [stream.status_code for stream in streams] == [200] * MOST_WATCHERS + [503]
        assert (await web.get(world.url, headers={"accept": "application/json"})).status_code == 406
        other = await waited(farm.owner.open, "hospital_stays", scenario="hospital_stays-easy-01")
        assert (await web.get(other.url, headers=accepts)).status_code == 405
        await waited(world.close)
        with anyio.fail_after(20):
            for stream in streams[:-1]:
                assert b"data" not in await stream.aread()


async def _until_data(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    async for line in lines:
        yield line
        if line.startswith("data: "):
            return


async def test_what_official_code_cannot_do_is_refused_with_the_reason(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_1")
        for act in (world.state, world.state_hash, world.diff, world.diff_since_start, world.snapshot, world.fork):
            with pytest.raises(WorldError, match="authors' code holds objects that no JSON keeps"):
                await waited(act)
        with pytest.raises(WorldError, match="authors' code holds objects"):
            await waited(world.restore, 0)
        with pytest.raises(WorldError, match="No model plays the user of till"):
            await waited(world.user)
        with pytest.raises(WorldError, match="till has no task 'till_9'; did you mean"):
            await opened(farm, "till_9")
        with pytest.raises(WorldError, match="begins at one of its tasks"):
            await waited(farm.owner.open, "till", state="official")
        with pytest.raises(WorldError, match="till has no task null"):
            await waited(farm.owner.open, "till")
        other = await waited(farm.owner.open, "hospital_stays", scenario="hospital_stays-easy-01")
        for act in (partial(other.turn, 1), other.user, other.judge):
            with pytest.raises(WorldError, match="at no task of a benchmark"):
                await waited(act)
        # A task goes on as if nothing had been asked.
        assert not (await waited(world.verify)).solved


@pytest.mark.parametrize("name", ["\\ud800", "\\u0000", "__class__", "a" * 10_000])
async def test_hostile_names_of_arguments_are_answered_and_change_nothing(stage: Stage, name: str) -> None:
    async with serving_till(stage) as farm, httpx2.AsyncClient(trust_env=False) as web:
        world = await opened(farm, "till_1")
        call = f'{{"name":"deposit","arguments":{{"{name}":1}}}}'
        body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{call}}}'
        answer = await web.post(world.url, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200
        assert answer.json()["result"]["isError"]
        assert (await waited(world.judge)).digest == "10"


async def test_owners_see_a_benchmark_that_no_list_shows_and_no_guest_opens(stage: Stage) -> None:
    async with serving_till(stage) as farm, httpx2.AsyncClient(trust_env=False) as web:
        card = await waited(farm.owner.ask, "GET", "/v1/environments/till", None, Environment)
        assert (card.id, card.version, card.code_digest) == ("till", "tillbench 1", stage.source.digest)
        listed = await waited(farm.owner.ask, "GET", "/v1/environments/till/scenarios", None, ScenarioList)
        assert {scenario.split for scenario in listed.scenarios} == {"held_out"}
        assert [scenario.id for scenario in listed.scenarios] == list(stage.tasks)
        assert (await web.get(f"{farm.url}/e/till/new")).status_code == 404
        assert "local.envscaler/till" not in (await web.get(f"{farm.url}/v0.1/servers", params={"search": "till"})).text
        answer = await web.post(
            f"http://127.0.0.1:{farm.control}/openenv/till/reset",
            json={},
            headers={"authorization": f"Bearer {farm.token('control')}"},
        )
        assert (answer.status_code, "has no sessions here" in answer.text) == (404, True)


async def test_a_call_that_is_sent_twice_with_a_key_acts_once(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_1")
        async with agent(world.url) as client:
            for amount, balance in ((5, 15), (5, 15), (6, 21)):
                result = await client.call_tool(
                    "deposit", {"amount": amount}, meta=cast(Any, {"envscaler/idempotency-key": "once"})
                )
                assert json.loads(text_of(result))["balance"] == balance


async def test_a_world_whose_process_ends_says_so_and_others_go_on(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world, other = await opened(farm, "till_1"), await opened(farm, "till_1")
        async with agent(world.url) as client, agent(other.url) as neighbour:
            assert "world has ended" in text_of(await client.call_tool("vanish", {}))
            assert text_of(await neighbour.call_tool("deposit", {"amount": 5})) == '{"balance": 15, "fees": 1}'
        with pytest.raises(WorkerEndedError):
            await waited(world.verify)
        assert (await waited(other.verify)).solved


async def test_calls_of_a_benchmark_are_recorded_without_marks_to_go_back_to(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_1")
        timeline = await farm.front.worlds.named(world.name).record(farm.front.worlds.recordings)
        async with agent(world.url) as client:
            await client.call_tool("deposit", {"amount": 5})
        assert timeline.last == 1
        assert (await waited(world.verify)).solved


async def test_worlds_are_workers_that_end_with_their_leases(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_1", lease_seconds=0.2)
        held = farm.front.worlds.named(world.name)
        pid = held.worker
        assert (world.card.place, held.place) == ("worker", "worker")
        assert pid is not None
        await seen(lambda: held.name not in {each.name for each in farm.front.worlds})
        await seen(lambda: not _is_alive(pid))
        with pytest.raises(UnknownWorldError):
            await waited(world.verify)


async def test_worlds_that_fill_the_memory_of_a_farm_are_ended_and_their_host_counts(stage: Stage) -> None:
    async with serving_till(stage, caps=Caps(memory=2048 * MIB)) as farm:
        world = await opened(farm, "till_1")
        async with agent(world.url) as client:
            await client.call_tool("deposit", {"amount": 5})
            watch, worlds = farm.front.worlds.memory, list(farm.front.worlds)
            watch.weigh(worlds)
            assert worlds[0].memory > 0
            assert watch._in_loaded >= stage.host.memory > 0
            watch._for_worlds = MIB
            await watch.make_room(worlds)
            assert "too much memory" in text_of(await client.call_tool("deposit", {"amount": 5}))


async def test_closing_a_world_ends_its_verdict(stage: Stage) -> None:
    async with serving_till(stage) as farm:
        world = await opened(farm, "till_1")
        held = farm.front.worlds.named(world.name)
        judging = held.session.judging()  # type: ignore[attr-defined]
        judging.end("closed", "this world was closed")
        with pytest.raises(WorkerEndedError, match="this world was closed"):
            await waited(judging.judgement, ([], ""))


async def test_files_that_have_changed_are_refused_without_a_path(
    stage: Stage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = copied(tmp_path)
    with registered(tmp_path / "site") as patch:
        patch.setenv("ENVSCALER_BENCH_TILL", str(folder))
        (folder / "tillbench" / "till.py").write_text("", encoding="utf-8")
        async with serving_till(stage, benchmarks={"till": opens_benchmark("till")}) as farm:
            with pytest.raises(WorldError, match="The files of till cannot be read; the farm's log says why") as told:
                await opened(farm, "till_1")
    assert str(tmp_path) not in str(told.value)
    assert "is not the file of tillbench 1" in caplog.text


async def test_a_host_that_has_ended_is_started_again_with_the_next_world(stage: Stage, tmp_path: Path) -> None:
    with registered(tmp_path / "site"):
        async with serving_till(stage, benchmarks={"till": opens_benchmark("till")}) as farm:
            world = await opened(farm, "till_1")
            hosted = farm.front.worlds.named(world.name).environment
            assert isinstance(hosted, BenchmarkEnvironment)
            hosted._stage.host._process.kill()
            await seen(lambda: not hosted.usable)
            async with agent((await opened(farm, "till_1")).url) as client:
                assert text_of(await client.call_tool("deposit", {"amount": 5})) == '{"balance": 15, "fees": 1}'
            with pytest.raises(WorkerEndedError):
                await waited(world.verify)


@pytest.mark.slow
async def test_a_farm_that_goes_away_is_no_failure_of_the_agent(tmp_path: Path) -> None:
    with registered(tmp_path / "site") as patch, Stage.of(TILL, FILES) as stage:
        patch.setenv("PYTHONPATH", f"{tmp_path / 'site'}:{Path.cwd()}")
        with farm_program(tmp_path, "--benchmark", "till") as farm, farm.client() as control:

            class Leaver:
                def act(self, observation: str) -> Action:
                    farm.process.send_signal(signal.SIGTERM)
                    farm.process.wait(20)
                    return Action(tool="deposit", arguments={"amount": 5})

            access = FarmAccess(control, farm.token("agent"))
            async with replace(stage, farm=access).reached("http") as reached:
                judged = await reached.play(
                    stage.tasks["till_1"],
                    lambda _briefing, _scenario: Leaver(),
                    lambda task, world: TILL.user(task, world, None, 0),
                    EpisodeLimits(9, 60.0),
                )
        assert (judged.verdict.owner, judged.verdict.masked) in (("infrastructure", True), ("environment", True))


async def seen(happens: Callable[[], bool]) -> None:
    with anyio.fail_after(20):
        while not happens():  # noqa: ASYNC110 - nothing tells of it
            await anyio.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_runs_and_scripts_are_played_at_a_farm_in_this_process(tmp_path: Path) -> None:
    with registered(tmp_path / "site"):
        run = tmp_path / "run"
        words = ["bench", "run", "till", "--agent", "oracle", "--via", "farm", "--out", str(run)]
        ran = CliRunner().invoke(app, words)
        assert ran.exit_code == 0, ran.output
        shown = json.loads(CliRunner().invoke(app, ["runs", "show", str(run), "--json"]).output)
        assert (shown["solved"], shown["via"]) == (3, "http")
        replayed = CliRunner().invoke(app, ["runs", "replay", str(run)])
        assert replayed.exit_code == 0, replayed.output
        scripts = CliRunner().invoke(app, ["bench", "replay", str(FIXTURES), "--via", "farm", "--parallel", "2"])
        assert (scripts.exit_code, scripts.output) == (
            0, "4 of 4 scripted episodes are as the official code says.\n",
        )  # fmt: skip


@pytest.mark.slow
def test_the_farm_program_serves_a_benchmark_to_runs_that_name_it(tmp_path: Path) -> None:
    with registered(tmp_path / "site") as patch:
        patch.setenv("PYTHONPATH", f"{tmp_path / 'site'}:{Path.cwd()}")
        with farm_program(tmp_path, "--benchmark", "till") as farm:
            patch.setenv("OWNER", farm.token("control"))
            words = [
                "bench",
                "replay",
                str(FIXTURES),
                "--via",
                "farm",
                "--server",
                farm.control,
                "--token-env",
                "OWNER",
            ]
            scripts = CliRunner().invoke(app, words)
            assert (scripts.exit_code, scripts.output) == (
                0, "4 of 4 scripted episodes are as the official code says.\n",
            )  # fmt: skip
        assert SECRET


def test_contradictions_about_farms_are_wrong_use(tmp_path: Path) -> None:
    with registered(tmp_path / "site"):
        words = ["bench", "run", "till", "--agent", "oracle", "--out", str(tmp_path / "run")]
        assert CliRunner().invoke(app, [*words, "--server", "9"]).exit_code == 2
        assert CliRunner().invoke(app, [*words, "--via", "farm", "--token-env", "X"]).exit_code == 2
        assert CliRunner().invoke(app, ["farm", "--benchmark", "tills"]).exit_code == 2


@pytest.mark.official
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["bfcl-v3", "bfcl-v4", "tau-retail", "tau-airline", "acebench"])
async def test_references_have_the_same_texts_and_verdicts_through_a_farm(name: str) -> None:
    try:
        find(BENCHMARKS[name].requirement)
    except OfficialFilesError as missing:
        pytest.skip(str(missing))
    with Stage.of(BENCHMARKS[name]) as stage:
        tasks = [task for task in stage.tasks.values() if task.category in stage.benchmark.default_categories][::10]
        waiting = iter(tasks)
        right = []

        async def play_all(at: Stage) -> None:
            async with at.reached("http") as reached:
                for task in waiting:
                    judged, here = [
                        await play_scripted(each, task, reference_fixture(task)) for each in (reached, stage)
                    ]
                    assert [step.observation for step in judged.record.steps] == [
                        step.observation for step in here.record.steps
                    ]
                    assert (judged.verdict, judged.final_hash, judged.official) == (
                        here.verdict, here.final_hash, here.official,
                    )  # fmt: skip
                    right.append(judged.verdict.solved)

        async with at_a_farm(stage, None) as at, anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(play_all, at)
    assert right == [True] * len(tasks)
