"""Words on the command line become the arguments the tool's schema asks for."""

from __future__ import annotations

import pytest
import typer

from envscaler_mcp.artifacts import Tool
from envscaler_mcp.cli.arguments import arguments_of

TOOL = Tool(
    name="book_room",
    description="Book a room.",
    effect="writes",
    input_schema={
        "type": "object",
        "properties": {
            "guest": {"type": "string"},
            "nights": {"type": "integer"},
            "rate": {"type": "number"},
            "smoking": {"type": "boolean"},
            "extras": {"type": "array", "items": {"type": "string"}},
            "ages": {"type": "array", "items": {"type": "integer"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "kind": {"enum": ["single", "double"]},
            "address": {"type": "object"},
        },
        "required": ["guest", "nights"],
    },
)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("guest=Ada", "Ada"),
        ("guest=3", "3"),
        ("guest=a=b", "a=b"),
        ("guest=", ""),
        ("guest=null", "null"),
        ("nights=3", 3),
        ("nights=three", "three"),
        ("rate=12.5", 12.5),
        ("smoking=true", True),
        ("smoking=False", False),
        ("guest=True", "True"),
        ("extras=breakfast, late checkout", ["breakfast", "late checkout"]),
        ("extras=", []),
        ("ages=3,4", [3, 4]),
        ("ages=[3, 4]", [3, 4]),
        ("note=null", None),
        ("note=early", "early"),
        ("kind=double", "double"),
        ('address={"city": "Bern"}', {"city": "Bern"}),
        ("unknown=7", 7),
    ],
)
def test_a_word_becomes_what_the_schema_asks_for_and_stays_as_it_is_where_it_cannot(word: str, value: object) -> None:
    assert arguments_of(TOOL, [word]) == {word.partition("=")[0]: value}


def test_a_word_without_an_equals_sign_is_answered_with_how_the_tool_is_called() -> None:
    with pytest.raises(
        typer.BadParameter, match=r"'Ada' is not key=value; usage: book_room guest=… nights=… \[rate=…\]"
    ):
        arguments_of(TOOL, ["Ada"])


def test_an_argument_given_twice_is_refused() -> None:
    with pytest.raises(typer.BadParameter, match="'guest' is given twice"):
        arguments_of(TOOL, ["guest=Ada", "guest=Bo"])
