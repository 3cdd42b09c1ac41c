"""Animal facility. Compiled from blueprint.yaml; run `envscaler build animal_facility` after changing it there.

Keeps the mice and rats of a research institute - cages with limits, breeding and weaning, animals counted
against protocols, severity of procedures and the health status of rooms.
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
    "A cage holds no more animals than its limit.",
    "Females and males share a cage for breeding only, and there is one male at most.",
    "Mice and rats never share a cage.",
    "A cage for experiments holds animals of one protocol.",
    "A protocol never uses more animals than it was allowed.",
    "A protocol uses animals of its strain.",
    "No procedure is more severe than the protocol of the animal allows.",
    "An animal goes through one severe procedure at most, and through six in all.",
    "A living animal is in a cage, a dead one is in none and its cause is known.",
    "Only animals of one strain are bred with each other.",
    "A female nurses one litter at a time and is alive.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "import_animal",
    "move_animal",
    "record_litter",
    "wean_litter",
    "lose_litter",
    "assign_animal",
    "amend_protocol",
    "record_procedure",
    "end_animal",
    "set_health",
)
"""The methods that may change something; all others only read."""

ROOM_HEALTH_MOVES = {
    ("clean", "watched"),
    ("clean", "infected"),
    ("watched", "clean"),
    ("watched", "infected"),
    ("infected", "watched"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "rooms": ("name",),
    "cages": ("label",),
    "strains": ("name",),
    "protocols": ("number",),
    "animals": ("tag",),
    "litters": (),
    "procedures": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("animals", "cage_id"),
    ("animals", "protocol_id"),
    ("animals", "sex"),
    ("animals", "strain_id"),
    ("animals", "tag"),
    ("litters", "dam_id"),
    ("litters", "status"),
    ("procedures", "animal_id"),
    ("procedures", "severity"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Room(TypedDict):
    id: str
    name: str
    health: Literal["clean", "watched", "infected"]


class Cage(TypedDict):
    id: str
    label: str
    room_id: str
    purpose: Literal["stock", "breeding", "experiment"]
    limit: int


class Strain(TypedDict):
    id: str
    name: str
    species: Literal["mouse", "rat"]


class Protocol(TypedDict):
    id: str
    number: str
    leader: str
    strain_id: str
    allowed: int
    most_severe: Literal["mild", "moderate", "severe"]
    expires: str


class Animal(TypedDict):
    id: str
    tag: str
    strain_id: str
    sex: Literal["female", "male"]
    born: str
    dam_id: str | None
    sire_id: str | None
    cage_id: str | None
    protocol_id: str | None
    ended_on: str | None
    cause: Literal["end_of_study", "sick", "surplus", "found_dead"] | None


class Litter(TypedDict):
    id: str
    dam_id: str
    sire_id: str
    born: str
    pups: int
    status: Literal["nursing", "weaned", "lost"]


class Procedure(TypedDict):
    id: str
    animal_id: str
    kind: Literal["injection", "blood_sample", "surgery", "imaging", "behaviour_test"]
    severity: Literal["mild", "moderate", "severe"]
    on: str


class WeanLitterKept(TypedDict):
    tag: Text
    sex: Literal["female", "male"]


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


class AnimalFacility:
    """Keeps the mice and rats of a research institute - cages with limits, breeding and weaning, animals
    counted against protocols, severity of procedures and the health status of rooms.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.cages: dict[str, Cage] = _copied(config.get("cages", {}))
        self.strains: dict[str, Strain] = _copied(config.get("strains", {}))
        self.protocols: dict[str, Protocol] = _copied(config.get("protocols", {}))
        self.animals: dict[str, Animal] = _copied(config.get("animals", {}))
        self.litters: dict[str, Litter] = _copied(config.get("litters", {}))
        self.procedures: dict[str, Procedure] = _copied(config.get("procedures", {}))
        self.now: str = config.get("now", "2026-05-06T09:00")
        self.counters: dict[str, int] = {
            "room": len(self.rooms),
            "cage": len(self.cages),
            "strain": len(self.strains),
            "protocol": len(self.protocols),
            "animal": len(self.animals),
            "litter": len(self.litters),
            "procedure": len(self.procedures),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._animals_by_cage: dict[Any, dict[str, Animal]] = {}
        self._animals_by_lower_tag: dict[Any, dict[str, Animal]] = {}
        self._animals_by_protocol: dict[Any, dict[str, Animal]] = {}
        self._animals_by_sex_cage: dict[Any, dict[str, Animal]] = {}
        self._animals_by_strain: dict[Any, dict[str, Animal]] = {}
        self._animals_by_tag: dict[Any, dict[str, Animal]] = {}
        self._litters_by_dam: dict[Any, dict[str, Litter]] = {}
        self._litters_by_dam_status: dict[Any, dict[str, Litter]] = {}
        self._procedures_by_animal: dict[Any, dict[str, Procedure]] = {}
        self._procedures_by_animal_severity: dict[Any, dict[str, Procedure]] = {}
        for animal in self.animals.values():
            self._link("animals", animal)
        for litter in self.litters.values():
            self._link("litters", litter)
        for procedure in self.procedures.values():
            self._link("procedures", procedure)

    def room_for_animal(
        self,
        animal_id: str,
        room_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Cages into which an animal may move, with the fewest places first.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            room_id (str, optional): Room in which the cages stand; an id such as ROOM-00001. If left out, the
                cages of all rooms are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cages": records}} or {"success": False, "error": why
                not}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            c
            for c in self.cages.values()
            if (
                animal["cage_id"] is not None
                and c["id"] != animal["cage_id"]
                and self._poor(self.rooms[c["room_id"]]["health"]) >= self._poor(
                    self.rooms[self.cages[animal["cage_id"]]["room_id"]]["health"]
                )
            )
            and self._suits(animal, c)
            and (room_id is None or c["room_id"] == room_id)
        ]
        found.sort(key=lambda c: (self._cage_places(c), c["label"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cages": [
                    {
                        "id": c["id"],
                        "label": c["label"],
                        "room": self.rooms[c["room_id"]]["name"],
                        "purpose": c["purpose"],
                        "places": self._cage_places(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def due_for_weaning(self, by_day: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Nursing litters that will be 20 days old by a day, oldest first.

        Args:
            by_day (str): Day by which the litters are 20 days old, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "litters": records}} or {"success": False, "error": why
                not}
        """
        found = [
            l
            for l in self.litters.values()
            if (l["status"] == "nursing" and _plus_days(l["born"], 20) <= by_day)
        ]
        found.sort(key=lambda l: (l["born"], l["id"], _age(l)))
        shown = [
            {
                "id": l["id"],
                "dam": self.animals[l["dam_id"]]["tag"],
                "born": l["born"],
                "pups": l["pups"],
                "cage": self.animals[l["dam_id"]]["cage_id"],
            }
            for l in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "litters": shown},
            _names((self.cages, "label", [row["cage"] for row in shown])),
        )

    def free_animals(
        self,
        strain_id: str,
        sex: Literal["female", "male"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Living animals of a strain that belong to no protocol and nurse no litter, oldest first.

        Args:
            strain_id (str): Id of the strain, such as STRAIN-00001.
            sex (str, optional): Sex of the animals: female or male. If left out, animals of both sexes are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "animals": records}} or {"success": False, "error": why
                not}
        """
        strain = self.strains.get(strain_id)
        if strain is None:
            return _refused(f"There is no strain {strain_id!r}.")
        found = [
            a
            for a in self._animals_by_strain.get(strain_id, {}).values()
            if (self._alive(a) and a["protocol_id"] is None and a["strain_id"] == strain_id and not self._nursing(a))
            and (sex is None or a["sex"] == sex)
        ]
        found.sort(key=lambda a: (a["born"], a["tag"], _age(a)))
        shown = [{**a} for a in _page(found, offset)]
        return _found({"total": len(found), "animals": shown}, self._names_of_animals(shown))

    def ancestors(self, animal_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The mothers of an animal and theirs, as far as they were bred here, nearest first.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "animals": records}} or {"success": False, "error": why
                not}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        found = [m for m in _above(self.animals, animal, "dam_id")]
        return _found(
            {
                "total": len(found),
                "animals": [
                    {
                        "id": m["id"],
                        "tag": m["tag"],
                        "strain": self.strains[m["strain_id"]]["name"],
                        "born": m["born"],
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def list_rooms(
        self,
        name: Text | None = None,
        health: Literal["clean", "watched", "infected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            health (str, optional): Only rooms with this health.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (health is None or room["health"] == health)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_cages(
        self,
        label: Text | None = None,
        room_id: str | None = None,
        purpose: Literal["stock", "breeding", "experiment"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cages, oldest first, all of them or only some.

        Args:
            label (str, optional): Only cages whose label contains this text.
            room_id (str, optional): Only cages of this room.
            purpose (str, optional): Only cages with this purpose.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cages": records}}
        """
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            cage
            for cage in self.cages.values()
            if (label is None or label.casefold() in cage["label"].casefold())
            and (room_id is None or cage["room_id"] == room_id)
            and (purpose is None or cage["purpose"] == purpose)
        ]
        shown = [self._show_cage(cage) for cage in _page(found, offset)]
        return _found({"total": len(found), "cages": shown}, self._names_of_cages(shown))

    def list_strains(
        self,
        name: Text | None = None,
        species: Literal["mouse", "rat"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the strains, oldest first, all of them or only some.

        Args:
            name (str, optional): Only strains whose name contains this text.
            species (str, optional): Only strains with this species.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "strains": records}}
        """
        found = [
            strain
            for strain in self.strains.values()
            if (name is None or name.casefold() in strain["name"].casefold())
            and (species is None or strain["species"] == species)
        ]
        return _found({"total": len(found), "strains": [{**strain} for strain in _page(found, offset)]})

    def list_protocols(
        self,
        number: Text | None = None,
        strain_id: str | None = None,
        most_severe: Literal["mild", "moderate", "severe"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the protocols, oldest first, all of them or only some.

        Args:
            number (str, optional): Only protocols whose number contains this text.
            strain_id (str, optional): Only protocols of this strain.
            most_severe (str, optional): Only protocols with this most severe.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "protocols": records}}
        """
        if strain_id is not None and strain_id not in self.strains:
            return _refused(f"There is no strain {strain_id!r}.")
        found = [
            protocol
            for protocol in self.protocols.values()
            if (number is None or number.casefold() in protocol["number"].casefold())
            and (strain_id is None or protocol["strain_id"] == strain_id)
            and (most_severe is None or protocol["most_severe"] == most_severe)
        ]
        shown = [self._show_protocol(protocol) for protocol in _page(found, offset)]
        return _found({"total": len(found), "protocols": shown}, self._names_of_protocols(shown))

    def list_animals(
        self,
        tag: Text | None = None,
        strain_id: str | None = None,
        sex: Literal["female", "male"] | None = None,
        dam_id: str | None = None,
        sire_id: str | None = None,
        cage_id: str | None = None,
        protocol_id: str | None = None,
        cause: Literal["end_of_study", "sick", "surplus", "found_dead"] | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the animals, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only animals whose tag contains this text.
            strain_id (str, optional): Only animals of this strain.
            sex (str, optional): Only animals with this sex.
            dam_id (str, optional): Only animals whose dam is this animal.
            sire_id (str, optional): Only animals whose sire is this animal.
            cage_id (str, optional): Only animals of this cage.
            protocol_id (str, optional): Only animals of this protocol.
            cause (str, optional): Only animals with this cause.
            born_from (str, optional): Only animals whose `born` is on this day or later.
            born_to (str, optional): Only animals whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "animals": records}}
        """
        if strain_id is not None and strain_id not in self.strains:
            return _refused(f"There is no strain {strain_id!r}.")
        if dam_id is not None and dam_id not in self.animals:
            return _refused(f"There is no animal {dam_id!r}.")
        if sire_id is not None and sire_id not in self.animals:
            return _refused(f"There is no animal {sire_id!r}.")
        if cage_id is not None and cage_id not in self.cages:
            return _refused(f"There is no cage {cage_id!r}.")
        if protocol_id is not None and protocol_id not in self.protocols:
            return _refused(f"There is no protocol {protocol_id!r}.")
        found = [
            animal
            for animal in self.animals.values()
            if (tag is None or tag.casefold() in animal["tag"].casefold())
            and (strain_id is None or animal["strain_id"] == strain_id)
            and (sex is None or animal["sex"] == sex)
            and (dam_id is None or animal["dam_id"] == dam_id)
            and (sire_id is None or animal["sire_id"] == sire_id)
            and (cage_id is None or animal["cage_id"] == cage_id)
            and (protocol_id is None or animal["protocol_id"] == protocol_id)
            and (cause is None or animal["cause"] == cause)
            and (born_from is None or animal["born"] >= born_from)
            and (born_to is None or animal["born"] <= born_to)
        ]
        shown = [{**animal} for animal in _page(found, offset)]
        return _found({"total": len(found), "animals": shown}, self._names_of_animals(shown))

    def list_litters(
        self,
        dam_id: str | None = None,
        sire_id: str | None = None,
        status: Literal["nursing", "weaned", "lost"] | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the litters, oldest first, all of them or only some.

        Args:
            dam_id (str, optional): Only litters whose dam is this animal.
            sire_id (str, optional): Only litters whose sire is this animal.
            status (str, optional): Only litters with this status.
            born_from (str, optional): Only litters whose `born` is on this day or later.
            born_to (str, optional): Only litters whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "litters": records}}
        """
        if dam_id is not None and dam_id not in self.animals:
            return _refused(f"There is no animal {dam_id!r}.")
        if sire_id is not None and sire_id not in self.animals:
            return _refused(f"There is no animal {sire_id!r}.")
        found = [
            litter
            for litter in self.litters.values()
            if (dam_id is None or litter["dam_id"] == dam_id)
            and (sire_id is None or litter["sire_id"] == sire_id)
            and (status is None or litter["status"] == status)
            and (born_from is None or litter["born"] >= born_from)
            and (born_to is None or litter["born"] <= born_to)
        ]
        shown = [{**litter} for litter in _page(found, offset)]
        return _found({"total": len(found), "litters": shown}, self._names_of_litters(shown))

    def list_procedures(
        self,
        animal_id: str | None = None,
        kind: Literal["injection", "blood_sample", "surgery", "imaging", "behaviour_test"] | None = None,
        severity: Literal["mild", "moderate", "severe"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the procedures, oldest first, all of them or only some.

        Args:
            animal_id (str, optional): Only procedures of this animal.
            kind (str, optional): Only procedures with this kind.
            severity (str, optional): Only procedures with this severity.
            on_from (str, optional): Only procedures whose `on` is on this day or later.
            on_to (str, optional): Only procedures whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "procedures": records}}
        """
        if animal_id is not None and animal_id not in self.animals:
            return _refused(f"There is no animal {animal_id!r}.")
        found = [
            procedure
            for procedure in self.procedures.values()
            if (animal_id is None or procedure["animal_id"] == animal_id)
            and (kind is None or procedure["kind"] == kind)
            and (severity is None or procedure["severity"] == severity)
            and (on_from is None or procedure["on"] >= on_from)
            and (on_to is None or procedure["on"] <= on_to)
        ]
        shown = [{**procedure} for procedure in _page(found, offset)]
        return _found({"total": len(found), "procedures": shown}, self._names_of_procedures(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def import_animal(
        self,
        tag: Text,
        strain_id: str,
        sex: Literal["female", "male"],
        born: Date,
        cage_id: str,
    ) -> Result:
        """Take an animal from outside into a cage of a room that is not infected.

        Args:
            tag (str): Tag of the new animal, not given before.
            strain_id (str): Id of the strain, such as STRAIN-00001.
            sex (str): Sex of the animal, fitting those in the cage: female or male.
            born (str): Day on which the animal was born, at least 21 days ago, as YYYY-MM-DD.
            cage_id (str): Id of the cage, such as CAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        strain = self.strains.get(strain_id)
        if strain is None:
            return _refused(f"There is no strain {strain_id!r}.")
        cage = self.cages.get(cage_id)
        if cage is None:
            return _refused(f"There is no cage {cage_id!r}.")
        if self._animals_by_lower_tag.get(tag.lower(), {}):
            return _refused(f"The tag {tag} was given already.")
        if born > _plus_days(self.now[:10], -21):
            return _refused("An animal comes in at 21 days of age or older.")
        if cage["purpose"] != "stock":
            return _refused("New animals go into a stock cage first.")
        if self.rooms[cage["room_id"]]["health"] == "infected":
            return _refused(f"{self.rooms[cage['room_id']]['name']} is infected.")
        if self._cage_places(cage) <= 0:
            return _refused(f"Cage {cage['label']} is full.")
        if any(
            o["sex"] != sex
            or self.strains[o["strain_id"]]["species"] != strain["species"]
            for o in self._in_cage(cage)
        ):
            return _refused(f"Cage {cage['label']} holds animals of the other sex or species.")
        self._journal = []
        animal: Animal = {
            "id": self._new_id("animal", "ANIMAL", self.animals),
            "tag": tag,
            "strain_id": strain_id,
            "sex": sex,
            "born": born,
            "dam_id": None,
            "sire_id": None,
            "cage_id": cage_id,
            "protocol_id": None,
            "ended_on": None,
            "cause": None,
        }
        self._add("animals", animal)
        if len(self._animals_by_tag.get(animal["tag"], {})) > 1:
            return self._take_back(f"There is already an animal with the tag {animal['tag']!r}.")
        for one_cage in _distinct([self.cages.get(animal["cage_id"])]):
            if self._breaks_rule_1(one_cage):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        for one_cage in _distinct([self.cages.get(animal["cage_id"])]):
            if self._breaks_rule_2_c(one_cage):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_a(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(animal):
            return self._take_back(RULES[3])
        for one_protocol in _distinct([self.protocols.get(animal["protocol_id"])]):
            if self._breaks_rule_5(one_protocol):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(animal):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(animal):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(animal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take {tag} into cage {cage['label']} (new: animal {animal['id']}).",
            "data": {"animal_id": animal["id"], **self._changes()},
        }

    def move_animal(self, animal_id: str, cage_id: str) -> Result:
        """Move an animal to another cage, never to a room of better health.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            cage_id (str): Id of the cage, such as CAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        cage = self.cages.get(cage_id)
        if cage is None:
            return _refused(f"There is no cage {cage_id!r}.")
        old = self.cages.get(animal["cage_id"])
        if old is None:
            return _refused(f"{animal['tag']} is dead.")
        if old is cage:
            return _refused(f"{animal['tag']} is in that cage already.")
        if self._poor(self.rooms[cage["room_id"]]["health"]) < self._poor(self.rooms[old["room_id"]]["health"]):
            return _refused(
                f"{self.rooms[cage['room_id']]['name']} is healthier than {self.rooms[old['room_id']]['name']}, "
                "so nothing moves there."
            )
        if self._nursing(animal):
            return _refused(f"{animal['tag']} is nursing a litter.")
        if not self._suits(animal, cage):
            return _refused(
                f"Cage {cage['label']} is full, or what it is for or who is in it does not suit {animal['tag']}."
            )
        self._journal = []
        former_cage_id = animal["cage_id"]
        self._put("animals", animal, "cage_id", cage_id)
        for one_cage in _distinct([self.cages.get(animal["cage_id"]), self.cages.get(former_cage_id)]):
            if self._breaks_rule_1(one_cage):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        for one_cage in _distinct([self.cages.get(animal["cage_id"]), self.cages.get(former_cage_id)]):
            if self._breaks_rule_2_c(one_cage):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_a(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_9(animal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: move {animal['tag']} to cage {cage['label']}.",
            "data": self._changes(),
        }

    def record_litter(self, dam_id: str, sire_id: str, pups: Annotated[int, {"minimum": 1, "maximum": 16}]) -> Result:
        """Record a litter of a female who shares a breeding cage with the father, both of one strain.

        Args:
            dam_id (str): Mother of the litter, at least 50 days old; an id such as ANIMAL-00001.
            sire_id (str): Father of the litter, of the same strain and in the same cage; an id such as
                ANIMAL-00001.
            pups (int): How many young animals were born, from 1 to 16.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dam = self.animals.get(dam_id)
        if dam is None:
            return _refused(f"There is no animal {dam_id!r}.")
        sire = self.animals.get(sire_id)
        if sire is None:
            return _refused(f"There is no animal {sire_id!r}.")
        if dam["sex"] != "female" or sire["sex"] != "male":
            return _refused("A litter has a mother and a father.")
        if not (self._alive(dam) and dam["cage_id"] is not None and dam["cage_id"] == sire["cage_id"]):
            return _refused(f"{dam['tag']} and {sire['tag']} do not share a cage.")
        if dam["strain_id"] != sire["strain_id"]:
            return _refused(
                f"{dam['tag']} is {self.strains[dam['strain_id']]['name']} and {sire['tag']} is "
                f"{self.strains[sire['strain_id']]['name']}, and crosses are not bred here."
            )
        if self._nursing(dam):
            return _refused(f"{dam['tag']} is nursing a litter already.")
        if any(_days_between(l["born"], self.now[:10]) < 19 for l in self._litters_by_dam.get(dam_id, {}).values()):
            return _refused(f"{dam['tag']} had a litter less than 19 days ago.")
        if _days_between(dam["born"], self.now[:10]) < 50:
            return _refused(f"{dam['tag']} is too young.")
        self._journal = []
        litter: Litter = {
            "id": self._new_id("litter", "LITTER", self.litters),
            "dam_id": dam_id,
            "sire_id": sire_id,
            "born": self.now[:10],
            "pups": pups,
            "status": "nursing",
        }
        self._add("litters", litter)
        if self._breaks_rule_10(litter):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_l(litter):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_l_again(litter):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: record {pups} pups of {dam['tag']} (new: litter {litter['id']}).",
            "data": {"litter_id": litter["id"], **self._changes()},
        }

    def wean_litter(
        self,
        litter_id: str,
        kept: Annotated[list[WeanLitterKept], {"maxItems": 20}],
        females_to_id: str,
        males_to_id: str,
    ) -> Result:
        """Wean a litter of 20 days or more, tagging each pup that is kept and putting females and males into cages of
        their own.

        Args:
            litter_id (str): Id of the litter, such as LITTER-00001.
            kept (list): One entry for each pup that is kept: tag: tag that the pup gets, not given before; sex:
                sex of the pup, which decides on its cage: female or male.
            females_to_id (str): Stock cage for the female pups, with room for them; an id such as CAGE-00001.
            males_to_id (str): Stock cage for the male pups, another one than for the females; an id such as
                CAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        litter = self.litters.get(litter_id)
        if litter is None:
            return _refused(f"There is no litter {litter_id!r}.")
        females_to = self.cages.get(females_to_id)
        if females_to is None:
            return _refused(f"There is no cage {females_to_id!r}.")
        males_to = self.cages.get(males_to_id)
        if males_to is None:
            return _refused(f"There is no cage {males_to_id!r}.")
        if litter["status"] != "nursing":
            return _refused(f"The litter of {self.animals[litter['dam_id']]['tag']} is {litter['status']}.")
        if _days_between(litter["born"], self.now[:10]) < 20:
            return _refused(
                f"The litter is {_days_between(litter['born'], self.now[:10])} days old and is weaned from 20 "
                "days on."
            )
        if 0 >= len(kept) or len(kept) > litter["pups"]:
            return _refused(f"There are {litter['pups']} pups, and at least one is kept.")
        if not (
            _different([k["tag"] for k in kept])
            and not any(any(k["tag"].lower() == a["tag"].lower() for k in kept) for a in self.animals.values())
        ):
            return _refused("A tag is given twice.")
        if females_to is males_to:
            return _refused("Females and males need two cages.")
        if females_to["purpose"] != "stock" or males_to["purpose"] != "stock":
            return _refused("Weaned pups go into stock cages.")
        if (
            self.animals[litter["dam_id"]]["cage_id"] is None
            or self._poor(self.rooms[females_to["room_id"]]["health"]) < self._poor(
                self.rooms[self.cages[self.animals[litter["dam_id"]]["cage_id"]]["room_id"]]["health"]
            )
            or self._poor(self.rooms[males_to["room_id"]]["health"]) < self._poor(
                self.rooms[self.cages[self.animals[litter["dam_id"]]["cage_id"]]["room_id"]]["health"]
            )
        ):
            return _refused("Nothing moves to a room of better health.")
        if (
            sum(1 for k in kept if k["sex"] == "female") > self._cage_places(females_to)
            or sum(1 for k in kept if k["sex"] == "male") > self._cage_places(males_to)
        ):
            return _refused("There is not enough room in the cages.")
        if not (
            not any(
                o["sex"] != "female"
                or self.strains[o["strain_id"]]["species"] != self.strains[
                    self.animals[litter["dam_id"]]["strain_id"]
                ]["species"]
                for o in self._in_cage(females_to)
            )
            and not any(
                o["sex"] != "male"
                or self.strains[o["strain_id"]]["species"] != self.strains[
                    self.animals[litter["dam_id"]]["strain_id"]
                ]["species"]
                for o in self._in_cage(males_to)
            )
        ):
            return _refused("The cages hold other animals that do not suit.")
        done = f"wean {len(kept)} pups of {self.animals[litter['dam_id']]['tag']}"
        self._journal = []
        added_animals: list[Any] = []
        for k in sorted(kept, key=lambda k: (k["tag"],)):
            animal = {
                "id": self._new_id("animal", "ANIMAL", self.animals),
                "tag": k["tag"],
                "strain_id": self.animals[litter["dam_id"]]["strain_id"],
                "sex": k["sex"],
                "born": litter["born"],
                "dam_id": litter["dam_id"],
                "sire_id": litter["sire_id"],
                "cage_id": females_to_id if k["sex"] == "female" else males_to_id,
                "protocol_id": None,
                "ended_on": None,
                "cause": None,
            }
            self._add("animals", animal)
            added_animals.append(animal)
        self._put("litters", litter, "status", "weaned")
        for one_animal in added_animals:
            if len(self._animals_by_tag.get(one_animal["tag"], {})) > 1:
                return self._take_back(f"There is already an animal with the tag {one_animal['tag']!r}.")
        for one_cage in _distinct([self.cages.get(one["cage_id"]) for one in added_animals]):
            if self._breaks_rule_1(one_cage):
                return self._take_back(RULES[0])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_2_a(one_animal_2):
                return self._take_back(RULES[1])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_2_b(one_animal_2):
                return self._take_back(RULES[1])
        for one_cage in _distinct([self.cages.get(one["cage_id"]) for one in added_animals]):
            if self._breaks_rule_2_c(one_cage):
                return self._take_back(RULES[1])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_3_a(one_animal_2):
                return self._take_back(RULES[2])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_3_b(one_animal_2):
                return self._take_back(RULES[2])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_4_a(one_animal_2):
                return self._take_back(RULES[3])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_4_b(one_animal_2):
                return self._take_back(RULES[3])
        for one_protocol in _distinct([self.protocols.get(one["protocol_id"]) for one in added_animals]):
            if self._breaks_rule_5(one_protocol):
                return self._take_back(RULES[4])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_6(one_animal_2):
                return self._take_back(RULES[5])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_8(one_animal_2):
                return self._take_back(RULES[7])
        for one_animal_2 in _distinct(added_animals):
            if self._breaks_rule_9(one_animal_2):
                return self._take_back(RULES[8])
        if self._breaks_rule_11_l(litter):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_l_again(litter):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def lose_litter(self, litter_id: str) -> Result:
        """Record that a litter was lost.

        Args:
            litter_id (str): Id of the litter, such as LITTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        litter = self.litters.get(litter_id)
        if litter is None:
            return _refused(f"There is no litter {litter_id!r}.")
        if litter["status"] != "nursing":
            return _refused(f"The litter of {self.animals[litter['dam_id']]['tag']} is {litter['status']}.")
        self._journal = []
        self._put("litters", litter, "status", "lost")
        if self._breaks_rule_11_l(litter):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_l_again(litter):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: record that the litter of {self.animals[litter['dam_id']]['tag']} was lost.",
            "data": self._changes(),
        }

    def assign_animal(self, animal_id: str, protocol_id: str) -> Result:
        """Assign an animal to a protocol, which counts for good.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            protocol_id (str): Id of the protocol, such as PROTOCOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        protocol = self.protocols.get(protocol_id)
        if protocol is None:
            return _refused(f"There is no protocol {protocol_id!r}.")
        if not self._alive(animal):
            return _refused(f"{animal['tag']} is dead.")
        if animal["protocol_id"] is not None:
            return _refused(f"{animal['tag']} belongs to {self.protocols[animal['protocol_id']]['number']}.")
        if animal["strain_id"] != protocol["strain_id"]:
            return _refused(
                f"{protocol['number']} is for {self.strains[protocol['strain_id']]['name']}, and {animal['tag']} "
                f"is {self.strains[animal['strain_id']]['name']}."
            )
        if protocol["expires"] < self.now[:10]:
            return _refused(f"{protocol['number']} expired on {protocol['expires']}.")
        if self._protocol_left(protocol) <= 0:
            return _refused(f"{protocol['number']} has used all {protocol['allowed']} animals, so have it amended.")
        if self._nursing(animal):
            return _refused(f"{animal['tag']} is nursing a litter.")
        self._journal = []
        former_protocol_id = animal["protocol_id"]
        self._put("animals", animal, "protocol_id", protocol_id)
        if self._breaks_rule_4_a(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(animal):
            return self._take_back(RULES[3])
        for one_protocol in _distinct(
            [self.protocols.get(animal["protocol_id"]), self.protocols.get(former_protocol_id)]
        ):
            if self._breaks_rule_5(one_protocol):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(animal):
            return self._take_back(RULES[5])
        for one_procedure in _distinct(self._procedures_by_animal.get(animal["id"], {}).values()):
            if self._breaks_rule_7(one_procedure):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: assign {animal['tag']} to {protocol['number']}.",
            "data": self._changes(),
        }

    def amend_protocol(
        self,
        protocol_id: str,
        more: Annotated[int, {"minimum": 1, "maximum": 100}] | None = None,
        expires: Date | None = None,
    ) -> Result:
        """Amend a protocol by more animals, a later end or both.

        Args:
            protocol_id (str): Id of the protocol, such as PROTOCOL-00001.
            more (int, optional): How many more animals are allowed, on top of the number before, from 1 to 100. If
                left out, the number of animals stays as it is.
            expires (str, optional): New last day of the protocol, later than before and within three years, as
                YYYY-MM-DD. If left out, the last day stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        protocol = self.protocols.get(protocol_id)
        if protocol is None:
            return _refused(f"There is no protocol {protocol_id!r}.")
        if more is None and expires is None:
            return _refused("Say what is amended.")
        if not (expires is None or protocol["expires"] < expires and expires <= _plus_days(self.now[:10], 1100)):
            return _refused(f"The new end must be later than {protocol['expires']}, within three years.")
        if protocol["allowed"] + (more if more is not None else 0) > 400:
            return _refused("A protocol has 400 animals at most.")
        self._journal = []
        allowed = protocol["allowed"] + (more if more is not None else 0)
        if not 1 <= allowed <= 400:
            return self._take_back(f"The allowed of {protocol['number']} must be between 1 and 400.")
        self._put("protocols", protocol, "allowed", allowed)
        self._put("protocols", protocol, "expires", expires if expires is not None else protocol["expires"])
        if self._breaks_rule_5(protocol):
            return self._take_back(RULES[4])
        done = f"amend {protocol['number']}"
        if more is not None:
            done += f" by {more} animals"
        if expires is not None:
            done += f" until {expires}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def record_procedure(
        self,
        animal_id: str,
        kind: Literal["injection", "blood_sample", "surgery", "imaging", "behaviour_test"],
        severity: Literal["mild", "moderate", "severe"],
    ) -> Result:
        """Record a procedure on an animal under its protocol.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            kind (str): What was done to the animal: injection, blood_sample, surgery, imaging or behaviour_test.
            severity (str): How severe it was for the animal, no more than its protocol allows: mild, moderate or
                severe.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        if not (self._alive(animal) and animal["cage_id"] is not None):
            return _refused(f"{animal['tag']} is dead.")
        if animal["protocol_id"] is None:
            return _refused(f"{animal['tag']} belongs to no protocol.")
        if self.protocols[animal["protocol_id"]]["expires"] < self.now[:10]:
            return _refused(
                f"{self.protocols[animal['protocol_id']]['number']} expired on "
                f"{self.protocols[animal['protocol_id']]['expires']}."
            )
        if self._harm(severity) > self._harm(self.protocols[animal["protocol_id"]]["most_severe"]):
            return _refused(
                f"{self.protocols[animal['protocol_id']]['number']} allows "
                f"{self.protocols[animal['protocol_id']]['most_severe']} procedures at most."
            )
        if not (severity != "severe" or not self._procedures_by_animal_severity.get((animal_id, "severe"), {})):
            return _refused(f"{animal['tag']} has been through a severe procedure.")
        if len(self._procedures_by_animal.get(animal_id, {})) >= 6:
            return _refused(f"{animal['tag']} has been through six procedures.")
        if any(p["on"] == self.now[:10] for p in self._procedures_by_animal.get(animal_id, {}).values()):
            return _refused(f"{animal['tag']} had a procedure today.")
        if self.rooms[self.cages[animal["cage_id"]]["room_id"]]["health"] == "infected":
            return _refused(f"{self.rooms[self.cages[animal['cage_id']]['room_id']]['name']} is infected.")
        self._journal = []
        procedure: Procedure = {
            "id": self._new_id("procedure", "PROCEDURE", self.procedures),
            "animal_id": animal_id,
            "kind": kind,
            "severity": severity,
            "on": self.now[:10],
        }
        self._add("procedures", procedure)
        if self._breaks_rule_7(procedure):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.animals[procedure["animal_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: record a {severity} procedure on {animal['tag']} (new: procedure {procedure['id']}).",
            "data": {"procedure_id": procedure["id"], **self._changes()},
        }

    def end_animal(self, animal_id: str, cause: Literal["end_of_study", "sick", "surplus", "found_dead"]) -> Result:
        """Record the death of an animal; a litter that it nurses is lost.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            cause (str): Why the animal died or was killed: end_of_study, sick, surplus or found_dead.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        if animal["ended_on"] is not None:
            return _refused(f"{animal['tag']} died on {animal['ended_on']}.")
        if cause == "surplus" and animal["protocol_id"] is not None:
            return _refused(f"{animal['tag']} belongs to a protocol and is no surplus.")
        if cause == "end_of_study" and animal["protocol_id"] is None:
            return _refused(f"{animal['tag']} is in no study.")
        self._journal = []
        changed_litters: list[Any] = []
        for l in sorted(self._litters_by_dam_status.get((animal_id, "nursing"), {}).values(), key=_age):
            if l["status"] not in ("nursing", "lost"):
                return self._take_back(f"Litter {l['id']} cannot go from {l['status']} to lost.")
            changed_litters.append(l)
            self._put("litters", l, "status", "lost")
        former_cage_id = animal["cage_id"]
        self._put("animals", animal, "cage_id", None)
        self._put("animals", animal, "ended_on", self.now[:10])
        self._put("animals", animal, "cause", cause)
        for one_cage in _distinct([self.cages.get(animal["cage_id"]), self.cages.get(former_cage_id)]):
            if self._breaks_rule_1(one_cage):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        for one_cage in _distinct([self.cages.get(animal["cage_id"]), self.cages.get(former_cage_id)]):
            if self._breaks_rule_2_c(one_cage):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_a(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_9(animal):
            return self._take_back(RULES[8])
        for one_litter in _distinct(changed_litters):
            if self._breaks_rule_11_l(one_litter):
                return self._take_back(RULES[10])
        for one_litter in _distinct(
            [*changed_litters, *self._litters_by_dam_status.get((animal["id"], "nursing"), {}).values()]
        ):
            if self._breaks_rule_11_l_again(one_litter):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: record the death of {animal['tag']}.", "data": self._changes()}

    def set_health(self, room_id: str, health: Literal["clean", "watched", "infected"]) -> Result:
        """Set the health status of a room after a test of its animals.

        Args:
            room_id (str): Id of the room, such as ROOM-00001.
            health (str): Health status that the test has shown, an infected room being watched next: clean,
                watched or infected.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if room["health"] == health:
            return _refused(f"{room['name']} is {health} already.")
        if room["health"] == "infected" and health != "watched":
            return _refused(f"After an infection {room['name']} is watched first.")
        self._journal = []
        if room["health"] != health and (room["health"], health) not in ROOM_HEALTH_MOVES:
            return self._take_back(f"Room {room['name']} cannot go from {room['health']} to {health}.")
        self._put("rooms", room, "health", health)
        return {"success": True, "message": f"Done: set {room['name']} to {health}.", "data": self._changes()}

    def _show_cage(self, cage: Cage) -> dict[str, Any]:
        """The cage as an answer shows it."""
        return {**cage, "animals": self._cage_animals(cage), "places": self._cage_places(cage)}

    def _show_protocol(self, protocol: Protocol) -> dict[str, Any]:
        """The protocol as an answer shows it."""
        return {**protocol, "left": self._protocol_left(protocol)}

    def _names_of_cages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cages point to."""
        return _names((self.rooms, "name", [row["room_id"] for row in shown]))

    def _names_of_protocols(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that protocols point to."""
        return _names((self.strains, "name", [row["strain_id"] for row in shown]))

    def _names_of_animals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that animals point to."""
        return _names(
            (self.strains, "name", [row["strain_id"] for row in shown]),
            (self.animals, "tag", [row["dam_id"] for row in shown]),
            (self.animals, "tag", [row["sire_id"] for row in shown]),
            (self.cages, "label", [row["cage_id"] for row in shown]),
            (self.protocols, "number", [row["protocol_id"] for row in shown]),
        )

    def _names_of_litters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that litters point to."""
        return _names(
            (self.animals, "tag", [row["dam_id"] for row in shown]),
            (self.animals, "tag", [row["sire_id"] for row in shown]),
        )

    def _names_of_procedures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that procedures point to."""
        return _names((self.animals, "tag", [row["animal_id"] for row in shown]))

    def _cage_animals(self, cage: Cage) -> int:
        """The animals of a cage."""
        return len(self._animals_by_cage.get(cage["id"], {}))

    def _cage_places(self, cage: Cage) -> int:
        """The places of a cage."""
        return cage["limit"] - self._cage_animals(cage)

    def _protocol_left(self, protocol: Protocol) -> int:
        """The left of a protocol."""
        return protocol["allowed"] - len(self._animals_by_protocol.get(protocol["id"], {}))

    def _harm(self, s: str) -> int:
        return 3 if s == "severe" else 2 if s == "moderate" else 1

    def _poor(self, h: str) -> int:
        return 2 if h == "infected" else 1 if h == "watched" else 0

    def _alive(self, a: Animal) -> bool:
        return a["ended_on"] is None

    def _in_cage(self, c: Cage) -> list[Animal]:
        return sorted(self._animals_by_cage.get(c["id"], {}).values(), key=_age)

    def _mixes(self, a: Animal, c: Cage) -> bool:
        return any(o["sex"] != a["sex"] for o in self._animals_by_cage.get(c["id"], {}).values() if o is not a)

    def _nursing(self, a: Animal) -> bool:
        return bool(self._litters_by_dam_status.get((a["id"], "nursing"), {}))

    def _suits(self, a: Animal, c: Cage) -> bool:
        return (
            self._cage_places(c) > 0
            and not any(
                self.strains[o["strain_id"]]["species"] != self.strains[a["strain_id"]]["species"]
                for o in self._animals_by_cage.get(c["id"], {}).values()
            )
            and (
                c["purpose"] != "experiment"
                or a["protocol_id"] is not None
                and not any(
                    o["protocol_id"] != a["protocol_id"]
                    for o in self._animals_by_cage.get(c["id"], {}).values()
                )
            )
            and (
                not self._mixes(a, c)
                or c["purpose"] == "breeding"
                and (
                    a["sex"] == "female"
                    or not any(o["sex"] == "male" for o in self._animals_by_cage.get(c["id"], {}).values())
                )
            )
        )

    def _breaks_rule_1(self, c: Cage) -> bool:
        """Whether this is broken: a cage holds no more animals than its limit."""
        return self._cage_places(c) < 0

    def _breaks_rule_2_a(self, a: Animal) -> bool:
        """Whether this is broken: females and males share a cage for breeding only, and there is one male at most.
        """
        return (
            a["cage_id"] is not None
            and any(
                a["sex"] != b["sex"]
                and self.cages[a["cage_id"]]["purpose"] != "breeding"
                for b in self._animals_by_cage.get(a["cage_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2_b(self, b: Animal) -> bool:
        """Whether this is broken: females and males share a cage for breeding only, and there is one male at most.
        """
        return any(
            a["sex"] != b["sex"]
            and self.cages[a["cage_id"]]["purpose"] != "breeding"
            for a in self._animals_by_cage.get(b["cage_id"], {}).values()
            if a is not b
            and a["cage_id"] is not None
        )

    def _breaks_rule_2_c(self, c: Cage) -> bool:
        """Whether this is broken: females and males share a cage for breeding only, and there is one male at most.
        """
        return c["purpose"] == "breeding" and len(self._animals_by_sex_cage.get(("male", c["id"]), {})) > 1

    def _breaks_rule_3_a(self, a: Animal) -> bool:
        """Whether this is broken: mice and rats never share a cage."""
        return (
            a["cage_id"] is not None
            and any(
                self.strains[a["strain_id"]]["species"] != self.strains[b["strain_id"]]["species"]
                for b in self._animals_by_cage.get(a["cage_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_3_b(self, b: Animal) -> bool:
        """Whether this is broken: mice and rats never share a cage."""
        return any(
            self.strains[a["strain_id"]]["species"] != self.strains[b["strain_id"]]["species"]
            for a in self._animals_by_cage.get(b["cage_id"], {}).values()
            if a is not b
            and a["cage_id"] is not None
        )

    def _breaks_rule_4_a(self, a: Animal) -> bool:
        """Whether this is broken: a cage for experiments holds animals of one protocol."""
        return (
            a["cage_id"] is not None
            and self.cages[a["cage_id"]]["purpose"] == "experiment"
            and any(
                a["protocol_id"] is None
                or a["protocol_id"] != b["protocol_id"]
                for b in self._animals_by_cage.get(a["cage_id"], {}).values()
            )
        )

    def _breaks_rule_4_b(self, b: Animal) -> bool:
        """Whether this is broken: a cage for experiments holds animals of one protocol."""
        return any(
            a["protocol_id"] is None
            or a["protocol_id"] != b["protocol_id"]
            for a in self._animals_by_cage.get(b["cage_id"], {}).values()
            if a["cage_id"] is not None
            and self.cages[a["cage_id"]]["purpose"] == "experiment"
        )

    def _breaks_rule_5(self, p: Protocol) -> bool:
        """Whether this is broken: a protocol never uses more animals than it was allowed."""
        return self._protocol_left(p) < 0

    def _breaks_rule_6(self, a: Animal) -> bool:
        """Whether this is broken: a protocol uses animals of its strain."""
        return a["protocol_id"] is not None and self.protocols[a["protocol_id"]]["strain_id"] != a["strain_id"]

    def _breaks_rule_7(self, p: Procedure) -> bool:
        """Whether this is broken: no procedure is more severe than the protocol of the animal allows."""
        return (
            self.animals[p["animal_id"]]["protocol_id"] is None
            or self._harm(p["severity"]) > self._harm(
                self.protocols[self.animals[p["animal_id"]]["protocol_id"]]["most_severe"]
            )
        )

    def _breaks_rule_8(self, a: Animal) -> bool:
        """Whether this is broken: an animal goes through one severe procedure at most, and through six in all."""
        return (
            len(self._procedures_by_animal_severity.get((a["id"], "severe"), {})) > 1
            or len(self._procedures_by_animal.get(a["id"], {})) > 6
        )

    def _breaks_rule_9(self, a: Animal) -> bool:
        """Whether this is broken: a living animal is in a cage, a dead one is in none and its cause is known."""
        return self._alive(a) != (a["cage_id"] is not None) or self._alive(a) != (a["cause"] is None)

    def _breaks_rule_10(self, l: Litter) -> bool:
        """Whether this is broken: only animals of one strain are bred with each other."""
        return self.animals[l["dam_id"]]["strain_id"] != self.animals[l["sire_id"]]["strain_id"]

    def _breaks_rule_11_l(self, l: Litter) -> bool:
        """Whether this is broken: a female nurses one litter at a time and is alive."""
        return (
            l["status"] == "nursing"
            and any(
                other_l is not l
                for other_l in self._litters_by_dam_status.get((l["dam_id"], "nursing"), {}).values()
            )
        )

    def _breaks_rule_11_l_again(self, l: Litter) -> bool:
        """Whether this is broken: a female nurses one litter at a time and is alive."""
        return l["status"] == "nursing" and not self._alive(self.animals[l["dam_id"]])

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
                self._animals_by_cage.setdefault(record["cage_id"], {})[record["id"]] = record
                self._animals_by_lower_tag.setdefault(record["tag"].lower(), {})[record["id"]] = record
                self._animals_by_protocol.setdefault(record["protocol_id"], {})[record["id"]] = record
                self._animals_by_sex_cage.setdefault((record["sex"], record["cage_id"]), {})[record["id"]] = record
                self._animals_by_strain.setdefault(record["strain_id"], {})[record["id"]] = record
                self._animals_by_tag.setdefault(record["tag"], {})[record["id"]] = record
            case "litters":
                self._litters_by_dam.setdefault(record["dam_id"], {})[record["id"]] = record
                self._litters_by_dam_status.setdefault((record["dam_id"], record["status"]), {})[record["id"]] = record
            case "procedures":
                self._procedures_by_animal.setdefault(record["animal_id"], {})[record["id"]] = record
                self._procedures_by_animal_severity.setdefault(
                    (record["animal_id"], record["severity"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "animals":
                del self._animals_by_cage[record["cage_id"]][record["id"]]
                del self._animals_by_lower_tag[record["tag"].lower()][record["id"]]
                del self._animals_by_protocol[record["protocol_id"]][record["id"]]
                del self._animals_by_sex_cage[record["sex"], record["cage_id"]][record["id"]]
                del self._animals_by_strain[record["strain_id"]][record["id"]]
                del self._animals_by_tag[record["tag"]][record["id"]]
            case "litters":
                del self._litters_by_dam[record["dam_id"]][record["id"]]
                del self._litters_by_dam_status[record["dam_id"], record["status"]][record["id"]]
            case "procedures":
                del self._procedures_by_animal[record["animal_id"]][record["id"]]
                del self._procedures_by_animal_severity[record["animal_id"], record["severity"]][record["id"]]
