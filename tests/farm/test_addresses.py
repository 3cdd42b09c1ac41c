"""What the addresses of a farm say to people and programs that do not speak the protocol yet."""

from __future__ import annotations

from html import unescape

import pytest

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.farm.world_pages import NOTHING_FOR_OWNERS, advice, environment_page, guest_page
from envscaler_mcp.serving.tasks import load_scenarios
from tests.adversary.farm_of_neighbours import farm_of
from tests.farm.farms import ROOT

PLACE = "hospital_stays"
TASKS = load_scenarios(ROOT / "generated_servers" / PLACE)
LATER = next(task for task in TASKS if task.state == "start_2" and task.split == "train")
HIDDEN = next(task for task in TASKS if task.split == "held_out")
PEOPLE = {"accept": "text/html,*/*"}
TOOL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


async def test_a_person_sees_what_an_environment_is_and_a_program_gets_the_same_as_json() -> None:
    async with farm_of(ROOT) as farm:
        page = await farm.agents.get(f"/e/{PLACE}", headers=PEOPLE)
        said = (await farm.agents.get(f"/e/{PLACE}")).json()
        assert page.headers["content-type"].startswith("text/html")
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "script" not in page.text
        for words in (said["title"], *said["tools"], said["new"]):
            assert words in unescape(page.text)


async def test_a_link_to_a_scenario_opens_a_world_at_its_state_and_tells_its_task() -> None:
    async with farm_of(ROOT) as farm:
        invited = (await farm.agents.get(f"/e/{PLACE}/new", params={"scenario": LATER.id})).json()
        assert invited["task"] == LATER.task
        offered = [prompt["name"] for prompt in (await farm.ask(invited, "prompts/list"))["prompts"]]
        assert LATER.id in offered
        for step in LATER.oracle:
            assert '"success":true' in await farm.call(invited, step.tool, **dict(step.arguments))
        assert LATER.id in [prompt["name"] for prompt in (await farm.ask(invited, "prompts/list"))["prompts"]]
        page = await farm.agents.get(f"/e/{PLACE}/new", params={"scenario": LATER.id}, headers=PEOPLE)
        assert LATER.task in unescape(page.text)


async def test_visitors_begin_at_no_task_that_is_held_out_and_make_no_link_themselves() -> None:
    async with farm_of(ROOT) as farm:
        for named in (HIDDEN.id, "no-such-task", "../x"):
            told = await farm.agents.get(f"/e/{PLACE}/new", params={"scenario": named})
            assert told.status_code == 404
            assert "prompts/list" in told.json()["error"]
        url = (await farm.agents.get(f"/e/{PLACE}/new")).json()["url"]
        path = url[url.index("/e/") :].removesuffix("/mcp")
        assert (await farm.agents.post(f"{path}.{LATER.id}/mcp", json=TOOL)).status_code == 404
        url = (await farm.agents.get(f"/e/{PLACE}/new", params={"scenario": LATER.id})).json()["url"]
        assert (
            await farm.agents.post(url[url.index("/e/") :].replace(LATER.id, HIDDEN.id), json=TOOL)
        ).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "advised"),
    [
        ("POST", f"/e/{PLACE}/new", f"GET /e/{PLACE}/new"),
        ("POST", f"/e/{PLACE}", f"GET /e/{PLACE}/new"),
        ("GET", f"/e/{PLACE}/world", f"/e/{PLACE}/WORLD/mcp"),
        ("POST", "/mcp", "/e/ENV_ID/new"),
        ("GET", "/sse", "/e/ENV_ID/new"),
        ("GET", "/nothing", "/v0.1/servers"),
        ("GET", "/openapi.json", "`envscaler farm` names"),
        ("POST", "/openenv/x/reset", "`envscaler farm` names"),
    ],
)
async def test_a_wrong_address_says_which_one_was_meant(method: str, path: str, advised: str) -> None:
    async with farm_of(ROOT) as farm:
        told = await farm.agents.request(method, path)
    assert told.status_code in (404, 405)
    assert told.json() == {"error": advice(path, method)}
    assert advised in told.json()["error"]


async def test_a_wrong_address_of_the_control_plane_names_what_is_there() -> None:
    async with farm_of(ROOT) as farm:
        told = await farm.owners.get("/nothing")
        assert (told.status_code, told.json()) == (404, {"error": NOTHING_FOR_OWNERS})
        assert (await farm.owners.get("/openapi.json")).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{}, PEOPLE, {**PEOPLE, "sec-purpose": "prefetch;prerender"}, {"user-agent": "preview-bot/1.0"}],
    ids=["program", "person", "prefetch", "preview"],
)
async def test_a_visit_of_a_guest_link_opens_no_world(headers: dict[str, str]) -> None:
    async with farm_of(ROOT) as farm:
        for query in ({}, {"scenario": LATER.id}):
            for method in ("GET", "HEAD"):
                answer = await farm.agents.request(method, f"/e/{PLACE}/new", params=query, headers=headers)
                assert answer.status_code == 200
                assert answer.headers["x-robots-tag"] == "noindex, nofollow"
        url = (await farm.agents.get(f"/e/{PLACE}/new")).json()["url"]
        assert (await farm.agents.get(url[url.index("/e/") :], headers=headers)).status_code == 405
        assert (await farm.owners.get("/v1/worlds")).json()["worlds"] == []


def test_text_of_a_card_is_never_markup() -> None:

    card = Environment.read_in(ROOT / "generated_servers" / PLACE, "environment.json")
    hostile = "<script>alert(1)</script>\"'&\u202e"
    changed = card.model_copy(update={"title": hostile, "introduction": hostile, "rules": (hostile,)})
    for page in (environment_page(changed, "http://x"), guest_page(changed, "http://x", hostile)):
        body = bytes(page.body).decode()
        assert "<script" not in body
        assert "\u202e" not in body
