"""Answers that many may ask for at once: while one is being made, all who ask share the next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(eq=False)
class _Making:
    """An answer on its way."""

    task: asyncio.Task[Any]
    begun: bool = False
    """From here on it may be older than a question."""
    giving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Those who share it go on one after the other, each in a turn of the loop of their own: what each then writes may be long."""


class SharedAnswers:
    """For each key one answer is made at a time, and no answer is older than the question for it."""

    def __init__(self) -> None:
        self._latest: dict[Hashable, _Making] = {}

    async def answer(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """What is made for that key, which begins after this was asked for; who gives up ends it for no other."""
        making = self._latest.get(key)
        if making is None or making.begun:
            making = self._latest[key] = self._made_after(None if making is None else making.task, key, make)
        answer: T = await asyncio.shield(making.task)
        async with making.giving:
            await asyncio.sleep(0)
        return answer

    def _made_after(self, before: asyncio.Task[Any] | None, key: Hashable, make: Callable[[], Awaitable[T]]) -> _Making:
        async def made() -> T:
            try:
                if before is not None:
                    await asyncio.wait([before])
                making.begun = True
                return await make()
            finally:
                if self._latest.get(key) is making:
                    del self._latest[key]

        making = _Making(asyncio.get_running_loop().create_task(made()))
        # Where all who asked have left, no one is left to handle its error.
        making.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        return making
