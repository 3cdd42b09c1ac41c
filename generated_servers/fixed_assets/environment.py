"""Fixed assets. Compiled from blueprint.yaml; run `envscaler build fixed_assets` after changing it there.

Keeps the register of a company's fixed assets, with straight-line depreciation month by month, transfers
between sites, impairments, disposals and the physical stock-take.
"""

from __future__ import annotations

from calendar import monthrange
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
    "Depreciation and impairment never take an asset below its residual value.",
    "An asset is charged once for a month.",
    "Depreciation is booked month by month without a gap.",
    "An asset has no more charges than months of life.",
    "Assets in use have a first month, and assets that were only bought have none.",
    "Use begins on the first of a month.",
    "Stock-takes that are open never cover the same site.",
    "An asset is seen once in a stock-take.",
    "What is seen in an open stock-take lies at its site.",
    "Disposed assets have one disposal, and others none.",
    "The result of a disposal is what was received less the book value.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "buy_asset",
    "start_use",
    "book_depreciation",
    "move_assets",
    "impair_asset",
    "change_life",
    "dispose_asset",
    "find_asset",
    "open_stock_take",
    "record_sightings",
    "close_stock_take",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "categories": ("name",),
    "sites": ("name",),
    "assets": ("tag",),
    "charges": (),
    "impairments": (),
    "disposals": (),
    "stock_takes": (),
    "sightings": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("assets", "category_id"),
    ("assets", "site_id"),
    ("assets", "tag"),
    ("charges", "asset_id"),
    ("disposals", "asset_id"),
    ("impairments", "asset_id"),
    ("sightings", "asset_id"),
    ("sightings", "stock_take_id"),
    ("sites", "within_id"),
    ("stock_takes", "site_id"),
    ("stock_takes", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Category(TypedDict):
    id: str
    name: str
    life: int
    residual_percent: int


class Site(TypedDict):
    id: str
    name: str
    within_id: str | None


class Asset(TypedDict):
    id: str
    tag: str
    what: str
    category_id: str
    site_id: str
    cost: int
    residual: int
    brought: int
    months: int
    bought_on: str
    in_use_from: str | None
    status: Literal["bought", "in_use", "missing", "disposed"]


class Charge(TypedDict):
    id: str
    asset_id: str
    month: str
    amount: int


class Impairment(TypedDict):
    id: str
    asset_id: str
    on: str
    amount: int
    reason: str


class Disposal(TypedDict):
    id: str
    asset_id: str
    on: str
    proceeds: int
    result: int


class StockTake(TypedDict):
    id: str
    site_id: str
    opened_on: str
    status: Literal["open", "closed"]


class Sighting(TypedDict):
    id: str
    stock_take_id: str
    asset_id: str
    condition: Literal["good", "worn", "damaged"]


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


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


class FixedAssets:
    """Keeps the register of a company's fixed assets, with straight-line depreciation month by month,
    transfers between sites, impairments, disposals and the physical stock-take.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.categories: dict[str, Category] = _copied(config.get("categories", {}))
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.assets: dict[str, Asset] = _copied(config.get("assets", {}))
        self.charges: dict[str, Charge] = _copied(config.get("charges", {}))
        self.impairments: dict[str, Impairment] = _copied(config.get("impairments", {}))
        self.disposals: dict[str, Disposal] = _copied(config.get("disposals", {}))
        self.stock_takes: dict[str, StockTake] = _copied(config.get("stock_takes", {}))
        self.sightings: dict[str, Sighting] = _copied(config.get("sightings", {}))
        self.now: str = config.get("now", "2026-05-12T10:00")
        self.counters: dict[str, int] = {
            "category": len(self.categories),
            "site": len(self.sites),
            "asset": len(self.assets),
            "charge": len(self.charges),
            "impairment": len(self.impairments),
            "disposal": len(self.disposals),
            "stock_take": len(self.stock_takes),
            "sighting": len(self.sightings),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._sites_by_within: dict[Any, dict[str, Site]] = {}
        self._assets_by_category: dict[Any, dict[str, Asset]] = {}
        self._assets_by_site: dict[Any, dict[str, Asset]] = {}
        self._assets_by_tag: dict[Any, dict[str, Asset]] = {}
        self._charges_by_asset: dict[Any, dict[str, Charge]] = {}
        self._impairments_by_asset: dict[Any, dict[str, Impairment]] = {}
        self._disposals_by_asset: dict[Any, dict[str, Disposal]] = {}
        self._stock_takes_by_site: dict[Any, dict[str, StockTake]] = {}
        self._stock_takes_by_status: dict[Any, dict[str, StockTake]] = {}
        self._sightings_by_asset: dict[Any, dict[str, Sighting]] = {}
        self._sightings_by_stock_take: dict[Any, dict[str, Sighting]] = {}
        self._sightings_by_stock_take_asset: dict[Any, dict[str, Sighting]] = {}
        for site in self.sites.values():
            self._link("sites", site)
        for asset in self.assets.values():
            self._link("assets", asset)
        for charge in self.charges.values():
            self._link("charges", charge)
        for impairment in self.impairments.values():
            self._link("impairments", impairment)
        for disposal in self.disposals.values():
            self._link("disposals", disposal)
        for stock_take in self.stock_takes.values():
            self._link("stock_takes", stock_take)
        for sighting in self.sightings.values():
            self._link("sightings", sighting)

    def to_book(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Categories with the month whose depreciation comes next, and how many assets it concerns.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "categories": records}} or {"success": False, "error":
                why not}
        """
        found = [c for c in self.categories.values() if self._next_run(c) is not None]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "categories": [
                    {
                        "id": c["id"],
                        "name": c["name"],
                        "next_month": self._next_run(c),
                        "assets": sum(
                            1
                            for a in self._assets_by_category.get(c["id"], {}).values()
                            if self._running(a)
                            and self._next_month(a) == self._next_run(c)
                        ),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def unseen_assets(
        self,
        stock_take_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Assets that an open stock-take should find and nobody has seen yet.

        Args:
            stock_take_id (str): Id of the stock take, such as ST-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assets": records}} or {"success": False, "error": why
                not}
        """
        stock_take = self.stock_takes.get(stock_take_id)
        if stock_take is None:
            return _refused(f"There is no stock take {stock_take_id!r}.")
        if stock_take["status"] != "open":
            return _refused(f"The stock-take of {self.sites[stock_take['site_id']]['name']} is closed.")
        found = [
            a
            for a in _distinct(
                [
                    a
                    for key in [
                        stock_take["site_id"],
                        *[
                            record["id"]
                            for record in _below(self._sites_by_within, self.sites[stock_take["site_id"]])
                        ],
                    ]
                    for a in self._assets_by_site.get(key, {}).values()
                ]
            )
            if (self._present(a) and self._covers(self.sites[stock_take["site_id"]], self.sites[a["site_id"]]))
            and not self._sightings_by_stock_take_asset.get((stock_take_id, a["id"]), {})
        ]
        found.sort(key=lambda a: (a["tag"], _age(a)))
        return _found(
            {
                "total": len(found),
                "assets": [
                    {"id": a["id"], "tag": a["tag"], "what": a["what"], "site": self.sites[a["site_id"]]["name"]}
                    for a in _page(found, offset)
                ],
            }
        )

    def site_register(
        self,
        site_id: str,
        category_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What stands at a site and the sites within it, with book values, dearest first.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            category_id (str, optional): Only assets of this category; an id such as CATEGORY-00001. If left out,
                the assets of all categories are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assets": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        category = self.categories.get(category_id) if category_id is not None else None
        if category_id is not None and category is None:
            return _refused(f"There is no category {category_id!r}.")
        found = [
            a
            for a in _distinct(
                [
                    a
                    for key in [site_id, *[record["id"] for record in _below(self._sites_by_within, site)]]
                    for a in self._assets_by_site.get(key, {}).values()
                ]
            )
            if (a["status"] != "disposed" and self._covers(site, self.sites[a["site_id"]]))
            and (category_id is None or a["category_id"] == category_id)
        ]
        found.sort(key=lambda a: (-self._asset_value(a), a["tag"], _age(a)))
        return _found(
            {
                "total": len(found),
                "assets": [
                    {
                        "id": a["id"],
                        "tag": a["tag"],
                        "what": a["what"],
                        "site": self.sites[a["site_id"]]["name"],
                        "status": a["status"],
                        "value": self._asset_value(a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def list_categories(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the categories, oldest first, all of them or only some.

        Args:
            name (str, optional): Only categories whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "categories": records}}
        """
        found = [
            category
            for category in self.categories.values()
            if (name is None or name.casefold() in category["name"].casefold())
        ]
        return _found({"total": len(found), "categories": [{**category} for category in _page(found, offset)]})

    def list_sites(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            within_id (str, optional): Only sites within this site.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        if within_id is not None and within_id not in self.sites:
            return _refused(f"There is no site {within_id!r}.")
        found = [
            site
            for site in self.sites.values()
            if (name is None or name.casefold() in site["name"].casefold())
            and (within_id is None or site["within_id"] == within_id)
        ]
        shown = [self._show_site(site) for site in _page(found, offset)]
        return _found({"total": len(found), "sites": shown}, self._names_of_sites(shown))

    def list_assets(
        self,
        tag: Text | None = None,
        category_id: str | None = None,
        site_id: str | None = None,
        status: Literal["bought", "in_use", "missing", "disposed"] | None = None,
        bought_on_from: Date | None = None,
        bought_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the assets, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only assets whose tag contains this text.
            category_id (str, optional): Only assets of this category.
            site_id (str, optional): Only assets of this site.
            status (str, optional): Only assets with this status.
            bought_on_from (str, optional): Only assets whose `bought_on` is on this day or later.
            bought_on_to (str, optional): Only assets whose `bought_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "assets": records}}
        """
        if category_id is not None and category_id not in self.categories:
            return _refused(f"There is no category {category_id!r}.")
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            asset
            for asset in self.assets.values()
            if (tag is None or tag.casefold() in asset["tag"].casefold())
            and (category_id is None or asset["category_id"] == category_id)
            and (site_id is None or asset["site_id"] == site_id)
            and (status is None or asset["status"] == status)
            and (bought_on_from is None or asset["bought_on"] >= bought_on_from)
            and (bought_on_to is None or asset["bought_on"] <= bought_on_to)
        ]
        shown = [self._show_asset(asset) for asset in _page(found, offset)]
        return _found({"total": len(found), "assets": shown}, self._names_of_assets(shown))

    def list_charges(
        self,
        asset_id: str | None = None,
        month_from: Date | None = None,
        month_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the charges, oldest first, all of them or only some.

        Args:
            asset_id (str, optional): Only charges of this asset.
            month_from (str, optional): Only charges whose `month` is on this day or later.
            month_to (str, optional): Only charges whose `month` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}}
        """
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [
            charge
            for charge in self.charges.values()
            if (asset_id is None or charge["asset_id"] == asset_id)
            and (month_from is None or charge["month"] >= month_from)
            and (month_to is None or charge["month"] <= month_to)
        ]
        shown = [{**charge} for charge in _page(found, offset)]
        return _found({"total": len(found), "charges": shown}, self._names_of_charges(shown))

    def list_impairments(
        self,
        asset_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the impairments, oldest first, all of them or only some.

        Args:
            asset_id (str, optional): Only impairments of this asset.
            on_from (str, optional): Only impairments whose `on` is on this day or later.
            on_to (str, optional): Only impairments whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "impairments": records}}
        """
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [
            impairment
            for impairment in self.impairments.values()
            if (asset_id is None or impairment["asset_id"] == asset_id)
            and (on_from is None or impairment["on"] >= on_from)
            and (on_to is None or impairment["on"] <= on_to)
        ]
        shown = [{**impairment} for impairment in _page(found, offset)]
        return _found({"total": len(found), "impairments": shown}, self._names_of_impairments(shown))

    def list_disposals(
        self,
        asset_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the disposals, oldest first, all of them or only some.

        Args:
            asset_id (str, optional): Only disposals of this asset.
            on_from (str, optional): Only disposals whose `on` is on this day or later.
            on_to (str, optional): Only disposals whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disposals": records}}
        """
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [
            disposal
            for disposal in self.disposals.values()
            if (asset_id is None or disposal["asset_id"] == asset_id)
            and (on_from is None or disposal["on"] >= on_from)
            and (on_to is None or disposal["on"] <= on_to)
        ]
        shown = [{**disposal} for disposal in _page(found, offset)]
        return _found({"total": len(found), "disposals": shown}, self._names_of_disposals(shown))

    def list_stock_takes(
        self,
        site_id: str | None = None,
        status: Literal["open", "closed"] | None = None,
        opened_on_from: Date | None = None,
        opened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stock takes, oldest first, all of them or only some.

        Args:
            site_id (str, optional): Only stock takes of this site.
            status (str, optional): Only stock takes with this status.
            opened_on_from (str, optional): Only stock takes whose `opened_on` is on this day or later.
            opened_on_to (str, optional): Only stock takes whose `opened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stock_takes": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            stock_take
            for stock_take in self.stock_takes.values()
            if (site_id is None or stock_take["site_id"] == site_id)
            and (status is None or stock_take["status"] == status)
            and (opened_on_from is None or stock_take["opened_on"] >= opened_on_from)
            and (opened_on_to is None or stock_take["opened_on"] <= opened_on_to)
        ]
        shown = [self._show_stock_take(stock_take) for stock_take in _page(found, offset)]
        return _found({"total": len(found), "stock_takes": shown}, self._names_of_stock_takes(shown))

    def list_sightings(
        self,
        stock_take_id: str | None = None,
        asset_id: str | None = None,
        condition: Literal["good", "worn", "damaged"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sightings, oldest first, all of them or only some.

        Args:
            stock_take_id (str, optional): Only sightings of this stock take.
            asset_id (str, optional): Only sightings of this asset.
            condition (str, optional): Only sightings with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sightings": records}}
        """
        if stock_take_id is not None and stock_take_id not in self.stock_takes:
            return _refused(f"There is no stock take {stock_take_id!r}.")
        if asset_id is not None and asset_id not in self.assets:
            return _refused(f"There is no asset {asset_id!r}.")
        found = [
            sighting
            for sighting in self.sightings.values()
            if (stock_take_id is None or sighting["stock_take_id"] == stock_take_id)
            and (asset_id is None or sighting["asset_id"] == asset_id)
            and (condition is None or sighting["condition"] == condition)
        ]
        shown = [{**sighting} for sighting in _page(found, offset)]
        return _found({"total": len(found), "sightings": shown}, self._names_of_sightings(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def buy_asset(
        self,
        tag: Text,
        what: Text,
        category_id: str,
        site_id: str,
        cost: Annotated[int, {"minimum": 100, "maximum": 900000000}],
    ) -> Result:
        """Enter a bought asset with the life and residual value of its category.

        Args:
            tag (str): Tag of the new asset, not in use yet.
            what (str): What the asset is, in a few words.
            category_id (str): Id of the category, such as CATEGORY-00001.
            site_id (str): Id of the site, such as SITE-00001.
            cost (int): Price that was paid for the asset, in cents, from 100 to 900000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        category = self.categories.get(category_id)
        if category is None:
            return _refused(f"There is no category {category_id!r}.")
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if self._assets_by_tag.get(tag, {}):
            return _refused(f"There is an asset with the tag {tag} already.")
        count_there = self._counted_by(site)
        if count_there is not None:
            return _refused(
                f"{site['name']} is being counted since {count_there['opened_on']}; nothing comes in until that "
                "is closed."
            )
        self._journal = []
        residual = floor(Fraction(cost * category["residual_percent"], 100))
        if not 0 <= residual <= 900000000:
            return self._take_back("The residual of an asset must be between 0.00 and 9,000,000.00.")
        asset: Asset = {
            "id": self._new_id("asset", "ASSET", self.assets),
            "tag": tag,
            "what": what,
            "category_id": category_id,
            "site_id": site_id,
            "cost": cost,
            "residual": residual,
            "brought": 0,
            "months": category["life"],
            "bought_on": self.now[:10],
            "in_use_from": None,
            "status": "bought",
        }
        self._add("assets", asset)
        if len(self._assets_by_tag.get(asset["tag"], {})) > 1:
            return self._take_back(f"There is already an asset with the tag {asset['tag']!r}.")
        if self._breaks_rule_1(asset):
            return self._take_back(RULES[0])
        if self._breaks_rule_4(asset):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a_again(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(asset):
            return self._take_back(RULES[5])
        if self._breaks_rule_10_a(asset):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: enter {what} {tag} at {site['name']} for {_money(cost)} (new: asset {asset['id']}).",
            "data": {"asset_id": asset["id"], **self._changes()},
        }

    def start_use(self, asset_id: str, on: Date) -> Result:
        """Put a bought asset into use from the month of a day.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            on (str): Day of first use, from the purchase to today, its month counting in full, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "bought":
            return _refused(f"{asset['tag']} is {asset['status']}.")
        if on < asset["bought_on"]:
            return _refused(f"{asset['tag']} was bought on {asset['bought_on']}.")
        if on > self.now[:10]:
            return _refused(f"{on} is in the future.")
        self._journal = []
        self._put("assets", asset, "in_use_from", on[:8] + "01")
        self._put("assets", asset, "status", "in_use")
        for one_charge in _distinct(self._charges_by_asset.get(asset["id"], {}).values()):
            if self._breaks_rule_3(one_charge):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_a(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a_again(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(asset):
            return self._take_back(RULES[5])
        if self._breaks_rule_10_a(asset):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: put {asset['tag']} into use from {on}.", "data": self._changes()}

    def book_depreciation(self, category_id: str, month: Date) -> Result:
        """Book one month's depreciation for all assets of a category, the month that comes next.

        Args:
            category_id (str): Id of the category, such as CATEGORY-00001.
            month (str): Any day of the month that is booked, which must be over, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        category = self.categories.get(category_id)
        if category is None:
            return _refused(f"There is no category {category_id!r}.")
        first_day = month[:8] + "01"
        if _add_months(first_day, 1) > self.now[:10]:
            return _refused(f"The month of {month} is not over.")
        due = self._next_run(category)
        if due is None:
            return _refused(f"{category['name']} has nothing left to depreciate.")
        if due < first_day:
            return _refused(f"{category['name']} has to be booked for {due} first.")
        if due != first_day:
            return _refused(f"{category['name']} is booked up to {_plus_days(due, -1)} already.")
        self._journal = []
        added_charges: list[Any] = []
        for a in [
            a
            for a in sorted(self._assets_by_category.get(category_id, {}).values(), key=_age)
            if self._running(a)
            and self._next_month(a) == first_day
        ]:
            amount = self._rate(a)
            if not 0 <= amount <= 900000000:
                return self._take_back("The amount of a charge must be between 0.00 and 9,000,000.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "asset_id": a["id"],
                "month": first_day,
                "amount": amount,
            }
            self._add("charges", charge)
            added_charges.append(charge)
        for one_asset in _distinct([self.assets[one["asset_id"]] for one in added_charges]):
            if self._breaks_rule_1(one_asset):
                return self._take_back(RULES[0])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_2(one_charge):
                return self._take_back(RULES[1])
        for one_charge in _distinct(
            [
                *added_charges,
                *[
                    user
                    for one in [self.assets[one["asset_id"]] for one in added_charges]
                    for user in self._charges_by_asset.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_charge):
                return self._take_back(RULES[2])
        for one_asset in _distinct([self.assets[one["asset_id"]] for one in added_charges]):
            if self._breaks_rule_4(one_asset):
                return self._take_back(RULES[3])
        for one_disposal in _distinct(
            [
                user
                for one in [self.assets[one["asset_id"]] for one in added_charges]
                for user in self._disposals_by_asset.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_disposal):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: book the depreciation of {category['name']} for {month}.",
            "data": self._changes(),
        }

    def move_assets(self, asset_ids: Annotated[list[str], {"maxItems": 20}], site_id: str) -> Result:
        """Move assets to another site, unless a stock-take is going on.

        Args:
            asset_ids (list): Assets that are moved, each once and at least one: ids of assets, such as
                ASSET-00001.
            site_id (str): Id of the site, such as SITE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        assets = []
        for key in asset_ids:
            if key not in self.assets:
                return _refused(f"There is no asset {key!r}.")
            assets.append(self.assets[key])
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if not (len(assets) > 0 and _different([a["id"] for a in assets])):
            return _refused("Name at least one asset, and each once.")
        gone = next((a for a in assets if not self._present(a)), None)
        if gone is not None:
            return _refused(f"{gone['tag']} is {gone['status']}.")
        there = next((a for a in assets if a["site_id"] == site_id), None)
        if there is not None:
            return _refused(f"{there['tag']} is at {site['name']} already.")
        held_up = next((a for a in assets if self._counted_by(self.sites[a["site_id"]]) is not None), None)
        if held_up is not None:
            return _refused(
                f"{self.sites[held_up['site_id']]['name']} is being counted, so {held_up['tag']} stays where it is."
            )
        if self._counted_by(site) is not None:
            return _refused(f"{site['name']} is being counted, so nothing comes in.")
        self._journal = []
        changed_assets: list[Any] = []
        for a in list(assets):
            changed_assets.append(a)
            self._put("assets", a, "site_id", site_id)
        for one_sighting in _distinct(
            [user for one in changed_assets for user in self._sightings_by_asset.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9(one_sighting):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: move {len(assets)} assets to {site['name']}.",
            "data": self._changes(),
        }

    def impair_asset(
        self,
        asset_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 900000000}],
        reason: Text,
    ) -> Result:
        """Write an asset in use down by an amount, for good, when its depreciation is up to date.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            amount (int): Sum by which the book value falls, not below the residual value, in cents, from 1 to
                900000000.
            reason (str): Why the asset is worth less.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "in_use":
            return _refused(f"{asset['tag']} is {asset['status']}.")
        if not self._up_to_date(asset):
            return _refused(f"The depreciation of {asset['tag']} for {self._next_month(asset)} is not booked.")
        if amount > self._left(asset):
            return _refused(
                f"{asset['tag']} stands at {_money(self._asset_value(asset))} with a residual value of "
                f"{_money(asset['residual'])}."
            )
        self._journal = []
        impairment: Impairment = {
            "id": self._new_id("impairment", "IMPAIRMENT", self.impairments),
            "asset_id": asset_id,
            "on": self.now[:10],
            "amount": amount,
            "reason": reason,
        }
        self._add("impairments", impairment)
        if self._breaks_rule_1(self.assets[impairment["asset_id"]]):
            return self._take_back(RULES[0])
        for one_disposal in _distinct(self._disposals_by_asset.get(impairment["asset_id"], {}).values()):
            if self._breaks_rule_11(one_disposal):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: write {asset['tag']} down by {_money(amount)} (new: impairment {impairment['id']}).",
            "data": {"impairment_id": impairment["id"], **self._changes()},
        }

    def change_life(self, asset_id: str, months: Annotated[int, {"minimum": 1, "maximum": 600}]) -> Result:
        """Change the months over which an asset is depreciated; what is left is spread anew, once its depreciation is
        up to date.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            months (int): New life of the asset in months, from its first use, from 1 to 600.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] != "in_use":
            return _refused(f"{asset['tag']} is {asset['status']}.")
        if not self._up_to_date(asset):
            return _refused(f"The depreciation of {asset['tag']} for {self._next_month(asset)} is not booked.")
        if months == asset["months"]:
            return _refused(f"{asset['tag']} has {months} months already.")
        if months <= asset["months"] - self._asset_rest_months(asset):
            return _refused(
                f"{asset['months'] - self._asset_rest_months(asset)} months of {asset['tag']} are booked already."
            )
        self._journal = []
        self._put("assets", asset, "months", months)
        if self._breaks_rule_4(asset):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: change the life of {asset['tag']} to {months} months.",
            "data": self._changes(),
        }

    def dispose_asset(self, asset_id: str, proceeds: Annotated[int, {"minimum": 0, "maximum": 900000000}]) -> Result:
        """Dispose of an asset whose depreciation is up to date; the gain or loss follows from the book value, and a
        missing asset brings nothing.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            proceeds (int): Money the sale brought, nothing for a missing asset, in cents, from 0 to 900000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        if asset["status"] == "disposed":
            return _refused(f"{asset['tag']} is disposed of already.")
        if not self._up_to_date(asset):
            return _refused(f"The depreciation of {asset['tag']} for {self._next_month(asset)} is not booked.")
        if asset["status"] == "missing" and proceeds != asset["cost"] - asset["cost"]:
            return _refused(f"{asset['tag']} is missing and brings nothing.")
        if asset["status"] != "missing" and self._counted_by(self.sites[asset["site_id"]]) is not None:
            return _refused(f"{self.sites[asset['site_id']]['name']} is being counted.")
        self._journal = []
        result = proceeds - self._asset_value(asset)
        if not -900000000 <= result <= 900000000:
            return self._take_back("The result of a disposal must be between -9,000,000.00 and 9,000,000.00.")
        disposal: Disposal = {
            "id": self._new_id("disposal", "DISPOSAL", self.disposals),
            "asset_id": asset_id,
            "on": self.now[:10],
            "proceeds": proceeds,
            "result": result,
        }
        self._add("disposals", disposal)
        self._put("assets", asset, "status", "disposed")
        if self._breaks_rule_5_a(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a_again(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_10_d(disposal):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_a(self.assets[disposal["asset_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_a(asset):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(disposal):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: dispose of {asset['tag']} for {_money(proceeds)} (new: disposal {disposal['id']}).",
            "data": {"disposal_id": disposal["id"], **self._changes()},
        }

    def find_asset(self, asset_id: str, site_id: str) -> Result:
        """Book a missing asset back in at the site where it was found.

        Args:
            asset_id (str): Id of the asset, such as ASSET-00001.
            site_id (str): Id of the site, such as SITE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            return _refused(f"There is no asset {asset_id!r}.")
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if asset["status"] != "missing":
            return _refused(f"{asset['tag']} is {asset['status']}.")
        if self._counted_by(site) is not None:
            return _refused(f"{site['name']} is being counted; close that first.")
        self._journal = []
        self._put("assets", asset, "site_id", site_id)
        status = "in_use" if asset["in_use_from"] is not None else "bought"
        self._put("assets", asset, "status", status)
        if self._breaks_rule_5_a(asset):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a_again(asset):
            return self._take_back(RULES[4])
        for one_sighting in _distinct(self._sightings_by_asset.get(asset["id"], {}).values()):
            if self._breaks_rule_9(one_sighting):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_a(asset):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: book {asset['tag']} in at {site['name']}.",
            "data": self._changes(),
        }

    def open_stock_take(self, site_id: str) -> Result:
        """Open a stock-take of a site with all sites within it.

        Args:
            site_id (str): Id of the site, such as SITE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        other = next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [
                                site_id,
                                *[record["id"] for record in _above(self.sites, site, "within_id")],
                                site_id,
                                *[record["id"] for record in _below(self._sites_by_within, site)],
                            ]
                            for t in self._stock_takes_by_site.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if t["status"] == "open"
            ),
            None,
        )
        if other is not None:
            return _refused(f"{self.sites[other['site_id']]['name']} is being counted since {other['opened_on']}.")
        if self._site_held(site) <= 0:
            return _refused(f"{site['name']} holds no assets.")
        self._journal = []
        stock_take: StockTake = {
            "id": self._new_id("stock_take", "ST", self.stock_takes),
            "site_id": site_id,
            "opened_on": self.now[:10],
            "status": "open",
        }
        self._add("stock_takes", stock_take)
        if self._breaks_rule_7_t(stock_take):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_u(stock_take):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: open the stock-take of {site['name']} (new: stock take {stock_take['id']}).",
            "data": {"stock_take_id": stock_take["id"], **self._changes()},
        }

    def record_sightings(
        self,
        stock_take_id: str,
        asset_ids: Annotated[list[str], {"maxItems": 20}],
        condition: Literal["good", "worn", "damaged"],
    ) -> Result:
        """Record assets that were seen in an open stock-take, in one condition.

        Args:
            stock_take_id (str): Id of the stock take, such as ST-00001.
            asset_ids (list): Assets that were seen, each once and at least one: ids of assets, such as
                ASSET-00001.
            condition (str): State that all of them were in: good, worn or damaged.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stock_take = self.stock_takes.get(stock_take_id)
        if stock_take is None:
            return _refused(f"There is no stock take {stock_take_id!r}.")
        assets = []
        for key in asset_ids:
            if key not in self.assets:
                return _refused(f"There is no asset {key!r}.")
            assets.append(self.assets[key])
        if stock_take["status"] != "open":
            return _refused(f"The stock-take of {self.sites[stock_take['site_id']]['name']} is closed.")
        if not (len(assets) > 0 and _different([a["id"] for a in assets])):
            return _refused("Name at least one asset, and each once.")
        stray = next(
            (
                a
                for a in assets
                if (
                    not self._covers(self.sites[stock_take["site_id"]], self.sites[a["site_id"]])
                    or not self._present(a)
                )
            ),
            None,
        )
        if stray is not None:
            return _refused(
                f"{stray['tag']} is {stray['status']} at {self.sites[stray['site_id']]['name']} and not part of "
                "this stock-take."
            )
        again = next(
            (a for a in assets if bool(self._sightings_by_stock_take_asset.get((stock_take_id, a["id"]), {}))),
            None,
        )
        if again is not None:
            return _refused(f"{again['tag']} was seen already.")
        self._journal = []
        added_sightings: list[Any] = []
        for a in list(assets):
            sighting = {
                "id": self._new_id("sighting", "SIGHTING", self.sightings),
                "stock_take_id": stock_take_id,
                "asset_id": a["id"],
                "condition": condition,
            }
            self._add("sightings", sighting)
            added_sightings.append(sighting)
        for one_sighting in _distinct(added_sightings):
            if self._breaks_rule_8(one_sighting):
                return self._take_back(RULES[7])
        for one_sighting in _distinct(added_sightings):
            if self._breaks_rule_9(one_sighting):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record {len(assets)} assets as seen at {self.sites[stock_take['site_id']]['name']}.",
            "data": self._changes(),
        }

    def close_stock_take(self, stock_take_id: str) -> Result:
        """Close a stock-take; assets that nobody saw are missing from then on.

        Args:
            stock_take_id (str): Id of the stock take, such as ST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stock_take = self.stock_takes.get(stock_take_id)
        if stock_take is None:
            return _refused(f"There is no stock take {stock_take_id!r}.")
        if stock_take["status"] != "open":
            return _refused(f"The stock-take of {self.sites[stock_take['site_id']]['name']} is closed.")
        if not self._sightings_by_stock_take.get(stock_take_id, {}):
            return _refused(f"Nothing has been recorded at {self.sites[stock_take['site_id']]['name']} yet.")
        self._journal = []
        changed_assets: list[Any] = []
        for a in [
            a
            for a in sorted(
                _distinct(
                    [
                        a
                        for key in [
                            stock_take["site_id"],
                            *[
                                record["id"]
                                for record in _below(self._sites_by_within, self.sites[stock_take["site_id"]])
                            ],
                        ]
                        for a in self._assets_by_site.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if self._present(a)
            and not self._sightings_by_stock_take_asset.get((stock_take_id, a["id"]), {})
        ]:
            if a["status"] not in ("bought", "in_use", "missing"):
                return self._take_back(f"Asset {a['tag']} cannot go from {a['status']} to missing.")
            changed_assets.append(a)
            self._put("assets", a, "status", "missing")
        self._put("stock_takes", stock_take, "status", "closed")
        for one_asset in _distinct(changed_assets):
            if self._breaks_rule_5_a(one_asset):
                return self._take_back(RULES[4])
        for one_asset in _distinct(changed_assets):
            if self._breaks_rule_5_a_again(one_asset):
                return self._take_back(RULES[4])
        if self._breaks_rule_7_t(stock_take):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_u(stock_take):
            return self._take_back(RULES[6])
        for one_sighting in _distinct(self._sightings_by_stock_take.get(stock_take["id"], {}).values()):
            if self._breaks_rule_9(one_sighting):
                return self._take_back(RULES[8])
        for one_asset in _distinct(changed_assets):
            if self._breaks_rule_10_a(one_asset):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: close the stock-take of {self.sites[stock_take['site_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_site(self, site: Site) -> dict[str, Any]:
        """The site as an answer shows it."""
        return {**site, "held": self._site_held(site)}

    def _show_asset(self, asset: Asset) -> dict[str, Any]:
        """The asset as an answer shows it."""
        return {**asset, "rest_months": self._asset_rest_months(asset), "value": self._asset_value(asset)}

    def _show_stock_take(self, stock_take: StockTake) -> dict[str, Any]:
        """The stock take as an answer shows it."""
        return {**stock_take, "unseen": self._stock_take_unseen(stock_take)}

    def _names_of_sites(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sites point to."""
        return _names((self.sites, "name", [row["within_id"] for row in shown]))

    def _names_of_assets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that assets point to."""
        return _names(
            (self.categories, "name", [row["category_id"] for row in shown]),
            (self.sites, "name", [row["site_id"] for row in shown]),
        )

    def _names_of_charges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that charges point to."""
        return _names((self.assets, "tag", [row["asset_id"] for row in shown]))

    def _names_of_impairments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that impairments point to."""
        return _names((self.assets, "tag", [row["asset_id"] for row in shown]))

    def _names_of_disposals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that disposals point to."""
        return _names((self.assets, "tag", [row["asset_id"] for row in shown]))

    def _names_of_stock_takes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stock takes point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_sightings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sightings point to."""
        return _names((self.assets, "tag", [row["asset_id"] for row in shown]))

    def _site_held(self, site: Site) -> int:
        """The held of a site."""
        return sum(
            1
            for a in _distinct(
                [
                    a
                    for key in [site["id"], *[record["id"] for record in _below(self._sites_by_within, site)]]
                    for a in self._assets_by_site.get(key, {}).values()
                ]
            )
            if self._present(a)
        )

    def _asset_rest_months(self, asset: Asset) -> int:
        """The rest months of an asset."""
        return asset["months"] - len(self._charges_by_asset.get(asset["id"], {}))

    def _asset_value(self, asset: Asset) -> int:
        """The value of an asset."""
        return (
            asset["cost"]
            - asset["brought"]
            - sum(c["amount"] for c in self._charges_by_asset.get(asset["id"], {}).values())
            - sum(i["amount"] for i in self._impairments_by_asset.get(asset["id"], {}).values())
        )

    def _stock_take_unseen(self, stock_take: StockTake) -> int:
        """The unseen of a stock take."""
        return sum(
            1
            for a in _distinct(
                [
                    a
                    for key in [
                        stock_take["site_id"],
                        *[
                            record["id"]
                            for record in _below(self._sites_by_within, self.sites[stock_take["site_id"]])
                        ],
                    ]
                    for a in self._assets_by_site.get(key, {}).values()
                ]
            )
            if self._present(a)
            and not self._sightings_by_stock_take_asset.get((stock_take["id"], a["id"]), {})
        )

    def _present(self, a: Asset) -> bool:
        return a["status"] in ("bought", "in_use")

    def _covers(self, s: Site, t: Site) -> bool:
        return s is t or s in _above(self.sites, t, "within_id")

    def _left(self, a: Asset) -> int:
        return self._asset_value(a) - a["residual"]

    def _next_month(self, a: Asset) -> str:
        return _add_months(
            a["in_use_from"] if a["in_use_from"] is not None else a["bought_on"][:8] + "01",
            a["months"] - self._asset_rest_months(a),
        )

    def _running(self, a: Asset) -> bool:
        return (
            a["in_use_from"] is not None
            and a["status"] in ("in_use", "missing")
            and self._asset_rest_months(a) > 0
        )

    def _up_to_date(self, a: Asset) -> bool:
        return not self._running(a) or self._next_month(a) >= self.now[:10][:8] + "01"

    def _rate(self, a: Asset) -> int:
        return (
            floor(Fraction(self._left(a), self._asset_rest_months(a)))
            if self._asset_rest_months(a) > 1
            else self._left(a)
        )

    def _next_run(self, c: Category) -> str | None:
        return min(
            (self._next_month(a) for a in self._assets_by_category.get(c["id"], {}).values() if self._running(a)),
            default=None,
        )

    def _counted_by(self, s: Site) -> StockTake | None:
        return next(
            (
                t
                for t in sorted(
                    _distinct(
                        [
                            t
                            for key in [s["id"], *[record["id"] for record in _above(self.sites, s, "within_id")]]
                            for t in self._stock_takes_by_site.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if t["status"] == "open"
            ),
            None,
        )

    def _breaks_rule_1(self, a: Asset) -> bool:
        """Whether this is broken: depreciation and impairment never take an asset below its residual value."""
        return self._left(a) < a["cost"] - a["cost"]

    def _breaks_rule_2(self, c: Charge) -> bool:
        """Whether this is broken: an asset is charged once for a month."""
        return any(
            other_c is not c
            for other_c in self._charges_by_asset.get(c["asset_id"], {}).values()
            if other_c["month"] == c["month"]
        )

    def _breaks_rule_3(self, c: Charge) -> bool:
        """Whether this is broken: depreciation is booked month by month without a gap."""
        return not (
            c["month"] == self.assets[c["asset_id"]]["in_use_from"]
            or any(
                d["month"] == _add_months(c["month"], -1)
                for d in self._charges_by_asset.get(c["asset_id"], {}).values()
            )
        )

    def _breaks_rule_4(self, a: Asset) -> bool:
        """Whether this is broken: an asset has no more charges than months of life."""
        return self._asset_rest_months(a) < 0

    def _breaks_rule_5_a(self, a: Asset) -> bool:
        """Whether this is broken: assets in use have a first month, and assets that were only bought have none."""
        return a["status"] == "in_use" and a["in_use_from"] is None

    def _breaks_rule_5_a_again(self, a: Asset) -> bool:
        """Whether this is broken: assets in use have a first month, and assets that were only bought have none."""
        return a["status"] == "bought" and a["in_use_from"] is not None

    def _breaks_rule_6(self, a: Asset) -> bool:
        """Whether this is broken: use begins on the first of a month."""
        return a["in_use_from"] is not None and a["in_use_from"][:8] + "01" != a["in_use_from"]

    def _breaks_rule_7_t(self, t: StockTake) -> bool:
        """Whether this is broken: stock-takes that are open never cover the same site."""
        return (
            t["status"] == "open"
            and any(
                self._covers(self.sites[t["site_id"]], self.sites[u["site_id"]])
                for u in self._stock_takes_by_status.get("open", {}).values()
                if t is not u
            )
        )

    def _breaks_rule_7_u(self, u: StockTake) -> bool:
        """Whether this is broken: stock-takes that are open never cover the same site."""
        return (
            u["status"] == "open"
            and any(
                self._covers(self.sites[t["site_id"]], self.sites[u["site_id"]])
                for t in self._stock_takes_by_status.get("open", {}).values()
                if t is not u
            )
        )

    def _breaks_rule_8(self, s: Sighting) -> bool:
        """Whether this is broken: an asset is seen once in a stock-take."""
        return any(
            other_s is not s
            for other_s in self._sightings_by_stock_take_asset.get((s["stock_take_id"], s["asset_id"]), {}).values()
        )

    def _breaks_rule_9(self, s: Sighting) -> bool:
        """Whether this is broken: what is seen in an open stock-take lies at its site."""
        return (
            self.stock_takes[s["stock_take_id"]]["status"] == "open"
            and not self._covers(
                self.sites[self.stock_takes[s["stock_take_id"]]["site_id"]],
                self.sites[self.assets[s["asset_id"]]["site_id"]],
            )
        )

    def _breaks_rule_10_d(self, d: Disposal) -> bool:
        """Whether this is broken: disposed assets have one disposal, and others none."""
        return any(other_d is not d for other_d in self._disposals_by_asset.get(d["asset_id"], {}).values())

    def _breaks_rule_10_a(self, a: Asset) -> bool:
        """Whether this is broken: disposed assets have one disposal, and others none."""
        return (a["status"] == "disposed") != bool(self._disposals_by_asset.get(a["id"], {}))

    def _breaks_rule_11(self, d: Disposal) -> bool:
        """Whether this is broken: the result of a disposal is what was received less the book value."""
        return d["result"] != d["proceeds"] - self._asset_value(self.assets[d["asset_id"]])

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
            case "sites":
                self._sites_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "assets":
                self._assets_by_category.setdefault(record["category_id"], {})[record["id"]] = record
                self._assets_by_site.setdefault(record["site_id"], {})[record["id"]] = record
                self._assets_by_tag.setdefault(record["tag"], {})[record["id"]] = record
            case "charges":
                self._charges_by_asset.setdefault(record["asset_id"], {})[record["id"]] = record
            case "impairments":
                self._impairments_by_asset.setdefault(record["asset_id"], {})[record["id"]] = record
            case "disposals":
                self._disposals_by_asset.setdefault(record["asset_id"], {})[record["id"]] = record
            case "stock_takes":
                self._stock_takes_by_site.setdefault(record["site_id"], {})[record["id"]] = record
                self._stock_takes_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "sightings":
                self._sightings_by_asset.setdefault(record["asset_id"], {})[record["id"]] = record
                self._sightings_by_stock_take.setdefault(record["stock_take_id"], {})[record["id"]] = record
                self._sightings_by_stock_take_asset.setdefault(
                    (record["stock_take_id"], record["asset_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "sites":
                del self._sites_by_within[record["within_id"]][record["id"]]
            case "assets":
                del self._assets_by_category[record["category_id"]][record["id"]]
                del self._assets_by_site[record["site_id"]][record["id"]]
                del self._assets_by_tag[record["tag"]][record["id"]]
            case "charges":
                del self._charges_by_asset[record["asset_id"]][record["id"]]
            case "impairments":
                del self._impairments_by_asset[record["asset_id"]][record["id"]]
            case "disposals":
                del self._disposals_by_asset[record["asset_id"]][record["id"]]
            case "stock_takes":
                del self._stock_takes_by_site[record["site_id"]][record["id"]]
                del self._stock_takes_by_status[record["status"]][record["id"]]
            case "sightings":
                del self._sightings_by_asset[record["asset_id"]][record["id"]]
                del self._sightings_by_stock_take[record["stock_take_id"]][record["id"]]
                del self._sightings_by_stock_take_asset[record["stock_take_id"], record["asset_id"]][record["id"]]
