"""Turns of the event loop, counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def turns_of_the_loop() -> AsyncIterator[Callable[[], int]]:
    """How many there were since the block began."""
    loop, turns, over = asyncio.get_running_loop(), 0, False

    def count() -> None:
        nonlocal turns
        turns += 1
        if not over:
            loop.call_soon(count)

    count()
    try:
        yield lambda: turns
    finally:
        over = True
