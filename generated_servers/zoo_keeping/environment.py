"""Zoo keeping. Compiled from blueprint.yaml; run `envscaler build zoo_keeping` after changing it there.

Keeps the animals of a small zoo, in enclosures with species that get along, breeds unrelated pairs, sends and
receives animals with quarantine, feeds them and trains their keepers.
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
    "Every animal has the space that its species needs.",
    "Species that do not get along never share an enclosure.",
    "Animals from warm countries live where it is heated.",
    "Animals in quarantine are in the quarantine rooms, and no others are.",
    "Dangerous animals have a keeper who is trained for them.",
    "An animal is in one pair at a time, with one of its species that lives with it.",
    "Relatives never breed.",
    "An animal that has gone or died has no enclosure, no pair and no transfer ahead, and a dead one has its day of death.",
    "Only one transfer of an animal is planned at a time.",
    "Animals in quarantine are not in pairs.",
    "Nobody has more than two parents, and no animal descends from itself.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_animal",
    "move_animal",
    "pair_animals",
    "end_pair",
    "record_birth",
    "plan_transfer",
    "change_transfer",
    "complete_transfer",
    "record_death",
    "train_keeper",
    "assign_keeper",
    "deliver_feed",
    "feed_enclosure",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "feeds": ("name",),
    "specieses": ("name",),
    "keepers": ("name",),
    "enclosures": ("name",),
    "animals": ("name",),
    "pairs": (),
    "transfers": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("animals", "enclosure_id"),
    ("animals", "name"),
    ("animals", "parent_ids"),
    ("animals", "species_id"),
    ("enclosures", "keeper_id"),
    ("pairs", "female_id"),
    ("pairs", "male_id"),
    ("specieses", "eats_id"),
    ("transfers", "animal_id"),
    ("transfers", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Feed(TypedDict):
    id: str
    name: str
    stock: int


class Species(TypedDict):
    id: str
    name: str
    dangerous: bool
    warmth: bool
    space: int
    adult_at: int
    eats_id: str
    grams: int
    not_with_ids: list[str]


class Keeper(TypedDict):
    id: str
    name: str
    trained_ids: list[str]


class Enclosure(TypedDict):
    id: str
    name: str
    area: int
    heated: bool
    quarantine: bool
    keeper_id: str
    fed_on: str | None


class Animal(TypedDict):
    id: str
    name: str
    species_id: str
    sex: Literal["female", "male"]
    born: str
    parent_ids: list[str]
    enclosure_id: str | None
    quarantine_until: str | None
    died_on: str | None
    status: Literal["here", "gone", "dead"]


class Pair(TypedDict):
    id: str
    female_id: str
    male_id: str
    since: str
    ended: bool


class Transfer(TypedDict):
    id: str
    animal_id: str
    zoo: str
    planned_for: str
    status: Literal["planned", "done", "cancelled"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _years(start: str, end: str) -> int:
    """Whole years from start to end."""
    return int(end[:4]) - int(start[:4]) - (end[5:] < start[5:])


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


class ZooKeeping:
    """Keeps the animals of a small zoo, in enclosures with species that get along, breeds unrelated pairs,
    sends and receives animals with quarantine, feeds them and trains their keepers.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.feeds: dict[str, Feed] = _copied(config.get("feeds", {}))
        self.specieses: dict[str, Species] = _copied(config.get("specieses", {}))
        self.keepers: dict[str, Keeper] = _copied(config.get("keepers", {}))
        self.enclosures: dict[str, Enclosure] = _copied(config.get("enclosures", {}))
        self.animals: dict[str, Animal] = _copied(config.get("animals", {}))
        self.pairs: dict[str, Pair] = _copied(config.get("pairs", {}))
        self.transfers: dict[str, Transfer] = _copied(config.get("transfers", {}))
        self.now: str = config.get("now", "2026-08-20T07:15")
        self.counters: dict[str, int] = {
            "feed": len(self.feeds),
            "species": len(self.specieses),
            "keeper": len(self.keepers),
            "enclosure": len(self.enclosures),
            "animal": len(self.animals),
            "pair": len(self.pairs),
            "transfer": len(self.transfers),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._specieses_by_eats: dict[Any, dict[str, Species]] = {}
        self._enclosures_by_keeper: dict[Any, dict[str, Enclosure]] = {}
        self._animals_by_enclosure: dict[Any, dict[str, Animal]] = {}
        self._animals_by_name: dict[Any, dict[str, Animal]] = {}
        self._animals_by_parents: dict[Any, dict[str, Animal]] = {}
        self._animals_by_species: dict[Any, dict[str, Animal]] = {}
        self._pairs_by_female: dict[Any, dict[str, Pair]] = {}
        self._pairs_by_male: dict[Any, dict[str, Pair]] = {}
        self._transfers_by_animal_status: dict[Any, dict[str, Transfer]] = {}
        for species in self.specieses.values():
            self._link("specieses", species)
        for enclosure in self.enclosures.values():
            self._link("enclosures", enclosure)
        for animal in self.animals.values():
            self._link("animals", animal)
        for pair in self.pairs.values():
            self._link("pairs", pair)
        for transfer in self.transfers.values():
            self._link("transfers", transfer)

    def homes_for(self, animal_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Enclosures in which an animal could live, the one with most free space first.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enclosures": records}} or {"success": False, "error":
                why not}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        found = [
            e
            for e in self.enclosures.values()
            if self._suits(e, self.specieses[animal["species_id"]])
            and (animal["enclosure_id"] is None or e["id"] != animal["enclosure_id"])
        ]
        found.sort(key=lambda e: (-self._enclosure_free_area(e), e["name"], _age(e)))
        return _found(
            {
                "total": len(found),
                "enclosures": [
                    {
                        "id": e["id"],
                        "name": e["name"],
                        "free_area": self._enclosure_free_area(e),
                        "keeper": self.keepers[e["keeper_id"]]["name"],
                    }
                    for e in _page(found, offset)
                ],
            }
        )

    def mates_for(self, animal_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Grown, single and unrelated animals of the other sex and the same species, the youngest first.

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
        found = [
            b
            for b in self._animals_by_species.get(animal["species_id"], {}).values()
            if (b["status"] == "here" and b["species_id"] == animal["species_id"] and b["sex"] != animal["sex"])
            and (self._grown(b, self.now[:10]) and self._paired(b) is None and b["quarantine_until"] is None)
            and not self._related(animal, b)
        ]
        found.sort(key=lambda b: (_descending(b["born"]), b["name"], _age(b)))
        shown = [
            {
                "id": b["id"],
                "name": b["name"],
                "born": b["born"],
                "enclosure_id": b["enclosure_id"],
                "leaving_on": next(
                    (
                        t["planned_for"]
                        for t in sorted(
                            self._transfers_by_animal_status.get((b["id"], "planned"), {}).values(),
                            key=_age,
                        )
                    ),
                    None,
                ),
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "animals": shown},
            _names((self.enclosures, "name", [row["enclosure_id"] for row in shown])),
        )

    def list_feeds(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the feeds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only feeds whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "feeds": records}}
        """
        found = [feed for feed in self.feeds.values() if (name is None or name.casefold() in feed["name"].casefold())]
        return _found({"total": len(found), "feeds": [self._show_feed(feed) for feed in _page(found, offset)]})

    def list_specieses(
        self,
        name: Text | None = None,
        dangerous: bool | None = None,
        warmth: bool | None = None,
        eats_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the specieses, oldest first, all of them or only some.

        Args:
            name (str, optional): Only specieses whose name contains this text.
            dangerous (bool, optional): Only specieses that are dangerous (true) or not (false).
            warmth (bool, optional): Only specieses with this value of `warmth`.
            eats_id (str, optional): Only specieses whose eats is this feed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "specieses": records}}
        """
        if eats_id is not None and eats_id not in self.feeds:
            return _refused(f"There is no feed {eats_id!r}.")
        found = [
            species
            for species in self.specieses.values()
            if (name is None or name.casefold() in species["name"].casefold())
            and (dangerous is None or species["dangerous"] == dangerous)
            and (warmth is None or species["warmth"] == warmth)
            and (eats_id is None or species["eats_id"] == eats_id)
        ]
        shown = [self._show_species(species) for species in _page(found, offset)]
        return _found({"total": len(found), "specieses": shown}, self._names_of_specieses(shown))

    def list_keepers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the keepers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only keepers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "keepers": records}}
        """
        found = [
            keeper
            for keeper in self.keepers.values()
            if (name is None or name.casefold() in keeper["name"].casefold())
        ]
        shown = [self._show_keeper(keeper) for keeper in _page(found, offset)]
        return _found({"total": len(found), "keepers": shown}, self._names_of_keepers(shown))

    def list_enclosures(
        self,
        name: Text | None = None,
        heated: bool | None = None,
        quarantine: bool | None = None,
        keeper_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the enclosures, oldest first, all of them or only some.

        Args:
            name (str, optional): Only enclosures whose name contains this text.
            heated (bool, optional): Only enclosures that are heated (true) or not (false).
            quarantine (bool, optional): Only enclosures with this value of `quarantine`.
            keeper_id (str, optional): Only enclosures of this keeper.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enclosures": records}}
        """
        if keeper_id is not None and keeper_id not in self.keepers:
            return _refused(f"There is no keeper {keeper_id!r}.")
        found = [
            enclosure
            for enclosure in self.enclosures.values()
            if (name is None or name.casefold() in enclosure["name"].casefold())
            and (heated is None or enclosure["heated"] == heated)
            and (quarantine is None or enclosure["quarantine"] == quarantine)
            and (keeper_id is None or enclosure["keeper_id"] == keeper_id)
        ]
        shown = [self._show_enclosure(enclosure) for enclosure in _page(found, offset)]
        return _found({"total": len(found), "enclosures": shown}, self._names_of_enclosures(shown))

    def list_animals(
        self,
        name: Text | None = None,
        species_id: str | None = None,
        sex: Literal["female", "male"] | None = None,
        enclosure_id: str | None = None,
        status: Literal["here", "gone", "dead"] | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the animals, oldest first, all of them or only some.

        Args:
            name (str, optional): Only animals whose name contains this text.
            species_id (str, optional): Only animals of this species.
            sex (str, optional): Only animals with this sex.
            enclosure_id (str, optional): Only animals of this enclosure.
            status (str, optional): Only animals with this status.
            born_from (str, optional): Only animals whose `born` is on this day or later.
            born_to (str, optional): Only animals whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "animals": records}}
        """
        if species_id is not None and species_id not in self.specieses:
            return _refused(f"There is no species {species_id!r}.")
        if enclosure_id is not None and enclosure_id not in self.enclosures:
            return _refused(f"There is no enclosure {enclosure_id!r}.")
        found = [
            animal
            for animal in self.animals.values()
            if (name is None or name.casefold() in animal["name"].casefold())
            and (species_id is None or animal["species_id"] == species_id)
            and (sex is None or animal["sex"] == sex)
            and (enclosure_id is None or animal["enclosure_id"] == enclosure_id)
            and (status is None or animal["status"] == status)
            and (born_from is None or animal["born"] >= born_from)
            and (born_to is None or animal["born"] <= born_to)
        ]
        shown = [self._show_animal(animal) for animal in _page(found, offset)]
        return _found({"total": len(found), "animals": shown}, self._names_of_animals(shown))

    def list_pairs(
        self,
        female_id: str | None = None,
        male_id: str | None = None,
        ended: bool | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pairs, oldest first, all of them or only some.

        Args:
            female_id (str, optional): Only pairs whose female is this animal.
            male_id (str, optional): Only pairs whose male is this animal.
            ended (bool, optional): Only pairs that are ended (true) or not (false).
            since_from (str, optional): Only pairs whose `since` is on this day or later.
            since_to (str, optional): Only pairs whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pairs": records}}
        """
        if female_id is not None and female_id not in self.animals:
            return _refused(f"There is no animal {female_id!r}.")
        if male_id is not None and male_id not in self.animals:
            return _refused(f"There is no animal {male_id!r}.")
        found = [
            pair
            for pair in self.pairs.values()
            if (female_id is None or pair["female_id"] == female_id)
            and (male_id is None or pair["male_id"] == male_id)
            and (ended is None or pair["ended"] == ended)
            and (since_from is None or pair["since"] >= since_from)
            and (since_to is None or pair["since"] <= since_to)
        ]
        shown = [self._show_pair(pair) for pair in _page(found, offset)]
        return _found({"total": len(found), "pairs": shown}, self._names_of_pairs(shown))

    def list_transfers(
        self,
        animal_id: str | None = None,
        status: Literal["planned", "done", "cancelled"] | None = None,
        planned_for_from: Date | None = None,
        planned_for_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the transfers, oldest first, all of them or only some.

        Args:
            animal_id (str, optional): Only transfers of this animal.
            status (str, optional): Only transfers with this status.
            planned_for_from (str, optional): Only transfers whose `planned_for` is on this day or later.
            planned_for_to (str, optional): Only transfers whose `planned_for` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "transfers": records}}
        """
        if animal_id is not None and animal_id not in self.animals:
            return _refused(f"There is no animal {animal_id!r}.")
        found = [
            transfer
            for transfer in self.transfers.values()
            if (animal_id is None or transfer["animal_id"] == animal_id)
            and (status is None or transfer["status"] == status)
            and (planned_for_from is None or transfer["planned_for"] >= planned_for_from)
            and (planned_for_to is None or transfer["planned_for"] <= planned_for_to)
        ]
        shown = [{**transfer} for transfer in _page(found, offset)]
        return _found({"total": len(found), "transfers": shown}, self._names_of_transfers(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_animal(
        self,
        name: Text,
        species_id: str,
        sex: Literal["female", "male"],
        born: Date,
        room_id: str,
    ) -> Result:
        """Receive an animal from another zoo into a quarantine room, for 30 days.

        Args:
            name (str): Name of the animal, not in use yet.
            species_id (str): Id of the species, such as SPECIES-00001.
            sex (str): Sex of the animal: female or male.
            born (str): Day on which it was born, before today, as YYYY-MM-DD.
            room_id (str): Quarantine room where it will live; an id such as ENCLOSURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        species = self.specieses.get(species_id)
        if species is None:
            return _refused(f"There is no species {species_id!r}.")
        room = self.enclosures.get(room_id)
        if room is None:
            return _refused(f"There is no enclosure {room_id!r}.")
        if self._animals_by_name.get(name, {}):
            return _refused(f"There is an animal called {name}.")
        if born >= self.now[:10]:
            return _refused(f"{born} is not past.")
        if not room["quarantine"]:
            return _refused(f"{room['name']} is no quarantine room.")
        if not room["heated"] and species["warmth"]:
            return _refused(f"{room['name']} is not heated.")
        if self._enclosure_free_area(room) < species["space"]:
            return _refused(
                f"{room['name']} has {self._enclosure_free_area(room)} square metres left, not {species['space']}."
            )
        other = self._rival(room, species)
        if other is not None:
            return _refused(f"{other['name']} is in {room['name']} and does not get along with {species['name']}.")
        if species["dangerous"] and species_id not in self.keepers[room["keeper_id"]]["trained_ids"]:
            return _refused(f"{self.keepers[room['keeper_id']]['name']} is not trained for {species['name']}.")
        self._journal = []
        animal: Animal = {
            "id": self._new_id("animal", "ANIMAL", self.animals),
            "name": name,
            "species_id": species_id,
            "sex": sex,
            "born": born,
            "parent_ids": [record["id"] for record in []],
            "enclosure_id": room_id,
            "quarantine_until": _plus_days(self.now[:10], 30),
            "died_on": None,
            "status": "here",
        }
        self._add("animals", animal)
        if len(self._animals_by_name.get(animal["name"], {})) > 1:
            return self._take_back(f"There is already an animal with the name {animal['name']!r}.")
        for one_enclosure in _distinct([self.enclosures.get(animal["enclosure_id"])]):
            if self._breaks_rule_1(one_enclosure):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(animal):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: receive {name} into {room['name']} (new: animal {animal['id']}).",
            "data": {"animal_id": animal["id"], **self._changes()},
        }

    def move_animal(self, animal_id: str, enclosure_id: str) -> Result:
        """Move an animal that is not in a pair to another enclosure, out of quarantine too when its time is over.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            enclosure_id (str): Id of the enclosure, such as ENCLOSURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        enclosure = self.enclosures.get(enclosure_id)
        if enclosure is None:
            return _refused(f"There is no enclosure {enclosure_id!r}.")
        if animal["status"] != "here" or animal["enclosure_id"] is None:
            return _refused(f"{animal['name']} is {animal['status']}.")
        if animal["enclosure_id"] == enclosure_id:
            return _refused(f"{animal['name']} lives in {enclosure['name']}.")
        if enclosure["quarantine"]:
            return _refused(f"{enclosure['name']} is for quarantine.")
        if animal["quarantine_until"] is not None and animal["quarantine_until"] > self.now[:10]:
            return _refused(f"{animal['name']} is in quarantine until {animal['quarantine_until']}.")
        pair = self._paired(animal)
        if pair is not None:
            return _refused(
                f"{self.animals[pair['female_id']]['name']} and {self.animals[pair['male_id']]['name']} are a "
                "pair; end that first."
            )
        if not enclosure["heated"] and self.specieses[animal["species_id"]]["warmth"]:
            return _refused(f"{enclosure['name']} is not heated.")
        if self._enclosure_free_area(enclosure) < self.specieses[animal["species_id"]]["space"]:
            return _refused(
                f"{enclosure['name']} has {self._enclosure_free_area(enclosure)} square metres left, not "
                f"{self.specieses[animal['species_id']]['space']}."
            )
        other = self._rival(enclosure, self.specieses[animal["species_id"]])
        if other is not None:
            return _refused(
                f"{other['name']} lives in {enclosure['name']} and does not get along with "
                f"{self.specieses[animal['species_id']]['name']}."
            )
        if (
            self.specieses[animal["species_id"]]["dangerous"]
            and animal["species_id"] not in self.keepers[enclosure["keeper_id"]]["trained_ids"]
        ):
            return _refused(
                f"{self.keepers[enclosure['keeper_id']]['name']} is not trained for "
                f"{self.specieses[animal['species_id']]['name']}."
            )
        self._journal = []
        self._put("animals", animal, "quarantine_until", None)
        former_enclosure_id = animal["enclosure_id"]
        self._put("animals", animal, "enclosure_id", enclosure_id)
        for one_enclosure in _distinct(
            [self.enclosures.get(animal["enclosure_id"]), self.enclosures.get(former_enclosure_id)]
        ):
            if self._breaks_rule_1(one_enclosure):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(animal):
            return self._take_back(RULES[4])
        for one_pair in _distinct(
            [
                *self._pairs_by_female.get(animal["id"], {}).values(),
                *self._pairs_by_male.get(animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6_p_again_again(one_pair):
                return self._take_back(RULES[5])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        for one_pair in _distinct(
            [
                *self._pairs_by_female.get(animal["id"], {}).values(),
                *self._pairs_by_male.get(animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_pair):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: move {animal['name']} to {enclosure['name']}.",
            "data": self._changes(),
        }

    def pair_animals(self, female_id: str, male_id: str) -> Result:
        """Let two grown, unrelated animals that live together breed.

        Args:
            female_id (str): Grown female of the pair; an id such as ANIMAL-00001.
            male_id (str): Grown male of the same species and enclosure, unrelated to the female; an id such as
                ANIMAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        female = self.animals.get(female_id)
        if female is None:
            return _refused(f"There is no animal {female_id!r}.")
        male = self.animals.get(male_id)
        if male is None:
            return _refused(f"There is no animal {male_id!r}.")
        if female["sex"] != "female" or male["sex"] != "male" or female["species_id"] != male["species_id"]:
            return _refused("A pair is a female and a male of one species.")
        if female["status"] != "here" or male["status"] != "here" or female["enclosure_id"] != male["enclosure_id"]:
            return _refused(f"{female['name']} and {male['name']} do not live together.")
        if female["quarantine_until"] is not None or male["quarantine_until"] is not None:
            return _refused("One of them is in quarantine.")
        if not (self._grown(female, self.now[:10]) and self._grown(male, self.now[:10])):
            return _refused("One of them is too young.")
        if self._paired(female) is not None or self._paired(male) is not None:
            return _refused("One of them is in a pair already.")
        if self._related(female, male):
            return _refused(f"{female['name']} and {male['name']} are related.")
        self._journal = []
        pair: Pair = {
            "id": self._new_id("pair", "PAIR", self.pairs),
            "female_id": female_id,
            "male_id": male_id,
            "since": self.now[:10],
            "ended": False,
        }
        self._add("pairs", pair)
        if self._breaks_rule_6_p(pair):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_p_again(pair):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_p_again_again(pair):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(pair):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_p(pair):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(pair):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: pair {female['name']} with {male['name']} (new: pair {pair['id']}).",
            "data": {"pair_id": pair["id"], **self._changes()},
        }

    def end_pair(self, pair_id: str) -> Result:
        """End a breeding pair.

        Args:
            pair_id (str): Id of the pair, such as PAIR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pair = self.pairs.get(pair_id)
        if pair is None:
            return _refused(f"There is no pair {pair_id!r}.")
        if pair["ended"]:
            return _refused("The pair has ended.")
        self._journal = []
        self._put("pairs", pair, "ended", True)
        if self._breaks_rule_6_p(pair):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_p_again(pair):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_p_again_again(pair):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_p(pair):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(pair):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: end the pair of {self.animals[pair['female_id']]['name']} and "
                f"{self.animals[pair['male_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def record_birth(self, pair_id: str, name: Text, sex: Literal["female", "male"]) -> Result:
        """Record a young animal of a pair, which lives with its parents.

        Args:
            pair_id (str): Id of the pair, such as PAIR-00001.
            name (str): Name of the young animal, not in use yet.
            sex (str): Sex of the young animal: female or male.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pair = self.pairs.get(pair_id)
        if pair is None:
            return _refused(f"There is no pair {pair_id!r}.")
        if pair["ended"] or self.animals[pair["female_id"]]["enclosure_id"] is None:
            return _refused("The pair has ended.")
        if self._animals_by_name.get(name, {}):
            return _refused(f"There is an animal called {name}.")
        if self._enclosure_free_area(
            self.enclosures[self.animals[pair["female_id"]]["enclosure_id"]]
        ) < self.specieses[self.animals[pair["female_id"]]["species_id"]]["space"]:
            return _refused(
                f"{self.enclosures[self.animals[pair['female_id']]['enclosure_id']]['name']} has no space for "
                "another one; move an animal out first."
            )
        done = f"record the birth of {name} to {self.animals[pair['female_id']]['name']} and {self.animals[pair['male_id']]['name']}"
        self._journal = []
        animal: Animal = {
            "id": self._new_id("animal", "ANIMAL", self.animals),
            "name": name,
            "species_id": self.animals[pair["female_id"]]["species_id"],
            "sex": sex,
            "born": self.now[:10],
            "parent_ids": [
                record["id"]
                for record in [self.animals[pair["female_id"]], self.animals[pair["male_id"]]]
            ],
            "enclosure_id": self.animals[pair["female_id"]]["enclosure_id"],
            "quarantine_until": None,
            "died_on": None,
            "status": "here",
        }
        self._add("animals", animal)
        if len(self._animals_by_name.get(animal["name"], {})) > 1:
            return self._take_back(f"There is already an animal with the name {animal['name']!r}.")
        for one_enclosure in _distinct([self.enclosures.get(animal["enclosure_id"])]):
            if self._breaks_rule_1(one_enclosure):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(animal):
            return self._take_back(RULES[4])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(animal):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: animal {animal['id']}).",
            "data": {"animal_id": animal["id"], **self._changes()},
        }

    def plan_transfer(self, animal_id: str, zoo: Text, planned_for: Date) -> Result:
        """Plan to send an animal to another zoo.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.
            zoo (str): Name of the zoo that takes the animal.
            planned_for (str): Day of the transfer, after today and after any quarantine, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        if animal["status"] != "here":
            return _refused(f"{animal['name']} is {animal['status']}.")
        if planned_for <= self.now[:10]:
            return _refused(f"{planned_for} is not ahead.")
        if animal["quarantine_until"] is not None and animal["quarantine_until"] > planned_for:
            return _refused(f"{animal['name']} is in quarantine until {animal['quarantine_until']}.")
        other = self._leaving(animal)
        if other is not None:
            return _refused(f"{animal['name']} is to go to {other['zoo']} on {other['planned_for']}.")
        self._journal = []
        transfer: Transfer = {
            "id": self._new_id("transfer", "TRANSFER", self.transfers),
            "animal_id": animal_id,
            "zoo": zoo,
            "planned_for": planned_for,
            "status": "planned",
        }
        self._add("transfers", transfer)
        if self._breaks_rule_8_t(transfer):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(transfer):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: plan to send {animal['name']} to {zoo} on {planned_for} (new: transfer {transfer['id']})."
            ),
            "data": {"transfer_id": transfer["id"], **self._changes()},
        }

    def change_transfer(self, transfer_id: str, planned_for: Date | None = None) -> Result:
        """Plan a transfer for another day, or cancel it where no day is given.

        Args:
            transfer_id (str): Id of the transfer, such as TRANSFER-00001.
            planned_for (str, optional): New day of the transfer, from today on, as YYYY-MM-DD. If left out, the
                transfer is cancelled.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transfer = self.transfers.get(transfer_id)
        if transfer is None:
            return _refused(f"There is no transfer {transfer_id!r}.")
        if transfer["status"] != "planned":
            return _refused(f"The transfer of {self.animals[transfer['animal_id']]['name']} is {transfer['status']}.")
        if planned_for is not None and planned_for < self.now[:10]:
            return _refused(f"{planned_for} is past.")
        self._journal = []
        changed_transfers: list[Any] = []
        if planned_for is not None:
            self._put("transfers", transfer, "planned_for", planned_for)
        else:
            changed_transfers.append(transfer)
            self._put("transfers", transfer, "status", "cancelled")
        for one_transfer in _distinct(changed_transfers):
            if self._breaks_rule_8_t(one_transfer):
                return self._take_back(RULES[7])
        for one_transfer in _distinct(changed_transfers):
            if self._breaks_rule_9(one_transfer):
                return self._take_back(RULES[8])
        done = f"change the transfer of {self.animals[transfer['animal_id']]['name']}"
        if planned_for is not None:
            done += f" to {planned_for}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def complete_transfer(self, transfer_id: str) -> Result:
        """Note that an animal has left for another zoo.

        Args:
            transfer_id (str): Id of the transfer, such as TRANSFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transfer = self.transfers.get(transfer_id)
        if transfer is None:
            return _refused(f"There is no transfer {transfer_id!r}.")
        if transfer["status"] != "planned":
            return _refused(f"The transfer of {self.animals[transfer['animal_id']]['name']} is {transfer['status']}.")
        if transfer["planned_for"] > self.now[:10]:
            return _refused(
                f"{self.animals[transfer['animal_id']]['name']} is to leave on {transfer['planned_for']}; plan "
                "another day first."
            )
        pair = self._paired(self.animals[transfer["animal_id"]])
        if pair is not None:
            return _refused(
                f"{self.animals[pair['female_id']]['name']} and {self.animals[pair['male_id']]['name']} are a "
                "pair; end that first."
            )
        if (
            self.animals[transfer["animal_id"]]["quarantine_until"] is not None
            and self.animals[transfer["animal_id"]]["quarantine_until"] > self.now[:10]
        ):
            return _refused(
                f"{self.animals[transfer['animal_id']]['name']} is in quarantine until "
                f"{self.animals[transfer['animal_id']]['quarantine_until']}."
            )
        self._journal = []
        self._put("transfers", transfer, "status", "done")
        animal = self.animals[transfer["animal_id"]]
        former_enclosure_id = animal["enclosure_id"]
        self._put("animals", animal, "enclosure_id", None)
        its_animal = self.animals[transfer["animal_id"]]
        self._put("animals", its_animal, "quarantine_until", None)
        its_animal_2 = self.animals[transfer["animal_id"]]
        if its_animal_2["status"] not in ("here", "gone"):
            return self._take_back(f"Animal {its_animal_2['name']} cannot go from {its_animal_2['status']} to gone.")
        self._put("animals", its_animal_2, "status", "gone")
        for one_enclosure in _distinct(
            [self.enclosures.get(animal["enclosure_id"]), self.enclosures.get(former_enclosure_id)]
        ):
            if self._breaks_rule_1(one_enclosure):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(its_animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(animal):
            return self._take_back(RULES[4])
        for one_pair in _distinct(
            [
                *self._pairs_by_female.get(animal["id"], {}).values(),
                *self._pairs_by_male.get(animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6_p_again_again(one_pair):
                return self._take_back(RULES[5])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a(its_animal_2):
            return self._take_back(RULES[7])
        for one_pair in _distinct(
            [
                *self._pairs_by_female.get(its_animal_2["id"], {}).values(),
                *self._pairs_by_male.get(its_animal_2["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8_p(one_pair):
                return self._take_back(RULES[7])
        for one_transfer in _distinct(
            [transfer, *self._transfers_by_animal_status.get((its_animal_2["id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_8_t(one_transfer):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(transfer):
            return self._take_back(RULES[8])
        for one_pair in _distinct(
            [
                *self._pairs_by_female.get(its_animal["id"], {}).values(),
                *self._pairs_by_male.get(its_animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_pair):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: note that {self.animals[transfer['animal_id']]['name']} has left for {transfer['zoo']}."
            ),
            "data": self._changes(),
        }

    def record_death(self, animal_id: str) -> Result:
        """Record that an animal died; its pair ends and a transfer ahead is cancelled.

        Args:
            animal_id (str): Id of the animal, such as ANIMAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        animal = self.animals.get(animal_id)
        if animal is None:
            return _refused(f"There is no animal {animal_id!r}.")
        if animal["status"] != "here":
            return _refused(f"{animal['name']} is {animal['status']}.")
        self._journal = []
        changed_pairs: list[Any] = []
        changed_transfers: list[Any] = []
        for p in [
            p
            for p in sorted(
                _distinct(
                    [
                        *self._pairs_by_female.get(animal_id, {}).values(),
                        *self._pairs_by_male.get(animal_id, {}).values(),
                    ]
                ),
                key=_age,
            )
            if not p["ended"]
        ]:
            changed_pairs.append(p)
            self._put("pairs", p, "ended", True)
        for t in sorted(self._transfers_by_animal_status.get((animal_id, "planned"), {}).values(), key=_age):
            if t["status"] not in ("planned", "cancelled"):
                return self._take_back(f"Transfer {t['id']} cannot go from {t['status']} to cancelled.")
            changed_transfers.append(t)
            self._put("transfers", t, "status", "cancelled")
        former_enclosure_id = animal["enclosure_id"]
        self._put("animals", animal, "enclosure_id", None)
        self._put("animals", animal, "quarantine_until", None)
        self._put("animals", animal, "died_on", self.now[:10])
        self._put("animals", animal, "status", "dead")
        for one_enclosure in _distinct(
            [self.enclosures.get(animal["enclosure_id"]), self.enclosures.get(former_enclosure_id)]
        ):
            if self._breaks_rule_1(one_enclosure):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_a(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(animal):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(animal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(animal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(animal):
            return self._take_back(RULES[4])
        for one_pair in _distinct(changed_pairs):
            if self._breaks_rule_6_p(one_pair):
                return self._take_back(RULES[5])
        for one_pair in _distinct(changed_pairs):
            if self._breaks_rule_6_p_again(one_pair):
                return self._take_back(RULES[5])
        for one_pair in _distinct(
            [
                *changed_pairs,
                *self._pairs_by_female.get(animal["id"], {}).values(),
                *self._pairs_by_male.get(animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6_p_again_again(one_pair):
                return self._take_back(RULES[5])
        if self._breaks_rule_8_a(animal):
            return self._take_back(RULES[7])
        for one_pair in _distinct(
            [
                *changed_pairs,
                *self._pairs_by_female.get(animal["id"], {}).values(),
                *self._pairs_by_male.get(animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8_p(one_pair):
                return self._take_back(RULES[7])
        for one_transfer in _distinct(
            [*changed_transfers, *self._transfers_by_animal_status.get((animal["id"], "planned"), {}).values()]
        ):
            if self._breaks_rule_8_t(one_transfer):
                return self._take_back(RULES[7])
        for one_transfer in _distinct(changed_transfers):
            if self._breaks_rule_9(one_transfer):
                return self._take_back(RULES[8])
        for one_pair in _distinct(
            [
                *changed_pairs,
                *self._pairs_by_female.get(animal["id"], {}).values(),
                *self._pairs_by_male.get(animal["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_pair):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: record the death of {animal['name']}.", "data": self._changes()}

    def train_keeper(self, keeper_id: str, species_id: str) -> Result:
        """Note that a keeper has been trained for a species; nobody keeps more than six.

        Args:
            keeper_id (str): Id of the keeper, such as KEEPER-00001.
            species_id (str): Id of the species, such as SPECIES-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        keeper = self.keepers.get(keeper_id)
        if keeper is None:
            return _refused(f"There is no keeper {keeper_id!r}.")
        species = self.specieses.get(species_id)
        if species is None:
            return _refused(f"There is no species {species_id!r}.")
        if species_id in keeper["trained_ids"]:
            return _refused(f"{keeper['name']} is trained for {species['name']}.")
        if len(keeper["trained_ids"]) >= 6:
            return _refused(f"{keeper['name']} is trained for six species.")
        self._journal = []
        self._put(
            "keepers",
            keeper,
            "trained_ids",
            [record["id"] for record in [self.specieses[key] for key in keeper["trained_ids"]] + [species]],
        )
        for one_animal in _distinct(
            [
                user
                for one in self._enclosures_by_keeper.get(keeper["id"], {}).values()
                for user in self._animals_by_enclosure.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_animal):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: note that {keeper['name']} is trained for {species['name']}.",
            "data": self._changes(),
        }

    def assign_keeper(self, enclosure_id: str, keeper_id: str) -> Result:
        """Give an enclosure to a keeper, who must be trained for every dangerous species in it; nobody looks after
        more than five.

        Args:
            enclosure_id (str): Id of the enclosure, such as ENCLOSURE-00001.
            keeper_id (str): Id of the keeper, such as KEEPER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enclosure = self.enclosures.get(enclosure_id)
        if enclosure is None:
            return _refused(f"There is no enclosure {enclosure_id!r}.")
        keeper = self.keepers.get(keeper_id)
        if keeper is None:
            return _refused(f"There is no keeper {keeper_id!r}.")
        if enclosure["keeper_id"] == keeper_id:
            return _refused(f"{keeper['name']} looks after {enclosure['name']} already.")
        if len(self._enclosures_by_keeper.get(keeper_id, {})) >= 5:
            return _refused(f"{keeper['name']} looks after five enclosures.")
        wild = next(
            (
                a
                for a in self._living(enclosure)
                if self.specieses[a["species_id"]]["dangerous"]
                and a["species_id"] not in keeper["trained_ids"]
            ),
            None,
        )
        if wild is not None:
            return _refused(f"{keeper['name']} is not trained for {self.specieses[wild['species_id']]['name']}.")
        self._journal = []
        self._put("enclosures", enclosure, "keeper_id", keeper_id)
        for one_animal in _distinct(self._animals_by_enclosure.get(enclosure["id"], {}).values()):
            if self._breaks_rule_5(one_animal):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: give {enclosure['name']} to {keeper['name']}.",
            "data": self._changes(),
        }

    def deliver_feed(self, feed_id: str, grams: Annotated[int, {"minimum": 100, "maximum": 500000}]) -> Result:
        """Take a delivery of feed into stock, in grams.

        Args:
            feed_id (str): Id of the feed, such as FEED-00001.
            grams (int): Feed that was delivered, in grams, from 100 to 500000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        feed = self.feeds.get(feed_id)
        if feed is None:
            return _refused(f"There is no feed {feed_id!r}.")
        if feed["stock"] + grams > 2000000:
            return _refused("There is room for two tonnes.")
        self._journal = []
        stock = feed["stock"] + grams
        if not 0 <= stock <= 2000000:
            return self._take_back(f"The stock of {feed['name']} must be between 0 and 2000000.")
        self._put("feeds", feed, "stock", stock)
        return {
            "success": True,
            "message": f"Done: take {grams} grams of {feed['name']} in.",
            "data": self._changes(),
        }

    def feed_enclosure(self, enclosure_id: str) -> Result:
        """Feed the animals of an enclosure their rations of the day.

        Args:
            enclosure_id (str): Id of the enclosure, such as ENCLOSURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enclosure = self.enclosures.get(enclosure_id)
        if enclosure is None:
            return _refused(f"There is no enclosure {enclosure_id!r}.")
        if enclosure["fed_on"] is not None and enclosure["fed_on"] >= self.now[:10]:
            return _refused(f"{enclosure['name']} was fed today.")
        if len(self._living(enclosure)) <= 0:
            return _refused(f"Nobody lives in {enclosure['name']}.")
        short = next((f for f in self.feeds.values() if f["stock"] < self._ration(enclosure, f)), None)
        if short is not None:
            return _refused(
                f"{enclosure['name']} needs {self._ration(enclosure, short)} grams of {short['name']} and "
                f"{short['stock']} are left."
            )
        self._journal = []
        for f in [f for f in self.feeds.values() if self._ration(enclosure, f) > 0]:
            stock = f["stock"] - self._ration(enclosure, f)
            if not 0 <= stock <= 2000000:
                return self._take_back(f"The stock of {f['name']} must be between 0 and 2000000.")
            self._put("feeds", f, "stock", stock)
        self._put("enclosures", enclosure, "fed_on", self.now[:10])
        return {"success": True, "message": f"Done: feed {enclosure['name']}.", "data": self._changes()}

    def _show_feed(self, feed: Feed) -> dict[str, Any]:
        """The feed as an answer shows it."""
        return {**feed, "daily": self._feed_daily(feed), "full_days": self._feed_full_days(feed)}

    def _show_species(self, species: Species) -> dict[str, Any]:
        """The species as an answer shows it."""
        return {**species, "not_with_ids": [*species["not_with_ids"]]}

    def _show_keeper(self, keeper: Keeper) -> dict[str, Any]:
        """The keeper as an answer shows it."""
        return {**keeper, "trained_ids": [*keeper["trained_ids"]]}

    def _show_enclosure(self, enclosure: Enclosure) -> dict[str, Any]:
        """The enclosure as an answer shows it."""
        return {**enclosure, "free_area": self._enclosure_free_area(enclosure)}

    def _show_animal(self, animal: Animal) -> dict[str, Any]:
        """The animal as an answer shows it."""
        return {**animal, "parent_ids": [*animal["parent_ids"]]}

    def _show_pair(self, pair: Pair) -> dict[str, Any]:
        """The pair as an answer shows it."""
        return {**pair, "young": self._pair_young(pair)}

    def _names_of_specieses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that specieses point to."""
        return _names(
            (self.feeds, "name", [row["eats_id"] for row in shown]),
            (self.specieses, "name", [each for row in shown for each in row["not_with_ids"]]),
        )

    def _names_of_keepers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that keepers point to."""
        return _names((self.specieses, "name", [each for row in shown for each in row["trained_ids"]]))

    def _names_of_enclosures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that enclosures point to."""
        return _names((self.keepers, "name", [row["keeper_id"] for row in shown]))

    def _names_of_animals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that animals point to."""
        return _names(
            (self.specieses, "name", [row["species_id"] for row in shown]),
            (self.animals, "name", [each for row in shown for each in row["parent_ids"]]),
            (self.enclosures, "name", [row["enclosure_id"] for row in shown]),
        )

    def _names_of_pairs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pairs point to."""
        return _names(
            (self.animals, "name", [row["female_id"] for row in shown]),
            (self.animals, "name", [row["male_id"] for row in shown]),
        )

    def _names_of_transfers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that transfers point to."""
        return _names((self.animals, "name", [row["animal_id"] for row in shown]))

    def _feed_daily(self, feed: Feed) -> int:
        """The daily of a feed."""
        return sum(
            self.specieses[a["species_id"]]["grams"]
            for _species in self._specieses_by_eats.get(feed["id"], {}).values()
            for a in self._animals_by_species.get(_species["id"], {}).values()
            if a["enclosure_id"] is not None
        )

    def _feed_full_days(self, feed: Feed) -> int:
        """The full days of a feed."""
        return feed["stock"] // max(self._feed_daily(feed), 1)

    def _enclosure_free_area(self, enclosure: Enclosure) -> int:
        """The free area of an enclosure."""
        return (
            enclosure["area"]
            - sum(
                self.specieses[a["species_id"]]["space"]
                for a in self._animals_by_enclosure.get(enclosure["id"], {}).values()
            )
        )

    def _pair_young(self, pair: Pair) -> int:
        """The young of a pair."""
        return sum(
            1
            for a in self._animals_by_parents.get(pair["female_id"], {}).values()
            if pair["male_id"] in a["parent_ids"]
        )

    def _hates(self, a: Species, b: Species) -> bool:
        return a["id"] in b["not_with_ids"] or b["id"] in a["not_with_ids"]

    def _living(self, e: Enclosure) -> list[Animal]:
        return sorted(self._animals_by_enclosure.get(e["id"], {}).values(), key=_age)

    def _rival(self, e: Enclosure, s: Species) -> Animal | None:
        return next((a for a in self._living(e) if self._hates(self.specieses[a["species_id"]], s)), None)

    def _suits(self, e: Enclosure, s: Species) -> bool:
        return (
            not e["quarantine"]
            and (e["heated"] or not s["warmth"])
            and self._enclosure_free_area(e) >= s["space"]
            and self._rival(e, s) is None
            and (not s["dangerous"] or s["id"] in self.keepers[e["keeper_id"]]["trained_ids"])
        )

    def _related(self, a: Animal, b: Animal) -> bool:
        return (
            a in _above(self.animals, b, "parent_ids")
            or b in _above(self.animals, a, "parent_ids")
            or any(x in _above(self.animals, b, "parent_ids") for x in _above(self.animals, a, "parent_ids"))
        )

    def _paired(self, a: Animal) -> Pair | None:
        return next(
            (
                p
                for p in sorted(
                    _distinct(
                        [
                            *self._pairs_by_female.get(a["id"], {}).values(),
                            *self._pairs_by_male.get(a["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if not p["ended"]
            ),
            None,
        )

    def _leaving(self, a: Animal) -> Transfer | None:
        return next(
            (t for t in sorted(self._transfers_by_animal_status.get((a["id"], "planned"), {}).values(), key=_age)),
            None,
        )

    def _grown(self, a: Animal, d: str) -> bool:
        return _years(a["born"], d) >= self.specieses[a["species_id"]]["adult_at"]

    def _ration(self, e: Enclosure, f: Feed) -> int:
        return sum(
            self.specieses[a["species_id"]]["grams"]
            for a in self._animals_by_enclosure.get(e["id"], {}).values()
            if self.specieses[a["species_id"]]["eats_id"] == f["id"]
        )

    def _breaks_rule_1(self, e: Enclosure) -> bool:
        """Whether this is broken: every animal has the space that its species needs."""
        return self._enclosure_free_area(e) < 0

    def _breaks_rule_2_a(self, a: Animal) -> bool:
        """Whether this is broken: species that do not get along never share an enclosure."""
        return (
            a["enclosure_id"] is not None
            and any(
                self._hates(self.specieses[a["species_id"]], self.specieses[b["species_id"]])
                for b in self._animals_by_enclosure.get(a["enclosure_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2_b(self, b: Animal) -> bool:
        """Whether this is broken: species that do not get along never share an enclosure."""
        return any(
            self._hates(self.specieses[a["species_id"]], self.specieses[b["species_id"]])
            for a in self._animals_by_enclosure.get(b["enclosure_id"], {}).values()
            if a is not b
            and a["enclosure_id"] is not None
        )

    def _breaks_rule_3(self, a: Animal) -> bool:
        """Whether this is broken: animals from warm countries live where it is heated."""
        return (
            a["enclosure_id"] is not None
            and not self.enclosures[a["enclosure_id"]]["heated"]
            and self.specieses[a["species_id"]]["warmth"]
        )

    def _breaks_rule_4(self, a: Animal) -> bool:
        """Whether this is broken: animals in quarantine are in the quarantine rooms, and no others are."""
        return (
            a["enclosure_id"] is not None
            and self.enclosures[a["enclosure_id"]]["quarantine"] != (a["quarantine_until"] is not None)
        )

    def _breaks_rule_5(self, a: Animal) -> bool:
        """Whether this is broken: dangerous animals have a keeper who is trained for them."""
        return (
            a["enclosure_id"] is not None
            and self.specieses[a["species_id"]]["dangerous"]
            and a["species_id"] not in self.keepers[self.enclosures[a["enclosure_id"]]["keeper_id"]]["trained_ids"]
        )

    def _breaks_rule_6_p(self, p: Pair) -> bool:
        """Whether this is broken: an animal is in one pair at a time, with one of its species that lives with it."""
        return (
            not p["ended"]
            and any(
                other_p is not p
                for other_p in self._pairs_by_female.get(p["female_id"], {}).values()
                if not other_p["ended"]
            )
        )

    def _breaks_rule_6_p_again(self, p: Pair) -> bool:
        """Whether this is broken: an animal is in one pair at a time, with one of its species that lives with it."""
        return (
            not p["ended"]
            and any(
                other_p is not p
                for other_p in self._pairs_by_male.get(p["male_id"], {}).values()
                if not other_p["ended"]
            )
        )

    def _breaks_rule_6_p_again_again(self, p: Pair) -> bool:
        """Whether this is broken: an animal is in one pair at a time, with one of its species that lives with it."""
        return (
            not p["ended"]
            and (
                self.animals[p["female_id"]]["species_id"] != self.animals[p["male_id"]]["species_id"]
                or self.animals[p["female_id"]]["sex"] != "female"
                or self.animals[p["male_id"]]["sex"] != "male"
                or self.animals[p["female_id"]]["enclosure_id"] != self.animals[p["male_id"]]["enclosure_id"]
            )
        )

    def _breaks_rule_7(self, p: Pair) -> bool:
        """Whether this is broken: relatives never breed."""
        return self._related(self.animals[p["female_id"]], self.animals[p["male_id"]])

    def _breaks_rule_8_a(self, a: Animal) -> bool:
        """Whether this is broken: an animal that has gone or died has no enclosure, no pair and no transfer ahead,
        and a dead one has its day of death.
        """
        return (
            (a["status"] != "here") != (a["enclosure_id"] is None)
            or (a["status"] == "dead") != (a["died_on"] is not None)
        )

    def _breaks_rule_8_p(self, p: Pair) -> bool:
        """Whether this is broken: an animal that has gone or died has no enclosure, no pair and no transfer ahead,
        and a dead one has its day of death.
        """
        return (
            not p["ended"]
            and (self.animals[p["female_id"]]["status"] != "here" or self.animals[p["male_id"]]["status"] != "here")
        )

    def _breaks_rule_8_t(self, t: Transfer) -> bool:
        """Whether this is broken: an animal that has gone or died has no enclosure, no pair and no transfer ahead,
        and a dead one has its day of death.
        """
        return t["status"] == "planned" and self.animals[t["animal_id"]]["status"] != "here"

    def _breaks_rule_9(self, t: Transfer) -> bool:
        """Whether this is broken: only one transfer of an animal is planned at a time."""
        return (
            t["status"] == "planned"
            and any(
                other_t is not t
                for other_t in self._transfers_by_animal_status.get((t["animal_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_10(self, p: Pair) -> bool:
        """Whether this is broken: animals in quarantine are not in pairs."""
        return (
            not p["ended"]
            and (
                self.animals[p["female_id"]]["quarantine_until"] is not None
                or self.animals[p["male_id"]]["quarantine_until"] is not None
            )
        )

    def _breaks_rule_11(self, a: Animal) -> bool:
        """Whether this is broken: nobody has more than two parents, and no animal descends from itself."""
        return len(a["parent_ids"]) > 2 or a in _above(self.animals, a, "parent_ids")

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
            case "specieses":
                self._specieses_by_eats.setdefault(record["eats_id"], {})[record["id"]] = record
            case "enclosures":
                self._enclosures_by_keeper.setdefault(record["keeper_id"], {})[record["id"]] = record
            case "animals":
                self._animals_by_enclosure.setdefault(record["enclosure_id"], {})[record["id"]] = record
                self._animals_by_name.setdefault(record["name"], {})[record["id"]] = record
                for key in record["parent_ids"]:
                    self._animals_by_parents.setdefault(key, {})[record["id"]] = record
                self._animals_by_species.setdefault(record["species_id"], {})[record["id"]] = record
            case "pairs":
                self._pairs_by_female.setdefault(record["female_id"], {})[record["id"]] = record
                self._pairs_by_male.setdefault(record["male_id"], {})[record["id"]] = record
            case "transfers":
                self._transfers_by_animal_status.setdefault(
                    (record["animal_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "specieses":
                del self._specieses_by_eats[record["eats_id"]][record["id"]]
            case "enclosures":
                del self._enclosures_by_keeper[record["keeper_id"]][record["id"]]
            case "animals":
                del self._animals_by_enclosure[record["enclosure_id"]][record["id"]]
                del self._animals_by_name[record["name"]][record["id"]]
                for key in record["parent_ids"]:
                    self._animals_by_parents[key].pop(record["id"], None)
                del self._animals_by_species[record["species_id"]][record["id"]]
            case "pairs":
                del self._pairs_by_female[record["female_id"]][record["id"]]
                del self._pairs_by_male[record["male_id"]][record["id"]]
            case "transfers":
                del self._transfers_by_animal_status[record["animal_id"], record["status"]][record["id"]]
