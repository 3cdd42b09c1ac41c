"""The control plane as an OpenAPI document, made from its operations and the models of their bodies."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from envscaler_mcp import __version__
from envscaler_mcp.serving.control.schemas import ENVIRONMENTS, ControlOperation, ErrorAnswer
from envscaler_mcp.studio.build_schemas import BUILD_OPERATIONS
from envscaler_mcp.studio.class_schemas import CLASS_OPERATIONS
from envscaler_mcp.studio.demo_schemas import DEMONSTRATION_OPERATIONS
from envscaler_mcp.studio.run_schemas import OWNER_OPERATIONS, RUNS
from envscaler_mcp.studio.train_schemas import TRAIN_OPERATIONS

_OPERATIONS = (*OWNER_OPERATIONS, *CLASS_OPERATIONS, *BUILD_OPERATIONS, *TRAIN_OPERATIONS, *DEMONSTRATION_OPERATIONS)

_REFUSALS = {
    "400": "The request is wrong.",
    "401": "A token for control is needed.",
    "404": "There is no such world.",
    "410": "The worker that held the world has ended.",
    "503": "The farm is full.",
}
_REFERENCES = "#/components/schemas/{model}"


def document() -> dict[str, Any]:
    """The whole document."""
    bodies = {
        model for operation in _OPERATIONS for model in (operation.takes, operation.gives) if model is not None
    } | {ErrorAnswer}
    wanted = [(model, "validation") for model in sorted(bodies, key=lambda model: model.__name__)]
    _, schemas = models_json_schema(wanted, ref_template=_REFERENCES)  # type: ignore[arg-type]
    paths: dict[str, Any] = {}
    for operation in _OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "EnvScaler farm: the control plane",
            "version": __version__,
            "description": "What owners do with worlds. Agents use the address in a world's card.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"control": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"control": []}],
    }


def _described(operation: ControlOperation) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": part, "in": "path", "required": True, "schema": {"type": "string"}}
        for part in ("name", "environment", "class", "blueprint", "build", "run")
        if f"{{{part}}}" in operation.path
    ]
    if operation.does == "open":
        about = "The same key with the same body opens the worlds once."
        parameters.append(
            {"name": "Idempotency-Key", "in": "header", "description": about, "schema": {"type": "string"}}
        )
    good = "201" if operation.does in ("open", "fork") else "200"
    gives = {"text/event-stream": {"schema": {"type": "string"}}} if operation.gives is None else _json(operation.gives)
    error = _json(ErrorAnswer)
    described: dict[str, Any] = {
        "operationId": _operation_id(operation),
        "summary": operation.about,
        "parameters": parameters,
        "responses": {
            good: {"description": operation.about, "content": gives},
            **{status: {"description": why, "content": error} for status, why in _REFUSALS.items()},
        },
    }
    if operation.takes is not None:
        described["requestBody"] = {"required": operation.does == "open", "content": _json(operation.takes)}
    return described


def _operation_id(operation: ControlOperation) -> str:
    if operation in (*CLASS_OPERATIONS, *BUILD_OPERATIONS, *TRAIN_OPERATIONS, *DEMONSTRATION_OPERATIONS):
        return operation.does
    if operation.path.startswith(ENVIRONMENTS):
        return f"read_{operation.does}"
    if operation.path.startswith(RUNS):
        return operation.does
    return f"{operation.does}_world" if operation.does != "list" else "list_worlds"


def _json(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCES.format(model=model.__name__)}}}
