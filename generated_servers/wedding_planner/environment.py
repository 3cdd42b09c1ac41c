"""Wedding planner. Compiled from blueprint.yaml; run `envscaler build wedding_planner` after changing it there.

Collects the replies of invited households, seats guests at tables without those who must not meet, takes their
menu choices, and keeps vendors with their instalments within the budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A table never has more guests than seats.",
    "Guests who have fallen out do not sit at one table.",
    "A child sits with a grown-up of its household.",
    "Only guests who are coming have a seat or a dish.",
    "Nobody is served what their diet rules out.",
    "No dish is chosen more often than the kitchen can make it.",
    "A category never commits more than is planned for it.",
    "The instalments of a booked vendor add up to the price.",
    "Instalments are paid in the order in which they fall due.",
    "A vendor has one instalment a day.",
    "A quarrel is between two different guests and noted once.",
    "A cancelled vendor has nothing left to be paid.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "record_reply",
    "invite_household",
    "add_guest",
    "seat_guest",
    "unseat_guest",
    "note_quarrel",
    "choose_dish",
    "book_vendor",
    "pay_instalment",
    "cancel_vendor",
    "move_budget",
    "set_seats",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "households": ("name",),
    "guests": ("name",),
    "quarrels": (),
    "tables": ("name",),
    "dishes": ("name",),
    "categories": ("name",),
    "vendors": ("name",),
    "instalments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("guests", "dish_id"),
    ("guests", "household_id"),
    ("guests", "name"),
    ("guests", "reply"),
    ("guests", "table_id"),
    ("households", "name"),
    ("instalments", "vendor_id"),
    ("quarrels", "one_id"),
    ("quarrels", "other_id"),
    ("vendors", "category_id"),
    ("vendors", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Household(TypedDict):
    id: str
    name: str
    side: Literal["bride", "groom"]
    reply_by: str


class Guest(TypedDict):
    id: str
    name: str
    household_id: str
    child: bool
    diet: Literal["anything", "vegetarian", "gluten_free"]
    table_id: str | None
    dish_id: str | None
    reply: Literal["open", "coming", "absent"]


class Quarrel(TypedDict):
    id: str
    one_id: str
    other_id: str


class Table(TypedDict):
    id: str
    name: str
    seats: int


class Dish(TypedDict):
    id: str
    name: str
    vegetarian: bool
    gluten_free: bool
    price: int
    most: int


class Category(TypedDict):
    id: str
    name: str
    planned: int
    meals: bool


class Vendor(TypedDict):
    id: str
    name: str
    category_id: str
    total: int
    status: Literal["booked", "cancelled"]


class Instalment(TypedDict):
    id: str
    vendor_id: str
    due_on: str
    amount: int
    paid_on: str | None


class BookVendorRate(TypedDict):
    due_on: Date
    amount: Annotated[int, {"minimum": 100, "maximum": 2000000}]


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


class WeddingPlanner:
    """Collects the replies of invited households, seats guests at tables without those who must not meet,
    takes their menu choices, and keeps vendors with their instalments within the budget.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.households: dict[str, Household] = _copied(config.get("households", {}))
        self.guests: dict[str, Guest] = _copied(config.get("guests", {}))
        self.quarrels: dict[str, Quarrel] = _copied(config.get("quarrels", {}))
        self.tables: dict[str, Table] = _copied(config.get("tables", {}))
        self.dishes: dict[str, Dish] = _copied(config.get("dishes", {}))
        self.categories: dict[str, Category] = _copied(config.get("categories", {}))
        self.vendors: dict[str, Vendor] = _copied(config.get("vendors", {}))
        self.instalments: dict[str, Instalment] = _copied(config.get("instalments", {}))
        self.now: str = config.get("now", "2026-05-20T18:00")
        self.counters: dict[str, int] = {
            "household": len(self.households),
            "guest": len(self.guests),
            "quarrel": len(self.quarrels),
            "table": len(self.tables),
            "dish": len(self.dishes),
            "category": len(self.categories),
            "vendor": len(self.vendors),
            "instalment": len(self.instalments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._households_by_name: dict[Any, dict[str, Household]] = {}
        self._guests_by_dish: dict[Any, dict[str, Guest]] = {}
        self._guests_by_household: dict[Any, dict[str, Guest]] = {}
        self._guests_by_household_reply: dict[Any, dict[str, Guest]] = {}
        self._guests_by_household_table: dict[Any, dict[str, Guest]] = {}
        self._guests_by_name: dict[Any, dict[str, Guest]] = {}
        self._guests_by_table: dict[Any, dict[str, Guest]] = {}
        self._quarrels_by_one: dict[Any, dict[str, Quarrel]] = {}
        self._quarrels_by_one_other: dict[Any, dict[str, Quarrel]] = {}
        self._quarrels_by_other: dict[Any, dict[str, Quarrel]] = {}
        self._vendors_by_category: dict[Any, dict[str, Vendor]] = {}
        self._vendors_by_name: dict[Any, dict[str, Vendor]] = {}
        self._instalments_by_vendor: dict[Any, dict[str, Instalment]] = {}
        for household in self.households.values():
            self._link("households", household)
        for guest in self.guests.values():
            self._link("guests", guest)
        for quarrel in self.quarrels.values():
            self._link("quarrels", quarrel)
        for vendor in self.vendors.values():
            self._link("vendors", vendor)
        for instalment in self.instalments.values():
            self._link("instalments", instalment)

    def possible_tables(
        self,
        guest_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tables with a free seat at which a guest could sit, the emptiest first.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}} or {"success": False, "error": why
                not}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        found = [
            t
            for t in self.tables.values()
            if (self._table_free(t) > 0 and guest["table_id"] != t["id"])
            and self._foe_at(guest, t) is None
            and (not guest["child"] or self._minded(guest, t))
        ]
        found.sort(key=lambda t: (-self._table_free(t), t["name"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tables": [
                    {"id": t["id"], "name": t["name"], "free": self._table_free(t)}
                    for t in _page(found, offset)
                ],
            }
        )

    def payments_due(self, until: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Instalments to be paid until a day, the earliest first.

        Args:
            until (str): Last due day that is listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instalments": records}} or {"success": False, "error":
                why not}
        """
        found = [i for i in self.instalments.values() if (i["paid_on"] is None and i["due_on"] <= until)]
        found.sort(key=lambda i: (i["due_on"], self.vendors[i["vendor_id"]]["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "instalments": [
                    {
                        "id": i["id"],
                        "vendor": self.vendors[i["vendor_id"]]["name"],
                        "amount": i["amount"],
                        "due_on": i["due_on"],
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_households(
        self,
        name: Text | None = None,
        side: Literal["bride", "groom"] | None = None,
        reply_by_from: Date | None = None,
        reply_by_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the households, oldest first, all of them or only some.

        Args:
            name (str, optional): Only households whose name contains this text.
            side (str, optional): Only households with this side.
            reply_by_from (str, optional): Only households whose `reply_by` is on this day or later.
            reply_by_to (str, optional): Only households whose `reply_by` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}}
        """
        found = [
            household
            for household in self.households.values()
            if (name is None or name.casefold() in household["name"].casefold())
            and (side is None or household["side"] == side)
            and (reply_by_from is None or household["reply_by"] >= reply_by_from)
            and (reply_by_to is None or household["reply_by"] <= reply_by_to)
        ]
        return _found(
            {
                "total": len(found),
                "households": [self._show_household(household) for household in _page(found, offset)],
            }
        )

    def list_guests(
        self,
        name: Text | None = None,
        household_id: str | None = None,
        child: bool | None = None,
        diet: Literal["anything", "vegetarian", "gluten_free"] | None = None,
        table_id: str | None = None,
        dish_id: str | None = None,
        reply: Literal["open", "coming", "absent"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guests, oldest first, all of them or only some.

        Args:
            name (str, optional): Only guests whose name contains this text.
            household_id (str, optional): Only guests of this household.
            child (bool, optional): Only guests with this value of `child`.
            diet (str, optional): Only guests with this diet.
            table_id (str, optional): Only guests of this table.
            dish_id (str, optional): Only guests of this dish.
            reply (str, optional): Only guests with this reply.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guests": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        if table_id is not None and table_id not in self.tables:
            return _refused(f"There is no table {table_id!r}.")
        if dish_id is not None and dish_id not in self.dishes:
            return _refused(f"There is no dish {dish_id!r}.")
        found = [
            guest
            for guest in self.guests.values()
            if (name is None or name.casefold() in guest["name"].casefold())
            and (household_id is None or guest["household_id"] == household_id)
            and (child is None or guest["child"] == child)
            and (diet is None or guest["diet"] == diet)
            and (table_id is None or guest["table_id"] == table_id)
            and (dish_id is None or guest["dish_id"] == dish_id)
            and (reply is None or guest["reply"] == reply)
        ]
        shown = [{**guest} for guest in _page(found, offset)]
        return _found({"total": len(found), "guests": shown}, self._names_of_guests(shown))

    def list_quarrels(
        self,
        one_id: str | None = None,
        other_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the quarrels, oldest first, all of them or only some.

        Args:
            one_id (str, optional): Only quarrels whose one is this guest.
            other_id (str, optional): Only quarrels whose other is this guest.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "quarrels": records}}
        """
        if one_id is not None and one_id not in self.guests:
            return _refused(f"There is no guest {one_id!r}.")
        if other_id is not None and other_id not in self.guests:
            return _refused(f"There is no guest {other_id!r}.")
        found = [
            quarrel
            for quarrel in self.quarrels.values()
            if (one_id is None or quarrel["one_id"] == one_id)
            and (other_id is None or quarrel["other_id"] == other_id)
        ]
        shown = [{**quarrel} for quarrel in _page(found, offset)]
        return _found({"total": len(found), "quarrels": shown}, self._names_of_quarrels(shown))

    def list_tables(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tables, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tables whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}}
        """
        found = [
            table
            for table in self.tables.values()
            if (name is None or name.casefold() in table["name"].casefold())
        ]
        return _found({"total": len(found), "tables": [self._show_table(table) for table in _page(found, offset)]})

    def list_dishes(
        self,
        name: Text | None = None,
        vegetarian: bool | None = None,
        gluten_free: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the dishes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only dishes whose name contains this text.
            vegetarian (bool, optional): Only dishes that are vegetarian (true) or not (false).
            gluten_free (bool, optional): Only dishes with this value of `gluten_free`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dishes": records}}
        """
        found = [
            dish
            for dish in self.dishes.values()
            if (name is None or name.casefold() in dish["name"].casefold())
            and (vegetarian is None or dish["vegetarian"] == vegetarian)
            and (gluten_free is None or dish["gluten_free"] == gluten_free)
        ]
        return _found({"total": len(found), "dishes": [self._show_dish(dish) for dish in _page(found, offset)]})

    def list_categories(
        self,
        name: Text | None = None,
        meals: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the categories, oldest first, all of them or only some.

        Args:
            name (str, optional): Only categories whose name contains this text.
            meals (bool, optional): Only categories with this value of `meals`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "categories": records}}
        """
        found = [
            category
            for category in self.categories.values()
            if (name is None or name.casefold() in category["name"].casefold())
            and (meals is None or category["meals"] == meals)
        ]
        return _found(
            {"total": len(found), "categories": [self._show_category(category) for category in _page(found, offset)]}
        )

    def list_vendors(
        self,
        name: Text | None = None,
        category_id: str | None = None,
        status: Literal["booked", "cancelled"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vendors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vendors whose name contains this text.
            category_id (str, optional): Only vendors of this category.
            status (str, optional): Only vendors with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vendors": records}}
        """
        if category_id is not None and category_id not in self.categories:
            return _refused(f"There is no category {category_id!r}.")
        found = [
            vendor
            for vendor in self.vendors.values()
            if (name is None or name.casefold() in vendor["name"].casefold())
            and (category_id is None or vendor["category_id"] == category_id)
            and (status is None or vendor["status"] == status)
        ]
        shown = [self._show_vendor(vendor) for vendor in _page(found, offset)]
        return _found({"total": len(found), "vendors": shown}, self._names_of_vendors(shown))

    def list_instalments(
        self,
        vendor_id: str | None = None,
        due_on_from: Date | None = None,
        due_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instalments, oldest first, all of them or only some.

        Args:
            vendor_id (str, optional): Only instalments of this vendor.
            due_on_from (str, optional): Only instalments whose `due_on` is on this day or later.
            due_on_to (str, optional): Only instalments whose `due_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instalments": records}}
        """
        if vendor_id is not None and vendor_id not in self.vendors:
            return _refused(f"There is no vendor {vendor_id!r}.")
        found = [
            instalment
            for instalment in self.instalments.values()
            if (vendor_id is None or instalment["vendor_id"] == vendor_id)
            and (due_on_from is None or instalment["due_on"] >= due_on_from)
            and (due_on_to is None or instalment["due_on"] <= due_on_to)
        ]
        shown = [{**instalment} for instalment in _page(found, offset)]
        return _found({"total": len(found), "instalments": shown}, self._names_of_instalments(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def record_reply(
        self,
        household_id: str,
        comes: bool,
        absent_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Record the reply of a household, everybody coming but those named as absent, or nobody at all.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            comes (bool): Whether anybody of the household comes.
            absent_ids (list): Guests of the household who stay away while others come: ids of guests, such as
                GUEST-00001. May be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        absent = []
        for key in absent_ids or []:
            if key not in self.guests:
                return _refused(f"There is no guest {key!r}.")
            absent.append(self.guests[key])
        if not _different([g["id"] for g in absent]):
            return _refused("Somebody is named twice.")
        stranger = next((g for g in absent if g["household_id"] != household_id), None)
        if stranger is not None:
            return _refused(f"{stranger['name']} does not belong to {household['name']}.")
        if not (comes or len(absent) == 0):
            return _refused("When nobody comes, nobody needs to be named.")
        if not (
            not comes
            or any(
                not g["child"]
                and g not in absent
                for g in self._guests_by_household.get(household_id, {}).values()
            )
        ):
            return _refused(f"A grown-up of {household['name']} has to come.")
        orphan = next(
            (
                c
                for c in sorted(self._guests_by_household.get(household_id, {}).values(), key=_age)
                if comes
                and c["child"]
                and c not in absent
                and c["table_id"] is not None
                and not any(
                    o["table_id"] == c["table_id"]
                    and not o["child"]
                    and o not in absent
                    for o in self._guests_by_household.get(household_id, {}).values()
                )
            ),
            None,
        )
        if orphan is not None:
            return _refused(
                f"{orphan['name']} would sit there without a grown-up, so take the child from the table first."
            )
        self._journal = []
        changed_guests: list[Any] = []
        changed_guests_2: list[Any] = []
        former_table_ids: list[Any] = []
        changed_guests_3: list[Any] = []
        former_dish_ids: list[Any] = []
        for g in sorted(self._guests_by_household.get(household_id, {}).values(), key=_age):
            if comes and g not in absent:
                if g["reply"] != "coming":
                    changed_guests.append(g)
                    self._put("guests", g, "reply", "coming")
            else:
                changed_guests_2.append(g)
                former_table_ids.append(g["table_id"])
                self._put("guests", g, "table_id", None)
                changed_guests_3.append(g)
                former_dish_ids.append(g["dish_id"])
                self._put("guests", g, "dish_id", None)
                if g["reply"] != "absent":
                    changed_guests.append(g)
                    self._put("guests", g, "reply", "absent")
        for one_table in _distinct(
            [
                *[self.tables.get(one["table_id"]) for one in changed_guests_2],
                *[self.tables.get(key) for key in former_table_ids],
            ]
        ):
            if self._breaks_rule_1(one_table):
                return self._take_back(RULES[0])
        for one_quarrel in _distinct(
            [
                *[user for one in changed_guests_2 for user in self._quarrels_by_one.get(one["id"], {}).values()],
                *[user for one in changed_guests_2 for user in self._quarrels_by_other.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_quarrel):
                return self._take_back(RULES[1])
        for one_guest in _distinct(
            [
                *changed_guests_2,
                *[
                    user
                    for one in [self.households[one["household_id"]] for one in changed_guests_2]
                    for user in self._guests_by_household.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        for one_guest in _distinct([*changed_guests, *changed_guests_2, *changed_guests_3]):
            if self._breaks_rule_4(one_guest):
                return self._take_back(RULES[3])
        for one_guest in _distinct(changed_guests_3):
            if self._breaks_rule_5(one_guest):
                return self._take_back(RULES[4])
        for one_dish in _distinct(
            [
                *[self.dishes.get(one["dish_id"]) for one in changed_guests_3],
                *[self.dishes.get(key) for key in former_dish_ids],
            ]
        ):
            if self._breaks_rule_6(one_dish):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_category) for one_category in self.categories.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: record the reply of {household['name']}.",
            "data": self._changes(),
        }

    def invite_household(
        self,
        name: Text,
        side: Literal["bride", "groom"],
        reply_by: Date,
        guest: Text,
        diet: Literal["anything", "vegetarian", "gluten_free"],
    ) -> Result:
        """Invite another household with one grown-up, whose reply is then awaited.

        Args:
            name (str): Name of the household, not in use yet.
            side (str): Whose guests they are: bride or groom.
            reply_by (str): Day by which they should reply, after today, as YYYY-MM-DD.
            guest (str): Name of the grown-up, not a guest yet.
            diet (str): What the grown-up can eat: anything, vegetarian or gluten_free.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._households_by_name.get(name, {}):
            return _refused(f"{name} is on the list already.")
        if self._guests_by_name.get(guest, {}):
            return _refused(f"{guest} is on the list already.")
        if reply_by <= self.now[:10]:
            return _refused(f"A reply is asked for by a day to come, not by {reply_by}.")
        self._journal = []
        household: Household = {
            "id": self._new_id("household", "HOUSEHOLD", self.households),
            "name": name,
            "side": side,
            "reply_by": reply_by,
        }
        self._add("households", household)
        new_guest: Guest = {
            "id": self._new_id("guest", "GUEST", self.guests),
            "name": guest,
            "household_id": household["id"],
            "child": False,
            "diet": diet,
            "table_id": None,
            "dish_id": None,
            "reply": "open",
        }
        self._add("guests", new_guest)
        if len(self._households_by_name.get(household["name"], {})) > 1:
            return self._take_back(f"There is already a household with the name {household['name']!r}.")
        if len(self._guests_by_name.get(new_guest["name"], {})) > 1:
            return self._take_back(f"There is already a guest with the name {new_guest['name']!r}.")
        for one_table in _distinct([self.tables.get(new_guest["table_id"])]):
            if self._breaks_rule_1(one_table):
                return self._take_back(RULES[0])
        for one_guest in _distinct(
            [new_guest, *self._guests_by_household.get(new_guest["household_id"], {}).values()]
        ):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(new_guest):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(new_guest):
            return self._take_back(RULES[4])
        for one_dish in _distinct([self.dishes.get(new_guest["dish_id"])]):
            if self._breaks_rule_6(one_dish):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_category) for one_category in self.categories.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: invite {name} with {guest} (new: household {household['id']}, guest {new_guest['id']})."
            ),
            "data": {"household_id": household["id"], "guest_id": new_guest["id"], **self._changes()},
        }

    def add_guest(
        self,
        household_id: str,
        name: Text,
        diet: Literal["anything", "vegetarian", "gluten_free"],
        child: bool = False,
    ) -> Result:
        """Add somebody to a household that is coming, such as a new partner.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            name (str): Name of the new guest, not a guest yet.
            diet (str): What the new guest can eat: anything, vegetarian or gluten_free.
            child (bool): Whether the new guest is a child. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if self._guests_by_name.get(name, {}):
            return _refused(f"{name} is on the list already.")
        if not self._guests_by_household_reply.get((household_id, "coming"), {}):
            return _refused(f"Nobody of {household['name']} is coming so far.")
        self._journal = []
        guest: Guest = {
            "id": self._new_id("guest", "GUEST", self.guests),
            "name": name,
            "household_id": household_id,
            "child": child,
            "diet": diet,
            "table_id": None,
            "dish_id": None,
            "reply": "open",
        }
        self._add("guests", guest)
        self._put("guests", guest, "reply", "coming")
        if len(self._guests_by_name.get(guest["name"], {})) > 1:
            return self._take_back(f"There is already a guest with the name {guest['name']!r}.")
        for one_table in _distinct([self.tables.get(guest["table_id"])]):
            if self._breaks_rule_1(one_table):
                return self._take_back(RULES[0])
        for one_guest in _distinct([guest, *self._guests_by_household.get(guest["household_id"], {}).values()]):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(guest):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(guest):
            return self._take_back(RULES[4])
        for one_dish in _distinct([self.dishes.get(guest["dish_id"])]):
            if self._breaks_rule_6(one_dish):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_category) for one_category in self.categories.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: add {name} to {household['name']} (new: guest {guest['id']}).",
            "data": {"guest_id": guest["id"], **self._changes()},
        }

    def seat_guest(self, guest_id: str, table_id: str) -> Result:
        """Seat a guest at a table, or move one there.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            table_id (str): Id of the table, such as TABLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        table = self.tables.get(table_id)
        if table is None:
            return _refused(f"There is no table {table_id!r}.")
        if guest["reply"] != "coming":
            return _refused(f"{guest['name']} has not accepted.")
        if guest["table_id"] == table_id:
            return _refused(f"{guest['name']} sits at {table['name']} already.")
        if self._table_free(table) <= 0:
            return _refused(f"Table {table['name']} is full.")
        foe = self._foe_at(guest, table)
        if foe is not None:
            return _refused(f"{guest['name']} and {foe['name']} must not sit together.")
        if not (not guest["child"] or self._minded(guest, table)):
            return _refused(
                f"{guest['name']} is a child and nobody of {self.households[guest['household_id']]['name']} sits "
                f"at {table['name']}."
            )
        kid = self._alone_without(guest)
        if kid is not None:
            return _refused(
                f"{kid['name']} would be left alone at the old table, so take the child from the table first."
            )
        self._journal = []
        former_table_id = guest["table_id"]
        self._put("guests", guest, "table_id", table_id)
        for one_table in _distinct([self.tables.get(guest["table_id"]), self.tables.get(former_table_id)]):
            if self._breaks_rule_1(one_table):
                return self._take_back(RULES[0])
        for one_quarrel in _distinct(
            [
                *self._quarrels_by_one.get(guest["id"], {}).values(),
                *self._quarrels_by_other.get(guest["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_quarrel):
                return self._take_back(RULES[1])
        for one_guest in _distinct([guest, *self._guests_by_household.get(guest["household_id"], {}).values()]):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(guest):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: seat {guest['name']} at {table['name']}.",
            "data": self._changes(),
        }

    def unseat_guest(self, guest_id: str) -> Result:
        """Take a guest from the table.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        if guest["table_id"] is None:
            return _refused(f"{guest['name']} has no seat.")
        kid = self._alone_without(guest)
        if kid is not None:
            return _refused(f"{kid['name']} would be left alone there, so take the child from the table first.")
        self._journal = []
        former_table_id = guest["table_id"]
        self._put("guests", guest, "table_id", None)
        for one_table in _distinct([self.tables.get(guest["table_id"]), self.tables.get(former_table_id)]):
            if self._breaks_rule_1(one_table):
                return self._take_back(RULES[0])
        for one_quarrel in _distinct(
            [
                *self._quarrels_by_one.get(guest["id"], {}).values(),
                *self._quarrels_by_other.get(guest["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_quarrel):
                return self._take_back(RULES[1])
        for one_guest in _distinct([guest, *self._guests_by_household.get(guest["household_id"], {}).values()]):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(guest):
            return self._take_back(RULES[3])
        return {"success": True, "message": f"Done: take {guest['name']} from the table.", "data": self._changes()}

    def note_quarrel(self, one_id: str, other_id: str) -> Result:
        """Note that two guests must not sit at one table.

        Args:
            one_id (str): First of the two guests; an id such as GUEST-00001.
            other_id (str): Second of the two guests; an id such as GUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.guests.get(one_id)
        if one is None:
            return _refused(f"There is no guest {one_id!r}.")
        other = self.guests.get(other_id)
        if other is None:
            return _refused(f"There is no guest {other_id!r}.")
        if one is other:
            return _refused("These are the same.")
        if self._foes(one, other):
            return _refused(f"That is known of {one['name']} and {other['name']}.")
        if one["table_id"] is not None and one["table_id"] == other["table_id"]:
            return _refused(f"Both sit at {self.tables[one['table_id']]['name']}, so move one of them first.")
        self._journal = []
        quarrel: Quarrel = {
            "id": self._new_id("quarrel", "QUARREL", self.quarrels),
            "one_id": one_id,
            "other_id": other_id,
        }
        self._add("quarrels", quarrel)
        if self._breaks_rule_2(quarrel):
            return self._take_back(RULES[1])
        if self._breaks_rule_11_q(quarrel):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_q_again(quarrel):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: keep {one['name']} and {other['name']} apart (new: quarrel {quarrel['id']}).",
            "data": {"quarrel_id": quarrel["id"], **self._changes()},
        }

    def choose_dish(
        self,
        guest_id: str,
        dish_id: str,
        diet: Literal["anything", "vegetarian", "gluten_free"] | None = None,
    ) -> Result:
        """Note which dish a guest will have, and the diet where it is another one than was known.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            dish_id (str): Id of the dish, such as DISH-00001.
            diet (str, optional): New diet of the guest, which the dish must suit: anything, vegetarian or
                gluten_free. If left out, the diet stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        dish = self.dishes.get(dish_id)
        if dish is None:
            return _refused(f"There is no dish {dish_id!r}.")
        if guest["reply"] != "coming":
            return _refused(f"{guest['name']} has not accepted.")
        if not (guest["dish_id"] != dish_id or diet is not None and diet != guest["diet"]):
            return _refused(f"{guest['name']} has chosen that already.")
        if not self._allowed(dish, diet if diet is not None else guest["diet"]):
            return _refused(
                f"{guest['name']} eats {diet if diet is not None else guest['diet']} and cannot have {dish['name']}."
            )
        if guest["dish_id"] != dish_id and self._dish_chosen(dish) >= dish["most"]:
            return _refused(f"The kitchen makes {dish['most']} of {dish['name']}, and all are taken.")
        food = next((c for c in self.categories.values() if c["meals"]), None)
        if (
            food is not None
            and self._category_committed(food) + dish["price"] - (
                0
                if guest["dish_id"] is None
                else self.dishes[guest["dish_id"]]["price"]
            ) > food["planned"]
        ):
            return _refused(f"That is more than what is left for {food['name']}.")
        self._journal = []
        former_dish_id = guest["dish_id"]
        self._put("guests", guest, "dish_id", None)
        self._put("guests", guest, "diet", diet if diet is not None else guest["diet"])
        former_dish_id_2 = guest["dish_id"]
        self._put("guests", guest, "dish_id", dish_id)
        if self._breaks_rule_4(guest):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(guest):
            return self._take_back(RULES[4])
        for one_dish in _distinct(
            [self.dishes.get(guest["dish_id"]), self.dishes.get(former_dish_id), self.dishes.get(former_dish_id_2)]
        ):
            if self._breaks_rule_6(one_dish):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_category) for one_category in self.categories.values()):
            return self._take_back(RULES[6])
        done = f"note {dish['name']} for {guest['name']}"
        if diet is not None:
            done += f", who eats {diet}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def book_vendor(
        self,
        name: Text,
        category_id: str,
        rates: Annotated[list[BookVendorRate], {"maxItems": 20}],
    ) -> Result:
        """Book a vendor with the instalments in which it is paid.

        Args:
            name (str): Name of the vendor, not booked yet.
            category_id (str): Id of the category, such as CATEGORY-00001.
            rates (list): One entry for each instalment, four at most: due_on: day on which it is due, not in the
                past, as YYYY-MM-DD; amount: money paid with this instalment, in cents, from 100 to 2000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        category = self.categories.get(category_id)
        if category is None:
            return _refused(f"There is no category {category_id!r}.")
        if self._vendors_by_name.get(name, {}):
            return _refused(f"{name} is booked already.")
        if not ((1 <= len(rates) and len(rates) <= 4) and _different([r["due_on"] for r in rates])):
            return _refused("Name one to four instalments, each with a day of its own.")
        if not all(r["due_on"] >= self.now[:10] for r in rates):
            return _refused(f"No instalment can be due before {self.now[:10]}.")
        total = sum(r["amount"] for r in rates)
        if total < 1000:
            return _refused("That is too little for a contract.")
        if total > self._category_left(category):
            return _refused(
                f"{category['name']} has {_money(self._category_left(category))} left, not {_money(total)}, so "
                f"move {_money(total - self._category_left(category))} there first."
            )
        self._journal = []
        added_instalments: list[Any] = []
        if not 1000 <= total <= 5000000:
            return self._take_back("The total of a vendor must be between 10.00 and 50,000.00.")
        vendor: Vendor = {
            "id": self._new_id("vendor", "VENDOR", self.vendors),
            "name": name,
            "category_id": category_id,
            "total": total,
            "status": "booked",
        }
        self._add("vendors", vendor)
        for r in sorted(rates, key=lambda r: (r["due_on"],)):
            instalment = {
                "id": self._new_id("instalment", "INSTALMENT", self.instalments),
                "vendor_id": vendor["id"],
                "due_on": r["due_on"],
                "amount": r["amount"],
                "paid_on": None,
            }
            self._add("instalments", instalment)
            added_instalments.append(instalment)
        if len(self._vendors_by_name.get(vendor["name"], {})) > 1:
            return self._take_back(f"There is already a vendor with the name {vendor['name']!r}.")
        for one_category in _distinct(
            [
                self.categories[vendor["category_id"]],
                *[
                    self.categories[one["category_id"]]
                    for one in [self.vendors[one["vendor_id"]] for one in added_instalments]
                ],
            ]
        ):
            if self._breaks_rule_7(one_category):
                return self._take_back(RULES[6])
        for one_vendor in _distinct([vendor, *[self.vendors[one["vendor_id"]] for one in added_instalments]]):
            if self._breaks_rule_8(one_vendor):
                return self._take_back(RULES[7])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_9_i(one_instalment):
                return self._take_back(RULES[8])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_9_a(one_instalment):
                return self._take_back(RULES[8])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_10(one_instalment):
                return self._take_back(RULES[9])
        for one_instalment in _distinct(added_instalments):
            if self._breaks_rule_12(one_instalment):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: book {name} for {category['name']} (new: vendor {vendor['id']}).",
            "data": {"vendor_id": vendor["id"], **self._changes()},
        }

    def pay_instalment(self, instalment_id: str) -> Result:
        """Pay the next instalment of a vendor.

        Args:
            instalment_id (str): Id of the instalment, such as INSTALMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instalment = self.instalments.get(instalment_id)
        if instalment is None:
            return _refused(f"There is no instalment {instalment_id!r}.")
        if instalment["paid_on"] is not None:
            return _refused(f"That was paid on {instalment['paid_on']}.")
        before = self._next_rate(self.vendors[instalment["vendor_id"]])
        if before is not None and before is not instalment:
            return _refused(f"The instalment of {before['due_on']} comes first.")
        self._journal = []
        self._put("instalments", instalment, "paid_on", self.now[:10])
        if self._breaks_rule_7(self.categories[self.vendors[instalment["vendor_id"]]["category_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_9_i(instalment):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_a(instalment):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(instalment):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: pay {_money(instalment['amount'])} to {self.vendors[instalment['vendor_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_vendor(self, vendor_id: str) -> Result:
        """Cancel a vendor; what was paid is lost, the rest is not due any more.

        Args:
            vendor_id (str): Id of the vendor, such as VENDOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        vendor = self.vendors.get(vendor_id)
        if vendor is None:
            return _refused(f"There is no vendor {vendor_id!r}.")
        if vendor["status"] != "booked":
            return _refused(f"{vendor['name']} is cancelled.")
        if self._vendor_paid(vendor) >= vendor["total"]:
            return _refused(f"{vendor['name']} is paid in full.")
        self._journal = []
        deleted_instalments: list[Any] = []
        for i in [
            i
            for i in sorted(self._instalments_by_vendor.get(vendor_id, {}).values(), key=_age)
            if i["paid_on"] is None
        ]:
            if i["id"] in self.instalments:
                self._remove("instalments", i)
            deleted_instalments.append(i)
        self._put("vendors", vendor, "status", "cancelled")
        for one_category in _distinct(
            [
                self.categories[vendor["category_id"]],
                *[
                    self.categories[one["category_id"]]
                    for one in [self.vendors[one["vendor_id"]] for one in deleted_instalments]
                ],
            ]
        ):
            if self._breaks_rule_7(one_category):
                return self._take_back(RULES[6])
        for one_vendor in _distinct([vendor, *[self.vendors[one["vendor_id"]] for one in deleted_instalments]]):
            if self._breaks_rule_8(one_vendor):
                return self._take_back(RULES[7])
        for one_instalment in _distinct(self._instalments_by_vendor.get(vendor["id"], {}).values()):
            if one_instalment["id"] in self.instalments and self._breaks_rule_12(one_instalment):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: cancel {vendor['name']}.", "data": self._changes()}

    def move_budget(
        self,
        source_id: str,
        target_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 5000000}],
    ) -> Result:
        """Move money from one category of the budget to another.

        Args:
            source_id (str): Category that gives the money; an id such as CATEGORY-00001.
            target_id (str): Category that gets the money; an id such as CATEGORY-00001.
            amount (int): Money that is moved, at most what is left, in cents, from 100 to 5000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.categories.get(source_id)
        if source is None:
            return _refused(f"There is no category {source_id!r}.")
        target = self.categories.get(target_id)
        if target is None:
            return _refused(f"There is no category {target_id!r}.")
        if source is target:
            return _refused("That is the same category.")
        if amount > self._category_left(source):
            return _refused(f"{source['name']} has {_money(self._category_left(source))} left.")
        self._journal = []
        planned = source["planned"] - amount
        if not 0 <= planned <= 9000000:
            return self._take_back(f"The planned of {source['name']} must be between 0.00 and 90,000.00.")
        self._put("categories", source, "planned", planned)
        new_planned = target["planned"] + amount
        if not 0 <= new_planned <= 9000000:
            return self._take_back(f"The planned of {target['name']} must be between 0.00 and 90,000.00.")
        self._put("categories", target, "planned", new_planned)
        if self._breaks_rule_7(source):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(target):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: move {_money(amount)} from {source['name']} to {target['name']}.",
            "data": self._changes(),
        }

    def set_seats(self, table_id: str, seats: Annotated[int, {"minimum": 2, "maximum": 14}]) -> Result:
        """Set how many seats a table has.

        Args:
            table_id (str): Id of the table, such as TABLE-00001.
            seats (int): New number of seats, at least those taken, from 2 to 14.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        table = self.tables.get(table_id)
        if table is None:
            return _refused(f"There is no table {table_id!r}.")
        if seats == table["seats"]:
            return _refused(f"Table {table['name']} has {seats} seats already.")
        if seats < self._table_taken(table):
            return _refused(f"{self._table_taken(table)} guests sit at {table['name']}.")
        self._journal = []
        self._put("tables", table, "seats", seats)
        if self._breaks_rule_1(table):
            return self._take_back(RULES[0])
        return {"success": True, "message": f"Done: give {table['name']} {seats} seats.", "data": self._changes()}

    def _show_household(self, household: Household) -> dict[str, Any]:
        """The household as an answer shows it."""
        return {**household, "open_replies": self._household_open_replies(household)}

    def _show_table(self, table: Table) -> dict[str, Any]:
        """The table as an answer shows it."""
        return {**table, "taken": self._table_taken(table), "free": self._table_free(table)}

    def _show_dish(self, dish: Dish) -> dict[str, Any]:
        """The dish as an answer shows it."""
        return {**dish, "chosen": self._dish_chosen(dish)}

    def _show_category(self, category: Category) -> dict[str, Any]:
        """The category as an answer shows it."""
        return {**category, "committed": self._category_committed(category), "left": self._category_left(category)}

    def _show_vendor(self, vendor: Vendor) -> dict[str, Any]:
        """The vendor as an answer shows it."""
        return {**vendor, "paid": self._vendor_paid(vendor), "bound": self._vendor_bound(vendor)}

    def _names_of_guests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that guests point to."""
        return _names(
            (self.households, "name", [row["household_id"] for row in shown]),
            (self.tables, "name", [row["table_id"] for row in shown]),
            (self.dishes, "name", [row["dish_id"] for row in shown]),
        )

    def _names_of_quarrels(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that quarrels point to."""
        return _names(
            (self.guests, "name", [row["one_id"] for row in shown]),
            (self.guests, "name", [row["other_id"] for row in shown]),
        )

    def _names_of_vendors(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vendors point to."""
        return _names((self.categories, "name", [row["category_id"] for row in shown]))

    def _names_of_instalments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instalments point to."""
        return _names((self.vendors, "name", [row["vendor_id"] for row in shown]))

    def _household_open_replies(self, household: Household) -> int:
        """The open replies of a household."""
        return len(self._guests_by_household_reply.get((household["id"], "open"), {}))

    def _table_taken(self, table: Table) -> int:
        """The taken of a table."""
        return len(self._guests_by_table.get(table["id"], {}))

    def _table_free(self, table: Table) -> int:
        """The free of a table."""
        return table["seats"] - self._table_taken(table)

    def _dish_chosen(self, dish: Dish) -> int:
        """The chosen of a dish."""
        return len(self._guests_by_dish.get(dish["id"], {}))

    def _category_committed(self, category: Category) -> int:
        """The committed of a category."""
        return (
            sum(self._vendor_bound(v) for v in self._vendors_by_category.get(category["id"], {}).values())
            + (
                sum(self.dishes[g["dish_id"]]["price"] for g in self.guests.values() if g["dish_id"] is not None)
                if category["meals"]
                else 0
            )
        )

    def _category_left(self, category: Category) -> int:
        """The left of a category."""
        return category["planned"] - self._category_committed(category)

    def _vendor_paid(self, vendor: Vendor) -> int:
        """The paid of a vendor."""
        return sum(
            i["amount"]
            for i in self._instalments_by_vendor.get(vendor["id"], {}).values()
            if i["paid_on"] is not None
        )

    def _vendor_bound(self, vendor: Vendor) -> int:
        """The bound of a vendor."""
        return vendor["total"] if vendor["status"] == "booked" else self._vendor_paid(vendor)

    def _foes(self, a: Guest, b: Guest) -> bool:
        return any(
            q["one_id"] == a["id"]
            and q["other_id"] == b["id"]
            or q["one_id"] == b["id"]
            and q["other_id"] == a["id"]
            for q in _distinct([q for key in [a["id"], b["id"]] for q in self._quarrels_by_one.get(key, {}).values()])
        )

    def _foe_at(self, g: Guest, t: Table) -> Guest | None:
        return next(
            (
                o
                for o in sorted(self._guests_by_table.get(t["id"], {}).values(), key=_age)
                if o is not g
                and self._foes(g, o)
            ),
            None,
        )

    def _minded(self, c: Guest, t: Table) -> bool:
        return any(
            o["table_id"] == t["id"]
            and not o["child"]
            for o in self._guests_by_household.get(c["household_id"], {}).values()
            if o is not c
        )

    def _alone_without(self, g: Guest) -> Guest | None:
        return next(
            (
                c
                for c in sorted(
                    self._guests_by_household_table.get((g["household_id"], g["table_id"]), {}).values(),
                    key=_age,
                )
                if c is not g
                and c["child"]
                and not g["child"]
                and c["table_id"] is not None
                and not any(
                    o["table_id"] == g["table_id"]
                    and not o["child"]
                    for o in self._guests_by_household.get(g["household_id"], {}).values()
                    if o is not g
                )
            ),
            None,
        )

    def _allowed(self, d: Dish, diet: str) -> bool:
        return (
            diet == "anything"
            or diet == "vegetarian" and d["vegetarian"]
            or diet == "gluten_free" and d["gluten_free"]
        )

    def _edible(self, d: Dish, g: Guest) -> bool:
        return self._allowed(d, g["diet"])

    def _next_rate(self, v: Vendor) -> Instalment | None:
        return min(
            (i for i in self._instalments_by_vendor.get(v["id"], {}).values() if i["paid_on"] is None),
            key=lambda i: (i["due_on"], _age(i)),
            default=None,
        )

    def _breaks_rule_1(self, t: Table) -> bool:
        """Whether this is broken: a table never has more guests than seats."""
        return self._table_taken(t) > t["seats"]

    def _breaks_rule_2(self, q: Quarrel) -> bool:
        """Whether this is broken: guests who have fallen out do not sit at one table."""
        return (
            self.guests[q["one_id"]]["table_id"] is not None
            and self.guests[q["one_id"]]["table_id"] == self.guests[q["other_id"]]["table_id"]
        )

    def _breaks_rule_3(self, c: Guest) -> bool:
        """Whether this is broken: a child sits with a grown-up of its household."""
        return not (
            not c["child"]
            or c["table_id"] is None
            or any(
                o["table_id"] == c["table_id"]
                and not o["child"]
                for o in self._guests_by_household.get(c["household_id"], {}).values()
            )
        )

    def _breaks_rule_4(self, g: Guest) -> bool:
        """Whether this is broken: only guests who are coming have a seat or a dish."""
        return not (g["reply"] == "coming" or g["table_id"] is None and g["dish_id"] is None)

    def _breaks_rule_5(self, g: Guest) -> bool:
        """Whether this is broken: nobody is served what their diet rules out."""
        return not (g["dish_id"] is None or self._edible(self.dishes[g["dish_id"]], g))

    def _breaks_rule_6(self, d: Dish) -> bool:
        """Whether this is broken: no dish is chosen more often than the kitchen can make it."""
        return self._dish_chosen(d) > d["most"]

    def _breaks_rule_7(self, c: Category) -> bool:
        """Whether this is broken: a category never commits more than is planned for it."""
        return self._category_committed(c) > c["planned"]

    def _breaks_rule_8(self, v: Vendor) -> bool:
        """Whether this is broken: the instalments of a booked vendor add up to the price."""
        return (
            v["status"] == "booked"
            and sum(i["amount"] for i in self._instalments_by_vendor.get(v["id"], {}).values()) != v["total"]
        )

    def _breaks_rule_9_i(self, i: Instalment) -> bool:
        """Whether this is broken: instalments are paid in the order in which they fall due."""
        return (
            i["paid_on"] is not None
            and any(
                a["paid_on"] is None
                for a in self._instalments_by_vendor.get(i["vendor_id"], {}).values()
                if a["due_on"] < i["due_on"]
            )
        )

    def _breaks_rule_9_a(self, a: Instalment) -> bool:
        """Whether this is broken: instalments are paid in the order in which they fall due."""
        return any(
            a["paid_on"] is None
            for i in self._instalments_by_vendor.get(a["vendor_id"], {}).values()
            if i["paid_on"] is not None
            and a["due_on"] < i["due_on"]
        )

    def _breaks_rule_10(self, i: Instalment) -> bool:
        """Whether this is broken: a vendor has one instalment a day."""
        return any(
            other_i is not i
            for other_i in self._instalments_by_vendor.get(i["vendor_id"], {}).values()
            if other_i["due_on"] == i["due_on"]
        )

    def _breaks_rule_11_q(self, q: Quarrel) -> bool:
        """Whether this is broken: a quarrel is between two different guests and noted once."""
        return any(
            other_q is not q
            for other_q in self._quarrels_by_one_other.get((q["one_id"], q["other_id"]), {}).values()
        )

    def _breaks_rule_11_q_again(self, q: Quarrel) -> bool:
        """Whether this is broken: a quarrel is between two different guests and noted once."""
        return q["one_id"] == q["other_id"]

    def _breaks_rule_12(self, i: Instalment) -> bool:
        """Whether this is broken: a cancelled vendor has nothing left to be paid."""
        return i["paid_on"] is None and self.vendors[i["vendor_id"]]["status"] == "cancelled"

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
            case "households":
                self._households_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "guests":
                self._guests_by_dish.setdefault(record["dish_id"], {})[record["id"]] = record
                self._guests_by_household.setdefault(record["household_id"], {})[record["id"]] = record
                self._guests_by_household_reply.setdefault(
                    (record["household_id"], record["reply"]),
                    {},
                )[record["id"]] = record
                self._guests_by_household_table.setdefault(
                    (record["household_id"], record["table_id"]),
                    {},
                )[record["id"]] = record
                self._guests_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._guests_by_table.setdefault(record["table_id"], {})[record["id"]] = record
            case "quarrels":
                self._quarrels_by_one.setdefault(record["one_id"], {})[record["id"]] = record
                self._quarrels_by_one_other.setdefault((record["one_id"], record["other_id"]), {})[record["id"]] = record
                self._quarrels_by_other.setdefault(record["other_id"], {})[record["id"]] = record
            case "vendors":
                self._vendors_by_category.setdefault(record["category_id"], {})[record["id"]] = record
                self._vendors_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "instalments":
                self._instalments_by_vendor.setdefault(record["vendor_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "households":
                del self._households_by_name[record["name"]][record["id"]]
            case "guests":
                del self._guests_by_dish[record["dish_id"]][record["id"]]
                del self._guests_by_household[record["household_id"]][record["id"]]
                del self._guests_by_household_reply[record["household_id"], record["reply"]][record["id"]]
                del self._guests_by_household_table[record["household_id"], record["table_id"]][record["id"]]
                del self._guests_by_name[record["name"]][record["id"]]
                del self._guests_by_table[record["table_id"]][record["id"]]
            case "quarrels":
                del self._quarrels_by_one[record["one_id"]][record["id"]]
                del self._quarrels_by_one_other[record["one_id"], record["other_id"]][record["id"]]
                del self._quarrels_by_other[record["other_id"]][record["id"]]
            case "vendors":
                del self._vendors_by_category[record["category_id"]][record["id"]]
                del self._vendors_by_name[record["name"]][record["id"]]
            case "instalments":
                del self._instalments_by_vendor[record["vendor_id"]][record["id"]]
