"""Waste collection. Compiled from blueprint.yaml; run `envscaler build waste_collection` after changing it there.

Collects the waste of a town, with bins on routes by stream and weekday, tours limited by the payload of the
vehicle, contamination strikes that lock a bin, missed bins and bulky items within a quota.
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
    "A bin is on a route of its stream in the district of its household.",
    "A household has one bin of each stream.",
    "No route has more bins than it can do.",
    "A vehicle does routes of streams that it is built for, one on a weekday.",
    "A vehicle is out on one tour at a time, and a route has one tour a day.",
    "A vehicle never carries more than its payload, and only streams it is built for.",
    "A tour that is under way is on the weekday of its route or makes up for that day.",
    "A bin is lifted once on a tour, and only where its stream is collected.",
    "Contaminated and missed bins are not emptied, and all others weigh something.",
    "A bin with three strikes is locked, and no other bin is.",
    "A household stays within its quota of bulky pieces over any twelve months.",
    "Bulky pieces are booked for the bulky day of the district, up to what can be loaded.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "start_tour",
    "lift_bin",
    "tip_load",
    "finish_tour",
    "recollect_bin",
    "unlock_bin",
    "deliver_bin",
    "change_bin",
    "book_bulky",
    "close_bulky",
    "move_route",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "districts": ("name",),
    "households": ("address",),
    "vehicles": ("name",),
    "routes": ("name",),
    "bins": ("tag",),
    "tours": (),
    "lifts": (),
    "bulkies": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bins", "household_id"),
    ("bins", "route_id"),
    ("bins", "status"),
    ("bins", "stream"),
    ("bins", "tag"),
    ("bulkies", "household_id"),
    ("households", "district_id"),
    ("lifts", "bin_id"),
    ("lifts", "tour_id"),
    ("routes", "vehicle_id"),
    ("tours", "route_id"),
    ("tours", "status"),
    ("tours", "vehicle_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class District(TypedDict):
    id: str
    name: str
    bulky_weekday: int
    bulky_pieces: int


class Household(TypedDict):
    id: str
    address: str
    district_id: str
    people: int


class Vehicle(TypedDict):
    id: str
    name: str
    payload: int
    streams: list[Literal["residual", "paper", "organic"]]


class Route(TypedDict):
    id: str
    name: str
    stream: Literal["residual", "paper", "organic"]
    district_id: str
    week_day: int
    vehicle_id: str
    most_bins: int


class Bin(TypedDict):
    id: str
    tag: str
    household_id: str
    stream: Literal["residual", "paper", "organic"]
    litres: int
    route_id: str
    strikes: int
    status: Literal["in_use", "locked"]


class Tour(TypedDict):
    id: str
    route_id: str
    on: str
    vehicle_id: str
    load: int
    tipped: int
    in_place_of: str | None
    status: Literal["under_way", "finished"]


class Lift(TypedDict):
    id: str
    tour_id: str
    bin_id: str
    kg: int
    result: Literal["emptied", "contaminated", "missed", "recollected"]


class Bulky(TypedDict):
    id: str
    household_id: str
    what: str
    pieces: int
    on: str
    status: Literal["booked", "collected", "refused", "cancelled"]


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


class WasteCollection:
    """Collects the waste of a town, with bins on routes by stream and weekday, tours limited by the
    payload of the vehicle, contamination strikes that lock a bin, missed bins and bulky items within a
    quota.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.districts: dict[str, District] = _copied(config.get("districts", {}))
        self.households: dict[str, Household] = _copied(config.get("households", {}))
        self.vehicles: dict[str, Vehicle] = _copied(config.get("vehicles", {}))
        self.routes: dict[str, Route] = _copied(config.get("routes", {}))
        self.bins: dict[str, Bin] = _copied(config.get("bins", {}))
        self.tours: dict[str, Tour] = _copied(config.get("tours", {}))
        self.lifts: dict[str, Lift] = _copied(config.get("lifts", {}))
        self.bulkies: dict[str, Bulky] = _copied(config.get("bulkies", {}))
        self.now: str = config.get("now", "2026-05-06T18:00")
        self.counters: dict[str, int] = {
            "district": len(self.districts),
            "household": len(self.households),
            "vehicle": len(self.vehicles),
            "route": len(self.routes),
            "bin": len(self.bins),
            "tour": len(self.tours),
            "lift": len(self.lifts),
            "bulky": len(self.bulkies),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._households_by_district: dict[Any, dict[str, Household]] = {}
        self._routes_by_vehicle: dict[Any, dict[str, Route]] = {}
        self._bins_by_household_stream: dict[Any, dict[str, Bin]] = {}
        self._bins_by_lower_tag: dict[Any, dict[str, Bin]] = {}
        self._bins_by_route: dict[Any, dict[str, Bin]] = {}
        self._bins_by_route_status: dict[Any, dict[str, Bin]] = {}
        self._bins_by_tag: dict[Any, dict[str, Bin]] = {}
        self._tours_by_route: dict[Any, dict[str, Tour]] = {}
        self._tours_by_route_status: dict[Any, dict[str, Tour]] = {}
        self._tours_by_vehicle_status: dict[Any, dict[str, Tour]] = {}
        self._lifts_by_tour: dict[Any, dict[str, Lift]] = {}
        self._lifts_by_tour_bin: dict[Any, dict[str, Lift]] = {}
        self._bulkies_by_household: dict[Any, dict[str, Bulky]] = {}
        for household in self.households.values():
            self._link("households", household)
        for route in self.routes.values():
            self._link("routes", route)
        for bin in self.bins.values():
            self._link("bins", bin)
        for tour in self.tours.values():
            self._link("tours", tour)
        for lift in self.lifts.values():
            self._link("lifts", lift)
        for bulky in self.bulkies.values():
            self._link("bulkies", bulky)

    def bins_to_lift(self, route_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Bins on a route that are in use and not seen to on the tour that is out, or all where none is out.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bins": records}} or {"success": False, "error": why
                not}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        tour = next(
            (t for t in sorted(self._tours_by_route_status.get((route_id, "under_way"), {}).values(), key=_age)),
            None,
        )
        found = [
            b
            for b in self._bins_by_route.get(route_id, {}).values()
            if (b["route_id"] == route_id and b["status"] == "in_use")
            and (tour is None or not self._lifts_by_tour_bin.get((tour["id"], b["id"]), {}))
        ]
        found.sort(key=lambda b: (b["tag"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bins": [
                    {
                        "id": b["id"],
                        "tag": b["tag"],
                        "address": self.households[b["household_id"]]["address"],
                        "litres": b["litres"],
                        "strikes": b["strikes"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def missed_bins(
        self,
        stream: Literal["residual", "paper", "organic"] | None = None,
        household_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bins that were missed and not collected since.

        Args:
            stream (str, optional): Stream of the bins listed: residual, paper or organic. If left out, the bins of
                all streams are listed.
            household_id (str, optional): Household whose bins are listed; an id such as HOUSEHOLD-00001. If left
                out, the bins of all households are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lifts": records}} or {"success": False, "error": why
                not}
        """
        household = self.households.get(household_id) if household_id is not None else None
        if household_id is not None and household is None:
            return _refused(f"There is no household {household_id!r}.")
        found = [
            l
            for l in self.lifts.values()
            if l["result"] == "missed"
            and (stream is None or self.bins[l["bin_id"]]["stream"] == stream)
            and (household_id is None or self.bins[l["bin_id"]]["household_id"] == household_id)
        ]
        found.sort(key=lambda l: (self.tours[l["tour_id"]]["on"], self.bins[l["bin_id"]]["tag"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lifts": [
                    {
                        "id": l["id"],
                        "bin": self.bins[l["bin_id"]]["tag"],
                        "address": self.households[self.bins[l["bin_id"]]["household_id"]]["address"],
                        "route": self.routes[self.tours[l["tour_id"]]["route_id"]]["name"],
                        "on": self.tours[l["tour_id"]]["on"],
                        "status": self.bins[l["bin_id"]]["status"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def bulky_list(
        self,
        on: Date,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bulky collections of a day that are still booked.

        Args:
            on (str): Day of the collections listed, as YYYY-MM-DD.
            district_id (str, optional): District of the collections listed; an id such as DISTRICT-00001. If left
                out, the collections of all districts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bulkies": records}} or {"success": False, "error": why
                not}
        """
        district = self.districts.get(district_id) if district_id is not None else None
        if district_id is not None and district is None:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            b
            for b in self.bulkies.values()
            if (b["status"] == "booked" and b["on"] == on)
            and (district_id is None or self.households[b["household_id"]]["district_id"] == district_id)
        ]
        found.sort(key=lambda b: (self.households[b["household_id"]]["address"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bulkies": [
                    {
                        "id": b["id"],
                        "address": self.households[b["household_id"]]["address"],
                        "what": b["what"],
                        "pieces": b["pieces"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_districts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the districts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only districts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "districts": records}}
        """
        found = [
            district
            for district in self.districts.values()
            if (name is None or name.casefold() in district["name"].casefold())
        ]
        return _found({"total": len(found), "districts": [{**district} for district in _page(found, offset)]})

    def list_households(
        self,
        address: Text | None = None,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the households, oldest first, all of them or only some.

        Args:
            address (str, optional): Only households whose address contains this text.
            district_id (str, optional): Only households of this district.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "households": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            household
            for household in self.households.values()
            if (address is None or address.casefold() in household["address"].casefold())
            and (district_id is None or household["district_id"] == district_id)
        ]
        shown = [self._show_household(household) for household in _page(found, offset)]
        return _found({"total": len(found), "households": shown}, self._names_of_households(shown))

    def list_vehicles(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vehicles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vehicles whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vehicles": records}}
        """
        found = [
            vehicle
            for vehicle in self.vehicles.values()
            if (name is None or name.casefold() in vehicle["name"].casefold())
        ]
        return _found(
            {"total": len(found), "vehicles": [self._show_vehicle(vehicle) for vehicle in _page(found, offset)]}
        )

    def list_routes(
        self,
        name: Text | None = None,
        stream: Literal["residual", "paper", "organic"] | None = None,
        district_id: str | None = None,
        vehicle_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the routes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only routes whose name contains this text.
            stream (str, optional): Only routes with this stream.
            district_id (str, optional): Only routes of this district.
            vehicle_id (str, optional): Only routes of this vehicle.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "routes": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        found = [
            route
            for route in self.routes.values()
            if (name is None or name.casefold() in route["name"].casefold())
            and (stream is None or route["stream"] == stream)
            and (district_id is None or route["district_id"] == district_id)
            and (vehicle_id is None or route["vehicle_id"] == vehicle_id)
        ]
        shown = [self._show_route(route) for route in _page(found, offset)]
        return _found({"total": len(found), "routes": shown}, self._names_of_routes(shown))

    def list_bins(
        self,
        tag: Text | None = None,
        household_id: str | None = None,
        stream: Literal["residual", "paper", "organic"] | None = None,
        route_id: str | None = None,
        status: Literal["in_use", "locked"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bins, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only bins whose tag contains this text.
            household_id (str, optional): Only bins of this household.
            stream (str, optional): Only bins with this stream.
            route_id (str, optional): Only bins of this route.
            status (str, optional): Only bins with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bins": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        if route_id is not None and route_id not in self.routes:
            return _refused(f"There is no route {route_id!r}.")
        found = [
            bin
            for bin in self.bins.values()
            if (tag is None or tag.casefold() in bin["tag"].casefold())
            and (household_id is None or bin["household_id"] == household_id)
            and (stream is None or bin["stream"] == stream)
            and (route_id is None or bin["route_id"] == route_id)
            and (status is None or bin["status"] == status)
        ]
        shown = [{**bin} for bin in _page(found, offset)]
        return _found({"total": len(found), "bins": shown}, self._names_of_bins(shown))

    def list_tours(
        self,
        route_id: str | None = None,
        vehicle_id: str | None = None,
        status: Literal["under_way", "finished"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tours, oldest first, all of them or only some.

        Args:
            route_id (str, optional): Only tours of this route.
            vehicle_id (str, optional): Only tours of this vehicle.
            status (str, optional): Only tours with this status.
            on_from (str, optional): Only tours whose `on` is on this day or later.
            on_to (str, optional): Only tours whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tours": records}}
        """
        if route_id is not None and route_id not in self.routes:
            return _refused(f"There is no route {route_id!r}.")
        if vehicle_id is not None and vehicle_id not in self.vehicles:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        found = [
            tour
            for tour in self.tours.values()
            if (route_id is None or tour["route_id"] == route_id)
            and (vehicle_id is None or tour["vehicle_id"] == vehicle_id)
            and (status is None or tour["status"] == status)
            and (on_from is None or tour["on"] >= on_from)
            and (on_to is None or tour["on"] <= on_to)
        ]
        shown = [{**tour} for tour in _page(found, offset)]
        return _found({"total": len(found), "tours": shown}, self._names_of_tours(shown))

    def list_lifts(
        self,
        tour_id: str | None = None,
        bin_id: str | None = None,
        result: Literal["emptied", "contaminated", "missed", "recollected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lifts, oldest first, all of them or only some.

        Args:
            tour_id (str, optional): Only lifts of this tour.
            bin_id (str, optional): Only lifts of this bin.
            result (str, optional): Only lifts with this result.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lifts": records}}
        """
        if tour_id is not None and tour_id not in self.tours:
            return _refused(f"There is no tour {tour_id!r}.")
        if bin_id is not None and bin_id not in self.bins:
            return _refused(f"There is no bin {bin_id!r}.")
        found = [
            lift
            for lift in self.lifts.values()
            if (tour_id is None or lift["tour_id"] == tour_id)
            and (bin_id is None or lift["bin_id"] == bin_id)
            and (result is None or lift["result"] == result)
        ]
        shown = [{**lift} for lift in _page(found, offset)]
        return _found({"total": len(found), "lifts": shown}, self._names_of_lifts(shown))

    def list_bulkies(
        self,
        household_id: str | None = None,
        status: Literal["booked", "collected", "refused", "cancelled"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bulkies, oldest first, all of them or only some.

        Args:
            household_id (str, optional): Only bulkies of this household.
            status (str, optional): Only bulkies with this status.
            on_from (str, optional): Only bulkies whose `on` is on this day or later.
            on_to (str, optional): Only bulkies whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bulkies": records}}
        """
        if household_id is not None and household_id not in self.households:
            return _refused(f"There is no household {household_id!r}.")
        found = [
            bulky
            for bulky in self.bulkies.values()
            if (household_id is None or bulky["household_id"] == household_id)
            and (status is None or bulky["status"] == status)
            and (on_from is None or bulky["on"] >= on_from)
            and (on_to is None or bulky["on"] <= on_to)
        ]
        shown = [{**bulky} for bulky in _page(found, offset)]
        return _found({"total": len(found), "bulkies": shown}, self._names_of_bulkies(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def start_tour(self, route_id: str, vehicle_id: str | None = None, in_place_of: Date | None = None) -> Result:
        """Send a vehicle out on a route on the weekday of the route, or within three days of a holiday to make up for
        it.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            vehicle_id (str, optional): Vehicle built for the stream that does the tour; an id such as
                VEHICLE-00001. If left out, the usual vehicle of the route does it.
            in_place_of (str, optional): Missed day that the tour makes up for, one of the last three days, as
                YYYY-MM-DD. If left out, the tour is the regular one of today.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        vehicle = self.vehicles.get(vehicle_id) if vehicle_id is not None else None
        if vehicle_id is not None and vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if _weekday(in_place_of if in_place_of is not None else self.now[:10]) != route["week_day"]:
            return _refused(
                f"{route['name']} is on weekday {route['week_day']} and today is weekday "
                f"{_weekday(self.now[:10])}; after a holiday, name the day that is made up for."
            )
        if not (
            in_place_of is None
            or (_plus_days(self.now[:10], -3) <= in_place_of and in_place_of < self.now[:10])
            and not any(each["on"] == in_place_of for each in self._tours_by_route.get(route_id, {}).values())
        ):
            return _refused(f"A tour makes up for one of the last three days on which {route['name']} was not out.")
        if not (
            in_place_of is None
            or not any(each["in_place_of"] == in_place_of for each in self._tours_by_route.get(route_id, {}).values())
        ):
            return _refused("That day has been made up for already.")
        if any(each["on"] == self.now[:10] for each in self._tours_by_route.get(route_id, {}).values()):
            return _refused(f"{route['name']} has been out today.")
        truck = vehicle or self.vehicles[route["vehicle_id"]]
        if route["stream"] not in truck["streams"]:
            return _refused(f"{truck['name']} is not built for {route['stream']}.")
        other = self._out_with(truck)
        if other is not None:
            return _refused(
                f"{truck['name']} is out on {self.routes[other['route_id']]['name']}, so finish that tour first."
            )
        self._journal = []
        tour: Tour = {
            "id": self._new_id("tour", "TOUR", self.tours),
            "route_id": route_id,
            "on": self.now[:10],
            "vehicle_id": truck["id"],
            "load": 0,
            "tipped": 0,
            "in_place_of": in_place_of,
            "status": "under_way",
        }
        self._add("tours", tour)
        if self._breaks_rule_5_t(tour):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_t_again(tour):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(tour):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(tour):
            return self._take_back(RULES[6])
        done = f"start the tour of {route['name']}"
        if vehicle is not None:
            done += f" with {vehicle['name']}"
        if in_place_of is not None:
            done += f" in place of {in_place_of}"
        return {
            "success": True,
            "message": f"Done: {done} (new: tour {tour['id']}).",
            "data": {"tour_id": tour["id"], **self._changes()},
        }

    def lift_bin(
        self,
        tour_id: str,
        bin_id: str,
        result: Literal["emptied", "contaminated"],
        kg: Annotated[int, {"minimum": 1, "maximum": 1500}] | None = None,
    ) -> Result:
        """Record that a bin was emptied, or left because it is contaminated, which is a strike; three strikes lock
        it.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.
            bin_id (str): Id of the bin, such as BIN-00001.
            result (str): What was done with the bin: emptied or contaminated.
            kg (int, optional): Weight emptied in kilograms, needed for an emptied bin, from 1 to 1500. If left
                out, no weight is recorded, as is right for a contaminated bin.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if tour["status"] != "under_way":
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} is {tour['status']}.")
        if tour["on"] != self.now[:10]:
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} was on {tour['on']}, so finish it.")
        if bin["route_id"] != tour["route_id"]:
            return _refused(
                f"Bin {bin['tag']} is on {self.routes[bin['route_id']]['name']}, not on "
                f"{self.routes[tour['route_id']]['name']}."
            )
        if bin["status"] != "in_use":
            return _refused(f"Bin {bin['tag']} is {bin['status']}.")
        if self._lifted(tour, bin):
            return _refused(f"Bin {bin['tag']} has been seen to on this tour.")
        if (result == "emptied") != (kg is not None):
            return _refused("Give the weight of a bin that was emptied, and only of such a bin.")
        weight = kg if kg is not None else 0
        if weight > bin["litres"]:
            return _refused(f"Bin {bin['tag']} holds {bin['litres']} litres and cannot weigh {weight} kg.")
        if tour["load"] + weight > self.vehicles[tour["vehicle_id"]]["payload"]:
            return _refused(
                f"{self.vehicles[tour['vehicle_id']]['name']} has {tour['load']} of "
                f"{self.vehicles[tour['vehicle_id']]['payload']} kg on board and must tip first."
            )
        self._journal = []
        changed_bins: list[Any] = []
        changed_bins_2: list[Any] = []
        if not 0 <= weight <= 1500:
            return self._take_back("The kg of a lift must be between 0 and 1500.")
        lift: Lift = {
            "id": self._new_id("lift", "LIFT", self.lifts),
            "tour_id": tour_id,
            "bin_id": bin_id,
            "kg": weight,
            "result": result,
        }
        self._add("lifts", lift)
        load = tour["load"] + weight
        if not 0 <= load <= 20000:
            return self._take_back(f"The load of {tour['id']} must be between 0 and 20000.")
        self._put("tours", tour, "load", load)
        if result == "contaminated":
            strikes = bin["strikes"] + 1
            if not 0 <= strikes <= 3:
                return self._take_back(f"The strikes of {bin['tag']} must be between 0 and 3.")
            changed_bins.append(bin)
            self._put("bins", bin, "strikes", strikes)
            if bin["strikes"] == 3:
                changed_bins_2.append(bin)
                self._put("bins", bin, "status", "locked")
        if self._breaks_rule_6(tour):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_l(lift):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_l_again(lift):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(lift):
            return self._take_back(RULES[8])
        for one_bin in _distinct([*changed_bins, *changed_bins_2]):
            if self._breaks_rule_10(one_bin):
                return self._take_back(RULES[9])
        done = f"record bin {bin['tag']} as {result}"
        if kg is not None:
            done += f", {kg} kg"
        return {
            "success": True,
            "message": f"Done: {done} (new: lift {lift['id']}).",
            "data": {"lift_id": lift["id"], **self._changes()},
        }

    def tip_load(self, tour_id: str) -> Result:
        """Tip the load of a vehicle at the plant.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        if tour["status"] != "under_way":
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} is {tour['status']}.")
        if tour["on"] != self.now[:10]:
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} was on {tour['on']}, so finish it.")
        if tour["load"] <= 0:
            return _refused(f"{self.vehicles[tour['vehicle_id']]['name']} is empty.")
        self._journal = []
        tipped = tour["tipped"] + tour["load"]
        if not 0 <= tipped <= 200000:
            return self._take_back(f"The tipped of {tour['id']} must be between 0 and 200000.")
        self._put("tours", tour, "tipped", tipped)
        self._put("tours", tour, "load", 0)
        if self._breaks_rule_6(tour):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: tip the load of {self.vehicles[tour['vehicle_id']]['name']}.",
            "data": self._changes(),
        }

    def finish_tour(self, tour_id: str) -> Result:
        """Tip what is left and finish a tour; bins that were not seen to count as missed.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        if tour["status"] != "under_way":
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} is {tour['status']}.")
        self._journal = []
        added_lifts: list[Any] = []
        for b in list(self._to_lift(tour)):
            lift = {
                "id": self._new_id("lift", "LIFT", self.lifts),
                "tour_id": tour_id,
                "bin_id": b["id"],
                "kg": 0,
                "result": "missed",
            }
            self._add("lifts", lift)
            added_lifts.append(lift)
        tipped = tour["tipped"] + tour["load"]
        if not 0 <= tipped <= 200000:
            return self._take_back(f"The tipped of {tour['id']} must be between 0 and 200000.")
        self._put("tours", tour, "tipped", tipped)
        self._put("tours", tour, "load", 0)
        self._put("tours", tour, "status", "finished")
        if self._breaks_rule_5_t(tour):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(tour):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(tour):
            return self._take_back(RULES[6])
        for one_lift in _distinct(added_lifts):
            if self._breaks_rule_8_l(one_lift):
                return self._take_back(RULES[7])
        for one_lift in _distinct(added_lifts):
            if self._breaks_rule_8_l_again(one_lift):
                return self._take_back(RULES[7])
        for one_lift in _distinct(added_lifts):
            if self._breaks_rule_9(one_lift):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: finish the tour of {self.routes[tour['route_id']]['name']}.",
            "data": self._changes(),
        }

    def recollect_bin(
        self,
        lift_id: str,
        tour_id: str,
        kg: Annotated[int, {"minimum": 1, "maximum": 1500}],
    ) -> Result:
        """Empty a missed bin on another tour of the same stream.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.
            tour_id (str): Id of the tour, such as TOUR-00001.
            kg (int): Weight emptied in kilograms, from 1 to 1500.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        if lift["result"] != "missed":
            return _refused(f"Bin {self.bins[lift['bin_id']]['tag']} was {lift['result']} on that tour.")
        if tour["status"] != "under_way":
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} is {tour['status']}.")
        if tour["on"] != self.now[:10]:
            return _refused(f"The tour of {self.routes[tour['route_id']]['name']} was on {tour['on']}, so finish it.")
        if self.routes[tour["route_id"]]["stream"] != self.bins[lift["bin_id"]]["stream"]:
            return _refused(
                f"{self.vehicles[tour['vehicle_id']]['name']} collects {self.routes[tour['route_id']]['stream']} "
                f"on this tour, not {self.bins[lift['bin_id']]['stream']}."
            )
        if self.bins[lift["bin_id"]]["status"] != "in_use":
            return _refused(f"Bin {self.bins[lift['bin_id']]['tag']} is {self.bins[lift['bin_id']]['status']}.")
        if kg > self.bins[lift["bin_id"]]["litres"]:
            return _refused(
                f"Bin {self.bins[lift['bin_id']]['tag']} holds {self.bins[lift['bin_id']]['litres']} litres and "
                f"cannot weigh {kg} kg."
            )
        if tour["load"] + kg > self.vehicles[tour["vehicle_id"]]["payload"]:
            return _refused(
                f"{self.vehicles[tour['vehicle_id']]['name']} has {tour['load']} of "
                f"{self.vehicles[tour['vehicle_id']]['payload']} kg on board and must tip first."
            )
        self._journal = []
        self._put("lifts", lift, "kg", kg)
        self._put("lifts", lift, "result", "recollected")
        load = tour["load"] + kg
        if not 0 <= load <= 20000:
            return self._take_back(f"The load of {tour['id']} must be between 0 and 20000.")
        self._put("tours", tour, "load", load)
        if self._breaks_rule_6(tour):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(lift):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: collect the missed bin {self.bins[lift['bin_id']]['tag']} on the tour of "
                f"{self.routes[tour['route_id']]['name']} with {kg} kg."
            ),
            "data": self._changes(),
        }

    def unlock_bin(self, bin_id: str) -> Result:
        """Unlock a bin that has been sorted and cleaned; its strikes are forgotten.

        Args:
            bin_id (str): Id of the bin, such as BIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        if bin["status"] != "locked":
            return _refused(f"Bin {bin['tag']} is {bin['status']}.")
        self._journal = []
        self._put("bins", bin, "strikes", 0)
        self._put("bins", bin, "status", "in_use")
        if self._breaks_rule_10(bin):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: unlock bin {bin['tag']}.", "data": self._changes()}

    def deliver_bin(
        self,
        household_id: str,
        route_id: str,
        litres: Annotated[int, {"minimum": 120, "maximum": 1100}],
        tag: Text,
    ) -> Result:
        """Deliver a new bin to a household and put it on a route.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            route_id (str): Id of the route, such as ROUTE-00001.
            litres (int): Size of the bin in litres, from 120 to 1100.
            tag (str): Tag of the new bin, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        if self._bins_by_lower_tag.get(tag.lower(), {}):
            return _refused(f"There is a bin with the tag {tag} already.")
        if route["district_id"] != household["district_id"]:
            return _refused(
                f"{route['name']} does not go through {self.districts[household['district_id']]['name']}."
            )
        if self._bins_by_household_stream.get((household_id, route["stream"]), {}):
            return _refused(f"{household['address']} has a bin for {route['stream']} already.")
        if self._route_bins(route) >= route["most_bins"]:
            return _refused(f"{route['name']} has {self._route_bins(route)} bins and can take no more.")
        self._journal = []
        bin: Bin = {
            "id": self._new_id("bin", "BIN", self.bins),
            "tag": tag,
            "household_id": household_id,
            "stream": route["stream"],
            "litres": litres,
            "route_id": route_id,
            "strikes": 0,
            "status": "in_use",
        }
        self._add("bins", bin)
        if len(self._bins_by_tag.get(bin["tag"], {})) > 1:
            return self._take_back(f"There is already a bin with the tag {bin['tag']!r}.")
        if self._breaks_rule_1(bin):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(bin):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.routes[bin["route_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_10(bin):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: deliver the bin {tag} to {household['address']} (new: bin {bin['id']}).",
            "data": {"bin_id": bin["id"], **self._changes()},
        }

    def change_bin(
        self,
        bin_id: str,
        litres: Annotated[int, {"minimum": 120, "maximum": 1100}] | None = None,
        route_id: str | None = None,
    ) -> Result:
        """Change the size of a bin, the route it is on, or both.

        Args:
            bin_id (str): Id of the bin, such as BIN-00001.
            litres (int, optional): New size of the bin in litres, from 120 to 1100. If left out, the size stays as
                it is.
            route_id (str, optional): New route for the same stream in the same district; an id such as
                ROUTE-00001. If left out, the route stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bin = self.bins.get(bin_id)
        if bin is None:
            return _refused(f"There is no bin {bin_id!r}.")
        route = self.routes.get(route_id) if route_id is not None else None
        if route_id is not None and route is None:
            return _refused(f"There is no route {route_id!r}.")
        if litres is None and route_id is None:
            return _refused("Say which size or which route.")
        if litres is not None and litres == bin["litres"]:
            return _refused(f"Bin {bin['tag']} holds {bin['litres']} litres already.")
        if route_id is not None and route_id == bin["route_id"]:
            return _refused(f"Bin {bin['tag']} is on {self.routes[bin['route_id']]['name']} already.")
        if not (
            route_id is None
            or route["stream"] == bin["stream"]
            and route["district_id"] == self.households[bin["household_id"]]["district_id"]
        ):
            return _refused(
                f"That route does not collect {bin['stream']} in "
                f"{self.districts[self.households[bin['household_id']]['district_id']]['name']}."
            )
        if route_id is not None and self._route_bins(route) >= route["most_bins"]:
            return _refused("That route can take no more bins.")
        self._journal = []
        new_litres = litres if litres is not None else bin["litres"]
        if not 120 <= new_litres <= 1100:
            return self._take_back(f"The litres of {bin['tag']} must be between 120 and 1100.")
        self._put("bins", bin, "litres", new_litres)
        former_route_id = bin["route_id"]
        self._put("bins", bin, "route_id", (route or self.routes[bin["route_id"]])["id"])
        if self._breaks_rule_1(bin):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(self.routes[bin["route_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(self.routes[former_route_id]):
            return self._take_back(RULES[2])
        done = f"change bin {bin['tag']}"
        if litres is not None:
            done += f" to {litres} litres"
        if route is not None:
            done += f" to {route['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def book_bulky(
        self,
        household_id: str,
        what: Text,
        pieces: Annotated[int, {"minimum": 1, "maximum": 30}],
        on: Date,
    ) -> Result:
        """Book the collection of bulky pieces for a household on the bulky day of its district.

        Args:
            household_id (str): Id of the household, such as HOUSEHOLD-00001.
            what (str): Short description of the bulky pieces.
            pieces (int): Number of bulky pieces, within what the household has left, from 1 to 30.
            on (str): Day of the collection, from today on and on the bulky weekday of the district, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        household = self.households.get(household_id)
        if household is None:
            return _refused(f"There is no household {household_id!r}.")
        if on < self.now[:10]:
            return _refused(f"{on} is over.")
        if _weekday(on) != self.districts[household["district_id"]]["bulky_weekday"]:
            return _refused(
                f"Bulky waste in {self.districts[household['district_id']]['name']} is collected on weekday "
                f"{self.districts[household['district_id']]['bulky_weekday']}, and {on} is weekday {_weekday(on)}."
            )
        if self._bulky_of(household, on) + pieces > self._household_bulky_quota(household):
            return _refused(
                f"{household['address']} has used {self._bulky_of(household, on)} of "
                f"{self._household_bulky_quota(household)} pieces."
            )
        if (
            self._bulky_on(self.districts[household["district_id"]], on)
            + pieces > self.districts[household["district_id"]]["bulky_pieces"]
        ):
            return _refused(
                f"{self.districts[household['district_id']]['name']} has "
                f"{self._bulky_on(self.districts[household['district_id']], on)} of "
                f"{self.districts[household['district_id']]['bulky_pieces']} pieces booked for {on}."
            )
        self._journal = []
        bulky: Bulky = {
            "id": self._new_id("bulky", "BULKY", self.bulkies),
            "household_id": household_id,
            "what": what,
            "pieces": pieces,
            "on": on,
            "status": "booked",
        }
        self._add("bulkies", bulky)
        for one_bulky in _distinct([bulky, *self._bulkies_by_household.get(bulky["household_id"], {}).values()]):
            if self._breaks_rule_11(one_bulky):
                return self._take_back(RULES[10])
        for one_bulky in _distinct(
            [
                bulky,
                *[
                    user
                    for one in self._households_by_district.get(
                        self.households[bulky["household_id"]]["district_id"],
                        {},
                    ).values()
                    for user in self._bulkies_by_household.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_bulky):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: book {pieces} bulky pieces of {household['address']} for {on} (new: bulky {bulky['id']})."
            ),
            "data": {"bulky_id": bulky["id"], **self._changes()},
        }

    def close_bulky(self, bulky_id: str, outcome: Literal["collected", "refused", "cancelled"]) -> Result:
        """Record that a bulky collection took place, was refused at the kerb on its day, or was cancelled.

        Args:
            bulky_id (str): Id of the bulky, such as BULKY-00001.
            outcome (str): How the collection ended: collected, refused or cancelled.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bulky = self.bulkies.get(bulky_id)
        if bulky is None:
            return _refused(f"There is no bulky {bulky_id!r}.")
        if bulky["status"] != "booked":
            return _refused(f"That collection is {bulky['status']}.")
        if outcome != "cancelled" and bulky["on"] > self.now[:10]:
            return _refused(f"That collection is on {bulky['on']}.")
        self._journal = []
        self._put("bulkies", bulky, "status", outcome)
        for one_bulky in _distinct([bulky, *self._bulkies_by_household.get(bulky["household_id"], {}).values()]):
            if self._breaks_rule_11(one_bulky):
                return self._take_back(RULES[10])
        for one_bulky in _distinct(
            [
                bulky,
                *[
                    user
                    for one in self._households_by_district.get(
                        self.households[bulky["household_id"]]["district_id"],
                        {},
                    ).values()
                    for user in self._bulkies_by_household.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_bulky):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the bulky collection of {self.households[bulky['household_id']]['address']} on "
                f"{bulky['on']} as {outcome}."
            ),
            "data": self._changes(),
        }

    def move_route(
        self,
        route_id: str,
        week_day: Annotated[int, {"minimum": 1, "maximum": 5}] | None = None,
        vehicle_id: str | None = None,
    ) -> Result:
        """Move a route to another weekday, another vehicle, or both.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            week_day (int, optional): New weekday of the route, 1 being Monday, from 1 to 5. If left out, the
                weekday stays as it is.
            vehicle_id (str, optional): New vehicle of the route, built for its stream; an id such as
                VEHICLE-00001. If left out, the vehicle stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        vehicle = self.vehicles.get(vehicle_id) if vehicle_id is not None else None
        if vehicle_id is not None and vehicle is None:
            return _refused(f"There is no vehicle {vehicle_id!r}.")
        if self._tours_by_route_status.get((route_id, "under_way"), {}):
            return _refused(f"{route['name']} is out at the moment.")
        there = week_day if week_day is not None else route["week_day"]
        truck = vehicle or self.vehicles[route["vehicle_id"]]
        if there == route["week_day"] and truck["id"] == route["vehicle_id"]:
            return _refused(f"{route['name']} is on weekday {there} with {truck['name']} already.")
        if route["stream"] not in truck["streams"]:
            return _refused(f"{truck['name']} is not built for {route['stream']}.")
        other = next(
            (
                r
                for r in sorted(self._routes_by_vehicle.get(truck["id"], {}).values(), key=_age)
                if r is not route
                and r["week_day"] == there
            ),
            None,
        )
        if other is not None:
            return _refused(f"{truck['name']} does {other['name']} on weekday {there}.")
        self._journal = []
        if not 1 <= there <= 5:
            return self._take_back(f"The week day of {route['name']} must be between 1 and 5.")
        self._put("routes", route, "week_day", there)
        self._put("routes", route, "vehicle_id", truck["id"])
        if self._breaks_rule_4_r(route):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_r_again(route):
            return self._take_back(RULES[3])
        for one_tour in _distinct(self._tours_by_route_status.get((route["id"], "under_way"), {}).values()):
            if self._breaks_rule_7(one_tour):
                return self._take_back(RULES[6])
        done = f"move {route['name']}"
        if week_day is not None:
            done += f" to weekday {week_day}"
        if vehicle is not None:
            done += f" to {vehicle['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_household(self, household: Household) -> dict[str, Any]:
        """The household as an answer shows it."""
        return {**household, "bulky_quota": self._household_bulky_quota(household)}

    def _show_vehicle(self, vehicle: Vehicle) -> dict[str, Any]:
        """The vehicle as an answer shows it."""
        return {**vehicle, "streams": [*vehicle["streams"]]}

    def _show_route(self, route: Route) -> dict[str, Any]:
        """The route as an answer shows it."""
        return {**route, "bins": self._route_bins(route)}

    def _names_of_households(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that households point to."""
        return _names((self.districts, "name", [row["district_id"] for row in shown]))

    def _names_of_routes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that routes point to."""
        return _names(
            (self.districts, "name", [row["district_id"] for row in shown]),
            (self.vehicles, "name", [row["vehicle_id"] for row in shown]),
        )

    def _names_of_bins(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bins point to."""
        return _names(
            (self.households, "address", [row["household_id"] for row in shown]),
            (self.routes, "name", [row["route_id"] for row in shown]),
        )

    def _names_of_tours(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tours point to."""
        return _names(
            (self.routes, "name", [row["route_id"] for row in shown]),
            (self.vehicles, "name", [row["vehicle_id"] for row in shown]),
        )

    def _names_of_lifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lifts point to."""
        return _names((self.bins, "tag", [row["bin_id"] for row in shown]))

    def _names_of_bulkies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bulkies point to."""
        return _names((self.households, "address", [row["household_id"] for row in shown]))

    def _household_bulky_quota(self, household: Household) -> int:
        """The bulky quota of a household."""
        return 4 + household["people"] // 4

    def _route_bins(self, route: Route) -> int:
        """The bins of a route."""
        return len(self._bins_by_route.get(route["id"], {}))

    def _lifted(self, t: Tour, b: Bin) -> bool:
        return any(l["bin_id"] == b["id"] for l in self._lifts_by_tour.get(t["id"], {}).values())

    def _to_lift(self, t: Tour) -> list[Bin]:
        return [
            b
            for b in sorted(self._bins_by_route_status.get((t["route_id"], "in_use"), {}).values(), key=_age)
            if not self._lifted(t, b)
        ]

    def _out_with(self, v: Vehicle) -> Tour | None:
        return next(
            (t for t in sorted(self._tours_by_vehicle_status.get((v["id"], "under_way"), {}).values(), key=_age)),
            None,
        )

    def _bulky_of(self, h: Household, d: str) -> int:
        return sum(
            b["pieces"]
            for b in self._bulkies_by_household.get(h["id"], {}).values()
            if b["status"] in ("booked", "collected")
            and b["on"] > _plus_days(d, -365)
            and b["on"] < _plus_days(d, 365)
        )

    def _bulky_on(self, k: District, d: str) -> int:
        return sum(
            b["pieces"]
            for _household in self._households_by_district.get(k["id"], {}).values()
            for b in self._bulkies_by_household.get(_household["id"], {}).values()
            if b["on"] == d
            and b["status"] in ("booked", "collected")
        )

    def _breaks_rule_1(self, b: Bin) -> bool:
        """Whether this is broken: a bin is on a route of its stream in the district of its household."""
        return (
            b["stream"] != self.routes[b["route_id"]]["stream"]
            or self.routes[b["route_id"]]["district_id"] != self.households[b["household_id"]]["district_id"]
        )

    def _breaks_rule_2(self, b: Bin) -> bool:
        """Whether this is broken: a household has one bin of each stream."""
        return any(
            other_b is not b
            for other_b in self._bins_by_household_stream.get((b["household_id"], b["stream"]), {}).values()
        )

    def _breaks_rule_3(self, r: Route) -> bool:
        """Whether this is broken: no route has more bins than it can do."""
        return self._route_bins(r) > r["most_bins"]

    def _breaks_rule_4_r(self, r: Route) -> bool:
        """Whether this is broken: a vehicle does routes of streams that it is built for, one on a weekday."""
        return r["stream"] not in self.vehicles[r["vehicle_id"]]["streams"]

    def _breaks_rule_4_r_again(self, r: Route) -> bool:
        """Whether this is broken: a vehicle does routes of streams that it is built for, one on a weekday."""
        return any(
            other_r is not r
            for other_r in self._routes_by_vehicle.get(r["vehicle_id"], {}).values()
            if other_r["week_day"] == r["week_day"]
        )

    def _breaks_rule_5_t(self, t: Tour) -> bool:
        """Whether this is broken: a vehicle is out on one tour at a time, and a route has one tour a day."""
        return (
            t["status"] == "under_way"
            and any(
                other_t is not t
                for other_t in self._tours_by_vehicle_status.get((t["vehicle_id"], "under_way"), {}).values()
            )
        )

    def _breaks_rule_5_t_again(self, t: Tour) -> bool:
        """Whether this is broken: a vehicle is out on one tour at a time, and a route has one tour a day."""
        return any(
            other_t is not t
            for other_t in self._tours_by_route.get(t["route_id"], {}).values()
            if other_t["on"] == t["on"]
        )

    def _breaks_rule_6(self, t: Tour) -> bool:
        """Whether this is broken: a vehicle never carries more than its payload, and only streams it is built for.
        """
        return (
            t["load"] > self.vehicles[t["vehicle_id"]]["payload"]
            or self.routes[t["route_id"]]["stream"] not in self.vehicles[t["vehicle_id"]]["streams"]
        )

    def _breaks_rule_7(self, t: Tour) -> bool:
        """Whether this is broken: a tour that is under way is on the weekday of its route or makes up for that day.
        """
        return (
            t["status"] == "under_way"
            and _weekday(
                t["in_place_of"]
                if t["in_place_of"] is not None
                else t["on"]
            ) != self.routes[t["route_id"]]["week_day"]
        )

    def _breaks_rule_8_l(self, l: Lift) -> bool:
        """Whether this is broken: a bin is lifted once on a tour, and only where its stream is collected."""
        return any(
            other_l is not l
            for other_l in self._lifts_by_tour_bin.get((l["tour_id"], l["bin_id"]), {}).values()
        )

    def _breaks_rule_8_l_again(self, l: Lift) -> bool:
        """Whether this is broken: a bin is lifted once on a tour, and only where its stream is collected."""
        return self.bins[l["bin_id"]]["stream"] != self.routes[self.tours[l["tour_id"]]["route_id"]]["stream"]

    def _breaks_rule_9(self, l: Lift) -> bool:
        """Whether this is broken: contaminated and missed bins are not emptied, and all others weigh something."""
        return (l["kg"] == 0) != (l["result"] in ("contaminated", "missed"))

    def _breaks_rule_10(self, b: Bin) -> bool:
        """Whether this is broken: a bin with three strikes is locked, and no other bin is."""
        return (b["status"] == "locked") != (b["strikes"] == 3)

    def _breaks_rule_11(self, b: Bulky) -> bool:
        """Whether this is broken: a household stays within its quota of bulky pieces over any twelve months."""
        return (
            b["status"] in ("booked", "collected")
            and sum(
                c["pieces"]
                for c in self._bulkies_by_household.get(b["household_id"], {}).values()
                if c["status"] in ("booked", "collected")
                and c["on"] <= b["on"]
                and c["on"] > _plus_days(b["on"], -365)
            ) > self._household_bulky_quota(self.households[b["household_id"]])
        )

    def _breaks_rule_12(self, b: Bulky) -> bool:
        """Whether this is broken: bulky pieces are booked for the bulky day of the district, up to what can be
        loaded.
        """
        return (
            b["status"] in ("booked", "collected")
            and (
                self._bulky_on(
                    self.districts[self.households[b["household_id"]]["district_id"]],
                    b["on"],
                ) > self.districts[self.households[b["household_id"]]["district_id"]]["bulky_pieces"]
                or _weekday(b["on"]) != self.districts[
                    self.households[b["household_id"]]["district_id"]
                ]["bulky_weekday"]
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
            case "households":
                self._households_by_district.setdefault(record["district_id"], {})[record["id"]] = record
            case "routes":
                self._routes_by_vehicle.setdefault(record["vehicle_id"], {})[record["id"]] = record
            case "bins":
                self._bins_by_household_stream.setdefault(
                    (record["household_id"], record["stream"]),
                    {},
                )[record["id"]] = record
                self._bins_by_lower_tag.setdefault(record["tag"].lower(), {})[record["id"]] = record
                self._bins_by_route.setdefault(record["route_id"], {})[record["id"]] = record
                self._bins_by_route_status.setdefault((record["route_id"], record["status"]), {})[record["id"]] = record
                self._bins_by_tag.setdefault(record["tag"], {})[record["id"]] = record
            case "tours":
                self._tours_by_route.setdefault(record["route_id"], {})[record["id"]] = record
                self._tours_by_route_status.setdefault((record["route_id"], record["status"]), {})[record["id"]] = record
                self._tours_by_vehicle_status.setdefault(
                    (record["vehicle_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "lifts":
                self._lifts_by_tour.setdefault(record["tour_id"], {})[record["id"]] = record
                self._lifts_by_tour_bin.setdefault((record["tour_id"], record["bin_id"]), {})[record["id"]] = record
            case "bulkies":
                self._bulkies_by_household.setdefault(record["household_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "households":
                del self._households_by_district[record["district_id"]][record["id"]]
            case "routes":
                del self._routes_by_vehicle[record["vehicle_id"]][record["id"]]
            case "bins":
                del self._bins_by_household_stream[record["household_id"], record["stream"]][record["id"]]
                del self._bins_by_lower_tag[record["tag"].lower()][record["id"]]
                del self._bins_by_route[record["route_id"]][record["id"]]
                del self._bins_by_route_status[record["route_id"], record["status"]][record["id"]]
                del self._bins_by_tag[record["tag"]][record["id"]]
            case "tours":
                del self._tours_by_route[record["route_id"]][record["id"]]
                del self._tours_by_route_status[record["route_id"], record["status"]][record["id"]]
                del self._tours_by_vehicle_status[record["vehicle_id"], record["status"]][record["id"]]
            case "lifts":
                del self._lifts_by_tour[record["tour_id"]][record["id"]]
                del self._lifts_by_tour_bin[record["tour_id"], record["bin_id"]][record["id"]]
            case "bulkies":
                del self._bulkies_by_household[record["household_id"]][record["id"]]
