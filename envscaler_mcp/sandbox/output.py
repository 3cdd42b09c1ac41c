"""Where generated code's prints go: nowhere, and not for ever."""

from __future__ import annotations

import io
from collections.abc import Callable


class Sink(io.TextIOBase):
    """Counts characters and keeps none; a worker that prints too many is ended."""

    def __init__(self, limit: int, end: Callable[[], None]) -> None:
        super().__init__()
        self._left = limit
        self._end = end

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str, /) -> int:
        """Swallowed."""
        self._left -= len(text)
        if self._left < 0:
            self._end()
        return len(text)
