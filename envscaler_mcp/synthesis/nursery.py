"""The class that start states grow in: every operation, and one more per entity that enters a record as it is.

What it adds is checked as anything else is, so a base record can break no rule. It is never shipped.
"""

from __future__ import annotations

from dataclasses import replace

from envscaler_mcp.language.expressions import Local
from envscaler_mcp.language.model import Entity, Model, New, Operation, Parameter, Sentence
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.synthesis.compile import Compiled, compile_model


def compile_nursery(model: Model) -> Compiled:
    """The model's class with an `base_<noun>(given_<attribute>, …)` for every entity."""
    additions = {f"base_{entity.noun}": _addition(entity) for entity in model.entities.values()}
    compiled = compile_model(replace(model, operations={**model.operations, **additions}, queries={}, derive={}))
    # States grow in this process, so whatever a text of the blueprint may have smuggled in ends here.
    admit(compiled.source, f"What was compiled of {model.blueprint.id!r}")
    return compiled


def _addition(entity: Entity) -> Operation:
    # Nothing has looked at what is drawn, so its type promises no range and the class checks it.
    types = {attribute.name: replace(attribute.type, low=None, high=None) for attribute in entity.stored}
    params = tuple(Parameter(f"given_{a.name}", f"given_{a.key}", types[a.name]) for a in entity.stored)
    values = {name: Local(type_, f"given_{name}") for name, type_ in types.items()}
    effect = New(None, entity.name, dict(values))
    return Operation(f"base_{entity.noun}", f"Enter a {entity.noun}.", params, (), (effect,), Sentence(("enter it",)))
