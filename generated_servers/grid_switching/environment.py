"""Grid switching. Compiled from blueprint.yaml; run `envscaler build grid_switching` after changing it there.

Runs the switching desk of a distribution network, from switching orders and earthing to safety permits, faults
and the supply of every section.
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
    "A substation is never fed by a section, and no section feeds itself.",
    "Every closed switch feeds one of the sections at its ends from the other, so the network has no ring and no two sources in parallel.",
    "A section with switches is fed only through one that is closed.",
    "A substation never carries more than its rating.",
    "A faulty section is never live.",
    "A tag hangs on a switch only while its order is under way, and a section is earthed only while every switch at it is open and tagged by the order for it.",
    "A permit is out only while the section is earthed and its order is under way.",
    "A person holds one permit at a time, and a section has one permit out.",
    "A section has at most one switching order that is not finished.",
    "An order is approved by a senior engineer who did not write it.",
    "The steps of an order are done in the order of their numbers.",
    "The desk runs at most eight orders at a time.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "prepare_order",
    "approve_order",
    "cancel_order",
    "carry_out_step",
    "apply_earth",
    "remove_earth",
    "issue_permit",
    "return_permit",
    "switch_remotely",
    "report_fault",
    "connect_load",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sections": ("name",),
    "switches": ("code",),
    "people": ("name",),
    "switching_orders": (),
    "steps": (),
    "permits": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("permits", "holder_id"),
    ("permits", "order_id"),
    ("permits", "status"),
    ("sections", "fed_from_id"),
    ("steps", "order_id"),
    ("steps", "phase"),
    ("switches", "one_end_id"),
    ("switches", "other_end_id"),
    ("switches", "tag_id"),
    ("switching_orders", "section_id"),
    ("switching_orders", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Section(TypedDict):
    id: str
    name: str
    rating: int | None
    load: int
    customers: int
    fed_from_id: str | None
    fault: Literal["digger", "lightning", "insulation", "vandalism"] | None
    earthed: bool


class Switch(TypedDict):
    id: str
    code: str
    one_end_id: str
    other_end_id: str
    normally_closed: bool
    remote: bool
    closed: bool
    tag_id: str | None


class Person(TypedDict):
    id: str
    name: str
    role: Literal["control_engineer", "senior_engineer", "crew_leader"]
    authorised_until: str


class SwitchingOrder(TypedDict):
    id: str
    section_id: str
    author_id: str
    approver_id: str | None
    planned_on: str
    reason: str
    status: Literal["drafted", "approved", "cancelled", "under_way", "completed"]


class Step(TypedDict):
    id: str
    order_id: str
    number: int
    phase: Literal["isolate", "restore"]
    action: Literal["open", "close", "release"]
    switch_id: str
    done_at: str | None


class Permit(TypedDict):
    id: str
    order_id: str
    holder_id: str
    work: str
    issued_at: str
    returned_at: str | None
    status: Literal["issued", "returned"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class GridSwitching:
    """Runs the switching desk of a distribution network, from switching orders and earthing to safety
    permits, faults and the supply of every section.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sections: dict[str, Section] = _copied(config.get("sections", {}))
        self.switches: dict[str, Switch] = _copied(config.get("switches", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.switching_orders: dict[str, SwitchingOrder] = _copied(config.get("switching_orders", {}))
        self.steps: dict[str, Step] = _copied(config.get("steps", {}))
        self.permits: dict[str, Permit] = _copied(config.get("permits", {}))
        self.now: str = config.get("now", "2026-05-18T07:30")
        self.counters: dict[str, int] = {
            "section": len(self.sections),
            "switch": len(self.switches),
            "person": len(self.people),
            "switching_order": len(self.switching_orders),
            "step": len(self.steps),
            "permit": len(self.permits),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sections_by_fed_from: dict[Any, dict[str, Section]] = {}
        self._switches_by_one_end: dict[Any, dict[str, Switch]] = {}
        self._switches_by_other_end: dict[Any, dict[str, Switch]] = {}
        self._switches_by_tag: dict[Any, dict[str, Switch]] = {}
        self._switching_orders_by_section: dict[Any, dict[str, SwitchingOrder]] = {}
        self._switching_orders_by_status: dict[Any, dict[str, SwitchingOrder]] = {}
        self._steps_by_order: dict[Any, dict[str, Step]] = {}
        self._steps_by_order_phase: dict[Any, dict[str, Step]] = {}
        self._permits_by_holder_status: dict[Any, dict[str, Permit]] = {}
        self._permits_by_order_status: dict[Any, dict[str, Permit]] = {}
        for section in self.sections.values():
            self._link("sections", section)
        for switch in self.switches.values():
            self._link("switches", switch)
        for switching_order in self.switching_orders.values():
            self._link("switching_orders", switching_order)
        for step in self.steps.values():
            self._link("steps", step)
        for permit in self.permits.values():
            self._link("permits", permit)

    def without_supply(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Sections without supply, those with the most customers first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}} or {"success": False, "error": why
                not}
        """
        found = [s for s in self.sections.values() if not self._section_live(s)]
        found.sort(key=lambda s: (-s["customers"], s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sections": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "customers": s["customers"],
                        "load": s["load"],
                        "faulty": self._section_faulty(s),
                        "desk_can_revive": any(self._revives(w, s) for w in self._at(s)),
                        "earthed": s["earthed"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def supply_path(self, section_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The sections through which a section is fed, the nearest first.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}} or {"success": False, "error": why
                not}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        found = [x for x in _above(self.sections, section, "fed_from_id")]
        return _found(
            {
                "total": len(found),
                "sections": [
                    {"id": x["id"], "name": x["name"], "live": self._section_live(x), "spare": self._section_spare(x)}
                    for x in _page(found, offset)
                ],
            }
        )

    def behind(self, section_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The sections that are fed through a section.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}} or {"success": False, "error": why
                not}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        found = [x for x in _below(self._sections_by_fed_from, section)]
        shown = [
            {
                "id": x["id"],
                "name": x["name"],
                "fed_from": x["fed_from_id"],
                "customers": x["customers"],
                "load": x["load"],
            }
            for x in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "sections": shown},
            _names((self.sections, "name", [row["fed_from"] for row in shown])),
        )

    def next_steps(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The next step of every order that may be carried out today.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "switching_orders": records}} or {"success": False,
                "error": why not}
        """
        found = [
            o
            for o in self.switching_orders.values()
            if (o["status"] in ("approved", "under_way") and o["planned_on"] <= self.now[:10])
        ]
        found.sort(key=lambda o: (o["planned_on"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "switching_orders": [
                    {
                        "order": o["id"],
                        "section": self.sections[o["section_id"]]["name"],
                        "status": o["status"],
                        "step": _id_of(self._next_step(o)),
                        "earthed": self.sections[o["section_id"]]["earthed"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def ways_to_feed(self, section_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Open switches at a section without supply whose other end is live, with what the source there has left.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "switches": records}} or {"success": False, "error": why
                not}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        found = [
            w
            for w in self._at(section)
            if not self._section_live(section)
            and (not w["closed"] and self._section_live(self._far(w, section)))
        ]
        found.sort(key=lambda w: (w["code"], _age(w)))
        return _found(
            {
                "total": len(found),
                "switches": [
                    {
                        "id": w["id"],
                        "code": w["code"],
                        "neighbour": self._far(w, section)["name"],
                        "remote": w["remote"],
                        "tag": w["tag_id"],
                        "left": min(
                            self._room_of(self.sections[w["one_end_id"]]),
                            self._room_of(self.sections[w["other_end_id"]]),
                        ),
                        "needed": self._dead_load(section),
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def list_sections(
        self,
        name: Text | None = None,
        fed_from_id: str | None = None,
        fault: Literal["digger", "lightning", "insulation", "vandalism"] | None = None,
        earthed: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sections, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sections whose name contains this text.
            fed_from_id (str, optional): Only sections fed from this section.
            fault (str, optional): Only sections with this fault.
            earthed (bool, optional): Only sections that are earthed (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}}
        """
        if fed_from_id is not None and fed_from_id not in self.sections:
            return _refused(f"There is no section {fed_from_id!r}.")
        found = [
            section
            for section in self.sections.values()
            if (name is None or name.casefold() in section["name"].casefold())
            and (fed_from_id is None or section["fed_from_id"] == fed_from_id)
            and (fault is None or section["fault"] == fault)
            and (earthed is None or section["earthed"] == earthed)
        ]
        shown = [self._show_section(section) for section in _page(found, offset)]
        return _found({"total": len(found), "sections": shown}, self._names_of_sections(shown))

    def list_switches(
        self,
        code: Text | None = None,
        one_end_id: str | None = None,
        other_end_id: str | None = None,
        normally_closed: bool | None = None,
        remote: bool | None = None,
        closed: bool | None = None,
        tag_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the switches, oldest first, all of them or only some.

        Args:
            code (str, optional): Only switches whose code contains this text.
            one_end_id (str, optional): Only switches whose one end is this section.
            other_end_id (str, optional): Only switches whose other end is this section.
            normally_closed (bool, optional): Only switches with this value of `normally_closed`.
            remote (bool, optional): Only switches with this value of `remote`.
            closed (bool, optional): Only switches that are closed (true) or not (false).
            tag_id (str, optional): Only switches whose tag is this switching order.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "switches": records}}
        """
        if one_end_id is not None and one_end_id not in self.sections:
            return _refused(f"There is no section {one_end_id!r}.")
        if other_end_id is not None and other_end_id not in self.sections:
            return _refused(f"There is no section {other_end_id!r}.")
        if tag_id is not None and tag_id not in self.switching_orders:
            return _refused(f"There is no switching order {tag_id!r}.")
        found = [
            switch
            for switch in self.switches.values()
            if (code is None or code.casefold() in switch["code"].casefold())
            and (one_end_id is None or switch["one_end_id"] == one_end_id)
            and (other_end_id is None or switch["other_end_id"] == other_end_id)
            and (normally_closed is None or switch["normally_closed"] == normally_closed)
            and (remote is None or switch["remote"] == remote)
            and (closed is None or switch["closed"] == closed)
            and (tag_id is None or switch["tag_id"] == tag_id)
        ]
        shown = [{**switch} for switch in _page(found, offset)]
        return _found({"total": len(found), "switches": shown}, self._names_of_switches(shown))

    def list_people(
        self,
        name: Text | None = None,
        role: Literal["control_engineer", "senior_engineer", "crew_leader"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            role (str, optional): Only people with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (role is None or person["role"] == role)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_switching_orders(
        self,
        section_id: str | None = None,
        author_id: str | None = None,
        approver_id: str | None = None,
        status: Literal["drafted", "approved", "cancelled", "under_way", "completed"] | None = None,
        planned_on_from: Date | None = None,
        planned_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the switching orders, oldest first, all of them or only some.

        Args:
            section_id (str, optional): Only switching orders of this section.
            author_id (str, optional): Only switching orders whose author is this person.
            approver_id (str, optional): Only switching orders whose approver is this person.
            status (str, optional): Only switching orders with this status.
            planned_on_from (str, optional): Only switching orders whose `planned_on` is on this day or later.
            planned_on_to (str, optional): Only switching orders whose `planned_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "switching_orders": records}}
        """
        if section_id is not None and section_id not in self.sections:
            return _refused(f"There is no section {section_id!r}.")
        if author_id is not None and author_id not in self.people:
            return _refused(f"There is no person {author_id!r}.")
        if approver_id is not None and approver_id not in self.people:
            return _refused(f"There is no person {approver_id!r}.")
        found = [
            switching_order
            for switching_order in self.switching_orders.values()
            if (section_id is None or switching_order["section_id"] == section_id)
            and (author_id is None or switching_order["author_id"] == author_id)
            and (approver_id is None or switching_order["approver_id"] == approver_id)
            and (status is None or switching_order["status"] == status)
            and (planned_on_from is None or switching_order["planned_on"] >= planned_on_from)
            and (planned_on_to is None or switching_order["planned_on"] <= planned_on_to)
        ]
        shown = [{**switching_order} for switching_order in _page(found, offset)]
        return _found({"total": len(found), "switching_orders": shown}, self._names_of_switching_orders(shown))

    def list_steps(
        self,
        order_id: str | None = None,
        phase: Literal["isolate", "restore"] | None = None,
        action: Literal["open", "close", "release"] | None = None,
        switch_id: str | None = None,
        done_at_from: Date | None = None,
        done_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the steps, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only steps whose order is this switching order.
            phase (str, optional): Only steps with this phase.
            action (str, optional): Only steps with this action.
            switch_id (str, optional): Only steps of this switch.
            done_at_from (str, optional): Only steps whose `done_at` is on this day or later.
            done_at_to (str, optional): Only steps whose `done_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}}
        """
        if order_id is not None and order_id not in self.switching_orders:
            return _refused(f"There is no switching order {order_id!r}.")
        if switch_id is not None and switch_id not in self.switches:
            return _refused(f"There is no switch {switch_id!r}.")
        found = [
            step
            for step in self.steps.values()
            if (order_id is None or step["order_id"] == order_id)
            and (phase is None or step["phase"] == phase)
            and (action is None or step["action"] == action)
            and (switch_id is None or step["switch_id"] == switch_id)
            and (done_at_from is None or (step["done_at"] is not None and step["done_at"][:10] >= done_at_from))
            and (done_at_to is None or (step["done_at"] is not None and step["done_at"][:10] <= done_at_to))
        ]
        shown = [{**step} for step in _page(found, offset)]
        return _found({"total": len(found), "steps": shown}, self._names_of_steps(shown))

    def list_permits(
        self,
        order_id: str | None = None,
        holder_id: str | None = None,
        status: Literal["issued", "returned"] | None = None,
        issued_at_from: Date | None = None,
        issued_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the permits, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only permits whose order is this switching order.
            holder_id (str, optional): Only permits whose holder is this person.
            status (str, optional): Only permits with this status.
            issued_at_from (str, optional): Only permits whose `issued_at` is on this day or later.
            issued_at_to (str, optional): Only permits whose `issued_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}}
        """
        if order_id is not None and order_id not in self.switching_orders:
            return _refused(f"There is no switching order {order_id!r}.")
        if holder_id is not None and holder_id not in self.people:
            return _refused(f"There is no person {holder_id!r}.")
        found = [
            permit
            for permit in self.permits.values()
            if (order_id is None or permit["order_id"] == order_id)
            and (holder_id is None or permit["holder_id"] == holder_id)
            and (status is None or permit["status"] == status)
            and (issued_at_from is None or permit["issued_at"][:10] >= issued_at_from)
            and (issued_at_to is None or permit["issued_at"][:10] <= issued_at_to)
        ]
        shown = [{**permit} for permit in _page(found, offset)]
        return _found({"total": len(found), "permits": shown}, self._names_of_permits(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def prepare_order(
        self,
        section_id: str,
        author_id: str,
        planned_on: Date,
        reason: Text,
        backup_id: str | None = None,
    ) -> Result:
        """Write a switching order that isolates a section and restores it; a backup switch keeps what lies behind
        supplied meanwhile.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            author_id (str): Control engineer or senior engineer who writes the order; an id such as PERSON-00001.
            planned_on (str): Day of the switching, within 60 days from today, as YYYY-MM-DD.
            reason (str): Why the section is taken out of service.
            backup_id (str, optional): Normally open switch that supplies what lies behind the section meanwhile;
                an id such as SWITCH-00001. If left out, what lies behind the section loses supply.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        author = self.people.get(author_id)
        if author is None:
            return _refused(f"There is no person {author_id!r}.")
        backup = self.switches.get(backup_id) if backup_id is not None else None
        if backup_id is not None and backup is None:
            return _refused(f"There is no switch {backup_id!r}.")
        if section["rating"] is not None:
            return _refused(f"{section['name']} is a substation and is not taken out by a switching order here.")
        if author["role"] not in ("control_engineer", "senior_engineer"):
            return _refused(f"{author['name']} leads a crew and writes no switching orders.")
        if author["authorised_until"] < self.now[:10]:
            return _refused(f"The authorisation of {author['name']} ended on {author['authorised_until']}.")
        if self.now[:10] > planned_on or planned_on > _plus_days(self.now[:10], 60):
            return _refused(
                f"Orders are planned for {self.now[:10]} to {_plus_days(self.now[:10], 60)}, not for {planned_on}."
            )
        other = self._open_order(section)
        if other is not None:
            return _refused(
                f"{section['name']} has an order already, planned for {other['planned_on']} and {other['status']}."
            )
        if backup_id is not None and backup["normally_closed"]:
            return _refused("The backup must be a switch that is normally open.")
        if backup_id is not None and backup in self._at(section):
            return _refused(
                f"The backup switch ends at {section['name']} itself and has to be opened, so name one beyond it."
            )
        behind = _below(self._sections_by_fed_from, section)
        if (
            backup_id is not None
            and (self.sections[backup["one_end_id"]] in behind) == (self.sections[backup["other_end_id"]] in behind)
        ):
            return _refused(
                f"The backup switch does not join what lies behind {section['name']} with the rest of the network."
            )
        self._journal = []
        added_steps: list[Any] = []
        order: SwitchingOrder = {
            "id": self._new_id("switching_order", "SO", self.switching_orders),
            "section_id": section_id,
            "author_id": author_id,
            "approver_id": None,
            "planned_on": planned_on,
            "reason": reason,
            "status": "drafted",
        }
        self._add("switching_orders", order)
        n = 0
        for w in sorted(self._at(section), key=lambda w: (w["code"], _age(w))):
            n = n + 1
            if not 1 <= n <= 20:
                return self._take_back("The number of a step must be between 1 and 20.")
            step = {
                "id": self._new_id("step", "STEP", self.steps),
                "order_id": order["id"],
                "number": n,
                "phase": "isolate",
                "action": "open",
                "switch_id": w["id"],
                "done_at": None,
            }
            self._add("steps", step)
            added_steps.append(step)
        if backup_id is not None:
            number = n + 1
            if not 1 <= number <= 20:
                return self._take_back("The number of a step must be between 1 and 20.")
            new_step = {
                "id": self._new_id("step", "STEP", self.steps),
                "order_id": order["id"],
                "number": number,
                "phase": "isolate",
                "action": "close",
                "switch_id": backup_id,
                "done_at": None,
            }
            self._add("steps", new_step)
            added_steps.append(new_step)
            new_number = n + 2
            if not 1 <= new_number <= 20:
                return self._take_back("The number of a step must be between 1 and 20.")
            new_step_2 = {
                "id": self._new_id("step", "STEP", self.steps),
                "order_id": order["id"],
                "number": new_number,
                "phase": "restore",
                "action": "open",
                "switch_id": backup_id,
                "done_at": None,
            }
            self._add("steps", new_step_2)
            added_steps.append(new_step_2)
            n = n + 2
        for w in sorted(self._at(section), key=lambda w: (_descending(w["code"]), _age(w))):
            n = n + 1
            if not 1 <= n <= 20:
                return self._take_back("The number of a step must be between 1 and 20.")
            new_step_3 = {
                "id": self._new_id("step", "STEP", self.steps),
                "order_id": order["id"],
                "number": n,
                "phase": "restore",
                "action": "close" if w["normally_closed"] else "release",
                "switch_id": w["id"],
                "done_at": None,
            }
            self._add("steps", new_step_3)
            added_steps.append(new_step_3)
        if self._breaks_rule_9(order):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_11_a(one_step):
                return self._take_back(RULES[10])
        for one_step in _distinct(added_steps):
            if self._breaks_rule_11_b(one_step):
                return self._take_back(RULES[10])
        if self._breaks_rule_12():
            return self._take_back(RULES[11])
        done = f"prepare the order for {section['name']} on {planned_on} by {author['name']}"
        if backup is not None:
            done += f" with backup over {backup['code']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: switching order {order['id']}).",
            "data": {"switching_order_id": order["id"], **self._changes()},
        }

    def approve_order(self, order_id: str, by_id: str) -> Result:
        """Approve a drafted order as a senior engineer who did not write it.

        Args:
            order_id (str): Drafted switching order; an id such as SO-00001.
            by_id (str): Senior engineer who approves it and did not write it; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.switching_orders.get(order_id)
        if order is None:
            return _refused(f"There is no switching order {order_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if order["status"] != "drafted":
            return _refused(f"The order for {self.sections[order['section_id']]['name']} is {order['status']}.")
        if by["role"] != "senior_engineer":
            return _refused(f"{by['name']} is a {by['role']}, and only a senior engineer approves.")
        if by_id == order["author_id"]:
            return _refused(f"{by['name']} wrote this order, so somebody else must approve it.")
        if by["authorised_until"] < self.now[:10]:
            return _refused(f"The authorisation of {by['name']} ended on {by['authorised_until']}.")
        self._journal = []
        self._put("switching_orders", order, "approver_id", by_id)
        self._put("switching_orders", order, "status", "approved")
        for one_switch in _distinct(self._switches_by_tag.get(order["id"], {}).values()):
            if self._breaks_rule_6_w(one_switch):
                return self._take_back(RULES[5])
        for one_permit in _distinct(self._permits_by_order_status.get((order["id"], "issued"), {}).values()):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(order):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        if self._breaks_rule_12():
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: approve the order for {self.sections[order['section_id']]['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an order of which no step has been done.

        Args:
            order_id (str): Drafted or approved switching order of which no step is done; an id such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.switching_orders.get(order_id)
        if order is None:
            return _refused(f"There is no switching order {order_id!r}.")
        if order["status"] not in ("drafted", "approved"):
            return _refused(
                f"The order for {self.sections[order['section_id']]['name']} is {order['status']}, so it cannot "
                "be cancelled any more."
            )
        self._journal = []
        self._put("switching_orders", order, "status", "cancelled")
        for one_switch in _distinct(self._switches_by_tag.get(order["id"], {}).values()):
            if self._breaks_rule_6_w(one_switch):
                return self._take_back(RULES[5])
        for one_permit in _distinct(self._permits_by_order_status.get((order["id"], "issued"), {}).values()):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(order):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        if self._breaks_rule_12():
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the order for {self.sections[order['section_id']]['name']} planned for "
                f"{order['planned_on']}."
            ),
            "data": self._changes(),
        }

    def carry_out_step(self, step_id: str) -> Result:
        """Carry out the next step of an approved order; isolating hangs the tag of the order on the switch, restoring
        takes it off.

        Args:
            step_id (str): Id of the step, such as STEP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        step = self.steps.get(step_id)
        if step is None:
            return _refused(f"There is no step {step_id!r}.")
        order = self.switching_orders[step["order_id"]]
        if order["status"] not in ("approved", "under_way"):
            return _refused(f"The order for {self.sections[order['section_id']]['name']} is {order['status']}.")
        if order["planned_on"] > self.now[:10]:
            return _refused(
                f"The order for {self.sections[order['section_id']]['name']} is planned for {order['planned_on']}."
            )
        if order["status"] != "under_way" and len(self._switching_orders_by_status.get("under_way", {})) >= 8:
            return _refused(
                "Eight orders are under way, so one has to be finished before the one for "
                f"{self.sections[order['section_id']]['name']} begins."
            )
        if step["done_at"] is not None:
            return _refused(f"Step {step['number']} was done already.")
        due = self._next_step(order)
        if due is not None and due is not step:
            return _refused(f"Step {due['number']} on switch {self.switches[due['switch_id']]['code']} comes first.")
        if step["phase"] != "isolate" and self.sections[order["section_id"]]["earthed"]:
            return _refused(
                f"{self.sections[order['section_id']]['name']} is still earthed, so the earth must come off first."
            )
        if not (step["phase"] == "isolate" or bool(self._permits_by_order_status.get((order["id"], "returned"), {}))):
            return _refused(
                f"No permit for {self.sections[order['section_id']]['name']} has come back yet, so it is too "
                "early to restore."
            )
        w = self.switches[step["switch_id"]]
        foreign = next((o for o in _those(self.switching_orders, [w["tag_id"]]) if o is not order), None)
        if foreign is not None:
            return _refused(
                f"Switch {w['code']} carries the tag of the order for {self.sections[foreign['section_id']]['name']}."
            )
        closing = step["action"] == "close" and not w["closed"]
        if closing and self._root(self.sections[w["one_end_id"]]) is self._root(self.sections[w["other_end_id"]]):
            return _refused(f"Closing {w['code']} would make a ring.")
        if (
            closing
            and self._section_live(self.sections[w["one_end_id"]])
            and self._section_live(self.sections[w["other_end_id"]])
        ):
            return _refused(f"Closing {w['code']} would put two sources in parallel.")
        bad = self._fault_at(w)
        if (
            closing
            and bad is not None
            and (
                self._section_live(self.sections[w["one_end_id"]])
                or self._section_live(self.sections[w["other_end_id"]])
            )
        ):
            return _refused(f"Closing {w['code']} would put voltage on the fault of {bad['name']}.")
        if (
            closing
            and self._dead_load(self.sections[w["one_end_id"]]) + self._dead_load(self.sections[w["other_end_id"]]) > min(
                self._room_of(self.sections[w["one_end_id"]]),
                self._room_of(self.sections[w["other_end_id"]]),
            )
        ):
            return _refused(f"The source has too little left to pick up what hangs on {w['code']}.")
        self._journal = []
        changed_switching_orders: list[Any] = []
        changed_switches: list[Any] = []
        changed_sections: list[Any] = []
        former_fed_from_ids: list[Any] = []
        changed_switches_2: list[Any] = []
        self._put("steps", step, "done_at", self.now)
        if order["status"] == "approved":
            changed_switching_orders.append(order)
            self._put("switching_orders", order, "status", "under_way")
        if step["action"] == "open":
            if w["closed"]:
                changed_switches.append(w)
                self._put("switches", w, "closed", False)
                if self.sections[w["one_end_id"]]["fed_from_id"] == w["other_end_id"]:
                    section = self.sections[w["one_end_id"]]
                    changed_sections.append(section)
                    former_fed_from_ids.append(section["fed_from_id"])
                    self._put("sections", section, "fed_from_id", None)
                else:
                    its_section = self.sections[w["other_end_id"]]
                    changed_sections.append(its_section)
                    former_fed_from_ids.append(its_section["fed_from_id"])
                    self._put("sections", its_section, "fed_from_id", None)
            if step["phase"] == "isolate":
                changed_switches_2.append(w)
                self._put("switches", w, "tag_id", order["id"])
        else:
            changed_switches_2.append(w)
            self._put("switches", w, "tag_id", None)
            if closing:
                changed_switches.append(w)
                self._put("switches", w, "closed", True)
                fed = (
                    self.sections[w["one_end_id"]]
                    if self._section_live(self.sections[w["other_end_id"]])
                    else self.sections[w["other_end_id"]]
                )
                before = (
                    self.sections[w["other_end_id"]]
                    if fed["id"] == w["one_end_id"]
                    else self.sections[w["one_end_id"]]
                )
                for x in [fed] + _above(self.sections, fed, "fed_from_id"):
                    changed_sections.append(x)
                    former_fed_from_ids.append(x["fed_from_id"])
                    self._put("sections", x, "fed_from_id", before["id"])
                    before = x
        if self._next_step(order) is None:
            if order["status"] not in ("under_way", "completed"):
                return self._take_back(
                    f"Switching order {order['id']} cannot go from {order['status']} to completed."
                )
            changed_switching_orders.append(order)
            self._put("switching_orders", order, "status", "completed")
        for one_section in _distinct(changed_sections):
            if self._breaks_rule_1(one_section):
                return self._take_back(RULES[0])
        for one_switch in _distinct(
            [
                *changed_switches,
                *[user for one in changed_sections for user in self._switches_by_one_end.get(one["id"], {}).values()],
                *[
                    user
                    for one in changed_sections
                    for user in self._switches_by_other_end.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_switch):
                return self._take_back(RULES[1])
        for one_section in _distinct(
            [
                *[self.sections[one["one_end_id"]] for one in changed_switches],
                *[self.sections[one["other_end_id"]] for one in changed_switches],
                *changed_sections,
            ]
        ):
            if self._breaks_rule_3(one_section):
                return self._take_back(RULES[2])
        for one_section in _distinct(
            [
                *[user for one in changed_sections for user in _above(self.sections, one, "fed_from_id")],
                *[self.sections.get(key) for key in former_fed_from_ids],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_fed_from_ids]
                    if one is not None
                    for user in _above(self.sections, one, "fed_from_id")
                ],
            ]
        ):
            if self._breaks_rule_4(one_section):
                return self._take_back(RULES[3])
        for one_section in _distinct(
            [
                *changed_sections,
                *[user for one in changed_sections for user in _below(self._sections_by_fed_from, one)],
            ]
        ):
            if self._breaks_rule_5(one_section):
                return self._take_back(RULES[4])
        for one_switch in _distinct(
            [
                *[
                    user
                    for one in changed_switching_orders
                    for user in self._switches_by_tag.get(one["id"], {}).values()
                ],
                *changed_switches_2,
            ]
        ):
            if self._breaks_rule_6_w(one_switch):
                return self._take_back(RULES[5])
        for one_section in _distinct(
            [
                *[self.sections[one["one_end_id"]] for one in changed_switches],
                *[self.sections[one["other_end_id"]] for one in changed_switches],
                *[self.sections[one["one_end_id"]] for one in changed_switches_2],
                *[self.sections[one["other_end_id"]] for one in changed_switches_2],
            ]
        ):
            if self._breaks_rule_6_s(one_section):
                return self._take_back(RULES[5])
        for one_permit in _distinct(
            [
                user
                for one in changed_switching_orders
                for user in self._permits_by_order_status.get((one["id"], "issued"), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        for one_switching_order in _distinct(changed_switching_orders):
            if self._breaks_rule_9(one_switching_order):
                return self._take_back(RULES[8])
        for one_switching_order in _distinct(changed_switching_orders):
            if self._breaks_rule_10(one_switching_order):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_a(step):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(step):
            return self._take_back(RULES[10])
        if self._breaks_rule_12():
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: carry out step {step['number']} of the order for "
                f"{self.sections[self.switching_orders[step['order_id']]['section_id']]['name']}, "
                f"{step['action']} {self.switches[step['switch_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def apply_earth(self, order_id: str, proved_dead: bool) -> Result:
        """Earth the section of an order once all its isolating steps are done and it was proved dead.

        Args:
            order_id (str): Switching order whose isolating steps are all done; an id such as SO-00001.
            proved_dead (bool): Whether the section was tested and found without voltage, as it must be.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.switching_orders.get(order_id)
        if order is None:
            return _refused(f"There is no switching order {order_id!r}.")
        if order["status"] != "under_way":
            return _refused(f"The order for {self.sections[order['section_id']]['name']} is {order['status']}.")
        if self.sections[order["section_id"]]["earthed"]:
            return _refused(f"{self.sections[order['section_id']]['name']} is earthed already.")
        if not self._isolated(order):
            return _refused(
                f"{self.sections[order['section_id']]['name']} is not isolated, steps of the order are still open."
            )
        loose = next(
            (w for w in self._at(self.sections[order["section_id"]]) if (w["closed"] or w["tag_id"] != order_id)),
            None,
        )
        if loose is not None:
            return _refused(f"Switch {loose['code']} is not open and tagged by this order.")
        if not (proved_dead and not self._section_live(self.sections[order["section_id"]])):
            return _refused(
                f"{self.sections[order['section_id']]['name']} must be tested and proved dead before it is earthed."
            )
        self._journal = []
        section = self.sections[order["section_id"]]
        self._put("sections", section, "earthed", True)
        if self._breaks_rule_6_s(section):
            return self._take_back(RULES[5])
        for one_permit in _distinct(
            [
                user
                for one in self._switching_orders_by_section.get(section["id"], {}).values()
                for user in self._permits_by_order_status.get((one["id"], "issued"), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: earth {self.sections[order['section_id']]['name']}.",
            "data": self._changes(),
        }

    def remove_earth(self, order_id: str) -> Result:
        """Take the earth off the section of an order when no permit is out.

        Args:
            order_id (str): Switching order under which the section is earthed; an id such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.switching_orders.get(order_id)
        if order is None:
            return _refused(f"There is no switching order {order_id!r}.")
        if order["status"] != "under_way" or not self.sections[order["section_id"]]["earthed"]:
            return _refused(f"{self.sections[order['section_id']]['name']} is not earthed under this order.")
        out = next(
            (p for p in sorted(self._permits_by_order_status.get((order_id, "issued"), {}).values(), key=_age)),
            None,
        )
        if out is not None:
            return _refused(
                f"{self.people[out['holder_id']]['name']} still holds a permit for "
                f"{self.sections[order['section_id']]['name']}."
            )
        self._journal = []
        section = self.sections[order["section_id"]]
        self._put("sections", section, "earthed", False)
        if self._breaks_rule_6_s(section):
            return self._take_back(RULES[5])
        for one_permit in _distinct(
            [
                user
                for one in self._switching_orders_by_section.get(section["id"], {}).values()
                for user in self._permits_by_order_status.get((one["id"], "issued"), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: take the earth off {self.sections[order['section_id']]['name']}.",
            "data": self._changes(),
        }

    def issue_permit(self, order_id: str, holder_id: str, work: Text) -> Result:
        """Give the leader of a crew the permit to work on an earthed section.

        Args:
            order_id (str): Switching order under which the section is earthed; an id such as SO-00001.
            holder_id (str): Crew leader who receives the permit and holds no other; an id such as PERSON-00001.
            work (str): Work that may be done on the section.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.switching_orders.get(order_id)
        if order is None:
            return _refused(f"There is no switching order {order_id!r}.")
        holder = self.people.get(holder_id)
        if holder is None:
            return _refused(f"There is no person {holder_id!r}.")
        if order["status"] != "under_way":
            return _refused(f"The order for {self.sections[order['section_id']]['name']} is {order['status']}.")
        if not self.sections[order["section_id"]]["earthed"]:
            return _refused(
                f"{self.sections[order['section_id']]['name']} is not earthed, and nobody works before that."
            )
        if holder["role"] != "crew_leader":
            return _refused(f"{holder['name']} is a {holder['role']}, and permits go to crew leaders.")
        if holder["authorised_until"] < self.now[:10]:
            return _refused(f"The authorisation of {holder['name']} ended on {holder['authorised_until']}.")
        out = next(
            (p for p in sorted(self._permits_by_order_status.get((order_id, "issued"), {}).values(), key=_age)),
            None,
        )
        if out is not None:
            return _refused(
                f"{self.people[out['holder_id']]['name']} has the permit for "
                f"{self.sections[order['section_id']]['name']} already."
            )
        held = next(
            (p for p in sorted(self._permits_by_holder_status.get((holder_id, "issued"), {}).values(), key=_age)),
            None,
        )
        if held is not None:
            return _refused(
                f"{holder['name']} holds a permit for "
                f"{self.sections[self.switching_orders[held['order_id']]['section_id']]['name']} already."
            )
        self._journal = []
        permit: Permit = {
            "id": self._new_id("permit", "PERMIT", self.permits),
            "order_id": order_id,
            "holder_id": holder_id,
            "work": work,
            "issued_at": self.now,
            "returned_at": None,
            "status": "issued",
        }
        self._add("permits", permit)
        if self._breaks_rule_7(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_p(permit):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_p_again(permit):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: issue a permit for {self.sections[order['section_id']]['name']} to {holder['name']} (new: "
                f"permit {permit['id']})."
            ),
            "data": {"permit_id": permit["id"], **self._changes()},
        }

    def return_permit(self, permit_id: str, repaired: bool = False) -> Result:
        """Take a permit back from the leader of a crew, who says whether the fault of the section was repaired.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            repaired (bool): Whether the fault of the section was repaired. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] != "issued":
            return _refused(f"The permit of {self.people[permit['holder_id']]['name']} is {permit['status']}.")
        if not (
            not repaired
            or self._section_faulty(self.sections[self.switching_orders[permit["order_id"]]["section_id"]])
        ):
            return _refused(
                f"{self.sections[self.switching_orders[permit['order_id']]['section_id']]['name']} has no fault "
                "that could be repaired."
            )
        self._journal = []
        changed_sections: list[Any] = []
        self._put("permits", permit, "returned_at", self.now)
        self._put("permits", permit, "status", "returned")
        if repaired:
            section = self.sections[self.switching_orders[permit["order_id"]]["section_id"]]
            changed_sections.append(section)
            self._put("sections", section, "fault", None)
        for one_section in _distinct(changed_sections):
            if self._breaks_rule_5(one_section):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(permit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_p(permit):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_p_again(permit):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: take back the permit of {self.people[permit['holder_id']]['name']} for "
                f"{self.sections[self.switching_orders[permit['order_id']]['section_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def switch_remotely(self, switch_id: str, position: Literal["open", "closed"], by_id: str) -> Result:
        """Open or close a remote-controlled switch from the desk, outside of any order.

        Args:
            switch_id (str): Id of the switch, such as SWITCH-00001.
            position (str): Position that the switch is brought to: open or closed.
            by_id (str): Control engineer or senior engineer at the desk; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        switch = self.switches.get(switch_id)
        if switch is None:
            return _refused(f"There is no switch {switch_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if not switch["remote"]:
            return _refused(f"Switch {switch['code']} is worked by hand.")
        if by["role"] == "crew_leader":
            return _refused(f"{by['name']} leads a crew and does not work the desk.")
        if by["authorised_until"] < self.now[:10]:
            return _refused(f"The authorisation of {by['name']} ended on {by['authorised_until']}.")
        if switch["tag_id"] is not None:
            return _refused(f"Switch {switch['code']} carries the tag of an order.")
        if switch["closed"] == (position == "closed"):
            return _refused(f"Switch {switch['code']} is {position} already.")
        if (
            position != "open"
            and self._root(self.sections[switch["one_end_id"]]) is self._root(self.sections[switch["other_end_id"]])
        ):
            return _refused(f"Closing {switch['code']} would make a ring.")
        if (
            position != "open"
            and self._section_live(self.sections[switch["one_end_id"]])
            and self._section_live(self.sections[switch["other_end_id"]])
        ):
            return _refused(f"Closing {switch['code']} would put two sources in parallel.")
        bad = self._fault_at(switch)
        if (
            position != "open"
            and bad is not None
            and (
                self._section_live(self.sections[switch["one_end_id"]])
                or self._section_live(self.sections[switch["other_end_id"]])
            )
        ):
            return _refused(f"Closing {switch['code']} would put voltage on the fault of {bad['name']}.")
        if (
            position != "open"
            and self._dead_load(self.sections[switch["one_end_id"]]) + self._dead_load(self.sections[switch["other_end_id"]]) > min(
                self._room_of(self.sections[switch["one_end_id"]]),
                self._room_of(self.sections[switch["other_end_id"]]),
            )
        ):
            return _refused(f"The source has too little left to pick up what hangs on {switch['code']}.")
        self._journal = []
        changed_switches: list[Any] = []
        changed_sections: list[Any] = []
        former_fed_from_ids: list[Any] = []
        if position == "open":
            changed_switches.append(switch)
            self._put("switches", switch, "closed", False)
            if self.sections[switch["one_end_id"]]["fed_from_id"] == switch["other_end_id"]:
                section = self.sections[switch["one_end_id"]]
                changed_sections.append(section)
                former_fed_from_ids.append(section["fed_from_id"])
                self._put("sections", section, "fed_from_id", None)
            else:
                its_section = self.sections[switch["other_end_id"]]
                changed_sections.append(its_section)
                former_fed_from_ids.append(its_section["fed_from_id"])
                self._put("sections", its_section, "fed_from_id", None)
        else:
            changed_switches.append(switch)
            self._put("switches", switch, "closed", True)
            fed = (
                self.sections[switch["one_end_id"]]
                if self._section_live(self.sections[switch["other_end_id"]])
                else self.sections[switch["other_end_id"]]
            )
            before = (
                self.sections[switch["other_end_id"]]
                if fed["id"] == switch["one_end_id"]
                else self.sections[switch["one_end_id"]]
            )
            for x in [fed] + _above(self.sections, fed, "fed_from_id"):
                changed_sections.append(x)
                former_fed_from_ids.append(x["fed_from_id"])
                self._put("sections", x, "fed_from_id", before["id"])
                before = x
        for one_section in _distinct(changed_sections):
            if self._breaks_rule_1(one_section):
                return self._take_back(RULES[0])
        for one_switch in _distinct(
            [
                *changed_switches,
                *[user for one in changed_sections for user in self._switches_by_one_end.get(one["id"], {}).values()],
                *[
                    user
                    for one in changed_sections
                    for user in self._switches_by_other_end.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_switch):
                return self._take_back(RULES[1])
        for one_section in _distinct(
            [
                *[self.sections[one["one_end_id"]] for one in changed_switches],
                *[self.sections[one["other_end_id"]] for one in changed_switches],
                *changed_sections,
            ]
        ):
            if self._breaks_rule_3(one_section):
                return self._take_back(RULES[2])
        for one_section in _distinct(
            [
                *[user for one in changed_sections for user in _above(self.sections, one, "fed_from_id")],
                *[self.sections.get(key) for key in former_fed_from_ids],
                *[
                    user
                    for one in [self.sections.get(key) for key in former_fed_from_ids]
                    if one is not None
                    for user in _above(self.sections, one, "fed_from_id")
                ],
            ]
        ):
            if self._breaks_rule_4(one_section):
                return self._take_back(RULES[3])
        for one_section in _distinct(
            [
                *changed_sections,
                *[user for one in changed_sections for user in _below(self._sections_by_fed_from, one)],
            ]
        ):
            if self._breaks_rule_5(one_section):
                return self._take_back(RULES[4])
        for one_section in _distinct(
            [
                *[self.sections[one["one_end_id"]] for one in changed_switches],
                *[self.sections[one["other_end_id"]] for one in changed_switches],
            ]
        ):
            if self._breaks_rule_6_s(one_section):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: bring {switch['code']} to {position} as {by['name']}.",
            "data": self._changes(),
        }

    def report_fault(
        self,
        section_id: str,
        cause: Literal["digger", "lightning", "insulation", "vandalism"],
    ) -> Result:
        """Report a fault on a section; the protection opens the switch that feeds it.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            cause (str): What caused the fault, such as an excavator or broken insulation: digger, lightning,
                insulation or vandalism.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if section["rating"] is not None:
            return _refused(f"{section['name']} is a substation, which the transmission desk looks after.")
        if self._section_faulty(section):
            return _refused(f"{section['name']} is down as faulty already.")
        self._journal = []
        changed_switches: list[Any] = []
        for w in [
            w
            for w in self._at(section)
            if section["fed_from_id"] is not None
            and w["closed"]
            and (w["one_end_id"] == section["fed_from_id"] or w["other_end_id"] == section["fed_from_id"])
        ]:
            changed_switches.append(w)
            self._put("switches", w, "closed", False)
        former_fed_from_id = section["fed_from_id"]
        self._put("sections", section, "fed_from_id", None)
        self._put("sections", section, "fault", cause)
        if self._breaks_rule_1(section):
            return self._take_back(RULES[0])
        for one_switch in _distinct(
            [
                *changed_switches,
                *self._switches_by_one_end.get(section["id"], {}).values(),
                *self._switches_by_other_end.get(section["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_switch):
                return self._take_back(RULES[1])
        for one_section in _distinct(
            [
                section,
                *[self.sections[one["one_end_id"]] for one in changed_switches],
                *[self.sections[one["other_end_id"]] for one in changed_switches],
            ]
        ):
            if self._breaks_rule_3(one_section):
                return self._take_back(RULES[2])
        for one_section in _distinct(
            [
                self.sections.get(former_fed_from_id),
                *_above(self.sections, section, "fed_from_id"),
                *[
                    user
                    for one in [self.sections.get(former_fed_from_id)]
                    if one is not None
                    for user in _above(self.sections, one, "fed_from_id")
                ],
            ]
        ):
            if self._breaks_rule_4(one_section):
                return self._take_back(RULES[3])
        for one_section in _distinct([section, *_below(self._sections_by_fed_from, section)]):
            if self._breaks_rule_5(one_section):
                return self._take_back(RULES[4])
        for one_section in _distinct(
            [
                *[self.sections[one["one_end_id"]] for one in changed_switches],
                *[self.sections[one["other_end_id"]] for one in changed_switches],
            ]
        ):
            if self._breaks_rule_6_s(one_section):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: report the fault on {section['name']}, cause {cause}.",
            "data": self._changes(),
        }

    def connect_load(
        self,
        section_id: str,
        amps: Annotated[int, {"minimum": 1, "maximum": 200}],
        customers: Annotated[int, {"minimum": 0, "maximum": 400}] = 0,
    ) -> Result:
        """Connect more load to a section within what its substation has left.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            amps (int): Load that is added, in amperes, from 1 to 200.
            customers (int): Customers who are connected with it, from 0 to 400. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if section["rating"] is not None:
            return _refused(f"Nothing is connected at {section['name']} itself.")
        if not self._section_live(section):
            return _refused(f"{section['name']} is without supply.")
        if amps > self._section_spare(self._root(section)):
            return _refused(
                f"{self._root(section)['name']} has {self._section_spare(self._root(section))} A left, not {amps}."
            )
        if section["customers"] + customers > 5000:
            return _refused(f"{section['name']} would have too many customers.")
        self._journal = []
        load = section["load"] + amps
        if not 0 <= load <= 900:
            return self._take_back(f"The load of {section['name']} must be between 0 and 900.")
        self._put("sections", section, "load", load)
        new_customers = section["customers"] + customers
        if not 0 <= new_customers <= 5000:
            return self._take_back(f"The customers of {section['name']} must be between 0 and 5000.")
        self._put("sections", section, "customers", new_customers)
        for one_section in _distinct([section, *_above(self.sections, section, "fed_from_id")]):
            if self._breaks_rule_4(one_section):
                return self._take_back(RULES[3])
        return {"success": True, "message": f"Done: connect {amps} A to {section['name']}.", "data": self._changes()}

    def _show_section(self, section: Section) -> dict[str, Any]:
        """The section as an answer shows it."""
        return {
            **section,
            "faulty": self._section_faulty(section),
            "live": self._section_live(section),
            "carried": self._section_carried(section),
            "spare": self._section_spare(section),
        }

    def _names_of_sections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sections point to."""
        return _names((self.sections, "name", [row["fed_from_id"] for row in shown]))

    def _names_of_switches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that switches point to."""
        return _names(
            (self.sections, "name", [row["one_end_id"] for row in shown]),
            (self.sections, "name", [row["other_end_id"] for row in shown]),
        )

    def _names_of_switching_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that switching orders point to."""
        return _names(
            (self.sections, "name", [row["section_id"] for row in shown]),
            (self.people, "name", [row["author_id"] for row in shown]),
            (self.people, "name", [row["approver_id"] for row in shown]),
        )

    def _names_of_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that steps point to."""
        return _names((self.switches, "code", [row["switch_id"] for row in shown]))

    def _names_of_permits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that permits point to."""
        return _names((self.people, "name", [row["holder_id"] for row in shown]))

    def _section_faulty(self, section: Section) -> bool:
        """The faulty of a section."""
        return section["fault"] is not None

    def _section_live(self, section: Section) -> bool:
        """The live of a section."""
        return any(x["rating"] is not None for x in [section] + _above(self.sections, section, "fed_from_id"))

    def _section_carried(self, section: Section) -> int:
        """The carried of a section."""
        return section["load"] + sum(b["load"] for b in _below(self._sections_by_fed_from, section))

    def _section_spare(self, section: Section) -> int:
        """The spare of a section."""
        return section["rating"] - self._section_carried(section) if section["rating"] is not None else 0

    def _root(self, s: Section) -> Section:
        return next((x for x in [s] + _above(self.sections, s, "fed_from_id") if x["fed_from_id"] is None), None) or s

    def _at(self, s: Section) -> list[Switch]:
        return sorted(
            _distinct(
                [
                    *self._switches_by_one_end.get(s["id"], {}).values(),
                    *self._switches_by_other_end.get(s["id"], {}).values(),
                ]
            ),
            key=_age,
        )

    def _far(self, w: Switch, s: Section) -> Section:
        return self.sections[w["other_end_id"]] if w["one_end_id"] == s["id"] else self.sections[w["one_end_id"]]

    def _open_order(self, s: Section) -> SwitchingOrder | None:
        return next(
            (
                o
                for o in sorted(self._switching_orders_by_section.get(s["id"], {}).values(), key=_age)
                if o["status"] in ("drafted", "approved", "under_way")
            ),
            None,
        )

    def _fault_at(self, w: Switch) -> Section | None:
        return next(
            (
                x
                for x in self.sections.values()
                if self._section_faulty(x)
                and (
                    self._root(x) is self._root(self.sections[w["one_end_id"]])
                    or self._root(x) is self._root(self.sections[w["other_end_id"]])
                )
            ),
            None,
        )

    def _dead_load(self, s: Section) -> int:
        return 0 if self._section_live(s) else self._section_carried(self._root(s))

    def _revives(self, w: Switch, s: Section) -> bool:
        return (
            w["remote"]
            and w["tag_id"] is None
            and not w["closed"]
            and not self._section_live(s)
            and self._section_live(self._far(w, s))
            and self._fault_at(w) is None
            and self._dead_load(s) <= self._section_spare(self._root(self._far(w, s)))
        )

    def _next_step(self, o: SwitchingOrder) -> Step | None:
        return min(
            (t for t in self._steps_by_order.get(o["id"], {}).values() if t["done_at"] is None),
            key=lambda t: (t["number"], _age(t)),
            default=None,
        )

    def _isolated(self, o: SwitchingOrder) -> bool:
        return all(
            t["done_at"] is not None
            for t in self._steps_by_order_phase.get((o["id"], "isolate"), {}).values()
        )

    def _room_of(self, s: Section) -> int:
        return self._section_spare(self._root(s)) if self._section_live(s) else 900

    def _breaks_rule_1(self, s: Section) -> bool:
        """Whether this is broken: a substation is never fed by a section, and no section feeds itself."""
        return not (
            (s["rating"] is None or s["fed_from_id"] is None)
            and s not in _above(self.sections, s, "fed_from_id")
        )

    def _breaks_rule_2(self, w: Switch) -> bool:
        """Whether this is broken: every closed switch feeds one of the sections at its ends from the other, so the
        network has no ring and no two sources in parallel.
        """
        return (
            w["closed"]
            and self.sections[w["one_end_id"]]["fed_from_id"] != w["other_end_id"]
            and self.sections[w["other_end_id"]]["fed_from_id"] != w["one_end_id"]
        )

    def _breaks_rule_3(self, s: Section) -> bool:
        """Whether this is broken: a section with switches is fed only through one that is closed."""
        return not (
            s["fed_from_id"] is None
            or len(self._at(s)) == 0
            or any(
                w["closed"]
                and (w["one_end_id"] == s["fed_from_id"] or w["other_end_id"] == s["fed_from_id"])
                for w in self._at(s)
            )
        )

    def _breaks_rule_4(self, s: Section) -> bool:
        """Whether this is broken: a substation never carries more than its rating."""
        return s["rating"] is not None and self._section_carried(s) > s["rating"]

    def _breaks_rule_5(self, s: Section) -> bool:
        """Whether this is broken: a faulty section is never live."""
        return self._section_faulty(s) and self._section_live(s)

    def _breaks_rule_6_w(self, w: Switch) -> bool:
        """Whether this is broken: a tag hangs on a switch only while its order is under way, and a section is earthed
        only while every switch at it is open and tagged by the order for it.
        """
        return w["tag_id"] is not None and self.switching_orders[w["tag_id"]]["status"] != "under_way"

    def _breaks_rule_6_s(self, s: Section) -> bool:
        """Whether this is broken: a tag hangs on a switch only while its order is under way, and a section is earthed
        only while every switch at it is open and tagged by the order for it.
        """
        return not (
            not s["earthed"]
            or all(
                not w["closed"]
                and w["tag_id"] is not None
                and self.switching_orders[w["tag_id"]]["section_id"] == s["id"]
                for w in self._at(s)
            )
        )

    def _breaks_rule_7(self, p: Permit) -> bool:
        """Whether this is broken: a permit is out only while the section is earthed and its order is under way."""
        return (
            p["status"] == "issued"
            and (
                not self.sections[self.switching_orders[p["order_id"]]["section_id"]]["earthed"]
                or self.switching_orders[p["order_id"]]["status"] != "under_way"
            )
        )

    def _breaks_rule_8_p(self, p: Permit) -> bool:
        """Whether this is broken: a person holds one permit at a time, and a section has one permit out."""
        return (
            p["status"] == "issued"
            and any(
                other_p is not p
                for other_p in self._permits_by_holder_status.get((p["holder_id"], "issued"), {}).values()
            )
        )

    def _breaks_rule_8_p_again(self, p: Permit) -> bool:
        """Whether this is broken: a person holds one permit at a time, and a section has one permit out."""
        return (
            p["status"] == "issued"
            and any(
                other_p is not p
                for _switching_order in self._switching_orders_by_section.get(
                    self.switching_orders[p["order_id"]]["section_id"],
                    {},
                ).values()
                for other_p in self._permits_by_order_status.get((_switching_order["id"], "issued"), {}).values()
            )
        )

    def _breaks_rule_9(self, o: SwitchingOrder) -> bool:
        """Whether this is broken: a section has at most one switching order that is not finished."""
        return (
            o["status"] in ("drafted", "approved", "under_way")
            and any(
                other_o is not o
                for other_o in self._switching_orders_by_section.get(o["section_id"], {}).values()
                if other_o["status"] in ("drafted", "approved", "under_way")
            )
        )

    def _breaks_rule_10(self, o: SwitchingOrder) -> bool:
        """Whether this is broken: an order is approved by a senior engineer who did not write it."""
        return not (
            (o["status"] in ("drafted", "cancelled") or o["approver_id"] is not None)
            and (
                o["approver_id"] is None
                or o["approver_id"] != o["author_id"]
                and self.people[o["approver_id"]]["role"] == "senior_engineer"
            )
        )

    def _breaks_rule_11_a(self, a: Step) -> bool:
        """Whether this is broken: the steps of an order are done in the order of their numbers."""
        return any(
            a["number"] < b["number"]
            and a["done_at"] is None
            and b["done_at"] is not None
            for b in self._steps_by_order.get(a["order_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_11_b(self, b: Step) -> bool:
        """Whether this is broken: the steps of an order are done in the order of their numbers."""
        return any(
            a["number"] < b["number"]
            and a["done_at"] is None
            and b["done_at"] is not None
            for a in self._steps_by_order.get(b["order_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_12(self) -> bool:
        """Whether this is broken: the desk runs at most eight orders at a time."""
        return len(self._switching_orders_by_status.get("under_way", {})) > 8

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
            case "sections":
                self._sections_by_fed_from.setdefault(record["fed_from_id"], {})[record["id"]] = record
            case "switches":
                self._switches_by_one_end.setdefault(record["one_end_id"], {})[record["id"]] = record
                self._switches_by_other_end.setdefault(record["other_end_id"], {})[record["id"]] = record
                self._switches_by_tag.setdefault(record["tag_id"], {})[record["id"]] = record
            case "switching_orders":
                self._switching_orders_by_section.setdefault(record["section_id"], {})[record["id"]] = record
                self._switching_orders_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "steps":
                self._steps_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._steps_by_order_phase.setdefault((record["order_id"], record["phase"]), {})[record["id"]] = record
            case "permits":
                self._permits_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._permits_by_order_status.setdefault(
                    (record["order_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sections":
                del self._sections_by_fed_from[record["fed_from_id"]][record["id"]]
            case "switches":
                del self._switches_by_one_end[record["one_end_id"]][record["id"]]
                del self._switches_by_other_end[record["other_end_id"]][record["id"]]
                del self._switches_by_tag[record["tag_id"]][record["id"]]
            case "switching_orders":
                del self._switching_orders_by_section[record["section_id"]][record["id"]]
                del self._switching_orders_by_status[record["status"]][record["id"]]
            case "steps":
                del self._steps_by_order[record["order_id"]][record["id"]]
                del self._steps_by_order_phase[record["order_id"], record["phase"]][record["id"]]
            case "permits":
                del self._permits_by_holder_status[record["holder_id"], record["status"]][record["id"]]
                del self._permits_by_order_status[record["order_id"], record["status"]][record["id"]]
