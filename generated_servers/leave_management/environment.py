"""Leave and absence. Compiled from blueprint.yaml; run `envscaler build leave_management` after changing it there.

Keeps the leave accounts of a company, with days that accrue month by month, requests decided by superiors or
their delegates, minimum presence in teams, sick notes and carried-over days that lapse.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "An employee has one leave at a time.",
    "Nobody takes more annual leave than was credited.",
    "On working days a team never falls below its minimum because of leave.",
    "A delegate is another member of the same team.",
    "A delegate has no leave while they stand in for somebody.",
    "An approved leave of more than two days has a delegate.",
    "A decided leave says who decided, and nobody decides about their own.",
    "Nobody has more than five days of study leave.",
    "A month is credited once to each employee.",
    "Only days that were carried over lapse.",
    "The sick notes of an employee do not overlap.",
    "What ends does not end before it begins.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_leave",
    "name_delegate",
    "approve_leave",
    "refuse_leave",
    "withdraw_leave",
    "cut_short",
    "report_sick",
    "hand_in_certificate",
    "credit_month",
    "carry_over",
    "lapse_carried",
    "prolong_carried",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "teams": ("name",),
    "employees": ("name",),
    "holidays": ("title",),
    "entries": (),
    "leaves": (),
    "sick_notes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("employees", "boss_id"),
    ("employees", "team_id"),
    ("entries", "employee_id"),
    ("entries", "kind"),
    ("holidays", "on"),
    ("leaves", "delegate_id"),
    ("leaves", "employee_id"),
    ("leaves", "kind"),
    ("leaves", "status"),
    ("sick_notes", "employee_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Team(TypedDict):
    id: str
    name: str
    at_least: int


class Employee(TypedDict):
    id: str
    name: str
    team_id: str
    boss_id: str | None
    monthly: int


class Holiday(TypedDict):
    id: str
    title: str
    on: str


class Entry(TypedDict):
    id: str
    employee_id: str
    kind: Literal["accrual", "carried", "moved", "lapsed"]
    month: str
    days: int
    lapses_on: str | None
    settled: bool


class Leave(TypedDict):
    id: str
    employee_id: str
    kind: Literal["annual", "unpaid", "study"]
    starts: str
    ends: str
    asked_on: str
    delegate_id: str | None
    decided_by_id: str | None
    reason: str | None
    status: Literal["asked", "approved", "refused", "withdrawn", "cancelled"]


class SickNote(TypedDict):
    id: str
    employee_id: str
    starts: str
    ends: str
    certificate: bool


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _dates(start: str, end: str) -> list[str]:
    """Every date from start until the day before end, at most 366."""
    return [_plus_days(start, days) for days in range(min(max(_days_between(start, end), 0), 366))]


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


class LeaveManagement:
    """Keeps the leave accounts of a company, with days that accrue month by month, requests decided by
    superiors or their delegates, minimum presence in teams, sick notes and carried-over days that
    lapse.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.employees: dict[str, Employee] = _copied(config.get("employees", {}))
        self.holidays: dict[str, Holiday] = _copied(config.get("holidays", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.leaves: dict[str, Leave] = _copied(config.get("leaves", {}))
        self.sick_notes: dict[str, SickNote] = _copied(config.get("sick_notes", {}))
        self.now: str = config.get("now", "2026-04-09T09:10")
        self.counters: dict[str, int] = {
            "team": len(self.teams),
            "employee": len(self.employees),
            "holiday": len(self.holidays),
            "entry": len(self.entries),
            "leave": len(self.leaves),
            "sick_note": len(self.sick_notes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._employees_by_boss: dict[Any, dict[str, Employee]] = {}
        self._employees_by_team: dict[Any, dict[str, Employee]] = {}
        self._holidays_by_on: dict[Any, dict[str, Holiday]] = {}
        self._entries_by_employee: dict[Any, dict[str, Entry]] = {}
        self._entries_by_employee_kind: dict[Any, dict[str, Entry]] = {}
        self._leaves_by_delegate_status: dict[Any, dict[str, Leave]] = {}
        self._leaves_by_employee: dict[Any, dict[str, Leave]] = {}
        self._leaves_by_employee_kind_status: dict[Any, dict[str, Leave]] = {}
        self._leaves_by_employee_status: dict[Any, dict[str, Leave]] = {}
        self._leaves_by_status: dict[Any, dict[str, Leave]] = {}
        self._sick_notes_by_employee: dict[Any, dict[str, SickNote]] = {}
        for employee in self.employees.values():
            self._link("employees", employee)
        for holiday in self.holidays.values():
            self._link("holidays", holiday)
        for entry in self.entries.values():
            self._link("entries", entry)
        for leave in self.leaves.values():
            self._link("leaves", leave)
        for sick_note in self.sick_notes.values():
            self._link("sick_notes", sick_note)

    def to_decide(self, by_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Requests that somebody may decide about today, for themselves or as a delegate, the oldest first.

        Args:
            by_id (str): Employee who would decide, as a superior or as the delegate of one; an id such as
                EMPLOYEE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leaves": records}} or {"success": False, "error": why
                not}
        """
        by = self.employees.get(by_id)
        if by is None:
            return _refused(f"There is no employee {by_id!r}.")
        found = [
            l
            for l in _distinct(
                [
                    l
                    for key in [
                        *[record["id"] for record in _below(self._employees_by_boss, by)],
                        *[
                            item["id"]
                            for x in self._leaves_by_delegate_status.get((by_id, "approved"), {}).values()
                            for item in _below(self._employees_by_boss, self.employees[x["employee_id"]])
                        ],
                    ]
                    for l in self._leaves_by_employee.get(key, {}).values()
                ]
            )
            if l["status"] == "asked"
            and self._may_decide(by, self.employees[l["employee_id"]], self.now[:10])
        ]
        found.sort(key=lambda l: (l["asked_on"], l["starts"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "leaves": [
                    {
                        "id": l["id"],
                        "employee": self.employees[l["employee_id"]]["name"],
                        "kind": l["kind"],
                        "starts": l["starts"],
                        "ends": l["ends"],
                        "asked_on": l["asked_on"],
                        "days": self._leave_days(l),
                        "balance": self._employee_balance(self.employees[l["employee_id"]]),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def who_is_away(
        self,
        team_id: str,
        starts: Date,
        ends: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Approved leave in a team during some days.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            starts (str): First day of the time looked at, as YYYY-MM-DD.
            ends (str): Last day of the time looked at, itself included, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leaves": records}} or {"success": False, "error": why
                not}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            l
            for l in [
                l
                for _employee in self._employees_by_team.get(team_id, {}).values()
                for l in self._leaves_by_employee.get(_employee["id"], {}).values()
            ]
            if (l["status"] == "approved" and self.employees[l["employee_id"]]["team_id"] == team_id)
            and (l["starts"] <= ends and starts <= l["ends"])
        ]
        found.sort(key=lambda l: (l["starts"], l["id"], _age(l)))
        shown = [
            {
                "id": l["id"],
                "employee": self.employees[l["employee_id"]]["name"],
                "delegate": l["delegate_id"],
                "starts": l["starts"],
                "ends": l["ends"],
            }
            for l in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "leaves": shown},
            _names((self.employees, "name", [row["delegate"] for row in shown])),
        )

    def carried_days(
        self,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Carried-over days that are not settled, with what is unused of them.

        Args:
            team_id (str, optional): Team whose members' carried-over days are listed; an id such as TEAM-00001. If
                left out, the days of all teams are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}} or {"success": False, "error": why
                not}
        """
        team = self.teams.get(team_id) if team_id is not None else None
        if team_id is not None and team is None:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            x
            for x in self.entries.values()
            if (x["kind"] == "carried" and not x["settled"])
            and (team_id is None or self.employees[x["employee_id"]]["team_id"] == team_id)
        ]
        found.sort(key=lambda x: (self.employees[x["employee_id"]]["name"], _age(x)))
        return _found(
            {
                "total": len(found),
                "entries": [
                    {
                        "id": x["id"],
                        "employee": self.employees[x["employee_id"]]["name"],
                        "carried": x["days"],
                        "unused": self._unused(x),
                        "lapses_on": x["lapses_on"],
                        "certified_sick_days": self._sick_days(self.employees[x["employee_id"]]),
                        "balance": self._employee_balance(self.employees[x["employee_id"]]),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def working_days(self, starts: Date, ends: Date) -> Result:
        """How many working days lie from one day to another, both included.

        Args:
            starts (str): First day that is counted, as YYYY-MM-DD.
            ends (str): Last day that is counted, itself included, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {days}} or {"success": False, "error": why not}
        """
        if starts > ends or ends > _plus_days(starts, 90):
            return _refused(f"The last day lies between {starts} and {_plus_days(starts, 90)}.")
        return _found({"days": sum(1 for d in _dates(starts, _plus_days(ends, 1)) if self._workday(d))})

    def list_teams(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        found = [team for team in self.teams.values() if (name is None or name.casefold() in team["name"].casefold())]
        return _found({"total": len(found), "teams": [self._show_team(team) for team in _page(found, offset)]})

    def list_employees(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        boss_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the employees, oldest first, all of them or only some.

        Args:
            name (str, optional): Only employees whose name contains this text.
            team_id (str, optional): Only employees of this team.
            boss_id (str, optional): Only employees whose boss is this employee.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "employees": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if boss_id is not None and boss_id not in self.employees:
            return _refused(f"There is no employee {boss_id!r}.")
        found = [
            employee
            for employee in self.employees.values()
            if (name is None or name.casefold() in employee["name"].casefold())
            and (team_id is None or employee["team_id"] == team_id)
            and (boss_id is None or employee["boss_id"] == boss_id)
        ]
        shown = [self._show_employee(employee) for employee in _page(found, offset)]
        return _found({"total": len(found), "employees": shown}, self._names_of_employees(shown))

    def list_holidays(
        self,
        title: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holidays, oldest first, all of them or only some.

        Args:
            title (str, optional): Only holidays whose title contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holidays": records}}
        """
        found = [
            holiday
            for holiday in self.holidays.values()
            if (title is None or title.casefold() in holiday["title"].casefold())
        ]
        return _found({"total": len(found), "holidays": [{**holiday} for holiday in _page(found, offset)]})

    def list_entries(
        self,
        employee_id: str | None = None,
        kind: Literal["accrual", "carried", "moved", "lapsed"] | None = None,
        settled: bool | None = None,
        month_from: Date | None = None,
        month_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            employee_id (str, optional): Only entries of this employee.
            kind (str, optional): Only entries with this kind.
            settled (bool, optional): Only entries that are settled (true) or not (false).
            month_from (str, optional): Only entries whose `month` is on this day or later.
            month_to (str, optional): Only entries whose `month` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if employee_id is not None and employee_id not in self.employees:
            return _refused(f"There is no employee {employee_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (employee_id is None or entry["employee_id"] == employee_id)
            and (kind is None or entry["kind"] == kind)
            and (settled is None or entry["settled"] == settled)
            and (month_from is None or entry["month"] >= month_from)
            and (month_to is None or entry["month"] <= month_to)
        ]
        shown = [{**entry} for entry in _page(found, offset)]
        return _found({"total": len(found), "entries": shown}, self._names_of_entries(shown))

    def list_leaves(
        self,
        employee_id: str | None = None,
        kind: Literal["annual", "unpaid", "study"] | None = None,
        delegate_id: str | None = None,
        decided_by_id: str | None = None,
        status: Literal["asked", "approved", "refused", "withdrawn", "cancelled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leaves, oldest first, all of them or only some.

        Args:
            employee_id (str, optional): Only leaves of this employee.
            kind (str, optional): Only leaves with this kind.
            delegate_id (str, optional): Only leaves whose delegate is this employee.
            decided_by_id (str, optional): Only leaves decided by this employee.
            status (str, optional): Only leaves with this status.
            starts_from (str, optional): Only leaves whose `starts` is on this day or later.
            starts_to (str, optional): Only leaves whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leaves": records}}
        """
        if employee_id is not None and employee_id not in self.employees:
            return _refused(f"There is no employee {employee_id!r}.")
        if delegate_id is not None and delegate_id not in self.employees:
            return _refused(f"There is no employee {delegate_id!r}.")
        if decided_by_id is not None and decided_by_id not in self.employees:
            return _refused(f"There is no employee {decided_by_id!r}.")
        found = [
            leave
            for leave in self.leaves.values()
            if (employee_id is None or leave["employee_id"] == employee_id)
            and (kind is None or leave["kind"] == kind)
            and (delegate_id is None or leave["delegate_id"] == delegate_id)
            and (decided_by_id is None or leave["decided_by_id"] == decided_by_id)
            and (status is None or leave["status"] == status)
            and (starts_from is None or leave["starts"] >= starts_from)
            and (starts_to is None or leave["starts"] <= starts_to)
        ]
        shown = [self._show_leave(leave) for leave in _page(found, offset)]
        return _found({"total": len(found), "leaves": shown}, self._names_of_leaves(shown))

    def list_sick_notes(
        self,
        employee_id: str | None = None,
        certificate: bool | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sick notes, oldest first, all of them or only some.

        Args:
            employee_id (str, optional): Only sick notes of this employee.
            certificate (bool, optional): Only sick notes with this value of `certificate`.
            starts_from (str, optional): Only sick notes whose `starts` is on this day or later.
            starts_to (str, optional): Only sick notes whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sick_notes": records}}
        """
        if employee_id is not None and employee_id not in self.employees:
            return _refused(f"There is no employee {employee_id!r}.")
        found = [
            sick_note
            for sick_note in self.sick_notes.values()
            if (employee_id is None or sick_note["employee_id"] == employee_id)
            and (certificate is None or sick_note["certificate"] == certificate)
            and (starts_from is None or sick_note["starts"] >= starts_from)
            and (starts_to is None or sick_note["starts"] <= starts_to)
        ]
        shown = [{**sick_note} for sick_note in _page(found, offset)]
        return _found({"total": len(found), "sick_notes": shown}, self._names_of_sick_notes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_leave(
        self,
        employee_id: str,
        kind: Literal["annual", "unpaid", "study"],
        starts: Date,
        ends: Date,
        delegate_id: str | None = None,
    ) -> Result:
        """Ask for leave; the account is only charged once somebody approves.

        Args:
            employee_id (str): Id of the employee, such as EMPLOYEE-00001.
            kind (str): Sort of leave, of which only annual leave is taken off the account: annual, unpaid or
                study.
            starts (str): First day of the leave, from today on, as YYYY-MM-DD.
            ends (str): Last day of the leave, itself included, as YYYY-MM-DD.
            delegate_id (str, optional): Colleague of the same team who stands in during the leave; an id such as
                EMPLOYEE-00001. If left out, nobody stands in for now; a leave of three days or more needs a
                delegate before it is approved.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        employee = self.employees.get(employee_id)
        if employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        delegate = self.employees.get(delegate_id) if delegate_id is not None else None
        if delegate_id is not None and delegate is None:
            return _refused(f"There is no employee {delegate_id!r}.")
        if self.now[:10] > starts or starts > _plus_days(self.now[:10], 200):
            return _refused(
                f"Leave is asked for from {self.now[:10]} to {_plus_days(self.now[:10], 200)}, not for {starts}."
            )
        if starts > ends or ends > _plus_days(starts, 30):
            return _refused(f"A leave from {starts} ends on that day or up to {_plus_days(starts, 30)}.")
        if not any(self._workday(d) for d in _dates(starts, _plus_days(ends, 1))):
            return _refused(f"There is no working day from {starts} to {ends}.")
        other = next(
            (
                l
                for l in sorted(self._leaves_by_employee.get(employee_id, {}).values(), key=_age)
                if l["status"] in ("asked", "approved")
                and l["starts"] <= ends
                and starts <= l["ends"]
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{employee['name']} has a leave from {other['starts']} to {other['ends']} that is {other['status']}."
            )
        if not (delegate_id is None or delegate is not employee and delegate["team_id"] == employee["team_id"]):
            return _refused(f"The delegate must be another member of {self.teams[employee['team_id']]['name']}.")
        self._journal = []
        leave: Leave = {
            "id": self._new_id("leave", "LEAVE", self.leaves),
            "employee_id": employee_id,
            "kind": kind,
            "starts": starts,
            "ends": ends,
            "asked_on": self.now[:10],
            "delegate_id": delegate_id,
            "decided_by_id": None,
            "reason": None,
            "status": "asked",
        }
        self._add("leaves", leave)
        if self._breaks_rule_1(leave):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[1])
        for one_leave in _distinct(
            [
                leave,
                *[
                    user
                    for one in self._employees_by_team.get(
                        self.employees[leave["employee_id"]]["team_id"],
                        {},
                    ).values()
                    for user in self._leaves_by_employee_status.get((one["id"], "approved"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_leave):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(leave):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(leave):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(leave):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_12_l(leave):
            return self._take_back(RULES[11])
        done = f"ask for {kind} leave of {employee['name']} from {starts} to {ends}"
        if delegate is not None:
            done += f" with {delegate['name']} as delegate"
        return {
            "success": True,
            "message": f"Done: {done} (new: leave {leave['id']}).",
            "data": {"leave_id": leave["id"], **self._changes()},
        }

    def name_delegate(self, leave_id: str, delegate_id: str) -> Result:
        """Name the colleague who stands in during a leave, or another one than before.

        Args:
            leave_id (str): Id of the leave, such as LEAVE-00001.
            delegate_id (str): Colleague of the same team who stands in during the leave; an id such as
                EMPLOYEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leave = self.leaves.get(leave_id)
        if leave is None:
            return _refused(f"There is no leave {leave_id!r}.")
        delegate = self.employees.get(delegate_id)
        if delegate is None:
            return _refused(f"There is no employee {delegate_id!r}.")
        if leave["status"] not in ("asked", "approved"):
            return _refused(f"The leave of {self.employees[leave['employee_id']]['name']} is {leave['status']}.")
        if leave["ends"] < self.now[:10]:
            return _refused(
                f"The leave of {self.employees[leave['employee_id']]['name']} was over on {leave['ends']}."
            )
        if (
            delegate_id == leave["employee_id"]
            or delegate["team_id"] != self.employees[leave["employee_id"]]["team_id"]
        ):
            return _refused(
                f"{delegate['name']} is no other member of "
                f"{self.teams[self.employees[leave['employee_id']]['team_id']]['name']}."
            )
        if delegate_id == leave["delegate_id"]:
            return _refused(f"{delegate['name']} stands in already.")
        gone = self._off(delegate, leave["starts"], leave["ends"])
        if leave["status"] != "asked" and gone is not None:
            return _refused(f"{delegate['name']} is on leave from {gone['starts']} to {gone['ends']}.")
        self._journal = []
        self._put("leaves", leave, "delegate_id", delegate_id)
        if self._breaks_rule_4(leave):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(leave):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: name {delegate['name']} as delegate of {self.employees[leave['employee_id']]['name']} "
                f"from {leave['starts']} to {leave['ends']}."
            ),
            "data": self._changes(),
        }

    def approve_leave(self, leave_id: str, by_id: str) -> Result:
        """Approve a leave that was asked for, as somebody above the employee or as their delegate of today.

        Args:
            leave_id (str): Id of the leave, such as LEAVE-00001.
            by_id (str): Superior of the employee, or the delegate of one on leave today, who approves; an id such
                as EMPLOYEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leave = self.leaves.get(leave_id)
        if leave is None:
            return _refused(f"There is no leave {leave_id!r}.")
        by = self.employees.get(by_id)
        if by is None:
            return _refused(f"There is no employee {by_id!r}.")
        if leave["status"] != "asked":
            return _refused(f"The leave of {self.employees[leave['employee_id']]['name']} is {leave['status']}.")
        if not self._may_decide(by, self.employees[leave["employee_id"]], self.now[:10]):
            return _refused(
                f"{by['name']} neither is above {self.employees[leave['employee_id']]['name']} nor stands in "
                "today for somebody who is."
            )
        if (
            leave["kind"] == "annual"
            and self._leave_days(leave) > self._employee_balance(self.employees[leave["employee_id"]])
        ):
            return _refused(
                f"{self.employees[leave['employee_id']]['name']} has "
                f"{self._employee_balance(self.employees[leave['employee_id']])} days left and asks for "
                f"{self._leave_days(leave)}."
            )
        if (
            leave["kind"] == "study"
            and self._leave_days(leave) + sum(
                self._leave_days(o)
                for o in self._leaves_by_employee_kind_status.get(
                    (leave["employee_id"], "study", "approved"),
                    {},
                ).values()
            ) > 5
        ):
            return _refused(
                f"{self.employees[leave['employee_id']]['name']} would have more than five days of study leave."
            )
        if leave["delegate_id"] is None and _days_between(leave["starts"], leave["ends"]) >= 2:
            return _refused(f"Name a delegate of {self.employees[leave['employee_id']]['name']} first.")
        gone = next(
            (
                o
                for o in sorted(
                    self._leaves_by_employee_status.get((leave["delegate_id"], "approved"), {}).values(),
                    key=_age,
                )
                if o["starts"] <= leave["ends"]
                and leave["starts"] <= o["ends"]
            ),
            None,
        )
        if gone is not None:
            return _refused(
                f"The delegate {self.employees[gone['employee_id']]['name']} is on leave from {gone['starts']} to "
                f"{gone['ends']}."
            )
        duty = self._covers(self.employees[leave["employee_id"]], leave["starts"], leave["ends"])
        if duty is not None:
            return _refused(
                f"{self.employees[leave['employee_id']]['name']} stands in for "
                f"{self.employees[duty['employee_id']]['name']} from {duty['starts']} to {duty['ends']}, so "
                "another delegate is needed there first."
            )
        thin = self._thin_on(
            self.teams[self.employees[leave["employee_id"]]["team_id"]],
            leave["starts"],
            leave["ends"],
        )
        if thin is not None:
            return _refused(
                f"{self.teams[self.employees[leave['employee_id']]['team_id']]['name']} would have fewer than "
                f"{self.teams[self.employees[leave['employee_id']]['team_id']]['at_least']} people on {thin}."
            )
        self._journal = []
        self._put("leaves", leave, "decided_by_id", by_id)
        self._put("leaves", leave, "status", "approved")
        if self._breaks_rule_1(leave):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[1])
        for one_leave in _distinct(
            [
                leave,
                *[
                    user
                    for one in self._employees_by_team.get(
                        self.employees[leave["employee_id"]]["team_id"],
                        {},
                    ).values()
                    for user in self._leaves_by_employee_status.get((one["id"], "approved"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_leave):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_a(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(leave):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(leave):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: approve the leave of {self.employees[leave['employee_id']]['name']} from "
                f"{leave['starts']} to {leave['ends']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def refuse_leave(self, leave_id: str, by_id: str, reason: Text) -> Result:
        """Refuse a leave that was asked for and say why.

        Args:
            leave_id (str): Id of the leave, such as LEAVE-00001.
            by_id (str): Superior of the employee, or the delegate of one on leave today, who refuses; an id such
                as EMPLOYEE-00001.
            reason (str): Why the leave is refused.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leave = self.leaves.get(leave_id)
        if leave is None:
            return _refused(f"There is no leave {leave_id!r}.")
        by = self.employees.get(by_id)
        if by is None:
            return _refused(f"There is no employee {by_id!r}.")
        if leave["status"] != "asked":
            return _refused(f"The leave of {self.employees[leave['employee_id']]['name']} is {leave['status']}.")
        if not self._may_decide(by, self.employees[leave["employee_id"]], self.now[:10]):
            return _refused(
                f"{by['name']} neither is above {self.employees[leave['employee_id']]['name']} nor stands in "
                "today for somebody who is."
            )
        self._journal = []
        self._put("leaves", leave, "decided_by_id", by_id)
        self._put("leaves", leave, "reason", reason)
        self._put("leaves", leave, "status", "refused")
        if self._breaks_rule_1(leave):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[1])
        for one_leave in _distinct(
            [
                leave,
                *[
                    user
                    for one in self._employees_by_team.get(
                        self.employees[leave["employee_id"]]["team_id"],
                        {},
                    ).values()
                    for user in self._leaves_by_employee_status.get((one["id"], "approved"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_leave):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_a(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(leave):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(leave):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: refuse the leave of {self.employees[leave['employee_id']]['name']} from {leave['starts']} "
                f"to {leave['ends']} as {by['name']} with the reason {reason}."
            ),
            "data": self._changes(),
        }

    def withdraw_leave(self, leave_id: str) -> Result:
        """Withdraw a leave about which nobody has decided.

        Args:
            leave_id (str): Id of the leave, such as LEAVE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leave = self.leaves.get(leave_id)
        if leave is None:
            return _refused(f"There is no leave {leave_id!r}.")
        if leave["status"] != "asked":
            return _refused(
                f"The leave of {self.employees[leave['employee_id']]['name']} is {leave['status']}, so cut it "
                "short if it is approved."
            )
        self._journal = []
        self._put("leaves", leave, "status", "withdrawn")
        if self._breaks_rule_1(leave):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[1])
        for one_leave in _distinct(
            [
                leave,
                *[
                    user
                    for one in self._employees_by_team.get(
                        self.employees[leave["employee_id"]]["team_id"],
                        {},
                    ).values()
                    for user in self._leaves_by_employee_status.get((one["id"], "approved"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_leave):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_a(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(leave):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(leave):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(leave):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.employees[leave["employee_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: withdraw the leave of {self.employees[leave['employee_id']]['name']} from "
                f"{leave['starts']} to {leave['ends']}."
            ),
            "data": self._changes(),
        }

    def cut_short(self, leave_id: str, last_day: Date | None = None) -> Result:
        """End an approved leave early, or cancel it altogether if it has not begun and no last day is given.

        Args:
            leave_id (str): Id of the leave, such as LEAVE-00001.
            last_day (str, optional): New last day of the leave, earlier than before and not before yesterday, as
                YYYY-MM-DD. If left out, the whole leave is cancelled, which works only before it begins.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leave = self.leaves.get(leave_id)
        if leave is None:
            return _refused(f"There is no leave {leave_id!r}.")
        if leave["status"] != "approved":
            return _refused(f"The leave of {self.employees[leave['employee_id']]['name']} is {leave['status']}.")
        if leave["ends"] < self.now[:10]:
            return _refused(
                f"The leave of {self.employees[leave['employee_id']]['name']} was over on {leave['ends']}."
            )
        if not (
            last_day is None
            or (leave["starts"] <= last_day and last_day < leave["ends"])
            and _plus_days(last_day, 1) >= self.now[:10]
        ):
            return _refused(
                f"The last day lies from {leave['starts']} on, before {leave['ends']}, and not before yesterday."
            )
        if last_day is None and leave["starts"] <= self.now[:10]:
            return _refused(
                f"The leave of {self.employees[leave['employee_id']]['name']} has begun, so give its last day."
            )
        self._journal = []
        changed_leaves: list[Any] = []
        changed_leaves_2: list[Any] = []
        if last_day is None:
            changed_leaves.append(leave)
            self._put("leaves", leave, "status", "cancelled")
        else:
            changed_leaves_2.append(leave)
            self._put("leaves", leave, "ends", last_day)
        for one_leave in _distinct([*changed_leaves, *changed_leaves_2]):
            if self._breaks_rule_1(one_leave):
                return self._take_back(RULES[0])
        for one_employee in _distinct(
            [
                *[self.employees[one["employee_id"]] for one in changed_leaves],
                *[self.employees[one["employee_id"]] for one in changed_leaves_2],
            ]
        ):
            if self._breaks_rule_2(one_employee):
                return self._take_back(RULES[1])
        for one_leave in _distinct(
            [
                *changed_leaves,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.teams[one["team_id"]]
                            for one in [self.employees[one["employee_id"]] for one in changed_leaves]
                        ]
                        for user in self._employees_by_team.get(one["id"], {}).values()
                    ]
                    for user in self._leaves_by_employee_status.get((one["id"], "approved"), {}).values()
                ],
                *changed_leaves_2,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.teams[one["team_id"]]
                            for one in [self.employees[one["employee_id"]] for one in changed_leaves_2]
                        ]
                        for user in self._employees_by_team.get(one["id"], {}).values()
                    ]
                    for user in self._leaves_by_employee_status.get((one["id"], "approved"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_leave):
                return self._take_back(RULES[2])
        for one_leave in _distinct([*changed_leaves, *changed_leaves_2]):
            if self._breaks_rule_5_a(one_leave):
                return self._take_back(RULES[4])
        for one_leave in _distinct([*changed_leaves, *changed_leaves_2]):
            if self._breaks_rule_5_b(one_leave):
                return self._take_back(RULES[4])
        for one_leave in _distinct([*changed_leaves, *changed_leaves_2]):
            if self._breaks_rule_6(one_leave):
                return self._take_back(RULES[5])
        for one_leave in _distinct(changed_leaves):
            if self._breaks_rule_7(one_leave):
                return self._take_back(RULES[6])
        for one_employee in _distinct(
            [
                *[self.employees[one["employee_id"]] for one in changed_leaves],
                *[self.employees[one["employee_id"]] for one in changed_leaves_2],
            ]
        ):
            if self._breaks_rule_8(one_employee):
                return self._take_back(RULES[7])
        for one_leave in _distinct(changed_leaves_2):
            if self._breaks_rule_12_l(one_leave):
                return self._take_back(RULES[11])
        done = f"cut the leave of {self.employees[leave['employee_id']]['name']} from {leave['starts']} short"
        if last_day is not None:
            done += f" to {last_day}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def report_sick(self, employee_id: str, starts: Date, ends: Date, certificate: bool = False) -> Result:
        """Take down that somebody is ill, with or without a doctor's certificate.

        Args:
            employee_id (str): Id of the employee, such as EMPLOYEE-00001.
            starts (str): First day of illness, within the last two weeks, as YYYY-MM-DD.
            ends (str): Last day of illness as far as known, itself included, as YYYY-MM-DD.
            certificate (bool): Whether a doctor's certificate is there, needed for more than three days. Default:
                false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        employee = self.employees.get(employee_id)
        if employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        if _plus_days(self.now[:10], -14) > starts or starts > self.now[:10]:
            return _refused(
                f"Illness is reported from {_plus_days(self.now[:10], -14)} to {self.now[:10]}, not {starts}."
            )
        if starts > ends or ends > _plus_days(starts, 42):
            return _refused(f"A note from {starts} ends between that day and {_plus_days(starts, 42)}.")
        other = next(
            (
                n
                for n in sorted(self._sick_notes_by_employee.get(employee_id, {}).values(), key=_age)
                if n["starts"] <= ends
                and starts <= n["ends"]
            ),
            None,
        )
        if other is not None:
            return _refused(f"{employee['name']} has a note from {other['starts']} to {other['ends']}.")
        if not (certificate or _days_between(starts, ends) < 3):
            return _refused("More than three days need a certificate.")
        self._journal = []
        sick_note: SickNote = {
            "id": self._new_id("sick_note", "SN", self.sick_notes),
            "employee_id": employee_id,
            "starts": starts,
            "ends": ends,
            "certificate": certificate,
        }
        self._add("sick_notes", sick_note)
        if self._breaks_rule_2(self.employees[sick_note["employee_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_8(self.employees[sick_note["employee_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(sick_note):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_n(sick_note):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: report {employee['name']} sick from {starts} to {ends} (new: sick note {sick_note['id']})."
            ),
            "data": {"sick_note_id": sick_note["id"], **self._changes()},
        }

    def hand_in_certificate(self, note_id: str, ends: Date | None = None) -> Result:
        """Add the doctor's certificate to a sick note, which gives days of leave back, and correct its last day if it
        says another.

        Args:
            note_id (str): Sick note to which the certificate belongs; an id such as SN-00001.
            ends (str, optional): Last day of illness that the certificate says, as YYYY-MM-DD. If left out, the
                last day of the note stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        note = self.sick_notes.get(note_id)
        if note is None:
            return _refused(f"There is no sick note {note_id!r}.")
        if note["certificate"]:
            return _refused(
                f"There is a certificate for the note of {self.employees[note['employee_id']]['name']} already."
            )
        if not (ends is None or note["starts"] <= ends and ends <= _plus_days(note["starts"], 42)):
            return _refused(f"The last day lies between {note['starts']} and {_plus_days(note['starts'], 42)}.")
        until = ends if ends is not None else note["ends"]
        other = next(
            (
                n
                for n in sorted(self._sick_notes_by_employee.get(note["employee_id"], {}).values(), key=_age)
                if n is not note
                and n["starts"] <= until
                and note["starts"] <= n["ends"]
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.employees[note['employee_id']]['name']} has another note from {other['starts']} to "
                f"{other['ends']}."
            )
        self._journal = []
        self._put("sick_notes", note, "ends", until)
        self._put("sick_notes", note, "certificate", True)
        if self._breaks_rule_2(self.employees[note["employee_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_8(self.employees[note["employee_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(note):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_n(note):
            return self._take_back(RULES[11])
        done = f"hand in the certificate of {self.employees[note['employee_id']]['name']} for {note['starts']}"
        if ends is not None:
            done += f", ending {ends}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def credit_month(self, team_id: str, month: Date) -> Result:
        """Credit the days of a month that has begun to all members of a team who do not have them.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            month (str): Any day of the month whose leave days are credited, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        start = month[:8] + "01"
        if start > self.now[:10] or self.now[:10] >= _add_months(start, 12):
            return _refused(f"{start} is not a month of the last year that has begun.")
        lacking = [
            e
            for e in sorted(self._employees_by_team.get(team_id, {}).values(), key=_age)
            if not any(
                each["month"] == start
                for each in self._entries_by_employee_kind.get((e["id"], "accrual"), {}).values()
            )
        ]
        if len(lacking) <= 0:
            return _refused(f"Everybody of {team['name']} has the days of that month.")
        self._journal = []
        added_entries: list[Any] = []
        for e in list(lacking):
            entry = {
                "id": self._new_id("entry", "ENTRY", self.entries),
                "employee_id": e["id"],
                "kind": "accrual",
                "month": start,
                "days": e["monthly"],
                "lapses_on": None,
                "settled": False,
            }
            self._add("entries", entry)
            added_entries.append(entry)
        for one_employee in _distinct([self.employees[one["employee_id"]] for one in added_entries]):
            if self._breaks_rule_2(one_employee):
                return self._take_back(RULES[1])
        for one_entry in _distinct(added_entries):
            if self._breaks_rule_9(one_entry):
                return self._take_back(RULES[8])
        for one_entry in _distinct(added_entries):
            if self._breaks_rule_10_x(one_entry):
                return self._take_back(RULES[9])
        for one_employee in _distinct([self.employees[one["employee_id"]] for one in added_entries]):
            if self._breaks_rule_10_e(one_employee):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: credit the month of {month} to {team['name']}.",
            "data": self._changes(),
        }

    def carry_over(self, employee_id: str, year_starts: Date) -> Result:
        """Carry the days that an employee has left of the old leave year over into the new one, ten at most; they
        lapse after three months.

        Args:
            employee_id (str): Id of the employee, such as EMPLOYEE-00001.
            year_starts (str): First day of the new leave year, a first of the month, recently begun, as
                YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        employee = self.employees.get(employee_id)
        if employee is None:
            return _refused(f"There is no employee {employee_id!r}.")
        if (
            year_starts[:8] + "01" != year_starts
            or year_starts > self.now[:10]
            or _days_between(year_starts, self.now[:10]) >= 180
        ):
            return _refused(
                "A leave year begins on the first of a month, and days are carried over in its first six months."
            )
        if any(
            x["month"] >= year_starts
            for x in self._entries_by_employee_kind.get((employee_id, "carried"), {}).values()
        ):
            return _refused(f"{employee['name']} has had days carried over in this year.")
        left = self._of_last_year(employee, year_starts)
        if left <= 0:
            return _refused(f"{employee['name']} has no days left of the year before {year_starts}.")
        self._journal = []
        kept = min(left, 10)
        if not -15 <= kept <= 15:
            return self._take_back("The days of an entry must be between -15 and 15.")
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "employee_id": employee_id,
            "kind": "carried",
            "month": self.now[:10][:8] + "01",
            "days": kept,
            "lapses_on": _plus_days(_add_months(self.now[:10][:8] + "01", 3), -1),
            "settled": False,
        }
        self._add("entries", entry)
        days = 0 - kept
        if not -15 <= days <= 15:
            return self._take_back("The days of an entry must be between -15 and 15.")
        new_entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "employee_id": employee_id,
            "kind": "moved",
            "month": self.now[:10][:8] + "01",
            "days": days,
            "lapses_on": None,
            "settled": False,
        }
        self._add("entries", new_entry)
        if self._breaks_rule_2(self.employees[entry["employee_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.employees[new_entry["employee_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_9(entry):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(new_entry):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_x(entry):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_x(new_entry):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_e(self.employees[entry["employee_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_e(self.employees[new_entry["employee_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: carry the days of {employee['name']} over into the year from {year_starts} (new: entry "
                f"{entry['id']}, entry {new_entry['id']})."
            ),
            "data": {"entry_id": entry["id"], "new_entry_id": new_entry["id"], **self._changes()},
        }

    def lapse_carried(self, entry_id: str) -> Result:
        """Let the carried-over days lapse that were not used by their day.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["kind"] != "carried" or entry["lapses_on"] is None:
            return _refused("Only carried-over days lapse.")
        if entry["settled"]:
            return _refused(f"The carried-over days of {self.employees[entry['employee_id']]['name']} are settled.")
        if entry["lapses_on"] >= self.now[:10]:
            return _refused(
                f"The carried-over days of {self.employees[entry['employee_id']]['name']} are valid until "
                f"{entry['lapses_on']}."
            )
        if self._employee_balance(self.employees[entry["employee_id"]]) < self._unused(entry):
            return _refused(
                f"{self.employees[entry['employee_id']]['name']} has "
                f"{self._employee_balance(self.employees[entry['employee_id']])} days left and "
                f"{self._unused(entry)} would lapse; cancel a leave first."
            )
        done = f"let the unused carried-over days of {self.employees[entry['employee_id']]['name']} lapse"
        self._journal = []
        added_entries: list[Any] = []
        gone = self._unused(entry)
        self._put("entries", entry, "settled", True)
        if gone > 0:
            days = -gone
            if not -15 <= days <= 15:
                return self._take_back("The days of an entry must be between -15 and 15.")
            new_entry = {
                "id": self._new_id("entry", "ENTRY", self.entries),
                "employee_id": entry["employee_id"],
                "kind": "lapsed",
                "month": self.now[:10][:8] + "01",
                "days": days,
                "lapses_on": None,
                "settled": False,
            }
            self._add("entries", new_entry)
            added_entries.append(new_entry)
        for one_employee in _distinct([self.employees[one["employee_id"]] for one in added_entries]):
            if self._breaks_rule_2(one_employee):
                return self._take_back(RULES[1])
        for one_entry in _distinct(added_entries):
            if self._breaks_rule_9(one_entry):
                return self._take_back(RULES[8])
        for one_entry in _distinct(added_entries):
            if self._breaks_rule_10_x(one_entry):
                return self._take_back(RULES[9])
        for one_employee in _distinct([self.employees[one["employee_id"]] for one in added_entries]):
            if self._breaks_rule_10_e(one_employee):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def prolong_carried(self, entry_id: str, until: Date) -> Result:
        """Keep carried-over days alive for longer, for somebody who was ill for at least five certified days.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.
            until (str): New day on which the carried-over days lapse, later than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["kind"] != "carried" or entry["lapses_on"] is None:
            return _refused("Only carried-over days can be prolonged.")
        if entry["settled"]:
            return _refused(f"The carried-over days of {self.employees[entry['employee_id']]['name']} are settled.")
        if self._sick_days(self.employees[entry["employee_id"]]) < 5:
            return _refused(
                f"{self.employees[entry['employee_id']]['name']} was ill for "
                f"{self._sick_days(self.employees[entry['employee_id']])} certified days, fewer than five."
            )
        if entry["lapses_on"] >= until or until > _plus_days(entry["lapses_on"], 275):
            return _refused(
                f"The new day lies after {entry['lapses_on']} and not after {_plus_days(entry['lapses_on'], 275)}."
            )
        self._journal = []
        self._put("entries", entry, "lapses_on", until)
        if self._breaks_rule_10_x(entry):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: prolong the carried-over days of {self.employees[entry['employee_id']]['name']} until "
                f"{until}."
            ),
            "data": self._changes(),
        }

    def _show_team(self, team: Team) -> dict[str, Any]:
        """The team as an answer shows it."""
        return {**team, "size": self._team_size(team)}

    def _show_employee(self, employee: Employee) -> dict[str, Any]:
        """The employee as an answer shows it."""
        return {
            **employee,
            "credited": self._employee_credited(employee),
            "used": self._employee_used(employee),
            "balance": self._employee_balance(employee),
        }

    def _show_leave(self, leave: Leave) -> dict[str, Any]:
        """The leave as an answer shows it."""
        return {**leave, "days": self._leave_days(leave)}

    def _names_of_employees(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that employees point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.employees, "name", [row["boss_id"] for row in shown]),
        )

    def _names_of_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entries point to."""
        return _names((self.employees, "name", [row["employee_id"] for row in shown]))

    def _names_of_leaves(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leaves point to."""
        return _names(
            (self.employees, "name", [row["employee_id"] for row in shown]),
            (self.employees, "name", [row["delegate_id"] for row in shown]),
            (self.employees, "name", [row["decided_by_id"] for row in shown]),
        )

    def _names_of_sick_notes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sick notes point to."""
        return _names((self.employees, "name", [row["employee_id"] for row in shown]))

    def _team_size(self, team: Team) -> int:
        """The size of a team."""
        return len(self._employees_by_team.get(team["id"], {}))

    def _employee_credited(self, employee: Employee) -> int:
        """The credited of an employee."""
        return sum(x["days"] for x in self._entries_by_employee.get(employee["id"], {}).values())

    def _employee_used(self, employee: Employee) -> int:
        """The used of an employee."""
        return sum(
            self._leave_days(l)
            for l in self._leaves_by_employee_kind_status.get((employee["id"], "annual", "approved"), {}).values()
        )

    def _employee_balance(self, employee: Employee) -> int:
        """The balance of an employee."""
        return self._employee_credited(employee) - self._employee_used(employee)

    def _leave_days(self, leave: Leave) -> int:
        """The days of a leave."""
        return sum(
            1
            for d in _dates(leave["starts"], _plus_days(leave["ends"], 1))
            if self._workday(d)
            and not self._proven_sick(self.employees[leave["employee_id"]], d)
        )

    def _workday(self, d: str) -> bool:
        return _weekday(d) <= 5 and not self._holidays_by_on.get(d, {})

    def _proven_sick(self, e: Employee, d: str) -> bool:
        return any(
            n["certificate"]
            and (n["starts"] <= d and d <= n["ends"])
            for n in self._sick_notes_by_employee.get(e["id"], {}).values()
        )

    def _away(self, t: Team, d: str) -> int:
        return sum(
            1
            for _employee in self._employees_by_team.get(t["id"], {}).values()
            for l in self._leaves_by_employee_status.get((_employee["id"], "approved"), {}).values()
            if (l["starts"] <= d and d <= l["ends"])
        )

    def _thin_on(self, t: Team, a: str, b: str) -> str | None:
        return next(
            (
                d
                for d in _dates(a, _plus_days(b, 1))
                if self._workday(d)
                and self._team_size(t) - self._away(t, d) - 1 < t["at_least"]
            ),
            None,
        )

    def _off(self, e: Employee, a: str, b: str) -> Leave | None:
        return next(
            (
                l
                for l in sorted(self._leaves_by_employee_status.get((e["id"], "approved"), {}).values(), key=_age)
                if l["starts"] <= b
                and a <= l["ends"]
            ),
            None,
        )

    def _covers(self, e: Employee, a: str, b: str) -> Leave | None:
        return next(
            (
                l
                for l in sorted(self._leaves_by_delegate_status.get((e["id"], "approved"), {}).values(), key=_age)
                if l["starts"] <= b
                and a <= l["ends"]
            ),
            None,
        )

    def _may_decide(self, by: Employee, e: Employee, d: str) -> bool:
        return (
            by is not e
            and (
                by in _above(self.employees, e, "boss_id")
                or any(
                    x["delegate_id"] == by["id"]
                    and (x["starts"] <= d and d <= x["ends"])
                    and self.employees[x["employee_id"]] in _above(self.employees, e, "boss_id")
                    for x in self._leaves_by_status.get("approved", {}).values()
                )
            )
        )

    def _unused(self, x: Entry) -> int:
        return max(
            0,
            x["days"] - sum(
                self._leave_days(l)
                for l in self._leaves_by_employee_kind_status.get(
                    (x["employee_id"], "annual", "approved"),
                    {},
                ).values()
                if x["lapses_on"] is not None
                and x["month"] <= l["starts"]
                and l["starts"] <= x["lapses_on"]
            ),
        )

    def _of_last_year(self, e: Employee, d: str) -> int:
        return min(
            self._employee_balance(e),
            sum(x["days"] for x in self._entries_by_employee.get(e["id"], {}).values() if x["month"] < d) - sum(
                self._leave_days(l)
                for l in self._leaves_by_employee_kind_status.get((e["id"], "annual", "approved"), {}).values()
                if l["starts"] < d
            ),
        )

    def _sick_days(self, e: Employee) -> int:
        return sum(
            _days_between(n["starts"], n["ends"]) + 1
            for n in self._sick_notes_by_employee.get(e["id"], {}).values()
            if n["certificate"]
        )

    def _breaks_rule_1(self, a: Leave) -> bool:
        """Whether this is broken: an employee has one leave at a time."""
        return (
            a["status"] in ("asked", "approved")
            and any(
                _overlap(a["starts"], _plus_days(a["ends"], 1), b["starts"], _plus_days(b["ends"], 1))
                for b in self._leaves_by_employee.get(a["employee_id"], {}).values()
                if a is not b
                and b["status"] in ("asked", "approved")
            )
        )

    def _breaks_rule_2(self, e: Employee) -> bool:
        """Whether this is broken: nobody takes more annual leave than was credited."""
        return self._employee_balance(e) < 0

    def _breaks_rule_3(self, l: Leave) -> bool:
        """Whether this is broken: on working days a team never falls below its minimum because of leave."""
        return (
            l["status"] == "approved"
            and not all(
                self._team_size(self.teams[self.employees[l["employee_id"]]["team_id"]]) - self._away(
                    self.teams[self.employees[l["employee_id"]]["team_id"]],
                    d,
                ) >= self.teams[self.employees[l["employee_id"]]["team_id"]]["at_least"]
                for d in _dates(l["starts"], _plus_days(l["ends"], 1))
                if self._workday(d)
            )
        )

    def _breaks_rule_4(self, l: Leave) -> bool:
        """Whether this is broken: a delegate is another member of the same team."""
        return not (
            l["delegate_id"] is None
            or l["delegate_id"] != l["employee_id"]
            and self.employees[l["delegate_id"]]["team_id"] == self.employees[l["employee_id"]]["team_id"]
        )

    def _breaks_rule_5_a(self, a: Leave) -> bool:
        """Whether this is broken: a delegate has no leave while they stand in for somebody."""
        return (
            a["status"] == "approved"
            and any(
                _overlap(a["starts"], _plus_days(a["ends"], 1), b["starts"], _plus_days(b["ends"], 1))
                for b in self._leaves_by_employee_status.get((a["delegate_id"], "approved"), {}).values()
            )
        )

    def _breaks_rule_5_b(self, b: Leave) -> bool:
        """Whether this is broken: a delegate has no leave while they stand in for somebody."""
        return (
            b["status"] == "approved"
            and any(
                _overlap(a["starts"], _plus_days(a["ends"], 1), b["starts"], _plus_days(b["ends"], 1))
                for a in self._leaves_by_delegate_status.get((b["employee_id"], "approved"), {}).values()
            )
        )

    def _breaks_rule_6(self, l: Leave) -> bool:
        """Whether this is broken: an approved leave of more than two days has a delegate."""
        return l["status"] == "approved" and (l["delegate_id"] is None and _days_between(l["starts"], l["ends"]) >= 2)

    def _breaks_rule_7(self, l: Leave) -> bool:
        """Whether this is broken: a decided leave says who decided, and nobody decides about their own."""
        return (
            (l["status"] in ("asked", "withdrawn")) != (l["decided_by_id"] is None)
            or l["decided_by_id"] == l["employee_id"]
        )

    def _breaks_rule_8(self, e: Employee) -> bool:
        """Whether this is broken: nobody has more than five days of study leave."""
        return sum(
            self._leave_days(l)
            for l in self._leaves_by_employee_kind_status.get((e["id"], "study", "approved"), {}).values()
        ) > 5

    def _breaks_rule_9(self, x: Entry) -> bool:
        """Whether this is broken: a month is credited once to each employee."""
        return (
            x["kind"] == "accrual"
            and any(
                other_x is not x
                for other_x in self._entries_by_employee_kind.get((x["employee_id"], "accrual"), {}).values()
                if other_x["month"] == x["month"]
            )
        )

    def _breaks_rule_10_x(self, x: Entry) -> bool:
        """Whether this is broken: only days that were carried over lapse."""
        return (x["kind"] == "carried") != (x["lapses_on"] is not None)

    def _breaks_rule_10_e(self, e: Employee) -> bool:
        """Whether this is broken: only days that were carried over lapse."""
        return sum(
            x["days"]
            for x in self._entries_by_employee.get(e["id"], {}).values()
            if x["kind"] in ("carried", "lapsed")
        ) < 0

    def _breaks_rule_11(self, a: SickNote) -> bool:
        """Whether this is broken: the sick notes of an employee do not overlap."""
        return any(
            _overlap(a["starts"], _plus_days(a["ends"], 1), b["starts"], _plus_days(b["ends"], 1))
            for b in self._sick_notes_by_employee.get(a["employee_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_12_l(self, l: Leave) -> bool:
        """Whether this is broken: what ends does not end before it begins."""
        return l["starts"] > l["ends"] or l["ends"] > _plus_days(l["starts"], 30)

    def _breaks_rule_12_n(self, n: SickNote) -> bool:
        """Whether this is broken: what ends does not end before it begins."""
        return n["starts"] > n["ends"] or n["ends"] > _plus_days(n["starts"], 42)

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
            case "employees":
                self._employees_by_boss.setdefault(record["boss_id"], {})[record["id"]] = record
                self._employees_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "holidays":
                self._holidays_by_on.setdefault(record["on"], {})[record["id"]] = record
            case "entries":
                self._entries_by_employee.setdefault(record["employee_id"], {})[record["id"]] = record
                self._entries_by_employee_kind.setdefault(
                    (record["employee_id"], record["kind"]),
                    {},
                )[record["id"]] = record
            case "leaves":
                self._leaves_by_delegate_status.setdefault(
                    (record["delegate_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._leaves_by_employee.setdefault(record["employee_id"], {})[record["id"]] = record
                self._leaves_by_employee_kind_status.setdefault(
                    (record["employee_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._leaves_by_employee_status.setdefault(
                    (record["employee_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._leaves_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "sick_notes":
                self._sick_notes_by_employee.setdefault(record["employee_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "employees":
                del self._employees_by_boss[record["boss_id"]][record["id"]]
                del self._employees_by_team[record["team_id"]][record["id"]]
            case "holidays":
                del self._holidays_by_on[record["on"]][record["id"]]
            case "entries":
                del self._entries_by_employee[record["employee_id"]][record["id"]]
                del self._entries_by_employee_kind[record["employee_id"], record["kind"]][record["id"]]
            case "leaves":
                del self._leaves_by_delegate_status[record["delegate_id"], record["status"]][record["id"]]
                del self._leaves_by_employee[record["employee_id"]][record["id"]]
                del self._leaves_by_employee_kind_status[
                    record["employee_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._leaves_by_employee_status[record["employee_id"], record["status"]][record["id"]]
                del self._leaves_by_status[record["status"]][record["id"]]
            case "sick_notes":
                del self._sick_notes_by_employee[record["employee_id"]][record["id"]]
