"""Work that is spread over several processes of this program."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TypeVar

from envscaler_mcp.errors import WorldError
from envscaler_mcp.processes.function_process import FunctionProcess, FunctionProcessEndedError

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
def process_pool(workers: int) -> Iterator[ProcessPool]:
    """Processes that end with the block, whatever they are doing then."""
    pool = ProcessPool(workers)
    try:
        yield pool
    finally:
        pool.close()


class ProcessPool:
    """At most so many processes, each started when no other is idle; a thread waits for each.

    Not those of `multiprocessing`, whose processes look for their modules in the current folder first.
    """

    def __init__(self, workers: int) -> None:
        self._threads = ThreadPoolExecutor(workers)
        self._lock = threading.Lock()
        self._processes: list[FunctionProcess] = []
        self._idle: list[FunctionProcess] = []
        self._closed = False

    def submit(self, work: Callable[..., Result], *given: Any) -> Future[Result]:
        """What the work returns in one of the processes; WorldError where that process ends."""
        return self._threads.submit(self._call, work, given)

    def close(self) -> None:
        """End them: what is being made is not wanted any more."""
        with self._lock:
            self._closed = True
        for process in self._processes:
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in self._processes:
            process.close()

    def _call(self, work: Callable[..., Result], given: tuple[Any, ...]) -> Result:
        process = self._taken()
        try:
            result = process.call(work, *given)
        except FunctionProcessEndedError as cause:
            raise WorldError(
                "A worker process has ended, perhaps for want of memory; use fewer --workers. What was made is kept."
            ) from cause
        except BaseException:
            self._idle.append(process)
            raise
        self._idle.append(process)
        return result

    def _taken(self) -> FunctionProcess:
        with self._lock:
            if self._closed:
                raise WorldError("These processes have ended.")
            if self._idle:
                return self._idle.pop()
            process = FunctionProcess()
            self._processes.append(process)
            return process
