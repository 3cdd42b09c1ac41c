"""Refugee housing. Compiled from blueprint.yaml; run `envscaler build refugee_housing` after changing it there.

Finds homes for refugee households by size, access and the months that hosts offer, plans their moves, and gets
their children into the schools of the district.
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
    "A home has one household at a time.",
    "A household has one home at a time.",
    "Everybody in a household has a bed.",
    "Households that cannot climb stairs live without steps.",
    "A stay lies within the time for which the home is offered.",
    "A school never has more children than places.",
    "A child goes to one school at a time.",
    "Children go to school in the district where they live, unless a bus takes them.",
    "A child starts at a school for its age.",
    "A caseworker speaks the language of their households.",
    "No caseworker has more households than they can look after.",
    "A household that has departed has no home and no child at school here.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "offer_home",
    "change_offer",
    "register_household",
    "add_member",
    "assign_caseworker",
    "plan_stay",
    "move_in",
    "change_end",
    "cancel_stay",
    "enrol_child",
    "end_enrolment",
    "depart",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "districts": ("name",),
    "caseworkers": ("name",),
    "homes": ("address",),
    "households": ("name",),
    "people": ("name",),
    "stays": (),
    "schools": ("name",),
    "enrolments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("enrolments", "child_id"),
    ("enrolments", "school_id"),
    ("homes", "address"),
    ("households", "caseworker_id"),
    ("households", "name"),
    ("people", "household_id"),
    ("people", "name"),
    ("stays", "home_id"),
    ("stays", "household_id"),
    ("stays", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class District(TypedDict):
    id: str
    name: str


class Caseworker(TypedDict):
    id: str
    name: str
    languages: list[Literal["arabic", "persian", "ukrainian", "somali", "amharic", "tigrinya"]]
    most: int


class Home(TypedDict):
    id: str
    address: str
    district_id: str
    beds: int
    step_free: bool
    host: str | None
    offered_from: str
    offered_until: str


class Household(TypedDict):
    id: str
    name: str
    language: Literal["arabic", "persian", "ukrainian", "somali", "amharic", "tigrinya"]
    needs_step_free: bool
    registered_on: str
    caseworker_id: str | None
    departed: bool


class Person(TypedDict):
    id: str
    name: str
    household_id: str
    born: str


class Stay(TypedDict):
    id: str
    household_id: str
    home_id: str
    starts: str
    ends: str
    status: Literal["planned", "running", "cancelled", "over"]


class School(TypedDict):
    id: str
    name: str
    district_id: str
    from_age: int
    to_age: int
    places: int


class Enrolment(TypedDict):
    id: str
    child_id: str
    school_id: str
    by_bus: bool
    started_on: str
    ended_on: str | None


class RegisterHouseholdMember(TypedDict):
    name: Text
    born: Date


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


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class RefugeeHousing:
    """Finds homes for refugee households by size, access and the months that hosts offer, plans their
    moves, and gets their children into the schools of the district.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.districts: dict[str, District] = _copied(config.get("districts", {}))
        self.caseworkers: dict[str, Caseworker] = _copied(config.get("caseworkers", {}))
        self.homes: dict[str, Home] = _copied(config.get("homes", {}))
        self.households: dict[str, Household] = _copied(config.get("households", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.stays: dict[str, Stay] = _copied(config.get("stays", {}))
        self.schools: dict[str, School] = _copied(config.get("schools", {}))
        self.enrolments: dict[str, Enrolment] = _copied(config.get("enrolments", {}))
        self.now: str = config.get("now", "2026-04-15T09:30")
        self.counters: dict[str, int] = {
            "district": len(self.districts),
            "caseworker": len(self.caseworkers),
            "home": len(self.homes),
            "household": len(self.households),
            "person": len(self.people),
            "stay": len(self.stays),
            "school": len(self.schools),
            "enrolment": len(self.enrolments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._homes_by_address: dict[Any, dict[str, Home]] = {}
        self._households_by_caseworker: dict[Any, dict[str, Household]] = {}
        self._households_by_name: dict[Any, dict[str, Household]] = {}
        self._people_by_household: dict[Any, dict[str, Person]] = {}
        self._people_by_name: dict[Any, dict[str, Person]] = {}
        self._stays_by_home: dict[Any, dict[str, Stay]] = {}
        self._stays_by_home_status: dict[Any, dict[str, Stay]] = {}
        self._stays_by_household: dict[Any, dict[str, Stay]] = {}
        self._stays_by_household_status: dict[Any, dict[str, Stay]] = {}
        self._enrolments_by_child: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_school: dict[Any, dict[str, Enrolment]] = {}
        for home in self.homes.values():
            self._link("homes", home)
        for household in self.households.values():
            self._link("households", household)
        for person in self.people.values():
            self._link("people", person)
        for stay in self.stays.values():
            self._link("stays", stay)
        for enrolment in self.enrolments.values():
            self._link("enrolments", enrolment)

    def fitting_homes(
        self,
        household_id: str,
        starts: Date,
        ends: Date,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Homes that suit a household and are free for some time, those with the fewest beds first.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            starts (str): First day on which the home is needed, as YYYY-MM-DD.
            ends (str): Last day on which the home is needed, as YYYY-MM-DD.
            district_id (str, optional): Only homes in this district; an id such as DISTRICT-00001. If left out,
                homes in all districts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "homes": records}} or {"success": False, "error": why
                not}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        district = self.districts.get(district_id) if district_id is not None else None
        if district_id is not None and district is None:
            return _refused(f"There is no district {district_id!r}.")
        if starts >= ends:
            return _refused(f"The last day must come after {starts}.")
        found = [
            h
            for h in self.homes.values()
            if (self._suits(h, household) and self._bookable(h, starts, ends))
            and (district_id is None or h["district_id"] == district_id)
        ]
        found.sort(key=lambda h: (h["beds"], h["address"], _age(h)))
        return _found(
            {
                "total": len(found),
                "homes": [
                    {
                        "id": h["id"],
                        "address": h["address"],
                        "district": self.districts[h["district_id"]]["name"],
                        "beds": h["beds"],
                        "step_free": h["step_free"],
                        "offered_until": h["offered_until"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def waiting_list(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Households without any home or plan, those who have waited longest first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}} or {"success": False, "error":
                why not}
        """
        found = [
            h
            for h in self.households.values()
            if (
                not h["departed"]
                and not any(self._live(s) for s in self._stays_by_household.get(h["id"], {}).values())
            )
        ]
        found.sort(key=lambda h: (h["registered_on"], h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "households": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "size": self._household_size(h),
                        "needs_step_free": h["needs_step_free"],
                        "registered_on": h["registered_on"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def out_of_school(
        self,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Children from six to seventeen who have a home and no school.

        Args:
            district_id (str, optional): Only children who live in this district; an id such as DISTRICT-00001. If
                left out, children in all districts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}} or {"success": False, "error": why
                not}
        """
        district = self.districts.get(district_id) if district_id is not None else None
        if district_id is not None and district is None:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            c
            for c in self.people.values()
            if (
                self._person_school(c) is None
                and self._household_lives_in(self.households[c["household_id"]]) is not None
                and (6 <= _years(c["born"], self.now[:10]) and _years(c["born"], self.now[:10]) <= 17)
            )
            and (
                district_id is None
                or self._household_lives_in(self.households[c["household_id"]])["district_id"] == district_id
            )
        ]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "people": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "household": self.households[c["household_id"]]["name"],
                        "age": _years(c["born"], self.now[:10]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_districts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the districts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only districts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "districts": records}}
        """
        found = [
            district
            for district in self.districts.values()
            if (name is None or name.casefold() in district["name"].casefold())
        ]
        return _found({"total": len(found), "districts": [{**district} for district in _page(found, offset)]})

    def list_caseworkers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the caseworkers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only caseworkers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "caseworkers": records}}
        """
        found = [
            caseworker
            for caseworker in self.caseworkers.values()
            if (name is None or name.casefold() in caseworker["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "caseworkers": [self._show_caseworker(caseworker) for caseworker in _page(found, offset)],
            }
        )

    def list_homes(
        self,
        address: Text | None = None,
        district_id: str | None = None,
        step_free: bool | None = None,
        offered_from_from: Date | None = None,
        offered_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the homes, oldest first, all of them or only some.

        Args:
            address (str, optional): Only homes whose address contains this text.
            district_id (str, optional): Only homes of this district.
            step_free (bool, optional): Only homes with this value of `step_free`.
            offered_from_from (str, optional): Only homes whose `offered_from` is on this day or later.
            offered_from_to (str, optional): Only homes whose `offered_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "homes": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            home
            for home in self.homes.values()
            if (address is None or address.casefold() in home["address"].casefold())
            and (district_id is None or home["district_id"] == district_id)
            and (step_free is None or home["step_free"] == step_free)
            and (offered_from_from is None or home["offered_from"] >= offered_from_from)
            and (offered_from_to is None or home["offered_from"] <= offered_from_to)
        ]
        shown = [{**home} for home in _page(found, offset)]
        return _found({"total": len(found), "homes": shown}, self._names_of_homes(shown))

    def list_households(
        self,
        name: Text | None = None,
        language: Literal["arabic", "persian", "ukrainian", "somali", "amharic", "tigrinya"] | None = None,
        needs_step_free: bool | None = None,
        caseworker_id: str | None = None,
        departed: bool | None = None,
        registered_on_from: Date | None = None,
        registered_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the households, oldest first, all of them or only some.

        Args:
            name (str, optional): Only households whose name contains this text.
            language (str, optional): Only households with this language.
            needs_step_free (bool, optional): Only households with this value of `needs_step_free`.
            caseworker_id (str, optional): Only households of this caseworker.
            departed (bool, optional): Only households that are departed (true) or not (false).
            registered_on_from (str, optional): Only households whose `registered_on` is on this day or later.
            registered_on_to (str, optional): Only households whose `registered_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}}
        """
        if caseworker_id is not None and caseworker_id not in self.caseworkers:
            return _refused(f"There is no caseworker {caseworker_id!r}.")
        found = [
            household
            for household in self.households.values()
            if (name is None or name.casefold() in household["name"].casefold())
            and (language is None or household["language"] == language)
            and (needs_step_free is None or household["needs_step_free"] == needs_step_free)
            and (caseworker_id is None or household["caseworker_id"] == caseworker_id)
            and (departed is None or household["departed"] == departed)
            and (registered_on_from is None or household["registered_on"] >= registered_on_from)
            and (registered_on_to is None or household["registered_on"] <= registered_on_to)
        ]
        shown = [self._show_household(household) for household in _page(found, offset)]
        return _found({"total": len(found), "households": shown}, self._names_of_households(shown))

    def list_people(
        self,
        name: Text | None = None,
        household_id: str | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            household_id (str, optional): Only people of this household.
            born_from (str, optional): Only people whose `born` is on this day or later.
            born_to (str, optional): Only people whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (household_id is None or person["household_id"] == household_id)
            and (born_from is None or person["born"] >= born_from)
            and (born_to is None or person["born"] <= born_to)
        ]
        shown = [self._show_person(person) for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_stays(
        self,
        household_id: str | None = None,
        home_id: str | None = None,
        status: Literal["planned", "running", "cancelled", "over"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stays, oldest first, all of them or only some.

        Args:
            household_id (str, optional): Only stays of this household.
            home_id (str, optional): Only stays of this home.
            status (str, optional): Only stays with this status.
            starts_from (str, optional): Only stays whose `starts` is on this day or later.
            starts_to (str, optional): Only stays whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stays": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        if home_id is not None and home_id not in self.homes:
            return _refused(f"There is no home {home_id!r}.")
        found = [
            stay
            for stay in self.stays.values()
            if (household_id is None or stay["household_id"] == household_id)
            and (home_id is None or stay["home_id"] == home_id)
            and (status is None or stay["status"] == status)
            and (starts_from is None or stay["starts"] >= starts_from)
            and (starts_to is None or stay["starts"] <= starts_to)
        ]
        shown = [{**stay} for stay in _page(found, offset)]
        return _found({"total": len(found), "stays": shown}, self._names_of_stays(shown))

    def list_schools(
        self,
        name: Text | None = None,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the schools, oldest first, all of them or only some.

        Args:
            name (str, optional): Only schools whose name contains this text.
            district_id (str, optional): Only schools of this district.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "schools": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            school
            for school in self.schools.values()
            if (name is None or name.casefold() in school["name"].casefold())
            and (district_id is None or school["district_id"] == district_id)
        ]
        shown = [self._show_school(school) for school in _page(found, offset)]
        return _found({"total": len(found), "schools": shown}, self._names_of_schools(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def offer_home(
        self,
        address: Text,
        district_id: str,
        beds: Annotated[int, {"minimum": 1, "maximum": 9}],
        step_free: bool,
        starts: Date,
        ends: Date,
        host: Text | None = None,
    ) -> Result:
        """Register a home that somebody offers for some time.

        Args:
            address (str): Address of the home, not registered yet.
            district_id (str): Id of the district, such as DISTRICT-00001.
            beds (int): People who can sleep there, from 1 to 9.
            step_free (bool): Whether it can be entered and used without steps.
            starts (str): First day on which the home is offered, as YYYY-MM-DD.
            ends (str): Last day on which it is offered, at least 28 days later, as YYYY-MM-DD.
            host (str, optional): Name of the person who offers the home. If left out, no host is noted.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        district = self.districts.get(district_id)
        if district is None:
            return _refused(f"There is no district {district_id!r}.")
        if self._homes_by_address.get(address, {}):
            return _refused(f"{address} is registered already.")
        if starts < _plus_days(self.now[:10], -7) or _plus_days(starts, 28) > ends:
            return _refused("A home is offered for at least four weeks from now on.")
        self._journal = []
        home: Home = {
            "id": self._new_id("home", "HOME", self.homes),
            "address": address,
            "district_id": district_id,
            "beds": beds,
            "step_free": step_free,
            "host": host,
            "offered_from": starts,
            "offered_until": ends,
        }
        self._add("homes", home)
        if len(self._homes_by_address.get(home["address"], {})) > 1:
            return self._take_back(f"There is already a home with the address {home['address']!r}.")
        return {
            "success": True,
            "message": f"Done: register {address} with {beds} beds from {starts} to {ends} (new: home {home['id']}).",
            "data": {"home_id": home["id"], **self._changes()},
        }

    def change_offer(self, home_id: str, until: Date) -> Result:
        """Note that a home is offered for longer, or for less time.

        Args:
            home_id (str): Id of the home, such as HOME-00001.
            until (str): New last day on which it is offered, not in the past, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        home = self.homes.get(home_id)
        if home is None:
            return _refused(f"There is no home {home_id!r}.")
        if until == home["offered_until"]:
            return _refused(f"{home['address']} is offered until {home['offered_until']} already.")
        if until < self.now[:10] or until <= home["offered_from"]:
            return _refused(f"An offer ends today or later, after {home['offered_from']}.")
        held = next(
            (
                s
                for s in sorted(self._stays_by_home.get(home_id, {}).values(), key=_age)
                if self._live(s)
                and s["ends"] > until
            ),
            None,
        )
        if held is not None:
            return _refused(
                f"{self.households[held['household_id']]['name']} is to stay there until {held['ends']}, so "
                "change that first."
            )
        self._journal = []
        self._put("homes", home, "offered_until", until)
        for one_stay in _distinct(self._stays_by_home.get(home["id"], {}).values()):
            if self._breaks_rule_5(one_stay):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: note that {home['address']} is offered until {until}.",
            "data": self._changes(),
        }

    def register_household(
        self,
        name: Text,
        language: Literal["arabic", "persian", "ukrainian", "somali", "amharic", "tigrinya"],
        members: Annotated[list[RegisterHouseholdMember], {"maxItems": 20}],
        needs_step_free: bool = False,
    ) -> Result:
        """Register a household with everybody who belongs to it.

        Args:
            name (str): Name of the household, not in use yet.
            language (str): Language that the household speaks: arabic, persian, ukrainian, somali, amharic or
                tigrinya.
            members (list): One entry for each person who belongs to it: name: name of the person, not registered
                yet; born: date of birth of the person, as YYYY-MM-DD.
            needs_step_free (bool): Whether the household needs a home without steps. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._households_by_name.get(name, {}):
            return _refused(f"{name} is registered already.")
        if not ((1 <= len(members) and len(members) <= 9) and _different([m["name"] for m in members])):
            return _refused("Name one to nine people, each once.")
        if any(any(m["name"] == p["name"] for m in members) for p in self.people.values()):
            return _refused("One of them belongs to another household.")
        if not all(m["born"] <= self.now[:10] for m in members):
            return _refused(f"Somebody would be born after {self.now[:10]}.")
        self._journal = []
        added_people: list[Any] = []
        household: Household = {
            "id": self._new_id("household", "HOUSEHOLD", self.households),
            "name": name,
            "language": language,
            "needs_step_free": needs_step_free,
            "registered_on": self.now[:10],
            "caseworker_id": None,
            "departed": False,
        }
        self._add("households", household)
        for m in sorted(members, key=lambda m: (m["name"],)):
            person = {
                "id": self._new_id("person", "PERSON", self.people),
                "name": m["name"],
                "household_id": household["id"],
                "born": m["born"],
            }
            self._add("people", person)
            added_people.append(person)
        if len(self._households_by_name.get(household["name"], {})) > 1:
            return self._take_back(f"There is already a household with the name {household['name']!r}.")
        for one_person in added_people:
            if len(self._people_by_name.get(one_person["name"], {})) > 1:
                return self._take_back(f"There is already a person with the name {one_person['name']!r}.")
        for one_stay in _distinct(
            [
                user
                for one in [self.households[one["household_id"]] for one in added_people]
                for user in self._stays_by_household.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_stay):
                return self._take_back(RULES[2])
        if self._breaks_rule_10(household):
            return self._take_back(RULES[9])
        for one_caseworker in _distinct([self.caseworkers.get(household["caseworker_id"])]):
            if self._breaks_rule_11(one_caseworker):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: register the household of {name} (new: household {household['id']}).",
            "data": {"household_id": household["id"], **self._changes()},
        }

    def add_member(self, household_id: str, name: Text, born: Date) -> Result:
        """Add somebody to a household, born or arrived since it was registered.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            name (str): Name of the person, not registered yet.
            born (str): Date of birth of the person, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if household["departed"]:
            return _refused(f"{household['name']} has departed.")
        if self._people_by_name.get(name, {}):
            return _refused(f"{name} is known already.")
        if born > self.now[:10]:
            return _refused(f"{name} would be born after {self.now[:10]}.")
        if self._household_size(household) >= 9:
            return _refused(f"{household['name']} is a household of nine already.")
        small = next(
            (
                s
                for s in sorted(self._stays_by_household.get(household_id, {}).values(), key=_age)
                if self._live(s)
                and self.homes[s["home_id"]]["beds"] <= self._household_size(household)
            ),
            None,
        )
        if small is not None:
            return _refused(
                f"{self.homes[small['home_id']]['address']} has {self.homes[small['home_id']]['beds']} beds, so "
                f"{household['name']} needs another home first."
            )
        self._journal = []
        person: Person = {
            "id": self._new_id("person", "PERSON", self.people),
            "name": name,
            "household_id": household_id,
            "born": born,
        }
        self._add("people", person)
        if len(self._people_by_name.get(person["name"], {})) > 1:
            return self._take_back(f"There is already a person with the name {person['name']!r}.")
        for one_stay in _distinct(self._stays_by_household.get(person["household_id"], {}).values()):
            if self._breaks_rule_3(one_stay):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: add {name} to the household of {household['name']} (new: person {person['id']}).",
            "data": {"person_id": person["id"], **self._changes()},
        }

    def assign_caseworker(self, household_id: str, caseworker_id: str) -> Result:
        """Give a household a caseworker who speaks its language.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            caseworker_id (str): Id of the caseworker, such as CASEWORKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        caseworker = self.caseworkers.get(caseworker_id)
        if caseworker is None:
            return _refused(f"There is no caseworker {caseworker_id!r}.")
        if household["departed"]:
            return _refused(f"{household['name']} has departed.")
        if household["caseworker_id"] is not None and household["caseworker_id"] == caseworker_id:
            return _refused(f"{caseworker['name']} looks after {household['name']} already.")
        if household["language"] not in caseworker["languages"]:
            return _refused(f"{caseworker['name']} does not speak {household['language']}.")
        if self._caseworker_cases(caseworker) >= caseworker["most"]:
            return _refused(
                f"{caseworker['name']} has {self._caseworker_cases(caseworker)} households and can take no more."
            )
        self._journal = []
        former_caseworker_id = household["caseworker_id"]
        self._put("households", household, "caseworker_id", caseworker_id)
        if self._breaks_rule_10(household):
            return self._take_back(RULES[9])
        for one_caseworker in _distinct(
            [self.caseworkers.get(household["caseworker_id"]), self.caseworkers.get(former_caseworker_id)]
        ):
            if self._breaks_rule_11(one_caseworker):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give {household['name']} to {caseworker['name']}.",
            "data": self._changes(),
        }

    def plan_stay(self, household_id: str, home_id: str, starts: Date, ends: Date) -> Result:
        """Plan a stay of a household in a home.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            home_id (str): Id of the home, such as HOME-00001.
            starts (str): First day of the stay, not in the past, as YYYY-MM-DD.
            ends (str): Last day of the stay, at least 14 days later, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        home = self.homes.get(home_id)
        if home is None:
            return _refused(f"There is no home {home_id!r}.")
        if household["departed"]:
            return _refused(f"{household['name']} has departed.")
        if self.now[:10] > starts or _plus_days(starts, 14) > ends:
            return _refused("A stay begins today or later and lasts two weeks at least.")
        if home["beds"] < self._household_size(household):
            return _refused(
                f"{home['address']} has {home['beds']} beds and {household['name']} is a household of "
                f"{self._household_size(household)}."
            )
        if not home["step_free"] and household["needs_step_free"]:
            return _refused(f"{household['name']} needs a home without steps.")
        if home["offered_from"] > starts or ends > home["offered_until"]:
            return _refused(f"{home['address']} is offered from {home['offered_from']} to {home['offered_until']}.")
        other = self._taken(home, starts, ends)
        if other is not None:
            return _refused(
                f"{self.households[other['household_id']]['name']} has {home['address']} from {other['starts']} "
                f"to {other['ends']}."
            )
        own = self._engaged(household, starts, ends)
        if own is not None:
            return _refused(
                f"{household['name']} has {self.homes[own['home_id']]['address']} until {own['ends']}, so change "
                "that first."
            )
        self._journal = []
        stay: Stay = {
            "id": self._new_id("stay", "STAY", self.stays),
            "household_id": household_id,
            "home_id": home_id,
            "starts": starts,
            "ends": ends,
            "status": "planned",
        }
        self._add("stays", stay)
        if self._breaks_rule_1(stay):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_s(stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(stay):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(stay):
            return self._take_back(RULES[4])
        for one_enrolment in _distinct(
            [
                user
                for one in self._people_by_household.get(stay["household_id"], {}).values()
                for user in self._enrolments_by_child.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_12_s(stay):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: plan {household['name']} for {home['address']} from {starts} to {ends} (new: stay "
                f"{stay['id']})."
            ),
            "data": {"stay_id": stay["id"], **self._changes()},
        }

    def move_in(self, stay_id: str, keep_schools: bool = False) -> Result:
        """Let a household move into the home that is planned for it; schools of other districts end, or a bus takes
        the children there.

        Args:
            stay_id (str): Id of the stay, such as STAY-00001.
            keep_schools (bool): Whether children stay at schools of other districts and go by bus. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stay = self.stays.get(stay_id)
        if stay is None:
            return _refused(f"There is no stay {stay_id!r}.")
        if stay["status"] != "planned":
            return _refused(f"The stay of {self.households[stay['household_id']]['name']} is {stay['status']}.")
        if stay["starts"] > self.now[:10]:
            return _refused(f"{self.households[stay['household_id']]['name']} is expected there on {stay['starts']}.")
        if self.now[:10] >= stay["ends"]:
            return _refused(f"That stay was to end on {stay['ends']}, so cancel it and plan another.")
        before = next(
            (s for s in sorted(self._stays_by_home_status.get((stay["home_id"], "running"), {}).values(), key=_age)),
            None,
        )
        if before is not None:
            return _refused(
                f"{self.households[before['household_id']]['name']} still lives at "
                f"{self.homes[stay['home_id']]['address']}."
            )
        self._journal = []
        changed_stays: list[Any] = []
        changed_enrolments: list[Any] = []
        changed_enrolments_2: list[Any] = []
        family = self.households[stay["household_id"]]
        for s in sorted(self._stays_by_household_status.get((family["id"], "running"), {}).values(), key=_age):
            if s["status"] not in ("running", "over"):
                return self._take_back(f"Stay {s['id']} cannot go from {s['status']} to over.")
            changed_stays.append(s)
            self._put("stays", s, "status", "over")
        if stay["status"] not in ("planned", "running"):
            return self._take_back(f"Stay {stay['id']} cannot go from {stay['status']} to running.")
        self._put("stays", stay, "status", "running")
        for e in [
            e
            for e in sorted(
                [
                    e
                    for _person in self._people_by_household.get(family["id"], {}).values()
                    for e in self._enrolments_by_child.get(_person["id"], {}).values()
                ],
                key=_age,
            )
            if e["ended_on"] is None
        ]:
            if self.schools[e["school_id"]]["district_id"] == self.homes[stay["home_id"]]["district_id"]:
                changed_enrolments.append(e)
                self._put("enrolments", e, "by_bus", False)
            else:
                if keep_schools:
                    changed_enrolments.append(e)
                    self._put("enrolments", e, "by_bus", True)
                else:
                    changed_enrolments_2.append(e)
                    self._put("enrolments", e, "ended_on", self.now[:10])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_1(one_stay):
                return self._take_back(RULES[0])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_2_a(one_stay):
                return self._take_back(RULES[1])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_2_s(one_stay):
                return self._take_back(RULES[1])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_3(one_stay):
                return self._take_back(RULES[2])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_4(one_stay):
                return self._take_back(RULES[3])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_5(one_stay):
                return self._take_back(RULES[4])
        for one_school in _distinct([self.schools[one["school_id"]] for one in changed_enrolments_2]):
            if self._breaks_rule_6(one_school):
                return self._take_back(RULES[5])
        for one_enrolment in _distinct(changed_enrolments_2):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [self.households[one["household_id"]] for one in changed_stays]
                        for user in self._people_by_household.get(one["id"], {}).values()
                    ]
                    for user in self._enrolments_by_child.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in self._people_by_household.get(stay["household_id"], {}).values()
                    for user in self._enrolments_by_child.get(one["id"], {}).values()
                ],
                *changed_enrolments,
                *changed_enrolments_2,
            ]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        for one_stay in _distinct([stay, *changed_stays]):
            if self._breaks_rule_12_s(one_stay):
                return self._take_back(RULES[11])
        for one_enrolment in _distinct(changed_enrolments_2):
            if self._breaks_rule_12_e(one_enrolment):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: move {self.households[stay['household_id']]['name']} into "
                f"{self.homes[stay['home_id']]['address']}."
            ),
            "data": self._changes(),
        }

    def change_end(self, stay_id: str, ends: Date) -> Result:
        """Let a stay end on another day.

        Args:
            stay_id (str): Id of the stay, such as STAY-00001.
            ends (str): New last day of the stay, not in the past, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stay = self.stays.get(stay_id)
        if stay is None:
            return _refused(f"There is no stay {stay_id!r}.")
        if not self._live(stay):
            return _refused(f"The stay of {self.households[stay['household_id']]['name']} is {stay['status']}.")
        if ends < self.now[:10] or ends < stay["starts"] or ends == stay["ends"]:
            return _refused(f"A stay that runs until {stay['ends']} cannot be set to {ends}.")
        if ends > self.homes[stay["home_id"]]["offered_until"]:
            return _refused(
                f"{self.homes[stay['home_id']]['address']} is offered until "
                f"{self.homes[stay['home_id']]['offered_until']}."
            )
        other = next(
            (
                s
                for s in sorted(self._stays_by_home.get(stay["home_id"], {}).values(), key=_age)
                if s is not stay
                and self._live(s)
                and _overlap(s["starts"], s["ends"], stay["starts"], ends)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.households[other['household_id']]['name']} has {self.homes[stay['home_id']]['address']} "
                f"from {other['starts']}."
            )
        own = next(
            (
                s
                for s in sorted(self._stays_by_household.get(stay["household_id"], {}).values(), key=_age)
                if s is not stay
                and self._live(s)
                and _overlap(s["starts"], s["ends"], stay["starts"], ends)
            ),
            None,
        )
        if own is not None:
            return _refused(f"{self.households[stay['household_id']]['name']} has another home from {own['starts']}.")
        self._journal = []
        self._put("stays", stay, "ends", ends)
        if self._breaks_rule_1(stay):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_5(stay):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: let the stay of {self.households[stay['household_id']]['name']} end on {ends}.",
            "data": self._changes(),
        }

    def cancel_stay(self, stay_id: str) -> Result:
        """Cancel a planned stay.

        Args:
            stay_id (str): Id of the stay, such as STAY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stay = self.stays.get(stay_id)
        if stay is None:
            return _refused(f"There is no stay {stay_id!r}.")
        if stay["status"] != "planned":
            return _refused(f"The stay of {self.households[stay['household_id']]['name']} is {stay['status']}.")
        self._journal = []
        self._put("stays", stay, "status", "cancelled")
        if self._breaks_rule_1(stay):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_s(stay):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(stay):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(stay):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(stay):
            return self._take_back(RULES[4])
        for one_enrolment in _distinct(
            [
                user
                for one in self._people_by_household.get(stay["household_id"], {}).values()
                for user in self._enrolments_by_child.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_12_s(stay):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel the stay planned for {self.households[stay['household_id']]['name']}.",
            "data": self._changes(),
        }

    def enrol_child(self, child_id: str, school_id: str) -> Result:
        """Enrol a child at a school of the district where it lives.

        Args:
            child_id (str): Person who goes to the school, without one so far; an id such as PERSON-00001.
            school_id (str): Id of the school, such as SCHOOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        child = self.people.get(child_id)
        if child is None:
            return _refused(f"There is no person {child_id!r}.")
        school = self.schools.get(school_id)
        if school is None:
            return _refused(f"There is no school {school_id!r}.")
        home = self._household_lives_in(self.households[child["household_id"]])
        if home is None:
            return _refused(f"{child['name']} has no home here yet.")
        if school["district_id"] != home["district_id"]:
            return _refused(
                f"{school['name']} is not in the district {self.districts[home['district_id']]['name']}, where "
                f"{child['name']} lives."
            )
        if not self._takes(school, child, self.now[:10]):
            return _refused(
                f"{school['name']} takes children from {school['from_age']} to {school['to_age']} and "
                f"{child['name']} is {_years(child['born'], self.now[:10])}."
            )
        there = self._current(child)
        if there is not None:
            return _refused(f"{child['name']} goes to {self.schools[there['school_id']]['name']}, so end that first.")
        if self._school_free(school) <= 0:
            return _refused(f"{school['name']} has no place left.")
        self._journal = []
        enrolment: Enrolment = {
            "id": self._new_id("enrolment", "ENROLMENT", self.enrolments),
            "child_id": child_id,
            "school_id": school_id,
            "by_bus": False,
            "started_on": self.now[:10],
            "ended_on": None,
        }
        self._add("enrolments", enrolment)
        if self._breaks_rule_6(self.schools[enrolment["school_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(enrolment):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(enrolment):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(enrolment):
            return self._take_back(RULES[8])
        if self._breaks_rule_12_e(enrolment):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: enrol {child['name']} at {school['name']} (new: enrolment {enrolment['id']}).",
            "data": {"enrolment_id": enrolment["id"], **self._changes()},
        }

    def end_enrolment(self, child_id: str) -> Result:
        """Take a child off the school where it goes.

        Args:
            child_id (str): Person who leaves the school; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        child = self.people.get(child_id)
        if child is None:
            return _refused(f"There is no person {child_id!r}.")
        there = self._current(child)
        if there is None:
            return _refused(f"{child['name']} goes to no school here.")
        self._journal = []
        self._put("enrolments", there, "ended_on", self.now[:10])
        if self._breaks_rule_6(self.schools[there["school_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(there):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(there):
            return self._take_back(RULES[7])
        if self._breaks_rule_12_e(there):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: end the enrolment of {child['name']}.", "data": self._changes()}

    def depart(self, household_id: str) -> Result:
        """Note that a household has left for good; its home, plans and school places become free.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if household["departed"]:
            return _refused(f"{household['name']} has departed already.")
        self._journal = []
        changed_stays: list[Any] = []
        changed_stays_2: list[Any] = []
        changed_enrolments: list[Any] = []
        for s in [
            s
            for s in sorted(self._stays_by_household.get(household_id, {}).values(), key=_age)
            if self._live(s)
        ]:
            if s["status"] == "running":
                changed_stays.append(s)
                self._put("stays", s, "ends", max(s["starts"], self.now[:10]))
                if s["status"] not in ("running", "over"):
                    return self._take_back(f"Stay {s['id']} cannot go from {s['status']} to over.")
                changed_stays_2.append(s)
                self._put("stays", s, "status", "over")
            else:
                if s["status"] not in ("planned", "cancelled"):
                    return self._take_back(f"Stay {s['id']} cannot go from {s['status']} to cancelled.")
                changed_stays_2.append(s)
                self._put("stays", s, "status", "cancelled")
        for e in [
            e
            for e in sorted(
                [
                    e
                    for _person in self._people_by_household.get(household_id, {}).values()
                    for e in self._enrolments_by_child.get(_person["id"], {}).values()
                ],
                key=_age,
            )
            if e["ended_on"] is None
        ]:
            changed_enrolments.append(e)
            self._put("enrolments", e, "ended_on", self.now[:10])
        former_caseworker_id = household["caseworker_id"]
        self._put("households", household, "caseworker_id", None)
        self._put("households", household, "departed", True)
        for one_stay in _distinct([*changed_stays, *changed_stays_2]):
            if self._breaks_rule_1(one_stay):
                return self._take_back(RULES[0])
        for one_stay in _distinct([*changed_stays, *changed_stays_2]):
            if self._breaks_rule_2_a(one_stay):
                return self._take_back(RULES[1])
        for one_stay in _distinct(changed_stays_2):
            if self._breaks_rule_2_s(one_stay):
                return self._take_back(RULES[1])
        for one_stay in _distinct(changed_stays_2):
            if self._breaks_rule_3(one_stay):
                return self._take_back(RULES[2])
        for one_stay in _distinct(changed_stays_2):
            if self._breaks_rule_4(one_stay):
                return self._take_back(RULES[3])
        for one_stay in _distinct([*changed_stays, *changed_stays_2]):
            if self._breaks_rule_5(one_stay):
                return self._take_back(RULES[4])
        for one_school in _distinct([self.schools[one["school_id"]] for one in changed_enrolments]):
            if self._breaks_rule_6(one_school):
                return self._take_back(RULES[5])
        for one_enrolment in _distinct(changed_enrolments):
            if self._breaks_rule_7(one_enrolment):
                return self._take_back(RULES[6])
        for one_enrolment in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [self.households[one["household_id"]] for one in changed_stays_2]
                        for user in self._people_by_household.get(one["id"], {}).values()
                    ]
                    for user in self._enrolments_by_child.get(one["id"], {}).values()
                ],
                *changed_enrolments,
            ]
        ):
            if self._breaks_rule_8(one_enrolment):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(household):
            return self._take_back(RULES[9])
        for one_caseworker in _distinct(
            [self.caseworkers.get(household["caseworker_id"]), self.caseworkers.get(former_caseworker_id)]
        ):
            if self._breaks_rule_11(one_caseworker):
                return self._take_back(RULES[10])
        for one_stay in _distinct([*changed_stays_2, *self._stays_by_household.get(household["id"], {}).values()]):
            if self._breaks_rule_12_s(one_stay):
                return self._take_back(RULES[11])
        for one_enrolment in _distinct(
            [
                *changed_enrolments,
                *[
                    user
                    for one in self._people_by_household.get(household["id"], {}).values()
                    for user in self._enrolments_by_child.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12_e(one_enrolment):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note that {household['name']} has departed.",
            "data": self._changes(),
        }

    def _show_caseworker(self, caseworker: Caseworker) -> dict[str, Any]:
        """The caseworker as an answer shows it."""
        return {**caseworker, "languages": [*caseworker["languages"]], "cases": self._caseworker_cases(caseworker)}

    def _show_household(self, household: Household) -> dict[str, Any]:
        """The household as an answer shows it."""
        return {
            **household,
            "size": self._household_size(household),
            "lives_in_id": _id_of(self._household_lives_in(household)),
        }

    def _show_person(self, person: Person) -> dict[str, Any]:
        """The person as an answer shows it."""
        return {**person, "school_id": _id_of(self._person_school(person))}

    def _show_school(self, school: School) -> dict[str, Any]:
        """The school as an answer shows it."""
        return {**school, "free": self._school_free(school)}

    def _names_of_homes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that homes point to."""
        return _names((self.districts, "name", [row["district_id"] for row in shown]))

    def _names_of_households(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that households point to."""
        return _names(
            (self.caseworkers, "name", [row["caseworker_id"] for row in shown]),
            (self.homes, "address", [row["lives_in_id"] for row in shown]),
        )

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names(
            (self.households, "name", [row["household_id"] for row in shown]),
            (self.schools, "name", [row["school_id"] for row in shown]),
        )

    def _names_of_stays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stays point to."""
        return _names(
            (self.households, "name", [row["household_id"] for row in shown]),
            (self.homes, "address", [row["home_id"] for row in shown]),
        )

    def _names_of_schools(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that schools point to."""
        return _names((self.districts, "name", [row["district_id"] for row in shown]))

    def _caseworker_cases(self, caseworker: Caseworker) -> int:
        """The cases of a caseworker."""
        return sum(1 for h in self._households_by_caseworker.get(caseworker["id"], {}).values() if not h["departed"])

    def _household_size(self, household: Household) -> int:
        """The size of a household."""
        return len(self._people_by_household.get(household["id"], {}))

    def _household_lives_in(self, household: Household) -> Home | None:
        """The lives in of a household."""
        return next(
            (
                self.homes[s["home_id"]]
                for s in sorted(
                    self._stays_by_household_status.get((household["id"], "running"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _person_school(self, person: Person) -> School | None:
        """The school of a person."""
        return next(
            (
                self.schools[e["school_id"]]
                for e in sorted(self._enrolments_by_child.get(person["id"], {}).values(), key=_age)
                if e["ended_on"] is None
            ),
            None,
        )

    def _school_free(self, school: School) -> int:
        """The free of a school."""
        return (
            school["places"]
            - sum(1 for e in self._enrolments_by_school.get(school["id"], {}).values() if e["ended_on"] is None)
        )

    def _live(self, s: Stay) -> bool:
        return s["status"] in ("planned", "running")

    def _taken(self, home: Home, a: str, b: str) -> Stay | None:
        return next(
            (
                s
                for s in sorted(self._stays_by_home.get(home["id"], {}).values(), key=_age)
                if self._live(s)
                and _overlap(s["starts"], s["ends"], a, b)
            ),
            None,
        )

    def _engaged(self, h: Household, a: str, b: str) -> Stay | None:
        return next(
            (
                s
                for s in sorted(self._stays_by_household.get(h["id"], {}).values(), key=_age)
                if self._live(s)
                and _overlap(s["starts"], s["ends"], a, b)
            ),
            None,
        )

    def _suits(self, home: Home, h: Household) -> bool:
        return home["beds"] >= self._household_size(h) and (home["step_free"] or not h["needs_step_free"])

    def _bookable(self, home: Home, a: str, b: str) -> bool:
        return home["offered_from"] <= a and b <= home["offered_until"] and self._taken(home, a, b) is None

    def _running_stay(self, h: Household) -> Stay | None:
        return next(
            (s for s in sorted(self._stays_by_household_status.get((h["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _current(self, c: Person) -> Enrolment | None:
        return next(
            (
                e
                for e in sorted(self._enrolments_by_child.get(c["id"], {}).values(), key=_age)
                if e["ended_on"] is None
            ),
            None,
        )

    def _near(self, e: Enrolment) -> bool:
        return (
            self._household_lives_in(self.households[self.people[e["child_id"]]["household_id"]]) is not None
            and self._household_lives_in(
                self.households[self.people[e["child_id"]]["household_id"]]
            )["district_id"] == self.schools[e["school_id"]]["district_id"]
        )

    def _takes(self, s: School, c: Person, d: str) -> bool:
        return s["from_age"] <= _years(c["born"], d) and _years(c["born"], d) <= s["to_age"]

    def _breaks_rule_1(self, a: Stay) -> bool:
        """Whether this is broken: a home has one household at a time."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._stays_by_home.get(a["home_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_2_a(self, a: Stay) -> bool:
        """Whether this is broken: a household has one home at a time."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._stays_by_household.get(a["household_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_2_s(self, s: Stay) -> bool:
        """Whether this is broken: a household has one home at a time."""
        return (
            s["status"] == "running"
            and any(
                other_s is not s
                for other_s in self._stays_by_household_status.get((s["household_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_3(self, s: Stay) -> bool:
        """Whether this is broken: everybody in a household has a bed."""
        return (
            self._live(s)
            and self.homes[s["home_id"]]["beds"] < self._household_size(self.households[s["household_id"]])
        )

    def _breaks_rule_4(self, s: Stay) -> bool:
        """Whether this is broken: households that cannot climb stairs live without steps."""
        return (
            self._live(s)
            and (not self.homes[s["home_id"]]["step_free"] and self.households[s["household_id"]]["needs_step_free"])
        )

    def _breaks_rule_5(self, s: Stay) -> bool:
        """Whether this is broken: a stay lies within the time for which the home is offered."""
        return (
            self._live(s)
            and (
                self.homes[s["home_id"]]["offered_from"] > s["starts"]
                or s["ends"] > self.homes[s["home_id"]]["offered_until"]
                or s["starts"] > s["ends"]
            )
        )

    def _breaks_rule_6(self, s: School) -> bool:
        """Whether this is broken: a school never has more children than places."""
        return self._school_free(s) < 0

    def _breaks_rule_7(self, e: Enrolment) -> bool:
        """Whether this is broken: a child goes to one school at a time."""
        return (
            e["ended_on"] is None
            and any(
                other_e is not e
                for other_e in self._enrolments_by_child.get(e["child_id"], {}).values()
                if other_e["ended_on"] is None
            )
        )

    def _breaks_rule_8(self, e: Enrolment) -> bool:
        """Whether this is broken: children go to school in the district where they live, unless a bus takes them."""
        return e["ended_on"] is None and not (e["by_bus"] or self._near(e))

    def _breaks_rule_9(self, e: Enrolment) -> bool:
        """Whether this is broken: a child starts at a school for its age."""
        return not self._takes(self.schools[e["school_id"]], self.people[e["child_id"]], e["started_on"])

    def _breaks_rule_10(self, h: Household) -> bool:
        """Whether this is broken: a caseworker speaks the language of their households."""
        return (
            h["caseworker_id"] is not None
            and h["language"] not in self.caseworkers[h["caseworker_id"]]["languages"]
        )

    def _breaks_rule_11(self, c: Caseworker) -> bool:
        """Whether this is broken: no caseworker has more households than they can look after."""
        return self._caseworker_cases(c) > c["most"]

    def _breaks_rule_12_s(self, s: Stay) -> bool:
        """Whether this is broken: a household that has departed has no home and no child at school here."""
        return self._live(s) and self.households[s["household_id"]]["departed"]

    def _breaks_rule_12_e(self, e: Enrolment) -> bool:
        """Whether this is broken: a household that has departed has no home and no child at school here."""
        return e["ended_on"] is None and self.households[self.people[e["child_id"]]["household_id"]]["departed"]

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
            case "homes":
                self._homes_by_address.setdefault(record["address"], {})[record["id"]] = record
            case "households":
                self._households_by_caseworker.setdefault(record["caseworker_id"], {})[record["id"]] = record
                self._households_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "people":
                self._people_by_household.setdefault(record["household_id"], {})[record["id"]] = record
                self._people_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "stays":
                self._stays_by_home.setdefault(record["home_id"], {})[record["id"]] = record
                self._stays_by_home_status.setdefault((record["home_id"], record["status"]), {})[record["id"]] = record
                self._stays_by_household.setdefault(record["household_id"], {})[record["id"]] = record
                self._stays_by_household_status.setdefault(
                    (record["household_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "enrolments":
                self._enrolments_by_child.setdefault(record["child_id"], {})[record["id"]] = record
                self._enrolments_by_school.setdefault(record["school_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "homes":
                del self._homes_by_address[record["address"]][record["id"]]
            case "households":
                del self._households_by_caseworker[record["caseworker_id"]][record["id"]]
                del self._households_by_name[record["name"]][record["id"]]
            case "people":
                del self._people_by_household[record["household_id"]][record["id"]]
                del self._people_by_name[record["name"]][record["id"]]
            case "stays":
                del self._stays_by_home[record["home_id"]][record["id"]]
                del self._stays_by_home_status[record["home_id"], record["status"]][record["id"]]
                del self._stays_by_household[record["household_id"]][record["id"]]
                del self._stays_by_household_status[record["household_id"], record["status"]][record["id"]]
            case "enrolments":
                del self._enrolments_by_child[record["child_id"]][record["id"]]
                del self._enrolments_by_school[record["school_id"]][record["id"]]
