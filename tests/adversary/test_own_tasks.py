"""What an owner's own task may cost a farm: its id, its checks, their processes, and what stays when it is gone."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from anyio.to_thread import run_sync
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from envscaler_mcp import rl
from envscaler_mcp.artifacts import Check, Scenario, State
from envscaler_mcp.errors import EnvScalerError, LaunchError
from envscaler_mcp.farm import idempotency, verdicts
from envscaler_mcp.farm.access import holder_of, token_in
from envscaler_mcp.farm.idempotency import IdempotentRequests
from envscaler_mcp.farm.peers import SilentError
from envscaler_mcp.grading.judging import judge
from envscaler_mcp.sandbox import source_cache
from envscaler_mcp.serving.control.client import RemoteWorld
from envscaler_mcp.serving.control.schemas import OwnTask
from envscaler_mcp.serving.tasks import load_scenarios
from tests.farm.farms import ROOT, Here, farm_here

FOLDER = ROOT / "generated_servers" / "hospital_stays"
TASK = load_scenarios(FOLDER)[0]
STATE = State.model_validate_json((FOLDER / "states" / f"{TASK.state}.json").read_text())
WORLDS = "/v1/worlds"


def test_the_id_of_a_task_is_bounded_where_the_document_is_read() -> None:
    document = TASK.model_dump(mode="json")
    Scenario.model_validate({**document, "id": "i" * 120})
    with pytest.raises(ValidationError, match="121 characters; at most 120"):
        Scenario.model_validate({**document, "id": "i" * 121})
    # A task over two environments has the ids of both.
    Scenario.model_validate({**document, "id": "i" * 240, "environment": "a+b"})


def test_answers_that_are_kept_for_their_keys_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "KEPT_BYTES", 1_000)
    monkeypatch.setattr(idempotency, "ALL_KEPT_BYTES", 2_500)
    requests = IdempotentRequests()
    done: list[str] = []

    async def ask(token: str, key: str, size: int) -> None:
        async def do() -> Response:
            done.append(key)
            return Response(b"x" * size)

        headers = [(b"idempotency-key", key.encode()), (b"authorization", f"Bearer {token}".encode())]
        request = Request({"type": "http", "headers": headers})
        await requests.answer(request, holder_of(token_in(request.headers["authorization"])), b"order", do)

    async def asked() -> None:
        await ask("quiet", "small", 100)
        for token in ("a", "b", "c"):
            for key in ("1", "2", "3"):
                await ask(token, token + key, 450)
        # Each token holds two answers, and the one with the most gave one up for all.
        done.clear()
        await ask("quiet", "small", 100)
        await ask("c", "c3", 450)
        assert done == []
        await ask("c", "c1", 450)
        assert done == ["c1"]

    asyncio.run(asked())


async def test_an_open_of_many_that_fails_in_part_leaves_no_world_in_another_process() -> None:
    async with farm_here() as first, farm_here() as second:
        front, other = first.front, second.front

        class Lost:
            """Another process whose answer to the open does not arrive."""

            others = (1,)

            async def ask(self, number: int, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
                del number
                answer = await _sent(second, method, path, body)
                if method == "POST":
                    assert len(other.worlds) == 2
                    raise SilentError("A process of the farm does not answer.")
                return answer

        front.plane.siblings = Lost()  # type: ignore[assignment]
        with first.client() as client, pytest.raises(EnvScalerError, match="does not answer"):
            await run_sync(lambda: client.open_many("hospital_stays", 4))
        assert len(front.worlds) == len(other.worlds) == 0


async def _sent(farm: Here, method: str, path: str, body: bytes) -> tuple[int, bytes]:
    """A question of another process, as the socket between processes takes it."""
    transport = httpx2.ASGITransport(farm.front.peers.service.application)
    async with httpx2.AsyncClient(transport=transport, base_url="http://peers") as client:
        answer = await client.request(method, path, content=body)
        return answer.status_code, answer.content


def test_a_process_remembers_short_sources_only_and_a_bounded_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_cache, "MOST_CHARACTERS", 1_000)
    asked: list[str] = []

    @source_cache.remembered
    def length(source: str, times: int = 1) -> int:
        asked.append(source[:1])
        return times * len(source)

    long, texts = "l" * 5_000, [letter * 300 for letter in "abc"]
    assert [length(text) for text in (long, long, "s", "s", *texts, *texts[1:])] == [5_000, 5_000, 1, 1, *[300] * 5]
    assert asked == ["l", "l", "s", "a", "b", "c"]
    assert length("s", 2) == 2
    asked.clear()
    length(texts[0])
    assert asked == ["a"]


async def test_a_check_of_an_own_task_is_bounded_in_length() -> None:
    long = "def check_func(final_state):\n    return '" + "x" * (16 * 1024) + "' == 'y'\n"
    async with farm_here() as farm:
        with farm.client() as client:
            with pytest.raises(EnvScalerError, match="may have 16384 characters"):
                await run_sync(lambda: client.open_many("hospital_stays", 1, task=own_task(long)))
            (world,) = await run_sync(
                lambda: client.open_many("hospital_stays", 1, task=own_task(long[:90] + "' == 'y'\n"))
            )
            assert (await run_sync(world.verify)).checks == (False,)


@pytest.mark.parametrize("number", [2**61 - 1, -(2**200), 1e300])
def test_an_own_state_has_no_numbers_whose_hashes_can_be_chosen(number: float) -> None:
    content = json.loads(json.dumps(STATE.content))
    beds = [{**next(iter(content["beds"].values())), "id": f"B{each}", "room_id": number} for each in range(2)]
    content["beds"] = {bed["id"]: bed for bed in beds}
    state = STATE.model_copy(update={"content": content})
    task = TASK.model_copy(update={"state_digest": state.digest})
    with rl.local(ROOT) as gym, pytest.raises(LaunchError, match="has a number that is not below"):
        gym.open(task, state=state)


ENDLESS = "def check_func(final_state):\n    n = {}\n    while True:\n        n = n + 1\n    return True\n"
HUGE = "def check_func(final_state):\n    text = 'x' * {}\n    return len(text) > 1\n"
LARGE = "def check_func(final_state):\n    text = 'x' * 62914560\n    while text:\n        pass\n    return True\n"


async def test_checks_that_do_not_end_hold_up_no_other_verdict_and_share_the_seconds_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verdicts, "SECONDS", 1.0)
    async with farm_here() as farm:
        with farm.client() as client:
            (mine,) = await run_sync(lambda: client.open_many("hospital_stays", 1, scenario=TASK.id))
            task = own_task(*map(ENDLESS.format, range(6)))
            hostile = await run_sync(lambda: client.open_many("hospital_stays", 6, task=task))
            async with asyncio.TaskGroup() as group:
                judging = [group.create_task(run_sync(world.verify)) for world in hostile]
                await until(lambda: len(farm.front.verdicts.runs) == verdicts.PLACES_OF_HOLDER)
                began = time.monotonic()
                assert (await run_sync(mine.verify)).owner == "agent"
                assert not any(task.done() for task in judging)
                assert len(farm.front.verdicts.runs) == verdicts.PLACES_OF_HOLDER
            # Two rounds of one second each, and not six checks of ten seconds.
            assert time.monotonic() - began < 8
            for judged in judging:
                verdict = judged.result()
                assert (verdict.owner, verdict.checks) == ("agent", (False,) * 6)
                assert "have used up its 1 seconds" in verdict.reason


async def test_closing_a_world_ends_its_verdicts_those_too_that_wait_for_a_place() -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            worlds = await run_sync(lambda: client.open_many("hospital_stays", 4, task=own_task(ENDLESS.format(1))))
            async with asyncio.TaskGroup() as group:
                judging = [group.create_task(refused(world)) for world in worlds]
                hosted = list(farm.front.worlds)
                await until(lambda: sum(len(world.check_runs) + len(world.waiting_verdicts) for world in hosted) == 4)
                began = time.monotonic()
                for world in sorted(hosted, key=lambda world: not world.waiting_verdicts):
                    await farm.front.worlds.close(world)
            assert time.monotonic() - began < 5
            assert {task.result() for task in judging} == {"This world was closed while it was judged."}
            assert not farm.front.verdicts.runs


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to hold within 20 seconds")


async def refused(world: RemoteWorld) -> str:
    with pytest.raises(EnvScalerError) as refusal:
        await run_sync(world.verify)
    return str(refusal.value)


async def test_checks_of_own_tasks_have_less_memory_and_what_they_hold_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with farm_here() as farm:
        with farm.client() as client:
            huge, large = own_task(HUGE.format(300 << 20)), own_task(LARGE)
            (world,) = await run_sync(lambda: client.open_many("hospital_stays", 1, task=huge))
            assert "MemoryError" in (await run_sync(world.verify)).reason
            (world,) = await run_sync(lambda: client.open_many("hospital_stays", 1, task=large))
            memory = farm.front.worlds.memory
            async with asyncio.TaskGroup() as group:
                judging = group.create_task(refused(world))
                used = memory.used
                await until(lambda: memory.used > used + (50 << 20))
                # Where the workers are full, the largest is ended, here the one of the checks; its verdict is asked for again.
                monkeypatch.setattr(memory, "_for_worlds", 10 << 20)
            assert "short of memory" in judging.result()


async def test_verdicts_of_one_token_that_are_read_as_data_leave_a_place_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()

    def slow(scenario: Scenario, *more: Any) -> Any:
        if scenario.task == "slow":
            release.wait(20)
        return judge(scenario, *more)

    monkeypatch.setattr(verdicts, "judge", slow)
    long = OwnTask(scenario=TASK.model_copy(update={"task": "slow"}), state=STATE)
    async with farm_here() as farm:
        with farm.client() as hostile, farm.client() as client:
            worlds = await run_sync(lambda: hostile.open_many("hospital_stays", 6, task=long))
            (mine,) = await run_sync(lambda: client.open_many("hospital_stays", 1, scenario=TASK.id))
            async with asyncio.TaskGroup() as group:
                judging = [group.create_task(run_sync(world.verify)) for world in worlds]
                await until(lambda: sum(len(world.waiting_verdicts) for world in farm.front.worlds) == 3)
                try:
                    assert (await run_sync(mine.verify)).owner == "agent"
                    assert not any(task.done() for task in judging)
                finally:
                    release.set()


async def test_a_token_has_its_keys_however_it_is_written_and_pushes_out_no_other() -> None:
    requests, done = IdempotentRequests(), list[str]()

    async def ask(authorization: str, key: str) -> None:
        async def do() -> Response:
            done.append(key)
            return Response()

        headers = [(b"idempotency-key", key.encode()), (b"authorization", authorization.encode())]
        request = Request({"type": "http", "headers": headers})
        await requests.answer(request, holder_of(token_in(request.headers["authorization"])), b"order", do)

    await ask("Bearer quiet", "mine")
    for number in range(2 * idempotency.KEPT_TOKENS):
        await ask(f"Basic {b64encode(f'user{number}:loud'.encode()).decode()}", "theirs")
    await ask("bearer  quiet", "mine")
    assert done == ["mine", "theirs"]


async def test_orders_that_are_refused_push_out_no_answer() -> None:
    requests, done = IdempotentRequests(), list[str]()

    async def ask(token: str, key: str, status: int) -> int:
        async def do() -> Response:
            done.append(key)
            return Response(status_code=status)

        request = Request({"type": "http", "headers": [(b"idempotency-key", key.encode())]})
        return (await requests.answer(request, holder_of(token), b"order", do)).status_code

    await ask("quiet", "mine", 201)
    for number in range(2 * idempotency.KEPT_TOKENS):
        await ask(f"loud{number}", "refused", 404)
    for number in range(2 * idempotency.KEPT_KEYS):
        await ask("quiet", f"refused{number}", 422)
    done.clear()
    assert await ask("quiet", "mine", 201) == 201
    assert not done


async def test_places_go_to_the_holder_with_the_fewest() -> None:
    places, served = verdicts.Places(), list[str]()
    release = asyncio.Event()

    async def one(holder: str) -> None:
        async with places.taken(holder, set()):
            served.append(holder)
            await release.wait()

    async with asyncio.TaskGroup() as group:
        for holder in ("greedy",) * 8 + ("quiet",) * 2:
            group.create_task(one(holder))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert served == ["greedy"] * 3 + ["quiet"]
        release.set()
    assert sorted(served) == ["greedy"] * 8 + ["quiet"] * 2


def own_task(*checks: str) -> OwnTask:
    """A stored task with other checks."""
    asked = tuple(Check(check_item="Has it?", check_func=check) for check in checks)
    return OwnTask(scenario=TASK.model_copy(update={"checks": asked}), state=STATE)
