"""Answers about sources of checks that a process remembers: short sources only, and so many bytes of them.

Owners of a farm's worlds may send any number of checks, and what is remembered stays when their worlds are gone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

LONGEST = 4096
"""Characters of a source that is remembered; the longest check of the library has 1,990."""
MOST_CHARACTERS = 2 * 1024 * 1024
"""Of all sources that one cache holds: some 5,000 checks of the library."""
_OF_EACH = 100
"""Characters that each source counts for beside its own."""

P = ParamSpec("P")
T = TypeVar("T")


def remembered(answer: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """The same function of a source, which is asked once for each short source while that is remembered."""
    known: OrderedDict[tuple[str, tuple[Any, ...]], T] = OrderedDict()
    lock = threading.Lock()
    held = 0

    @wraps(answer)
    def ask(source: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal held
        if len(source) > LONGEST or kwargs:
            return answer(source, *args, **kwargs)
        key = source, args
        with lock:
            if key in known:
                known.move_to_end(key)
                return known[key]
        # Not under the lock: it may take long, and twice the same is no harm.
        said = answer(source, *args, **kwargs)
        with lock:
            if key not in known:
                held += len(source) + _OF_EACH
            known[key] = said
            while held > MOST_CHARACTERS:
                (oldest, _), _ = known.popitem(last=False)
                held -= len(oldest) + _OF_EACH
        return said

    return ask
