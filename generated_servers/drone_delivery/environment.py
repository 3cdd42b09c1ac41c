"""Drone delivery. Compiled from blueprint.yaml; run `envscaler build drone_delivery` after changing it there.

Flies parcels between the hubs of a city with drones that need free pads, charged batteries, open airspace and
regular service.
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
    "A hub never has more drones parked or on their way to it than pads.",
    "A hub never stores more parcels than it has shelves.",
    "A drone never carries more than it can lift.",
    "A drone is on a hub unless it flies.",
    "A flying drone has exactly one flight in the air, and no other drone has any.",
    "A drone in the air keeps at least 10 percent of its battery when it lands.",
    "No flight in the air crosses a closed zone.",
    "Waiting parcels are at a hub, loaded ones on a drone, and all others at neither.",
    "Cooled parcels only travel on drones with a cool box.",
    "A drone never flies more often than allowed between two services.",
    "A grounded drone has a fault and carries nothing; other drones have no fault.",
    "A parcel goes to another hub than it came from.",
    "No parcel waits at the hub it goes to.",
    "A zone has a reason exactly while it is closed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "accept_parcel",
    "cancel_parcel",
    "load_parcels",
    "unload_parcel",
    "launch_drone",
    "land_drone",
    "charge_drone",
    "ground_drone",
    "release_drone",
    "close_zone",
    "reopen_zone",
)
"""The methods that may change something; all others only read."""

FLIGHT_STATUS_MOVES = {("airborne", "landed"), ("airborne", "diverted")}

LABELS: dict[str, tuple[str, ...]] = {
    "hubs": ("name",),
    "drones": ("callsign",),
    "zones": ("name",),
    "parcels": ("recipient",),
    "flights": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("drones", "hub_id"),
    ("flights", "destination_id"),
    ("flights", "drone_id"),
    ("flights", "status"),
    ("parcels", "at_hub_id"),
    ("parcels", "drone_id"),
    ("parcels", "to_hub_id"),
    ("zones", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Hub(TypedDict):
    id: str
    name: str
    east: int
    north: int
    pads: int
    shelves: int
    charger: bool


class Drone(TypedDict):
    id: str
    callsign: str
    model: str
    max_grams: int
    range_km: int
    cool_box: bool
    service_after: int
    hub_id: str | None
    battery: int
    flown: int
    fault: Literal["rotor", "battery", "sensor", "scheduled_service"] | None
    status: Literal["ready", "flying", "grounded"]


class Zone(TypedDict):
    id: str
    name: str
    west: int
    east: int
    south: int
    north: int
    closed_for: Literal["police", "event", "weather", "hospital_helicopter"] | None
    status: Literal["open", "closed"]


class Parcel(TypedDict):
    id: str
    recipient: str
    sender: str
    contents: str
    grams: int
    cooled: bool
    deliver_by: str
    from_hub_id: str
    to_hub_id: str
    at_hub_id: str | None
    drone_id: str | None
    arrived: str | None
    status: Literal["waiting", "loaded", "cancelled", "delivered"]


class Flight(TypedDict):
    id: str
    drone_id: str
    origin_id: str
    destination_id: str
    launched: str
    landed: str | None
    parcels: int
    status: Literal["airborne", "landed", "diverted"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class DroneDelivery:
    """Flies parcels between the hubs of a city with drones that need free pads, charged batteries, open
    airspace and regular service.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.hubs: dict[str, Hub] = _copied(config.get("hubs", {}))
        self.drones: dict[str, Drone] = _copied(config.get("drones", {}))
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.parcels: dict[str, Parcel] = _copied(config.get("parcels", {}))
        self.flights: dict[str, Flight] = _copied(config.get("flights", {}))
        self.now: str = config.get("now", "2026-03-02T10:00")
        self.counters: dict[str, int] = {
            "hub": len(self.hubs),
            "drone": len(self.drones),
            "zone": len(self.zones),
            "parcel": len(self.parcels),
            "flight": len(self.flights),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._drones_by_hub: dict[Any, dict[str, Drone]] = {}
        self._zones_by_status: dict[Any, dict[str, Zone]] = {}
        self._parcels_by_at_hub: dict[Any, dict[str, Parcel]] = {}
        self._parcels_by_drone: dict[Any, dict[str, Parcel]] = {}
        self._parcels_by_to_hub_drone: dict[Any, dict[str, Parcel]] = {}
        self._flights_by_destination_status: dict[Any, dict[str, Flight]] = {}
        self._flights_by_drone_status: dict[Any, dict[str, Flight]] = {}
        self._flights_by_status: dict[Any, dict[str, Flight]] = {}
        for drone in self.drones.values():
            self._link("drones", drone)
        for zone in self.zones.values():
            self._link("zones", zone)
        for parcel in self.parcels.values():
            self._link("parcels", parcel)
        for flight in self.flights.values():
            self._link("flights", flight)

    def check_flight(self, drone_id: str, to_hub_id: str) -> Result:
        """What a flight of a drone to a hub would take, and what stands in its way.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            to_hub_id (str): Hub to which the drone would fly; an id such as HUB-00001.

        Returns:
            dict: {"success": True, "data": {km, percent_needed, percent_left, free_pads, closed_zone,
                service_due}} or {"success": False, "error": why not}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        to_hub = self.hubs.get(to_hub_id)
        if to_hub is None:
            return _refused(f"There is no hub {to_hub_id!r}.")
        if drone["hub_id"] is None:
            return _refused(f"Drone {drone['callsign']} is in the air.")
        answer = {
            "km": self._km(self.hubs[drone["hub_id"]], to_hub),
            "percent_needed": self._percent_needed(drone, self.hubs[drone["hub_id"]], to_hub),
            "percent_left": drone["battery"] - self._percent_needed(drone, self.hubs[drone["hub_id"]], to_hub),
            "free_pads": self._hub_free_pads(to_hub),
            "closed_zone": _id_of(self._blocked(self.hubs[drone["hub_id"]], to_hub)),
            "service_due": self._due_for_service(drone),
        }
        return _found(answer, _names((self.zones, "name", [row["closed_zone"] for row in [answer]])))

    def hubs_in_reach(self, drone_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The hubs that a ready drone could be launched to now, nearest first.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hubs": records}} or {"success": False, "error": why
                not}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        if drone["hub_id"] is None:
            return _refused(f"Drone {drone['callsign']} is in the air.")
        found = [
            h
            for h in self.hubs.values()
            if (
                h["id"] != drone["hub_id"]
                and self._hub_free_pads(h) > 0
                and self._blocked(self.hubs[drone["hub_id"]], h) is None
            )
            and drone["battery"] - self._percent_needed(drone, self.hubs[drone["hub_id"]], h) >= 10
        ]
        found.sort(key=lambda h: (self._km(self.hubs[drone["hub_id"]], h), h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "hubs": [
                    {
                        "hub_id": h["id"],
                        "name": h["name"],
                        "km": self._km(self.hubs[drone["hub_id"]], h),
                        "percent_needed": self._percent_needed(drone, self.hubs[drone["hub_id"]], h),
                        "free_pads": self._hub_free_pads(h),
                        "charger": h["charger"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def parcels_at_hub(
        self,
        hub_id: str,
        to_hub_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The parcels waiting at a hub, those with the earliest date first, if wanted only for one destination.

        Args:
            hub_id (str): Id of the hub, such as HUB-00001.
            to_hub_id (str, optional): Hub to which the parcels go; an id such as HUB-00001. If left out, parcels
                for all destinations are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parcels": records}} or {"success": False, "error": why
                not}
        """
        hub = self.hubs.get(hub_id)
        if hub is None:
            return _refused(f"There is no hub {hub_id!r}.")
        to_hub = self.hubs.get(to_hub_id) if to_hub_id is not None else None
        if to_hub_id is not None and to_hub is None:
            return _refused(f"There is no hub {to_hub_id!r}.")
        found = [
            p
            for p in self._parcels_by_at_hub.get(hub_id, {}).values()
            if (to_hub_id is None or p["to_hub_id"] == to_hub_id)
        ]
        found.sort(key=lambda p: (p["deliver_by"], p["id"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parcels": [
                    {
                        "parcel_id": p["id"],
                        "recipient": p["recipient"],
                        "contents": p["contents"],
                        "grams": p["grams"],
                        "cooled": p["cooled"],
                        "to_hub": self.hubs[p["to_hub_id"]]["name"],
                        "deliver_by": p["deliver_by"],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def flights_in_the_air(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The flights in the air, the oldest first, with their loads.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "flights": records}} or {"success": False, "error": why
                not}
        """
        found = [f for f in self._flights_by_status.get("airborne", {}).values()]
        found.sort(key=lambda f: (f["launched"], f["id"], _age(f)))
        return _found(
            {
                "total": len(found),
                "flights": [
                    {
                        "flight_id": f["id"],
                        "drone": self.drones[f["drone_id"]]["callsign"],
                        "from_hub": self.hubs[f["origin_id"]]["name"],
                        "to_hub": self.hubs[f["destination_id"]]["name"],
                        "launched": f["launched"],
                        "grams": self._drone_load_grams(self.drones[f["drone_id"]]),
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def drones_due_for_service(
        self,
        flights_left: Annotated[int, {"minimum": 0, "maximum": 10}] = 1,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The drones with at most so many flights left before their next service, the most pressing first.

        Args:
            flights_left (int): Most flights that a listed drone may still make before its service, from 0 to 10.
                Default: 1.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drones": records}} or {"success": False, "error": why
                not}
        """
        found = [
            d
            for d in self.drones.values()
            if (d["status"] != "grounded" and d["service_after"] - d["flown"] <= flights_left)
        ]
        found.sort(key=lambda d: (d["service_after"] - d["flown"], d["callsign"], _age(d)))
        return _found(
            {
                "total": len(found),
                "drones": [
                    {
                        "drone_id": d["id"],
                        "callsign": d["callsign"],
                        "status": d["status"],
                        "flown": d["flown"],
                        "flights_left": d["service_after"] - d["flown"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def list_hubs(
        self,
        name: Text | None = None,
        charger: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hubs, oldest first, all of them or only some.

        Args:
            name (str, optional): Only hubs whose name contains this text.
            charger (bool, optional): Only hubs with this value of `charger`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hubs": records}}
        """
        found = [
            hub
            for hub in self.hubs.values()
            if (name is None or name.casefold() in hub["name"].casefold())
            and (charger is None or hub["charger"] == charger)
        ]
        return _found({"total": len(found), "hubs": [self._show_hub(hub) for hub in _page(found, offset)]})

    def get_drone(self, drone_id: str) -> Result:
        """Look up one drone by its id.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        shown = self._show_drone(drone)
        return _found(shown, self._names_of_drones([shown]))

    def list_drones(
        self,
        callsign: Text | None = None,
        cool_box: bool | None = None,
        hub_id: str | None = None,
        fault: Literal["rotor", "battery", "sensor", "scheduled_service"] | None = None,
        status: Literal["ready", "flying", "grounded"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drones, oldest first, all of them or only some.

        Args:
            callsign (str, optional): Only drones whose callsign contains this text.
            cool_box (bool, optional): Only drones with this value of `cool_box`.
            hub_id (str, optional): Only drones of this hub.
            fault (str, optional): Only drones with this fault.
            status (str, optional): Only drones with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drones": records}}
        """
        if hub_id is not None and hub_id not in self.hubs:
            return _refused(f"There is no hub {hub_id!r}.")
        found = [
            drone
            for drone in self.drones.values()
            if (callsign is None or callsign.casefold() in drone["callsign"].casefold())
            and (cool_box is None or drone["cool_box"] == cool_box)
            and (hub_id is None or drone["hub_id"] == hub_id)
            and (fault is None or drone["fault"] == fault)
            and (status is None or drone["status"] == status)
        ]
        shown = [self._show_drone(drone) for drone in _page(found, offset)]
        return _found({"total": len(found), "drones": shown}, self._names_of_drones(shown))

    def list_zones(
        self,
        name: Text | None = None,
        closed_for: Literal["police", "event", "weather", "hospital_helicopter"] | None = None,
        status: Literal["open", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            closed_for (str, optional): Only zones whose `closed_for` is this.
            status (str, optional): Only zones with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        found = [
            zone
            for zone in self.zones.values()
            if (name is None or name.casefold() in zone["name"].casefold())
            and (closed_for is None or zone["closed_for"] == closed_for)
            and (status is None or zone["status"] == status)
        ]
        return _found({"total": len(found), "zones": [{**zone} for zone in _page(found, offset)]})

    def list_parcels(
        self,
        recipient: Text | None = None,
        cooled: bool | None = None,
        from_hub_id: str | None = None,
        to_hub_id: str | None = None,
        at_hub_id: str | None = None,
        drone_id: str | None = None,
        status: Literal["waiting", "loaded", "cancelled", "delivered"] | None = None,
        deliver_by_from: Date | None = None,
        deliver_by_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parcels, oldest first, all of them or only some.

        Args:
            recipient (str, optional): Only parcels whose recipient contains this text.
            cooled (bool, optional): Only parcels that are cooled (true) or not (false).
            from_hub_id (str, optional): Only parcels whose from hub is this hub.
            to_hub_id (str, optional): Only parcels whose to hub is this hub.
            at_hub_id (str, optional): Only parcels whose at hub is this hub.
            drone_id (str, optional): Only parcels of this drone.
            status (str, optional): Only parcels with this status.
            deliver_by_from (str, optional): Only parcels whose `deliver_by` is on this day or later.
            deliver_by_to (str, optional): Only parcels whose `deliver_by` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parcels": records}}
        """
        if from_hub_id is not None and from_hub_id not in self.hubs:
            return _refused(f"There is no hub {from_hub_id!r}.")
        if to_hub_id is not None and to_hub_id not in self.hubs:
            return _refused(f"There is no hub {to_hub_id!r}.")
        if at_hub_id is not None and at_hub_id not in self.hubs:
            return _refused(f"There is no hub {at_hub_id!r}.")
        if drone_id is not None and drone_id not in self.drones:
            return _refused(f"There is no drone {drone_id!r}.")
        found = [
            parcel
            for parcel in self.parcels.values()
            if (recipient is None or recipient.casefold() in parcel["recipient"].casefold())
            and (cooled is None or parcel["cooled"] == cooled)
            and (from_hub_id is None or parcel["from_hub_id"] == from_hub_id)
            and (to_hub_id is None or parcel["to_hub_id"] == to_hub_id)
            and (at_hub_id is None or parcel["at_hub_id"] == at_hub_id)
            and (drone_id is None or parcel["drone_id"] == drone_id)
            and (status is None or parcel["status"] == status)
            and (deliver_by_from is None or parcel["deliver_by"] >= deliver_by_from)
            and (deliver_by_to is None or parcel["deliver_by"] <= deliver_by_to)
        ]
        shown = [{**parcel} for parcel in _page(found, offset)]
        return _found({"total": len(found), "parcels": shown}, self._names_of_parcels(shown))

    def list_flights(
        self,
        drone_id: str | None = None,
        origin_id: str | None = None,
        destination_id: str | None = None,
        status: Literal["airborne", "landed", "diverted"] | None = None,
        launched_from: Date | None = None,
        launched_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the flights, oldest first, all of them or only some.

        Args:
            drone_id (str, optional): Only flights of this drone.
            origin_id (str, optional): Only flights whose origin is this hub.
            destination_id (str, optional): Only flights whose destination is this hub.
            status (str, optional): Only flights with this status.
            launched_from (str, optional): Only flights whose `launched` is on this day or later.
            launched_to (str, optional): Only flights whose `launched` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "flights": records}}
        """
        if drone_id is not None and drone_id not in self.drones:
            return _refused(f"There is no drone {drone_id!r}.")
        if origin_id is not None and origin_id not in self.hubs:
            return _refused(f"There is no hub {origin_id!r}.")
        if destination_id is not None and destination_id not in self.hubs:
            return _refused(f"There is no hub {destination_id!r}.")
        found = [
            flight
            for flight in self.flights.values()
            if (drone_id is None or flight["drone_id"] == drone_id)
            and (origin_id is None or flight["origin_id"] == origin_id)
            and (destination_id is None or flight["destination_id"] == destination_id)
            and (status is None or flight["status"] == status)
            and (launched_from is None or flight["launched"][:10] >= launched_from)
            and (launched_to is None or flight["launched"][:10] <= launched_to)
        ]
        shown = [{**flight} for flight in _page(found, offset)]
        return _found({"total": len(found), "flights": shown}, self._names_of_flights(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def accept_parcel(
        self,
        recipient: Text,
        sender: Text,
        contents: Text,
        grams: Annotated[int, {"minimum": 50, "maximum": 5000}],
        from_hub_id: str,
        to_hub_id: str,
        deliver_by: Date,
        cooled: bool = False,
    ) -> Result:
        """Accept a parcel at a hub for delivery to another hub, a cooled one for today or tomorrow.

        Args:
            recipient (str): Name of the person who gets the parcel.
            sender (str): Company that sends the parcel.
            contents (str): What is in the parcel, in a few words.
            grams (int): Weight of the parcel, in grams, from 50 to 5000.
            from_hub_id (str): Hub where the parcel is handed in; an id such as HUB-00001.
            to_hub_id (str): Hub where the recipient gets it, another than the first; an id such as HUB-00001.
            deliver_by (str): Last day for delivery, within 14 days, or by tomorrow for a cooled one, as
                YYYY-MM-DD.
            cooled (bool): Whether the parcel must stay cool. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        from_hub = self.hubs.get(from_hub_id)
        if from_hub is None:
            return _refused(f"There is no hub {from_hub_id!r}.")
        to_hub = self.hubs.get(to_hub_id)
        if to_hub is None:
            return _refused(f"There is no hub {to_hub_id!r}.")
        if from_hub is to_hub:
            return _refused(f"A parcel from {from_hub['name']} must go to another hub.")
        if self.now[:10] > deliver_by or deliver_by > _plus_days(self.now[:10], 14):
            return _refused(
                f"A parcel is delivered within 14 days, between {self.now[:10]} and {_plus_days(self.now[:10], 14)}."
            )
        if cooled and deliver_by > _plus_days(self.now[:10], 1):
            return _refused(
                f"Hubs have no cold store, so a cooled parcel is delivered by {_plus_days(self.now[:10], 1)}."
            )
        if self._hub_stored(from_hub) >= from_hub["shelves"]:
            return _refused(f"All {from_hub['shelves']} shelves of {from_hub['name']} are full.")
        if not any(d["max_grams"] >= grams and (d["cool_box"] or not cooled) for d in self.drones.values()):
            return _refused(f"No drone of the fleet can carry {grams} grams with such contents.")
        self._journal = []
        parcel: Parcel = {
            "id": self._new_id("parcel", "PARCEL", self.parcels),
            "recipient": recipient,
            "sender": sender,
            "contents": contents,
            "grams": grams,
            "cooled": cooled,
            "deliver_by": deliver_by,
            "from_hub_id": from_hub_id,
            "to_hub_id": to_hub_id,
            "at_hub_id": from_hub_id,
            "drone_id": None,
            "arrived": None,
            "status": "waiting",
        }
        self._add("parcels", parcel)
        for one_hub in _distinct([self.hubs.get(parcel["at_hub_id"])]):
            if self._breaks_rule_2(one_hub):
                return self._take_back(RULES[1])
        for one_drone in _distinct([self.drones.get(parcel["drone_id"])]):
            if self._breaks_rule_3(one_drone):
                return self._take_back(RULES[2])
        for one_flight in _distinct(
            [
                user
                for one in [self.drones.get(parcel["drone_id"])]
                if one is not None
                for user in self._flights_by_drone_status.get((parcel["drone_id"], "airborne"), {}).values()
            ]
        ):
            if self._breaks_rule_6(one_flight):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(parcel):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(parcel):
            return self._take_back(RULES[8])
        for one_drone in _distinct([self.drones.get(parcel["drone_id"])]):
            if self._breaks_rule_11(one_drone):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(parcel):
            return self._take_back(RULES[11])
        if self._breaks_rule_13(parcel):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: accept a {'cooled' if cooled else 'plain'} parcel of {grams} grams of {contents} from "
                f"{sender} for {recipient}, from {from_hub['name']} to {to_hub['name']} by {deliver_by} (new: "
                f"parcel {parcel['id']})."
            ),
            "data": {"parcel_id": parcel["id"], **self._changes()},
        }

    def cancel_parcel(self, parcel_id: str) -> Result:
        """Give a waiting parcel back to its sender at the hub where it was handed in.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        if parcel["status"] != "waiting":
            return _refused(f"The parcel for {parcel['recipient']} is {parcel['status']}.")
        if parcel["at_hub_id"] != parcel["from_hub_id"]:
            return _refused(
                f"The parcel for {parcel['recipient']} is not at {self.hubs[parcel['from_hub_id']]['name']}, "
                "where its sender is; fly it back first."
            )
        self._journal = []
        former_at_hub_id = parcel["at_hub_id"]
        self._put("parcels", parcel, "at_hub_id", None)
        self._put("parcels", parcel, "status", "cancelled")
        for one_hub in _distinct([self.hubs.get(parcel["at_hub_id"]), self.hubs.get(former_at_hub_id)]):
            if self._breaks_rule_2(one_hub):
                return self._take_back(RULES[1])
        if self._breaks_rule_8(parcel):
            return self._take_back(RULES[7])
        if self._breaks_rule_13(parcel):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: cancel the parcel {parcel['id']} for {parcel['recipient']}.",
            "data": self._changes(),
        }

    def load_parcels(self, drone_id: str, parcel_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Load waiting parcels on a ready drone at the same hub.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            parcel_ids (list): Parcels that wait at the hub of the drone, each named once: ids of parcels, such as
                PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        parcels = []
        for key in parcel_ids:
            if key not in self.parcels:
                return _refused(f"There is no parcel {key!r}.")
            parcels.append(self.parcels[key])
        if drone["status"] != "ready":
            return _refused(f"Drone {drone['callsign']} is {drone['status']}.")
        if len(parcels) <= 0:
            return _refused("Name at least one parcel.")
        if not _different([p["id"] for p in parcels]):
            return _refused("A parcel is named twice.")
        absent = next((p for p in parcels if (p["status"] != "waiting" or p["at_hub_id"] != drone["hub_id"])), None)
        if absent is not None:
            return _refused(
                f"Parcel {absent['id']} for {absent['recipient']} is not waiting at the hub of {drone['callsign']}."
            )
        warm = next((p for p in parcels if p["cooled"] and not drone["cool_box"]), None)
        if warm is not None:
            return _refused(f"Parcel {warm['id']} must stay cool and {drone['callsign']} has no cool box.")
        if self._drone_load_grams(drone) + sum(p["grams"] for p in parcels) > drone["max_grams"]:
            return _refused(
                f"{drone['callsign']} can lift {drone['max_grams'] - self._drone_load_grams(drone)} grams more, "
                f"and these parcels weigh {sum(p['grams'] for p in parcels)}."
            )
        self._journal = []
        changed_parcels: list[Any] = []
        former_at_hub_ids: list[Any] = []
        changed_parcels_2: list[Any] = []
        former_drone_ids: list[Any] = []
        changed_parcels_3: list[Any] = []
        for p in list(parcels):
            changed_parcels.append(p)
            former_at_hub_ids.append(p["at_hub_id"])
            self._put("parcels", p, "at_hub_id", None)
            changed_parcels_2.append(p)
            former_drone_ids.append(p["drone_id"])
            self._put("parcels", p, "drone_id", drone_id)
            if p["status"] not in ("waiting", "loaded"):
                return self._take_back(f"Parcel {p['recipient']} cannot go from {p['status']} to loaded.")
            changed_parcels_3.append(p)
            self._put("parcels", p, "status", "loaded")
        for one_hub in _distinct(
            [
                *[self.hubs.get(one["at_hub_id"]) for one in changed_parcels],
                *[self.hubs.get(key) for key in former_at_hub_ids],
            ]
        ):
            if self._breaks_rule_2(one_hub):
                return self._take_back(RULES[1])
        for one_drone in _distinct(
            [
                *[self.drones.get(one["drone_id"]) for one in changed_parcels_2],
                *[self.drones.get(key) for key in former_drone_ids],
            ]
        ):
            if self._breaks_rule_3(one_drone):
                return self._take_back(RULES[2])
        for one_flight in _distinct(
            [
                *[
                    user
                    for one in [self.drones.get(one["drone_id"]) for one in changed_parcels_2]
                    if one is not None
                    for user in self._flights_by_drone_status.get((one["id"], "airborne"), {}).values()
                ],
                *[
                    user
                    for one in [self.drones.get(key) for key in former_drone_ids]
                    if one is not None
                    for user in self._flights_by_drone_status.get((one["id"], "airborne"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_flight):
                return self._take_back(RULES[5])
        for one_parcel in _distinct([*changed_parcels, *changed_parcels_2, *changed_parcels_3]):
            if self._breaks_rule_8(one_parcel):
                return self._take_back(RULES[7])
        for one_parcel in _distinct(changed_parcels_2):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        for one_drone in _distinct(
            [
                *[self.drones.get(one["drone_id"]) for one in changed_parcels_2],
                *[self.drones.get(key) for key in former_drone_ids],
            ]
        ):
            if self._breaks_rule_11(one_drone):
                return self._take_back(RULES[10])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_13(one_parcel):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: load {', '.join(str(one['recipient']) for one in parcels)} on {drone['callsign']}.",
            "data": self._changes(),
        }

    def unload_parcel(self, parcel_id: str) -> Result:
        """Take a parcel off a drone that stands on a hub and store it there.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        if parcel["status"] != "loaded" or parcel["drone_id"] is None:
            return _refused(f"The parcel for {parcel['recipient']} is {parcel['status']}.")
        here = self.hubs.get(self.drones[parcel["drone_id"]]["hub_id"])
        if here is None:
            return _refused(f"Drone {self.drones[parcel['drone_id']]['callsign']} is in the air.")
        if self._hub_stored(here) >= here["shelves"]:
            return _refused(f"All {here['shelves']} shelves of {here['name']} are full.")
        self._journal = []
        former_drone_id = parcel["drone_id"]
        self._put("parcels", parcel, "drone_id", None)
        former_at_hub_id = parcel["at_hub_id"]
        self._put("parcels", parcel, "at_hub_id", here["id"])
        self._put("parcels", parcel, "status", "waiting")
        for one_hub in _distinct([self.hubs.get(parcel["at_hub_id"]), self.hubs.get(former_at_hub_id)]):
            if self._breaks_rule_2(one_hub):
                return self._take_back(RULES[1])
        for one_drone in _distinct([self.drones.get(parcel["drone_id"]), self.drones.get(former_drone_id)]):
            if self._breaks_rule_3(one_drone):
                return self._take_back(RULES[2])
        for one_flight in _distinct(
            [
                *[
                    user
                    for one in [self.drones.get(parcel["drone_id"])]
                    if one is not None
                    for user in self._flights_by_drone_status.get((parcel["drone_id"], "airborne"), {}).values()
                ],
                *[
                    user
                    for one in [self.drones.get(former_drone_id)]
                    if one is not None
                    for user in self._flights_by_drone_status.get((former_drone_id, "airborne"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_flight):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(parcel):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(parcel):
            return self._take_back(RULES[8])
        for one_drone in _distinct([self.drones.get(parcel["drone_id"]), self.drones.get(former_drone_id)]):
            if self._breaks_rule_11(one_drone):
                return self._take_back(RULES[10])
        if self._breaks_rule_13(parcel):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: unload parcel {parcel['id']} for {parcel['recipient']}.",
            "data": self._changes(),
        }

    def launch_drone(self, drone_id: str, to_hub_id: str) -> Result:
        """Send a ready drone with its load to another hub, where a pad is kept for it.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            to_hub_id (str): Hub with a free pad to which the drone flies; an id such as HUB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        to_hub = self.hubs.get(to_hub_id)
        if to_hub is None:
            return _refused(f"There is no hub {to_hub_id!r}.")
        if drone["status"] != "ready" or drone["hub_id"] is None:
            return _refused(f"Drone {drone['callsign']} is {drone['status']}.")
        origin = self.hubs[drone["hub_id"]]
        if to_hub is origin:
            return _refused(f"{drone['callsign']} is at {to_hub['name']} already.")
        if self._due_for_service(drone):
            return _refused(f"{drone['callsign']} has flown {drone['flown']} times and must be serviced first.")
        if self._hub_free_pads(to_hub) <= 0:
            return _refused(
                f"{to_hub['name']} has no free pad; {self._hub_parked(to_hub)} drones are parked and "
                f"{self._hub_inbound(to_hub)} on their way."
            )
        zone = self._blocked(origin, to_hub)
        if zone is not None:
            return _refused(
                f"The way from {origin['name']} to {to_hub['name']} crosses {zone['name']}, which is closed."
            )
        if drone["battery"] - self._percent_needed(drone, origin, to_hub) < 10:
            return _refused(
                f"{drone['callsign']} has {drone['battery']} percent, and needs "
                f"{self._percent_needed(drone, origin, to_hub)} for the way and 10 in reserve."
            )
        self._journal = []
        parcels = len(self._parcels_by_drone.get(drone_id, {}))
        if not 0 <= parcels <= 60:
            return self._take_back("The parcels of a flight must be between 0 and 60.")
        flight: Flight = {
            "id": self._new_id("flight", "FLIGHT", self.flights),
            "drone_id": drone_id,
            "origin_id": origin["id"],
            "destination_id": to_hub_id,
            "launched": self.now,
            "landed": None,
            "parcels": parcels,
            "status": "airborne",
        }
        self._add("flights", flight)
        former_hub_id = drone["hub_id"]
        self._put("drones", drone, "hub_id", None)
        self._put("drones", drone, "status", "flying")
        flown = drone["flown"] + 1
        if not 0 <= flown <= 40:
            return self._take_back(f"The flown of {drone['callsign']} must be between 0 and 40.")
        self._put("drones", drone, "flown", flown)
        for one_hub in _distinct(
            [self.hubs[flight["destination_id"]], self.hubs.get(drone["hub_id"]), self.hubs.get(former_hub_id)]
        ):
            if self._breaks_rule_1(one_hub):
                return self._take_back(RULES[0])
        if self._breaks_rule_4(drone):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.drones[flight["drone_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(drone):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(flight):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(flight):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(drone):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(drone):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: launch {drone['callsign']} to {to_hub['name']} (new: flight {flight['id']}).",
            "data": {"flight_id": flight["id"], **self._changes()},
        }

    def land_drone(self, drone_id: str, diverted_to_id: str | None = None) -> Result:
        """Record the landing of a flying drone, at its destination unless another hub with a free pad is named; its
        parcels for that hub are delivered.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            diverted_to_id (str, optional): Other hub with a free pad where the drone landed; an id such as
                HUB-00001. If left out, it landed at its destination.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        diverted_to = self.hubs.get(diverted_to_id) if diverted_to_id is not None else None
        if diverted_to_id is not None and diverted_to is None:
            return _refused(f"There is no hub {diverted_to_id!r}.")
        flight = self._flight_of(drone)
        if flight is None:
            return _refused(f"Drone {drone['callsign']} is {drone['status']}.")
        at_hub = diverted_to or self.hubs[flight["destination_id"]]
        if at_hub["id"] != flight["destination_id"] and self._hub_free_pads(at_hub) <= 0:
            return _refused(
                f"{at_hub['name']} has no free pad; {self._hub_parked(at_hub)} drones are parked and "
                f"{self._hub_inbound(at_hub)} on their way."
            )
        zone = self._blocked(self.hubs[flight["origin_id"]], at_hub)
        if zone is not None:
            return _refused(
                f"The way from {self.hubs[flight['origin_id']]['name']} to {at_hub['name']} crosses "
                f"{zone['name']}, which is closed."
            )
        if drone["battery"] < self._percent_needed(drone, self.hubs[flight["origin_id"]], at_hub):
            return _refused(
                f"{drone['callsign']} cannot have reached {at_hub['name']} with {drone['battery']} percent; that "
                f"takes {self._percent_needed(drone, self.hubs[flight['origin_id']], at_hub)}."
            )
        self._journal = []
        changed_parcels: list[Any] = []
        former_drone_ids: list[Any] = []
        changed_parcels_2: list[Any] = []
        status = "landed" if at_hub["id"] == flight["destination_id"] else "diverted"
        if flight["status"] != status and (flight["status"], status) not in FLIGHT_STATUS_MOVES:
            return self._take_back(f"Flight {flight['id']} cannot go from {flight['status']} to {status}.")
        self._put("flights", flight, "status", status)
        former_destination_id = flight["destination_id"]
        self._put("flights", flight, "destination_id", at_hub["id"])
        self._put("flights", flight, "landed", self.now)
        battery = drone["battery"] - self._percent_needed(drone, self.hubs[flight["origin_id"]], at_hub)
        if not 0 <= battery <= 100:
            return self._take_back(f"The battery of {drone['callsign']} must be between 0 and 100.")
        self._put("drones", drone, "battery", battery)
        former_hub_id = drone["hub_id"]
        self._put("drones", drone, "hub_id", at_hub["id"])
        self._put("drones", drone, "status", "ready")
        for p in sorted(self._parcels_by_to_hub_drone.get((at_hub["id"], drone_id), {}).values(), key=_age):
            changed_parcels.append(p)
            former_drone_ids.append(p["drone_id"])
            self._put("parcels", p, "drone_id", None)
            self._put("parcels", p, "arrived", self.now)
            if p["status"] not in ("loaded", "delivered"):
                return self._take_back(f"Parcel {p['recipient']} cannot go from {p['status']} to delivered.")
            changed_parcels_2.append(p)
            self._put("parcels", p, "status", "delivered")
        for one_hub in _distinct(
            [
                self.hubs[flight["destination_id"]],
                self.hubs[former_destination_id],
                self.hubs.get(drone["hub_id"]),
                self.hubs.get(former_hub_id),
            ]
        ):
            if self._breaks_rule_1(one_hub):
                return self._take_back(RULES[0])
        for one_drone in _distinct(
            [
                *[self.drones.get(one["drone_id"]) for one in changed_parcels],
                *[self.drones.get(key) for key in former_drone_ids],
            ]
        ):
            if self._breaks_rule_3(one_drone):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(drone):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.drones[flight["drone_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(drone):
            return self._take_back(RULES[4])
        for one_flight in _distinct(
            [
                flight,
                *self._flights_by_drone_status.get((drone["id"], "airborne"), {}).values(),
                *[
                    user
                    for one in [self.drones.get(one["drone_id"]) for one in changed_parcels]
                    if one is not None
                    for user in self._flights_by_drone_status.get((one["id"], "airborne"), {}).values()
                ],
                *[
                    user
                    for one in [self.drones.get(key) for key in former_drone_ids]
                    if one is not None
                    for user in self._flights_by_drone_status.get((one["id"], "airborne"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_flight):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(flight):
            return self._take_back(RULES[6])
        for one_parcel in _distinct([*changed_parcels, *changed_parcels_2]):
            if self._breaks_rule_8(one_parcel):
                return self._take_back(RULES[7])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        for one_drone in _distinct(
            [
                drone,
                *[self.drones.get(one["drone_id"]) for one in changed_parcels],
                *[self.drones.get(key) for key in former_drone_ids],
            ]
        ):
            if self._breaks_rule_11(one_drone):
                return self._take_back(RULES[10])
        done = f"land {drone['callsign']}"
        if diverted_to is not None:
            done += f" at {diverted_to['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def charge_drone(self, drone_id: str, to_percent: Annotated[int, {"minimum": 20, "maximum": 100}]) -> Result:
        """Charge a drone that stands on a hub with a charger up to a percentage.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            to_percent (int): Charge that the battery is to reach in percent, more than it has, from 20 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        here = self.hubs.get(drone["hub_id"])
        if here is None:
            return _refused(f"Drone {drone['callsign']} is in the air.")
        if not here["charger"]:
            return _refused(f"{here['name']} has no charger.")
        if drone["fault"] == "battery":
            return _refused(f"The battery of {drone['callsign']} is faulty.")
        if to_percent <= drone["battery"]:
            return _refused(f"{drone['callsign']} has {drone['battery']} percent already.")
        self._journal = []
        self._put("drones", drone, "battery", to_percent)
        for one_flight in _distinct(self._flights_by_drone_status.get((drone["id"], "airborne"), {}).values()):
            if self._breaks_rule_6(one_flight):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: charge {drone['callsign']} to {to_percent} percent.",
            "data": self._changes(),
        }

    def ground_drone(
        self,
        drone_id: str,
        fault: Literal["rotor", "battery", "sensor", "scheduled_service"],
    ) -> Result:
        """Take an empty drone out of operation for a fault or its service.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.
            fault (str): What is wrong with the drone, or that its service is due: rotor, battery, sensor or
                scheduled_service.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        if drone["status"] != "ready":
            return _refused(f"Drone {drone['callsign']} is {drone['status']}.")
        if self._drone_load_grams(drone) != 0:
            return _refused(f"{drone['callsign']} carries {self._drone_load_grams(drone)} grams; unload it first.")
        if fault == "scheduled_service" and drone["flown"] <= 0:
            return _refused(f"{drone['callsign']} has not flown since its last service.")
        self._journal = []
        self._put("drones", drone, "fault", fault)
        self._put("drones", drone, "status", "grounded")
        if self._breaks_rule_4(drone):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(drone):
            return self._take_back(RULES[4])
        if self._breaks_rule_11(drone):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: ground {drone['callsign']} for {fault}.", "data": self._changes()}

    def release_drone(self, drone_id: str) -> Result:
        """Put a grounded drone back into operation after it was repaired and serviced.

        Args:
            drone_id (str): Id of the drone, such as DRONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        drone = self.drones.get(drone_id)
        if drone is None:
            return _refused(f"There is no drone {drone_id!r}.")
        if drone["status"] != "grounded":
            return _refused(f"Drone {drone['callsign']} is {drone['status']}.")
        self._journal = []
        self._put("drones", drone, "fault", None)
        self._put("drones", drone, "flown", 0)
        self._put("drones", drone, "status", "ready")
        if self._breaks_rule_4(drone):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(drone):
            return self._take_back(RULES[4])
        if self._breaks_rule_10(drone):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(drone):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: put {drone['callsign']} back into operation.",
            "data": self._changes(),
        }

    def close_zone(
        self,
        zone_id: str,
        reason: Literal["police", "event", "weather", "hospital_helicopter"],
    ) -> Result:
        """Close the airspace of a zone that no flight in the air is to cross.

        Args:
            zone_id (str): Id of the zone, such as ZONE-00001.
            reason (str): Why the airspace is closed: police, event, weather or hospital_helicopter.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if zone["status"] != "open":
            return _refused(f"{zone['name']} is closed already.")
        flight = next(
            (
                f
                for f in sorted(self._flights_by_status.get("airborne", {}).values(), key=_age)
                if self._crosses(zone, self.hubs[f["origin_id"]], self.hubs[f["destination_id"]])
            ),
            None,
        )
        if flight is not None:
            return _refused(
                f"{self.drones[flight['drone_id']]['callsign']} is flying from "
                f"{self.hubs[flight['origin_id']]['name']} to {self.hubs[flight['destination_id']]['name']} "
                f"through {zone['name']}; land it first."
            )
        self._journal = []
        self._put("zones", zone, "closed_for", reason)
        self._put("zones", zone, "status", "closed")
        if any(self._breaks_rule_7(one_flight) for one_flight in self.flights.values()):
            return self._take_back(RULES[6])
        if self._breaks_rule_14(zone):
            return self._take_back(RULES[13])
        return {
            "success": True,
            "message": f"Done: close {zone['name']} because of {reason}.",
            "data": self._changes(),
        }

    def reopen_zone(self, zone_id: str) -> Result:
        """Open the airspace of a closed zone again.

        Args:
            zone_id (str): Id of the zone, such as ZONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if zone["status"] != "closed":
            return _refused(f"{zone['name']} is open.")
        self._journal = []
        self._put("zones", zone, "closed_for", None)
        self._put("zones", zone, "status", "open")
        if any(self._breaks_rule_7(one_flight) for one_flight in self.flights.values()):
            return self._take_back(RULES[6])
        if self._breaks_rule_14(zone):
            return self._take_back(RULES[13])
        return {"success": True, "message": f"Done: open {zone['name']} again.", "data": self._changes()}

    def _show_hub(self, hub: Hub) -> dict[str, Any]:
        """The hub as an answer shows it."""
        return {
            **hub,
            "parked": self._hub_parked(hub),
            "inbound": self._hub_inbound(hub),
            "free_pads": self._hub_free_pads(hub),
            "stored": self._hub_stored(hub),
        }

    def _show_drone(self, drone: Drone) -> dict[str, Any]:
        """The drone as an answer shows it."""
        return {**drone, "load_grams": self._drone_load_grams(drone)}

    def _names_of_drones(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that drones point to."""
        return _names((self.hubs, "name", [row["hub_id"] for row in shown]))

    def _names_of_parcels(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parcels point to."""
        return _names(
            (self.hubs, "name", [row["from_hub_id"] for row in shown]),
            (self.hubs, "name", [row["to_hub_id"] for row in shown]),
            (self.hubs, "name", [row["at_hub_id"] for row in shown]),
            (self.drones, "callsign", [row["drone_id"] for row in shown]),
        )

    def _names_of_flights(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that flights point to."""
        return _names(
            (self.drones, "callsign", [row["drone_id"] for row in shown]),
            (self.hubs, "name", [row["origin_id"] for row in shown]),
            (self.hubs, "name", [row["destination_id"] for row in shown]),
        )

    def _hub_parked(self, hub: Hub) -> int:
        """The parked of a hub."""
        return len(self._drones_by_hub.get(hub["id"], {}))

    def _hub_inbound(self, hub: Hub) -> int:
        """The inbound of a hub."""
        return len(self._flights_by_destination_status.get((hub["id"], "airborne"), {}))

    def _hub_free_pads(self, hub: Hub) -> int:
        """The free pads of a hub."""
        return hub["pads"] - self._hub_parked(hub) - self._hub_inbound(hub)

    def _hub_stored(self, hub: Hub) -> int:
        """The stored of a hub."""
        return len(self._parcels_by_at_hub.get(hub["id"], {}))

    def _drone_load_grams(self, drone: Drone) -> int:
        """The load grams of a drone."""
        return sum(p["grams"] for p in self._parcels_by_drone.get(drone["id"], {}).values())

    def _km(self, a: Hub, b: Hub) -> int:
        return abs(a["east"] - b["east"]) + abs(a["north"] - b["north"])

    def _percent_needed(self, d: Drone, a: Hub, b: Hub) -> int:
        return (
            2
            + ceil(
                Fraction(
                    Fraction(
                        Fraction(self._km(a, b) * 100, d["range_km"]) * (
                            2 * d["max_grams"] + self._drone_load_grams(d)
                        ),
                        d["max_grams"],
                    ),
                    2,
                )
            )
        )

    def _crosses(self, z: Zone, a: Hub, b: Hub) -> bool:
        return (
            (
                z["south"] <= a["north"]
                and a["north"] <= z["north"]
            ) and min(a["east"], b["east"]) <= z["east"] and max(a["east"], b["east"]) >= z["west"]
            or (
                z["west"] <= b["east"]
                and b["east"] <= z["east"]
            ) and min(a["north"], b["north"]) <= z["north"] and max(a["north"], b["north"]) >= z["south"]
        )

    def _blocked(self, a: Hub, b: Hub) -> Zone | None:
        return next(
            (z for z in sorted(self._zones_by_status.get("closed", {}).values(), key=_age) if self._crosses(z, a, b)),
            None,
        )

    def _due_for_service(self, d: Drone) -> bool:
        return d["flown"] >= d["service_after"]

    def _flight_of(self, d: Drone) -> Flight | None:
        return next(
            (f for f in sorted(self._flights_by_drone_status.get((d["id"], "airborne"), {}).values(), key=_age)),
            None,
        )

    def _breaks_rule_1(self, h: Hub) -> bool:
        """Whether this is broken: a hub never has more drones parked or on their way to it than pads."""
        return self._hub_parked(h) + self._hub_inbound(h) > h["pads"]

    def _breaks_rule_2(self, h: Hub) -> bool:
        """Whether this is broken: a hub never stores more parcels than it has shelves."""
        return self._hub_stored(h) > h["shelves"]

    def _breaks_rule_3(self, d: Drone) -> bool:
        """Whether this is broken: a drone never carries more than it can lift."""
        return self._drone_load_grams(d) > d["max_grams"]

    def _breaks_rule_4(self, d: Drone) -> bool:
        """Whether this is broken: a drone is on a hub unless it flies."""
        return (d["hub_id"] is None) != (d["status"] == "flying")

    def _breaks_rule_5(self, d: Drone) -> bool:
        """Whether this is broken: a flying drone has exactly one flight in the air, and no other drone has any."""
        return len(
            self._flights_by_drone_status.get((d["id"], "airborne"), {})
        ) != (1 if d["status"] == "flying" else 0)

    def _breaks_rule_6(self, f: Flight) -> bool:
        """Whether this is broken: a drone in the air keeps at least 10 percent of its battery when it lands."""
        return (
            f["status"] == "airborne"
            and self.drones[f["drone_id"]]["battery"] - self._percent_needed(
                self.drones[f["drone_id"]],
                self.hubs[f["origin_id"]],
                self.hubs[f["destination_id"]],
            ) < 10
        )

    def _breaks_rule_7(self, f: Flight) -> bool:
        """Whether this is broken: no flight in the air crosses a closed zone."""
        return (
            f["status"] == "airborne"
            and self._blocked(self.hubs[f["origin_id"]], self.hubs[f["destination_id"]]) is not None
        )

    def _breaks_rule_8(self, p: Parcel) -> bool:
        """Whether this is broken: waiting parcels are at a hub, loaded ones on a drone, and all others at neither.
        """
        return (
            (p["at_hub_id"] is not None) != (p["status"] == "waiting")
            or (p["drone_id"] is not None) != (p["status"] == "loaded")
        )

    def _breaks_rule_9(self, p: Parcel) -> bool:
        """Whether this is broken: cooled parcels only travel on drones with a cool box."""
        return p["cooled"] and p["drone_id"] is not None and not self.drones[p["drone_id"]]["cool_box"]

    def _breaks_rule_10(self, d: Drone) -> bool:
        """Whether this is broken: a drone never flies more often than allowed between two services."""
        return d["flown"] > d["service_after"]

    def _breaks_rule_11(self, d: Drone) -> bool:
        """Whether this is broken: a grounded drone has a fault and carries nothing; other drones have no fault."""
        return not (
            (d["fault"] is not None) == (d["status"] == "grounded")
            and (d["status"] != "grounded" or self._drone_load_grams(d) == 0)
        )

    def _breaks_rule_12(self, p: Parcel) -> bool:
        """Whether this is broken: a parcel goes to another hub than it came from."""
        return p["from_hub_id"] == p["to_hub_id"]

    def _breaks_rule_13(self, p: Parcel) -> bool:
        """Whether this is broken: no parcel waits at the hub it goes to."""
        return p["at_hub_id"] == p["to_hub_id"]

    def _breaks_rule_14(self, z: Zone) -> bool:
        """Whether this is broken: a zone has a reason exactly while it is closed."""
        return (z["closed_for"] is not None) != (z["status"] == "closed")

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
            case "drones":
                self._drones_by_hub.setdefault(record["hub_id"], {})[record["id"]] = record
            case "zones":
                self._zones_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "parcels":
                self._parcels_by_at_hub.setdefault(record["at_hub_id"], {})[record["id"]] = record
                self._parcels_by_drone.setdefault(record["drone_id"], {})[record["id"]] = record
                self._parcels_by_to_hub_drone.setdefault(
                    (record["to_hub_id"], record["drone_id"]),
                    {},
                )[record["id"]] = record
            case "flights":
                self._flights_by_destination_status.setdefault(
                    (record["destination_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._flights_by_drone_status.setdefault(
                    (record["drone_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._flights_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "drones":
                del self._drones_by_hub[record["hub_id"]][record["id"]]
            case "zones":
                del self._zones_by_status[record["status"]][record["id"]]
            case "parcels":
                del self._parcels_by_at_hub[record["at_hub_id"]][record["id"]]
                del self._parcels_by_drone[record["drone_id"]][record["id"]]
                del self._parcels_by_to_hub_drone[record["to_hub_id"], record["drone_id"]][record["id"]]
            case "flights":
                del self._flights_by_destination_status[record["destination_id"], record["status"]][record["id"]]
                del self._flights_by_drone_status[record["drone_id"], record["status"]][record["id"]]
                del self._flights_by_status[record["status"]][record["id"]]
