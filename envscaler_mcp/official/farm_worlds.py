"""The worlds of a benchmark in a farm: each is a fork of official code, which the farm holds like any other worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import anyio

from envscaler_mcp.artifacts import Environment, Scenario, Step, Tool
from envscaler_mcp.artifacts.run import Isolation
from envscaler_mcp.episode.model_player import ModelPlayer
from envscaler_mcp.episode.transcript import is_last
from envscaler_mcp.episode.user import User, UserWorld
from envscaler_mcp.errors import Reason, WorkerEndedError, WorldError
from envscaler_mcp.farm.benchmark_session import BenchmarkSession, Judging, OfficialTaskCard, OfficialTasks, Said
from envscaler_mcp.farm.environments import BenchmarkOpener, FarmEnvironment, Start
from envscaler_mcp.farm.static_results import NO_TASKS, FixedAnswers, OfferedTasks
from envscaler_mcp.official.benchmark import BENCHMARKS, OfficialTask
from envscaler_mcp.official.host import CALL_SECONDS, OfficialProcess
from envscaler_mcp.official.stage import OFFICIAL, Stage, official_scenario
from envscaler_mcp.official.world import listing
from envscaler_mcp.sandbox.pending import Pending
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.serving.control.schemas import Judgement, Move
from envscaler_mcp.serving.outcome import Outcome
from envscaler_mcp.serving.session import Session
from envscaler_mcp.serving.suggestion import did_you_mean, quote_value
from envscaler_mcp.serving.tasks import Offer
from envscaler_mcp.settings import portable_allowed
from envscaler_mcp.studio.reasons import RefusalReasons

_REPLIES, _LETTERS = 100, 8_000
"""Of a conversation that pages are shown, and of one text in it; a judge is told all of it."""
Played = tuple[list[Step], str]
"""Steps, and the digest of the state in which they have ended."""


def opens_benchmark(name: str) -> BenchmarkOpener:
    """What opens a benchmark in the process of a farm that is first asked for it."""

    # Whether unconfined code may run is asked when a world is opened, which knows the farm's isolation.
    def open_() -> FarmEnvironment:
        with ExitStack() as stack:
            stage = stack.enter_context(Stage.of(BENCHMARKS[name], portable=True))
            return BenchmarkEnvironment(stage, stack.pop_all().close)

    return BenchmarkOpener(BENCHMARKS[name].title, open_)


class BenchmarkEnvironment(OfficialTasks):
    """A benchmark, as a farm holds an environment."""

    runs_here = False

    def __init__(self, stage: Stage, close: Callable[[], None] = lambda: None) -> None:
        """`close` is done when the farm ends."""
        benchmark = stage.benchmark
        self.card = Environment(
            id=benchmark.name,
            title=benchmark.title,
            about=f"{benchmark.title} ({benchmark.requirement.version})",
            sector="benchmark",
            version=benchmark.requirement.version,
            origin="written",
            class_name="",
            introduction="",
            rules=(),
            tools=(),
            states=(OFFICIAL,),
            code_digest=stage.source.digest,
        )
        self.fixed = FixedAnswers(self.card, ())
        self.tasks = stage.tasks
        self._stage = stage
        self._close = close

    @property
    def memory(self) -> int:
        """Bytes that the host of its code holds."""
        return self._stage.host.memory

    @property
    def usable(self) -> bool:
        """Whether the host of its code is there."""
        return self._stage.host.alive

    async def read_tasks(self) -> None:
        """They were read when it was opened."""

    def offered(
        self,
        scenario: str | None = None,  # noqa: ARG002
        state: str | None = None,  # noqa: ARG002
        offer: Offer | None = None,  # noqa: ARG002
    ) -> OfferedTasks:
        """None: its users say what they want."""
        return NO_TASKS

    async def scenarios(self) -> tuple[Scenario, ...]:
        """Its tasks, with the authors' solutions."""
        return tuple(official_scenario(self._stage.benchmark, self._stage.source, task) for task in self.tasks.values())

    def cards(self) -> tuple[OfficialTaskCard, ...]:
        """Its tasks, for people."""
        return tuple(task_card(self._stage, task) for task in self.tasks.values())

    async def reasons(self) -> RefusalReasons:
        """Unknown: they stand in the authors' code."""
        return RefusalReasons(())

    async def opening(
        self,
        start: Start,
        isolation: Isolation,
        limiter: anyio.CapacityLimiter,  # noqa: ARG002
    ) -> Callable[[], Session]:
        """What opens a session at a task."""
        if start.task is not None or start.state is not None or start.seed is not None:
            raise WorldError(
                "A world of a benchmark begins at one of its tasks, which is named as its scenario, alone."
            )
        task = self.tasks.get(start.scenario or "")
        if task is None:
            near = did_you_mean(start.scenario or "", self.tasks)
            raise WorldError(f"{self.card.id} has no task {quote_value(start.scenario)}{near}")
        if not (self._stage.host.confined or isolation == "portable" or portable_allowed()):
            raise WorldError("The kernel cannot confine official code here; run the farm with --isolation portable.")
        return partial(TaskSession, self._stage, self.card, task)

    def close(self) -> None:
        """End the host of its code."""
        self._close()


class TaskSession(BenchmarkSession):
    """A task that is being played."""

    def __init__(self, stage: Stage, card: Environment, task: OfficialTask) -> None:
        """A fork opens it, and ends with it."""
        self._process = process = stage.host.fork()
        self._stage, self._task = stage, task
        self.task_card = task_card(stage, task)
        try:
            process.open(task.content)
            self._card = card
            self._list(process.answer("tools", 0))
        except BaseException:
            process.close()
            raise
        scenario = official_scenario(stage.benchmark, stage.source, task)
        super().__init__(_TaskWorld(card, process), scenario, _judge, {})

    def _list(self, definitions: Sequence[Mapping[str, Any]]) -> None:
        self.fixed = FixedAnswers(self._card, [listing(definition) for definition in definitions])
        self.tools = tuple(
            Tool(
                name=definition["name"],
                description=definition.get("description", ""),
                effect="writes",
                input_schema=definition["parameters"],
            )
            for definition in definitions
        )

    def turn(self, number: int) -> None:
        """Begin a turn: from here on its tools are listed."""
        self._list(self._process.answer("tools", number))
        self.begun = number

    def view(self) -> dict[str, Any]:
        """What the authors' objects hold."""
        shown: dict[str, Any] = self._process.answer("view")
        return shown

    def user(self, strategy: str, text: str | None, answers: Sequence[str]) -> dict[str, Any]:
        """What the authors' user says to a text, or says first; or what their model has to be asked before that."""
        benchmark = self._stage.benchmark
        if not benchmark.needs_user_model:
            raise WorldError(f"No model plays the user of {benchmark.name}; what is said stands in the task.")
        if strategy not in ("", *benchmark.user_strategies):
            raise WorldError(
                f"There is no strategy {quote_value(strategy)}{did_you_mean(strategy, benchmark.user_strategies)}"
            )
        chosen = strategy or next(iter(benchmark.user_strategies), "")
        answer: dict[str, Any] = self._process.answer("user", chosen, text, list(answers))
        if "said" in answer:
            self._add(text, str(answer["said"]))
        return answer

    def make_user(self, world: UserWorld, player: ModelPlayer | None) -> User:
        """The official user with this model, or the benchmark's script."""
        return self._stage.benchmark.user(self._task, world, player, 0)

    def note(self, text: str | None, reply: str) -> None:
        """What was said and answered without official code, which may end the conversation all the same."""
        self._process.answer("note", text, reply)
        self._add(text, reply)

    def _add(self, text: str | None, reply: str) -> None:
        log = self._log()
        calls = sum("tool" in entry for entry in log)
        said = Said(calls, None if text is None else text[:_LETTERS], reply[:_LETTERS])
        self.conversation = (*self.conversation, said)[-_REPLIES:]
        self.replies += 1
        self._end_after(log)

    def is_over(self) -> bool:
        """Whether the conversation has ended, by a call or by words."""
        self._end_after(self._log())
        return self.over

    def _end_after(self, log: Sequence[Mapping[str, Any]]) -> None:
        steps = list(steps_of_log(log))
        if steps:
            by_rule = self._stage.benchmark.rules(self._task).ending(steps) is not None
            self.over = self.over or by_rule or is_last(steps[-1], "conversation")

    def _log(self) -> list[dict[str, Any]]:
        log: list[dict[str, Any]] = self._process.answer("log")
        return log

    def played(self, moves: Sequence[Move] | None) -> Played:
        """The steps that the world has answered, and its digest."""
        log = self._log()
        steps = steps_of_log(log) if moves is None else steps_of_moves(log, moves)
        return [step.model_copy(update={"number": number}) for number, step in enumerate(steps, 1)], str(
            self._process.answer("digest")
        )

    def judging(self) -> Judging:
        """A judge for it."""
        return _Judging(self._stage, self._task)


class _Judging(Judging):
    """A fork that is asked once."""

    def __init__(self, stage: Stage, task: OfficialTask) -> None:
        self._stage, self._task = stage, task
        self._process: OfficialProcess | None = None
        self._why = ""
        self._lock = threading.Lock()

    def judgement(self, played: Played) -> Judgement:
        """The verdict on what was played."""
        with self._stage.host.fork() as process:
            with self._lock:
                self._process = process
                self._doom()
            try:
                return self._stage.judgement_by(process, self._task, *played)
            finally:
                with self._lock:
                    self._process = None

    def weigh(self) -> None:
        """Know how many bytes it holds for itself now."""
        process = self._process
        self.memory = 0 if process is None else process.own_memory

    def end(self, reason: Reason, why: str) -> None:
        """End it."""
        with self._lock:
            self.ended, self._why = reason, why
            self._doom()

    def _doom(self) -> None:
        if self.ended is not None and self._process is not None:
            self._process.doom(self.ended, self._why)


class _TaskWorld(WorkerWorld):
    """The world of a task: it is called, and closed."""

    def __init__(self, card: Environment, process: OfficialProcess) -> None:
        self._card, self.line = card, process

    @property
    def environment(self) -> Environment:
        """What is known about the environment without running it."""
        return self._card

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Outcome:
        """The official answer."""
        return self.outcome(self.line.ask("call", CALL_SECONDS, given=[tool, dict(arguments)], key=key))

    def begin(self, tool: str, arguments: Mapping[str, Any], key: str | None = None) -> Pending:
        """The same call, whose answer is waited for by the event loop."""
        return self.line.begin("call", CALL_SECONDS, given=[tool, dict(arguments)], key=key)

    def outcome(self, answer: Mapping[str, Any]) -> Outcome:
        """The official answer, letter by letter."""
        match answer.get("answer"):
            case [str(text), bool(is_error)]:
                return OfficialOutcome("refused" if is_error else "done", text)
        raise self.line.reject("call: an answer that is no outcome")


class OfficialOutcome(Outcome):
    """A text, and nothing that a schema describes."""

    __slots__ = ()

    @property
    def wire(self) -> str:
        """Nothing."""
        return ""


def task_card(stage: Stage, task: OfficialTask) -> OfficialTaskCard:
    """A task for people."""
    return OfficialTaskCard(
        id=task.id,
        category=task.category,
        turns=task.turns or task.texts,
        talks=stage.benchmark.needs_user_model and not task.no_user,
        calls=sum(len(step) for turn in task.reference for step in turn),
        system=task.system,
    )


def _judge(*_given: Any) -> Any:
    raise WorkerEndedError("crash", "A benchmark is judged by its authors' code.")


def steps_of_log(log: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    """Each call is a move, and so is what was said."""
    for turn, entry in enumerate(log, 1):
        if "tool" in entry:
            yield Step(number=0, turn=turn, **entry)
        else:
            yield Step(number=0, turn=turn, text=entry.get("text", ""), observation=entry.get("observation", ""))
    if log and "turn" in log[-1]:
        # A turn without calls ends with words, too.
        yield Step(number=0, turn=len(log) + 1)


def steps_of_moves(log: Sequence[Mapping[str, Any]], moves: Sequence[Move]) -> Iterator[Step]:
    """The calls of each move as they were answered, and what was said."""
    answered = [entry for entry in log if "tool" in entry]
    named = sum(move.calls for move in moves)
    if named != len(answered):
        raise WorldError(f"The moves have {named} calls, and this world has answered {len(answered)}.")
    calls = iter(answered)
    for turn, move in enumerate(moves, 1):
        if not move.calls:
            yield Step(number=0, turn=turn, text=move.text, observation=move.reply, malformed=move.malformed)
        for place in range(move.calls):
            yield Step(number=0, turn=turn, text=move.text if place == 0 else "", **next(calls))
