"""Thesis supervision. Compiled from blueprint.yaml; run `envscaler build thesis_supervision` after changing it there.

Follows theses from the proposal through supervision and milestones to a defence before a committee without
conflicts of interest.
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
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Nobody supervises more than their capacity, where a first supervision counts two and a second one.",
    "A student has one thesis under way at a time.",
    "An accepted thesis has a supervisor of its field and a last day.",
    "The second supervisor is somebody else, and professors lead doctoral theses.",
    "Nobody supervises or examines a student in whom they have an interest.",
    "The steps of a thesis are numbered once, are due one after the other and are done in order.",
    "A thesis is handed in only when every step is done, and a defence belongs to it from then on.",
    "A committee has one person per role, nobody twice, and no supervisor of the thesis.",
    "Members of a committee have no interest in each other.",
    "A professor chairs, and an external member comes from another faculty than the supervisor.",
    "A planned defence has a complete committee, a time and a room of its own.",
    "Nobody sits in two defences at the same time.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "propose_thesis",
    "return_proposal",
    "accept_proposal",
    "change_supervisor",
    "complete_step",
    "extend_deadline",
    "submit_thesis",
    "nominate_member",
    "schedule_defence",
    "record_result",
    "declare_interest",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "units": ("name",),
    "scholars": ("name",),
    "students": ("name",),
    "thesises": ("title",),
    "milestones": (),
    "interests": (),
    "defences": (),
    "seats": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("defences", "at"),
    ("defences", "room"),
    ("defences", "status"),
    ("defences", "thesis_id"),
    ("interests", "other_id"),
    ("interests", "scholar_id"),
    ("interests", "student_id"),
    ("milestones", "thesis_id"),
    ("scholars", "unit_id"),
    ("seats", "defence_id"),
    ("seats", "role"),
    ("seats", "scholar_id"),
    ("thesises", "second_id"),
    ("thesises", "student_id"),
    ("thesises", "supervisor_id"),
    ("thesises", "title"),
    ("units", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Unit(TypedDict):
    id: str
    name: str
    within_id: str | None


class Scholar(TypedDict):
    id: str
    name: str
    unit_id: str
    rank: Literal["professor", "lecturer", "postdoc"]
    fields: list[Literal["robotics", "materials", "history", "linguistics", "genetics", "ecology"]]
    capacity: int


class Student(TypedDict):
    id: str
    name: str
    level: Literal["bachelor", "master", "doctoral"]
    credits: int


class Thesis(TypedDict):
    id: str
    title: str
    student_id: str
    field: Literal["robotics", "materials", "history", "linguistics", "genetics", "ecology"]
    supervisor_id: str | None
    second_id: str | None
    due: str | None
    extensions: int
    grade: int | None
    status: Literal["proposed", "accepted", "returned", "submitted", "passed", "failed"]


class Milestone(TypedDict):
    id: str
    thesis_id: str
    step: int
    due: str
    done_on: str | None


class Interest(TypedDict):
    id: str
    scholar_id: str
    other_id: str | None
    student_id: str | None
    reason: Literal["kinship", "joint_paper", "employment"]


class Defence(TypedDict):
    id: str
    thesis_id: str
    at: str | None
    room: Literal["senate_room", "library_hall", "room_12", "room_14"] | None
    status: Literal["forming", "planned", "held"]


class Seat(TypedDict):
    id: str
    defence_id: str
    scholar_id: str
    role: Literal["chair", "examiner", "external"]
    mark: int | None


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


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


class ThesisSupervision:
    """Follows theses from the proposal through supervision and milestones to a defence before a committee
    without conflicts of interest.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.units: dict[str, Unit] = _copied(config.get("units", {}))
        self.scholars: dict[str, Scholar] = _copied(config.get("scholars", {}))
        self.students: dict[str, Student] = _copied(config.get("students", {}))
        self.thesises: dict[str, Thesis] = _copied(config.get("thesises", {}))
        self.milestones: dict[str, Milestone] = _copied(config.get("milestones", {}))
        self.interests: dict[str, Interest] = _copied(config.get("interests", {}))
        self.defences: dict[str, Defence] = _copied(config.get("defences", {}))
        self.seats: dict[str, Seat] = _copied(config.get("seats", {}))
        self.now: str = config.get("now", "2026-04-13T13:30")
        self.counters: dict[str, int] = {
            "unit": len(self.units),
            "scholar": len(self.scholars),
            "student": len(self.students),
            "thesis": len(self.thesises),
            "milestone": len(self.milestones),
            "interest": len(self.interests),
            "defence": len(self.defences),
            "seat": len(self.seats),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._units_by_within: dict[Any, dict[str, Unit]] = {}
        self._scholars_by_unit: dict[Any, dict[str, Scholar]] = {}
        self._thesises_by_lower_title: dict[Any, dict[str, Thesis]] = {}
        self._thesises_by_second: dict[Any, dict[str, Thesis]] = {}
        self._thesises_by_student: dict[Any, dict[str, Thesis]] = {}
        self._thesises_by_student_second: dict[Any, dict[str, Thesis]] = {}
        self._thesises_by_student_supervisor: dict[Any, dict[str, Thesis]] = {}
        self._thesises_by_supervisor: dict[Any, dict[str, Thesis]] = {}
        self._thesises_by_title: dict[Any, dict[str, Thesis]] = {}
        self._milestones_by_thesis: dict[Any, dict[str, Milestone]] = {}
        self._interests_by_scholar: dict[Any, dict[str, Interest]] = {}
        self._interests_by_scholar_other: dict[Any, dict[str, Interest]] = {}
        self._interests_by_scholar_student: dict[Any, dict[str, Interest]] = {}
        self._interests_by_student: dict[Any, dict[str, Interest]] = {}
        self._defences_by_at_room_status: dict[Any, dict[str, Defence]] = {}
        self._defences_by_room_status: dict[Any, dict[str, Defence]] = {}
        self._defences_by_thesis: dict[Any, dict[str, Defence]] = {}
        self._seats_by_defence: dict[Any, dict[str, Seat]] = {}
        self._seats_by_defence_role: dict[Any, dict[str, Seat]] = {}
        self._seats_by_defence_scholar: dict[Any, dict[str, Seat]] = {}
        self._seats_by_scholar: dict[Any, dict[str, Seat]] = {}
        for unit in self.units.values():
            self._link("units", unit)
        for scholar in self.scholars.values():
            self._link("scholars", scholar)
        for thesis in self.thesises.values():
            self._link("thesises", thesis)
        for milestone in self.milestones.values():
            self._link("milestones", milestone)
        for interest in self.interests.values():
            self._link("interests", interest)
        for defence in self.defences.values():
            self._link("defences", defence)
        for seat in self.seats.values():
            self._link("seats", seat)

    def possible_supervisors(
        self,
        thesis_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who could lead a thesis, those with most capacity left first.

        Args:
            thesis_id (str): Id of the thesis, such as THESIS-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scholars": records}} or {"success": False, "error": why
                not}
        """
        thesis = self.thesises.get(thesis_id)
        if thesis is None:
            return _refused(f"There is no thesis {thesis_id!r}.")
        found = [
            a
            for a in self.scholars.values()
            if self._may_lead(a, thesis)
            and self._scholar_load(a) + 2 <= a["capacity"]
            and (a["id"] != thesis["supervisor_id"] and a["id"] != thesis["second_id"])
        ]
        found.sort(key=lambda a: (-(a["capacity"] - self._scholar_load(a)), a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "scholars": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "rank": a["rank"],
                        "unit": self.units[a["unit_id"]]["name"],
                        "left": a["capacity"] - self._scholar_load(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def possible_members(
        self,
        defence_id: str,
        role: Literal["chair", "examiner", "external"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who could take a role on the committee of a thesis, those with the fewest duties on open committees first.

        Args:
            defence_id (str): Id of the defence, such as DEFENCE-00001.
            role (str): Role on the committee that is to be filled: chair, examiner or external.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scholars": records}} or {"success": False, "error": why
                not}
        """
        defence = self.defences.get(defence_id)
        if defence is None:
            return _refused(f"There is no defence {defence_id!r}.")
        found = [
            a
            for a in self.scholars.values()
            if self._fits_seat(a, defence, role)
            and (defence["at"] is None or self._busy(a, defence, defence["at"]) is None)
        ]
        found.sort(key=lambda a: (self._duties(a), a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "scholars": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "faculty": self._faculty(self.units[a["unit_id"]])["name"],
                        "duties": self._duties(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def people_of_unit(self, unit_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who works in a faculty or institute and what lies below it.

        Args:
            unit_id (str): Id of the unit, such as UNIT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scholars": records}} or {"success": False, "error": why
                not}
        """
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        found = [
            a
            for a in _distinct(
                [
                    a
                    for key in [unit_id, *[record["id"] for record in _below(self._units_by_within, unit)]]
                    for a in self._scholars_by_unit.get(key, {}).values()
                ]
            )
        ]
        found.sort(key=lambda a: (a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "scholars": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "unit": self.units[a["unit_id"]]["name"],
                        "rank": a["rank"],
                        "left": a["capacity"] - self._scholar_load(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_units(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the units, oldest first, all of them or only some.

        Args:
            name (str, optional): Only units whose name contains this text.
            within_id (str, optional): Only units within this unit.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "units": records}}
        """
        if within_id is not None and within_id not in self.units:
            return _refused(f"There is no unit {within_id!r}.")
        found = [
            unit
            for unit in self.units.values()
            if (name is None or name.casefold() in unit["name"].casefold())
            and (within_id is None or unit["within_id"] == within_id)
        ]
        shown = [{**unit} for unit in _page(found, offset)]
        return _found({"total": len(found), "units": shown}, self._names_of_units(shown))

    def list_scholars(
        self,
        name: Text | None = None,
        unit_id: str | None = None,
        rank: Literal["professor", "lecturer", "postdoc"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the scholars, oldest first, all of them or only some.

        Args:
            name (str, optional): Only scholars whose name contains this text.
            unit_id (str, optional): Only scholars of this unit.
            rank (str, optional): Only scholars with this rank.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scholars": records}}
        """
        if unit_id is not None and unit_id not in self.units:
            return _refused(f"There is no unit {unit_id!r}.")
        found = [
            scholar
            for scholar in self.scholars.values()
            if (name is None or name.casefold() in scholar["name"].casefold())
            and (unit_id is None or scholar["unit_id"] == unit_id)
            and (rank is None or scholar["rank"] == rank)
        ]
        shown = [self._show_scholar(scholar) for scholar in _page(found, offset)]
        return _found({"total": len(found), "scholars": shown}, self._names_of_scholars(shown))

    def list_students(
        self,
        name: Text | None = None,
        level: Literal["bachelor", "master", "doctoral"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the students, oldest first, all of them or only some.

        Args:
            name (str, optional): Only students whose name contains this text.
            level (str, optional): Only students with this level.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "students": records}}
        """
        found = [
            student
            for student in self.students.values()
            if (name is None or name.casefold() in student["name"].casefold())
            and (level is None or student["level"] == level)
        ]
        return _found({"total": len(found), "students": [{**student} for student in _page(found, offset)]})

    def list_thesises(
        self,
        title: Text | None = None,
        student_id: str | None = None,
        field: Literal["robotics", "materials", "history", "linguistics", "genetics", "ecology"] | None = None,
        supervisor_id: str | None = None,
        second_id: str | None = None,
        status: Literal["proposed", "accepted", "returned", "submitted", "passed", "failed"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the thesises, oldest first, all of them or only some.

        Args:
            title (str, optional): Only thesises whose title contains this text.
            student_id (str, optional): Only thesises of this student.
            field (str, optional): Only thesises with this field.
            supervisor_id (str, optional): Only thesises whose supervisor is this scholar.
            second_id (str, optional): Only thesises whose second is this scholar.
            status (str, optional): Only thesises with this status.
            due_from (str, optional): Only thesises whose `due` is on this day or later.
            due_to (str, optional): Only thesises whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "thesises": records}}
        """
        if student_id is not None and student_id not in self.students:
            return _refused(f"There is no student {student_id!r}.")
        if supervisor_id is not None and supervisor_id not in self.scholars:
            return _refused(f"There is no scholar {supervisor_id!r}.")
        if second_id is not None and second_id not in self.scholars:
            return _refused(f"There is no scholar {second_id!r}.")
        found = [
            thesis
            for thesis in self.thesises.values()
            if (title is None or title.casefold() in thesis["title"].casefold())
            and (student_id is None or thesis["student_id"] == student_id)
            and (field is None or thesis["field"] == field)
            and (supervisor_id is None or thesis["supervisor_id"] == supervisor_id)
            and (second_id is None or thesis["second_id"] == second_id)
            and (status is None or thesis["status"] == status)
            and (due_from is None or (thesis["due"] is not None and thesis["due"] >= due_from))
            and (due_to is None or (thesis["due"] is not None and thesis["due"] <= due_to))
        ]
        shown = [{**thesis} for thesis in _page(found, offset)]
        return _found({"total": len(found), "thesises": shown}, self._names_of_thesises(shown))

    def list_milestones(
        self,
        thesis_id: str | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the milestones, oldest first, all of them or only some.

        Args:
            thesis_id (str, optional): Only milestones of this thesis.
            due_from (str, optional): Only milestones whose `due` is on this day or later.
            due_to (str, optional): Only milestones whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "milestones": records}}
        """
        if thesis_id is not None and thesis_id not in self.thesises:
            return _refused(f"There is no thesis {thesis_id!r}.")
        found = [
            milestone
            for milestone in self.milestones.values()
            if (thesis_id is None or milestone["thesis_id"] == thesis_id)
            and (due_from is None or milestone["due"] >= due_from)
            and (due_to is None or milestone["due"] <= due_to)
        ]
        shown = [{**milestone} for milestone in _page(found, offset)]
        return _found({"total": len(found), "milestones": shown}, self._names_of_milestones(shown))

    def list_interests(
        self,
        scholar_id: str | None = None,
        other_id: str | None = None,
        student_id: str | None = None,
        reason: Literal["kinship", "joint_paper", "employment"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the interests, oldest first, all of them or only some.

        Args:
            scholar_id (str, optional): Only interests of this scholar.
            other_id (str, optional): Only interests whose other is this scholar.
            student_id (str, optional): Only interests of this student.
            reason (str, optional): Only interests with this reason.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "interests": records}}
        """
        if scholar_id is not None and scholar_id not in self.scholars:
            return _refused(f"There is no scholar {scholar_id!r}.")
        if other_id is not None and other_id not in self.scholars:
            return _refused(f"There is no scholar {other_id!r}.")
        if student_id is not None and student_id not in self.students:
            return _refused(f"There is no student {student_id!r}.")
        found = [
            interest
            for interest in self.interests.values()
            if (scholar_id is None or interest["scholar_id"] == scholar_id)
            and (other_id is None or interest["other_id"] == other_id)
            and (student_id is None or interest["student_id"] == student_id)
            and (reason is None or interest["reason"] == reason)
        ]
        shown = [{**interest} for interest in _page(found, offset)]
        return _found({"total": len(found), "interests": shown}, self._names_of_interests(shown))

    def list_defences(
        self,
        thesis_id: str | None = None,
        room: Literal["senate_room", "library_hall", "room_12", "room_14"] | None = None,
        status: Literal["forming", "planned", "held"] | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defences, oldest first, all of them or only some.

        Args:
            thesis_id (str, optional): Only defences of this thesis.
            room (str, optional): Only defences with this room.
            status (str, optional): Only defences with this status.
            at_from (str, optional): Only defences whose `at` is on this day or later.
            at_to (str, optional): Only defences whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defences": records}}
        """
        if thesis_id is not None and thesis_id not in self.thesises:
            return _refused(f"There is no thesis {thesis_id!r}.")
        found = [
            defence
            for defence in self.defences.values()
            if (thesis_id is None or defence["thesis_id"] == thesis_id)
            and (room is None or defence["room"] == room)
            and (status is None or defence["status"] == status)
            and (at_from is None or (defence["at"] is not None and defence["at"][:10] >= at_from))
            and (at_to is None or (defence["at"] is not None and defence["at"][:10] <= at_to))
        ]
        shown = [self._show_defence(defence) for defence in _page(found, offset)]
        return _found({"total": len(found), "defences": shown}, self._names_of_defences(shown))

    def list_seats(
        self,
        defence_id: str | None = None,
        scholar_id: str | None = None,
        role: Literal["chair", "examiner", "external"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the seats, oldest first, all of them or only some.

        Args:
            defence_id (str, optional): Only seats of this defence.
            scholar_id (str, optional): Only seats of this scholar.
            role (str, optional): Only seats with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seats": records}}
        """
        if defence_id is not None and defence_id not in self.defences:
            return _refused(f"There is no defence {defence_id!r}.")
        if scholar_id is not None and scholar_id not in self.scholars:
            return _refused(f"There is no scholar {scholar_id!r}.")
        found = [
            seat
            for seat in self.seats.values()
            if (defence_id is None or seat["defence_id"] == defence_id)
            and (scholar_id is None or seat["scholar_id"] == scholar_id)
            and (role is None or seat["role"] == role)
        ]
        shown = [{**seat} for seat in _page(found, offset)]
        return _found({"total": len(found), "seats": shown}, self._names_of_seats(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def propose_thesis(
        self,
        student_id: str,
        title: Text,
        field: Literal["robotics", "materials", "history", "linguistics", "genetics", "ecology"],
    ) -> Result:
        """Hand in the proposal of a thesis for a student.

        Args:
            student_id (str): Id of the student, such as STUDENT-00001.
            title (str): Title of the thesis, not in use yet.
            field (str): Research field of the thesis: robotics, materials, history, linguistics, genetics or
                ecology.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        student = self.students.get(student_id)
        if student is None:
            return _refused(f"There is no student {student_id!r}.")
        if student["credits"] < self._credits_for(student):
            return _refused(
                f"{student['name']} has {student['credits']} credits and needs {self._credits_for(student)}."
            )
        other = next(
            (
                t
                for t in sorted(self._thesises_by_student.get(student_id, {}).values(), key=_age)
                if t["status"] in ("proposed", "accepted", "submitted", "passed")
            ),
            None,
        )
        if other is not None:
            return _refused(f"{student['name']} has the thesis {other['title']}, which is {other['status']}.")
        if self._thesises_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a thesis {title} already.")
        self._journal = []
        thesis: Thesis = {
            "id": self._new_id("thesis", "THESIS", self.thesises),
            "title": title,
            "student_id": student_id,
            "field": field,
            "supervisor_id": None,
            "second_id": None,
            "due": None,
            "extensions": 0,
            "grade": None,
            "status": "proposed",
        }
        self._add("thesises", thesis)
        if len(self._thesises_by_title.get(thesis["title"], {})) > 1:
            return self._take_back(f"There is already a thesis with the title {thesis['title']!r}.")
        for one_scholar in _distinct(
            [self.scholars.get(thesis["supervisor_id"]), self.scholars.get(thesis["second_id"])]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(thesis):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(thesis):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_t(thesis):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_t_again(thesis):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_t(thesis):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(thesis):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: propose {title} for {student['name']} (new: thesis {thesis['id']}).",
            "data": {"thesis_id": thesis["id"], **self._changes()},
        }

    def return_proposal(self, thesis_id: str) -> Result:
        """Return a proposal, or break off an accepted thesis whose last day has passed; the student may propose
        something else.

        Args:
            thesis_id (str): Id of the thesis, such as THESIS-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thesis = self.thesises.get(thesis_id)
        if thesis is None:
            return _refused(f"There is no thesis {thesis_id!r}.")
        if thesis["status"] not in ("proposed", "accepted"):
            return _refused(f"{thesis['title']} is {thesis['status']}.")
        if not (thesis["status"] == "proposed" or thesis["due"] is not None and thesis["due"] < self.now[:10]):
            return _refused(
                f"{thesis['title']} is accepted, and only once its last day has passed can it be broken off."
            )
        self._journal = []
        self._put("thesises", thesis, "status", "returned")
        for one_scholar in _distinct(
            [self.scholars.get(thesis["supervisor_id"]), self.scholars.get(thesis["second_id"])]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(thesis):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(thesis):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_t(thesis):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(thesis):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: return {thesis['title']} to {self.students[thesis['student_id']]['name']}.",
            "data": self._changes(),
        }

    def accept_proposal(
        self,
        thesis_id: str,
        supervisor_id: str,
        due: Date,
        steps: Annotated[list[Date], {"maxItems": 20}],
        second_id: str | None = None,
    ) -> Result:
        """Accept a proposal with its supervisors, its last day and the days on which its steps are due.

        Args:
            thesis_id (str): Id of the thesis, such as THESIS-00001.
            supervisor_id (str): Professor or lecturer of the field who supervises first, professors only for
                doctorates; an id such as SCHOLAR-00001.
            due (str): Last day for handing the thesis in, as YYYY-MM-DD.
            steps (list): Days on which the steps are due, one to six different ones after today, as YYYY-MM-DD.
            second_id (str, optional): Other scholar who supervises as well; an id such as SCHOLAR-00001. If left
                out, there is no second supervisor.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thesis = self.thesises.get(thesis_id)
        if thesis is None:
            return _refused(f"There is no thesis {thesis_id!r}.")
        supervisor = self.scholars.get(supervisor_id)
        if supervisor is None:
            return _refused(f"There is no scholar {supervisor_id!r}.")
        second = self.scholars.get(second_id) if second_id is not None else None
        if second_id is not None and second is None:
            return _refused(f"There is no scholar {second_id!r}.")
        if thesis["status"] != "proposed":
            return _refused(f"{thesis['title']} is {thesis['status']}.")
        if thesis["field"] not in supervisor["fields"]:
            return _refused(f"{supervisor['name']} does not supervise {thesis['field']}.")
        if supervisor["rank"] != "professor" and supervisor["rank"] != "lecturer":
            return _refused(f"{supervisor['name']} is a {supervisor['rank']} and may only be second supervisor.")
        if supervisor["rank"] != "professor" and self.students[thesis["student_id"]]["level"] == "doctoral":
            return _refused("Doctoral theses are led by professors.")
        if self._scholar_load(supervisor) + 2 > supervisor["capacity"]:
            return _refused(
                f"{supervisor['name']} has a load of {self._scholar_load(supervisor)} and a capacity of "
                f"{supervisor['capacity']}, and a first supervision counts two."
            )
        if self._partial(supervisor, self.students[thesis["student_id"]]) is not None:
            return _refused(
                f"{supervisor['name']} has declared an interest in {self.students[thesis['student_id']]['name']}."
            )
        if second_id is not None and second is supervisor:
            return _refused("The second supervisor must be somebody else.")
        if second_id is not None and self._scholar_load(second) >= second["capacity"]:
            return _refused(f"{second['name']} has no capacity left.")
        if second_id is not None and self._partial(second, self.students[thesis["student_id"]]) is not None:
            return _refused(
                f"{second['name']} has declared an interest in {self.students[thesis['student_id']]['name']}."
            )
        if not ((0 < len(steps) and len(steps) <= 6) and _different([d for d in steps])):
            return _refused("Name one to six days, each once, on which a step is due.")
        if not all(self.now[:10] < d and d <= due for d in steps):
            return _refused(f"Every step is due after {self.now[:10]} and by {due}.")
        self._journal = []
        added_milestones: list[Any] = []
        former_supervisor_id = thesis["supervisor_id"]
        self._put("thesises", thesis, "supervisor_id", supervisor_id)
        former_second_id = thesis["second_id"]
        self._put("thesises", thesis, "second_id", second_id)
        self._put("thesises", thesis, "due", due)
        number = 0
        for d in sorted(steps, key=lambda d: (d,)):
            number = number + 1
            if not 1 <= number <= 6:
                return self._take_back("The step of a milestone must be between 1 and 6.")
            milestone = {
                "id": self._new_id("milestone", "MILESTONE", self.milestones),
                "thesis_id": thesis_id,
                "step": number,
                "due": d,
                "done_on": None,
            }
            self._add("milestones", milestone)
            added_milestones.append(milestone)
        self._put("thesises", thesis, "status", "accepted")
        for one_scholar in _distinct(
            [
                self.scholars.get(thesis["supervisor_id"]),
                self.scholars.get(former_supervisor_id),
                self.scholars.get(thesis["second_id"]),
                self.scholars.get(former_second_id),
            ]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(thesis):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(thesis):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_t(thesis):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_t_again(thesis):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_t(thesis):
            return self._take_back(RULES[4])
        for one_milestone in _distinct(added_milestones):
            if self._breaks_rule_6_m(one_milestone):
                return self._take_back(RULES[5])
        for one_milestone in _distinct(added_milestones):
            if self._breaks_rule_6_a(one_milestone):
                return self._take_back(RULES[5])
        for one_milestone in _distinct(added_milestones):
            if self._breaks_rule_6_b(one_milestone):
                return self._take_back(RULES[5])
        for one_thesis in _distinct([thesis, *[self.thesises[one["thesis_id"]] for one in added_milestones]]):
            if self._breaks_rule_7(one_thesis):
                return self._take_back(RULES[6])
        for one_seat in _distinct(
            [
                user
                for one in self._defences_by_thesis.get(thesis["id"], {}).values()
                for user in self._seats_by_defence.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8_s_again_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct(
            [
                user
                for one in self._defences_by_thesis.get(thesis["id"], {}).values()
                for user in self._seats_by_defence.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_seat):
                return self._take_back(RULES[9])
        done = f"accept {thesis['title']} until {due} under {supervisor['name']}"
        if second is not None:
            done += f" and {second['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_supervisor(self, thesis_id: str, supervisor_id: str) -> Result:
        """Give a running thesis to another first supervisor.

        Args:
            thesis_id (str): Id of the thesis, such as THESIS-00001.
            supervisor_id (str): Scholar of the field who becomes first supervisor; an id such as SCHOLAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thesis = self.thesises.get(thesis_id)
        if thesis is None:
            return _refused(f"There is no thesis {thesis_id!r}.")
        supervisor = self.scholars.get(supervisor_id)
        if supervisor is None:
            return _refused(f"There is no scholar {supervisor_id!r}.")
        if not (self._running(thesis) and thesis["supervisor_id"] is not None):
            return _refused(f"{thesis['title']} is {thesis['status']}.")
        if supervisor_id == thesis["supervisor_id"]:
            return _refused(f"{supervisor['name']} supervises {thesis['title']} already.")
        if supervisor_id == thesis["second_id"]:
            return _refused(f"{supervisor['name']} is the second supervisor of {thesis['title']}.")
        if thesis["field"] not in supervisor["fields"]:
            return _refused(f"{supervisor['name']} does not supervise {thesis['field']}.")
        if supervisor["rank"] != "professor" and supervisor["rank"] != "lecturer":
            return _refused(f"{supervisor['name']} is a {supervisor['rank']} and may only be second supervisor.")
        if supervisor["rank"] != "professor" and self.students[thesis["student_id"]]["level"] == "doctoral":
            return _refused("Doctoral theses are led by professors.")
        if self._scholar_load(supervisor) + 2 > supervisor["capacity"]:
            return _refused(
                f"{supervisor['name']} has a load of {self._scholar_load(supervisor)} and a capacity of "
                f"{supervisor['capacity']}, and a first supervision counts two."
            )
        if self._partial(supervisor, self.students[thesis["student_id"]]) is not None:
            return _refused(
                f"{supervisor['name']} has declared an interest in {self.students[thesis['student_id']]['name']}."
            )
        if any(
            s["scholar_id"] == supervisor_id
            or s["role"] == "external"
            and self._faculty(
                self.units[self.scholars[s["scholar_id"]]["unit_id"]]
            ) is self._faculty(self.units[supervisor["unit_id"]])
            for _defence in self._defences_by_thesis.get(thesis_id, {}).values()
            for s in self._seats_by_defence.get(_defence["id"], {}).values()
            if self.defences[s["defence_id"]]["status"] != "held"
        ):
            return _refused(
                f"The committee of {thesis['title']} no longer fits with {supervisor['name']}, so change it first."
            )
        self._journal = []
        former_supervisor_id = thesis["supervisor_id"]
        self._put("thesises", thesis, "supervisor_id", supervisor_id)
        for one_scholar in _distinct(
            [self.scholars.get(thesis["supervisor_id"]), self.scholars.get(former_supervisor_id)]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(thesis):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_t(thesis):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_t_again(thesis):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_t(thesis):
            return self._take_back(RULES[4])
        for one_seat in _distinct(
            [
                user
                for one in self._defences_by_thesis.get(thesis["id"], {}).values()
                for user in self._seats_by_defence.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8_s_again_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct(
            [
                user
                for one in self._defences_by_thesis.get(thesis["id"], {}).values()
                for user in self._seats_by_defence.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_seat):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: give {thesis['title']} to {supervisor['name']}.",
            "data": self._changes(),
        }

    def complete_step(self, milestone_id: str) -> Result:
        """Record that the next step of a thesis is done.

        Args:
            milestone_id (str): Id of the milestone, such as MILESTONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        milestone = self.milestones.get(milestone_id)
        if milestone is None:
            return _refused(f"There is no milestone {milestone_id!r}.")
        if self.thesises[milestone["thesis_id"]]["status"] != "accepted":
            return _refused(
                f"{self.thesises[milestone['thesis_id']]['title']} is "
                f"{self.thesises[milestone['thesis_id']]['status']}."
            )
        if milestone["done_on"] is not None:
            return _refused(f"Step {milestone['step']} of {self.thesises[milestone['thesis_id']]['title']} is done.")
        if any(
            m["done_on"] is None
            for m in self._milestones_by_thesis.get(milestone["thesis_id"], {}).values()
            if m["step"] < milestone["step"]
        ):
            return _refused(f"An earlier step of {self.thesises[milestone['thesis_id']]['title']} is still open.")
        self._journal = []
        self._put("milestones", milestone, "done_on", self.now[:10])
        if self._breaks_rule_6_a(milestone):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_b(milestone):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.thesises[milestone["thesis_id"]]):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: record step {milestone['step']} of {self.thesises[milestone['thesis_id']]['title']}.",
            "data": self._changes(),
        }

    def extend_deadline(self, thesis_id: str, more: Annotated[int, {"minimum": 7, "maximum": 120}]) -> Result:
        """Give a thesis more days, twice at most; the open steps move by as many days.

        Args:
            thesis_id (str): Id of the thesis, such as THESIS-00001.
            more (int): Days added to the deadline, from 7 to 120.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thesis = self.thesises.get(thesis_id)
        if thesis is None:
            return _refused(f"There is no thesis {thesis_id!r}.")
        if thesis["status"] != "accepted" or thesis["due"] is None:
            return _refused(f"{thesis['title']} is {thesis['status']}.")
        if thesis["extensions"] >= 2:
            return _refused(f"{thesis['title']} has been extended twice.")
        self._journal = []
        changed_milestones: list[Any] = []
        self._put("thesises", thesis, "due", _plus_days(thesis["due"], more))
        extensions = thesis["extensions"] + 1
        if not 0 <= extensions <= 2:
            return self._take_back(f"The extensions of {thesis['title']} must be between 0 and 2.")
        self._put("thesises", thesis, "extensions", extensions)
        for m in sorted(
            [m for m in self._milestones_by_thesis.get(thesis_id, {}).values() if m["done_on"] is None],
            key=lambda m: (-m["step"], _age(m)),
        ):
            changed_milestones.append(m)
            self._put("milestones", m, "due", _plus_days(m["due"], more))
        if self._breaks_rule_3(thesis):
            return self._take_back(RULES[2])
        for one_milestone in _distinct(changed_milestones):
            if self._breaks_rule_6_a(one_milestone):
                return self._take_back(RULES[5])
        for one_milestone in _distinct(changed_milestones):
            if self._breaks_rule_6_b(one_milestone):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: extend {thesis['title']} by {more} days.",
            "data": self._changes(),
        }

    def submit_thesis(self, thesis_id: str) -> Result:
        """Hand in a thesis all of whose steps are done; its committee can be formed from then on.

        Args:
            thesis_id (str): Id of the thesis, such as THESIS-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thesis = self.thesises.get(thesis_id)
        if thesis is None:
            return _refused(f"There is no thesis {thesis_id!r}.")
        if thesis["status"] != "accepted" or thesis["due"] is None:
            return _refused(f"{thesis['title']} is {thesis['status']}.")
        step = self._next_step(thesis)
        if step is not None:
            return _refused(f"Step {step['step']} of {thesis['title']} is not done.")
        if self.now[:10] > thesis["due"]:
            return _refused(f"{thesis['title']} was due on {thesis['due']}, so extend it first.")
        self._journal = []
        defence: Defence = {
            "id": self._new_id("defence", "DEFENCE", self.defences),
            "thesis_id": thesis_id,
            "at": None,
            "room": None,
            "status": "forming",
        }
        self._add("defences", defence)
        self._put("thesises", thesis, "status", "submitted")
        for one_scholar in _distinct(
            [self.scholars.get(thesis["supervisor_id"]), self.scholars.get(thesis["second_id"])]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(thesis):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(thesis):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_t(thesis):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(self.thesises[defence["thesis_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(thesis):
            return self._take_back(RULES[6])
        if self._breaks_rule_11_d(defence):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_d_again(defence):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: hand in {thesis['title']} (new: defence {defence['id']}).",
            "data": {"defence_id": defence["id"], **self._changes()},
        }

    def nominate_member(
        self,
        defence_id: str,
        scholar_id: str,
        role: Literal["chair", "examiner", "external"],
    ) -> Result:
        """Name somebody for a role on a committee, in the place of whoever has it.

        Args:
            defence_id (str): Id of the defence, such as DEFENCE-00001.
            scholar_id (str): Id of the scholar, such as SCHOLAR-00001.
            role (str): Role on the committee, with professors only as chairs and externals from other faculties:
                chair, examiner or external.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defence = self.defences.get(defence_id)
        if defence is None:
            return _refused(f"There is no defence {defence_id!r}.")
        scholar = self.scholars.get(scholar_id)
        if scholar is None:
            return _refused(f"There is no scholar {scholar_id!r}.")
        if defence["status"] == "held":
            return _refused(f"The defence of {self.thesises[defence['thesis_id']]['title']} is over.")
        if self._seats_by_defence_scholar.get((defence_id, scholar_id), {}):
            return _refused(f"{scholar['name']} sits on that committee already.")
        if (
            scholar_id == self.thesises[defence["thesis_id"]]["supervisor_id"]
            or scholar_id == self.thesises[defence["thesis_id"]]["second_id"]
        ):
            return _refused(f"{scholar['name']} supervises {self.thesises[defence['thesis_id']]['title']}.")
        if self._partial(scholar, self.students[self.thesises[defence["thesis_id"]]["student_id"]]) is not None:
            return _refused(
                f"{scholar['name']} has declared an interest in "
                f"{self.students[self.thesises[defence['thesis_id']]['student_id']]['name']}."
            )
        friend = next(
            (
                self.scholars[s["scholar_id"]]
                for s in sorted(self._seats_by_defence.get(defence_id, {}).values(), key=_age)
                if s["role"] != role
                and self._tied(self.scholars[s["scholar_id"]], scholar) is not None
            ),
            None,
        )
        if friend is not None:
            return _refused(
                f"{scholar['name']} and {friend['name']} have an interest in each other, so name somebody else."
            )
        if role == "chair" and scholar["rank"] != "professor":
            return _refused(f"Only professors chair, and {scholar['name']} is a {scholar['rank']}.")
        if role == "examiner" and self.thesises[defence["thesis_id"]]["field"] not in scholar["fields"]:
            return _refused(f"{scholar['name']} does not work on {self.thesises[defence['thesis_id']]['field']}.")
        if (
            role == "external"
            and self.thesises[defence["thesis_id"]]["supervisor_id"] is not None
            and self._faculty(self.units[scholar["unit_id"]]) is self._faculty(
                self.units[self.scholars[self.thesises[defence["thesis_id"]]["supervisor_id"]]["unit_id"]]
            )
        ):
            return _refused(
                f"{scholar['name']} belongs to the faculty of the supervisor, "
                f"{self._faculty(self.units[scholar['unit_id']])['name']}."
            )
        if defence["at"] is not None and self._busy(scholar, defence, defence["at"]) is not None:
            return _refused(f"{scholar['name']} sits in another defence at that time.")
        self._journal = []
        changed_seats: list[Any] = []
        added_seats: list[Any] = []
        old = next(
            (s for s in sorted(self._seats_by_defence_role.get((defence_id, role), {}).values(), key=_age)),
            None,
        )
        if old is not None:
            changed_seats.append(old)
            self._put("seats", old, "scholar_id", scholar_id)
        else:
            seat = {
                "id": self._new_id("seat", "SEAT", self.seats),
                "defence_id": defence_id,
                "scholar_id": scholar_id,
                "role": role,
                "mark": None,
            }
            self._add("seats", seat)
            added_seats.append(seat)
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        for one_seat in _distinct(added_seats):
            if self._breaks_rule_8_s(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_8_s_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_8_s_again_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_9_a(one_seat):
                return self._take_back(RULES[8])
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_9_b(one_seat):
                return self._take_back(RULES[8])
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_10(one_seat):
                return self._take_back(RULES[9])
        for one_defence in _distinct(
            [
                *[self.defences[one["defence_id"]] for one in changed_seats],
                *[self.defences[one["defence_id"]] for one in added_seats],
            ]
        ):
            if self._breaks_rule_11_d_again(one_defence):
                return self._take_back(RULES[10])
        for one_seat in _distinct([*changed_seats, *added_seats]):
            if self._breaks_rule_12(one_seat):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: name {scholar['name']} as {role} for {self.thesises[defence['thesis_id']]['title']}.",
            "data": self._changes(),
        }

    def schedule_defence(
        self,
        defence_id: str,
        at: DateTime,
        room: Literal["senate_room", "library_hall", "room_12", "room_14"],
    ) -> Result:
        """Fix or move the time and room of a defence, at least three days ahead.

        Args:
            defence_id (str): Id of the defence, such as DEFENCE-00001.
            at (str): Start of the defence, a working day at least three days ahead, as YYYY-MM-DDTHH:MM.
            room (str): Room that is free for two hours from then: senate_room, library_hall, room_12 or room_14.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defence = self.defences.get(defence_id)
        if defence is None:
            return _refused(f"There is no defence {defence_id!r}.")
        if defence["status"] == "held":
            return _refused(f"The defence of {self.thesises[defence['thesis_id']]['title']} is over.")
        if not self._complete(defence):
            return _refused(
                f"The committee of {self.thesises[defence['thesis_id']]['title']} has "
                f"{self._defence_members(defence)} members and is not complete."
            )
        if _weekday(at[:10]) > 5:
            return _refused("Defences are held from Monday to Friday.")
        if at[:10] < _plus_days(self.now[:10], 3):
            return _refused(f"A defence is announced three days ahead, so not before {_plus_days(self.now[:10], 3)}.")
        if at == defence["at"] and room == defence["room"]:
            return _refused(
                f"The defence of {self.thesises[defence['thesis_id']]['title']} is planned like that already."
            )
        user = next(
            (
                d
                for d in sorted(self._defences_by_room_status.get((room, "planned"), {}).values(), key=_age)
                if d is not defence
                and d["at"] is not None
                and _overlap(d["at"], _plus_minutes(d["at"], 2 * 60), at, _plus_minutes(at, 2 * 60))
            ),
            None,
        )
        if user is not None:
            return _refused(f"{room} is taken by the defence of {self.thesises[user['thesis_id']]['title']}.")
        hindered = next(
            (
                self.scholars[s["scholar_id"]]
                for s in sorted(self._seats_by_defence.get(defence_id, {}).values(), key=_age)
                if self._busy(self.scholars[s["scholar_id"]], defence, at) is not None
            ),
            None,
        )
        if hindered is not None:
            return _refused(f"{hindered['name']} sits in another defence at that time.")
        self._journal = []
        changed_defences: list[Any] = []
        self._put("defences", defence, "at", at)
        self._put("defences", defence, "room", room)
        if defence["status"] == "forming":
            if defence["status"] not in ("forming", "planned"):
                return self._take_back(f"Defence {defence['id']} cannot go from {defence['status']} to planned.")
            changed_defences.append(defence)
            self._put("defences", defence, "status", "planned")
        for one_seat in _distinct(
            [user for one in changed_defences for user in self._seats_by_defence.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        for one_seat in _distinct(
            [user for one in changed_defences for user in self._seats_by_defence.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_s_again_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct(
            [user for one in changed_defences for user in self._seats_by_defence.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_a(one_seat):
                return self._take_back(RULES[8])
        for one_seat in _distinct(
            [user for one in changed_defences for user in self._seats_by_defence.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_seat):
                return self._take_back(RULES[9])
        for one_defence in _distinct([defence, *changed_defences]):
            if self._breaks_rule_11_d(one_defence):
                return self._take_back(RULES[10])
        for one_defence in _distinct([defence, *changed_defences]):
            if self._breaks_rule_11_d_again(one_defence):
                return self._take_back(RULES[10])
        for one_seat in _distinct(
            [
                *self._seats_by_defence.get(defence["id"], {}).values(),
                *[user for one in changed_defences for user in self._seats_by_defence.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_12(one_seat):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: schedule the defence of {self.thesises[defence['thesis_id']]['title']} for {at} in {room}."
            ),
            "data": self._changes(),
        }

    def record_result(
        self,
        defence_id: str,
        chair_mark: Annotated[int, {"minimum": 0, "maximum": 100}],
        examiner_mark: Annotated[int, {"minimum": 0, "maximum": 100}],
        external_mark: Annotated[int, {"minimum": 0, "maximum": 100}] | None = None,
    ) -> Result:
        """Record the marks of a defence that was held; their average decides from 50 on.

        Args:
            defence_id (str): Id of the defence, such as DEFENCE-00001.
            chair_mark (int): Mark from the chair, in points, from 0 to 100.
            examiner_mark (int): Mark from the examiner, in points, from 0 to 100.
            external_mark (int, optional): Mark from the external member in points, required where the committee
                has one, from 0 to 100. If left out, the committee must have no external member.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defence = self.defences.get(defence_id)
        if defence is None:
            return _refused(f"There is no defence {defence_id!r}.")
        if defence["status"] != "planned" or defence["at"] is None:
            return _refused(f"The defence of {self.thesises[defence['thesis_id']]['title']} is {defence['status']}.")
        if defence["at"] > self.now:
            return _refused(f"The defence of {self.thesises[defence['thesis_id']]['title']} is on {defence['at']}.")
        if (external_mark is None) != (self._seated(defence, "external") is None):
            return _refused("The external member gives a mark where there is one, and only there.")
        self._journal = []
        changed_thesises: list[Any] = []
        for s in sorted(self._seats_by_defence.get(defence_id, {}).values(), key=_age):
            if s["role"] == "chair":
                self._put("seats", s, "mark", chair_mark)
            else:
                if s["role"] == "examiner":
                    self._put("seats", s, "mark", examiner_mark)
                else:
                    self._put("seats", s, "mark", external_mark)
        grade = _rounded(
            Fraction(
                chair_mark + examiner_mark + (external_mark if external_mark is not None else 0),
                2 if external_mark is None else 3,
            )
        )
        self._put("defences", defence, "status", "held")
        thesis = self.thesises[defence["thesis_id"]]
        if not 0 <= grade <= 100:
            return self._take_back(f"The grade of {thesis['title']} must be between 0 and 100.")
        self._put("thesises", thesis, "grade", grade)
        if grade >= 50:
            its_thesis = self.thesises[defence["thesis_id"]]
            if its_thesis["status"] not in ("submitted", "passed"):
                return self._take_back(
                    f"Thesis {its_thesis['title']} cannot go from {its_thesis['status']} to passed."
                )
            changed_thesises.append(its_thesis)
            self._put("thesises", its_thesis, "status", "passed")
        else:
            its_thesis_2 = self.thesises[defence["thesis_id"]]
            if its_thesis_2["status"] not in ("submitted", "failed"):
                return self._take_back(
                    f"Thesis {its_thesis_2['title']} cannot go from {its_thesis_2['status']} to failed."
                )
            changed_thesises.append(its_thesis_2)
            self._put("thesises", its_thesis_2, "status", "failed")
        for one_scholar in _distinct(
            [
                *[self.scholars.get(one["supervisor_id"]) for one in changed_thesises],
                *[self.scholars.get(one["second_id"]) for one in changed_thesises],
            ]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        for one_thesis in _distinct(changed_thesises):
            if self._breaks_rule_2(one_thesis):
                return self._take_back(RULES[1])
        for one_thesis in _distinct(changed_thesises):
            if self._breaks_rule_3(one_thesis):
                return self._take_back(RULES[2])
        for one_thesis in _distinct(changed_thesises):
            if self._breaks_rule_5_t(one_thesis):
                return self._take_back(RULES[4])
        for one_seat in _distinct(self._seats_by_defence.get(defence["id"], {}).values()):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        for one_thesis in _distinct(changed_thesises):
            if self._breaks_rule_7(one_thesis):
                return self._take_back(RULES[6])
        for one_seat in _distinct(self._seats_by_defence.get(defence["id"], {}).values()):
            if self._breaks_rule_8_s_again_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct(self._seats_by_defence.get(defence["id"], {}).values()):
            if self._breaks_rule_9_a(one_seat):
                return self._take_back(RULES[8])
        for one_seat in _distinct(self._seats_by_defence.get(defence["id"], {}).values()):
            if self._breaks_rule_10(one_seat):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_d(defence):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_d_again(defence):
            return self._take_back(RULES[10])
        for one_seat in _distinct(self._seats_by_defence.get(defence["id"], {}).values()):
            if self._breaks_rule_12(one_seat):
                return self._take_back(RULES[11])
        done = f"record for {self.thesises[defence['thesis_id']]['title']} the marks {chair_mark} and {examiner_mark}"
        if external_mark is not None:
            done += f" and {external_mark}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def declare_interest(
        self,
        scholar_id: str,
        reason: Literal["kinship", "joint_paper", "employment"],
        other_id: str | None = None,
        student_id: str | None = None,
    ) -> Result:
        """Put on record that a scholar has an interest in a colleague or in a student; a second supervisor of that
        student steps down.

        Args:
            scholar_id (str): Id of the scholar, such as SCHOLAR-00001.
            reason (str): What ties the two people together: kinship, joint_paper or employment.
            other_id (str, optional): Colleague in whom the scholar has an interest, where no student is named; an
                id such as SCHOLAR-00001. If left out, a student must be named.
            student_id (str, optional): Student in whom the scholar has an interest, where no colleague is named;
                an id such as STUDENT-00001. If left out, a colleague must be named.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        scholar = self.scholars.get(scholar_id)
        if scholar is None:
            return _refused(f"There is no scholar {scholar_id!r}.")
        other = self.scholars.get(other_id) if other_id is not None else None
        if other_id is not None and other is None:
            return _refused(f"There is no scholar {other_id!r}.")
        student = self.students.get(student_id) if student_id is not None else None
        if student_id is not None and student is None:
            return _refused(f"There is no student {student_id!r}.")
        if (other_id is None) == (student_id is None):
            return _refused("Name either a colleague or a student.")
        if other_id is not None and other is scholar:
            return _refused("Nobody has an interest in themselves.")
        if other_id is not None and self._tied(scholar, other) is not None:
            return _refused("That is on record.")
        if student_id is not None and self._partial(scholar, student) is not None:
            return _refused("That is on record.")
        if not (
            student_id is None
            or not any(
                self._running(t)
                for t in self._thesises_by_student_supervisor.get((student_id, scholar_id), {}).values()
            )
        ):
            return _refused(f"{scholar['name']} supervises {student['name']}, so find another supervisor first.")
        if not (
            student_id is None
            or not any(
                self.thesises[self.defences[s["defence_id"]]["thesis_id"]]["student_id"] == student_id
                for s in self._seats_by_scholar.get(scholar_id, {}).values()
                if self.defences[s["defence_id"]]["status"] != "held"
            )
        ):
            return _refused(
                f"{scholar['name']} sits on the committee of {student['name']}, so name somebody else first."
            )
        if not (
            other_id is None
            or not any(
                any(o["scholar_id"] == other_id for o in self._seats_by_defence.get(s["defence_id"], {}).values())
                for s in self._seats_by_scholar.get(scholar_id, {}).values()
                if self.defences[s["defence_id"]]["status"] != "held"
            )
        ):
            return _refused(
                f"{scholar['name']} and {other['name']} sit on one committee, so name somebody else first."
            )
        self._journal = []
        changed_thesises: list[Any] = []
        former_second_ids: list[Any] = []
        for t in [
            t
            for t in sorted(self._thesises_by_student_second.get((student_id, scholar_id), {}).values(), key=_age)
            if student_id is not None
            and self._running(t)
        ]:
            changed_thesises.append(t)
            former_second_ids.append(t["second_id"])
            self._put("thesises", t, "second_id", None)
        interest: Interest = {
            "id": self._new_id("interest", "INTEREST", self.interests),
            "scholar_id": scholar_id,
            "other_id": other_id,
            "student_id": student_id,
            "reason": reason,
        }
        self._add("interests", interest)
        for one_scholar in _distinct(
            [
                *[self.scholars.get(one["second_id"]) for one in changed_thesises],
                *[self.scholars.get(key) for key in former_second_ids],
            ]
        ):
            if self._breaks_rule_1(one_scholar):
                return self._take_back(RULES[0])
        for one_thesis in _distinct(changed_thesises):
            if self._breaks_rule_4_t(one_thesis):
                return self._take_back(RULES[3])
        for one_thesis in _distinct(
            [
                *changed_thesises,
                *[
                    user
                    for one in [self.students.get(interest["student_id"])]
                    if one is not None
                    for user in self._thesises_by_student.get(interest["student_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5_t(one_thesis):
                return self._take_back(RULES[4])
        for one_seat in _distinct(self._seats_by_scholar.get(interest["scholar_id"], {}).values()):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        for one_seat in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_thesises
                    for user in self._defences_by_thesis.get(one["id"], {}).values()
                ]
                for user in self._seats_by_defence.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8_s_again_again(one_seat):
                return self._take_back(RULES[7])
        for one_seat in _distinct(self._seats_by_scholar.get(interest["scholar_id"], {}).values()):
            if self._breaks_rule_9_a(one_seat):
                return self._take_back(RULES[8])
        for one_seat in _distinct(
            [
                user
                for one in [self.scholars.get(interest["other_id"])]
                if one is not None
                for user in self._seats_by_scholar.get(interest["other_id"], {}).values()
            ]
        ):
            if self._breaks_rule_9_b(one_seat):
                return self._take_back(RULES[8])
        done = f"record {reason} of {scholar['name']}"
        if other is not None:
            done += f" with {other['name']}"
        if student is not None:
            done += f" with {student['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: interest {interest['id']}).",
            "data": {"interest_id": interest["id"], **self._changes()},
        }

    def _show_scholar(self, scholar: Scholar) -> dict[str, Any]:
        """The scholar as an answer shows it."""
        return {**scholar, "fields": [*scholar["fields"]], "load": self._scholar_load(scholar)}

    def _show_defence(self, defence: Defence) -> dict[str, Any]:
        """The defence as an answer shows it."""
        return {**defence, "members": self._defence_members(defence)}

    def _names_of_units(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that units point to."""
        return _names((self.units, "name", [row["within_id"] for row in shown]))

    def _names_of_scholars(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that scholars point to."""
        return _names((self.units, "name", [row["unit_id"] for row in shown]))

    def _names_of_thesises(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that thesises point to."""
        return _names(
            (self.students, "name", [row["student_id"] for row in shown]),
            (self.scholars, "name", [row["supervisor_id"] for row in shown]),
            (self.scholars, "name", [row["second_id"] for row in shown]),
        )

    def _names_of_milestones(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that milestones point to."""
        return _names((self.thesises, "title", [row["thesis_id"] for row in shown]))

    def _names_of_interests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that interests point to."""
        return _names(
            (self.scholars, "name", [row["scholar_id"] for row in shown]),
            (self.scholars, "name", [row["other_id"] for row in shown]),
            (self.students, "name", [row["student_id"] for row in shown]),
        )

    def _names_of_defences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defences point to."""
        return _names((self.thesises, "title", [row["thesis_id"] for row in shown]))

    def _names_of_seats(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that seats point to."""
        return _names((self.scholars, "name", [row["scholar_id"] for row in shown]))

    def _scholar_load(self, scholar: Scholar) -> int:
        """The load of a scholar."""
        return (
            2 * sum(1 for t in self._thesises_by_supervisor.get(scholar["id"], {}).values() if self._running(t))
            + sum(1 for t in self._thesises_by_second.get(scholar["id"], {}).values() if self._running(t))
        )

    def _defence_members(self, defence: Defence) -> int:
        """The members of a defence."""
        return len(self._seats_by_defence.get(defence["id"], {}))

    def _running(self, t: Thesis) -> bool:
        return t["status"] in ("accepted", "submitted")

    def _credits_for(self, s: Student) -> int:
        return 120 if s["level"] == "bachelor" else 60 if s["level"] == "master" else 30

    def _faculty(self, u: Unit) -> Unit:
        return next((a for a in _above(self.units, u, "within_id") if a["within_id"] is None), None) or u

    def _tied(self, a: Scholar, b: Scholar) -> Interest | None:
        return next(
            (
                i
                for i in sorted(
                    _distinct(
                        [i for key in [a["id"], b["id"]] for i in self._interests_by_scholar.get(key, {}).values()]
                    ),
                    key=_age,
                )
                if (
                    i["scholar_id"] == a["id"]
                    and i["other_id"] == b["id"]
                    or i["scholar_id"] == b["id"]
                    and i["other_id"] == a["id"]
                )
            ),
            None,
        )

    def _partial(self, a: Scholar, s: Student) -> Interest | None:
        return next(
            (i for i in sorted(self._interests_by_scholar_student.get((a["id"], s["id"]), {}).values(), key=_age)),
            None,
        )

    def _may_lead(self, a: Scholar, t: Thesis) -> bool:
        return (
            t["field"] in a["fields"]
            and (
                a["rank"] == "professor"
                or a["rank"] == "lecturer"
                and self.students[t["student_id"]]["level"] != "doctoral"
            )
            and self._partial(a, self.students[t["student_id"]]) is None
        )

    def _next_step(self, t: Thesis) -> Milestone | None:
        return min(
            (m for m in self._milestones_by_thesis.get(t["id"], {}).values() if m["done_on"] is None),
            key=lambda m: (m["step"], _age(m)),
            default=None,
        )

    def _seated(self, d: Defence, role: str) -> Scholar | None:
        return next(
            (
                self.scholars[s["scholar_id"]]
                for s in sorted(self._seats_by_defence_role.get((d["id"], role), {}).values(), key=_age)
            ),
            None,
        )

    def _complete(self, d: Defence) -> bool:
        return (
            self._seated(d, "chair") is not None
            and self._seated(d, "examiner") is not None
            and (
                self.students[self.thesises[d["thesis_id"]]["student_id"]]["level"] == "bachelor"
                or self._seated(d, "external") is not None
            )
        )

    def _busy(self, a: Scholar, d: Defence, at: str) -> Defence | None:
        return next(
            (
                self.defences[s["defence_id"]]
                for s in sorted(self._seats_by_scholar.get(a["id"], {}).values(), key=_age)
                if s["defence_id"] != d["id"]
                and self.defences[s["defence_id"]]["status"] == "planned"
                and self.defences[s["defence_id"]]["at"] is not None
                and _overlap(
                    self.defences[s["defence_id"]]["at"],
                    _plus_minutes(self.defences[s["defence_id"]]["at"], 2 * 60),
                    at,
                    _plus_minutes(at, 2 * 60),
                )
            ),
            None,
        )

    def _duties(self, a: Scholar) -> int:
        return sum(
            1
            for s in self._seats_by_scholar.get(a["id"], {}).values()
            if self.defences[s["defence_id"]]["status"] != "held"
        )

    def _fits_seat(self, a: Scholar, d: Defence, role: str) -> bool:
        return (
            a["id"] != self.thesises[d["thesis_id"]]["supervisor_id"]
            and a["id"] != self.thesises[d["thesis_id"]]["second_id"]
            and self._partial(a, self.students[self.thesises[d["thesis_id"]]["student_id"]]) is None
            and not any(
                s["scholar_id"] == a["id"]
                or self._tied(self.scholars[s["scholar_id"]], a) is not None
                for s in self._seats_by_defence.get(d["id"], {}).values()
                if s["role"] != role
            )
            and (role != "chair" or a["rank"] == "professor")
            and (role != "examiner" or self.thesises[d["thesis_id"]]["field"] in a["fields"])
            and (
                role != "external"
                or self.thesises[d["thesis_id"]]["supervisor_id"] is not None
                and self._faculty(self.units[a["unit_id"]]) is not self._faculty(
                    self.units[self.scholars[self.thesises[d["thesis_id"]]["supervisor_id"]]["unit_id"]]
                )
            )
        )

    def _breaks_rule_1(self, a: Scholar) -> bool:
        """Whether this is broken: nobody supervises more than their capacity, where a first supervision counts two
        and a second one.
        """
        return self._scholar_load(a) > a["capacity"]

    def _breaks_rule_2(self, t: Thesis) -> bool:
        """Whether this is broken: a student has one thesis under way at a time."""
        return (
            t["status"] in ("proposed", "accepted", "submitted")
            and any(
                other_t is not t
                for other_t in self._thesises_by_student.get(t["student_id"], {}).values()
                if other_t["status"] in ("proposed", "accepted", "submitted")
            )
        )

    def _breaks_rule_3(self, t: Thesis) -> bool:
        """Whether this is broken: an accepted thesis has a supervisor of its field and a last day."""
        return (
            t["status"] not in ("proposed", "returned")
            and (
                t["supervisor_id"] is None
                or t["due"] is None
                or t["field"] not in self.scholars[t["supervisor_id"]]["fields"]
            )
        )

    def _breaks_rule_4_t(self, t: Thesis) -> bool:
        """Whether this is broken: the second supervisor is somebody else, and professors lead doctoral theses."""
        return t["second_id"] is not None and t["second_id"] == t["supervisor_id"]

    def _breaks_rule_4_t_again(self, t: Thesis) -> bool:
        """Whether this is broken: the second supervisor is somebody else, and professors lead doctoral theses."""
        return (
            t["supervisor_id"] is not None
            and self.scholars[t["supervisor_id"]]["rank"] != "professor"
            and self.students[t["student_id"]]["level"] == "doctoral"
        )

    def _breaks_rule_5_t(self, t: Thesis) -> bool:
        """Whether this is broken: nobody supervises or examines a student in whom they have an interest."""
        return (
            self._running(t)
            and any(
                i["scholar_id"] == t["supervisor_id"]
                or i["scholar_id"] == t["second_id"]
                for i in self._interests_by_student.get(t["student_id"], {}).values()
            )
        )

    def _breaks_rule_5_s(self, s: Seat) -> bool:
        """Whether this is broken: nobody supervises or examines a student in whom they have an interest."""
        return (
            self.defences[s["defence_id"]]["status"] != "held"
            and bool(
                self._interests_by_scholar_student.get(
                    (s["scholar_id"], self.thesises[self.defences[s["defence_id"]]["thesis_id"]]["student_id"]),
                    {},
                )
            )
        )

    def _breaks_rule_6_m(self, m: Milestone) -> bool:
        """Whether this is broken: the steps of a thesis are numbered once, are due one after the other and are done
        in order.
        """
        return any(
            other_m is not m
            for other_m in self._milestones_by_thesis.get(m["thesis_id"], {}).values()
            if other_m["step"] == m["step"]
        )

    def _breaks_rule_6_a(self, a: Milestone) -> bool:
        """Whether this is broken: the steps of a thesis are numbered once, are due one after the other and are done
        in order.
        """
        return any(
            not (
                a["due"] < b["due"]
                and (b["done_on"] is None or a["done_on"] is not None and a["done_on"] <= b["done_on"])
            )
            for b in self._milestones_by_thesis.get(a["thesis_id"], {}).values()
            if a["step"] < b["step"]
        )

    def _breaks_rule_6_b(self, b: Milestone) -> bool:
        """Whether this is broken: the steps of a thesis are numbered once, are due one after the other and are done
        in order.
        """
        return any(
            not (
                a["due"] < b["due"]
                and (b["done_on"] is None or a["done_on"] is not None and a["done_on"] <= b["done_on"])
            )
            for a in self._milestones_by_thesis.get(b["thesis_id"], {}).values()
            if a["step"] < b["step"]
        )

    def _breaks_rule_7(self, t: Thesis) -> bool:
        """Whether this is broken: a thesis is handed in only when every step is done, and a defence belongs to it
        from then on.
        """
        return (
            t["status"] not in ("proposed", "returned")
            and not (
                (t["status"] in ("submitted", "passed", "failed")) == any(
                    d["thesis_id"] == t["id"]
                    for d in self._defences_by_thesis.get(t["id"], {}).values()
                )
                and (
                    t["status"] == "accepted"
                    or not any(m["done_on"] is None for m in self._milestones_by_thesis.get(t["id"], {}).values())
                )
            )
        )

    def _breaks_rule_8_s(self, s: Seat) -> bool:
        """Whether this is broken: a committee has one person per role, nobody twice, and no supervisor of the thesis.
        """
        return any(
            other_s is not s
            for other_s in self._seats_by_defence_role.get((s["defence_id"], s["role"]), {}).values()
        )

    def _breaks_rule_8_s_again(self, s: Seat) -> bool:
        """Whether this is broken: a committee has one person per role, nobody twice, and no supervisor of the thesis.
        """
        return any(
            other_s is not s
            for other_s in self._seats_by_defence_scholar.get((s["defence_id"], s["scholar_id"]), {}).values()
        )

    def _breaks_rule_8_s_again_again(self, s: Seat) -> bool:
        """Whether this is broken: a committee has one person per role, nobody twice, and no supervisor of the thesis.
        """
        return (
            self.defences[s["defence_id"]]["status"] != "held"
            and (
                s["scholar_id"] == self.thesises[self.defences[s["defence_id"]]["thesis_id"]]["supervisor_id"]
                or s["scholar_id"] == self.thesises[self.defences[s["defence_id"]]["thesis_id"]]["second_id"]
            )
        )

    def _breaks_rule_9_a(self, a: Seat) -> bool:
        """Whether this is broken: members of a committee have no interest in each other."""
        return (
            self.defences[a["defence_id"]]["status"] != "held"
            and any(
                bool(self._interests_by_scholar_other.get((a["scholar_id"], b["scholar_id"]), {}))
                for b in self._seats_by_defence.get(a["defence_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_9_b(self, b: Seat) -> bool:
        """Whether this is broken: members of a committee have no interest in each other."""
        return any(
            bool(self._interests_by_scholar_other.get((a["scholar_id"], b["scholar_id"]), {}))
            for a in self._seats_by_defence.get(b["defence_id"], {}).values()
            if a is not b
            and self.defences[a["defence_id"]]["status"] != "held"
        )

    def _breaks_rule_10(self, s: Seat) -> bool:
        """Whether this is broken: a professor chairs, and an external member comes from another faculty than the
        supervisor.
        """
        return (
            self.defences[s["defence_id"]]["status"] != "held"
            and not (
                (s["role"] != "chair" or self.scholars[s["scholar_id"]]["rank"] == "professor")
                and (
                    s["role"] != "external"
                    or self.thesises[self.defences[s["defence_id"]]["thesis_id"]]["supervisor_id"] is None
                    or self._faculty(self.units[self.scholars[s["scholar_id"]]["unit_id"]]) is not self._faculty(
                        self.units[
                            self.scholars[
                                self.thesises[self.defences[s["defence_id"]]["thesis_id"]]["supervisor_id"]
                            ]["unit_id"]
                        ]
                    )
                )
            )
        )

    def _breaks_rule_11_d(self, d: Defence) -> bool:
        """Whether this is broken: a planned defence has a complete committee, a time and a room of its own."""
        return (
            d["status"] == "planned"
            and any(
                other_d is not d
                for other_d in self._defences_by_at_room_status.get((d["at"], d["room"], "planned"), {}).values()
            )
        )

    def _breaks_rule_11_d_again(self, d: Defence) -> bool:
        """Whether this is broken: a planned defence has a complete committee, a time and a room of its own."""
        return not (d["status"] == "forming" or self._complete(d) and d["at"] is not None and d["room"] is not None)

    def _breaks_rule_12(self, a: Seat) -> bool:
        """Whether this is broken: nobody sits in two defences at the same time."""
        return (
            self.defences[a["defence_id"]]["status"] == "planned"
            and self.defences[a["defence_id"]]["at"] is not None
            and any(
                _overlap(
                    self.defences[a["defence_id"]]["at"],
                    _plus_minutes(self.defences[a["defence_id"]]["at"], 2 * 60),
                    self.defences[b["defence_id"]]["at"],
                    _plus_minutes(self.defences[b["defence_id"]]["at"], 2 * 60),
                )
                for b in self._seats_by_scholar.get(a["scholar_id"], {}).values()
                if a is not b
                and self.defences[b["defence_id"]]["status"] == "planned"
                and self.defences[b["defence_id"]]["at"] is not None
            )
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
            case "units":
                self._units_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "scholars":
                self._scholars_by_unit.setdefault(record["unit_id"], {})[record["id"]] = record
            case "thesises":
                self._thesises_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._thesises_by_second.setdefault(record["second_id"], {})[record["id"]] = record
                self._thesises_by_student.setdefault(record["student_id"], {})[record["id"]] = record
                self._thesises_by_student_second.setdefault(
                    (record["student_id"], record["second_id"]),
                    {},
                )[record["id"]] = record
                self._thesises_by_student_supervisor.setdefault(
                    (record["student_id"], record["supervisor_id"]),
                    {},
                )[record["id"]] = record
                self._thesises_by_supervisor.setdefault(record["supervisor_id"], {})[record["id"]] = record
                self._thesises_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "milestones":
                self._milestones_by_thesis.setdefault(record["thesis_id"], {})[record["id"]] = record
            case "interests":
                self._interests_by_scholar.setdefault(record["scholar_id"], {})[record["id"]] = record
                self._interests_by_scholar_other.setdefault(
                    (record["scholar_id"], record["other_id"]),
                    {},
                )[record["id"]] = record
                self._interests_by_scholar_student.setdefault(
                    (record["scholar_id"], record["student_id"]),
                    {},
                )[record["id"]] = record
                self._interests_by_student.setdefault(record["student_id"], {})[record["id"]] = record
            case "defences":
                self._defences_by_at_room_status.setdefault(
                    (record["at"], record["room"], record["status"]),
                    {},
                )[record["id"]] = record
                self._defences_by_room_status.setdefault((record["room"], record["status"]), {})[record["id"]] = record
                self._defences_by_thesis.setdefault(record["thesis_id"], {})[record["id"]] = record
            case "seats":
                self._seats_by_defence.setdefault(record["defence_id"], {})[record["id"]] = record
                self._seats_by_defence_role.setdefault((record["defence_id"], record["role"]), {})[record["id"]] = record
                self._seats_by_defence_scholar.setdefault(
                    (record["defence_id"], record["scholar_id"]),
                    {},
                )[record["id"]] = record
                self._seats_by_scholar.setdefault(record["scholar_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "units":
                del self._units_by_within[record["within_id"]][record["id"]]
            case "scholars":
                del self._scholars_by_unit[record["unit_id"]][record["id"]]
            case "thesises":
                del self._thesises_by_lower_title[record["title"].lower()][record["id"]]
                del self._thesises_by_second[record["second_id"]][record["id"]]
                del self._thesises_by_student[record["student_id"]][record["id"]]
                del self._thesises_by_student_second[record["student_id"], record["second_id"]][record["id"]]
                del self._thesises_by_student_supervisor[record["student_id"], record["supervisor_id"]][record["id"]]
                del self._thesises_by_supervisor[record["supervisor_id"]][record["id"]]
                del self._thesises_by_title[record["title"]][record["id"]]
            case "milestones":
                del self._milestones_by_thesis[record["thesis_id"]][record["id"]]
            case "interests":
                del self._interests_by_scholar[record["scholar_id"]][record["id"]]
                del self._interests_by_scholar_other[record["scholar_id"], record["other_id"]][record["id"]]
                del self._interests_by_scholar_student[record["scholar_id"], record["student_id"]][record["id"]]
                del self._interests_by_student[record["student_id"]][record["id"]]
            case "defences":
                del self._defences_by_at_room_status[record["at"], record["room"], record["status"]][record["id"]]
                del self._defences_by_room_status[record["room"], record["status"]][record["id"]]
                del self._defences_by_thesis[record["thesis_id"]][record["id"]]
            case "seats":
                del self._seats_by_defence[record["defence_id"]][record["id"]]
                del self._seats_by_defence_role[record["defence_id"], record["role"]][record["id"]]
                del self._seats_by_defence_scholar[record["defence_id"], record["scholar_id"]][record["id"]]
                del self._seats_by_scholar[record["scholar_id"]][record["id"]]
