"""Who comes to a studio over HTTP: with a session, as a browser has one, or with nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from envscaler_mcp.config.choices import StudioScope
from envscaler_mcp.farm.access import SESSION_KEY
from envscaler_mcp.farm.studio_door import code_for
from tests.farm.farms import SECRET, Here, farm_here

ENVIRONMENT = "hospital_stays"
TASK = "hospital_stays-easy-01"


@dataclass
class Visitor:
    """A page of the studio."""

    web: httpx2.AsyncClient

    async def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        answer = await self.web.request(method, path, json=body)
        assert answer.status_code == status, (method, path, answer.status_code, answer.text[:500])
        return answer.json()

    async def get(self, path: str) -> Any:
        return await self.ask("GET", path)

    async def opened(self, **start: Any) -> str:
        """The path of a fresh world whose calls are recorded."""
        answer = await self.ask("POST", "/v1/worlds", {"environment": ENVIRONMENT, **start}, 201)
        path = f"/v1/worlds/{answer['worlds'][0]['name']}"
        await self.ask("POST", f"{path}/record")
        return path

    async def call(self, path: str, tool: str, **arguments: Any) -> Any:
        return await self.ask("POST", f"{path}/call", {"tool": tool, "arguments": arguments})

    async def hash(self, path: str) -> str:
        return str((await self.get(f"{path}/hash"))["hash"])


@asynccontextmanager
async def visitor(url: str, scope: StudioScope = "control") -> AsyncIterator[Visitor]:
    """A page that has logged in with a one-time code."""
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as web:
        code = code_for(SECRET, scope)
        answer = await web.post(f"/studio/login/{code.split('.')[3]}", json={"code": code})
        assert answer.status_code == 201, answer.text
        web.headers[SESSION_KEY] = answer.json()["key"]
        yield Visitor(web)


@asynccontextmanager
async def joined(url: str, address: str, name: str) -> AsyncIterator[Visitor]:
    """The page of a visitor who has joined a class by its address."""
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as web:
        answer = await web.post("/studio/join", json={"code": address.rpartition("/")[2], "name": name})
        assert answer.status_code == 201, answer.text
        web.headers[SESSION_KEY] = answer.json()["key"]
        yield Visitor(web)


@asynccontextmanager
async def studio(**config: Any) -> AsyncIterator[tuple[Here, Visitor]]:
    """A farm with a studio in this process, and its owner's page."""
    async with farm_here(studio=True, **config) as farm, visitor(farm.url) as owner:
        yield farm, owner
