"""A dialect of one environment: its tools as they are offered, the call that is meant, and the answer that is read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Call, Environment, Tool, ToolAnswers
from envscaler_mcp.dialects.arguments import Speech, UnusableError
from envscaler_mcp.dialects.axes import Axes, DialectName, axes_of, drawn_number
from envscaler_mcp.dialects.further import some_of
from envscaler_mcp.dialects.ids import IdMemory, IdSpelling, Spelled, TooMuchToldError, id_prefixes
from envscaler_mcp.dialects.layouts import Layout, as_text
from envscaler_mcp.dialects.output import AnswerSchemas
from envscaler_mcp.dialects.paging import Page, Pages
from envscaler_mcp.dialects.records import Show, ShownRecords
from envscaler_mcp.dialects.refusals import Refusals
from envscaler_mcp.dialects.spelling import ChoiceSpelling, choice_start, say_moments_in
from envscaler_mcp.dialects.toolset import Operation, Toolset
from envscaler_mcp.dialects.wording import Names
from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.spoken_world import MeantCall, SpokenOutcome
from envscaler_mcp.serving.suggestion import quote_value


@dataclass(slots=True)
class Meant(MeantCall):
    """A canonical call, and what its answer needs to know of how it was asked for."""

    operation: Operation
    page: Page | None


class Dialect:
    """One way to speak to the worlds of an environment. Drawn from its card and a number, and from nothing else."""

    def __init__(self, environment: Environment, name: DialectName) -> None:
        """WorldError where the card says too little of the environment's answers."""
        if environment.answers is None or environment.answers.whole:
            raise WorldError(
                f"{environment.id!r} has no dialects: its card does not say what its tools answer. Build it from a blueprint."
            )
        _check_size(environment)
        try:
            self._make(environment, name)
        except _OTHER_SHAPE as cause:
            raise WorldError(
                f"{environment.id!r} has no dialects: its card is not one that a blueprint gives."
            ) from cause

    def _make(self, environment: Environment, name: DialectName) -> None:
        self.name = name
        self.axes: Axes = axes_of(environment.id, name)
        key = f"{environment.id}/{name}"
        speech = self._speech = _speech_of(environment, self.axes, name, key)
        further = some_of(self.axes.further, drawn_number(environment.id, name, "further tools"))
        records = ShownRecords(environment, speech)
        self._columns = {tool.name: records.columns(tool.name) for tool in environment.tools}
        self._toolset = Toolset(environment, speech, further, self._columns)
        self._layout = Layout(self.axes)
        self._refusals = Refusals(self.axes, self._layout)
        self._rows = {tool.name: records.rows(tool.name) for tool in environment.tools}
        self._parts: dict[str, Show] = {name: records.part(name) for name, known in self._columns.items() if known}
        self._any: Show = records.anything
        self._data: dict[str, Show] = {tool.name: records.data(tool.name) for tool in environment.tools}
        self.card = environment.model_copy(
            update={
                "tools": self._toolset.tools,
                "introduction": _introduction(environment.introduction),
                "answers": self._described(environment, records),
            }
        )

    def _described(self, environment: Environment, records: ShownRecords) -> ToolAnswers | None:
        """What the protocol says of answers; nothing where they are text, and nothing of a tool that has several actions."""
        if not self.axes.structured or self.axes.grouping == "entity":
            return None
        schemas = AnswerSchemas(records, self._speech, self._layout)
        known = environment.answers or ToolAnswers()
        spoken = {each.tool.name: each for each in self._toolset.operations}
        return ToolAnswers(
            whole={each.spoken: schemas.of_tool(each.tool, paged=each.arguments.paged) for each in spoken.values()},
            additive=tuple(spoken[name].spoken for name in known.additive if name in spoken),
            repeatable=tuple(spoken[name].spoken for name in known.repeatable if name in spoken),
        )

    def tools(self) -> tuple[Tool, ...]:
        """The tools as they are offered."""
        return self._toolset.tools

    def memory(self) -> IdMemory:
        """What is known of a world that nothing was told of."""
        return IdMemory()

    def encode(self, call: Call) -> Call:
        """A canonical call as it is spoken: it asks for as many rows. WorldError where it cannot be said."""
        try:
            tool, arguments = self._toolset.encode(call.tool, call.arguments)
        except _OTHER_SHAPE as cause:
            raise WorldError(f"A call of {quote_value(call.tool)} cannot be said in dialect {self.name}.") from cause
        return Call(tool=tool, arguments=arguments)

    def tell(self, canonical: str, memory: IdMemory) -> Spelled:
        """The spelling of an id, which may be used in calls from now on."""
        spelled: Spelled = self._speech.ids.tell(canonical, memory)
        return spelled

    def call(self, name: str, arguments: Any, memory: IdMemory) -> Meant | SpokenOutcome:
        """The call that is meant, or what is answered where no world is asked."""
        further = self._toolset.further.get(name)
        try:
            if further is not None:
                _, check, tool = further
                wrong = check(arguments)
                if wrong is not None:
                    raise UnusableError(wrong)
                return self._saying("done", self._layout.record(tool.answer(arguments)))
            operation, given = self._toolset.meant(name, arguments)
            canonical, page = operation.arguments.decode(given, memory)
        except UnusableError as cause:
            return self._refusing("refused" if cause.missing else "invalid", str(cause), missing=cause.missing)
        except _OTHER_SHAPE:
            # A card of unread code may describe what no dialect can say.
            return self._refusing("invalid", f"{name}: these arguments cannot be said in this dialect.")
        return Meant(operation.tool.name, canonical, operation, page)

    def answer(self, meant: Meant, outcome: Outcome, memory: IdMemory) -> SpokenOutcome:
        """What the agent reads of an outcome."""
        try:
            answer = self._answer(meant, outcome, memory)
        except TooMuchToldError as cause:
            answer = self._saying(outcome.kind, self._refusals.body("limited", str(cause)))
        except _OTHER_SHAPE:
            answer = self._undescribed(outcome, memory)
        answer.meant = meant
        return answer

    def _answer(self, meant: Meant, outcome: Outcome, memory: IdMemory) -> SpokenOutcome:
        payload = json.loads(outcome.text)
        if outcome.kind != "done":
            return self._not_done(meant, outcome, str(payload.get("error", "")), memory)
        if meant.operation.tool.effect == "writes":
            return self._saying("done", self._layout.done(self._said(meant, payload, memory)))
        data = payload.get("data")
        rows = self._rows[meant.tool]
        if rows is None:
            return self._saying("done", self._layout.record(self._data[meant.tool](data, memory)))
        entry, kind, show = rows
        listed, total, page, columns = data[entry], data["total"], meant.page, self._columns[meant.tool]
        if page is not None:
            listed = listed[: page.size]
            about = self._speech.pages.about(page, total, len(listed))
            if page.columns:
                listed = [{name: row[name] for name in row if name in page.columns or name == "id"} for row in listed]
                columns = {word: name for word, name in columns.items() if name in page.columns or name == "id"}
                show = self._parts[meant.tool]
        else:
            about = {"total": total}
        shown = [show(row, memory) for row in listed]
        return self._saying("done", self._layout.rows(kind, shown, about, [*columns]))

    def _undescribed(self, outcome: Outcome, memory: IdMemory) -> SpokenOutcome:
        """An answer that is not what the card says: unread code may answer anything."""
        try:
            shown = self._any(json.loads(outcome.text), memory)
            # Structured content must not be what its schema says otherwise.
            body = {"undescribed": shown} if self.axes.structured else self._layout.record(shown)
        except (*_OTHER_SHAPE, TooMuchToldError):
            body = self._refusals.body("limited", "The answer cannot be shown.")
        return self._saying(outcome.kind, body)

    def _said(self, meant: Meant, payload: Mapping[str, Any], memory: IdMemory) -> dict[str, Any]:
        """What a change answers: all that it changed, or no more of it than the ids of what was made."""
        data = payload.get("data", {})
        if self.axes.changes != "records":
            data = {name: value for name, value in data.items() if name not in _CHANGED}
        ids = self._data[meant.tool](data, memory) if data else {}
        match self.axes.changes:
            case "message":
                message = self._sentence(str(payload.get("message", "")), meant, memory)
                return {self._layout.word("message"): message, **ids}
            case "records":
                return {self._layout.word("status"): "done", **ids}
            case "ids":
                return ids or {self._layout.word("status"): "done"}
            case "bare":
                return dict(ids)

    def _not_done(self, meant: Meant, outcome: Outcome, sentence: str, memory: IdMemory) -> SpokenOutcome:
        own = meant.operation.spoken
        # Sentences of the world's own begin with the name of the tool.
        said = own + sentence.removeprefix(meant.tool) if sentence.startswith(meant.tool) else sentence
        said = self._sentence(said, meant, memory)
        if outcome.kind == "failed":
            # What comes of a defect is told in the same words everywhere: verdicts read them.
            return SpokenOutcome("failed", Outcome.saying("failed", said).text)
        if outcome.kind in ("ended", "exhausted"):
            return SpokenOutcome(outcome.kind, outcome.text)
        return self._refusing(outcome.kind, said, missing=sentence.startswith("There is no "))

    def _sentence(self, sentence: str, meant: Meant, memory: IdMemory) -> str:
        """A sentence of the world with its ids and moments spelled."""
        said = say_moments_in(sentence, self.axes.dates, meant.arguments.values())
        return self._speech.ids.tell_in(said, memory)

    def _refusing(self, kind: Any, sentence: str, *, missing: bool = False) -> SpokenOutcome:
        return self._saying(kind, self._refusals.body("missing" if missing else kind, sentence))

    def _saying(self, kind: Any, body: Any) -> SpokenOutcome:
        return SpokenOutcome(
            kind, as_text(body), body if self.axes.structured else None, in_band=self._refusals.in_band
        )


_CHANGED = frozenset({"changed", "deleted", "more"})
"""What an answer says of a change beside the ids of what was made."""
_OTHER_SHAPE = (LookupError, TypeError, AttributeError, ValueError, RecursionError)
"""What is raised where a value is not what it was described as."""


MOST_TOOLS, MOST_RECORDS, LONGEST_NAME = 200, 200, 200
"""Tools and kinds of records of an environment that has dialects, and letters of a name of either; the library's have 22, 8
and 44 at most. What a dialect is made of may come from a stranger's card."""


def _check_size(environment: Environment) -> None:
    """WorldError for a card of which a dialect would be long in the making."""
    records = () if environment.answers is None else environment.answers.records
    why = ""
    if len(environment.tools) > MOST_TOOLS:
        why = f"it has more than {MOST_TOOLS} tools"
    elif len(records) > MOST_RECORDS:
        why = f"it names more than {MOST_RECORDS} kinds of records"
    elif any(len(name) > LONGEST_NAME for name in (*records, *(tool.name for tool in environment.tools))):
        why = f"a tool or kind of record has a name of more than {LONGEST_NAME} letters"
    if why:
        raise WorldError(f"{environment.id!r} has no dialects: {why}.")


def _speech_of(environment: Environment, axes: Axes, name: DialectName, key: str) -> Speech:
    def number(purpose: str) -> int:
        return drawn_number(environment.id, name, purpose)

    names = Names(environment, axes)
    arguments = {argument for tool in environment.tools for argument in tool.input_schema.get("properties", {})}
    return Speech(
        axes,
        names,
        IdSpelling(key, axes.ids, id_prefixes(environment)),
        ChoiceSpelling(axes.choices, _choices_of(environment), choice_start(number("choices"))),
        Pages(axes, key, number("paging"), {*map(names.key, arguments), *map(names.plain_key, arguments)}),
    )


def _choices_of(environment: Environment) -> set[str]:
    """Every value of an enumeration that a card tells of."""
    answers = environment.answers
    shapes = [] if answers is None else [*answers.records.values(), *answers.data.values()]
    values = {value for shape in shapes for options in _OPTIONS.findall(shape) for value in options.split("|")}
    for tool in environment.tools:
        values |= set(_enums(tool.input_schema))
    return values


_OPTIONS = re.compile(r"=([\w|.-]+)")


def _enums(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [value for inner in schema for value in _enums(inner)]
    if not isinstance(schema, dict):
        return []
    own = [value for value in schema.get("enum", ()) if isinstance(value, str)]
    return own + [value for name, inner in schema.items() if name != "enum" for value in _enums(inner)]


_NATIVE_SENTENCES = re.compile(
    r" ?(?:Records are named by their ids in calls; ids come from lists and look-ups\.|Dates are written YYYY-MM-DD[^.]{0,200}\.)"
)


def _introduction(text: str) -> str:
    """What an agent is told first, without what holds for the native interface alone."""
    return f"{_NATIVE_SENTENCES.sub('', text)} Ids come from lists and look-ups.".strip()
