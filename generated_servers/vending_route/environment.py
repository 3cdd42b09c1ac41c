"""Vending route. Compiled from blueprint.yaml; run `envscaler build vending_route` after changing it there.

Keeps vending machines filled from vans that carry their own dated stock, along daily routes, with cash boxes,
expired goods and faults.
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
    "A slot never holds more than fits.",
    "A slot holds only the product it is meant for.",
    "Bulky products go into wide slots, and chilled ones into cooled machines.",
    "A product has one price in a machine.",
    "A van never carries more pieces than it holds.",
    "A van stands at one machine at a time.",
    "A machine is on one route at a time.",
    "No two stops of a van on a day have the same place in the route.",
    "A van keeps to the order of its route.",
    "A cash box never holds more than fits.",
    "A bag was counted exactly when it is no longer sealed, and is short or over when the sum differs from what the machine reported.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "load_van",
    "plan_stop",
    "arrive",
    "refill_slot",
    "book_sales",
    "pull_expired",
    "change_slot",
    "empty_box",
    "count_bag",
    "report_fault",
    "repair_machine",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "products": ("name",),
    "machines": ("number",),
    "slots": ("code",),
    "fillings": (),
    "vans": ("name",),
    "crates": (),
    "stops": (),
    "bags": ("seal",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bags", "seal"),
    ("crates", "product_id"),
    ("crates", "van_id"),
    ("fillings", "slot_id"),
    ("slots", "machine_id"),
    ("slots", "product_id"),
    ("stops", "machine_id"),
    ("stops", "status"),
    ("stops", "van_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Product(TypedDict):
    id: str
    name: str
    bulky: bool
    chilled: bool


class Machine(TypedDict):
    id: str
    number: str
    place: str
    cooled: bool
    box: int
    cash: int
    fault: Literal["cooling", "coin_jam", "display"] | None
    visited: str | None


class Slot(TypedDict):
    id: str
    code: str
    machine_id: str
    wide: bool
    capacity: int
    product_id: str
    price: int


class Filling(TypedDict):
    id: str
    slot_id: str
    product_id: str
    use_by: str
    pieces: int


class Van(TypedDict):
    id: str
    name: str
    driver: str
    holds: int


class Crate(TypedDict):
    id: str
    van_id: str
    product_id: str
    use_by: str
    pieces: int


class Stop(TypedDict):
    id: str
    van_id: str
    machine_id: str
    on: str
    rank: int
    status: Literal["planned", "here", "done"]


class Bag(TypedDict):
    id: str
    seal: str
    machine_id: str
    van_id: str
    amount: int
    taken_on: str
    counted: int | None
    status: Literal["sealed", "exact", "short", "over"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class VendingRoute:
    """Keeps vending machines filled from vans that carry their own dated stock, along daily routes, with
    cash boxes, expired goods and faults.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.machines: dict[str, Machine] = _copied(config.get("machines", {}))
        self.slots: dict[str, Slot] = _copied(config.get("slots", {}))
        self.fillings: dict[str, Filling] = _copied(config.get("fillings", {}))
        self.vans: dict[str, Van] = _copied(config.get("vans", {}))
        self.crates: dict[str, Crate] = _copied(config.get("crates", {}))
        self.stops: dict[str, Stop] = _copied(config.get("stops", {}))
        self.bags: dict[str, Bag] = _copied(config.get("bags", {}))
        self.now: str = config.get("now", "2026-04-15T17:50")
        self.counters: dict[str, int] = {
            "product": len(self.products),
            "machine": len(self.machines),
            "slot": len(self.slots),
            "filling": len(self.fillings),
            "van": len(self.vans),
            "crate": len(self.crates),
            "stop": len(self.stops),
            "bag": len(self.bags),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._slots_by_machine: dict[Any, dict[str, Slot]] = {}
        self._slots_by_machine_product: dict[Any, dict[str, Slot]] = {}
        self._fillings_by_slot: dict[Any, dict[str, Filling]] = {}
        self._crates_by_van: dict[Any, dict[str, Crate]] = {}
        self._crates_by_van_product: dict[Any, dict[str, Crate]] = {}
        self._stops_by_machine: dict[Any, dict[str, Stop]] = {}
        self._stops_by_machine_status: dict[Any, dict[str, Stop]] = {}
        self._stops_by_van: dict[Any, dict[str, Stop]] = {}
        self._stops_by_van_status: dict[Any, dict[str, Stop]] = {}
        self._bags_by_seal: dict[Any, dict[str, Bag]] = {}
        for slot in self.slots.values():
            self._link("slots", slot)
        for filling in self.fillings.values():
            self._link("fillings", filling)
        for crate in self.crates.values():
            self._link("crates", crate)
        for stop in self.stops.values():
            self._link("stops", stop)
        for bag in self.bags.values():
            self._link("bags", bag)

    def route_of(
        self,
        van_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The route of a van on a day, in order.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            on (str): Day of the route, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stops": records}} or {"success": False, "error": why
                not}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        found = [s for s in self._stops_by_van.get(van_id, {}).values() if (s["van_id"] == van_id and s["on"] == on)]
        found.sort(key=lambda s: (s["rank"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stops": [
                    {
                        "id": s["id"],
                        "rank": s["rank"],
                        "machine": self.machines[s["machine_id"]]["number"],
                        "place": self.machines[s["machine_id"]]["place"],
                        "status": s["status"],
                        "fault": self.machines[s["machine_id"]]["fault"],
                        "cash": self.machines[s["machine_id"]]["cash"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def low_slots(
        self,
        machine_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Slots that are at most half full, emptiest first, with what is expired in them.

        Args:
            machine_id (str, optional): Machine whose slots are looked at; an id such as MACHINE-00001. If left
                out, the slots of all machines are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}} or {"success": False, "error": why
                not}
        """
        machine = self.machines.get(machine_id) if machine_id is not None else None
        if machine_id is not None and machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        found = [
            s
            for s in self.slots.values()
            if self._slot_pieces(s) * 2 <= s["capacity"]
            and (machine_id is None or s["machine_id"] == machine_id)
        ]
        found.sort(key=lambda s: (self._slot_pieces(s), s["code"], _age(s)))
        return _found(
            {
                "total": len(found),
                "slots": [
                    {
                        "id": s["id"],
                        "code": s["code"],
                        "product": self.products[s["product_id"]]["name"],
                        "pieces": self._slot_pieces(s),
                        "capacity": s["capacity"],
                        "expired": sum(
                            f["pieces"]
                            for f in self._fillings_by_slot.get(s["id"], {}).values()
                            if f["use_by"] < self.now[:10]
                        ),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def expiring(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What runs out in the machines until a day, soonest first.

        Args:
            until (str): Last use-by day that is listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fillings": records}} or {"success": False, "error": why
                not}
        """
        found = [f for f in self.fillings.values() if f["use_by"] <= until]
        found.sort(key=lambda f: (f["use_by"], self.slots[f["slot_id"]]["code"], _age(f)))
        return _found(
            {
                "total": len(found),
                "fillings": [
                    {
                        "id": f["id"],
                        "machine": self.machines[self.slots[f["slot_id"]]["machine_id"]]["number"],
                        "slot": self.slots[f["slot_id"]]["code"],
                        "product": self.products[f["product_id"]]["name"],
                        "pieces": f["pieces"],
                        "use_by": f["use_by"],
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def list_products(
        self,
        name: Text | None = None,
        bulky: bool | None = None,
        chilled: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the products, oldest first, all of them or only some.

        Args:
            name (str, optional): Only products whose name contains this text.
            bulky (bool, optional): Only products that are bulky (true) or not (false).
            chilled (bool, optional): Only products that are chilled (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "products": records}}
        """
        found = [
            product
            for product in self.products.values()
            if (name is None or name.casefold() in product["name"].casefold())
            and (bulky is None or product["bulky"] == bulky)
            and (chilled is None or product["chilled"] == chilled)
        ]
        return _found({"total": len(found), "products": [{**product} for product in _page(found, offset)]})

    def list_machines(
        self,
        number: Text | None = None,
        cooled: bool | None = None,
        fault: Literal["cooling", "coin_jam", "display"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the machines, oldest first, all of them or only some.

        Args:
            number (str, optional): Only machines whose number contains this text.
            cooled (bool, optional): Only machines that are cooled (true) or not (false).
            fault (str, optional): Only machines with this fault.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "machines": records}}
        """
        found = [
            machine
            for machine in self.machines.values()
            if (number is None or number.casefold() in machine["number"].casefold())
            and (cooled is None or machine["cooled"] == cooled)
            and (fault is None or machine["fault"] == fault)
        ]
        return _found({"total": len(found), "machines": [{**machine} for machine in _page(found, offset)]})

    def list_slots(
        self,
        code: Text | None = None,
        machine_id: str | None = None,
        wide: bool | None = None,
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slots, oldest first, all of them or only some.

        Args:
            code (str, optional): Only slots whose code contains this text.
            machine_id (str, optional): Only slots of this machine.
            wide (bool, optional): Only slots that are wide (true) or not (false).
            product_id (str, optional): Only slots of this product.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}}
        """
        if machine_id is not None and machine_id not in self.machines:
            return _refused(f"There is no machine {machine_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            slot
            for slot in self.slots.values()
            if (code is None or code.casefold() in slot["code"].casefold())
            and (machine_id is None or slot["machine_id"] == machine_id)
            and (wide is None or slot["wide"] == wide)
            and (product_id is None or slot["product_id"] == product_id)
        ]
        shown = [self._show_slot(slot) for slot in _page(found, offset)]
        return _found({"total": len(found), "slots": shown}, self._names_of_slots(shown))

    def list_fillings(
        self,
        slot_id: str | None = None,
        product_id: str | None = None,
        use_by_from: Date | None = None,
        use_by_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fillings, oldest first, all of them or only some.

        Args:
            slot_id (str, optional): Only fillings of this slot.
            product_id (str, optional): Only fillings of this product.
            use_by_from (str, optional): Only fillings whose `use_by` is on this day or later.
            use_by_to (str, optional): Only fillings whose `use_by` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fillings": records}}
        """
        if slot_id is not None and slot_id not in self.slots:
            return _refused(f"There is no slot {slot_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            filling
            for filling in self.fillings.values()
            if (slot_id is None or filling["slot_id"] == slot_id)
            and (product_id is None or filling["product_id"] == product_id)
            and (use_by_from is None or filling["use_by"] >= use_by_from)
            and (use_by_to is None or filling["use_by"] <= use_by_to)
        ]
        shown = [{**filling} for filling in _page(found, offset)]
        return _found({"total": len(found), "fillings": shown}, self._names_of_fillings(shown))

    def list_vans(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vans whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vans": records}}
        """
        found = [van for van in self.vans.values() if (name is None or name.casefold() in van["name"].casefold())]
        return _found({"total": len(found), "vans": [self._show_van(van) for van in _page(found, offset)]})

    def list_crates(
        self,
        van_id: str | None = None,
        product_id: str | None = None,
        use_by_from: Date | None = None,
        use_by_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crates, oldest first, all of them or only some.

        Args:
            van_id (str, optional): Only crates of this van.
            product_id (str, optional): Only crates of this product.
            use_by_from (str, optional): Only crates whose `use_by` is on this day or later.
            use_by_to (str, optional): Only crates whose `use_by` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crates": records}}
        """
        if van_id is not None and van_id not in self.vans:
            return _refused(f"There is no van {van_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            crate
            for crate in self.crates.values()
            if (van_id is None or crate["van_id"] == van_id)
            and (product_id is None or crate["product_id"] == product_id)
            and (use_by_from is None or crate["use_by"] >= use_by_from)
            and (use_by_to is None or crate["use_by"] <= use_by_to)
        ]
        shown = [{**crate} for crate in _page(found, offset)]
        return _found({"total": len(found), "crates": shown}, self._names_of_crates(shown))

    def list_stops(
        self,
        van_id: str | None = None,
        machine_id: str | None = None,
        status: Literal["planned", "here", "done"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stops, oldest first, all of them or only some.

        Args:
            van_id (str, optional): Only stops of this van.
            machine_id (str, optional): Only stops of this machine.
            status (str, optional): Only stops with this status.
            on_from (str, optional): Only stops whose `on` is on this day or later.
            on_to (str, optional): Only stops whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stops": records}}
        """
        if van_id is not None and van_id not in self.vans:
            return _refused(f"There is no van {van_id!r}.")
        if machine_id is not None and machine_id not in self.machines:
            return _refused(f"There is no machine {machine_id!r}.")
        found = [
            stop
            for stop in self.stops.values()
            if (van_id is None or stop["van_id"] == van_id)
            and (machine_id is None or stop["machine_id"] == machine_id)
            and (status is None or stop["status"] == status)
            and (on_from is None or stop["on"] >= on_from)
            and (on_to is None or stop["on"] <= on_to)
        ]
        shown = [{**stop} for stop in _page(found, offset)]
        return _found({"total": len(found), "stops": shown}, self._names_of_stops(shown))

    def list_bags(
        self,
        seal: Text | None = None,
        machine_id: str | None = None,
        van_id: str | None = None,
        status: Literal["sealed", "exact", "short", "over"] | None = None,
        taken_on_from: Date | None = None,
        taken_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bags, oldest first, all of them or only some.

        Args:
            seal (str, optional): Only bags whose seal contains this text.
            machine_id (str, optional): Only bags of this machine.
            van_id (str, optional): Only bags of this van.
            status (str, optional): Only bags with this status.
            taken_on_from (str, optional): Only bags whose `taken_on` is on this day or later.
            taken_on_to (str, optional): Only bags whose `taken_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bags": records}}
        """
        if machine_id is not None and machine_id not in self.machines:
            return _refused(f"There is no machine {machine_id!r}.")
        if van_id is not None and van_id not in self.vans:
            return _refused(f"There is no van {van_id!r}.")
        found = [
            bag
            for bag in self.bags.values()
            if (seal is None or seal.casefold() in bag["seal"].casefold())
            and (machine_id is None or bag["machine_id"] == machine_id)
            and (van_id is None or bag["van_id"] == van_id)
            and (status is None or bag["status"] == status)
            and (taken_on_from is None or bag["taken_on"] >= taken_on_from)
            and (taken_on_to is None or bag["taken_on"] <= taken_on_to)
        ]
        shown = [{**bag} for bag in _page(found, offset)]
        return _found({"total": len(found), "bags": shown}, self._names_of_bags(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def load_van(
        self,
        van_id: str,
        product_id: str,
        pieces: Annotated[int, {"minimum": 1, "maximum": 120}],
        use_by: Date,
    ) -> Result:
        """Load pieces of a product with one use-by day into a van.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.
            pieces (int): Pieces that are loaded, from 1 to 120.
            use_by (str): Last day on which the goods may be used, later than tomorrow, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if use_by <= _plus_days(self.now[:10], 1):
            return _refused(f"Goods that run out on {use_by} are not loaded any more.")
        if self._van_load(van) + pieces > van["holds"]:
            return _refused(f"{van['name']} has room for {van['holds'] - self._van_load(van)} pieces, not {pieces}.")
        self._journal = []
        crate: Crate = {
            "id": self._new_id("crate", "CRATE", self.crates),
            "van_id": van_id,
            "product_id": product_id,
            "use_by": use_by,
            "pieces": pieces,
        }
        self._add("crates", crate)
        if self._breaks_rule_5(self.vans[crate["van_id"]]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: load {pieces} of {product['name']} into {van['name']} (new: crate {crate['id']}).",
            "data": {"crate_id": crate["id"], **self._changes()},
        }

    def plan_stop(self, van_id: str, machine_id: str, on: Date) -> Result:
        """Put a machine at the end of a van's route on a day; a stop planned already moves there.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            machine_id (str): Id of the machine, such as MACHINE-00001.
            on (str): Day of the stop, within 14 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 14):
            return _refused(f"Routes are planned from {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        busy = self._stop_at(machine)
        if busy is not None:
            return _refused(f"{self.vans[busy['van_id']]['name']} is at machine {machine['number']} right now.")
        if self._last_rank(van, on) >= 60:
            return _refused(f"The route of {van['name']} on {on} is full.")
        old = next(
            (s for s in sorted(self._stops_by_machine_status.get((machine_id, "planned"), {}).values(), key=_age)),
            None,
        )
        if (
            old is not None
            and old["van_id"] == van_id
            and old["on"] == on
            and old["rank"] >= self._last_rank(van, on)
        ):
            return _refused(f"Machine {machine['number']} is the last stop of {van['name']} on {on} already.")
        self._journal = []
        changed_stops: list[Any] = []
        changed_stops_2: list[Any] = []
        changed_stops_3: list[Any] = []
        added_stops: list[Any] = []
        rank = self._last_rank(van, on) + 1
        if old is not None:
            changed_stops.append(old)
            self._put("stops", old, "van_id", van_id)
            changed_stops_2.append(old)
            self._put("stops", old, "on", on)
            if not 1 <= rank <= 60:
                return self._take_back(f"The rank of {old['id']} must be between 1 and 60.")
            changed_stops_3.append(old)
            self._put("stops", old, "rank", rank)
        else:
            if not 1 <= rank <= 60:
                return self._take_back("The rank of a stop must be between 1 and 60.")
            stop = {
                "id": self._new_id("stop", "STOP", self.stops),
                "van_id": van_id,
                "machine_id": machine_id,
                "on": on,
                "rank": rank,
                "status": "planned",
            }
            self._add("stops", stop)
            added_stops.append(stop)
        for one_stop in _distinct([*changed_stops, *added_stops]):
            if self._breaks_rule_6(one_stop):
                return self._take_back(RULES[5])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_7(one_stop):
                return self._take_back(RULES[6])
        for one_stop in _distinct([*changed_stops, *changed_stops_2, *changed_stops_3, *added_stops]):
            if self._breaks_rule_8(one_stop):
                return self._take_back(RULES[7])
        for one_stop in _distinct([*changed_stops, *changed_stops_2, *changed_stops_3, *added_stops]):
            if self._breaks_rule_9_a(one_stop):
                return self._take_back(RULES[8])
        for one_stop in _distinct([*changed_stops, *changed_stops_2, *changed_stops_3, *added_stops]):
            if self._breaks_rule_9_b(one_stop):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: plan machine {machine['number']} for {van['name']} on {on}.",
            "data": self._changes(),
        }

    def arrive(self, van_id: str, machine_id: str) -> Result:
        """Note that a van reached the next machine of today's route; the one before is done by that.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        stop = self._next_stop(van, self.now[:10])
        if stop is None:
            return _refused(f"{van['name']} has no stop left today.")
        if stop["machine_id"] != machine_id:
            return _refused(
                f"The next stop of {van['name']} is machine {self.machines[stop['machine_id']]['number']}; put "
                "that one on another day or at the end first."
            )
        self._journal = []
        changed_stops: list[Any] = []
        for s in sorted(self._stops_by_van_status.get((van_id, "here"), {}).values(), key=_age):
            if s["status"] not in ("here", "done"):
                return self._take_back(f"Stop {s['id']} cannot go from {s['status']} to done.")
            changed_stops.append(s)
            self._put("stops", s, "status", "done")
        if stop["status"] not in ("planned", "here"):
            return self._take_back(f"Stop {stop['id']} cannot go from {stop['status']} to here.")
        self._put("stops", stop, "status", "here")
        self._put("machines", machine, "visited", self.now[:10])
        for one_stop in _distinct([stop, *changed_stops]):
            if self._breaks_rule_6(one_stop):
                return self._take_back(RULES[5])
        for one_stop in _distinct([stop, *changed_stops]):
            if self._breaks_rule_7(one_stop):
                return self._take_back(RULES[6])
        for one_stop in _distinct([stop, *changed_stops]):
            if self._breaks_rule_9_a(one_stop):
                return self._take_back(RULES[8])
        for one_stop in _distinct([stop, *changed_stops]):
            if self._breaks_rule_9_b(one_stop):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: note that {van['name']} is at machine {machine['number']}.",
            "data": self._changes(),
        }

    def refill_slot(
        self,
        slot_id: str,
        pieces: Annotated[int, {"minimum": 1, "maximum": 20}] | None = None,
    ) -> Result:
        """Refill a slot from the van that stands at the machine, soonest use-by first, as far as it goes unless a
        number is named.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            pieces (int, optional): Pieces to fill in, from 1 to 20. If left out, as many are filled in as the slot
                and the van allow.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        stop = self._stop_at(self.machines[slot["machine_id"]])
        if stop is None:
            return _refused(f"No van is at machine {self.machines[slot['machine_id']]['number']}.")
        if self.machines[slot["machine_id"]]["fault"] == "cooling" and self.products[slot["product_id"]]["chilled"]:
            return _refused(f"The cooling of machine {self.machines[slot['machine_id']]['number']} is broken.")
        if any(f["use_by"] < self.now[:10] for f in self._fillings_by_slot.get(slot_id, {}).values()):
            return _refused(f"There are expired pieces in {slot['code']}, so take them out first.")
        if self._room(slot) <= 0:
            return _refused(f"Slot {slot['code']} is full.")
        there = self._in_van(self.vans[stop["van_id"]], self.products[slot["product_id"]])
        if there <= 0:
            return _refused(
                f"{self.vans[stop['van_id']]['name']} has no {self.products[slot['product_id']]['name']}."
            )
        n = pieces if pieces is not None else min(self._room(slot), there)
        if n > self._room(slot):
            return _refused(f"Slot {slot['code']} takes {self._room(slot)} more.")
        if n > there:
            return _refused(
                f"{self.vans[stop['van_id']]['name']} has {there} of {self.products[slot['product_id']]['name']}."
            )
        self._journal = []
        added_fillings: list[Any] = []
        deleted_crates: list[Any] = []
        changed_crates: list[Any] = []
        open = n
        for c in sorted(
            [
                c
                for c in self._crates_by_van_product.get((stop["van_id"], slot["product_id"]), {}).values()
                if c["use_by"] >= self.now[:10]
            ],
            key=lambda c: (c["use_by"], c["id"], _age(c)),
        ):
            part = min(c["pieces"], open)
            if part > 0:
                if not 1 <= part <= 20:
                    return self._take_back("The pieces of a filling must be between 1 and 20.")
                filling = {
                    "id": self._new_id("filling", "FILLING", self.fillings),
                    "slot_id": slot_id,
                    "product_id": slot["product_id"],
                    "use_by": c["use_by"],
                    "pieces": part,
                }
                self._add("fillings", filling)
                added_fillings.append(filling)
                if part == c["pieces"]:
                    if c["id"] in self.crates:
                        self._remove("crates", c)
                    deleted_crates.append(c)
                else:
                    new_pieces = c["pieces"] - part
                    if not 1 <= new_pieces <= 200:
                        return self._take_back(f"The pieces of {c['id']} must be between 1 and 200.")
                    changed_crates.append(c)
                    if c["id"] in self.crates:
                        self._put("crates", c, "pieces", new_pieces)
                open = open - part
        for one_slot in _distinct([self.slots[one["slot_id"]] for one in added_fillings]):
            if self._breaks_rule_1(one_slot):
                return self._take_back(RULES[0])
        for one_filling in _distinct(added_fillings):
            if self._breaks_rule_2(one_filling):
                return self._take_back(RULES[1])
        for one_van in _distinct(
            [
                *[self.vans[one["van_id"]] for one in deleted_crates],
                *[self.vans[one["van_id"]] for one in changed_crates],
            ]
        ):
            if self._breaks_rule_5(one_van):
                return self._take_back(RULES[4])
        done = f"refill slot {slot['code']}"
        if pieces is not None:
            done += f" with {pieces} pieces"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def book_sales(self, slot_id: str, pieces: Annotated[int, {"minimum": 1, "maximum": 20}]) -> Result:
        """Book what a machine reports as sold from a slot for coins, the soonest use-by first.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            pieces (int): Pieces that the machine reports as sold from the slot, from 1 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if self.machines[slot["machine_id"]]["fault"] is not None:
            return _refused(f"Machine {self.machines[slot['machine_id']]['number']} is out of order.")
        if pieces > self._slot_pieces(slot):
            return _refused(f"Slot {slot['code']} holds {self._slot_pieces(slot)}, not {pieces}.")
        if (
            self.machines[slot["machine_id"]]["cash"]
            + slot["price"] * pieces > self.machines[slot["machine_id"]]["box"]
        ):
            return _refused(
                f"The cash box of machine {self.machines[slot['machine_id']]['number']} would overflow, so empty "
                "it first."
            )
        self._journal = []
        deleted_fillings: list[Any] = []
        changed_fillings: list[Any] = []
        machine = self.machines[slot["machine_id"]]
        cash = self.machines[slot["machine_id"]]["cash"] + slot["price"] * pieces
        if not 0 <= cash <= 60000:
            return self._take_back(f"The cash of {machine['number']} must be between 0.00 and 600.00.")
        self._put("machines", machine, "cash", cash)
        open = pieces
        for f in sorted(
            self._fillings_by_slot.get(slot_id, {}).values(),
            key=lambda f: (f["use_by"], f["id"], _age(f)),
        ):
            part = min(f["pieces"], open)
            if part > 0:
                if part == f["pieces"]:
                    if f["id"] in self.fillings:
                        self._remove("fillings", f)
                    deleted_fillings.append(f)
                else:
                    new_pieces = f["pieces"] - part
                    if not 1 <= new_pieces <= 20:
                        return self._take_back(f"The pieces of {f['id']} must be between 1 and 20.")
                    changed_fillings.append(f)
                    if f["id"] in self.fillings:
                        self._put("fillings", f, "pieces", new_pieces)
                open = open - part
        for one_slot in _distinct(
            [
                *[self.slots[one["slot_id"]] for one in deleted_fillings],
                *[self.slots[one["slot_id"]] for one in changed_fillings],
            ]
        ):
            if self._breaks_rule_1(one_slot):
                return self._take_back(RULES[0])
        if self._breaks_rule_10(machine):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: book {pieces} sold from slot {slot['code']}.",
            "data": self._changes(),
        }

    def pull_expired(self, machine_id: str) -> Result:
        """Take every expired piece out of a machine and out of the van that is there.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        stop = self._stop_at(machine)
        if stop is None:
            return _refused(f"No van is at machine {machine['number']}.")
        if not (
            self._expired_in(machine) > 0
            or any(c["use_by"] < self.now[:10] for c in self._crates_by_van.get(stop["van_id"], {}).values())
        ):
            return _refused(
                f"Nothing in machine {machine['number']} or in {self.vans[stop['van_id']]['name']} has expired."
            )
        self._journal = []
        deleted_fillings: list[Any] = []
        deleted_crates: list[Any] = []
        for f in [
            f
            for f in sorted(
                [
                    f
                    for _slot in self._slots_by_machine.get(machine_id, {}).values()
                    for f in self._fillings_by_slot.get(_slot["id"], {}).values()
                ],
                key=_age,
            )
            if f["use_by"] < self.now[:10]
        ]:
            if f["id"] in self.fillings:
                self._remove("fillings", f)
            deleted_fillings.append(f)
        for c in [
            c
            for c in sorted(self._crates_by_van.get(stop["van_id"], {}).values(), key=_age)
            if c["use_by"] < self.now[:10]
        ]:
            if c["id"] in self.crates:
                self._remove("crates", c)
            deleted_crates.append(c)
        for one_slot in _distinct([self.slots[one["slot_id"]] for one in deleted_fillings]):
            if self._breaks_rule_1(one_slot):
                return self._take_back(RULES[0])
        for one_van in _distinct([self.vans[one["van_id"]] for one in deleted_crates]):
            if self._breaks_rule_5(one_van):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: take expired goods out of machine {machine['number']} and the van there.",
            "data": self._changes(),
        }

    def change_slot(
        self,
        slot_id: str,
        product_id: str,
        price: Annotated[int, {"minimum": 50, "maximum": 900}],
    ) -> Result:
        """Give an empty slot another product or another price.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.
            price (int): Price of one piece in the slot, in cents, from 50 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if self._stop_at(self.machines[slot["machine_id"]]) is None:
            return _refused(f"No van is at machine {self.machines[slot['machine_id']]['number']}.")
        if self._slot_pieces(slot) != 0 and slot["product_id"] != product_id:
            return _refused(
                f"Slot {slot['code']} still holds {self._slot_pieces(slot)} of "
                f"{self.products[slot['product_id']]['name']}."
            )
        if slot["product_id"] == product_id and slot["price"] == price:
            return _refused(f"That is how slot {slot['code']} is set.")
        if not slot["wide"] and product["bulky"]:
            return _refused(f"{product['name']} does not fit into slot {slot['code']}.")
        if not self.machines[slot["machine_id"]]["cooled"] and product["chilled"]:
            return _refused(f"Machine {self.machines[slot['machine_id']]['number']} does not cool.")
        twin = next(
            (
                s
                for s in sorted(
                    self._slots_by_machine_product.get((slot["machine_id"], product_id), {}).values(),
                    key=_age,
                )
                if s is not slot
                and s["price"] != price
            ),
            None,
        )
        if twin is not None:
            return _refused(
                f"{product['name']} costs {_money(twin['price'])} in slot {twin['code']} of the same machine."
            )
        self._journal = []
        self._put("slots", slot, "product_id", product_id)
        self._put("slots", slot, "price", price)
        for one_filling in _distinct(self._fillings_by_slot.get(slot["id"], {}).values()):
            if self._breaks_rule_2(one_filling):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(slot):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(slot):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: set slot {slot['code']} to {product['name']} at {_money(price)}.",
            "data": self._changes(),
        }

    def empty_box(self, machine_id: str, seal: Text) -> Result:
        """Empty the cash box of a machine into a sealed bag while a van is there.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            seal (str): Number of the seal on the bag, not used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        stop = self._stop_at(machine)
        if stop is None:
            return _refused(f"No van is at machine {machine['number']}.")
        if machine["fault"] == "coin_jam":
            return _refused(f"The coins of machine {machine['number']} are jammed, so have that repaired first.")
        if machine["cash"] <= 0:
            return _refused(f"The cash box of machine {machine['number']} is empty.")
        if self._bags_by_seal.get(seal, {}):
            return _refused(f"Seal {seal} was used already.")
        self._journal = []
        amount = machine["cash"]
        if not 1 <= amount <= 60000:
            return self._take_back("The amount of a bag must be between 0.01 and 600.00.")
        bag: Bag = {
            "id": self._new_id("bag", "BAG", self.bags),
            "seal": seal,
            "machine_id": machine_id,
            "van_id": stop["van_id"],
            "amount": amount,
            "taken_on": self.now[:10],
            "counted": None,
            "status": "sealed",
        }
        self._add("bags", bag)
        self._put("machines", machine, "cash", 0)
        if len(self._bags_by_seal.get(bag["seal"], {})) > 1:
            return self._take_back(f"There is already a bag with the seal {bag['seal']!r}.")
        if self._breaks_rule_10(machine):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(bag):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: empty the cash box of machine {machine['number']} into bag {seal} (new: bag {bag['id']})."
            ),
            "data": {"bag_id": bag["id"], **self._changes()},
        }

    def count_bag(self, bag_id: str, counted: Annotated[int, {"minimum": 0, "maximum": 60000}]) -> Result:
        """Note what was counted in a bag; less than the machine reported makes it short, more makes it over.

        Args:
            bag_id (str): Id of the bag, such as BAG-00001.
            counted (int): Sum that was counted in the bag, in cents, from 0 to 60000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bag = self.bags.get(bag_id)
        if bag is None:
            return _refused(f"There is no bag {bag_id!r}.")
        if bag["status"] != "sealed":
            return _refused(f"Bag {bag['seal']} was counted already.")
        self._journal = []
        self._put("bags", bag, "counted", counted)
        status = "exact" if counted == bag["amount"] else "short" if counted < bag["amount"] else "over"
        self._put("bags", bag, "status", status)
        if self._breaks_rule_11(bag):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note {_money(counted)} as counted in bag {bag['seal']}.",
            "data": self._changes(),
        }

    def report_fault(self, machine_id: str, fault: Literal["cooling", "coin_jam", "display"]) -> Result:
        """Note a fault of a machine; when the cooling fails, its chilled goods count as expired.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.
            fault (str): What does not work on the machine: cooling, coin_jam or display.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if machine["fault"] is not None:
            return _refused(f"Machine {machine['number']} is out of order already ({machine['fault']}).")
        if fault == "cooling" and not machine["cooled"]:
            return _refused(f"Machine {machine['number']} has no cooling.")
        self._journal = []
        self._put("machines", machine, "fault", fault)
        if fault == "cooling":
            for f in [
                f
                for f in sorted(
                    [
                        f
                        for _slot in self._slots_by_machine.get(machine_id, {}).values()
                        for f in self._fillings_by_slot.get(_slot["id"], {}).values()
                    ],
                    key=_age,
                )
                if self.products[f["product_id"]]["chilled"]
            ]:
                self._put("fillings", f, "use_by", min(f["use_by"], _plus_days(self.now[:10], -1)))
        return {
            "success": True,
            "message": f"Done: report the fault {fault} of machine {machine['number']}.",
            "data": self._changes(),
        }

    def repair_machine(self, machine_id: str) -> Result:
        """Note that a machine works again; a van must be there, and no chilled goods may be left in it from before.

        Args:
            machine_id (str): Id of the machine, such as MACHINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        machine = self.machines.get(machine_id)
        if machine is None:
            return _refused(f"There is no machine {machine_id!r}.")
        if machine["fault"] is None:
            return _refused(f"Machine {machine['number']} works.")
        if self._stop_at(machine) is None:
            return _refused(f"No van is at machine {machine['number']}.")
        if machine["fault"] == "cooling" and self._expired_in(machine) != 0:
            return _refused(f"There are expired goods in machine {machine['number']}, so take them out first.")
        self._journal = []
        self._put("machines", machine, "fault", None)
        return {"success": True, "message": f"Done: repair machine {machine['number']}.", "data": self._changes()}

    def _show_slot(self, slot: Slot) -> dict[str, Any]:
        """The slot as an answer shows it."""
        return {**slot, "pieces": self._slot_pieces(slot)}

    def _show_van(self, van: Van) -> dict[str, Any]:
        """The van as an answer shows it."""
        return {**van, "load": self._van_load(van)}

    def _names_of_slots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that slots point to."""
        return _names(
            (self.machines, "number", [row["machine_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
        )

    def _names_of_fillings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fillings point to."""
        return _names(
            (self.slots, "code", [row["slot_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
        )

    def _names_of_crates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that crates point to."""
        return _names(
            (self.vans, "name", [row["van_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
        )

    def _names_of_stops(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stops point to."""
        return _names(
            (self.vans, "name", [row["van_id"] for row in shown]),
            (self.machines, "number", [row["machine_id"] for row in shown]),
        )

    def _names_of_bags(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bags point to."""
        return _names(
            (self.machines, "number", [row["machine_id"] for row in shown]),
            (self.vans, "name", [row["van_id"] for row in shown]),
        )

    def _slot_pieces(self, slot: Slot) -> int:
        """The pieces of a slot."""
        return sum(f["pieces"] for f in self._fillings_by_slot.get(slot["id"], {}).values())

    def _van_load(self, van: Van) -> int:
        """The load of a van."""
        return sum(c["pieces"] for c in self._crates_by_van.get(van["id"], {}).values())

    def _stop_at(self, m: Machine) -> Stop | None:
        return next(
            (s for s in sorted(self._stops_by_machine_status.get((m["id"], "here"), {}).values(), key=_age)),
            None,
        )

    def _next_stop(self, v: Van, d: str) -> Stop | None:
        return min(
            (s for s in self._stops_by_van_status.get((v["id"], "planned"), {}).values() if s["on"] == d),
            key=lambda s: (s["rank"], _age(s)),
            default=None,
        )

    def _room(self, s: Slot) -> int:
        return s["capacity"] - self._slot_pieces(s)

    def _in_van(self, v: Van, p: Product) -> int:
        return sum(
            c["pieces"]
            for c in self._crates_by_van_product.get((v["id"], p["id"]), {}).values()
            if c["use_by"] >= self.now[:10]
        )

    def _expired_in(self, m: Machine) -> int:
        return sum(
            f["pieces"]
            for _slot in self._slots_by_machine.get(m["id"], {}).values()
            for f in self._fillings_by_slot.get(_slot["id"], {}).values()
            if f["use_by"] < self.now[:10]
        )

    def _last_rank(self, v: Van, d: str) -> int:
        return (
            max((s["rank"] for s in self._stops_by_van.get(v["id"], {}).values() if s["on"] == d), default=None)
            if max(
                (s["rank"] for s in self._stops_by_van.get(v["id"], {}).values() if s["on"] == d),
                default=None,
            ) is not None
            else 0
        )

    def _breaks_rule_1(self, s: Slot) -> bool:
        """Whether this is broken: a slot never holds more than fits."""
        return self._slot_pieces(s) > s["capacity"]

    def _breaks_rule_2(self, f: Filling) -> bool:
        """Whether this is broken: a slot holds only the product it is meant for."""
        return f["product_id"] != self.slots[f["slot_id"]]["product_id"]

    def _breaks_rule_3(self, s: Slot) -> bool:
        """Whether this is broken: bulky products go into wide slots, and chilled ones into cooled machines."""
        return not (
            (s["wide"] or not self.products[s["product_id"]]["bulky"])
            and (self.machines[s["machine_id"]]["cooled"] or not self.products[s["product_id"]]["chilled"])
        )

    def _breaks_rule_4(self, a: Slot) -> bool:
        """Whether this is broken: a product has one price in a machine."""
        return any(
            a["price"] != b["price"]
            for b in self._slots_by_machine_product.get((a["machine_id"], a["product_id"]), {}).values()
        )

    def _breaks_rule_5(self, v: Van) -> bool:
        """Whether this is broken: a van never carries more pieces than it holds."""
        return self._van_load(v) > v["holds"]

    def _breaks_rule_6(self, s: Stop) -> bool:
        """Whether this is broken: a van stands at one machine at a time."""
        return (
            s["status"] == "here"
            and any(other_s is not s for other_s in self._stops_by_van_status.get((s["van_id"], "here"), {}).values())
        )

    def _breaks_rule_7(self, s: Stop) -> bool:
        """Whether this is broken: a machine is on one route at a time."""
        return (
            s["status"] != "done"
            and any(
                other_s is not s
                for other_s in self._stops_by_machine.get(s["machine_id"], {}).values()
                if other_s["status"] != "done"
            )
        )

    def _breaks_rule_8(self, s: Stop) -> bool:
        """Whether this is broken: no two stops of a van on a day have the same place in the route."""
        return any(
            other_s is not s
            for other_s in self._stops_by_van.get(s["van_id"], {}).values()
            if other_s["on"] == s["on"]
            and other_s["rank"] == s["rank"]
        )

    def _breaks_rule_9_a(self, a: Stop) -> bool:
        """Whether this is broken: a van keeps to the order of its route."""
        return (
            a["status"] != "planned"
            and any(
                a["rank"] >= b["rank"]
                for b in self._stops_by_van_status.get((a["van_id"], "planned"), {}).values()
                if a["on"] == b["on"]
            )
        )

    def _breaks_rule_9_b(self, b: Stop) -> bool:
        """Whether this is broken: a van keeps to the order of its route."""
        return (
            b["status"] == "planned"
            and any(
                a["rank"] >= b["rank"]
                for a in self._stops_by_van.get(b["van_id"], {}).values()
                if a["on"] == b["on"]
                and a["status"] != "planned"
            )
        )

    def _breaks_rule_10(self, m: Machine) -> bool:
        """Whether this is broken: a cash box never holds more than fits."""
        return m["cash"] > m["box"]

    def _breaks_rule_11(self, b: Bag) -> bool:
        """Whether this is broken: a bag was counted exactly when it is no longer sealed, and is short or over when
        the sum differs from what the machine reported.
        """
        return (
            (b["counted"] is not None) != (b["status"] != "sealed")
            or (b["status"] == "exact") != (b["counted"] == b["amount"])
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
            case "slots":
                self._slots_by_machine.setdefault(record["machine_id"], {})[record["id"]] = record
                self._slots_by_machine_product.setdefault(
                    (record["machine_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
            case "fillings":
                self._fillings_by_slot.setdefault(record["slot_id"], {})[record["id"]] = record
            case "crates":
                self._crates_by_van.setdefault(record["van_id"], {})[record["id"]] = record
                self._crates_by_van_product.setdefault(
                    (record["van_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
            case "stops":
                self._stops_by_machine.setdefault(record["machine_id"], {})[record["id"]] = record
                self._stops_by_machine_status.setdefault(
                    (record["machine_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._stops_by_van.setdefault(record["van_id"], {})[record["id"]] = record
                self._stops_by_van_status.setdefault((record["van_id"], record["status"]), {})[record["id"]] = record
            case "bags":
                self._bags_by_seal.setdefault(record["seal"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "slots":
                del self._slots_by_machine[record["machine_id"]][record["id"]]
                del self._slots_by_machine_product[record["machine_id"], record["product_id"]][record["id"]]
            case "fillings":
                del self._fillings_by_slot[record["slot_id"]][record["id"]]
            case "crates":
                del self._crates_by_van[record["van_id"]][record["id"]]
                del self._crates_by_van_product[record["van_id"], record["product_id"]][record["id"]]
            case "stops":
                del self._stops_by_machine[record["machine_id"]][record["id"]]
                del self._stops_by_machine_status[record["machine_id"], record["status"]][record["id"]]
                del self._stops_by_van[record["van_id"]][record["id"]]
                del self._stops_by_van_status[record["van_id"], record["status"]][record["id"]]
            case "bags":
                del self._bags_by_seal[record["seal"]][record["id"]]
