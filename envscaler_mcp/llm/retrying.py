"""Asking again, as politely as the endpoint wishes, and never more at once than it bears."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import anyio

from envscaler_mcp.llm.chat import ChatModel, ChatRequest, ChatResponse, UnansweredError
from envscaler_mcp.llm.endpoint import Endpoint

_CHANCE = random.SystemRandom()
_FIRST_WAIT, _LONGEST_BACKOFF = 1.0, 60.0


class Clock(Protocol):
    """Of a caller that has a limited time."""

    def stop(self) -> None:
        """A question is out."""

    def go_on(self, lost: float) -> None:
        """It is answered, or will not be; so many seconds were lost with waiting for an endpoint that was busy or down."""


CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)
"""The caller's clock; a slow answer counts on it, pauses and retries before it do not."""


@contextmanager
def off_the_clock() -> Iterator[None]:
    """What is asked in the block takes nothing of the caller's time, however long it takes."""
    clock, began = CLOCK.get(), anyio.current_time()
    if clock is not None:
        clock.stop()
    try:
        yield
    finally:
        if clock is not None:
            clock.go_on(anyio.current_time() - began)


class Pauses:
    """What an endpoint asked for; all questions to it keep that, whichever of its models they are for."""

    def __init__(self, parallel: int) -> None:
        self.limiter = anyio.CapacityLimiter(parallel)
        self.not_before = 0.0
        """When the pause ends that it asked for."""


class PatientModel:
    """A model that is asked again where that may help."""

    def __init__(
        self,
        model: ChatModel,
        endpoint: Endpoint,
        pauses: Pauses | None = None,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self.model, self.endpoint = model, endpoint
        self._sleep = sleep
        self._pauses = pauses or Pauses(endpoint.parallel)

    async def answer(self, question: ChatRequest) -> ChatResponse:
        """The answer, after as many attempts as it takes and the endpoint allows."""
        clock, began, lost, suspect = CLOCK.get(), anyio.current_time(), 0.0, False
        if clock is not None:
            clock.stop()
        try:
            async with self._pauses.limiter:
                for attempt in range(1, self.endpoint.attempts + 1):
                    await self._pause()
                    lost = anyio.current_time() - began
                    try:
                        return await self.model.answer(question)
                    except UnansweredError as error:
                        lost = anyio.current_time() - began
                        # What broke down over a question may say while it starts again that it is busy.
                        suspect = error.suspect = suspect or error.suspect
                        await self._before_next(error, attempt, at_once=suspect and question.looked_into)
            raise AssertionError("the last attempt returns or raises")
        finally:
            if clock is not None:
                clock.go_on(lost)

    async def _before_next(self, error: UnansweredError, attempt: int, *, at_once: bool) -> None:
        if not error.transient:
            raise error
        if attempt == self.endpoint.attempts:
            raise UnansweredError(f"{error} (asked {attempt} times)", transient=True, suspect=error.suspect) from error
        if error.after is not None and error.after > self.endpoint.longest_wait:
            raise UnansweredError(
                f"{error}; it asks for a pause of {error.after:g} s. Go on later, or allow a longer wait",
                transient=True,
                suspect=error.suspect,
            ) from error
        if error.after is not None:
            self._pauses.not_before = max(self._pauses.not_before, anyio.current_time() + error.after)
        if at_once:
            raise error
        if error.after is None:
            backoff = min(_FIRST_WAIT * 2 ** (attempt - 1), _LONGEST_BACKOFF)
            await self._sleep(backoff * _CHANCE.uniform(0.5, 1.0))

    async def _pause(self) -> None:
        wait = self._pauses.not_before - anyio.current_time()
        if wait > 0:
            # Not all at the same moment.
            await self._sleep(wait * _CHANCE.uniform(1.0, 1.1))
