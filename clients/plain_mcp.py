"""An ordinary MCP client: it imports nothing but `mcp`, so whatever works here is an ordinary server.

    python clients/plain_mcp.py [--call TOOL JSON]... [--era auto|legacy|2026-07-28] URL
    python clients/plain_mcp.py [--call TOOL JSON]... [--era ...] -- COMMAND [ARGUMENT]...

It prints the tools and then the answer to each call, one JSON object a line; it ends with 1 if a call was refused.
"""

import argparse
import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main() -> int:
    """Connect, list, call, tell."""
    options = parse()
    target = options.target[0]
    server = target if "://" in target else StdioServerParameters(command=target, args=options.target[1:])
    refused = False
    async with Client(server, mode=options.era) as client:
        page = await client.list_tools()
        tools = [*page.tools]
        while page.next_cursor:
            page = await client.list_tools(cursor=page.next_cursor)
            tools += page.tools
        say(
            protocol=client.protocol_version,
            server=client.server_info and client.server_info.name,
            tools=[tool.name for tool in tools],
        )
        for name, arguments in options.call:
            result = await client.call_tool(name, json.loads(arguments))
            say(tool=name, refused=result.is_error, answer=result.structured_content)
            refused = refused or bool(result.is_error)
    return int(refused)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--call", nargs=2, action="append", default=[], metavar=("TOOL", "JSON"))
    parser.add_argument("--era", default="auto", help="auto, legacy or a protocol revision")
    parser.add_argument("target", nargs="+", help="the server's URL, or -- and the command that starts it")
    return parser.parse_args()


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
