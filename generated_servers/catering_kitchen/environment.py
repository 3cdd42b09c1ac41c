"""Catering kitchen. Compiled from blueprint.yaml; run `envscaler build catering_kitchen` after changing it there.

Cooks for events out of dated ingredient lots, by recipes that build on base recipes, with every allergen
followed from the lot into the dish.
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
    "What is left of a lot and what was cooked of it are what came in.",
    "A batch holds at least what its recipe needs for its portions.",
    "A batch is set aside only for a dish of its own recipe.",
    "A batch set aside keeps until the day of the event.",
    "No dish contains what its event must avoid.",
    "No batch set aside for an event came in touch with what that event must avoid.",
    "Nothing that waits to be served comes from a blocked lot.",
    "A dish stands on a menu once, for no more people than come.",
    "The kitchen serves at most 320 guests a day.",
    "Whatever was served had enough cooked.",
    "A discarded batch is set aside for nobody.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_lot",
    "block_lot",
    "take_event",
    "change_event",
    "add_dish",
    "take_off_dish",
    "cook_batch",
    "set_aside",
    "discard_batch",
    "serve_event",
    "cancel_event",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "ingredients": ("name",),
    "lots": ("code",),
    "recipes": ("name",),
    "needs": (),
    "events": ("name",),
    "dishes": (),
    "batches": (),
    "uses": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("batches", "dish_id"),
    ("batches", "recipe_id"),
    ("dishes", "event_id"),
    ("dishes", "recipe_id"),
    ("events", "name"),
    ("events", "on"),
    ("events", "status"),
    ("lots", "code"),
    ("lots", "ingredient_id"),
    ("needs", "ingredient_id"),
    ("needs", "recipe_id"),
    ("uses", "batch_id"),
    ("uses", "lot_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Ingredient(TypedDict):
    id: str
    name: str
    allergen: Literal[
        "gluten",
        "nuts",
        "milk",
        "egg",
        "fish",
        "celery",
        "soy",
        "sesame",
        "peanuts",
        "shellfish",
    ] | None


class Lot(TypedDict):
    id: str
    code: str
    ingredient_id: str
    amount: int
    left: int
    use_by: str
    traces: list[Literal["gluten", "nuts", "milk", "egg", "fish", "celery", "soy", "sesame", "peanuts", "shellfish"]]
    blocked: bool


class Recipe(TypedDict):
    id: str
    name: str
    kind: Literal["base", "starter", "main", "dessert"]
    base_ids: list[str]
    keeps: int


class Need(TypedDict):
    id: str
    recipe_id: str
    ingredient_id: str
    grams: int


class Event(TypedDict):
    id: str
    name: str
    on: str
    guests: int
    avoids: list[Literal["gluten", "nuts", "milk", "egg", "fish", "celery", "soy", "sesame", "peanuts", "shellfish"]]
    status: Literal["planned", "served", "cancelled"]


class Dish(TypedDict):
    id: str
    event_id: str
    recipe_id: str
    portions: int


class Batch(TypedDict):
    id: str
    recipe_id: str
    portions: int
    dish_id: str | None
    made_on: str
    use_by: str
    status: Literal["ready", "served", "discarded"]


class Use(TypedDict):
    id: str
    batch_id: str
    lot_id: str
    grams: int


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class CateringKitchen:
    """Cooks for events out of dated ingredient lots, by recipes that build on base recipes, with every
    allergen followed from the lot into the dish.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.ingredients: dict[str, Ingredient] = _copied(config.get("ingredients", {}))
        self.lots: dict[str, Lot] = _copied(config.get("lots", {}))
        self.recipes: dict[str, Recipe] = _copied(config.get("recipes", {}))
        self.needs: dict[str, Need] = _copied(config.get("needs", {}))
        self.events: dict[str, Event] = _copied(config.get("events", {}))
        self.dishes: dict[str, Dish] = _copied(config.get("dishes", {}))
        self.batches: dict[str, Batch] = _copied(config.get("batches", {}))
        self.uses: dict[str, Use] = _copied(config.get("uses", {}))
        self.now: str = config.get("now", "2026-05-07T07:30")
        self.counters: dict[str, int] = {
            "ingredient": len(self.ingredients),
            "lot": len(self.lots),
            "recipe": len(self.recipes),
            "need": len(self.needs),
            "event": len(self.events),
            "dish": len(self.dishes),
            "batch": len(self.batches),
            "use": len(self.uses),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lots_by_code: dict[Any, dict[str, Lot]] = {}
        self._lots_by_ingredient: dict[Any, dict[str, Lot]] = {}
        self._needs_by_ingredient: dict[Any, dict[str, Need]] = {}
        self._needs_by_recipe: dict[Any, dict[str, Need]] = {}
        self._events_by_name_status: dict[Any, dict[str, Event]] = {}
        self._events_by_on: dict[Any, dict[str, Event]] = {}
        self._dishes_by_event: dict[Any, dict[str, Dish]] = {}
        self._dishes_by_event_recipe: dict[Any, dict[str, Dish]] = {}
        self._batches_by_dish: dict[Any, dict[str, Batch]] = {}
        self._batches_by_recipe: dict[Any, dict[str, Batch]] = {}
        self._uses_by_batch: dict[Any, dict[str, Use]] = {}
        self._uses_by_lot: dict[Any, dict[str, Use]] = {}
        for lot in self.lots.values():
            self._link("lots", lot)
        for need in self.needs.values():
            self._link("needs", need)
        for event in self.events.values():
            self._link("events", event)
        for dish in self.dishes.values():
            self._link("dishes", dish)
        for batch in self.batches.values():
            self._link("batches", batch)
        for use in self.uses.values():
            self._link("uses", use)

    def still_to_cook(
        self,
        until: Date,
        event_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Dishes of planned events until a day that are not fully cooked, soonest first.

        Args:
            until (str): Last day of events to include, as YYYY-MM-DD.
            event_id (str, optional): Event whose dishes are listed; an id such as EVENT-00001. If left out, dishes
                of all events are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dishes": records}} or {"success": False, "error": why
                not}
        """
        event = self.events.get(event_id) if event_id is not None else None
        if event_id is not None and event is None:
            return _refused(f"There is no event {event_id!r}.")
        found = [
            d
            for d in self.dishes.values()
            if (
                self.events[d["event_id"]]["status"] == "planned"
                and (self.now[:10] <= self.events[d["event_id"]]["on"] and self.events[d["event_id"]]["on"] <= until)
                and self._dish_lacking(d) > 0
            )
            and (event_id is None or d["event_id"] == event_id)
        ]
        found.sort(
            key=lambda d: (
                self.events[d["event_id"]]["on"],
                self.events[d["event_id"]]["name"],
                self.recipes[d["recipe_id"]]["name"],
                _age(d),
            )
        )
        return _found(
            {
                "total": len(found),
                "dishes": [
                    {
                        "id": d["id"],
                        "event": self.events[d["event_id"]]["name"],
                        "on": self.events[d["event_id"]]["on"],
                        "dish": self.recipes[d["recipe_id"]]["name"],
                        "lacking": self._dish_lacking(d),
                        "may_cook_from": _plus_days(
                            self.events[d["event_id"]]["on"],
                            -self.recipes[d["recipe_id"]]["keeps"],
                        ),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def where_used(self, lot_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The batches that a lot went into, and for which events.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "uses": records}} or {"success": False, "error": why
                not}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [u for u in self._uses_by_lot.get(lot_id, {}).values()]
        found.sort(key=lambda u: (self.batches[u["batch_id"]]["made_on"], u["id"], _age(u)))
        return _found(
            {
                "total": len(found),
                "uses": [
                    {
                        "batch_id": self.batches[u["batch_id"]]["id"],
                        "recipe": self.recipes[self.batches[u["batch_id"]]["recipe_id"]]["name"],
                        "made_on": self.batches[u["batch_id"]]["made_on"],
                        "status": self.batches[u["batch_id"]]["status"],
                        "event": self.events[
                            self.dishes[self.batches[u["batch_id"]]["dish_id"]]["event_id"]
                        ]["name"] if self.batches[u["batch_id"]]["dish_id"] is not None else "none",
                        "grams": u["grams"],
                    }
                    for u in _page(found, offset)
                ],
            }
        )

    def safe_dishes(
        self,
        event_id: str,
        kind: Literal["starter", "main", "dessert"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Dishes that an event could have on its menu, by what it must avoid.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            kind (str, optional): Course that the dish is for: starter, main or dessert. If left out, dishes of all
                courses are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}} or {"success": False, "error": why
                not}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        found = [
            r
            for r in self.recipes.values()
            if (r["kind"] != "base" and not self._unfit(r, event))
            and (kind is None or r["kind"] == kind)
        ]
        found.sort(key=lambda r: (r["kind"], r["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "recipes": [
                    {"id": r["id"], "name": r["name"], "kind": r["kind"], "keeps": r["keeps"]}
                    for r in _page(found, offset)
                ],
            }
        )

    def list_ingredients(
        self,
        name: Text | None = None,
        allergen: Literal[
            "gluten",
            "nuts",
            "milk",
            "egg",
            "fish",
            "celery",
            "soy",
            "sesame",
            "peanuts",
            "shellfish",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ingredients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only ingredients whose name contains this text.
            allergen (str, optional): Only ingredients with this allergen.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ingredients": records}}
        """
        found = [
            ingredient
            for ingredient in self.ingredients.values()
            if (name is None or name.casefold() in ingredient["name"].casefold())
            and (allergen is None or ingredient["allergen"] == allergen)
        ]
        return _found({"total": len(found), "ingredients": [{**ingredient} for ingredient in _page(found, offset)]})

    def list_lots(
        self,
        code: Text | None = None,
        ingredient_id: str | None = None,
        blocked: bool | None = None,
        use_by_from: Date | None = None,
        use_by_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lots, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lots whose code contains this text.
            ingredient_id (str, optional): Only lots of this ingredient.
            blocked (bool, optional): Only lots that are blocked (true) or not (false).
            use_by_from (str, optional): Only lots whose `use_by` is on this day or later.
            use_by_to (str, optional): Only lots whose `use_by` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lots": records}}
        """
        if ingredient_id is not None and ingredient_id not in self.ingredients:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        found = [
            lot
            for lot in self.lots.values()
            if (code is None or code.casefold() in lot["code"].casefold())
            and (ingredient_id is None or lot["ingredient_id"] == ingredient_id)
            and (blocked is None or lot["blocked"] == blocked)
            and (use_by_from is None or lot["use_by"] >= use_by_from)
            and (use_by_to is None or lot["use_by"] <= use_by_to)
        ]
        shown = [self._show_lot(lot) for lot in _page(found, offset)]
        return _found({"total": len(found), "lots": shown}, self._names_of_lots(shown))

    def list_recipes(
        self,
        name: Text | None = None,
        kind: Literal["base", "starter", "main", "dessert"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the recipes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only recipes whose name contains this text.
            kind (str, optional): Only recipes with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "recipes": records}}
        """
        found = [
            recipe
            for recipe in self.recipes.values()
            if (name is None or name.casefold() in recipe["name"].casefold())
            and (kind is None or recipe["kind"] == kind)
        ]
        shown = [self._show_recipe(recipe) for recipe in _page(found, offset)]
        return _found({"total": len(found), "recipes": shown}, self._names_of_recipes(shown))

    def list_needs(
        self,
        recipe_id: str | None = None,
        ingredient_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the needs, oldest first, all of them or only some.

        Args:
            recipe_id (str, optional): Only needs of this recipe.
            ingredient_id (str, optional): Only needs of this ingredient.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "needs": records}}
        """
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if ingredient_id is not None and ingredient_id not in self.ingredients:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        found = [
            need
            for need in self.needs.values()
            if (recipe_id is None or need["recipe_id"] == recipe_id)
            and (ingredient_id is None or need["ingredient_id"] == ingredient_id)
        ]
        shown = [{**need} for need in _page(found, offset)]
        return _found({"total": len(found), "needs": shown}, self._names_of_needs(shown))

    def list_events(
        self,
        name: Text | None = None,
        status: Literal["planned", "served", "cancelled"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the events, oldest first, all of them or only some.

        Args:
            name (str, optional): Only events whose name contains this text.
            status (str, optional): Only events with this status.
            on_from (str, optional): Only events whose `on` is on this day or later.
            on_to (str, optional): Only events whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}}
        """
        found = [
            event
            for event in self.events.values()
            if (name is None or name.casefold() in event["name"].casefold())
            and (status is None or event["status"] == status)
            and (on_from is None or event["on"] >= on_from)
            and (on_to is None or event["on"] <= on_to)
        ]
        return _found({"total": len(found), "events": [self._show_event(event) for event in _page(found, offset)]})

    def list_dishes(
        self,
        event_id: str | None = None,
        recipe_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the dishes, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only dishes of this event.
            recipe_id (str, optional): Only dishes of this recipe.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dishes": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        found = [
            dish
            for dish in self.dishes.values()
            if (event_id is None or dish["event_id"] == event_id)
            and (recipe_id is None or dish["recipe_id"] == recipe_id)
        ]
        shown = [self._show_dish(dish) for dish in _page(found, offset)]
        return _found({"total": len(found), "dishes": shown}, self._names_of_dishes(shown))

    def list_batches(
        self,
        recipe_id: str | None = None,
        dish_id: str | None = None,
        status: Literal["ready", "served", "discarded"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the batches, oldest first, all of them or only some.

        Args:
            recipe_id (str, optional): Only batches of this recipe.
            dish_id (str, optional): Only batches of this dish.
            status (str, optional): Only batches with this status.
            made_on_from (str, optional): Only batches whose `made_on` is on this day or later.
            made_on_to (str, optional): Only batches whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}}
        """
        if recipe_id is not None and recipe_id not in self.recipes:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if dish_id is not None and dish_id not in self.dishes:
            return _refused(f"There is no dish {dish_id!r}.")
        found = [
            batch
            for batch in self.batches.values()
            if (recipe_id is None or batch["recipe_id"] == recipe_id)
            and (dish_id is None or batch["dish_id"] == dish_id)
            and (status is None or batch["status"] == status)
            and (made_on_from is None or batch["made_on"] >= made_on_from)
            and (made_on_to is None or batch["made_on"] <= made_on_to)
        ]
        shown = [{**batch} for batch in _page(found, offset)]
        return _found({"total": len(found), "batches": shown}, self._names_of_batches(shown))

    def list_uses(
        self,
        batch_id: str | None = None,
        lot_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the uses, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only uses of this batch.
            lot_id (str, optional): Only uses of this lot.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "uses": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if lot_id is not None and lot_id not in self.lots:
            return _refused(f"There is no lot {lot_id!r}.")
        found = [
            use
            for use in self.uses.values()
            if (batch_id is None or use["batch_id"] == batch_id)
            and (lot_id is None or use["lot_id"] == lot_id)
        ]
        shown = [{**use} for use in _page(found, offset)]
        return _found({"total": len(found), "uses": shown}, self._names_of_uses(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_lot(
        self,
        ingredient_id: str,
        code: Text,
        amount: Annotated[int, {"minimum": 1000, "maximum": 100000}],
        use_by: Date,
        traces: Annotated[
            list[Literal["gluten", "nuts", "milk", "egg", "fish", "celery", "soy", "sesame", "peanuts", "shellfish"]],
            {"maxItems": 20},
        ] | None = None,
    ) -> Result:
        """Take in a lot of an ingredient with its last day, and everything it may contain traces of.

        Args:
            ingredient_id (str): Id of the ingredient, such as INGREDIENT-00001.
            code (str): New code of the lot, not used before.
            amount (int): Weight of the lot in grams, from 1000 to 100000.
            use_by (str): Last day on which the lot may be used, after today, as YYYY-MM-DD.
            traces (list): Allergens of which it may contain traces, apart from the ingredient's own: gluten, nuts,
                milk, egg, fish, celery, soy, sesame, peanuts or shellfish. If left out, the lot counts as free of
                traces.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ingredient = self.ingredients.get(ingredient_id)
        if ingredient is None:
            return _refused(f"There is no ingredient {ingredient_id!r}.")
        traces = traces or []
        if self._lots_by_code.get(code, {}):
            return _refused(f"There is a lot {code} already.")
        if use_by <= self.now[:10]:
            return _refused(f"A lot that runs out on {use_by} is not accepted.")
        if not _different([t for t in traces]):
            return _refused("A trace is named twice.")
        if any(t == ingredient["allergen"] for t in traces):
            return _refused(f"{ingredient['name']} is that in itself, no need to note traces of it.")
        self._journal = []
        lot: Lot = {
            "id": self._new_id("lot", "LOT", self.lots),
            "code": code,
            "ingredient_id": ingredient_id,
            "amount": amount,
            "left": amount,
            "use_by": use_by,
            "traces": [*traces],
            "blocked": False,
        }
        self._add("lots", lot)
        if len(self._lots_by_code.get(lot["code"], {})) > 1:
            return self._take_back(f"There is already a lot with the code {lot['code']!r}.")
        if self._breaks_rule_1(lot):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: receive {amount} grams of {ingredient['name']} as lot {code} (new: lot {lot['id']}).",
            "data": {"lot_id": lot["id"], **self._changes()},
        }

    def block_lot(self, lot_id: str) -> Result:
        """Block a lot, as in a recall; every batch of it that waits to be served is discarded.

        Args:
            lot_id (str): Id of the lot, such as LOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lot = self.lots.get(lot_id)
        if lot is None:
            return _refused(f"There is no lot {lot_id!r}.")
        if lot["blocked"]:
            return _refused(f"Lot {lot['code']} is blocked already.")
        self._journal = []
        changed_batches: list[Any] = []
        former_dish_ids: list[Any] = []
        changed_batches_2: list[Any] = []
        self._put("lots", lot, "blocked", True)
        for b in [
            b
            for b in _those(self.batches, [u["batch_id"] for u in self._uses_by_lot.get(lot_id, {}).values()])
            if b["status"] == "ready"
            and self._from_lot(b, lot)
        ]:
            changed_batches.append(b)
            former_dish_ids.append(b["dish_id"])
            self._put("batches", b, "dish_id", None)
            if b["status"] not in ("ready", "discarded"):
                return self._take_back(f"Batch {b['id']} cannot go from {b['status']} to discarded.")
            changed_batches_2.append(b)
            self._put("batches", b, "status", "discarded")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_3(one_batch):
                return self._take_back(RULES[2])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_use in _distinct(
            [user for one in changed_batches for user in self._uses_by_batch.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        for one_use in _distinct(
            [
                *self._uses_by_lot.get(lot["id"], {}).values(),
                *[user for one in changed_batches_2 for user in self._uses_by_batch.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_use):
                return self._take_back(RULES[6])
        for one_dish in _distinct(
            [
                *[self.dishes.get(one["dish_id"]) for one in changed_batches],
                *[self.dishes.get(key) for key in former_dish_ids],
            ]
        ):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        for one_batch in _distinct([*changed_batches, *changed_batches_2]):
            if self._breaks_rule_11(one_batch):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: block lot {lot['code']}.", "data": self._changes()}

    def take_event(
        self,
        name: Text,
        on: Date,
        guests: Annotated[int, {"minimum": 5, "maximum": 200}],
        avoids: Annotated[
            list[Literal["gluten", "nuts", "milk", "egg", "fish", "celery", "soy", "sesame", "peanuts", "shellfish"]],
            {"maxItems": 20},
        ] | None = None,
    ) -> Result:
        """Take an event into the plan.

        Args:
            name (str): Name of the event, unlike that of any planned one.
            on (str): Day of the event, from tomorrow to 120 days ahead, as YYYY-MM-DD.
            guests (int): Number of guests who are expected, from 5 to 200.
            avoids (list): What the guests must avoid: gluten, nuts, milk, egg, fish, celery, soy, sesame, peanuts
                or shellfish. If left out, nothing has to be avoided.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        avoids = avoids or []
        if self.now[:10] >= on or on > _plus_days(self.now[:10], 120):
            return _refused(f"Events are taken from tomorrow to {_plus_days(self.now[:10], 120)}.")
        if self._events_by_name_status.get((name, "planned"), {}):
            return _refused(f"{name} is planned already.")
        others = sum(e["guests"] for e in self._events_by_on.get(on, {}).values() if e["status"] != "cancelled")
        if others + guests > 320:
            return _refused(f"{others} guests are planned for {on}, and the kitchen serves 320 a day.")
        self._journal = []
        event: Event = {
            "id": self._new_id("event", "EVENT", self.events),
            "name": name,
            "on": on,
            "guests": guests,
            "avoids": [*avoids],
            "status": "planned",
        }
        self._add("events", event)
        if any(self._breaks_rule_9(one_event) for one_event in self.events.values()):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take {name} on {on} for {guests} guests (new: event {event['id']}).",
            "data": {"event_id": event["id"], **self._changes()},
        }

    def change_event(
        self,
        event_id: str,
        guests: Annotated[int, {"minimum": 5, "maximum": 200}] | None = None,
        also_avoids: Literal[
            "gluten",
            "nuts",
            "milk",
            "egg",
            "fish",
            "celery",
            "soy",
            "sesame",
            "peanuts",
            "shellfish",
        ] | None = None,
    ) -> Result:
        """Change the number of guests, whereupon all dishes are scaled and rounded up, or add something the guests
        must avoid.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            guests (int, optional): New number of guests, from 5 to 200. If left out, the number of guests stays as
                it is.
            also_avoids (str, optional): One more thing that the guests must avoid: gluten, nuts, milk, egg, fish,
                celery, soy, sesame, peanuts or shellfish. If left out, nothing is added.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "planned":
            return _refused(f"{event['name']} is {event['status']}.")
        if event["on"] <= self.now[:10]:
            return _refused(f"{event['name']} is today, nothing can be changed any more.")
        if guests is None and also_avoids is None:
            return _refused("Say what is to change.")
        if also_avoids is not None and also_avoids in event["avoids"]:
            return _refused(f"{event['name']} avoids {also_avoids} already.")
        bad = next(
            (
                d
                for d in sorted(self._dishes_by_event.get(event_id, {}).values(), key=_age)
                if also_avoids is not None
                and also_avoids in self._recipe_allergens(self.recipes[d["recipe_id"]])
            ),
            None,
        )
        if bad is not None:
            return _refused(
                f"{self.recipes[bad['recipe_id']]['name']} contains just that, so take it off the menu first."
            )
        near = next(
            (
                b
                for b in self.batches.values()
                for u in sorted(self._uses_by_batch.get(b["id"], {}).values(), key=_age)
                if b["dish_id"] is not None
                and self.dishes[b["dish_id"]]["event_id"] == event_id
                and also_avoids is not None
                and also_avoids in self.lots[u["lot_id"]]["traces"]
            ),
            None,
        )
        if near is not None:
            return _refused(
                f"The {self.recipes[near['recipe_id']]['name']} cooked for {event['name']} may contain traces of "
                "it, so discard that batch first."
            )
        heads = guests if guests is not None else event["guests"]
        others = sum(
            e["guests"]
            for e in self._events_by_on.get(event["on"], {}).values()
            if e is not event
            and e["status"] != "cancelled"
        )
        if others + heads > 320:
            return _refused(f"{others} other guests are planned for {event['on']}, and the kitchen serves 320 a day.")
        self._journal = []
        changed_dishes: list[Any] = []
        changed_events: list[Any] = []
        for d in sorted(self._dishes_by_event.get(event_id, {}).values(), key=_age):
            portions = ceil(Fraction(d["portions"] * heads, event["guests"]))
            if not 1 <= portions <= 200:
                return self._take_back(f"The portions of {d['id']} must be between 1 and 200.")
            changed_dishes.append(d)
            self._put("dishes", d, "portions", portions)
        if not 5 <= heads <= 200:
            return self._take_back(f"The guests of {event['name']} must be between 5 and 200.")
        self._put("events", event, "guests", heads)
        if also_avoids is not None:
            changed_events.append(event)
            self._put("events", event, "avoids", [*(event["avoids"] + [also_avoids])])
        for one_dish in _distinct(
            [user for one in changed_events for user in self._dishes_by_event.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_dish):
                return self._take_back(RULES[4])
        for one_use in _distinct(
            [
                user
                for one in [
                    user
                    for one in [
                        user
                        for one in changed_events
                        for user in self._dishes_by_event.get(one["id"], {}).values()
                    ]
                    for user in self._batches_by_dish.get(one["id"], {}).values()
                ]
                for user in self._uses_by_batch.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        for one_dish in _distinct([*changed_dishes, *self._dishes_by_event.get(event["id"], {}).values()]):
            if self._breaks_rule_8_d_again(one_dish):
                return self._take_back(RULES[7])
        if any(self._breaks_rule_9(one_event) for one_event in self.events.values()):
            return self._take_back(RULES[8])
        for one_dish in _distinct(changed_dishes):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        done = f"change {event['name']}"
        if guests is not None:
            done += f", now {guests} guests"
        if also_avoids is not None:
            done += f", and no {also_avoids}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def add_dish(
        self,
        event_id: str,
        recipe_id: str,
        portions: Annotated[int, {"minimum": 1, "maximum": 200}] | None = None,
    ) -> Result:
        """Put a dish on the menu of an event, for all guests unless a number of portions is named.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            recipe_id (str): Id of the recipe, such as RECIPE-00001.
            portions (int, optional): Portions of the dish, at most one for each guest, from 1 to 200. If left out,
                there is a portion for every guest.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        recipe = self.recipes.get(recipe_id)
        if recipe is None:
            return _refused(f"There is no recipe {recipe_id!r}.")
        if event["status"] != "planned":
            return _refused(f"{event['name']} is {event['status']}.")
        if recipe["kind"] == "base":
            return _refused(f"{recipe['name']} is a base for other recipes and is not served by itself.")
        if self._dishes_by_event_recipe.get((event_id, recipe_id), {}):
            return _refused(f"{recipe['name']} is on that menu already.")
        if self._unfit(recipe, event):
            return _refused(f"{recipe['name']} contains something that {event['name']} must avoid.")
        if (portions if portions is not None else 1) > event["guests"]:
            return _refused(f"{event['name']} has {event['guests']} guests.")
        self._journal = []
        new_portions = portions if portions is not None else event["guests"]
        if not 1 <= new_portions <= 200:
            return self._take_back("The portions of a dish must be between 1 and 200.")
        dish: Dish = {
            "id": self._new_id("dish", "DISH", self.dishes),
            "event_id": event_id,
            "recipe_id": recipe_id,
            "portions": new_portions,
        }
        self._add("dishes", dish)
        if self._breaks_rule_5(dish):
            return self._take_back(RULES[4])
        if self._breaks_rule_8_d(dish):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_d_again(dish):
            return self._take_back(RULES[7])
        if self._breaks_rule_10(dish):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: put {recipe['name']} on the menu of {event['name']} (new: dish {dish['id']}).",
            "data": {"dish_id": dish["id"], **self._changes()},
        }

    def take_off_dish(self, dish_id: str) -> Result:
        """Take a dish off a menu; batches cooked for it are free for others.

        Args:
            dish_id (str): Id of the dish, such as DISH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dish = self.dishes.get(dish_id)
        if dish is None:
            return _refused(f"There is no dish {dish_id!r}.")
        if self.events[dish["event_id"]]["status"] != "planned":
            return _refused(f"{self.events[dish['event_id']]['name']} is {self.events[dish['event_id']]['status']}.")
        self._journal = []
        changed_batches: list[Any] = []
        former_dish_ids: list[Any] = []
        for b in sorted(self._batches_by_dish.get(dish_id, {}).values(), key=_age):
            changed_batches.append(b)
            former_dish_ids.append(b["dish_id"])
            self._put("batches", b, "dish_id", None)
        self._remove("dishes", dish)
        users = len(self._batches_by_dish.get(dish["id"], {}))
        if users:
            return self._take_back(
                f"Dish {dish['id']} is still used by {users} {'batch' if users == 1 else 'batches'}."
            )
        for one_batch in _distinct([*changed_batches, *self._batches_by_dish.get(dish["id"], {}).values()]):
            if self._breaks_rule_3(one_batch):
                return self._take_back(RULES[2])
        for one_batch in _distinct([*changed_batches, *self._batches_by_dish.get(dish["id"], {}).values()]):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_use in _distinct(
            [
                *[user for one in changed_batches for user in self._uses_by_batch.get(one["id"], {}).values()],
                *[
                    user
                    for one in self._batches_by_dish.get(dish["id"], {}).values()
                    for user in self._uses_by_batch.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        for one_dish in _distinct(
            [
                *[self.dishes.get(one["dish_id"]) for one in changed_batches],
                *[self.dishes.get(key) for key in former_dish_ids],
            ]
        ):
            if one_dish["id"] in self.dishes and self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_11(one_batch):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: take {self.recipes[dish['recipe_id']]['name']} off the menu of "
                f"{self.events[dish['event_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cook_batch(
        self,
        dish_id: str,
        portions: Annotated[int, {"minimum": 1, "maximum": 200}] | None = None,
    ) -> Result:
        """Cook a batch for a dish, all that lacks unless a number of portions is named, out of the fitting lots that
        run out first.

        Args:
            dish_id (str): Id of the dish, such as DISH-00001.
            portions (int, optional): Portions to cook now, at most those the dish lacks, from 1 to 200. If left
                out, all portions that the dish lacks are cooked.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dish = self.dishes.get(dish_id)
        if dish is None:
            return _refused(f"There is no dish {dish_id!r}.")
        if self.events[dish["event_id"]]["status"] != "planned":
            return _refused(f"{self.events[dish['event_id']]['name']} is {self.events[dish['event_id']]['status']}.")
        if self.events[dish["event_id"]]["on"] < self.now[:10]:
            return _refused(f"{self.events[dish['event_id']]['name']} was on {self.events[dish['event_id']]['on']}.")
        if _plus_days(self.now[:10], self.recipes[dish["recipe_id"]]["keeps"]) < self.events[dish["event_id"]]["on"]:
            return _refused(
                f"{self.recipes[dish['recipe_id']]['name']} keeps {self.recipes[dish['recipe_id']]['keeps']} "
                f"days, so it is too early to cook it for {self.events[dish['event_id']]['on']}."
            )
        n = portions if portions is not None else self._dish_lacking(dish)
        if n <= 0 or self._dish_lacking(dish) <= 0:
            return _refused(
                f"Enough {self.recipes[dish['recipe_id']]['name']} is cooked for "
                f"{self.events[dish['event_id']]['name']}."
            )
        if n > self._dish_lacking(dish):
            return _refused(
                f"{self._dish_lacking(dish)} portions of {self.recipes[dish['recipe_id']]['name']} are lacking "
                f"for {self.events[dish['event_id']]['name']}, not {n}."
            )
        short = next(
            (
                self.ingredients[m["ingredient_id"]]
                for m in self._needs_of(self.recipes[dish["recipe_id"]])
                if self._stock_for(self.ingredients[m["ingredient_id"]], self.events[dish["event_id"]]) < self._grams_for(
                    self.recipes[dish["recipe_id"]],
                    self.ingredients[m["ingredient_id"]],
                ) * n
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"{self._grams_for(self.recipes[dish['recipe_id']], short) * n} grams of {short['name']} are "
                f"needed and {self._stock_for(short, self.events[dish['event_id']])} are there that "
                f"{self.events[dish['event_id']]['name']} can have."
            )
        self._journal = []
        added_uses: list[Any] = []
        changed_lots: list[Any] = []
        changed_batches: list[Any] = []
        if not 1 <= n <= 200:
            return self._take_back("The portions of a batch must be between 1 and 200.")
        batch: Batch = {
            "id": self._new_id("batch", "BATCH", self.batches),
            "recipe_id": dish["recipe_id"],
            "portions": n,
            "dish_id": dish_id,
            "made_on": self.now[:10],
            "use_by": _plus_days(self.now[:10], self.recipes[dish["recipe_id"]]["keeps"]),
            "status": "ready",
        }
        self._add("batches", batch)
        for m in list(self._needs_of(self.recipes[dish["recipe_id"]])):
            open = m["grams"] * n
            for l in sorted(
                [
                    l
                    for l in self._lots_by_ingredient.get(m["ingredient_id"], {}).values()
                    if self._usable(l, self.events[dish["event_id"]])
                ],
                key=lambda l: (l["use_by"], l["code"], _age(l)),
            ):
                part = min(l["left"], open)
                if part > 0:
                    if not 1 <= part <= 200000:
                        return self._take_back("The grams of an use must be between 1 and 200000.")
                    use = {
                        "id": self._new_id("use", "USE", self.uses),
                        "batch_id": batch["id"],
                        "lot_id": l["id"],
                        "grams": part,
                    }
                    self._add("uses", use)
                    added_uses.append(use)
                    left = l["left"] - part
                    if not 0 <= left <= 200000:
                        return self._take_back(f"The left of {l['code']} must be between 0 and 200000.")
                    changed_lots.append(l)
                    self._put("lots", l, "left", left)
                    changed_batches.append(batch)
                    self._put("batches", batch, "use_by", min(batch["use_by"], l["use_by"]))
                    open = open - part
        for one_lot in _distinct([*[self.lots[one["lot_id"]] for one in added_uses], *changed_lots]):
            if self._breaks_rule_1(one_lot):
                return self._take_back(RULES[0])
        for one_batch in _distinct([batch, *[self.batches[one["batch_id"]] for one in added_uses]]):
            if self._breaks_rule_2_b(one_batch):
                return self._take_back(RULES[1])
        for one_need in _distinct(
            [
                user
                for one in [
                    self.ingredients[one["ingredient_id"]]
                    for one in [self.lots[one["lot_id"]] for one in added_uses]
                ]
                for user in self._needs_by_ingredient.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_2_n(one_need):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        for one_batch in _distinct([batch, *changed_batches]):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_use in _distinct(added_uses):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        for one_use in _distinct(added_uses):
            if self._breaks_rule_7(one_use):
                return self._take_back(RULES[6])
        for one_dish in _distinct([self.dishes.get(batch["dish_id"])]):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(batch):
            return self._take_back(RULES[10])
        done = f"cook {self.recipes[dish['recipe_id']]['name']} for {self.events[dish['event_id']]['name']}"
        if portions is not None:
            done += f", {portions} portions"
        return {
            "success": True,
            "message": f"Done: {done} (new: batch {batch['id']}).",
            "data": {"batch_id": batch["id"], **self._changes()},
        }

    def set_aside(self, batch_id: str, dish_id: str) -> Result:
        """Set a batch aside for a dish on another menu, or for one after it became free.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            dish_id (str): Id of the dish, such as DISH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        dish = self.dishes.get(dish_id)
        if dish is None:
            return _refused(f"There is no dish {dish_id!r}.")
        if batch["status"] != "ready":
            return _refused(f"That batch is {batch['status']}.")
        if batch["dish_id"] == dish_id:
            return _refused(f"That batch is for {self.events[dish['event_id']]['name']} already.")
        if self.events[dish["event_id"]]["status"] != "planned":
            return _refused(f"{self.events[dish['event_id']]['name']} is {self.events[dish['event_id']]['status']}.")
        if batch["recipe_id"] != dish["recipe_id"]:
            return _refused(
                f"That batch is {self.recipes[batch['recipe_id']]['name']}, not "
                f"{self.recipes[dish['recipe_id']]['name']}."
            )
        if batch["use_by"] < self.events[dish["event_id"]]["on"]:
            return _refused(f"That batch keeps until {batch['use_by']} only.")
        if self._unsafe(batch, self.events[dish["event_id"]]):
            return _refused(f"That batch may contain something {self.events[dish['event_id']]['name']} must avoid.")
        self._journal = []
        former_dish_id = batch["dish_id"]
        self._put("batches", batch, "dish_id", dish_id)
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(batch):
            return self._take_back(RULES[3])
        for one_use in _distinct(self._uses_by_batch.get(batch["id"], {}).values()):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        for one_dish in _distinct([self.dishes.get(batch["dish_id"]), self.dishes.get(former_dish_id)]):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(batch):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: set a batch of {self.recipes[batch['recipe_id']]['name']} aside for "
                f"{self.events[dish['event_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def discard_batch(self, batch_id: str) -> Result:
        """Throw a batch away.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "ready":
            return _refused(f"That batch is {batch['status']}.")
        self._journal = []
        former_dish_id = batch["dish_id"]
        self._put("batches", batch, "dish_id", None)
        self._put("batches", batch, "status", "discarded")
        if self._breaks_rule_3(batch):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(batch):
            return self._take_back(RULES[3])
        for one_use in _distinct(self._uses_by_batch.get(batch["id"], {}).values()):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        for one_use in _distinct(self._uses_by_batch.get(batch["id"], {}).values()):
            if self._breaks_rule_7(one_use):
                return self._take_back(RULES[6])
        for one_dish in _distinct([self.dishes.get(batch["dish_id"]), self.dishes.get(former_dish_id)]):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(batch):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: discard a batch of {self.recipes[batch['recipe_id']]['name']}.",
            "data": self._changes(),
        }

    def serve_event(self, event_id: str) -> Result:
        """Serve an event on its day, with enough of every dish.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "planned":
            return _refused(f"{event['name']} is {event['status']}.")
        if event["on"] > self.now[:10]:
            return _refused(f"{event['name']} is on {event['on']}.")
        if not self._dishes_by_event.get(event_id, {}):
            return _refused(f"{event['name']} has no menu.")
        short = next(
            (
                d
                for d in sorted(self._dishes_by_event.get(event_id, {}).values(), key=_age)
                if self._dish_lacking(d) > 0
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"{self._dish_lacking(short)} portions of {self.recipes[short['recipe_id']]['name']} are lacking, "
                "so cook them first."
            )
        stale = next(
            (
                b
                for b in sorted(
                    [
                        b
                        for _dish in self._dishes_by_event.get(event_id, {}).values()
                        for b in self._batches_by_dish.get(_dish["id"], {}).values()
                    ],
                    key=_age,
                )
                if b["dish_id"] is not None
                and b["use_by"] < self.now[:10]
            ),
            None,
        )
        if stale is not None:
            return _refused(
                f"The {self.recipes[stale['recipe_id']]['name']} for {event['name']} kept until {stale['use_by']} "
                "only, so discard that batch and cook anew."
            )
        self._journal = []
        changed_batches: list[Any] = []
        for b in [
            b
            for b in sorted(
                [
                    b
                    for _dish in self._dishes_by_event.get(event_id, {}).values()
                    for b in self._batches_by_dish.get(_dish["id"], {}).values()
                ],
                key=_age,
            )
            if b["dish_id"] is not None
        ]:
            if b["status"] not in ("ready", "served"):
                return self._take_back(f"Batch {b['id']} cannot go from {b['status']} to served.")
            changed_batches.append(b)
            self._put("batches", b, "status", "served")
        self._put("events", event, "status", "served")
        for one_use in _distinct(
            [user for one in changed_batches for user in self._uses_by_batch.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_use):
                return self._take_back(RULES[6])
        if any(self._breaks_rule_9(one_event) for one_event in self.events.values()):
            return self._take_back(RULES[8])
        for one_dish in _distinct(self._dishes_by_event.get(event["id"], {}).values()):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_11(one_batch):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: serve {event['name']}.", "data": self._changes()}

    def cancel_event(self, event_id: str) -> Result:
        """Cancel an event; what was cooked for it is free for others.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "planned":
            return _refused(f"{event['name']} is {event['status']}.")
        self._journal = []
        changed_batches: list[Any] = []
        former_dish_ids: list[Any] = []
        for b in [
            b
            for b in sorted(
                [
                    b
                    for _dish in self._dishes_by_event.get(event_id, {}).values()
                    for b in self._batches_by_dish.get(_dish["id"], {}).values()
                ],
                key=_age,
            )
            if b["dish_id"] is not None
        ]:
            changed_batches.append(b)
            former_dish_ids.append(b["dish_id"])
            self._put("batches", b, "dish_id", None)
        self._put("events", event, "status", "cancelled")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_3(one_batch):
                return self._take_back(RULES[2])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_4(one_batch):
                return self._take_back(RULES[3])
        for one_use in _distinct(
            [user for one in changed_batches for user in self._uses_by_batch.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_6(one_use):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_9(one_event) for one_event in self.events.values()):
            return self._take_back(RULES[8])
        for one_dish in _distinct(
            [
                *[self.dishes.get(one["dish_id"]) for one in changed_batches],
                *[self.dishes.get(key) for key in former_dish_ids],
                *self._dishes_by_event.get(event["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_10(one_dish):
                return self._take_back(RULES[9])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_11(one_batch):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: cancel {event['name']}.", "data": self._changes()}

    def _show_lot(self, lot: Lot) -> dict[str, Any]:
        """The lot as an answer shows it."""
        return {**lot, "traces": [*lot["traces"]]}

    def _show_recipe(self, recipe: Recipe) -> dict[str, Any]:
        """The recipe as an answer shows it."""
        return {**recipe, "base_ids": [*recipe["base_ids"]], "allergens": self._recipe_allergens(recipe)}

    def _show_event(self, event: Event) -> dict[str, Any]:
        """The event as an answer shows it."""
        return {**event, "avoids": [*event["avoids"]]}

    def _show_dish(self, dish: Dish) -> dict[str, Any]:
        """The dish as an answer shows it."""
        return {**dish, "cooked": self._dish_cooked(dish), "lacking": self._dish_lacking(dish)}

    def _names_of_lots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lots point to."""
        return _names((self.ingredients, "name", [row["ingredient_id"] for row in shown]))

    def _names_of_recipes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that recipes point to."""
        return _names((self.recipes, "name", [each for row in shown for each in row["base_ids"]]))

    def _names_of_needs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that needs point to."""
        return _names(
            (self.recipes, "name", [row["recipe_id"] for row in shown]),
            (self.ingredients, "name", [row["ingredient_id"] for row in shown]),
        )

    def _names_of_dishes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that dishes point to."""
        return _names(
            (self.events, "name", [row["event_id"] for row in shown]),
            (self.recipes, "name", [row["recipe_id"] for row in shown]),
        )

    def _names_of_batches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that batches point to."""
        return _names((self.recipes, "name", [row["recipe_id"] for row in shown]))

    def _names_of_uses(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that uses point to."""
        return _names((self.lots, "code", [row["lot_id"] for row in shown]))

    def _recipe_allergens(self, recipe: Recipe) -> list[str]:
        """The allergens of a recipe."""
        return [
            self.ingredients[n["ingredient_id"]]["allergen"]
            for n in sorted(
                _distinct(
                    [
                        n
                        for key in [
                            recipe["id"],
                            *[record["id"] for record in _above(self.recipes, recipe, "base_ids")],
                        ]
                        for n in self._needs_by_recipe.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if self.ingredients[n["ingredient_id"]]["allergen"] is not None
        ]

    def _dish_cooked(self, dish: Dish) -> int:
        """The cooked of a dish."""
        return sum(b["portions"] for b in self._batches_by_dish.get(dish["id"], {}).values())

    def _dish_lacking(self, dish: Dish) -> int:
        """The lacking of a dish."""
        return max(0, dish["portions"] - self._dish_cooked(dish))

    def _needs_of(self, r: Recipe) -> list[Need]:
        return sorted(
            _distinct(
                [
                    n
                    for key in [r["id"], *[record["id"] for record in _above(self.recipes, r, "base_ids")]]
                    for n in self._needs_by_recipe.get(key, {}).values()
                ]
            ),
            key=_age,
        )

    def _grams_for(self, r: Recipe, i: Ingredient) -> int:
        return sum(n["grams"] for n in self._needs_of(r) if n["ingredient_id"] == i["id"])

    def _usable(self, l: Lot, e: Event) -> bool:
        return (
            not l["blocked"]
            and l["left"] > 0
            and l["use_by"] >= e["on"]
            and not any(t in e["avoids"] for t in l["traces"])
        )

    def _stock_for(self, i: Ingredient, e: Event) -> int:
        return sum(l["left"] for l in self._lots_by_ingredient.get(i["id"], {}).values() if self._usable(l, e))

    def _unfit(self, r: Recipe, e: Event) -> bool:
        return any(a in e["avoids"] for a in self._recipe_allergens(r))

    def _unsafe(self, b: Batch, e: Event) -> bool:
        return any(
            t in e["avoids"]
            for u in self._uses_by_batch.get(b["id"], {}).values()
            for t in self.lots[u["lot_id"]]["traces"]
        )

    def _from_lot(self, b: Batch, l: Lot) -> bool:
        return any(u["lot_id"] == l["id"] for u in self._uses_by_batch.get(b["id"], {}).values())

    def _breaks_rule_1(self, l: Lot) -> bool:
        """Whether this is broken: what is left of a lot and what was cooked of it are what came in."""
        return l["left"] + sum(u["grams"] for u in self._uses_by_lot.get(l["id"], {}).values()) != l["amount"]

    def _breaks_rule_2_b(self, b: Batch) -> bool:
        """Whether this is broken: a batch holds at least what its recipe needs for its portions."""
        return any(
            sum(
                u["grams"]
                for u in self._uses_by_batch.get(b["id"], {}).values()
                if self.lots[u["lot_id"]]["ingredient_id"] == n["ingredient_id"]
            ) < n["grams"] * b["portions"]
            for n in self._needs_by_recipe.get(b["recipe_id"], {}).values()
        )

    def _breaks_rule_2_n(self, n: Need) -> bool:
        """Whether this is broken: a batch holds at least what its recipe needs for its portions."""
        return any(
            sum(
                u["grams"]
                for u in self._uses_by_batch.get(b["id"], {}).values()
                if self.lots[u["lot_id"]]["ingredient_id"] == n["ingredient_id"]
            ) < n["grams"] * b["portions"]
            for b in self._batches_by_recipe.get(n["recipe_id"], {}).values()
        )

    def _breaks_rule_3(self, b: Batch) -> bool:
        """Whether this is broken: a batch is set aside only for a dish of its own recipe."""
        return b["dish_id"] is not None and self.dishes[b["dish_id"]]["recipe_id"] != b["recipe_id"]

    def _breaks_rule_4(self, b: Batch) -> bool:
        """Whether this is broken: a batch set aside keeps until the day of the event."""
        return b["dish_id"] is not None and b["use_by"] < self.events[self.dishes[b["dish_id"]]["event_id"]]["on"]

    def _breaks_rule_5(self, d: Dish) -> bool:
        """Whether this is broken: no dish contains what its event must avoid."""
        return any(
            a in self.events[d["event_id"]]["avoids"]
            for a in self._recipe_allergens(self.recipes[d["recipe_id"]])
        )

    def _breaks_rule_6(self, u: Use) -> bool:
        """Whether this is broken: no batch set aside for an event came in touch with what that event must avoid."""
        return (
            self.batches[u["batch_id"]]["dish_id"] is not None
            and not (
                not any(
                    t in self.events[self.dishes[self.batches[u["batch_id"]]["dish_id"]]["event_id"]]["avoids"]
                    for t in self.lots[u["lot_id"]]["traces"]
                )
                and self.ingredients[self.lots[u["lot_id"]]["ingredient_id"]]["allergen"] not in self.events[
                    self.dishes[self.batches[u["batch_id"]]["dish_id"]]["event_id"]
                ]["avoids"]
            )
        )

    def _breaks_rule_7(self, u: Use) -> bool:
        """Whether this is broken: nothing that waits to be served comes from a blocked lot."""
        return self.batches[u["batch_id"]]["status"] == "ready" and self.lots[u["lot_id"]]["blocked"]

    def _breaks_rule_8_d(self, d: Dish) -> bool:
        """Whether this is broken: a dish stands on a menu once, for no more people than come."""
        return any(
            other_d is not d
            for other_d in self._dishes_by_event_recipe.get((d["event_id"], d["recipe_id"]), {}).values()
        )

    def _breaks_rule_8_d_again(self, d: Dish) -> bool:
        """Whether this is broken: a dish stands on a menu once, for no more people than come."""
        return d["portions"] > self.events[d["event_id"]]["guests"]

    def _breaks_rule_9(self, e: Event) -> bool:
        """Whether this is broken: the kitchen serves at most 320 guests a day."""
        return (
            e["status"] != "cancelled"
            and sum(
                f["guests"]
                for f in self._events_by_on.get(e["on"], {}).values()
                if f["status"] != "cancelled"
            ) > 320
        )

    def _breaks_rule_10(self, d: Dish) -> bool:
        """Whether this is broken: whatever was served had enough cooked."""
        return self.events[d["event_id"]]["status"] == "served" and self._dish_lacking(d) != 0

    def _breaks_rule_11(self, b: Batch) -> bool:
        """Whether this is broken: a discarded batch is set aside for nobody."""
        return b["status"] == "discarded" and b["dish_id"] is not None

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
            case "lots":
                self._lots_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._lots_by_ingredient.setdefault(record["ingredient_id"], {})[record["id"]] = record
            case "needs":
                self._needs_by_ingredient.setdefault(record["ingredient_id"], {})[record["id"]] = record
                self._needs_by_recipe.setdefault(record["recipe_id"], {})[record["id"]] = record
            case "events":
                self._events_by_name_status.setdefault((record["name"], record["status"]), {})[record["id"]] = record
                self._events_by_on.setdefault(record["on"], {})[record["id"]] = record
            case "dishes":
                self._dishes_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._dishes_by_event_recipe.setdefault(
                    (record["event_id"], record["recipe_id"]),
                    {},
                )[record["id"]] = record
            case "batches":
                self._batches_by_dish.setdefault(record["dish_id"], {})[record["id"]] = record
                self._batches_by_recipe.setdefault(record["recipe_id"], {})[record["id"]] = record
            case "uses":
                self._uses_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
                self._uses_by_lot.setdefault(record["lot_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lots":
                del self._lots_by_code[record["code"]][record["id"]]
                del self._lots_by_ingredient[record["ingredient_id"]][record["id"]]
            case "needs":
                del self._needs_by_ingredient[record["ingredient_id"]][record["id"]]
                del self._needs_by_recipe[record["recipe_id"]][record["id"]]
            case "events":
                del self._events_by_name_status[record["name"], record["status"]][record["id"]]
                del self._events_by_on[record["on"]][record["id"]]
            case "dishes":
                del self._dishes_by_event[record["event_id"]][record["id"]]
                del self._dishes_by_event_recipe[record["event_id"], record["recipe_id"]][record["id"]]
            case "batches":
                del self._batches_by_dish[record["dish_id"]][record["id"]]
                del self._batches_by_recipe[record["recipe_id"]][record["id"]]
            case "uses":
                del self._uses_by_batch[record["batch_id"]][record["id"]]
                del self._uses_by_lot[record["lot_id"]][record["id"]]
