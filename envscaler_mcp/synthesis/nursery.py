"""The class that start states grow in: every operation, and one more per entity that enters a record as it is.

What it adds is checked as anything else is, so a base record can break no rule. It is never shipped. Its guards answer their
number in the place of their sentence.
"""

from __future__ import annotations

from dataclasses import replace

from envscaler_mcp.language.expressions import Local
from envscaler_mcp.language.model import Entity, Guard, Model, New, Operation, Parameter, Sentence
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.synthesis.compile import Compiled, compile_model


def compile_nursery(model: Model) -> Compiled:
    """The model's class with an `base_<noun>(given_<attribute>, …)` for every entity."""
    additions = {f"base_{entity.noun}": _addition(entity) for entity in model.entities.values()}
    operations = {name: _numbered(operation) for name, operation in model.operations.items()}
    compiled = compile_model(replace(model, operations={**operations, **additions}, queries={}, derive={}))
    # States grow in this process, so whatever a text of the blueprint may have smuggled in ends here.
    admit(compiled.source, f"What was compiled of {model.blueprint.id!r}")
    return compiled


def _numbered(operation: Operation) -> Operation:
    """The operation with guards that say which of its lines they are, from 1."""
    lines = tuple(
        replace(line, sentence=Sentence((str(number),))) if isinstance(line, Guard) else line
        for number, line in enumerate(operation.require, 1)
    )
    return replace(operation, require=lines)


def _addition(entity: Entity) -> Operation:
    # Nothing has looked at what is drawn, so its type promises no range and the class checks it.
    types = {attribute.name: replace(attribute.type, low=None, high=None) for attribute in entity.stored}
    params = tuple(Parameter(f"given_{a.name}", f"given_{a.key}", types[a.name]) for a in entity.stored)
    values = {name: Local(type_, f"given_{name}") for name, type_ in types.items()}
    effect = New(None, entity.name, dict(values))
    return Operation(f"base_{entity.noun}", f"Enter a {entity.noun}.", params, (), (effect,), Sentence(("enter it",)))
