"""What a blueprint's logic looks like when every name is forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from envscaler_mcp.language.expressions import (
    Arithmetic,
    Compare,
    Defined,
    Derived,
    Expr,
    Function,
    Get,
    IsNone,
    Literal,
    Local,
    Loop,
    Now,
    Records,
    Scan,
    children,
)
from envscaler_mcp.language.model import (
    Attribute,
    Delete,
    For,
    Guard,
    If,
    Let,
    Model,
    New,
    Operation,
    Parameter,
    Put,
    Query,
    SetLocal,
    Statement,
)
from envscaler_mcp.language.types import Type

ROUNDS = 3

Colours = Counter[int]


@dataclass(frozen=True, slots=True)
class Structure:
    """How often each node occurs: alone, and with its surroundings up to one, two and three steps away."""

    rounds: tuple[Colours, ...]

    def similarity(self, other: Structure) -> float:
        """1 for a copy under other names; the mean over the rounds of what both have, by what either has."""
        shares = [_share(mine, theirs) for mine, theirs in zip(self.rounds, other.rounds, strict=True)]
        return sum(shares) / len(shares)


def structure_of(model: Model) -> Structure:
    """The structure of what the author wrote: reads that are derived are no part of it."""
    graph = _Graph()
    _Drawing(model, graph).draw()
    return Structure(tuple(graph.refined(ROUNDS)))


def _share(mine: Colours, theirs: Colours) -> float:
    both = sum(min(times, theirs[colour]) for colour, times in mine.items() if colour in theirs)
    return both / (mine.total() + theirs.total() - both)


class _Graph:
    """Nodes with labels, and labelled edges that can be followed in both directions."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.edges: list[list[tuple[str, int]]] = []

    def node(self, label: str) -> int:
        self.labels.append(label)
        self.edges.append([])
        return len(self.labels) - 1

    def edge(self, source: int, how: str, target: int) -> None:
        self.edges[source].append((f">{how}", target))
        self.edges[target].append((f"<{how}", source))

    def refined(self, rounds: int) -> Iterable[Colours]:
        """The colours of the nodes, and after each round those that their neighbours give them."""
        colours = [_colour(label) for label in self.labels]
        yield Counter(colours)
        for _ in range(rounds):
            colours = [
                _colour(f"{colours[node]} {sorted((how, colours[target]) for how, target in edges)}")
                for node, edges in enumerate(self.edges)
            ]
            yield Counter(colours)


def _colour(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


Names = Mapping[str, int]
"""What a name in scope was declared as: the node of its parameter, let or loop."""


class _Drawing:
    """Draws a model as a graph; a name is an edge to where it was declared, so what is shared stays shared."""

    def __init__(self, model: Model, graph: _Graph) -> None:
        self.model, self.graph = model, graph
        self.entities = {name: graph.node("entity") for name in model.entities}
        self.attributes: dict[tuple[str, str], int] = {}
        self.defines = {name: graph.node("define") for name in model.defines}

    def draw(self) -> None:
        for name, entity in self.model.entities.items():
            for attribute in entity.attributes.values():
                node = self.graph.node(_attribute(attribute))
                self.attributes[name, attribute.name] = node
                self.graph.edge(self.entities[name], "has", node)
        for name, entity in self.model.entities.items():
            for attribute in entity.attributes.values():
                node = self.attributes[name, attribute.name]
                self._refers(node, attribute.type)
                if attribute.derived is not None:
                    self._expression(node, "is", attribute.derived, {"self": self.entities[name]})
        for name, define in self.model.defines.items():
            names = self._parameters(self.defines[name], define.params)
            self._expression(self.defines[name], "is", define.body, names)
        for rule in self.model.rules:
            self._expression(self.graph.node("rule"), "holds", rule.holds, {})
        for operation in self.model.operations.values():
            self._operation(operation)
        for query in self.model.queries.values():
            self._query(query)

    def _refers(self, node: int, type_: Type) -> None:
        inside = type_.of or type_
        if inside.kind == "ref":
            self.graph.edge(node, "to", self.entities[inside.entity])

    def _parameters(self, owner: int, params: Iterable[Parameter]) -> dict[str, int]:
        names: dict[str, int] = {}
        for param in params:
            node = self.graph.node(f"parameter {_type(param.type)} {param.default is not None}")
            self.graph.edge(owner, "takes", node)
            self._refers(node, param.type)
            names[param.name] = node
        return names

    def _operation(self, operation: Operation) -> None:
        owner = self.graph.node("operation")
        names = self._guards(owner, operation.require, self._parameters(owner, operation.params))
        self._statements(owner, operation.effect, names)

    def _guards(self, owner: int, lines: Iterable[Let | Guard], names: Names) -> Names:
        for line in lines:
            if isinstance(line, Let):
                names = self._let(owner, line.name, line.value, names)
            else:
                self._expression(owner, "require", line.test, names)
        return names

    def _let(self, owner: int, name: str, value: Expr, names: Names) -> Names:
        node = self.graph.node("let")
        self.graph.edge(owner, "let", node)
        self._expression(node, "is", value, names)
        return {**names, name: node}

    def _statements(self, owner: int, statements: Iterable[Statement], names: Names) -> None:
        for statement in statements:
            match statement:
                case Let(name=name, value=value):
                    names = self._let(owner, name, value, names)
                    continue
                case SetLocal(name=name, value=value):
                    node = self._step(owner, "set")
                    self.graph.edge(node, "of", names[name])
                    self._expression(node, "to", value, names)
                case Put(record=record, entity=entity, attribute=attribute, value=value):
                    node = self._step(owner, "put")
                    self.graph.edge(node, "of", self.attributes[entity, attribute])
                    self._expression(node, "record", record, names)
                    self._expression(node, "to", value, names)
                case New(name=made, entity=entity, values=values):
                    node = self._step(owner, "new")
                    self.graph.edge(node, "of", self.entities[entity])
                    for value in values.values():
                        self._expression(node, "to", value, names)
                    if made is not None:
                        names = {**names, made: node}
                case Delete(record=record):
                    self._expression(self._step(owner, "delete"), "record", record, names)
                case For() | If():
                    self._block(owner, statement, names)

    def _block(self, owner: int, statement: For | If, names: Names) -> None:
        if isinstance(statement, If):
            node = self._step(owner, "if")
            self._expression(node, "test", statement.test, names)
            self._statements(node, statement.then, names)
            if statement.otherwise:
                self._statements(self._step(node, "else"), statement.otherwise, names)
            return
        node = self._step(owner, f"for {len(statement.by)}")
        inner = self._loop(node, statement.loop, names)
        for key in statement.by:
            self._expression(node, "by", key, inner)
        self._statements(node, statement.body, inner)

    def _step(self, owner: int, label: str) -> int:
        node = self.graph.node(label)
        self.graph.edge(owner, "do", node)
        return node

    def _query(self, query: Query) -> None:
        owner = self.graph.node("query")
        names = self._guards(owner, query.require, self._parameters(owner, query.params))
        if query.source is not None and query.element is not None:
            names = self._loop(owner, Loop(query.variable, query.element, query.source, ()), names)
        for line in query.where:
            self._expression(owner, "where", line.test, names)
        for key in query.by:
            self._expression(owner, "by", key, names)
        for shown in (*query.show.values(), *query.answer.values()):
            self._expression(owner, "show", shown, names)

    def _loop(self, owner: int, loop: Loop, names: Names) -> Names:
        node = self.graph.node("loop")
        self.graph.edge(owner, "over", node)
        if isinstance(loop.source, Records):
            self.graph.edge(node, "of", self.entities[loop.source.entity])
        else:
            self._expression(node, "of", loop.source, names)
        inner = {**names, loop.name: node}
        for test in loop.tests:
            self._expression(node, "if", test, inner)
        return inner

    def _expression(self, owner: int, how: str, expr: Expr, names: Names) -> None:
        if isinstance(expr, Local):
            self.graph.edge(owner, how, names[expr.name])
            return
        node = self.graph.node(_label(expr))
        self.graph.edge(owner, how, node)
        match expr:
            case Scan(element=element, loops=loops, by=by):
                inner: Names = names
                for loop in loops:
                    inner = self._loop(node, loop, inner)
                self._expression(node, "element", element, inner)
                for key in by:
                    self._expression(node, "by", key, inner)
                return
            case Get(of=of, name=name) if of.type.kind == "ref" and (of.type.entity, name) in self.attributes:
                self.graph.edge(node, "named", self.attributes[of.type.entity, name])
            case Derived(entity=entity, name=name):
                self.graph.edge(node, "named", self.attributes[entity, name])
            case Defined(name=name):
                self.graph.edge(node, "named", self.defines[name])
            case Function(entity=entity, attribute=attribute) if entity:
                self.graph.edge(node, "named", self.attributes[entity, attribute])
        for place, child in enumerate(children(expr)):
            self._expression(node, f"{place}" if isinstance(expr, Compare | Arithmetic) else "in", child, names)


def _attribute(attribute: Attribute) -> str:
    moves = len(attribute.moves) if attribute.moves is not None else "-"
    derived = attribute.derived is not None
    return f"attribute {_type(attribute.type)} {attribute.fixed} {attribute.unique} {moves} {derived}"


def _type(type_: Type) -> str:
    inside = f"({_type(type_.of)})" if type_.of is not None else ""
    return f"{type_.kind}{inside} {type_.optional} {len(type_.options) if type_.kind == 'one_of' else ''}"


def _label(expr: Expr) -> str:
    match expr:
        case Literal(type=type_):
            return f"literal {type_.kind}"
        case Compare(op=op) | Arithmetic(op=op):
            return op
        case Scan(gather=gather):
            return gather
        case Function(name=name):
            return name
        case Now(which=which):
            return which
        case IsNone(negated=negated):
            return f"none {negated}"
    return type(expr).__name__
