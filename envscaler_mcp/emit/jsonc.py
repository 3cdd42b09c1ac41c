"""JSON as people write it, with comments and trailing commas, edited in place: what is not edited keeps every byte."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Literal, NamedTuple

from envscaler_mcp.errors import EnvScalerError

MOST_DEPTH = 200
"""How deep a file may be nested; the files of hosts have four levels."""
_SPACE = re.compile(r"[ \t\r\n]*")
_BLANKS = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_PLAIN = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+-])|true|false|null|NaN|-?Infinity"
)


class JsoncError(EnvScalerError):
    """A text is not JSON, with comments or without."""


@dataclass(slots=True)
class Node:
    """A value, and where it stands in the text."""

    kind: Literal["object", "array", "string", "plain"]
    start: int
    end: int
    members: list[JsonMember]
    """Of an object; all of them, also where a name occurs twice."""
    items: list[Node]
    """Of an array."""

    def member(self, name: str) -> JsonMember | None:
        """The member that a reader gets: of several with one name the last."""
        return next((member for member in reversed(self.members) if member.name == name), None)


@dataclass(slots=True)
class JsonMember:
    """One name of an object with its value."""

    name: str
    start: int
    value: Node
    comma: int | None
    """Where the comma after it stands, if there is one."""


def parse_jsonc(text: str) -> Node | None:
    """The value in the text; None where there is nothing but space and comments."""
    reader = _Reader(text)
    start = reader.skip(0)
    if start == len(text):
        return None
    node = reader.value(start, 1)
    end = reader.skip(node.end)
    if end != len(text):
        raise reader.wrong(end, "nothing may follow the value")
    return node


def node_value(text: str, node: Node) -> Any:
    """The value as Python has it; of several members with one name the last."""
    if node.kind == "object":
        return {member.name: node_value(text, member.value) for member in node.members}
    if node.kind == "array":
        return [node_value(text, item) for item in node.items]
    return json.loads(text[node.start : node.end])


def with_member(text: str, path: tuple[str, str], value: Any) -> str:
    """The text in which the object named first holds a member named second with this value."""
    root = parse_jsonc(text)
    if root is None:
        lines = _Lines(text, None)
        between = lines.newline if text and not text.endswith(("\n", "\ufeff")) else ""
        return text + between + lines.rendered({path[0]: {path[1]: value}}, "") + lines.newline
    lines = _Lines(text, root)
    if root.kind != "object":
        raise JsoncError("it does not hold a JSON object")
    outer = root.member(path[0])
    if outer is not None and outer.value.kind != "object":
        raise JsoncError(f"{path[0]!r} is not an object")
    if outer is None:
        return lines.inserted(root, path[0], {path[1]: value})
    member = outer.value.member(path[1])
    if member is None:
        return lines.inserted(outer.value, path[1], value)
    made = lines.rendered(value, lines.indent_at(member.start), lines.is_multiline(outer.value))
    return text[: member.value.start] + made + text[member.value.end :]


def without_member(text: str, path: tuple[str, str]) -> str:
    """The text without that member, were it there twice."""
    while True:
        root = parse_jsonc(text)
        outer = root.member(path[0]) if root is not None else None
        if outer is None or outer.value.member(path[1]) is None:
            return text
        names = [member.name for member in outer.value.members]
        text = _without(text, outer.value, names.index(path[1]))


def _without(text: str, holder: Node, place: int) -> str:
    member = holder.members[place]
    start, end = member.start, (member.value.end if member.comma is None else member.comma + 1)
    line = _before_blanks(text, start)
    rest = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
    alone = line == 0 or text[line - 1] in "\r\n"
    if alone and rest < len(text) and text[rest] in "\r\n":
        start, end = line, rest + (2 if text.startswith("\r\n", rest) else 1)
    elif member.comma is not None:
        end = rest
    elif place and not alone:
        start = line
    text = text[:start] + text[end:]
    before = holder.members[place - 1] if place else None
    if member.comma is None and before is not None and before.comma is not None:
        text = text[: before.comma] + text[before.comma + 1 :]
    return text


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def wrong(self, place: int, message: str) -> JsoncError:
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        return JsoncError(f"line {line}, column {column}: {message}")

    def skip(self, place: int) -> int:
        """Behind space and comments; a byte order mark is space at the very beginning."""
        if place == 0 and self.text.startswith("\ufeff"):
            place = 1
        while True:
            place = _SPACE.match(self.text, place).end()  # type: ignore[union-attr]
            comment = _COMMENT.match(self.text, place)
            if comment is None:
                return place
            place = comment.end()

    def value(self, place: int, depth: int) -> Node:
        if depth > MOST_DEPTH:
            raise self.wrong(place, f"this is nested more than {MOST_DEPTH} deep")
        head = self.text[place : place + 1]
        if head == "{":
            return self.object(place, depth)
        if head == "[":
            return self.array(place, depth)
        if head == '"':
            return Node("string", place, self.string(place)[1], [], [])
        plain = _PLAIN.match(self.text, place)
        if plain is None:
            raise self.wrong(place, "a value belongs here")
        return Node("plain", place, plain.end(), [], [])

    def string(self, place: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, place + 1, True)
        except ValueError as cause:
            raise self.wrong(place, f"this text is not well formed ({cause})") from cause
        return text, end

    def object(self, start: int, depth: int) -> Node:
        members: list[JsonMember] = []
        place = self.skip(start + 1)
        while self.text[place : place + 1] != "}":
            if members and members[-1].comma is None:
                raise self.wrong(place, "a comma or } belongs here")
            if self.text[place : place + 1] != '"':
                raise self.wrong(place, "a name in quotes belongs here")
            name, end = self.string(place)
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                raise self.wrong(colon, "a colon belongs here")
            value = self.value(self.skip(colon + 1), depth + 1)
            behind = self.skip(value.end)
            comma = behind if self.text[behind : behind + 1] == "," else None
            members.append(JsonMember(name, place, value, comma))
            place = behind if comma is None else self.skip(comma + 1)
        return Node("object", start, place + 1, members, [])

    def array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        place, separated = self.skip(start + 1), True
        while self.text[place : place + 1] != "]":
            if not separated:
                raise self.wrong(place, "a comma or ] belongs here")
            items.append(self.value(place, depth + 1))
            behind = self.skip(items[-1].end)
            separated = self.text[behind : behind + 1] == ","
            place = self.skip(behind + 1) if separated else behind
        return Node("array", start, place + 1, [], items)


class _Piece(NamedTuple):
    place: int
    text: str


class _Lines:
    """How this text breaks its lines and indents them."""

    def __init__(self, text: str, root: Node | None) -> None:
        self.text = text
        first = text.find("\n")
        self.newline = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
        self.unit = "  "
        if root is not None and root.members and self.is_multiline(root):
            self.unit = self.indent_at(root.members[0].start) or "  "

    def is_multiline(self, node: Node) -> bool:
        """Whether the members of an object begin lines of their own."""
        inside = self.text[node.start : node.members[0].start if node.members else node.end]
        return "\n" in inside

    def indent_at(self, place: int) -> str:
        """What the line of this place begins with."""
        start = self.text.rfind("\n", 0, place) + 1
        return _BLANKS.match(self.text, start).group()  # type: ignore[union-attr]

    def rendered(self, value: Any, indent: str, multiline: bool = True) -> str:
        """A value as this text would write it."""
        if not multiline:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit).split("\n")
        return (self.newline + indent).join(lines)

    def inserted(self, holder: Node, name: str, value: Any) -> str:
        """The text with one more member at the end of an object."""
        pieces = self._after_others(holder, name, value) if holder.members else self._alone(holder, name, value)
        text = self.text
        for piece in sorted(pieces, key=lambda piece: -piece.place):
            text = text[: piece.place] + piece.text + text[piece.place :]
        return text

    def _after_others(self, holder: Node, name: str, value: Any) -> list[_Piece]:
        last = holder.members[-1]
        multiline = self.is_multiline(holder)
        indent = self.indent_at(last.start) if multiline else ""
        member = f"{json.dumps(name, ensure_ascii=False)}: {self.rendered(value, indent, multiline)}"
        if last.comma is not None:
            # As the others have it, so has the new one: a comma behind it.
            place = self._line_rest(last.comma + 1)
            return [_Piece(place, self._break(last.comma, place, multiline, indent) + member + ",")]
        place = self._line_rest(last.value.end)
        break_ = self._break(last.value.end, place, multiline, indent)
        if place == last.value.end:
            return [_Piece(place, "," + break_ + member)]
        return [_Piece(last.value.end, ","), _Piece(place, break_ + member)]

    def _alone(self, holder: Node, name: str, value: Any) -> list[_Piece]:
        outer = self.indent_at(holder.start)
        indent = outer + self.unit
        member = f"{json.dumps(name, ensure_ascii=False)}: {self.rendered(value, indent)}"
        place, inner_end = holder.start + 1, holder.end - 1
        while comment := _COMMENT.match(self.text, _SPACE.match(self.text, place).end()):  # type: ignore[union-attr]
            place = comment.end()
        closes = "" if "\n" in self.text[place:inner_end] else self.newline + outer
        return [_Piece(place, self.newline + indent + member + closes)]

    def _break(self, start: int, end: int, multiline: bool, indent: str) -> str:
        # Behind a comment that ends with its line, nothing can stand in that line.
        return self.newline + indent if multiline or "//" in self.text[start:end] else " "

    def _line_rest(self, place: int) -> int:
        """Behind the comments that end this line, so that they stay with what they are about."""
        while True:
            comment = _COMMENT.match(self.text, _BLANKS.match(self.text, place).end())  # type: ignore[union-attr]
            if comment is None or "\n" in comment.group():
                return place
            place = comment.end()


def _before_blanks(text: str, place: int) -> int:
    while place and text[place - 1] in " \t":
        place -= 1
    return place
