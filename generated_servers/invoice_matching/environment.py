"""Invoice matching. Compiled from blueprint.yaml; run `envscaler build invoice_matching` after changing it there.

Checks supplier invoices against orders and goods received within tolerances, has them approved within limits
and pays them in runs that net credit notes.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, NotRequired, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No more of a line is received than was ordered.",
    "Nothing more is returned than a delivery held.",
    "An invoice that passed the match bills no more than was delivered.",
    "An invoice that passed the match keeps to the order price and its tolerance, or the buyer accepted it.",
    "An invoice bills only lines of its own order, each once.",
    "A supplier never uses an invoice number twice.",
    "A supplier never uses the number of a credit note twice.",
    "An invoice is approved by somebody whose limit covers it and who did not place the order.",
    "Only approved and paid invoices say who approved them.",
    "Prices are accepted by the buyer who placed the order.",
    "The credit notes on an invoice are never more than the invoice.",
    "A credit note that was deducted belongs to an invoice that stands.",
    "A closed or cancelled order has no invoice that waits, and a cancelled one has no goods.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_receipt",
    "return_goods",
    "enter_invoice",
    "match_invoice",
    "accept_prices",
    "amend_line",
    "reject_invoice",
    "approve_invoice",
    "enter_credit",
    "pay_invoices",
    "end_order",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "suppliers": ("name",),
    "clerks": ("name",),
    "orders": ("number",),
    "lines": ("code",),
    "receipts": ("slip",),
    "invoices": ("number",),
    "charges": (),
    "credit_notes": ("number",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("charges", "invoice_id"),
    ("charges", "line_id"),
    ("credit_notes", "invoice_id"),
    ("credit_notes", "number"),
    ("invoices", "number"),
    ("invoices", "order_id"),
    ("lines", "order_id"),
    ("orders", "supplier_id"),
    ("receipts", "line_id"),
    ("receipts", "slip"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Supplier(TypedDict):
    id: str
    name: str
    terms: int
    tolerance: int
    blocked: bool


class Clerk(TypedDict):
    id: str
    name: str
    limit: int


class Order(TypedDict):
    id: str
    number: str
    supplier_id: str
    buyer_id: str
    status: Literal["sent", "closed", "cancelled"]


class Line(TypedDict):
    id: str
    code: str
    order_id: str
    item: str
    quantity: int
    price: int


class Receipt(TypedDict):
    id: str
    slip: str
    line_id: str
    quantity: int
    returned: int
    received_on: str


class Invoice(TypedDict):
    id: str
    number: str
    order_id: str
    dated: str
    accepted_by_id: str | None
    approved_by_id: str | None
    paid_on: str | None
    status: Literal["entered", "matched", "held", "rejected", "approved", "paid"]


class Charge(TypedDict):
    id: str
    invoice_id: str
    line_id: str
    quantity: int
    price: int


class CreditNote(TypedDict):
    id: str
    number: str
    invoice_id: str
    amount: int
    used: bool


class EnterInvoiceCharge(TypedDict):
    line_id: str
    quantity: Annotated[int, {"minimum": 1, "maximum": 20000}]
    price: NotRequired[Annotated[int, {"minimum": 1, "maximum": 5000000}] | None]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class InvoiceMatching:
    """Checks supplier invoices against orders and goods received within tolerances, has them approved
    within limits and pays them in runs that net credit notes.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.suppliers: dict[str, Supplier] = _copied(config.get("suppliers", {}))
        self.clerks: dict[str, Clerk] = _copied(config.get("clerks", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.receipts: dict[str, Receipt] = _copied(config.get("receipts", {}))
        self.invoices: dict[str, Invoice] = _copied(config.get("invoices", {}))
        self.charges: dict[str, Charge] = _copied(config.get("charges", {}))
        self.credit_notes: dict[str, CreditNote] = _copied(config.get("credit_notes", {}))
        self.now: str = config.get("now", "2026-04-21T10:30")
        self.counters: dict[str, int] = {
            "supplier": len(self.suppliers),
            "clerk": len(self.clerks),
            "order": len(self.orders),
            "line": len(self.lines),
            "receipt": len(self.receipts),
            "invoice": len(self.invoices),
            "charge": len(self.charges),
            "credit_note": len(self.credit_notes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._orders_by_supplier: dict[Any, dict[str, Order]] = {}
        self._lines_by_order: dict[Any, dict[str, Line]] = {}
        self._receipts_by_line: dict[Any, dict[str, Receipt]] = {}
        self._receipts_by_slip: dict[Any, dict[str, Receipt]] = {}
        self._invoices_by_lower_number: dict[Any, dict[str, Invoice]] = {}
        self._invoices_by_order: dict[Any, dict[str, Invoice]] = {}
        self._charges_by_invoice: dict[Any, dict[str, Charge]] = {}
        self._charges_by_invoice_line: dict[Any, dict[str, Charge]] = {}
        self._charges_by_line: dict[Any, dict[str, Charge]] = {}
        self._credit_notes_by_invoice: dict[Any, dict[str, CreditNote]] = {}
        self._credit_notes_by_lower_number: dict[Any, dict[str, CreditNote]] = {}
        for order in self.orders.values():
            self._link("orders", order)
        for line in self.lines.values():
            self._link("lines", line)
        for receipt in self.receipts.values():
            self._link("receipts", receipt)
        for invoice in self.invoices.values():
            self._link("invoices", invoice)
        for charge in self.charges.values():
            self._link("charges", charge)
        for credit_note in self.credit_notes.values():
            self._link("credit_notes", credit_note)

    def held_for(
        self,
        supplier_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What keeps held invoices from passing, line by line.

        Args:
            supplier_id (str, optional): Supplier of the held invoices; an id such as SUPPLIER-00001. If left out,
                those of all suppliers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}} or {"success": False, "error": why
                not}
        """
        supplier = self.suppliers.get(supplier_id) if supplier_id is not None else None
        if supplier_id is not None and supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        found = [
            c
            for c in self.charges.values()
            if (self.invoices[c["invoice_id"]]["status"] == "held" and (self._short(c) or self._dear(c)))
            and (
                supplier_id is None
                or self.orders[self.invoices[c["invoice_id"]]["order_id"]]["supplier_id"] == supplier_id
            )
        ]
        found.sort(key=lambda c: (self.invoices[c["invoice_id"]]["dated"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "charges": [
                    {
                        "invoice": self.invoices[c["invoice_id"]]["number"],
                        "order": self.orders[self.invoices[c["invoice_id"]]["order_id"]]["number"],
                        "item": self.lines[c["line_id"]]["item"],
                        "goods_lack": self._short(c),
                        "price_too_high": self._dear(c),
                        "billed_price": c["price"],
                        "order_price": self.lines[c["line_id"]]["price"],
                        "received": self._line_received(self.lines[c["line_id"]]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def payable(
        self,
        until: Date,
        supplier_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Approved invoices that fall due until a day, earliest first.

        Args:
            until (str): Last due date to include, as YYYY-MM-DD.
            supplier_id (str, optional): Supplier whose invoices are listed; an id such as SUPPLIER-00001. If left
                out, those of all suppliers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}} or {"success": False, "error": why
                not}
        """
        supplier = self.suppliers.get(supplier_id) if supplier_id is not None else None
        if supplier_id is not None and supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        found = [
            i
            for i in self.invoices.values()
            if (i["status"] == "approved" and self._invoice_due_on(i) <= until)
            and (supplier_id is None or self.orders[i["order_id"]]["supplier_id"] == supplier_id)
        ]
        found.sort(key=lambda i: (self._invoice_due_on(i), i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "invoices": [
                    {
                        "id": i["id"],
                        "number": i["number"],
                        "supplier": self.suppliers[self.orders[i["order_id"]]["supplier_id"]]["name"],
                        "total": self._invoice_total(i),
                        "due_on": self._invoice_due_on(i),
                        "blocked": self.suppliers[self.orders[i["order_id"]]["supplier_id"]]["blocked"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def to_be_billed(
        self,
        supplier_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Goods received that no invoice bills yet.

        Args:
            supplier_id (str, optional): Supplier who delivered the goods; an id such as SUPPLIER-00001. If left
                out, those of all suppliers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}} or {"success": False, "error": why
                not}
        """
        supplier = self.suppliers.get(supplier_id) if supplier_id is not None else None
        if supplier_id is not None and supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        found = [
            l
            for l in self.lines.values()
            if self._line_received(l) > self._line_billed(l)
            and (supplier_id is None or self.orders[l["order_id"]]["supplier_id"] == supplier_id)
        ]
        found.sort(key=lambda l: (l["code"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lines": [
                    {
                        "id": l["id"],
                        "code": l["code"],
                        "item": l["item"],
                        "received": self._line_received(l),
                        "billed": self._line_billed(l),
                        "value": l["price"] * (self._line_received(l) - self._line_billed(l)),
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def list_suppliers(
        self,
        name: Text | None = None,
        blocked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the suppliers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only suppliers whose name contains this text.
            blocked (bool, optional): Only suppliers that are blocked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "suppliers": records}}
        """
        found = [
            supplier
            for supplier in self.suppliers.values()
            if (name is None or name.casefold() in supplier["name"].casefold())
            and (blocked is None or supplier["blocked"] == blocked)
        ]
        return _found({"total": len(found), "suppliers": [{**supplier} for supplier in _page(found, offset)]})

    def list_clerks(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clerks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clerks whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clerks": records}}
        """
        found = [
            clerk
            for clerk in self.clerks.values()
            if (name is None or name.casefold() in clerk["name"].casefold())
        ]
        return _found({"total": len(found), "clerks": [{**clerk} for clerk in _page(found, offset)]})

    def list_orders(
        self,
        number: Text | None = None,
        supplier_id: str | None = None,
        buyer_id: str | None = None,
        status: Literal["sent", "closed", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            number (str, optional): Only orders whose number contains this text.
            supplier_id (str, optional): Only orders of this supplier.
            buyer_id (str, optional): Only orders whose buyer is this clerk.
            status (str, optional): Only orders with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if supplier_id is not None and supplier_id not in self.suppliers:
            return _refused(f"There is no supplier {supplier_id!r}.")
        if buyer_id is not None and buyer_id not in self.clerks:
            return _refused(f"There is no clerk {buyer_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (number is None or number.casefold() in order["number"].casefold())
            and (supplier_id is None or order["supplier_id"] == supplier_id)
            and (buyer_id is None or order["buyer_id"] == buyer_id)
            and (status is None or order["status"] == status)
        ]
        shown = [{**order} for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_lines(
        self,
        code: Text | None = None,
        order_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lines whose code contains this text.
            order_id (str, optional): Only lines of this order.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (code is None or code.casefold() in line["code"].casefold())
            and (order_id is None or line["order_id"] == order_id)
        ]
        shown = [self._show_line(line) for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_receipts(
        self,
        slip: Text | None = None,
        line_id: str | None = None,
        received_on_from: Date | None = None,
        received_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the receipts, oldest first, all of them or only some.

        Args:
            slip (str, optional): Only receipts whose slip contains this text.
            line_id (str, optional): Only receipts of this line.
            received_on_from (str, optional): Only receipts whose `received_on` is on this day or later.
            received_on_to (str, optional): Only receipts whose `received_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "receipts": records}}
        """
        if line_id is not None and line_id not in self.lines:
            return _refused(f"There is no line {line_id!r}.")
        found = [
            receipt
            for receipt in self.receipts.values()
            if (slip is None or slip.casefold() in receipt["slip"].casefold())
            and (line_id is None or receipt["line_id"] == line_id)
            and (received_on_from is None or receipt["received_on"] >= received_on_from)
            and (received_on_to is None or receipt["received_on"] <= received_on_to)
        ]
        shown = [{**receipt} for receipt in _page(found, offset)]
        return _found({"total": len(found), "receipts": shown}, self._names_of_receipts(shown))

    def list_invoices(
        self,
        number: Text | None = None,
        order_id: str | None = None,
        accepted_by_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["entered", "matched", "held", "rejected", "approved", "paid"] | None = None,
        dated_from: Date | None = None,
        dated_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the invoices, oldest first, all of them or only some.

        Args:
            number (str, optional): Only invoices whose number contains this text.
            order_id (str, optional): Only invoices of this order.
            accepted_by_id (str, optional): Only invoices accepted by this clerk.
            approved_by_id (str, optional): Only invoices approved by this clerk.
            status (str, optional): Only invoices with this status.
            dated_from (str, optional): Only invoices whose `dated` is on this day or later.
            dated_to (str, optional): Only invoices whose `dated` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "invoices": records}}
        """
        if order_id is not None and order_id not in self.orders:
            return _refused(f"There is no order {order_id!r}.")
        if accepted_by_id is not None and accepted_by_id not in self.clerks:
            return _refused(f"There is no clerk {accepted_by_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.clerks:
            return _refused(f"There is no clerk {approved_by_id!r}.")
        found = [
            invoice
            for invoice in self.invoices.values()
            if (number is None or number.casefold() in invoice["number"].casefold())
            and (order_id is None or invoice["order_id"] == order_id)
            and (accepted_by_id is None or invoice["accepted_by_id"] == accepted_by_id)
            and (approved_by_id is None or invoice["approved_by_id"] == approved_by_id)
            and (status is None or invoice["status"] == status)
            and (dated_from is None or invoice["dated"] >= dated_from)
            and (dated_to is None or invoice["dated"] <= dated_to)
        ]
        shown = [self._show_invoice(invoice) for invoice in _page(found, offset)]
        return _found({"total": len(found), "invoices": shown}, self._names_of_invoices(shown))

    def list_charges(
        self,
        invoice_id: str | None = None,
        line_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the charges, oldest first, all of them or only some.

        Args:
            invoice_id (str, optional): Only charges of this invoice.
            line_id (str, optional): Only charges of this line.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}}
        """
        if invoice_id is not None and invoice_id not in self.invoices:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if line_id is not None and line_id not in self.lines:
            return _refused(f"There is no line {line_id!r}.")
        found = [
            charge
            for charge in self.charges.values()
            if (invoice_id is None or charge["invoice_id"] == invoice_id)
            and (line_id is None or charge["line_id"] == line_id)
        ]
        shown = [{**charge} for charge in _page(found, offset)]
        return _found({"total": len(found), "charges": shown}, self._names_of_charges(shown))

    def list_credit_notes(
        self,
        number: Text | None = None,
        invoice_id: str | None = None,
        used: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the credit notes, oldest first, all of them or only some.

        Args:
            number (str, optional): Only credit notes whose number contains this text.
            invoice_id (str, optional): Only credit notes of this invoice.
            used (bool, optional): Only credit notes that are used (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "credit_notes": records}}
        """
        if invoice_id is not None and invoice_id not in self.invoices:
            return _refused(f"There is no invoice {invoice_id!r}.")
        found = [
            credit_note
            for credit_note in self.credit_notes.values()
            if (number is None or number.casefold() in credit_note["number"].casefold())
            and (invoice_id is None or credit_note["invoice_id"] == invoice_id)
            and (used is None or credit_note["used"] == used)
        ]
        shown = [{**credit_note} for credit_note in _page(found, offset)]
        return _found({"total": len(found), "credit_notes": shown}, self._names_of_credit_notes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_receipt(
        self,
        line_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 20000}],
        slip: Text,
    ) -> Result:
        """Book goods that came in for an order line, with the number of the delivery slip.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            quantity (int): Pieces that came in, no more than are still missing, from 1 to 20000.
            slip (str): Number of the delivery slip, not booked before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        if self.orders[line["order_id"]]["status"] != "sent":
            return _refused(
                f"Order {self.orders[line['order_id']]['number']} is {self.orders[line['order_id']]['status']}."
            )
        if self._line_received(line) + quantity > line["quantity"]:
            return _refused(
                f"{line['quantity']} of {line['item']} were ordered and {self._line_received(line)} are here, so "
                f"{quantity} are too many."
            )
        if self._receipts_by_slip.get(slip, {}):
            return _refused(f"Delivery {slip} is booked already.")
        self._journal = []
        receipt: Receipt = {
            "id": self._new_id("receipt", "RECEIPT", self.receipts),
            "slip": slip,
            "line_id": line_id,
            "quantity": quantity,
            "returned": 0,
            "received_on": self.now[:10],
        }
        self._add("receipts", receipt)
        if len(self._receipts_by_slip.get(receipt["slip"], {})) > 1:
            return self._take_back(f"There is already a receipt with the slip {receipt['slip']!r}.")
        if self._breaks_rule_1(self.lines[receipt["line_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(receipt):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.lines[receipt["line_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_13_l(self.lines[receipt["line_id"]]):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: book {quantity} of {line['item']} for order {self.orders[line['order_id']]['number']} "
                f"(new: receipt {receipt['id']})."
            ),
            "data": {"receipt_id": receipt["id"], **self._changes()},
        }

    def return_goods(self, receipt_id: str, quantity: Annotated[int, {"minimum": 1, "maximum": 20000}]) -> Result:
        """Book goods of a delivery that go back to the supplier.

        Args:
            receipt_id (str): Id of the receipt, such as RECEIPT-00001.
            quantity (int): Pieces of the delivery that go back, from 1 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        receipt = self.receipts.get(receipt_id)
        if receipt is None:
            return _refused(f"There is no receipt {receipt_id!r}.")
        if receipt["returned"] + quantity > receipt["quantity"]:
            return _refused(
                f"Delivery {receipt['slip']} held {receipt['quantity']} and {receipt['returned']} went back already."
            )
        if _plus_days(receipt["received_on"], 60) < self.now[:10]:
            return _refused(f"Delivery {receipt['slip']} is older than 60 days.")
        self._journal = []
        returned = receipt["returned"] + quantity
        if not 0 <= returned <= 20000:
            return self._take_back(f"The returned of {receipt['slip']} must be between 0 and 20000.")
        self._put("receipts", receipt, "returned", returned)
        if self._breaks_rule_1(self.lines[receipt["line_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(receipt):
            return self._take_back(RULES[1])
        if self._breaks_rule_13_l(self.lines[receipt["line_id"]]):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: book {quantity} of delivery {receipt['slip']} as returned.",
            "data": self._changes(),
        }

    def enter_invoice(
        self,
        number: Text,
        dated: Date,
        charges: Annotated[list[EnterInvoiceCharge], {"maxItems": 20}],
    ) -> Result:
        """Enter an invoice with what it bills of the lines of one order; a price that is left out is that of the
        order.

        Args:
            number (str): Invoice number of the supplier, not used by that supplier before.
            dated (str): Date on the invoice, today at the latest, as YYYY-MM-DD.
            charges (list): One entry for each order line that is billed, all of one order: line_id: order line
                that is billed, only once for each invoice; an id such as LINE-00001; quantity: pieces billed of
                that line, from 1 to 20000; price: price billed for each piece, if other than on the order, in
                cents, from 1 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entries, charges = charges, []
        for entry in entries:
            if entry["line_id"] not in self.lines:
                return _refused(f"There is no line {entry['line_id']!r}.")
            charges.append(
                {"line": self.lines[entry["line_id"]], "quantity": entry["quantity"], "price": entry.get("price")}
            )
        if not _different([c["line"]["id"] for c in charges]):
            return _refused("A line is billed twice.")
        line = next((c["line"] for c in charges), None)
        if line is None:
            return _refused("An invoice bills at least one line.")
        order = self.orders[line["order_id"]]
        if not all(c["line"]["order_id"] == order["id"] for c in charges):
            return _refused(f"All lines must belong to order {order['number']}.")
        if order["status"] != "sent":
            return _refused(f"Order {order['number']} is {order['status']}.")
        if dated > self.now[:10]:
            return _refused(f"{dated} is in the future.")
        if any(
            self.orders[i["order_id"]]["supplier_id"] == order["supplier_id"]
            for i in self._invoices_by_lower_number.get(number.lower(), {}).values()
        ):
            return _refused(
                f"{self.suppliers[order['supplier_id']]['name']} has billed with the number {number} already."
            )
        self._journal = []
        added_charges: list[Any] = []
        invoice: Invoice = {
            "id": self._new_id("invoice", "INVOICE", self.invoices),
            "number": number,
            "order_id": order["id"],
            "dated": dated,
            "accepted_by_id": None,
            "approved_by_id": None,
            "paid_on": None,
            "status": "entered",
        }
        self._add("invoices", invoice)
        for c in list(charges):
            price = c["price"] if c["price"] is not None else c["line"]["price"]
            if not 1 <= price <= 5000000:
                return self._take_back("The price of a charge must be between 0.01 and 50,000.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "invoice_id": invoice["id"],
                "line_id": c["line"]["id"],
                "quantity": c["quantity"],
                "price": price,
            }
            self._add("charges", charge)
            added_charges.append(charge)
        for one_line in _distinct([self.lines[one["line_id"]] for one in added_charges]):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_5_c(one_charge):
                return self._take_back(RULES[4])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_5_c_again(one_charge):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(invoice):
            return self._take_back(RULES[5])
        for one_invoice in _distinct([invoice, *[self.invoices[one["invoice_id"]] for one in added_charges]]):
            if self._breaks_rule_8(one_invoice):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(invoice):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(invoice):
            return self._take_back(RULES[9])
        for one_invoice in _distinct([invoice, *[self.invoices[one["invoice_id"]] for one in added_charges]]):
            if self._breaks_rule_11(one_invoice):
                return self._take_back(RULES[10])
        if self._breaks_rule_13_i(invoice):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: enter invoice {number} with {len(charges)} lines (new: invoice {invoice['id']}).",
            "data": {"invoice_id": invoice["id"], **self._changes()},
        }

    def match_invoice(self, invoice_id: str) -> Result:
        """Match an invoice with order and goods; it passes, or a new one is held where goods lack or a price is above
        tolerance.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] not in ("entered", "held"):
            return _refused(f"Invoice {invoice['number']} is {invoice['status']}.")
        lacking = next(
            (c for c in sorted(self._charges_by_invoice.get(invoice_id, {}).values(), key=_age) if self._short(c)),
            None,
        )
        if invoice["status"] != "entered" and lacking is not None:
            return _refused(
                f"{lacking['quantity']} of {self.lines[lacking['line_id']]['item']} are billed, with "
                f"{self._line_received(self.lines[lacking['line_id']])} received and "
                f"{self._line_billed(self.lines[lacking['line_id']])} billed before."
            )
        costly = next(
            (c for c in sorted(self._charges_by_invoice.get(invoice_id, {}).values(), key=_age) if self._dear(c)),
            None,
        )
        if invoice["status"] != "entered" and costly is not None:
            return _refused(
                f"{_money(costly['price'])} for {self.lines[costly['line_id']]['item']} is above the order price "
                f"of {_money(self.lines[costly['line_id']]['price'])} and its tolerance; "
                f"{self.clerks[self.orders[invoice['order_id']]['buyer_id']]['name']} may accept it."
            )
        self._journal = []
        changed_invoices: list[Any] = []
        if self._fits(invoice):
            changed_invoices.append(invoice)
            self._put("invoices", invoice, "status", "matched")
        else:
            if invoice["status"] not in ("entered", "held"):
                return self._take_back(f"Invoice {invoice['number']} cannot go from {invoice['status']} to held.")
            changed_invoices.append(invoice)
            self._put("invoices", invoice, "status", "held")
        for one_line in _distinct(
            [
                self.lines[one["line_id"]]
                for one in [
                    user
                    for one in changed_invoices
                    for user in self._charges_by_invoice.get(one["id"], {}).values()
                ]
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_charge in _distinct(
            [user for one in changed_invoices for user in self._charges_by_invoice.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_9(one_invoice):
                return self._take_back(RULES[8])
        for one_credit_note in _distinct(
            [user for one in changed_invoices for user in self._credit_notes_by_invoice.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12(one_credit_note):
                return self._take_back(RULES[11])
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_13_i(one_invoice):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: match invoice {invoice['number']}.", "data": self._changes()}

    def accept_prices(self, invoice_id: str, by_id: str) -> Result:
        """Note that the buyer of the order accepts the prices of a held invoice.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.
            by_id (str): Buyer who placed the order and accepts the prices; an id such as CLERK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        by = self.clerks.get(by_id)
        if by is None:
            return _refused(f"There is no clerk {by_id!r}.")
        if invoice["status"] != "held":
            return _refused(f"Invoice {invoice['number']} is {invoice['status']}.")
        if by_id != self.orders[invoice["order_id"]]["buyer_id"]:
            return _refused(
                f"Order {self.orders[invoice['order_id']]['number']} was placed by "
                f"{self.clerks[self.orders[invoice['order_id']]['buyer_id']]['name']}, who alone can accept its "
                "prices."
            )
        if not any(self._dear(c) for c in self._charges_by_invoice.get(invoice_id, {}).values()):
            return _refused(f"No price on invoice {invoice['number']} needs to be accepted.")
        self._journal = []
        self._put("invoices", invoice, "accepted_by_id", by_id)
        for one_charge in _distinct(self._charges_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        if self._breaks_rule_10(invoice):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: accept the prices of invoice {invoice['number']} as {by['name']}.",
            "data": self._changes(),
        }

    def amend_line(
        self,
        line_id: str,
        by_id: str,
        quantity: Annotated[int, {"minimum": 1, "maximum": 20000}] | None = None,
        price: Annotated[int, {"minimum": 1, "maximum": 5000000}] | None = None,
    ) -> Result:
        """Amend the quantity or price of an order line, as the buyer who placed the order.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            by_id (str): Buyer who placed the order; an id such as CLERK-00001.
            quantity (int, optional): New number of pieces ordered, no fewer than were received, from 1 to 20000.
                If left out, the number of pieces stays as it is.
            price (int, optional): New price for each piece, only before the line is billed, in cents, from 1 to
                5000000. If left out, the price stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        by = self.clerks.get(by_id)
        if by is None:
            return _refused(f"There is no clerk {by_id!r}.")
        if self.orders[line["order_id"]]["status"] != "sent":
            return _refused(
                f"Order {self.orders[line['order_id']]['number']} is {self.orders[line['order_id']]['status']}."
            )
        if by_id != self.orders[line["order_id"]]["buyer_id"]:
            return _refused(
                f"Order {self.orders[line['order_id']]['number']} was placed by "
                f"{self.clerks[self.orders[line['order_id']]['buyer_id']]['name']}, who alone amends it."
            )
        if quantity is None and price is None:
            return _refused("Say a new quantity or a new price.")
        if (quantity if quantity is not None else line["quantity"]) < self._line_received(line):
            return _refused(f"{self._line_received(line)} of {line['item']} have been received.")
        if price is not None and self._line_billed(line) != 0:
            return _refused(f"{line['item']} has been billed at {_money(line['price'])}.")
        self._journal = []
        new_quantity = quantity if quantity is not None else line["quantity"]
        if not 1 <= new_quantity <= 20000:
            return self._take_back(f"The quantity of {line['code']} must be between 1 and 20000.")
        self._put("lines", line, "quantity", new_quantity)
        new_price = price if price is not None else line["price"]
        if not 1 <= new_price <= 5000000:
            return self._take_back(f"The price of {line['code']} must be between 0.01 and 50,000.00.")
        self._put("lines", line, "price", new_price)
        if self._breaks_rule_1(line):
            return self._take_back(RULES[0])
        for one_charge in _distinct(self._charges_by_line.get(line["id"], {}).values()):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        done = f"amend {line['item']} on order {self.orders[line['order_id']]['number']} as {by['name']}"
        if quantity is not None:
            done += f" to {quantity} pieces"
        if price is not None:
            done += f" at {_money(price)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def reject_invoice(self, invoice_id: str) -> Result:
        """Reject an invoice that has not passed the match; credit notes on it are void then.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] not in ("entered", "held"):
            return _refused(f"Invoice {invoice['number']} is {invoice['status']}.")
        spent = next(
            (n for n in sorted(self._credit_notes_by_invoice.get(invoice_id, {}).values(), key=_age) if n["used"]),
            None,
        )
        if spent is not None:
            return _refused(
                f"Credit note {spent['number']} on invoice {invoice['number']} was deducted from a payment "
                "already, so settle that with the supplier first."
            )
        self._journal = []
        self._put("invoices", invoice, "status", "rejected")
        for one_line in _distinct(
            [self.lines[one["line_id"]] for one in self._charges_by_invoice.get(invoice["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_charge in _distinct(self._charges_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        if self._breaks_rule_9(invoice):
            return self._take_back(RULES[8])
        for one_credit_note in _distinct(self._credit_notes_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_12(one_credit_note):
                return self._take_back(RULES[11])
        if self._breaks_rule_13_i(invoice):
            return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: reject invoice {invoice['number']}.", "data": self._changes()}

    def approve_invoice(self, invoice_id: str, by_id: str) -> Result:
        """Approve a matched invoice, within the limit of somebody who did not place the order.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.
            by_id (str): Clerk who approves, whose limit covers the total and who did not order; an id such as
                CLERK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        by = self.clerks.get(by_id)
        if by is None:
            return _refused(f"There is no clerk {by_id!r}.")
        if invoice["status"] != "matched":
            return _refused(f"Invoice {invoice['number']} is {invoice['status']}.")
        if by_id == self.orders[invoice["order_id"]]["buyer_id"]:
            return _refused(f"{by['name']} placed order {self.orders[invoice['order_id']]['number']}.")
        if not self._may_approve(by, invoice):
            return _refused(
                f"{by['name']} may approve {_money(by['limit'])} and invoice {invoice['number']} is "
                f"{_money(self._invoice_total(invoice))}."
            )
        self._journal = []
        self._put("invoices", invoice, "approved_by_id", by_id)
        self._put("invoices", invoice, "status", "approved")
        for one_line in _distinct(
            [self.lines[one["line_id"]] for one in self._charges_by_invoice.get(invoice["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_charge in _distinct(self._charges_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        if self._breaks_rule_8(invoice):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(invoice):
            return self._take_back(RULES[8])
        for one_credit_note in _distinct(self._credit_notes_by_invoice.get(invoice["id"], {}).values()):
            if self._breaks_rule_12(one_credit_note):
                return self._take_back(RULES[11])
        if self._breaks_rule_13_i(invoice):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: approve invoice {invoice['number']} as {by['name']}.",
            "data": self._changes(),
        }

    def enter_credit(
        self,
        invoice_id: str,
        number: Text,
        amount: Annotated[int, {"minimum": 1, "maximum": 9000000}],
    ) -> Result:
        """Enter a credit note of the supplier on an invoice; it is netted in the next payment run.

        Args:
            invoice_id (str): Id of the invoice, such as INVOICE-00001.
            number (str): Number of the credit note, not used by that supplier before.
            amount (int): Amount of the credit note, within what is left of the invoice, in cents, from 1 to
                9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        invoice = self.invoices.get(invoice_id)
        if invoice is None:
            return _refused(f"There is no invoice {invoice_id!r}.")
        if invoice["status"] == "rejected":
            return _refused(f"Invoice {invoice['number']} is rejected.")
        if self._credited(invoice) + amount > self._invoice_total(invoice):
            return _refused(
                f"Invoice {invoice['number']} is {_money(self._invoice_total(invoice))} with "
                f"{_money(self._credited(invoice))} credited already."
            )
        if any(
            self.orders[
                self.invoices[n["invoice_id"]]["order_id"]
            ]["supplier_id"] == self.orders[invoice["order_id"]]["supplier_id"]
            for n in self._credit_notes_by_lower_number.get(number.lower(), {}).values()
        ):
            return _refused(
                f"The number {number} was used by "
                f"{self.suppliers[self.orders[invoice['order_id']]['supplier_id']]['name']} before."
            )
        self._journal = []
        credit_note: CreditNote = {
            "id": self._new_id("credit_note", "CN", self.credit_notes),
            "number": number,
            "invoice_id": invoice_id,
            "amount": amount,
            "used": False,
        }
        self._add("credit_notes", credit_note)
        if self._breaks_rule_7(credit_note):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(self.invoices[credit_note["invoice_id"]]):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(credit_note):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: enter credit note {number} over {_money(amount)} on invoice {invoice['number']} (new: "
                f"credit note {credit_note['id']})."
            ),
            "data": {"credit_note_id": credit_note["id"], **self._changes()},
        }

    def pay_invoices(self, supplier_id: str, invoice_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Pay approved invoices of a supplier in one run, less all credit notes that are not used.

        Args:
            supplier_id (str): Id of the supplier, such as SUPPLIER-00001.
            invoice_ids (list): Approved invoices of this supplier to pay in this run: ids of invoices, such as
                INVOICE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        supplier = self.suppliers.get(supplier_id)
        if supplier is None:
            return _refused(f"There is no supplier {supplier_id!r}.")
        invoices = []
        for key in invoice_ids:
            if key not in self.invoices:
                return _refused(f"There is no invoice {key!r}.")
            invoices.append(self.invoices[key])
        if not (len(invoices) > 0 and _different([i["id"] for i in invoices])):
            return _refused("Name at least one invoice, and each once.")
        if supplier["blocked"]:
            return _refused(f"{supplier['name']} is blocked for payments.")
        other = next((i for i in invoices if self.orders[i["order_id"]]["supplier_id"] != supplier_id), None)
        if other is not None:
            return _refused(
                f"Invoice {other['number']} is from "
                f"{self.suppliers[self.orders[other['order_id']]['supplier_id']]['name']}."
            )
        open = next((i for i in invoices if i["status"] != "approved"), None)
        if open is not None:
            return _refused(f"Invoice {open['number']} is {open['status']}, not approved.")
        sum_of_all = sum(self._invoice_total(i) for i in invoices)
        if self._credits(supplier) > sum_of_all:
            return _refused(
                f"{supplier['name']} has credit notes of {_money(self._credits(supplier))}, more than the "
                f"{_money(sum_of_all)} to be paid."
            )
        self._journal = []
        changed_invoices: list[Any] = []
        changed_credit_notes: list[Any] = []
        for i in list(invoices):
            self._put("invoices", i, "paid_on", self.now[:10])
            if i["status"] not in ("approved", "paid"):
                return self._take_back(f"Invoice {i['number']} cannot go from {i['status']} to paid.")
            changed_invoices.append(i)
            self._put("invoices", i, "status", "paid")
        for n in [
            n
            for n in sorted(
                [
                    n
                    for _order in self._orders_by_supplier.get(supplier_id, {}).values()
                    for _invoice in self._invoices_by_order.get(_order["id"], {}).values()
                    for n in self._credit_notes_by_invoice.get(_invoice["id"], {}).values()
                ],
                key=_age,
            )
            if not n["used"]
            and self.invoices[n["invoice_id"]]["status"] != "rejected"
        ]:
            changed_credit_notes.append(n)
            self._put("credit_notes", n, "used", True)
        for one_line in _distinct(
            [
                self.lines[one["line_id"]]
                for one in [
                    user
                    for one in changed_invoices
                    for user in self._charges_by_invoice.get(one["id"], {}).values()
                ]
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_charge in _distinct(
            [user for one in changed_invoices for user in self._charges_by_invoice.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_4(one_charge):
                return self._take_back(RULES[3])
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_9(one_invoice):
                return self._take_back(RULES[8])
        for one_credit_note in _distinct(
            [
                *[
                    user
                    for one in changed_invoices
                    for user in self._credit_notes_by_invoice.get(one["id"], {}).values()
                ],
                *changed_credit_notes,
            ]
        ):
            if self._breaks_rule_12(one_credit_note):
                return self._take_back(RULES[11])
        for one_invoice in _distinct(changed_invoices):
            if self._breaks_rule_13_i(one_invoice):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: pay {len(invoices)} invoices of {supplier['name']}.",
            "data": self._changes(),
        }

    def end_order(self, order_id: str) -> Result:
        """End an order for which nothing more will come; it is cancelled where nothing was received, and closed
        otherwise.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "sent":
            return _refused(f"Order {order['number']} is {order['status']}.")
        waiting = next(
            (
                i
                for i in sorted(self._invoices_by_order.get(order_id, {}).values(), key=_age)
                if i["status"] in ("entered", "held")
            ),
            None,
        )
        if waiting is not None:
            return _refused(
                f"Invoice {waiting['number']} on order {order['number']} is {waiting['status']}; match or reject "
                "it first."
            )
        self._journal = []
        changed_orders: list[Any] = []
        if any(self._line_received(l) > 0 for l in self._lines_by_order.get(order_id, {}).values()):
            changed_orders.append(order)
            self._put("orders", order, "status", "closed")
        else:
            if order["status"] not in ("sent", "cancelled"):
                return self._take_back(f"Order {order['number']} cannot go from {order['status']} to cancelled.")
            changed_orders.append(order)
            self._put("orders", order, "status", "cancelled")
        for one_invoice in _distinct(
            [user for one in changed_orders for user in self._invoices_by_order.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_13_i(one_invoice):
                return self._take_back(RULES[12])
        for one_line in _distinct(
            [user for one in changed_orders for user in self._lines_by_order.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_13_l(one_line):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: end order {order['number']}.", "data": self._changes()}

    def _show_line(self, line: Line) -> dict[str, Any]:
        """The line as an answer shows it."""
        return {**line, "received": self._line_received(line), "billed": self._line_billed(line)}

    def _show_invoice(self, invoice: Invoice) -> dict[str, Any]:
        """The invoice as an answer shows it."""
        return {**invoice, "total": self._invoice_total(invoice), "due_on": self._invoice_due_on(invoice)}

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.suppliers, "name", [row["supplier_id"] for row in shown]),
            (self.clerks, "name", [row["buyer_id"] for row in shown]),
        )

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names((self.orders, "number", [row["order_id"] for row in shown]))

    def _names_of_receipts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that receipts point to."""
        return _names((self.lines, "code", [row["line_id"] for row in shown]))

    def _names_of_invoices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that invoices point to."""
        return _names(
            (self.orders, "number", [row["order_id"] for row in shown]),
            (self.clerks, "name", [row["accepted_by_id"] for row in shown]),
            (self.clerks, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_charges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that charges point to."""
        return _names(
            (self.invoices, "number", [row["invoice_id"] for row in shown]),
            (self.lines, "code", [row["line_id"] for row in shown]),
        )

    def _names_of_credit_notes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that credit notes point to."""
        return _names((self.invoices, "number", [row["invoice_id"] for row in shown]))

    def _line_received(self, line: Line) -> int:
        """The received of a line."""
        return sum(r["quantity"] - r["returned"] for r in self._receipts_by_line.get(line["id"], {}).values())

    def _line_billed(self, line: Line) -> int:
        """The billed of a line."""
        return sum(
            c["quantity"]
            for c in self._charges_by_line.get(line["id"], {}).values()
            if self._passed(self.invoices[c["invoice_id"]])
        )

    def _invoice_total(self, invoice: Invoice) -> int:
        """The total of an invoice."""
        return sum(c["price"] * c["quantity"] for c in self._charges_by_invoice.get(invoice["id"], {}).values())

    def _invoice_due_on(self, invoice: Invoice) -> str:
        """The due on of an invoice."""
        return _plus_days(invoice["dated"], self.suppliers[self.orders[invoice["order_id"]]["supplier_id"]]["terms"])

    def _passed(self, i: Invoice) -> bool:
        return i["status"] in ("matched", "approved", "paid")

    def _short(self, c: Charge) -> bool:
        return (
            c["quantity"]
            + sum(
                d["quantity"]
                for d in self._charges_by_line.get(c["line_id"], {}).values()
                if d is not c
                and self._passed(self.invoices[d["invoice_id"]])
            ) > self._line_received(self.lines[c["line_id"]])
        )

    def _over(self, c: Charge) -> bool:
        return c["price"] * 100 > self.lines[c["line_id"]]["price"] * (
            100 + self.suppliers[self.orders[self.lines[c["line_id"]]["order_id"]]["supplier_id"]]["tolerance"]
        )

    def _dear(self, c: Charge) -> bool:
        return self.invoices[c["invoice_id"]]["accepted_by_id"] is None and self._over(c)

    def _fits(self, i: Invoice) -> bool:
        return not any(self._short(c) or self._dear(c) for c in self._charges_by_invoice.get(i["id"], {}).values())

    def _credits(self, s: Supplier) -> int:
        return sum(
            n["amount"]
            for _order in self._orders_by_supplier.get(s["id"], {}).values()
            for _invoice in self._invoices_by_order.get(_order["id"], {}).values()
            for n in self._credit_notes_by_invoice.get(_invoice["id"], {}).values()
            if not n["used"]
            and self.invoices[n["invoice_id"]]["status"] != "rejected"
        )

    def _credited(self, i: Invoice) -> int:
        return sum(n["amount"] for n in self._credit_notes_by_invoice.get(i["id"], {}).values())

    def _may_approve(self, k: Clerk, i: Invoice) -> bool:
        return k["id"] != self.orders[i["order_id"]]["buyer_id"] and self._invoice_total(i) <= k["limit"]

    def _breaks_rule_1(self, l: Line) -> bool:
        """Whether this is broken: no more of a line is received than was ordered."""
        return self._line_received(l) > l["quantity"]

    def _breaks_rule_2(self, r: Receipt) -> bool:
        """Whether this is broken: nothing more is returned than a delivery held."""
        return r["returned"] > r["quantity"]

    def _breaks_rule_3(self, l: Line) -> bool:
        """Whether this is broken: an invoice that passed the match bills no more than was delivered."""
        return self._line_billed(l) > sum(r["quantity"] for r in self._receipts_by_line.get(l["id"], {}).values())

    def _breaks_rule_4(self, c: Charge) -> bool:
        """Whether this is broken: an invoice that passed the match keeps to the order price and its tolerance, or the
        buyer accepted it.
        """
        return self._passed(self.invoices[c["invoice_id"]]) and self._dear(c)

    def _breaks_rule_5_c(self, c: Charge) -> bool:
        """Whether this is broken: an invoice bills only lines of its own order, each once."""
        return self.lines[c["line_id"]]["order_id"] != self.invoices[c["invoice_id"]]["order_id"]

    def _breaks_rule_5_c_again(self, c: Charge) -> bool:
        """Whether this is broken: an invoice bills only lines of its own order, each once."""
        return any(
            other_c is not c
            for other_c in self._charges_by_invoice_line.get((c["invoice_id"], c["line_id"]), {}).values()
        )

    def _breaks_rule_6(self, i: Invoice) -> bool:
        """Whether this is broken: a supplier never uses an invoice number twice."""
        return any(
            other_i is not i
            for other_i in self._invoices_by_lower_number.get(i["number"].lower(), {}).values()
            if self.orders[other_i["order_id"]]["supplier_id"] == self.orders[i["order_id"]]["supplier_id"]
        )

    def _breaks_rule_7(self, n: CreditNote) -> bool:
        """Whether this is broken: a supplier never uses the number of a credit note twice."""
        return any(
            other_n is not n
            for other_n in self._credit_notes_by_lower_number.get(n["number"].lower(), {}).values()
            if self.orders[
                self.invoices[other_n["invoice_id"]]["order_id"]
            ]["supplier_id"] == self.orders[self.invoices[n["invoice_id"]]["order_id"]]["supplier_id"]
        )

    def _breaks_rule_8(self, i: Invoice) -> bool:
        """Whether this is broken: an invoice is approved by somebody whose limit covers it and who did not place the
        order.
        """
        return not (
            i["approved_by_id"] is None
            or i["approved_by_id"] != self.orders[i["order_id"]]["buyer_id"]
            and self._invoice_total(i) <= self.clerks[i["approved_by_id"]]["limit"]
        )

    def _breaks_rule_9(self, i: Invoice) -> bool:
        """Whether this is broken: only approved and paid invoices say who approved them."""
        return (i["status"] in ("approved", "paid")) != (i["approved_by_id"] is not None)

    def _breaks_rule_10(self, i: Invoice) -> bool:
        """Whether this is broken: prices are accepted by the buyer who placed the order."""
        return i["accepted_by_id"] is not None and i["accepted_by_id"] != self.orders[i["order_id"]]["buyer_id"]

    def _breaks_rule_11(self, i: Invoice) -> bool:
        """Whether this is broken: the credit notes on an invoice are never more than the invoice."""
        return sum(
            n["amount"]
            for n in self._credit_notes_by_invoice.get(i["id"], {}).values()
        ) > self._invoice_total(i)

    def _breaks_rule_12(self, n: CreditNote) -> bool:
        """Whether this is broken: a credit note that was deducted belongs to an invoice that stands."""
        return n["used"] and self.invoices[n["invoice_id"]]["status"] == "rejected"

    def _breaks_rule_13_i(self, i: Invoice) -> bool:
        """Whether this is broken: a closed or cancelled order has no invoice that waits, and a cancelled one has no
        goods.
        """
        return self.orders[i["order_id"]]["status"] != "sent" and i["status"] in ("entered", "held")

    def _breaks_rule_13_l(self, l: Line) -> bool:
        """Whether this is broken: a closed or cancelled order has no invoice that waits, and a cancelled one has no
        goods.
        """
        return self.orders[l["order_id"]]["status"] == "cancelled" and self._line_received(l) > 0

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
                self._orders_by_supplier.setdefault(record["supplier_id"], {})[record["id"]] = record
            case "lines":
                self._lines_by_order.setdefault(record["order_id"], {})[record["id"]] = record
            case "receipts":
                self._receipts_by_line.setdefault(record["line_id"], {})[record["id"]] = record
                self._receipts_by_slip.setdefault(record["slip"], {})[record["id"]] = record
            case "invoices":
                self._invoices_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._invoices_by_order.setdefault(record["order_id"], {})[record["id"]] = record
            case "charges":
                self._charges_by_invoice.setdefault(record["invoice_id"], {})[record["id"]] = record
                self._charges_by_invoice_line.setdefault(
                    (record["invoice_id"], record["line_id"]),
                    {},
                )[record["id"]] = record
                self._charges_by_line.setdefault(record["line_id"], {})[record["id"]] = record
            case "credit_notes":
                self._credit_notes_by_invoice.setdefault(record["invoice_id"], {})[record["id"]] = record
                self._credit_notes_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "orders":
                del self._orders_by_supplier[record["supplier_id"]][record["id"]]
            case "lines":
                del self._lines_by_order[record["order_id"]][record["id"]]
            case "receipts":
                del self._receipts_by_line[record["line_id"]][record["id"]]
                del self._receipts_by_slip[record["slip"]][record["id"]]
            case "invoices":
                del self._invoices_by_lower_number[record["number"].lower()][record["id"]]
                del self._invoices_by_order[record["order_id"]][record["id"]]
            case "charges":
                del self._charges_by_invoice[record["invoice_id"]][record["id"]]
                del self._charges_by_invoice_line[record["invoice_id"], record["line_id"]][record["id"]]
                del self._charges_by_line[record["line_id"]][record["id"]]
            case "credit_notes":
                del self._credit_notes_by_invoice[record["invoice_id"]][record["id"]]
                del self._credit_notes_by_lower_number[record["number"].lower()][record["id"]]
