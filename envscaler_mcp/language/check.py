"""From a blueprint to a model, or to everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal as Choices
from typing import TypeVar

from envscaler_mcp.artifacts import Blueprint, OperationSpec, QuerySpec
from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import analysis, limits
from envscaler_mcp.language.declarations import Declared
from envscaler_mcp.language.magnitude import boundless
from envscaler_mcp.language.model import Model, Operation, Query, Rule
from envscaler_mcp.language.operations import read_operation, read_query
from envscaler_mcp.language.reader import ExpressionReader
from envscaler_mcp.language.scope import NameScope
from envscaler_mcp.language.start import StartPlan, read_start
from envscaler_mcp.language.stories import Storybook, read_speech
from envscaler_mcp.language.text import name_hint
from envscaler_mcp.language.types import Complaint

S = TypeVar("S")
R = TypeVar("R")

READS = ("get", "list", "find", "count")
MOST_TOOLS = 22
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing an author must mend (error) or look at (warning)."""

    severity: Choices["error", "warning"]
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(slots=True)
class CheckedBlueprint:
    """A model where there is no error, and what was found on the way."""

    blueprint: Blueprint
    model: Model | None = None
    speech: Storybook = field(default_factory=Storybook)
    """How people speak in this trade; empty where nothing was said of it."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def warnings(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "warning"]

    def sound(self) -> Model:
        """The model; a blueprint with errors is refused with all of them."""
        if self.model is None or self.errors:
            listed = "\n  ".join(str(problem) for problem in self.errors)
            many = "1 error" if len(self.errors) == 1 else f"{len(self.errors)} errors"
            raise BlueprintError(f"{self.blueprint.id} has {many}:\n  {listed}")
        return self.model


def check_blueprint(blueprint: Blueprint) -> CheckedBlueprint:
    """Read every expression of a blueprint, and look for what no trade would mean."""
    return _Check(blueprint).run()


class _Check:
    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.result = CheckedBlueprint(blueprint)
        self.declared = Declared(blueprint)
        self.reader = ExpressionReader(self.declared)
        self.declared.reader = self.reader

    def error(self, place: str, message: str) -> None:
        problem = Problem("error", place, message)
        if problem not in self.result.problems:
            self.result.problems.append(problem)

    def errors_of(self, problems: Iterable[tuple[str, str]]) -> None:
        for place, message in problems:
            self.error(place, message)

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        try:
            yield
        except Complaint as complaint:
            self.error(place, str(complaint))
        except RecursionError:
            self.error(place, "this is nested too deeply")

    def run(self) -> CheckedBlueprint:
        self.errors_of(limits.blueprint_too_large(self.blueprint))
        if self.result.problems:
            return self.result
        with self.at("blueprint"):
            self.declared.names()
        if not self.result.problems:
            self.entities()
        if not self.result.problems:
            self.definitions()
        if self.result.problems:
            # Operations would only repeat what is wrong with the words they use.
            return self.result
        rules = tuple(self.rules())
        operations = dict(self.each("operation", self.blueprint.operations, self.operation))
        queries = dict(self.each("query", self.blueprint.queries, self.query))
        derive = self.derive()
        if not self.result.problems:
            model = Model(
                self.blueprint,
                {name: self.declared.entity(name) for name in self.blueprint.entities},
                self.declared.defines,
                rules,
                operations,
                queries,
                derive,
            )
            self.errors_of((*limits.too_costly(model), *boundless(model)))
            if self.result.errors:
                return self.result
            self.result.speech = read_speech(self.blueprint, model, self.reader, self.error)
            plan = read_start(self.blueprint, model, self.reader, self.error)
            if plan != StartPlan():
                model = replace(model, start=plan)
            stories = {f"story {name}": story for name, story in self.result.speech.stories.items()}
            self.errors_of(limits.too_costly_parts(model, {"start": (plan.daily, plan.computed), **stories}))
            self.tools(model)
            self.errors_of(analysis.errors(model, self.result.speech))
            for place, message in analysis.warnings(model):
                self.result.problems.append(Problem("warning", place, message))
            if not self.result.errors:
                self.result.model = model
        return self.result

    def entities(self) -> None:
        for entity in self.blueprint.entities:
            for attribute in self.blueprint.entities[entity]:
                with self.at(f"entity {entity}, attribute {attribute}"):
                    self.declared.attribute(entity, attribute)
        if self.result.problems:
            return
        for entity, attributes in self.blueprint.entities.items():
            for attribute in attributes:
                with self.at(f"entity {entity}, attribute {attribute}"):
                    self.declared.attribute_type(entity, attribute)

    def definitions(self) -> None:
        for name in self.declared.define_names():
            with self.at(f"define {name}"):
                self.declared.define_type(name)

    def rules(self) -> Iterable[Rule]:
        for number, spec in enumerate(self.blueprint.rules, start=1):
            with self.at(f"rule {number} ({spec.text})"):
                if not spec.text.strip().endswith("."):
                    raise Complaint("the text of a rule is shown to people; write a sentence with a full stop")
                reading = self.reader.condition(spec.holds, NameScope({}, clock=False))
                if analysis.reads_clock(reading.expr, self.declared.defines, self.declared.all_entities()):
                    raise Complaint("a rule speaks of the state only; 'now' and 'today' change all the time")
                yield Rule(number, spec.text.strip(), reading.expr)

    def each(self, what: str, specs: Mapping[str, S], read: Callable[[str, S], R]) -> Iterable[tuple[str, R]]:
        for name, spec in specs.items():
            with self.at(f"{what} {name}"):
                yield name, read(name, spec)

    def operation(self, name: str, spec: OperationSpec) -> Operation:
        return read_operation(name, spec, self.reader, self.declared, self.error)

    def query(self, name: str, spec: QuerySpec) -> Query:
        return read_query(name, spec, self.reader, self.declared, self.error)

    def derive(self) -> dict[str, tuple[str, ...]]:
        for name, reads in self.blueprint.derive.items():
            if name not in self.blueprint.entities:
                self.error("derive", f"there is no entity {name!r}{name_hint(name, self.blueprint.entities)}")
            for read in reads:
                if read not in READS:
                    self.error(f"derive {name}", f"there is no read {read!r}{name_hint(read, READS)}")
        return {name: tuple(self.blueprint.derive.get(name, ("get", "list"))) for name in self.blueprint.entities}

    def tools(self, model: Model) -> None:
        names = [tool for tool, _ in analysis.tool_names(model)]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.error("tools", f"{name!r} would be the name of two tools; rename one or switch the derived read off")
        reserved = {entity.container for entity in model.entities.values()} | {"now", "counters"}
        for name in names:
            if name in reserved:
                self.error("tools", f"{name!r} is where the records of the state lie; call the tool otherwise")
            if len(name) > LONGEST_NAME:
                self.error("tools", f"the name {name!r} has {len(name)} characters; {LONGEST_NAME} are allowed")
        of_author = len(names) - (1 if model.clock else 0)
        if of_author > MOST_TOOLS:
            self.error(
                "tools",
                f"there are {of_author} tools; {MOST_TOOLS} are allowed: switch derived reads off under 'derive'",
            )
