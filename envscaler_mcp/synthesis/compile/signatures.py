"""Parameters as a typed signature, the documentation of each, and the lines that turn ids into records."""

from __future__ import annotations

from dataclasses import dataclass, field

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import Expr, ListOf, Literal
from envscaler_mcp.language.model import Help, Model, Parameter
from envscaler_mcp.language.python_code import quoted
from envscaler_mcp.language.text import a, singular, words
from envscaler_mcp.language.types import Type
from envscaler_mcp.synthesis.compile.names import fresh
from envscaler_mcp.synthesis.compile.python import Lines

MOST_ITEMS = 20


@dataclass(slots=True)
class Signatures:
    """Writes signatures; remembers the structures that a module must declare."""

    model: Model
    structures: dict[str, list[str]] = field(default_factory=dict)

    def annotation(self, type_: Type, name: str = "", operation: str = "") -> str:
        """The type of an argument on the wire."""
        text = self._certain(type_, name, operation)
        return f"{text} | None" if type_.optional else text

    def _certain(self, type_: Type, name: str, operation: str) -> str:
        match type_.kind:
            case "list":
                assert type_.of is not None
                return f'Annotated[list[{self._certain(type_.of, name, operation)}], {{"maxItems": {MOST_ITEMS}}}]'
            case "struct":
                return self._structure(type_, name, operation)
        return column_of(type_).annotation(type_)

    def _structure(self, type_: Type, name: str, operation: str) -> str:
        title = "".join(part.capitalize() for part in f"{operation}_{singular(name)}".split("_"))
        lines = []
        for field_name, field_type in type_.fields:
            key = f"{field_name}_id" if field_type.kind == "ref" else field_name
            annotation = self.annotation(field_type)
            lines.append(f"{key}: NotRequired[{annotation}]" if field_type.optional else f"{key}: {annotation}")
        self.structures[title] = lines
        return title

    def parameters(self, params: tuple[Parameter, ...], operation: str) -> list[str]:
        """`name: type` or `name: type = default`; those that may be left out come last."""
        written: list[str] = []
        for param in ordered(params):
            annotation = self.annotation(param.type, param.name, operation)
            if param.type.optional:
                written.append(f"{param.argument}: {annotation} = {_default(param.default)}")
            elif isinstance(param.default, ListOf):
                # An omitted list is empty; None keeps calls from sharing one.
                written.append(f"{param.argument}: {annotation} | None = None")
            elif param.default is not None:
                written.append(f"{param.argument}: {annotation} = {_default(param.default)}")
            else:
                written.append(f"{param.argument}: {annotation}")
        return written

    def documentation(self, params: tuple[Parameter, ...]) -> list[str]:
        """The `Args:` lines."""
        return [f"    {param.argument} ({_plain(param.type)}): {self.describe(param)}" for param in ordered(params)]

    def describe(self, param: Parameter) -> str:
        """What the argument is, and what leaving it out means."""
        text = f"{self._described(param.type, param.name, param.help)}."
        if param.help.omitted:
            return f"{text} If left out, {param.help.omitted}."
        if isinstance(param.default, Literal) and param.default.value is not None:
            value = param.default.value
            return f"{text} Default: {str(value).lower() if isinstance(value, bool) else value}."
        return f"{text} May be left out." if param.omissible else text

    def _described(self, type_: Type, name: str, help_: Help) -> str:
        if type_.kind == "list":
            assert type_.of is not None
            return self._each(type_.of, name, help_)
        if type_.kind == "ref":
            return self._id_of(type_.entity, name, help_.text)
        column = column_of(type_)
        return (help_.text or column.called(words(name))) + column.form(type_)

    def _id_of(self, entity: str, name: str, text: str) -> str:
        target = self.model.entities[entity]
        noun, role = words(target.noun), words(name)
        example = f"such as {target.prefix}-00001"
        if text:
            return f"{text}; an id {example}"
        return f"Id of the {noun}, {example}" if role == noun else f"Id of {a(noun)} ({role}), {example}"

    def _each(self, element: Type, name: str, help_: Help) -> str:
        """The entries of a list."""
        if element.kind == "ref":
            target = self.model.entities[element.entity]
            of = f"ids of {words(target.container)}, such as {target.prefix}-00001"
            return f"{help_.text}: {of}" if help_.text else f"Ids of{of.removeprefix('ids of')}"
        entry = words(singular(name))
        if element.kind == "struct":
            parts = "; ".join(
                f"{key}: {_lowered(self._described(inner, field_name, Help(help_.fields.get(field_name, ''))))}"
                for key, field_name, inner in ((f"{n}_id" if t.kind == "ref" else n, n, t) for n, t in element.fields)
            )
            return f"{help_.text or f'One entry for each {entry}'}: {parts}"
        column = column_of(element)
        return (help_.text or column.called(words(name))) + column.form(element)

    def resolve(self, lines: Lines, params: tuple[Parameter, ...], taken: set[str]) -> None:
        """Ids become records; one that leads nowhere is refused."""
        for param in params:
            type_ = param.type
            if type_.kind == "ref":
                self._one(lines, param)
            elif type_.kind == "list" and type_.of is not None:
                if isinstance(param.default, ListOf) and type_.of.kind not in ("ref", "struct"):
                    lines.add(f"{param.name} = {param.argument} or []")
                elif type_.of.kind == "ref":
                    self._many(lines, param, type_.of.entity, fresh(["key"], taken))
                elif type_.of.kind == "struct" and any(t.kind == "ref" or t.optional for _, t in type_.of.fields):
                    self._lines(lines, param, type_.of, fresh(["entries"], taken), fresh(["entry"], taken))

    def _missing(self, entity: str, key: str) -> str:
        noun = words(self.model.entities[entity].noun)
        return f'return _refused(f"There is no {noun} {{{key}!r}}.")'

    def _one(self, lines: Lines, param: Parameter) -> None:
        container = self.model.entities[param.type.entity].container
        lookup = f"{param.name} = self.{container}.get({param.argument})"
        if not param.type.optional:
            lines.add(lookup)
            lines.add(f"if {param.name} is None:")
        else:
            lines.add(f"{lookup} if {param.argument} is not None else None")
            lines.add(f"if {param.argument} is not None and {param.name} is None:")
        lines.add("    " + self._missing(param.type.entity, param.argument))

    def _many(self, lines: Lines, param: Parameter, entity: str, key: str) -> None:
        container = self.model.entities[entity].container
        given = f"{param.argument} or []" if isinstance(param.default, ListOf) else param.argument
        lines.add(f"{param.name} = []")
        lines.add(f"for {key} in {given}:")
        lines.add(f"    if {key} not in self.{container}:")
        lines.add("        " + self._missing(entity, key))
        lines.add(f"    {param.name}.append(self.{container}[{key}])")

    def _lines(self, lines: Lines, param: Parameter, struct: Type, entries: str, entry: str) -> None:
        """Each entry of a list of structures with its references as records."""
        given = f"{param.argument} or []" if isinstance(param.default, ListOf) else param.argument
        lines.add(f"{entries}, {param.name} = {given}, []")
        lines.add(f"for {entry} in {entries}:")
        parts: list[str] = []
        for name, type_ in struct.fields:
            wire = f"{name}_id" if type_.kind == "ref" else name
            read = f'{entry}.get("{wire}")' if type_.optional else f'{entry}["{wire}"]'
            if type_.kind == "ref":
                container = self.model.entities[type_.entity].container
                present = f"{read} is not None and " if type_.optional else ""
                lines.add(f"    if {present}{read} not in self.{container}:")
                lines.add("        " + self._missing(type_.entity, read.replace('"', "'")))
                read = f"self.{container}.get({read})" if type_.optional else f"self.{container}[{read}]"
            parts.append(f'"{name}": {read}')
        lines.add(f"    {param.name}.append({{{', '.join(parts)}}})")


def references(params: tuple[Parameter, ...]) -> dict[str, str]:
    """Parameters that are records, and the arguments that hold their ids."""
    return {param.name: param.argument for param in params if param.type.kind == "ref"}


def ordered(params: tuple[Parameter, ...]) -> list[Parameter]:
    """Those that must be given first, as Python wants it."""
    return [p for p in params if not p.omissible] + [p for p in params if p.omissible]


def _lowered(text: str) -> str:
    """The text within a sentence; what is written in capitals stays."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _default(expr: Expr | None) -> str:
    if isinstance(expr, Literal):
        return quoted(expr.value) if isinstance(expr.value, str) else repr(expr.value)
    return "None"


def _plain(type_: Type) -> str:
    return column_of(type_).python + (", optional" if type_.optional else "")
