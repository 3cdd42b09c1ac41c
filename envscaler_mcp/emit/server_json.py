"""The description by which the public registry of MCP servers lists this package; nothing is published from here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from envscaler_mcp.errors import EmitError

_NAME = re.compile(r"<!-- mcp-name: ([a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+) -->")
_FORGES = {"github.com": "github", "gitlab.com": "gitlab"}
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_LONGEST_NAME = 200
_FIRST = "hospital_stays"


def published_name(readme: str) -> str:
    """The name that a README claims, by which the registry knows that the package belongs to the owner of the name."""
    names = _NAME.findall(readme)
    if len(names) != 1 or len(names[0]) > _LONGEST_NAME:
        raise EmitError("The README names no server, or several: write <!-- mcp-name: NAMESPACE/NAME --> once.")
    return str(names[0])


def server_json(name: str, version: str, about: str, env_ids: Sequence[str], repository: str = "") -> dict[str, Any]:
    """One entry for the package, whose argument chooses the environment; with the repository where it has an address."""
    forge = next((forge for host, forge in _FORGES.items() if repository.startswith(f"https://{host}/")), "")
    return {
        "$schema": SCHEMA,
        "name": name,
        "title": "EnvScaler MCP",
        "description": about,
        **({"repository": {"url": repository, "source": forge}} if forge else {}),
        "version": version,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "envscaler-mcp",
                "version": version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [
                    {"type": "positional", "value": "serve"},
                    {
                        "type": "positional",
                        "valueHint": "environment",
                        "description": "Which environment is served.",
                        "isRequired": True,
                        "default": _FIRST,
                        "choices": list(env_ids),
                    },
                ],
            }
        ],
    }
