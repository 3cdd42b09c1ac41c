"""Beekeeping. Compiled from blueprint.yaml; run `envscaler build beekeeping` after changing it there.

Keeps the colonies of a beekeeper with their queens and the queens' lines, splits and unions, inspections,
treatments, honey supers and the zones that are closed because of disease.
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
    "A queen heads one colony.",
    "Dead queens head no colony.",
    "An apiary has no more colonies than stands.",
    "A super is on a colony or in store.",
    "A colony carries four supers at most.",
    "No super is on a colony that is treated.",
    "A colony gets one treatment at a time.",
    "A colony that was united or has died has no queen and no frames, and one that was united has no supers either.",
    "A queen is younger than her mother, and no line goes round in a circle.",
    "Restricted zones name their disease, and no others do.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "inspect_colony",
    "split_colony",
    "introduce_queen",
    "remove_queen",
    "raise_queen",
    "unite_colonies",
    "move_colony",
    "put_super",
    "take_super",
    "start_treatment",
    "end_treatment",
    "restrict_zone",
    "lift_zone",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "zones": ("name",),
    "apiaries": ("name",),
    "queens": ("tag",),
    "colonies": ("code",),
    "supers": ("number",),
    "inspections": (),
    "treatments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("colonies", "apiary_id"),
    ("colonies", "code"),
    ("colonies", "queen_id"),
    ("colonies", "status"),
    ("inspections", "colony_id"),
    ("queens", "mother_id"),
    ("queens", "tag"),
    ("supers", "colony_id"),
    ("treatments", "colony_id"),
    ("treatments", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Zone(TypedDict):
    id: str
    name: str
    disease: Literal["foulbrood", "small_hive_beetle"] | None
    status: Literal["clear", "restricted"]


class Apiary(TypedDict):
    id: str
    name: str
    zone_id: str
    stands: int


class Queen(TypedDict):
    id: str
    tag: str
    born: int
    mother_id: str | None
    status: Literal["laying", "dead"]


class Colony(TypedDict):
    id: str
    code: str
    apiary_id: str
    queen_id: str | None
    frames: int
    temper: int
    honey: int
    split_from_id: str | None
    status: Literal["alive", "united", "dead"]


class Super(TypedDict):
    id: str
    number: str
    colony_id: str | None
    status: Literal["stored", "on"]


class Inspection(TypedDict):
    id: str
    colony_id: str
    seen_on: str
    frames: int
    mites: int
    temper: int


class Treatment(TypedDict):
    id: str
    colony_id: str
    product: Literal["formic", "thymol", "oxalic"]
    started_on: str
    status: Literal["running", "ended"]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


class Beekeeping:
    """Keeps the colonies of a beekeeper with their queens and the queens' lines, splits and unions,
    inspections, treatments, honey supers and the zones that are closed because of disease.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.apiaries: dict[str, Apiary] = _copied(config.get("apiaries", {}))
        self.queens: dict[str, Queen] = _copied(config.get("queens", {}))
        self.colonies: dict[str, Colony] = _copied(config.get("colonies", {}))
        self.supers: dict[str, Super] = _copied(config.get("supers", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.treatments: dict[str, Treatment] = _copied(config.get("treatments", {}))
        self.now: str = config.get("now", "2026-05-28T16:00")
        self.counters: dict[str, int] = {
            "zone": len(self.zones),
            "apiary": len(self.apiaries),
            "queen": len(self.queens),
            "colony": len(self.colonies),
            "super": len(self.supers),
            "inspection": len(self.inspections),
            "treatment": len(self.treatments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._queens_by_mother: dict[Any, dict[str, Queen]] = {}
        self._queens_by_tag: dict[Any, dict[str, Queen]] = {}
        self._colonies_by_apiary_status: dict[Any, dict[str, Colony]] = {}
        self._colonies_by_code: dict[Any, dict[str, Colony]] = {}
        self._colonies_by_queen: dict[Any, dict[str, Colony]] = {}
        self._colonies_by_status: dict[Any, dict[str, Colony]] = {}
        self._supers_by_colony: dict[Any, dict[str, Super]] = {}
        self._inspections_by_colony: dict[Any, dict[str, Inspection]] = {}
        self._treatments_by_colony_status: dict[Any, dict[str, Treatment]] = {}
        for queen in self.queens.values():
            self._link("queens", queen)
        for colony in self.colonies.values():
            self._link("colonies", colony)
        for one_super in self.supers.values():
            self._link("supers", one_super)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)
        for treatment in self.treatments.values():
            self._link("treatments", treatment)

    def queen_line(self, queen_id: str) -> Result:
        """The queens that a queen descends from and those that descend from her, with the ones that head a colony.

        Args:
            queen_id (str): Id of the queen, such as QUEEN-00001.

        Returns:
            dict: {"success": True, "data": {mothers, descendants, heading_colonies}} or {"success": False,
                "error": why not}
        """
        queen = self.queens.get(queen_id)
        if queen is None:
            return _refused(f"There is no queen {queen_id!r}.")
        return _found(
            {
                "mothers": [*[q["tag"] for q in _above(self.queens, queen, "mother_id")]],
                "descendants": [*[q["tag"] for q in _below(self._queens_by_mother, queen)]],
                "heading_colonies": [
                    *[q["tag"] for q in _below(self._queens_by_mother, queen) if self._queen_heads(q) is not None]
                ],
            }
        )

    def needs_attention(
        self,
        apiary_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Live colonies that lack a queen, have fewer than five frames, or dropped more than ten mites at their last
        inspection, by code.

        Args:
            apiary_id (str, optional): Apiary whose colonies are checked; an id such as APIARY-00001. If left out,
                the colonies of all apiaries are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "colonies": records}} or {"success": False, "error": why
                not}
        """
        apiary = self.apiaries.get(apiary_id) if apiary_id is not None else None
        if apiary_id is not None and apiary is None:
            return _refused(f"There is no apiary {apiary_id!r}.")
        found = [
            c
            for c in self._colonies_by_status.get("alive", {}).values()
            if (
                c["queen_id"] is None
                or c["frames"] < 5
                or (self._mites_now(c) if self._mites_now(c) is not None else 0) > 10
            )
            and (apiary_id is None or c["apiary_id"] == apiary_id)
        ]
        found.sort(key=lambda c: (c["code"], _age(c)))
        shown = [
            {
                "id": c["id"],
                "code": c["code"],
                "apiary": self.apiaries[c["apiary_id"]]["name"],
                "queen": c["queen_id"],
                "frames": c["frames"],
                "mites": self._mites_now(c),
            }
            for c in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "colonies": shown},
            _names((self.queens, "tag", [row["queen"] for row in shown])),
        )

    def list_zones(
        self,
        name: Text | None = None,
        disease: Literal["foulbrood", "small_hive_beetle"] | None = None,
        status: Literal["clear", "restricted"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            disease (str, optional): Only zones with this disease.
            status (str, optional): Only zones with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        found = [
            zone
            for zone in self.zones.values()
            if (name is None or name.casefold() in zone["name"].casefold())
            and (disease is None or zone["disease"] == disease)
            and (status is None or zone["status"] == status)
        ]
        return _found({"total": len(found), "zones": [{**zone} for zone in _page(found, offset)]})

    def list_apiaries(
        self,
        name: Text | None = None,
        zone_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the apiaries, oldest first, all of them or only some.

        Args:
            name (str, optional): Only apiaries whose name contains this text.
            zone_id (str, optional): Only apiaries of this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "apiaries": records}}
        """
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            apiary
            for apiary in self.apiaries.values()
            if (name is None or name.casefold() in apiary["name"].casefold())
            and (zone_id is None or apiary["zone_id"] == zone_id)
        ]
        shown = [self._show_apiary(apiary) for apiary in _page(found, offset)]
        return _found({"total": len(found), "apiaries": shown}, self._names_of_apiaries(shown))

    def list_queens(
        self,
        tag: Text | None = None,
        mother_id: str | None = None,
        status: Literal["laying", "dead"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the queens, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only queens whose tag contains this text.
            mother_id (str, optional): Only queens whose mother is this queen.
            status (str, optional): Only queens with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "queens": records}}
        """
        if mother_id is not None and mother_id not in self.queens:
            return _refused(f"There is no queen {mother_id!r}.")
        found = [
            queen
            for queen in self.queens.values()
            if (tag is None or tag.casefold() in queen["tag"].casefold())
            and (mother_id is None or queen["mother_id"] == mother_id)
            and (status is None or queen["status"] == status)
        ]
        shown = [self._show_queen(queen) for queen in _page(found, offset)]
        return _found({"total": len(found), "queens": shown}, self._names_of_queens(shown))

    def list_colonies(
        self,
        code: Text | None = None,
        apiary_id: str | None = None,
        queen_id: str | None = None,
        split_from_id: str | None = None,
        status: Literal["alive", "united", "dead"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the colonies, oldest first, all of them or only some.

        Args:
            code (str, optional): Only colonies whose code contains this text.
            apiary_id (str, optional): Only colonies of this apiary.
            queen_id (str, optional): Only colonies of this queen.
            split_from_id (str, optional): Only colonies split from this colony.
            status (str, optional): Only colonies with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "colonies": records}}
        """
        if apiary_id is not None and apiary_id not in self.apiaries:
            return _refused(f"There is no apiary {apiary_id!r}.")
        if queen_id is not None and queen_id not in self.queens:
            return _refused(f"There is no queen {queen_id!r}.")
        if split_from_id is not None and split_from_id not in self.colonies:
            return _refused(f"There is no colony {split_from_id!r}.")
        found = [
            colony
            for colony in self.colonies.values()
            if (code is None or code.casefold() in colony["code"].casefold())
            and (apiary_id is None or colony["apiary_id"] == apiary_id)
            and (queen_id is None or colony["queen_id"] == queen_id)
            and (split_from_id is None or colony["split_from_id"] == split_from_id)
            and (status is None or colony["status"] == status)
        ]
        shown = [self._show_colony(colony) for colony in _page(found, offset)]
        return _found({"total": len(found), "colonies": shown}, self._names_of_colonies(shown))

    def list_supers(
        self,
        number: Text | None = None,
        colony_id: str | None = None,
        status: Literal["stored", "on"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the supers, oldest first, all of them or only some.

        Args:
            number (str, optional): Only supers whose number contains this text.
            colony_id (str, optional): Only supers of this colony.
            status (str, optional): Only supers with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "supers": records}}
        """
        if colony_id is not None and colony_id not in self.colonies:
            return _refused(f"There is no colony {colony_id!r}.")
        found = [
            one_super
            for one_super in self.supers.values()
            if (number is None or number.casefold() in one_super["number"].casefold())
            and (colony_id is None or one_super["colony_id"] == colony_id)
            and (status is None or one_super["status"] == status)
        ]
        shown = [{**one_super} for one_super in _page(found, offset)]
        return _found({"total": len(found), "supers": shown}, self._names_of_supers(shown))

    def list_inspections(
        self,
        colony_id: str | None = None,
        seen_on_from: Date | None = None,
        seen_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            colony_id (str, optional): Only inspections of this colony.
            seen_on_from (str, optional): Only inspections whose `seen_on` is on this day or later.
            seen_on_to (str, optional): Only inspections whose `seen_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if colony_id is not None and colony_id not in self.colonies:
            return _refused(f"There is no colony {colony_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (colony_id is None or inspection["colony_id"] == colony_id)
            and (seen_on_from is None or inspection["seen_on"] >= seen_on_from)
            and (seen_on_to is None or inspection["seen_on"] <= seen_on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def list_treatments(
        self,
        colony_id: str | None = None,
        product: Literal["formic", "thymol", "oxalic"] | None = None,
        status: Literal["running", "ended"] | None = None,
        started_on_from: Date | None = None,
        started_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the treatments, oldest first, all of them or only some.

        Args:
            colony_id (str, optional): Only treatments of this colony.
            product (str, optional): Only treatments with this product.
            status (str, optional): Only treatments with this status.
            started_on_from (str, optional): Only treatments whose `started_on` is on this day or later.
            started_on_to (str, optional): Only treatments whose `started_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "treatments": records}}
        """
        if colony_id is not None and colony_id not in self.colonies:
            return _refused(f"There is no colony {colony_id!r}.")
        found = [
            treatment
            for treatment in self.treatments.values()
            if (colony_id is None or treatment["colony_id"] == colony_id)
            and (product is None or treatment["product"] == product)
            and (status is None or treatment["status"] == status)
            and (started_on_from is None or treatment["started_on"] >= started_on_from)
            and (started_on_to is None or treatment["started_on"] <= started_on_to)
        ]
        shown = [{**treatment} for treatment in _page(found, offset)]
        return _found({"total": len(found), "treatments": shown}, self._names_of_treatments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def inspect_colony(
        self,
        colony_id: str,
        frames: Annotated[int, {"minimum": 0, "maximum": 22}],
        mites: Annotated[int, {"minimum": 0, "maximum": 100}],
        temper: Annotated[int, {"minimum": 1, "maximum": 5}],
    ) -> Result:
        """Record an inspection with the frames of bees and brood, the mites that fell in a day and the temper; no
        frames means that the colony has died, and its queen with it.

        Args:
            colony_id (str): Id of the colony, such as COLONY-00001.
            frames (int): Frames covered with bees and brood, none where the colony has died, from 0 to 22.
            mites (int): Mites that fell in one day, from 0 to 100.
            temper (int): Temper of the colony, the higher the gentler, from 1 to 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        if colony["status"] != "alive":
            return _refused(f"{colony['code']} is {colony['status']}, not alive.")
        self._journal = []
        changed_queens: list[Any] = []
        changed_treatments: list[Any] = []
        changed_colonies: list[Any] = []
        changed_colonies_2: list[Any] = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "colony_id": colony_id,
            "seen_on": self.now[:10],
            "frames": frames,
            "mites": mites,
            "temper": temper,
        }
        self._add("inspections", inspection)
        self._put("colonies", colony, "frames", frames)
        self._put("colonies", colony, "temper", temper)
        if frames == 0:
            if colony["queen_id"] is not None:
                queen = self.queens[colony["queen_id"]]
                changed_queens.append(queen)
                self._put("queens", queen, "status", "dead")
            for t in sorted(self._treatments_by_colony_status.get((colony_id, "running"), {}).values(), key=_age):
                changed_treatments.append(t)
                self._put("treatments", t, "status", "ended")
            changed_colonies.append(colony)
            self._put("colonies", colony, "queen_id", None)
            changed_colonies_2.append(colony)
            self._put("colonies", colony, "status", "dead")
        for one_colony in _distinct(changed_colonies):
            if self._breaks_rule_1(one_colony):
                return self._take_back(RULES[0])
        for one_colony in _distinct(
            [
                *[user for one in changed_queens for user in self._colonies_by_queen.get(one["id"], {}).values()],
                *changed_colonies,
            ]
        ):
            if self._breaks_rule_2(one_colony):
                return self._take_back(RULES[1])
        for one_apiary in _distinct([self.apiaries[one["apiary_id"]] for one in changed_colonies_2]):
            if self._breaks_rule_3(one_apiary):
                return self._take_back(RULES[2])
        for one_treatment in _distinct(changed_treatments):
            if self._breaks_rule_6(one_treatment):
                return self._take_back(RULES[5])
        for one_treatment in _distinct(changed_treatments):
            if self._breaks_rule_7(one_treatment):
                return self._take_back(RULES[6])
        for one_colony in _distinct([colony, *changed_colonies, *changed_colonies_2]):
            if self._breaks_rule_8(one_colony):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: record the inspection of {colony['code']} (new: inspection {inspection['id']}).",
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def split_colony(
        self,
        colony_id: str,
        code: Text,
        frames: Annotated[int, {"minimum": 2, "maximum": 12}],
        apiary_id: str,
    ) -> Result:
        """Take frames of a colony to a stand of an apiary as a new colony, which has no queen yet.

        Args:
            colony_id (str): Id of the colony, such as COLONY-00001.
            code (str): Code of the new colony, not in use yet.
            frames (int): Frames moved to the new colony while three stay behind, from 2 to 12.
            apiary_id (str): Id of the apiary, such as APIARY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        apiary = self.apiaries.get(apiary_id)
        if apiary is None:
            return _refused(f"There is no apiary {apiary_id!r}.")
        if colony["status"] != "alive":
            return _refused(f"{colony['code']} is {colony['status']}, not alive.")
        if self._colonies_by_code.get(code, {}):
            return _refused(f"There is a colony {code} already.")
        if colony["frames"] - frames < 3:
            return _refused(f"{colony['code']} has {colony['frames']} frames and must keep three.")
        if self._apiary_colonies(apiary) >= apiary["stands"]:
            return _refused(f"{apiary['name']} has no free stand.")
        if not (colony["apiary_id"] == apiary_id or self._may_travel(colony, apiary)):
            return _refused(
                f"Bees do not cross the border of a restricted zone; {apiary['name']} lies in "
                f"{self.zones[apiary['zone_id']]['name']}."
            )
        done = f"split {frames} frames off {colony['code']} as {code}"
        self._journal = []
        new_colony: Colony = {
            "id": self._new_id("colony", "COLONY", self.colonies),
            "code": code,
            "apiary_id": apiary_id,
            "queen_id": None,
            "frames": frames,
            "temper": colony["temper"],
            "honey": 0,
            "split_from_id": colony_id,
            "status": "alive",
        }
        self._add("colonies", new_colony)
        new_frames = colony["frames"] - frames
        if not 0 <= new_frames <= 22:
            return self._take_back(f"The frames of {colony['code']} must be between 0 and 22.")
        self._put("colonies", colony, "frames", new_frames)
        if len(self._colonies_by_code.get(new_colony["code"], {})) > 1:
            return self._take_back(f"There is already a colony with the code {new_colony['code']!r}.")
        if self._breaks_rule_1(new_colony):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(new_colony):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.apiaries[new_colony["apiary_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(new_colony):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(new_colony):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(colony):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: {done} (new: colony {new_colony['id']}).",
            "data": {"colony_id": new_colony["id"], **self._changes()},
        }

    def introduce_queen(self, colony_id: str, queen_id: str) -> Result:
        """Give a queenless colony a queen that heads none.

        Args:
            colony_id (str): Id of the colony, such as COLONY-00001.
            queen_id (str): Id of the queen, such as QUEEN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        queen = self.queens.get(queen_id)
        if queen is None:
            return _refused(f"There is no queen {queen_id!r}.")
        if colony["status"] != "alive":
            return _refused(f"{colony['code']} is {colony['status']}, not alive.")
        if colony["queen_id"] is not None:
            return _refused(
                f"{colony['code']} is headed by {self.queens[colony['queen_id']]['tag']}, so remove her first."
            )
        if queen["status"] != "laying":
            return _refused(f"{queen['tag']} is dead.")
        if self._queen_heads(queen) is not None:
            return _refused(f"{queen['tag']} heads {self._queen_heads(queen)['code']}.")
        self._journal = []
        self._put("colonies", colony, "queen_id", queen_id)
        if self._breaks_rule_1(colony):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(colony):
            return self._take_back(RULES[1])
        if self._breaks_rule_8(colony):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: introduce {queen['tag']} to {colony['code']}.",
            "data": self._changes(),
        }

    def remove_queen(self, colony_id: str, killed: bool) -> Result:
        """Take the queen out of a colony, to keep her or to kill her.

        Args:
            colony_id (str): Id of the colony, such as COLONY-00001.
            killed (bool): Whether the queen is killed rather than kept for later.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        if colony["queen_id"] is None:
            return _refused(f"{colony['code']} has no queen.")
        self._journal = []
        changed_queens: list[Any] = []
        if killed:
            queen = self.queens[colony["queen_id"]]
            changed_queens.append(queen)
            self._put("queens", queen, "status", "dead")
        self._put("colonies", colony, "queen_id", None)
        if self._breaks_rule_1(colony):
            return self._take_back(RULES[0])
        for one_colony in _distinct(
            [
                colony,
                *[user for one in changed_queens for user in self._colonies_by_queen.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_colony):
                return self._take_back(RULES[1])
        if self._breaks_rule_8(colony):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: remove the queen of {colony['code']}.", "data": self._changes()}

    def raise_queen(
        self,
        tag: Text,
        mother_id: str,
        born: Annotated[int, {"minimum": 2015, "maximum": 2040}],
    ) -> Result:
        """Register a queen raised this year from a mother that heads a colony of temper three or better.

        Args:
            tag (str): Tag of the new queen, not in use yet.
            mother_id (str): Queen she descends from, laying and at the head of a colony; an id such as
                QUEEN-00001.
            born (int): Year of birth of the new queen, later than her mother's, from 2015 to 2040.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        mother = self.queens.get(mother_id)
        if mother is None:
            return _refused(f"There is no queen {mother_id!r}.")
        if self._queens_by_tag.get(tag, {}):
            return _refused(f"There is a queen {tag} already.")
        if mother["status"] != "laying":
            return _refused(f"{mother['tag']} is dead.")
        if self._queen_heads(mother) is None or self._queen_heads(mother)["temper"] < 3:
            return _refused(f"{mother['tag']} does not head a colony of temper three or better.")
        if mother["born"] >= born:
            return _refused(f"{mother['tag']} was born in {mother['born']} herself.")
        if self._queen_generation(mother) >= 5:
            return _refused(f"{mother['tag']} is the fifth generation of her line.")
        done = f"register {tag}, a daughter of {mother['tag']}"
        self._journal = []
        queen: Queen = {
            "id": self._new_id("queen", "QUEEN", self.queens),
            "tag": tag,
            "born": born,
            "mother_id": mother_id,
            "status": "laying",
        }
        self._add("queens", queen)
        if len(self._queens_by_tag.get(queen["tag"], {})) > 1:
            return self._take_back(f"There is already a queen with the tag {queen['tag']!r}.")
        if self._breaks_rule_9(queen):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: {done} (new: queen {queen['id']}).",
            "data": {"queen_id": queen["id"], **self._changes()},
        }

    def unite_colonies(self, source_id: str, target_id: str) -> Result:
        """Unite a queenless colony without supers with another one of the same apiary.

        Args:
            source_id (str): Colony that is dissolved, without queen and supers; an id such as COLONY-00001.
            target_id (str): Colony of the same apiary that takes in the frames; an id such as COLONY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.colonies.get(source_id)
        if source is None:
            return _refused(f"There is no colony {source_id!r}.")
        target = self.colonies.get(target_id)
        if target is None:
            return _refused(f"There is no colony {target_id!r}.")
        if source is target or source["status"] != "alive" or target["status"] != "alive":
            return _refused("Name two colonies that are alive.")
        if source["apiary_id"] != target["apiary_id"]:
            return _refused(
                f"{source['code']} stands at {self.apiaries[source['apiary_id']]['name']} and {target['code']} at "
                f"{self.apiaries[target['apiary_id']]['name']}, so move one of them."
            )
        if source["queen_id"] is not None:
            return _refused(
                f"{source['code']} is headed by {self.queens[source['queen_id']]['tag']}, so remove her first."
            )
        if self._colony_supers(source) != 0:
            return _refused(f"{source['code']} carries {self._colony_supers(source)} supers, so take them off.")
        if self._treated(source) is not None or self._treated(target) is not None:
            return _refused("One of them is under treatment.")
        if source["frames"] + target["frames"] > 22:
            return _refused(f"{source['frames'] + target['frames']} frames are too many for one hive.")
        self._journal = []
        frames = target["frames"] + source["frames"]
        if not 0 <= frames <= 22:
            return self._take_back(f"The frames of {target['code']} must be between 0 and 22.")
        self._put("colonies", target, "frames", frames)
        self._put("colonies", source, "frames", 0)
        self._put("colonies", source, "status", "united")
        if self._breaks_rule_3(self.apiaries[source["apiary_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_8(target):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(source):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: unite {source['code']} with {target['code']}.",
            "data": self._changes(),
        }

    def move_colony(self, colony_id: str, apiary_id: str) -> Result:
        """Move a colony to another apiary; nothing crosses the border of a restricted zone.

        Args:
            colony_id (str): Id of the colony, such as COLONY-00001.
            apiary_id (str): Id of the apiary, such as APIARY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        apiary = self.apiaries.get(apiary_id)
        if apiary is None:
            return _refused(f"There is no apiary {apiary_id!r}.")
        if colony["status"] != "alive":
            return _refused(f"{colony['code']} is {colony['status']}, not alive.")
        if colony["apiary_id"] == apiary_id:
            return _refused(f"{colony['code']} stands at {apiary['name']} already.")
        if self._apiary_colonies(apiary) >= apiary["stands"]:
            return _refused(f"{apiary['name']} has no free stand.")
        if (
            self.apiaries[colony["apiary_id"]]["zone_id"] != apiary["zone_id"]
            and self._shut(self.apiaries[colony["apiary_id"]])
        ):
            return _refused(
                f"{self.zones[self.apiaries[colony['apiary_id']]['zone_id']]['name']} is restricted, and nothing "
                "leaves it."
            )
        if self.apiaries[colony["apiary_id"]]["zone_id"] != apiary["zone_id"] and self._shut(apiary):
            return _refused(f"{self.zones[apiary['zone_id']]['name']} is restricted, and nothing enters it.")
        self._journal = []
        former_apiary_id = colony["apiary_id"]
        self._put("colonies", colony, "apiary_id", apiary_id)
        if self._breaks_rule_3(self.apiaries[colony["apiary_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(self.apiaries[former_apiary_id]):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move {colony['code']} to {apiary['name']}.",
            "data": self._changes(),
        }

    def put_super(self, box_id: str, colony_id: str) -> Result:
        """Put a stored super on a colony with a queen and seven frames at least that is not treated.

        Args:
            box_id (str): Honey super from the store; an id such as SUPER-00001.
            colony_id (str): Id of the colony, such as COLONY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.supers.get(box_id)
        if box is None:
            return _refused(f"There is no super {box_id!r}.")
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        if box["status"] != "stored":
            return _refused(f"Super {box['number']} is on {(self.colonies.get(box['colony_id']) or colony)['code']}.")
        if colony["status"] != "alive":
            return _refused(f"{colony['code']} is {colony['status']}, not alive.")
        if colony["queen_id"] is None:
            return _refused(f"{colony['code']} has no queen.")
        if self._treated(colony) is not None:
            return _refused(f"{colony['code']} is under treatment.")
        if colony["frames"] < 7:
            return _refused(f"{colony['code']} has {colony['frames']} frames of bees, which are too few for a super.")
        if self._colony_supers(colony) >= 4:
            return _refused(f"{colony['code']} carries four supers.")
        self._journal = []
        former_colony_id = box["colony_id"]
        self._put("supers", box, "colony_id", colony_id)
        self._put("supers", box, "status", "on")
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        for one_colony in _distinct([self.colonies.get(box["colony_id"]), self.colonies.get(former_colony_id)]):
            if self._breaks_rule_5(one_colony):
                return self._take_back(RULES[4])
        for one_treatment in _distinct(
            [
                *[
                    user
                    for one in [self.colonies.get(box["colony_id"])]
                    if one is not None
                    for user in self._treatments_by_colony_status.get((box["colony_id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [self.colonies.get(former_colony_id)]
                    if one is not None
                    for user in self._treatments_by_colony_status.get((former_colony_id, "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_treatment):
                return self._take_back(RULES[5])
        for one_colony in _distinct([self.colonies.get(box["colony_id"]), self.colonies.get(former_colony_id)]):
            if self._breaks_rule_8(one_colony):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: put super {box['number']} on {colony['code']}.",
            "data": self._changes(),
        }

    def take_super(self, box_id: str, kilos: Annotated[int, {"minimum": 0, "maximum": 25}]) -> Result:
        """Take a super off its colony and record the kilos of honey in it, which may be none.

        Args:
            box_id (str): Honey super that is taken off its colony; an id such as SUPER-00001.
            kilos (int): Honey in the super in kilograms, from 0 to 25.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.supers.get(box_id)
        if box is None:
            return _refused(f"There is no super {box_id!r}.")
        if box["colony_id"] is None:
            return _refused(f"Super {box['number']} is in store.")
        self._journal = []
        colony = self.colonies[box["colony_id"]]
        honey = self.colonies[box["colony_id"]]["honey"] + kilos
        if not 0 <= honey <= 400:
            return self._take_back(f"The honey of {colony['code']} must be between 0 and 400.")
        self._put("colonies", colony, "honey", honey)
        former_colony_id = box["colony_id"]
        self._put("supers", box, "colony_id", None)
        self._put("supers", box, "status", "stored")
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        for one_colony in _distinct([self.colonies.get(box["colony_id"]), self.colonies.get(former_colony_id)]):
            if self._breaks_rule_5(one_colony):
                return self._take_back(RULES[4])
        for one_treatment in _distinct(
            [
                *[
                    user
                    for one in [self.colonies.get(box["colony_id"])]
                    if one is not None
                    for user in self._treatments_by_colony_status.get((box["colony_id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [self.colonies.get(former_colony_id)]
                    if one is not None
                    for user in self._treatments_by_colony_status.get((former_colony_id, "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_treatment):
                return self._take_back(RULES[5])
        for one_colony in _distinct([self.colonies.get(box["colony_id"]), self.colonies.get(former_colony_id)]):
            if self._breaks_rule_8(one_colony):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take super {box['number']} off with {kilos} kilos.",
            "data": self._changes(),
        }

    def start_treatment(self, colony_id: str, product: Literal["formic", "thymol", "oxalic"]) -> Result:
        """Start a treatment against mites of a colony without supers.

        Args:
            colony_id (str): Id of the colony, such as COLONY-00001.
            product (str): Acid or oil that is used against the mites: formic, thymol or oxalic.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        colony = self.colonies.get(colony_id)
        if colony is None:
            return _refused(f"There is no colony {colony_id!r}.")
        if colony["status"] != "alive":
            return _refused(f"{colony['code']} is {colony['status']}, not alive.")
        if self._treated(colony) is not None:
            return _refused(f"{colony['code']} is under treatment.")
        if self._colony_supers(colony) != 0:
            return _refused(f"{colony['code']} carries {self._colony_supers(colony)} supers, so take them off.")
        self._journal = []
        treatment: Treatment = {
            "id": self._new_id("treatment", "TREATMENT", self.treatments),
            "colony_id": colony_id,
            "product": product,
            "started_on": self.now[:10],
            "status": "running",
        }
        self._add("treatments", treatment)
        if self._breaks_rule_6(treatment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(treatment):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: treat {colony['code']} with {product} (new: treatment {treatment['id']}).",
            "data": {"treatment_id": treatment["id"], **self._changes()},
        }

    def end_treatment(self, treatment_id: str) -> Result:
        """End a running treatment.

        Args:
            treatment_id (str): Id of the treatment, such as TREATMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        treatment = self.treatments.get(treatment_id)
        if treatment is None:
            return _refused(f"There is no treatment {treatment_id!r}.")
        if treatment["status"] != "running":
            return _refused("That treatment is ended.")
        self._journal = []
        self._put("treatments", treatment, "status", "ended")
        if self._breaks_rule_6(treatment):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(treatment):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: end the treatment of {self.colonies[treatment['colony_id']]['code']}.",
            "data": self._changes(),
        }

    def restrict_zone(self, zone_id: str, disease: Literal["foulbrood", "small_hive_beetle"]) -> Result:
        """Restrict a zone because of a disease.

        Args:
            zone_id (str): Id of the zone, such as ZONE-00001.
            disease (str): Bee disease that was found in the zone: foulbrood or small_hive_beetle.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if zone["status"] != "clear":
            return _refused(f"{zone['name']} is restricted.")
        self._journal = []
        self._put("zones", zone, "disease", disease)
        self._put("zones", zone, "status", "restricted")
        if self._breaks_rule_10(zone):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: restrict {zone['name']} because of {disease}.",
            "data": self._changes(),
        }

    def lift_zone(self, zone_id: str) -> Result:
        """Lift the restriction of a zone.

        Args:
            zone_id (str): Id of the zone, such as ZONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if zone["status"] != "restricted":
            return _refused(f"{zone['name']} is clear.")
        self._journal = []
        self._put("zones", zone, "disease", None)
        self._put("zones", zone, "status", "clear")
        if self._breaks_rule_10(zone):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: lift the restriction of {zone['name']}.", "data": self._changes()}

    def _show_apiary(self, apiary: Apiary) -> dict[str, Any]:
        """The apiary as an answer shows it."""
        return {**apiary, "colonies": self._apiary_colonies(apiary)}

    def _show_queen(self, queen: Queen) -> dict[str, Any]:
        """The queen as an answer shows it."""
        return {**queen, "generation": self._queen_generation(queen), "heads_id": _id_of(self._queen_heads(queen))}

    def _show_colony(self, colony: Colony) -> dict[str, Any]:
        """The colony as an answer shows it."""
        return {**colony, "supers": self._colony_supers(colony)}

    def _names_of_apiaries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that apiaries point to."""
        return _names((self.zones, "name", [row["zone_id"] for row in shown]))

    def _names_of_queens(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that queens point to."""
        return _names(
            (self.queens, "tag", [row["mother_id"] for row in shown]),
            (self.colonies, "code", [row["heads_id"] for row in shown]),
        )

    def _names_of_colonies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that colonies point to."""
        return _names(
            (self.apiaries, "name", [row["apiary_id"] for row in shown]),
            (self.queens, "tag", [row["queen_id"] for row in shown]),
            (self.colonies, "code", [row["split_from_id"] for row in shown]),
        )

    def _names_of_supers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that supers point to."""
        return _names((self.colonies, "code", [row["colony_id"] for row in shown]))

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names((self.colonies, "code", [row["colony_id"] for row in shown]))

    def _names_of_treatments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that treatments point to."""
        return _names((self.colonies, "code", [row["colony_id"] for row in shown]))

    def _apiary_colonies(self, apiary: Apiary) -> int:
        """The colonies of an apiary."""
        return len(self._colonies_by_apiary_status.get((apiary["id"], "alive"), {}))

    def _queen_generation(self, queen: Queen) -> int:
        """The generation of a queen."""
        return len(_above(self.queens, queen, "mother_id"))

    def _queen_heads(self, queen: Queen) -> Colony | None:
        """The heads of a queen."""
        return next((c for c in sorted(self._colonies_by_queen.get(queen["id"], {}).values(), key=_age)), None)

    def _colony_supers(self, colony: Colony) -> int:
        """The supers of a colony."""
        return len(self._supers_by_colony.get(colony["id"], {}))

    def _treated(self, c: Colony) -> Treatment | None:
        return next(
            (t for t in sorted(self._treatments_by_colony_status.get((c["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _free_queen(self, q: Queen) -> bool:
        return q["status"] == "laying" and self._queen_heads(q) is None

    def _shut(self, a: Apiary) -> bool:
        return self.zones[a["zone_id"]]["status"] == "restricted"

    def _may_travel(self, c: Colony, a: Apiary) -> bool:
        return (
            c["apiary_id"] != a["id"]
            and (
                self.apiaries[c["apiary_id"]]["zone_id"] == a["zone_id"]
                or not self._shut(self.apiaries[c["apiary_id"]])
                and not self._shut(a)
            )
        )

    def _mites_now(self, c: Colony) -> int | None:
        return min(
            [
                ((_descending(i["seen_on"]), _descending(i["id"]),), i["mites"])
                for i in sorted(self._inspections_by_colony.get(c["id"], {}).values(), key=_age)
            ],
            key=lambda pair: pair[0],
            default=(None, None),
        )[1]

    def _takes_super(self, c: Colony) -> bool:
        return (
            c["status"] == "alive"
            and c["queen_id"] is not None
            and self._treated(c) is None
            and c["frames"] >= 7
            and self._colony_supers(c) < 4
        )

    def _breaks_rule_1(self, c: Colony) -> bool:
        """Whether this is broken: a queen heads one colony."""
        return (
            c["queen_id"] is not None
            and any(
                other_c is not c
                for other_c in self._colonies_by_queen.get(c["queen_id"], {}).values()
                if other_c["queen_id"] is not None
            )
        )

    def _breaks_rule_2(self, c: Colony) -> bool:
        """Whether this is broken: dead queens head no colony."""
        return c["queen_id"] is not None and self.queens[c["queen_id"]]["status"] == "dead"

    def _breaks_rule_3(self, a: Apiary) -> bool:
        """Whether this is broken: an apiary has no more colonies than stands."""
        return self._apiary_colonies(a) > a["stands"]

    def _breaks_rule_4(self, s: Super) -> bool:
        """Whether this is broken: a super is on a colony or in store."""
        return (s["status"] == "on") != (s["colony_id"] is not None)

    def _breaks_rule_5(self, c: Colony) -> bool:
        """Whether this is broken: a colony carries four supers at most."""
        return self._colony_supers(c) > 4

    def _breaks_rule_6(self, t: Treatment) -> bool:
        """Whether this is broken: no super is on a colony that is treated."""
        return t["status"] == "running" and bool(self._supers_by_colony.get(t["colony_id"], {}))

    def _breaks_rule_7(self, t: Treatment) -> bool:
        """Whether this is broken: a colony gets one treatment at a time."""
        return (
            t["status"] == "running"
            and any(
                other_t is not t
                for other_t in self._treatments_by_colony_status.get((t["colony_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_8(self, c: Colony) -> bool:
        """Whether this is broken: a colony that was united or has died has no queen and no frames, and one that was
        united has no supers either.
        """
        return (
            c["status"] != "alive"
            and not (
                c["queen_id"] is None
                and c["frames"] == 0
                and (c["status"] == "dead" or self._colony_supers(c) == 0)
            )
        )

    def _breaks_rule_9(self, q: Queen) -> bool:
        """Whether this is broken: a queen is younger than her mother, and no line goes round in a circle."""
        return (
            q["mother_id"] is not None
            and (self.queens[q["mother_id"]]["born"] >= q["born"] or q in _above(self.queens, q, "mother_id"))
        )

    def _breaks_rule_10(self, z: Zone) -> bool:
        """Whether this is broken: restricted zones name their disease, and no others do."""
        return (z["status"] == "restricted") != (z["disease"] is not None)

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
            case "queens":
                self._queens_by_mother.setdefault(record["mother_id"], {})[record["id"]] = record
                self._queens_by_tag.setdefault(record["tag"], {})[record["id"]] = record
            case "colonies":
                self._colonies_by_apiary_status.setdefault(
                    (record["apiary_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._colonies_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._colonies_by_queen.setdefault(record["queen_id"], {})[record["id"]] = record
                self._colonies_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "supers":
                self._supers_by_colony.setdefault(record["colony_id"], {})[record["id"]] = record
            case "inspections":
                self._inspections_by_colony.setdefault(record["colony_id"], {})[record["id"]] = record
            case "treatments":
                self._treatments_by_colony_status.setdefault(
                    (record["colony_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "queens":
                del self._queens_by_mother[record["mother_id"]][record["id"]]
                del self._queens_by_tag[record["tag"]][record["id"]]
            case "colonies":
                del self._colonies_by_apiary_status[record["apiary_id"], record["status"]][record["id"]]
                del self._colonies_by_code[record["code"]][record["id"]]
                del self._colonies_by_queen[record["queen_id"]][record["id"]]
                del self._colonies_by_status[record["status"]][record["id"]]
            case "supers":
                del self._supers_by_colony[record["colony_id"]][record["id"]]
            case "inspections":
                del self._inspections_by_colony[record["colony_id"]][record["id"]]
            case "treatments":
                del self._treatments_by_colony_status[record["colony_id"], record["status"]][record["id"]]
