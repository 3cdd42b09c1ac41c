"""Ferry decks. Compiled from blueprint.yaml; run `envscaler build ferry_deck` after changing it there.

Books vehicles and foot passengers on ferries, places vehicles in lanes by length and height, keeps dangerous
goods apart, runs the standby queue and times sailings by the tide.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No lane is loaded beyond its length.",
    "A vehicle stands in a lane of its ship that is high enough for it and not closed.",
    "Flammable loads stand in the open air.",
    "Explosive and flammable loads never stand in one lane or side by side.",
    "No more people are booked than the ship may carry, and 25 where explosives are on board.",
    "A sailing never promises more deck than its ship has.",
    "No ship is loaded beyond the weight it may carry.",
    "A vehicle crosses once on a sailing.",
    "Only vehicles that are placed or were carried have a lane.",
    "A ship leaves only when there is half a metre of water under it.",
    "Two departures from a quay are at least 45 minutes apart, and a ship comes back before it leaves again.",
    "Nobody waits for a sailing that is over, and nobody has a place on one that was cancelled.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_passage",
    "join_standby",
    "accept_standby",
    "place_vehicle",
    "rebook_passage",
    "cancel_passage",
    "close_lane",
    "add_sailing",
    "move_sailing",
    "let_sail",
    "cancel_sailing",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "ships": ("name",),
    "lanes": ("label",),
    "quays": ("name",),
    "tides": (),
    "vehicles": ("plate",),
    "sailings": (),
    "passages": ("lead",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("lanes", "ship_id"),
    ("passages", "lane_id"),
    ("passages", "sailing_id"),
    ("passages", "status"),
    ("passages", "vehicle_id"),
    ("sailings", "quay_id"),
    ("sailings", "ship_id"),
    ("sailings", "status"),
    ("tides", "quay_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Ship(TypedDict):
    id: str
    name: str
    passengers: int
    draught: int
    crossing: int
    tonnes: int


class Lane(TypedDict):
    id: str
    label: str
    ship_id: str
    position: int
    decimetres: int
    height: int
    open_air: bool
    closed_for: str | None


class Quay(TypedDict):
    id: str
    name: str


class Tide(TypedDict):
    id: str
    quay_id: str
    rises_at: str
    falls_at: str
    depth: int


class Vehicle(TypedDict):
    id: str
    plate: str
    length: int
    height: int
    cargo: Literal["flammable", "explosive", "livestock"] | None
    tonnes: int


class Sailing(TypedDict):
    id: str
    ship_id: str
    quay_id: str
    departs_at: str
    status: Literal["open", "sailed", "cancelled"]


class Passage(TypedDict):
    id: str
    lead: str
    vehicle_id: str | None
    people: int
    sailing_id: str
    lane_id: str | None
    asked_at: str
    status: Literal["booked", "placed", "gone", "standby", "carried"]


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


class FerryDeck:
    """Books vehicles and foot passengers on ferries, places vehicles in lanes by length and height, keeps
    dangerous goods apart, runs the standby queue and times sailings by the tide.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.ships: dict[str, Ship] = _copied(config.get("ships", {}))
        self.lanes: dict[str, Lane] = _copied(config.get("lanes", {}))
        self.quays: dict[str, Quay] = _copied(config.get("quays", {}))
        self.tides: dict[str, Tide] = _copied(config.get("tides", {}))
        self.vehicles: dict[str, Vehicle] = _copied(config.get("vehicles", {}))
        self.sailings: dict[str, Sailing] = _copied(config.get("sailings", {}))
        self.passages: dict[str, Passage] = _copied(config.get("passages", {}))
        self.now: str = config.get("now", "2026-06-11T05:40")
        self.counters: dict[str, int] = {
            "ship": len(self.ships),
            "lane": len(self.lanes),
            "quay": len(self.quays),
            "tide": len(self.tides),
            "vehicle": len(self.vehicles),
            "sailing": len(self.sailings),
            "passage": len(self.passages),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._lanes_by_ship: dict[Any, dict[str, Lane]] = {}
        self._tides_by_quay: dict[Any, dict[str, Tide]] = {}
        self._sailings_by_quay: dict[Any, dict[str, Sailing]] = {}
        self._sailings_by_ship: dict[Any, dict[str, Sailing]] = {}
        self._sailings_by_ship_status: dict[Any, dict[str, Sailing]] = {}
        self._passages_by_lane_status: dict[Any, dict[str, Passage]] = {}
        self._passages_by_sailing: dict[Any, dict[str, Passage]] = {}
        self._passages_by_sailing_lane_status: dict[Any, dict[str, Passage]] = {}
        self._passages_by_sailing_status: dict[Any, dict[str, Passage]] = {}
        self._passages_by_vehicle_sailing: dict[Any, dict[str, Passage]] = {}
        for lane in self.lanes.values():
            self._link("lanes", lane)
        for tide in self.tides.values():
            self._link("tides", tide)
        for sailing in self.sailings.values():
            self._link("sailings", sailing)
        for passage in self.passages.values():
            self._link("passages", passage)

    def lanes_for(self, passage_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Lanes in which the vehicle of a passage may stand now, the least free space first.

        Args:
            passage_id (str): Id of the passage, such as PASSAGE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lanes": records}} or {"success": False, "error": why
                not}
        """
        passage = self.passages.get(passage_id)
        if passage is None:
            return _refused(f"There is no passage {passage_id!r}.")
        found = [
            x
            for x in self._lanes_by_ship.get(self.sailings[passage["sailing_id"]]["ship_id"], {}).values()
            if self._may_stand(passage, x)
        ]
        found.sort(
            key=lambda x: (
                x["decimetres"] - self._used(self.sailings[passage["sailing_id"]], x, passage),
                x["label"],
                _age(x),
            )
        )
        return _found(
            {
                "total": len(found),
                "lanes": [
                    {
                        "id": x["id"],
                        "label": x["label"],
                        "left_before": x["decimetres"] - self._used(self.sailings[passage["sailing_id"]], x, passage),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def sailings_with_room(
        self,
        people: Annotated[int, {"minimum": 1, "maximum": 60}],
        vehicle_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Sailings ahead that take so many people, with a vehicle or without, earliest first.

        Args:
            people (int): How many people would travel, the driver included, from 1 to 60.
            vehicle_id (str, optional): Vehicle for which room is wanted; an id such as VEHICLE-00001. If left out,
                only places for foot passengers are looked at.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sailings": records}} or {"success": False, "error": why
                not}
        """
        vehicle = self.vehicles.get(vehicle_id) if vehicle_id is not None else None
        if vehicle_id is not None and vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        found = [
            s
            for s in self.sailings.values()
            if (
                s["status"] == "open"
                and s["departs_at"] > self.now
                and people <= self._limit_of(s) - self._sailing_aboard(s)
            )
            and (vehicle_id is None or self._takes(s, vehicle, people))
        ]
        found.sort(key=lambda s: (s["departs_at"], s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sailings": [
                    {
                        "id": s["id"],
                        "ship": self.ships[s["ship_id"]]["name"],
                        "quay": self.quays[s["quay_id"]]["name"],
                        "departs_at": s["departs_at"],
                        "decimetres_left": self._sailing_decimetres_left(s),
                        "tonnes_left": self.ships[s["ship_id"]]["tonnes"] - self._loaded(s),
                        "people_left": self._limit_of(s) - self._sailing_aboard(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def standby_list(self, sailing_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who stands by for a sailing, in the order of asking, and whether they fit now.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "passages": records}} or {"success": False, "error": why
                not}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        found = [
            p
            for p in self._passages_by_sailing.get(sailing_id, {}).values()
            if (p["sailing_id"] == sailing_id and p["status"] == "standby")
        ]
        found.sort(key=lambda p: (p["asked_at"], p["id"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "lead": p["lead"],
                "people": p["people"],
                "vehicle_id": p["vehicle_id"],
                "length": self._passage_length(p),
                "fits_now": self._takes(sailing, self.vehicles.get(p["vehicle_id"]), p["people"]),
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "passages": shown},
            _names((self.vehicles, "plate", [row["vehicle_id"] for row in shown])),
        )

    def list_ships(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the ships, oldest first, all of them or only some.

        Args:
            name (str, optional): Only ships whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "ships": records}}
        """
        found = [ship for ship in self.ships.values() if (name is None or name.casefold() in ship["name"].casefold())]
        return _found({"total": len(found), "ships": [{**ship} for ship in _page(found, offset)]})

    def list_lanes(
        self,
        label: Text | None = None,
        ship_id: str | None = None,
        open_air: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lanes, oldest first, all of them or only some.

        Args:
            label (str, optional): Only lanes whose label contains this text.
            ship_id (str, optional): Only lanes of this ship.
            open_air (bool, optional): Only lanes with this value of `open_air`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lanes": records}}
        """
        if ship_id is not None and ship_id not in self.ships:
            return _refused(f"There is no ship {ship_id!r}.")
        found = [
            lane
            for lane in self.lanes.values()
            if (label is None or label.casefold() in lane["label"].casefold())
            and (ship_id is None or lane["ship_id"] == ship_id)
            and (open_air is None or lane["open_air"] == open_air)
        ]
        shown = [{**lane} for lane in _page(found, offset)]
        return _found({"total": len(found), "lanes": shown}, self._names_of_lanes(shown))

    def list_quays(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the quays, oldest first, all of them or only some.

        Args:
            name (str, optional): Only quays whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "quays": records}}
        """
        found = [quay for quay in self.quays.values() if (name is None or name.casefold() in quay["name"].casefold())]
        return _found({"total": len(found), "quays": [{**quay} for quay in _page(found, offset)]})

    def list_tides(
        self,
        quay_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tides, oldest first, all of them or only some.

        Args:
            quay_id (str, optional): Only tides of this quay.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tides": records}}
        """
        if quay_id is not None and quay_id not in self.quays:
            return _refused(f"There is no quay {quay_id!r}.")
        found = [tide for tide in self.tides.values() if (quay_id is None or tide["quay_id"] == quay_id)]
        shown = [{**tide} for tide in _page(found, offset)]
        return _found({"total": len(found), "tides": shown}, self._names_of_tides(shown))

    def list_vehicles(
        self,
        plate: Text | None = None,
        cargo: Literal["flammable", "explosive", "livestock"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vehicles, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only vehicles whose plate contains this text.
            cargo (str, optional): Only vehicles with this cargo.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vehicles": records}}
        """
        found = [
            vehicle
            for vehicle in self.vehicles.values()
            if (plate is None or plate.casefold() in vehicle["plate"].casefold())
            and (cargo is None or vehicle["cargo"] == cargo)
        ]
        return _found({"total": len(found), "vehicles": [{**vehicle} for vehicle in _page(found, offset)]})

    def list_sailings(
        self,
        ship_id: str | None = None,
        quay_id: str | None = None,
        status: Literal["open", "sailed", "cancelled"] | None = None,
        departs_at_from: Date | None = None,
        departs_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sailings, oldest first, all of them or only some.

        Args:
            ship_id (str, optional): Only sailings of this ship.
            quay_id (str, optional): Only sailings of this quay.
            status (str, optional): Only sailings with this status.
            departs_at_from (str, optional): Only sailings whose `departs_at` is on this day or later.
            departs_at_to (str, optional): Only sailings whose `departs_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sailings": records}}
        """
        if ship_id is not None and ship_id not in self.ships:
            return _refused(f"There is no ship {ship_id!r}.")
        if quay_id is not None and quay_id not in self.quays:
            return _refused(f"There is no quay {quay_id!r}.")
        found = [
            sailing
            for sailing in self.sailings.values()
            if (ship_id is None or sailing["ship_id"] == ship_id)
            and (quay_id is None or sailing["quay_id"] == quay_id)
            and (status is None or sailing["status"] == status)
            and (departs_at_from is None or sailing["departs_at"][:10] >= departs_at_from)
            and (departs_at_to is None or sailing["departs_at"][:10] <= departs_at_to)
        ]
        shown = [self._show_sailing(sailing) for sailing in _page(found, offset)]
        return _found({"total": len(found), "sailings": shown}, self._names_of_sailings(shown))

    def list_passages(
        self,
        lead: Text | None = None,
        vehicle_id: str | None = None,
        sailing_id: str | None = None,
        lane_id: str | None = None,
        status: Literal["booked", "placed", "gone", "standby", "carried"] | None = None,
        asked_at_from: Date | None = None,
        asked_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the passages, oldest first, all of them or only some.

        Args:
            lead (str, optional): Only passages whose lead contains this text.
            vehicle_id (str, optional): Only passages of this vehicle.
            sailing_id (str, optional): Only passages of this sailing.
            lane_id (str, optional): Only passages of this lane.
            status (str, optional): Only passages with this status.
            asked_at_from (str, optional): Only passages whose `asked_at` is on this day or later.
            asked_at_to (str, optional): Only passages whose `asked_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "passages": records}}
        """
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if sailing_id is not None and sailing_id not in self.sailings:
            return _refused(f"There is no sailing {sailing_id!r}.")
        if lane_id is not None and lane_id not in self.lanes:
            return _refused(f"There is no lane {lane_id!r}.")
        found = [
            passage
            for passage in self.passages.values()
            if (lead is None or lead.casefold() in passage["lead"].casefold())
            and (vehicle_id is None or passage["vehicle_id"] == vehicle_id)
            and (sailing_id is None or passage["sailing_id"] == sailing_id)
            and (lane_id is None or passage["lane_id"] == lane_id)
            and (status is None or passage["status"] == status)
            and (asked_at_from is None or passage["asked_at"][:10] >= asked_at_from)
            and (asked_at_to is None or passage["asked_at"][:10] <= asked_at_to)
        ]
        shown = [self._show_passage(passage) for passage in _page(found, offset)]
        return _found({"total": len(found), "passages": shown}, self._names_of_passages(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_passage(
        self,
        sailing_id: str,
        lead: Text,
        people: Annotated[int, {"minimum": 1, "maximum": 60}],
        vehicle_id: str | None = None,
    ) -> Result:
        """Book a vehicle with its people, or foot passengers, on a sailing.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.
            lead (str): Full name of the person in whose name the passage is booked.
            people (int): How many people travel, the driver included, from 1 to 60.
            vehicle_id (str, optional): Vehicle that is taken along; an id such as VEHICLE-00001. If left out, the
                people travel on foot.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        vehicle = self.vehicles.get(vehicle_id) if vehicle_id is not None else None
        if vehicle_id is not None and vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if sailing["status"] != "open" or sailing["departs_at"] <= self.now:
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']} or has left.")
        if any(
            p["status"] in ("booked", "placed", "standby")
            for p in self._passages_by_vehicle_sailing.get((vehicle_id, sailing_id), {}).values()
            if vehicle_id is not None
        ):
            return _refused("That vehicle is on the list of this sailing already.")
        if people > self._seats_with(sailing, vehicle):
            return _refused(f"{self._seats_with(sailing, vehicle)} people may still come, not {people}.")
        if (
            vehicle_id is not None
            and self._loaded(sailing) + vehicle["tonnes"] > self.ships[sailing["ship_id"]]["tonnes"]
        ):
            return _refused(
                f"{self.ships[sailing['ship_id']]['name']} may carry {self.ships[sailing['ship_id']]['tonnes']} "
                f"tonnes and {self._loaded(sailing)} are booked, so {vehicle['plate']} with its "
                f"{vehicle['tonnes']} can only stand by."
            )
        if not self._takes(sailing, vehicle, people):
            return _refused(
                f"The deck is too full for that vehicle ({self._sailing_decimetres_left(sailing)} decimetres of "
                "the lanes left); it can stand by."
            )
        self._journal = []
        passage: Passage = {
            "id": self._new_id("passage", "PASSAGE", self.passages),
            "lead": lead,
            "vehicle_id": vehicle_id,
            "people": people,
            "sailing_id": sailing_id,
            "lane_id": None,
            "asked_at": self.now,
            "status": "booked",
        }
        self._add("passages", passage)
        if self._breaks_rule_1_s(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[0])
        for one_lane in _distinct([self.lanes.get(passage["lane_id"])]):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(passage):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(passage):
            return self._take_back(RULES[2])
        for one_passage in _distinct(
            [passage, *self._passages_by_sailing_status.get((passage["sailing_id"], "placed"), {}).values()]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(passage):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(passage):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(passage):
            return self._take_back(RULES[11])
        done = f"book {lead} with {people} people on {self.ships[sailing['ship_id']]['name']} at {sailing['departs_at']}"
        if vehicle is not None:
            done += f" with {vehicle['plate']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: passage {passage['id']}).",
            "data": {"passage_id": passage["id"], **self._changes()},
        }

    def join_standby(
        self,
        sailing_id: str,
        vehicle_id: str,
        lead: Text,
        people: Annotated[int, {"minimum": 1, "maximum": 60}],
    ) -> Result:
        """Let a vehicle stand by for a sailing that is too full for it.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.
            vehicle_id (str): Id of the vehicle, such as VEHICLE-00001.
            lead (str): Full name of the person in whose name the vehicle stands by.
            people (int): How many people travel, the driver included, from 1 to 60.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        vehicle = self.vehicles.get(vehicle_id)
        if vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if sailing["status"] != "open" or sailing["departs_at"] <= self.now:
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']} or has left.")
        if any(
            p["status"] in ("booked", "placed", "standby")
            for p in self._passages_by_vehicle_sailing.get((vehicle_id, sailing_id), {}).values()
        ):
            return _refused(f"{vehicle['plate']} is on the list of this sailing already.")
        if self._takes(sailing, vehicle, people):
            return _refused(f"There is room for {vehicle['plate']}, so book it.")
        self._journal = []
        passage: Passage = {
            "id": self._new_id("passage", "PASSAGE", self.passages),
            "lead": lead,
            "vehicle_id": vehicle_id,
            "people": people,
            "sailing_id": sailing_id,
            "lane_id": None,
            "asked_at": self.now,
            "status": "booked",
        }
        self._add("passages", passage)
        if passage["status"] not in ("booked", "standby"):
            return self._take_back(f"Passage {passage['lead']} cannot go from {passage['status']} to standby.")
        self._put("passages", passage, "status", "standby")
        if self._breaks_rule_1_s(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[0])
        for one_lane in _distinct([self.lanes.get(passage["lane_id"])]):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(passage):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(passage):
            return self._take_back(RULES[2])
        for one_passage in _distinct(
            [passage, *self._passages_by_sailing_status.get((passage["sailing_id"], "placed"), {}).values()]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(passage):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(passage):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(passage):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: let {vehicle['plate']} stand by for {self.ships[sailing['ship_id']]['name']} at "
                f"{sailing['departs_at']} (new: passage {passage['id']})."
            ),
            "data": {"passage_id": passage["id"], **self._changes()},
        }

    def accept_standby(self, sailing_id: str) -> Result:
        """Book the standby whose turn it is, that is the one of the sailing that asked first among those that fit
        now.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        if sailing["status"] != "open" or sailing["departs_at"] <= self.now:
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']} or has left.")
        passage = min(
            (
                p
                for p in self._passages_by_sailing_status.get((sailing_id, "standby"), {}).values()
                if self._takes(sailing, self.vehicles.get(p["vehicle_id"]), p["people"])
            ),
            key=lambda p: (p["asked_at"], p["id"], _age(p)),
            default=None,
        )
        if passage is None:
            return _refused("Nobody who stands by fits.")
        self._journal = []
        if passage["status"] not in ("booked", "placed", "standby"):
            return self._take_back(f"Passage {passage['lead']} cannot go from {passage['status']} to booked.")
        self._put("passages", passage, "status", "booked")
        if self._breaks_rule_1_s(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[0])
        for one_lane in _distinct([self.lanes.get(passage["lane_id"])]):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(passage):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(passage):
            return self._take_back(RULES[2])
        for one_passage in _distinct(
            [passage, *self._passages_by_sailing_status.get((passage["sailing_id"], "placed"), {}).values()]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(passage):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(passage):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(passage):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: accept the next standby of {self.ships[sailing['ship_id']]['name']} at "
                f"{sailing['departs_at']}."
            ),
            "data": self._changes(),
        }

    def place_vehicle(self, passage_id: str, lane_id: str | None = None) -> Result:
        """Place the vehicle of a passage in a lane, or in another one than now, or take it out of its lane where none
        is named; it stays booked then.

        Args:
            passage_id (str): Id of the passage, such as PASSAGE-00001.
            lane_id (str, optional): Open lane of the same ship that is long and high enough; an id such as
                LANE-00001. If left out, the vehicle is taken out of its lane and stays booked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        passage = self.passages.get(passage_id)
        if passage is None:
            return _refused(f"There is no passage {passage_id!r}.")
        lane = self.lanes.get(lane_id) if lane_id is not None else None
        if lane_id is not None and lane is None:
            return _refused(f"There is no lane {lane_id!r}.")
        if passage["status"] not in ("booked", "placed") or passage["vehicle_id"] is None:
            return _refused(f"{passage['lead']} is {passage['status']} or on foot.")
        if passage["lane_id"] == lane_id:
            return _refused(f"{self.vehicles[passage['vehicle_id']]['plate']} stands there already.")
        if lane_id is not None and lane["ship_id"] != self.sailings[passage["sailing_id"]]["ship_id"]:
            return _refused(
                f"{lane['label']} is not on {self.ships[self.sailings[passage['sailing_id']]['ship_id']]['name']}."
            )
        if lane_id is not None and lane["closed_for"] is not None:
            return _refused(f"{lane['label']} is closed.")
        if lane_id is not None and self.vehicles[passage["vehicle_id"]]["height"] > lane["height"]:
            return _refused(
                f"{self.vehicles[passage['vehicle_id']]['plate']} is "
                f"{self.vehicles[passage['vehicle_id']]['height']} high and {lane['label']} takes {lane['height']}."
            )
        if (
            lane_id is not None
            and self._used(
                self.sailings[passage["sailing_id"]],
                lane,
                passage,
            ) + self._passage_length(passage) > lane["decimetres"]
        ):
            return _refused(
                f"{lane['label']} has "
                f"{lane['decimetres'] - self._used(self.sailings[passage['sailing_id']], lane, passage)} left and "
                f"{self.vehicles[passage['vehicle_id']]['plate']} needs {self._passage_length(passage)}."
            )
        if (
            lane_id is not None
            and self.vehicles[passage["vehicle_id"]]["cargo"] == "flammable"
            and not lane["open_air"]
        ):
            return _refused(f"{lane['label']} is not in the open air, where flammable loads belong.")
        other = next(
            (
                p
                for p in self.passages.values()
                if lane_id is not None
                and p is self._too_near(self.sailings[passage["sailing_id"]], lane, passage)
            ),
            None,
        )
        if other is not None:
            return _refused(f"The load of {other['lead']} would be too near.")
        self._journal = []
        changed_passages: list[Any] = []
        former_lane_id = passage["lane_id"]
        self._put("passages", passage, "lane_id", lane_id)
        if lane_id is None:
            changed_passages.append(passage)
            self._put("passages", passage, "status", "booked")
        else:
            if passage["status"] == "booked":
                if passage["status"] not in ("booked", "placed"):
                    return self._take_back(f"Passage {passage['lead']} cannot go from {passage['status']} to placed.")
                changed_passages.append(passage)
                self._put("passages", passage, "status", "placed")
        for one_sailing in _distinct(
            [self.sailings[passage["sailing_id"]], *[self.sailings[one["sailing_id"]] for one in changed_passages]]
        ):
            if self._breaks_rule_1_s(one_sailing):
                return self._take_back(RULES[0])
        for one_lane in _distinct(
            [
                self.lanes.get(passage["lane_id"]),
                self.lanes.get(former_lane_id),
                *[self.lanes.get(one["lane_id"]) for one in changed_passages],
            ]
        ):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_2(one_passage):
                return self._take_back(RULES[1])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_3(one_passage):
                return self._take_back(RULES[2])
        for one_passage in _distinct(
            [
                passage,
                *self._passages_by_sailing_status.get((passage["sailing_id"], "placed"), {}).values(),
                *changed_passages,
                *[
                    user
                    for one in [self.sailings[one["sailing_id"]] for one in changed_passages]
                    for user in self._passages_by_sailing_status.get((one["id"], "placed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        for one_sailing in _distinct([self.sailings[one["sailing_id"]] for one in changed_passages]):
            if self._breaks_rule_5(one_sailing):
                return self._take_back(RULES[4])
        for one_sailing in _distinct([self.sailings[one["sailing_id"]] for one in changed_passages]):
            if self._breaks_rule_6(one_sailing):
                return self._take_back(RULES[5])
        for one_sailing in _distinct([self.sailings[one["sailing_id"]] for one in changed_passages]):
            if self._breaks_rule_7(one_sailing):
                return self._take_back(RULES[6])
        for one_passage in _distinct(changed_passages):
            if self._breaks_rule_8(one_passage):
                return self._take_back(RULES[7])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_9(one_passage):
                return self._take_back(RULES[8])
        for one_passage in _distinct(changed_passages):
            if self._breaks_rule_12(one_passage):
                return self._take_back(RULES[11])
        done = f"place the vehicle of {passage['lead']}"
        if lane is not None:
            done += f" in {lane['label']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def rebook_passage(self, passage_id: str, sailing_id: str) -> Result:
        """Book a passage over to another sailing, from standby too; a place in a lane is lost.

        Args:
            passage_id (str): Id of the passage, such as PASSAGE-00001.
            sailing_id (str): Id of the sailing, such as SAILING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        passage = self.passages.get(passage_id)
        if passage is None:
            return _refused(f"There is no passage {passage_id!r}.")
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        if passage["status"] not in ("booked", "placed", "standby"):
            return _refused(f"{passage['lead']} is {passage['status']}.")
        if sailing["status"] != "open" or sailing["departs_at"] <= self.now:
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']} or has left.")
        if sailing_id == passage["sailing_id"]:
            return _refused(f"{passage['lead']} is on that sailing.")
        if any(
            p["status"] in ("booked", "placed", "standby")
            for p in self._passages_by_vehicle_sailing.get((passage["vehicle_id"], sailing_id), {}).values()
            if passage["vehicle_id"] is not None
        ):
            return _refused("That vehicle is on the list of that sailing already.")
        if not self._takes(sailing, self.vehicles.get(passage["vehicle_id"]), passage["people"]):
            return _refused(f"The sailing at {sailing['departs_at']} has no room for {passage['lead']}.")
        self._journal = []
        changed_passages: list[Any] = []
        former_lane_id = passage["lane_id"]
        self._put("passages", passage, "lane_id", None)
        former_sailing_id = passage["sailing_id"]
        self._put("passages", passage, "sailing_id", sailing_id)
        if passage["status"] != "booked":
            changed_passages.append(passage)
            self._put("passages", passage, "status", "booked")
        for one_sailing in _distinct(
            [
                self.sailings[passage["sailing_id"]],
                self.sailings[former_sailing_id],
                *[self.sailings[one["sailing_id"]] for one in changed_passages],
            ]
        ):
            if self._breaks_rule_1_s(one_sailing):
                return self._take_back(RULES[0])
        for one_lane in _distinct(
            [
                self.lanes.get(passage["lane_id"]),
                self.lanes.get(former_lane_id),
                *[self.lanes.get(one["lane_id"]) for one in changed_passages],
            ]
        ):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_2(one_passage):
                return self._take_back(RULES[1])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_3(one_passage):
                return self._take_back(RULES[2])
        for one_passage in _distinct(
            [
                passage,
                *self._passages_by_sailing_status.get((passage["sailing_id"], "placed"), {}).values(),
                *self._passages_by_sailing_status.get((former_sailing_id, "placed"), {}).values(),
                *changed_passages,
                *[
                    user
                    for one in [self.sailings[one["sailing_id"]] for one in changed_passages]
                    for user in self._passages_by_sailing_status.get((one["id"], "placed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        for one_sailing in _distinct(
            [
                self.sailings[passage["sailing_id"]],
                self.sailings[former_sailing_id],
                *[self.sailings[one["sailing_id"]] for one in changed_passages],
            ]
        ):
            if self._breaks_rule_5(one_sailing):
                return self._take_back(RULES[4])
        for one_sailing in _distinct(
            [
                self.sailings[passage["sailing_id"]],
                self.sailings[former_sailing_id],
                *[self.sailings[one["sailing_id"]] for one in changed_passages],
            ]
        ):
            if self._breaks_rule_6(one_sailing):
                return self._take_back(RULES[5])
        for one_sailing in _distinct(
            [
                self.sailings[passage["sailing_id"]],
                self.sailings[former_sailing_id],
                *[self.sailings[one["sailing_id"]] for one in changed_passages],
            ]
        ):
            if self._breaks_rule_7(one_sailing):
                return self._take_back(RULES[6])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_8(one_passage):
                return self._take_back(RULES[7])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_9(one_passage):
                return self._take_back(RULES[8])
        for one_passage in _distinct([passage, *changed_passages]):
            if self._breaks_rule_12(one_passage):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {passage['lead']} over to {self.ships[sailing['ship_id']]['name']} at "
                f"{sailing['departs_at']}."
            ),
            "data": self._changes(),
        }

    def cancel_passage(self, passage_id: str) -> Result:
        """Cancel a passage, booked, placed or standing by.

        Args:
            passage_id (str): Id of the passage, such as PASSAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        passage = self.passages.get(passage_id)
        if passage is None:
            return _refused(f"There is no passage {passage_id!r}.")
        if passage["status"] not in ("booked", "placed", "standby"):
            return _refused(f"{passage['lead']} is {passage['status']}.")
        self._journal = []
        former_lane_id = passage["lane_id"]
        self._put("passages", passage, "lane_id", None)
        self._put("passages", passage, "status", "gone")
        if self._breaks_rule_1_s(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[0])
        for one_lane in _distinct([self.lanes.get(passage["lane_id"]), self.lanes.get(former_lane_id)]):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(passage):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(passage):
            return self._take_back(RULES[2])
        for one_passage in _distinct(
            [passage, *self._passages_by_sailing_status.get((passage["sailing_id"], "placed"), {}).values()]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.sailings[passage["sailing_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(passage):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(passage):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(passage):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel the passage of {passage['lead']}.",
            "data": self._changes(),
        }

    def close_lane(self, lane_id: str, reason: Text | None = None) -> Result:
        """Close a lane for a reason when no vehicle stands in it on a sailing ahead, or take it back into use where
        no reason is given.

        Args:
            lane_id (str): Id of the lane, such as LANE-00001.
            reason (str, optional): Why the lane is closed. If left out, the closed lane goes back into use.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lane = self.lanes.get(lane_id)
        if lane is None:
            return _refused(f"There is no lane {lane_id!r}.")
        if (lane["closed_for"] is None) != (reason is not None):
            return _refused(f"{lane['label']} is open or closed already.")
        there = next(
            (
                p
                for p in sorted(self._passages_by_lane_status.get((lane_id, "placed"), {}).values(), key=_age)
                if reason is not None
            ),
            None,
        )
        if there is not None:
            return _refused(
                f"The vehicle of {there['lead']} stands there on "
                f"{self.sailings[there['sailing_id']]['departs_at']}; place it elsewhere first."
            )
        tight = next(
            (
                s
                for s in sorted(self._sailings_by_ship_status.get((lane["ship_id"], "open"), {}).values(), key=_age)
                if reason is not None
                and (
                    self._sailing_decimetres_left(s) < lane["decimetres"]
                    or lane["height"] > 230
                    and self._high_left(s) < lane["decimetres"]
                )
            ),
            None,
        )
        if tight is not None:
            return _refused(f"The sailing at {tight['departs_at']} needs the lane for what is booked.")
        self._journal = []
        self._put("lanes", lane, "closed_for", reason)
        for one_passage in _distinct(self._passages_by_lane_status.get((lane["id"], "placed"), {}).values()):
            if self._breaks_rule_2(one_passage):
                return self._take_back(RULES[1])
        for one_sailing in _distinct(self._sailings_by_ship_status.get((lane["ship_id"], "open"), {}).values()):
            if self._breaks_rule_6(one_sailing):
                return self._take_back(RULES[5])
        done = f"close or reopen {lane['label']}"
        if reason is not None:
            done += f" for {reason}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def add_sailing(self, ship_id: str, quay_id: str, departs_at: DateTime) -> Result:
        """Put on a sailing of a ship at a time when the tide allows it.

        Args:
            ship_id (str): Id of the ship, such as SHIP-00001.
            quay_id (str): Id of the quay, such as QUAY-00001.
            departs_at (str): When the ship leaves, more than an hour ahead and at sufficient tide, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ship = self.ships.get(ship_id)
        if ship is None:
            return _refused(f"There is no ship {ship_id!r}.")
        quay = self.quays.get(quay_id)
        if quay is None:
            return _refused(f"There is no quay {quay_id!r}.")
        if departs_at <= _plus_minutes(self.now, 60):
            return _refused("A sailing is put on at least an hour before.")
        if not self._deep_enough(ship, quay, departs_at):
            return _refused(f"There is not enough water for {ship['name']} at {quay['name']} then.")
        other = self._at_quay(quay, departs_at, None)
        if other is not None:
            return _refused(f"{self.ships[other['ship_id']]['name']} leaves {quay['name']} at {other['departs_at']}.")
        busy = self._under_way(ship, departs_at, None)
        if busy is not None:
            return _refused(f"{ship['name']} leaves at {busy['departs_at']} and is not back.")
        self._journal = []
        sailing: Sailing = {
            "id": self._new_id("sailing", "SAILING", self.sailings),
            "ship_id": ship_id,
            "quay_id": quay_id,
            "departs_at": departs_at,
            "status": "open",
        }
        self._add("sailings", sailing)
        if self._breaks_rule_1_s(sailing):
            return self._take_back(RULES[0])
        if self._breaks_rule_5(sailing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(sailing):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(sailing):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(sailing):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_a(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_a_again(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b_again(sailing):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: put on {ship['name']} from {quay['name']} at {departs_at} (new: sailing {sailing['id']})."
            ),
            "data": {"sailing_id": sailing["id"], **self._changes()},
        }

    def move_sailing(self, sailing_id: str, departs_at: DateTime, quay_id: str | None = None) -> Result:
        """Let a sailing leave at another time, or from another quay.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.
            departs_at (str): When the ship is to leave, later than now and at sufficient tide, as
                YYYY-MM-DDTHH:MM.
            quay_id (str, optional): Quay from which the ship leaves instead; an id such as QUAY-00001. If left
                out, the quay stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        quay = self.quays.get(quay_id) if quay_id is not None else None
        if quay_id is not None and quay is None:
            return _refused(f"There is no quay {quay_id!r}.")
        if sailing["status"] != "open" or sailing["departs_at"] <= self.now:
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']} or has left.")
        if departs_at <= self.now:
            return _refused(f"{departs_at} is past.")
        there = quay or self.quays[sailing["quay_id"]]
        if not self._deep_enough(self.ships[sailing["ship_id"]], there, departs_at):
            return _refused(
                f"There is not enough water for {self.ships[sailing['ship_id']]['name']} at {there['name']} then."
            )
        other = self._at_quay(there, departs_at, sailing)
        if other is not None:
            return _refused(
                f"{self.ships[other['ship_id']]['name']} leaves {there['name']} at {other['departs_at']}."
            )
        busy = self._under_way(self.ships[sailing["ship_id"]], departs_at, sailing)
        if busy is not None:
            return _refused(
                f"{self.ships[sailing['ship_id']]['name']} leaves at {busy['departs_at']} and is not back."
            )
        self._journal = []
        self._put("sailings", sailing, "departs_at", departs_at)
        self._put("sailings", sailing, "quay_id", there["id"])
        if self._breaks_rule_10(sailing):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_a(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_a_again(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b_again(sailing):
            return self._take_back(RULES[10])
        done = f"let {self.ships[sailing['ship_id']]['name']} leave at {departs_at}"
        if quay is not None:
            done += f" from {quay['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def let_sail(self, sailing_id: str) -> Result:
        """Note that a sailing has left; whoever was not placed or stood by is left behind.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        if sailing["status"] != "open":
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']}.")
        if sailing["departs_at"] > _plus_minutes(self.now, 30):
            return _refused(f"It leaves at {sailing['departs_at']}.")
        self._journal = []
        changed_passages: list[Any] = []
        for p in [
            p
            for p in sorted(self._passages_by_sailing.get(sailing_id, {}).values(), key=_age)
            if p["status"] in ("booked", "standby", "placed")
        ]:
            if p["vehicle_id"] is None and p["status"] == "booked":
                if p["status"] not in ("booked", "placed"):
                    return self._take_back(f"Passage {p['lead']} cannot go from {p['status']} to placed.")
                changed_passages.append(p)
                self._put("passages", p, "status", "placed")
            if p["status"] == "placed":
                if p["status"] not in ("placed", "carried"):
                    return self._take_back(f"Passage {p['lead']} cannot go from {p['status']} to carried.")
                changed_passages.append(p)
                self._put("passages", p, "status", "carried")
            else:
                if p["status"] not in ("booked", "placed", "gone", "standby"):
                    return self._take_back(f"Passage {p['lead']} cannot go from {p['status']} to gone.")
                changed_passages.append(p)
                self._put("passages", p, "status", "gone")
        self._put("sailings", sailing, "status", "sailed")
        for one_sailing in _distinct([self.sailings[one["sailing_id"]] for one in changed_passages]):
            if self._breaks_rule_1_s(one_sailing):
                return self._take_back(RULES[0])
        for one_lane in _distinct([self.lanes.get(one["lane_id"]) for one in changed_passages]):
            if self._breaks_rule_1_x(one_lane):
                return self._take_back(RULES[0])
        for one_passage in _distinct(
            [*changed_passages, *self._passages_by_sailing_status.get((sailing["id"], "placed"), {}).values()]
        ):
            if self._breaks_rule_2(one_passage):
                return self._take_back(RULES[1])
        for one_passage in _distinct(changed_passages):
            if self._breaks_rule_3(one_passage):
                return self._take_back(RULES[2])
        for one_passage in _distinct(
            [
                *changed_passages,
                *[
                    user
                    for one in [self.sailings[one["sailing_id"]] for one in changed_passages]
                    for user in self._passages_by_sailing_status.get((one["id"], "placed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_passage):
                return self._take_back(RULES[3])
        for one_sailing in _distinct([sailing, *[self.sailings[one["sailing_id"]] for one in changed_passages]]):
            if self._breaks_rule_5(one_sailing):
                return self._take_back(RULES[4])
        for one_sailing in _distinct([sailing, *[self.sailings[one["sailing_id"]] for one in changed_passages]]):
            if self._breaks_rule_6(one_sailing):
                return self._take_back(RULES[5])
        for one_sailing in _distinct([sailing, *[self.sailings[one["sailing_id"]] for one in changed_passages]]):
            if self._breaks_rule_7(one_sailing):
                return self._take_back(RULES[6])
        for one_passage in _distinct(changed_passages):
            if self._breaks_rule_8(one_passage):
                return self._take_back(RULES[7])
        for one_passage in _distinct(changed_passages):
            if self._breaks_rule_9(one_passage):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(sailing):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_a(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_a_again(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b_again(sailing):
            return self._take_back(RULES[10])
        for one_passage in _distinct([*changed_passages, *self._passages_by_sailing.get(sailing["id"], {}).values()]):
            if self._breaks_rule_12(one_passage):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: note that {self.ships[sailing['ship_id']]['name']} has left at {sailing['departs_at']}."
            ),
            "data": self._changes(),
        }

    def cancel_sailing(self, sailing_id: str) -> Result:
        """Cancel a sailing on which nobody is booked or stands by any more.

        Args:
            sailing_id (str): Id of the sailing, such as SAILING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sailing = self.sailings.get(sailing_id)
        if sailing is None:
            return _refused(f"There is no sailing {sailing_id!r}.")
        if sailing["status"] != "open":
            return _refused(f"The sailing at {sailing['departs_at']} is {sailing['status']}.")
        left = next(
            (
                p
                for p in sorted(self._passages_by_sailing.get(sailing_id, {}).values(), key=_age)
                if p["status"] in ("booked", "placed", "standby")
            ),
            None,
        )
        if left is not None:
            return _refused(f"{left['lead']} is on its list; rebook or cancel that passage first.")
        self._journal = []
        self._put("sailings", sailing, "status", "cancelled")
        for one_passage in _distinct(self._passages_by_sailing_status.get((sailing["id"], "placed"), {}).values()):
            if self._breaks_rule_2(one_passage):
                return self._take_back(RULES[1])
        if self._breaks_rule_5(sailing):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(sailing):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(sailing):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(sailing):
            return self._take_back(RULES[9])
        if self._breaks_rule_11_a(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_a_again(sailing):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_b_again(sailing):
            return self._take_back(RULES[10])
        for one_passage in _distinct(self._passages_by_sailing.get(sailing["id"], {}).values()):
            if self._breaks_rule_12(one_passage):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel {self.ships[sailing['ship_id']]['name']} at {sailing['departs_at']}.",
            "data": self._changes(),
        }

    def _show_sailing(self, sailing: Sailing) -> dict[str, Any]:
        """The sailing as an answer shows it."""
        return {
            **sailing,
            "aboard": self._sailing_aboard(sailing),
            "decimetres_left": self._sailing_decimetres_left(sailing),
        }

    def _show_passage(self, passage: Passage) -> dict[str, Any]:
        """The passage as an answer shows it."""
        return {**passage, "length": self._passage_length(passage)}

    def _names_of_lanes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lanes point to."""
        return _names((self.ships, "name", [row["ship_id"] for row in shown]))

    def _names_of_tides(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tides point to."""
        return _names((self.quays, "name", [row["quay_id"] for row in shown]))

    def _names_of_sailings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sailings point to."""
        return _names(
            (self.ships, "name", [row["ship_id"] for row in shown]),
            (self.quays, "name", [row["quay_id"] for row in shown]),
        )

    def _names_of_passages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that passages point to."""
        return _names(
            (self.vehicles, "plate", [row["vehicle_id"] for row in shown]),
            (self.lanes, "label", [row["lane_id"] for row in shown]),
        )

    def _sailing_aboard(self, sailing: Sailing) -> int:
        """The aboard of a sailing."""
        return sum(
            p["people"]
            for p in self._passages_by_sailing.get(sailing["id"], {}).values()
            if p["status"] in ("booked", "placed", "carried")
        )

    def _sailing_decimetres_left(self, sailing: Sailing) -> int:
        """The decimetres left of a sailing."""
        return (
            sum(
                x["decimetres"]
                for x in self._lanes_by_ship.get(sailing["ship_id"], {}).values()
                if x["closed_for"] is None
            )
            - sum(
                self._passage_length(p)
                for p in self._passages_by_sailing.get(sailing["id"], {}).values()
                if p["status"] in ("booked", "placed")
            )
        )

    def _passage_length(self, passage: Passage) -> int:
        """The length of a passage."""
        return self.vehicles[passage["vehicle_id"]]["length"] + 5 if passage["vehicle_id"] is not None else 0

    def _cargo_of(self, p: Passage) -> str | None:
        return self.vehicles[p["vehicle_id"]]["cargo"] if p["vehicle_id"] is not None else None

    def _riding(self, s: Sailing) -> list[Passage]:
        return [
            p
            for p in sorted(self._passages_by_sailing.get(s["id"], {}).values(), key=_age)
            if p["status"] in ("booked", "placed")
        ]

    def _weight_of(self, p: Passage) -> int:
        return self.vehicles[p["vehicle_id"]]["tonnes"] if p["vehicle_id"] is not None else 0

    def _loaded(self, s: Sailing) -> int:
        return sum(self._weight_of(p) for p in self._riding(s))

    def _limit_of(self, s: Sailing) -> int:
        return (
            min(self.ships[s["ship_id"]]["passengers"], 25)
            if any(self._cargo_of(p) == "explosive" for p in self._riding(s))
            else self.ships[s["ship_id"]]["passengers"]
        )

    def _high_left(self, s: Sailing) -> int:
        return (
            sum(
                x["decimetres"]
                for x in self._lanes_by_ship.get(s["ship_id"], {}).values()
                if x["closed_for"] is None
                and x["height"] > 230
            )
            - sum(
                self._passage_length(p)
                for p in self._riding(s)
                if p["vehicle_id"] is not None
                and self.vehicles[p["vehicle_id"]]["height"] > 230
            )
        )

    def _seats_with(self, s: Sailing, v: Vehicle | None) -> int:
        return (
            (min(self._limit_of(s), 25) if v is not None and v["cargo"] == "explosive" else self._limit_of(s))
            - self._sailing_aboard(s)
        )

    def _takes(self, s: Sailing, v: Vehicle | None, n: int) -> bool:
        return (
            n <= self._seats_with(s, v)
            and (
                v is None
                or self._loaded(s) + v["tonnes"] <= self.ships[s["ship_id"]]["tonnes"]
                and v["length"] + 5 <= self._sailing_decimetres_left(s)
                and (v["height"] <= 230 or v["length"] + 5 <= self._high_left(s))
            )
        )

    def _used(self, s: Sailing, x: Lane, own: Passage | None) -> int:
        return sum(
            self._passage_length(p)
            for p in self._passages_by_sailing_lane_status.get((s["id"], x["id"], "placed"), {}).values()
            if p is not own
        )

    def _too_near(self, s: Sailing, x: Lane, own: Passage) -> Passage | None:
        return next(
            (
                p
                for p in sorted(self._passages_by_sailing_status.get((s["id"], "placed"), {}).values(), key=_age)
                if p is not own
                and p["lane_id"] is not None
                and self.lanes[p["lane_id"]]["ship_id"] == x["ship_id"]
                and abs(self.lanes[p["lane_id"]]["position"] - x["position"]) <= 1
                and (
                    self._cargo_of(p) == "explosive"
                    and self._cargo_of(own) == "flammable"
                    or self._cargo_of(p) == "flammable"
                    and self._cargo_of(own) == "explosive"
                )
            ),
            None,
        )

    def _may_stand(self, p: Passage, x: Lane) -> bool:
        return (
            p["vehicle_id"] is not None
            and x["ship_id"] == self.sailings[p["sailing_id"]]["ship_id"]
            and x["closed_for"] is None
            and self.vehicles[p["vehicle_id"]]["height"] <= x["height"]
            and self._used(self.sailings[p["sailing_id"]], x, p) + self._passage_length(p) <= x["decimetres"]
            and (self.vehicles[p["vehicle_id"]]["cargo"] != "flammable" or x["open_air"])
            and self._too_near(self.sailings[p["sailing_id"]], x, p) is None
        )

    def _deep_enough(self, k: Ship, q: Quay, at: str) -> bool:
        return any(
            (t["rises_at"] <= at and at < t["falls_at"])
            and t["depth"] >= k["draught"] + 50
            for t in self._tides_by_quay.get(q["id"], {}).values()
        )

    def _at_quay(self, q: Quay, at: str, own: Sailing | None) -> Sailing | None:
        return next(
            (
                s
                for s in sorted(self._sailings_by_quay.get(q["id"], {}).values(), key=_age)
                if s["status"] != "cancelled"
                and s is not own
                and abs(_minutes_between(at, s["departs_at"])) < 45
            ),
            None,
        )

    def _under_way(self, k: Ship, at: str, own: Sailing | None) -> Sailing | None:
        return next(
            (
                s
                for s in sorted(self._sailings_by_ship.get(k["id"], {}).values(), key=_age)
                if s["status"] != "cancelled"
                and s is not own
                and abs(_minutes_between(at, s["departs_at"])) < 2 * k["crossing"] + 60
            ),
            None,
        )

    def _breaks_rule_1_s(self, s: Sailing) -> bool:
        """Whether this is broken: no lane is loaded beyond its length."""
        return any(
            sum(
                self._passage_length(p)
                for p in self._passages_by_sailing_lane_status.get((s["id"], x["id"], "placed"), {}).values()
            ) > x["decimetres"]
            for x in self._lanes_by_ship.get(s["ship_id"], {}).values()
        )

    def _breaks_rule_1_x(self, x: Lane) -> bool:
        """Whether this is broken: no lane is loaded beyond its length."""
        return any(
            sum(
                self._passage_length(p)
                for p in self._passages_by_sailing_lane_status.get((s["id"], x["id"], "placed"), {}).values()
            ) > x["decimetres"]
            for s in self._sailings_by_ship.get(x["ship_id"], {}).values()
        )

    def _breaks_rule_2(self, p: Passage) -> bool:
        """Whether this is broken: a vehicle stands in a lane of its ship that is high enough for it and not closed.
        """
        return (
            p["status"] == "placed"
            and self.sailings[p["sailing_id"]]["status"] == "open"
            and (
                p["lane_id"] is None
                or p["vehicle_id"] is None
                or self.lanes[p["lane_id"]]["ship_id"] != self.sailings[p["sailing_id"]]["ship_id"]
                or self.vehicles[p["vehicle_id"]]["height"] > self.lanes[p["lane_id"]]["height"]
                or self.lanes[p["lane_id"]]["closed_for"] is not None
            )
        )

    def _breaks_rule_3(self, p: Passage) -> bool:
        """Whether this is broken: flammable loads stand in the open air."""
        return (
            p["status"] == "placed"
            and (
                p["lane_id"] is not None
                and not self.lanes[p["lane_id"]]["open_air"]
                and self._cargo_of(p) == "flammable"
            )
        )

    def _breaks_rule_4(self, p: Passage) -> bool:
        """Whether this is broken: explosive and flammable loads never stand in one lane or side by side."""
        return (
            p["status"] == "placed"
            and (
                p["lane_id"] is not None
                and self._too_near(self.sailings[p["sailing_id"]], self.lanes[p["lane_id"]], p) is not None
            )
        )

    def _breaks_rule_5(self, s: Sailing) -> bool:
        """Whether this is broken: no more people are booked than the ship may carry, and 25 where explosives are on
        board.
        """
        return s["status"] == "open" and self._sailing_aboard(s) > self._limit_of(s)

    def _breaks_rule_6(self, s: Sailing) -> bool:
        """Whether this is broken: a sailing never promises more deck than its ship has."""
        return s["status"] == "open" and (self._sailing_decimetres_left(s) < 0 or self._high_left(s) < 0)

    def _breaks_rule_7(self, s: Sailing) -> bool:
        """Whether this is broken: no ship is loaded beyond the weight it may carry."""
        return s["status"] == "open" and self._loaded(s) > self.ships[s["ship_id"]]["tonnes"]

    def _breaks_rule_8(self, p: Passage) -> bool:
        """Whether this is broken: a vehicle crosses once on a sailing."""
        return (
            p["vehicle_id"] is not None
            and p["status"] in ("booked", "placed", "standby")
            and any(
                other_p is not p
                for other_p in self._passages_by_vehicle_sailing.get((p["vehicle_id"], p["sailing_id"]), {}).values()
                if other_p["vehicle_id"] is not None
                and other_p["status"] in ("booked", "placed", "standby")
            )
        )

    def _breaks_rule_9(self, p: Passage) -> bool:
        """Whether this is broken: only vehicles that are placed or were carried have a lane."""
        return p["lane_id"] is not None and p["status"] not in ("placed", "carried")

    def _breaks_rule_10(self, s: Sailing) -> bool:
        """Whether this is broken: a ship leaves only when there is half a metre of water under it."""
        return (
            s["status"] == "open"
            and not self._deep_enough(self.ships[s["ship_id"]], self.quays[s["quay_id"]], s["departs_at"])
        )

    def _breaks_rule_11_a(self, a: Sailing) -> bool:
        """Whether this is broken: two departures from a quay are at least 45 minutes apart, and a ship comes back
        before it leaves again.
        """
        return (
            a["status"] != "cancelled"
            and any(
                abs(_minutes_between(b["departs_at"], a["departs_at"])) < 45
                for b in self._sailings_by_quay.get(a["quay_id"], {}).values()
                if a is not b
                and b["status"] != "cancelled"
            )
        )

    def _breaks_rule_11_b(self, b: Sailing) -> bool:
        """Whether this is broken: two departures from a quay are at least 45 minutes apart, and a ship comes back
        before it leaves again.
        """
        return (
            b["status"] != "cancelled"
            and any(
                abs(_minutes_between(b["departs_at"], a["departs_at"])) < 45
                for a in self._sailings_by_quay.get(b["quay_id"], {}).values()
                if a is not b
                and a["status"] != "cancelled"
            )
        )

    def _breaks_rule_11_a_again(self, a: Sailing) -> bool:
        """Whether this is broken: two departures from a quay are at least 45 minutes apart, and a ship comes back
        before it leaves again.
        """
        return (
            a["status"] != "cancelled"
            and any(
                abs(
                    _minutes_between(b["departs_at"], a["departs_at"])
                ) < 2 * self.ships[a["ship_id"]]["crossing"] + 60
                for b in self._sailings_by_ship.get(a["ship_id"], {}).values()
                if a is not b
                and b["status"] != "cancelled"
            )
        )

    def _breaks_rule_11_b_again(self, b: Sailing) -> bool:
        """Whether this is broken: two departures from a quay are at least 45 minutes apart, and a ship comes back
        before it leaves again.
        """
        return (
            b["status"] != "cancelled"
            and any(
                abs(
                    _minutes_between(b["departs_at"], a["departs_at"])
                ) < 2 * self.ships[a["ship_id"]]["crossing"] + 60
                for a in self._sailings_by_ship.get(b["ship_id"], {}).values()
                if a is not b
                and a["status"] != "cancelled"
            )
        )

    def _breaks_rule_12(self, p: Passage) -> bool:
        """Whether this is broken: nobody waits for a sailing that is over, and nobody has a place on one that was
        cancelled.
        """
        return p["status"] in ("booked", "placed", "standby") and self.sailings[p["sailing_id"]]["status"] != "open"

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
            case "lanes":
                self._lanes_by_ship.setdefault(record["ship_id"], {})[record["id"]] = record
            case "tides":
                self._tides_by_quay.setdefault(record["quay_id"], {})[record["id"]] = record
            case "sailings":
                self._sailings_by_quay.setdefault(record["quay_id"], {})[record["id"]] = record
                self._sailings_by_ship.setdefault(record["ship_id"], {})[record["id"]] = record
                self._sailings_by_ship_status.setdefault((record["ship_id"], record["status"]), {})[record["id"]] = record
            case "passages":
                self._passages_by_lane_status.setdefault((record["lane_id"], record["status"]), {})[record["id"]] = record
                self._passages_by_sailing.setdefault(record["sailing_id"], {})[record["id"]] = record
                self._passages_by_sailing_lane_status.setdefault(
                    (record["sailing_id"], record["lane_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._passages_by_sailing_status.setdefault(
                    (record["sailing_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._passages_by_vehicle_sailing.setdefault(
                    (record["vehicle_id"], record["sailing_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "lanes":
                del self._lanes_by_ship[record["ship_id"]][record["id"]]
            case "tides":
                del self._tides_by_quay[record["quay_id"]][record["id"]]
            case "sailings":
                del self._sailings_by_quay[record["quay_id"]][record["id"]]
                del self._sailings_by_ship[record["ship_id"]][record["id"]]
                del self._sailings_by_ship_status[record["ship_id"], record["status"]][record["id"]]
            case "passages":
                del self._passages_by_lane_status[record["lane_id"], record["status"]][record["id"]]
                del self._passages_by_sailing[record["sailing_id"]][record["id"]]
                del self._passages_by_sailing_lane_status[
                    record["sailing_id"],
                    record["lane_id"],
                    record["status"],
                ][record["id"]]
                del self._passages_by_sailing_status[record["sailing_id"], record["status"]][record["id"]]
                del self._passages_by_vehicle_sailing[record["vehicle_id"], record["sailing_id"]][record["id"]]
