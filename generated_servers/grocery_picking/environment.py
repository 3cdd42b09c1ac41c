"""Grocery picking. Compiled from blueprint.yaml; run `envscaler build grocery_picking` after changing it there.

Picks the baskets of an online grocer into crates, with substitutes that the customer allows and weighed goods,
and sends them out with vans on their runs.
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
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A van never carries more crates than fit.",
    "A van starts on one run at a time.",
    "A customer has one basket on a run.",
    "Baskets travel in the zone of their customer.",
    "An article stands in a basket once.",
    "Nobody gets more pieces than ordered, and weighed goods are within a tenth of the order.",
    "Substitutes come from the same shelf and respect what the customer allows.",
    "A crate holds goods of its own temperature only.",
    "A crate holds goods of its own basket only.",
    "A crate takes five lines at most.",
    "Until the door, picked goods lie in a crate and nothing else does.",
    "A picker has at most two baskets in hand.",
    "Baskets with frozen goods are picked by somebody trained for the cold store.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "place_basket",
    "assign_picker",
    "pick_item",
    "substitute_item",
    "mark_missing",
    "pack_basket",
    "move_basket",
    "cancel_basket",
    "open_run",
    "send_run",
    "hand_over_basket",
    "bring_back",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "articles": ("name",),
    "customers": ("name",),
    "pickers": ("name",),
    "vans": ("name",),
    "runs": (),
    "baskets": (),
    "items": (),
    "crates": ("label",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("baskets", "customer_id"),
    ("baskets", "picker_id"),
    ("baskets", "run_id"),
    ("baskets", "status"),
    ("crates", "basket_id"),
    ("items", "article_id"),
    ("items", "basket_id"),
    ("items", "crate_id"),
    ("runs", "status"),
    ("runs", "van_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Article(TypedDict):
    id: str
    name: str
    shelf: Literal["fruit", "bread", "dairy", "cheese", "ice", "vegetables", "pasta", "drinks"]
    unit: Literal["piece", "gram"]
    price: int
    temperature: Literal["ambient", "chilled", "frozen"]
    stock: int


class Customer(TypedDict):
    id: str
    name: str
    zone: Literal["north", "south", "harbour"]
    substitutes: Literal["none", "not_dearer", "any"]


class Picker(TypedDict):
    id: str
    name: str
    cold_trained: bool


class Van(TypedDict):
    id: str
    name: str
    crates: int


class Run(TypedDict):
    id: str
    van_id: str
    zone: Literal["north", "south", "harbour"]
    starts: str
    status: Literal["open", "gone", "done"]


class Basket(TypedDict):
    id: str
    customer_id: str
    run_id: str
    picker_id: str | None
    status: Literal["open", "picking", "cancelled", "packed", "on_road", "delivered"]


class Item(TypedDict):
    id: str
    basket_id: str
    article_id: str
    wanted: int
    given_id: str | None
    picked: int
    crate_id: str | None
    status: Literal["to_pick", "picked", "substituted", "missing", "refused"]


class Crate(TypedDict):
    id: str
    label: str
    temperature: Literal["ambient", "chilled", "frozen"]
    basket_id: str | None


class PlaceBasketLine(TypedDict):
    article_id: str
    wanted: Annotated[int, {"minimum": 1, "maximum": 24}]


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class GroceryPicking:
    """Picks the baskets of an online grocer into crates, with substitutes that the customer allows and
    weighed goods, and sends them out with vans on their runs.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.articles: dict[str, Article] = _copied(config.get("articles", {}))
        self.customers: dict[str, Customer] = _copied(config.get("customers", {}))
        self.pickers: dict[str, Picker] = _copied(config.get("pickers", {}))
        self.vans: dict[str, Van] = _copied(config.get("vans", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.baskets: dict[str, Basket] = _copied(config.get("baskets", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.crates: dict[str, Crate] = _copied(config.get("crates", {}))
        self.now: str = config.get("now", "2026-03-06T10:20")
        self.counters: dict[str, int] = {
            "article": len(self.articles),
            "customer": len(self.customers),
            "picker": len(self.pickers),
            "van": len(self.vans),
            "run": len(self.runs),
            "basket": len(self.baskets),
            "item": len(self.items),
            "crate": len(self.crates),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._runs_by_van: dict[Any, dict[str, Run]] = {}
        self._runs_by_van_status: dict[Any, dict[str, Run]] = {}
        self._baskets_by_customer_run: dict[Any, dict[str, Basket]] = {}
        self._baskets_by_picker: dict[Any, dict[str, Basket]] = {}
        self._baskets_by_picker_status: dict[Any, dict[str, Basket]] = {}
        self._baskets_by_run: dict[Any, dict[str, Basket]] = {}
        self._baskets_by_run_status: dict[Any, dict[str, Basket]] = {}
        self._items_by_basket: dict[Any, dict[str, Item]] = {}
        self._items_by_basket_article: dict[Any, dict[str, Item]] = {}
        self._items_by_crate: dict[Any, dict[str, Item]] = {}
        self._crates_by_basket: dict[Any, dict[str, Crate]] = {}
        for run in self.runs.values():
            self._link("runs", run)
        for basket in self.baskets.values():
            self._link("baskets", basket)
        for item in self.items.values():
            self._link("items", item)
        for crate in self.crates.values():
            self._link("crates", crate)

    def walking_list(self, picker_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a picker still has to fetch, shelf by shelf.

        Args:
            picker_id (str): Id of the picker, such as PICKER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        picker = self.pickers.get(picker_id)
        if picker is None:
            return _refused(f"There is no picker {picker_id!r}.")
        found = [
            i
            for i in [
                i
                for _basket in self._baskets_by_picker.get(picker_id, {}).values()
                for i in self._items_by_basket.get(_basket["id"], {}).values()
            ]
            if (
                self.baskets[i["basket_id"]]["picker_id"] == picker_id
                and self.baskets[i["basket_id"]]["status"] == "picking"
                and i["status"] == "to_pick"
            )
        ]
        found.sort(
            key=lambda i: (
                self.articles[i["article_id"]]["shelf"],
                self.articles[i["article_id"]]["name"],
                i["id"],
                _age(i),
            )
        )
        return _found(
            {
                "total": len(found),
                "items": [
                    {
                        "id": i["id"],
                        "article": self.articles[i["article_id"]]["name"],
                        "shelf": self.articles[i["article_id"]]["shelf"],
                        "asked": self._item_asked(i),
                        "unit": self.articles[i["article_id"]]["unit"],
                        "customer": self.customers[self.baskets[i["basket_id"]]["customer_id"]]["name"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def possible_substitutes(
        self,
        item_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Articles in stock that the customer would accept for an item, cheapest first.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}} or {"success": False, "error": why
                not}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        found = [
            a
            for a in self.articles.values()
            if self._may_replace(item, a)
            and a["stock"] >= self._item_asked(item)
        ]
        found.sort(key=lambda a: (a["price"], a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "articles": [
                    {"id": a["id"], "name": a["name"], "price": a["price"], "stock": a["stock"]}
                    for a in _page(found, offset)
                ],
            }
        )

    def list_articles(
        self,
        name: Text | None = None,
        shelf: Literal["fruit", "bread", "dairy", "cheese", "ice", "vegetables", "pasta", "drinks"] | None = None,
        unit: Literal["piece", "gram"] | None = None,
        temperature: Literal["ambient", "chilled", "frozen"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the articles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only articles whose name contains this text.
            shelf (str, optional): Only articles with this shelf.
            unit (str, optional): Only articles with this unit.
            temperature (str, optional): Only articles with this temperature.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}}
        """
        found = [
            article
            for article in self.articles.values()
            if (name is None or name.casefold() in article["name"].casefold())
            and (shelf is None or article["shelf"] == shelf)
            and (unit is None or article["unit"] == unit)
            and (temperature is None or article["temperature"] == temperature)
        ]
        return _found({"total": len(found), "articles": [{**article} for article in _page(found, offset)]})

    def list_customers(
        self,
        name: Text | None = None,
        zone: Literal["north", "south", "harbour"] | None = None,
        substitutes: Literal["none", "not_dearer", "any"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the customers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only customers whose name contains this text.
            zone (str, optional): Only customers with this zone.
            substitutes (str, optional): Only customers whose `substitutes` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "customers": records}}
        """
        found = [
            customer
            for customer in self.customers.values()
            if (name is None or name.casefold() in customer["name"].casefold())
            and (zone is None or customer["zone"] == zone)
            and (substitutes is None or customer["substitutes"] == substitutes)
        ]
        return _found({"total": len(found), "customers": [{**customer} for customer in _page(found, offset)]})

    def list_pickers(
        self,
        name: Text | None = None,
        cold_trained: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pickers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pickers whose name contains this text.
            cold_trained (bool, optional): Only pickers with this value of `cold_trained`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pickers": records}}
        """
        found = [
            picker
            for picker in self.pickers.values()
            if (name is None or name.casefold() in picker["name"].casefold())
            and (cold_trained is None or picker["cold_trained"] == cold_trained)
        ]
        return _found(
            {"total": len(found), "pickers": [self._show_picker(picker) for picker in _page(found, offset)]}
        )

    def list_vans(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vans whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vans": records}}
        """
        found = [van for van in self.vans.values() if (name is None or name.casefold() in van["name"].casefold())]
        return _found({"total": len(found), "vans": [{**van} for van in _page(found, offset)]})

    def list_runs(
        self,
        van_id: str | None = None,
        zone: Literal["north", "south", "harbour"] | None = None,
        status: Literal["open", "gone", "done"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            van_id (str, optional): Only runs of this van.
            zone (str, optional): Only runs with this zone.
            status (str, optional): Only runs with this status.
            starts_from (str, optional): Only runs whose `starts` is on this day or later.
            starts_to (str, optional): Only runs whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if van_id is not None and van_id not in self.vans:
            return _refused(f"There is no van {van_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (van_id is None or run["van_id"] == van_id)
            and (zone is None or run["zone"] == zone)
            and (status is None or run["status"] == status)
            and (starts_from is None or run["starts"][:10] >= starts_from)
            and (starts_to is None or run["starts"][:10] <= starts_to)
        ]
        shown = [self._show_run(run) for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def list_baskets(
        self,
        customer_id: str | None = None,
        run_id: str | None = None,
        picker_id: str | None = None,
        status: Literal["open", "picking", "cancelled", "packed", "on_road", "delivered"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the baskets, oldest first, all of them or only some.

        Args:
            customer_id (str, optional): Only baskets of this customer.
            run_id (str, optional): Only baskets of this run.
            picker_id (str, optional): Only baskets of this picker.
            status (str, optional): Only baskets with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "baskets": records}}
        """
        if customer_id is not None and customer_id not in self.customers:
            return _refused(f"There is no customer {customer_id!r}.")
        if run_id is not None and run_id not in self.runs:
            return _refused(f"There is no run {run_id!r}.")
        if picker_id is not None and picker_id not in self.pickers:
            return _refused(f"There is no picker {picker_id!r}.")
        found = [
            basket
            for basket in self.baskets.values()
            if (customer_id is None or basket["customer_id"] == customer_id)
            and (run_id is None or basket["run_id"] == run_id)
            and (picker_id is None or basket["picker_id"] == picker_id)
            and (status is None or basket["status"] == status)
        ]
        shown = [self._show_basket(basket) for basket in _page(found, offset)]
        return _found({"total": len(found), "baskets": shown}, self._names_of_baskets(shown))

    def list_items(
        self,
        basket_id: str | None = None,
        article_id: str | None = None,
        given_id: str | None = None,
        crate_id: str | None = None,
        status: Literal["to_pick", "picked", "substituted", "missing", "refused"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            basket_id (str, optional): Only items of this basket.
            article_id (str, optional): Only items of this article.
            given_id (str, optional): Only items whose given is this article.
            crate_id (str, optional): Only items of this crate.
            status (str, optional): Only items with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if basket_id is not None and basket_id not in self.baskets:
            return _refused(f"There is no basket {basket_id!r}.")
        if article_id is not None and article_id not in self.articles:
            return _refused(f"There is no article {article_id!r}.")
        if given_id is not None and given_id not in self.articles:
            return _refused(f"There is no article {given_id!r}.")
        if crate_id is not None and crate_id not in self.crates:
            return _refused(f"There is no crate {crate_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (basket_id is None or item["basket_id"] == basket_id)
            and (article_id is None or item["article_id"] == article_id)
            and (given_id is None or item["given_id"] == given_id)
            and (crate_id is None or item["crate_id"] == crate_id)
            and (status is None or item["status"] == status)
        ]
        shown = [self._show_item(item) for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_crates(
        self,
        label: Text | None = None,
        temperature: Literal["ambient", "chilled", "frozen"] | None = None,
        basket_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crates, oldest first, all of them or only some.

        Args:
            label (str, optional): Only crates whose label contains this text.
            temperature (str, optional): Only crates with this temperature.
            basket_id (str, optional): Only crates of this basket.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crates": records}}
        """
        if basket_id is not None and basket_id not in self.baskets:
            return _refused(f"There is no basket {basket_id!r}.")
        found = [
            crate
            for crate in self.crates.values()
            if (label is None or label.casefold() in crate["label"].casefold())
            and (temperature is None or crate["temperature"] == temperature)
            and (basket_id is None or crate["basket_id"] == basket_id)
        ]
        return _found({"total": len(found), "crates": [self._show_crate(crate) for crate in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def place_basket(
        self,
        customer_id: str,
        run_id: str,
        lines: Annotated[list[PlaceBasketLine], {"maxItems": 20}],
    ) -> Result:
        """Order a basket for a run in the customer's zone that has not started; weighed goods are ordered by 100
        grams.

        Args:
            customer_id (str): Id of the customer, such as CUSTOMER-00001.
            run_id (str): Id of the run, such as RUN-00001.
            lines (list): One entry for each article, each article once: article_id: article that the customer
                orders; an id such as ARTICLE-00001; wanted: pieces wanted, or units of 100 grams for weighed
                goods, from 1 to 24.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        customer = self.customers.get(customer_id)
        if customer is None:
            return _refused(f"There is no customer {customer_id!r}.")
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["article_id"] not in self.articles:
                return _refused(f"There is no article {entry['article_id']!r}.")
            lines.append({"article": self.articles[entry["article_id"]], "wanted": entry["wanted"]})
        if run["status"] != "open" or self.now >= run["starts"]:
            return _refused(f"That run of {self.vans[run['van_id']]['name']} takes no more baskets.")
        if run["zone"] != customer["zone"]:
            return _refused(
                f"{customer['name']} lives in the {customer['zone']} zone, and that run goes to {run['zone']}."
            )
        other = next(
            (
                b
                for b in sorted(self._baskets_by_customer_run.get((customer_id, run_id), {}).values(), key=_age)
                if b["status"] != "cancelled"
            ),
            None,
        )
        if other is not None:
            return _refused(f"{customer['name']} has a basket on that run already.")
        if not (len(lines) > 0 and _different([l["article"]["id"] for l in lines])):
            return _refused("Name at least one article, and each once.")
        self._journal = []
        added_items: list[Any] = []
        basket: Basket = {
            "id": self._new_id("basket", "BASKET", self.baskets),
            "customer_id": customer_id,
            "run_id": run_id,
            "picker_id": None,
            "status": "open",
        }
        self._add("baskets", basket)
        for l in list(lines):
            item = {
                "id": self._new_id("item", "ITEM", self.items),
                "basket_id": basket["id"],
                "article_id": l["article"]["id"],
                "wanted": l["wanted"],
                "given_id": None,
                "picked": 0,
                "crate_id": None,
                "status": "to_pick",
            }
            self._add("items", item)
            added_items.append(item)
        if self._breaks_rule_3(basket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(basket):
            return self._take_back(RULES[3])
        for one_item in _distinct(added_items):
            if self._breaks_rule_5(one_item):
                return self._take_back(RULES[4])
        for one_item in _distinct(added_items):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_item in _distinct(added_items):
            if self._breaks_rule_7(one_item):
                return self._take_back(RULES[6])
        for one_item in _distinct(added_items):
            if self._breaks_rule_8(one_item):
                return self._take_back(RULES[7])
        for one_item in _distinct(added_items):
            if self._breaks_rule_9(one_item):
                return self._take_back(RULES[8])
        for one_crate in _distinct([self.crates.get(one["crate_id"]) for one in added_items]):
            if self._breaks_rule_10(one_crate):
                return self._take_back(RULES[9])
        for one_item in _distinct(added_items):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct([self.pickers.get(basket["picker_id"])]):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        for one_item in _distinct(added_items):
            if self._breaks_rule_13(one_item):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: place a basket of {len(lines)} articles for {customer['name']} (new: basket {basket['id']})."
            ),
            "data": {"basket_id": basket["id"], **self._changes()},
        }

    def assign_picker(self, basket_id: str, picker_id: str) -> Result:
        """Give a basket to a picker, or hand it over to another one.

        Args:
            basket_id (str): Id of the basket, such as BASKET-00001.
            picker_id (str): Id of the picker, such as PICKER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        basket = self.baskets.get(basket_id)
        if basket is None:
            return _refused(f"There is no basket {basket_id!r}.")
        picker = self.pickers.get(picker_id)
        if picker is None:
            return _refused(f"There is no picker {picker_id!r}.")
        if basket["status"] not in ("open", "picking"):
            return _refused(f"The basket of {self.customers[basket['customer_id']]['name']} is {basket['status']}.")
        if basket["picker_id"] == picker_id:
            return _refused(f"{picker['name']} has that basket already.")
        if self._picker_busy_with(picker) >= 2:
            return _refused(f"{picker['name']} has two baskets in hand.")
        if not picker["cold_trained"] and self._has_frozen(basket):
            return _refused(f"{picker['name']} is not trained for the cold store.")
        self._journal = []
        changed_baskets: list[Any] = []
        former_picker_id = basket["picker_id"]
        self._put("baskets", basket, "picker_id", picker_id)
        if basket["status"] == "open":
            changed_baskets.append(basket)
            self._put("baskets", basket, "status", "picking")
        for one_basket in _distinct(changed_baskets):
            if self._breaks_rule_3(one_basket):
                return self._take_back(RULES[2])
        for one_item in _distinct(
            [user for one in changed_baskets for user in self._items_by_basket.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct(
            [
                self.pickers.get(basket["picker_id"]),
                self.pickers.get(former_picker_id),
                *[self.pickers.get(one["picker_id"]) for one in changed_baskets],
            ]
        ):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        for one_item in _distinct(self._items_by_basket.get(basket["id"], {}).values()):
            if self._breaks_rule_13(one_item):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: give the basket of {self.customers[basket['customer_id']]['name']} to {picker['name']}."
            ),
            "data": self._changes(),
        }

    def pick_item(
        self,
        item_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 9900}] | None = None,
        crate_id: str | None = None,
    ) -> Result:
        """Pick an item; without a crate it goes to one of the basket's with room, or else to the free one with the
        lowest label.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            amount (int, optional): Amount picked, in pieces or, for weighed goods, grams, from 1 to 9900. If left
                out, the amount asked for is picked.
            crate_id (str, optional): Crate that it goes into, of the right temperature; an id such as CRATE-00001.
                If left out, a crate with room is found.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        crate = self.crates.get(crate_id) if crate_id is not None else None
        if crate_id is not None and crate is None:
            return _refused(f"There is no crate {crate_id!r}.")
        if self.baskets[item["basket_id"]]["status"] != "picking":
            return _refused(
                f"The basket of {self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} is "
                f"{self.baskets[item['basket_id']]['status']}."
            )
        if item["status"] not in ("to_pick", "missing"):
            return _refused(f"{self.articles[item['article_id']]['name']} is {item['status']}.")
        n = amount if amount is not None else self._item_asked(item)
        if not self._fits(item, n):
            return _refused(f"{n} does not do for the {self._item_asked(item)} that were ordered.")
        if n > self.articles[item["article_id"]]["stock"]:
            return _refused(
                f"Only {self.articles[item['article_id']]['stock']} of "
                f"{self.articles[item['article_id']]['name']} are there."
            )
        box = crate or self._room(self.baskets[item["basket_id"]], self.articles[item["article_id"]])
        if box is None:
            return _refused(
                f"No crate is left for {self.articles[item['article_id']]['name']}, or "
                f"{self.vans[self.runs[self.baskets[item['basket_id']]['run_id']]['van_id']]['name']} is full."
            )
        if box["temperature"] != self.articles[item["article_id"]]["temperature"]:
            return _refused(
                f"Crate {box['label']} is {box['temperature']}, {self.articles[item['article_id']]['name']} is "
                f"{self.articles[item['article_id']]['temperature']}."
            )
        if box["basket_id"] is not None and box["basket_id"] != item["basket_id"]:
            return _refused(f"Crate {box['label']} belongs to another basket.")
        if self._crate_lines(box) >= 5:
            return _refused(f"Crate {box['label']} is full.")
        if (
            box["basket_id"] is None
            and self._run_loaded(self.runs[self.baskets[item["basket_id"]]["run_id"]]) >= self.vans[
                self.runs[self.baskets[item["basket_id"]]["run_id"]]["van_id"]
            ]["crates"]
        ):
            return _refused(
                f"{self.vans[self.runs[self.baskets[item['basket_id']]['run_id']]['van_id']]['name']} has no room "
                "for another crate."
            )
        self._journal = []
        if not 0 <= n <= 9900:
            return self._take_back(f"The picked of {item['id']} must be between 0 and 9900.")
        self._put("items", item, "picked", n)
        article = self.articles[item["article_id"]]
        stock = self.articles[item["article_id"]]["stock"] - n
        if not 0 <= stock <= 90000:
            return self._take_back(f"The stock of {article['name']} must be between 0 and 90000.")
        self._put("articles", article, "stock", stock)
        former_basket_id = box["basket_id"]
        self._put("crates", box, "basket_id", item["basket_id"])
        former_crate_id = item["crate_id"]
        self._put("items", item, "crate_id", box["id"])
        self._put("items", item, "status", "picked")
        for one_run in _distinct(
            [
                *[self.runs[one["run_id"]] for one in [self.baskets.get(box["basket_id"])] if one is not None],
                *[self.runs[one["run_id"]] for one in [self.baskets.get(former_basket_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        if self._breaks_rule_6(item):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(item):
            return self._take_back(RULES[7])
        for one_item in _distinct([item, *self._items_by_crate.get(box["id"], {}).values()]):
            if self._breaks_rule_9(one_item):
                return self._take_back(RULES[8])
        for one_crate in _distinct([self.crates.get(item["crate_id"]), self.crates.get(former_crate_id)]):
            if self._breaks_rule_10(one_crate):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(item):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: pick {self.articles[item['article_id']]['name']} for "
                f"{self.customers[self.baskets[item['basket_id']]['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def substitute_item(
        self,
        item_id: str,
        article_id: str | None = None,
        amount: Annotated[int, {"minimum": 1, "maximum": 9900}] | None = None,
    ) -> Result:
        """Pick another article of the same shelf instead, where the customer allows it; by itself the cheapest of
        which there is enough.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            article_id (str, optional): Article of the same shelf that is given instead; an id such as
                ARTICLE-00001. If left out, the cheapest with enough stock is taken.
            amount (int, optional): Amount picked, in pieces or, for weighed goods, grams, from 1 to 9900. If left
                out, the amount asked for is picked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        article = self.articles.get(article_id) if article_id is not None else None
        if article_id is not None and article is None:
            return _refused(f"There is no article {article_id!r}.")
        if self.baskets[item["basket_id"]]["status"] != "picking":
            return _refused(
                f"The basket of {self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} is "
                f"{self.baskets[item['basket_id']]['status']}."
            )
        if item["status"] not in ("to_pick", "missing"):
            return _refused(f"{self.articles[item['article_id']]['name']} is {item['status']}.")
        if self.customers[self.baskets[item["basket_id"]]["customer_id"]]["substitutes"] == "none":
            return _refused(
                f"{self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} wants no substitutes."
            )
        n = amount if amount is not None else self._item_asked(item)
        if not self._fits(item, n):
            return _refused(f"{n} does not do for the {self._item_asked(item)} that were ordered.")
        other = (
            article
            or min(
                (a for a in self.articles.values() if self._may_replace(item, a) and a["stock"] >= n),
                key=lambda a: (a["price"], a["name"], _age(a)),
                default=None,
            )
        )
        if other is None:
            return _refused(
                f"Nothing that {self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} allows is "
                f"in stock for {self.articles[item['article_id']]['name']}."
            )
        if not self._may_replace(item, other):
            return _refused(
                f"{other['name']} cannot stand in for {self.articles[item['article_id']]['name']}, or is dearer "
                f"than {self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} allows."
            )
        if n > other["stock"]:
            return _refused(f"Only {other['stock']} of {other['name']} are there.")
        box = self._room(self.baskets[item["basket_id"]], other)
        if box is None:
            return _refused(
                f"No crate is left for {other['name']}, or "
                f"{self.vans[self.runs[self.baskets[item['basket_id']]['run_id']]['van_id']]['name']} is full."
            )
        self._journal = []
        self._put("items", item, "given_id", other["id"])
        if not 0 <= n <= 9900:
            return self._take_back(f"The picked of {item['id']} must be between 0 and 9900.")
        self._put("items", item, "picked", n)
        stock = other["stock"] - n
        if not 0 <= stock <= 90000:
            return self._take_back(f"The stock of {other['name']} must be between 0 and 90000.")
        self._put("articles", other, "stock", stock)
        former_basket_id = box["basket_id"]
        self._put("crates", box, "basket_id", item["basket_id"])
        former_crate_id = item["crate_id"]
        self._put("items", item, "crate_id", box["id"])
        self._put("items", item, "status", "substituted")
        for one_run in _distinct(
            [
                *[self.runs[one["run_id"]] for one in [self.baskets.get(box["basket_id"])] if one is not None],
                *[self.runs[one["run_id"]] for one in [self.baskets.get(former_basket_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        if self._breaks_rule_6(item):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(item):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(item):
            return self._take_back(RULES[7])
        for one_item in _distinct([item, *self._items_by_crate.get(box["id"], {}).values()]):
            if self._breaks_rule_9(one_item):
                return self._take_back(RULES[8])
        for one_crate in _distinct([self.crates.get(item["crate_id"]), self.crates.get(former_crate_id)]):
            if self._breaks_rule_10(one_crate):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(item):
            return self._take_back(RULES[10])
        done = f"give {self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} something else instead of {self.articles[item['article_id']]['name']}"
        if article is not None:
            done += f", namely {article['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def mark_missing(self, item_id: str) -> Result:
        """Note that an item cannot be had.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if self.baskets[item["basket_id"]]["status"] != "picking":
            return _refused(
                f"The basket of {self.customers[self.baskets[item['basket_id']]['customer_id']]['name']} is "
                f"{self.baskets[item['basket_id']]['status']}."
            )
        if item["status"] != "to_pick":
            return _refused(f"{self.articles[item['article_id']]['name']} is {item['status']}.")
        self._journal = []
        self._put("items", item, "status", "missing")
        return {
            "success": True,
            "message": (
                f"Done: mark {self.articles[item['article_id']]['name']} missing for "
                f"{self.customers[self.baskets[item['basket_id']]['customer_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def pack_basket(self, basket_id: str) -> Result:
        """Close a basket of which every item was dealt with.

        Args:
            basket_id (str): Id of the basket, such as BASKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        basket = self.baskets.get(basket_id)
        if basket is None:
            return _refused(f"There is no basket {basket_id!r}.")
        if basket["status"] != "picking":
            return _refused(f"The basket of {self.customers[basket['customer_id']]['name']} is {basket['status']}.")
        rest = next((i for i in self._items_of(basket) if i["status"] == "to_pick"), None)
        if rest is not None:
            return _refused(f"{self.articles[rest['article_id']]['name']} is still to pick.")
        if not any(i["picked"] > 0 for i in self._items_of(basket)):
            return _refused(
                f"Nothing was found for {self.customers[basket['customer_id']]['name']}, so cancel the basket."
            )
        self._journal = []
        self._put("baskets", basket, "status", "packed")
        if self._breaks_rule_3(basket):
            return self._take_back(RULES[2])
        for one_item in _distinct(self._items_by_basket.get(basket["id"], {}).values()):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct([self.pickers.get(basket["picker_id"])]):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: close the basket of {self.customers[basket['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def move_basket(self, basket_id: str, run_id: str) -> Result:
        """Put a basket on another run in the same zone.

        Args:
            basket_id (str): Id of the basket, such as BASKET-00001.
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        basket = self.baskets.get(basket_id)
        if basket is None:
            return _refused(f"There is no basket {basket_id!r}.")
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if basket["status"] not in ("open", "picking", "packed"):
            return _refused(f"The basket of {self.customers[basket['customer_id']]['name']} is {basket['status']}.")
        if run_id == basket["run_id"]:
            return _refused("It is on that run already.")
        if run["status"] != "open" or self.now >= run["starts"]:
            return _refused(f"That run of {self.vans[run['van_id']]['name']} takes no more baskets.")
        if run["zone"] != self.customers[basket["customer_id"]]["zone"]:
            return _refused(
                f"{self.customers[basket['customer_id']]['name']} lives in the "
                f"{self.customers[basket['customer_id']]['zone']} zone, and that run goes to {run['zone']}."
            )
        if any(
            b["status"] != "cancelled"
            for b in self._baskets_by_customer_run.get((basket["customer_id"], run_id), {}).values()
        ):
            return _refused(f"{self.customers[basket['customer_id']]['name']} has a basket on that run already.")
        if (
            self._run_loaded(run)
            + len(self._crates_by_basket.get(basket_id, {})) > self.vans[run["van_id"]]["crates"]
        ):
            return _refused(
                f"{self.vans[run['van_id']]['name']} has room for "
                f"{self.vans[run['van_id']]['crates'] - self._run_loaded(run)} more crates only."
            )
        self._journal = []
        former_run_id = basket["run_id"]
        self._put("baskets", basket, "run_id", run_id)
        if self._breaks_rule_1(self.runs[basket["run_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.runs[former_run_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(basket):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(basket):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: move the basket of {self.customers[basket['customer_id']]['name']} to another run.",
            "data": self._changes(),
        }

    def cancel_basket(self, basket_id: str) -> Result:
        """Cancel a basket that is not packed; what was picked goes back on the shelf.

        Args:
            basket_id (str): Id of the basket, such as BASKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        basket = self.baskets.get(basket_id)
        if basket is None:
            return _refused(f"There is no basket {basket_id!r}.")
        if basket["status"] not in ("open", "picking"):
            return _refused(f"The basket of {self.customers[basket['customer_id']]['name']} is {basket['status']}.")
        self._journal = []
        changed_items: list[Any] = []
        changed_items_2: list[Any] = []
        changed_items_3: list[Any] = []
        former_crate_ids: list[Any] = []
        changed_crates: list[Any] = []
        former_basket_ids: list[Any] = []
        for i in [i for i in sorted(self._items_by_basket.get(basket_id, {}).values(), key=_age) if i["picked"] > 0]:
            thing = self.articles.get(i["given_id"]) or self.articles[i["article_id"]]
            stock = thing["stock"] + i["picked"]
            if not 0 <= stock <= 90000:
                return self._take_back(f"The stock of {thing['name']} must be between 0 and 90000.")
            self._put("articles", thing, "stock", stock)
            changed_items.append(i)
            self._put("items", i, "picked", 0)
            changed_items_2.append(i)
            self._put("items", i, "given_id", None)
            changed_items_3.append(i)
            former_crate_ids.append(i["crate_id"])
            self._put("items", i, "crate_id", None)
            if i["status"] not in ("to_pick", "picked", "substituted"):
                return self._take_back(f"Item {i['id']} cannot go from {i['status']} to to_pick.")
            self._put("items", i, "status", "to_pick")
        for k in sorted(self._crates_by_basket.get(basket_id, {}).values(), key=_age):
            changed_crates.append(k)
            former_basket_ids.append(k["basket_id"])
            self._put("crates", k, "basket_id", None)
        self._put("baskets", basket, "status", "cancelled")
        for one_run in _distinct(
            [
                *[
                    self.runs[one["run_id"]]
                    for one in [self.baskets.get(one["basket_id"]) for one in changed_crates]
                    if one is not None
                ],
                *[
                    self.runs[one["run_id"]]
                    for one in [self.baskets.get(key) for key in former_basket_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(basket):
            return self._take_back(RULES[2])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_item in _distinct(changed_items_2):
            if self._breaks_rule_7(one_item):
                return self._take_back(RULES[6])
        for one_item in _distinct(changed_items_3):
            if self._breaks_rule_8(one_item):
                return self._take_back(RULES[7])
        for one_item in _distinct(
            [
                *changed_items_3,
                *[user for one in changed_crates for user in self._items_by_crate.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9(one_item):
                return self._take_back(RULES[8])
        for one_crate in _distinct(
            [
                *[self.crates.get(one["crate_id"]) for one in changed_items_3],
                *[self.crates.get(key) for key in former_crate_ids],
            ]
        ):
            if self._breaks_rule_10(one_crate):
                return self._take_back(RULES[9])
        for one_item in _distinct(
            [*changed_items, *changed_items_3, *self._items_by_basket.get(basket["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct([self.pickers.get(basket["picker_id"])]):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel the basket of {self.customers[basket['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def open_run(self, van_id: str, zone: Literal["north", "south", "harbour"], starts: DateTime) -> Result:
        """Open a run of a van into a zone.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            zone (str): Zone that the run delivers to: north, south or harbour.
            starts (str): Time at which it starts, within four days from now, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        if self.now >= starts or starts > _plus_minutes(self.now, 4 * 1440):
            return _refused("Runs are opened up to four days ahead.")
        near = next(
            (
                r
                for r in sorted(self._runs_by_van.get(van_id, {}).values(), key=_age)
                if abs(_minutes_between(starts, r["starts"])) < 2 * 60
            ),
            None,
        )
        if near is not None:
            return _refused(f"{van['name']} starts on a run at {near['starts']} and needs two hours for it.")
        self._journal = []
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "van_id": van_id,
            "zone": zone,
            "starts": starts,
            "status": "open",
        }
        self._add("runs", run)
        if self._breaks_rule_1(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(run):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: open a run of {van['name']} to {zone} at {starts} (new: run {run['id']}).",
            "data": {"run_id": run["id"], **self._changes()},
        }

    def send_run(self, run_id: str) -> Result:
        """Send a van off with every basket of its run packed.

        Args:
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "open":
            return _refused(f"That run of {self.vans[run['van_id']]['name']} is {run['status']}.")
        if run["starts"][:10] > self.now[:10]:
            return _refused(f"That run of {self.vans[run['van_id']]['name']} starts on {run['starts']}.")
        out = next(
            (r for r in sorted(self._runs_by_van_status.get((run["van_id"], "gone"), {}).values(), key=_age)),
            None,
        )
        if out is not None:
            return _refused(f"{self.vans[out['van_id']]['name']} is still out on its run to {out['zone']}.")
        late = next(
            (
                b
                for b in sorted(self._baskets_by_run.get(run_id, {}).values(), key=_age)
                if b["status"] in ("open", "picking")
            ),
            None,
        )
        if late is not None:
            return _refused(
                f"The basket of {self.customers[late['customer_id']]['name']} is {late['status']}, so pack, move "
                "or cancel it first."
            )
        if not any(b["status"] == "packed" for b in self._baskets_by_run.get(run_id, {}).values()):
            return _refused("There is nothing to deliver on that run.")
        self._journal = []
        changed_baskets: list[Any] = []
        self._put("runs", run, "status", "gone")
        for b in sorted(self._baskets_by_run_status.get((run_id, "packed"), {}).values(), key=_age):
            if b["status"] not in ("packed", "on_road"):
                return self._take_back(f"Basket {b['id']} cannot go from {b['status']} to on_road.")
            changed_baskets.append(b)
            self._put("baskets", b, "status", "on_road")
        for one_basket in _distinct(changed_baskets):
            if self._breaks_rule_3(one_basket):
                return self._take_back(RULES[2])
        for one_item in _distinct(
            [user for one in changed_baskets for user in self._items_by_basket.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct([self.pickers.get(one["picker_id"]) for one in changed_baskets]):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: send {self.vans[run['van_id']]['name']} off to {run['zone']}.",
            "data": self._changes(),
        }

    def hand_over_basket(self, basket_id: str, refused_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Hand a basket over at the door; refused items go back, ambient ones onto the shelf, crates are free again,
        and the run is done after its last basket.

        Args:
            basket_id (str): Id of the basket, such as BASKET-00001.
            refused_ids (list): Picked items of the basket that the customer refuses: ids of items, such as
                ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        basket = self.baskets.get(basket_id)
        if basket is None:
            return _refused(f"There is no basket {basket_id!r}.")
        refused = []
        for key in refused_ids:
            if key not in self.items:
                return _refused(f"There is no item {key!r}.")
            refused.append(self.items[key])
        if basket["status"] != "on_road":
            return _refused(f"The basket of {self.customers[basket['customer_id']]['name']} is {basket['status']}.")
        if not _different([i["id"] for i in refused]):
            return _refused("An item is named twice.")
        if not all(i["basket_id"] == basket_id and i["status"] in ("picked", "substituted") for i in refused):
            return _refused(
                f"Only what was brought to {self.customers[basket['customer_id']]['name']} can be refused."
            )
        self._journal = []
        changed_items: list[Any] = []
        changed_items_2: list[Any] = []
        former_crate_ids: list[Any] = []
        changed_crates: list[Any] = []
        former_basket_ids: list[Any] = []
        for i in list(refused):
            thing = self.articles.get(i["given_id"]) or self.articles[i["article_id"]]
            if thing["temperature"] == "ambient":
                stock = thing["stock"] + i["picked"]
                if not 0 <= stock <= 90000:
                    return self._take_back(f"The stock of {thing['name']} must be between 0 and 90000.")
                self._put("articles", thing, "stock", stock)
            changed_items.append(i)
            self._put("items", i, "picked", 0)
            if i["status"] not in ("picked", "substituted", "refused"):
                return self._take_back(f"Item {i['id']} cannot go from {i['status']} to refused.")
            self._put("items", i, "status", "refused")
        self._put("baskets", basket, "status", "delivered")
        for i in sorted(self._items_by_basket.get(basket_id, {}).values(), key=_age):
            changed_items_2.append(i)
            former_crate_ids.append(i["crate_id"])
            self._put("items", i, "crate_id", None)
        for k in sorted(self._crates_by_basket.get(basket_id, {}).values(), key=_age):
            changed_crates.append(k)
            former_basket_ids.append(k["basket_id"])
            self._put("crates", k, "basket_id", None)
        if not self._baskets_by_run_status.get((basket["run_id"], "on_road"), {}):
            run = self.runs[basket["run_id"]]
            if run["status"] not in ("gone", "done"):
                return self._take_back(f"Run {run['id']} cannot go from {run['status']} to done.")
            self._put("runs", run, "status", "done")
        for one_run in _distinct(
            [
                *[
                    self.runs[one["run_id"]]
                    for one in [self.baskets.get(one["basket_id"]) for one in changed_crates]
                    if one is not None
                ],
                *[
                    self.runs[one["run_id"]]
                    for one in [self.baskets.get(key) for key in former_basket_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(basket):
            return self._take_back(RULES[2])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_item in _distinct(changed_items_2):
            if self._breaks_rule_8(one_item):
                return self._take_back(RULES[7])
        for one_item in _distinct(
            [
                *changed_items_2,
                *[user for one in changed_crates for user in self._items_by_crate.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9(one_item):
                return self._take_back(RULES[8])
        for one_crate in _distinct(
            [
                *[self.crates.get(one["crate_id"]) for one in changed_items_2],
                *[self.crates.get(key) for key in former_crate_ids],
            ]
        ):
            if self._breaks_rule_10(one_crate):
                return self._take_back(RULES[9])
        for one_item in _distinct(
            [*changed_items, *self._items_by_basket.get(basket["id"], {}).values(), *changed_items_2]
        ):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct([self.pickers.get(basket["picker_id"])]):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: hand the basket over to {self.customers[basket['customer_id']]['name']}.",
            "data": self._changes(),
        }

    def bring_back(self, basket_id: str) -> Result:
        """Note that nobody was at home, so the driver brings the basket back; it is cancelled, ambient goods go onto
        the shelf, the rest is thrown away, and the run is done after its last basket.

        Args:
            basket_id (str): Id of the basket, such as BASKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        basket = self.baskets.get(basket_id)
        if basket is None:
            return _refused(f"There is no basket {basket_id!r}.")
        if basket["status"] != "on_road":
            return _refused(f"The basket of {self.customers[basket['customer_id']]['name']} is {basket['status']}.")
        self._journal = []
        changed_items: list[Any] = []
        changed_items_2: list[Any] = []
        changed_items_3: list[Any] = []
        former_crate_ids: list[Any] = []
        changed_crates: list[Any] = []
        former_basket_ids: list[Any] = []
        for i in [i for i in sorted(self._items_by_basket.get(basket_id, {}).values(), key=_age) if i["picked"] > 0]:
            thing = self.articles.get(i["given_id"]) or self.articles[i["article_id"]]
            if thing["temperature"] == "ambient":
                stock = thing["stock"] + i["picked"]
                if not 0 <= stock <= 90000:
                    return self._take_back(f"The stock of {thing['name']} must be between 0 and 90000.")
                self._put("articles", thing, "stock", stock)
            changed_items.append(i)
            self._put("items", i, "picked", 0)
            changed_items_2.append(i)
            self._put("items", i, "given_id", None)
            changed_items_3.append(i)
            former_crate_ids.append(i["crate_id"])
            self._put("items", i, "crate_id", None)
            if i["status"] not in ("to_pick", "picked", "substituted"):
                return self._take_back(f"Item {i['id']} cannot go from {i['status']} to to_pick.")
            self._put("items", i, "status", "to_pick")
        for k in sorted(self._crates_by_basket.get(basket_id, {}).values(), key=_age):
            changed_crates.append(k)
            former_basket_ids.append(k["basket_id"])
            self._put("crates", k, "basket_id", None)
        self._put("baskets", basket, "status", "cancelled")
        if not self._baskets_by_run_status.get((basket["run_id"], "on_road"), {}):
            run = self.runs[basket["run_id"]]
            if run["status"] not in ("gone", "done"):
                return self._take_back(f"Run {run['id']} cannot go from {run['status']} to done.")
            self._put("runs", run, "status", "done")
        for one_run in _distinct(
            [
                *[
                    self.runs[one["run_id"]]
                    for one in [self.baskets.get(one["basket_id"]) for one in changed_crates]
                    if one is not None
                ],
                *[
                    self.runs[one["run_id"]]
                    for one in [self.baskets.get(key) for key in former_basket_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(basket):
            return self._take_back(RULES[2])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_6(one_item):
                return self._take_back(RULES[5])
        for one_item in _distinct(changed_items_2):
            if self._breaks_rule_7(one_item):
                return self._take_back(RULES[6])
        for one_item in _distinct(changed_items_3):
            if self._breaks_rule_8(one_item):
                return self._take_back(RULES[7])
        for one_item in _distinct(
            [
                *changed_items_3,
                *[user for one in changed_crates for user in self._items_by_crate.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9(one_item):
                return self._take_back(RULES[8])
        for one_crate in _distinct(
            [
                *[self.crates.get(one["crate_id"]) for one in changed_items_3],
                *[self.crates.get(key) for key in former_crate_ids],
            ]
        ):
            if self._breaks_rule_10(one_crate):
                return self._take_back(RULES[9])
        for one_item in _distinct(
            [*changed_items, *changed_items_3, *self._items_by_basket.get(basket["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_picker in _distinct([self.pickers.get(basket["picker_id"])]):
            if self._breaks_rule_12(one_picker):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: bring the basket of {self.customers[basket['customer_id']]['name']} back.",
            "data": self._changes(),
        }

    def _show_picker(self, picker: Picker) -> dict[str, Any]:
        """The picker as an answer shows it."""
        return {**picker, "busy_with": self._picker_busy_with(picker)}

    def _show_run(self, run: Run) -> dict[str, Any]:
        """The run as an answer shows it."""
        return {**run, "loaded": self._run_loaded(run)}

    def _show_basket(self, basket: Basket) -> dict[str, Any]:
        """The basket as an answer shows it."""
        return {**basket, "total": self._basket_total(basket)}

    def _show_item(self, item: Item) -> dict[str, Any]:
        """The item as an answer shows it."""
        return {**item, "asked": self._item_asked(item), "charge": self._item_charge(item)}

    def _show_crate(self, crate: Crate) -> dict[str, Any]:
        """The crate as an answer shows it."""
        return {**crate, "lines": self._crate_lines(crate)}

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names((self.vans, "name", [row["van_id"] for row in shown]))

    def _names_of_baskets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that baskets point to."""
        return _names(
            (self.customers, "name", [row["customer_id"] for row in shown]),
            (self.pickers, "name", [row["picker_id"] for row in shown]),
        )

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.articles, "name", [row["article_id"] for row in shown]),
            (self.articles, "name", [row["given_id"] for row in shown]),
            (self.crates, "label", [row["crate_id"] for row in shown]),
        )

    def _picker_busy_with(self, picker: Picker) -> int:
        """The busy with of a picker."""
        return len(self._baskets_by_picker_status.get((picker["id"], "picking"), {}))

    def _run_loaded(self, run: Run) -> int:
        """The loaded of a run."""
        return sum(
            1
            for _basket in self._baskets_by_run.get(run["id"], {}).values()
            for k in self._crates_by_basket.get(_basket["id"], {}).values()
            if k["basket_id"] is not None
        )

    def _basket_total(self, basket: Basket) -> int:
        """The total of a basket."""
        return sum(self._item_charge(i) for i in self._items_by_basket.get(basket["id"], {}).values())

    def _item_asked(self, item: Item) -> int:
        """The asked of an item."""
        return item["wanted"] if self.articles[item["article_id"]]["unit"] == "piece" else item["wanted"] * 100

    def _item_charge(self, item: Item) -> int:
        """The charge of an item."""
        return (
            (self.articles.get(item["given_id"]) or self.articles[item["article_id"]])["price"] * item["picked"]
            if self.articles[item["article_id"]]["unit"] == "piece"
            else _rounded(
                Fraction(
                    (
                        self.articles.get(item["given_id"])
                        or self.articles[item["article_id"]]
                    )["price"] * item["picked"],
                    1000,
                )
            )
        )

    def _crate_lines(self, crate: Crate) -> int:
        """The lines of a crate."""
        return len(self._items_by_crate.get(crate["id"], {}))

    def _items_of(self, b: Basket) -> list[Item]:
        return sorted(self._items_by_basket.get(b["id"], {}).values(), key=_age)

    def _has_frozen(self, b: Basket) -> bool:
        return any(
            self.articles[i["article_id"]]["temperature"] == "frozen"
            for i in self._items_by_basket.get(b["id"], {}).values()
        )

    def _fits(self, i: Item, n: int) -> bool:
        return (
            self.articles[i["article_id"]]["unit"] == "piece" and n <= self._item_asked(i)
            or self.articles[i["article_id"]]["unit"] == "gram" and (
                self._item_asked(i) * 9 <= n * 10
                and n * 10 <= self._item_asked(i) * 11
            )
        )

    def _room(self, b: Basket, a: Article) -> Crate | None:
        return min(
            (
                k
                for k in self.crates.values()
                if k["temperature"] == a["temperature"]
                and self._crate_lines(k) < 5
                and (
                    k["basket_id"] == b["id"]
                    or k["basket_id"] is None
                    and self._run_loaded(self.runs[b["run_id"]]) < self.vans[
                        self.runs[b["run_id"]]["van_id"]
                    ]["crates"]
                )
            ),
            key=lambda k: (k["basket_id"] is None, k["label"], _age(k)),
            default=None,
        )

    def _may_replace(self, i: Item, a: Article) -> bool:
        return (
            a["id"] != i["article_id"]
            and a["shelf"] == self.articles[i["article_id"]]["shelf"]
            and a["unit"] == self.articles[i["article_id"]]["unit"]
            and a["temperature"] == self.articles[i["article_id"]]["temperature"]
            and (
                self.customers[self.baskets[i["basket_id"]]["customer_id"]]["substitutes"] == "any"
                or self.customers[self.baskets[i["basket_id"]]["customer_id"]]["substitutes"] == "not_dearer"
                and a["price"] <= self.articles[i["article_id"]]["price"]
            )
        )

    def _breaks_rule_1(self, r: Run) -> bool:
        """Whether this is broken: a van never carries more crates than fit."""
        return self._run_loaded(r) > self.vans[r["van_id"]]["crates"]

    def _breaks_rule_2(self, r: Run) -> bool:
        """Whether this is broken: a van starts on one run at a time."""
        return any(
            other_r is not r
            for other_r in self._runs_by_van.get(r["van_id"], {}).values()
            if other_r["starts"] == r["starts"]
        )

    def _breaks_rule_3(self, b: Basket) -> bool:
        """Whether this is broken: a customer has one basket on a run."""
        return (
            b["status"] != "cancelled"
            and any(
                other_b is not b
                for other_b in self._baskets_by_customer_run.get((b["customer_id"], b["run_id"]), {}).values()
                if other_b["status"] != "cancelled"
            )
        )

    def _breaks_rule_4(self, b: Basket) -> bool:
        """Whether this is broken: baskets travel in the zone of their customer."""
        return self.runs[b["run_id"]]["zone"] != self.customers[b["customer_id"]]["zone"]

    def _breaks_rule_5(self, i: Item) -> bool:
        """Whether this is broken: an article stands in a basket once."""
        return any(
            other_i is not i
            for other_i in self._items_by_basket_article.get((i["basket_id"], i["article_id"]), {}).values()
        )

    def _breaks_rule_6(self, i: Item) -> bool:
        """Whether this is broken: nobody gets more pieces than ordered, and weighed goods are within a tenth of the
        order.
        """
        return not (i["picked"] == 0 or self._fits(i, i["picked"]))

    def _breaks_rule_7(self, i: Item) -> bool:
        """Whether this is broken: substitutes come from the same shelf and respect what the customer allows."""
        return not (i["given_id"] is None or self._may_replace(i, self.articles[i["given_id"]]))

    def _breaks_rule_8(self, i: Item) -> bool:
        """Whether this is broken: a crate holds goods of its own temperature only."""
        return (
            i["crate_id"] is not None
            and self.crates[i["crate_id"]]["temperature"] != self.articles[i["article_id"]]["temperature"]
        )

    def _breaks_rule_9(self, i: Item) -> bool:
        """Whether this is broken: a crate holds goods of its own basket only."""
        return i["crate_id"] is not None and self.crates[i["crate_id"]]["basket_id"] != i["basket_id"]

    def _breaks_rule_10(self, k: Crate) -> bool:
        """Whether this is broken: a crate takes five lines at most."""
        return self._crate_lines(k) > 5

    def _breaks_rule_11(self, i: Item) -> bool:
        """Whether this is broken: until the door, picked goods lie in a crate and nothing else does."""
        return (
            self.baskets[i["basket_id"]]["status"] != "delivered"
            and (i["crate_id"] is not None) != (i["picked"] > 0)
        )

    def _breaks_rule_12(self, p: Picker) -> bool:
        """Whether this is broken: a picker has at most two baskets in hand."""
        return self._picker_busy_with(p) > 2

    def _breaks_rule_13(self, i: Item) -> bool:
        """Whether this is broken: baskets with frozen goods are picked by somebody trained for the cold store."""
        return (
            self.articles[i["article_id"]]["temperature"] == "frozen"
            and (
                self.baskets[i["basket_id"]]["picker_id"] is not None
                and not self.pickers[self.baskets[i["basket_id"]]["picker_id"]]["cold_trained"]
            )
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
            case "runs":
                self._runs_by_van.setdefault(record["van_id"], {})[record["id"]] = record
                self._runs_by_van_status.setdefault((record["van_id"], record["status"]), {})[record["id"]] = record
            case "baskets":
                self._baskets_by_customer_run.setdefault(
                    (record["customer_id"], record["run_id"]),
                    {},
                )[record["id"]] = record
                self._baskets_by_picker.setdefault(record["picker_id"], {})[record["id"]] = record
                self._baskets_by_picker_status.setdefault(
                    (record["picker_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._baskets_by_run.setdefault(record["run_id"], {})[record["id"]] = record
                self._baskets_by_run_status.setdefault((record["run_id"], record["status"]), {})[record["id"]] = record
            case "items":
                self._items_by_basket.setdefault(record["basket_id"], {})[record["id"]] = record
                self._items_by_basket_article.setdefault(
                    (record["basket_id"], record["article_id"]),
                    {},
                )[record["id"]] = record
                self._items_by_crate.setdefault(record["crate_id"], {})[record["id"]] = record
            case "crates":
                self._crates_by_basket.setdefault(record["basket_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "runs":
                del self._runs_by_van[record["van_id"]][record["id"]]
                del self._runs_by_van_status[record["van_id"], record["status"]][record["id"]]
            case "baskets":
                del self._baskets_by_customer_run[record["customer_id"], record["run_id"]][record["id"]]
                del self._baskets_by_picker[record["picker_id"]][record["id"]]
                del self._baskets_by_picker_status[record["picker_id"], record["status"]][record["id"]]
                del self._baskets_by_run[record["run_id"]][record["id"]]
                del self._baskets_by_run_status[record["run_id"], record["status"]][record["id"]]
            case "items":
                del self._items_by_basket[record["basket_id"]][record["id"]]
                del self._items_by_basket_article[record["basket_id"], record["article_id"]][record["id"]]
                del self._items_by_crate[record["crate_id"]][record["id"]]
            case "crates":
                del self._crates_by_basket[record["basket_id"]][record["id"]]
