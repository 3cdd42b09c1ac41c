"""Whether a request needs a live system of one trade that keeps records and can be read and changed.

A table of cues, each with a weight and a name, so that a reader can see why a request was kept, and correct it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NEEDED = 2
"""What the cues of a request must weigh together."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Something in a request that speaks for or against records."""

    name: str
    weight: int
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found in one request."""

    weight: int
    cues: tuple[str, ...]

    @property
    def stateful(self) -> bool:
        return self.weight >= NEEDED


def _cue(name: str, weight: int, *patterns: str) -> Cue:
    return Cue(name, weight, re.compile("|".join(patterns), re.IGNORECASE | re.VERBOSE))


_RECORD = (
    r"(?:account|address|alarm|alert|appointment|asset|balance|basket|bill|booking|calendar|card|cart|case|claim|contact|"
    r"contract|customer|deal|delivery|device|document|employee|enrol?lment|event|expense|fabric|file|flight|folder|"
    r"interface|inventory|invoice|issue|item|job|lead|lesson|list|loan|meeting|membership|message|node|note|order|parcel|"
    r"patient|payment|permit|plan|playlist|policy|portfolio|prescription|product|profile|project|queue|record|"
    r"registration|reminder|rental|report|request|reservation|room|schedule|seat|server|session|shift|shipment|slot|stock|"
    r"student|subscription|task|ticket|transaction|transfer|trip|user|vehicle|visit|volume|watchlist|wallet)s?"
)
CUES = (
    _cue(
        "changes a record",
        2,
        r"\b(?:re)?(?:book|reserve|schedule)\b(?!\s+(?:club|review|title|for\s+(?:beginners|children)))",
        r"\b(?:cancel|reschedule|postpone|order|purchase|buy|rent|hire|enrol?l|register|sign\s+(?:me|us|him|her|them)\s+up|"
        r"subscribe|unsubscribe|renew|refund|reimburse|transfer|withdraw|deposit|dispatch|assign|reassign|approve|reject|"
        r"refill|restock|check\s+(?:me|him|her|them|out|in)\b|waitlist)\b(?!\s+of\b)",
        r"\b(?:add|remove|delete|include|integrate|insert|append|put|move|attach|upload|enter|log|record|save|store)\b"
        rf"[^.?!]{{0,60}}\b(?:to|from|in|into|under|on|as)\s+(?:my|our|the|his|her|their)\s+(?:\w+\s+){{0,3}}{_RECORD}\b",
        rf"\b(?:add|create|delete|remove|update|change|edit|modify|close|open|file|submit|activate|deactivate|block|"
        rf"unblock|rename|merge|archive|pin|mark|set\s+up|place|make)\s+(?:me\s+)?(?:a|an|the|my|our|this|that|new|his|her)"
        rf"\s+(?:\w+[\s-]+){{0,3}}{_RECORD}\b",
        r"\bpay\s+(?:my|the|a|for|off)\b",
        r"\b(?:send|forward|reply\s+to)\s+(?:an?|the|this|my|\w+)\s+(?:\w+\s+)?(?:message|e-?mail|mail|text|invoice)\b",
        r"\bset\s+(?:an?|my|the)\s+(?:\w+\s+){0,2}(?:alarm|reminder|timer|thermostat|temperature|budget)\b",
        r"\bturn\s+(?:on|off|up|down)\b|\b(?:volume|brightness|temperature)\s+(?:level\s+)?(?:to|at|of)\s+\d+",
        r"\b(?:enable|disable|switch|change)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:settings?|mode)\b",
        r"\b(?:arrange|request|get)\s+(?:me\s+|us\s+)?(?:an?|the)\s+(?:\w+\s+){0,2}(?:flight|ride|taxi|cab|pick-?up|delivery)\b",
        r"\b(?:call|hail)\s+(?:me|us)\s+(?:an?|the)\b",
        r"\b(?:access|share)\s+(?:\w+\s+){0,2}(?:records?|files?|documents?)\b",
        r"\bjoin\s+(?:a|an|the|my)\b",
    ),
    _cue(
        "speaks of records of its own",
        2,
        rf"\b(?:my|our)\s+(?:\w+\s+){{0,2}}{_RECORD}\b",
        r"\b(?:associated\s+with|assigned\s+to|belong(?:s|ing)?\s+to)\s+(?:me|us|my|our)\b",
        r"\b(?:on|of|in)\s+(?:our|my)\s+organi[sz]ation\b",
        r"\b(?:current|working|this|'\w+')\s+(?:project\s+)?(?:directory|folder|repository)\b",
        r"\bin\s+(?:our|my)\s+(?:environment|system|account|database|cluster|inventory|workspace|fleet|network)\b",
    ),
    _cue(
        "names a record by its number",
        2,
        r"\b(?:\w+[\s-])?(?:id|no\.?|number|numbered|code|ref(?:erence)?)\s*(?:is|of|:|=|\#|named)?\s*['\"“]?"
        r"(?=[\w-]*\d)[\w-]{2,}",
        r"\#\d{2,}",
    ),
    _cue("speaks of records", 1, rf"\b{_RECORD}\b"),
    _cue(
        "asks how something stands",
        1,
        r"\b(?:status|progress|whereabouts|availability)\s+of\b",
        r"\btrack(?:ing)?\b",
        r"\b(?:retrieve|pull\s+up|look\s+up|fetch)\b",
    ),
    _cue(
        "reckons",
        -4,
        r"\b(?:calculate|compute|convert|solve|factori[sz]e|integrate\s+the|differentiate|estimate\s+the|evaluate)\b",
        r"\b(?:roots?\s+of|area\s+of|volume\s+of\s+a|probability|square\s+root|factorial|derivative|prime\s+numbers?|"
        r"greatest\s+common|least\s+common|standard\s+deviation|body\s+mass\s+index|molecular|velocity|electromagnetic)\b",
    ),
    _cue(
        "wants to know or to be told how",
        -3,
        r"^\W*(?:what(?:'s|\s+is|\s+are|\s+was|\s+were)\s+(?!the\s+status|my|on\s+my|in\s+my)|who\s+(?:is|was|won|invented|"
        r"wrote)|why\b|when\s+(?:did|was)\b|how\s+(?:to|do\s+(?:i|you)|can\s+(?:i|you|we)|does|did|many|much|far|long|"
        r"old|tall)\b|explain|describe|define|tell\s+me\s+about|is\s+it\b|are\s+there)",
        r"\b(?:guidelines?|tips|techniques?|advice|information\s+(?:on|about|and)|resources|recommendations?|exercises?|"
        r"second\s+opinion|side\s+effects|history\s+of|difference\s+between|recipe|hotline|tutorial|counsell?ing)\b",
    ),
    _cue(
        "wants a text",
        -4,
        r"\b(?:write|compose|draft|generate|summari[sz]e|translate|paraphrase|proofread)\s+(?:\w+\s+){0,3}(?:poem|story|"
        r"essay|song|script|code|function|program|paragraph|text|article|query|sentence|joke|letter|caption|image)\b",
        r"\btranslate\b",
        r"(?:[\\/][a-z]\w*){2,}|\.(?:py|exe|sh|js)\b|\becho\b|\bsudo\b",
        r"\bintents?\b",
    ),
    _cue("speaks of what a place is", -2, r"\b(?:coordinates|latitude|longitude|altitude)\b"),
    _cue(
        "looks for what is public",
        -2,
        r"\b(?:weather|forecast|news|movies?|films?|song|lyrics|horoscope|zodiac|stock\s+price|exchange\s+rate|wikipedia|"
        r"mountains?|population|capital\s+of|time\s+(?:in|is\s+it)|near(?:est|by|\s+me)|attractions?|reviews?)\b",
        r"\b(?:find|search\s+for|looking\s+for|look\s+for|recommend|suggest|list\s+of|give\s+me\s+the\s+list)\b(?![^.?!]*\b"
        r"(?:my|our)\b)",
    ),
)


def look_at(request: str) -> Finding:
    """The cues in a request and what they weigh together."""
    cues = [cue for cue in CUES if cue.pattern.search(request)]
    return Finding(sum(cue.weight for cue in cues), tuple(cue.name for cue in cues))
