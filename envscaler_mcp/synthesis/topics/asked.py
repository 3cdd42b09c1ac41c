"""What a model says of raw tasks: which of them need records, and which line of work they belong to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import anyio
from pydantic import BaseModel, Field

from envscaler_mcp.artifacts import Topic
from envscaler_mcp.errors import ungrouped
from envscaler_mcp.llm import Author, MisfitError, UnusableError, bullets
from envscaler_mcp.synthesis.topics.mining import RawTask, TopicGroup

_AT_ONCE = 12
"""How many tasks are sorted in one answer."""
_EXAMPLES = 6
"""How many tasks of a group a topic is inferred from."""


class TaskVerdict(BaseModel):
    """Whether one task needs a system with records."""

    number: int
    reason: str
    stateful: bool


class _Verdicts(BaseModel):
    verdicts: list[TaskVerdict] = Field(description="One for each request, in their order.")


class _Named(BaseModel):
    analysis: str = Field(description="In two sentences: who does this all day, and what do they keep?")
    id: str
    title: str
    introduction: str
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10)


async def judge_tasks(
    author: Author, tasks: Sequence[RawTask], progress: Callable[[int], None] = lambda _: None
) -> list[TaskVerdict]:
    """A verdict on each task, in their order; what the model cannot sort is not stateful."""
    verdicts: dict[int, TaskVerdict] = {}

    async def judge(numbers: range) -> None:
        listed = "\n".join(f"{number}. {_one_line(tasks[number - 1].text)}" for number in numbers)

        def check(answer: _Verdicts) -> None:
            missing = set(numbers) - {verdict.number for verdict in answer.verdicts}
            if missing:
                raise MisfitError(f"There is no verdict on request {', '.join(map(str, sorted(missing)))}.")

        try:
            answer = await author.ask("judge_tasks", _Verdicts, check, tasks=listed)
            verdicts.update({verdict.number: verdict for verdict in answer.verdicts if verdict.number in numbers})
        except UnusableError as error:
            verdicts.update({n: TaskVerdict(number=n, reason=str(error), stateful=False) for n in numbers})
        progress(len(numbers))

    with ungrouped():
        async with anyio.create_task_group() as group:
            for first in range(1, len(tasks) + 1, _AT_ONCE):
                group.start_soon(judge, range(first, min(first + _AT_ONCE, len(tasks) + 1)))
    return [verdicts[number] for number in range(1, len(tasks) + 1)]


async def name_topic(author: Author, group: TopicGroup, others: Mapping[str, str]) -> Topic:
    """The line of work that a group of tasks belongs to; `others` are the titles of those there are already, by id."""
    tasks = tuple(task.text for task in group.tasks[:_EXAMPLES])
    provenance = author.provenance("name_topic")

    def topic(named: _Named) -> Topic:
        return Topic(provenance=provenance, tasks=tasks, **named.model_dump(exclude={"analysis"}))

    listed = bullets(map(_one_line, tasks))
    known = bullets(f"{name}: {title}" for name, title in sorted(others.items()))
    return topic(await author.ask("name_topic", _Named, topic, tasks=listed, others=known))


def _one_line(text: str) -> str:
    return " ".join(text.split())
