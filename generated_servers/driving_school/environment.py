"""Driving school. Compiled from blueprint.yaml; run `envscaler build driving_school` after changing it there.

Teaches people to drive with hours paid in advance, an instructor and a vehicle for every lesson, theory tests,
compulsory night and motorway hours, and the practical exam.
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
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A learner, an instructor and a vehicle are in one lesson at a time.",
    "An exam takes its learner, instructor and vehicle for an hour in which none of them has a lesson.",
    "Nobody takes more hours of a kind than they have paid for.",
    "Instructor and vehicle are right for the category and the gearbox that the learner is after.",
    "Special lessons come after the basic hours that they ask for.",
    "Every kind of lesson is held in its hours of the day.",
    "No instructor drives longer on a day than agreed.",
    "A vehicle in the workshop is in no lesson and no exam, and nothing is booked beyond its inspection.",
    "A learner has one exam ahead, and none once they have passed.",
    "Whoever is down for the exam has a valid theory test and all compulsory hours.",
    "Two exams of one learner are at least fourteen days apart.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sell_hours",
    "record_theory_test",
    "book_lesson",
    "move_lesson",
    "call_off_lesson",
    "close_lesson",
    "book_exam",
    "record_exam",
    "replace_instructor",
    "send_to_workshop",
    "fetch_vehicle",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "kinds": ("name",),
    "instructors": ("name",),
    "vehicles": ("plate",),
    "learners": ("name",),
    "purchases": (),
    "theory_tests": (),
    "lessons": (),
    "exams": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("exams", "instructor_id"),
    ("exams", "learner_id"),
    ("exams", "status"),
    ("exams", "vehicle_id"),
    ("lessons", "instructor_id"),
    ("lessons", "kind_id"),
    ("lessons", "learner_id"),
    ("lessons", "status"),
    ("lessons", "vehicle_id"),
    ("purchases", "kind_id"),
    ("purchases", "learner_id"),
    ("theory_tests", "learner_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Kind(TypedDict):
    id: str
    name: str
    hourly: int
    compulsory: int
    after_basic: int
    from_time: str
    until_time: str


class Instructor(TypedDict):
    id: str
    name: str
    teaches: list[Literal["car", "motorcycle", "trailer"]]
    day_hours: int


class Vehicle(TypedDict):
    id: str
    plate: str
    category: Literal["car", "motorcycle", "trailer"]
    gearbox: Literal["manual", "automatic"]
    inspected_until: str
    status: Literal["ready", "workshop"]


class Learner(TypedDict):
    id: str
    name: str
    born: str
    category: Literal["car", "motorcycle", "trailer"]
    gearbox: Literal["manual", "automatic"]
    instructor_id: str


class Purchase(TypedDict):
    id: str
    learner_id: str
    kind_id: str
    length: int
    paid: int


class TheoryTest(TypedDict):
    id: str
    learner_id: str
    taken_on: str
    mistakes: int


class Lesson(TypedDict):
    id: str
    learner_id: str
    instructor_id: str
    vehicle_id: str
    kind_id: str
    starts: str
    length: int
    status: Literal["booked", "given", "cancelled", "forfeited"]


class Exam(TypedDict):
    id: str
    learner_id: str
    instructor_id: str
    vehicle_id: str
    at: str
    status: Literal["booked", "passed", "failed"]


class SellHoursLine(TypedDict):
    kind_id: str
    length: Annotated[int, {"minimum": 1, "maximum": 30}]


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


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class DrivingSchool:
    """Teaches people to drive with hours paid in advance, an instructor and a vehicle for every lesson,
    theory tests, compulsory night and motorway hours, and the practical exam.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.kinds: dict[str, Kind] = _copied(config.get("kinds", {}))
        self.instructors: dict[str, Instructor] = _copied(config.get("instructors", {}))
        self.vehicles: dict[str, Vehicle] = _copied(config.get("vehicles", {}))
        self.learners: dict[str, Learner] = _copied(config.get("learners", {}))
        self.purchases: dict[str, Purchase] = _copied(config.get("purchases", {}))
        self.theory_tests: dict[str, TheoryTest] = _copied(config.get("theory_tests", {}))
        self.lessons: dict[str, Lesson] = _copied(config.get("lessons", {}))
        self.exams: dict[str, Exam] = _copied(config.get("exams", {}))
        self.now: str = config.get("now", "2026-08-10T08:00")
        self.counters: dict[str, int] = {
            "kind": len(self.kinds),
            "instructor": len(self.instructors),
            "vehicle": len(self.vehicles),
            "learner": len(self.learners),
            "purchase": len(self.purchases),
            "theory_test": len(self.theory_tests),
            "lesson": len(self.lessons),
            "exam": len(self.exams),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._purchases_by_learner_kind: dict[Any, dict[str, Purchase]] = {}
        self._theory_tests_by_learner: dict[Any, dict[str, TheoryTest]] = {}
        self._lessons_by_instructor: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_instructor_status: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_learner: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_learner_kind: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_learner_kind_status: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_learner_status: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_vehicle: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_vehicle_status: dict[Any, dict[str, Lesson]] = {}
        self._exams_by_instructor: dict[Any, dict[str, Exam]] = {}
        self._exams_by_instructor_status: dict[Any, dict[str, Exam]] = {}
        self._exams_by_learner: dict[Any, dict[str, Exam]] = {}
        self._exams_by_learner_status: dict[Any, dict[str, Exam]] = {}
        self._exams_by_vehicle: dict[Any, dict[str, Exam]] = {}
        self._exams_by_vehicle_status: dict[Any, dict[str, Exam]] = {}
        for purchase in self.purchases.values():
            self._link("purchases", purchase)
        for theory_test in self.theory_tests.values():
            self._link("theory_tests", theory_test)
        for lesson in self.lessons.values():
            self._link("lessons", lesson)
        for exam in self.exams.values():
            self._link("exams", exam)

    def progress(self, learner_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a learner has paid, driven and still needs, kind by kind.

        Args:
            learner_id (str): Id of the learner, such as LEARNER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kinds": records}} or {"success": False, "error": why
                not}
        """
        learner = self.learners.get(learner_id)
        if learner is None:
            return _refused(f"There is no learner {learner_id!r}.")
        found = [k for k in self.kinds.values()]
        return _found(
            {
                "total": len(found),
                "kinds": [
                    {
                        "id": k["id"],
                        "name": k["name"],
                        "left": self._credit(learner, k),
                        "driven": self._driven(learner, k),
                        "compulsory": k["compulsory"],
                        "still_needed": max(k["compulsory"] - self._driven(learner, k), 0),
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def ready_for_exam(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Learners with all compulsory hours and a valid theory test who are not down for the exam.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "learners": records}} or {"success": False, "error": why
                not}
        """
        found = [
            l
            for l in self.learners.values()
            if (not self._licensed(l) and self._examined(l) is None)
            and len(self._lacking(l)) == 0
            and self._theory(l, self.now[:10]) is not None
        ]
        found.sort(key=lambda l: (l["name"], _age(l)))
        return _found(
            {
                "total": len(found),
                "learners": [
                    {
                        "id": l["id"],
                        "name": l["name"],
                        "instructor": self.instructors[l["instructor_id"]]["name"],
                        "failed": self._failures(l, _plus_days(self.now[:10], -365)),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def free_for(
        self,
        learner_id: str,
        starts: DateTime,
        length: Annotated[int, {"minimum": 1, "maximum": 4}] = 1,
    ) -> Result:
        """Instructors and vehicles that are free for a learner at a time.

        Args:
            learner_id (str): Id of the learner, such as LEARNER-00001.
            starts (str): Time at which the lesson would begin, as YYYY-MM-DDTHH:MM.
            length (int): Duration of the lesson in hours, from 1 to 4. Default: 1.

        Returns:
            dict: {"success": True, "data": {instructors, vehicles}} or {"success": False, "error": why not}
        """
        learner = self.learners.get(learner_id)
        if learner is None:
            return _refused(f"There is no learner {learner_id!r}.")
        ends = _plus_minutes(starts, length * 60)
        return _found(
            {
                "instructors": [
                    *[
                        i["name"]
                        for i in self.instructors.values()
                        if learner["category"] in i["teaches"]
                        and not self._teacher_busy(i, starts, ends)
                        and self._hours_on(i, starts[:10]) + length <= i["day_hours"]
                    ]
                ],
                "vehicles": [
                    *[
                        v["plate"]
                        for v in self.vehicles.values()
                        if self._suits(v, learner)
                        and self._usable(v, starts[:10])
                        and not self._vehicle_busy(v, starts, ends)
                    ]
                ],
            }
        )

    def list_kinds(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kinds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only kinds whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kinds": records}}
        """
        found = [kind for kind in self.kinds.values() if (name is None or name.casefold() in kind["name"].casefold())]
        return _found({"total": len(found), "kinds": [{**kind} for kind in _page(found, offset)]})

    def list_instructors(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instructors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only instructors whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instructors": records}}
        """
        found = [
            instructor
            for instructor in self.instructors.values()
            if (name is None or name.casefold() in instructor["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "instructors": [self._show_instructor(instructor) for instructor in _page(found, offset)],
            }
        )

    def list_vehicles(
        self,
        plate: Text | None = None,
        category: Literal["car", "motorcycle", "trailer"] | None = None,
        gearbox: Literal["manual", "automatic"] | None = None,
        status: Literal["ready", "workshop"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vehicles, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only vehicles whose plate contains this text.
            category (str, optional): Only vehicles with this category.
            gearbox (str, optional): Only vehicles with this gearbox.
            status (str, optional): Only vehicles with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vehicles": records}}
        """
        found = [
            vehicle
            for vehicle in self.vehicles.values()
            if (plate is None or plate.casefold() in vehicle["plate"].casefold())
            and (category is None or vehicle["category"] == category)
            and (gearbox is None or vehicle["gearbox"] == gearbox)
            and (status is None or vehicle["status"] == status)
        ]
        return _found({"total": len(found), "vehicles": [{**vehicle} for vehicle in _page(found, offset)]})

    def list_learners(
        self,
        name: Text | None = None,
        category: Literal["car", "motorcycle", "trailer"] | None = None,
        gearbox: Literal["manual", "automatic"] | None = None,
        instructor_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the learners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only learners whose name contains this text.
            category (str, optional): Only learners with this category.
            gearbox (str, optional): Only learners with this gearbox.
            instructor_id (str, optional): Only learners of this instructor.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "learners": records}}
        """
        if instructor_id is not None and instructor_id not in self.instructors:
            return _refused(f"There is no instructor {instructor_id!r}.")
        found = [
            learner
            for learner in self.learners.values()
            if (name is None or name.casefold() in learner["name"].casefold())
            and (category is None or learner["category"] == category)
            and (gearbox is None or learner["gearbox"] == gearbox)
            and (instructor_id is None or learner["instructor_id"] == instructor_id)
        ]
        shown = [{**learner} for learner in _page(found, offset)]
        return _found({"total": len(found), "learners": shown}, self._names_of_learners(shown))

    def list_purchases(
        self,
        learner_id: str | None = None,
        kind_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the purchases, oldest first, all of them or only some.

        Args:
            learner_id (str, optional): Only purchases of this learner.
            kind_id (str, optional): Only purchases of this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "purchases": records}}
        """
        if learner_id is not None and learner_id not in self.learners:
            return _refused(f"There is no learner {learner_id!r}.")
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        found = [
            purchase
            for purchase in self.purchases.values()
            if (learner_id is None or purchase["learner_id"] == learner_id)
            and (kind_id is None or purchase["kind_id"] == kind_id)
        ]
        shown = [{**purchase} for purchase in _page(found, offset)]
        return _found({"total": len(found), "purchases": shown}, self._names_of_purchases(shown))

    def list_theory_tests(
        self,
        learner_id: str | None = None,
        taken_on_from: Date | None = None,
        taken_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the theory tests, oldest first, all of them or only some.

        Args:
            learner_id (str, optional): Only theory tests of this learner.
            taken_on_from (str, optional): Only theory tests whose `taken_on` is on this day or later.
            taken_on_to (str, optional): Only theory tests whose `taken_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "theory_tests": records}}
        """
        if learner_id is not None and learner_id not in self.learners:
            return _refused(f"There is no learner {learner_id!r}.")
        found = [
            theory_test
            for theory_test in self.theory_tests.values()
            if (learner_id is None or theory_test["learner_id"] == learner_id)
            and (taken_on_from is None or theory_test["taken_on"] >= taken_on_from)
            and (taken_on_to is None or theory_test["taken_on"] <= taken_on_to)
        ]
        shown = [{**theory_test} for theory_test in _page(found, offset)]
        return _found({"total": len(found), "theory_tests": shown}, self._names_of_theory_tests(shown))

    def list_lessons(
        self,
        learner_id: str | None = None,
        instructor_id: str | None = None,
        vehicle_id: str | None = None,
        kind_id: str | None = None,
        status: Literal["booked", "given", "cancelled", "forfeited"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lessons, oldest first, all of them or only some.

        Args:
            learner_id (str, optional): Only lessons of this learner.
            instructor_id (str, optional): Only lessons of this instructor.
            vehicle_id (str, optional): Only lessons of this vehicle.
            kind_id (str, optional): Only lessons of this kind.
            status (str, optional): Only lessons with this status.
            starts_from (str, optional): Only lessons whose `starts` is on this day or later.
            starts_to (str, optional): Only lessons whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}}
        """
        if learner_id is not None and learner_id not in self.learners:
            return _refused(f"There is no learner {learner_id!r}.")
        if instructor_id is not None and instructor_id not in self.instructors:
            return _refused(f"There is no instructor {instructor_id!r}.")
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if kind_id is not None and kind_id not in self.kinds:
            return _refused(f"There is no kind {kind_id!r}.")
        found = [
            lesson
            for lesson in self.lessons.values()
            if (learner_id is None or lesson["learner_id"] == learner_id)
            and (instructor_id is None or lesson["instructor_id"] == instructor_id)
            and (vehicle_id is None or lesson["vehicle_id"] == vehicle_id)
            and (kind_id is None or lesson["kind_id"] == kind_id)
            and (status is None or lesson["status"] == status)
            and (starts_from is None or lesson["starts"][:10] >= starts_from)
            and (starts_to is None or lesson["starts"][:10] <= starts_to)
        ]
        shown = [self._show_lesson(lesson) for lesson in _page(found, offset)]
        return _found({"total": len(found), "lessons": shown}, self._names_of_lessons(shown))

    def list_exams(
        self,
        learner_id: str | None = None,
        instructor_id: str | None = None,
        vehicle_id: str | None = None,
        status: Literal["booked", "passed", "failed"] | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the exams, oldest first, all of them or only some.

        Args:
            learner_id (str, optional): Only exams of this learner.
            instructor_id (str, optional): Only exams of this instructor.
            vehicle_id (str, optional): Only exams of this vehicle.
            status (str, optional): Only exams with this status.
            at_from (str, optional): Only exams whose `at` is on this day or later.
            at_to (str, optional): Only exams whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "exams": records}}
        """
        if learner_id is not None and learner_id not in self.learners:
            return _refused(f"There is no learner {learner_id!r}.")
        if instructor_id is not None and instructor_id not in self.instructors:
            return _refused(f"There is no instructor {instructor_id!r}.")
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        found = [
            exam
            for exam in self.exams.values()
            if (learner_id is None or exam["learner_id"] == learner_id)
            and (instructor_id is None or exam["instructor_id"] == instructor_id)
            and (vehicle_id is None or exam["vehicle_id"] == vehicle_id)
            and (status is None or exam["status"] == status)
            and (at_from is None or exam["at"][:10] >= at_from)
            and (at_to is None or exam["at"][:10] <= at_to)
        ]
        shown = [{**exam} for exam in _page(found, offset)]
        return _found({"total": len(found), "exams": shown}, self._names_of_exams(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sell_hours(self, learner_id: str, lines: Annotated[list[SellHoursLine], {"maxItems": 20}]) -> Result:
        """Sell hours in advance, by kind; from ten hours together they cost a twentieth less.

        Args:
            learner_id (str): Id of the learner, such as LEARNER-00001.
            lines (list): One entry for each kind of lesson, forty hours in all at most: kind_id: kind of lesson
                that is paid for; an id such as KIND-00001; length: hours of that kind, from 1 to 30.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        learner = self.learners.get(learner_id)
        if learner is None:
            return _refused(f"There is no learner {learner_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["kind_id"] not in self.kinds:
                return _refused(f"There is no kind {entry['kind_id']!r}.")
            lines.append({"kind": self.kinds[entry["kind_id"]], "length": entry["length"]})
        if self._licensed(learner):
            return _refused(f"{learner['name']} has the licence already.")
        if not (len(lines) > 0 and _different([l["kind"]["id"] for l in lines])):
            return _refused("Name at least one kind, and each once.")
        if sum(l["length"] for l in lines) > 40:
            return _refused("No more than 40 hours are sold at once.")
        self._journal = []
        added_purchases: list[Any] = []
        share = 95 if sum(l["length"] for l in lines) >= 10 else 100
        for l in list(lines):
            paid = _rounded(Fraction(l["kind"]["hourly"] * l["length"] * share, 100))
            if not 0 <= paid <= 400000:
                return self._take_back("The paid of a purchase must be between 0.00 and 4,000.00.")
            purchase = {
                "id": self._new_id("purchase", "PURCHASE", self.purchases),
                "learner_id": learner_id,
                "kind_id": l["kind"]["id"],
                "length": l["length"],
                "paid": paid,
            }
            self._add("purchases", purchase)
            added_purchases.append(purchase)
        for one_lesson in _distinct(
            [
                user
                for one in [self.learners[one["learner_id"]] for one in added_purchases]
                for user in self._lessons_by_learner.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: sell {sum(l['length'] for l in lines)} hours to {learner['name']}.",
            "data": self._changes(),
        }

    def record_theory_test(self, learner_id: str, mistakes: Annotated[int, {"minimum": 0, "maximum": 40}]) -> Result:
        """Record how many mistakes a learner made in the theory test; ten are allowed, and it can be repeated after a
        week.

        Args:
            learner_id (str): Id of the learner, such as LEARNER-00001.
            mistakes (int): Mistakes made in the theory test, where ten or fewer pass, from 0 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        learner = self.learners.get(learner_id)
        if learner is None:
            return _refused(f"There is no learner {learner_id!r}.")
        if self._licensed(learner):
            return _refused(f"{learner['name']} has the licence already.")
        known = self._theory(learner, self.now[:10])
        if known is not None:
            return _refused(f"{learner['name']} passed on {known['taken_on']}, and that still counts.")
        recent = next(
            (
                t
                for t in sorted(self._theory_tests_by_learner.get(learner_id, {}).values(), key=_age)
                if t["taken_on"] > _plus_days(self.now[:10], -7)
            ),
            None,
        )
        if recent is not None:
            return _refused(f"{learner['name']} took the test on {recent['taken_on']}, less than a week ago.")
        self._journal = []
        theory_test: TheoryTest = {
            "id": self._new_id("theory_test", "TT", self.theory_tests),
            "learner_id": learner_id,
            "taken_on": self.now[:10],
            "mistakes": mistakes,
        }
        self._add("theory_tests", theory_test)
        for one_exam in _distinct(
            self._exams_by_learner_status.get((theory_test["learner_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record the theory test of {learner['name']} with {mistakes} mistakes (new: theory test "
                f"{theory_test['id']})."
            ),
            "data": {"theory_test_id": theory_test["id"], **self._changes()},
        }

    def book_lesson(
        self,
        learner_id: str,
        kind_id: str,
        instructor_id: str,
        vehicle_id: str,
        starts: DateTime,
        length: Annotated[int, {"minimum": 1, "maximum": 4}],
    ) -> Result:
        """Book a lesson of a learner with an instructor and a vehicle.

        Args:
            learner_id (str): Id of the learner, such as LEARNER-00001.
            kind_id (str): Id of the kind, such as KIND-00001.
            instructor_id (str): Id of the instructor, such as INSTRUCTOR-00001.
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            starts (str): Start of the lesson, within the next 60 days, as YYYY-MM-DDTHH:MM.
            length (int): Duration of the lesson in hours, which must have been paid for, from 1 to 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        learner = self.learners.get(learner_id)
        if learner is None:
            return _refused(f"There is no learner {learner_id!r}.")
        kind = self.kinds.get(kind_id)
        if kind is None:
            return _refused(f"There is no kind {kind_id!r}.")
        instructor = self.instructors.get(instructor_id)
        if instructor is None:
            return _refused(f"There is no instructor {instructor_id!r}.")
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if self._licensed(learner):
            return _refused(f"{learner['name']} has the licence already.")
        ends = _plus_minutes(starts, length * 60)
        if self.now >= starts or starts > _plus_minutes(self.now, 60 * 1440):
            return _refused("Lessons are booked up to 60 days ahead.")
        if _years(learner["born"], starts[:10]) < 17:
            return _refused(f"{learner['name']} is not 17 by then.")
        if not self._in_hours(kind, starts, ends):
            return _refused(f"A {kind['name']} lesson lies between {kind['from_time']} and {kind['until_time']}.")
        if self._basic_hours(learner) < kind["after_basic"]:
            return _refused(
                f"{kind['name']} needs {kind['after_basic']} basic hours, and {learner['name']} has driven "
                f"{self._basic_hours(learner)}."
            )
        if self._credit(learner, kind) < length:
            return _refused(
                f"{learner['name']} has {self._credit(learner, kind)} paid hours of {kind['name']} left, so sell "
                "some first."
            )
        if learner["category"] not in instructor["teaches"]:
            return _refused(f"{instructor['name']} does not teach {learner['category']}.")
        if not self._suits(vehicle, learner):
            return _refused(
                f"{vehicle['plate']} is not right for {learner['name']}, who is after {learner['category']} with "
                f"{learner['gearbox']} gearbox."
            )
        if not self._usable(vehicle, starts[:10]):
            return _refused(
                f"{vehicle['plate']} is {vehicle['status']}, with an inspection until {vehicle['inspected_until']}."
            )
        if self._teacher_busy(instructor, starts, ends):
            return _refused(f"{instructor['name']} is busy at that time.")
        if self._hours_on(instructor, starts[:10]) + length > instructor["day_hours"]:
            return _refused(f"{instructor['name']} drives {instructor['day_hours']} hours a day at most.")
        if self._vehicle_busy(vehicle, starts, ends):
            return _refused(f"{vehicle['plate']} is taken at that time.")
        if self._learner_busy(learner, starts, ends):
            return _refused(f"{learner['name']} is busy at that time.")
        self._journal = []
        lesson: Lesson = {
            "id": self._new_id("lesson", "LESSON", self.lessons),
            "learner_id": learner_id,
            "instructor_id": instructor_id,
            "vehicle_id": vehicle_id,
            "kind_id": kind_id,
            "starts": starts,
            "length": length,
            "status": "booked",
        }
        self._add("lessons", lesson)
        if self._breaks_rule_1_a(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again_again(lesson):
            return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *self._exams_by_learner_status.get((lesson["learner_id"], "booked"), {}).values(),
                *self._exams_by_instructor_status.get((lesson["instructor_id"], "booked"), {}).values(),
                *self._exams_by_vehicle_status.get((lesson["vehicle_id"], "booked"), {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        for one_lesson in _distinct([lesson, *self._lessons_by_learner.get(lesson["learner_id"], {}).values()]):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_x(lesson):
            return self._take_back(RULES[3])
        for one_lesson in _distinct([lesson, *self._lessons_by_learner.get(lesson["learner_id"], {}).values()]):
            if self._breaks_rule_5(one_lesson):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(lesson):
            return self._take_back(RULES[5])
        for one_lesson in _distinct(
            [lesson, *self._lessons_by_instructor_status.get((lesson["instructor_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_x(lesson):
            return self._take_back(RULES[7])
        for one_exam in _distinct(self._exams_by_learner_status.get((lesson["learner_id"], "booked"), {}).values()):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: book {kind['name']} for {learner['name']} with {instructor['name']} in {vehicle['plate']} "
                f"on {starts} (new: lesson {lesson['id']})."
            ),
            "data": {"lesson_id": lesson["id"], **self._changes()},
        }

    def move_lesson(
        self,
        lesson_id: str,
        starts: DateTime | None = None,
        instructor_id: str | None = None,
        vehicle_id: str | None = None,
    ) -> Result:
        """Move a booked lesson to another time, instructor or vehicle; what is not named stays.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            starts (str, optional): New start of the lesson, within the next 60 days, as YYYY-MM-DDTHH:MM. If left
                out, it keeps its time.
            instructor_id (str, optional): Instructor who takes the lesson over; an id such as INSTRUCTOR-00001. If
                left out, the instructor stays the same.
            vehicle_id (str, optional): Other vehicle for the lesson; an id such as VEHICLE-00001. If left out, the
                vehicle stays the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        instructor = self.instructors.get(instructor_id) if instructor_id is not None else None
        if instructor_id is not None and instructor is None:
            return _refused(f"There is no instructor {instructor_id!r}.")
        vehicle = self.vehicles.get(vehicle_id) if vehicle_id is not None else None
        if vehicle_id is not None and vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if lesson["status"] != "booked":
            return _refused(f"The lesson is {lesson['status']}.")
        if lesson["starts"] < _plus_minutes(self.now, 24 * 60):
            return _refused(f"The lesson is on {lesson['starts']}, less than 24 hours away, and stays.")
        begins = starts if starts is not None else lesson["starts"]
        ends = _plus_minutes(begins, lesson["length"] * 60)
        teacher = instructor or self.instructors[lesson["instructor_id"]]
        car = vehicle or self.vehicles[lesson["vehicle_id"]]
        if (
            begins == lesson["starts"]
            and teacher["id"] == lesson["instructor_id"]
            and car["id"] == lesson["vehicle_id"]
        ):
            return _refused("The lesson is like that already.")
        if self.now >= begins or begins > _plus_minutes(self.now, 60 * 1440):
            return _refused("Lessons are booked up to 60 days ahead.")
        if not self._in_hours(self.kinds[lesson["kind_id"]], begins, ends):
            return _refused(
                f"A {self.kinds[lesson['kind_id']]['name']} lesson lies between "
                f"{self.kinds[lesson['kind_id']]['from_time']} and {self.kinds[lesson['kind_id']]['until_time']}."
            )
        if self.learners[lesson["learner_id"]]["category"] not in teacher["teaches"]:
            return _refused(f"{teacher['name']} does not teach {self.learners[lesson['learner_id']]['category']}.")
        if not self._suits(car, self.learners[lesson["learner_id"]]):
            return _refused(f"{car['plate']} is not right for {self.learners[lesson['learner_id']]['name']}.")
        if not self._usable(car, begins[:10]):
            return _refused(f"{car['plate']} is {car['status']}, with an inspection until {car['inspected_until']}.")
        if not (
            not any(
                _overlap(x["starts"], self._lesson_ends(x), begins, ends)
                for x in self._lessons_by_instructor_status.get((teacher["id"], "booked"), {}).values()
                if x is not lesson
            )
            and not any(
                _overlap(e["at"], _plus_minutes(e["at"], 1 * 60), begins, ends)
                for e in self._exams_by_instructor_status.get((teacher["id"], "booked"), {}).values()
            )
        ):
            return _refused(f"{teacher['name']} is busy at that time.")
        if (
            self._hours_on(teacher, begins[:10])
            + (
                0
                if teacher["id"] == lesson["instructor_id"]
                and begins[:10] == lesson["starts"][:10]
                else lesson["length"]
            ) > teacher["day_hours"]
        ):
            return _refused(f"{teacher['name']} drives {teacher['day_hours']} hours a day at most.")
        if not (
            not any(
                _overlap(x["starts"], self._lesson_ends(x), begins, ends)
                for x in self._lessons_by_vehicle_status.get((car["id"], "booked"), {}).values()
                if x is not lesson
            )
            and not any(
                _overlap(e["at"], _plus_minutes(e["at"], 1 * 60), begins, ends)
                for e in self._exams_by_vehicle_status.get((car["id"], "booked"), {}).values()
            )
        ):
            return _refused(f"{car['plate']} is taken at that time.")
        if not (
            not any(
                _overlap(x["starts"], self._lesson_ends(x), begins, ends)
                for x in self._lessons_by_learner_status.get((lesson["learner_id"], "booked"), {}).values()
                if x is not lesson
            )
            and not any(
                _overlap(e["at"], _plus_minutes(e["at"], 1 * 60), begins, ends)
                for e in self._exams_by_learner_status.get((lesson["learner_id"], "booked"), {}).values()
            )
        ):
            return _refused(f"{self.learners[lesson['learner_id']]['name']} is busy at that time.")
        self._journal = []
        self._put("lessons", lesson, "starts", begins)
        former_instructor_id = lesson["instructor_id"]
        self._put("lessons", lesson, "instructor_id", teacher["id"])
        former_vehicle_id = lesson["vehicle_id"]
        self._put("lessons", lesson, "vehicle_id", car["id"])
        if self._breaks_rule_1_a(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again_again(lesson):
            return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *self._exams_by_learner_status.get((lesson["learner_id"], "booked"), {}).values(),
                *self._exams_by_instructor_status.get((lesson["instructor_id"], "booked"), {}).values(),
                *self._exams_by_vehicle_status.get((lesson["vehicle_id"], "booked"), {}).values(),
                *self._exams_by_instructor_status.get((former_instructor_id, "booked"), {}).values(),
                *self._exams_by_vehicle_status.get((former_vehicle_id, "booked"), {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        if self._breaks_rule_4_x(lesson):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(lesson):
            return self._take_back(RULES[5])
        for one_lesson in _distinct(
            [
                lesson,
                *self._lessons_by_instructor_status.get((lesson["instructor_id"], "booked"), {}).values(),
                *self._lessons_by_instructor_status.get((former_instructor_id, "booked"), {}).values(),
            ]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_x(lesson):
            return self._take_back(RULES[7])
        done = f"move the lesson of {self.learners[lesson['learner_id']]['name']}"
        if starts is not None:
            done += f" to {starts}"
        if instructor is not None:
            done += f" with {instructor['name']}"
        if vehicle is not None:
            done += f" in {vehicle['plate']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def call_off_lesson(self, lesson_id: str) -> Result:
        """Call a booked lesson off; within 24 hours of it, or once it has begun, the hours are forfeited.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if lesson["status"] != "booked":
            return _refused(f"The lesson is {lesson['status']}.")
        self._journal = []
        changed_lessons: list[Any] = []
        if lesson["starts"] >= _plus_minutes(self.now, 24 * 60):
            changed_lessons.append(lesson)
            self._put("lessons", lesson, "status", "cancelled")
        else:
            if lesson["status"] not in ("booked", "forfeited"):
                return self._take_back(f"Lesson {lesson['id']} cannot go from {lesson['status']} to forfeited.")
            changed_lessons.append(lesson)
            self._put("lessons", lesson, "status", "forfeited")
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_1_a(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_1_a_again(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_1_a_again_again(one_lesson):
                return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons]
                    for user in self._exams_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.vehicles[one["vehicle_id"]] for one in changed_lessons]
                    for user in self._exams_by_vehicle_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        for one_lesson in _distinct(
            [
                *changed_lessons,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        for one_lesson in _distinct(
            [
                *changed_lessons,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lesson):
                return self._take_back(RULES[4])
        for one_lesson in _distinct(
            [
                *changed_lessons,
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons]
                    for user in self._lessons_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_8_x(one_lesson):
                return self._take_back(RULES[7])
        for one_exam in _distinct(
            [
                user
                for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: call off the lesson of {self.learners[lesson['learner_id']]['name']} on {lesson['starts']}."
            ),
            "data": self._changes(),
        }

    def close_lesson(self, lesson_id: str) -> Result:
        """Record that a lesson was given.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if lesson["status"] != "booked":
            return _refused(f"The lesson is {lesson['status']}.")
        if self._lesson_ends(lesson) > self.now:
            return _refused(f"The lesson ends on {self._lesson_ends(lesson)} only.")
        self._journal = []
        self._put("lessons", lesson, "status", "given")
        if self._breaks_rule_1_a(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a_again_again(lesson):
            return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *self._exams_by_learner_status.get((lesson["learner_id"], "booked"), {}).values(),
                *self._exams_by_instructor_status.get((lesson["instructor_id"], "booked"), {}).values(),
                *self._exams_by_vehicle_status.get((lesson["vehicle_id"], "booked"), {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        for one_lesson in _distinct([lesson, *self._lessons_by_learner.get(lesson["learner_id"], {}).values()]):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        for one_lesson in _distinct([lesson, *self._lessons_by_learner.get(lesson["learner_id"], {}).values()]):
            if self._breaks_rule_5(one_lesson):
                return self._take_back(RULES[4])
        for one_lesson in _distinct(
            [lesson, *self._lessons_by_instructor_status.get((lesson["instructor_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_x(lesson):
            return self._take_back(RULES[7])
        for one_exam in _distinct(self._exams_by_learner_status.get((lesson["learner_id"], "booked"), {}).values()):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: record the lesson of {self.learners[lesson['learner_id']]['name']} on {lesson['starts']} "
                "as given."
            ),
            "data": self._changes(),
        }

    def book_exam(self, learner_id: str, instructor_id: str, vehicle_id: str, at: DateTime) -> Result:
        """Put a learner down for the practical exam, with the instructor and the vehicle that come along.

        Args:
            learner_id (str): Id of the learner, such as LEARNER-00001.
            instructor_id (str): Id of the instructor, such as INSTRUCTOR-00001.
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            at (str): Start of the exam, in 3 to 60 days, weekdays 8 to 15 o'clock, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        learner = self.learners.get(learner_id)
        if learner is None:
            return _refused(f"There is no learner {learner_id!r}.")
        instructor = self.instructors.get(instructor_id)
        if instructor is None:
            return _refused(f"There is no instructor {instructor_id!r}.")
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if self._licensed(learner):
            return _refused(f"{learner['name']} has the licence already.")
        ahead = self._examined(learner)
        if ahead is not None:
            return _refused(f"{learner['name']} is down for {ahead['at']}.")
        if _plus_minutes(self.now, 3 * 1440) > at or at > _plus_minutes(self.now, 60 * 1440):
            return _refused("Exams are booked three to sixty days ahead.")
        if not (_weekday(at[:10]) <= 5 and ("08:00" <= at[11:] and at[11:] <= "15:00")):
            return _refused("The examiners come from Monday to Friday between 08:00 and 15:00.")
        if self._theory(learner, at[:10]) is None:
            return _refused(f"{learner['name']} has no theory test that counts on {at[:10]}.")
        missing = next((k for k in self.kinds.values() if self._driven(learner, k) < k["compulsory"]), None)
        if missing is not None:
            return _refused(
                f"{learner['name']} has driven {self._driven(learner, missing)} of {missing['compulsory']} "
                f"compulsory hours of {missing['name']}."
            )
        failed = self._last_failure(learner)
        if failed is not None and _days_between(failed["at"][:10], at[:10]) < 14:
            return _refused(f"{learner['name']} failed on {failed['at'][:10]} and must wait fourteen days.")
        if learner["category"] not in instructor["teaches"]:
            return _refused(f"{instructor['name']} does not teach {learner['category']}.")
        if not self._suits(vehicle, learner):
            return _refused(f"{vehicle['plate']} is not right for {learner['name']}.")
        if not self._usable(vehicle, at[:10]):
            return _refused(
                f"{vehicle['plate']} is {vehicle['status']}, with an inspection until {vehicle['inspected_until']}."
            )
        if self._teacher_busy(instructor, at, _plus_minutes(at, 1 * 60)):
            return _refused(f"{instructor['name']} is busy at that time.")
        if self._vehicle_busy(vehicle, at, _plus_minutes(at, 1 * 60)):
            return _refused(f"{vehicle['plate']} is taken at that time.")
        if self._learner_busy(learner, at, _plus_minutes(at, 1 * 60)):
            return _refused(f"{learner['name']} is busy at that time.")
        self._journal = []
        exam: Exam = {
            "id": self._new_id("exam", "EXAM", self.exams),
            "learner_id": learner_id,
            "instructor_id": instructor_id,
            "vehicle_id": vehicle_id,
            "at": at,
            "status": "booked",
        }
        self._add("exams", exam)
        if self._breaks_rule_2(exam):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_e(exam):
            return self._take_back(RULES[3])
        if self._breaks_rule_8_e(exam):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(exam):
            return self._take_back(RULES[8])
        for one_exam in _distinct(
            [exam, *self._exams_by_learner_status.get((exam["learner_id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_a(exam):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(exam):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: put {learner['name']} down for the exam on {at} (new: exam {exam['id']}).",
            "data": {"exam_id": exam["id"], **self._changes()},
        }

    def record_exam(self, exam_id: str, passed: bool) -> Result:
        """Record the outcome of a practical exam.

        Args:
            exam_id (str): Id of the exam, such as EXAM-00001.
            passed (bool): Whether the learner passed the practical exam.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        exam = self.exams.get(exam_id)
        if exam is None:
            return _refused(f"There is no exam {exam_id!r}.")
        if exam["status"] != "booked":
            return _refused(f"The exam is {exam['status']}.")
        if exam["at"] > self.now:
            return _refused(f"The exam is on {exam['at']}.")
        self._journal = []
        changed_exams: list[Any] = []
        changed_lessons: list[Any] = []
        if passed:
            changed_exams.append(exam)
            self._put("exams", exam, "status", "passed")
            for x in sorted(
                self._lessons_by_learner_status.get((exam["learner_id"], "booked"), {}).values(),
                key=_age,
            ):
                if x["status"] not in ("booked", "cancelled"):
                    return self._take_back(f"Lesson {x['id']} cannot go from {x['status']} to cancelled.")
                changed_lessons.append(x)
                self._put("lessons", x, "status", "cancelled")
        else:
            if exam["status"] not in ("booked", "failed"):
                return self._take_back(f"Exam {exam['id']} cannot go from {exam['status']} to failed.")
            changed_exams.append(exam)
            self._put("exams", exam, "status", "failed")
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_1_a(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_1_a_again(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_1_a_again_again(one_lesson):
                return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *changed_exams,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons]
                    for user in self._exams_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.vehicles[one["vehicle_id"]] for one in changed_lessons]
                    for user in self._exams_by_vehicle_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        for one_lesson in _distinct(
            [
                *changed_lessons,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        for one_lesson in _distinct(
            [
                *changed_lessons,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lesson):
                return self._take_back(RULES[4])
        for one_lesson in _distinct(
            [
                *changed_lessons,
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons]
                    for user in self._lessons_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_8_x(one_lesson):
                return self._take_back(RULES[7])
        for one_exam in _distinct(changed_exams):
            if self._breaks_rule_8_e(one_exam):
                return self._take_back(RULES[7])
        for one_exam in _distinct(changed_exams):
            if self._breaks_rule_9(one_exam):
                return self._take_back(RULES[8])
        for one_exam in _distinct(
            [
                *changed_exams,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_exams]
                    for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons]
                    for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: record the exam of {self.learners[exam['learner_id']]['name']}.",
            "data": self._changes(),
        }

    def replace_instructor(self, instructor_id: str, on: Date) -> Result:
        """Cover an instructor who is away on a day; each lesson goes to a colleague who is free, and is cancelled
        without loss where nobody is.

        Args:
            instructor_id (str): Id of the instructor, such as INSTRUCTOR-00001.
            on (str): Day on which the instructor is away, from today on, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instructor = self.instructors.get(instructor_id)
        if instructor is None:
            return _refused(f"There is no instructor {instructor_id!r}.")
        if on < self.now[:10]:
            return _refused(f"{on} is in the past.")
        if not any(
            x["status"] == "booked"
            and x["starts"][:10] == on
            and x["starts"] > self.now
            for x in self._lessons_by_instructor.get(instructor_id, {}).values()
        ):
            return _refused(f"{instructor['name']} has no lesson left on {on}.")
        self._journal = []
        changed_lessons: list[Any] = []
        former_instructor_ids: list[Any] = []
        changed_lessons_2: list[Any] = []
        for x in sorted(
            [
                x
                for x in self._lessons_by_instructor_status.get((instructor_id, "booked"), {}).values()
                if x["starts"][:10] == on
                and x["starts"] > self.now
            ],
            key=lambda x: (x["starts"], _age(x)),
        ):
            colleague = min(
                (
                    i
                    for i in self.instructors.values()
                    if i is not instructor
                    and self.learners[x["learner_id"]]["category"] in i["teaches"]
                    and not self._teacher_busy(i, x["starts"], self._lesson_ends(x))
                    and self._hours_on(i, on) + x["length"] <= i["day_hours"]
                ),
                key=lambda i: (self._hours_on(i, on), i["name"], _age(i)),
                default=None,
            )
            if colleague is not None:
                changed_lessons.append(x)
                former_instructor_ids.append(x["instructor_id"])
                self._put("lessons", x, "instructor_id", colleague["id"])
            else:
                if x["status"] not in ("booked", "cancelled"):
                    return self._take_back(f"Lesson {x['id']} cannot go from {x['status']} to cancelled.")
                changed_lessons_2.append(x)
                self._put("lessons", x, "status", "cancelled")
        for one_lesson in _distinct(changed_lessons_2):
            if self._breaks_rule_1_a(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct([*changed_lessons, *changed_lessons_2]):
            if self._breaks_rule_1_a_again(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(changed_lessons_2):
            if self._breaks_rule_1_a_again_again(one_lesson):
                return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons]
                    for user in self._exams_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.instructors.get(key) for key in former_instructor_ids]
                    if one is not None
                    for user in self._exams_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                    for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons_2]
                    for user in self._exams_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.vehicles[one["vehicle_id"]] for one in changed_lessons_2]
                    for user in self._exams_by_vehicle_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        for one_lesson in _distinct(
            [
                *changed_lessons_2,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_4_x(one_lesson):
                return self._take_back(RULES[3])
        for one_lesson in _distinct(
            [
                *changed_lessons_2,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lesson):
                return self._take_back(RULES[4])
        for one_lesson in _distinct(
            [
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons]
                    for user in self._lessons_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.instructors.get(key) for key in former_instructor_ids]
                    if one is not None
                    for user in self._lessons_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *changed_lessons,
                *changed_lessons_2,
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons_2]
                    for user in self._lessons_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        for one_lesson in _distinct(changed_lessons_2):
            if self._breaks_rule_8_x(one_lesson):
                return self._take_back(RULES[7])
        for one_exam in _distinct(
            [
                user
                for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: cover {instructor['name']} on {on}.", "data": self._changes()}

    def send_to_workshop(self, vehicle_id: str) -> Result:
        """Send a vehicle to the workshop; its lessons move to another one of the kind that is free, or are cancelled
        without loss.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if vehicle["status"] != "ready":
            return _refused(f"{vehicle['plate']} is in the workshop.")
        if self._exams_by_vehicle_status.get((vehicle_id, "booked"), {}):
            return _refused(f"{vehicle['plate']} is down for an exam.")
        unwritten = next(
            (
                x
                for x in sorted(self._lessons_by_vehicle_status.get((vehicle_id, "booked"), {}).values(), key=_age)
                if x["starts"] <= self.now
            ),
            None,
        )
        if unwritten is not None:
            return _refused(
                f"The lesson of {self.learners[unwritten['learner_id']]['name']} on {unwritten['starts']} has to "
                "be written up first."
            )
        self._journal = []
        changed_lessons: list[Any] = []
        former_vehicle_ids: list[Any] = []
        changed_lessons_2: list[Any] = []
        self._put("vehicles", vehicle, "status", "workshop")
        for x in sorted(
            self._lessons_by_vehicle_status.get((vehicle_id, "booked"), {}).values(),
            key=lambda x: (x["starts"], _age(x)),
        ):
            spare = min(
                (
                    v
                    for v in self.vehicles.values()
                    if v is not vehicle
                    and self._suits(v, self.learners[x["learner_id"]])
                    and self._usable(v, x["starts"][:10])
                    and not self._vehicle_busy(v, x["starts"], self._lesson_ends(x))
                ),
                key=lambda v: (v["plate"], _age(v)),
                default=None,
            )
            if spare is not None:
                changed_lessons.append(x)
                former_vehicle_ids.append(x["vehicle_id"])
                self._put("lessons", x, "vehicle_id", spare["id"])
            else:
                if x["status"] not in ("booked", "cancelled"):
                    return self._take_back(f"Lesson {x['id']} cannot go from {x['status']} to cancelled.")
                changed_lessons_2.append(x)
                self._put("lessons", x, "status", "cancelled")
        for one_lesson in _distinct(changed_lessons_2):
            if self._breaks_rule_1_a(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(changed_lessons_2):
            if self._breaks_rule_1_a_again(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct([*changed_lessons, *changed_lessons_2]):
            if self._breaks_rule_1_a_again_again(one_lesson):
                return self._take_back(RULES[0])
        for one_exam in _distinct(
            [
                *[
                    user
                    for one in [self.vehicles[one["vehicle_id"]] for one in changed_lessons]
                    for user in self._exams_by_vehicle_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.vehicles.get(key) for key in former_vehicle_ids]
                    if one is not None
                    for user in self._exams_by_vehicle_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                    for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons_2]
                    for user in self._exams_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.vehicles[one["vehicle_id"]] for one in changed_lessons_2]
                    for user in self._exams_by_vehicle_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_exam):
                return self._take_back(RULES[1])
        for one_lesson in _distinct(
            [
                *changed_lessons_2,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_lesson):
                return self._take_back(RULES[2])
        for one_lesson in _distinct(changed_lessons):
            if self._breaks_rule_4_x(one_lesson):
                return self._take_back(RULES[3])
        for one_lesson in _distinct(
            [
                *changed_lessons_2,
                *[
                    user
                    for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                    for user in self._lessons_by_learner.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lesson):
                return self._take_back(RULES[4])
        for one_lesson in _distinct(
            [
                *changed_lessons_2,
                *[
                    user
                    for one in [self.instructors[one["instructor_id"]] for one in changed_lessons_2]
                    for user in self._lessons_by_instructor_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        for one_lesson in _distinct(
            [
                *self._lessons_by_vehicle_status.get((vehicle["id"], "booked"), {}).values(),
                *changed_lessons,
                *changed_lessons_2,
            ]
        ):
            if self._breaks_rule_8_x(one_lesson):
                return self._take_back(RULES[7])
        for one_exam in _distinct(self._exams_by_vehicle_status.get((vehicle["id"], "booked"), {}).values()):
            if self._breaks_rule_8_e(one_exam):
                return self._take_back(RULES[7])
        for one_exam in _distinct(
            [
                user
                for one in [self.learners[one["learner_id"]] for one in changed_lessons_2]
                for user in self._exams_by_learner_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_10(one_exam):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: send {vehicle['plate']} to the workshop.",
            "data": self._changes(),
        }

    def fetch_vehicle(self, vehicle_id: str, inspected_until: Date) -> Result:
        """Take a vehicle back from the workshop, with the day until which it is inspected.

        Args:
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            inspected_until (str): Last day on which the new inspection is valid, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if vehicle["status"] != "workshop":
            return _refused(f"{vehicle['plate']} is not in the workshop.")
        if inspected_until <= self.now[:10]:
            return _refused(f"{inspected_until} is over already.")
        self._journal = []
        self._put("vehicles", vehicle, "inspected_until", inspected_until)
        self._put("vehicles", vehicle, "status", "ready")
        for one_lesson in _distinct(self._lessons_by_vehicle_status.get((vehicle["id"], "booked"), {}).values()):
            if self._breaks_rule_8_x(one_lesson):
                return self._take_back(RULES[7])
        for one_exam in _distinct(self._exams_by_vehicle_status.get((vehicle["id"], "booked"), {}).values()):
            if self._breaks_rule_8_e(one_exam):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take {vehicle['plate']} back with an inspection until {inspected_until}.",
            "data": self._changes(),
        }

    def _show_instructor(self, instructor: Instructor) -> dict[str, Any]:
        """The instructor as an answer shows it."""
        return {**instructor, "teaches": [*instructor["teaches"]]}

    def _show_lesson(self, lesson: Lesson) -> dict[str, Any]:
        """The lesson as an answer shows it."""
        return {**lesson, "ends": self._lesson_ends(lesson)}

    def _names_of_learners(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that learners point to."""
        return _names((self.instructors, "name", [row["instructor_id"] for row in shown]))

    def _names_of_purchases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that purchases point to."""
        return _names(
            (self.learners, "name", [row["learner_id"] for row in shown]),
            (self.kinds, "name", [row["kind_id"] for row in shown]),
        )

    def _names_of_theory_tests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that theory tests point to."""
        return _names((self.learners, "name", [row["learner_id"] for row in shown]))

    def _names_of_lessons(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lessons point to."""
        return _names(
            (self.learners, "name", [row["learner_id"] for row in shown]),
            (self.instructors, "name", [row["instructor_id"] for row in shown]),
            (self.vehicles, "plate", [row["vehicle_id"] for row in shown]),
            (self.kinds, "name", [row["kind_id"] for row in shown]),
        )

    def _names_of_exams(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that exams point to."""
        return _names(
            (self.learners, "name", [row["learner_id"] for row in shown]),
            (self.instructors, "name", [row["instructor_id"] for row in shown]),
            (self.vehicles, "plate", [row["vehicle_id"] for row in shown]),
        )

    def _lesson_ends(self, lesson: Lesson) -> str:
        """The ends of a lesson."""
        return _plus_minutes(lesson["starts"], lesson["length"] * 60)

    def _credit(self, l: Learner, k: Kind) -> int:
        return (
            sum(p["length"] for p in self._purchases_by_learner_kind.get((l["id"], k["id"]), {}).values())
            - sum(
                x["length"]
                for x in self._lessons_by_learner_kind.get((l["id"], k["id"]), {}).values()
                if x["status"] != "cancelled"
            )
        )

    def _driven(self, l: Learner, k: Kind) -> int:
        return sum(
            x["length"]
            for x in self._lessons_by_learner_kind_status.get((l["id"], k["id"], "given"), {}).values()
        )

    def _basic_hours(self, l: Learner) -> int:
        return sum(
            x["length"]
            for x in self._lessons_by_learner_status.get((l["id"], "given"), {}).values()
            if self.kinds[x["kind_id"]]["compulsory"] == 0
        )

    def _lacking(self, l: Learner) -> list[Kind]:
        return [k for k in self.kinds.values() if self._driven(l, k) < k["compulsory"]]

    def _failures(self, l: Learner, since: str) -> int:
        return sum(
            1
            for e in self._exams_by_learner_status.get((l["id"], "failed"), {}).values()
            if e["at"][:10] >= since
        )

    def _theory(self, l: Learner, d: str) -> TheoryTest | None:
        return min(
            (
                t
                for t in self._theory_tests_by_learner.get(l["id"], {}).values()
                if t["mistakes"] <= 10
                and (t["taken_on"] <= d and d <= _plus_days(t["taken_on"], 365))
                and self._failures(l, t["taken_on"]) < 3
            ),
            key=lambda t: (_descending(t["taken_on"]), _age(t)),
            default=None,
        )

    def _last_failure(self, l: Learner) -> Exam | None:
        return min(
            self._exams_by_learner_status.get((l["id"], "failed"), {}).values(),
            key=lambda e: (_descending(e["at"]), _age(e)),
            default=None,
        )

    def _licensed(self, l: Learner) -> bool:
        return any(e["status"] == "passed" for e in self._exams_by_learner.get(l["id"], {}).values())

    def _examined(self, l: Learner) -> Exam | None:
        return next(
            (e for e in sorted(self._exams_by_learner_status.get((l["id"], "booked"), {}).values(), key=_age)),
            None,
        )

    def _teacher_busy(self, i: Instructor, a: str, b: str) -> bool:
        return (
            any(
                x["status"] == "booked"
                and _overlap(x["starts"], self._lesson_ends(x), a, b)
                for x in self._lessons_by_instructor.get(i["id"], {}).values()
            )
            or any(
                e["status"] == "booked"
                and _overlap(e["at"], _plus_minutes(e["at"], 1 * 60), a, b)
                for e in self._exams_by_instructor.get(i["id"], {}).values()
            )
        )

    def _vehicle_busy(self, v: Vehicle, a: str, b: str) -> bool:
        return (
            any(
                x["status"] == "booked"
                and _overlap(x["starts"], self._lesson_ends(x), a, b)
                for x in self._lessons_by_vehicle.get(v["id"], {}).values()
            )
            or any(
                e["status"] == "booked"
                and _overlap(e["at"], _plus_minutes(e["at"], 1 * 60), a, b)
                for e in self._exams_by_vehicle.get(v["id"], {}).values()
            )
        )

    def _learner_busy(self, l: Learner, a: str, b: str) -> bool:
        return (
            any(
                x["status"] == "booked"
                and _overlap(x["starts"], self._lesson_ends(x), a, b)
                for x in self._lessons_by_learner.get(l["id"], {}).values()
            )
            or any(
                e["status"] == "booked"
                and _overlap(e["at"], _plus_minutes(e["at"], 1 * 60), a, b)
                for e in self._exams_by_learner.get(l["id"], {}).values()
            )
        )

    def _hours_on(self, i: Instructor, d: str) -> int:
        return sum(
            x["length"]
            for x in self._lessons_by_instructor_status.get((i["id"], "booked"), {}).values()
            if x["starts"][:10] == d
        )

    def _suits(self, v: Vehicle, l: Learner) -> bool:
        return v["category"] == l["category"] and v["gearbox"] == l["gearbox"]

    def _usable(self, v: Vehicle, d: str) -> bool:
        return v["status"] == "ready" and d <= v["inspected_until"]

    def _in_hours(self, k: Kind, a: str, b: str) -> bool:
        return a[11:] >= k["from_time"] and b[11:] <= k["until_time"] and a[:10] == b[:10]

    def _breaks_rule_1_a(self, a: Lesson) -> bool:
        """Whether this is broken: a learner, an instructor and a vehicle are in one lesson at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["starts"], self._lesson_ends(a), b["starts"], self._lesson_ends(b))
                for b in self._lessons_by_learner_status.get((a["learner_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_1_a_again(self, a: Lesson) -> bool:
        """Whether this is broken: a learner, an instructor and a vehicle are in one lesson at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["starts"], self._lesson_ends(a), b["starts"], self._lesson_ends(b))
                for b in self._lessons_by_instructor_status.get((a["instructor_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_1_a_again_again(self, a: Lesson) -> bool:
        """Whether this is broken: a learner, an instructor and a vehicle are in one lesson at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["starts"], self._lesson_ends(a), b["starts"], self._lesson_ends(b))
                for b in self._lessons_by_vehicle_status.get((a["vehicle_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2(self, e: Exam) -> bool:
        """Whether this is broken: an exam takes its learner, instructor and vehicle for an hour in which none of them
        has a lesson.
        """
        return (
            e["status"] == "booked"
            and not (
                not any(
                    _overlap(x["starts"], self._lesson_ends(x), e["at"], _plus_minutes(e["at"], 1 * 60))
                    for x in self._lessons_by_learner_status.get((e["learner_id"], "booked"), {}).values()
                )
                and not any(
                    _overlap(x["starts"], self._lesson_ends(x), e["at"], _plus_minutes(e["at"], 1 * 60))
                    for x in self._lessons_by_instructor_status.get((e["instructor_id"], "booked"), {}).values()
                )
                and not any(
                    _overlap(x["starts"], self._lesson_ends(x), e["at"], _plus_minutes(e["at"], 1 * 60))
                    for x in self._lessons_by_vehicle_status.get((e["vehicle_id"], "booked"), {}).values()
                )
            )
        )

    def _breaks_rule_3(self, x: Lesson) -> bool:
        """Whether this is broken: nobody takes more hours of a kind than they have paid for."""
        return (
            x["status"] != "cancelled"
            and self._credit(self.learners[x["learner_id"]], self.kinds[x["kind_id"]]) < 0
        )

    def _breaks_rule_4_x(self, x: Lesson) -> bool:
        """Whether this is broken: instructor and vehicle are right for the category and the gearbox that the learner
        is after.
        """
        return not (
            self.learners[x["learner_id"]]["category"] in self.instructors[x["instructor_id"]]["teaches"]
            and self._suits(self.vehicles[x["vehicle_id"]], self.learners[x["learner_id"]])
        )

    def _breaks_rule_4_e(self, e: Exam) -> bool:
        """Whether this is broken: instructor and vehicle are right for the category and the gearbox that the learner
        is after.
        """
        return not (
            self.learners[e["learner_id"]]["category"] in self.instructors[e["instructor_id"]]["teaches"]
            and self._suits(self.vehicles[e["vehicle_id"]], self.learners[e["learner_id"]])
        )

    def _breaks_rule_5(self, x: Lesson) -> bool:
        """Whether this is broken: special lessons come after the basic hours that they ask for."""
        return (
            x["status"] in ("booked", "given")
            and self.kinds[x["kind_id"]]["after_basic"] > 0
            and self._basic_hours(self.learners[x["learner_id"]]) < self.kinds[x["kind_id"]]["after_basic"]
        )

    def _breaks_rule_6(self, x: Lesson) -> bool:
        """Whether this is broken: every kind of lesson is held in its hours of the day."""
        return not self._in_hours(self.kinds[x["kind_id"]], x["starts"], self._lesson_ends(x))

    def _breaks_rule_7(self, x: Lesson) -> bool:
        """Whether this is broken: no instructor drives longer on a day than agreed."""
        return (
            x["status"] == "booked"
            and self._hours_on(
                self.instructors[x["instructor_id"]],
                x["starts"][:10],
            ) > self.instructors[x["instructor_id"]]["day_hours"]
        )

    def _breaks_rule_8_x(self, x: Lesson) -> bool:
        """Whether this is broken: a vehicle in the workshop is in no lesson and no exam, and nothing is booked beyond
        its inspection.
        """
        return x["status"] == "booked" and not self._usable(self.vehicles[x["vehicle_id"]], x["starts"][:10])

    def _breaks_rule_8_e(self, e: Exam) -> bool:
        """Whether this is broken: a vehicle in the workshop is in no lesson and no exam, and nothing is booked beyond
        its inspection.
        """
        return e["status"] == "booked" and not self._usable(self.vehicles[e["vehicle_id"]], e["at"][:10])

    def _breaks_rule_9(self, e: Exam) -> bool:
        """Whether this is broken: a learner has one exam ahead, and none once they have passed."""
        return (
            e["status"] in ("booked", "passed")
            and any(
                other_e is not e
                for other_e in self._exams_by_learner.get(e["learner_id"], {}).values()
                if other_e["status"] in ("booked", "passed")
            )
        )

    def _breaks_rule_10(self, e: Exam) -> bool:
        """Whether this is broken: whoever is down for the exam has a valid theory test and all compulsory hours."""
        return (
            e["status"] == "booked"
            and (
                self._theory(self.learners[e["learner_id"]], e["at"][:10]) is None
                or len(self._lacking(self.learners[e["learner_id"]])) != 0
            )
        )

    def _breaks_rule_11_a(self, a: Exam) -> bool:
        """Whether this is broken: two exams of one learner are at least fourteen days apart."""
        return any(
            abs(_days_between(b["at"][:10], a["at"][:10])) < 14
            for b in self._exams_by_learner.get(a["learner_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_11_b(self, b: Exam) -> bool:
        """Whether this is broken: two exams of one learner are at least fourteen days apart."""
        return any(
            abs(_days_between(b["at"][:10], a["at"][:10])) < 14
            for a in self._exams_by_learner.get(b["learner_id"], {}).values()
            if a is not b
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
            case "purchases":
                self._purchases_by_learner_kind.setdefault(
                    (record["learner_id"], record["kind_id"]),
                    {},
                )[record["id"]] = record
            case "theory_tests":
                self._theory_tests_by_learner.setdefault(record["learner_id"], {})[record["id"]] = record
            case "lessons":
                self._lessons_by_instructor.setdefault(record["instructor_id"], {})[record["id"]] = record
                self._lessons_by_instructor_status.setdefault(
                    (record["instructor_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_learner.setdefault(record["learner_id"], {})[record["id"]] = record
                self._lessons_by_learner_kind.setdefault(
                    (record["learner_id"], record["kind_id"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_learner_kind_status.setdefault(
                    (record["learner_id"], record["kind_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_learner_status.setdefault(
                    (record["learner_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_vehicle.setdefault(record["vehicle_id"], {})[record["id"]] = record
                self._lessons_by_vehicle_status.setdefault(
                    (record["vehicle_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "exams":
                self._exams_by_instructor.setdefault(record["instructor_id"], {})[record["id"]] = record
                self._exams_by_instructor_status.setdefault(
                    (record["instructor_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._exams_by_learner.setdefault(record["learner_id"], {})[record["id"]] = record
                self._exams_by_learner_status.setdefault(
                    (record["learner_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._exams_by_vehicle.setdefault(record["vehicle_id"], {})[record["id"]] = record
                self._exams_by_vehicle_status.setdefault(
                    (record["vehicle_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "purchases":
                del self._purchases_by_learner_kind[record["learner_id"], record["kind_id"]][record["id"]]
            case "theory_tests":
                del self._theory_tests_by_learner[record["learner_id"]][record["id"]]
            case "lessons":
                del self._lessons_by_instructor[record["instructor_id"]][record["id"]]
                del self._lessons_by_instructor_status[record["instructor_id"], record["status"]][record["id"]]
                del self._lessons_by_learner[record["learner_id"]][record["id"]]
                del self._lessons_by_learner_kind[record["learner_id"], record["kind_id"]][record["id"]]
                del self._lessons_by_learner_kind_status[
                    record["learner_id"],
                    record["kind_id"],
                    record["status"],
                ][record["id"]]
                del self._lessons_by_learner_status[record["learner_id"], record["status"]][record["id"]]
                del self._lessons_by_vehicle[record["vehicle_id"]][record["id"]]
                del self._lessons_by_vehicle_status[record["vehicle_id"], record["status"]][record["id"]]
            case "exams":
                del self._exams_by_instructor[record["instructor_id"]][record["id"]]
                del self._exams_by_instructor_status[record["instructor_id"], record["status"]][record["id"]]
                del self._exams_by_learner[record["learner_id"]][record["id"]]
                del self._exams_by_learner_status[record["learner_id"], record["status"]][record["id"]]
                del self._exams_by_vehicle[record["vehicle_id"]][record["id"]]
                del self._exams_by_vehicle_status[record["vehicle_id"], record["status"]][record["id"]]
