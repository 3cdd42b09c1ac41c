"""Gym classes. Compiled from blueprint.yaml; run `envscaler build gym_classes` after changing it there.

Books members of a gym into classes against prepaid credits, with waiting lists that move up, strikes for late
cancellations and no-shows, frozen memberships and stand-in instructors.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A class never has more people than its studio has places.",
    "Nobody waits for a class that has a free place.",
    "A member is down for a class only once.",
    "Nobody is down for two classes at the same time.",
    "Nobody has fewer than no credits.",
    "Instructors teach what they are trained for.",
    "An instructor gives one class at a time.",
    "A studio houses one class at a time.",
    "Nobody is down for a class while their membership is frozen.",
    "A freeze has a first and a last day.",
    "Only planned classes have people who are booked or waiting.",
    "A class that is called off says why, and no other does.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book",
    "cancel_booking",
    "check_in",
    "close_lesson",
    "call_off",
    "schedule_lesson",
    "substitute",
    "change_studio",
    "sell_pack",
    "freeze",
    "thaw",
    "forgive",
)
"""The methods that may change something; all others only read."""

BOOKING_STATUS_MOVES = {
    ("waiting", "booked"),
    ("waiting", "dropped"),
    ("booked", "attended"),
    ("booked", "missed"),
    ("booked", "cancelled"),
    ("booked", "cancelled_late"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "studios": ("name",),
    "instructors": ("name",),
    "members": ("name",),
    "lessons": (),
    "bookings": (),
    "credit_moves": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "lesson_id"),
    ("bookings", "member_id"),
    ("bookings", "status"),
    ("credit_moves", "member_id"),
    ("lessons", "instructor_id"),
    ("lessons", "status"),
    ("lessons", "studio_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Studio(TypedDict):
    id: str
    name: str
    places: int


class Instructor(TypedDict):
    id: str
    name: str
    teaches: list[Literal["yoga", "spin", "pilates", "boxing"]]


class Member(TypedDict):
    id: str
    name: str
    strikes: int
    suspended_until: str | None
    frozen_from: str | None
    frozen_until: str | None


class Lesson(TypedDict):
    id: str
    kind: Literal["yoga", "spin", "pilates", "boxing"]
    studio_id: str
    instructor_id: str
    starts_at: str
    minutes: int
    credits: int
    called_off_for: str | None
    status: Literal["planned", "held", "called_off"]


class Booking(TypedDict):
    id: str
    member_id: str
    lesson_id: str
    made_at: str
    moved_up_at: str | None
    status: Literal["waiting", "booked", "dropped", "attended", "missed", "cancelled", "cancelled_late"]


class CreditMove(TypedDict):
    id: str
    member_id: str
    amount: int
    what: Literal["opening", "pack", "class", "refund"]
    moved_on: str


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class GymClasses:
    """Books members of a gym into classes against prepaid credits, with waiting lists that move up,
    strikes for late cancellations and no-shows, frozen memberships and stand-in instructors.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.studios: dict[str, Studio] = _copied(config.get("studios", {}))
        self.instructors: dict[str, Instructor] = _copied(config.get("instructors", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.lessons: dict[str, Lesson] = _copied(config.get("lessons", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.credit_moves: dict[str, CreditMove] = _copied(config.get("credit_moves", {}))
        self.now: str = config.get("now", "2026-04-14T11:00")
        self.counters: dict[str, int] = {
            "studio": len(self.studios),
            "instructor": len(self.instructors),
            "member": len(self.members),
            "lesson": len(self.lessons),
            "booking": len(self.bookings),
            "credit_move": len(self.credit_moves),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lessons_by_instructor_status: dict[Any, dict[str, Lesson]] = {}
        self._lessons_by_studio_status: dict[Any, dict[str, Lesson]] = {}
        self._bookings_by_lesson: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_lesson_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_member: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_member_lesson: dict[Any, dict[str, Booking]] = {}
        self._credit_moves_by_member: dict[Any, dict[str, CreditMove]] = {}
        for lesson in self.lessons.values():
            self._link("lessons", lesson)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for credit_move in self.credit_moves.values():
            self._link("credit_moves", credit_move)

    def timetable(
        self,
        since: Date,
        until: Date,
        kind: Literal["yoga", "spin", "pilates", "boxing"] | None = None,
        with_room: bool = False,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Classes that are planned for some days, with places and instructors.

        Args:
            since (str): First day of the classes listed, as YYYY-MM-DD.
            until (str): Last day of the classes listed, as YYYY-MM-DD.
            kind (str, optional): Kind of classes listed: yoga, spin, pilates or boxing. If left out, classes of
                all kinds are listed.
            with_room (bool): Whether only classes with free places are listed. Default: false.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}} or {"success": False, "error": why
                not}
        """
        found = [
            l
            for l in self.lessons.values()
            if (l["status"] == "planned" and (since <= l["starts_at"][:10] and l["starts_at"][:10] <= until))
            and (kind is None or l["kind"] == kind)
            and (not with_room or self._lesson_free(l) > 0)
        ]
        found.sort(key=lambda l: (l["starts_at"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lessons": [
                    {
                        "id": l["id"],
                        "kind": l["kind"],
                        "starts_at": l["starts_at"],
                        "ends_at": self._lesson_ends_at(l),
                        "studio": self.studios[l["studio_id"]]["name"],
                        "instructor": self.instructors[l["instructor_id"]]["name"],
                        "credits": l["credits"],
                        "free": self._lesson_free(l),
                        "waiting": self._lesson_waiting(l),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def who_could_teach(
        self,
        lesson_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Instructors who are trained for a class and free at its time, the least busy first.

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
        found = [
            i
            for i in self.instructors.values()
            if (i["id"] != lesson["instructor_id"] and lesson["kind"] in i["teaches"])
            and len(self._busy(i, lesson["starts_at"], self._lesson_ends_at(lesson))) == 0
        ]
        found.sort(key=lambda i: (self._instructor_ahead(i), i["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "instructors": [
                    {"id": i["id"], "name": i["name"], "classes_ahead": self._instructor_ahead(i)}
                    for i in _page(found, offset)
                ],
            }
        )

    def waiting_list(self, lesson_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who waits for a class, in the order in which they move up.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        found = [
            b
            for b in self._bookings_by_lesson.get(lesson_id, {}).values()
            if (b["lesson_id"] == lesson_id and b["status"] == "waiting")
        ]
        found.sort(key=lambda b: (b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "member": self.members[b["member_id"]]["name"],
                        "made_at": b["made_at"],
                        "strikes": self.members[b["member_id"]]["strikes"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def ahead_of_member(
        self,
        member_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The classes that a member is booked into or waits for from now on.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            b
            for b in self._bookings_by_member.get(member_id, {}).values()
            if (
                b["member_id"] == member_id
                and self._live(b)
                and self.lessons[b["lesson_id"]]["starts_at"] > self.now
            )
        ]
        found.sort(key=lambda b: (self.lessons[b["lesson_id"]]["starts_at"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "lesson": b["lesson_id"],
                        "kind": self.lessons[b["lesson_id"]]["kind"],
                        "starts_at": self.lessons[b["lesson_id"]]["starts_at"],
                        "status": b["status"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_studios(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the studios, oldest first, all of them or only some.

        Args:
            name (str, optional): Only studios whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "studios": records}}
        """
        found = [
            studio
            for studio in self.studios.values()
            if (name is None or name.casefold() in studio["name"].casefold())
        ]
        return _found({"total": len(found), "studios": [{**studio} for studio in _page(found, offset)]})

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

    def list_members(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
        ]
        return _found(
            {"total": len(found), "members": [self._show_member(member) for member in _page(found, offset)]}
        )

    def list_lessons(
        self,
        kind: Literal["yoga", "spin", "pilates", "boxing"] | None = None,
        studio_id: str | None = None,
        instructor_id: str | None = None,
        status: Literal["planned", "held", "called_off"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lessons, oldest first, all of them or only some.

        Args:
            kind (str, optional): Only lessons with this kind.
            studio_id (str, optional): Only lessons of this studio.
            instructor_id (str, optional): Only lessons of this instructor.
            status (str, optional): Only lessons with this status.
            starts_at_from (str, optional): Only lessons whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only lessons whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lessons": records}}
        """
        if studio_id is not None and studio_id not in self.studios:
            return _refused(f"There is no studio {studio_id!r}.")
        if instructor_id is not None and instructor_id not in self.instructors:
            return _refused(f"There is no instructor {instructor_id!r}.")
        found = [
            lesson
            for lesson in self.lessons.values()
            if (kind is None or lesson["kind"] == kind)
            and (studio_id is None or lesson["studio_id"] == studio_id)
            and (instructor_id is None or lesson["instructor_id"] == instructor_id)
            and (status is None or lesson["status"] == status)
            and (starts_at_from is None or lesson["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or lesson["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_lesson(lesson) for lesson in _page(found, offset)]
        return _found({"total": len(found), "lessons": shown}, self._names_of_lessons(shown))

    def list_bookings(
        self,
        member_id: str | None = None,
        lesson_id: str | None = None,
        status: Literal[
            "waiting",
            "booked",
            "dropped",
            "attended",
            "missed",
            "cancelled",
            "cancelled_late",
        ] | None = None,
        made_at_from: Date | None = None,
        made_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only bookings of this member.
            lesson_id (str, optional): Only bookings of this lesson.
            status (str, optional): Only bookings with this status.
            made_at_from (str, optional): Only bookings whose `made_at` is on this day or later.
            made_at_to (str, optional): Only bookings whose `made_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if lesson_id is not None and lesson_id not in self.lessons:
            return _refused(f"There is no lesson {lesson_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (member_id is None or booking["member_id"] == member_id)
            and (lesson_id is None or booking["lesson_id"] == lesson_id)
            and (status is None or booking["status"] == status)
            and (made_at_from is None or booking["made_at"][:10] >= made_at_from)
            and (made_at_to is None or booking["made_at"][:10] <= made_at_to)
        ]
        shown = [{**booking} for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_credit_moves(
        self,
        member_id: str | None = None,
        what: Literal["opening", "pack", "class", "refund"] | None = None,
        moved_on_from: Date | None = None,
        moved_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the credit moves, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only credit moves of this member.
            what (str, optional): Only credit moves whose `what` is this.
            moved_on_from (str, optional): Only credit moves whose `moved_on` is on this day or later.
            moved_on_to (str, optional): Only credit moves whose `moved_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "credit_moves": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            credit_move
            for credit_move in self.credit_moves.values()
            if (member_id is None or credit_move["member_id"] == member_id)
            and (what is None or credit_move["what"] == what)
            and (moved_on_from is None or credit_move["moved_on"] >= moved_on_from)
            and (moved_on_to is None or credit_move["moved_on"] <= moved_on_to)
        ]
        shown = [{**credit_move} for credit_move in _page(found, offset)]
        return _found({"total": len(found), "credit_moves": shown}, self._names_of_credit_moves(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book(self, member_id: str, lesson_id: str) -> Result:
        """Book a member into a class for its credits, or put them on its waiting list when it is full.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            lesson_id (str): Id of the lesson, such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if lesson["status"] != "planned":
            return _refused(f"That class is {lesson['status']}.")
        if lesson["starts_at"] <= self.now:
            return _refused(f"That class began at {lesson['starts_at']}.")
        if any(self._live(b) for b in self._bookings_by_member_lesson.get((member_id, lesson_id), {}).values()):
            return _refused(f"{member['name']} is down for that class already.")
        if self._suspended(member, self.now[:10]):
            return _refused(
                f"{member['name']} has had three strikes and is suspended until "
                f"{member['suspended_until'] if member['suspended_until'] is not None else self.now[:10]}."
            )
        if self._frozen_on(member, lesson["starts_at"][:10]):
            return _refused(f"The membership of {member['name']} is frozen on {lesson['starts_at'][:10]}.")
        other = self._clash(member, lesson)
        if other is not None:
            return _refused(
                f"{member['name']} is down for {self.lessons[other['lesson_id']]['kind']} at "
                f"{self.lessons[other['lesson_id']]['starts_at']}, so cancel that first."
            )
        if self._member_credits(member) < lesson["credits"]:
            return _refused(
                f"The class costs {lesson['credits']} credits and {member['name']} has "
                f"{self._member_credits(member)}, so sell a pack first."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        added_credit_moves: list[Any] = []
        full = self._lesson_free(lesson) <= 0
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "member_id": member_id,
            "lesson_id": lesson_id,
            "made_at": self.now,
            "moved_up_at": None,
            "status": "waiting",
        }
        self._add("bookings", booking)
        if not full:
            if booking["status"] not in ("waiting", "booked"):
                return self._take_back(f"Booking {booking['id']} cannot go from {booking['status']} to booked.")
            changed_bookings.append(booking)
            self._put("bookings", booking, "status", "booked")
        if lesson["credits"] > 0:
            amount = -lesson["credits"]
            if not -5 <= amount <= 40:
                return self._take_back("The amount of a credit move must be between -5 and 40.")
            credit_move = {
                "id": self._new_id("credit_move", "CM", self.credit_moves),
                "member_id": member_id,
                "amount": amount,
                "what": "class",
                "moved_on": self.now[:10],
            }
            self._add("credit_moves", credit_move)
            added_credit_moves.append(credit_move)
        for one_lesson in _distinct(
            [self.lessons[booking["lesson_id"]], *[self.lessons[one["lesson_id"]] for one in changed_bookings]]
        ):
            if self._breaks_rule_1(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct(
            [self.lessons[booking["lesson_id"]], *[self.lessons[one["lesson_id"]] for one in changed_bookings]]
        ):
            if self._breaks_rule_2(one_lesson):
                return self._take_back(RULES[1])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_credit_moves]):
            if self._breaks_rule_5(one_member):
                return self._take_back(RULES[4])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {member['name']} into {lesson['kind']} at {lesson['starts_at']} (new: booking "
                f"{booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def cancel_booking(self, booking_id: str) -> Result:
        """Cancel a place or leave a waiting list; less than twelve hours before the class a place is not refunded and
        costs a strike, unless it came from the waiting list as late as that. Whoever waits longest moves up.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if not self._live(booking):
            return _refused(f"The booking of {self.members[booking['member_id']]['name']} is {booking['status']}.")
        if self.lessons[booking["lesson_id"]]["starts_at"] <= self.now:
            return _refused(f"That class began at {self.lessons[booking['lesson_id']]['starts_at']}.")
        self._journal = []
        added_credit_moves: list[Any] = []
        changed_bookings: list[Any] = []
        lesson = self.lessons[booking["lesson_id"]]
        member = self.members[booking["member_id"]]
        late = (
            booking["status"] == "booked"
            and _minutes_between(self.now, lesson["starts_at"]) < 720
            and self._in_good_time(booking)
        )
        if not late and lesson["credits"] > 0:
            credit_move = {
                "id": self._new_id("credit_move", "CM", self.credit_moves),
                "member_id": member["id"],
                "amount": lesson["credits"],
                "what": "refund",
                "moved_on": self.now[:10],
            }
            self._add("credit_moves", credit_move)
            added_credit_moves.append(credit_move)
        if booking["status"] == "waiting":
            if booking["status"] not in ("waiting", "dropped"):
                return self._take_back(f"Booking {booking['id']} cannot go from {booking['status']} to dropped.")
            changed_bookings.append(booking)
            self._put("bookings", booking, "status", "dropped")
        else:
            status = "cancelled_late" if late else "cancelled"
            if booking["status"] != status and (booking["status"], status) not in BOOKING_STATUS_MOVES:
                return self._take_back(f"Booking {booking['id']} cannot go from {booking['status']} to {status}.")
            changed_bookings.append(booking)
            self._put("bookings", booking, "status", status)
            for w in sorted(
                self._bookings_by_lesson_status.get((lesson["id"], "waiting"), {}).values(),
                key=_age,
            )[:1]:
                if w["status"] not in ("waiting", "booked"):
                    return self._take_back(f"Booking {w['id']} cannot go from {w['status']} to booked.")
                changed_bookings.append(w)
                self._put("bookings", w, "status", "booked")
                self._put("bookings", w, "moved_up_at", self.now)
        if late:
            strikes = member["strikes"] + 1
            if not 0 <= strikes <= 3:
                return self._take_back(f"The strikes of {member['name']} must be between 0 and 3.")
            self._put("members", member, "strikes", strikes)
            if member["strikes"] >= 3:
                self._put("members", member, "strikes", 0)
                self._put("members", member, "suspended_until", _plus_days(self.now[:10], 14))
        for one_lesson in _distinct([self.lessons[one["lesson_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct([self.lessons[one["lesson_id"]] for one in changed_bookings]):
            if self._breaks_rule_2(one_lesson):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_credit_moves]):
            if self._breaks_rule_5(one_member):
                return self._take_back(RULES[4])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the booking of {self.members[booking['member_id']]['name']} for "
                f"{self.lessons[booking['lesson_id']]['kind']} at {self.lessons[booking['lesson_id']]['starts_at']}."
            ),
            "data": self._changes(),
        }

    def check_in(self, booking_id: str) -> Result:
        """Note that a member who was booked has come.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "booked":
            return _refused(f"{self.members[booking['member_id']]['name']} is {booking['status']} there.")
        if _plus_minutes(self.lessons[booking["lesson_id"]]["starts_at"], -60) > self.now:
            return _refused(f"The doors open an hour before {self.lessons[booking['lesson_id']]['starts_at']}.")
        self._journal = []
        self._put("bookings", booking, "status", "attended")
        if self._breaks_rule_1(self.lessons[booking["lesson_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.lessons[booking["lesson_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: check {self.members[booking['member_id']]['name']} in for "
                f"{self.lessons[booking['lesson_id']]['kind']} at {self.lessons[booking['lesson_id']]['starts_at']}."
            ),
            "data": self._changes(),
        }

    def close_lesson(self, lesson_id: str) -> Result:
        """Close a class that is over; who was booked and never checked in gets a strike, unless they moved up less
        than twelve hours before it, and who still waits has the credits back.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if lesson["status"] != "planned":
            return _refused(f"That class is {lesson['status']}.")
        if self._lesson_ends_at(lesson) > self.now:
            return _refused(f"That class ends at {self._lesson_ends_at(lesson)}.")
        self._journal = []
        changed_bookings: list[Any] = []
        added_credit_moves: list[Any] = []
        for b in sorted(self._bookings_by_lesson_status.get((lesson_id, "booked"), {}).values(), key=_age):
            if b["status"] not in ("booked", "missed"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to missed.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "missed")
            if self._in_good_time(b):
                member = self.members[b["member_id"]]
                strikes = self.members[b["member_id"]]["strikes"] + 1
                if not 0 <= strikes <= 3:
                    return self._take_back(f"The strikes of {member['name']} must be between 0 and 3.")
                self._put("members", member, "strikes", strikes)
                if self.members[b["member_id"]]["strikes"] >= 3:
                    its_member = self.members[b["member_id"]]
                    self._put("members", its_member, "strikes", 0)
                    its_member_2 = self.members[b["member_id"]]
                    self._put("members", its_member_2, "suspended_until", _plus_days(self.now[:10], 14))
        for w in sorted(self._bookings_by_lesson_status.get((lesson_id, "waiting"), {}).values(), key=_age):
            if w["status"] not in ("waiting", "dropped"):
                return self._take_back(f"Booking {w['id']} cannot go from {w['status']} to dropped.")
            changed_bookings.append(w)
            self._put("bookings", w, "status", "dropped")
            if lesson["credits"] > 0:
                credit_move = {
                    "id": self._new_id("credit_move", "CM", self.credit_moves),
                    "member_id": w["member_id"],
                    "amount": lesson["credits"],
                    "what": "refund",
                    "moved_on": self.now[:10],
                }
                self._add("credit_moves", credit_move)
                added_credit_moves.append(credit_move)
        self._put("lessons", lesson, "status", "held")
        for one_lesson in _distinct([self.lessons[one["lesson_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct([lesson, *[self.lessons[one["lesson_id"]] for one in changed_bookings]]):
            if self._breaks_rule_2(one_lesson):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_credit_moves]):
            if self._breaks_rule_5(one_member):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([*changed_bookings, *self._bookings_by_lesson.get(lesson["id"], {}).values()]):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(lesson):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: close {lesson['kind']} of {lesson['starts_at']}.",
            "data": self._changes(),
        }

    def call_off(self, lesson_id: str, reason: Text) -> Result:
        """Call a planned class off; everybody gets the credits back, whoever is checked in as well.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            reason (str): Why the class does not take place.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        if lesson["status"] != "planned":
            return _refused(f"That class is {lesson['status']}.")
        if lesson["starts_at"] <= self.now:
            return _refused(f"That class began at {lesson['starts_at']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        added_credit_moves: list[Any] = []
        for b in [b for b in sorted(self._bookings_by_lesson.get(lesson_id, {}).values(), key=_age) if self._live(b)]:
            if b["status"] == "waiting":
                if b["status"] not in ("waiting", "dropped"):
                    return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to dropped.")
                changed_bookings.append(b)
                self._put("bookings", b, "status", "dropped")
            else:
                if b["status"] not in ("booked", "cancelled"):
                    return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to cancelled.")
                changed_bookings.append(b)
                self._put("bookings", b, "status", "cancelled")
            if lesson["credits"] > 0:
                credit_move = {
                    "id": self._new_id("credit_move", "CM", self.credit_moves),
                    "member_id": b["member_id"],
                    "amount": lesson["credits"],
                    "what": "refund",
                    "moved_on": self.now[:10],
                }
                self._add("credit_moves", credit_move)
                added_credit_moves.append(credit_move)
        for b in [
            b
            for b in sorted(self._bookings_by_lesson_status.get((lesson_id, "attended"), {}).values(), key=_age)
            if lesson["credits"] > 0
        ]:
            new_credit_move = {
                "id": self._new_id("credit_move", "CM", self.credit_moves),
                "member_id": b["member_id"],
                "amount": lesson["credits"],
                "what": "refund",
                "moved_on": self.now[:10],
            }
            self._add("credit_moves", new_credit_move)
            added_credit_moves.append(new_credit_move)
        self._put("lessons", lesson, "called_off_for", reason)
        self._put("lessons", lesson, "status", "called_off")
        for one_lesson in _distinct([self.lessons[one["lesson_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct([lesson, *[self.lessons[one["lesson_id"]] for one in changed_bookings]]):
            if self._breaks_rule_2(one_lesson):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_member in _distinct([self.members[one["member_id"]] for one in added_credit_moves]):
            if self._breaks_rule_5(one_member):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([*changed_bookings, *self._bookings_by_lesson.get(lesson["id"], {}).values()]):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(lesson):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: call off {lesson['kind']} at {lesson['starts_at']} with the reason {reason}.",
            "data": self._changes(),
        }

    def schedule_lesson(
        self,
        kind: Literal["yoga", "spin", "pilates", "boxing"],
        studio_id: str,
        instructor_id: str,
        starts_at: DateTime,
        minutes: Annotated[int, {"minimum": 20, "maximum": 120}] = 45,
        credits: Annotated[int, {"minimum": 0, "maximum": 5}] = 1,
    ) -> Result:
        """Put a new class on the timetable.

        Args:
            kind (str): Kind of class, one that the instructor teaches: yoga, spin, pilates or boxing.
            studio_id (str): Id of the studio, such as STUDIO-00001.
            instructor_id (str): Id of the instructor, such as INSTRUCTOR-00001.
            starts_at (str): When the class begins, later than now, as YYYY-MM-DDTHH:MM.
            minutes (int): Length of the class in minutes, from 20 to 120. Default: 45.
            credits (int): Credits that a member pays for a place, from 0 to 5. Default: 1.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        studio = self.studios.get(studio_id)
        if studio is None:
            return _refused(f"There is no studio {studio_id!r}.")
        instructor = self.instructors.get(instructor_id)
        if instructor is None:
            return _refused(f"There is no instructor {instructor_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is past.")
        if kind not in instructor["teaches"]:
            return _refused(f"{instructor['name']} does not teach {kind}.")
        other = next((each for each in self._busy(instructor, starts_at, _plus_minutes(starts_at, minutes))), None)
        if other is not None:
            return _refused(
                f"{instructor['name']} gives {other['kind']} from {other['starts_at']} to "
                f"{self._lesson_ends_at(other)}."
            )
        there = next((each for each in self._in_use(studio, starts_at, _plus_minutes(starts_at, minutes))), None)
        if there is not None:
            return _refused(
                f"{studio['name']} is in use for {there['kind']} from {there['starts_at']} to "
                f"{self._lesson_ends_at(there)}."
            )
        self._journal = []
        lesson: Lesson = {
            "id": self._new_id("lesson", "LESSON", self.lessons),
            "kind": kind,
            "studio_id": studio_id,
            "instructor_id": instructor_id,
            "starts_at": starts_at,
            "minutes": minutes,
            "credits": credits,
            "called_off_for": None,
            "status": "planned",
        }
        self._add("lessons", lesson)
        if self._breaks_rule_1(lesson):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lesson):
            return self._take_back(RULES[1])
        if self._breaks_rule_6(lesson):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        if self._breaks_rule_12(lesson):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: put {kind} with {instructor['name']} in {studio['name']} at {starts_at} on the timetable "
                f"(new: lesson {lesson['id']})."
            ),
            "data": {"lesson_id": lesson["id"], **self._changes()},
        }

    def substitute(self, lesson_id: str, instructor_id: str) -> Result:
        """Let another instructor give a planned class.

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
        if lesson["status"] != "planned" or self._lesson_ends_at(lesson) <= self.now:
            return _refused("That class is over or called off.")
        if instructor_id == lesson["instructor_id"]:
            return _refused(f"{instructor['name']} gives that class anyway.")
        if lesson["kind"] not in instructor["teaches"]:
            return _refused(f"{instructor['name']} does not teach {lesson['kind']}.")
        other = next(
            (each for each in self._busy(instructor, lesson["starts_at"], self._lesson_ends_at(lesson))),
            None,
        )
        if other is not None:
            return _refused(
                f"{instructor['name']} gives {other['kind']} from {other['starts_at']} to "
                f"{self._lesson_ends_at(other)}."
            )
        self._journal = []
        self._put("lessons", lesson, "instructor_id", instructor_id)
        if self._breaks_rule_6(lesson):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(lesson):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: let {instructor['name']} give {lesson['kind']} at {lesson['starts_at']}.",
            "data": self._changes(),
        }

    def change_studio(self, lesson_id: str, studio_id: str) -> Result:
        """Move a planned class to another studio; who waits moves up as far as there are places.

        Args:
            lesson_id (str): Id of the lesson, such as LESSON-00001.
            studio_id (str): Id of the studio, such as STUDIO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lesson = self.lessons.get(lesson_id)
        if lesson is None:
            return _refused(f"There is no lesson {lesson_id!r}.")
        studio = self.studios.get(studio_id)
        if studio is None:
            return _refused(f"There is no studio {studio_id!r}.")
        if lesson["status"] != "planned" or self._lesson_ends_at(lesson) <= self.now:
            return _refused("That class is over or called off.")
        if studio_id == lesson["studio_id"]:
            return _refused(f"The class is in {studio['name']} anyway.")
        if self._lesson_taken(lesson) > studio["places"]:
            return _refused(
                f"{studio['name']} has {studio['places']} places and {self._lesson_taken(lesson)} are taken."
            )
        there = next((each for each in self._in_use(studio, lesson["starts_at"], self._lesson_ends_at(lesson))), None)
        if there is not None:
            return _refused(
                f"{studio['name']} is in use for {there['kind']} from {there['starts_at']} to "
                f"{self._lesson_ends_at(there)}."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        room = studio["places"] - self._lesson_taken(lesson)
        for w in sorted(
            self._bookings_by_lesson_status.get((lesson_id, "waiting"), {}).values(),
            key=_age,
        )[: max(room, 0)]:
            if w["status"] not in ("waiting", "booked"):
                return self._take_back(f"Booking {w['id']} cannot go from {w['status']} to booked.")
            changed_bookings.append(w)
            self._put("bookings", w, "status", "booked")
            self._put("bookings", w, "moved_up_at", self.now)
        self._put("lessons", lesson, "studio_id", studio_id)
        for one_lesson in _distinct([lesson, *[self.lessons[one["lesson_id"]] for one in changed_bookings]]):
            if self._breaks_rule_1(one_lesson):
                return self._take_back(RULES[0])
        for one_lesson in _distinct([lesson, *[self.lessons[one["lesson_id"]] for one in changed_bookings]]):
            if self._breaks_rule_2(one_lesson):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_8(lesson):
            return self._take_back(RULES[7])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: move {lesson['kind']} at {lesson['starts_at']} to {studio['name']}.",
            "data": self._changes(),
        }

    def sell_pack(self, member_id: str, pack: Literal["five", "ten", "twenty"]) -> Result:
        """Sell a member a pack of credits.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            pack (str): Number of credits in the pack: five, ten or twenty.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if self._member_credits(member) > 30:
            return _refused(f"{member['name']} has {self._member_credits(member)} credits, which is enough for now.")
        self._journal = []
        credit_move: CreditMove = {
            "id": self._new_id("credit_move", "CM", self.credit_moves),
            "member_id": member_id,
            "amount": 5 if pack == "five" else 10 if pack == "ten" else 20,
            "what": "pack",
            "moved_on": self.now[:10],
        }
        self._add("credit_moves", credit_move)
        if self._breaks_rule_5(self.members[credit_move["member_id"]]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: sell {member['name']} a pack of {pack} (new: credit move {credit_move['id']}).",
            "data": {"credit_move_id": credit_move["id"], **self._changes()},
        }

    def freeze(self, member_id: str, starts: Date, ends: Date) -> Result:
        """Freeze a membership for some days.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            starts (str): First day of the freeze, from today on, as YYYY-MM-DD.
            ends (str): Last day of the freeze, at most 90 days after the first, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if self.now[:10] > starts or starts > ends:
            return _refused("A freeze begins today or later and ends after that.")
        if _days_between(starts, ends) > 90:
            return _refused(f"A freeze lasts at most 90 days, not {_days_between(starts, ends)}.")
        if member["frozen_until"] is not None and member["frozen_until"] >= self.now[:10]:
            return _refused(f"The membership of {member['name']} is frozen until {member['frozen_until']} already.")
        down = next(
            (
                b
                for b in sorted(self._bookings_by_member.get(member_id, {}).values(), key=_age)
                if self._live(b)
                and (
                    starts <= self.lessons[b["lesson_id"]]["starts_at"][:10]
                    and self.lessons[b["lesson_id"]]["starts_at"][:10] <= ends
                )
            ),
            None,
        )
        if down is not None:
            return _refused(
                f"{member['name']} is down for {self.lessons[down['lesson_id']]['kind']} at "
                f"{self.lessons[down['lesson_id']]['starts_at']}, so cancel that first."
            )
        self._journal = []
        self._put("members", member, "frozen_from", starts)
        self._put("members", member, "frozen_until", ends)
        for one_booking in _distinct(self._bookings_by_member.get(member["id"], {}).values()):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_m(member):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_m_again(member):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: freeze the membership of {member['name']} from {starts} to {ends}.",
            "data": self._changes(),
        }

    def thaw(self, member_id: str) -> Result:
        """End the freeze of a membership.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if member["frozen_until"] is None or member["frozen_until"] < self.now[:10]:
            return _refused(f"The membership of {member['name']} is not frozen.")
        self._journal = []
        self._put("members", member, "frozen_from", None)
        self._put("members", member, "frozen_until", None)
        for one_booking in _distinct(self._bookings_by_member.get(member["id"], {}).values()):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_m(member):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_m_again(member):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: end the freeze of {member['name']}.", "data": self._changes()}

    def forgive(self, member_id: str) -> Result:
        """Lift a suspension, or else take one strike off.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if not (member["strikes"] > 0 or self._suspended(member, self.now[:10])):
            return _refused(f"{member['name']} has no strikes and is not suspended.")
        self._journal = []
        if self._suspended(member, self.now[:10]):
            self._put("members", member, "suspended_until", None)
        else:
            strikes = member["strikes"] - 1
            if not 0 <= strikes <= 3:
                return self._take_back(f"The strikes of {member['name']} must be between 0 and 3.")
            self._put("members", member, "strikes", strikes)
        return {"success": True, "message": f"Done: forgive {member['name']}.", "data": self._changes()}

    def _show_instructor(self, instructor: Instructor) -> dict[str, Any]:
        """The instructor as an answer shows it."""
        return {**instructor, "teaches": [*instructor["teaches"]], "ahead": self._instructor_ahead(instructor)}

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "credits": self._member_credits(member)}

    def _show_lesson(self, lesson: Lesson) -> dict[str, Any]:
        """The lesson as an answer shows it."""
        return {
            **lesson,
            "ends_at": self._lesson_ends_at(lesson),
            "taken": self._lesson_taken(lesson),
            "free": self._lesson_free(lesson),
            "waiting": self._lesson_waiting(lesson),
        }

    def _names_of_lessons(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lessons point to."""
        return _names(
            (self.studios, "name", [row["studio_id"] for row in shown]),
            (self.instructors, "name", [row["instructor_id"] for row in shown]),
        )

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _names_of_credit_moves(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that credit moves point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _instructor_ahead(self, instructor: Instructor) -> int:
        """The ahead of an instructor."""
        return len(self._lessons_by_instructor_status.get((instructor["id"], "planned"), {}))

    def _member_credits(self, member: Member) -> int:
        """The credits of a member."""
        return sum(c["amount"] for c in self._credit_moves_by_member.get(member["id"], {}).values())

    def _lesson_ends_at(self, lesson: Lesson) -> str:
        """The ends at of a lesson."""
        return _plus_minutes(lesson["starts_at"], lesson["minutes"])

    def _lesson_taken(self, lesson: Lesson) -> int:
        """The taken of a lesson."""
        return sum(
            1
            for b in self._bookings_by_lesson.get(lesson["id"], {}).values()
            if b["status"] in ("booked", "attended", "missed")
        )

    def _lesson_free(self, lesson: Lesson) -> int:
        """The free of a lesson."""
        return self.studios[lesson["studio_id"]]["places"] - self._lesson_taken(lesson)

    def _lesson_waiting(self, lesson: Lesson) -> int:
        """The waiting of a lesson."""
        return len(self._bookings_by_lesson_status.get((lesson["id"], "waiting"), {}))

    def _live(self, b: Booking) -> bool:
        return b["status"] in ("waiting", "booked")

    def _in_good_time(self, b: Booking) -> bool:
        return (
            b["moved_up_at"] is None
            or _minutes_between(b["moved_up_at"], self.lessons[b["lesson_id"]]["starts_at"]) >= 720
        )

    def _clash(self, m: Member, l: Lesson) -> Booking | None:
        return next(
            (
                b
                for b in sorted(self._bookings_by_member.get(m["id"], {}).values(), key=_age)
                if self._live(b)
                and b["lesson_id"] != l["id"]
                and _overlap(
                    self.lessons[b["lesson_id"]]["starts_at"],
                    self._lesson_ends_at(self.lessons[b["lesson_id"]]),
                    l["starts_at"],
                    self._lesson_ends_at(l),
                )
            ),
            None,
        )

    def _frozen_on(self, m: Member, d: str) -> bool:
        return (
            m["frozen_from"] is not None
            and m["frozen_until"] is not None
            and (m["frozen_from"] <= d and d <= m["frozen_until"])
        )

    def _suspended(self, m: Member, d: str) -> bool:
        return m["suspended_until"] is not None and m["suspended_until"] >= d

    def _busy(self, i: Instructor, a: str, b: str) -> list[Lesson]:
        return [
            l
            for l in sorted(self._lessons_by_instructor_status.get((i["id"], "planned"), {}).values(), key=_age)
            if _overlap(l["starts_at"], self._lesson_ends_at(l), a, b)
        ]

    def _in_use(self, s: Studio, a: str, b: str) -> list[Lesson]:
        return [
            l
            for l in sorted(self._lessons_by_studio_status.get((s["id"], "planned"), {}).values(), key=_age)
            if _overlap(l["starts_at"], self._lesson_ends_at(l), a, b)
        ]

    def _could_book(self, m: Member, l: Lesson, at: str) -> bool:
        return (
            l["status"] == "planned"
            and l["starts_at"] > at
            and not any(self._live(b) for b in self._bookings_by_member_lesson.get((m["id"], l["id"]), {}).values())
            and self._clash(m, l) is None
            and not self._frozen_on(m, l["starts_at"][:10])
            and not self._suspended(m, at[:10])
            and self._member_credits(m) >= l["credits"]
        )

    def _breaks_rule_1(self, l: Lesson) -> bool:
        """Whether this is broken: a class never has more people than its studio has places."""
        return self._lesson_taken(l) > self.studios[l["studio_id"]]["places"]

    def _breaks_rule_2(self, l: Lesson) -> bool:
        """Whether this is broken: nobody waits for a class that has a free place."""
        return l["status"] == "planned" and (self._lesson_waiting(l) != 0 and self._lesson_free(l) != 0)

    def _breaks_rule_3(self, b: Booking) -> bool:
        """Whether this is broken: a member is down for a class only once."""
        return (
            self._live(b)
            and any(
                other_b is not b
                for other_b in self._bookings_by_member_lesson.get((b["member_id"], b["lesson_id"]), {}).values()
                if self._live(other_b)
            )
        )

    def _breaks_rule_4(self, a: Booking) -> bool:
        """Whether this is broken: nobody is down for two classes at the same time."""
        return (
            self._live(a)
            and any(
                _overlap(
                    self.lessons[a["lesson_id"]]["starts_at"],
                    self._lesson_ends_at(self.lessons[a["lesson_id"]]),
                    self.lessons[b["lesson_id"]]["starts_at"],
                    self._lesson_ends_at(self.lessons[b["lesson_id"]]),
                )
                for b in self._bookings_by_member.get(a["member_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_5(self, m: Member) -> bool:
        """Whether this is broken: nobody has fewer than no credits."""
        return self._member_credits(m) < 0

    def _breaks_rule_6(self, l: Lesson) -> bool:
        """Whether this is broken: instructors teach what they are trained for."""
        return l["kind"] not in self.instructors[l["instructor_id"]]["teaches"]

    def _breaks_rule_7(self, a: Lesson) -> bool:
        """Whether this is broken: an instructor gives one class at a time."""
        return (
            a["status"] == "planned"
            and any(
                _overlap(a["starts_at"], self._lesson_ends_at(a), b["starts_at"], self._lesson_ends_at(b))
                for b in self._lessons_by_instructor_status.get((a["instructor_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_8(self, a: Lesson) -> bool:
        """Whether this is broken: a studio houses one class at a time."""
        return (
            a["status"] == "planned"
            and any(
                _overlap(a["starts_at"], self._lesson_ends_at(a), b["starts_at"], self._lesson_ends_at(b))
                for b in self._lessons_by_studio_status.get((a["studio_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_9(self, b: Booking) -> bool:
        """Whether this is broken: nobody is down for a class while their membership is frozen."""
        return (
            self._live(b)
            and self._frozen_on(self.members[b["member_id"]], self.lessons[b["lesson_id"]]["starts_at"][:10])
        )

    def _breaks_rule_10_m(self, m: Member) -> bool:
        """Whether this is broken: a freeze has a first and a last day."""
        return (m["frozen_from"] is None) != (m["frozen_until"] is None)

    def _breaks_rule_10_m_again(self, m: Member) -> bool:
        """Whether this is broken: a freeze has a first and a last day."""
        return m["frozen_from"] is not None and m["frozen_until"] is not None and m["frozen_from"] > m["frozen_until"]

    def _breaks_rule_11(self, b: Booking) -> bool:
        """Whether this is broken: only planned classes have people who are booked or waiting."""
        return self._live(b) and self.lessons[b["lesson_id"]]["status"] != "planned"

    def _breaks_rule_12(self, l: Lesson) -> bool:
        """Whether this is broken: a class that is called off says why, and no other does."""
        return (l["status"] == "called_off") != (l["called_off_for"] is not None)

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
                self._lessons_by_instructor_status.setdefault(
                    (record["instructor_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lessons_by_studio_status.setdefault(
                    (record["studio_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "bookings":
                self._bookings_by_lesson.setdefault(record["lesson_id"], {})[record["id"]] = record
                self._bookings_by_lesson_status.setdefault(
                    (record["lesson_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._bookings_by_member_lesson.setdefault(
                    (record["member_id"], record["lesson_id"]),
                    {},
                )[record["id"]] = record
            case "credit_moves":
                self._credit_moves_by_member.setdefault(record["member_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lessons":
                del self._lessons_by_instructor_status[record["instructor_id"], record["status"]][record["id"]]
                del self._lessons_by_studio_status[record["studio_id"], record["status"]][record["id"]]
            case "bookings":
                del self._bookings_by_lesson[record["lesson_id"]][record["id"]]
                del self._bookings_by_lesson_status[record["lesson_id"], record["status"]][record["id"]]
                del self._bookings_by_member[record["member_id"]][record["id"]]
                del self._bookings_by_member_lesson[record["member_id"], record["lesson_id"]][record["id"]]
            case "credit_moves":
                del self._credit_moves_by_member[record["member_id"]][record["id"]]
