"""Whatever somebody writes into the texts of a blueprint, or into a title, stays text: nothing of it is ever run."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.emit.folder import docstring_title, folder_files
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.language.text import within_docstring
from envscaler_mcp.sandbox.policy import RefusedError
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis import synthesize
from envscaler_mcp.synthesis.nursery import compile_nursery
from envscaler_mcp.synthesis.starter import starter_blueprint
from tests.homes import written
from tests.scenarios.written_classes import LENDING

ATTACKS = (
    'Lends tools. """; import sys; sys.modules["caught"] = sys; """ end.',
    'Lends tools. \\""" + __import__("sys").modules.update(caught=1) + """',
    'Lends tools "',
    "Lends tools \\",
    'Lends tools \\"',
    'Lends """" tools """',
)
STARTER = starter_blueprint("boat_rental", "leisure")


def with_text(place: str, text: str) -> str:
    """The starter blueprint with a text in a place of it."""
    quoted = text.replace("'", "''")
    old = {
        "about": "about: Lends games to members for up to two weeks.",
        "title": "title: Boat rental",
        "operation": next(line for line in STARTER.splitlines() if line.startswith("    about: ")).strip(),
    }[place]
    assert old in STARTER
    return STARTER.replace(old, f"{old.partition(':')[0]}: '{quoted}'", 1)


@pytest.mark.parametrize("text", ATTACKS)
@pytest.mark.parametrize("place", ["about", "title", "operation"])
def test_a_text_of_a_blueprint_is_documentation_and_no_code(place: str, text: str) -> None:
    blueprint = read_blueprint(with_text(place, text), "boat_rental.yaml")
    made = synthesize(blueprint, ("start",))
    load_class(made.source, made.environment.class_name)
    load_class(made.nursery_source, made.nursery_class)
    assert "caught" not in sys.modules
    clean = ast.parse(synthesize(read_blueprint(STARTER, "boat_rental.yaml"), ("start",)).source)
    assert _without_texts(ast.parse(made.source)) == _without_texts(clean)


def _without_texts(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


@given(st.text(alphabet="a\"\\ \n'", max_size=12))
def test_what_stands_in_a_docstring_is_read_as_it_was_written(text: str) -> None:
    source = f'"""{within_docstring(text)}"""'
    assert ast.literal_eval(source) == text


@pytest.mark.parametrize("title", ATTACKS)
def test_a_title_is_no_code_in_the_program_of_a_server(title: str, tmp_path: Path) -> None:
    card = written(LENDING).environment.model_copy(update={"title": title})
    module = ast.parse(folder_files(card, LENDING, "", (), (), {})["server.py"])
    kinds = [type(node).__name__ for node in module.body]
    assert kinds == ["Expr", "ImportFrom", "ImportFrom", "If"]
    assert docstring_title(card)
    first: Any = module.body[0]
    assert isinstance(first.value, ast.Constant)


def test_code_that_slipped_into_what_is_compiled_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from envscaler_mcp.synthesis.compile import python

    monkeypatch.setattr(python, "within_docstring", lambda text: text)
    attack = 'Lends. """; __import__("sys").modules.update(caught=1); """ end.'
    blueprint = read_blueprint(with_text("operation", attack), "boat_rental.yaml")
    with pytest.raises(RefusedError, match="was refused before it was run"):
        compile_nursery(check_blueprint(blueprint).sound())
    with pytest.raises(RefusedError, match="was refused before it was run"):
        synthesize(blueprint, ("start",))
