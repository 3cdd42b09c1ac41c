"""docs/blueprints.md and docs/stories.md say nothing that is not so."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from envscaler_mcp.artifacts.blueprint import (
    Blueprint,
    OperationSpec,
    QuerySpec,
    Read,
    RuleSpec,
    StartSpec,
    StorySpec,
    WordsSpec,
)
from envscaler_mcp.cli.program import COMMANDS
from envscaler_mcp.language.analysis import everything, statements
from envscaler_mcp.language.check import MOST_TOOLS
from envscaler_mcp.language.column_types import COLUMN_TYPES, forms
from envscaler_mcp.language.column_types.texts import TEXT_KINDS
from envscaler_mcp.language.declarations import LABELS
from envscaler_mcp.language.expressions import Expr, Function, Scan, walk
from envscaler_mcp.language.functions import FUNCTIONS
from envscaler_mcp.language.gathering import GATHERINGS
from envscaler_mcp.language.model import Statement
from envscaler_mcp.language.stories import Deed, Mark, Role, Said
from envscaler_mcp.language.types import Type
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.scenarios.tasks import BANDS
from envscaler_mcp.serving.outcome import encode
from tests.language import manual
from tests.language.manual import Example

PAGE = "\n".join(page.read_text(encoding="utf-8") for page in manual.PAGES)
"""Both pages, as a model that writes stories is given them."""
EXAMPLES = manual.examples(PAGE)
WORKING = [example for example in EXAMPLES if example.works]
NEVER_WRITTEN = {"none", "key", "ratio", "struct"}
"""Kinds of values that arise in expressions or are written as a mapping; they have no name in the language."""
SPECIAL = {"above", "below", "desc"}
SPECS = (Blueprint, RuleSpec, OperationSpec, QuerySpec, StartSpec, WordsSpec, StorySpec)


def line(example: Example) -> str:
    """Where the example stands: page and line."""
    line = example.block.line
    for page in manual.PAGES:
        lines = page.read_text(encoding="utf-8").count("\n") + 1
        if line <= lines:
            return f"{page.stem} {line}"
        line -= lines
    raise AssertionError(f"no page has a line {example.block.line}")


def having(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", [e for e in EXAMPLES if e.of_kind(kind)], ids=line)


@pytest.mark.parametrize("example", WORKING, ids=line)
def test_every_blueprint_that_is_shown_to_work_works(example: Example) -> None:
    expected = bool(example.of_kind("text problems"))
    assert expected or example.problems() == []
    example.world().close()


@having("text calls")
def test_every_call_is_answered_as_shown_by_compiled_code_and_interpreter(example: Example) -> None:
    for block in example.of_kind("text calls"):
        shown = [manual.shortest(answer) for _, _, answer in manual.calls(block)]
        played = list(manual.played(example, block))
        assert [(call, answer) for call, answer, _ in played] == [
            (call, answer) for (call, _, _), answer in zip(played, shown, strict=True)
        ]
        assert [(call, answer) for call, answer, _ in played] == [(call, same) for call, _, same in played]


@having("text values")
def test_every_expression_has_the_value_shown(example: Example) -> None:
    for block in example.of_kind("text values"):
        shown = manual.asked(block)
        compiled, interpreted = manual.values(example, [expression for expression, _ in shown])
        assert [(text, encode(value)) for (text, _), value in zip(shown, compiled, strict=True)] == [
            (text, manual.shortest(value)) for text, value in shown
        ]
        assert compiled == interpreted


@having("text holds")
def test_what_is_said_of_a_grown_state_holds(example: Example) -> None:
    for block in example.of_kind("text holds"):
        expressions = block.text.strip().splitlines()
        compiled, interpreted = manual.values(example, expressions)
        assert [text for text, value in zip(expressions, compiled, strict=True) if value is not True] == []
        assert compiled == interpreted


@having("text problems")
def test_every_mistake_is_told_as_shown(example: Example, tmp_path: Path) -> None:
    (block,) = example.of_kind("text problems")
    if example.works:
        file = tmp_path / f"{example.blueprint.id}.yaml"
        file.write_text(example.block.text, encoding="utf-8")
        found = manual.told(check_blueprints([file])[0].problems)
    else:
        found = example.problems()
    # An ellipsis stands for numbers and arguments that the growing of states may change.
    assert re.fullmatch(re.escape(block.text.strip()).replace("…", "[^\n]+?"), "\n".join(found)), found


@having("text told")
def test_every_story_is_told_and_solved_as_shown(example: Example) -> None:
    (block,) = example.of_kind("text told")
    told = [[f"{name}: {text}", *calls] for name, text, calls in manual.told_stories(example)]
    assert told == manual.tellings(block)


@having("text left out")
def test_every_story_that_cannot_be_told_is_left_out_for_the_reason_shown(example: Example) -> None:
    (block,) = example.of_kind("text left out")
    assert block.text.strip().splitlines() == [f"{name}: {why}" for name, why, _ in manual.told_stories(example)]


@having("text checks")
def test_rules_are_looked_at_again_as_said(example: Example) -> None:
    for block in example.of_kind("text checks"):
        assert block.text.strip().splitlines() == manual.rule_costs(example)


@having("text tools")
def test_the_tools_are_those_listed(example: Example) -> None:
    for block in example.of_kind("text tools"):
        assert block.text.strip().splitlines() == manual.tool_lines(example)


def test_there_is_no_block_that_no_test_reads() -> None:
    kinds = {block.kind for block in manual.blocks(PAGE)}
    assert kinds <= {*manual.BLUEPRINTS, *manual.FOLLOWING}
    assert PAGE.count("```") == 2 * len(list(manual.blocks(PAGE)))
    assert [e.block.line for e in EXAMPLES if not e.works and not e.of_kind("text problems")] == []


# Nothing of the language is left out


@cache
def expressions() -> tuple[Expr, ...]:
    """Everything inside the expressions of working examples and of values that are shown."""
    found: list[Expr] = []
    for example in WORKING:
        shown = [text for block in example.of_kind("text values") for text, _ in manual.asked(block)]
        model = manual.asking(example, shown).model if shown else example.model
        found.extend(inner for expr in everything(model) for inner in walk(expr))
    return tuple(found)


def types_of(example: Example) -> Iterator[Type]:
    model = example.model
    for entity in model.entities.values():
        yield from (attribute.type for attribute in entity.stored)
    for operation in model.operations.values():
        yield from (param.type for param in operation.params)
    for query in model.queries.values():
        yield from (param.type for param in query.params)


def test_every_function_and_every_gathering_is_shown() -> None:
    named = {expr.name for expr in expressions() if isinstance(expr, Function)}
    gathered = {expr.gather for expr in expressions() if isinstance(expr, Scan)}
    assert {*FUNCTIONS, *SPECIAL} - named == set()
    assert {*GATHERINGS, "list"} - gathered == set()


def test_every_kind_of_expression_is_shown() -> None:
    assert set(typing.get_args(Expr)) - {type(expr) for expr in expressions()} == set()


def test_every_statement_is_shown_in_an_operation_that_a_call_makes() -> None:
    shown: set[type] = set()
    for example in WORKING:
        called = {tool for block in example.of_kind("text calls") for tool, _, _ in manual.calls(block)}
        for name in called & set(example.model.operations):
            shown |= {type(statement) for statement in statements(example.model.operations[name].effect)}
    assert set(typing.get_args(Statement)) - shown == set()


def test_every_type_is_shown() -> None:
    found = {type_ for example in WORKING for type_ in types_of(example)}
    inside = found | {type_.of for type_ in found if type_.of is not None}
    assert COLUMN_TYPES.keys() - NEVER_WRITTEN - {type_.kind for type_ in found} == set()
    assert "struct" in {type_.kind for type_ in inside}
    assert set(TEXT_KINDS) - {type_.shape for type_ in found} == set()
    attributes = [a for example in WORKING for e in example.model.entities.values() for a in e.stored]
    assert all(any(getattr(a, word) for a in attributes) for word in ("fixed", "unique", "default", "moves"))


def test_every_kind_of_role_deed_and_mark_and_every_format_is_shown() -> None:
    speeches = [example.made.speech for example in WORKING]
    stories = [story for speech in speeches for story in speech.stories.values()]
    assert set(typing.get_args(Role)) == {type(role) for story in stories for role in story.cast}
    assert set(typing.get_args(Deed)) == {type(deed) for story in stories for deed in story.do}
    said = [part for story in stories for telling in story.tell for part in telling if isinstance(part, Said)]
    assert set(forms()) == {part.format for part in said}
    ways = [way for speech in speeches for ways in speech.descriptions.values() for way in ways]
    marks = [part for way in ways for part in way if isinstance(part, Mark)]
    assert {(mark.value is None, bool(mark.said)) for mark in marks} == {(True, False), (False, False), (False, True)}


def test_the_levels_have_the_numbers_of_calls_that_are_named() -> None:
    prose = " ".join(PAGE.split())
    (easy, medium, hard) = BANDS.items()
    named = [f"{low} to {high} {at} `{level}`" for (level, (low, high)), at in ((medium, "at"), (hard, "at"))]
    assert f"{easy[1][0]} to {easy[1][1]} calls at the level `{easy[0]}`, {named[0]}, {named[1]}." in prose


def test_every_part_of_a_file_is_shown_and_explained() -> None:
    parts = {part for spec in SPECS for part in spec.model_fields}
    parts -= {"schema_version", "provenance"}
    prose = set(re.findall(r"`(\w+)", manual.without_blocks(PAGE)))
    assert parts - prose == set()
    written = {key for example in EXAMPLES for key in re.findall(r"^ *(?:- )?(\w+):", example.block.text, re.MULTILINE)}
    assert parts - {"version"} - written == set()
    derived = {read for example in WORKING for reads in example.model.derive.values() for read in reads}
    assert set(typing.get_args(Read)) - derived == set()


PLACEHOLDERS = {
    *("Entity", "LikeThis", "PurchaseOrder", "purchase_orders", "PO", "like_this", "_id", "_ids"),
    *("SOURCE", "TEST", "KEY", "FILE", "expression", "field", "other_start", "other_end", "word"),
}
NAMED_AS_NO_PART = {"while", "yes"}
"""What other languages have."""


def test_the_manual_names_nothing_that_is_not_there() -> None:
    spoken = re.findall(r"`([^`\n]+)`", manual.without_blocks(PAGE))
    paths = {code for code in spoken if re.fullmatch(r"[\w.]+(/[\w.]+)+", code)}
    assert [path for path in paths if not (manual.DOCS.parent / path).exists()] == []
    words = {word for code in spoken if code not in paths for word in re.findall(r"[A-Za-z_]\w+", code)}
    shown = set(re.findall(r"[A-Za-z_]\w+", "\n".join(block.text for block in manual.blocks(PAGE))))
    known = {"envscaler", "grow", *COMMANDS, *LABELS, *BANDS, *Blueprint.model_fields}
    assert sorted(words - shown - known - PLACEHOLDERS - NAMED_AS_NO_PART) == []
    assert f"at most {MOST_TOOLS} tools" in PAGE
