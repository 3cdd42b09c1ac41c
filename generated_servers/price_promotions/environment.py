"""Prices and promotions. Compiled from blueprint.yaml; run `envscaler build price_promotions` after changing it there.

Sets the prices of a supermarket chain by store group and period, with a margin floor per category, promotions
and bundles, and approval by people with enough authority.
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
    "Approved prices of an article in one store group never overlap in time.",
    "A price below the margin floor of its category was approved by somebody.",
    "Nobody approves a price below the margin they may go to.",
    "Nobody approves what they proposed or planned.",
    "A price ends after it starts.",
    "An article is in one promotion at a time, counting the groups above and below.",
    "An article stands in a promotion once.",
    "A promotion that stands has at least one article.",
    "A promotion lasts from one day to six weeks.",
    "A promotion takes percents off or is a bundle with a price, never both.",
    "An approved promotion was approved by somebody who may go as low as its margin.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "propose_price",
    "approve_price",
    "reject_price",
    "end_price",
    "plan_promotion",
    "plan_bundle",
    "approve_promotion",
    "change_articles",
    "move_promotion",
    "cancel_promotion",
    "change_cost",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "groups": ("name",),
    "categories": ("name",),
    "articles": ("name",),
    "people": ("name",),
    "prices": (),
    "promotions": ("name",),
    "deals": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("deals", "article_id"),
    ("deals", "promotion_id"),
    ("groups", "within_id"),
    ("prices", "article_id"),
    ("prices", "group_id"),
    ("prices", "status"),
    ("promotions", "group_id"),
    ("promotions", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Group(TypedDict):
    id: str
    name: str
    within_id: str | None


class Category(TypedDict):
    id: str
    name: str
    floor: int


class Article(TypedDict):
    id: str
    name: str
    category_id: str
    cost: int
    list_price: int


class Person(TypedDict):
    id: str
    name: str
    lowest_margin: int


class Price(TypedDict):
    id: str
    article_id: str
    group_id: str
    amount: int
    starts: str
    ends: str | None
    margin: int
    floor: int
    proposed_by_id: str
    approved_by_id: str | None
    status: Literal["waiting", "approved", "rejected"]


class Promotion(TypedDict):
    id: str
    name: str
    group_id: str
    percent: int | None
    price: int | None
    starts: str
    ends: str
    planned_by_id: str
    approved_by_id: str | None
    margin: int | None
    status: Literal["planned", "approved", "cancelled"]


class Deal(TypedDict):
    id: str
    promotion_id: str
    article_id: str
    pieces: int


class PlanBundlePart(TypedDict):
    article_id: str
    pieces: Annotated[int, {"minimum": 1, "maximum": 12}]


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


class PricePromotions:
    """Sets the prices of a supermarket chain by store group and period, with a margin floor per category,
    promotions and bundles, and approval by people with enough authority.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.categories: dict[str, Category] = _copied(config.get("categories", {}))
        self.articles: dict[str, Article] = _copied(config.get("articles", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.prices: dict[str, Price] = _copied(config.get("prices", {}))
        self.promotions: dict[str, Promotion] = _copied(config.get("promotions", {}))
        self.deals: dict[str, Deal] = _copied(config.get("deals", {}))
        self.now: str = config.get("now", "2026-03-04T11:00")
        self.counters: dict[str, int] = {
            "group": len(self.groups),
            "category": len(self.categories),
            "article": len(self.articles),
            "person": len(self.people),
            "price": len(self.prices),
            "promotion": len(self.promotions),
            "deal": len(self.deals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._groups_by_within: dict[Any, dict[str, Group]] = {}
        self._prices_by_article_group: dict[Any, dict[str, Price]] = {}
        self._prices_by_article_group_status: dict[Any, dict[str, Price]] = {}
        self._prices_by_article_status: dict[Any, dict[str, Price]] = {}
        self._promotions_by_group: dict[Any, dict[str, Promotion]] = {}
        self._promotions_by_name: dict[Any, dict[str, Promotion]] = {}
        self._deals_by_article: dict[Any, dict[str, Deal]] = {}
        self._deals_by_promotion: dict[Any, dict[str, Deal]] = {}
        self._deals_by_promotion_article: dict[Any, dict[str, Deal]] = {}
        for group in self.groups.values():
            self._link("groups", group)
        for price in self.prices.values():
            self._link("prices", price)
        for promotion in self.promotions.values():
            self._link("promotions", promotion)
        for deal in self.deals.values():
            self._link("deals", deal)

    def price_in_store(self, article_id: str, group_id: str, on: Date | None = None) -> Result:
        """What an article costs in a store group on a day, and which promotion applies.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            group_id (str): Id of the group, such as GROUP-00001.
            on (str, optional): Day for which the price is asked, as YYYY-MM-DD. If left out, the price of today is
                given.

        Returns:
            dict: {"success": True, "data": {price, cost, promotion}} or {"success": False, "error": why not}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        d = on if on is not None else self.now[:10]
        deal = next(
            (
                x
                for x in sorted(self._deals_by_article.get(article_id, {}).values(), key=_age)
                if self.promotions[x["promotion_id"]]["status"] == "approved"
                and (
                    self.promotions[x["promotion_id"]]["starts"] <= d
                    and d <= self.promotions[x["promotion_id"]]["ends"]
                )
                and (
                    self.promotions[x["promotion_id"]]["group_id"] == group_id
                    or self.groups[
                        self.promotions[x["promotion_id"]]["group_id"]
                    ] in _above(self.groups, group, "within_id")
                )
            ),
            None,
        )
        return _found(
            {
                "price": self._price_on(article, group, d),
                "cost": article["cost"],
                "promotion": self.promotions[deal["promotion_id"]]["name"] if deal is not None else "none",
            }
        )

    def may_approve(
        self,
        promotion_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """People who may approve a planned promotion, least authority first.

        Args:
            promotion_id (str): Id of the promotion, such as PROMOTION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}} or {"success": False, "error": why
                not}
        """
        promotion = self.promotions.get(promotion_id)
        if promotion is None:
            return _refused(f"There is no promotion {promotion_id!r}.")
        found = [
            p
            for p in self.people.values()
            if p["id"] != promotion["planned_by_id"]
            and p["lowest_margin"] <= self._worst_margin(promotion)
        ]
        found.sort(key=lambda p: (-p["lowest_margin"], p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "people": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "lowest_margin": p["lowest_margin"],
                        "needed": self._worst_margin(promotion),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def promotions_in(
        self,
        group_id: str,
        since: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Promotions that stand in a store group or in one above it, from a day on.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            since (str): First day to look at, without promotions that end before it, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "promotions": records}} or {"success": False, "error":
                why not}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            p
            for p in _distinct(
                [
                    p
                    for key in [group_id, *[record["id"] for record in _above(self.groups, group, "within_id")]]
                    for p in self._promotions_by_group.get(key, {}).values()
                ]
            )
            if (self._live(p) and p["ends"] >= since)
        ]
        found.sort(key=lambda p: (p["starts"], p["name"], _age(p)))
        shown = [self._show_promotion(p) for p in _page(found, offset)]
        return _found({"total": len(found), "promotions": shown}, self._names_of_promotions(shown))

    def list_groups(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the groups, oldest first, all of them or only some.

        Args:
            name (str, optional): Only groups whose name contains this text.
            within_id (str, optional): Only groups within this group.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}}
        """
        if within_id is not None and within_id not in self.groups:
            return _refused(f"There is no group {within_id!r}.")
        found = [
            group
            for group in self.groups.values()
            if (name is None or name.casefold() in group["name"].casefold())
            and (within_id is None or group["within_id"] == within_id)
        ]
        shown = [{**group} for group in _page(found, offset)]
        return _found({"total": len(found), "groups": shown}, self._names_of_groups(shown))

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

    def list_articles(
        self,
        name: Text | None = None,
        category_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the articles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only articles whose name contains this text.
            category_id (str, optional): Only articles of this category.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}}
        """
        if category_id is not None and category_id not in self.categories:
            return _refused(f"There is no category {category_id!r}.")
        found = [
            article
            for article in self.articles.values()
            if (name is None or name.casefold() in article["name"].casefold())
            and (category_id is None or article["category_id"] == category_id)
        ]
        shown = [{**article} for article in _page(found, offset)]
        return _found({"total": len(found), "articles": shown}, self._names_of_articles(shown))

    def list_people(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_prices(
        self,
        article_id: str | None = None,
        group_id: str | None = None,
        proposed_by_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["waiting", "approved", "rejected"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the prices, oldest first, all of them or only some.

        Args:
            article_id (str, optional): Only prices of this article.
            group_id (str, optional): Only prices of this group.
            proposed_by_id (str, optional): Only prices proposed by this person.
            approved_by_id (str, optional): Only prices approved by this person.
            status (str, optional): Only prices with this status.
            starts_from (str, optional): Only prices whose `starts` is on this day or later.
            starts_to (str, optional): Only prices whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "prices": records}}
        """
        if article_id is not None and article_id not in self.articles:
            return _refused(f"There is no article {article_id!r}.")
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        if proposed_by_id is not None and proposed_by_id not in self.people:
            return _refused(f"There is no person {proposed_by_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.people:
            return _refused(f"There is no person {approved_by_id!r}.")
        found = [
            price
            for price in self.prices.values()
            if (article_id is None or price["article_id"] == article_id)
            and (group_id is None or price["group_id"] == group_id)
            and (proposed_by_id is None or price["proposed_by_id"] == proposed_by_id)
            and (approved_by_id is None or price["approved_by_id"] == approved_by_id)
            and (status is None or price["status"] == status)
            and (starts_from is None or price["starts"] >= starts_from)
            and (starts_to is None or price["starts"] <= starts_to)
        ]
        shown = [{**price} for price in _page(found, offset)]
        return _found({"total": len(found), "prices": shown}, self._names_of_prices(shown))

    def list_promotions(
        self,
        name: Text | None = None,
        group_id: str | None = None,
        planned_by_id: str | None = None,
        approved_by_id: str | None = None,
        status: Literal["planned", "approved", "cancelled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the promotions, oldest first, all of them or only some.

        Args:
            name (str, optional): Only promotions whose name contains this text.
            group_id (str, optional): Only promotions of this group.
            planned_by_id (str, optional): Only promotions planned by this person.
            approved_by_id (str, optional): Only promotions approved by this person.
            status (str, optional): Only promotions with this status.
            starts_from (str, optional): Only promotions whose `starts` is on this day or later.
            starts_to (str, optional): Only promotions whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "promotions": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        if planned_by_id is not None and planned_by_id not in self.people:
            return _refused(f"There is no person {planned_by_id!r}.")
        if approved_by_id is not None and approved_by_id not in self.people:
            return _refused(f"There is no person {approved_by_id!r}.")
        found = [
            promotion
            for promotion in self.promotions.values()
            if (name is None or name.casefold() in promotion["name"].casefold())
            and (group_id is None or promotion["group_id"] == group_id)
            and (planned_by_id is None or promotion["planned_by_id"] == planned_by_id)
            and (approved_by_id is None or promotion["approved_by_id"] == approved_by_id)
            and (status is None or promotion["status"] == status)
            and (starts_from is None or promotion["starts"] >= starts_from)
            and (starts_to is None or promotion["starts"] <= starts_to)
        ]
        shown = [self._show_promotion(promotion) for promotion in _page(found, offset)]
        return _found({"total": len(found), "promotions": shown}, self._names_of_promotions(shown))

    def list_deals(
        self,
        promotion_id: str | None = None,
        article_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deals, oldest first, all of them or only some.

        Args:
            promotion_id (str, optional): Only deals of this promotion.
            article_id (str, optional): Only deals of this article.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deals": records}}
        """
        if promotion_id is not None and promotion_id not in self.promotions:
            return _refused(f"There is no promotion {promotion_id!r}.")
        if article_id is not None and article_id not in self.articles:
            return _refused(f"There is no article {article_id!r}.")
        found = [
            deal
            for deal in self.deals.values()
            if (promotion_id is None or deal["promotion_id"] == promotion_id)
            and (article_id is None or deal["article_id"] == article_id)
        ]
        shown = [{**deal} for deal in _page(found, offset)]
        return _found({"total": len(found), "deals": shown}, self._names_of_deals(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def propose_price(
        self,
        article_id: str,
        group_id: str,
        amount: Annotated[int, {"minimum": 30, "maximum": 60000}],
        starts: Date,
        by_id: str,
        ends: Date | None = None,
    ) -> Result:
        """Propose a price of an article for a store group; at or above the margin floor it stands at once, and an
        open-ended price before it ends the day before.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            group_id (str): Id of the group, such as GROUP-00001.
            amount (int): Proposed price of one piece, in cents, from 30 to 60000.
            starts (str): First day of the price, today at the earliest, as YYYY-MM-DD.
            by_id (str): Person who proposes the price; an id such as PERSON-00001.
            ends (str, optional): Last day of the price, as YYYY-MM-DD. If left out, the price has no end.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if starts < self.now[:10]:
            return _refused(f"{starts} is in the past.")
        if ends is not None and ends < starts:
            return _refused("The period ends before it starts.")
        if amount * 2 <= article["cost"]:
            return _refused(
                f"{_money(amount)} is not even half of the {_money(article['cost'])} that {article['name']} costs us."
            )
        other = self._blocking(article, group, starts, ends, None)
        if other is not None:
            return _refused(
                f"{article['name']} has a price of {_money(other['amount'])} in {group['name']} from "
                f"{other['starts']} that stands in the way ({other['status']}), so end or reject it first."
            )
        self._journal = []
        changed_prices: list[Any] = []
        changed_prices_2: list[Any] = []
        margin = self._margin_of(amount, article["cost"])
        if not -100 <= margin <= 100:
            return self._take_back("The margin of a price must be between -100 and 100.")
        price: Price = {
            "id": self._new_id("price", "PRICE", self.prices),
            "article_id": article_id,
            "group_id": group_id,
            "amount": amount,
            "starts": starts,
            "ends": ends,
            "margin": margin,
            "floor": self.categories[article["category_id"]]["floor"],
            "proposed_by_id": by_id,
            "approved_by_id": None,
            "status": "waiting",
        }
        self._add("prices", price)
        if margin >= self.categories[article["category_id"]]["floor"]:
            for p in [
                p
                for p in sorted(
                    self._prices_by_article_group_status.get((article_id, group_id, "approved"), {}).values(),
                    key=_age,
                )
                if p is not price
                and p["ends"] is None
                and p["starts"] < starts
            ]:
                changed_prices.append(p)
                self._put("prices", p, "ends", _plus_days(starts, -1))
            if price["status"] not in ("waiting", "approved"):
                return self._take_back(f"Price {price['id']} cannot go from {price['status']} to approved.")
            changed_prices_2.append(price)
            self._put("prices", price, "status", "approved")
        for one_price in _distinct([price, *changed_prices, *changed_prices_2]):
            if self._breaks_rule_1(one_price):
                return self._take_back(RULES[0])
        for one_price in _distinct([price, *changed_prices_2]):
            if self._breaks_rule_2(one_price):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(price):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_p(price):
            return self._take_back(RULES[3])
        for one_price in _distinct([price, *changed_prices]):
            if self._breaks_rule_5(one_price):
                return self._take_back(RULES[4])
        done = f"propose {_money(amount)} for {article['name']} in {group['name']} as {by['name']} from {starts}"
        if ends is not None:
            done += f" to {ends}"
        return {
            "success": True,
            "message": f"Done: {done} (new: price {price['id']}).",
            "data": {"price_id": price["id"], **self._changes()},
        }

    def approve_price(self, price_id: str, by_id: str) -> Result:
        """Approve a price that waits because its margin is below the floor.

        Args:
            price_id (str): Id of the price, such as PRICE-00001.
            by_id (str): Person who approves it, other than whoever proposed it; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        price = self.prices.get(price_id)
        if price is None:
            return _refused(f"There is no price {price_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if price["status"] != "waiting":
            return _refused(f"The price of {self.articles[price['article_id']]['name']} is {price['status']}.")
        if by_id == price["proposed_by_id"]:
            return _refused(f"{by['name']} proposed it and cannot approve it.")
        if by["lowest_margin"] > price["margin"]:
            return _refused(
                f"{by['name']} may go down to a margin of {by['lowest_margin']} percent and this is "
                f"{price['margin']}."
            )
        other = self._blocking(
            self.articles[price["article_id"]],
            self.groups[price["group_id"]],
            price["starts"],
            price["ends"],
            price,
        )
        if other is not None:
            return _refused(
                f"{self.articles[price['article_id']]['name']} has a price of {_money(other['amount'])} in "
                f"{self.groups[price['group_id']]['name']} from {other['starts']} that stands in the way "
                f"({other['status']})."
            )
        self._journal = []
        changed_prices: list[Any] = []
        for p in [
            p
            for p in sorted(
                self._prices_by_article_group_status.get(
                    (price["article_id"], price["group_id"], "approved"),
                    {},
                ).values(),
                key=_age,
            )
            if p is not price
            and p["ends"] is None
            and p["starts"] < price["starts"]
        ]:
            changed_prices.append(p)
            self._put("prices", p, "ends", _plus_days(price["starts"], -1))
        self._put("prices", price, "approved_by_id", by_id)
        self._put("prices", price, "status", "approved")
        for one_price in _distinct([price, *changed_prices]):
            if self._breaks_rule_1(one_price):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(price):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(price):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_p(price):
            return self._take_back(RULES[3])
        for one_price in _distinct(changed_prices):
            if self._breaks_rule_5(one_price):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: approve {_money(price['amount'])} for {self.articles[price['article_id']]['name']} in "
                f"{self.groups[price['group_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def reject_price(self, price_id: str, by_id: str) -> Result:
        """Reject a price that waits.

        Args:
            price_id (str): Id of the price, such as PRICE-00001.
            by_id (str): Person who rejects it, with authority over its margin, or its proposer; an id such as
                PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        price = self.prices.get(price_id)
        if price is None:
            return _refused(f"There is no price {price_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if price["status"] != "waiting":
            return _refused(f"The price of {self.articles[price['article_id']]['name']} is {price['status']}.")
        if by["lowest_margin"] > price["margin"] and by_id != price["proposed_by_id"]:
            return _refused(f"{by['name']} has no say about a margin of {price['margin']} percent.")
        self._journal = []
        self._put("prices", price, "status", "rejected")
        if self._breaks_rule_1(price):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(price):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": (
                f"Done: reject {_money(price['amount'])} for {self.articles[price['article_id']]['name']} in "
                f"{self.groups[price['group_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def end_price(self, price_id: str, last_day: Date) -> Result:
        """Let an approved price end on a day.

        Args:
            price_id (str): Id of the price, such as PRICE-00001.
            last_day (str): Last day on which the price applies, today at the earliest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        price = self.prices.get(price_id)
        if price is None:
            return _refused(f"There is no price {price_id!r}.")
        if price["status"] != "approved":
            return _refused(f"The price of {self.articles[price['article_id']]['name']} is {price['status']}.")
        if last_day < self.now[:10] or last_day < price["starts"]:
            return _refused(f"The last day cannot lie before today or before {price['starts']}.")
        if last_day >= self._open_until(price):
            return _refused(f"That price ends on or before {last_day} as it is.")
        self._journal = []
        self._put("prices", price, "ends", last_day)
        if self._breaks_rule_1(price):
            return self._take_back(RULES[0])
        if self._breaks_rule_5(price):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: end the price of {self.articles[price['article_id']]['name']} in "
                f"{self.groups[price['group_id']]['name']} on {last_day}."
            ),
            "data": self._changes(),
        }

    def plan_promotion(
        self,
        name: Text,
        group_id: str,
        article_ids: Annotated[list[str], {"maxItems": 20}],
        percent: Annotated[int, {"minimum": 5, "maximum": 70}],
        starts: Date,
        ends: Date,
        by_id: str,
    ) -> Result:
        """Plan a promotion that takes percents off some articles in a store group and all groups below it; no price
        in it may have gone up in the 30 days before.

        Args:
            name (str): Name of the new promotion, not in use yet.
            group_id (str): Id of the group, such as GROUP-00001.
            article_ids (list): Articles that become cheaper, each once: ids of articles, such as ARTICLE-00001.
            percent (int): Percent taken off the price, from 5 to 70.
            starts (str): First day of the promotion, tomorrow at the earliest, as YYYY-MM-DD.
            ends (str): Last day of the promotion, at most 42 days in all, as YYYY-MM-DD.
            by_id (str): Person who plans the promotion; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        articles = []
        for key in article_ids:
            if key not in self.articles:
                return _refused(f"There is no article {key!r}.")
            articles.append(self.articles[key])
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if self._promotions_by_name.get(name, {}):
            return _refused(f"There is a promotion called {name} already.")
        if starts <= self.now[:10]:
            return _refused("A promotion starts tomorrow at the earliest.")
        if starts > ends or ends >= _plus_days(starts, 42):
            return _refused("A promotion lasts from one day to six weeks.")
        if not (len(articles) > 0 and _different([a["id"] for a in articles])):
            return _refused("Name at least one article, and each once.")
        taken = next((d for a in articles for d in self._rivals(a, group, starts, ends, None)), None)
        if taken is not None:
            return _refused(
                f"{self.articles[taken['article_id']]['name']} is in "
                f"{self.promotions[taken['promotion_id']]['name']} from "
                f"{self.promotions[taken['promotion_id']]['starts']} to "
                f"{self.promotions[taken['promotion_id']]['ends']}."
            )
        risen = next((a for a in articles if self._raised(a, group, starts) is not None), None)
        if risen is not None:
            return _refused(
                f"The price of {risen['name']} goes up less than 30 days before {starts}, so nothing may be taken "
                "off it yet."
            )
        self._journal = []
        added_deals: list[Any] = []
        promotion: Promotion = {
            "id": self._new_id("promotion", "PROMOTION", self.promotions),
            "name": name,
            "group_id": group_id,
            "percent": percent,
            "price": None,
            "starts": starts,
            "ends": ends,
            "planned_by_id": by_id,
            "approved_by_id": None,
            "margin": None,
            "status": "planned",
        }
        self._add("promotions", promotion)
        for a in list(articles):
            deal = {
                "id": self._new_id("deal", "DEAL", self.deals),
                "promotion_id": promotion["id"],
                "article_id": a["id"],
                "pieces": 1,
            }
            self._add("deals", deal)
            added_deals.append(deal)
        if len(self._promotions_by_name.get(promotion["name"], {})) > 1:
            return self._take_back(f"There is already a promotion with the name {promotion['name']!r}.")
        if self._breaks_rule_4_p_again(promotion):
            return self._take_back(RULES[3])
        for one_deal in _distinct(added_deals):
            if self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(added_deals):
            if self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(added_deals):
            if self._breaks_rule_7(one_deal):
                return self._take_back(RULES[6])
        for one_promotion in _distinct([promotion, *[self.promotions[one["promotion_id"]] for one in added_deals]]):
            if self._breaks_rule_8(one_promotion):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(promotion):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(promotion):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_p(promotion):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(promotion):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: plan {name} with {percent} percent off in {group['name']} from {starts} to {ends} as "
                f"{by['name']} (new: promotion {promotion['id']})."
            ),
            "data": {"promotion_id": promotion["id"], **self._changes()},
        }

    def plan_bundle(
        self,
        name: Text,
        group_id: str,
        parts: Annotated[list[PlanBundlePart], {"maxItems": 20}],
        price: Annotated[int, {"minimum": 30, "maximum": 90000}],
        starts: Date,
        ends: Date,
        by_id: str,
    ) -> Result:
        """Plan a bundle of articles for one price in a store group.

        Args:
            name (str): Name of the new bundle, not in use yet.
            group_id (str): Id of the group, such as GROUP-00001.
            parts (list): One entry for each article of the bundle, two pieces or more in all: article_id: article
                in the bundle; an id such as ARTICLE-00001; pieces: pieces of it in one bundle, from 1 to 12.
            price (int): Price of one whole bundle, below the sum of its parts, in cents, from 30 to 90000.
            starts (str): First day of the bundle, tomorrow at the earliest, as YYYY-MM-DD.
            ends (str): Last day of the bundle, at most 42 days in all, as YYYY-MM-DD.
            by_id (str): Person who plans the bundle; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        entries, parts = parts, []
        for entry in entries:
            if entry["article_id"] not in self.articles:
                return _refused(f"There is no article {entry['article_id']!r}.")
            parts.append({"article": self.articles[entry["article_id"]], "pieces": entry["pieces"]})
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if self._promotions_by_name.get(name, {}):
            return _refused(f"There is a promotion called {name} already.")
        if starts <= self.now[:10]:
            return _refused("A bundle starts tomorrow at the earliest.")
        if starts > ends or ends >= _plus_days(starts, 42):
            return _refused("A bundle lasts from one day to six weeks.")
        if not (sum(l["pieces"] for l in parts) >= 2 and _different([l["article"]["id"] for l in parts])):
            return _refused("A bundle has two pieces or more, and each article once.")
        taken = next((d for l in parts for d in self._rivals(l["article"], group, starts, ends, None)), None)
        if taken is not None:
            return _refused(
                f"{self.articles[taken['article_id']]['name']} is in "
                f"{self.promotions[taken['promotion_id']]['name']} from "
                f"{self.promotions[taken['promotion_id']]['starts']} to "
                f"{self.promotions[taken['promotion_id']]['ends']}."
            )
        if price * 2 <= sum(l["article"]["cost"] * l["pieces"] for l in parts):
            return _refused(f"{_money(price)} is not even half of what the parts cost us.")
        apart = sum(self._price_on(l["article"], group, starts) * l["pieces"] for l in parts)
        if price >= apart:
            return _refused(f"One by one these cost {_money(apart)}, so {_money(price)} is no offer.")
        self._journal = []
        added_deals: list[Any] = []
        promotion: Promotion = {
            "id": self._new_id("promotion", "PROMOTION", self.promotions),
            "name": name,
            "group_id": group_id,
            "percent": None,
            "price": price,
            "starts": starts,
            "ends": ends,
            "planned_by_id": by_id,
            "approved_by_id": None,
            "margin": None,
            "status": "planned",
        }
        self._add("promotions", promotion)
        for l in list(parts):
            deal = {
                "id": self._new_id("deal", "DEAL", self.deals),
                "promotion_id": promotion["id"],
                "article_id": l["article"]["id"],
                "pieces": l["pieces"],
            }
            self._add("deals", deal)
            added_deals.append(deal)
        if len(self._promotions_by_name.get(promotion["name"], {})) > 1:
            return self._take_back(f"There is already a promotion with the name {promotion['name']!r}.")
        if self._breaks_rule_4_p_again(promotion):
            return self._take_back(RULES[3])
        for one_deal in _distinct(added_deals):
            if self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(added_deals):
            if self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(added_deals):
            if self._breaks_rule_7(one_deal):
                return self._take_back(RULES[6])
        for one_promotion in _distinct([promotion, *[self.promotions[one["promotion_id"]] for one in added_deals]]):
            if self._breaks_rule_8(one_promotion):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(promotion):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(promotion):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_p(promotion):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(promotion):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: plan the bundle {name} for {_money(price)} in {group['name']} from {starts} to {ends} as "
                f"{by['name']} (new: promotion {promotion['id']})."
            ),
            "data": {"promotion_id": promotion["id"], **self._changes()},
        }

    def approve_promotion(self, promotion_id: str, by_id: str) -> Result:
        """Approve a planned promotion or bundle, by somebody who may go as low as its worst margin.

        Args:
            promotion_id (str): Id of the promotion, such as PROMOTION-00001.
            by_id (str): Person who approves it, other than whoever planned it; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promotion = self.promotions.get(promotion_id)
        if promotion is None:
            return _refused(f"There is no promotion {promotion_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if promotion["status"] != "planned":
            return _refused(f"{promotion['name']} is {promotion['status']}.")
        if promotion["ends"] < self.now[:10]:
            return _refused(f"{promotion['name']} was to end on {promotion['ends']}, so move it first.")
        if by_id == promotion["planned_by_id"]:
            return _refused(f"{by['name']} planned {promotion['name']} and cannot approve it.")
        if by["lowest_margin"] > self._worst_margin(promotion):
            return _refused(
                f"{by['name']} may go down to a margin of {by['lowest_margin']} percent and {promotion['name']} "
                f"comes to {self._worst_margin(promotion)}."
            )
        self._journal = []
        margin = self._worst_margin(promotion)
        if not -900 <= margin <= 100:
            return self._take_back(f"The margin of {promotion['name']} must be between -900 and 100.")
        self._put("promotions", promotion, "margin", margin)
        self._put("promotions", promotion, "approved_by_id", by_id)
        self._put("promotions", promotion, "status", "approved")
        if self._breaks_rule_4_p_again(promotion):
            return self._take_back(RULES[3])
        for one_deal in _distinct(self._deals_by_promotion.get(promotion["id"], {}).values()):
            if self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(self._deals_by_promotion.get(promotion["id"], {}).values()):
            if self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(promotion):
            return self._take_back(RULES[7])
        if self._breaks_rule_11_p(promotion):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(promotion):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: approve {promotion['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def change_articles(
        self,
        promotion_id: str,
        add_ids: Annotated[list[str], {"maxItems": 20}],
        drop_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Add articles to a promotion that takes percents off, drop some, or both; it must be approved anew.

        Args:
            promotion_id (str): Id of the promotion, such as PROMOTION-00001.
            add_ids (list): Articles to take in, possibly none, and never for a bundle: ids of articles, such as
                ARTICLE-00001.
            drop_ids (list): Articles to take out, possibly none: ids of articles, such as ARTICLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promotion = self.promotions.get(promotion_id)
        if promotion is None:
            return _refused(f"There is no promotion {promotion_id!r}.")
        add = []
        for key in add_ids:
            if key not in self.articles:
                return _refused(f"There is no article {key!r}.")
            add.append(self.articles[key])
        drop = []
        for key_2 in drop_ids:
            if key_2 not in self.articles:
                return _refused(f"There is no article {key_2!r}.")
            drop.append(self.articles[key_2])
        if not (self._live(promotion) and promotion["ends"] >= self.now[:10]):
            return _refused(f"{promotion['name']} is {promotion['status']} or over.")
        if promotion["percent"] is None and len(add) != 0:
            return _refused(f"{promotion['name']} is a bundle, to which nothing is added.")
        if not (
            len(add) + len(drop) > 0
            and _different([a["id"] for a in add])
            and _different([a["id"] for a in drop])
            and not any(a in drop for a in add)
        ):
            return _refused("Name articles to add or to drop, and each once.")
        if not all(bool(self._deals_by_promotion_article.get((promotion_id, a["id"]), {})) for a in drop):
            return _refused(f"Only articles that are in {promotion['name']} can be dropped.")
        if any(
            self.articles[d["article_id"]] in add
            for d in self._deals_by_promotion.get(promotion_id, {}).values()
        ):
            return _refused(f"An article to add is in {promotion['name']} already.")
        if self._promotion_articles(promotion) + len(add) <= len(drop):
            return _refused(f"{promotion['name']} would be empty, so cancel it.")
        taken = next(
            (
                d
                for a in add
                for d in self._rivals(
                    a,
                    self.groups[promotion["group_id"]],
                    promotion["starts"],
                    promotion["ends"],
                    promotion,
                )
            ),
            None,
        )
        if taken is not None:
            return _refused(
                f"{self.articles[taken['article_id']]['name']} is in "
                f"{self.promotions[taken['promotion_id']]['name']} from "
                f"{self.promotions[taken['promotion_id']]['starts']} to "
                f"{self.promotions[taken['promotion_id']]['ends']}."
            )
        risen = next(
            (a for a in add if self._raised(a, self.groups[promotion["group_id"]], promotion["starts"]) is not None),
            None,
        )
        if risen is not None:
            return _refused(
                f"The price of {risen['name']} goes up less than 30 days before {promotion['starts']}, so nothing "
                "may be taken off it yet."
            )
        self._journal = []
        deleted_deals: list[Any] = []
        added_deals: list[Any] = []
        for d in [
            d
            for d in sorted(self._deals_by_promotion.get(promotion_id, {}).values(), key=_age)
            if self.articles[d["article_id"]] in drop
        ]:
            if d["id"] in self.deals:
                self._remove("deals", d)
            deleted_deals.append(d)
        for a in list(add):
            deal = {
                "id": self._new_id("deal", "DEAL", self.deals),
                "promotion_id": promotion_id,
                "article_id": a["id"],
                "pieces": 1,
            }
            self._add("deals", deal)
            added_deals.append(deal)
        self._put("promotions", promotion, "approved_by_id", None)
        self._put("promotions", promotion, "margin", None)
        if promotion["status"] not in ("planned", "approved"):
            return self._take_back(f"Promotion {promotion['name']} cannot go from {promotion['status']} to planned.")
        self._put("promotions", promotion, "status", "planned")
        if self._breaks_rule_4_p_again(promotion):
            return self._take_back(RULES[3])
        for one_deal in _distinct([*added_deals, *self._deals_by_promotion.get(promotion["id"], {}).values()]):
            if one_deal["id"] in self.deals and self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct([*added_deals, *self._deals_by_promotion.get(promotion["id"], {}).values()]):
            if one_deal["id"] in self.deals and self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(added_deals):
            if one_deal["id"] in self.deals and self._breaks_rule_7(one_deal):
                return self._take_back(RULES[6])
        for one_promotion in _distinct(
            [
                promotion,
                *[self.promotions[one["promotion_id"]] for one in deleted_deals],
                *[self.promotions[one["promotion_id"]] for one in added_deals],
            ]
        ):
            if self._breaks_rule_8(one_promotion):
                return self._take_back(RULES[7])
        if self._breaks_rule_11_p(promotion):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(promotion):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: change the articles of {promotion['name']}.",
            "data": self._changes(),
        }

    def move_promotion(self, promotion_id: str, starts: Date, ends: Date) -> Result:
        """Give a promotion other days; it must be approved anew.

        Args:
            promotion_id (str): Id of the promotion, such as PROMOTION-00001.
            starts (str): New first day, or the present one where it stays, as YYYY-MM-DD.
            ends (str): New last day, or the present one where it stays, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promotion = self.promotions.get(promotion_id)
        if promotion is None:
            return _refused(f"There is no promotion {promotion_id!r}.")
        if not self._live(promotion):
            return _refused(f"{promotion['name']} is {promotion['status']}.")
        if not (starts == promotion["starts"] or promotion["starts"] > self.now[:10] and starts > self.now[:10]):
            return _refused(f"The first day of {promotion['name']} can be moved only while it lies ahead.")
        if not ((starts <= ends and ends < _plus_days(starts, 42)) and ends >= self.now[:10]):
            return _refused("A promotion lasts from one day to six weeks and ends today or later.")
        taken = next(
            (
                r
                for d in sorted(self._deals_by_promotion.get(promotion_id, {}).values(), key=_age)
                for r in self._rivals(
                    self.articles[d["article_id"]],
                    self.groups[promotion["group_id"]],
                    starts,
                    ends,
                    promotion,
                )
            ),
            None,
        )
        if taken is not None:
            return _refused(
                f"{self.articles[taken['article_id']]['name']} is in "
                f"{self.promotions[taken['promotion_id']]['name']} from "
                f"{self.promotions[taken['promotion_id']]['starts']} to "
                f"{self.promotions[taken['promotion_id']]['ends']}."
            )
        risen = next(
            (
                self.articles[d["article_id"]]
                for d in sorted(self._deals_by_promotion.get(promotion_id, {}).values(), key=_age)
                if promotion["percent"] is not None
                and self._raised(
                    self.articles[d["article_id"]],
                    self.groups[promotion["group_id"]],
                    starts,
                ) is not None
            ),
            None,
        )
        if risen is not None:
            return _refused(
                f"The price of {risen['name']} goes up less than 30 days before {starts}, so nothing may be taken "
                "off it yet."
            )
        self._journal = []
        self._put("promotions", promotion, "starts", starts)
        self._put("promotions", promotion, "ends", ends)
        self._put("promotions", promotion, "approved_by_id", None)
        self._put("promotions", promotion, "margin", None)
        if promotion["status"] not in ("planned", "approved"):
            return self._take_back(f"Promotion {promotion['name']} cannot go from {promotion['status']} to planned.")
        self._put("promotions", promotion, "status", "planned")
        if self._breaks_rule_4_p_again(promotion):
            return self._take_back(RULES[3])
        for one_deal in _distinct(self._deals_by_promotion.get(promotion["id"], {}).values()):
            if self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(self._deals_by_promotion.get(promotion["id"], {}).values()):
            if self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(promotion):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(promotion):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_p(promotion):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(promotion):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: move {promotion['name']} to {starts} until {ends}.",
            "data": self._changes(),
        }

    def cancel_promotion(self, promotion_id: str) -> Result:
        """Cancel a promotion that is not over.

        Args:
            promotion_id (str): Id of the promotion, such as PROMOTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        promotion = self.promotions.get(promotion_id)
        if promotion is None:
            return _refused(f"There is no promotion {promotion_id!r}.")
        if not self._live(promotion):
            return _refused(f"{promotion['name']} is cancelled already.")
        if promotion["ends"] < self.now[:10]:
            return _refused(f"{promotion['name']} ended on {promotion['ends']}.")
        self._journal = []
        self._put("promotions", promotion, "approved_by_id", None)
        self._put("promotions", promotion, "status", "cancelled")
        if self._breaks_rule_4_p_again(promotion):
            return self._take_back(RULES[3])
        for one_deal in _distinct(self._deals_by_promotion.get(promotion["id"], {}).values()):
            if self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(self._deals_by_promotion.get(promotion["id"], {}).values()):
            if self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(promotion):
            return self._take_back(RULES[7])
        if self._breaks_rule_11_p(promotion):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_p_again(promotion):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: cancel {promotion['name']}.", "data": self._changes()}

    def change_cost(self, article_id: str, cost: Annotated[int, {"minimum": 20, "maximum": 20000}]) -> Result:
        """Change what an article costs us; approved promotions ahead whose margin falls by it must be approved anew.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            cost (int): New purchase cost of one piece, below the list price, in cents, from 20 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        if cost == article["cost"]:
            return _refused(f"{article['name']} costs {_money(cost)} already.")
        if cost >= article["list_price"]:
            return _refused(f"{_money(cost)} is not below the list price of {_money(article['list_price'])}.")
        self._journal = []
        changed_promotions: list[Any] = []
        changed_promotions_2: list[Any] = []
        changed_promotions_3: list[Any] = []
        self._put("articles", article, "cost", cost)
        for d in [
            d
            for d in sorted(self._deals_by_article.get(article_id, {}).values(), key=_age)
            if self.promotions[d["promotion_id"]]["status"] == "approved"
            and self.promotions[d["promotion_id"]]["starts"] > self.now[:10]
        ]:
            if self._worst_margin(self.promotions[d["promotion_id"]]) < (
                self.promotions[d["promotion_id"]]["margin"]
                if self.promotions[d["promotion_id"]]["margin"] is not None
                else 0
            ):
                promotion = self.promotions[d["promotion_id"]]
                changed_promotions.append(promotion)
                self._put("promotions", promotion, "approved_by_id", None)
                its_promotion = self.promotions[d["promotion_id"]]
                changed_promotions_2.append(its_promotion)
                self._put("promotions", its_promotion, "margin", None)
                its_promotion_2 = self.promotions[d["promotion_id"]]
                if its_promotion_2["status"] not in ("planned", "approved"):
                    return self._take_back(
                        f"Promotion {its_promotion_2['name']} cannot go from {its_promotion_2['status']} to planned."
                    )
                changed_promotions_3.append(its_promotion_2)
                self._put("promotions", its_promotion_2, "status", "planned")
        for one_promotion in _distinct(changed_promotions):
            if self._breaks_rule_4_p_again(one_promotion):
                return self._take_back(RULES[3])
        for one_deal in _distinct(
            [user for one in changed_promotions_3 for user in self._deals_by_promotion.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_a(one_deal):
                return self._take_back(RULES[5])
        for one_deal in _distinct(
            [user for one in changed_promotions_3 for user in self._deals_by_promotion.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6_b(one_deal):
                return self._take_back(RULES[5])
        for one_promotion in _distinct(changed_promotions_3):
            if self._breaks_rule_8(one_promotion):
                return self._take_back(RULES[7])
        for one_promotion in _distinct([*changed_promotions, *changed_promotions_3]):
            if self._breaks_rule_11_p(one_promotion):
                return self._take_back(RULES[10])
        for one_promotion in _distinct([*changed_promotions, *changed_promotions_2]):
            if self._breaks_rule_11_p_again(one_promotion):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: change the cost of {article['name']} to {_money(cost)}.",
            "data": self._changes(),
        }

    def _show_promotion(self, promotion: Promotion) -> dict[str, Any]:
        """The promotion as an answer shows it."""
        return {**promotion, "articles": self._promotion_articles(promotion)}

    def _names_of_groups(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that groups point to."""
        return _names((self.groups, "name", [row["within_id"] for row in shown]))

    def _names_of_articles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that articles point to."""
        return _names((self.categories, "name", [row["category_id"] for row in shown]))

    def _names_of_prices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that prices point to."""
        return _names(
            (self.articles, "name", [row["article_id"] for row in shown]),
            (self.groups, "name", [row["group_id"] for row in shown]),
            (self.people, "name", [row["proposed_by_id"] for row in shown]),
            (self.people, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_promotions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that promotions point to."""
        return _names(
            (self.groups, "name", [row["group_id"] for row in shown]),
            (self.people, "name", [row["planned_by_id"] for row in shown]),
            (self.people, "name", [row["approved_by_id"] for row in shown]),
        )

    def _names_of_deals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deals point to."""
        return _names(
            (self.promotions, "name", [row["promotion_id"] for row in shown]),
            (self.articles, "name", [row["article_id"] for row in shown]),
        )

    def _promotion_articles(self, promotion: Promotion) -> int:
        """The articles of a promotion."""
        return len(self._deals_by_promotion.get(promotion["id"], {}))

    def _open_until(self, p: Price) -> str:
        return p["ends"] if p["ends"] is not None else _plus_days(p["starts"], 9999)

    def _price_on(self, a: Article, g: Group, d: str) -> int:
        return (
            next(
                (
                    p["amount"]
                    for h in [g] + _above(self.groups, g, "within_id")
                    for p in sorted(
                        self._prices_by_article_group_status.get((a["id"], h["id"], "approved"), {}).values(),
                        key=_age,
                    )
                    if (p["starts"] <= d and d <= self._open_until(p))
                ),
                None,
            )
            if next(
                (
                    p["amount"]
                    for h in [g] + _above(self.groups, g, "within_id")
                    for p in sorted(
                        self._prices_by_article_group_status.get((a["id"], h["id"], "approved"), {}).values(),
                        key=_age,
                    )
                    if (p["starts"] <= d and d <= self._open_until(p))
                ),
                None,
            ) is not None
            else a["list_price"]
        )

    def _margin_of(self, amount: int, cost: int) -> int:
        return (amount - cost) * 100 // amount

    def _blocking(self, a: Article, g: Group, s: str, e: str | None, mine: Price | None) -> Price | None:
        return next(
            (
                p
                for p in sorted(self._prices_by_article_group.get((a["id"], g["id"]), {}).values(), key=_age)
                if p is not mine
                and p["status"] in ("approved", "waiting")
                and p["starts"] <= (e if e is not None else _plus_days(s, 9999))
                and s <= self._open_until(p)
                and (p["status"] != "approved" or p["ends"] is not None or p["starts"] >= s)
            ),
            None,
        )

    def _related(self, a: Group, b: Group) -> bool:
        return a is b or a in _above(self.groups, b, "within_id") or b in _above(self.groups, a, "within_id")

    def _live(self, p: Promotion) -> bool:
        return p["status"] in ("planned", "approved")

    def _rivals(self, a: Article, g: Group, s: str, e: str, mine: Promotion | None) -> list[Deal]:
        return [
            d
            for d in sorted(self._deals_by_article.get(a["id"], {}).values(), key=_age)
            if self.promotions[d["promotion_id"]] is not mine
            and self._live(self.promotions[d["promotion_id"]])
            and self.promotions[d["promotion_id"]]["starts"] <= e
            and s <= self.promotions[d["promotion_id"]]["ends"]
            and self._related(self.groups[self.promotions[d["promotion_id"]]["group_id"]], g)
        ]

    def _raised(self, a: Article, g: Group, s: str) -> Price | None:
        return next(
            (
                p
                for p in sorted(self._prices_by_article_status.get((a["id"], "approved"), {}).values(), key=_age)
                if (p["group_id"] == g["id"] or self.groups[p["group_id"]] in _above(self.groups, g, "within_id"))
                and (_plus_days(s, -30) < p["starts"] and p["starts"] <= s)
                and p["amount"] > self._price_on(a, self.groups[p["group_id"]], _plus_days(p["starts"], -1))
            ),
            None,
        )

    def _parts_cost(self, p: Promotion) -> int:
        return sum(
            self.articles[d["article_id"]]["cost"] * d["pieces"]
            for d in self._deals_by_promotion.get(p["id"], {}).values()
        )

    def _worst_margin(self, p: Promotion) -> int:
        return (
            self._margin_of(p["price"], self._parts_cost(p))
            if p["price"] is not None
            else min(
                (
                    self._margin_of(
                        max(
                            _rounded(
                                Fraction(
                                    self._price_on(self.articles[d["article_id"]], h, p["starts"]) * (
                                        100 - (p["percent"] if p["percent"] is not None else 0)
                                    ),
                                    100,
                                )
                            ),
                            1,
                        ),
                        self.articles[d["article_id"]]["cost"],
                    )
                    for d in self._deals_by_promotion.get(p["id"], {}).values()
                    for h in [self.groups[p["group_id"]]] + _below(self._groups_by_within, self.groups[p["group_id"]])
                ),
                default=None,
            )
            if min(
                (
                    self._margin_of(
                        max(
                            _rounded(
                                Fraction(
                                    self._price_on(self.articles[d["article_id"]], h, p["starts"]) * (
                                        100 - (p["percent"] if p["percent"] is not None else 0)
                                    ),
                                    100,
                                )
                            ),
                            1,
                        ),
                        self.articles[d["article_id"]]["cost"],
                    )
                    for d in self._deals_by_promotion.get(p["id"], {}).values()
                    for h in [self.groups[p["group_id"]]] + _below(self._groups_by_within, self.groups[p["group_id"]])
                ),
                default=None,
            ) is not None
            else 0
        )

    def _breaks_rule_1(self, a: Price) -> bool:
        """Whether this is broken: approved prices of an article in one store group never overlap in time."""
        return (
            a["status"] == "approved"
            and any(
                self._open_until(a) >= b["starts"]
                and self._open_until(b) >= a["starts"]
                for b in self._prices_by_article_group_status.get(
                    (a["article_id"], a["group_id"], "approved"),
                    {},
                ).values()
                if a is not b
            )
        )

    def _breaks_rule_2(self, p: Price) -> bool:
        """Whether this is broken: a price below the margin floor of its category was approved by somebody."""
        return p["status"] == "approved" and (p["margin"] < p["floor"] and p["approved_by_id"] is None)

    def _breaks_rule_3(self, p: Price) -> bool:
        """Whether this is broken: nobody approves a price below the margin they may go to."""
        return p["approved_by_id"] is not None and self.people[p["approved_by_id"]]["lowest_margin"] > p["margin"]

    def _breaks_rule_4_p(self, p: Price) -> bool:
        """Whether this is broken: nobody approves what they proposed or planned."""
        return p["approved_by_id"] == p["proposed_by_id"]

    def _breaks_rule_4_p_again(self, p: Promotion) -> bool:
        """Whether this is broken: nobody approves what they proposed or planned."""
        return p["approved_by_id"] == p["planned_by_id"]

    def _breaks_rule_5(self, p: Price) -> bool:
        """Whether this is broken: a price ends after it starts."""
        return p["ends"] is not None and p["starts"] > p["ends"]

    def _breaks_rule_6_a(self, a: Deal) -> bool:
        """Whether this is broken: an article is in one promotion at a time, counting the groups above and below."""
        return (
            self._live(self.promotions[a["promotion_id"]])
            and any(
                self.promotions[a["promotion_id"]]["ends"] >= self.promotions[b["promotion_id"]]["starts"]
                and self.promotions[b["promotion_id"]]["ends"] >= self.promotions[a["promotion_id"]]["starts"]
                and self._related(
                    self.groups[self.promotions[a["promotion_id"]]["group_id"]],
                    self.groups[self.promotions[b["promotion_id"]]["group_id"]],
                )
                for b in self._deals_by_article.get(a["article_id"], {}).values()
                if a is not b
                and self._live(self.promotions[b["promotion_id"]])
            )
        )

    def _breaks_rule_6_b(self, b: Deal) -> bool:
        """Whether this is broken: an article is in one promotion at a time, counting the groups above and below."""
        return (
            self._live(self.promotions[b["promotion_id"]])
            and any(
                self.promotions[a["promotion_id"]]["ends"] >= self.promotions[b["promotion_id"]]["starts"]
                and self.promotions[b["promotion_id"]]["ends"] >= self.promotions[a["promotion_id"]]["starts"]
                and self._related(
                    self.groups[self.promotions[a["promotion_id"]]["group_id"]],
                    self.groups[self.promotions[b["promotion_id"]]["group_id"]],
                )
                for a in self._deals_by_article.get(b["article_id"], {}).values()
                if a is not b
                and self._live(self.promotions[a["promotion_id"]])
            )
        )

    def _breaks_rule_7(self, d: Deal) -> bool:
        """Whether this is broken: an article stands in a promotion once."""
        return any(
            other_d is not d
            for other_d in self._deals_by_promotion_article.get((d["promotion_id"], d["article_id"]), {}).values()
        )

    def _breaks_rule_8(self, p: Promotion) -> bool:
        """Whether this is broken: a promotion that stands has at least one article."""
        return self._live(p) and self._promotion_articles(p) <= 0

    def _breaks_rule_9(self, p: Promotion) -> bool:
        """Whether this is broken: a promotion lasts from one day to six weeks."""
        return 0 > _days_between(p["starts"], p["ends"]) or _days_between(p["starts"], p["ends"]) >= 42

    def _breaks_rule_10(self, p: Promotion) -> bool:
        """Whether this is broken: a promotion takes percents off or is a bundle with a price, never both."""
        return (p["percent"] is None) == (p["price"] is None)

    def _breaks_rule_11_p(self, p: Promotion) -> bool:
        """Whether this is broken: an approved promotion was approved by somebody who may go as low as its margin."""
        return (p["status"] == "approved") != (p["approved_by_id"] is not None)

    def _breaks_rule_11_p_again(self, p: Promotion) -> bool:
        """Whether this is broken: an approved promotion was approved by somebody who may go as low as its margin."""
        return (
            p["approved_by_id"] is not None
            and (p["margin"] is None or self.people[p["approved_by_id"]]["lowest_margin"] > p["margin"])
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
            case "groups":
                self._groups_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "prices":
                self._prices_by_article_group.setdefault(
                    (record["article_id"], record["group_id"]),
                    {},
                )[record["id"]] = record
                self._prices_by_article_group_status.setdefault(
                    (record["article_id"], record["group_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._prices_by_article_status.setdefault(
                    (record["article_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "promotions":
                self._promotions_by_group.setdefault(record["group_id"], {})[record["id"]] = record
                self._promotions_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "deals":
                self._deals_by_article.setdefault(record["article_id"], {})[record["id"]] = record
                self._deals_by_promotion.setdefault(record["promotion_id"], {})[record["id"]] = record
                self._deals_by_promotion_article.setdefault(
                    (record["promotion_id"], record["article_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "groups":
                del self._groups_by_within[record["within_id"]][record["id"]]
            case "prices":
                del self._prices_by_article_group[record["article_id"], record["group_id"]][record["id"]]
                del self._prices_by_article_group_status[
                    record["article_id"],
                    record["group_id"],
                    record["status"],
                ][record["id"]]
                del self._prices_by_article_status[record["article_id"], record["status"]][record["id"]]
            case "promotions":
                del self._promotions_by_group[record["group_id"]][record["id"]]
                del self._promotions_by_name[record["name"]][record["id"]]
            case "deals":
                del self._deals_by_article[record["article_id"]][record["id"]]
                del self._deals_by_promotion[record["promotion_id"]][record["id"]]
                del self._deals_by_promotion_article[record["promotion_id"], record["article_id"]][record["id"]]
