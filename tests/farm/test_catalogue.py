"""Programs that look for servers find every environment, in the form in which the public registry tells of servers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from envscaler_mcp.registry import read_registry
from tests.farm.farms import ROOT, farm_here

ENTRIES = read_registry(ROOT / "registry.json").entries
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")


@pytest.fixture
async def web() -> AsyncIterator[httpx2.AsyncClient]:
    async with farm_here() as farm, httpx2.AsyncClient(trust_env=False, base_url=farm.url) as client:
        yield client


async def listed(web: httpx2.AsyncClient, **query: Any) -> list[dict[str, Any]]:
    """Every page, one after the other."""
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await web.get("/v0.1/servers", params={**query, **({"cursor": cursor} if cursor else {})})).json()
        assert page["metadata"]["count"] == len(page["servers"])
        found += [one["server"] for one in page["servers"]]
        cursor = page["metadata"].get("nextCursor")
    return found


@pytest.mark.parametrize("limit", [1, 7, 30, 100])
async def test_pages_of_any_length_hold_every_environment_once(web: httpx2.AsyncClient, limit: int) -> None:
    if limit == 1:
        first = (await web.get("/v0.1/servers?limit=1")).json()
        assert len(first["servers"]) == 1
        return
    names = [server["name"].partition("/")[2] for server in await listed(web, limit=limit)]
    assert names == sorted(entry.id for entry in ENTRIES)


async def test_a_server_is_described_as_the_registry_asks_and_its_address_leads_to_a_world(
    web: httpx2.AsyncClient,
) -> None:
    for server in await listed(web, limit=100):
        assert NAME.fullmatch(server["name"])
        assert 0 < len(server["description"]) <= 100
        assert 0 < len(server["title"]) <= 100
        (remote,) = server["remotes"]
        assert remote["type"] == "streamable-http"
        assert set(re.findall(r"{(\w+)}", remote["url"])) == set(remote["variables"])
        (told,) = server["_meta"].values()
        assert set(told) == {"local.envscaler/environment"}
    new = told["local.envscaler/environment"]["new"]
    url = (await web.get(new)).json()["url"]
    world = url.split("/")[-2]
    assert remote["url"].replace("{world}", world) == url
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    tools = (await web.post(url, json=message)).json()["result"]["tools"]
    assert tuple(tool["name"] for tool in tools) == next(
        entry.tools for entry in ENTRIES if entry.id == told["local.envscaler/environment"]["id"]
    )


async def test_one_server_is_found_by_its_name_in_its_latest_version_and_no_other(web: httpx2.AsyncClient) -> None:
    name = quote("local.envscaler/hospital_stays", safe="")
    latest = (await web.get(f"/v0.1/servers/{name}/versions/latest")).json()
    assert latest["server"]["title"] == "Hospital stays"
    version = latest["server"]["version"]
    assert (await web.get(f"/v0.1/servers/{name}/versions/{version}")).json() == latest
    assert (await web.get(f"/v0/servers/{name}/versions")).json()["servers"] == [latest]
    for missing in (f"{name}/versions/0.0.9", quote("local.envscaler/nowhere", safe=""), "nowhere"):
        answer = await web.get(f"/v0.1/servers/{missing}")
        assert answer.status_code == 404
        assert set(answer.json()) == {"error"}


async def test_a_search_finds_and_a_wrong_limit_is_told(web: httpx2.AsyncClient) -> None:
    found = [server["name"] for server in await listed(web, search="hospital bed")]
    assert "local.envscaler/hospital_stays" in found
    assert len(found) < 10
    assert await listed(web, search="no such trade anywhere") == []
    assert await listed(web, updated_since="2099-01-01T00:00:00Z") == []
    for limit in ("0", "101", "-1", "x", ""):
        assert (await web.get(f"/v0.1/servers?limit={limit}")).status_code == (200 if limit == "" else 400)
    assert (await web.post("/v0.1/servers", json={})).status_code == 405


async def test_figures_can_be_scraped_and_health_asked(web: httpx2.AsyncClient) -> None:
    assert (await web.get("/health")).json()["environments"] == len(ENTRIES)
    text = (await web.get("/metrics")).text
    for line in text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|envscaler_\w+({status="\d+"})? \d+(\.\d+)?', line), line
    kinds = dict(re.findall(r"# TYPE (\w+) (\w+)", text))
    assert kinds["envscaler_worlds"] == "gauge"
    assert kinds["envscaler_calls_total"] == "counter"
