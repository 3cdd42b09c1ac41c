"""What an environment answers whichever world is asked: made once, in the shapes of both eras of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.farm.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, MODERN_VERSIONS, RpcError, negotiated
from envscaler_mcp.serving import server_info
from envscaler_mcp.serving.listing import listed_tools
from envscaler_mcp.serving.outcome import encode
from envscaler_mcp.serving.records import RecordResources
from envscaler_mcp.serving.server_info import INTRODUCTION, KEPT_MS, RULES


class OfferedTasks:
    """The tasks that some worlds of an environment offer as prompts, with the answers made of them so far."""

    def __init__(self, tasks: Sequence[server_info.TaskText]) -> None:
        self.listed = {"prompts": server_info.prompts(tasks)}
        self.texts = {task.id: task.task for task in tasks}
        self.made: dict[bool, bytes] = {}


OF_TASKS = frozenset({"prompts/list", "prompts/get"})
"""The methods whose results depend on the tasks of a world."""
NO_TASKS = OfferedTasks(())


_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


class FixedAnswers:
    """The results of every request that is no call, as the bytes that are sent."""

    def __init__(self, environment: Environment, tools: Sequence[Mapping[str, Any]] | None = None) -> None:
        """`tools` are those that one world lists now, where they may change; such a world has nothing to read."""
        self.changing = tools is not None
        self._card = environment
        self._server = {
            "name": environment.id,
            "title": environment.title,
            "version": environment.version,
            "description": environment.about,
            "icons": server_info.ICONS,
        }
        self.records = RecordResources(environment)
        self._lists: dict[str, dict[str, Any]] = {
            "tools/list": {"tools": listed_tools(environment) if tools is None else list(tools)},
            "resources/list": {"resources": [] if self.changing else server_info.resources(environment)},
            "resources/templates/list": {"resourceTemplates": self.records.templates},
        }
        self._texts = {} if self.changing else _texts(environment)
        self._made: dict[tuple[bool, str], bytes] = {}
        brief = {key: value for key, value in self._server.items() if key != "icons"}
        self.stamp = encode({_SERVER_INFO: brief}).encode()
        """Who answers, as every result of the modern era says; the icon comes with `server/discover` alone."""

    def result(self, modern: bool, method: str, params: Mapping[str, Any], tasks: OfferedTasks) -> bytes:
        """The result of a request to a world that offers these tasks; RpcError where there is none."""
        if method == "prompts/list":
            return self._list_prompts(modern, params, tasks)
        if method in self._lists:
            return self._list(modern, method, params)
        if method == "resources/read":
            return self._read(modern, params)
        if method == "prompts/get":
            return self._prompt(modern, params, tasks)
        if method == ("server/discover" if modern else "initialize"):
            return self._discovered() if modern else self._initialized(params)
        if method == "ping" and not modern:
            return b"{}"
        raise RpcError(METHOD_NOT_FOUND, "There is no such method here.", method)

    def _list_prompts(self, modern: bool, params: Mapping[str, Any], tasks: OfferedTasks) -> bytes:
        _check_cursor(params)
        if modern not in tasks.made:
            tasks.made[modern] = self._shaped(modern, tasks.listed, KEPT_MS)
        return tasks.made[modern]

    def _list(self, modern: bool, method: str, params: Mapping[str, Any]) -> bytes:
        _check_cursor(params)
        made = self._made.get((modern, method))
        if made is None:
            made = self._made[modern, method] = self._shaped(
                modern, self._lists[method], 0 if self.changing else KEPT_MS
            )
        return made

    def _read(self, modern: bool, params: Mapping[str, Any]) -> bytes:
        uri = params.get("uri")
        if type(uri) is not str:
            raise RpcError(INVALID_PARAMS, "resources/read needs a uri.")
        if uri not in self._texts:
            raise RpcError(INVALID_PARAMS, server_info.no_resource(uri), {"uri": uri})
        content = {"uri": uri, "mimeType": "text/markdown", "text": self._texts[uri]}
        return self._shaped(modern, {"contents": [content]}, KEPT_MS)

    def _prompt(self, modern: bool, params: Mapping[str, Any], tasks: OfferedTasks) -> bytes:
        name = params.get("name")
        if type(name) is not str:
            raise RpcError(INVALID_PARAMS, "prompts/get needs a name.")
        given = params.get("arguments")
        if given is not None and not (type(given) is dict and all(type(value) is str for value in given.values())):
            raise RpcError(INVALID_PARAMS, "The arguments of a prompt are texts by name; prompts here have none.")
        if name not in tasks.texts:
            raise RpcError(INVALID_PARAMS, server_info.no_prompt(name), {"name": name})
        message = {"role": "user", "content": {"type": "text", "text": tasks.texts[name]}}
        return self._shaped(modern, {"messages": [message]})

    def _discovered(self) -> bytes:
        versions = {"supportedVersions": list(MODERN_VERSIONS)}
        caching = {"ttlMs": KEPT_MS, "cacheScope": "public"}
        meta = {"_meta": {_SERVER_INFO: self._server}}
        return encode({**versions, **self._described(), "resultType": "complete", **caching, **meta}).encode()

    def _initialized(self, params: Mapping[str, Any]) -> bytes:
        version = negotiated(params)
        result = {"protocolVersion": version, **self._described(), "serverInfo": self._server}
        return self._shaped(False, result)

    def _described(self) -> dict[str, Any]:
        completions: dict[str, Any] = {"completions": {}} if self.records.kinds else {}
        capabilities = {
            **completions,
            "prompts": {"listChanged": False},
            "resources": {"listChanged": False, "subscribe": False},
            "tools": {"listChanged": self.changing},
        }
        instructions = {} if self.changing else {"instructions": server_info.instructions(self._card)}
        return {"capabilities": capabilities, **instructions}

    def of_record(self, modern: bool, uri: str, record: dict[str, Any] | None) -> bytes:
        """The result of reading a record's address; RpcError where there is no such record."""
        if record is None:
            raise RpcError(INVALID_PARAMS, server_info.no_resource(uri), {"uri": uri})
        return self._shaped(modern, {"contents": [record]}, 0)

    def of_completion(self, modern: bool, completion: dict[str, Any] | None) -> bytes:
        """The result of a completion."""
        return self._shaped(modern, {"completion": completion})

    def _shaped(self, modern: bool, result: Mapping[str, Any], kept_ms: int | None = None) -> bytes:
        if not modern:
            return encode(dict(result)).encode()
        scope = "public" if kept_ms else "private"
        caching = {} if kept_ms is None else {"ttlMs": kept_ms, "cacheScope": scope}
        text = encode({**result, "resultType": "complete", **caching}).encode()
        return b'%s,"_meta":%s}' % (text[:-1], self.stamp)


def _texts(environment: Environment) -> dict[str, str]:
    return {INTRODUCTION: server_info.introduction_text(environment), RULES: server_info.rules_text(environment)}


def _check_cursor(params: Mapping[str, Any]) -> None:
    if type(params.get("cursor")) not in (str, type(None)):
        raise RpcError(INVALID_PARAMS, "A cursor must be a text.")
