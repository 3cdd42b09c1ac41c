"""The tools of an environment as the protocol lists them, the same over every transport."""

from __future__ import annotations

from typing import Any

from envscaler_mcp.artifacts import Environment, Tool, ToolAnswers
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.shapes import AnswerShapes, Schema

_NOTHING_KNOWN = ToolAnswers()


def listed_tools(environment: Environment) -> list[dict[str, Any]]:
    """Every tool with its title, its schemas and its annotations."""
    answers = environment.answers
    shapes = AnswerShapes({} if answers is None else answers.records)
    return [_listed(tool, answers, shapes) for tool in environment.tools]


def title_of(tool: Tool) -> str:
    """The name of a tool for people."""
    return tool.name.replace("_", " ").strip().capitalize() or tool.name


def hints_of(tool: Tool, answers: ToolAnswers | None = None) -> dict[str, bool]:
    """What the protocol tells a client about a tool before it is called; of unknown code the worst is assumed."""
    known = answers or _NOTHING_KNOWN
    reads = tool.effect == "reads"
    return {
        "readOnlyHint": reads,
        "destructiveHint": not reads and tool.name not in known.additive,
        "idempotentHint": reads or tool.name in known.repeatable,
        "openWorldHint": False,
    }


def output_schema(tool: Tool, answers: ToolAnswers, shapes: AnswerShapes) -> Schema:
    """The schema of what a call answers, be it successful or refused."""
    properties: dict[str, Schema] = {"success": {"type": "boolean"}}
    if tool.effect == "writes":
        properties["message"] = {"type": "string"}
    if tool.name in answers.data:
        properties["data"] = shapes.schema(answers.data[tool.name])
    if tool.name in answers.naming:
        properties["names"] = {"type": "object", "additionalProperties": {"type": "string"}}
    return {"type": "object", "properties": {**properties, "error": {"type": "string"}}, "required": ["success"]}


def _listed(tool: Tool, answers: ToolAnswers | None, shapes: AnswerShapes) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": title_of(tool),
        "description": tool.description,
        "inputSchema": tool.input_schema,
        **({} if answers is None else _output(tool, answers, shapes)),
        "annotations": hints_of(tool, answers),
    }


def _output(tool: Tool, answers: ToolAnswers, shapes: AnswerShapes) -> dict[str, Schema]:
    """The schema of the answers, unless a card that came from elsewhere describes none."""
    if answers.whole:
        return {"outputSchema": answers.whole[tool.name]} if tool.name in answers.whole else {}
    try:
        return {"outputSchema": output_schema(tool, answers, shapes)}
    except WorldError:
        return {}
