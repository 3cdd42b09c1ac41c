"""The names and facts at one point of a blueprint.

Two kinds of facts are followed while reading: that a value is present (not None), and that a number is not zero.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from envscaler_mcp.language.expressions import Expr, Literal
from envscaler_mcp.language.fitting import show
from envscaler_mcp.language.types import Type


@dataclass(slots=True)
class NameScope:
    """The names and facts at one point of an operation, rule or definition."""

    scope: dict[str, Type]
    facts: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    """Names read so far, shared by all places of one operation."""
    clock: bool = True
    """Whether now and today may be read here."""
    derived: frozenset[str] = frozenset()
    """Names of attributes that are worked out: any write may change them."""

    def knowing(self, facts: Iterable[str]) -> NameScope:
        return replace(self, facts=self.facts | frozenset(facts))

    def binding(self, name: str, type_: Type) -> NameScope:
        return replace(self, scope={**self.scope, name: type_}, facts=without_name(self.facts, name))

    def after_write(self, attribute: str = "") -> NameScope:
        """What is still known after a write to an attribute, or after a record came or went."""
        return replace(self, facts=frozenset(fact for fact in self.facts if self._lasts(fact, attribute)))

    def _lasts(self, fact: str, attribute: str) -> bool:
        # What was asked of many records, or worked out from them, may have changed with the one.
        return not (set(re.findall(r"\.(\w+)", fact)) & {attribute, *self.derived} or "(" in fact or "[" in fact)


def without_name(facts: frozenset[str], name: str) -> frozenset[str]:
    """The facts that do not speak of a name."""
    return frozenset(fact for fact in facts if not re.search(rf"(?<![\w.]){name}\b", fact))


@dataclass(frozen=True, slots=True)
class ReadExpression:
    """An expression, and what is known where it is true and where it is false."""

    expr: Expr
    true: frozenset[str] = frozenset()
    false: frozenset[str] = frozenset()


def is_zero(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value == 0 and not isinstance(expr.value, bool)


def nonzero_facts(left: ast.expr, a: Expr, sign: str, right: ast.expr, b: Expr) -> set[str]:
    """What a true `<` or `>` tells about zero."""
    facts: set[str] = set()
    if sign in ("<", ">"):
        facts |= {f"nonzero:{show(left)} - {show(right)}", f"nonzero:{show(right)} - {show(left)}"}
    for node, other, growing in ((left, b, sign in (">", ">=")), (right, a, sign in ("<", "<="))):
        if growing and isinstance(other, Literal) and isinstance(other.value, int):
            strict = sign in ("<", ">")
            if other.value >= (0 if strict else 1):
                facts.add(f"nonzero:{show(node)}")
    return facts
