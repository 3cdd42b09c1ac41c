"""Ship chandler. Compiled from blueprint.yaml; run `envscaler build ship_chandler` after changing it there.

Supplies vessels in port with provisions and sealed bonded goods, packs their orders, takes them out by launch
or van and has delivery notes signed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No craft carries more than it can.",
    "Launches go to vessels at anchor and vans to vessels alongside, while they are in port.",
    "No vessel gets more bonded goods in a call than its crew is allowed.",
    "An order with bonded goods is sealed from packing on, and no other order is.",
    "A seal is used once.",
    "Orders are on a trip when they are loaded or delivered, and at no other time.",
    "An article stands once on an order.",
    "Every delivered order has one delivery note, with what was accepted of each line.",
    "Nobody accepts more than was ordered.",
    "A craft makes one trip at a time, and no two at the same minute.",
    "A craft that is back has nothing on board.",
    "A vessel sails after it arrives, and its calls do not overlap.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_order",
    "change_line",
    "receive_stock",
    "pack_order",
    "cancel_order",
    "plan_trip",
    "load_order",
    "send_trip",
    "deliver_order",
    "bring_back",
    "shift_call",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "vessels": ("name",),
    "calls": ("label",),
    "articles": ("name",),
    "supply_orders": ("number",),
    "lines": (),
    "crafts": ("name",),
    "trips": (),
    "delivery_notes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("calls", "vessel_id"),
    ("delivery_notes", "order_id"),
    ("lines", "article_id"),
    ("lines", "order_id"),
    ("supply_orders", "call_id"),
    ("supply_orders", "number"),
    ("supply_orders", "seal"),
    ("supply_orders", "status"),
    ("supply_orders", "trip_id"),
    ("trips", "craft_id"),
    ("trips", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Vessel(TypedDict):
    id: str
    name: str
    flag: str
    crew: int


class Call(TypedDict):
    id: str
    vessel_id: str
    lies: Literal["anchorage", "alongside"]
    arrives: str
    sails: str
    label: str


class Article(TypedDict):
    id: str
    name: str
    unit: Literal["kg", "case", "bottle", "carton", "drum", "piece"]
    price: int
    weight: int
    stock: int
    a_head: int | None


class SupplyOrder(TypedDict):
    id: str
    number: str
    call_id: str
    placed_at: str
    seal: str | None
    trip_id: str | None
    status: Literal["open", "packed", "cancelled", "loaded", "delivered"]


class Line(TypedDict):
    id: str
    order_id: str
    article_id: str
    amount: int
    accepted: int | None


class Craft(TypedDict):
    id: str
    name: str
    kind: Literal["launch", "van"]
    carries: int


class Trip(TypedDict):
    id: str
    craft_id: str
    leaves_at: str
    status: Literal["planned", "under_way", "back"]


class DeliveryNote(TypedDict):
    id: str
    order_id: str
    signed_by: str
    signed_at: str
    total: int


class OpenOrderLine(TypedDict):
    article_id: str
    amount: Annotated[int, {"minimum": 1, "maximum": 900}]


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class ShipChandler:
    """Supplies vessels in port with provisions and sealed bonded goods, packs their orders, takes them out
    by launch or van and has delivery notes signed.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.vessels: dict[str, Vessel] = _copied(config.get("vessels", {}))
        self.calls: dict[str, Call] = _copied(config.get("calls", {}))
        self.articles: dict[str, Article] = _copied(config.get("articles", {}))
        self.supply_orders: dict[str, SupplyOrder] = _copied(config.get("supply_orders", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.crafts: dict[str, Craft] = _copied(config.get("crafts", {}))
        self.trips: dict[str, Trip] = _copied(config.get("trips", {}))
        self.delivery_notes: dict[str, DeliveryNote] = _copied(config.get("delivery_notes", {}))
        self.now: str = config.get("now", "2026-07-21T07:30")
        self.counters: dict[str, int] = {
            "vessel": len(self.vessels),
            "call": len(self.calls),
            "article": len(self.articles),
            "supply_order": len(self.supply_orders),
            "line": len(self.lines),
            "craft": len(self.crafts),
            "trip": len(self.trips),
            "delivery_note": len(self.delivery_notes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._calls_by_vessel: dict[Any, dict[str, Call]] = {}
        self._supply_orders_by_call: dict[Any, dict[str, SupplyOrder]] = {}
        self._supply_orders_by_call_status: dict[Any, dict[str, SupplyOrder]] = {}
        self._supply_orders_by_number: dict[Any, dict[str, SupplyOrder]] = {}
        self._supply_orders_by_seal: dict[Any, dict[str, SupplyOrder]] = {}
        self._supply_orders_by_trip: dict[Any, dict[str, SupplyOrder]] = {}
        self._supply_orders_by_trip_status: dict[Any, dict[str, SupplyOrder]] = {}
        self._lines_by_article: dict[Any, dict[str, Line]] = {}
        self._lines_by_order: dict[Any, dict[str, Line]] = {}
        self._lines_by_order_article: dict[Any, dict[str, Line]] = {}
        self._trips_by_craft: dict[Any, dict[str, Trip]] = {}
        self._trips_by_craft_status: dict[Any, dict[str, Trip]] = {}
        self._delivery_notes_by_order: dict[Any, dict[str, DeliveryNote]] = {}
        for call in self.calls.values():
            self._link("calls", call)
        for supply_order in self.supply_orders.values():
            self._link("supply_orders", supply_order)
        for line in self.lines.values():
            self._link("lines", line)
        for trip in self.trips.values():
            self._link("trips", trip)
        for delivery_note in self.delivery_notes.values():
            self._link("delivery_notes", delivery_note)

    def trips_for(self, order_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Planned trips that could still take an order, the soonest first.

        Args:
            order_id (str): Order that a trip is to take; an id such as SO-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trips": records}} or {"success": False, "error": why
                not}
        """
        order = self.supply_orders.get(order_id)
        if order is None:
            return _refused(f"There is no supply order {order_id!r}.")
        found = [t for t in self.trips.values() if self._takes(t, order)]
        found.sort(key=lambda t: (t["leaves_at"], self.crafts[t["craft_id"]]["name"], _age(t)))
        return _found(
            {
                "total": len(found),
                "trips": [
                    {
                        "id": t["id"],
                        "craft": self.crafts[t["craft_id"]]["name"],
                        "leaves_at": t["leaves_at"],
                        "room": self._trip_room(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def bonded_allowance(
        self,
        call_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """How much of the bonded articles the crew of a call may still have.

        Args:
            call_id (str): Id of the call, such as CALL-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}} or {"success": False, "error": why
                not}
        """
        call = self.calls.get(call_id)
        if call is None:
            return _refused(f"There is no call {call_id!r}.")
        found = [a for a in self.articles.values() if a["a_head"] is not None]
        found.sort(key=lambda a: (a["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "articles": [
                    {
                        "id": a["id"],
                        "name": a["name"],
                        "allowed": a["a_head"] * self.vessels[call["vessel_id"]]["crew"],
                        "drawn": self._drawn(call, a),
                        "still": a["a_head"] * self.vessels[call["vessel_id"]]["crew"] - self._drawn(call, a),
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def in_port(
        self,
        by_time: DateTime | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Vessels in port now or coming by a time, by their sailing.

        Args:
            by_time (str, optional): Time by which coming vessels arrive, those in port being listed anyway, as
                YYYY-MM-DDTHH:MM. If left out, only vessels that are in port now are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "calls": records}} or {"success": False, "error": why
                not}
        """
        found = [
            k
            for k in self.calls.values()
            if k["sails"] > self.now
            and k["arrives"] <= (by_time if by_time is not None else self.now)
        ]
        found.sort(key=lambda k: (k["sails"], k["label"], _age(k)))
        return _found(
            {
                "total": len(found),
                "calls": [
                    {
                        "id": k["id"],
                        "label": k["label"],
                        "vessel": self.vessels[k["vessel_id"]]["name"],
                        "lies": k["lies"],
                        "arrives": k["arrives"],
                        "sails": k["sails"],
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def list_vessels(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vessels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vessels whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vessels": records}}
        """
        found = [
            vessel
            for vessel in self.vessels.values()
            if (name is None or name.casefold() in vessel["name"].casefold())
        ]
        return _found({"total": len(found), "vessels": [{**vessel} for vessel in _page(found, offset)]})

    def list_calls(
        self,
        label: Text | None = None,
        vessel_id: str | None = None,
        lies: Literal["anchorage", "alongside"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the calls, oldest first, all of them or only some.

        Args:
            label (str, optional): Only calls whose label contains this text.
            vessel_id (str, optional): Only calls of this vessel.
            lies (str, optional): Only calls whose `lies` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "calls": records}}
        """
        if vessel_id is not None and vessel_id not in self.vessels:
            return _refused(f"There is no vessel {vessel_id!r}.")
        found = [
            call
            for call in self.calls.values()
            if (label is None or label.casefold() in call["label"].casefold())
            and (vessel_id is None or call["vessel_id"] == vessel_id)
            and (lies is None or call["lies"] == lies)
        ]
        shown = [{**call} for call in _page(found, offset)]
        return _found({"total": len(found), "calls": shown}, self._names_of_calls(shown))

    def list_articles(
        self,
        name: Text | None = None,
        unit: Literal["kg", "case", "bottle", "carton", "drum", "piece"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the articles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only articles whose name contains this text.
            unit (str, optional): Only articles with this unit.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}}
        """
        found = [
            article
            for article in self.articles.values()
            if (name is None or name.casefold() in article["name"].casefold())
            and (unit is None or article["unit"] == unit)
        ]
        return _found({"total": len(found), "articles": [{**article} for article in _page(found, offset)]})

    def list_supply_orders(
        self,
        number: Text | None = None,
        call_id: str | None = None,
        trip_id: str | None = None,
        status: Literal["open", "packed", "cancelled", "loaded", "delivered"] | None = None,
        placed_at_from: Date | None = None,
        placed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the supply orders, oldest first, all of them or only some.

        Args:
            number (str, optional): Only supply orders whose number contains this text.
            call_id (str, optional): Only supply orders of this call.
            trip_id (str, optional): Only supply orders of this trip.
            status (str, optional): Only supply orders with this status.
            placed_at_from (str, optional): Only supply orders whose `placed_at` is on this day or later.
            placed_at_to (str, optional): Only supply orders whose `placed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "supply_orders": records}}
        """
        if call_id is not None and call_id not in self.calls:
            return _refused(f"There is no call {call_id!r}.")
        if trip_id is not None and trip_id not in self.trips:
            return _refused(f"There is no trip {trip_id!r}.")
        found = [
            supply_order
            for supply_order in self.supply_orders.values()
            if (number is None or number.casefold() in supply_order["number"].casefold())
            and (call_id is None or supply_order["call_id"] == call_id)
            and (trip_id is None or supply_order["trip_id"] == trip_id)
            and (status is None or supply_order["status"] == status)
            and (placed_at_from is None or supply_order["placed_at"][:10] >= placed_at_from)
            and (placed_at_to is None or supply_order["placed_at"][:10] <= placed_at_to)
        ]
        shown = [self._show_supply_order(supply_order) for supply_order in _page(found, offset)]
        return _found({"total": len(found), "supply_orders": shown}, self._names_of_supply_orders(shown))

    def list_lines(
        self,
        order_id: str | None = None,
        article_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only lines whose order is this supply order.
            article_id (str, optional): Only lines of this article.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if order_id is not None and order_id not in self.supply_orders:
            return _refused(f"There is no supply order {order_id!r}.")
        if article_id is not None and article_id not in self.articles:
            return _refused(f"There is no article {article_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (order_id is None or line["order_id"] == order_id)
            and (article_id is None or line["article_id"] == article_id)
        ]
        shown = [{**line} for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_crafts(
        self,
        name: Text | None = None,
        kind: Literal["launch", "van"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crafts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only crafts whose name contains this text.
            kind (str, optional): Only crafts with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crafts": records}}
        """
        found = [
            craft
            for craft in self.crafts.values()
            if (name is None or name.casefold() in craft["name"].casefold())
            and (kind is None or craft["kind"] == kind)
        ]
        return _found({"total": len(found), "crafts": [{**craft} for craft in _page(found, offset)]})

    def list_trips(
        self,
        craft_id: str | None = None,
        status: Literal["planned", "under_way", "back"] | None = None,
        leaves_at_from: Date | None = None,
        leaves_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trips, oldest first, all of them or only some.

        Args:
            craft_id (str, optional): Only trips of this craft.
            status (str, optional): Only trips with this status.
            leaves_at_from (str, optional): Only trips whose `leaves_at` is on this day or later.
            leaves_at_to (str, optional): Only trips whose `leaves_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trips": records}}
        """
        if craft_id is not None and craft_id not in self.crafts:
            return _refused(f"There is no craft {craft_id!r}.")
        found = [
            trip
            for trip in self.trips.values()
            if (craft_id is None or trip["craft_id"] == craft_id)
            and (status is None or trip["status"] == status)
            and (leaves_at_from is None or trip["leaves_at"][:10] >= leaves_at_from)
            and (leaves_at_to is None or trip["leaves_at"][:10] <= leaves_at_to)
        ]
        shown = [self._show_trip(trip) for trip in _page(found, offset)]
        return _found({"total": len(found), "trips": shown}, self._names_of_trips(shown))

    def list_delivery_notes(
        self,
        order_id: str | None = None,
        signed_at_from: Date | None = None,
        signed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the delivery notes, oldest first, all of them or only some.

        Args:
            order_id (str, optional): Only delivery notes whose order is this supply order.
            signed_at_from (str, optional): Only delivery notes whose `signed_at` is on this day or later.
            signed_at_to (str, optional): Only delivery notes whose `signed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "delivery_notes": records}}
        """
        if order_id is not None and order_id not in self.supply_orders:
            return _refused(f"There is no supply order {order_id!r}.")
        found = [
            delivery_note
            for delivery_note in self.delivery_notes.values()
            if (order_id is None or delivery_note["order_id"] == order_id)
            and (signed_at_from is None or delivery_note["signed_at"][:10] >= signed_at_from)
            and (signed_at_to is None or delivery_note["signed_at"][:10] <= signed_at_to)
        ]
        shown = [{**delivery_note} for delivery_note in _page(found, offset)]
        return _found({"total": len(found), "delivery_notes": shown}, self._names_of_delivery_notes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_order(
        self,
        call_id: str,
        number: Text,
        lines: Annotated[list[OpenOrderLine], {"maxItems": 20}],
    ) -> Result:
        """Open an order for the call of a vessel.

        Args:
            call_id (str): Id of the call, such as CALL-00001.
            number (str): Number of the new order, not in use yet.
            lines (list): One entry for each article, each named once: article_id: article that the vessel wants;
                an id such as ARTICLE-00001; amount: how much of it, in the unit of the article, from 1 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        call = self.calls.get(call_id)
        if call is None:
            return _refused(f"There is no call {call_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["article_id"] not in self.articles:
                return _refused(f"There is no article {entry['article_id']!r}.")
            lines.append({"article": self.articles[entry["article_id"]], "amount": entry["amount"]})
        if self._supply_orders_by_number.get(number, {}):
            return _refused(f"There is an order {number} already.")
        if self.now >= call["sails"]:
            return _refused(f"{self.vessels[call['vessel_id']]['name']} sailed at {call['sails']}.")
        if not (len(lines) > 0 and _different([l["article"]["id"] for l in lines])):
            return _refused("Name at least one article, and each once.")
        over = next(
            (
                l
                for l in lines
                if l["article"]["a_head"] is not None
                and self._drawn(
                    call,
                    l["article"],
                ) + l["amount"] > l["article"]["a_head"] * self.vessels[call["vessel_id"]]["crew"]
            ),
            None,
        )
        if over is not None:
            return _refused(
                f"The crew of {self.vessels[call['vessel_id']]['crew']} has {self._drawn(call, over['article'])} "
                f"{over['article']['name']} already and is not allowed {over['amount']} more."
            )
        self._journal = []
        added_lines: list[Any] = []
        order: SupplyOrder = {
            "id": self._new_id("supply_order", "SO", self.supply_orders),
            "number": number,
            "call_id": call_id,
            "placed_at": self.now,
            "seal": None,
            "trip_id": None,
            "status": "open",
        }
        self._add("supply_orders", order)
        for l in sorted(lines, key=lambda l: (l["article"]["name"],)):
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "order_id": order["id"],
                "article_id": l["article"]["id"],
                "amount": l["amount"],
                "accepted": None,
            }
            self._add("lines", line)
            added_lines.append(line)
        if len(self._supply_orders_by_number.get(order["number"], {})) > 1:
            return self._take_back(f"There is already a supply order with the number {order['number']!r}.")
        for one_trip in _distinct(
            [
                self.trips.get(order["trip_id"]),
                *[
                    self.trips.get(one["trip_id"])
                    for one in [self.supply_orders[one["order_id"]] for one in added_lines]
                ],
            ]
        ):
            if self._breaks_rule_1(one_trip):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_o(order):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_o_again(order):
            return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *added_lines,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            self.calls[one["call_id"]]
                            for one in [self.supply_orders[one["order_id"]] for one in added_lines]
                        ]
                        for user in self._supply_orders_by_call.get(one["id"], {}).values()
                    ]
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_supply_order in _distinct([order, *[self.supply_orders[one["order_id"]] for one in added_lines]]):
            if self._breaks_rule_4(one_supply_order):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(order):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: open order {number} for {self.vessels[call['vessel_id']]['name']} (new: supply order "
                f"{order['id']})."
            ),
            "data": {"supply_order_id": order["id"], **self._changes()},
        }

    def change_line(self, line_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 900}]) -> Result:
        """Change the amount of an article on an open order.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            amount (int): New amount in all, in the unit of the article, from 1 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        if self.supply_orders[line["order_id"]]["status"] != "open":
            return _refused(
                f"Order {self.supply_orders[line['order_id']]['number']} is "
                f"{self.supply_orders[line['order_id']]['status']}."
            )
        if amount == line["amount"]:
            return _refused(
                f"Order {self.supply_orders[line['order_id']]['number']} has {amount} "
                f"{self.articles[line['article_id']]['name']} already."
            )
        if (
            self.articles[line["article_id"]]["a_head"] is not None
            and self._drawn(
                self.calls[self.supply_orders[line["order_id"]]["call_id"]],
                self.articles[line["article_id"]],
            ) - line["amount"] + amount > self.articles[line["article_id"]]["a_head"] * self.vessels[
                self.calls[self.supply_orders[line["order_id"]]["call_id"]]["vessel_id"]
            ]["crew"]
        ):
            return _refused(
                "The crew of "
                f"{self.vessels[self.calls[self.supply_orders[line['order_id']]['call_id']]['vessel_id']]['crew']} is not allowed so much {self.articles[line['article_id']]['name']}."
            )
        self._journal = []
        self._put("lines", line, "amount", amount)
        for one_trip in _distinct([self.trips.get(self.supply_orders[line["order_id"]]["trip_id"])]):
            if self._breaks_rule_1(one_trip):
                return self._take_back(RULES[0])
        for one_line in _distinct(
            [
                user
                for one in self._supply_orders_by_call.get(
                    self.supply_orders[line["order_id"]]["call_id"],
                    {},
                ).values()
                for user in self._lines_by_order.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        if self._breaks_rule_9(line):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: change {self.articles[line['article_id']]['name']} on order "
                f"{self.supply_orders[line['order_id']]['number']} to {amount}."
            ),
            "data": self._changes(),
        }

    def receive_stock(self, article_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 900}]) -> Result:
        """Enter what a wholesaler has brought of an article.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            amount (int): How much was brought, in the unit of the article, from 1 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        if article["stock"] + amount > 5000:
            return _refused(f"There is no room for {article['stock'] + amount} {article['name']}.")
        self._journal = []
        stock = article["stock"] + amount
        if not 0 <= stock <= 5000:
            return self._take_back(f"The stock of {article['name']} must be between 0 and 5000.")
        self._put("articles", article, "stock", stock)
        return {"success": True, "message": f"Done: receive {amount} {article['name']}.", "data": self._changes()}

    def pack_order(self, order_id: str, seal: Text | None = None) -> Result:
        """Pack an open order from stock; bonded goods go under a customs seal.

        Args:
            order_id (str): Open order that is packed; an id such as SO-00001.
            seal (str, optional): Number of the customs seal, only for an order with bonded goods. If left out, the
                order has no seal, which only works without bonded goods.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.supply_orders.get(order_id)
        if order is None:
            return _refused(f"There is no supply order {order_id!r}.")
        if order["status"] != "open":
            return _refused(f"Order {order['number']} is {order['status']}.")
        short = self._lacking(order)
        if short is not None:
            return _refused(
                f"There are {self.articles[short['article_id']]['stock']} "
                f"{self.articles[short['article_id']]['name']}, and order {order['number']} wants {short['amount']}."
            )
        if self._supply_order_bonded(order) != (seal is not None):
            return _refused(f"Order {order['number']} needs a seal where it holds bonded goods, and only there.")
        if not (seal is None or not self._supply_orders_by_seal.get(seal, {})):
            return _refused("That seal was used before.")
        self._journal = []
        for l in sorted(self._lines_by_order.get(order_id, {}).values(), key=_age):
            article = self.articles[l["article_id"]]
            stock = self.articles[l["article_id"]]["stock"] - l["amount"]
            if not 0 <= stock <= 5000:
                return self._take_back(f"The stock of {article['name']} must be between 0 and 5000.")
            self._put("articles", article, "stock", stock)
        self._put("supply_orders", order, "seal", seal)
        self._put("supply_orders", order, "status", "packed")
        if self._breaks_rule_2_o_again(order):
            return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *self._lines_by_order.get(order["id"], {}).values(),
                *[
                    user
                    for one in self._supply_orders_by_call.get(order["call_id"], {}).values()
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        for one_line in _distinct(self._lines_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(order):
            return self._take_back(RULES[10])
        done = f"pack order {order['number']}"
        if seal is not None:
            done += f" under seal {seal}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_order(self, order_id: str) -> Result:
        """Cancel an order that is not on a craft; what was packed goes back to stock and a seal is void.

        Args:
            order_id (str): Open or packed order that is cancelled; an id such as SO-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.supply_orders.get(order_id)
        if order is None:
            return _refused(f"There is no supply order {order_id!r}.")
        if order["status"] not in ("open", "packed"):
            return _refused(f"Order {order['number']} is {order['status']}.")
        self._journal = []
        if order["status"] == "packed":
            for l in sorted(self._lines_by_order.get(order_id, {}).values(), key=_age):
                article = self.articles[l["article_id"]]
                stock = self.articles[l["article_id"]]["stock"] + l["amount"]
                if not 0 <= stock <= 5000:
                    return self._take_back(f"The stock of {article['name']} must be between 0 and 5000.")
                self._put("articles", article, "stock", stock)
        self._put("supply_orders", order, "seal", None)
        self._put("supply_orders", order, "status", "cancelled")
        if self._breaks_rule_2_o_again(order):
            return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *self._lines_by_order.get(order["id"], {}).values(),
                *[
                    user
                    for one in self._supply_orders_by_call.get(order["call_id"], {}).values()
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(order):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        for one_line in _distinct(self._lines_by_order.get(order["id"], {}).values()):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(order):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: cancel order {order['number']}.", "data": self._changes()}

    def plan_trip(self, craft_id: str, leaves_at: DateTime) -> Result:
        """Plan a trip of a launch or a van.

        Args:
            craft_id (str): Id of the craft, such as CRAFT-00001.
            leaves_at (str): Future time when the craft leaves, two hours apart from its other trips, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        craft = self.crafts.get(craft_id)
        if craft is None:
            return _refused(f"There is no craft {craft_id!r}.")
        if leaves_at <= self.now:
            return _refused(f"{leaves_at} is over.")
        near = next(
            (
                t
                for t in sorted(self._trips_by_craft_status.get((craft_id, "planned"), {}).values(), key=_age)
                if abs(_minutes_between(leaves_at, t["leaves_at"])) < 120
            ),
            None,
        )
        if near is not None:
            return _refused(f"{craft['name']} leaves at {near['leaves_at']}, and two hours must lie between trips.")
        self._journal = []
        trip: Trip = {
            "id": self._new_id("trip", "TRIP", self.trips),
            "craft_id": craft_id,
            "leaves_at": leaves_at,
            "status": "planned",
        }
        self._add("trips", trip)
        if self._breaks_rule_1(trip):
            return self._take_back(RULES[0])
        if self._breaks_rule_10_t(trip):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t_again(trip):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: plan {craft['name']} for {leaves_at} (new: trip {trip['id']}).",
            "data": {"trip_id": trip["id"], **self._changes()},
        }

    def load_order(self, order_id: str, trip_id: str) -> Result:
        """Load a packed order on a planned trip, or move it there from another.

        Args:
            order_id (str): Order that goes on the trip, packed or on another planned trip; an id such as SO-00001.
            trip_id (str): Id of the trip, such as TRIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.supply_orders.get(order_id)
        if order is None:
            return _refused(f"There is no supply order {order_id!r}.")
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if order["status"] not in ("packed", "loaded"):
            return _refused(f"Order {order['number']} is {order['status']}.")
        if order["trip_id"] == trip_id:
            return _refused(f"Order {order['number']} is on that trip already.")
        if order["trip_id"] is not None and self.trips[order["trip_id"]]["status"] != "planned":
            return _refused(f"Order {order['number']} is on its way.")
        if trip["status"] != "planned":
            return _refused(f"{self.crafts[trip['craft_id']]['name']} is {trip['status']}.")
        if not self._reaches(self.crafts[trip["craft_id"]], self.calls[order["call_id"]]):
            return _refused(
                f"{self.vessels[self.calls[order['call_id']]['vessel_id']]['name']} lies "
                f"{self.calls[order['call_id']]['lies']}, where no {self.crafts[trip['craft_id']]['kind']} goes."
            )
        if (
            self.calls[order["call_id"]]["arrives"] > trip["leaves_at"]
            or trip["leaves_at"] >= self.calls[order["call_id"]]["sails"]
        ):
            return _refused(
                f"{self.vessels[self.calls[order['call_id']]['vessel_id']]['name']} is in port from "
                f"{self.calls[order['call_id']]['arrives']} to {self.calls[order['call_id']]['sails']}."
            )
        if self._trip_room(trip) < self._supply_order_weight(order):
            return _refused(
                f"{self.crafts[trip['craft_id']]['name']} has room for {self._trip_room(trip)} kg, and order "
                f"{order['number']} weighs {self._supply_order_weight(order)}."
            )
        self._journal = []
        changed_supply_orders: list[Any] = []
        former_trip_id = order["trip_id"]
        self._put("supply_orders", order, "trip_id", trip_id)
        if order["status"] == "packed":
            changed_supply_orders.append(order)
            self._put("supply_orders", order, "status", "loaded")
        for one_trip in _distinct([self.trips.get(order["trip_id"]), self.trips.get(former_trip_id)]):
            if self._breaks_rule_1(one_trip):
                return self._take_back(RULES[0])
        if self._breaks_rule_2_o(order):
            return self._take_back(RULES[1])
        for one_supply_order in _distinct([order, *changed_supply_orders]):
            if self._breaks_rule_2_o_again(one_supply_order):
                return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *[user for one in changed_supply_orders for user in self._lines_by_order.get(one["id"], {}).values()],
                *[
                    user
                    for one in [
                        user
                        for one in [self.calls[one["call_id"]] for one in changed_supply_orders]
                        for user in self._supply_orders_by_call.get(one["id"], {}).values()
                    ]
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_supply_order in _distinct(changed_supply_orders):
            if self._breaks_rule_4(one_supply_order):
                return self._take_back(RULES[3])
        for one_supply_order in _distinct([order, *changed_supply_orders]):
            if self._breaks_rule_6(one_supply_order):
                return self._take_back(RULES[5])
        for one_supply_order in _distinct(changed_supply_orders):
            if self._breaks_rule_8_o(one_supply_order):
                return self._take_back(RULES[7])
        for one_line in _distinct(
            [user for one in changed_supply_orders for user in self._lines_by_order.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        for one_supply_order in _distinct([order, *changed_supply_orders]):
            if self._breaks_rule_11(one_supply_order):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: load order {order['number']} on {self.crafts[trip['craft_id']]['name']}.",
            "data": self._changes(),
        }

    def send_trip(self, trip_id: str) -> Result:
        """Send a trip on its way at its time or later.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] != "planned":
            return _refused(f"{self.crafts[trip['craft_id']]['name']} is {trip['status']}.")
        if trip["leaves_at"] > self.now:
            return _refused(f"{self.crafts[trip['craft_id']]['name']} leaves at {trip['leaves_at']}.")
        if not self._supply_orders_by_trip.get(trip_id, {}):
            return _refused(f"There is nothing on {self.crafts[trip['craft_id']]['name']}.")
        if self._trips_by_craft_status.get((trip["craft_id"], "under_way"), {}):
            return _refused(f"{self.crafts[trip['craft_id']]['name']} is not back from its last trip.")
        self._journal = []
        self._put("trips", trip, "status", "under_way")
        if self._breaks_rule_10_t(trip):
            return self._take_back(RULES[9])
        for one_supply_order in _distinct(
            self._supply_orders_by_trip_status.get((trip["id"], "loaded"), {}).values()
        ):
            if self._breaks_rule_11(one_supply_order):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: send {self.crafts[trip['craft_id']]['name']} off.",
            "data": self._changes(),
        }

    def deliver_order(
        self,
        order_id: str,
        signed_by: Text,
        refused_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Enter the signed delivery note of an order; what was refused goes back to stock and is not billed.

        Args:
            order_id (str): Loaded order that was delivered on a trip under way; an id such as SO-00001.
            signed_by (str): Name of the person aboard who signed the delivery note.
            refused_ids (list): Articles of the order that the vessel did not accept: ids of articles, such as
                ARTICLE-00001. If left out, everything was accepted.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        order = self.supply_orders.get(order_id)
        if order is None:
            return _refused(f"There is no supply order {order_id!r}.")
        refused = []
        for key in refused_ids or []:
            if key not in self.articles:
                return _refused(f"There is no article {key!r}.")
            refused.append(self.articles[key])
        if order["status"] != "loaded" or order["trip_id"] is None:
            return _refused(f"Order {order['number']} is {order['status']}.")
        if self.trips[order["trip_id"]]["status"] != "under_way":
            return _refused(f"{self.crafts[self.trips[order['trip_id']]['craft_id']]['name']} has not left.")
        if self.now >= self.calls[order["call_id"]]["sails"]:
            return _refused(
                f"{self.vessels[self.calls[order['call_id']]['vessel_id']]['name']} sailed at "
                f"{self.calls[order['call_id']]['sails']}, so bring order {order['number']} back."
            )
        if not (
            _different([a["id"] for a in refused])
            and all(
                any(l["article_id"] == a["id"] for l in self._lines_by_order.get(order_id, {}).values())
                for a in refused
            )
        ):
            return _refused(f"A refused article is named twice or was not on order {order['number']}.")
        self._journal = []
        changed_lines: list[Any] = []
        for l in sorted(self._lines_by_order.get(order_id, {}).values(), key=_age):
            if self.articles[l["article_id"]] in refused:
                changed_lines.append(l)
                self._put("lines", l, "accepted", 0)
                article = self.articles[l["article_id"]]
                stock = self.articles[l["article_id"]]["stock"] + l["amount"]
                if not 0 <= stock <= 5000:
                    return self._take_back(f"The stock of {article['name']} must be between 0 and 5000.")
                self._put("articles", article, "stock", stock)
            else:
                changed_lines.append(l)
                self._put("lines", l, "accepted", l["amount"])
        self._put("supply_orders", order, "status", "delivered")
        total = sum(
            l["amount"] * self.articles[l["article_id"]]["price"]
            for l in self._lines_by_order.get(order_id, {}).values()
            if self.articles[l["article_id"]] not in refused
        )
        if not 0 <= total <= 90000000:
            return self._take_back("The total of a delivery note must be between 0.00 and 900,000.00.")
        delivery_note: DeliveryNote = {
            "id": self._new_id("delivery_note", "DN", self.delivery_notes),
            "order_id": order_id,
            "signed_by": signed_by,
            "signed_at": self.now,
            "total": total,
        }
        self._add("delivery_notes", delivery_note)
        if self._breaks_rule_2_o_again(order):
            return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *self._lines_by_order.get(order["id"], {}).values(),
                *[
                    user
                    for one in self._supply_orders_by_call.get(order["call_id"], {}).values()
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(order):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(order):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_o(order):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_o(self.supply_orders[delivery_note["order_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_n(delivery_note):
            return self._take_back(RULES[7])
        for one_line in _distinct([*changed_lines, *self._lines_by_order.get(order["id"], {}).values()]):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(order):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: deliver order {order['number']}, signed by {signed_by} (new: delivery note "
                f"{delivery_note['id']})."
            ),
            "data": {"delivery_note_id": delivery_note["id"], **self._changes()},
        }

    def bring_back(self, trip_id: str) -> Result:
        """Enter that a craft is back; what could not be delivered is packed and waits for another trip.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] != "under_way":
            return _refused(f"{self.crafts[trip['craft_id']]['name']} is {trip['status']}.")
        self._journal = []
        changed_supply_orders: list[Any] = []
        changed_supply_orders_2: list[Any] = []
        former_trip_ids: list[Any] = []
        for o in sorted(self._supply_orders_by_trip_status.get((trip_id, "loaded"), {}).values(), key=_age):
            if o["status"] not in ("open", "packed", "loaded"):
                return self._take_back(f"Supply order {o['number']} cannot go from {o['status']} to packed.")
            changed_supply_orders.append(o)
            self._put("supply_orders", o, "status", "packed")
            changed_supply_orders_2.append(o)
            former_trip_ids.append(o["trip_id"])
            self._put("supply_orders", o, "trip_id", None)
        self._put("trips", trip, "status", "back")
        for one_trip in _distinct(
            [
                *[self.trips.get(one["trip_id"]) for one in changed_supply_orders_2],
                *[self.trips.get(key) for key in former_trip_ids],
            ]
        ):
            if self._breaks_rule_1(one_trip):
                return self._take_back(RULES[0])
        for one_supply_order in _distinct(changed_supply_orders_2):
            if self._breaks_rule_2_o(one_supply_order):
                return self._take_back(RULES[1])
        for one_supply_order in _distinct([*changed_supply_orders, *changed_supply_orders_2]):
            if self._breaks_rule_2_o_again(one_supply_order):
                return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *[user for one in changed_supply_orders for user in self._lines_by_order.get(one["id"], {}).values()],
                *[
                    user
                    for one in [
                        user
                        for one in [self.calls[one["call_id"]] for one in changed_supply_orders]
                        for user in self._supply_orders_by_call.get(one["id"], {}).values()
                    ]
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_supply_order in _distinct(changed_supply_orders):
            if self._breaks_rule_4(one_supply_order):
                return self._take_back(RULES[3])
        for one_supply_order in _distinct([*changed_supply_orders, *changed_supply_orders_2]):
            if self._breaks_rule_6(one_supply_order):
                return self._take_back(RULES[5])
        for one_supply_order in _distinct(changed_supply_orders):
            if self._breaks_rule_8_o(one_supply_order):
                return self._take_back(RULES[7])
        for one_line in _distinct(
            [user for one in changed_supply_orders for user in self._lines_by_order.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_t(trip):
            return self._take_back(RULES[9])
        for one_supply_order in _distinct(
            [
                *changed_supply_orders,
                *changed_supply_orders_2,
                *self._supply_orders_by_trip_status.get((trip["id"], "loaded"), {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_supply_order):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: enter {self.crafts[trip['craft_id']]['name']} as back.",
            "data": self._changes(),
        }

    def shift_call(
        self,
        call_id: str,
        arrives: DateTime | None = None,
        sails: DateTime | None = None,
        lies: Literal["anchorage", "alongside"] | None = None,
    ) -> Result:
        """Change when a vessel arrives or sails, or where she lies, as the agent reports; what is loaded for her on
        planned trips comes off when she changes places.

        Args:
            call_id (str): Id of the call, such as CALL-00001.
            arrives (str, optional): New time at which the vessel arrives, as YYYY-MM-DDTHH:MM. If left out, the
                arrival stays as it is.
            sails (str, optional): New time at which the vessel sails, after it arrives, as YYYY-MM-DDTHH:MM. If
                left out, the sailing stays as it is.
            lies (str, optional): Where the vessel lies, a launch going to the anchorage and a van alongside:
                anchorage or alongside. If left out, she lies where she did.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        call = self.calls.get(call_id)
        if call is None:
            return _refused(f"There is no call {call_id!r}.")
        if call["sails"] <= self.now:
            return _refused(f"{self.vessels[call['vessel_id']]['name']} sailed at {call['sails']}.")
        if not (arrives is not None or sails is not None or lies is not None and lies != call["lies"]):
            return _refused("Give a new time of arrival or sailing, or another place where she lies.")
        from_at = arrives if arrives is not None else call["arrives"]
        until = sails if sails is not None else call["sails"]
        if from_at >= until or until <= self.now:
            return _refused("A vessel sails after it arrives, and in the future.")
        caught = next(
            (
                o
                for o in sorted(self._supply_orders_by_call.get(call_id, {}).values(), key=_age)
                if o["trip_id"] is not None
                and (
                    from_at > self.trips[o["trip_id"]]["leaves_at"]
                    or self.trips[o["trip_id"]]["leaves_at"] >= until
                )
            ),
            None,
        )
        if caught is not None:
            return _refused(f"Order {caught['number']} is on a trip outside of those hours; move that first.")
        if any(
            _overlap(k["arrives"], k["sails"], from_at, until)
            for k in self._calls_by_vessel.get(call["vessel_id"], {}).values()
            if k is not call
        ):
            return _refused(f"{self.vessels[call['vessel_id']]['name']} has another call at that time.")
        away = next(
            (
                o
                for o in sorted(self._supply_orders_by_call_status.get((call_id, "loaded"), {}).values(), key=_age)
                if o["trip_id"] is not None
                and self.trips[o["trip_id"]]["status"] == "under_way"
            ),
            None,
        )
        if lies is not None and lies != call["lies"] and away is not None:
            return _refused(
                f"Order {away['number']} is under way to where {self.vessels[call['vessel_id']]['name']} lay, so "
                "have it delivered or brought back first."
            )
        self._journal = []
        changed_supply_orders: list[Any] = []
        former_trip_ids: list[Any] = []
        changed_supply_orders_2: list[Any] = []
        changed_calls: list[Any] = []
        if lies is not None and lies != call["lies"]:
            for o in sorted(self._supply_orders_by_call_status.get((call_id, "loaded"), {}).values(), key=_age):
                changed_supply_orders.append(o)
                former_trip_ids.append(o["trip_id"])
                self._put("supply_orders", o, "trip_id", None)
                if o["status"] not in ("open", "packed", "loaded"):
                    return self._take_back(f"Supply order {o['number']} cannot go from {o['status']} to packed.")
                changed_supply_orders_2.append(o)
                self._put("supply_orders", o, "status", "packed")
            changed_calls.append(call)
            self._put("calls", call, "lies", lies)
        self._put("calls", call, "arrives", from_at)
        self._put("calls", call, "sails", until)
        for one_trip in _distinct(
            [
                *[self.trips.get(one["trip_id"]) for one in changed_supply_orders],
                *[self.trips.get(key) for key in former_trip_ids],
            ]
        ):
            if self._breaks_rule_1(one_trip):
                return self._take_back(RULES[0])
        for one_supply_order in _distinct(
            [*changed_supply_orders, *self._supply_orders_by_call.get(call["id"], {}).values()]
        ):
            if self._breaks_rule_2_o(one_supply_order):
                return self._take_back(RULES[1])
        for one_supply_order in _distinct(
            [
                *changed_supply_orders,
                *changed_supply_orders_2,
                *[
                    user
                    for one in changed_calls
                    for user in self._supply_orders_by_call_status.get((one["id"], "loaded"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_o_again(one_supply_order):
                return self._take_back(RULES[1])
        for one_line in _distinct(
            [
                *[
                    user
                    for one in changed_supply_orders_2
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.calls[one["call_id"]] for one in changed_supply_orders_2]
                        for user in self._supply_orders_by_call.get(one["id"], {}).values()
                    ]
                    for user in self._lines_by_order.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_line):
                return self._take_back(RULES[2])
        for one_supply_order in _distinct(changed_supply_orders_2):
            if self._breaks_rule_4(one_supply_order):
                return self._take_back(RULES[3])
        for one_supply_order in _distinct([*changed_supply_orders, *changed_supply_orders_2]):
            if self._breaks_rule_6(one_supply_order):
                return self._take_back(RULES[5])
        for one_supply_order in _distinct(changed_supply_orders_2):
            if self._breaks_rule_8_o(one_supply_order):
                return self._take_back(RULES[7])
        for one_line in _distinct(
            [user for one in changed_supply_orders_2 for user in self._lines_by_order.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_l(one_line):
                return self._take_back(RULES[7])
        for one_supply_order in _distinct([*changed_supply_orders, *changed_supply_orders_2]):
            if self._breaks_rule_11(one_supply_order):
                return self._take_back(RULES[10])
        if self._breaks_rule_12_k(call):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_a(call):
            return self._take_back(RULES[11])
        done = f"shift the call of {self.vessels[call['vessel_id']]['name']}"
        if arrives is not None:
            done += f" to arrive at {arrives}"
        if sails is not None:
            done += f" to sail at {sails}"
        if lies is not None:
            done += f" to lie {lies}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_supply_order(self, supply_order: SupplyOrder) -> dict[str, Any]:
        """The supply order as an answer shows it."""
        return {
            **supply_order,
            "weight": self._supply_order_weight(supply_order),
            "bonded": self._supply_order_bonded(supply_order),
        }

    def _show_trip(self, trip: Trip) -> dict[str, Any]:
        """The trip as an answer shows it."""
        return {**trip, "weight": self._trip_weight(trip), "room": self._trip_room(trip)}

    def _names_of_calls(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that calls point to."""
        return _names((self.vessels, "name", [row["vessel_id"] for row in shown]))

    def _names_of_supply_orders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that supply orders point to."""
        return _names((self.calls, "label", [row["call_id"] for row in shown]))

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names(
            (self.supply_orders, "number", [row["order_id"] for row in shown]),
            (self.articles, "name", [row["article_id"] for row in shown]),
        )

    def _names_of_trips(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trips point to."""
        return _names((self.crafts, "name", [row["craft_id"] for row in shown]))

    def _names_of_delivery_notes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that delivery notes point to."""
        return _names((self.supply_orders, "number", [row["order_id"] for row in shown]))

    def _supply_order_weight(self, supply_order: SupplyOrder) -> int:
        """The weight of a supply order."""
        return sum(
            l["amount"] * self.articles[l["article_id"]]["weight"]
            for l in self._lines_by_order.get(supply_order["id"], {}).values()
        )

    def _supply_order_bonded(self, supply_order: SupplyOrder) -> bool:
        """The bonded of a supply order."""
        return any(
            self.articles[l["article_id"]]["a_head"] is not None
            for l in self._lines_by_order.get(supply_order["id"], {}).values()
        )

    def _trip_weight(self, trip: Trip) -> int:
        """The weight of a trip."""
        return sum(self._supply_order_weight(o) for o in self._supply_orders_by_trip.get(trip["id"], {}).values())

    def _trip_room(self, trip: Trip) -> int:
        """The room of a trip."""
        return self.crafts[trip["craft_id"]]["carries"] - self._trip_weight(trip)

    def _alive(self, o: SupplyOrder) -> bool:
        return o["status"] != "cancelled"

    def _drawn(self, k: Call, a: Article) -> int:
        return sum(
            l["amount"]
            for l in self._lines_by_article.get(a["id"], {}).values()
            if self.supply_orders[l["order_id"]]["call_id"] == k["id"]
            and self._alive(self.supply_orders[l["order_id"]])
        )

    def _lacking(self, o: SupplyOrder) -> Line | None:
        return next(
            (
                l
                for l in sorted(self._lines_by_order.get(o["id"], {}).values(), key=_age)
                if self.articles[l["article_id"]]["stock"] < l["amount"]
            ),
            None,
        )

    def _reaches(self, c: Craft, k: Call) -> bool:
        return (c["kind"] == "launch") == (k["lies"] == "anchorage")

    def _takes(self, t: Trip, o: SupplyOrder) -> bool:
        return (
            t["status"] == "planned"
            and t["leaves_at"] > self.now
            and self._reaches(self.crafts[t["craft_id"]], self.calls[o["call_id"]])
            and (
                self.calls[o["call_id"]]["arrives"] <= t["leaves_at"]
                and t["leaves_at"] < self.calls[o["call_id"]]["sails"]
            )
            and self._trip_room(t) >= self._supply_order_weight(o)
            and o["trip_id"] != t["id"]
        )

    def _breaks_rule_1(self, t: Trip) -> bool:
        """Whether this is broken: no craft carries more than it can."""
        return self._trip_weight(t) > self.crafts[t["craft_id"]]["carries"]

    def _breaks_rule_2_o(self, o: SupplyOrder) -> bool:
        """Whether this is broken: launches go to vessels at anchor and vans to vessels alongside, while they are in
        port.
        """
        return not (
            o["trip_id"] is None
            or self.calls[o["call_id"]]["arrives"] <= self.trips[o["trip_id"]]["leaves_at"]
            and self.trips[o["trip_id"]]["leaves_at"] < self.calls[o["call_id"]]["sails"]
        )

    def _breaks_rule_2_o_again(self, o: SupplyOrder) -> bool:
        """Whether this is broken: launches go to vessels at anchor and vans to vessels alongside, while they are in
        port.
        """
        return (
            o["status"] == "loaded"
            and not (
                o["trip_id"] is None
                or self._reaches(self.crafts[self.trips[o["trip_id"]]["craft_id"]], self.calls[o["call_id"]])
            )
        )

    def _breaks_rule_3(self, l: Line) -> bool:
        """Whether this is broken: no vessel gets more bonded goods in a call than its crew is allowed."""
        return (
            self._alive(self.supply_orders[l["order_id"]])
            and (
                self.articles[l["article_id"]]["a_head"] is not None
                and self._drawn(
                    self.calls[self.supply_orders[l["order_id"]]["call_id"]],
                    self.articles[l["article_id"]],
                ) > self.articles[l["article_id"]]["a_head"] * self.vessels[
                    self.calls[self.supply_orders[l["order_id"]]["call_id"]]["vessel_id"]
                ]["crew"]
            )
        )

    def _breaks_rule_4(self, o: SupplyOrder) -> bool:
        """Whether this is broken: an order with bonded goods is sealed from packing on, and no other order is."""
        return (o["seal"] is not None) != (
            self._supply_order_bonded(o)
            and o["status"] in ("packed", "loaded", "delivered")
        )

    def _breaks_rule_5(self, o: SupplyOrder) -> bool:
        """Whether this is broken: a seal is used once."""
        return (
            o["seal"] is not None
            and any(
                other_o is not o
                for other_o in self._supply_orders_by_seal.get(o["seal"], {}).values()
                if other_o["seal"] is not None
            )
        )

    def _breaks_rule_6(self, o: SupplyOrder) -> bool:
        """Whether this is broken: orders are on a trip when they are loaded or delivered, and at no other time."""
        return (o["trip_id"] is not None) != (o["status"] in ("loaded", "delivered"))

    def _breaks_rule_7(self, l: Line) -> bool:
        """Whether this is broken: an article stands once on an order."""
        return any(
            other_l is not l
            for other_l in self._lines_by_order_article.get((l["order_id"], l["article_id"]), {}).values()
        )

    def _breaks_rule_8_o(self, o: SupplyOrder) -> bool:
        """Whether this is broken: every delivered order has one delivery note, with what was accepted of each line.
        """
        return (o["status"] == "delivered") != (len(self._delivery_notes_by_order.get(o["id"], {})) == 1)

    def _breaks_rule_8_n(self, n: DeliveryNote) -> bool:
        """Whether this is broken: every delivered order has one delivery note, with what was accepted of each line.
        """
        return any(other_n is not n for other_n in self._delivery_notes_by_order.get(n["order_id"], {}).values())

    def _breaks_rule_8_l(self, l: Line) -> bool:
        """Whether this is broken: every delivered order has one delivery note, with what was accepted of each line.
        """
        return (self.supply_orders[l["order_id"]]["status"] == "delivered") != (l["accepted"] is not None)

    def _breaks_rule_9(self, l: Line) -> bool:
        """Whether this is broken: nobody accepts more than was ordered."""
        return l["accepted"] is not None and l["accepted"] > l["amount"]

    def _breaks_rule_10_t(self, t: Trip) -> bool:
        """Whether this is broken: a craft makes one trip at a time, and no two at the same minute."""
        return (
            t["status"] == "under_way"
            and any(
                other_t is not t
                for other_t in self._trips_by_craft_status.get((t["craft_id"], "under_way"), {}).values()
            )
        )

    def _breaks_rule_10_t_again(self, t: Trip) -> bool:
        """Whether this is broken: a craft makes one trip at a time, and no two at the same minute."""
        return any(
            other_t is not t
            for other_t in self._trips_by_craft.get(t["craft_id"], {}).values()
            if other_t["leaves_at"] == t["leaves_at"]
        )

    def _breaks_rule_11(self, o: SupplyOrder) -> bool:
        """Whether this is broken: a craft that is back has nothing on board."""
        return o["trip_id"] is not None and self.trips[o["trip_id"]]["status"] == "back" and o["status"] == "loaded"

    def _breaks_rule_12_k(self, k: Call) -> bool:
        """Whether this is broken: a vessel sails after it arrives, and its calls do not overlap."""
        return k["arrives"] >= k["sails"]

    def _breaks_rule_12_a(self, a: Call) -> bool:
        """Whether this is broken: a vessel sails after it arrives, and its calls do not overlap."""
        return any(
            a is not b
            and _overlap(a["arrives"], a["sails"], b["arrives"], b["sails"])
            for b in self._calls_by_vessel.get(a["vessel_id"], {}).values()
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
            case "calls":
                self._calls_by_vessel.setdefault(record["vessel_id"], {})[record["id"]] = record
            case "supply_orders":
                self._supply_orders_by_call.setdefault(record["call_id"], {})[record["id"]] = record
                self._supply_orders_by_call_status.setdefault(
                    (record["call_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._supply_orders_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._supply_orders_by_seal.setdefault(record["seal"], {})[record["id"]] = record
                self._supply_orders_by_trip.setdefault(record["trip_id"], {})[record["id"]] = record
                self._supply_orders_by_trip_status.setdefault(
                    (record["trip_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "lines":
                self._lines_by_article.setdefault(record["article_id"], {})[record["id"]] = record
                self._lines_by_order.setdefault(record["order_id"], {})[record["id"]] = record
                self._lines_by_order_article.setdefault(
                    (record["order_id"], record["article_id"]),
                    {},
                )[record["id"]] = record
            case "trips":
                self._trips_by_craft.setdefault(record["craft_id"], {})[record["id"]] = record
                self._trips_by_craft_status.setdefault((record["craft_id"], record["status"]), {})[record["id"]] = record
            case "delivery_notes":
                self._delivery_notes_by_order.setdefault(record["order_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "calls":
                del self._calls_by_vessel[record["vessel_id"]][record["id"]]
            case "supply_orders":
                del self._supply_orders_by_call[record["call_id"]][record["id"]]
                del self._supply_orders_by_call_status[record["call_id"], record["status"]][record["id"]]
                del self._supply_orders_by_number[record["number"]][record["id"]]
                del self._supply_orders_by_seal[record["seal"]][record["id"]]
                del self._supply_orders_by_trip[record["trip_id"]][record["id"]]
                del self._supply_orders_by_trip_status[record["trip_id"], record["status"]][record["id"]]
            case "lines":
                del self._lines_by_article[record["article_id"]][record["id"]]
                del self._lines_by_order[record["order_id"]][record["id"]]
                del self._lines_by_order_article[record["order_id"], record["article_id"]][record["id"]]
            case "trips":
                del self._trips_by_craft[record["craft_id"]][record["id"]]
                del self._trips_by_craft_status[record["craft_id"], record["status"]][record["id"]]
            case "delivery_notes":
                del self._delivery_notes_by_order[record["order_id"]][record["id"]]
