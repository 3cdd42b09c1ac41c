"""Food bank. Compiled from blueprint.yaml; run `envscaler build food_bank` after changing it there.

Takes donated food in as lots, has volunteers sort it, hands it to households against monthly points, packs the
orders of agencies and deals with recalls.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No more of a lot is set aside than there is of it.",
    "A household spends no more points in a month than its size allows.",
    "Nobody is given food that they must avoid.",
    "A packed or collected order is complete, and no other order has anything set aside.",
    "An order is filled with the product that was ordered, good until the day it is needed.",
    "Only sorted lots that were not recalled are set aside for agencies.",
    "Frozen food goes to agencies with a freezer only.",
    "An agency has at most one order under way for a product.",
    "Fresh and frozen food is sorted by volunteers with a food hygiene card.",
    "A volunteer sorts at most four lots a day.",
    "A volunteer's sorting always has a day.",
    "Households and agencies are warned about recalled lots only.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_lot",
    "sort_lot",
    "hand_out",
    "register_household",
    "renew_registration",
    "place_order",
    "pack_order",
    "collect_order",
    "cancel_order",
    "recall_lot",
    "warn_recipient",
    "discard_lot",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "products": ("name",),
    "volunteers": ("name",),
    "lots": ("code",),
    "households": ("name",),
    "handouts": (),
    "agencies": ("name",),
    "orders": (),
    "picks": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("handouts", "household_id"),
    ("handouts", "lot_id"),
    ("households", "name"),
    ("lots", "code"),
    ("lots", "product_id"),
    ("lots", "sorted_by_id"),
    ("orders", "agency_id"),
    ("orders", "product_id"),
    ("picks", "lot_id"),
    ("picks", "order_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Product(TypedDict):
    id: str
    name: str
    kind: Literal["dry", "fresh", "frozen", "hygiene"]
    points: int
    contains: list[Literal["gluten", "milk", "nuts", "pork"]]


class Volunteer(TypedDict):
    id: str
    name: str
    food_card: bool


class Lot(TypedDict):
    id: str
    code: str
    product_id: str
    donor: str
    best_before: str
    quantity: int
    sorted_by_id: str | None
    sorted_on: str | None
    status: Literal["unsorted", "shelved", "discarded", "recalled"]


class Household(TypedDict):
    id: str
    name: str
    people: int
    avoids: list[Literal["gluten", "milk", "nuts", "pork"]]
    registered_until: str


class Handout(TypedDict):
    id: str
    household_id: str
    lot_id: str
    quantity: int
    handed_on: str
    warned: bool


class Agency(TypedDict):
    id: str
    name: str
    freezer: bool


class Order(TypedDict):
    id: str
    agency_id: str
    product_id: str
    quantity: int
    needed_on: str
    status: Literal["open", "packed", "cancelled", "collected"]


class Pick(TypedDict):
    id: str
    order_id: str
    lot_id: str
    quantity: int
    warned: bool


class HandOutLine(TypedDict):
    product_id: str
    quantity: Annotated[int, {"minimum": 1, "maximum": 60}]


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


class FoodBank:
    """Takes donated food in as lots, has volunteers sort it, hands it to households against monthly
    points, packs the orders of agencies and deals with recalls.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.volunteers: dict[str, Volunteer] = _copied(config.get("volunteers", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.households: dict[str, Household] = _copied(config.get("households", {}))
        self.handouts: dict[str, Handout] = _copied(config.get("handouts", {}))
        self.agencies: dict[str, Agency] = _copied(config.get("agencies", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.picks: dict[str, Pick] = _copied(config.get("picks", {}))
        self.now: str = config.get("now", "2026-03-18T08:30")
        self.counters: dict[str, int] = {
            "product": len(self.products),
            "volunteer": len(self.volunteers),
            "lot": len(self.lots),
            "household": len(self.households),
            "handout": len(self.handouts),
            "agency": len(self.agencies),
            "order": len(self.orders),
            "pick": len(self.picks),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lots_by_code: dict[Any, dict[str, Lot]] = {}
        self._lots_by_product: dict[Any, dict[str, Lot]] = {}
        self._lots_by_sorted_by: dict[Any, dict[str, Lot]] = {}
        self._households_by_name: dict[Any, dict[str, Household]] = {}
        self._handouts_by_household: dict[Any, dict[str, Handout]] = {}
        self._handouts_by_lot: dict[Any, dict[str, Handout]] = {}
        self._orders_by_agency_product: dict[Any, dict[str, Order]] = {}
        self._picks_by_lot: dict[Any, dict[str, Pick]] = {}
        self._picks_by_order: dict[Any, dict[str, Pick]] = {}
        for lot in self.lots.values():
            self._link("lots", lot)
        for household in self.households.values():
            self._link("households", household)
        for handout in self.handouts.values():
            self._link("handouts", handout)
        for order in self.orders.values():
            self._link("orders", order)
        for pick in self.picks.values():
            self._link("picks", pick)

    def points_account(self, household_id: str) -> Result:
        """How many points a household has this month and how many are left.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.

        Returns:
            dict: {"success": True, "data": {allowance, left, registered_until, avoids}} or {"success": False,
                "error": why not}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        return _found(
            {
                "allowance": self._household_allowance(household),
                "left": self._points_left(household, self.now[:10]),
                "registered_until": household["registered_until"],
                "avoids": [*household["avoids"]],
            }
        )

    def still_to_warn(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Handouts from recalled lots whose households were not warned yet.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "handouts": records}} or {"success": False, "error": why
                not}
        """
        found = [
            x
            for x in self.handouts.values()
            if (self.lots[x["lot_id"]]["status"] == "recalled" and not x["warned"])
        ]
        found.sort(
            key=lambda x: (
                self.lots[x["lot_id"]]["code"],
                self.households[x["household_id"]]["name"],
                x["id"],
                _age(x),
            )
        )
        return _found(
            {
                "total": len(found),
                "handouts": [
                    {
                        "id": x["id"],
                        "lot": self.lots[x["lot_id"]]["code"],
                        "product": self.products[self.lots[x["lot_id"]]["product_id"]]["name"],
                        "household": self.households[x["household_id"]]["name"],
                        "quantity": x["quantity"],
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_products(
        self,
        name: Text | None = None,
        kind: Literal["dry", "fresh", "frozen", "hygiene"] | None = None,
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

    def list_volunteers(
        self,
        name: Text | None = None,
        food_card: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the volunteers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only volunteers whose name contains this text.
            food_card (bool, optional): Only volunteers with this value of `food_card`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "volunteers": records}}
        """
        found = [
            volunteer
            for volunteer in self.volunteers.values()
            if (name is None or name.casefold() in volunteer["name"].casefold())
            and (food_card is None or volunteer["food_card"] == food_card)
        ]
        return _found({"total": len(found), "volunteers": [{**volunteer} for volunteer in _page(found, offset)]})

    def list_lots(
        self,
        code: Text | None = None,
        product_id: str | None = None,
        sorted_by_id: str | None = None,
        status: Literal["unsorted", "shelved", "discarded", "recalled"] | None = None,
        best_before_from: Date | None = None,
        best_before_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lots whose code contains this text.
            product_id (str, optional): Only lots of this product.
            sorted_by_id (str, optional): Only lots sorted by this volunteer.
            status (str, optional): Only lots with this status.
            best_before_from (str, optional): Only lots whose `best_before` is on this day or later.
            best_before_to (str, optional): Only lots whose `best_before` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        if sorted_by_id is not None and sorted_by_id not in self.volunteers:
            return _refused(f"There is no volunteer {sorted_by_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (code is None or code.casefold() in lot["code"].casefold())
            and (product_id is None or lot["product_id"] == product_id)
            and (sorted_by_id is None or lot["sorted_by_id"] == sorted_by_id)
            and (status is None or lot["status"] == status)
            and (best_before_from is None or lot["best_before"] >= best_before_from)
            and (best_before_to is None or lot["best_before"] <= best_before_to)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_households(
        self,
        name: Text | None = None,
        registered_until_from: Date | None = None,
        registered_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the households, oldest first, all of them or only some.

        Args:
            name (str, optional): Only households whose name contains this text.
            registered_until_from (str, optional): Only households whose `registered_until` is on this day or
                later.
            registered_until_to (str, optional): Only households whose `registered_until` is on this day or
                earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}}
        """
        found = [
            household
            for household in self.households.values()
            if (name is None or name.casefold() in household["name"].casefold())
            and (registered_until_from is None or household["registered_until"] >= registered_until_from)
            and (registered_until_to is None or household["registered_until"] <= registered_until_to)
        ]
        return _found(
            {
                "total": len(found),
                "households": [self._show_household(household) for household in _page(found, offset)],
            }
        )

    def list_handouts(
        self,
        household_id: str | None = None,
        lot_id: str | None = None,
        warned: bool | None = None,
        handed_on_from: Date | None = None,
        handed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the handouts, oldest first, all of them or only some.

        Args:
            household_id (str, optional): Only handouts of this household.
            lot_id (str, optional): Only handouts of this lot.
            warned (bool, optional): Only handouts that are warned (true) or not (false).
            handed_on_from (str, optional): Only handouts whose `handed_on` is on this day or later.
            handed_on_to (str, optional): Only handouts whose `handed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "handouts": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            handout
            for handout in self.handouts.values()
            if (household_id is None or handout["household_id"] == household_id)
            and (lot_id is None or handout["lot_id"] == lot_id)
            and (warned is None or handout["warned"] == warned)
            and (handed_on_from is None or handout["handed_on"] >= handed_on_from)
            and (handed_on_to is None or handout["handed_on"] <= handed_on_to)
        ]
        shown = [self._show_handout(handout) for handout in _page(found, offset)]
        return _found({"total": len(found), "handouts": shown}, self._names_of_handouts(shown))

    def list_agencies(
        self,
        name: Text | None = None,
        freezer: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the agencies, oldest first, all of them or only some.

        Args:
            name (str, optional): Only agencies whose name contains this text.
            freezer (bool, optional): Only agencies with this value of `freezer`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "agencies": records}}
        """
        found = [
            agency
            for agency in self.agencies.values()
            if (name is None or name.casefold() in agency["name"].casefold())
            and (freezer is None or agency["freezer"] == freezer)
        ]
        return _found({"total": len(found), "agencies": [{**agency} for agency in _page(found, offset)]})

    def list_orders(
        self,
        agency_id: str | None = None,
        product_id: str | None = None,
        status: Literal["open", "packed", "cancelled", "collected"] | None = None,
        needed_on_from: Date | None = None,
        needed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            agency_id (str, optional): Only orders of this agency.
            product_id (str, optional): Only orders of this product.
            status (str, optional): Only orders with this status.
            needed_on_from (str, optional): Only orders whose `needed_on` is on this day or later.
            needed_on_to (str, optional): Only orders whose `needed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if agency_id is not None and agency_id not in self.agencies:
            return _refused(f"There is no agency {agency_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (agency_id is None or order["agency_id"] == agency_id)
            and (product_id is None or order["product_id"] == product_id)
            and (status is None or order["status"] == status)
            and (needed_on_from is None or order["needed_on"] >= needed_on_from)
            and (needed_on_to is None or order["needed_on"] <= needed_on_to)
        ]
        shown = [{**order} for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_picks(
        self,
        order_id: str | None = None,
        lot_id: str | None = None,
        warned: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the picks, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only picks of this order.
            lot_id (str, optional): Only picks of this lot.
            warned (bool, optional): Only picks that are warned (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "picks": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            pick
            for pick in self.picks.values()
            if (order_id is None or pick["order_id"] == order_id)
            and (lot_id is None or pick["lot_id"] == lot_id)
            and (warned is None or pick["warned"] == warned)
        ]
        shown = [{**pick} for pick in _page(found, offset)]
        return _found({"total": len(found), "picks": shown}, self._names_of_picks(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_lot(
        self,
        code: Text,
        product_id: str,
        donor: Text,
        quantity: Annotated[int, {"minimum": 1, "maximum": 500}],
        best_before: Date,
    ) -> Result:
        """Book in a donated lot, which waits to be sorted.

        Args:
            code (str): Code of the new lot, not in use yet.
            product_id (str): Id of the product, such as PRODUCT-00001.
            donor (str): Name of the person or company that gave it.
            quantity (int): Units of the product in the lot, from 1 to 500.
            best_before (str): Best before date of the lot, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if self._lots_by_code.get(code, {}):
            return _refused(f"There is a lot {code} already.")
        if best_before <= self.now[:10]:
            return _refused(f"{product['name']} from {donor} were good until {best_before}, so do not take them in.")
        self._journal = []
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "code": code,
            "product_id": product_id,
            "donor": donor,
            "best_before": best_before,
            "quantity": quantity,
            "sorted_by_id": None,
            "sorted_on": None,
            "status": "unsorted",
        }
        self._add("lots", lot)
        if len(self._lots_by_code.get(lot["code"], {})) > 1:
            return self._take_back(f"There is already a lot with the code {lot['code']!r}.")
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_9(lot):
            return self._take_back(RULES[8])
        for one_lot in _distinct(
            [
                lot,
                *[
                    user
                    for one in [self.volunteers.get(lot["sorted_by_id"])]
                    if one is not None
                    for user in self._lots_by_sorted_by.get(lot["sorted_by_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_lot):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: receive lot {code} with {quantity} {product['name']} from {donor} (new: lot {lot['id']})."
            ),
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def sort_lot(
        self,
        lot_id: str,
        volunteer_id: str,
        damaged: Annotated[int, {"minimum": 0, "maximum": 100}] = 0,
    ) -> Result:
        """Have a volunteer sort a lot and put what is sound on the shelf.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            volunteer_id (str): Id of the volunteer, such as VOLUNTEER-00001.
            damaged (int): Units that were damaged and are taken out, never all, from 0 to 100. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        volunteer = self.volunteers.get(volunteer_id)
        if volunteer is None:
            return _refused(f"There is no volunteer {volunteer_id!r}.")
        if lot["status"] != "unsorted":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        if not volunteer["food_card"] and self.products[lot["product_id"]]["kind"] not in ("dry", "hygiene"):
            return _refused(
                f"{volunteer['name']} has no food hygiene card and may not sort "
                f"{self.products[lot['product_id']]['kind']} food."
            )
        done = sum(
            1
            for each in self._lots_by_sorted_by.get(volunteer_id, {}).values()
            if each["sorted_on"] == self.now[:10]
        )
        if done >= 4:
            return _refused(f"{volunteer['name']} has sorted {done} lots today, which is the limit.")
        if damaged >= lot["quantity"]:
            return _refused(f"Lot {lot['code']} has {lot['quantity']}, so if all is damaged discard it instead.")
        self._journal = []
        quantity = lot["quantity"] - damaged
        if not 0 <= quantity <= 500:
            return self._take_back(f"The quantity of {lot['code']} must be between 0 and 500.")
        self._put("lots", lot, "quantity", quantity)
        former_sorted_by_id = lot["sorted_by_id"]
        self._put("lots", lot, "sorted_by_id", volunteer_id)
        self._put("lots", lot, "sorted_on", self.now[:10])
        self._put("lots", lot, "status", "shelved")
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        for one_pick in _distinct(self._picks_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_6(one_pick):
                return self._take_back(RULES[5])
        if self._breaks_rule_9(lot):
            return self._take_back(RULES[8])
        for one_lot in _distinct(
            [
                lot,
                *[
                    user
                    for one in [self.volunteers.get(lot["sorted_by_id"])]
                    if one is not None
                    for user in self._lots_by_sorted_by.get(lot["sorted_by_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.volunteers.get(former_sorted_by_id)]
                    if one is not None
                    for user in self._lots_by_sorted_by.get(former_sorted_by_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_lot):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        for one_handout in _distinct(self._handouts_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_x(one_handout):
                return self._take_back(RULES[11])
        for one_pick in _distinct(self._picks_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: sort lot {lot['code']} with {volunteer['name']}, {damaged} damaged.",
            "data": self._changes(),
        }

    def hand_out(self, household_id: str, lines: Annotated[list[HandOutLine], {"maxItems": 20}]) -> Result:
        """Hand products to a household for its points; of each product what goes off first is taken.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            lines (list): One entry for each product, each product once: product_id: product that the household
                gets; an id such as PRODUCT-00001; quantity: units of the product, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["product_id"] not in self.products:
                return _refused(f"There is no product {entry['product_id']!r}.")
            lines.append({"product": self.products[entry["product_id"]], "quantity": entry["quantity"]})
        if not (len(lines) > 0 and _different([n["product"]["id"] for n in lines])):
            return _refused("Name at least one product, and each once.")
        if household["registered_until"] < self.now[:10]:
            return _refused(
                f"The registration of {household['name']} ended on {household['registered_until']}, so renew it "
                "first."
            )
        wrong = next((n for n in lines if self._must_avoid(household, n["product"])), None)
        if wrong is not None:
            return _refused(f"{household['name']} must avoid {wrong['product']['name']}.")
        short = next((n for n in lines if self._stock(n["product"], self.now[:10]) < n["quantity"]), None)
        if short is not None:
            return _refused(
                f"There are only {self._stock(short['product'], self.now[:10])} {short['product']['name']} that "
                "could be handed out."
            )
        cost = sum(n["quantity"] * n["product"]["points"] for n in lines)
        if cost > self._points_left(household, self.now[:10]):
            return _refused(
                f"That is {cost} points and {household['name']} has {self._points_left(household, self.now[:10])} "
                "left this month."
            )
        self._journal = []
        added_handouts: list[Any] = []
        changed_lots: list[Any] = []
        for n in sorted(lines, key=lambda n: (n["product"]["name"],)):
            missing = n["quantity"]
            for l in sorted(
                self._usable(n["product"], self.now[:10]),
                key=lambda l: (l["best_before"], l["code"], _age(l)),
            ):
                part = min(missing, self._lot_free(l))
                if part > 0:
                    if not 1 <= part <= 60:
                        return self._take_back("The quantity of a handout must be between 1 and 60.")
                    handout = {
                        "id": self._new_id("handout", "HANDOUT", self.handouts),
                        "household_id": household_id,
                        "lot_id": l["id"],
                        "quantity": part,
                        "handed_on": self.now[:10],
                        "warned": False,
                    }
                    self._add("handouts", handout)
                    added_handouts.append(handout)
                    quantity = l["quantity"] - part
                    if not 0 <= quantity <= 500:
                        return self._take_back(f"The quantity of {l['code']} must be between 0 and 500.")
                    changed_lots.append(l)
                    self._put("lots", l, "quantity", quantity)
                    missing = missing - part
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_handout in _distinct(
            [
                *added_handouts,
                *[
                    user
                    for one in [self.households[one["household_id"]] for one in added_handouts]
                    for user in self._handouts_by_household.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_handout):
                return self._take_back(RULES[1])
        for one_handout in _distinct(added_handouts):
            if self._breaks_rule_3(one_handout):
                return self._take_back(RULES[2])
        for one_handout in _distinct(added_handouts):
            if self._breaks_rule_12_x(one_handout):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: hand {len(lines)} products to {household['name']}.",
            "data": self._changes(),
        }

    def register_household(
        self,
        name: Text,
        people: Annotated[int, {"minimum": 1, "maximum": 9}],
        until: Date,
        avoids: Annotated[list[Literal["gluten", "milk", "nuts", "pork"]], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Register a household after its papers were seen.

        Args:
            name (str): Name of the household, not in use yet.
            people (int): People who live in the household, from 1 to 9.
            until (str): Last day of the registration, within 12 months, as YYYY-MM-DD.
            avoids (list): What the household must not or will not eat: gluten, milk, nuts or pork. May be left
                out.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        avoids = avoids or []
        if self._households_by_name.get(name, {}):
            return _refused(f"{name} is registered already.")
        if not _different([a for a in avoids]):
            return _refused("Name each thing to avoid only once.")
        if self.now[:10] >= until or until > _add_months(self.now[:10], 12):
            return _refused(
                f"A registration ends between {_plus_days(self.now[:10], 1)} and {_add_months(self.now[:10], 12)}."
            )
        self._journal = []
        household: Household = {
            "id": self._new_id("household", "HOUSEHOLD", self.households),
            "name": name,
            "people": people,
            "avoids": [*avoids],
            "registered_until": until,
        }
        self._add("households", household)
        if len(self._households_by_name.get(household["name"], {})) > 1:
            return self._take_back(f"There is already a household with the name {household['name']!r}.")
        return {
            "success": True,
            "message": f"Done: register {name} until {until} (new: household {household['id']}).",
            "data": {"household_id": household["id"], **self._changes()},
        }

    def renew_registration(self, household_id: str, until: Date) -> Result:
        """Extend the registration of a household after its papers were seen.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            until (str): New last day of the registration, within 12 months from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if until <= self.now[:10] or until > _add_months(self.now[:10], 12):
            return _refused(
                f"A registration is extended until a day between {_plus_days(self.now[:10], 1)} and "
                f"{_add_months(self.now[:10], 12)}."
            )
        if until <= household["registered_until"]:
            return _refused(f"{household['name']} is registered until {household['registered_until']} already.")
        self._journal = []
        self._put("households", household, "registered_until", until)
        return {
            "success": True,
            "message": f"Done: renew the registration of {household['name']} until {until}.",
            "data": self._changes(),
        }

    def place_order(
        self,
        agency_id: str,
        product_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 200}],
        needed_on: Date,
    ) -> Result:
        """Take the order of an agency for a product.

        Args:
            agency_id (str): Id of the agency, such as AGENCY-00001.
            product_id (str): Id of the product, such as PRODUCT-00001.
            quantity (int): Units of the product that the agency wants, from 1 to 200.
            needed_on (str): Day on which they are needed, within 30 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        agency = self.agencies.get(agency_id)
        if agency is None:
            return _refused(f"There is no agency {agency_id!r}.")
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if product["kind"] == "frozen" and not agency["freezer"]:
            return _refused(f"{agency['name']} has no freezer for {product['name']}.")
        if self.now[:10] > needed_on or needed_on > _plus_days(self.now[:10], 30):
            return _refused(
                f"Orders are taken for {self.now[:10]} to {_plus_days(self.now[:10], 30)}, not for {needed_on}."
            )
        other = next(
            (
                o
                for o in sorted(self._orders_by_agency_product.get((agency_id, product_id), {}).values(), key=_age)
                if self._wanted(o)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{agency['name']} has an order for {other['quantity']} {product['name']} under way already."
            )
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "agency_id": agency_id,
            "product_id": product_id,
            "quantity": quantity,
            "needed_on": needed_on,
            "status": "open",
        }
        self._add("orders", order)
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: order {quantity} {product['name']} for {agency['name']} on {needed_on} (new: order "
                f"{order['id']})."
            ),
            "data": {"order_id": order["id"], **self._changes()},
        }

    def pack_order(self, order_id: str) -> Result:
        """Set an order aside, from the lots that go off first but are good on the day the order is needed.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "open":
            return _refused(f"The order of {self.agencies[order['agency_id']]['name']} is {order['status']}.")
        there = self._stock(self.products[order["product_id"]], order["needed_on"])
        if there < order["quantity"]:
            return _refused(
                f"Only {there} of the {order['quantity']} {self.products[order['product_id']]['name']} are free "
                f"and good until {order['needed_on']}."
            )
        self._journal = []
        added_picks: list[Any] = []
        missing = order["quantity"]
        self._put("orders", order, "status", "packed")
        for l in sorted(
            self._usable(self.products[order["product_id"]], order["needed_on"]),
            key=lambda l: (l["best_before"], l["code"], _age(l)),
        ):
            part = min(missing, self._lot_free(l))
            if part > 0:
                if not 1 <= part <= 200:
                    return self._take_back("The quantity of a pick must be between 1 and 200.")
                pick = {
                    "id": self._new_id("pick", "PICK", self.picks),
                    "order_id": order_id,
                    "lot_id": l["id"],
                    "quantity": part,
                    "warned": False,
                }
                self._add("picks", pick)
                added_picks.append(pick)
                missing = missing - part
        for one_lot in _distinct(
            [
                *[self.lots[one["lot_id"]] for one in self._picks_by_order.get(order["id"], {}).values()],
                *[self.lots[one["lot_id"]] for one in added_picks],
            ]
        ):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_order in _distinct([order, *[self.orders[one["order_id"]] for one in added_picks]]):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_pick in _distinct(added_picks):
            if self._breaks_rule_5(one_pick):
                return self._take_back(RULES[4])
        for one_pick in _distinct([*self._picks_by_order.get(order["id"], {}).values(), *added_picks]):
            if self._breaks_rule_6(one_pick):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        for one_pick in _distinct([*self._picks_by_order.get(order["id"], {}).values(), *added_picks]):
            if self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: pack the order of {self.agencies[order['agency_id']]['name']} for "
                f"{self.products[order['product_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def collect_order(self, order_id: str) -> Result:
        """Let an agency take its packed order away.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "packed":
            return _refused(f"The order of {self.agencies[order['agency_id']]['name']} is {order['status']}.")
        bad = next(
            (
                p
                for p in sorted(self._picks_by_order.get(order_id, {}).values(), key=_age)
                if self.lots[p["lot_id"]]["best_before"] < self.now[:10]
            ),
            None,
        )
        if bad is not None:
            return _refused(
                f"Lot {self.lots[bad['lot_id']]['code']} was good until "
                f"{self.lots[bad['lot_id']]['best_before']}, so cancel the order and start anew."
            )
        self._journal = []
        changed_lots: list[Any] = []
        for p in sorted(self._picks_by_order.get(order_id, {}).values(), key=_age):
            lot = self.lots[p["lot_id"]]
            quantity = self.lots[p["lot_id"]]["quantity"] - p["quantity"]
            if not 0 <= quantity <= 500:
                return self._take_back(f"The quantity of {lot['code']} must be between 0 and 500.")
            changed_lots.append(lot)
            self._put("lots", lot, "quantity", quantity)
        self._put("orders", order, "status", "collected")
        for one_lot in _distinct(
            [*changed_lots, *[self.lots[one["lot_id"]] for one in self._picks_by_order.get(order["id"], {}).values()]]
        ):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        for one_pick in _distinct(self._picks_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_6(one_pick):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        for one_pick in _distinct(self._picks_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: give {self.agencies[order['agency_id']]['name']} the order for "
                f"{self.products[order['product_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an order and free what was set aside for it.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if not self._wanted(order):
            return _refused(f"The order of {self.agencies[order['agency_id']]['name']} is {order['status']}.")
        self._journal = []
        deleted_picks: list[Any] = []
        for p in sorted(self._picks_by_order.get(order_id, {}).values(), key=_age):
            if p["id"] in self.picks:
                self._remove("picks", p)
            deleted_picks.append(p)
        if order["status"] not in ("open", "packed", "cancelled"):
            return self._take_back(f"Order {order['id']} cannot go from {order['status']} to cancelled.")
        self._put("orders", order, "status", "cancelled")
        for one_lot in _distinct(
            [
                *[self.lots[one["lot_id"]] for one in deleted_picks],
                *[self.lots[one["lot_id"]] for one in self._picks_by_order.get(order["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_order in _distinct([order, *[self.orders[one["order_id"]] for one in deleted_picks]]):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_pick in _distinct(self._picks_by_order.get(order["id"], {}).values()):
            if one_pick["id"] in self.picks and self._breaks_rule_6(one_pick):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        for one_pick in _distinct(self._picks_by_order.get(order["id"], {}).values()):
            if one_pick["id"] in self.picks and self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the order of {self.agencies[order['agency_id']]['name']} for "
                f"{self.products[order['product_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def recall_lot(self, lot_id: str) -> Result:
        """Take a recalled lot off the shelf; orders that were packed from it are open again.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "shelved":
            return _refused(f"Lot {lot['code']} is {lot['status']}.")
        self._journal = []
        deleted_picks: list[Any] = []
        changed_orders: list[Any] = []
        hit = [
            self.orders[p["order_id"]]
            for p in sorted(self._picks_by_lot.get(lot_id, {}).values(), key=_age)
            if self.orders[p["order_id"]]["status"] == "packed"
        ]
        for o in list(hit):
            for p in sorted(self._picks_by_order.get(o["id"], {}).values(), key=_age):
                if p["id"] in self.picks:
                    self._remove("picks", p)
                deleted_picks.append(p)
            if o["status"] not in ("open", "packed"):
                return self._take_back(f"Order {o['id']} cannot go from {o['status']} to open.")
            changed_orders.append(o)
            self._put("orders", o, "status", "open")
        self._put("lots", lot, "status", "recalled")
        for one_lot in _distinct(
            [
                *[self.lots[one["lot_id"]] for one in deleted_picks],
                *[
                    self.lots[one["lot_id"]]
                    for one in [
                        user
                        for one in changed_orders
                        for user in self._picks_by_order.get(one["id"], {}).values()
                    ]
                ],
            ]
        ):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_order in _distinct([*[self.orders[one["order_id"]] for one in deleted_picks], *changed_orders]):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_pick in _distinct(
            [
                *[user for one in changed_orders for user in self._picks_by_order.get(one["id"], {}).values()],
                *self._picks_by_lot.get(lot["id"], {}).values(),
            ]
        ):
            if one_pick["id"] in self.picks and self._breaks_rule_6(one_pick):
                return self._take_back(RULES[5])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_handout in _distinct(self._handouts_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_x(one_handout):
                return self._take_back(RULES[11])
        for one_pick in _distinct(
            [
                *[user for one in changed_orders for user in self._picks_by_order.get(one["id"], {}).values()],
                *self._picks_by_lot.get(lot["id"], {}).values(),
            ]
        ):
            if one_pick["id"] in self.picks and self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: recall lot {lot['code']}.", "data": self._changes()}

    def warn_recipient(self, handout_id: str | None = None, pick_id: str | None = None) -> Result:
        """Note that a household or an agency was warned about something it got from a recalled lot.

        Args:
            handout_id (str, optional): Handout from the recalled lot, for a household; an id such as
                HANDOUT-00001. If left out, a pick must be named.
            pick_id (str, optional): Collected pick from the recalled lot, for an agency; an id such as PICK-00001.
                If left out, a handout must be named.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        handout = self.handouts.get(handout_id) if handout_id is not None else None
        if handout_id is not None and handout is None:
            return _refused(f"There is no handout {handout_id!r}.")
        pick = self.picks.get(pick_id) if pick_id is not None else None
        if pick_id is not None and pick is None:
            return _refused(f"There is no pick {pick_id!r}.")
        if (handout_id is None) == (pick_id is None):
            return _refused("Name either the handout of a household or the pick of an agency.")
        if handout_id is not None and self.lots[handout["lot_id"]]["status"] != "recalled":
            return _refused(
                f"Lot {self.lots[handout['lot_id']]['code']} is {self.lots[handout['lot_id']]['status']}, not "
                "recalled."
            )
        if handout_id is not None and handout["warned"]:
            return _refused(
                f"{self.households[handout['household_id']]['name']} was warned about lot "
                f"{self.lots[handout['lot_id']]['code']} already."
            )
        if pick_id is not None and self.lots[pick["lot_id"]]["status"] != "recalled":
            return _refused(
                f"Lot {self.lots[pick['lot_id']]['code']} is {self.lots[pick['lot_id']]['status']}, not recalled."
            )
        if pick_id is not None and self.orders[pick["order_id"]]["status"] != "collected":
            return _refused(
                f"The order of {self.agencies[self.orders[pick['order_id']]['agency_id']]['name']} is "
                f"{self.orders[pick['order_id']]['status']}, so they have nothing of it."
            )
        if pick_id is not None and pick["warned"]:
            return _refused(
                f"{self.agencies[self.orders[pick['order_id']]['agency_id']]['name']} was warned about lot "
                f"{self.lots[pick['lot_id']]['code']} already."
            )
        self._journal = []
        changed_handouts: list[Any] = []
        changed_picks: list[Any] = []
        if handout_id is not None:
            changed_handouts.append(handout)
            self._put("handouts", handout, "warned", True)
        if pick_id is not None:
            changed_picks.append(pick)
            self._put("picks", pick, "warned", True)
        for one_handout in _distinct(changed_handouts):
            if self._breaks_rule_12_x(one_handout):
                return self._take_back(RULES[11])
        for one_pick in _distinct(changed_picks):
            if self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {"success": True, "message": "Done: note a warning about a recalled lot.", "data": self._changes()}

    def discard_lot(self, lot_id: str) -> Result:
        """Throw away what is left of a lot.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] == "discarded":
            return _refused(f"Lot {lot['code']} was discarded already.")
        if lot["quantity"] <= 0:
            return _refused(f"Nothing is left of lot {lot['code']}.")
        if self._lot_reserved(lot) != 0:
            return _refused(
                f"{self._lot_reserved(lot)} of lot {lot['code']} are set aside for agencies, so cancel those "
                "orders first."
            )
        unwarned = next(
            (
                x
                for x in sorted(self._handouts_by_lot.get(lot_id, {}).values(), key=_age)
                if lot["status"] == "recalled"
                and not x["warned"]
            ),
            None,
        )
        if unwarned is not None:
            return _refused(
                f"{self.households[unwarned['household_id']]['name']} must be warned before lot {lot['code']} is "
                "thrown away."
            )
        unaware = next(
            (
                p
                for p in sorted(self._picks_by_lot.get(lot_id, {}).values(), key=_age)
                if lot["status"] == "recalled"
                and self.orders[p["order_id"]]["status"] == "collected"
                and not p["warned"]
            ),
            None,
        )
        if unaware is not None:
            return _refused(
                f"{self.agencies[self.orders[unaware['order_id']]['agency_id']]['name']} must be warned before "
                f"lot {lot['code']} is thrown away."
            )
        self._journal = []
        self._put("lots", lot, "quantity", 0)
        self._put("lots", lot, "status", "discarded")
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        for one_pick in _distinct(self._picks_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_6(one_pick):
                return self._take_back(RULES[5])
        for one_handout in _distinct(self._handouts_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_x(one_handout):
                return self._take_back(RULES[11])
        for one_pick in _distinct(self._picks_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_p(one_pick):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: discard lot {lot['code']}.", "data": self._changes()}

    def _show_product(self, product: Product) -> dict[str, Any]:
        """The product as an answer shows it."""
        return {**product, "contains": [*product["contains"]], "in_stock": self._product_in_stock(product)}

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "reserved": self._lot_reserved(lot), "free": self._lot_free(lot)}

    def _show_household(self, household: Household) -> dict[str, Any]:
        """The household as an answer shows it."""
        return {**household, "avoids": [*household["avoids"]], "allowance": self._household_allowance(household)}

    def _show_handout(self, handout: Handout) -> dict[str, Any]:
        """The handout as an answer shows it."""
        return {**handout, "points": self._handout_points(handout)}

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names(
            (self.products, "name", [row["product_id"] for row in shown]),
            (self.volunteers, "name", [row["sorted_by_id"] for row in shown]),
        )

    def _names_of_handouts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that handouts point to."""
        return _names(
            (self.households, "name", [row["household_id"] for row in shown]),
            (self.lots, "code", [row["lot_id"] for row in shown]),
        )

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.agencies, "name", [row["agency_id"] for row in shown]),
            (self.products, "name", [row["product_id"] for row in shown]),
        )

    def _names_of_picks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that picks point to."""
        return _names((self.lots, "code", [row["lot_id"] for row in shown]))

    def _product_in_stock(self, product: Product) -> int:
        """The in stock of a product."""
        return sum(self._lot_free(l) for l in self._lots_by_product.get(product["id"], {}).values())

    def _lot_reserved(self, lot: Lot) -> int:
        """The reserved of a lot."""
        return sum(
            p["quantity"]
            for p in self._picks_by_lot.get(lot["id"], {}).values()
            if self.orders[p["order_id"]]["status"] == "packed"
        )

    def _lot_free(self, lot: Lot) -> int:
        """The free of a lot."""
        return lot["quantity"] - self._lot_reserved(lot) if lot["status"] == "shelved" else 0

    def _household_allowance(self, household: Household) -> int:
        """The allowance of a household."""
        return 16 + 8 * household["people"]

    def _handout_points(self, handout: Handout) -> int:
        """The points of a handout."""
        return handout["quantity"] * self.products[self.lots[handout["lot_id"]]["product_id"]]["points"]

    def _usable(self, p: Product, d: str) -> list[Lot]:
        return [
            l
            for l in sorted(self._lots_by_product.get(p["id"], {}).values(), key=_age)
            if self._lot_free(l) > 0
            and l["best_before"] >= d
        ]

    def _stock(self, p: Product, d: str) -> int:
        return sum(self._lot_free(l) for l in self._usable(p, d))

    def _points_left(self, h: Household, d: str) -> int:
        return (
            self._household_allowance(h)
            - sum(
                self._handout_points(x)
                for x in self._handouts_by_household.get(h["id"], {}).values()
                if x["handed_on"][:8] + "01" == d[:8] + "01"
            )
        )

    def _must_avoid(self, h: Household, p: Product) -> bool:
        return any(a in h["avoids"] for a in p["contains"])

    def _wanted(self, o: Order) -> bool:
        return o["status"] in ("open", "packed")

    def _breaks_rule_1(self, l: Lot) -> bool:
        """Whether this is broken: no more of a lot is set aside than there is of it."""
        return self._lot_reserved(l) > l["quantity"]

    def _breaks_rule_2(self, i: Handout) -> bool:
        """Whether this is broken: a household spends no more points in a month than its size allows."""
        return sum(
            self._handout_points(x)
            for x in self._handouts_by_household.get(i["household_id"], {}).values()
            if x["handed_on"][:8] + "01" == i["handed_on"][:8] + "01"
        ) > self._household_allowance(self.households[i["household_id"]])

    def _breaks_rule_3(self, x: Handout) -> bool:
        """Whether this is broken: nobody is given food that they must avoid."""
        return self._must_avoid(
            self.households[x["household_id"]],
            self.products[self.lots[x["lot_id"]]["product_id"]],
        )

    def _breaks_rule_4(self, o: Order) -> bool:
        """Whether this is broken: a packed or collected order is complete, and no other order has anything set aside.
        """
        return sum(
            p["quantity"]
            for p in self._picks_by_order.get(o["id"], {}).values()
        ) != (o["quantity"] if o["status"] in ("packed", "collected") else 0)

    def _breaks_rule_5(self, p: Pick) -> bool:
        """Whether this is broken: an order is filled with the product that was ordered, good until the day it is
        needed.
        """
        return (
            self.lots[p["lot_id"]]["product_id"] != self.orders[p["order_id"]]["product_id"]
            or self.lots[p["lot_id"]]["best_before"] < self.orders[p["order_id"]]["needed_on"]
        )

    def _breaks_rule_6(self, p: Pick) -> bool:
        """Whether this is broken: only sorted lots that were not recalled are set aside for agencies."""
        return self.orders[p["order_id"]]["status"] == "packed" and self.lots[p["lot_id"]]["status"] != "shelved"

    def _breaks_rule_7(self, o: Order) -> bool:
        """Whether this is broken: frozen food goes to agencies with a freezer only."""
        return self.products[o["product_id"]]["kind"] == "frozen" and not self.agencies[o["agency_id"]]["freezer"]

    def _breaks_rule_8(self, o: Order) -> bool:
        """Whether this is broken: an agency has at most one order under way for a product."""
        return (
            self._wanted(o)
            and any(
                other_o is not o
                for other_o in self._orders_by_agency_product.get((o["agency_id"], o["product_id"]), {}).values()
                if self._wanted(other_o)
            )
        )

    def _breaks_rule_9(self, l: Lot) -> bool:
        """Whether this is broken: fresh and frozen food is sorted by volunteers with a food hygiene card."""
        return (
            l["sorted_by_id"] is not None
            and not self.volunteers[l["sorted_by_id"]]["food_card"]
            and self.products[l["product_id"]]["kind"] not in ("dry", "hygiene")
        )

    def _breaks_rule_10(self, l: Lot) -> bool:
        """Whether this is broken: a volunteer sorts at most four lots a day."""
        return (
            l["sorted_by_id"] is not None
            and sum(
                1
                for m in self._lots_by_sorted_by.get(l["sorted_by_id"], {}).values()
                if m["sorted_on"] == l["sorted_on"]
            ) > 4
        )

    def _breaks_rule_11(self, l: Lot) -> bool:
        """Whether this is broken: a volunteer's sorting always has a day."""
        return (l["sorted_by_id"] is None) != (l["sorted_on"] is None)

    def _breaks_rule_12_x(self, x: Handout) -> bool:
        """Whether this is broken: households and agencies are warned about recalled lots only."""
        return x["warned"] and self.lots[x["lot_id"]]["status"] not in ("recalled", "discarded")

    def _breaks_rule_12_p(self, p: Pick) -> bool:
        """Whether this is broken: households and agencies are warned about recalled lots only."""
        return not (
            not p["warned"]
            or self.lots[p["lot_id"]]["status"] in ("recalled", "discarded")
            and self.orders[p["order_id"]]["status"] == "collected"
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
            case "lots":
                self._lots_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._lots_by_product.setdefault(record["product_id"], {})[record["id"]] = record
                self._lots_by_sorted_by.setdefault(record["sorted_by_id"], {})[record["id"]] = record
            case "households":
                self._households_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "handouts":
                self._handouts_by_household.setdefault(record["household_id"], {})[record["id"]] = record
                self._handouts_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
            case "orders":
                self._orders_by_agency_product.setdefault(
                    (record["agency_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
            case "picks":
                self._picks_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
                self._picks_by_order.setdefault(record["order_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lots":
                del self._lots_by_code[record["code"]][record["id"]]
                del self._lots_by_product[record["product_id"]][record["id"]]
                del self._lots_by_sorted_by[record["sorted_by_id"]][record["id"]]
            case "households":
                del self._households_by_name[record["name"]][record["id"]]
            case "handouts":
                del self._handouts_by_household[record["household_id"]][record["id"]]
                del self._handouts_by_lot[record["lot_id"]][record["id"]]
            case "orders":
                del self._orders_by_agency_product[record["agency_id"], record["product_id"]][record["id"]]
            case "picks":
                del self._picks_by_lot[record["lot_id"]][record["id"]]
                del self._picks_by_order[record["order_id"]][record["id"]]
