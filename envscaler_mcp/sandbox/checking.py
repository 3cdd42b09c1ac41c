"""Many checks of one ending: each on its own copies, and one that dies or hangs takes no other along."""

from __future__ import annotations

import marshal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from envscaler_mcp.artifacts import Check
from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox.ended import WorkerEndedError
from envscaler_mcp.sandbox.isolation import ALL, ORDINARY, Checked, Mode, checked_in, layers_in
from envscaler_mcp.sandbox.layers import Layers
from envscaler_mcp.sandbox.limits import Limits
from envscaler_mcp.sandbox.line import Line
from envscaler_mcp.sandbox.monty import monty_checked
from envscaler_mcp.sandbox.policy import admit_check
from envscaler_mcp.sandbox.zygote import zygote

Ending = tuple[dict[str, Any], dict[str, Any]]
"""The state at the start and the state at the end."""
MAX_ENDINGS = 500
"""How many endings one worker judges before another takes its place."""
_IDLE = 16


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


class Checker:
    """A worker for the checks of one author, which judges one ending after another."""

    def __init__(self, mode: Mode = "auto", *, limits: Limits = ORDINARY, layers: Layers = ALL) -> None:
        if mode == "trusted":
            raise SandboxError("Checks run in workers here; `run_check` runs one that you wrote in this process.")
        self._limits = limits
        self._layers = layers_in(mode, layers)
        self._line: Line | None = None
        self._endings = 0
        self._told = b""
        """The beginning that the worker was told last, marshalled."""

    def run(
        self,
        checks: Iterable[str | Check],
        initial_state: Mapping[str, Any],
        final_state: Mapping[str, Any],
        *,
        handed_on: bool = False,
    ) -> list[Checked]:
        """What each check says about this ending; each as the one before it left the end, where it is handed on."""
        self._endings += 1
        ending = dict(initial_state), dict(final_state)
        asked = [check if isinstance(check, Check) else Check(check_item="", check_func=check) for check in checks]
        found = {place: self._without_worker(check, ending) for place, check in enumerate(asked)}
        rest = [place for place, checked in found.items() if checked is None]
        said = self._together([asked[place].check_func for place in rest], ending, handed_on)
        found.update(zip(rest, said, strict=True))
        return [checked for checked in found.values() if checked is not None]

    def _without_worker(self, check: Check, ending: Ending) -> Checked | None:
        """What can be said before a worker is asked, or instead of it."""
        if self._layers.gate:
            try:
                admit_check(check.check_func)
            except SandboxError as cause:
                return Checked(None, str(cause))
        return monty_checked(check.check_func, *ending, self._limits) if check.engine == "monty" else None

    def _together(self, sources: list[str], ending: Ending, handed_on: bool) -> list[Checked]:
        """In one request; where that ends the worker, one by one, so that only the guilty fail."""
        if not sources:
            return []
        try:
            return self._asked(sources, ending, handed_on)
        except WorkerEndedError:
            return [self._alone(source, ending) for source in sources]

    def _alone(self, source: str, ending: Ending) -> Checked:
        try:
            return self._asked([source], ending, handed_on=False)[0]
        except WorkerEndedError as cause:
            return Checked(None, str(cause))

    def _asked(self, sources: list[str], ending: Ending, handed_on: bool) -> list[Checked]:
        if self._line is None or not self._line.usable:
            self._line, self._told = Line.start(zygote(), self._limits, self._layers), b""
        initial, final = ending
        # Equal images are equal states, to the type of each number; many endings have one beginning.
        image = _image(initial)
        known = image != b"" and image == self._told
        checked = checked_in(self._line, sources, None if known else initial, final, handed_on=handed_on)
        self._told = image
        return checked

    @property
    def fresh(self) -> bool:
        """Whether it may judge another ending."""
        return self._endings < MAX_ENDINGS

    def close(self) -> None:
        """End the worker."""
        if self._line is not None:
            self._line.close()


def _image(state: dict[str, Any]) -> bytes:
    try:
        return marshal.dumps(state, 2)
    except ValueError:
        # Not plain JSON, which is told where it is sent.
        return b""


class Checkers:
    """Warm checkers by author. Two authors' checks never meet in one worker; those of one author may."""

    def __init__(self) -> None:
        self._idle: list[tuple[str, Checker]] = []
        self._lock = threading.Lock()

    @contextmanager
    def of(self, author: str) -> Iterator[Checker]:
        """A checker for this author's checks that nobody else uses meanwhile."""
        judge = self._taken(author) or Checker()
        try:
            yield judge
        except BaseException:
            judge.close()
            raise
        if judge.fresh:
            self._keep(author, judge)
        else:
            judge.close()

    def _taken(self, author: str) -> Checker | None:
        with self._lock:
            place = next((n for n, (name, _) in enumerate(self._idle) if name == author), None)
            return None if place is None else self._idle.pop(place)[1]

    def _keep(self, author: str, judge: Checker) -> None:
        with self._lock:
            self._idle.append((author, judge))
            dropped = self._idle.pop(0)[1] if len(self._idle) > _IDLE else None
        if dropped is not None:
            dropped.close()

    def close(self) -> None:
        """End those that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, judge in idle:
            judge.close()


@contextmanager
def checker(mode: Mode = "auto", *, limits: Limits = ORDINARY, layers: Layers = ALL) -> Iterator[Checker]:
    """A checker that ends with the block."""
    judge = Checker(mode, limits=limits, layers=layers)
    try:
        yield judge
    finally:
        judge.close()
