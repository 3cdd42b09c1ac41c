"""Checks in the few forms that the task compiler writes, read as data: they are answered here, and nothing of them is run.

A check belongs here only if its whole text has one of three forms: a field of one record, so many new records, or a record
that is gone. What is compared are its literals, which are scalars and flat lists of them. Any other text is a program, and goes
to a worker. So does a check of an ending that would hold this process up: where lists lie in lists, or much is compared.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envscaler_mcp.sandbox.source_cache import remembered
from envscaler_mcp.serving.parsing import parsed_module
from envscaler_mcp.serving.plain_json import MAX_DEPTH

MOST_STEPS = 20_000
"""What the checks of one ending may take here, each step less than half a microsecond; what would take more is left to a
worker, which has limits. Those of the tasks that ship take a few hundred, and the reading of their states one to three thousand."""
MOST_CHARACTERS = 16 * 1024
"""Of a check; ten times the longest that ships."""
_CHARACTERS_OF_ALL = 64 * 1024
"""Of the checks of one ending together; four times as many as those of any task that ships."""
_PER_STEP = 64
"""Letters that are compared in a step."""
_STEPS_OF_AN_EXCEPTION = 20


class NotReadHereError(Exception):
    """Raised where a check, at some ending, is left to a worker."""


@dataclass(slots=True)
class StatePair:
    """Two states that checks look at, and what several checks ask of them. Nothing here changes the states."""

    initial: dict[str, Any]
    final: dict[str, Any]
    _steps: int = MOST_STEPS
    _plain: dict[str, bool] = field(default_factory=dict)
    _new: dict[str, list[Any]] = field(default_factory=dict)
    _ids: dict[NewIds, frozenset[str]] = field(default_factory=dict)

    def is_plain(self, container: str) -> bool:
        """Whether this part of both states is exact JSON: a text of a class of its own could decide what `==` says."""
        known = self._plain.get(container)
        if known is None:
            parts = [state[container] for state in (self.initial, self.final) if container in state]
            known = self._plain[container] = self._is_exact(parts)
        return known

    def records(self, container: str) -> dict[str, Any]:
        """The records of the final state, by their keys."""
        return _object(self.final[container])

    def new(self, container: str) -> list[Any]:
        """The records that are not in the initial state."""
        known = self._new.get(container)
        if known is None:
            records = self.records(container)
            self.spend(len(records))
            # Where there is no record, the text does not look at the initial state.
            before = _object(self.initial[container]) if records else {}
            known = self._new[container] = [record for key, record in records.items() if key not in before]
        self.spend(2 * len(known))
        return known

    def ids(self, described: NewIds) -> frozenset[str]:
        """The ids of the new records that are as described."""
        known = self._ids.get(described)
        if known is None:
            ids = [record["id"] for record in self.new(described.container) if described.test(record, self)]
            if not _TEXTS.issuperset(map(type, ids)):
                raise NotReadHereError
            # Texts only: the hashes of numbers can be chosen so that all of them are the same.
            known = self._ids[described] = frozenset(ids)
        return known

    def is_one_of(self, value: Any, described: NewIds) -> bool:
        """Whether a value is the id of such a new record."""
        ids = self.ids(described)
        if type(value) is not str:
            return False
        self.spend(len(value) // _PER_STEP)
        return value in ids

    def flat(self, value: Any) -> Any:
        """A list of scalars, whose size is spent; or a scalar that is no text, with which Python fails at once."""
        self.spend(0)
        if type(value) is list:
            self.spend(len(value))
            if not _SCALARS.issuperset(map(type, value)):
                raise NotReadHereError
            self.spend(sum(map(_size, value)))
        elif type(value) is str or type(value) is dict:
            raise NotReadHereError
        return value

    def is_sorted_as(self, value: Any, wanted: list[Any]) -> bool:
        """Whether a list, sorted, is the one that is wanted."""
        values = self.flat(value)
        if type(values) is list and len(values) != len(wanted):
            kinds = set(map(type, values))
            if len(values) > 1 and kinds != _TEXTS and not kinds <= _NUMBERS:
                # Python may fail to sort them.
                raise NotReadHereError
            return False
        # The more there are, the more often each is compared.
        self.spend(len(wanted) * len(wanted).bit_length() // 4)
        return sorted(values) == wanted

    def spend(self, steps: int) -> None:
        self._steps -= 1 + steps
        if self._steps < 0:
            raise NotReadHereError

    def _is_exact(self, value: Any) -> bool:
        """Whether a value is JSON of exactly Python's own types, and not nested too deep to be compared."""
        level = [value]
        for _ in range(MAX_DEPTH):
            deeper: list[Any] = []
            for outer in level:
                self.spend(4 + len(outer) // 4)
                inner = outer.values() if type(outer) is dict else outer
                kinds = set(map(type, inner))
                if not kinds <= _JSON or (type(outer) is dict and not _TEXTS.issuperset(map(type, outer))):
                    return False
                if float in kinds and not all(math.isfinite(number) for number in inner if type(number) is float):
                    return False
                if not kinds <= _SCALARS:
                    deeper += [value for value in inner if type(value) is dict or type(value) is list]
            if not deeper:
                return True
            level = deeper
        return False


Test = Callable[[Any, StatePair], bool]
"""Whether a record is as the check asks. It raises what the check's own text would raise."""


@dataclass(frozen=True, slots=True, eq=False)
class NewIds:
    """The ids of new records with some content."""

    container: str
    test: Test


@dataclass(frozen=True, slots=True)
class FactCheck:
    """What a check asks of an ending."""

    containers: frozenset[str]
    """The parts of the states that it looks at."""
    asks: Callable[[StatePair], bool]

    def answer(self, ending: StatePair) -> bool:
        """Its answer; NotReadHereError where a worker has to say it, or what the check itself would raise."""
        ending.spend(4)
        if not all(map(ending.is_plain, self.containers)):
            raise NotReadHereError
        try:
            return self.asks(ending)
        except NotReadHereError:
            raise
        except Exception:
            ending.spend(_STEPS_OF_AN_EXCEPTION)
            raise


@remembered
def fact_check(source: str) -> FactCheck | None:
    """The check that this text is, in one of the compiler's forms; None where it is any other program.

    What is found in the text is written again as the compiler writes it, and must be the same text to the letter. So
    nothing can stand in it that is not understood.
    """
    if len(source) > MOST_CHARACTERS:
        return None
    try:
        containers: set[str] = set()
        lines, asks = _read(parsed_module(source), containers)
    except (NotReadHereError, SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    written = "\n    ".join(["def check_func(final_state):", *lines]) + "\n"
    return FactCheck(frozenset(containers), asks) if written == source else None


def takes_little_to_read(sources: Iterable[str]) -> bool:
    """Whether the checks of one ending are short enough together to be read here."""
    return sum(map(len, sources)) <= _CHARACTERS_OF_ALL


def _read(module: ast.Module, containers: set[str]) -> tuple[list[str], Callable[[StatePair], bool]]:
    """The lines of the function as the compiler writes them, and what they ask."""
    match module.body:
        case [ast.FunctionDef(body=[ast.Assign(value=ast.Call() as lookup), ast.Return(value=ast.BoolOp() as asked)])]:
            return _field_of_one(lookup, asked, containers)
        case [
            ast.FunctionDef(body=[ast.Assign(value=ast.ListComp() as new), ast.Return(value=ast.Compare() as counted)])
        ]:
            return _so_many_new(new, counted, containers)
        case [ast.FunctionDef(body=[ast.Return(value=ast.Compare(left=left, comparators=[subscript]))])]:
            key, container = _text(left), _subscript(subscript, containers)
            return [f'return {key!r} not in final_state["{container}"]'], lambda end: key not in end.records(container)
    raise NotReadHereError


def _field_of_one(
    lookup: ast.Call, asked: ast.BoolOp, containers: set[str]
) -> tuple[list[str], Callable[[StatePair], bool]]:
    match lookup:
        case ast.Call(func=ast.Attribute(value=subscript), args=[sought]):
            key, container = _text(sought), _subscript(subscript, containers)
            text, test = _all(asked.values[1:], containers)
            lines = [f'record = final_state["{container}"].get({key!r})', f"return record is not None and {text}"]

            def asks(ending: StatePair) -> bool:
                record = ending.records(container).get(key)
                return record is not None and test(record, ending)

            return lines, asks
    raise NotReadHereError


def _so_many_new(
    new: ast.ListComp, counted: ast.Compare, containers: set[str]
) -> tuple[list[str], Callable[[StatePair], bool]]:
    match counted:
        case ast.Compare(
            left=ast.Call(args=[ast.GeneratorExp(generators=[ast.comprehension(ifs=[wanted])])]), comparators=[count]
        ):
            (records, container), number = _new(new, containers), _number(count)
            text, test = _wanted(wanted, containers)
            lines = [f"new = {records}", f"return sum(1 for record in new if {text}) == {number}"]
            return lines, lambda end: sum(1 for record in end.new(container) if test(record, end)) == number
    raise NotReadHereError


def _new(new: ast.expr, containers: set[str]) -> tuple[str, str]:
    """All new records of a container."""
    match new:
        case ast.ListComp(generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute(value=subscript)))]):
            name = _subscript(subscript, containers)
            return f'[one for key, one in final_state["{name}"].items() if key not in initial_state["{name}"]]', name
    raise NotReadHereError


def _wanted(wanted: ast.expr, containers: set[str]) -> tuple[str, Test]:
    return _all(wanted.values if isinstance(wanted, ast.BoolOp) else [wanted], containers)


def _all(tests: Sequence[ast.expr], containers: set[str]) -> tuple[str, Test]:
    read = [_test(test, containers) for test in tests]
    alone = [test for _, test in read]
    return " and ".join(text for text, _ in read), lambda record, end: all(test(record, end) for test in alone)


def _test(test: ast.expr, containers: set[str]) -> tuple[str, Test]:
    match test:
        case ast.Compare(left=ast.Subscript() as left, comparators=[ast.ListComp() as like]):
            field, (text, ids) = _subscript(left), _ids(like, containers)
            return f"record[{field!r}] in {text}", lambda record, end: end.is_one_of(record[field], ids)
        case ast.Compare(left=ast.Subscript() as left, comparators=[value]):
            field, wanted = _subscript(left), _literal(value)
            # Nothing lies in a list of literals: what lies in a list of the record differs at once.
            steps = sum(map(_size, wanted)) + len(wanted) if isinstance(wanted, list) else _size(wanted)

            def is_wanted(record: Any, end: StatePair) -> bool:
                end.spend(steps)
                return bool(record[field] == wanted)

            return f"record[{field!r}] == {wanted!r}", is_wanted
        case ast.Compare(left=ast.Call(args=[ast.Subscript() as subscript]), comparators=[ast.List() as value]):
            field, values = _subscript(subscript), _literals(value)
            return f"sorted(record[{field!r}]) == {values!r}", (
                lambda record, end: end.is_sorted_as(record[field], values)
            )
        case ast.Compare(left=ast.Call(args=[ast.Subscript() as subscript]), comparators=[count]):
            field, length = _subscript(subscript), _number(count)
            return f"len(record[{field!r}]) == {length}", lambda record, _: len(record[field]) == length
        case ast.Compare(left=ast.Call(args=[ast.GeneratorExp(generators=[each])]), comparators=[count]):
            return _names_new(each, _number(count), containers)
        case ast.Call(args=[ast.GeneratorExp(elt=ast.Compare(comparators=[subscript]), generators=[each])]):
            field, values = _subscript(subscript), _literals(each.iter)
            return f"all(one in record[{field!r}] for one in {values!r})", (
                lambda record, end: all(value in end.flat(record[field]) for value in values)
            )
    raise NotReadHereError


def _names_new(each: ast.comprehension, number: int, containers: set[str]) -> tuple[str, Test]:
    """That a list names so many new records."""
    match each:
        case ast.comprehension(iter=subscript, ifs=[ast.Compare(comparators=[like])]):
            field, (text, ids) = _subscript(subscript), _ids(like, containers)
            return f"sum(1 for one in record[{field!r}] if one in {text}) >= {number}", (
                lambda record, end: sum(1 for key in end.flat(record[field]) if end.is_one_of(key, ids)) >= number
            )
    raise NotReadHereError


def _ids(like: ast.expr, containers: set[str]) -> tuple[str, NewIds]:
    match like:
        case ast.ListComp(generators=[ast.comprehension(iter=new, ifs=[ast.Constant(value=True)])]):
            records, container = _new(new, containers)
            return f"[record['id'] for record in {records} if True]", NewIds(container, lambda *_: True)
        case ast.ListComp(generators=[ast.comprehension(iter=new, ifs=[wanted])]):
            (records, container), (text, test) = _new(new, containers), _wanted(wanted, containers)
            return f"[record['id'] for record in {records} if {text}]", NewIds(container, test)
    raise NotReadHereError


def _subscript(subscript: ast.expr, containers: set[str] | None = None) -> str:
    """The name in brackets: of a field, or of a part of the state, which is noted."""
    match subscript:
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            if containers is not None:
                if not name.isidentifier():
                    # It stands between quotes as it is: one with a quote in it could be read in two ways.
                    raise NotReadHereError
                containers.add(name)
            return name
    raise NotReadHereError


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
    raise NotReadHereError


def _number(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
    raise NotReadHereError


def _literal(node: ast.expr) -> Any:
    """A plain value, or a list of plain values."""
    return _literals(node) if isinstance(node, ast.List) else _scalar(node)


def _literals(node: ast.expr) -> list[Any]:
    if not isinstance(node, ast.List):
        raise NotReadHereError
    return list(map(_scalar, node.elts))


def _scalar(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value) if type(value) in _SCALARS:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if (
            type(value) is int or type(value) is float
        ):
            return -value
    raise NotReadHereError


_SCALARS = frozenset({str, int, float, bool, type(None)})
_JSON = _SCALARS | {dict, list}
_TEXTS = frozenset({str})
_NUMBERS = frozenset({int, float, bool})


def _size(value: Any) -> int:
    """How many steps a comparison with a scalar takes, more than one."""
    if type(value) is str:
        return len(value) // _PER_STEP
    return value.bit_length() // (8 * _PER_STEP) if type(value) is int else 0


def _object(value: Any) -> dict[str, Any]:
    """An object, of which Python knows at once whether it has a key."""
    if type(value) is not dict:
        raise NotReadHereError
    return value
