"""Animal shelter. Compiled from blueprint.yaml; run `envscaler build animal_shelter` after changing it there.

Houses dogs and cats in kennels and foster homes, keeps companions together, waits for the owners of strays, and
gives treated animals to adopters whose homes were seen.
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
    "An animal in care is in a kennel or in a foster home, and one that has left is in neither.",
    "A kennel never holds more than its space.",
    "Dogs live in the dogs' wing and cats in the cats' wing, unless they are in isolation.",
    "Infectious animals are in isolation, and nobody else is.",
    "Animals share a kennel only with their companion, or as sociable cats.",
    "Companions are companions of each other.",
    "Companions live in the same place unless one of them is infectious.",
    "A foster home takes animals of its kind and no more than it has places.",
    "An animal is treated once in each way.",
    "Nobody applies for a stray before its owner has had the days to come.",
    "An animal has one open application at a time.",
    "An adopter has one open application at a time.",
    "Whoever applies for an animal applies for its companion too.",
    "An animal goes to no household with anybody it is bad with.",
    "An application that was turned down says why.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_in",
    "move_animal",
    "pair_animals",
    "record_treatment",
    "isolate_animal",
    "end_isolation",
    "reclaim_animal",
    "end_care",
    "record_home_check",
    "apply_for",
    "complete_adoption",
    "close_application",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "kennels": ("label",),
    "staff": ("name",),
    "foster_homes": ("name",),
    "animals": ("name",),
    "treatments": (),
    "adopters": ("name",),
    "home_checks": (),
    "applications": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("animals", "companion_id"),
    ("animals", "foster_id"),
    ("animals", "kennel_id"),
    ("animals", "name"),
    ("applications", "adopter_id"),
    ("applications", "animal_ids"),
    ("applications", "status"),
    ("home_checks", "adopter_id"),
    ("treatments", "animal_id"),
    ("treatments", "kind"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Kennel(TypedDict):
    id: str
    label: str
    wing: Literal["dogs", "cats", "isolation"]
    space: int


class Staff(TypedDict):
    id: str
    name: str
    work: Literal["vet", "home_visitor"]


class FosterHome(TypedDict):
    id: str
    name: str
    species: Literal["dog", "cat"]
    places: int


class Animal(TypedDict):
    id: str
    name: str
    species: Literal["dog", "cat"]
    size: Literal["small", "medium", "large"]
    origin: Literal["stray", "surrendered"]
    sociable: bool
    bad_with: list[Literal["dogs", "cats", "children"]]
    arrived_on: str
    hold_until: str
    price: int
    infectious: bool
    companion_id: str | None
    kennel_id: str | None
    foster_id: str | None
    status: Literal["in_care", "adopted", "reclaimed", "died", "transferred"]


class Treatment(TypedDict):
    id: str
    animal_id: str
    kind: Literal["vaccination", "chip", "neutering"]
    vet_id: str


class Adopter(TypedDict):
    id: str
    name: str
    household: list[Literal["dogs", "cats", "children"]]


class HomeCheck(TypedDict):
    id: str
    adopter_id: str
    visitor_id: str
    visited_on: str
    passed: bool


class Application(TypedDict):
    id: str
    adopter_id: str
    animal_ids: list[str]
    made_on: str
    donation: int
    refusal: str | None
    status: Literal["open", "adopted", "closed"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class AnimalShelter:
    """Houses dogs and cats in kennels and foster homes, keeps companions together, waits for the owners of
    strays, and gives treated animals to adopters whose homes were seen.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.kennels: dict[str, Kennel] = _copied(config.get("kennels", {}))
        self.staff: dict[str, Staff] = _copied(config.get("staff", {}))
        self.foster_homes: dict[str, FosterHome] = _copied(config.get("foster_homes", {}))
        self.animals: dict[str, Animal] = _copied(config.get("animals", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.adopters: dict[str, Adopter] = _copied(config.get("adopters", {}))
        self.home_checks: dict[str, HomeCheck] = _copied(config.get("home_checks", {}))
        self.applications: dict[str, Application] = _copied(config.get("applications", {}))
        self.now: str = config.get("now", "2026-05-12T09:15")
        self.counters: dict[str, int] = {
            "kennel": len(self.kennels),
            "staff": len(self.staff),
            "foster_home": len(self.foster_homes),
            "animal": len(self.animals),
            "treatment": len(self.treatments),
            "adopter": len(self.adopters),
            "home_check": len(self.home_checks),
            "application": len(self.applications),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._animals_by_companion: dict[Any, dict[str, Animal]] = {}
        self._animals_by_foster: dict[Any, dict[str, Animal]] = {}
        self._animals_by_kennel: dict[Any, dict[str, Animal]] = {}
        self._animals_by_name: dict[Any, dict[str, Animal]] = {}
        self._treatments_by_animal: dict[Any, dict[str, Treatment]] = {}
        self._treatments_by_animal_kind: dict[Any, dict[str, Treatment]] = {}
        self._home_checks_by_adopter: dict[Any, dict[str, HomeCheck]] = {}
        self._applications_by_adopter_status: dict[Any, dict[str, Application]] = {}
        self._applications_by_animals: dict[Any, dict[str, Application]] = {}
        self._applications_by_status: dict[Any, dict[str, Application]] = {}
        for animal in self.animals.values():
            self._link("animals", animal)
        for treatment in self.treatments.values():
            self._link("treatments", treatment)
        for home_check in self.home_checks.values():
            self._link("home_checks", home_check)
        for application in self.applications.values():
            self._link("applications", application)

    def adoptable(
        self,
        species: Literal["dog", "cat"] | None = None,
        adopter_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Animals for whom somebody may apply, those who have waited longest first.

        Args:
            species (str, optional): Only animals of this species: dog or cat. If left out, animals of both species
                are listed.
            adopter_id (str, optional): Only animals that suit the household of this adopter; an id such as
                ADOPTER-00001. If left out, it does not narrow the list.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "animals": records}} or {"success": False, "error": why
                not}
        """
        adopter = self.adopters.get(adopter_id) if adopter_id is not None else None
        if adopter_id is not None and adopter is None:
            return _refused(f"There is no adopter {adopter_id!r}.")
        found = [
            a
            for a in self.animals.values()
            if (a["status"] == "in_care" and a["hold_until"] < self.now[:10] and self._applied(a) is None)
            and (species is None or a["species"] == species)
            and (adopter_id is None or not any(b in adopter["household"] for b in a["bad_with"]))
        ]
        found.sort(key=lambda a: (a["arrived_on"], a["name"], _age(a)))
        shown = [
            {
                "id": a["id"],
                "name": a["name"],
                "arrived_on": a["arrived_on"],
                "treated": self._animal_treated(a),
                "companion": a["companion_id"],
            }
            for a in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "animals": shown},
            _names((self.animals, "name", [row["companion"] for row in shown])),
        )

    def home_record(self, adopter_id: str) -> Result:
        """What is known of an adopter's home checks, and whether they may take an animal home.

        Args:
            adopter_id (str): Id of the adopter, such as ADOPTER-00001.

        Returns:
            dict: {"success": True, "data": {approved, checks, last_visit}} or {"success": False, "error": why not}
        """
        adopter = self.adopters.get(adopter_id)
        if adopter is None:
            return _refused(f"There is no adopter {adopter_id!r}.")
        return _found(
            {
                "approved": self._approved(adopter, self.now[:10]),
                "checks": len(self._home_checks_by_adopter.get(adopter_id, {})),
                "last_visit": max(
                    (h["visited_on"] for h in self._home_checks_by_adopter.get(adopter_id, {}).values()),
                    default=None,
                ),
            }
        )

    def list_kennels(
        self,
        label: Text | None = None,
        wing: Literal["dogs", "cats", "isolation"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kennels, oldest first, all of them or only some.

        Args:
            label (str, optional): Only kennels whose label contains this text.
            wing (str, optional): Only kennels with this wing.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kennels": records}}
        """
        found = [
            kennel
            for kennel in self.kennels.values()
            if (label is None or label.casefold() in kennel["label"].casefold())
            and (wing is None or kennel["wing"] == wing)
        ]
        return _found(
            {"total": len(found), "kennels": [self._show_kennel(kennel) for kennel in _page(found, offset)]}
        )

    def list_staff(
        self,
        name: Text | None = None,
        work: Literal["vet", "home_visitor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the staff, oldest first, all of them or only some.

        Args:
            name (str, optional): Only staff whose name contains this text.
            work (str, optional): Only staff with this work.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "staff": records}}
        """
        found = [
            staff
            for staff in self.staff.values()
            if (name is None or name.casefold() in staff["name"].casefold())
            and (work is None or staff["work"] == work)
        ]
        return _found({"total": len(found), "staff": [{**staff} for staff in _page(found, offset)]})

    def list_foster_homes(
        self,
        name: Text | None = None,
        species: Literal["dog", "cat"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the foster homes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only foster homes whose name contains this text.
            species (str, optional): Only foster homes with this species.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "foster_homes": records}}
        """
        found = [
            foster_home
            for foster_home in self.foster_homes.values()
            if (name is None or name.casefold() in foster_home["name"].casefold())
            and (species is None or foster_home["species"] == species)
        ]
        return _found(
            {
                "total": len(found),
                "foster_homes": [self._show_foster_home(foster_home) for foster_home in _page(found, offset)],
            }
        )

    def list_animals(
        self,
        name: Text | None = None,
        species: Literal["dog", "cat"] | None = None,
        size: Literal["small", "medium", "large"] | None = None,
        origin: Literal["stray", "surrendered"] | None = None,
        sociable: bool | None = None,
        infectious: bool | None = None,
        companion_id: str | None = None,
        kennel_id: str | None = None,
        foster_id: str | None = None,
        status: Literal["in_care", "adopted", "reclaimed", "died", "transferred"] | None = None,
        arrived_on_from: Date | None = None,
        arrived_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the animals, oldest first, all of them or only some.

        Args:
            name (str, optional): Only animals whose name contains this text.
            species (str, optional): Only animals with this species.
            size (str, optional): Only animals with this size.
            origin (str, optional): Only animals with this origin.
            sociable (bool, optional): Only animals that are sociable (true) or not (false).
            infectious (bool, optional): Only animals that are infectious (true) or not (false).
            companion_id (str, optional): Only animals whose companion is this animal.
            kennel_id (str, optional): Only animals of this kennel.
            foster_id (str, optional): Only animals whose foster is this foster home.
            status (str, optional): Only animals with this status.
            arrived_on_from (str, optional): Only animals whose `arrived_on` is on this day or later.
            arrived_on_to (str, optional): Only animals whose `arrived_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "animals": records}}
        """
        if companion_id is not None and companion_id not in self.animals:
            return _refused(f"There is no animal {companion_id!r}.")
        if kennel_id is not None and kennel_id not in self.kennels:
            return _refused(f"There is no kennel {kennel_id!r}.")
        if foster_id is not None and foster_id not in self.foster_homes:
            return _refused(f"There is no foster home {foster_id!r}.")
        found = [
            animal
            for animal in self.animals.values()
            if (name is None or name.casefold() in animal["name"].casefold())
            and (species is None or animal["species"] == species)
            and (size is None or animal["size"] == size)
            and (origin is None or animal["origin"] == origin)
            and (sociable is None or animal["sociable"] == sociable)
            and (infectious is None or animal["infectious"] == infectious)
            and (companion_id is None or animal["companion_id"] == companion_id)
            and (kennel_id is None or animal["kennel_id"] == kennel_id)
            and (foster_id is None or animal["foster_id"] == foster_id)
            and (status is None or animal["status"] == status)
            and (arrived_on_from is None or animal["arrived_on"] >= arrived_on_from)
            and (arrived_on_to is None or animal["arrived_on"] <= arrived_on_to)
        ]
        shown = [self._show_animal(animal) for animal in _page(found, offset)]
        return _found({"total": len(found), "animals": shown}, self._names_of_animals(shown))

    def list_treatments(
        self,
        animal_id: str | None = None,
        kind: Literal["vaccination", "chip", "neutering"] | None = None,
        vet_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            animal_id (str, optional): Only treatments of this animal.
            kind (str, optional): Only treatments with this kind.
            vet_id (str, optional): Only treatments whose vet is this staff.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        if animal_id is not None and animal_id not in self.animals:
            return _refused(f"There is no animal {animal_id!r}.")
        if vet_id is not None and vet_id not in self.staff:
            return _refused(f"There is no staff {vet_id!r}.")
        found = [
            treatment
            for treatment in self.treatments.values()
            if (animal_id is None or treatment["animal_id"] == animal_id)
            and (kind is None or treatment["kind"] == kind)
            and (vet_id is None or treatment["vet_id"] == vet_id)
        ]
        shown = [{**treatment} for treatment in _page(found, offset)]
        return _found({"total": len(found), "treatments": shown}, self._names_of_treatments(shown))

    def list_adopters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the adopters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only adopters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "adopters": records}}
        """
        found = [
            adopter
            for adopter in self.adopters.values()
            if (name is None or name.casefold() in adopter["name"].casefold())
        ]
        return _found(
            {"total": len(found), "adopters": [self._show_adopter(adopter) for adopter in _page(found, offset)]}
        )

    def list_home_checks(
        self,
        adopter_id: str | None = None,
        visitor_id: str | None = None,
        passed: bool | None = None,
        visited_on_from: Date | None = None,
        visited_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the home checks, oldest first, all of them or only some.

        Args:
            adopter_id (str, optional): Only home checks of this adopter.
            visitor_id (str, optional): Only home checks whose visitor is this staff.
            passed (bool, optional): Only home checks with this value of `passed`.
            visited_on_from (str, optional): Only home checks whose `visited_on` is on this day or later.
            visited_on_to (str, optional): Only home checks whose `visited_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "home_checks": records}}
        """
        if adopter_id is not None and adopter_id not in self.adopters:
            return _refused(f"There is no adopter {adopter_id!r}.")
        if visitor_id is not None and visitor_id not in self.staff:
            return _refused(f"There is no staff {visitor_id!r}.")
        found = [
            home_check
            for home_check in self.home_checks.values()
            if (adopter_id is None or home_check["adopter_id"] == adopter_id)
            and (visitor_id is None or home_check["visitor_id"] == visitor_id)
            and (passed is None or home_check["passed"] == passed)
            and (visited_on_from is None or home_check["visited_on"] >= visited_on_from)
            and (visited_on_to is None or home_check["visited_on"] <= visited_on_to)
        ]
        shown = [{**home_check} for home_check in _page(found, offset)]
        return _found({"total": len(found), "home_checks": shown}, self._names_of_home_checks(shown))

    def list_applications(
        self,
        adopter_id: str | None = None,
        status: Literal["open", "adopted", "closed"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applications, oldest first, all of them or only some.

        Args:
            adopter_id (str, optional): Only applications of this adopter.
            status (str, optional): Only applications with this status.
            made_on_from (str, optional): Only applications whose `made_on` is on this day or later.
            made_on_to (str, optional): Only applications whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}}
        """
        if adopter_id is not None and adopter_id not in self.adopters:
            return _refused(f"There is no adopter {adopter_id!r}.")
        found = [
            application
            for application in self.applications.values()
            if (adopter_id is None or application["adopter_id"] == adopter_id)
            and (status is None or application["status"] == status)
            and (made_on_from is None or application["made_on"] >= made_on_from)
            and (made_on_to is None or application["made_on"] <= made_on_to)
        ]
        shown = [self._show_application(application) for application in _page(found, offset)]
        return _found({"total": len(found), "applications": shown}, self._names_of_applications(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_in(
        self,
        name: Text,
        species: Literal["dog", "cat"],
        size: Literal["small", "medium", "large"],
        origin: Literal["stray", "surrendered"],
        sociable: bool,
        kennel_id: str,
        bad_with: Annotated[list[Literal["dogs", "cats", "children"]], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Take an animal in; a stray is kept for its owner for seven days.

        Args:
            name (str): Name of the animal, not in use yet.
            species (str): Kind of animal, which must suit the wing of the kennel: dog or cat.
            size (str): Size of the animal, which sets the kennel space it needs: small, medium or large.
            origin (str): Whether it was found as a stray or surrendered by its owner: stray or surrendered.
            sociable (bool): Whether it gets on with others of its kind.
            kennel_id (str): Id of the kennel, such as KENNEL-00001.
            bad_with (list): Whom the animal does not get on with, each once: dogs, cats or children. May be left
                out.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bad_with = bad_with or []
        kennel = self.kennels.get(kennel_id)
        if kennel is None:
            return _refused(f"There is no kennel {kennel_id!r}.")
        if self._animals_by_name.get(name, {}):
            return _refused(f"There was an animal called {name} before, so find another name.")
        if not _different([b for b in bad_with]):
            return _refused("Name each only once.")
        if kennel["wing"] != ("dogs" if species == "dog" else "cats"):
            return _refused(f"{kennel['label']} is not for a {species}.")
        needed = 3 if size == "large" else 2 if size == "medium" else 1
        if self._kennel_used(kennel) + needed > kennel["space"]:
            return _refused(
                f"{kennel['label']} has space for {kennel['space'] - self._kennel_used(kennel)} more and {name} "
                f"needs {needed}."
            )
        alone = next(
            (
                b
                for b in sorted(self._animals_by_kennel.get(kennel_id, {}).values(), key=_age)
                if not (species == "cat" and sociable and b["sociable"])
            ),
            None,
        )
        if alone is not None:
            return _refused(f"{alone['name']} is in {kennel['label']} and would not share it.")
        self._journal = []
        animal: Animal = {
            "id": self._new_id("animal", "ANIMAL", self.animals),
            "name": name,
            "species": species,
            "size": size,
            "origin": origin,
            "sociable": sociable,
            "bad_with": [*bad_with],
            "arrived_on": self.now[:10],
            "hold_until": _plus_days(self.now[:10], 7) if origin == "stray" else _plus_days(self.now[:10], -1),
            "price": 24000 if species == "dog" else 11000,
            "infectious": False,
            "companion_id": None,
            "kennel_id": kennel_id,
            "foster_id": None,
            "status": "in_care",
        }
        self._add("animals", animal)
        if len(self._animals_by_name.get(animal["name"], {})) > 1:
            return self._take_back(f"There is already an animal with the name {animal['name']!r}.")
        if self._breaks_rule_1(animal):
            return self._take_back(RULES[0])
        for one_kennel in _distinct([self.kennels.get(animal["kennel_id"])]):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(animal):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(animal):
            return self._take_back(RULES[6])
        for one_foster_home in _distinct([self.foster_homes.get(animal["foster_id"])]):
            if self._breaks_rule_8_f(one_foster_home):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take in {name} at {kennel['label']} (new: animal {animal['id']}).",
            "data": {"animal_id": animal["id"], **self._changes()},
        }

    def move_animal(self, animal_id: str, kennel_id: str | None = None, home_id: str | None = None) -> Result:
        """Move an animal, and the companion who lives with it, to another kennel or to a foster home.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            kennel_id (str, optional): Kennel that it moves to, unless a foster home is named; an id such as
                KENNEL-00001. If left out, a foster home must be named.
            home_id (str, optional): Foster home that it moves to, unless a kennel is named; an id such as
                FH-00001. If left out, a kennel must be named.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        kennel = self.kennels.get(kennel_id) if kennel_id is not None else None
        if kennel_id is not None and kennel is None:
            return _refused(f"There is no kennel {kennel_id!r}.")
        home = self.foster_homes.get(home_id) if home_id is not None else None
        if home_id is not None and home is None:
            return _refused(f"There is no foster home {home_id!r}.")
        if animal["status"] != "in_care":
            return _refused(f"{animal['name']} is {animal['status']}.")
        if animal["infectious"]:
            return _refused(f"{animal['name']} is infectious and stays in isolation.")
        if (kennel_id is None) == (home_id is None):
            return _refused("Name either a kennel or a foster home.")
        if kennel_id is not None and animal["kennel_id"] == kennel_id:
            return _refused(f"{animal['name']} is in {kennel['label']} already.")
        if kennel_id is not None and kennel["wing"] != ("dogs" if animal["species"] == "dog" else "cats"):
            return _refused(f"{kennel['label']} is in the wing {kennel['wing']}.")
        if not (kennel_id is None or self._room_for(kennel, animal)):
            return _refused(
                f"{kennel['label']} has space for {kennel['space'] - self._kennel_used(kennel)} more only."
            )
        odd = next(
            (
                b
                for b in sorted(self._animals_by_kennel.get(kennel_id, {}).values(), key=_age)
                if kennel_id is not None
                and any(not self._friends(t, b) for t in self._travelling(animal))
            ),
            None,
        )
        if odd is not None:
            return _refused(f"{odd['name']} is in that kennel and would not share it.")
        if home_id is not None and animal["foster_id"] is not None:
            return _refused(f"{animal['name']} is in a foster home, so bring it back to a kennel first.")
        if not (home_id is None or not any(b["infectious"] for b in self._group(animal))):
            return _refused(f"The companion of {animal['name']} is infectious.")
        if home_id is not None and home["species"] != animal["species"]:
            return _refused(f"{home['name']} takes no {animal['species']}.")
        if home_id is not None and self._foster_home_guests(home) + len(self._group(animal)) > home["places"]:
            return _refused(
                f"{home['name']} has {home['places'] - self._foster_home_guests(home)} places left and "
                f"{len(self._group(animal))} would come."
            )
        self._journal = []
        changed_animals: list[Any] = []
        former_foster_ids: list[Any] = []
        changed_animals_2: list[Any] = []
        former_kennel_ids: list[Any] = []
        for t in list(self._travelling(animal)):
            changed_animals.append(t)
            former_foster_ids.append(t["foster_id"])
            self._put("animals", t, "foster_id", home_id)
            changed_animals_2.append(t)
            former_kennel_ids.append(t["kennel_id"])
            self._put("animals", t, "kennel_id", kennel_id)
        for one_animal in _distinct([*changed_animals, *changed_animals_2]):
            if self._breaks_rule_1(one_animal):
                return self._take_back(RULES[0])
        for one_kennel in _distinct(
            [
                *[self.kennels.get(one["kennel_id"]) for one in changed_animals_2],
                *[self.kennels.get(key) for key in former_kennel_ids],
            ]
        ):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        for one_animal in _distinct(changed_animals_2):
            if self._breaks_rule_3(one_animal):
                return self._take_back(RULES[2])
        for one_animal in _distinct(changed_animals_2):
            if self._breaks_rule_4(one_animal):
                return self._take_back(RULES[3])
        for one_animal in _distinct(changed_animals_2):
            if self._breaks_rule_5_a(one_animal):
                return self._take_back(RULES[4])
        for one_animal in _distinct(changed_animals_2):
            if self._breaks_rule_5_b(one_animal):
                return self._take_back(RULES[4])
        for one_animal in _distinct(
            [
                *changed_animals,
                *[user for one in changed_animals for user in self._animals_by_companion.get(one["id"], {}).values()],
                *changed_animals_2,
                *[
                    user
                    for one in changed_animals_2
                    for user in self._animals_by_companion.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        for one_foster_home in _distinct(
            [
                *[self.foster_homes.get(one["foster_id"]) for one in changed_animals],
                *[self.foster_homes.get(key) for key in former_foster_ids],
            ]
        ):
            if self._breaks_rule_8_f(one_foster_home):
                return self._take_back(RULES[7])
        for one_animal in _distinct(changed_animals):
            if self._breaks_rule_8_a(one_animal):
                return self._take_back(RULES[7])
        done = f"move {animal['name']}"
        if kennel is not None:
            done += f" to {kennel['label']}"
        if home is not None:
            done += f" to {home['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def pair_animals(self, animal_id: str, companion_id: str) -> Result:
        """Make two animals companions; the second moves in with the first.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            companion_id (str): Animal of the same species that moves in with the first; an id such as
                ANIMAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        companion = self.animals.get(companion_id)
        if companion is None:
            return _refused(f"There is no animal {companion_id!r}.")
        if animal is companion or animal["species"] != companion["species"]:
            return _refused("Companions are two dogs or two cats.")
        if animal["companion_id"] is not None or companion["companion_id"] is not None:
            return _refused("One of the two has a companion already.")
        if (
            animal["status"] != "in_care"
            or companion["status"] != "in_care"
            or animal["infectious"]
            or companion["infectious"]
        ):
            return _refused("Both have to be here and healthy.")
        if animal["kennel_id"] is None or companion["kennel_id"] is None:
            return _refused("One of the two is in a foster home.")
        if self._applied(animal) is not None or self._applied(companion) is not None:
            return _refused("Somebody has applied for one of them.")
        other = next(
            (
                b
                for b in sorted(self._animals_by_kennel.get(animal["kennel_id"], {}).values(), key=_age)
                if b is not animal
                and b is not companion
                and not self._friends(companion, b)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{other['name']} is in {self.kennels[animal['kennel_id']]['label']} too and would not share it "
                f"with {companion['name']}."
            )
        if (
            companion["kennel_id"] != animal["kennel_id"]
            and self._kennel_used(
                self.kennels[animal["kennel_id"]]
            ) + self._animal_space(companion) > self.kennels[animal["kennel_id"]]["space"]
        ):
            return _refused(f"{self.kennels[animal['kennel_id']]['label']} is too small for both.")
        self._journal = []
        former_kennel_id = companion["kennel_id"]
        self._put("animals", companion, "kennel_id", animal["kennel_id"])
        self._put("animals", animal, "companion_id", companion_id)
        self._put("animals", companion, "companion_id", animal_id)
        if self._breaks_rule_1(companion):
            return self._take_back(RULES[0])
        for one_kennel in _distinct([self.kennels.get(companion["kennel_id"]), self.kennels.get(former_kennel_id)]):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(companion):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(companion):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(companion):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(companion):
            return self._take_back(RULES[4])
        for one_animal in _distinct(
            [
                animal,
                companion,
                *self._animals_by_companion.get(animal["id"], {}).values(),
                *self._animals_by_companion.get(companion["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_animal):
                return self._take_back(RULES[5])
        for one_animal in _distinct(
            [companion, animal, *self._animals_by_companion.get(companion["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        for one_application in _distinct(
            [
                *self._applications_by_animals.get(animal["id"], {}).values(),
                *self._applications_by_animals.get(companion["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_13(one_application):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: make {animal['name']} and {companion['name']} companions.",
            "data": self._changes(),
        }

    def record_treatment(
        self,
        animal_id: str,
        kind: Literal["vaccination", "chip", "neutering"],
        vet_id: str,
    ) -> Result:
        """Record that a vet vaccinated, chipped or neutered an animal.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            kind (str): Treatment that was given, each kind once for an animal: vaccination, chip or neutering.
            vet_id (str): Member of staff, a vet, who gave it; an id such as STAFF-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        vet = self.staff.get(vet_id)
        if vet is None:
            return _refused(f"There is no staff {vet_id!r}.")
        if animal["status"] != "in_care":
            return _refused(f"{animal['name']} is {animal['status']}.")
        if vet["work"] != "vet":
            return _refused(f"{vet['name']} is not a vet.")
        if self._treatments_by_animal_kind.get((animal_id, kind), {}):
            return _refused(f"The {kind} of {animal['name']} was done already.")
        if kind == "neutering" and animal["infectious"]:
            return _refused(f"{animal['name']} is infectious and cannot be operated on.")
        if kind == "neutering" and self.now[:10] <= animal["hold_until"]:
            return _refused(
                f"{animal['name']} may be claimed until {animal['hold_until']} and is not neutered before."
            )
        self._journal = []
        treatment: Treatment = {
            "id": self._new_id("treatment", "TREATMENT", self.treatments),
            "animal_id": animal_id,
            "kind": kind,
            "vet_id": vet_id,
        }
        self._add("treatments", treatment)
        if self._breaks_rule_9(treatment):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: record {kind} of {animal['name']} by {vet['name']} (new: treatment {treatment['id']})."
            ),
            "data": {"treatment_id": treatment["id"], **self._changes()},
        }

    def isolate_animal(self, animal_id: str, kennel_id: str) -> Result:
        """Put an infectious animal, from here or from a foster home, into an empty kennel of the isolation wing,
        without its companion.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            kennel_id (str): Id of the kennel, such as KENNEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        kennel = self.kennels.get(kennel_id)
        if kennel is None:
            return _refused(f"There is no kennel {kennel_id!r}.")
        if animal["status"] != "in_care":
            return _refused(f"{animal['name']} is {animal['status']}.")
        if animal["infectious"]:
            return _refused(f"{animal['name']} is in isolation already.")
        if kennel["wing"] != "isolation":
            return _refused(f"{kennel['label']} is not in the isolation wing.")
        if self._animals_by_kennel.get(kennel_id, {}):
            return _refused(f"{kennel['label']} is taken.")
        if self._animal_space(animal) > kennel["space"]:
            return _refused(f"{kennel['label']} is too small for {animal['name']}.")
        self._journal = []
        self._put("animals", animal, "infectious", True)
        former_foster_id = animal["foster_id"]
        self._put("animals", animal, "foster_id", None)
        former_kennel_id = animal["kennel_id"]
        self._put("animals", animal, "kennel_id", kennel_id)
        if self._breaks_rule_1(animal):
            return self._take_back(RULES[0])
        for one_kennel in _distinct([self.kennels.get(animal["kennel_id"]), self.kennels.get(former_kennel_id)]):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(animal):
            return self._take_back(RULES[4])
        for one_animal in _distinct([animal, *self._animals_by_companion.get(animal["id"], {}).values()]):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        for one_foster_home in _distinct(
            [self.foster_homes.get(animal["foster_id"]), self.foster_homes.get(former_foster_id)]
        ):
            if self._breaks_rule_8_f(one_foster_home):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: isolate {animal['name']} in {kennel['label']}.",
            "data": self._changes(),
        }

    def end_isolation(self, animal_id: str, kennel_id: str) -> Result:
        """Let a healthy animal out of isolation, to its companion if it has one.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            kennel_id (str): Id of the kennel, such as KENNEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        kennel = self.kennels.get(kennel_id)
        if kennel is None:
            return _refused(f"There is no kennel {kennel_id!r}.")
        if not animal["infectious"]:
            return _refused(f"{animal['name']} is not in isolation.")
        if kennel["wing"] != ("dogs" if animal["species"] == "dog" else "cats"):
            return _refused(f"{kennel['label']} is in the wing {kennel['wing']}.")
        if (
            animal["companion_id"] is not None
            and not self.animals[animal["companion_id"]]["infectious"]
            and self.animals[animal["companion_id"]]["kennel_id"] != kennel_id
        ):
            return _refused(f"{animal['name']} goes back to its companion.")
        if self._kennel_used(kennel) + self._animal_space(animal) > kennel["space"]:
            return _refused(
                f"{kennel['label']} has space for {kennel['space'] - self._kennel_used(kennel)} more only."
            )
        odd = self._stranger(kennel, animal)
        if odd is not None:
            return _refused(f"{odd['name']} is in {kennel['label']} and would not share it.")
        self._journal = []
        self._put("animals", animal, "infectious", False)
        former_kennel_id = animal["kennel_id"]
        self._put("animals", animal, "kennel_id", kennel_id)
        if self._breaks_rule_1(animal):
            return self._take_back(RULES[0])
        for one_kennel in _distinct([self.kennels.get(animal["kennel_id"]), self.kennels.get(former_kennel_id)]):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(animal):
            return self._take_back(RULES[4])
        for one_animal in _distinct([animal, *self._animals_by_companion.get(animal["id"], {}).values()]):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: let {animal['name']} out of isolation to {kennel['label']}.",
            "data": self._changes(),
        }

    def reclaim_animal(self, animal_id: str) -> Result:
        """Give a stray back to its owner within its holding days.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        if animal["status"] != "in_care":
            return _refused(f"{animal['name']} is {animal['status']}.")
        if animal["origin"] != "stray":
            return _refused(f"{animal['name']} was surrendered by its owner.")
        if self.now[:10] > animal["hold_until"]:
            return _refused(f"{animal['name']} could be claimed until {animal['hold_until']}.")
        self._journal = []
        changed_animals: list[Any] = []
        if animal["companion_id"] is not None:
            left_behind = self.animals[animal["companion_id"]]
            changed_animals.append(left_behind)
            self._put("animals", left_behind, "companion_id", None)
            changed_animals.append(animal)
            self._put("animals", animal, "companion_id", None)
        self._put("animals", animal, "infectious", False)
        former_kennel_id = animal["kennel_id"]
        self._put("animals", animal, "kennel_id", None)
        former_foster_id = animal["foster_id"]
        self._put("animals", animal, "foster_id", None)
        self._put("animals", animal, "status", "reclaimed")
        if self._breaks_rule_1(animal):
            return self._take_back(RULES[0])
        for one_kennel in _distinct([self.kennels.get(animal["kennel_id"]), self.kennels.get(former_kennel_id)]):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        for one_animal in _distinct([animal, *changed_animals]):
            if self._breaks_rule_5_a(one_animal):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_b(animal):
            return self._take_back(RULES[4])
        for one_animal in _distinct(
            [
                *changed_animals,
                *[user for one in changed_animals for user in self._animals_by_companion.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6(one_animal):
                return self._take_back(RULES[5])
        for one_animal in _distinct(
            [animal, *changed_animals, *self._animals_by_companion.get(animal["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        for one_foster_home in _distinct(
            [self.foster_homes.get(animal["foster_id"]), self.foster_homes.get(former_foster_id)]
        ):
            if self._breaks_rule_8_f(one_foster_home):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        for one_application in _distinct(
            [user for one in changed_animals for user in self._applications_by_animals.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_13(one_application):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: give {animal['name']} back to the owner.",
            "data": self._changes(),
        }

    def end_care(self, animal_id: str, outcome: Literal["died", "transferred"]) -> Result:
        """Note that an animal died or was put to sleep, or went to another shelter.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            outcome (str): Whether it died or went to another shelter: died or transferred.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        if animal["status"] != "in_care":
            return _refused(f"{animal['name']} is {animal['status']}.")
        if self._applied(animal) is not None:
            return _refused(f"Somebody has applied for {animal['name']}, so close that application first.")
        if outcome != "died" and animal["infectious"]:
            return _refused(f"{animal['name']} is infectious and stays in isolation.")
        if outcome != "died" and self.now[:10] <= animal["hold_until"]:
            return _refused(f"{animal['name']} may be claimed until {animal['hold_until']} and stays until then.")
        if outcome != "died" and animal["companion_id"] is not None:
            return _refused(f"{animal['name']} has a companion, and those two are not parted.")
        self._journal = []
        changed_animals: list[Any] = []
        if animal["companion_id"] is not None:
            left_behind = self.animals[animal["companion_id"]]
            changed_animals.append(left_behind)
            self._put("animals", left_behind, "companion_id", None)
            changed_animals.append(animal)
            self._put("animals", animal, "companion_id", None)
        self._put("animals", animal, "infectious", False)
        former_kennel_id = animal["kennel_id"]
        self._put("animals", animal, "kennel_id", None)
        former_foster_id = animal["foster_id"]
        self._put("animals", animal, "foster_id", None)
        self._put("animals", animal, "status", outcome)
        if self._breaks_rule_1(animal):
            return self._take_back(RULES[0])
        for one_kennel in _distinct([self.kennels.get(animal["kennel_id"]), self.kennels.get(former_kennel_id)]):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        for one_animal in _distinct([animal, *changed_animals]):
            if self._breaks_rule_5_a(one_animal):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_b(animal):
            return self._take_back(RULES[4])
        for one_animal in _distinct(
            [
                *changed_animals,
                *[user for one in changed_animals for user in self._animals_by_companion.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_6(one_animal):
                return self._take_back(RULES[5])
        for one_animal in _distinct(
            [animal, *changed_animals, *self._animals_by_companion.get(animal["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        for one_foster_home in _distinct(
            [self.foster_homes.get(animal["foster_id"]), self.foster_homes.get(former_foster_id)]
        ):
            if self._breaks_rule_8_f(one_foster_home):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        for one_application in _distinct(
            [user for one in changed_animals for user in self._applications_by_animals.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_13(one_application):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: note that {animal['name']} {outcome}.", "data": self._changes()}

    def record_home_check(self, adopter_id: str, visitor_id: str, passed: bool) -> Result:
        """Record what a home visitor found at an adopter's.

        Args:
            adopter_id (str): Id of the adopter, such as ADOPTER-00001.
            visitor_id (str): Home visitor of the staff who went there; an id such as STAFF-00001.
            passed (bool): Whether the home suits an animal.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        adopter = self.adopters.get(adopter_id)
        if adopter is None:
            return _refused(f"There is no adopter {adopter_id!r}.")
        visitor = self.staff.get(visitor_id)
        if visitor is None:
            return _refused(f"There is no staff {visitor_id!r}.")
        if visitor["work"] != "home_visitor":
            return _refused(f"{visitor['name']} does not visit homes.")
        if any(
            each["visited_on"] == self.now[:10]
            for each in self._home_checks_by_adopter.get(adopter_id, {}).values()
        ):
            return _refused(f"{adopter['name']} was visited today already.")
        self._journal = []
        home_check: HomeCheck = {
            "id": self._new_id("home_check", "HC", self.home_checks),
            "adopter_id": adopter_id,
            "visitor_id": visitor_id,
            "visited_on": self.now[:10],
            "passed": passed,
        }
        self._add("home_checks", home_check)
        return {
            "success": True,
            "message": (
                f"Done: record the home check of {adopter['name']} by {visitor['name']} (new: home check "
                f"{home_check['id']})."
            ),
            "data": {"home_check_id": home_check["id"], **self._changes()},
        }

    def apply_for(self, adopter_id: str, animal_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Take somebody's application for one animal or for two companions.

        Args:
            adopter_id (str): Id of the adopter, such as ADOPTER-00001.
            animal_ids (list): One animal, or two who are companions: ids of animals, such as ANIMAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        adopter = self.adopters.get(adopter_id)
        if adopter is None:
            return _refused(f"There is no adopter {adopter_id!r}.")
        animals = []
        for key in animal_ids:
            if key not in self.animals:
                return _refused(f"There is no animal {key!r}.")
            animals.append(self.animals[key])
        if self._applications_by_adopter_status.get((adopter_id, "open"), {}):
            return _refused(f"{adopter['name']} has an open application, so close that one first.")
        if not ((1 <= len(animals) and len(animals) <= 2) and _different([a["id"] for a in animals])):
            return _refused("An application is for one animal, or for two that are companions.")
        gone = next((a for a in animals if a["status"] != "in_care"), None)
        if gone is not None:
            return _refused(f"{gone['name']} is {gone['status']}.")
        held = next((a for a in animals if a["hold_until"] >= self.now[:10]), None)
        if held is not None:
            return _refused(f"{held['name']} is kept for the owner until {held['hold_until']}.")
        apart = next(
            (a for a in animals if a["companion_id"] is not None and self.animals[a["companion_id"]] not in animals),
            None,
        )
        if apart is not None:
            return _refused(f"{apart['name']} goes only together with its companion.")
        if not (len(animals) == 1 or any(a["companion_id"] is not None for a in animals)):
            return _refused("These two are not companions, so make two applications.")
        taken = next((a for a in animals if self._applied(a) is not None), None)
        if taken is not None:
            return _refused(f"Somebody has applied for {taken['name']} already.")
        clash = next((a for a in animals if any(b in adopter["household"] for b in a["bad_with"])), None)
        if clash is not None:
            return _refused(f"{clash['name']} cannot live in the household of {adopter['name']}.")
        self._journal = []
        application: Application = {
            "id": self._new_id("application", "APPLICATION", self.applications),
            "adopter_id": adopter_id,
            "animal_ids": [record["id"] for record in _those(self.animals, [record["id"] for record in animals])],
            "made_on": self.now[:10],
            "donation": 0,
            "refusal": None,
            "status": "open",
        }
        self._add("applications", application)
        if self._breaks_rule_10(application):
            return self._take_back(RULES[9])
        if self._breaks_rule_11():
            return self._take_back(RULES[10])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(application):
            return self._take_back(RULES[12])
        if self._breaks_rule_14(application):
            return self._take_back(RULES[13])
        if self._breaks_rule_15(application):
            return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: take the application of {adopter['name']} for "
                f"{', '.join(str(one['name']) for one in animals)} (new: application {application['id']})."
            ),
            "data": {"application_id": application["id"], **self._changes()},
        }

    def complete_adoption(
        self,
        application_id: str,
        donation: Annotated[int, {"minimum": 0, "maximum": 100000}] = 0,
    ) -> Result:
        """Hand the animals of an application over, against the fee and whatever is donated.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            donation (int): Money given on top of the fee, in cents, from 0 to 100000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "open":
            return _refused(
                f"The application of {self.adopters[application['adopter_id']]['name']} is {application['status']}."
            )
        if not self._approved(self.adopters[application["adopter_id"]], self.now[:10]):
            return _refused(
                f"{self.adopters[application['adopter_id']]['name']} needs a home check passed within 180 days."
            )
        ill = next((a for a in [self.animals[key] for key in application["animal_ids"]] if a["infectious"]), None)
        if ill is not None:
            return _refused(f"{ill['name']} is in isolation.")
        raw = next(
            (a for a in [self.animals[key] for key in application["animal_ids"]] if not self._animal_treated(a)),
            None,
        )
        if raw is not None:
            return _refused(f"{raw['name']} is not vaccinated, chipped and neutered yet.")
        self._journal = []
        changed_animals: list[Any] = []
        former_kennel_ids: list[Any] = []
        changed_animals_2: list[Any] = []
        former_foster_ids: list[Any] = []
        changed_animals_3: list[Any] = []
        for a in [self.animals[key] for key in application["animal_ids"]]:
            changed_animals.append(a)
            former_kennel_ids.append(a["kennel_id"])
            self._put("animals", a, "kennel_id", None)
            changed_animals_2.append(a)
            former_foster_ids.append(a["foster_id"])
            self._put("animals", a, "foster_id", None)
            if a["status"] not in ("in_care", "adopted"):
                return self._take_back(f"Animal {a['name']} cannot go from {a['status']} to adopted.")
            changed_animals_3.append(a)
            self._put("animals", a, "status", "adopted")
        self._put("applications", application, "donation", donation)
        self._put("applications", application, "status", "adopted")
        for one_animal in _distinct([*changed_animals, *changed_animals_2, *changed_animals_3]):
            if self._breaks_rule_1(one_animal):
                return self._take_back(RULES[0])
        for one_kennel in _distinct(
            [
                *[self.kennels.get(one["kennel_id"]) for one in changed_animals],
                *[self.kennels.get(key) for key in former_kennel_ids],
            ]
        ):
            if self._breaks_rule_2(one_kennel):
                return self._take_back(RULES[1])
        for one_animal in _distinct(changed_animals):
            if self._breaks_rule_3(one_animal):
                return self._take_back(RULES[2])
        for one_animal in _distinct([*changed_animals, *changed_animals_3]):
            if self._breaks_rule_4(one_animal):
                return self._take_back(RULES[3])
        for one_animal in _distinct(changed_animals):
            if self._breaks_rule_5_a(one_animal):
                return self._take_back(RULES[4])
        for one_animal in _distinct(changed_animals):
            if self._breaks_rule_5_b(one_animal):
                return self._take_back(RULES[4])
        for one_animal in _distinct(
            [
                *changed_animals,
                *[user for one in changed_animals for user in self._animals_by_companion.get(one["id"], {}).values()],
                *changed_animals_2,
                *[
                    user
                    for one in changed_animals_2
                    for user in self._animals_by_companion.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_animal):
                return self._take_back(RULES[6])
        for one_foster_home in _distinct(
            [
                *[self.foster_homes.get(one["foster_id"]) for one in changed_animals_2],
                *[self.foster_homes.get(key) for key in former_foster_ids],
            ]
        ):
            if self._breaks_rule_8_f(one_foster_home):
                return self._take_back(RULES[7])
        for one_animal in _distinct(changed_animals_2):
            if self._breaks_rule_8_a(one_animal):
                return self._take_back(RULES[7])
        if self._breaks_rule_11():
            return self._take_back(RULES[10])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(application):
            return self._take_back(RULES[12])
        if self._breaks_rule_15(application):
            return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                "Done: complete the adoption of "
                f"{', '.join(str(one['name']) for one in [self.animals[key] for key in application['animal_ids']])} by {self.adopters[application['adopter_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def close_application(self, application_id: str, reason: Text) -> Result:
        """Close an application that leads to nothing.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            reason (str): Why the application leads to nothing.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "open":
            return _refused(
                f"The application of {self.adopters[application['adopter_id']]['name']} is {application['status']}."
            )
        self._journal = []
        self._put("applications", application, "refusal", reason)
        self._put("applications", application, "status", "closed")
        if self._breaks_rule_11():
            return self._take_back(RULES[10])
        if self._breaks_rule_12(application):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(application):
            return self._take_back(RULES[12])
        if self._breaks_rule_15(application):
            return self._take_back(RULES[14])
        return {
            "success": True,
            "message": f"Done: close the application of {self.adopters[application['adopter_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_kennel(self, kennel: Kennel) -> dict[str, Any]:
        """The kennel as an answer shows it."""
        return {**kennel, "used": self._kennel_used(kennel)}

    def _show_foster_home(self, foster_home: FosterHome) -> dict[str, Any]:
        """The foster home as an answer shows it."""
        return {**foster_home, "guests": self._foster_home_guests(foster_home)}

    def _show_animal(self, animal: Animal) -> dict[str, Any]:
        """The animal as an answer shows it."""
        return {
            **animal,
            "bad_with": [*animal["bad_with"]],
            "space": self._animal_space(animal),
            "treated": self._animal_treated(animal),
        }

    def _show_adopter(self, adopter: Adopter) -> dict[str, Any]:
        """The adopter as an answer shows it."""
        return {**adopter, "household": [*adopter["household"]]}

    def _show_application(self, application: Application) -> dict[str, Any]:
        """The application as an answer shows it."""
        return {**application, "animal_ids": [*application["animal_ids"]], "fee": self._application_fee(application)}

    def _names_of_animals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that animals point to."""
        return _names(
            (self.animals, "name", [row["companion_id"] for row in shown]),
            (self.kennels, "label", [row["kennel_id"] for row in shown]),
            (self.foster_homes, "name", [row["foster_id"] for row in shown]),
        )

    def _names_of_treatments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that treatments point to."""
        return _names(
            (self.animals, "name", [row["animal_id"] for row in shown]),
            (self.staff, "name", [row["vet_id"] for row in shown]),
        )

    def _names_of_home_checks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that home checks point to."""
        return _names(
            (self.adopters, "name", [row["adopter_id"] for row in shown]),
            (self.staff, "name", [row["visitor_id"] for row in shown]),
        )

    def _names_of_applications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that applications point to."""
        return _names(
            (self.adopters, "name", [row["adopter_id"] for row in shown]),
            (self.animals, "name", [each for row in shown for each in row["animal_ids"]]),
        )

    def _kennel_used(self, kennel: Kennel) -> int:
        """The used of a kennel."""
        return sum(self._animal_space(a) for a in self._animals_by_kennel.get(kennel["id"], {}).values())

    def _foster_home_guests(self, foster_home: FosterHome) -> int:
        """The guests of a foster home."""
        return len(self._animals_by_foster.get(foster_home["id"], {}))

    def _animal_space(self, animal: Animal) -> int:
        """The space of an animal."""
        return 3 if animal["size"] == "large" else 2 if animal["size"] == "medium" else 1

    def _animal_treated(self, animal: Animal) -> bool:
        """The treated of an animal."""
        return len(self._treatments_by_animal.get(animal["id"], {})) == 3

    def _application_fee(self, application: Application) -> int:
        """The fee of an application."""
        return self._fee_for([self.animals[key] for key in application["animal_ids"]])

    def _fee_for(self, some: list[Animal]) -> int:
        return _rounded(Fraction(sum(a["price"] for a in some) * (100 if len(some) == 1 else 75), 100))

    def _group(self, a: Animal) -> list[Animal]:
        return [
            b
            for b in _those(self.animals, [a["id"], a["companion_id"]])
            if (b is a or a["companion_id"] is not None and b["id"] == a["companion_id"])
        ]

    def _travelling(self, a: Animal) -> list[Animal]:
        return [b for b in self._group(a) if b["kennel_id"] == a["kennel_id"] and b["foster_id"] == a["foster_id"]]

    def _friends(self, a: Animal, b: Animal) -> bool:
        return (
            a["companion_id"] is not None and a["companion_id"] == b["id"]
            or a["species"] == "cat" and b["species"] == "cat" and a["sociable"] and b["sociable"]
        )

    def _stranger(self, k: Kennel, a: Animal) -> Animal | None:
        return next(
            (
                b
                for b in sorted(self._animals_by_kennel.get(k["id"], {}).values(), key=_age)
                if b is not a
                and not self._friends(a, b)
            ),
            None,
        )

    def _room_for(self, k: Kennel, a: Animal) -> bool:
        return (
            self._kennel_used(k)
            + sum(self._animal_space(b) for b in self._travelling(a) if b["kennel_id"] != k["id"]) <= k["space"]
        )

    def _applied(self, a: Animal) -> Application | None:
        return next(
            (
                p
                for p in sorted(self._applications_by_animals.get(a["id"], {}).values(), key=_age)
                if p["status"] == "open"
            ),
            None,
        )

    def _approved(self, p: Adopter, d: str) -> bool:
        return (
            any(
                h["passed"]
                and _plus_days(h["visited_on"], 180) >= d
                for h in self._home_checks_by_adopter.get(p["id"], {}).values()
            )
            and not any(
                not any(
                    later["passed"]
                    for later in self._home_checks_by_adopter.get(p["id"], {}).values()
                    if later["visited_on"] > h["visited_on"]
                )
                for h in self._home_checks_by_adopter.get(p["id"], {}).values()
                if not h["passed"]
            )
        )

    def _breaks_rule_1(self, a: Animal) -> bool:
        """Whether this is broken: an animal in care is in a kennel or in a foster home, and one that has left is in
        neither.
        """
        return not (
            (a["kennel_id"] is not None) != (a["foster_id"] is not None)
            if a["status"] == "in_care"
            else a["kennel_id"] is None
            and a["foster_id"] is None
        )

    def _breaks_rule_2(self, k: Kennel) -> bool:
        """Whether this is broken: a kennel never holds more than its space."""
        return self._kennel_used(k) > k["space"]

    def _breaks_rule_3(self, a: Animal) -> bool:
        """Whether this is broken: dogs live in the dogs' wing and cats in the cats' wing, unless they are in
        isolation.
        """
        return (
            a["kennel_id"] is not None
            and self.kennels[a["kennel_id"]]["wing"] != "isolation"
            and (self.kennels[a["kennel_id"]]["wing"] == "dogs") != (a["species"] == "dog")
        )

    def _breaks_rule_4(self, a: Animal) -> bool:
        """Whether this is broken: infectious animals are in isolation, and nobody else is."""
        return (
            a["status"] == "in_care"
            and a["infectious"] != (
                a["kennel_id"] is not None
                and self.kennels[a["kennel_id"]]["wing"] == "isolation"
            )
        )

    def _breaks_rule_5_a(self, a: Animal) -> bool:
        """Whether this is broken: animals share a kennel only with their companion, or as sociable cats."""
        return (
            a["kennel_id"] is not None
            and any(
                not self._friends(a, b)
                for b in self._animals_by_kennel.get(a["kennel_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5_b(self, b: Animal) -> bool:
        """Whether this is broken: animals share a kennel only with their companion, or as sociable cats."""
        return any(
            not self._friends(a, b)
            for a in self._animals_by_kennel.get(b["kennel_id"], {}).values()
            if a is not b
            and a["kennel_id"] is not None
        )

    def _breaks_rule_6(self, a: Animal) -> bool:
        """Whether this is broken: companions are companions of each other."""
        return not (
            a["companion_id"] is None
            or a["companion_id"] != a["id"]
            and self.animals[a["companion_id"]]["companion_id"] == a["id"]
        )

    def _breaks_rule_7(self, a: Animal) -> bool:
        """Whether this is broken: companions live in the same place unless one of them is infectious."""
        return not (
            a["companion_id"] is None
            or a["infectious"]
            or self.animals[a["companion_id"]]["infectious"]
            or a["kennel_id"] == self.animals[a["companion_id"]]["kennel_id"]
            and a["foster_id"] == self.animals[a["companion_id"]]["foster_id"]
        )

    def _breaks_rule_8_f(self, f: FosterHome) -> bool:
        """Whether this is broken: a foster home takes animals of its kind and no more than it has places."""
        return self._foster_home_guests(f) > f["places"]

    def _breaks_rule_8_a(self, a: Animal) -> bool:
        """Whether this is broken: a foster home takes animals of its kind and no more than it has places."""
        return a["foster_id"] is not None and self.foster_homes[a["foster_id"]]["species"] != a["species"]

    def _breaks_rule_9(self, t: Treatment) -> bool:
        """Whether this is broken: an animal is treated once in each way."""
        return any(
            other_t is not t
            for other_t in self._treatments_by_animal_kind.get((t["animal_id"], t["kind"]), {}).values()
        )

    def _breaks_rule_10(self, p: Application) -> bool:
        """Whether this is broken: nobody applies for a stray before its owner has had the days to come."""
        return any(a["hold_until"] >= p["made_on"] for a in [self.animals[key] for key in p["animal_ids"]])

    def _breaks_rule_11(self) -> bool:
        """Whether this is broken: an animal has one open application at a time."""
        return not _different(
            [
                a["id"]
                for p in self._applications_by_status.get("open", {}).values()
                for a in [self.animals[key] for key in p["animal_ids"]]
            ]
        )

    def _breaks_rule_12(self, p: Application) -> bool:
        """Whether this is broken: an adopter has one open application at a time."""
        return (
            p["status"] == "open"
            and any(
                other_p is not p
                for other_p in self._applications_by_adopter_status.get((p["adopter_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_13(self, p: Application) -> bool:
        """Whether this is broken: whoever applies for an animal applies for its companion too."""
        return (
            p["status"] == "open"
            and any(
                a["companion_id"] is not None
                and a["companion_id"] not in p["animal_ids"]
                for a in [self.animals[key] for key in p["animal_ids"]]
            )
        )

    def _breaks_rule_14(self, p: Application) -> bool:
        """Whether this is broken: an animal goes to no household with anybody it is bad with."""
        return any(
            b in self.adopters[p["adopter_id"]]["household"]
            for a in [self.animals[key] for key in p["animal_ids"]]
            for b in a["bad_with"]
        )

    def _breaks_rule_15(self, p: Application) -> bool:
        """Whether this is broken: an application that was turned down says why."""
        return (p["status"] == "closed") != (p["refusal"] is not None)

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
            case "animals":
                self._animals_by_companion.setdefault(record["companion_id"], {})[record["id"]] = record
                self._animals_by_foster.setdefault(record["foster_id"], {})[record["id"]] = record
                self._animals_by_kennel.setdefault(record["kennel_id"], {})[record["id"]] = record
                self._animals_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "treatments":
                self._treatments_by_animal.setdefault(record["animal_id"], {})[record["id"]] = record
                self._treatments_by_animal_kind.setdefault(
                    (record["animal_id"], record["kind"]),
                    {},
                )[record["id"]] = record
            case "home_checks":
                self._home_checks_by_adopter.setdefault(record["adopter_id"], {})[record["id"]] = record
            case "applications":
                self._applications_by_adopter_status.setdefault(
                    (record["adopter_id"], record["status"]),
                    {},
                )[record["id"]] = record
                for key in record["animal_ids"]:
                    self._applications_by_animals.setdefault(key, {})[record["id"]] = record
                self._applications_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "animals":
                del self._animals_by_companion[record["companion_id"]][record["id"]]
                del self._animals_by_foster[record["foster_id"]][record["id"]]
                del self._animals_by_kennel[record["kennel_id"]][record["id"]]
                del self._animals_by_name[record["name"]][record["id"]]
            case "treatments":
                del self._treatments_by_animal[record["animal_id"]][record["id"]]
                del self._treatments_by_animal_kind[record["animal_id"], record["kind"]][record["id"]]
            case "home_checks":
                del self._home_checks_by_adopter[record["adopter_id"]][record["id"]]
            case "applications":
                del self._applications_by_adopter_status[record["adopter_id"], record["status"]][record["id"]]
                for key in record["animal_ids"]:
                    self._applications_by_animals[key].pop(record["id"], None)
                del self._applications_by_status[record["status"]][record["id"]]
