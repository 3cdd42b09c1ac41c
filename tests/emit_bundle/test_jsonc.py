"""JSON with comments is read as JSON, and edited without a change to anything else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.emit.jsonc import MOST_DEPTH, JsoncError, node_value, parse_jsonc, with_member, without_member

SERVER = {"command": "/usr/bin/python3", "args": ["-m", "x"]}
PATH = ("servers", "ours")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
gaps = st.sampled_from(["", " ", "\n", "\n\t", "\r\n  ", "/* a: {,} */", "// x, y }\n", " /* \n */ "])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value as a person may write it."""
    before, after = draw(gaps), draw(gaps)
    if isinstance(value, (dict, list)) and value:
        if isinstance(value, dict):
            parts = [f"{draw(gaps)}{json.dumps(name)}{draw(gaps)}:{draw(written(one))}" for name, one in value.items()]
        else:
            parts = [draw(written(one)) for one in value]
        inside = ",".join(parts) + draw(st.sampled_from(["", "", ","])) + draw(gaps)
        return before + ("{%s}" if isinstance(value, dict) else "[%s]") % inside + after
    ascii_ = draw(st.booleans())
    return before + json.dumps(value, ensure_ascii=ascii_) + after


documents = st.fixed_dictionaries(
    {}, optional={"servers": st.dictionaries(st.sampled_from(["a", "b", "ours"]), values, max_size=3), "inputs": values}
)


def read(text: str) -> Any:
    root = parse_jsonc(text)
    assert root is not None
    return node_value(text, root)


@given(values.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_what_a_person_wrote_is_read_as_its_value(case: tuple[Any, str]) -> None:
    value, text = case
    assert read(text) == value


@given(values, st.sampled_from([None, 1, "\t"]))
def test_plain_json_is_read_as_python_reads_it(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    assert read(text) == json.loads(text)


@given(st.text(alphabet='{}[]",:/*\\ntrue019.-e \n', max_size=30))
def test_a_text_that_python_reads_is_read_alike_and_any_other_is_refused_or_has_comments_or_commas(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        try:
            root = parse_jsonc(text)
        except JsoncError:
            return
        if root is not None:
            assert "//" in text or "/*" in text or re.search(r",[\s]*[\]}]", text)
        return
    assert read(text) == value or value != value


def is_kept(old: str, new: str) -> bool:
    """Whether the new text is the old one with something put in."""
    rest = iter(new)
    return all(letter in rest for letter in old)


@given(documents.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_an_entry_is_added_and_nothing_else_is_touched(case: tuple[dict[str, Any], str]) -> None:
    value, text = case
    new = with_member(text, PATH, SERVER)
    assert read(new) == {**value, "servers": {**value.get("servers", {}), "ours": SERVER}}
    if "ours" not in value.get("servers", {}):
        assert is_kept(text, new)
        assert re.findall(r"/\*.*?\*/|//[^\r\n]*", text, re.DOTALL) == re.findall(
            r"/\*.*?\*/|//[^\r\n]*", new, re.DOTALL
        ) or any(mark in json.dumps(value) for mark in ("//", "/*", "*/"))


@given(documents.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_an_entry_that_is_added_and_removed_leaves_every_sign_where_it_was(case: tuple[dict[str, Any], str]) -> None:
    value, text = case
    if "ours" in value.get("servers", {}) or "servers" not in value:
        return
    back = without_member(with_member(text, PATH, SERVER), PATH)
    assert read(back) == value
    assert re.sub(r"\s", "", back) == re.sub(r"\s", "", text)


@given(documents.flatmap(lambda value: st.tuples(st.just(value), written(value))))
def test_an_entry_is_replaced_in_its_place(case: tuple[dict[str, Any], str]) -> None:
    value, text = case
    first = with_member(text, PATH, SERVER)
    second = with_member(first, PATH, {"url": "http://x"})
    assert read(second) == {**value, "servers": {**value.get("servers", {}), "ours": {"url": "http://x"}}}
    assert list(read(second)["servers"]) == list(read(first)["servers"])


def test_comments_commas_numbers_and_duplicates_stay_as_they_are_written() -> None:
    text = (
        '// mine\r\n{\r\n\t// the tools\r\n\t"servers": {\r\n\t\t"a": {"n": 1e400, "n": 1.00}, // first\r\n\t},\r\n'
        '\t"inputs": [1, 2,], /* end */\r\n}\r\n'
    )
    entry = '\t\t"ours": {\r\n\t\t\t"command": "x"\r\n\t\t},\r\n'
    begin, end = text.split("// first\r\n")
    assert with_member(text, PATH, {"command": "x"}) == f"{begin}// first\r\n{entry}{end}"
    assert without_member(with_member(text, PATH, {"command": "x"}), PATH) == text


def test_of_an_object_that_stands_there_twice_the_one_that_counts_is_edited() -> None:
    text = '{"servers":{"a":{"command":"one"},"a":{"command":"two"}},"servers":{"b":3}}'
    assert with_member(text, PATH, 1) == text[:-2] + ', "ours": 1}}'


def test_an_entry_that_stands_there_twice_is_removed_twice() -> None:
    assert without_member('{"servers": {"ours": 1, "a": 2, "ours": 3}}', PATH) == '{"servers": {"a": 2}}'


@pytest.mark.parametrize("text", ["", "\ufeff", "\n", "// mine", "// mine\n", "/* mine */"])
def test_a_file_with_nothing_in_it_gets_an_object_behind_its_comments(text: str) -> None:
    new = with_member(text, PATH, 1)
    assert new.startswith(text)
    assert read(new) == {"servers": {"ours": 1}}


@pytest.mark.parametrize(
    "text", ["{", "[1", '{"a" 1}', '{"a": 1 "b": 2}', "{,}", "[,]", "01", "nul", '"\n"', "{} {}", "/* x", "{'a': 1}"]
)
def test_what_is_no_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(JsoncError, match=r"line \d+, column \d+"):
        parse_jsonc(text)


def test_what_is_nested_without_end_is_refused_with_a_sentence() -> None:
    with pytest.raises(JsoncError, match="nested more than"):
        parse_jsonc("[" * 100_000)
    depth = MOST_DEPTH - 1
    assert read("[" * depth + "]" * depth) is not None
