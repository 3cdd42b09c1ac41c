"""Interpreters for patients. Compiled from blueprint.yaml; run `envscaler build translation_of_patients` after changing it there.

Finds interpreters for patients of several hospital sites by language and certificate, by phone or on site, with
travel between sites and cancellations that are charged.
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
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "An interpreter never has two conversations at a time, with the way between sites counted.",
    "Whoever interprets holds a valid certificate of the language that is high enough for the topic.",
    "A patient who wants a woman or a man gets one.",
    "Who works by phone only is sent nowhere.",
    "Nobody interprets while absent.",
    "The absences of an interpreter do not overlap.",
    "Confirmed and finished bookings have an interpreter, and those asked for have none.",
    "What is over has a charge, and nothing else.",
    "An interpreter holds one certificate of a language.",
    "A patient is in one conversation at a time.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "request_booking",
    "assign_interpreter",
    "release_interpreter",
    "change_mode",
    "shift_booking",
    "cancel_booking",
    "finish_booking",
    "note_failure",
    "enter_absence",
    "enter_certificate",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "departments": ("name",),
    "languages": ("name",),
    "interpreters": ("name",),
    "certificates": (),
    "patients": ("name",),
    "bookings": (),
    "absences": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("absences", "interpreter_id"),
    ("bookings", "department_id"),
    ("bookings", "interpreter_id"),
    ("bookings", "patient_id"),
    ("bookings", "status"),
    ("certificates", "interpreter_id"),
    ("certificates", "language_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str
    km: int


class Department(TypedDict):
    id: str
    name: str
    site_id: str
    budget: int


class Language(TypedDict):
    id: str
    name: str


class Interpreter(TypedDict):
    id: str
    name: str
    sex: Literal["woman", "man"]
    hourly: int
    phone_only: bool


class Certificate(TypedDict):
    id: str
    interpreter_id: str
    language_id: str
    grade: Literal["community", "medical", "sworn"]
    valid_until: str


class Patient(TypedDict):
    id: str
    name: str
    language_id: str
    wants: Literal["anybody", "woman", "man"]


class Booking(TypedDict):
    id: str
    department_id: str
    patient_id: str
    topic: Literal["reception", "consultation", "consent"]
    mode: Literal["phone", "on_site"]
    begins: str
    minutes: int
    interpreter_id: str | None
    charge: int | None
    status: Literal["asked", "confirmed", "cancelled", "done"]


class Absence(TypedDict):
    id: str
    interpreter_id: str
    first_on: str
    last_on: str


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class TranslationOfPatients:
    """Finds interpreters for patients of several hospital sites by language and certificate, by phone or
    on site, with travel between sites and cancellations that are charged.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.departments: dict[str, Department] = _copied(config.get("departments", {}))
        self.languages: dict[str, Language] = _copied(config.get("languages", {}))
        self.interpreters: dict[str, Interpreter] = _copied(config.get("interpreters", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.patients: dict[str, Patient] = _copied(config.get("patients", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.absences: dict[str, Absence] = _copied(config.get("absences", {}))
        self.now: str = config.get("now", "2026-06-16T08:00")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "department": len(self.departments),
            "language": len(self.languages),
            "interpreter": len(self.interpreters),
            "certificate": len(self.certificates),
            "patient": len(self.patients),
            "booking": len(self.bookings),
            "absence": len(self.absences),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._certificates_by_interpreter: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_interpreter_language: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_language: dict[Any, dict[str, Certificate]] = {}
        self._bookings_by_department: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_interpreter: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_interpreter_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_patient: dict[Any, dict[str, Booking]] = {}
        self._absences_by_interpreter: dict[Any, dict[str, Absence]] = {}
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for absence in self.absences.values():
            self._link("absences", absence)

    def suitable_interpreters(
        self,
        booking_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Interpreters who could take a booking as it stands, the cheapest first.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "interpreters": records}} or {"success": False, "error":
                why not}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            i
            for i in _those(
                self.interpreters,
                [
                    c["interpreter_id"]
                    for c in self._certificates_by_language.get(
                        self.patients[booking["patient_id"]]["language_id"],
                        {},
                    ).values()
                ],
            )
            if self._able(i, booking)
        ]
        found.sort(key=lambda i: (i["hourly"], i["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "interpreters": [
                    {
                        "id": i["id"],
                        "name": i["name"],
                        "sex": i["sex"],
                        "hourly": i["hourly"],
                        "conversations": len(self._bookings_by_interpreter_status.get((i["id"], "confirmed"), {})),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def diary(
        self,
        interpreter_id: str,
        since: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The confirmed conversations of an interpreter from a day on.

        Args:
            interpreter_id (str): Id of the interpreter, such as INTERPRETER-00001.
            since (str): First day to include, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        interpreter = self.interpreters.get(interpreter_id)
        if interpreter is None:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        found = [
            b
            for b in self._bookings_by_interpreter.get(interpreter_id, {}).values()
            if (b["interpreter_id"] == interpreter_id and b["status"] == "confirmed" and b["begins"][:10] >= since)
        ]
        found.sort(key=lambda b: (b["begins"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "patient": self.patients[b["patient_id"]]["name"],
                        "department": self.departments[b["department_id"]]["name"],
                        "site": self.sites[self.departments[b["department_id"]]["site_id"]]["name"],
                        "mode": b["mode"],
                        "begins": b["begins"],
                        "ends": self._booking_ends(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def without_interpreter(
        self,
        language_id: str | None = None,
        department_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bookings to come that have no interpreter yet, the soonest first.

        Args:
            language_id (str, optional): Language of the patients; an id such as LANGUAGE-00001. If left out,
                bookings for all languages are listed.
            department_id (str, optional): Department that made the bookings; an id such as DEPARTMENT-00001. If
                left out, bookings of all departments are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        language = self.languages.get(language_id) if language_id is not None else None
        if language_id is not None and language is None:
            return _refused(f"There is no language {language_id!r}.")
        department = self.departments.get(department_id) if department_id is not None else None
        if department_id is not None and department is None:
            return _refused(f"There is no department {department_id!r}.")
        found = [
            b
            for b in self.bookings.values()
            if (b["status"] == "asked" and b["begins"] > self.now)
            and (language_id is None or self.patients[b["patient_id"]]["language_id"] == language_id)
            and (department_id is None or b["department_id"] == department_id)
        ]
        found.sort(key=lambda b: (b["begins"], self.patients[b["patient_id"]]["name"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "patient": self.patients[b["patient_id"]]["name"],
                        "language": self.languages[self.patients[b["patient_id"]]["language_id"]]["name"],
                        "department": self.departments[b["department_id"]]["name"],
                        "topic": b["topic"],
                        "mode": b["mode"],
                        "begins": b["begins"],
                        "minutes": b["minutes"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def cost_of_cancelling(self, booking_id: str) -> Result:
        """What it would cost to cancel a booking now.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "data": {hours_left, full_fee}} or {"success": False, "error": why not}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("asked", "confirmed"):
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        return _found(
            {
                "hours_left": _minutes_between(self.now, booking["begins"]) // 60,
                "full_fee": self._fee(
                    self.interpreters[booking["interpreter_id"]],
                    booking["mode"],
                    booking["minutes"],
                ) if booking["interpreter_id"] is not None else 0,
            }
        )

    def list_sites(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        found = [site for site in self.sites.values() if (name is None or name.casefold() in site["name"].casefold())]
        return _found({"total": len(found), "sites": [{**site} for site in _page(found, offset)]})

    def list_departments(
        self,
        name: Text | None = None,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the departments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only departments whose name contains this text.
            site_id (str, optional): Only departments of this site.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "departments": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            department
            for department in self.departments.values()
            if (name is None or name.casefold() in department["name"].casefold())
            and (site_id is None or department["site_id"] == site_id)
        ]
        shown = [self._show_department(department) for department in _page(found, offset)]
        return _found({"total": len(found), "departments": shown}, self._names_of_departments(shown))

    def list_languages(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the languages, oldest first, all of them or only some.

        Args:
            name (str, optional): Only languages whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "languages": records}}
        """
        found = [
            language
            for language in self.languages.values()
            if (name is None or name.casefold() in language["name"].casefold())
        ]
        return _found({"total": len(found), "languages": [{**language} for language in _page(found, offset)]})

    def list_interpreters(
        self,
        name: Text | None = None,
        sex: Literal["woman", "man"] | None = None,
        phone_only: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the interpreters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only interpreters whose name contains this text.
            sex (str, optional): Only interpreters with this sex.
            phone_only (bool, optional): Only interpreters with this value of `phone_only`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "interpreters": records}}
        """
        found = [
            interpreter
            for interpreter in self.interpreters.values()
            if (name is None or name.casefold() in interpreter["name"].casefold())
            and (sex is None or interpreter["sex"] == sex)
            and (phone_only is None or interpreter["phone_only"] == phone_only)
        ]
        return _found(
            {"total": len(found), "interpreters": [{**interpreter} for interpreter in _page(found, offset)]}
        )

    def list_certificates(
        self,
        interpreter_id: str | None = None,
        language_id: str | None = None,
        grade: Literal["community", "medical", "sworn"] | None = None,
        valid_until_from: Date | None = None,
        valid_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            interpreter_id (str, optional): Only certificates of this interpreter.
            language_id (str, optional): Only certificates of this language.
            grade (str, optional): Only certificates with this grade.
            valid_until_from (str, optional): Only certificates whose `valid_until` is on this day or later.
            valid_until_to (str, optional): Only certificates whose `valid_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if interpreter_id is not None and interpreter_id not in self.interpreters:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        if language_id is not None and language_id not in self.languages:
            return _refused(f"There is no language {language_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (interpreter_id is None or certificate["interpreter_id"] == interpreter_id)
            and (language_id is None or certificate["language_id"] == language_id)
            and (grade is None or certificate["grade"] == grade)
            and (valid_until_from is None or certificate["valid_until"] >= valid_until_from)
            and (valid_until_to is None or certificate["valid_until"] <= valid_until_to)
        ]
        shown = [{**certificate} for certificate in _page(found, offset)]
        return _found({"total": len(found), "certificates": shown}, self._names_of_certificates(shown))

    def list_patients(
        self,
        name: Text | None = None,
        language_id: str | None = None,
        wants: Literal["anybody", "woman", "man"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patients whose name contains this text.
            language_id (str, optional): Only patients of this language.
            wants (str, optional): Only patients whose `wants` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patients": records}}
        """
        if language_id is not None and language_id not in self.languages:
            return _refused(f"There is no language {language_id!r}.")
        found = [
            patient
            for patient in self.patients.values()
            if (name is None or name.casefold() in patient["name"].casefold())
            and (language_id is None or patient["language_id"] == language_id)
            and (wants is None or patient["wants"] == wants)
        ]
        shown = [{**patient} for patient in _page(found, offset)]
        return _found({"total": len(found), "patients": shown}, self._names_of_patients(shown))

    def list_bookings(
        self,
        department_id: str | None = None,
        patient_id: str | None = None,
        topic: Literal["reception", "consultation", "consent"] | None = None,
        mode: Literal["phone", "on_site"] | None = None,
        interpreter_id: str | None = None,
        status: Literal["asked", "confirmed", "cancelled", "done"] | None = None,
        begins_from: Date | None = None,
        begins_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            department_id (str, optional): Only bookings of this department.
            patient_id (str, optional): Only bookings of this patient.
            topic (str, optional): Only bookings with this topic.
            mode (str, optional): Only bookings with this mode.
            interpreter_id (str, optional): Only bookings of this interpreter.
            status (str, optional): Only bookings with this status.
            begins_from (str, optional): Only bookings whose `begins` is on this day or later.
            begins_to (str, optional): Only bookings whose `begins` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if department_id is not None and department_id not in self.departments:
            return _refused(f"There is no department {department_id!r}.")
        if patient_id is not None and patient_id not in self.patients:
            return _refused(f"There is no patient {patient_id!r}.")
        if interpreter_id is not None and interpreter_id not in self.interpreters:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (department_id is None or booking["department_id"] == department_id)
            and (patient_id is None or booking["patient_id"] == patient_id)
            and (topic is None or booking["topic"] == topic)
            and (mode is None or booking["mode"] == mode)
            and (interpreter_id is None or booking["interpreter_id"] == interpreter_id)
            and (status is None or booking["status"] == status)
            and (begins_from is None or booking["begins"][:10] >= begins_from)
            and (begins_to is None or booking["begins"][:10] <= begins_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_absences(
        self,
        interpreter_id: str | None = None,
        first_on_from: Date | None = None,
        first_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the absences, oldest first, all of them or only some.

        Args:
            interpreter_id (str, optional): Only absences of this interpreter.
            first_on_from (str, optional): Only absences whose `first_on` is on this day or later.
            first_on_to (str, optional): Only absences whose `first_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "absences": records}}
        """
        if interpreter_id is not None and interpreter_id not in self.interpreters:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        found = [
            absence
            for absence in self.absences.values()
            if (interpreter_id is None or absence["interpreter_id"] == interpreter_id)
            and (first_on_from is None or absence["first_on"] >= first_on_from)
            and (first_on_to is None or absence["first_on"] <= first_on_to)
        ]
        shown = [{**absence} for absence in _page(found, offset)]
        return _found({"total": len(found), "absences": shown}, self._names_of_absences(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def request_booking(
        self,
        department_id: str,
        patient_id: str,
        topic: Literal["reception", "consultation", "consent"],
        mode: Literal["phone", "on_site"],
        begins: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 240}],
    ) -> Result:
        """Ask for an interpreter for a patient of a department.

        Args:
            department_id (str): Id of the department, such as DEPARTMENT-00001.
            patient_id (str): Id of the patient, such as PATIENT-00001.
            topic (str): Kind of conversation, which sets the grade of certificate it needs: reception,
                consultation or consent.
            mode (str): How the interpreter takes part: phone or on_site.
            begins (str): Time at which the conversation begins, later than now, as YYYY-MM-DDTHH:MM.
            minutes (int): Planned length in minutes, from 15 to 240.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        department = self.departments.get(department_id)
        if department is None:
            return _refused(f"There is no department {department_id!r}.")
        patient = self.patients.get(patient_id)
        if patient is None:
            return _refused(f"There is no patient {patient_id!r}.")
        if begins <= self.now:
            return _refused(f"{begins} is over.")
        other = next(
            (
                b
                for b in sorted(self._bookings_by_patient.get(patient_id, {}).values(), key=_age)
                if b["status"] in ("asked", "confirmed")
                and _overlap(b["begins"], self._booking_ends(b), begins, _plus_minutes(begins, minutes))
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{patient['name']} has a conversation in {self.departments[other['department_id']]['name']} at "
                f"{other['begins']} already."
            )
        if self._department_billed(department) >= department["budget"]:
            return _refused(f"{department['name']} has used its budget of {_money(department['budget'])}.")
        self._journal = []
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "department_id": department_id,
            "patient_id": patient_id,
            "topic": topic,
            "mode": mode,
            "begins": begins,
            "minutes": minutes,
            "interpreter_id": None,
            "charge": None,
            "status": "asked",
        }
        self._add("bookings", booking)
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: ask for an interpreter for {patient['name']} in {department['name']} at {begins} (new: "
                f"booking {booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def assign_interpreter(self, booking_id: str, interpreter_id: str) -> Result:
        """Confirm a booking with an interpreter who is qualified, free and near enough.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            interpreter_id (str): Id of the interpreter, such as INTERPRETER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        interpreter = self.interpreters.get(interpreter_id)
        if interpreter is None:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        if booking["status"] != "asked":
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if booking["begins"] <= self.now:
            return _refused(f"It began at {booking['begins']}.")
        if not self._qualified(
            interpreter,
            self.patients[booking["patient_id"]],
            booking["topic"],
            booking["begins"][:10],
        ):
            return _refused(
                f"{interpreter['name']} has no certificate of "
                f"{self.languages[self.patients[booking['patient_id']]['language_id']]['name']} that is good "
                f"enough for a {booking['topic']} and valid on {booking['begins'][:10]}."
            )
        if not self._liked(interpreter, self.patients[booking["patient_id"]]):
            return _refused(
                f"{self.patients[booking['patient_id']]['name']} wants a "
                f"{self.patients[booking['patient_id']]['wants']}."
            )
        if self._away(interpreter, booking["begins"][:10]):
            return _refused(f"{interpreter['name']} is absent on {booking['begins'][:10]}.")
        if booking["mode"] != "phone" and interpreter["phone_only"]:
            return _refused(f"{interpreter['name']} works by phone only.")
        other = self._collides(
            interpreter,
            self.sites[self.departments[booking["department_id"]]["site_id"]],
            booking["mode"],
            booking["begins"],
            self._booking_ends(booking),
            booking,
        )
        if other is not None:
            return _refused(
                f"{interpreter['name']} is with {self.patients[other['patient_id']]['name']} in "
                f"{self.departments[other['department_id']]['name']} from {other['begins']} to "
                f"{self._booking_ends(other)}, and the way counts too."
            )
        self._journal = []
        self._put("bookings", booking, "interpreter_id", interpreter_id)
        self._put("bookings", booking, "status", "confirmed")
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: assign {interpreter['name']} to {self.patients[booking['patient_id']]['name']} at "
                f"{booking['begins']}."
            ),
            "data": self._changes(),
        }

    def release_interpreter(self, booking_id: str) -> Result:
        """Take the interpreter off a confirmed booking, which is open again.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "confirmed":
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if booking["begins"] <= self.now:
            return _refused(f"It began at {booking['begins']}.")
        self._journal = []
        self._put("bookings", booking, "interpreter_id", None)
        self._put("bookings", booking, "status", "asked")
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: take the interpreter off the booking of {self.patients[booking['patient_id']]['name']} at "
                f"{booking['begins']}."
            ),
            "data": self._changes(),
        }

    def change_mode(self, booking_id: str, mode: Literal["phone", "on_site"]) -> Result:
        """Let a conversation take place by phone instead of on site, or the other way round.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            mode (str): How the interpreter takes part from now on: phone or on_site.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("asked", "confirmed"):
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if booking["mode"] == mode:
            return _refused("That is so already.")
        who = self.interpreters.get(booking["interpreter_id"])
        if mode != "phone" and who is not None and who["phone_only"]:
            return _refused("The interpreter works by phone only; release them first.")
        other = next(
            (
                b
                for b in self.bookings.values()
                if who is not None
                and b is self._collides(
                    who,
                    self.sites[self.departments[booking["department_id"]]["site_id"]],
                    mode,
                    booking["begins"],
                    self._booking_ends(booking),
                    booking,
                )
            ),
            None,
        )
        if other is not None:
            return _refused(
                "The interpreter could not be there in time from "
                f"{self.departments[other['department_id']]['name']}; release them first."
            )
        self._journal = []
        self._put("bookings", booking, "mode", mode)
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: change the booking of {self.patients[booking['patient_id']]['name']} at "
                f"{booking['begins']} to {mode}."
            ),
            "data": self._changes(),
        }

    def shift_booking(
        self,
        booking_id: str,
        begins: DateTime | None = None,
        minutes: Annotated[int, {"minimum": 15, "maximum": 240}] | None = None,
    ) -> Result:
        """Shift a booking to another time, another length, or both; a confirmed interpreter must be free then.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            begins (str, optional): New time at which the conversation begins, later than now, as YYYY-MM-DDTHH:MM.
                If left out, the time stays as it is.
            minutes (int, optional): New planned length in minutes, from 15 to 240. If left out, the length stays
                as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("asked", "confirmed"):
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if begins is None and minutes is None:
            return _refused("Give a time or a length.")
        if booking["begins"] <= self.now:
            return _refused(f"It began at {booking['begins']}.")
        from_at = begins if begins is not None else booking["begins"]
        until = _plus_minutes(from_at, minutes if minutes is not None else booking["minutes"])
        if from_at <= self.now:
            return _refused(f"{from_at} is over.")
        theirs = next(
            (
                b
                for b in sorted(self._bookings_by_patient.get(booking["patient_id"], {}).values(), key=_age)
                if b is not booking
                and b["status"] in ("asked", "confirmed")
                and _overlap(b["begins"], self._booking_ends(b), from_at, until)
            ),
            None,
        )
        if theirs is not None:
            return _refused(
                f"{self.patients[booking['patient_id']]['name']} has a conversation in "
                f"{self.departments[theirs['department_id']]['name']} at {theirs['begins']}."
            )
        who = self.interpreters.get(booking["interpreter_id"])
        if who is not None and self._away(who, from_at[:10]):
            return _refused(f"The interpreter is absent on {from_at[:10]}; release them first.")
        if not (
            who is None
            or self._qualified(who, self.patients[booking["patient_id"]], booking["topic"], from_at[:10])
        ):
            return _refused(f"The certificate of the interpreter has expired by {from_at[:10]}.")
        other = next(
            (
                b
                for b in self.bookings.values()
                if who is not None
                and b is self._collides(
                    who,
                    self.sites[self.departments[booking["department_id"]]["site_id"]],
                    booking["mode"],
                    from_at,
                    until,
                    booking,
                )
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"The interpreter is with {self.patients[other['patient_id']]['name']} from {other['begins']} to "
                f"{self._booking_ends(other)}; release them first."
            )
        self._journal = []
        self._put("bookings", booking, "begins", from_at)
        new_minutes = minutes if minutes is not None else booking["minutes"]
        if not 15 <= new_minutes <= 240:
            return self._take_back(f"The minutes of {booking['id']} must be between 15 and 240.")
        self._put("bookings", booking, "minutes", new_minutes)
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        done = f"shift the booking of {self.patients[booking['patient_id']]['name']}"
        if begins is not None:
            done += f" to {begins}"
        if minutes is not None:
            done += f" to {minutes} minutes"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_booking(self, booking_id: str) -> Result:
        """Cancel a booking; a confirmed one costs half its fee within three days of the conversation and all of it
        within one.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("asked", "confirmed"):
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if booking["begins"] <= self.now:
            return _refused(f"It began at {booking['begins']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        self._put("bookings", booking, "charge", 0)
        for i in _those(self.interpreters, [booking["interpreter_id"]]):
            if _minutes_between(self.now, booking["begins"]) < 1440:
                charge = self._fee(i, booking["mode"], booking["minutes"])
                if not 0 <= charge <= 100000:
                    return self._take_back(f"The charge of {booking['id']} must be between 0.00 and 1,000.00.")
                changed_bookings.append(booking)
                self._put("bookings", booking, "charge", charge)
            else:
                if _minutes_between(self.now, booking["begins"]) < 4320:
                    new_charge = _rounded(Fraction(self._fee(i, booking["mode"], booking["minutes"]), 2))
                    if not 0 <= new_charge <= 100000:
                        return self._take_back(f"The charge of {booking['id']} must be between 0.00 and 1,000.00.")
                    changed_bookings.append(booking)
                    self._put("bookings", booking, "charge", new_charge)
        self._put("bookings", booking, "status", "cancelled")
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_8(one_booking):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: cancel the booking of {self.patients[booking['patient_id']]['name']} at {booking['begins']}."
            ),
            "data": self._changes(),
        }

    def finish_booking(self, booking_id: str, minutes: Annotated[int, {"minimum": 15, "maximum": 240}]) -> Result:
        """Enter how long a conversation took; it is billed by the quarter of an hour, on site for an hour at least.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            minutes (int): Time that the conversation really took, in minutes, from 15 to 240.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "confirmed" or booking["interpreter_id"] is None:
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if booking["begins"] > self.now:
            return _refused(f"It begins at {booking['begins']}.")
        if _plus_minutes(booking["begins"], minutes) > self.now:
            return _refused(
                f"With {minutes} minutes the conversation would last until "
                f"{_plus_minutes(booking['begins'], minutes)}."
            )
        self._journal = []
        charge = self._fee(self.interpreters[booking["interpreter_id"]], booking["mode"], minutes)
        if not 0 <= charge <= 100000:
            return self._take_back(f"The charge of {booking['id']} must be between 0.00 and 1,000.00.")
        self._put("bookings", booking, "charge", charge)
        self._put("bookings", booking, "status", "done")
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: finish the conversation of {self.patients[booking['patient_id']]['name']} after {minutes} "
                "minutes."
            ),
            "data": self._changes(),
        }

    def note_failure(self, booking_id: str, absent: Literal["interpreter", "patient"]) -> Result:
        """Note that a conversation did not take place because the interpreter or the patient stayed away, or nobody
        was found; only where the patient stayed away is the interpreter paid.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            absent (str): Who stayed away, the interpreter also where nobody was found: interpreter or patient.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("asked", "confirmed"):
            return _refused(f"The booking of {self.patients[booking['patient_id']]['name']} is {booking['status']}.")
        if _plus_minutes(booking["begins"], 15) > self.now:
            return _refused(
                f"The conversation of {self.patients[booking['patient_id']]['name']} begins at "
                f"{booking['begins']}, so wait for a quarter of an hour."
            )
        if absent != "interpreter" and booking["interpreter_id"] is None:
            return _refused(
                f"Nobody was assigned to {self.patients[booking['patient_id']]['name']}, so it failed for want of "
                "an interpreter."
            )
        self._journal = []
        charge = (
            self._fee(self.interpreters[booking["interpreter_id"]], booking["mode"], booking["minutes"])
            if absent == "patient" and booking["interpreter_id"] is not None
            else 0
        )
        if not 0 <= charge <= 100000:
            return self._take_back(f"The charge of {booking['id']} must be between 0.00 and 1,000.00.")
        self._put("bookings", booking, "charge", charge)
        self._put("bookings", booking, "status", "cancelled")
        if self._breaks_rule_1_a(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: note that the {absent} did not come to the conversation of "
                f"{self.patients[booking['patient_id']]['name']} at {booking['begins']}."
            ),
            "data": self._changes(),
        }

    def enter_absence(self, interpreter_id: str, first_on: Date, last_on: Date) -> Result:
        """Enter the absence of an interpreter who has no confirmed conversation in that time.

        Args:
            interpreter_id (str): Id of the interpreter, such as INTERPRETER-00001.
            first_on (str): First day of the absence, from today on, as YYYY-MM-DD.
            last_on (str): Last day of the absence, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        interpreter = self.interpreters.get(interpreter_id)
        if interpreter is None:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        if self.now[:10] > first_on or first_on > last_on:
            return _refused("An absence begins today or later and ends after it begins.")
        if any(
            first_on <= a["last_on"]
            for a in self._absences_by_interpreter.get(interpreter_id, {}).values()
            if a["first_on"] <= last_on
        ):
            return _refused(f"{interpreter['name']} is absent at that time already.")
        busy = next(
            (
                b
                for b in sorted(
                    self._bookings_by_interpreter_status.get((interpreter_id, "confirmed"), {}).values(),
                    key=_age,
                )
                if (first_on <= b["begins"][:10] and b["begins"][:10] <= last_on)
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"{interpreter['name']} is with {self.patients[busy['patient_id']]['name']} at {busy['begins']}; "
                "release that first."
            )
        self._journal = []
        absence: Absence = {
            "id": self._new_id("absence", "ABSENCE", self.absences),
            "interpreter_id": interpreter_id,
            "first_on": first_on,
            "last_on": last_on,
        }
        self._add("absences", absence)
        for one_booking in _distinct(
            self._bookings_by_interpreter_status.get((absence["interpreter_id"], "confirmed"), {}).values()
        ):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_a(absence):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_a_again(absence):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: enter the absence of {interpreter['name']} from {first_on} to {last_on} (new: absence "
                f"{absence['id']})."
            ),
            "data": {"absence_id": absence["id"], **self._changes()},
        }

    def enter_certificate(
        self,
        interpreter_id: str,
        language_id: str,
        grade: Literal["community", "medical", "sworn"],
        valid_until: Date,
    ) -> Result:
        """Enter a certificate of an interpreter, or renew the one of that language.

        Args:
            interpreter_id (str): Id of the interpreter, such as INTERPRETER-00001.
            language_id (str): Id of the language, such as LANGUAGE-00001.
            grade (str): Grade of the certificate, never below the one it renews: community, medical or sworn.
            valid_until (str): Last day of validity, never earlier than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        interpreter = self.interpreters.get(interpreter_id)
        if interpreter is None:
            return _refused(f"There is no interpreter {interpreter_id!r}.")
        language = self.languages.get(language_id)
        if language is None:
            return _refused(f"There is no language {language_id!r}.")
        if valid_until <= self.now[:10]:
            return _refused(f"That certificate expired on {valid_until}.")
        old = next(
            (
                c
                for c in sorted(
                    self._certificates_by_interpreter_language.get((interpreter_id, language_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if not (old is None or self._rank(grade) >= self._rank(old["grade"]) and valid_until >= old["valid_until"]):
            return _refused(f"{interpreter['name']} holds a better one of {language['name']} already.")
        self._journal = []
        added_certificates: list[Any] = []
        changed_certificates: list[Any] = []
        changed_certificates_2: list[Any] = []
        if old is None:
            certificate = {
                "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
                "interpreter_id": interpreter_id,
                "language_id": language_id,
                "grade": grade,
                "valid_until": valid_until,
            }
            self._add("certificates", certificate)
            added_certificates.append(certificate)
        else:
            changed_certificates.append(old)
            self._put("certificates", old, "grade", grade)
            changed_certificates_2.append(old)
            self._put("certificates", old, "valid_until", valid_until)
        for one_booking in _distinct(
            [
                *[
                    user
                    for one in [self.interpreters[one["interpreter_id"]] for one in added_certificates]
                    for user in self._bookings_by_interpreter_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [self.interpreters[one["interpreter_id"]] for one in changed_certificates]
                    for user in self._bookings_by_interpreter_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [self.interpreters[one["interpreter_id"]] for one in changed_certificates_2]
                    for user in self._bookings_by_interpreter_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_certificate in _distinct(added_certificates):
            if self._breaks_rule_9(one_certificate):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: enter the {grade} certificate of {interpreter['name']} for {language['name']}.",
            "data": self._changes(),
        }

    def _show_department(self, department: Department) -> dict[str, Any]:
        """The department as an answer shows it."""
        return {**department, "billed": self._department_billed(department)}

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "ends": self._booking_ends(booking)}

    def _names_of_departments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that departments point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_certificates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that certificates point to."""
        return _names(
            (self.interpreters, "name", [row["interpreter_id"] for row in shown]),
            (self.languages, "name", [row["language_id"] for row in shown]),
        )

    def _names_of_patients(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that patients point to."""
        return _names((self.languages, "name", [row["language_id"] for row in shown]))

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names(
            (self.departments, "name", [row["department_id"] for row in shown]),
            (self.patients, "name", [row["patient_id"] for row in shown]),
            (self.interpreters, "name", [row["interpreter_id"] for row in shown]),
        )

    def _names_of_absences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that absences point to."""
        return _names((self.interpreters, "name", [row["interpreter_id"] for row in shown]))

    def _department_billed(self, department: Department) -> int:
        """The billed of a department."""
        return sum(
            b["charge"]
            if b["charge"] is not None
            else 0
            for b in self._bookings_by_department.get(department["id"], {}).values()
        )

    def _booking_ends(self, booking: Booking) -> str:
        """The ends of a booking."""
        return _plus_minutes(booking["begins"], booking["minutes"])

    def _rank(self, grade: str) -> int:
        return 1 if grade == "community" else 2 if grade == "medical" else 3

    def _asks(self, topic: str) -> int:
        return 1 if topic == "reception" else 2 if topic == "consultation" else 3

    def _way(self, a: Site, b: Site) -> int:
        return 0 if a is b else 10 + 2 * abs(a["km"] - b["km"])

    def _qualified(self, i: Interpreter, p: Patient, topic: str, d: str) -> bool:
        return any(
            c["language_id"] == p["language_id"]
            and self._rank(c["grade"]) >= self._asks(topic)
            and c["valid_until"] >= d
            for c in self._certificates_by_interpreter.get(i["id"], {}).values()
        )

    def _liked(self, i: Interpreter, p: Patient) -> bool:
        return p["wants"] == "anybody" or p["wants"] == i["sex"]

    def _away(self, i: Interpreter, d: str) -> bool:
        return any(
            a["first_on"] <= d
            and d <= a["last_on"]
            for a in self._absences_by_interpreter.get(i["id"], {}).values()
        )

    def _gap(self, b: Booking, mode: str, s: Site) -> int:
        return (
            self._way(self.sites[self.departments[b["department_id"]]["site_id"]], s)
            if b["mode"] == "on_site" and mode == "on_site"
            else 0
        )

    def _collides(self, i: Interpreter, s: Site, mode: str, from_at: str, until: str, but: Booking) -> Booking | None:
        return next(
            (
                b
                for b in sorted(
                    self._bookings_by_interpreter_status.get((i["id"], "confirmed"), {}).values(),
                    key=_age,
                )
                if b is not but
                and _overlap(
                    b["begins"],
                    _plus_minutes(self._booking_ends(b), self._gap(b, mode, s)),
                    from_at,
                    _plus_minutes(until, self._gap(b, mode, s)),
                )
            ),
            None,
        )

    def _able(self, i: Interpreter, b: Booking) -> bool:
        return (
            self._qualified(i, self.patients[b["patient_id"]], b["topic"], b["begins"][:10])
            and self._liked(i, self.patients[b["patient_id"]])
            and not self._away(i, b["begins"][:10])
            and (b["mode"] == "phone" or not i["phone_only"])
            and self._collides(
                i,
                self.sites[self.departments[b["department_id"]]["site_id"]],
                b["mode"],
                b["begins"],
                self._booking_ends(b),
                b,
            ) is None
        )

    def _fee(self, i: Interpreter, mode: str, minutes: int) -> int:
        return _rounded(Fraction(i["hourly"] * max(ceil(Fraction(minutes, 15)), 4 if mode == "on_site" else 1), 4))

    def _breaks_rule_1_a(self, a: Booking) -> bool:
        """Whether this is broken: an interpreter never has two conversations at a time, with the way between sites
        counted.
        """
        return (
            a["interpreter_id"] is not None
            and a["status"] == "confirmed"
            and any(
                a is not b
                and _overlap(
                    a["begins"],
                    _plus_minutes(
                        self._booking_ends(a),
                        self._gap(a, b["mode"], self.sites[self.departments[b["department_id"]]["site_id"]]),
                    ),
                    b["begins"],
                    _plus_minutes(
                        self._booking_ends(b),
                        self._gap(a, b["mode"], self.sites[self.departments[b["department_id"]]["site_id"]]),
                    ),
                )
                for b in self._bookings_by_interpreter_status.get((a["interpreter_id"], "confirmed"), {}).values()
            )
        )

    def _breaks_rule_1_b(self, b: Booking) -> bool:
        """Whether this is broken: an interpreter never has two conversations at a time, with the way between sites
        counted.
        """
        return (
            b["status"] == "confirmed"
            and any(
                a is not b
                and _overlap(
                    a["begins"],
                    _plus_minutes(
                        self._booking_ends(a),
                        self._gap(a, b["mode"], self.sites[self.departments[b["department_id"]]["site_id"]]),
                    ),
                    b["begins"],
                    _plus_minutes(
                        self._booking_ends(b),
                        self._gap(a, b["mode"], self.sites[self.departments[b["department_id"]]["site_id"]]),
                    ),
                )
                for a in self._bookings_by_interpreter_status.get((b["interpreter_id"], "confirmed"), {}).values()
                if a["interpreter_id"] is not None
            )
        )

    def _breaks_rule_2(self, b: Booking) -> bool:
        """Whether this is broken: whoever interprets holds a valid certificate of the language that is high enough
        for the topic.
        """
        return (
            b["status"] == "confirmed"
            and not (
                b["interpreter_id"] is None
                or self._qualified(
                    self.interpreters[b["interpreter_id"]],
                    self.patients[b["patient_id"]],
                    b["topic"],
                    b["begins"][:10],
                )
            )
        )

    def _breaks_rule_3(self, b: Booking) -> bool:
        """Whether this is broken: a patient who wants a woman or a man gets one."""
        return (
            b["status"] == "confirmed"
            and not (
                b["interpreter_id"] is None
                or self._liked(self.interpreters[b["interpreter_id"]], self.patients[b["patient_id"]])
            )
        )

    def _breaks_rule_4(self, b: Booking) -> bool:
        """Whether this is broken: who works by phone only is sent nowhere."""
        return (
            b["status"] == "confirmed"
            and b["mode"] == "on_site"
            and b["interpreter_id"] is not None
            and self.interpreters[b["interpreter_id"]]["phone_only"]
        )

    def _breaks_rule_5(self, b: Booking) -> bool:
        """Whether this is broken: nobody interprets while absent."""
        return (
            b["status"] == "confirmed"
            and (
                b["interpreter_id"] is not None
                and self._away(self.interpreters[b["interpreter_id"]], b["begins"][:10])
            )
        )

    def _breaks_rule_6_a(self, a: Absence) -> bool:
        """Whether this is broken: the absences of an interpreter do not overlap."""
        return any(
            a is not b
            and a["last_on"] >= b["first_on"]
            and b["last_on"] >= a["first_on"]
            for b in self._absences_by_interpreter.get(a["interpreter_id"], {}).values()
        )

    def _breaks_rule_6_a_again(self, a: Absence) -> bool:
        """Whether this is broken: the absences of an interpreter do not overlap."""
        return a["first_on"] > a["last_on"]

    def _breaks_rule_7(self, b: Booking) -> bool:
        """Whether this is broken: confirmed and finished bookings have an interpreter, and those asked for have none.
        """
        return not (
            (b["status"] not in ("confirmed", "done") or b["interpreter_id"] is not None)
            and (b["status"] != "asked" or b["interpreter_id"] is None)
        )

    def _breaks_rule_8(self, b: Booking) -> bool:
        """Whether this is broken: what is over has a charge, and nothing else."""
        return (b["charge"] is not None) != (b["status"] in ("done", "cancelled"))

    def _breaks_rule_9(self, c: Certificate) -> bool:
        """Whether this is broken: an interpreter holds one certificate of a language."""
        return any(
            other_c is not c
            for other_c in self._certificates_by_interpreter_language.get(
                (c["interpreter_id"], c["language_id"]),
                {},
            ).values()
        )

    def _breaks_rule_10(self, a: Booking) -> bool:
        """Whether this is broken: a patient is in one conversation at a time."""
        return (
            a["status"] in ("asked", "confirmed")
            and any(
                a is not b
                and _overlap(a["begins"], self._booking_ends(a), b["begins"], self._booking_ends(b))
                for b in self._bookings_by_patient.get(a["patient_id"], {}).values()
                if b["status"] in ("asked", "confirmed")
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
            case "certificates":
                self._certificates_by_interpreter.setdefault(record["interpreter_id"], {})[record["id"]] = record
                self._certificates_by_interpreter_language.setdefault(
                    (record["interpreter_id"], record["language_id"]),
                    {},
                )[record["id"]] = record
                self._certificates_by_language.setdefault(record["language_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_department.setdefault(record["department_id"], {})[record["id"]] = record
                self._bookings_by_interpreter.setdefault(record["interpreter_id"], {})[record["id"]] = record
                self._bookings_by_interpreter_status.setdefault(
                    (record["interpreter_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_patient.setdefault(record["patient_id"], {})[record["id"]] = record
            case "absences":
                self._absences_by_interpreter.setdefault(record["interpreter_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "certificates":
                del self._certificates_by_interpreter[record["interpreter_id"]][record["id"]]
                del self._certificates_by_interpreter_language[
                    record["interpreter_id"],
                    record["language_id"],
                ][record["id"]]
                del self._certificates_by_language[record["language_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_department[record["department_id"]][record["id"]]
                del self._bookings_by_interpreter[record["interpreter_id"]][record["id"]]
                del self._bookings_by_interpreter_status[record["interpreter_id"], record["status"]][record["id"]]
                del self._bookings_by_patient[record["patient_id"]][record["id"]]
            case "absences":
                del self._absences_by_interpreter[record["interpreter_id"]][record["id"]]
