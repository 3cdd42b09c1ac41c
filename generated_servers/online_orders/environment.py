"""Online orders. Compiled from blueprint.yaml; run `envscaler build online_orders` after changing it there.

Runs the orders of an outdoor shop on the internet, from reserved stock and payment through partial shipments to
returns and refunds.
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
    "No more of a product is reserved than is on hand.",
    "Of each line no more is reserved, sent and cancelled than was ordered.",
    "A product stands in an order once.",
    "Parcels leave only for orders that are paid for.",
    "A parcel holds only what its own order asked for.",
    "No parcel is heavier than its carrier takes.",
    "Refunds of an order never exceed what was paid for it.",
    "Nobody sends back more than was delivered.",
    "An order that must not be split travels in one parcel.",
    "Nobody owes more than their limit.",
    "A cancelled order holds no stock.",
    "A complete order has nothing left to send.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "place_order",
    "take_payment",
    "receive_goods",
    "reserve_stock",
    "cancel_items",
    "send_parcel",
    "confirm_delivery",
    "report_loss",
    "announce_return",
    "receive_return",
    "grant_goodwill",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "customers": ("name",),
    "products": ("name",),
    "orders": (),
    "lines": (),
    "parcels": (),
    "packed_items": (),
    "return_slips": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("lines", "order_id"),
    ("lines", "product_id"),
    ("orders", "customer_id"),
    ("orders", "status"),
    ("packed_items", "line_id"),
    ("packed_items", "parcel_id"),
    ("parcels", "order_id"),
    ("parcels", "status"),
    ("return_slips", "line_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Customer(TypedDict):
    id: str
    name: str
    limit: int
    credit: int


class Product(TypedDict):
    id: str
    name: str
    category: Literal["tents", "stoves", "packs", "sleeping", "clothing", "lights"]
    price: int
    grams: int
    last_stock: bool
    on_hand: int


class Order(TypedDict):
    id: str
    customer_id: str
    placed_on: str
    express: bool
    split_ok: bool
    fee: int
    paid: int
    refunded: int
    status: Literal["unpaid", "paid", "cancelled", "complete"]


class Line(TypedDict):
    id: str
    order_id: str
    product_id: str
    quantity: int
    unit_price: int
    reserved: int
    cancelled: int


class Parcel(TypedDict):
    id: str
    order_id: str
    carrier: Literal["post", "courier", "freight"]
    sent_on: str
    delivered_on: str | None
    status: Literal["under_way", "delivered", "lost"]


class PackedItem(TypedDict):
    id: str
    parcel_id: str
    line_id: str
    quantity: int


class ReturnSlip(TypedDict):
    id: str
    line_id: str
    quantity: int
    reason: Literal["wrong_size", "changed_mind", "defective", "wrong_item"]
    announced_on: str
    refund: int
    status: Literal["announced", "accepted", "refused"]


class PlaceOrderLine(TypedDict):
    product_id: str
    quantity: Annotated[int, {"minimum": 1, "maximum": 20}]


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


class OnlineOrders:
    """Runs the orders of an outdoor shop on the internet, from reserved stock and payment through partial
    shipments to returns and refunds.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.products: dict[str, Product] = _copied(config.get("products", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.parcels: dict[str, Parcel] = _copied(config.get("parcels", {}))
        self.packed_items: dict[str, PackedItem] = _copied(config.get("packed_items", {}))
        self.return_slips: dict[str, ReturnSlip] = _copied(config.get("return_slips", {}))
        self.now: str = config.get("now", "2026-03-10T08:30")
        self.counters: dict[str, int] = {
            "customer": len(self.customers),
            "product": len(self.products),
            "order": len(self.orders),
            "line": len(self.lines),
            "parcel": len(self.parcels),
            "packed_item": len(self.packed_items),
            "return_slip": len(self.return_slips),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._orders_by_customer: dict[Any, dict[str, Order]] = {}
        self._orders_by_customer_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_status: dict[Any, dict[str, Order]] = {}
        self._lines_by_order: dict[Any, dict[str, Line]] = {}
        self._lines_by_order_product: dict[Any, dict[str, Line]] = {}
        self._lines_by_product: dict[Any, dict[str, Line]] = {}
        self._parcels_by_order: dict[Any, dict[str, Parcel]] = {}
        self._parcels_by_order_status: dict[Any, dict[str, Parcel]] = {}
        self._packed_items_by_line: dict[Any, dict[str, PackedItem]] = {}
        self._packed_items_by_parcel: dict[Any, dict[str, PackedItem]] = {}
        self._return_slips_by_line: dict[Any, dict[str, ReturnSlip]] = {}
        for order in self.orders.values():
            self._link("orders", order)
        for line in self.lines.values():
            self._link("lines", line)
        for parcel in self.parcels.values():
            self._link("parcels", parcel)
        for packed_item in self.packed_items.values():
            self._link("packed_items", packed_item)
        for return_slip in self.return_slips.values():
            self._link("return_slips", return_slip)

    def ready_to_send(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Paid orders of which something can leave today, express first, with what is still missing.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        found = [
            o
            for o in self._orders_by_status.get("paid", {}).values()
            if any(
                l["reserved"] > 0
                and (o["split_ok"] or all(self._line_missing(m) == 0 for m in self._lines_of(o)))
                for l in self._lines_of(o)
            )
        ]
        found.sort(key=lambda o: (-o["express"], o["placed_on"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "id": o["id"],
                        "customer": self.customers[o["customer_id"]]["name"],
                        "placed_on": o["placed_on"],
                        "express": o["express"],
                        "pieces": sum(l["reserved"] for l in self._lines_of(o)),
                        "missing": sum(self._line_missing(l) for l in self._lines_of(o)),
                        "grams": sum(
                            l["reserved"] * self.products[l["product_id"]]["grams"]
                            for l in self._lines_of(o)
                        ),
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def waiting_for(
        self,
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lines that wait for a product, in the order in which they will be served.

        Args:
            product_id (str, optional): Product that the lines wait for; an id such as PRODUCT-00001. If left out,
                waiting lines of all products are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}} or {"success": False, "error": why
                not}
        """
        product = self.products.get(product_id) if product_id is not None else None
        if product_id is not None and product is None:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            l
            for l in self.lines.values()
            if (self._line_missing(l) > 0 and self.orders[l["order_id"]]["status"] in ("paid", "unpaid"))
            and (product_id is None or l["product_id"] == product_id)
        ]
        found.sort(
            key=lambda l: (
                self.orders[l["order_id"]]["status"],
                self.orders[l["order_id"]]["placed_on"],
                l["id"],
                _age(l),
            )
        )
        return _found(
            {
                "total": len(found),
                "lines": [
                    {
                        "id": l["id"],
                        "product": self.products[l["product_id"]]["name"],
                        "customer": self.customers[self.orders[l["order_id"]]["customer_id"]]["name"],
                        "placed_on": self.orders[l["order_id"]]["placed_on"],
                        "order_status": self.orders[l["order_id"]]["status"],
                        "missing": self._line_missing(l),
                        "reserved": l["reserved"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def may_come_back(
        self,
        customer_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What a customer may still send back, with the last day for it.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}} or {"success": False, "error": why
                not}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            l
            for l in [
                l
                for _order in self._orders_by_customer.get(customer_id, {}).values()
                for l in self._lines_by_order.get(_order["id"], {}).values()
            ]
            if (
                self.orders[l["order_id"]]["customer_id"] == customer_id
                and self._line_delivered(l) > self._line_sent_back(l)
            )
            and _plus_days(
                self._arrived(l) if self._arrived(l) is not None else _plus_days(self.now[:10], -100),
                30,
            ) >= self.now[:10]
        ]
        found.sort(
            key=lambda l: (self.orders[l["order_id"]]["placed_on"], self.products[l["product_id"]]["name"], _age(l))
        )
        return _found(
            {
                "total": len(found),
                "lines": [
                    {
                        "id": l["id"],
                        "product": self.products[l["product_id"]]["name"],
                        "placed_on": self.orders[l["order_id"]]["placed_on"],
                        "pieces": self._line_delivered(l) - self._line_sent_back(l),
                        "until": _plus_days(self._arrived(l) if self._arrived(l) is not None else self.now[:10], 30),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def slow_parcels(
        self,
        at_least: Annotated[int, {"minimum": 0, "maximum": 60}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Parcels that have been under way for some days, longest first.

        Args:
            at_least (int): Fewest days that a parcel has been under way, from 0 to 60.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parcels": records}} or {"success": False, "error": why
                not}
        """
        found = [
            q
            for q in self.parcels.values()
            if (q["status"] == "under_way" and _days_between(q["sent_on"], self.now[:10]) >= at_least)
        ]
        found.sort(key=lambda q: (q["sent_on"], q["id"], _age(q)))
        return _found(
            {
                "total": len(found),
                "parcels": [
                    {
                        "id": q["id"],
                        "customer": self.customers[self.orders[q["order_id"]]["customer_id"]]["name"],
                        "order_placed_on": self.orders[q["order_id"]]["placed_on"],
                        "carrier": q["carrier"],
                        "sent_on": q["sent_on"],
                    }
                    for q in _page(found, offset)
                ],
            }
        )

    def list_customers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
        ]
        return _found(
            {"total": len(found), "customers": [self._show_customer(customer) for customer in _page(found, offset)]}
        )

    def list_products(
        self,
        name: Text | None = None,
        category: Literal["tents", "stoves", "packs", "sleeping", "clothing", "lights"] | None = None,
        last_stock: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the products, oldest first, all of them or only some.

        Args:
            name (str, optional): Only products whose name contains this text.
            category (str, optional): Only products with this category.
            last_stock (bool, optional): Only products with this value of `last_stock`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "products": records}}
        """
        found = [
            product
            for product in self.products.values()
            if (name is None or name.casefold() in product["name"].casefold())
            and (category is None or product["category"] == category)
            and (last_stock is None or product["last_stock"] == last_stock)
        ]
        return _found(
            {"total": len(found), "products": [self._show_product(product) for product in _page(found, offset)]}
        )

    def list_orders(
        self,
        customer_id: str | None = None,
        express: bool | None = None,
        split_ok: bool | None = None,
        status: Literal["unpaid", "paid", "cancelled", "complete"] | None = None,
        placed_on_from: Date | None = None,
        placed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only orders of this customer.
            express (bool, optional): Only orders with this value of `express`.
            split_ok (bool, optional): Only orders with this value of `split_ok`.
            status (str, optional): Only orders with this status.
            placed_on_from (str, optional): Only orders whose `placed_on` is on this day or later.
            placed_on_to (str, optional): Only orders whose `placed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (customer_id is None or order["customer_id"] == customer_id)
            and (express is None or order["express"] == express)
            and (split_ok is None or order["split_ok"] == split_ok)
            and (status is None or order["status"] == status)
            and (placed_on_from is None or order["placed_on"] >= placed_on_from)
            and (placed_on_to is None or order["placed_on"] <= placed_on_to)
        ]
        shown = [self._show_order(order) for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_lines(
        self,
        order_id: str | None = None,
        product_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only lines of this order.
            product_id (str, optional): Only lines of this product.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        if product_id is not None and product_id not in self.products:
            return _refused(f"There is no product {product_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (order_id is None or line["order_id"] == order_id)
            and (product_id is None or line["product_id"] == product_id)
        ]
        shown = [self._show_line(line) for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_parcels(
        self,
        order_id: str | None = None,
        carrier: Literal["post", "courier", "freight"] | None = None,
        status: Literal["under_way", "delivered", "lost"] | None = None,
        sent_on_from: Date | None = None,
        sent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parcels, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only parcels of this order.
            carrier (str, optional): Only parcels with this carrier.
            status (str, optional): Only parcels with this status.
            sent_on_from (str, optional): Only parcels whose `sent_on` is on this day or later.
            sent_on_to (str, optional): Only parcels whose `sent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parcels": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        found = [
            parcel
            for parcel in self.parcels.values()
            if (order_id is None or parcel["order_id"] == order_id)
            and (carrier is None or parcel["carrier"] == carrier)
            and (status is None or parcel["status"] == status)
            and (sent_on_from is None or parcel["sent_on"] >= sent_on_from)
            and (sent_on_to is None or parcel["sent_on"] <= sent_on_to)
        ]
        return _found(
            {"total": len(found), "parcels": [self._show_parcel(parcel) for parcel in _page(found, offset)]}
        )

    def list_packed_items(
        self,
        parcel_id: str | None = None,
        line_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the packed items, oldest first, all of them or only some.

        Args:
            parcel_id (str, optional): Only packed items of this parcel.
            line_id (str, optional): Only packed items of this line.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "packed_items": records}}
        """
        if parcel_id is not None and parcel_id not in self.parcels:
            return _refused(f"There is no parcel {parcel_id!r}.")
        if line_id is not None and line_id not in self.lines:
            return _refused(f"There is no line {line_id!r}.")
        found = [
            packed_item
            for packed_item in self.packed_items.values()
            if (parcel_id is None or packed_item["parcel_id"] == parcel_id)
            and (line_id is None or packed_item["line_id"] == line_id)
        ]
        return _found(
            {"total": len(found), "packed_items": [{**packed_item} for packed_item in _page(found, offset)]}
        )

    def list_return_slips(
        self,
        line_id: str | None = None,
        reason: Literal["wrong_size", "changed_mind", "defective", "wrong_item"] | None = None,
        status: Literal["announced", "accepted", "refused"] | None = None,
        announced_on_from: Date | None = None,
        announced_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the return slips, oldest first, all of them or only some.

        Args:
            line_id (str, optional): Only return slips of this line.
            reason (str, optional): Only return slips with this reason.
            status (str, optional): Only return slips with this status.
            announced_on_from (str, optional): Only return slips whose `announced_on` is on this day or later.
            announced_on_to (str, optional): Only return slips whose `announced_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "return_slips": records}}
        """
        if line_id is not None and line_id not in self.lines:
            return _refused(f"There is no line {line_id!r}.")
        found = [
            return_slip
            for return_slip in self.return_slips.values()
            if (line_id is None or return_slip["line_id"] == line_id)
            and (reason is None or return_slip["reason"] == reason)
            and (status is None or return_slip["status"] == status)
            and (announced_on_from is None or return_slip["announced_on"] >= announced_on_from)
            and (announced_on_to is None or return_slip["announced_on"] <= announced_on_to)
        ]
        return _found(
            {"total": len(found), "return_slips": [{**return_slip} for return_slip in _page(found, offset)]}
        )

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def place_order(
        self,
        customer_id: str,
        lines: Annotated[list[PlaceOrderLine], {"maxItems": 20}],
        split_ok: bool = True,
        express: bool = False,
    ) -> Result:
        """Place an order for a customer; what is free of each product is reserved at once, the rest waits for goods.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            lines (list): One entry for each product, each product only once: product_id: product that is ordered;
                an id such as PRODUCT-00001; quantity: pieces of it, from 1 to 20.
            split_ok (bool): Whether the goods may be sent in several parcels. Default: true.
            express (bool): Whether the order goes by express, for a higher fee. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["product_id"] not in self.products:
                return _refused(f"There is no product {entry['product_id']!r}.")
            lines.append({"product": self.products[entry["product_id"]], "quantity": entry["quantity"]})
        if len(lines) <= 0:
            return _refused("An order names at least one product.")
        if not _different([l["product"]["id"] for l in lines]):
            return _refused("A product is named twice, so add the quantities up.")
        out = next(
            (
                l["product"]
                for l in lines
                if l["product"]["last_stock"]
                and l["quantity"] > self._product_free(l["product"])
            ),
            None,
        )
        if out is not None:
            return _refused(f"Only {self._product_free(out)} of {out['name']} are left and no more will come.")
        goods = sum(l["product"]["price"] * l["quantity"] for l in lines)
        if self._customer_owing(customer) + goods + 990 > customer["limit"]:
            return _refused(
                f"{customer['name']} owes {_money(self._customer_owing(customer))} and may owe "
                f"{_money(customer['limit'])}, so {_money(goods)} more is too much before a payment."
            )
        self._journal = []
        changed_orders: list[Any] = []
        added_lines: list[Any] = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "customer_id": customer_id,
            "placed_on": self.now[:10],
            "express": express,
            "split_ok": split_ok,
            "fee": 490,
            "paid": 0,
            "refunded": 0,
            "status": "unpaid",
        }
        self._add("orders", order)
        if goods >= 6000:
            changed_orders.append(order)
            self._put("orders", order, "fee", 0)
        if express:
            fee = order["fee"] + 500
            if not 0 <= fee <= 2000:
                return self._take_back(f"The fee of {order['id']} must be between 0.00 and 20.00.")
            changed_orders.append(order)
            self._put("orders", order, "fee", fee)
        for l in list(lines):
            reserved = min(l["quantity"], self._product_free(l["product"]))
            if not 0 <= reserved <= 40:
                return self._take_back("The reserved of a line must be between 0 and 40.")
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "order_id": order["id"],
                "product_id": l["product"]["id"],
                "quantity": l["quantity"],
                "unit_price": l["product"]["price"],
                "reserved": reserved,
                "cancelled": 0,
            }
            self._add("lines", line)
            added_lines.append(line)
        for one_product in _distinct([self.products[one["product_id"]] for one in added_lines]):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(order):
            return self._take_back(RULES[8])
        for one_customer in _distinct(
            [
                self.customers[order["customer_id"]],
                *[self.customers[one["customer_id"]] for one in changed_orders],
                *[
                    self.customers[one["customer_id"]]
                    for one in [self.orders[one["order_id"]] for one in added_lines]
                ],
            ]
        ):
            if self._breaks_rule_10(one_customer):
                return self._take_back(RULES[9])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: place an order of {len(lines)} products for {customer['name']} (new: order {order['id']})."
            ),
            "data": {"order_id": order["id"], **self._changes()},
        }

    def take_payment(self, order_id: str, use_credit: bool = False) -> Result:
        """Book the full payment of an order, from the customer's store credit first where that is wanted.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            use_credit (bool): Whether the customer's store credit is used up first. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "unpaid":
            return _refused(f"The order of {self.customers[order['customer_id']]['name']} is {order['status']}.")
        if use_credit and self.customers[order["customer_id"]]["credit"] <= 0:
            return _refused(f"{self.customers[order['customer_id']]['name']} has no store credit.")
        self._journal = []
        if use_credit:
            customer = self.customers[order["customer_id"]]
            credit = (
                self.customers[order["customer_id"]]["credit"]
                - min(self.customers[order["customer_id"]]["credit"], self._order_total(order))
            )
            if not 0 <= credit <= 100000:
                return self._take_back(f"The credit of {customer['name']} must be between 0.00 and 1,000.00.")
            self._put("customers", customer, "credit", credit)
        paid = self._order_total(order)
        if not 0 <= paid <= 1000000:
            return self._take_back(f"The paid of {order['id']} must be between 0.00 and 10,000.00.")
        self._put("orders", order, "paid", paid)
        self._put("orders", order, "status", "paid")
        for one_parcel in _distinct(self._parcels_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_4(one_parcel):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(self.customers[order["customer_id"]]):
            return self._take_back(RULES[9])
        for one_line in _distinct(self._lines_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct(self._lines_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: book the payment for the order of {self.customers[order['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def receive_goods(self, product_id: str, quantity: Annotated[int, {"minimum": 1, "maximum": 60}]) -> Result:
        """Put goods from a supplier on the shelf and reserve them for whoever waits, paid orders first and then by
        the day of the order.

        Args:
            product_id (str): Id of the product, such as PRODUCT-00001.
            quantity (int): Pieces that have come in, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        product = self.products.get(product_id)
        if product is None:
            return _refused(f"There is no product {product_id!r}.")
        if product["last_stock"]:
            return _refused(f"{product['name']} is no longer supplied.")
        if product["on_hand"] + quantity > 500:
            return _refused(f"The shelf of {product['name']} takes 500 pieces, {product['on_hand']} are there.")
        self._journal = []
        changed_lines: list[Any] = []
        on_hand = product["on_hand"] + quantity
        if not 0 <= on_hand <= 500:
            return self._take_back(f"The on hand of {product['name']} must be between 0 and 500.")
        self._put("products", product, "on_hand", on_hand)
        for l in sorted(
            [
                l
                for l in self._lines_by_product.get(product_id, {}).values()
                if self._line_missing(l) > 0
                and self.orders[l["order_id"]]["status"] in ("paid", "unpaid")
            ],
            key=lambda l: (
                self.orders[l["order_id"]]["status"],
                self.orders[l["order_id"]]["placed_on"],
                l["id"],
                _age(l),
            ),
        ):
            part = min(self._product_free(product), self._line_missing(l))
            if part > 0:
                reserved = l["reserved"] + part
                if not 0 <= reserved <= 40:
                    return self._take_back(f"The reserved of {l['id']} must be between 0 and 40.")
                changed_lines.append(l)
                self._put("lines", l, "reserved", reserved)
        for one_product in _distinct([product, *[self.products[one["product_id"]] for one in changed_lines]]):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: receive {quantity} of {product['name']}.",
            "data": self._changes(),
        }

    def reserve_stock(
        self,
        line_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 40}],
        taken_from_id: str | None = None,
    ) -> Result:
        """Reserve stock for a line that lacks some, out of what is free or out of what is reserved for another line.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            quantity (int): Pieces to reserve, at most what the line lacks, from 1 to 40.
            taken_from_id (str, optional): Line of the same product that gives up its reserved pieces; an id such
                as LINE-00001. If left out, only free stock is used.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        taken_from = self.lines.get(taken_from_id) if taken_from_id is not None else None
        if taken_from_id is not None and taken_from is None:
            return _refused(f"There is no line {taken_from_id!r}.")
        if self.orders[line["order_id"]]["status"] not in ("unpaid", "paid"):
            return _refused(
                f"The order of {self.customers[self.orders[line['order_id']]['customer_id']]['name']} is "
                f"{self.orders[line['order_id']]['status']}."
            )
        if quantity > self._line_missing(line):
            return _refused(
                f"The line lacks {self._line_missing(line)} of {self.products[line['product_id']]['name']}, not "
                f"{quantity}."
            )
        if not (taken_from_id is None or taken_from["product_id"] == line["product_id"] and taken_from is not line):
            return _refused(f"Only stock of {self.products[line['product_id']]['name']} from another order helps.")
        if taken_from_id is None and quantity > self._product_free(self.products[line["product_id"]]):
            return _refused(
                f"{self._product_free(self.products[line['product_id']])} of "
                f"{self.products[line['product_id']]['name']} are free, so take the rest from another line."
            )
        if taken_from_id is not None and quantity > taken_from["reserved"]:
            return _refused(f"That line has {taken_from['reserved']} reserved, not {quantity}.")
        if (
            taken_from_id is not None
            and self.orders[taken_from["order_id"]]["status"] == "paid"
            and self.orders[line["order_id"]]["status"] != "paid"
        ):
            return _refused(
                f"The order of {self.customers[self.orders[taken_from['order_id']]['customer_id']]['name']} is "
                f"paid for and that of {self.customers[self.orders[line['order_id']]['customer_id']]['name']} is not."
            )
        self._journal = []
        changed_lines: list[Any] = []
        if taken_from_id is not None:
            reserved = taken_from["reserved"] - quantity
            if not 0 <= reserved <= 40:
                return self._take_back(f"The reserved of {taken_from['id']} must be between 0 and 40.")
            changed_lines.append(taken_from)
            self._put("lines", taken_from, "reserved", reserved)
        new_reserved = line["reserved"] + quantity
        if not 0 <= new_reserved <= 40:
            return self._take_back(f"The reserved of {line['id']} must be between 0 and 40.")
        self._put("lines", line, "reserved", new_reserved)
        for one_product in _distinct(
            [self.products[line["product_id"]], *[self.products[one["product_id"]] for one in changed_lines]]
        ):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_line in _distinct([line, *changed_lines]):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        for one_line in _distinct([line, *changed_lines]):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct([line, *changed_lines]):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: reserve {quantity} of {self.products[line['product_id']]['name']} for the order of "
                f"{self.customers[self.orders[line['order_id']]['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_items(
        self,
        order_id: str,
        line_ids: Annotated[list[str], {"maxItems": 20}],
        missing_only: bool = False,
    ) -> Result:
        """Cancel what has not been sent of an order, or of some of its lines, or only what is missing; money paid for
        it goes back.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            line_ids (list): Lines of the order to cancel, none meaning the whole order: ids of lines, such as
                LINE-00001.
            missing_only (bool): Whether only the pieces without reserved stock are cancelled. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        lines = []
        for key in line_ids:
            if key not in self.lines:
                return _refused(f"There is no line {key!r}.")
            lines.append(self.lines[key])
        if order["status"] not in ("unpaid", "paid"):
            return _refused(f"The order of {self.customers[order['customer_id']]['name']} is {order['status']}.")
        if not _different([l["id"] for l in lines]):
            return _refused("A line is named twice.")
        if not all(l["order_id"] == order_id for l in lines):
            return _refused(f"All lines must belong to the order of {self.customers[order['customer_id']]['name']}.")
        chosen = [
            l
            for l in self._lines_of(order)
            if (len(lines) == 0 or l in lines)
            and self._line_missing(l) + (0 if missing_only else l["reserved"]) > 0
        ]
        if len(chosen) <= 0:
            return _refused("There is nothing of that kind left to cancel.")
        self._journal = []
        changed_lines: list[Any] = []
        changed_lines_2: list[Any] = []
        changed_orders: list[Any] = []
        changed_orders_2: list[Any] = []
        back = sum(l["unit_price"] * (self._line_missing(l) + (0 if missing_only else l["reserved"])) for l in chosen)
        for l in list(chosen):
            gone = self._line_missing(l) + (0 if missing_only else l["reserved"])
            if not missing_only:
                changed_lines.append(l)
                self._put("lines", l, "reserved", 0)
            cancelled = l["cancelled"] + gone
            if not 0 <= cancelled <= 40:
                return self._take_back(f"The cancelled of {l['id']} must be between 0 and 40.")
            changed_lines_2.append(l)
            self._put("lines", l, "cancelled", cancelled)
        if order["status"] == "paid":
            refunded = order["refunded"] + min(back, self._order_left(order))
            if not 0 <= refunded <= 1000000:
                return self._take_back(f"The refunded of {order['id']} must be between 0.00 and 10,000.00.")
            changed_orders.append(order)
            self._put("orders", order, "refunded", refunded)
        if all(l["cancelled"] == l["quantity"] for l in self._lines_of(order)):
            new_refunded = order["refunded"] + min(order["fee"], self._order_left(order))
            if not 0 <= new_refunded <= 1000000:
                return self._take_back(f"The refunded of {order['id']} must be between 0.00 and 10,000.00.")
            changed_orders.append(order)
            self._put("orders", order, "refunded", new_refunded)
            changed_orders_2.append(order)
            self._put("orders", order, "status", "cancelled")
        else:
            if order["status"] == "paid" and self._finished(order):
                if order["status"] not in ("paid", "complete"):
                    return self._take_back(f"Order {order['id']} cannot go from {order['status']} to complete.")
                changed_orders_2.append(order)
                self._put("orders", order, "status", "complete")
        for one_product in _distinct([self.products[one["product_id"]] for one in changed_lines]):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_line in _distinct([*changed_lines, *changed_lines_2]):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_7(one_order):
                return self._take_back(RULES[6])
        for one_customer in _distinct(
            [
                *[
                    self.customers[one["customer_id"]]
                    for one in [self.orders[one["order_id"]] for one in changed_lines_2]
                ],
                *[self.customers[one["customer_id"]] for one in changed_orders_2],
            ]
        ):
            if self._breaks_rule_10(one_customer):
                return self._take_back(RULES[9])
        for one_line in _distinct(
            [
                *changed_lines,
                *[user for one in changed_orders_2 for user in self._lines_by_order.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct(
            [
                *changed_lines,
                *changed_lines_2,
                *[user for one in changed_orders_2 for user in self._lines_by_order.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel items of the order of {self.customers[order['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def send_parcel(
        self,
        order_id: str,
        carrier: Literal["post", "courier", "freight"],
        line_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Send what is reserved for a paid order, or for some of its lines, in one parcel.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            carrier (str): Carrier, where post takes 10 kg, the courier 31.5 kg and freight more: post, courier or
                freight.
            line_ids (list): Lines of the order to send, none meaning all that is reserved: ids of lines, such as
                LINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        lines = []
        for key in line_ids:
            if key not in self.lines:
                return _refused(f"There is no line {key!r}.")
            lines.append(self.lines[key])
        if order["status"] != "paid":
            return _refused(f"The order of {self.customers[order['customer_id']]['name']} is {order['status']}.")
        if not _different([l["id"] for l in lines]):
            return _refused("A line is named twice.")
        if not all(l["order_id"] == order_id for l in lines):
            return _refused(f"All lines must belong to the order of {self.customers[order['customer_id']]['name']}.")
        chosen = [l for l in self._lines_of(order) if (len(lines) == 0 or l in lines) and l["reserved"] > 0]
        if len(chosen) <= 0:
            return _refused("Nothing of it is reserved, so reserve stock first.")
        if not (
            order["split_ok"]
            or all(self._line_missing(l) == 0 and (l["reserved"] == 0 or l in chosen) for l in self._lines_of(order))
        ):
            return _refused(
                f"{self.customers[order['customer_id']]['name']} wants everything in one parcel, so wait for it, "
                "or cancel what is missing."
            )
        weight = sum(l["reserved"] * self.products[l["product_id"]]["grams"] for l in chosen)
        if weight > self._heaviest(carrier):
            return _refused(f"{weight} grams are more than the {self._heaviest(carrier)} that go by {carrier}.")
        self._journal = []
        added_packed_items: list[Any] = []
        changed_products: list[Any] = []
        changed_lines: list[Any] = []
        parcel: Parcel = {
            "id": self._new_id("parcel", "PARCEL", self.parcels),
            "order_id": order_id,
            "carrier": carrier,
            "sent_on": self.now[:10],
            "delivered_on": None,
            "status": "under_way",
        }
        self._add("parcels", parcel)
        for l in list(chosen):
            quantity = l["reserved"]
            if not 1 <= quantity <= 40:
                return self._take_back("The quantity of a packed item must be between 1 and 40.")
            packed_item = {
                "id": self._new_id("packed_item", "PI", self.packed_items),
                "parcel_id": parcel["id"],
                "line_id": l["id"],
                "quantity": quantity,
            }
            self._add("packed_items", packed_item)
            added_packed_items.append(packed_item)
            product = self.products[l["product_id"]]
            on_hand = self.products[l["product_id"]]["on_hand"] - l["reserved"]
            if not 0 <= on_hand <= 500:
                return self._take_back(f"The on hand of {product['name']} must be between 0 and 500.")
            changed_products.append(product)
            self._put("products", product, "on_hand", on_hand)
            changed_lines.append(l)
            self._put("lines", l, "reserved", 0)
        for one_product in _distinct(
            [*changed_products, *[self.products[one["product_id"]] for one in changed_lines]]
        ):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_line in _distinct([*[self.lines[one["line_id"]] for one in added_packed_items], *changed_lines]):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        if self._breaks_rule_4(parcel):
            return self._take_back(RULES[3])
        for one_packed_item in _distinct(added_packed_items):
            if self._breaks_rule_5(one_packed_item):
                return self._take_back(RULES[4])
        for one_parcel in _distinct([parcel, *[self.parcels[one["parcel_id"]] for one in added_packed_items]]):
            if self._breaks_rule_6(one_parcel):
                return self._take_back(RULES[5])
        for one_line in _distinct([self.lines[one["line_id"]] for one in added_packed_items]):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.orders[parcel["order_id"]]):
            return self._take_back(RULES[8])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct([*[self.lines[one["line_id"]] for one in added_packed_items], *changed_lines]):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: send a parcel to {self.customers[order['customer_id']]['name']} by {carrier} (new: parcel "
                f"{parcel['id']})."
            ),
            "data": {"parcel_id": parcel["id"], **self._changes()},
        }

    def confirm_delivery(self, parcel_id: str) -> Result:
        """Note that a parcel arrived; the order is complete when nothing else is to come.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        if parcel["status"] != "under_way":
            return _refused(
                f"The parcel of {self.customers[self.orders[parcel['order_id']]['customer_id']]['name']} is "
                f"{parcel['status']}."
            )
        self._journal = []
        changed_orders: list[Any] = []
        self._put("parcels", parcel, "delivered_on", self.now[:10])
        self._put("parcels", parcel, "status", "delivered")
        if self.orders[parcel["order_id"]]["status"] == "paid" and self._finished(self.orders[parcel["order_id"]]):
            order = self.orders[parcel["order_id"]]
            if order["status"] not in ("paid", "complete"):
                return self._take_back(f"Order {order['id']} cannot go from {order['status']} to complete.")
            changed_orders.append(order)
            self._put("orders", order, "status", "complete")
        for one_line in _distinct(
            [self.lines[one["line_id"]] for one in self._packed_items_by_parcel.get(parcel["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        for one_line in _distinct(
            [self.lines[one["line_id"]] for one in self._packed_items_by_parcel.get(parcel["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.orders[parcel["order_id"]]):
            return self._take_back(RULES[8])
        for one_customer in _distinct([self.customers[one["customer_id"]] for one in changed_orders]):
            if self._breaks_rule_10(one_customer):
                return self._take_back(RULES[9])
        for one_line in _distinct(
            [user for one in changed_orders for user in self._lines_by_order.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct(
            [
                *[self.lines[one["line_id"]] for one in self._packed_items_by_parcel.get(parcel["id"], {}).values()],
                *[user for one in changed_orders for user in self._lines_by_order.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                "Done: confirm the delivery of the parcel to "
                f"{self.customers[self.orders[parcel['order_id']]['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def report_loss(self, parcel_id: str) -> Result:
        """Note that a carrier lost a parcel; what is free of its goods is reserved for the order again.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        if parcel["status"] != "under_way":
            return _refused(
                f"The parcel of {self.customers[self.orders[parcel['order_id']]['customer_id']]['name']} is "
                f"{parcel['status']}."
            )
        self._journal = []
        changed_lines: list[Any] = []
        self._put("parcels", parcel, "status", "lost")
        for k in sorted(self._packed_items_by_parcel.get(parcel_id, {}).values(), key=_age):
            part = min(self._product_free(self.products[self.lines[k["line_id"]]["product_id"]]), k["quantity"])
            line = self.lines[k["line_id"]]
            reserved = self.lines[k["line_id"]]["reserved"] + part
            if not 0 <= reserved <= 40:
                return self._take_back(f"The reserved of {line['id']} must be between 0 and 40.")
            changed_lines.append(line)
            self._put("lines", line, "reserved", reserved)
        for one_product in _distinct([self.products[one["product_id"]] for one in changed_lines]):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_line in _distinct(
            [
                *[self.lines[one["line_id"]] for one in self._packed_items_by_parcel.get(parcel["id"], {}).values()],
                *changed_lines,
            ]
        ):
            if self._breaks_rule_2(one_line):
                return self._take_back(RULES[1])
        for one_line in _distinct(
            [self.lines[one["line_id"]] for one in self._packed_items_by_parcel.get(parcel["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(self.orders[parcel["order_id"]]):
            return self._take_back(RULES[8])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_11(one_line):
                return self._take_back(RULES[10])
        for one_line in _distinct(
            [
                *[self.lines[one["line_id"]] for one in self._packed_items_by_parcel.get(parcel["id"], {}).values()],
                *changed_lines,
            ]
        ):
            if self._breaks_rule_12(one_line):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                "Done: report the parcel to "
                f"{self.customers[self.orders[parcel['order_id']]['customer_id']]['name']} as lost."
            ),
            "data": self._changes(),
        }

    def announce_return(
        self,
        line_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 40}],
        reason: Literal["wrong_size", "changed_mind", "defective", "wrong_item"],
    ) -> Result:
        """Announce the return of delivered goods, within 30 days of their arrival.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            quantity (int): Delivered pieces that come back, from 1 to 40.
            reason (str): Why the customer sends the goods back: wrong_size, changed_mind, defective or wrong_item.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        came = self._arrived(line)
        if came is None:
            return _refused(f"None of {self.products[line['product_id']]['name']} has been delivered.")
        if self.now[:10] > _plus_days(came, 30):
            return _refused(
                f"{self.products[line['product_id']]['name']} arrived on {came}, which is more than 30 days ago."
            )
        if quantity > self._line_delivered(line) - self._line_sent_back(line):
            return _refused(
                f"{self._line_delivered(line) - self._line_sent_back(line)} of "
                f"{self.products[line['product_id']]['name']} can come back, not {quantity}."
            )
        self._journal = []
        return_slip: ReturnSlip = {
            "id": self._new_id("return_slip", "RS", self.return_slips),
            "line_id": line_id,
            "quantity": quantity,
            "reason": reason,
            "announced_on": self.now[:10],
            "refund": 0,
            "status": "announced",
        }
        self._add("return_slips", return_slip)
        if self._breaks_rule_8(self.lines[return_slip["line_id"]]):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: announce the return of {quantity} of {self.products[line['product_id']]['name']} from "
                f"{self.customers[self.orders[line['order_id']]['customer_id']]['name']} (new: return slip "
                f"{return_slip['id']})."
            ),
            "data": {"return_slip_id": return_slip["id"], **self._changes()},
        }

    def receive_return(
        self,
        slip_id: str,
        condition: Literal["as_new", "damaged", "worn_out"],
        deduction: Annotated[int, {"minimum": 0, "maximum": 60}] = 0,
    ) -> Result:
        """Take in returned goods; they go on the shelf, to waste, or back to the customer without a refund.

        Args:
            slip_id (str): Announced return that has come in; an id such as RS-00001.
            condition (str): State of the goods, where worn out means they are refused without a refund: as_new,
                damaged or worn_out.
            deduction (int): Percent taken off the refund, only for a changed mind or wrong size, from 0 to 60.
                Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slip = self.return_slips.get(slip_id)
        if slip is None:
            return _refused(f"There is no return slip {slip_id!r}.")
        if slip["status"] != "announced":
            return _refused(f"That return is {slip['status']}.")
        if deduction != 0 and slip["reason"] not in ("changed_mind", "wrong_size"):
            return _refused(f"Nothing is deducted when the reason is {slip['reason']}.")
        if condition == "worn_out" and slip["reason"] == "defective":
            return _refused("A defective product is never refused as worn out.")
        if condition == "as_new" and slip["reason"] == "defective":
            return _refused("What came back as defective does not go on the shelf as new.")
        self._journal = []
        changed_return_slips: list[Any] = []
        changed_orders: list[Any] = []
        changed_products: list[Any] = []
        if condition == "worn_out":
            changed_return_slips.append(slip)
            self._put("return_slips", slip, "status", "refused")
        else:
            refund = min(
                _rounded(
                    Fraction(self.lines[slip["line_id"]]["unit_price"] * slip["quantity"] * (100 - deduction), 100)
                ),
                self._order_left(self.orders[self.lines[slip["line_id"]]["order_id"]]),
            )
            if not 0 <= refund <= 1000000:
                return self._take_back(f"The refund of {slip['id']} must be between 0.00 and 10,000.00.")
            self._put("return_slips", slip, "refund", refund)
            order = self.orders[self.lines[slip["line_id"]]["order_id"]]
            refunded = self.orders[self.lines[slip["line_id"]]["order_id"]]["refunded"] + slip["refund"]
            if not 0 <= refunded <= 1000000:
                return self._take_back(f"The refunded of {order['id']} must be between 0.00 and 10,000.00.")
            changed_orders.append(order)
            self._put("orders", order, "refunded", refunded)
            if slip["status"] not in ("announced", "accepted"):
                return self._take_back(f"Return slip {slip['id']} cannot go from {slip['status']} to accepted.")
            changed_return_slips.append(slip)
            self._put("return_slips", slip, "status", "accepted")
            if condition == "as_new":
                product = self.products[self.lines[slip["line_id"]]["product_id"]]
                on_hand = self.products[self.lines[slip["line_id"]]["product_id"]]["on_hand"] + slip["quantity"]
                if not 0 <= on_hand <= 500:
                    return self._take_back(f"The on hand of {product['name']} must be between 0 and 500.")
                changed_products.append(product)
                self._put("products", product, "on_hand", on_hand)
        for one_product in _distinct(changed_products):
            if self._breaks_rule_1(one_product):
                return self._take_back(RULES[0])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_7(one_order):
                return self._take_back(RULES[6])
        for one_line in _distinct([self.lines[one["line_id"]] for one in changed_return_slips]):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: take in {slip['quantity']} of "
                f"{self.products[self.lines[slip['line_id']]['product_id']]['name']} from "
                f"{self.customers[self.orders[self.lines[slip['line_id']]['order_id']]['customer_id']]['name']} "
                f"as {condition}."
            ),
            "data": self._changes(),
        }

    def grant_goodwill(
        self,
        order_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 60000}],
        as_credit: bool = False,
    ) -> Result:
        """Give part of what was paid for an order back, as money or as store credit.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            amount (int): Sum given back, at most what is left of the payment, in cents, from 100 to 60000.
            as_credit (bool): Whether it becomes store credit instead of money. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] not in ("paid", "complete"):
            return _refused(f"The order of {self.customers[order['customer_id']]['name']} is {order['status']}.")
        if amount > self._order_left(order):
            return _refused(
                f"Of the order {_money(self._order_left(order))} is left to give back, not {_money(amount)}."
            )
        if as_credit and self.customers[order["customer_id"]]["credit"] + amount > 100000:
            return _refused(
                f"{self.customers[order['customer_id']]['name']} has "
                f"{_money(self.customers[order['customer_id']]['credit'])} of credit already."
            )
        self._journal = []
        refunded = order["refunded"] + amount
        if not 0 <= refunded <= 1000000:
            return self._take_back(f"The refunded of {order['id']} must be between 0.00 and 10,000.00.")
        self._put("orders", order, "refunded", refunded)
        if as_credit:
            customer = self.customers[order["customer_id"]]
            credit = self.customers[order["customer_id"]]["credit"] + amount
            if not 0 <= credit <= 100000:
                return self._take_back(f"The credit of {customer['name']} must be between 0.00 and 1,000.00.")
            self._put("customers", customer, "credit", credit)
        if self._breaks_rule_7(order):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: give {self.customers[order['customer_id']]['name']} {_money(amount)} back.",
            "data": self._changes(),
        }

    def _show_customer(self, customer: Customer) -> dict[str, Any]:
        """The customer as an answer shows it."""
        return {**customer, "owing": self._customer_owing(customer)}

    def _show_product(self, product: Product) -> dict[str, Any]:
        """The product as an answer shows it."""
        return {**product, "reserved": self._product_reserved(product), "free": self._product_free(product)}

    def _show_order(self, order: Order) -> dict[str, Any]:
        """The order as an answer shows it."""
        return {
            **order,
            "goods": self._order_goods(order),
            "total": self._order_total(order),
            "left": self._order_left(order),
        }

    def _show_line(self, line: Line) -> dict[str, Any]:
        """The line as an answer shows it."""
        return {
            **line,
            "sent": self._line_sent(line),
            "delivered": self._line_delivered(line),
            "sent_back": self._line_sent_back(line),
            "missing": self._line_missing(line),
        }

    def _show_parcel(self, parcel: Parcel) -> dict[str, Any]:
        """The parcel as an answer shows it."""
        return {**parcel, "grams": self._parcel_grams(parcel)}

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names((self.customers, "name", [row["customer_id"] for row in shown]))

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names((self.products, "name", [row["product_id"] for row in shown]))

    def _customer_owing(self, customer: Customer) -> int:
        """The owing of a customer."""
        return sum(
            self._order_total(o)
            for o in self._orders_by_customer_status.get((customer["id"], "unpaid"), {}).values()
        )

    def _product_reserved(self, product: Product) -> int:
        """The reserved of a product."""
        return sum(l["reserved"] for l in self._lines_by_product.get(product["id"], {}).values())

    def _product_free(self, product: Product) -> int:
        """The free of a product."""
        return product["on_hand"] - self._product_reserved(product)

    def _order_goods(self, order: Order) -> int:
        """The goods of an order."""
        return sum(
            l["unit_price"] * (l["quantity"] - l["cancelled"])
            for l in self._lines_by_order.get(order["id"], {}).values()
        )

    def _order_total(self, order: Order) -> int:
        """The total of an order."""
        return self._order_goods(order) + order["fee"]

    def _order_left(self, order: Order) -> int:
        """The left of an order."""
        return order["paid"] - order["refunded"]

    def _line_sent(self, line: Line) -> int:
        """The sent of a line."""
        return sum(
            k["quantity"]
            for k in self._packed_items_by_line.get(line["id"], {}).values()
            if self.parcels[k["parcel_id"]]["status"] != "lost"
        )

    def _line_delivered(self, line: Line) -> int:
        """The delivered of a line."""
        return sum(
            k["quantity"]
            for k in self._packed_items_by_line.get(line["id"], {}).values()
            if self.parcels[k["parcel_id"]]["status"] == "delivered"
        )

    def _line_sent_back(self, line: Line) -> int:
        """The sent back of a line."""
        return sum(
            r["quantity"]
            for r in self._return_slips_by_line.get(line["id"], {}).values()
            if r["status"] != "refused"
        )

    def _line_missing(self, line: Line) -> int:
        """The missing of a line."""
        return line["quantity"] - line["cancelled"] - self._line_sent(line) - line["reserved"]

    def _parcel_grams(self, parcel: Parcel) -> int:
        """The grams of a parcel."""
        return sum(
            k["quantity"] * self.products[self.lines[k["line_id"]]["product_id"]]["grams"]
            for k in self._packed_items_by_parcel.get(parcel["id"], {}).values()
        )

    def _heaviest(self, carrier: str) -> int:
        return 10000 if carrier == "post" else 31500 if carrier == "courier" else 250000

    def _lines_of(self, o: Order) -> list[Line]:
        return sorted(self._lines_by_order.get(o["id"], {}).values(), key=_age)

    def _arrived(self, l: Line) -> str | None:
        return max(
            (
                self.parcels[k["parcel_id"]]["delivered_on"]
                if self.parcels[k["parcel_id"]]["delivered_on"] is not None
                else self.parcels[k["parcel_id"]]["sent_on"]
                for k in self._packed_items_by_line.get(l["id"], {}).values()
                if self.parcels[k["parcel_id"]]["status"] == "delivered"
            ),
            default=None,
        )

    def _finished(self, o: Order) -> bool:
        return (
            all(
                self._line_missing(l) == 0
                and l["reserved"] == 0
                for l in self._lines_by_order.get(o["id"], {}).values()
            )
            and not self._parcels_by_order_status.get((o["id"], "under_way"), {})
        )

    def _breaks_rule_1(self, p: Product) -> bool:
        """Whether this is broken: no more of a product is reserved than is on hand."""
        return self._product_reserved(p) > p["on_hand"]

    def _breaks_rule_2(self, l: Line) -> bool:
        """Whether this is broken: of each line no more is reserved, sent and cancelled than was ordered."""
        return self._line_missing(l) < 0

    def _breaks_rule_3(self, l: Line) -> bool:
        """Whether this is broken: a product stands in an order once."""
        return any(
            other_l is not l
            for other_l in self._lines_by_order_product.get((l["order_id"], l["product_id"]), {}).values()
        )

    def _breaks_rule_4(self, q: Parcel) -> bool:
        """Whether this is broken: parcels leave only for orders that are paid for."""
        return self.orders[q["order_id"]]["paid"] <= 0

    def _breaks_rule_5(self, k: PackedItem) -> bool:
        """Whether this is broken: a parcel holds only what its own order asked for."""
        return self.lines[k["line_id"]]["order_id"] != self.parcels[k["parcel_id"]]["order_id"]

    def _breaks_rule_6(self, q: Parcel) -> bool:
        """Whether this is broken: no parcel is heavier than its carrier takes."""
        return self._parcel_grams(q) > self._heaviest(q["carrier"])

    def _breaks_rule_7(self, o: Order) -> bool:
        """Whether this is broken: refunds of an order never exceed what was paid for it."""
        return o["refunded"] > o["paid"]

    def _breaks_rule_8(self, l: Line) -> bool:
        """Whether this is broken: nobody sends back more than was delivered."""
        return self._line_sent_back(l) > self._line_delivered(l)

    def _breaks_rule_9(self, o: Order) -> bool:
        """Whether this is broken: an order that must not be split travels in one parcel."""
        return (
            not o["split_ok"]
            and sum(1 for q in self._parcels_by_order.get(o["id"], {}).values() if q["status"] != "lost") > 1
        )

    def _breaks_rule_10(self, c: Customer) -> bool:
        """Whether this is broken: nobody owes more than their limit."""
        return self._customer_owing(c) > c["limit"]

    def _breaks_rule_11(self, l: Line) -> bool:
        """Whether this is broken: a cancelled order holds no stock."""
        return self.orders[l["order_id"]]["status"] == "cancelled" and l["reserved"] != 0

    def _breaks_rule_12(self, l: Line) -> bool:
        """Whether this is broken: a complete order has nothing left to send."""
        return (
            self.orders[l["order_id"]]["status"] == "complete"
            and (self._line_missing(l) != 0 or l["reserved"] != 0)
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
            case "orders":
                self._orders_by_customer.setdefault(record["customer_id"], {})[record["id"]] = record
                self._orders_by_customer_status.setdefault(
                    (record["customer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "lines":
                self._lines_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._lines_by_order_product.setdefault(
                    (record["order_id"], record["product_id"]),
                    {},
                )[record["id"]] = record
                self._lines_by_product.setdefault(record["product_id"], {})[record["id"]] = record
            case "parcels":
                self._parcels_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._parcels_by_order_status.setdefault(
                    (record["order_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "packed_items":
                self._packed_items_by_line.setdefault(record["line_id"], {})[record["id"]] = record
                self._packed_items_by_parcel.setdefault(record["parcel_id"], {})[record["id"]] = record
            case "return_slips":
                self._return_slips_by_line.setdefault(record["line_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "orders":
                del self._orders_by_customer[record["customer_id"]][record["id"]]
                del self._orders_by_customer_status[record["customer_id"], record["status"]][record["id"]]
                del self._orders_by_status[record["status"]][record["id"]]
            case "lines":
                del self._lines_by_order[record["order_id"]][record["id"]]
                del self._lines_by_order_product[record["order_id"], record["product_id"]][record["id"]]
                del self._lines_by_product[record["product_id"]][record["id"]]
            case "parcels":
                del self._parcels_by_order[record["order_id"]][record["id"]]
                del self._parcels_by_order_status[record["order_id"], record["status"]][record["id"]]
            case "packed_items":
                del self._packed_items_by_line[record["line_id"]][record["id"]]
                del self._packed_items_by_parcel[record["parcel_id"]][record["id"]]
            case "return_slips":
                del self._return_slips_by_line[record["line_id"]][record["id"]]
