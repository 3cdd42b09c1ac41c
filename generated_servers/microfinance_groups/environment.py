"""Microfinance groups. Compiled from blueprint.yaml; run `envscaler build microfinance_groups` after changing it there.

Keeps the books of village savings groups, with weekly meetings and roll calls, a common pot, fines, loans that
go round by turn and guarantors who stand in for each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A group holds one meeting at a time.",
    "A member stands once on the roll of a meeting, and only on that of their own group.",
    "Who was not there has saved nothing.",
    "A member has one loan or request at a time.",
    "A loan has two or three guarantors of the borrower's group, and the borrower is none of them.",
    "Nobody stands for more than two running loans.",
    "A group never lends or pays out more than it has.",
    "At most half of the members of a group borrow at the same time.",
    "What is outstanding on a loan is never above five times the savings of the borrower.",
    "Only running loans have something outstanding.",
    "Each office of a group is held by one member.",
    "Who has left holds no office, no savings and no loan, stands for none and owes no fine.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_meeting",
    "mark_roll",
    "collect_savings",
    "close_meeting",
    "ask_loan",
    "decide_loan",
    "repay_loan",
    "call_guarantors",
    "pay_fines",
    "hand_over_office",
    "leave_group",
    "share_out",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "groups": ("name",),
    "members": ("name",),
    "meetings": (),
    "attendances": (),
    "fines": (),
    "loans": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("attendances", "meeting_id"),
    ("attendances", "member_id"),
    ("fines", "member_id"),
    ("loans", "borrower_id"),
    ("loans", "guarantor_ids"),
    ("loans", "status"),
    ("meetings", "group_id"),
    ("meetings", "status"),
    ("members", "group_id"),
    ("members", "role"),
    ("members", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Group(TypedDict):
    id: str
    name: str
    village: str
    fine: int
    pot: int


class Member(TypedDict):
    id: str
    name: str
    group_id: str
    role: Literal["chair", "treasurer", "secretary", "member"]
    joined_on: str
    savings: int
    status: Literal["active", "left"]


class Meeting(TypedDict):
    id: str
    group_id: str
    held_on: str
    status: Literal["open", "closed"]


class Attendance(TypedDict):
    id: str
    meeting_id: str
    member_id: str
    mark: Literal["present", "late", "excused", "absent"]
    saved: int


class Fine(TypedDict):
    id: str
    member_id: str
    meeting_id: str
    amount: int
    paid: bool


class Loan(TypedDict):
    id: str
    borrower_id: str
    amount: int
    weekly: int
    guarantor_ids: list[str]
    asked_on: str
    outstanding: int
    missed: int
    last_paid_id: str | None
    status: Literal["asked", "running", "refused", "repaid"]


class MarkRollEntry(TypedDict):
    member_id: str
    mark: Literal["present", "late", "excused", "absent"]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class MicrofinanceGroups:
    """Keeps the books of village savings groups, with weekly meetings and roll calls, a common pot, fines,
    loans that go round by turn and guarantors who stand in for each other.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.meetings: dict[str, Meeting] = _copied(config.get("meetings", {}))
        self.attendances: dict[str, Attendance] = _copied(config.get("attendances", {}))
        self.fines: dict[str, Fine] = _copied(config.get("fines", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.now: str = config.get("now", "2026-06-11T16:00")
        self.counters: dict[str, int] = {
            "group": len(self.groups),
            "member": len(self.members),
            "meeting": len(self.meetings),
            "attendance": len(self.attendances),
            "fine": len(self.fines),
            "loan": len(self.loans),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._members_by_group: dict[Any, dict[str, Member]] = {}
        self._members_by_group_role: dict[Any, dict[str, Member]] = {}
        self._members_by_group_status: dict[Any, dict[str, Member]] = {}
        self._meetings_by_group: dict[Any, dict[str, Meeting]] = {}
        self._meetings_by_group_status: dict[Any, dict[str, Meeting]] = {}
        self._attendances_by_meeting: dict[Any, dict[str, Attendance]] = {}
        self._attendances_by_meeting_member: dict[Any, dict[str, Attendance]] = {}
        self._fines_by_member: dict[Any, dict[str, Fine]] = {}
        self._loans_by_borrower: dict[Any, dict[str, Loan]] = {}
        self._loans_by_borrower_status: dict[Any, dict[str, Loan]] = {}
        self._loans_by_guarantors: dict[Any, dict[str, Loan]] = {}
        for member in self.members.values():
            self._link("members", member)
        for meeting in self.meetings.values():
            self._link("meetings", meeting)
        for attendance in self.attendances.values():
            self._link("attendances", attendance)
        for fine in self.fines.values():
            self._link("fines", fine)
        for loan in self.loans.values():
            self._link("loans", loan)

    def group_book(self, group_id: str) -> Result:
        """How a group stands, with its cash and what is lent.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.

        Returns:
            dict: {"success": True, "data": {savings, pot, lent, cash, members, borrowing, may_still_borrow,
                met_last}} or {"success": False, "error": why not}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        return _found(
            {
                "savings": self._group_savings(group),
                "pot": group["pot"],
                "lent": self._group_lent(group),
                "cash": self._group_cash(group),
                "members": self._group_active(group),
                "borrowing": self._borrowing(group),
                "may_still_borrow": self._group_active(group) // 2 - self._borrowing(group),
                "met_last": self._met_last(group),
            }
        )

    def turns(self, group_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The requests of a group in the order in which they are served, those with the fewest loans so far first.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}} or {"success": False, "error": why
                not}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            l
            for l in [
                l
                for _member in self._members_by_group.get(group_id, {}).values()
                for l in self._loans_by_borrower.get(_member["id"], {}).values()
            ]
            if (l["status"] == "asked" and self.members[l["borrower_id"]]["group_id"] == group_id)
        ]
        found.sort(key=lambda l: (self._turns_had(self.members[l["borrower_id"]]), l["asked_on"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "loans": [
                    {
                        "id": l["id"],
                        "borrower": self.members[l["borrower_id"]]["name"],
                        "amount": l["amount"],
                        "loans_so_far": self._turns_had(self.members[l["borrower_id"]]),
                        "asked_on": l["asked_on"],
                        "fines": self._member_fines(self.members[l["borrower_id"]]),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def behind(
        self,
        group_id: str | None = None,
        at_least: Annotated[int, {"minimum": 1, "maximum": 20}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Running loans on which payments were missed, with what their guarantors would have to pay.

        Args:
            group_id (str, optional): Group whose loans are listed; an id such as GROUP-00001. If left out, those
                of all groups are listed.
            at_least (int, optional): Fewest missed payments that a listed loan has, from 1 to 20. If left out,
                loans with one or more missed payments are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}} or {"success": False, "error": why
                not}
        """
        group = self.groups.get(group_id) if group_id is not None else None
        if group_id is not None and group is None:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            l
            for l in self.loans.values()
            if (l["status"] == "running" and l["missed"] >= (at_least if at_least is not None else 1))
            and (group_id is None or self.members[l["borrower_id"]]["group_id"] == group_id)
        ]
        found.sort(key=lambda l: (-l["missed"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "loans": [
                    {
                        "id": l["id"],
                        "borrower": self.members[l["borrower_id"]]["name"],
                        "missed": l["missed"],
                        "outstanding": l["outstanding"],
                        "from_guarantors": self._due_from_guarantors(l),
                        "guarantors": [*[g["name"] for g in [self.members[key] for key in l["guarantor_ids"]]]],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def roll(self, meeting_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The roll of a meeting.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "attendances": records}} or {"success": False, "error":
                why not}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        found = [a for a in self._attendances_by_meeting.get(meeting_id, {}).values()]
        found.sort(key=lambda a: (self.members[a["member_id"]]["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "attendances": [
                    {
                        "member": self.members[a["member_id"]]["name"],
                        "mark": a["mark"],
                        "saved": a["saved"],
                        "fines": self._member_fines(self.members[a["member_id"]]),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_groups(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the groups, oldest first, all of them or only some.

        Args:
            name (str, optional): Only groups whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}}
        """
        found = [
            group
            for group in self.groups.values()
            if (name is None or name.casefold() in group["name"].casefold())
        ]
        return _found({"total": len(found), "groups": [self._show_group(group) for group in _page(found, offset)]})

    def list_members(
        self,
        name: Text | None = None,
        group_id: str | None = None,
        role: Literal["chair", "treasurer", "secretary", "member"] | None = None,
        status: Literal["active", "left"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            group_id (str, optional): Only members of this group.
            role (str, optional): Only members with this role.
            status (str, optional): Only members with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (group_id is None or member["group_id"] == group_id)
            and (role is None or member["role"] == role)
            and (status is None or member["status"] == status)
        ]
        shown = [self._show_member(member) for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_meetings(
        self,
        group_id: str | None = None,
        status: Literal["open", "closed"] | None = None,
        held_on_from: Date | None = None,
        held_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meetings, oldest first, all of them or only some.

        Args:
            group_id (str, optional): Only meetings of this group.
            status (str, optional): Only meetings with this status.
            held_on_from (str, optional): Only meetings whose `held_on` is on this day or later.
            held_on_to (str, optional): Only meetings whose `held_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meetings": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            meeting
            for meeting in self.meetings.values()
            if (group_id is None or meeting["group_id"] == group_id)
            and (status is None or meeting["status"] == status)
            and (held_on_from is None or meeting["held_on"] >= held_on_from)
            and (held_on_to is None or meeting["held_on"] <= held_on_to)
        ]
        shown = [self._show_meeting(meeting) for meeting in _page(found, offset)]
        return _found({"total": len(found), "meetings": shown}, self._names_of_meetings(shown))

    def list_attendances(
        self,
        meeting_id: str | None = None,
        member_id: str | None = None,
        mark: Literal["present", "late", "excused", "absent"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the attendances, oldest first, all of them or only some.

        Args:
            meeting_id (str, optional): Only attendances of this meeting.
            member_id (str, optional): Only attendances of this member.
            mark (str, optional): Only attendances with this mark.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "attendances": records}}
        """
        if meeting_id is not None and meeting_id not in self.meetings:
            return _refused(f"There is no meeting {meeting_id!r}.")
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            attendance
            for attendance in self.attendances.values()
            if (meeting_id is None or attendance["meeting_id"] == meeting_id)
            and (member_id is None or attendance["member_id"] == member_id)
            and (mark is None or attendance["mark"] == mark)
        ]
        shown = [{**attendance} for attendance in _page(found, offset)]
        return _found({"total": len(found), "attendances": shown}, self._names_of_attendances(shown))

    def list_fines(
        self,
        member_id: str | None = None,
        meeting_id: str | None = None,
        paid: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fines, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only fines of this member.
            meeting_id (str, optional): Only fines of this meeting.
            paid (bool, optional): Only fines that are paid (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fines": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if meeting_id is not None and meeting_id not in self.meetings:
            return _refused(f"There is no meeting {meeting_id!r}.")
        found = [
            fine
            for fine in self.fines.values()
            if (member_id is None or fine["member_id"] == member_id)
            and (meeting_id is None or fine["meeting_id"] == meeting_id)
            and (paid is None or fine["paid"] == paid)
        ]
        shown = [{**fine} for fine in _page(found, offset)]
        return _found({"total": len(found), "fines": shown}, self._names_of_fines(shown))

    def list_loans(
        self,
        borrower_id: str | None = None,
        last_paid_id: str | None = None,
        status: Literal["asked", "running", "refused", "repaid"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            borrower_id (str, optional): Only loans whose borrower is this member.
            last_paid_id (str, optional): Only loans whose last paid is this meeting.
            status (str, optional): Only loans with this status.
            asked_on_from (str, optional): Only loans whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only loans whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if borrower_id is not None and borrower_id not in self.members:
            return _refused(f"There is no member {borrower_id!r}.")
        if last_paid_id is not None and last_paid_id not in self.meetings:
            return _refused(f"There is no meeting {last_paid_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (borrower_id is None or loan["borrower_id"] == borrower_id)
            and (last_paid_id is None or loan["last_paid_id"] == last_paid_id)
            and (status is None or loan["status"] == status)
            and (asked_on_from is None or loan["asked_on"] >= asked_on_from)
            and (asked_on_to is None or loan["asked_on"] <= asked_on_to)
        ]
        shown = [self._show_loan(loan) for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_meeting(self, group_id: str) -> Result:
        """Open the weekly meeting of a group, at least six days after the last; everybody stands on the roll as
        present until marked otherwise.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        open = self._sitting(group)
        if open is not None:
            return _refused(f"{group['name']} still has the meeting of {open['held_on']} open; close it first.")
        last = self._met_last(group)
        if last is not None and _plus_days(last, 6) > self.now[:10]:
            return _refused(f"{group['name']} met on {last} and meets again from {_plus_days(last, 6)}.")
        self._journal = []
        added_attendances: list[Any] = []
        meeting: Meeting = {
            "id": self._new_id("meeting", "MEETING", self.meetings),
            "group_id": group_id,
            "held_on": self.now[:10],
            "status": "open",
        }
        self._add("meetings", meeting)
        for m in sorted(self._members_by_group_status.get((group_id, "active"), {}).values(), key=_age):
            attendance = {
                "id": self._new_id("attendance", "ATTENDANCE", self.attendances),
                "meeting_id": meeting["id"],
                "member_id": m["id"],
                "mark": "present",
                "saved": 0,
            }
            self._add("attendances", attendance)
            added_attendances.append(attendance)
        if self._breaks_rule_1(meeting):
            return self._take_back(RULES[0])
        for one_attendance in _distinct(added_attendances):
            if self._breaks_rule_2_a(one_attendance):
                return self._take_back(RULES[1])
        for one_attendance in _distinct(added_attendances):
            if self._breaks_rule_2_a_again(one_attendance):
                return self._take_back(RULES[1])
        for one_attendance in _distinct(added_attendances):
            if self._breaks_rule_3(one_attendance):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: open the meeting of {group['name']} (new: meeting {meeting['id']}).",
            "data": {"meeting_id": meeting["id"], **self._changes()},
        }

    def mark_roll(self, meeting_id: str, entries: Annotated[list[MarkRollEntry], {"maxItems": 20}]) -> Result:
        """Mark members on the roll of an open meeting as late, excused, absent or present.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            entries (list): One entry for each member whose mark is set: member_id: member who is on the roll of
                this meeting; an id such as MEMBER-00001; mark: attendance of the member: present, late, excused or
                absent.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        entries_2, entries = entries, []
        for entry in entries_2:
            if entry["member_id"] not in self.members:
                return _refused(f"There is no member {entry['member_id']!r}.")
            entries.append({"member": self.members[entry["member_id"]], "mark": entry["mark"]})
        if meeting["status"] != "open":
            return _refused(f"The meeting of {meeting['held_on']} is closed.")
        if not (len(entries) > 0 and _different([e["member"]["id"] for e in entries])):
            return _refused("Name at least one member, and each once.")
        stranger = next(
            (
                e["member"]
                for e in entries
                if not self._attendances_by_meeting_member.get((meeting_id, e["member"]["id"]), {})
            ),
            None,
        )
        if stranger is not None:
            return _refused(f"{stranger['name']} is not on the roll of this meeting.")
        saver = next(
            (
                self.members[a["member_id"]]
                for e in entries
                for a in sorted(
                    self._attendances_by_meeting_member.get((meeting_id, e["member"]["id"]), {}).values(),
                    key=_age,
                )
                if a["saved"] > 0
                and e["mark"] in ("excused", "absent")
            ),
            None,
        )
        if saver is not None:
            return _refused(f"{saver['name']} has paid savings at this meeting and was there.")
        self._journal = []
        changed_attendances: list[Any] = []
        for e in list(entries):
            for a in sorted(
                self._attendances_by_meeting_member.get((meeting_id, e["member"]["id"]), {}).values(),
                key=_age,
            ):
                changed_attendances.append(a)
                self._put("attendances", a, "mark", e["mark"])
        for one_attendance in _distinct(changed_attendances):
            if self._breaks_rule_3(one_attendance):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: mark {len(entries)} on the roll of {self.groups[meeting['group_id']]['name']}.",
            "data": self._changes(),
        }

    def collect_savings(
        self,
        meeting_id: str,
        amount: Annotated[int, {"minimum": 10, "maximum": 100000}],
        without_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Collect the same savings from everybody who is at a meeting, once, leaving out those who cannot pay today.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            amount (int): Savings collected from each member who pays, in cents, from 10 to 100000.
            without_ids (list): Members on the roll who pay nothing today: ids of members, such as MEMBER-00001. If
                left out, everybody present pays.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        without = []
        for key in without_ids or []:
            if key not in self.members:
                return _refused(f"There is no member {key!r}.")
            without.append(self.members[key])
        if meeting["status"] != "open":
            return _refused(f"The meeting of {meeting['held_on']} is closed.")
        if not _different([m["id"] for m in without]):
            return _refused("A member is left out twice.")
        if any(a["saved"] > 0 for a in self._attendances_by_meeting.get(meeting_id, {}).values()):
            return _refused("Savings were collected at this meeting already.")
        stranger = next(
            (m for m in without if not self._attendances_by_meeting_member.get((meeting_id, m["id"]), {})),
            None,
        )
        if stranger is not None:
            return _refused(f"{stranger['name']} is not on the roll of this meeting.")
        if not any(
            self.members[a["member_id"]] not in without
            for a in self._attendances_by_meeting.get(meeting_id, {}).values()
            if a["mark"] in ("present", "late")
        ):
            return _refused("Nobody is left to pay.")
        self._journal = []
        changed_attendances: list[Any] = []
        changed_members: list[Any] = []
        for a in [
            a
            for a in sorted(self._attendances_by_meeting.get(meeting_id, {}).values(), key=_age)
            if a["mark"] in ("present", "late")
            and self.members[a["member_id"]]["status"] == "active"
            and self.members[a["member_id"]] not in without
        ]:
            changed_attendances.append(a)
            self._put("attendances", a, "saved", amount)
            member = self.members[a["member_id"]]
            savings = self.members[a["member_id"]]["savings"] + amount
            if not 0 <= savings <= 2000000:
                return self._take_back(f"The savings of {member['name']} must be between 0.00 and 20,000.00.")
            changed_members.append(member)
            self._put("members", member, "savings", savings)
        for one_attendance in _distinct(changed_attendances):
            if self._breaks_rule_3(one_attendance):
                return self._take_back(RULES[2])
        for one_group in _distinct([self.groups[one["group_id"]] for one in changed_members]):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                user
                for one in changed_members
                for user in self._loans_by_borrower_status.get((one["id"], "running"), {}).values()
            ]
        ):
            if self._breaks_rule_9(one_loan):
                return self._take_back(RULES[8])
        for one_member in _distinct(changed_members):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: collect {_money(amount)} each at the meeting of {self.groups[meeting['group_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_meeting(self, meeting_id: str) -> Result:
        """Close a meeting; who was absent is fined, who was late pays half, and loans on which no full weekly rate
        came in miss one.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        if meeting["status"] != "open":
            return _refused(f"The meeting of {meeting['held_on']} is closed.")
        if self._meeting_there(meeting) <= 0:
            return _refused(f"Nobody is at the meeting of {self.groups[meeting['group_id']]['name']}.")
        self._journal = []
        added_fines: list[Any] = []
        for a in [
            a
            for a in sorted(self._attendances_by_meeting.get(meeting_id, {}).values(), key=_age)
            if a["mark"] in ("late", "absent")
            and self.members[a["member_id"]]["status"] == "active"
        ]:
            amount = (
                self.groups[meeting["group_id"]]["fine"]
                if a["mark"] == "absent"
                else ceil(Fraction(self.groups[meeting["group_id"]]["fine"], 2))
            )
            if not 1 <= amount <= 2000:
                return self._take_back("The amount of a fine must be between 0.01 and 20.00.")
            fine = {
                "id": self._new_id("fine", "FINE", self.fines),
                "member_id": a["member_id"],
                "meeting_id": meeting_id,
                "amount": amount,
                "paid": False,
            }
            self._add("fines", fine)
            added_fines.append(fine)
        for l in [
            l
            for l in sorted(
                [
                    l
                    for _member in self._members_by_group.get(meeting["group_id"], {}).values()
                    for l in self._loans_by_borrower_status.get((_member["id"], "running"), {}).values()
                ],
                key=_age,
            )
            if (l["last_paid_id"] is None or l["last_paid_id"] != meeting_id)
        ]:
            missed = l["missed"] + 1
            if not 0 <= missed <= 99:
                return self._take_back(f"The missed of {l['id']} must be between 0 and 99.")
            self._put("loans", l, "missed", missed)
        self._put("meetings", meeting, "status", "closed")
        if self._breaks_rule_1(meeting):
            return self._take_back(RULES[0])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_fines]):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: close the meeting of {self.groups[meeting['group_id']]['name']}.",
            "data": self._changes(),
        }

    def ask_loan(
        self,
        borrower_id: str,
        amount: Annotated[int, {"minimum": 1000, "maximum": 500000}],
        weeks: Annotated[int, {"minimum": 4, "maximum": 40}],
        guarantor_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Put down that a member asks for a loan over some weeks, with two or three guarantors of the group; a tenth
        is added as interest.

        Args:
            borrower_id (str): Active member who asks for the loan and has no other; an id such as MEMBER-00001.
            amount (int): Amount asked for before interest, at most three times the borrower's savings, in cents,
                from 1000 to 500000.
            weeks (int): Number of weekly rates in which the loan is repaid, from 4 to 40.
            guarantor_ids (list): Two or three other active members of the group who stand in: ids of members, such
                as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        borrower = self.members.get(borrower_id)
        if borrower is None:
            return _refused(f"There is no member {borrower_id!r}.")
        guarantors = []
        for key in guarantor_ids:
            if key not in self.members:
                return _refused(f"There is no member {key!r}.")
            guarantors.append(self.members[key])
        if borrower["status"] != "active":
            return _refused(f"{borrower['name']} has left the group.")
        other = self._loan_of(borrower)
        if other is not None:
            return _refused(f"{borrower['name']} has a loan of {_money(other['amount'])} that is {other['status']}.")
        if not ((2 <= len(guarantors) and len(guarantors) <= 3) and _different([g["id"] for g in guarantors])):
            return _refused("Name two or three guarantors, each once.")
        if borrower in guarantors:
            return _refused(f"{borrower['name']} cannot stand for the own loan.")
        stranger = next(
            (g for g in guarantors if (g["group_id"] != borrower["group_id"] or g["status"] != "active")),
            None,
        )
        if stranger is not None:
            return _refused(f"{stranger['name']} is no active member of {self.groups[borrower['group_id']]['name']}.")
        busy = next((g for g in guarantors if self._member_stands_for(g) >= 2), None)
        if busy is not None:
            return _refused(f"{busy['name']} stands for two loans already.")
        if amount > borrower["savings"] * 3:
            return _refused(
                f"{borrower['name']} has saved {_money(borrower['savings'])} and may ask for three times that."
            )
        self._journal = []
        weekly = ceil(Fraction(Fraction(amount * 11, 10), weeks))
        if not 1 <= weekly <= 200000:
            return self._take_back("The weekly of a loan must be between 0.01 and 2,000.00.")
        loan: Loan = {
            "id": self._new_id("loan", "LOAN", self.loans),
            "borrower_id": borrower_id,
            "amount": amount,
            "weekly": weekly,
            "guarantor_ids": [record["id"] for record in guarantors],
            "asked_on": self.now[:10],
            "outstanding": 0,
            "missed": 0,
            "last_paid_id": None,
            "status": "asked",
        }
        self._add("loans", loan)
        if self._breaks_rule_4(loan):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(loan):
            return self._take_back(RULES[4])
        for one_member in _distinct([self.members[key] for key in loan["guarantor_ids"]]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(self.groups[self.members[loan["borrower_id"]]["group_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.groups[self.members[loan["borrower_id"]]["group_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(loan):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(loan):
            return self._take_back(RULES[9])
        for one_member in _distinct([self.members[key] for key in loan["guarantor_ids"]]):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        if self._breaks_rule_12_l(loan):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: put down the request of {borrower['name']} for {_money(amount)} (new: loan {loan['id']})."
            ),
            "data": {"loan_id": loan["id"], **self._changes()},
        }

    def decide_loan(self, loan_id: str, granted: bool) -> Result:
        """Grant the loan whose turn it is, at an open meeting with at least two thirds of the members, or refuse any
        request.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            granted (bool): Whether the loan is granted rather than refused.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] != "asked":
            return _refused(f"The loan of {self.members[loan['borrower_id']]['name']} is {loan['status']}.")
        group = self.groups[self.members[loan["borrower_id"]]["group_id"]]
        meeting = self._sitting(group)
        if meeting is None:
            return _refused(f"{group['name']} decides at a meeting, so open one first.")
        if granted and self._meeting_there(meeting) * 3 < self._group_active(group) * 2:
            return _refused(
                f"Only {self._meeting_there(meeting)} of {self._group_active(group)} members are there, too few "
                "to grant a loan."
            )
        turn = self._next_in_turn(group)
        if granted and turn is not None and turn is not loan:
            return _refused(
                f"It is the turn of {self.members[turn['borrower_id']]['name']}, whose request is decided first."
            )
        slow = self._laggard(group)
        if granted and slow is not None:
            return _refused(
                f"{self.members[slow['borrower_id']]['name']} has missed {slow['missed']} payments, so the group "
                "gets no new loan; call the guarantors first."
            )
        if granted and self._member_fines(self.members[loan["borrower_id"]]) != 0:
            return _refused(
                f"{self.members[loan['borrower_id']]['name']} owes "
                f"{_money(self._member_fines(self.members[loan['borrower_id']]))} of fines."
            )
        if granted and (self._borrowing(group) + 1) * 2 > self._group_active(group):
            return _refused(f"{self._borrowing(group)} of {self._group_active(group)} members borrow already.")
        if granted and loan["amount"] > self.members[loan["borrower_id"]]["savings"] * 3:
            return _refused(
                f"{self.members[loan['borrower_id']]['name']} has saved only "
                f"{_money(self.members[loan['borrower_id']]['savings'])}."
            )
        if granted and loan["amount"] > self._group_cash(group):
            return _refused(
                f"{group['name']} has {_money(self._group_cash(group))} in cash, not {_money(loan['amount'])}."
            )
        gone = next(
            (
                g
                for g in [self.members[key] for key in loan["guarantor_ids"]]
                if (g["status"] != "active" or self._member_stands_for(g) >= 2)
            ),
            None,
        )
        if granted and gone is not None:
            return _refused(f"{gone['name']} cannot stand for this loan any more.")
        self._journal = []
        changed_groups: list[Any] = []
        changed_loans: list[Any] = []
        changed_loans_2: list[Any] = []
        if granted:
            interest = _rounded(Fraction(loan["amount"], 10))
            pot = group["pot"] + interest
            if not 0 <= pot <= 5000000:
                return self._take_back(f"The pot of {group['name']} must be between 0.00 and 50,000.00.")
            changed_groups.append(group)
            self._put("groups", group, "pot", pot)
            outstanding = loan["amount"] + interest
            if not 0 <= outstanding <= 550000:
                return self._take_back(f"The outstanding of {loan['id']} must be between 0.00 and 5,500.00.")
            changed_loans.append(loan)
            self._put("loans", loan, "outstanding", outstanding)
            self._put("loans", loan, "last_paid_id", meeting["id"])
            changed_loans_2.append(loan)
            self._put("loans", loan, "status", "running")
        else:
            if loan["status"] not in ("asked", "refused"):
                return self._take_back(f"Loan {loan['id']} cannot go from {loan['status']} to refused.")
            changed_loans_2.append(loan)
            self._put("loans", loan, "status", "refused")
        for one_loan in _distinct(changed_loans_2):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[key] for one in changed_loans_2 for key in one["guarantor_ids"]]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        for one_group in _distinct(
            [
                *changed_groups,
                *[
                    self.groups[one["group_id"]]
                    for one in [self.members[one["borrower_id"]] for one in changed_loans]
                ],
            ]
        ):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        for one_group in _distinct(
            [self.groups[one["group_id"]] for one in [self.members[one["borrower_id"]] for one in changed_loans_2]]
        ):
            if self._breaks_rule_8(one_group):
                return self._take_back(RULES[7])
        for one_loan in _distinct([*changed_loans, *changed_loans_2]):
            if self._breaks_rule_9(one_loan):
                return self._take_back(RULES[8])
        for one_loan in _distinct([*changed_loans, *changed_loans_2]):
            if self._breaks_rule_10(one_loan):
                return self._take_back(RULES[9])
        for one_member in _distinct([self.members[key] for one in changed_loans_2 for key in one["guarantor_ids"]]):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        for one_loan in _distinct(changed_loans_2):
            if self._breaks_rule_12_l(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: decide about the loan of {self.members[loan['borrower_id']]['name']}.",
            "data": self._changes(),
        }

    def repay_loan(self, loan_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 550000}]) -> Result:
        """Take a repayment at the open meeting of the group; a full weekly rate counts for this week, and each
        further one makes good for one that was missed.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.
            amount (int): Money the borrower pays, at most what is outstanding, in cents, from 1 to 550000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] != "running":
            return _refused(f"The loan of {self.members[loan['borrower_id']]['name']} is {loan['status']}.")
        meeting = self._sitting(self.groups[self.members[loan["borrower_id"]]["group_id"]])
        if meeting is None:
            return _refused(
                f"{self.groups[self.members[loan['borrower_id']]['group_id']]['name']} takes money at a meeting "
                "only, so open one first."
            )
        if amount > loan["outstanding"]:
            return _refused(
                f"{self.members[loan['borrower_id']]['name']} owes {_money(loan['outstanding'])}, not "
                f"{_money(amount)}."
            )
        if loan["weekly"] <= 0:
            return _refused("The loan has no weekly rate.")
        self._journal = []
        changed_loans: list[Any] = []
        rates = floor(Fraction(amount, loan["weekly"]))
        outstanding = loan["outstanding"] - amount
        if not 0 <= outstanding <= 550000:
            return self._take_back(f"The outstanding of {loan['id']} must be between 0.00 and 5,500.00.")
        self._put("loans", loan, "outstanding", outstanding)
        if rates >= 1:
            self._put("loans", loan, "last_paid_id", meeting["id"])
            missed = max(0, loan["missed"] - (rates - 1))
            if not 0 <= missed <= 99:
                return self._take_back(f"The missed of {loan['id']} must be between 0 and 99.")
            self._put("loans", loan, "missed", missed)
        if loan["outstanding"] == 0:
            self._put("loans", loan, "missed", 0)
            changed_loans.append(loan)
            self._put("loans", loan, "status", "repaid")
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[key] for one in changed_loans for key in one["guarantor_ids"]]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(self.groups[self.members[loan["borrower_id"]]["group_id"]]):
            return self._take_back(RULES[6])
        for one_group in _distinct(
            [self.groups[one["group_id"]] for one in [self.members[one["borrower_id"]] for one in changed_loans]]
        ):
            if self._breaks_rule_8(one_group):
                return self._take_back(RULES[7])
        for one_loan in _distinct([loan, *changed_loans]):
            if self._breaks_rule_9(one_loan):
                return self._take_back(RULES[8])
        for one_loan in _distinct([loan, *changed_loans]):
            if self._breaks_rule_10(one_loan):
                return self._take_back(RULES[9])
        for one_member in _distinct([self.members[key] for one in changed_loans for key in one["guarantor_ids"]]):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_12_l(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} from {self.members[loan['borrower_id']]['name']}.",
            "data": self._changes(),
        }

    def call_guarantors(self, loan_id: str) -> Result:
        """Let the guarantors of a loan with two or more missed payments pay these out of their savings, in equal
        parts.

        Args:
            loan_id (str): Id of the loan, such as LOAN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        loan = self.loans.get(loan_id)
        if loan is None:
            return _refused(f"There is no loan {loan_id!r}.")
        if loan["status"] != "running":
            return _refused(f"The loan of {self.members[loan['borrower_id']]['name']} is {loan['status']}.")
        if loan["missed"] < 2:
            return _refused(
                f"{self.members[loan['borrower_id']]['name']} has missed {loan['missed']} payments; guarantors "
                "are called from the second."
            )
        heads = len(loan["guarantor_ids"])
        if heads <= 0:
            return _refused("The loan has no guarantors.")
        share = ceil(Fraction(self._due_from_guarantors(loan), heads))
        poor = next((g for g in [self.members[key] for key in loan["guarantor_ids"]] if g["savings"] < share), None)
        if poor is not None:
            return _refused(f"{poor['name']} has saved {_money(poor['savings'])} and cannot pay {_money(share)}.")
        self._journal = []
        changed_members: list[Any] = []
        changed_loans: list[Any] = []
        changed_loans_2: list[Any] = []
        rest = self._due_from_guarantors(loan)
        for g in [self.members[key] for key in loan["guarantor_ids"]]:
            part = min(rest, share)
            savings = g["savings"] - part
            if not 0 <= savings <= 2000000:
                return self._take_back(f"The savings of {g['name']} must be between 0.00 and 20,000.00.")
            changed_members.append(g)
            self._put("members", g, "savings", savings)
            outstanding = loan["outstanding"] - part
            if not 0 <= outstanding <= 550000:
                return self._take_back(f"The outstanding of {loan['id']} must be between 0.00 and 5,500.00.")
            changed_loans.append(loan)
            self._put("loans", loan, "outstanding", outstanding)
            rest = rest - part
        self._put("loans", loan, "missed", 0)
        if loan["outstanding"] == 0:
            changed_loans_2.append(loan)
            self._put("loans", loan, "status", "repaid")
        for one_loan in _distinct(changed_loans_2):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[key] for one in changed_loans_2 for key in one["guarantor_ids"]]):
            if self._breaks_rule_6(one_member):
                return self._take_back(RULES[5])
        for one_group in _distinct(
            [
                *[self.groups[one["group_id"]] for one in changed_members],
                *[
                    self.groups[one["group_id"]]
                    for one in [self.members[one["borrower_id"]] for one in changed_loans]
                ],
            ]
        ):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        for one_group in _distinct(
            [self.groups[one["group_id"]] for one in [self.members[one["borrower_id"]] for one in changed_loans_2]]
        ):
            if self._breaks_rule_8(one_group):
                return self._take_back(RULES[7])
        for one_loan in _distinct(
            [
                *[
                    user
                    for one in changed_members
                    for user in self._loans_by_borrower_status.get((one["id"], "running"), {}).values()
                ],
                *changed_loans,
                *changed_loans_2,
            ]
        ):
            if self._breaks_rule_9(one_loan):
                return self._take_back(RULES[8])
        for one_loan in _distinct([*changed_loans, *changed_loans_2]):
            if self._breaks_rule_10(one_loan):
                return self._take_back(RULES[9])
        for one_member in _distinct(
            [*changed_members, *[self.members[key] for one in changed_loans_2 for key in one["guarantor_ids"]]]
        ):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        for one_loan in _distinct(changed_loans_2):
            if self._breaks_rule_12_l(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: call the guarantors of {self.members[loan['borrower_id']]['name']}.",
            "data": self._changes(),
        }

    def pay_fines(self, fine_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Take the money for fines of members of one group into its pot.

        Args:
            fine_ids (list): Unpaid fines that are paid now, all of one group: ids of fines, such as FINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fines = []
        for key in fine_ids:
            if key not in self.fines:
                return _refused(f"There is no fine {key!r}.")
            fines.append(self.fines[key])
        if not (len(fines) > 0 and _different([f["id"] for f in fines])):
            return _refused("Name at least one fine, and each once.")
        done = next((f for f in fines if f["paid"]), None)
        if done is not None:
            return _refused(
                f"The fine of {self.members[done['member_id']]['name']} over {_money(done['amount'])} is paid "
                "already."
            )
        if not all(
            self.members[f["member_id"]]["group_id"] == self.members[g["member_id"]]["group_id"]
            for f in fines
            for g in fines
        ):
            return _refused("The fines are of several groups; take them group by group.")
        self._journal = []
        changed_fines: list[Any] = []
        changed_groups: list[Any] = []
        for f in list(fines):
            changed_fines.append(f)
            self._put("fines", f, "paid", True)
            group = self.groups[self.members[f["member_id"]]["group_id"]]
            pot = self.groups[self.members[f["member_id"]]["group_id"]]["pot"] + f["amount"]
            if not 0 <= pot <= 5000000:
                return self._take_back(f"The pot of {group['name']} must be between 0.00 and 50,000.00.")
            changed_groups.append(group)
            self._put("groups", group, "pot", pot)
        for one_group in _distinct(changed_groups):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        for one_member in _distinct([self.members[one["member_id"]] for one in changed_fines]):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: take the money for {len(fines)} fines.", "data": self._changes()}

    def hand_over_office(self, officer_id: str, successor_id: str) -> Result:
        """Hand an office of a group over to a member without one.

        Args:
            officer_id (str): Member who gives up the office; an id such as MEMBER-00001.
            successor_id (str): Active member of the same group without an office who takes over; an id such as
                MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        officer = self.members.get(officer_id)
        if officer is None:
            return _refused(f"There is no member {officer_id!r}.")
        successor = self.members.get(successor_id)
        if successor is None:
            return _refused(f"There is no member {successor_id!r}.")
        if officer["role"] == "member":
            return _refused(f"{officer['name']} holds no office.")
        if successor["group_id"] != officer["group_id"] or successor["status"] != "active":
            return _refused(f"{successor['name']} is no active member of {self.groups[officer['group_id']]['name']}.")
        if successor["role"] != "member":
            return _refused(f"{successor['name']} is {successor['role']} already.")
        self._journal = []
        self._put("members", successor, "role", officer["role"])
        self._put("members", officer, "role", "member")
        if self._breaks_rule_11(successor):
            return self._take_back(RULES[10])
        if self._breaks_rule_11(officer):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_m(successor):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_m(officer):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: hand the office of {officer['name']} over to {successor['name']}.",
            "data": self._changes(),
        }

    def leave_group(self, member_id: str) -> Result:
        """Let a member leave and pay the savings out.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if member["status"] != "active":
            return _refused(f"{member['name']} has left already.")
        if member["role"] != "member":
            return _refused(f"{member['name']} is {member['role']} and hands the office over first.")
        loan = self._loan_of(member)
        if loan is not None:
            return _refused(f"{member['name']} has a loan of {_money(loan['amount'])} that is {loan['status']}.")
        if self._member_stands_for(member) != 0:
            return _refused(f"{member['name']} stands for {self._member_stands_for(member)} running loans.")
        if self._member_fines(member) != 0:
            return _refused(f"{member['name']} owes {_money(self._member_fines(member))} of fines.")
        if self._group_active(self.groups[member["group_id"]]) <= 5:
            return _refused("A group has at least five members.")
        if (
            self._group_active(self.groups[member["group_id"]])
            - 1 < self._borrowing(self.groups[member["group_id"]]) * 2
        ):
            return _refused(f"Too many members of {self.groups[member['group_id']]['name']} borrow for one to leave.")
        if member["savings"] > self._group_cash(self.groups[member["group_id"]]):
            return _refused(
                f"{self.groups[member['group_id']]['name']} has "
                f"{_money(self._group_cash(self.groups[member['group_id']]))} in cash and cannot pay out "
                f"{_money(member['savings'])}."
            )
        self._journal = []
        self._put("members", member, "savings", 0)
        self._put("members", member, "status", "left")
        if self._breaks_rule_7(self.groups[member["group_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.groups[member["group_id"]]):
            return self._take_back(RULES[7])
        for one_loan in _distinct(self._loans_by_borrower_status.get((member["id"], "running"), {}).values()):
            if self._breaks_rule_9(one_loan):
                return self._take_back(RULES[8])
        if self._breaks_rule_12_m(member):
            return self._take_back(RULES[11])
        for one_loan in _distinct(self._loans_by_borrower.get(member["id"], {}).values()):
            if self._breaks_rule_12_l(one_loan):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: let {member['name']} leave {self.groups[member['group_id']]['name']}.",
            "data": self._changes(),
        }

    def share_out(self, group_id: str) -> Result:
        """Share the pot of a group among its active members by what each has saved, when no loan is running; it is
        added to their savings, and what does not divide stays in the pot.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        slow = next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _member in self._members_by_group.get(group_id, {}).values()
                        for l in self._loans_by_borrower_status.get((_member["id"], "running"), {}).values()
                    ],
                    key=_age,
                )
            ),
            None,
        )
        if slow is not None:
            return _refused(
                f"{self.members[slow['borrower_id']]['name']} still owes {_money(slow['outstanding'])}, and loans "
                "come back before the share-out."
            )
        if self._group_savings(group) <= 0:
            return _refused(f"Nobody in {group['name']} has saved anything.")
        if group["pot"] <= 0:
            return _refused(f"The pot of {group['name']} is empty.")
        self._journal = []
        changed_members: list[Any] = []
        changed_groups: list[Any] = []
        pot = group["pot"]
        whole = self._group_savings(group)
        for m in sorted(self._members_by_group_status.get((group_id, "active"), {}).values(), key=_age):
            part = floor(pot * Fraction(m["savings"], whole)) if whole > 0 else 0
            savings = m["savings"] + part
            if not 0 <= savings <= 2000000:
                return self._take_back(f"The savings of {m['name']} must be between 0.00 and 20,000.00.")
            changed_members.append(m)
            self._put("members", m, "savings", savings)
            new_pot = group["pot"] - part
            if not 0 <= new_pot <= 5000000:
                return self._take_back(f"The pot of {group['name']} must be between 0.00 and 50,000.00.")
            changed_groups.append(group)
            self._put("groups", group, "pot", new_pot)
        for one_group in _distinct([*[self.groups[one["group_id"]] for one in changed_members], *changed_groups]):
            if self._breaks_rule_7(one_group):
                return self._take_back(RULES[6])
        for one_loan in _distinct(
            [
                user
                for one in changed_members
                for user in self._loans_by_borrower_status.get((one["id"], "running"), {}).values()
            ]
        ):
            if self._breaks_rule_9(one_loan):
                return self._take_back(RULES[8])
        for one_member in _distinct(changed_members):
            if self._breaks_rule_12_m(one_member):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: share the pot of {group['name']} out.", "data": self._changes()}

    def _show_group(self, group: Group) -> dict[str, Any]:
        """The group as an answer shows it."""
        return {
            **group,
            "savings": self._group_savings(group),
            "lent": self._group_lent(group),
            "cash": self._group_cash(group),
            "active": self._group_active(group),
        }

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "fines": self._member_fines(member), "stands_for": self._member_stands_for(member)}

    def _show_meeting(self, meeting: Meeting) -> dict[str, Any]:
        """The meeting as an answer shows it."""
        return {**meeting, "there": self._meeting_there(meeting)}

    def _show_loan(self, loan: Loan) -> dict[str, Any]:
        """The loan as an answer shows it."""
        return {**loan, "guarantor_ids": [*loan["guarantor_ids"]]}

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names((self.groups, "name", [row["group_id"] for row in shown]))

    def _names_of_meetings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meetings point to."""
        return _names((self.groups, "name", [row["group_id"] for row in shown]))

    def _names_of_attendances(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that attendances point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _names_of_fines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fines point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.members, "name", [row["borrower_id"] for row in shown]),
            (self.members, "name", [each for row in shown for each in row["guarantor_ids"]]),
        )

    def _group_savings(self, group: Group) -> int:
        """The savings of a group."""
        return sum(m["savings"] for m in self._members_by_group.get(group["id"], {}).values())

    def _group_lent(self, group: Group) -> int:
        """The lent of a group."""
        return sum(
            l["outstanding"]
            for _member in self._members_by_group.get(group["id"], {}).values()
            for l in self._loans_by_borrower.get(_member["id"], {}).values()
        )

    def _group_cash(self, group: Group) -> int:
        """The cash of a group."""
        return group["pot"] + self._group_savings(group) - self._group_lent(group)

    def _group_active(self, group: Group) -> int:
        """The active of a group."""
        return len(self._members_by_group_status.get((group["id"], "active"), {}))

    def _member_fines(self, member: Member) -> int:
        """The fines of a member."""
        return sum(f["amount"] for f in self._fines_by_member.get(member["id"], {}).values() if not f["paid"])

    def _member_stands_for(self, member: Member) -> int:
        """The stands for of a member."""
        return sum(1 for l in self._loans_by_guarantors.get(member["id"], {}).values() if l["status"] == "running")

    def _meeting_there(self, meeting: Meeting) -> int:
        """The there of a meeting."""
        return sum(
            1
            for a in self._attendances_by_meeting.get(meeting["id"], {}).values()
            if a["mark"] in ("present", "late")
        )

    def _sitting(self, g: Group) -> Meeting | None:
        return next(
            (m for m in sorted(self._meetings_by_group_status.get((g["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _met_last(self, g: Group) -> str | None:
        return max((m["held_on"] for m in self._meetings_by_group.get(g["id"], {}).values()), default=None)

    def _turns_had(self, m: Member) -> int:
        return sum(
            1
            for l in self._loans_by_borrower.get(m["id"], {}).values()
            if l["status"] in ("running", "repaid")
        )

    def _next_in_turn(self, g: Group) -> Loan | None:
        return min(
            [
                l
                for _member in self._members_by_group.get(g["id"], {}).values()
                for l in self._loans_by_borrower_status.get((_member["id"], "asked"), {}).values()
            ],
            key=lambda l: (self._turns_had(self.members[l["borrower_id"]]), l["asked_on"], l["id"], _age(l)),
            default=None,
        )

    def _borrowing(self, g: Group) -> int:
        return len(
            [
                l
                for _member in self._members_by_group.get(g["id"], {}).values()
                for l in self._loans_by_borrower_status.get((_member["id"], "running"), {}).values()
            ]
        )

    def _laggard(self, g: Group) -> Loan | None:
        return min(
            (
                l
                for _member in self._members_by_group.get(g["id"], {}).values()
                for l in self._loans_by_borrower_status.get((_member["id"], "running"), {}).values()
                if l["missed"] >= 2
            ),
            key=lambda l: (-l["missed"], l["id"], _age(l)),
            default=None,
        )

    def _loan_of(self, m: Member) -> Loan | None:
        return next(
            (
                l
                for l in sorted(self._loans_by_borrower.get(m["id"], {}).values(), key=_age)
                if l["status"] in ("asked", "running")
            ),
            None,
        )

    def _due_from_guarantors(self, l: Loan) -> int:
        return min(l["outstanding"], l["weekly"] * l["missed"])

    def _breaks_rule_1(self, m: Meeting) -> bool:
        """Whether this is broken: a group holds one meeting at a time."""
        return (
            m["status"] == "open"
            and any(
                other_m is not m
                for other_m in self._meetings_by_group_status.get((m["group_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_2_a(self, a: Attendance) -> bool:
        """Whether this is broken: a member stands once on the roll of a meeting, and only on that of their own group.
        """
        return any(
            other_a is not a
            for other_a in self._attendances_by_meeting_member.get((a["meeting_id"], a["member_id"]), {}).values()
        )

    def _breaks_rule_2_a_again(self, a: Attendance) -> bool:
        """Whether this is broken: a member stands once on the roll of a meeting, and only on that of their own group.
        """
        return self.members[a["member_id"]]["group_id"] != self.meetings[a["meeting_id"]]["group_id"]

    def _breaks_rule_3(self, a: Attendance) -> bool:
        """Whether this is broken: who was not there has saved nothing."""
        return a["mark"] in ("excused", "absent") and a["saved"] > 0

    def _breaks_rule_4(self, l: Loan) -> bool:
        """Whether this is broken: a member has one loan or request at a time."""
        return (
            l["status"] in ("asked", "running")
            and any(
                other_l is not l
                for other_l in self._loans_by_borrower.get(l["borrower_id"], {}).values()
                if other_l["status"] in ("asked", "running")
            )
        )

    def _breaks_rule_5(self, l: Loan) -> bool:
        """Whether this is broken: a loan has two or three guarantors of the borrower's group, and the borrower is
        none of them.
        """
        return not (
            (2 <= len(l["guarantor_ids"]) and len(l["guarantor_ids"]) <= 3)
            and l["borrower_id"] not in l["guarantor_ids"]
            and all(
                m["group_id"] == self.members[l["borrower_id"]]["group_id"]
                for m in [self.members[key] for key in l["guarantor_ids"]]
            )
        )

    def _breaks_rule_6(self, m: Member) -> bool:
        """Whether this is broken: nobody stands for more than two running loans."""
        return self._member_stands_for(m) > 2

    def _breaks_rule_7(self, g: Group) -> bool:
        """Whether this is broken: a group never lends or pays out more than it has."""
        return self._group_cash(g) < 0

    def _breaks_rule_8(self, g: Group) -> bool:
        """Whether this is broken: at most half of the members of a group borrow at the same time."""
        return self._borrowing(g) * 2 > self._group_active(g)

    def _breaks_rule_9(self, l: Loan) -> bool:
        """Whether this is broken: what is outstanding on a loan is never above five times the savings of the
        borrower.
        """
        return l["status"] == "running" and l["outstanding"] > self.members[l["borrower_id"]]["savings"] * 5

    def _breaks_rule_10(self, l: Loan) -> bool:
        """Whether this is broken: only running loans have something outstanding."""
        return (l["status"] == "running") != (l["outstanding"] > 0)

    def _breaks_rule_11(self, m: Member) -> bool:
        """Whether this is broken: each office of a group is held by one member."""
        return (
            m["role"] != "member"
            and any(
                other_m is not m
                for other_m in self._members_by_group_role.get((m["group_id"], m["role"]), {}).values()
                if other_m["role"] != "member"
            )
        )

    def _breaks_rule_12_m(self, m: Member) -> bool:
        """Whether this is broken: who has left holds no office, no savings and no loan, stands for none and owes no
        fine.
        """
        return not (
            m["status"] == "active"
            or m["role"] == "member"
            and m["savings"] == 0
            and self._member_stands_for(m) == 0
            and self._member_fines(m) == 0
        )

    def _breaks_rule_12_l(self, l: Loan) -> bool:
        """Whether this is broken: who has left holds no office, no savings and no loan, stands for none and owes no
        fine.
        """
        return l["status"] in ("asked", "running") and self.members[l["borrower_id"]]["status"] != "active"

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
            case "members":
                self._members_by_group.setdefault(record["group_id"], {})[record["id"]] = record
                self._members_by_group_role.setdefault((record["group_id"], record["role"]), {})[record["id"]] = record
                self._members_by_group_status.setdefault(
                    (record["group_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "meetings":
                self._meetings_by_group.setdefault(record["group_id"], {})[record["id"]] = record
                self._meetings_by_group_status.setdefault(
                    (record["group_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "attendances":
                self._attendances_by_meeting.setdefault(record["meeting_id"], {})[record["id"]] = record
                self._attendances_by_meeting_member.setdefault(
                    (record["meeting_id"], record["member_id"]),
                    {},
                )[record["id"]] = record
            case "fines":
                self._fines_by_member.setdefault(record["member_id"], {})[record["id"]] = record
            case "loans":
                self._loans_by_borrower.setdefault(record["borrower_id"], {})[record["id"]] = record
                self._loans_by_borrower_status.setdefault(
                    (record["borrower_id"], record["status"]),
                    {},
                )[record["id"]] = record
                for key in record["guarantor_ids"]:
                    self._loans_by_guarantors.setdefault(key, {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "members":
                del self._members_by_group[record["group_id"]][record["id"]]
                del self._members_by_group_role[record["group_id"], record["role"]][record["id"]]
                del self._members_by_group_status[record["group_id"], record["status"]][record["id"]]
            case "meetings":
                del self._meetings_by_group[record["group_id"]][record["id"]]
                del self._meetings_by_group_status[record["group_id"], record["status"]][record["id"]]
            case "attendances":
                del self._attendances_by_meeting[record["meeting_id"]][record["id"]]
                del self._attendances_by_meeting_member[record["meeting_id"], record["member_id"]][record["id"]]
            case "fines":
                del self._fines_by_member[record["member_id"]][record["id"]]
            case "loans":
                del self._loans_by_borrower[record["borrower_id"]][record["id"]]
                del self._loans_by_borrower_status[record["borrower_id"], record["status"]][record["id"]]
                for key in record["guarantor_ids"]:
                    self._loans_by_guarantors[key].pop(record["id"], None)
