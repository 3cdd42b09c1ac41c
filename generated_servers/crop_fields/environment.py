"""Crop fields. Compiled from blueprint.yaml; run `envscaler build crop_fields` after changing it there.

Plans the crops of an arable farm field by field with rotation breaks, and sows, sprays, fertilises and harvests
them within waiting times and nitrogen budgets.
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
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A field has one crop a year, unless the other was lost or dropped.",
    "A field carries one crop at a time.",
    "Crops of one family return to a field only after their break.",
    "A product is sprayed only on families it is approved for.",
    "A crop is not sprayed with one product more often than allowed.",
    "A crop is not harvested before the waiting time of its last spraying is over.",
    "No crop gets more nitrogen than its budget.",
    "Organic fertiliser stays out of the water protection zone.",
    "A crop that was sown has a day of sowing, and a planned or dropped one has none.",
    "A harvest has a day, and a lost crop says what it was lost to.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_crop",
    "drop_plan",
    "swap_crops",
    "sow_crop",
    "spray_crop",
    "spread_fertiliser",
    "harvest_crop",
    "write_off_crop",
    "book_delivery",
    "fill_silo",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "fields": ("name",),
    "crops": ("name",),
    "plantings": (),
    "products": ("name",),
    "sprayings": (),
    "fertilisers": ("name",),
    "spreadings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("plantings", "field_id"),
    ("plantings", "status"),
    ("sprayings", "planting_id"),
    ("sprayings", "product_id"),
    ("spreadings", "planting_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Field(TypedDict):
    id: str
    name: str
    hectares: int
    water_zone: bool


class Crop(TypedDict):
    id: str
    name: str
    family: Literal["cereal", "brassica", "nightshade", "beet", "legume", "allium", "maize", "catch_crop"]
    break_years: int
    nitrogen_per_hectare: int
    sow_from: str
    sow_to: str
    days_to_harvest: int


class Planting(TypedDict):
    id: str
    field_id: str
    crop_id: str
    year: int
    sown_on: str | None
    harvested_on: str | None
    tonnes: int
    lost_to: str | None
    status: Literal["planned", "sown", "dropped", "harvested", "lost"]


class Product(TypedDict):
    id: str
    name: str
    kind: Literal["herbicide", "fungicide", "insecticide"]
    families: list[Literal["cereal", "brassica", "nightshade", "beet", "legume", "allium", "maize", "catch_crop"]]
    litres_per_hectare: int
    wait_days: int
    most_times: int
    stock: int


class Spraying(TypedDict):
    id: str
    planting_id: str
    product_id: str
    sprayed_on: str
    litres: int


class Fertiliser(TypedDict):
    id: str
    name: str
    organic: bool
    nitrogen_percent: int
    stock: int


class Spreading(TypedDict):
    id: str
    planting_id: str
    fertiliser_id: str
    kilos: int
    nitrogen: int
    spread_on: str


class BookDeliveryLine(TypedDict):
    product_id: str
    litres: Annotated[int, {"minimum": 1, "maximum": 400}]


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


class CropFields:
    """Plans the crops of an arable farm field by field with rotation breaks, and sows, sprays, fertilises
    and harvests them within waiting times and nitrogen budgets.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.fields: dict[str, Field] = _copied(config.get("fields", {}))
        self.crops: dict[str, Crop] = _copied(config.get("crops", {}))
        self.plantings: dict[str, Planting] = _copied(config.get("plantings", {}))
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.sprayings: dict[str, Spraying] = _copied(config.get("sprayings", {}))
        self.fertilisers: dict[str, Fertiliser] = _copied(config.get("fertilisers", {}))
        self.spreadings: dict[str, Spreading] = _copied(config.get("spreadings", {}))
        self.now: str = config.get("now", "2026-09-07T06:50")
        self.counters: dict[str, int] = {
            "field": len(self.fields),
            "crop": len(self.crops),
            "planting": len(self.plantings),
            "product": len(self.products),
            "spraying": len(self.sprayings),
            "fertiliser": len(self.fertilisers),
            "spreading": len(self.spreadings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._plantings_by_field: dict[Any, dict[str, Planting]] = {}
        self._plantings_by_field_status: dict[Any, dict[str, Planting]] = {}
        self._plantings_by_status: dict[Any, dict[str, Planting]] = {}
        self._sprayings_by_planting: dict[Any, dict[str, Spraying]] = {}
        self._sprayings_by_planting_product: dict[Any, dict[str, Spraying]] = {}
        self._spreadings_by_planting: dict[Any, dict[str, Spreading]] = {}
        for planting in self.plantings.values():
            self._link("plantings", planting)
        for spraying in self.sprayings.values():
            self._link("sprayings", spraying)
        for spreading in self.spreadings.values():
            self._link("spreadings", spreading)

    def crops_that_fit(
        self,
        field_id: str,
        year: Annotated[int, {"minimum": 2026, "maximum": 2030}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Crops that the rotation allows on a field for a harvest year.

        Args:
            field_id (str): Id of the field, such as FIELD-00001.
            year (int): Year in which the crop is to be harvested, from 2026 to 2030.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crops": records}} or {"success": False, "error": why
                not}
        """
        field = self.fields.get(field_id)
        if field is None:
            return _refused(f"There is no field {field_id!r}.")
        found = [c for c in self.crops.values() if self._too_soon(field, c, year, None) is None]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "crops": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "family": c["family"],
                        "sow_from": c["sow_from"],
                        "sow_to": c["sow_to"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def ready_to_harvest(
        self,
        crop_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Crops that are ripe and past every waiting time, sown first first.

        Args:
            crop_id (str, optional): Only plantings of this crop; an id such as CROP-00001. If left out, the ripe
                plantings of all crops are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plantings": records}} or {"success": False, "error":
                why not}
        """
        crop = self.crops.get(crop_id) if crop_id is not None else None
        if crop_id is not None and crop is None:
            return _refused(f"There is no crop {crop_id!r}.")
        found = [
            p
            for p in self.plantings.values()
            if (
                p["status"] == "sown"
                and p["sown_on"] is not None
                and _plus_days(p["sown_on"], self.crops[p["crop_id"]]["days_to_harvest"]) <= self.now[:10]
            )
            and not any(
                self._spraying_free_on(s) > self.now[:10]
                for s in self._sprayings_by_planting.get(p["id"], {}).values()
            )
            and (crop_id is None or p["crop_id"] == crop_id)
        ]
        found.sort(key=lambda p: (p["sown_on"], self.fields[p["field_id"]]["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "plantings": [
                    {
                        "id": p["id"],
                        "field": self.fields[p["field_id"]]["name"],
                        "crop": self.crops[p["crop_id"]]["name"],
                        "sown_on": p["sown_on"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def nitrogen_left(
        self,
        field_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is left of the nitrogen budget of each growing crop.

        Args:
            field_id (str, optional): Only the crop that grows on this field; an id such as FIELD-00001. If left
                out, the crops of all fields are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plantings": records}} or {"success": False, "error":
                why not}
        """
        field = self.fields.get(field_id) if field_id is not None else None
        if field_id is not None and field is None:
            return _refused(f"There is no field {field_id!r}.")
        found = [
            p
            for p in self._plantings_by_status.get("sown", {}).values()
            if (field_id is None or p["field_id"] == field_id)
        ]
        found.sort(key=lambda p: (self.fields[p["field_id"]]["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "plantings": [
                    {
                        "id": p["id"],
                        "field": self.fields[p["field_id"]]["name"],
                        "hectares": self.fields[p["field_id"]]["hectares"],
                        "water_zone": self.fields[p["field_id"]]["water_zone"],
                        "crop": self.crops[p["crop_id"]]["name"],
                        "left": self._planting_nitrogen_budget(p) - self._planting_nitrogen_given(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def get_field(self, field_id: str) -> Result:
        """Look up one field by its id.

        Args:
            field_id (str): Id of the field, such as FIELD-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        field = self.fields.get(field_id)
        if field is None:
            return _refused(f"There is no field {field_id!r}.")
        return _found(self._show_field(field))

    def list_fields(
        self,
        name: Text | None = None,
        water_zone: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fields, oldest first, all of them or only some.

        Args:
            name (str, optional): Only fields whose name contains this text.
            water_zone (bool, optional): Only fields with this value of `water_zone`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fields": records}}
        """
        found = [
            field
            for field in self.fields.values()
            if (name is None or name.casefold() in field["name"].casefold())
            and (water_zone is None or field["water_zone"] == water_zone)
        ]
        return _found({"total": len(found), "fields": [self._show_field(field) for field in _page(found, offset)]})

    def list_crops(
        self,
        name: Text | None = None,
        family: Literal[
            "cereal",
            "brassica",
            "nightshade",
            "beet",
            "legume",
            "allium",
            "maize",
            "catch_crop",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crops, oldest first, all of them or only some.

        Args:
            name (str, optional): Only crops whose name contains this text.
            family (str, optional): Only crops with this family.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crops": records}}
        """
        found = [
            crop
            for crop in self.crops.values()
            if (name is None or name.casefold() in crop["name"].casefold())
            and (family is None or crop["family"] == family)
        ]
        return _found({"total": len(found), "crops": [{**crop} for crop in _page(found, offset)]})

    def list_plantings(
        self,
        field_id: str | None = None,
        crop_id: str | None = None,
        status: Literal["planned", "sown", "dropped", "harvested", "lost"] | None = None,
        sown_on_from: Date | None = None,
        sown_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plantings, oldest first, all of them or only some.

        Args:
            field_id (str, optional): Only plantings of this field.
            crop_id (str, optional): Only plantings of this crop.
            status (str, optional): Only plantings with this status.
            sown_on_from (str, optional): Only plantings whose `sown_on` is on this day or later.
            sown_on_to (str, optional): Only plantings whose `sown_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plantings": records}}
        """
        if field_id is not None and field_id not in self.fields:
            return _refused(f"There is no field {field_id!r}.")
        if crop_id is not None and crop_id not in self.crops:
            return _refused(f"There is no crop {crop_id!r}.")
        found = [
            planting
            for planting in self.plantings.values()
            if (field_id is None or planting["field_id"] == field_id)
            and (crop_id is None or planting["crop_id"] == crop_id)
            and (status is None or planting["status"] == status)
            and (sown_on_from is None or (planting["sown_on"] is not None and planting["sown_on"] >= sown_on_from))
            and (sown_on_to is None or (planting["sown_on"] is not None and planting["sown_on"] <= sown_on_to))
        ]
        shown = [self._show_planting(planting) for planting in _page(found, offset)]
        return _found({"total": len(found), "plantings": shown}, self._names_of_plantings(shown))

    def list_products(
        self,
        name: Text | None = None,
        kind: Literal["herbicide", "fungicide", "insecticide"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the products, oldest first, all of them or only some.

        Args:
            name (str, optional): Only products whose name contains this text.
            kind (str, optional): Only products with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "products": records}}
        """
        found = [
            product
            for product in self.products.values()
            if (name is None or name.casefold() in product["name"].casefold())
            and (kind is None or product["kind"] == kind)
        ]
        return _found(
            {"total": len(found), "products": [self._show_product(product) for product in _page(found, offset)]}
        )

    def list_sprayings(
        self,
        planting_id: str | None = None,
        product_id: str | None = None,
        sprayed_on_from: Date | None = None,
        sprayed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sprayings, oldest first, all of them or only some.

        Args:
            planting_id (str, optional): Only sprayings of this planting.
            product_id (str, optional): Only sprayings of this product.
            sprayed_on_from (str, optional): Only sprayings whose `sprayed_on` is on this day or later.
            sprayed_on_to (str, optional): Only sprayings whose `sprayed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sprayings": records}}
        """
        if planting_id is not None and planting_id not in self.plantings:
            return _refused(f"There is no planting {planting_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            spraying
            for spraying in self.sprayings.values()
            if (planting_id is None or spraying["planting_id"] == planting_id)
            and (product_id is None or spraying["product_id"] == product_id)
            and (sprayed_on_from is None or spraying["sprayed_on"] >= sprayed_on_from)
            and (sprayed_on_to is None or spraying["sprayed_on"] <= sprayed_on_to)
        ]
        shown = [self._show_spraying(spraying) for spraying in _page(found, offset)]
        return _found({"total": len(found), "sprayings": shown}, self._names_of_sprayings(shown))

    def list_fertilisers(
        self,
        name: Text | None = None,
        organic: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fertilisers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only fertilisers whose name contains this text.
            organic (bool, optional): Only fertilisers that are organic (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fertilisers": records}}
        """
        found = [
            fertiliser
            for fertiliser in self.fertilisers.values()
            if (name is None or name.casefold() in fertiliser["name"].casefold())
            and (organic is None or fertiliser["organic"] == organic)
        ]
        return _found({"total": len(found), "fertilisers": [{**fertiliser} for fertiliser in _page(found, offset)]})

    def list_spreadings(
        self,
        planting_id: str | None = None,
        fertiliser_id: str | None = None,
        spread_on_from: Date | None = None,
        spread_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the spreadings, oldest first, all of them or only some.

        Args:
            planting_id (str, optional): Only spreadings of this planting.
            fertiliser_id (str, optional): Only spreadings of this fertiliser.
            spread_on_from (str, optional): Only spreadings whose `spread_on` is on this day or later.
            spread_on_to (str, optional): Only spreadings whose `spread_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spreadings": records}}
        """
        if planting_id is not None and planting_id not in self.plantings:
            return _refused(f"There is no planting {planting_id!r}.")
        if fertiliser_id is not None and fertiliser_id not in self.fertilisers:
            return _refused(f"There is no fertiliser {fertiliser_id!r}.")
        found = [
            spreading
            for spreading in self.spreadings.values()
            if (planting_id is None or spreading["planting_id"] == planting_id)
            and (fertiliser_id is None or spreading["fertiliser_id"] == fertiliser_id)
            and (spread_on_from is None or spreading["spread_on"] >= spread_on_from)
            and (spread_on_to is None or spreading["spread_on"] <= spread_on_to)
        ]
        shown = [{**spreading} for spreading in _page(found, offset)]
        return _found({"total": len(found), "spreadings": shown}, self._names_of_spreadings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_crop(
        self,
        field_id: str,
        crop_id: str,
        year: Annotated[int, {"minimum": 2026, "maximum": 2030}],
    ) -> Result:
        """Plan a crop on a field for a harvest year.

        Args:
            field_id (str): Id of the field, such as FIELD-00001.
            crop_id (str): Id of the crop, such as CROP-00001.
            year (int): Year in which the crop is to be harvested, from 2026 to 2030.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        field = self.fields.get(field_id)
        if field is None:
            return _refused(f"There is no field {field_id!r}.")
        crop = self.crops.get(crop_id)
        if crop is None:
            return _refused(f"There is no crop {crop_id!r}.")
        there = self._plan_for(field, year)
        if there is not None:
            return _refused(
                f"{field['name']} has {self.crops[there['crop_id']]['name']} for {year}, which is {there['status']}."
            )
        close = self._too_soon(field, crop, year, None)
        if close is not None:
            return _refused(
                f"{crop['name']} cannot follow the {self.crops[close['crop_id']]['name']} of {close['year']} on "
                f"{field['name']} so soon."
            )
        self._journal = []
        planting: Planting = {
            "id": self._new_id("planting", "PLANTING", self.plantings),
            "field_id": field_id,
            "crop_id": crop_id,
            "year": year,
            "sown_on": None,
            "harvested_on": None,
            "tonnes": 0,
            "lost_to": None,
            "status": "planned",
        }
        self._add("plantings", planting)
        if self._breaks_rule_1(planting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(planting):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(planting):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(planting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(planting):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: plan {crop['name']} on {field['name']} for {year} (new: planting {planting['id']}).",
            "data": {"planting_id": planting["id"], **self._changes()},
        }

    def drop_plan(self, planting_id: str) -> Result:
        """Drop a crop that is planned and not sown.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        if planting["status"] != "planned":
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} is "
                f"{planting['status']}."
            )
        self._journal = []
        self._put("plantings", planting, "status", "dropped")
        if self._breaks_rule_1(planting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(planting):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(planting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(planting):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: drop the {self.crops[planting['crop_id']]['name']} planned on "
                f"{self.fields[planting['field_id']]['name']} for {planting['year']}."
            ),
            "data": self._changes(),
        }

    def swap_crops(self, one_id: str, other_id: str) -> Result:
        """Swap the planned crops of two fields in one year.

        Args:
            one_id (str): Planned crop of the first field; an id such as PLANTING-00001.
            other_id (str): Planned crop of the second field, a different one for the same year; an id such as
                PLANTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.plantings.get(one_id)
        if one is None:
            return _refused(f"There is no planting {one_id!r}.")
        other = self.plantings.get(other_id)
        if other is None:
            return _refused(f"There is no planting {other_id!r}.")
        if one["status"] != "planned" or other["status"] != "planned":
            return _refused(f"Only planned crops are swapped, and these are {one['status']} and {other['status']}.")
        if one["crop_id"] == other["crop_id"] or one["year"] != other["year"]:
            return _refused("Name two different crops of the same year.")
        here = self._too_soon(self.fields[one["field_id"]], self.crops[other["crop_id"]], one["year"], one)
        if here is not None:
            return _refused(
                f"{self.crops[other['crop_id']]['name']} cannot follow the {self.crops[here['crop_id']]['name']} "
                f"of {here['year']} on {self.fields[one['field_id']]['name']} so soon."
            )
        there = self._too_soon(self.fields[other["field_id"]], self.crops[one["crop_id"]], one["year"], other)
        if there is not None:
            return _refused(
                f"{self.crops[one['crop_id']]['name']} cannot follow the {self.crops[there['crop_id']]['name']} "
                f"of {there['year']} on {self.fields[other['field_id']]['name']} so soon."
            )
        done = f"swap the {self.crops[one['crop_id']]['name']} on {self.fields[one['field_id']]['name']} and the {self.crops[other['crop_id']]['name']} on {self.fields[other['field_id']]['name']}"
        self._journal = []
        crop = self.crops[one["crop_id"]]
        self._put("plantings", one, "crop_id", other["crop_id"])
        self._put("plantings", other, "crop_id", crop["id"])
        if self._breaks_rule_3_a(one):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_a(other):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(one):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(other):
            return self._take_back(RULES[2])
        for one_spraying in _distinct(
            [
                *[user for one in [one] for user in self._sprayings_by_planting.get(one["id"], {}).values()],
                *self._sprayings_by_planting.get(other["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4(one_spraying):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(one):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(other):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def sow_crop(self, planting_id: str) -> Result:
        """Sow a planned crop today, within its sowing window, on a field that is clear and for the year in which it
        will be harvested.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        if planting["status"] != "planned":
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} is "
                f"{planting['status']}."
            )
        before = self._field_growing(self.fields[planting["field_id"]])
        if before is not None:
            return _refused(
                f"{self.fields[planting['field_id']]['name']} still carries "
                f"{self.crops[before['crop_id']]['name']}, so harvest it first or write it off."
            )
        if (
            self.crops[planting["crop_id"]]["sow_from"] > self.now[:10]
            or self.now[:10] > self.crops[planting["crop_id"]]["sow_to"]
        ):
            return _refused(
                f"{self.crops[planting['crop_id']]['name']} is sown from "
                f"{self.crops[planting['crop_id']]['sow_from']} to {self.crops[planting['crop_id']]['sow_to']}."
            )
        ripe = self._harvest_year(_plus_days(self.now[:10], self.crops[planting["crop_id"]]["days_to_harvest"]))
        if ripe != planting["year"]:
            return _refused(
                f"{self.crops[planting['crop_id']]['name']} that is sown today is harvested in {ripe}, and this "
                f"one is planned for {planting['year']}."
            )
        self._journal = []
        self._put("plantings", planting, "sown_on", self.now[:10])
        self._put("plantings", planting, "status", "sown")
        if self._breaks_rule_1(planting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(planting):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(planting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(planting):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: sow {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def spray_crop(self, planting_id: str, product_id: str) -> Result:
        """Spray a growing crop with the usual amount of a product for each hectare.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if planting["status"] != "sown":
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} is "
                f"{planting['status']}."
            )
        if self.crops[planting["crop_id"]]["family"] not in product["families"]:
            return _refused(f"{product['name']} is not approved for {self.crops[planting['crop_id']]['name']}.")
        if self._times(planting, product) >= product["most_times"]:
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} "
                f"has had {product['name']} {product['most_times']} times, and more is not allowed."
            )
        litres = product["litres_per_hectare"] * self.fields[planting["field_id"]]["hectares"]
        if litres > product["stock"]:
            return _refused(
                f"{litres} litres of {product['name']} are needed and {product['stock']} are in stock, so book a "
                "delivery first."
            )
        self._journal = []
        stock = product["stock"] - litres
        if not 0 <= stock <= 900:
            return self._take_back(f"The stock of {product['name']} must be between 0 and 900.")
        self._put("products", product, "stock", stock)
        if not 1 <= litres <= 300:
            return self._take_back("The litres of a spraying must be between 1 and 300.")
        spraying: Spraying = {
            "id": self._new_id("spraying", "SPRAYING", self.sprayings),
            "planting_id": planting_id,
            "product_id": product_id,
            "sprayed_on": self.now[:10],
            "litres": litres,
        }
        self._add("sprayings", spraying)
        if self._breaks_rule_4(spraying):
            return self._take_back(RULES[3])
        for one_spraying in _distinct(
            [spraying, *self._sprayings_by_planting.get(spraying["planting_id"], {}).values()]
        ):
            if self._breaks_rule_5(one_spraying):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(spraying):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: spray the {self.crops[planting['crop_id']]['name']} on "
                f"{self.fields[planting['field_id']]['name']} with {product['name']} (new: spraying "
                f"{spraying['id']})."
            ),
            "data": {"spraying_id": spraying["id"], **self._changes()},
        }

    def spread_fertiliser(
        self,
        planting_id: str,
        fertiliser_id: str,
        kilos_per_hectare: Annotated[int, {"minimum": 1, "maximum": 2000}],
    ) -> Result:
        """Spread a fertiliser on a growing crop, in kilograms for each hectare and within the nitrogen budget.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.
            fertiliser_id (str): Id of the fertiliser, such as FERTILISER-00001.
            kilos_per_hectare (int): Fertiliser in kilograms for each hectare of the field, from 1 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        fertiliser = self.fertilisers.get(fertiliser_id)
        if fertiliser is None:
            return _refused(f"There is no fertiliser {fertiliser_id!r}.")
        if planting["status"] != "sown":
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} is "
                f"{planting['status']}."
            )
        if fertiliser["organic"] and self.fields[planting["field_id"]]["water_zone"]:
            return _refused(
                f"{self.fields[planting['field_id']]['name']} lies in the water protection zone, where no "
                f"{fertiliser['name']} is spread."
            )
        kilos = kilos_per_hectare * self.fields[planting["field_id"]]["hectares"]
        if kilos > fertiliser["stock"]:
            return _refused(
                f"{kilos} kilograms of {fertiliser['name']} are needed and {fertiliser['stock']} are in stock."
            )
        nitrogen = ceil(Fraction(kilos * fertiliser["nitrogen_percent"], 100))
        if self._planting_nitrogen_given(planting) + nitrogen > self._planting_nitrogen_budget(planting):
            return _refused(
                f"That is {nitrogen} kilograms of nitrogen and "
                f"{self._planting_nitrogen_budget(planting) - self._planting_nitrogen_given(planting)} are left "
                "in the budget."
            )
        self._journal = []
        stock = fertiliser["stock"] - kilos
        if not 0 <= stock <= 90000:
            return self._take_back(f"The stock of {fertiliser['name']} must be between 0 and 90000.")
        self._put("fertilisers", fertiliser, "stock", stock)
        if not 1 <= kilos <= 90000:
            return self._take_back("The kilos of a spreading must be between 1 and 90000.")
        if not 0 <= nitrogen <= 9000:
            return self._take_back("The nitrogen of a spreading must be between 0 and 9000.")
        spreading: Spreading = {
            "id": self._new_id("spreading", "SPREADING", self.spreadings),
            "planting_id": planting_id,
            "fertiliser_id": fertiliser_id,
            "kilos": kilos,
            "nitrogen": nitrogen,
            "spread_on": self.now[:10],
        }
        self._add("spreadings", spreading)
        if self._breaks_rule_7(self.plantings[spreading["planting_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(spreading):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: spread {kilos_per_hectare} kilograms of {fertiliser['name']} a hectare on the "
                f"{self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} (new: "
                f"spreading {spreading['id']})."
            ),
            "data": {"spreading_id": spreading["id"], **self._changes()},
        }

    def harvest_crop(self, planting_id: str, tonnes: Annotated[int, {"minimum": 1, "maximum": 4000}]) -> Result:
        """Harvest a ripe crop once the waiting times of its sprayings are over.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.
            tonnes (int): Harvest of the whole field in tonnes, from 1 to 4000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        if planting["status"] != "sown" or planting["sown_on"] is None:
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} is "
                f"{planting['status']}."
            )
        if _plus_days(planting["sown_on"], self.crops[planting["crop_id"]]["days_to_harvest"]) > self.now[:10]:
            return _refused(
                f"{self.crops[planting['crop_id']]['name']} needs "
                f"{self.crops[planting['crop_id']]['days_to_harvest']} days and was sown on {planting['sown_on']}."
            )
        wait = next(
            (
                s
                for s in sorted(self._sprayings_by_planting.get(planting_id, {}).values(), key=_age)
                if self._spraying_free_on(s) > self.now[:10]
            ),
            None,
        )
        if wait is not None:
            return _refused(
                f"{self.products[wait['product_id']]['name']} was sprayed on {wait['sprayed_on']}; wait until "
                f"{self._spraying_free_on(wait)}."
            )
        self._journal = []
        self._put("plantings", planting, "tonnes", tonnes)
        self._put("plantings", planting, "harvested_on", self.now[:10])
        self._put("plantings", planting, "status", "harvested")
        if self._breaks_rule_1(planting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(planting):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(planting):
            return self._take_back(RULES[2])
        for one_spraying in _distinct(self._sprayings_by_planting.get(planting["id"], {}).values()):
            if self._breaks_rule_6(one_spraying):
                return self._take_back(RULES[5])
        if self._breaks_rule_9(planting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(planting):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: harvest {tonnes} tonnes of {self.crops[planting['crop_id']]['name']} from "
                f"{self.fields[planting['field_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def write_off_crop(self, planting_id: str, lost_to: Text) -> Result:
        """Write a growing crop off that is lost to weather, pests or game.

        Args:
            planting_id (str): Id of the planting, such as PLANTING-00001.
            lost_to (str): What destroyed the crop, such as hail or wild boar.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        planting = self.plantings.get(planting_id)
        if planting is None:
            return _refused(f"There is no planting {planting_id!r}.")
        if planting["status"] != "sown":
            return _refused(
                f"The {self.crops[planting['crop_id']]['name']} on {self.fields[planting['field_id']]['name']} is "
                f"{planting['status']}."
            )
        self._journal = []
        self._put("plantings", planting, "lost_to", lost_to)
        self._put("plantings", planting, "status", "lost")
        if self._breaks_rule_1(planting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(planting):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(planting):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(planting):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(planting):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: write the {self.crops[planting['crop_id']]['name']} on "
                f"{self.fields[planting['field_id']]['name']} off because of {lost_to}."
            ),
            "data": self._changes(),
        }

    def book_delivery(self, lines: Annotated[list[BookDeliveryLine], {"maxItems": 20}]) -> Result:
        """Book a delivery of spraying products.

        Args:
            lines (list): One entry for each product delivered, each product once: product_id: spraying product
                that was delivered; an id such as PRODUCT-00001; litres: litres of it that were delivered, from 1
                to 400.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entries, lines = lines, []
        for entry in entries:
            if entry["product_id"] not in self.products:
                return _refused(f"There is no product {entry['product_id']!r}.")
            lines.append({"product": self.products[entry["product_id"]], "litres": entry["litres"]})
        if not (len(lines) > 0 and _different([l["product"]["id"] for l in lines])):
            return _refused("Name at least one product, and each once.")
        much = next((l["product"] for l in lines if l["product"]["stock"] + l["litres"] > 900), None)
        if much is not None:
            return _refused(f"The store takes 900 litres of {much['name']}.")
        self._journal = []
        for l in list(lines):
            item = l["product"]
            stock = item["stock"] + l["litres"]
            if not 0 <= stock <= 900:
                return self._take_back(f"The stock of {item['name']} must be between 0 and 900.")
            self._put("products", item, "stock", stock)
        return {
            "success": True,
            "message": f"Done: book a delivery of {len(lines)} products.",
            "data": self._changes(),
        }

    def fill_silo(self, fertiliser_id: str, kilos: Annotated[int, {"minimum": 1, "maximum": 60000}]) -> Result:
        """Book a delivery of fertiliser.

        Args:
            fertiliser_id (str): Id of the fertiliser, such as FERTILISER-00001.
            kilos (int): Fertiliser delivered in kilograms, from 1 to 60000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fertiliser = self.fertilisers.get(fertiliser_id)
        if fertiliser is None:
            return _refused(f"There is no fertiliser {fertiliser_id!r}.")
        if fertiliser["stock"] + kilos > 90000:
            return _refused(f"There is room for {90000 - fertiliser['stock']} kilograms of {fertiliser['name']}.")
        self._journal = []
        stock = fertiliser["stock"] + kilos
        if not 0 <= stock <= 90000:
            return self._take_back(f"The stock of {fertiliser['name']} must be between 0 and 90000.")
        self._put("fertilisers", fertiliser, "stock", stock)
        return {
            "success": True,
            "message": f"Done: put {kilos} kilograms of {fertiliser['name']} in store.",
            "data": self._changes(),
        }

    def _show_field(self, field: Field) -> dict[str, Any]:
        """The field as an answer shows it."""
        return {**field, "growing_id": _id_of(self._field_growing(field))}

    def _show_planting(self, planting: Planting) -> dict[str, Any]:
        """The planting as an answer shows it."""
        return {
            **planting,
            "nitrogen_budget": self._planting_nitrogen_budget(planting),
            "nitrogen_given": self._planting_nitrogen_given(planting),
            "free_from": self._planting_free_from(planting),
        }

    def _show_product(self, product: Product) -> dict[str, Any]:
        """The product as an answer shows it."""
        return {**product, "families": [*product["families"]]}

    def _show_spraying(self, spraying: Spraying) -> dict[str, Any]:
        """The spraying as an answer shows it."""
        return {**spraying, "free_on": self._spraying_free_on(spraying)}

    def _names_of_plantings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plantings point to."""
        return _names(
            (self.fields, "name", [row["field_id"] for row in shown]),
            (self.crops, "name", [row["crop_id"] for row in shown]),
        )

    def _names_of_sprayings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sprayings point to."""
        return _names((self.products, "name", [row["product_id"] for row in shown]))

    def _names_of_spreadings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that spreadings point to."""
        return _names((self.fertilisers, "name", [row["fertiliser_id"] for row in shown]))

    def _field_growing(self, field: Field) -> Planting | None:
        """The growing of a field."""
        return next(
            (p for p in sorted(self._plantings_by_field_status.get((field["id"], "sown"), {}).values(), key=_age)),
            None,
        )

    def _planting_nitrogen_budget(self, planting: Planting) -> int:
        """The nitrogen budget of a planting."""
        return floor(
            Fraction(
                self.fields[planting["field_id"]]["hectares"] * self.crops[planting["crop_id"]]["nitrogen_per_hectare"] * (
                    8
                    if self.fields[planting["field_id"]]["water_zone"]
                    else 10
                ),
                10,
            )
        )

    def _planting_nitrogen_given(self, planting: Planting) -> int:
        """The nitrogen given of a planting."""
        return sum(s["nitrogen"] for s in self._spreadings_by_planting.get(planting["id"], {}).values())

    def _planting_free_from(self, planting: Planting) -> str | None:
        """The free from of a planting."""
        return max(
            (self._spraying_free_on(s) for s in self._sprayings_by_planting.get(planting["id"], {}).values()),
            default=None,
        )

    def _spraying_free_on(self, spraying: Spraying) -> str:
        """The free on of a spraying."""
        return _plus_days(spraying["sprayed_on"], self.products[spraying["product_id"]]["wait_days"])

    def _harvest_year(self, d: str) -> int:
        return (
            2026
            if d < "2027-01-01"
            else 2027
            if d < "2028-01-01"
            else 2028
            if d < "2029-01-01"
            else 2029
            if d < "2030-01-01"
            else 2030
        )

    def _this_season(self, c: Crop, y: int, d: str) -> bool:
        return (
            (c["sow_from"] <= d and d <= c["sow_to"])
            and self._harvest_year(_plus_days(d, c["days_to_harvest"])) == y
        )

    def _plan_for(self, f: Field, y: int) -> Planting | None:
        return next(
            (
                p
                for p in sorted(self._plantings_by_field.get(f["id"], {}).values(), key=_age)
                if p["year"] == y
                and p["status"] in ("planned", "sown", "harvested")
            ),
            None,
        )

    def _grown(self, p: Planting) -> bool:
        return p["status"] != "dropped"

    def _too_soon(self, f: Field, c: Crop, y: int, but: Planting | None) -> Planting | None:
        return next(
            (
                p
                for p in sorted(self._plantings_by_field.get(f["id"], {}).values(), key=_age)
                if p is not but
                and self._grown(p)
                and self.crops[p["crop_id"]]["family"] == c["family"]
                and abs(p["year"] - y) <= max(self.crops[p["crop_id"]]["break_years"], c["break_years"])
            ),
            None,
        )

    def _times(self, p: Planting, x: Product) -> int:
        return len(self._sprayings_by_planting_product.get((p["id"], x["id"]), {}))

    def _breaks_rule_1(self, p: Planting) -> bool:
        """Whether this is broken: a field has one crop a year, unless the other was lost or dropped."""
        return (
            p["status"] in ("planned", "sown", "harvested")
            and any(
                other_p is not p
                for other_p in self._plantings_by_field.get(p["field_id"], {}).values()
                if other_p["year"] == p["year"]
                and other_p["status"] in ("planned", "sown", "harvested")
            )
        )

    def _breaks_rule_2(self, p: Planting) -> bool:
        """Whether this is broken: a field carries one crop at a time."""
        return (
            p["status"] == "sown"
            and any(
                other_p is not p
                for other_p in self._plantings_by_field_status.get((p["field_id"], "sown"), {}).values()
            )
        )

    def _breaks_rule_3_a(self, a: Planting) -> bool:
        """Whether this is broken: crops of one family return to a field only after their break."""
        return (
            self._grown(a)
            and any(
                abs(a["year"] - b["year"]) <= max(
                    self.crops[a["crop_id"]]["break_years"],
                    self.crops[b["crop_id"]]["break_years"],
                )
                for b in self._plantings_by_field.get(a["field_id"], {}).values()
                if a is not b
                and self.crops[a["crop_id"]]["family"] == self.crops[b["crop_id"]]["family"]
                and a["year"] != b["year"]
                and self._grown(b)
            )
        )

    def _breaks_rule_3_b(self, b: Planting) -> bool:
        """Whether this is broken: crops of one family return to a field only after their break."""
        return (
            self._grown(b)
            and any(
                abs(a["year"] - b["year"]) <= max(
                    self.crops[a["crop_id"]]["break_years"],
                    self.crops[b["crop_id"]]["break_years"],
                )
                for a in self._plantings_by_field.get(b["field_id"], {}).values()
                if a is not b
                and self.crops[a["crop_id"]]["family"] == self.crops[b["crop_id"]]["family"]
                and a["year"] != b["year"]
                and self._grown(a)
            )
        )

    def _breaks_rule_4(self, s: Spraying) -> bool:
        """Whether this is broken: a product is sprayed only on families it is approved for."""
        return self.crops[
            self.plantings[s["planting_id"]]["crop_id"]
        ]["family"] not in self.products[s["product_id"]]["families"]

    def _breaks_rule_5(self, s: Spraying) -> bool:
        """Whether this is broken: a crop is not sprayed with one product more often than allowed."""
        return self._times(
            self.plantings[s["planting_id"]],
            self.products[s["product_id"]],
        ) > self.products[s["product_id"]]["most_times"]

    def _breaks_rule_6(self, s: Spraying) -> bool:
        """Whether this is broken: a crop is not harvested before the waiting time of its last spraying is over."""
        return (
            self.plantings[s["planting_id"]]["harvested_on"] is not None
            and self._spraying_free_on(s) > self.plantings[s["planting_id"]]["harvested_on"]
        )

    def _breaks_rule_7(self, p: Planting) -> bool:
        """Whether this is broken: no crop gets more nitrogen than its budget."""
        return self._planting_nitrogen_given(p) > self._planting_nitrogen_budget(p)

    def _breaks_rule_8(self, s: Spreading) -> bool:
        """Whether this is broken: organic fertiliser stays out of the water protection zone."""
        return (
            self.fertilisers[s["fertiliser_id"]]["organic"]
            and self.fields[self.plantings[s["planting_id"]]["field_id"]]["water_zone"]
        )

    def _breaks_rule_9(self, p: Planting) -> bool:
        """Whether this is broken: a crop that was sown has a day of sowing, and a planned or dropped one has none.
        """
        return (p["status"] in ("sown", "harvested", "lost")) != (p["sown_on"] is not None)

    def _breaks_rule_10(self, p: Planting) -> bool:
        """Whether this is broken: a harvest has a day, and a lost crop says what it was lost to."""
        return (
            (p["status"] == "harvested") != (p["harvested_on"] is not None)
            or (p["status"] == "lost") != (p["lost_to"] is not None)
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
            case "plantings":
                self._plantings_by_field.setdefault(record["field_id"], {})[record["id"]] = record
                self._plantings_by_field_status.setdefault(
                    (record["field_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._plantings_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "sprayings":
                self._sprayings_by_planting.setdefault(record["planting_id"], {})[record["id"]] = record
                self._sprayings_by_planting_product.setdefault(
                    (record["planting_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
            case "spreadings":
                self._spreadings_by_planting.setdefault(record["planting_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "plantings":
                del self._plantings_by_field[record["field_id"]][record["id"]]
                del self._plantings_by_field_status[record["field_id"], record["status"]][record["id"]]
                del self._plantings_by_status[record["status"]][record["id"]]
            case "sprayings":
                del self._sprayings_by_planting[record["planting_id"]][record["id"]]
                del self._sprayings_by_planting_product[record["planting_id"], record["product_id"]][record["id"]]
            case "spreadings":
                del self._spreadings_by_planting[record["planting_id"]][record["id"]]
