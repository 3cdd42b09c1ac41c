"""The description by which the public registry of MCP servers lists this package; nothing is published from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

NAME = "io.github.envscaler-mcp/envscaler-mcp"
"""The README holds it too, by which the registry knows that the package belongs to the owner of the name."""
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_FIRST = "hospital_stays"


def server_json(version: str, about: str, env_ids: Sequence[str]) -> dict[str, Any]:
    """One entry for the package, whose argument chooses the environment."""
    return {
        "$schema": SCHEMA,
        "name": NAME,
        "title": "EnvScaler MCP",
        "description": about,
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
