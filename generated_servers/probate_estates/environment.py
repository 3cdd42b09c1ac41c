"""Estates. Compiled from blueprint.yaml; run `envscaler build probate_estates` after changing it there.

Settles the estates of people who have died, with assets that are valued, sold or given, debts paid by rank,
court orders, and heirs who get their shares with lifetime gifts taken into account.
"""

from __future__ import annotations

from calendar import monthrange
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
    "The cash of an estate is never negative.",
    "A debt is paid only when every admitted debt of a better rank is paid in full.",
    "Admitted debts are paid, and no more than is owed.",
    "Nothing is distributed before every claim is decided and every debt is paid.",
    "Heirs receive something only once the court has allowed it.",
    "No heir receives more than the share, with gifts made before death counted in.",
    "A house is sold with an order of the court only.",
    "Nothing is sold for less than nine tenths of its value.",
    "What is sold has a price, what is given has an heir of the same estate.",
    "One request at a time is before the court about an asset, or about the distribution of an estate.",
    "A closed estate holds nothing any more.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "value_asset",
    "sell_asset",
    "give_asset",
    "claim_debt",
    "decide_claim",
    "pay_debt",
    "ask_court",
    "note_order",
    "pay_heir",
    "close_estate",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "estates": ("name",),
    "relatives": ("name",),
    "heirs": (),
    "assets": ("what",),
    "debts": (),
    "payments": (),
    "distributions": (),
    "court_orders": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("assets", "estate_id"),
    ("assets", "given_to_id"),
    ("assets", "status"),
    ("court_orders", "asset_id"),
    ("court_orders", "estate_id"),
    ("court_orders", "status"),
    ("debts", "estate_id"),
    ("debts", "status"),
    ("distributions", "heir_id"),
    ("heirs", "estate_id"),
    ("heirs", "relative_id"),
    ("payments", "debt_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Estate(TypedDict):
    id: str
    name: str
    died_on: str
    cash_found: int
    status: Literal["open", "distributing", "closed"]


class Relative(TypedDict):
    id: str
    name: str


class Heir(TypedDict):
    id: str
    estate_id: str
    relative_id: str
    parts: int
    gift_before: int


class Asset(TypedDict):
    id: str
    what: str
    estate_id: str
    kind: Literal["house", "securities", "chattel"]
    promised_to_id: str | None
    valued_at: int | None
    sold_for: int | None
    given_to_id: str | None
    status: Literal["held", "sold", "given"]


class Debt(TypedDict):
    id: str
    estate_id: str
    creditor: str
    amount: int
    rank: int
    status: Literal["claimed", "admitted", "rejected"]


class Payment(TypedDict):
    id: str
    debt_id: str
    amount: int
    on: str


class Distribution(TypedDict):
    id: str
    heir_id: str
    amount: int
    on: str


class CourtOrder(TypedDict):
    id: str
    estate_id: str
    asset_id: str | None
    asked_on: str
    status: Literal["asked", "granted", "refused"]


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


class ProbateEstates:
    """Settles the estates of people who have died, with assets that are valued, sold or given, debts paid
    by rank, court orders, and heirs who get their shares with lifetime gifts taken into account.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.estates: dict[str, Estate] = _copied(config.get("estates", {}))
        self.relatives: dict[str, Relative] = _copied(config.get("relatives", {}))
        self.heirs: dict[str, Heir] = _copied(config.get("heirs", {}))
        self.assets: dict[str, Asset] = _copied(config.get("assets", {}))
        self.debts: dict[str, Debt] = _copied(config.get("debts", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.distributions: dict[str, Distribution] = _copied(config.get("distributions", {}))
        self.court_orders: dict[str, CourtOrder] = _copied(config.get("court_orders", {}))
        self.now: str = config.get("now", "2026-05-12T11:00")
        self.counters: dict[str, int] = {
            "estate": len(self.estates),
            "relative": len(self.relatives),
            "heir": len(self.heirs),
            "asset": len(self.assets),
            "debt": len(self.debts),
            "payment": len(self.payments),
            "distribution": len(self.distributions),
            "court_order": len(self.court_orders),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._heirs_by_estate: dict[Any, dict[str, Heir]] = {}
        self._heirs_by_estate_relative: dict[Any, dict[str, Heir]] = {}
        self._assets_by_estate: dict[Any, dict[str, Asset]] = {}
        self._assets_by_estate_status: dict[Any, dict[str, Asset]] = {}
        self._assets_by_given_to: dict[Any, dict[str, Asset]] = {}
        self._debts_by_estate: dict[Any, dict[str, Debt]] = {}
        self._debts_by_estate_status: dict[Any, dict[str, Debt]] = {}
        self._payments_by_debt: dict[Any, dict[str, Payment]] = {}
        self._distributions_by_heir: dict[Any, dict[str, Distribution]] = {}
        self._court_orders_by_asset_status: dict[Any, dict[str, CourtOrder]] = {}
        self._court_orders_by_estate_asset_status: dict[Any, dict[str, CourtOrder]] = {}
        for heir in self.heirs.values():
            self._link("heirs", heir)
        for asset in self.assets.values():
            self._link("assets", asset)
        for debt in self.debts.values():
            self._link("debts", debt)
        for payment in self.payments.values():
            self._link("payments", payment)
        for distribution in self.distributions.values():
            self._link("distributions", distribution)
        for court_order in self.court_orders.values():
            self._link("court_orders", court_order)

    def debts_by_rank(self, estate_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The claims against an estate that are not rejected, in the order in which they are paid.

        Args:
            estate_id (str): Id of the estate, such as ESTATE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "debts": records}} or {"success": False, "error": why
                not}
        """
        estate = self.estates.get(estate_id)
        if estate is None:
            return _refused(f"There is no estate {estate_id!r}.")
        found = [
            d
            for d in self._debts_by_estate.get(estate_id, {}).values()
            if (d["estate_id"] == estate_id and d["status"] != "rejected")
        ]
        found.sort(key=lambda d: (d["rank"], d["creditor"], _age(d)))
        return _found(
            {
                "total": len(found),
                "debts": [
                    {
                        "id": d["id"],
                        "creditor": d["creditor"],
                        "rank": d["rank"],
                        "amount": d["amount"],
                        "left": self._debt_left(d),
                        "status": d["status"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def shares(self, estate_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What the heirs of an estate are entitled to and what they have had, gifts before death included.

        Args:
            estate_id (str): Id of the estate, such as ESTATE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "heirs": records}} or {"success": False, "error": why
                not}
        """
        estate = self.estates.get(estate_id)
        if estate is None:
            return _refused(f"There is no estate {estate_id!r}.")
        found = [h for h in self._heirs_by_estate.get(estate_id, {}).values()]
        found.sort(key=lambda h: (self.relatives[h["relative_id"]]["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "heirs": [
                    {
                        "id": h["id"],
                        "heir": self.relatives[h["relative_id"]]["name"],
                        "parts": h["parts"],
                        "entitled": self._heir_entitled(h),
                        "received": self._heir_received(h),
                        "still": self._share_left(h),
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def standing(self, estate_id: str) -> Result:
        """How an estate stands.

        Args:
            estate_id (str): Id of the estate, such as ESTATE-00001.

        Returns:
            dict: {"success": True, "data": {status, cash, owed, undecided_claims, free_assets, too_little}} or
                {"success": False, "error": why not}
        """
        estate = self.estates.get(estate_id)
        if estate is None:
            return _refused(f"There is no estate {estate_id!r}.")
        return _found(
            {
                "status": estate["status"],
                "cash": self._estate_cash(estate),
                "owed": self._owed(estate),
                "undecided_claims": len(self._debts_by_estate_status.get((estate_id, "claimed"), {})),
                "free_assets": self._free_value(estate),
                "too_little": self._short(estate),
            }
        )

    def list_estates(
        self,
        name: Text | None = None,
        status: Literal["open", "distributing", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the estates, oldest first, all of them or only some.

        Args:
            name (str, optional): Only estates whose name contains this text.
            status (str, optional): Only estates with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "estates": records}}
        """
        found = [
            estate
            for estate in self.estates.values()
            if (name is None or name.casefold() in estate["name"].casefold())
            and (status is None or estate["status"] == status)
        ]
        return _found(
            {"total": len(found), "estates": [self._show_estate(estate) for estate in _page(found, offset)]}
        )

    def list_relatives(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the relatives, oldest first, all of them or only some.

        Args:
            name (str, optional): Only relatives whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "relatives": records}}
        """
        found = [
            relative
            for relative in self.relatives.values()
            if (name is None or name.casefold() in relative["name"].casefold())
        ]
        return _found({"total": len(found), "relatives": [{**relative} for relative in _page(found, offset)]})

    def list_heirs(
        self,
        estate_id: str | None = None,
        relative_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the heirs, oldest first, all of them or only some.

        Args:
            estate_id (str, optional): Only heirs of this estate.
            relative_id (str, optional): Only heirs of this relative.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "heirs": records}}
        """
        if estate_id is not None and estate_id not in self.estates:
            return _refused(f"There is no estate {estate_id!r}.")
        if relative_id is not None and relative_id not in self.relatives:
            return _refused(f"There is no relative {relative_id!r}.")
        found = [
            heir
            for heir in self.heirs.values()
            if (estate_id is None or heir["estate_id"] == estate_id)
            and (relative_id is None or heir["relative_id"] == relative_id)
        ]
        shown = [self._show_heir(heir) for heir in _page(found, offset)]
        return _found({"total": len(found), "heirs": shown}, self._names_of_heirs(shown))

    def list_assets(
        self,
        what: Text | None = None,
        estate_id: str | None = None,
        kind: Literal["house", "securities", "chattel"] | None = None,
        promised_to_id: str | None = None,
        given_to_id: str | None = None,
        status: Literal["held", "sold", "given"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the assets, oldest first, all of them or only some.

        Args:
            what (str, optional): Only assets whose what contains this text.
            estate_id (str, optional): Only assets of this estate.
            kind (str, optional): Only assets with this kind.
            promised_to_id (str, optional): Only assets promised to this relative.
            given_to_id (str, optional): Only assets given to this heir.
            status (str, optional): Only assets with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assets": records}}
        """
        if estate_id is not None and estate_id not in self.estates:
            return _refused(f"There is no estate {estate_id!r}.")
        if promised_to_id is not None and promised_to_id not in self.relatives:
            return _refused(f"There is no relative {promised_to_id!r}.")
        if given_to_id is not None and given_to_id not in self.heirs:
            return _refused(f"There is no heir {given_to_id!r}.")
        found = [
            asset
            for asset in self.assets.values()
            if (what is None or what.casefold() in asset["what"].casefold())
            and (estate_id is None or asset["estate_id"] == estate_id)
            and (kind is None or asset["kind"] == kind)
            and (promised_to_id is None or asset["promised_to_id"] == promised_to_id)
            and (given_to_id is None or asset["given_to_id"] == given_to_id)
            and (status is None or asset["status"] == status)
        ]
        shown = [{**asset} for asset in _page(found, offset)]
        return _found({"total": len(found), "assets": shown}, self._names_of_assets(shown))

    def list_debts(
        self,
        estate_id: str | None = None,
        status: Literal["claimed", "admitted", "rejected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the debts, oldest first, all of them or only some.

        Args:
            estate_id (str, optional): Only debts of this estate.
            status (str, optional): Only debts with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "debts": records}}
        """
        if estate_id is not None and estate_id not in self.estates:
            return _refused(f"There is no estate {estate_id!r}.")
        found = [
            debt
            for debt in self.debts.values()
            if (estate_id is None or debt["estate_id"] == estate_id)
            and (status is None or debt["status"] == status)
        ]
        shown = [self._show_debt(debt) for debt in _page(found, offset)]
        return _found({"total": len(found), "debts": shown}, self._names_of_debts(shown))

    def list_payments(
        self,
        debt_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            debt_id (str, optional): Only payments of this debt.
            on_from (str, optional): Only payments whose `on` is on this day or later.
            on_to (str, optional): Only payments whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if debt_id is not None and debt_id not in self.debts:
            return _refused(f"There is no debt {debt_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (debt_id is None or payment["debt_id"] == debt_id)
            and (on_from is None or payment["on"] >= on_from)
            and (on_to is None or payment["on"] <= on_to)
        ]
        return _found({"total": len(found), "payments": [{**payment} for payment in _page(found, offset)]})

    def list_distributions(
        self,
        heir_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the distributions, oldest first, all of them or only some.

        Args:
            heir_id (str, optional): Only distributions of this heir.
            on_from (str, optional): Only distributions whose `on` is on this day or later.
            on_to (str, optional): Only distributions whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "distributions": records}}
        """
        if heir_id is not None and heir_id not in self.heirs:
            return _refused(f"There is no heir {heir_id!r}.")
        found = [
            distribution
            for distribution in self.distributions.values()
            if (heir_id is None or distribution["heir_id"] == heir_id)
            and (on_from is None or distribution["on"] >= on_from)
            and (on_to is None or distribution["on"] <= on_to)
        ]
        return _found(
            {"total": len(found), "distributions": [{**distribution} for distribution in _page(found, offset)]}
        )

    def list_court_orders(
        self,
        estate_id: str | None = None,
        asset_id: str | None = None,
        status: Literal["asked", "granted", "refused"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the court orders, oldest first, all of them or only some.

        Args:
            estate_id (str, optional): Only court orders of this estate.
            asset_id (str, optional): Only court orders of this asset.
            status (str, optional): Only court orders with this status.
            asked_on_from (str, optional): Only court orders whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only court orders whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "court_orders": records}}
        """
        if estate_id is not None and estate_id not in self.estates:
            return _refused(f"There is no estate {estate_id!r}.")
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [
            court_order
            for court_order in self.court_orders.values()
            if (estate_id is None or court_order["estate_id"] == estate_id)
            and (asset_id is None or court_order["asset_id"] == asset_id)
            and (status is None or court_order["status"] == status)
            and (asked_on_from is None or court_order["asked_on"] >= asked_on_from)
            and (asked_on_to is None or court_order["asked_on"] <= asked_on_to)
        ]
        shown = [{**court_order} for court_order in _page(found, offset)]
        return _found({"total": len(found), "court_orders": shown}, self._names_of_court_orders(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def value_asset(self, asset_id: str, value: Annotated[int, {"minimum": 0, "maximum": 200000000}]) -> Result:
        """Enter the value of an asset as an expert sees it, or a new value as long as it is held.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            value (int): What the asset is worth as a whole, in cents, from 0 to 200000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "held":
            return _refused(f"{asset['what']} is {asset['status']}.")
        if self.estates[asset["estate_id"]]["status"] != "open":
            return _refused(
                f"The estate of {self.estates[asset['estate_id']]['name']} is "
                f"{self.estates[asset['estate_id']]['status']}, so values are fixed."
            )
        if asset["valued_at"] is not None and asset["valued_at"] == value:
            return _refused(f"{asset['what']} is valued like that already.")
        self._journal = []
        self._put("assets", asset, "valued_at", value)
        for one_heir in _distinct(
            [self.heirs.get(asset["given_to_id"]), *self._heirs_by_estate.get(asset["estate_id"], {}).values()]
        ):
            if self._breaks_rule_6(one_heir):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(asset):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: value {asset['what']} of {self.estates[asset['estate_id']]['name']} at {_money(value)}."
            ),
            "data": self._changes(),
        }

    def sell_asset(self, asset_id: str, price: Annotated[int, {"minimum": 1, "maximum": 300000000}]) -> Result:
        """Sell an asset; one that was promised is sold only where the debts cannot be paid otherwise, or where it is
        worth more than what the heir is still entitled to.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            price (int): What the buyer pays, at least nine tenths of the value, in cents, from 1 to 300000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "held":
            return _refused(f"{asset['what']} is {asset['status']}.")
        if asset["valued_at"] is None:
            return _refused(f"{asset['what']} has not been valued.")
        if price < self._lowest_price(asset):
            return _refused(f"{asset['what']} is not sold for less than {_money(self._lowest_price(asset))}.")
        taker = next(
            (
                h
                for h in sorted(
                    self._heirs_by_estate_relative.get((asset["estate_id"], asset["promised_to_id"]), {}).values(),
                    key=_age,
                )
                if asset["promised_to_id"] is not None
                and asset["valued_at"] <= self._share_left(h)
            ),
            None,
        )
        if not (
            asset["promised_to_id"] is None
            or self._short(self.estates[asset["estate_id"]])
            or self.estates[asset["estate_id"]]["status"] == "distributing"
            and taker is None
        ):
            return _refused(
                f"{asset['what']} is promised to {self.relatives[asset['promised_to_id']]['name']}, and it need "
                "not be sold."
            )
        if not (asset["kind"] != "house" or bool(self._court_orders_by_asset_status.get((asset_id, "granted"), {}))):
            return _refused(f"The court has not allowed the sale of {asset['what']}.")
        if self.estates[asset["estate_id"]]["status"] == "distributing" and price < asset["valued_at"]:
            return _refused(
                f"During the distribution {asset['what']} is sold for {_money(asset['valued_at'])} at least."
            )
        self._journal = []
        self._put("assets", asset, "sold_for", price)
        self._put("assets", asset, "status", "sold")
        if self._breaks_rule_1(self.estates[asset["estate_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_5_a(asset):
            return self._take_back(RULES[4])
        for one_heir in _distinct(self._heirs_by_estate.get(asset["estate_id"], {}).values()):
            if self._breaks_rule_6(one_heir):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(asset):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(asset):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(asset):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.estates[asset["estate_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: sell {asset['what']} of {self.estates[asset['estate_id']]['name']} for {_money(price)}."
            ),
            "data": self._changes(),
        }

    def give_asset(self, asset_id: str, heir_id: str) -> Result:
        """Give an asset to an heir on account of the share.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            heir_id (str): Id of the heir, such as HEIR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        heir = self.heirs.get(heir_id)
        if heir is None:
            return _refused(f"There is no heir {heir_id!r}.")
        if asset["status"] != "held":
            return _refused(f"{asset['what']} is {asset['status']}.")
        if asset["valued_at"] is None:
            return _refused(f"{asset['what']} has not been valued.")
        if heir["estate_id"] != asset["estate_id"]:
            return _refused(
                f"{self.relatives[heir['relative_id']]['name']} does not inherit from "
                f"{self.estates[asset['estate_id']]['name']}."
            )
        if self.estates[asset["estate_id"]]["status"] != "distributing":
            return _refused(
                f"The court has not allowed the distribution for {self.estates[asset['estate_id']]['name']}."
            )
        if asset["promised_to_id"] is not None and asset["promised_to_id"] != heir["relative_id"]:
            return _refused(f"{asset['what']} is promised to {self.relatives[asset['promised_to_id']]['name']}.")
        if asset["valued_at"] > self._share_left(heir):
            return _refused(
                f"{self.relatives[heir['relative_id']]['name']} is still entitled to "
                f"{_money(self._share_left(heir))}, not to {_money(asset['valued_at'])}."
            )
        self._journal = []
        former_given_to_id = asset["given_to_id"]
        self._put("assets", asset, "given_to_id", heir_id)
        self._put("assets", asset, "status", "given")
        if self._breaks_rule_5_a(asset):
            return self._take_back(RULES[4])
        for one_heir in _distinct(
            [
                self.heirs.get(asset["given_to_id"]),
                self.heirs.get(former_given_to_id),
                *self._heirs_by_estate.get(asset["estate_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_heir):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(asset):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(asset):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.estates[asset["estate_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give {asset['what']} to {self.relatives[heir['relative_id']]['name']}.",
            "data": self._changes(),
        }

    def claim_debt(
        self,
        estate_id: str,
        creditor: Text,
        amount: Annotated[int, {"minimum": 1000, "maximum": 90000000}],
        rank: Annotated[int, {"minimum": 1, "maximum": 5}],
    ) -> Result:
        """Take down what a creditor claims, with its rank (1 funeral, 2 costs, 3 taxes, 4 secured, 5 others).

        Args:
            estate_id (str): Id of the estate, such as ESTATE-00001.
            creditor (str): Name of the creditor, who has no other claim against the estate.
            amount (int): What the creditor claims, in cents, from 1000 to 90000000.
            rank (int): Rank for payment, 1 funeral, 2 costs, 3 taxes, 4 secured, 5 others, from 1 to 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        estate = self.estates.get(estate_id)
        if estate is None:
            return _refused(f"There is no estate {estate_id!r}.")
        if estate["status"] != "open":
            return _refused(f"The estate of {estate['name']} is {estate['status']}; claims come too late.")
        if any(
            d["status"] != "rejected"
            for d in self._debts_by_estate.get(estate_id, {}).values()
            if d["creditor"].lower() == creditor.lower()
        ):
            return _refused(f"{creditor} has a claim against {estate['name']} already.")
        self._journal = []
        debt: Debt = {
            "id": self._new_id("debt", "DEBT", self.debts),
            "estate_id": estate_id,
            "creditor": creditor,
            "amount": amount,
            "rank": rank,
            "status": "claimed",
        }
        self._add("debts", debt)
        if self._breaks_rule_2_a(debt):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(debt):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(debt):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.estates[debt["estate_id"]]):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: take down the claim of {creditor} over {_money(amount)} against {estate['name']} (new: "
                f"debt {debt['id']})."
            ),
            "data": {"debt_id": debt["id"], **self._changes()},
        }

    def decide_claim(self, debt_id: str, admit: bool) -> Result:
        """Admit or reject a claim; one admitted after debts of a later rank were paid moves behind those.

        Args:
            debt_id (str): Id of the debt, such as DEBT-00001.
            admit (bool): Whether to admit the claim, false rejecting it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        debt = self.debts.get(debt_id)
        if debt is None:
            return _refused(f"There is no debt {debt_id!r}.")
        if debt["status"] != "claimed":
            return _refused(f"The claim of {debt['creditor']} is {debt['status']}.")
        self._journal = []
        changed_debts: list[Any] = []
        changed_debts_2: list[Any] = []
        if admit:
            rank = max(debt["rank"], self._last_paid_rank(self.estates[debt["estate_id"]]))
            if not 1 <= rank <= 9:
                return self._take_back(f"The rank of {debt['id']} must be between 1 and 9.")
            changed_debts.append(debt)
            self._put("debts", debt, "rank", rank)
            changed_debts_2.append(debt)
            self._put("debts", debt, "status", "admitted")
        else:
            if debt["status"] not in ("claimed", "rejected"):
                return self._take_back(f"Debt {debt['id']} cannot go from {debt['status']} to rejected.")
            changed_debts_2.append(debt)
            self._put("debts", debt, "status", "rejected")
        for one_debt in _distinct(changed_debts):
            if self._breaks_rule_2_a(one_debt):
                return self._take_back(RULES[1])
        for one_debt in _distinct([*changed_debts, *changed_debts_2]):
            if self._breaks_rule_2_b(one_debt):
                return self._take_back(RULES[1])
        for one_debt in _distinct(changed_debts_2):
            if self._breaks_rule_3(one_debt):
                return self._take_back(RULES[2])
        for one_estate in _distinct([self.estates[one["estate_id"]] for one in changed_debts_2]):
            if self._breaks_rule_4(one_estate):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: decide the claim of {debt['creditor']} against {self.estates[debt['estate_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def pay_debt(self, debt_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 90000000}]) -> Result:
        """Pay an admitted debt, or part of it, after those of better rank.

        Args:
            debt_id (str): Id of the debt, such as DEBT-00001.
            amount (int): What is paid now, no more than is owed and in cash, in cents, from 1 to 90000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        debt = self.debts.get(debt_id)
        if debt is None:
            return _refused(f"There is no debt {debt_id!r}.")
        if debt["status"] != "admitted":
            return _refused(f"The claim of {debt['creditor']} is {debt['status']}.")
        if amount > self._debt_left(debt):
            return _refused(f"{debt['creditor']} is owed {_money(self._debt_left(debt))}.")
        first_one = self._before(debt)
        if first_one is not None:
            return _refused(
                f"{first_one['creditor']} has a better rank and is owed {_money(self._debt_left(first_one))}."
            )
        if amount > self._estate_cash(self.estates[debt["estate_id"]]):
            return _refused(
                f"The estate of {self.estates[debt['estate_id']]['name']} has "
                f"{_money(self._estate_cash(self.estates[debt['estate_id']]))}; sell something first."
            )
        self._journal = []
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "debt_id": debt_id,
            "amount": amount,
            "on": self.now[:10],
        }
        self._add("payments", payment)
        if self._breaks_rule_1(self.estates[self.debts[payment["debt_id"]]["estate_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_a(self.debts[payment["debt_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_b(self.debts[payment["debt_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.debts[payment["debt_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.estates[self.debts[payment["debt_id"]]["estate_id"]]):
            return self._take_back(RULES[3])
        for one_heir in _distinct(
            self._heirs_by_estate.get(self.debts[payment["debt_id"]]["estate_id"], {}).values()
        ):
            if self._breaks_rule_6(one_heir):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(self.estates[self.debts[payment["debt_id"]]["estate_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: pay {_money(amount)} to {debt['creditor']} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def ask_court(self, estate_id: str, asset_id: str | None = None) -> Result:
        """Ask the court to allow the sale of a house, or, from six months after the death on, the distribution of the
        estate where no asset is named.

        Args:
            estate_id (str): Id of the estate, such as ESTATE-00001.
            asset_id (str, optional): House of the estate that is to be sold; an id such as ASSET-00001. If left
                out, the court is asked to allow the distribution of the estate.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        estate = self.estates.get(estate_id)
        if estate is None:
            return _refused(f"There is no estate {estate_id!r}.")
        asset = self.assets.get(asset_id) if asset_id is not None else None
        if asset_id is not None and asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if estate["status"] != "open":
            return _refused(f"The estate of {estate['name']} is {estate['status']}.")
        if not (
            asset_id is None
            or asset["estate_id"] == estate_id
            and asset["kind"] == "house"
            and asset["status"] == "held"
        ):
            return _refused("Only the sale of a house that this estate holds is brought to court.")
        if self._court_orders_by_estate_asset_status.get((estate_id, asset_id, "asked"), {}):
            return _refused("The court is dealing with that already.")
        if self._court_orders_by_estate_asset_status.get((estate_id, asset_id, "granted"), {}):
            return _refused("The court has allowed that already.")
        if not (asset_id is not None or self._undecided(estate) is None and self._owed(estate) == 0):
            return _refused(
                f"Claims against {estate['name']} are undecided, or {_money(self._owed(estate))} is owed."
            )
        if not (
            asset_id is not None
            or not any(
                a["valued_at"] is None
                for a in self._assets_by_estate_status.get((estate_id, "held"), {}).values()
            )
        ):
            return _refused(f"Something that {estate['name']} left has not been valued.")
        if asset_id is None and self.now[:10] < _add_months(estate["died_on"], 6):
            return _refused(
                f"The creditors of {estate['name']} may come forward until {_add_months(estate['died_on'], 6)}."
            )
        self._journal = []
        court_order: CourtOrder = {
            "id": self._new_id("court_order", "CO", self.court_orders),
            "estate_id": estate_id,
            "asset_id": asset_id,
            "asked_on": self.now[:10],
            "status": "asked",
        }
        self._add("court_orders", court_order)
        for one_asset in _distinct([self.assets.get(court_order["asset_id"])]):
            if self._breaks_rule_7(one_asset):
                return self._take_back(RULES[6])
        if self._breaks_rule_10_o(court_order):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_o_again(court_order):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: ask the court about {estate['name']} (new: court order {court_order['id']}).",
            "data": {"court_order_id": court_order["id"], **self._changes()},
        }

    def note_order(self, order_id: str, granted: bool) -> Result:
        """Note what the court decided; an estate whose distribution is allowed is distributed from then on.

        Args:
            order_id (str): Request to the court that it has decided; an id such as CO-00001.
            granted (bool): Whether the court allows it, false refusing it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.court_orders.get(order_id)
        if order is None:
            return _refused(f"There is no court order {order_id!r}.")
        if order["status"] != "asked":
            return _refused(f"The order is {order['status']}.")
        if not (
            not granted
            or order["asset_id"] is not None
            or self._undecided(self.estates[order["estate_id"]]) is None
            and self._owed(self.estates[order["estate_id"]]) == 0
        ):
            return _refused(
                f"There are undecided claims or unpaid debts of {self.estates[order['estate_id']]['name']} again."
            )
        self._journal = []
        changed_court_orders: list[Any] = []
        changed_estates: list[Any] = []
        if granted:
            changed_court_orders.append(order)
            self._put("court_orders", order, "status", "granted")
            if order["asset_id"] is None and self.estates[order["estate_id"]]["status"] == "open":
                estate = self.estates[order["estate_id"]]
                if estate["status"] not in ("open", "distributing"):
                    return self._take_back(
                        f"Estate {estate['name']} cannot go from {estate['status']} to distributing."
                    )
                changed_estates.append(estate)
                self._put("estates", estate, "status", "distributing")
        else:
            if order["status"] not in ("asked", "refused"):
                return self._take_back(f"Court order {order['id']} cannot go from {order['status']} to refused.")
            changed_court_orders.append(order)
            self._put("court_orders", order, "status", "refused")
        for one_estate in _distinct(changed_estates):
            if self._breaks_rule_4(one_estate):
                return self._take_back(RULES[3])
        for one_distribution in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_estates
                    for user in self._heirs_by_estate.get(one["id"], {}).values()
                ]
                for user in self._distributions_by_heir.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_d(one_distribution):
                return self._take_back(RULES[4])
        for one_asset in _distinct(
            [
                user
                for one in changed_estates
                for user in self._assets_by_estate_status.get((one["id"], "given"), {}).values()
            ]
        ):
            if self._breaks_rule_5_a(one_asset):
                return self._take_back(RULES[4])
        for one_asset in _distinct([self.assets.get(one["asset_id"]) for one in changed_court_orders]):
            if self._breaks_rule_7(one_asset):
                return self._take_back(RULES[6])
        for one_court_order in _distinct(changed_court_orders):
            if self._breaks_rule_10_o(one_court_order):
                return self._take_back(RULES[9])
        for one_estate in _distinct(changed_estates):
            if self._breaks_rule_11(one_estate):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: note the order about {self.estates[order['estate_id']]['name']}.",
            "data": self._changes(),
        }

    def pay_heir(self, heir_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 90000000}]) -> Result:
        """Pay an heir money on account of the share.

        Args:
            heir_id (str): Id of the heir, such as HEIR-00001.
            amount (int): What is paid now, no more than the share still due and the cash, in cents, from 1 to
                90000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        heir = self.heirs.get(heir_id)
        if heir is None:
            return _refused(f"There is no heir {heir_id!r}.")
        if self.estates[heir["estate_id"]]["status"] != "distributing":
            return _refused(
                f"The estate of {self.estates[heir['estate_id']]['name']} is "
                f"{self.estates[heir['estate_id']]['status']}."
            )
        if amount > self._share_left(heir):
            return _refused(
                f"{self.relatives[heir['relative_id']]['name']} is still entitled to "
                f"{_money(self._share_left(heir))}."
            )
        if amount > self._estate_cash(self.estates[heir["estate_id"]]):
            return _refused(
                f"The estate of {self.estates[heir['estate_id']]['name']} has "
                f"{_money(self._estate_cash(self.estates[heir['estate_id']]))}."
            )
        self._journal = []
        distribution: Distribution = {
            "id": self._new_id("distribution", "DISTRIBUTION", self.distributions),
            "heir_id": heir_id,
            "amount": amount,
            "on": self.now[:10],
        }
        self._add("distributions", distribution)
        if self._breaks_rule_1(self.estates[self.heirs[distribution["heir_id"]]["estate_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_5_d(distribution):
            return self._take_back(RULES[4])
        for one_heir in _distinct(
            [
                self.heirs[distribution["heir_id"]],
                *self._heirs_by_estate.get(self.heirs[distribution["heir_id"]]["estate_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_6(one_heir):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(self.estates[self.heirs[distribution["heir_id"]]["estate_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: pay {_money(amount)} to {self.relatives[heir['relative_id']]['name']} (new: distribution "
                f"{distribution['id']})."
            ),
            "data": {"distribution_id": distribution["id"], **self._changes()},
        }

    def close_estate(self, estate_id: str) -> Result:
        """Close an estate that holds nothing any more but less than a dollar.

        Args:
            estate_id (str): Id of the estate, such as ESTATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        estate = self.estates.get(estate_id)
        if estate is None:
            return _refused(f"There is no estate {estate_id!r}.")
        if estate["status"] != "distributing":
            return _refused(f"The estate of {estate['name']} is {estate['status']}.")
        rest = next(
            (a for a in sorted(self._assets_by_estate_status.get((estate_id, "held"), {}).values(), key=_age)),
            None,
        )
        if rest is not None:
            return _refused(f"{rest['what']} is still held.")
        if self._estate_cash(estate) >= 100:
            return _refused(f"{_money(self._estate_cash(estate))} has not been distributed.")
        self._journal = []
        self._put("estates", estate, "status", "closed")
        if self._breaks_rule_4(estate):
            return self._take_back(RULES[3])
        for one_distribution in _distinct(
            [
                user
                for one in self._heirs_by_estate.get(estate["id"], {}).values()
                for user in self._distributions_by_heir.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5_d(one_distribution):
                return self._take_back(RULES[4])
        for one_asset in _distinct(self._assets_by_estate_status.get((estate["id"], "given"), {}).values()):
            if self._breaks_rule_5_a(one_asset):
                return self._take_back(RULES[4])
        if self._breaks_rule_11(estate):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: close the estate of {estate['name']}.", "data": self._changes()}

    def _show_estate(self, estate: Estate) -> dict[str, Any]:
        """The estate as an answer shows it."""
        return {**estate, "cash": self._estate_cash(estate), "pot": self._estate_pot(estate)}

    def _show_heir(self, heir: Heir) -> dict[str, Any]:
        """The heir as an answer shows it."""
        return {**heir, "received": self._heir_received(heir), "entitled": self._heir_entitled(heir)}

    def _show_debt(self, debt: Debt) -> dict[str, Any]:
        """The debt as an answer shows it."""
        return {**debt, "paid": self._debt_paid(debt), "left": self._debt_left(debt)}

    def _names_of_heirs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that heirs point to."""
        return _names(
            (self.estates, "name", [row["estate_id"] for row in shown]),
            (self.relatives, "name", [row["relative_id"] for row in shown]),
        )

    def _names_of_assets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that assets point to."""
        return _names(
            (self.estates, "name", [row["estate_id"] for row in shown]),
            (self.relatives, "name", [row["promised_to_id"] for row in shown]),
        )

    def _names_of_debts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that debts point to."""
        return _names((self.estates, "name", [row["estate_id"] for row in shown]))

    def _names_of_court_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that court orders point to."""
        return _names(
            (self.estates, "name", [row["estate_id"] for row in shown]),
            (self.assets, "what", [row["asset_id"] for row in shown]),
        )

    def _estate_cash(self, estate: Estate) -> int:
        """The cash of an estate."""
        return (
            estate["cash_found"]
            + sum(
                a["sold_for"]
                if a["sold_for"] is not None
                else 0
                for a in self._assets_by_estate.get(estate["id"], {}).values()
            )
            - sum(
                p["amount"]
                for _debt in self._debts_by_estate.get(estate["id"], {}).values()
                for p in self._payments_by_debt.get(_debt["id"], {}).values()
            )
            - sum(
                d["amount"]
                for _heir in self._heirs_by_estate.get(estate["id"], {}).values()
                for d in self._distributions_by_heir.get(_heir["id"], {}).values()
            )
        )

    def _estate_pot(self, estate: Estate) -> int:
        """The pot of an estate."""
        return (
            self._estate_cash(estate)
            + sum(
                d["amount"]
                for _heir in self._heirs_by_estate.get(estate["id"], {}).values()
                for d in self._distributions_by_heir.get(_heir["id"], {}).values()
            )
            + sum(
                a["valued_at"]
                if a["valued_at"] is not None
                else 0
                for a in self._assets_by_estate.get(estate["id"], {}).values()
                if a["status"] != "sold"
            )
            + sum(h["gift_before"] for h in self._heirs_by_estate.get(estate["id"], {}).values())
        )

    def _heir_received(self, heir: Heir) -> int:
        """The received of a heir."""
        return (
            heir["gift_before"]
            + sum(d["amount"] for d in self._distributions_by_heir.get(heir["id"], {}).values())
            + sum(
                a["valued_at"]
                if a["valued_at"] is not None
                else 0
                for a in self._assets_by_given_to.get(heir["id"], {}).values()
            )
        )

    def _heir_entitled(self, heir: Heir) -> int:
        """The entitled of a heir."""
        return floor(
            Fraction(
                self._estate_pot(self.estates[heir["estate_id"]]) * heir["parts"],
                max(1, sum(h["parts"] for h in self._heirs_by_estate.get(heir["estate_id"], {}).values())),
            )
        )

    def _debt_paid(self, debt: Debt) -> int:
        """The paid of a debt."""
        return sum(p["amount"] for p in self._payments_by_debt.get(debt["id"], {}).values())

    def _debt_left(self, debt: Debt) -> int:
        """The left of a debt."""
        return debt["amount"] - self._debt_paid(debt)

    def _owed(self, e: Estate) -> int:
        return sum(self._debt_left(d) for d in self._debts_by_estate_status.get((e["id"], "admitted"), {}).values())

    def _undecided(self, e: Estate) -> Debt | None:
        return next(
            (d for d in sorted(self._debts_by_estate_status.get((e["id"], "claimed"), {}).values(), key=_age)),
            None,
        )

    def _before(self, d: Debt) -> Debt | None:
        return min(
            (
                o
                for o in self._debts_by_estate_status.get((d["estate_id"], "admitted"), {}).values()
                if o["rank"] < d["rank"]
                and self._debt_left(o) > 0
            ),
            key=lambda o: (o["rank"], o["creditor"], _age(o)),
            default=None,
        )

    def _last_paid_rank(self, e: Estate) -> int:
        return (
            max(
                (d["rank"] for d in self._debts_by_estate.get(e["id"], {}).values() if self._debt_paid(d) > 0),
                default=None,
            )
            if max(
                (d["rank"] for d in self._debts_by_estate.get(e["id"], {}).values() if self._debt_paid(d) > 0),
                default=None,
            ) is not None
            else 1
        )

    def _free_value(self, e: Estate) -> int:
        return sum(
            a["valued_at"]
            if a["valued_at"] is not None
            else 0
            for a in self._assets_by_estate_status.get((e["id"], "held"), {}).values()
            if a["promised_to_id"] is None
        )

    def _short(self, e: Estate) -> bool:
        return self._estate_cash(e) + self._free_value(e) < self._owed(e)

    def _share_left(self, h: Heir) -> int:
        return max(0, self._heir_entitled(h) - self._heir_received(h))

    def _lowest_price(self, a: Asset) -> int:
        return ceil(Fraction((a["valued_at"] if a["valued_at"] is not None else 0) * 9, 10))

    def _breaks_rule_1(self, e: Estate) -> bool:
        """Whether this is broken: the cash of an estate is never negative."""
        return self._estate_cash(e) < 0

    def _breaks_rule_2_a(self, a: Debt) -> bool:
        """Whether this is broken: a debt is paid only when every admitted debt of a better rank is paid in full."""
        return any(
            self._debt_paid(a) != 0
            and self._debt_left(b) != 0
            for b in self._debts_by_estate_status.get((a["estate_id"], "admitted"), {}).values()
            if b["rank"] < a["rank"]
        )

    def _breaks_rule_2_b(self, b: Debt) -> bool:
        """Whether this is broken: a debt is paid only when every admitted debt of a better rank is paid in full."""
        return (
            b["status"] == "admitted"
            and any(
                self._debt_paid(a) != 0
                and self._debt_left(b) != 0
                for a in self._debts_by_estate.get(b["estate_id"], {}).values()
                if b["rank"] < a["rank"]
            )
        )

    def _breaks_rule_3(self, d: Debt) -> bool:
        """Whether this is broken: admitted debts are paid, and no more than is owed."""
        return not (self._debt_paid(d) <= d["amount"] and (self._debt_paid(d) == 0 or d["status"] == "admitted"))

    def _breaks_rule_4(self, e: Estate) -> bool:
        """Whether this is broken: nothing is distributed before every claim is decided and every debt is paid."""
        return not (e["status"] == "open" or self._undecided(e) is None and self._owed(e) == 0)

    def _breaks_rule_5_d(self, d: Distribution) -> bool:
        """Whether this is broken: heirs receive something only once the court has allowed it."""
        return self.estates[self.heirs[d["heir_id"]]["estate_id"]]["status"] == "open"

    def _breaks_rule_5_a(self, a: Asset) -> bool:
        """Whether this is broken: heirs receive something only once the court has allowed it."""
        return a["status"] == "given" and self.estates[a["estate_id"]]["status"] == "open"

    def _breaks_rule_6(self, h: Heir) -> bool:
        """Whether this is broken: no heir receives more than the share, with gifts made before death counted in."""
        return self._heir_received(h) != h["gift_before"] and self._heir_received(h) > self._heir_entitled(h)

    def _breaks_rule_7(self, a: Asset) -> bool:
        """Whether this is broken: a house is sold with an order of the court only."""
        return not (
            a["kind"] != "house"
            or a["status"] != "sold"
            or bool(self._court_orders_by_asset_status.get((a["id"], "granted"), {}))
        )

    def _breaks_rule_8(self, a: Asset) -> bool:
        """Whether this is broken: nothing is sold for less than nine tenths of its value."""
        return a["sold_for"] is not None and a["sold_for"] < self._lowest_price(a)

    def _breaks_rule_9(self, a: Asset) -> bool:
        """Whether this is broken: what is sold has a price, what is given has an heir of the same estate."""
        return not (
            (a["status"] == "sold") == (a["sold_for"] is not None)
            and (a["status"] == "given") == (a["given_to_id"] is not None)
            and (a["given_to_id"] is None or self.heirs[a["given_to_id"]]["estate_id"] == a["estate_id"])
        )

    def _breaks_rule_10_o(self, o: CourtOrder) -> bool:
        """Whether this is broken: one request at a time is before the court about an asset, or about the distribution
        of an estate.
        """
        return (
            o["status"] == "asked"
            and any(
                other_o is not o
                for other_o in self._court_orders_by_estate_asset_status.get(
                    (o["estate_id"], o["asset_id"], "asked"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_10_o_again(self, o: CourtOrder) -> bool:
        """Whether this is broken: one request at a time is before the court about an asset, or about the distribution
        of an estate.
        """
        return o["asset_id"] is not None and self.assets[o["asset_id"]]["estate_id"] != o["estate_id"]

    def _breaks_rule_11(self, e: Estate) -> bool:
        """Whether this is broken: a closed estate holds nothing any more."""
        return not (
            e["status"] != "closed"
            or self._estate_cash(e) < 100
            and not self._assets_by_estate_status.get((e["id"], "held"), {})
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
            case "heirs":
                self._heirs_by_estate.setdefault(record["estate_id"], {})[record["id"]] = record
                self._heirs_by_estate_relative.setdefault(
                    (record["estate_id"], record["relative_id"]),
                    {},
                )[record["id"]] = record
            case "assets":
                self._assets_by_estate.setdefault(record["estate_id"], {})[record["id"]] = record
                self._assets_by_estate_status.setdefault(
                    (record["estate_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._assets_by_given_to.setdefault(record["given_to_id"], {})[record["id"]] = record
            case "debts":
                self._debts_by_estate.setdefault(record["estate_id"], {})[record["id"]] = record
                self._debts_by_estate_status.setdefault(
                    (record["estate_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "payments":
                self._payments_by_debt.setdefault(record["debt_id"], {})[record["id"]] = record
            case "distributions":
                self._distributions_by_heir.setdefault(record["heir_id"], {})[record["id"]] = record
            case "court_orders":
                self._court_orders_by_asset_status.setdefault(
                    (record["asset_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._court_orders_by_estate_asset_status.setdefault(
                    (record["estate_id"], record["asset_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "heirs":
                del self._heirs_by_estate[record["estate_id"]][record["id"]]
                del self._heirs_by_estate_relative[record["estate_id"], record["relative_id"]][record["id"]]
            case "assets":
                del self._assets_by_estate[record["estate_id"]][record["id"]]
                del self._assets_by_estate_status[record["estate_id"], record["status"]][record["id"]]
                del self._assets_by_given_to[record["given_to_id"]][record["id"]]
            case "debts":
                del self._debts_by_estate[record["estate_id"]][record["id"]]
                del self._debts_by_estate_status[record["estate_id"], record["status"]][record["id"]]
            case "payments":
                del self._payments_by_debt[record["debt_id"]][record["id"]]
            case "distributions":
                del self._distributions_by_heir[record["heir_id"]][record["id"]]
            case "court_orders":
                del self._court_orders_by_asset_status[record["asset_id"], record["status"]][record["id"]]
                del self._court_orders_by_estate_asset_status[
                    record["estate_id"],
                    record["asset_id"],
                    record["status"],
                ][record["id"]]
