"""Tools are read from source."""

from __future__ import annotations

import pytest

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import EnvironmentCode, tool_table

MODULE = '''
raise SystemExit("nobody runs this")

from typing import Annotated, Any, Dict, List, Literal, NotRequired, Optional, TypedDict, Union

Date = Annotated[str, {"format": "date"}]
Nights = Annotated[int, {"minimum": 1, "maximum": 60, "description": "How many nights."}]
Kind = Literal["single", "double"]


class Guest(TypedDict):
    name: str
    born: Date
    nickname: NotRequired[str]


class Note(TypedDict, total=False):
    text: str
    replies: "List[Note]"


class Hotel:
    def __init__(self, init_config):
        self.rooms = {}

    def book(self, room_id: str, nights: Nights, guests: List[Guest], kind: Kind = "single", until: Optional[Date] = None,
             note: Note | None = None, extras: Dict[str, int] = {}, price: Union[int, float] = 1.5, any_thing=None) -> dict:
        """Book a room
        for some nights.

        More words that no agent needs.

        Args:
            room_id (str): The room.
                Its id, not its number.
            guests (List[Guest]): Who sleeps there.
            kind: What it is.

        Returns:
            dict: What was done.
        """

    def _helper(self): ...

    @staticmethod
    def price_of(room_id: str): ...

    @property
    def size(self): ...

    def silent(self): ...
'''


def schema_of(annotation: str) -> object:
    source = f"class Shop:\n    def __init__(self): ...\n    def ask(self, value: {annotation}): ...\n"
    return tool_table(source)[0].input_schema["properties"]["value"]


def test_a_tool_is_a_public_method_of_the_class_itself() -> None:
    assert [tool.name for tool in tool_table(MODULE)] == ["book", "silent"]


def test_the_first_paragraph_describes_a_tool() -> None:
    book, silent = tool_table(MODULE)
    assert book.description == "Book a room for some nights."
    assert silent.description == "Silent."


def test_a_signature_becomes_a_closed_schema() -> None:
    schema = tool_table(MODULE)[0].input_schema
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["room_id", "nights", "guests"]
    assert schema["properties"] == {
        "room_id": {"description": "The room. Its id, not its number.", "type": "string"},
        "nights": {"type": "integer", "minimum": 1, "maximum": 60, "description": "How many nights."},
        "guests": {
            "description": "Who sleeps there.",
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "born": {"type": "string", "format": "date"},
                    "nickname": {"type": "string"},
                },
                "required": ["name", "born"],
                "additionalProperties": False,
            },
        },
        "kind": {"description": "What it is.", "type": "string", "enum": ["single", "double"], "default": "single"},
        "until": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        "note": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "replies": {"type": "array", "items": {}}},
                    "required": [],
                    "additionalProperties": False,
                },
                {"type": "null"},
            ],
            "default": None,
        },
        "extras": {"type": "object", "additionalProperties": {"type": "integer"}},
        "price": {"anyOf": [{"type": "integer"}, {"type": "number"}], "default": 1.5},
        "any_thing": {"default": None},
    }


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str | None", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("None | str", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("Literal['a', None]", {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
        ("list", {"type": "array", "items": {}}),
        ("dict", {"type": "object"}),
        ("typing.List[int]", {"type": "array", "items": {"type": "integer"}}),
        ("'int'", {"type": "integer"}),
        ("Unheard", {}),
        ("Annotated[str | None, {'maxLength': 3}]", {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}),
    ],
)
def test_an_annotation_has_its_schema(annotation: str, schema: object) -> None:
    assert schema_of(annotation) == schema


def test_what_the_module_declares_as_changes_is_what_writes(library: EnvironmentCode) -> None:
    effects = {tool.name: tool.effect for tool in library.environment.tools}
    assert [name for name, effect in effects.items() if effect == "reads"] == ["get_book", "list_books"]


def test_without_a_declaration_the_source_decides_and_doubt_means_writing() -> None:
    source = """
import random

class Shop:
    def __init__(self, config):
        self.items = {}
        self.log = []
    def reads(self, item_id: str):
        found = [item for item in self.items.values() if item["id"] == item_id]
        data = dict(self.items)
        data["extra"] = len(found)
        found.sort(key=lambda item: item["id"])
        total = 0
        for item in found:
            total += item["count"]
        return {"success": True, "data": self._named(item_id), "total": total}
    def _named(self, item_id):
        return self.items.get(item_id)
    def assigns(self): self.items = {}
    def stores(self): self.items["x"] = 1
    def deletes(self): del self.items["x"]
    def appends(self): self.log.append(1)
    def through_a_name(self):
        item = self.items["x"]
        item["count"] = 2
    def through_a_loop(self):
        for item in self.items.values():
            item["count"] += 1
    def through_a_helper(self): return self._touch()
    def _touch(self): self.log.append("x")
    def through_a_nested_value(self):
        copy = dict(self.items)
        copy["x"]["count"] = 2
    def through_itself(self): return change(self)
    def through_somebody_else(self): return change(self.items)
    def through_a_list_it_extends(self):
        log = self.log
        log += [1]
    def through_a_shuffle(self): random.shuffle(self.log)
    def through_vars(self): vars(self)["items"] = {}
"""
    effects = {tool.name: tool.effect for tool in tool_table(source)}
    assert effects.pop("reads") == "reads"
    assert set(effects.values()) == {"writes"}


def test_a_source_that_is_not_python_is_a_world_error() -> None:
    with pytest.raises(WorldError, match="is not Python"):
        tool_table("class Shop(:")


def test_a_module_needs_one_public_class() -> None:
    with pytest.raises(WorldError, match="it holds 0"):
        tool_table("x = 1")
    with pytest.raises(WorldError, match="exactly one class 'Shop'"):
        tool_table("class Store:\n    def __init__(self): ...", "Shop")


def test_a_keyword_that_nothing_enforces_is_not_published(library: EnvironmentCode) -> None:
    source = library.source.replace('{"minLength": 1, "maxLength": 60}', '{"contentEncoding": "base64"}')
    with pytest.raises(WorldError, match="'contentEncoding' is not enforced"):
        EnvironmentCode.of(library.environment, source)


def test_a_changed_source_is_not_genuine_and_has_the_tools_it_really_has(library: EnvironmentCode) -> None:
    changed = EnvironmentCode.of(library.environment, library.source.replace("def note(", "def remark("))
    assert library.genuine
    assert library.journaled
    assert not changed.genuine
    assert not changed.journaled
    assert "remark" in changed.tools
    assert "note" not in changed.tools
