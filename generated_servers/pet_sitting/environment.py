"""Pet sitting. Compiled from blueprint.yaml; run `envscaler build pet_sitting` after changing it there.

Finds sitters for the pets of a neighbourhood by what they can take, plans visits and overnight stays, knows who
holds which key, and settles reviews and payments.
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
    "A pet is minded by one sitter at a time.",
    "Sitters mind only animals they know, and give medicine only if they can.",
    "Pets that must stay at home are not boarded.",
    "Nobody boards more pets a night than they have beds for.",
    "Nobody makes more visits a day than they agreed to.",
    "Visits are made in streets that the sitter serves.",
    "Whoever makes visits holds a key of the house while the job is running.",
    "A visit is planned once.",
    "A job is reviewed once, after it was finished, for the sitter who did it.",
    "Only finished jobs are paid.",
    "Only jobs of visits have visits, on days of the job.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_job",
    "change_sitter",
    "extend_job",
    "end_early",
    "call_off_job",
    "hand_over_key",
    "start_job",
    "record_visit",
    "finish_job",
    "review_job",
    "pay_job",
    "set_sitter",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "owners": ("name",),
    "pets": ("name",),
    "sitters": ("name",),
    "jobs": (),
    "visits": (),
    "house_keys": ("tag",),
    "reviews": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("house_keys", "owner_id"),
    ("jobs", "kind"),
    ("jobs", "pet_id"),
    ("jobs", "sitter_id"),
    ("jobs", "status"),
    ("pets", "owner_id"),
    ("reviews", "job_id"),
    ("reviews", "sitter_id"),
    ("visits", "job_id"),
    ("visits", "outcome"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Owner(TypedDict):
    id: str
    name: str
    street: Literal["park_lane", "mill_road", "harbour_street", "station_hill"]
    credit: int


class Pet(TypedDict):
    id: str
    name: str
    owner_id: str
    species: Literal["dog", "cat", "rabbit", "parrot", "tortoise"]
    medicine: bool
    at_home_only: bool
    visits_a_day: int


class Sitter(TypedDict):
    id: str
    name: str
    species: list[Literal["dog", "cat", "rabbit", "parrot", "tortoise"]]
    gives_medicine: bool
    streets: list[Literal["park_lane", "mill_road", "harbour_street", "station_hill"]]
    beds: int
    visits_most: int
    fee_visit: int
    fee_night: int
    on_hold: bool


class Job(TypedDict):
    id: str
    pet_id: str
    sitter_id: str
    kind: Literal["visits", "boarding"]
    starts: str
    ends: str
    price: int
    paid: bool
    status: Literal["planned", "running", "called_off", "finished"]


class Visit(TypedDict):
    id: str
    job_id: str
    on: str
    number: int
    outcome: Literal["done", "missed"] | None


class HouseKey(TypedDict):
    id: str
    tag: str
    owner_id: str
    held_by_id: str | None


class Review(TypedDict):
    id: str
    job_id: str
    sitter_id: str
    stars: int
    said: str | None


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


def _mean(values: list[int]) -> Fraction | None:
    """The average, or None of nothing."""
    return Fraction(sum(values), len(values)) if values else None


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _dates(start: str, end: str) -> list[str]:
    """Every date from start until the day before end, at most 366."""
    return [_plus_days(start, days) for days in range(min(max(_days_between(start, end), 0), 366))]


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


class PetSitting:
    """Finds sitters for the pets of a neighbourhood by what they can take, plans visits and overnight
    stays, knows who holds which key, and settles reviews and payments.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.owners: dict[str, Owner] = _copied(config.get("owners", {}))
        self.pets: dict[str, Pet] = _copied(config.get("pets", {}))
        self.sitters: dict[str, Sitter] = _copied(config.get("sitters", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.house_keys: dict[str, HouseKey] = _copied(config.get("house_keys", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.now: str = config.get("now", "2026-07-15T17:00")
        self.counters: dict[str, int] = {
            "owner": len(self.owners),
            "pet": len(self.pets),
            "sitter": len(self.sitters),
            "job": len(self.jobs),
            "visit": len(self.visits),
            "house_key": len(self.house_keys),
            "review": len(self.reviews),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._pets_by_owner: dict[Any, dict[str, Pet]] = {}
        self._jobs_by_pet: dict[Any, dict[str, Job]] = {}
        self._jobs_by_pet_kind_status: dict[Any, dict[str, Job]] = {}
        self._jobs_by_sitter: dict[Any, dict[str, Job]] = {}
        self._jobs_by_sitter_kind: dict[Any, dict[str, Job]] = {}
        self._jobs_by_sitter_kind_status: dict[Any, dict[str, Job]] = {}
        self._jobs_by_sitter_status: dict[Any, dict[str, Job]] = {}
        self._visits_by_job: dict[Any, dict[str, Visit]] = {}
        self._visits_by_job_outcome: dict[Any, dict[str, Visit]] = {}
        self._house_keys_by_owner: dict[Any, dict[str, HouseKey]] = {}
        self._reviews_by_job: dict[Any, dict[str, Review]] = {}
        self._reviews_by_sitter: dict[Any, dict[str, Review]] = {}
        for pet in self.pets.values():
            self._link("pets", pet)
        for job in self.jobs.values():
            self._link("jobs", job)
        for visit in self.visits.values():
            self._link("visits", visit)
        for house_key in self.house_keys.values():
            self._link("house_keys", house_key)
        for review in self.reviews.values():
            self._link("reviews", review)

    def unpaid_jobs(
        self,
        sitter_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Finished jobs that were not paid, and whether the owner's credit is enough for them.

        Args:
            sitter_id (str, optional): Only jobs of this sitter; an id such as SITTER-00001. If left out, the jobs
                of all sitters are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        sitter = self.sitters.get(sitter_id) if sitter_id is not None else None
        if sitter_id is not None and sitter is None:
            return _refused(f"There is no sitter {sitter_id!r}.")
        found = [
            j
            for j in self.jobs.values()
            if (j["status"] == "finished" and not j["paid"])
            and (sitter_id is None or j["sitter_id"] == sitter_id)
        ]
        found.sort(key=lambda j: (j["ends"], self.pets[j["pet_id"]]["name"], _age(j)))
        return _found(
            {
                "total": len(found),
                "jobs": [
                    {
                        "id": j["id"],
                        "pet": self.pets[j["pet_id"]]["name"],
                        "owner": self.owners[self.pets[j["pet_id"]]["owner_id"]]["name"],
                        "sitter": self.sitters[j["sitter_id"]]["name"],
                        "price": j["price"],
                        "credit": self.owners[self.pets[j["pet_id"]]["owner_id"]]["credit"],
                    }
                    for j in _page(found, offset)
                ],
            }
        )

    def free_sitters(
        self,
        pet_id: str,
        kind: Literal["visits", "boarding"],
        starts: Date,
        ends: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sitters who could mind a pet in some days, the cheapest first.

        Args:
            pet_id (str): Id of the pet, such as PET-00001.
            kind (str): Whether visits or boarding are wanted: visits or boarding.
            starts (str): First day of visits, or first night of boarding, as YYYY-MM-DD.
            ends (str): Last day of visits, or day of return from boarding, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sitters": records}} or {"success": False, "error": why
                not}
        """
        pet = self.pets.get(pet_id)
        if pet is None:
            return _refused(f"There is no pet {pet_id!r}.")
        if starts >= ends or ends > _plus_days(starts, 30):
            return _refused(f"The last day must come after {starts}, by thirty days at most.")
        found = [
            s
            for s in self.sitters.values()
            if (self._can_mind(s, pet, kind) and self._has_room(s, pet, kind, starts, ends))
        ]
        found.sort(key=lambda s: (self._price_of(s, pet, kind, starts, ends), s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sitters": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "price": self._price_of(s, pet, kind, starts, ends),
                        "tenths_of_stars": self._sitter_stars(s),
                        "has_key": self._holds_key(s, self.owners[pet["owner_id"]]),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def visits_to_make(
        self,
        on: Date,
        sitter_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Visits of a day that have no outcome yet.

        Args:
            on (str): Day whose visits are listed, as YYYY-MM-DD.
            sitter_id (str, optional): Only visits of this sitter; an id such as SITTER-00001. If left out, the
                visits of all sitters are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}} or {"success": False, "error": why
                not}
        """
        sitter = self.sitters.get(sitter_id) if sitter_id is not None else None
        if sitter_id is not None and sitter is None:
            return _refused(f"There is no sitter {sitter_id!r}.")
        found = [
            v
            for v in self.visits.values()
            if (v["on"] == on and v["outcome"] is None)
            and (sitter_id is None or self.jobs[v["job_id"]]["sitter_id"] == sitter_id)
        ]
        found.sort(
            key=lambda v: (
                self.sitters[self.jobs[v["job_id"]]["sitter_id"]]["name"],
                self.pets[self.jobs[v["job_id"]]["pet_id"]]["name"],
                v["number"],
                _age(v),
            )
        )
        return _found(
            {
                "total": len(found),
                "visits": [
                    {
                        "id": v["id"],
                        "sitter": self.sitters[self.jobs[v["job_id"]]["sitter_id"]]["name"],
                        "pet": self.pets[self.jobs[v["job_id"]]["pet_id"]]["name"],
                        "number": v["number"],
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def list_owners(
        self,
        name: Text | None = None,
        street: Literal["park_lane", "mill_road", "harbour_street", "station_hill"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the owners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only owners whose name contains this text.
            street (str, optional): Only owners with this street.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "owners": records}}
        """
        found = [
            owner
            for owner in self.owners.values()
            if (name is None or name.casefold() in owner["name"].casefold())
            and (street is None or owner["street"] == street)
        ]
        return _found({"total": len(found), "owners": [{**owner} for owner in _page(found, offset)]})

    def list_pets(
        self,
        name: Text | None = None,
        owner_id: str | None = None,
        species: Literal["dog", "cat", "rabbit", "parrot", "tortoise"] | None = None,
        medicine: bool | None = None,
        at_home_only: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pets, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pets whose name contains this text.
            owner_id (str, optional): Only pets of this owner.
            species (str, optional): Only pets with this species.
            medicine (bool, optional): Only pets with this value of `medicine`.
            at_home_only (bool, optional): Only pets that are at home only (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pets": records}}
        """
        if owner_id is not None and owner_id not in self.owners:
            return _refused(f"There is no owner {owner_id!r}.")
        found = [
            pet
            for pet in self.pets.values()
            if (name is None or name.casefold() in pet["name"].casefold())
            and (owner_id is None or pet["owner_id"] == owner_id)
            and (species is None or pet["species"] == species)
            and (medicine is None or pet["medicine"] == medicine)
            and (at_home_only is None or pet["at_home_only"] == at_home_only)
        ]
        shown = [{**pet} for pet in _page(found, offset)]
        return _found({"total": len(found), "pets": shown}, self._names_of_pets(shown))

    def list_sitters(
        self,
        name: Text | None = None,
        gives_medicine: bool | None = None,
        on_hold: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sitters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sitters whose name contains this text.
            gives_medicine (bool, optional): Only sitters with this value of `gives_medicine`.
            on_hold (bool, optional): Only sitters that are on hold (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sitters": records}}
        """
        found = [
            sitter
            for sitter in self.sitters.values()
            if (name is None or name.casefold() in sitter["name"].casefold())
            and (gives_medicine is None or sitter["gives_medicine"] == gives_medicine)
            and (on_hold is None or sitter["on_hold"] == on_hold)
        ]
        return _found(
            {"total": len(found), "sitters": [self._show_sitter(sitter) for sitter in _page(found, offset)]}
        )

    def list_jobs(
        self,
        pet_id: str | None = None,
        sitter_id: str | None = None,
        kind: Literal["visits", "boarding"] | None = None,
        paid: bool | None = None,
        status: Literal["planned", "running", "called_off", "finished"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            pet_id (str, optional): Only jobs of this pet.
            sitter_id (str, optional): Only jobs of this sitter.
            kind (str, optional): Only jobs with this kind.
            paid (bool, optional): Only jobs that are paid (true) or not (false).
            status (str, optional): Only jobs with this status.
            starts_from (str, optional): Only jobs whose `starts` is on this day or later.
            starts_to (str, optional): Only jobs whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if pet_id is not None and pet_id not in self.pets:
            return _refused(f"There is no pet {pet_id!r}.")
        if sitter_id is not None and sitter_id not in self.sitters:
            return _refused(f"There is no sitter {sitter_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (pet_id is None or job["pet_id"] == pet_id)
            and (sitter_id is None or job["sitter_id"] == sitter_id)
            and (kind is None or job["kind"] == kind)
            and (paid is None or job["paid"] == paid)
            and (status is None or job["status"] == status)
            and (starts_from is None or job["starts"] >= starts_from)
            and (starts_to is None or job["starts"] <= starts_to)
        ]
        shown = [{**job} for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def list_visits(
        self,
        job_id: str | None = None,
        outcome: Literal["done", "missed"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only visits of this job.
            outcome (str, optional): Only visits with this outcome.
            on_from (str, optional): Only visits whose `on` is on this day or later.
            on_to (str, optional): Only visits whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (job_id is None or visit["job_id"] == job_id)
            and (outcome is None or visit["outcome"] == outcome)
            and (on_from is None or visit["on"] >= on_from)
            and (on_to is None or visit["on"] <= on_to)
        ]
        return _found({"total": len(found), "visits": [{**visit} for visit in _page(found, offset)]})

    def list_house_keys(
        self,
        tag: Text | None = None,
        owner_id: str | None = None,
        held_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the house keys, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only house keys whose tag contains this text.
            owner_id (str, optional): Only house keys of this owner.
            held_by_id (str, optional): Only house keys held by this sitter.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "house_keys": records}}
        """
        if owner_id is not None and owner_id not in self.owners:
            return _refused(f"There is no owner {owner_id!r}.")
        if held_by_id is not None and held_by_id not in self.sitters:
            return _refused(f"There is no sitter {held_by_id!r}.")
        found = [
            house_key
            for house_key in self.house_keys.values()
            if (tag is None or tag.casefold() in house_key["tag"].casefold())
            and (owner_id is None or house_key["owner_id"] == owner_id)
            and (held_by_id is None or house_key["held_by_id"] == held_by_id)
        ]
        shown = [{**house_key} for house_key in _page(found, offset)]
        return _found({"total": len(found), "house_keys": shown}, self._names_of_house_keys(shown))

    def list_reviews(
        self,
        job_id: str | None = None,
        sitter_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            job_id (str, optional): Only reviews of this job.
            sitter_id (str, optional): Only reviews of this sitter.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if job_id is not None and job_id not in self.jobs:
            return _refused(f"There is no job {job_id!r}.")
        if sitter_id is not None and sitter_id not in self.sitters:
            return _refused(f"There is no sitter {sitter_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (job_id is None or review["job_id"] == job_id)
            and (sitter_id is None or review["sitter_id"] == sitter_id)
        ]
        shown = [{**review} for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_job(
        self,
        pet_id: str,
        sitter_id: str,
        kind: Literal["visits", "boarding"],
        starts: Date,
        ends: Date,
    ) -> Result:
        """Book a sitter for a pet, for visits at home from the first to the last day or for boarding from the first
        night to the day of return.

        Args:
            pet_id (str): Id of the pet, such as PET-00001.
            sitter_id (str): Id of the sitter, such as SITTER-00001.
            kind (str): Whether the sitter visits the pet, or the pet boards with the sitter: visits or boarding.
            starts (str): First day of visits, or first night of boarding, as YYYY-MM-DD.
            ends (str): Last day of visits, or day of return from boarding, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pet = self.pets.get(pet_id)
        if pet is None:
            return _refused(f"There is no pet {pet_id!r}.")
        sitter = self.sitters.get(sitter_id)
        if sitter is None:
            return _refused(f"There is no sitter {sitter_id!r}.")
        if not ((self.now[:10] <= starts and starts < ends) and ends <= _plus_days(starts, 30)):
            return _refused("A job begins today or later and lasts one to thirty days.")
        if sitter["on_hold"]:
            return _refused(f"{sitter['name']} is on hold.")
        if pet["species"] not in sitter["species"]:
            return _refused(f"{sitter['name']} does not take a {pet['species']}.")
        if not sitter["gives_medicine"] and pet["medicine"]:
            return _refused(f"{pet['name']} needs medicine and {sitter['name']} gives none.")
        if kind != "visits" and pet["at_home_only"]:
            return _refused(f"{pet['name']} has to stay at home, so book visits.")
        if kind != "boarding" and self.owners[pet["owner_id"]]["street"] not in sitter["streets"]:
            return _refused(f"{sitter['name']} does not go to that street.")
        other = self._other_job(pet, starts, ends)
        if other is not None:
            return _refused(
                f"{self.sitters[other['sitter_id']]['name']} minds {pet['name']} from {other['starts']} to "
                f"{other['ends']}."
            )
        if not self._has_room(sitter, pet, kind, starts, ends):
            return _refused(f"{sitter['name']} is full on one of these days.")
        self._journal = []
        price = self._price_of(sitter, pet, kind, starts, ends)
        if not 0 <= price <= 500000:
            return self._take_back("The price of a job must be between 0.00 and 5,000.00.")
        job: Job = {
            "id": self._new_id("job", "JOB", self.jobs),
            "pet_id": pet_id,
            "sitter_id": sitter_id,
            "kind": kind,
            "starts": starts,
            "ends": ends,
            "price": price,
            "paid": False,
            "status": "planned",
        }
        self._add("jobs", job)
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(job):
            return self._take_back(RULES[2])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values()]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values()]):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: book {sitter['name']} for {pet['name']} from {starts} to {ends} (new: job {job['id']})."
            ),
            "data": {"job_id": job["id"], **self._changes()},
        }

    def change_sitter(self, job_id: str, sitter_id: str) -> Result:
        """Give a planned job to another sitter, at that sitter's price.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            sitter_id (str): Id of the sitter, such as SITTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        sitter = self.sitters.get(sitter_id)
        if sitter is None:
            return _refused(f"There is no sitter {sitter_id!r}.")
        if job["status"] != "planned":
            return _refused(f"That job is {job['status']}.")
        if job["sitter_id"] == sitter_id:
            return _refused(f"{sitter['name']} does it already.")
        if not self._can_mind(sitter, self.pets[job["pet_id"]], job["kind"]):
            return _refused(f"{sitter['name']} cannot take {self.pets[job['pet_id']]['name']} for {job['kind']}.")
        if not self._has_room(sitter, self.pets[job["pet_id"]], job["kind"], job["starts"], job["ends"]):
            return _refused(f"{sitter['name']} is full on one of these days.")
        self._journal = []
        price = self._price_of(sitter, self.pets[job["pet_id"]], job["kind"], job["starts"], job["ends"])
        if not 0 <= price <= 500000:
            return self._take_back(f"The price of {job['id']} must be between 0.00 and 5,000.00.")
        self._put("jobs", job, "price", price)
        former_sitter_id = job["sitter_id"]
        self._put("jobs", job, "sitter_id", sitter_id)
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        for one_job in _distinct(
            [
                job,
                *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values(),
                *self._jobs_by_sitter_kind.get((former_sitter_id, "boarding"), {}).values(),
            ]
        ):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct(
            [
                job,
                *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values(),
                *self._jobs_by_sitter_kind.get((former_sitter_id, "visits"), {}).values(),
            ]
        ):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        for one_review in _distinct(self._reviews_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_9_r_again(one_review):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: give {self.pets[job['pet_id']]['name']} to {sitter['name']}.",
            "data": self._changes(),
        }

    def extend_job(self, job_id: str, ends: Date) -> Result:
        """Let a job end later than planned; visits of the new days are listed where it is running.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            ends (str): New last day or day of return, later than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if not self._under_way(job):
            return _refused(f"That job is {job['status']}.")
        if job["ends"] >= ends or ends > _plus_days(job["starts"], 30):
            return _refused(f"A job is extended beyond {job['ends']} and to thirty days at most.")
        other = next(
            (
                j
                for j in sorted(self._jobs_by_pet.get(job["pet_id"], {}).values(), key=_age)
                if j is not job
                and self._under_way(j)
                and j["starts"] <= ends
                and job["starts"] <= j["ends"]
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.sitters[other['sitter_id']]['name']} minds {self.pets[job['pet_id']]['name']} from "
                f"{other['starts']}."
            )
        if not self._has_room(
            self.sitters[job["sitter_id"]],
            self.pets[job["pet_id"]],
            job["kind"],
            job["ends"] if job["kind"] == "boarding" else _plus_days(job["ends"], 1),
            ends,
        ):
            return _refused(f"{self.sitters[job['sitter_id']]['name']} is full on one of the new days.")
        self._journal = []
        added_visits: list[Any] = []
        if job["status"] == "running" and job["kind"] == "visits":
            for d in list(_dates(_plus_days(job["ends"], 1), _plus_days(ends, 1))):
                for n in list(_numbers(1, self.pets[job["pet_id"]]["visits_a_day"] + 1)):
                    if not 1 <= n <= 3:
                        return self._take_back("The number of a visit must be between 1 and 3.")
                    visit = {
                        "id": self._new_id("visit", "VISIT", self.visits),
                        "job_id": job_id,
                        "on": d,
                        "number": n,
                        "outcome": None,
                    }
                    self._add("visits", visit)
                    added_visits.append(visit)
        price = (
            job["price"]
            + (
                self.sitters[job["sitter_id"]]["fee_night"] * _days_between(job["ends"], ends)
                if job["kind"] == "boarding"
                else self.sitters[
                    job["sitter_id"]
                ]["fee_visit"] * self.pets[job["pet_id"]]["visits_a_day"] * _days_between(job["ends"], ends)
            )
        )
        if not 0 <= price <= 500000:
            return self._take_back(f"The price of {job['id']} must be between 0.00 and 5,000.00.")
        self._put("jobs", job, "price", price)
        self._put("jobs", job, "ends", ends)
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values()]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values()]):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        for one_visit in _distinct([*added_visits, *self._visits_by_job.get(job["id"], {}).values()]):
            if self._breaks_rule_11(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: extend the job for {self.pets[job['pet_id']]['name']} to {ends}.",
            "data": self._changes(),
        }

    def end_early(self, job_id: str) -> Result:
        """End a running job today because the owner is back; only the days up to today are charged.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "running":
            return _refused(f"That job is {job['status']}.")
        if job["starts"] >= self.now[:10] or self.now[:10] >= job["ends"]:
            return _refused(f"That job runs from {job['starts']} to {job['ends']}, so there is nothing to shorten.")
        self._journal = []
        deleted_visits: list[Any] = []
        for v in [
            v
            for v in sorted(self._visits_by_job.get(job_id, {}).values(), key=_age)
            if v["on"] > self.now[:10]
        ]:
            if v["id"] in self.visits:
                self._remove("visits", v)
            deleted_visits.append(v)
        price = self._price_of(
            self.sitters[job["sitter_id"]],
            self.pets[job["pet_id"]],
            job["kind"],
            job["starts"],
            self.now[:10],
        )
        if not 0 <= price <= 500000:
            return self._take_back(f"The price of {job['id']} must be between 0.00 and 5,000.00.")
        self._put("jobs", job, "price", price)
        self._put("jobs", job, "ends", self.now[:10])
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values()]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values()]):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        for one_visit in _distinct(self._visits_by_job.get(job["id"], {}).values()):
            if one_visit["id"] in self.visits and self._breaks_rule_11(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: end the job for {self.pets[job['pet_id']]['name']} early.",
            "data": self._changes(),
        }

    def call_off_job(self, job_id: str) -> Result:
        """Call a planned job off.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "planned":
            return _refused(f"That job is {job['status']}.")
        self._journal = []
        self._put("jobs", job, "status", "called_off")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values()]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values()]):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        for one_review in _distinct(self._reviews_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_9_r_again(one_review):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: call off the job for {self.pets[job['pet_id']]['name']}.",
            "data": self._changes(),
        }

    def hand_over_key(self, house_key_id: str, sitter_id: str | None = None) -> Result:
        """Note that a sitter has taken a key, or, without a sitter, that the key is back with the owner.

        Args:
            house_key_id (str): Id of the house key, such as HK-00001.
            sitter_id (str, optional): Sitter who has taken the key; an id such as SITTER-00001. If left out, the
                key is back with the owner.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        house_key = self.house_keys.get(house_key_id)
        if house_key is None:
            return _refused(f"There is no house key {house_key_id!r}.")
        sitter = self.sitters.get(sitter_id) if sitter_id is not None else None
        if sitter_id is not None and sitter is None:
            return _refused(f"There is no sitter {sitter_id!r}.")
        if house_key["held_by_id"] == sitter_id:
            return _refused(f"That is where key {house_key['tag']} is.")
        needed = next(
            (
                j
                for j in sorted(
                    self._jobs_by_sitter_kind_status.get((house_key["held_by_id"], "visits", "running"), {}).values(),
                    key=_age,
                )
                if house_key["held_by_id"] is not None
                and self.pets[j["pet_id"]]["owner_id"] == house_key["owner_id"]
            ),
            None,
        )
        if not (
            needed is None
            or any(
                k["held_by_id"] == house_key["held_by_id"]
                and k is not house_key
                for k in self._house_keys_by_owner.get(house_key["owner_id"], {}).values()
            )
        ):
            return _refused(
                f"{self.sitters[needed['sitter_id']]['name']} still needs key {house_key['tag']} for "
                f"{self.pets[needed['pet_id']]['name']}."
            )
        self._journal = []
        self._put("house_keys", house_key, "held_by_id", sitter_id)
        for one_job in _distinct(
            [
                user
                for one in self._pets_by_owner.get(house_key["owner_id"], {}).values()
                for user in self._jobs_by_pet_kind_status.get((one["id"], "visits", "running"), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: note where key {house_key['tag']} is.", "data": self._changes()}

    def start_job(self, job_id: str) -> Result:
        """Start a job on its first day or later; visits need a key of the house and are listed day by day.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "planned":
            return _refused(f"That job is {job['status']}.")
        if job["starts"] > self.now[:10]:
            return _refused(f"That job begins on {job['starts']}.")
        if not (
            job["kind"] == "boarding"
            or self._holds_key(self.sitters[job["sitter_id"]], self.owners[self.pets[job["pet_id"]]["owner_id"]])
        ):
            return _refused(
                f"{self.sitters[job['sitter_id']]['name']} has no key of "
                f"{self.owners[self.pets[job['pet_id']]['owner_id']]['name']}'s house."
            )
        self._journal = []
        added_visits: list[Any] = []
        if job["kind"] == "visits":
            for d in list(_dates(job["starts"], _plus_days(job["ends"], 1))):
                for n in list(_numbers(1, self.pets[job["pet_id"]]["visits_a_day"] + 1)):
                    if not 1 <= n <= 3:
                        return self._take_back("The number of a visit must be between 1 and 3.")
                    visit = {
                        "id": self._new_id("visit", "VISIT", self.visits),
                        "job_id": job_id,
                        "on": d,
                        "number": n,
                        "outcome": None,
                    }
                    self._add("visits", visit)
                    added_visits.append(visit)
        self._put("jobs", job, "status", "running")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values()]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values()]):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_8(one_visit):
                return self._take_back(RULES[7])
        for one_review in _distinct(self._reviews_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_9_r_again(one_review):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_11(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: start the job for {self.pets[job['pet_id']]['name']}.",
            "data": self._changes(),
        }

    def record_visit(self, visit_id: str, outcome: Literal["done", "missed"]) -> Result:
        """Record that a visit was made or missed.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            outcome (str): Whether the visit was made or missed: done or missed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["outcome"] is not None:
            return _refused(f"That visit was {visit['outcome']}.")
        if visit["on"] > self.now[:10]:
            return _refused(f"That visit is only on {visit['on']}.")
        self._journal = []
        self._put("visits", visit, "outcome", outcome)
        return {
            "success": True,
            "message": f"Done: record visit {visit['number']} of {visit['on']}.",
            "data": self._changes(),
        }

    def finish_job(self, job_id: str) -> Result:
        """Finish a running job on its last day or later; every missed visit is taken off the price.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "running":
            return _refused(f"That job is {job['status']}.")
        if job["ends"] > self.now[:10]:
            return _refused(f"That job runs until {job['ends']}.")
        self._journal = []
        for v in [v for v in sorted(self._visits_by_job.get(job_id, {}).values(), key=_age) if v["outcome"] is None]:
            self._put("visits", v, "outcome", "done")
        price = max(
            0,
            job["price"] - self.sitters[job["sitter_id"]]["fee_visit"] * len(
                self._visits_by_job_outcome.get((job_id, "missed"), {})
            ),
        )
        if not 0 <= price <= 500000:
            return self._take_back(f"The price of {job['id']} must be between 0.00 and 5,000.00.")
        self._put("jobs", job, "price", price)
        self._put("jobs", job, "status", "finished")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "boarding"), {}).values()]):
            if self._breaks_rule_4(one_job):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *self._jobs_by_sitter_kind.get((job["sitter_id"], "visits"), {}).values()]):
            if self._breaks_rule_5(one_job):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        for one_review in _distinct(self._reviews_by_job.get(job["id"], {}).values()):
            if self._breaks_rule_9_r_again(one_review):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: finish the job for {self.pets[job['pet_id']]['name']}.",
            "data": self._changes(),
        }

    def review_job(
        self,
        job_id: str,
        stars: Annotated[int, {"minimum": 1, "maximum": 5}],
        said: Text | None = None,
    ) -> Result:
        """Note what the owner thinks of a finished job.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            stars (int): Stars that the owner gives, more being better, from 1 to 5.
            said (str, optional): What the owner says about the job. If left out, no words are noted.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "finished":
            return _refused(f"That job is {job['status']}.")
        if self._reviews_by_job.get(job_id, {}):
            return _refused("That job was reviewed.")
        self._journal = []
        review: Review = {
            "id": self._new_id("review", "REVIEW", self.reviews),
            "job_id": job_id,
            "sitter_id": job["sitter_id"],
            "stars": stars,
            "said": said,
        }
        self._add("reviews", review)
        if self._breaks_rule_9_r(review):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_r_again(review):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: review {self.sitters[job['sitter_id']]['name']} with {stars} stars (new: review "
                f"{review['id']})."
            ),
            "data": {"review_id": review["id"], **self._changes()},
        }

    def pay_job(self, job_id: str, in_cash: Annotated[int, {"minimum": 0, "maximum": 500000}] = 0) -> Result:
        """Pay a finished job, out of the owner's credit as far as it goes.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            in_cash (int): Part paid in cash, the owner's credit paying the rest, in cents, from 0 to 500000.
                Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] != "finished" or job["paid"]:
            return _refused(f"That job is {job['status']} or paid already.")
        if in_cash + self.owners[self.pets[job["pet_id"]]["owner_id"]]["credit"] < job["price"]:
            return _refused(
                f"{self.owners[self.pets[job['pet_id']]['owner_id']]['name']} has a credit of "
                f"{_money(self.owners[self.pets[job['pet_id']]['owner_id']]['credit'])} and the job costs "
                f"{_money(job['price'])}."
            )
        if in_cash > job["price"]:
            return _refused(f"The job costs only {_money(job['price'])}.")
        self._journal = []
        owner = self.owners[self.pets[job["pet_id"]]["owner_id"]]
        credit = self.owners[self.pets[job["pet_id"]]["owner_id"]]["credit"] - (job["price"] - in_cash)
        if not 0 <= credit <= 500000:
            return self._take_back(f"The credit of {owner['name']} must be between 0.00 and 5,000.00.")
        self._put("owners", owner, "credit", credit)
        self._put("jobs", job, "paid", True)
        if self._breaks_rule_10(job):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: pay {self.sitters[job['sitter_id']]['name']} for {self.pets[job['pet_id']]['name']}.",
            "data": self._changes(),
        }

    def set_sitter(self, sitter_id: str, on_hold: bool | None = None, gives_medicine: bool | None = None) -> Result:
        """Put a sitter on hold or back to work, and change whether they give medicine.

        Args:
            sitter_id (str): Id of the sitter, such as SITTER-00001.
            on_hold (bool, optional): Whether the sitter is on hold and gets no jobs. If left out, it stays as it
                is.
            gives_medicine (bool, optional): Whether the sitter gives medicine to pets. If left out, it stays as it
                is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitter = self.sitters.get(sitter_id)
        if sitter is None:
            return _refused(f"There is no sitter {sitter_id!r}.")
        if on_hold is None and gives_medicine is None:
            return _refused("Say what has changed.")
        needing = next(
            (
                j
                for j in sorted(self._jobs_by_sitter.get(sitter_id, {}).values(), key=_age)
                if self._under_way(j)
                and self.pets[j["pet_id"]]["medicine"]
            ),
            None,
        )
        if not (gives_medicine is None or gives_medicine or needing is None):
            return _refused(
                f"{sitter['name']} has {self.pets[needing['pet_id']]['name']}, who needs medicine, so give that "
                "job to somebody else."
            )
        if not (on_hold is None or not on_hold or not self._jobs_by_sitter_status.get((sitter_id, "planned"), {})):
            return _refused(f"{sitter['name']} has jobs planned, so give those to somebody else first.")
        self._journal = []
        changed_sitters: list[Any] = []
        if on_hold is not None:
            self._put("sitters", sitter, "on_hold", on_hold)
        if gives_medicine is not None:
            changed_sitters.append(sitter)
            self._put("sitters", sitter, "gives_medicine", gives_medicine)
        for one_job in _distinct(
            [user for one in changed_sitters for user in self._jobs_by_sitter.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: change what is known of {sitter['name']}.",
            "data": self._changes(),
        }

    def _show_sitter(self, sitter: Sitter) -> dict[str, Any]:
        """The sitter as an answer shows it."""
        return {
            **sitter,
            "species": [*sitter["species"]],
            "streets": [*sitter["streets"]],
            "stars": self._sitter_stars(sitter),
        }

    def _names_of_pets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pets point to."""
        return _names((self.owners, "name", [row["owner_id"] for row in shown]))

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.pets, "name", [row["pet_id"] for row in shown]),
            (self.sitters, "name", [row["sitter_id"] for row in shown]),
        )

    def _names_of_house_keys(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that house keys point to."""
        return _names(
            (self.owners, "name", [row["owner_id"] for row in shown]),
            (self.sitters, "name", [row["held_by_id"] for row in shown]),
        )

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names((self.sitters, "name", [row["sitter_id"] for row in shown]))

    def _sitter_stars(self, sitter: Sitter) -> int:
        """The stars of a sitter."""
        return _rounded(
            (
                _mean([r["stars"] for r in self._reviews_by_sitter.get(sitter["id"], {}).values()])
                if _mean([r["stars"] for r in self._reviews_by_sitter.get(sitter["id"], {}).values()]) is not None
                else Fraction(0, 1)
            ) * 10
        )

    def _under_way(self, j: Job) -> bool:
        return j["status"] in ("planned", "running")

    def _boarded(self, s: Sitter, d: str) -> int:
        return sum(
            1
            for j in self._jobs_by_sitter_kind.get((s["id"], "boarding"), {}).values()
            if self._under_way(j)
            and (j["starts"] <= d and d < j["ends"])
        )

    def _walks(self, s: Sitter, d: str) -> int:
        return sum(
            self.pets[j["pet_id"]]["visits_a_day"]
            for j in self._jobs_by_sitter_kind.get((s["id"], "visits"), {}).values()
            if self._under_way(j)
            and (j["starts"] <= d and d <= j["ends"])
        )

    def _can_mind(self, s: Sitter, p: Pet, kind: str) -> bool:
        return (
            not s["on_hold"]
            and p["species"] in s["species"]
            and (s["gives_medicine"] or not p["medicine"])
            and (
                s["beds"] > 0
                and not p["at_home_only"]
                if kind == "boarding"
                else self.owners[p["owner_id"]]["street"] in s["streets"]
            )
        )

    def _has_room(self, s: Sitter, p: Pet, kind: str, a: str, b: str) -> bool:
        return (
            all(self._boarded(s, d) < s["beds"] for d in _dates(a, b))
            if kind == "boarding"
            else all(self._walks(s, d) + p["visits_a_day"] <= s["visits_most"] for d in _dates(a, _plus_days(b, 1)))
        )

    def _price_of(self, s: Sitter, p: Pet, kind: str, a: str, b: str) -> int:
        return (
            s["fee_night"] * _days_between(a, b)
            if kind == "boarding"
            else s["fee_visit"] * p["visits_a_day"] * (_days_between(a, b) + 1)
        )

    def _holds_key(self, s: Sitter, o: Owner) -> bool:
        return any(k["held_by_id"] == s["id"] for k in self._house_keys_by_owner.get(o["id"], {}).values())

    def _other_job(self, p: Pet, a: str, b: str) -> Job | None:
        return next(
            (
                j
                for j in sorted(self._jobs_by_pet.get(p["id"], {}).values(), key=_age)
                if self._under_way(j)
                and j["starts"] <= b
                and a <= j["ends"]
            ),
            None,
        )

    def _breaks_rule_1(self, a: Job) -> bool:
        """Whether this is broken: a pet is minded by one sitter at a time."""
        return (
            self._under_way(a)
            and any(
                a["ends"] >= b["starts"]
                and b["ends"] >= a["starts"]
                for b in self._jobs_by_pet.get(a["pet_id"], {}).values()
                if a is not b
                and self._under_way(b)
            )
        )

    def _breaks_rule_2(self, j: Job) -> bool:
        """Whether this is broken: sitters mind only animals they know, and give medicine only if they can."""
        return (
            self._under_way(j)
            and not (
                self.pets[j["pet_id"]]["species"] in self.sitters[j["sitter_id"]]["species"]
                and (self.sitters[j["sitter_id"]]["gives_medicine"] or not self.pets[j["pet_id"]]["medicine"])
            )
        )

    def _breaks_rule_3(self, j: Job) -> bool:
        """Whether this is broken: pets that must stay at home are not boarded."""
        return j["kind"] == "boarding" and self.pets[j["pet_id"]]["at_home_only"]

    def _breaks_rule_4(self, j: Job) -> bool:
        """Whether this is broken: nobody boards more pets a night than they have beds for."""
        return (
            j["kind"] == "boarding"
            and self._under_way(j)
            and not all(
                sum(
                    1
                    for o in self._jobs_by_sitter_kind.get((j["sitter_id"], "boarding"), {}).values()
                    if self._under_way(o)
                    and (o["starts"] <= d and d < o["ends"])
                ) <= self.sitters[j["sitter_id"]]["beds"]
                for d in _dates(j["starts"], j["ends"])
            )
        )

    def _breaks_rule_5(self, j: Job) -> bool:
        """Whether this is broken: nobody makes more visits a day than they agreed to."""
        return (
            j["kind"] == "visits"
            and self._under_way(j)
            and not all(
                sum(
                    self.pets[o["pet_id"]]["visits_a_day"]
                    for o in self._jobs_by_sitter_kind.get((j["sitter_id"], "visits"), {}).values()
                    if self._under_way(o)
                    and (o["starts"] <= d and d <= o["ends"])
                ) <= self.sitters[j["sitter_id"]]["visits_most"]
                for d in _dates(j["starts"], _plus_days(j["ends"], 1))
            )
        )

    def _breaks_rule_6(self, j: Job) -> bool:
        """Whether this is broken: visits are made in streets that the sitter serves."""
        return (
            self._under_way(j)
            and (
                j["kind"] == "visits"
                and self.owners[
                    self.pets[j["pet_id"]]["owner_id"]
                ]["street"] not in self.sitters[j["sitter_id"]]["streets"]
            )
        )

    def _breaks_rule_7(self, j: Job) -> bool:
        """Whether this is broken: whoever makes visits holds a key of the house while the job is running."""
        return (
            j["status"] == "running"
            and j["kind"] == "visits"
            and not any(
                k["held_by_id"] == j["sitter_id"]
                for k in self._house_keys_by_owner.get(self.pets[j["pet_id"]]["owner_id"], {}).values()
            )
        )

    def _breaks_rule_8(self, v: Visit) -> bool:
        """Whether this is broken: a visit is planned once."""
        return any(
            other_v is not v
            for other_v in self._visits_by_job.get(v["job_id"], {}).values()
            if other_v["on"] == v["on"]
            and other_v["number"] == v["number"]
        )

    def _breaks_rule_9_r(self, r: Review) -> bool:
        """Whether this is broken: a job is reviewed once, after it was finished, for the sitter who did it."""
        return any(other_r is not r for other_r in self._reviews_by_job.get(r["job_id"], {}).values())

    def _breaks_rule_9_r_again(self, r: Review) -> bool:
        """Whether this is broken: a job is reviewed once, after it was finished, for the sitter who did it."""
        return self.jobs[r["job_id"]]["status"] != "finished" or r["sitter_id"] != self.jobs[r["job_id"]]["sitter_id"]

    def _breaks_rule_10(self, j: Job) -> bool:
        """Whether this is broken: only finished jobs are paid."""
        return j["paid"] and j["status"] != "finished"

    def _breaks_rule_11(self, v: Visit) -> bool:
        """Whether this is broken: only jobs of visits have visits, on days of the job."""
        return not (
            self.jobs[v["job_id"]]["kind"] == "visits"
            and (self.jobs[v["job_id"]]["starts"] <= v["on"] and v["on"] <= self.jobs[v["job_id"]]["ends"])
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
            case "pets":
                self._pets_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
            case "jobs":
                self._jobs_by_pet.setdefault(record["pet_id"], {})[record["id"]] = record
                self._jobs_by_pet_kind_status.setdefault(
                    (record["pet_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._jobs_by_sitter.setdefault(record["sitter_id"], {})[record["id"]] = record
                self._jobs_by_sitter_kind.setdefault((record["sitter_id"], record["kind"]), {})[record["id"]] = record
                self._jobs_by_sitter_kind_status.setdefault(
                    (record["sitter_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._jobs_by_sitter_status.setdefault((record["sitter_id"], record["status"]), {})[record["id"]] = record
            case "visits":
                self._visits_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._visits_by_job_outcome.setdefault((record["job_id"], record["outcome"]), {})[record["id"]] = record
            case "house_keys":
                self._house_keys_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
            case "reviews":
                self._reviews_by_job.setdefault(record["job_id"], {})[record["id"]] = record
                self._reviews_by_sitter.setdefault(record["sitter_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "pets":
                del self._pets_by_owner[record["owner_id"]][record["id"]]
            case "jobs":
                del self._jobs_by_pet[record["pet_id"]][record["id"]]
                del self._jobs_by_pet_kind_status[record["pet_id"], record["kind"], record["status"]][record["id"]]
                del self._jobs_by_sitter[record["sitter_id"]][record["id"]]
                del self._jobs_by_sitter_kind[record["sitter_id"], record["kind"]][record["id"]]
                del self._jobs_by_sitter_kind_status[record["sitter_id"], record["kind"], record["status"]][record["id"]]
                del self._jobs_by_sitter_status[record["sitter_id"], record["status"]][record["id"]]
            case "visits":
                del self._visits_by_job[record["job_id"]][record["id"]]
                del self._visits_by_job_outcome[record["job_id"], record["outcome"]][record["id"]]
            case "house_keys":
                del self._house_keys_by_owner[record["owner_id"]][record["id"]]
            case "reviews":
                del self._reviews_by_job[record["job_id"]][record["id"]]
                del self._reviews_by_sitter[record["sitter_id"]][record["id"]]
