"""House move. Compiled from blueprint.yaml; run `envscaler build house_move` after changing it there.

Packs the things of a household into boxes by room, stacks and drives them with a van and helpers, unpacks them
at the new home, and switches the utilities over without a gap.
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
    "A box weighs at most 25 kilos, unless it is a single large piece.",
    "A van never carries more than its payload.",
    "Nothing heavier than six kilos lies anywhere on a fragile box.",
    "One box lies on another, never two.",
    "Boxes that are stacked go on the same trip.",
    "A stack is at most three boxes high.",
    "A box is on a trip from loading until it is delivered, and at no other time.",
    "Loaded boxes are on trips that are not over, and delivered ones on trips that are.",
    "Somebody on a trip can lift every box of it.",
    "A van makes one trip a day, and a helper is on one trip a day.",
    "Things are packed where they stand.",
    "Fragile things are not packed with anything heavier than eight kilos.",
    "No utility is without supply between the homes.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "pack_item",
    "take_out",
    "tape_box",
    "new_box",
    "relabel_box",
    "plan_trip",
    "load_box",
    "unload_box",
    "advance_trip",
    "unpack_box",
    "switch_utility",
    "read_meter",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "rooms": ("name",),
    "helpers": ("name",),
    "vans": ("name",),
    "trips": ("name",),
    "boxes": ("label",),
    "items": ("name",),
    "utilities": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("boxes", "label"),
    ("boxes", "on_top_of_id"),
    ("boxes", "status"),
    ("boxes", "trip_id"),
    ("items", "box_id"),
    ("items", "room_id"),
    ("trips", "name"),
    ("trips", "on"),
    ("trips", "van_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Room(TypedDict):
    id: str
    name: str
    home: Literal["old", "new"]
    level: Literal["cellar", "ground", "upper", "attic"]


class Helper(TypedDict):
    id: str
    name: str
    lifts: int


class Van(TypedDict):
    id: str
    name: str
    payload: int


class Trip(TypedDict):
    id: str
    name: str
    van_id: str
    on: str
    crew_ids: list[str]
    status: Literal["planned", "driving", "done"]


class Box(TypedDict):
    id: str
    label: str
    packed_in_id: str
    goes_to_id: str
    trip_id: str | None
    on_top_of_id: str | None
    status: Literal["open", "taped", "loaded", "delivered", "unpacked"]


class Item(TypedDict):
    id: str
    name: str
    room_id: str
    weight: int
    fragile: bool
    box_id: str | None


class Utility(TypedDict):
    id: str
    name: str
    old_until: str | None
    new_from: str | None
    final_reading: int | None
    status: Literal["running", "ordered", "switched"]


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


class HouseMove:
    """Packs the things of a household into boxes by room, stacks and drives them with a van and helpers,
    unpacks them at the new home, and switches the utilities over without a gap.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.helpers: dict[str, Helper] = _copied(config.get("helpers", {}))
        self.vans: dict[str, Van] = _copied(config.get("vans", {}))
        self.trips: dict[str, Trip] = _copied(config.get("trips", {}))
        self.boxes: dict[str, Box] = _copied(config.get("boxes", {}))
        self.items: dict[str, Item] = _copied(config.get("items", {}))
        self.utilities: dict[str, Utility] = _copied(config.get("utilities", {}))
        self.now: str = config.get("now", "2026-08-21T07:30")
        self.counters: dict[str, int] = {
            "room": len(self.rooms),
            "helper": len(self.helpers),
            "van": len(self.vans),
            "trip": len(self.trips),
            "box": len(self.boxes),
            "item": len(self.items),
            "utility": len(self.utilities),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._trips_by_name: dict[Any, dict[str, Trip]] = {}
        self._trips_by_on: dict[Any, dict[str, Trip]] = {}
        self._trips_by_van: dict[Any, dict[str, Trip]] = {}
        self._boxes_by_label: dict[Any, dict[str, Box]] = {}
        self._boxes_by_on_top_of: dict[Any, dict[str, Box]] = {}
        self._boxes_by_on_top_of_status: dict[Any, dict[str, Box]] = {}
        self._boxes_by_trip: dict[Any, dict[str, Box]] = {}
        self._boxes_by_trip_status: dict[Any, dict[str, Box]] = {}
        self._items_by_box: dict[Any, dict[str, Item]] = {}
        self._items_by_room: dict[Any, dict[str, Item]] = {}
        for trip in self.trips.values():
            self._link("trips", trip)
        for box in self.boxes.values():
            self._link("boxes", box)
        for item in self.items.values():
            self._link("items", item)

    def in_room(
        self,
        room_id: str,
        fragile: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What stands in a room, loose things and the boxes they are in, the heaviest first.

        Args:
            room_id (str): Id of the room, such as ROOM-00001.
            fragile (bool, optional): Whether only fragile things are listed, or only sturdy ones. If left out,
                both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}} or {"success": False, "error": why
                not}
        """
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            i
            for i in self._items_by_room.get(room_id, {}).values()
            if (fragile is None or i["fragile"] == fragile)
        ]
        found.sort(key=lambda i: (-i["weight"], i["name"], _age(i)))
        shown = [
            {"id": i["id"], "name": i["name"], "weight": i["weight"], "fragile": i["fragile"], "box_id": i["box_id"]}
            for i in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "items": shown},
            _names((self.boxes, "label", [row["box_id"] for row in shown])),
        )

    def stacks(self, trip_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The boxes loaded for a trip, what each stands on and how high it is.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boxes": records}} or {"success": False, "error": why
                not}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        found = [b for b in self._boxes_by_trip.get(trip_id, {}).values()]
        found.sort(key=lambda b: (b["label"], _age(b)))
        shown = [
            {
                "id": b["id"],
                "label": b["label"],
                "weight": self._box_weight(b),
                "fragile": self._box_fragile(b),
                "on_top_of": b["on_top_of_id"],
                "level": len(_above(self.boxes, b, "on_top_of_id")) + 1,
            }
            for b in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "boxes": shown},
            _names((self.boxes, "label", [row["on_top_of"] for row in shown])),
        )

    def ready_to_load(self, trip_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Taped boxes that would still fit on a planned trip, the heaviest first.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boxes": records}} or {"success": False, "error": why
                not}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        found = [
            b
            for b in self.boxes.values()
            if (b["status"] == "taped" and self._box_weight(b) <= self._room_left(trip))
            and any(h["lifts"] >= self._box_weight(b) for h in [self.helpers[key] for key in trip["crew_ids"]])
        ]
        found.sort(key=lambda b: (-self._box_weight(b), b["label"], _age(b)))
        return _found(
            {
                "total": len(found),
                "boxes": [
                    {
                        "id": b["id"],
                        "label": b["label"],
                        "weight": self._box_weight(b),
                        "fragile": self._box_fragile(b),
                        "packed_in": self.rooms[b["packed_in_id"]]["name"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_rooms(
        self,
        name: Text | None = None,
        home: Literal["old", "new"] | None = None,
        level: Literal["cellar", "ground", "upper", "attic"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            home (str, optional): Only rooms with this home.
            level (str, optional): Only rooms with this level.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (home is None or room["home"] == home)
            and (level is None or room["level"] == level)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_helpers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the helpers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only helpers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "helpers": records}}
        """
        found = [
            helper
            for helper in self.helpers.values()
            if (name is None or name.casefold() in helper["name"].casefold())
        ]
        return _found({"total": len(found), "helpers": [{**helper} for helper in _page(found, offset)]})

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

    def list_trips(
        self,
        name: Text | None = None,
        van_id: str | None = None,
        status: Literal["planned", "driving", "done"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trips, oldest first, all of them or only some.

        Args:
            name (str, optional): Only trips whose name contains this text.
            van_id (str, optional): Only trips of this van.
            status (str, optional): Only trips with this status.
            on_from (str, optional): Only trips whose `on` is on this day or later.
            on_to (str, optional): Only trips whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trips": records}}
        """
        if van_id is not None and van_id not in self.vans:
            return _refused(f"There is no van {van_id!r}.")
        found = [
            trip
            for trip in self.trips.values()
            if (name is None or name.casefold() in trip["name"].casefold())
            and (van_id is None or trip["van_id"] == van_id)
            and (status is None or trip["status"] == status)
            and (on_from is None or trip["on"] >= on_from)
            and (on_to is None or trip["on"] <= on_to)
        ]
        shown = [self._show_trip(trip) for trip in _page(found, offset)]
        return _found({"total": len(found), "trips": shown}, self._names_of_trips(shown))

    def list_boxes(
        self,
        label: Text | None = None,
        packed_in_id: str | None = None,
        goes_to_id: str | None = None,
        trip_id: str | None = None,
        on_top_of_id: str | None = None,
        status: Literal["open", "taped", "loaded", "delivered", "unpacked"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the boxes, oldest first, all of them or only some.

        Args:
            label (str, optional): Only boxes whose label contains this text.
            packed_in_id (str, optional): Only boxes packed in this room.
            goes_to_id (str, optional): Only boxes goes to this room.
            trip_id (str, optional): Only boxes of this trip.
            on_top_of_id (str, optional): Only boxes on top of this box.
            status (str, optional): Only boxes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "boxes": records}}
        """
        if packed_in_id is not None and packed_in_id not in self.rooms:
            return _refused(f"There is no room {packed_in_id!r}.")
        if goes_to_id is not None and goes_to_id not in self.rooms:
            return _refused(f"There is no room {goes_to_id!r}.")
        if trip_id is not None and trip_id not in self.trips:
            return _refused(f"There is no trip {trip_id!r}.")
        if on_top_of_id is not None and on_top_of_id not in self.boxes:
            return _refused(f"There is no box {on_top_of_id!r}.")
        found = [
            box
            for box in self.boxes.values()
            if (label is None or label.casefold() in box["label"].casefold())
            and (packed_in_id is None or box["packed_in_id"] == packed_in_id)
            and (goes_to_id is None or box["goes_to_id"] == goes_to_id)
            and (trip_id is None or box["trip_id"] == trip_id)
            and (on_top_of_id is None or box["on_top_of_id"] == on_top_of_id)
            and (status is None or box["status"] == status)
        ]
        shown = [self._show_box(box) for box in _page(found, offset)]
        return _found({"total": len(found), "boxes": shown}, self._names_of_boxes(shown))

    def list_items(
        self,
        name: Text | None = None,
        room_id: str | None = None,
        fragile: bool | None = None,
        box_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the items, oldest first, all of them or only some.

        Args:
            name (str, optional): Only items whose name contains this text.
            room_id (str, optional): Only items of this room.
            fragile (bool, optional): Only items that are fragile (true) or not (false).
            box_id (str, optional): Only items of this box.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "items": records}}
        """
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        if box_id is not None and box_id not in self.boxes:
            return _refused(f"There is no box {box_id!r}.")
        found = [
            item
            for item in self.items.values()
            if (name is None or name.casefold() in item["name"].casefold())
            and (room_id is None or item["room_id"] == room_id)
            and (fragile is None or item["fragile"] == fragile)
            and (box_id is None or item["box_id"] == box_id)
        ]
        shown = [{**item} for item in _page(found, offset)]
        return _found({"total": len(found), "items": shown}, self._names_of_items(shown))

    def list_utilities(
        self,
        name: Text | None = None,
        status: Literal["running", "ordered", "switched"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the utilities, oldest first, all of them or only some.

        Args:
            name (str, optional): Only utilities whose name contains this text.
            status (str, optional): Only utilities with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "utilities": records}}
        """
        found = [
            utility
            for utility in self.utilities.values()
            if (name is None or name.casefold() in utility["name"].casefold())
            and (status is None or utility["status"] == status)
        ]
        return _found({"total": len(found), "utilities": [{**utility} for utility in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def pack_item(self, item_id: str, box_id: str) -> Result:
        """Put a thing into an open box that stands in the same room.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.
            box_id (str): Id of the box, such as BOX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        if item["box_id"] is not None:
            return _refused(f"The {item['name']} are packed already.")
        if box["status"] != "open":
            return _refused(f"Box {box['label']} is {box['status']}.")
        if item["room_id"] != box["packed_in_id"]:
            return _refused(
                f"Box {box['label']} stands in the {self.rooms[box['packed_in_id']]['name']}, not in the "
                f"{self.rooms[item['room_id']]['name']}."
            )
        if self._box_weight(box) + item["weight"] > 25:
            return _refused(
                f"Box {box['label']} would weigh {self._box_weight(box) + item['weight']} kilos, more than 25."
            )
        crusher = next(
            (
                o
                for o in self._inside(box)
                if (item["fragile"] and o["weight"] > 8 or o["fragile"] and item["weight"] > 8)
            ),
            None,
        )
        if crusher is not None:
            return _refused(f"The {item['name']} cannot be packed with the {crusher['name']}.")
        self._journal = []
        former_box_id = item["box_id"]
        self._put("items", item, "box_id", box_id)
        for one_box in _distinct([self.boxes.get(item["box_id"]), self.boxes.get(former_box_id)]):
            if self._breaks_rule_1(one_box):
                return self._take_back(RULES[0])
        for one_trip in _distinct(
            [
                *[self.trips.get(one["trip_id"]) for one in [self.boxes.get(item["box_id"])] if one is not None],
                *[self.trips.get(one["trip_id"]) for one in [self.boxes.get(former_box_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_2(one_trip):
                return self._take_back(RULES[1])
        for one_box in _distinct(
            [
                self.boxes.get(item["box_id"]),
                self.boxes.get(former_box_id),
                *[
                    user
                    for one in [self.boxes.get(item["box_id"])]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
                *[
                    user
                    for one in [self.boxes.get(former_box_id)]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        for one_box in _distinct([self.boxes.get(item["box_id"]), self.boxes.get(former_box_id)]):
            if self._breaks_rule_9(one_box):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_a(item):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_b(item):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: pack {item['name']} into {box['label']}.",
            "data": self._changes(),
        }

    def take_out(self, item_id: str) -> Result:
        """Take a thing out of a box that is not loaded; a taped box is open then.

        Args:
            item_id (str): Id of the item, such as ITEM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        item = self.items.get(item_id)
        if item is None:
            return _refused(f"There is no item {item_id!r}.")
        box = self.boxes.get(item["box_id"])
        if box is None:
            return _refused(f"The {item['name']} are in no box.")
        if box["status"] not in ("open", "taped"):
            return _refused(f"Box {box['label']} is {box['status']}.")
        self._journal = []
        changed_boxes: list[Any] = []
        former_box_id = item["box_id"]
        self._put("items", item, "box_id", None)
        if box["status"] == "taped":
            changed_boxes.append(box)
            self._put("boxes", box, "status", "open")
        for one_box in _distinct([self.boxes.get(item["box_id"]), self.boxes.get(former_box_id)]):
            if self._breaks_rule_1(one_box):
                return self._take_back(RULES[0])
        for one_trip in _distinct(
            [
                *[self.trips.get(one["trip_id"]) for one in [self.boxes.get(item["box_id"])] if one is not None],
                *[self.trips.get(one["trip_id"]) for one in [self.boxes.get(former_box_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_2(one_trip):
                return self._take_back(RULES[1])
        for one_box in _distinct(
            [
                self.boxes.get(item["box_id"]),
                self.boxes.get(former_box_id),
                *[
                    user
                    for one in [self.boxes.get(item["box_id"])]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
                *[
                    user
                    for one in [self.boxes.get(former_box_id)]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        for one_box in _distinct(changed_boxes):
            if self._breaks_rule_7(one_box):
                return self._take_back(RULES[6])
        for one_box in _distinct(changed_boxes):
            if self._breaks_rule_8(one_box):
                return self._take_back(RULES[7])
        for one_box in _distinct([self.boxes.get(item["box_id"]), self.boxes.get(former_box_id), *changed_boxes]):
            if self._breaks_rule_9(one_box):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(item):
            return self._take_back(RULES[10])
        if self._breaks_rule_12_a(item):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_b(item):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: take {item['name']} out.", "data": self._changes()}

    def tape_box(self, box_id: str) -> Result:
        """Tape an open box that has something in it.

        Args:
            box_id (str): Id of the box, such as BOX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        if box["status"] != "open":
            return _refused(f"Box {box['label']} is {box['status']}.")
        if len(self._inside(box)) <= 0:
            return _refused(f"Box {box['label']} is empty.")
        self._journal = []
        self._put("boxes", box, "status", "taped")
        if self._breaks_rule_7(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(box):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(box):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: tape {box['label']}.", "data": self._changes()}

    def new_box(self, label: Text, packed_in_id: str, goes_to_id: str, piece_id: str | None = None) -> Result:
        """Get another box ready, or make a single large piece ready to be loaded as it is.

        Args:
            label (str): Label of the new box, not in use yet.
            packed_in_id (str): Room of the old home where it is packed; an id such as ROOM-00001.
            goes_to_id (str): Room of the new home where it goes; an id such as ROOM-00001.
            piece_id (str, optional): Large item in that room that is loaded as it is; an id such as ITEM-00001. If
                left out, an empty box is made ready.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        packed_in = self.rooms.get(packed_in_id)
        if packed_in is None:
            return _refused(f"There is no room {packed_in_id!r}.")
        goes_to = self.rooms.get(goes_to_id)
        if goes_to is None:
            return _refused(f"There is no room {goes_to_id!r}.")
        piece = self.items.get(piece_id) if piece_id is not None else None
        if piece_id is not None and piece is None:
            return _refused(f"There is no item {piece_id!r}.")
        if self._boxes_by_label.get(label, {}):
            return _refused(f"There is a box {label} already.")
        if packed_in["home"] != "old" or goes_to["home"] != "new":
            return _refused("It would not go from the old home to the new one.")
        if piece_id is not None and piece["box_id"] is not None:
            return _refused(f"The {piece['name']} are packed already.")
        if piece_id is not None and piece["room_id"] != packed_in_id:
            return _refused(f"The {piece['name']} stand in the {self.rooms[piece['room_id']]['name']}.")
        self._journal = []
        changed_items: list[Any] = []
        former_box_ids: list[Any] = []
        changed_boxes: list[Any] = []
        box: Box = {
            "id": self._new_id("box", "BOX", self.boxes),
            "label": label,
            "packed_in_id": packed_in_id,
            "goes_to_id": goes_to_id,
            "trip_id": None,
            "on_top_of_id": None,
            "status": "open",
        }
        self._add("boxes", box)
        if piece_id is not None:
            changed_items.append(piece)
            former_box_ids.append(piece["box_id"])
            self._put("items", piece, "box_id", box["id"])
            if box["status"] not in ("open", "taped", "loaded"):
                return self._take_back(f"Box {box['label']} cannot go from {box['status']} to taped.")
            changed_boxes.append(box)
            self._put("boxes", box, "status", "taped")
        if len(self._boxes_by_label.get(box["label"], {})) > 1:
            return self._take_back(f"There is already a box with the label {box['label']!r}.")
        for one_box in _distinct(
            [
                box,
                *[self.boxes.get(one["box_id"]) for one in changed_items],
                *[self.boxes.get(key) for key in former_box_ids],
            ]
        ):
            if self._breaks_rule_1(one_box):
                return self._take_back(RULES[0])
        for one_trip in _distinct(
            [
                self.trips.get(box["trip_id"]),
                *[
                    self.trips.get(one["trip_id"])
                    for one in [self.boxes.get(one["box_id"]) for one in changed_items]
                    if one is not None
                ],
                *[
                    self.trips.get(one["trip_id"])
                    for one in [self.boxes.get(key) for key in former_box_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_2(one_trip):
                return self._take_back(RULES[1])
        for one_box in _distinct(
            [
                box,
                *_above(self.boxes, box, "on_top_of_id"),
                *[self.boxes.get(one["box_id"]) for one in changed_items],
                *[self.boxes.get(key) for key in former_box_ids],
                *[
                    user
                    for one in [self.boxes.get(one["box_id"]) for one in changed_items]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
                *[
                    user
                    for one in [self.boxes.get(key) for key in former_box_ids]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(box):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(box):
            return self._take_back(RULES[5])
        for one_box in _distinct([box, *changed_boxes]):
            if self._breaks_rule_7(one_box):
                return self._take_back(RULES[6])
        for one_box in _distinct([box, *changed_boxes]):
            if self._breaks_rule_8(one_box):
                return self._take_back(RULES[7])
        for one_box in _distinct(
            [
                box,
                *[self.boxes.get(one["box_id"]) for one in changed_items],
                *[self.boxes.get(key) for key in former_box_ids],
                *changed_boxes,
            ]
        ):
            if self._breaks_rule_9(one_box):
                return self._take_back(RULES[8])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_12_a(one_item):
                return self._take_back(RULES[11])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_12_b(one_item):
                return self._take_back(RULES[11])
        done = f"get {label} ready"
        if piece is not None:
            done += f" with the {piece['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: box {box['id']}).",
            "data": {"box_id": box["id"], **self._changes()},
        }

    def relabel_box(self, box_id: str, room_id: str) -> Result:
        """Change the room of the new home for which a box is meant.

        Args:
            box_id (str): Id of the box, such as BOX-00001.
            room_id (str): Id of the room, such as ROOM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if room["home"] != "new":
            return _refused(f"The {room['name']} is in the old home.")
        if box["goes_to_id"] == room_id:
            return _refused(f"Box {box['label']} goes there already.")
        if box["status"] == "unpacked":
            return _refused(f"Box {box['label']} is unpacked.")
        self._journal = []
        self._put("boxes", box, "goes_to_id", room_id)
        return {
            "success": True,
            "message": f"Done: send {box['label']} to the {room['name']}.",
            "data": self._changes(),
        }

    def plan_trip(
        self,
        name: Text,
        van_id: str,
        on: Date,
        crew_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Plan a trip of a van with helpers.

        Args:
            name (str): Name of the trip, not in use yet.
            van_id (str): Id of the van, such as VAN-00001.
            on (str): Day of the trip, not in the past, as YYYY-MM-DD.
            crew_ids (list): Helpers who come along, on no other trip that day: ids of helpers, such as
                HELPER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        crew = []
        for key in crew_ids:
            if key not in self.helpers:
                return _refused(f"There is no helper {key!r}.")
            crew.append(self.helpers[key])
        if self._trips_by_name.get(name, {}):
            return _refused(f"There is a {name} already.")
        if on < self.now[:10]:
            return _refused(f"{on} is in the past.")
        if any(each["on"] == on for each in self._trips_by_van.get(van_id, {}).values()):
            return _refused(f"The {van['name']} is out on {on} already.")
        if not (len(crew) > 0 and _different([h["id"] for h in crew])):
            return _refused("Name at least one helper, and each once.")
        double = next(
            (h for h in crew if any(h["id"] in t["crew_ids"] for t in self._trips_by_on.get(on, {}).values())),
            None,
        )
        if double is not None:
            return _refused(f"{double['name']} is on another trip that day.")
        self._journal = []
        trip: Trip = {
            "id": self._new_id("trip", "TRIP", self.trips),
            "name": name,
            "van_id": van_id,
            "on": on,
            "crew_ids": [record["id"] for record in _those(self.helpers, [record["id"] for record in crew])],
            "status": "planned",
        }
        self._add("trips", trip)
        if len(self._trips_by_name.get(trip["name"], {})) > 1:
            return self._take_back(f"There is already a trip with the name {trip['name']!r}.")
        if self._breaks_rule_2(trip):
            return self._take_back(RULES[1])
        if self._breaks_rule_10(trip):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_again():
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: plan the {name} on {on} (new: trip {trip['id']}).",
            "data": {"trip_id": trip["id"], **self._changes()},
        }

    def load_box(self, box_id: str, trip_id: str, on_top_of_id: str | None = None) -> Result:
        """Load a taped box for a planned trip, on the floor or on top of another box.

        Args:
            box_id (str): Id of the box, such as BOX-00001.
            trip_id (str): Id of the trip, such as TRIP-00001.
            on_top_of_id (str, optional): Loaded box of the same trip that it stands on; an id such as BOX-00001.
                If left out, it stands on the floor.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        on_top_of = self.boxes.get(on_top_of_id) if on_top_of_id is not None else None
        if on_top_of_id is not None and on_top_of is None:
            return _refused(f"There is no box {on_top_of_id!r}.")
        if box["status"] != "taped":
            return _refused(f"Box {box['label']} is {box['status']}.")
        if trip["status"] != "planned":
            return _refused(f"The {trip['name']} is {trip['status']}.")
        if self._box_weight(box) > self._room_left(trip):
            return _refused(
                f"The {self.vans[trip['van_id']]['name']} can take {self._room_left(trip)} kilos more and box "
                f"{box['label']} weighs {self._box_weight(box)}."
            )
        if not any(h["lifts"] >= self._box_weight(box) for h in [self.helpers[key] for key in trip["crew_ids"]]):
            return _refused(f"Nobody on the {trip['name']} can lift {self._box_weight(box)} kilos.")
        if not (on_top_of_id is None or on_top_of["status"] == "loaded" and on_top_of["trip_id"] == trip_id):
            return _refused(f"Box {on_top_of['label']} is not loaded for the {trip['name']}.")
        already = next(
            (
                o
                for o in sorted(self._boxes_by_on_top_of.get(on_top_of_id, {}).values(), key=_age)
                if on_top_of_id is not None
            ),
            None,
        )
        if already is not None:
            return _refused(f"Box {already['label']} stands on that one.")
        if on_top_of_id is not None and len(_above(self.boxes, on_top_of, "on_top_of_id")) > 1:
            return _refused("That stack is three boxes high.")
        crushed = next(
            (
                u
                for u in self.boxes.values()
                if on_top_of_id is not None
                and (u is on_top_of or u in _above(self.boxes, on_top_of, "on_top_of_id"))
                and self._box_fragile(u)
                and self._box_weight(box) > 6
            ),
            None,
        )
        if crushed is not None:
            return _refused(
                f"Box {crushed['label']} is fragile and box {box['label']} weighs {self._box_weight(box)} kilos, "
                "so it cannot lie above it."
            )
        self._journal = []
        former_trip_id = box["trip_id"]
        self._put("boxes", box, "trip_id", trip_id)
        former_on_top_of_id = box["on_top_of_id"]
        self._put("boxes", box, "on_top_of_id", on_top_of_id)
        self._put("boxes", box, "status", "loaded")
        for one_trip in _distinct([self.trips.get(box["trip_id"]), self.trips.get(former_trip_id)]):
            if self._breaks_rule_2(one_trip):
                return self._take_back(RULES[1])
        for one_box in _distinct(
            [
                self.boxes.get(former_on_top_of_id),
                *_above(self.boxes, box, "on_top_of_id"),
                *[
                    user
                    for one in [self.boxes.get(former_on_top_of_id)]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        for one_box in _distinct([box, *self._boxes_by_on_top_of.get(box["id"], {}).values()]):
            if self._breaks_rule_5(one_box):
                return self._take_back(RULES[4])
        for one_box in _distinct([box, *_below(self._boxes_by_on_top_of, box)]):
            if self._breaks_rule_6(one_box):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(box):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(box):
            return self._take_back(RULES[8])
        done = f"load {box['label']} for the {trip['name']}"
        if on_top_of is not None:
            done += f" on top of {on_top_of['label']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def unload_box(self, box_id: str) -> Result:
        """Take a box on which nothing stands out of the van again before the trip.

        Args:
            box_id (str): Id of the box, such as BOX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        if box["status"] != "loaded" or box["trip_id"] is None or self.trips[box["trip_id"]]["status"] != "planned":
            return _refused(f"Box {box['label']} is not waiting in a van.")
        upper = self._on_it(box)
        if upper is not None:
            return _refused(f"Box {upper['label']} stands on it, so unload that first.")
        self._journal = []
        former_on_top_of_id = box["on_top_of_id"]
        self._put("boxes", box, "on_top_of_id", None)
        former_trip_id = box["trip_id"]
        self._put("boxes", box, "trip_id", None)
        self._put("boxes", box, "status", "taped")
        for one_trip in _distinct([self.trips.get(box["trip_id"]), self.trips.get(former_trip_id)]):
            if self._breaks_rule_2(one_trip):
                return self._take_back(RULES[1])
        for one_box in _distinct(
            [
                self.boxes.get(former_on_top_of_id),
                *_above(self.boxes, box, "on_top_of_id"),
                *[
                    user
                    for one in [self.boxes.get(former_on_top_of_id)]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(box):
            return self._take_back(RULES[3])
        for one_box in _distinct([box, *self._boxes_by_on_top_of.get(box["id"], {}).values()]):
            if self._breaks_rule_5(one_box):
                return self._take_back(RULES[4])
        for one_box in _distinct([box, *_below(self._boxes_by_on_top_of, box)]):
            if self._breaks_rule_6(one_box):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(box):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(box):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: unload {box['label']}.", "data": self._changes()}

    def advance_trip(self, trip_id: str) -> Result:
        """Send a loaded trip off, or note that one on the road has arrived and was unloaded.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] == "done":
            return _refused(f"The {trip['name']} is done.")
        if trip["on"] > self.now[:10]:
            return _refused(f"The {trip['name']} is only on {trip['on']}.")
        if self._trip_load(trip) <= 0:
            return _refused(f"Nothing is loaded for the {trip['name']}.")
        self._journal = []
        changed_trips: list[Any] = []
        changed_boxes: list[Any] = []
        former_on_top_of_ids: list[Any] = []
        changed_boxes_2: list[Any] = []
        if trip["status"] == "planned":
            if trip["status"] not in ("planned", "driving"):
                return self._take_back(f"Trip {trip['name']} cannot go from {trip['status']} to driving.")
            changed_trips.append(trip)
            self._put("trips", trip, "status", "driving")
        else:
            if trip["status"] not in ("driving", "done"):
                return self._take_back(f"Trip {trip['name']} cannot go from {trip['status']} to done.")
            changed_trips.append(trip)
            self._put("trips", trip, "status", "done")
            for b in sorted(self._boxes_by_trip_status.get((trip_id, "loaded"), {}).values(), key=_age):
                changed_boxes.append(b)
                former_on_top_of_ids.append(b["on_top_of_id"])
                self._put("boxes", b, "on_top_of_id", None)
                if b["status"] not in ("loaded", "delivered"):
                    return self._take_back(f"Box {b['label']} cannot go from {b['status']} to delivered.")
                changed_boxes_2.append(b)
                self._put("boxes", b, "status", "delivered")
        for one_box in _distinct(
            [
                *[user for one in changed_boxes for user in _above(self.boxes, one, "on_top_of_id")],
                *[self.boxes.get(key) for key in former_on_top_of_ids],
                *[
                    user
                    for one in [self.boxes.get(key) for key in former_on_top_of_ids]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        for one_box in _distinct(changed_boxes):
            if self._breaks_rule_4(one_box):
                return self._take_back(RULES[3])
        for one_box in _distinct(changed_boxes):
            if self._breaks_rule_5(one_box):
                return self._take_back(RULES[4])
        for one_box in _distinct(
            [*changed_boxes, *[user for one in changed_boxes for user in _below(self._boxes_by_on_top_of, one)]]
        ):
            if self._breaks_rule_6(one_box):
                return self._take_back(RULES[5])
        for one_box in _distinct(changed_boxes_2):
            if self._breaks_rule_7(one_box):
                return self._take_back(RULES[6])
        for one_box in _distinct(
            [
                *[user for one in changed_trips for user in self._boxes_by_trip.get(one["id"], {}).values()],
                *changed_boxes_2,
            ]
        ):
            if self._breaks_rule_8(one_box):
                return self._take_back(RULES[7])
        for one_box in _distinct(changed_boxes_2):
            if self._breaks_rule_9(one_box):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: move the {trip['name']} on.", "data": self._changes()}

    def unpack_box(self, box_id: str) -> Result:
        """Unpack a delivered box in its room of the new home.

        Args:
            box_id (str): Id of the box, such as BOX-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        box = self.boxes.get(box_id)
        if box is None:
            return _refused(f"There is no box {box_id!r}.")
        if box["status"] != "delivered":
            return _refused(f"Box {box['label']} is {box['status']}.")
        self._journal = []
        changed_items: list[Any] = []
        former_box_ids: list[Any] = []
        changed_items_2: list[Any] = []
        for i in sorted(self._items_by_box.get(box_id, {}).values(), key=_age):
            changed_items.append(i)
            former_box_ids.append(i["box_id"])
            self._put("items", i, "box_id", None)
            changed_items_2.append(i)
            self._put("items", i, "room_id", box["goes_to_id"])
        self._put("boxes", box, "status", "unpacked")
        for one_box in _distinct(
            [
                *[self.boxes.get(one["box_id"]) for one in changed_items],
                *[self.boxes.get(key) for key in former_box_ids],
            ]
        ):
            if self._breaks_rule_1(one_box):
                return self._take_back(RULES[0])
        for one_trip in _distinct(
            [
                *[
                    self.trips.get(one["trip_id"])
                    for one in [self.boxes.get(one["box_id"]) for one in changed_items]
                    if one is not None
                ],
                *[
                    self.trips.get(one["trip_id"])
                    for one in [self.boxes.get(key) for key in former_box_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_2(one_trip):
                return self._take_back(RULES[1])
        for one_box in _distinct(
            [
                *[self.boxes.get(one["box_id"]) for one in changed_items],
                *[self.boxes.get(key) for key in former_box_ids],
                *[
                    user
                    for one in [self.boxes.get(one["box_id"]) for one in changed_items]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
                *[
                    user
                    for one in [self.boxes.get(key) for key in former_box_ids]
                    if one is not None
                    for user in _above(self.boxes, one, "on_top_of_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_box):
                return self._take_back(RULES[2])
        if self._breaks_rule_7(box):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(box):
            return self._take_back(RULES[7])
        for one_box in _distinct(
            [
                box,
                *[self.boxes.get(one["box_id"]) for one in changed_items],
                *[self.boxes.get(key) for key in former_box_ids],
            ]
        ):
            if self._breaks_rule_9(one_box):
                return self._take_back(RULES[8])
        for one_item in _distinct([*changed_items, *changed_items_2]):
            if self._breaks_rule_11(one_item):
                return self._take_back(RULES[10])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_12_a(one_item):
                return self._take_back(RULES[11])
        for one_item in _distinct(changed_items):
            if self._breaks_rule_12_b(one_item):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: unpack {box['label']}.", "data": self._changes()}

    def switch_utility(self, utility_id: str, old_until: Date, new_from: Date) -> Result:
        """Order the switch of a utility, with the last day at the old home and the first at the new one.

        Args:
            utility_id (str): Id of the utility, such as UTILITY-00001.
            old_until (str): Last day at the old home, not before the new one starts, as YYYY-MM-DD.
            new_from (str): First day at the new home, not in the past, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        utility = self.utilities.get(utility_id)
        if utility is None:
            return _refused(f"There is no utility {utility_id!r}.")
        if utility["status"] not in ("running", "ordered"):
            return _refused(f"The {utility['name']} was switched already.")
        if new_from < self.now[:10]:
            return _refused(f"{new_from} is in the past.")
        if new_from > old_until:
            return _refused(f"There would be no {utility['name']} between {old_until} and {new_from}.")
        if old_until > _plus_days(new_from, 30):
            return _refused("Nobody wants to pay for both homes for more than thirty days.")
        self._journal = []
        changed_utilities: list[Any] = []
        self._put("utilities", utility, "old_until", old_until)
        self._put("utilities", utility, "new_from", new_from)
        if utility["status"] == "running":
            changed_utilities.append(utility)
            self._put("utilities", utility, "status", "ordered")
        for one_utility in _distinct([utility, *changed_utilities]):
            if self._breaks_rule_13(one_utility):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: switch the {utility['name']} from {new_from}.",
            "data": self._changes(),
        }

    def read_meter(self, utility_id: str, reading: Annotated[int, {"minimum": 0, "maximum": 999999}]) -> Result:
        """Report the final reading of a utility on or after its last day at the old home, which settles it.

        Args:
            utility_id (str): Id of the utility, such as UTILITY-00001.
            reading (int): Final reading of the meter at the old home, not before its last day there, from 0 to
                999999.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        utility = self.utilities.get(utility_id)
        if utility is None:
            return _refused(f"There is no utility {utility_id!r}.")
        if utility["status"] != "ordered":
            return _refused(f"The {utility['name']} is {utility['status']}.")
        if utility["old_until"] is not None and utility["old_until"] > self.now[:10]:
            return _refused(
                f"The {utility['name']} runs at the old home until {utility['old_until']}, so read the meter then."
            )
        self._journal = []
        self._put("utilities", utility, "final_reading", reading)
        self._put("utilities", utility, "status", "switched")
        if self._breaks_rule_13(utility):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: report {reading} for the {utility['name']}.",
            "data": self._changes(),
        }

    def _show_trip(self, trip: Trip) -> dict[str, Any]:
        """The trip as an answer shows it."""
        return {
            **trip,
            "crew_ids": [*trip["crew_ids"]],
            "load": self._trip_load(trip),
            "strongest": self._trip_strongest(trip),
        }

    def _show_box(self, box: Box) -> dict[str, Any]:
        """The box as an answer shows it."""
        return {**box, "weight": self._box_weight(box), "fragile": self._box_fragile(box)}

    def _names_of_trips(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trips point to."""
        return _names(
            (self.vans, "name", [row["van_id"] for row in shown]),
            (self.helpers, "name", [each for row in shown for each in row["crew_ids"]]),
        )

    def _names_of_boxes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that boxes point to."""
        return _names(
            (self.rooms, "name", [row["packed_in_id"] for row in shown]),
            (self.rooms, "name", [row["goes_to_id"] for row in shown]),
            (self.trips, "name", [row["trip_id"] for row in shown]),
            (self.boxes, "label", [row["on_top_of_id"] for row in shown]),
        )

    def _names_of_items(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that items point to."""
        return _names(
            (self.rooms, "name", [row["room_id"] for row in shown]),
            (self.boxes, "label", [row["box_id"] for row in shown]),
        )

    def _trip_load(self, trip: Trip) -> int:
        """The load of a trip."""
        return sum(self._box_weight(b) for b in self._boxes_by_trip.get(trip["id"], {}).values())

    def _trip_strongest(self, trip: Trip) -> int | None:
        """The strongest of a trip."""
        return max((h["lifts"] for h in [self.helpers[key] for key in trip["crew_ids"]]), default=None)

    def _box_weight(self, box: Box) -> int:
        """The weight of a box."""
        return 1 + sum(i["weight"] for i in self._items_by_box.get(box["id"], {}).values())

    def _box_fragile(self, box: Box) -> bool:
        """The fragile of a box."""
        return any(i["fragile"] for i in self._items_by_box.get(box["id"], {}).values())

    def _on_it(self, b: Box) -> Box | None:
        return next(
            (o for o in sorted(self._boxes_by_on_top_of_status.get((b["id"], "loaded"), {}).values(), key=_age)),
            None,
        )

    def _inside(self, b: Box) -> list[Item]:
        return sorted(self._items_by_box.get(b["id"], {}).values(), key=_age)

    def _heaviest_in(self, b: Box) -> Item | None:
        return min(self._inside(b), key=lambda i: (-i["weight"], i["name"], _age(i)), default=None)

    def _room_left(self, t: Trip) -> int:
        return self.vans[t["van_id"]]["payload"] - self._trip_load(t)

    def _breaks_rule_1(self, b: Box) -> bool:
        """Whether this is broken: a box weighs at most 25 kilos, unless it is a single large piece."""
        return self._box_weight(b) > 25 and len(self._items_by_box.get(b["id"], {})) != 1

    def _breaks_rule_2(self, t: Trip) -> bool:
        """Whether this is broken: a van never carries more than its payload."""
        return self._trip_load(t) > self.vans[t["van_id"]]["payload"]

    def _breaks_rule_3(self, b: Box) -> bool:
        """Whether this is broken: nothing heavier than six kilos lies anywhere on a fragile box."""
        return self._box_fragile(b) and any(self._box_weight(o) > 6 for o in _below(self._boxes_by_on_top_of, b))

    def _breaks_rule_4(self, b: Box) -> bool:
        """Whether this is broken: one box lies on another, never two."""
        return (
            b["on_top_of_id"] is not None
            and any(
                other_b is not b
                for other_b in self._boxes_by_on_top_of.get(b["on_top_of_id"], {}).values()
                if other_b["on_top_of_id"] is not None
            )
        )

    def _breaks_rule_5(self, b: Box) -> bool:
        """Whether this is broken: boxes that are stacked go on the same trip."""
        return not (
            b["on_top_of_id"] is None
            or b["trip_id"] is not None
            and self.boxes[b["on_top_of_id"]]["trip_id"] == b["trip_id"]
        )

    def _breaks_rule_6(self, b: Box) -> bool:
        """Whether this is broken: a stack is at most three boxes high."""
        return len(_above(self.boxes, b, "on_top_of_id")) > 2

    def _breaks_rule_7(self, b: Box) -> bool:
        """Whether this is broken: a box is on a trip from loading until it is delivered, and at no other time."""
        return (b["trip_id"] is not None) != (b["status"] in ("loaded", "delivered", "unpacked"))

    def _breaks_rule_8(self, b: Box) -> bool:
        """Whether this is broken: loaded boxes are on trips that are not over, and delivered ones on trips that are.
        """
        return (
            b["trip_id"] is not None
            and (b["status"] == "loaded") != (self.trips[b["trip_id"]]["status"] != "done")
        )

    def _breaks_rule_9(self, b: Box) -> bool:
        """Whether this is broken: somebody on a trip can lift every box of it."""
        return not (
            b["trip_id"] is None
            or any(
                h["lifts"] >= self._box_weight(b)
                for h in [self.helpers[key] for key in self.trips[b["trip_id"]]["crew_ids"]]
            )
            or b["status"] == "unpacked"
        )

    def _breaks_rule_10(self, t: Trip) -> bool:
        """Whether this is broken: a van makes one trip a day, and a helper is on one trip a day."""
        return any(
            other_t is not t
            for other_t in self._trips_by_van.get(t["van_id"], {}).values()
            if other_t["on"] == t["on"]
        )

    def _breaks_rule_10_again(self) -> bool:
        """Whether this is broken: a van makes one trip a day, and a helper is on one trip a day."""
        return not _different(
            [(h["id"], t["on"]) for t in self.trips.values() for h in [self.helpers[key] for key in t["crew_ids"]]]
        )

    def _breaks_rule_11(self, i: Item) -> bool:
        """Whether this is broken: things are packed where they stand."""
        return i["box_id"] is not None and i["room_id"] != self.boxes[i["box_id"]]["packed_in_id"]

    def _breaks_rule_12_a(self, a: Item) -> bool:
        """Whether this is broken: fragile things are not packed with anything heavier than eight kilos."""
        return (
            a["box_id"] is not None
            and a["fragile"]
            and any(b["weight"] > 8 for b in self._items_by_box.get(a["box_id"], {}).values() if b is not a)
        )

    def _breaks_rule_12_b(self, b: Item) -> bool:
        """Whether this is broken: fragile things are not packed with anything heavier than eight kilos."""
        return (
            b["weight"] > 8
            and any(
                b is not a
                for a in self._items_by_box.get(b["box_id"], {}).values()
                if a["box_id"] is not None
                and a["fragile"]
            )
        )

    def _breaks_rule_13(self, u: Utility) -> bool:
        """Whether this is broken: no utility is without supply between the homes."""
        return not (
            u["status"] == "running"
            or u["old_until"] is not None
            and u["new_from"] is not None
            and u["new_from"] <= u["old_until"]
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
            case "trips":
                self._trips_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._trips_by_on.setdefault(record["on"], {})[record["id"]] = record
                self._trips_by_van.setdefault(record["van_id"], {})[record["id"]] = record
            case "boxes":
                self._boxes_by_label.setdefault(record["label"], {})[record["id"]] = record
                self._boxes_by_on_top_of.setdefault(record["on_top_of_id"], {})[record["id"]] = record
                self._boxes_by_on_top_of_status.setdefault(
                    (record["on_top_of_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._boxes_by_trip.setdefault(record["trip_id"], {})[record["id"]] = record
                self._boxes_by_trip_status.setdefault((record["trip_id"], record["status"]), {})[record["id"]] = record
            case "items":
                self._items_by_box.setdefault(record["box_id"], {})[record["id"]] = record
                self._items_by_room.setdefault(record["room_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "trips":
                del self._trips_by_name[record["name"]][record["id"]]
                del self._trips_by_on[record["on"]][record["id"]]
                del self._trips_by_van[record["van_id"]][record["id"]]
            case "boxes":
                del self._boxes_by_label[record["label"]][record["id"]]
                del self._boxes_by_on_top_of[record["on_top_of_id"]][record["id"]]
                del self._boxes_by_on_top_of_status[record["on_top_of_id"], record["status"]][record["id"]]
                del self._boxes_by_trip[record["trip_id"]][record["id"]]
                del self._boxes_by_trip_status[record["trip_id"], record["status"]][record["id"]]
            case "items":
                del self._items_by_box[record["box_id"]][record["id"]]
                del self._items_by_room[record["room_id"]][record["id"]]
