"""Currency exchange. Compiled from blueprint.yaml; run `envscaler build currency_exchange` after changing it there.

Runs the tills of exchange bureaus, with stocks per currency, buying and selling at rates with a spread,
identity limits, transfers between tills and the cash-up.
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
    "A till has one stock of a currency.",
    "An open till has a cashier and a closed one has none.",
    "A cashier works at one till at a time.",
    "Nobody exchanges more than 1,000.00 a day without a document.",
    "Nobody exchanges more than 10,000.00 a day.",
    "Only whole notes are exchanged and moved.",
    "A transfer carries notes of a currency, cash or both.",
    "A transfer goes to another till.",
    "A till with money under way to or from it stays open.",
    "A till is not open as long as one of its differences is unsettled.",
    "Differences are settled by senior cashiers.",
    "The spread of a currency leaves something to earn.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sell_currency",
    "buy_currency",
    "void_deal",
    "set_rate",
    "record_document",
    "send_transfer",
    "receive_transfer",
    "recall_transfer",
    "open_till",
    "cash_up",
    "settle_differences",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "currencies": ("name",),
    "cashiers": ("name",),
    "tills": ("name",),
    "stocks": (),
    "customers": ("name",),
    "deals": (),
    "transfers": (),
    "differences": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("deals", "customer_id"),
    ("deals", "status"),
    ("differences", "till_id"),
    ("stocks", "currency_id"),
    ("stocks", "till_id"),
    ("tills", "cashier_id"),
    ("transfers", "receiver_id"),
    ("transfers", "sender_id"),
    ("transfers", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Currency(TypedDict):
    id: str
    name: str
    code: str
    rate: int
    spread: int
    note: int


class Cashier(TypedDict):
    id: str
    name: str
    senior: bool


class Till(TypedDict):
    id: str
    name: str
    cash: int
    cashier_id: str | None
    status: Literal["closed", "open"]


class Stock(TypedDict):
    id: str
    till_id: str
    currency_id: str
    units: int


class Customer(TypedDict):
    id: str
    name: str
    document: str | None


class Deal(TypedDict):
    id: str
    till_id: str
    customer_id: str
    currency_id: str
    side: Literal["bought", "sold"]
    units: int
    price: int
    made_on: str
    status: Literal["done", "voided"]


class Transfer(TypedDict):
    id: str
    sender_id: str
    receiver_id: str
    currency_id: str | None
    units: int
    cash: int
    sent_on: str
    status: Literal["sent", "received", "recalled"]


class Difference(TypedDict):
    id: str
    till_id: str
    currency_id: str | None
    cashier_id: str | None
    off_by: int
    cash_off: int
    found_on: str
    settled_by_id: str | None


class CashUpCount(TypedDict):
    currency_id: str
    units: Annotated[int, {"minimum": 0, "maximum": 50000000}]


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


class CurrencyExchange:
    """Runs the tills of exchange bureaus, with stocks per currency, buying and selling at rates with a
    spread, identity limits, transfers between tills and the cash-up.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.currencies: dict[str, Currency] = _copied(config.get("currencies", {}))
        self.cashiers: dict[str, Cashier] = _copied(config.get("cashiers", {}))
        self.tills: dict[str, Till] = _copied(config.get("tills", {}))
        self.stocks: dict[str, Stock] = _copied(config.get("stocks", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.deals: dict[str, Deal] = _copied(config.get("deals", {}))
        self.transfers: dict[str, Transfer] = _copied(config.get("transfers", {}))
        self.differences: dict[str, Difference] = _copied(config.get("differences", {}))
        self.now: str = config.get("now", "2026-07-16T09:15")
        self.counters: dict[str, int] = {
            "currency": len(self.currencies),
            "cashier": len(self.cashiers),
            "till": len(self.tills),
            "stock": len(self.stocks),
            "customer": len(self.customers),
            "deal": len(self.deals),
            "transfer": len(self.transfers),
            "difference": len(self.differences),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tills_by_cashier: dict[Any, dict[str, Till]] = {}
        self._stocks_by_currency: dict[Any, dict[str, Stock]] = {}
        self._stocks_by_till_currency: dict[Any, dict[str, Stock]] = {}
        self._deals_by_customer_status: dict[Any, dict[str, Deal]] = {}
        self._transfers_by_receiver: dict[Any, dict[str, Transfer]] = {}
        self._transfers_by_receiver_status: dict[Any, dict[str, Transfer]] = {}
        self._transfers_by_sender: dict[Any, dict[str, Transfer]] = {}
        self._transfers_by_sender_status: dict[Any, dict[str, Transfer]] = {}
        self._differences_by_till: dict[Any, dict[str, Difference]] = {}
        for till in self.tills.values():
            self._link("tills", till)
        for stock in self.stocks.values():
            self._link("stocks", stock)
        for deal in self.deals.values():
            self._link("deals", deal)
        for transfer in self.transfers.values():
            self._link("transfers", transfer)
        for difference in self.differences.values():
            self._link("differences", difference)

    def quote(self, currency_id: str, units: Annotated[int, {"minimum": 1, "maximum": 5000000}]) -> Result:
        """What some units of a currency would cost a customer, and what they would be paid for them.

        Args:
            currency_id (str): Id of the currency, such as CURRENCY-00001.
            units (int): Amount in units of the foreign currency, from 1 to 5000000.

        Returns:
            dict: {"success": True, "data": {selling, buying, cost, payout}} or {"success": False, "error": why
                not}
        """
        currency = self.currencies.get(currency_id)
        if currency is None:
            return _refused(f"There is no currency {currency_id!r}.")
        return _found(
            {
                "selling": self._currency_selling(currency),
                "buying": self._currency_buying(currency),
                "cost": self._cost(currency, units),
                "payout": self._payout(currency, units),
            }
        )

    def who_has(
        self,
        currency_id: str,
        at_least: Annotated[int, {"minimum": 1, "maximum": 5000000}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tills that keep a currency, the largest stock first.

        Args:
            currency_id (str): Id of the currency, such as CURRENCY-00001.
            at_least (int, optional): Units that the till must have at least, from 1 to 5000000. If left out, all
                tills that keep the currency are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stocks": records}} or {"success": False, "error": why
                not}
        """
        currency = self.currencies.get(currency_id)
        if currency is None:
            return _refused(f"There is no currency {currency_id!r}.")
        found = [
            s
            for s in self._stocks_by_currency.get(currency_id, {}).values()
            if (at_least is None or s["units"] >= at_least)
        ]
        found.sort(key=lambda s: (-s["units"], self.tills[s["till_id"]]["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stocks": [
                    {
                        "till": self.tills[s["till_id"]]["name"],
                        "till_id": s["till_id"],
                        "open": self.tills[s["till_id"]]["status"],
                        "units": s["units"],
                        "value": self._stock_value(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def day_of_customer(self, customer_id: str) -> Result:
        """What a customer has exchanged today and may still exchange.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.

        Returns:
            dict: {"success": True, "data": {document, today, left}} or {"success": False, "error": why not}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        return _found(
            {
                "document": customer["document"],
                "today": self._customer_today(customer),
                "left": 1000000 - self._customer_today(customer) if customer[
                    "document"
                ] is not None else 100000 - self._customer_today(customer),
            }
        )

    def list_currencies(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the currencies, oldest first, all of them or only some.

        Args:
            name (str, optional): Only currencies whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "currencies": records}}
        """
        found = [
            currency
            for currency in self.currencies.values()
            if (name is None or name.casefold() in currency["name"].casefold())
        ]
        return _found(
            {"total": len(found), "currencies": [self._show_currency(currency) for currency in _page(found, offset)]}
        )

    def list_cashiers(
        self,
        name: Text | None = None,
        senior: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cashiers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only cashiers whose name contains this text.
            senior (bool, optional): Only cashiers that are senior (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cashiers": records}}
        """
        found = [
            cashier
            for cashier in self.cashiers.values()
            if (name is None or name.casefold() in cashier["name"].casefold())
            and (senior is None or cashier["senior"] == senior)
        ]
        return _found({"total": len(found), "cashiers": [{**cashier} for cashier in _page(found, offset)]})

    def list_tills(
        self,
        name: Text | None = None,
        cashier_id: str | None = None,
        status: Literal["closed", "open"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tills, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tills whose name contains this text.
            cashier_id (str, optional): Only tills of this cashier.
            status (str, optional): Only tills with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tills": records}}
        """
        if cashier_id is not None and cashier_id not in self.cashiers:
            return _refused(f"There is no cashier {cashier_id!r}.")
        found = [
            till
            for till in self.tills.values()
            if (name is None or name.casefold() in till["name"].casefold())
            and (cashier_id is None or till["cashier_id"] == cashier_id)
            and (status is None or till["status"] == status)
        ]
        shown = [{**till} for till in _page(found, offset)]
        return _found({"total": len(found), "tills": shown}, self._names_of_tills(shown))

    def list_stocks(
        self,
        till_id: str | None = None,
        currency_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stocks, oldest first, all of them or only some.

        Args:
            till_id (str, optional): Only stocks of this till.
            currency_id (str, optional): Only stocks of this currency.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stocks": records}}
        """
        if till_id is not None and till_id not in self.tills:
            return _refused(f"There is no till {till_id!r}.")
        if currency_id is not None and currency_id not in self.currencies:
            return _refused(f"There is no currency {currency_id!r}.")
        found = [
            stock
            for stock in self.stocks.values()
            if (till_id is None or stock["till_id"] == till_id)
            and (currency_id is None or stock["currency_id"] == currency_id)
        ]
        shown = [self._show_stock(stock) for stock in _page(found, offset)]
        return _found({"total": len(found), "stocks": shown}, self._names_of_stocks(shown))

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

    def list_deals(
        self,
        till_id: str | None = None,
        customer_id: str | None = None,
        currency_id: str | None = None,
        side: Literal["bought", "sold"] | None = None,
        status: Literal["done", "voided"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deals, oldest first, all of them or only some.

        Args:
            till_id (str, optional): Only deals of this till.
            customer_id (str, optional): Only deals of this customer.
            currency_id (str, optional): Only deals of this currency.
            side (str, optional): Only deals with this side.
            status (str, optional): Only deals with this status.
            made_on_from (str, optional): Only deals whose `made_on` is on this day or later.
            made_on_to (str, optional): Only deals whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deals": records}}
        """
        if till_id is not None and till_id not in self.tills:
            return _refused(f"There is no till {till_id!r}.")
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if currency_id is not None and currency_id not in self.currencies:
            return _refused(f"There is no currency {currency_id!r}.")
        found = [
            deal
            for deal in self.deals.values()
            if (till_id is None or deal["till_id"] == till_id)
            and (customer_id is None or deal["customer_id"] == customer_id)
            and (currency_id is None or deal["currency_id"] == currency_id)
            and (side is None or deal["side"] == side)
            and (status is None or deal["status"] == status)
            and (made_on_from is None or deal["made_on"] >= made_on_from)
            and (made_on_to is None or deal["made_on"] <= made_on_to)
        ]
        shown = [{**deal} for deal in _page(found, offset)]
        return _found({"total": len(found), "deals": shown}, self._names_of_deals(shown))

    def list_transfers(
        self,
        sender_id: str | None = None,
        receiver_id: str | None = None,
        currency_id: str | None = None,
        status: Literal["sent", "received", "recalled"] | None = None,
        sent_on_from: Date | None = None,
        sent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the transfers, oldest first, all of them or only some.

        Args:
            sender_id (str, optional): Only transfers whose sender is this till.
            receiver_id (str, optional): Only transfers whose receiver is this till.
            currency_id (str, optional): Only transfers of this currency.
            status (str, optional): Only transfers with this status.
            sent_on_from (str, optional): Only transfers whose `sent_on` is on this day or later.
            sent_on_to (str, optional): Only transfers whose `sent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "transfers": records}}
        """
        if sender_id is not None and sender_id not in self.tills:
            return _refused(f"There is no till {sender_id!r}.")
        if receiver_id is not None and receiver_id not in self.tills:
            return _refused(f"There is no till {receiver_id!r}.")
        if currency_id is not None and currency_id not in self.currencies:
            return _refused(f"There is no currency {currency_id!r}.")
        found = [
            transfer
            for transfer in self.transfers.values()
            if (sender_id is None or transfer["sender_id"] == sender_id)
            and (receiver_id is None or transfer["receiver_id"] == receiver_id)
            and (currency_id is None or transfer["currency_id"] == currency_id)
            and (status is None or transfer["status"] == status)
            and (sent_on_from is None or transfer["sent_on"] >= sent_on_from)
            and (sent_on_to is None or transfer["sent_on"] <= sent_on_to)
        ]
        shown = [{**transfer} for transfer in _page(found, offset)]
        return _found({"total": len(found), "transfers": shown}, self._names_of_transfers(shown))

    def list_differences(
        self,
        till_id: str | None = None,
        currency_id: str | None = None,
        cashier_id: str | None = None,
        settled_by_id: str | None = None,
        found_on_from: Date | None = None,
        found_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the differences, oldest first, all of them or only some.

        Args:
            till_id (str, optional): Only differences of this till.
            currency_id (str, optional): Only differences of this currency.
            cashier_id (str, optional): Only differences of this cashier.
            settled_by_id (str, optional): Only differences settled by this cashier.
            found_on_from (str, optional): Only differences whose `found_on` is on this day or later.
            found_on_to (str, optional): Only differences whose `found_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "differences": records}}
        """
        if till_id is not None and till_id not in self.tills:
            return _refused(f"There is no till {till_id!r}.")
        if currency_id is not None and currency_id not in self.currencies:
            return _refused(f"There is no currency {currency_id!r}.")
        if cashier_id is not None and cashier_id not in self.cashiers:
            return _refused(f"There is no cashier {cashier_id!r}.")
        if settled_by_id is not None and settled_by_id not in self.cashiers:
            return _refused(f"There is no cashier {settled_by_id!r}.")
        found = [
            difference
            for difference in self.differences.values()
            if (till_id is None or difference["till_id"] == till_id)
            and (currency_id is None or difference["currency_id"] == currency_id)
            and (cashier_id is None or difference["cashier_id"] == cashier_id)
            and (settled_by_id is None or difference["settled_by_id"] == settled_by_id)
            and (found_on_from is None or difference["found_on"] >= found_on_from)
            and (found_on_to is None or difference["found_on"] <= found_on_to)
        ]
        shown = [{**difference} for difference in _page(found, offset)]
        return _found({"total": len(found), "differences": shown}, self._names_of_differences(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sell_currency(
        self,
        till_id: str,
        customer_id: str,
        currency_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 5000000}],
    ) -> Result:
        """Sell units of a currency to a customer at the selling rate.

        Args:
            till_id (str): Id of the till, such as TILL-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            currency_id (str): Id of the currency, such as CURRENCY-00001.
            units (int): Amount in units of the foreign currency, payable in its notes, from 1 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        till = self.tills.get(till_id)
        if till is None:
            return _refused(f"There is no till {till_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        currency = self.currencies.get(currency_id)
        if currency is None:
            return _refused(f"There is no currency {currency_id!r}.")
        if till["status"] != "open":
            return _refused(f"{till['name']} is closed.")
        if units % currency["note"] != 0:
            return _refused(f"{currency['name']} come in notes of {currency['note']}.")
        stock = self._stock_of(till, currency)
        if stock is None or stock["units"] < units:
            return _refused(f"{till['name']} has {self._units_at(till, currency)} {currency['name']}, not {units}.")
        price = self._cost(currency, units)
        if customer["document"] is None and self._customer_today(customer) + price > 100000:
            return _refused(
                f"{customer['name']} shows a document first, the total of the day would be "
                f"{_money(self._customer_today(customer) + price)}."
            )
        if self._customer_today(customer) + price > 1000000:
            return _refused(
                f"{customer['name']} would come to {_money(self._customer_today(customer) + price)} today, and "
                "10,000.00 are allowed."
            )
        self._journal = []
        new_units = stock["units"] - units
        if not 0 <= new_units <= 50000000:
            return self._take_back(f"The units of {stock['id']} must be between 0 and 50000000.")
        self._put("stocks", stock, "units", new_units)
        cash = till["cash"] + price
        if not 0 <= cash <= 90000000:
            return self._take_back(f"The cash of {till['name']} must be between 0.00 and 900,000.00.")
        self._put("tills", till, "cash", cash)
        if not 1 <= price <= 90000000:
            return self._take_back("The price of a deal must be between 0.01 and 900,000.00.")
        deal: Deal = {
            "id": self._new_id("deal", "DEAL", self.deals),
            "till_id": till_id,
            "customer_id": customer_id,
            "currency_id": currency_id,
            "side": "sold",
            "units": units,
            "price": price,
            "made_on": self.now[:10],
            "status": "done",
        }
        self._add("deals", deal)
        for one_deal in _distinct(
            [deal, *self._deals_by_customer_status.get((deal["customer_id"], "done"), {}).values()]
        ):
            if self._breaks_rule_4(one_deal):
                return self._take_back(RULES[3])
        for one_deal in _distinct(
            [deal, *self._deals_by_customer_status.get((deal["customer_id"], "done"), {}).values()]
        ):
            if self._breaks_rule_5(one_deal):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_d(deal):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: sell {units} {currency['name']} to {customer['name']} at {till['name']} (new: deal "
                f"{deal['id']})."
            ),
            "data": {"deal_id": deal["id"], **self._changes()},
        }

    def buy_currency(
        self,
        till_id: str,
        customer_id: str,
        currency_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 5000000}],
    ) -> Result:
        """Buy units of a currency from a customer at the buying rate.

        Args:
            till_id (str): Id of the till, such as TILL-00001.
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            currency_id (str): Id of the currency, such as CURRENCY-00001.
            units (int): Amount in units of the foreign currency, in its notes, from 1 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        till = self.tills.get(till_id)
        if till is None:
            return _refused(f"There is no till {till_id!r}.")
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        currency = self.currencies.get(currency_id)
        if currency is None:
            return _refused(f"There is no currency {currency_id!r}.")
        if till["status"] != "open":
            return _refused(f"{till['name']} is closed.")
        if units % currency["note"] != 0:
            return _refused(f"{currency['name']} come in notes of {currency['note']}.")
        price = self._payout(currency, units)
        if price <= 0:
            return _refused(f"{units} {currency['name']} are worth nothing.")
        if price > till["cash"]:
            return _refused(f"{till['name']} has {_money(till['cash'])} in cash and cannot pay {_money(price)}.")
        if customer["document"] is None and self._customer_today(customer) + price > 100000:
            return _refused(
                f"{customer['name']} shows a document first, the total of the day would be "
                f"{_money(self._customer_today(customer) + price)}."
            )
        if self._customer_today(customer) + price > 1000000:
            return _refused(
                f"{customer['name']} would come to {_money(self._customer_today(customer) + price)} today, and "
                "10,000.00 are allowed."
            )
        self._journal = []
        added_stocks: list[Any] = []
        cash = till["cash"] - price
        if not 0 <= cash <= 90000000:
            return self._take_back(f"The cash of {till['name']} must be between 0.00 and 900,000.00.")
        self._put("tills", till, "cash", cash)
        stock = self._stock_of(till, currency)
        if stock is not None:
            new_units = stock["units"] + units
            if not 0 <= new_units <= 50000000:
                return self._take_back(f"The units of {stock['id']} must be between 0 and 50000000.")
            self._put("stocks", stock, "units", new_units)
        else:
            new_stock = {
                "id": self._new_id("stock", "STOCK", self.stocks),
                "till_id": till_id,
                "currency_id": currency_id,
                "units": units,
            }
            self._add("stocks", new_stock)
            added_stocks.append(new_stock)
        if not 1 <= price <= 90000000:
            return self._take_back("The price of a deal must be between 0.01 and 900,000.00.")
        deal: Deal = {
            "id": self._new_id("deal", "DEAL", self.deals),
            "till_id": till_id,
            "customer_id": customer_id,
            "currency_id": currency_id,
            "side": "bought",
            "units": units,
            "price": price,
            "made_on": self.now[:10],
            "status": "done",
        }
        self._add("deals", deal)
        for one_stock in _distinct(added_stocks):
            if self._breaks_rule_1(one_stock):
                return self._take_back(RULES[0])
        for one_deal in _distinct(
            [deal, *self._deals_by_customer_status.get((deal["customer_id"], "done"), {}).values()]
        ):
            if self._breaks_rule_4(one_deal):
                return self._take_back(RULES[3])
        for one_deal in _distinct(
            [deal, *self._deals_by_customer_status.get((deal["customer_id"], "done"), {}).values()]
        ):
            if self._breaks_rule_5(one_deal):
                return self._take_back(RULES[4])
        if self._breaks_rule_6_d(deal):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: buy {units} {currency['name']} from {customer['name']} at {till['name']} (new: deal "
                f"{deal['id']})."
            ),
            "data": {"deal_id": deal["id"], **self._changes()},
        }

    def void_deal(self, deal_id: str, by_id: str) -> Result:
        """Void a deal of today or yesterday; notes and money go back.

        Args:
            deal_id (str): Id of the deal, such as DEAL-00001.
            by_id (str): Senior cashier who voids the deal; an id such as CASHIER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deal = self.deals.get(deal_id)
        if deal is None:
            return _refused(f"There is no deal {deal_id!r}.")
        by = self.cashiers.get(by_id)
        if by is None:
            return _refused(f"There is no cashier {by_id!r}.")
        if deal["status"] != "done":
            return _refused(f"The deal is {deal['status']}.")
        if _plus_days(deal["made_on"], 1) < self.now[:10]:
            return _refused(f"The deal of {deal['made_on']} is too old.")
        if not by["senior"]:
            return _refused(f"{by['name']} is no senior cashier.")
        if self.tills[deal["till_id"]]["status"] != "open":
            return _refused(f"{self.tills[deal['till_id']]['name']} is closed.")
        if (
            deal["side"] != "sold"
            and self._units_at(self.tills[deal["till_id"]], self.currencies[deal["currency_id"]]) < deal["units"]
        ):
            return _refused(
                f"{self.tills[deal['till_id']]['name']} has too few "
                f"{self.currencies[deal['currency_id']]['name']} left."
            )
        if deal["side"] != "bought" and self.tills[deal["till_id"]]["cash"] < deal["price"]:
            return _refused(f"{self.tills[deal['till_id']]['name']} has too little cash left.")
        self._journal = []
        for s in sorted(
            self._stocks_by_till_currency.get((deal["till_id"], deal["currency_id"]), {}).values(),
            key=_age,
        ):
            units = s["units"] + (deal["units"] if deal["side"] == "sold" else -deal["units"])
            if not 0 <= units <= 50000000:
                return self._take_back(f"The units of {s['id']} must be between 0 and 50000000.")
            self._put("stocks", s, "units", units)
        till = self.tills[deal["till_id"]]
        cash = self.tills[deal["till_id"]]["cash"] + (deal["price"] if deal["side"] == "bought" else -deal["price"])
        if not 0 <= cash <= 90000000:
            return self._take_back(f"The cash of {till['name']} must be between 0.00 and 900,000.00.")
        self._put("tills", till, "cash", cash)
        self._put("deals", deal, "status", "voided")
        for one_deal in _distinct(
            [deal, *self._deals_by_customer_status.get((deal["customer_id"], "done"), {}).values()]
        ):
            if self._breaks_rule_4(one_deal):
                return self._take_back(RULES[3])
        for one_deal in _distinct(
            [deal, *self._deals_by_customer_status.get((deal["customer_id"], "done"), {}).values()]
        ):
            if self._breaks_rule_5(one_deal):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: void the deal of {self.customers[deal['customer_id']]['name']} over {deal['units']} "
                f"{self.currencies[deal['currency_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def set_rate(
        self,
        currency_id: str,
        rate: Annotated[int, {"minimum": 1, "maximum": 1000000}] | None = None,
        spread: Annotated[int, {"minimum": 1, "maximum": 1500}] | None = None,
    ) -> Result:
        """Set the middle rate for a hundred units of a currency, the spread around it in hundredths of a percent, or
        both.

        Args:
            currency_id (str): Id of the currency, such as CURRENCY-00001.
            rate (int, optional): Middle rate for a hundred units, at most a tenth from the present one, in cents,
                from 1 to 1000000. If left out, the rate stays as it is.
            spread (int, optional): Distance of buying and selling rates from the middle, in hundredths of a
                percent, from 1 to 1500. If left out, the spread stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        currency = self.currencies.get(currency_id)
        if currency is None:
            return _refused(f"There is no currency {currency_id!r}.")
        if rate is None and spread is None:
            return _refused("Say a new rate or a new spread.")
        wanted = rate if rate is not None else currency["rate"]
        if abs(wanted * 10 - currency["rate"] * 10) > abs(currency["rate"]):
            return _refused(f"{_money(wanted)} is more than a tenth away from {_money(currency['rate'])}.")
        self._journal = []
        if not 1 <= wanted <= 1000000:
            return self._take_back(f"The rate of {currency['name']} must be between 0.01 and 10,000.00.")
        self._put("currencies", currency, "rate", wanted)
        new_spread = spread if spread is not None else currency["spread"]
        if not 1 <= new_spread <= 1500:
            return self._take_back(f"The spread of {currency['name']} must be between 1 and 1500.")
        self._put("currencies", currency, "spread", new_spread)
        if self._breaks_rule_12(currency):
            return self._take_back(RULES[11])
        done = f"set {currency['name']}"
        if rate is not None:
            done += f" to {_money(rate)} a hundred"
        if spread is not None:
            done += f" with a spread of {spread}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def record_document(self, customer_id: str, document: Text) -> Result:
        """Record the identity document that a customer has shown.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            document (str): Kind and number of the identity document.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        if customer["document"] is not None:
            return _refused(f"{customer['name']} has shown a document before.")
        self._journal = []
        self._put("customers", customer, "document", document)
        for one_deal in _distinct(self._deals_by_customer_status.get((customer["id"], "done"), {}).values()):
            if self._breaks_rule_4(one_deal):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: record the document of {customer['name']}.",
            "data": self._changes(),
        }

    def send_transfer(
        self,
        sender_id: str,
        receiver_id: str,
        currency_id: str | None = None,
        units: Annotated[int, {"minimum": 0, "maximum": 5000000}] = 0,
        cash: Annotated[int, {"minimum": 0, "maximum": 9000000}] = 0,
    ) -> Result:
        """Send units of a currency, home cash or both from an open till to another one; they are under way until they
        are received.

        Args:
            sender_id (str): Open till that gives the money; an id such as TILL-00001.
            receiver_id (str): Open till that gets the money; an id such as TILL-00001.
            currency_id (str, optional): Foreign currency that is sent, given together with its units; an id such
                as CURRENCY-00001. If left out, no foreign currency is sent.
            units (int): Amount in units of the foreign currency, payable in its notes, from 0 to 5000000. Default:
                0.
            cash (int): Home money that is sent along, in cents, from 0 to 9000000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sender = self.tills.get(sender_id)
        if sender is None:
            return _refused(f"There is no till {sender_id!r}.")
        receiver = self.tills.get(receiver_id)
        if receiver is None:
            return _refused(f"There is no till {receiver_id!r}.")
        currency = self.currencies.get(currency_id) if currency_id is not None else None
        if currency_id is not None and currency is None:
            return _refused(f"There is no currency {currency_id!r}.")
        if sender is receiver:
            return _refused("A transfer goes to another till.")
        if sender["status"] != "open":
            return _refused(f"{sender['name']} is closed.")
        if receiver["status"] != "open":
            return _refused(f"{receiver['name']} is closed.")
        if units <= 0 and cash <= 0:
            return _refused("Say which notes or how much cash is to go.")
        if (currency_id is None) != (units == 0):
            return _refused("Name a currency and its units together, or neither of them.")
        if currency_id is not None and units % currency["note"] != 0:
            return _refused(f"{currency['name']} come in notes of {currency['note']}.")
        if currency_id is not None and self._units_at(sender, currency) < units:
            return _refused(
                f"{sender['name']} has {self._units_at(sender, currency)} {currency['name']}, not {units}."
            )
        if cash > sender["cash"]:
            return _refused(f"{sender['name']} has {_money(sender['cash'])} in cash, not {_money(cash)}.")
        self._journal = []
        for s in [
            s
            for s in sorted(self._stocks_by_till_currency.get((sender_id, currency_id), {}).values(), key=_age)
            if currency_id is not None
        ]:
            new_units = s["units"] - units
            if not 0 <= new_units <= 50000000:
                return self._take_back(f"The units of {s['id']} must be between 0 and 50000000.")
            self._put("stocks", s, "units", new_units)
        new_cash = sender["cash"] - cash
        if not 0 <= new_cash <= 90000000:
            return self._take_back(f"The cash of {sender['name']} must be between 0.00 and 900,000.00.")
        self._put("tills", sender, "cash", new_cash)
        transfer: Transfer = {
            "id": self._new_id("transfer", "TRANSFER", self.transfers),
            "sender_id": sender_id,
            "receiver_id": receiver_id,
            "currency_id": currency_id,
            "units": units,
            "cash": cash,
            "sent_on": self.now[:10],
            "status": "sent",
        }
        self._add("transfers", transfer)
        if self._breaks_rule_6_x(transfer):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(transfer):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(transfer):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(transfer):
            return self._take_back(RULES[8])
        done = f"send {_money(cash)} in cash from {sender['name']} to {receiver['name']}"
        if currency is not None:
            done += f" and {currency['name']} in notes"
        return {
            "success": True,
            "message": f"Done: {done} (new: transfer {transfer['id']}).",
            "data": {"transfer_id": transfer["id"], **self._changes()},
        }

    def receive_transfer(self, transfer_id: str) -> Result:
        """Book a transfer into the till for which it was sent.

        Args:
            transfer_id (str): Id of the transfer, such as TRANSFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transfer = self.transfers.get(transfer_id)
        if transfer is None:
            return _refused(f"There is no transfer {transfer_id!r}.")
        if transfer["status"] != "sent":
            return _refused(
                f"The transfer from {self.tills[transfer['sender_id']]['name']} to "
                f"{self.tills[transfer['receiver_id']]['name']} is {transfer['status']}."
            )
        self._journal = []
        added_stocks: list[Any] = []
        till = self.tills[transfer["receiver_id"]]
        cash = self.tills[transfer["receiver_id"]]["cash"] + transfer["cash"]
        if not 0 <= cash <= 90000000:
            return self._take_back(f"The cash of {till['name']} must be between 0.00 and 900,000.00.")
        self._put("tills", till, "cash", cash)
        if transfer["currency_id"] is not None:
            stock = self._stock_of(self.tills[transfer["receiver_id"]], self.currencies[transfer["currency_id"]])
            if stock is not None:
                units = stock["units"] + transfer["units"]
                if not 0 <= units <= 50000000:
                    return self._take_back(f"The units of {stock['id']} must be between 0 and 50000000.")
                self._put("stocks", stock, "units", units)
            else:
                new_stock = {
                    "id": self._new_id("stock", "STOCK", self.stocks),
                    "till_id": transfer["receiver_id"],
                    "currency_id": transfer["currency_id"],
                    "units": transfer["units"],
                }
                self._add("stocks", new_stock)
                added_stocks.append(new_stock)
        self._put("transfers", transfer, "status", "received")
        for one_stock in _distinct(added_stocks):
            if self._breaks_rule_1(one_stock):
                return self._take_back(RULES[0])
        if self._breaks_rule_9(transfer):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: receive at {self.tills[transfer['receiver_id']]['name']} what "
                f"{self.tills[transfer['sender_id']]['name']} sent."
            ),
            "data": self._changes(),
        }

    def recall_transfer(self, transfer_id: str) -> Result:
        """Call a transfer that is under way back to its sender.

        Args:
            transfer_id (str): Id of the transfer, such as TRANSFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        transfer = self.transfers.get(transfer_id)
        if transfer is None:
            return _refused(f"There is no transfer {transfer_id!r}.")
        if transfer["status"] != "sent":
            return _refused(
                f"The transfer from {self.tills[transfer['sender_id']]['name']} to "
                f"{self.tills[transfer['receiver_id']]['name']} is {transfer['status']}."
            )
        self._journal = []
        till = self.tills[transfer["sender_id"]]
        cash = self.tills[transfer["sender_id"]]["cash"] + transfer["cash"]
        if not 0 <= cash <= 90000000:
            return self._take_back(f"The cash of {till['name']} must be between 0.00 and 900,000.00.")
        self._put("tills", till, "cash", cash)
        for s in [
            s
            for s in sorted(
                self._stocks_by_till_currency.get((transfer["sender_id"], transfer["currency_id"]), {}).values(),
                key=_age,
            )
            if transfer["currency_id"] is not None
        ]:
            units = s["units"] + transfer["units"]
            if not 0 <= units <= 50000000:
                return self._take_back(f"The units of {s['id']} must be between 0 and 50000000.")
            self._put("stocks", s, "units", units)
        self._put("transfers", transfer, "status", "recalled")
        if self._breaks_rule_9(transfer):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: recall to {self.tills[transfer['sender_id']]['name']} what was under way to "
                f"{self.tills[transfer['receiver_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def open_till(self, till_id: str, cashier_id: str) -> Result:
        """Open a closed till with a cashier.

        Args:
            till_id (str): Id of the till, such as TILL-00001.
            cashier_id (str): Id of the cashier, such as CASHIER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        till = self.tills.get(till_id)
        if till is None:
            return _refused(f"There is no till {till_id!r}.")
        cashier = self.cashiers.get(cashier_id)
        if cashier is None:
            return _refused(f"There is no cashier {cashier_id!r}.")
        if till["status"] != "closed":
            return _refused(f"{till['name']} is open.")
        if self._unsettled(till) != 0:
            return _refused(f"{till['name']} has {self._unsettled(till)} unsettled differences.")
        other = next(
            (
                t
                for t in sorted(self._tills_by_cashier.get(cashier_id, {}).values(), key=_age)
                if t["cashier_id"] is not None
            ),
            None,
        )
        if other is not None:
            return _refused(f"{cashier['name']} works at {other['name']}.")
        self._journal = []
        self._put("tills", till, "cashier_id", cashier_id)
        self._put("tills", till, "status", "open")
        if self._breaks_rule_2(till):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(till):
            return self._take_back(RULES[2])
        for one_transfer in _distinct(
            [
                *self._transfers_by_sender_status.get((till["id"], "sent"), {}).values(),
                *self._transfers_by_receiver_status.get((till["id"], "sent"), {}).values(),
            ]
        ):
            if self._breaks_rule_9(one_transfer):
                return self._take_back(RULES[8])
        for one_difference in _distinct(self._differences_by_till.get(till["id"], {}).values()):
            if self._breaks_rule_10(one_difference):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: open {till['name']} with {cashier['name']}.",
            "data": self._changes(),
        }

    def cash_up(
        self,
        till_id: str,
        counts: Annotated[list[CashUpCount], {"maxItems": 20}],
        cash: Annotated[int, {"minimum": 0, "maximum": 90000000}] | None = None,
    ) -> Result:
        """Close a till after the count; what is not named was found right, and every deviation is kept as a
        difference.

        Args:
            till_id (str): Id of the till, such as TILL-00001.
            counts (list): One entry for each foreign currency counted, none where all were right: currency_id:
                currency that this till keeps, each once; an id such as CURRENCY-00001; units: units of it that
                were counted, from 0 to 50000000.
            cash (int, optional): Home money that was counted, in cents, from 0 to 90000000. If left out, the home
                money was found right.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        till = self.tills.get(till_id)
        if till is None:
            return _refused(f"There is no till {till_id!r}.")
        entries, counts = counts, []
        for entry in entries:
            if entry["currency_id"] not in self.currencies:
                return _refused(f"There is no currency {entry['currency_id']!r}.")
            counts.append({"currency": self.currencies[entry["currency_id"]], "units": entry["units"]})
        if till["status"] != "open":
            return _refused(f"{till['name']} is closed.")
        if not _different([c["currency"]["id"] for c in counts]):
            return _refused("A currency is counted twice.")
        under_way = self._moving(till)
        if under_way is not None:
            return _refused(
                f"Money is under way from {self.tills[under_way['sender_id']]['name']} to "
                f"{self.tills[under_way['receiver_id']]['name']}, so receive or recall that first."
            )
        strange = next((c["currency"] for c in counts if self._stock_of(till, c["currency"]) is None), None)
        if strange is not None:
            return _refused(f"{till['name']} keeps no {strange['name']}.")
        self._journal = []
        added_differences: list[Any] = []
        for c in list(counts):
            for s in [
                s
                for s in sorted(
                    self._stocks_by_till_currency.get((till_id, c["currency"]["id"]), {}).values(),
                    key=_age,
                )
                if s["units"] != c["units"]
            ]:
                off_by = c["units"] - s["units"]
                if not -50000000 <= off_by <= 50000000:
                    return self._take_back("The off by of a difference must be between -50000000 and 50000000.")
                difference = {
                    "id": self._new_id("difference", "DIFFERENCE", self.differences),
                    "till_id": till_id,
                    "currency_id": c["currency"]["id"],
                    "cashier_id": till["cashier_id"],
                    "off_by": off_by,
                    "cash_off": 0,
                    "found_on": self.now[:10],
                    "settled_by_id": None,
                }
                self._add("differences", difference)
                added_differences.append(difference)
                self._put("stocks", s, "units", c["units"])
        if cash is not None and cash != till["cash"]:
            cash_off = cash - till["cash"]
            if not -90000000 <= cash_off <= 90000000:
                return self._take_back("The cash off of a difference must be between -900,000.00 and 900,000.00.")
            new_difference = {
                "id": self._new_id("difference", "DIFFERENCE", self.differences),
                "till_id": till_id,
                "currency_id": None,
                "cashier_id": till["cashier_id"],
                "off_by": 0,
                "cash_off": cash_off,
                "found_on": self.now[:10],
                "settled_by_id": None,
            }
            self._add("differences", new_difference)
            added_differences.append(new_difference)
            self._put("tills", till, "cash", cash)
        self._put("tills", till, "cashier_id", None)
        self._put("tills", till, "status", "closed")
        if self._breaks_rule_2(till):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(till):
            return self._take_back(RULES[2])
        for one_transfer in _distinct(
            [
                *self._transfers_by_sender_status.get((till["id"], "sent"), {}).values(),
                *self._transfers_by_receiver_status.get((till["id"], "sent"), {}).values(),
            ]
        ):
            if self._breaks_rule_9(one_transfer):
                return self._take_back(RULES[8])
        for one_difference in _distinct(
            [*added_differences, *self._differences_by_till.get(till["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_difference):
                return self._take_back(RULES[9])
        for one_difference in _distinct(added_differences):
            if self._breaks_rule_11(one_difference):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cash up {till['name']} with {len(counts)} counts.",
            "data": self._changes(),
        }

    def settle_differences(self, difference_ids: Annotated[list[str], {"maxItems": 20}], by_id: str) -> Result:
        """Settle differences of one till as a senior cashier who did not work at it when they were found.

        Args:
            difference_ids (list): Unsettled differences of one till, at least one: ids of differences, such as
                DIFFERENCE-00001.
            by_id (str): Senior cashier who was not at that till when they were found; an id such as CASHIER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        differences = []
        for key in difference_ids:
            if key not in self.differences:
                return _refused(f"There is no difference {key!r}.")
            differences.append(self.differences[key])
        by = self.cashiers.get(by_id)
        if by is None:
            return _refused(f"There is no cashier {by_id!r}.")
        if not (len(differences) > 0 and _different([x["id"] for x in differences])):
            return _refused("Name at least one difference, and each once.")
        if not by["senior"]:
            return _refused(f"{by['name']} is no senior cashier.")
        done = next((x for x in differences if x["settled_by_id"] is not None), None)
        if done is not None:
            return _refused(f"A difference of {done['found_on']} is settled already.")
        if not all(x["till_id"] == y["till_id"] for x in differences for y in differences):
            return _refused("The differences are of several tills; settle them till by till.")
        if any(x["cashier_id"] == by_id for x in differences):
            return _refused(f"{by['name']} worked at that till, so another senior cashier has to settle.")
        self._journal = []
        changed_differences: list[Any] = []
        for x in list(differences):
            changed_differences.append(x)
            self._put("differences", x, "settled_by_id", by_id)
        for one_difference in _distinct(changed_differences):
            if self._breaks_rule_10(one_difference):
                return self._take_back(RULES[9])
        for one_difference in _distinct(changed_differences):
            if self._breaks_rule_11(one_difference):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: settle {len(differences)} differences as {by['name']}.",
            "data": self._changes(),
        }

    def _show_currency(self, currency: Currency) -> dict[str, Any]:
        """The currency as an answer shows it."""
        return {**currency, "buying": self._currency_buying(currency), "selling": self._currency_selling(currency)}

    def _show_stock(self, stock: Stock) -> dict[str, Any]:
        """The stock as an answer shows it."""
        return {**stock, "value": self._stock_value(stock)}

    def _show_customer(self, customer: Customer) -> dict[str, Any]:
        """The customer as an answer shows it."""
        return {**customer, "today": self._customer_today(customer)}

    def _names_of_tills(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tills point to."""
        return _names((self.cashiers, "name", [row["cashier_id"] for row in shown]))

    def _names_of_stocks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stocks point to."""
        return _names(
            (self.tills, "name", [row["till_id"] for row in shown]),
            (self.currencies, "name", [row["currency_id"] for row in shown]),
        )

    def _names_of_deals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deals point to."""
        return _names(
            (self.tills, "name", [row["till_id"] for row in shown]),
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.currencies, "name", [row["currency_id"] for row in shown]),
        )

    def _names_of_transfers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that transfers point to."""
        return _names(
            (self.tills, "name", [row["sender_id"] for row in shown]),
            (self.tills, "name", [row["receiver_id"] for row in shown]),
            (self.currencies, "name", [row["currency_id"] for row in shown]),
        )

    def _names_of_differences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that differences point to."""
        return _names(
            (self.tills, "name", [row["till_id"] for row in shown]),
            (self.currencies, "name", [row["currency_id"] for row in shown]),
            (self.cashiers, "name", [row["cashier_id"] for row in shown]),
            (self.cashiers, "name", [row["settled_by_id"] for row in shown]),
        )

    def _currency_buying(self, currency: Currency) -> int:
        """The buying of a currency."""
        return floor(Fraction(currency["rate"] * (10000 - currency["spread"]), 10000))

    def _currency_selling(self, currency: Currency) -> int:
        """The selling of a currency."""
        return ceil(Fraction(currency["rate"] * (10000 + currency["spread"]), 10000))

    def _stock_value(self, stock: Stock) -> int:
        """The value of a stock."""
        return floor(Fraction(self.currencies[stock["currency_id"]]["rate"] * stock["units"], 100))

    def _customer_today(self, customer: Customer) -> int:
        """The today of a customer."""
        return sum(
            d["price"]
            for d in self._deals_by_customer_status.get((customer["id"], "done"), {}).values()
            if d["made_on"] == self.now[:10]
        )

    def _stock_of(self, t: Till, c: Currency) -> Stock | None:
        return next(
            (s for s in sorted(self._stocks_by_till_currency.get((t["id"], c["id"]), {}).values(), key=_age)),
            None,
        )

    def _units_at(self, t: Till, c: Currency) -> int:
        return sum(s["units"] for s in self._stocks_by_till_currency.get((t["id"], c["id"]), {}).values())

    def _cost(self, c: Currency, units: int) -> int:
        return ceil(Fraction(self._currency_selling(c) * units, 100))

    def _payout(self, c: Currency, units: int) -> int:
        return floor(Fraction(self._currency_buying(c) * units, 100))

    def _unsettled(self, t: Till) -> int:
        return sum(1 for x in self._differences_by_till.get(t["id"], {}).values() if x["settled_by_id"] is None)

    def _moving(self, t: Till) -> Transfer | None:
        return next(
            (
                x
                for x in sorted(
                    _distinct(
                        [
                            *self._transfers_by_sender.get(t["id"], {}).values(),
                            *self._transfers_by_receiver.get(t["id"], {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if x["status"] == "sent"
            ),
            None,
        )

    def _breaks_rule_1(self, s: Stock) -> bool:
        """Whether this is broken: a till has one stock of a currency."""
        return any(
            other_s is not s
            for other_s in self._stocks_by_till_currency.get((s["till_id"], s["currency_id"]), {}).values()
        )

    def _breaks_rule_2(self, t: Till) -> bool:
        """Whether this is broken: an open till has a cashier and a closed one has none."""
        return (t["status"] == "open") != (t["cashier_id"] is not None)

    def _breaks_rule_3(self, t: Till) -> bool:
        """Whether this is broken: a cashier works at one till at a time."""
        return (
            t["cashier_id"] is not None
            and any(
                other_t is not t
                for other_t in self._tills_by_cashier.get(t["cashier_id"], {}).values()
                if other_t["cashier_id"] is not None
            )
        )

    def _breaks_rule_4(self, d: Deal) -> bool:
        """Whether this is broken: nobody exchanges more than 1,000.00 a day without a document."""
        return (
            d["status"] == "done"
            and (
                self.customers[d["customer_id"]]["document"] is None
                and sum(
                    e["price"]
                    for e in self._deals_by_customer_status.get((d["customer_id"], "done"), {}).values()
                    if e["made_on"] == d["made_on"]
                ) > 100000
            )
        )

    def _breaks_rule_5(self, d: Deal) -> bool:
        """Whether this is broken: nobody exchanges more than 10,000.00 a day."""
        return (
            d["status"] == "done"
            and sum(
                e["price"]
                for e in self._deals_by_customer_status.get((d["customer_id"], "done"), {}).values()
                if e["made_on"] == d["made_on"]
            ) > 1000000
        )

    def _breaks_rule_6_d(self, d: Deal) -> bool:
        """Whether this is broken: only whole notes are exchanged and moved."""
        return d["units"] % self.currencies[d["currency_id"]]["note"] != 0

    def _breaks_rule_6_x(self, x: Transfer) -> bool:
        """Whether this is broken: only whole notes are exchanged and moved."""
        return x["currency_id"] is not None and x["units"] % self.currencies[x["currency_id"]]["note"] != 0

    def _breaks_rule_7(self, x: Transfer) -> bool:
        """Whether this is broken: a transfer carries notes of a currency, cash or both."""
        return not ((x["currency_id"] is None) == (x["units"] == 0) and (x["units"] > 0 or x["cash"] > 0))

    def _breaks_rule_8(self, x: Transfer) -> bool:
        """Whether this is broken: a transfer goes to another till."""
        return x["sender_id"] == x["receiver_id"]

    def _breaks_rule_9(self, x: Transfer) -> bool:
        """Whether this is broken: a till with money under way to or from it stays open."""
        return (
            x["status"] == "sent"
            and (
                self.tills[x["sender_id"]]["status"] == "closed"
                or self.tills[x["receiver_id"]]["status"] == "closed"
            )
        )

    def _breaks_rule_10(self, x: Difference) -> bool:
        """Whether this is broken: a till is not open as long as one of its differences is unsettled."""
        return x["settled_by_id"] is None and self.tills[x["till_id"]]["status"] == "open"

    def _breaks_rule_11(self, x: Difference) -> bool:
        """Whether this is broken: differences are settled by senior cashiers."""
        return x["settled_by_id"] is not None and not self.cashiers[x["settled_by_id"]]["senior"]

    def _breaks_rule_12(self, c: Currency) -> bool:
        """Whether this is broken: the spread of a currency leaves something to earn."""
        return self._currency_buying(c) >= self._currency_selling(c)

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
            case "tills":
                self._tills_by_cashier.setdefault(record["cashier_id"], {})[record["id"]] = record
            case "stocks":
                self._stocks_by_currency.setdefault(record["currency_id"], {})[record["id"]] = record
                self._stocks_by_till_currency.setdefault(
                    (record["till_id"], record["currency_id"]),
                    {},
                )[record["id"]] = record
            case "deals":
                self._deals_by_customer_status.setdefault(
                    (record["customer_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "transfers":
                self._transfers_by_receiver.setdefault(record["receiver_id"], {})[record["id"]] = record
                self._transfers_by_receiver_status.setdefault(
                    (record["receiver_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._transfers_by_sender.setdefault(record["sender_id"], {})[record["id"]] = record
                self._transfers_by_sender_status.setdefault(
                    (record["sender_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "differences":
                self._differences_by_till.setdefault(record["till_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tills":
                del self._tills_by_cashier[record["cashier_id"]][record["id"]]
            case "stocks":
                del self._stocks_by_currency[record["currency_id"]][record["id"]]
                del self._stocks_by_till_currency[record["till_id"], record["currency_id"]][record["id"]]
            case "deals":
                del self._deals_by_customer_status[record["customer_id"], record["status"]][record["id"]]
            case "transfers":
                del self._transfers_by_receiver[record["receiver_id"]][record["id"]]
                del self._transfers_by_receiver_status[record["receiver_id"], record["status"]][record["id"]]
                del self._transfers_by_sender[record["sender_id"]][record["id"]]
                del self._transfers_by_sender_status[record["sender_id"], record["status"]][record["id"]]
            case "differences":
                del self._differences_by_till[record["till_id"]][record["id"]]
