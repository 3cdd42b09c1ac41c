"""Law firm. Compiled from blueprint.yaml; run `envscaler build law_firm` after changing it there.

Runs the matters of a law firm, with conflict checks through groups of companies, time recorded in units, write-
offs, caps, bills, and client money on trust that never goes negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The trust money of a matter is never negative.",
    "The firm never acts on both sides, unless a conflict within a group was waived.",
    "A direct conflict is never waived.",
    "A conflict is waived by a partner who leads neither matter.",
    "A conflict between two matters is noted once.",
    "A partner leads each matter.",
    "Nobody works against somebody they used to act for.",
    "No more is written off than an entry is worth.",
    "A lawyer never records more than sixteen hours a day.",
    "A bill contains time of its own matter, and is never overpaid.",
    "What is billed stays within the cap.",
    "A closed matter has no trust money, no unbilled time and no open bill.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_matter",
    "waive_conflict",
    "decide_screening",
    "record_time",
    "write_off",
    "deposit_trust",
    "pay_from_trust",
    "issue_bill",
    "settle_bill",
    "raise_cap",
    "close_matter",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "contacts": ("name",),
    "lawyers": ("name",),
    "matters": ("title",),
    "conflicts": (),
    "bills": ("number",),
    "time_entries": (),
    "trust_moves": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bills", "matter_id"),
    ("bills", "number"),
    ("conflicts", "matter_id"),
    ("conflicts", "other_id"),
    ("contacts", "parent_id"),
    ("matters", "title"),
    ("time_entries", "bill_id"),
    ("time_entries", "lawyer_id"),
    ("time_entries", "matter_id"),
    ("trust_moves", "bill_id"),
    ("trust_moves", "matter_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Contact(TypedDict):
    id: str
    name: str
    parent_id: str | None


class Lawyer(TypedDict):
    id: str
    name: str
    partner: bool
    hourly: int
    acted_for_ids: list[str]


class Matter(TypedDict):
    id: str
    title: str
    client_id: str
    opponent_id: str | None
    lead_id: str
    cap: int | None
    status: Literal["screening", "open", "declined", "closed"]


class Conflict(TypedDict):
    id: str
    matter_id: str
    other_id: str
    kind: Literal["direct", "group"]
    waived_by_id: str | None


class Bill(TypedDict):
    id: str
    number: str
    matter_id: str
    issued_on: str
    client_paid: int


class TimeEntry(TypedDict):
    id: str
    matter_id: str
    lawyer_id: str
    on: str
    units: int
    rate: int
    written_off: int
    bill_id: str | None


class TrustMove(TypedDict):
    id: str
    matter_id: str
    on: str
    kind: Literal["deposit", "fees", "refund", "court"]
    amount: int
    bill_id: str | None


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


def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


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


class LawFirm:
    """Runs the matters of a law firm, with conflict checks through groups of companies, time recorded in
    units, write-offs, caps, bills, and client money on trust that never goes negative.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.contacts: dict[str, Contact] = _copied(config.get("contacts", {}))
        self.lawyers: dict[str, Lawyer] = _copied(config.get("lawyers", {}))
        self.matters: dict[str, Matter] = _copied(config.get("matters", {}))
        self.conflicts: dict[str, Conflict] = _copied(config.get("conflicts", {}))
        self.bills: dict[str, Bill] = _copied(config.get("bills", {}))
        self.time_entries: dict[str, TimeEntry] = _copied(config.get("time_entries", {}))
        self.trust_moves: dict[str, TrustMove] = _copied(config.get("trust_moves", {}))
        self.now: str = config.get("now", "2026-02-26T17:15")
        self.counters: dict[str, int] = {
            "contact": len(self.contacts),
            "lawyer": len(self.lawyers),
            "matter": len(self.matters),
            "conflict": len(self.conflicts),
            "bill": len(self.bills),
            "time_entry": len(self.time_entries),
            "trust_move": len(self.trust_moves),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contacts_by_parent: dict[Any, dict[str, Contact]] = {}
        self._matters_by_lower_title: dict[Any, dict[str, Matter]] = {}
        self._matters_by_title: dict[Any, dict[str, Matter]] = {}
        self._conflicts_by_matter: dict[Any, dict[str, Conflict]] = {}
        self._conflicts_by_matter_other: dict[Any, dict[str, Conflict]] = {}
        self._conflicts_by_other: dict[Any, dict[str, Conflict]] = {}
        self._bills_by_lower_number: dict[Any, dict[str, Bill]] = {}
        self._bills_by_matter: dict[Any, dict[str, Bill]] = {}
        self._bills_by_number: dict[Any, dict[str, Bill]] = {}
        self._time_entries_by_bill: dict[Any, dict[str, TimeEntry]] = {}
        self._time_entries_by_lawyer: dict[Any, dict[str, TimeEntry]] = {}
        self._time_entries_by_matter: dict[Any, dict[str, TimeEntry]] = {}
        self._trust_moves_by_bill: dict[Any, dict[str, TrustMove]] = {}
        self._trust_moves_by_matter: dict[Any, dict[str, TrustMove]] = {}
        for contact in self.contacts.values():
            self._link("contacts", contact)
        for matter in self.matters.values():
            self._link("matters", matter)
        for conflict in self.conflicts.values():
            self._link("conflicts", conflict)
        for bill in self.bills.values():
            self._link("bills", bill)
        for time_entry in self.time_entries.values():
            self._link("time_entries", time_entry)
        for trust_move in self.trust_moves.values():
            self._link("trust_moves", trust_move)

    def conflicts_of(self, matter_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The conflicts of a matter with live matters.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "conflicts": records}} or {"success": False, "error":
                why not}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        found = [
            k
            for k in self._conflicts_by_matter.get(matter_id, {}).values()
            if (k["matter_id"] == matter_id and self._live(self.matters[k["other_id"]]))
        ]
        found.sort(key=lambda k: (self.matters[k["other_id"]]["title"], _age(k)))
        return _found(
            {
                "total": len(found),
                "conflicts": [
                    {
                        "id": k["id"],
                        "other": self.matters[k["other_id"]]["title"],
                        "client_of_other": self.contacts[self.matters[k["other_id"]]["client_id"]]["name"],
                        "kind": k["kind"],
                        "waived": k["waived_by_id"] is not None,
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def open_bills(
        self,
        client_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bills with something left to pay, the oldest first.

        Args:
            client_id (str, optional): Company that has to pay; an id such as CONTACT-00001. If left out, the bills
                of all clients are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bills": records}} or {"success": False, "error": why
                not}
        """
        client = self.contacts.get(client_id) if client_id is not None else None
        if client_id is not None and client is None:
            return _refused(f"There is no contact {client_id!r}.")
        found = [
            b
            for b in self.bills.values()
            if self._bill_open(b) > 0
            and (client_id is None or self.matters[b["matter_id"]]["client_id"] == client_id)
        ]
        found.sort(key=lambda b: (b["issued_on"], b["number"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bills": [
                    {
                        "id": b["id"],
                        "number": b["number"],
                        "matter": self.matters[b["matter_id"]]["title"],
                        "issued_on": b["issued_on"],
                        "open": self._bill_open(b),
                        "trust_of_matter": self._matter_trust(self.matters[b["matter_id"]]),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def work_in_progress(
        self,
        lead_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open matters with unbilled time, the most valuable first.

        Args:
            lead_id (str, optional): Partner who leads the matters; an id such as LAWYER-00001. If left out, the
                matters of all partners are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "matters": records}} or {"success": False, "error": why
                not}
        """
        lead = self.lawyers.get(lead_id) if lead_id is not None else None
        if lead_id is not None and lead is None:
            return _refused(f"There is no lawyer {lead_id!r}.")
        found = [
            m
            for m in self.matters.values()
            if (m["status"] == "open" and self._matter_unbilled(m) > 0)
            and (lead_id is None or m["lead_id"] == lead_id)
        ]
        found.sort(key=lambda m: (-self._matter_unbilled(m), m["title"], _age(m)))
        return _found(
            {
                "total": len(found),
                "matters": [
                    {
                        "id": m["id"],
                        "title": m["title"],
                        "unbilled": self._matter_unbilled(m),
                        "billed": self._matter_billed(m),
                        "cap": m["cap"],
                        "trust": self._matter_trust(m),
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def group_of(self, contact_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The companies of somebody's group, above and below.

        Args:
            contact_id (str): Id of the contact, such as CONTACT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contacts": records}} or {"success": False, "error": why
                not}
        """
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        found = [c for c in self._circle(contact)]
        return _found(
            {"total": len(found), "contacts": [{"id": c["id"], "name": c["name"]} for c in _page(found, offset)]}
        )

    def list_contacts(
        self,
        name: Text | None = None,
        parent_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contacts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only contacts whose name contains this text.
            parent_id (str, optional): Only contacts whose parent is this contact.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contacts": records}}
        """
        if parent_id is not None and parent_id not in self.contacts:
            return _refused(f"There is no contact {parent_id!r}.")
        found = [
            contact
            for contact in self.contacts.values()
            if (name is None or name.casefold() in contact["name"].casefold())
            and (parent_id is None or contact["parent_id"] == parent_id)
        ]
        shown = [{**contact} for contact in _page(found, offset)]
        return _found({"total": len(found), "contacts": shown}, self._names_of_contacts(shown))

    def list_lawyers(
        self,
        name: Text | None = None,
        partner: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lawyers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only lawyers whose name contains this text.
            partner (bool, optional): Only lawyers with this value of `partner`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lawyers": records}}
        """
        found = [
            lawyer
            for lawyer in self.lawyers.values()
            if (name is None or name.casefold() in lawyer["name"].casefold())
            and (partner is None or lawyer["partner"] == partner)
        ]
        shown = [self._show_lawyer(lawyer) for lawyer in _page(found, offset)]
        return _found({"total": len(found), "lawyers": shown}, self._names_of_lawyers(shown))

    def list_matters(
        self,
        title: Text | None = None,
        client_id: str | None = None,
        opponent_id: str | None = None,
        lead_id: str | None = None,
        status: Literal["screening", "open", "declined", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the matters, oldest first, all of them or only some.

        Args:
            title (str, optional): Only matters whose title contains this text.
            client_id (str, optional): Only matters whose client is this contact.
            opponent_id (str, optional): Only matters whose opponent is this contact.
            lead_id (str, optional): Only matters whose lead is this lawyer.
            status (str, optional): Only matters with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "matters": records}}
        """
        if client_id is not None and client_id not in self.contacts:
            return _refused(f"There is no contact {client_id!r}.")
        if opponent_id is not None and opponent_id not in self.contacts:
            return _refused(f"There is no contact {opponent_id!r}.")
        if lead_id is not None and lead_id not in self.lawyers:
            return _refused(f"There is no lawyer {lead_id!r}.")
        found = [
            matter
            for matter in self.matters.values()
            if (title is None or title.casefold() in matter["title"].casefold())
            and (client_id is None or matter["client_id"] == client_id)
            and (opponent_id is None or matter["opponent_id"] == opponent_id)
            and (lead_id is None or matter["lead_id"] == lead_id)
            and (status is None or matter["status"] == status)
        ]
        shown = [self._show_matter(matter) for matter in _page(found, offset)]
        return _found({"total": len(found), "matters": shown}, self._names_of_matters(shown))

    def list_conflicts(
        self,
        matter_id: str | None = None,
        other_id: str | None = None,
        kind: Literal["direct", "group"] | None = None,
        waived_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the conflicts, oldest first, all of them or only some.

        Args:
            matter_id (str, optional): Only conflicts of this matter.
            other_id (str, optional): Only conflicts whose other is this matter.
            kind (str, optional): Only conflicts with this kind.
            waived_by_id (str, optional): Only conflicts waived by this lawyer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "conflicts": records}}
        """
        if matter_id is not None and matter_id not in self.matters:
            return _refused(f"There is no matter {matter_id!r}.")
        if other_id is not None and other_id not in self.matters:
            return _refused(f"There is no matter {other_id!r}.")
        if waived_by_id is not None and waived_by_id not in self.lawyers:
            return _refused(f"There is no lawyer {waived_by_id!r}.")
        found = [
            conflict
            for conflict in self.conflicts.values()
            if (matter_id is None or conflict["matter_id"] == matter_id)
            and (other_id is None or conflict["other_id"] == other_id)
            and (kind is None or conflict["kind"] == kind)
            and (waived_by_id is None or conflict["waived_by_id"] == waived_by_id)
        ]
        shown = [{**conflict} for conflict in _page(found, offset)]
        return _found({"total": len(found), "conflicts": shown}, self._names_of_conflicts(shown))

    def list_bills(
        self,
        number: Text | None = None,
        matter_id: str | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bills, oldest first, all of them or only some.

        Args:
            number (str, optional): Only bills whose number contains this text.
            matter_id (str, optional): Only bills of this matter.
            issued_on_from (str, optional): Only bills whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only bills whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bills": records}}
        """
        if matter_id is not None and matter_id not in self.matters:
            return _refused(f"There is no matter {matter_id!r}.")
        found = [
            bill
            for bill in self.bills.values()
            if (number is None or number.casefold() in bill["number"].casefold())
            and (matter_id is None or bill["matter_id"] == matter_id)
            and (issued_on_from is None or bill["issued_on"] >= issued_on_from)
            and (issued_on_to is None or bill["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_bill(bill) for bill in _page(found, offset)]
        return _found({"total": len(found), "bills": shown}, self._names_of_bills(shown))

    def list_time_entries(
        self,
        matter_id: str | None = None,
        lawyer_id: str | None = None,
        bill_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the time entries, oldest first, all of them or only some.

        Args:
            matter_id (str, optional): Only time entries of this matter.
            lawyer_id (str, optional): Only time entries of this lawyer.
            bill_id (str, optional): Only time entries of this bill.
            on_from (str, optional): Only time entries whose `on` is on this day or later.
            on_to (str, optional): Only time entries whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "time_entries": records}}
        """
        if matter_id is not None and matter_id not in self.matters:
            return _refused(f"There is no matter {matter_id!r}.")
        if lawyer_id is not None and lawyer_id not in self.lawyers:
            return _refused(f"There is no lawyer {lawyer_id!r}.")
        if bill_id is not None and bill_id not in self.bills:
            return _refused(f"There is no bill {bill_id!r}.")
        found = [
            time_entry
            for time_entry in self.time_entries.values()
            if (matter_id is None or time_entry["matter_id"] == matter_id)
            and (lawyer_id is None or time_entry["lawyer_id"] == lawyer_id)
            and (bill_id is None or time_entry["bill_id"] == bill_id)
            and (on_from is None or time_entry["on"] >= on_from)
            and (on_to is None or time_entry["on"] <= on_to)
        ]
        shown = [self._show_time_entry(time_entry) for time_entry in _page(found, offset)]
        return _found({"total": len(found), "time_entries": shown}, self._names_of_time_entries(shown))

    def list_trust_moves(
        self,
        matter_id: str | None = None,
        kind: Literal["deposit", "fees", "refund", "court"] | None = None,
        bill_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trust moves, oldest first, all of them or only some.

        Args:
            matter_id (str, optional): Only trust moves of this matter.
            kind (str, optional): Only trust moves with this kind.
            bill_id (str, optional): Only trust moves of this bill.
            on_from (str, optional): Only trust moves whose `on` is on this day or later.
            on_to (str, optional): Only trust moves whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trust_moves": records}}
        """
        if matter_id is not None and matter_id not in self.matters:
            return _refused(f"There is no matter {matter_id!r}.")
        if bill_id is not None and bill_id not in self.bills:
            return _refused(f"There is no bill {bill_id!r}.")
        found = [
            trust_move
            for trust_move in self.trust_moves.values()
            if (matter_id is None or trust_move["matter_id"] == matter_id)
            and (kind is None or trust_move["kind"] == kind)
            and (bill_id is None or trust_move["bill_id"] == bill_id)
            and (on_from is None or trust_move["on"] >= on_from)
            and (on_to is None or trust_move["on"] <= on_to)
        ]
        shown = [{**trust_move} for trust_move in _page(found, offset)]
        return _found({"total": len(found), "trust_moves": shown}, self._names_of_trust_moves(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_matter(
        self,
        title: Text,
        client_id: str,
        lead_id: str,
        opponent_id: str | None = None,
        cap: Annotated[int, {"minimum": 10000, "maximum": 90000000}] | None = None,
    ) -> Result:
        """Take a matter in for screening; conflicts with live matters are found through the groups of both sides.

        Args:
            title (str): Title of the new matter, not in use yet.
            client_id (str): Company for which the firm acts; an id such as CONTACT-00001.
            lead_id (str): Partner who leads the matter and never acted for the opponent; an id such as
                LAWYER-00001.
            opponent_id (str, optional): Company on the other side; an id such as CONTACT-00001. If left out, the
                matter has no opponent.
            cap (int, optional): Most that may be billed on the matter in all, in cents, from 10000 to 90000000. If
                left out, the matter has no cap.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        client = self.contacts.get(client_id)
        if client is None:
            return _refused(f"There is no contact {client_id!r}.")
        opponent = self.contacts.get(opponent_id) if opponent_id is not None else None
        if opponent_id is not None and opponent is None:
            return _refused(f"There is no contact {opponent_id!r}.")
        lead = self.lawyers.get(lead_id)
        if lead is None:
            return _refused(f"There is no lawyer {lead_id!r}.")
        if self._matters_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a matter {title} already.")
        if client is opponent:
            return _refused(f"{client['name']} cannot be its own opponent.")
        if not lead["partner"]:
            return _refused(f"{lead['name']} is not a partner and cannot lead.")
        if any(c is opponent for c in [self.contacts[key] for key in lead["acted_for_ids"]]):
            return _refused(f"{lead['name']} used to act for the opponent.")
        self._journal = []
        added_conflicts: list[Any] = []
        matter: Matter = {
            "id": self._new_id("matter", "MATTER", self.matters),
            "title": title,
            "client_id": client_id,
            "opponent_id": opponent_id,
            "lead_id": lead_id,
            "cap": cap,
            "status": "screening",
        }
        self._add("matters", matter)
        for n in [n for n in self.matters.values() if n is not matter and self._live(n)]:
            if self._opposed(matter, n):
                conflict = {
                    "id": self._new_id("conflict", "CONFLICT", self.conflicts),
                    "matter_id": matter["id"],
                    "other_id": n["id"],
                    "kind": "direct" if self._head_on(matter, n) else "group",
                    "waived_by_id": None,
                }
                self._add("conflicts", conflict)
                added_conflicts.append(conflict)
        if len(self._matters_by_title.get(matter["title"], {})) > 1:
            return self._take_back(f"There is already a matter with the title {matter['title']!r}.")
        if self._breaks_rule_1(matter):
            return self._take_back(RULES[0])
        for one_conflict in _distinct(added_conflicts):
            if self._breaks_rule_2(one_conflict):
                return self._take_back(RULES[1])
        for one_conflict in _distinct(added_conflicts):
            if self._breaks_rule_3(one_conflict):
                return self._take_back(RULES[2])
        for one_conflict in _distinct(added_conflicts):
            if self._breaks_rule_4(one_conflict):
                return self._take_back(RULES[3])
        for one_conflict in _distinct(added_conflicts):
            if self._breaks_rule_5_k(one_conflict):
                return self._take_back(RULES[4])
        for one_conflict in _distinct(added_conflicts):
            if self._breaks_rule_5_k_again(one_conflict):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(matter):
            return self._take_back(RULES[5])
        if self._breaks_rule_11(matter):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_m(matter):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {title} for {client['name']} in for screening (new: matter {matter['id']}).",
            "data": {"matter_id": matter["id"], **self._changes()},
        }

    def waive_conflict(self, conflict_id: str, by_id: str) -> Result:
        """Waive a conflict that exists only within a group of companies, as a partner who leads neither matter.

        Args:
            conflict_id (str): Id of the conflict, such as CONFLICT-00001.
            by_id (str): Partner who waives it and leads neither of the two matters; an id such as LAWYER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        conflict = self.conflicts.get(conflict_id)
        if conflict is None:
            return _refused(f"There is no conflict {conflict_id!r}.")
        by = self.lawyers.get(by_id)
        if by is None:
            return _refused(f"There is no lawyer {by_id!r}.")
        if conflict["waived_by_id"] is not None:
            return _refused("This conflict has been waived.")
        if conflict["kind"] != "group":
            return _refused(
                f"The conflict of {self.matters[conflict['matter_id']]['title']} with "
                f"{self.matters[conflict['other_id']]['title']} is direct and cannot be waived."
            )
        if self.matters[conflict["matter_id"]]["status"] != "screening":
            return _refused(
                f"{self.matters[conflict['matter_id']]['title']} is {self.matters[conflict['matter_id']]['status']}."
            )
        if not by["partner"]:
            return _refused(f"{by['name']} is not a partner.")
        if by in [
            self.lawyers[self.matters[conflict["matter_id"]]["lead_id"]],
            self.lawyers[self.matters[conflict["other_id"]]["lead_id"]],
        ]:
            return _refused(f"{by['name']} leads one of the matters.")
        self._journal = []
        self._put("conflicts", conflict, "waived_by_id", by_id)
        if self._breaks_rule_2(conflict):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(conflict):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(conflict):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: waive the conflict of {self.matters[conflict['matter_id']]['title']} with "
                f"{self.matters[conflict['other_id']]['title']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def decide_screening(self, matter_id: str, accept: bool) -> Result:
        """Open a matter that has no conflict left, or decline it.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            accept (bool): Whether to open the matter, false declining it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "screening":
            return _refused(f"{matter['title']} is {matter['status']}.")
        block = self._blocked(matter)
        if accept and block is not None:
            return _refused(
                f"{matter['title']} has a conflict with {self.matters[block['other_id']]['title']} that has not "
                "been waived."
            )
        self._journal = []
        changed_matters: list[Any] = []
        if accept:
            changed_matters.append(matter)
            self._put("matters", matter, "status", "open")
        else:
            if matter["status"] not in ("screening", "declined"):
                return self._take_back(f"Matter {matter['title']} cannot go from {matter['status']} to declined.")
            changed_matters.append(matter)
            self._put("matters", matter, "status", "declined")
        for one_conflict in _distinct(
            [
                *[user for one in changed_matters for user in self._conflicts_by_matter.get(one["id"], {}).values()],
                *[user for one in changed_matters for user in self._conflicts_by_other.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_conflict):
                return self._take_back(RULES[1])
        for one_matter in _distinct(changed_matters):
            if self._breaks_rule_12_m(one_matter):
                return self._take_back(RULES[11])
        for one_bill in _distinct(
            [user for one in changed_matters for user in self._bills_by_matter.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: decide the screening of {matter['title']}.",
            "data": self._changes(),
        }

    def record_time(
        self,
        matter_id: str,
        lawyer_id: str,
        on: Date,
        units: Annotated[int, {"minimum": 1, "maximum": 120}],
    ) -> Result:
        """Record the time of a lawyer on an open matter, in units of six minutes.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            lawyer_id (str): Id of the lawyer, such as LAWYER-00001.
            on (str): Day of the work, within the last sixty days, as YYYY-MM-DD.
            units (int): Time worked in units of six minutes, so that 10 are one hour, from 1 to 120.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        lawyer = self.lawyers.get(lawyer_id)
        if lawyer is None:
            return _refused(f"There is no lawyer {lawyer_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['title']} is {matter['status']}.")
        if _plus_days(self.now[:10], -60) > on or on > self.now[:10]:
            return _refused("Time is recorded for the last sixty days.")
        if self._walled(lawyer, matter):
            return _refused(f"{lawyer['name']} used to act for the opponent in {matter['title']}.")
        if self._units_on(lawyer, on) + units > 160:
            return _refused(
                f"{lawyer['name']} has {self._units_on(lawyer, on)} units on {on} already, of 160 at most."
            )
        self._journal = []
        time_entry: TimeEntry = {
            "id": self._new_id("time_entry", "TE", self.time_entries),
            "matter_id": matter_id,
            "lawyer_id": lawyer_id,
            "on": on,
            "units": units,
            "rate": lawyer["hourly"],
            "written_off": 0,
            "bill_id": None,
        }
        self._add("time_entries", time_entry)
        if self._breaks_rule_7(time_entry):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(time_entry):
            return self._take_back(RULES[7])
        for one_time_entry in _distinct(
            [time_entry, *self._time_entries_by_lawyer.get(time_entry["lawyer_id"], {}).values()]
        ):
            if self._breaks_rule_9(one_time_entry):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_e(time_entry):
            return self._take_back(RULES[9])
        for one_bill in _distinct([self.bills.get(time_entry["bill_id"])]):
            if self._breaks_rule_10_b(one_bill):
                return self._take_back(RULES[9])
        for one_matter in _distinct(
            [self.matters[one["matter_id"]] for one in [self.bills.get(time_entry["bill_id"])] if one is not None]
        ):
            if self._breaks_rule_11(one_matter):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_m(self.matters[time_entry["matter_id"]]):
            return self._take_back(RULES[11])
        for one_bill in _distinct([self.bills.get(time_entry["bill_id"])]):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record {units} units of {lawyer['name']} on {matter['title']} for {on} (new: time entry "
                f"{time_entry['id']})."
            ),
            "data": {"time_entry_id": time_entry["id"], **self._changes()},
        }

    def write_off(self, entry_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 9000000}]) -> Result:
        """Write off part or all of an entry, billed or not; on a bill, no more than is open.

        Args:
            entry_id (str): Time entry of which money is written off; an id such as TE-00001.
            amount (int): How much to write off, on top of what was written off before, in cents, from 1 to
                9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.time_entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no time entry {entry_id!r}.")
        if entry["bill_id"] is not None and amount > self._bill_open(self.bills[entry["bill_id"]]):
            return _refused(
                f"Bill {self.bills[entry['bill_id']]['number']} has only "
                f"{_money(self._bill_open(self.bills[entry['bill_id']]))} open."
            )
        if amount > self._time_entry_value(entry) - entry["written_off"]:
            return _refused(
                f"The entry has {_money(self._time_entry_value(entry) - entry['written_off'])} left that could be "
                "written off."
            )
        self._journal = []
        self._put("time_entries", entry, "written_off", entry["written_off"] + amount)
        if self._breaks_rule_8(entry):
            return self._take_back(RULES[7])
        for one_bill in _distinct([self.bills.get(entry["bill_id"])]):
            if self._breaks_rule_10_b(one_bill):
                return self._take_back(RULES[9])
        for one_matter in _distinct(
            [self.matters[one["matter_id"]] for one in [self.bills.get(entry["bill_id"])] if one is not None]
        ):
            if self._breaks_rule_11(one_matter):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_m(self.matters[entry["matter_id"]]):
            return self._take_back(RULES[11])
        for one_bill in _distinct([self.bills.get(entry["bill_id"])]):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: write off {_money(amount)} of the time of {self.lawyers[entry['lawyer_id']]['name']} on "
                f"{self.matters[entry['matter_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def deposit_trust(self, matter_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 90000000}]) -> Result:
        """Take money of the client on trust for a matter.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            amount (int): Money of the client that came in, in cents, from 100 to 90000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['title']} is {matter['status']}.")
        self._journal = []
        trust_move: TrustMove = {
            "id": self._new_id("trust_move", "TM", self.trust_moves),
            "matter_id": matter_id,
            "on": self.now[:10],
            "kind": "deposit",
            "amount": amount,
            "bill_id": None,
        }
        self._add("trust_moves", trust_move)
        if self._breaks_rule_1(self.matters[trust_move["matter_id"]]):
            return self._take_back(RULES[0])
        for one_bill in _distinct([self.bills.get(trust_move["bill_id"])]):
            if self._breaks_rule_10_b(one_bill):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_m(self.matters[trust_move["matter_id"]]):
            return self._take_back(RULES[11])
        for one_bill in _distinct([self.bills.get(trust_move["bill_id"])]):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take {_money(amount)} on trust for {matter['title']} (new: trust move {trust_move['id']})."
            ),
            "data": {"trust_move_id": trust_move["id"], **self._changes()},
        }

    def pay_from_trust(
        self,
        matter_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 90000000}],
        kind: Literal["refund", "court"],
    ) -> Result:
        """Pay money out of the trust of a matter, back to the client or to a court.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            amount (int): Money to pay out, no more than is on trust for the matter, in cents, from 100 to
                90000000.
            kind (str): Whether it goes back to the client as a refund or to a court: refund or court.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['title']} is {matter['status']}.")
        if amount > self._matter_trust(matter):
            return _refused(
                f"{matter['title']} has {_money(self._matter_trust(matter))} on trust, not {_money(amount)}."
            )
        if not (
            kind == "court"
            or not any(self._bill_open(b) > 0 for b in self._bills_by_matter.get(matter_id, {}).values())
        ):
            return _refused(f"{matter['title']} has open bills, so nothing goes back to the client.")
        self._journal = []
        new_amount = -amount
        if not -90000000 <= new_amount <= 90000000:
            return self._take_back("The amount of a trust move must be between -900,000.00 and 900,000.00.")
        trust_move: TrustMove = {
            "id": self._new_id("trust_move", "TM", self.trust_moves),
            "matter_id": matter_id,
            "on": self.now[:10],
            "kind": kind,
            "amount": new_amount,
            "bill_id": None,
        }
        self._add("trust_moves", trust_move)
        if self._breaks_rule_1(self.matters[trust_move["matter_id"]]):
            return self._take_back(RULES[0])
        for one_bill in _distinct([self.bills.get(trust_move["bill_id"])]):
            if self._breaks_rule_10_b(one_bill):
                return self._take_back(RULES[9])
        if self._breaks_rule_12_m(self.matters[trust_move["matter_id"]]):
            return self._take_back(RULES[11])
        for one_bill in _distinct([self.bills.get(trust_move["bill_id"])]):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: pay {_money(amount)} from the trust of {matter['title']} (new: trust move "
                f"{trust_move['id']})."
            ),
            "data": {"trust_move_id": trust_move["id"], **self._changes()},
        }

    def issue_bill(self, matter_id: str, number: Text) -> Result:
        """Bill all unbilled time of a matter under a new number.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            number (str): Number of the new bill, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['title']} is {matter['status']}.")
        if self._bills_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is a bill {number} already.")
        if self._matter_unbilled(matter) <= 0:
            return _refused(f"{matter['title']} has no unbilled time that is worth anything.")
        if matter["cap"] is not None and self._matter_billed(matter) + self._matter_unbilled(matter) > matter["cap"]:
            return _refused(
                f"{matter['title']} would exceed its cap of {_money(matter['cap'])} by "
                f"{_money(self._matter_billed(matter) + self._matter_unbilled(matter) - matter['cap'])}; write "
                "that much off first."
            )
        self._journal = []
        changed_time_entries: list[Any] = []
        former_bill_ids: list[Any] = []
        bill: Bill = {
            "id": self._new_id("bill", "BILL", self.bills),
            "number": number,
            "matter_id": matter_id,
            "issued_on": self.now[:10],
            "client_paid": 0,
        }
        self._add("bills", bill)
        for e in [
            e
            for e in sorted(self._time_entries_by_matter.get(matter_id, {}).values(), key=_age)
            if e["bill_id"] is None
        ]:
            changed_time_entries.append(e)
            former_bill_ids.append(e["bill_id"])
            self._put("time_entries", e, "bill_id", bill["id"])
        if len(self._bills_by_number.get(bill["number"], {})) > 1:
            return self._take_back(f"There is already a bill with the number {bill['number']!r}.")
        for one_time_entry in _distinct(changed_time_entries):
            if self._breaks_rule_10_e(one_time_entry):
                return self._take_back(RULES[9])
        for one_bill in _distinct(
            [
                bill,
                *[self.bills.get(one["bill_id"]) for one in changed_time_entries],
                *[self.bills.get(key) for key in former_bill_ids],
            ]
        ):
            if self._breaks_rule_10_b(one_bill):
                return self._take_back(RULES[9])
        for one_matter in _distinct(
            [
                self.matters[bill["matter_id"]],
                *[
                    self.matters[one["matter_id"]]
                    for one in [self.bills.get(one["bill_id"]) for one in changed_time_entries]
                    if one is not None
                ],
                *[
                    self.matters[one["matter_id"]]
                    for one in [self.bills.get(key) for key in former_bill_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_11(one_matter):
                return self._take_back(RULES[10])
        for one_matter in _distinct([self.matters[one["matter_id"]] for one in changed_time_entries]):
            if self._breaks_rule_12_m(one_matter):
                return self._take_back(RULES[11])
        for one_bill in _distinct(
            [
                bill,
                *[self.bills.get(one["bill_id"]) for one in changed_time_entries],
                *[self.bills.get(key) for key in former_bill_ids],
            ]
        ):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: issue bill {number} on {matter['title']} (new: bill {bill['id']}).",
            "data": {"bill_id": bill["id"], **self._changes()},
        }

    def settle_bill(
        self,
        bill_id: str,
        from_trust: Annotated[int, {"minimum": 0, "maximum": 90000000}] = 0,
        from_client: Annotated[int, {"minimum": 0, "maximum": 90000000}] = 0,
    ) -> Result:
        """Note a payment on a bill, out of trust money, from the client, or both.

        Args:
            bill_id (str): Id of the bill, such as BILL-00001.
            from_trust (int): Part of the payment that is taken from the trust money of the matter, in cents, from
                0 to 90000000. Default: 0.
            from_client (int): Part of the payment that comes from the client directly, in cents, from 0 to
                90000000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bill = self.bills.get(bill_id)
        if bill is None:
            return _refused(f"There is no bill {bill_id!r}.")
        if from_trust + from_client <= 0:
            return _refused("Nothing is paid.")
        if from_trust + from_client > self._bill_open(bill):
            return _refused(f"Bill {bill['number']} has {_money(self._bill_open(bill))} open.")
        if from_trust > self._matter_trust(self.matters[bill["matter_id"]]):
            return _refused(
                f"{self.matters[bill['matter_id']]['title']} has "
                f"{_money(self._matter_trust(self.matters[bill['matter_id']]))} on trust."
            )
        self._journal = []
        added_trust_moves: list[Any] = []
        self._put("bills", bill, "client_paid", bill["client_paid"] + from_client)
        if from_trust > 0:
            amount = -from_trust
            if not -90000000 <= amount <= 90000000:
                return self._take_back("The amount of a trust move must be between -900,000.00 and 900,000.00.")
            trust_move = {
                "id": self._new_id("trust_move", "TM", self.trust_moves),
                "matter_id": bill["matter_id"],
                "on": self.now[:10],
                "kind": "fees",
                "amount": amount,
                "bill_id": bill_id,
            }
            self._add("trust_moves", trust_move)
            added_trust_moves.append(trust_move)
        for one_matter in _distinct([self.matters[one["matter_id"]] for one in added_trust_moves]):
            if self._breaks_rule_1(one_matter):
                return self._take_back(RULES[0])
        for one_bill in _distinct([bill, *[self.bills.get(one["bill_id"]) for one in added_trust_moves]]):
            if self._breaks_rule_10_b(one_bill):
                return self._take_back(RULES[9])
        for one_matter in _distinct([self.matters[one["matter_id"]] for one in added_trust_moves]):
            if self._breaks_rule_12_m(one_matter):
                return self._take_back(RULES[11])
        for one_bill in _distinct([bill, *[self.bills.get(one["bill_id"]) for one in added_trust_moves]]):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: settle {_money(from_trust)} from trust and {_money(from_client)} from the client on bill "
                f"{bill['number']}."
            ),
            "data": self._changes(),
        }

    def raise_cap(self, matter_id: str, cap: Annotated[int, {"minimum": 10000, "maximum": 90000000}]) -> Result:
        """Set the cap of a matter, or a higher one.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.
            cap (int): Most that may be billed in all from now on, higher than before, in cents, from 10000 to
                90000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if not self._live(matter):
            return _refused(f"{matter['title']} is {matter['status']}.")
        if matter["cap"] is not None and cap <= matter["cap"]:
            return _refused(f"{matter['title']} has a cap of {_money(matter['cap'])}.")
        if cap < self._matter_billed(matter):
            return _refused(f"{_money(self._matter_billed(matter))} has been billed already.")
        self._journal = []
        self._put("matters", matter, "cap", cap)
        if self._breaks_rule_11(matter):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: set the cap of {matter['title']} to {_money(cap)}.",
            "data": self._changes(),
        }

    def close_matter(self, matter_id: str) -> Result:
        """Close a matter on which everything is billed, paid and refunded; whoever worked on it has acted for the
        client from then on.

        Args:
            matter_id (str): Id of the matter, such as MATTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        matter = self.matters.get(matter_id)
        if matter is None:
            return _refused(f"There is no matter {matter_id!r}.")
        if matter["status"] != "open":
            return _refused(f"{matter['title']} is {matter['status']}.")
        if self._matter_unbilled(matter) != 0:
            return _refused(f"{matter['title']} has unbilled time worth {_money(self._matter_unbilled(matter))}.")
        if any(self._bill_open(b) > 0 for b in self._bills_by_matter.get(matter_id, {}).values()):
            return _refused(f"{matter['title']} has an open bill.")
        if self._matter_trust(matter) != 0:
            return _refused(
                f"{matter['title']} has {_money(self._matter_trust(matter))} on trust that belongs to the client."
            )
        self._journal = []
        changed_lawyers: list[Any] = []
        for w in [
            w
            for w in _those(
                self.lawyers,
                [e["lawyer_id"] for e in self._time_entries_by_matter.get(matter_id, {}).values()],
            )
            if matter["client_id"] not in w["acted_for_ids"]
            and any(e["lawyer_id"] == w["id"] for e in self._time_entries_by_matter.get(matter_id, {}).values())
            and not any(
                self.matters[e["matter_id"]]["opponent_id"] == matter["client_id"]
                for e in self._time_entries_by_lawyer.get(w["id"], {}).values()
            )
        ]:
            changed_lawyers.append(w)
            self._put(
                "lawyers",
                w,
                "acted_for_ids",
                [
                    record["id"]
                    for record in [
                        self.contacts[key]
                        for key in w["acted_for_ids"]
                    ] + [self.contacts[matter["client_id"]]]
                ],
            )
        self._put("matters", matter, "status", "closed")
        for one_conflict in _distinct(
            [
                *self._conflicts_by_matter.get(matter["id"], {}).values(),
                *self._conflicts_by_other.get(matter["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_conflict):
                return self._take_back(RULES[1])
        for one_time_entry in _distinct(
            [user for one in changed_lawyers for user in self._time_entries_by_lawyer.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_time_entry):
                return self._take_back(RULES[6])
        if self._breaks_rule_12_m(matter):
            return self._take_back(RULES[11])
        for one_bill in _distinct(self._bills_by_matter.get(matter["id"], {}).values()):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: close {matter['title']}.", "data": self._changes()}

    def _show_lawyer(self, lawyer: Lawyer) -> dict[str, Any]:
        """The lawyer as an answer shows it."""
        return {**lawyer, "acted_for_ids": [*lawyer["acted_for_ids"]]}

    def _show_matter(self, matter: Matter) -> dict[str, Any]:
        """The matter as an answer shows it."""
        return {
            **matter,
            "trust": self._matter_trust(matter),
            "billed": self._matter_billed(matter),
            "unbilled": self._matter_unbilled(matter),
        }

    def _show_bill(self, bill: Bill) -> dict[str, Any]:
        """The bill as an answer shows it."""
        return {
            **bill,
            "total": self._bill_total(bill),
            "from_trust": self._bill_from_trust(bill),
            "open": self._bill_open(bill),
        }

    def _show_time_entry(self, time_entry: TimeEntry) -> dict[str, Any]:
        """The time entry as an answer shows it."""
        return {**time_entry, "value": self._time_entry_value(time_entry)}

    def _names_of_contacts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contacts point to."""
        return _names((self.contacts, "name", [row["parent_id"] for row in shown]))

    def _names_of_lawyers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lawyers point to."""
        return _names((self.contacts, "name", [each for row in shown for each in row["acted_for_ids"]]))

    def _names_of_matters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that matters point to."""
        return _names(
            (self.contacts, "name", [row["client_id"] for row in shown]),
            (self.contacts, "name", [row["opponent_id"] for row in shown]),
            (self.lawyers, "name", [row["lead_id"] for row in shown]),
        )

    def _names_of_conflicts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that conflicts point to."""
        return _names(
            (self.matters, "title", [row["matter_id"] for row in shown]),
            (self.matters, "title", [row["other_id"] for row in shown]),
            (self.lawyers, "name", [row["waived_by_id"] for row in shown]),
        )

    def _names_of_bills(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bills point to."""
        return _names((self.matters, "title", [row["matter_id"] for row in shown]))

    def _names_of_time_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that time entries point to."""
        return _names(
            (self.matters, "title", [row["matter_id"] for row in shown]),
            (self.lawyers, "name", [row["lawyer_id"] for row in shown]),
            (self.bills, "number", [row["bill_id"] for row in shown]),
        )

    def _names_of_trust_moves(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trust moves point to."""
        return _names(
            (self.matters, "title", [row["matter_id"] for row in shown]),
            (self.bills, "number", [row["bill_id"] for row in shown]),
        )

    def _matter_trust(self, matter: Matter) -> int:
        """The trust of a matter."""
        return sum(t["amount"] for t in self._trust_moves_by_matter.get(matter["id"], {}).values())

    def _matter_billed(self, matter: Matter) -> int:
        """The billed of a matter."""
        return sum(self._bill_total(b) for b in self._bills_by_matter.get(matter["id"], {}).values())

    def _matter_unbilled(self, matter: Matter) -> int:
        """The unbilled of a matter."""
        return sum(
            self._time_entry_value(e) - e["written_off"]
            for e in self._time_entries_by_matter.get(matter["id"], {}).values()
            if e["bill_id"] is None
        )

    def _bill_total(self, bill: Bill) -> int:
        """The total of a bill."""
        return sum(
            self._time_entry_value(e) - e["written_off"]
            for e in self._time_entries_by_bill.get(bill["id"], {}).values()
        )

    def _bill_from_trust(self, bill: Bill) -> int:
        """The from trust of a bill."""
        return 0 - sum(t["amount"] for t in self._trust_moves_by_bill.get(bill["id"], {}).values())

    def _bill_open(self, bill: Bill) -> int:
        """The open of a bill."""
        return self._bill_total(bill) - bill["client_paid"] - self._bill_from_trust(bill)

    def _time_entry_value(self, time_entry: TimeEntry) -> int:
        """The value of a time entry."""
        return _rounded(Fraction(time_entry["rate"] * time_entry["units"], 10))

    def _circle(self, c: Contact) -> list[Contact]:
        return [c] + _above(self.contacts, c, "parent_id") + _below(self._contacts_by_parent, c)

    def _live(self, m: Matter) -> bool:
        return m["status"] in ("screening", "open")

    def _opposed(self, m: Matter, n: Matter) -> bool:
        return (
            m["opponent_id"] is not None and self.contacts[m["opponent_id"]] in self._circle(
                self.contacts[n["client_id"]]
            )
            or n["opponent_id"] is not None and self.contacts[n["opponent_id"]] in self._circle(
                self.contacts[m["client_id"]]
            )
        )

    def _head_on(self, m: Matter, n: Matter) -> bool:
        return m["opponent_id"] == n["client_id"] or n["opponent_id"] == m["client_id"]

    def _blocked(self, m: Matter) -> Conflict | None:
        return next(
            (
                k
                for k in sorted(self._conflicts_by_matter.get(m["id"], {}).values(), key=_age)
                if self._live(self.matters[k["other_id"]])
                and k["waived_by_id"] is None
            ),
            None,
        )

    def _walled(self, w: Lawyer, m: Matter) -> bool:
        return m["opponent_id"] is not None and m["opponent_id"] in w["acted_for_ids"]

    def _units_on(self, w: Lawyer, d: str) -> int:
        return sum(e["units"] for e in self._time_entries_by_lawyer.get(w["id"], {}).values() if e["on"] == d)

    def _breaks_rule_1(self, m: Matter) -> bool:
        """Whether this is broken: the trust money of a matter is never negative."""
        return self._matter_trust(m) < 0

    def _breaks_rule_2(self, k: Conflict) -> bool:
        """Whether this is broken: the firm never acts on both sides, unless a conflict within a group was waived."""
        return (
            k["waived_by_id"] is None
            and (self.matters[k["matter_id"]]["status"] == "open" and self.matters[k["other_id"]]["status"] == "open")
        )

    def _breaks_rule_3(self, k: Conflict) -> bool:
        """Whether this is broken: a direct conflict is never waived."""
        return k["kind"] == "direct" and k["waived_by_id"] is not None

    def _breaks_rule_4(self, k: Conflict) -> bool:
        """Whether this is broken: a conflict is waived by a partner who leads neither matter."""
        return not (
            k["waived_by_id"] is None
            or self.lawyers[k["waived_by_id"]]["partner"]
            and self.lawyers[k["waived_by_id"]] not in [
                self.lawyers[self.matters[k["matter_id"]]["lead_id"]],
                self.lawyers[self.matters[k["other_id"]]["lead_id"]],
            ]
        )

    def _breaks_rule_5_k(self, k: Conflict) -> bool:
        """Whether this is broken: a conflict between two matters is noted once."""
        return any(
            other_k is not k
            for other_k in self._conflicts_by_matter_other.get((k["matter_id"], k["other_id"]), {}).values()
        )

    def _breaks_rule_5_k_again(self, k: Conflict) -> bool:
        """Whether this is broken: a conflict between two matters is noted once."""
        return k["matter_id"] == k["other_id"]

    def _breaks_rule_6(self, m: Matter) -> bool:
        """Whether this is broken: a partner leads each matter."""
        return not self.lawyers[m["lead_id"]]["partner"]

    def _breaks_rule_7(self, e: TimeEntry) -> bool:
        """Whether this is broken: nobody works against somebody they used to act for."""
        return self._walled(self.lawyers[e["lawyer_id"]], self.matters[e["matter_id"]])

    def _breaks_rule_8(self, e: TimeEntry) -> bool:
        """Whether this is broken: no more is written off than an entry is worth."""
        return 0 > e["written_off"] or e["written_off"] > self._time_entry_value(e)

    def _breaks_rule_9(self, e: TimeEntry) -> bool:
        """Whether this is broken: a lawyer never records more than sixteen hours a day."""
        return self._units_on(self.lawyers[e["lawyer_id"]], e["on"]) > 160

    def _breaks_rule_10_e(self, e: TimeEntry) -> bool:
        """Whether this is broken: a bill contains time of its own matter, and is never overpaid."""
        return e["bill_id"] is not None and self.bills[e["bill_id"]]["matter_id"] != e["matter_id"]

    def _breaks_rule_10_b(self, b: Bill) -> bool:
        """Whether this is broken: a bill contains time of its own matter, and is never overpaid."""
        return self._bill_open(b) < 0

    def _breaks_rule_11(self, m: Matter) -> bool:
        """Whether this is broken: what is billed stays within the cap."""
        return m["cap"] is not None and self._matter_billed(m) > m["cap"]

    def _breaks_rule_12_m(self, m: Matter) -> bool:
        """Whether this is broken: a closed matter has no trust money, no unbilled time and no open bill."""
        return not (m["status"] != "closed" or self._matter_trust(m) == 0 and self._matter_unbilled(m) == 0)

    def _breaks_rule_12_b(self, b: Bill) -> bool:
        """Whether this is broken: a closed matter has no trust money, no unbilled time and no open bill."""
        return self.matters[b["matter_id"]]["status"] == "closed" and self._bill_open(b) > 0

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
            case "contacts":
                self._contacts_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "matters":
                self._matters_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._matters_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "conflicts":
                self._conflicts_by_matter.setdefault(record["matter_id"], {})[record["id"]] = record
                self._conflicts_by_matter_other.setdefault(
                    (record["matter_id"], record["other_id"]),
                    {},
                )[record["id"]] = record
                self._conflicts_by_other.setdefault(record["other_id"], {})[record["id"]] = record
            case "bills":
                self._bills_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._bills_by_matter.setdefault(record["matter_id"], {})[record["id"]] = record
                self._bills_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "time_entries":
                self._time_entries_by_bill.setdefault(record["bill_id"], {})[record["id"]] = record
                self._time_entries_by_lawyer.setdefault(record["lawyer_id"], {})[record["id"]] = record
                self._time_entries_by_matter.setdefault(record["matter_id"], {})[record["id"]] = record
            case "trust_moves":
                self._trust_moves_by_bill.setdefault(record["bill_id"], {})[record["id"]] = record
                self._trust_moves_by_matter.setdefault(record["matter_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contacts":
                del self._contacts_by_parent[record["parent_id"]][record["id"]]
            case "matters":
                del self._matters_by_lower_title[record["title"].lower()][record["id"]]
                del self._matters_by_title[record["title"]][record["id"]]
            case "conflicts":
                del self._conflicts_by_matter[record["matter_id"]][record["id"]]
                del self._conflicts_by_matter_other[record["matter_id"], record["other_id"]][record["id"]]
                del self._conflicts_by_other[record["other_id"]][record["id"]]
            case "bills":
                del self._bills_by_lower_number[record["number"].lower()][record["id"]]
                del self._bills_by_matter[record["matter_id"]][record["id"]]
                del self._bills_by_number[record["number"]][record["id"]]
            case "time_entries":
                del self._time_entries_by_bill[record["bill_id"]][record["id"]]
                del self._time_entries_by_lawyer[record["lawyer_id"]][record["id"]]
                del self._time_entries_by_matter[record["matter_id"]][record["id"]]
            case "trust_moves":
                del self._trust_moves_by_bill[record["bill_id"]][record["id"]]
                del self._trust_moves_by_matter[record["matter_id"]][record["id"]]
