"""Fund administration. Compiled from blueprint.yaml; run `envscaler build fund_administration` after changing it there.

Runs the register of investment funds, with subscriptions and redemptions until a daily cut-off, unit prices, a
gate on redemptions, transfers and distributions.
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
    "An investor has one holding in a fund.",
    "Nobody redeems more units than they hold.",
    "A subscription names an amount and a redemption names units.",
    "A fund deals once a day.",
    "A dealing is priced only when all earlier ones of the fund are settled.",
    "Only open dealings have no price.",
    "Redemptions of a dealing never exceed its gate.",
    "A settled dealing has no order left that was placed.",
    "Only investors who were checked subscribe or hold units.",
    "A holding gets one payout of a distribution, and only of its own fund.",
    "A fund has one distribution at a time that is not paid.",
    "All payouts of a paid distribution are made.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "check_investor",
    "open_dealing",
    "place_subscription",
    "place_redemption",
    "cancel_order",
    "strike_price",
    "settle_dealing",
    "transfer_units",
    "choose_reinvestment",
    "declare_distribution",
    "pay_distribution",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "funds": ("name",),
    "dealings": (),
    "investors": ("name",),
    "holdings": (),
    "orders": (),
    "distributions": (),
    "payouts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("dealings", "fund_id"),
    ("dealings", "status"),
    ("distributions", "fund_id"),
    ("distributions", "status"),
    ("holdings", "fund_id"),
    ("holdings", "investor_id"),
    ("orders", "dealing_id"),
    ("orders", "investor_id"),
    ("orders", "side"),
    ("orders", "status"),
    ("payouts", "distribution_id"),
    ("payouts", "holding_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Fund(TypedDict):
    id: str
    name: str
    cut_off: str
    gate: int
    minimum: int


class Dealing(TypedDict):
    id: str
    fund_id: str
    day: str
    price: int | None
    gate_units: int | None
    verified_by: str | None
    status: Literal["open", "priced", "settled"]


class Investor(TypedDict):
    id: str
    name: str
    checked: bool


class Holding(TypedDict):
    id: str
    investor_id: str
    fund_id: str
    units: int
    reinvest: bool


class Order(TypedDict):
    id: str
    investor_id: str
    dealing_id: str
    side: Literal["subscribe", "redeem"]
    amount: int | None
    units: int | None
    placed_at: str
    dealt_units: int
    paid: int
    status: Literal["placed", "dealt", "cancelled"]


class Distribution(TypedDict):
    id: str
    fund_id: str
    per_unit: int
    declared_on: str
    status: Literal["declared", "paid"]


class Payout(TypedDict):
    id: str
    distribution_id: str
    holding_id: str
    amount: int
    paid_as: Literal["cash", "units"] | None


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


class FundAdministration:
    """Runs the register of investment funds, with subscriptions and redemptions until a daily cut-off,
    unit prices, a gate on redemptions, transfers and distributions.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.funds: dict[str, Fund] = _copied(config.get("funds", {}))
        self.dealings: dict[str, Dealing] = _copied(config.get("dealings", {}))
        self.investors: dict[str, Investor] = _copied(config.get("investors", {}))
        self.holdings: dict[str, Holding] = _copied(config.get("holdings", {}))
        self.orders: dict[str, Order] = _copied(config.get("orders", {}))
        self.distributions: dict[str, Distribution] = _copied(config.get("distributions", {}))
        self.payouts: dict[str, Payout] = _copied(config.get("payouts", {}))
        self.now: str = config.get("now", "2026-03-19T10:30")
        self.counters: dict[str, int] = {
            "fund": len(self.funds),
            "dealing": len(self.dealings),
            "investor": len(self.investors),
            "holding": len(self.holdings),
            "order": len(self.orders),
            "distribution": len(self.distributions),
            "payout": len(self.payouts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._dealings_by_fund: dict[Any, dict[str, Dealing]] = {}
        self._dealings_by_fund_status: dict[Any, dict[str, Dealing]] = {}
        self._holdings_by_fund: dict[Any, dict[str, Holding]] = {}
        self._holdings_by_investor: dict[Any, dict[str, Holding]] = {}
        self._holdings_by_investor_fund: dict[Any, dict[str, Holding]] = {}
        self._orders_by_dealing: dict[Any, dict[str, Order]] = {}
        self._orders_by_dealing_side: dict[Any, dict[str, Order]] = {}
        self._orders_by_dealing_side_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_dealing_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_investor_side_status: dict[Any, dict[str, Order]] = {}
        self._orders_by_investor_status: dict[Any, dict[str, Order]] = {}
        self._distributions_by_fund_status: dict[Any, dict[str, Distribution]] = {}
        self._payouts_by_distribution: dict[Any, dict[str, Payout]] = {}
        self._payouts_by_distribution_holding: dict[Any, dict[str, Payout]] = {}
        for dealing in self.dealings.values():
            self._link("dealings", dealing)
        for holding in self.holdings.values():
            self._link("holdings", holding)
        for order in self.orders.values():
            self._link("orders", order)
        for distribution in self.distributions.values():
            self._link("distributions", distribution)
        for payout in self.payouts.values():
            self._link("payouts", payout)

    def order_book(
        self,
        dealing_id: str,
        side: Literal["subscribe", "redeem"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The orders of a dealing that are still placed, oldest first on each side.

        Args:
            dealing_id (str): Id of the dealing, such as DEALING-00001.
            side (str, optional): Only orders that put money in, or only those that take it out: subscribe or
                redeem. If left out, both sides are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}} or {"success": False, "error": why
                not}
        """
        dealing = self.dealings.get(dealing_id)
        if dealing is None:
            return _refused(f"There is no dealing {dealing_id!r}.")
        found = [
            o
            for o in self._orders_by_dealing.get(dealing_id, {}).values()
            if (o["dealing_id"] == dealing_id and o["status"] == "placed")
            and (side is None or o["side"] == side)
        ]
        found.sort(key=lambda o: (o["side"], o["placed_at"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "orders": [
                    {
                        "id": o["id"],
                        "investor": self.investors[o["investor_id"]]["name"],
                        "side": o["side"],
                        "amount": o["amount"],
                        "units": o["units"],
                        "placed_at": o["placed_at"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def gate_check(self, dealing_id: str) -> Result:
        """Whether the gate of a fund would hold redemptions of a dealing back.

        Args:
            dealing_id (str): Id of the dealing, such as DEALING-00001.

        Returns:
            dict: {"success": True, "data": {units_of_fund, gate_units, asked, held_back}} or {"success": False,
                "error": why not}
        """
        dealing = self.dealings.get(dealing_id)
        if dealing is None:
            return _refused(f"There is no dealing {dealing_id!r}.")
        return _found(
            {
                "units_of_fund": self._fund_units(self.funds[dealing["fund_id"]]),
                "gate_units": self._gate_limit(self.funds[dealing["fund_id"]]),
                "asked": self._dealing_leaving(dealing),
                "held_back": max(
                    0,
                    self._dealing_leaving(dealing) - self._gate_limit(self.funds[dealing["fund_id"]]),
                ),
            }
        )

    def taking_orders(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The dealing with which an order of each fund would be placed now.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "funds": records}} or {"success": False, "error": why
                not}
        """
        found = [f for f in self.funds.values()]
        found.sort(key=lambda f: (f["name"], _age(f)))
        return _found(
            {
                "total": len(found),
                "funds": [
                    {
                        "fund": f["name"],
                        "minimum": f["minimum"],
                        "cut_off": f["cut_off"],
                        "dealing": _id_of(self._dealing_for(f)),
                        "price": self._fund_price(f),
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def portfolio(self, investor_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What an investor holds, at the latest prices.

        Args:
            investor_id (str): Id of the investor, such as INVESTOR-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holdings": records}} or {"success": False, "error": why
                not}
        """
        investor = self.investors.get(investor_id)
        if investor is None:
            return _refused(f"There is no investor {investor_id!r}.")
        found = [h for h in self._holdings_by_investor.get(investor_id, {}).values()]
        found.sort(key=lambda h: (self.funds[h["fund_id"]]["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "holdings": [
                    {
                        "id": h["id"],
                        "fund": self.funds[h["fund_id"]]["name"],
                        "units": h["units"],
                        "free": self._holding_free(h),
                        "reinvest": h["reinvest"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def list_funds(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the funds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only funds whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "funds": records}}
        """
        found = [fund for fund in self.funds.values() if (name is None or name.casefold() in fund["name"].casefold())]
        return _found({"total": len(found), "funds": [self._show_fund(fund) for fund in _page(found, offset)]})

    def list_dealings(
        self,
        fund_id: str | None = None,
        status: Literal["open", "priced", "settled"] | None = None,
        day_from: Date | None = None,
        day_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the dealings, oldest first, all of them or only some.

        Args:
            fund_id (str, optional): Only dealings of this fund.
            status (str, optional): Only dealings with this status.
            day_from (str, optional): Only dealings whose `day` is on this day or later.
            day_to (str, optional): Only dealings whose `day` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dealings": records}}
        """
        if fund_id is not None and fund_id not in self.funds:
            return _refused(f"There is no fund {fund_id!r}.")
        found = [
            dealing
            for dealing in self.dealings.values()
            if (fund_id is None or dealing["fund_id"] == fund_id)
            and (status is None or dealing["status"] == status)
            and (day_from is None or dealing["day"] >= day_from)
            and (day_to is None or dealing["day"] <= day_to)
        ]
        shown = [self._show_dealing(dealing) for dealing in _page(found, offset)]
        return _found({"total": len(found), "dealings": shown}, self._names_of_dealings(shown))

    def list_investors(
        self,
        name: Text | None = None,
        checked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the investors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only investors whose name contains this text.
            checked (bool, optional): Only investors that are checked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "investors": records}}
        """
        found = [
            investor
            for investor in self.investors.values()
            if (name is None or name.casefold() in investor["name"].casefold())
            and (checked is None or investor["checked"] == checked)
        ]
        return _found({"total": len(found), "investors": [{**investor} for investor in _page(found, offset)]})

    def list_holdings(
        self,
        investor_id: str | None = None,
        fund_id: str | None = None,
        reinvest: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holdings, oldest first, all of them or only some.

        Args:
            investor_id (str, optional): Only holdings of this investor.
            fund_id (str, optional): Only holdings of this fund.
            reinvest (bool, optional): Only holdings with this value of `reinvest`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holdings": records}}
        """
        if investor_id is not None and investor_id not in self.investors:
            return _refused(f"There is no investor {investor_id!r}.")
        if fund_id is not None and fund_id not in self.funds:
            return _refused(f"There is no fund {fund_id!r}.")
        found = [
            holding
            for holding in self.holdings.values()
            if (investor_id is None or holding["investor_id"] == investor_id)
            and (fund_id is None or holding["fund_id"] == fund_id)
            and (reinvest is None or holding["reinvest"] == reinvest)
        ]
        shown = [self._show_holding(holding) for holding in _page(found, offset)]
        return _found({"total": len(found), "holdings": shown}, self._names_of_holdings(shown))

    def list_orders(
        self,
        investor_id: str | None = None,
        dealing_id: str | None = None,
        side: Literal["subscribe", "redeem"] | None = None,
        status: Literal["placed", "dealt", "cancelled"] | None = None,
        placed_at_from: Date | None = None,
        placed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the orders, oldest first, all of them or only some.

        Args:
            investor_id (str, optional): Only orders of this investor.
            dealing_id (str, optional): Only orders of this dealing.
            side (str, optional): Only orders with this side.
            status (str, optional): Only orders with this status.
            placed_at_from (str, optional): Only orders whose `placed_at` is on this day or later.
            placed_at_to (str, optional): Only orders whose `placed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "orders": records}}
        """
        if investor_id is not None and investor_id not in self.investors:
            return _refused(f"There is no investor {investor_id!r}.")
        if dealing_id is not None and dealing_id not in self.dealings:
            return _refused(f"There is no dealing {dealing_id!r}.")
        found = [
            order
            for order in self.orders.values()
            if (investor_id is None or order["investor_id"] == investor_id)
            and (dealing_id is None or order["dealing_id"] == dealing_id)
            and (side is None or order["side"] == side)
            and (status is None or order["status"] == status)
            and (placed_at_from is None or order["placed_at"][:10] >= placed_at_from)
            and (placed_at_to is None or order["placed_at"][:10] <= placed_at_to)
        ]
        shown = [{**order} for order in _page(found, offset)]
        return _found({"total": len(found), "orders": shown}, self._names_of_orders(shown))

    def list_distributions(
        self,
        fund_id: str | None = None,
        status: Literal["declared", "paid"] | None = None,
        declared_on_from: Date | None = None,
        declared_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the distributions, oldest first, all of them or only some.

        Args:
            fund_id (str, optional): Only distributions of this fund.
            status (str, optional): Only distributions with this status.
            declared_on_from (str, optional): Only distributions whose `declared_on` is on this day or later.
            declared_on_to (str, optional): Only distributions whose `declared_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "distributions": records}}
        """
        if fund_id is not None and fund_id not in self.funds:
            return _refused(f"There is no fund {fund_id!r}.")
        found = [
            distribution
            for distribution in self.distributions.values()
            if (fund_id is None or distribution["fund_id"] == fund_id)
            and (status is None or distribution["status"] == status)
            and (declared_on_from is None or distribution["declared_on"] >= declared_on_from)
            and (declared_on_to is None or distribution["declared_on"] <= declared_on_to)
        ]
        shown = [{**distribution} for distribution in _page(found, offset)]
        return _found({"total": len(found), "distributions": shown}, self._names_of_distributions(shown))

    def list_payouts(
        self,
        distribution_id: str | None = None,
        holding_id: str | None = None,
        paid_as: Literal["cash", "units"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payouts, oldest first, all of them or only some.

        Args:
            distribution_id (str, optional): Only payouts of this distribution.
            holding_id (str, optional): Only payouts of this holding.
            paid_as (str, optional): Only payouts whose `paid_as` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payouts": records}}
        """
        if distribution_id is not None and distribution_id not in self.distributions:
            return _refused(f"There is no distribution {distribution_id!r}.")
        if holding_id is not None and holding_id not in self.holdings:
            return _refused(f"There is no holding {holding_id!r}.")
        found = [
            payout
            for payout in self.payouts.values()
            if (distribution_id is None or payout["distribution_id"] == distribution_id)
            and (holding_id is None or payout["holding_id"] == holding_id)
            and (paid_as is None or payout["paid_as"] == paid_as)
        ]
        return _found({"total": len(found), "payouts": [{**payout} for payout in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def check_investor(self, investor_id: str) -> Result:
        """Note that an investor's identity and source of funds were checked.

        Args:
            investor_id (str): Id of the investor, such as INVESTOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        investor = self.investors.get(investor_id)
        if investor is None:
            return _refused(f"There is no investor {investor_id!r}.")
        if investor["checked"]:
            return _refused(f"{investor['name']} was checked already.")
        self._journal = []
        self._put("investors", investor, "checked", True)
        for one_order in _distinct(
            self._orders_by_investor_side_status.get((investor["id"], "subscribe", "placed"), {}).values()
        ):
            if self._breaks_rule_9_o(one_order):
                return self._take_back(RULES[8])
        for one_holding in _distinct(self._holdings_by_investor.get(investor["id"], {}).values()):
            if self._breaks_rule_9_h(one_holding):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: note that {investor['name']} was checked.",
            "data": self._changes(),
        }

    def open_dealing(self, fund_id: str, on: Date) -> Result:
        """Open the next dealing day of a fund, a weekday at most ten days ahead.

        Args:
            fund_id (str): Id of the fund, such as FUND-00001.
            on (str): Dealing day, a weekday within ten days and after the last one, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fund = self.funds.get(fund_id)
        if fund is None:
            return _refused(f"There is no fund {fund_id!r}.")
        if _weekday(on) > 5:
            return _refused(f"{on} is at a weekend.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 10):
            return _refused(
                f"A dealing is opened for {self.now[:10]} to {_plus_days(self.now[:10], 10)}, not for {on}."
            )
        last = self._last_day(fund)
        if last is not None and last >= on:
            return _refused(f"{fund['name']} has a dealing on {last}; the next one comes after it.")
        self._journal = []
        dealing: Dealing = {
            "id": self._new_id("dealing", "DEALING", self.dealings),
            "fund_id": fund_id,
            "day": on,
            "price": None,
            "gate_units": None,
            "verified_by": None,
            "status": "open",
        }
        self._add("dealings", dealing)
        if self._breaks_rule_4(dealing):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(dealing):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(dealing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(dealing):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(dealing):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: open the dealing of {fund['name']} on {on} (new: dealing {dealing['id']}).",
            "data": {"dealing_id": dealing["id"], **self._changes()},
        }

    def place_subscription(
        self,
        investor_id: str,
        fund_id: str,
        amount: Annotated[int, {"minimum": 1000, "maximum": 100000000}],
    ) -> Result:
        """Place a subscription of an amount with the next dealing whose cut-off has not passed.

        Args:
            investor_id (str): Id of the investor, such as INVESTOR-00001.
            fund_id (str): Id of the fund, such as FUND-00001.
            amount (int): Sum that the investor puts in, at least the minimum of the fund, in cents, from 1000 to
                100000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        investor = self.investors.get(investor_id)
        if investor is None:
            return _refused(f"There is no investor {investor_id!r}.")
        fund = self.funds.get(fund_id)
        if fund is None:
            return _refused(f"There is no fund {fund_id!r}.")
        if not investor["checked"]:
            return _refused(f"{investor['name']} has not been checked yet.")
        if amount < fund["minimum"]:
            return _refused(f"{fund['name']} takes {_money(fund['minimum'])} or more, not {_money(amount)}.")
        dealing = self._dealing_for(fund)
        if dealing is None:
            return _refused(f"{fund['name']} has no dealing open for orders; open one first.")
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "investor_id": investor_id,
            "dealing_id": dealing["id"],
            "side": "subscribe",
            "amount": amount,
            "units": None,
            "placed_at": self.now,
            "dealt_units": 0,
            "paid": 0,
            "status": "placed",
        }
        self._add("orders", order)
        for one_holding in _distinct(self._holdings_by_investor.get(order["investor_id"], {}).values()):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(self.dealings[order["dealing_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: place a subscription of {investor['name']} to {fund['name']} over {_money(amount)} (new: "
                f"order {order['id']})."
            ),
            "data": {"order_id": order["id"], **self._changes()},
        }

    def place_redemption(
        self,
        investor_id: str,
        fund_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 10000000}],
    ) -> Result:
        """Place a redemption of units with the next dealing whose cut-off has not passed.

        Args:
            investor_id (str): Id of the investor, such as INVESTOR-00001.
            fund_id (str): Id of the fund, such as FUND-00001.
            units (int): Units that the investor gives back, from 1 to 10000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        investor = self.investors.get(investor_id)
        if investor is None:
            return _refused(f"There is no investor {investor_id!r}.")
        fund = self.funds.get(fund_id)
        if fund is None:
            return _refused(f"There is no fund {fund_id!r}.")
        holding = self._holding_of(investor, fund)
        if holding is None:
            return _refused(f"{investor['name']} holds nothing of {fund['name']}.")
        if units > self._holding_free(holding):
            return _refused(
                f"{investor['name']} has {self._holding_free(holding)} units of {fund['name']} that are not being "
                "redeemed."
            )
        dealing = self._dealing_for(fund)
        if dealing is None:
            return _refused(f"{fund['name']} has no dealing open for orders; open one first.")
        self._journal = []
        order: Order = {
            "id": self._new_id("order", "ORDER", self.orders),
            "investor_id": investor_id,
            "dealing_id": dealing["id"],
            "side": "redeem",
            "amount": None,
            "units": units,
            "placed_at": self.now,
            "dealt_units": 0,
            "paid": 0,
            "status": "placed",
        }
        self._add("orders", order)
        for one_holding in _distinct(self._holdings_by_investor.get(order["investor_id"], {}).values()):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(order):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(self.dealings[order["dealing_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: place a redemption of {units} units of {fund['name']} for {investor['name']} (new: order "
                f"{order['id']})."
            ),
            "data": {"order_id": order["id"], **self._changes()},
        }

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an order before the cut-off of its dealing.

        Args:
            order_id (str): Id of the order, such as ORDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.orders.get(order_id)
        if order is None:
            return _refused(f"There is no order {order_id!r}.")
        if order["status"] != "placed":
            return _refused(f"The order of {self.investors[order['investor_id']]['name']} is {order['status']}.")
        if self._closes(self.dealings[order["dealing_id"]]) <= self.now:
            return _refused(
                f"The cut-off of {self.funds[self.dealings[order['dealing_id']]['fund_id']]['name']} was "
                f"{self._closes(self.dealings[order['dealing_id']])}."
            )
        self._journal = []
        self._put("orders", order, "status", "cancelled")
        for one_holding in _distinct(self._holdings_by_investor.get(order["investor_id"], {}).values()):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        if self._breaks_rule_8(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_o(order):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: cancel the order of {self.investors[order['investor_id']]['name']}.",
            "data": self._changes(),
        }

    def strike_price(
        self,
        dealing_id: str,
        price: Annotated[int, {"minimum": 100, "maximum": 1000000}],
        verified_by: Text | None = None,
    ) -> Result:
        """Set the unit price of the earliest unsettled dealing of a fund, after its cut-off and within a tenth of the
        price before unless somebody verified it.

        Args:
            dealing_id (str): Id of the dealing, such as DEALING-00001.
            price (int): Price of one unit of the fund, in cents, from 100 to 1000000.
            verified_by (str, optional): Full name of the person who verified the price. If left out, the price
                must be within a tenth of the last one.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dealing = self.dealings.get(dealing_id)
        if dealing is None:
            return _refused(f"There is no dealing {dealing_id!r}.")
        if dealing["status"] != "open":
            return _refused(f"The dealing of {dealing['day']} is {dealing['status']}.")
        if self._closes(dealing) > self.now:
            return _refused(f"{self.funds[dealing['fund_id']]['name']} takes orders until {self._closes(dealing)}.")
        earlier = next(
            (
                d
                for d in sorted(self._dealings_by_fund.get(dealing["fund_id"], {}).values(), key=_age)
                if d["day"] < dealing["day"]
                and d["status"] != "settled"
            ),
            None,
        )
        if earlier is not None:
            return _refused(f"The dealing of {earlier['day']} is {earlier['status']} and comes first.")
        before = self._fund_price(self.funds[dealing["fund_id"]])
        if before is not None and verified_by is None and abs(price * 10 - before * 10) > abs(before):
            return _refused(
                f"{_money(price)} is more than a tenth away from {_money(before)}, so have it verified and name "
                "who did."
            )
        self._journal = []
        self._put("dealings", dealing, "price", price)
        self._put("dealings", dealing, "verified_by", verified_by)
        self._put("dealings", dealing, "status", "priced")
        if self._breaks_rule_5_a(dealing):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(dealing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(dealing):
            return self._take_back(RULES[5])
        for one_order in _distinct(self._orders_by_dealing_status.get((dealing["id"], "placed"), {}).values()):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        done = f"price {self.funds[dealing['fund_id']]['name']} for {dealing['day']} at {_money(price)}"
        if verified_by is not None:
            done += f", verified by {verified_by}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def settle_dealing(self, dealing_id: str) -> Result:
        """Settle a priced dealing; redemptions above the gate are all cut pro rata, down to whole units, and the rest
        moves to the next dealing, subscriptions get whole units.

        Args:
            dealing_id (str): Id of the dealing, such as DEALING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dealing = self.dealings.get(dealing_id)
        if dealing is None:
            return _refused(f"There is no dealing {dealing_id!r}.")
        price = dealing["price"]
        if dealing["status"] != "priced" or price is None or price <= 0:
            return _refused(f"The dealing of {dealing['day']} is {dealing['status']}.")
        later = self._after(dealing)
        if later is None:
            return _refused(
                f"Open the next dealing of {self.funds[dealing['fund_id']]['name']} first, for what the gate may "
                "hold back."
            )
        self._journal = []
        changed_orders: list[Any] = []
        changed_orders_2: list[Any] = []
        changed_holdings: list[Any] = []
        added_orders: list[Any] = []
        changed_orders_3: list[Any] = []
        former_dealing_ids: list[Any] = []
        added_holdings: list[Any] = []
        rest = self._gate_limit(self.funds[dealing["fund_id"]])
        asked = self._dealing_leaving(dealing)
        if not 0 <= rest <= 100000000:
            return self._take_back(f"The gate units of {dealing['id']} must be between 0 and 100000000.")
        self._put("dealings", dealing, "gate_units", rest)
        for o in sorted(
            self._orders_by_dealing_side_status.get((dealing_id, "redeem", "placed"), {}).values(),
            key=lambda o: (o["placed_at"], o["id"], _age(o)),
        ):
            part = (
                (o["units"] if o["units"] is not None else 0)
                if asked <= rest
                else floor(Fraction((o["units"] if o["units"] is not None else 0) * rest, asked))
                if asked > 0
                else 0
            )
            more = (o["units"] if o["units"] is not None else 0) - part
            if part > 0:
                if not 0 <= part <= 10000000:
                    return self._take_back(f"The dealt units of {o['id']} must be between 0 and 10000000.")
                changed_orders.append(o)
                self._put("orders", o, "dealt_units", part)
                paid = price * part
                if not 0 <= paid <= 9000000000:
                    return self._take_back(f"The paid of {o['id']} must be between 0.00 and 90,000,000.00.")
                self._put("orders", o, "paid", paid)
                if o["status"] not in ("placed", "dealt"):
                    return self._take_back(f"Order {o['id']} cannot go from {o['status']} to dealt.")
                changed_orders_2.append(o)
                self._put("orders", o, "status", "dealt")
                for h in sorted(
                    self._holdings_by_investor_fund.get((o["investor_id"], dealing["fund_id"]), {}).values(),
                    key=_age,
                ):
                    units = h["units"] - part
                    if not 0 <= units <= 100000000:
                        return self._take_back(f"The units of {h['id']} must be between 0 and 100000000.")
                    changed_holdings.append(h)
                    self._put("holdings", h, "units", units)
                if more > 0:
                    if not 1 <= more <= 10000000:
                        return self._take_back("The units of an order must be between 1 and 10000000.")
                    order = {
                        "id": self._new_id("order", "ORDER", self.orders),
                        "investor_id": o["investor_id"],
                        "dealing_id": later["id"],
                        "side": "redeem",
                        "amount": None,
                        "units": more,
                        "placed_at": o["placed_at"],
                        "dealt_units": 0,
                        "paid": 0,
                        "status": "placed",
                    }
                    self._add("orders", order)
                    added_orders.append(order)
            else:
                changed_orders_3.append(o)
                former_dealing_ids.append(o["dealing_id"])
                self._put("orders", o, "dealing_id", later["id"])
        for o in [
            o
            for o in sorted(
                self._orders_by_dealing_side_status.get((dealing_id, "subscribe", "placed"), {}).values(),
                key=_age,
            )
            if o["amount"] is not None
        ]:
            bought = floor(Fraction(o["amount"], price))
            if not 0 <= bought <= 10000000:
                return self._take_back(f"The dealt units of {o['id']} must be between 0 and 10000000.")
            changed_orders.append(o)
            self._put("orders", o, "dealt_units", bought)
            new_paid = price * bought
            if not 0 <= new_paid <= 9000000000:
                return self._take_back(f"The paid of {o['id']} must be between 0.00 and 90,000,000.00.")
            self._put("orders", o, "paid", new_paid)
            if o["status"] not in ("placed", "dealt"):
                return self._take_back(f"Order {o['id']} cannot go from {o['status']} to dealt.")
            changed_orders_2.append(o)
            self._put("orders", o, "status", "dealt")
            holding = self._holding_of(self.investors[o["investor_id"]], self.funds[dealing["fund_id"]])
            if holding is not None:
                new_units = holding["units"] + bought
                if not 0 <= new_units <= 100000000:
                    return self._take_back(f"The units of {holding['id']} must be between 0 and 100000000.")
                changed_holdings.append(holding)
                self._put("holdings", holding, "units", new_units)
            else:
                if not 0 <= bought <= 100000000:
                    return self._take_back("The units of a holding must be between 0 and 100000000.")
                new_holding = {
                    "id": self._new_id("holding", "HOLDING", self.holdings),
                    "investor_id": o["investor_id"],
                    "fund_id": dealing["fund_id"],
                    "units": bought,
                    "reinvest": False,
                }
                self._add("holdings", new_holding)
                added_holdings.append(new_holding)
        self._put("dealings", dealing, "status", "settled")
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct(
            [
                *[
                    user
                    for one in [self.investors[one["investor_id"]] for one in changed_orders_2]
                    for user in self._holdings_by_investor.get(one["id"], {}).values()
                ],
                *changed_holdings,
                *[
                    user
                    for one in [self.investors[one["investor_id"]] for one in added_orders]
                    for user in self._holdings_by_investor.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.investors[one["investor_id"]] for one in changed_orders_3]
                    for user in self._holdings_by_investor.get(one["id"], {}).values()
                ],
                *added_holdings,
            ]
        ):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_3(one_order):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_a(dealing):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(dealing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(dealing):
            return self._take_back(RULES[5])
        for one_dealing in _distinct(
            [
                dealing,
                *[self.dealings[one["dealing_id"]] for one in changed_orders],
                *[self.dealings[one["dealing_id"]] for one in added_orders],
                *[self.dealings[one["dealing_id"]] for one in changed_orders_3],
                *[self.dealings.get(key) for key in former_dealing_ids],
            ]
        ):
            if self._breaks_rule_7(one_dealing):
                return self._take_back(RULES[6])
        for one_order in _distinct(
            [
                *changed_orders_2,
                *added_orders,
                *changed_orders_3,
                *self._orders_by_dealing_status.get((dealing["id"], "placed"), {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct([*changed_orders_2, *added_orders]):
            if self._breaks_rule_9_o(one_order):
                return self._take_back(RULES[8])
        for one_holding in _distinct([*changed_holdings, *added_holdings]):
            if self._breaks_rule_9_h(one_holding):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: settle the dealing of {self.funds[dealing['fund_id']]['name']} of {dealing['day']}.",
            "data": self._changes(),
        }

    def transfer_units(
        self,
        holding_id: str,
        receiver_id: str,
        units: Annotated[int, {"minimum": 1, "maximum": 10000000}],
    ) -> Result:
        """Transfer units of a holding to another investor without a sale, as by gift or inheritance.

        Args:
            holding_id (str): Id of the holding, such as HOLDING-00001.
            receiver_id (str): Other investor who gets the units, checked already; an id such as INVESTOR-00001.
            units (int): Units that are transferred, from 1 to 10000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        holding = self.holdings.get(holding_id)
        if holding is None:
            return _refused(f"There is no holding {holding_id!r}.")
        receiver = self.investors.get(receiver_id)
        if receiver is None:
            return _refused(f"There is no investor {receiver_id!r}.")
        if receiver_id == holding["investor_id"]:
            return _refused(f"{receiver['name']} holds these units already.")
        if not receiver["checked"]:
            return _refused(f"{receiver['name']} has not been checked yet.")
        if units > self._holding_free(holding):
            return _refused(
                f"{self.investors[holding['investor_id']]['name']} has {self._holding_free(holding)} units that "
                f"are not being redeemed, not {units}."
            )
        done = f"transfer {units} units of {self.funds[holding['fund_id']]['name']} from {self.investors[holding['investor_id']]['name']} to {receiver['name']}"
        self._journal = []
        changed_holdings: list[Any] = []
        added_holdings: list[Any] = []
        new_units = holding["units"] - units
        if not 0 <= new_units <= 100000000:
            return self._take_back(f"The units of {holding['id']} must be between 0 and 100000000.")
        self._put("holdings", holding, "units", new_units)
        other = self._holding_of(receiver, self.funds[holding["fund_id"]])
        if other is not None:
            new_units_2 = other["units"] + units
            if not 0 <= new_units_2 <= 100000000:
                return self._take_back(f"The units of {other['id']} must be between 0 and 100000000.")
            changed_holdings.append(other)
            self._put("holdings", other, "units", new_units_2)
        else:
            new_holding = {
                "id": self._new_id("holding", "HOLDING", self.holdings),
                "investor_id": receiver_id,
                "fund_id": holding["fund_id"],
                "units": units,
                "reinvest": False,
            }
            self._add("holdings", new_holding)
            added_holdings.append(new_holding)
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([holding, *changed_holdings, *added_holdings]):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_holding in _distinct([holding, *changed_holdings, *added_holdings]):
            if self._breaks_rule_9_h(one_holding):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def choose_reinvestment(self, holding_id: str, reinvest: bool) -> Result:
        """Set whether distributions on a holding buy new units or are paid out.

        Args:
            holding_id (str): Id of the holding, such as HOLDING-00001.
            reinvest (bool): Whether distributions buy new units rather than being paid out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        holding = self.holdings.get(holding_id)
        if holding is None:
            return _refused(f"There is no holding {holding_id!r}.")
        if holding["reinvest"] == reinvest:
            return _refused(f"That is set for {self.investors[holding['investor_id']]['name']} already.")
        self._journal = []
        self._put("holdings", holding, "reinvest", reinvest)
        return {
            "success": True,
            "message": (
                f"Done: set the reinvestment of {self.investors[holding['investor_id']]['name']} in "
                f"{self.funds[holding['fund_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def declare_distribution(
        self,
        fund_id: str,
        per_unit: Annotated[int, {"minimum": 1, "maximum": 10000}],
    ) -> Result:
        """Declare a distribution on all units that are held of a fund now.

        Args:
            fund_id (str): Id of the fund, such as FUND-00001.
            per_unit (int): Money that is distributed on each unit, in cents, from 1 to 10000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fund = self.funds.get(fund_id)
        if fund is None:
            return _refused(f"There is no fund {fund_id!r}.")
        if self._fund_units(fund) <= 0:
            return _refused(f"Nobody holds units of {fund['name']}.")
        if self._distributions_by_fund_status.get((fund_id, "declared"), {}):
            return _refused(f"The last distribution of {fund['name']} is not paid yet.")
        waiting = next(
            (d for d in sorted(self._dealings_by_fund_status.get((fund_id, "priced"), {}).values(), key=_age)),
            None,
        )
        if waiting is not None:
            return _refused(f"Settle the dealing of {waiting['day']} first.")
        self._journal = []
        added_payouts: list[Any] = []
        distribution: Distribution = {
            "id": self._new_id("distribution", "DISTRIBUTION", self.distributions),
            "fund_id": fund_id,
            "per_unit": per_unit,
            "declared_on": self.now[:10],
            "status": "declared",
        }
        self._add("distributions", distribution)
        for h in [h for h in sorted(self._holdings_by_fund.get(fund_id, {}).values(), key=_age) if h["units"] > 0]:
            amount = per_unit * h["units"]
            if not 0 <= amount <= 9000000000:
                return self._take_back("The amount of a payout must be between 0.00 and 90,000,000.00.")
            payout = {
                "id": self._new_id("payout", "PAYOUT", self.payouts),
                "distribution_id": distribution["id"],
                "holding_id": h["id"],
                "amount": amount,
                "paid_as": None,
            }
            self._add("payouts", payout)
            added_payouts.append(payout)
        for one_payout in _distinct(added_payouts):
            if self._breaks_rule_10_p(one_payout):
                return self._take_back(RULES[9])
        for one_payout in _distinct(added_payouts):
            if self._breaks_rule_10_p_again(one_payout):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(distribution):
            return self._take_back(RULES[10])
        for one_payout in _distinct(added_payouts):
            if self._breaks_rule_12(one_payout):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: declare {_money(per_unit)} a unit on {fund['name']} (new: distribution {distribution['id']})."
            ),
            "data": {"distribution_id": distribution["id"], **self._changes()},
        }

    def pay_distribution(self, distribution_id: str) -> Result:
        """Pay a declared distribution, in cash or, where the holder reinvests, as a subscription with the next
        dealing.

        Args:
            distribution_id (str): Id of the distribution, such as DISTRIBUTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        distribution = self.distributions.get(distribution_id)
        if distribution is None:
            return _refused(f"There is no distribution {distribution_id!r}.")
        if distribution["status"] != "declared":
            return _refused(f"The distribution is {distribution['status']}.")
        dealing = self._dealing_for(self.funds[distribution["fund_id"]])
        if dealing is None:
            return _refused(
                f"{self.funds[distribution['fund_id']]['name']} has no dealing open for what is reinvested; open "
                "one first."
            )
        self._journal = []
        added_orders: list[Any] = []
        changed_payouts: list[Any] = []
        for p in sorted(self._payouts_by_distribution.get(distribution_id, {}).values(), key=_age):
            if self.holdings[p["holding_id"]]["reinvest"] and p["amount"] > 0:
                amount = p["amount"]
                if not 1 <= amount <= 100000000:
                    return self._take_back("The amount of an order must be between 0.01 and 1,000,000.00.")
                order = {
                    "id": self._new_id("order", "ORDER", self.orders),
                    "investor_id": self.holdings[p["holding_id"]]["investor_id"],
                    "dealing_id": dealing["id"],
                    "side": "subscribe",
                    "amount": amount,
                    "units": None,
                    "placed_at": self.now,
                    "dealt_units": 0,
                    "paid": 0,
                    "status": "placed",
                }
                self._add("orders", order)
                added_orders.append(order)
                changed_payouts.append(p)
                self._put("payouts", p, "paid_as", "units")
            else:
                changed_payouts.append(p)
                self._put("payouts", p, "paid_as", "cash")
        self._put("distributions", distribution, "status", "paid")
        for one_holding in _distinct(
            [
                user
                for one in [self.investors[one["investor_id"]] for one in added_orders]
                for user in self._holdings_by_investor.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_3(one_order):
                return self._take_back(RULES[2])
        for one_dealing in _distinct([self.dealings[one["dealing_id"]] for one in added_orders]):
            if self._breaks_rule_7(one_dealing):
                return self._take_back(RULES[6])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_8(one_order):
                return self._take_back(RULES[7])
        for one_order in _distinct(added_orders):
            if self._breaks_rule_9_o(one_order):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(distribution):
            return self._take_back(RULES[10])
        for one_payout in _distinct(
            [*changed_payouts, *self._payouts_by_distribution.get(distribution["id"], {}).values()]
        ):
            if self._breaks_rule_12(one_payout):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: pay the distribution of {self.funds[distribution['fund_id']]['name']} declared on "
                f"{distribution['declared_on']}."
            ),
            "data": self._changes(),
        }

    def _show_fund(self, fund: Fund) -> dict[str, Any]:
        """The fund as an answer shows it."""
        return {**fund, "units": self._fund_units(fund), "price": self._fund_price(fund)}

    def _show_dealing(self, dealing: Dealing) -> dict[str, Any]:
        """The dealing as an answer shows it."""
        return {**dealing, "leaving": self._dealing_leaving(dealing)}

    def _show_holding(self, holding: Holding) -> dict[str, Any]:
        """The holding as an answer shows it."""
        return {**holding, "free": self._holding_free(holding)}

    def _names_of_dealings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that dealings point to."""
        return _names((self.funds, "name", [row["fund_id"] for row in shown]))

    def _names_of_holdings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holdings point to."""
        return _names(
            (self.investors, "name", [row["investor_id"] for row in shown]),
            (self.funds, "name", [row["fund_id"] for row in shown]),
        )

    def _names_of_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that orders point to."""
        return _names((self.investors, "name", [row["investor_id"] for row in shown]))

    def _names_of_distributions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that distributions point to."""
        return _names((self.funds, "name", [row["fund_id"] for row in shown]))

    def _fund_units(self, fund: Fund) -> int:
        """The units of a fund."""
        return sum(h["units"] for h in self._holdings_by_fund.get(fund["id"], {}).values())

    def _fund_price(self, fund: Fund) -> int | None:
        """The price of a fund."""
        return self._latest_price(fund)

    def _dealing_leaving(self, dealing: Dealing) -> int:
        """The leaving of a dealing."""
        return sum(
            o["units"]
            if o["units"] is not None
            else 0
            for o in self._orders_by_dealing_status.get((dealing["id"], "placed"), {}).values()
        )

    def _holding_free(self, holding: Holding) -> int:
        """The free of a holding."""
        return (
            holding["units"]
            - self._leaving(self.investors[holding["investor_id"]], self.funds[holding["fund_id"]])
        )

    def _latest_price(self, f: Fund) -> int | None:
        return next(
            (
                d["price"]
                for d in sorted(self._dealings_by_fund.get(f["id"], {}).values(), key=_age)
                if d["price"] is not None
                and not any(
                    e["day"] > d["day"]
                    for e in self._dealings_by_fund.get(f["id"], {}).values()
                    if e["price"] is not None
                )
            ),
            None,
        )

    def _leaving(self, i: Investor, f: Fund) -> int:
        return sum(
            o["units"]
            if o["units"] is not None
            else 0
            for o in self._orders_by_investor_status.get((i["id"], "placed"), {}).values()
            if self.dealings[o["dealing_id"]]["fund_id"] == f["id"]
        )

    def _closes(self, d: Dealing) -> str:
        return d["day"] + "T" + self.funds[d["fund_id"]]["cut_off"]

    def _dealing_for(self, f: Fund) -> Dealing | None:
        return min(
            (
                d
                for d in self._dealings_by_fund_status.get((f["id"], "open"), {}).values()
                if self._closes(d) > self.now
            ),
            key=lambda d: (d["day"], _age(d)),
            default=None,
        )

    def _after(self, d: Dealing) -> Dealing | None:
        return min(
            (
                e
                for e in self._dealings_by_fund_status.get((d["fund_id"], "open"), {}).values()
                if e["day"] > d["day"]
            ),
            key=lambda e: (e["day"], _age(e)),
            default=None,
        )

    def _last_day(self, f: Fund) -> str | None:
        return max((d["day"] for d in self._dealings_by_fund.get(f["id"], {}).values()), default=None)

    def _holding_of(self, i: Investor, f: Fund) -> Holding | None:
        return next(
            (h for h in sorted(self._holdings_by_investor_fund.get((i["id"], f["id"]), {}).values(), key=_age)),
            None,
        )

    def _gate_limit(self, f: Fund) -> int:
        return self._fund_units(f) * f["gate"] // 100

    def _breaks_rule_1(self, h: Holding) -> bool:
        """Whether this is broken: an investor has one holding in a fund."""
        return any(
            other_h is not h
            for other_h in self._holdings_by_investor_fund.get((h["investor_id"], h["fund_id"]), {}).values()
        )

    def _breaks_rule_2(self, h: Holding) -> bool:
        """Whether this is broken: nobody redeems more units than they hold."""
        return self._holding_free(h) < 0

    def _breaks_rule_3(self, o: Order) -> bool:
        """Whether this is broken: a subscription names an amount and a redemption names units."""
        return (
            (o["side"] == "subscribe") != (o["amount"] is not None)
            or (o["side"] == "redeem") != (o["units"] is not None)
        )

    def _breaks_rule_4(self, d: Dealing) -> bool:
        """Whether this is broken: a fund deals once a day."""
        return any(
            other_d is not d
            for other_d in self._dealings_by_fund.get(d["fund_id"], {}).values()
            if other_d["day"] == d["day"]
        )

    def _breaks_rule_5_a(self, a: Dealing) -> bool:
        """Whether this is broken: a dealing is priced only when all earlier ones of the fund are settled."""
        return any(
            a["status"] != "settled"
            and b["status"] != "open"
            for b in self._dealings_by_fund.get(a["fund_id"], {}).values()
            if a["day"] < b["day"]
        )

    def _breaks_rule_5_b(self, b: Dealing) -> bool:
        """Whether this is broken: a dealing is priced only when all earlier ones of the fund are settled."""
        return any(
            a["status"] != "settled"
            and b["status"] != "open"
            for a in self._dealings_by_fund.get(b["fund_id"], {}).values()
            if a["day"] < b["day"]
        )

    def _breaks_rule_6(self, d: Dealing) -> bool:
        """Whether this is broken: only open dealings have no price."""
        return (d["status"] == "open") != (d["price"] is None)

    def _breaks_rule_7(self, d: Dealing) -> bool:
        """Whether this is broken: redemptions of a dealing never exceed its gate."""
        return (
            d["gate_units"] is not None
            and sum(
                o["dealt_units"]
                for o in self._orders_by_dealing_side.get((d["id"], "redeem"), {}).values()
            ) > d["gate_units"]
        )

    def _breaks_rule_8(self, o: Order) -> bool:
        """Whether this is broken: a settled dealing has no order left that was placed."""
        return o["status"] == "placed" and self.dealings[o["dealing_id"]]["status"] == "settled"

    def _breaks_rule_9_o(self, o: Order) -> bool:
        """Whether this is broken: only investors who were checked subscribe or hold units."""
        return (
            o["side"] == "subscribe"
            and o["status"] == "placed"
            and not self.investors[o["investor_id"]]["checked"]
        )

    def _breaks_rule_9_h(self, h: Holding) -> bool:
        """Whether this is broken: only investors who were checked subscribe or hold units."""
        return h["units"] > 0 and not self.investors[h["investor_id"]]["checked"]

    def _breaks_rule_10_p(self, p: Payout) -> bool:
        """Whether this is broken: a holding gets one payout of a distribution, and only of its own fund."""
        return any(
            other_p is not p
            for other_p in self._payouts_by_distribution_holding.get(
                (p["distribution_id"], p["holding_id"]),
                {},
            ).values()
        )

    def _breaks_rule_10_p_again(self, p: Payout) -> bool:
        """Whether this is broken: a holding gets one payout of a distribution, and only of its own fund."""
        return self.holdings[p["holding_id"]]["fund_id"] != self.distributions[p["distribution_id"]]["fund_id"]

    def _breaks_rule_11(self, x: Distribution) -> bool:
        """Whether this is broken: a fund has one distribution at a time that is not paid."""
        return (
            x["status"] == "declared"
            and any(
                other_x is not x
                for other_x in self._distributions_by_fund_status.get((x["fund_id"], "declared"), {}).values()
            )
        )

    def _breaks_rule_12(self, p: Payout) -> bool:
        """Whether this is broken: all payouts of a paid distribution are made."""
        return self.distributions[p["distribution_id"]]["status"] == "paid" and p["paid_as"] is None

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
            case "dealings":
                self._dealings_by_fund.setdefault(record["fund_id"], {})[record["id"]] = record
                self._dealings_by_fund_status.setdefault((record["fund_id"], record["status"]), {})[record["id"]] = record
            case "holdings":
                self._holdings_by_fund.setdefault(record["fund_id"], {})[record["id"]] = record
                self._holdings_by_investor.setdefault(record["investor_id"], {})[record["id"]] = record
                self._holdings_by_investor_fund.setdefault(
                    (record["investor_id"], record["fund_id"]),
                    {},
                )[record["id"]] = record
            case "orders":
                self._orders_by_dealing.setdefault(record["dealing_id"], {})[record["id"]] = record
                self._orders_by_dealing_side.setdefault((record["dealing_id"], record["side"]), {})[record["id"]] = record
                self._orders_by_dealing_side_status.setdefault(
                    (record["dealing_id"], record["side"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_dealing_status.setdefault(
                    (record["dealing_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_investor_side_status.setdefault(
                    (record["investor_id"], record["side"], record["status"]),
                    {},
                )[record["id"]] = record
                self._orders_by_investor_status.setdefault(
                    (record["investor_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "distributions":
                self._distributions_by_fund_status.setdefault(
                    (record["fund_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "payouts":
                self._payouts_by_distribution.setdefault(record["distribution_id"], {})[record["id"]] = record
                self._payouts_by_distribution_holding.setdefault(
                    (record["distribution_id"], record["holding_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "dealings":
                del self._dealings_by_fund[record["fund_id"]][record["id"]]
                del self._dealings_by_fund_status[record["fund_id"], record["status"]][record["id"]]
            case "holdings":
                del self._holdings_by_fund[record["fund_id"]][record["id"]]
                del self._holdings_by_investor[record["investor_id"]][record["id"]]
                del self._holdings_by_investor_fund[record["investor_id"], record["fund_id"]][record["id"]]
            case "orders":
                del self._orders_by_dealing[record["dealing_id"]][record["id"]]
                del self._orders_by_dealing_side[record["dealing_id"], record["side"]][record["id"]]
                del self._orders_by_dealing_side_status[
                    record["dealing_id"],
                    record["side"],
                    record["status"],
                ][record["id"]]
                del self._orders_by_dealing_status[record["dealing_id"], record["status"]][record["id"]]
                del self._orders_by_investor_side_status[
                    record["investor_id"],
                    record["side"],
                    record["status"],
                ][record["id"]]
                del self._orders_by_investor_status[record["investor_id"], record["status"]][record["id"]]
            case "distributions":
                del self._distributions_by_fund_status[record["fund_id"], record["status"]][record["id"]]
            case "payouts":
                del self._payouts_by_distribution[record["distribution_id"]][record["id"]]
                del self._payouts_by_distribution_holding[record["distribution_id"], record["holding_id"]][record["id"]]
