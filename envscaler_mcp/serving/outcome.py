"""What came of one call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from json import encoder
from typing import Any, Literal

Kind = Literal["done", "refused", "invalid", "limited", "failed", "ended", "exhausted"]
"""`refused` by the environment, `invalid` before it was asked, `limited` because the call or its result went over a limit,
`failed` because of an exception inside the environment. `ended` and `exhausted`: the world is gone, through its code, or
because this call took too much time or memory.
"""
CHANGING = ("done", "failed")
"""Kinds of outcomes after which something may be different: in a published world, what a failing call did stays done."""
KIND = "envscaler/kind"
"""The name in a result's `_meta` under which a server tells the kind, where more is to be told than whether it is an error."""


def _encoder() -> Callable[[Any], str]:
    """The text of plain JSON. `JSONEncoder.encode` makes its encoder anew in each call, which takes longer than using it."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"))
    make = encoder.c_make_encoder  # type: ignore[attr-defined]
    if make is None:
        return plain.encode
    pieces = make(None, plain.default, encoder.encode_basestring, None, ":", ",", False, False, False)
    return lambda value: "".join(pieces(value, 0))


encode = _encoder()


class Outcome:
    """The answer to a call, as the text that is sent; two equal answers have equal texts on every way out."""

    __slots__ = ("__dict__", "kind", "text")

    kind: Kind
    text: str

    def __init__(self, kind: Kind, text: str) -> None:
        self.kind = kind
        self.text = text

    @classmethod
    def saying(cls, kind: Kind, sentence: str) -> Outcome:
        """An unsuccessful outcome in one sentence."""
        return cls(kind, encode({"success": False, "error": sentence}))

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The result as plain JSON; it shares nothing with the world's records."""
        payload: dict[str, Any] = json.loads(self.text)
        return payload

    @property
    def structured(self) -> dict[str, Any] | None:
        """What goes with the text as structured content, if anything does."""
        return self.payload

    @property
    def wire(self) -> str:
        """The same as JSON, for a channel that carries nothing else."""
        return self.text

    @property
    def is_error(self) -> bool:
        """Whether the call did not do what was asked."""
        return self.kind != "done"

    def __repr__(self) -> str:
        return f"Outcome({self.kind!r}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and (self.kind, self.text) == (other.kind, other.text)

    def __hash__(self) -> int:
        return hash((self.kind, self.text))


class PublishedOutcome(Outcome):
    """The answer of a published environment: a text of any kind, as Python prints the result."""

    __slots__ = ()

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The text in an object, for clients that want one."""
        return {"text": self.text}

    @property
    def wire(self) -> str:
        """The same as JSON, for a channel that carries nothing else."""
        return encode(self.payload)


INSIDE = " failed because of an error inside the environment; nothing was changed."
"""How a sentence ends that tells of a defect inside an environment."""
ENDED = Outcome.saying("ended", "This world has ended; a new one must be opened.")
"""What a server answers when the worker that held its world is gone."""
_ENDED_BY = {
    "memory": "This world has ended because it used too much memory; a new one must be opened.",
    "time": "This world has ended because a call took too long; a new one must be opened.",
}


def ended(reason: str) -> Outcome:
    """The same, for a reason that agents may know; what hostile code did is for the world's owner."""
    return Outcome.saying("exhausted", _ENDED_BY[reason]) if reason in _ENDED_BY else ENDED


_ENDED_TEXTS = frozenset({ENDED.text, *(ended(reason).text for reason in _ENDED_BY)})


def says_ended(text: str) -> bool:
    """Whether an answer says that its world is gone."""
    return text in _ENDED_TEXTS


def says_failed(text: str) -> bool:
    """Whether an error sounds like an exception inside the environment; others may write the same words."""
    if text.startswith("Error: "):
        # As published; what an environment says here is JSON otherwise.
        return "\nTraceback (most recent call last):\n" in text
    return text.endswith(f'{INSIDE}"}}')


def meta_of(kind: Kind) -> dict[str, str] | None:
    """What a server adds to the result of a call in `_meta`; most results say all by whether they are an error."""
    return {KIND: kind} if kind in _TOLD_APART else None


_TOLD_APART: dict[object, Kind] = {"limited": "limited", "failed": "failed", "ended": "ended", "exhausted": "exhausted"}


def kind_of(meta: Mapping[str, Any] | None, is_error: bool) -> Kind:
    """The kind of an outcome that arrived from a server. Its text is never asked: an agent may have written it."""
    if not is_error:
        return "done"
    said = (meta or {}).get(KIND)
    return _TOLD_APART.get(said, "refused") if type(said) is str else "refused"
