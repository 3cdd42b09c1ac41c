"""What an agent's words ask of the user, found by rules alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")
_MORE = re.compile(r"\b(?:anything|something|what|how) else\b|\b(?:further|more) (?:help|questions)\b", re.IGNORECASE)
_DONE = re.compile(r"\b(?:done|finished|completed?|all set)\b", re.IGNORECASE)
_TELL = re.compile(
    r"\b(?:tell me|give me|let me (?:know|have)|provide|specify|share|send me|please (?:confirm|name)|i(?: will|'ll)? need)\b",
    re.IGNORECASE,
)
_WH = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
_OFFER = re.compile(
    r"\b(?:(?:shall|should|may|can|could|might) (?:i|we)(?! (?:ask|get|have|know|see)\b)|i (?:can|could)\b(?!')|let me(?! know| have)"
    r"|do you want|want me to|(?:would|if) you(?:'d)? like|you like me|is it (?:ok|okay|fine|all right)|proceed|go ahead)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:can't|cannot|can not|(?:unable|not able) to|won't|will not|refuse|impossible|not (?:possible|allowed|permitted))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Speech:
    """One thing said by an agent."""

    asks: str
    """The parts of it that ask for something; an offer is no part of them, nor is whether there is anything else."""
    clauses: tuple[str, ...]
    """The same parts, one by one."""
    offers: bool
    """Whether it offers something, or asks for leave."""
    closes: bool
    """Whether it takes the matter for done."""
    refuses: bool
    """Whether it says that something cannot be done, and asks for nothing that might help."""

    @classmethod
    def of(cls, said: str) -> Self:
        """What was said, read sentence by sentence."""
        asks: list[str] = []
        offers = closes = listing = False
        said = said.replace("’", "'")
        for sentence in _SENTENCE.findall(said):
            if _MORE.search(sentence):
                closes = True
                continue
            asking = listing or "?" in sentence or _TELL.search(sentence) is not None
            # "Please tell me:", and the lines below it.
            listing = asking and (listing or sentence.rstrip().endswith(":"))
            closes = closes or (not asking and _DONE.search(sentence) is not None)
            for clause in re.split("[,;:]", sentence):
                if _is_offer(clause):
                    offers = True
                elif asking:
                    asks.append(clause)
        asked = " ".join(asks).strip()
        refuses = _REFUSAL.search(said) is not None and not asked and not offers
        return cls(asks=asked, clauses=tuple(asks), offers=offers, closes=closes, refuses=refuses)


def _is_offer(clause: str) -> bool:
    offer, question = _OFFER.search(clause), _WH.search(clause)
    # "Which day shall I take?" asks for a day.
    return offer is not None and (question is None or offer.start() < question.start())
