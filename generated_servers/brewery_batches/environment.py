"""Brewery batches. Compiled from blueprint.yaml; run `envscaler build brewery_batches` after changing it there.

Takes the batches of a small brewery from the pitch of yeast through fermentation, conditioning and bright tanks
into kegs, with yeast generations, gravity readings, kegs at pubs and beer duty.
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
    "A vessel holds one batch at a time, and counts as full then.",
    "A batch that is being made has a vessel, and no other has.",
    "A batch fits into its vessel, which is a bright tank for bright beer and a fermenter before.",
    "Yeast ferments beer of its own strain only, and one pitch makes one batch.",
    "Cropped yeast is one generation older than the yeast of the batch it came from, and of the same strain.",
    "A batch gives one crop of yeast.",
    "Gravity never rises from one reading to a later one, and is read once a day.",
    "Beer that conditions or is bright has fermented out.",
    "No more is filled from a batch than it gave.",
    "A keg that is not empty or broken has a batch, and one that is out is at a pub.",
    "No pub has more kegs than it may.",
    "Duty falls due when a keg leaves, and only then.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "brew_batch",
    "take_reading",
    "start_conditioning",
    "receive_yeast",
    "crop_yeast",
    "transfer_batch",
    "fill_kegs",
    "deliver_kegs",
    "return_kegs",
    "clean_vessel",
    "dump_batch",
    "pay_duty",
)
"""The methods that may change something; all others only read."""

KEG_STATUS_MOVES = {("empty", "full"), ("full", "out"), ("out", "empty"), ("out", "broken")}

LABELS: dict[str, tuple[str, ...]] = {
    "recipes": ("name",),
    "vessels": ("code",),
    "yeasts": ("label",),
    "batches": ("code",),
    "readings": (),
    "kegs": ("code",),
    "fillings": (),
    "pubs": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("batches", "code"),
    ("batches", "vessel_id"),
    ("batches", "yeast_id"),
    ("fillings", "batch_id"),
    ("fillings", "keg_id"),
    ("kegs", "pub_id"),
    ("kegs", "status"),
    ("readings", "batch_id"),
    ("yeasts", "cropped_from_id"),
    ("yeasts", "label"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Recipe(TypedDict):
    id: str
    name: str
    strain: Literal["ale", "lager", "wheat", "saison"]
    first_gravity: int
    last_gravity: int
    least_days: int
    duty_rate: int


class Vessel(TypedDict):
    id: str
    code: str
    kind: Literal["fermenter", "bright"]
    litres: int
    status: Literal["clean", "full", "dirty"]


class Yeast(TypedDict):
    id: str
    label: str
    strain: Literal["ale", "lager", "wheat", "saison"]
    generation: int
    cropped_from_id: str | None
    got_on: str
    status: Literal["ready", "pitched"]


class Batch(TypedDict):
    id: str
    code: str
    recipe_id: str
    yeast_id: str
    vessel_id: str | None
    litres: int
    pitched_at: int
    gravity: int
    brewed_on: str
    status: Literal["fermenting", "conditioning", "dumped", "bright", "packaged"]


class Reading(TypedDict):
    id: str
    batch_id: str
    read_on: str
    gravity: int


class Keg(TypedDict):
    id: str
    code: str
    litres: int
    batch_id: str | None
    pub_id: str | None
    filled_on: str | None
    status: Literal["empty", "full", "out", "broken"]


class Filling(TypedDict):
    id: str
    batch_id: str
    keg_id: str
    litres: int
    pub_id: str | None
    left_on: str | None
    duty: int
    paid: bool


class Pub(TypedDict):
    id: str
    name: str
    most_kegs: int


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


class BreweryBatches:
    """Takes the batches of a small brewery from the pitch of yeast through fermentation, conditioning and
    bright tanks into kegs, with yeast generations, gravity readings, kegs at pubs and beer duty.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.recipes: dict[str, Recipe] = _copied(config.get("recipes", {}))
        self.vessels: dict[str, Vessel] = _copied(config.get("vessels", {}))
        self.yeasts: dict[str, Yeast] = _copied(config.get("yeasts", {}))
        self.batches: dict[str, Batch] = _copied(config.get("batches", {}))
        self.readings: dict[str, Reading] = _copied(config.get("readings", {}))
        self.kegs: dict[str, Keg] = _copied(config.get("kegs", {}))
        self.fillings: dict[str, Filling] = _copied(config.get("fillings", {}))
        self.pubs: dict[str, Pub] = _copied(config.get("pubs", {}))
        self.now: str = config.get("now", "2026-05-20T06:40")
        self.counters: dict[str, int] = {
            "recipe": len(self.recipes),
            "vessel": len(self.vessels),
            "yeast": len(self.yeasts),
            "batch": len(self.batches),
            "reading": len(self.readings),
            "keg": len(self.kegs),
            "filling": len(self.fillings),
            "pub": len(self.pubs),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._yeasts_by_cropped_from: dict[Any, dict[str, Yeast]] = {}
        self._yeasts_by_label: dict[Any, dict[str, Yeast]] = {}
        self._batches_by_code: dict[Any, dict[str, Batch]] = {}
        self._batches_by_vessel: dict[Any, dict[str, Batch]] = {}
        self._batches_by_yeast: dict[Any, dict[str, Batch]] = {}
        self._readings_by_batch: dict[Any, dict[str, Reading]] = {}
        self._kegs_by_pub: dict[Any, dict[str, Keg]] = {}
        self._kegs_by_pub_status: dict[Any, dict[str, Keg]] = {}
        self._fillings_by_batch: dict[Any, dict[str, Filling]] = {}
        self._fillings_by_keg: dict[Any, dict[str, Filling]] = {}
        for yeast in self.yeasts.values():
            self._link("yeasts", yeast)
        for batch in self.batches.values():
            self._link("batches", batch)
        for reading in self.readings.values():
            self._link("readings", reading)
        for keg in self.kegs.values():
            self._link("kegs", keg)
        for filling in self.fillings.values():
            self._link("fillings", filling)

    def duty_due(self, until: Date, recipe_id: str | None = None) -> Result:
        """The duty that is due for kegs which left until a day.

        Args:
            until (str): Last day of delivery to include, as YYYY-MM-DD.
            recipe_id (str, optional): Recipe of the beer; an id such as RECIPE-00001. If left out, all recipes are
                counted.

        Returns:
            dict: {"success": True, "data": {kegs, litres, duty}} or {"success": False, "error": why not}
        """
        recipe = self.recipes.get(recipe_id) if recipe_id is not None else None
        if recipe_id is not None and recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        open_ones = [
            f
            for f in self.fillings.values()
            if f["left_on"] is not None
            and f["left_on"] <= until
            and not f["paid"]
            and (recipe_id is None or self.batches[f["batch_id"]]["recipe_id"] == recipe_id)
        ]
        return _found(
            {
                "kegs": len(open_ones),
                "litres": sum(f["litres"] for f in open_ones),
                "duty": sum(f["duty"] for f in open_ones),
            }
        )

    def kegs_at(self, pub_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The kegs at a pub, those filled longest ago first.

        Args:
            pub_id (str): Id of the pub, such as PUB-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kegs": records}} or {"success": False, "error": why
                not}
        """
        pub = self.pubs.get(pub_id)
        if pub is None:
            return _refused(f"There is no pub {pub_id!r}.")
        found = [k for k in self._kegs_by_pub.get(pub_id, {}).values()]
        found.sort(
            key=lambda k: (k["filled_on"] if k["filled_on"] is not None else self.now[:10], k["code"], _age(k))
        )
        shown = [
            {
                "id": k["id"],
                "code": k["code"],
                "litres": k["litres"],
                "batch": k["batch_id"],
                "filled_on": k["filled_on"],
            }
            for k in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "kegs": shown},
            _names((self.batches, "code", [row["batch"] for row in shown])),
        )

    def list_recipes(
        self,
        name: Text | None = None,
        strain: Literal["ale", "lager", "wheat", "saison"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recipes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only recipes whose name contains this text.
            strain (str, optional): Only recipes with this strain.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}}
        """
        found = [
            recipe
            for recipe in self.recipes.values()
            if (name is None or name.casefold() in recipe["name"].casefold())
            and (strain is None or recipe["strain"] == strain)
        ]
        return _found({"total": len(found), "recipes": [{**recipe} for recipe in _page(found, offset)]})

    def list_vessels(
        self,
        code: Text | None = None,
        kind: Literal["fermenter", "bright"] | None = None,
        status: Literal["clean", "full", "dirty"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vessels, oldest first, all of them or only some.

        Args:
            code (str, optional): Only vessels whose code contains this text.
            kind (str, optional): Only vessels with this kind.
            status (str, optional): Only vessels with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vessels": records}}
        """
        found = [
            vessel
            for vessel in self.vessels.values()
            if (code is None or code.casefold() in vessel["code"].casefold())
            and (kind is None or vessel["kind"] == kind)
            and (status is None or vessel["status"] == status)
        ]
        return _found({"total": len(found), "vessels": [{**vessel} for vessel in _page(found, offset)]})

    def list_yeasts(
        self,
        label: Text | None = None,
        strain: Literal["ale", "lager", "wheat", "saison"] | None = None,
        cropped_from_id: str | None = None,
        status: Literal["ready", "pitched"] | None = None,
        got_on_from: Date | None = None,
        got_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the yeasts, oldest first, all of them or only some.

        Args:
            label (str, optional): Only yeasts whose label contains this text.
            strain (str, optional): Only yeasts with this strain.
            cropped_from_id (str, optional): Only yeasts cropped from this batch.
            status (str, optional): Only yeasts with this status.
            got_on_from (str, optional): Only yeasts whose `got_on` is on this day or later.
            got_on_to (str, optional): Only yeasts whose `got_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "yeasts": records}}
        """
        if cropped_from_id is not None and cropped_from_id not in self.batches:
            return _refused(f"There is no batch {cropped_from_id!r}.")
        found = [
            yeast
            for yeast in self.yeasts.values()
            if (label is None or label.casefold() in yeast["label"].casefold())
            and (strain is None or yeast["strain"] == strain)
            and (cropped_from_id is None or yeast["cropped_from_id"] == cropped_from_id)
            and (status is None or yeast["status"] == status)
            and (got_on_from is None or yeast["got_on"] >= got_on_from)
            and (got_on_to is None or yeast["got_on"] <= got_on_to)
        ]
        shown = [{**yeast} for yeast in _page(found, offset)]
        return _found({"total": len(found), "yeasts": shown}, self._names_of_yeasts(shown))

    def list_batches(
        self,
        code: Text | None = None,
        recipe_id: str | None = None,
        yeast_id: str | None = None,
        vessel_id: str | None = None,
        status: Literal["fermenting", "conditioning", "dumped", "bright", "packaged"] | None = None,
        brewed_on_from: Date | None = None,
        brewed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the batches, oldest first, all of them or only some.

        Args:
            code (str, optional): Only batches whose code contains this text.
            recipe_id (str, optional): Only batches of this recipe.
            yeast_id (str, optional): Only batches of this yeast.
            vessel_id (str, optional): Only batches of this vessel.
            status (str, optional): Only batches with this status.
            brewed_on_from (str, optional): Only batches whose `brewed_on` is on this day or later.
            brewed_on_to (str, optional): Only batches whose `brewed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}}
        """
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if yeast_id is not None and yeast_id not in self.yeasts:
            return _refused(f"There is no yeast {yeast_id!r}.")
        if vessel_id is not None and vessel_id not in self.vessels:
            return _refused(f"There is no vessel {vessel_id!r}.")
        found = [
            batch
            for batch in self.batches.values()
            if (code is None or code.casefold() in batch["code"].casefold())
            and (recipe_id is None or batch["recipe_id"] == recipe_id)
            and (yeast_id is None or batch["yeast_id"] == yeast_id)
            and (vessel_id is None or batch["vessel_id"] == vessel_id)
            and (status is None or batch["status"] == status)
            and (brewed_on_from is None or batch["brewed_on"] >= brewed_on_from)
            and (brewed_on_to is None or batch["brewed_on"] <= brewed_on_to)
        ]
        shown = [self._show_batch(batch) for batch in _page(found, offset)]
        return _found({"total": len(found), "batches": shown}, self._names_of_batches(shown))

    def list_readings(
        self,
        batch_id: str | None = None,
        read_on_from: Date | None = None,
        read_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the readings, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only readings of this batch.
            read_on_from (str, optional): Only readings whose `read_on` is on this day or later.
            read_on_to (str, optional): Only readings whose `read_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "readings": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        found = [
            reading
            for reading in self.readings.values()
            if (batch_id is None or reading["batch_id"] == batch_id)
            and (read_on_from is None or reading["read_on"] >= read_on_from)
            and (read_on_to is None or reading["read_on"] <= read_on_to)
        ]
        shown = [{**reading} for reading in _page(found, offset)]
        return _found({"total": len(found), "readings": shown}, self._names_of_readings(shown))

    def list_kegs(
        self,
        code: Text | None = None,
        batch_id: str | None = None,
        pub_id: str | None = None,
        status: Literal["empty", "full", "out", "broken"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kegs, oldest first, all of them or only some.

        Args:
            code (str, optional): Only kegs whose code contains this text.
            batch_id (str, optional): Only kegs of this batch.
            pub_id (str, optional): Only kegs of this pub.
            status (str, optional): Only kegs with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kegs": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if pub_id is not None and pub_id not in self.pubs:
            return _refused(f"There is no pub {pub_id!r}.")
        found = [
            keg
            for keg in self.kegs.values()
            if (code is None or code.casefold() in keg["code"].casefold())
            and (batch_id is None or keg["batch_id"] == batch_id)
            and (pub_id is None or keg["pub_id"] == pub_id)
            and (status is None or keg["status"] == status)
        ]
        shown = [{**keg} for keg in _page(found, offset)]
        return _found({"total": len(found), "kegs": shown}, self._names_of_kegs(shown))

    def list_fillings(
        self,
        batch_id: str | None = None,
        keg_id: str | None = None,
        pub_id: str | None = None,
        paid: bool | None = None,
        left_on_from: Date | None = None,
        left_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fillings, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only fillings of this batch.
            keg_id (str, optional): Only fillings of this keg.
            pub_id (str, optional): Only fillings of this pub.
            paid (bool, optional): Only fillings that are paid (true) or not (false).
            left_on_from (str, optional): Only fillings whose `left_on` is on this day or later.
            left_on_to (str, optional): Only fillings whose `left_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fillings": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if keg_id is not None and keg_id not in self.kegs:
            return _refused(f"There is no keg {keg_id!r}.")
        if pub_id is not None and pub_id not in self.pubs:
            return _refused(f"There is no pub {pub_id!r}.")
        found = [
            filling
            for filling in self.fillings.values()
            if (batch_id is None or filling["batch_id"] == batch_id)
            and (keg_id is None or filling["keg_id"] == keg_id)
            and (pub_id is None or filling["pub_id"] == pub_id)
            and (paid is None or filling["paid"] == paid)
            and (left_on_from is None or (filling["left_on"] is not None and filling["left_on"] >= left_on_from))
            and (left_on_to is None or (filling["left_on"] is not None and filling["left_on"] <= left_on_to))
        ]
        shown = [{**filling} for filling in _page(found, offset)]
        return _found({"total": len(found), "fillings": shown}, self._names_of_fillings(shown))

    def list_pubs(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pubs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pubs whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pubs": records}}
        """
        found = [pub for pub in self.pubs.values() if (name is None or name.casefold() in pub["name"].casefold())]
        return _found({"total": len(found), "pubs": [self._show_pub(pub) for pub in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def brew_batch(
        self,
        recipe_id: str,
        code: Text,
        vessel_id: str,
        yeast_id: str,
        litres: Annotated[int, {"minimum": 20, "maximum": 6000}],
        gravity: Annotated[int, {"minimum": 1020, "maximum": 1130}] | None = None,
    ) -> Result:
        """Brew a batch into a clean fermenter and pitch a yeast; the original gravity is that of the recipe unless
        another one was measured.

        Args:
            recipe_id (str): Id of the recipe, such as RECIPE-00001.
            code (str): New code of the batch, not used before.
            vessel_id (str): Id of the vessel, such as VESSEL-00001.
            yeast_id (str): Id of the yeast, such as YEAST-00001.
            litres (int): Volume brewed in litres, at least half of the fermenter, from 20 to 6000.
            gravity (int, optional): Measured original gravity, as specific gravity times 1000, from 1020 to 1130.
                If left out, the first gravity of the recipe is used.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        recipe = self.recipes.get(recipe_id)
        if recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        yeast = self.yeasts.get(yeast_id)
        if yeast is None:
            return _refused(f"There is no yeast {yeast_id!r}.")
        if self._batches_by_code.get(code, {}):
            return _refused(f"There is a batch {code}.")
        if vessel["kind"] != "fermenter":
            return _refused(f"{vessel['code']} is a bright tank.")
        if vessel["status"] != "clean":
            return _refused(f"{vessel['code']} is {vessel['status']}.")
        if litres > vessel["litres"]:
            return _refused(f"{vessel['code']} takes {vessel['litres']} litres.")
        if litres * 2 < vessel["litres"]:
            return _refused(f"{vessel['code']} must be at least half full.")
        if yeast["status"] != "ready":
            return _refused(f"{yeast['label']} was pitched already.")
        if yeast["strain"] != recipe["strain"]:
            return _refused(
                f"{recipe['name']} needs {recipe['strain']} yeast, and {yeast['label']} is {yeast['strain']}."
            )
        if not self._keeps(yeast):
            return _refused(
                f"{yeast['label']} was cropped on {yeast['got_on']} and keeps 14 days, so take another one."
            )
        if gravity is not None and gravity <= recipe["last_gravity"]:
            return _refused(
                f"{gravity} is no higher than the {recipe['last_gravity']} at which {recipe['name']} ends."
            )
        self._journal = []
        pitched_at = gravity if gravity is not None else recipe["first_gravity"]
        if not 1020 <= pitched_at <= 1130:
            return self._take_back("The pitched at of a batch must be between 1020 and 1130.")
        new_gravity = gravity if gravity is not None else recipe["first_gravity"]
        if not 990 <= new_gravity <= 1130:
            return self._take_back("The gravity of a batch must be between 990 and 1130.")
        batch: Batch = {
            "id": self._new_id("batch", "BATCH", self.batches),
            "code": code,
            "recipe_id": recipe_id,
            "yeast_id": yeast_id,
            "vessel_id": vessel_id,
            "litres": litres,
            "pitched_at": pitched_at,
            "gravity": new_gravity,
            "brewed_on": self.now[:10],
            "status": "fermenting",
        }
        self._add("batches", batch)
        self._put("yeasts", yeast, "status", "pitched")
        self._put("vessels", vessel, "status", "full")
        if len(self._batches_by_code.get(batch["code"], {})) > 1:
            return self._take_back(f"There is already a batch with the code {batch['code']!r}.")
        if self._breaks_rule_1_b(batch):
            return self._take_back(RULES[0])
        for one_batch in _distinct([batch, *self._batches_by_vessel.get(vessel["id"], {}).values()]):
            if self._breaks_rule_1_b_again(one_batch):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_b(batch):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b_again(batch):
            return self._take_back(RULES[3])
        if self._breaks_rule_8(batch):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(batch):
            return self._take_back(RULES[8])
        done = f"brew {litres} litres of {recipe['name']} as {code} into {vessel['code']} with {yeast['label']}"
        if gravity is not None:
            done += f" at {gravity}"
        return {
            "success": True,
            "message": f"Done: {done} (new: batch {batch['id']}).",
            "data": {"batch_id": batch["id"], **self._changes()},
        }

    def take_reading(self, batch_id: str, gravity: Annotated[int, {"minimum": 990, "maximum": 1130}]) -> Result:
        """Record the gravity of a fermenting or conditioning batch.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            gravity (int): Gravity read today, as specific gravity times 1000, never above the last, from 990 to
                1130.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] not in ("fermenting", "conditioning"):
            return _refused(f"Batch {batch['code']} is {batch['status']}.")
        if any(each["read_on"] == self.now[:10] for each in self._readings_by_batch.get(batch_id, {}).values()):
            return _refused(f"Batch {batch['code']} was read today.")
        if gravity > batch["gravity"]:
            return _refused(
                f"The last gravity of {batch['code']} was {batch['gravity']}, and it cannot rise to {gravity}."
            )
        if gravity < self.recipes[batch["recipe_id"]]["last_gravity"] - 3:
            return _refused(f"{gravity} is too low for {self.recipes[batch['recipe_id']]['name']}, so measure again.")
        self._journal = []
        reading: Reading = {
            "id": self._new_id("reading", "READING", self.readings),
            "batch_id": batch_id,
            "read_on": self.now[:10],
            "gravity": gravity,
        }
        self._add("readings", reading)
        self._put("batches", batch, "gravity", gravity)
        if self._breaks_rule_7_r(reading):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a(reading):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(reading):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(batch):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: record a gravity of {gravity} for {batch['code']} (new: reading {reading['id']}).",
            "data": {"reading_id": reading["id"], **self._changes()},
        }

    def start_conditioning(self, batch_id: str) -> Result:
        """Let a batch condition whose gravity was the same in two readings and low enough.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "fermenting":
            return _refused(f"Batch {batch['code']} is {batch['status']}.")
        if _plus_days(batch["brewed_on"], self.recipes[batch["recipe_id"]]["least_days"]) > self.now[:10]:
            return _refused(
                f"{self.recipes[batch['recipe_id']]['name']} ferments for "
                f"{self.recipes[batch['recipe_id']]['least_days']} days, until "
                f"{_plus_days(batch['brewed_on'], self.recipes[batch['recipe_id']]['least_days'])}."
            )
        if not self._done(batch):
            return _refused(
                f"Batch {batch['code']} is at {batch['gravity']} and {self.recipes[batch['recipe_id']]['name']} "
                f"should come down to {self.recipes[batch['recipe_id']]['last_gravity']}."
            )
        if not self._steady(batch):
            return _refused(f"Batch {batch['code']} needs two readings of {batch['gravity']}.")
        self._journal = []
        self._put("batches", batch, "status", "conditioning")
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_8(batch):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: let {batch['code']} condition.", "data": self._changes()}

    def receive_yeast(self, label: Text, strain: Literal["ale", "lager", "wheat", "saison"]) -> Result:
        """Take in fresh yeast from the laboratory, of generation 0.

        Args:
            label (str): New label of the yeast, not used before.
            strain (str): Strain of the fresh yeast: ale, lager, wheat or saison.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._yeasts_by_label.get(label, {}):
            return _refused(f"There is a yeast {label}.")
        self._journal = []
        yeast: Yeast = {
            "id": self._new_id("yeast", "YEAST", self.yeasts),
            "label": label,
            "strain": strain,
            "generation": 0,
            "cropped_from_id": None,
            "got_on": self.now[:10],
            "status": "ready",
        }
        self._add("yeasts", yeast)
        if len(self._yeasts_by_label.get(yeast["label"], {})) > 1:
            return self._take_back(f"There is already a yeast with the label {yeast['label']!r}.")
        if self._breaks_rule_5(yeast):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(yeast):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: take in {strain} yeast {label} (new: yeast {yeast['id']}).",
            "data": {"yeast_id": yeast["id"], **self._changes()},
        }

    def crop_yeast(self, batch_id: str, label: Text) -> Result:
        """Crop the yeast of a conditioning batch for a later one; it is one generation older.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            label (str): New label of the cropped yeast, not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "conditioning":
            return _refused(
                f"Batch {batch['code']} is {batch['status']}, and yeast is cropped while beer conditions."
            )
        if self._yeasts_by_label.get(label, {}):
            return _refused(f"There is a yeast {label}.")
        if self._yeasts_by_cropped_from.get(batch_id, {}):
            return _refused(f"Batch {batch['code']} was cropped already.")
        if self.yeasts[batch["yeast_id"]]["generation"] >= 6:
            return _refused(
                f"The yeast of {batch['code']} is of generation {self.yeasts[batch['yeast_id']]['generation']} "
                "and too old."
            )
        self._journal = []
        generation = self.yeasts[batch["yeast_id"]]["generation"] + 1
        if not 0 <= generation <= 6:
            return self._take_back("The generation of a yeast must be between 0 and 6.")
        yeast: Yeast = {
            "id": self._new_id("yeast", "YEAST", self.yeasts),
            "label": label,
            "strain": self.yeasts[batch["yeast_id"]]["strain"],
            "generation": generation,
            "cropped_from_id": batch_id,
            "got_on": self.now[:10],
            "status": "ready",
        }
        self._add("yeasts", yeast)
        if len(self._yeasts_by_label.get(yeast["label"], {})) > 1:
            return self._take_back(f"There is already a yeast with the label {yeast['label']!r}.")
        if self._breaks_rule_5(yeast):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(yeast):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: crop the yeast of {batch['code']} as {label} (new: yeast {yeast['id']}).",
            "data": {"yeast_id": yeast["id"], **self._changes()},
        }

    def transfer_batch(self, batch_id: str, vessel_id: str) -> Result:
        """Transfer a conditioned batch to a clean bright tank; the fermenter must be cleaned.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            vessel_id (str): Id of the vessel, such as VESSEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if batch["status"] != "conditioning" or batch["vessel_id"] is None:
            return _refused(f"Batch {batch['code']} is {batch['status']}.")
        if vessel["kind"] != "bright":
            return _refused(f"{vessel['code']} is a fermenter.")
        if vessel["status"] != "clean":
            return _refused(f"{vessel['code']} is {vessel['status']}.")
        if batch["litres"] > vessel["litres"]:
            return _refused(
                f"{vessel['code']} takes {vessel['litres']} litres and {batch['code']} has {batch['litres']}."
            )
        self._journal = []
        its_vessel = self.vessels[batch["vessel_id"]]
        if its_vessel["status"] not in ("full", "dirty"):
            return self._take_back(f"Vessel {its_vessel['code']} cannot go from {its_vessel['status']} to dirty.")
        self._put("vessels", its_vessel, "status", "dirty")
        if vessel["status"] not in ("clean", "full"):
            return self._take_back(f"Vessel {vessel['code']} cannot go from {vessel['status']} to full.")
        self._put("vessels", vessel, "status", "full")
        self._put("batches", batch, "vessel_id", vessel_id)
        self._put("batches", batch, "status", "bright")
        if self._breaks_rule_1_b(batch):
            return self._take_back(RULES[0])
        for one_batch in _distinct(
            [
                batch,
                *self._batches_by_vessel.get(its_vessel["id"], {}).values(),
                *self._batches_by_vessel.get(vessel["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_1_b_again(one_batch):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_8(batch):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: transfer {batch['code']} to {vessel['code']}.",
            "data": self._changes(),
        }

    def fill_kegs(self, batch_id: str, keg_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Fill empty kegs from a bright batch; when less than ten litres are left the batch is packaged and the tank
        must be cleaned.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            keg_ids (list): Empty kegs to fill, together no more than the batch has left: ids of kegs, such as
                KEG-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        kegs = []
        for key in keg_ids:
            if key not in self.kegs:
                return _refused(f"There is no keg {key!r}.")
            kegs.append(self.kegs[key])
        if batch["status"] != "bright" or batch["vessel_id"] is None:
            return _refused(f"Batch {batch['code']} is {batch['status']}.")
        if not (len(kegs) > 0 and _different([k["id"] for k in kegs])):
            return _refused("Name at least one keg, and each once.")
        other = next((k for k in kegs if k["status"] != "empty"), None)
        if other is not None:
            return _refused(f"Keg {other['code']} is {other['status']}.")
        if sum(k["litres"] for k in kegs) > self._batch_left(batch):
            return _refused(f"Batch {batch['code']} has {self._batch_left(batch)} litres left.")
        self._journal = []
        changed_kegs: list[Any] = []
        changed_kegs_2: list[Any] = []
        added_fillings: list[Any] = []
        changed_vessels: list[Any] = []
        changed_batches: list[Any] = []
        changed_batches_2: list[Any] = []
        for k in list(kegs):
            changed_kegs.append(k)
            self._put("kegs", k, "batch_id", batch_id)
            self._put("kegs", k, "filled_on", self.now[:10])
            if k["status"] not in ("empty", "full"):
                return self._take_back(f"Keg {k['code']} cannot go from {k['status']} to full.")
            changed_kegs_2.append(k)
            self._put("kegs", k, "status", "full")
            filling = {
                "id": self._new_id("filling", "FILLING", self.fillings),
                "batch_id": batch_id,
                "keg_id": k["id"],
                "litres": k["litres"],
                "pub_id": None,
                "left_on": None,
                "duty": 0,
                "paid": False,
            }
            self._add("fillings", filling)
            added_fillings.append(filling)
        if self._batch_left(batch) < 10:
            vessel = self.vessels[batch["vessel_id"]]
            if vessel["status"] not in ("full", "dirty"):
                return self._take_back(f"Vessel {vessel['code']} cannot go from {vessel['status']} to dirty.")
            changed_vessels.append(vessel)
            self._put("vessels", vessel, "status", "dirty")
            changed_batches.append(batch)
            self._put("batches", batch, "vessel_id", None)
            changed_batches_2.append(batch)
            self._put("batches", batch, "status", "packaged")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_1_b(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct(
            [
                *[user for one in changed_vessels for user in self._batches_by_vessel.get(one["id"], {}).values()],
                *changed_batches,
            ]
        ):
            if self._breaks_rule_1_b_again(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct([*changed_batches, *changed_batches_2]):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_batch in _distinct([*changed_batches, *changed_batches_2]):
            if self._breaks_rule_3(one_batch):
                return self._take_back(RULES[2])
        for one_batch in _distinct(changed_batches_2):
            if self._breaks_rule_8(one_batch):
                return self._take_back(RULES[7])
        for one_batch in _distinct([self.batches[one["batch_id"]] for one in added_fillings]):
            if self._breaks_rule_9(one_batch):
                return self._take_back(RULES[8])
        for one_keg in _distinct([*changed_kegs, *changed_kegs_2]):
            if self._breaks_rule_10(one_keg):
                return self._take_back(RULES[9])
        for one_pub in _distinct([self.pubs.get(one["pub_id"]) for one in changed_kegs_2]):
            if self._breaks_rule_11(one_pub):
                return self._take_back(RULES[10])
        for one_filling in _distinct(added_fillings):
            if self._breaks_rule_12(one_filling):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: fill kegs {', '.join(str(one['code']) for one in kegs)} from {batch['code']}.",
            "data": self._changes(),
        }

    def deliver_kegs(self, pub_id: str, keg_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Deliver full kegs to a pub; beer duty falls due for each.

        Args:
            pub_id (str): Id of the pub, such as PUB-00001.
            keg_ids (list): Full kegs that go to the pub: ids of kegs, such as KEG-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pub = self.pubs.get(pub_id)
        if pub is None:
            return _refused(f"There is no pub {pub_id!r}.")
        kegs = []
        for key in keg_ids:
            if key not in self.kegs:
                return _refused(f"There is no keg {key!r}.")
            kegs.append(self.kegs[key])
        if not (len(kegs) > 0 and _different([k["id"] for k in kegs])):
            return _refused("Name at least one keg, and each once.")
        other = next((k for k in kegs if k["status"] != "full"), None)
        if other is not None:
            return _refused(f"Keg {other['code']} is {other['status']}.")
        if self._pub_kegs_out(pub) + len(kegs) > pub["most_kegs"]:
            return _refused(
                f"{pub['name']} has {self._pub_kegs_out(pub)} kegs and may have {pub['most_kegs']}, so take some "
                "back first."
            )
        self._journal = []
        changed_fillings: list[Any] = []
        changed_fillings_2: list[Any] = []
        changed_fillings_3: list[Any] = []
        changed_kegs: list[Any] = []
        former_pub_ids: list[Any] = []
        changed_kegs_2: list[Any] = []
        for f in [
            f
            for f in sorted(
                _distinct(
                    [
                        f
                        for key in [record["id"] for record in kegs]
                        for f in self._fillings_by_keg.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if f["left_on"] is None
        ]:
            changed_fillings.append(f)
            self._put("fillings", f, "pub_id", pub_id)
            changed_fillings_2.append(f)
            self._put("fillings", f, "left_on", self.now[:10])
            duty = self._duty_of(self.batches[f["batch_id"]], f["litres"])
            if not 0 <= duty <= 100000:
                return self._take_back(f"The duty of {f['id']} must be between 0.00 and 1,000.00.")
            changed_fillings_3.append(f)
            self._put("fillings", f, "duty", duty)
        for k in list(kegs):
            changed_kegs.append(k)
            former_pub_ids.append(k["pub_id"])
            self._put("kegs", k, "pub_id", pub_id)
            if k["status"] not in ("full", "out"):
                return self._take_back(f"Keg {k['code']} cannot go from {k['status']} to out.")
            changed_kegs_2.append(k)
            self._put("kegs", k, "status", "out")
        for one_keg in _distinct([*changed_kegs, *changed_kegs_2]):
            if self._breaks_rule_10(one_keg):
                return self._take_back(RULES[9])
        for one_pub in _distinct(
            [
                *[self.pubs.get(one["pub_id"]) for one in changed_kegs],
                *[self.pubs.get(key) for key in former_pub_ids],
                *[self.pubs.get(one["pub_id"]) for one in changed_kegs_2],
            ]
        ):
            if self._breaks_rule_11(one_pub):
                return self._take_back(RULES[10])
        for one_filling in _distinct([*changed_fillings, *changed_fillings_2, *changed_fillings_3]):
            if self._breaks_rule_12(one_filling):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: deliver kegs {', '.join(str(one['code']) for one in kegs)} to {pub['name']}.",
            "data": self._changes(),
        }

    def return_kegs(self, keg_ids: Annotated[list[str], {"maxItems": 20}], broken: bool = False) -> Result:
        """Take kegs back from pubs, washed and empty or broken.

        Args:
            keg_ids (list): Kegs that come back from pubs: ids of kegs, such as KEG-00001.
            broken (bool): Whether the kegs are broken and cannot be filled again. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        kegs = []
        for key in keg_ids:
            if key not in self.kegs:
                return _refused(f"There is no keg {key!r}.")
            kegs.append(self.kegs[key])
        if not (len(kegs) > 0 and _different([k["id"] for k in kegs])):
            return _refused("Name at least one keg, and each once.")
        other = next((k for k in kegs if k["status"] != "out"), None)
        if other is not None:
            return _refused(f"Keg {other['code']} is {other['status']}.")
        self._journal = []
        changed_kegs: list[Any] = []
        changed_kegs_2: list[Any] = []
        former_pub_ids: list[Any] = []
        changed_kegs_3: list[Any] = []
        for k in list(kegs):
            changed_kegs.append(k)
            self._put("kegs", k, "batch_id", None)
            changed_kegs_2.append(k)
            former_pub_ids.append(k["pub_id"])
            self._put("kegs", k, "pub_id", None)
            self._put("kegs", k, "filled_on", None)
            status = "broken" if broken else "empty"
            if k["status"] != status and (k["status"], status) not in KEG_STATUS_MOVES:
                return self._take_back(f"Keg {k['code']} cannot go from {k['status']} to {status}.")
            changed_kegs_3.append(k)
            self._put("kegs", k, "status", status)
        for one_keg in _distinct([*changed_kegs, *changed_kegs_2, *changed_kegs_3]):
            if self._breaks_rule_10(one_keg):
                return self._take_back(RULES[9])
        for one_pub in _distinct(
            [
                *[self.pubs.get(one["pub_id"]) for one in changed_kegs_2],
                *[self.pubs.get(key) for key in former_pub_ids],
                *[self.pubs.get(one["pub_id"]) for one in changed_kegs_3],
            ]
        ):
            if self._breaks_rule_11(one_pub):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: take kegs {', '.join(str(one['code']) for one in kegs)} back, broken "
                f"{'yes' if broken else 'no'}."
            ),
            "data": self._changes(),
        }

    def clean_vessel(self, vessel_id: str) -> Result:
        """Clean a dirty vessel.

        Args:
            vessel_id (str): Id of the vessel, such as VESSEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vessel = self.vessels.get(vessel_id)
        if vessel is None:
            return _refused(f"There is no vessel {vessel_id!r}.")
        if vessel["status"] != "dirty":
            return _refused(f"{vessel['code']} is {vessel['status']}.")
        self._journal = []
        self._put("vessels", vessel, "status", "clean")
        for one_batch in _distinct(self._batches_by_vessel.get(vessel["id"], {}).values()):
            if self._breaks_rule_1_b_again(one_batch):
                return self._take_back(RULES[0])
        return {"success": True, "message": f"Done: clean {vessel['code']}.", "data": self._changes()}

    def dump_batch(self, batch_id: str) -> Result:
        """Pour away what is left of a batch; its vessel must be cleaned.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if not (self._brewing(batch) and batch["vessel_id"] is not None):
            return _refused(f"Batch {batch['code']} is {batch['status']}.")
        self._journal = []
        vessel = self.vessels[batch["vessel_id"]]
        if vessel["status"] not in ("full", "dirty"):
            return self._take_back(f"Vessel {vessel['code']} cannot go from {vessel['status']} to dirty.")
        self._put("vessels", vessel, "status", "dirty")
        self._put("batches", batch, "vessel_id", None)
        if batch["status"] not in ("fermenting", "conditioning", "dumped", "bright"):
            return self._take_back(f"Batch {batch['code']} cannot go from {batch['status']} to dumped.")
        self._put("batches", batch, "status", "dumped")
        if self._breaks_rule_1_b(batch):
            return self._take_back(RULES[0])
        for one_batch in _distinct([batch, *self._batches_by_vessel.get(vessel["id"], {}).values()]):
            if self._breaks_rule_1_b_again(one_batch):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_8(batch):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: dump {batch['code']}.", "data": self._changes()}

    def pay_duty(self, until: Date, recipe_id: str | None = None) -> Result:
        """Pay the duty on all kegs that left until a day, for all recipes or one of them.

        Args:
            until (str): Last day of delivery whose duty is paid, before today, as YYYY-MM-DD.
            recipe_id (str, optional): Recipe of the beer whose duty is paid; an id such as RECIPE-00001. If left
                out, the duty on all recipes is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        recipe = self.recipes.get(recipe_id) if recipe_id is not None else None
        if recipe_id is not None and recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if until >= self.now[:10]:
            return _refused("Duty is paid for days that are over.")
        if not any(
            f["left_on"] is not None
            and f["left_on"] <= until
            and not f["paid"]
            and (recipe_id is None or self.batches[f["batch_id"]]["recipe_id"] == recipe_id)
            for f in self.fillings.values()
        ):
            return _refused(f"No duty is due until {until}.")
        self._journal = []
        changed_fillings: list[Any] = []
        for f in [
            f
            for f in self.fillings.values()
            if f["left_on"] is not None
            and f["left_on"] <= until
            and not f["paid"]
            and (recipe_id is None or self.batches[f["batch_id"]]["recipe_id"] == recipe_id)
        ]:
            changed_fillings.append(f)
            self._put("fillings", f, "paid", True)
        for one_filling in _distinct(changed_fillings):
            if self._breaks_rule_12(one_filling):
                return self._take_back(RULES[11])
        done = f"pay the duty until {until}"
        if recipe is not None:
            done += f" for {recipe['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_batch(self, batch: Batch) -> dict[str, Any]:
        """The batch as an answer shows it."""
        return {
            **batch,
            "strength": self._batch_strength(batch),
            "filled": self._batch_filled(batch),
            "left": self._batch_left(batch),
        }

    def _show_pub(self, pub: Pub) -> dict[str, Any]:
        """The pub as an answer shows it."""
        return {**pub, "kegs_out": self._pub_kegs_out(pub)}

    def _names_of_yeasts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that yeasts point to."""
        return _names((self.batches, "code", [row["cropped_from_id"] for row in shown]))

    def _names_of_batches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that batches point to."""
        return _names(
            (self.recipes, "name", [row["recipe_id"] for row in shown]),
            (self.yeasts, "label", [row["yeast_id"] for row in shown]),
            (self.vessels, "code", [row["vessel_id"] for row in shown]),
        )

    def _names_of_readings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that readings point to."""
        return _names((self.batches, "code", [row["batch_id"] for row in shown]))

    def _names_of_kegs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that kegs point to."""
        return _names(
            (self.batches, "code", [row["batch_id"] for row in shown]),
            (self.pubs, "name", [row["pub_id"] for row in shown]),
        )

    def _names_of_fillings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fillings point to."""
        return _names(
            (self.batches, "code", [row["batch_id"] for row in shown]),
            (self.kegs, "code", [row["keg_id"] for row in shown]),
            (self.pubs, "name", [row["pub_id"] for row in shown]),
        )

    def _batch_strength(self, batch: Batch) -> int:
        """The strength of a batch."""
        return _rounded(Fraction((batch["pitched_at"] - batch["gravity"]) * 131, 100))

    def _batch_filled(self, batch: Batch) -> int:
        """The filled of a batch."""
        return sum(k["litres"] for k in self._fillings_by_batch.get(batch["id"], {}).values())

    def _batch_left(self, batch: Batch) -> int:
        """The left of a batch."""
        return batch["litres"] - sum(k["litres"] for k in self._fillings_by_batch.get(batch["id"], {}).values())

    def _pub_kegs_out(self, pub: Pub) -> int:
        """The kegs out of a pub."""
        return len(self._kegs_by_pub_status.get((pub["id"], "out"), {}))

    def _brewing(self, b: Batch) -> bool:
        return b["status"] in ("fermenting", "conditioning", "bright")

    def _keeps(self, y: Yeast) -> bool:
        return y["cropped_from_id"] is None or _plus_days(y["got_on"], 14) >= self.now[:10]

    def _steady(self, b: Batch) -> bool:
        return sum(1 for r in self._readings_by_batch.get(b["id"], {}).values() if r["gravity"] == b["gravity"]) >= 2

    def _done(self, b: Batch) -> bool:
        return b["gravity"] <= self.recipes[b["recipe_id"]]["last_gravity"] + 2

    def _duty_of(self, b: Batch, l: int) -> int:
        return _rounded(Fraction(self.recipes[b["recipe_id"]]["duty_rate"] * l * self._batch_strength(b), 1000))

    def _breaks_rule_1_b(self, b: Batch) -> bool:
        """Whether this is broken: a vessel holds one batch at a time, and counts as full then."""
        return (
            b["vessel_id"] is not None
            and any(
                other_b is not b
                for other_b in self._batches_by_vessel.get(b["vessel_id"], {}).values()
                if other_b["vessel_id"] is not None
            )
        )

    def _breaks_rule_1_b_again(self, b: Batch) -> bool:
        """Whether this is broken: a vessel holds one batch at a time, and counts as full then."""
        return b["vessel_id"] is not None and self.vessels[b["vessel_id"]]["status"] != "full"

    def _breaks_rule_2(self, b: Batch) -> bool:
        """Whether this is broken: a batch that is being made has a vessel, and no other has."""
        return self._brewing(b) != (b["vessel_id"] is not None)

    def _breaks_rule_3(self, b: Batch) -> bool:
        """Whether this is broken: a batch fits into its vessel, which is a bright tank for bright beer and a
        fermenter before.
        """
        return (
            b["vessel_id"] is not None
            and (
                b["litres"] > self.vessels[b["vessel_id"]]["litres"]
                or (b["status"] == "bright") != (self.vessels[b["vessel_id"]]["kind"] == "bright")
            )
        )

    def _breaks_rule_4_b(self, b: Batch) -> bool:
        """Whether this is broken: yeast ferments beer of its own strain only, and one pitch makes one batch."""
        return self.yeasts[b["yeast_id"]]["strain"] != self.recipes[b["recipe_id"]]["strain"]

    def _breaks_rule_4_b_again(self, b: Batch) -> bool:
        """Whether this is broken: yeast ferments beer of its own strain only, and one pitch makes one batch."""
        return any(other_b is not b for other_b in self._batches_by_yeast.get(b["yeast_id"], {}).values())

    def _breaks_rule_5(self, y: Yeast) -> bool:
        """Whether this is broken: cropped yeast is one generation older than the yeast of the batch it came from, and
        of the same strain.
        """
        return not (
            y["cropped_from_id"] is None
            or y["generation"] == self.yeasts[self.batches[y["cropped_from_id"]]["yeast_id"]]["generation"] + 1
            and y["strain"] == self.yeasts[self.batches[y["cropped_from_id"]]["yeast_id"]]["strain"]
        )

    def _breaks_rule_6(self, y: Yeast) -> bool:
        """Whether this is broken: a batch gives one crop of yeast."""
        return (
            y["cropped_from_id"] is not None
            and any(
                other_y is not y
                for other_y in self._yeasts_by_cropped_from.get(y["cropped_from_id"], {}).values()
                if other_y["cropped_from_id"] is not None
            )
        )

    def _breaks_rule_7_r(self, r: Reading) -> bool:
        """Whether this is broken: gravity never rises from one reading to a later one, and is read once a day."""
        return any(
            other_r is not r
            for other_r in self._readings_by_batch.get(r["batch_id"], {}).values()
            if other_r["read_on"] == r["read_on"]
        )

    def _breaks_rule_7_a(self, a: Reading) -> bool:
        """Whether this is broken: gravity never rises from one reading to a later one, and is read once a day."""
        return any(
            a["gravity"] < b["gravity"]
            for b in self._readings_by_batch.get(a["batch_id"], {}).values()
            if a["read_on"] < b["read_on"]
        )

    def _breaks_rule_7_b(self, b: Reading) -> bool:
        """Whether this is broken: gravity never rises from one reading to a later one, and is read once a day."""
        return any(
            a["gravity"] < b["gravity"]
            for a in self._readings_by_batch.get(b["batch_id"], {}).values()
            if a["read_on"] < b["read_on"]
        )

    def _breaks_rule_8(self, b: Batch) -> bool:
        """Whether this is broken: beer that conditions or is bright has fermented out."""
        return b["status"] in ("conditioning", "bright", "packaged") and not self._done(b)

    def _breaks_rule_9(self, b: Batch) -> bool:
        """Whether this is broken: no more is filled from a batch than it gave."""
        return self._batch_left(b) < 0

    def _breaks_rule_10(self, k: Keg) -> bool:
        """Whether this is broken: a keg that is not empty or broken has a batch, and one that is out is at a pub."""
        return (
            (k["status"] in ("full", "out")) != (k["batch_id"] is not None)
            or (k["status"] == "out") != (k["pub_id"] is not None)
        )

    def _breaks_rule_11(self, p: Pub) -> bool:
        """Whether this is broken: no pub has more kegs than it may."""
        return self._pub_kegs_out(p) > p["most_kegs"]

    def _breaks_rule_12(self, f: Filling) -> bool:
        """Whether this is broken: duty falls due when a keg leaves, and only then."""
        return not (
            (f["left_on"] is not None) == (f["pub_id"] is not None)
            and (f["left_on"] is not None or f["duty"] == 0 and not f["paid"])
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
            case "yeasts":
                self._yeasts_by_cropped_from.setdefault(record["cropped_from_id"], {})[record["id"]] = record
                self._yeasts_by_label.setdefault(record["label"], {})[record["id"]] = record
            case "batches":
                self._batches_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._batches_by_vessel.setdefault(record["vessel_id"], {})[record["id"]] = record
                self._batches_by_yeast.setdefault(record["yeast_id"], {})[record["id"]] = record
            case "readings":
                self._readings_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
            case "kegs":
                self._kegs_by_pub.setdefault(record["pub_id"], {})[record["id"]] = record
                self._kegs_by_pub_status.setdefault((record["pub_id"], record["status"]), {})[record["id"]] = record
            case "fillings":
                self._fillings_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
                self._fillings_by_keg.setdefault(record["keg_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "yeasts":
                del self._yeasts_by_cropped_from[record["cropped_from_id"]][record["id"]]
                del self._yeasts_by_label[record["label"]][record["id"]]
            case "batches":
                del self._batches_by_code[record["code"]][record["id"]]
                del self._batches_by_vessel[record["vessel_id"]][record["id"]]
                del self._batches_by_yeast[record["yeast_id"]][record["id"]]
            case "readings":
                del self._readings_by_batch[record["batch_id"]][record["id"]]
            case "kegs":
                del self._kegs_by_pub[record["pub_id"]][record["id"]]
                del self._kegs_by_pub_status[record["pub_id"], record["status"]][record["id"]]
            case "fillings":
                del self._fillings_by_batch[record["batch_id"]][record["id"]]
                del self._fillings_by_keg[record["keg_id"]][record["id"]]
