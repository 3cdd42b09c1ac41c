"""Trading desk. Compiled from blueprint.yaml; run `envscaler build trading_desk` after changing it there.

Matches the buy and sell orders of a desk's accounts, and keeps their cash, holdings and reservations.
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
    "An account never reserves more cash for its open buy orders than it has.",
    "An account never offers more units in open sell orders than it holds.",
    "The order book of an instrument is never crossed.",
    "An order is filled exactly when nothing of it is left, and is never overfilled.",
    "An account has one holding of an instrument.",
    "An account never has open orders on both sides of one instrument.",
    "An account never holds more of an instrument than the position limit.",
    "What an account holds of an instrument and bids for stays within the position limit.",
    "A suspended account has no open orders.",
    "Orders are for whole lots at whole ticks.",
    "Nobody trades with themselves.",
    "An instrument is halted exactly while one of its halts has not ended.",
    "An instrument has at most one halt that has not ended.",
    "Only orders until cancelled or for the day stay open.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "place_order",
    "reduce_order",
    "cancel_order",
    "end_trading_day",
    "halt_trading",
    "resume_trading",
    "bust_trade",
    "deposit_cash",
    "withdraw_cash",
    "suspend_account",
    "reinstate_account",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "accounts": ("name",),
    "instruments": ("ticker",),
    "holdings": (),
    "orders": (),
    "trades": (),
    "halts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("halts", "instrument_id"),
    ("holdings", "account_id"),
    ("holdings", "instrument_id"),
    ("orders", "account_id"),
    ("orders", "instrument_id"),
    ("orders", "side"),
    ("orders", "status"),
    ("orders", "validity"),
    ("trades", "ask_id"),
    ("trades", "bid_id"),
    ("trades", "instrument_id"),
    ("trades", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Account(TypedDict):
    id: str
    name: str
    cash: int
    status: Literal["active", "suspended"]


class Instrument(TypedDict):
    id: str
    ticker: str
    issuer: str
    tick: int
    lot_size: int
    close_price: int
    collar: int
    position_limit: int
    status: Literal["trading", "halted"]


class Holding(TypedDict):
    id: str
    account_id: str
    instrument_id: str
    units: int


class Order(TypedDict):
    id: str
    account_id: str
    instrument_id: str
    side: Literal["buy", "sell"]
    price: int
    units: int
    validity: Literal["until_cancelled", "day", "immediate_or_cancel", "fill_or_kill"]
    entered: str
    status: Literal["open", "filled", "cancelled", "expired"]


class Trade(TypedDict):
    id: str
    bid_id: str
    ask_id: str
    instrument_id: str
    units: int
    price: int
    done: str
    status: Literal["done", "busted"]


class Halt(TypedDict):
    id: str
    instrument_id: str
    reason: Literal["news_pending", "volatility", "regulator", "technical"]
    since: str
    until: str | None


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class TradingDesk:
    """Matches the buy and sell orders of a desk's accounts, and keeps their cash, holdings and
    reservations.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.accounts: dict[str, Account] = _copied(config.get("accounts", {}))
        self.instruments: dict[str, Instrument] = _copied(config.get("instruments", {}))
        self.holdings: dict[str, Holding] = _copied(config.get("holdings", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.trades: dict[str, Trade] = _copied(config.get("trades", {}))
        self.halts: dict[str, Halt] = _copied(config.get("halts", {}))
        self.now: str = config.get("now", "2026-03-02T11:30")
        self.counters: dict[str, int] = {
            "account": len(self.accounts),
            "instrument": len(self.instruments),
            "holding": len(self.holdings),
            "order": len(self.orders),
            "trade": len(self.trades),
            "halt": len(self.halts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._holdings_by_account: dict[Any, dict[str, Holding]] = {}
        self._holdings_by_account_instrument: dict[Any, dict[str, Holding]] = {}
        self._orders_by_account_instrument_side_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_account_instrument_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_account_side_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_account_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_instrument: dict[Any, dict[str, Order]] = {}
        self._orders_by_instrument_side_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_instrument_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_instrument_validity_status: dict[Any, dict[str, Order]] = {}
        self._trades_by_ask: dict[Any, dict[str, Trade]] = {}
        self._trades_by_bid: dict[Any, dict[str, Trade]] = {}
        self._trades_by_instrument_status: dict[Any, dict[str, Trade]] = {}
        self._halts_by_instrument: dict[Any, dict[str, Halt]] = {}
        for holding in self.holdings.values():
            self._link("holdings", holding)
        for order in self.orders.values():
            self._link("orders", order)
        for trade in self.trades.values():
            self._link("trades", trade)
        for halt in self.halts.values():
            self._link("halts", halt)

    def order_book(
        self,
        instrument_id: str,
        side: Literal["buy", "sell"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The open orders of one side of an instrument, best price first, then oldest.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            side (str): Side of the book to show: buy or sell.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        found = [
            o
            for o in self._orders_by_instrument.get(instrument_id, {}).values()
            if (o["instrument_id"] == instrument_id and o["status"] == "open" and o["side"] == side)
        ]
        found.sort(key=lambda o: (-o["price"] if side == "buy" else o["price"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "order_id": o["id"],
                        "account": self.accounts[o["account_id"]]["name"],
                        "price": o["price"],
                        "units": self._order_left(o),
                        "entered": o["entered"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def buying_power(
        self,
        account_id: str,
        instrument_id: str,
        price: Annotated[int, {"minimum": 100, "maximum": 2000000}],
    ) -> Result:
        """How much an account has free to buy an instrument, in cash and under the position limit, at a price.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            price (int): Price for each unit at which one would buy, in cents, from 100 to 2000000.

        Returns:
            dict: {"success": True, "data": {free_cash, units_for_cash, units_under_limit, free_to_sell}} or
                {"success": False, "error": why not}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        return _found(
            {
                "free_cash": self._account_free_cash(account),
                "units_for_cash": floor(Fraction(self._account_free_cash(account), price)),
                "units_under_limit": instrument["position_limit"] - self._held(
                    account,
                    instrument,
                ) - self._bidding(account, instrument),
                "free_to_sell": self._held(account, instrument) - self._offered(account, instrument),
            }
        )

    def portfolio(self, account_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What an account holds, with the units on offer, the last close and the value at that price.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holdings": records}} or {"success": False, "error": why
                not}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        found = [
            h
            for h in self._holdings_by_account.get(account_id, {}).values()
            if (h["account_id"] == account_id and h["units"] > 0)
        ]
        found.sort(key=lambda h: (self.instruments[h["instrument_id"]]["ticker"], _age(h)))
        return _found(
            {
                "total": len(found),
                "holdings": [
                    {
                        "ticker": self.instruments[h["instrument_id"]]["ticker"],
                        "issuer": self.instruments[h["instrument_id"]]["issuer"],
                        "units": h["units"],
                        "on_offer": self._holding_offered(h),
                        "close_price": self.instruments[h["instrument_id"]]["close_price"],
                        "value": self.instruments[h["instrument_id"]]["close_price"] * h["units"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def cost_to_fill(
        self,
        instrument_id: str,
        side: Literal["buy", "sell"],
        price: Annotated[int, {"minimum": 100, "maximum": 2000000}],
        units: Annotated[int, {"minimum": 1, "maximum": 100000}],
    ) -> Result:
        """What could be traded at once against the book, within a price, and how much of a wish would be left.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            side (str): Whether one would buy or sell: buy or sell.
            price (int): Limit price for each unit, in cents, from 100 to 2000000.
            units (int): Units that one would trade, from 1 to 100000.

        Returns:
            dict: {"success": True, "data": {can_trade, would_rest, best_bid, best_ask}} or {"success": False,
                "error": why not}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        return _found(
            {
                "can_trade": min(units, self._available(instrument, side, price)),
                "would_rest": max(0, units - self._available(instrument, side, price)),
                "best_bid": self._instrument_best_bid(instrument),
                "best_ask": self._instrument_best_ask(instrument),
            }
        )

    def list_accounts(
        self,
        name: Text | None = None,
        status: Literal["active", "suspended"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accounts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only accounts whose name contains this text.
            status (str, optional): Only accounts with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}}
        """
        found = [
            account
            for account in self.accounts.values()
            if (name is None or name.casefold() in account["name"].casefold())
            and (status is None or account["status"] == status)
        ]
        return _found(
            {"total": len(found), "accounts": [self._show_account(account) for account in _page(found, offset)]}
        )

    def list_instruments(
        self,
        ticker: Text | None = None,
        status: Literal["trading", "halted"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instruments, oldest first, all of them or only some.

        Args:
            ticker (str, optional): Only instruments whose ticker contains this text.
            status (str, optional): Only instruments with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instruments": records}}
        """
        found = [
            instrument
            for instrument in self.instruments.values()
            if (ticker is None or ticker.casefold() in instrument["ticker"].casefold())
            and (status is None or instrument["status"] == status)
        ]
        return _found(
            {
                "total": len(found),
                "instruments": [self._show_instrument(instrument) for instrument in _page(found, offset)],
            }
        )

    def list_holdings(
        self,
        account_id: str | None = None,
        instrument_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holdings, oldest first, all of them or only some.

        Args:
            account_id (str, optional): Only holdings of this account.
            instrument_id (str, optional): Only holdings of this instrument.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holdings": records}}
        """
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        if instrument_id is not None and instrument_id not in self.instruments:
            return _refused(f"There is no instrument {instrument_id!r}.")
        found = [
            holding
            for holding in self.holdings.values()
            if (account_id is None or holding["account_id"] == account_id)
            and (instrument_id is None or holding["instrument_id"] == instrument_id)
        ]
        shown = [self._show_holding(holding) for holding in _page(found, offset)]
        return _found({"total": len(found), "holdings": shown}, self._names_of_holdings(shown))

    def get_order(self, order_id: str) -> Result:
        """Look up one order by its id.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        shown = self._show_order(order)
        return _found(shown, self._names_of_orders([shown]))

    def list_orders(
        self,
        account_id: str | None = None,
        instrument_id: str | None = None,
        side: Literal["buy", "sell"] | None = None,
        validity: Literal["until_cancelled", "day", "immediate_or_cancel", "fill_or_kill"] | None = None,
        status: Literal["open", "filled", "cancelled", "expired"] | None = None,
        entered_from: Date | None = None,
        entered_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            account_id (str, optional): Only orders of this account.
            instrument_id (str, optional): Only orders of this instrument.
            side (str, optional): Only orders with this side.
            validity (str, optional): Only orders with this validity.
            status (str, optional): Only orders with this status.
            entered_from (str, optional): Only orders whose `entered` is on this day or later.
            entered_to (str, optional): Only orders whose `entered` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if account_id is not None and account_id not in self.accounts:
            return _refused(f"There is no account {account_id!r}.")
        if instrument_id is not None and instrument_id not in self.instruments:
            return _refused(f"There is no instrument {instrument_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (account_id is None or order["account_id"] == account_id)
            and (instrument_id is None or order["instrument_id"] == instrument_id)
            and (side is None or order["side"] == side)
            and (validity is None or order["validity"] == validity)
            and (status is None or order["status"] == status)
            and (entered_from is None or order["entered"][:10] >= entered_from)
            and (entered_to is None or order["entered"][:10] <= entered_to)
        ]
        shown = [self._show_order(order) for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_trades(
        self,
        bid_id: str | None = None,
        ask_id: str | None = None,
        instrument_id: str | None = None,
        status: Literal["done", "busted"] | None = None,
        done_from: Date | None = None,
        done_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trades, oldest first, all of them or only some.

        Args:
            bid_id (str, optional): Only trades whose bid is this order.
            ask_id (str, optional): Only trades whose ask is this order.
            instrument_id (str, optional): Only trades of this instrument.
            status (str, optional): Only trades with this status.
            done_from (str, optional): Only trades whose `done` is on this day or later.
            done_to (str, optional): Only trades whose `done` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trades": records}}
        """
        if bid_id is not None and bid_id not in self.orders:
            return _refused(f"There is no order {bid_id!r}.")
        if ask_id is not None and ask_id not in self.orders:
            return _refused(f"There is no order {ask_id!r}.")
        if instrument_id is not None and instrument_id not in self.instruments:
            return _refused(f"There is no instrument {instrument_id!r}.")
        found = [
            trade
            for trade in self.trades.values()
            if (bid_id is None or trade["bid_id"] == bid_id)
            and (ask_id is None or trade["ask_id"] == ask_id)
            and (instrument_id is None or trade["instrument_id"] == instrument_id)
            and (status is None or trade["status"] == status)
            and (done_from is None or trade["done"][:10] >= done_from)
            and (done_to is None or trade["done"][:10] <= done_to)
        ]
        shown = [{**trade} for trade in _page(found, offset)]
        return _found({"total": len(found), "trades": shown}, self._names_of_trades(shown))

    def list_halts(
        self,
        instrument_id: str | None = None,
        reason: Literal["news_pending", "volatility", "regulator", "technical"] | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the halts, oldest first, all of them or only some.

        Args:
            instrument_id (str, optional): Only halts of this instrument.
            reason (str, optional): Only halts with this reason.
            since_from (str, optional): Only halts whose `since` is on this day or later.
            since_to (str, optional): Only halts whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "halts": records}}
        """
        if instrument_id is not None and instrument_id not in self.instruments:
            return _refused(f"There is no instrument {instrument_id!r}.")
        found = [
            halt
            for halt in self.halts.values()
            if (instrument_id is None or halt["instrument_id"] == instrument_id)
            and (reason is None or halt["reason"] == reason)
            and (since_from is None or halt["since"][:10] >= since_from)
            and (since_to is None or halt["since"][:10] <= since_to)
        ]
        shown = [{**halt} for halt in _page(found, offset)]
        return _found({"total": len(found), "halts": shown}, self._names_of_halts(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def place_order(
        self,
        account_id: str,
        instrument_id: str,
        side: Literal["buy", "sell"],
        price: Annotated[int, {"minimum": 100, "maximum": 2000000}],
        units: Annotated[int, {"minimum": 1, "maximum": 100000}],
        validity: Literal["until_cancelled", "day", "immediate_or_cancel", "fill_or_kill"] = "until_cancelled",
    ) -> Result:
        """Enter a buy or sell order; it trades at once with the best orders of the other side, and what is left rests
        in the book unless its validity forbids it.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            side (str): Whether the account wants to buy or to sell: buy or sell.
            price (int): Limit price for each unit, a multiple of the instrument's tick, in cents, from 100 to
                2000000.
            units (int): Units to trade, a multiple of the instrument's lot size, from 1 to 100000.
            validity (str): How long the order lasts, or that it must trade at once: until_cancelled, day,
                immediate_or_cancel or fill_or_kill. Default: until_cancelled.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if account["status"] != "active":
            return _refused(f"{account['name']} is suspended from trading.")
        if instrument["status"] != "trading":
            return _refused(f"Trading in {instrument['ticker']} is halted.")
        if units % instrument["lot_size"] != 0:
            return _refused(
                f"{instrument['ticker']} trades in lots of {instrument['lot_size']} units, so {units} is not "
                "possible."
            )
        if price % instrument["tick"] != 0:
            return _refused(f"Prices of {instrument['ticker']} are multiples of {instrument['tick']} cents.")
        if abs(price - instrument["close_price"]) * 100 > instrument["close_price"] * instrument["collar"]:
            return _refused(
                f"{_money(price)} is more than {instrument['collar']} percent away from the last close of "
                f"{instrument['ticker']}, {_money(instrument['close_price'])}."
            )
        if any(
            o["side"] != side
            for o in self._orders_by_account_instrument_status.get((account_id, instrument_id, "open"), {}).values()
        ):
            return _refused(f"{account['name']} has an open order on the other side of {instrument['ticker']}.")
        if side != "sell" and price * units > self._account_free_cash(account):
            return _refused(
                f"{account['name']} has {_money(self._account_free_cash(account))} free, and {units} at "
                f"{_money(price)} cost {_money(price * units)}."
            )
        if (
            side != "sell"
            and self._held(
                account,
                instrument,
            ) + self._bidding(account, instrument) + units > instrument["position_limit"]
        ):
            return _refused(
                f"{account['name']} holds {self._held(account, instrument)} {instrument['ticker']} and bids for "
                f"{self._bidding(account, instrument)}; the limit is {instrument['position_limit']}."
            )
        if side != "buy" and self._offered(account, instrument) + units > self._held(account, instrument):
            return _refused(
                f"{account['name']} holds {self._held(account, instrument)} {instrument['ticker']} and already "
                f"offers {self._offered(account, instrument)}."
            )
        if validity == "fill_or_kill" and self._available(instrument, side, price) < units:
            return _refused(
                f"Only {self._available(instrument, side, price)} {instrument['ticker']} can be traded at "
                f"{_money(price)} or better."
            )
        self._journal = []
        added_trades: list[Any] = []
        changed_accounts: list[Any] = []
        changed_holdings: list[Any] = []
        added_holdings: list[Any] = []
        changed_orders: list[Any] = []
        mine: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "account_id": account_id,
            "instrument_id": instrument_id,
            "side": side,
            "price": price,
            "units": units,
            "validity": validity,
            "entered": self.now,
            "status": "open",
        }
        self._add("orders", mine)
        for other in sorted(
            [
                other
                for other in self._resting(instrument, "sell" if side == "buy" else "buy")
                if (other["price"] <= price if side == "buy" else other["price"] >= price)
            ],
            key=lambda other: (other["price"] if side == "buy" else -other["price"], other["id"], _age(other)),
        ):
            n = min(self._order_left(mine), self._order_left(other))
            if n > 0:
                bid = mine if side == "buy" else other
                ask = other if side == "buy" else mine
                if not 1 <= n <= 100000:
                    return self._take_back("The units of a trade must be between 1 and 100000.")
                trade = {
                    "id": self._new_id("trade", "TRADE", self.trades),
                    "bid_id": bid["id"],
                    "ask_id": ask["id"],
                    "instrument_id": instrument_id,
                    "units": n,
                    "price": other["price"],
                    "done": self.now,
                    "status": "done",
                }
                self._add("trades", trade)
                added_trades.append(trade)
                its_account = self.accounts[bid["account_id"]]
                changed_accounts.append(its_account)
                self._put(
                    "accounts",
                    its_account,
                    "cash",
                    self.accounts[bid["account_id"]]["cash"] - other["price"] * n,
                )
                its_account_2 = self.accounts[ask["account_id"]]
                changed_accounts.append(its_account_2)
                self._put(
                    "accounts",
                    its_account_2,
                    "cash",
                    self.accounts[ask["account_id"]]["cash"] + other["price"] * n,
                )
                for h in sorted(
                    self._holdings_by_account_instrument.get((ask["account_id"], instrument_id), {}).values(),
                    key=_age,
                ):
                    new_units = h["units"] - n
                    if not 0 <= new_units <= 1000000:
                        return self._take_back(f"The units of {h['id']} must be between 0 and 1000000.")
                    changed_holdings.append(h)
                    self._put("holdings", h, "units", new_units)
                if not self._holdings_by_account_instrument.get((bid["account_id"], instrument_id), {}):
                    holding = {
                        "id": self._new_id("holding", "HOLDING", self.holdings),
                        "account_id": bid["account_id"],
                        "instrument_id": instrument_id,
                        "units": 0,
                    }
                    self._add("holdings", holding)
                    added_holdings.append(holding)
                for h in sorted(
                    self._holdings_by_account_instrument.get((bid["account_id"], instrument_id), {}).values(),
                    key=_age,
                ):
                    new_units_2 = h["units"] + n
                    if not 0 <= new_units_2 <= 1000000:
                        return self._take_back(f"The units of {h['id']} must be between 0 and 1000000.")
                    changed_holdings.append(h)
                    self._put("holdings", h, "units", new_units_2)
                if self._order_left(other) == 0:
                    if other["status"] not in ("open", "filled"):
                        return self._take_back(f"Order {other['id']} cannot go from {other['status']} to filled.")
                    changed_orders.append(other)
                    self._put("orders", other, "status", "filled")
        if self._order_left(mine) == 0:
            if mine["status"] not in ("open", "filled"):
                return self._take_back(f"Order {mine['id']} cannot go from {mine['status']} to filled.")
            changed_orders.append(mine)
            self._put("orders", mine, "status", "filled")
        else:
            if validity in ("immediate_or_cancel", "fill_or_kill"):
                if mine["status"] not in ("open", "cancelled"):
                    return self._take_back(f"Order {mine['id']} cannot go from {mine['status']} to cancelled.")
                changed_orders.append(mine)
                self._put("orders", mine, "status", "cancelled")
        for one_account in _distinct(
            [
                self.accounts[mine["account_id"]],
                *[self.accounts[one["account_id"]] for one in [self.orders[one["bid_id"]] for one in added_trades]],
                *[self.accounts[one["account_id"]] for one in [self.orders[one["ask_id"]] for one in added_trades]],
                *changed_accounts,
                *[self.accounts[one["account_id"]] for one in changed_orders],
            ]
        ):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_order in _distinct(
            [
                mine,
                *self._orders_by_account_side_status.get((mine["account_id"], "sell", "open"), {}).values(),
                *[
                    user
                    for one in [
                        self.accounts[one["account_id"]]
                        for one in [self.orders[one["bid_id"]] for one in added_trades]
                    ]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
                *[
                    user
                    for one in [
                        self.accounts[one["account_id"]]
                        for one in [self.orders[one["ask_id"]] for one in added_trades]
                    ]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_holdings]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in added_holdings]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_order in _distinct([mine, *changed_orders]):
            if self._breaks_rule_3_b(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct([mine, *changed_orders]):
            if self._breaks_rule_3_s(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(
            [
                mine,
                *[self.orders[one["bid_id"]] for one in added_trades],
                *[self.orders[one["ask_id"]] for one in added_trades],
                *changed_orders,
            ]
        ):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_5(one_holding):
                return self._take_back(RULES[4])
        for one_order in _distinct([mine, *changed_orders]):
            if self._breaks_rule_6(one_order):
                return self._take_back(RULES[5])
        for one_holding in _distinct([*changed_holdings, *added_holdings]):
            if self._breaks_rule_7(one_holding):
                return self._take_back(RULES[6])
        for one_order in _distinct(
            [
                mine,
                *self._orders_by_account_side_status.get((mine["account_id"], "buy", "open"), {}).values(),
                *[
                    user
                    for one in [
                        self.accounts[one["account_id"]]
                        for one in [self.orders[one["bid_id"]] for one in added_trades]
                    ]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
                *[
                    user
                    for one in [
                        self.accounts[one["account_id"]]
                        for one in [self.orders[one["ask_id"]] for one in added_trades]
                    ]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_holdings]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in added_holdings]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct([mine, *changed_orders]):
            if self._breaks_rule_9(one_order):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(mine):
            return self._take_back(RULES[9])
        for one_trade in _distinct(added_trades):
            if self._breaks_rule_11(one_trade):
                return self._take_back(RULES[10])
        for one_order in _distinct([mine, *changed_orders]):
            if self._breaks_rule_14(one_order):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: place an order of {account['name']} to {side} {units} {instrument['ticker']} at "
                f"{_money(price)}, {validity} (new: order {mine['id']})."
            ),
            "data": {"order_id": mine["id"], **self._changes()},
        }

    def reduce_order(self, order_id: str, by_units: Annotated[int, {"minimum": 1, "maximum": 100000}]) -> Result:
        """Take units off an open order; it keeps its place in the book.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.
            by_units (int): Units to take off, in whole lots and fewer than are left, from 1 to 100000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "open":
            return _refused(f"Order {order['id']} is {order['status']}.")
        if by_units % self.instruments[order["instrument_id"]]["lot_size"] != 0:
            return _refused(
                f"{self.instruments[order['instrument_id']]['ticker']} trades in lots of "
                f"{self.instruments[order['instrument_id']]['lot_size']} units, so {by_units} is not possible."
            )
        if by_units >= self._order_left(order):
            return _refused(
                f"Order {order['id']} has only {self._order_left(order)} units left; cancel it to take off all of "
                "them."
            )
        self._journal = []
        units = order["units"] - by_units
        if not 1 <= units <= 100000:
            return self._take_back(f"The units of {order['id']} must be between 1 and 100000.")
        self._put("orders", order, "units", units)
        if self._breaks_rule_1(self.accounts[order["account_id"]]):
            return self._take_back(RULES[0])
        for one_order in _distinct(
            self._orders_by_account_side_status.get((order["account_id"], "sell", "open"), {}).values()
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        for one_order in _distinct(
            self._orders_by_account_side_status.get((order["account_id"], "buy", "open"), {}).values()
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        if self._breaks_rule_10(order):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: reduce order {order['id']} by {by_units} units.",
            "data": self._changes(),
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel what is left of an open order and free its cash or units.

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
            return _refused(f"Order {order['id']} is {order['status']}.")
        self._journal = []
        self._put("orders", order, "status", "cancelled")
        if self._breaks_rule_1(self.accounts[order["account_id"]]):
            return self._take_back(RULES[0])
        for one_order in _distinct(
            [order, *self._orders_by_account_side_status.get((order["account_id"], "sell", "open"), {}).values()]
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_b(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_s(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        for one_order in _distinct(
            [order, *self._orders_by_account_side_status.get((order["account_id"], "buy", "open"), {}).values()]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(order):
            return self._take_back(RULES[8])
        if self._breaks_rule_14(order):
            return self._take_back(RULES[13])
        return {"success": True, "message": f"Done: cancel order {order['id']}.", "data": self._changes()}

    def end_trading_day(self, instrument_id: str) -> Result:
        """End the day of an instrument; its last trade becomes its close and the open day orders expire.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        last = min(
            self._trades_by_instrument_status.get((instrument_id, "done"), {}).values(),
            key=lambda t: (_descending(t["id"]), _age(t)),
            default=None,
        )
        if not (
            last is not None
            and last["price"] != instrument["close_price"]
            or any(
                o["validity"] == "day"
                for o in self._orders_by_instrument_status.get((instrument_id, "open"), {}).values()
            )
        ):
            return _refused(f"{instrument['ticker']} has no open day orders, and nothing changes its close.")
        self._journal = []
        changed_orders: list[Any] = []
        for o in sorted(
            self._orders_by_instrument_validity_status.get((instrument_id, "day", "open"), {}).values(),
            key=_age,
        ):
            if o["status"] not in ("open", "expired"):
                return self._take_back(f"Order {o['id']} cannot go from {o['status']} to expired.")
            changed_orders.append(o)
            self._put("orders", o, "status", "expired")
        if last is not None:
            self._put("instruments", instrument, "close_price", last["price"])
        for one_account in _distinct([self.accounts[one["account_id"]] for one in changed_orders]):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_order in _distinct(
            [
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_3_b(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_3_s(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_6(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(
            [
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_9(one_order):
                return self._take_back(RULES[8])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_14(one_order):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: end the day of {instrument['ticker']} and expire its day orders.",
            "data": self._changes(),
        }

    def halt_trading(
        self,
        instrument_id: str,
        reason: Literal["news_pending", "volatility", "regulator", "technical"],
        cancel_orders: bool = False,
    ) -> Result:
        """Halt trading in an instrument; its open orders stay in the book or are cancelled.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            reason (str): Why trading is halted: news_pending, volatility, regulator or technical.
            cancel_orders (bool): Whether all open orders in the instrument are cancelled. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["status"] != "trading":
            return _refused(f"Trading in {instrument['ticker']} is halted already.")
        self._journal = []
        changed_orders: list[Any] = []
        halt: Halt = {
            "id": self._new_id("halt", "HALT", self.halts),
            "instrument_id": instrument_id,
            "reason": reason,
            "since": self.now,
            "until": None,
        }
        self._add("halts", halt)
        self._put("instruments", instrument, "status", "halted")
        if cancel_orders:
            for o in sorted(self._orders_by_instrument_status.get((instrument_id, "open"), {}).values(), key=_age):
                if o["status"] not in ("open", "cancelled"):
                    return self._take_back(f"Order {o['id']} cannot go from {o['status']} to cancelled.")
                changed_orders.append(o)
                self._put("orders", o, "status", "cancelled")
        for one_account in _distinct([self.accounts[one["account_id"]] for one in changed_orders]):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_order in _distinct(
            [
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_3_b(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_3_s(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_6(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(
            [
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_9(one_order):
                return self._take_back(RULES[8])
        if self._breaks_rule_12(self.instruments[halt["instrument_id"]]):
            return self._take_back(RULES[11])
        if self._breaks_rule_12(instrument):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(halt):
            return self._take_back(RULES[12])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_14(one_order):
                return self._take_back(RULES[13])
        return {
            "success": True,
            "message": (
                f"Done: halt trading in {instrument['ticker']} because of {reason} and "
                f"{'cancel' if cancel_orders else 'keep'} its open orders (new: halt {halt['id']})."
            ),
            "data": {"halt_id": halt["id"], **self._changes()},
        }

    def resume_trading(self, instrument_id: str) -> Result:
        """End the halt of an instrument.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["status"] != "halted":
            return _refused(f"Trading in {instrument['ticker']} is not halted.")
        self._journal = []
        changed_halts: list[Any] = []
        for h in [
            h
            for h in sorted(self._halts_by_instrument.get(instrument_id, {}).values(), key=_age)
            if h["until"] is None
        ]:
            changed_halts.append(h)
            self._put("halts", h, "until", self.now)
        self._put("instruments", instrument, "status", "trading")
        for one_instrument in _distinct(
            [instrument, *[self.instruments[one["instrument_id"]] for one in changed_halts]]
        ):
            if self._breaks_rule_12(one_instrument):
                return self._take_back(RULES[11])
        for one_halt in _distinct(changed_halts):
            if self._breaks_rule_13(one_halt):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: resume trading in {instrument['ticker']}.",
            "data": self._changes(),
        }

    def bust_trade(self, trade_id: str) -> Result:
        """Undo a trade of the last two days that was made in error; cash and units go back, the orders do not.

        Args:
            trade_id (str): Id of the trade, such as TRADE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trade = self.trades.get(trade_id)
        if trade is None:
            return _refused(f"There is no trade {trade_id!r}.")
        if trade["status"] != "done":
            return _refused(f"Trade {trade['id']} was busted already.")
        if _minutes_between(trade["done"], self.now) > 2 * 1440:
            return _refused(f"Trade {trade['id']} was made at {trade['done']} and has settled.")
        buyer = self.accounts[self.orders[trade["bid_id"]]["account_id"]]
        seller = self.accounts[self.orders[trade["ask_id"]]["account_id"]]
        if (
            self._held(buyer, self.instruments[trade["instrument_id"]])
            - self._offered(buyer, self.instruments[trade["instrument_id"]]) < trade["units"]
        ):
            return _refused(
                f"{buyer['name']} has only "
                f"{self._held(buyer, self.instruments[trade['instrument_id']]) - self._offered(buyer, self.instruments[trade['instrument_id']])} {self.instruments[trade['instrument_id']]['ticker']} that are not on offer."
            )
        if self._account_free_cash(seller) < trade["price"] * trade["units"]:
            return _refused(
                f"{seller['name']} has only {_money(self._account_free_cash(seller))} free and would have to give "
                f"back {_money(trade['price'] * trade['units'])}."
            )
        if (
            self._held(seller, self.instruments[trade["instrument_id"]])
            + self._bidding(seller, self.instruments[trade["instrument_id"]])
            + trade["units"] > self.instruments[trade["instrument_id"]]["position_limit"]
        ):
            return _refused(
                f"{seller['name']} would exceed the limit of "
                f"{self.instruments[trade['instrument_id']]['position_limit']} "
                f"{self.instruments[trade['instrument_id']]['ticker']}."
            )
        self._journal = []
        changed_holdings: list[Any] = []
        self._put("trades", trade, "status", "busted")
        self._put("accounts", buyer, "cash", buyer["cash"] + trade["price"] * trade["units"])
        self._put("accounts", seller, "cash", seller["cash"] - trade["price"] * trade["units"])
        for h in sorted(
            self._holdings_by_account_instrument.get((buyer["id"], trade["instrument_id"]), {}).values(),
            key=_age,
        ):
            units = h["units"] - trade["units"]
            if not 0 <= units <= 1000000:
                return self._take_back(f"The units of {h['id']} must be between 0 and 1000000.")
            changed_holdings.append(h)
            self._put("holdings", h, "units", units)
        for h in sorted(
            self._holdings_by_account_instrument.get((seller["id"], trade["instrument_id"]), {}).values(),
            key=_age,
        ):
            new_units = h["units"] + trade["units"]
            if not 0 <= new_units <= 1000000:
                return self._take_back(f"The units of {h['id']} must be between 0 and 1000000.")
            changed_holdings.append(h)
            self._put("holdings", h, "units", new_units)
        if self._breaks_rule_1(buyer):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(seller):
            return self._take_back(RULES[0])
        for one_order in _distinct(
            [
                user
                for one in [self.accounts[one["account_id"]] for one in changed_holdings]
                for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
            ]
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_holding in _distinct(changed_holdings):
            if self._breaks_rule_7(one_holding):
                return self._take_back(RULES[6])
        for one_order in _distinct(
            [
                user
                for one in [self.accounts[one["account_id"]] for one in changed_holdings]
                for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
            ]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: bust trade {trade['id']}.", "data": self._changes()}

    def deposit_cash(self, account_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 50000000}]) -> Result:
        """Book cash that came in to an account.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            amount (int): Amount of cash received, in cents, from 1 to 50000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        self._journal = []
        self._put("accounts", account, "cash", account["cash"] + amount)
        if self._breaks_rule_1(account):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: deposit {_money(amount)} to {account['name']}.",
            "data": self._changes(),
        }

    def withdraw_cash(self, account_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 50000000}]) -> Result:
        """Pay out cash of an account that is not reserved.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            amount (int): Cash to pay out, within what is not reserved for orders, in cents, from 1 to 50000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "active":
            return _refused(f"{account['name']} is suspended, so nothing is paid out until it is reinstated.")
        if amount > self._account_free_cash(account):
            return _refused(
                f"{account['name']} has {_money(account['cash'])}, of which "
                f"{_money(self._account_reserved(account))} is reserved and "
                f"{_money(self._account_free_cash(account))} free."
            )
        self._journal = []
        self._put("accounts", account, "cash", account["cash"] - amount)
        if self._breaks_rule_1(account):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: pay out {_money(amount)} from {account['name']}.",
            "data": self._changes(),
        }

    def suspend_account(self, account_id: str) -> Result:
        """Suspend an account from trading and cancel its open orders.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "active":
            return _refused(f"{account['name']} is suspended already.")
        self._journal = []
        changed_orders: list[Any] = []
        for o in sorted(self._orders_by_account_status.get((account_id, "open"), {}).values(), key=_age):
            if o["status"] not in ("open", "cancelled"):
                return self._take_back(f"Order {o['id']} cannot go from {o['status']} to cancelled.")
            changed_orders.append(o)
            self._put("orders", o, "status", "cancelled")
        self._put("accounts", account, "status", "suspended")
        for one_account in _distinct([self.accounts[one["account_id"]] for one in changed_orders]):
            if self._breaks_rule_1(one_account):
                return self._take_back(RULES[0])
        for one_order in _distinct(
            [
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "sell", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_order):
                return self._take_back(RULES[1])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_3_b(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_3_s(one_order):
                return self._take_back(RULES[2])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_4(one_order):
                return self._take_back(RULES[3])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_6(one_order):
                return self._take_back(RULES[5])
        for one_order in _distinct(
            [
                *changed_orders,
                *[
                    user
                    for one in [self.accounts[one["account_id"]] for one in changed_orders]
                    for user in self._orders_by_account_side_status.get((one["id"], "buy", "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(
            [*changed_orders, *self._orders_by_account_status.get((account["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_9(one_order):
                return self._take_back(RULES[8])
        for one_order in _distinct(changed_orders):
            if self._breaks_rule_14(one_order):
                return self._take_back(RULES[13])
        return {"success": True, "message": f"Done: suspend {account['name']} from trading.", "data": self._changes()}

    def reinstate_account(self, account_id: str) -> Result:
        """Let a suspended account trade again.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["status"] != "suspended":
            return _refused(f"{account['name']} is not suspended.")
        self._journal = []
        self._put("accounts", account, "status", "active")
        for one_order in _distinct(self._orders_by_account_status.get((account["id"], "open"), {}).values()):
            if self._breaks_rule_9(one_order):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: let {account['name']} trade again.", "data": self._changes()}

    def _show_account(self, account: Account) -> dict[str, Any]:
        """The account as an answer shows it."""
        return {**account, "reserved": self._account_reserved(account), "free_cash": self._account_free_cash(account)}

    def _show_instrument(self, instrument: Instrument) -> dict[str, Any]:
        """The instrument as an answer shows it."""
        return {
            **instrument,
            "best_bid": self._instrument_best_bid(instrument),
            "best_ask": self._instrument_best_ask(instrument),
        }

    def _show_holding(self, holding: Holding) -> dict[str, Any]:
        """The holding as an answer shows it."""
        return {**holding, "offered": self._holding_offered(holding)}

    def _show_order(self, order: Order) -> dict[str, Any]:
        """The order as an answer shows it."""
        return {
            **order,
            "filled": self._order_filled(order),
            "left": self._order_left(order),
            "value": self._order_value(order),
        }

    def _names_of_holdings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holdings point to."""
        return _names(
            (self.accounts, "name", [row["account_id"] for row in shown]),
            (self.instruments, "ticker", [row["instrument_id"] for row in shown]),
        )

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names(
            (self.accounts, "name", [row["account_id"] for row in shown]),
            (self.instruments, "ticker", [row["instrument_id"] for row in shown]),
        )

    def _names_of_trades(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trades point to."""
        return _names((self.instruments, "ticker", [row["instrument_id"] for row in shown]))

    def _names_of_halts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that halts point to."""
        return _names((self.instruments, "ticker", [row["instrument_id"] for row in shown]))

    def _account_reserved(self, account: Account) -> int:
        """The reserved of an account."""
        return sum(
            self._order_value(o)
            for o in self._orders_by_account_side_status.get((account["id"], "buy", "open"), {}).values()
        )

    def _account_free_cash(self, account: Account) -> int:
        """The free cash of an account."""
        return account["cash"] - self._account_reserved(account)

    def _instrument_best_bid(self, instrument: Instrument) -> int | None:
        """The best bid of an instrument."""
        return max(
            (
                o["price"]
                for o in self._orders_by_instrument_side_status.get((instrument["id"], "buy", "open"), {}).values()
            ),
            default=None,
        )

    def _instrument_best_ask(self, instrument: Instrument) -> int | None:
        """The best ask of an instrument."""
        return min(
            (
                o["price"]
                for o in self._orders_by_instrument_side_status.get((instrument["id"], "sell", "open"), {}).values()
            ),
            default=None,
        )

    def _holding_offered(self, holding: Holding) -> int:
        """The offered of a holding."""
        return sum(
            self._order_left(o)
            for o in self._orders_by_account_instrument_side_status.get(
                (holding["account_id"], holding["instrument_id"], "sell", "open"),
                {},
            ).values()
        )

    def _order_filled(self, order: Order) -> int:
        """The filled of an order."""
        return (
            sum(t["units"] for t in self._trades_by_bid.get(order["id"], {}).values())
            + sum(t["units"] for t in self._trades_by_ask.get(order["id"], {}).values())
        )

    def _order_left(self, order: Order) -> int:
        """The left of an order."""
        return order["units"] - self._order_filled(order)

    def _order_value(self, order: Order) -> int:
        """The value of an order."""
        return order["price"] * self._order_left(order)

    def _held(self, a: Account, i: Instrument) -> int:
        return sum(h["units"] for h in self._holdings_by_account_instrument.get((a["id"], i["id"]), {}).values())

    def _offered(self, a: Account, i: Instrument) -> int:
        return sum(
            self._order_left(o)
            for o in self._orders_by_account_instrument_side_status.get(
                (a["id"], i["id"], "sell", "open"),
                {},
            ).values()
        )

    def _bidding(self, a: Account, i: Instrument) -> int:
        return sum(
            self._order_left(o)
            for o in self._orders_by_account_instrument_side_status.get(
                (a["id"], i["id"], "buy", "open"),
                {},
            ).values()
        )

    def _resting(self, i: Instrument, s: str) -> list[Order]:
        return sorted(self._orders_by_instrument_side_status.get((i["id"], s, "open"), {}).values(), key=_age)

    def _available(self, i: Instrument, s: str, p: int) -> int:
        return sum(
            self._order_left(o)
            for o in self._orders_by_instrument_status.get((i["id"], "open"), {}).values()
            if o["side"] != s
            and (o["price"] <= p if s == "buy" else o["price"] >= p)
        )

    def _breaks_rule_1(self, a: Account) -> bool:
        """Whether this is broken: an account never reserves more cash for its open buy orders than it has."""
        return self._account_reserved(a) > a["cash"]

    def _breaks_rule_2(self, o: Order) -> bool:
        """Whether this is broken: an account never offers more units in open sell orders than it holds."""
        return (
            o["status"] == "open"
            and o["side"] == "sell"
            and self._offered(
                self.accounts[o["account_id"]],
                self.instruments[o["instrument_id"]],
            ) > self._held(self.accounts[o["account_id"]], self.instruments[o["instrument_id"]])
        )

    def _breaks_rule_3_b(self, b: Order) -> bool:
        """Whether this is broken: the order book of an instrument is never crossed."""
        return (
            b["status"] == "open"
            and b["side"] == "buy"
            and any(
                b["price"] >= s["price"]
                for s in self._orders_by_instrument_side_status.get((b["instrument_id"], "sell", "open"), {}).values()
            )
        )

    def _breaks_rule_3_s(self, s: Order) -> bool:
        """Whether this is broken: the order book of an instrument is never crossed."""
        return (
            s["status"] == "open"
            and s["side"] == "sell"
            and any(
                b["price"] >= s["price"]
                for b in self._orders_by_instrument_side_status.get((s["instrument_id"], "buy", "open"), {}).values()
            )
        )

    def _breaks_rule_4(self, o: Order) -> bool:
        """Whether this is broken: an order is filled exactly when nothing of it is left, and is never overfilled."""
        return self._order_left(o) < 0 or (self._order_left(o) == 0) != (o["status"] == "filled")

    def _breaks_rule_5(self, h: Holding) -> bool:
        """Whether this is broken: an account has one holding of an instrument."""
        return any(
            other_h is not h
            for other_h in self._holdings_by_account_instrument.get(
                (h["account_id"], h["instrument_id"]),
                {},
            ).values()
        )

    def _breaks_rule_6(self, o: Order) -> bool:
        """Whether this is broken: an account never has open orders on both sides of one instrument."""
        return (
            o["status"] == "open"
            and any(
                o["side"] != p["side"]
                for p in self._orders_by_account_instrument_status.get(
                    (o["account_id"], o["instrument_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_7(self, h: Holding) -> bool:
        """Whether this is broken: an account never holds more of an instrument than the position limit."""
        return h["units"] > self.instruments[h["instrument_id"]]["position_limit"]

    def _breaks_rule_8(self, o: Order) -> bool:
        """Whether this is broken: what an account holds of an instrument and bids for stays within the position
        limit.
        """
        return (
            o["status"] == "open"
            and o["side"] == "buy"
            and self._held(
                self.accounts[o["account_id"]],
                self.instruments[o["instrument_id"]],
            ) + self._bidding(
                self.accounts[o["account_id"]],
                self.instruments[o["instrument_id"]],
            ) > self.instruments[o["instrument_id"]]["position_limit"]
        )

    def _breaks_rule_9(self, o: Order) -> bool:
        """Whether this is broken: a suspended account has no open orders."""
        return o["status"] == "open" and self.accounts[o["account_id"]]["status"] != "active"

    def _breaks_rule_10(self, o: Order) -> bool:
        """Whether this is broken: orders are for whole lots at whole ticks."""
        return (
            o["units"] % self.instruments[o["instrument_id"]]["lot_size"] != 0
            or o["price"] % self.instruments[o["instrument_id"]]["tick"] != 0
        )

    def _breaks_rule_11(self, t: Trade) -> bool:
        """Whether this is broken: nobody trades with themselves."""
        return self.orders[t["bid_id"]]["account_id"] == self.orders[t["ask_id"]]["account_id"]

    def _breaks_rule_12(self, i: Instrument) -> bool:
        """Whether this is broken: an instrument is halted exactly while one of its halts has not ended."""
        return (i["status"] == "halted") != any(
            h["until"] is None
            for h in self._halts_by_instrument.get(i["id"], {}).values()
        )

    def _breaks_rule_13(self, h: Halt) -> bool:
        """Whether this is broken: an instrument has at most one halt that has not ended."""
        return (
            h["until"] is None
            and any(
                other_h is not h
                for other_h in self._halts_by_instrument.get(h["instrument_id"], {}).values()
                if other_h["until"] is None
            )
        )

    def _breaks_rule_14(self, o: Order) -> bool:
        """Whether this is broken: only orders until cancelled or for the day stay open."""
        return o["status"] == "open" and o["validity"] not in ("until_cancelled", "day")

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
            case "holdings":
                self._holdings_by_account.setdefault(record["account_id"], {})[record["id"]] = record
                self._holdings_by_account_instrument.setdefault(
                    (record["account_id"], record["instrument_id"]),
                    {},
                )[record["id"]] = record
            case "orders":
                self._orders_by_account_instrument_side_status.setdefault(
                    (record["account_id"], record["instrument_id"], record["side"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_account_instrument_status.setdefault(
                    (record["account_id"], record["instrument_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_account_side_status.setdefault(
                    (record["account_id"], record["side"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_account_status.setdefault(
                    (record["account_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_instrument.setdefault(record["instrument_id"], {})[record["id"]] = record
                self._orders_by_instrument_side_status.setdefault(
                    (record["instrument_id"], record["side"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_instrument_status.setdefault(
                    (record["instrument_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_instrument_validity_status.setdefault(
                    (record["instrument_id"], record["validity"], record["status"]),
                    {},
                )[record["id"]] = record
            case "trades":
                self._trades_by_ask.setdefault(record["ask_id"], {})[record["id"]] = record
                self._trades_by_bid.setdefault(record["bid_id"], {})[record["id"]] = record
                self._trades_by_instrument_status.setdefault(
                    (record["instrument_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "halts":
                self._halts_by_instrument.setdefault(record["instrument_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "holdings":
                del self._holdings_by_account[record["account_id"]][record["id"]]
                del self._holdings_by_account_instrument[record["account_id"], record["instrument_id"]][record["id"]]
            case "orders":
                del self._orders_by_account_instrument_side_status[
                    record["account_id"],
                    record["instrument_id"],
                    record["side"],
                    record["status"],
                ][record["id"]]
                del self._orders_by_account_instrument_status[
                    record["account_id"],
                    record["instrument_id"],
                    record["status"],
                ][record["id"]]
                del self._orders_by_account_side_status[
                    record["account_id"],
                    record["side"],
                    record["status"],
                ][record["id"]]
                del self._orders_by_account_status[record["account_id"], record["status"]][record["id"]]
                del self._orders_by_instrument[record["instrument_id"]][record["id"]]
                del self._orders_by_instrument_side_status[
                    record["instrument_id"],
                    record["side"],
                    record["status"],
                ][record["id"]]
                del self._orders_by_instrument_status[record["instrument_id"], record["status"]][record["id"]]
                del self._orders_by_instrument_validity_status[
                    record["instrument_id"],
                    record["validity"],
                    record["status"],
                ][record["id"]]
            case "trades":
                del self._trades_by_ask[record["ask_id"]][record["id"]]
                del self._trades_by_bid[record["bid_id"]][record["id"]]
                del self._trades_by_instrument_status[record["instrument_id"], record["status"]][record["id"]]
            case "halts":
                del self._halts_by_instrument[record["instrument_id"]][record["id"]]
