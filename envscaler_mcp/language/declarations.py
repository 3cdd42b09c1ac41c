"""What a blueprint declares: entities, attributes and definitions, each read when first asked for."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import replace

from envscaler_mcp.artifacts import Blueprint
from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.expressions import Expr, ListOf, Literal
from envscaler_mcp.language.model import Attribute, Define, Entity, Parameter
from envscaler_mcp.language.reader import ExpressionReader
from envscaler_mcp.language.scope import NameScope
from envscaler_mcp.language.text import name_hint, plural, singular, snake, split_top
from envscaler_mcp.language.types import NONE, Complaint, Type, ref
from envscaler_mcp.language.written_types import WrittenType, parse_type

LABELS = ("name", "title", "code", "number", "label", "email")
"""What an attribute is called that people may call a record by."""
_STATE = {"now", "counters"}


class Declared:
    """The declarations of one blueprint."""

    reader: ExpressionReader

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.defines: dict[str, Define] = {}
        self._attributes: dict[tuple[str, str], Attribute] = {}
        self._derived_types: dict[tuple[str, str], Type] = {}
        self._running: list[str] = []
        self._signatures: dict[str, tuple[Parameter, ...]] = {}
        self._bodies: dict[str, str] = {}
        self._entities: dict[str, Entity] = {}

    # Names

    def names(self) -> None:
        """Refuse names that could not be used, and read the heads of the definitions."""
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.blueprint.id):
            raise Complaint(f"the id {self.blueprint.id!r} must be written in lower case, like_this")
        containers: dict[str, str] = {}
        for entity in self.blueprint.entities:
            if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", entity):
                raise Complaint(f"the entity {entity!r} must be written LikeThis")
            container = plural(snake(entity))
            if container in containers or container in _STATE:
                raise Complaint(f"the records of {entity} would be kept under {container!r}, which is taken")
            containers[container] = entity
        for head, body in self.blueprint.define.items():
            match = re.fullmatch(r"\s*([a-z][a-z0-9_]*)\s*\((.*)\)\s*", head)
            if not match:
                raise Complaint(f'define {head!r}: write "name(thing: Entity, amount: int)"')
            name = match[1]
            if name in self._bodies or name in self.reader.words:
                raise Complaint(f"define {name!r}: that name has a meaning already")
            self._bodies[name] = body
            params: list[Parameter] = []
            for piece in split_top(match[2], ",") if match[2].strip() else []:
                parameter, _, written = piece.partition(":")
                params.append(Parameter(parameter.strip(), parameter.strip(), self._param_type(written.strip(), name)))
            self._signatures[name] = tuple(params)

    def _param_type(self, text: str, name: str) -> Type:
        bare = text.removeprefix("optional ").strip()
        if bare in self.blueprint.entities:
            type_ = ref(bare)
            return type_.maybe if text.startswith("optional ") else type_
        try:
            return self.resolve(parse_type(text)).type
        except Complaint as complaint:
            raise Complaint(f"define {name!r}: {complaint}") from None

    def entity_names(self) -> Iterable[str]:
        return self.blueprint.entities

    def attribute_names(self, entity: str) -> Iterable[str]:
        return self.blueprint.entities.get(entity, {})

    def define_names(self) -> Iterable[str]:
        return [head.split("(")[0].strip() for head in self.blueprint.define]

    # Attributes

    def resolve(self, written: WrittenType) -> WrittenType:
        """The written type with `Entity.attribute` replaced and its references checked."""
        if written.same_as is not None:
            entity, name = written.same_as
            self._known_entity(entity)
            if name not in self.blueprint.entities[entity]:
                raise Complaint(f"{entity} has no attribute {name!r}{name_hint(name, self.attribute_names(entity))}")
            attribute = self.attribute(entity, name)
            if attribute.derived is not None:
                raise Complaint(f"{entity}.{name} is derived; write its type out")
            type_ = attribute.type.maybe if written.type.optional else attribute.type
            return replace(written, type=type_, same_as=None)
        target = written.type.of if written.type.kind == "list" else written.type
        if target is not None and target.kind == "ref":
            self._known_entity(target.entity)
        return written

    def _known_entity(self, entity: str) -> None:
        if entity not in self.blueprint.entities:
            raise Complaint(f"there is no entity {entity!r}{name_hint(entity, self.blueprint.entities)}")

    def attribute(self, entity: str, name: str) -> Attribute:
        """One attribute; the expression of a derived one is read later."""
        if (entity, name) in self._attributes:
            return self._attributes[entity, name]
        text = self.blueprint.entities[entity][name].strip()
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in ("id", "offset") or keyword.iskeyword(name):
            raise Complaint(
                f"{name!r} is no name for an attribute; every record has an id already, others are written like_this"
            )
        if text.startswith("="):
            attribute = Attribute(name, name, NONE, derived=Literal(NONE, None))
        else:
            written = self.resolve(parse_type(text))
            type_ = written.type
            if written.unique and type_.kind in ("list", "ref", "bool"):
                raise Complaint(f"unique is for texts, numbers and dates; write a rule with unique(..) for {name!r}")
            if type_.kind == "list" and type_.optional:
                raise Complaint("a list is never absent; leave 'optional' out, an empty list says it")
            attribute = Attribute(
                name,
                wire_name(name, type_),
                type_,
                written.fixed,
                written.unique,
                self._default(written, name),
                written.moves,
            )
        self._attributes[entity, name] = attribute
        return attribute

    def _default(self, written: WrittenType, name: str) -> Expr | None:
        if written.default is None:
            if written.moves is not None:
                return Literal(written.type, written.type.options[0])
            if written.type.kind == "list":
                return ListOf(written.type, ())
            return Literal(NONE, None) if written.type.optional else None
        return literal(written.default, written.type, name)

    def attribute_type(self, entity: str, name: str) -> Type | None:
        if name not in self.blueprint.entities.get(entity, {}):
            return None
        attribute = self.attribute(entity, name)
        if attribute.derived is None:
            return attribute.type
        if (entity, name) not in self._derived_types:
            source = self.blueprint.entities[entity][name].strip()[1:]
            place = NameScope({"self": ref(entity)})
            expr = self._once(f"{entity}.{name}", source, place)
            if expr.type.kind in ("ratio", "struct", "key"):
                raise Complaint(
                    f"{entity}.{name} is {expr.type}; a derived attribute is shown, so round it or name a value"
                )
            type_ = Type("int", optional=expr.type.optional) if expr.type.kind == "int" else expr.type
            self._derived_types[entity, name] = type_
            self._attributes[entity, name] = replace(attribute, type=type_, derived=expr)
        return self._derived_types[entity, name]

    def derived_names(self) -> frozenset[str]:
        """The names that some entity works out."""
        entities = self.blueprint.entities.values()
        return frozenset(
            name for attributes in entities for name, text in attributes.items() if text.lstrip().startswith("=")
        )

    def is_derived(self, entity: str, name: str) -> bool:
        return self.attribute(entity, name).derived is not None

    # Definitions

    def define_params(self, name: str) -> tuple[Type, ...]:
        return tuple(param.type for param in self._signatures[name])

    def define_type(self, name: str) -> Type:
        if name not in self.defines:
            scope: dict[str, Type] = {}
            place = NameScope(scope)
            for param in self._signatures[name]:
                place = self.reader.bind(place, param.name, param.type, f"the parameter of {name}")
            body = self._once(name, self._bodies[name], place)
            for param in self._signatures[name]:
                if param.name not in place.used:
                    raise Complaint(f"define {name!r} never uses its parameter {param.name!r}")
            self.defines[name] = Define(name, self._signatures[name], body)
        return self.defines[name].body.type

    def _once(self, name: str, source: str, place: NameScope) -> Expr:
        """Read an expression that others may need while it is being read; a circle is an error."""
        if name in self._running:
            circle = " > ".join([*self._running[self._running.index(name) :], name])
            raise Complaint(f"{circle} goes round in a circle")
        self._running.append(name)
        try:
            return self.reader.read(source, place)
        except Complaint as complaint:
            raise (
                complaint if complaint.args[0].startswith(("define ", "entity ")) else Complaint(str(complaint))
            ) from None
        finally:
            self._running.pop()

    # Entities

    def entity(self, name: str) -> Entity:
        if name not in self._entities:
            for attribute in self.attribute_names(name):
                self.attribute_type(name, attribute)
            attributes = {a: self._attributes[name, a] for a in self.attribute_names(name)}
            noun = snake(name)
            self._entities[name] = Entity(name, noun, plural(noun), self._prefix(name), attributes, _label(attributes))
        return self._entities[name]

    def all_entities(self) -> dict[str, Entity]:
        return {name: self.entity(name) for name in self.blueprint.entities}

    def _prefix(self, name: str) -> str:
        """`STAY` for Stay, `PO` for PurchaseOrder, or all of it where two would be alike."""

        def short(entity: str) -> str:
            parts = snake(entity).split("_")
            return parts[0].upper() if len(parts) == 1 else "".join(part[0] for part in parts).upper()

        taken = [short(entity) for entity in self.blueprint.entities if entity != name]
        return short(name) if short(name) not in taken else snake(name).upper().replace("_", "-")


def _label(attributes: dict[str, Attribute]) -> str:
    def texts(test: object) -> list[str]:
        return [
            a.name
            for a in attributes.values()
            if a.derived is None and a.type.kind == "text" and not a.type.optional and callable(test) and test(a)
        ]

    labels = (
        texts(lambda a: a.type.shape in ("person", "name", "company"))
        or texts(lambda a: a.name in ("name", "title"))
        or texts(lambda a: a.unique)
        or texts(lambda a: a.name in LABELS)
    )
    return labels[0] if labels else "id"


def wire_name(name: str, type_: Type) -> str:
    """How a value is called where records are ids: `room_id`, `guest_ids`."""
    if type_.kind == "ref":
        return f"{name}_id"
    if type_.kind == "list" and type_.of is not None and type_.of.kind == "ref":
        return f"{singular(name)}_ids"
    return name


def literal(text: str, type_: Type, name: str) -> Expr:
    """The default written after `=`."""
    text = text.strip()
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text
    if text in ("None", "none") and type_.optional:
        return Literal(NONE, None)
    default = column_of(type_).default(text, bare, type_, name)
    if default is not None:
        return default
    raise Complaint(f"{text!r} is no default for {name!r}, which is {type_}{name_hint(bare, type_.options)}")
