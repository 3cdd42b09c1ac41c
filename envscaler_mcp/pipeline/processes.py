"""Work that is spread over several processes of this program."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

from envscaler_mcp.errors import WorldError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_processes(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Generator[tuple[Item, Result]]:
    """Each item with its result, as it is done; with several workers and several items, in several processes."""
    if workers < 2 or len(items) < 2:
        for item in items:
            yield item, work(item)
        return
    with process_pool(min(workers, len(items))) as pool:
        futures = {pool.submit(work, item): item for item in items}
        for future in as_completed(futures):
            # Popped, or every result would stay in memory until the end.
            yield futures.pop(future), future.result()


@contextmanager
def process_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with the block, whatever they are doing then."""
    # Spawned, not forked: a fork would copy the progress bar's thread in the middle of its work.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts)
    try:
        yield pool
    except BrokenProcessPool as cause:
        raise WorldError(
            "A worker process has ended, perhaps for want of memory; use fewer --workers. What was made is kept."
        ) from cause
    finally:
        # What is being made is not wanted any more. An orderly end would wait for it, and after a Ctrl-C while
        # processes are being started it would wait for ever.
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C ends the process that asked; what it asked for ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
