"""Contractors and timesheets. Compiled from blueprint.yaml; run `envscaler build contractor_timesheets` after changing it there.

Handles contractors from agencies, with assignments, rates that change, weekly sheets, overtime, approval by
managers or deputies, budgets, invoices and extensions.
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
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "An assignment has one sheet a week, which begins on a Monday.",
    "A sheet has one entry a day, and only days of its week.",
    "Hours are booked during the assignment only.",
    "A contractor never works more than twelve hours a day over all assignments.",
    "A sheet that was handed in has hours, and no more overtime than was allowed.",
    "What was handed in never exceeds the budget of the assignment.",
    "A sheet is approved by the manager of the assignment or the deputy.",
    "An invoice contains approved sheets of the agency's own contractors.",
    "An assignment has one rate from a day on.",
    "An assignment does not end before it begins.",
    "A paid invoice says when.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "log_hours",
    "grant_overtime",
    "submit_sheet",
    "approve_sheet",
    "return_sheet",
    "issue_invoice",
    "cancel_invoice",
    "pay_invoice",
    "extend_assignment",
    "set_rate",
    "end_assignment",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "agencies": ("name",),
    "managers": ("name",),
    "contractors": ("name",),
    "assignments": ("code",),
    "rates": (),
    "sheets": (),
    "entries": (),
    "invoices": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("assignments", "contractor_id"),
    ("assignments", "manager_id"),
    ("contractors", "agency_id"),
    ("entries", "sheet_id"),
    ("invoices", "status"),
    ("managers", "deputy_id"),
    ("rates", "assignment_id"),
    ("sheets", "assignment_id"),
    ("sheets", "invoice_id"),
    ("sheets", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Agency(TypedDict):
    id: str
    name: str
    pays_in: int


class Manager(TypedDict):
    id: str
    name: str
    deputy_id: str | None


class Contractor(TypedDict):
    id: str
    name: str
    agency_id: str


class Assignment(TypedDict):
    id: str
    code: str
    contractor_id: str
    manager_id: str
    weekly_hours: int
    starts: str
    ends: str
    budget: int


class Rate(TypedDict):
    id: str
    assignment_id: str
    valid_from: str
    hourly: int


class Sheet(TypedDict):
    id: str
    assignment_id: str
    week: str
    overtime_allowed: int
    approved_by_id: str | None
    remark: str | None
    invoice_id: str | None
    status: Literal["open", "submitted", "approved", "returned", "invoiced"]


class Entry(TypedDict):
    id: str
    sheet_id: str
    on: str
    hours: int


class Invoice(TypedDict):
    id: str
    agency_id: str
    issued_on: str
    paid_on: str | None
    status: Literal["unpaid", "paid", "cancelled"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _dates(start: str, end: str) -> list[str]:
    """Every date from start until the day before end, at most 366."""
    return [_plus_days(start, days) for days in range(min(max(_days_between(start, end), 0), 366))]


class ContractorTimesheets:
    """Handles contractors from agencies, with assignments, rates that change, weekly sheets, overtime,
    approval by managers or deputies, budgets, invoices and extensions.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.agencies: dict[str, Agency] = _copied(config.get("agencies", {}))
        self.managers: dict[str, Manager] = _copied(config.get("managers", {}))
        self.contractors: dict[str, Contractor] = _copied(config.get("contractors", {}))
        self.assignments: dict[str, Assignment] = _copied(config.get("assignments", {}))
        self.rates: dict[str, Rate] = _copied(config.get("rates", {}))
        self.sheets: dict[str, Sheet] = _copied(config.get("sheets", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.invoices: dict[str, Invoice] = _copied(config.get("invoices", {}))
        self.now: str = config.get("now", "2026-05-28T16:20")
        self.counters: dict[str, int] = {
            "agency": len(self.agencies),
            "manager": len(self.managers),
            "contractor": len(self.contractors),
            "assignment": len(self.assignments),
            "rate": len(self.rates),
            "sheet": len(self.sheets),
            "entry": len(self.entries),
            "invoice": len(self.invoices),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._managers_by_deputy: dict[Any, dict[str, Manager]] = {}
        self._contractors_by_agency: dict[Any, dict[str, Contractor]] = {}
        self._assignments_by_contractor: dict[Any, dict[str, Assignment]] = {}
        self._assignments_by_manager: dict[Any, dict[str, Assignment]] = {}
        self._rates_by_assignment: dict[Any, dict[str, Rate]] = {}
        self._sheets_by_assignment: dict[Any, dict[str, Sheet]] = {}
        self._sheets_by_assignment_status: dict[Any, dict[str, Sheet]] = {}
        self._sheets_by_invoice: dict[Any, dict[str, Sheet]] = {}
        self._entries_by_sheet: dict[Any, dict[str, Entry]] = {}
        self._invoices_by_status: dict[Any, dict[str, Invoice]] = {}
        for manager in self.managers.values():
            self._link("managers", manager)
        for contractor in self.contractors.values():
            self._link("contractors", contractor)
        for assignment in self.assignments.values():
            self._link("assignments", assignment)
        for rate in self.rates.values():
            self._link("rates", rate)
        for sheet in self.sheets.values():
            self._link("sheets", sheet)
        for entry in self.entries.values():
            self._link("entries", entry)
        for invoice in self.invoices.values():
            self._link("invoices", invoice)

    def to_approve(self, by_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Sheets that a manager may approve, as manager or deputy, the oldest week first.

        Args:
            by_id (str): Manager, or deputy of a manager, who would approve the sheets; an id such as
                MANAGER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sheets": records}} or {"success": False, "error": why
                not}
        """
        by = self.managers.get(by_id)
        if by is None:
            return _refused(f"There is no manager {by_id!r}.")
        found = [
            s
            for s in _distinct(
                [
                    *[
                        s
                        for _assignment in self._assignments_by_manager.get(by_id, {}).values()
                        for s in self._sheets_by_assignment.get(_assignment["id"], {}).values()
                    ],
                    *[
                        s
                        for _manager in self._managers_by_deputy.get(by_id, {}).values()
                        for _assignment in self._assignments_by_manager.get(_manager["id"], {}).values()
                        for s in self._sheets_by_assignment.get(_assignment["id"], {}).values()
                    ],
                ]
            )
            if (s["status"] == "submitted" and self._may_approve(by, self.assignments[s["assignment_id"]]))
        ]
        found.sort(key=lambda s: (s["week"], self.assignments[s["assignment_id"]]["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sheets": [
                    {
                        "id": s["id"],
                        "assignment": self.assignments[s["assignment_id"]]["code"],
                        "contractor": self.contractors[self.assignments[s["assignment_id"]]["contractor_id"]]["name"],
                        "week": s["week"],
                        "hours": self._sheet_hours(s),
                        "overtime": self._sheet_overtime(s),
                        "value": self._sheet_value(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def budget_watch(
        self,
        manager_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Assignments that still run, by the share of the budget that is left.

        Args:
            manager_id (str, optional): Manager whose assignments are listed; an id such as MANAGER-00001. If left
                out, the assignments of all managers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assignments": records}} or {"success": False, "error":
                why not}
        """
        manager = self.managers.get(manager_id) if manager_id is not None else None
        if manager_id is not None and manager is None:
            return _refused(f"There is no manager {manager_id!r}.")
        found = [
            a
            for a in self.assignments.values()
            if a["ends"] >= self.now[:10]
            and (manager_id is None or a["manager_id"] == manager_id)
        ]
        found.sort(key=lambda a: (Fraction(self._assignment_left(a), a["budget"]), a["code"], _age(a)))
        return _found(
            {
                "total": len(found),
                "assignments": [
                    {
                        "id": a["id"],
                        "code": a["code"],
                        "contractor": self.contractors[a["contractor_id"]]["name"],
                        "ends": a["ends"],
                        "budget": a["budget"],
                        "left": self._assignment_left(a),
                        "hourly_now": self._hourly_on(a, self.now[:10]),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def unpaid_invoices(
        self,
        agency_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Unpaid invoices with the day they are due, the first one on top.

        Args:
            agency_id (str, optional): Agency that sent the invoices; an id such as AGENCY-00001. If left out, the
                invoices of all agencies are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}} or {"success": False, "error": why
                not}
        """
        agency = self.agencies.get(agency_id) if agency_id is not None else None
        if agency_id is not None and agency is None:
            return _refused(f"There is no agency {agency_id!r}.")
        found = [
            i
            for i in self._invoices_by_status.get("unpaid", {}).values()
            if (agency_id is None or i["agency_id"] == agency_id)
        ]
        found.sort(key=lambda i: (self._due_on(i), i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "invoices": [
                    {
                        "id": i["id"],
                        "agency": self.agencies[i["agency_id"]]["name"],
                        "issued_on": i["issued_on"],
                        "due_on": self._due_on(i),
                        "total": self._invoice_total(i),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_agencies(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the agencies, oldest first, all of them or only some.

        Args:
            name (str, optional): Only agencies whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "agencies": records}}
        """
        found = [
            agency
            for agency in self.agencies.values()
            if (name is None or name.casefold() in agency["name"].casefold())
        ]
        return _found({"total": len(found), "agencies": [{**agency} for agency in _page(found, offset)]})

    def list_managers(
        self,
        name: Text | None = None,
        deputy_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the managers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only managers whose name contains this text.
            deputy_id (str, optional): Only managers whose deputy is this manager.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "managers": records}}
        """
        if deputy_id is not None and deputy_id not in self.managers:
            return _refused(f"There is no manager {deputy_id!r}.")
        found = [
            manager
            for manager in self.managers.values()
            if (name is None or name.casefold() in manager["name"].casefold())
            and (deputy_id is None or manager["deputy_id"] == deputy_id)
        ]
        shown = [{**manager} for manager in _page(found, offset)]
        return _found({"total": len(found), "managers": shown}, self._names_of_managers(shown))

    def list_contractors(
        self,
        name: Text | None = None,
        agency_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contractors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only contractors whose name contains this text.
            agency_id (str, optional): Only contractors of this agency.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contractors": records}}
        """
        if agency_id is not None and agency_id not in self.agencies:
            return _refused(f"There is no agency {agency_id!r}.")
        found = [
            contractor
            for contractor in self.contractors.values()
            if (name is None or name.casefold() in contractor["name"].casefold())
            and (agency_id is None or contractor["agency_id"] == agency_id)
        ]
        shown = [{**contractor} for contractor in _page(found, offset)]
        return _found({"total": len(found), "contractors": shown}, self._names_of_contractors(shown))

    def list_assignments(
        self,
        code: Text | None = None,
        contractor_id: str | None = None,
        manager_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the assignments, oldest first, all of them or only some.

        Args:
            code (str, optional): Only assignments whose code contains this text.
            contractor_id (str, optional): Only assignments of this contractor.
            manager_id (str, optional): Only assignments of this manager.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assignments": records}}
        """
        if contractor_id is not None and contractor_id not in self.contractors:
            return _refused(f"There is no contractor {contractor_id!r}.")
        if manager_id is not None and manager_id not in self.managers:
            return _refused(f"There is no manager {manager_id!r}.")
        found = [
            assignment
            for assignment in self.assignments.values()
            if (code is None or code.casefold() in assignment["code"].casefold())
            and (contractor_id is None or assignment["contractor_id"] == contractor_id)
            and (manager_id is None or assignment["manager_id"] == manager_id)
        ]
        shown = [self._show_assignment(assignment) for assignment in _page(found, offset)]
        return _found({"total": len(found), "assignments": shown}, self._names_of_assignments(shown))

    def list_rates(
        self,
        assignment_id: str | None = None,
        valid_from_from: Date | None = None,
        valid_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rates, oldest first, all of them or only some.

        Args:
            assignment_id (str, optional): Only rates of this assignment.
            valid_from_from (str, optional): Only rates whose `valid_from` is on this day or later.
            valid_from_to (str, optional): Only rates whose `valid_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rates": records}}
        """
        if assignment_id is not None and assignment_id not in self.assignments:
            return _refused(f"There is no assignment {assignment_id!r}.")
        found = [
            rate
            for rate in self.rates.values()
            if (assignment_id is None or rate["assignment_id"] == assignment_id)
            and (valid_from_from is None or rate["valid_from"] >= valid_from_from)
            and (valid_from_to is None or rate["valid_from"] <= valid_from_to)
        ]
        shown = [{**rate} for rate in _page(found, offset)]
        return _found({"total": len(found), "rates": shown}, self._names_of_rates(shown))

    def list_sheets(
        self,
        assignment_id: str | None = None,
        approved_by_id: str | None = None,
        invoice_id: str | None = None,
        status: Literal["open", "submitted", "approved", "returned", "invoiced"] | None = None,
        week_from: Date | None = None,
        week_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sheets, oldest first, all of them or only some.

        Args:
            assignment_id (str, optional): Only sheets of this assignment.
            approved_by_id (str, optional): Only sheets approved by this manager.
            invoice_id (str, optional): Only sheets of this invoice.
            status (str, optional): Only sheets with this status.
            week_from (str, optional): Only sheets whose `week` is on this day or later.
            week_to (str, optional): Only sheets whose `week` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sheets": records}}
        """
        if assignment_id is not None and assignment_id not in self.assignments:
            return _refused(f"There is no assignment {assignment_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.managers:
            return _refused(f"There is no manager {approved_by_id!r}.")
        if invoice_id is not None and invoice_id not in self.invoices:
            return _refused(f"There is no invoice {invoice_id!r}.")
        found = [
            sheet
            for sheet in self.sheets.values()
            if (assignment_id is None or sheet["assignment_id"] == assignment_id)
            and (approved_by_id is None or sheet["approved_by_id"] == approved_by_id)
            and (invoice_id is None or sheet["invoice_id"] == invoice_id)
            and (status is None or sheet["status"] == status)
            and (week_from is None or sheet["week"] >= week_from)
            and (week_to is None or sheet["week"] <= week_to)
        ]
        shown = [self._show_sheet(sheet) for sheet in _page(found, offset)]
        return _found({"total": len(found), "sheets": shown}, self._names_of_sheets(shown))

    def list_entries(
        self,
        sheet_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            sheet_id (str, optional): Only entries of this sheet.
            on_from (str, optional): Only entries whose `on` is on this day or later.
            on_to (str, optional): Only entries whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if sheet_id is not None and sheet_id not in self.sheets:
            return _refused(f"There is no sheet {sheet_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (sheet_id is None or entry["sheet_id"] == sheet_id)
            and (on_from is None or entry["on"] >= on_from)
            and (on_to is None or entry["on"] <= on_to)
        ]
        return _found({"total": len(found), "entries": [{**entry} for entry in _page(found, offset)]})

    def list_invoices(
        self,
        agency_id: str | None = None,
        status: Literal["unpaid", "paid", "cancelled"] | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invoices, oldest first, all of them or only some.

        Args:
            agency_id (str, optional): Only invoices of this agency.
            status (str, optional): Only invoices with this status.
            issued_on_from (str, optional): Only invoices whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only invoices whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}}
        """
        if agency_id is not None and agency_id not in self.agencies:
            return _refused(f"There is no agency {agency_id!r}.")
        found = [
            invoice
            for invoice in self.invoices.values()
            if (agency_id is None or invoice["agency_id"] == agency_id)
            and (status is None or invoice["status"] == status)
            and (issued_on_from is None or invoice["issued_on"] >= issued_on_from)
            and (issued_on_to is None or invoice["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_invoice(invoice) for invoice in _page(found, offset)]
        return _found({"total": len(found), "invoices": shown}, self._names_of_invoices(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def log_hours(
        self,
        assignment_id: str,
        first_day: Date,
        number: Annotated[int, {"minimum": 1, "maximum": 7}],
        per_day: Annotated[int, {"minimum": 0, "maximum": 12}],
    ) -> Result:
        """Enter the hours of one or several days of a week, the same number for each; hours already entered for a day
        are replaced, and 0 takes a day off the sheet.

        Args:
            assignment_id (str): Id of the assignment, such as ASSIGNMENT-00001.
            first_day (str): First of the days worked, within the last four weeks, as YYYY-MM-DD.
            number (int): How many days in a row, all in the same week, from 1 to 7.
            per_day (int): Hours worked on each of these days, where zero takes them off the sheet, from 0 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        assignment = self.assignments.get(assignment_id)
        if assignment is None:
            return _refused(f"There is no assignment {assignment_id!r}.")
        last = _plus_days(_plus_days(first_day, number), -1)
        if self._monday(first_day) != self._monday(last):
            return _refused(f"{first_day} to {last} is more than one week.")
        if _plus_days(self.now[:10], -28) > first_day or last > self.now[:10]:
            return _refused("Hours are entered for the last four weeks, up to today.")
        if assignment["starts"] > first_day or last > assignment["ends"]:
            return _refused(f"{assignment['code']} runs from {assignment['starts']} to {assignment['ends']}.")
        old = self._sheet_of(assignment, first_day)
        if not (old is None or self._editable(old)):
            return _refused(f"The sheet for the week of {old['week']} is {old['status']}.")
        if not (
            per_day > 0
            or any(
                first_day <= e["on"]
                and e["on"] <= last
                for e in self._entries_by_sheet.get(old["id"] if old is not None else None, {}).values()
            )
        ):
            return _refused("No hours are entered on these days, so there are none to take off.")
        if not all(
            self._worked_on(self.contractors[assignment["contractor_id"]], d, old) + per_day <= 12
            for d in _dates(first_day, _plus_days(last, 1))
        ):
            return _refused(
                f"{self.contractors[assignment['contractor_id']]['name']} would work more than twelve hours on a "
                "day, with another assignment."
            )
        self._journal = []
        deleted_entries: list[Any] = []
        added_sheets: list[Any] = []
        added_entries: list[Any] = []
        changed_entries: list[Any] = []
        if per_day == 0:
            for e in [
                e
                for e in sorted(
                    self._entries_by_sheet.get(old["id"] if old is not None else None, {}).values(),
                    key=_age,
                )
                if (first_day <= e["on"] and e["on"] <= last)
            ]:
                if e["id"] in self.entries:
                    self._remove("entries", e)
                deleted_entries.append(e)
        else:
            if old is None:
                sheet = {
                    "id": self._new_id("sheet", "SHEET", self.sheets),
                    "assignment_id": assignment_id,
                    "week": self._monday(first_day),
                    "overtime_allowed": 0,
                    "approved_by_id": None,
                    "remark": None,
                    "invoice_id": None,
                    "status": "open",
                }
                self._add("sheets", sheet)
                added_sheets.append(sheet)
                for d in list(_dates(first_day, _plus_days(last, 1))):
                    if not 1 <= per_day <= 12:
                        return self._take_back("The hours of an entry must be between 1 and 12.")
                    entry = {
                        "id": self._new_id("entry", "ENTRY", self.entries),
                        "sheet_id": sheet["id"],
                        "on": d,
                        "hours": per_day,
                    }
                    self._add("entries", entry)
                    added_entries.append(entry)
            else:
                for e in [
                    e
                    for e in sorted(self._entries_by_sheet.get(old["id"], {}).values(), key=_age)
                    if (first_day <= e["on"] and e["on"] <= last)
                ]:
                    if not 1 <= per_day <= 12:
                        return self._take_back(f"The hours of {e['id']} must be between 1 and 12.")
                    changed_entries.append(e)
                    if e["id"] in self.entries:
                        self._put("entries", e, "hours", per_day)
                for d in [
                    d
                    for d in _dates(first_day, _plus_days(last, 1))
                    if not any(each["on"] == d for each in self._entries_by_sheet.get(old["id"], {}).values())
                ]:
                    if not 1 <= per_day <= 12:
                        return self._take_back("The hours of an entry must be between 1 and 12.")
                    new_entry = {
                        "id": self._new_id("entry", "ENTRY", self.entries),
                        "sheet_id": old["id"],
                        "on": d,
                        "hours": per_day,
                    }
                    self._add("entries", new_entry)
                    added_entries.append(new_entry)
        for one_sheet in _distinct(added_sheets):
            if self._breaks_rule_1_s(one_sheet):
                return self._take_back(RULES[0])
        for one_sheet in _distinct(added_sheets):
            if self._breaks_rule_1_s_again(one_sheet):
                return self._take_back(RULES[0])
        for one_entry in _distinct(added_entries):
            if one_entry["id"] in self.entries and self._breaks_rule_2_e(one_entry):
                return self._take_back(RULES[1])
        for one_entry in _distinct(added_entries):
            if one_entry["id"] in self.entries and self._breaks_rule_2_e_again(one_entry):
                return self._take_back(RULES[1])
        for one_entry in _distinct(added_entries):
            if one_entry["id"] in self.entries and self._breaks_rule_3(one_entry):
                return self._take_back(RULES[2])
        for one_entry in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                self.contractors[one["contractor_id"]]
                                for one in [
                                    self.assignments[one["assignment_id"]]
                                    for one in [self.sheets[one["sheet_id"]] for one in deleted_entries]
                                ]
                            ]
                            for user in self._assignments_by_contractor.get(one["id"], {}).values()
                        ]
                        for user in self._sheets_by_assignment.get(one["id"], {}).values()
                    ]
                    for user in self._entries_by_sheet.get(one["id"], {}).values()
                ],
                *added_entries,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                self.contractors[one["contractor_id"]]
                                for one in [
                                    self.assignments[one["assignment_id"]]
                                    for one in [self.sheets[one["sheet_id"]] for one in added_entries]
                                ]
                            ]
                            for user in self._assignments_by_contractor.get(one["id"], {}).values()
                        ]
                        for user in self._sheets_by_assignment.get(one["id"], {}).values()
                    ]
                    for user in self._entries_by_sheet.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                self.contractors[one["contractor_id"]]
                                for one in [
                                    self.assignments[one["assignment_id"]]
                                    for one in [self.sheets[one["sheet_id"]] for one in changed_entries]
                                ]
                            ]
                            for user in self._assignments_by_contractor.get(one["id"], {}).values()
                        ]
                        for user in self._sheets_by_assignment.get(one["id"], {}).values()
                    ]
                    for user in self._entries_by_sheet.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_entry["id"] in self.entries and self._breaks_rule_4(one_entry):
                return self._take_back(RULES[3])
        for one_sheet in _distinct(
            [
                *[self.sheets[one["sheet_id"]] for one in deleted_entries],
                *added_sheets,
                *[self.sheets[one["sheet_id"]] for one in added_entries],
                *[self.sheets[one["sheet_id"]] for one in changed_entries],
            ]
        ):
            if self._breaks_rule_5(one_sheet):
                return self._take_back(RULES[4])
        for one_assignment in _distinct(
            [
                *[
                    self.assignments[one["assignment_id"]]
                    for one in [self.sheets[one["sheet_id"]] for one in deleted_entries]
                ],
                *[self.assignments[one["assignment_id"]] for one in added_sheets],
                *[
                    self.assignments[one["assignment_id"]]
                    for one in [self.sheets[one["sheet_id"]] for one in added_entries]
                ],
                *[
                    self.assignments[one["assignment_id"]]
                    for one in [self.sheets[one["sheet_id"]] for one in changed_entries]
                ],
            ]
        ):
            if self._breaks_rule_6(one_assignment):
                return self._take_back(RULES[5])
        for one_sheet in _distinct(added_sheets):
            if self._breaks_rule_7(one_sheet):
                return self._take_back(RULES[6])
        for one_sheet in _distinct(added_sheets):
            if self._breaks_rule_8_s(one_sheet):
                return self._take_back(RULES[7])
        for one_sheet in _distinct(added_sheets):
            if self._breaks_rule_8_s_again(one_sheet):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: enter {per_day} hours a day for {assignment['code']} from {first_day}, {number} days.",
            "data": self._changes(),
        }

    def grant_overtime(
        self,
        sheet_id: str,
        by_id: str,
        extra: Annotated[int, {"minimum": 0, "maximum": 20}],
    ) -> Result:
        """Allow hours beyond the weekly hours on a sheet, as the manager of the assignment or the deputy; the number
        replaces the one before.

        Args:
            sheet_id (str): Id of the sheet, such as SHEET-00001.
            by_id (str): Manager of the assignment, or the deputy, who grants the overtime; an id such as
                MANAGER-00001.
            extra (int): Overtime hours allowed on this sheet in all, in place of the number before, from 0 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sheet = self.sheets.get(sheet_id)
        if sheet is None:
            return _refused(f"There is no sheet {sheet_id!r}.")
        by = self.managers.get(by_id)
        if by is None:
            return _refused(f"There is no manager {by_id!r}.")
        if not self._editable(sheet):
            return _refused(f"The sheet is {sheet['status']}.")
        if not self._may_approve(by, self.assignments[sheet["assignment_id"]]):
            return _refused(
                f"{self.assignments[sheet['assignment_id']]['code']} is under "
                f"{self.managers[self.assignments[sheet['assignment_id']]['manager_id']]['name']}, and "
                f"{by['name']} is not the deputy."
            )
        if extra == sheet["overtime_allowed"]:
            return _refused(f"{extra} hours are allowed already.")
        self._journal = []
        self._put("sheets", sheet, "overtime_allowed", extra)
        if self._breaks_rule_5(sheet):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: allow {extra} hours of overtime on {self.assignments[sheet['assignment_id']]['code']} in "
                f"the week of {sheet['week']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def submit_sheet(self, sheet_id: str) -> Result:
        """Hand a sheet in for approval.

        Args:
            sheet_id (str): Id of the sheet, such as SHEET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sheet = self.sheets.get(sheet_id)
        if sheet is None:
            return _refused(f"There is no sheet {sheet_id!r}.")
        if not self._editable(sheet):
            return _refused(f"The sheet is {sheet['status']}.")
        if self._sheet_hours(sheet) <= 0:
            return _refused("The sheet has no hours.")
        if self._sheet_overtime(sheet) > sheet["overtime_allowed"]:
            return _refused(
                f"{self._sheet_overtime(sheet)} hours of overtime are more than the {sheet['overtime_allowed']} "
                "that were allowed."
            )
        if self._sheet_value(sheet) > self._assignment_left(self.assignments[sheet["assignment_id"]]):
            return _refused(
                f"{self.assignments[sheet['assignment_id']]['code']} has "
                f"{_money(self._assignment_left(self.assignments[sheet['assignment_id']]))} left, and the sheet "
                f"comes to {_money(self._sheet_value(sheet))}."
            )
        self._journal = []
        if sheet["status"] not in ("open", "submitted", "returned"):
            return self._take_back(f"Sheet {sheet['id']} cannot go from {sheet['status']} to submitted.")
        self._put("sheets", sheet, "status", "submitted")
        if self._breaks_rule_5(sheet):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.assignments[sheet["assignment_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(sheet):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_s(sheet):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: hand in the sheet of {self.assignments[sheet['assignment_id']]['code']} for the week of "
                f"{sheet['week']}."
            ),
            "data": self._changes(),
        }

    def approve_sheet(self, sheet_id: str, by_id: str) -> Result:
        """Approve a sheet as the manager of the assignment or the manager's deputy.

        Args:
            sheet_id (str): Id of the sheet, such as SHEET-00001.
            by_id (str): Manager of the assignment, or the deputy, who approves the sheet; an id such as
                MANAGER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sheet = self.sheets.get(sheet_id)
        if sheet is None:
            return _refused(f"There is no sheet {sheet_id!r}.")
        by = self.managers.get(by_id)
        if by is None:
            return _refused(f"There is no manager {by_id!r}.")
        if sheet["status"] != "submitted":
            return _refused(f"The sheet is {sheet['status']}.")
        if not self._may_approve(by, self.assignments[sheet["assignment_id"]]):
            return _refused(
                f"{self.assignments[sheet['assignment_id']]['code']} is under "
                f"{self.managers[self.assignments[sheet['assignment_id']]['manager_id']]['name']}, and "
                f"{by['name']} is not the deputy."
            )
        self._journal = []
        self._put("sheets", sheet, "approved_by_id", by_id)
        self._put("sheets", sheet, "status", "approved")
        if self._breaks_rule_5(sheet):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.assignments[sheet["assignment_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(sheet):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_s(sheet):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: approve the sheet of {self.assignments[sheet['assignment_id']]['code']} for the week of "
                f"{sheet['week']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def return_sheet(self, sheet_id: str, remark: Text) -> Result:
        """Return a sheet that was handed in or approved, with a remark on what must change.

        Args:
            sheet_id (str): Id of the sheet, such as SHEET-00001.
            remark (str): What must change on the sheet, for the contractor to read.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sheet = self.sheets.get(sheet_id)
        if sheet is None:
            return _refused(f"There is no sheet {sheet_id!r}.")
        if sheet["status"] not in ("submitted", "approved"):
            return _refused(
                f"The sheet is {sheet['status']}; one that is invoiced comes back when the invoice is cancelled."
            )
        self._journal = []
        self._put("sheets", sheet, "remark", remark)
        self._put("sheets", sheet, "approved_by_id", None)
        self._put("sheets", sheet, "status", "returned")
        if self._breaks_rule_5(sheet):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.assignments[sheet["assignment_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(sheet):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_s(sheet):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: return the sheet of {self.assignments[sheet['assignment_id']]['code']} for the week of "
                f"{sheet['week']}."
            ),
            "data": self._changes(),
        }

    def issue_invoice(self, agency_id: str) -> Result:
        """Take all approved sheets of an agency's contractors onto one invoice.

        Args:
            agency_id (str): Id of the agency, such as AGENCY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        agency = self.agencies.get(agency_id)
        if agency is None:
            return _refused(f"There is no agency {agency_id!r}.")
        ready = sorted(
            [
                s
                for _contractor in self._contractors_by_agency.get(agency_id, {}).values()
                for _assignment in self._assignments_by_contractor.get(_contractor["id"], {}).values()
                for s in self._sheets_by_assignment_status.get((_assignment["id"], "approved"), {}).values()
            ],
            key=_age,
        )
        if len(ready) <= 0:
            return _refused(f"No approved sheet of {agency['name']} is waiting for an invoice.")
        self._journal = []
        changed_sheets: list[Any] = []
        changed_sheets_2: list[Any] = []
        invoice: Invoice = {
            "id": self._new_id("invoice", "INVOICE", self.invoices),
            "agency_id": agency_id,
            "issued_on": self.now[:10],
            "paid_on": None,
            "status": "unpaid",
        }
        self._add("invoices", invoice)
        for s in list(ready):
            changed_sheets.append(s)
            self._put("sheets", s, "invoice_id", invoice["id"])
            if s["status"] not in ("approved", "invoiced"):
                return self._take_back(f"Sheet {s['id']} cannot go from {s['status']} to invoiced.")
            changed_sheets_2.append(s)
            self._put("sheets", s, "status", "invoiced")
        for one_sheet in _distinct(changed_sheets_2):
            if self._breaks_rule_5(one_sheet):
                return self._take_back(RULES[4])
        for one_assignment in _distinct([self.assignments[one["assignment_id"]] for one in changed_sheets_2]):
            if self._breaks_rule_6(one_assignment):
                return self._take_back(RULES[5])
        for one_sheet in _distinct(changed_sheets_2):
            if self._breaks_rule_7(one_sheet):
                return self._take_back(RULES[6])
        for one_sheet in _distinct([*changed_sheets, *changed_sheets_2]):
            if self._breaks_rule_8_s(one_sheet):
                return self._take_back(RULES[7])
        for one_sheet in _distinct(changed_sheets):
            if self._breaks_rule_8_s_again(one_sheet):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(invoice):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: issue an invoice of {agency['name']} (new: invoice {invoice['id']}).",
            "data": {"invoice_id": invoice["id"], **self._changes()},
        }

    def cancel_invoice(self, invoice_id: str) -> Result:
        """Cancel an unpaid invoice; its sheets are approved again and wait for the next one.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "unpaid":
            return _refused(f"The invoice is {invoice['status']}.")
        self._journal = []
        changed_sheets: list[Any] = []
        changed_sheets_2: list[Any] = []
        for s in sorted(self._sheets_by_invoice.get(invoice_id, {}).values(), key=_age):
            changed_sheets.append(s)
            self._put("sheets", s, "invoice_id", None)
            if s["status"] not in ("submitted", "approved", "invoiced"):
                return self._take_back(f"Sheet {s['id']} cannot go from {s['status']} to approved.")
            changed_sheets_2.append(s)
            self._put("sheets", s, "status", "approved")
        self._put("invoices", invoice, "status", "cancelled")
        for one_sheet in _distinct(changed_sheets_2):
            if self._breaks_rule_5(one_sheet):
                return self._take_back(RULES[4])
        for one_assignment in _distinct([self.assignments[one["assignment_id"]] for one in changed_sheets_2]):
            if self._breaks_rule_6(one_assignment):
                return self._take_back(RULES[5])
        for one_sheet in _distinct(changed_sheets_2):
            if self._breaks_rule_7(one_sheet):
                return self._take_back(RULES[6])
        for one_sheet in _distinct([*changed_sheets, *changed_sheets_2]):
            if self._breaks_rule_8_s(one_sheet):
                return self._take_back(RULES[7])
        for one_sheet in _distinct([*changed_sheets, *self._sheets_by_invoice.get(invoice["id"], {}).values()]):
            if self._breaks_rule_8_s_again(one_sheet):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(invoice):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the invoice of {self.agencies[invoice['agency_id']]['name']} of "
                f"{invoice['issued_on']}."
            ),
            "data": self._changes(),
        }

    def pay_invoice(self, invoice_id: str) -> Result:
        """Pay an invoice.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "unpaid":
            return _refused(f"The invoice is {invoice['status']}.")
        self._journal = []
        self._put("invoices", invoice, "paid_on", self.now[:10])
        self._put("invoices", invoice, "status", "paid")
        for one_sheet in _distinct(self._sheets_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_8_s_again(one_sheet):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(invoice):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: pay the invoice of {self.agencies[invoice['agency_id']]['name']} of {invoice['issued_on']}."
            ),
            "data": self._changes(),
        }

    def extend_assignment(
        self,
        assignment_id: str,
        until: Date | None = None,
        more: Annotated[int, {"minimum": 0, "maximum": 5000000}] = 0,
    ) -> Result:
        """Let an assignment run longer, with more budget, or both.

        Args:
            assignment_id (str): Id of the assignment, such as ASSIGNMENT-00001.
            until (str, optional): New last day of the assignment, later than the present one, as YYYY-MM-DD. If
                left out, the last day stays as it is.
            more (int): Money added to the budget of the assignment, in cents, from 0 to 5000000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        assignment = self.assignments.get(assignment_id)
        if assignment is None:
            return _refused(f"There is no assignment {assignment_id!r}.")
        if until is None and more <= 0:
            return _refused("Give a new last day or more budget.")
        if assignment["ends"] < _plus_days(self.now[:10], -28):
            return _refused(f"{assignment['code']} ended on {assignment['ends']}; that is too long ago.")
        if not (until is None or assignment["ends"] < until and until <= _plus_days(assignment["ends"], 200)):
            return _refused(
                f"{assignment['code']} ends on {assignment['ends']}; the new day comes up to 200 days later."
            )
        self._journal = []
        self._put("assignments", assignment, "ends", until if until is not None else assignment["ends"])
        budget = assignment["budget"] + more
        if not 10000 <= budget <= 20000000:
            return self._take_back(f"The budget of {assignment['code']} must be between 100.00 and 200,000.00.")
        self._put("assignments", assignment, "budget", budget)
        for one_entry in _distinct(
            [
                user
                for one in self._sheets_by_assignment.get(assignment["id"], {}).values()
                for user in self._entries_by_sheet.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_entry):
                return self._take_back(RULES[2])
        if self._breaks_rule_6(assignment):
            return self._take_back(RULES[5])
        if self._breaks_rule_10(assignment):
            return self._take_back(RULES[9])
        done = f"extend {assignment['code']}"
        if until is not None:
            done += f" until {until}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def set_rate(
        self,
        assignment_id: str,
        valid_from: Date,
        hourly: Annotated[int, {"minimum": 2000, "maximum": 25000}],
    ) -> Result:
        """Set the hourly rate of an assignment from a Monday on, if no week from then on was handed in.

        Args:
            assignment_id (str): Id of the assignment, such as ASSIGNMENT-00001.
            valid_from (str): Monday from which the new rate is paid, as YYYY-MM-DD.
            hourly (int): New rate for one hour of work, in cents, from 2000 to 25000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        assignment = self.assignments.get(assignment_id)
        if assignment is None:
            return _refused(f"There is no assignment {assignment_id!r}.")
        if _weekday(valid_from) != 1:
            return _refused(f"{valid_from} is not a Monday.")
        if any(
            each["valid_from"] == valid_from
            for each in self._rates_by_assignment.get(assignment_id, {}).values()
        ):
            return _refused(f"There is a rate from {valid_from} on already.")
        if hourly == self._hourly_on(assignment, valid_from):
            return _refused(f"That is the rate on {valid_from} already.")
        if any(
            not self._editable(s)
            for s in self._sheets_by_assignment.get(assignment_id, {}).values()
            if s["week"] >= valid_from
        ):
            return _refused("A sheet of a later week was handed in.")
        self._journal = []
        rate: Rate = {
            "id": self._new_id("rate", "RATE", self.rates),
            "assignment_id": assignment_id,
            "valid_from": valid_from,
            "hourly": hourly,
        }
        self._add("rates", rate)
        if self._breaks_rule_6(self.assignments[rate["assignment_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(rate):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: set the rate of {assignment['code']} to {_money(hourly)} from {valid_from} (new: rate "
                f"{rate['id']})."
            ),
            "data": {"rate_id": rate["id"], **self._changes()},
        }

    def end_assignment(self, assignment_id: str, last_day: Date) -> Result:
        """Let an assignment end earlier than planned.

        Args:
            assignment_id (str): Id of the assignment, such as ASSIGNMENT-00001.
            last_day (str): New last day of the assignment, earlier than planned, at most a week ago, as
                YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        assignment = self.assignments.get(assignment_id)
        if assignment is None:
            return _refused(f"There is no assignment {assignment_id!r}.")
        if assignment["starts"] > last_day or last_day >= assignment["ends"]:
            return _refused(f"{assignment['code']} runs from {assignment['starts']} to {assignment['ends']}.")
        if last_day < _plus_days(self.now[:10], -7):
            return _refused(f"{last_day} is more than a week ago.")
        if any(
            e["on"] > last_day
            for _sheet in self._sheets_by_assignment.get(assignment_id, {}).values()
            for e in self._entries_by_sheet.get(_sheet["id"], {}).values()
        ):
            return _refused(f"Hours were entered for a day after {last_day}.")
        self._journal = []
        self._put("assignments", assignment, "ends", last_day)
        for one_entry in _distinct(
            [
                user
                for one in self._sheets_by_assignment.get(assignment["id"], {}).values()
                for user in self._entries_by_sheet.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_entry):
                return self._take_back(RULES[2])
        if self._breaks_rule_10(assignment):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: end {assignment['code']} on {last_day}.", "data": self._changes()}

    def _show_assignment(self, assignment: Assignment) -> dict[str, Any]:
        """The assignment as an answer shows it."""
        return {
            **assignment,
            "committed": self._assignment_committed(assignment),
            "left": self._assignment_left(assignment),
        }

    def _show_sheet(self, sheet: Sheet) -> dict[str, Any]:
        """The sheet as an answer shows it."""
        return {
            **sheet,
            "hours": self._sheet_hours(sheet),
            "overtime": self._sheet_overtime(sheet),
            "value": self._sheet_value(sheet),
        }

    def _show_invoice(self, invoice: Invoice) -> dict[str, Any]:
        """The invoice as an answer shows it."""
        return {**invoice, "total": self._invoice_total(invoice)}

    def _names_of_managers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that managers point to."""
        return _names((self.managers, "name", [row["deputy_id"] for row in shown]))

    def _names_of_contractors(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contractors point to."""
        return _names((self.agencies, "name", [row["agency_id"] for row in shown]))

    def _names_of_assignments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that assignments point to."""
        return _names(
            (self.contractors, "name", [row["contractor_id"] for row in shown]),
            (self.managers, "name", [row["manager_id"] for row in shown]),
        )

    def _names_of_rates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rates point to."""
        return _names((self.assignments, "code", [row["assignment_id"] for row in shown]))

    def _names_of_sheets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sheets point to."""
        return _names(
            (self.assignments, "code", [row["assignment_id"] for row in shown]),
            (self.managers, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_invoices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invoices point to."""
        return _names((self.agencies, "name", [row["agency_id"] for row in shown]))

    def _assignment_committed(self, assignment: Assignment) -> int:
        """The committed of an assignment."""
        return sum(
            self._sheet_value(s)
            for s in self._sheets_by_assignment.get(assignment["id"], {}).values()
            if s["status"] in ("submitted", "approved", "invoiced")
        )

    def _assignment_left(self, assignment: Assignment) -> int:
        """The left of an assignment."""
        return assignment["budget"] - self._assignment_committed(assignment)

    def _sheet_hours(self, sheet: Sheet) -> int:
        """The hours of a sheet."""
        return sum(e["hours"] for e in self._entries_by_sheet.get(sheet["id"], {}).values())

    def _sheet_overtime(self, sheet: Sheet) -> int:
        """The overtime of a sheet."""
        return max(
            0,
            sum(
                e["hours"]
                for e in self._entries_by_sheet.get(sheet["id"], {}).values()
            ) - self.assignments[sheet["assignment_id"]]["weekly_hours"],
        )

    def _sheet_value(self, sheet: Sheet) -> int:
        """The value of a sheet."""
        return (
            self._hourly_on(
                self.assignments[sheet["assignment_id"]],
                sheet["week"],
            ) * (self._sheet_hours(sheet) - self._sheet_overtime(sheet))
            + _rounded(
                Fraction(
                    self._hourly_on(
                        self.assignments[sheet["assignment_id"]],
                        sheet["week"],
                    ) * self._sheet_overtime(sheet) * 125,
                    100,
                )
            )
        )

    def _invoice_total(self, invoice: Invoice) -> int:
        """The total of an invoice."""
        return sum(self._sheet_value(s) for s in self._sheets_by_invoice.get(invoice["id"], {}).values())

    def _hourly_on(self, a: Assignment, d: str) -> int:
        return (
            (
                min(
                    [
                        ((_descending(r["valid_from"]),), r["hourly"])
                        for r in sorted(self._rates_by_assignment.get(a["id"], {}).values(), key=_age)
                        if r["valid_from"] <= d
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1]
                if min(
                    [
                        ((_descending(r["valid_from"]),), r["hourly"])
                        for r in sorted(self._rates_by_assignment.get(a["id"], {}).values(), key=_age)
                        if r["valid_from"] <= d
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1] is not None
                else min(
                    [
                        ((r["valid_from"],), r["hourly"])
                        for r in sorted(self._rates_by_assignment.get(a["id"], {}).values(), key=_age)
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1]
            )
            if (
                min(
                    [
                        ((_descending(r["valid_from"]),), r["hourly"])
                        for r in sorted(self._rates_by_assignment.get(a["id"], {}).values(), key=_age)
                        if r["valid_from"] <= d
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1]
                if min(
                    [
                        ((_descending(r["valid_from"]),), r["hourly"])
                        for r in sorted(self._rates_by_assignment.get(a["id"], {}).values(), key=_age)
                        if r["valid_from"] <= d
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1] is not None
                else min(
                    [
                        ((r["valid_from"],), r["hourly"])
                        for r in sorted(self._rates_by_assignment.get(a["id"], {}).values(), key=_age)
                    ],
                    key=lambda pair: pair[0],
                    default=(None, None),
                )[1]
            ) is not None
            else 0
        )

    def _monday(self, d: str) -> str:
        return _plus_days(d, -(_weekday(d) - 1))

    def _sheet_of(self, a: Assignment, d: str) -> Sheet | None:
        return next(
            (
                s
                for s in sorted(self._sheets_by_assignment.get(a["id"], {}).values(), key=_age)
                if s["week"] == self._monday(d)
            ),
            None,
        )

    def _editable(self, s: Sheet) -> bool:
        return s["status"] in ("open", "returned")

    def _may_approve(self, m: Manager, a: Assignment) -> bool:
        return m["id"] == a["manager_id"] or m["id"] == self.managers[a["manager_id"]]["deputy_id"]

    def _due_on(self, i: Invoice) -> str:
        return _plus_days(i["issued_on"], self.agencies[i["agency_id"]]["pays_in"])

    def _worked_on(self, c: Contractor, d: str, apart: Sheet | None) -> int:
        return sum(
            e["hours"]
            for _assignment in self._assignments_by_contractor.get(c["id"], {}).values()
            for _sheet in self._sheets_by_assignment.get(_assignment["id"], {}).values()
            for e in self._entries_by_sheet.get(_sheet["id"], {}).values()
            if e["on"] == d
            and self.sheets[e["sheet_id"]] is not apart
        )

    def _breaks_rule_1_s(self, s: Sheet) -> bool:
        """Whether this is broken: an assignment has one sheet a week, which begins on a Monday."""
        return any(
            other_s is not s
            for other_s in self._sheets_by_assignment.get(s["assignment_id"], {}).values()
            if other_s["week"] == s["week"]
        )

    def _breaks_rule_1_s_again(self, s: Sheet) -> bool:
        """Whether this is broken: an assignment has one sheet a week, which begins on a Monday."""
        return _weekday(s["week"]) != 1

    def _breaks_rule_2_e(self, e: Entry) -> bool:
        """Whether this is broken: a sheet has one entry a day, and only days of its week."""
        return any(
            other_e is not e
            for other_e in self._entries_by_sheet.get(e["sheet_id"], {}).values()
            if other_e["on"] == e["on"]
        )

    def _breaks_rule_2_e_again(self, e: Entry) -> bool:
        """Whether this is broken: a sheet has one entry a day, and only days of its week."""
        return (
            self.sheets[e["sheet_id"]]["week"] > e["on"]
            or e["on"] >= _plus_days(self.sheets[e["sheet_id"]]["week"], 7)
        )

    def _breaks_rule_3(self, e: Entry) -> bool:
        """Whether this is broken: hours are booked during the assignment only."""
        return (
            self.assignments[self.sheets[e["sheet_id"]]["assignment_id"]]["starts"] > e["on"]
            or e["on"] > self.assignments[self.sheets[e["sheet_id"]]["assignment_id"]]["ends"]
        )

    def _breaks_rule_4(self, e: Entry) -> bool:
        """Whether this is broken: a contractor never works more than twelve hours a day over all assignments."""
        return self._worked_on(
            self.contractors[self.assignments[self.sheets[e["sheet_id"]]["assignment_id"]]["contractor_id"]],
            e["on"],
            None,
        ) > 12

    def _breaks_rule_5(self, s: Sheet) -> bool:
        """Whether this is broken: a sheet that was handed in has hours, and no more overtime than was allowed."""
        return not (
            self._editable(s)
            or self._sheet_hours(s) > 0
            and self._sheet_overtime(s) <= s["overtime_allowed"]
        )

    def _breaks_rule_6(self, a: Assignment) -> bool:
        """Whether this is broken: what was handed in never exceeds the budget of the assignment."""
        return self._assignment_committed(a) > a["budget"]

    def _breaks_rule_7(self, s: Sheet) -> bool:
        """Whether this is broken: a sheet is approved by the manager of the assignment or the deputy."""
        return (s["status"] in ("approved", "invoiced")) != (s["approved_by_id"] is not None)

    def _breaks_rule_8_s(self, s: Sheet) -> bool:
        """Whether this is broken: an invoice contains approved sheets of the agency's own contractors."""
        return (s["status"] == "invoiced") != (s["invoice_id"] is not None)

    def _breaks_rule_8_s_again(self, s: Sheet) -> bool:
        """Whether this is broken: an invoice contains approved sheets of the agency's own contractors."""
        return not (
            s["invoice_id"] is None
            or self.invoices[s["invoice_id"]]["agency_id"] == self.contractors[
                self.assignments[s["assignment_id"]]["contractor_id"]
            ]["agency_id"]
            and self.invoices[s["invoice_id"]]["status"] != "cancelled"
        )

    def _breaks_rule_9(self, r: Rate) -> bool:
        """Whether this is broken: an assignment has one rate from a day on."""
        return any(
            other_r is not r
            for other_r in self._rates_by_assignment.get(r["assignment_id"], {}).values()
            if other_r["valid_from"] == r["valid_from"]
        )

    def _breaks_rule_10(self, a: Assignment) -> bool:
        """Whether this is broken: an assignment does not end before it begins."""
        return a["starts"] > a["ends"]

    def _breaks_rule_11(self, i: Invoice) -> bool:
        """Whether this is broken: a paid invoice says when."""
        return (i["status"] == "paid") != (i["paid_on"] is not None)

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
            case "managers":
                self._managers_by_deputy.setdefault(record["deputy_id"], {})[record["id"]] = record
            case "contractors":
                self._contractors_by_agency.setdefault(record["agency_id"], {})[record["id"]] = record
            case "assignments":
                self._assignments_by_contractor.setdefault(record["contractor_id"], {})[record["id"]] = record
                self._assignments_by_manager.setdefault(record["manager_id"], {})[record["id"]] = record
            case "rates":
                self._rates_by_assignment.setdefault(record["assignment_id"], {})[record["id"]] = record
            case "sheets":
                self._sheets_by_assignment.setdefault(record["assignment_id"], {})[record["id"]] = record
                self._sheets_by_assignment_status.setdefault(
                    (record["assignment_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sheets_by_invoice.setdefault(record["invoice_id"], {})[record["id"]] = record
            case "entries":
                self._entries_by_sheet.setdefault(record["sheet_id"], {})[record["id"]] = record
            case "invoices":
                self._invoices_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "managers":
                del self._managers_by_deputy[record["deputy_id"]][record["id"]]
            case "contractors":
                del self._contractors_by_agency[record["agency_id"]][record["id"]]
            case "assignments":
                del self._assignments_by_contractor[record["contractor_id"]][record["id"]]
                del self._assignments_by_manager[record["manager_id"]][record["id"]]
            case "rates":
                del self._rates_by_assignment[record["assignment_id"]][record["id"]]
            case "sheets":
                del self._sheets_by_assignment[record["assignment_id"]][record["id"]]
                del self._sheets_by_assignment_status[record["assignment_id"], record["status"]][record["id"]]
                del self._sheets_by_invoice[record["invoice_id"]][record["id"]]
            case "entries":
                del self._entries_by_sheet[record["sheet_id"]][record["id"]]
            case "invoices":
                del self._invoices_by_status[record["status"]][record["id"]]
