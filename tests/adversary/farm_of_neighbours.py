"""A farm with worlds of unread code in it, asked over HTTP by any number of clients at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from envscaler_mcp.registry import read_registry
from tests.farm.farms import Here, farm_here

JSON = {"accept": "application/json", "content-type": "application/json"}


@dataclass
class Farm:
    """A farm, a client of its agents' side and one of its control plane."""

    here: Here
    agents: httpx2.AsyncClient
    owners: httpx2.AsyncClient

    async def open(self, environment: str, **order: Any) -> dict[str, Any]:
        (card,) = await self.open_many(environment, 1, **order)
        return card

    async def open_many(self, environment: str, count: int, **order: Any) -> list[dict[str, Any]]:
        answer = await self.owners.post("/v1/worlds", json={"environment": environment, "count": count, **order})
        assert answer.status_code == 201, answer.text
        cards: list[dict[str, Any]] = answer.json()["worlds"]
        return cards

    async def ask(self, card: dict[str, Any], method: str, **params: Any) -> dict[str, Any]:
        """The result of a request to a world."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        answer = await self.agents.post(card["url"], content=body, headers=JSON)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()["result"]
        return result

    async def call(self, card: dict[str, Any], tool: str, **arguments: Any) -> str:
        """The text of a call's answer."""
        result = await self.ask(card, "tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        return text

    async def card(self, card: dict[str, Any]) -> dict[str, Any]:
        """What the farm says of a world now."""
        now: dict[str, Any] = (await self.owners.get(f"/v1/worlds/{card['name']}")).json()
        return now

    async def close(self, card: dict[str, Any]) -> None:
        assert (await self.owners.delete(f"/v1/worlds/{card['name']}")).status_code == 200


@asynccontextmanager
async def farm_of(home: Path, **config: Any) -> AsyncIterator[Farm]:
    """A farm of what lies in the home, in this process."""
    registry = read_registry(home / "registry.json")
    many = httpx2.Limits(max_connections=None)
    async with farm_here(servers=home / "generated_servers", registry=registry, **config) as here:
        token = {"authorization": f"Bearer {here.token('control')}", "host": "localhost"}
        async with (
            httpx2.AsyncClient(base_url=here.url, trust_env=False, timeout=60, limits=many) as agents,
            httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{here.control}", trust_env=False, timeout=60, headers=token, limits=many
            ) as owners,
        ):
            yield Farm(here, agents, owners)
