"""Where each argument of a plan is known from, worked out from the stories that the plan plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from envscaler_mcp.artifacts import Call, Goal, Scenario
from envscaler_mcp.errors import GrowthError, Unproven
from envscaler_mcp.language.expressions import (
    Defined,
    Derived,
    Expr,
    Function,
    Get,
    Local,
    Records,
    Scan,
    names_in,
    walk,
)
from envscaler_mcp.language.interpreter.bounded import BoundedEvaluator, WorkBound
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, Store, as_stored, as_value
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import (
    Act,
    Chosen,
    Deed,
    Drawn,
    Each,
    Fork,
    Role,
    Said,
    Story,
    Storybook,
    Telling,
    Worked,
)
from envscaler_mcp.language.types import Type, ref
from envscaler_mcp.scenarios.ambiguity import WordedStory, named_roles, used_names
from envscaler_mcp.scenarios.knowledge import PAGE, Knowledge, Unknown
from envscaler_mcp.scenarios.shapes import leaves
from envscaler_mcp.scenarios.threads import Unfit, as_it_is, made_by, on_the_wire
from envscaler_mcp.scenarios.wording import Wording
from envscaler_mcp.serving.local_world import LocalWorld

SECONDS = 10.0
"""Seconds of work for following a plan; the library's slowest takes less than one."""
WORDS, ANSWER = "the words", "an answer"
_UNDECIDED = (Unknown, KeyError, TypeError, AttributeError, IndexError, ValueError, ZeroDivisionError)
"""What working out a value raises where answers do not tell it, or told something else at another time."""


@dataclass(slots=True)
class _Part:
    """One goal of a scenario as its story has it."""

    story: Story
    names: Names
    named: frozenset[str]
    """Roles whose records the words name."""
    begun: bool = False


@dataclass(slots=True)
class _Answers:
    """Everything that was read, and where the plan changed something in between."""

    model: Model
    now: str
    bound: WorkBound
    heard: list[tuple[Call, Mapping[str, Any], bool]] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)

    def hear(self, call: Call, payload: Mapping[str, Any], *, reads: bool) -> None:
        self.heard.append((call, payload, reads))
        self.texts |= {leaf for leaf in leaves(payload) if isinstance(leaf, str)}
        if not reads:
            self.changes.append(len(self.heard))

    def decide(self, expr: Expr, names: Names, value: Any) -> bool:
        """Whether what was read, all of it or since some change, comes to this value."""
        for start in (0, *reversed(self.changes)):
            try:
                if self._since(start).value(expr, names) == value:
                    return True
            except _UNDECIDED:
                continue
        return False

    def _since(self, start: int) -> Knowledge:
        knowledge = Knowledge(self.model, self.now, self.bound)
        for call, payload, reads in self.heard[start:]:
            knowledge.hear(payload)
            if reads and _last_page(call, payload):
                plain = {name: value for name, value in call.arguments.items() if name != "offset"}
                knowledge.hear_whole(Call(tool=call.tool, arguments=plain))
        return knowledge


def _last_page(call: Call, payload: Mapping[str, Any]) -> bool:
    data = payload.get("data")
    # A record may have a total of its own.
    total = data.get("total", 0) if isinstance(data, dict) and "id" not in data else 0
    return bool(call.arguments.get("offset", 0) + PAGE >= total)


class StoryFlow:
    """Follows a plan through its stories: every change must be one of theirs, with arguments that are told or read.

    Unproven where one is not, and where working its stories out takes long: they may be a stranger's.
    """

    def __init__(
        self, scenario: Scenario, model: Model, speech: Storybook, effects: Mapping[str, str], world: LocalWorld
    ) -> None:
        if scenario.conversation is None:
            raise Unproven("it has no goals; the stories that it tells are not known")
        self.scenario, self.model, self.effects, self.world = scenario, model, effects, world
        self.state = world.state()
        self.bound = WorkBound("what its stories work out", SECONDS)
        self.at_rest = BoundedEvaluator(Store(model, self.state), self.bound)
        try:
            self.parts = [self._part(goal, speech) for goal in scenario.conversation.goals]
        except GrowthError as reason:
            raise Unproven(str(reason)) from None
        self.answers = _Answers(model, str(self.state["now"]), self.bound)

    @property
    def stories(self) -> list[tuple[Story, Names]]:
        """The stories that the task tells, and who is who in them."""
        return [(part.story, part.names) for part in self.parts]

    def lines(self) -> Iterator[str]:
        """For each argument of each change, where it is known from; the world is played to the plan's end."""
        try:
            yield from self._lines()
        except GrowthError as reason:
            raise Unproven(str(reason)) from None

    def _lines(self) -> Iterator[str]:
        acts = self._acts()
        for number, call in enumerate(self.scenario.oracle, start=1):
            reads = self.effects[call.tool] == "reads"
            self._ids_were_read(call)
            if reads:
                self.answers.hear(call, self.world.call(call.tool, call.arguments).payload, reads=True)
                continue
            part, act, names = next(acts, (None, None, {}))
            if part is None or act is None or act.operation != call.tool:
                raise Unproven(f"no story asks for its call {number}, {call.tool}")
            for name, source in self._sources(part, act, names, call, number):
                yield f"{number}. {call.tool}.{name}: {source}"
            payload = self.world.call(call.tool, call.arguments).payload
            self.answers.hear(call, payload, reads=False)
            if act.name:
                names[act.name] = made_by(act, self.model, payload)
        left = next(acts, None)
        if left is not None:
            raise Unproven(f"its stories ask for {left[1].operation} too, which the plan leaves out")

    def _ids_were_read(self, call: Call) -> None:
        for leaf in leaves(call.arguments):
            if isinstance(leaf, str) and self._is_id(leaf) and leaf not in self.answers.texts:
                raise Unproven(f"{call.tool} needs {leaf}, which no answer showed")

    def _is_id(self, value: str) -> bool:
        return any(value.startswith(f"{entity.prefix}-") for entity in self.model.entities.values())

    # The goals

    def _part(self, goal: Goal, speech: Storybook) -> _Part:
        story = speech.stories.get(goal.story)
        if story is None or not 0 <= goal.telling < len(story.tell):
            raise Unproven(f"its blueprint has no telling {goal.telling} of a story {goal.story!r}")
        names = self._names(story, goal)
        telling = story.tell[goal.telling]
        self._said(story, telling, names)
        for ambiguity in WordedStory(self.model, story, telling, names, self.at_rest).ambiguities():
            raise Unproven(f"{goal.story}: {ambiguity}")
        return _Part(story, names, named_roles(story, telling))

    def _names(self, story: Story, goal: Goal) -> Names:
        """Who is who, as the goal's facts have it; they must still fit the story's cast."""
        facts = {fact.name: fact.value for fact in goal.facts}
        names: Names = {}
        evaluation = self.at_rest
        for role in story.cast:
            if role.name not in facts:
                raise Unproven(f"{goal.story}: nothing is known of {role.name}")
            try:
                names[role.name] = as_value(facts[role.name], _type_of(role))
                fits = self._fits(role, names, evaluation)
            except _UNDECIDED:
                fits = False
            if not fits:
                raise Unproven(f"{goal.story}: {facts[role.name]!r} is not {role.name} any more")
        return names

    def _fits(self, role: Role, names: Names, evaluation: SteadyEvaluator) -> bool:
        value = names[role.name]
        if isinstance(role, Worked):
            return bool(_plain(evaluation.value(role.value, names)) == _plain(value))
        if isinstance(role, Drawn):
            exists = value.id in evaluation.store.rows(role.entity)
            return exists and (role.test is None or bool(evaluation.value(role.test, names)))
        return True

    def _said(self, story: Story, telling: Telling, names: Names) -> None:
        """Plain values that the telling says must stand in the task's text, marked as facts."""
        evaluation = self.at_rest
        wording = Wording(self.model.blueprint.words.values, str(self.state["now"])[:10])
        marked = {span.text.casefold() for span in self.scenario.spans if span.fact}
        for part in (part for part in telling if isinstance(part, Said)):
            value = evaluation.value(part.value, names)
            if isinstance(value, Ref) or (isinstance(value, list) and value and isinstance(value[0], Ref)):
                continue
            text = wording.of(story, telling, part, value)
            if text.casefold() not in marked:
                raise Unproven(f"{story.name}: the text does not say {text!r} for {part.source}")

    # The plan

    def _acts(self) -> Iterator[tuple[_Part, Act, Names]]:
        for part in self.parts:
            yield from self._done(part, part.story.do, dict(part.names))

    def _done(self, part: _Part, deeds: tuple[Deed, ...], names: Names) -> Iterator[tuple[_Part, Act, Names]]:
        """The story's calls, each when the world is where it is made."""
        for deed in deeds:
            self._begin(part)
            evaluation = BoundedEvaluator(Store(self.model, self.world.look()), self.bound)
            if isinstance(deed, Act):
                yield part, deed, names
            elif isinstance(deed, Fork):
                yes = bool(self._as_it_is(evaluation, deed.test, names))
                self._decided(deed.test, names, yes, f"{part.story.name} depends on a test")
                yield from self._done(part, deed.then if yes else deed.otherwise, names)
            else:
                yield from self._each(part, deed, names, evaluation)

    def _each(
        self, part: _Part, deed: Each, names: Names, evaluation: SteadyEvaluator
    ) -> Iterator[tuple[_Part, Act, Names]]:
        loop = deed.loop
        which = deed.which
        elements = self._as_it_is(evaluation, which, names)
        self._decided(which, names, elements, f"{part.story.name} goes through a list")
        if deed.limit is not None:
            most = evaluation.value(deed.limit, names)
            if _looks_up(deed.limit):
                self._decided(deed.limit, names, most, f"{part.story.name} goes through a part of a list")
            elements = elements[: max(most, 0)]
        for element in elements:
            yield from self._done(part, deed.do, {**names, loop.name: element})

    def _begin(self, part: _Part) -> None:
        """Before its first call, what a story works out must follow from what was read."""
        if part.begun:
            return
        part.begun = True
        used = self._used(part.story)
        for role in part.story.cast:
            if not isinstance(role, Worked) or role.name not in used:
                continue
            value = part.names[role.name]
            named = isinstance(value, Ref) and role.name in part.named and value.id in self.answers.texts
            if not named:
                self._decided(role.value, part.names, value, f"{part.story.name} speaks of {role.name}")

    def _used(self, story: Story) -> set[str]:
        """The names that its calls speak of, and those that these are worked out from."""
        used = used_names(story)
        for role in reversed(story.cast):
            if isinstance(role, Worked) and role.name in used:
                used |= names_in(role.value)
        return used

    def _as_it_is(self, evaluation: SteadyEvaluator, expr: Expr, names: Names) -> Any:
        try:
            return as_it_is(evaluation, expr, names)
        except Unfit as reason:
            raise Unproven(str(reason)) from None

    def _decided(self, expr: Expr, names: Names, value: Any, what: str) -> None:
        if not self.answers.decide(expr, names, value):
            raise Unproven(f"{what}, and no answer showed that it comes to {_plain(value)!r}")

    def _sources(self, part: _Part, act: Act, names: Names, call: Call, number: int) -> Iterator[tuple[str, str]]:
        evaluation = BoundedEvaluator(Store(self.model, self.world.look()), self.bound)
        expected: dict[str, Any] = {}
        for param in self.model.operations[act.operation].params:
            if param.name not in act.arguments:
                continue
            expr = act.arguments[param.name]
            value = self._as_it_is(evaluation, expr, names)
            expected[param.argument] = on_the_wire(value, param)
            if _looks_up(expr):
                self._decided(expr, names, value, f"{call.tool} needs {param.argument}")
            yield param.argument, " and ".join(sorted(self._known_from(expr, part.story), reverse=True))
        if expected != call.arguments:
            wrong = sorted(
                name for name in {**expected, **call.arguments} if expected.get(name) != call.arguments.get(name)
            )
            raise Unproven(f"its call {number}, {call.tool}, has another {wrong[0]} than its story asks for")

    def _known_from(self, expr: Expr, story: Story, before: int | None = None) -> set[str]:
        """The words, an answer, or both."""
        roles = {role.name: role for role in story.cast[:before]}
        sources: set[str] = set()
        for inner in walk(expr):
            role = roles.get(inner.name) if isinstance(inner, Local) else None
            if isinstance(role, Chosen):
                sources.add(WORDS)
            elif isinstance(role, Worked):
                # Within a role's own expression, its name is a loop's.
                sources |= self._known_from(role.value, story, story.cast.index(role))
            elif isinstance(inner, Local) or _looks_up(inner):
                sources.add(ANSWER)
        return sources or {WORDS}


def _looks_up(expr: Expr) -> bool:
    """Whether a value follows from records."""
    return any(isinstance(inner, Get | Derived | Defined | Function | Scan | Records) for inner in walk(expr))


def _type_of(role: Role) -> Type:
    if isinstance(role, Drawn):
        return ref(role.entity)
    return role.value.type.certain if isinstance(role, Worked) else role.type


def _plain(value: Any) -> Any:
    """A value as a document holds it."""
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    return as_stored(value)
