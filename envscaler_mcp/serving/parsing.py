"""Python source as a tree, for threads that may want one at the same time.

Python 3.11 counts the depth of all trees that are being made in one place, so two threads that make trees at once confuse
each other, and one of them is told `SystemError: AST constructor recursion depth mismatch`.
"""

from __future__ import annotations

import ast
import threading

_lock = threading.Lock()


def parsed_module(source: str) -> ast.Module:
    """The tree of a module's source."""
    with _lock:
        return ast.parse(source)  # noqa: TID251 - here is where it is banned to


def parsed_expression(text: str) -> ast.expr:
    """The tree of one expression."""
    with _lock:
        return ast.parse(text, mode="eval").body  # noqa: TID251
