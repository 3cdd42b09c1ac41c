"""Warehouse stock. Compiled from blueprint.yaml; run `envscaler build warehouse_stock` after changing it there.

Runs the stock of a warehouse by batch and bin, with purchases and receipts, reservations for customer orders,
backorders, partial shipments, quarantine and counts.
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
    "A bin never holds more units than its capacity.",
    "Every item lies in a bin of the zone it must be stored in.",
    "A lot never has more units reserved than it holds.",
    "An order line never has more units shipped and reserved than were ordered.",
    "A reservation takes from a released lot of the ordered item.",
    "Nothing is reserved from a lot that expires before the order should ship.",
    "Only open and partly shipped orders hold reservations.",
    "An order is shipped when every line has been shipped in full, and not before.",
    "A batch has one expiry date and one status wherever it lies.",
    "A bin holds a batch of an item only once.",
    "Perishable items have an expiry date and others have none.",
    "A quarantined lot says what it is held for, and a released one is not held.",
    "An order names an item on one line only.",
    "A line reserves a lot only once.",
    "No more is received than was purchased, and a purchase is received when all of it is.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "place_order",
    "allocate_backorders",
    "ship_order",
    "cancel_order",
    "raise_purchase",
    "receive_purchase",
    "cancel_purchase",
    "move_stock",
    "quarantine_batch",
    "release_batch",
    "count_stock",
)
"""The methods that may change something; all others only read."""

PURCHASE_STATUS_MOVES = {
    ("ordered", "part_received"),
    ("ordered", "received"),
    ("ordered", "cancelled"),
    ("part_received", "received"),
    ("part_received", "closed"),
}

SALES_ORDER_STATUS_MOVES = {
    ("open", "part_shipped"),
    ("open", "shipped"),
    ("open", "cancelled"),
    ("part_shipped", "shipped"),
    ("part_shipped", "closed"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "items": ("name",),
    "bins": ("code",),
    "lots": (),
    "purchases": ("supplier",),
    "sales_orders": ("customer",),
    "order_lines": (),
    "reservations": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("lots", "bin_id"),
    ("lots", "item_id"),
    ("order_lines", "item_id"),
    ("order_lines", "order_id"),
    ("purchases", "item_id"),
    ("reservations", "line_id"),
    ("reservations", "lot_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Item(TypedDict):
    id: str
    name: str
    sku: str
    storage: Literal["ambient", "chilled", "hazardous"]
    perishable: bool
    reorder_point: int


class Bin(TypedDict):
    id: str
    code: str
    zone: Literal["ambient", "chilled", "hazardous"]
    capacity: int


class Lot(TypedDict):
    id: str
    batch: str
    item_id: str
    bin_id: str
    units: int
    received_on: str
    expires_on: str | None
    counted_on: str | None
    held_for: str | None
    status: Literal["released", "quarantined"]


class Purchase(TypedDict):
    id: str
    supplier: str
    item_id: str
    units: int
    received: int
    due_on: str
    status: Literal["ordered", "part_received", "received", "cancelled", "closed"]


class SalesOrder(TypedDict):
    id: str
    customer: str
    placed_on: str
    ship_by: str
    express: bool
    shipped_on: str | None
    status: Literal["open", "part_shipped", "shipped", "cancelled", "closed"]


class OrderLine(TypedDict):
    id: str
    order_id: str
    item_id: str
    units: int
    shipped: int


class Reservation(TypedDict):
    id: str
    line_id: str
    lot_id: str
    units: int


class PlaceOrderLine(TypedDict):
    item_id: str
    units: Annotated[int, {"minimum": 1, "maximum": 200}]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class WarehouseStock:
    """Runs the stock of a warehouse by batch and bin, with purchases and receipts, reservations for
    customer orders, backorders, partial shipments, quarantine and counts.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.bins: dict[str, Bin] = _copied(config.get("bins", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.purchases: dict[str, Purchase] = _copied(config.get("purchases", {}))
        self.sales_orders: dict[str, SalesOrder] = _copied(config.get("sales_orders", {}))
        self.order_lines: dict[str, OrderLine] = _copied(config.get("order_lines", {}))
        self.reservations: dict[str, Reservation] = _copied(config.get("reservations", {}))
        self.now: str = config.get("now", "2026-03-02T07:30")
        self.counters: dict[str, int] = {
            "item": len(self.items),
            "bin": len(self.bins),
            "lot": len(self.lots),
            "purchase": len(self.purchases),
            "sales_order": len(self.sales_orders),
            "order_line": len(self.order_lines),
            "reservation": len(self.reservations),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lots_by_bin: dict[Any, dict[str, Lot]] = {}
        self._lots_by_item: dict[Any, dict[str, Lot]] = {}
        self._lots_by_item_bin: dict[Any, dict[str, Lot]] = {}
        self._purchases_by_item: dict[Any, dict[str, Purchase]] = {}
        self._order_lines_by_item: dict[Any, dict[str, OrderLine]] = {}
        self._order_lines_by_order: dict[Any, dict[str, OrderLine]] = {}
        self._order_lines_by_order_item: dict[Any, dict[str, OrderLine]] = {}
        self._reservations_by_line: dict[Any, dict[str, Reservation]] = {}
        self._reservations_by_line_lot: dict[Any, dict[str, Reservation]] = {}
        self._reservations_by_lot: dict[Any, dict[str, Reservation]] = {}
        for lot in self.lots.values():
            self._link("lots", lot)
        for purchase in self.purchases.values():
            self._link("purchases", purchase)
        for order_line in self.order_lines.values():
            self._link("order_lines", order_line)
        for reservation in self.reservations.values():
            self._link("reservations", reservation)

    def low_stock(
        self,
        storage: Literal["ambient", "chilled", "hazardous"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Items whose free stock and open purchases, less backorders, are below the reorder point.

        Args:
            storage (str, optional): Sort of storage that the items need: ambient, chilled or hazardous. If left
                out, the items of every storage are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        found = [
            i
            for i in self.items.values()
            if (storage is None or i["storage"] == storage)
            and self._item_free(i) + self._item_on_order(i) - self._item_backordered(i) < i["reorder_point"]
        ]
        found.sort(
            key=lambda i: (
                self._item_free(i) + self._item_on_order(i) - self._item_backordered(i) - i["reorder_point"],
                i["name"],
                _age(i),
            )
        )
        return _found(
            {
                "total": len(found),
                "items": [
                    {
                        "id": i["id"],
                        "name": i["name"],
                        "sku": i["sku"],
                        "free": self._item_free(i),
                        "on_order": self._item_on_order(i),
                        "backordered": self._item_backordered(i),
                        "missing": i[
                            "reorder_point"
                        ] - self._item_free(i) - self._item_on_order(i) + self._item_backordered(i),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def backorders(
        self,
        item_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Order lines that wait for stock, in the order in which they are served.

        Args:
            item_id (str, optional): Item for which the lines wait; an id such as ITEM-00001. If left out, the
                lines for all items are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "order_lines": records}} or {"success": False, "error":
                why not}
        """
        item = self.items.get(item_id) if item_id is not None else None
        if item_id is not None and item is None:
            return _refused(f"There is no item {item_id!r}.")
        found = [
            l
            for l in self.order_lines.values()
            if self._order_line_backordered(l) > 0
            and (item_id is None or l["item_id"] == item_id)
        ]
        found.sort(
            key=lambda l: (
                0 if self.sales_orders[l["order_id"]]["express"] else 1,
                self.sales_orders[l["order_id"]]["ship_by"],
                l["id"],
                _age(l),
            )
        )
        return _found(
            {
                "total": len(found),
                "order_lines": [
                    {
                        "id": l["id"],
                        "order": self.sales_orders[l["order_id"]]["id"],
                        "customer": self.sales_orders[l["order_id"]]["customer"],
                        "item": self.items[l["item_id"]]["name"],
                        "backordered": self._order_line_backordered(l),
                        "ship_by": self.sales_orders[l["order_id"]]["ship_by"],
                        "express": self.sales_orders[l["order_id"]]["express"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def expiring_lots(
        self,
        within: Annotated[int, {"minimum": 0, "maximum": 365}],
        zone: Literal["ambient", "chilled", "hazardous"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lots that expire within some days or have expired, soonest first.

        Args:
            within (int): How many days from today the lots may still be good, from 0 to 365.
            zone (str, optional): Zone of the bins in which the lots lie: ambient, chilled or hazardous. If left
                out, the lots of all zones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}} or {"success": False, "error": why
                not}
        """
        found = [
            l
            for l in self.lots.values()
            if (l["expires_on"] is not None and l["expires_on"] <= _plus_days(self.now[:10], within))
            and (zone is None or self.bins[l["bin_id"]]["zone"] == zone)
        ]
        found.sort(key=lambda l: (l["expires_on"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lots": [
                    {
                        "id": l["id"],
                        "batch": l["batch"],
                        "item": self.items[l["item_id"]]["name"],
                        "bin": self.bins[l["bin_id"]]["code"],
                        "units": l["units"],
                        "reserved": self._lot_reserved(l),
                        "expires_on": l["expires_on"],
                        "status": l["status"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def list_items(
        self,
        name: Text | None = None,
        storage: Literal["ambient", "chilled", "hazardous"] | None = None,
        perishable: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            name (str, optional): Only items whose name contains this text.
            storage (str, optional): Only items with this storage.
            perishable (bool, optional): Only items that are perishable (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        found = [
            item
            for item in self.items.values()
            if (name is None or name.casefold() in item["name"].casefold())
            and (storage is None or item["storage"] == storage)
            and (perishable is None or item["perishable"] == perishable)
        ]
        return _found({"total": len(found), "items": [self._show_item(item) for item in _page(found, offset)]})

    def list_bins(
        self,
        code: Text | None = None,
        zone: Literal["ambient", "chilled", "hazardous"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bins, oldest first, all of them or only some.

        Args:
            code (str, optional): Only bins whose code contains this text.
            zone (str, optional): Only bins with this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bins": records}}
        """
        found = [
            bin
            for bin in self.bins.values()
            if (code is None or code.casefold() in bin["code"].casefold())
            and (zone is None or bin["zone"] == zone)
        ]
        return _found({"total": len(found), "bins": [self._show_bin(bin) for bin in _page(found, offset)]})

    def list_lots(
        self,
        item_id: str | None = None,
        bin_id: str | None = None,
        status: Literal["released", "quarantined"] | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            item_id (str, optional): Only lots of this item.
            bin_id (str, optional): Only lots of this bin.
            status (str, optional): Only lots with this status.
            received_on_from (str, optional): Only lots whose `received_on` is on this day or later.
            received_on_to (str, optional): Only lots whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        if bin_id is not None and bin_id not in self.bins:
            return _refused(f"There is no bin {bin_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (item_id is None or lot["item_id"] == item_id)
            and (bin_id is None or lot["bin_id"] == bin_id)
            and (status is None or lot["status"] == status)
            and (received_on_from is None or lot["received_on"] >= received_on_from)
            and (received_on_to is None or lot["received_on"] <= received_on_to)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_purchases(
        self,
        supplier: Text | None = None,
        item_id: str | None = None,
        status: Literal["ordered", "part_received", "received", "cancelled", "closed"] | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the purchases, oldest first, all of them or only some.

        Args:
            supplier (str, optional): Only purchases whose supplier contains this text.
            item_id (str, optional): Only purchases of this item.
            status (str, optional): Only purchases with this status.
            due_on_from (str, optional): Only purchases whose `due_on` is on this day or later.
            due_on_to (str, optional): Only purchases whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "purchases": records}}
        """
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        found = [
            purchase
            for purchase in self.purchases.values()
            if (supplier is None or supplier.casefold() in purchase["supplier"].casefold())
            and (item_id is None or purchase["item_id"] == item_id)
            and (status is None or purchase["status"] == status)
            and (due_on_from is None or purchase["due_on"] >= due_on_from)
            and (due_on_to is None or purchase["due_on"] <= due_on_to)
        ]
        shown = [{**purchase} for purchase in _page(found, offset)]
        return _found({"total": len(found), "purchases": shown}, self._names_of_purchases(shown))

    def get_sales_order(self, sales_order_id: str) -> Result:
        """Look up one sales order by its id.

        Args:
            sales_order_id (str): Id of the sales order, such as SO-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        sales_order = self.sales_orders.get(sales_order_id)
        if sales_order is None:
            return _refused(f"There is no sales order {sales_order_id!r}.")
        return _found({**sales_order})

    def list_sales_orders(
        self,
        customer: Text | None = None,
        express: bool | None = None,
        status: Literal["open", "part_shipped", "shipped", "cancelled", "closed"] | None = None,
        placed_on_from: Date | None = None,
        placed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sales orders, oldest first, all of them or only some.

        Args:
            customer (str, optional): Only sales orders whose customer contains this text.
            express (bool, optional): Only sales orders with this value of `express`.
            status (str, optional): Only sales orders with this status.
            placed_on_from (str, optional): Only sales orders whose `placed_on` is on this day or later.
            placed_on_to (str, optional): Only sales orders whose `placed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sales_orders": records}}
        """
        found = [
            sales_order
            for sales_order in self.sales_orders.values()
            if (customer is None or customer.casefold() in sales_order["customer"].casefold())
            and (express is None or sales_order["express"] == express)
            and (status is None or sales_order["status"] == status)
            and (placed_on_from is None or sales_order["placed_on"] >= placed_on_from)
            and (placed_on_to is None or sales_order["placed_on"] <= placed_on_to)
        ]
        return _found(
            {"total": len(found), "sales_orders": [{**sales_order} for sales_order in _page(found, offset)]}
        )

    def list_order_lines(
        self,
        order_id: str | None = None,
        item_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the order lines, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only order lines whose order is this sales order.
            item_id (str, optional): Only order lines of this item.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "order_lines": records}}
        """
        if order_id is not None and order_id not in self.sales_orders:
            return _refused(f"There is no sales order {order_id!r}.")
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        found = [
            order_line
            for order_line in self.order_lines.values()
            if (order_id is None or order_line["order_id"] == order_id)
            and (item_id is None or order_line["item_id"] == item_id)
        ]
        shown = [self._show_order_line(order_line) for order_line in _page(found, offset)]
        return _found({"total": len(found), "order_lines": shown}, self._names_of_order_lines(shown))

    def list_reservations(
        self,
        line_id: str | None = None,
        lot_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reservations, oldest first, all of them or only some.

        Args:
            line_id (str, optional): Only reservations whose line is this order line.
            lot_id (str, optional): Only reservations of this lot.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reservations": records}}
        """
        if line_id is not None and line_id not in self.order_lines:
            return _refused(f"There is no order line {line_id!r}.")
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            reservation
            for reservation in self.reservations.values()
            if (line_id is None or reservation["line_id"] == line_id)
            and (lot_id is None or reservation["lot_id"] == lot_id)
        ]
        return _found(
            {"total": len(found), "reservations": [{**reservation} for reservation in _page(found, offset)]}
        )

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def place_order(
        self,
        customer: Text,
        ship_by: Date,
        lines: Annotated[list[PlaceOrderLine], {"maxItems": 20}],
        express: bool = False,
    ) -> Result:
        """Take a customer's order, reserve what is free, earliest expiry first, and leave the rest on backorder.

        Args:
            customer (str): Company that orders.
            ship_by (str): Day by which the order is to be shipped, from today on, as YYYY-MM-DD.
            lines (list): One entry for each item, each named once: item_id: item that is ordered; an id such as
                ITEM-00001; units: how many units of it the customer wants, from 1 to 200.
            express (bool): Whether the order is served before others when stock is short. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entries, lines = lines, []
        for entry in entries:
            if entry["item_id"] not in self.items:
                return _refused(f"There is no item {entry['item_id']!r}.")
            lines.append({"item": self.items[entry["item_id"]], "units": entry["units"]})
        if ship_by < self.now[:10]:
            return _refused(f"{ship_by} is in the past.")
        if len(lines) <= 0:
            return _refused("An order needs at least one line.")
        if not _different([l["item"]["id"] for l in lines]):
            return _refused("An item is named on two lines.")
        self._journal = []
        added_order_lines: list[Any] = []
        added_reservations: list[Any] = []
        order: SalesOrder = {
            "id": self._new_id("sales_order", "SO", self.sales_orders),
            "customer": customer,
            "placed_on": self.now[:10],
            "ship_by": ship_by,
            "express": express,
            "shipped_on": None,
            "status": "open",
        }
        self._add("sales_orders", order)
        for l in list(lines):
            line = {
                "id": self._new_id("order_line", "OL", self.order_lines),
                "order_id": order["id"],
                "item_id": l["item"]["id"],
                "units": l["units"],
                "shipped": 0,
            }
            self._add("order_lines", line)
            added_order_lines.append(line)
            left = l["units"]
            for lot in sorted(
                self._usable(l["item"], ship_by),
                key=lambda lot: (
                    lot["expires_on"] if lot["expires_on"] is not None else _plus_days(lot["received_on"], 3650),
                    lot["id"],
                    _age(lot),
                ),
            ):
                take = min(left, self._lot_free(lot))
                if take > 0:
                    if not 1 <= take <= 200:
                        return self._take_back("The units of a reservation must be between 1 and 200.")
                    reservation = {
                        "id": self._new_id("reservation", "RESERVATION", self.reservations),
                        "line_id": line["id"],
                        "lot_id": lot["id"],
                        "units": take,
                    }
                    self._add("reservations", reservation)
                    added_reservations.append(reservation)
                    left = left - take
        for one_lot in _distinct([self.lots[one["lot_id"]] for one in added_reservations]):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_order_line in _distinct(
            [*added_order_lines, *[self.order_lines[one["line_id"]] for one in added_reservations]]
        ):
            if self._breaks_rule_4(one_order_line):
                return self._take_back(RULES[3])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_7(one_reservation):
                return self._take_back(RULES[6])
        for one_sales_order in _distinct([order, *[self.sales_orders[one["order_id"]] for one in added_order_lines]]):
            if self._breaks_rule_8(one_sales_order):
                return self._take_back(RULES[7])
        for one_order_line in _distinct(added_order_lines):
            if self._breaks_rule_13(one_order_line):
                return self._take_back(RULES[12])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_14(one_reservation):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: take an order of {customer} to ship by {ship_by} (new: sales order {order['id']}).",
            "data": {"sales_order_id": order["id"], **self._changes()},
        }

    def allocate_backorders(self, item_id: str) -> Result:
        """Give the free stock of an item to the orders that wait for it, express orders first, then by ship date.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        waiting = [
            l
            for l in sorted(self._order_lines_by_item.get(item_id, {}).values(), key=_age)
            if self._order_line_backordered(l) > 0
        ]
        if len(waiting) <= 0:
            return _refused(f"No order waits for {item['name']}.")
        if self._item_free(item) <= 0:
            return _refused(f"No unit of {item['name']} is free.")
        if not any(len(self._usable(item, self._leaves(self.sales_orders[l["order_id"]]))) > 0 for l in waiting):
            return _refused(f"No free lot of {item['name']} keeps until the waiting orders ship.")
        self._journal = []
        changed_reservations: list[Any] = []
        added_reservations: list[Any] = []
        for line in sorted(
            waiting,
            key=lambda line: (
                0 if self.sales_orders[line["order_id"]]["express"] else 1,
                self.sales_orders[line["order_id"]]["ship_by"],
                line["id"],
                _age(line),
            ),
        ):
            left = self._order_line_backordered(line)
            for lot in sorted(
                self._usable(item, self._leaves(self.sales_orders[line["order_id"]])),
                key=lambda lot: (
                    lot["expires_on"] if lot["expires_on"] is not None else _plus_days(lot["received_on"], 3650),
                    lot["id"],
                    _age(lot),
                ),
            ):
                take = min(left, self._lot_free(lot))
                same = next(
                    (
                        r
                        for r in sorted(
                            self._reservations_by_line_lot.get((line["id"], lot["id"]), {}).values(),
                            key=_age,
                        )
                    ),
                    None,
                )
                if take > 0:
                    if same is not None:
                        units = same["units"] + take
                        if not 1 <= units <= 200:
                            return self._take_back(f"The units of {same['id']} must be between 1 and 200.")
                        changed_reservations.append(same)
                        self._put("reservations", same, "units", units)
                    else:
                        if not 1 <= take <= 200:
                            return self._take_back("The units of a reservation must be between 1 and 200.")
                        reservation = {
                            "id": self._new_id("reservation", "RESERVATION", self.reservations),
                            "line_id": line["id"],
                            "lot_id": lot["id"],
                            "units": take,
                        }
                        self._add("reservations", reservation)
                        added_reservations.append(reservation)
                    left = left - take
        for one_lot in _distinct(
            [
                *[self.lots[one["lot_id"]] for one in changed_reservations],
                *[self.lots[one["lot_id"]] for one in added_reservations],
            ]
        ):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_order_line in _distinct(
            [
                *[self.order_lines[one["line_id"]] for one in changed_reservations],
                *[self.order_lines[one["line_id"]] for one in added_reservations],
            ]
        ):
            if self._breaks_rule_4(one_order_line):
                return self._take_back(RULES[3])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_7(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(added_reservations):
            if self._breaks_rule_14(one_reservation):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: allocate the free stock of {item['name']} to waiting orders.",
            "data": self._changes(),
        }

    def ship_order(self, order_id: str, partial: bool = False) -> Result:
        """Ship what is reserved for an order; a short order ships only when a partial shipment is allowed.

        Args:
            order_id (str): Open or partly shipped order of a customer; an id such as SO-00001.
            partial (bool): Whether to ship what is there while the rest stays on backorder. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.sales_orders.get(order_id)
        if order is None:
            return _refused(f"There is no sales order {order_id!r}.")
        if order["status"] not in ("open", "part_shipped"):
            return _refused(f"Order {order['id']} is {order['status']}.")
        picks = sorted(
            [
                r
                for _order_line in self._order_lines_by_order.get(order_id, {}).values()
                for r in self._reservations_by_line.get(_order_line["id"], {}).values()
            ],
            key=_age,
        )
        if len(picks) <= 0:
            return _refused(f"Nothing is reserved for order {order['id']}.")
        stale = next((r for r in picks if not self._keeps(self.lots[r["lot_id"]], self.now[:10])), None)
        if stale is not None:
            return _refused(
                f"Batch {self.lots[stale['lot_id']]['batch']} of "
                f"{self.items[self.lots[stale['lot_id']]['item_id']]['name']} in bin "
                f"{self.bins[self.lots[stale['lot_id']]['bin_id']]['code']} has expired."
            )
        short = next(
            (
                l
                for l in sorted(self._order_lines_by_order.get(order_id, {}).values(), key=_age)
                if self._order_line_backordered(l) > 0
            ),
            None,
        )
        if not (partial or short is None):
            return _refused(
                f"{self._order_line_backordered(short)} of {short['units']} "
                f"{self.items[short['item_id']]['name']} are on backorder."
            )
        self._journal = []
        changed_order_lines: list[Any] = []
        changed_lots: list[Any] = []
        deleted_reservations: list[Any] = []
        deleted_lots: list[Any] = []
        for r in list(picks):
            lot = self.lots[r["lot_id"]]
            order_line = self.order_lines[r["line_id"]]
            shipped = self.order_lines[r["line_id"]]["shipped"] + r["units"]
            if not 0 <= shipped <= 200:
                return self._take_back(f"The shipped of {order_line['id']} must be between 0 and 200.")
            changed_order_lines.append(order_line)
            self._put("order_lines", order_line, "shipped", shipped)
            units = lot["units"] - r["units"]
            if not 0 <= units <= 2000:
                return self._take_back(f"The units of {lot['id']} must be between 0 and 2000.")
            changed_lots.append(lot)
            if lot["id"] in self.lots:
                self._put("lots", lot, "units", units)
            if r["id"] in self.reservations:
                self._remove("reservations", r)
            deleted_reservations.append(r)
            if lot["units"] == 0:
                if lot["id"] in self.lots:
                    self._remove("lots", lot)
                deleted_lots.append(lot)
        self._put("sales_orders", order, "shipped_on", self.now[:10])
        status = (
            "shipped"
            if all(l["shipped"] == l["units"] for l in self._order_lines_by_order.get(order_id, {}).values())
            else "part_shipped"
        )
        self._put("sales_orders", order, "status", status)
        for one_lot in deleted_lots:
            users = len(self._reservations_by_lot.get(one_lot["id"], {}))
            if users:
                return self._take_back(
                    f"Lot {one_lot['id']} is still used by {users} {'reservation' if users == 1 else 'reservations'}."
                )
        for one_bin in _distinct(
            [*[self.bins[one["bin_id"]] for one in changed_lots], *[self.bins[one["bin_id"]] for one in deleted_lots]]
        ):
            if self._breaks_rule_1(one_bin):
                return self._take_back(RULES[0])
        for one_lot_2 in _distinct([*changed_lots, *[self.lots.get(one["lot_id"]) for one in deleted_reservations]]):
            if one_lot_2["id"] in self.lots and self._breaks_rule_3(one_lot_2):
                return self._take_back(RULES[2])
        for one_order_line in _distinct(
            [*changed_order_lines, *[self.order_lines[one["line_id"]] for one in deleted_reservations]]
        ):
            if self._breaks_rule_4(one_order_line):
                return self._take_back(RULES[3])
        for one_reservation in _distinct(
            [user for one in deleted_lots for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(
            [user for one in deleted_lots for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        for one_reservation in _distinct(
            [
                user
                for one in self._order_lines_by_order.get(order["id"], {}).values()
                for user in self._reservations_by_line.get(one["id"], {}).values()
            ]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_7(one_reservation):
                return self._take_back(RULES[6])
        for one_sales_order in _distinct(
            [order, *[self.sales_orders[one["order_id"]] for one in changed_order_lines]]
        ):
            if self._breaks_rule_8(one_sales_order):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: ship order {order['id']} of {order['customer']}.",
            "data": self._changes(),
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an order, or close one that is partly shipped; what was reserved becomes free.

        Args:
            order_id (str): Open or partly shipped order of a customer; an id such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.sales_orders.get(order_id)
        if order is None:
            return _refused(f"There is no sales order {order_id!r}.")
        if order["status"] not in ("open", "part_shipped"):
            return _refused(f"Order {order['id']} is {order['status']}.")
        self._journal = []
        deleted_reservations: list[Any] = []
        for r in sorted(
            [
                r
                for _order_line in self._order_lines_by_order.get(order_id, {}).values()
                for r in self._reservations_by_line.get(_order_line["id"], {}).values()
            ],
            key=_age,
        ):
            if r["id"] in self.reservations:
                self._remove("reservations", r)
            deleted_reservations.append(r)
        status = "cancelled" if order["status"] == "open" else "closed"
        if order["status"] != status and (order["status"], status) not in SALES_ORDER_STATUS_MOVES:
            return self._take_back(f"Sales order {order['customer']} cannot go from {order['status']} to {status}.")
        self._put("sales_orders", order, "status", status)
        for one_lot in _distinct([self.lots[one["lot_id"]] for one in deleted_reservations]):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_order_line in _distinct([self.order_lines[one["line_id"]] for one in deleted_reservations]):
            if self._breaks_rule_4(one_order_line):
                return self._take_back(RULES[3])
        for one_reservation in _distinct(
            [
                user
                for one in self._order_lines_by_order.get(order["id"], {}).values()
                for user in self._reservations_by_line.get(one["id"], {}).values()
            ]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_7(one_reservation):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: cancel order {order['id']} of {order['customer']}.",
            "data": self._changes(),
        }

    def raise_purchase(
        self,
        supplier: Text,
        item_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 600}],
        due_on: Date,
    ) -> Result:
        """Order units of an item from a supplier.

        Args:
            supplier (str): Company from which the units are bought.
            item_id (str): Id of the item, such as ITEM-00001.
            units (int): How many units are bought, from 1 to 600.
            due_on (str): Day on which they are to arrive, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if due_on <= self.now[:10]:
            return _refused(f"{due_on} is not in the future.")
        room = sum(b["capacity"] - self._bin_filled(b) for b in self.bins.values() if b["zone"] == item["storage"])
        if self._item_on_order(item) + units > room:
            return _refused(
                f"The {item['storage']} bins have room for {room} units and {self._item_on_order(item)} of "
                f"{item['name']} are on order already."
            )
        self._journal = []
        purchase: Purchase = {
            "id": self._new_id("purchase", "PURCHASE", self.purchases),
            "supplier": supplier,
            "item_id": item_id,
            "units": units,
            "received": 0,
            "due_on": due_on,
            "status": "ordered",
        }
        self._add("purchases", purchase)
        if self._breaks_rule_15(purchase):
            return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: order {units} {item['name']} from {supplier} for {due_on} (new: purchase {purchase['id']})."
            ),
            "data": {"purchase_id": purchase["id"], **self._changes()},
        }

    def receive_purchase(
        self,
        purchase_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 600}],
        batch: Text,
        bin_id: str,
        expires_on: Date | None = None,
    ) -> Result:
        """Book units of a purchase into a bin; more of a batch that is in quarantine is quarantined too.

        Args:
            purchase_id (str): Id of the purchase, such as PURCHASE-00001.
            units (int): How many units came in, no more than are still due, from 1 to 600.
            batch (str): Batch number printed on the goods.
            bin_id (str): Id of the bin, such as BIN-00001.
            expires_on (str, optional): Last day on which the batch is good, needed for perishable items only, as
                YYYY-MM-DD. If left out, the batch never expires, which suits no perishable item.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        purchase = self.purchases.get(purchase_id)
        if purchase is None:
            return _refused(f"There is no purchase {purchase_id!r}.")
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if purchase["status"] not in ("ordered", "part_received"):
            return _refused(f"Purchase {purchase['id']} is {purchase['status']}.")
        item = self.items[purchase["item_id"]]
        if units > purchase["units"] - purchase["received"]:
            return _refused(
                f"Only {purchase['units'] - purchase['received']} units of purchase {purchase['id']} are still due."
            )
        if bin["zone"] != item["storage"]:
            return _refused(f"{item['name']} needs {item['storage']} storage and bin {bin['code']} is {bin['zone']}.")
        if self._bin_filled(bin) + units > bin["capacity"]:
            return _refused(
                f"Bin {bin['code']} has room for {bin['capacity'] - self._bin_filled(bin)} units, not {units}."
            )
        if item["perishable"] and expires_on is None:
            return _refused(f"{item['name']} is perishable and needs an expiry date.")
        if not item["perishable"] and expires_on is not None:
            return _refused(f"{item['name']} does not expire.")
        if expires_on is not None and expires_on <= self.now[:10]:
            return _refused(f"Batch {batch} expired on {expires_on}.")
        known = next(
            (l for l in sorted(self._lots_by_item.get(item["id"], {}).values(), key=_age) if l["batch"] == batch),
            None,
        )
        if known is not None and known["expires_on"] != expires_on:
            return _refused(f"Batch {batch} of {item['name']} is known with another expiry date.")
        self._journal = []
        changed_lots: list[Any] = []
        added_lots: list[Any] = []
        same = next(
            (
                l
                for l in sorted(self._lots_by_item_bin.get((item["id"], bin_id), {}).values(), key=_age)
                if l["batch"] == batch
            ),
            None,
        )
        if same is not None:
            new_units = same["units"] + units
            if not 0 <= new_units <= 2000:
                return self._take_back(f"The units of {same['id']} must be between 0 and 2000.")
            changed_lots.append(same)
            self._put("lots", same, "units", new_units)
        else:
            lot = {
                "id": self._new_id("lot", "LOT", self.lots),
                "batch": batch,
                "item_id": item["id"],
                "bin_id": bin_id,
                "units": units,
                "received_on": self.now[:10],
                "expires_on": expires_on,
                "counted_on": None,
                "held_for": known["held_for"] if known is not None else None,
                "status": known["status"] if known is not None else "released",
            }
            self._add("lots", lot)
            added_lots.append(lot)
        received = purchase["received"] + units
        if not 0 <= received <= 600:
            return self._take_back(f"The received of {purchase['supplier']} must be between 0 and 600.")
        self._put("purchases", purchase, "received", received)
        status = "received" if purchase["received"] == purchase["units"] else "part_received"
        self._put("purchases", purchase, "status", status)
        for one_bin in _distinct(
            [*[self.bins[one["bin_id"]] for one in changed_lots], *[self.bins[one["bin_id"]] for one in added_lots]]
        ):
            if self._breaks_rule_1(one_bin):
                return self._take_back(RULES[0])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_2(one_lot):
                return self._take_back(RULES[1])
        for one_lot in _distinct([*changed_lots, *added_lots]):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_9(one_lot):
                return self._take_back(RULES[8])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_10(one_lot):
                return self._take_back(RULES[9])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        for one_lot in _distinct(added_lots):
            if self._breaks_rule_12(one_lot):
                return self._take_back(RULES[11])
        if self._breaks_rule_15(purchase):
            return self._take_back(RULES[14])
        done = f"receive {units} of {self.items[purchase['item_id']]['name']} as batch {batch} into bin {bin['code']}"
        if expires_on is not None:
            done += f" with expiry {expires_on}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_purchase(self, purchase_id: str) -> Result:
        """Cancel a purchase, or close one that is partly received.

        Args:
            purchase_id (str): Id of the purchase, such as PURCHASE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        purchase = self.purchases.get(purchase_id)
        if purchase is None:
            return _refused(f"There is no purchase {purchase_id!r}.")
        if purchase["status"] not in ("ordered", "part_received"):
            return _refused(f"Purchase {purchase['id']} is {purchase['status']}.")
        self._journal = []
        status = "cancelled" if purchase["status"] == "ordered" else "closed"
        if purchase["status"] != status and (purchase["status"], status) not in PURCHASE_STATUS_MOVES:
            return self._take_back(
                f"Purchase {purchase['supplier']} cannot go from {purchase['status']} to {status}."
            )
        self._put("purchases", purchase, "status", status)
        if self._breaks_rule_15(purchase):
            return self._take_back(RULES[14])
        return {
            "success": True,
            "message": (
                f"Done: cancel the purchase of {self.items[purchase['item_id']]['name']} from {purchase['supplier']}."
            ),
            "data": self._changes(),
        }

    def move_stock(self, lot_id: str, bin_id: str, units: Annotated[int, {"minimum": 1, "maximum": 600}]) -> Result:
        """Move units of a lot that are not reserved to another bin.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            bin_id (str): Id of the bin, such as BIN-00001.
            units (int): How many unreserved units of the lot to move, from 1 to 600.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if bin_id == lot["bin_id"]:
            return _refused(f"Batch {lot['batch']} lies in bin {bin['code']} already.")
        if units > lot["units"] - self._lot_reserved(lot):
            return _refused(
                f"{lot['units'] - self._lot_reserved(lot)} of {lot['units']} units of batch {lot['batch']} in bin "
                f"{self.bins[lot['bin_id']]['code']} are not reserved."
            )
        if bin["zone"] != self.items[lot["item_id"]]["storage"]:
            return _refused(
                f"{self.items[lot['item_id']]['name']} needs {self.items[lot['item_id']]['storage']} storage and "
                f"bin {bin['code']} is {bin['zone']}."
            )
        if self._bin_filled(bin) + units > bin["capacity"]:
            return _refused(
                f"Bin {bin['code']} has room for {bin['capacity'] - self._bin_filled(bin)} units, not {units}."
            )
        done = f"move {units} of batch {lot['batch']} from bin {self.bins[lot['bin_id']]['code']} to bin {bin['code']}"
        self._journal = []
        changed_lots: list[Any] = []
        added_lots: list[Any] = []
        deleted_lots: list[Any] = []
        same = next(
            (
                l
                for l in sorted(self._lots_by_item_bin.get((lot["item_id"], bin_id), {}).values(), key=_age)
                if l["batch"] == lot["batch"]
            ),
            None,
        )
        if same is not None:
            new_units = same["units"] + units
            if not 0 <= new_units <= 2000:
                return self._take_back(f"The units of {same['id']} must be between 0 and 2000.")
            changed_lots.append(same)
            self._put("lots", same, "units", new_units)
        else:
            new_lot = {
                "id": self._new_id("lot", "LOT", self.lots),
                "batch": lot["batch"],
                "item_id": lot["item_id"],
                "bin_id": bin_id,
                "units": units,
                "received_on": lot["received_on"],
                "expires_on": lot["expires_on"],
                "counted_on": lot["counted_on"],
                "held_for": lot["held_for"],
                "status": lot["status"],
            }
            self._add("lots", new_lot)
            added_lots.append(new_lot)
        new_units_2 = lot["units"] - units
        if not 0 <= new_units_2 <= 2000:
            return self._take_back(f"The units of {lot['id']} must be between 0 and 2000.")
        self._put("lots", lot, "units", new_units_2)
        if lot["units"] == 0:
            if lot["id"] in self.lots:
                self._remove("lots", lot)
            deleted_lots.append(lot)
        for one_lot in deleted_lots:
            users = len(self._reservations_by_lot.get(one_lot["id"], {}))
            if users:
                return self._take_back(
                    f"Lot {one_lot['id']} is still used by {users} {'reservation' if users == 1 else 'reservations'}."
                )
        for one_bin in _distinct(
            [
                self.bins[lot["bin_id"]],
                *[self.bins[one["bin_id"]] for one in changed_lots],
                *[self.bins[one["bin_id"]] for one in added_lots],
                *[self.bins[one["bin_id"]] for one in deleted_lots],
            ]
        ):
            if self._breaks_rule_1(one_bin):
                return self._take_back(RULES[0])
        for one_lot_2 in _distinct(added_lots):
            if one_lot_2["id"] in self.lots and self._breaks_rule_2(one_lot_2):
                return self._take_back(RULES[1])
        for one_lot_2 in _distinct([lot, *changed_lots, *added_lots]):
            if one_lot_2["id"] in self.lots and self._breaks_rule_3(one_lot_2):
                return self._take_back(RULES[2])
        for one_reservation in _distinct(
            [user for one in deleted_lots for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(
            [user for one in deleted_lots for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        for one_lot_2 in _distinct(added_lots):
            if one_lot_2["id"] in self.lots and self._breaks_rule_9(one_lot_2):
                return self._take_back(RULES[8])
        for one_lot_2 in _distinct(added_lots):
            if one_lot_2["id"] in self.lots and self._breaks_rule_10(one_lot_2):
                return self._take_back(RULES[9])
        for one_lot_2 in _distinct(added_lots):
            if one_lot_2["id"] in self.lots and self._breaks_rule_11(one_lot_2):
                return self._take_back(RULES[10])
        for one_lot_2 in _distinct(added_lots):
            if one_lot_2["id"] in self.lots and self._breaks_rule_12(one_lot_2):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def quarantine_batch(self, lot_id: str, reason: Text) -> Result:
        """Hold a batch in every bin it lies in; its reservations lapse and go on backorder.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            reason (str): Why the batch is held.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "released":
            return _refused(
                f"Batch {lot['batch']} of {self.items[lot['item_id']]['name']} is {lot['status']} already."
            )
        self._journal = []
        deleted_reservations: list[Any] = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        for l in [
            l
            for l in sorted(self._lots_by_item.get(lot["item_id"], {}).values(), key=_age)
            if l["batch"] == lot["batch"]
        ]:
            for r in sorted(self._reservations_by_lot.get(l["id"], {}).values(), key=_age):
                if r["id"] in self.reservations:
                    self._remove("reservations", r)
                deleted_reservations.append(r)
            changed_lots.append(l)
            self._put("lots", l, "held_for", reason)
            changed_lots_2.append(l)
            self._put("lots", l, "status", "quarantined")
        for one_lot in _distinct([self.lots[one["lot_id"]] for one in deleted_reservations]):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_order_line in _distinct([self.order_lines[one["line_id"]] for one in deleted_reservations]):
            if self._breaks_rule_4(one_order_line):
                return self._take_back(RULES[3])
        for one_reservation in _distinct(
            [user for one in changed_lots_2 for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_lot in _distinct(changed_lots_2):
            if self._breaks_rule_9(one_lot):
                return self._take_back(RULES[8])
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_12(one_lot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: quarantine batch {lot['batch']} of {self.items[lot['item_id']]['name']} with the reason "
                f"{reason}."
            ),
            "data": self._changes(),
        }

    def release_batch(self, lot_id: str) -> Result:
        """Release a quarantined batch in every bin it lies in.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "quarantined":
            return _refused(f"Batch {lot['batch']} of {self.items[lot['item_id']]['name']} is {lot['status']}.")
        if not self._keeps(lot, self.now[:10]):
            return _refused(f"Batch {lot['batch']} of {self.items[lot['item_id']]['name']} has expired.")
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        for l in [
            l
            for l in sorted(self._lots_by_item.get(lot["item_id"], {}).values(), key=_age)
            if l["batch"] == lot["batch"]
        ]:
            changed_lots.append(l)
            self._put("lots", l, "held_for", None)
            changed_lots_2.append(l)
            self._put("lots", l, "status", "released")
        for one_reservation in _distinct(
            [user for one in changed_lots_2 for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_lot in _distinct(changed_lots_2):
            if self._breaks_rule_9(one_lot):
                return self._take_back(RULES[8])
        for one_lot in _distinct([*changed_lots, *changed_lots_2]):
            if self._breaks_rule_12(one_lot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: release batch {lot['batch']} of {self.items[lot['item_id']]['name']}.",
            "data": self._changes(),
        }

    def count_stock(self, lot_id: str, counted: Annotated[int, {"minimum": 0, "maximum": 600}]) -> Result:
        """Correct the units of a lot to what was counted; 0 removes the lot, and what was reserved above the count
        goes back on backorder, express orders last and those that ship latest first.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            counted (int): How many units of the lot were counted in its bin, from 0 to 600.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if counted == lot["units"] and lot["counted_on"] == self.now[:10]:
            return _refused(
                f"Batch {lot['batch']} in bin {self.bins[lot['bin_id']]['code']} was counted today with {counted} "
                "units."
            )
        if self._bin_filled(self.bins[lot["bin_id"]]) - lot["units"] + counted > self.bins[lot["bin_id"]]["capacity"]:
            return _refused(
                f"Bin {self.bins[lot['bin_id']]['code']} has room for "
                f"{self.bins[lot['bin_id']]['capacity'] - self._bin_filled(self.bins[lot['bin_id']]) + lot['units']} units of this batch."
            )
        self._journal = []
        deleted_reservations: list[Any] = []
        changed_reservations: list[Any] = []
        deleted_lots: list[Any] = []
        over = max(0, self._lot_reserved(lot) - counted)
        for r in sorted(
            self._reservations_by_lot.get(lot_id, {}).values(),
            key=lambda r: (
                1 if self.sales_orders[self.order_lines[r["line_id"]]["order_id"]]["express"] else 0,
                _descending(self.sales_orders[self.order_lines[r["line_id"]]["order_id"]]["ship_by"]),
                _descending(r["id"]),
                _age(r),
            ),
        ):
            cut = min(over, r["units"])
            over = over - cut
            if cut == r["units"]:
                if r["id"] in self.reservations:
                    self._remove("reservations", r)
                deleted_reservations.append(r)
            else:
                units = r["units"] - cut
                if not 1 <= units <= 200:
                    return self._take_back(f"The units of {r['id']} must be between 1 and 200.")
                changed_reservations.append(r)
                if r["id"] in self.reservations:
                    self._put("reservations", r, "units", units)
        self._put("lots", lot, "units", counted)
        self._put("lots", lot, "counted_on", self.now[:10])
        if counted == 0:
            if lot["id"] in self.lots:
                self._remove("lots", lot)
            deleted_lots.append(lot)
        for one_lot in deleted_lots:
            users = len(self._reservations_by_lot.get(one_lot["id"], {}))
            if users:
                return self._take_back(
                    f"Lot {one_lot['id']} is still used by {users} {'reservation' if users == 1 else 'reservations'}."
                )
        for one_bin in _distinct([self.bins[lot["bin_id"]], *[self.bins[one["bin_id"]] for one in deleted_lots]]):
            if self._breaks_rule_1(one_bin):
                return self._take_back(RULES[0])
        for one_lot_2 in _distinct(
            [
                lot,
                *[self.lots.get(one["lot_id"]) for one in deleted_reservations],
                *[self.lots.get(one["lot_id"]) for one in changed_reservations],
            ]
        ):
            if one_lot_2["id"] in self.lots and self._breaks_rule_3(one_lot_2):
                return self._take_back(RULES[2])
        for one_order_line in _distinct(
            [
                *[self.order_lines[one["line_id"]] for one in deleted_reservations],
                *[self.order_lines[one["line_id"]] for one in changed_reservations],
            ]
        ):
            if self._breaks_rule_4(one_order_line):
                return self._take_back(RULES[3])
        for one_reservation in _distinct(
            [user for one in deleted_lots for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_5(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(
            [user for one in deleted_lots for user in self._reservations_by_lot.get(one["id"], {}).values()]
        ):
            if one_reservation["id"] in self.reservations and self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: count {counted} units of batch {lot['batch']} in bin {self.bins[lot['bin_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def _show_item(self, item: Item) -> dict[str, Any]:
        """The item as an answer shows it."""
        return {
            **item,
            "on_hand": self._item_on_hand(item),
            "free": self._item_free(item),
            "on_order": self._item_on_order(item),
            "backordered": self._item_backordered(item),
        }

    def _show_bin(self, bin: Bin) -> dict[str, Any]:
        """The bin as an answer shows it."""
        return {**bin, "filled": self._bin_filled(bin)}

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "reserved": self._lot_reserved(lot), "free": self._lot_free(lot)}

    def _show_order_line(self, order_line: OrderLine) -> dict[str, Any]:
        """The order line as an answer shows it."""
        return {
            **order_line,
            "reserved": self._order_line_reserved(order_line),
            "backordered": self._order_line_backordered(order_line),
        }

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names(
            (self.items, "name", [row["item_id"] for row in shown]),
            (self.bins, "code", [row["bin_id"] for row in shown]),
        )

    def _names_of_purchases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that purchases point to."""
        return _names((self.items, "name", [row["item_id"] for row in shown]))

    def _names_of_order_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that order lines point to."""
        return _names(
            (self.sales_orders, "customer", [row["order_id"] for row in shown]),
            (self.items, "name", [row["item_id"] for row in shown]),
        )

    def _item_on_hand(self, item: Item) -> int:
        """The on hand of an item."""
        return sum(l["units"] for l in self._lots_by_item.get(item["id"], {}).values())

    def _item_free(self, item: Item) -> int:
        """The free of an item."""
        return sum(self._lot_free(l) for l in self._lots_by_item.get(item["id"], {}).values())

    def _item_on_order(self, item: Item) -> int:
        """The on order of an item."""
        return sum(
            p["units"] - p["received"]
            for p in self._purchases_by_item.get(item["id"], {}).values()
            if p["status"] in ("ordered", "part_received")
        )

    def _item_backordered(self, item: Item) -> int:
        """The backordered of an item."""
        return sum(self._order_line_backordered(l) for l in self._order_lines_by_item.get(item["id"], {}).values())

    def _bin_filled(self, bin: Bin) -> int:
        """The filled of a bin."""
        return sum(l["units"] for l in self._lots_by_bin.get(bin["id"], {}).values())

    def _lot_reserved(self, lot: Lot) -> int:
        """The reserved of a lot."""
        return sum(r["units"] for r in self._reservations_by_lot.get(lot["id"], {}).values())

    def _lot_free(self, lot: Lot) -> int:
        """The free of a lot."""
        return lot["units"] - self._lot_reserved(lot) if lot["status"] == "released" else 0

    def _order_line_reserved(self, order_line: OrderLine) -> int:
        """The reserved of an order line."""
        return sum(r["units"] for r in self._reservations_by_line.get(order_line["id"], {}).values())

    def _order_line_backordered(self, order_line: OrderLine) -> int:
        """The backordered of an order line."""
        return (
            order_line["units"] - order_line["shipped"] - self._order_line_reserved(order_line)
            if self.sales_orders[order_line["order_id"]]["status"] in ("open", "part_shipped")
            else 0
        )

    def _keeps(self, l: Lot, d: str) -> bool:
        return l["expires_on"] is None or l["expires_on"] >= d

    def _usable(self, i: Item, d: str) -> list[Lot]:
        return [
            l
            for l in sorted(self._lots_by_item.get(i["id"], {}).values(), key=_age)
            if self._lot_free(l) > 0
            and self._keeps(l, d)
        ]

    def _leaves(self, o: SalesOrder) -> str:
        return o["ship_by"] if o["ship_by"] > self.now[:10] else self.now[:10]

    def _breaks_rule_1(self, b: Bin) -> bool:
        """Whether this is broken: a bin never holds more units than its capacity."""
        return self._bin_filled(b) > b["capacity"]

    def _breaks_rule_2(self, l: Lot) -> bool:
        """Whether this is broken: every item lies in a bin of the zone it must be stored in."""
        return self.bins[l["bin_id"]]["zone"] != self.items[l["item_id"]]["storage"]

    def _breaks_rule_3(self, l: Lot) -> bool:
        """Whether this is broken: a lot never has more units reserved than it holds."""
        return self._lot_reserved(l) > l["units"]

    def _breaks_rule_4(self, l: OrderLine) -> bool:
        """Whether this is broken: an order line never has more units shipped and reserved than were ordered."""
        return l["shipped"] + self._order_line_reserved(l) > l["units"]

    def _breaks_rule_5(self, r: Reservation) -> bool:
        """Whether this is broken: a reservation takes from a released lot of the ordered item."""
        return (
            self.lots[r["lot_id"]]["status"] != "released"
            or self.lots[r["lot_id"]]["item_id"] != self.order_lines[r["line_id"]]["item_id"]
        )

    def _breaks_rule_6(self, r: Reservation) -> bool:
        """Whether this is broken: nothing is reserved from a lot that expires before the order should ship."""
        return not self._keeps(
            self.lots[r["lot_id"]],
            self.sales_orders[self.order_lines[r["line_id"]]["order_id"]]["ship_by"],
        )

    def _breaks_rule_7(self, r: Reservation) -> bool:
        """Whether this is broken: only open and partly shipped orders hold reservations."""
        return self.sales_orders[self.order_lines[r["line_id"]]["order_id"]]["status"] not in ("open", "part_shipped")

    def _breaks_rule_8(self, o: SalesOrder) -> bool:
        """Whether this is broken: an order is shipped when every line has been shipped in full, and not before."""
        return (o["status"] == "shipped") != all(
            l["shipped"] == l["units"]
            for l in self._order_lines_by_order.get(o["id"], {}).values()
        )

    def _breaks_rule_9(self, a: Lot) -> bool:
        """Whether this is broken: a batch has one expiry date and one status wherever it lies."""
        return any(
            a["expires_on"] != b["expires_on"]
            or a["status"] != b["status"]
            for b in self._lots_by_item.get(a["item_id"], {}).values()
            if a is not b
            and a["batch"] == b["batch"]
        )

    def _breaks_rule_10(self, l: Lot) -> bool:
        """Whether this is broken: a bin holds a batch of an item only once."""
        return any(
            other_l is not l
            for other_l in self._lots_by_item_bin.get((l["item_id"], l["bin_id"]), {}).values()
            if other_l["batch"] == l["batch"]
        )

    def _breaks_rule_11(self, l: Lot) -> bool:
        """Whether this is broken: perishable items have an expiry date and others have none."""
        return self.items[l["item_id"]]["perishable"] != (l["expires_on"] is not None)

    def _breaks_rule_12(self, l: Lot) -> bool:
        """Whether this is broken: a quarantined lot says what it is held for, and a released one is not held."""
        return (l["status"] == "quarantined") != (l["held_for"] is not None)

    def _breaks_rule_13(self, l: OrderLine) -> bool:
        """Whether this is broken: an order names an item on one line only."""
        return any(
            other_l is not l
            for other_l in self._order_lines_by_order_item.get((l["order_id"], l["item_id"]), {}).values()
        )

    def _breaks_rule_14(self, r: Reservation) -> bool:
        """Whether this is broken: a line reserves a lot only once."""
        return any(
            other_r is not r
            for other_r in self._reservations_by_line_lot.get((r["line_id"], r["lot_id"]), {}).values()
        )

    def _breaks_rule_15(self, p: Purchase) -> bool:
        """Whether this is broken: no more is received than was purchased, and a purchase is received when all of it
        is.
        """
        return p["received"] > p["units"] or (p["status"] == "received") != (p["received"] == p["units"])

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
                self._lots_by_bin.setdefault(record["bin_id"], {})[record["id"]] = record
                self._lots_by_item.setdefault(record["item_id"], {})[record["id"]] = record
                self._lots_by_item_bin.setdefault((record["item_id"], record["bin_id"]), {})[record["id"]] = record
            case "purchases":
                self._purchases_by_item.setdefault(record["item_id"], {})[record["id"]] = record
            case "order_lines":
                self._order_lines_by_item.setdefault(record["item_id"], {})[record["id"]] = record
                self._order_lines_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._order_lines_by_order_item.setdefault(
                    (record["order_id"], record["item_id"]),
                    {},
                )[record["id"]] = record
            case "reservations":
                self._reservations_by_line.setdefault(record["line_id"], {})[record["id"]] = record
                self._reservations_by_line_lot.setdefault(
                    (record["line_id"], record["lot_id"]),
                    {},
                )[record["id"]] = record
                self._reservations_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lots":
                del self._lots_by_bin[record["bin_id"]][record["id"]]
                del self._lots_by_item[record["item_id"]][record["id"]]
                del self._lots_by_item_bin[record["item_id"], record["bin_id"]][record["id"]]
            case "purchases":
                del self._purchases_by_item[record["item_id"]][record["id"]]
            case "order_lines":
                del self._order_lines_by_item[record["item_id"]][record["id"]]
                del self._order_lines_by_order[record["order_id"]][record["id"]]
                del self._order_lines_by_order_item[record["order_id"], record["item_id"]][record["id"]]
            case "reservations":
                del self._reservations_by_line[record["line_id"]][record["id"]]
                del self._reservations_by_line_lot[record["line_id"], record["lot_id"]][record["id"]]
                del self._reservations_by_lot[record["lot_id"]][record["id"]]
