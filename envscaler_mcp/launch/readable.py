"""Waiting in the event loop until a descriptor can be read."""

from __future__ import annotations

import asyncio


async def readable(descriptor: int, seconds: float) -> bool:
    """Whether a descriptor can be read within so many seconds."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[bool] = loop.create_future()
    late = loop.call_later(seconds, _settle, answered, False)
    loop.add_reader(descriptor, _settle, answered, True)
    try:
        return await answered
    finally:
        # Before the stream may be closed: its number would soon be another connection's.
        loop.remove_reader(descriptor)
        late.cancel()


def _settle(answered: asyncio.Future[bool], readable: bool) -> None:
    if not answered.done():
        answered.set_result(readable)
