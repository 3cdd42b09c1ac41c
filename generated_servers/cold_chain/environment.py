"""Cold chain. Compiled from blueprint.yaml; run `envscaler build cold_chain` after changing it there.

Sends medicines in cooled boxes, with coolant that lasts a number of hours, loggers whose temperature readings
are judged against a stability allowance, quality holds and releases, and the way back of loggers and boxes.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A box holds no more than its capacity and only goods of its temperature band.",
    "A box travels in one shipment at a time.",
    "A logger records one load until it is recovered.",
    "No more is packed than the shipment has.",
    "The coolant of every box lasts until the shipment arrives.",
    "A logger is calibrated for the whole journey.",
    "A shipment is released only when each logger was read and none shows more minutes out of range than the product allows.",
    "A shipment with too many minutes out of range is not left as arrived.",
    "A logger is recovered only after the journey and when it was read.",
    "A rejected shipment was reviewed, and so was a released one.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_shipment",
    "condition_box",
    "pack_box",
    "dispatch_shipment",
    "delay_shipment",
    "recharge_coolant",
    "read_logger",
    "receive_shipment",
    "review_shipment",
    "recover_logger",
    "send_boxes",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "products": ("name",),
    "boxes": ("label",),
    "loggers": ("serial",),
    "shipments": ("number",),
    "loads": ("seal",),
    "readings": (),
    "reviews": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("boxes", "site_id"),
    ("loads", "box_id"),
    ("loads", "logger_id"),
    ("loads", "seal"),
    ("loads", "shipment_id"),
    ("loggers", "site_id"),
    ("readings", "load_id"),
    ("reviews", "shipment_id"),
    ("shipments", "number"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str


class Product(TypedDict):
    id: str
    name: str
    band: Literal["chilled", "frozen"]
    coldest: int
    warmest: int
    allowance: int


class Box(TypedDict):
    id: str
    label: str
    band: Literal["chilled", "frozen"]
    capacity: int
    cold_hours: int
    site_id: str
    conditioned_at: str | None
    status: Literal["idle", "ready", "packed"]


class Logger(TypedDict):
    id: str
    serial: str
    site_id: str
    calibrated_until: str


class Shipment(TypedDict):
    id: str
    number: str
    product_id: str
    origin_id: str
    goal_id: str
    units: int
    leaves_at: str
    arrives_at: str
    status: Literal["planned", "on_way", "arrived", "held", "released", "rejected"]


class Load(TypedDict):
    id: str
    seal: str
    shipment_id: str
    box_id: str
    logger_id: str
    units: int
    cold_until: str
    recovered: bool


class Reading(TypedDict):
    id: str
    load_id: str
    celsius: int
    minutes: int


class Review(TypedDict):
    id: str
    shipment_id: str
    verdict: Literal["hold", "release", "reject"]
    by: str
    note: str


class ReadLoggerReading(TypedDict):
    celsius: Annotated[int, {"minimum": -60, "maximum": 60}]
    minutes: Annotated[int, {"minimum": 1, "maximum": 2000}]


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class ColdChain:
    """Sends medicines in cooled boxes, with coolant that lasts a number of hours, loggers whose
    temperature readings are judged against a stability allowance, quality holds and releases, and the
    way back of loggers and boxes.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.boxes: dict[str, Box] = _copied(config.get("boxes", {}))
        self.loggers: dict[str, Logger] = _copied(config.get("loggers", {}))
        self.shipments: dict[str, Shipment] = _copied(config.get("shipments", {}))
        self.loads: dict[str, Load] = _copied(config.get("loads", {}))
        self.readings: dict[str, Reading] = _copied(config.get("readings", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.now: str = config.get("now", "2026-02-16T11:00")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "product": len(self.products),
            "box": len(self.boxes),
            "logger": len(self.loggers),
            "shipment": len(self.shipments),
            "load": len(self.loads),
            "reading": len(self.readings),
            "review": len(self.reviews),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._boxes_by_site: dict[Any, dict[str, Box]] = {}
        self._loggers_by_site: dict[Any, dict[str, Logger]] = {}
        self._shipments_by_number: dict[Any, dict[str, Shipment]] = {}
        self._loads_by_box: dict[Any, dict[str, Load]] = {}
        self._loads_by_logger: dict[Any, dict[str, Load]] = {}
        self._loads_by_seal: dict[Any, dict[str, Load]] = {}
        self._loads_by_shipment: dict[Any, dict[str, Load]] = {}
        self._readings_by_load: dict[Any, dict[str, Reading]] = {}
        self._reviews_by_shipment: dict[Any, dict[str, Review]] = {}
        for box in self.boxes.values():
            self._link("boxes", box)
        for logger in self.loggers.values():
            self._link("loggers", logger)
        for shipment in self.shipments.values():
            self._link("shipments", shipment)
        for load in self.loads.values():
            self._link("loads", load)
        for reading in self.readings.values():
            self._link("readings", reading)
        for review in self.reviews.values():
            self._link("reviews", review)

    def boxes_for(self, shipment_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Conditioned boxes that can carry a shipment, the smallest first.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boxes": records}} or {"success": False, "error": why
                not}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        found = [b for b in self._boxes_by_site.get(shipment["origin_id"], {}).values() if self._suits(b, shipment)]
        found.sort(key=lambda b: (b["capacity"], b["label"], _age(b)))
        return _found(
            {
                "total": len(found),
                "boxes": [
                    {"id": b["id"], "label": b["label"], "capacity": b["capacity"], "cold_until": self._lasts(b)}
                    for b in _page(found, offset)
                ],
            }
        )

    def loggers_for(self, shipment_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Free loggers at the origin of a shipment that are calibrated for its journey, those with the shortest
        calibration first.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loggers": records}} or {"success": False, "error": why
                not}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        found = [
            g
            for g in self._loggers_by_site.get(shipment["origin_id"], {}).values()
            if self._calibrated(g, shipment)
        ]
        found.sort(key=lambda g: (g["calibrated_until"], g["serial"], _age(g)))
        return _found(
            {
                "total": len(found),
                "loggers": [
                    {"id": g["id"], "serial": g["serial"], "calibrated_until": g["calibrated_until"]}
                    for g in _page(found, offset)
                ],
            }
        )

    def for_quality(
        self,
        goal_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Shipments that wait for a decision of quality, those with most minutes out of range first.

        Args:
            goal_id (str, optional): Site to which the shipments went; an id such as SITE-00001. If left out, the
                shipments to all sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shipments": records}} or {"success": False, "error":
                why not}
        """
        goal = self.sites.get(goal_id) if goal_id is not None else None
        if goal_id is not None and goal is None:
            return _refused(f"There is no site {goal_id!r}.")
        found = [
            s
            for s in self.shipments.values()
            if s["status"] in ("arrived", "held")
            and (goal_id is None or s["goal_id"] == goal_id)
        ]
        found.sort(key=lambda s: (-self._worst(s), s["number"], _age(s)))
        return _found(
            {
                "total": len(found),
                "shipments": [
                    {
                        "id": s["id"],
                        "number": s["number"],
                        "product": self.products[s["product_id"]]["name"],
                        "status": s["status"],
                        "worst": self._worst(s),
                        "allowance": self.products[s["product_id"]]["allowance"],
                        "within": self._within(s),
                    }
                    for s in _page(found, offset)
                ],
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

    def list_products(
        self,
        name: Text | None = None,
        band: Literal["chilled", "frozen"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the products, oldest first, all of them or only some.

        Args:
            name (str, optional): Only products whose name contains this text.
            band (str, optional): Only products with this band.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "products": records}}
        """
        found = [
            product
            for product in self.products.values()
            if (name is None or name.casefold() in product["name"].casefold())
            and (band is None or product["band"] == band)
        ]
        return _found({"total": len(found), "products": [{**product} for product in _page(found, offset)]})

    def list_boxes(
        self,
        label: Text | None = None,
        band: Literal["chilled", "frozen"] | None = None,
        site_id: str | None = None,
        status: Literal["idle", "ready", "packed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the boxes, oldest first, all of them or only some.

        Args:
            label (str, optional): Only boxes whose label contains this text.
            band (str, optional): Only boxes with this band.
            site_id (str, optional): Only boxes of this site.
            status (str, optional): Only boxes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boxes": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            box
            for box in self.boxes.values()
            if (label is None or label.casefold() in box["label"].casefold())
            and (band is None or box["band"] == band)
            and (site_id is None or box["site_id"] == site_id)
            and (status is None or box["status"] == status)
        ]
        shown = [{**box} for box in _page(found, offset)]
        return _found({"total": len(found), "boxes": shown}, self._names_of_boxes(shown))

    def list_loggers(
        self,
        serial: Text | None = None,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loggers, oldest first, all of them or only some.

        Args:
            serial (str, optional): Only loggers whose serial contains this text.
            site_id (str, optional): Only loggers of this site.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loggers": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            logger
            for logger in self.loggers.values()
            if (serial is None or serial.casefold() in logger["serial"].casefold())
            and (site_id is None or logger["site_id"] == site_id)
        ]
        shown = [{**logger} for logger in _page(found, offset)]
        return _found({"total": len(found), "loggers": shown}, self._names_of_loggers(shown))

    def list_shipments(
        self,
        number: Text | None = None,
        product_id: str | None = None,
        origin_id: str | None = None,
        goal_id: str | None = None,
        status: Literal["planned", "on_way", "arrived", "held", "released", "rejected"] | None = None,
        leaves_at_from: Date | None = None,
        leaves_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shipments, oldest first, all of them or only some.

        Args:
            number (str, optional): Only shipments whose number contains this text.
            product_id (str, optional): Only shipments of this product.
            origin_id (str, optional): Only shipments whose origin is this site.
            goal_id (str, optional): Only shipments whose goal is this site.
            status (str, optional): Only shipments with this status.
            leaves_at_from (str, optional): Only shipments whose `leaves_at` is on this day or later.
            leaves_at_to (str, optional): Only shipments whose `leaves_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shipments": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        if origin_id is not None and origin_id not in self.sites:
            return _refused(f"There is no site {origin_id!r}.")
        if goal_id is not None and goal_id not in self.sites:
            return _refused(f"There is no site {goal_id!r}.")
        found = [
            shipment
            for shipment in self.shipments.values()
            if (number is None or number.casefold() in shipment["number"].casefold())
            and (product_id is None or shipment["product_id"] == product_id)
            and (origin_id is None or shipment["origin_id"] == origin_id)
            and (goal_id is None or shipment["goal_id"] == goal_id)
            and (status is None or shipment["status"] == status)
            and (leaves_at_from is None or shipment["leaves_at"][:10] >= leaves_at_from)
            and (leaves_at_to is None or shipment["leaves_at"][:10] <= leaves_at_to)
        ]
        shown = [self._show_shipment(shipment) for shipment in _page(found, offset)]
        return _found({"total": len(found), "shipments": shown}, self._names_of_shipments(shown))

    def list_loads(
        self,
        seal: Text | None = None,
        shipment_id: str | None = None,
        box_id: str | None = None,
        logger_id: str | None = None,
        recovered: bool | None = None,
        cold_until_from: Date | None = None,
        cold_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loads, oldest first, all of them or only some.

        Args:
            seal (str, optional): Only loads whose seal contains this text.
            shipment_id (str, optional): Only loads of this shipment.
            box_id (str, optional): Only loads of this box.
            logger_id (str, optional): Only loads of this logger.
            recovered (bool, optional): Only loads that are recovered (true) or not (false).
            cold_until_from (str, optional): Only loads whose `cold_until` is on this day or later.
            cold_until_to (str, optional): Only loads whose `cold_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loads": records}}
        """
        if shipment_id is not None and shipment_id not in self.shipments:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if box_id is not None and box_id not in self.boxes:
            return _refused(f"There is no box {box_id!r}.")
        if logger_id is not None and logger_id not in self.loggers:
            return _refused(f"There is no logger {logger_id!r}.")
        found = [
            load
            for load in self.loads.values()
            if (seal is None or seal.casefold() in load["seal"].casefold())
            and (shipment_id is None or load["shipment_id"] == shipment_id)
            and (box_id is None or load["box_id"] == box_id)
            and (logger_id is None or load["logger_id"] == logger_id)
            and (recovered is None or load["recovered"] == recovered)
            and (cold_until_from is None or load["cold_until"][:10] >= cold_until_from)
            and (cold_until_to is None or load["cold_until"][:10] <= cold_until_to)
        ]
        shown = [self._show_load(load) for load in _page(found, offset)]
        return _found({"total": len(found), "loads": shown}, self._names_of_loads(shown))

    def list_readings(
        self,
        load_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the readings, oldest first, all of them or only some.

        Args:
            load_id (str, optional): Only readings of this load.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "readings": records}}
        """
        if load_id is not None and load_id not in self.loads:
            return _refused(f"There is no load {load_id!r}.")
        found = [reading for reading in self.readings.values() if (load_id is None or reading["load_id"] == load_id)]
        shown = [{**reading} for reading in _page(found, offset)]
        return _found({"total": len(found), "readings": shown}, self._names_of_readings(shown))

    def list_reviews(
        self,
        shipment_id: str | None = None,
        verdict: Literal["hold", "release", "reject"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            shipment_id (str, optional): Only reviews of this shipment.
            verdict (str, optional): Only reviews with this verdict.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if shipment_id is not None and shipment_id not in self.shipments:
            return _refused(f"There is no shipment {shipment_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (shipment_id is None or review["shipment_id"] == shipment_id)
            and (verdict is None or review["verdict"] == verdict)
        ]
        shown = [{**review} for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_shipment(
        self,
        number: Text,
        product_id: str,
        origin_id: str,
        goal_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 400}],
        leaves_at: DateTime,
        arrives_at: DateTime,
    ) -> Result:
        """Plan a shipment of a product from one site to another.

        Args:
            number (str): Number of the new shipment, not in use yet.
            product_id (str): Id of the product, such as PRODUCT-00001.
            origin_id (str): Site from which the shipment leaves; an id such as SITE-00001.
            goal_id (str): Site to which the shipment goes; an id such as SITE-00001.
            units (int): How many units of the product are sent in all, from 1 to 400.
            leaves_at (str): When it is to leave, not in the past, as YYYY-MM-DDTHH:MM.
            arrives_at (str): When it is to arrive, at most 120 hours after leaving, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        origin = self.sites.get(origin_id)
        if origin is None:
            return _refused(f"There is no site {origin_id!r}.")
        goal = self.sites.get(goal_id)
        if goal is None:
            return _refused(f"There is no site {goal_id!r}.")
        if self._shipments_by_number.get(number, {}):
            return _refused(f"There is a shipment {number} already.")
        if origin is goal:
            return _refused("A shipment goes to another site.")
        if leaves_at < self.now:
            return _refused(f"{leaves_at} is in the past.")
        if leaves_at >= arrives_at or arrives_at > _plus_minutes(leaves_at, 120 * 60):
            return _refused("A journey takes at most 120 hours.")
        self._journal = []
        shipment: Shipment = {
            "id": self._new_id("shipment", "SHIPMENT", self.shipments),
            "number": number,
            "product_id": product_id,
            "origin_id": origin_id,
            "goal_id": goal_id,
            "units": units,
            "leaves_at": leaves_at,
            "arrives_at": arrives_at,
            "status": "planned",
        }
        self._add("shipments", shipment)
        if len(self._shipments_by_number.get(shipment["number"], {})) > 1:
            return self._take_back(f"There is already a shipment with the number {shipment['number']!r}.")
        if self._breaks_rule_4(shipment):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(shipment):
            return self._take_back(RULES[6])
        if self._breaks_rule_10_s(shipment):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_s_again(shipment):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan shipment {number} of {units} {product['name']} from {origin['name']} to "
                f"{goal['name']} (new: shipment {shipment['id']})."
            ),
            "data": {"shipment_id": shipment["id"], **self._changes()},
        }

    def condition_box(self, box_id: str) -> Result:
        """Fill a box that is not packed with fresh coolant, from which on its hours count, also one whose coolant has
        run down.

        Args:
            box_id (str): Id of the box, such as BOX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        if box["status"] == "packed":
            return _refused(f"Box {box['label']} is packed.")
        self._journal = []
        self._put("boxes", box, "conditioned_at", self.now)
        if box["status"] == "idle":
            if box["status"] not in ("idle", "ready"):
                return self._take_back(f"Box {box['label']} cannot go from {box['status']} to ready.")
            self._put("boxes", box, "status", "ready")
        return {"success": True, "message": f"Done: condition box {box['label']}.", "data": self._changes()}

    def pack_box(
        self,
        shipment_id: str,
        box_id: str,
        logger_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 200}],
        seal: Text,
    ) -> Result:
        """Pack units of a planned shipment into a conditioned box, with a logger.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            box_id (str): Id of the box, such as BOX-00001.
            logger_id (str): Id of the logger, such as LOGGER-00001.
            units (int): How many units of the shipment go into this box, from 1 to 200.
            seal (str): Number of the seal on the box, never used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        logger = self.loggers.get(logger_id)
        if logger is None:
            return _refused(f"There is no logger {logger_id!r}.")
        if shipment["status"] != "planned":
            return _refused(f"Shipment {shipment['number']} is {shipment['status']}.")
        if self._loads_by_seal.get(seal, {}):
            return _refused(f"Seal {seal} was used before.")
        if box["status"] != "ready":
            return _refused(f"Box {box['label']} is {box['status']}; only a conditioned box is packed.")
        filled = box["conditioned_at"]
        if filled is None:
            return _refused(f"Box {box['label']} was not conditioned.")
        if box["band"] != self.products[shipment["product_id"]]["band"]:
            return _refused(
                f"Box {box['label']} is {box['band']} and {self.products[shipment['product_id']]['name']} must "
                f"travel {self.products[shipment['product_id']]['band']}."
            )
        if box["site_id"] != shipment["origin_id"]:
            return _refused(
                f"Box {box['label']} stands in {self.sites[box['site_id']]['name']} and the shipment begins in "
                f"{self.sites[shipment['origin_id']]['name']}."
            )
        if _plus_minutes(filled, box["cold_hours"] * 60) < shipment["arrives_at"]:
            return _refused(
                f"The coolant of box {box['label']} lasts until {_plus_minutes(filled, box['cold_hours'] * 60)} "
                f"and the shipment arrives at {shipment['arrives_at']}."
            )
        if units > box["capacity"]:
            return _refused(f"Box {box['label']} holds {box['capacity']}, not {units}.")
        if self._shipment_packed(shipment) + units > shipment["units"]:
            return _refused(
                f"{shipment['units'] - self._shipment_packed(shipment)} units are left to pack, not {units}."
            )
        if self._in_use(logger):
            return _refused(f"Logger {logger['serial']} was not recovered from its last load.")
        if logger["site_id"] != shipment["origin_id"]:
            return _refused(f"Logger {logger['serial']} is in {self.sites[logger['site_id']]['name']}.")
        if logger["calibrated_until"] < shipment["arrives_at"][:10]:
            return _refused(f"Logger {logger['serial']} is calibrated until {logger['calibrated_until']} only.")
        self._journal = []
        load: Load = {
            "id": self._new_id("load", "LOAD", self.loads),
            "seal": seal,
            "shipment_id": shipment_id,
            "box_id": box_id,
            "logger_id": logger_id,
            "units": units,
            "cold_until": _plus_minutes(filled, box["cold_hours"] * 60),
            "recovered": False,
        }
        self._add("loads", load)
        self._put("boxes", box, "status", "packed")
        if len(self._loads_by_seal.get(load["seal"], {})) > 1:
            return self._take_back(f"There is already a load with the seal {load['seal']!r}.")
        if self._breaks_rule_1(load):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(load):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(load):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.shipments[load["shipment_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(load):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(load):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.shipments[load["shipment_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(load):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(load):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: pack {units} of shipment {shipment['number']} into box {box['label']} with logger "
                f"{logger['serial']} (new: load {load['id']})."
            ),
            "data": {"load_id": load["id"], **self._changes()},
        }

    def dispatch_shipment(self, shipment_id: str) -> Result:
        """Send a planned shipment off once all of it is packed.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] != "planned":
            return _refused(f"Shipment {shipment['number']} is {shipment['status']}.")
        if self._shipment_packed(shipment) != shipment["units"]:
            return _refused(
                f"{shipment['units'] - self._shipment_packed(shipment)} units of {shipment['number']} are not packed."
            )
        if shipment["leaves_at"][:10] > self.now[:10]:
            return _refused(f"{shipment['number']} leaves on {shipment['leaves_at']}.")
        if self.now >= shipment["arrives_at"]:
            return _refused(
                f"{shipment['number']} should have arrived at {shipment['arrives_at']}, so enter a later arrival "
                "first."
            )
        self._journal = []
        self._put("shipments", shipment, "status", "on_way")
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_2(one_load):
                return self._take_back(RULES[1])
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(shipment):
            return self._take_back(RULES[6])
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_8(one_load):
                return self._take_back(RULES[7])
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_9(one_load):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_s(shipment):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_s_again(shipment):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: dispatch shipment {shipment['number']}.", "data": self._changes()}

    def delay_shipment(self, shipment_id: str, arrives_at: DateTime) -> Result:
        """Note that a shipment that is planned or on its way arrives later; its coolant must last until then.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            arrives_at (str): New time of arrival, later than before, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] not in ("planned", "on_way"):
            return _refused(f"Shipment {shipment['number']} is {shipment['status']}.")
        if arrives_at <= shipment["arrives_at"]:
            return _refused(f"{shipment['number']} is expected at {shipment['arrives_at']} as it is.")
        if arrives_at > _plus_minutes(shipment["leaves_at"], 240 * 60):
            return _refused("A journey of more than 240 hours is given up.")
        warm = min(
            (l for l in self._loads_by_shipment.get(shipment_id, {}).values() if l["cold_until"] < arrives_at),
            key=lambda l: (l["cold_until"], _age(l)),
            default=None,
        )
        if warm is not None:
            return _refused(
                f"The coolant of box {self.boxes[warm['box_id']]['label']} lasts until {warm['cold_until']}; "
                "recharge it first."
            )
        stale = next(
            (
                l
                for l in sorted(self._loads_by_shipment.get(shipment_id, {}).values(), key=_age)
                if self.loggers[l["logger_id"]]["calibrated_until"] < arrives_at[:10]
            ),
            None,
        )
        if stale is not None:
            return _refused(
                f"Logger {self.loggers[stale['logger_id']]['serial']} is calibrated until "
                f"{self.loggers[stale['logger_id']]['calibrated_until']} only."
            )
        self._journal = []
        self._put("shipments", shipment, "arrives_at", arrives_at)
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(self._loads_by_shipment.get(shipment["id"], {}).values()):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: expect shipment {shipment['number']} at {arrives_at}.",
            "data": self._changes(),
        }

    def recharge_coolant(self, shipment_id: str, more_hours: Annotated[int, {"minimum": 1, "maximum": 72}]) -> Result:
        """Recharge the coolant of all boxes of a shipment on its way, as far as the boxes hold it.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            more_hours (int): How many hours longer the coolant of each box lasts, from 1 to 72.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] != "on_way":
            return _refused(f"Shipment {shipment['number']} is {shipment['status']}.")
        full = next(
            (
                l
                for l in self._loads_of(shipment)
                if _plus_minutes(l["cold_until"], more_hours * 60) > _plus_minutes(shipment["arrives_at"], 96 * 60)
            ),
            None,
        )
        if full is not None:
            return _refused(
                f"Box {self.boxes[full['box_id']]['label']} cannot hold coolant for {more_hours} hours more."
            )
        self._journal = []
        changed_loads: list[Any] = []
        for l in sorted(self._loads_by_shipment.get(shipment_id, {}).values(), key=_age):
            changed_loads.append(l)
            self._put("loads", l, "cold_until", _plus_minutes(l["cold_until"], more_hours * 60))
        for one_load in _distinct(changed_loads):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: recharge the coolant of shipment {shipment['number']} for {more_hours} hours.",
            "data": self._changes(),
        }

    def read_logger(self, load_id: str, readings: Annotated[list[ReadLoggerReading], {"maxItems": 20}]) -> Result:
        """Enter what the logger of a load has recorded; too many minutes out of range put an arrived shipment on
        hold.

        Args:
            load_id (str): Id of the load, such as LOAD-00001.
            readings (list): One entry for each temperature that the logger recorded: celsius: temperature in
                degrees Celsius, from -60 to 60; minutes: how long that temperature lasted, in minutes, from 1 to
                2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        load = self.loads.get(load_id)
        if load is None:
            return _refused(f"There is no load {load_id!r}.")
        if self.shipments[load["shipment_id"]]["status"] not in ("on_way", "arrived", "held"):
            return _refused(
                f"Shipment {self.shipments[load['shipment_id']]['number']} is "
                f"{self.shipments[load['shipment_id']]['status']}."
            )
        if load["recovered"]:
            return _refused(f"Logger {self.loggers[load['logger_id']]['serial']} was recovered already.")
        if len(readings) <= 0:
            return _refused("Name at least one reading.")
        self._journal = []
        added_readings: list[Any] = []
        changed_shipments: list[Any] = []
        for r in list(readings):
            reading = {
                "id": self._new_id("reading", "READING", self.readings),
                "load_id": load_id,
                "celsius": r["celsius"],
                "minutes": r["minutes"],
            }
            self._add("readings", reading)
            added_readings.append(reading)
        if (
            self.shipments[load["shipment_id"]]["status"] == "arrived"
            and self._load_out(load) > self.products[self.shipments[load["shipment_id"]]["product_id"]]["allowance"]
        ):
            shipment = self.shipments[load["shipment_id"]]
            if shipment["status"] not in ("on_way", "arrived", "held"):
                return self._take_back(f"Shipment {shipment['number']} cannot go from {shipment['status']} to held.")
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "held")
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_load):
                return self._take_back(RULES[1])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_shipment in _distinct(
            [
                *[
                    self.shipments[one["shipment_id"]]
                    for one in [self.loads[one["load_id"]] for one in added_readings]
                ],
                *changed_shipments,
            ]
        ):
            if self._breaks_rule_7(one_shipment):
                return self._take_back(RULES[6])
        for one_load in _distinct(
            [
                *[self.loads[one["load_id"]] for one in added_readings],
                *[user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_load):
                return self._take_back(RULES[7])
        for one_load in _distinct(
            [
                *[self.loads[one["load_id"]] for one in added_readings],
                *[user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9(one_load):
                return self._take_back(RULES[8])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_10_s(one_shipment):
                return self._take_back(RULES[9])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_10_s_again(one_shipment):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: enter {len(readings)} readings of logger {self.loggers[load['logger_id']]['serial']}.",
            "data": self._changes(),
        }

    def receive_shipment(self, shipment_id: str) -> Result:
        """Receive a shipment at its goal; one with too many minutes out of range goes on hold at once.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] != "on_way":
            return _refused(f"Shipment {shipment['number']} is {shipment['status']}.")
        if shipment["arrives_at"][:10] > self.now[:10]:
            return _refused(f"{shipment['number']} is not expected before {shipment['arrives_at']}.")
        self._journal = []
        changed_shipments: list[Any] = []
        for l in sorted(self._loads_by_shipment.get(shipment_id, {}).values(), key=_age):
            box = self.boxes[l["box_id"]]
            self._put("boxes", box, "site_id", shipment["goal_id"])
        if any(
            self._load_out(l) > self.products[shipment["product_id"]]["allowance"]
            for l in self._loads_by_shipment.get(shipment_id, {}).values()
        ):
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "held")
        else:
            if shipment["status"] not in ("on_way", "arrived"):
                return self._take_back(
                    f"Shipment {shipment['number']} cannot go from {shipment['status']} to arrived."
                )
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "arrived")
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_load):
                return self._take_back(RULES[1])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_7(one_shipment):
                return self._take_back(RULES[6])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_load):
                return self._take_back(RULES[7])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9(one_load):
                return self._take_back(RULES[8])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_10_s(one_shipment):
                return self._take_back(RULES[9])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_10_s_again(one_shipment):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: receive shipment {shipment['number']}.", "data": self._changes()}

    def review_shipment(
        self,
        shipment_id: str,
        verdict: Literal["hold", "release", "reject"],
        by: Text,
        note: Text,
    ) -> Result:
        """Hold, release or reject a shipment after its journey.

        Args:
            shipment_id (str): Id of the shipment, such as SHIPMENT-00001.
            verdict (str): What is decided, only a shipment on hold being rejected: hold, release or reject.
            by (str): Name of the person in quality control who decides.
            note (str): Why it was decided so.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shipment = self.shipments.get(shipment_id)
        if shipment is None:
            return _refused(f"There is no shipment {shipment_id!r}.")
        if shipment["status"] not in ("arrived", "held"):
            return _refused(f"Shipment {shipment['number']} is {shipment['status']}.")
        if verdict == "hold" and shipment["status"] != "arrived":
            return _refused(f"{shipment['number']} is on hold already.")
        if verdict == "reject" and shipment["status"] != "held":
            return _refused(f"{shipment['number']} is not on hold; only what is on hold is rejected.")
        unread = next((l for l in self._loads_of(shipment) if not self._was_read(l)), None)
        if verdict == "release" and unread is not None:
            return _refused(f"A logger of {shipment['number']} was not read.")
        over = next(
            (
                l
                for l in self._loads_of(shipment)
                if self._load_out(l) > self.products[shipment["product_id"]]["allowance"]
            ),
            None,
        )
        if verdict == "release" and over is not None:
            return _refused(
                f"A box of {shipment['number']} was out of range for longer than the "
                f"{self.products[shipment['product_id']]['allowance']} minutes allowed."
            )
        self._journal = []
        changed_shipments: list[Any] = []
        review: Review = {
            "id": self._new_id("review", "REVIEW", self.reviews),
            "shipment_id": shipment_id,
            "verdict": verdict,
            "by": by,
            "note": note,
        }
        self._add("reviews", review)
        if verdict == "hold":
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "held")
        if verdict == "release":
            if shipment["status"] not in ("arrived", "held", "released"):
                return self._take_back(
                    f"Shipment {shipment['number']} cannot go from {shipment['status']} to released."
                )
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "released")
        if verdict == "reject":
            if shipment["status"] not in ("held", "rejected"):
                return self._take_back(
                    f"Shipment {shipment['number']} cannot go from {shipment['status']} to rejected."
                )
            changed_shipments.append(shipment)
            self._put("shipments", shipment, "status", "rejected")
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_load):
                return self._take_back(RULES[1])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_load):
                return self._take_back(RULES[4])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_load):
                return self._take_back(RULES[5])
        for one_shipment in _distinct(changed_shipments):
            if self._breaks_rule_7(one_shipment):
                return self._take_back(RULES[6])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_load):
                return self._take_back(RULES[7])
        for one_load in _distinct(
            [user for one in changed_shipments for user in self._loads_by_shipment.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9(one_load):
                return self._take_back(RULES[8])
        for one_shipment in _distinct([self.shipments[review["shipment_id"]], *changed_shipments]):
            if self._breaks_rule_10_s(one_shipment):
                return self._take_back(RULES[9])
        for one_shipment in _distinct([self.shipments[review["shipment_id"]], *changed_shipments]):
            if self._breaks_rule_10_s_again(one_shipment):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: review shipment {shipment['number']} as {verdict} (new: review {review['id']}).",
            "data": {"review_id": review["id"], **self._changes()},
        }

    def recover_logger(self, logger_id: str) -> Result:
        """Take a logger that was read out of its box, so that it can be used again where the shipment went.

        Args:
            logger_id (str): Id of the logger, such as LOGGER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        logger = self.loggers.get(logger_id)
        if logger is None:
            return _refused(f"There is no logger {logger_id!r}.")
        load = next(
            (l for l in sorted(self._loads_by_logger.get(logger_id, {}).values(), key=_age) if not l["recovered"]),
            None,
        )
        if load is None:
            return _refused(f"Logger {logger['serial']} is in no box.")
        if self.shipments[load["shipment_id"]]["status"] in ("planned", "on_way"):
            return _refused(
                f"Shipment {self.shipments[load['shipment_id']]['number']} is "
                f"{self.shipments[load['shipment_id']]['status']}."
            )
        if not self._was_read(load):
            return _refused(f"Logger {logger['serial']} must be read first.")
        self._journal = []
        self._put("loads", load, "recovered", True)
        self._put("loggers", logger, "site_id", self.shipments[load["shipment_id"]]["goal_id"])
        if self._breaks_rule_3(load):
            return self._take_back(RULES[2])
        if self._breaks_rule_9(load):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: recover logger {logger['serial']}.", "data": self._changes()}

    def send_boxes(self, box_ids: Annotated[list[str], {"maxItems": 20}], site_id: str) -> Result:
        """Empty boxes whose shipments were released or rejected and send them to a site, where they stand idle.

        Args:
            box_ids (list): Packed boxes whose shipments were released or rejected, each named once: ids of boxes,
                such as BOX-00001.
            site_id (str): Id of the site, such as SITE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        boxes = []
        for key in box_ids:
            if key not in self.boxes:
                return _refused(f"There is no box {key!r}.")
            boxes.append(self.boxes[key])
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if not (len(boxes) > 0 and _different([b["id"] for b in boxes])):
            return _refused("Name at least one box, and each once.")
        other = next((b for b in boxes if b["status"] != "packed"), None)
        if other is not None:
            return _refused(f"Box {other['label']} is {other['status']}.")
        full = next(
            (
                l
                for b in boxes
                for l in sorted(self._loads_by_box.get(b["id"], {}).values(), key=_age)
                if self.shipments[l["shipment_id"]]["status"] in ("planned", "on_way", "arrived", "held")
            ),
            None,
        )
        if full is not None:
            return _refused(
                f"Box {self.boxes[full['box_id']]['label']} belongs to shipment "
                f"{self.shipments[full['shipment_id']]['number']}, which is "
                f"{self.shipments[full['shipment_id']]['status']}."
            )
        self._journal = []
        for b in list(boxes):
            self._put("boxes", b, "site_id", site_id)
            self._put("boxes", b, "conditioned_at", None)
            if b["status"] not in ("idle", "packed"):
                return self._take_back(f"Box {b['label']} cannot go from {b['status']} to idle.")
            self._put("boxes", b, "status", "idle")
        return {
            "success": True,
            "message": f"Done: send {', '.join(str(one['label']) for one in boxes)} to {site['name']}.",
            "data": self._changes(),
        }

    def _show_shipment(self, shipment: Shipment) -> dict[str, Any]:
        """The shipment as an answer shows it."""
        return {**shipment, "packed": self._shipment_packed(shipment)}

    def _show_load(self, load: Load) -> dict[str, Any]:
        """The load as an answer shows it."""
        return {**load, "out": self._load_out(load)}

    def _names_of_boxes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that boxes point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_loggers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loggers point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_shipments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shipments point to."""
        return _names(
            (self.products, "name", [row["product_id"] for row in shown]),
            (self.sites, "name", [row["origin_id"] for row in shown]),
            (self.sites, "name", [row["goal_id"] for row in shown]),
        )

    def _names_of_loads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loads point to."""
        return _names(
            (self.shipments, "number", [row["shipment_id"] for row in shown]),
            (self.boxes, "label", [row["box_id"] for row in shown]),
            (self.loggers, "serial", [row["logger_id"] for row in shown]),
        )

    def _names_of_readings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that readings point to."""
        return _names((self.loads, "seal", [row["load_id"] for row in shown]))

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names((self.shipments, "number", [row["shipment_id"] for row in shown]))

    def _shipment_packed(self, shipment: Shipment) -> int:
        """The packed of a shipment."""
        return sum(l["units"] for l in self._loads_by_shipment.get(shipment["id"], {}).values())

    def _load_out(self, load: Load) -> int:
        """The out of a load."""
        return sum(
            r["minutes"]
            for r in self._readings_by_load.get(load["id"], {}).values()
            if (
                r["celsius"] < self.products[self.shipments[load["shipment_id"]]["product_id"]]["coldest"]
                or r["celsius"] > self.products[self.shipments[load["shipment_id"]]["product_id"]]["warmest"]
            )
        )

    def _in_use(self, g: Logger) -> bool:
        return any(not l["recovered"] for l in self._loads_by_logger.get(g["id"], {}).values())

    def _worst(self, s: Shipment) -> int:
        return (
            max((self._load_out(l) for l in self._loads_by_shipment.get(s["id"], {}).values()), default=None)
            if max(
                (self._load_out(l) for l in self._loads_by_shipment.get(s["id"], {}).values()),
                default=None,
            ) is not None
            else 0
        )

    def _travelling(self, s: Shipment) -> bool:
        return s["status"] in ("planned", "on_way")

    def _loads_of(self, s: Shipment) -> list[Load]:
        return sorted(self._loads_by_shipment.get(s["id"], {}).values(), key=_age)

    def _was_read(self, l: Load) -> bool:
        return bool(self._readings_by_load.get(l["id"], {}))

    def _within(self, s: Shipment) -> bool:
        return all(
            self._was_read(l)
            and self._load_out(l) <= self.products[s["product_id"]]["allowance"]
            for l in self._loads_by_shipment.get(s["id"], {}).values()
        )

    def _lasts(self, b: Box) -> str:
        return (
            _plus_minutes(b["conditioned_at"], b["cold_hours"] * 60)
            if b["conditioned_at"] is not None
            else self.now
        )

    def _calibrated(self, g: Logger, s: Shipment) -> bool:
        return (
            not self._in_use(g)
            and g["site_id"] == s["origin_id"]
            and g["calibrated_until"] >= s["arrives_at"][:10]
        )

    def _suits(self, b: Box, s: Shipment) -> bool:
        return (
            b["status"] == "ready"
            and b["site_id"] == s["origin_id"]
            and b["band"] == self.products[s["product_id"]]["band"]
            and self._lasts(b) >= s["arrives_at"]
        )

    def _breaks_rule_1(self, l: Load) -> bool:
        """Whether this is broken: a box holds no more than its capacity and only goods of its temperature band."""
        return (
            l["units"] > self.boxes[l["box_id"]]["capacity"]
            or self.boxes[l["box_id"]]["band"] != self.products[
                self.shipments[l["shipment_id"]]["product_id"]
            ]["band"]
        )

    def _breaks_rule_2(self, l: Load) -> bool:
        """Whether this is broken: a box travels in one shipment at a time."""
        return (
            self._travelling(self.shipments[l["shipment_id"]])
            and any(
                other_l is not l
                for other_l in self._loads_by_box.get(l["box_id"], {}).values()
                if self._travelling(self.shipments[other_l["shipment_id"]])
            )
        )

    def _breaks_rule_3(self, l: Load) -> bool:
        """Whether this is broken: a logger records one load until it is recovered."""
        return (
            not l["recovered"]
            and any(
                other_l is not l
                for other_l in self._loads_by_logger.get(l["logger_id"], {}).values()
                if not other_l["recovered"]
            )
        )

    def _breaks_rule_4(self, s: Shipment) -> bool:
        """Whether this is broken: no more is packed than the shipment has."""
        return self._shipment_packed(s) > s["units"]

    def _breaks_rule_5(self, l: Load) -> bool:
        """Whether this is broken: the coolant of every box lasts until the shipment arrives."""
        return (
            self._travelling(self.shipments[l["shipment_id"]])
            and l["cold_until"] < self.shipments[l["shipment_id"]]["arrives_at"]
        )

    def _breaks_rule_6(self, l: Load) -> bool:
        """Whether this is broken: a logger is calibrated for the whole journey."""
        return (
            self._travelling(self.shipments[l["shipment_id"]])
            and self.loggers[l["logger_id"]]["calibrated_until"] < self.shipments[l["shipment_id"]]["arrives_at"][:10]
        )

    def _breaks_rule_7(self, s: Shipment) -> bool:
        """Whether this is broken: a shipment is released only when each logger was read and none shows more minutes
        out of range than the product allows.
        """
        return s["status"] == "released" and not self._within(s)

    def _breaks_rule_8(self, l: Load) -> bool:
        """Whether this is broken: a shipment with too many minutes out of range is not left as arrived."""
        return (
            self.shipments[l["shipment_id"]]["status"] == "arrived"
            and self._load_out(l) > self.products[self.shipments[l["shipment_id"]]["product_id"]]["allowance"]
        )

    def _breaks_rule_9(self, l: Load) -> bool:
        """Whether this is broken: a logger is recovered only after the journey and when it was read."""
        return l["recovered"] and not (not self._travelling(self.shipments[l["shipment_id"]]) and self._was_read(l))

    def _breaks_rule_10_s(self, s: Shipment) -> bool:
        """Whether this is broken: a rejected shipment was reviewed, and so was a released one."""
        return (
            s["status"] == "rejected"
            and not any(r["verdict"] == "reject" for r in self._reviews_by_shipment.get(s["id"], {}).values())
        )

    def _breaks_rule_10_s_again(self, s: Shipment) -> bool:
        """Whether this is broken: a rejected shipment was reviewed, and so was a released one."""
        return (
            s["status"] == "released"
            and not any(r["verdict"] == "release" for r in self._reviews_by_shipment.get(s["id"], {}).values())
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
            case "boxes":
                self._boxes_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "loggers":
                self._loggers_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "shipments":
                self._shipments_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "loads":
                self._loads_by_box.setdefault(record["box_id"], {})[record["id"]] = record
                self._loads_by_logger.setdefault(record["logger_id"], {})[record["id"]] = record
                self._loads_by_seal.setdefault(record["seal"], {})[record["id"]] = record
                self._loads_by_shipment.setdefault(record["shipment_id"], {})[record["id"]] = record
            case "readings":
                self._readings_by_load.setdefault(record["load_id"], {})[record["id"]] = record
            case "reviews":
                self._reviews_by_shipment.setdefault(record["shipment_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "boxes":
                del self._boxes_by_site[record["site_id"]][record["id"]]
            case "loggers":
                del self._loggers_by_site[record["site_id"]][record["id"]]
            case "shipments":
                del self._shipments_by_number[record["number"]][record["id"]]
            case "loads":
                del self._loads_by_box[record["box_id"]][record["id"]]
                del self._loads_by_logger[record["logger_id"]][record["id"]]
                del self._loads_by_seal[record["seal"]][record["id"]]
                del self._loads_by_shipment[record["shipment_id"]][record["id"]]
            case "readings":
                del self._readings_by_load[record["load_id"]][record["id"]]
            case "reviews":
                del self._reviews_by_shipment[record["shipment_id"]][record["id"]]
