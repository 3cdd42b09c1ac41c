"""A blueprint file as an artifact.

YAML is read in a strict subset: every scalar is text (no `on` that turns into true, no `12:30` that turns into 750), a key
occurs once, and nothing has an anchor or a tag. Most first drafts of an author fall over YAML, not over logic.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from envscaler_mcp.artifacts import Blueprint
from envscaler_mcp.errors import ArtifactError, BlueprintError
from envscaler_mcp.language import limits
from envscaler_mcp.language.text import balanced, name_hint, split_top
from envscaler_mcp.plain_files import read_named_file

_LONGEST_FILE = 16 << 20
"""Bytes of a file that is read at all; how long a blueprint may be is told with its name."""
_LISTS = {"require", "where", "by", "effect", "do", "rules", "derive"}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_blueprint(source: Path | str, name: str | None = None) -> Blueprint:
    """The blueprint in a file, or in a text that `name` tells apart in errors."""
    if isinstance(source, Path):
        try:
            text = read_named_file(source, _LONGEST_FILE).decode("utf-8")
        except ArtifactError as cause:
            raise BlueprintError(str(cause)) from cause
        except UnicodeDecodeError as cause:
            raise BlueprintError(f"{source} cannot be read: {cause}") from cause
        return _Document(text, name or str(source)).blueprint()
    return _Document(source, name or "the blueprint").blueprint()


class _Document:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def wrong(self, node: yaml.Node | None, message: str) -> BlueprintError:
        line = f":{node.start_mark.line + 1}" if node is not None else ""
        return BlueprintError(f"{self.name}{line}: {message}")

    def blueprint(self) -> Blueprint:
        if len(self.text.encode("utf-8", "replace")) > limits.MOST_BYTES:
            raise BlueprintError(f"{self.name}: it has more than {limits.MOST_BYTES:,} bytes; write several blueprints")
        try:
            self.bounded()
            root = yaml.compose(self.text, Loader=_LOADER)
        except yaml.MarkedYAMLError as cause:
            line = cause.problem_mark.line + 1 if cause.problem_mark else 0
            hint = ""
            if "mapping values are not allowed" in str(cause.problem):
                hint = "; a sentence with ': ' in it must stand in quotes"
            raise BlueprintError(f"{self.name}:{line}: {cause.problem}{hint}") from cause
        except yaml.YAMLError as cause:
            raise BlueprintError(f"{self.name}: {cause}") from cause
        if not isinstance(root, yaml.MappingNode):
            raise self.wrong(root, "a blueprint is a mapping with id, title, about, entities, rules, operations")
        top = self.mapping(root)
        known = set(Blueprint.model_fields) - {"schema_version"}
        for key in top:
            if key not in known:
                raise self.wrong(root, f"there is no part {key!r} in a blueprint{name_hint(key, known)}")
        shape: dict[str, Any] = {key: self.part(key, node) for key, node in top.items()}
        for key in ("entities", "rules", "operations"):
            shape.setdefault(key, {} if key != "rules" else [])
        try:
            return Blueprint.model_validate(shape)
        except ValidationError as cause:
            first = cause.errors()[0]
            where = ".".join(str(step) for step in first["loc"])
            raise self.wrong(self.find(root, first["loc"]), f"{where}: {first['msg']}") from cause

    def bounded(self) -> None:
        """Refuse what is nested so deep, or so large, that making its tree would end the process."""
        depth = nodes = 0
        for event in yaml.parse(self.text, Loader=_LOADER):
            line = event.start_mark.line + 1 if event.start_mark else 0
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise BlueprintError(f"{self.name}:{line}: anchors (&name, *name) are not part of the language")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.ScalarEvent) and len(event.value) > limits.LONGEST_SCALAR:
                raise BlueprintError(
                    f"{self.name}:{line}: a text has {len(event.value):,} characters; {limits.LONGEST_SCALAR:,} are allowed"
                )
            nodes += isinstance(event, yaml.NodeEvent)
            if depth > limits.MOST_DEPTH:
                raise BlueprintError(
                    f"{self.name}:{line}: nested more than {limits.MOST_DEPTH} deep; nothing in a blueprint is"
                )
            if nodes > limits.MOST_NODES:
                raise BlueprintError(
                    f"{self.name}:{line}: more than {limits.MOST_NODES:,} entries; write several blueprints"
                )

    def find(self, node: yaml.Node, path: tuple[int | str, ...]) -> yaml.Node:
        for step in path:
            below: yaml.Node | None = None
            if isinstance(node, yaml.MappingNode):
                below = next((value for key, value in node.value if key.value == step), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                below = node.value[step]
            if below is None:
                return node
            node = below
        return node

    def part(self, key: str, node: yaml.Node) -> Any:
        match key:
            case "entities":
                return {name: self.texts(value) for name, value in self.mapping(node).items()}
            case "rules":
                return [self.texts(item) for item in self.sequence(node)]
            case "operations":
                return {name: self.operation(value) for name, value in self.mapping(node).items()}
            case "queries":
                return {name: self.query(value) for name, value in self.mapping(node).items()}
            case "derive":
                return {name: self.expressions(value) for name, value in self.mapping(node).items()}
            case "define":
                return self.texts(node)
            case "stories":
                return {name: self.story(value) for name, value in self.mapping(node).items()}
            case "words":
                return {name: self.words(name, value) for name, value in self.mapping(node).items()}
            case "provenance":
                return {name: self.plain(value) for name, value in self.mapping(node).items()}
            case "start":
                return {
                    name: self.statements(value) if name == "daily" else self.uncut(self.plain(value), value)
                    for name, value in self.mapping(node).items()
                }
            case _:
                return self.scalar(node)

    def operation(self, node: yaml.Node) -> dict[str, Any]:
        parts = self.mapping(node)
        known = {"about", "params", "help", "require", "effect", "say"}
        shape: dict[str, Any] = {}
        for key, value in parts.items():
            if key not in known:
                raise self.wrong(value, f"an operation has no part {key!r}{name_hint(key, known)}")
            if key == "params":
                shape[key] = {name: self.plain(below) for name, below in self.mapping(value).items()}
            elif key == "help":
                shape[key] = self.texts(value)
            elif key == "require":
                shape[key] = self.expressions(value)
            elif key == "effect":
                shape[key] = self.statements(value)
            else:
                shape[key] = self.scalar(value)
        for key in ("about", "effect", "say"):
            if key not in shape:
                raise self.wrong(node, f"this operation lacks {key!r}")
        return shape

    def query(self, node: yaml.Node) -> dict[str, Any]:
        parts = self.mapping(node)
        known = {"about", "params", "help", "require", "find", "where", "by", "limit", "show", "answer"}
        shape: dict[str, Any] = {}
        for key, value in parts.items():
            if key not in known:
                raise self.wrong(value, f"a query has no part {key!r}{name_hint(key, known)}")
            if key == "params":
                shape[key] = {name: self.plain(below) for name, below in self.mapping(value).items()}
            elif key in ("help", "show", "answer"):
                shape[key] = self.texts(value)
            elif key in ("where", "by", "require"):
                shape[key] = self.expressions(value)
            else:
                shape[key] = self.scalar(value)
        if "about" not in shape:
            raise self.wrong(node, "this query lacks 'about'")
        return shape

    def story(self, node: yaml.Node) -> dict[str, Any]:
        parts = self.mapping(node)
        for key in ("cast", "do", "tell"):
            if key not in parts:
                raise self.wrong(node, f"this story lacks {key!r}")
        for key, value in parts.items():
            if key not in ("ask", "cast", "do", "tell"):
                known = ("ask", "cast", "do", "tell")
                raise self.wrong(value, f"a story has no part {key!r}{name_hint(key, known)}")
        lines = {key: [self.scalar(item) for item in self.sequence(parts[key])] for key in ("cast", "tell")}
        ask = {"ask": self.scalar(parts["ask"])} if "ask" in parts else {}
        return {**ask, **lines, "do": self.statements(parts["do"])}

    def words(self, key: str, node: yaml.Node) -> Any:
        if key == "values":
            return self.texts(node)
        if key == "records":
            return {name: self.one_or_more(value) for name, value in self.mapping(node).items()}
        if key == "themes":
            return {name: self.theme(value) for name, value in self.mapping(node).items()}
        return self.one_or_more(node)

    def theme(self, node: yaml.Node) -> dict[str, Any]:
        parts = self.mapping(node)
        known = ("openings", "stories")
        for key, value in parts.items():
            if key not in known:
                raise self.wrong(value, f"a theme has no part {key!r}{name_hint(key, known)}")
        for key in known:
            if key not in parts:
                raise self.wrong(node, f"this theme lacks {key!r}")
        return {"openings": self.one_or_more(parts["openings"]), "stories": self.expressions(parts["stories"])}

    def one_or_more(self, node: yaml.Node) -> list[str]:
        if isinstance(node, yaml.ScalarNode):
            return [self.scalar(node)]
        return [self.scalar(item) for item in self.sequence(node)]

    def statements(self, node: yaml.Node) -> list[Any]:
        return [self.statement(item) for item in self.sequence(node)]

    def statement(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        parts = self.mapping(node)
        heads = list(parts)
        if len(heads) == 1 and heads[0].startswith("for "):
            return {"each": heads[0][4:], "do": self.statements(parts[heads[0]])}
        if heads and heads[0].startswith("if ") and heads[1:] in ([], ["else"]):
            branch: dict[str, Any] = {"test": heads[0][3:], "then": self.statements(parts[heads[0]])}
            if heads[1:]:
                branch["otherwise"] = self.statements(parts["else"])
            return branch
        raise self.wrong(
            node,
            f"{heads[0] if heads else 'an empty mapping'!r} is no statement; write 'for x in ...:' or 'if ...:' with "
            "'else:', and put a statement with ': ' in it in quotes",
        )

    def expressions(self, node: yaml.Node) -> list[str]:
        """A list of expressions; one written as `[a(b, c), d]` is cut at its own commas, not at YAML's."""
        if isinstance(node, yaml.SequenceNode) and node.flow_style:
            raw = self.text[node.start_mark.index : node.end_mark.index].strip()
            inner = raw[1:-1].strip()
            return [piece.strip() for piece in split_top(inner, ",")] if inner else []
        if isinstance(node, yaml.ScalarNode):
            return [self.scalar(node)] if node.value.strip() else []
        return [self.scalar(item) for item in self.sequence(node)]

    def uncut(self, said: Any, node: yaml.Node) -> Any:
        """What was said under start, where YAML has not taken the end of a pattern for a comment."""
        for _, value in node.value if isinstance(node, yaml.MappingNode) else ():
            rest = self.text[value.end_mark.index :].partition("\n")[0]
            if isinstance(value, yaml.ScalarNode) and not value.style and re.match(r"\s+##", rest):
                raise self.wrong(value, "a # after a space begins a comment; put the whole line in quotes")
        return said

    def plain(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self.texts(node)
        return self.scalar(node)

    def texts(self, node: yaml.Node) -> dict[str, str]:
        return {key: self.scalar(value) for key, value in self.mapping(node).items()}

    def mapping(self, node: yaml.Node) -> dict[str, yaml.Node]:
        if isinstance(node, yaml.ScalarNode) and not node.value:
            return {}
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(node, "a mapping belongs here (name: ...)")
        entries: dict[str, yaml.Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            self.clean(key)
            self.clean(value)
            name = self.scalar(key)
            if name in entries:
                raise self.wrong(key, f"{name!r} stands here a second time; the first is in line {lines[name]}")
            entries[name], lines[name] = value, key.start_mark.line + 1
        return entries

    def sequence(self, node: yaml.Node) -> list[yaml.Node]:
        if isinstance(node, yaml.ScalarNode) and not node.value:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise self.wrong(node, "a list belongs here (- ...)")
        for item in node.value:
            self.clean(item)
        return list(node.value)

    def scalar(self, node: yaml.Node) -> str:
        if isinstance(node, yaml.MappingNode) and not node.flow_style:
            raise self.wrong(node, "one line of text belongs here; put it in quotes if there is a ': ' in it")
        if not isinstance(node, yaml.ScalarNode):
            raise self.wrong(node, "one line of text belongs here; put it in quotes if it starts with [ or {")
        value = str(node.value)
        if not balanced(value) and not node.style:
            raise self.wrong(
                node, f"{value!r} has an open bracket or quote; write one attribute per line: {{}} cuts at commas"
            )
        return value

    def clean(self, node: yaml.Node) -> None:
        if node.tag and (node.tag.startswith("!") or "python" in node.tag):
            raise self.wrong(node, "tags are not part of the language")
