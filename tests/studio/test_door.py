"""Who is let into the studio, and what readers and pages of other sites are refused."""

from __future__ import annotations

import json
import re
from functools import partial

import anyio.to_thread
import httpx2
import pytest

from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.access import SESSION_KEY as KEY
from envscaler_mcp.farm.access import Guards
from envscaler_mcp.farm.studio_door import StudioDoor, code_for
from envscaler_mcp.farm.tokens import token_for
from envscaler_mcp.studio.pages import STATIC
from envscaler_mcp.studio.schemas import READER_OPERATIONS, STUDIO_OPERATIONS, ShareAnswer
from tests.farm.farms import SECRET, Here, farm_here, farm_program
from tests.studio.visitors import ENVIRONMENT, TASK, studio, visitor

HTML = {"accept": "text/html"}


async def test_a_code_opens_one_session() -> None:
    async with farm_here(studio=True) as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        code = code_for(SECRET)
        path = f"/studio/login/{code.split('.')[3]}"
        statuses = [(await web.post(path, json={"code": code})).status_code for _ in range(2)]
        assert statuses == [201, 401]


@pytest.mark.parametrize(
    "code",
    ["", "x", code_for(b"another secret that is long enough"), code_for(SECRET, seconds=-1), f"{code_for(SECRET)}0"],
)
async def test_a_code_that_this_farm_did_not_make_or_that_is_over_opens_nothing(code: str) -> None:
    async with farm_here(studio=True) as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        number = code.split(".")[3] if code.count(".") == 4 else "x"
        assert (await web.post(f"/studio/login/{number}", json={"code": code})).status_code == 401


async def test_the_cookie_alone_opens_nothing_and_is_no_token() -> None:
    async with studio() as (farm, owner):
        ((name, cookie),) = owner.web.cookies.items()
        attempts = [
            {"cookie": f"{name}={cookie}"},
            {"cookie": f"{name}={cookie}", KEY: "0" * 64},
            {KEY: owner.web.headers[KEY]},
            {"authorization": f"Bearer {cookie}"},
            {"cookie": f"{name}={cookie.replace('control', 'read')}", KEY: owner.web.headers[KEY]},
        ]
        async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
            for headers in attempts:
                assert (await web.get("/v1/worlds", headers=headers)).status_code == 401


async def test_the_session_is_a_cookie_that_no_script_and_no_other_site_gets() -> None:
    async with farm_here(studio=True) as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        answer = await web.post("/studio/login", json={"token": farm.token("control")})
        cookie = answer.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/v1/"))
        assert farm.token("control") not in answer.text + cookie


async def test_a_token_for_agents_does_not_log_in() -> None:
    async with farm_here(studio=True) as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        assert (await web.post("/studio/login", json={"token": farm.token("agent")})).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example"}, {"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"}],
)
async def test_pages_of_other_sites_are_refused(headers: dict[str, str]) -> None:
    async with studio() as (farm, owner):
        for method, path in (("POST", "/studio/login"), ("POST", "/v1/worlds"), ("GET", "/v1/worlds"), ("GET", "/")):
            answer = await owner.web.request(method, path, json={}, headers={**HTML, **headers})
            assert answer.status_code == 403, (method, path)
        assert len(farm.front.worlds) == 0


async def test_a_reader_changes_nothing() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened(scenario=TASK)
        before = await owner.hash(path)
        async with visitor(farm.url, "read") as reader:
            (card,) = (await reader.get("/v1/worlds"))["worlds"]
            for name in (card["name"], path.split("/")[-1]):
                for operation in STUDIO_OPERATIONS:
                    if operation.method == "GET":
                        continue
                    there = operation.path.replace("{name}", name).replace("{environment}", ENVIRONMENT)
                    answer = await reader.web.request(operation.method, there, json={})
                    assert answer.status_code == 403, operation
        assert (len(farm.front.worlds), await owner.hash(path)) == (1, before)


async def test_a_reader_sees_a_world_and_never_its_name_or_address() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened(scenario=TASK)
        await owner.ask("POST", f"{path}/fork", {}, 201)
        name = path.split("/")[-1]
        names = {world.name for world in farm.front.worlds}
        async with visitor(farm.url, "read") as reader:
            cards = (await reader.get("/v1/worlds"))["worlds"]
            for card in cards:
                for operation in READER_OPERATIONS:
                    if operation.does == "events":
                        continue
                    there = operation.path.replace("{name}", card["name"]).replace("{environment}", ENVIRONMENT)
                    answer = await reader.web.get(there)
                    assert answer.status_code == 200, (operation, answer.text)
                    assert not any(secret in answer.text for secret in names), operation
            assert (await reader.web.get(f"/v1/worlds/{name}/state")).status_code == 404


async def test_a_reader_is_not_shown_solutions_or_tasks_that_are_held_out() -> None:
    async with studio() as (farm, owner), visitor(farm.url, "read") as reader:
        everything = (await owner.get(f"/v1/environments/{ENVIRONMENT}/tasks"))["tasks"]
        shown = (await reader.get(f"/v1/environments/{ENVIRONMENT}/tasks"))["tasks"]
        assert shown == [task for task in everything if task["split"] == "train"]
        assert (await reader.web.get(f"/v1/environments/{ENVIRONMENT}/scenarios")).status_code == 404


async def test_programs_with_a_token_use_the_same_operations() -> None:
    async with farm_here(studio=True) as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        for scope, status in (("control", 201), ("read", 403), ("agent", 401)):
            headers = {"authorization": f"Bearer {_token(farm, scope)}"}
            answer = await web.post("/v1/worlds", json={"environment": ENVIRONMENT}, headers=headers)
            assert answer.status_code == status


def _token(farm: Here, scope: str) -> str:
    return farm.token(scope)  # type: ignore[arg-type]


async def test_a_farm_without_a_studio_has_neither_its_pages_nor_its_operations() -> None:
    async with farm_here() as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        assert "EnvScaler farm" in (await web.get("/", headers=HTML)).text
        token = {"authorization": f"Bearer {farm.token('control')}"}
        for path in ("/studio/main.js", "/v1/worlds", "/v1/catalogue"):
            assert (await web.get(path, headers=token)).status_code == 404


async def test_pages_may_load_and_run_only_what_the_farm_serves() -> None:
    async with farm_here(studio=True) as farm, httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
        page = await web.get("/", headers=HTML)
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\bstyle=", page.text)
        for path in re.findall(r'(?:src|href)="(/[^"]+)"', page.text):
            answer = await web.get(path)
            assert answer.status_code == 200
            again = await web.get(path, headers={"if-none-match": answer.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
        for path in ("/studio/../pages.py", "/studio/%2e%2e/pages.py", "/studio/pages.py", "/studio/x.js"):
            assert (await web.get(path)).status_code == 404


def test_the_pages_together_are_light_and_name_no_other_host() -> None:
    files = [file for file in STATIC.iterdir() if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 250_000
    for file in files:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", text), file.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", text), (
            file.name
        )


async def test_worlds_of_all_processes_are_shown_by_whichever_answers(tmp_path_factory: pytest.TempPathFactory) -> None:
    with farm_program(tmp_path_factory.mktemp("state")) as farm:
        async with visitor(farm.url) as owner, visitor(farm.url, "read") as reader:
            paths = [await owner.opened(scenario=TASK) for _ in range(6)]
            for path in paths:
                await owner.call(path, "list_wards")
                assert len((await owner.get(f"{path}/timeline"))["steps"]) == 1
            cards = (await reader.get("/v1/worlds"))["worlds"]
            assert len(cards) == 6
            for card in cards:
                assert len((await reader.get(f"/v1/worlds/{card['name']}/timeline"))["steps"]) == 1


async def test_a_reader_hears_what_happens_as_it_happens() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened()
        async with visitor(farm.url, "read") as reader:
            (card,) = (await reader.get("/v1/worlds"))["worlds"]
            async with reader.web.stream("GET", f"/v1/worlds/{card['name']}/events") as events:
                lines = events.aiter_lines()
                assert await anext(lines) == ": watching"
                await owner.call(path, "list_wards")
                while not (line := await anext(lines)).startswith("data: "):
                    pass
    assert json.loads(line.removeprefix("data: "))["tool"] == "list_wards"


async def test_a_shared_address_opens_one_page_that_may_only_look() -> None:
    async with studio() as (farm, owner):
        path = await owner.opened(scenario=TASK)
        address = (await owner.ask("POST", f"{path}/share"))["address"]
        assert path.split("/")[-1] not in address
        code, alias = re.fullmatch(r"\S+/#code=([\w.-]+)&at=world/([\w-]+)/live", address).groups()  # type: ignore[union-attr]
        async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
            login = f"/studio/login/{code.split('.')[3]}"
            opened = await web.post(login, json={"code": code})
            assert (opened.status_code, opened.json()["scope"]) == (201, "read")
            web.headers[KEY] = opened.json()["key"]
            assert (await web.get(f"/v1/worlds/{alias}/checks")).json()["id"] == TASK
            assert (await web.post(f"/v1/worlds/{alias}/share")).status_code == 403
            assert (await web.post(login, json={"code": code})).status_code == 401


async def test_a_farm_without_a_studio_shares_nothing() -> None:
    async with farm_here() as farm:
        with farm.client() as owner:
            world = await anyio.to_thread.run_sync(owner.open, ENVIRONMENT)
            shared = partial(owner.ask, "POST", f"/v1/worlds/{world.name}/share", None, ShareAnswer)
            with pytest.raises(WorldError, match="--studio"):
                await anyio.to_thread.run_sync(shared)


async def test_a_session_counts_as_its_token_whatever_its_page_calls_itself() -> None:
    async with farm_here(studio=True) as farm:
        token = farm.token("control")
        door = StudioDoor(SECRET, farm.front.worlds.share, Guards(SECRET), farm.url)
        holders = {door.visitor({"authorization": f"Bearer {token}"}).holder}  # type: ignore[union-attr]
        for _ in range(3):
            async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
                opened = await web.post("/studio/login", json={"token": token})
                key = opened.json()["key"]
                headers = {"cookie": f"{door.cookie}={web.cookies[door.cookie]}", KEY: key}
                holders.add(door.visitor(headers).holder)  # type: ignore[union-attr]
                web.headers[KEY] = key
                assert (await web.get("/v1/worlds")).status_code == 200
                # A name of its own choice beside the session is no name, and opens nothing.
                invented = {"authorization": "Bearer another"}
                assert (await web.get("/v1/worlds", headers=invented)).status_code == 401
        assert len(holders) == 1
        assert token not in holders.pop()


async def test_a_shared_address_shows_one_world_and_no_longer_than_its_sharer_may_be_there() -> None:
    async with studio() as (farm, owner):
        shared, other = await owner.opened(scenario=TASK), await owner.opened(scenario=TASK)
        door = StudioDoor(SECRET, farm.front.worlds.share, Guards(SECRET), farm.url)
        async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as sharer:
            sharer.headers["authorization"] = f"Bearer {token_for(SECRET, 'control', 30.0)}"
            address = (await sharer.post(f"{shared}/share")).json()["address"]
        code, alias = re.fullmatch(r"\S+/#code=([\w.-]+)&at=world/([\w-]+)/live", address).groups()  # type: ignore[union-attr]
        async with httpx2.AsyncClient(base_url=farm.url, trust_env=False) as web:
            opened = await web.post(f"/studio/login/{code.split('.')[3]}", json={"code": code})
            assert 0 < opened.json()["seconds"] <= 30
            web.headers[KEY] = opened.json()["key"]
            assert [card["name"] for card in (await web.get("/v1/worlds")).json()["worlds"]] == [alias]
            assert (await web.get(f"/v1/worlds/{alias}/state")).status_code == 200
            hidden = door.alias(other.split("/")[-1])
            for part in ("", "/state", "/checks", "/timeline", "/tables"):
                assert (await web.get(f"/v1/worlds/{hidden}{part}")).status_code == 404, part
