"""The dialects that worlds of a farm are spoken to in, each made once while it is in use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.static_results import FixedAnswers

if TYPE_CHECKING:
    from envscaler_mcp.dialects import Dialect

_MOST = 128
"""Dialects of environments that are held ready; one takes some hundred KiB."""


class FarmDialect:
    """A dialect, and what it answers to every request that is no call."""

    def __init__(self, dialect: Dialect) -> None:
        self.card = dialect.card
        self.name = str(dialect.name)
        self.fixed = FixedAnswers(dialect.card)
        self.memory = dialect.memory
        self.call = dialect.call
        self.answer = dialect.answer


class FarmDialects:
    """Those that were used last. Threads may share it."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, str, str], FarmDialect] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, environment: Environment, wanted: str) -> FarmDialect:
        """The dialect of that name; WorldError where there is none."""
        from envscaler_mcp.dialects import Dialect, DialectName

        name = DialectName.read(wanted)
        key = environment.id, environment.code_digest, str(name)
        with self._lock:
            known = self._made.get(key)
            if known is not None and known.card.provenance == environment.provenance:
                self._made.move_to_end(key)
                return known
        if environment.origin == "published":
            raise WorldError(f"{environment.id!r} has no dialects: it does what the published runtime does.")
        made = FarmDialect(Dialect(environment, name))
        with self._lock:
            self._made[key] = made
            while len(self._made) > _MOST:
                self._made.popitem(last=False)
        return made
