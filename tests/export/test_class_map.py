"""What a class looks like from outside, by its text alone."""

from __future__ import annotations

import ast

from envscaler_mcp.export.class_map import class_head, class_map, method_details
from tests.scenarios.written_classes import DEVICES, LENDING


def test_states_know_their_types_and_who_reads_and_writes_them() -> None:
    found = class_map(LENDING, "LendingDesk")
    books = found["states"]["books"]
    assert books["type"] == "Dict[str, BookInfo]"
    assert {"list_books", "lend_book", "take_back"} <= set(books["used_by"])
    assert {"lend_book", "take_back", "move_book"} == set(books["modified_by"])
    assert found["methods"]["find_reader"] == {"calls": [], "reads": ["readers"], "writes": []}
    assert found["methods"]["update_email"]["writes"] == ["readers"]


def test_helpers_are_calls_of_those_who_use_them() -> None:
    found = class_map(DEVICES, "DeviceRegistry")
    assert found["methods"]["place_device"]["calls"] == ["_standing_in"]
    assert "place_device" not in found["states"]


def test_methods_are_told_with_signature_documentation_and_source() -> None:
    found = method_details(LENDING, "LendingDesk")["list_books"]
    assert found["signature"] == {
        "parameters": [{"name": "status", "type": "Optional[str]", "default": "None", "kind": "POSITIONAL_OR_KEYWORD"}],
        "return": "dict",
    }
    assert found["doc"].startswith("List books, of one status if it is given.")
    assert found["source_code"].startswith("def list_books(")


def test_the_head_of_a_module_ends_with_the_constructor() -> None:
    head = class_head(LENDING, "LendingDesk")
    assert head.rstrip().endswith("self.init_config = init_config")
    assert isinstance(ast.parse(head).body[-1], ast.ClassDef)
