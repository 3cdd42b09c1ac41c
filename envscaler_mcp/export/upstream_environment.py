"""An environment as the published metadata has it, in and out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_mcp.artifacts import Environment, Provenance, State, Tool, digest_of
from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.export.checked_class import checked_class
from envscaler_mcp.export.class_map import class_head, class_map, method_details
from envscaler_mcp.export.texts import name_in, text_of
from envscaler_mcp.serving.tools import tool_table

_NEEDED = ("env_id", "env_class_name", "env_class_code")
SECTOR = "imported"


def unwrapped(value: Any) -> Any:
    """A list or an object that some releases hold as a text of JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def card_from(item: Mapping[str, Any], states: Sequence[str], *, faithful: bool = False) -> Environment:
    """The card of a published environment; ArtifactError where it lacks what no environment can be without.

    A faithful one is run as published, and its tools and its introduction are told to the letter.
    """
    missing = [key for key in _NEEDED if not isinstance(item.get(key), str) or not item[key].strip()]
    if missing:
        raise ArtifactError(f"it has no {missing[0]!r}")
    source, class_name = source_of(item), str(item["env_class_name"])
    try:
        tools = tool_table(source, class_name)
    except (SyntaxError, ValueError) as cause:
        raise ArtifactError(f"its code is no Python: {cause}") from cause
    whole = text_of(item.get("environment_introduction") or "")
    said = " ".join(whole.split())
    title = " ".join(text_of(item.get("environment_summary") or class_name).split())
    rules = unwrapped(item.get("constraints_rules")) or []
    return Environment(
        provenance=Provenance(author="person"),
        id=id_of(str(item["env_id"])),
        title=title,
        about=re.split(r"(?<=[.!?])\s", said or title)[0],
        sector=SECTOR,
        version="1",
        origin="published" if faithful else "written",
        class_name=class_name,
        introduction=(whole if faithful else said) or title,
        rules=tuple(text_of(rule) for rule in (rules if isinstance(rules, list) else [rules])),
        tools=_as_published(item, tools, source, class_name) if faithful else _documented(tools, source, class_name),
        states=tuple(states),
        code_digest=digest_of(source),
    )


def _documented(tools: Sequence[Tool], source: str, class_name: str) -> tuple[Tool, ...]:
    """The tools with all that their authors say of them."""
    methods = method_details(source, class_name)
    return tuple(
        tool.model_copy(update={"description": text_of(methods[tool.name]["doc"]) or tool.description})
        for tool in tools
    )


def _as_published(item: Mapping[str, Any], tools: Sequence[Tool], source: str, class_name: str) -> tuple[Tool, ...]:
    """The tools of the metadata as they stand there; those of the class where the metadata has none."""
    known = {tool.name: tool for tool in tools}
    published = tuple(
        Tool(
            name=text_of(function["name"]),
            description=text_of(function.get("description") or ""),
            effect=known[function["name"]].effect if function["name"] in known else "writes",
            input_schema=_object(function.get("parameters")),
        )
        for function in published_functions(item)
    )
    return published or _documented(tools, source, class_name)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def published_functions(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The functions of the metadata's tools that have a name, each name once."""
    tools = unwrapped(item.get("tools"))
    listed = [tool.get("function") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    named = {
        function["name"]: function
        for function in listed
        if isinstance(function, dict) and isinstance(function.get("name"), str)
    }
    return list(named.values())


def source_of(item: Mapping[str, Any]) -> str:
    """The code as a file holds it."""
    return text_of(item["env_class_code"]).replace("\r\n", "\n").rstrip() + "\n"


def id_of(name: str) -> str:
    """An id that is a folder's name too."""
    return re.sub(r"\W+", "_", name).strip("_").lower() or "environment"


def told_tools(item: Mapping[str, Any]) -> set[str]:
    """The tools that the metadata names."""
    tools = unwrapped(item.get("tools"))
    functions = (tool.get("function") for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()
    return {name_in(function, "name") for function in functions} - {""}


def environment_item(card: Environment, source: str, state: State) -> dict[str, Any]:
    """An environment of ours with every key that published ones have."""
    methods = method_details(source, card.class_name)
    return {
        "env_id": card.id,
        "environment_summary": card.title,
        "environment_introduction": card.introduction,
        "state_space_definition": list(_entities(state.content)),
        "constraints_rules": list(card.rules),
        "operation_list": [_operation(tool, methods) for tool in card.tools],
        "env_class_name": class_name_of(card),
        "env_class_code": source + (checked_class(card, source) if _checks_for_itself(card) else ""),
        "env_class_def": class_head(source, card.class_name),
        "env_structure": class_map(source, card.class_name),
        "env_func_details": methods,
        "tools": [tool.function for tool in card.tools],
    }


def class_name_of(card: Environment) -> str:
    """The class that others run."""
    return f"{card.class_name}Env" if _checks_for_itself(card) else card.class_name


def _checks_for_itself(card: Environment) -> bool:
    """Whether the class was made here; what came from elsewhere goes out as it came."""
    return card.sector != SECTOR and card.origin != "published"


def _entities(content: Mapping[str, Any]) -> Any:
    for name, records in content.items():
        if isinstance(records, dict) and records and all(isinstance(record, dict) for record in records.values()):
            fields = dict.fromkeys(field for record in records.values() for field in record)
            yield {"entity": name, "attributes": ", ".join(fields), "description": f"Records of {name} by id."}


def _operation(tool: Tool, methods: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "operation_name": tool.name,
        "operation_description": tool.description.partition("\n")[0],
        "operation_type": "query" if tool.effect == "reads" else "state_change",
        "code": methods[tool.name]["source_code"],
    }
