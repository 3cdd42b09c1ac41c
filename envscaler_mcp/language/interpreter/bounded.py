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


class BoundedEvaluator(SteadyEvaluator):
    """Gives what an `Evaluator` gives as long as no record changes, or GrowthError after some seconds of work."""

    def __init__(self, store: Store, what: str) -> None:
        super().__init__(store)
        self._what = what
        self._until = process_time() + SECONDS

    def passes(self, loops: tuple[Loop, ...], names: Names) -> Iterator[Names]:
        self._in_time()
        return super().passes(loops, names)

    def next(self, name: str, record: Ref, attribute: str) -> list[Ref]:
        self._in_time()
        return super().next(name, record, attribute)

    def _in_time(self) -> None:
        if process_time() > self._until:
            raise GrowthError(
                f"{self._what} did not end within {SECONDS:g} seconds; let it look at fewer records, by fewer loops inside each other"
            )
