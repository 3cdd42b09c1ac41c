"""The daily steps of a start state: calls that the author has put on every day, made in the world as it is then."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.expressions import Expr
from envscaler_mcp.language.interpreter.bounded import BoundedEvaluator
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.store import Ref, Store
from envscaler_mcp.language.limits import MOST_HISTORY
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Act, Deed, Each
from envscaler_mcp.scenarios.threads import arguments_of, made_by

_WHAT = "a daily step"


class DailySteps:
    """Plays the steps of one growing world."""

    def __init__(
        self,
        model: Model,
        world: Any,
        deeds: tuple[Deed, ...],
        play: Callable[[str, dict[str, Any]], dict[str, Any]],
        spend: Callable[[str, float], None],
    ) -> None:
        self.model, self.world, self.deeds = model, world, deeds
        self._play, self._spend = play, spend
        self.done = 0
        """How many calls succeeded."""

    def run(self) -> None:
        """The steps of one day."""
        self._all(self.deeds, {})

    def _all(self, deeds: tuple[Deed, ...], names: Names) -> bool:
        """Whether nothing of it was refused; what is refused ends the pass that it stands in."""
        for deed in deeds:
            if not all(self._is_there(value) for value in names.values()):
                return False
            if isinstance(deed, Act):
                if not self._act(deed, names):
                    return False
            elif isinstance(deed, Each):
                self._each(deed, names)
            elif not self._all(deed.then if self._value(deed.test, names) else deed.otherwise, names):
                return False
        return True

    def _each(self, deed: Each, names: Names) -> None:
        loop = deed.loop
        which = deed.which
        elements = self._value(which, names)
        most = len(elements) if deed.limit is None else max(self._value(deed.limit, names), 0)
        for element in elements[:most]:
            self._all(deed.do, {**names, loop.name: element})

    def _is_there(self, value: Any) -> bool:
        """Whether a record was not deleted in an earlier pass, or earlier in this one."""
        container = self.model.entities[value.entity].container if isinstance(value, Ref) else ""
        return not container or value.id in getattr(self.world, container)

    def _act(self, act: Act, names: Names) -> bool:
        arguments = arguments_of(act, self.model, lambda expr: self._value(expr, names))
        result = self._play(act.operation, arguments)
        if not result["success"]:
            return False
        self.done += 1
        if self.done > MOST_HISTORY:
            raise GrowthError(
                f"the daily steps came to more than {MOST_HISTORY:,} operations; let each of them do less"
            )
        if act.name:
            names[act.name] = made_by(act, self.model, result)
        return True

    def _value(self, expr: Expr, names: Names) -> Any:
        began = process_time()
        value = BoundedEvaluator(Store(self.model, vars(self.world)), _WHAT).value(expr, names)
        self._spend("the daily steps", process_time() - began)
        return value
