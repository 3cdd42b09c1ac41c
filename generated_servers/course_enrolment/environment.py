"""Course enrolment. Compiled from blueprint.yaml; run `envscaler build course_enrolment` after changing it there.

Plans the sections of a college's courses, enrols students in them, keeps waiting lists and records results.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A section never has more students than seats.",
    "A section never has more seats than its room has places.",
    "A section ends after it starts.",
    "Two open sections never use one room at the same time.",
    "A lecturer never teaches two sections at the same time.",
    "A student is enrolled in, waits for or has passed a course only once.",
    "Whoever is enrolled in a course or waits for it has passed everything it requires or has a waiver.",
    "A student never takes more credits in a term than allowed.",
    "A student is never enrolled in two sections that meet at the same time.",
    "Nobody is enrolled in a cancelled section or waits for it.",
    "A mark decides between passed and failed, and only those have one.",
    "A student has at most one waiver in force for a course.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_section",
    "move_section",
    "cancel_section",
    "enrol_student",
    "join_waiting_list",
    "admit_from_waiting_list",
    "drop_enrolment",
    "switch_section",
    "record_result",
    "grant_waiver",
    "revoke_waiver",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "courses": ("title",),
    "terms": ("name",),
    "rooms": ("name",),
    "students": ("name",),
    "sections": ("crn",),
    "enrolments": (),
    "waivers": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("enrolments", "section_id"),
    ("enrolments", "status"),
    ("enrolments", "student_id"),
    ("sections", "crn"),
    ("sections", "lecturer"),
    ("sections", "meets_on"),
    ("sections", "room_id"),
    ("sections", "status"),
    ("sections", "term_id"),
    ("waivers", "course_id"),
    ("waivers", "status"),
    ("waivers", "student_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Course(TypedDict):
    id: str
    code: str
    title: str
    department: Literal["mathematics", "physics", "computing", "economics"]
    credits: int
    pass_mark: int
    require_ids: list[str]


class Term(TypedDict):
    id: str
    name: str
    enrol_from: str
    starts: str
    add_until: str
    withdraw_until: str
    results_from: str
    ends: str


class Room(TypedDict):
    id: str
    name: str
    building: str
    places: int


class Student(TypedDict):
    id: str
    name: str
    programme: Literal["mathematics", "physics", "computing", "economics"]
    year: int
    max_credits: int


class Section(TypedDict):
    id: str
    crn: str
    course_id: str
    term_id: str
    lecturer: str
    meets_on: Literal["monday", "tuesday", "wednesday", "thursday", "friday"]
    starts: str
    ends: str
    room_id: str
    seats: int
    status: Literal["open", "cancelled"]


class Enrolment(TypedDict):
    id: str
    student_id: str
    section_id: str
    asked_on: str
    status: Literal["enrolled", "dropped", "withdrawn", "passed", "failed", "waiting"]
    mark: int | None


class Waiver(TypedDict):
    id: str
    student_id: str
    course_id: str
    reason: Literal["transfer_credit", "placement_test", "work_experience"]
    granted_on: str
    status: Literal["granted", "revoked"]


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class CourseEnrolment:
    """Plans the sections of a college's courses, enrols students in them, keeps waiting lists and records
    results.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.courses: dict[str, Course] = _copied(config.get("courses", {}))
        self.terms: dict[str, Term] = _copied(config.get("terms", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.students: dict[str, Student] = _copied(config.get("students", {}))
        self.sections: dict[str, Section] = _copied(config.get("sections", {}))
        self.enrolments: dict[str, Enrolment] = _copied(config.get("enrolments", {}))
        self.waivers: dict[str, Waiver] = _copied(config.get("waivers", {}))
        self.now: str = config.get("now", "2026-03-02T09:00")
        self.counters: dict[str, int] = {
            "course": len(self.courses),
            "term": len(self.terms),
            "room": len(self.rooms),
            "student": len(self.students),
            "section": len(self.sections),
            "enrolment": len(self.enrolments),
            "waiver": len(self.waivers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sections_by_crn: dict[Any, dict[str, Section]] = {}
        self._sections_by_lecturer_status: dict[Any, dict[str, Section]] = {}
        self._sections_by_room_status: dict[Any, dict[str, Section]] = {}
        self._sections_by_term: dict[Any, dict[str, Section]] = {}
        self._sections_by_term_meets_on_room_status: dict[Any, dict[str, Section]] = {}
        self._sections_by_term_meets_on_status: dict[Any, dict[str, Section]] = {}
        self._enrolments_by_section: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_section_status: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_student: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_student_status: dict[Any, dict[str, Enrolment]] = {}
        self._waivers_by_student_course_status: dict[Any, dict[str, Waiver]] = {}
        self._waivers_by_student_status: dict[Any, dict[str, Waiver]] = {}
        for section in self.sections.values():
            self._link("sections", section)
        for enrolment in self.enrolments.values():
            self._link("enrolments", enrolment)
        for waiver in self.waivers.values():
            self._link("waivers", waiver)

    def waiting_list(self, section_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The students waiting for a section, in order, and whether each could take a seat now.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enrolments": records}} or {"success": False, "error":
                why not}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        found = [
            w
            for w in self._enrolments_by_section.get(section_id, {}).values()
            if (w["section_id"] == section_id and w["status"] == "waiting")
        ]
        found.sort(key=lambda w: (w["id"], _age(w)))
        return _found(
            {
                "total": len(found),
                "enrolments": [
                    {
                        "place": self._enrolment_place(w),
                        "enrolment_id": w["id"],
                        "student": self.students[w["student_id"]]["name"],
                        "could_take_it": self._can_take(self.students[w["student_id"]], section),
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def student_timetable(
        self,
        student_id: str,
        term_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The sections that a student is enrolled in during a term, by weekday and hour.

        Args:
            student_id (str): Id of the student, such as STUDENT-00001.
            term_id (str): Id of the term, such as TERM-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enrolments": records}} or {"success": False, "error":
                why not}
        """
        student = self.students.get(student_id)
        if student is None:
            return _refused(f"There is no student {student_id!r}.")
        term = self.terms.get(term_id)
        if term is None:
            return _refused(f"There is no term {term_id!r}.")
        found = [
            e
            for e in self._enrolments_by_student.get(student_id, {}).values()
            if (
                e["student_id"] == student_id
                and e["status"] == "enrolled"
                and self.sections[e["section_id"]]["term_id"] == term_id
            )
        ]
        found.sort(
            key=lambda e: (
                self._day_order(self.sections[e["section_id"]]["meets_on"]),
                self.sections[e["section_id"]]["starts"],
                _age(e),
            )
        )
        return _found(
            {
                "total": len(found),
                "enrolments": [
                    {
                        "enrolment_id": e["id"],
                        "crn": self.sections[e["section_id"]]["crn"],
                        "course": self.courses[self.sections[e["section_id"]]["course_id"]]["code"],
                        "title": self.courses[self.sections[e["section_id"]]["course_id"]]["title"],
                        "credits": self.courses[self.sections[e["section_id"]]["course_id"]]["credits"],
                        "meets_on": self.sections[e["section_id"]]["meets_on"],
                        "starts": self.sections[e["section_id"]]["starts"],
                        "ends": self.sections[e["section_id"]]["ends"],
                        "room": self.rooms[self.sections[e["section_id"]]["room_id"]]["name"],
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def missing_requirements(
        self,
        student_id: str,
        course_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The courses that a student must still pass before taking a course, leaving waivers aside.

        Args:
            student_id (str): Id of the student, such as STUDENT-00001.
            course_id (str): Id of the course, such as COURSE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "courses": records}} or {"success": False, "error": why
                not}
        """
        student = self.students.get(student_id)
        if student is None:
            return _refused(f"There is no student {student_id!r}.")
        course = self.courses.get(course_id)
        if course is None:
            return _refused(f"There is no course {course_id!r}.")
        found = [r for r in [self.courses[key] for key in course["require_ids"]] if not self._passed(student, r)]
        found.sort(key=lambda r: (r["code"], _age(r)))
        return _found(
            {
                "total": len(found),
                "courses": [
                    {"course_id": r["id"], "code": r["code"], "title": r["title"]}
                    for r in _page(found, offset)
                ],
            }
        )

    def free_rooms(
        self,
        term_id: str,
        meets_on: Literal["monday", "tuesday", "wednesday", "thursday", "friday"],
        starts: Time,
        ends: Time,
        places: Annotated[int, {"minimum": 1, "maximum": 300}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The rooms that no open section uses at a weekly hour of a term, smallest first.

        Args:
            term_id (str): Id of the term, such as TERM-00001.
            meets_on (str): Day of the week on which the room is wanted: monday, tuesday, wednesday, thursday or
                friday.
            starts (str): Time from which the room is wanted, as HH:MM.
            ends (str): Time until which the room is wanted, as HH:MM.
            places (int, optional): Places that the room must have at least, from 1 to 300. If left out, rooms of
                every size are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}} or {"success": False, "error": why
                not}
        """
        term = self.terms.get(term_id)
        if term is None:
            return _refused(f"There is no term {term_id!r}.")
        found = [
            r
            for r in self.rooms.values()
            if self._room_user(r, term, meets_on, starts, ends) is None
            and (places is None or r["places"] >= places)
        ]
        found.sort(key=lambda r: (r["places"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rooms": [
                    {"room_id": r["id"], "name": r["name"], "building": r["building"], "places": r["places"]}
                    for r in _page(found, offset)
                ],
            }
        )

    def list_courses(
        self,
        title: Text | None = None,
        department: Literal["mathematics", "physics", "computing", "economics"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the courses, oldest first, all of them or only some.

        Args:
            title (str, optional): Only courses whose title contains this text.
            department (str, optional): Only courses with this department.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "courses": records}}
        """
        found = [
            course
            for course in self.courses.values()
            if (title is None or title.casefold() in course["title"].casefold())
            and (department is None or course["department"] == department)
        ]
        shown = [self._show_course(course) for course in _page(found, offset)]
        return _found({"total": len(found), "courses": shown}, self._names_of_courses(shown))

    def list_terms(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the terms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only terms whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "terms": records}}
        """
        found = [term for term in self.terms.values() if (name is None or name.casefold() in term["name"].casefold())]
        return _found({"total": len(found), "terms": [{**term} for term in _page(found, offset)]})

    def list_rooms(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [room for room in self.rooms.values() if (name is None or name.casefold() in room["name"].casefold())]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_students(
        self,
        name: Text | None = None,
        programme: Literal["mathematics", "physics", "computing", "economics"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the students, oldest first, all of them or only some.

        Args:
            name (str, optional): Only students whose name contains this text.
            programme (str, optional): Only students with this programme.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "students": records}}
        """
        found = [
            student
            for student in self.students.values()
            if (name is None or name.casefold() in student["name"].casefold())
            and (programme is None or student["programme"] == programme)
        ]
        return _found({"total": len(found), "students": [{**student} for student in _page(found, offset)]})

    def list_sections(
        self,
        crn: Text | None = None,
        course_id: str | None = None,
        term_id: str | None = None,
        meets_on: Literal["monday", "tuesday", "wednesday", "thursday", "friday"] | None = None,
        room_id: str | None = None,
        status: Literal["open", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sections, oldest first, all of them or only some.

        Args:
            crn (str, optional): Only sections whose crn contains this text.
            course_id (str, optional): Only sections of this course.
            term_id (str, optional): Only sections of this term.
            meets_on (str, optional): Only sections whose `meets_on` is this.
            room_id (str, optional): Only sections of this room.
            status (str, optional): Only sections with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}}
        """
        if course_id is not None and course_id not in self.courses:
            return _refused(f"There is no course {course_id!r}.")
        if term_id is not None and term_id not in self.terms:
            return _refused(f"There is no term {term_id!r}.")
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            section
            for section in self.sections.values()
            if (crn is None or crn.casefold() in section["crn"].casefold())
            and (course_id is None or section["course_id"] == course_id)
            and (term_id is None or section["term_id"] == term_id)
            and (meets_on is None or section["meets_on"] == meets_on)
            and (room_id is None or section["room_id"] == room_id)
            and (status is None or section["status"] == status)
        ]
        shown = [self._show_section(section) for section in _page(found, offset)]
        return _found({"total": len(found), "sections": shown}, self._names_of_sections(shown))

    def list_enrolments(
        self,
        student_id: str | None = None,
        section_id: str | None = None,
        status: Literal["enrolled", "dropped", "withdrawn", "passed", "failed", "waiting"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the enrolments, oldest first, all of them or only some.

        Args:
            student_id (str, optional): Only enrolments of this student.
            section_id (str, optional): Only enrolments of this section.
            status (str, optional): Only enrolments with this status.
            asked_on_from (str, optional): Only enrolments whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only enrolments whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enrolments": records}}
        """
        if student_id is not None and student_id not in self.students:
            return _refused(f"There is no student {student_id!r}.")
        if section_id is not None and section_id not in self.sections:
            return _refused(f"There is no section {section_id!r}.")
        found = [
            enrolment
            for enrolment in self.enrolments.values()
            if (student_id is None or enrolment["student_id"] == student_id)
            and (section_id is None or enrolment["section_id"] == section_id)
            and (status is None or enrolment["status"] == status)
            and (asked_on_from is None or enrolment["asked_on"] >= asked_on_from)
            and (asked_on_to is None or enrolment["asked_on"] <= asked_on_to)
        ]
        shown = [self._show_enrolment(enrolment) for enrolment in _page(found, offset)]
        return _found({"total": len(found), "enrolments": shown}, self._names_of_enrolments(shown))

    def list_waivers(
        self,
        student_id: str | None = None,
        course_id: str | None = None,
        reason: Literal["transfer_credit", "placement_test", "work_experience"] | None = None,
        status: Literal["granted", "revoked"] | None = None,
        granted_on_from: Date | None = None,
        granted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the waivers, oldest first, all of them or only some.

        Args:
            student_id (str, optional): Only waivers of this student.
            course_id (str, optional): Only waivers of this course.
            reason (str, optional): Only waivers with this reason.
            status (str, optional): Only waivers with this status.
            granted_on_from (str, optional): Only waivers whose `granted_on` is on this day or later.
            granted_on_to (str, optional): Only waivers whose `granted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "waivers": records}}
        """
        if student_id is not None and student_id not in self.students:
            return _refused(f"There is no student {student_id!r}.")
        if course_id is not None and course_id not in self.courses:
            return _refused(f"There is no course {course_id!r}.")
        found = [
            waiver
            for waiver in self.waivers.values()
            if (student_id is None or waiver["student_id"] == student_id)
            and (course_id is None or waiver["course_id"] == course_id)
            and (reason is None or waiver["reason"] == reason)
            and (status is None or waiver["status"] == status)
            and (granted_on_from is None or waiver["granted_on"] >= granted_on_from)
            and (granted_on_to is None or waiver["granted_on"] <= granted_on_to)
        ]
        shown = [{**waiver} for waiver in _page(found, offset)]
        return _found({"total": len(found), "waivers": shown}, self._names_of_waivers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_section(
        self,
        crn: Text,
        course_id: str,
        term_id: str,
        lecturer: Text,
        meets_on: Literal["monday", "tuesday", "wednesday", "thursday", "friday"],
        starts: Time,
        ends: Time,
        room_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 300}],
    ) -> Result:
        """Open a new section of a course in a term, with its lecturer, weekly hour, room and seats.

        Args:
            crn (str): Course reference number of the new section, not in use yet.
            course_id (str): Id of the course, such as COURSE-00001.
            term_id (str): Id of the term, such as TERM-00001.
            lecturer (str): Full name of the person who teaches the section.
            meets_on (str): Day of the week on which the section meets: monday, tuesday, wednesday, thursday or
                friday.
            starts (str): Time at which the weekly hour begins, as HH:MM.
            ends (str): Time at which the weekly hour ends, after its start, as HH:MM.
            room_id (str): Id of the room, such as ROOM-00001.
            seats (int): Most students in the section, at most the places of the room, from 1 to 300.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        course = self.courses.get(course_id)
        if course is None:
            return _refused(f"There is no course {course_id!r}.")
        term = self.terms.get(term_id)
        if term is None:
            return _refused(f"There is no term {term_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if self._sections_by_crn.get(crn, {}):
            return _refused(f"Another section has the number {crn}.")
        if self.now[:10] > term["add_until"]:
            return _refused(f"Courses of {term['name']} could be added until {term['add_until']}.")
        if starts >= ends:
            return _refused(f"A section that starts at {starts} cannot end at {ends}.")
        if seats > room["places"]:
            return _refused(f"{room['name']} has only {room['places']} places.")
        user = self._room_user(room, term, meets_on, starts, ends)
        if user is not None:
            return _refused(
                f"{room['name']} is used by section {user['crn']} on {meets_on} from {user['starts']} to "
                f"{user['ends']}."
            )
        busy = next(
            (
                s
                for s in sorted(
                    self._sections_by_term_meets_on_status.get((term_id, meets_on, "open"), {}).values(),
                    key=_age,
                )
                if s["lecturer"] == lecturer
                and _overlap(s["starts"], s["ends"], starts, ends)
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"{lecturer} teaches section {busy['crn']} on {meets_on} from {busy['starts']} to {busy['ends']}."
            )
        self._journal = []
        section: Section = {
            "id": self._new_id("section", "SECTION", self.sections),
            "crn": crn,
            "course_id": course_id,
            "term_id": term_id,
            "lecturer": lecturer,
            "meets_on": meets_on,
            "starts": starts,
            "ends": ends,
            "room_id": room_id,
            "seats": seats,
            "status": "open",
        }
        self._add("sections", section)
        if len(self._sections_by_crn.get(section["crn"], {})) > 1:
            return self._take_back(f"There is already a section with the crn {section['crn']!r}.")
        if self._breaks_rule_1(section):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(section):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(section):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(section):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(section):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(section):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(section):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: open section {crn} of {course['title']} in {term['name']} with {lecturer}, {meets_on} "
                f"{starts} to {ends} in {room['name']} with {seats} seats (new: section {section['id']})."
            ),
            "data": {"section_id": section["id"], **self._changes()},
        }

    def move_section(
        self,
        section_id: str,
        room_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 300}],
        lecturer: Text | None = None,
    ) -> Result:
        """Move an open section to another room, change its number of seats or give it another lecturer.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            room_id (str): Id of the room, such as ROOM-00001.
            seats (int): Most students in the section from now on, the present number where it stays, from 1 to
                300.
            lecturer (str, optional): Full name of the new lecturer. If left out, the lecturer stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if section["status"] != "open":
            return _refused(f"Section {section['crn']} is {section['status']}.")
        if not (
            room_id != section["room_id"]
            or seats != section["seats"]
            or lecturer is not None
            and lecturer != section["lecturer"]
        ):
            return _refused(
                f"Section {section['crn']} is like that already, with {seats} seats in {room['name']} and "
                f"{section['lecturer']} as lecturer."
            )
        if seats > room["places"]:
            return _refused(f"{room['name']} has only {room['places']} places.")
        if self._section_taken(section) > seats:
            return _refused(
                f"Section {section['crn']} has {self._section_taken(section)} students already, more than {seats}."
            )
        user = next(
            (
                s
                for s in sorted(self._sections_by_room_status.get((room_id, "open"), {}).values(), key=_age)
                if s is not section
                and self._together(s, section)
            ),
            None,
        )
        if user is not None:
            return _refused(
                f"{room['name']} is used by section {user['crn']} on {user['meets_on']} from {user['starts']} to "
                f"{user['ends']}."
            )
        busy = next(
            (
                s
                for s in sorted(self._sections_by_term.get(section["term_id"], {}).values(), key=_age)
                if lecturer is not None
                and s is not section
                and s["lecturer"] == lecturer
                and s["status"] == "open"
                and self._together(s, section)
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"{busy['lecturer']} teaches section {busy['crn']} on {busy['meets_on']} from {busy['starts']} to "
                f"{busy['ends']}."
            )
        self._journal = []
        self._put("sections", section, "room_id", room_id)
        self._put("sections", section, "seats", seats)
        self._put("sections", section, "lecturer", lecturer if lecturer is not None else section["lecturer"])
        if self._breaks_rule_1(section):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(section):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_a(section):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(section):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(section):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(section):
            return self._take_back(RULES[4])
        done = f"let section {section['crn']} have {room['name']} with {seats} seats"
        if lecturer is not None:
            done += f" and {lecturer} as lecturer"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_section(self, section_id: str) -> Result:
        """Cancel a section without results; everybody enrolled in it or waiting for it is dropped from it.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if section["status"] != "open":
            return _refused(f"Section {section['crn']} is {section['status']} already.")
        if self.now[:10] > self.terms[section["term_id"]]["add_until"]:
            return _refused(
                f"Sections of {self.terms[section['term_id']]['name']} could be cancelled until "
                f"{self.terms[section['term_id']]['add_until']}."
            )
        if any(e["status"] in ("passed", "failed") for e in self._enrolments_by_section.get(section_id, {}).values()):
            return _refused(f"Section {section['crn']} has results already.")
        self._journal = []
        changed_enrolments: list[Any] = []
        for e in [
            e
            for e in sorted(self._enrolments_by_section.get(section_id, {}).values(), key=_age)
            if e["status"] in ("enrolled", "waiting")
        ]:
            if e["status"] not in ("enrolled", "dropped", "waiting"):
                return self._take_back(f"Enrolment {e['id']} cannot go from {e['status']} to dropped.")
            changed_enrolments.append(e)
            self._put("enrolments", e, "status", "dropped")
        self._put("sections", section, "status", "cancelled")
        for one_section in _distinct([self.sections[one["section_id"]] for one in changed_enrolments]):
            if self._breaks_rule_1(one_section):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(section):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_a(section):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(section):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(section):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(section):
            return self._take_back(RULES[4])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_6(one_enrolment):
                return self._take_back(RULES[5])
        for one_enrolment in _distinct(
            [
                *changed_enrolments,
                *[
                    user
                    for one in [self.students[one["student_id"]] for one in changed_enrolments]
                    for user in self._enrolments_by_student.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [
                *changed_enrolments,
                *[
                    user
                    for one in [self.students[one["student_id"]] for one in changed_enrolments]
                    for user in self._enrolments_by_student_status.get((one["id"], "enrolled"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_9_a(one_enrolment):
                return self._take_back(RULES[8])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_9_b(one_enrolment):
                return self._take_back(RULES[8])
        for one_enrolment in _distinct(
            [*changed_enrolments, *self._enrolments_by_section.get(section["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_enrolment):
                return self._take_back(RULES[9])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_11(one_enrolment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cancel section {section['crn']} of {self.courses[section['course_id']]['title']}.",
            "data": self._changes(),
        }

    def enrol_student(self, student_id: str, section_id: str) -> Result:
        """Enrol a student in a section with a free seat that nobody on its waiting list can take.

        Args:
            student_id (str): Id of the student, such as STUDENT-00001.
            section_id (str): Id of the section, such as SECTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        student = self.students.get(student_id)
        if student is None:
            return _refused(f"There is no student {student_id!r}.")
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if section["status"] != "open":
            return _refused(f"Section {section['crn']} is {section['status']}.")
        if (
            self.terms[section["term_id"]]["enrol_from"] > self.now[:10]
            or self.now[:10] > self.terms[section["term_id"]]["add_until"]
        ):
            return _refused(
                f"Enrolment for {self.terms[section['term_id']]['name']} is open from "
                f"{self.terms[section['term_id']]['enrol_from']} to {self.terms[section['term_id']]['add_until']}."
            )
        other = self._attempt(student, self.courses[section["course_id"]])
        if other is not None:
            return _refused(
                f"{student['name']} has {self.courses[section['course_id']]['code']} already, in section "
                f"{self.sections[other['section_id']]['crn']} ({other['status']})."
            )
        missing = next(
            (
                r
                for r in [self.courses[key] for key in self.courses[section["course_id"]]["require_ids"]]
                if not self._passed(student, r)
            ),
            None,
        )
        if not (missing is None or self._waived(student, self.courses[section["course_id"]])):
            return _refused(
                f"{self.courses[section['course_id']]['code']} requires {missing['code']}, which "
                f"{student['name']} has not passed."
            )
        hit = self._clash(student, section)
        if hit is not None:
            return _refused(
                f"That clashes with section {hit['crn']} of {self.courses[hit['course_id']]['code']} on "
                f"{hit['meets_on']} from {hit['starts']} to {hit['ends']}."
            )
        if (
            self._load(student, self.terms[section["term_id"]])
            + self.courses[section["course_id"]]["credits"] > student["max_credits"]
        ):
            return _refused(
                f"{student['name']} has {self._load(student, self.terms[section['term_id']])} of at most "
                f"{student['max_credits']} credits in {self.terms[section['term_id']]['name']}, and "
                f"{self.courses[section['course_id']]['code']} counts "
                f"{self.courses[section['course_id']]['credits']}."
            )
        if self._section_taken(section) >= section["seats"]:
            return _refused(f"All {section['seats']} seats of section {section['crn']} are taken.")
        ahead = self._next_in_line(section)
        if ahead is not None:
            return _refused(
                f"{self.students[ahead['student_id']]['name']} is on the waiting list of section {section['crn']} "
                "and comes first."
            )
        self._journal = []
        enrolment: Enrolment = {
            "id": self._new_id("enrolment", "ENROLMENT", self.enrolments),
            "student_id": student_id,
            "section_id": section_id,
            "asked_on": self.now[:10],
            "status": "enrolled",
            "mark": None,
        }
        self._add("enrolments", enrolment)
        if self._breaks_rule_1(self.sections[enrolment["section_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(enrolment):
            return self._take_back(RULES[5])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student.get(enrolment["student_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student_status.get((enrolment["student_id"], "enrolled"), {}).values()]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_a(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(enrolment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(enrolment):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: enrol {student['name']} in section {section['crn']} of "
                f"{self.courses[section['course_id']]['title']} (new: enrolment {enrolment['id']})."
            ),
            "data": {"enrolment_id": enrolment["id"], **self._changes()},
        }

    def join_waiting_list(self, student_id: str, section_id: str) -> Result:
        """Put a student at the end of the waiting list of a section that is full or has others waiting.

        Args:
            student_id (str): Id of the student, such as STUDENT-00001.
            section_id (str): Id of the section, such as SECTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        student = self.students.get(student_id)
        if student is None:
            return _refused(f"There is no student {student_id!r}.")
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if section["status"] != "open":
            return _refused(f"Section {section['crn']} is {section['status']}.")
        if (
            self.terms[section["term_id"]]["enrol_from"] > self.now[:10]
            or self.now[:10] > self.terms[section["term_id"]]["add_until"]
        ):
            return _refused(
                f"Enrolment for {self.terms[section['term_id']]['name']} is open from "
                f"{self.terms[section['term_id']]['enrol_from']} to {self.terms[section['term_id']]['add_until']}."
            )
        other = self._attempt(student, self.courses[section["course_id"]])
        if other is not None:
            return _refused(
                f"{student['name']} has {self.courses[section['course_id']]['code']} already, in section "
                f"{self.sections[other['section_id']]['crn']} ({other['status']})."
            )
        missing = next(
            (
                r
                for r in [self.courses[key] for key in self.courses[section["course_id"]]["require_ids"]]
                if not self._passed(student, r)
            ),
            None,
        )
        if not (missing is None or self._waived(student, self.courses[section["course_id"]])):
            return _refused(
                f"{self.courses[section['course_id']]['code']} requires {missing['code']}, which "
                f"{student['name']} has not passed."
            )
        if self._section_taken(section) < section["seats"] and self._section_waiting(section) <= 0:
            return _refused(
                f"Section {section['crn']} has {section['seats'] - self._section_taken(section)} free seats and "
                "nobody waits; enrol the student."
            )
        self._journal = []
        enrolment: Enrolment = {
            "id": self._new_id("enrolment", "ENROLMENT", self.enrolments),
            "student_id": student_id,
            "section_id": section_id,
            "asked_on": self.now[:10],
            "status": "waiting",
            "mark": None,
        }
        self._add("enrolments", enrolment)
        if self._breaks_rule_1(self.sections[enrolment["section_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(enrolment):
            return self._take_back(RULES[5])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student.get(enrolment["student_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student_status.get((enrolment["student_id"], "enrolled"), {}).values()]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_a(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(enrolment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(enrolment):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: put {student['name']} on the waiting list of section {section['crn']} (new: enrolment "
                f"{enrolment['id']})."
            ),
            "data": {"enrolment_id": enrolment["id"], **self._changes()},
        }

    def admit_from_waiting_list(self, section_id: str) -> Result:
        """Give a free seat of a section to the first student on its waiting list whose timetable and credits allow
        it.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if self._section_waiting(section) <= 0:
            return _refused(f"Nobody waits for section {section['crn']}.")
        if self.now[:10] > self.terms[section["term_id"]]["add_until"]:
            return _refused(
                f"Courses of {self.terms[section['term_id']]['name']} could be added until "
                f"{self.terms[section['term_id']]['add_until']}."
            )
        if self._section_taken(section) >= section["seats"]:
            return _refused(f"All {section['seats']} seats of section {section['crn']} are taken.")
        chosen = self._next_in_line(section)
        if chosen is None:
            return _refused(
                f"None of the {self._section_waiting(section)} students waiting for section {section['crn']} can "
                "take it, because of clashes or credits."
            )
        self._journal = []
        if chosen["status"] not in ("enrolled", "waiting"):
            return self._take_back(f"Enrolment {chosen['id']} cannot go from {chosen['status']} to enrolled.")
        self._put("enrolments", chosen, "status", "enrolled")
        if self._breaks_rule_1(self.sections[chosen["section_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(chosen):
            return self._take_back(RULES[5])
        for one_enrolment in _distinct([chosen, *self._enrolments_by_student.get(chosen["student_id"], {}).values()]):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [chosen, *self._enrolments_by_student_status.get((chosen["student_id"], "enrolled"), {}).values()]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_a(chosen):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(chosen):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(chosen):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(chosen):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give a free seat of section {section['crn']} to the next student who waits.",
            "data": self._changes(),
        }

    def drop_enrolment(self, enrolment_id: str) -> Result:
        """Take a student out of a section or its waiting list; after the add period it stays on record as withdrawn.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        if enrolment["status"] not in ("enrolled", "waiting"):
            return _refused(
                f"{self.students[enrolment['student_id']]['name']} is not in section "
                f"{self.sections[enrolment['section_id']]['crn']} any more ({enrolment['status']})."
            )
        if (
            self.now[:10] > self.terms[self.sections[enrolment["section_id"]]["term_id"]]["withdraw_until"]
            and enrolment["status"] != "waiting"
        ):
            return _refused(
                "Students could withdraw from "
                f"{self.terms[self.sections[enrolment['section_id']]['term_id']]['name']} until "
                f"{self.terms[self.sections[enrolment['section_id']]['term_id']]['withdraw_until']}."
            )
        self._journal = []
        changed_enrolments: list[Any] = []
        if (
            enrolment["status"] == "waiting"
            or self.now[:10] <= self.terms[self.sections[enrolment["section_id"]]["term_id"]]["add_until"]
        ):
            changed_enrolments.append(enrolment)
            self._put("enrolments", enrolment, "status", "dropped")
        else:
            if enrolment["status"] not in ("enrolled", "withdrawn"):
                return self._take_back(
                    f"Enrolment {enrolment['id']} cannot go from {enrolment['status']} to withdrawn."
                )
            changed_enrolments.append(enrolment)
            self._put("enrolments", enrolment, "status", "withdrawn")
        for one_section in _distinct([self.sections[one["section_id"]] for one in changed_enrolments]):
            if self._breaks_rule_1(one_section):
                return self._take_back(RULES[0])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_6(one_enrolment):
                return self._take_back(RULES[5])
        for one_enrolment in _distinct(
            [
                *changed_enrolments,
                *[
                    user
                    for one in [self.students[one["student_id"]] for one in changed_enrolments]
                    for user in self._enrolments_by_student.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [
                *changed_enrolments,
                *[
                    user
                    for one in [self.students[one["student_id"]] for one in changed_enrolments]
                    for user in self._enrolments_by_student_status.get((one["id"], "enrolled"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_9_a(one_enrolment):
                return self._take_back(RULES[8])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_9_b(one_enrolment):
                return self._take_back(RULES[8])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_10(one_enrolment):
                return self._take_back(RULES[9])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_11(one_enrolment):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: take {self.students[enrolment['student_id']]['name']} out of section "
                f"{self.sections[enrolment['section_id']]['crn']} of "
                f"{self.courses[self.sections[enrolment['section_id']]['course_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def switch_section(self, enrolment_id: str, section_id: str) -> Result:
        """Move an enrolled student to another section of the same course and term.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.
            section_id (str): Id of the section, such as SECTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if enrolment["status"] != "enrolled":
            return _refused(
                f"{self.students[enrolment['student_id']]['name']} is not enrolled in section "
                f"{self.sections[enrolment['section_id']]['crn']} ({enrolment['status']})."
            )
        if section_id == enrolment["section_id"]:
            return _refused(
                f"{self.students[enrolment['student_id']]['name']} is in section {section['crn']} already."
            )
        if (
            section["course_id"] != self.sections[enrolment["section_id"]]["course_id"]
            or section["term_id"] != self.sections[enrolment["section_id"]]["term_id"]
        ):
            return _refused(
                f"Section {section['crn']} is {self.courses[section['course_id']]['code']} in "
                f"{self.terms[section['term_id']]['name']}, not "
                f"{self.courses[self.sections[enrolment['section_id']]['course_id']]['code']} in "
                f"{self.terms[self.sections[enrolment['section_id']]['term_id']]['name']}."
            )
        if section["status"] != "open":
            return _refused(f"Section {section['crn']} is {section['status']}.")
        if self.now[:10] > self.terms[section["term_id"]]["add_until"]:
            return _refused(
                f"Sections of {self.terms[section['term_id']]['name']} could be changed until "
                f"{self.terms[section['term_id']]['add_until']}."
            )
        hit = next(
            (
                self.sections[e["section_id"]]
                for e in sorted(
                    self._enrolments_by_student_status.get((enrolment["student_id"], "enrolled"), {}).values(),
                    key=_age,
                )
                if e is not enrolment
                and self._together(self.sections[e["section_id"]], section)
            ),
            None,
        )
        if hit is not None:
            return _refused(
                f"That clashes with section {hit['crn']} of {self.courses[hit['course_id']]['code']} on "
                f"{hit['meets_on']} from {hit['starts']} to {hit['ends']}."
            )
        if self._section_taken(section) >= section["seats"]:
            return _refused(f"All {section['seats']} seats of section {section['crn']} are taken.")
        ahead = self._next_in_line(section)
        if ahead is not None:
            return _refused(
                f"{self.students[ahead['student_id']]['name']} is on the waiting list of section {section['crn']} "
                "and comes first."
            )
        self._journal = []
        former_section_id = enrolment["section_id"]
        self._put("enrolments", enrolment, "section_id", section_id)
        if self._breaks_rule_1(self.sections[enrolment["section_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.sections[former_section_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(enrolment):
            return self._take_back(RULES[5])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student.get(enrolment["student_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student_status.get((enrolment["student_id"], "enrolled"), {}).values()]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_a(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(enrolment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(enrolment):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: move {self.students[enrolment['student_id']]['name']} to section {section['crn']} of "
                f"{self.courses[section['course_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def record_result(self, enrolment_id: str, mark: Annotated[int, {"minimum": 0, "maximum": 100}]) -> Result:
        """Record or correct the mark of a student in a section; the course's pass mark decides between passed and
        failed.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.
            mark (int): Mark of the student in points, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        if enrolment["status"] not in ("enrolled", "passed", "failed"):
            return _refused(
                f"{self.students[enrolment['student_id']]['name']} was not in section "
                f"{self.sections[enrolment['section_id']]['crn']} to the end ({enrolment['status']})."
            )
        if self.now[:10] < self.terms[self.sections[enrolment["section_id"]]["term_id"]]["results_from"]:
            return _refused(
                f"Results of {self.terms[self.sections[enrolment['section_id']]['term_id']]['name']} are recorded "
                f"from {self.terms[self.sections[enrolment['section_id']]['term_id']]['results_from']}."
            )
        if self.now[:10] > _plus_days(self.terms[self.sections[enrolment["section_id"]]["term_id"]]["ends"], 60):
            return _refused(
                f"Results of {self.terms[self.sections[enrolment['section_id']]['term_id']]['name']} have been "
                "final since "
                f"{_plus_days(self.terms[self.sections[enrolment['section_id']]['term_id']]['ends'], 60)}."
            )
        if enrolment["mark"] == mark:
            return _refused(f"The mark is {mark} already.")
        pass_mark = self.courses[self.sections[enrolment["section_id"]]["course_id"]]["pass_mark"]
        again = next(
            (
                e
                for e in sorted(self._enrolments_by_student.get(enrolment["student_id"], {}).values(), key=_age)
                if e is not enrolment
                and self.sections[e["section_id"]]["course_id"] == self.sections[enrolment["section_id"]]["course_id"]
                and e["status"] in ("enrolled", "waiting", "passed")
            ),
            None,
        )
        if mark >= pass_mark and again is not None:
            return _refused(
                f"{self.students[enrolment['student_id']]['name']} has "
                f"{self.courses[self.sections[enrolment['section_id']]['course_id']]['code']} again in section "
                f"{self.sections[again['section_id']]['crn']} ({again['status']}); settle that first."
            )
        later = next(
            (
                e
                for e in sorted(self._enrolments_by_student.get(enrolment["student_id"], {}).values(), key=_age)
                if e["status"] in ("enrolled", "waiting")
                and self.sections[enrolment["section_id"]]["course_id"] in self.courses[
                    self.sections[e["section_id"]]["course_id"]
                ]["require_ids"]
                and not self._waived(
                    self.students[e["student_id"]],
                    self.courses[self.sections[e["section_id"]]["course_id"]],
                )
            ),
            None,
        )
        if mark < pass_mark and enrolment["status"] == "passed" and later is not None:
            return _refused(
                f"{self.students[enrolment['student_id']]['name']} is in "
                f"{self.courses[self.sections[later['section_id']]['course_id']]['code']}, which requires a pass "
                f"in {self.courses[self.sections[enrolment['section_id']]['course_id']]['code']}."
            )
        self._journal = []
        self._put("enrolments", enrolment, "mark", mark)
        status = "passed" if mark >= pass_mark else "failed"
        self._put("enrolments", enrolment, "status", status)
        if self._breaks_rule_1(self.sections[enrolment["section_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(enrolment):
            return self._take_back(RULES[5])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student.get(enrolment["student_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [enrolment, *self._enrolments_by_student_status.get((enrolment["student_id"], "enrolled"), {}).values()]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_a(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_b(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(enrolment):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(enrolment):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record the mark {mark} for {self.students[enrolment['student_id']]['name']} in "
                f"{self.courses[self.sections[enrolment['section_id']]['course_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def grant_waiver(
        self,
        student_id: str,
        course_id: str,
        reason: Literal["transfer_credit", "placement_test", "work_experience"],
    ) -> Result:
        """Let a student take a course without the courses it requires.

        Args:
            student_id (str): Id of the student, such as STUDENT-00001.
            course_id (str): Id of the course, such as COURSE-00001.
            reason (str): What the student has in place of the required courses: transfer_credit, placement_test or
                work_experience.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        student = self.students.get(student_id)
        if student is None:
            return _refused(f"There is no student {student_id!r}.")
        course = self.courses.get(course_id)
        if course is None:
            return _refused(f"There is no course {course_id!r}.")
        if len(course["require_ids"]) <= 0:
            return _refused(f"{course['code']} requires no other course.")
        if self._waived(student, course):
            return _refused(f"{student['name']} has a waiver for {course['code']} already.")
        if self._ready(student, course):
            return _refused(f"{student['name']} has passed everything that {course['code']} requires.")
        self._journal = []
        waiver: Waiver = {
            "id": self._new_id("waiver", "WAIVER", self.waivers),
            "student_id": student_id,
            "course_id": course_id,
            "reason": reason,
            "granted_on": self.now[:10],
            "status": "granted",
        }
        self._add("waivers", waiver)
        for one_enrolment in _distinct(self._enrolments_by_student.get(waiver["student_id"], {}).values()):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        if self._breaks_rule_12(waiver):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: let {student['name']} take {course['title']} without its requirements because of {reason} "
                f"(new: waiver {waiver['id']})."
            ),
            "data": {"waiver_id": waiver["id"], **self._changes()},
        }

    def revoke_waiver(self, waiver_id: str) -> Result:
        """Take back a waiver that no enrolment rests on.

        Args:
            waiver_id (str): Id of the waiver, such as WAIVER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        waiver = self.waivers.get(waiver_id)
        if waiver is None:
            return _refused(f"There is no waiver {waiver_id!r}.")
        if waiver["status"] != "granted":
            return _refused(
                f"The waiver of {self.students[waiver['student_id']]['name']} for "
                f"{self.courses[waiver['course_id']]['code']} is {waiver['status']} already."
            )
        rests = next(
            (
                e
                for e in sorted(self._enrolments_by_student.get(waiver["student_id"], {}).values(), key=_age)
                if self.sections[e["section_id"]]["course_id"] == waiver["course_id"]
                and e["status"] in ("enrolled", "waiting")
            ),
            None,
        )
        if not (
            rests is None
            or all(
                self._passed(self.students[waiver["student_id"]], r)
                for r in [self.courses[key] for key in self.courses[waiver["course_id"]]["require_ids"]]
            )
        ):
            return _refused(
                f"{self.students[waiver['student_id']]['name']} is in section "
                f"{self.sections[rests['section_id']]['crn']} of {self.courses[waiver['course_id']]['code']} and "
                "needs the waiver."
            )
        self._journal = []
        self._put("waivers", waiver, "status", "revoked")
        for one_enrolment in _distinct(self._enrolments_by_student.get(waiver["student_id"], {}).values()):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        if self._breaks_rule_12(waiver):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: revoke the waiver of {self.students[waiver['student_id']]['name']} for "
                f"{self.courses[waiver['course_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def _show_course(self, course: Course) -> dict[str, Any]:
        """The course as an answer shows it."""
        return {**course, "require_ids": [*course["require_ids"]]}

    def _show_section(self, section: Section) -> dict[str, Any]:
        """The section as an answer shows it."""
        return {**section, "taken": self._section_taken(section), "waiting": self._section_waiting(section)}

    def _show_enrolment(self, enrolment: Enrolment) -> dict[str, Any]:
        """The enrolment as an answer shows it."""
        return {**enrolment, "course": self._enrolment_course(enrolment), "place": self._enrolment_place(enrolment)}

    def _names_of_courses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that courses point to."""
        return _names((self.courses, "title", [each for row in shown for each in row["require_ids"]]))

    def _names_of_sections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sections point to."""
        return _names(
            (self.courses, "title", [row["course_id"] for row in shown]),
            (self.terms, "name", [row["term_id"] for row in shown]),
            (self.rooms, "name", [row["room_id"] for row in shown]),
        )

    def _names_of_enrolments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that enrolments point to."""
        return _names(
            (self.students, "name", [row["student_id"] for row in shown]),
            (self.sections, "crn", [row["section_id"] for row in shown]),
        )

    def _names_of_waivers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that waivers point to."""
        return _names(
            (self.students, "name", [row["student_id"] for row in shown]),
            (self.courses, "title", [row["course_id"] for row in shown]),
        )

    def _section_taken(self, section: Section) -> int:
        """The taken of a section."""
        return sum(
            1
            for e in self._enrolments_by_section.get(section["id"], {}).values()
            if e["status"] in ("enrolled", "passed", "failed")
        )

    def _section_waiting(self, section: Section) -> int:
        """The waiting of a section."""
        return len(self._enrolments_by_section_status.get((section["id"], "waiting"), {}))

    def _enrolment_course(self, enrolment: Enrolment) -> str:
        """The course of an enrolment."""
        return self.courses[self.sections[enrolment["section_id"]]["course_id"]]["code"]

    def _enrolment_place(self, enrolment: Enrolment) -> int:
        """The place of an enrolment."""
        return (
            sum(
                1
                for w in self._enrolments_by_section_status.get((enrolment["section_id"], "waiting"), {}).values()
                if w["id"] <= enrolment["id"]
            )
            if enrolment["status"] == "waiting"
            else 0
        )

    def _day_order(self, d: str) -> int:
        return 1 if d == "monday" else 2 if d == "tuesday" else 3 if d == "wednesday" else 4 if d == "thursday" else 5

    def _passed(self, s: Student, c: Course) -> bool:
        return any(
            self.sections[e["section_id"]]["course_id"] == c["id"]
            for e in self._enrolments_by_student_status.get((s["id"], "passed"), {}).values()
        )

    def _waived(self, s: Student, c: Course) -> bool:
        return any(
            w["course_id"] == c["id"]
            for w in self._waivers_by_student_status.get((s["id"], "granted"), {}).values()
        )

    def _ready(self, s: Student, c: Course) -> bool:
        return self._waived(s, c) or all(self._passed(s, r) for r in [self.courses[key] for key in c["require_ids"]])

    def _load(self, s: Student, t: Term) -> int:
        return sum(
            self.courses[self.sections[e["section_id"]]["course_id"]]["credits"]
            for e in self._enrolments_by_student.get(s["id"], {}).values()
            if e["status"] in ("enrolled", "passed", "failed")
            and self.sections[e["section_id"]]["term_id"] == t["id"]
        )

    def _together(self, a: Section, b: Section) -> bool:
        return (
            a["term_id"] == b["term_id"]
            and a["meets_on"] == b["meets_on"]
            and _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
        )

    def _attempt(self, s: Student, c: Course) -> Enrolment | None:
        return next(
            (
                e
                for e in sorted(self._enrolments_by_student.get(s["id"], {}).values(), key=_age)
                if self.sections[e["section_id"]]["course_id"] == c["id"]
                and e["status"] in ("enrolled", "waiting", "passed")
            ),
            None,
        )

    def _clash(self, s: Student, x: Section) -> Section | None:
        return next(
            (
                self.sections[e["section_id"]]
                for e in sorted(self._enrolments_by_student_status.get((s["id"], "enrolled"), {}).values(), key=_age)
                if e["section_id"] != x["id"]
                and self._together(self.sections[e["section_id"]], x)
            ),
            None,
        )

    def _can_take(self, s: Student, x: Section) -> bool:
        return (
            self._ready(s, self.courses[x["course_id"]])
            and self._clash(s, x) is None
            and self._load(s, self.terms[x["term_id"]]) + self.courses[x["course_id"]]["credits"] <= s["max_credits"]
        )

    def _next_in_line(self, x: Section) -> Enrolment | None:
        return min(
            (
                w
                for w in self._enrolments_by_section_status.get((x["id"], "waiting"), {}).values()
                if self._can_take(self.students[w["student_id"]], x)
            ),
            key=lambda w: (w["id"], _age(w)),
            default=None,
        )

    def _room_user(self, r: Room, t: Term, d: str, b: str, e: str) -> Section | None:
        return next(
            (
                s
                for s in sorted(
                    self._sections_by_term_meets_on_room_status.get((t["id"], d, r["id"], "open"), {}).values(),
                    key=_age,
                )
                if _overlap(s["starts"], s["ends"], b, e)
            ),
            None,
        )

    def _breaks_rule_1(self, s: Section) -> bool:
        """Whether this is broken: a section never has more students than seats."""
        return self._section_taken(s) > s["seats"]

    def _breaks_rule_2(self, s: Section) -> bool:
        """Whether this is broken: a section never has more seats than its room has places."""
        return s["status"] == "open" and s["seats"] > self.rooms[s["room_id"]]["places"]

    def _breaks_rule_3(self, s: Section) -> bool:
        """Whether this is broken: a section ends after it starts."""
        return s["starts"] >= s["ends"]

    def _breaks_rule_4_a(self, a: Section) -> bool:
        """Whether this is broken: two open sections never use one room at the same time."""
        return (
            a["status"] == "open"
            and any(
                self._together(a, b)
                for b in self._sections_by_room_status.get((a["room_id"], "open"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4_b(self, b: Section) -> bool:
        """Whether this is broken: two open sections never use one room at the same time."""
        return (
            b["status"] == "open"
            and any(
                self._together(a, b)
                for a in self._sections_by_room_status.get((b["room_id"], "open"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5_a(self, a: Section) -> bool:
        """Whether this is broken: a lecturer never teaches two sections at the same time."""
        return (
            a["status"] == "open"
            and any(
                self._together(a, b)
                for b in self._sections_by_lecturer_status.get((a["lecturer"], "open"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5_b(self, b: Section) -> bool:
        """Whether this is broken: a lecturer never teaches two sections at the same time."""
        return (
            b["status"] == "open"
            and any(
                self._together(a, b)
                for a in self._sections_by_lecturer_status.get((b["lecturer"], "open"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_6(self, e: Enrolment) -> bool:
        """Whether this is broken: a student is enrolled in, waits for or has passed a course only once."""
        return (
            e["status"] in ("enrolled", "waiting", "passed")
            and any(
                other_e is not e
                for other_e in self._enrolments_by_student.get(e["student_id"], {}).values()
                if self.sections[other_e["section_id"]]["course_id"] == self.sections[e["section_id"]]["course_id"]
                and other_e["status"] in ("enrolled", "waiting", "passed")
            )
        )

    def _breaks_rule_7(self, e: Enrolment) -> bool:
        """Whether this is broken: whoever is enrolled in a course or waits for it has passed everything it requires
        or has a waiver.
        """
        return (
            e["status"] in ("enrolled", "waiting")
            and not self._ready(
                self.students[e["student_id"]],
                self.courses[self.sections[e["section_id"]]["course_id"]],
            )
        )

    def _breaks_rule_8(self, e: Enrolment) -> bool:
        """Whether this is broken: a student never takes more credits in a term than allowed."""
        return (
            e["status"] == "enrolled"
            and self._load(
                self.students[e["student_id"]],
                self.terms[self.sections[e["section_id"]]["term_id"]],
            ) > self.students[e["student_id"]]["max_credits"]
        )

    def _breaks_rule_9_a(self, a: Enrolment) -> bool:
        """Whether this is broken: a student is never enrolled in two sections that meet at the same time."""
        return (
            a["status"] == "enrolled"
            and any(
                self._together(self.sections[a["section_id"]], self.sections[b["section_id"]])
                for b in self._enrolments_by_student_status.get((a["student_id"], "enrolled"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_9_b(self, b: Enrolment) -> bool:
        """Whether this is broken: a student is never enrolled in two sections that meet at the same time."""
        return (
            b["status"] == "enrolled"
            and any(
                self._together(self.sections[a["section_id"]], self.sections[b["section_id"]])
                for a in self._enrolments_by_student_status.get((b["student_id"], "enrolled"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_10(self, e: Enrolment) -> bool:
        """Whether this is broken: nobody is enrolled in a cancelled section or waits for it."""
        return e["status"] in ("enrolled", "waiting") and self.sections[e["section_id"]]["status"] != "open"

    def _breaks_rule_11(self, e: Enrolment) -> bool:
        """Whether this is broken: a mark decides between passed and failed, and only those have one."""
        return not (
            (e["mark"] is not None) == (e["status"] in ("passed", "failed"))
            and (
                e["mark"] is None
                or (
                    e["mark"] >= self.courses[self.sections[e["section_id"]]["course_id"]]["pass_mark"]
                ) == (e["status"] == "passed")
            )
        )

    def _breaks_rule_12(self, w: Waiver) -> bool:
        """Whether this is broken: a student has at most one waiver in force for a course."""
        return (
            w["status"] == "granted"
            and any(
                other_w is not w
                for other_w in self._waivers_by_student_course_status.get(
                    (w["student_id"], w["course_id"], "granted"),
                    {},
                ).values()
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
            case "sections":
                self._sections_by_crn.setdefault(record["crn"], {})[record["id"]] = record
                self._sections_by_lecturer_status.setdefault(
                    (record["lecturer"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sections_by_room_status.setdefault((record["room_id"], record["status"]), {})[record["id"]] = record
                self._sections_by_term.setdefault(record["term_id"], {})[record["id"]] = record
                self._sections_by_term_meets_on_room_status.setdefault(
                    (record["term_id"], record["meets_on"], record["room_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sections_by_term_meets_on_status.setdefault(
                    (record["term_id"], record["meets_on"], record["status"]),
                    {},
                )[record["id"]] = record
            case "enrolments":
                self._enrolments_by_section.setdefault(record["section_id"], {})[record["id"]] = record
                self._enrolments_by_section_status.setdefault(
                    (record["section_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._enrolments_by_student.setdefault(record["student_id"], {})[record["id"]] = record
                self._enrolments_by_student_status.setdefault(
                    (record["student_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "waivers":
                self._waivers_by_student_course_status.setdefault(
                    (record["student_id"], record["course_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._waivers_by_student_status.setdefault(
                    (record["student_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sections":
                del self._sections_by_crn[record["crn"]][record["id"]]
                del self._sections_by_lecturer_status[record["lecturer"], record["status"]][record["id"]]
                del self._sections_by_room_status[record["room_id"], record["status"]][record["id"]]
                del self._sections_by_term[record["term_id"]][record["id"]]
                del self._sections_by_term_meets_on_room_status[
                    record["term_id"],
                    record["meets_on"],
                    record["room_id"],
                    record["status"],
                ][record["id"]]
                del self._sections_by_term_meets_on_status[
                    record["term_id"],
                    record["meets_on"],
                    record["status"],
                ][record["id"]]
            case "enrolments":
                del self._enrolments_by_section[record["section_id"]][record["id"]]
                del self._enrolments_by_section_status[record["section_id"], record["status"]][record["id"]]
                del self._enrolments_by_student[record["student_id"]][record["id"]]
                del self._enrolments_by_student_status[record["student_id"], record["status"]][record["id"]]
            case "waivers":
                del self._waivers_by_student_course_status[
                    record["student_id"],
                    record["course_id"],
                    record["status"],
                ][record["id"]]
                del self._waivers_by_student_status[record["student_id"], record["status"]][record["id"]]
