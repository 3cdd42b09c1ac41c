"""Values of one world in words: as its blueprint says them, or else as their type is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.language.column_types import column_of
from envscaler_mcp.language.column_types.moments import spoken_day
from envscaler_mcp.language.expressions import Get, Local
from envscaler_mcp.language.stories import Chosen, Said, Story, Telling
from envscaler_mcp.scenarios.phrases import enumerated, spoken


@dataclass(frozen=True, slots=True)
class Wording:
    """How a telling says plain values."""

    words: Mapping[str, str]
    """The blueprint's own words, by `Entity.attribute.value` or `operation.parameter.value`."""
    today: str

    def of(self, story: Story, telling: Telling, part: Said, value: Any) -> str:
        """A value that is no record, as this part of a telling says it."""
        name = part.value.name if isinstance(part.value, Local) else ""
        role = next((entry for entry in story.cast if isinstance(entry, Chosen) and entry.name == name), None)
        if role is None:
            return self._plain(part, value)
        said = self.words.get(f"{role.source}.{value}") or self._plain(part, value)
        return said if self._day_is_clear(telling, part, value) else f"{said} on {spoken_day(value[:10], self.today)}"

    def _day_is_clear(self, telling: Telling, part: Said, value: Any) -> bool:
        """A time of day alone is today's, unless the same telling says the day."""
        column = column_of(part.value.type)
        if not column.leaves_out_the_day(part.format) or value[:10] == self.today:
            return True
        return any(
            isinstance(other, Said) and other.source == part.source and not column.leaves_out_the_day(other.format)
            for other in telling
        )

    def _plain(self, part: Said, value: Any) -> str:
        type_ = part.value.type
        if isinstance(part.value, Get) and part.value.of.type.kind == "ref":
            said = self.words.get(f"{part.value.of.type.entity}.{part.value.name}.{value}")
            if said:
                return said
        if isinstance(value, list) and type_.of is not None:
            return enumerated([spoken(entry, type_.of, part.format, self.today) for entry in value])
        return spoken(value, type_, part.format, self.today)
