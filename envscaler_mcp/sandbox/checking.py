"""Checks of one ending: each in a process that no other check could have changed.

A check in one of the forms that the task compiler writes is read as data and answered here: nothing of it is run (`fact_checks`).
A check that only looks, which is read from its text, changes nothing, and such checks of one ending share a process.
Any other check gets a process of its own. All of these are forks of one worker that never runs a check, and are ended
with their answer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

from envscaler_mcp.artifacts import Check
from envscaler_mcp.errors import SandboxError, WorkerEndedError, WorldError
from envscaler_mcp.sandbox.check_run import CheckRun
from envscaler_mcp.sandbox.execution import failure_of, verdict_of
from envscaler_mcp.sandbox.fact_checks import FactCheck, NotReadHereError, StatePair, fact_check, takes_little_to_read
from envscaler_mcp.sandbox.isolation import ALL, ORDINARY, Checked, Mode, checked_in, layers_in
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.monty import monty_checked
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.sandbox.purity import only_looks
from envscaler_mcp.sandbox.source_cache import LONGEST
from envscaler_mcp.sandbox.worker_errors import MessageTooLargeError
from envscaler_mcp.sandbox.worker_handle import WorkerHandle
from envscaler_mcp.sandbox.zygote import zygote

State = dict[str, Any]
_MAX_PREPARED = 512
"""How many short sources the clean worker holds compiled before another takes its place."""
_FAILURES = (WorkerEndedError, WorldError, MessageTooLargeError)
"""What a check, or the ending that it is asked about, brings upon its worker; the machine is not to blame."""
_WARMING = "def check_func(final_state):\n    return True\n"
_SMALL_STATE = {"records": {str(number): {"name": f"record {number}", "tags": [number]} for number in range(200)}}
"""Its size is that of a small world's state; what is learned from it is nothing."""


def run_checks(
    checks: Iterable[str | Check],
    initial_state: Mapping[str, Any],
    final_state: Mapping[str, Any],
    mode: Mode = "auto",
    *,
    limits: Limits = ORDINARY,
    layers: Layers = ALL,
) -> list[Checked]:
    """What each check says, in order; a failure, and no verdict, where it could not say anything.

    A source runs in a worker, a `Check` by the engine that it names. SandboxError only where no worker can be had.
    """
    with checker(mode, limits=limits, layers=layers) as judge:
        return judge.run(checks, initial_state, final_state)


@dataclass(frozen=True, slots=True)
class _Ending:
    """What checks are asked about, and how."""

    initial: State
    final: State
    handed_on: bool
    python: bool
    within: CheckRun | None = None

    def known(self, sources: Iterable[str]) -> bool:
        """Whether these checks surely change nothing. What is read from a text is about plain JSON."""
        return not self.python and all(map(only_looks, sources))


class Checker:
    """Runs checks, and keeps nothing of one ending for the next. Threads may share it."""

    def __init__(
        self, mode: Mode = "auto", *, limits: Limits = ORDINARY, layers: Layers = ALL, one_author: bool = False
    ) -> None:
        """With `one_author`, checks that only look share one process over all endings: for proofs, which judge hundreds of
        endings of one author's scenarios, and where a check that lies can spoil nothing but that author's own proofs.
        """
        if mode == "trusted":
            raise SandboxError("Checks run in workers here; `run_check` runs one that you wrote in this process.")
        self._mode: Mode = mode
        self._limits = limits
        self._layers = layers
        self._clean: WorkerHandle | None = None
        """Forked for each ending; no check runs in it."""
        self._spare: WorkerHandle | None = None
        """A fork of it that waits for the next ending."""
        self._prepared: set[str] = set()
        """Sources that the clean worker was asked to compile."""
        self._one_author = one_author
        self._shared: WorkerHandle | None = None
        """Where checks of one author that only look are run."""
        self._beginning: State | None = None
        """What that process was told of last."""
        self._seen: set[str] = set()
        """Short sources that have been run: those that come again are worth compiling once for all."""
        self._closed = False
        self._lock = threading.Lock()
        self._stocking = ThreadPoolExecutor(1, "spare checker")

    def run(
        self,
        checks: Iterable[str | Check],
        initial_state: Mapping[str, Any],
        final_state: Mapping[str, Any],
        *,
        handed_on: bool = False,
        python: bool = False,
        within: CheckRun | None = None,
    ) -> list[Checked]:
        """What each check says about this ending.

        Where the end is handed on, each check gets it as the check before it left it. With `python` both states stand for
        Python values, which are what the checks get. What a run's checks may take `within` it is bounded for all together.
        """
        initial = initial_state if type(initial_state) is dict else dict(initial_state)
        ending = _Ending(initial, dict(final_state), handed_on, python, within)
        asked = _as_checks(checks)
        facts = self._facts(asked, ending)
        answers = {index: self._without_worker(check, ending, facts) for index, check in enumerate(asked)}
        waiting = [index for index, answer in answers.items() if answer is None]
        for batch in _batches(waiting, asked, ending):
            said, final = self._together([asked[index].check_func for index in batch], ending)
            ending = replace(ending, final=final)
            answers.update(zip(batch, said, strict=True))
        return [answer for answer in answers.values() if answer is not None]

    def _facts(self, asked: list[Check], ending: _Ending) -> StatePair | None:
        """The ending for checks that are read and not run; None where a worker runs them all."""
        if ending.python or self._mode == "hard" or not self._layers.gate:
            return None
        if not takes_little_to_read(check.check_func for check in asked):
            return None
        if ending.handed_on and not all(fact_check(check.check_func) for check in asked):
            # Another check may change what they see.
            return None
        return StatePair(ending.initial, ending.final)

    def _without_worker(self, check: Check, ending: _Ending, facts: StatePair | None) -> Checked | None:
        """What can be said before a worker is asked, or instead of it."""
        read = None if facts is None or check.engine == "monty" else fact_check(check.check_func)
        answered = None if facts is None or read is None else _answered(read, facts)
        if answered is not None:
            return answered
        if self._layers.gate:
            try:
                admit_check(check.check_func)
            except SandboxError as cause:
                return Checked(None, str(cause))
        if check.engine != "monty":
            return None
        try:
            seconds = self._seconds(ending)
        except WorkerEndedError as cause:
            return Checked(None, str(cause), ended=True)
        limits = replace(self._limits, call_seconds=seconds)
        return monty_checked(check.check_func, ending.initial, ending.final, limits)

    def _seconds(self, ending: _Ending) -> float:
        """How long the next checks may work; WorkerEndedError where their verdict is out of time."""
        longest = self._limits.call_seconds
        return longest if ending.within is None else min(longest, ending.within.seconds_left())

    def _together(self, sources: list[str], ending: _Ending) -> tuple[list[Checked], State]:
        """In one process; where that fails as a whole, each in its own, so that only the guilty fail."""
        try:
            return self._asked(sources, ending)
        except _FAILURES as cause:
            if len(sources) == 1 and not self._shares(sources, ending):
                return [Checked(None, str(cause), ended=True)], ending.final
        # What one of them used up was not there for the others.
        return [self._alone(source, ending) for source in sources], ending.final

    def _alone(self, source: str, ending: _Ending) -> Checked:
        try:
            return self._asked_once([source], ending)[0][0]
        except _FAILURES as cause:
            return Checked(None, str(cause), ended=True)

    def _shares(self, sources: list[str], ending: _Ending) -> bool:
        """Whether these are run where checks of other endings were."""
        return self._one_author and not ending.handed_on and ending.known(sources)

    def _asked(self, sources: list[str], ending: _Ending) -> tuple[list[Checked], State]:
        if self._shares(sources, ending):
            return self._asked_again(sources, ending.initial, ending.final), ending.final
        return self._asked_once(sources, ending)

    def _asked_once(self, sources: list[str], ending: _Ending) -> tuple[list[Checked], State]:
        """In a fork that is ended with its answer."""
        layers = layers_in(self._mode, self._layers, known=ending.known(sources))
        self._seconds(ending)
        line = self._fresh(layers)
        try:
            with nullcontext() if ending.within is None else ending.within.holding(line):
                return checked_in(
                    line,
                    sources,
                    ending.initial,
                    ending.final,
                    handed_on=ending.handed_on,
                    python=ending.python,
                    seconds=self._seconds(ending),
                )
        finally:
            line.close(wait=False)
            self._remember(sources, layers)

    def _asked_again(self, sources: list[str], initial: State, final: State) -> list[Checked]:
        """In the process that judged the ending before."""
        layers = layers_in(self._mode, self._layers, known=True)
        with self._lock:
            if self._shared is None or not self._shared.usable:
                self._shared, self._beginning = WorkerHandle.start(zygote(), self._limits, layers), None
            # Hundreds of endings have one beginning, which is the same object then.
            known = initial is self._beginning
            try:
                checked, _ = checked_in(self._shared, sources, None if known else initial, final, shared=True)
            except BaseException:
                # Its memory may be used up.
                self._shared.close(wait=False)
                raise
            self._beginning = initial
            return checked

    def _fresh(self, layers: Layers) -> WorkerHandle:
        """A worker in which no check has run."""
        with self._lock:
            spare, self._spare = self._spare, None
            if spare is not None and spare.usable:
                return spare
            try:
                return self._forked(layers)
            except WorkerEndedError:
                # It was ended from outside between two endings.
                return self._forked(layers)

    def _forked(self, layers: Layers) -> WorkerHandle:
        clean = self._clean_line(layers)
        return clean.fork() if clean.forks else WorkerHandle.start(zygote(), self._limits, layers)

    def _clean_line(self, layers: Layers) -> WorkerHandle:
        if self._clean is None or not self._clean.usable:
            self._clean = WorkerHandle.start(zygote(), self._limits, layers)
            self._prepared.clear()
        return self._clean

    def _remember(self, sources: list[str], layers: Layers) -> None:
        """Have the next fork made meanwhile, where this is not the only ending."""
        short = [source for source in sources if len(source) <= LONGEST]
        again = [
            source for source in short if source in self._seen and source not in self._prepared and only_looks(source)
        ]
        if self._seen:
            # To start a thread would wait until it runs, which takes as long as half the checks.
            with suppress(RuntimeError):
                self._stocking.submit(self._stock, again, layers)
        if len(self._seen) > 4 * _MAX_PREPARED:
            self._seen.clear()
        self._seen.update(short)

    def _stock(self, sources: list[str], layers: Layers) -> None:
        with self._lock, suppress(SandboxError, WorldError):
            if self._closed or self._spare is not None:
                return
            self._prepare(sources, layers)
            self._spare = self._forked(layers)
            # A fork shares its memory until it writes to it: its first answer takes longer than those after it.
            checked_in(self._spare, [_WARMING], _SMALL_STATE, _SMALL_STATE)

    def _prepare(self, sources: list[str], layers: Layers) -> None:
        """Compile sources once, in the worker that is forked and never runs them."""
        if self._clean is not None and len(self._prepared) > _MAX_PREPARED:
            self._clean.close()
        clean = self._clean_line(layers)
        if sources and clean.forks:
            # What cannot be compiled is not tried twice here: it fails where it runs.
            with suppress(WorkerEndedError, WorldError):
                clean.ask("compile", self._limits.call_seconds, sources=sources)
            self._prepared.update(sources)

    @property
    def idle_memory(self) -> int:
        """Bytes that its workers hold which run no check."""
        return sum(line.own_memory for line in (self._spare, self._clean) if line is not None)

    def close(self) -> None:
        """End the workers that wait."""
        with self._lock:
            self._closed = True
            self._stocking.shutdown(wait=False, cancel_futures=True)
            for line in (self._spare, self._clean, self._shared):
                if line is not None:
                    line.close()


def _answered(read: FactCheck, facts: StatePair) -> Checked | None:
    """What a check says that is read here; None where a worker has to say it."""
    try:
        answer = verdict_of(read.answer(facts))
    except (NotReadHereError, MemoryError):
        return None
    except Exception as cause:
        answer = failure_of(cause)
    return Checked(answer.get("verdict"), answer.get("failure"))


def _as_checks(checks: Iterable[str | Check]) -> list[Check]:
    return [check if isinstance(check, Check) else Check(check_item="", check_func=check) for check in checks]


def _batches(indexes: list[int], checks: list[Check], ending: _Ending) -> list[list[int]]:
    """Places whose checks may share a process: those that only look, and not past one that changes what they see."""
    batches: list[list[int]] = []
    looking: list[int] | None = None
    for index in indexes:
        if not ending.known([checks[index].check_func]):
            batches.append([index])
            looking = None if ending.handed_on else looking
        elif looking is None:
            looking = [index]
            batches.append(looking)
        else:
            looking.append(index)
    return batches


@contextmanager
def checker(
    mode: Mode = "auto", *, limits: Limits = ORDINARY, layers: Layers = ALL, one_author: bool = False
) -> Iterator[Checker]:
    """A checker that ends with the block."""
    judge = Checker(mode, limits=limits, layers=layers, one_author=one_author)
    try:
        yield judge
    finally:
        judge.close()


class NeedsWorkerError(Exception):
    """Raised where checks cannot all be answered as data."""


class DataChecker(Checker):
    """Answers checks that are data, and runs none: NeedsWorkerError where one would have to be run."""

    def run(
        self,
        checks: Iterable[str | Check],
        initial_state: Mapping[str, Any],
        final_state: Mapping[str, Any],
        *,
        handed_on: bool = False,
        python: bool = False,
        within: CheckRun | None = None,
    ) -> list[Checked]:
        """What each check says about this ending."""
        asked = _as_checks(checks)
        if not takes_little_to_read(check.check_func for check in asked):
            raise NeedsWorkerError
        if any(check.engine == "monty" or not fact_check(check.check_func) for check in asked):
            raise NeedsWorkerError
        return super().run(asked, initial_state, final_state, handed_on=handed_on, python=python, within=within)

    def _asked_once(self, sources: list[str], ending: _Ending) -> tuple[list[Checked], State]:
        del sources, ending
        raise NeedsWorkerError
