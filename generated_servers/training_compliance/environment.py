"""Training and certificates. Compiled from blueprint.yaml; run `envscaler build training_compliance` after changing it there.

Keeps the people of a power company qualified for their roles, with certificates that expire, prerequisites,
course seats with waiting lists, exemptions and clearances for duty.
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
    "A course never has more people than seats.",
    "A person stands once on the list of a course.",
    "Nobody has seats in two courses on one day.",
    "A seat is for people who hold, or are about to acquire, every prerequisite.",
    "Nobody is expected at a course that was called off.",
    "A qualification is taught once a day.",
    "A person has one certificate for a qualification of one day.",
    "Nobody is exempted from what the law demands, nor for more than a year.",
    "Exemptions of a person for a qualification do not overlap.",
    "A role requires a qualification once.",
    "Nobody is cleared beyond the day on which something required runs out.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "schedule_course",
    "add_seats",
    "book_seat",
    "cancel_seat",
    "call_off_course",
    "record_result",
    "recognise_certificate",
    "grant_exemption",
    "add_requirement",
    "change_role",
    "clear_person",
)
"""The methods that may change something; all others only read."""

BOOKING_STATUS_MOVES = {
    ("booked", "passed"),
    ("booked", "failed"),
    ("booked", "absent"),
    ("booked", "cancelled"),
    ("waiting", "booked"),
    ("waiting", "cancelled"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "roles": ("name",),
    "qualifications": ("name",),
    "requirements": (),
    "people": ("name",),
    "courses": (),
    "bookings": (),
    "certificates": (),
    "exemptions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "course_id"),
    ("bookings", "person_id"),
    ("bookings", "status"),
    ("certificates", "person_id"),
    ("certificates", "qualification_id"),
    ("courses", "qualification_id"),
    ("exemptions", "person_id"),
    ("exemptions", "qualification_id"),
    ("people", "role_id"),
    ("requirements", "qualification_id"),
    ("requirements", "role_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Role(TypedDict):
    id: str
    name: str


class Qualification(TypedDict):
    id: str
    name: str
    valid_months: int
    statutory: bool
    need_ids: list[str]


class Requirement(TypedDict):
    id: str
    role_id: str
    qualification_id: str


class Person(TypedDict):
    id: str
    name: str
    role_id: str
    cleared_until: str | None


class Course(TypedDict):
    id: str
    qualification_id: str
    on: str
    seats: int
    status: Literal["planned", "held", "called_off"]


class Booking(TypedDict):
    id: str
    course_id: str
    person_id: str
    asked_at: str
    status: Literal["booked", "passed", "failed", "absent", "cancelled", "waiting"]


class Certificate(TypedDict):
    id: str
    person_id: str
    qualification_id: str
    issued_on: str
    external: bool


class Exemption(TypedDict):
    id: str
    person_id: str
    qualification_id: str
    granted_on: str
    until: str
    reason: str


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


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


class TrainingCompliance:
    """Keeps the people of a power company qualified for their roles, with certificates that expire,
    prerequisites, course seats with waiting lists, exemptions and clearances for duty.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.roles: dict[str, Role] = _copied(config.get("roles", {}))
        self.qualifications: dict[str, Qualification] = _copied(config.get("qualifications", {}))
        self.requirements: dict[str, Requirement] = _copied(config.get("requirements", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.courses: dict[str, Course] = _copied(config.get("courses", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.exemptions: dict[str, Exemption] = _copied(config.get("exemptions", {}))
        self.now: str = config.get("now", "2026-10-05T08:30")
        self.counters: dict[str, int] = {
            "role": len(self.roles),
            "qualification": len(self.qualifications),
            "requirement": len(self.requirements),
            "person": len(self.people),
            "course": len(self.courses),
            "booking": len(self.bookings),
            "certificate": len(self.certificates),
            "exemption": len(self.exemptions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._requirements_by_role: dict[Any, dict[str, Requirement]] = {}
        self._requirements_by_role_qualification: dict[Any, dict[str, Requirement]] = {}
        self._people_by_role: dict[Any, dict[str, Person]] = {}
        self._courses_by_qualification: dict[Any, dict[str, Course]] = {}
        self._bookings_by_course: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_course_person: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_course_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_person: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_person_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_status: dict[Any, dict[str, Booking]] = {}
        self._certificates_by_person_qualification: dict[Any, dict[str, Certificate]] = {}
        self._exemptions_by_person_qualification: dict[Any, dict[str, Exemption]] = {}
        for requirement in self.requirements.values():
            self._link("requirements", requirement)
        for person in self.people.values():
            self._link("people", person)
        for course in self.courses.values():
            self._link("courses", course)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for exemption in self.exemptions.values():
            self._link("exemptions", exemption)

    def gaps_of(self, person_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What somebody's role requires, with the day until which they hold it.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requirements": records}} or {"success": False, "error":
                why not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        found = [r for r in self._requirements_by_role.get(person["role_id"], {}).values()]
        found.sort(key=lambda r: (self.qualifications[r["qualification_id"]]["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "requirements": [
                    {
                        "qualification": self.qualifications[r["qualification_id"]]["name"],
                        "statutory": self.qualifications[r["qualification_id"]]["statutory"],
                        "held_today": self._holds(person, self.qualifications[r["qualification_id"]], self.now[:10]),
                        "until": self._reach(person, self.qualifications[r["qualification_id"]]),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def expiring(
        self,
        until: Date,
        qualification_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Certificates that run out by a day and for which the person has no later one, the first to run out on top.

        Args:
            until (str): Day up to which the certificates run out, past ones included, as YYYY-MM-DD.
            qualification_id (str, optional): Qualification whose certificates are listed; an id such as
                QUALIFICATION-00001. If left out, the certificates of all qualifications are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}} or {"success": False, "error":
                why not}
        """
        qualification = self.qualifications.get(qualification_id) if qualification_id is not None else None
        if qualification_id is not None and qualification is None:
            return _refused(f"There is no qualification {qualification_id!r}.")
        found = [
            c
            for c in self.certificates.values()
            if self._certificate_expires_on(c) <= until
            and (qualification_id is None or c["qualification_id"] == qualification_id)
            and not any(
                self._certificate_expires_on(d) > self._certificate_expires_on(c)
                for d in self._certificates_by_person_qualification.get(
                    (c["person_id"], c["qualification_id"]),
                    {},
                ).values()
            )
        ]
        found.sort(key=lambda c: (self._certificate_expires_on(c), c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "certificates": [
                    {
                        "id": c["id"],
                        "person": self.people[c["person_id"]]["name"],
                        "qualification": self.qualifications[c["qualification_id"]]["name"],
                        "expires_on": self._certificate_expires_on(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def open_courses(
        self,
        qualification_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Courses to come, with free seats and people waiting.

        Args:
            qualification_id (str, optional): Qualification that the courses lead to; an id such as
                QUALIFICATION-00001. If left out, the courses of all qualifications are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "courses": records}} or {"success": False, "error": why
                not}
        """
        qualification = self.qualifications.get(qualification_id) if qualification_id is not None else None
        if qualification_id is not None and qualification is None:
            return _refused(f"There is no qualification {qualification_id!r}.")
        found = [
            c
            for c in self.courses.values()
            if (c["status"] == "planned" and c["on"] > self.now[:10])
            and (qualification_id is None or c["qualification_id"] == qualification_id)
        ]
        found.sort(key=lambda c: (c["on"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "courses": [
                    {
                        "id": c["id"],
                        "qualification": self.qualifications[c["qualification_id"]]["name"],
                        "on": c["on"],
                        "free": c["seats"] - self._course_taken(c),
                        "waiting": self._course_waiting(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_roles(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the roles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only roles whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "roles": records}}
        """
        found = [role for role in self.roles.values() if (name is None or name.casefold() in role["name"].casefold())]
        return _found({"total": len(found), "roles": [{**role} for role in _page(found, offset)]})

    def list_qualifications(
        self,
        name: Text | None = None,
        statutory: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the qualifications, oldest first, all of them or only some.

        Args:
            name (str, optional): Only qualifications whose name contains this text.
            statutory (bool, optional): Only qualifications with this value of `statutory`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "qualifications": records}}
        """
        found = [
            qualification
            for qualification in self.qualifications.values()
            if (name is None or name.casefold() in qualification["name"].casefold())
            and (statutory is None or qualification["statutory"] == statutory)
        ]
        shown = [self._show_qualification(qualification) for qualification in _page(found, offset)]
        return _found({"total": len(found), "qualifications": shown}, self._names_of_qualifications(shown))

    def list_requirements(
        self,
        role_id: str | None = None,
        qualification_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requirements, oldest first, all of them or only some.

        Args:
            role_id (str, optional): Only requirements of this role.
            qualification_id (str, optional): Only requirements of this qualification.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requirements": records}}
        """
        if role_id is not None and role_id not in self.roles:
            return _refused(f"There is no role {role_id!r}.")
        if qualification_id is not None and qualification_id not in self.qualifications:
            return _refused(f"There is no qualification {qualification_id!r}.")
        found = [
            requirement
            for requirement in self.requirements.values()
            if (role_id is None or requirement["role_id"] == role_id)
            and (qualification_id is None or requirement["qualification_id"] == qualification_id)
        ]
        shown = [{**requirement} for requirement in _page(found, offset)]
        return _found({"total": len(found), "requirements": shown}, self._names_of_requirements(shown))

    def list_people(
        self,
        name: Text | None = None,
        role_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            role_id (str, optional): Only people of this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        if role_id is not None and role_id not in self.roles:
            return _refused(f"There is no role {role_id!r}.")
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (role_id is None or person["role_id"] == role_id)
        ]
        shown = [{**person} for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_courses(
        self,
        qualification_id: str | None = None,
        status: Literal["planned", "held", "called_off"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the courses, oldest first, all of them or only some.

        Args:
            qualification_id (str, optional): Only courses of this qualification.
            status (str, optional): Only courses with this status.
            on_from (str, optional): Only courses whose `on` is on this day or later.
            on_to (str, optional): Only courses whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "courses": records}}
        """
        if qualification_id is not None and qualification_id not in self.qualifications:
            return _refused(f"There is no qualification {qualification_id!r}.")
        found = [
            course
            for course in self.courses.values()
            if (qualification_id is None or course["qualification_id"] == qualification_id)
            and (status is None or course["status"] == status)
            and (on_from is None or course["on"] >= on_from)
            and (on_to is None or course["on"] <= on_to)
        ]
        shown = [self._show_course(course) for course in _page(found, offset)]
        return _found({"total": len(found), "courses": shown}, self._names_of_courses(shown))

    def list_bookings(
        self,
        course_id: str | None = None,
        person_id: str | None = None,
        status: Literal["booked", "passed", "failed", "absent", "cancelled", "waiting"] | None = None,
        asked_at_from: Date | None = None,
        asked_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            course_id (str, optional): Only bookings of this course.
            person_id (str, optional): Only bookings of this person.
            status (str, optional): Only bookings with this status.
            asked_at_from (str, optional): Only bookings whose `asked_at` is on this day or later.
            asked_at_to (str, optional): Only bookings whose `asked_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if course_id is not None and course_id not in self.courses:
            return _refused(f"There is no course {course_id!r}.")
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (course_id is None or booking["course_id"] == course_id)
            and (person_id is None or booking["person_id"] == person_id)
            and (status is None or booking["status"] == status)
            and (asked_at_from is None or booking["asked_at"][:10] >= asked_at_from)
            and (asked_at_to is None or booking["asked_at"][:10] <= asked_at_to)
        ]
        shown = [{**booking} for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_certificates(
        self,
        person_id: str | None = None,
        qualification_id: str | None = None,
        external: bool | None = None,
        issued_on_from: Date | None = None,
        issued_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only certificates of this person.
            qualification_id (str, optional): Only certificates of this qualification.
            external (bool, optional): Only certificates with this value of `external`.
            issued_on_from (str, optional): Only certificates whose `issued_on` is on this day or later.
            issued_on_to (str, optional): Only certificates whose `issued_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if qualification_id is not None and qualification_id not in self.qualifications:
            return _refused(f"There is no qualification {qualification_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (person_id is None or certificate["person_id"] == person_id)
            and (qualification_id is None or certificate["qualification_id"] == qualification_id)
            and (external is None or certificate["external"] == external)
            and (issued_on_from is None or certificate["issued_on"] >= issued_on_from)
            and (issued_on_to is None or certificate["issued_on"] <= issued_on_to)
        ]
        shown = [self._show_certificate(certificate) for certificate in _page(found, offset)]
        return _found({"total": len(found), "certificates": shown}, self._names_of_certificates(shown))

    def list_exemptions(
        self,
        person_id: str | None = None,
        qualification_id: str | None = None,
        granted_on_from: Date | None = None,
        granted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the exemptions, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only exemptions of this person.
            qualification_id (str, optional): Only exemptions of this qualification.
            granted_on_from (str, optional): Only exemptions whose `granted_on` is on this day or later.
            granted_on_to (str, optional): Only exemptions whose `granted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "exemptions": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if qualification_id is not None and qualification_id not in self.qualifications:
            return _refused(f"There is no qualification {qualification_id!r}.")
        found = [
            exemption
            for exemption in self.exemptions.values()
            if (person_id is None or exemption["person_id"] == person_id)
            and (qualification_id is None or exemption["qualification_id"] == qualification_id)
            and (granted_on_from is None or exemption["granted_on"] >= granted_on_from)
            and (granted_on_to is None or exemption["granted_on"] <= granted_on_to)
        ]
        shown = [{**exemption} for exemption in _page(found, offset)]
        return _found({"total": len(found), "exemptions": shown}, self._names_of_exemptions(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def schedule_course(
        self,
        qualification_id: str,
        on: Date,
        seats: Annotated[int, {"minimum": 2, "maximum": 16}],
    ) -> Result:
        """Schedule a course for a qualification.

        Args:
            qualification_id (str): Id of the qualification, such as QUALIFICATION-00001.
            on (str): Day on which the course is held, after today, as YYYY-MM-DD.
            seats (int): How many people can take part, from 2 to 16.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        qualification = self.qualifications.get(qualification_id)
        if qualification is None:
            return _refused(f"There is no qualification {qualification_id!r}.")
        if on <= self.now[:10]:
            return _refused(f"A course is scheduled for a day after {self.now[:10]}.")
        if any(each["on"] == on for each in self._courses_by_qualification.get(qualification_id, {}).values()):
            return _refused(f"There is a course for {qualification['name']} on {on} already.")
        self._journal = []
        course: Course = {
            "id": self._new_id("course", "COURSE", self.courses),
            "qualification_id": qualification_id,
            "on": on,
            "seats": seats,
            "status": "planned",
        }
        self._add("courses", course)
        if self._breaks_rule_1(course):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(course):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: schedule a course for {qualification['name']} on {on} with {seats} seats (new: course "
                f"{course['id']})."
            ),
            "data": {"course_id": course["id"], **self._changes()},
        }

    def add_seats(self, course_id: str, seats: Annotated[int, {"minimum": 1, "maximum": 10}]) -> Result:
        """Give a course more seats; people who wait move up in the order in which they asked.

        Args:
            course_id (str): Id of the course, such as COURSE-00001.
            seats (int): How many seats come on top, for a total of 16 at most, from 1 to 10.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        course = self.courses.get(course_id)
        if course is None:
            return _refused(f"There is no course {course_id!r}.")
        if course["status"] != "planned":
            return _refused(f"The course on {course['on']} is {course['status']}.")
        if course["on"] <= self.now[:10]:
            return _refused(f"The course was on {course['on']}.")
        if course["seats"] + seats > 16:
            return _refused(f"A course has at most 16 seats, and this one has {course['seats']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        new_seats = course["seats"] + seats
        if not 2 <= new_seats <= 16:
            return self._take_back(f"The seats of {course['id']} must be between 2 and 16.")
        self._put("courses", course, "seats", new_seats)
        free = course["seats"] - self._course_taken(course)
        for w in sorted(
            [w for w in self._bookings_by_course.get(course_id, {}).values() if self._next_in_line(w, course)],
            key=lambda w: (w["asked_at"], w["id"], _age(w)),
        )[: max(free, 0)]:
            if w["status"] not in ("booked", "waiting"):
                return self._take_back(f"Booking {w['id']} cannot go from {w['status']} to booked.")
            changed_bookings.append(w)
            self._put("bookings", w, "status", "booked")
        for one_course in _distinct([course, *[self.courses[one["course_id"]] for one in changed_bookings]]):
            if self._breaks_rule_1(one_course):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *changed_bookings,
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in changed_bookings]
                    for user in self._bookings_by_person_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: add {seats} seats to the course for "
                f"{self.qualifications[course['qualification_id']]['name']} on {course['on']}."
            ),
            "data": self._changes(),
        }

    def book_seat(self, course_id: str, person_id: str) -> Result:
        """Book a seat for somebody, or a place on the waiting list where the course is full.

        Args:
            course_id (str): Id of the course, such as COURSE-00001.
            person_id (str): Id of the person, such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        course = self.courses.get(course_id)
        if course is None:
            return _refused(f"There is no course {course_id!r}.")
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if course["status"] != "planned":
            return _refused(f"The course on {course['on']} is {course['status']}.")
        if course["on"] <= self.now[:10]:
            return _refused(f"The course was on {course['on']}.")
        if self._listed(course, person) is not None:
            return _refused(f"{person['name']} is on the list of this course already.")
        other = self._busy_on(person, course["on"])
        if other is not None:
            return _refused(
                f"{person['name']} has a seat in the course for "
                f"{self.qualifications[self.courses[other['course_id']]['qualification_id']]['name']} on that day."
            )
        gap_is = self._lacking(person, self.qualifications[course["qualification_id"]], course["on"])
        if gap_is is not None:
            return _refused(
                f"{person['name']} lacks {gap_is['name']}, which comes before "
                f"{self.qualifications[course['qualification_id']]['name']}."
            )
        self._journal = []
        added_bookings: list[Any] = []
        if self._course_taken(course) < course["seats"] and self._course_waiting(course) == 0:
            booking = {
                "id": self._new_id("booking", "BOOKING", self.bookings),
                "course_id": course_id,
                "person_id": person_id,
                "asked_at": self.now,
                "status": "booked",
            }
            self._add("bookings", booking)
            added_bookings.append(booking)
        else:
            new_booking = {
                "id": self._new_id("booking", "BOOKING", self.bookings),
                "course_id": course_id,
                "person_id": person_id,
                "asked_at": self.now,
                "status": "waiting",
            }
            self._add("bookings", new_booking)
            added_bookings.append(new_booking)
        for one_course in _distinct([self.courses[one["course_id"]] for one in added_bookings]):
            if self._breaks_rule_1(one_course):
                return self._take_back(RULES[0])
        for one_booking in _distinct(added_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(added_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *added_bookings,
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in added_bookings]
                    for user in self._bookings_by_person_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct(added_bookings):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: book {person['name']} on the course for "
                f"{self.qualifications[course['qualification_id']]['name']} on {course['on']}."
            ),
            "data": self._changes(),
        }

    def cancel_seat(self, booking_id: str) -> Result:
        """Cancel somebody's seat or place on the waiting list; the first who waits moves up.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("booked", "waiting"):
            return _refused(f"The booking of {self.people[booking['person_id']]['name']} is {booking['status']}.")
        if self.courses[booking["course_id"]]["on"] <= self.now[:10]:
            return _refused(f"The course was on {self.courses[booking['course_id']]['on']}.")
        later = next(
            (
                b
                for b in sorted(
                    self._bookings_by_person_status.get((booking["person_id"], "booked"), {}).values(),
                    key=_age,
                )
                if self.courses[b["course_id"]]["on"] > self.courses[booking["course_id"]]["on"]
                and self.qualifications[self.courses[booking["course_id"]]["qualification_id"]] in _above(
                    self.qualifications,
                    self.qualifications[self.courses[b["course_id"]]["qualification_id"]],
                    "need_ids",
                )
                and not self._holds(
                    self.people[b["person_id"]],
                    self.qualifications[self.courses[booking["course_id"]]["qualification_id"]],
                    self.courses[b["course_id"]]["on"],
                )
            ),
            None,
        )
        if booking["status"] != "waiting" and later is not None:
            return _refused(
                f"{self.people[booking['person_id']]['name']} needs this for the course on "
                f"{self.courses[later['course_id']]['on']}; cancel that seat first."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        course = self.courses[booking["course_id"]]
        self._put("bookings", booking, "status", "cancelled")
        if self._course_taken(course) < course["seats"]:
            for w in sorted(
                [w for w in self._bookings_by_course.get(course["id"], {}).values() if self._next_in_line(w, course)],
                key=lambda w: (w["asked_at"], w["id"], _age(w)),
            )[:1]:
                if w["status"] not in ("booked", "waiting"):
                    return self._take_back(f"Booking {w['id']} cannot go from {w['status']} to booked.")
                changed_bookings.append(w)
                self._put("bookings", w, "status", "booked")
        for one_course in _distinct(
            [self.courses[booking["course_id"]], *[self.courses[one["course_id"]] for one in changed_bookings]]
        ):
            if self._breaks_rule_1(one_course):
                return self._take_back(RULES[0])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                booking,
                *self._bookings_by_person_status.get((booking["person_id"], "booked"), {}).values(),
                *changed_bookings,
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in changed_bookings]
                    for user in self._bookings_by_person_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: cancel {self.people[booking['person_id']]['name']} on the course for "
                f"{self.qualifications[self.courses[booking['course_id']]['qualification_id']]['name']} on "
                f"{self.courses[booking['course_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def call_off_course(self, course_id: str) -> Result:
        """Call a course off; nobody stays on its list, nor on later courses for which it was the prerequisite.

        Args:
            course_id (str): Id of the course, such as COURSE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        course = self.courses.get(course_id)
        if course is None:
            return _refused(f"There is no course {course_id!r}.")
        if course["status"] != "planned":
            return _refused(f"The course on {course['on']} is {course['status']}.")
        if course["on"] <= self.now[:10]:
            return _refused(f"The course was on {course['on']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        for b in [
            b
            for b in sorted(self._bookings_by_course.get(course_id, {}).values(), key=_age)
            if b["status"] in ("booked", "waiting")
        ]:
            if b["status"] not in ("booked", "cancelled", "waiting"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to cancelled.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "cancelled")
        for b in [
            b
            for b in sorted(self._bookings_by_status.get("booked", {}).values(), key=_age)
            if self.courses[b["course_id"]]["on"] > course["on"]
            and self._lacking(
                self.people[b["person_id"]],
                self.qualifications[self.courses[b["course_id"]]["qualification_id"]],
                self.courses[b["course_id"]]["on"],
            ) is not None
        ]:
            if b["status"] not in ("booked", "cancelled", "waiting"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to cancelled.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "cancelled")
        self._put("courses", course, "status", "called_off")
        for one_course in _distinct([self.courses[one["course_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_course):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *changed_bookings,
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in changed_bookings]
                    for user in self._bookings_by_person_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct([*changed_bookings, *self._bookings_by_course.get(course["id"], {}).values()]):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: call off the course for {self.qualifications[course['qualification_id']]['name']} on "
                f"{course['on']}."
            ),
            "data": self._changes(),
        }

    def record_result(self, booking_id: str, outcome: Literal["passed", "failed", "absent"]) -> Result:
        """Record how somebody did in a course; who passed gets the certificate, who did not loses seats that depended
        on it.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            outcome (str): How the person did, where absent means that they did not come: passed, failed or absent.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "booked":
            return _refused(f"The booking of {self.people[booking['person_id']]['name']} is {booking['status']}.")
        if self.courses[booking["course_id"]]["on"] > self.now[:10]:
            return _refused(f"The course is on {self.courses[booking['course_id']]['on']}.")
        if not (
            outcome != "passed"
            or not any(
                each["issued_on"] == self.courses[booking["course_id"]]["on"]
                for each in self._certificates_by_person_qualification.get(
                    (booking["person_id"], self.courses[booking["course_id"]]["qualification_id"]),
                    {},
                ).values()
            )
        ):
            return _refused(f"{self.people[booking['person_id']]['name']} has a certificate of that day.")
        before = next(
            (
                n
                for n in _above(
                    self.qualifications,
                    self.qualifications[self.courses[booking["course_id"]]["qualification_id"]],
                    "need_ids",
                )
                if not self._holds(self.people[booking["person_id"]], n, self.courses[booking["course_id"]]["on"])
            ),
            None,
        )
        if outcome == "passed" and before is not None:
            return _refused(
                f"{self.people[booking['person_id']]['name']} did not hold {before['name']} on "
                f"{self.courses[booking['course_id']]['on']}; record that course first."
            )
        self._journal = []
        changed_courses: list[Any] = []
        changed_bookings: list[Any] = []
        added_certificates: list[Any] = []
        if self.courses[booking["course_id"]]["status"] == "planned":
            course = self.courses[booking["course_id"]]
            if course["status"] not in ("planned", "held"):
                return self._take_back(f"Course {course['id']} cannot go from {course['status']} to held.")
            changed_courses.append(course)
            self._put("courses", course, "status", "held")
        if outcome == "passed":
            changed_bookings.append(booking)
            self._put("bookings", booking, "status", "passed")
            certificate = {
                "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
                "person_id": booking["person_id"],
                "qualification_id": self.courses[booking["course_id"]]["qualification_id"],
                "issued_on": self.courses[booking["course_id"]]["on"],
                "external": False,
            }
            self._add("certificates", certificate)
            added_certificates.append(certificate)
        else:
            status = "failed" if outcome == "failed" else "absent"
            if booking["status"] != status and (booking["status"], status) not in BOOKING_STATUS_MOVES:
                return self._take_back(f"Booking {booking['id']} cannot go from {booking['status']} to {status}.")
            changed_bookings.append(booking)
            self._put("bookings", booking, "status", status)
            for b in [
                b
                for b in sorted(
                    self._bookings_by_person_status.get((booking["person_id"], "booked"), {}).values(),
                    key=_age,
                )
                if self._lacking(
                    self.people[b["person_id"]],
                    self.qualifications[self.courses[b["course_id"]]["qualification_id"]],
                    self.courses[b["course_id"]]["on"],
                ) is not None
            ]:
                if b["status"] not in ("booked", "cancelled", "waiting"):
                    return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to cancelled.")
                changed_bookings.append(b)
                self._put("bookings", b, "status", "cancelled")
        for one_course in _distinct([self.courses[one["course_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_course):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *changed_bookings,
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in changed_bookings]
                    for user in self._bookings_by_person_status.get((one["id"], "booked"), {}).values()
                ],
                *[
                    user
                    for one in [self.people[one["person_id"]] for one in added_certificates]
                    for user in self._bookings_by_person_status.get((one["id"], "booked"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct(
            [
                *[user for one in changed_courses for user in self._bookings_by_course.get(one["id"], {}).values()],
                *changed_bookings,
            ]
        ):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        for one_certificate in _distinct(added_certificates):
            if self._breaks_rule_7(one_certificate):
                return self._take_back(RULES[6])
        for one_person in _distinct([self.people[one["person_id"]] for one in added_certificates]):
            if self._breaks_rule_11(one_person):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record {self.people[booking['person_id']]['name']} as {outcome} in the course for "
                f"{self.qualifications[self.courses[booking['course_id']]['qualification_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def recognise_certificate(self, person_id: str, qualification_id: str, issued_on: Date) -> Result:
        """Recognise a certificate that somebody earned elsewhere.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            qualification_id (str): Id of the qualification, such as QUALIFICATION-00001.
            issued_on (str): Day on which the certificate was issued, recent enough to be valid still, as
                YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        qualification = self.qualifications.get(qualification_id)
        if qualification is None:
            return _refused(f"There is no qualification {qualification_id!r}.")
        if issued_on > self.now[:10]:
            return _refused(f"{issued_on} is in the future.")
        if _add_months(issued_on, qualification["valid_months"]) <= self.now[:10]:
            return _refused(
                f"A certificate of {issued_on} ran out on {_add_months(issued_on, qualification['valid_months'])}."
            )
        if any(
            each["issued_on"] == issued_on
            for each in self._certificates_by_person_qualification.get((person_id, qualification_id), {}).values()
        ):
            return _refused(f"{person['name']} has a certificate of that day.")
        self._journal = []
        certificate: Certificate = {
            "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
            "person_id": person_id,
            "qualification_id": qualification_id,
            "issued_on": issued_on,
            "external": True,
        }
        self._add("certificates", certificate)
        for one_booking in _distinct(
            self._bookings_by_person_status.get((certificate["person_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(certificate):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(self.people[certificate["person_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: recognise the certificate of {person['name']} for {qualification['name']} of {issued_on} "
                f"(new: certificate {certificate['id']})."
            ),
            "data": {"certificate_id": certificate["id"], **self._changes()},
        }

    def grant_exemption(self, person_id: str, qualification_id: str, until: Date, reason: Text) -> Result:
        """Exempt somebody from a qualification for a time, where the law allows it.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            qualification_id (str): Id of the qualification, such as QUALIFICATION-00001.
            until (str): Last day of the exemption, after today and within a year, as YYYY-MM-DD.
            reason (str): Why the person is exempted.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        qualification = self.qualifications.get(qualification_id)
        if qualification is None:
            return _refused(f"There is no qualification {qualification_id!r}.")
        if qualification["statutory"]:
            return _refused(f"The law allows no exemption from {qualification['name']}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 366):
            return _refused(f"An exemption ends after {self.now[:10]} and within a year.")
        if any(
            x["until"] >= self.now[:10]
            for x in self._exemptions_by_person_qualification.get((person_id, qualification_id), {}).values()
        ):
            return _refused(f"{person['name']} is exempted from {qualification['name']} already.")
        self._journal = []
        exemption: Exemption = {
            "id": self._new_id("exemption", "EXEMPTION", self.exemptions),
            "person_id": person_id,
            "qualification_id": qualification_id,
            "granted_on": self.now[:10],
            "until": until,
            "reason": reason,
        }
        self._add("exemptions", exemption)
        for one_booking in _distinct(
            self._bookings_by_person_status.get((exemption["person_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_8(exemption):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(exemption):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.people[exemption["person_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: exempt {person['name']} from {qualification['name']} until {until} (new: exemption "
                f"{exemption['id']})."
            ),
            "data": {"exemption_id": exemption["id"], **self._changes()},
        }

    def add_requirement(self, role_id: str, qualification_id: str) -> Result:
        """Require a qualification of a role from now on; whoever lacks it until the end of their clearance loses the
        clearance.

        Args:
            role_id (str): Id of the role, such as ROLE-00001.
            qualification_id (str): Id of the qualification, such as QUALIFICATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        qualification = self.qualifications.get(qualification_id)
        if qualification is None:
            return _refused(f"There is no qualification {qualification_id!r}.")
        if self._requirements_by_role_qualification.get((role_id, qualification_id), {}):
            return _refused(f"{qualification['name']} is required of {role['name']} already.")
        self._journal = []
        changed_people: list[Any] = []
        requirement: Requirement = {
            "id": self._new_id("requirement", "REQUIREMENT", self.requirements),
            "role_id": role_id,
            "qualification_id": qualification_id,
        }
        self._add("requirements", requirement)
        for p in sorted(self._people_by_role.get(role_id, {}).values(), key=_age):
            if p["cleared_until"] is not None and not self._holds(p, qualification, p["cleared_until"]):
                changed_people.append(p)
                self._put("people", p, "cleared_until", None)
        if self._breaks_rule_10(requirement):
            return self._take_back(RULES[9])
        for one_person in _distinct(
            [*self._people_by_role.get(requirement["role_id"], {}).values(), *changed_people]
        ):
            if self._breaks_rule_11(one_person):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: require {qualification['name']} of {role['name']} (new: requirement {requirement['id']})."
            ),
            "data": {"requirement_id": requirement["id"], **self._changes()},
        }

    def change_role(self, person_id: str, role_id: str) -> Result:
        """Give somebody another role; the clearance ends with it.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            role_id (str): Id of the role, such as ROLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        role = self.roles.get(role_id)
        if role is None:
            return _refused(f"There is no role {role_id!r}.")
        if person["role_id"] == role_id:
            return _refused(f"{person['name']} is {role['name']} already.")
        self._journal = []
        self._put("people", person, "role_id", role_id)
        self._put("people", person, "cleared_until", None)
        if self._breaks_rule_11(person):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: make {person['name']} {role['name']}.", "data": self._changes()}

    def clear_person(self, person_id: str, withdraw: bool = False) -> Result:
        """Clear somebody for duty in their role, up to the day on which the first of the required qualifications runs
        out, or withdraw the clearance.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            withdraw (bool): Whether to withdraw the clearance instead of giving it. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if withdraw and person["cleared_until"] is None:
            return _refused(f"{person['name']} is not cleared, so there is nothing to withdraw.")
        open_one = self._gap(person, self.now[:10])
        if not (withdraw or open_one is None):
            return _refused(
                f"{person['name']} lacks {open_one['name']} for the role of {self.roles[person['role_id']]['name']}."
            )
        until = (
            min(
                (
                    self._reach(person, self.qualifications[r["qualification_id"]])
                    if self._reach(person, self.qualifications[r["qualification_id"]]) is not None
                    else self.now[:10]
                    for r in self._requirements_by_role.get(person["role_id"], {}).values()
                ),
                default=None,
            )
            if min(
                (
                    self._reach(person, self.qualifications[r["qualification_id"]])
                    if self._reach(person, self.qualifications[r["qualification_id"]]) is not None
                    else self.now[:10]
                    for r in self._requirements_by_role.get(person["role_id"], {}).values()
                ),
                default=None,
            ) is not None
            else _plus_days(self.now[:10], 365)
        )
        thin = next(
            (
                self.qualifications[r["qualification_id"]]
                for r in sorted(self._requirements_by_role.get(person["role_id"], {}).values(), key=_age)
                if not self._holds(person, self.qualifications[r["qualification_id"]], until)
            ),
            None,
        )
        if not (withdraw or thin is None):
            return _refused(f"{person['name']} does not hold {thin['name']} without a gap until {until}.")
        if not (withdraw or person["cleared_until"] is None or person["cleared_until"] != until):
            return _refused(f"{person['name']} is cleared until {until} already.")
        self._journal = []
        self._put("people", person, "cleared_until", None if withdraw else until)
        if self._breaks_rule_11(person):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: decide on the clearance of {person['name']}.",
            "data": self._changes(),
        }

    def _show_qualification(self, qualification: Qualification) -> dict[str, Any]:
        """The qualification as an answer shows it."""
        return {**qualification, "need_ids": [*qualification["need_ids"]]}

    def _show_course(self, course: Course) -> dict[str, Any]:
        """The course as an answer shows it."""
        return {**course, "taken": self._course_taken(course), "waiting": self._course_waiting(course)}

    def _show_certificate(self, certificate: Certificate) -> dict[str, Any]:
        """The certificate as an answer shows it."""
        return {**certificate, "expires_on": self._certificate_expires_on(certificate)}

    def _names_of_qualifications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that qualifications point to."""
        return _names((self.qualifications, "name", [each for row in shown for each in row["need_ids"]]))

    def _names_of_requirements(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that requirements point to."""
        return _names(
            (self.roles, "name", [row["role_id"] for row in shown]),
            (self.qualifications, "name", [row["qualification_id"] for row in shown]),
        )

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names((self.roles, "name", [row["role_id"] for row in shown]))

    def _names_of_courses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that courses point to."""
        return _names((self.qualifications, "name", [row["qualification_id"] for row in shown]))

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names((self.people, "name", [row["person_id"] for row in shown]))

    def _names_of_certificates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that certificates point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.qualifications, "name", [row["qualification_id"] for row in shown]),
        )

    def _names_of_exemptions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that exemptions point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.qualifications, "name", [row["qualification_id"] for row in shown]),
        )

    def _course_taken(self, course: Course) -> int:
        """The taken of a course."""
        return sum(
            1
            for b in self._bookings_by_course.get(course["id"], {}).values()
            if b["status"] not in ("cancelled", "waiting")
        )

    def _course_waiting(self, course: Course) -> int:
        """The waiting of a course."""
        return len(self._bookings_by_course_status.get((course["id"], "waiting"), {}))

    def _certificate_expires_on(self, certificate: Certificate) -> str:
        """The expires on of a certificate."""
        return _add_months(
            certificate["issued_on"],
            self.qualifications[certificate["qualification_id"]]["valid_months"],
        )

    def _reach(self, p: Person, q: Qualification) -> str | None:
        return max(
            (
                each
                for each in [
                    self._certificate_expires_on(c)
                    for c in sorted(
                        self._certificates_by_person_qualification.get((p["id"], q["id"]), {}).values(),
                        key=_age,
                    )
                ] + [
                    x["until"]
                    for x in sorted(
                        self._exemptions_by_person_qualification.get((p["id"], q["id"]), {}).values(),
                        key=_age,
                    )
                ]
            ),
            default=None,
        )

    def _holds(self, p: Person, q: Qualification, d: str) -> bool:
        return (
            any(
                c["issued_on"] <= d
                and d <= self._certificate_expires_on(c)
                for c in self._certificates_by_person_qualification.get((p["id"], q["id"]), {}).values()
            )
            or any(
                x["granted_on"] <= d
                and d <= x["until"]
                for x in self._exemptions_by_person_qualification.get((p["id"], q["id"]), {}).values()
            )
        )

    def _coming(self, p: Person, q: Qualification, d: str) -> bool:
        return any(
            b["status"] == "booked"
            and self.courses[b["course_id"]]["qualification_id"] == q["id"]
            and self.courses[b["course_id"]]["on"] < d
            for b in self._bookings_by_person.get(p["id"], {}).values()
        )

    def _lacking(self, p: Person, q: Qualification, d: str) -> Qualification | None:
        return next(
            (
                n
                for n in _above(self.qualifications, q, "need_ids")
                if not self._holds(p, n, d)
                and not self._coming(p, n, d)
            ),
            None,
        )

    def _busy_on(self, p: Person, d: str) -> Booking | None:
        return next(
            (
                b
                for b in sorted(self._bookings_by_person_status.get((p["id"], "booked"), {}).values(), key=_age)
                if self.courses[b["course_id"]]["on"] == d
            ),
            None,
        )

    def _listed(self, c: Course, p: Person) -> Booking | None:
        return next(
            (
                b
                for b in sorted(self._bookings_by_course_person.get((c["id"], p["id"]), {}).values(), key=_age)
                if b["status"] in ("booked", "waiting")
            ),
            None,
        )

    def _next_in_line(self, w: Booking, c: Course) -> bool:
        return (
            w["course_id"] == c["id"]
            and w["status"] == "waiting"
            and self._lacking(
                self.people[w["person_id"]],
                self.qualifications[c["qualification_id"]],
                c["on"],
            ) is None
            and self._busy_on(self.people[w["person_id"]], c["on"]) is None
        )

    def _gap(self, p: Person, d: str) -> Qualification | None:
        return next(
            (
                self.qualifications[r["qualification_id"]]
                for r in sorted(self._requirements_by_role.get(p["role_id"], {}).values(), key=_age)
                if not self._holds(p, self.qualifications[r["qualification_id"]], d)
            ),
            None,
        )

    def _gaps(self, p: Person, d: str) -> int:
        return sum(
            1
            for r in self._requirements_by_role.get(p["role_id"], {}).values()
            if not self._holds(p, self.qualifications[r["qualification_id"]], d)
        )

    def _breaks_rule_1(self, c: Course) -> bool:
        """Whether this is broken: a course never has more people than seats."""
        return self._course_taken(c) > c["seats"]

    def _breaks_rule_2(self, b: Booking) -> bool:
        """Whether this is broken: a person stands once on the list of a course."""
        return (
            b["status"] != "cancelled"
            and any(
                other_b is not b
                for other_b in self._bookings_by_course_person.get((b["course_id"], b["person_id"]), {}).values()
                if other_b["status"] != "cancelled"
            )
        )

    def _breaks_rule_3(self, a: Booking) -> bool:
        """Whether this is broken: nobody has seats in two courses on one day."""
        return (
            a["status"] == "booked"
            and any(
                self.courses[a["course_id"]]["on"] == self.courses[b["course_id"]]["on"]
                for b in self._bookings_by_person_status.get((a["person_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4(self, b: Booking) -> bool:
        """Whether this is broken: a seat is for people who hold, or are about to acquire, every prerequisite."""
        return (
            b["status"] == "booked"
            and self._lacking(
                self.people[b["person_id"]],
                self.qualifications[self.courses[b["course_id"]]["qualification_id"]],
                self.courses[b["course_id"]]["on"],
            ) is not None
        )

    def _breaks_rule_5(self, b: Booking) -> bool:
        """Whether this is broken: nobody is expected at a course that was called off."""
        return self.courses[b["course_id"]]["status"] == "called_off" and b["status"] in ("booked", "waiting")

    def _breaks_rule_6(self, c: Course) -> bool:
        """Whether this is broken: a qualification is taught once a day."""
        return any(
            other_c is not c
            for other_c in self._courses_by_qualification.get(c["qualification_id"], {}).values()
            if other_c["on"] == c["on"]
        )

    def _breaks_rule_7(self, c: Certificate) -> bool:
        """Whether this is broken: a person has one certificate for a qualification of one day."""
        return any(
            other_c is not c
            for other_c in self._certificates_by_person_qualification.get(
                (c["person_id"], c["qualification_id"]),
                {},
            ).values()
            if other_c["issued_on"] == c["issued_on"]
        )

    def _breaks_rule_8(self, x: Exemption) -> bool:
        """Whether this is broken: nobody is exempted from what the law demands, nor for more than a year."""
        return (
            self.qualifications[x["qualification_id"]]["statutory"]
            or x["until"] > _plus_days(x["granted_on"], 366)
        )

    def _breaks_rule_9(self, x: Exemption) -> bool:
        """Whether this is broken: exemptions of a person for a qualification do not overlap."""
        return any(
            _overlap(x["granted_on"], _plus_days(x["until"], 1), y["granted_on"], _plus_days(y["until"], 1))
            for y in self._exemptions_by_person_qualification.get(
                (x["person_id"], x["qualification_id"]),
                {},
            ).values()
            if x is not y
        )

    def _breaks_rule_10(self, r: Requirement) -> bool:
        """Whether this is broken: a role requires a qualification once."""
        return any(
            other_r is not r
            for other_r in self._requirements_by_role_qualification.get(
                (r["role_id"], r["qualification_id"]),
                {},
            ).values()
        )

    def _breaks_rule_11(self, p: Person) -> bool:
        """Whether this is broken: nobody is cleared beyond the day on which something required runs out."""
        return not (
            p["cleared_until"] is None
            or all(
                self._holds(p, self.qualifications[r["qualification_id"]], p["cleared_until"])
                for r in self._requirements_by_role.get(p["role_id"], {}).values()
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
            case "requirements":
                self._requirements_by_role.setdefault(record["role_id"], {})[record["id"]] = record
                self._requirements_by_role_qualification.setdefault(
                    (record["role_id"], record["qualification_id"]),
                    {},
                )[record["id"]] = record
            case "people":
                self._people_by_role.setdefault(record["role_id"], {})[record["id"]] = record
            case "courses":
                self._courses_by_qualification.setdefault(record["qualification_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_course.setdefault(record["course_id"], {})[record["id"]] = record
                self._bookings_by_course_person.setdefault(
                    (record["course_id"], record["person_id"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_course_status.setdefault(
                    (record["course_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._bookings_by_person_status.setdefault(
                    (record["person_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "certificates":
                self._certificates_by_person_qualification.setdefault(
                    (record["person_id"], record["qualification_id"]),
                    {},
                )[record["id"]] = record
            case "exemptions":
                self._exemptions_by_person_qualification.setdefault(
                    (record["person_id"], record["qualification_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "requirements":
                del self._requirements_by_role[record["role_id"]][record["id"]]
                del self._requirements_by_role_qualification[record["role_id"], record["qualification_id"]][record["id"]]
            case "people":
                del self._people_by_role[record["role_id"]][record["id"]]
            case "courses":
                del self._courses_by_qualification[record["qualification_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_course[record["course_id"]][record["id"]]
                del self._bookings_by_course_person[record["course_id"], record["person_id"]][record["id"]]
                del self._bookings_by_course_status[record["course_id"], record["status"]][record["id"]]
                del self._bookings_by_person[record["person_id"]][record["id"]]
                del self._bookings_by_person_status[record["person_id"], record["status"]][record["id"]]
                del self._bookings_by_status[record["status"]][record["id"]]
            case "certificates":
                del self._certificates_by_person_qualification[
                    record["person_id"],
                    record["qualification_id"],
                ][record["id"]]
            case "exemptions":
                del self._exemptions_by_person_qualification[
                    record["person_id"],
                    record["qualification_id"],
                ][record["id"]]
