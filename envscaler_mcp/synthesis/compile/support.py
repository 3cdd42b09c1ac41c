"""Small functions that compiled code may need; a module gets those it calls, and no others."""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {
    "_refused": '''
def _refused(error: str) -> Result:
    """What a call that may not be made answers."""
    return {"success": False, "error": error}
''',
    "_found": '''
def _found(data: object, names: dict[str, str] | None = None) -> Result:
    """What a question answers, and what people call the records to which that points."""
    return {"success": True, "data": data, "names": names} if names else {"success": True, "data": data}
''',
    "_names": '''
def _names(*pointed: tuple[dict[str, Any], str, list[Any]]) -> dict[str, str]:
    """What people call the records with these ids: each time all records, the attribute that names them, and ids."""
    return {key: records[key][label] for records, label, keys in pointed for key in keys if key in records}
''',
    "_clock": '''
def _clock(now: str) -> dict[str, str]:
    """The day and the hour, and the day of the week."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return {"now": now, "weekday": days[date.fromisoformat(now[:10]).weekday()]}
''',
    "_page": '''
def _page(records: list[Any], offset: int) -> list[Any]:
    """At most fifty of them, from the one at `offset`."""
    return records[offset : offset + 50]
''',
    "_age": '''
def _age(record: Any) -> tuple[int, str]:
    """The order of records: ids are counted up, so older ones come first."""
    return len(record["id"]), record["id"]
''',
    "_copied": '''
def _copied(records: dict[str, Any]) -> dict[str, Any]:
    """Records of one's own, oldest first."""
    ordered = sorted(records.items(), key=lambda pair: (len(pair[0]), pair[0]))
    return {
        key: {field: [*value] if isinstance(value, list) else value for field, value in record.items()}
        for key, record in ordered
    }
''',
    "_id_of": '''
def _id_of(record: Any) -> str | None:
    """The id of a record that may not be there."""
    return record["id"] if record is not None else None
''',
    "_distinct": '''
def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())
''',
    "_money": '''
def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"
''',
    "_rounded": '''
def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))
''',
    "_mean": '''
def _mean(values: list[int]) -> Fraction | None:
    """The average, or None of nothing."""
    return Fraction(sum(values), len(values)) if values else None
''',
    "_different": '''
def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)
''',
    "_descending": '''
def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)
''',
    "_plus_days": '''
def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()
''',
    "_days_between": '''
def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()
''',
    "_plus_minutes": '''
def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"
''',
    "_minutes_between": '''
def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])
''',
    "_clock_minutes": '''
def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])
''',
    "_add_months": '''
def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()
''',
    "_weekday": '''
def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()
''',
    "_years": '''
def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])
''',
    "_dates": '''
def _dates(start: str, end: str) -> list[str]:
    """Every date from start until the day before end, at most 366."""
    return [_plus_days(start, days) for days in range(min(max(_days_between(start, end), 0), 366))]
''',
    "_numbers": '''
def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))
''',
    "_overlap": '''
def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)
''',
    "_bucket": '''
def _bucket(*values: Any) -> int:
    """A number from 0 to 99 that is always the same for the same values."""
    return int.from_bytes(sha256("|".join(map(str, values)).encode()).digest()[:8], "big") % 100
''',
    "_above": '''
def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())
''',
    "_below": '''
def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())
''',
    "_those": '''
def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)
''',
}

NEEDS: dict[str, tuple[str, ...]] = {
    "_plus_minutes": ("_clock_minutes",),
    "_minutes_between": ("_days_between", "_clock_minutes"),
    "_dates": ("_plus_days", "_days_between"),
    "_below": ("_age",),
    "_those": ("_age",),
}
"""What a function calls itself."""

IMPORTS: dict[str, str] = {
    r"\bIterable\[": "from collections.abc import Iterable",
    r"\bdate\.(from|max)|\bdate\(": "from datetime import date",
    r"\bmonthrange\(": "from calendar import monthrange",
    r"\bFraction\b": "from fractions import Fraction",
    r"(?<![\w.])floor\(": "from math import floor",
    r"(?<![\w.])ceil\(": "from math import ceil",
    r"\bsha256\(": "from hashlib import sha256",
}
"""A pattern in the code, and the import that it calls for."""
