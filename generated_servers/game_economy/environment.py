"""Economy of an online game. Compiled from blueprint.yaml; run `envscaler build game_economy` after changing it there.

Keeps the bags of heroes with stacks and bound goods, their crafting, their trades with each other and the
market with its fees.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A hero keeps one pile of a good, and another one of what is bound to them.",
    "No pile is empty.",
    "No hero carries more stacks than the bags have slots.",
    "What binds on pickup is always bound, and what never binds never is.",
    "Bound goods are neither sold nor bartered.",
    "A seller has one open offer of a good, and no more than five in all.",
    "An open offer has something left, and a closed one nothing.",
    "Two heroes have one open barter between them at a time.",
    "A barter names a good once, and the giver is one of the two.",
    "Both sides of a barter put something in.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "loot_good",
    "craft_good",
    "use_good",
    "salvage_gear",
    "discard_good",
    "expand_bags",
    "list_offer",
    "take_back_offer",
    "buy_offer",
    "propose_barter",
    "answer_barter",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "heros": ("name",),
    "goods": ("name",),
    "holdings": (),
    "recipes": ("name",),
    "ingredients": (),
    "offers": (),
    "barters": (),
    "barter_lines": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("barter_lines", "barter_id"),
    ("barter_lines", "giver_id"),
    ("barter_lines", "good_id"),
    ("barters", "partner_id"),
    ("barters", "proposer_id"),
    ("barters", "status"),
    ("holdings", "good_id"),
    ("holdings", "hero_id"),
    ("ingredients", "recipe_id"),
    ("offers", "good_id"),
    ("offers", "seller_id"),
    ("offers", "status"),
    ("recipes", "makes_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Hero(TypedDict):
    id: str
    name: str
    trade: Literal["smith", "alchemist", "tailor"]
    skill: int
    slots: int
    coins: int


class Good(TypedDict):
    id: str
    name: str
    kind: Literal["material", "potion", "gear"]
    binds: Literal["never", "on_pickup", "on_use"]
    stacks_to: int


class Holding(TypedDict):
    id: str
    hero_id: str
    good_id: str
    amount: int
    bound: bool


class Recipe(TypedDict):
    id: str
    name: str
    makes_id: str
    trade: Literal["smith", "alchemist", "tailor"]
    from_skill: int
    yields: int


class Ingredient(TypedDict):
    id: str
    recipe_id: str
    good_id: str
    amount: int


class Offer(TypedDict):
    id: str
    seller_id: str
    good_id: str
    amount: int
    price: int
    listed_at: str
    status: Literal["open", "sold", "taken_back"]


class Barter(TypedDict):
    id: str
    proposer_id: str
    partner_id: str
    adds_coins: int
    asks_coins: int
    proposed_at: str
    status: Literal["open", "done", "declined"]


class BarterLine(TypedDict):
    id: str
    barter_id: str
    giver_id: str
    good_id: str
    amount: int


class ProposeBarterGive(TypedDict):
    good_id: str
    amount: Annotated[int, {"minimum": 1, "maximum": 999}]


class ProposeBarterWant(TypedDict):
    good_id: str
    amount: Annotated[int, {"minimum": 1, "maximum": 999}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


class GameEconomy:
    """Keeps the bags of heroes with stacks and bound goods, their crafting, their trades with each other
    and the market with its fees.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.heros: dict[str, Hero] = _copied(config.get("heros", {}))
        self.goods: dict[str, Good] = _copied(config.get("goods", {}))
        self.holdings: dict[str, Holding] = _copied(config.get("holdings", {}))
        self.recipes: dict[str, Recipe] = _copied(config.get("recipes", {}))
        self.ingredients: dict[str, Ingredient] = _copied(config.get("ingredients", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.barters: dict[str, Barter] = _copied(config.get("barters", {}))
        self.barter_lines: dict[str, BarterLine] = _copied(config.get("barter_lines", {}))
        self.now: str = config.get("now", "2026-11-07T20:30")
        self.counters: dict[str, int] = {
            "hero": len(self.heros),
            "good": len(self.goods),
            "holding": len(self.holdings),
            "recipe": len(self.recipes),
            "ingredient": len(self.ingredients),
            "offer": len(self.offers),
            "barter": len(self.barters),
            "barter_line": len(self.barter_lines),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._holdings_by_hero: dict[Any, dict[str, Holding]] = {}
        self._holdings_by_hero_good: dict[Any, dict[str, Holding]] = {}
        self._recipes_by_makes: dict[Any, dict[str, Recipe]] = {}
        self._ingredients_by_recipe: dict[Any, dict[str, Ingredient]] = {}
        self._offers_by_good: dict[Any, dict[str, Offer]] = {}
        self._offers_by_seller_good_status: dict[Any, dict[str, Offer]] = {}
        self._offers_by_seller_status: dict[Any, dict[str, Offer]] = {}
        self._barters_by_proposer: dict[Any, dict[str, Barter]] = {}
        self._barters_by_proposer_partner_status: dict[Any, dict[str, Barter]] = {}
        self._barter_lines_by_barter: dict[Any, dict[str, BarterLine]] = {}
        self._barter_lines_by_barter_giver: dict[Any, dict[str, BarterLine]] = {}
        self._barter_lines_by_barter_good: dict[Any, dict[str, BarterLine]] = {}
        for holding in self.holdings.values():
            self._link("holdings", holding)
        for recipe in self.recipes.values():
            self._link("recipes", recipe)
        for ingredient in self.ingredients.values():
            self._link("ingredients", ingredient)
        for offer in self.offers.values():
            self._link("offers", offer)
        for barter in self.barters.values():
            self._link("barters", barter)
        for barter_line in self.barter_lines.values():
            self._link("barter_lines", barter_line)

    def cheapest_offers(
        self,
        good_id: str,
        price_up_to: Annotated[int, {"minimum": 1, "maximum": 20000}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The open offers of a good, cheapest first.

        Args:
            good_id (str): Id of the good, such as GOOD-00001.
            price_up_to (int, optional): Highest price for each piece to include, in coins, from 1 to 20000. If
                left out, offers at any price are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}} or {"success": False, "error": why
                not}
        """
        good = self.goods.get(good_id)
        if good is None:
            return _refused(f"There is no good {good_id!r}.")
        found = [
            o
            for o in self._offers_by_good.get(good_id, {}).values()
            if (o["status"] == "open" and o["good_id"] == good_id)
            and (price_up_to is None or o["price"] <= price_up_to)
        ]
        found.sort(key=lambda o: (o["price"], o["listed_at"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "offers": [
                    {
                        "id": o["id"],
                        "seller": self.heros[o["seller_id"]]["name"],
                        "amount": o["amount"],
                        "price": o["price"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def what_can_be_made(
        self,
        hero_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The recipes a hero has the trade and the skill for, and how often the loose ingredients suffice.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}} or {"success": False, "error": why
                not}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        found = [
            r
            for r in self.recipes.values()
            if (r["trade"] == hero["trade"] and r["from_skill"] <= hero["skill"])
        ]
        found.sort(key=lambda r: (r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "recipes": [
                    {
                        "id": r["id"],
                        "name": r["name"],
                        "makes": self.goods[r["makes_id"]]["name"],
                        "yields": r["yields"],
                        "times": self._batches(hero, r),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def list_heros(
        self,
        name: Text | None = None,
        trade: Literal["smith", "alchemist", "tailor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the heros, oldest first, all of them or only some.

        Args:
            name (str, optional): Only heros whose name contains this text.
            trade (str, optional): Only heros with this trade.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "heros": records}}
        """
        found = [
            hero
            for hero in self.heros.values()
            if (name is None or name.casefold() in hero["name"].casefold())
            and (trade is None or hero["trade"] == trade)
        ]
        return _found({"total": len(found), "heros": [self._show_hero(hero) for hero in _page(found, offset)]})

    def list_goods(
        self,
        name: Text | None = None,
        kind: Literal["material", "potion", "gear"] | None = None,
        binds: Literal["never", "on_pickup", "on_use"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the goods, oldest first, all of them or only some.

        Args:
            name (str, optional): Only goods whose name contains this text.
            kind (str, optional): Only goods with this kind.
            binds (str, optional): Only goods whose `binds` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "goods": records}}
        """
        found = [
            good
            for good in self.goods.values()
            if (name is None or name.casefold() in good["name"].casefold())
            and (kind is None or good["kind"] == kind)
            and (binds is None or good["binds"] == binds)
        ]
        shown = [self._show_good(good) for good in _page(found, offset)]
        return _found({"total": len(found), "goods": shown}, self._names_of_goods(shown))

    def list_holdings(
        self,
        hero_id: str | None = None,
        good_id: str | None = None,
        bound: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holdings, oldest first, all of them or only some.

        Args:
            hero_id (str, optional): Only holdings of this hero.
            good_id (str, optional): Only holdings of this good.
            bound (bool, optional): Only holdings with this value of `bound`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holdings": records}}
        """
        if hero_id is not None and hero_id not in self.heros:
            return _refused(f"There is no hero {hero_id!r}.")
        if good_id is not None and good_id not in self.goods:
            return _refused(f"There is no good {good_id!r}.")
        found = [
            holding
            for holding in self.holdings.values()
            if (hero_id is None or holding["hero_id"] == hero_id)
            and (good_id is None or holding["good_id"] == good_id)
            and (bound is None or holding["bound"] == bound)
        ]
        shown = [{**holding} for holding in _page(found, offset)]
        return _found({"total": len(found), "holdings": shown}, self._names_of_holdings(shown))

    def list_recipes(
        self,
        name: Text | None = None,
        makes_id: str | None = None,
        trade: Literal["smith", "alchemist", "tailor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recipes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only recipes whose name contains this text.
            makes_id (str, optional): Only recipes whose makes is this good.
            trade (str, optional): Only recipes with this trade.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}}
        """
        if makes_id is not None and makes_id not in self.goods:
            return _refused(f"There is no good {makes_id!r}.")
        found = [
            recipe
            for recipe in self.recipes.values()
            if (name is None or name.casefold() in recipe["name"].casefold())
            and (makes_id is None or recipe["makes_id"] == makes_id)
            and (trade is None or recipe["trade"] == trade)
        ]
        shown = [{**recipe} for recipe in _page(found, offset)]
        return _found({"total": len(found), "recipes": shown}, self._names_of_recipes(shown))

    def list_ingredients(
        self,
        recipe_id: str | None = None,
        good_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ingredients, oldest first, all of them or only some.

        Args:
            recipe_id (str, optional): Only ingredients of this recipe.
            good_id (str, optional): Only ingredients of this good.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ingredients": records}}
        """
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if good_id is not None and good_id not in self.goods:
            return _refused(f"There is no good {good_id!r}.")
        found = [
            ingredient
            for ingredient in self.ingredients.values()
            if (recipe_id is None or ingredient["recipe_id"] == recipe_id)
            and (good_id is None or ingredient["good_id"] == good_id)
        ]
        shown = [{**ingredient} for ingredient in _page(found, offset)]
        return _found({"total": len(found), "ingredients": shown}, self._names_of_ingredients(shown))

    def list_offers(
        self,
        seller_id: str | None = None,
        good_id: str | None = None,
        status: Literal["open", "sold", "taken_back"] | None = None,
        listed_at_from: Date | None = None,
        listed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            seller_id (str, optional): Only offers whose seller is this hero.
            good_id (str, optional): Only offers of this good.
            status (str, optional): Only offers with this status.
            listed_at_from (str, optional): Only offers whose `listed_at` is on this day or later.
            listed_at_to (str, optional): Only offers whose `listed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if seller_id is not None and seller_id not in self.heros:
            return _refused(f"There is no hero {seller_id!r}.")
        if good_id is not None and good_id not in self.goods:
            return _refused(f"There is no good {good_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (seller_id is None or offer["seller_id"] == seller_id)
            and (good_id is None or offer["good_id"] == good_id)
            and (status is None or offer["status"] == status)
            and (listed_at_from is None or offer["listed_at"][:10] >= listed_at_from)
            and (listed_at_to is None or offer["listed_at"][:10] <= listed_at_to)
        ]
        shown = [{**offer} for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def list_barters(
        self,
        proposer_id: str | None = None,
        partner_id: str | None = None,
        status: Literal["open", "done", "declined"] | None = None,
        proposed_at_from: Date | None = None,
        proposed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the barters, oldest first, all of them or only some.

        Args:
            proposer_id (str, optional): Only barters whose proposer is this hero.
            partner_id (str, optional): Only barters whose partner is this hero.
            status (str, optional): Only barters with this status.
            proposed_at_from (str, optional): Only barters whose `proposed_at` is on this day or later.
            proposed_at_to (str, optional): Only barters whose `proposed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "barters": records}}
        """
        if proposer_id is not None and proposer_id not in self.heros:
            return _refused(f"There is no hero {proposer_id!r}.")
        if partner_id is not None and partner_id not in self.heros:
            return _refused(f"There is no hero {partner_id!r}.")
        found = [
            barter
            for barter in self.barters.values()
            if (proposer_id is None or barter["proposer_id"] == proposer_id)
            and (partner_id is None or barter["partner_id"] == partner_id)
            and (status is None or barter["status"] == status)
            and (proposed_at_from is None or barter["proposed_at"][:10] >= proposed_at_from)
            and (proposed_at_to is None or barter["proposed_at"][:10] <= proposed_at_to)
        ]
        shown = [{**barter} for barter in _page(found, offset)]
        return _found({"total": len(found), "barters": shown}, self._names_of_barters(shown))

    def list_barter_lines(
        self,
        barter_id: str | None = None,
        giver_id: str | None = None,
        good_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the barter lines, oldest first, all of them or only some.

        Args:
            barter_id (str, optional): Only barter lines of this barter.
            giver_id (str, optional): Only barter lines whose giver is this hero.
            good_id (str, optional): Only barter lines of this good.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "barter_lines": records}}
        """
        if barter_id is not None and barter_id not in self.barters:
            return _refused(f"There is no barter {barter_id!r}.")
        if giver_id is not None and giver_id not in self.heros:
            return _refused(f"There is no hero {giver_id!r}.")
        if good_id is not None and good_id not in self.goods:
            return _refused(f"There is no good {good_id!r}.")
        found = [
            barter_line
            for barter_line in self.barter_lines.values()
            if (barter_id is None or barter_line["barter_id"] == barter_id)
            and (giver_id is None or barter_line["giver_id"] == giver_id)
            and (good_id is None or barter_line["good_id"] == good_id)
        ]
        shown = [{**barter_line} for barter_line in _page(found, offset)]
        return _found({"total": len(found), "barter_lines": shown}, self._names_of_barter_lines(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def loot_good(self, hero_id: str, good_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 200}]) -> Result:
        """Put what a hero has found into the bags; goods that bind on pickup are bound at once.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            good_id (str): Id of the good, such as GOOD-00001.
            amount (int): Pieces found, at most two of gear, from 1 to 200.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        good = self.goods.get(good_id)
        if good is None:
            return _refused(f"There is no good {good_id!r}.")
        bound = good["binds"] == "on_pickup"
        if good["kind"] == "gear" and amount > 2:
            return _refused(f"Nobody finds {amount} of {good['name']} at a time.")
        if self._hero_used(hero) + self._grows(hero, good, bound, amount) > hero["slots"]:
            return _refused(
                f"{hero['name']} has {hero['slots'] - self._hero_used(hero)} slots left, and {amount} "
                f"{good['name']} need {self._grows(hero, good, bound, amount)}."
            )
        self._journal = []
        added_holdings: list[Any] = []
        changed_holdings: list[Any] = []
        pile = next(
            (
                x
                for x in sorted(self._holdings_by_hero_good.get((hero_id, good_id), {}).values(), key=_age)
                if x["bound"] == bound
            ),
            None,
        )
        if pile is None:
            holding = {
                "id": self._new_id("holding", "HOLDING", self.holdings),
                "hero_id": hero_id,
                "good_id": good_id,
                "amount": amount,
                "bound": bound,
            }
            self._add("holdings", holding)
            added_holdings.append(holding)
        else:
            new_amount = pile["amount"] + amount
            if not 0 <= new_amount <= 9999:
                return self._take_back(f"The amount of {pile['id']} must be between 0 and 9999.")
            changed_holdings.append(pile)
            self._put("holdings", pile, "amount", new_amount)
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*added_holdings, *changed_holdings]):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in added_holdings],
                *[self.heros[one["hero_id"]] for one in changed_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: give {hero['name']} {amount} {good['name']}.",
            "data": self._changes(),
        }

    def craft_good(
        self,
        hero_id: str,
        recipe_id: str,
        times: Annotated[int, {"minimum": 1, "maximum": 20}],
    ) -> Result:
        """Let a hero craft by a recipe, one or several times, from loose ingredients; crafting near one's limit
        raises the skill.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            recipe_id (str): Id of the recipe, such as RECIPE-00001.
            times (int): How often the recipe is carried out, from 1 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        recipe = self.recipes.get(recipe_id)
        if recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if recipe["trade"] != hero["trade"]:
            return _refused(f"{recipe['name']} is for a {recipe['trade']}, and {hero['name']} is a {hero['trade']}.")
        if hero["skill"] < recipe["from_skill"]:
            return _refused(
                f"{recipe['name']} asks for a skill of {recipe['from_skill']}, and {hero['name']} has "
                f"{hero['skill']}."
            )
        short = next(
            (
                i
                for i in sorted(self._ingredients_by_recipe.get(recipe_id, {}).values(), key=_age)
                if self._loose(hero, self.goods[i["good_id"]]) < i["amount"] * times
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"{hero['name']} has {self._loose(hero, self.goods[short['good_id']])} "
                f"{self.goods[short['good_id']]['name']} and needs {short['amount'] * times}."
            )
        bound = self.goods[recipe["makes_id"]]["binds"] == "on_pickup"
        if (
            self._hero_used(hero)
            + sum(
                self._grows(hero, self.goods[i["good_id"]], False, -i["amount"] * times)
                for i in self._ingredients_by_recipe.get(recipe_id, {}).values()
            )
            + self._grows(hero, self.goods[recipe["makes_id"]], bound, recipe["yields"] * times) > hero["slots"]
        ):
            return _refused(f"{hero['name']} has no slots for that many {self.goods[recipe['makes_id']]['name']}.")
        self._journal = []
        changed_holdings: list[Any] = []
        deleted_holdings: list[Any] = []
        added_holdings: list[Any] = []
        for i in sorted(self._ingredients_by_recipe.get(recipe_id, {}).values(), key=_age):
            for x in [
                x
                for x in sorted(self._holdings_by_hero_good.get((hero_id, i["good_id"]), {}).values(), key=_age)
                if not x["bound"]
            ]:
                amount = x["amount"] - i["amount"] * times
                if not 0 <= amount <= 9999:
                    return self._take_back(f"The amount of {x['id']} must be between 0 and 9999.")
                changed_holdings.append(x)
                if x["id"] in self.holdings:
                    self._put("holdings", x, "amount", amount)
                if x["amount"] == 0:
                    if x["id"] in self.holdings:
                        self._remove("holdings", x)
                    deleted_holdings.append(x)
        pile = next(
            (
                x
                for x in sorted(self._holdings_by_hero_good.get((hero_id, recipe["makes_id"]), {}).values(), key=_age)
                if x["bound"] == bound
            ),
            None,
        )
        if pile is None:
            new_amount = recipe["yields"] * times
            if not 0 <= new_amount <= 9999:
                return self._take_back("The amount of a holding must be between 0 and 9999.")
            holding = {
                "id": self._new_id("holding", "HOLDING", self.holdings),
                "hero_id": hero_id,
                "good_id": recipe["makes_id"],
                "amount": new_amount,
                "bound": bound,
            }
            self._add("holdings", holding)
            added_holdings.append(holding)
        else:
            new_amount_2 = pile["amount"] + recipe["yields"] * times
            if not 0 <= new_amount_2 <= 9999:
                return self._take_back(f"The amount of {pile['id']} must be between 0 and 9999.")
            changed_holdings.append(pile)
            if pile["id"] in self.holdings:
                self._put("holdings", pile, "amount", new_amount_2)
        if hero["skill"] < recipe["from_skill"] + 50:
            skill = min(300, hero["skill"] + times)
            if not 0 <= skill <= 300:
                return self._take_back(f"The skill of {hero['name']} must be between 0 and 300.")
            self._put("heros", hero, "skill", skill)
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*changed_holdings, *added_holdings]):
            if one_holding["id"] in self.holdings and self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in changed_holdings],
                *[self.heros[one["hero_id"]] for one in deleted_holdings],
                *[self.heros[one["hero_id"]] for one in added_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: craft {self.goods[recipe['makes_id']]['name']} for {hero['name']}, {times} times.",
            "data": self._changes(),
        }

    def use_good(self, hero_id: str, good_id: str) -> Result:
        """Let a hero drink a potion, or put on gear, which binds it.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            good_id (str): Id of the good, such as GOOD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        good = self.goods.get(good_id)
        if good is None:
            return _refused(f"There is no good {good_id!r}.")
        if good["kind"] == "material":
            return _refused(f"{good['name']} is a material and cannot be used by itself.")
        if self._loose(hero, good) <= 0:
            return _refused(f"{hero['name']} has no loose {good['name']}.")
        if good["kind"] == "gear" and good["binds"] != "on_use":
            return _refused(
                f"{good['name']} does not bind and stays in the bags when worn, so there is nothing to do."
            )
        self._journal = []
        changed_holdings: list[Any] = []
        deleted_holdings: list[Any] = []
        added_holdings: list[Any] = []
        for x in [
            x
            for x in sorted(self._holdings_by_hero_good.get((hero_id, good_id), {}).values(), key=_age)
            if not x["bound"]
        ]:
            amount = x["amount"] - 1
            if not 0 <= amount <= 9999:
                return self._take_back(f"The amount of {x['id']} must be between 0 and 9999.")
            changed_holdings.append(x)
            if x["id"] in self.holdings:
                self._put("holdings", x, "amount", amount)
            if x["amount"] == 0:
                if x["id"] in self.holdings:
                    self._remove("holdings", x)
                deleted_holdings.append(x)
        if good["binds"] == "on_use":
            worn = next(
                (
                    x
                    for x in sorted(self._holdings_by_hero_good.get((hero_id, good_id), {}).values(), key=_age)
                    if x["bound"]
                ),
                None,
            )
            if worn is None:
                holding = {
                    "id": self._new_id("holding", "HOLDING", self.holdings),
                    "hero_id": hero_id,
                    "good_id": good_id,
                    "amount": 1,
                    "bound": True,
                }
                self._add("holdings", holding)
                added_holdings.append(holding)
            else:
                new_amount = worn["amount"] + 1
                if not 0 <= new_amount <= 9999:
                    return self._take_back(f"The amount of {worn['id']} must be between 0 and 9999.")
                changed_holdings.append(worn)
                if worn["id"] in self.holdings:
                    self._put("holdings", worn, "amount", new_amount)
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*changed_holdings, *added_holdings]):
            if one_holding["id"] in self.holdings and self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in changed_holdings],
                *[self.heros[one["hero_id"]] for one in deleted_holdings],
                *[self.heros[one["hero_id"]] for one in added_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        return {"success": True, "message": f"Done: let {hero['name']} use {good['name']}.", "data": self._changes()}

    def salvage_gear(self, hero_id: str, good_id: str) -> Result:
        """Break up bound gear of a hero; half of each ingredient, rounded down, comes back.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            good_id (str): Id of the good, such as GOOD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        good = self.goods.get(good_id)
        if good is None:
            return _refused(f"There is no good {good_id!r}.")
        if self._good_recipe(good) is None or good["kind"] != "gear":
            return _refused(f"{good['name']} cannot be broken up.")
        if self._held(hero, good, True) <= 0:
            return _refused(f"{hero['name']} has no bound {good['name']}; only gear that was worn is salvaged.")
        if (
            self._hero_used(hero)
            - 1
            + sum(
                self._grows(hero, self.goods[i["good_id"]], False, i["amount"] // 2)
                for i in self._ingredients_by_recipe.get(self._good_recipe(good)["id"], {}).values()
            ) > hero["slots"]
        ):
            return _refused(f"{hero['name']} has no slots for what comes out.")
        self._journal = []
        changed_holdings: list[Any] = []
        deleted_holdings: list[Any] = []
        added_holdings: list[Any] = []
        for x in [
            x
            for x in sorted(self._holdings_by_hero_good.get((hero_id, good_id), {}).values(), key=_age)
            if x["bound"]
        ]:
            amount = x["amount"] - 1
            if not 0 <= amount <= 9999:
                return self._take_back(f"The amount of {x['id']} must be between 0 and 9999.")
            changed_holdings.append(x)
            if x["id"] in self.holdings:
                self._put("holdings", x, "amount", amount)
            if x["amount"] == 0:
                if x["id"] in self.holdings:
                    self._remove("holdings", x)
                deleted_holdings.append(x)
        for i in [
            i
            for i in sorted(self._ingredients_by_recipe.get(_id_of(self._good_recipe(good)), {}).values(), key=_age)
            if i["amount"] >= 2
        ]:
            pile = next(
                (
                    x
                    for x in sorted(self._holdings_by_hero_good.get((hero_id, i["good_id"]), {}).values(), key=_age)
                    if not x["bound"]
                ),
                None,
            )
            if pile is None:
                new_amount = i["amount"] // 2
                if not 0 <= new_amount <= 9999:
                    return self._take_back("The amount of a holding must be between 0 and 9999.")
                holding = {
                    "id": self._new_id("holding", "HOLDING", self.holdings),
                    "hero_id": hero_id,
                    "good_id": i["good_id"],
                    "amount": new_amount,
                    "bound": False,
                }
                self._add("holdings", holding)
                added_holdings.append(holding)
            else:
                new_amount_2 = pile["amount"] + i["amount"] // 2
                if not 0 <= new_amount_2 <= 9999:
                    return self._take_back(f"The amount of {pile['id']} must be between 0 and 9999.")
                changed_holdings.append(pile)
                if pile["id"] in self.holdings:
                    self._put("holdings", pile, "amount", new_amount_2)
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*changed_holdings, *added_holdings]):
            if one_holding["id"] in self.holdings and self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in changed_holdings],
                *[self.heros[one["hero_id"]] for one in deleted_holdings],
                *[self.heros[one["hero_id"]] for one in added_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: salvage {good['name']} of {hero['name']}.",
            "data": self._changes(),
        }

    def discard_good(
        self,
        hero_id: str,
        good_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 9999}],
        bound: bool = False,
    ) -> Result:
        """Throw goods of a hero away for good, loose or bound.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            good_id (str): Id of the good, such as GOOD-00001.
            amount (int): Pieces thrown away, from 1 to 9999.
            bound (bool): Whether bound pieces are thrown away rather than loose ones. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        good = self.goods.get(good_id)
        if good is None:
            return _refused(f"There is no good {good_id!r}.")
        if self._held(hero, good, bound) < amount:
            return _refused(
                f"{hero['name']} has {self._held(hero, good, bound)} {good['name']} of that kind, not {amount}."
            )
        self._journal = []
        changed_holdings: list[Any] = []
        deleted_holdings: list[Any] = []
        for x in [
            x
            for x in sorted(self._holdings_by_hero_good.get((hero_id, good_id), {}).values(), key=_age)
            if x["bound"] == bound
        ]:
            new_amount = x["amount"] - amount
            if not 0 <= new_amount <= 9999:
                return self._take_back(f"The amount of {x['id']} must be between 0 and 9999.")
            changed_holdings.append(x)
            if x["id"] in self.holdings:
                self._put("holdings", x, "amount", new_amount)
            if x["amount"] == 0:
                if x["id"] in self.holdings:
                    self._remove("holdings", x)
                deleted_holdings.append(x)
        for one_holding in _distinct(changed_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in changed_holdings],
                *[self.heros[one["hero_id"]] for one in deleted_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: throw {amount} {good['name']} of {hero['name']} away.",
            "data": self._changes(),
        }

    def expand_bags(self, hero_id: str) -> Result:
        """Sell a hero four more slots at 25 coins for each slot they have already.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        if hero["slots"] > 44:
            return _refused(f"The bags of {hero['name']} cannot grow any further.")
        if hero["coins"] < hero["slots"] * 25:
            return _refused(
                f"Four more slots cost {hero['slots'] * 25} coins, and {hero['name']} has {hero['coins']}."
            )
        self._journal = []
        coins = hero["coins"] - hero["slots"] * 25
        if not 0 <= coins <= 1000000:
            return self._take_back(f"The coins of {hero['name']} must be between 0 and 1000000.")
        self._put("heros", hero, "coins", coins)
        slots = hero["slots"] + 4
        if not 4 <= slots <= 60:
            return self._take_back(f"The slots of {hero['name']} must be between 4 and 60.")
        self._put("heros", hero, "slots", slots)
        if self._breaks_rule_3(hero):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: expand the bags of {hero['name']}.", "data": self._changes()}

    def list_offer(
        self,
        hero_id: str,
        good_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 999}],
        price: Annotated[int, {"minimum": 1, "maximum": 20000}],
    ) -> Result:
        """Offer loose goods of a hero on the market for a price each; one percent of the value, at least a coin, is
        kept as deposit.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            good_id (str): Id of the good, such as GOOD-00001.
            amount (int): Loose pieces put on offer, from 1 to 999.
            price (int): Price for each piece, in coins, from 1 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        good = self.goods.get(good_id)
        if good is None:
            return _refused(f"There is no good {good_id!r}.")
        if self._loose(hero, good) < amount:
            return _refused(f"{hero['name']} has {self._loose(hero, good)} loose {good['name']}.")
        if self._offers_by_seller_good_status.get((hero_id, good_id, "open"), {}):
            return _refused(f"{hero['name']} offers {good['name']} already; take that back first.")
        if len(self._offers_by_seller_status.get((hero_id, "open"), {})) >= 5:
            return _refused(f"{hero['name']} has five open offers.")
        if hero["coins"] < self._deposit(amount * price):
            return _refused(
                f"The deposit is {self._deposit(amount * price)} coins, and {hero['name']} has {hero['coins']}."
            )
        self._journal = []
        changed_holdings: list[Any] = []
        deleted_holdings: list[Any] = []
        for x in [
            x
            for x in sorted(self._holdings_by_hero_good.get((hero_id, good_id), {}).values(), key=_age)
            if not x["bound"]
        ]:
            new_amount = x["amount"] - amount
            if not 0 <= new_amount <= 9999:
                return self._take_back(f"The amount of {x['id']} must be between 0 and 9999.")
            changed_holdings.append(x)
            if x["id"] in self.holdings:
                self._put("holdings", x, "amount", new_amount)
            if x["amount"] == 0:
                if x["id"] in self.holdings:
                    self._remove("holdings", x)
                deleted_holdings.append(x)
        coins = hero["coins"] - self._deposit(amount * price)
        if not 0 <= coins <= 1000000:
            return self._take_back(f"The coins of {hero['name']} must be between 0 and 1000000.")
        self._put("heros", hero, "coins", coins)
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "seller_id": hero_id,
            "good_id": good_id,
            "amount": amount,
            "price": price,
            "listed_at": self.now,
            "status": "open",
        }
        self._add("offers", offer)
        for one_holding in _distinct(changed_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in changed_holdings],
                *[self.heros[one["hero_id"]] for one in deleted_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_o(offer):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_o(offer):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_h(self.heros[offer["seller_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(offer):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: offer {amount} {good['name']} of {hero['name']} at {price} each (new: offer {offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def take_back_offer(self, offer_id: str) -> Result:
        """Take what is left of an offer back into the seller's bags.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"That offer is {offer['status']}.")
        if (
            self._hero_used(self.heros[offer["seller_id"]])
            + self._grows(
                self.heros[offer["seller_id"]],
                self.goods[offer["good_id"]],
                False,
                offer["amount"],
            ) > self.heros[offer["seller_id"]]["slots"]
        ):
            return _refused(
                f"{self.heros[offer['seller_id']]['name']} has no slots for {offer['amount']} "
                f"{self.goods[offer['good_id']]['name']}."
            )
        self._journal = []
        added_holdings: list[Any] = []
        changed_holdings: list[Any] = []
        pile = next(
            (
                x
                for x in sorted(
                    self._holdings_by_hero_good.get((offer["seller_id"], offer["good_id"]), {}).values(),
                    key=_age,
                )
                if not x["bound"]
            ),
            None,
        )
        if pile is None:
            holding = {
                "id": self._new_id("holding", "HOLDING", self.holdings),
                "hero_id": offer["seller_id"],
                "good_id": offer["good_id"],
                "amount": offer["amount"],
                "bound": False,
            }
            self._add("holdings", holding)
            added_holdings.append(holding)
        else:
            amount = pile["amount"] + offer["amount"]
            if not 0 <= amount <= 9999:
                return self._take_back(f"The amount of {pile['id']} must be between 0 and 9999.")
            changed_holdings.append(pile)
            self._put("holdings", pile, "amount", amount)
        self._put("offers", offer, "amount", 0)
        self._put("offers", offer, "status", "taken_back")
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*added_holdings, *changed_holdings]):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in added_holdings],
                *[self.heros[one["hero_id"]] for one in changed_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        if self._breaks_rule_6_o(offer):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_h(self.heros[offer["seller_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(offer):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: take back the {self.goods[offer['good_id']]['name']} of "
                f"{self.heros[offer['seller_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def buy_offer(
        self,
        hero_id: str,
        offer_id: str,
        amount: Annotated[int, {"minimum": 1, "maximum": 999}],
    ) -> Result:
        """Buy goods of an open offer; the market keeps five percent of what the seller gets, rounded up.

        Args:
            hero_id (str): Id of the hero, such as HERO-00001.
            offer_id (str): Id of the offer, such as OFFER-00001.
            amount (int): Pieces bought out of the offer, from 1 to 999.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hero = self.heros.get(hero_id)
        if hero is None:
            return _refused(f"There is no hero {hero_id!r}.")
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"That offer is {offer['status']}.")
        if offer["seller_id"] == hero_id:
            return _refused(f"{hero['name']} is the seller.")
        if offer["amount"] < amount:
            return _refused(f"There are {offer['amount']} {self.goods[offer['good_id']]['name']} left.")
        if hero["coins"] < amount * offer["price"]:
            return _refused(f"That costs {amount * offer['price']} coins, and {hero['name']} has {hero['coins']}.")
        if self._hero_used(hero) + self._grows(hero, self.goods[offer["good_id"]], False, amount) > hero["slots"]:
            return _refused(
                f"{hero['name']} has {hero['slots'] - self._hero_used(hero)} slots left, and {amount} "
                f"{self.goods[offer['good_id']]['name']} need "
                f"{self._grows(hero, self.goods[offer['good_id']], False, amount)}."
            )
        self._journal = []
        changed_offers: list[Any] = []
        added_holdings: list[Any] = []
        changed_holdings: list[Any] = []
        coins = hero["coins"] - amount * offer["price"]
        if not 0 <= coins <= 1000000:
            return self._take_back(f"The coins of {hero['name']} must be between 0 and 1000000.")
        self._put("heros", hero, "coins", coins)
        its_hero = self.heros[offer["seller_id"]]
        new_coins = (
            self.heros[offer["seller_id"]]["coins"]
            + amount * offer["price"]
            - self._cut(amount * offer["price"])
        )
        if not 0 <= new_coins <= 1000000:
            return self._take_back(f"The coins of {its_hero['name']} must be between 0 and 1000000.")
        self._put("heros", its_hero, "coins", new_coins)
        new_amount = offer["amount"] - amount
        if not 0 <= new_amount <= 9999:
            return self._take_back(f"The amount of {offer['id']} must be between 0 and 9999.")
        self._put("offers", offer, "amount", new_amount)
        if offer["amount"] == 0:
            changed_offers.append(offer)
            self._put("offers", offer, "status", "sold")
        pile = next(
            (
                x
                for x in sorted(self._holdings_by_hero_good.get((hero_id, offer["good_id"]), {}).values(), key=_age)
                if not x["bound"]
            ),
            None,
        )
        if pile is None:
            holding = {
                "id": self._new_id("holding", "HOLDING", self.holdings),
                "hero_id": hero_id,
                "good_id": offer["good_id"],
                "amount": amount,
                "bound": False,
            }
            self._add("holdings", holding)
            added_holdings.append(holding)
        else:
            new_amount_2 = pile["amount"] + amount
            if not 0 <= new_amount_2 <= 9999:
                return self._take_back(f"The amount of {pile['id']} must be between 0 and 9999.")
            changed_holdings.append(pile)
            self._put("holdings", pile, "amount", new_amount_2)
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*added_holdings, *changed_holdings]):
            if self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in added_holdings],
                *[self.heros[one["hero_id"]] for one in changed_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_6_o(one_offer):
                return self._take_back(RULES[5])
        for one_hero in _distinct([self.heros[one["seller_id"]] for one in changed_offers]):
            if self._breaks_rule_6_h(one_hero):
                return self._take_back(RULES[5])
        for one_offer in _distinct([offer, *changed_offers]):
            if self._breaks_rule_7(one_offer):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: buy {amount} {self.goods[offer['good_id']]['name']} for {hero['name']}.",
            "data": self._changes(),
        }

    def propose_barter(
        self,
        proposer_id: str,
        partner_id: str,
        gives: Annotated[list[ProposeBarterGive], {"maxItems": 20}],
        wants: Annotated[list[ProposeBarterWant], {"maxItems": 20}],
        adds_coins: Annotated[int, {"minimum": 0, "maximum": 100000}] = 0,
        asks_coins: Annotated[int, {"minimum": 0, "maximum": 100000}] = 0,
    ) -> Result:
        """Propose that two heroes exchange goods, coins or both; nothing changes hands before the partner accepts.

        Args:
            proposer_id (str): Hero who makes the proposal; an id such as HERO-00001.
            partner_id (str): Hero to whom it is made; an id such as HERO-00001.
            gives (list): One entry for each good the proposer gives, none where only coins are: good_id: good that
                the proposer gives; an id such as GOOD-00001; amount: pieces of it that the proposer gives, from 1
                to 999.
            wants (list): One entry for each good the proposer wants, none where only coins are: good_id: good that
                the partner is to give; an id such as GOOD-00001; amount: pieces of it that the partner is to give,
                from 1 to 999.
            adds_coins (int): Coins that the proposer pays to the partner, from 0 to 100000. Default: 0.
            asks_coins (int): Coins that the partner is to pay to the proposer, from 0 to 100000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposer = self.heros.get(proposer_id)
        if proposer is None:
            return _refused(f"There is no hero {proposer_id!r}.")
        partner = self.heros.get(partner_id)
        if partner is None:
            return _refused(f"There is no hero {partner_id!r}.")
        entries, gives = gives, []
        for entry in entries:
            if entry["good_id"] not in self.goods:
                return _refused(f"There is no good {entry['good_id']!r}.")
            gives.append({"good": self.goods[entry["good_id"]], "amount": entry["amount"]})
        entries_2, wants = wants, []
        for entry_2 in entries_2:
            if entry_2["good_id"] not in self.goods:
                return _refused(f"There is no good {entry_2['good_id']!r}.")
            wants.append({"good": self.goods[entry_2["good_id"]], "amount": entry_2["amount"]})
        if proposer is partner:
            return _refused("Nobody barters with themselves.")
        if self._barters_by_proposer_partner_status.get((proposer_id, partner_id, "open"), {}):
            return _refused(f"{partner['name']} has not answered the last proposal of {proposer['name']}.")
        if not (
            _different([g["good"]["id"] for g in gives])
            and _different([w["good"]["id"] for w in wants])
            and all(g["good"] is not w["good"] for g in gives for w in wants)
        ):
            return _refused("A good is named twice.")
        if not ((len(gives) > 0 or adds_coins > 0) and (len(wants) > 0 or asks_coins > 0)):
            return _refused("Both sides have to put something in.")
        tied = next((g["good"] for g in gives + wants if g["good"]["binds"] == "on_pickup"), None)
        if tied is not None:
            return _refused(f"{tied['name']} is bound and cannot be bartered.")
        short = next((g for g in gives if self._loose(proposer, g["good"]) < g["amount"]), None)
        if short is not None:
            return _refused(
                f"{proposer['name']} has {self._loose(proposer, short['good'])} loose {short['good']['name']}."
            )
        if proposer["coins"] < adds_coins:
            return _refused(f"{proposer['name']} has {proposer['coins']} coins.")
        self._journal = []
        added_barter_lines: list[Any] = []
        barter: Barter = {
            "id": self._new_id("barter", "BARTER", self.barters),
            "proposer_id": proposer_id,
            "partner_id": partner_id,
            "adds_coins": adds_coins,
            "asks_coins": asks_coins,
            "proposed_at": self.now,
            "status": "open",
        }
        self._add("barters", barter)
        for g in sorted(gives, key=lambda g: (g["good"]["name"],)):
            barter_line = {
                "id": self._new_id("barter_line", "BL", self.barter_lines),
                "barter_id": barter["id"],
                "giver_id": proposer_id,
                "good_id": g["good"]["id"],
                "amount": g["amount"],
            }
            self._add("barter_lines", barter_line)
            added_barter_lines.append(barter_line)
        for w in sorted(wants, key=lambda w: (w["good"]["name"],)):
            new_barter_line = {
                "id": self._new_id("barter_line", "BL", self.barter_lines),
                "barter_id": barter["id"],
                "giver_id": partner_id,
                "good_id": w["good"]["id"],
                "amount": w["amount"],
            }
            self._add("barter_lines", new_barter_line)
            added_barter_lines.append(new_barter_line)
        for one_barter_line in _distinct(added_barter_lines):
            if self._breaks_rule_5_l(one_barter_line):
                return self._take_back(RULES[4])
        if self._breaks_rule_8_b(barter):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a(barter):
            return self._take_back(RULES[7])
        for one_barter_line in _distinct(added_barter_lines):
            if self._breaks_rule_9_l(one_barter_line):
                return self._take_back(RULES[8])
        for one_barter_line in _distinct(added_barter_lines):
            if self._breaks_rule_9_l_again(one_barter_line):
                return self._take_back(RULES[8])
        for one_barter in _distinct([barter, *[self.barters[one["barter_id"]] for one in added_barter_lines]]):
            if self._breaks_rule_10(one_barter):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: propose a barter of {proposer['name']} with {partner['name']} (new: barter {barter['id']})."
            ),
            "data": {"barter_id": barter["id"], **self._changes()},
        }

    def answer_barter(self, barter_id: str, accept: bool) -> Result:
        """Answer a proposal for the partner; if it is accepted, goods and coins change hands.

        Args:
            barter_id (str): Id of the barter, such as BARTER-00001.
            accept (bool): Whether the partner accepts rather than declines.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        barter = self.barters.get(barter_id)
        if barter is None:
            return _refused(f"There is no barter {barter_id!r}.")
        if barter["status"] != "open":
            return _refused(f"That barter is {barter['status']}.")
        gone = self._lacks(barter, self.heros[barter["proposer_id"]])
        if accept and gone is not None:
            return _refused(
                f"{self.heros[barter['proposer_id']]['name']} no longer has {gone['amount']} "
                f"{self.goods[gone['good_id']]['name']}."
            )
        missing = self._lacks(barter, self.heros[barter["partner_id"]])
        if accept and missing is not None:
            return _refused(
                f"{self.heros[barter['partner_id']]['name']} has "
                f"{self._loose(self.heros[barter['partner_id']], self.goods[missing['good_id']])} loose "
                f"{self.goods[missing['good_id']]['name']}, not {missing['amount']}."
            )
        if accept and self.heros[barter["proposer_id"]]["coins"] < barter["adds_coins"]:
            return _refused(
                f"{self.heros[barter['proposer_id']]['name']} has {self.heros[barter['proposer_id']]['coins']} coins."
            )
        if accept and self.heros[barter["partner_id"]]["coins"] < barter["asks_coins"]:
            return _refused(
                f"{self.heros[barter['partner_id']]['name']} has {self.heros[barter['partner_id']]['coins']} coins."
            )
        one = self.heros[barter["proposer_id"]]
        if (
            accept
            and self._hero_used(one) + sum(
                self._grows(
                    one,
                    self.goods[l["good_id"]],
                    False,
                    -l["amount"] if l["giver_id"] == one["id"] else l["amount"],
                )
                for l in self._barter_lines_by_barter.get(barter_id, {}).values()
            ) > one["slots"]
        ):
            return _refused(f"{one['name']} has no slots for what comes in.")
        two = self.heros[barter["partner_id"]]
        if (
            accept
            and self._hero_used(two) + sum(
                self._grows(
                    two,
                    self.goods[l["good_id"]],
                    False,
                    -l["amount"] if l["giver_id"] == two["id"] else l["amount"],
                )
                for l in self._barter_lines_by_barter.get(barter_id, {}).values()
            ) > two["slots"]
        ):
            return _refused(f"{two['name']} has no slots for what comes in.")
        self._journal = []
        changed_holdings: list[Any] = []
        deleted_holdings: list[Any] = []
        added_holdings: list[Any] = []
        changed_barters: list[Any] = []
        if accept:
            coins = one["coins"] + barter["asks_coins"] - barter["adds_coins"]
            if not 0 <= coins <= 1000000:
                return self._take_back(f"The coins of {one['name']} must be between 0 and 1000000.")
            self._put("heros", one, "coins", coins)
            new_coins = two["coins"] + barter["adds_coins"] - barter["asks_coins"]
            if not 0 <= new_coins <= 1000000:
                return self._take_back(f"The coins of {two['name']} must be between 0 and 1000000.")
            self._put("heros", two, "coins", new_coins)
            for l in sorted(self._barter_lines_by_barter.get(barter_id, {}).values(), key=_age):
                taker = two if l["giver_id"] == one["id"] else one
                for x in [
                    x
                    for x in sorted(
                        self._holdings_by_hero_good.get((l["giver_id"], l["good_id"]), {}).values(),
                        key=_age,
                    )
                    if not x["bound"]
                ]:
                    amount = x["amount"] - l["amount"]
                    if not 0 <= amount <= 9999:
                        return self._take_back(f"The amount of {x['id']} must be between 0 and 9999.")
                    changed_holdings.append(x)
                    if x["id"] in self.holdings:
                        self._put("holdings", x, "amount", amount)
                    if x["amount"] == 0:
                        if x["id"] in self.holdings:
                            self._remove("holdings", x)
                        deleted_holdings.append(x)
                pile = next(
                    (
                        x
                        for x in sorted(
                            self._holdings_by_hero_good.get((taker["id"], l["good_id"]), {}).values(),
                            key=_age,
                        )
                        if not x["bound"]
                    ),
                    None,
                )
                if pile is None:
                    holding = {
                        "id": self._new_id("holding", "HOLDING", self.holdings),
                        "hero_id": taker["id"],
                        "good_id": l["good_id"],
                        "amount": l["amount"],
                        "bound": False,
                    }
                    self._add("holdings", holding)
                    added_holdings.append(holding)
                else:
                    new_amount = pile["amount"] + l["amount"]
                    if not 0 <= new_amount <= 9999:
                        return self._take_back(f"The amount of {pile['id']} must be between 0 and 9999.")
                    changed_holdings.append(pile)
                    if pile["id"] in self.holdings:
                        self._put("holdings", pile, "amount", new_amount)
            changed_barters.append(barter)
            self._put("barters", barter, "status", "done")
        else:
            if barter["status"] not in ("open", "declined"):
                return self._take_back(f"Barter {barter['id']} cannot go from {barter['status']} to declined.")
            changed_barters.append(barter)
            self._put("barters", barter, "status", "declined")
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_1(one_holding):
                return self._take_back(RULES[0])
        for one_holding in _distinct([*changed_holdings, *added_holdings]):
            if one_holding["id"] in self.holdings and self._breaks_rule_2(one_holding):
                return self._take_back(RULES[1])
        for one_hero in _distinct(
            [
                *[self.heros[one["hero_id"]] for one in changed_holdings],
                *[self.heros[one["hero_id"]] for one in deleted_holdings],
                *[self.heros[one["hero_id"]] for one in added_holdings],
            ]
        ):
            if self._breaks_rule_3(one_hero):
                return self._take_back(RULES[2])
        for one_holding in _distinct(added_holdings):
            if one_holding["id"] in self.holdings and self._breaks_rule_4(one_holding):
                return self._take_back(RULES[3])
        for one_barter in _distinct(changed_barters):
            if self._breaks_rule_8_a(one_barter):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: answer the proposal of {self.heros[barter['proposer_id']]['name']} to "
                f"{self.heros[barter['partner_id']]['name']} with {'yes' if accept else 'no'}."
            ),
            "data": self._changes(),
        }

    def _show_hero(self, hero: Hero) -> dict[str, Any]:
        """The hero as an answer shows it."""
        return {**hero, "used": self._hero_used(hero)}

    def _show_good(self, good: Good) -> dict[str, Any]:
        """The good as an answer shows it."""
        return {**good, "recipe_id": _id_of(self._good_recipe(good))}

    def _names_of_goods(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that goods point to."""
        return _names((self.recipes, "name", [row["recipe_id"] for row in shown]))

    def _names_of_holdings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holdings point to."""
        return _names(
            (self.heros, "name", [row["hero_id"] for row in shown]),
            (self.goods, "name", [row["good_id"] for row in shown]),
        )

    def _names_of_recipes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that recipes point to."""
        return _names((self.goods, "name", [row["makes_id"] for row in shown]))

    def _names_of_ingredients(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that ingredients point to."""
        return _names(
            (self.recipes, "name", [row["recipe_id"] for row in shown]),
            (self.goods, "name", [row["good_id"] for row in shown]),
        )

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names(
            (self.heros, "name", [row["seller_id"] for row in shown]),
            (self.goods, "name", [row["good_id"] for row in shown]),
        )

    def _names_of_barters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that barters point to."""
        return _names(
            (self.heros, "name", [row["proposer_id"] for row in shown]),
            (self.heros, "name", [row["partner_id"] for row in shown]),
        )

    def _names_of_barter_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that barter lines point to."""
        return _names(
            (self.heros, "name", [row["giver_id"] for row in shown]),
            (self.goods, "name", [row["good_id"] for row in shown]),
        )

    def _hero_used(self, hero: Hero) -> int:
        """The used of a hero."""
        return sum(
            ceil(Fraction(x["amount"], self.goods[x["good_id"]]["stacks_to"]))
            for x in self._holdings_by_hero.get(hero["id"], {}).values()
        )

    def _good_recipe(self, good: Good) -> Recipe | None:
        """The recipe of a good."""
        return next((r for r in sorted(self._recipes_by_makes.get(good["id"], {}).values(), key=_age)), None)

    def _held(self, h: Hero, g: Good, bound: bool) -> int:
        return sum(
            x["amount"]
            for x in self._holdings_by_hero_good.get((h["id"], g["id"]), {}).values()
            if x["bound"] == bound
        )

    def _loose(self, h: Hero, g: Good) -> int:
        return self._held(h, g, False)

    def _grows(self, h: Hero, g: Good, bound: bool, more: int) -> int:
        return (
            ceil(Fraction(self._held(h, g, bound) + more, g["stacks_to"]))
            - ceil(Fraction(self._held(h, g, bound), g["stacks_to"]))
        )

    def _cut(self, total: int) -> int:
        return ceil(Fraction(total * 5, 100))

    def _deposit(self, total: int) -> int:
        return max(1, total // 100)

    def _lacks(self, b: Barter, h: Hero) -> BarterLine | None:
        return next(
            (
                l
                for l in sorted(self._barter_lines_by_barter_giver.get((b["id"], h["id"]), {}).values(), key=_age)
                if self._loose(h, self.goods[l["good_id"]]) < l["amount"]
            ),
            None,
        )

    def _batches(self, h: Hero, r: Recipe) -> int:
        return (
            min(
                (
                    self._loose(h, self.goods[i["good_id"]]) // i["amount"]
                    for i in self._ingredients_by_recipe.get(r["id"], {}).values()
                ),
                default=None,
            )
            if min(
                (
                    self._loose(h, self.goods[i["good_id"]]) // i["amount"]
                    for i in self._ingredients_by_recipe.get(r["id"], {}).values()
                ),
                default=None,
            ) is not None
            else 0
        )

    def _breaks_rule_1(self, x: Holding) -> bool:
        """Whether this is broken: a hero keeps one pile of a good, and another one of what is bound to them."""
        return any(
            other_x is not x
            for other_x in self._holdings_by_hero_good.get((x["hero_id"], x["good_id"]), {}).values()
            if other_x["bound"] == x["bound"]
        )

    def _breaks_rule_2(self, x: Holding) -> bool:
        """Whether this is broken: no pile is empty."""
        return x["amount"] <= 0

    def _breaks_rule_3(self, h: Hero) -> bool:
        """Whether this is broken: no hero carries more stacks than the bags have slots."""
        return self._hero_used(h) > h["slots"]

    def _breaks_rule_4(self, x: Holding) -> bool:
        """Whether this is broken: what binds on pickup is always bound, and what never binds never is."""
        return not (
            (self.goods[x["good_id"]]["binds"] != "on_pickup" or x["bound"])
            and (self.goods[x["good_id"]]["binds"] != "never" or not x["bound"])
        )

    def _breaks_rule_5_o(self, o: Offer) -> bool:
        """Whether this is broken: bound goods are neither sold nor bartered."""
        return self.goods[o["good_id"]]["binds"] == "on_pickup"

    def _breaks_rule_5_l(self, l: BarterLine) -> bool:
        """Whether this is broken: bound goods are neither sold nor bartered."""
        return self.goods[l["good_id"]]["binds"] == "on_pickup"

    def _breaks_rule_6_o(self, o: Offer) -> bool:
        """Whether this is broken: a seller has one open offer of a good, and no more than five in all."""
        return (
            o["status"] == "open"
            and any(
                other_o is not o
                for other_o in self._offers_by_seller_good_status.get(
                    (o["seller_id"], o["good_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_6_h(self, h: Hero) -> bool:
        """Whether this is broken: a seller has one open offer of a good, and no more than five in all."""
        return len(self._offers_by_seller_status.get((h["id"], "open"), {})) > 5

    def _breaks_rule_7(self, o: Offer) -> bool:
        """Whether this is broken: an open offer has something left, and a closed one nothing."""
        return (o["status"] == "open") != (o["amount"] > 0)

    def _breaks_rule_8_b(self, b: Barter) -> bool:
        """Whether this is broken: two heroes have one open barter between them at a time."""
        return b["proposer_id"] == b["partner_id"]

    def _breaks_rule_8_a(self, a: Barter) -> bool:
        """Whether this is broken: two heroes have one open barter between them at a time."""
        return any(
            a is not b
            and a["status"] == "open"
            and b["status"] == "open"
            and a["proposer_id"] == b["proposer_id"]
            and a["partner_id"] == b["partner_id"]
            for b in self._barters_by_proposer.get(a["proposer_id"], {}).values()
        )

    def _breaks_rule_9_l(self, l: BarterLine) -> bool:
        """Whether this is broken: a barter names a good once, and the giver is one of the two."""
        return any(
            other_l is not l
            for other_l in self._barter_lines_by_barter_good.get((l["barter_id"], l["good_id"]), {}).values()
        )

    def _breaks_rule_9_l_again(self, l: BarterLine) -> bool:
        """Whether this is broken: a barter names a good once, and the giver is one of the two."""
        return self.heros[l["giver_id"]] not in [
            self.heros[self.barters[l["barter_id"]]["proposer_id"]],
            self.heros[self.barters[l["barter_id"]]["partner_id"]],
        ]

    def _breaks_rule_10(self, b: Barter) -> bool:
        """Whether this is broken: both sides of a barter put something in."""
        return not (
            (
                b["adds_coins"] > 0
                or any(
                    l["giver_id"] == b["proposer_id"]
                    for l in self._barter_lines_by_barter.get(b["id"], {}).values()
                )
            )
            and (
                b["asks_coins"] > 0
                or any(
                    l["giver_id"] == b["partner_id"]
                    for l in self._barter_lines_by_barter.get(b["id"], {}).values()
                )
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
            case "holdings":
                self._holdings_by_hero.setdefault(record["hero_id"], {})[record["id"]] = record
                self._holdings_by_hero_good.setdefault((record["hero_id"], record["good_id"]), {})[record["id"]] = record
            case "recipes":
                self._recipes_by_makes.setdefault(record["makes_id"], {})[record["id"]] = record
            case "ingredients":
                self._ingredients_by_recipe.setdefault(record["recipe_id"], {})[record["id"]] = record
            case "offers":
                self._offers_by_good.setdefault(record["good_id"], {})[record["id"]] = record
                self._offers_by_seller_good_status.setdefault(
                    (record["seller_id"], record["good_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._offers_by_seller_status.setdefault(
                    (record["seller_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "barters":
                self._barters_by_proposer.setdefault(record["proposer_id"], {})[record["id"]] = record
                self._barters_by_proposer_partner_status.setdefault(
                    (record["proposer_id"], record["partner_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "barter_lines":
                self._barter_lines_by_barter.setdefault(record["barter_id"], {})[record["id"]] = record
                self._barter_lines_by_barter_giver.setdefault(
                    (record["barter_id"], record["giver_id"]),
                    {},
                )[record["id"]] = record
                self._barter_lines_by_barter_good.setdefault(
                    (record["barter_id"], record["good_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "holdings":
                del self._holdings_by_hero[record["hero_id"]][record["id"]]
                del self._holdings_by_hero_good[record["hero_id"], record["good_id"]][record["id"]]
            case "recipes":
                del self._recipes_by_makes[record["makes_id"]][record["id"]]
            case "ingredients":
                del self._ingredients_by_recipe[record["recipe_id"]][record["id"]]
            case "offers":
                del self._offers_by_good[record["good_id"]][record["id"]]
                del self._offers_by_seller_good_status[
                    record["seller_id"],
                    record["good_id"],
                    record["status"],
                ][record["id"]]
                del self._offers_by_seller_status[record["seller_id"], record["status"]][record["id"]]
            case "barters":
                del self._barters_by_proposer[record["proposer_id"]][record["id"]]
                del self._barters_by_proposer_partner_status[
                    record["proposer_id"],
                    record["partner_id"],
                    record["status"],
                ][record["id"]]
            case "barter_lines":
                del self._barter_lines_by_barter[record["barter_id"]][record["id"]]
                del self._barter_lines_by_barter_giver[record["barter_id"], record["giver_id"]][record["id"]]
                del self._barter_lines_by_barter_good[record["barter_id"], record["good_id"]][record["id"]]
