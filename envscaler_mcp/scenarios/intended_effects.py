"""The changes of a plan that a task can ask for: without new ids, timestamps and counters, which follow from the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_mcp.artifacts import Frame, StateDiff
from envscaler_mcp.scenarios.facts import frame_of
from envscaler_mcp.scenarios.replay import content_form, with_new_ids
from envscaler_mcp.scenarios.shapes import leaves

Place = tuple[str, str]
"""A container and a field."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the ends of one task are told apart."""

    passing: frozenset[Place]
    """Fields whose values depend on the minute or on chance."""
    free: tuple[str, ...]
    """Plain values of the state that depend on those, or only count."""
    given: frozenset[str]
    """New ids that the task itself names."""

    @classmethod
    def of(cls, diff: StateDiff, twin: StateDiff, names: Mapping[str, str], given: frozenset[str]) -> Wishes:
        """Learned from two ends of one plan, the second at another minute, with other chance; `names` are its ids here."""
        back = dict(names)
        passing: set[Place] = set()
        for container, records in diff.created.items():
            others = {
                back.get(key, key): with_new_ids(other, back) for key, other in twin.created.get(container, {}).items()
            }
            for key, record in records.items():
                other = others.get(key, {})
                passing |= {(container, name) for name, value in record.items() if other.get(name) != value}
                passing |= {(container, name) for name, value in record.items() if _holds_new(value, diff, given)}
        for container, changes in diff.changed.items():
            for key, fields in changes.items():
                seen = twin.changed.get(container, {}).get(key, {})
                for name, (_, after) in fields.items():
                    if with_new_ids(seen.get(name, (None, None))[1], back) != after or _holds_new(after, diff, given):
                        passing.add((container, name))
        return cls(frozenset(passing), tuple(sorted(_free(diff, twin, back))), given)

    def of_diff(self, diff: StateDiff) -> StateDiff:
        """The difference without what only follows from other changes."""
        created = {
            container: {
                key: {name: value for name, value in record.items() if (container, name) not in self.passing}
                for key, record in records.items()
            }
            for container, records in diff.created.items()
        }
        changed = {
            container: {
                key: intended
                for key, fields in records.items()
                if (intended := {name: pair for name, pair in fields.items() if (container, name) not in self.passing})
            }
            for container, records in diff.changed.items()
        }
        scalars = {path: pair for path, pair in diff.scalars.items() if not self.lets(path)}
        return StateDiff(
            created=created,
            deleted=diff.deleted,
            changed={container: records for container, records in changed.items() if records},
            scalars=scalars,
        )

    def lets(self, path: str) -> bool:
        """Whether the plain value may be anything."""
        return any(path == free or path.startswith(f"{free}.") for free in self.free)

    def form(self, diff: StateDiff) -> str:
        """The same for ends that a check cannot tell apart."""
        return content_form(self.of_diff(diff), self.given)

    def frame(self, diff: StateDiff) -> Frame:
        """What may change: what did."""
        paths = {path for path in diff.scalars if not self.lets(path)}
        return frame_of(diff, tuple(sorted({*paths, *self.free})))


def _holds_new(value: Any, diff: StateDiff, given: frozenset[str]) -> bool:
    """Whether a sentence in the value speaks of an id that the call made up."""
    new = {key for records in diff.created.values() for key in records} - given
    texts = [leaf for leaf in leaves(value) if isinstance(leaf, str)]
    return any(key in text and key != text for text in texts for key in new)


def _free(diff: StateDiff, twin: StateDiff, back: Mapping[str, str]) -> set[str]:
    """Paths of plain values that follow from something else."""
    new = {key for records in diff.created.values() for key in records}
    numbers = {len(records) for records in diff.created.values()} | {len(new)}
    others = {
        ".".join(back.get(part, part) for part in path.split(".", 1)): pair for path, pair in twin.scalars.items()
    }
    paths: set[str] = set()
    for path, (before, after) in diff.scalars.items():
        counts = type(before) is int and type(after) is int and after - before in numbers - {0}
        if path.partition(".")[2] in new:
            # Which entries there are is for the new records to say.
            paths.add(path.partition(".")[0])
        elif counts or with_new_ids(others.get(path, (None, None))[1], dict(back)) != after:
            paths.add(path)
    return paths
