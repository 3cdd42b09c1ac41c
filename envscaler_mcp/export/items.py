"""The entries of a large JSON file, one at a time: those of a list, the values of an object with their keys, or the lines
of a JSONL file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from envscaler_mcp.errors import ArtifactError

_CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_ENDS = (*" \t\n\r,:]}",)


def items(path: Path) -> Iterator[tuple[str | int, Any]]:
    """Each entry with its key, or with its place where the file holds a list; no more than one of them is in memory."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from (_by_line(file) if _has_a_value_on_each_line(path) else _Reading(file).entries())
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as cause:
        raise ArtifactError(f"{path} cannot be read as JSON: {cause}") from cause


def _has_a_value_on_each_line(path: Path) -> bool:
    """Whether it is JSONL: by its name, or since a whole value stands on its first line and something below it."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return True
    with path.open(encoding="utf-8-sig") as file:
        first = file.readline(_CHUNK)
        if not first.endswith("\n") or not first.strip():
            return False
        try:
            whole = isinstance(json.loads(first), dict)
        except (ValueError, RecursionError):
            return False
        return whole and any(line.strip() for line in file)


def _by_line(file: TextIO) -> Iterator[tuple[int, Any]]:
    lines = (line for line in file if line.strip())
    for number, line in enumerate(lines):
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as cause:
            raise ValueError(f"entry {number + 1} stands on a line of its own and is no JSON: {cause}") from cause


class _Reading:
    """The part of a file that was read and not used yet."""

    def __init__(self, file: TextIO) -> None:
        self.file, self.text, self.place, self.ended = file, "", 0, False

    def entries(self) -> Iterator[tuple[str | int, Any]]:
        begin = self._sign()
        if begin not in ("[", "{"):
            raise ValueError("it is neither a list nor an object")
        self.place += 1
        end = "]" if begin == "[" else "}"
        number = 0
        while self._sign() != end:
            if number:
                self._over(",")
            key: str | int = number
            if begin == "{":
                key = self._value()
                self._over(":")
            yield key, self._value()
            number += 1
        self.place += 1
        if self._sign():
            raise ValueError(f"something stands after its end: {self.text[self.place : self.place + 20]!r}")

    def _sign(self) -> str:
        """The next sign that is no space; nothing at the end."""
        while True:
            match = _SPACE.match(self.text, self.place)
            self.place = match.end() if match else self.place
            if self.place < len(self.text) or not self._more():
                return self.text[self.place : self.place + 1]

    def _over(self, wanted: str) -> None:
        sign = self._sign()
        if sign != wanted:
            raise ValueError(f"{wanted!r} is wanted, and {sign or 'its end'!r} is there")
        self.place += 1

    def _value(self) -> Any:
        self._sign()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.place)
            except ValueError:
                if not self._more():
                    raise
                continue
            # A number may go on where the text ends, or shortly before: `1.` is none yet.
            if self.text[end : end + 1] in _ENDS or not self._more():
                self.place = end
                return value

    def _more(self) -> bool:
        """Read on, twice as much each time that one entry needs it; whether there was anything."""
        if self.ended:
            return False
        rest = self.text[self.place :]
        chunk = self.file.read(max(_CHUNK, len(rest)))
        self.ended = not chunk
        self.text, self.place = rest + chunk, 0
        return bool(chunk)
