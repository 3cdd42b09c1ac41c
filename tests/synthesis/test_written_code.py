"""Code that a model wrote is read out of its answer, looked at, and put together as if one hand had written it."""

from __future__ import annotations

import ast

import pytest

from envscaler_mcp.llm import MisfitError
from envscaler_mcp.serving.tools import tool_table
from envscaler_mcp.synthesis.written.code import Written, class_in, method_in, method_of, with_method

DEFINITION = '''from typing import Dict, TypedDict
import datetime


class Book(TypedDict):
    book_id: str
    title: str


class Shelf:
    """A shelf."""

    # A book stands on one shelf.
    def __init__(self, init_config: dict):
        self.books: Dict[str, Book] = dict(init_config.get("books", {}))


LIMIT = 3
'''
LIST = '''def list_books(self) -> dict:
    """List all books."""
    # In the order in which they came.
    return {"success": True, "data": list(self.books.values())}
'''


def fenced(code: str) -> str:
    return f"Here it is.\n\n```python\n{code}\n```\n"


def written(*methods: str) -> Written:
    return Written(
        "Shelf", DEFINITION, tuple(method_in(fenced(one), name_of(one), DEFINITION, "Shelf") for one in methods)
    )


def name_of(method: str) -> str:
    return next(node.name for node in ast.parse(method).body if isinstance(node, ast.FunctionDef))


def test_methods_come_into_their_class_with_their_comments_and_every_import_once_at_the_top() -> None:
    late = "import math\nfrom typing import Dict, Optional\n\ndef find(self, title: Optional[str] = None) -> Dict:\n    'Find a book.'\n    return {'success': True, 'data': math.pi}\n"
    source = written(LIST, late).source
    assert source.splitlines()[:5] == [
        "from typing import Dict",
        "from typing import TypedDict",
        "import datetime",
        "import math",
        "from typing import Optional",
    ]
    assert source.count("import ") == 5
    assert "    # A book stands on one shelf." in source
    assert "        # In the order in which they came." in source
    assert source.rstrip().endswith("LIMIT = 3")
    assert [tool.name for tool in tool_table(source, "Shelf")] == ["list_books", "find"]


def test_a_text_of_several_lines_in_a_method_stays_what_it_is() -> None:
    method = 'def note(self) -> dict:\n    """Give a note."""\n    return {"success": True, "data": """one\ntwo"""}\n'
    source = written(method).source
    assert "one\\ntwo" in source


def test_a_method_takes_the_place_of_the_one_of_its_name() -> None:
    before = written(LIST)
    piece = LIST.replace("list(self.books.values())", "[]")
    after = with_method(before, "list_books", piece)
    assert method_of(after, "list_books") == piece
    assert after.source.count("def list_books") == 1
    assert with_method(before, "other", piece.replace("list_books", "other")).source.count("def ") == 3


def test_a_method_that_came_in_its_whole_class_is_taken_out_of_it() -> None:
    whole = f"class Shelf:\n    def __init__(self):\n        pass\n\n{''.join(f'    {line}' for line in LIST.splitlines(keepends=True))}"
    assert method_in(fenced(whole), "list_books", DEFINITION, "Shelf").strip() == LIST.strip()


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("def list_books(self) -> dict\n    pass", "It is no Python"),
        ("def other(self) -> dict:\n    'X.'\n    return {}", "no method list_books"),
        ("def list_books(shelf) -> dict:\n    'X.'\n    return {}", "must be `self`"),
        ("def list_books(self, *names: str) -> dict:\n    'X.'\n    return {}", "must name its parameters"),
        ("def list_books(self, shelf) -> dict:\n    'X.'\n    return {}", "'shelf' of list_books has no type"),
        ("def list_books(self) -> dict:\n    return {}", "needs a docstring"),
        ("def list_books(self) -> dict:\n    'X.'\n    pass", "returns nothing"),
        ("@staticmethod\ndef list_books(self) -> dict:\n    'X.'\n    return {}", "no decorator"),
        ("import os\ndef list_books(self) -> dict:\n    'X.'\n    return os.environ", "refused before it was run"),
        ("def list_books(self) -> dict:\n    'X.'\n    return eval('1')", "refused before it was run"),
        ("from x import Dict\ndef list_books(self) -> dict:\n    'X.'\n    return {}", "refused|already means"),
        ("import math as datetime\ndef list_books(self) -> dict:\n    'X.'\n    return {}", "already means"),
    ],
)
def test_what_is_wrong_with_a_method_is_told_to_whoever_wrote_it(code: str, complaint: str) -> None:
    with pytest.raises(MisfitError, match=complaint):
        method_in(fenced(code), "list_books", DEFINITION, "Shelf")


def test_an_answer_without_code_is_told_so() -> None:
    with pytest.raises(MisfitError, match="no block fenced as ```python"):
        method_in("I cannot do that.", "list_books", DEFINITION, "Shelf")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("class Shelf", "class Rack"), "no class Shelf; there are Book, Rack"),
        (("    # A book", "    def more(self):\n        pass\n    # A book"), "no other method"),
        (("LIMIT = 3", "print('hello')"), "Only imports, constants and classes"),
        (("import datetime", "import socket"), "refused before it was run"),
    ],
)
def test_what_is_wrong_with_a_class_is_told(change: tuple[str, str], complaint: str) -> None:
    with pytest.raises(MisfitError, match=complaint):
        class_in(fenced(DEFINITION.replace(*change)), "Shelf")


def test_a_class_as_it_was_asked_for_is_taken_as_it_is() -> None:
    assert class_in(fenced(DEFINITION), "Shelf").strip() == DEFINITION.strip()
