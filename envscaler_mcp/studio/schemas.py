"""What a farm answers beside worlds and their states, so that a page, or a program, can show and play them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envscaler_mcp.artifacts.scenario import Level, Split
from envscaler_mcp.serving.control.schemas import (
    ENVIRONMENTS,
    FARM_OPERATIONS,
    MOST_SEED,
    PREFIX,
    ControlOperation,
    JsonBody,
)

CATALOGUE = "/v1/catalogue"

PlayedBy = Literal["oracle", "random", "model"]
Author = Literal["person", "agent", "oracle", "random", "model"]
"""Who made a call: the owner, an agent over MCP, or one that the owner had the farm play."""


class Listed(JsonBody):
    """An environment as a gallery shows it."""

    id: str
    title: str
    about: str
    sector: str
    tools: int
    tasks: int
    benchmark: bool = False
    """Whether it is a benchmark of other authors. It is opened, and its tasks are counted, when it is first asked for."""


class CatalogueAnswer(JsonBody):
    """The environments that fit a search, best first; all of them, by title, where nothing is searched."""

    environments: tuple[Listed, ...]


class TaskCard(JsonBody):
    """A task without its solution."""

    id: str
    level: Level
    split: Split
    task: str
    checks: tuple[str, ...]
    steps: int
    """How many calls its solution has."""
    category: str = ""
    """The part of a benchmark that it belongs to."""
    turns: int = 0
    """How often the user of a benchmark's task speaks."""


class TaskWordsList(JsonBody):
    """The tasks of an environment."""

    tasks: tuple[TaskCard, ...]


class HostLine(JsonBody):
    """How one host program is told of a world."""

    client: str
    command: str
    """What a person types."""
    document: str
    """What the host's file says."""
    link: str = ""
    """An address that makes the host install it, for hosts that have one."""


class ConnectAnswer(JsonBody):
    """A fresh guest link, and what hosts are told of it."""

    url: str
    hosts: tuple[HostLine, ...]


class CallOrder(JsonBody):
    """A call that the owner makes."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class RecordedCall(JsonBody):
    """One recorded call. What is too long is the beginning of its JSON as text, and `shortened` names its length."""

    number: int
    by: Author
    tool: str
    arguments: Any
    kind: str
    result: Any
    diff: Any
    shortened: dict[str, int] = Field(default_factory=dict)
    rule: int | None = None
    """Which rule of the environment refused it, counted from 1."""
    condition: str = ""
    """Which condition of the tool refused it, as its blueprint has it."""
    undoable: bool = False
    """Whether the world can go back to before it."""


class TimelineAnswer(JsonBody):
    """The calls of a world since its recording began."""

    recording: bool
    steps: tuple[RecordedCall, ...]
    dropped: int = 0
    """How many older calls are not held any more."""
    parent: str = ""
    """The world that this one was forked from."""
    forked_after: int = 0
    """After which of the parent's calls that was."""
    earliest: int = 0
    """The earliest call after which this world can be again; of a fork, that at which it began."""


class UndoOrder(JsonBody):
    """Go back to the moment after this call; 0 is the start of the recording."""

    after: int = Field(ge=0, le=MOST_SEED)


class PlayOrder(JsonBody):
    """Let an agent make its next call."""

    agent: PlayedBy


class PlayAnswer(JsonBody):
    """What the agent did: a call, or a last word."""

    ended: bool
    says: str = ""
    step: RecordedCall | None = None


class AgentsAnswer(JsonBody):
    """Which agents play in this studio."""

    agents: tuple[PlayedBy, ...]
    model: str = ""
    """The model's name, where one plays."""


class CheckLamp(JsonBody):
    """One check in words, and whether it holds now."""

    words: str
    holds: bool


_LONGEST_WORDS = 100_000
PlayedUser = Literal["person", "model", "scripted"]


class SayOrder(JsonBody):
    """Something that is said at a benchmark's task whose user answers."""

    text: str | None = Field(default=None, max_length=_LONGEST_WORDS)
    """What the agent says; None where the user begins."""
    reply: str | None = Field(default=None, max_length=_LONGEST_WORDS)
    """What the user says to it, where the person in front of the page plays the user."""


class SaidAnswer(JsonBody):
    """Something that was said, and what the user has answered."""

    after: int
    """Calls that the world had answered before."""
    text: str | None
    """What the agent said; None where the user has begun."""
    reply: str


class OfficialWords(JsonBody):
    """A task of a benchmark in the words of its authors."""

    category: str
    turns: tuple[str, ...]
    """What is said in each turn; or, where a model plays the user, what that one wants."""
    begun: int
    """The turn that was begun last, counted from 0."""
    talks: bool
    """Whether a model plays the user."""
    user: PlayedUser = "person"
    """Who plays the user here, where one answers."""
    conversation: tuple[SaidAnswer, ...] = ()
    over: bool = False
    """Whether the conversation has ended."""
    system: str = ""
    """What the authors tell an agent first."""


class ChecksAnswer(JsonBody):
    """The task of a world, and how far it is done; without a task only `task` is said, as null.

    At a benchmark's task `official` is said, and nothing of how far it is done: `judge` says that.
    """

    task: str | None
    id: str = ""
    level: str = ""
    checks: tuple[CheckLamp, ...] = ()
    frame_violations: tuple[str, ...] = ()
    reward: float = 0.0
    solved: bool = False
    steps: int = 0
    """How many calls the solution has."""
    next_step: int = 0
    """How many of them the oracle has made here."""
    official: OfficialWords | None = None


class Column(JsonBody):
    """One field of the records of a table."""

    name: str
    title: str
    type: Literal["record", "records", "choice", "yes_no", "number", "date", "minute", "text", "other"]
    refers: str = ""
    """The table whose records it names."""


class RecordTable(JsonBody):
    """The records of one kind."""

    name: str
    title: str
    noun: str
    label: str
    """The field that people call them by; nothing where they have none."""
    columns: tuple[Column, ...]
    records: dict[str, dict[str, Any]]
    labels: dict[str, str]
    """What each is called."""
    total: int
    """How many there are; the answer has the first of them."""


class TablesAnswer(JsonBody):
    """The state as tables."""

    now: str | None
    tables: tuple[RecordTable, ...]
    scalars: dict[str, Any]


class Entry(JsonBody):
    """One argument of a tool, as a form asks for it."""

    name: str
    title: str
    type: Literal["record", "records", "choice", "yes_no", "number", "date", "minute", "time", "text", "json"]
    required: bool
    about: str
    options: tuple[str, ...] = ()
    refers: str = ""
    least: float | None = None
    most: float | None = None
    default: Any = None


class Form(JsonBody):
    """A tool as a form."""

    tool: str
    title: str
    about: str
    effect: Literal["reads", "writes"]
    fields: tuple[Entry, ...]


class FormsAnswer(JsonBody):
    """Every tool of a world."""

    rules: tuple[str, ...]
    introduction: str
    forms: tuple[Form, ...]


class SnippetsAnswer(JsonBody):
    """The same call, for other programs."""

    mcp: str
    curl: str
    python: str


class ShareAnswer(JsonBody):
    """An address that opens one page on this world, which may only look."""

    address: str
    seconds: int
    """How long it opens one."""
    qr: tuple[str, ...] = ()
    """The address as the rows of a QR code, `1` for dark."""


def _on_world(method: str, does: str, about: str, takes: Any, gives: Any) -> ControlOperation:
    return ControlOperation(method, f"{PREFIX}/{{name}}/{does}", does, about, takes, gives)


def _of_environment(does: str, about: str, gives: Any) -> ControlOperation:
    return ControlOperation("GET", f"{ENVIRONMENTS}/{{environment}}/{does}", does, about, None, gives)


_CATALOGUE = ControlOperation(
    "GET", CATALOGUE, "catalogue", "The environments; `?search=` names words.", None, CatalogueAnswer
)
_AGENTS = ControlOperation("GET", "/v1/agents", "agents", "Which agents the farm plays.", None, AgentsAnswer)
_TASKS = _of_environment("tasks", "Its tasks without their solutions.", TaskWordsList)
_TABLES = _on_world("GET", "tables", "The state as tables with labels.", None, TablesAnswer)
_FORMS = _on_world("GET", "forms", "The tools as forms, and the rules.", None, FormsAnswer)
_TIMELINE = _on_world("GET", "timeline", "The recorded calls.", None, TimelineAnswer)
_CHECKS = _on_world("GET", "checks", "The task, and which of its checks hold now.", None, ChecksAnswer)
STUDIO_OPERATIONS = (
    *FARM_OPERATIONS,
    _CATALOGUE,
    _AGENTS,
    _TASKS,
    _of_environment("connect", "A fresh guest link, and what hosts are told of it.", ConnectAnswer),
    _TABLES,
    _FORMS,
    _TIMELINE,
    _on_world("POST", "record", "Record the calls from now on.", None, TimelineAnswer),
    _on_world("POST", "call", "Call a tool.", CallOrder, RecordedCall),
    _on_world("POST", "undo", "Go back to the moment after a recorded call.", UndoOrder, TimelineAnswer),
    _on_world("POST", "say", "At a benchmark's task whose user answers: say something.", SayOrder, SaidAnswer),
    _on_world("POST", "play", "Let an agent make its next call.", PlayOrder, PlayAnswer),
    _CHECKS,
    _on_world("POST", "share", "An address for one reader of this world.", None, ShareAnswer),
    _on_world("POST", "snippets", "A call as MCP, curl and Python.", CallOrder, SnippetsAnswer),
)
"""What the farm answers to owners, and to pages of owners."""
_READABLE = ("list", "card", "diff", "changes", "hash", "state", "events", "environments", "environment")
READER_OPERATIONS = (
    *(operation for operation in FARM_OPERATIONS if operation.does in _READABLE),
    _CATALOGUE,
    _AGENTS,
    _TASKS,
    _TABLES,
    _FORMS,
    _TIMELINE,
    _CHECKS,
)
"""What it answers to pages of readers."""
