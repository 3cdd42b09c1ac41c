"""The control plane as an OpenAPI document, made from the routes and bodies that the plane itself goes by."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from envscaler_mcp import __version__
from envscaler_mcp.farm.control_plane import ROUTES, Route
from envscaler_mcp.serving.control.schemas import ErrorAnswer

_REFUSALS = {
    "400": "It was asked for wrongly.",
    "401": "A token for control is needed.",
    "404": "There is no such world.",
    "410": "The worker that held the world has ended.",
    "503": "The farm is full.",
}
_REFERENCES = "#/components/schemas/{model}"


def document() -> dict[str, Any]:
    """The whole document."""
    bodies = {model for route in ROUTES for model in (route.takes, route.gives) if model is not None} | {ErrorAnswer}
    wanted = [(model, "validation") for model in sorted(bodies, key=lambda model: model.__name__)]
    _, schemas = models_json_schema(wanted, ref_template=_REFERENCES)  # type: ignore[arg-type]
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "EnvScaler farm: the control plane",
            "version": __version__,
            "description": "Worlds as their owners see them. Agents use the address in a world's card and need none of this.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"control": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"control": []}],
    }


def _operation(route: Route) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = []
    if "{name}" in route.path:
        parameters.append({"name": "name", "in": "path", "required": True, "schema": {"type": "string"}})
    if route.does == "open":
        about = "The same key with the same body opens the worlds once."
        parameters.append(
            {"name": "Idempotency-Key", "in": "header", "description": about, "schema": {"type": "string"}}
        )
    good = "201" if route.does in ("open", "fork") else "200"
    gives = {"text/event-stream": {"schema": {"type": "string"}}} if route.gives is None else _json(route.gives)
    error = _json(ErrorAnswer)
    operation: dict[str, Any] = {
        "operationId": f"{route.does}_world" if route.does != "list" else "list_worlds",
        "summary": route.about,
        "parameters": parameters,
        "responses": {
            good: {"description": route.about, "content": gives},
            **{status: {"description": why, "content": error} for status, why in _REFUSALS.items()},
        },
    }
    if route.takes is not None:
        operation["requestBody"] = {"required": route.does == "open", "content": _json(route.takes)}
    return operation


def _json(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCES.format(model=model.__name__)}}}
