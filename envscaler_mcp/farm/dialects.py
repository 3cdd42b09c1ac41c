"""The dialects that worlds of a farm are spoken to in, each made once while it is in use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.errors import WorldError
from envscaler_mcp.farm.static_results import FixedAnswers

if TYPE_CHECKING:
    from envscaler_mcp.dialects import Dialect, DialectName

_Key = tuple[str, str, str]
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
        self._made: OrderedDict[_Key, FarmDialect] = OrderedDict()
        self._making: dict[_Key, threading.Lock] = {}
        """Held while one is made: requests that come together wait for one dialect, and do not make it each."""
        self._lock = threading.Lock()

    def find(self, environment: Environment, wanted: str) -> FarmDialect:
        """The dialect of that name; WorldError where there is none."""
        from envscaler_mcp.dialects import DialectName

        name = DialectName.read(wanted)
        key = environment.id, environment.code_digest, str(name)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                return self._known(key, environment) or self._made_now(key, environment, name)
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def _known(self, key: _Key, environment: Environment) -> FarmDialect | None:
        with self._lock:
            known = self._made.get(key)
            if known is None or known.card.provenance != environment.provenance:
                return None
            self._made.move_to_end(key)
            return known

    def _made_now(self, key: _Key, environment: Environment, name: DialectName) -> FarmDialect:
        from envscaler_mcp.dialects import Dialect

        if environment.origin == "published":
            raise WorldError(f"{environment.id!r} has no dialects: it does what the published runtime does.")
        made = FarmDialect(Dialect(environment, name))
        with self._lock:
            self._made[key] = made
            while len(self._made) > _MOST:
                self._made.popitem(last=False)
        return made
