"""What is wrong with an expression is said in the words of the language, with what to do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.language.reader import parse_expression
from envscaler_mcp.language.types import Complaint

MISTAKES = {
    "f(a=1, b)": "a bare name stands behind one with '='; put the bare names first",
    "f(a": "the bracket ( is never closed",
    "f(a))": "the bracket ) closes nothing",
    "f(a]": "the bracket ( is closed by ]",
    "'open": "a quote is never closed",
    "a = 3 or b": "'=' stands where values are compared; write '=='",
    "2026-03-02": "a date, a time or a name that begins with a digit stands in single quotes",
    "1 if a": "an 'if' between values needs its 'else': A if TEST else B",
    "f(x for x in y, 2)": "a loop beside other values stands in square brackets",
    "a b": "it cannot be read from 'b' on",
    "a ==": "something is missing in it",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_said_with_what_to_do(text: str) -> None:
    with pytest.raises(Complaint) as said:
        parse_expression(text)
    assert str(said.value) == f"{text!r} is no expression: {MISTAKES[text]}"


@given(st.text("ab=()[]{}',. 01if<>|+-:", max_size=20))
def test_no_mistake_is_said_in_the_words_of_python(text: str) -> None:
    try:
        parse_expression(text)
        answer = ""
    except Complaint as said:
        answer = str(said).replace(repr(text.strip()), "")
    words = ("syntax", "keyword argument", "EOF", "parenthes", "literal", "indent", "lambda")
    assert [word for word in words if word in answer] == []
