"""A class: visitors join by a link, have a world of their own each, and the teacher sees who has solved what."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest

from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.access import SESSION_KEY
from envscaler_mcp.farm.class_plane import SeatPlane
from envscaler_mcp.farm.worlds import FullError
from envscaler_mcp.studio.class_schemas import CLASS_OPERATIONS, SEAT_OPERATIONS
from envscaler_mcp.studio.schemas import STUDIO_OPERATIONS
from tests.farm.farms import Here, farm_program
from tests.studio.visitors import ENVIRONMENT, TASK, Visitor, joined, studio, visitor

SECOND_TASK = "hospital_stays-medium-02"


@asynccontextmanager
async def school(
    *names: str, config: Any = None, **order: Any
) -> AsyncIterator[tuple[Here, Visitor, Any, list[Visitor]]]:
    """A class with these visitors: the farm, the teacher, the board, and their pages."""
    async with AsyncExitStack() as stack:
        farm, teacher = await stack.enter_async_context(studio(**config or {}))
        board = await teacher.ask("POST", "/v1/classes", {"environment": ENVIRONMENT, "scenario": TASK, **order})
        pages = [await stack.enter_async_context(joined(farm.url, board["address"], name)) for name in names]
        yield farm, teacher, board, pages


def path_of(board: Any) -> str:
    return f"/v1/classes/{board['name']}"


async def place_of(page: Visitor) -> str:
    return f"/v1/worlds/{(await page.get('/v1/seat'))['seat']}"


async def solve(page: Visitor, teacher: Visitor, task: str = TASK) -> None:
    """Make the calls of the solution, as a clever visitor would."""
    tasks = (await teacher.get(f"/v1/environments/{ENVIRONMENT}/scenarios"))["scenarios"]
    place = await place_of(page)
    for call in next(each for each in tasks if each["id"] == task)["oracle"]:
        await page.call(place, call["tool"], **call["arguments"])


async def test_each_visitor_has_a_world_of_their_own_and_the_board_shows_who_has_solved_the_task() -> None:
    async with school("Ada", "Ben", "Ada") as (_, teacher, board, (ada, ben, _other)):
        places = [await place_of(page) for page in (ada, ben)]
        await ben.call(places[1], "block_bed", bed_id="BED-00005", reason="broken rail")
        await solve(ada, teacher)
        seats = {seat["name"]: seat for seat in (await teacher.get(path_of(board)))["seats"]}
        assert list(seats) == ["Ada", "Ben", "Ada 2"]
        assert seats["Ada"]["results"][0]["solved_after"] > 0
        assert all(seats["Ada"]["results"][0]["holds"])
        assert (seats["Ben"]["results"][0]["solved_after"], seats["Ben"]["results"][0]["calls"]) == (None, 1)
        assert seats["Ada 2"]["results"][0]["calls"] == 0
        assert len({seat["world"] for seat in seats.values()}) == 3


async def test_worlds_of_visitors_and_forks_are_listed_as_such() -> None:
    async with school("Ada") as (_, teacher, _board, _pages):
        path = await teacher.opened()
        await teacher.ask("POST", f"{path}/fork", {}, 201)
        worlds = (await teacher.get("/v1/worlds"))["worlds"]
        kinds = [(card.get("of_class", False), card.get("fork", False)) for card in worlds]
        assert sorted(kinds) == [(False, False), (False, True), (True, False)]


async def test_a_visitor_reaches_their_own_world_and_nothing_else() -> None:
    async with school("Ada", "Ben") as (farm, teacher, board, (ada, ben)):
        others = [await place_of(ben), *(f"/v1/worlds/{world.name}" for world in farm.front.worlds)]
        for path in others:
            for what in ("", "/tables", "/timeline", "/checks", "/events"):
                assert (await ada.web.get(path + what)).status_code == 404, path + what
            assert (await ada.web.post(f"{path}/call", json={"tool": "list_beds"})).status_code == 404
        own = {(operation.method, operation.path) for operation in SEAT_OPERATIONS}
        for operation in (*STUDIO_OPERATIONS, *CLASS_OPERATIONS):
            if (operation.method, operation.path) in own:
                continue
            place = (await place_of(ada)).rpartition("/")[2]
            there = operation.path.replace("{name}", place).replace("{class}", board["name"])
            there = there.replace("{environment}", ENVIRONMENT)
            status = (await ada.web.request(operation.method, there, json={})).status_code
            assert status in (404, 405), operation
        assert (await ada.web.get("/v1/environments/expense_desk")).status_code == 404
        assert len((await teacher.get(path_of(board)))["seats"]) == 2


async def test_a_visitor_is_never_shown_the_name_or_address_of_a_world_or_the_solution() -> None:
    async with school("Ada") as (farm, teacher, _, (ada,)):
        await solve(ada, teacher)
        names = [world.name for world in farm.front.worlds]
        place = (await place_of(ada)).rpartition("/")[2]
        for operation in SEAT_OPERATIONS:
            if operation.method != "GET" or operation.does == "events":
                continue
            there = operation.path.replace("{name}", place).replace("{environment}", ENVIRONMENT)
            answer = await ada.web.get(there)
            assert answer.status_code == 200, answer.text
            assert not any(name in answer.text for name in names)
        assert (await ada.get(await place_of(ada) + "/checks"))["steps"] == 0


async def test_every_change_that_a_visitor_can_make_is_refused_while_the_class_is_locked() -> None:
    changes = {operation.does for operation in SEAT_OPERATIONS if operation.method != "GET"}
    assert changes == {"again", "record", "call", "undo"}
    assert all(f"_do_{does}" in vars(SeatPlane) for does in changes - {"record"})
    async with school("Ada") as (_, teacher, board, (ada,)):
        place = await place_of(ada)
        await ada.call(place, "block_bed", bed_id="BED-00005", reason="broken rail")
        await teacher.ask("POST", f"{path_of(board)}/rules", {"locked": True})
        before = await ada.get(f"{place}/tables")
        orders = {"call": {"tool": "list_beds", "arguments": {}}, "undo": {"after": 0}}
        for does, order in orders.items():
            refusal = await ada.ask("POST", f"{place}/{does}", order, status=400)
            assert "locked" in refusal["error"]
        await ada.ask("POST", "/v1/seat/again", status=400)
        assert await ada.get(f"{place}/tables") == before
        assert (await ada.get("/v1/seat"))["locked"]
        await teacher.ask("POST", f"{path_of(board)}/rules", {"locked": False})
        await ada.ask("POST", f"{place}/undo", {"after": 0})


async def test_the_teacher_resets_goes_on_to_another_task_and_sends_visitors_away() -> None:
    async with school("Ada", "Ben") as (farm, teacher, board, (ada, ben)):
        await solve(ada, teacher)
        await ben.call(await place_of(ben), "block_bed", bed_id="BED-00005", reason="broken rail")
        seats = (await teacher.get(path_of(board)))["seats"]
        board = await teacher.ask("POST", f"{path_of(board)}/reset", {"seat": seats[1]["seat"]})
        assert [seat["results"][0]["calls"] for seat in board["seats"]] == [seats[0]["results"][0]["calls"], 0]
        board = await teacher.ask("POST", f"{path_of(board)}/task", {"scenario": SECOND_TASK})
        assert [task["id"] for task in board["tasks"]] == [TASK, SECOND_TASK]
        assert board["seats"][0]["results"][0]["solved_after"] > 0
        assert board["seats"][0]["results"][1]["solved_after"] is None
        assert (await ada.get(f"{await place_of(ada)}/checks"))["id"] == SECOND_TASK
        await solve(ada, teacher, SECOND_TASK)
        board = await teacher.get(path_of(board))
        assert [result["solved_after"] is not None for result in board["seats"][0]["results"]] == [True, True]
        await teacher.ask("POST", f"{path_of(board)}/remove", {"seat": seats[0]["seat"]})
        assert (await ada.web.get("/v1/seat")).status_code == 404
        assert (await ben.web.get("/v1/seat")).status_code == 200
        await teacher.ask("DELETE", path_of(board))
        assert (await ben.web.get("/v1/seat")).status_code == 404
        assert len(farm.front.worlds) == 0
        assert (await teacher.get("/v1/classes"))["classes"] == []


async def test_a_visitor_starts_again_with_a_fresh_world_also_where_theirs_has_ended() -> None:
    async with school("Ada") as (farm, teacher, board, (ada,)):
        place = await place_of(ada)
        await ada.call(place, "block_bed", bed_id="BED-00005", reason="broken rail")
        first = await ada.get("/v1/seat")
        await ada.ask("POST", "/v1/seat/again")
        assert ((await ada.get("/v1/seat"))["world"], first["world"]) == (2, 1)
        assert (await ada.get(f"{place}/timeline"))["steps"] == []
        (world,) = farm.front.worlds
        await teacher.ask("DELETE", f"/v1/worlds/{world.name}")
        assert (await ada.get("/v1/seat"))["world"] == 0
        assert (await ada.web.get(f"{place}/tables")).status_code == 404
        assert (await teacher.get(path_of(board)))["seats"][0]["world"] == ""
        await ada.ask("POST", "/v1/seat/again")
        assert (await ada.get(f"{place}/timeline"))["steps"] == []


@pytest.mark.parametrize("code", ["", "x", "ﬁ" * 9, "a" * 12])
async def test_a_wrong_code_lets_no_visitor_in(code: str) -> None:
    async with school() as (farm, teacher, board, _), httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        assert (await web.post("/studio/join", json={"code": code, "name": "Eve"})).status_code == 401
        assert (await teacher.get(path_of(board)))["seats"] == []


async def test_a_class_takes_no_more_visitors_than_it_has_places_and_none_while_the_door_is_closed() -> None:
    async with school(seats=3) as (farm, teacher, board, _):
        order = {"code": board["address"].rpartition("/")[2], "name": "Eve"}
        statuses: list[int] = []

        async def join() -> None:
            async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
                statuses.append((await web.post("/studio/join", json=order)).status_code)

        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(join)
        assert sorted(statuses) == [201, 201, 201, 503, 503, 503]
        assert len(farm.front.worlds) == 3
        await teacher.ask("POST", f"{path_of(board)}/remove", {})
        await teacher.ask("POST", f"{path_of(board)}/rules", {"joining": False})
        statuses.clear()
        await join()
        assert (statuses, len(farm.front.worlds)) == ([400], 0)


async def test_the_session_of_a_visitor_is_no_other_session() -> None:
    async with school("Ada") as (farm, teacher, board, (ada,)):
        ((name, cookie),) = ada.web.cookies.items()
        ((own_name, _),) = teacher.web.cookies.items()
        async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
            for headers in (
                {"cookie": f"{name}={cookie}"},
                {"cookie": f"{name}={cookie.replace('seat', 'control', 1)}", SESSION_KEY: ada.web.headers[SESSION_KEY]},
                {"cookie": f"{name}={cookie}", SESSION_KEY: teacher.web.headers[SESSION_KEY]},
            ):
                assert (await web.get("/v1/seat", headers=headers)).status_code == 401
            both = {"cookie": f"{own_name}={cookie}", SESSION_KEY: ada.web.headers[SESSION_KEY]}
            assert (await web.get(path_of(board), headers=both)).status_code == 404


async def test_a_teacher_may_join_the_class_in_the_same_browser() -> None:
    async with school() as (_, teacher, board, _visitors):
        code = board["address"].rpartition("/")[2]
        answer = await teacher.web.post("/studio/join", json={"code": code, "name": "Me"})
        assert (await teacher.get(path_of(board)))["seats"][0]["name"] == "Me"
        seat = await teacher.web.get("/v1/seat", headers={SESSION_KEY: answer.json()["key"]})
        assert seat.json()["name"] == "Me"


async def test_a_reader_sees_no_class() -> None:
    async with school("Ada") as (farm, _, board, _visitors), visitor(farm.url, "read") as reader:
        for path in ("/v1/classes", path_of(board), "/v1/seat"):
            assert (await reader.web.get(path)).status_code == 404
        assert (await reader.web.post(f"{path_of(board)}/rules", json={"locked": True})).status_code == 403


async def test_a_class_of_unread_worlds_in_workers_is_played_alike() -> None:
    async with school("Ada", config={"isolation": "auto"}) as (_, teacher, board, (ada,)):
        await solve(ada, teacher)
        assert (await teacher.get(path_of(board)))["seats"][0]["results"][0]["solved_after"] > 0


async def test_what_is_no_class_and_no_task_is_refused() -> None:
    async with school() as (_, teacher, board, _visitors):
        for order, status in (
            ({"environment": "no_such", "scenario": TASK}, 404),
            ({"environment": ENVIRONMENT, "scenario": "no-such"}, 404),
            ({"environment": ENVIRONMENT, "scenario": TASK, "seats": 100_000}, 400),
            ({"environment": ENVIRONMENT, "scenario": TASK, "hours": float(10**9)}, 400),
        ):
            await teacher.ask("POST", "/v1/classes", order, status)
        await teacher.ask("POST", f"{path_of(board)}/reset", {"seat": "no-such"}, 404)
        await teacher.ask("GET", "/v1/classes/no-such", status=404)
        for _ in range(19):
            await teacher.ask("POST", "/v1/classes", {"environment": ENVIRONMENT, "scenario": TASK})
        await teacher.ask("POST", "/v1/classes", {"environment": ENVIRONMENT, "scenario": TASK}, 503)


async def test_a_teacher_who_leaves_a_class_in_the_same_browser_stays_logged_in() -> None:
    async with school("Ada") as (_, teacher, board, (ada,)):
        for name, value in ada.web.cookies.items():
            teacher.web.cookies.set(name, value)
        left = await teacher.web.post("/studio/leave")
        assert left.headers["set-cookie"].startswith("envscaler_seat_")
        assert (await teacher.get(path_of(board)))["name"] == board["name"]
        logged_out = await teacher.web.post("/studio/logout")
        assert logged_out.headers["set-cookie"].startswith("envscaler_studio_")


async def test_results_stay_with_their_tasks_where_a_fresh_world_could_not_be_opened() -> None:
    async with school("Ada") as (farm, teacher, board, (ada,)):
        await solve(ada, teacher)
        await teacher.get(path_of(board))
        opening = farm.front.worlds.open

        async def full(*_: Any, **__: Any) -> Any:
            raise FullError("no place")

        farm.front.worlds.open = full  # type: ignore[method-assign]
        await teacher.ask("POST", f"{path_of(board)}/task", {"scenario": SECOND_TASK}, 503)
        farm.front.worlds.open = opening  # type: ignore[method-assign]
        after = await teacher.ask("POST", f"{path_of(board)}/task", {"scenario": TASK})
        solved = [result["solved_after"] is not None for result in after["seats"][0]["results"]]
        assert solved == [True, False, False]


async def test_a_visitor_who_asks_for_fresh_worlds_all_the_time_keeps_no_class_from_its_next_task() -> None:
    async with school("Ada", "Eve") as (farm, teacher, board, (ada, eve)):
        opening, opened = farm.front.worlds.open, asyncio.Event()

        async def slow(*arguments: Any, **options: Any) -> Any:
            opened.set()
            await asyncio.sleep(0.3)
            return await opening(*arguments, **options)

        farm.front.worlds.open = slow  # type: ignore[method-assign]
        again = asyncio.create_task(eve.web.post("/v1/seat/again"))
        await opened.wait()
        assert (await eve.web.post("/v1/seat/again")).status_code == 503
        after = await teacher.ask("POST", f"{path_of(board)}/task", {"scenario": SECOND_TASK})
        assert all(seat["world"] for seat in after["seats"])
        assert (await again).status_code == 200
        for page in (ada, eve):
            assert (await page.get(f"{await place_of(page)}/checks"))["id"] == SECOND_TASK


@asynccontextmanager
async def one_who_joins_slowly(farm: Here, board: Any) -> AsyncIterator[asyncio.Task[Any]]:
    """A visitor whose world is on its way, and opened after the block."""
    opening, asked, go_on = farm.front.worlds.open, asyncio.Event(), asyncio.Event()

    async def slow(*arguments: Any, **options: Any) -> Any:
        asked.set()
        await go_on.wait()
        return await opening(*arguments, **options)

    farm.front.worlds.open = slow  # type: ignore[method-assign]
    classes = farm.front.class_plane._classes
    joining = asyncio.create_task(classes.join(classes.named(board["name"]), "Late"))
    await asked.wait()
    farm.front.worlds.open = opening  # type: ignore[method-assign]
    yield joining
    go_on.set()
    await asyncio.wait([joining])


async def test_a_visitor_who_comes_while_the_class_goes_on_is_seated_at_its_new_task() -> None:
    async with school("Ada") as (farm, teacher, board, (ada,)):
        async with one_who_joins_slowly(farm, board) as joining:
            await teacher.ask("POST", f"{path_of(board)}/task", {"scenario": SECOND_TASK})
        seat = await joining
        assert seat.world.session.scenario.id == SECOND_TASK
        late = (await teacher.get(path_of(board)))["seats"][1]
        assert [result["calls"] for result in late["results"]] == [0, 0]
        assert sum(world.of_class for world in farm.front.worlds) == 2
        assert (await ada.get(f"{await place_of(ada)}/checks"))["id"] == SECOND_TASK


async def test_no_visitor_is_let_in_whose_world_was_on_its_way_when_the_door_was_closed() -> None:
    async with school("Ada") as (farm, teacher, board, _):
        async with one_who_joins_slowly(farm, board) as joining:
            await teacher.ask("POST", f"{path_of(board)}/rules", {"joining": False})
        with pytest.raises(WorldError, match="lets no one else in"):
            await joining
        assert [seat["name"] for seat in (await teacher.get(path_of(board)))["seats"]] == ["Ada"]
        assert sum(world.of_class for world in farm.front.worlds) == 1


async def test_a_visitor_who_gets_no_world_keeps_no_other_from_theirs() -> None:
    async with school("Ada", "Ben") as (farm, teacher, board, (_ada, ben)):
        opening, times = farm.front.worlds.open, 0

        async def full_at_first(*arguments: Any, **options: Any) -> Any:
            nonlocal times
            times += 1
            if times == 1:
                raise FullError("no place")
            return await opening(*arguments, **options)

        farm.front.worlds.open = full_at_first  # type: ignore[method-assign]
        after = await teacher.ask("POST", f"{path_of(board)}/task", {"scenario": SECOND_TASK})
        assert [bool(seat["world"]) for seat in after["seats"]] == [False, True]
        assert (await ben.get(f"{await place_of(ben)}/checks"))["id"] == SECOND_TASK


async def test_a_world_that_cannot_be_looked_at_hides_no_other_from_the_board() -> None:
    async with school("Eve", "Ada") as (farm, teacher, board, (_eve, ada)):
        verdict = farm.front.verdicts.verdict
        name = (await teacher.get(path_of(board)))["seats"][0]["world"]

        async def busy(world: Any, scoring: Any, holder: str) -> Any:
            if world.name == name:
                await asyncio.Event().wait()
            return await verdict(world, scoring, holder)

        farm.front.verdicts.verdict = busy  # type: ignore[method-assign]
        world = farm.front.worlds.named(name)
        world.calls += 1
        await ada.call(await place_of(ada), "block_bed", bed_id="BED-00005", reason="broken rail")
        for calls in (1, 2, 3):
            seats = (await teacher.get(path_of(board)))["seats"]
            assert [seat["results"][0]["calls"] for seat in seats] == [0, calls]
            await ada.call(await place_of(ada), "list_beds")


async def test_a_class_is_held_at_no_benchmark() -> None:
    async with school() as (farm, teacher, _, _visitors):
        farm.front.worlds.environments.benchmarks["bfcl-v3"] = None  # type: ignore[index]
        refusal = await teacher.ask("POST", "/v1/classes", {"environment": "bfcl-v3", "scenario": "any"}, 400)
        assert "benchmark" in refusal["error"]


async def test_a_board_is_as_the_document_of_the_control_plane_says() -> None:
    async with school("Ada") as (farm, teacher, board, _):
        headers = {"authorization": f"Bearer {farm.token('control')}"}
        document = (await teacher.web.get(f"http://127.0.0.1:{farm.control}/openapi.json", headers=headers)).json()
        content = document["paths"]["/v1/classes/{class}"]["get"]["responses"]["200"]["content"]
        schema = {**content["application/json"]["schema"], "components": document["components"]}
        jsonschema.validate(await teacher.get(path_of(board)), schema)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
async def test_fifty_visitors_play_worlds_of_their_own_at_once(tmp_path: Path, processes: int) -> None:
    took: dict[str, list[float]] = {"join": [], "call": [], "checks": []}

    async def timed(what: str, asking: Any) -> Any:
        began = time.perf_counter()
        answer = await asking
        took[what].append(time.perf_counter() - began)
        return answer

    with farm_program(tmp_path, "--studio", processes=processes) as farm:
        async with AsyncExitStack() as stack:
            teacher = await stack.enter_async_context(visitor(farm.url))
            order = {"environment": ENVIRONMENT, "scenario": TASK}
            board = await teacher.ask("POST", "/v1/classes", order)
            tasks = (await teacher.get(f"/v1/environments/{ENVIRONMENT}/scenarios"))["scenarios"]
            calls = next(task for task in tasks if task["id"] == TASK)["oracle"]
            pages: list[Visitor] = []

            # Made first: what a program needs for its client is no part of joining.
            webs = [httpx2.AsyncClient(base_url=farm.url, trust_env=False, timeout=60) for _ in range(50)]

            async def join(number: int, web: httpx2.AsyncClient) -> None:
                page = Visitor(await stack.enter_async_context(web))
                order = {"code": board["address"].rpartition("/")[2], "name": f"Visitor {number}"}
                answer = await timed("join", page.ask("POST", "/studio/join", order, 201))
                page.web.headers[SESSION_KEY] = answer["key"]
                pages.append(page)

            async def play(number: int, page: Visitor) -> None:
                place = await place_of(page)
                for call in calls if number % 2 else calls[:1]:
                    await timed("call", page.call(place, call["tool"], **call["arguments"]))
                    await timed("checks", page.get(f"{place}/checks"))

            async with anyio.create_task_group() as group:
                for number, web in enumerate(webs):
                    group.start_soon(join, number, web)
            async with anyio.create_task_group() as group:
                for number, page in enumerate(pages):
                    group.start_soon(play, number, page)
            began = time.perf_counter()
            board = await teacher.get(path_of(board))
            for what, seconds in took.items():
                middle, last = sorted(seconds)[len(seconds) // 2], max(seconds)
                print(
                    f"{processes} processes: {len(seconds)} {what}: {1000 * middle:.0f} ms, slowest {1000 * last:.0f} ms"
                )
            print(f"the board: {1000 * (time.perf_counter() - began):.0f} ms")
    solved = [seat for seat in board["seats"] if seat["results"][0]["solved_after"] is not None]
    assert (len(board["seats"]), len(solved)) == (50, 25)
    assert len({seat["world"] for seat in board["seats"]}) == 50
    assert max(took["call"]) < 5
