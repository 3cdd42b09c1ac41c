"""The value of an expression, where working it out may not take long: what authors write may look at every record again and again."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.expressions import Loop
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, Store

SECONDS = 5.0


class WorkBound:
    """Seconds of work that several evaluators may take together."""

    def __init__(self, what: str, seconds: float = SECONDS) -> None:
        self._what, self._seconds = what, seconds
        self._until = process_time() + seconds

    def check(self) -> None:
        """GrowthError where they are over."""
        if process_time() > self._until:
            raise GrowthError(
                f"{self._what} did not end within {self._seconds:g} seconds; let it look at fewer records, by fewer loops inside each other"
            )


class BoundedEvaluator(SteadyEvaluator):
    """Gives what an `Evaluator` gives as long as no record changes, or GrowthError after some seconds of work."""

    def __init__(self, store: Store, what: str | WorkBound) -> None:
        super().__init__(store)
        self._bound = what if isinstance(what, WorkBound) else WorkBound(what)

    def passes(self, loops: tuple[Loop, ...], names: Names) -> Iterator[Names]:
        self._bound.check()
        return super().passes(loops, names)

    def next(self, name: str, record: Ref, attribute: str) -> list[Ref]:
        self._bound.check()
        return super().next(name, record, attribute)
