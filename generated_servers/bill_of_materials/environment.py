"""Bill of materials. Compiled from blueprint.yaml; run `envscaler build bill_of_materials` after changing it there.

Keeps the parts of a product line and what they are made of, revision by revision, with engineering changes that
take effect on a day, substitutes, standard costs and parts that are phased out.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A part has at most one current revision and one draft.",
    "No part contains itself, however deep.",
    "The structure of a part holds every component of its current revision.",
    "A revision names each component once.",
    "The revisions of a part are numbered, and only made parts have any.",
    "A revision that a change has released has at least one line.",
    "An obsolete part is in no draft and in no current revision.",
    "An obsolete part has no draft and no current revision.",
    "A draft belongs to a change that is open or approved, and what a change has released is implemented.",
    "Nobody approves their own change, and only those who may.",
    "An approved change has an approver and a day.",
    "A part is replaced by another one of the same kind, named once, and neither is obsolete.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_part",
    "open_change",
    "draft_revision",
    "set_line",
    "drop_line",
    "replace_everywhere",
    "approve_change",
    "reject_change",
    "implement_change",
    "value_part",
    "allow_substitute",
    "change_life",
)
"""The methods that may change something; all others only read."""

PART_LIFE_MOVES = {("active", "phase_out"), ("phase_out", "active"), ("phase_out", "obsolete")}

LABELS: dict[str, tuple[str, ...]] = {
    "engineers": ("name",),
    "parts": ("number",),
    "changes": ("number",),
    "revisions": (),
    "lines": (),
    "substitutes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("changes", "number"),
    ("lines", "component_id"),
    ("lines", "revision_id"),
    ("parts", "number"),
    ("parts", "use_ids"),
    ("revisions", "archive"),
    ("revisions", "change_id"),
    ("revisions", "part_id"),
    ("revisions", "status"),
    ("substitutes", "instead_id"),
    ("substitutes", "part_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Engineer(TypedDict):
    id: str
    name: str
    may_approve: bool


class Part(TypedDict):
    id: str
    number: str
    description: str
    kind: Literal["bought", "made"]
    cost: int
    life: Literal["active", "phase_out", "obsolete"]
    use_ids: list[str]


class Change(TypedDict):
    id: str
    number: str
    author_id: str
    reason: str
    approved_by_id: str | None
    effective_on: str | None
    status: Literal["open", "approved", "rejected", "implemented"]


class Revision(TypedDict):
    id: str
    part_id: str
    step: int
    archive: str | None
    change_id: str | None
    released_on: str | None
    status: Literal["draft", "released", "superseded"]


class Line(TypedDict):
    id: str
    revision_id: str
    component_id: str
    quantity: int


class Substitute(TypedDict):
    id: str
    part_id: str
    instead_id: str
    per_piece: int


def _refused(error: str) -> Result:
    """What a call that may not be made answers."""
    return {"success": False, "error": error}


def _found(data: object, names: dict[str, str] | None = None) -> Result:
    """What a question answers, and what people call the records to which that points."""
    return {"success": True, "data": data, "names": names} if names else {"success": True, "data": data}


def _names(*pointed: tuple[dict[str, Any], str, list[Any]]) -> dict[str, str]:
    """What people call the records with these ids: each time all records, the attribute that names them, and ids."""
    return {key: records[key][label] for records, label, keys in pointed for key in keys if key in records}


def _clock(now: str) -> dict[str, str]:
    """The day and the hour, and the day of the week."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return {"now": now, "weekday": days[date.fromisoformat(now[:10]).weekday()]}


def _page(records: list[Any], offset: int) -> list[Any]:
    """At most fifty of them, from the one at `offset`."""
    return records[offset : offset + 50]


def _age(record: Any) -> tuple[int, str]:
    """The order of records: ids are counted up, so older ones come first."""
    return len(record["id"]), record["id"]


def _copied(records: dict[str, Any]) -> dict[str, Any]:
    """Records of one's own, oldest first."""
    ordered = sorted(records.items(), key=lambda pair: (len(pair[0]), pair[0]))
    return {
        key: {field: [*value] if isinstance(value, list) else value for field, value in record.items()}
        for key, record in ordered
    }


def _id_of(record: Any) -> str | None:
    """The id of a record that may not be there."""
    return record["id"] if record is not None else None


def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


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


class BillOfMaterials:
    """Keeps the parts of a product line and what they are made of, revision by revision, with engineering
    changes that take effect on a day, substitutes, standard costs and parts that are phased out.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.engineers: dict[str, Engineer] = _copied(config.get("engineers", {}))
        self.parts: dict[str, Part] = _copied(config.get("parts", {}))
        self.changes: dict[str, Change] = _copied(config.get("changes", {}))
        self.revisions: dict[str, Revision] = _copied(config.get("revisions", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.substitutes: dict[str, Substitute] = _copied(config.get("substitutes", {}))
        self.now: str = config.get("now", "2026-04-14T08:40")
        self.counters: dict[str, int] = {
            "engineer": len(self.engineers),
            "part": len(self.parts),
            "change": len(self.changes),
            "revision": len(self.revisions),
            "line": len(self.lines),
            "substitute": len(self.substitutes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._parts_by_number: dict[Any, dict[str, Part]] = {}
        self._parts_by_uses: dict[Any, dict[str, Part]] = {}
        self._changes_by_number: dict[Any, dict[str, Change]] = {}
        self._revisions_by_archive: dict[Any, dict[str, Revision]] = {}
        self._revisions_by_change: dict[Any, dict[str, Revision]] = {}
        self._revisions_by_change_status: dict[Any, dict[str, Revision]] = {}
        self._revisions_by_part: dict[Any, dict[str, Revision]] = {}
        self._revisions_by_part_status: dict[Any, dict[str, Revision]] = {}
        self._lines_by_component: dict[Any, dict[str, Line]] = {}
        self._lines_by_revision: dict[Any, dict[str, Line]] = {}
        self._lines_by_revision_component: dict[Any, dict[str, Line]] = {}
        self._substitutes_by_instead: dict[Any, dict[str, Substitute]] = {}
        self._substitutes_by_part: dict[Any, dict[str, Substitute]] = {}
        self._substitutes_by_part_instead: dict[Any, dict[str, Substitute]] = {}
        for part in self.parts.values():
            self._link("parts", part)
        for change in self.changes.values():
            self._link("changes", change)
        for revision in self.revisions.values():
            self._link("revisions", revision)
        for line in self.lines.values():
            self._link("lines", line)
        for substitute in self.substitutes.values():
            self._link("substitutes", substitute)

    def where_used(self, part_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Everything that contains a part at any depth in current revisions.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}} or {"success": False, "error": why
                not}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        found = [p for p in _below(self._parts_by_uses, part)]
        found.sort(key=lambda p: (p["number"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parts": [
                    {
                        "id": p["id"],
                        "number": p["number"],
                        "description": p["description"],
                        "directly": part_id in p["use_ids"],
                        "life": p["life"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def current_structure(
        self,
        part_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The lines of the current revision of a part, the dearest first.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}} or {"success": False, "error": why
                not}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        found = [
            l
            for l in self.lines.values()
            if (self._part_current(part) is not None and self.revisions[l["revision_id"]] is self._part_current(part))
        ]
        found.sort(
            key=lambda l: (
                -(l["quantity"] * self.parts[l["component_id"]]["cost"]),
                self.parts[l["component_id"]]["number"],
                _age(l),
            )
        )
        return _found(
            {
                "total": len(found),
                "lines": [
                    {
                        "id": l["id"],
                        "component": l["component_id"],
                        "number": self.parts[l["component_id"]]["number"],
                        "quantity": l["quantity"],
                        "cost": l["quantity"] * self.parts[l["component_id"]]["cost"],
                        "life": self.parts[l["component_id"]]["life"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def changes_due(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Approved changes whose day has come, the oldest day first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "changes": records}} or {"success": False, "error": why
                not}
        """
        found = [
            c
            for c in self.changes.values()
            if (
                c["status"] == "approved"
                and (
                    c["effective_on"]
                    if c["effective_on"] is not None
                    else _plus_days(self.now[:10], 1)
                ) <= self.now[:10]
            )
        ]
        found.sort(
            key=lambda c: (
                c["effective_on"] if c["effective_on"] is not None else self.now[:10],
                c["number"],
                _age(c),
            )
        )
        shown = [self._show_change(c) for c in _page(found, offset)]
        return _found({"total": len(found), "changes": shown}, self._names_of_changes(shown))

    def list_engineers(
        self,
        name: Text | None = None,
        may_approve: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the engineers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only engineers whose name contains this text.
            may_approve (bool, optional): Only engineers that may approve (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "engineers": records}}
        """
        found = [
            engineer
            for engineer in self.engineers.values()
            if (name is None or name.casefold() in engineer["name"].casefold())
            and (may_approve is None or engineer["may_approve"] == may_approve)
        ]
        return _found({"total": len(found), "engineers": [{**engineer} for engineer in _page(found, offset)]})

    def get_part(self, part_id: str) -> Result:
        """Look up one part by its id.

        Args:
            part_id (str): Id of the part, such as PART-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        shown = self._show_part(part)
        return _found(shown, self._names_of_parts([shown]))

    def list_parts(
        self,
        number: Text | None = None,
        kind: Literal["bought", "made"] | None = None,
        life: Literal["active", "phase_out", "obsolete"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parts, oldest first, all of them or only some.

        Args:
            number (str, optional): Only parts whose number contains this text.
            kind (str, optional): Only parts with this kind.
            life (str, optional): Only parts with this life.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parts": records}}
        """
        found = [
            part
            for part in self.parts.values()
            if (number is None or number.casefold() in part["number"].casefold())
            and (kind is None or part["kind"] == kind)
            and (life is None or part["life"] == life)
        ]
        shown = [self._show_part(part) for part in _page(found, offset)]
        return _found({"total": len(found), "parts": shown}, self._names_of_parts(shown))

    def list_changes(
        self,
        number: Text | None = None,
        author_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["open", "approved", "rejected", "implemented"] | None = None,
        effective_on_from: Date | None = None,
        effective_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the changes, oldest first, all of them or only some.

        Args:
            number (str, optional): Only changes whose number contains this text.
            author_id (str, optional): Only changes whose author is this engineer.
            approved_by_id (str, optional): Only changes approved by this engineer.
            status (str, optional): Only changes with this status.
            effective_on_from (str, optional): Only changes whose `effective_on` is on this day or later.
            effective_on_to (str, optional): Only changes whose `effective_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "changes": records}}
        """
        if author_id is not None and author_id not in self.engineers:
            return _refused(f"There is no engineer {author_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.engineers:
            return _refused(f"There is no engineer {approved_by_id!r}.")
        found = [
            change
            for change in self.changes.values()
            if (number is None or number.casefold() in change["number"].casefold())
            and (author_id is None or change["author_id"] == author_id)
            and (approved_by_id is None or change["approved_by_id"] == approved_by_id)
            and (status is None or change["status"] == status)
            and (
                effective_on_from is None
                or (change["effective_on"] is not None and change["effective_on"] >= effective_on_from)
            )
            and (
                effective_on_to is None
                or (change["effective_on"] is not None and change["effective_on"] <= effective_on_to)
            )
        ]
        shown = [self._show_change(change) for change in _page(found, offset)]
        return _found({"total": len(found), "changes": shown}, self._names_of_changes(shown))

    def list_revisions(
        self,
        part_id: str | None = None,
        change_id: str | None = None,
        status: Literal["draft", "released", "superseded"] | None = None,
        released_on_from: Date | None = None,
        released_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the revisions, oldest first, all of them or only some.

        Args:
            part_id (str, optional): Only revisions of this part.
            change_id (str, optional): Only revisions of this change.
            status (str, optional): Only revisions with this status.
            released_on_from (str, optional): Only revisions whose `released_on` is on this day or later.
            released_on_to (str, optional): Only revisions whose `released_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "revisions": records}}
        """
        if part_id is not None and part_id not in self.parts:
            return _refused(f"There is no part {part_id!r}.")
        if change_id is not None and change_id not in self.changes:
            return _refused(f"There is no change {change_id!r}.")
        found = [
            revision
            for revision in self.revisions.values()
            if (part_id is None or revision["part_id"] == part_id)
            and (change_id is None or revision["change_id"] == change_id)
            and (status is None or revision["status"] == status)
            and (
                released_on_from is None
                or (revision["released_on"] is not None and revision["released_on"] >= released_on_from)
            )
            and (
                released_on_to is None
                or (revision["released_on"] is not None and revision["released_on"] <= released_on_to)
            )
        ]
        shown = [self._show_revision(revision) for revision in _page(found, offset)]
        return _found({"total": len(found), "revisions": shown}, self._names_of_revisions(shown))

    def list_lines(
        self,
        revision_id: str | None = None,
        component_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            revision_id (str, optional): Only lines of this revision.
            component_id (str, optional): Only lines whose component is this part.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if revision_id is not None and revision_id not in self.revisions:
            return _refused(f"There is no revision {revision_id!r}.")
        if component_id is not None and component_id not in self.parts:
            return _refused(f"There is no part {component_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (revision_id is None or line["revision_id"] == revision_id)
            and (component_id is None or line["component_id"] == component_id)
        ]
        shown = [{**line} for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_substitutes(
        self,
        part_id: str | None = None,
        instead_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the substitutes, oldest first, all of them or only some.

        Args:
            part_id (str, optional): Only substitutes of this part.
            instead_id (str, optional): Only substitutes whose instead is this part.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "substitutes": records}}
        """
        if part_id is not None and part_id not in self.parts:
            return _refused(f"There is no part {part_id!r}.")
        if instead_id is not None and instead_id not in self.parts:
            return _refused(f"There is no part {instead_id!r}.")
        found = [
            substitute
            for substitute in self.substitutes.values()
            if (part_id is None or substitute["part_id"] == part_id)
            and (instead_id is None or substitute["instead_id"] == instead_id)
        ]
        shown = [{**substitute} for substitute in _page(found, offset)]
        return _found({"total": len(found), "substitutes": shown}, self._names_of_substitutes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_part(
        self,
        number: Text,
        description: Text,
        cost: Annotated[int, {"minimum": 1, "maximum": 9000000}],
        kind: Literal["bought", "made"] = "bought",
    ) -> Result:
        """Register a bought part with its price, or a made one with an estimate of its cost.

        Args:
            number (str): Part number, not in use yet.
            description (str): What the part is, in words.
            cost (int): Price or estimated cost of one piece, in cents, from 1 to 9000000.
            kind (str): Whether the part is bought or made in the house: bought or made. Default: bought.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._parts_by_number.get(number, {}):
            return _refused(f"There is a part {number} already.")
        self._journal = []
        part: Part = {
            "id": self._new_id("part", "PART", self.parts),
            "number": number,
            "description": description,
            "kind": kind,
            "cost": cost,
            "life": "active",
            "use_ids": [record["id"] for record in []],
        }
        self._add("parts", part)
        if len(self._parts_by_number.get(part["number"], {})) > 1:
            return self._take_back(f"There is already a part with the number {part['number']!r}.")
        if self._breaks_rule_2(part):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: register part {number}, {description}, at {_money(cost)} (new: part {part['id']}).",
            "data": {"part_id": part["id"], **self._changes()},
        }

    def open_change(self, number: Text, author_id: str, reason: Text) -> Result:
        """Open an engineering change.

        Args:
            number (str): Number of the new change, not in use yet.
            author_id (str): Engineer who proposes the change and may not approve it; an id such as ENGINEER-00001.
            reason (str): Why the change is needed.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        author = self.engineers.get(author_id)
        if author is None:
            return _refused(f"There is no engineer {author_id!r}.")
        if self._changes_by_number.get(number, {}):
            return _refused(f"There is a change {number} already.")
        self._journal = []
        change: Change = {
            "id": self._new_id("change", "CHANGE", self.changes),
            "number": number,
            "author_id": author_id,
            "reason": reason,
            "approved_by_id": None,
            "effective_on": None,
            "status": "open",
        }
        self._add("changes", change)
        if len(self._changes_by_number.get(change["number"], {})) > 1:
            return self._take_back(f"There is already a change with the number {change['number']!r}.")
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(change):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: open change {number} for {author['name']} because {reason} (new: change {change['id']})."
            ),
            "data": {"change_id": change["id"], **self._changes()},
        }

    def draft_revision(self, part_id: str, change_id: str) -> Result:
        """Begin a draft of the next revision of a made part under an open change, with the lines of the current one.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] != "open":
            return _refused(f"Change {change['number']} is {change['status']}.")
        if part["kind"] != "made":
            return _refused(f"Part {part['number']} is bought and has no revisions.")
        if part["life"] != "active":
            return _refused(f"Part {part['number']} is {part['life']}.")
        if self._part_draft(part) is not None:
            return _refused(f"Part {part['number']} has a draft already.")
        if self._steps(part) >= 40:
            return _refused(f"Part {part['number']} has had 40 revisions.")
        self._journal = []
        added_lines: list[Any] = []
        step = self._steps(part) + 1
        if not 1 <= step <= 40:
            return self._take_back("The step of a revision must be between 1 and 40.")
        draft: Revision = {
            "id": self._new_id("revision", "REVISION", self.revisions),
            "part_id": part_id,
            "step": step,
            "archive": None,
            "change_id": change_id,
            "released_on": None,
            "status": "draft",
        }
        self._add("revisions", draft)
        for l in [
            l
            for l in self.lines.values()
            if self._part_current(part) is not None
            and self.revisions[l["revision_id"]] is self._part_current(part)
        ]:
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "revision_id": draft["id"],
                "component_id": l["component_id"],
                "quantity": l["quantity"],
            }
            self._add("lines", line)
            added_lines.append(line)
        if draft["archive"] is not None and len(self._revisions_by_archive.get(draft["archive"], {})) > 1:
            return self._take_back(f"There is already a revision with the archive {draft['archive']!r}.")
        if self._breaks_rule_1_r(draft):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_r_again(draft):
            return self._take_back(RULES[0])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_4(one_line):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_r(draft):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_r_again(draft):
            return self._take_back(RULES[4])
        for one_revision in _distinct([draft, *[self.revisions[one["revision_id"]] for one in added_lines]]):
            if self._breaks_rule_6(one_revision):
                return self._take_back(RULES[5])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(draft):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_r(draft):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_r_again(draft):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: draft a revision of {part['number']} under change {change['number']} (new: revision "
                f"{draft['id']})."
            ),
            "data": {"revision_id": draft["id"], **self._changes()},
        }

    def set_line(
        self,
        draft_id: str,
        component_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 200}],
    ) -> Result:
        """Put a component into a draft, or change how many of it are needed.

        Args:
            draft_id (str): Draft revision whose line is set, under an open change; an id such as REVISION-00001.
            component_id (str): Part that goes into the draft; an id such as PART-00001.
            quantity (int): Pieces of the component needed for one part, from 1 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        draft = self.revisions.get(draft_id)
        if draft is None:
            return _refused(f"There is no revision {draft_id!r}.")
        component = self.parts.get(component_id)
        if component is None:
            return _refused(f"There is no part {component_id!r}.")
        if draft["status"] != "draft":
            return _refused(f"That revision of {self.parts[draft['part_id']]['number']} is {draft['status']}.")
        if draft["change_id"] is None or self.changes[draft["change_id"]]["status"] != "open":
            return _refused("The change of that draft is not open any more.")
        if component["life"] != "active" and component_id not in self.parts[draft["part_id"]]["use_ids"]:
            return _refused(f"Part {component['number']} is {component['life']} and goes into nothing new.")
        if (
            component_id == draft["part_id"]
            or self.parts[draft["part_id"]] in _above(self.parts, component, "use_ids")
        ):
            return _refused(
                f"{component['number']} contains {self.parts[draft['part_id']]['number']}, so it cannot go into it."
            )
        self._journal = []
        added_lines: list[Any] = []
        old = next(
            (
                l
                for l in sorted(
                    self._lines_by_revision_component.get((draft_id, component_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if old is not None:
            self._put("lines", old, "quantity", quantity)
        else:
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "revision_id": draft_id,
                "component_id": component_id,
                "quantity": quantity,
            }
            self._add("lines", line)
            added_lines.append(line)
        for one_line in _distinct(added_lines):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_4(one_line):
                return self._take_back(RULES[3])
        for one_revision in _distinct([self.revisions[one["revision_id"]] for one in added_lines]):
            if self._breaks_rule_6(one_revision):
                return self._take_back(RULES[5])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: put {quantity} of {component['number']} into the draft of "
                f"{self.parts[draft['part_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def drop_line(self, line_id: str) -> Result:
        """Take a line out of a draft.

        Args:
            line_id (str): Id of the line, such as LINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        if self.revisions[line["revision_id"]]["status"] != "draft":
            return _refused(
                f"That revision of {self.parts[self.revisions[line['revision_id']]['part_id']]['number']} is "
                f"{self.revisions[line['revision_id']]['status']}."
            )
        if (
            self.revisions[line["revision_id"]]["change_id"] is None
            or self.changes[self.revisions[line["revision_id"]]["change_id"]]["status"] != "open"
        ):
            return _refused("The change of that draft is not open any more.")
        self._journal = []
        self._remove("lines", line)
        if self._breaks_rule_6(self.revisions[line["revision_id"]]):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: take {self.parts[line['component_id']]['number']} out of the draft of "
                f"{self.parts[self.revisions[line['revision_id']]['part_id']]['number']}."
            ),
            "data": self._changes(),
        }

    def replace_everywhere(self, change_id: str, old_id: str, by_id: str) -> Result:
        """Under an open change, draft a revision of every active part whose current revision uses a component, with
        another component in its place.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            old_id (str): Component that is replaced; an id such as PART-00001.
            by_id (str): Active part that takes its place; an id such as PART-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        old = self.parts.get(old_id)
        if old is None:
            return _refused(f"There is no part {old_id!r}.")
        by = self.parts.get(by_id)
        if by is None:
            return _refused(f"There is no part {by_id!r}.")
        if change["status"] != "open":
            return _refused(f"Change {change['number']} is {change['status']}.")
        if old is by:
            return _refused(f"Both are {old['number']}.")
        if by["life"] != "active":
            return _refused(f"Part {by['number']} is {by['life']} and goes into nothing new.")
        hit = [
            self.revisions[l["revision_id"]]
            for l in sorted(self._lines_by_component.get(old_id, {}).values(), key=_age)
            if self.revisions[l["revision_id"]]["status"] == "released"
        ]
        if len(hit) <= 0:
            return _refused(f"No current revision uses {old['number']}.")
        stuck = next(
            (
                r
                for r in hit
                if (
                    self._part_draft(self.parts[r["part_id"]]) is not None
                    or self.parts[r["part_id"]]["life"] != "active"
                )
            ),
            None,
        )
        if stuck is not None:
            return _refused(
                f"{self.parts[stuck['part_id']]['number']} has a draft already or is not active, so it cannot be "
                "revised."
            )
        twice = next(
            (
                r
                for r in hit
                if any(l["component_id"] == by_id for l in self._lines_by_revision.get(r["id"], {}).values())
            ),
            None,
        )
        if twice is not None:
            return _refused(f"{self.parts[twice['part_id']]['number']} uses {by['number']} already.")
        loop = next(
            (
                r
                for r in hit
                if (r["part_id"] == by_id or self.parts[r["part_id"]] in _above(self.parts, by, "use_ids"))
            ),
            None,
        )
        if loop is not None:
            return _refused(
                f"{by['number']} contains {self.parts[loop['part_id']]['number']}, so it cannot go into it."
            )
        self._journal = []
        added_revisions: list[Any] = []
        added_lines: list[Any] = []
        for r in list(hit):
            step = self._steps(self.parts[r["part_id"]]) + 1
            if not 1 <= step <= 40:
                return self._take_back("The step of a revision must be between 1 and 40.")
            draft = {
                "id": self._new_id("revision", "REVISION", self.revisions),
                "part_id": r["part_id"],
                "step": step,
                "archive": None,
                "change_id": change_id,
                "released_on": None,
                "status": "draft",
            }
            self._add("revisions", draft)
            added_revisions.append(draft)
            for l in sorted(self._lines_by_revision.get(r["id"], {}).values(), key=_age):
                line = {
                    "id": self._new_id("line", "LINE", self.lines),
                    "revision_id": draft["id"],
                    "component_id": by_id if l["component_id"] == old_id else l["component_id"],
                    "quantity": l["quantity"],
                }
                self._add("lines", line)
                added_lines.append(line)
        for one_revision in added_revisions:
            if (
                one_revision["archive"] is not None
                and len(self._revisions_by_archive.get(one_revision["archive"], {})) > 1
            ):
                return self._take_back(f"There is already a revision with the archive {one_revision['archive']!r}.")
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_1_r(one_revision_2):
                return self._take_back(RULES[0])
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_1_r_again(one_revision_2):
                return self._take_back(RULES[0])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_4(one_line):
                return self._take_back(RULES[3])
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_5_r(one_revision_2):
                return self._take_back(RULES[4])
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_5_r_again(one_revision_2):
                return self._take_back(RULES[4])
        for one_revision_2 in _distinct(
            [*added_revisions, *[self.revisions[one["revision_id"]] for one in added_lines]]
        ):
            if self._breaks_rule_6(one_revision_2):
                return self._take_back(RULES[5])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_8(one_revision_2):
                return self._take_back(RULES[7])
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_9_r(one_revision_2):
                return self._take_back(RULES[8])
        for one_revision_2 in _distinct(added_revisions):
            if self._breaks_rule_9_r_again(one_revision_2):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: replace {old['number']} by {by['number']} everywhere under change {change['number']}.",
            "data": self._changes(),
        }

    def approve_change(self, change_id: str, by_id: str, effective_on: Date) -> Result:
        """Approve an open change and say from which day it is effective.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            by_id (str): Engineer who approves, with that right and not the author; an id such as ENGINEER-00001.
            effective_on (str): Day from which it is effective, not in the past, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        by = self.engineers.get(by_id)
        if by is None:
            return _refused(f"There is no engineer {by_id!r}.")
        if change["status"] != "open":
            return _refused(f"Change {change['number']} is {change['status']}.")
        if not by["may_approve"]:
            return _refused(f"{by['name']} may not approve changes.")
        if by_id == change["author_id"]:
            return _refused(f"{by['name']} wrote change {change['number']}, so somebody else has to approve it.")
        if effective_on < self.now[:10]:
            return _refused(f"{effective_on} is in the past.")
        if self._change_revisions(change) <= 0:
            return _refused(f"Change {change['number']} has no drafts.")
        empty = next(
            (
                r
                for r in sorted(self._revisions_by_change.get(change_id, {}).values(), key=_age)
                if len(self._lines(r)) == 0
            ),
            None,
        )
        if empty is not None:
            return _refused(f"The draft of {self.parts[empty['part_id']]['number']} has no lines.")
        self._journal = []
        self._put("changes", change, "approved_by_id", by_id)
        self._put("changes", change, "effective_on", effective_on)
        self._put("changes", change, "status", "approved")
        for one_revision in _distinct(self._revisions_by_change_status.get((change["id"], "draft"), {}).values()):
            if self._breaks_rule_9_r(one_revision):
                return self._take_back(RULES[8])
        for one_revision in _distinct(self._revisions_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_9_r_again(one_revision):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(change):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: approve change {change['number']} as {by['name']}, effective on {effective_on}.",
            "data": self._changes(),
        }

    def reject_change(self, change_id: str) -> Result:
        """Reject an open change, or withdraw an approved one that is not implemented; its drafts are thrown away.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] not in ("open", "approved"):
            return _refused(f"Change {change['number']} is {change['status']}.")
        self._journal = []
        deleted_lines: list[Any] = []
        deleted_revisions: list[Any] = []
        for r in sorted(self._revisions_by_change.get(change_id, {}).values(), key=_age):
            for l in sorted(self._lines_by_revision.get(r["id"], {}).values(), key=_age):
                if l["id"] in self.lines:
                    self._remove("lines", l)
                deleted_lines.append(l)
            if r["id"] in self.revisions:
                self._remove("revisions", r)
            deleted_revisions.append(r)
        self._put("changes", change, "approved_by_id", None)
        self._put("changes", change, "effective_on", None)
        self._put("changes", change, "status", "rejected")
        for one_revision in deleted_revisions:
            users = len(self._lines_by_revision.get(one_revision["id"], {}))
            if users:
                return self._take_back(
                    f"Revision {one_revision['id']} is still used by {users} {'line' if users == 1 else 'lines'}."
                )
        for one_line in _distinct(
            [user for one in deleted_revisions for user in self._lines_by_revision.get(one["id"], {}).values()]
        ):
            if one_line["id"] in self.lines and self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_revision_2 in _distinct([self.revisions.get(one["revision_id"]) for one in deleted_lines]):
            if one_revision_2["id"] in self.revisions and self._breaks_rule_6(one_revision_2):
                return self._take_back(RULES[5])
        for one_line in _distinct(
            [user for one in deleted_revisions for user in self._lines_by_revision.get(one["id"], {}).values()]
        ):
            if one_line["id"] in self.lines and self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_revision_2 in _distinct(self._revisions_by_change_status.get((change["id"], "draft"), {}).values()):
            if one_revision_2["id"] in self.revisions and self._breaks_rule_9_r(one_revision_2):
                return self._take_back(RULES[8])
        for one_revision_2 in _distinct(self._revisions_by_change.get(change["id"], {}).values()):
            if one_revision_2["id"] in self.revisions and self._breaks_rule_9_r_again(one_revision_2):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(change):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: reject change {change['number']}.", "data": self._changes()}

    def implement_change(self, change_id: str) -> Result:
        """Implement an approved change whose day has come; its drafts become current.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] != "approved" or change["effective_on"] is None:
            return _refused(f"Change {change['number']} is {change['status']}.")
        if change["effective_on"] > self.now[:10]:
            return _refused(f"Change {change['number']} is effective on {change['effective_on']}.")
        self._journal = []
        changed_revisions: list[Any] = []
        changed_parts: list[Any] = []
        for r in sorted(self._revisions_by_change_status.get((change_id, "draft"), {}).values(), key=_age):
            old = self._part_current(self.parts[r["part_id"]])
            if old is not None:
                if old["status"] not in ("released", "superseded"):
                    return self._take_back(f"Revision {old['id']} cannot go from {old['status']} to superseded.")
                changed_revisions.append(old)
                self._put("revisions", old, "status", "superseded")
            if r["status"] not in ("draft", "released"):
                return self._take_back(f"Revision {r['id']} cannot go from {r['status']} to released.")
            changed_revisions.append(r)
            self._put("revisions", r, "status", "released")
            part = self.parts[r["part_id"]]
            changed_parts.append(part)
            self._put(
                "parts",
                part,
                "use_ids",
                [
                    record["id"]
                    for record in [
                        self.parts[l["component_id"]]
                        for l in sorted(self._lines_by_revision.get(r["id"], {}).values(), key=_age)
                    ]
                ],
            )
            self._put("revisions", r, "released_on", self.now[:10])
        self._put("changes", change, "status", "implemented")
        for one_revision in _distinct(changed_revisions):
            if self._breaks_rule_1_r(one_revision):
                return self._take_back(RULES[0])
        for one_revision in _distinct(changed_revisions):
            if self._breaks_rule_1_r_again(one_revision):
                return self._take_back(RULES[0])
        for one_part in _distinct(changed_parts):
            if self._breaks_rule_2(one_part):
                return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *[user for one in changed_revisions for user in self._lines_by_revision.get(one["id"], {}).values()],
                *[
                    user
                    for one in [
                        user
                        for one in changed_parts
                        for user in self._revisions_by_part.get(one["id"], {}).values()
                    ]
                    for user in self._lines_by_revision.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_revision in _distinct(changed_revisions):
            if self._breaks_rule_6(one_revision):
                return self._take_back(RULES[5])
        for one_line in _distinct(
            [user for one in changed_revisions for user in self._lines_by_revision.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_revision in _distinct(changed_revisions):
            if self._breaks_rule_8(one_revision):
                return self._take_back(RULES[7])
        for one_revision in _distinct(
            [*changed_revisions, *self._revisions_by_change_status.get((change["id"], "draft"), {}).values()]
        ):
            if self._breaks_rule_9_r(one_revision):
                return self._take_back(RULES[8])
        for one_revision in _distinct(
            [*changed_revisions, *self._revisions_by_change.get(change["id"], {}).values()]
        ):
            if self._breaks_rule_9_r_again(one_revision):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(change):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: implement change {change['number']}.", "data": self._changes()}

    def value_part(
        self,
        part_id: str,
        price: Annotated[int, {"minimum": 1, "maximum": 9000000}] | None = None,
    ) -> Result:
        """Enter the new price of a bought part, or roll up the cost of a made one from the lines of its current
        revision.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            price (int, optional): New price of a bought part, never for a made one, in cents, from 1 to 9000000.
                If left out, the cost is rolled up, for a made part only.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        if (part["kind"] == "bought") != (price is not None):
            return _refused("A bought part needs a price, and a made part is valued by its lines without one.")
        if part["kind"] != "bought" and self._part_current(part) is None:
            return _refused(f"Part {part['number']} has no current revision.")
        if part["life"] == "obsolete":
            return _refused(f"Part {part['number']} is obsolete.")
        self._journal = []
        now_used = self._part_current(part)
        if price is not None:
            self._put("parts", part, "cost", price)
        if price is None and now_used is not None:
            cost = self._revision_material_cost(now_used)
            if not 1 <= cost <= 9000000:
                return self._take_back(f"The cost of {part['number']} must be between 0.01 and 90,000.00.")
            self._put("parts", part, "cost", cost)
        done = f"value {part['number']}"
        if price is not None:
            done += f" at {_money(price)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def allow_substitute(
        self,
        part_id: str,
        instead_id: str,
        per_piece: Annotated[int, {"minimum": 1, "maximum": 5}] = 1,
    ) -> Result:
        """Allow another part of the same kind instead of a part, and say how many replace one piece.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            instead_id (str): Active part that may be used as the substitute; an id such as PART-00001.
            per_piece (int): Pieces of the substitute that replace one piece, from 1 to 5. Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        instead = self.parts.get(instead_id)
        if instead is None:
            return _refused(f"There is no part {instead_id!r}.")
        if part is instead:
            return _refused(f"Both are {part['number']}.")
        if part["kind"] != instead["kind"]:
            return _refused(f"{part['number']} is {part['kind']} and {instead['number']} is {instead['kind']}.")
        if part["life"] == "obsolete":
            return _refused(f"Part {part['number']} is obsolete.")
        if instead["life"] != "active":
            return _refused(f"Part {instead['number']} is {instead['life']}.")
        if self._substitutes_by_part_instead.get((part_id, instead_id), {}):
            return _refused(f"{instead['number']} is a substitute for {part['number']} already.")
        self._journal = []
        substitute: Substitute = {
            "id": self._new_id("substitute", "SUBSTITUTE", self.substitutes),
            "part_id": part_id,
            "instead_id": instead_id,
            "per_piece": per_piece,
        }
        self._add("substitutes", substitute)
        if self._breaks_rule_12_s(substitute):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_s_again(substitute):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: allow {per_piece} of {instead['number']} instead of one {part['number']} (new: substitute "
                f"{substitute['id']})."
            ),
            "data": {"substitute_id": substitute["id"], **self._changes()},
        }

    def change_life(self, part_id: str, to: Literal["active", "phase_out", "obsolete"]) -> Result:
        """Phase a part out, bring it back, or make it obsolete once nothing uses it; its substitutions then end.

        Args:
            part_id (str): Id of the part, such as PART-00001.
            to (str): New stage of life of the part, obsolete only after phase_out: active, phase_out or obsolete.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        part = self.parts.get(part_id)
        if part is None:
            return _refused(f"There is no part {part_id!r}.")
        if part["life"] == to:
            return _refused(f"Part {part['number']} is {to} already.")
        if part["life"] == "obsolete":
            return _refused(f"Part {part['number']} is obsolete for good.")
        if part["life"] == "active" and to != "phase_out":
            return _refused(f"Phase {part['number']} out first.")
        if to == "obsolete" and self._in_use(part):
            return _refused(f"A draft or a current revision still uses {part['number']}.")
        if not (to != "obsolete" or self._part_draft(part) is None and self._part_current(part) is None):
            return _refused(f"Part {part['number']} has a current revision or a draft.")
        self._journal = []
        deleted_substitutes: list[Any] = []
        if to == "obsolete":
            for s in sorted(
                _distinct(
                    [
                        *self._substitutes_by_part.get(part_id, {}).values(),
                        *self._substitutes_by_instead.get(part_id, {}).values(),
                    ]
                ),
                key=_age,
            ):
                if s["id"] in self.substitutes:
                    self._remove("substitutes", s)
                deleted_substitutes.append(s)
        if part["life"] != to and (part["life"], to) not in PART_LIFE_MOVES:
            return self._take_back(f"Part {part['number']} cannot go from {part['life']} to {to}.")
        self._put("parts", part, "life", to)
        for one_line in _distinct(self._lines_by_component.get(part["id"], {}).values()):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_revision in _distinct(self._revisions_by_part.get(part["id"], {}).values()):
            if self._breaks_rule_8(one_revision):
                return self._take_back(RULES[7])
        for one_substitute in _distinct(
            [
                *self._substitutes_by_part.get(part["id"], {}).values(),
                *self._substitutes_by_instead.get(part["id"], {}).values(),
            ]
        ):
            if one_substitute["id"] in self.substitutes and self._breaks_rule_12_s_again(one_substitute):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: move {part['number']} to {to}.", "data": self._changes()}

    def _show_part(self, part: Part) -> dict[str, Any]:
        """The part as an answer shows it."""
        return {
            **part,
            "use_ids": [*part["use_ids"]],
            "current_id": _id_of(self._part_current(part)),
            "draft_id": _id_of(self._part_draft(part)),
        }

    def _show_change(self, change: Change) -> dict[str, Any]:
        """The change as an answer shows it."""
        return {**change, "revisions": self._change_revisions(change)}

    def _show_revision(self, revision: Revision) -> dict[str, Any]:
        """The revision as an answer shows it."""
        return {**revision, "material_cost": self._revision_material_cost(revision)}

    def _names_of_parts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parts point to."""
        return _names((self.parts, "number", [each for row in shown for each in row["use_ids"]]))

    def _names_of_changes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that changes point to."""
        return _names(
            (self.engineers, "name", [row["author_id"] for row in shown]),
            (self.engineers, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_revisions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that revisions point to."""
        return _names(
            (self.parts, "number", [row["part_id"] for row in shown]),
            (self.changes, "number", [row["change_id"] for row in shown]),
        )

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names((self.parts, "number", [row["component_id"] for row in shown]))

    def _names_of_substitutes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that substitutes point to."""
        return _names(
            (self.parts, "number", [row["part_id"] for row in shown]),
            (self.parts, "number", [row["instead_id"] for row in shown]),
        )

    def _part_current(self, part: Part) -> Revision | None:
        """The current of a part."""
        return next(
            (r for r in sorted(self._revisions_by_part_status.get((part["id"], "released"), {}).values(), key=_age)),
            None,
        )

    def _part_draft(self, part: Part) -> Revision | None:
        """The draft of a part."""
        return next(
            (r for r in sorted(self._revisions_by_part_status.get((part["id"], "draft"), {}).values(), key=_age)),
            None,
        )

    def _change_revisions(self, change: Change) -> int:
        """The revisions of a change."""
        return len(self._revisions_by_change.get(change["id"], {}))

    def _revision_material_cost(self, revision: Revision) -> int:
        """The material cost of a revision."""
        return sum(
            l["quantity"] * self.parts[l["component_id"]]["cost"]
            for l in self._lines_by_revision.get(revision["id"], {}).values()
        )

    def _lines(self, r: Revision) -> list[Line]:
        return sorted(self._lines_by_revision.get(r["id"], {}).values(), key=_age)

    def _in_use(self, p: Part) -> bool:
        return any(
            self.revisions[l["revision_id"]]["status"] != "superseded"
            for l in self._lines_by_component.get(p["id"], {}).values()
        )

    def _steps(self, p: Part) -> int:
        return (
            max((r["step"] for r in self._revisions_by_part.get(p["id"], {}).values()), default=None)
            if max((r["step"] for r in self._revisions_by_part.get(p["id"], {}).values()), default=None) is not None
            else 0
        )

    def _breaks_rule_1_r(self, r: Revision) -> bool:
        """Whether this is broken: a part has at most one current revision and one draft."""
        return (
            r["status"] == "released"
            and any(
                other_r is not r
                for other_r in self._revisions_by_part_status.get((r["part_id"], "released"), {}).values()
            )
        )

    def _breaks_rule_1_r_again(self, r: Revision) -> bool:
        """Whether this is broken: a part has at most one current revision and one draft."""
        return (
            r["status"] == "draft"
            and any(
                other_r is not r
                for other_r in self._revisions_by_part_status.get((r["part_id"], "draft"), {}).values()
            )
        )

    def _breaks_rule_2(self, p: Part) -> bool:
        """Whether this is broken: no part contains itself, however deep."""
        return p in _above(self.parts, p, "use_ids")

    def _breaks_rule_3(self, l: Line) -> bool:
        """Whether this is broken: the structure of a part holds every component of its current revision."""
        return (
            self.revisions[l["revision_id"]]["status"] == "released"
            and l["component_id"] not in self.parts[self.revisions[l["revision_id"]]["part_id"]]["use_ids"]
        )

    def _breaks_rule_4(self, l: Line) -> bool:
        """Whether this is broken: a revision names each component once."""
        return any(
            other_l is not l
            for other_l in self._lines_by_revision_component.get((l["revision_id"], l["component_id"]), {}).values()
        )

    def _breaks_rule_5_r(self, r: Revision) -> bool:
        """Whether this is broken: the revisions of a part are numbered, and only made parts have any."""
        return any(
            other_r is not r
            for other_r in self._revisions_by_part.get(r["part_id"], {}).values()
            if other_r["step"] == r["step"]
        )

    def _breaks_rule_5_r_again(self, r: Revision) -> bool:
        """Whether this is broken: the revisions of a part are numbered, and only made parts have any."""
        return self.parts[r["part_id"]]["kind"] != "made"

    def _breaks_rule_6(self, r: Revision) -> bool:
        """Whether this is broken: a revision that a change has released has at least one line."""
        return r["status"] == "released" and r["change_id"] is not None and len(self._lines(r)) <= 0

    def _breaks_rule_7(self, l: Line) -> bool:
        """Whether this is broken: an obsolete part is in no draft and in no current revision."""
        return (
            self.revisions[l["revision_id"]]["status"] != "superseded"
            and self.parts[l["component_id"]]["life"] == "obsolete"
        )

    def _breaks_rule_8(self, r: Revision) -> bool:
        """Whether this is broken: an obsolete part has no draft and no current revision."""
        return r["status"] != "superseded" and self.parts[r["part_id"]]["life"] == "obsolete"

    def _breaks_rule_9_r(self, r: Revision) -> bool:
        """Whether this is broken: a draft belongs to a change that is open or approved, and what a change has
        released is implemented.
        """
        return (
            r["status"] == "draft"
            and (r["change_id"] is None or self.changes[r["change_id"]]["status"] not in ("open", "approved"))
        )

    def _breaks_rule_9_r_again(self, r: Revision) -> bool:
        """Whether this is broken: a draft belongs to a change that is open or approved, and what a change has
        released is implemented.
        """
        return (
            r["status"] != "draft"
            and (r["change_id"] is not None and self.changes[r["change_id"]]["status"] != "implemented")
        )

    def _breaks_rule_10(self, c: Change) -> bool:
        """Whether this is broken: nobody approves their own change, and only those who may."""
        return not (
            c["approved_by_id"] is None
            or c["approved_by_id"] != c["author_id"]
            and self.engineers[c["approved_by_id"]]["may_approve"]
        )

    def _breaks_rule_11(self, c: Change) -> bool:
        """Whether this is broken: an approved change has an approver and a day."""
        return (
            (c["approved_by_id"] is not None) != (c["status"] in ("approved", "implemented"))
            or (c["effective_on"] is not None) != (c["status"] in ("approved", "implemented"))
        )

    def _breaks_rule_12_s(self, s: Substitute) -> bool:
        """Whether this is broken: a part is replaced by another one of the same kind, named once, and neither is
        obsolete.
        """
        return any(
            other_s is not s
            for other_s in self._substitutes_by_part_instead.get((s["part_id"], s["instead_id"]), {}).values()
        )

    def _breaks_rule_12_s_again(self, s: Substitute) -> bool:
        """Whether this is broken: a part is replaced by another one of the same kind, named once, and neither is
        obsolete.
        """
        return (
            s["part_id"] == s["instead_id"]
            or self.parts[s["part_id"]]["kind"] != self.parts[s["instead_id"]]["kind"]
            or self.parts[s["part_id"]]["life"] == "obsolete"
            or self.parts[s["instead_id"]]["life"] == "obsolete"
        )

    def _new_id(self, noun: str, prefix: str, records: dict[str, Any]) -> str:
        """The next id; numbers are never used twice."""
        self._journal.append(("scalar", "counters", noun, self.counters.get(noun)))
        number = self.counters.get(noun, 0) + 1
        while f"{prefix}-{number:05d}" in records:
            number += 1
        self.counters[noun] = number
        return f"{prefix}-{number:05d}"

    def _add(self, container: str, record: Any) -> None:
        """Keep a new record."""
        self._journal.append(("new", container, record["id"]))
        getattr(self, container)[record["id"]] = record
        self._link(container, record)

    def _put(self, container: str, record: Any, field: str, value: Any) -> None:
        """Change one attribute of a record."""
        self._journal.append(("put", container, record["id"], field, record[field]))
        if (container, field) in INDEXED:
            self._unlink(container, record)
            record[field] = value
            self._link(container, record)
        else:
            record[field] = value

    def _remove(self, container: str, record: Any) -> None:
        """Let a record go."""
        self._journal.append(("delete", container, record["id"], record))
        del getattr(self, container)[record["id"]]
        self._unlink(container, record)

    def _changes(self) -> dict[str, Any]:
        """What this call has done: new records, what is new of others, and which are gone; at most twenty records."""
        before: dict[tuple[str, str], dict[str, Any] | None] = {}
        for kind, container, key, *rest in self._journal:
            if kind == "new":
                before[container, key] = None
            elif kind != "scalar":
                known = before.setdefault((container, key), {})
                if kind == "put" and known is not None:
                    known.setdefault(rest[0], rest[1])
        changed: dict[str, list[Any]] = {}
        deleted: dict[str, list[str]] = {}
        told = 0
        for (container, key), fields in before.items():
            record = getattr(self, container).get(key)
            if record is None:
                shown = None
            elif fields is None:
                shown = {name: value for name, value in record.items() if value is not None}
            else:
                shown = {name: record[name] for name, value in fields.items() if record[name] != value}
                if not shown:
                    continue
                shown = {"id": key, **{name: record[name] for name in LABELS[container]}, **shown}
            if record is None and fields is None:
                continue
            told += 1
            if told > 20:
                continue
            if shown is None:
                deleted.setdefault(container, []).append(key)
            else:
                changed.setdefault(container, []).append(shown)
        answer: dict[str, Any] = {"changed": changed} if changed else {}
        if deleted:
            answer["deleted"] = deleted
        if told > 20:
            answer["more"] = told - 20
        return answer

    def _take_back(self, error: str) -> Result:
        """Undo what this call has written so far, and refuse it."""
        journal, self._journal = self._journal, []
        self._undo(journal)
        return _refused(error)

    def _undo(self, journal: list[tuple[Any, ...]]) -> None:
        """Take writes back, the latest first."""
        for kind, container, key, *rest in reversed(journal):
            records = getattr(self, container)
            if kind == "new":
                self._unlink(container, records.pop(key))
            elif kind == "put":
                field, value = rest
                self._unlink(container, records[key])
                records[key][field] = value
                self._link(container, records[key])
            elif kind == "delete":
                self._link(container, rest[0])
                setattr(self, container, dict(sorted({**records, key: rest[0]}.items(), key=lambda pair: _age(pair[1]))))
            elif key is None:
                setattr(self, container, rest[0])
            elif rest[0] is None:
                del records[key]
            else:
                records[key] = rest[0]

    def _link(self, container: str, record: Any) -> None:
        """Enter a record where it can be found by its attributes."""
        match container:
            case "parts":
                self._parts_by_number.setdefault(record["number"], {})[record["id"]] = record
                for key in record["use_ids"]:
                    self._parts_by_uses.setdefault(key, {})[record["id"]] = record
            case "changes":
                self._changes_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "revisions":
                self._revisions_by_archive.setdefault(record["archive"], {})[record["id"]] = record
                self._revisions_by_change.setdefault(record["change_id"], {})[record["id"]] = record
                self._revisions_by_change_status.setdefault(
                    (record["change_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._revisions_by_part.setdefault(record["part_id"], {})[record["id"]] = record
                self._revisions_by_part_status.setdefault(
                    (record["part_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "lines":
                self._lines_by_component.setdefault(record["component_id"], {})[record["id"]] = record
                self._lines_by_revision.setdefault(record["revision_id"], {})[record["id"]] = record
                self._lines_by_revision_component.setdefault(
                    (record["revision_id"], record["component_id"]),
                    {},
                )[record["id"]] = record
            case "substitutes":
                self._substitutes_by_instead.setdefault(record["instead_id"], {})[record["id"]] = record
                self._substitutes_by_part.setdefault(record["part_id"], {})[record["id"]] = record
                self._substitutes_by_part_instead.setdefault(
                    (record["part_id"], record["instead_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "parts":
                del self._parts_by_number[record["number"]][record["id"]]
                for key in record["use_ids"]:
                    self._parts_by_uses[key].pop(record["id"], None)
            case "changes":
                del self._changes_by_number[record["number"]][record["id"]]
            case "revisions":
                del self._revisions_by_archive[record["archive"]][record["id"]]
                del self._revisions_by_change[record["change_id"]][record["id"]]
                del self._revisions_by_change_status[record["change_id"], record["status"]][record["id"]]
                del self._revisions_by_part[record["part_id"]][record["id"]]
                del self._revisions_by_part_status[record["part_id"], record["status"]][record["id"]]
            case "lines":
                del self._lines_by_component[record["component_id"]][record["id"]]
                del self._lines_by_revision[record["revision_id"]][record["id"]]
                del self._lines_by_revision_component[record["revision_id"], record["component_id"]][record["id"]]
            case "substitutes":
                del self._substitutes_by_instead[record["instead_id"]][record["id"]]
                del self._substitutes_by_part[record["part_id"]][record["id"]]
                del self._substitutes_by_part_instead[record["part_id"], record["instead_id"]][record["id"]]
