"""Fresh tasks: any number of them by seed, made in the worlds of a home, one after the other or into a file.

A stream goes from start state to start state; each is grown from a seed of its own and gives a batch of tasks. What a
batch holds follows from the stream's seed and the number of the state alone, on any number of workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from pathlib import Path

from envscaler_mcp.artifacts import FreshTask, Level, ProofExtent, Provenance, Split, State, TaskStream, digest_of
from envscaler_mcp.artifacts.fresh_task import StreamedWorld, TaskBatch
from envscaler_mcp.artifacts.members import has_member
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.pipeline.building import level_of
from envscaler_mcp.processes.pool import process_pool
from envscaler_mcp.scenarios import grow
from envscaler_mcp.scenarios.fresh import FreshTaskMaker, casts_of, pattern_of
from envscaler_mcp.scenarios.splits import environment_split, state_seed
from envscaler_mcp.scoring.task_file import TaskFileWriter
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.serving.tasks import load_scenarios
from envscaler_mcp.synthesis import Synthesized, synthesize
from envscaler_mcp.trust import blueprint_beside, load_code
from envscaler_mcp.trust.blueprint import BLUEPRINT

BATCH = 16
"""Tasks of one start state: growing states and writing them takes time and room."""
_EMPTY = 3
"""Start states in a row that may give nothing before a world is given up."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class RegisteredFolder:
    """An environment of a home."""

    folder: Path
    registered: RegistryDigests | None = None


@dataclass(frozen=True, slots=True)
class MadeTasks:
    """What came of one environment of a stream."""

    environment: str
    wanted: int
    made: int
    """How many tasks the file holds."""
    siblings: int
    """How many of them have the pattern of an earlier one."""
    states: int
    """How many start states gave them."""
    missing: dict[str, str] = field(default_factory=dict)
    """By level, why start states gave no more; where there are fewer tasks than wanted, why."""


def fresh_tasks(
    folder: Path,
    *,
    level: Level | None = None,
    seed: int = 0,
    split: Split = "train",
    proof: ProofExtent = "whole",
    registered: RegistryDigests | None = None,
) -> Iterator[FreshTask]:
    """Tasks of the environment in a server folder, without end; equal seeds give equal tasks.

    GrowthError is raised at once where it cannot give such tasks, and later where its start states give no more.
    """
    place = RegisteredFolder(folder, registered)
    return _taken(place, stream_of([place], level=level, seed=seed, split=split, proof=proof))


def _taken(place: RegisteredFolder, stream: TaskStream) -> Iterator[FreshTask]:
    world = _World(place, stream)
    for number in count():
        yield from world.take(_batch(place, stream, number))
        if world.given_up:
            raise GrowthError(world.sentence)


def stream_of(
    places: Sequence[RegisteredFolder],
    *,
    level: Level | None = None,
    seed: int = 0,
    split: Split = "train",
    proof: ProofExtent = "whole",
) -> TaskStream:
    """A stream of these environments; refused where one of them may not or cannot give such tasks."""
    for place in places:
        name, own = place.folder.name, environment_split(place.folder.name)
        if own not in ("train", split):
            raise GrowthError(
                f"{name!r} is an environment of the split {own}: none of its tasks is for {split}; ask for --split {own}, or for another environment"
            )
    worlds = tuple(_streamed(place)[0] for place in places)
    return TaskStream(
        provenance=Provenance(seed=seed), seed=seed, level=level, split=split, extent=proof, worlds=worlds
    )


def make_tasks(
    places: Sequence[RegisteredFolder],
    stream: TaskStream,
    many: int,
    out: Path,
    workers: int = 1,
    progress: Progress = lambda *_: None,
) -> list[MadeTasks]:
    """Write `many` tasks of each environment into a file, those of several environments in turn.

    What the file holds already is not made again.
    """
    with TaskFileWriter.open(out, stream) as file:
        worlds = [
            _World(place, stream, many, file.batches.get(name := place.folder.name, ()), file.patterns.get(name, ()))
            for place in places
        ]
        total = many * len(worlds)
        progress("", sum(world.made for world in worlds), total)
        with closing(_in_turn(worlds, stream, workers)) as batches:
            for world, batch in batches:
                tasks = world.take(batch)
                file.append(tasks, world.last)
                progress(world.name, sum(world.made for world in worlds), total)
    return [world.report for world in worlds]


# One world of a stream


class _World:
    """What a stream has of one environment so far."""

    def __init__(
        self,
        place: RegisteredFolder,
        stream: TaskStream,
        wanted: int | None = None,
        batches: Sequence[TaskBatch] = (),
        patterns: Sequence[str] = (),
    ) -> None:
        self.place, self.stream, self.wanted = place, stream, wanted
        self.name = place.folder.name
        self.made = len(patterns)
        self.siblings = len(patterns) - len(set(patterns))
        self._patterns = Counter(patterns)
        self._contents: set[str] = set()
        self._empty = 0
        self.states = 0
        self.missing: dict[str, str] = {}
        self.number = self._skip = 0
        """The state to come, and how many of its tasks there are already."""
        self.last = TaskBatch(environment=self.name, number=0, made=0, written=0)
        for batch in batches:
            self._note(batch)

    @property
    def done(self) -> bool:
        """Whether nothing is wanted any more."""
        return self.given_up or (self.wanted is not None and self.made >= self.wanted)

    @property
    def given_up(self) -> bool:
        """Whether its start states give no more."""
        return self._empty >= _EMPTY

    @property
    def sentence(self) -> str:
        """Why it was given up."""
        reasons = "; ".join(f"{level}: {reason}" for level, reason in sorted(self.missing.items()))
        return f"{self.name} gave {self.made} tasks, and nothing at {_EMPTY} further start states ({reasons})"

    @property
    def report(self) -> MadeTasks:
        return MadeTasks(self.name, self.wanted or 0, self.made, self.siblings, self.states, dict(self.missing))

    def take(self, batch: _Batch) -> list[FreshTask]:
        """The tasks of a start state that are wanted, each with its number among its siblings."""
        if self._skip == 0 and batch.content in self._contents:
            batch = replace(batch, tasks=(), missing={"all": "the same start state came again"})
        room = len(batch.tasks) if self.wanted is None else max(self.wanted - self.made + self._skip, 0)
        tasks = [self._numbered(task) for task in batch.tasks[self._skip : room]]
        self._note(
            TaskBatch(
                environment=self.name,
                number=batch.number,
                content=batch.content,
                made=len(batch.tasks),
                written=self._skip + len(tasks),
                missing=batch.missing,
            )
        )
        self.made += len(tasks)
        return tasks

    def _numbered(self, task: FreshTask) -> FreshTask:
        sibling = self._patterns[task.pattern]
        self._patterns[task.pattern] += 1
        self.siblings += sibling > 0
        return task.model_copy(update={"sibling": sibling}) if sibling else task

    def _note(self, batch: TaskBatch) -> None:
        self.states += self._skip == 0 and batch.written > 0
        whole = batch.written >= batch.made
        self.number, self._skip = (batch.number + 1, 0) if whole else (batch.number, batch.written)
        if batch.content:
            self._contents.add(batch.content)
        self._empty = 0 if batch.made else self._empty + 1
        self.missing.update(batch.missing)
        self.last = batch


def _in_turn(worlds: Sequence[_World], stream: TaskStream, workers: int) -> Generator[tuple[_World, _Batch]]:
    """The batches that are wanted: of all worlds the first ones, then the second ones, on any number of workers."""
    if workers < 2:
        for world, number in _turns(worlds):
            yield world, _batch(world.place, stream, number)
        return
    waiting: dict[tuple[str, int], Future[_Batch]] = {}
    with process_pool(workers) as pool:
        for world, number in _turns(worlds):
            for other, later in _forecast(worlds, world, number, 2 * workers + 1):
                if (other.name, later) not in waiting:
                    waiting[other.name, later] = pool.submit(_batch, other.place, stream, later)
            yield world, waiting.pop((world.name, number)).result()


def _turns(worlds: Sequence[_World]) -> Iterator[tuple[_World, int]]:
    """Whose turn it is, and which of its states; what is taken decides whether a world comes again."""
    for number in count(min((world.number for world in worlds), default=0)):
        if all(world.done for world in worlds):
            return
        for world in worlds:
            if world.number == number and not world.done:
                yield world, number


def _forecast(worlds: Sequence[_World], world: _World, number: int, many: int) -> Iterator[tuple[_World, int]]:
    """The turn at hand and those that are likely to follow, if every state gives all that it can."""
    begin = next(place for place, other in enumerate(worlds) if other is world)
    yield world, number
    seen = 1
    for later in range(number, number + many + 1):
        for place, other in enumerate(worlds):
            if later == number and place <= begin:
                continue
            if later < other.number or other.done or seen >= many:
                continue
            assert other.wanted is not None
            if other.made + BATCH * (later - other.number) < other.wanted:
                seen += 1
                yield other, later


# One start state


@dataclass(frozen=True, slots=True)
class _Batch:
    """The tasks of one start state."""

    number: int
    content: str = ""
    """The digest of the state's content."""
    tasks: tuple[FreshTask, ...] = ()
    missing: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ground:
    """An environment of which tasks are made, read once in a process."""

    world: StreamedWorld
    made: Synthesized
    nursery: type
    code: EnvironmentCode
    shipped: frozenset[str]
    """Digests of the contents of the start states that ship."""
    reserved: frozenset[str]
    """The casts of tasks that ship and are not for training."""


def _batch(place: RegisteredFolder, stream: TaskStream, number: int) -> _Batch:
    """What the start state of that number gives."""
    ground = _ground(place)
    environment = ground.code.environment
    if not ground.made.speech.stories:
        return _Batch(number, missing={"all": "it tells no stories; write some under 'stories' in its blueprint"})
    seed = state_seed(environment.id, stream.seed, stream.split, number)
    try:
        content = grow(ground.made.model, ground.nursery, seed).content
    except GrowthError as reason:
        return _Batch(number, missing={"all": str(reason)})
    digest = digest_of(content)
    if digest in ground.shipped:
        return _Batch(number, digest, missing={"all": "it is a start state that ships"})
    state = State(
        provenance=Provenance(parents={"blueprint": ground.world.blueprint_digest}, seed=seed),
        environment=environment.id,
        name=f"fresh-{seed:x}",
        seed=seed,
        content=content,
    )
    reserved = ground.reserved if stream.split == "train" else frozenset()
    maker = FreshTaskMaker(
        ground.made.model,
        ground.made.speech,
        environment,
        ground.code,
        state,
        stream.split,
        stream.extent,
        reserved,
    )
    tasks: list[FreshTask] = []
    missing: dict[str, str] = {}
    for turn in range(1, BATCH + 1):
        level = stream.level or level_of(number * BATCH + turn)
        if level in missing:
            continue
        try:
            scenario = maker.scenario(state, level, turn)
        except GrowthError as reason:
            missing[level] = str(reason)
            continue
        tasks.append(
            FreshTask(
                provenance=Provenance(parents={"environment": ground.world.environment_digest}, seed=stream.seed),
                seed=stream.seed,
                environment_digest=ground.world.environment_digest,
                blueprint_digest=ground.world.blueprint_digest,
                pattern=pattern_of(scenario),
                scenario=scenario,
                start=state,
            )
        )
    return _Batch(number, digest, tuple(tasks), missing)


def _streamed(place: RegisteredFolder) -> tuple[StreamedWorld, EnvironmentCode]:
    """An environment of which tasks can be made here."""
    code = load_code(place.folder, place.registered)
    environment = code.environment
    if environment.blueprint_digest is None or not has_member(place.folder, BLUEPRINT):
        raise GrowthError(
            f"{environment.id!r} has no blueprint, and fresh tasks are made of the stories in one; `envscaler scenarios "
            f"{environment.id} --seed N` makes tasks at the start states that it has"
        )
    if not code.trusted:
        raise GrowthError(
            f"The code of {environment.id!r} is not what this installation compiles from the blueprint beside it, and only that "
            "may run here; make it again with `envscaler build`"
        )
    world = StreamedWorld(
        environment=environment.id,
        environment_digest=environment.digest,
        code_digest=environment.code_digest,
        blueprint_digest=environment.blueprint_digest,
    )
    return world, code


@lru_cache(maxsize=64)
def _ground(place: RegisteredFolder) -> _Ground:
    world, code = _streamed(place)
    folder, names = place.folder, code.environment.states
    made = synthesize(blueprint_beside(folder, code.environment), names)
    goals = [
        goal
        for scenario in load_scenarios(folder)
        if scenario.split != "train" and scenario.conversation is not None
        for goal in scenario.conversation.goals
    ]
    return _Ground(
        world=world,
        made=made,
        nursery=load_class(made.nursery_source, made.nursery_class),
        code=code,
        shipped=frozenset(digest_of(State.read_in(folder, f"states/{name}.json").content) for name in names),
        reserved=frozenset(casts_of(goals)),
    )
