"""Records in a file, each with its length and its checksum, one to a line that is JSON itself.

    {"bytes":"0000001234","sha256":"…64 digits…","record":{…}}

A reader goes by length and not by line ends, so that a damaged line end costs no record, and a damaged record no other.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_HEAD = re.compile(rb'\{"bytes":"(\d{10})","sha256":"([0-9a-f]{64})","record":')
_LINE_END = ord("\n")
_MAGIC = b'{"bytes":"'
_LONGEST = 9_999_999_999
_SEARCHED = 64 << 20
"""Bytes that are summed in vain while a next record is looked for; a file can hold as many false heads as it likes."""


def sealed(record: bytes) -> bytes:
    """A record as a line; it must be JSON, and must not hold a line end."""
    if len(record) > _LONGEST or b"\n" in record:
        raise ValueError("a record must fit on one line")
    return b'{"bytes":"%010d","sha256":"%s","record":%s}\n' % (len(record), _sum(record), record)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds."""

    records: tuple[bytes, ...]
    """Those that are exactly what was written, in their order."""
    begins: tuple[int, ...]
    """Where each of them begins."""
    damaged: tuple[tuple[int, int], ...]
    """From where to where something else lies."""
    whole: int
    """Up to where everything is in order or lies before something that is; what follows is a torn tail."""


def read_lines(data: bytes) -> Reading:
    """Everything in a file that can be trusted, and where the rest is."""
    records: list[bytes] = []
    begins: list[int] = []
    damaged: list[tuple[int, int]] = []
    place = whole = 0
    search = _Search(data)
    while place < len(data):
        located = _record_at(data, place)
        if located is None:
            begin, place = place, search.next_record(place + 1)
            damaged.append((begin, place))
            continue
        record, place = located
        records.append(record)
        begins.append(place - 2 - len(record))
        whole = place
    return Reading(tuple(records), tuple(begins), tuple(damaged), whole)


def _record_at(data: bytes, place: int) -> tuple[bytes, int] | None:
    """The record that begins here, and where the next one should."""
    head = _HEAD.match(data, place)
    if head is None:
        return None
    end = head.end() + int(head[1])
    # Without the last two bytes the writer was stopped in the middle.
    if end + 2 > len(data):
        return None
    record = data[head.end() : end]
    return (record, end + 2) if _sum(record) == head[2] else None


class _Search:
    """Looks for records behind damage, with bounded work over the whole file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = _SEARCHED

    def next_record(self, place: int) -> int:
        """Where the next whole record begins, or the end."""
        while (place := self._data.find(_MAGIC, place)) >= 0:
            if self._is_record(place):
                return place
            place += 1
        return len(self._data)

    def _is_record(self, place: int) -> bool:
        head = _HEAD.match(self._data, place)
        if head is None:
            return False
        end = head.end() + int(head[1])
        # A record holds no line end, so heads at the beginning of a line are summed over their own line at most.
        if end + 2 > len(self._data) or self._data.find(b"\n", head.end(), end) >= 0:
            return False
        if place and self._data[place - 1] != _LINE_END:
            if self._left <= 0:
                return False
            self._left -= end - head.end()
        return _record_at(self._data, place) is not None


def _sum(record: bytes) -> bytes:
    return hashlib.sha256(record).hexdigest().encode()
