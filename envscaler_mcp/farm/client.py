"""Addresses of worlds of a farm, as agents are given them. Owners of worlds use `serving/control/client.py`."""

from __future__ import annotations

import http.client
import json
import re
from urllib.parse import urlsplit

from envscaler_mcp.errors import LaunchError, WorldError
from envscaler_mcp.serving.control.client import PATIENCE, connection_to, message_in


def environment_at(url: str) -> str:
    """The environment of a world, or of worlds to come, at a farm's URL."""
    return _parts(url)["environment"]


def world_address(url: str, token: str = "") -> str:
    """The address of a world; at `/e/ENV_ID` and `/e/ENV_ID/new`, also of a scenario, the farm is asked for a fresh one."""
    parts = _parts(url)
    if parts["world"]:
        return url
    connection = connection_to(parts["farm"], PATIENCE)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        begins = f"?scenario={parts['scenario']}" if parts["scenario"] else ""
        path = f"{urlsplit(parts['farm']).path}/e/{parts['environment']}/new{begins}"
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        content = answer.read()
    except (OSError, http.client.HTTPException) as cause:
        raise LaunchError(f"No farm answers at {parts['farm']}: {cause}; `envscaler farm` starts one.") from cause
    finally:
        connection.close()
    if answer.status != 200:
        raise WorldError(message_in(content))
    return str(json.loads(content)["url"])


def _parts(url: str) -> re.Match[str]:
    match = _WORLD.fullmatch(url)
    if match is None:
        raise WorldError(f"{url!r} is no world of a farm; its address ends in /e/ENV_ID/new or /e/ENV_ID/WORLD/mcp.")
    return match


_WORLD = re.compile(
    r"(?P<farm>https?://[^?#]+?)/e/(?P<environment>[^/?#]+)"
    r"(?:/new/?(?:\?scenario=(?P<scenario>[A-Za-z0-9_-]{1,120}))?|/(?P<world>[^/?#]+)/mcp|/?)"
)
