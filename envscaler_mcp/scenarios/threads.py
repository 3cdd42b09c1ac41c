"""One thread of a task: a story with its cast, what must be read, what is done, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from envscaler_mcp.artifacts import Call, Span
from envscaler_mcp.language.expressions import Defined, Derived, Expr, Function, Get, Scan, walk
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, Store, as_stored
from envscaler_mcp.language.model import Model, Parameter
from envscaler_mcp.language.stories import Act, Deed, Drawn, Each, Fork, Said, Story, Storybook, Telling, Worked
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.ambiguity import WordedStory, named_roles, used_names
from envscaler_mcp.scenarios.describing import Describer, Phrase, is_person
from envscaler_mcp.scenarios.knowledge import Knowledge, Library, Unread, read_all
from envscaler_mcp.scenarios.phrases import enumerated, short
from envscaler_mcp.scenarios.wording import Wording
from envscaler_mcp.serving.local_world import LocalWorld


class Unfit(Exception):  # noqa: N818
    """A cast that makes no thread; another may."""


@dataclass(slots=True)
class Thread:
    """Made in one state; played in others to see that it stays what it is."""

    story: Story
    names: Names
    spans: tuple[Span, ...]
    reads: list[Call]
    acts: list[Call]
    phrases: list[Phrase] = field(default_factory=list)
    forks: list[tuple[int, bool]] = field(default_factory=list)
    """The branches it came to: their places in the story, and whether their tests held."""
    telling: int = 0
    """Which of the story's tellings it is."""
    ask: tuple[Span, ...] = ()
    """How a user begins to speak of it."""
    chosen: int = 0
    """How many of its records are chosen and named in the task."""
    alone: int = 0
    """How many of those nothing else could be mistaken for."""

    @property
    def calls(self) -> list[Call]:
        return [*self.reads, *self.acts]


class Threading:
    """Makes threads of one model on a world, which is as before afterwards."""

    def __init__(self, model: Model, speech: Storybook, chance: Chance) -> None:
        self.model, self.speech, self.chance = model, speech, chance
        self.library = Library(model)

    def thread(
        self, story: Story, names: Names, world: LocalWorld, number: int, evaluation: SteadyEvaluator | None = None
    ) -> Thread:
        """The thread of a cast in that one of its tellings, its changes made in the world."""
        telling = story.tell[number]
        describer = self._describer(world, evaluation)
        said: dict[Ref, Phrase] = {}
        spans = tuple(self._tell(story, telling, names, describer, said))
        self._everything_said(story, telling, names, describer)
        describer.named.clear()
        ask = tuple(self._tell(story, story.ask, names, describer, dict(said)))
        made = Thread(story, names, spans, [], [], list(said.values()), telling=number, ask=ask)
        near = [next(self._near_misses(role, made, describer), None) for role in _told(made)]
        made.chosen, made.alone = len(near), near.count(None)
        return self._play(made, world)

    def again(self, thread: Thread, world: LocalWorld) -> Thread:
        """The same thread in another state; it is unfit where its words no longer mean the same there."""
        describer = self._describer(world)
        for phrase in thread.phrases:
            if describer.fitting(phrase.form, phrase.ref) != [phrase.ref]:
                raise Unfit(f"{phrase.text!r} means something else by then")
        evaluation = describer.evaluation
        for role in thread.story.cast:
            if isinstance(role, Worked) and not _still(role, thread, evaluation):
                raise Unfit(f"{role.name} is another by then")
        return self._play(replace(thread, reads=[], acts=[], forks=[]), world)

    def distractors(self, thread: Thread, world: LocalWorld, evaluation: SteadyEvaluator | None = None) -> int:
        """How many records could be mistaken for those that the words mean."""
        describer = self._describer(world, evaluation)
        return sum(1 for role in _told(thread) for _ in self._near_misses(role, thread, describer))

    def _near_misses(self, role: Drawn, thread: Thread, describer: Describer) -> Iterator[Ref]:
        """Records that would fit the role were they not called otherwise, and those that fit its description but for one mark."""
        mine = thread.names[role.name]
        phrase = next(phrase for phrase in thread.phrases if phrase.ref == mine)
        yield from [mine] * phrase.distractors
        evaluation = describer.evaluation
        for other in evaluation.records(role.entity):
            if other != mine and (role.test is None or evaluation.value(role.test, {**thread.names, role.name: other})):
                yield other

    def _describer(self, world: LocalWorld, evaluation: SteadyEvaluator | None = None) -> Describer:
        said = self.model.blueprint.words.values
        at_rest = evaluation or SteadyEvaluator(Store(self.model, world.look()))
        return Describer(self.model, self.speech, self.library, at_rest, self.chance, said)

    def _play(self, thread: Thread, world: LocalWorld) -> Thread:
        knowledge = Knowledge(self.model, world.look()["now"])
        thread.reads.extend(self._read(thread, world, knowledge))
        self._do(thread.story.do, dict(thread.names), world, knowledge, thread)
        if not thread.acts:
            raise Unfit("nothing is to be done")
        return thread

    # Words

    def _tell(
        self, story: Story, telling: Telling, names: Names, describer: Describer, said: dict[Ref, Phrase]
    ) -> Iterator[Span]:
        evaluation = describer.evaluation
        wording = Wording(describer.values, describer.state["now"][:10])
        for part in telling:
            if isinstance(part, str):
                yield Span(text=part)
                continue
            try:
                value = evaluation.value(part.value, names)
            except KeyError:
                raise Unfit(f"{part.source} is told before it is there") from None
            if value is None or value == []:
                raise Unfit(f"{part.source} is empty")
            if isinstance(value, Ref):
                yield from self._name(value, part, describer, said)
            elif isinstance(value, list) and isinstance(value[0], Ref):
                texts = [self._described(item, describer, said).text for item in value]
                yield Span(text=enumerated(texts), fact=part.source)
            else:
                yield Span(text=wording.of(story, telling, part, value), fact=part.source)

    def _name(self, ref: Ref, part: Said, describer: Describer, said: dict[Ref, Phrase]) -> Iterator[Span]:
        if part.format == "short":
            if ref not in said:
                raise Unfit(f"{part.source} is called by its short name before its full one")
            yield from self._shortly(ref, said)
            return
        again = ref in describer.named and is_person(self.model, ref)
        phrase = self._described(ref, describer, said)
        describer.named.add(ref)
        yield from self._shortly(ref, said) if again else phrase.spans

    def _shortly(self, ref: Ref, said: dict[Ref, Phrase]) -> tuple[Span, ...]:
        """The short name, where it means nothing else that was named."""
        names = [short(phrase.text) for phrase in said.values()]
        name = short(said[ref].text)
        return (Span(text=name),) if names.count(name) == 1 else said[ref].spans

    def _described(self, ref: Ref, describer: Describer, said: dict[Ref, Phrase]) -> Phrase:
        if ref not in said:
            phrase = describer.describe(ref)
            if phrase is None:
                raise Unfit(f"nothing tells {ref.id} apart")
            said[ref] = phrase
        return said[ref]

    def _everything_said(self, story: Story, telling: Telling, names: Names, describer: Describer) -> None:
        """What only the person asking can know must be in the text."""
        for ambiguity in WordedStory(self.model, story, telling, names, describer.evaluation).ambiguities():
            raise Unfit(ambiguity)

    # Reads

    def _read(self, thread: Thread, world: LocalWorld, knowledge: Knowledge) -> list[Call]:
        story, names = thread.story, thread.names
        made: list[Call] = []
        for phrase in thread.phrases:
            for call in phrase.reads:
                self._once(call, world, knowledge, made)
        named_refs = [phrase.ref for phrase in thread.phrases]
        named = named_roles(story, story.tell[thread.telling])
        for role in story.cast:
            if isinstance(role, Drawn) and names[role.name] not in named_refs and role.name in used_names(story):
                self._find(names[role.name], named_refs, world, knowledge, made)
            # A record that happens to be one that was named must be found out all the same.
            if isinstance(role, Worked) and not (role.name in named and names[role.name] in named_refs):
                self._work_out(role.value, names[role.name], names, world, knowledge, made)
        return made

    def _find(self, ref: Ref, named_refs: list[Ref], world: LocalWorld, knowledge: Knowledge, made: list[Call]) -> None:
        """Read a record that the words only imply, among those that have to do with what they name."""
        entity, row = self.model.entities[ref.entity], world.look()[self.model.entities[ref.entity].container][ref.id]
        named = {other.id for other in named_refs}
        filters = {a.key: row[a.key] for a in entity.stored if a.type.kind == "ref" and row[a.key] in named}
        call = self.library.several(entity, filters)
        if call is None:
            raise Unfit(f"no read shows which {ref.entity} is meant")
        self._once(call, world, knowledge, made)

    def _once(self, call: Call, world: LocalWorld, knowledge: Knowledge, made: list[Call]) -> None:
        if call not in made:
            made.extend(read_all(world, call, knowledge))

    def _work_out(
        self, expr: Expr, value: Any, names: Names, world: LocalWorld, knowledge: Knowledge, made: list[Call]
    ) -> None:
        """Read until what is known decides the expression."""
        if self._decided(expr, names, world, knowledge, made) != value:
            knowledge.forget()
            if self._decided(expr, names, world, knowledge, made) != value:
                raise Unfit("what is read does not decide it")

    def _decided(self, expr: Expr, names: Names, world: LocalWorld, knowledge: Knowledge, made: list[Call]) -> Any:
        tried: list[Call] = []
        while True:
            try:
                return knowledge.value(expr, names)
            except Unread as unread:
                call = next((call for call in self.library.reads(unread, knowledge.heard) if call not in tried), None)
                if call is None:
                    raise Unfit(
                        f"no read shows every {unread.entity} that decides it: under 'derive', give it a list or a find"
                    ) from None
                tried.append(call)
                made.extend(read_all(world, call, knowledge))

    # Deeds

    def _do(
        self, deeds: tuple[Deed, ...], names: Names, world: LocalWorld, knowledge: Knowledge, thread: Thread
    ) -> None:
        for deed in deeds:
            if isinstance(deed, Act):
                self._act(deed, names, world, knowledge, thread)
                continue
            evaluation = SteadyEvaluator(Store(self.model, world.look()))
            if isinstance(deed, Fork):
                yes = bool(as_it_is(evaluation, deed.test, names))
                self._look(deed.test, yes, names, world, knowledge, thread)
                thread.forks.append((forks_of(thread.story.do).index(deed), yes))
                self._do(deed.then if yes else deed.otherwise, names, world, knowledge, thread)
            elif isinstance(deed, Each):
                loop = deed.loop
                which = deed.which
                record_refs = as_it_is(evaluation, which, names)
                self._look(which, record_refs, names, world, knowledge, thread)
                most = None if deed.limit is None else evaluation.value(deed.limit, names)
                if deed.limit is not None:
                    self._knowable(deed.limit, most, names, world, knowledge, thread)
                for record in record_refs if most is None else record_refs[: max(most, 0)]:
                    self._do(deed.do, {**names, loop.name: record}, world, knowledge, thread)

    def _act(self, act: Act, names: Names, world: LocalWorld, knowledge: Knowledge, thread: Thread) -> None:
        operation = self.model.operations[act.operation]
        evaluation = SteadyEvaluator(Store(self.model, world.look()))
        arguments: dict[str, Any] = {}
        for param in operation.params:
            if param.name in act.arguments:
                value = as_it_is(evaluation, act.arguments[param.name], names)
                self._knowable(act.arguments[param.name], value, names, world, knowledge, thread)
                arguments[param.argument] = on_the_wire(value, param)
        outcome = world.call(act.operation, arguments)
        if outcome.kind != "done":
            raise Unfit(f"{act.operation} is refused: {outcome.payload.get('error')}")
        thread.acts.append(Call(tool=act.operation, arguments=arguments))
        knowledge.hear(outcome.payload)
        if act.name:
            names[act.name] = made_by(act, self.model, outcome.payload)

    def _knowable(
        self, expr: Expr, value: Any, names: Names, world: LocalWorld, knowledge: Knowledge, thread: Thread
    ) -> None:
        """An argument that follows from records must follow from what was read of them."""
        if any(isinstance(inner, Get | Derived | Defined | Function | Scan) for inner in walk(expr)):
            self._look(expr, value, names, world, knowledge, thread)

    def _look(
        self, expr: Expr, value: Any, names: Names, world: LocalWorld, knowledge: Knowledge, thread: Thread
    ) -> None:
        """Reads that become necessary on the way; before the first change they go with the others."""
        made: list[Call] = []
        self._work_out(expr, value, names, world, knowledge, made)
        (thread.acts or thread.reads).extend(made)


def _still(role: Worked, thread: Thread, evaluation: SteadyEvaluator) -> bool:
    """Whether a role that follows from the others is what it was; what it follows from may be gone by now."""
    try:
        return bool(evaluation.value(role.value, thread.names) == thread.names[role.name])
    except (KeyError, TypeError, AttributeError):
        return False


def _told(thread: Thread) -> list[Drawn]:
    """The roles for which records were chosen that the words describe."""
    named = {phrase.ref for phrase in thread.phrases}
    return [role for role in thread.story.cast if isinstance(role, Drawn) and thread.names[role.name] in named]


def forks_of(deeds: tuple[Deed, ...]) -> list[Fork]:
    """Every branch of a story, in the order in which they are written."""
    forks: list[Fork] = []
    for deed in deeds:
        if isinstance(deed, Each):
            forks += forks_of(deed.do)
        elif isinstance(deed, Fork):
            forks += [deed, *forks_of(deed.then), *forks_of(deed.otherwise)]
    return forks


def loops_of(deeds: tuple[Deed, ...]) -> list[Each]:
    """Every loop of a story."""
    loops: list[Each] = []
    for deed in deeds:
        if isinstance(deed, Each):
            loops += [deed, *loops_of(deed.do)]
        elif isinstance(deed, Fork):
            loops += [*loops_of(deed.then), *loops_of(deed.otherwise)]
    return loops


def as_it_is(evaluation: SteadyEvaluator, expr: Expr, names: Names) -> Any:
    try:
        return evaluation.value(expr, names)
    except KeyError:
        raise Unfit("it reads a record that is gone by then; work that out in the cast") from None


def arguments_of(act: Act, model: Model, value: Callable[[Expr], Any]) -> dict[str, Any]:
    """What a call passes, its expressions worked out."""
    return {
        param.argument: on_the_wire(value(act.arguments[param.name]), param)
        for param in model.operations[act.operation].params
        if param.name in act.arguments
    }


def made_by(act: Act, model: Model, answer: Mapping[str, Any]) -> Ref:
    """The record that a call has made."""
    return Ref(act.creates, answer["data"][f"{model.entities[act.creates].noun}_id"])


def on_the_wire(value: Any, param: Parameter) -> Any:
    element = param.type.of
    if isinstance(value, list) and element is not None and element.kind == "struct":
        keys = [f"{name}_id" if type_.kind == "ref" else name for name, type_ in element.fields]
        return [{key: as_stored(item) for key, item in zip(keys, entry, strict=False)} for entry in value]
    return as_stored(value)
