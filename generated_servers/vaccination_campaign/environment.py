"""Vaccination campaign. Compiled from blueprint.yaml; run `envscaler build vaccination_campaign` after changing it there.

Runs a vaccination campaign over several sites, with dose schedules and minimum intervals, age groups, multi-
dose vials that must be used up once opened, fridges of limited size, sessions with places, and walk-ins.
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
    "Nobody gets more doses of a vaccine than its schedule says, and each number once.",
    "Between two doses of a vaccine lies at least its minimum interval.",
    "Doses are given only within the age group of the vaccine.",
    "A vial gives no more doses than it holds.",
    "Doses are given from an opened vial within the hours for which it keeps.",
    "A fridge holds no more vials than fit in.",
    "A session never has more people than places.",
    "A session takes place once a day at a site and gives only the vaccines it offers.",
    "A person has one booking ahead for each vaccine.",
    "A booking keeps the minimum interval from the doses that were given.",
    "Nobody is booked for a vaccine that is not for them.",
    "A sealed vial has all its doses, and an empty one has none.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "deliver_vials",
    "move_vials",
    "open_vial",
    "give_dose",
    "discard_vials",
    "plan_session",
    "close_session",
    "book_dose",
    "move_booking",
    "cancel_booking",
    "note_contraindication",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "vaccines": ("name",),
    "sites": ("name",),
    "fridges": ("label",),
    "vials": ("code",),
    "people": ("name",),
    "sessions": ("code",),
    "bookings": (),
    "doses": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "person_id"),
    ("bookings", "session_id"),
    ("bookings", "status"),
    ("bookings", "vaccine_id"),
    ("doses", "person_id"),
    ("doses", "vial_id"),
    ("fridges", "site_id"),
    ("sessions", "code"),
    ("sessions", "offer_ids"),
    ("sessions", "site_id"),
    ("vials", "code"),
    ("vials", "fridge_id"),
    ("vials", "status"),
    ("vials", "vaccine_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Vaccine(TypedDict):
    id: str
    name: str
    doses_needed: int
    gap_days: int
    from_age: int
    to_age: int
    doses_per_vial: int
    open_hours: int


class Site(TypedDict):
    id: str
    name: str
    district: str


class Fridge(TypedDict):
    id: str
    label: str
    site_id: str
    capacity: int


class Vial(TypedDict):
    id: str
    code: str
    vaccine_id: str
    fridge_id: str
    expires: str
    opened_at: str | None
    doses_left: int
    status: Literal["sealed", "open", "discarded", "empty"]


class Person(TypedDict):
    id: str
    name: str
    born: str
    not_for_ids: list[str]


class Session(TypedDict):
    id: str
    code: str
    site_id: str
    on: str
    places: int
    offer_ids: list[str]
    closed: bool


class Booking(TypedDict):
    id: str
    person_id: str
    session_id: str
    vaccine_id: str
    status: Literal["booked", "given", "missed", "cancelled"]


class Dose(TypedDict):
    id: str
    person_id: str
    vial_id: str
    number: int
    given_at: str


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


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


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class VaccinationCampaign:
    """Runs a vaccination campaign over several sites, with dose schedules and minimum intervals, age
    groups, multi-dose vials that must be used up once opened, fridges of limited size, sessions with
    places, and walk-ins.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.vaccines: dict[str, Vaccine] = _copied(config.get("vaccines", {}))
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.fridges: dict[str, Fridge] = _copied(config.get("fridges", {}))
        self.vials: dict[str, Vial] = _copied(config.get("vials", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.sessions: dict[str, Session] = _copied(config.get("sessions", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.doses: dict[str, Dose] = _copied(config.get("doses", {}))
        self.now: str = config.get("now", "2026-10-06T17:50")
        self.counters: dict[str, int] = {
            "vaccine": len(self.vaccines),
            "site": len(self.sites),
            "fridge": len(self.fridges),
            "vial": len(self.vials),
            "person": len(self.people),
            "session": len(self.sessions),
            "booking": len(self.bookings),
            "dose": len(self.doses),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._fridges_by_site: dict[Any, dict[str, Fridge]] = {}
        self._vials_by_code: dict[Any, dict[str, Vial]] = {}
        self._vials_by_fridge: dict[Any, dict[str, Vial]] = {}
        self._vials_by_fridge_status: dict[Any, dict[str, Vial]] = {}
        self._vials_by_vaccine: dict[Any, dict[str, Vial]] = {}
        self._vials_by_vaccine_status: dict[Any, dict[str, Vial]] = {}
        self._sessions_by_code: dict[Any, dict[str, Session]] = {}
        self._sessions_by_lower_code: dict[Any, dict[str, Session]] = {}
        self._sessions_by_offers: dict[Any, dict[str, Session]] = {}
        self._sessions_by_site: dict[Any, dict[str, Session]] = {}
        self._bookings_by_person_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_person_vaccine_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_session: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_session_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_vaccine_status: dict[Any, dict[str, Booking]] = {}
        self._doses_by_person: dict[Any, dict[str, Dose]] = {}
        self._doses_by_vial: dict[Any, dict[str, Dose]] = {}
        for fridge in self.fridges.values():
            self._link("fridges", fridge)
        for vial in self.vials.values():
            self._link("vials", vial)
        for session in self.sessions.values():
            self._link("sessions", session)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for dose in self.doses.values():
            self._link("doses", dose)

    def people_due(
        self,
        vaccine_id: str,
        on: Date,
        had_before: Annotated[int, {"minimum": 0, "maximum": 3}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """People who may have their next dose of a vaccine on a day and are not booked for it, the oldest first.

        Args:
            vaccine_id (str): Id of the vaccine, such as VACCINE-00001.
            on (str): Day of the next dose, as YYYY-MM-DD.
            had_before (int, optional): Doses of this vaccine that the people have had, from 0 to 3. If left out,
                people with any number of doses are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}} or {"success": False, "error": why
                not}
        """
        vaccine = self.vaccines.get(vaccine_id)
        if vaccine is None:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        found = [
            p
            for p in self.people.values()
            if self._may_have(p, vaccine, on)
            and not self._bookings_by_person_vaccine_status.get((p["id"], vaccine_id, "booked"), {})
            and (had_before is None or self._had(p, vaccine) == had_before)
        ]
        found.sort(key=lambda p: (p["born"], p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "people": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "age": _years(p["born"], on),
                        "doses_had": self._had(p, vaccine),
                        "last_dose": self._last_dose(p, vaccine),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def site_stock(self, site_id: str, vaccine_id: str) -> Result:
        """What a site has of a vaccine and how many booked people still expect it today.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            vaccine_id (str): Id of the vaccine, such as VACCINE-00001.

        Returns:
            dict: {"success": True, "data": {open_vial, doses, expected_today, sealed}} or {"success": False,
                "error": why not}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        vaccine = self.vaccines.get(vaccine_id)
        if vaccine is None:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        vial = self._open_here(site, vaccine)
        answer = {
            "open_vial": vial["id"] if vial is not None else None,
            "doses": self._doses_here(site, vaccine),
            "expected_today": self._expected(site, vaccine),
            "sealed": [
                *[
                    v["code"]
                    for v in sorted(self._vials_by_vaccine_status.get((vaccine_id, "sealed"), {}).values(), key=_age)
                    if self.fridges[v["fridge_id"]]["site_id"] == site_id
                    and v["expires"] >= self.now[:10]
                ]
            ],
        }
        return _found(answer, _names((self.vials, "code", [row["open_vial"] for row in [answer]])))

    def sessions_with_places(
        self,
        vaccine_id: str,
        since: Date,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sessions that still have places for a vaccine, soonest first.

        Args:
            vaccine_id (str): Id of the vaccine, such as VACCINE-00001.
            since (str): First day of sessions to include, as YYYY-MM-DD.
            site_id (str, optional): Site of the sessions; an id such as SITE-00001. If left out, sessions at all
                sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}} or {"success": False, "error": why
                not}
        """
        vaccine = self.vaccines.get(vaccine_id)
        if vaccine is None:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            s
            for s in _distinct(self._sessions_by_offers.get(vaccine_id, {}).values())
            if (not s["closed"] and s["on"] >= max(since, self.now[:10]))
            and (vaccine_id in s["offer_ids"] and self._session_taken(s) < s["places"])
            and (site_id is None or s["site_id"] == site_id)
        ]
        found.sort(key=lambda s: (s["on"], self.sites[s["site_id"]]["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sessions": [
                    {
                        "id": s["id"],
                        "code": s["code"],
                        "site": self.sites[s["site_id"]]["name"],
                        "on": s["on"],
                        "left": s["places"] - self._session_taken(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_vaccines(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vaccines, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vaccines whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vaccines": records}}
        """
        found = [
            vaccine
            for vaccine in self.vaccines.values()
            if (name is None or name.casefold() in vaccine["name"].casefold())
        ]
        return _found({"total": len(found), "vaccines": [{**vaccine} for vaccine in _page(found, offset)]})

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

    def list_fridges(
        self,
        label: Text | None = None,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fridges, oldest first, all of them or only some.

        Args:
            label (str, optional): Only fridges whose label contains this text.
            site_id (str, optional): Only fridges of this site.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fridges": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            fridge
            for fridge in self.fridges.values()
            if (label is None or label.casefold() in fridge["label"].casefold())
            and (site_id is None or fridge["site_id"] == site_id)
        ]
        shown = [self._show_fridge(fridge) for fridge in _page(found, offset)]
        return _found({"total": len(found), "fridges": shown}, self._names_of_fridges(shown))

    def list_vials(
        self,
        code: Text | None = None,
        vaccine_id: str | None = None,
        fridge_id: str | None = None,
        status: Literal["sealed", "open", "discarded", "empty"] | None = None,
        expires_from: Date | None = None,
        expires_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vials, oldest first, all of them or only some.

        Args:
            code (str, optional): Only vials whose code contains this text.
            vaccine_id (str, optional): Only vials of this vaccine.
            fridge_id (str, optional): Only vials of this fridge.
            status (str, optional): Only vials with this status.
            expires_from (str, optional): Only vials whose `expires` is on this day or later.
            expires_to (str, optional): Only vials whose `expires` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vials": records}}
        """
        if vaccine_id is not None and vaccine_id not in self.vaccines:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        if fridge_id is not None and fridge_id not in self.fridges:
            return _refused(f"There is no fridge {fridge_id!r}.")
        found = [
            vial
            for vial in self.vials.values()
            if (code is None or code.casefold() in vial["code"].casefold())
            and (vaccine_id is None or vial["vaccine_id"] == vaccine_id)
            and (fridge_id is None or vial["fridge_id"] == fridge_id)
            and (status is None or vial["status"] == status)
            and (expires_from is None or vial["expires"] >= expires_from)
            and (expires_to is None or vial["expires"] <= expires_to)
        ]
        shown = [{**vial} for vial in _page(found, offset)]
        return _found({"total": len(found), "vials": shown}, self._names_of_vials(shown))

    def list_people(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
        ]
        shown = [self._show_person(person) for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_sessions(
        self,
        code: Text | None = None,
        site_id: str | None = None,
        closed: bool | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sessions, oldest first, all of them or only some.

        Args:
            code (str, optional): Only sessions whose code contains this text.
            site_id (str, optional): Only sessions of this site.
            closed (bool, optional): Only sessions that are closed (true) or not (false).
            on_from (str, optional): Only sessions whose `on` is on this day or later.
            on_to (str, optional): Only sessions whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            session
            for session in self.sessions.values()
            if (code is None or code.casefold() in session["code"].casefold())
            and (site_id is None or session["site_id"] == site_id)
            and (closed is None or session["closed"] == closed)
            and (on_from is None or session["on"] >= on_from)
            and (on_to is None or session["on"] <= on_to)
        ]
        shown = [self._show_session(session) for session in _page(found, offset)]
        return _found({"total": len(found), "sessions": shown}, self._names_of_sessions(shown))

    def list_bookings(
        self,
        person_id: str | None = None,
        session_id: str | None = None,
        vaccine_id: str | None = None,
        status: Literal["booked", "given", "missed", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only bookings of this person.
            session_id (str, optional): Only bookings of this session.
            vaccine_id (str, optional): Only bookings of this vaccine.
            status (str, optional): Only bookings with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if session_id is not None and session_id not in self.sessions:
            return _refused(f"There is no session {session_id!r}.")
        if vaccine_id is not None and vaccine_id not in self.vaccines:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (person_id is None or booking["person_id"] == person_id)
            and (session_id is None or booking["session_id"] == session_id)
            and (vaccine_id is None or booking["vaccine_id"] == vaccine_id)
            and (status is None or booking["status"] == status)
        ]
        shown = [{**booking} for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_doses(
        self,
        person_id: str | None = None,
        vial_id: str | None = None,
        given_at_from: Date | None = None,
        given_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the doses, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only doses of this person.
            vial_id (str, optional): Only doses of this vial.
            given_at_from (str, optional): Only doses whose `given_at` is on this day or later.
            given_at_to (str, optional): Only doses whose `given_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "doses": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if vial_id is not None and vial_id not in self.vials:
            return _refused(f"There is no vial {vial_id!r}.")
        found = [
            dose
            for dose in self.doses.values()
            if (person_id is None or dose["person_id"] == person_id)
            and (vial_id is None or dose["vial_id"] == vial_id)
            and (given_at_from is None or dose["given_at"][:10] >= given_at_from)
            and (given_at_to is None or dose["given_at"][:10] <= given_at_to)
        ]
        shown = [self._show_dose(dose) for dose in _page(found, offset)]
        return _found({"total": len(found), "doses": shown}, self._names_of_doses(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def deliver_vials(
        self,
        fridge_id: str,
        vaccine_id: str,
        expires: Date,
        codes: Annotated[list[Text], {"maxItems": 20}],
    ) -> Result:
        """Put a delivery of sealed vials of one vaccine into a fridge.

        Args:
            fridge_id (str): Id of the fridge, such as FRIDGE-00001.
            vaccine_id (str): Id of the vaccine, such as VACCINE-00001.
            expires (str): Last day on which the vials may be used, at least a week ahead, as YYYY-MM-DD.
            codes (list): New codes of the vials, one for each and not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fridge = self.fridges.get(fridge_id)
        if fridge is None:
            return _refused(f"There is no fridge {fridge_id!r}.")
        vaccine = self.vaccines.get(vaccine_id)
        if vaccine is None:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        if not (len(codes) > 0 and _different([c.lower() for c in codes])):
            return _refused("Name at least one vial code, and each once.")
        if expires <= _plus_days(self.now[:10], 6):
            return _refused(f"Vials that expire on {expires} are not accepted, they must last a week.")
        if self._fridge_vials(fridge) + len(codes) > fridge["capacity"]:
            return _refused(
                f"{fridge['label']} has room for {fridge['capacity'] - self._fridge_vials(fridge)} more vials, "
                f"not for {len(codes)}."
            )
        known = next((v for v in self.vials.values() if any(c.lower() == v["code"].lower() for c in codes)), None)
        if known is not None:
            return _refused(f"Vial {known['code']} is on the books already.")
        self._journal = []
        added_vials: list[Any] = []
        for c in list(codes):
            vial = {
                "id": self._new_id("vial", "VIAL", self.vials),
                "code": c,
                "vaccine_id": vaccine_id,
                "fridge_id": fridge_id,
                "expires": expires,
                "opened_at": None,
                "doses_left": vaccine["doses_per_vial"],
                "status": "sealed",
            }
            self._add("vials", vial)
            added_vials.append(vial)
        for one_vial in added_vials:
            if len(self._vials_by_code.get(one_vial["code"], {})) > 1:
                return self._take_back(f"There is already a vial with the code {one_vial['code']!r}.")
        for one_vial_2 in _distinct(added_vials):
            if self._breaks_rule_4(one_vial_2):
                return self._take_back(RULES[3])
        for one_fridge in _distinct([self.fridges[one["fridge_id"]] for one in added_vials]):
            if self._breaks_rule_6(one_fridge):
                return self._take_back(RULES[5])
        for one_vial_2 in _distinct(added_vials):
            if self._breaks_rule_12_v(one_vial_2):
                return self._take_back(RULES[11])
        for one_vial_2 in _distinct(added_vials):
            if self._breaks_rule_12_v_again(one_vial_2):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: put {len(codes)} vials of {vaccine['name']} into {fridge['label']}.",
            "data": self._changes(),
        }

    def move_vials(self, vial_ids: Annotated[list[str], {"maxItems": 20}], fridge_id: str) -> Result:
        """Move sealed vials into another fridge.

        Args:
            vial_ids (list): Sealed vials that move into the other fridge: ids of vials, such as VIAL-00001.
            fridge_id (str): Id of the fridge, such as FRIDGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vials = []
        for key in vial_ids:
            if key not in self.vials:
                return _refused(f"There is no vial {key!r}.")
            vials.append(self.vials[key])
        fridge = self.fridges.get(fridge_id)
        if fridge is None:
            return _refused(f"There is no fridge {fridge_id!r}.")
        if not (len(vials) > 0 and _different([v["id"] for v in vials])):
            return _refused("Name at least one vial, and each once.")
        wrong = next((v for v in vials if (v["status"] != "sealed" or v["fridge_id"] == fridge_id)), None)
        if wrong is not None:
            return _refused(
                f"Vial {wrong['code']} is {wrong['status']} in {self.fridges[wrong['fridge_id']]['label']} and "
                f"cannot be moved to {fridge['label']}."
            )
        if self._fridge_vials(fridge) + len(vials) > fridge["capacity"]:
            return _refused(
                f"{fridge['label']} has room for {fridge['capacity'] - self._fridge_vials(fridge)} more vials, "
                f"not for {len(vials)}."
            )
        self._journal = []
        changed_vials: list[Any] = []
        former_fridge_ids: list[Any] = []
        for v in list(vials):
            changed_vials.append(v)
            former_fridge_ids.append(v["fridge_id"])
            self._put("vials", v, "fridge_id", fridge_id)
        for one_fridge in _distinct(
            [
                *[self.fridges[one["fridge_id"]] for one in changed_vials],
                *[self.fridges.get(key) for key in former_fridge_ids],
            ]
        ):
            if self._breaks_rule_6(one_fridge):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: move {len(vials)} vials to {fridge['label']}.",
            "data": self._changes(),
        }

    def open_vial(self, vial_id: str) -> Result:
        """Open a sealed vial at a site that has a session today; from then on its hours run.

        Args:
            vial_id (str): Id of the vial, such as VIAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vial = self.vials.get(vial_id)
        if vial is None:
            return _refused(f"There is no vial {vial_id!r}.")
        if vial["status"] != "sealed":
            return _refused(f"Vial {vial['code']} is {vial['status']}.")
        if vial["expires"] < self.now[:10]:
            return _refused(f"Vial {vial['code']} expired on {vial['expires']}.")
        session = self._todays(self.sites[self.fridges[vial["fridge_id"]]["site_id"]])
        if session is None:
            return _refused(
                f"{self.sites[self.fridges[vial['fridge_id']]['site_id']]['name']} has no session under way today."
            )
        if vial["vaccine_id"] not in session["offer_ids"]:
            return _refused(
                f"{self.vaccines[vial['vaccine_id']]['name']} is not offered at "
                f"{self.sites[self.fridges[vial['fridge_id']]['site_id']]['name']} today."
            )
        other = self._open_here(
            self.sites[self.fridges[vial["fridge_id"]]["site_id"]],
            self.vaccines[vial["vaccine_id"]],
        )
        if other is not None:
            return _refused(
                f"Vial {other['code']} is open at "
                f"{self.sites[self.fridges[vial['fridge_id']]['site_id']]['name']} with {other['doses_left']} "
                "doses left, so use that up first."
            )
        self._journal = []
        self._put("vials", vial, "opened_at", self.now)
        self._put("vials", vial, "status", "open")
        for one_dose in _distinct(self._doses_by_vial.get(vial["id"], {}).values()):
            if self._breaks_rule_5(one_dose):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(self.fridges[vial["fridge_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_12_v(vial):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_v_again(vial):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: open vial {vial['code']}.", "data": self._changes()}

    def give_dose(
        self,
        booking_id: str | None = None,
        vial_id: str | None = None,
        person_id: str | None = None,
    ) -> Result:
        """Give a dose to somebody with a booking, from the vial that is open at the site unless another is named, or
        from a named vial to a walk-in for whom the doses suffice.

        Args:
            booking_id (str, optional): Booking for today's session at the site; an id such as BOOKING-00001. If
                left out, the person is a walk-in, to be named with a vial.
            vial_id (str, optional): Open vial that the dose is taken from; an id such as VIAL-00001. If left out,
                the open vial at the site of the booking is used.
            person_id (str, optional): Person who gets the dose, to be named for a walk-in; an id such as
                PERSON-00001. If left out, it is the person of the booking.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id) if booking_id is not None else None
        if booking_id is not None and booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        vial = self.vials.get(vial_id) if vial_id is not None else None
        if vial_id is not None and vial is None:
            return _refused(f"There is no vial {vial_id!r}.")
        person = self.people.get(person_id) if person_id is not None else None
        if person_id is not None and person is None:
            return _refused(f"There is no person {person_id!r}.")
        who = person or next((self.people[b["person_id"]] for b in _those(self.bookings, [booking_id])), None)
        if who is None:
            return _refused("Name the booking or, for a walk-in, the person.")
        if booking_id is not None and booking["person_id"] != who["id"]:
            return _refused(f"The booking is of another person than {who['name']}.")
        used = (
            vial
            or next(
                (
                    v
                    for b in _those(self.bookings, [booking_id])
                    for v in sorted(self._vials_by_vaccine.get(b["vaccine_id"], {}).values(), key=_age)
                    if self.fridges[v["fridge_id"]]["site_id"] == self.sessions[b["session_id"]]["site_id"]
                    and self._usable(v)
                ),
                None,
            )
        )
        if used is None:
            return _refused("No usable vial is open there, so open one or name one.")
        if not self._usable(used):
            return _refused(f"Vial {used['code']} is {used['status']} and cannot be used any more, or not yet.")
        session = self._todays(self.sites[self.fridges[used["fridge_id"]]["site_id"]])
        if session is None:
            return _refused(
                f"{self.sites[self.fridges[used['fridge_id']]['site_id']]['name']} has no session under way today."
            )
        if not (
            booking_id is None
            or booking["status"] == "booked"
            and booking["session_id"] == session["id"]
            and booking["vaccine_id"] == used["vaccine_id"]
        ):
            return _refused(
                f"That booking is not for {self.vaccines[used['vaccine_id']]['name']} at "
                f"{self.sites[self.fridges[used['fridge_id']]['site_id']]['name']} today."
            )
        if not self._of_age(who, self.vaccines[used["vaccine_id"]], self.now[:10]):
            return _refused(
                f"{self.vaccines[used['vaccine_id']]['name']} is for people from "
                f"{self.vaccines[used['vaccine_id']]['from_age']} to "
                f"{self.vaccines[used['vaccine_id']]['to_age']} and {who['name']} is "
                f"{_years(who['born'], self.now[:10])}."
            )
        if used["vaccine_id"] in who["not_for_ids"]:
            return _refused(f"{self.vaccines[used['vaccine_id']]['name']} is not for {who['name']}.")
        if self._had(who, self.vaccines[used["vaccine_id"]]) >= self.vaccines[used["vaccine_id"]]["doses_needed"]:
            return _refused(
                f"{who['name']} has had all {self.vaccines[used['vaccine_id']]['doses_needed']} doses of "
                f"{self.vaccines[used['vaccine_id']]['name']}."
            )
        if self._next_from(
            self._last_dose(who, self.vaccines[used["vaccine_id"]]),
            self.vaccines[used["vaccine_id"]]["gap_days"],
            self.now[:10],
        ) > self.now[:10]:
            return _refused(
                f"{who['name']} may have the next dose of {self.vaccines[used['vaccine_id']]['name']} from "
                f"{self._next_from(self._last_dose(who, self.vaccines[used['vaccine_id']]), self.vaccines[used['vaccine_id']]['gap_days'], self.now[:10])}."
            )
        ahead = next(
            (
                b
                for b in sorted(
                    self._bookings_by_person_vaccine_status.get(
                        (who["id"], used["vaccine_id"], "booked"),
                        {},
                    ).values(),
                    key=_age,
                )
            ),
            None,
        )
        if booking_id is None and ahead is not None:
            return _refused(
                f"{who['name']} is booked for {self.vaccines[used['vaccine_id']]['name']} on "
                f"{self.sessions[ahead['session_id']]['on']} at "
                f"{self.sites[self.sessions[ahead['session_id']]['site_id']]['name']}, so cancel or move that "
                "booking."
            )
        if (
            booking_id is None
            and self._doses_here(
                self.sites[self.fridges[used["fridge_id"]]["site_id"]],
                self.vaccines[used["vaccine_id"]],
            ) <= self._expected(
                self.sites[self.fridges[used["fridge_id"]]["site_id"]],
                self.vaccines[used["vaccine_id"]],
            )
        ):
            return _refused(
                "The "
                f"{self._doses_here(self.sites[self.fridges[used['fridge_id']]['site_id']], self.vaccines[used['vaccine_id']])} doses of {self.vaccines[used['vaccine_id']]['name']} at {self.sites[self.fridges[used['fridge_id']]['site_id']]['name']} are needed for the people booked today."
            )
        self._journal = []
        changed_vials: list[Any] = []
        changed_bookings: list[Any] = []
        number = self._had(who, self.vaccines[used["vaccine_id"]]) + 1
        if not 1 <= number <= 4:
            return self._take_back("The number of a dose must be between 1 and 4.")
        dose: Dose = {
            "id": self._new_id("dose", "DOSE", self.doses),
            "person_id": who["id"],
            "vial_id": used["id"],
            "number": number,
            "given_at": self.now,
        }
        self._add("doses", dose)
        doses_left = used["doses_left"] - 1
        if not 0 <= doses_left <= 20:
            return self._take_back(f"The doses left of {used['code']} must be between 0 and 20.")
        self._put("vials", used, "doses_left", doses_left)
        if used["doses_left"] == 0:
            if used["status"] not in ("open", "empty"):
                return self._take_back(f"Vial {used['code']} cannot go from {used['status']} to empty.")
            changed_vials.append(used)
            self._put("vials", used, "status", "empty")
        for b in _those(self.bookings, [booking_id]):
            if b["status"] not in ("booked", "given"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to given.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "given")
        if self._breaks_rule_1_d(dose):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_d_again(dose):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(dose):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(dose):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(dose):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.vials[dose["vial_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(used):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(dose):
            return self._take_back(RULES[4])
        for one_fridge in _distinct([self.fridges[one["fridge_id"]] for one in changed_vials]):
            if self._breaks_rule_6(one_fridge):
                return self._take_back(RULES[5])
        for one_session in _distinct([self.sessions[one["session_id"]] for one in changed_bookings]):
            if self._breaks_rule_7(one_session):
                return self._take_back(RULES[6])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_10_b(one_booking):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_d(dose):
            return self._take_back(RULES[9])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        for one_vial in _distinct([used, *changed_vials]):
            if self._breaks_rule_12_v(one_vial):
                return self._take_back(RULES[11])
        for one_vial in _distinct([used, *changed_vials]):
            if self._breaks_rule_12_v_again(one_vial):
                return self._take_back(RULES[11])
        done = "give a dose"
        if vial is not None:
            done += f" from vial {vial['code']}"
        if booking is not None and person is not None:
            done += f" to {self.people[booking['person_id']]['name']} as booked"
        if person is not None:
            done += f" to {person['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: dose {dose['id']}).",
            "data": {"dose_id": dose["id"], **self._changes()},
        }

    def discard_vials(self, vial_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Discard vials with whatever is left in them.

        Args:
            vial_ids (list): Sealed or open vials that are thrown away: ids of vials, such as VIAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vials = []
        for key in vial_ids:
            if key not in self.vials:
                return _refused(f"There is no vial {key!r}.")
            vials.append(self.vials[key])
        if not (len(vials) > 0 and _different([v["id"] for v in vials])):
            return _refused("Name at least one vial, and each once.")
        over = next((v for v in vials if v["status"] not in ("sealed", "open")), None)
        if over is not None:
            return _refused(f"Vial {over['code']} is {over['status']} already.")
        self._journal = []
        changed_vials: list[Any] = []
        for v in list(vials):
            if v["status"] not in ("sealed", "open", "discarded"):
                return self._take_back(f"Vial {v['code']} cannot go from {v['status']} to discarded.")
            changed_vials.append(v)
            self._put("vials", v, "status", "discarded")
        for one_fridge in _distinct([self.fridges[one["fridge_id"]] for one in changed_vials]):
            if self._breaks_rule_6(one_fridge):
                return self._take_back(RULES[5])
        for one_vial in _distinct(changed_vials):
            if self._breaks_rule_12_v(one_vial):
                return self._take_back(RULES[11])
        for one_vial in _distinct(changed_vials):
            if self._breaks_rule_12_v_again(one_vial):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: discard {len(vials)} vials.", "data": self._changes()}

    def plan_session(
        self,
        site_id: str,
        on: Date,
        places: Annotated[int, {"minimum": 1, "maximum": 60}],
        offer_ids: Annotated[list[str], {"maxItems": 20}],
        code: Text,
    ) -> Result:
        """Plan a session at a site on a day.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            on (str): Day of the session, from today to 120 days ahead, as YYYY-MM-DD.
            places (int): Number of people who can be booked, from 1 to 60.
            offer_ids (list): Vaccines that are given at the session: ids of vaccines, such as VACCINE-00001.
            code (str): New code of the session, not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        offers = []
        for key in offer_ids:
            if key not in self.vaccines:
                return _refused(f"There is no vaccine {key!r}.")
            offers.append(self.vaccines[key])
        if self.now[:10] > on or on > _plus_days(self.now[:10], 120):
            return _refused(
                f"Sessions are planned for days from {self.now[:10]} to {_plus_days(self.now[:10], 120)}."
            )
        if not (len(offers) > 0 and _different([x["id"] for x in offers])):
            return _refused("Name the vaccines that are offered, each once.")
        other = next(
            (s for s in sorted(self._sessions_by_site.get(site_id, {}).values(), key=_age) if s["on"] == on),
            None,
        )
        if other is not None:
            return _refused(f"{site['name']} has session {other['code']} on {on} already.")
        if self._sessions_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a session {code} already.")
        self._journal = []
        session: Session = {
            "id": self._new_id("session", "SESSION", self.sessions),
            "code": code,
            "site_id": site_id,
            "on": on,
            "places": places,
            "offer_ids": [record["id"] for record in offers],
            "closed": False,
        }
        self._add("sessions", session)
        if len(self._sessions_by_code.get(session["code"], {})) > 1:
            return self._take_back(f"There is already a session with the code {session['code']!r}.")
        if self._breaks_rule_7(session):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_s(session):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: plan session {code} at {site['name']} on {on} (new: session {session['id']}).",
            "data": {"session_id": session["id"], **self._changes()},
        }

    def close_session(self, session_id: str) -> Result:
        """Close a session at its end; who did not come has missed it, and open vials at the site are discarded.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["closed"]:
            return _refused(f"Session {session['code']} is closed already.")
        if session["on"] > self.now[:10]:
            return _refused(f"Session {session['code']} is on {session['on']} only.")
        self._journal = []
        changed_bookings: list[Any] = []
        changed_vials: list[Any] = []
        for b in sorted(self._bookings_by_session_status.get((session_id, "booked"), {}).values(), key=_age):
            if b["status"] not in ("booked", "missed"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to missed.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "missed")
        for v in [
            v
            for v in sorted(
                [
                    v
                    for _fridge in self._fridges_by_site.get(session["site_id"], {}).values()
                    for v in self._vials_by_fridge_status.get((_fridge["id"], "open"), {}).values()
                ],
                key=_age,
            )
            if session["on"] == self.now[:10]
        ]:
            if v["status"] not in ("sealed", "open", "discarded"):
                return self._take_back(f"Vial {v['code']} cannot go from {v['status']} to discarded.")
            changed_vials.append(v)
            self._put("vials", v, "status", "discarded")
        self._put("sessions", session, "closed", True)
        for one_fridge in _distinct([self.fridges[one["fridge_id"]] for one in changed_vials]):
            if self._breaks_rule_6(one_fridge):
                return self._take_back(RULES[5])
        for one_session in _distinct([self.sessions[one["session_id"]] for one in changed_bookings]):
            if self._breaks_rule_7(one_session):
                return self._take_back(RULES[6])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_10_b(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        for one_vial in _distinct(changed_vials):
            if self._breaks_rule_12_v(one_vial):
                return self._take_back(RULES[11])
        for one_vial in _distinct(changed_vials):
            if self._breaks_rule_12_v_again(one_vial):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: close session {session['code']}.", "data": self._changes()}

    def book_dose(self, person_id: str, vaccine_id: str, session_id: str) -> Result:
        """Book the next dose of a vaccine for a person.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            vaccine_id (str): Id of the vaccine, such as VACCINE-00001.
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        vaccine = self.vaccines.get(vaccine_id)
        if vaccine is None:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["closed"] or session["on"] < self.now[:10]:
            return _refused(f"Session {session['code']} of {session['on']} is over.")
        if vaccine_id not in session["offer_ids"]:
            return _refused(
                f"{vaccine['name']} is not offered on {session['on']} at {self.sites[session['site_id']]['name']}."
            )
        if vaccine_id in person["not_for_ids"]:
            return _refused(f"{vaccine['name']} is not for {person['name']}.")
        if not self._of_age(person, vaccine, session["on"]):
            return _refused(
                f"{vaccine['name']} is for people from {vaccine['from_age']} to {vaccine['to_age']} and "
                f"{person['name']} will be {_years(person['born'], session['on'])}."
            )
        if self._had(person, vaccine) >= vaccine["doses_needed"]:
            return _refused(f"{person['name']} has had all {vaccine['doses_needed']} doses of {vaccine['name']}.")
        if self._next_from(self._last_dose(person, vaccine), vaccine["gap_days"], self.now[:10]) > session["on"]:
            return _refused(
                f"{person['name']} may have the next dose of {vaccine['name']} from "
                f"{self._next_from(self._last_dose(person, vaccine), vaccine['gap_days'], self.now[:10])}."
            )
        ahead = next(
            (
                b
                for b in sorted(
                    self._bookings_by_person_vaccine_status.get((person_id, vaccine_id, "booked"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if ahead is not None:
            return _refused(
                f"{person['name']} is booked for {vaccine['name']} on {self.sessions[ahead['session_id']]['on']} "
                f"at {self.sites[self.sessions[ahead['session_id']]['site_id']]['name']} already."
            )
        if self._session_taken(session) >= session["places"]:
            return _refused(
                f"All {session['places']} places on {session['on']} at {self.sites[session['site_id']]['name']} "
                "are taken."
            )
        self._journal = []
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "person_id": person_id,
            "session_id": session_id,
            "vaccine_id": vaccine_id,
            "status": "booked",
        }
        self._add("bookings", booking)
        if self._breaks_rule_7(self.sessions[booking["session_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_b(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_b(booking):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {vaccine['name']} for {person['name']} on {session['on']} at "
                f"{self.sites[session['site_id']]['name']} (new: booking {booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def move_booking(self, booking_id: str, session_id: str) -> Result:
        """Move a booking to another session.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            session_id (str): Id of the session, such as SESSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if booking["status"] != "booked":
            return _refused(f"The booking of {self.people[booking['person_id']]['name']} is {booking['status']}.")
        if booking["session_id"] == session_id:
            return _refused(f"{self.people[booking['person_id']]['name']} is booked there already.")
        if session["closed"] or session["on"] < self.now[:10]:
            return _refused(f"Session {session['code']} of {session['on']} is over.")
        if booking["vaccine_id"] not in session["offer_ids"]:
            return _refused(
                f"{self.vaccines[booking['vaccine_id']]['name']} is not offered on {session['on']} at "
                f"{self.sites[session['site_id']]['name']}."
            )
        if not self._of_age(self.people[booking["person_id"]], self.vaccines[booking["vaccine_id"]], session["on"]):
            return _refused(
                f"{self.people[booking['person_id']]['name']} will be "
                f"{_years(self.people[booking['person_id']]['born'], session['on'])}, which is outside the age group."
            )
        if self._next_from(
            self._last_dose(self.people[booking["person_id"]], self.vaccines[booking["vaccine_id"]]),
            self.vaccines[booking["vaccine_id"]]["gap_days"],
            self.now[:10],
        ) > session["on"]:
            return _refused(
                f"{self.people[booking['person_id']]['name']} may have the next dose of "
                f"{self.vaccines[booking['vaccine_id']]['name']} from "
                f"{self._next_from(self._last_dose(self.people[booking['person_id']], self.vaccines[booking['vaccine_id']]), self.vaccines[booking['vaccine_id']]['gap_days'], self.now[:10])}."
            )
        if self._session_taken(session) >= session["places"]:
            return _refused(
                f"All {session['places']} places on {session['on']} at {self.sites[session['site_id']]['name']} "
                "are taken."
            )
        self._journal = []
        former_session_id = booking["session_id"]
        self._put("bookings", booking, "session_id", session_id)
        if self._breaks_rule_7(self.sessions[booking["session_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(self.sessions[former_session_id]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_b(booking):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_b(booking):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: move the booking of {self.people[booking['person_id']]['name']} to {session['on']} at "
                f"{self.sites[session['site_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_booking(self, booking_id: str) -> Result:
        """Cancel a booking.

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
            return _refused(f"The booking of {self.people[booking['person_id']]['name']} is {booking['status']}.")
        self._journal = []
        self._put("bookings", booking, "status", "cancelled")
        if self._breaks_rule_7(self.sessions[booking["session_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_b(booking):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the booking of {self.people[booking['person_id']]['name']} for "
                f"{self.vaccines[booking['vaccine_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def note_contraindication(self, person_id: str, vaccine_id: str) -> Result:
        """Note that a vaccine is not for a person; bookings for it are cancelled.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            vaccine_id (str): Id of the vaccine, such as VACCINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        vaccine = self.vaccines.get(vaccine_id)
        if vaccine is None:
            return _refused(f"There is no vaccine {vaccine_id!r}.")
        if vaccine_id in person["not_for_ids"]:
            return _refused(f"It is on record already that {vaccine['name']} is not for {person['name']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        for b in sorted(
            self._bookings_by_person_vaccine_status.get((person_id, vaccine_id, "booked"), {}).values(),
            key=_age,
        ):
            if b["status"] not in ("booked", "cancelled"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to cancelled.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "cancelled")
        self._put(
            "people",
            person,
            "not_for_ids",
            [record["id"] for record in [self.vaccines[key] for key in person["not_for_ids"]] + [vaccine]],
        )
        for one_session in _distinct([self.sessions[one["session_id"]] for one in changed_bookings]):
            if self._breaks_rule_7(one_session):
                return self._take_back(RULES[6])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_10_b(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [*changed_bookings, *self._bookings_by_person_status.get((person["id"], "booked"), {}).values()]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note that {vaccine['name']} is not for {person['name']}.",
            "data": self._changes(),
        }

    def _show_fridge(self, fridge: Fridge) -> dict[str, Any]:
        """The fridge as an answer shows it."""
        return {**fridge, "vials": self._fridge_vials(fridge)}

    def _show_person(self, person: Person) -> dict[str, Any]:
        """The person as an answer shows it."""
        return {**person, "not_for_ids": [*person["not_for_ids"]]}

    def _show_session(self, session: Session) -> dict[str, Any]:
        """The session as an answer shows it."""
        return {**session, "offer_ids": [*session["offer_ids"]], "taken": self._session_taken(session)}

    def _show_dose(self, dose: Dose) -> dict[str, Any]:
        """The dose as an answer shows it."""
        return {**dose, "vaccine_id": _id_of(self._dose_vaccine(dose))}

    def _names_of_fridges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fridges point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_vials(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vials point to."""
        return _names(
            (self.vaccines, "name", [row["vaccine_id"] for row in shown]),
            (self.fridges, "label", [row["fridge_id"] for row in shown]),
        )

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names((self.vaccines, "name", [each for row in shown for each in row["not_for_ids"]]))

    def _names_of_sessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sessions point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.vaccines, "name", [each for row in shown for each in row["offer_ids"]]),
        )

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.sessions, "code", [row["session_id"] for row in shown]),
            (self.vaccines, "name", [row["vaccine_id"] for row in shown]),
        )

    def _names_of_doses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that doses point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.vials, "code", [row["vial_id"] for row in shown]),
            (self.vaccines, "name", [row["vaccine_id"] for row in shown]),
        )

    def _fridge_vials(self, fridge: Fridge) -> int:
        """The vials of a fridge."""
        return sum(
            1
            for v in self._vials_by_fridge.get(fridge["id"], {}).values()
            if v["status"] in ("sealed", "open")
        )

    def _session_taken(self, session: Session) -> int:
        """The taken of a session."""
        return sum(
            1
            for b in self._bookings_by_session.get(session["id"], {}).values()
            if b["status"] in ("booked", "given")
        )

    def _dose_vaccine(self, dose: Dose) -> Vaccine:
        """The vaccine of a dose."""
        return self.vaccines[self.vials[dose["vial_id"]]["vaccine_id"]]

    def _had(self, p: Person, x: Vaccine) -> int:
        return sum(
            1
            for d in self._doses_by_person.get(p["id"], {}).values()
            if self.vials[d["vial_id"]]["vaccine_id"] == x["id"]
        )

    def _last_dose(self, p: Person, x: Vaccine) -> str | None:
        return max(
            (
                d["given_at"][:10]
                for d in self._doses_by_person.get(p["id"], {}).values()
                if self.vials[d["vial_id"]]["vaccine_id"] == x["id"]
            ),
            default=None,
        )

    def _next_from(self, last: str | None, gap: int, otherwise: str) -> str:
        return _plus_days(last, gap) if last is not None else otherwise

    def _of_age(self, p: Person, x: Vaccine, d: str) -> bool:
        return x["from_age"] <= _years(p["born"], d) and _years(p["born"], d) <= x["to_age"]

    def _may_have(self, p: Person, x: Vaccine, d: str) -> bool:
        return (
            self._of_age(p, x, d)
            and x["id"] not in p["not_for_ids"]
            and self._had(p, x) < x["doses_needed"]
            and self._next_from(self._last_dose(p, x), x["gap_days"], d) <= d
        )

    def _usable(self, v: Vial) -> bool:
        return (
            v["status"] == "open"
            and v["opened_at"] is not None
            and v["doses_left"] > 0
            and _plus_minutes(v["opened_at"], self.vaccines[v["vaccine_id"]]["open_hours"] * 60) > self.now
        )

    def _open_here(self, s: Site, x: Vaccine) -> Vial | None:
        return min(
            (
                v
                for v in self._vials_by_vaccine.get(x["id"], {}).values()
                if self.fridges[v["fridge_id"]]["site_id"] == s["id"]
                and self._usable(v)
            ),
            key=lambda v: (v["code"], _age(v)),
            default=None,
        )

    def _todays(self, s: Site) -> Session | None:
        return next(
            (
                t
                for t in sorted(self._sessions_by_site.get(s["id"], {}).values(), key=_age)
                if t["on"] == self.now[:10]
                and not t["closed"]
            ),
            None,
        )

    def _expected(self, s: Site, x: Vaccine) -> int:
        return sum(
            1
            for b in self._bookings_by_vaccine_status.get((x["id"], "booked"), {}).values()
            if self.sessions[b["session_id"]]["site_id"] == s["id"]
            and self.sessions[b["session_id"]]["on"] == self.now[:10]
        )

    def _doses_here(self, s: Site, x: Vaccine) -> int:
        return sum(
            v["doses_left"]
            for v in self._vials_by_vaccine.get(x["id"], {}).values()
            if self.fridges[v["fridge_id"]]["site_id"] == s["id"]
            and (self._usable(v) or v["status"] == "sealed" and v["expires"] >= self.now[:10])
        )

    def _breaks_rule_1_d(self, d: Dose) -> bool:
        """Whether this is broken: nobody gets more doses of a vaccine than its schedule says, and each number once.
        """
        return d["number"] > self.vaccines[self.vials[d["vial_id"]]["vaccine_id"]]["doses_needed"]

    def _breaks_rule_1_d_again(self, d: Dose) -> bool:
        """Whether this is broken: nobody gets more doses of a vaccine than its schedule says, and each number once.
        """
        return any(
            other_d is not d
            for other_d in self._doses_by_person.get(d["person_id"], {}).values()
            if self.vials[other_d["vial_id"]]["vaccine_id"] == self.vials[d["vial_id"]]["vaccine_id"]
            and other_d["number"] == d["number"]
        )

    def _breaks_rule_2_a(self, a: Dose) -> bool:
        """Whether this is broken: between two doses of a vaccine lies at least its minimum interval."""
        return any(
            abs(
                _days_between(b["given_at"][:10], a["given_at"][:10])
            ) < self.vaccines[self.vials[a["vial_id"]]["vaccine_id"]]["gap_days"]
            for b in self._doses_by_person.get(a["person_id"], {}).values()
            if a is not b
            and self.vials[a["vial_id"]]["vaccine_id"] == self.vials[b["vial_id"]]["vaccine_id"]
        )

    def _breaks_rule_2_b(self, b: Dose) -> bool:
        """Whether this is broken: between two doses of a vaccine lies at least its minimum interval."""
        return any(
            abs(
                _days_between(b["given_at"][:10], a["given_at"][:10])
            ) < self.vaccines[self.vials[a["vial_id"]]["vaccine_id"]]["gap_days"]
            for a in self._doses_by_person.get(b["person_id"], {}).values()
            if a is not b
            and self.vials[a["vial_id"]]["vaccine_id"] == self.vials[b["vial_id"]]["vaccine_id"]
        )

    def _breaks_rule_3(self, d: Dose) -> bool:
        """Whether this is broken: doses are given only within the age group of the vaccine."""
        return not self._of_age(
            self.people[d["person_id"]],
            self.vaccines[self.vials[d["vial_id"]]["vaccine_id"]],
            d["given_at"][:10],
        )

    def _breaks_rule_4(self, v: Vial) -> bool:
        """Whether this is broken: a vial gives no more doses than it holds."""
        return (
            v["doses_left"]
            + len(self._doses_by_vial.get(v["id"], {})) > self.vaccines[v["vaccine_id"]]["doses_per_vial"]
        )

    def _breaks_rule_5(self, d: Dose) -> bool:
        """Whether this is broken: doses are given from an opened vial within the hours for which it keeps."""
        return (
            self.vials[d["vial_id"]]["opened_at"] is None
            or d["given_at"] < self.vials[d["vial_id"]]["opened_at"]
            or _minutes_between(
                self.vials[d["vial_id"]]["opened_at"],
                d["given_at"],
            ) > self.vaccines[self.vials[d["vial_id"]]["vaccine_id"]]["open_hours"] * 60
        )

    def _breaks_rule_6(self, f: Fridge) -> bool:
        """Whether this is broken: a fridge holds no more vials than fit in."""
        return self._fridge_vials(f) > f["capacity"]

    def _breaks_rule_7(self, s: Session) -> bool:
        """Whether this is broken: a session never has more people than places."""
        return self._session_taken(s) > s["places"]

    def _breaks_rule_8_s(self, s: Session) -> bool:
        """Whether this is broken: a session takes place once a day at a site and gives only the vaccines it offers.
        """
        return any(
            other_s is not s
            for other_s in self._sessions_by_site.get(s["site_id"], {}).values()
            if other_s["on"] == s["on"]
        )

    def _breaks_rule_8_b(self, b: Booking) -> bool:
        """Whether this is broken: a session takes place once a day at a site and gives only the vaccines it offers.
        """
        return b["vaccine_id"] not in self.sessions[b["session_id"]]["offer_ids"]

    def _breaks_rule_9(self, b: Booking) -> bool:
        """Whether this is broken: a person has one booking ahead for each vaccine."""
        return (
            b["status"] == "booked"
            and any(
                other_b is not b
                for other_b in self._bookings_by_person_vaccine_status.get(
                    (b["person_id"], b["vaccine_id"], "booked"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_10_b(self, b: Booking) -> bool:
        """Whether this is broken: a booking keeps the minimum interval from the doses that were given."""
        return (
            b["status"] == "booked"
            and any(
                _days_between(
                    d["given_at"][:10],
                    self.sessions[b["session_id"]]["on"],
                ) < self.vaccines[b["vaccine_id"]]["gap_days"]
                for d in self._doses_by_person.get(b["person_id"], {}).values()
                if self.vials[d["vial_id"]]["vaccine_id"] == b["vaccine_id"]
            )
        )

    def _breaks_rule_10_d(self, d: Dose) -> bool:
        """Whether this is broken: a booking keeps the minimum interval from the doses that were given."""
        return any(
            _days_between(
                d["given_at"][:10],
                self.sessions[b["session_id"]]["on"],
            ) < self.vaccines[b["vaccine_id"]]["gap_days"]
            for b in self._bookings_by_person_vaccine_status.get(
                (d["person_id"], self.vials[d["vial_id"]]["vaccine_id"], "booked"),
                {},
            ).values()
        )

    def _breaks_rule_11(self, b: Booking) -> bool:
        """Whether this is broken: nobody is booked for a vaccine that is not for them."""
        return b["status"] == "booked" and b["vaccine_id"] in self.people[b["person_id"]]["not_for_ids"]

    def _breaks_rule_12_v(self, v: Vial) -> bool:
        """Whether this is broken: a sealed vial has all its doses, and an empty one has none."""
        return (
            v["status"] == "sealed"
            and (v["doses_left"] != self.vaccines[v["vaccine_id"]]["doses_per_vial"] or v["opened_at"] is not None)
        )

    def _breaks_rule_12_v_again(self, v: Vial) -> bool:
        """Whether this is broken: a sealed vial has all its doses, and an empty one has none."""
        return v["status"] == "empty" and v["doses_left"] != 0

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
            case "fridges":
                self._fridges_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "vials":
                self._vials_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._vials_by_fridge.setdefault(record["fridge_id"], {})[record["id"]] = record
                self._vials_by_fridge_status.setdefault(
                    (record["fridge_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._vials_by_vaccine.setdefault(record["vaccine_id"], {})[record["id"]] = record
                self._vials_by_vaccine_status.setdefault(
                    (record["vaccine_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "sessions":
                self._sessions_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._sessions_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
                for key in record["offer_ids"]:
                    self._sessions_by_offers.setdefault(key, {})[record["id"]] = record
                self._sessions_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_person_status.setdefault(
                    (record["person_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_person_vaccine_status.setdefault(
                    (record["person_id"], record["vaccine_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_session.setdefault(record["session_id"], {})[record["id"]] = record
                self._bookings_by_session_status.setdefault(
                    (record["session_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_vaccine_status.setdefault(
                    (record["vaccine_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "doses":
                self._doses_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._doses_by_vial.setdefault(record["vial_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "fridges":
                del self._fridges_by_site[record["site_id"]][record["id"]]
            case "vials":
                del self._vials_by_code[record["code"]][record["id"]]
                del self._vials_by_fridge[record["fridge_id"]][record["id"]]
                del self._vials_by_fridge_status[record["fridge_id"], record["status"]][record["id"]]
                del self._vials_by_vaccine[record["vaccine_id"]][record["id"]]
                del self._vials_by_vaccine_status[record["vaccine_id"], record["status"]][record["id"]]
            case "sessions":
                del self._sessions_by_code[record["code"]][record["id"]]
                del self._sessions_by_lower_code[record["code"].lower()][record["id"]]
                for key in record["offer_ids"]:
                    self._sessions_by_offers[key].pop(record["id"], None)
                del self._sessions_by_site[record["site_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_person_status[record["person_id"], record["status"]][record["id"]]
                del self._bookings_by_person_vaccine_status[
                    record["person_id"],
                    record["vaccine_id"],
                    record["status"],
                ][record["id"]]
                del self._bookings_by_session[record["session_id"]][record["id"]]
                del self._bookings_by_session_status[record["session_id"], record["status"]][record["id"]]
                del self._bookings_by_vaccine_status[record["vaccine_id"], record["status"]][record["id"]]
            case "doses":
                del self._doses_by_person[record["person_id"]][record["id"]]
                del self._doses_by_vial[record["vial_id"]][record["id"]]
