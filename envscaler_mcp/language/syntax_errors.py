"""What is wrong with the syntax of an expression, in the words of the language; Python's own speak of Python."""

from __future__ import annotations

import re

_ASSIGNED = "'=' stands where values are compared; write '=='"
_SAID = (
    (r"positional argument follows keyword", "a bare name stands behind one with '='; put the bare names first"),
    (r"'(.)' was never closed", "the bracket {0} is never closed"),
    (r"unmatched '(.)'", "the bracket {0} closes nothing"),
    (r"closing parenthesis '(.)' does not match opening parenthesis '(.)'", "the bracket {1} is closed by {0}"),
    (r"unterminated", "a quote is never closed"),
    (r"instead of '='|cannot assign to", _ASSIGNED),
    (r"leading zeros|invalid .*literal", "a date, a time or a name that begins with a digit stands in single quotes"),
    (r"expected 'else'", "an 'if' between values needs its 'else': A if TEST else B"),
    (r"[Gg]enerator expression must be parenthesized", "a loop beside other values stands in square brackets"),
    (r"forgot a comma", "something is missing between two values, such as a comma or 'and'"),
    (r"unexpected EOF|expected ':'", "its end is missing"),
)


def said_plainly(cause: SyntaxError, text: str) -> str:
    """The mistake, and what to do about it; where Python has no more to say than that it cannot go on, the place."""
    for pattern, words in _SAID:
        if match := re.search(pattern, cause.msg):
            return words.format(*match.groups())
    rest = text.split("\n")[(cause.lineno or 1) - 1][max((cause.offset or 1) - 1, 0) :].strip()
    if rest.startswith("=") and not rest.startswith("=="):
        return _ASSIGNED
    return (
        f"it cannot be read from {rest[:40]!r} on" if rest not in ("", text.strip()) else "something is missing in it"
    )
