"""A person at a keyboard uses a server: picks a tool, types its arguments, reads the answer.

    python clients/keyboard.py URL
    python clients/keyboard.py COMMAND [ARGUMENT]...

An empty line leaves an argument out; `?` shows the tools again; `q` or the end of the input ends it. A pipe works too.
"""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, Tool


def main(target: list[str]) -> None:
    """Connect, and let the person use the tools. The connection lives in a thread; the keyboard is here."""
    server = target[0] if "://" in target[0] else StdioServerParameters(command=target[0], args=target[1:])
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        tools = portal.call(client.list_tools).tools
        print(f"{client.server_info.name if client.server_info else target[0]}: {len(tools)} tools\n")
        show(tools)
        converse(tools, lambda name, arguments: portal.call(client.call_tool, name, arguments))


def converse(tools: list[Tool], call: Callable[[str, dict[str, Any]], CallToolResult]) -> None:
    """Ask and answer until the person has had enough."""
    while (typed := ask("\ntool> ")) not in (None, "q"):
        tool = pick(tools, typed or "?")
        if tool is None:
            show(tools)
            continue
        arguments = ask_arguments(tool)
        if arguments is None:
            return
        tell(call(tool.name, arguments))


def show(tools: list[Tool]) -> None:
    """The tools with their numbers; those that change something have a star."""
    for number, tool in enumerate(tools, 1):
        star = " " if tool.annotations and tool.annotations.read_only_hint else "*"
        print(f"{number:3}{star} {tool.name}: {(tool.description or '').partition(chr(10))[0]}")
    print("  * changes something")


def pick(tools: list[Tool], typed: str) -> Tool | None:
    """The tool of a number or a name; None shows them all again."""
    if typed.isdigit() and 1 <= int(typed) <= len(tools):
        return tools[int(typed) - 1]
    named = [tool for tool in tools if tool.name == typed]
    if not named and typed != "?":
        print(f"There is no tool {typed!r}.")
    return named[0] if named else None


def ask_arguments(tool: Tool) -> dict[str, Any] | None:
    """One question for each argument; None at the end of the input."""
    arguments = {}
    required = tool.input_schema.get("required", [])
    for name, schema in tool.input_schema.get("properties", {}).items():
        hints = " ".join(hints_of(schema))
        typed = ask(f"  {name}{'' if name in required else ' (optional)'} {hints}: ".replace("  :", ":"))
        if typed is None:
            return None
        if typed:
            arguments[name] = value_of(typed, schema)
    return arguments


def hints_of(schema: dict[str, Any]) -> Iterator[str]:
    for choice in (schema, *schema.get("anyOf", [])):
        if "enum" in choice:
            yield f"[{' | '.join(map(str, choice['enum']))}]"
        elif choice.get("type") not in (None, "null"):
            yield f"<{choice.get('format', choice['type'])}>"


def value_of(typed: str, schema: dict[str, Any]) -> object:
    """Words stay words where the tool wants a string; all else is JSON, and what is not is sent as it is."""
    kinds = {choice.get("type") for choice in (schema, *schema.get("anyOf", []))}
    if "string" in kinds and not (typed == "null" and "null" in kinds):
        return typed
    try:
        return json.loads(typed)
    except json.JSONDecodeError:
        return typed


def tell(result: CallToolResult) -> None:
    text = json.dumps(result.structured_content, ensure_ascii=False, indent=2)
    print(f"REFUSED {text}" if result.is_error else text)


def ask(prompt: str) -> str | None:
    """One line from the person, None at the end."""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    try:
        main(sys.argv[1:])
    except* KeyboardInterrupt:  # alone, or in a group when it left the connection
        print("\nEnded.")
