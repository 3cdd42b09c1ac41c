"""Meal planner. Compiled from blueprint.yaml; run `envscaler build meal_planner` after changing it there.

Plans the meals of a shared house by recipe and eaters, minds allergies, diets and dislikes, keeps the pantry by
date and writes the shopping list.
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
    "Nobody is served what they are allergic to or what their diet rules out.",
    "Everybody eats one meal at a time.",
    "The cook eats along.",
    "A recipe is not planned twice within three days.",
    "From Monday to Friday lunch takes half an hour and dinner an hour at most.",
    "An ingredient is on the shopping list once.",
    "What is left over comes from a meal that was cooked.",
    "A meal leaves no more than was cooked beyond the eaters.",
    "Nobody cooks two meals on one day.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_meal",
    "seat_eater",
    "change_meal",
    "move_meal",
    "drop_meal",
    "list_what_lacks",
    "add_to_list",
    "unpack_shopping",
    "cook_meal",
    "throw_away",
    "eat_leftover",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "ingredients": ("name",),
    "eaters": ("name",),
    "recipes": ("title",),
    "recipe_lines": (),
    "pantry_lots": (),
    "meals": (),
    "leftovers": (),
    "shopping_items": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("leftovers", "meal_id"),
    ("meals", "cook_id"),
    ("meals", "eater_ids"),
    ("meals", "recipe_id"),
    ("meals", "status"),
    ("pantry_lots", "ingredient_id"),
    ("recipe_lines", "recipe_id"),
    ("shopping_items", "ingredient_id"),
    ("shopping_items", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Ingredient(TypedDict):
    id: str
    name: str
    unit: Literal["g", "ml", "pieces"]
    allergen: Literal["gluten", "milk", "egg", "fish", "nuts"] | None
    source: Literal["plants", "dairy_or_egg", "meat_or_fish"]


class Eater(TypedDict):
    id: str
    name: str
    diet: Literal["anything", "vegetarian", "vegan"]
    allergies: list[Literal["gluten", "milk", "egg", "fish", "nuts"]]
    dislike_ids: list[str]


class Recipe(TypedDict):
    id: str
    title: str
    serves: int
    minutes: int


class RecipeLine(TypedDict):
    id: str
    recipe_id: str
    ingredient_id: str
    amount: int


class PantryLot(TypedDict):
    id: str
    ingredient_id: str
    amount: int
    best_before: str


class Meal(TypedDict):
    id: str
    on: str
    slot: Literal["lunch", "dinner"]
    recipe_id: str
    eater_ids: list[str]
    extra: int
    cook_id: str
    status: Literal["planned", "cooked", "dropped"]


class Leftover(TypedDict):
    id: str
    meal_id: str
    portions: int
    keeps_until: str


class ShoppingItem(TypedDict):
    id: str
    ingredient_id: str
    amount: int
    status: Literal["open", "bought"]


class UnpackShoppingBought(TypedDict):
    item_id: str
    amount: Annotated[int, {"minimum": 1, "maximum": 9000}]
    best_before: Date


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


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class MealPlanner:
    """Plans the meals of a shared house by recipe and eaters, minds allergies, diets and dislikes, keeps
    the pantry by date and writes the shopping list.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.ingredients: dict[str, Ingredient] = _copied(config.get("ingredients", {}))
        self.eaters: dict[str, Eater] = _copied(config.get("eaters", {}))
        self.recipes: dict[str, Recipe] = _copied(config.get("recipes", {}))
        self.recipe_lines: dict[str, RecipeLine] = _copied(config.get("recipe_lines", {}))
        self.pantry_lots: dict[str, PantryLot] = _copied(config.get("pantry_lots", {}))
        self.meals: dict[str, Meal] = _copied(config.get("meals", {}))
        self.leftovers: dict[str, Leftover] = _copied(config.get("leftovers", {}))
        self.shopping_items: dict[str, ShoppingItem] = _copied(config.get("shopping_items", {}))
        self.now: str = config.get("now", "2026-10-12T17:15")
        self.counters: dict[str, int] = {
            "ingredient": len(self.ingredients),
            "eater": len(self.eaters),
            "recipe": len(self.recipes),
            "recipe_line": len(self.recipe_lines),
            "pantry_lot": len(self.pantry_lots),
            "meal": len(self.meals),
            "leftover": len(self.leftovers),
            "shopping_item": len(self.shopping_items),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._recipe_lines_by_recipe: dict[Any, dict[str, RecipeLine]] = {}
        self._pantry_lots_by_ingredient: dict[Any, dict[str, PantryLot]] = {}
        self._meals_by_cook_status: dict[Any, dict[str, Meal]] = {}
        self._meals_by_eaters: dict[Any, dict[str, Meal]] = {}
        self._meals_by_recipe_status: dict[Any, dict[str, Meal]] = {}
        self._meals_by_status: dict[Any, dict[str, Meal]] = {}
        self._leftovers_by_meal: dict[Any, dict[str, Leftover]] = {}
        self._shopping_items_by_ingredient_status: dict[Any, dict[str, ShoppingItem]] = {}
        for recipe_line in self.recipe_lines.values():
            self._link("recipe_lines", recipe_line)
        for pantry_lot in self.pantry_lots.values():
            self._link("pantry_lots", pantry_lot)
        for meal in self.meals.values():
            self._link("meals", meal)
        for leftover in self.leftovers.values():
            self._link("leftovers", leftover)
        for shopping_item in self.shopping_items.values():
            self._link("shopping_items", shopping_item)

    def suitable_recipes(
        self,
        eater_ids: Annotated[list[str], {"maxItems": 20}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Recipes that everybody named can and likes to eat, the quickest first.

        Args:
            eater_ids (list): Everybody whom the recipe must suit: ids of eaters, such as EATER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}} or {"success": False, "error": why
                not}
        """
        eaters = []
        for key in eater_ids:
            if key not in self.eaters:
                return _refused(f"There is no eater {key!r}.")
            eaters.append(self.eaters[key])
        found = [
            r
            for r in self.recipes.values()
            if not any(self._harms(r, e) or self._disliked(r, e) for e in eaters)
        ]
        found.sort(key=lambda r: (r["minutes"], r["title"], _age(r)))
        return _found(
            {
                "total": len(found),
                "recipes": [
                    {"id": r["id"], "title": r["title"], "minutes": r["minutes"], "serves": r["serves"]}
                    for r in _page(found, offset)
                ],
            }
        )

    def what_lacks(self, meal_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a planned meal needs of each ingredient, what is there in time, what the meals before it take and what
        is short.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipe_lines": records}} or {"success": False, "error":
                why not}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        found = [l for l in self._lines(self.recipes[meal["recipe_id"]])]
        found.sort(key=lambda l: (self.ingredients[l["ingredient_id"]]["name"], _age(l)))
        return _found(
            {
                "total": len(found),
                "recipe_lines": [
                    {
                        "ingredient": self.ingredients[l["ingredient_id"]]["name"],
                        "needed": self._needed(meal, self.ingredients[l["ingredient_id"]]),
                        "fresh": self._fresh(self.ingredients[l["ingredient_id"]], meal["on"]),
                        "before_it": self._promised(meal, self.ingredients[l["ingredient_id"]]),
                        "short": max(0, self._short_of(meal, self.ingredients[l["ingredient_id"]])),
                        "unit": self.ingredients[l["ingredient_id"]]["unit"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def list_ingredients(
        self,
        name: Text | None = None,
        unit: Literal["g", "ml", "pieces"] | None = None,
        allergen: Literal["gluten", "milk", "egg", "fish", "nuts"] | None = None,
        source: Literal["plants", "dairy_or_egg", "meat_or_fish"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ingredients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only ingredients whose name contains this text.
            unit (str, optional): Only ingredients with this unit.
            allergen (str, optional): Only ingredients with this allergen.
            source (str, optional): Only ingredients with this source.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ingredients": records}}
        """
        found = [
            ingredient
            for ingredient in self.ingredients.values()
            if (name is None or name.casefold() in ingredient["name"].casefold())
            and (unit is None or ingredient["unit"] == unit)
            and (allergen is None or ingredient["allergen"] == allergen)
            and (source is None or ingredient["source"] == source)
        ]
        return _found(
            {
                "total": len(found),
                "ingredients": [self._show_ingredient(ingredient) for ingredient in _page(found, offset)],
            }
        )

    def list_eaters(
        self,
        name: Text | None = None,
        diet: Literal["anything", "vegetarian", "vegan"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the eaters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only eaters whose name contains this text.
            diet (str, optional): Only eaters with this diet.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "eaters": records}}
        """
        found = [
            eater
            for eater in self.eaters.values()
            if (name is None or name.casefold() in eater["name"].casefold())
            and (diet is None or eater["diet"] == diet)
        ]
        shown = [self._show_eater(eater) for eater in _page(found, offset)]
        return _found({"total": len(found), "eaters": shown}, self._names_of_eaters(shown))

    def list_recipes(
        self,
        title: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recipes, oldest first, all of them or only some.

        Args:
            title (str, optional): Only recipes whose title contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}}
        """
        found = [
            recipe
            for recipe in self.recipes.values()
            if (title is None or title.casefold() in recipe["title"].casefold())
        ]
        return _found({"total": len(found), "recipes": [{**recipe} for recipe in _page(found, offset)]})

    def list_recipe_lines(
        self,
        recipe_id: str | None = None,
        ingredient_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recipe lines, oldest first, all of them or only some.

        Args:
            recipe_id (str, optional): Only recipe lines of this recipe.
            ingredient_id (str, optional): Only recipe lines of this ingredient.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipe_lines": records}}
        """
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if ingredient_id is not None and ingredient_id not in self.ingredients:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        found = [
            recipe_line
            for recipe_line in self.recipe_lines.values()
            if (recipe_id is None or recipe_line["recipe_id"] == recipe_id)
            and (ingredient_id is None or recipe_line["ingredient_id"] == ingredient_id)
        ]
        shown = [{**recipe_line} for recipe_line in _page(found, offset)]
        return _found({"total": len(found), "recipe_lines": shown}, self._names_of_recipe_lines(shown))

    def list_pantry_lots(
        self,
        ingredient_id: str | None = None,
        best_before_from: Date | None = None,
        best_before_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pantry lots, oldest first, all of them or only some.

        Args:
            ingredient_id (str, optional): Only pantry lots of this ingredient.
            best_before_from (str, optional): Only pantry lots whose `best_before` is on this day or later.
            best_before_to (str, optional): Only pantry lots whose `best_before` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pantry_lots": records}}
        """
        if ingredient_id is not None and ingredient_id not in self.ingredients:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        found = [
            pantry_lot
            for pantry_lot in self.pantry_lots.values()
            if (ingredient_id is None or pantry_lot["ingredient_id"] == ingredient_id)
            and (best_before_from is None or pantry_lot["best_before"] >= best_before_from)
            and (best_before_to is None or pantry_lot["best_before"] <= best_before_to)
        ]
        shown = [{**pantry_lot} for pantry_lot in _page(found, offset)]
        return _found({"total": len(found), "pantry_lots": shown}, self._names_of_pantry_lots(shown))

    def list_meals(
        self,
        slot: Literal["lunch", "dinner"] | None = None,
        recipe_id: str | None = None,
        cook_id: str | None = None,
        status: Literal["planned", "cooked", "dropped"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meals, oldest first, all of them or only some.

        Args:
            slot (str, optional): Only meals with this slot.
            recipe_id (str, optional): Only meals of this recipe.
            cook_id (str, optional): Only meals whose cook is this eater.
            status (str, optional): Only meals with this status.
            on_from (str, optional): Only meals whose `on` is on this day or later.
            on_to (str, optional): Only meals whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meals": records}}
        """
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if cook_id is not None and cook_id not in self.eaters:
            return _refused(f"There is no eater {cook_id!r}.")
        found = [
            meal
            for meal in self.meals.values()
            if (slot is None or meal["slot"] == slot)
            and (recipe_id is None or meal["recipe_id"] == recipe_id)
            and (cook_id is None or meal["cook_id"] == cook_id)
            and (status is None or meal["status"] == status)
            and (on_from is None or meal["on"] >= on_from)
            and (on_to is None or meal["on"] <= on_to)
        ]
        shown = [self._show_meal(meal) for meal in _page(found, offset)]
        return _found({"total": len(found), "meals": shown}, self._names_of_meals(shown))

    def list_leftovers(
        self,
        meal_id: str | None = None,
        keeps_until_from: Date | None = None,
        keeps_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leftovers, oldest first, all of them or only some.

        Args:
            meal_id (str, optional): Only leftovers of this meal.
            keeps_until_from (str, optional): Only leftovers whose `keeps_until` is on this day or later.
            keeps_until_to (str, optional): Only leftovers whose `keeps_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leftovers": records}}
        """
        if meal_id is not None and meal_id not in self.meals:
            return _refused(f"There is no meal {meal_id!r}.")
        found = [
            leftover
            for leftover in self.leftovers.values()
            if (meal_id is None or leftover["meal_id"] == meal_id)
            and (keeps_until_from is None or leftover["keeps_until"] >= keeps_until_from)
            and (keeps_until_to is None or leftover["keeps_until"] <= keeps_until_to)
        ]
        return _found({"total": len(found), "leftovers": [{**leftover} for leftover in _page(found, offset)]})

    def list_shopping_items(
        self,
        ingredient_id: str | None = None,
        status: Literal["open", "bought"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shopping items, oldest first, all of them or only some.

        Args:
            ingredient_id (str, optional): Only shopping items of this ingredient.
            status (str, optional): Only shopping items with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shopping_items": records}}
        """
        if ingredient_id is not None and ingredient_id not in self.ingredients:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        found = [
            shopping_item
            for shopping_item in self.shopping_items.values()
            if (ingredient_id is None or shopping_item["ingredient_id"] == ingredient_id)
            and (status is None or shopping_item["status"] == status)
        ]
        shown = [{**shopping_item} for shopping_item in _page(found, offset)]
        return _found({"total": len(found), "shopping_items": shown}, self._names_of_shopping_items(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_meal(
        self,
        on: Date,
        slot: Literal["lunch", "dinner"],
        recipe_id: str,
        eater_ids: Annotated[list[str], {"maxItems": 20}],
        cook_id: str,
        extra: Annotated[int, {"minimum": 0, "maximum": 6}] = 0,
    ) -> Result:
        """Plan a meal for some eaters, perhaps with extra portions for later.

        Args:
            on (str): Day of the meal, within 14 days from today, as YYYY-MM-DD.
            slot (str): Which meal of the day it is: lunch or dinner.
            recipe_id (str): Id of the recipe, such as RECIPE-00001.
            eater_ids (list): Everybody who eats the meal, the cook too: ids of eaters, such as EATER-00001.
            cook_id (str): Eater of the meal who cooks it; an id such as EATER-00001.
            extra (int): Portions cooked on top, for later, from 0 to 6. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        recipe = self.recipes.get(recipe_id)
        if recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        eaters = []
        for key in eater_ids:
            if key not in self.eaters:
                return _refused(f"There is no eater {key!r}.")
            eaters.append(self.eaters[key])
        cook = self.eaters.get(cook_id)
        if cook is None:
            return _refused(f"There is no eater {cook_id!r}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 14):
            return _refused(f"Meals are planned for {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        if not (len(eaters) > 0 and _different([e["id"] for e in eaters])):
            return _refused("Name at least one eater, and each once.")
        if cook not in eaters:
            return _refused(f"{cook['name']} cooks, so {cook['name']} has to eat along.")
        full = next((e for e in eaters if self._busy(e, on, slot) is not None), None)
        if full is not None:
            return _refused(f"{full['name']} has a {slot} on {on} already.")
        victim = next((e for e in eaters if self._harms(recipe, e)), None)
        if victim is not None:
            return _refused(f"{victim['name']} must not eat {recipe['title']}.")
        fussy = next((e for e in eaters if self._disliked(recipe, e)), None)
        if fussy is not None:
            return _refused(f"{fussy['name']} does not like something in {recipe['title']}.")
        if self._too_long(recipe, on, slot):
            return _refused(
                f"{recipe['title']} takes {recipe['minutes']} minutes, too long for a {slot} from Monday to Friday."
            )
        again = next(
            (
                m
                for m in sorted(self._meals_by_recipe_status.get((recipe_id, "planned"), {}).values(), key=_age)
                if abs(_days_between(on, m["on"])) < 3
            ),
            None,
        )
        if again is not None:
            return _refused(f"{recipe['title']} is planned for {again['on']}.")
        if any(each["on"] == on for each in self._meals_by_cook_status.get((cook_id, "planned"), {}).values()):
            return _refused(f"{cook['name']} cooks on {on} already.")
        self._journal = []
        meal: Meal = {
            "id": self._new_id("meal", "MEAL", self.meals),
            "on": on,
            "slot": slot,
            "recipe_id": recipe_id,
            "eater_ids": [record["id"] for record in _those(self.eaters, [record["id"] for record in eaters])],
            "extra": extra,
            "cook_id": cook_id,
            "status": "planned",
        }
        self._add("meals", meal)
        if self._breaks_rule_1(meal):
            return self._take_back(RULES[0])
        if self._breaks_rule_2():
            return self._take_back(RULES[1])
        if self._breaks_rule_3(meal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        if self._breaks_rule_9(meal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: plan {recipe['title']} for {slot} on {on} (new: meal {meal['id']}).",
            "data": {"meal_id": meal["id"], **self._changes()},
        }

    def seat_eater(self, meal_id: str, eater_id: str, joins: bool) -> Result:
        """Let one more person eat a planned meal, or one fewer.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.
            eater_id (str): Id of the eater, such as EATER-00001.
            joins (bool): Whether the person joins the meal, or leaves it.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        eater = self.eaters.get(eater_id)
        if eater is None:
            return _refused(f"There is no eater {eater_id!r}.")
        if meal["status"] != "planned":
            return _refused(f"That meal is {meal['status']}.")
        if joins == (eater_id in meal["eater_ids"]):
            return _refused("That is how it is planned.")
        if joins and self._busy(eater, meal["on"], meal["slot"]) is not None:
            return _refused(f"{eater['name']} has another {meal['slot']} on {meal['on']}.")
        if joins and self._harms(self.recipes[meal["recipe_id"]], eater):
            return _refused(
                f"{eater['name']} must not eat {self.recipes[meal['recipe_id']]['title']}, so choose another "
                "recipe first."
            )
        if not (joins or eater_id != meal["cook_id"]):
            return _refused(f"{eater['name']} is the cook, so drop the meal or let somebody else cook.")
        self._journal = []
        self._put(
            "meals",
            meal,
            "eater_ids",
            [
                record["id"]
                for record in [
                    e
                    for e in _those(self.eaters, [*meal["eater_ids"], eater_id])
                    if (e["id"] in meal["eater_ids"] and e is not eater or joins and e is eater)
                ]
            ],
        )
        if self._breaks_rule_1(meal):
            return self._take_back(RULES[0])
        if self._breaks_rule_2():
            return self._take_back(RULES[1])
        if self._breaks_rule_3(meal):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: change who eats {self.recipes[meal['recipe_id']]['title']} on {meal['on']}.",
            "data": self._changes(),
        }

    def change_meal(
        self,
        meal_id: str,
        recipe_id: str | None = None,
        cook_id: str | None = None,
        extra: Annotated[int, {"minimum": 0, "maximum": 6}] | None = None,
    ) -> Result:
        """Give a planned meal another recipe, another cook or another number of extra portions.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.
            recipe_id (str, optional): Recipe that is cooked instead; an id such as RECIPE-00001. If left out, the
                recipe stays the same.
            cook_id (str, optional): Eater of the meal who cooks instead; an id such as EATER-00001. If left out,
                the cook stays the same.
            extra (int, optional): New number of extra portions for later, from 0 to 6. If left out, the number
                stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        recipe = self.recipes.get(recipe_id) if recipe_id is not None else None
        if recipe_id is not None and recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        cook = self.eaters.get(cook_id) if cook_id is not None else None
        if cook_id is not None and cook is None:
            return _refused(f"There is no eater {cook_id!r}.")
        if meal["status"] != "planned":
            return _refused(f"That meal is {meal['status']}.")
        if recipe_id is None and cook_id is None and extra is None:
            return _refused("Say what is to change.")
        dish = recipe or self.recipes[meal["recipe_id"]]
        chef = cook or self.eaters[meal["cook_id"]]
        if chef["id"] not in meal["eater_ids"]:
            return _refused(f"{chef['name']} does not eat along.")
        victim = next((e for e in [self.eaters[key] for key in meal["eater_ids"]] if self._harms(dish, e)), None)
        if victim is not None:
            return _refused(f"{victim['name']} must not eat {dish['title']}.")
        fussy = next((e for e in [self.eaters[key] for key in meal["eater_ids"]] if self._disliked(dish, e)), None)
        if recipe_id is not None and fussy is not None:
            return _refused(f"{fussy['name']} does not like something in {dish['title']}.")
        if self._too_long(dish, meal["on"], meal["slot"]):
            return _refused(f"{dish['title']} takes {dish['minutes']} minutes, too long for that day.")
        again = next(
            (
                m
                for m in sorted(self._meals_by_recipe_status.get((dish["id"], "planned"), {}).values(), key=_age)
                if m is not meal
                and abs(_days_between(meal["on"], m["on"])) < 3
            ),
            None,
        )
        if again is not None:
            return _refused(f"{dish['title']} is planned for {again['on']}.")
        if any(
            m["on"] == meal["on"]
            for m in self._meals_by_cook_status.get((chef["id"], "planned"), {}).values()
            if m is not meal
        ):
            return _refused(f"{chef['name']} cooks something else on {meal['on']}.")
        self._journal = []
        changed_meals: list[Any] = []
        self._put("meals", meal, "recipe_id", dish["id"])
        self._put("meals", meal, "cook_id", chef["id"])
        if extra is not None:
            changed_meals.append(meal)
            self._put("meals", meal, "extra", extra)
        if self._breaks_rule_1(meal):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(meal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        for one_leftover in _distinct(
            [user for one in changed_meals for user in self._leftovers_by_meal.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_f(one_leftover):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(meal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: change the {meal['slot']} of {meal['on']}.",
            "data": self._changes(),
        }

    def move_meal(self, meal_id: str, on: Date) -> Result:
        """Move a planned meal to another day.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.
            on (str): New day of the meal, within 14 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        if meal["status"] != "planned":
            return _refused(f"That meal is {meal['status']}.")
        if not ((self.now[:10] <= on and on <= _plus_days(self.now[:10], 14)) and on != meal["on"]):
            return _refused(f"Choose another day between {self.now[:10]} and {_plus_days(self.now[:10], 14)}.")
        full = next(
            (
                e
                for e in [self.eaters[key] for key in meal["eater_ids"]]
                if self._busy(e, on, meal["slot"]) is not None
            ),
            None,
        )
        if full is not None:
            return _refused(f"{full['name']} has a {meal['slot']} on {on} already.")
        if self._too_long(self.recipes[meal["recipe_id"]], on, meal["slot"]):
            return _refused(
                f"{self.recipes[meal['recipe_id']]['title']} takes {self.recipes[meal['recipe_id']]['minutes']} "
                "minutes, too long for that day."
            )
        if any(
            abs(_days_between(on, m["on"])) < 3
            for m in self._meals_by_recipe_status.get((meal["recipe_id"], "planned"), {}).values()
            if m is not meal
        ):
            return _refused(f"{self.recipes[meal['recipe_id']]['title']} is planned for another day close to {on}.")
        if any(
            m["on"] == on
            for m in self._meals_by_cook_status.get((meal["cook_id"], "planned"), {}).values()
            if m is not meal
        ):
            return _refused(f"{self.eaters[meal['cook_id']]['name']} cooks something else on {on}.")
        self._journal = []
        self._put("meals", meal, "on", on)
        if self._breaks_rule_2():
            return self._take_back(RULES[1])
        if self._breaks_rule_4_a(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        if self._breaks_rule_9(meal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: move {self.recipes[meal['recipe_id']]['title']} to {on}.",
            "data": self._changes(),
        }

    def drop_meal(self, meal_id: str) -> Result:
        """Drop a planned meal.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        if meal["status"] != "planned":
            return _refused(f"That meal is {meal['status']}.")
        self._journal = []
        self._put("meals", meal, "status", "dropped")
        if self._breaks_rule_1(meal):
            return self._take_back(RULES[0])
        if self._breaks_rule_2():
            return self._take_back(RULES[1])
        if self._breaks_rule_3(meal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        for one_leftover in _distinct(self._leftovers_by_meal.get(meal["id"], {}).values()):
            if self._breaks_rule_7(one_leftover):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(meal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: drop {self.recipes[meal['recipe_id']]['title']} of {meal['on']}.",
            "data": self._changes(),
        }

    def list_what_lacks(self, meal_id: str) -> Result:
        """Put on the shopping list what a planned meal lacks once the meals before it have taken theirs, beyond what
        is on the list.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        if meal["status"] != "planned":
            return _refused(f"That meal is {meal['status']}.")
        if len(self._lacking(meal)) <= 0:
            return _refused(
                f"Everything for {self.recipes[meal['recipe_id']]['title']} is in the pantry and not promised to "
                "a meal before it."
            )
        self._journal = []
        added_shopping_items: list[Any] = []
        for l in list(self._lacking(meal)):
            gap = self._short_of(meal, self.ingredients[l["ingredient_id"]])
            item = self._wanted_of(self.ingredients[l["ingredient_id"]])
            if item is None:
                if not 1 <= gap <= 9000:
                    return self._take_back("The amount of a shopping item must be between 1 and 9000.")
                shopping_item = {
                    "id": self._new_id("shopping_item", "SI", self.shopping_items),
                    "ingredient_id": l["ingredient_id"],
                    "amount": gap,
                    "status": "open",
                }
                self._add("shopping_items", shopping_item)
                added_shopping_items.append(shopping_item)
            else:
                amount = max(item["amount"], gap)
                if not 1 <= amount <= 9000:
                    return self._take_back(f"The amount of {item['id']} must be between 1 and 9000.")
                self._put("shopping_items", item, "amount", amount)
        for one_shopping_item in _distinct(added_shopping_items):
            if self._breaks_rule_6(one_shopping_item):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: put what {self.recipes[meal['recipe_id']]['title']} lacks on the list.",
            "data": self._changes(),
        }

    def add_to_list(self, ingredient_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 9000}]) -> Result:
        """Put an ingredient on the shopping list, or change how much is wanted.

        Args:
            ingredient_id (str): Id of the ingredient, such as INGREDIENT-00001.
            amount (int): Amount wanted in all, in the unit of the ingredient, from 1 to 9000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ingredient = self.ingredients.get(ingredient_id)
        if ingredient is None:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        self._journal = []
        added_shopping_items: list[Any] = []
        item = self._wanted_of(ingredient)
        if item is None:
            shopping_item = {
                "id": self._new_id("shopping_item", "SI", self.shopping_items),
                "ingredient_id": ingredient_id,
                "amount": amount,
                "status": "open",
            }
            self._add("shopping_items", shopping_item)
            added_shopping_items.append(shopping_item)
        else:
            self._put("shopping_items", item, "amount", amount)
        for one_shopping_item in _distinct(added_shopping_items):
            if self._breaks_rule_6(one_shopping_item):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: put {amount} {ingredient['name']} on the list.",
            "data": self._changes(),
        }

    def unpack_shopping(self, bought: Annotated[list[UnpackShoppingBought], {"maxItems": 20}]) -> Result:
        """Unpack what was bought into the pantry and tick it off the list.

        Args:
            bought (list): One entry for each item of the list that was bought: item_id: open item of the shopping
                list; an id such as SI-00001; amount: amount that was bought, in the unit of the ingredient, from 1
                to 9000; best_before: best before date, not in the past, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entries, bought = bought, []
        for entry in entries:
            if entry["item_id"] not in self.shopping_items:
                return _refused(f"There is no shopping item {entry['item_id']!r}.")
            bought.append(
                {
                    "item": self.shopping_items[entry["item_id"]],
                    "amount": entry["amount"],
                    "best_before": entry["best_before"],
                }
            )
        if not (len(bought) > 0 and _different([b["item"]["id"] for b in bought])):
            return _refused("Name at least one item, and each once.")
        done = next((b for b in bought if b["item"]["status"] != "open"), None)
        if done is not None:
            return _refused(f"{self.ingredients[done['item']['ingredient_id']]['name']} is {done['item']['status']}.")
        if not all(b["best_before"] >= self.now[:10] for b in bought):
            return _refused("Something is past its date, so take it back to the shop.")
        self._journal = []
        changed_shopping_items: list[Any] = []
        for b in sorted(bought, key=lambda b: (self.ingredients[b["item"]["ingredient_id"]]["name"],)):
            pantry_lot = {
                "id": self._new_id("pantry_lot", "PL", self.pantry_lots),
                "ingredient_id": b["item"]["ingredient_id"],
                "amount": b["amount"],
                "best_before": b["best_before"],
            }
            self._add("pantry_lots", pantry_lot)
            shopping_item = b["item"]
            changed_shopping_items.append(shopping_item)
            self._put("shopping_items", shopping_item, "status", "bought")
        for one_shopping_item in _distinct(changed_shopping_items):
            if self._breaks_rule_6(one_shopping_item):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: unpack {len(bought)} items.", "data": self._changes()}

    def cook_meal(self, meal_id: str) -> Result:
        """Cook a meal planned for today or earlier, with what goes off first, and keep the extra portions.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        if meal["status"] != "planned":
            return _refused(f"That meal is {meal['status']}.")
        if meal["on"] > self.now[:10]:
            return _refused(f"That meal is planned for {meal['on']}.")
        short = next(
            (
                l
                for l in self._lines(self.recipes[meal["recipe_id"]])
                if self._fresh(
                    self.ingredients[l["ingredient_id"]],
                    self.now[:10],
                ) < self._needed(meal, self.ingredients[l["ingredient_id"]])
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"{self.recipes[meal['recipe_id']]['title']} takes "
                f"{self._needed(meal, self.ingredients[short['ingredient_id']])} "
                f"{self.ingredients[short['ingredient_id']]['name']} and there are "
                f"{self._fresh(self.ingredients[short['ingredient_id']], self.now[:10])}."
            )
        self._journal = []
        added_leftovers: list[Any] = []
        for l in list(self._lines(self.recipes[meal["recipe_id"]])):
            missing = self._needed(meal, self.ingredients[l["ingredient_id"]])
            for p in sorted(
                [
                    p
                    for p in self._pantry_lots_by_ingredient.get(l["ingredient_id"], {}).values()
                    if p["best_before"] >= self.now[:10]
                ],
                key=lambda p: (p["best_before"], _age(p)),
            ):
                part = min(missing, p["amount"])
                if part > 0:
                    amount = p["amount"] - part
                    if not 0 <= amount <= 9000:
                        return self._take_back(f"The amount of {p['id']} must be between 0 and 9000.")
                    self._put("pantry_lots", p, "amount", amount)
                    missing = missing - part
        self._put("meals", meal, "status", "cooked")
        if meal["extra"] > 0:
            leftover = {
                "id": self._new_id("leftover", "LEFTOVER", self.leftovers),
                "meal_id": meal_id,
                "portions": meal["extra"],
                "keeps_until": _plus_days(self.now[:10], 3),
            }
            self._add("leftovers", leftover)
            added_leftovers.append(leftover)
        if self._breaks_rule_1(meal):
            return self._take_back(RULES[0])
        if self._breaks_rule_2():
            return self._take_back(RULES[1])
        if self._breaks_rule_3(meal):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        for one_leftover in _distinct([*self._leftovers_by_meal.get(meal["id"], {}).values(), *added_leftovers]):
            if self._breaks_rule_7(one_leftover):
                return self._take_back(RULES[6])
        for one_leftover in _distinct(added_leftovers):
            if self._breaks_rule_8_f(one_leftover):
                return self._take_back(RULES[7])
        for one_leftover in _distinct(added_leftovers):
            if self._breaks_rule_8_f_again(one_leftover):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(meal):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: cook {self.recipes[meal['recipe_id']]['title']}.",
            "data": self._changes(),
        }

    def throw_away(self, lot_id: str) -> Result:
        """Throw a lot of the pantry away.

        Args:
            lot_id (str): Pantry lot that is thrown away; an id such as PL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.pantry_lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no pantry lot {lot_id!r}.")
        if lot["amount"] <= 0:
            return _refused("There is nothing left of it.")
        self._journal = []
        self._put("pantry_lots", lot, "amount", 0)
        return {
            "success": True,
            "message": f"Done: throw {self.ingredients[lot['ingredient_id']]['name']} away.",
            "data": self._changes(),
        }

    def eat_leftover(
        self,
        leftover_id: str,
        portions: Annotated[int, {"minimum": 1, "maximum": 6}],
        eater_id: str | None = None,
    ) -> Result:
        """Note who ate leftover portions, or throw them out, where no eater is named.

        Args:
            leftover_id (str): Id of the leftover, such as LEFTOVER-00001.
            portions (int): Portions that are eaten or thrown out, from 1 to 6.
            eater_id (str, optional): Person who ate them; an id such as EATER-00001. If left out, they are thrown
                out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leftover = self.leftovers.get(leftover_id)
        if leftover is None:
            return _refused(f"There is no leftover {leftover_id!r}.")
        eater = self.eaters.get(eater_id) if eater_id is not None else None
        if eater_id is not None and eater is None:
            return _refused(f"There is no eater {eater_id!r}.")
        if portions > leftover["portions"]:
            return _refused(f"There are {leftover['portions']} portions left.")
        if eater_id is not None and leftover["keeps_until"] < self.now[:10]:
            return _refused(f"That keeps until {leftover['keeps_until']} only, so throw it out.")
        if eater_id is not None and self._harms(self.recipes[self.meals[leftover["meal_id"]]["recipe_id"]], eater):
            return _refused(
                f"{eater['name']} must not eat {self.recipes[self.meals[leftover['meal_id']]['recipe_id']]['title']}."
            )
        self._journal = []
        new_portions = leftover["portions"] - portions
        if not 0 <= new_portions <= 6:
            return self._take_back(f"The portions of {leftover['id']} must be between 0 and 6.")
        self._put("leftovers", leftover, "portions", new_portions)
        if self._breaks_rule_8_f(leftover):
            return self._take_back(RULES[7])
        done = f"take {portions} portions of {self.recipes[self.meals[leftover['meal_id']]['recipe_id']]['title']}"
        if eater is not None:
            done += f" for {eater['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_ingredient(self, ingredient: Ingredient) -> dict[str, Any]:
        """The ingredient as an answer shows it."""
        return {**ingredient, "in_pantry": self._ingredient_in_pantry(ingredient)}

    def _show_eater(self, eater: Eater) -> dict[str, Any]:
        """The eater as an answer shows it."""
        return {**eater, "allergies": [*eater["allergies"]], "dislike_ids": [*eater["dislike_ids"]]}

    def _show_meal(self, meal: Meal) -> dict[str, Any]:
        """The meal as an answer shows it."""
        return {**meal, "eater_ids": [*meal["eater_ids"]], "portions": self._meal_portions(meal)}

    def _names_of_eaters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that eaters point to."""
        return _names((self.ingredients, "name", [each for row in shown for each in row["dislike_ids"]]))

    def _names_of_recipe_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that recipe lines point to."""
        return _names(
            (self.recipes, "title", [row["recipe_id"] for row in shown]),
            (self.ingredients, "name", [row["ingredient_id"] for row in shown]),
        )

    def _names_of_pantry_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pantry lots point to."""
        return _names((self.ingredients, "name", [row["ingredient_id"] for row in shown]))

    def _names_of_meals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meals point to."""
        return _names(
            (self.recipes, "title", [row["recipe_id"] for row in shown]),
            (self.eaters, "name", [each for row in shown for each in row["eater_ids"]]),
            (self.eaters, "name", [row["cook_id"] for row in shown]),
        )

    def _names_of_shopping_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shopping items point to."""
        return _names((self.ingredients, "name", [row["ingredient_id"] for row in shown]))

    def _ingredient_in_pantry(self, ingredient: Ingredient) -> int:
        """The in pantry of an ingredient."""
        return sum(l["amount"] for l in self._pantry_lots_by_ingredient.get(ingredient["id"], {}).values())

    def _meal_portions(self, meal: Meal) -> int:
        """The portions of a meal."""
        return len(meal["eater_ids"]) + meal["extra"]

    def _stands(self, m: Meal) -> bool:
        return m["status"] in ("planned", "cooked")

    def _lines(self, r: Recipe) -> list[RecipeLine]:
        return sorted(self._recipe_lines_by_recipe.get(r["id"], {}).values(), key=_age)

    def _needed(self, m: Meal, i: Ingredient) -> int:
        return sum(
            ceil(Fraction(l["amount"] * self._meal_portions(m), self.recipes[m["recipe_id"]]["serves"]))
            for l in self._lines(self.recipes[m["recipe_id"]])
            if l["ingredient_id"] == i["id"]
        )

    def _fresh(self, i: Ingredient, d: str) -> int:
        return sum(
            l["amount"]
            for l in self._pantry_lots_by_ingredient.get(i["id"], {}).values()
            if l["best_before"] >= d
        )

    def _harms(self, r: Recipe, e: Eater) -> bool:
        return any(
            self.ingredients[l["ingredient_id"]]["allergen"] is not None
            and self.ingredients[l["ingredient_id"]]["allergen"] in e["allergies"]
            or e["diet"] != "anything"
            and self.ingredients[l["ingredient_id"]]["source"] == "meat_or_fish"
            or e["diet"] == "vegan"
            and self.ingredients[l["ingredient_id"]]["source"] == "dairy_or_egg"
            for l in self._lines(r)
        )

    def _disliked(self, r: Recipe, e: Eater) -> bool:
        return any(l["ingredient_id"] in e["dislike_ids"] for l in self._lines(r))

    def _too_long(self, r: Recipe, d: str, slot: str) -> bool:
        return _weekday(d) <= 5 and r["minutes"] > (30 if slot == "lunch" else 60)

    def _busy(self, e: Eater, d: str, slot: str) -> Meal | None:
        return next(
            (
                m
                for m in sorted(self._meals_by_eaters.get(e["id"], {}).values(), key=_age)
                if m["on"] == d
                and m["slot"] == slot
                and self._stands(m)
            ),
            None,
        )

    def _wanted_of(self, i: Ingredient) -> ShoppingItem | None:
        return next(
            (
                s
                for s in sorted(
                    self._shopping_items_by_ingredient_status.get((i["id"], "open"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _promised(self, m: Meal, i: Ingredient) -> int:
        return sum(
            self._needed(o, i)
            for o in self._meals_by_status.get("planned", {}).values()
            if o["on"] >= self.now[:10]
            and (o["on"] < m["on"] or o["on"] == m["on"] and o["slot"] == "lunch" and m["slot"] == "dinner")
        )

    def _short_of(self, m: Meal, i: Ingredient) -> int:
        return max(
            self._needed(m, i) - self._fresh(i, m["on"]),
            self._promised(m, i) + self._needed(m, i) - self._fresh(i, self.now[:10]),
        )

    def _lacking(self, m: Meal) -> list[RecipeLine]:
        return [
            l
            for l in self._lines(self.recipes[m["recipe_id"]])
            if self._short_of(m, self.ingredients[l["ingredient_id"]]) > 0
        ]

    def _breaks_rule_1(self, m: Meal) -> bool:
        """Whether this is broken: nobody is served what they are allergic to or what their diet rules out."""
        return (
            self._stands(m)
            and any(
                self._harms(self.recipes[m["recipe_id"]], e)
                for e in [self.eaters[key] for key in m["eater_ids"]]
            )
        )

    def _breaks_rule_2(self) -> bool:
        """Whether this is broken: everybody eats one meal at a time."""
        return not _different(
            [
                (m["on"], m["slot"], e["id"])
                for m in self.meals.values()
                if self._stands(m)
                for e in [self.eaters[key] for key in m["eater_ids"]]
            ]
        )

    def _breaks_rule_3(self, m: Meal) -> bool:
        """Whether this is broken: the cook eats along."""
        return self._stands(m) and m["cook_id"] not in m["eater_ids"]

    def _breaks_rule_4_a(self, a: Meal) -> bool:
        """Whether this is broken: a recipe is not planned twice within three days."""
        return (
            a["status"] == "planned"
            and any(
                abs(_days_between(b["on"], a["on"])) < 3
                for b in self._meals_by_recipe_status.get((a["recipe_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4_b(self, b: Meal) -> bool:
        """Whether this is broken: a recipe is not planned twice within three days."""
        return (
            b["status"] == "planned"
            and any(
                abs(_days_between(b["on"], a["on"])) < 3
                for a in self._meals_by_recipe_status.get((b["recipe_id"], "planned"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5(self, m: Meal) -> bool:
        """Whether this is broken: from Monday to Friday lunch takes half an hour and dinner an hour at most."""
        return m["status"] == "planned" and self._too_long(self.recipes[m["recipe_id"]], m["on"], m["slot"])

    def _breaks_rule_6(self, s: ShoppingItem) -> bool:
        """Whether this is broken: an ingredient is on the shopping list once."""
        return (
            s["status"] == "open"
            and any(
                other_s is not s
                for other_s in self._shopping_items_by_ingredient_status.get(
                    (s["ingredient_id"], "open"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_7(self, f: Leftover) -> bool:
        """Whether this is broken: what is left over comes from a meal that was cooked."""
        return self.meals[f["meal_id"]]["status"] != "cooked"

    def _breaks_rule_8_f(self, f: Leftover) -> bool:
        """Whether this is broken: a meal leaves no more than was cooked beyond the eaters."""
        return f["portions"] > self.meals[f["meal_id"]]["extra"]

    def _breaks_rule_8_f_again(self, f: Leftover) -> bool:
        """Whether this is broken: a meal leaves no more than was cooked beyond the eaters."""
        return any(other_f is not f for other_f in self._leftovers_by_meal.get(f["meal_id"], {}).values())

    def _breaks_rule_9(self, m: Meal) -> bool:
        """Whether this is broken: nobody cooks two meals on one day."""
        return (
            m["status"] == "planned"
            and any(
                other_m is not m
                for other_m in self._meals_by_cook_status.get((m["cook_id"], "planned"), {}).values()
                if other_m["on"] == m["on"]
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
            case "recipe_lines":
                self._recipe_lines_by_recipe.setdefault(record["recipe_id"], {})[record["id"]] = record
            case "pantry_lots":
                self._pantry_lots_by_ingredient.setdefault(record["ingredient_id"], {})[record["id"]] = record
            case "meals":
                self._meals_by_cook_status.setdefault((record["cook_id"], record["status"]), {})[record["id"]] = record
                for key in record["eater_ids"]:
                    self._meals_by_eaters.setdefault(key, {})[record["id"]] = record
                self._meals_by_recipe_status.setdefault(
                    (record["recipe_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._meals_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "leftovers":
                self._leftovers_by_meal.setdefault(record["meal_id"], {})[record["id"]] = record
            case "shopping_items":
                self._shopping_items_by_ingredient_status.setdefault(
                    (record["ingredient_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "recipe_lines":
                del self._recipe_lines_by_recipe[record["recipe_id"]][record["id"]]
            case "pantry_lots":
                del self._pantry_lots_by_ingredient[record["ingredient_id"]][record["id"]]
            case "meals":
                del self._meals_by_cook_status[record["cook_id"], record["status"]][record["id"]]
                for key in record["eater_ids"]:
                    self._meals_by_eaters[key].pop(record["id"], None)
                del self._meals_by_recipe_status[record["recipe_id"], record["status"]][record["id"]]
                del self._meals_by_status[record["status"]][record["id"]]
            case "leftovers":
                del self._leftovers_by_meal[record["meal_id"]][record["id"]]
            case "shopping_items":
                del self._shopping_items_by_ingredient_status[record["ingredient_id"], record["status"]][record["id"]]
