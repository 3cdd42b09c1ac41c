"""Looking at the surface of a text: brackets, top-level words, near misses, names and plurals."""

from __future__ import annotations

import re
from collections.abc import Iterable

from envscaler_mcp.serving.suggestion import nearest_name

_OPEN, _CLOSE = "([{", ")]}"


def balanced(text: str) -> bool:
    """Every bracket is closed; an apostrophe inside prose is not a quote."""
    depth = 0
    for _position, char in _outside_quotes(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def split_top(text: str, separator: str) -> list[str]:
    """The pieces between separators that stand in no bracket and no quote."""
    pieces, depth, start = [], 0, 0
    skip = -1
    for position, char in _outside_quotes(text):
        if position < skip:
            continue
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif depth == 0 and text.startswith(separator, position):
            pieces.append(text[start:position])
            start = skip = position + len(separator)
    pieces.append(text[start:])
    return pieces


def _outside_quotes(text: str) -> Iterable[tuple[int, str]]:
    quoted = False
    for position, char in enumerate(text):
        if char == "'":
            before = text[position - 1] if position else " "
            if quoted:
                quoted = False
            elif not before.isalnum():
                # A quote opens only where another one closes it: prose has apostrophes.
                quoted = "'" in text[position + 1 :]
            continue
        if not quoted:
            yield position, char


def name_hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` where something known is close, else a short list or nothing."""
    names = list(known)
    near = nearest_name(word, names)
    if near is not None:
        return f"; did you mean {near!r}?"
    if 0 < len(names) <= 8:
        return f"; there is {', '.join(sorted(names))}"
    return ""


def snake(name: str) -> str:
    """`PurchaseOrder` as `purchase_order`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def words(name: str) -> str:
    """`PurchaseOrder` and `purchase_order` as `purchase order`."""
    return snake(name).replace("_", " ")


_IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "staff": "staff",
    "shelf": "shelves",
    "leaf": "leaves",
    "half": "halves",
    "bus": "buses",
    "gas": "gases",
    "lens": "lenses",
    "equipment": "equipment",
    "series": "series",
    "aircraft": "aircraft",
    "medium": "media",
    "criterion": "criteria",
    "quiz": "quizzes",
    "standing": "standings",
}


def plural(noun: str) -> str:
    """The plural of an English noun in snake case."""
    head, _, last = noun.rpartition("_")
    if last in _IRREGULAR:
        many = _IRREGULAR[last]
    elif re.search(r"(s|x|z|ch|sh)$", last):
        many = last + "es"
    elif re.search(r"[^aeiou]y$", last):
        many = last[:-1] + "ies"
    else:
        many = last + "s"
    return f"{head}_{many}" if head else many


def singular(noun: str) -> str:
    """The singular of an English plural in snake case; what is no plural stays."""
    head, _, last = noun.rpartition("_")
    back = {many: base for base, many in _IRREGULAR.items()}
    if last in back:
        base = back[last]
    elif last.endswith("ies") and len(last) > 4:
        base = last[:-3] + "y"
    elif re.search(r"(sses|xes|zes|ches|shes)$", last):
        base = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        base = last[:-1]
    else:
        base = last
    return f"{head}_{base}" if head else base


def a(noun: str) -> str:
    """The noun with its article."""
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


def within_docstring(text: str) -> str:
    """The text as it stands between the quotes of a docstring, which it must not end."""
    escaped = text.replace("\\", "\\\\")
    return re.sub(r'"(?="|\Z)', r'\\"', escaped)
