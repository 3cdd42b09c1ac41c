"""Text as few pieces that stay the same wherever a value stands, so that a small model can copy values."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

_PIECES = re.compile(
    r'["\]}]*,?[\[{]*"[a-z_0-9]+":(?:\[?"(?![a-z_0-9]+":))?'  # the name of a field with the signs around it
    r"|[A-Z]+(?:_[A-Z]+)*-000(?=\d\d)"  # an id but for its last two digits
    r"|\d{4}-\d\d-(?=\d\d)"  # a date but for its day
    r"|[a-z]+(?:_[a-z]+)+"  # the name of a tool
    r"|[A-Za-z]+"
    r"|[.,;!?] "
    r"|\d\d?"
    r"|\s"
    r"|[\[\]{}\",:]+"
    r"|.",
    re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z]+")
END = "\x04"
"""Ends a line of the agent."""
CALL = "\x01"
"""Begins a line of the agent."""
RESULT = "\x02"
"""Begins what a tool answered."""
_SIGNS = (END, CALL, RESULT)


class Tokenizer:
    """Whole words, names of fields, halves of ids and pairs of digits; anything rarer is spelt byte by byte.

    A space between two known words is not written: it stands there again when the pieces are joined. So a name has the
    same pieces at the beginning of a JSON string and in the middle of a sentence.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = tuple(pieces)
        self._numbers = {piece: number for number, piece in enumerate(pieces, 256)}
        self._words = {number for piece, number in self._numbers.items() if _WORD.fullmatch(piece)}
        self.end, self.call, self.result = (self._numbers[sign] for sign in _SIGNS)
        self._space = ord(" ")

    @classmethod
    def of(cls, texts: Iterable[str], *, seen: int = 8, most: int = 6000) -> Tokenizer:
        """The pieces that these texts hold at least so often."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_PIECES.findall(text))
        digits = [f"{number:02d}" for number in range(100)] + [str(digit) for digit in range(10)]
        common = [piece for piece, times in counts.most_common(most) if times >= seen]
        return cls(tuple(dict.fromkeys([*_SIGNS, *digits, *common])))

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return 256 + len(self.pieces)

    def encode(self, text: str) -> list[int]:
        """The numbers of a text."""
        numbers: list[int] = []
        for piece in _PIECES.findall(text):
            known = self._numbers.get(piece)
            if known is None:
                numbers.extend(piece.encode())
            else:
                if (
                    known in self._words
                    and numbers[-1:] == [self._space_number]
                    and numbers[-2:-1]
                    and numbers[-2] in self._words
                ):
                    numbers.pop()
                numbers.append(known)
        return numbers

    @property
    def _space_number(self) -> int:
        return self._numbers.get(" ", self._space)

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of numbers."""
        parts: list[bytes] = []
        before = False
        for number in numbers:
            word = number in self._words
            if before and word:
                parts.append(b" ")
            parts.append(bytes([number]) if number < 256 else self.pieces[number - 256].encode())
            before = word
        return b"".join(parts).decode("utf-8", "replace")

    def write(self, path: Path) -> None:
        """Store it as JSON."""
        path.write_text(json.dumps({"pieces": self.pieces}, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Tokenizer:
        """As it was stored."""
        return cls(tuple(json.loads(path.read_text(encoding="utf-8"))["pieces"]))
