"""Definitions and derived attributes written out, so that an analysis sees every record an expression looks at."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import count
from typing import Any

from envscaler_mcp.language.expressions import Defined, Derived, Expr, Local, Loop, Records, Scan
from envscaler_mcp.language.model import Model

_DEEPEST = 12


class Inliner:
    """Writes expressions out; every loop inside gets a variable of its own, but for the names to keep."""

    def __init__(self, model: Model, keep: set[str]) -> None:
        self.model, self.keep = model, keep
        self.numbers = count(1)

    def __call__(self, expr: Expr) -> Expr:
        return self._write(expr, {}, 0)

    def _write(self, expr: Expr, names: dict[str, Expr], depth: int) -> Expr:
        if depth > _DEEPEST:
            return expr
        match expr:
            case Local(name=name):
                return names.get(name, expr)
            case Defined(name=name, arguments=arguments):
                define = self.model.defines[name]
                given = [self._write(argument, names, depth) for argument in arguments]
                inner = {param.name: argument for param, argument in zip(define.params, given, strict=True)}
                return self._write(define.body, inner, depth + 1)
            case Derived(of=of, entity=entity, name=name):
                body = self.model.entities[entity].attributes[name].derived
                assert body is not None
                return self._write(body, {"self": self._write(of, names, depth)}, depth + 1)
            case Scan(loops=loops):
                inside = dict(names)
                written: list[Loop] = []
                for loop in loops:
                    source = (
                        loop.source if isinstance(loop.source, Records) else self._write(loop.source, inside, depth)
                    )
                    keeps_name = depth == 0 and loop.name in self.keep
                    fresh = loop.name if keeps_name else f"{loop.name}_{next(self.numbers)}"
                    inside[loop.name] = Local(loop.element, fresh)
                    tests = tuple(self._write(test, inside, depth) for test in loop.tests)
                    written.append(Loop(fresh, loop.element, source, tests))
                element = self._write(expr.element, inside, depth)
                by = tuple(self._write(part, inside, depth) for part in expr.by)
                return replace(expr, element=element, loops=tuple(written), by=by)
        changes: dict[str, Any] = {}
        for item in fields(expr):
            value = getattr(expr, item.name)
            if isinstance(value, tuple) and value and not isinstance(value[0], str):
                changes[item.name] = tuple(self._write(part, names, depth) for part in value)
            elif item.name != "type" and hasattr(value, "type"):
                changes[item.name] = self._write(value, names, depth)
        return replace(expr, **changes) if changes else expr


def renamed(expr: Expr, name: str, to: Local, *, loops_too: bool = False) -> Expr:
    """The expression with one variable called otherwise, its own loop too where asked."""
    if isinstance(expr, Local):
        return replace(to, type=expr.type) if expr.name == name else expr
    changes: dict[str, object] = {}
    for slot in expr.__slots__:
        value = getattr(expr, slot)
        if slot == "loops":
            changes[slot] = tuple(
                replace(
                    loop,
                    name=to.name if loops_too and loop.name == name else loop.name,
                    source=loop.source
                    if isinstance(loop.source, Records)
                    else renamed(loop.source, name, to, loops_too=loops_too),
                    tests=tuple(renamed(test, name, to, loops_too=loops_too) for test in loop.tests),
                )
                for loop in value
            )
        elif isinstance(value, tuple) and value and hasattr(value[0], "type"):
            changes[slot] = tuple(renamed(part, name, to, loops_too=loops_too) for part in value)
        elif slot != "type" and hasattr(value, "type") and not isinstance(value, Records):
            changes[slot] = renamed(value, name, to, loops_too=loops_too)
    return replace(expr, **changes) if changes else expr  # type: ignore[arg-type]
