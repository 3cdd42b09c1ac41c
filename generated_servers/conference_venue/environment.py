"""Conference venue. Compiled from blueprint.yaml; run `envscaler build conference_venue` after changing it there.

Sells halls that can be combined or divided, first as options that lapse and queue behind each other, then as
confirmed events with changeover time, equipment out of common pools and catering counts that close before the
day.
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
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Confirmed events in halls that share space leave each other the changeover time.",
    "No event has more guests than its hall takes in that layout.",
    "No equipment is promised beyond its pool at any time.",
    "An event hires an item in one line and orders each kind of meal once a day.",
    "No meal is ordered for more people than the event has guests.",
    "Meals are served on the days of the event.",
    "The kitchen serves no more than 700 people one kind of meal on a day.",
    "A combined hall is used only while its walls can be moved.",
    "A blocked client holds no option.",
    "Only cancelled events cost a cancellation fee.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_option",
    "extend_option",
    "confirm_event",
    "give_up_event",
    "change_setup",
    "hire_item",
    "return_item",
    "order_meal",
    "change_count",
    "finish_event",
    "set_wall",
)
"""The methods that may change something; all others only read."""

EVENT_STATUS_MOVES = {
    ("option", "confirmed"),
    ("option", "lapsed"),
    ("option", "released"),
    ("confirmed", "cancelled"),
    ("confirmed", "done"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "halls": ("name",),
    "clients": ("name",),
    "events": ("title",),
    "items": ("name",),
    "hires": (),
    "meals": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("events", "hall_id"),
    ("events", "status"),
    ("events", "title"),
    ("halls", "part_of_id"),
    ("hires", "event_id"),
    ("hires", "item_id"),
    ("meals", "event_id"),
    ("meals", "kind"),
    ("meals", "on"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Hall(TypedDict):
    id: str
    name: str
    seats: int
    price: int
    changeover: int
    part_of_id: str | None
    wall_works: bool


class Client(TypedDict):
    id: str
    name: str
    blocked: bool


class Event(TypedDict):
    id: str
    title: str
    client_id: str
    hall_id: str
    layout: Literal["theatre", "banquet", "classroom"]
    guests: int
    starts: str
    ends: str
    asked_at: str
    option_until: str
    fee: int
    status: Literal["option", "confirmed", "lapsed", "released", "cancelled", "done"]


class Item(TypedDict):
    id: str
    name: str
    pool: int
    rate: int


class Hire(TypedDict):
    id: str
    event_id: str
    item_id: str
    number: int


class Meal(TypedDict):
    id: str
    event_id: str
    kind: Literal["coffee", "lunch", "dinner"]
    on: str
    people: int
    per_head: int


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class ConferenceVenue:
    """Sells halls that can be combined or divided, first as options that lapse and queue behind each
    other, then as confirmed events with changeover time, equipment out of common pools and catering
    counts that close before the day.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.halls: dict[str, Hall] = _copied(config.get("halls", {}))
        self.clients: dict[str, Client] = _copied(config.get("clients", {}))
        self.events: dict[str, Event] = _copied(config.get("events", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.hires: dict[str, Hire] = _copied(config.get("hires", {}))
        self.meals: dict[str, Meal] = _copied(config.get("meals", {}))
        self.now: str = config.get("now", "2026-04-13T09:05")
        self.counters: dict[str, int] = {
            "hall": len(self.halls),
            "client": len(self.clients),
            "event": len(self.events),
            "item": len(self.items),
            "hire": len(self.hires),
            "meal": len(self.meals),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._halls_by_part_of: dict[Any, dict[str, Hall]] = {}
        self._events_by_hall: dict[Any, dict[str, Event]] = {}
        self._events_by_lower_title: dict[Any, dict[str, Event]] = {}
        self._events_by_status: dict[Any, dict[str, Event]] = {}
        self._events_by_title: dict[Any, dict[str, Event]] = {}
        self._hires_by_event: dict[Any, dict[str, Hire]] = {}
        self._hires_by_event_item: dict[Any, dict[str, Hire]] = {}
        self._hires_by_item: dict[Any, dict[str, Hire]] = {}
        self._meals_by_event: dict[Any, dict[str, Meal]] = {}
        self._meals_by_event_kind: dict[Any, dict[str, Meal]] = {}
        self._meals_by_kind_on: dict[Any, dict[str, Meal]] = {}
        for hall in self.halls.values():
            self._link("halls", hall)
        for event in self.events.values():
            self._link("events", event)
        for hire in self.hires.values():
            self._link("hires", hire)
        for meal in self.meals.values():
            self._link("meals", meal)

    def halls_for(
        self,
        starts: DateTime,
        duration: Annotated[int, {"minimum": 2, "maximum": 34}],
        guests: Annotated[int, {"minimum": 5, "maximum": 2000}],
        layout: Literal["theatre", "banquet", "classroom"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Halls that are free of confirmed events at a time and take the guests, the tightest fit first, with the
        options already on them.

        Args:
            starts (str): Start of the event, as YYYY-MM-DDTHH:MM.
            duration (int): Length of the event in hours, from 2 to 34.
            guests (int): Number of guests who are expected, from 5 to 2000.
            layout (str): How the hall would be set up: theatre, banquet or classroom.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "halls": records}} or {"success": False, "error": why
                not}
        """
        ends = _plus_minutes(starts, duration * 60)
        found = [
            h
            for h in self.halls.values()
            if (h["wall_works"] and self._room_for(h, layout) >= guests)
            and not any(
                self._meets(o, h, layout, starts, ends)
                for o in _distinct(
                    [
                        o
                        for key in [
                            h["id"],
                            *[record["id"] for record in _above(self.halls, h, "part_of_id")],
                            *[record["id"] for record in _below(self._halls_by_part_of, h)],
                        ]
                        for o in self._events_by_hall.get(key, {}).values()
                    ]
                )
                if o["status"] == "confirmed"
            )
        ]
        found.sort(key=lambda h: (h["seats"], h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "halls": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "takes": self._room_for(h, layout),
                        "price": h["price"],
                        "options": sum(
                            1
                            for o in _distinct(
                                [
                                    o
                                    for key in [
                                        h["id"],
                                        *[record["id"] for record in _above(self.halls, h, "part_of_id")],
                                        *[record["id"] for record in _below(self._halls_by_part_of, h)],
                                    ]
                                    for o in self._events_by_hall.get(key, {}).values()
                                ]
                            )
                            if o["status"] == "option"
                            and self._meets(o, h, layout, starts, ends)
                        ),
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def option_queue(self, event_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The option that is first in line and those behind it, for the time and place of an event.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}} or {"success": False, "error": why
                not}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        found = [
            o
            for o in _distinct(
                [
                    *_those(self.events, [event_id]),
                    *[
                        o
                        for key in [
                            event["hall_id"],
                            *[
                                record["id"]
                                for record in _above(self.halls, self.halls[event["hall_id"]], "part_of_id")
                            ],
                            *[
                                record["id"]
                                for record in _below(self._halls_by_part_of, self.halls[event["hall_id"]])
                            ],
                        ]
                        for o in self._events_by_hall.get(key, {}).values()
                    ],
                ]
            )
            if (
                o["status"] == "option"
                and (
                    o is event
                    or self._meets(o, self.halls[event["hall_id"]], event["layout"], event["starts"], event["ends"])
                )
            )
        ]
        found.sort(key=lambda o: (o["asked_at"], o["id"], _age(o)))
        return _found(
            {
                "total": len(found),
                "events": [
                    {
                        "id": o["id"],
                        "title": o["title"],
                        "client": self.clients[o["client_id"]]["name"],
                        "hall": self.halls[o["hall_id"]]["name"],
                        "asked_at": o["asked_at"],
                        "option_until": o["option_until"],
                    }
                    for o in _page(found, offset)
                ],
            }
        )

    def equipment_left(self, event_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What is left of each item at the time of an event, the event itself not counted.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        found = [i for i in self.items.values()]
        found.sort(key=lambda i: (i["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "items": [
                    {"id": i["id"], "name": i["name"], "left": i["pool"] - self._in_use(i, event)}
                    for i in _page(found, offset)
                ],
            }
        )

    def kitchen_sheet(self, on: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Meals to be served on a day.

        Args:
            on (str): Day on which the meals are served, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meals": records}} or {"success": False, "error": why
                not}
        """
        found = [m for m in self.meals.values() if (m["on"] == on and self._live(self.events[m["event_id"]]))]
        found.sort(key=lambda m: (m["kind"], self.events[m["event_id"]]["title"], _age(m)))
        return _found(
            {
                "total": len(found),
                "meals": [
                    {
                        "id": m["id"],
                        "kind": m["kind"],
                        "event": self.events[m["event_id"]]["title"],
                        "hall": self.halls[self.events[m["event_id"]]["hall_id"]]["name"],
                        "people": m["people"],
                        "closes": self._meal_closes(m),
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def list_halls(
        self,
        name: Text | None = None,
        part_of_id: str | None = None,
        wall_works: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the halls, oldest first, all of them or only some.

        Args:
            name (str, optional): Only halls whose name contains this text.
            part_of_id (str, optional): Only halls part of this hall.
            wall_works (bool, optional): Only halls with this value of `wall_works`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "halls": records}}
        """
        if part_of_id is not None and part_of_id not in self.halls:
            return _refused(f"There is no hall {part_of_id!r}.")
        found = [
            hall
            for hall in self.halls.values()
            if (name is None or name.casefold() in hall["name"].casefold())
            and (part_of_id is None or hall["part_of_id"] == part_of_id)
            and (wall_works is None or hall["wall_works"] == wall_works)
        ]
        shown = [{**hall} for hall in _page(found, offset)]
        return _found({"total": len(found), "halls": shown}, self._names_of_halls(shown))

    def list_clients(
        self,
        name: Text | None = None,
        blocked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clients whose name contains this text.
            blocked (bool, optional): Only clients that are blocked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clients": records}}
        """
        found = [
            client
            for client in self.clients.values()
            if (name is None or name.casefold() in client["name"].casefold())
            and (blocked is None or client["blocked"] == blocked)
        ]
        return _found({"total": len(found), "clients": [{**client} for client in _page(found, offset)]})

    def list_events(
        self,
        title: Text | None = None,
        client_id: str | None = None,
        hall_id: str | None = None,
        layout: Literal["theatre", "banquet", "classroom"] | None = None,
        status: Literal["option", "confirmed", "lapsed", "released", "cancelled", "done"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the events, oldest first, all of them or only some.

        Args:
            title (str, optional): Only events whose title contains this text.
            client_id (str, optional): Only events of this client.
            hall_id (str, optional): Only events of this hall.
            layout (str, optional): Only events with this layout.
            status (str, optional): Only events with this status.
            starts_from (str, optional): Only events whose `starts` is on this day or later.
            starts_to (str, optional): Only events whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}}
        """
        if client_id is not None and client_id not in self.clients:
            return _refused(f"There is no client {client_id!r}.")
        if hall_id is not None and hall_id not in self.halls:
            return _refused(f"There is no hall {hall_id!r}.")
        found = [
            event
            for event in self.events.values()
            if (title is None or title.casefold() in event["title"].casefold())
            and (client_id is None or event["client_id"] == client_id)
            and (hall_id is None or event["hall_id"] == hall_id)
            and (layout is None or event["layout"] == layout)
            and (status is None or event["status"] == status)
            and (starts_from is None or event["starts"][:10] >= starts_from)
            and (starts_to is None or event["starts"][:10] <= starts_to)
        ]
        shown = [self._show_event(event) for event in _page(found, offset)]
        return _found({"total": len(found), "events": shown}, self._names_of_events(shown))

    def list_items(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            name (str, optional): Only items whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        found = [item for item in self.items.values() if (name is None or name.casefold() in item["name"].casefold())]
        return _found({"total": len(found), "items": [{**item} for item in _page(found, offset)]})

    def list_hires(
        self,
        event_id: str | None = None,
        item_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hires, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only hires of this event.
            item_id (str, optional): Only hires of this item.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hires": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        if item_id is not None and item_id not in self.items:
            return _refused(f"There is no item {item_id!r}.")
        found = [
            hire
            for hire in self.hires.values()
            if (event_id is None or hire["event_id"] == event_id)
            and (item_id is None or hire["item_id"] == item_id)
        ]
        shown = [{**hire} for hire in _page(found, offset)]
        return _found({"total": len(found), "hires": shown}, self._names_of_hires(shown))

    def list_meals(
        self,
        event_id: str | None = None,
        kind: Literal["coffee", "lunch", "dinner"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meals, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only meals of this event.
            kind (str, optional): Only meals with this kind.
            on_from (str, optional): Only meals whose `on` is on this day or later.
            on_to (str, optional): Only meals whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meals": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        found = [
            meal
            for meal in self.meals.values()
            if (event_id is None or meal["event_id"] == event_id)
            and (kind is None or meal["kind"] == kind)
            and (on_from is None or meal["on"] >= on_from)
            and (on_to is None or meal["on"] <= on_to)
        ]
        shown = [self._show_meal(meal) for meal in _page(found, offset)]
        return _found({"total": len(found), "meals": shown}, self._names_of_meals(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_option(
        self,
        client_id: str,
        title: Text,
        hall_id: str,
        layout: Literal["theatre", "banquet", "classroom"],
        guests: Annotated[int, {"minimum": 5, "maximum": 2000}],
        starts: DateTime,
        duration: Annotated[int, {"minimum": 2, "maximum": 34}],
    ) -> Result:
        """Take an option on a hall for a client, first in line or behind options taken before; it lapses after twelve
        days or five days before the event.

        Args:
            client_id (str): Id of the client, such as CLIENT-00001.
            title (str): New title of the event, not used before.
            hall_id (str): Id of the hall, such as HALL-00001.
            layout (str): How the hall is set up: theatre, banquet or classroom.
            guests (int): Number of guests, at most those the layout has room for, from 5 to 2000.
            starts (str): Start of the event, at least six days ahead, as YYYY-MM-DDTHH:MM.
            duration (int): Length of the event in hours, from 2 to 34.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        hall = self.halls.get(hall_id)
        if hall is None:
            return _refused(f"There is no hall {hall_id!r}.")
        if client["blocked"]:
            return _refused(f"{client['name']} is blocked by accounting.")
        if self._events_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is an event called {title} already.")
        if starts[:10] < _plus_days(self.now[:10], 6):
            return _refused(f"Options are taken for {_plus_days(self.now[:10], 6)} or later.")
        if not hall["wall_works"]:
            return _refused(f"The walls of {hall['name']} are out of order.")
        if guests > self._room_for(hall, layout):
            return _refused(f"{hall['name']} takes {self._room_for(hall, layout)} people as {layout}, not {guests}.")
        ends = _plus_minutes(starts, duration * 60)
        other = next(
            (
                o
                for o in sorted(
                    _distinct(
                        [
                            o
                            for key in [
                                hall_id,
                                *[record["id"] for record in _above(self.halls, hall, "part_of_id")],
                                *[record["id"] for record in _below(self._halls_by_part_of, hall)],
                            ]
                            for o in self._events_by_hall.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if o["status"] == "confirmed"
                and self._meets(o, hall, layout, starts, ends)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{other['title']} is confirmed in {self.halls[other['hall_id']]['name']} from {other['starts']} "
                f"to {other['ends']}, changeover not counted."
            )
        self._journal = []
        event: Event = {
            "id": self._new_id("event", "EVENT", self.events),
            "title": title,
            "client_id": client_id,
            "hall_id": hall_id,
            "layout": layout,
            "guests": guests,
            "starts": starts,
            "ends": ends,
            "asked_at": self.now,
            "option_until": min(_plus_days(self.now[:10], 12), _plus_days(starts[:10], -5)),
            "fee": 0,
            "status": "option",
        }
        self._add("events", event)
        if len(self._events_by_title.get(event["title"], {})) > 1:
            return self._take_back(f"There is already an event with the title {event['title']!r}.")
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        if self._breaks_rule_8(event):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(event):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(event):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: take an option on {hall['name']} for {title} of {client['name']} (new: event {event['id']})."
            ),
            "data": {"event_id": event["id"], **self._changes()},
        }

    def extend_option(self, event_id: str, until: Date) -> Result:
        """Let an option run longer, as long as nobody is in line behind it.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            until (str): New last day of the option, five days before the event at the latest, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "option":
            return _refused(f"{event['title']} is {event['status']}.")
        if event["option_until"] < self.now[:10]:
            return _refused(f"The option of {event['title']} ran out on {event['option_until']}, so give it up.")
        if until <= event["option_until"]:
            return _refused(f"The option of {event['title']} runs until {event['option_until']} already.")
        if until > _plus_days(event["starts"][:10], -5) or until > _plus_days(self.now[:10], 20):
            return _refused(
                "An option may run until "
                f"{min(_plus_days(event['starts'][:10], -5), _plus_days(self.now[:10], 20))} here."
            )
        next_one = self._behind(event)
        if next_one is not None:
            return _refused(
                f"{next_one['title']} of {self.clients[next_one['client_id']]['name']} is in line behind "
                f"{event['title']}."
            )
        self._journal = []
        self._put("events", event, "option_until", until)
        return {
            "success": True,
            "message": f"Done: extend the option of {event['title']} until {until}.",
            "data": self._changes(),
        }

    def confirm_event(self, event_id: str) -> Result:
        """Confirm the option that is first in line, with enough equipment left for what it hires.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "option":
            return _refused(f"{event['title']} is {event['status']}.")
        if event["option_until"] < self.now[:10]:
            return _refused(f"The option of {event['title']} ran out on {event['option_until']}.")
        earlier = self._ahead_of(event)
        if earlier is not None:
            return _refused(
                f"{earlier['title']} of {self.clients[earlier['client_id']]['name']} has the earlier option, "
                f"until {earlier['option_until']}."
            )
        taken = self._in_the_way(event, self.halls[event["hall_id"]], event["layout"])
        if taken is not None:
            return _refused(
                f"{taken['title']} is confirmed in {self.halls[taken['hall_id']]['name']} from {taken['starts']} "
                f"to {taken['ends']}."
            )
        lacking = next(
            (
                h
                for h in sorted(self._hires_by_event.get(event_id, {}).values(), key=_age)
                if self._in_use(self.items[h["item_id"]], event) + h["number"] > self.items[h["item_id"]]["pool"]
            ),
            None,
        )
        if lacking is not None:
            return _refused(
                f"Of {self.items[lacking['item_id']]['name']} only "
                f"{self.items[lacking['item_id']]['pool'] - self._in_use(self.items[lacking['item_id']], event)} "
                f"are left at that time, not {lacking['number']}."
            )
        self._journal = []
        self._put("events", event, "status", "confirmed")
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        for one_hire in _distinct(
            [
                *self._hires_by_event.get(event["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.items[one["item_id"]]
                        for one in self._hires_by_event.get(event["id"], {}).values()
                    ]
                    for user in self._hires_by_item.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_hire):
                return self._take_back(RULES[2])
        for one_meal in _distinct(self._meals_by_event.get(event["id"], {}).values()):
            if self._breaks_rule_5(one_meal):
                return self._take_back(RULES[4])
        if any(self._breaks_rule_7(one_meal) for one_meal in self.meals.values()):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(event):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(event):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(event):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: confirm {event['title']}.", "data": self._changes()}

    def give_up_event(self, event_id: str) -> Result:
        """Let an option lapse or be released, or cancel a confirmed event, which costs a quarter of the hall until 30
        days before and four fifths later; hired equipment goes back to the pool.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if not self._live(event):
            return _refused(f"{event['title']} is {event['status']}.")
        if event["status"] != "option" and event["starts"] <= self.now:
            return _refused(f"{event['title']} has begun.")
        self._journal = []
        deleted_hires: list[Any] = []
        changed_events: list[Any] = []
        changed_events_2: list[Any] = []
        for h in sorted(self._hires_by_event.get(event_id, {}).values(), key=_age):
            if h["id"] in self.hires:
                self._remove("hires", h)
            deleted_hires.append(h)
        if event["status"] == "confirmed":
            fee = (
                _rounded(Fraction(self.halls[event["hall_id"]]["price"] * 25, 100))
                if _days_between(self.now[:10], event["starts"][:10]) >= 30
                else _rounded(Fraction(self.halls[event["hall_id"]]["price"] * 80, 100))
            )
            if not 0 <= fee <= 2000000:
                return self._take_back(f"The fee of {event['title']} must be between 0.00 and 20,000.00.")
            changed_events.append(event)
            self._put("events", event, "fee", fee)
            if event["status"] not in ("confirmed", "cancelled"):
                return self._take_back(f"Event {event['title']} cannot go from {event['status']} to cancelled.")
            changed_events_2.append(event)
            self._put("events", event, "status", "cancelled")
        else:
            status = "lapsed" if event["option_until"] < self.now[:10] else "released"
            if event["status"] != status and (event["status"], status) not in EVENT_STATUS_MOVES:
                return self._take_back(f"Event {event['title']} cannot go from {event['status']} to {status}.")
            changed_events_2.append(event)
            self._put("events", event, "status", status)
        for one_event in _distinct(changed_events_2):
            if self._breaks_rule_1_a(one_event):
                return self._take_back(RULES[0])
        for one_event in _distinct(changed_events_2):
            if self._breaks_rule_1_b(one_event):
                return self._take_back(RULES[0])
        for one_event in _distinct(changed_events_2):
            if self._breaks_rule_2(one_event):
                return self._take_back(RULES[1])
        for one_hire in _distinct(
            [
                *[
                    user
                    for one in [self.items[one["item_id"]] for one in deleted_hires]
                    for user in self._hires_by_item.get(one["id"], {}).values()
                ],
                *[user for one in changed_events_2 for user in self._hires_by_event.get(one["id"], {}).values()],
                *[
                    user
                    for one in [
                        self.items[one["item_id"]]
                        for one in [
                            user
                            for one in changed_events_2
                            for user in self._hires_by_event.get(one["id"], {}).values()
                        ]
                    ]
                    for user in self._hires_by_item.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_hire["id"] in self.hires and self._breaks_rule_3(one_hire):
                return self._take_back(RULES[2])
        for one_meal in _distinct(
            [user for one in changed_events_2 for user in self._meals_by_event.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_meal):
                return self._take_back(RULES[4])
        if any(self._breaks_rule_7(one_meal) for one_meal in self.meals.values()):
            return self._take_back(RULES[6])
        for one_event in _distinct(changed_events_2):
            if self._breaks_rule_8(one_event):
                return self._take_back(RULES[7])
        for one_event in _distinct(changed_events_2):
            if self._breaks_rule_9(one_event):
                return self._take_back(RULES[8])
        for one_event in _distinct([*changed_events, *changed_events_2]):
            if self._breaks_rule_10(one_event):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: give up {event['title']}.", "data": self._changes()}

    def change_setup(
        self,
        event_id: str,
        hall_id: str | None = None,
        layout: Literal["theatre", "banquet", "classroom"] | None = None,
        guests: Annotated[int, {"minimum": 5, "maximum": 2000}] | None = None,
    ) -> Result:
        """Move an event to another hall, change its layout or the number of guests; an option that is moved goes to
        the end of the line there.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            hall_id (str, optional): Hall that the event moves to; an id such as HALL-00001. If left out, the hall
                stays the same.
            layout (str, optional): New way in which the hall is set up: theatre, banquet or classroom. If left
                out, the layout stays the same.
            guests (int, optional): New number of guests, no fewer than any meal is ordered for, from 5 to 2000. If
                left out, the number of guests stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        hall = self.halls.get(hall_id) if hall_id is not None else None
        if hall_id is not None and hall is None:
            return _refused(f"There is no hall {hall_id!r}.")
        if not (self._live(event) and event["starts"] > self.now):
            return _refused(f"{event['title']} is {event['status']} or has begun.")
        there = hall or self.halls[event["hall_id"]]
        how = layout if layout is not None else event["layout"]
        people = guests if guests is not None else event["guests"]
        if there["id"] == event["hall_id"] and how == event["layout"] and people == event["guests"]:
            return _refused(f"Nothing would change for {event['title']}.")
        if not there["wall_works"]:
            return _refused(f"The walls of {there['name']} are out of order.")
        if people > self._room_for(there, how):
            return _refused(f"{there['name']} takes {self._room_for(there, how)} people as {how}, not {people}.")
        taken = self._in_the_way(event, there, how)
        if taken is not None:
            return _refused(
                f"{taken['title']} is confirmed in {self.halls[taken['hall_id']]['name']} from {taken['starts']} "
                f"to {taken['ends']}."
            )
        meal = next(
            (m for m in sorted(self._meals_by_event.get(event_id, {}).values(), key=_age) if m["people"] > people),
            None,
        )
        if meal is not None:
            return _refused(f"{meal['kind']} is ordered for {meal['people']}, so lower that count first.")
        self._journal = []
        if event["status"] == "option" and there["id"] != event["hall_id"]:
            self._put("events", event, "asked_at", self.now)
        self._put("events", event, "hall_id", there["id"])
        self._put("events", event, "layout", how)
        if not 5 <= people <= 2000:
            return self._take_back(f"The guests of {event['title']} must be between 5 and 2000.")
        self._put("events", event, "guests", people)
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        for one_meal in _distinct(self._meals_by_event.get(event["id"], {}).values()):
            if self._breaks_rule_5(one_meal):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(event):
            return self._take_back(RULES[7])
        done = f"change the setup of {event['title']}"
        if hall is not None:
            done += f", hall {hall['name']}"
        if layout is not None:
            done += f", layout {layout}"
        if guests is not None:
            done += f", {guests} guests"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hire_item(
        self,
        event_id: str,
        item_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 400}],
    ) -> Result:
        """Hire equipment for an event, or more of it; what is confirmed must be left in the pool.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            item_id (str): Id of the item, such as ITEM-00001.
            number (int): Pieces that are added to what the event has, from 1 to 400.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        if not (self._live(event) and event["starts"] > self.now):
            return _refused(f"{event['title']} is {event['status']} or has begun.")
        old = next(
            (h for h in sorted(self._hires_by_event_item.get((event_id, item_id), {}).values(), key=_age)),
            None,
        )
        sum_wanted = (
            number
            + sum(h["number"] for h in self._hires_by_event_item.get((event_id, item_id), {}).values())
        )
        if sum_wanted > item["pool"]:
            return _refused(f"There are {item['pool']} of {item['name']} in the house.")
        if event["status"] != "option" and self._in_use(item, event) + sum_wanted > item["pool"]:
            return _refused(
                f"Of {item['name']} only {item['pool'] - self._in_use(item, event)} are left at that time."
            )
        self._journal = []
        added_hires: list[Any] = []
        changed_hires: list[Any] = []
        if old is None:
            hire = {
                "id": self._new_id("hire", "HIRE", self.hires),
                "event_id": event_id,
                "item_id": item_id,
                "number": number,
            }
            self._add("hires", hire)
            added_hires.append(hire)
        else:
            new_number = old["number"] + number
            if not 1 <= new_number <= 400:
                return self._take_back(f"The number of {old['id']} must be between 1 and 400.")
            changed_hires.append(old)
            self._put("hires", old, "number", new_number)
        for one_hire in _distinct(
            [
                *added_hires,
                *[
                    user
                    for one in [self.items[one["item_id"]] for one in added_hires]
                    for user in self._hires_by_item.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.items[one["item_id"]] for one in changed_hires]
                    for user in self._hires_by_item.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_hire):
                return self._take_back(RULES[2])
        for one_hire in _distinct(added_hires):
            if self._breaks_rule_4_h(one_hire):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: hire {number} of {item['name']} for {event['title']}.",
            "data": self._changes(),
        }

    def return_item(self, hire_id: str) -> Result:
        """Give hired equipment back to the pool before the event.

        Args:
            hire_id (str): Id of the hire, such as HIRE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hire = self.hires.get(hire_id)
        if hire is None:
            return _refused(f"There is no hire {hire_id!r}.")
        if not (self._live(self.events[hire["event_id"]]) and self.events[hire["event_id"]]["starts"] > self.now):
            return _refused(
                f"{self.events[hire['event_id']]['title']} is {self.events[hire['event_id']]['status']} or has begun."
            )
        self._journal = []
        self._remove("hires", hire)
        for one_hire in _distinct(self._hires_by_item.get(hire["item_id"], {}).values()):
            if one_hire["id"] in self.hires and self._breaks_rule_3(one_hire):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: return {hire['number']} of {self.items[hire['item_id']]['name']} from "
                f"{self.events[hire['event_id']]['title']}."
            ),
            "data": self._changes(),
        }

    def order_meal(
        self,
        event_id: str,
        kind: Literal["coffee", "lunch", "dinner"],
        on: Date,
        people: Annotated[int, {"minimum": 1, "maximum": 2000}],
    ) -> Result:
        """Order a meal for an event on one of its days; counts close four days before.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            kind (str): Kind of meal, once for each day of the event: coffee, lunch or dinner.
            on (str): Day of the event on which it is served, four days ahead or more, as YYYY-MM-DD.
            people (int): Number of people who eat, at most the guests, from 1 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if not self._live(event):
            return _refused(f"{event['title']} is {event['status']}.")
        if event["starts"][:10] > on or on > event["ends"][:10]:
            return _refused(f"{event['title']} takes place from {event['starts']} to {event['ends']}.")
        if _plus_days(on, -4) < self.now[:10]:
            return _refused(f"New orders for {on} closed on {_plus_days(on, -4)}.")
        if people > event["guests"]:
            return _refused(f"{event['title']} has {event['guests']} guests, not {people}.")
        if any(m["on"] == on for m in self._meals_by_event_kind.get((event_id, kind), {}).values()):
            return _refused(f"{event['title']} has {kind} on {on} already, so change the count.")
        if self._covers(on, kind) + people > 700:
            return _refused(f"The kitchen can serve {700 - self._covers(on, kind)} more for {kind} on {on}.")
        self._journal = []
        meal: Meal = {
            "id": self._new_id("meal", "MEAL", self.meals),
            "event_id": event_id,
            "kind": kind,
            "on": on,
            "people": people,
            "per_head": 650 if kind == "coffee" else 2600 if kind == "lunch" else 5200,
        }
        self._add("meals", meal)
        if self._breaks_rule_4_m(meal):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(meal):
            return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_meal) for one_meal in self.meals.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: order {kind} for {people} on {on} for {event['title']} (new: meal {meal['id']}).",
            "data": {"meal_id": meal["id"], **self._changes()},
        }

    def change_count(self, meal_id: str, people: Annotated[int, {"minimum": 1, "maximum": 2000}]) -> Result:
        """Change the count of a meal, freely until it closes and upwards by a tenth at most afterwards.

        Args:
            meal_id (str): Id of the meal, such as MEAL-00001.
            people (int): New number of people who eat, at most the guests, from 1 to 2000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meal = self.meals.get(meal_id)
        if meal is None:
            return _refused(f"There is no meal {meal_id!r}.")
        if not (self._live(self.events[meal["event_id"]]) and meal["on"] >= self.now[:10]):
            return _refused(
                f"{self.events[meal['event_id']]['title']} is {self.events[meal['event_id']]['status']} or the "
                "meal has been served."
            )
        if people == meal["people"]:
            return _refused(f"The count is {people} already.")
        if people > self.events[meal["event_id"]]["guests"]:
            return _refused(
                f"{self.events[meal['event_id']]['title']} has {self.events[meal['event_id']]['guests']} guests, "
                f"not {people}."
            )
        if not (
            self._meal_closes(meal) >= self.now[:10]
            or meal["people"] < people
            and people <= meal["people"] * 11 // 10
        ):
            return _refused(
                f"The count closed on {self._meal_closes(meal)}; it may still rise to {meal['people'] * 11 // 10}."
            )
        if self._covers(meal["on"], meal["kind"]) - meal["people"] + people > 700:
            return _refused(f"The kitchen cannot serve that many for {meal['kind']} on {meal['on']}.")
        self._journal = []
        self._put("meals", meal, "people", people)
        if self._breaks_rule_5(meal):
            return self._take_back(RULES[4])
        if any(self._breaks_rule_7(one_meal) for one_meal in self.meals.values()):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: change the {meal['kind']} of {self.events[meal['event_id']]['title']} to {people}.",
            "data": self._changes(),
        }

    def finish_event(self, event_id: str) -> Result:
        """Close a confirmed event that is over, for billing.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["status"] != "confirmed":
            return _refused(f"{event['title']} is {event['status']}.")
        if event["ends"] > self.now:
            return _refused(f"{event['title']} ends at {event['ends']}.")
        self._journal = []
        self._put("events", event, "status", "done")
        if self._breaks_rule_1_a(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_b(event):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(event):
            return self._take_back(RULES[1])
        for one_hire in _distinct(
            [
                *self._hires_by_event.get(event["id"], {}).values(),
                *[
                    user
                    for one in [
                        self.items[one["item_id"]]
                        for one in self._hires_by_event.get(event["id"], {}).values()
                    ]
                    for user in self._hires_by_item.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_hire):
                return self._take_back(RULES[2])
        for one_meal in _distinct(self._meals_by_event.get(event["id"], {}).values()):
            if self._breaks_rule_5(one_meal):
                return self._take_back(RULES[4])
        if any(self._breaks_rule_7(one_meal) for one_meal in self.meals.values()):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(event):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(event):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(event):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: close {event['title']} for billing.", "data": self._changes()}

    def set_wall(self, hall_id: str, works: bool) -> Result:
        """Note that the movable walls of a combined hall are out of order, once no event needs it, or work again.

        Args:
            hall_id (str): Id of the hall, such as HALL-00001.
            works (bool): Whether the movable walls of the hall work.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hall = self.halls.get(hall_id)
        if hall is None:
            return _refused(f"There is no hall {hall_id!r}.")
        if not self._halls_by_part_of.get(hall_id, {}):
            return _refused(f"{hall['name']} has no movable walls.")
        if hall["wall_works"] == works:
            return _refused(f"That is how it is noted for {hall['name']} already.")
        event = next(
            (e for e in sorted(self._events_by_hall.get(hall_id, {}).values(), key=_age) if self._live(e)),
            None,
        )
        if not (works or event is None):
            return _refused(f"{event['title']} is planned in {hall['name']}, so move it or give it up first.")
        self._journal = []
        self._put("halls", hall, "wall_works", works)
        for one_event in _distinct(self._events_by_hall.get(hall["id"], {}).values()):
            if self._breaks_rule_8(one_event):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: note the walls of {hall['name']}.", "data": self._changes()}

    def _show_event(self, event: Event) -> dict[str, Any]:
        """The event as an answer shows it."""
        return {**event, "bill": self._event_bill(event)}

    def _show_meal(self, meal: Meal) -> dict[str, Any]:
        """The meal as an answer shows it."""
        return {**meal, "closes": self._meal_closes(meal)}

    def _names_of_halls(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that halls point to."""
        return _names((self.halls, "name", [row["part_of_id"] for row in shown]))

    def _names_of_events(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that events point to."""
        return _names(
            (self.clients, "name", [row["client_id"] for row in shown]),
            (self.halls, "name", [row["hall_id"] for row in shown]),
        )

    def _names_of_hires(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that hires point to."""
        return _names(
            (self.events, "title", [row["event_id"] for row in shown]),
            (self.items, "name", [row["item_id"] for row in shown]),
        )

    def _names_of_meals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meals point to."""
        return _names((self.events, "title", [row["event_id"] for row in shown]))

    def _event_bill(self, event: Event) -> int:
        """The bill of an event."""
        return (
            event["fee"]
            if event["status"] == "cancelled"
            else self.halls[event["hall_id"]]["price"] + sum(
                h["number"] * self.items[h["item_id"]]["rate"]
                for h in self._hires_by_event.get(event["id"], {}).values()
            ) + sum(m["per_head"] * m["people"] for m in self._meals_by_event.get(event["id"], {}).values())
        )

    def _meal_closes(self, meal: Meal) -> str:
        """The closes of a meal."""
        return _plus_days(meal["on"], -4)

    def _live(self, e: Event) -> bool:
        return e["status"] in ("option", "confirmed")

    def _shares(self, a: Hall, b: Hall) -> bool:
        return a is b or a in _above(self.halls, b, "part_of_id") or b in _above(self.halls, a, "part_of_id")

    def _pause(self, o: Event, h: Hall, l: str) -> int:
        return (
            0
            if o["hall_id"] == h["id"] and o["layout"] == l
            else max(self.halls[o["hall_id"]]["changeover"], h["changeover"])
        )

    def _meets(self, o: Event, h: Hall, l: str, a: str, z: str) -> bool:
        return (
            self._shares(self.halls[o["hall_id"]], h)
            and _overlap(
                o["starts"],
                _plus_minutes(o["ends"], self._pause(o, h, l)),
                a,
                _plus_minutes(z, self._pause(o, h, l)),
            )
        )

    def _in_the_way(self, e: Event, h: Hall, l: str) -> Event | None:
        return next(
            (
                o
                for o in sorted(
                    _distinct(
                        [
                            o
                            for key in [
                                h["id"],
                                *[record["id"] for record in _above(self.halls, h, "part_of_id")],
                                *[record["id"] for record in _below(self._halls_by_part_of, h)],
                            ]
                            for o in self._events_by_hall.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if o is not e
                and o["status"] == "confirmed"
                and self._meets(o, h, l, e["starts"], e["ends"])
            ),
            None,
        )

    def _before(self, a: Event, b: Event) -> bool:
        return a["asked_at"] < b["asked_at"] or a["asked_at"] == b["asked_at"] and a["id"] < b["id"]

    def _ahead_of(self, e: Event) -> Event | None:
        return next(
            (
                o
                for o in sorted(
                    _distinct(
                        [
                            o
                            for key in [
                                e["hall_id"],
                                *[
                                    record["id"]
                                    for record in _above(self.halls, self.halls[e["hall_id"]], "part_of_id")
                                ],
                                *[
                                    record["id"]
                                    for record in _below(self._halls_by_part_of, self.halls[e["hall_id"]])
                                ],
                            ]
                            for o in self._events_by_hall.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if o is not e
                and o["status"] == "option"
                and self._before(o, e)
                and self._meets(o, self.halls[e["hall_id"]], e["layout"], e["starts"], e["ends"])
            ),
            None,
        )

    def _behind(self, e: Event) -> Event | None:
        return next(
            (
                o
                for o in sorted(
                    _distinct(
                        [
                            o
                            for key in [
                                e["hall_id"],
                                *[
                                    record["id"]
                                    for record in _above(self.halls, self.halls[e["hall_id"]], "part_of_id")
                                ],
                                *[
                                    record["id"]
                                    for record in _below(self._halls_by_part_of, self.halls[e["hall_id"]])
                                ],
                            ]
                            for o in self._events_by_hall.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if o is not e
                and o["status"] == "option"
                and self._before(e, o)
                and self._meets(o, self.halls[e["hall_id"]], e["layout"], e["starts"], e["ends"])
            ),
            None,
        )

    def _room_for(self, h: Hall, l: str) -> int:
        return h["seats"] if l == "theatre" else h["seats"] * 3 // 5 if l == "banquet" else h["seats"] // 2

    def _in_use(self, i: Item, e: Event) -> int:
        return sum(
            h["number"]
            for h in self._hires_by_item.get(i["id"], {}).values()
            if h["event_id"] != e["id"]
            and self.events[h["event_id"]]["status"] == "confirmed"
            and _overlap(
                self.events[h["event_id"]]["starts"],
                self.events[h["event_id"]]["ends"],
                e["starts"],
                e["ends"],
            )
        )

    def _covers(self, d: str, kind: str) -> int:
        return sum(
            m["people"]
            for m in self._meals_by_kind_on.get((kind, d), {}).values()
            if self._live(self.events[m["event_id"]])
        )

    def _breaks_rule_1_a(self, a: Event) -> bool:
        """Whether this is broken: confirmed events in halls that share space leave each other the changeover time.
        """
        return (
            a["status"] == "confirmed"
            and any(
                self._meets(a, self.halls[b["hall_id"]], b["layout"], b["starts"], b["ends"])
                for b in self._events_by_status.get("confirmed", {}).values()
                if a is not b
            )
        )

    def _breaks_rule_1_b(self, b: Event) -> bool:
        """Whether this is broken: confirmed events in halls that share space leave each other the changeover time.
        """
        return (
            b["status"] == "confirmed"
            and any(
                self._meets(a, self.halls[b["hall_id"]], b["layout"], b["starts"], b["ends"])
                for a in self._events_by_status.get("confirmed", {}).values()
                if a is not b
            )
        )

    def _breaks_rule_2(self, e: Event) -> bool:
        """Whether this is broken: no event has more guests than its hall takes in that layout."""
        return self._live(e) and e["guests"] > self._room_for(self.halls[e["hall_id"]], e["layout"])

    def _breaks_rule_3(self, h: Hire) -> bool:
        """Whether this is broken: no equipment is promised beyond its pool at any time."""
        return (
            self.events[h["event_id"]]["status"] == "confirmed"
            and sum(
                o["number"]
                for o in self._hires_by_item.get(h["item_id"], {}).values()
                if self.events[o["event_id"]]["status"] == "confirmed"
                and (
                    self.events[o["event_id"]]["starts"] <= self.events[h["event_id"]]["starts"]
                    and self.events[h["event_id"]]["starts"] < self.events[o["event_id"]]["ends"]
                )
            ) > self.items[h["item_id"]]["pool"]
        )

    def _breaks_rule_4_h(self, h: Hire) -> bool:
        """Whether this is broken: an event hires an item in one line and orders each kind of meal once a day."""
        return any(
            other_h is not h
            for other_h in self._hires_by_event_item.get((h["event_id"], h["item_id"]), {}).values()
        )

    def _breaks_rule_4_m(self, m: Meal) -> bool:
        """Whether this is broken: an event hires an item in one line and orders each kind of meal once a day."""
        return any(
            other_m is not m
            for other_m in self._meals_by_event_kind.get((m["event_id"], m["kind"]), {}).values()
            if other_m["on"] == m["on"]
        )

    def _breaks_rule_5(self, m: Meal) -> bool:
        """Whether this is broken: no meal is ordered for more people than the event has guests."""
        return self._live(self.events[m["event_id"]]) and m["people"] > self.events[m["event_id"]]["guests"]

    def _breaks_rule_6(self, m: Meal) -> bool:
        """Whether this is broken: meals are served on the days of the event."""
        return (
            self.events[m["event_id"]]["starts"][:10] > m["on"]
            or m["on"] > self.events[m["event_id"]]["ends"][:10]
        )

    def _breaks_rule_7(self, m: Meal) -> bool:
        """Whether this is broken: the kitchen serves no more than 700 people one kind of meal on a day."""
        return (
            self._live(self.events[m["event_id"]])
            and sum(
                o["people"]
                for o in self._meals_by_kind_on.get((m["kind"], m["on"]), {}).values()
                if self._live(self.events[o["event_id"]])
            ) > 700
        )

    def _breaks_rule_8(self, e: Event) -> bool:
        """Whether this is broken: a combined hall is used only while its walls can be moved."""
        return self._live(e) and not self.halls[e["hall_id"]]["wall_works"]

    def _breaks_rule_9(self, e: Event) -> bool:
        """Whether this is broken: a blocked client holds no option."""
        return e["status"] == "option" and self.clients[e["client_id"]]["blocked"]

    def _breaks_rule_10(self, e: Event) -> bool:
        """Whether this is broken: only cancelled events cost a cancellation fee."""
        return e["status"] != "cancelled" and e["fee"] != 0

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
            case "halls":
                self._halls_by_part_of.setdefault(record["part_of_id"], {})[record["id"]] = record
            case "events":
                self._events_by_hall.setdefault(record["hall_id"], {})[record["id"]] = record
                self._events_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._events_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._events_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "hires":
                self._hires_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._hires_by_event_item.setdefault((record["event_id"], record["item_id"]), {})[record["id"]] = record
                self._hires_by_item.setdefault(record["item_id"], {})[record["id"]] = record
            case "meals":
                self._meals_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._meals_by_event_kind.setdefault((record["event_id"], record["kind"]), {})[record["id"]] = record
                self._meals_by_kind_on.setdefault((record["kind"], record["on"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "halls":
                del self._halls_by_part_of[record["part_of_id"]][record["id"]]
            case "events":
                del self._events_by_hall[record["hall_id"]][record["id"]]
                del self._events_by_lower_title[record["title"].lower()][record["id"]]
                del self._events_by_status[record["status"]][record["id"]]
                del self._events_by_title[record["title"]][record["id"]]
            case "hires":
                del self._hires_by_event[record["event_id"]][record["id"]]
                del self._hires_by_event_item[record["event_id"], record["item_id"]][record["id"]]
                del self._hires_by_item[record["item_id"]][record["id"]]
            case "meals":
                del self._meals_by_event[record["event_id"]][record["id"]]
                del self._meals_by_event_kind[record["event_id"], record["kind"]][record["id"]]
                del self._meals_by_kind_on[record["kind"], record["on"]][record["id"]]
