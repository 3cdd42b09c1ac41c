"""Writing Python: expressions with no more brackets than needed, and lines that fit."""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise

from envscaler_mcp.language.text import within_docstring

WIDTH = 118


class Lines:
    """Lines of a module, indented, wrapped where they are too long."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def add(self, text: str = "") -> None:
        if not text:
            self.lines.append("")
            return
        self.lines.extend(fitted("    " * self.depth + text))

    def raw(self, text: str) -> None:
        """Several lines as they are, at the present depth."""
        for line in text.splitlines():
            self.lines.append("    " * self.depth + line if line else "")

    def doc(self, paragraphs: list[str]) -> None:
        """A docstring, safe for any text of an author."""
        paragraphs = [within_docstring(paragraph) for paragraph in paragraphs]
        if len(paragraphs) == 1 and "\n" not in paragraphs[0] and len(paragraphs[0]) < WIDTH - 4 * self.depth - 6:
            self.raw(f'"""{paragraphs[0]}"""')
            return
        self.raw('"""' + "\n\n".join(self._filled(paragraph) for paragraph in paragraphs) + '\n"""')

    def _filled(self, paragraph: str) -> str:
        """Its lines broken where they are too long; what goes on is indented further."""
        width = WIDTH - 4 * self.depth - 3
        filled: list[str] = []
        for line in paragraph.splitlines():
            indent = line[: len(line) - len(line.lstrip())]
            onward = f"{indent}    " if indent else ""
            filled.extend(
                textwrap.wrap(line, width, initial_indent="", subsequent_indent=onward, break_on_hyphens=False) or [""]
            )
        return "\n".join(filled)

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def fitted(line: str) -> list[str]:
    """The line, broken inside its outermost brackets until every piece fits."""
    if len(line) <= WIDTH:
        return [line]
    in_brackets = _in_brackets(line)
    if in_brackets:
        return in_brackets
    opening, closing = _outermost(line)
    if opening < 0:
        return _sentence(line)
    indent = line[: len(line) - len(line.lstrip())]
    inner = line[opening + 1 : closing]
    pieces = _pieces(inner)
    if len(pieces) == 1 and pieces[0].strip() == inner.strip() and len(indent) + 4 + len(inner) >= len(line):
        return [line]
    broken = [line[: opening + 1]]
    for piece in pieces:
        broken.extend(fitted(f"{indent}    {piece.strip()}"))
    last = f"{indent}{line[closing:]}"
    return [*broken, *fitted(last)] if last.strip() != line.strip() else [line]


def _in_brackets(line: str) -> list[str]:
    """A statement whose expression is a row of `and`, `or` or `+`: the row in brackets, a piece a line."""
    match = re.fullmatch(r"(\s*)((?:if|return|\w+ =) )(.*?)(:?)", line)
    if not match:
        return []
    indent, start, expression, end = match.groups()
    pieces = _row(expression)
    if len(pieces) < 2:
        return []
    inner = [piece for part in pieces for piece in fitted(f"{indent}    {part.strip()}")]
    return [f"{indent}{start}(", *inner, f"{indent}){end}"]


def _row(expression: str) -> list[str]:
    """The expression cut before its top-level `or`, else `and`, else `if` and `else`, else before + and -."""
    depth = 0
    spaces: list[int] = []
    for position, char in _code(expression):
        depth += (char in "([{") - (char in ")]}")
        if char == " " and depth == 0:
            spaces.append(position)
    for words in (("if ", "else "), ("or ",), ("and ",), ("+ ", "- ")):
        cuts = [space + 1 for space in spaces if expression[space + 1 :].startswith(words)]
        if cuts:
            edges = [0, *cuts, len(expression)]
            return [expression[a:b] for a, b in pairwise(edges)]
    return []


def _sentence(line: str) -> list[str]:
    """A long string cut at a space between its values into two that stand side by side."""
    match = re.fullmatch(r'(\s*)("\w+": |return )?(f?)"((?:[^"\\]|\\.)*)"(,?)', line)
    if not match:
        return [line]
    indent, before, kind, words, comma = match.groups()
    if before:
        return [f"{indent}{before}(", *fitted(f'{indent}    {kind}"{words}"'), f"{indent}){comma}"]
    depth, cut = 0, -1
    for position, char in enumerate(words):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == " " and depth == 0 and len(indent) + position < WIDTH - 6:
            cut = position
    if cut < 0:
        return [line]
    first, rest = f'{indent}{kind}"{words[: cut + 1]}"', f'{indent}{kind}"{words[cut + 1 :]}"{comma}'
    plain = first if "{" in words[: cut + 1] or not kind else first.replace(f'{indent}f"', f'{indent}"', 1)
    tail = rest if "{" in words[cut + 1 :] or not kind else rest.replace(f'{indent}f"', f'{indent}"', 1)
    return [plain, *fitted(tail)]


def _outermost(line: str) -> tuple[int, int]:
    """The widest bracket of the line that is not an index."""
    best = (-1, -1)
    for opening, closing in _brackets(line):
        if closing - opening > best[1] - best[0] + 1 and closing > opening + 1:
            best = (opening, closing)
    return best


def _brackets(line: str) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    stack: list[int] = []
    for position, char in _code(line):
        if char in "([{":
            stack.append(position)
        elif char in ")]}" and stack:
            opening = stack.pop()
            if not stack:
                pairs.append((opening, position))
    return pairs


def _code(line: str) -> list[tuple[int, str]]:
    """The characters outside string literals."""
    signs: list[tuple[int, str]] = []
    quote = ""
    skip = False
    for position, char in enumerate(line):
        if skip:
            skip = False
        elif quote:
            if char == "\\":
                skip = True
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        else:
            signs.append((position, char))
    return signs


def _pieces(inner: str) -> list[str]:
    """The text cut at its top-level commas, or before its loops, tests, `and` and `or`."""
    depth = 0
    commas: list[int] = []
    words: list[int] = []
    chars = dict(_code(inner))
    for position, char in chars.items():
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0 and char == ",":
            commas.append(position)
        elif depth == 0 and char == " ":
            rest = inner[position + 1 :]
            if rest.startswith(("for ", "if ", "and ", "or ", "else ")):
                words.append(position)
    if commas and not any(inner[word + 1 :].startswith("for ") for word in words):
        cuts = [0, *(comma + 1 for comma in commas)]
        pieces = [inner[a:b] for a, b in zip(cuts, [*cuts[1:], None], strict=True)]
        pieces = [piece for piece in pieces if piece.strip()]
        return [*pieces[:-1], pieces[-1].rstrip() + ("" if pieces[-1].rstrip().endswith(",") else ",")]
    cuts = [0, *(word + 1 for word in words)]
    return [inner[a:b] for a, b in zip(cuts, [*cuts[1:], None], strict=True)]
