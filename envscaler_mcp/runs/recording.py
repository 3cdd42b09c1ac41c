"""Attempts on their way to the journal of a run: several share one wait for the disk."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream

from envscaler_mcp.scoring.run_folder import RunFolder
from envscaler_mcp.scoring.trajectory import WrittenAttempt

WAITING = 64
"""Attempts that may wait for the disk."""
_SECONDS = 0.02
"""From one write to the next: meanwhile attempts are gathered. They count when they lie on the disk, and not before.

The first of them is written at once: a person at a keyboard may hold the loop for long after it.
"""

Progress = Callable[[str, int, int], None]
"""Told the id of an episode that is done, how many are done, and how many there are."""


async def record_attempts(
    run: RunFolder, receiving: MemoryObjectReceiveStream[WrittenAttempt], progress: Progress
) -> None:
    """Write what was played until the stream is closed; also when this is cancelled, nothing that was sent is lost."""
    batch: list[WrittenAttempt] = []
    next_write = 0.0

    async def write() -> None:
        batch.extend(_waiting(receiving))
        if not batch:
            return
        # Cancelled in the middle, what was taken from the stream would be lost.
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(run.write, batch.copy())
        progress(batch[-1].attempt.id, len(run.tally.done), len(run.plan.episodes))
        batch.clear()

    async with receiving:
        try:
            async for first in receiving:
                batch.append(first)
                if not _is_full(receiving):
                    await anyio.sleep_until(next_write)
                await write()
                next_write = anyio.current_time() + _SECONDS
        except anyio.get_cancelled_exc_class():
            await write()
            raise


def _is_full(receiving: MemoryObjectReceiveStream[WrittenAttempt]) -> bool:
    statistics = receiving.statistics()
    return statistics.current_buffer_used + 1 >= statistics.max_buffer_size or not statistics.open_send_streams


def _waiting(receiving: MemoryObjectReceiveStream[WrittenAttempt]) -> list[WrittenAttempt]:
    batch = []
    try:
        while True:
            batch.append(receiving.receive_nowait())
    except (anyio.WouldBlock, anyio.EndOfStream):
        return batch
