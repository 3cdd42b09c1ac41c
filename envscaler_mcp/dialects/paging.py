"""Pages as a dialect asks for them. A world answers fifty rows from an offset, of which a page shows the first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from envscaler_mcp.dialects.axes import Axes
from envscaler_mcp.dialects.spelling import Schema, UnreadableError
from envscaler_mcp.dialects.wording import styled

MOST_ROWS = 50
"""What a world answers at most."""
MOST_OFFSET = 1_000_000
_NAMES = {
    "offset": (("offset",), ("skip",), ("start",)),
    "page": (("page",), ("page", "number"), ("page",)),
    "cursor": (("cursor",), ("after",), ("page", "token")),
}
_COLUMNS = (("select",), ("columns",), ("return", "fields"))
_SIZES = (("limit",), ("per", "page"), ("page", "size"))


@dataclass(frozen=True, slots=True)
class Page:
    """Rows from an offset."""

    offset: int
    size: int
    given: bool
    """Whether the caller said where it begins."""
    columns: frozenset[str] = frozenset()
    """What the rows are to hold, in canonical names; nothing stands for all."""


class Pages:
    """The paging of one dialect."""

    def __init__(self, axes: Axes, key: str, chance: int, taken: Collection[str] = ()) -> None:
        """`taken` are names of other arguments."""
        self.style = axes.paging
        self.size = axes.page_size
        self._key = blake2b(key.encode(), digest_size=16).digest()
        self.where = _free(_NAMES[axes.paging], chance, axes, taken)
        self.limit = _free(_SIZES, chance // 3, axes, taken)
        self.columns = _free(_COLUMNS, chance // 9, axes, taken) if axes.columns == "chosen" else ""
        """The argument that chooses what rows hold; nothing where a dialect has none."""
        least, most = (1, MOST_OFFSET) if axes.paging == "page" else (0, MOST_OFFSET)
        self.properties: dict[str, Schema] = {
            self.where: {"type": "string", "maxLength": 60}
            if axes.paging == "cursor"
            else {"type": "integer", "minimum": least, "maximum": most},
            self.limit: {"type": "integer", "minimum": 1, "maximum": MOST_ROWS},
        }

    @property
    def said(self) -> dict[str, str]:
        """What the two arguments are, in words."""
        where = {
            "offset": "How many rows to leave out at the start; 0 by default.",
            "page": "Which page, from 1; 1 by default.",
            "cursor": "Where the next page begins, from the answer before; the first page by default.",
        }[self.style]
        return {self.where: where, self.limit: f"How many rows at most, up to {MOST_ROWS}; {self.size} by default."}

    def encode(self, offset: int) -> dict[str, Any]:
        """What asks for the fifty rows from there; ValueError where no page of fifty begins there."""
        whole = self.whole_page
        if self.style == "offset":
            return {self.where: offset, **whole}
        if self.style == "cursor":
            return {self.where: self.cursor(offset), **whole}
        number, rest = divmod(offset, MOST_ROWS)
        if rest:
            raise ValueError(f"no page of {MOST_ROWS} begins at {offset}")
        return {self.where: number + 1, **whole}

    @property
    def whole_page(self) -> dict[str, int]:
        """What asks for as many rows as a world answers."""
        return {} if self.size == MOST_ROWS else {self.limit: MOST_ROWS}

    def decode(self, spoken: Mapping[str, Any]) -> Page:
        """The page that is asked for; UnreadableError for a cursor that no answer held."""
        size = spoken.get(self.limit) or self.size
        where = spoken.get(self.where)
        if where is None:
            return Page(0, size, False)
        if self.style == "offset":
            return Page(where, size, True)
        if self.style == "page":
            offset = (where - 1) * size
            if offset > MOST_OFFSET:
                raise UnreadableError(f"{self.where} is too large.")
            return Page(offset, size, True)
        return Page(self._offset_of(where), size, True)

    def cursor(self, offset: int) -> str:
        """The text that stands for an offset."""
        mark = blake2b(str(offset).encode(), digest_size=6, key=self._key).hexdigest()
        return f"{mark}{offset:x}"

    def _offset_of(self, cursor: str) -> int:
        digits = cursor[12:]
        offset = int(digits, 16) if 0 < len(digits) <= 5 and set(digits) <= _HEX else -1
        if not 0 <= offset <= MOST_OFFSET or self.cursor(offset) != cursor:
            raise UnreadableError(f"{self.where} is not one that an answer held.")
        return offset

    def about(self, page: Page, total: int, shown: int) -> dict[str, Any]:
        """What an answer says of its page."""
        after = page.offset + shown
        more = after < total and shown > 0
        match self.style:
            case "offset":
                return {"total": total, "offset": page.offset, "has_more": more}
            case "page":
                number = page.offset // page.size + 1
                return {"total": total, "page": number, "page_count": max(1, -(-total // page.size))}
            case "cursor":
                return {"total": total, "next": self.cursor(after) if more else None}


_HEX = frozenset("0123456789abcdef")


def _free(names: Sequence[tuple[str, ...]], chance: int, axes: Axes, taken: Collection[str]) -> str:
    """One of the names that no other argument has."""
    turned = [*names[chance % len(names) :], *names[: chance % len(names)]]
    free = [name for name in (styled(words, axes.keys) for words in turned) if name not in taken]
    return free[0] if free else styled(("result", *names[0]), axes.keys)
