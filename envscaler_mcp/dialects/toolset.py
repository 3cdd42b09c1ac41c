"""The tools of a dialect, and which operation each call of them stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Environment, Tool
from envscaler_mcp.dialects.arguments import Speech, ToolArguments, UnusableError
from envscaler_mcp.dialects.describing import Describer, shortened, signature
from envscaler_mcp.dialects.further import FurtherTool
from envscaler_mcp.dialects.grouping import actions_of, entities_of
from envscaler_mcp.dialects.spelling import Schema
from envscaler_mcp.dialects.wording import LONGEST, distinct, styled
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value
from envscaler_mcp.serving.validation import Check, compile_arguments


@dataclass(frozen=True, slots=True)
class Operation:
    """One canonical tool, and how it is spoken."""

    tool: Tool
    arguments: ToolArguments
    spoken: str
    """The name of the tool that offers it."""
    action: str = ""
    """Its name there, where that tool offers several."""


class Toolset:
    """What a dialect offers of one environment."""

    def __init__(
        self,
        environment: Environment,
        speech: Speech,
        further: list[FurtherTool],
        columns: Mapping[str, Mapping[str, str]],
    ) -> None:
        """`columns` are what the rows of each tool hold: canonical names by spoken ones."""
        self._speech = speech
        self._describer = Describer(speech)
        made = [(tool, ToolArguments(tool, speech, columns[tool.name])) for tool in environment.tools]
        grouped = speech.axes.grouping == "entity"
        self.operations = [*(self._by_entity(environment, made) if grouped else self._one_by_one(made))]
        self._of_name = {(operation.spoken, operation.action): operation for operation in self.operations}
        self._of_tool = {operation.tool.name: operation for operation in self.operations}
        self._action = styled(("action",), speech.axes.keys)
        self._params = styled(("params",), speech.axes.keys)
        offered = [*(self._grouped_tools() if grouped else map(self._offered, self.operations))]
        self.further = dict(self._further(further, [tool.name for tool in offered]))
        self.tools = (*offered, *(tool for tool, _, _ in self.further.values()))
        self._groups = {operation.spoken for operation in self.operations if operation.action}
        self._effects = {tool.name: tool.effect for tool in self.tools}

    def operation(self, tool: str) -> Operation:
        """How a canonical tool is spoken."""
        return self._of_tool[tool]

    def encode(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """A canonical call as it is spoken."""
        operation = self._of_tool[tool]
        spoken = operation.arguments.encode(arguments)
        if operation.action:
            spoken = {self._action: operation.action, **({self._params: spoken} if spoken else {})}
        return operation.spoken, spoken

    def meant(self, tool: str, spoken: Any) -> tuple[Operation, Any]:
        """The operation that a call names, and the arguments for it; UnusableError where there is none."""
        if tool in self._groups:
            return self._chosen(tool, spoken)
        operation = self._of_name.get((tool, ""))
        if operation is None:
            raise UnusableError(f"There is no tool {quote_value(tool)}{did_you_mean(tool, self._effects)}")
        return operation, spoken

    def _chosen(self, tool: str, spoken: Any) -> tuple[Operation, Any]:
        if type(spoken) is not dict:
            raise UnusableError(f"The arguments must be an object, not {quote_value(spoken)}.")
        unknown = [name for name in spoken if name not in (self._action, self._params)]
        if unknown:
            raise UnusableError(f"There is no argument {quote_value(unknown[0])}; put it into {self._params}.")
        action = spoken.get(self._action)
        operation = self._of_name.get((tool, action)) if type(action) is str else None
        if operation is None:
            actions = [action for name, action in self._of_name if name == tool]
            raise UnusableError(f"{self._action} must be one of {', '.join(actions)}.")
        return operation, spoken.get(self._params, {})

    def _one_by_one(self, made: list[tuple[Tool, ToolArguments]]) -> Iterator[Operation]:
        names = self._speech.names
        spoken = [names.tool(names.words_of(tool), reads=tool.effect == "reads") for tool, _ in made]
        for (tool, arguments), name in zip(made, distinct(spoken), strict=True):
            yield Operation(tool, arguments, name)

    def _by_entity(self, environment: Environment, made: list[tuple[Tool, ToolArguments]]) -> Iterator[Operation]:
        by_entity: dict[str, list[tuple[Tool, ToolArguments]]] = {}
        entities = entities_of(environment)
        for tool, arguments in made:
            by_entity.setdefault(entities[tool.name], []).append((tool, arguments))
        fallback = environment.id.split("_")[-1]
        names = [self._speech.names.tool([entity or fallback], reads=False) for entity in by_entity]
        for (entity, members), name in zip(by_entity.items(), distinct(names), strict=True):
            actions = actions_of(entity, [tool for tool, _ in members])
            spoken = distinct(styled(actions[tool.name].split("_"), self._speech.axes.keys) for tool, _ in members)
            for (tool, arguments), action in zip(members, spoken, strict=True):
                yield Operation(tool, arguments, name, action)

    def _offered(self, operation: Operation) -> Tool:
        return Tool(
            name=operation.spoken,
            description=self._describer.of_tool(operation.tool, operation.arguments),
            effect=operation.tool.effect,
            input_schema=self._describer.schema(operation.tool, operation.arguments),
        )

    def _grouped_tools(self) -> Iterator[Tool]:
        groups: dict[str, list[Operation]] = {}
        for operation in self.operations:
            groups.setdefault(operation.spoken, []).append(operation)
        for name, operations in groups.items():
            yield Tool(
                name=name,
                description="\n".join([f"Actions, with their {self._params}:", *map(self._line, operations)]),
                effect="writes" if any(operation.tool.effect == "writes" for operation in operations) else "reads",
                input_schema=self._group_schema([operation.action for operation in operations]),
            )

    def _group_schema(self, actions: list[str]) -> Schema:
        properties = {self._action: {"type": "string", "enum": actions}, self._params: {"type": "object"}}
        return {
            "type": "object",
            "properties": properties,
            "required": [self._action],
            "additionalProperties": False,
        }

    def _line(self, operation: Operation) -> str:
        """One action of a tool that offers several: nothing else tells of its arguments."""
        schema = self._describer.schema(operation.tool, operation.arguments)
        about = operation.tool.description if self._describer.is_full else shortened(operation.tool.description)
        silent = self._speech.axes.descriptions == "none"
        return f"- {operation.action}({signature(schema)}){'' if silent else f': {about}'}"

    def _further(
        self, further: list[FurtherTool], taken: list[str]
    ) -> Iterator[tuple[str, tuple[Tool, Check, FurtherTool]]]:
        names = [self._speech.names.tool([*tool.words], reads=True) for tool in further]
        for tool, name in zip(further, distinct(names, taken), strict=True):
            schema: Schema = {
                "type": "object",
                "properties": dict(tool.properties),
                "required": [*tool.properties],
                "additionalProperties": False,
            }
            about = "" if self._speech.axes.descriptions == "none" else tool.about
            spoken = Tool(name=name[:LONGEST], description=about, effect="reads", input_schema=schema)
            yield name, (spoken, compile_arguments(schema), tool)
