"""School timetable. Compiled from blueprint.yaml; run `envscaler build school_timetable` after changing it there.

Keeps the weekly timetable of a school, lesson by lesson, and finds cover for teachers who are away.
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
    "A form has one lesson at a time, unless its groups are taught side by side.",
    "A teacher gives one lesson at a time.",
    "A room holds one lesson at a time.",
    "A form never gets more lessons of a subject than its weekly hours, and no more than two of them on one day.",
    "A form has each subject once in its plan, with a teacher who teaches it.",
    "A teacher is never given more hours than the contract says.",
    "A lesson is held in a room of the right kind with a seat for every pupil.",
    "Nobody teaches on their free day, and no form sits longer than its last period.",
    "The absences of one teacher never overlap.",
    "A lesson is covered once a day, and a cover names a substitute exactly when somebody takes it.",
    "Whoever covers a lesson is at school that day and has neither a lesson nor another cover at that time.",
    "Nobody covers more lessons in a week than was agreed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "place_lesson",
    "move_lesson",
    "swap_lessons",
    "remove_lesson",
    "set_weekly_hours",
    "hand_over",
    "report_absence",
    "assign_substitute",
    "drop_lesson",
    "shorten_absence",
    "sign_off_cover",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "subjects": ("name",),
    "teachers": ("name",),
    "rooms": ("name",),
    "forms": ("name",),
    "allocations": (),
    "lessons": (),
    "absences": (),
    "covers": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("absences", "teacher_id"),
    ("allocations", "form_id"),
    ("allocations", "teacher_id"),
    ("covers", "absence_id"),
    ("covers", "lesson_id"),
    ("covers", "status"),
    ("covers", "substitute_id"),
    ("lessons", "allocation_id"),
    ("lessons", "on_day"),
    ("lessons", "room_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Subject(TypedDict):
    id: str
    name: str
    room_kind: Literal["classroom", "laboratory", "sports_hall", "music_room", "computer_room"]


class Teacher(TypedDict):
    id: str
    name: str
    subject_ids: list[str]
    weekly_hours: int
    free_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None
    covers_a_week: int


class Room(TypedDict):
    id: str
    name: str
    kind: Literal["classroom", "laboratory", "sports_hall", "music_room", "computer_room"]
    seats: int


class Form(TypedDict):
    id: str
    name: str
    pupils: int
    last_period: int
    supervised: bool


class Allocation(TypedDict):
    id: str
    form_id: str
    subject_id: str
    weekly: int
    teacher_id: str
    band: Literal["belief", "language", "sports"] | None


class Lesson(TypedDict):
    id: str
    allocation_id: str
    on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    period: int
    room_id: str


class Absence(TypedDict):
    id: str
    teacher_id: str
    starts: str
    ends: str
    reason: Literal["illness", "training", "school_trip", "family"]


class Cover(TypedDict):
    id: str
    absence_id: str
    lesson_id: str
    held_on: str
    substitute_id: str | None
    status: Literal["open", "covered", "dropped", "signed_off"]


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


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class SchoolTimetable:
    """Keeps the weekly timetable of a school, lesson by lesson, and finds cover for teachers who are away."""

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.subjects: dict[str, Subject] = _copied(config.get("subjects", {}))
        self.teachers: dict[str, Teacher] = _copied(config.get("teachers", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.forms: dict[str, Form] = _copied(config.get("forms", {}))
        self.allocations: dict[str, Allocation] = _copied(config.get("allocations", {}))
        self.lessons: dict[str, Lesson] = _copied(config.get("lessons", {}))
        self.absences: dict[str, Absence] = _copied(config.get("absences", {}))
        self.covers: dict[str, Cover] = _copied(config.get("covers", {}))
        self.now: str = config.get("now", "2026-10-05T07:10")
        self.counters: dict[str, int] = {
            "subject": len(self.subjects),
            "teacher": len(self.teachers),
            "room": len(self.rooms),
            "form": len(self.forms),
            "allocation": len(self.allocations),
            "lesson": len(self.lessons),
            "absence": len(self.absences),
            "cover": len(self.covers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._allocations_by_form: dict[Any, dict[str, Allocation]] = {}
        self._allocations_by_teacher: dict[Any, dict[str, Allocation]] = {}
        self._lessons_by_allocation: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_allocation_on_day: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_on_day_room: dict[Any, dict[str, Lesson]] = {}
        self._absences_by_teacher: dict[Any, dict[str, Absence]] = {}
        self._covers_by_absence: dict[Any, dict[str, Cover]] = {}
        self._covers_by_absence_status: dict[Any, dict[str, Cover]] = {}
        self._covers_by_lesson: dict[Any, dict[str, Cover]] = {}
        self._covers_by_lesson_status: dict[Any, dict[str, Cover]] = {}
        self._covers_by_substitute: dict[Any, dict[str, Cover]] = {}
        self._covers_by_substitute_status: dict[Any, dict[str, Cover]] = {}
        for allocation in self.allocations.values():
            self._link("allocations", allocation)
        for lesson in self.lessons.values():
            self._link("lessons", lesson)
        for absence in self.absences.values():
            self._link("absences", absence)
        for cover in self.covers.values():
            self._link("covers", cover)

    def possible_substitutes(
        self,
        cover_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who could cover a lesson, those with the fewest covers so far first.

        Args:
            cover_id (str): Id of the cover, such as COVER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teachers": records}} or {"success": False, "error": why
                not}
        """
        cover = self.covers.get(cover_id)
        if cover is None:
            return _refused(f"There is no cover {cover_id!r}.")
        found = [
            t
            for t in self.teachers.values()
            if self._able(t, self.lessons[cover["lesson_id"]], cover["held_on"])
            and t["id"] != self.absences[cover["absence_id"]]["teacher_id"]
        ]
        found.sort(key=lambda t: (self._teacher_covers(t), t["name"], _age(t)))
        return _found(
            {
                "total": len(found),
                "teachers": [
                    {
                        "id": t["id"],
                        "name": t["name"],
                        "teaches_it": self._cover_subject(cover)["id"] in t["subject_ids"],
                        "covers": self._teacher_covers(t),
                        "left_this_week": t["covers_a_week"] - self._covers_in_week(t, cover["held_on"]),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def open_slots(
        self,
        allocation_id: str,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    ) -> Result:
        """When a form and its teacher could have another lesson of a subject on a day, with the rooms that are free
        then.

        Args:
            allocation_id (str): Id of the allocation, such as ALLOCATION-00001.
            on_day (str): Day of the week for the further lesson: Monday, Tuesday, Wednesday, Thursday or Friday.

        Returns:
            dict: {"success": True, "data": {periods, rooms}} or {"success": False, "error": why not}
        """
        allocation = self.allocations.get(allocation_id)
        if allocation is None:
            return _refused(f"There is no allocation {allocation_id!r}.")
        if self.teachers[allocation["teacher_id"]]["free_day"] == on_day:
            return _refused(f"{self.teachers[allocation['teacher_id']]['name']} does not work on {on_day}.")
        return _found(
            {
                "periods": [
                    *[
                        p
                        for p in _numbers(1, self.forms[allocation["form_id"]]["last_period"] + 1)
                        if self._slot_open(allocation, on_day, p)
                    ]
                ],
                "rooms": [
                    *[
                        r["name"]
                        for r in self.rooms.values()
                        if self._suits(r, allocation)
                        and any(
                            self._slot_open(allocation, on_day, p)
                            and self._using(r, on_day, p) is None
                            for p in _numbers(1, self.forms[allocation["form_id"]]["last_period"] + 1)
                        )
                    ]
                ],
            }
        )

    def day_plan(
        self,
        form_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The lessons of a form on a day, period by period, with what becomes of those whose teacher is away.

        Args:
            form_id (str): Id of the form, such as FORM-00001.
            on (str): Day whose lessons are listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}} or {"success": False, "error": why
                not}
        """
        form = self.forms.get(form_id)
        if form is None:
            return _refused(f"There is no form {form_id!r}.")
        found = [
            l
            for l in [
                l
                for _allocation in self._allocations_by_form.get(form_id, {}).values()
                for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
            ]
            if (self._lesson_form(l) is form and self._day_no(l["on_day"]) == _weekday(on))
        ]
        found.sort(key=lambda l: (l["period"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lessons": [
                    {
                        "id": l["id"],
                        "period": l["period"],
                        "subject": self.subjects[self.allocations[l["allocation_id"]]["subject_id"]]["name"],
                        "teacher": self._lesson_teacher(l)["name"],
                        "room": self.rooms[l["room_id"]]["name"],
                        "cover": next(
                            (
                                c["status"]
                                for c in sorted(self._covers_by_lesson.get(l["id"], {}).values(), key=_age)
                                if c["held_on"] == on
                            ),
                            None,
                        ),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def list_subjects(
        self,
        name: Text | None = None,
        room_kind: Literal["classroom", "laboratory", "sports_hall", "music_room", "computer_room"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the subjects, oldest first, all of them or only some.

        Args:
            name (str, optional): Only subjects whose name contains this text.
            room_kind (str, optional): Only subjects with this room kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subjects": records}}
        """
        found = [
            subject
            for subject in self.subjects.values()
            if (name is None or name.casefold() in subject["name"].casefold())
            and (room_kind is None or subject["room_kind"] == room_kind)
        ]
        return _found({"total": len(found), "subjects": [{**subject} for subject in _page(found, offset)]})

    def list_teachers(
        self,
        name: Text | None = None,
        free_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teachers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teachers whose name contains this text.
            free_day (str, optional): Only teachers with this free day.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teachers": records}}
        """
        found = [
            teacher
            for teacher in self.teachers.values()
            if (name is None or name.casefold() in teacher["name"].casefold())
            and (free_day is None or teacher["free_day"] == free_day)
        ]
        shown = [self._show_teacher(teacher) for teacher in _page(found, offset)]
        return _found({"total": len(found), "teachers": shown}, self._names_of_teachers(shown))

    def list_rooms(
        self,
        name: Text | None = None,
        kind: Literal["classroom", "laboratory", "sports_hall", "music_room", "computer_room"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            kind (str, optional): Only rooms with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (kind is None or room["kind"] == kind)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_forms(
        self,
        name: Text | None = None,
        supervised: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the forms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only forms whose name contains this text.
            supervised (bool, optional): Only forms that are supervised (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "forms": records}}
        """
        found = [
            form
            for form in self.forms.values()
            if (name is None or name.casefold() in form["name"].casefold())
            and (supervised is None or form["supervised"] == supervised)
        ]
        return _found({"total": len(found), "forms": [{**form} for form in _page(found, offset)]})

    def list_allocations(
        self,
        form_id: str | None = None,
        subject_id: str | None = None,
        teacher_id: str | None = None,
        band: Literal["belief", "language", "sports"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the allocations, oldest first, all of them or only some.

        Args:
            form_id (str, optional): Only allocations of this form.
            subject_id (str, optional): Only allocations of this subject.
            teacher_id (str, optional): Only allocations of this teacher.
            band (str, optional): Only allocations with this band.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "allocations": records}}
        """
        if form_id is not None and form_id not in self.forms:
            return _refused(f"There is no form {form_id!r}.")
        if subject_id is not None and subject_id not in self.subjects:
            return _refused(f"There is no subject {subject_id!r}.")
        if teacher_id is not None and teacher_id not in self.teachers:
            return _refused(f"There is no teacher {teacher_id!r}.")
        found = [
            allocation
            for allocation in self.allocations.values()
            if (form_id is None or allocation["form_id"] == form_id)
            and (subject_id is None or allocation["subject_id"] == subject_id)
            and (teacher_id is None or allocation["teacher_id"] == teacher_id)
            and (band is None or allocation["band"] == band)
        ]
        shown = [self._show_allocation(allocation) for allocation in _page(found, offset)]
        return _found({"total": len(found), "allocations": shown}, self._names_of_allocations(shown))

    def list_lessons(
        self,
        allocation_id: str | None = None,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None = None,
        room_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lessons, oldest first, all of them or only some.

        Args:
            allocation_id (str, optional): Only lessons of this allocation.
            on_day (str, optional): Only lessons with this on day.
            room_id (str, optional): Only lessons of this room.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}}
        """
        if allocation_id is not None and allocation_id not in self.allocations:
            return _refused(f"There is no allocation {allocation_id!r}.")
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            lesson
            for lesson in self.lessons.values()
            if (allocation_id is None or lesson["allocation_id"] == allocation_id)
            and (on_day is None or lesson["on_day"] == on_day)
            and (room_id is None or lesson["room_id"] == room_id)
        ]
        shown = [self._show_lesson(lesson) for lesson in _page(found, offset)]
        return _found({"total": len(found), "lessons": shown}, self._names_of_lessons(shown))

    def list_absences(
        self,
        teacher_id: str | None = None,
        reason: Literal["illness", "training", "school_trip", "family"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the absences, oldest first, all of them or only some.

        Args:
            teacher_id (str, optional): Only absences of this teacher.
            reason (str, optional): Only absences with this reason.
            starts_from (str, optional): Only absences whose `starts` is on this day or later.
            starts_to (str, optional): Only absences whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "absences": records}}
        """
        if teacher_id is not None and teacher_id not in self.teachers:
            return _refused(f"There is no teacher {teacher_id!r}.")
        found = [
            absence
            for absence in self.absences.values()
            if (teacher_id is None or absence["teacher_id"] == teacher_id)
            and (reason is None or absence["reason"] == reason)
            and (starts_from is None or absence["starts"] >= starts_from)
            and (starts_to is None or absence["starts"] <= starts_to)
        ]
        shown = [{**absence} for absence in _page(found, offset)]
        return _found({"total": len(found), "absences": shown}, self._names_of_absences(shown))

    def list_covers(
        self,
        absence_id: str | None = None,
        lesson_id: str | None = None,
        substitute_id: str | None = None,
        status: Literal["open", "covered", "dropped", "signed_off"] | None = None,
        held_on_from: Date | None = None,
        held_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the covers, oldest first, all of them or only some.

        Args:
            absence_id (str, optional): Only covers of this absence.
            lesson_id (str, optional): Only covers of this lesson.
            substitute_id (str, optional): Only covers whose substitute is this teacher.
            status (str, optional): Only covers with this status.
            held_on_from (str, optional): Only covers whose `held_on` is on this day or later.
            held_on_to (str, optional): Only covers whose `held_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "covers": records}}
        """
        if absence_id is not None and absence_id not in self.absences:
            return _refused(f"There is no absence {absence_id!r}.")
        if lesson_id is not None and lesson_id not in self.lessons:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if substitute_id is not None and substitute_id not in self.teachers:
            return _refused(f"There is no teacher {substitute_id!r}.")
        found = [
            cover
            for cover in self.covers.values()
            if (absence_id is None or cover["absence_id"] == absence_id)
            and (lesson_id is None or cover["lesson_id"] == lesson_id)
            and (substitute_id is None or cover["substitute_id"] == substitute_id)
            and (status is None or cover["status"] == status)
            and (held_on_from is None or cover["held_on"] >= held_on_from)
            and (held_on_to is None or cover["held_on"] <= held_on_to)
        ]
        shown = [self._show_cover(cover) for cover in _page(found, offset)]
        return _found({"total": len(found), "covers": shown}, self._names_of_covers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def place_lesson(
        self,
        allocation_id: str,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
        period: Annotated[int, {"minimum": 1, "maximum": 8}],
        room_id: str,
    ) -> Result:
        """Put a lesson that is still missing into the timetable of a form; subjects of one band, such as religion and
        ethics, are taught side by side to the groups of a form.

        Args:
            allocation_id (str): Id of the allocation, such as ALLOCATION-00001.
            on_day (str): Day of the week for the lesson: Monday, Tuesday, Wednesday, Thursday or Friday.
            period (int): Number of the lesson hour in the day, from 1 to 8.
            room_id (str): Id of the room, such as ROOM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        allocation = self.allocations.get(allocation_id)
        if allocation is None:
            return _refused(f"There is no allocation {allocation_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if self._allocation_missing(allocation) <= 0:
            return _refused(
                f"All {allocation['weekly']} lessons of {self.subjects[allocation['subject_id']]['name']} for "
                f"{self.forms[allocation['form_id']]['name']} are placed, so raise the weekly hours first."
            )
        teacher = self.teachers[allocation["teacher_id"]]
        gone = self._away_soon(teacher)
        if gone is not None:
            return _refused(f"{teacher['name']} is away until {gone['ends']}, so place the lesson afterwards.")
        if period > self.forms[allocation["form_id"]]["last_period"]:
            return _refused(
                f"{self.forms[allocation['form_id']]['name']} goes home after period "
                f"{self.forms[allocation['form_id']]['last_period']}."
            )
        if teacher["free_day"] == on_day:
            return _refused(f"{teacher['name']} does not work on {on_day}.")
        if len(self._lessons_by_allocation_on_day.get((allocation_id, on_day), {})) >= 2:
            return _refused(
                f"{self.forms[allocation['form_id']]['name']} has "
                f"{self.subjects[allocation['subject_id']]['name']} twice on {on_day} already."
            )
        other = self._in_the_way(allocation, on_day, period, None, None)
        if other is not None:
            return _refused(
                f"{self.forms[allocation['form_id']]['name']} has "
                f"{self.subjects[self.allocations[other['allocation_id']]['subject_id']]['name']} on {on_day} in "
                f"period {period}."
            )
        own = self._teaching(teacher, self._day_no(on_day), period)
        if own is not None:
            return _refused(
                f"{teacher['name']} teaches {self._lesson_form(own)['name']} on {on_day} in period {period}."
            )
        duty = self._bound(teacher, on_day, period)
        if duty is not None:
            return _refused(
                f"{teacher['name']} covers a lesson of {self._cover_form(duty)['name']} on {duty['held_on']} in "
                f"period {period}."
            )
        if room["kind"] != self.subjects[allocation["subject_id"]]["room_kind"]:
            return _refused(
                f"{self.subjects[allocation['subject_id']]['name']} needs another kind of room than {room['name']}."
            )
        if room["seats"] < self.forms[allocation["form_id"]]["pupils"]:
            return _refused(
                f"{room['name']} has {room['seats']} seats and {self.forms[allocation['form_id']]['name']} "
                f"{self.forms[allocation['form_id']]['pupils']} pupils."
            )
        user = self._using(room, on_day, period)
        if user is not None:
            return _refused(
                f"{room['name']} is used by {self._lesson_form(user)['name']} on {on_day} in period {period}."
            )
        self._journal = []
        lesson: Lesson = {
            "id": self._new_id("lesson", "LESSON", self.lessons),
            "allocation_id": allocation_id,
            "on_day": on_day,
            "period": period,
            "room_id": room_id,
        }
        self._add("lessons", lesson)
        if self._breaks_rule_1_a(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lesson):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lesson):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(self.allocations[lesson["allocation_id"]]):
            return self._take_back(RULES[3])
        for one_lesson in _distinct([lesson, *self._lessons_by_allocation.get(lesson["allocation_id"], {}).values()]):
            if self._breaks_rule_4_l(one_lesson):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        for one_cover in _distinct(
            self._covers_by_substitute_status.get(
                (self.allocations[lesson["allocation_id"]]["teacher_id"], "covered"),
                {},
            ).values()
        ):
            if self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: place {self.subjects[allocation['subject_id']]['name']} for "
                f"{self.forms[allocation['form_id']]['name']} on {on_day} in period {period} in {room['name']} "
                f"(new: lesson {lesson['id']})."
            ),
            "data": {"lesson_id": lesson["id"], **self._changes()},
        }

    def move_lesson(
        self,
        lesson_id: str,
        on_day: Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] | None = None,
        period: Annotated[int, {"minimum": 1, "maximum": 8}] | None = None,
        room_id: str | None = None,
    ) -> Result:
        """Move a lesson to another day, period or room; what is not named stays.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            on_day (str, optional): New day of the week: Monday, Tuesday, Wednesday, Thursday or Friday. If left
                out, the day stays the same.
            period (int, optional): Number of the new lesson hour in the day, from 1 to 8. If left out, the period
                stays the same.
            room_id (str, optional): Other room for the lesson; an id such as ROOM-00001. If left out, the room
                stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        to_day = on_day if on_day is not None else lesson["on_day"]
        at = period if period is not None else lesson["period"]
        there = room or self.rooms[lesson["room_id"]]
        if to_day == lesson["on_day"] and at == lesson["period"] and there["id"] == lesson["room_id"]:
            return _refused("The lesson is there already.")
        due = self._pending(lesson)
        if due is not None:
            return _refused(f"The lesson is down for cover on {due['held_on']}, so settle that first.")
        gone = self._away_soon(self._lesson_teacher(lesson))
        if gone is not None and there["id"] == lesson["room_id"]:
            return _refused(
                f"{self._lesson_teacher(lesson)['name']} is away until {gone['ends']}, so only the room can change."
            )
        if not (gone is None or to_day == lesson["on_day"] and at == lesson["period"]):
            return _refused(
                f"{self._lesson_teacher(lesson)['name']} is away until {gone['ends']}, so only the room can change."
            )
        if at > self._lesson_form(lesson)["last_period"]:
            return _refused(
                f"{self._lesson_form(lesson)['name']} goes home after period "
                f"{self._lesson_form(lesson)['last_period']}."
            )
        if self._lesson_teacher(lesson)["free_day"] == to_day:
            return _refused(f"{self._lesson_teacher(lesson)['name']} does not work on {to_day}.")
        if sum(
            1
            for l in self._lessons_by_allocation_on_day.get((lesson["allocation_id"], to_day), {}).values()
            if l is not lesson
        ) >= 2:
            return _refused(
                f"{self._lesson_form(lesson)['name']} has "
                f"{self.subjects[self.allocations[lesson['allocation_id']]['subject_id']]['name']} twice on "
                f"{to_day} already."
            )
        other = self._in_the_way(self.allocations[lesson["allocation_id"]], to_day, at, lesson, None)
        if other is not None:
            return _refused(
                f"{self._lesson_form(lesson)['name']} has "
                f"{self.subjects[self.allocations[other['allocation_id']]['subject_id']]['name']} on {to_day} in "
                f"period {at}, so swap the two or choose another time."
            )
        own = next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_teacher.get(
                            self.allocations[lesson["allocation_id"]]["teacher_id"],
                            {},
                        ).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if l is not lesson
                and l["on_day"] == to_day
                and l["period"] == at
            ),
            None,
        )
        if own is not None:
            return _refused(
                f"{self._lesson_teacher(lesson)['name']} teaches {self._lesson_form(own)['name']} on {to_day} in "
                f"period {at}."
            )
        duty = self._bound(self._lesson_teacher(lesson), to_day, at)
        if duty is not None:
            return _refused(
                f"{self._lesson_teacher(lesson)['name']} covers a lesson of {self._cover_form(duty)['name']} on "
                f"{duty['held_on']} in period {at}."
            )
        if not self._suits(there, self.allocations[lesson["allocation_id"]]):
            return _refused(
                f"{there['name']} does not suit "
                f"{self.subjects[self.allocations[lesson['allocation_id']]['subject_id']]['name']} for "
                f"{self._lesson_form(lesson)['pupils']} pupils."
            )
        user = next(
            (
                l
                for l in sorted(self._lessons_by_on_day_room.get((to_day, there["id"]), {}).values(), key=_age)
                if l is not lesson
                and l["period"] == at
            ),
            None,
        )
        if user is not None:
            return _refused(
                f"{there['name']} is used by {self._lesson_form(user)['name']} on {to_day} in period {at}."
            )
        self._journal = []
        self._put("lessons", lesson, "on_day", to_day)
        if not 1 <= at <= 8:
            return self._take_back(f"The period of {lesson['id']} must be between 1 and 8.")
        self._put("lessons", lesson, "period", at)
        self._put("lessons", lesson, "room_id", there["id"])
        if self._breaks_rule_1_a(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lesson):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lesson):
            return self._take_back(RULES[2])
        for one_lesson in _distinct([lesson, *self._lessons_by_allocation.get(lesson["allocation_id"], {}).values()]):
            if self._breaks_rule_4_l(one_lesson):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        for one_cover in _distinct(self._covers_by_lesson_status.get((lesson["id"], "covered"), {}).values()):
            if self._breaks_rule_11_c(one_cover):
                return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                *self._covers_by_substitute_status.get(
                    (self.allocations[lesson["allocation_id"]]["teacher_id"], "covered"),
                    {},
                ).values(),
                *self._covers_by_lesson_status.get((lesson["id"], "covered"), {}).values(),
            ]
        ):
            if self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        done = f"move {self.subjects[self.allocations[lesson['allocation_id']]['subject_id']]['name']} of {self._lesson_form(lesson)['name']}"
        if on_day is not None:
            done += f" to {on_day}"
        if period is not None:
            done += f" to period {period}"
        if room is not None:
            done += f" to {room['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def swap_lessons(self, one_id: str, other_id: str) -> Result:
        """Let two lessons of one form change places in the week; each keeps its room.

        Args:
            one_id (str): First of the two lessons; an id such as LESSON-00001.
            other_id (str): Lesson of the same form in another subject; an id such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.lessons.get(one_id)
        if one is None:
            return _refused(f"There is no lesson {one_id!r}.")
        other = self.lessons.get(other_id)
        if other is None:
            return _refused(f"There is no lesson {other_id!r}.")
        if self._lesson_form(one) is not self._lesson_form(other):
            return _refused(
                f"{self._lesson_form(one)['name']} and {self._lesson_form(other)['name']} are two forms, so move "
                "the lessons one by one."
            )
        if one["allocation_id"] == other["allocation_id"]:
            return _refused(
                f"Both lessons are {self.subjects[self.allocations[one['allocation_id']]['subject_id']]['name']}, "
                "so swapping them changes nothing."
            )
        due = self._pending(one) or self._pending(other)
        if due is not None:
            return _refused(
                f"A lesson of {self._cover_subject(due)['name']} is down for cover on {due['held_on']}, so settle "
                "that first."
            )
        gone = self._away_soon(self._lesson_teacher(one)) or self._away_soon(self._lesson_teacher(other))
        if gone is not None:
            return _refused(f"{self.teachers[gone['teacher_id']]['name']} is away until {gone['ends']}.")
        if self._lesson_teacher(one)["free_day"] == other["on_day"]:
            return _refused(f"{self._lesson_teacher(one)['name']} does not work on {other['on_day']}.")
        if self._lesson_teacher(other)["free_day"] == one["on_day"]:
            return _refused(f"{self._lesson_teacher(other)['name']} does not work on {one['on_day']}.")
        if (
            one["on_day"] != other["on_day"]
            and len(self._lessons_by_allocation_on_day.get((one["allocation_id"], other["on_day"]), {})) >= 2
        ):
            return _refused(
                f"{self._lesson_form(one)['name']} has "
                f"{self.subjects[self.allocations[one['allocation_id']]['subject_id']]['name']} twice on "
                f"{other['on_day']} already."
            )
        if (
            one["on_day"] != other["on_day"]
            and len(self._lessons_by_allocation_on_day.get((other["allocation_id"], one["on_day"]), {})) >= 2
        ):
            return _refused(
                f"{self._lesson_form(one)['name']} has "
                f"{self.subjects[self.allocations[other['allocation_id']]['subject_id']]['name']} twice on "
                f"{one['on_day']} already."
            )
        third = (
            self._in_the_way(self.allocations[one["allocation_id"]], other["on_day"], other["period"], one, other)
            or self._in_the_way(self.allocations[other["allocation_id"]], one["on_day"], one["period"], one, other)
        )
        if third is not None:
            return _refused(
                f"{self.subjects[self.allocations[third['allocation_id']]['subject_id']]['name']} of "
                f"{self._lesson_form(third)['name']} on {third['on_day']} in period {third['period']} is taught "
                "beside one of them and would be in the way."
            )
        first_own = next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_teacher.get(
                            self.allocations[one["allocation_id"]]["teacher_id"],
                            {},
                        ).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if l is not other
                and l["on_day"] == other["on_day"]
                and l["period"] == other["period"]
            ),
            None,
        )
        if first_own is not None:
            return _refused(
                f"{self._lesson_teacher(one)['name']} teaches {self._lesson_form(first_own)['name']} on "
                f"{other['on_day']} in period {other['period']}."
            )
        second_own = next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_teacher.get(
                            self.allocations[other["allocation_id"]]["teacher_id"],
                            {},
                        ).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if l is not one
                and l["on_day"] == one["on_day"]
                and l["period"] == one["period"]
            ),
            None,
        )
        if second_own is not None:
            return _refused(
                f"{self._lesson_teacher(other)['name']} teaches {self._lesson_form(second_own)['name']} on "
                f"{one['on_day']} in period {one['period']}."
            )
        duty = (
            self._bound(self._lesson_teacher(one), other["on_day"], other["period"])
            or self._bound(self._lesson_teacher(other), one["on_day"], one["period"])
        )
        if duty is not None:
            return _refused(f"A cover on {duty['held_on']} in period {self._cover_period(duty)} stands in the way.")
        first_user = next(
            (
                l
                for l in sorted(
                    self._lessons_by_on_day_room.get((other["on_day"], one["room_id"]), {}).values(),
                    key=_age,
                )
                if l is not other
                and l["period"] == other["period"]
            ),
            None,
        )
        if first_user is not None:
            return _refused(
                f"{self.rooms[one['room_id']]['name']} is used by {self._lesson_form(first_user)['name']} on "
                f"{other['on_day']} in period {other['period']}."
            )
        second_user = next(
            (
                l
                for l in sorted(
                    self._lessons_by_on_day_room.get((one["on_day"], other["room_id"]), {}).values(),
                    key=_age,
                )
                if l is not one
                and l["period"] == one["period"]
            ),
            None,
        )
        if second_user is not None:
            return _refused(
                f"{self.rooms[other['room_id']]['name']} is used by {self._lesson_form(second_user)['name']} on "
                f"{one['on_day']} in period {one['period']}."
            )
        self._journal = []
        on_day = one["on_day"]
        period = one["period"]
        self._put("lessons", one, "on_day", other["on_day"])
        self._put("lessons", one, "period", other["period"])
        self._put("lessons", other, "on_day", on_day)
        if not 1 <= period <= 8:
            return self._take_back(f"The period of {other['id']} must be between 1 and 8.")
        self._put("lessons", other, "period", period)
        if self._breaks_rule_1_a(one):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a(other):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(one):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(other):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(one):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(other):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(one):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(other):
            return self._take_back(RULES[2])
        for one_lesson in _distinct(
            [
                one,
                other,
                *[
                    user
                    for one in [self.allocations[one["allocation_id"]] for one in [one]]
                    for user in self._lessons_by_allocation.get(one["id"], {}).values()
                ],
                *self._lessons_by_allocation.get(other["allocation_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4_l(one_lesson):
                return self._take_back(RULES[3])
        if self._breaks_rule_8(one):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(other):
            return self._take_back(RULES[7])
        for one_cover in _distinct(
            [
                *[
                    user
                    for one in [one]
                    for user in self._covers_by_lesson_status.get((one["id"], "covered"), {}).values()
                ],
                *self._covers_by_lesson_status.get((other["id"], "covered"), {}).values(),
            ]
        ):
            if self._breaks_rule_11_c(one_cover):
                return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                *[
                    user
                    for one in [
                        self.teachers[one["teacher_id"]]
                        for one in [self.allocations[one["allocation_id"]] for one in [one]]
                    ]
                    for user in self._covers_by_substitute_status.get((one["id"], "covered"), {}).values()
                ],
                *[
                    user
                    for one in [one]
                    for user in self._covers_by_lesson_status.get((one["id"], "covered"), {}).values()
                ],
                *self._covers_by_substitute_status.get(
                    (self.allocations[other["allocation_id"]]["teacher_id"], "covered"),
                    {},
                ).values(),
                *self._covers_by_lesson_status.get((other["id"], "covered"), {}).values(),
            ]
        ):
            if self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: swap {self.subjects[self.allocations[one['allocation_id']]['subject_id']]['name']} and "
                f"{self.subjects[self.allocations[other['allocation_id']]['subject_id']]['name']} of "
                f"{self._lesson_form(one)['name']}."
            ),
            "data": self._changes(),
        }

    def remove_lesson(self, lesson_id: str) -> Result:
        """Take a lesson that was never covered out of the timetable.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if self._covers_by_lesson.get(lesson_id, {}):
            return _refused(
                "There are covers on record for "
                f"{self.subjects[self.allocations[lesson['allocation_id']]['subject_id']]['name']} of "
                f"{self._lesson_form(lesson)['name']} on {lesson['on_day']}, so move it instead."
            )
        self._journal = []
        self._remove("lessons", lesson)
        users = len(self._covers_by_lesson.get(lesson["id"], {}))
        if users:
            return self._take_back(
                f"Lesson {lesson['id']} is still used by {users} {'cover' if users == 1 else 'covers'}."
            )
        if self._breaks_rule_4_a(self.allocations[lesson["allocation_id"]]):
            return self._take_back(RULES[3])
        for one_lesson in _distinct(self._lessons_by_allocation.get(lesson["allocation_id"], {}).values()):
            if one_lesson["id"] in self.lessons and self._breaks_rule_4_l(one_lesson):
                return self._take_back(RULES[3])
        for one_cover in _distinct(self._covers_by_lesson_status.get((lesson["id"], "covered"), {}).values()):
            if self._breaks_rule_11_c(one_cover):
                return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                *self._covers_by_substitute_status.get(
                    (self.allocations[lesson["allocation_id"]]["teacher_id"], "covered"),
                    {},
                ).values(),
                *self._covers_by_lesson_status.get((lesson["id"], "covered"), {}).values(),
            ]
        ):
            if self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: remove {self.subjects[self.allocations[lesson['allocation_id']]['subject_id']]['name']} "
                f"of {self._lesson_form(lesson)['name']} on {lesson['on_day']} in period {lesson['period']}."
            ),
            "data": self._changes(),
        }

    def set_weekly_hours(self, allocation_id: str, weekly: Annotated[int, {"minimum": 1, "maximum": 6}]) -> Result:
        """Say how many lessons of a subject a form has in a week.

        Args:
            allocation_id (str): Id of the allocation, such as ALLOCATION-00001.
            weekly (int): Lessons of the subject in a week, from 1 to 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        allocation = self.allocations.get(allocation_id)
        if allocation is None:
            return _refused(f"There is no allocation {allocation_id!r}.")
        if weekly == allocation["weekly"]:
            return _refused(
                f"{self.forms[allocation['form_id']]['name']} has {weekly} hours of "
                f"{self.subjects[allocation['subject_id']]['name']} already."
            )
        if weekly < allocation["weekly"] - self._allocation_missing(allocation):
            return _refused(
                f"{allocation['weekly'] - self._allocation_missing(allocation)} lessons of "
                f"{self.subjects[allocation['subject_id']]['name']} are placed for "
                f"{self.forms[allocation['form_id']]['name']}, so remove some first."
            )
        if weekly - allocation["weekly"] > self._teacher_hours_left(self.teachers[allocation["teacher_id"]]):
            return _refused(
                f"{self.teachers[allocation['teacher_id']]['name']} has "
                f"{self._teacher_hours_left(self.teachers[allocation['teacher_id']])} hours left in the contract."
            )
        self._journal = []
        self._put("allocations", allocation, "weekly", weekly)
        if self._breaks_rule_4_a(allocation):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.teachers[allocation["teacher_id"]]):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: give {self.forms[allocation['form_id']]['name']} {weekly} hours of "
                f"{self.subjects[allocation['subject_id']]['name']} a week."
            ),
            "data": self._changes(),
        }

    def hand_over(self, allocation_id: str, teacher_id: str) -> Result:
        """Give a subject of a form, with all its lessons, to another teacher.

        Args:
            allocation_id (str): Id of the allocation, such as ALLOCATION-00001.
            teacher_id (str): Id of the teacher, such as TEACHER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        allocation = self.allocations.get(allocation_id)
        if allocation is None:
            return _refused(f"There is no allocation {allocation_id!r}.")
        teacher = self.teachers.get(teacher_id)
        if teacher is None:
            return _refused(f"There is no teacher {teacher_id!r}.")
        if teacher_id == allocation["teacher_id"]:
            return _refused(
                f"{teacher['name']} teaches {self.subjects[allocation['subject_id']]['name']} in "
                f"{self.forms[allocation['form_id']]['name']} already."
            )
        if allocation["subject_id"] not in teacher["subject_ids"]:
            return _refused(f"{teacher['name']} does not teach {self.subjects[allocation['subject_id']]['name']}.")
        if self._teacher_hours_left(teacher) < allocation["weekly"]:
            return _refused(
                f"{teacher['name']} has {self._teacher_hours_left(teacher)} hours left, not {allocation['weekly']}."
            )
        due = next(
            (
                c
                for c in sorted(
                    [
                        c
                        for _lesson in self._lessons_by_allocation.get(allocation_id, {}).values()
                        for c in self._covers_by_lesson.get(_lesson["id"], {}).values()
                    ],
                    key=_age,
                )
                if (c["status"] in ("open", "covered") or c["held_on"] >= self.now[:10])
            ),
            None,
        )
        if due is not None:
            return _refused(f"A lesson is down for cover on {due['held_on']}, so settle that first.")
        gone = self._away_soon(teacher)
        if gone is not None:
            return _refused(f"{teacher['name']} is away until {gone['ends']}.")
        off_day = next(
            (
                l
                for l in sorted(
                    self._lessons_by_allocation_on_day.get((allocation_id, teacher["free_day"]), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if off_day is not None:
            return _refused(f"{teacher['name']} does not work on {off_day['on_day']}.")
        clash = next(
            (
                l
                for l in sorted(self._lessons_by_allocation.get(allocation_id, {}).values(), key=_age)
                if self._teaching(teacher, self._day_no(l["on_day"]), l["period"]) is not None
            ),
            None,
        )
        if clash is not None:
            return _refused(
                f"{teacher['name']} has a lesson on {clash['on_day']} in period {clash['period']} already."
            )
        duty = next(
            (
                l
                for l in sorted(self._lessons_by_allocation.get(allocation_id, {}).values(), key=_age)
                if self._bound(teacher, l["on_day"], l["period"]) is not None
            ),
            None,
        )
        if duty is not None:
            return _refused(f"{teacher['name']} covers a lesson on a {duty['on_day']} in period {duty['period']}.")
        self._journal = []
        former_teacher_id = allocation["teacher_id"]
        self._put("allocations", allocation, "teacher_id", teacher_id)
        for one_lesson in _distinct(self._lessons_by_allocation.get(allocation["id"], {}).values()):
            if self._breaks_rule_2(one_lesson):
                return self._take_back(RULES[1])
        if self._breaks_rule_5_a_again(allocation):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.teachers[allocation["teacher_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.teachers[former_teacher_id]):
            return self._take_back(RULES[5])
        for one_lesson in _distinct(self._lessons_by_allocation.get(allocation["id"], {}).values()):
            if self._breaks_rule_8(one_lesson):
                return self._take_back(RULES[7])
        for one_cover in _distinct(
            [
                *self._covers_by_substitute_status.get((allocation["teacher_id"], "covered"), {}).values(),
                *self._covers_by_substitute_status.get((former_teacher_id, "covered"), {}).values(),
            ]
        ):
            if self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hand {self.subjects[allocation['subject_id']]['name']} in "
                f"{self.forms[allocation['form_id']]['name']} over to {teacher['name']}."
            ),
            "data": self._changes(),
        }

    def report_absence(
        self,
        teacher_id: str,
        starts: Date,
        ends: Date,
        reason: Literal["illness", "training", "school_trip", "family"],
    ) -> Result:
        """Report a teacher absent; every lesson of those days then waits for cover, and so does what they were to
        cover.

        Args:
            teacher_id (str): Id of the teacher, such as TEACHER-00001.
            starts (str): First day of the absence, from today on, as YYYY-MM-DD.
            ends (str): Last day of the absence, 20 days after the first at most, as YYYY-MM-DD.
            reason (str): Why the teacher is away: illness, training, school_trip or family.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        teacher = self.teachers.get(teacher_id)
        if teacher is None:
            return _refused(f"There is no teacher {teacher_id!r}.")
        if starts < self.now[:10]:
            return _refused(f"{starts} is in the past.")
        if starts > ends or ends > _plus_days(starts, 20):
            return _refused(f"An absence lasts from {starts} to {_plus_days(starts, 20)} at most.")
        known = next(
            (
                a
                for a in sorted(self._absences_by_teacher.get(teacher_id, {}).values(), key=_age)
                if a["starts"] <= ends
                and starts <= a["ends"]
            ),
            None,
        )
        if known is not None:
            return _refused(f"{teacher['name']} is down as absent from {known['starts']} to {known['ends']} already.")
        self._journal = []
        added_covers: list[Any] = []
        changed_covers: list[Any] = []
        former_substitute_ids: list[Any] = []
        changed_covers_2: list[Any] = []
        absence: Absence = {
            "id": self._new_id("absence", "ABSENCE", self.absences),
            "teacher_id": teacher_id,
            "starts": starts,
            "ends": ends,
            "reason": reason,
        }
        self._add("absences", absence)
        for d in list(_dates(starts, _plus_days(ends, 1))):
            for l in [
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_teacher.get(teacher_id, {}).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if self._day_no(l["on_day"]) == _weekday(d)
            ]:
                cover = {
                    "id": self._new_id("cover", "COVER", self.covers),
                    "absence_id": absence["id"],
                    "lesson_id": l["id"],
                    "held_on": d,
                    "substitute_id": None,
                    "status": "open",
                }
                self._add("covers", cover)
                added_covers.append(cover)
        for c in [
            c
            for c in sorted(self._covers_by_substitute_status.get((teacher_id, "covered"), {}).values(), key=_age)
            if (starts <= c["held_on"] and c["held_on"] <= ends)
        ]:
            changed_covers.append(c)
            former_substitute_ids.append(c["substitute_id"])
            self._put("covers", c, "substitute_id", None)
            if c["status"] not in ("open", "covered"):
                return self._take_back(f"Cover {c['id']} cannot go from {c['status']} to open.")
            changed_covers_2.append(c)
            self._put("covers", c, "status", "open")
        if self._breaks_rule_9_a(absence):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_a_again(absence):
            return self._take_back(RULES[8])
        for one_cover in _distinct(added_covers):
            if self._breaks_rule_10_c(one_cover):
                return self._take_back(RULES[9])
        for one_cover in _distinct([*added_covers, *changed_covers, *changed_covers_2]):
            if self._breaks_rule_10_c_again(one_cover):
                return self._take_back(RULES[9])
        for one_cover in _distinct([*added_covers, *changed_covers, *changed_covers_2]):
            if self._breaks_rule_11_c(one_cover):
                return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                *self._covers_by_substitute_status.get((absence["teacher_id"], "covered"), {}).values(),
                *added_covers,
                *changed_covers,
                *changed_covers_2,
            ]
        ):
            if self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                *added_covers,
                *[
                    user
                    for one in [self.teachers.get(one["substitute_id"]) for one in added_covers]
                    if one is not None
                    for user in self._covers_by_substitute_status.get((one["id"], "covered"), {}).values()
                ],
                *changed_covers,
                *[
                    user
                    for one in [self.teachers.get(one["substitute_id"]) for one in changed_covers]
                    if one is not None
                    for user in self._covers_by_substitute_status.get((one["id"], "covered"), {}).values()
                ],
                *[
                    user
                    for one in [self.teachers.get(key) for key in former_substitute_ids]
                    if one is not None
                    for user in self._covers_by_substitute_status.get((one["id"], "covered"), {}).values()
                ],
                *changed_covers_2,
                *[
                    user
                    for one in [self.teachers.get(one["substitute_id"]) for one in changed_covers_2]
                    if one is not None
                    for user in self._covers_by_substitute_status.get((one["id"], "covered"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_cover):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: report {teacher['name']} absent from {starts} to {ends} (new: absence {absence['id']})."
            ),
            "data": {"absence_id": absence["id"], **self._changes()},
        }

    def assign_substitute(self, cover_id: str, teacher_id: str) -> Result:
        """Let a teacher cover a lesson, or another one than was planned.

        Args:
            cover_id (str): Id of the cover, such as COVER-00001.
            teacher_id (str): Id of the teacher, such as TEACHER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cover = self.covers.get(cover_id)
        if cover is None:
            return _refused(f"There is no cover {cover_id!r}.")
        teacher = self.teachers.get(teacher_id)
        if teacher is None:
            return _refused(f"There is no teacher {teacher_id!r}.")
        if cover["status"] not in ("open", "covered"):
            return _refused(
                f"The lesson of {self._cover_form(cover)['name']} on {cover['held_on']} is {cover['status']}."
            )
        if cover["held_on"] < self.now[:10]:
            return _refused(f"The lesson was on {cover['held_on']}.")
        if teacher_id == cover["substitute_id"]:
            return _refused(f"{teacher['name']} covers that lesson already.")
        gone = self._away(teacher, cover["held_on"])
        if gone is not None:
            return _refused(f"{teacher['name']} is away until {gone['ends']}.")
        if self._off(teacher, cover["held_on"]):
            return _refused(f"{teacher['name']} does not work that day.")
        own = self._teaching(teacher, _weekday(cover["held_on"]), self._cover_period(cover))
        if own is not None:
            return _refused(f"{teacher['name']} teaches {self._lesson_form(own)['name']} at that time.")
        other = self._standing_in(teacher, cover["held_on"], self._cover_period(cover))
        if other is not None:
            return _refused(f"{teacher['name']} covers a lesson of {self._cover_form(other)['name']} at that time.")
        if self._covers_in_week(teacher, cover["held_on"]) >= teacher["covers_a_week"]:
            return _refused(f"{teacher['name']} covers {teacher['covers_a_week']} lessons a week at most.")
        self._journal = []
        former_substitute_id = cover["substitute_id"]
        self._put("covers", cover, "substitute_id", teacher_id)
        self._put("covers", cover, "status", "covered")
        if self._breaks_rule_10_c_again(cover):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c(cover):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c_again(cover):
            return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                cover,
                *[
                    user
                    for one in [self.teachers.get(cover["substitute_id"])]
                    if one is not None
                    for user in self._covers_by_substitute_status.get(
                        (cover["substitute_id"], "covered"),
                        {},
                    ).values()
                ],
                *[
                    user
                    for one in [self.teachers.get(former_substitute_id)]
                    if one is not None
                    for user in self._covers_by_substitute_status.get((former_substitute_id, "covered"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_cover):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: let {teacher['name']} cover {self._cover_subject(cover)['name']} of "
                f"{self._cover_form(cover)['name']} on {cover['held_on']}."
            ),
            "data": self._changes(),
        }

    def drop_lesson(self, cover_id: str) -> Result:
        """Let an uncovered lesson fall out and send the form home; only after its last lesson of the day that is
        held.

        Args:
            cover_id (str): Id of the cover, such as COVER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cover = self.covers.get(cover_id)
        if cover is None:
            return _refused(f"There is no cover {cover_id!r}.")
        if cover["status"] != "open":
            return _refused(
                f"The lesson of {self._cover_form(cover)['name']} on {cover['held_on']} is {cover['status']}."
            )
        if cover["held_on"] < self.now[:10]:
            return _refused(f"The lesson was on {cover['held_on']}.")
        if self._cover_form(cover)["supervised"]:
            return _refused(
                f"{self._cover_form(cover)['name']} must be supervised until the end of the school day, so find a "
                "substitute."
            )
        later = self._after_it(self.lessons[cover["lesson_id"]], cover["held_on"])
        if later is not None:
            return _refused(
                f"{self._cover_form(cover)['name']} has "
                f"{self.subjects[self.allocations[later['allocation_id']]['subject_id']]['name']} in period "
                f"{later['period']} after it, so find a substitute."
            )
        self._journal = []
        self._put("covers", cover, "status", "dropped")
        if self._breaks_rule_10_c_again(cover):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c(cover):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c_again(cover):
            return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                cover,
                *[
                    user
                    for one in [self.teachers.get(cover["substitute_id"])]
                    if one is not None
                    for user in self._covers_by_substitute_status.get(
                        (cover["substitute_id"], "covered"),
                        {},
                    ).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_cover):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: drop {self._cover_subject(cover)['name']} of {self._cover_form(cover)['name']} on "
                f"{cover['held_on']}."
            ),
            "data": self._changes(),
        }

    def shorten_absence(self, absence_id: str, ends: Date) -> Result:
        """Let an absence end sooner; the covers of the days after that are no longer needed.

        Args:
            absence_id (str): Id of the absence, such as ABSENCE-00001.
            ends (str): New last day of the absence, earlier than now and not before yesterday, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        absence = self.absences.get(absence_id)
        if absence is None:
            return _refused(f"There is no absence {absence_id!r}.")
        if absence["starts"] > ends or ends >= absence["ends"]:
            return _refused(
                f"The absence of {self.teachers[absence['teacher_id']]['name']} lasts from {absence['starts']} to "
                f"{absence['ends']}, so it can end on a day before that."
            )
        if ends < _plus_days(self.now[:10], -1):
            return _refused(f"{ends} is too long ago.")
        if any(
            c["held_on"] > ends
            for c in self._covers_by_absence_status.get((absence_id, "signed_off"), {}).values()
        ):
            return _refused(
                f"Somebody has covered a lesson of {self.teachers[absence['teacher_id']]['name']} after {ends}."
            )
        self._journal = []
        deleted_covers: list[Any] = []
        self._put("absences", absence, "ends", ends)
        for c in [
            c
            for c in sorted(self._covers_by_absence.get(absence_id, {}).values(), key=_age)
            if c["held_on"] > ends
        ]:
            if c["id"] in self.covers:
                self._remove("covers", c)
            deleted_covers.append(c)
        if self._breaks_rule_9_a(absence):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_a_again(absence):
            return self._take_back(RULES[8])
        for one_cover in _distinct(
            self._covers_by_substitute_status.get((absence["teacher_id"], "covered"), {}).values()
        ):
            if one_cover["id"] in self.covers and self._breaks_rule_11_c_again(one_cover):
                return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                user
                for one in [self.teachers.get(one["substitute_id"]) for one in deleted_covers]
                if one is not None
                for user in self._covers_by_substitute_status.get((one["id"], "covered"), {}).values()
            ]
        ):
            if one_cover["id"] in self.covers and self._breaks_rule_12(one_cover):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: end the absence of {self.teachers[absence['teacher_id']]['name']} on {ends}.",
            "data": self._changes(),
        }

    def sign_off_cover(self, cover_id: str) -> Result:
        """Sign off that a substitute has given a lesson.

        Args:
            cover_id (str): Id of the cover, such as COVER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cover = self.covers.get(cover_id)
        if cover is None:
            return _refused(f"There is no cover {cover_id!r}.")
        if cover["status"] != "covered":
            return _refused(
                f"The lesson of {self._cover_form(cover)['name']} on {cover['held_on']} is {cover['status']}."
            )
        if cover["held_on"] > self.now[:10]:
            return _refused(f"The lesson is on {cover['held_on']} only.")
        self._journal = []
        self._put("covers", cover, "status", "signed_off")
        if self._breaks_rule_10_c_again(cover):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_c(cover):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_c_again(cover):
            return self._take_back(RULES[10])
        for one_cover in _distinct(
            [
                cover,
                *[
                    user
                    for one in [self.teachers.get(cover["substitute_id"])]
                    if one is not None
                    for user in self._covers_by_substitute_status.get(
                        (cover["substitute_id"], "covered"),
                        {},
                    ).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_cover):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: sign off the cover of {self._cover_form(cover)['name']} on {cover['held_on']} in period "
                f"{self._cover_period(cover)}."
            ),
            "data": self._changes(),
        }

    def _show_teacher(self, teacher: Teacher) -> dict[str, Any]:
        """The teacher as an answer shows it."""
        return {
            **teacher,
            "subject_ids": [*teacher["subject_ids"]],
            "hours_left": self._teacher_hours_left(teacher),
            "covers": self._teacher_covers(teacher),
        }

    def _show_allocation(self, allocation: Allocation) -> dict[str, Any]:
        """The allocation as an answer shows it."""
        return {**allocation, "missing": self._allocation_missing(allocation)}

    def _show_lesson(self, lesson: Lesson) -> dict[str, Any]:
        """The lesson as an answer shows it."""
        return {
            **lesson,
            "form_id": _id_of(self._lesson_form(lesson)),
            "teacher_id": _id_of(self._lesson_teacher(lesson)),
        }

    def _show_cover(self, cover: Cover) -> dict[str, Any]:
        """The cover as an answer shows it."""
        return {
            **cover,
            "absentee_id": _id_of(self._cover_absentee(cover)),
            "form_id": _id_of(self._cover_form(cover)),
            "subject_id": _id_of(self._cover_subject(cover)),
            "period": self._cover_period(cover),
        }

    def _names_of_teachers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that teachers point to."""
        return _names((self.subjects, "name", [each for row in shown for each in row["subject_ids"]]))

    def _names_of_allocations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that allocations point to."""
        return _names(
            (self.forms, "name", [row["form_id"] for row in shown]),
            (self.subjects, "name", [row["subject_id"] for row in shown]),
            (self.teachers, "name", [row["teacher_id"] for row in shown]),
        )

    def _names_of_lessons(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lessons point to."""
        return _names(
            (self.rooms, "name", [row["room_id"] for row in shown]),
            (self.forms, "name", [row["form_id"] for row in shown]),
            (self.teachers, "name", [row["teacher_id"] for row in shown]),
        )

    def _names_of_absences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that absences point to."""
        return _names((self.teachers, "name", [row["teacher_id"] for row in shown]))

    def _names_of_covers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that covers point to."""
        return _names(
            (self.teachers, "name", [row["substitute_id"] for row in shown]),
            (self.teachers, "name", [row["absentee_id"] for row in shown]),
            (self.forms, "name", [row["form_id"] for row in shown]),
            (self.subjects, "name", [row["subject_id"] for row in shown]),
        )

    def _teacher_hours_left(self, teacher: Teacher) -> int:
        """The hours left of a teacher."""
        return (
            teacher["weekly_hours"]
            - sum(a["weekly"] for a in self._allocations_by_teacher.get(teacher["id"], {}).values())
        )

    def _teacher_covers(self, teacher: Teacher) -> int:
        """The covers of a teacher."""
        return sum(
            1
            for c in self._covers_by_substitute.get(teacher["id"], {}).values()
            if c["status"] in ("covered", "signed_off")
        )

    def _allocation_missing(self, allocation: Allocation) -> int:
        """The missing of an allocation."""
        return allocation["weekly"] - len(self._lessons_by_allocation.get(allocation["id"], {}))

    def _lesson_form(self, lesson: Lesson) -> Form:
        """The form of a lesson."""
        return self.forms[self.allocations[lesson["allocation_id"]]["form_id"]]

    def _lesson_teacher(self, lesson: Lesson) -> Teacher:
        """The teacher of a lesson."""
        return self.teachers[self.allocations[lesson["allocation_id"]]["teacher_id"]]

    def _cover_absentee(self, cover: Cover) -> Teacher:
        """The absentee of a cover."""
        return self.teachers[self.absences[cover["absence_id"]]["teacher_id"]]

    def _cover_form(self, cover: Cover) -> Form:
        """The form of a cover."""
        return self.forms[self.allocations[self.lessons[cover["lesson_id"]]["allocation_id"]]["form_id"]]

    def _cover_subject(self, cover: Cover) -> Subject:
        """The subject of a cover."""
        return self.subjects[self.allocations[self.lessons[cover["lesson_id"]]["allocation_id"]]["subject_id"]]

    def _cover_period(self, cover: Cover) -> int:
        """The period of a cover."""
        return self.lessons[cover["lesson_id"]]["period"]

    def _day_no(self, d: str) -> int:
        return 1 if d == "Monday" else 2 if d == "Tuesday" else 3 if d == "Wednesday" else 4 if d == "Thursday" else 5

    def _monday_of(self, d: str) -> str:
        return _plus_days(d, -(_weekday(d) - 1))

    def _away(self, t: Teacher, d: str) -> Absence | None:
        return next(
            (
                a
                for a in sorted(self._absences_by_teacher.get(t["id"], {}).values(), key=_age)
                if (a["starts"] <= d and d <= a["ends"])
            ),
            None,
        )

    def _away_soon(self, t: Teacher) -> Absence | None:
        return next(
            (
                a
                for a in sorted(self._absences_by_teacher.get(t["id"], {}).values(), key=_age)
                if a["ends"] >= self.now[:10]
            ),
            None,
        )

    def _teaching(self, t: Teacher, n: int, p: int) -> Lesson | None:
        return next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_teacher.get(t["id"], {}).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if self._day_no(l["on_day"]) == n
                and l["period"] == p
            ),
            None,
        )

    def _sitting(self, f: Form, d: str, p: int) -> Lesson | None:
        return next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_form.get(f["id"], {}).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if l["on_day"] == d
                and l["period"] == p
            ),
            None,
        )

    def _side_by_side_defined(self, a: Allocation, b: Allocation) -> bool:
        return a is not b and a["form_id"] == b["form_id"] and a["band"] is not None and a["band"] == b["band"]

    def _in_the_way(self, a: Allocation, d: str, p: int, own: Lesson | None, swapped: Lesson | None) -> Lesson | None:
        return next(
            (
                l
                for l in sorted(
                    [
                        l
                        for _allocation in self._allocations_by_form.get(a["form_id"], {}).values()
                        for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if l["on_day"] == d
                and l["period"] == p
                and l is not own
                and l is not swapped
                and not self._side_by_side_defined(self.allocations[l["allocation_id"]], a)
            ),
            None,
        )

    def _using(self, r: Room, d: str, p: int) -> Lesson | None:
        return next(
            (
                l
                for l in sorted(self._lessons_by_on_day_room.get((d, r["id"]), {}).values(), key=_age)
                if l["period"] == p
            ),
            None,
        )

    def _suits(self, r: Room, a: Allocation) -> bool:
        return (
            r["kind"] == self.subjects[a["subject_id"]]["room_kind"]
            and r["seats"] >= self.forms[a["form_id"]]["pupils"]
        )

    def _standing_in(self, t: Teacher, d: str, p: int) -> Cover | None:
        return next(
            (
                c
                for c in sorted(self._covers_by_substitute_status.get((t["id"], "covered"), {}).values(), key=_age)
                if c["held_on"] == d
                and self.lessons[c["lesson_id"]]["period"] == p
            ),
            None,
        )

    def _bound(self, t: Teacher, d: str, p: int) -> Cover | None:
        return next(
            (
                c
                for c in sorted(self._covers_by_substitute_status.get((t["id"], "covered"), {}).values(), key=_age)
                if _weekday(c["held_on"]) == self._day_no(d)
                and self.lessons[c["lesson_id"]]["period"] == p
            ),
            None,
        )

    def _covers_in_week(self, t: Teacher, d: str) -> int:
        return sum(
            1
            for c in self._covers_by_substitute.get(t["id"], {}).values()
            if c["status"] in ("covered", "signed_off")
            and self._monday_of(c["held_on"]) == self._monday_of(d)
        )

    def _off(self, t: Teacher, d: str) -> bool:
        return t["free_day"] is not None and self._day_no(t["free_day"]) == _weekday(d)

    def _able(self, t: Teacher, l: Lesson, d: str) -> bool:
        return (
            self._away(t, d) is None
            and not self._off(t, d)
            and self._teaching(t, _weekday(d), l["period"]) is None
            and self._standing_in(t, d, l["period"]) is None
            and self._covers_in_week(t, d) < t["covers_a_week"]
        )

    def _pending(self, l: Lesson) -> Cover | None:
        return next(
            (
                c
                for c in sorted(self._covers_by_lesson.get(l["id"], {}).values(), key=_age)
                if (c["status"] in ("open", "covered") or c["held_on"] >= self.now[:10])
            ),
            None,
        )

    def _after_it(self, l: Lesson, d: str) -> Lesson | None:
        return next(
            (
                m
                for m in sorted(
                    [
                        m
                        for _allocation in self._allocations_by_form.get(
                            self.allocations[l["allocation_id"]]["form_id"],
                            {},
                        ).values()
                        for m in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    ],
                    key=_age,
                )
                if m["on_day"] == l["on_day"]
                and m["period"] > l["period"]
                and not any(
                    c["held_on"] == d
                    for c in self._covers_by_lesson_status.get((m["id"], "dropped"), {}).values()
                )
            ),
            None,
        )

    def _slot_open(self, a: Allocation, d: str, p: int) -> bool:
        return (
            p <= self.forms[a["form_id"]]["last_period"]
            and self._in_the_way(a, d, p, None, None) is None
            and self._teaching(self.teachers[a["teacher_id"]], self._day_no(d), p) is None
            and self._bound(self.teachers[a["teacher_id"]], d, p) is None
        )

    def _breaks_rule_1_a(self, a: Lesson) -> bool:
        """Whether this is broken: a form has one lesson at a time, unless its groups are taught side by side."""
        return any(
            not self._side_by_side_defined(self.allocations[a["allocation_id"]], self.allocations[b["allocation_id"]])
            for _allocation in self._allocations_by_form.get(
                self.allocations[a["allocation_id"]]["form_id"],
                {},
            ).values()
            for b in self._lessons_by_allocation_on_day.get((_allocation["id"], a["on_day"]), {}).values()
            if a is not b
            and a["period"] == b["period"]
        )

    def _breaks_rule_1_b(self, b: Lesson) -> bool:
        """Whether this is broken: a form has one lesson at a time, unless its groups are taught side by side."""
        return any(
            not self._side_by_side_defined(self.allocations[a["allocation_id"]], self.allocations[b["allocation_id"]])
            for _allocation in self._allocations_by_form.get(
                self.allocations[b["allocation_id"]]["form_id"],
                {},
            ).values()
            for a in self._lessons_by_allocation_on_day.get((_allocation["id"], b["on_day"]), {}).values()
            if a is not b
            and a["period"] == b["period"]
        )

    def _breaks_rule_2(self, l: Lesson) -> bool:
        """Whether this is broken: a teacher gives one lesson at a time."""
        return any(
            other_l is not l
            for _allocation in self._allocations_by_teacher.get(
                self.allocations[l["allocation_id"]]["teacher_id"],
                {},
            ).values()
            for other_l in self._lessons_by_allocation_on_day.get((_allocation["id"], l["on_day"]), {}).values()
            if other_l["period"] == l["period"]
        )

    def _breaks_rule_3(self, l: Lesson) -> bool:
        """Whether this is broken: a room holds one lesson at a time."""
        return any(
            other_l is not l
            for other_l in self._lessons_by_on_day_room.get((l["on_day"], l["room_id"]), {}).values()
            if other_l["period"] == l["period"]
        )

    def _breaks_rule_4_a(self, a: Allocation) -> bool:
        """Whether this is broken: a form never gets more lessons of a subject than its weekly hours, and no more than
        two of them on one day.
        """
        return self._allocation_missing(a) < 0

    def _breaks_rule_4_l(self, l: Lesson) -> bool:
        """Whether this is broken: a form never gets more lessons of a subject than its weekly hours, and no more than
        two of them on one day.
        """
        return len(self._lessons_by_allocation_on_day.get((l["allocation_id"], l["on_day"]), {})) > 2

    def _breaks_rule_5_a_again(self, a: Allocation) -> bool:
        """Whether this is broken: a form has each subject once in its plan, with a teacher who teaches it."""
        return a["subject_id"] not in self.teachers[a["teacher_id"]]["subject_ids"]

    def _breaks_rule_6(self, t: Teacher) -> bool:
        """Whether this is broken: a teacher is never given more hours than the contract says."""
        return self._teacher_hours_left(t) < 0

    def _breaks_rule_7(self, l: Lesson) -> bool:
        """Whether this is broken: a lesson is held in a room of the right kind with a seat for every pupil."""
        return (
            self.rooms[l["room_id"]]["kind"] != self.subjects[
                self.allocations[l["allocation_id"]]["subject_id"]
            ]["room_kind"]
            or self.rooms[l["room_id"]]["seats"] < self.forms[
                self.allocations[l["allocation_id"]]["form_id"]
            ]["pupils"]
        )

    def _breaks_rule_8(self, l: Lesson) -> bool:
        """Whether this is broken: nobody teaches on their free day, and no form sits longer than its last period."""
        return (
            l["on_day"] == self.teachers[self.allocations[l["allocation_id"]]["teacher_id"]]["free_day"]
            or l["period"] > self.forms[self.allocations[l["allocation_id"]]["form_id"]]["last_period"]
        )

    def _breaks_rule_9_a(self, a: Absence) -> bool:
        """Whether this is broken: the absences of one teacher never overlap."""
        return any(
            a["ends"] >= b["starts"]
            and b["ends"] >= a["starts"]
            for b in self._absences_by_teacher.get(a["teacher_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_9_a_again(self, a: Absence) -> bool:
        """Whether this is broken: the absences of one teacher never overlap."""
        return a["starts"] > a["ends"]

    def _breaks_rule_10_c(self, c: Cover) -> bool:
        """Whether this is broken: a lesson is covered once a day, and a cover names a substitute exactly when
        somebody takes it.
        """
        return any(
            other_c is not c
            for other_c in self._covers_by_lesson.get(c["lesson_id"], {}).values()
            if other_c["held_on"] == c["held_on"]
        )

    def _breaks_rule_10_c_again(self, c: Cover) -> bool:
        """Whether this is broken: a lesson is covered once a day, and a cover names a substitute exactly when
        somebody takes it.
        """
        return (c["status"] in ("covered", "signed_off")) != (c["substitute_id"] is not None)

    def _breaks_rule_11_c(self, c: Cover) -> bool:
        """Whether this is broken: whoever covers a lesson is at school that day and has neither a lesson nor another
        cover at that time.
        """
        return (
            c["status"] == "covered"
            and any(
                other_c is not c
                for other_c in self._covers_by_substitute_status.get((c["substitute_id"], "covered"), {}).values()
                if other_c["held_on"] == c["held_on"]
                and self.lessons[other_c["lesson_id"]]["period"] == self.lessons[c["lesson_id"]]["period"]
            )
        )

    def _breaks_rule_11_c_again(self, c: Cover) -> bool:
        """Whether this is broken: whoever covers a lesson is at school that day and has neither a lesson nor another
        cover at that time.
        """
        return (
            c["status"] == "covered"
            and not (
                not any(
                    a["starts"] <= c["held_on"]
                    and c["held_on"] <= a["ends"]
                    for a in self._absences_by_teacher.get(c["substitute_id"], {}).values()
                )
                and not any(
                    l["period"] == self.lessons[c["lesson_id"]]["period"]
                    for _allocation in self._allocations_by_teacher.get(c["substitute_id"], {}).values()
                    for l in self._lessons_by_allocation.get(_allocation["id"], {}).values()
                    if self._day_no(l["on_day"]) == _weekday(c["held_on"])
                )
            )
        )

    def _breaks_rule_12(self, c: Cover) -> bool:
        """Whether this is broken: nobody covers more lessons in a week than was agreed."""
        return (
            c["status"] == "covered"
            and (
                c["substitute_id"] is not None
                and self._covers_in_week(
                    self.teachers[c["substitute_id"]],
                    c["held_on"],
                ) > self.teachers[c["substitute_id"]]["covers_a_week"]
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
            case "allocations":
                self._allocations_by_form.setdefault(record["form_id"], {})[record["id"]] = record
                self._allocations_by_teacher.setdefault(record["teacher_id"], {})[record["id"]] = record
            case "lessons":
                self._lessons_by_allocation.setdefault(record["allocation_id"], {})[record["id"]] = record
                self._lessons_by_allocation_on_day.setdefault(
                    (record["allocation_id"], record["on_day"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_on_day_room.setdefault((record["on_day"], record["room_id"]), {})[record["id"]] = record
            case "absences":
                self._absences_by_teacher.setdefault(record["teacher_id"], {})[record["id"]] = record
            case "covers":
                self._covers_by_absence.setdefault(record["absence_id"], {})[record["id"]] = record
                self._covers_by_absence_status.setdefault(
                    (record["absence_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._covers_by_lesson.setdefault(record["lesson_id"], {})[record["id"]] = record
                self._covers_by_lesson_status.setdefault(
                    (record["lesson_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._covers_by_substitute.setdefault(record["substitute_id"], {})[record["id"]] = record
                self._covers_by_substitute_status.setdefault(
                    (record["substitute_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "allocations":
                del self._allocations_by_form[record["form_id"]][record["id"]]
                del self._allocations_by_teacher[record["teacher_id"]][record["id"]]
            case "lessons":
                del self._lessons_by_allocation[record["allocation_id"]][record["id"]]
                del self._lessons_by_allocation_on_day[record["allocation_id"], record["on_day"]][record["id"]]
                del self._lessons_by_on_day_room[record["on_day"], record["room_id"]][record["id"]]
            case "absences":
                del self._absences_by_teacher[record["teacher_id"]][record["id"]]
            case "covers":
                del self._covers_by_absence[record["absence_id"]][record["id"]]
                del self._covers_by_absence_status[record["absence_id"], record["status"]][record["id"]]
                del self._covers_by_lesson[record["lesson_id"]][record["id"]]
                del self._covers_by_lesson_status[record["lesson_id"], record["status"]][record["id"]]
                del self._covers_by_substitute[record["substitute_id"]][record["id"]]
                del self._covers_by_substitute_status[record["substitute_id"], record["status"]][record["id"]]
