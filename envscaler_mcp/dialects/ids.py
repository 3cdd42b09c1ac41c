"""Ids as a dialect spells them, and which of them an agent was told.

How an id is spelled follows from it and the dialect alone. Back from a spelling leads only what the agent has read: a spelling
that it makes up means nothing, nor does one of another world, and a fork remembers what its origin has told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from envscaler_mcp.artifacts import Environment
from envscaler_mcp.dialects.axes import Ids
from envscaler_mcp.dialects.wording import words_of_entity
from envscaler_mcp.errors import WorldError

Spelled = str | int

MOST_TOLD = 200_000
"""Ids that one world remembers to have told."""
MOST_TOLD_BYTES = 16 * 1024 * 1024
"""Characters of the ids, the same: unread code may call any text an id."""
_MOST_CACHED = 20_000
_LONGEST_CACHED = 64
_MOST_PREFIXES = 200
_INTEGERS = 10**14


class TooMuchToldError(WorldError):
    """A world has told as many ids as it can remember."""


class IdMemory:
    """The ids that an agent was told in one world, in the order of telling."""

    __slots__ = ("_of", "_size", "_spelled")

    def __init__(self) -> None:
        self._of: dict[Spelled, str] = {}
        self._spelled: dict[str, Spelled] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._of)

    def canonical(self, spelled: object) -> str | None:
        """The id that was told in this spelling."""
        return self._of.get(spelled) if type(spelled) in (str, int) else None  # type: ignore[call-overload]

    def spelling(self, canonical: str) -> Spelled | None:
        """How the id was spelled when it was told."""
        return self._spelled.get(canonical)

    def tell(self, canonical: str, spelled: Spelled) -> None:
        """Note that the agent has read it."""
        if len(self._of) >= MOST_TOLD:
            raise TooMuchToldError(f"This world has told {MOST_TOLD:,} ids, and can tell no more.")
        if self._size + len(canonical) > MOST_TOLD_BYTES:
            raise TooMuchToldError(f"This world has told ids of {MOST_TOLD_BYTES:,} characters, and can tell no more.")
        if spelled in self._of:
            # A spelling stays what it was told for.
            return
        self._size += len(canonical)
        self._of[spelled] = canonical
        self._spelled[canonical] = spelled

    def forget_since(self, number: int) -> None:
        """Go back to when so many were told."""
        while len(self._of) > number:
            _, canonical = self._of.popitem()
            del self._spelled[canonical]
            self._size -= len(canonical)

    def copy(self) -> IdMemory:
        """The same for a world of its own."""
        twin = IdMemory()
        twin._of, twin._spelled, twin._size = self._of.copy(), self._spelled.copy(), self._size
        return twin


class IdSpelling:
    """How the ids of one environment are spelled in one dialect."""

    def __init__(self, key: str, style: Ids, prefixes: frozenset[str]) -> None:
        self._key = blake2b(key.encode(), digest_size=32).digest()
        self._make = _STYLES[style]
        self._prefixes = prefixes
        self._cache: dict[str, Spelled] = {}
        self.schema_type = "integer" if style == "integer" else "string"

    def spell(self, canonical: str) -> Spelled:
        """The spelling of an id."""
        spelled = self._cache.get(canonical)
        if spelled is None:
            spelled = self._make(self._key, canonical)
            if len(canonical) <= _LONGEST_CACHED:
                if len(self._cache) >= _MOST_CACHED:
                    self._cache.clear()
                self._cache[canonical] = spelled
        return spelled

    def tell(self, canonical: Any, memory: IdMemory) -> Any:
        """The spelling, which the agent has been told from now on."""
        if type(canonical) is not str:
            return canonical
        known = memory.spelling(canonical)
        if known is not None:
            return known
        spelled = self.spell(canonical)
        memory.tell(canonical, spelled)
        return spelled

    def tell_if_id(self, value: str, memory: IdMemory) -> Spelled:
        """The spelling of a text that is an id, and any other text as it is."""
        # Nearly every text is told apart by its last letters.
        if value[-1:].isdigit() and (id_ := _ID.fullmatch(value)) and id_[1] in self._prefixes:
            spelled: Spelled = self.tell(value, memory)
            return spelled
        return value

    def tell_in(self, sentence: str, memory: IdMemory) -> str:
        """A sentence with every id in it spelled."""

        def spelled(id_: re.Match[str]) -> str:
            return str(self.tell(id_[0], memory)) if id_[1] in self._prefixes else id_[0]

        return _ID.sub(spelled, sentence)


def id_prefixes(environment: Environment) -> frozenset[str]:
    """What the ids of an environment begin with, as its card tells it."""
    prefixes = {match for tool in environment.tools for match in _SUCH_AS.findall(str(tool.input_schema))}
    names = () if environment.answers is None else environment.answers.records
    prefixes |= {prefix for name in names for prefix in _prefixes_of(name)}
    if len(prefixes) > _MOST_PREFIXES:
        raise WorldError(f"{environment.id!r} has no dialects: it names more than {_MOST_PREFIXES} kinds of records.")
    return frozenset(prefixes)


_PREFIX = "[A-Z][A-Z0-9-]{0,39}"
_SUCH_AS = re.compile(rf"such as ({_PREFIX})-[0-9]{{5}}\b")
_IS_PREFIX = re.compile(_PREFIX).fullmatch
# One pattern for all worlds: one that is made of a card's names can take a minute for a sentence.
_ID = re.compile(rf"(?<![\w-])({_PREFIX})-(?:[0-9]{{5}}|[1-9][0-9]{{5,11}})(?![\w-])")
"""An id as compiled worlds write it."""


def _prefixes_of(name: str) -> Iterator[str]:
    parts = words_of_entity(name)
    short = parts[0] if len(parts) == 1 else "".join(part[0] for part in parts)
    return filter(_IS_PREFIX, (short.upper(), "-".join(parts).upper()))


def _digest(key: bytes, text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=16, key=key).digest(), "big")


def _integer(key: bytes, canonical: str) -> int:
    return _INTEGERS + _digest(key, canonical) % (8 * _INTEGERS)


def _uuid(key: bytes, canonical: str) -> str:
    digits = f"{_digest(key, canonical):032x}"
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _hash(key: bytes, canonical: str) -> str:
    return f"{_digest(key, canonical):032x}"[:12]


_FIRST = (
    *("amber", "brisk", "calm", "clear", "crisp", "dusty", "eager", "early", "faint", "fresh", "gentle", "golden"),
    *("grand", "green", "happy", "hidden", "humble", "keen", "late", "little", "lucky", "mellow", "misty", "noble"),
    *("plain", "proud", "quick", "quiet", "rapid", "silver", "sunny", "swift"),
)
_SECOND = (
    *("acorn", "anchor", "basin", "birch", "bridge", "brook", "cedar", "cliff", "clover", "comet", "coral", "crane"),
    *("delta", "ember", "falcon", "fern", "forest", "garden", "harbor", "heron", "island", "lantern", "maple"),
    *("meadow", "otter", "pebble", "prairie", "river", "sparrow", "summit", "thistle", "willow"),
)


def _words(key: bytes, canonical: str) -> str:
    number = _digest(key, canonical)
    first, second = _FIRST[number % 32], _SECOND[number // 32 % 32]
    return f"{first}-{second}-{number >> 64:016x}"[:-8]


def _ticket(key: bytes, canonical: str) -> str:
    prefix, _, digits = canonical.rpartition("-")
    letters = _digest(key, prefix)
    team = "".join(chr(65 + letters // 26**place % 26) for place in range(4))
    # A step that shares no factor with a million makes every number another one.
    step, shift = letters >> 64 | 1, letters >> 32
    step += 2 if step % 5 == 0 else 0
    turns, number = divmod(int(digits), 1_000_000)
    return f"{team}-{'' if turns == 0 else f'{turns}-'}{(number * step + shift) % 1_000_000}"


_STYLES: Mapping[Ids, Callable[[bytes, str], Spelled]] = {
    "integer": _integer,
    "uuid": _uuid,
    "hash": _hash,
    "words": _words,
    "ticket": _ticket,
}
