"""Auction house. Compiled from blueprint.yaml; run `envscaler build auction_house` after changing it there.

Sells lots at auction with reserves, rising steps and commission bids, charges buyers a premium, settles with
sellers and bars who does not pay.
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
    "A lot number is given once in a sale.",
    "The reserve never lies above the low estimate, nor that above the high one.",
    "One lot of a sale is on the block at a time.",
    "No two bids on a lot are alike.",
    "Nobody bids on what they sell.",
    "A client leaves one commission bid on a lot.",
    "Sold lots have a buyer, a price and an invoice, and other lots have none of these.",
    "A lot is charged to its buyer, with the sale it was in.",
    "A client has one open invoice for a sale.",
    "Nobody pays more than they owe, and an invoice is paid when nothing is left.",
    "A seller is paid only for what the buyer has paid.",
    "Exactly those who defaulted are barred, and they have no commission bid on a lot to come.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "consign_lot",
    "change_reserve",
    "withdraw_lot",
    "leave_bid",
    "open_lot",
    "place_bid",
    "hammer_lot",
    "sell_after",
    "take_payment",
    "declare_default",
    "settle_seller",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "clients": ("name",),
    "sales": ("name",),
    "steps": (),
    "lots": ("title",),
    "orders": (),
    "bids": (),
    "invoices": (),
    "payouts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bids", "lot_id"),
    ("invoices", "client_id"),
    ("invoices", "sale_id"),
    ("invoices", "status"),
    ("lots", "invoice_id"),
    ("lots", "sale_id"),
    ("lots", "seller_id"),
    ("lots", "status"),
    ("lots", "title"),
    ("orders", "client_id"),
    ("orders", "lot_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Client(TypedDict):
    id: str
    name: str
    limit: int
    commission: int
    barred: bool


class Sale(TypedDict):
    id: str
    name: str
    on: str
    premium: int


class Step(TypedDict):
    id: str
    start: int
    rise: int


class Lot(TypedDict):
    id: str
    title: str
    sale_id: str
    number: int
    seller_id: str
    low: int
    high: int
    reserve: int | None
    buyer_id: str | None
    hammer: int | None
    invoice_id: str | None
    payout_id: str | None
    status: Literal["catalogued", "on_block", "withdrawn", "sold", "passed"]


class Order(TypedDict):
    id: str
    lot_id: str
    client_id: str
    maximum: int


class Bid(TypedDict):
    id: str
    lot_id: str
    client_id: str
    amount: int
    source: Literal["room", "order"]


class Invoice(TypedDict):
    id: str
    client_id: str
    sale_id: str
    due_on: str
    penalty: int
    paid: int
    status: Literal["open", "paid", "defaulted"]


class Payout(TypedDict):
    id: str
    seller_id: str
    sale_id: str
    amount: int
    made_on: str


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class AuctionHouse:
    """Sells lots at auction with reserves, rising steps and commission bids, charges buyers a premium,
    settles with sellers and bars who does not pay.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.clients: dict[str, Client] = _copied(config.get("clients", {}))
        self.sales: dict[str, Sale] = _copied(config.get("sales", {}))
        self.steps: dict[str, Step] = _copied(config.get("steps", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.bids: dict[str, Bid] = _copied(config.get("bids", {}))
        self.invoices: dict[str, Invoice] = _copied(config.get("invoices", {}))
        self.payouts: dict[str, Payout] = _copied(config.get("payouts", {}))
        self.now: str = config.get("now", "2026-05-20T15:15")
        self.counters: dict[str, int] = {
            "client": len(self.clients),
            "sale": len(self.sales),
            "step": len(self.steps),
            "lot": len(self.lots),
            "order": len(self.orders),
            "bid": len(self.bids),
            "invoice": len(self.invoices),
            "payout": len(self.payouts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lots_by_invoice: dict[Any, dict[str, Lot]] = {}
        self._lots_by_sale: dict[Any, dict[str, Lot]] = {}
        self._lots_by_sale_seller_status: dict[Any, dict[str, Lot]] = {}
        self._lots_by_sale_status: dict[Any, dict[str, Lot]] = {}
        self._lots_by_title: dict[Any, dict[str, Lot]] = {}
        self._orders_by_client: dict[Any, dict[str, Order]] = {}
        self._orders_by_lot: dict[Any, dict[str, Order]] = {}
        self._orders_by_lot_client: dict[Any, dict[str, Order]] = {}
        self._bids_by_lot: dict[Any, dict[str, Bid]] = {}
        self._invoices_by_client: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_client_sale_status: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_client_status: dict[Any, dict[str, Invoice]] = {}
        for lot in self.lots.values():
            self._link("lots", lot)
        for order in self.orders.values():
            self._link("orders", order)
        for bid in self.bids.values():
            self._link("bids", bid)
        for invoice in self.invoices.values():
            self._link("invoices", invoice)

    def state_of_bidding(self, lot_id: str) -> Result:
        """Where a lot stands, with the highest bid, the next step and whether the reserve is reached.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "data": {price, bidder, next_bid, reserve_reached}} or {"success": False,
                "error": why not}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        top = self._top_bid(lot)
        return _found(
            {
                "price": self._lot_price(lot),
                "bidder": self.clients[top["client_id"]]["name"] if top is not None else "nobody",
                "next_bid": self._next_bid(lot),
                "reserve_reached": self._lot_price(lot) is not None and self._lot_price(lot) >= (
                    lot["reserve"]
                    if lot["reserve"] is not None
                    else lot["low"] // 2
                ),
            }
        )

    def overdue_invoices(
        self,
        sale_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open invoices whose day has passed, longest overdue first.

        Args:
            sale_id (str, optional): Only invoices of this sale; an id such as SALE-00001. If left out, the overdue
                invoices of all sales are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}} or {"success": False, "error": why
                not}
        """
        sale = self.sales.get(sale_id) if sale_id is not None else None
        if sale_id is not None and sale is None:
            return _refused(f"There is no sale {sale_id!r}.")
        found = [
            i
            for i in self.invoices.values()
            if (i["status"] == "open" and i["due_on"] < self.now[:10])
            and (sale_id is None or i["sale_id"] == sale_id)
        ]
        found.sort(key=lambda i: (i["due_on"], self.clients[i["client_id"]]["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "invoices": [
                    {
                        "id": i["id"],
                        "client": self.clients[i["client_id"]]["name"],
                        "sale": self.sales[i["sale_id"]]["name"],
                        "due_on": i["due_on"],
                        "left": self._invoice_left(i),
                        "paid": i["paid"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def sellers_to_settle(
        self,
        sale_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sellers to whom money of a sale can be paid out, with the lots.

        Args:
            sale_id (str): Id of the sale, such as SALE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clients": records}} or {"success": False, "error": why
                not}
        """
        sale = self.sales.get(sale_id)
        if sale is None:
            return _refused(f"There is no sale {sale_id!r}.")
        found = [c for c in self.clients.values() if len(self._to_settle(c, sale)) > 0]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "clients": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "lots": [*[l["title"] for l in self._to_settle(c, sale)]],
                        "hammer": sum(
                            l["hammer"]
                            if l["hammer"] is not None
                            else l["low"]
                            for l in self._to_settle(c, sale)
                        ),
                        "commission": c["commission"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_clients(
        self,
        name: Text | None = None,
        barred: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clients whose name contains this text.
            barred (bool, optional): Only clients that are barred (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clients": records}}
        """
        found = [
            client
            for client in self.clients.values()
            if (name is None or name.casefold() in client["name"].casefold())
            and (barred is None or client["barred"] == barred)
        ]
        return _found(
            {"total": len(found), "clients": [self._show_client(client) for client in _page(found, offset)]}
        )

    def list_sales(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sales, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sales whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sales": records}}
        """
        found = [sale for sale in self.sales.values() if (name is None or name.casefold() in sale["name"].casefold())]
        return _found({"total": len(found), "sales": [self._show_sale(sale) for sale in _page(found, offset)]})

    def list_steps(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """List the steps, oldest first, all of them or only some.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}}
        """
        found = list(self.steps.values())
        return _found({"total": len(found), "steps": [{**step} for step in _page(found, offset)]})

    def list_lots(
        self,
        title: Text | None = None,
        sale_id: str | None = None,
        seller_id: str | None = None,
        buyer_id: str | None = None,
        invoice_id: str | None = None,
        payout_id: str | None = None,
        status: Literal["catalogued", "on_block", "withdrawn", "sold", "passed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            title (str, optional): Only lots whose title contains this text.
            sale_id (str, optional): Only lots of this sale.
            seller_id (str, optional): Only lots whose seller is this client.
            buyer_id (str, optional): Only lots whose buyer is this client.
            invoice_id (str, optional): Only lots of this invoice.
            payout_id (str, optional): Only lots of this payout.
            status (str, optional): Only lots with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if sale_id is not None and sale_id not in self.sales:
            return _refused(f"There is no sale {sale_id!r}.")
        if seller_id is not None and seller_id not in self.clients:
            return _refused(f"There is no client {seller_id!r}.")
        if buyer_id is not None and buyer_id not in self.clients:
            return _refused(f"There is no client {buyer_id!r}.")
        if invoice_id is not None and invoice_id not in self.invoices:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if payout_id is not None and payout_id not in self.payouts:
            return _refused(f"There is no payout {payout_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (title is None or title.casefold() in lot["title"].casefold())
            and (sale_id is None or lot["sale_id"] == sale_id)
            and (seller_id is None or lot["seller_id"] == seller_id)
            and (buyer_id is None or lot["buyer_id"] == buyer_id)
            and (invoice_id is None or lot["invoice_id"] == invoice_id)
            and (payout_id is None or lot["payout_id"] == payout_id)
            and (status is None or lot["status"] == status)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_orders(
        self,
        lot_id: str | None = None,
        client_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only orders of this lot.
            client_id (str, optional): Only orders of this client.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        if client_id is not None and client_id not in self.clients:
            return _refused(f"There is no client {client_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (lot_id is None or order["lot_id"] == lot_id)
            and (client_id is None or order["client_id"] == client_id)
        ]
        shown = [{**order} for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_bids(
        self,
        lot_id: str | None = None,
        client_id: str | None = None,
        source: Literal["room", "order"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bids, oldest first, all of them or only some.

        Args:
            lot_id (str, optional): Only bids of this lot.
            client_id (str, optional): Only bids of this client.
            source (str, optional): Only bids with this source.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bids": records}}
        """
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        if client_id is not None and client_id not in self.clients:
            return _refused(f"There is no client {client_id!r}.")
        found = [
            bid
            for bid in self.bids.values()
            if (lot_id is None or bid["lot_id"] == lot_id)
            and (client_id is None or bid["client_id"] == client_id)
            and (source is None or bid["source"] == source)
        ]
        shown = [{**bid} for bid in _page(found, offset)]
        return _found({"total": len(found), "bids": shown}, self._names_of_bids(shown))

    def list_invoices(
        self,
        client_id: str | None = None,
        sale_id: str | None = None,
        status: Literal["open", "paid", "defaulted"] | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invoices, oldest first, all of them or only some.

        Args:
            client_id (str, optional): Only invoices of this client.
            sale_id (str, optional): Only invoices of this sale.
            status (str, optional): Only invoices with this status.
            due_on_from (str, optional): Only invoices whose `due_on` is on this day or later.
            due_on_to (str, optional): Only invoices whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}}
        """
        if client_id is not None and client_id not in self.clients:
            return _refused(f"There is no client {client_id!r}.")
        if sale_id is not None and sale_id not in self.sales:
            return _refused(f"There is no sale {sale_id!r}.")
        found = [
            invoice
            for invoice in self.invoices.values()
            if (client_id is None or invoice["client_id"] == client_id)
            and (sale_id is None or invoice["sale_id"] == sale_id)
            and (status is None or invoice["status"] == status)
            and (due_on_from is None or invoice["due_on"] >= due_on_from)
            and (due_on_to is None or invoice["due_on"] <= due_on_to)
        ]
        shown = [self._show_invoice(invoice) for invoice in _page(found, offset)]
        return _found({"total": len(found), "invoices": shown}, self._names_of_invoices(shown))

    def list_payouts(
        self,
        seller_id: str | None = None,
        sale_id: str | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payouts, oldest first, all of them or only some.

        Args:
            seller_id (str, optional): Only payouts whose seller is this client.
            sale_id (str, optional): Only payouts of this sale.
            made_on_from (str, optional): Only payouts whose `made_on` is on this day or later.
            made_on_to (str, optional): Only payouts whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payouts": records}}
        """
        if seller_id is not None and seller_id not in self.clients:
            return _refused(f"There is no client {seller_id!r}.")
        if sale_id is not None and sale_id not in self.sales:
            return _refused(f"There is no sale {sale_id!r}.")
        found = [
            payout
            for payout in self.payouts.values()
            if (seller_id is None or payout["seller_id"] == seller_id)
            and (sale_id is None or payout["sale_id"] == sale_id)
            and (made_on_from is None or payout["made_on"] >= made_on_from)
            and (made_on_to is None or payout["made_on"] <= made_on_to)
        ]
        shown = [{**payout} for payout in _page(found, offset)]
        return _found({"total": len(found), "payouts": shown}, self._names_of_payouts(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def consign_lot(
        self,
        sale_id: str,
        seller_id: str,
        title: Text,
        low: Annotated[int, {"minimum": 2000, "maximum": 2000000}],
        high: Annotated[int, {"minimum": 2000, "maximum": 3000000}],
        reserve: Annotated[int, {"minimum": 1000, "maximum": 2000000}] | None = None,
    ) -> Result:
        """Take a lot into a sale that has not begun; it gets the next number.

        Args:
            sale_id (str): Id of the sale, such as SALE-00001.
            seller_id (str): Client who puts the lot into the sale, not barred; an id such as CLIENT-00001.
            title (str): Title of the lot in the catalogue, not in use yet.
            low (int): Low end of the estimate, in cents, from 2000 to 2000000.
            high (int): High end of the estimate, not below its low end, in cents, from 2000 to 3000000.
            reserve (int, optional): Price below which the lot is not sold, at most the low estimate, in cents,
                from 1000 to 2000000. If left out, the lot has no reserve.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sale = self.sales.get(sale_id)
        if sale is None:
            return _refused(f"There is no sale {sale_id!r}.")
        seller = self.clients.get(seller_id)
        if seller is None:
            return _refused(f"There is no client {seller_id!r}.")
        if sale["on"] <= self.now[:10]:
            return _refused(f"{sale['name']} began on {sale['on']}, its catalogue is closed.")
        if seller["barred"]:
            return _refused(f"{seller['name']} is barred.")
        if self._lots_by_title.get(title, {}):
            return _refused(f"There is a lot {title} already.")
        if low > high:
            return _refused(f"The estimate runs from {_money(low)} to {_money(high)}, which is upside down.")
        if reserve is not None and reserve > low:
            return _refused(f"The reserve lies above the low estimate of {_money(low)}.")
        if len(self._lots_by_sale.get(sale_id, {})) >= 99:
            return _refused(f"The catalogue of {sale['name']} is full.")
        self._journal = []
        number = (
            (
                max((l["number"] for l in self._lots_by_sale.get(sale_id, {}).values()), default=None)
                if max((l["number"] for l in self._lots_by_sale.get(sale_id, {}).values()), default=None) is not None
                else 0
            )
            + 1
        )
        if not 1 <= number <= 99:
            return self._take_back("The number of a lot must be between 1 and 99.")
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "title": title,
            "sale_id": sale_id,
            "number": number,
            "seller_id": seller_id,
            "low": low,
            "high": high,
            "reserve": reserve,
            "buyer_id": None,
            "hammer": None,
            "invoice_id": None,
            "payout_id": None,
            "status": "catalogued",
        }
        self._add("lots", lot)
        if len(self._lots_by_title.get(lot["title"], {})) > 1:
            return self._take_back(f"There is already a lot with the title {lot['title']!r}.")
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lot):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(lot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lot):
            return self._take_back(RULES[7])
        for one_invoice in _distinct([self.invoices.get(lot["invoice_id"])]):
            if self._breaks_rule_10(one_invoice):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(lot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take {title} of {seller['name']} into {sale['name']} (new: lot {lot['id']}).",
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def change_reserve(
        self,
        lot_id: str,
        reserve: Annotated[int, {"minimum": 1000, "maximum": 2000000}] | None = None,
    ) -> Result:
        """Lower the reserve of a lot that is not sold yet, or drop it where no amount is named.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            reserve (int, optional): New reserve, lower than the one now, in cents, from 1000 to 2000000. If left
                out, the reserve is dropped.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] not in ("catalogued", "on_block", "passed"):
            return _refused(f"{lot['title']} is {lot['status']}.")
        if lot["reserve"] is None:
            return _refused(f"{lot['title']} has no reserve.")
        if reserve is not None and reserve >= lot["reserve"]:
            return _refused(f"A reserve only ever goes down, and it is {_money(lot['reserve'])} now.")
        self._journal = []
        self._put("lots", lot, "reserve", reserve)
        if self._breaks_rule_2(lot):
            return self._take_back(RULES[1])
        done = f"change the reserve of {lot['title']}"
        if reserve is not None:
            done += f" to {_money(reserve)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def withdraw_lot(self, lot_id: str) -> Result:
        """Take a lot out of the sale before it comes up; commission bids on it are void.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "catalogued":
            return _refused(f"{lot['title']} is {lot['status']}.")
        self._journal = []
        deleted_orders: list[Any] = []
        for o in sorted(self._orders_by_lot.get(lot_id, {}).values(), key=_age):
            if o["id"] in self.orders:
                self._remove("orders", o)
            deleted_orders.append(o)
        self._put("lots", lot, "status", "withdrawn")
        if self._breaks_rule_3(lot):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(lot):
            return self._take_back(RULES[6])
        for one_order in _distinct(self._orders_by_lot.get(lot["id"], {}).values()):
            if one_order["id"] in self.orders and self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: withdraw {lot['title']}.", "data": self._changes()}

    def leave_bid(
        self,
        lot_id: str,
        client_id: str,
        maximum: Annotated[int, {"minimum": 500, "maximum": 9000000}],
    ) -> Result:
        """Leave a commission bid with a maximum before a lot comes up, or raise the one that is there.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            client_id (str): Id of the client, such as CLIENT-00001.
            maximum (int): Highest amount the client will bid, without premium, in cents, from 500 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        if lot["status"] != "catalogued":
            return _refused(f"{lot['title']} is {lot['status']}, so it is too late for a commission bid.")
        if client["barred"]:
            return _refused(f"{client['name']} is barred until {_money(self._client_owes(client))} are paid.")
        if client_id == lot["seller_id"]:
            return _refused(f"{client['name']} is the seller of {lot['title']}.")
        if maximum < lot["low"] // 2:
            return _refused(f"Bidding on {lot['title']} begins at {_money(lot['low'] // 2)}.")
        if self._client_owes(client) + maximum > client["limit"]:
            return _refused(
                f"{client['name']} owes {_money(self._client_owes(client))} and may go to "
                f"{_money(client['limit'])} in all."
            )
        old = next(
            (o for o in sorted(self._orders_by_lot_client.get((lot_id, client_id), {}).values(), key=_age)),
            None,
        )
        if old is not None and old["maximum"] >= maximum:
            return _refused(
                f"{client['name']} has left {_money(old['maximum'])} on {lot['title']}, so only more than that "
                "changes anything."
            )
        self._journal = []
        added_orders: list[Any] = []
        if old is not None:
            self._put("orders", old, "maximum", maximum)
        else:
            order = {
                "id": self._new_id("order", "ORDER", self.orders),
                "lot_id": lot_id,
                "client_id": client_id,
                "maximum": maximum,
            }
            self._add("orders", order)
            added_orders.append(order)
        for one_order in _distinct(added_orders):
            if self._breaks_rule_5_o(one_order):
                return self._take_back(RULES[4])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_6(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: leave a commission bid of {client['name']} on {lot['title']} up to {_money(maximum)}.",
            "data": self._changes(),
        }

    def open_lot(self, lot_id: str) -> Result:
        """Put the next lot of a sale on the block; the best commission bid opens, as low as the others allow but at
        the reserve if it goes that far.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "catalogued":
            return _refused(f"{lot['title']} is {lot['status']}.")
        if self.sales[lot["sale_id"]]["on"] > self.now[:10]:
            return _refused(f"{self.sales[lot['sale_id']]['name']} begins on {self.sales[lot['sale_id']]['on']}.")
        busy = next(
            (l for l in sorted(self._lots_by_sale_status.get((lot["sale_id"], "on_block"), {}).values(), key=_age)),
            None,
        )
        if busy is not None:
            return _refused(f"{busy['title']} is still on the block.")
        before = self._next_lot(self.sales[lot["sale_id"]])
        if before is not None and before is not lot:
            return _refused(f"Lot {before['number']}, {before['title']}, comes first.")
        self._journal = []
        added_bids: list[Any] = []
        self._put("lots", lot, "status", "on_block")
        best = self._best_order(lot, None)
        if best is not None:
            second = self._best_order(lot, self.clients[best["client_id"]])
            wanted = (
                lot["low"] // 2
                if second is None
                else max(lot["low"] // 2, second["maximum"] + self._rise_at(second["maximum"]))
            )
            amount = min(best["maximum"], max(wanted, lot["reserve"] if lot["reserve"] is not None else wanted))
            if not 500 <= amount <= 9000000:
                return self._take_back("The amount of a bid must be between 5.00 and 90,000.00.")
            bid = {
                "id": self._new_id("bid", "BID", self.bids),
                "lot_id": lot_id,
                "client_id": best["client_id"],
                "amount": amount,
                "source": "order",
            }
            self._add("bids", bid)
            added_bids.append(bid)
        if self._breaks_rule_3(lot):
            return self._take_back(RULES[2])
        for one_bid in _distinct(added_bids):
            if self._breaks_rule_4(one_bid):
                return self._take_back(RULES[3])
        for one_bid in _distinct(added_bids):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        if self._breaks_rule_7(lot):
            return self._take_back(RULES[6])
        for one_order in _distinct(self._orders_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: put {lot['title']} on the block.", "data": self._changes()}

    def place_bid(
        self,
        lot_id: str,
        client_id: str,
        amount: Annotated[int, {"minimum": 500, "maximum": 9000000}] | None = None,
    ) -> Result:
        """Take a bid from the room, the next step unless an amount is named; commission bids answer as far as they
        go, with the next step or with the reserve.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            client_id (str): Id of the client, such as CLIENT-00001.
            amount (int, optional): Amount of the bid, at least the next step, in cents, from 500 to 9000000. If
                left out, the next step is bid.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        if lot["status"] != "on_block":
            return _refused(f"{lot['title']} is {lot['status']}.")
        if client["barred"]:
            return _refused(f"{client['name']} is barred until {_money(self._client_owes(client))} are paid.")
        if client_id == lot["seller_id"]:
            return _refused(f"{client['name']} is the seller of {lot['title']}.")
        top = self._top_bid(lot)
        if top is not None and top["client_id"] == client_id:
            return _refused(f"{client['name']} has the highest bid already.")
        offer = amount if amount is not None else self._next_bid(lot)
        if offer < self._next_bid(lot):
            return _refused(f"The next bid on {lot['title']} is {_money(self._next_bid(lot))}.")
        if self._client_owes(client) + offer > client["limit"]:
            return _refused(
                f"{client['name']} owes {_money(self._client_owes(client))} and may go to "
                f"{_money(client['limit'])} in all."
            )
        self._journal = []
        added_bids: list[Any] = []
        if not 500 <= offer <= 9000000:
            return self._take_back("The amount of a bid must be between 5.00 and 90,000.00.")
        bid: Bid = {
            "id": self._new_id("bid", "BID", self.bids),
            "lot_id": lot_id,
            "client_id": client_id,
            "amount": offer,
            "source": "room",
        }
        self._add("bids", bid)
        answer = self._best_order(lot, client)
        if answer is not None:
            if answer["maximum"] >= offer + self._rise_at(offer):
                new_amount = max(
                    offer + self._rise_at(offer),
                    min(answer["maximum"], lot["reserve"] if lot["reserve"] is not None else offer),
                )
                if not 500 <= new_amount <= 9000000:
                    return self._take_back("The amount of a bid must be between 5.00 and 90,000.00.")
                new_bid = {
                    "id": self._new_id("bid", "BID", self.bids),
                    "lot_id": lot_id,
                    "client_id": answer["client_id"],
                    "amount": new_amount,
                    "source": "order",
                }
                self._add("bids", new_bid)
                added_bids.append(new_bid)
        for one_bid in _distinct([bid, *added_bids]):
            if self._breaks_rule_4(one_bid):
                return self._take_back(RULES[3])
        for one_bid in _distinct([bid, *added_bids]):
            if self._breaks_rule_5_b(one_bid):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: take a bid of {client['name']} on {lot['title']} (new: bid {bid['id']}).",
            "data": {"bid_id": bid["id"], **self._changes()},
        }

    def hammer_lot(self, lot_id: str) -> Result:
        """Bring the hammer down; the highest bid buys if it reaches the reserve, or else the lot is passed.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["status"] != "on_block":
            return _refused(f"{lot['title']} is {lot['status']}.")
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        changed_lots_3: list[Any] = []
        changed_lots_4: list[Any] = []
        former_invoice_ids: list[Any] = []
        added_invoices: list[Any] = []
        top = self._top_bid(lot)
        if top is not None and top["amount"] >= (lot["reserve"] if lot["reserve"] is not None else top["amount"]):
            there = self._open_invoice(self.clients[top["client_id"]], self.sales[lot["sale_id"]])
            changed_lots.append(lot)
            self._put("lots", lot, "buyer_id", top["client_id"])
            changed_lots_2.append(lot)
            self._put("lots", lot, "hammer", top["amount"])
            changed_lots_3.append(lot)
            self._put("lots", lot, "status", "sold")
            if there is not None:
                changed_lots_4.append(lot)
                former_invoice_ids.append(lot["invoice_id"])
                self._put("lots", lot, "invoice_id", there["id"])
            else:
                made = {
                    "id": self._new_id("invoice", "INVOICE", self.invoices),
                    "client_id": top["client_id"],
                    "sale_id": lot["sale_id"],
                    "due_on": _plus_days(self.now[:10], 7),
                    "penalty": 0,
                    "paid": 0,
                    "status": "open",
                }
                self._add("invoices", made)
                added_invoices.append(made)
                changed_lots_4.append(lot)
                former_invoice_ids.append(lot["invoice_id"])
                self._put("lots", lot, "invoice_id", made["id"])
        else:
            if lot["status"] not in ("on_block", "sold", "passed"):
                return self._take_back(f"Lot {lot['title']} cannot go from {lot['status']} to passed.")
            changed_lots_3.append(lot)
            self._put("lots", lot, "status", "passed")
        for one_lot in _distinct(changed_lots_3):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_lot in _distinct([*changed_lots, *changed_lots_2, *changed_lots_3, *changed_lots_4]):
            if self._breaks_rule_7(one_lot):
                return self._take_back(RULES[6])
        for one_lot in _distinct([*changed_lots, *changed_lots_4]):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_9(one_invoice):
                return self._take_back(RULES[8])
        for one_invoice in _distinct(
            [
                *[self.invoices.get(one["invoice_id"]) for one in changed_lots_2],
                *[self.invoices.get(one["invoice_id"]) for one in changed_lots_4],
                *[self.invoices.get(key) for key in former_invoice_ids],
                *added_invoices,
            ]
        ):
            if self._breaks_rule_10(one_invoice):
                return self._take_back(RULES[9])
        for one_lot in _distinct(changed_lots_4):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        for one_client in _distinct([self.clients[one["client_id"]] for one in added_invoices]):
            if self._breaks_rule_12_c(one_client):
                return self._take_back(RULES[11])
        for one_order in _distinct(
            [user for one in changed_lots_3 for user in self._orders_by_lot.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: bring the hammer down on {lot['title']}.",
            "data": self._changes(),
        }

    def sell_after(
        self,
        lot_id: str,
        client_id: str,
        amount: Annotated[int, {"minimum": 500, "maximum": 9000000}],
    ) -> Result:
        """Sell a passed lot after the auction, for four fifths of its reserve at least.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            client_id (str): Id of the client, such as CLIENT-00001.
            amount (int): Price of the sale, at least four fifths of the reserve, in cents, from 500 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        if lot["status"] != "passed":
            return _refused(f"{lot['title']} is {lot['status']}.")
        if client["barred"]:
            return _refused(f"{client['name']} is barred until {_money(self._client_owes(client))} are paid.")
        if client_id == lot["seller_id"]:
            return _refused(f"{client['name']} is the seller of {lot['title']}.")
        if amount * 5 < (lot["reserve"] if lot["reserve"] is not None else lot["low"] // 2) * 4:
            return _refused(
                f"{lot['title']} is not sold below four fifths of "
                f"{_money(lot['reserve'] if lot['reserve'] is not None else lot['low'] // 2)}."
            )
        if self._client_owes(client) + amount > client["limit"]:
            return _refused(
                f"{client['name']} owes {_money(self._client_owes(client))} and may go to "
                f"{_money(client['limit'])} in all."
            )
        self._journal = []
        changed_lots: list[Any] = []
        former_invoice_ids: list[Any] = []
        added_invoices: list[Any] = []
        there = self._open_invoice(client, self.sales[lot["sale_id"]])
        self._put("lots", lot, "buyer_id", client_id)
        self._put("lots", lot, "hammer", amount)
        self._put("lots", lot, "status", "sold")
        if there is not None:
            changed_lots.append(lot)
            former_invoice_ids.append(lot["invoice_id"])
            self._put("lots", lot, "invoice_id", there["id"])
        else:
            made = {
                "id": self._new_id("invoice", "INVOICE", self.invoices),
                "client_id": client_id,
                "sale_id": lot["sale_id"],
                "due_on": _plus_days(self.now[:10], 7),
                "penalty": 0,
                "paid": 0,
                "status": "open",
            }
            self._add("invoices", made)
            added_invoices.append(made)
            changed_lots.append(lot)
            former_invoice_ids.append(lot["invoice_id"])
            self._put("lots", lot, "invoice_id", made["id"])
        if self._breaks_rule_3(lot):
            return self._take_back(RULES[2])
        for one_lot in _distinct([lot, *changed_lots]):
            if self._breaks_rule_7(one_lot):
                return self._take_back(RULES[6])
        for one_lot in _distinct([lot, *changed_lots]):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        for one_invoice in _distinct(added_invoices):
            if self._breaks_rule_9(one_invoice):
                return self._take_back(RULES[8])
        for one_invoice in _distinct(
            [
                self.invoices.get(lot["invoice_id"]),
                *[self.invoices.get(one["invoice_id"]) for one in changed_lots],
                *[self.invoices.get(key) for key in former_invoice_ids],
                *added_invoices,
            ]
        ):
            if self._breaks_rule_10(one_invoice):
                return self._take_back(RULES[9])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        for one_client in _distinct([self.clients[one["client_id"]] for one in added_invoices]):
            if self._breaks_rule_12_c(one_client):
                return self._take_back(RULES[11])
        for one_order in _distinct(self._orders_by_lot.get(lot["id"], {}).values()):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: sell {lot['title']} to {client['name']} for {_money(amount)} after the auction.",
            "data": self._changes(),
        }

    def take_payment(
        self,
        invoice_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 90000000}] | None = None,
    ) -> Result:
        """Take a payment on an invoice, all that is left unless an amount is named; who pays the penalty of a default
        in full is no longer barred.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.
            amount (int, optional): Sum that is paid now, at most what is left, in cents, from 100 to 90000000. If
                left out, all that is left is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] == "paid":
            return _refused(
                f"{self.clients[invoice['client_id']]['name']} has paid for {self.sales[invoice['sale_id']]['name']}."
            )
        sum_paid = amount if amount is not None else self._invoice_left(invoice)
        if sum_paid > self._invoice_left(invoice):
            return _refused(
                f"{self.clients[invoice['client_id']]['name']} has {_money(self._invoice_left(invoice))} to pay "
                f"for {self.sales[invoice['sale_id']]['name']}, not {_money(sum_paid)}."
            )
        self._journal = []
        changed_invoices: list[Any] = []
        changed_clients: list[Any] = []
        paid = invoice["paid"] + sum_paid
        if not 0 <= paid <= 90000000:
            return self._take_back(f"The paid of {invoice['id']} must be between 0.00 and 900,000.00.")
        self._put("invoices", invoice, "paid", paid)
        if self._invoice_left(invoice) == 0:
            changed_invoices.append(invoice)
            self._put("invoices", invoice, "status", "paid")
            client = self.clients[invoice["client_id"]]
            changed_clients.append(client)
            self._put(
                "clients",
                client,
                "barred",
                bool(self._invoices_by_client_status.get((invoice["client_id"], "defaulted"), {})),
            )
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_9(one_invoice):
                return self._take_back(RULES[8])
        for one_invoice in _distinct([invoice, *changed_invoices]):
            if self._breaks_rule_10(one_invoice):
                return self._take_back(RULES[9])
        for one_lot in _distinct(
            [user for one in changed_invoices for user in self._lots_by_invoice.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        for one_client in _distinct(
            [*[self.clients[one["client_id"]] for one in changed_invoices], *changed_clients]
        ):
            if self._breaks_rule_12_c(one_client):
                return self._take_back(RULES[11])
        for one_order in _distinct(
            [user for one in changed_clients for user in self._orders_by_client.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        done = f"take a payment of {self.clients[invoice['client_id']]['name']} for {self.sales[invoice['sale_id']]['name']}"
        if amount is not None:
            done += f", {_money(amount)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def declare_default(self, invoice_id: str) -> Result:
        """Declare an overdue invoice of which nothing was paid defaulted; its lots are passed, the buyer owes 15
        percent as a penalty and is barred.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] != "open":
            return _refused(f"The invoice of {self.clients[invoice['client_id']]['name']} is {invoice['status']}.")
        if invoice["due_on"] >= self.now[:10]:
            return _refused(f"{self.clients[invoice['client_id']]['name']} has until {invoice['due_on']}.")
        if invoice["paid"] != 0:
            return _refused(f"{self.clients[invoice['client_id']]['name']} has paid {_money(invoice['paid'])} of it.")
        self._journal = []
        changed_lots: list[Any] = []
        changed_lots_2: list[Any] = []
        changed_lots_3: list[Any] = []
        former_invoice_ids: list[Any] = []
        changed_lots_4: list[Any] = []
        deleted_orders: list[Any] = []
        penalty = _rounded(
            Fraction(
                sum(
                    l["hammer"]
                    if l["hammer"] is not None
                    else l["low"]
                    for l in self._lots_by_invoice.get(invoice_id, {}).values()
                ) * 15,
                100,
            )
        )
        if not 0 <= penalty <= 9000000:
            return self._take_back(f"The penalty of {invoice['id']} must be between 0.00 and 90,000.00.")
        self._put("invoices", invoice, "penalty", penalty)
        for l in sorted(self._lots_by_invoice.get(invoice_id, {}).values(), key=_age):
            changed_lots.append(l)
            self._put("lots", l, "buyer_id", None)
            changed_lots_2.append(l)
            self._put("lots", l, "hammer", None)
            changed_lots_3.append(l)
            former_invoice_ids.append(l["invoice_id"])
            self._put("lots", l, "invoice_id", None)
            if l["status"] not in ("on_block", "sold", "passed"):
                return self._take_back(f"Lot {l['title']} cannot go from {l['status']} to passed.")
            changed_lots_4.append(l)
            self._put("lots", l, "status", "passed")
        for o in [
            o
            for o in sorted(self._orders_by_client.get(invoice["client_id"], {}).values(), key=_age)
            if self.lots[o["lot_id"]]["status"] == "catalogued"
        ]:
            if o["id"] in self.orders:
                self._remove("orders", o)
            deleted_orders.append(o)
        client = self.clients[invoice["client_id"]]
        self._put("clients", client, "barred", True)
        self._put("invoices", invoice, "status", "defaulted")
        for one_lot in _distinct(changed_lots_4):
            if self._breaks_rule_3(one_lot):
                return self._take_back(RULES[2])
        for one_lot in _distinct([*changed_lots, *changed_lots_2, *changed_lots_3, *changed_lots_4]):
            if self._breaks_rule_7(one_lot):
                return self._take_back(RULES[6])
        for one_lot in _distinct([*changed_lots, *changed_lots_3]):
            if self._breaks_rule_8(one_lot):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(invoice):
            return self._take_back(RULES[8])
        for one_invoice in _distinct(
            [
                invoice,
                *[self.invoices.get(one["invoice_id"]) for one in changed_lots_2],
                *[self.invoices.get(one["invoice_id"]) for one in changed_lots_3],
                *[self.invoices.get(key) for key in former_invoice_ids],
            ]
        ):
            if self._breaks_rule_10(one_invoice):
                return self._take_back(RULES[9])
        for one_lot in _distinct([*changed_lots_3, *self._lots_by_invoice.get(invoice["id"], {}).values()]):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_c(client):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_c(self.clients[invoice["client_id"]]):
            return self._take_back(RULES[11])
        for one_order in _distinct(
            [
                *[user for one in changed_lots_4 for user in self._orders_by_lot.get(one["id"], {}).values()],
                *self._orders_by_client.get(client["id"], {}).values(),
            ]
        ):
            if one_order["id"] in self.orders and self._breaks_rule_12_o(one_order):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: declare the invoice of {self.clients[invoice['client_id']]['name']} for "
                f"{self.sales[invoice['sale_id']]['name']} defaulted."
            ),
            "data": self._changes(),
        }

    def settle_seller(self, seller_id: str, sale_id: str) -> Result:
        """Pay a seller for all lots of a sale that the buyers have paid, less the seller's commission.

        Args:
            seller_id (str): Client whose sold lots are paid out; an id such as CLIENT-00001.
            sale_id (str): Id of the sale, such as SALE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        seller = self.clients.get(seller_id)
        if seller is None:
            return _refused(f"There is no client {seller_id!r}.")
        sale = self.sales.get(sale_id)
        if sale is None:
            return _refused(f"There is no sale {sale_id!r}.")
        lots = self._to_settle(seller, sale)
        if len(lots) <= 0:
            return _refused(
                f"Nothing that {seller['name']} sold in {sale['name']} is paid by the buyers and still to be settled."
            )
        self._journal = []
        changed_lots: list[Any] = []
        amount = sum(
            (l["hammer"] if l["hammer"] is not None else l["low"]) - _rounded(
                Fraction((l["hammer"] if l["hammer"] is not None else l["low"]) * seller["commission"], 100)
            )
            for l in lots
        )
        if not 0 <= amount <= 90000000:
            return self._take_back("The amount of a payout must be between 0.00 and 900,000.00.")
        payout: Payout = {
            "id": self._new_id("payout", "PAYOUT", self.payouts),
            "seller_id": seller_id,
            "sale_id": sale_id,
            "amount": amount,
            "made_on": self.now[:10],
        }
        self._add("payouts", payout)
        for l in list(lots):
            changed_lots.append(l)
            self._put("lots", l, "payout_id", payout["id"])
        for one_lot in _distinct(changed_lots):
            if self._breaks_rule_11(one_lot):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: settle {sale['name']} with {seller['name']} (new: payout {payout['id']}).",
            "data": {"payout_id": payout["id"], **self._changes()},
        }

    def _show_client(self, client: Client) -> dict[str, Any]:
        """The client as an answer shows it."""
        return {**client, "owes": self._client_owes(client)}

    def _show_sale(self, sale: Sale) -> dict[str, Any]:
        """The sale as an answer shows it."""
        return {**sale, "hammered": self._sale_hammered(sale)}

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "price": self._lot_price(lot)}

    def _show_invoice(self, invoice: Invoice) -> dict[str, Any]:
        """The invoice as an answer shows it."""
        return {**invoice, "left": self._invoice_left(invoice)}

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names(
            (self.sales, "name", [row["sale_id"] for row in shown]),
            (self.clients, "name", [row["seller_id"] for row in shown]),
            (self.clients, "name", [row["buyer_id"] for row in shown]),
        )

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.lots, "title", [row["lot_id"] for row in shown]),
            (self.clients, "name", [row["client_id"] for row in shown]),
        )

    def _names_of_bids(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bids point to."""
        return _names(
            (self.lots, "title", [row["lot_id"] for row in shown]),
            (self.clients, "name", [row["client_id"] for row in shown]),
        )

    def _names_of_invoices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invoices point to."""
        return _names(
            (self.clients, "name", [row["client_id"] for row in shown]),
            (self.sales, "name", [row["sale_id"] for row in shown]),
        )

    def _names_of_payouts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that payouts point to."""
        return _names(
            (self.clients, "name", [row["seller_id"] for row in shown]),
            (self.sales, "name", [row["sale_id"] for row in shown]),
        )

    def _client_owes(self, client: Client) -> int:
        """The owes of a client."""
        return sum(
            self._invoice_left(i)
            for i in self._invoices_by_client.get(client["id"], {}).values()
            if i["status"] != "paid"
        )

    def _sale_hammered(self, sale: Sale) -> int:
        """The hammered of a sale."""
        return sum(l["hammer"] for l in self._lots_by_sale.get(sale["id"], {}).values() if l["hammer"] is not None)

    def _lot_price(self, lot: Lot) -> int | None:
        """The price of a lot."""
        return max((b["amount"] for b in self._bids_by_lot.get(lot["id"], {}).values()), default=None)

    def _invoice_left(self, invoice: Invoice) -> int:
        """The left of an invoice."""
        return (
            sum(
                (l["hammer"] if l["hammer"] is not None else l["low"]) + _rounded(
                    Fraction(
                        (l["hammer"] if l["hammer"] is not None else l["low"]) * self.sales[l["sale_id"]]["premium"],
                        100,
                    )
                )
                for l in self._lots_by_invoice.get(invoice["id"], {}).values()
            )
            + invoice["penalty"]
            - invoice["paid"]
        )

    def _rise_at(self, a: int) -> int:
        return (
            (
                max((s["rise"] for s in self.steps.values() if s["start"] <= a), default=None)
                if max((s["rise"] for s in self.steps.values() if s["start"] <= a), default=None) is not None
                else min((s["rise"] for s in self.steps.values()), default=None)
            )
            if (
                max((s["rise"] for s in self.steps.values() if s["start"] <= a), default=None)
                if max((s["rise"] for s in self.steps.values() if s["start"] <= a), default=None) is not None
                else min((s["rise"] for s in self.steps.values()), default=None)
            ) is not None
            else a
        )

    def _top_bid(self, l: Lot) -> Bid | None:
        return min(
            self._bids_by_lot.get(l["id"], {}).values(),
            key=lambda b: (-b["amount"], b["id"], _age(b)),
            default=None,
        )

    def _next_bid(self, l: Lot) -> int:
        return l["low"] // 2 if self._lot_price(l) is None else self._lot_price(l) + self._rise_at(self._lot_price(l))

    def _best_order(self, l: Lot, but: Client | None) -> Order | None:
        return min(
            (o for o in self._orders_by_lot.get(l["id"], {}).values() if self.clients[o["client_id"]] is not but),
            key=lambda o: (-o["maximum"], o["id"], _age(o)),
            default=None,
        )

    def _next_lot(self, s: Sale) -> Lot | None:
        return min(
            self._lots_by_sale_status.get((s["id"], "catalogued"), {}).values(),
            key=lambda l: (l["number"], _age(l)),
            default=None,
        )

    def _open_invoice(self, c: Client, s: Sale) -> Invoice | None:
        return next(
            (
                i
                for i in sorted(
                    self._invoices_by_client_sale_status.get((c["id"], s["id"], "open"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _to_settle(self, c: Client, s: Sale) -> list[Lot]:
        return [
            l
            for l in sorted(self._lots_by_sale_seller_status.get((s["id"], c["id"], "sold"), {}).values(), key=_age)
            if l["payout_id"] is None
            and l["invoice_id"] is not None
            and self.invoices[l["invoice_id"]]["status"] == "paid"
        ]

    def _breaks_rule_1(self, l: Lot) -> bool:
        """Whether this is broken: a lot number is given once in a sale."""
        return any(
            other_l is not l
            for other_l in self._lots_by_sale.get(l["sale_id"], {}).values()
            if other_l["number"] == l["number"]
        )

    def _breaks_rule_2(self, l: Lot) -> bool:
        """Whether this is broken: the reserve never lies above the low estimate, nor that above the high one."""
        return l["low"] > l["high"] or (l["reserve"] if l["reserve"] is not None else l["low"]) > l["low"]

    def _breaks_rule_3(self, l: Lot) -> bool:
        """Whether this is broken: one lot of a sale is on the block at a time."""
        return (
            l["status"] == "on_block"
            and any(
                other_l is not l
                for other_l in self._lots_by_sale_status.get((l["sale_id"], "on_block"), {}).values()
            )
        )

    def _breaks_rule_4(self, b: Bid) -> bool:
        """Whether this is broken: no two bids on a lot are alike."""
        return any(
            other_b is not b
            for other_b in self._bids_by_lot.get(b["lot_id"], {}).values()
            if other_b["amount"] == b["amount"]
        )

    def _breaks_rule_5_b(self, b: Bid) -> bool:
        """Whether this is broken: nobody bids on what they sell."""
        return b["client_id"] == self.lots[b["lot_id"]]["seller_id"]

    def _breaks_rule_5_o(self, o: Order) -> bool:
        """Whether this is broken: nobody bids on what they sell."""
        return o["client_id"] == self.lots[o["lot_id"]]["seller_id"]

    def _breaks_rule_6(self, o: Order) -> bool:
        """Whether this is broken: a client leaves one commission bid on a lot."""
        return any(
            other_o is not o
            for other_o in self._orders_by_lot_client.get((o["lot_id"], o["client_id"]), {}).values()
        )

    def _breaks_rule_7(self, l: Lot) -> bool:
        """Whether this is broken: sold lots have a buyer, a price and an invoice, and other lots have none of these.
        """
        return (
            (l["status"] == "sold") != (l["buyer_id"] is not None)
            or (l["status"] == "sold") != (l["hammer"] is not None)
            or (l["status"] == "sold") != (l["invoice_id"] is not None)
        )

    def _breaks_rule_8(self, l: Lot) -> bool:
        """Whether this is broken: a lot is charged to its buyer, with the sale it was in."""
        return (
            l["invoice_id"] is not None
            and (
                self.invoices[l["invoice_id"]]["client_id"] != l["buyer_id"]
                or self.invoices[l["invoice_id"]]["sale_id"] != l["sale_id"]
            )
        )

    def _breaks_rule_9(self, i: Invoice) -> bool:
        """Whether this is broken: a client has one open invoice for a sale."""
        return (
            i["status"] == "open"
            and any(
                other_i is not i
                for other_i in self._invoices_by_client_sale_status.get(
                    (i["client_id"], i["sale_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_10(self, i: Invoice) -> bool:
        """Whether this is broken: nobody pays more than they owe, and an invoice is paid when nothing is left."""
        return self._invoice_left(i) < 0 or (self._invoice_left(i) == 0) != (i["status"] == "paid")

    def _breaks_rule_11(self, l: Lot) -> bool:
        """Whether this is broken: a seller is paid only for what the buyer has paid."""
        return (
            l["payout_id"] is not None
            and (l["invoice_id"] is None or self.invoices[l["invoice_id"]]["status"] != "paid")
        )

    def _breaks_rule_12_c(self, c: Client) -> bool:
        """Whether this is broken: exactly those who defaulted are barred, and they have no commission bid on a lot to
        come.
        """
        return c["barred"] != any(
            i["status"] == "defaulted"
            for i in self._invoices_by_client.get(c["id"], {}).values()
        )

    def _breaks_rule_12_o(self, o: Order) -> bool:
        """Whether this is broken: exactly those who defaulted are barred, and they have no commission bid on a lot to
        come.
        """
        return self.lots[o["lot_id"]]["status"] == "catalogued" and self.clients[o["client_id"]]["barred"]

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
                self._lots_by_invoice.setdefault(record["invoice_id"], {})[record["id"]] = record
                self._lots_by_sale.setdefault(record["sale_id"], {})[record["id"]] = record
                self._lots_by_sale_seller_status.setdefault(
                    (record["sale_id"], record["seller_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lots_by_sale_status.setdefault((record["sale_id"], record["status"]), {})[record["id"]] = record
                self._lots_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "orders":
                self._orders_by_client.setdefault(record["client_id"], {})[record["id"]] = record
                self._orders_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
                self._orders_by_lot_client.setdefault((record["lot_id"], record["client_id"]), {})[record["id"]] = record
            case "bids":
                self._bids_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record
            case "invoices":
                self._invoices_by_client.setdefault(record["client_id"], {})[record["id"]] = record
                self._invoices_by_client_sale_status.setdefault(
                    (record["client_id"], record["sale_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._invoices_by_client_status.setdefault(
                    (record["client_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lots":
                del self._lots_by_invoice[record["invoice_id"]][record["id"]]
                del self._lots_by_sale[record["sale_id"]][record["id"]]
                del self._lots_by_sale_seller_status[
                    record["sale_id"],
                    record["seller_id"],
                    record["status"],
                ][record["id"]]
                del self._lots_by_sale_status[record["sale_id"], record["status"]][record["id"]]
                del self._lots_by_title[record["title"]][record["id"]]
            case "orders":
                del self._orders_by_client[record["client_id"]][record["id"]]
                del self._orders_by_lot[record["lot_id"]][record["id"]]
                del self._orders_by_lot_client[record["lot_id"], record["client_id"]][record["id"]]
            case "bids":
                del self._bids_by_lot[record["lot_id"]][record["id"]]
            case "invoices":
                del self._invoices_by_client[record["client_id"]][record["id"]]
                del self._invoices_by_client_sale_status[
                    record["client_id"],
                    record["sale_id"],
                    record["status"],
                ][record["id"]]
                del self._invoices_by_client_status[record["client_id"], record["status"]][record["id"]]
