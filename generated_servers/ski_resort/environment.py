"""Ski resort. Compiled from blueprint.yaml; run `envscaler build ski_resort` after changing it there.

Runs the counter of a ski resort, with group lessons by level and their instructors, rental sets fitted by
length, boot and binding, lift passes by days and slopes that close.
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
    "No lesson has more guests than places.",
    "A guest is in one lesson at a time.",
    "A guest learns in a group of their own level, children among children.",
    "Whoever is booked for a lesson has a lift pass for that day.",
    "An instructor gives one lesson at a time.",
    "An instructor is trained for the level, and for children where there are any.",
    "A lesson still to be held is on an open slope that is not too steep for its level.",
    "A lesson that was held had an instructor.",
    "A guest has one rental set at a time.",
    "A set that is out has a guest, a day when it is due and a binding setting within its range, and no other set has them.",
    "The lift passes of a guest never overlap.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sell_pass",
    "stop_pass",
    "enrol_guest",
    "leave_lesson",
    "assign_instructor",
    "move_lesson",
    "set_slope",
    "hand_out_set",
    "take_back_set",
    "service_set",
    "hold_lesson",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "slopes": ("name",),
    "guests": ("name",),
    "instructors": ("name",),
    "lessons": ("code",),
    "enrolments": (),
    "ski_sets": ("code",),
    "passes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("enrolments", "guest_id"),
    ("enrolments", "lesson_id"),
    ("enrolments", "status"),
    ("lessons", "instructor_id"),
    ("lessons", "session"),
    ("lessons", "slope_id"),
    ("lessons", "status"),
    ("passes", "guest_id"),
    ("ski_sets", "condition"),
    ("ski_sets", "guest_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Slope(TypedDict):
    id: str
    name: str
    grade: int
    reason: str | None
    status: Literal["open", "closed"]


class Guest(TypedDict):
    id: str
    name: str
    child: bool
    level: int
    weight: int
    height: int
    sole: int
    account: int


class Instructor(TypedDict):
    id: str
    name: str
    top_level: int
    with_children: bool


class Lesson(TypedDict):
    id: str
    code: str
    level: int
    for_children: bool
    on: str
    session: Literal["morning", "afternoon"]
    slope_id: str
    instructor_id: str | None
    places: int
    status: Literal["offered", "held"]


class Enrolment(TypedDict):
    id: str
    guest_id: str
    lesson_id: str
    status: Literal["booked", "attended", "dropped"]


class SkiSet(TypedDict):
    id: str
    code: str
    length: int
    sole: int
    softest: int
    hardest: int
    daily: int
    binding: int | None
    guest_id: str | None
    due: str | None
    condition: Literal["in", "out", "bench"]


class Pass(TypedDict):
    id: str
    guest_id: str
    starts: str
    until: str
    price: int


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class SkiResort:
    """Runs the counter of a ski resort, with group lessons by level and their instructors, rental sets
    fitted by length, boot and binding, lift passes by days and slopes that close.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.slopes: dict[str, Slope] = _copied(config.get("slopes", {}))
        self.guests: dict[str, Guest] = _copied(config.get("guests", {}))
        self.instructors: dict[str, Instructor] = _copied(config.get("instructors", {}))
        self.lessons: dict[str, Lesson] = _copied(config.get("lessons", {}))
        self.enrolments: dict[str, Enrolment] = _copied(config.get("enrolments", {}))
        self.ski_sets: dict[str, SkiSet] = _copied(config.get("ski_sets", {}))
        self.passes: dict[str, Pass] = _copied(config.get("passes", {}))
        self.now: str = config.get("now", "2026-02-09T16:30")
        self.counters: dict[str, int] = {
            "slope": len(self.slopes),
            "guest": len(self.guests),
            "instructor": len(self.instructors),
            "lesson": len(self.lessons),
            "enrolment": len(self.enrolments),
            "ski_set": len(self.ski_sets),
            "pass": len(self.passes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lessons_by_session_instructor_status: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_slope_status: dict[Any, dict[str, Lesson]] = {}
        self._enrolments_by_guest_lesson_status: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_guest_status: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_lesson: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_lesson_status: dict[Any, dict[str, Enrolment]] = {}
        self._ski_sets_by_guest: dict[Any, dict[str, SkiSet]] = {}
        self._ski_sets_by_guest_condition: dict[Any, dict[str, SkiSet]] = {}
        self._passes_by_guest: dict[Any, dict[str, Pass]] = {}
        for lesson in self.lessons.values():
            self._link("lessons", lesson)
        for enrolment in self.enrolments.values():
            self._link("enrolments", enrolment)
        for ski_set in self.ski_sets.values():
            self._link("ski_sets", ski_set)
        for one_pass in self.passes.values():
            self._link("passes", one_pass)

    def lessons_for(
        self,
        guest_id: str,
        session: Literal["morning", "afternoon"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lessons of a guest's level and age that have a place, earliest first.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            session (str, optional): Half of the day of the lessons listed: morning or afternoon. If left out,
                lessons of both halves are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}} or {"success": False, "error": why
                not}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        found = [
            l
            for l in self.lessons.values()
            if (l["status"] == "offered" and l["on"] >= self.now[:10] and self._lesson_free(l) > 0)
            and (l["level"] == guest["level"] and l["for_children"] == guest["child"])
            and (session is None or l["session"] == session)
        ]
        found.sort(key=lambda l: (l["on"], _descending(l["session"]), l["code"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lessons": [
                    {
                        "id": l["id"],
                        "code": l["code"],
                        "on": l["on"],
                        "session": l["session"],
                        "free": self._lesson_free(l),
                        "has_pass": self._may_ski(guest, l["on"]),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def sets_for(self, guest_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Sets in the depot that fit a guest, the longest first.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ski_sets": records}} or {"success": False, "error": why
                not}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        found = [s for s in self.ski_sets.values() if (s["condition"] == "in" and self._fits(s, guest))]
        found.sort(key=lambda s: (-s["length"], s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "ski_sets": [
                    {"id": s["id"], "code": s["code"], "length": s["length"], "binding": self._guest_setting(guest)}
                    for s in _page(found, offset)
                ],
            }
        )

    def instructors_for(
        self,
        lesson_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Instructors who could give a lesson, those with the lowest training first.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instructors": records}} or {"success": False, "error":
                why not}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        found = [i for i in self.instructors.values() if self._may_teach(i, lesson)]
        found.sort(key=lambda i: (i["top_level"], i["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "instructors": [
                    {
                        "id": i["id"],
                        "name": i["name"],
                        "top_level": i["top_level"],
                        "with_children": i["with_children"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def sets_to_adjust(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Sets that are out with a binding that no longer suits the guest.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ski_sets": records}} or {"success": False, "error": why
                not}
        """
        found = [
            s
            for s in self.ski_sets.values()
            if (s["guest_id"] is not None and s["binding"] != self._guest_setting(self.guests[s["guest_id"]]))
        ]
        found.sort(key=lambda s: (s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "ski_sets": [
                    {
                        "id": s["id"],
                        "code": s["code"],
                        "guest": self.guests[s["guest_id"]]["name"],
                        "binding": s["binding"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_slopes(
        self,
        name: Text | None = None,
        status: Literal["open", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slopes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only slopes whose name contains this text.
            status (str, optional): Only slopes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slopes": records}}
        """
        found = [
            slope
            for slope in self.slopes.values()
            if (name is None or name.casefold() in slope["name"].casefold())
            and (status is None or slope["status"] == status)
        ]
        return _found({"total": len(found), "slopes": [{**slope} for slope in _page(found, offset)]})

    def list_guests(
        self,
        name: Text | None = None,
        child: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guests, oldest first, all of them or only some.

        Args:
            name (str, optional): Only guests whose name contains this text.
            child (bool, optional): Only guests with this value of `child`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guests": records}}
        """
        found = [
            guest
            for guest in self.guests.values()
            if (name is None or name.casefold() in guest["name"].casefold())
            and (child is None or guest["child"] == child)
        ]
        return _found({"total": len(found), "guests": [self._show_guest(guest) for guest in _page(found, offset)]})

    def list_instructors(
        self,
        name: Text | None = None,
        with_children: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instructors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only instructors whose name contains this text.
            with_children (bool, optional): Only instructors that are with children (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instructors": records}}
        """
        found = [
            instructor
            for instructor in self.instructors.values()
            if (name is None or name.casefold() in instructor["name"].casefold())
            and (with_children is None or instructor["with_children"] == with_children)
        ]
        return _found({"total": len(found), "instructors": [{**instructor} for instructor in _page(found, offset)]})

    def list_lessons(
        self,
        code: Text | None = None,
        for_children: bool | None = None,
        session: Literal["morning", "afternoon"] | None = None,
        slope_id: str | None = None,
        instructor_id: str | None = None,
        status: Literal["offered", "held"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lessons, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lessons whose code contains this text.
            for_children (bool, optional): Only lessons that are for children (true) or not (false).
            session (str, optional): Only lessons with this session.
            slope_id (str, optional): Only lessons of this slope.
            instructor_id (str, optional): Only lessons of this instructor.
            status (str, optional): Only lessons with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}}
        """
        if slope_id is not None and slope_id not in self.slopes:
            return _refused(f"There is no slope {slope_id!r}.")
        if instructor_id is not None and instructor_id not in self.instructors:
            return _refused(f"There is no instructor {instructor_id!r}.")
        found = [
            lesson
            for lesson in self.lessons.values()
            if (code is None or code.casefold() in lesson["code"].casefold())
            and (for_children is None or lesson["for_children"] == for_children)
            and (session is None or lesson["session"] == session)
            and (slope_id is None or lesson["slope_id"] == slope_id)
            and (instructor_id is None or lesson["instructor_id"] == instructor_id)
            and (status is None or lesson["status"] == status)
        ]
        shown = [self._show_lesson(lesson) for lesson in _page(found, offset)]
        return _found({"total": len(found), "lessons": shown}, self._names_of_lessons(shown))

    def list_enrolments(
        self,
        guest_id: str | None = None,
        lesson_id: str | None = None,
        status: Literal["booked", "attended", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the enrolments, oldest first, all of them or only some.

        Args:
            guest_id (str, optional): Only enrolments of this guest.
            lesson_id (str, optional): Only enrolments of this lesson.
            status (str, optional): Only enrolments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enrolments": records}}
        """
        if guest_id is not None and guest_id not in self.guests:
            return _refused(f"There is no guest {guest_id!r}.")
        if lesson_id is not None and lesson_id not in self.lessons:
            return _refused(f"There is no lesson {lesson_id!r}.")
        found = [
            enrolment
            for enrolment in self.enrolments.values()
            if (guest_id is None or enrolment["guest_id"] == guest_id)
            and (lesson_id is None or enrolment["lesson_id"] == lesson_id)
            and (status is None or enrolment["status"] == status)
        ]
        shown = [{**enrolment} for enrolment in _page(found, offset)]
        return _found({"total": len(found), "enrolments": shown}, self._names_of_enrolments(shown))

    def list_ski_sets(
        self,
        code: Text | None = None,
        guest_id: str | None = None,
        condition: Literal["in", "out", "bench"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ski sets, oldest first, all of them or only some.

        Args:
            code (str, optional): Only ski sets whose code contains this text.
            guest_id (str, optional): Only ski sets of this guest.
            condition (str, optional): Only ski sets with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ski_sets": records}}
        """
        if guest_id is not None and guest_id not in self.guests:
            return _refused(f"There is no guest {guest_id!r}.")
        found = [
            ski_set
            for ski_set in self.ski_sets.values()
            if (code is None or code.casefold() in ski_set["code"].casefold())
            and (guest_id is None or ski_set["guest_id"] == guest_id)
            and (condition is None or ski_set["condition"] == condition)
        ]
        shown = [{**ski_set} for ski_set in _page(found, offset)]
        return _found({"total": len(found), "ski_sets": shown}, self._names_of_ski_sets(shown))

    def list_passes(
        self,
        guest_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the passes, oldest first, all of them or only some.

        Args:
            guest_id (str, optional): Only passes of this guest.
            starts_from (str, optional): Only passes whose `starts` is on this day or later.
            starts_to (str, optional): Only passes whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "passes": records}}
        """
        if guest_id is not None and guest_id not in self.guests:
            return _refused(f"There is no guest {guest_id!r}.")
        found = [
            one_pass
            for one_pass in self.passes.values()
            if (guest_id is None or one_pass["guest_id"] == guest_id)
            and (starts_from is None or one_pass["starts"] >= starts_from)
            and (starts_to is None or one_pass["starts"] <= starts_to)
        ]
        shown = [{**one_pass} for one_pass in _page(found, offset)]
        return _found({"total": len(found), "passes": shown}, self._names_of_passes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sell_pass(
        self,
        guest_id: str,
        starts: Date,
        day_count: Annotated[int, {"minimum": 1, "maximum": 14}],
    ) -> Result:
        """Sell a lift pass for some days in a row; the first day costs the day price and each further one a fifth
        less, and children pay half.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            starts (str): First day of the pass, from today on, as YYYY-MM-DD.
            day_count (int): Number of days in a row that the pass is for, from 1 to 14.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        if starts < self.now[:10]:
            return _refused(f"A pass begins on {self.now[:10]} or later.")
        other = next(
            (
                p
                for p in sorted(self._passes_by_guest.get(guest_id, {}).values(), key=_age)
                if _overlap(p["starts"], p["until"], starts, _plus_days(starts, day_count))
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{guest['name']} has a pass from {other['starts']} until the morning of {other['until']}."
            )
        self._journal = []
        price = self._pass_price(guest, day_count, 6000)
        if not 0 <= price <= 200000:
            return self._take_back("The price of a pass must be between 0.00 and 2,000.00.")
        new_pass: Pass = {
            "id": self._new_id("pass", "PASS", self.passes),
            "guest_id": guest_id,
            "starts": starts,
            "until": _plus_days(starts, day_count),
            "price": price,
        }
        self._add("passes", new_pass)
        for one_enrolment in _distinct(
            self._enrolments_by_guest_status.get((new_pass["guest_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_4(one_enrolment):
                return self._take_back(RULES[3])
        if self._breaks_rule_11(new_pass):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: sell {guest['name']} a pass for {day_count} days from {starts} (new: pass {new_pass['id']})."
            ),
            "data": {"pass_id": new_pass["id"], **self._changes()},
        }

    def stop_pass(self, lift_pass_id: str) -> Result:
        """Stop a lift pass from today on and refund the days not used, rounded down; lessons on those days are given
        up first.

        Args:
            lift_pass_id (str): Pass that is stopped and partly refunded; an id such as PASS-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift_pass = self.passes.get(lift_pass_id)
        if lift_pass is None:
            return _refused(f"There is no pass {lift_pass_id!r}.")
        if lift_pass["until"] <= self.now[:10]:
            return _refused(f"The pass of {self.guests[lift_pass['guest_id']]['name']} has run out.")
        booked = next(
            (
                e
                for e in sorted(
                    self._enrolments_by_guest_status.get((lift_pass["guest_id"], "booked"), {}).values(),
                    key=_age,
                )
                if self.lessons[e["lesson_id"]]["on"] >= self.now[:10]
                and (
                    lift_pass["starts"] <= self.lessons[e["lesson_id"]]["on"]
                    and self.lessons[e["lesson_id"]]["on"] < lift_pass["until"]
                )
            ),
            None,
        )
        if booked is not None:
            return _refused(
                f"{self.guests[lift_pass['guest_id']]['name']} is booked for lesson "
                f"{self.lessons[booked['lesson_id']]['code']} on {self.lessons[booked['lesson_id']]['on']}, so "
                "leave that first."
            )
        self._journal = []
        left = _days_between(max(self.now[:10], lift_pass["starts"]), lift_pass["until"])
        price = (
            lift_pass["price"]
            - floor(
                Fraction(lift_pass["price"] * left, max(_days_between(lift_pass["starts"], lift_pass["until"]), 1))
            )
        )
        if not 0 <= price <= 200000:
            return self._take_back(f"The price of {lift_pass['id']} must be between 0.00 and 2,000.00.")
        self._put("passes", lift_pass, "price", price)
        self._put("passes", lift_pass, "until", max(self.now[:10], lift_pass["starts"]))
        for one_enrolment in _distinct(
            self._enrolments_by_guest_status.get((lift_pass["guest_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_4(one_enrolment):
                return self._take_back(RULES[3])
        if self._breaks_rule_11(lift_pass):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: stop the pass of {self.guests[lift_pass['guest_id']]['name']}.",
            "data": self._changes(),
        }

    def enrol_guest(self, guest_id: str, lesson_id: str) -> Result:
        """Book a guest for a lesson of their level on a day for which they have a lift pass and put 55.00 on their
        account; a rented set must have the right binding setting.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            lesson_id (str): Id of the lesson, such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if lesson["status"] != "offered" or lesson["on"] < self.now[:10]:
            return _refused(f"Lesson {lesson['code']} is over.")
        if (
            lesson["on"] <= self.now[:10]
            and self.now[11:] >= ("10:00" if lesson["session"] == "morning" else "14:00")
        ):
            return _refused(f"The {lesson['session']} lesson {lesson['code']} of today has begun.")
        if guest["level"] != lesson["level"]:
            return _refused(
                f"{guest['name']} skis at level {guest['level']} and lesson {lesson['code']} is for level "
                f"{lesson['level']}."
            )
        if guest["child"] != lesson["for_children"]:
            return _refused(f"Lesson {lesson['code']} is not for the age of {guest['name']}.")
        if self._lesson_free(lesson) <= 0:
            return _refused(f"Lesson {lesson['code']} is full.")
        if not self._may_ski(guest, lesson["on"]):
            return _refused(f"{guest['name']} has no lift pass for {lesson['on']}.")
        other = self._lesson_then(guest, lesson["on"], lesson["session"])
        if other is not None:
            return _refused(f"{guest['name']} is in lesson {self.lessons[other['lesson_id']]['code']} then.")
        skis = self._skis_of(guest)
        if skis is not None and skis["binding"] != self._guest_setting(guest):
            return _refused(f"The binding of {guest['name']} must be adjusted to {self._guest_setting(guest)} first.")
        self._journal = []
        enrolment: Enrolment = {
            "id": self._new_id("enrolment", "ENROLMENT", self.enrolments),
            "guest_id": guest_id,
            "lesson_id": lesson_id,
            "status": "booked",
        }
        self._add("enrolments", enrolment)
        self._put("guests", guest, "account", guest["account"] + 5500)
        if self._breaks_rule_1(self.lessons[enrolment["lesson_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(enrolment):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(enrolment):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(enrolment):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: enrol {guest['name']} in lesson {lesson['code']} (new: enrolment {enrolment['id']}).",
            "data": {"enrolment_id": enrolment["id"], **self._changes()},
        }

    def leave_lesson(self, enrolment_id: str) -> Result:
        """Take a guest out of a lesson still to be held; until the day before, the 55.00 are taken off the account
        again.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        if enrolment["status"] != "booked":
            return _refused(
                f"{self.guests[enrolment['guest_id']]['name']} is {enrolment['status']} in lesson "
                f"{self.lessons[enrolment['lesson_id']]['code']}."
            )
        self._journal = []
        if self.lessons[enrolment["lesson_id"]]["on"] > self.now[:10]:
            guest = self.guests[enrolment["guest_id"]]
            self._put("guests", guest, "account", self.guests[enrolment["guest_id"]]["account"] - 5500)
        self._put("enrolments", enrolment, "status", "dropped")
        if self._breaks_rule_1(self.lessons[enrolment["lesson_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(enrolment):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(enrolment):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(enrolment):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: take {self.guests[enrolment['guest_id']]['name']} out of lesson "
                f"{self.lessons[enrolment['lesson_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def assign_instructor(self, lesson_id: str, instructor_id: str) -> Result:
        """Give a lesson to an instructor who is trained for it and free then.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            instructor_id (str): Id of the instructor, such as INSTRUCTOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        instructor = self.instructors.get(instructor_id)
        if instructor is None:
            return _refused(f"There is no instructor {instructor_id!r}.")
        if lesson["status"] != "offered":
            return _refused(f"Lesson {lesson['code']} is {lesson['status']}.")
        if lesson["instructor_id"] is not None and lesson["instructor_id"] == instructor_id:
            return _refused(f"{instructor['name']} gives lesson {lesson['code']} already.")
        if instructor["top_level"] < lesson["level"]:
            return _refused(
                f"{instructor['name']} teaches up to level {instructor['top_level']}, not {lesson['level']}."
            )
        if not instructor["with_children"] and lesson["for_children"]:
            return _refused(f"{instructor['name']} does not teach children.")
        other = self._teaches_then(instructor, lesson)
        if other is not None:
            return _refused(f"{instructor['name']} gives lesson {other['code']} at that time.")
        self._journal = []
        self._put("lessons", lesson, "instructor_id", instructor_id)
        if self._breaks_rule_5(lesson):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(lesson):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: let {instructor['name']} give lesson {lesson['code']}.",
            "data": self._changes(),
        }

    def move_lesson(self, lesson_id: str, slope_id: str) -> Result:
        """Move a lesson to another open slope that is not too steep for its level.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            slope_id (str): Id of the slope, such as SLOPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        slope = self.slopes.get(slope_id)
        if slope is None:
            return _refused(f"There is no slope {slope_id!r}.")
        if lesson["status"] != "offered":
            return _refused(f"Lesson {lesson['code']} is {lesson['status']}.")
        if lesson["slope_id"] == slope_id:
            return _refused(f"Lesson {lesson['code']} is on {slope['name']} already.")
        if slope["status"] != "open":
            return _refused(f"{slope['name']} is closed.")
        if not self._suits(lesson, slope):
            return _refused(f"{slope['name']} has grade {slope['grade']}, too steep for level {lesson['level']}.")
        self._journal = []
        self._put("lessons", lesson, "slope_id", slope_id)
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: move lesson {lesson['code']} to {slope['name']}.",
            "data": self._changes(),
        }

    def set_slope(self, slope_id: str, reason: Text | None = None) -> Result:
        """Close an open slope for a reason, once no lesson is to be held there, or open a closed one.

        Args:
            slope_id (str): Id of the slope, such as SLOPE-00001.
            reason (str, optional): Why the open slope is closed. If left out, the closed slope is opened.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slope = self.slopes.get(slope_id)
        if slope is None:
            return _refused(f"There is no slope {slope_id!r}.")
        if (slope["status"] == "open") != (reason is not None):
            return _refused(
                f"{slope['name']} is {slope['status']}; state a reason to close a slope and none to open it."
            )
        booked = next(
            (l for l in sorted(self._lessons_by_slope_status.get((slope_id, "offered"), {}).values(), key=_age)),
            None,
        )
        if booked is not None:
            return _refused(
                f"Lesson {booked['code']} of {booked['on']} is to be held on {slope['name']}, so move it first."
            )
        self._journal = []
        changed_slopes: list[Any] = []
        self._put("slopes", slope, "reason", reason)
        if slope["status"] == "open":
            changed_slopes.append(slope)
            self._put("slopes", slope, "status", "closed")
        else:
            changed_slopes.append(slope)
            self._put("slopes", slope, "status", "open")
        for one_lesson in _distinct(
            [
                user
                for one in changed_slopes
                for user in self._lessons_by_slope_status.get((one["id"], "offered"), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_lesson):
                return self._take_back(RULES[6])
        done = f"open or close {slope['name']}"
        if reason is not None:
            done += f" because of {reason}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_out_set(self, ski_set_id: str, guest_id: str, due: Date) -> Result:
        """Rent a set to a guest whose boots, height and weight it fits, at its daily price (children half) on their
        account, today and the day it is due included; the binding is set by weight and level.

        Args:
            ski_set_id (str): Id of the ski set, such as SS-00001.
            guest_id (str): Id of the guest, such as GUEST-00001.
            due (str): Last day of the rental, paid for too and from today on, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ski_set = self.ski_sets.get(ski_set_id)
        if ski_set is None:
            return _refused(f"There is no ski set {ski_set_id!r}.")
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        if ski_set["condition"] != "in":
            return _refused(f"Set {ski_set['code']} is {ski_set['condition']}.")
        if due < self.now[:10]:
            return _refused(f"A set is rented until {self.now[:10]} at least.")
        if self._skis_of(guest) is not None:
            return _refused(f"{guest['name']} has a set already.")
        if ski_set["sole"] != guest["sole"]:
            return _refused(
                f"Set {ski_set['code']} is for soles of {ski_set['sole']} mm and {guest['name']} has {guest['sole']}."
            )
        if guest["height"] - 25 > ski_set["length"] or ski_set["length"] > guest["height"] - 5:
            return _refused(
                f"{guest['name']} skis {guest['height'] - 25} to {guest['height'] - 5} cm, and set "
                f"{ski_set['code']} has {ski_set['length']}."
            )
        if ski_set["softest"] > self._guest_setting(guest) or self._guest_setting(guest) > ski_set["hardest"]:
            return _refused(
                f"The binding of set {ski_set['code']} goes from {ski_set['softest']} to {ski_set['hardest']} and "
                f"{guest['name']} needs {self._guest_setting(guest)}."
            )
        self._journal = []
        self._put("ski_sets", ski_set, "guest_id", guest_id)
        self._put("ski_sets", ski_set, "due", due)
        binding = self._guest_setting(guest)
        if not 5 <= binding <= 160:
            return self._take_back(f"The binding of {ski_set['code']} must be between 5 and 160.")
        self._put("ski_sets", ski_set, "binding", binding)
        self._put("ski_sets", ski_set, "condition", "out")
        self._put(
            "guests",
            guest,
            "account",
            guest["account"] + self._rent(ski_set, guest, _days_between(self.now[:10], due) + 1),
        )
        if self._breaks_rule_9(ski_set):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ski_set):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: hand set {ski_set['code']} out to {guest['name']} until {due}.",
            "data": self._changes(),
        }

    def take_back_set(self, ski_set_id: str, damaged: bool = False) -> Result:
        """Take a set back; a damaged one goes to the bench, and days paid for that lie ahead are credited.

        Args:
            ski_set_id (str): Id of the ski set, such as SS-00001.
            damaged (bool): Whether the set is damaged and goes to the bench. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ski_set = self.ski_sets.get(ski_set_id)
        if ski_set is None:
            return _refused(f"There is no ski set {ski_set_id!r}.")
        if ski_set["condition"] != "out" or ski_set["guest_id"] is None or ski_set["due"] is None:
            return _refused(f"Set {ski_set['code']} is {ski_set['condition']}, not out.")
        renter = self.guests[ski_set["guest_id"]]
        ahead = max(0, _days_between(self.now[:10], ski_set["due"]))
        self._journal = []
        changed_ski_sets: list[Any] = []
        self._put("guests", renter, "account", renter["account"] - self._rent(ski_set, renter, ahead))
        self._put("ski_sets", ski_set, "guest_id", None)
        self._put("ski_sets", ski_set, "due", None)
        self._put("ski_sets", ski_set, "binding", None)
        if damaged:
            changed_ski_sets.append(ski_set)
            self._put("ski_sets", ski_set, "condition", "bench")
        else:
            changed_ski_sets.append(ski_set)
            self._put("ski_sets", ski_set, "condition", "in")
        if self._breaks_rule_9(ski_set):
            return self._take_back(RULES[8])
        for one_ski_set in _distinct([ski_set, *changed_ski_sets]):
            if self._breaks_rule_10(one_ski_set):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: take set {ski_set['code']} back.", "data": self._changes()}

    def service_set(self, ski_set_id: str) -> Result:
        """Work on a set; one on the bench is repaired and in again, and the binding of one that is out is adjusted to
        its guest.

        Args:
            ski_set_id (str): Id of the ski set, such as SS-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ski_set = self.ski_sets.get(ski_set_id)
        if ski_set is None:
            return _refused(f"There is no ski set {ski_set_id!r}.")
        if ski_set["condition"] == "in":
            return _refused(f"Nothing is to be done on set {ski_set['code']}.")
        rider = self.guests.get(ski_set["guest_id"])
        if rider is not None and ski_set["binding"] == self._guest_setting(rider):
            return _refused(f"The binding of set {ski_set['code']} is right.")
        if not (
            rider is None
            or ski_set["softest"] <= self._guest_setting(rider)
            and self._guest_setting(rider) <= ski_set["hardest"]
        ):
            return _refused(f"The binding of set {ski_set['code']} cannot be set as needed, so change the set.")
        self._journal = []
        changed_ski_sets: list[Any] = []
        changed_ski_sets_2: list[Any] = []
        if rider is None:
            changed_ski_sets.append(ski_set)
            self._put("ski_sets", ski_set, "condition", "in")
        else:
            binding = self._guest_setting(rider)
            if not 5 <= binding <= 160:
                return self._take_back(f"The binding of {ski_set['code']} must be between 5 and 160.")
            changed_ski_sets_2.append(ski_set)
            self._put("ski_sets", ski_set, "binding", binding)
        for one_ski_set in _distinct([*changed_ski_sets, *changed_ski_sets_2]):
            if self._breaks_rule_10(one_ski_set):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: service set {ski_set['code']}.", "data": self._changes()}

    def hold_lesson(self, lesson_id: str, promoted_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Close a lesson of today or earlier; its guests have attended, and those who did well rise a level and leave
        the lessons of their old level.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            promoted_ids (list): Guests of the lesson who rise a level, an empty list for none: ids of guests, such
                as GUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        promoted = []
        for key in promoted_ids:
            if key not in self.guests:
                return _refused(f"There is no guest {key!r}.")
            promoted.append(self.guests[key])
        if not _different([g["id"] for g in promoted]):
            return _refused("Name every promoted guest once.")
        if lesson["status"] != "offered" or lesson["on"] > self.now[:10]:
            return _refused(f"Lesson {lesson['code']} of {lesson['on']} is {lesson['status']}.")
        if lesson["instructor_id"] is None:
            return _refused(f"Lesson {lesson['code']} has no instructor.")
        stray = next(
            (
                g
                for g in promoted
                if not self._enrolments_by_guest_lesson_status.get((g["id"], lesson_id, "booked"), {})
            ),
            None,
        )
        if stray is not None:
            return _refused(f"{stray['name']} was not in lesson {lesson['code']}.")
        if lesson["level"] >= 4 and len(promoted) != 0:
            return _refused("There is no level above 4.")
        self._journal = []
        changed_enrolments: list[Any] = []
        changed_guests: list[Any] = []
        for e in sorted(self._enrolments_by_lesson_status.get((lesson_id, "booked"), {}).values(), key=_age):
            if e["status"] not in ("booked", "attended"):
                return self._take_back(f"Enrolment {e['id']} cannot go from {e['status']} to attended.")
            changed_enrolments.append(e)
            self._put("enrolments", e, "status", "attended")
        for g in list(promoted):
            level = g["level"] + 1
            if not 0 <= level <= 4:
                return self._take_back(f"The level of {g['name']} must be between 0 and 4.")
            changed_guests.append(g)
            self._put("guests", g, "level", level)
            for e in sorted(self._enrolments_by_guest_status.get((g["id"], "booked"), {}).values(), key=_age):
                if e["status"] not in ("booked", "dropped"):
                    return self._take_back(f"Enrolment {e['id']} cannot go from {e['status']} to dropped.")
                changed_enrolments.append(e)
                self._put("enrolments", e, "status", "dropped")
        self._put("lessons", lesson, "status", "held")
        for one_lesson in _distinct([self.lessons[one["lesson_id"]] for one in changed_enrolments]):
            if self._breaks_rule_1(one_lesson):
                return self._take_back(RULES[0])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_2(one_enrolment):
                return self._take_back(RULES[1])
        for one_enrolment in _distinct(
            [
                *changed_enrolments,
                *[
                    user
                    for one in changed_guests
                    for user in self._enrolments_by_guest_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_enrolment):
                return self._take_back(RULES[2])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_4(one_enrolment):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(lesson):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: close lesson {lesson['code']} with {len(promoted)} promoted.",
            "data": self._changes(),
        }

    def _show_guest(self, guest: Guest) -> dict[str, Any]:
        """The guest as an answer shows it."""
        return {**guest, "setting": self._guest_setting(guest)}

    def _show_lesson(self, lesson: Lesson) -> dict[str, Any]:
        """The lesson as an answer shows it."""
        return {**lesson, "free": self._lesson_free(lesson)}

    def _names_of_lessons(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lessons point to."""
        return _names(
            (self.slopes, "name", [row["slope_id"] for row in shown]),
            (self.instructors, "name", [row["instructor_id"] for row in shown]),
        )

    def _names_of_enrolments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that enrolments point to."""
        return _names(
            (self.guests, "name", [row["guest_id"] for row in shown]),
            (self.lessons, "code", [row["lesson_id"] for row in shown]),
        )

    def _names_of_ski_sets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that ski sets point to."""
        return _names((self.guests, "name", [row["guest_id"] for row in shown]))

    def _names_of_passes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that passes point to."""
        return _names((self.guests, "name", [row["guest_id"] for row in shown]))

    def _guest_setting(self, guest: Guest) -> int:
        """The setting of a guest."""
        return _rounded(Fraction(guest["weight"] * (85 + 5 * guest["level"]), 100))

    def _lesson_free(self, lesson: Lesson) -> int:
        """The free of a lesson."""
        return (
            lesson["places"]
            - sum(
                1
                for e in self._enrolments_by_lesson.get(lesson["id"], {}).values()
                if e["status"] in ("booked", "attended")
            )
        )

    def _fits(self, s: SkiSet, g: Guest) -> bool:
        return (
            s["sole"] == g["sole"]
            and (g["height"] - 25 <= s["length"] and s["length"] <= g["height"] - 5)
            and (s["softest"] <= self._guest_setting(g) and self._guest_setting(g) <= s["hardest"])
        )

    def _skis_of(self, g: Guest) -> SkiSet | None:
        return next(
            (s for s in sorted(self._ski_sets_by_guest_condition.get((g["id"], "out"), {}).values(), key=_age)),
            None,
        )

    def _may_ski(self, g: Guest, d: str) -> bool:
        return any(p["starts"] <= d and d < p["until"] for p in self._passes_by_guest.get(g["id"], {}).values())

    def _lesson_then(self, g: Guest, d: str, half: str) -> Enrolment | None:
        return next(
            (
                e
                for e in sorted(self._enrolments_by_guest_status.get((g["id"], "booked"), {}).values(), key=_age)
                if self.lessons[e["lesson_id"]]["on"] == d
                and self.lessons[e["lesson_id"]]["session"] == half
            ),
            None,
        )

    def _teaches_then(self, i: Instructor, x: Lesson) -> Lesson | None:
        return next(
            (
                l
                for l in sorted(
                    self._lessons_by_session_instructor_status.get((x["session"], i["id"], "offered"), {}).values(),
                    key=_age,
                )
                if l is not x
                and l["on"] == x["on"]
            ),
            None,
        )

    def _may_teach(self, i: Instructor, x: Lesson) -> bool:
        return (
            i["top_level"] >= x["level"]
            and (i["with_children"] or not x["for_children"])
            and self._teaches_then(i, x) is None
        )

    def _suits(self, x: Lesson, s: Slope) -> bool:
        return s["grade"] <= min(x["level"] + 1, 4)

    def _rent(self, s: SkiSet, g: Guest, n: int) -> int:
        return s["daily"] * n // (2 if g["child"] else 1)

    def _pass_price(self, g: Guest, n: int, base: int) -> int:
        return (base + base * 4 // 5 * (n - 1)) // (2 if g["child"] else 1)

    def _breaks_rule_1(self, l: Lesson) -> bool:
        """Whether this is broken: no lesson has more guests than places."""
        return self._lesson_free(l) < 0

    def _breaks_rule_2(self, e: Enrolment) -> bool:
        """Whether this is broken: a guest is in one lesson at a time."""
        return (
            e["status"] == "booked"
            and any(
                other_e is not e
                for other_e in self._enrolments_by_guest_status.get((e["guest_id"], "booked"), {}).values()
                if self.lessons[other_e["lesson_id"]]["on"] == self.lessons[e["lesson_id"]]["on"]
                and self.lessons[other_e["lesson_id"]]["session"] == self.lessons[e["lesson_id"]]["session"]
            )
        )

    def _breaks_rule_3(self, e: Enrolment) -> bool:
        """Whether this is broken: a guest learns in a group of their own level, children among children."""
        return (
            e["status"] == "booked"
            and (
                self.guests[e["guest_id"]]["level"] != self.lessons[e["lesson_id"]]["level"]
                or self.guests[e["guest_id"]]["child"] != self.lessons[e["lesson_id"]]["for_children"]
            )
        )

    def _breaks_rule_4(self, e: Enrolment) -> bool:
        """Whether this is broken: whoever is booked for a lesson has a lift pass for that day."""
        return (
            e["status"] == "booked"
            and not any(
                p["starts"] <= self.lessons[e["lesson_id"]]["on"]
                and self.lessons[e["lesson_id"]]["on"] < p["until"]
                for p in self._passes_by_guest.get(e["guest_id"], {}).values()
            )
        )

    def _breaks_rule_5(self, l: Lesson) -> bool:
        """Whether this is broken: an instructor gives one lesson at a time."""
        return (
            l["instructor_id"] is not None
            and l["status"] == "offered"
            and any(
                other_l is not l
                for other_l in self._lessons_by_session_instructor_status.get(
                    (l["session"], l["instructor_id"], "offered"),
                    {},
                ).values()
                if other_l["on"] == l["on"]
                and other_l["instructor_id"] is not None
            )
        )

    def _breaks_rule_6(self, l: Lesson) -> bool:
        """Whether this is broken: an instructor is trained for the level, and for children where there are any."""
        return not (
            l["instructor_id"] is None
            or self.instructors[l["instructor_id"]]["top_level"] >= l["level"]
            and (self.instructors[l["instructor_id"]]["with_children"] or not l["for_children"])
        )

    def _breaks_rule_7(self, l: Lesson) -> bool:
        """Whether this is broken: a lesson still to be held is on an open slope that is not too steep for its level.
        """
        return (
            l["status"] == "offered"
            and (
                self.slopes[l["slope_id"]]["status"] != "open"
                or self.slopes[l["slope_id"]]["grade"] > min(l["level"] + 1, 4)
            )
        )

    def _breaks_rule_8(self, l: Lesson) -> bool:
        """Whether this is broken: a lesson that was held had an instructor."""
        return l["status"] == "held" and l["instructor_id"] is None

    def _breaks_rule_9(self, s: SkiSet) -> bool:
        """Whether this is broken: a guest has one rental set at a time."""
        return (
            s["guest_id"] is not None
            and any(
                other_s is not s
                for other_s in self._ski_sets_by_guest.get(s["guest_id"], {}).values()
                if other_s["guest_id"] is not None
            )
        )

    def _breaks_rule_10(self, s: SkiSet) -> bool:
        """Whether this is broken: a set that is out has a guest, a day when it is due and a binding setting within
        its range, and no other set has them.
        """
        return not (
            (s["condition"] == "out") == (s["guest_id"] is not None)
            and (s["condition"] == "out") == (s["due"] is not None)
            and (s["condition"] == "out") == (s["binding"] is not None)
            and (s["binding"] is None or s["softest"] <= s["binding"] and s["binding"] <= s["hardest"])
        )

    def _breaks_rule_11(self, p: Pass) -> bool:
        """Whether this is broken: the lift passes of a guest never overlap."""
        return any(
            _overlap(p["starts"], p["until"], q["starts"], q["until"])
            for q in self._passes_by_guest.get(p["guest_id"], {}).values()
            if p is not q
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
            case "lessons":
                self._lessons_by_session_instructor_status.setdefault(
                    (record["session"], record["instructor_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_slope_status.setdefault(
                    (record["slope_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "enrolments":
                self._enrolments_by_guest_lesson_status.setdefault(
                    (record["guest_id"], record["lesson_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._enrolments_by_guest_status.setdefault(
                    (record["guest_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._enrolments_by_lesson.setdefault(record["lesson_id"], {})[record["id"]] = record
                self._enrolments_by_lesson_status.setdefault(
                    (record["lesson_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "ski_sets":
                self._ski_sets_by_guest.setdefault(record["guest_id"], {})[record["id"]] = record
                self._ski_sets_by_guest_condition.setdefault(
                    (record["guest_id"], record["condition"]),
                    {},
                )[record["id"]] = record
            case "passes":
                self._passes_by_guest.setdefault(record["guest_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lessons":
                del self._lessons_by_session_instructor_status[
                    record["session"],
                    record["instructor_id"],
                    record["status"],
                ][record["id"]]
                del self._lessons_by_slope_status[record["slope_id"], record["status"]][record["id"]]
            case "enrolments":
                del self._enrolments_by_guest_lesson_status[
                    record["guest_id"],
                    record["lesson_id"],
                    record["status"],
                ][record["id"]]
                del self._enrolments_by_guest_status[record["guest_id"], record["status"]][record["id"]]
                del self._enrolments_by_lesson[record["lesson_id"]][record["id"]]
                del self._enrolments_by_lesson_status[record["lesson_id"], record["status"]][record["id"]]
            case "ski_sets":
                del self._ski_sets_by_guest[record["guest_id"]][record["id"]]
                del self._ski_sets_by_guest_condition[record["guest_id"], record["condition"]][record["id"]]
            case "passes":
                del self._passes_by_guest[record["guest_id"]][record["id"]]
