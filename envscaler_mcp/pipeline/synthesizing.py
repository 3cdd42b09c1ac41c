"""The order in which raw tasks become environments that a model wrote, each through the gates of all environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from envscaler_mcp.artifacts import Topic
from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.errors import EnvScalerError, TopicError, ungrouped
from envscaler_mcp.llm import Author, BudgetSpentError, UnusableError
from envscaler_mcp.pipeline.admitting import Admitted, admitted_blueprint, admitted_class
from envscaler_mcp.synthesis.topics.asked import judge_tasks, name_topic
from envscaler_mcp.synthesis.topics.grouping import grouped_topics
from envscaler_mcp.synthesis.topics.mining import RawTask, TopicGroup, mine
from envscaler_mcp.synthesis.topics.selection import LeftOut, select_topics
from envscaler_mcp.synthesis.topics.vectors import Weights


@dataclass(frozen=True, slots=True)
class SynthesisStep:
    """Something that was done: for which environment, what, and how it came out."""

    topic: str
    stage: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A topic of which no environment came, and why."""

    topic: Topic
    reason: str


@dataclass(slots=True)
class Synthesis:
    """What became of the tasks."""

    tasks: int
    relevant: int = 0
    """How many tasks need records."""
    groups: int = 0
    left_out: tuple[LeftOut, ...] = ()
    admitted: list[Admitted] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    stopped: str = ""
    """Why it ended before its end; what is admitted until then stays."""


async def synthesize_environments(
    author: Author,
    tasks: Sequence[RawTask],
    there: Mapping[str, str],
    wanted: SynthesisConfig,
    example: str,
    free: Callable[[str], None],
    keep: Callable[[Admitted], None],
    synthesis: Synthesis,
    on: Callable[[SynthesisStep], None] = lambda _: None,
) -> None:
    """Topics of the tasks, and an environment of each that was chosen; one that fails does not stop the others.

    `there` are the environments there are, by id, in their own words; `free` raises where none of an id can be written,
    before it is paid for; `keep` is handed each new one as it is admitted; `found` hears what became of the tasks, also
    where it ends with an error.
    """
    try:
        topics = await _topics(author, tasks, there, wanted, synthesis, on)
        vectors = await _vectors(author, topics, wanted.embeddings)
        selection = select_topics(topics, wanted.environments, there, vectors)
        synthesis.left_out = selection.left_out
        limiter = anyio.CapacityLimiter(wanted.at_once)

        async def write(topic: Topic) -> None:
            async with limiter:
                try:
                    free(topic.id)
                    admitted = await _written(author, topic, wanted, example, on)
                    keep(admitted)
                    synthesis.admitted.append(admitted)
                    on(SynthesisStep(topic.id, "admitted", admitted.built.environment.title))
                except EnvScalerError as error:
                    synthesis.failed.append(Failed(topic, str(error)))
                    on(SynthesisStep(topic.id, "failed", synthesis.failed[-1].reason))

        with ungrouped():
            async with anyio.create_task_group() as group:
                for topic in selection.chosen:
                    group.start_soon(write, topic)
    except BudgetSpentError as spent:
        synthesis.stopped = str(spent)
    except EnvScalerError as error:
        synthesis.stopped = str(error)
        raise
    finally:
        synthesis.admitted.sort(key=lambda outcome: outcome.built.environment.id)
        synthesis.failed.sort(key=lambda outcome: outcome.topic.id)


async def _topics(
    author: Author,
    tasks: Sequence[RawTask],
    there: Mapping[str, str],
    wanted: SynthesisConfig,
    synthesis: Synthesis,
    on: Callable[[SynthesisStep], None],
) -> list[Topic]:
    """What the tasks that need records are about."""
    relevant = await _kept(author, tasks, wanted, on)
    synthesis.relevant = len(relevant)
    if not relevant:
        which = "the task does not need" if len(tasks) == 1 else f"none of the {len(tasks)} tasks needs"
        raise TopicError(f"{which} a system with records")
    groups = _groups(relevant)
    synthesis.groups = len(groups)
    titles = {name: text.partition("\n")[0][:80] for name, text in there.items()}
    return await _named(author, groups, titles, on)


async def _kept(
    author: Author, tasks: Sequence[RawTask], wanted: SynthesisConfig, on: Callable[[SynthesisStep], None]
) -> list[RawTask]:
    if wanted.judge == "local":
        findings = mine(tasks, {}).findings
        return [task for task, finding in zip(tasks, findings, strict=True) if finding.stateful]
    verdicts = await judge_tasks(author, tasks, lambda many: on(SynthesisStep("", "tasks", str(many))))
    return [task for task, verdict in zip(tasks, verdicts, strict=True) if verdict.stateful]


def _groups(relevant: Sequence[RawTask]) -> list[TopicGroup]:
    weights = Weights([task.text for task in relevant])
    groups = grouped_topics([weights.vector(task.text) for task in relevant])
    return [TopicGroup(group.words, tuple(relevant[place] for place in group.members), ()) for group in groups]


async def _named(
    author: Author, groups: Sequence[TopicGroup], titles: Mapping[str, str], on: Callable[[SynthesisStep], None]
) -> list[Topic]:
    topics: dict[int, Topic] = {}

    async def name(number: int, group: TopicGroup) -> None:
        try:
            topics[number] = await name_topic(author, group, titles)
            on(SynthesisStep(topics[number].id, "topic", topics[number].title))
        except UnusableError as error:
            on(SynthesisStep("", "topic", str(error)))

    with ungrouped():
        async with anyio.create_task_group() as tasks:
            for number, group in enumerate(groups):
                tasks.start_soon(name, number, group)
    return [topics[number] for number in sorted(topics)]


async def _vectors(author: Author, topics: Sequence[Topic], model: str) -> dict[str, list[float]] | None:
    if not model:
        return None
    vectors: dict[str, list[float]] = {}

    async def embed(topic: Topic) -> None:
        vectors[topic.id] = await author.vector(model, topic.text)

    with ungrouped():
        async with anyio.create_task_group() as group:
            for topic in topics:
                group.start_soon(embed, topic)
    return vectors


async def _written(
    author: Author, topic: Topic, wanted: SynthesisConfig, example: str, on: Callable[[SynthesisStep], None]
) -> Admitted:
    def tell(stage: str, said: str = "") -> None:
        on(SynthesisStep(topic.id, stage, said))

    if wanted.style == "blueprint":
        return await admitted_blueprint(author, topic, example, wanted, tell)
    return await admitted_class(author, topic, wanted, tell)
