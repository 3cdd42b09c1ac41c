"""The card of a compiled environment: what can be known of it without running its code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from envscaler_mcp.artifacts import Blueprint, Environment, Provenance, digest_of
from envscaler_mcp.language import check_blueprint
from envscaler_mcp.language.column_types import COLUMN_TYPES
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.language.text import words
from envscaler_mcp.sandbox.policy import admit
from envscaler_mcp.serving.tools import tool_table
from envscaler_mcp.synthesis.answers import answers_of
from envscaler_mcp.synthesis.compile import Compiled, compile_model
from envscaler_mcp.synthesis.nursery import compile_nursery


@dataclass(frozen=True)
class Synthesized:
    """An environment, its code, and the class in which its states grow."""

    blueprint: Blueprint
    model: Model
    speech: Storybook
    environment: Environment
    source: str

    @property
    def nursery_source(self) -> str:
        return self._nursery.source

    @property
    def nursery_class(self) -> str:
        return self._nursery.class_name

    @cached_property
    def _nursery(self) -> Compiled:
        """Compiled where states grow; who only compares a folder's code with the compiler's needs none."""
        return compile_nursery(self.model)


def synthesize(blueprint: Blueprint, states: tuple[str, ...]) -> Synthesized:
    """Check and compile a blueprint; one with errors is refused with all of them."""
    checked = check_blueprint(blueprint)
    model = checked.sound()
    compiled = compile_model(model)
    admit(compiled.source, f"What was compiled of {blueprint.id!r}")
    environment = Environment(
        provenance=Provenance(author=blueprint.provenance.author, parents={"blueprint": blueprint.digest}),
        id=blueprint.id,
        title=blueprint.title,
        about=" ".join(blueprint.about.split()),
        sector=blueprint.sector,
        version=blueprint.version,
        origin="compiled",
        class_name=compiled.class_name,
        introduction=introduction(model),
        rules=tuple(rule.text for rule in model.rules),
        tools=tool_table(compiled.source, compiled.class_name),
        answers=answers_of(model),
        states=states,
        code_digest=digest_of(compiled.source),
        blueprint_digest=blueprint.digest,
    )
    return Synthesized(blueprint, model, checked.speech, environment, compiled.source)


def introduction(model: Model) -> str:
    """What an agent is told first."""
    blueprint = model.blueprint
    kinds = [words(entity.container) for entity in model.entities.values()]
    listed = f"{', '.join(kinds[:-1])} and {kinds[-1]}" if len(kinds) > 1 else kinds[0]
    used = {a.type.kind for entity in model.entities.values() for a in entity.attributes.values()}
    notes = "".join(f", {column.note}" for name, column in COLUMN_TYPES.items() if name in used and column.note)
    about = " ".join(blueprint.about.split())
    return (
        f"{blueprint.title}. {about if about.endswith('.') else about + '.'} "
        f"It keeps {listed}. Records are named by their ids in calls; ids come from lists and look-ups. "
        f"Dates are written YYYY-MM-DD{notes}. "
        "A call that cannot be made changes nothing and says why."
    )
