"""Parcel depot. Compiled from blueprint.yaml; run `envscaler build parcel_depot` after changing it there.

Sends parcels out on delivery tours, where drivers scan their stops in order and try three times at most, with
pick-up points of limited space, cash on delivery, redirections and returns.
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
    "A parcel waits on one stop at most, and is loaded as long as it does.",
    "The stops of a tour are numbered without gaps.",
    "Stops are scanned in their order.",
    "A van carries no more than it may.",
    "A parcel travels on the route of its district.",
    "A delivery is tried three times at most.",
    "A pick-up point holds no more parcels than it has shelves.",
    "Pick-up points hold neither parcels above 15 kg nor cash on delivery.",
    "A parcel lies at a pick-up point since some day, or at none.",
    "A route has one tour a day, and so has a driver.",
    "A parcel is handed over against exactly its cash on delivery.",
    "A tour is back only when each of its stops was scanned.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_tour",
    "receive_parcel",
    "load_parcels",
    "unload_parcel",
    "start_tour",
    "scan_stop",
    "drop_at_point",
    "close_tour",
    "redirect_parcel",
    "collect_parcel",
    "clear_point",
    "ship_returns",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "routes": ("name",),
    "districts": ("name",),
    "drivers": ("name",),
    "pickup_points": ("name",),
    "tours": ("sheet",),
    "parcels": ("code",),
    "stops": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("districts", "route_id"),
    ("parcels", "code"),
    ("parcels", "district_id"),
    ("parcels", "point_id"),
    ("parcels", "status"),
    ("pickup_points", "district_id"),
    ("stops", "outcome"),
    ("stops", "parcel_id"),
    ("stops", "tour_id"),
    ("tours", "driver_id"),
    ("tours", "route_id"),
    ("tours", "sheet"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Route(TypedDict):
    id: str
    name: str


class District(TypedDict):
    id: str
    name: str
    route_id: str
    rank: int


class Driver(TypedDict):
    id: str
    name: str
    van_kg: int


class PickupPoint(TypedDict):
    id: str
    name: str
    district_id: str
    shelves: int


class Tour(TypedDict):
    id: str
    sheet: str
    route_id: str
    driver_id: str
    on: str
    status: Literal["planned", "out", "back"]


class Parcel(TypedDict):
    id: str
    code: str
    recipient: str
    sender: str
    street: str
    district_id: str
    weight: int
    cod: int
    address_ok: bool
    point_id: str | None
    dropped_on: str | None
    status: Literal["in_depot", "loaded", "delivered", "missed", "at_point", "returning", "collected", "sent_back"]


class Stop(TypedDict):
    id: str
    tour_id: str
    parcel_id: str
    position: int
    outcome: Literal["delivered", "nobody_home", "refused", "wrong_address", "not_reached"] | None
    scanned_at: str | None
    cash: int


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


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class ParcelDepot:
    """Sends parcels out on delivery tours, where drivers scan their stops in order and try three times at
    most, with pick-up points of limited space, cash on delivery, redirections and returns.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.routes: dict[str, Route] = _copied(config.get("routes", {}))
        self.districts: dict[str, District] = _copied(config.get("districts", {}))
        self.drivers: dict[str, Driver] = _copied(config.get("drivers", {}))
        self.pickup_points: dict[str, PickupPoint] = _copied(config.get("pickup_points", {}))
        self.tours: dict[str, Tour] = _copied(config.get("tours", {}))
        self.parcels: dict[str, Parcel] = _copied(config.get("parcels", {}))
        self.stops: dict[str, Stop] = _copied(config.get("stops", {}))
        self.now: str = config.get("now", "2026-06-09T12:30")
        self.counters: dict[str, int] = {
            "route": len(self.routes),
            "district": len(self.districts),
            "driver": len(self.drivers),
            "pickup_point": len(self.pickup_points),
            "tour": len(self.tours),
            "parcel": len(self.parcels),
            "stop": len(self.stops),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._districts_by_route: dict[Any, dict[str, District]] = {}
        self._pickup_points_by_district: dict[Any, dict[str, PickupPoint]] = {}
        self._tours_by_driver: dict[Any, dict[str, Tour]] = {}
        self._tours_by_route: dict[Any, dict[str, Tour]] = {}
        self._tours_by_sheet: dict[Any, dict[str, Tour]] = {}
        self._parcels_by_code: dict[Any, dict[str, Parcel]] = {}
        self._parcels_by_district_status: dict[Any, dict[str, Parcel]] = {}
        self._parcels_by_point: dict[Any, dict[str, Parcel]] = {}
        self._stops_by_parcel: dict[Any, dict[str, Stop]] = {}
        self._stops_by_parcel_outcome: dict[Any, dict[str, Stop]] = {}
        self._stops_by_tour: dict[Any, dict[str, Stop]] = {}
        for district in self.districts.values():
            self._link("districts", district)
        for pickup_point in self.pickup_points.values():
            self._link("pickup_points", pickup_point)
        for tour in self.tours.values():
            self._link("tours", tour)
        for parcel in self.parcels.values():
            self._link("parcels", parcel)
        for stop in self.stops.values():
            self._link("stops", stop)

    def ready_to_load(
        self,
        route_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Parcels in the depot that can go out, those with most attempts first.

        Args:
            route_id (str, optional): Route on which the parcels go out; an id such as ROUTE-00001. If left out,
                the parcels of all routes are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parcels": records}} or {"success": False, "error": why
                not}
        """
        route = self.routes.get(route_id) if route_id is not None else None
        if route_id is not None and route is None:
            return _refused(f"There is no route {route_id!r}.")
        found = [
            p
            for p in self.parcels.values()
            if self._ready(p, self.routes[self.districts[p["district_id"]]["route_id"]])
            and (route_id is None or self.districts[p["district_id"]]["route_id"] == route_id)
        ]
        found.sort(key=lambda p: (-self._parcel_failed(p), p["code"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parcels": [
                    {
                        "id": p["id"],
                        "code": p["code"],
                        "recipient": p["recipient"],
                        "district": self.districts[p["district_id"]]["name"],
                        "route": self.routes[self.districts[p["district_id"]]["route_id"]]["name"],
                        "weight": p["weight"],
                        "failed": self._parcel_failed(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def tour_sheet(self, tour_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The stops of a tour in their order.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stops": records}} or {"success": False, "error": why
                not}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        found = [s for s in self._stops_by_tour.get(tour_id, {}).values()]
        found.sort(key=lambda s: (s["position"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stops": [
                    {
                        "id": s["id"],
                        "position": s["position"],
                        "parcel": self.parcels[s["parcel_id"]]["code"],
                        "recipient": self.parcels[s["parcel_id"]]["recipient"],
                        "street": self.parcels[s["parcel_id"]]["street"],
                        "cod": self.parcels[s["parcel_id"]]["cod"],
                        "outcome": s["outcome"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def free_points(self, route_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Pick-up points of a route with shelves left, the emptiest first.

        Args:
            route_id (str): Id of the route, such as ROUTE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pickup_points": records}} or {"success": False,
                "error": why not}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        found = [
            k
            for k in [
                k
                for _district in self._districts_by_route.get(route_id, {}).values()
                for k in self._pickup_points_by_district.get(_district["id"], {}).values()
            ]
            if (
                self.districts[k["district_id"]]["route_id"] == route_id
                and self._pickup_point_held(k) < k["shelves"]
            )
        ]
        found.sort(key=lambda k: (-(k["shelves"] - self._pickup_point_held(k)), k["name"], _age(k)))
        return _found(
            {
                "total": len(found),
                "pickup_points": [
                    {
                        "id": k["id"],
                        "name": k["name"],
                        "district": self.districts[k["district_id"]]["name"],
                        "left": k["shelves"] - self._pickup_point_held(k),
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def list_routes(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the routes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only routes whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "routes": records}}
        """
        found = [
            route
            for route in self.routes.values()
            if (name is None or name.casefold() in route["name"].casefold())
        ]
        return _found({"total": len(found), "routes": [self._show_route(route) for route in _page(found, offset)]})

    def list_districts(
        self,
        name: Text | None = None,
        route_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the districts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only districts whose name contains this text.
            route_id (str, optional): Only districts of this route.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "districts": records}}
        """
        if route_id is not None and route_id not in self.routes:
            return _refused(f"There is no route {route_id!r}.")
        found = [
            district
            for district in self.districts.values()
            if (name is None or name.casefold() in district["name"].casefold())
            and (route_id is None or district["route_id"] == route_id)
        ]
        shown = [{**district} for district in _page(found, offset)]
        return _found({"total": len(found), "districts": shown}, self._names_of_districts(shown))

    def list_drivers(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drivers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only drivers whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drivers": records}}
        """
        found = [
            driver
            for driver in self.drivers.values()
            if (name is None or name.casefold() in driver["name"].casefold())
        ]
        return _found({"total": len(found), "drivers": [{**driver} for driver in _page(found, offset)]})

    def list_pickup_points(
        self,
        name: Text | None = None,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pickup points, oldest first, all of them or only some.

        Args:
            name (str, optional): Only pickup points whose name contains this text.
            district_id (str, optional): Only pickup points of this district.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pickup_points": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            pickup_point
            for pickup_point in self.pickup_points.values()
            if (name is None or name.casefold() in pickup_point["name"].casefold())
            and (district_id is None or pickup_point["district_id"] == district_id)
        ]
        shown = [self._show_pickup_point(pickup_point) for pickup_point in _page(found, offset)]
        return _found({"total": len(found), "pickup_points": shown}, self._names_of_pickup_points(shown))

    def list_tours(
        self,
        sheet: Text | None = None,
        route_id: str | None = None,
        driver_id: str | None = None,
        status: Literal["planned", "out", "back"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tours, oldest first, all of them or only some.

        Args:
            sheet (str, optional): Only tours whose sheet contains this text.
            route_id (str, optional): Only tours of this route.
            driver_id (str, optional): Only tours of this driver.
            status (str, optional): Only tours with this status.
            on_from (str, optional): Only tours whose `on` is on this day or later.
            on_to (str, optional): Only tours whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tours": records}}
        """
        if route_id is not None and route_id not in self.routes:
            return _refused(f"There is no route {route_id!r}.")
        if driver_id is not None and driver_id not in self.drivers:
            return _refused(f"There is no driver {driver_id!r}.")
        found = [
            tour
            for tour in self.tours.values()
            if (sheet is None or sheet.casefold() in tour["sheet"].casefold())
            and (route_id is None or tour["route_id"] == route_id)
            and (driver_id is None or tour["driver_id"] == driver_id)
            and (status is None or tour["status"] == status)
            and (on_from is None or tour["on"] >= on_from)
            and (on_to is None or tour["on"] <= on_to)
        ]
        shown = [self._show_tour(tour) for tour in _page(found, offset)]
        return _found({"total": len(found), "tours": shown}, self._names_of_tours(shown))

    def list_parcels(
        self,
        code: Text | None = None,
        district_id: str | None = None,
        address_ok: bool | None = None,
        point_id: str | None = None,
        status: Literal[
            "in_depot",
            "loaded",
            "delivered",
            "missed",
            "at_point",
            "returning",
            "collected",
            "sent_back",
        ] | None = None,
        dropped_on_from: Date | None = None,
        dropped_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parcels, oldest first, all of them or only some.

        Args:
            code (str, optional): Only parcels whose code contains this text.
            district_id (str, optional): Only parcels of this district.
            address_ok (bool, optional): Only parcels with this value of `address_ok`.
            point_id (str, optional): Only parcels whose point is this pickup point.
            status (str, optional): Only parcels with this status.
            dropped_on_from (str, optional): Only parcels whose `dropped_on` is on this day or later.
            dropped_on_to (str, optional): Only parcels whose `dropped_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parcels": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        if point_id is not None and point_id not in self.pickup_points:
            return _refused(f"There is no pickup point {point_id!r}.")
        found = [
            parcel
            for parcel in self.parcels.values()
            if (code is None or code.casefold() in parcel["code"].casefold())
            and (district_id is None or parcel["district_id"] == district_id)
            and (address_ok is None or parcel["address_ok"] == address_ok)
            and (point_id is None or parcel["point_id"] == point_id)
            and (status is None or parcel["status"] == status)
            and (
                dropped_on_from is None
                or (parcel["dropped_on"] is not None and parcel["dropped_on"] >= dropped_on_from)
            )
            and (
                dropped_on_to is None
                or (parcel["dropped_on"] is not None and parcel["dropped_on"] <= dropped_on_to)
            )
        ]
        shown = [self._show_parcel(parcel) for parcel in _page(found, offset)]
        return _found({"total": len(found), "parcels": shown}, self._names_of_parcels(shown))

    def list_stops(
        self,
        tour_id: str | None = None,
        parcel_id: str | None = None,
        outcome: Literal["delivered", "nobody_home", "refused", "wrong_address", "not_reached"] | None = None,
        scanned_at_from: Date | None = None,
        scanned_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stops, oldest first, all of them or only some.

        Args:
            tour_id (str, optional): Only stops of this tour.
            parcel_id (str, optional): Only stops of this parcel.
            outcome (str, optional): Only stops with this outcome.
            scanned_at_from (str, optional): Only stops whose `scanned_at` is on this day or later.
            scanned_at_to (str, optional): Only stops whose `scanned_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stops": records}}
        """
        if tour_id is not None and tour_id not in self.tours:
            return _refused(f"There is no tour {tour_id!r}.")
        if parcel_id is not None and parcel_id not in self.parcels:
            return _refused(f"There is no parcel {parcel_id!r}.")
        found = [
            stop
            for stop in self.stops.values()
            if (tour_id is None or stop["tour_id"] == tour_id)
            and (parcel_id is None or stop["parcel_id"] == parcel_id)
            and (outcome is None or stop["outcome"] == outcome)
            and (
                scanned_at_from is None
                or (stop["scanned_at"] is not None and stop["scanned_at"][:10] >= scanned_at_from)
            )
            and (
                scanned_at_to is None
                or (stop["scanned_at"] is not None and stop["scanned_at"][:10] <= scanned_at_to)
            )
        ]
        shown = [{**stop} for stop in _page(found, offset)]
        return _found({"total": len(found), "stops": shown}, self._names_of_stops(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_tour(self, sheet: Text, route_id: str, driver_id: str, on: Date) -> Result:
        """Plan the tour of a route for a day.

        Args:
            sheet (str): Number of the new tour sheet, not in use yet.
            route_id (str): Id of the route, such as ROUTE-00001.
            driver_id (str): Id of the driver, such as DRIVER-00001.
            on (str): Day of the tour, from today on and within seven days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        route = self.routes.get(route_id)
        if route is None:
            return _refused(f"There is no route {route_id!r}.")
        driver = self.drivers.get(driver_id)
        if driver is None:
            return _refused(f"There is no driver {driver_id!r}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 7):
            return _refused(
                f"Tours are planned from {self.now[:10]} to {_plus_days(self.now[:10], 7)}, not for {on}."
            )
        if self._tours_by_sheet.get(sheet, {}):
            return _refused(f"There is a tour sheet {sheet} already.")
        same = next(
            (t for t in sorted(self._tours_by_route.get(route_id, {}).values(), key=_age) if t["on"] == on),
            None,
        )
        if same is not None:
            return _refused(f"Route {route['name']} has tour {same['sheet']} on {on}.")
        busy = next(
            (t for t in sorted(self._tours_by_driver.get(driver_id, {}).values(), key=_age) if t["on"] == on),
            None,
        )
        if busy is not None:
            return _refused(f"{driver['name']} drives tour {busy['sheet']} on {on}.")
        self._journal = []
        tour: Tour = {
            "id": self._new_id("tour", "TOUR", self.tours),
            "sheet": sheet,
            "route_id": route_id,
            "driver_id": driver_id,
            "on": on,
            "status": "planned",
        }
        self._add("tours", tour)
        if len(self._tours_by_sheet.get(tour["sheet"], {})) > 1:
            return self._take_back(f"There is already a tour with the sheet {tour['sheet']!r}.")
        if self._breaks_rule_4(tour):
            return self._take_back(RULES[3])
        if self._breaks_rule_10_t(tour):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_t_again(tour):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan tour {sheet} of {route['name']} with {driver['name']} on {on} (new: tour {tour['id']})."
            ),
            "data": {"tour_id": tour["id"], **self._changes()},
        }

    def receive_parcel(
        self,
        code: Text,
        recipient: Text,
        sender: Text,
        street: Text,
        district_id: str,
        weight: Annotated[int, {"minimum": 1, "maximum": 30}],
        cod: Annotated[int, {"minimum": 0, "maximum": 50000}] = 0,
    ) -> Result:
        """Take a parcel that has arrived into the depot.

        Args:
            code (str): Code on the label of the parcel, not in use yet.
            recipient (str): Name of the person who gets the parcel.
            sender (str): Name of the company or person who sent the parcel.
            street (str): Street and house number to which it goes.
            district_id (str): Id of the district, such as DISTRICT-00001.
            weight (int): Weight of the parcel, in kilograms, from 1 to 30.
            cod (int): Cash on delivery that the recipient has to pay for the parcel, in cents, from 0 to 50000.
                Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        district = self.districts.get(district_id)
        if district is None:
            return _refused(f"There is no district {district_id!r}.")
        if self._parcels_by_code.get(code, {}):
            return _refused(f"There is a parcel {code} already.")
        self._journal = []
        parcel: Parcel = {
            "id": self._new_id("parcel", "PARCEL", self.parcels),
            "code": code,
            "recipient": recipient,
            "sender": sender,
            "street": street,
            "district_id": district_id,
            "weight": weight,
            "cod": cod,
            "address_ok": True,
            "point_id": None,
            "dropped_on": None,
            "status": "in_depot",
        }
        self._add("parcels", parcel)
        if len(self._parcels_by_code.get(parcel["code"], {})) > 1:
            return self._take_back(f"There is already a parcel with the code {parcel['code']!r}.")
        if self._breaks_rule_6(parcel):
            return self._take_back(RULES[5])
        for one_pickup_point in _distinct([self.pickup_points.get(parcel["point_id"])]):
            if self._breaks_rule_7(one_pickup_point):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(parcel):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(parcel):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take {code} of {sender} in for {recipient} (new: parcel {parcel['id']}).",
            "data": {"parcel_id": parcel["id"], **self._changes()},
        }

    def load_parcels(self, tour_id: str, parcel_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Load parcels from the depot onto a planned tour, in the order of its districts.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.
            parcel_ids (list): Parcels in the depot for the route of the tour, each named once: ids of parcels,
                such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        parcels = []
        for key in parcel_ids:
            if key not in self.parcels:
                return _refused(f"There is no parcel {key!r}.")
            parcels.append(self.parcels[key])
        if tour["status"] != "planned":
            return _refused(f"Tour {tour['sheet']} is {tour['status']}.")
        if not (len(parcels) > 0 and _different([p["id"] for p in parcels])):
            return _refused("Name at least one parcel, and each once.")
        gone = next((p for p in parcels if p["status"] != "in_depot"), None)
        if gone is not None:
            return _refused(f"Parcel {gone['code']} is {gone['status']}, not in the depot.")
        unclear = next((p for p in parcels if not p["address_ok"]), None)
        if unclear is not None:
            return _refused(f"The address of {unclear['code']} is wrong; redirect it first.")
        stray = next((p for p in parcels if self.districts[p["district_id"]]["route_id"] != tour["route_id"]), None)
        if stray is not None:
            return _refused(
                f"{stray['code']} goes to {self.districts[stray['district_id']]['name']} on the route "
                f"{self.routes[self.districts[stray['district_id']]['route_id']]['name']}."
            )
        extra = sum(p["weight"] for p in parcels)
        if self._tour_load(tour) + extra > self.drivers[tour["driver_id"]]["van_kg"]:
            return _refused(
                f"The van of {self.drivers[tour['driver_id']]['name']} can take "
                f"{self.drivers[tour['driver_id']]['van_kg'] - self._tour_load(tour)} kg more, not {extra}."
            )
        if len(self._stops_of(tour)) + len(parcels) > 60:
            return _refused("A tour has 60 stops at most.")
        self._journal = []
        added_stops: list[Any] = []
        changed_parcels: list[Any] = []
        place = len(self._stops_of(tour))
        for p in sorted(parcels, key=lambda p: (self.districts[p["district_id"]]["rank"], p["code"], _age(p))):
            place = place + 1
            if not 1 <= place <= 60:
                return self._take_back("The position of a stop must be between 1 and 60.")
            stop = {
                "id": self._new_id("stop", "STOP", self.stops),
                "tour_id": tour_id,
                "parcel_id": p["id"],
                "position": place,
                "outcome": None,
                "scanned_at": None,
                "cash": 0,
            }
            self._add("stops", stop)
            added_stops.append(stop)
            if p["status"] not in ("in_depot", "loaded"):
                return self._take_back(f"Parcel {p['code']} cannot go from {p['status']} to loaded.")
            changed_parcels.append(p)
            self._put("parcels", p, "status", "loaded")
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_1_s(one_stop):
                return self._take_back(RULES[0])
        for one_stop in _distinct(
            [
                *added_stops,
                *[user for one in changed_parcels for user in self._stops_by_parcel.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_2_s(one_stop):
                return self._take_back(RULES[1])
        for one_stop in _distinct(
            [
                *added_stops,
                *[
                    user
                    for one in [self.tours[one["tour_id"]] for one in added_stops]
                    for user in self._stops_by_tour.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2_s_again(one_stop):
                return self._take_back(RULES[1])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_3_a(one_stop):
                return self._take_back(RULES[2])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_3_b(one_stop):
                return self._take_back(RULES[2])
        for one_tour in _distinct([self.tours[one["tour_id"]] for one in added_stops]):
            if self._breaks_rule_4(one_tour):
                return self._take_back(RULES[3])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_5(one_stop):
                return self._take_back(RULES[4])
        for one_parcel in _distinct([self.parcels[one["parcel_id"]] for one in added_stops]):
            if self._breaks_rule_6(one_parcel):
                return self._take_back(RULES[5])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_11(one_stop):
                return self._take_back(RULES[10])
        for one_stop in _distinct(added_stops):
            if self._breaks_rule_12(one_stop):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: load {', '.join(str(one['code']) for one in parcels)} onto tour {tour['sheet']}.",
            "data": self._changes(),
        }

    def unload_parcel(self, parcel_id: str) -> Result:
        """Take a parcel off a tour that has not left; the stops behind it move up.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        stop = self._open_stop(parcel)
        if stop is None:
            return _refused(f"{parcel['code']} is on no tour.")
        if self.tours[stop["tour_id"]]["status"] != "planned":
            return _refused(
                f"Tour {self.tours[stop['tour_id']]['sheet']} is {self.tours[stop['tour_id']]['status']}."
            )
        self._journal = []
        changed_stops: list[Any] = []
        tour = self.tours[stop["tour_id"]]
        place = stop["position"]
        self._remove("stops", stop)
        for s in [
            s
            for s in sorted(self._stops_by_tour.get(tour["id"], {}).values(), key=_age)
            if s["position"] > place
        ]:
            position = s["position"] - 1
            if not 1 <= position <= 60:
                return self._take_back(f"The position of {s['id']} must be between 1 and 60.")
            changed_stops.append(s)
            if s["id"] in self.stops:
                self._put("stops", s, "position", position)
        if parcel["status"] not in ("in_depot", "loaded", "missed"):
            return self._take_back(f"Parcel {parcel['code']} cannot go from {parcel['status']} to in_depot.")
        self._put("parcels", parcel, "status", "in_depot")
        for one_stop in _distinct(self._stops_by_parcel.get(parcel["id"], {}).values()):
            if one_stop["id"] in self.stops and self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_stop in _distinct(changed_stops):
            if one_stop["id"] in self.stops and self._breaks_rule_2_s(one_stop):
                return self._take_back(RULES[1])
        for one_stop in _distinct([*self._stops_by_tour.get(stop["tour_id"], {}).values(), *changed_stops]):
            if one_stop["id"] in self.stops and self._breaks_rule_2_s_again(one_stop):
                return self._take_back(RULES[1])
        for one_stop in _distinct(changed_stops):
            if one_stop["id"] in self.stops and self._breaks_rule_3_a(one_stop):
                return self._take_back(RULES[2])
        for one_stop in _distinct(changed_stops):
            if one_stop["id"] in self.stops and self._breaks_rule_3_b(one_stop):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.tours[stop["tour_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(self.parcels[stop["parcel_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(parcel):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: unload {parcel['code']}.", "data": self._changes()}

    def start_tour(self, tour_id: str, driver_id: str | None = None) -> Result:
        """Send a planned tour out on its day, with another driver where the planned one is missing.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.
            driver_id (str, optional): Driver without a tour today who takes the place of the planned one; an id
                such as DRIVER-00001. If left out, the planned driver goes out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        driver = self.drivers.get(driver_id) if driver_id is not None else None
        if driver_id is not None and driver is None:
            return _refused(f"There is no driver {driver_id!r}.")
        if tour["status"] != "planned":
            return _refused(f"Tour {tour['sheet']} is {tour['status']}.")
        if tour["on"] != self.now[:10]:
            return _refused(f"Tour {tour['sheet']} is planned for {tour['on']}.")
        if len(self._stops_of(tour)) <= 0:
            return _refused(f"Nothing is loaded onto tour {tour['sheet']}.")
        who = driver or self.drivers[tour["driver_id"]]
        if not (
            who["id"] == tour["driver_id"]
            or not any(t["on"] == self.now[:10] for t in self._tours_by_driver.get(who["id"], {}).values())
        ):
            return _refused(f"{who['name']} has a tour today.")
        if self._tour_load(tour) > who["van_kg"]:
            return _refused(
                f"The van of {who['name']} takes {who['van_kg']} kg and {self._tour_load(tour)} are loaded."
            )
        self._journal = []
        self._put("tours", tour, "driver_id", who["id"])
        self._put("tours", tour, "status", "out")
        if self._breaks_rule_4(tour):
            return self._take_back(RULES[3])
        if self._breaks_rule_10_t_again(tour):
            return self._take_back(RULES[9])
        for one_stop in _distinct(self._stops_by_tour.get(tour["id"], {}).values()):
            if self._breaks_rule_12(one_stop):
                return self._take_back(RULES[11])
        done = f"send tour {tour['sheet']} out"
        if driver is not None:
            done += f" with {driver['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def scan_stop(
        self,
        stop_id: str,
        outcome: Literal["delivered", "nobody_home", "refused", "wrong_address", "not_reached"],
        cash: Annotated[int, {"minimum": 0, "maximum": 50000}] | None = None,
    ) -> Result:
        """Scan the next stop of a tour that is out, with what became of the parcel; after the day of the tour only as
        not reached, which is no attempt.

        Args:
            stop_id (str): Id of the stop, such as STOP-00001.
            outcome (str): What became of the parcel at this stop: delivered, nobody_home, refused, wrong_address
                or not_reached.
            cash (int, optional): Cash taken for a delivered parcel, exactly what it is handed over against, in
                cents, from 0 to 50000. If left out, no cash was taken.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        stop = self.stops.get(stop_id)
        if stop is None:
            return _refused(f"There is no stop {stop_id!r}.")
        if self.tours[stop["tour_id"]]["status"] != "out":
            return _refused(
                f"Tour {self.tours[stop['tour_id']]['sheet']} is {self.tours[stop['tour_id']]['status']}."
            )
        if self.tours[stop["tour_id"]]["on"] > self.now[:10]:
            return _refused(f"Tour {self.tours[stop['tour_id']]['sheet']} is on {self.tours[stop['tour_id']]['on']}.")
        if self.tours[stop["tour_id"]]["on"] != self.now[:10] and outcome != "not_reached":
            return _refused(
                f"Tour {self.tours[stop['tour_id']]['sheet']} was on {self.tours[stop['tour_id']]['on']}, and "
                "what was left then was not reached."
            )
        if stop["outcome"] is not None:
            return _refused("This stop was scanned already.")
        due = self._tour_next_stop(self.tours[stop["tour_id"]])
        if due is not None and due is not stop:
            return _refused(
                f"The next stop of tour {self.tours[stop['tour_id']]['sheet']} is parcel "
                f"{self.parcels[due['parcel_id']]['code']}; scan that first."
            )
        if outcome != "delivered" and cash is not None and cash != 0:
            return _refused("Nothing is cashed where nothing is delivered.")
        if outcome == "delivered" and (cash if cash is not None else 0) != self.parcels[stop["parcel_id"]]["cod"]:
            return _refused(
                f"{self.parcels[stop['parcel_id']]['code']} is handed over against "
                f"{_money(self.parcels[stop['parcel_id']]['cod'])}."
            )
        self._journal = []
        changed_parcels: list[Any] = []
        self._put("stops", stop, "outcome", outcome)
        self._put("stops", stop, "scanned_at", self.now)
        new_cash = cash if cash is not None else 0
        if not 0 <= new_cash <= 50000:
            return self._take_back(f"The cash of {stop['id']} must be between 0.00 and 500.00.")
        self._put("stops", stop, "cash", new_cash)
        if outcome == "delivered":
            parcel = self.parcels[stop["parcel_id"]]
            if parcel["status"] not in ("loaded", "delivered"):
                return self._take_back(f"Parcel {parcel['code']} cannot go from {parcel['status']} to delivered.")
            changed_parcels.append(parcel)
            self._put("parcels", parcel, "status", "delivered")
        else:
            its_parcel = self.parcels[stop["parcel_id"]]
            if its_parcel["status"] not in ("loaded", "missed"):
                return self._take_back(
                    f"Parcel {its_parcel['code']} cannot go from {its_parcel['status']} to missed."
                )
            changed_parcels.append(its_parcel)
            self._put("parcels", its_parcel, "status", "missed")
            if outcome == "wrong_address":
                its_parcel_2 = self.parcels[stop["parcel_id"]]
                self._put("parcels", its_parcel_2, "address_ok", False)
        if self._breaks_rule_1_s(stop):
            return self._take_back(RULES[0])
        for one_stop in _distinct(
            [stop, *[user for one in changed_parcels for user in self._stops_by_parcel.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        if self._breaks_rule_3_a(stop):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(stop):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(stop):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.parcels[stop["parcel_id"]]):
            return self._take_back(RULES[5])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(stop):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(stop):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: scan {self.parcels[stop['parcel_id']]['code']} as {outcome}.",
            "data": self._changes(),
        }

    def drop_at_point(self, parcel_id: str, point_id: str) -> Result:
        """Leave a parcel whose recipient was not at home at a pick-up point of the route.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.
            point_id (str): Pick-up point of the same route, with a free shelf; an id such as PP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        point = self.pickup_points.get(point_id)
        if point is None:
            return _refused(f"There is no pickup point {point_id!r}.")
        if parcel["status"] != "missed":
            return _refused(f"{parcel['code']} is {parcel['status']}.")
        if self._stops_by_parcel_outcome.get((parcel_id, "refused"), {}):
            return _refused(f"{parcel['code']} was refused and goes back to the sender.")
        if any(
            self.tours[s["tour_id"]]["status"] == "out"
            for s in self._stops_by_parcel_outcome.get((parcel_id, "not_reached"), {}).values()
        ):
            return _refused(
                f"The driver never reached the door of {parcel['code']}, so it comes back for another tour."
            )
        if not parcel["address_ok"]:
            return _refused(f"The address of {parcel['code']} is wrong, so nobody could be told.")
        if self.districts[point["district_id"]]["route_id"] != self.districts[parcel["district_id"]]["route_id"]:
            return _refused(
                f"{point['name']} lies on the route "
                f"{self.routes[self.districts[point['district_id']]['route_id']]['name']}, not on "
                f"{self.routes[self.districts[parcel['district_id']]['route_id']]['name']}."
            )
        if parcel["weight"] > 15:
            return _refused(f"{parcel['code']} weighs {parcel['weight']} kg; pick-up points take 15.")
        if parcel["cod"] != 0:
            return _refused(
                f"{parcel['code']} has {_money(parcel['cod'])} to be paid, which pick-up points do not take."
            )
        if self._pickup_point_held(point) >= point["shelves"]:
            return _refused(f"{point['name']} is full with {self._pickup_point_held(point)} parcels.")
        self._journal = []
        former_point_id = parcel["point_id"]
        self._put("parcels", parcel, "point_id", point_id)
        self._put("parcels", parcel, "dropped_on", self.now[:10])
        self._put("parcels", parcel, "status", "at_point")
        for one_stop in _distinct(self._stops_by_parcel.get(parcel["id"], {}).values()):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_pickup_point in _distinct(
            [self.pickup_points.get(parcel["point_id"]), self.pickup_points.get(former_point_id)]
        ):
            if self._breaks_rule_7(one_pickup_point):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(parcel):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(parcel):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: leave {parcel['code']} at {point['name']}.",
            "data": self._changes(),
        }

    def close_tour(self, tour_id: str, cash: Annotated[int, {"minimum": 0, "maximum": 1000000}]) -> Result:
        """Close a tour with the cash that was handed in; what was missed returns to the depot, and to the sender
        after refusal or three attempts.

        Args:
            tour_id (str): Id of the tour, such as TOUR-00001.
            cash (int): Cash that the driver hands in, equal to what was taken on the tour, in cents, from 0 to
                1000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.tours.get(tour_id)
        if tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        if tour["status"] != "out":
            return _refused(f"Tour {tour['sheet']} is {tour['status']}.")
        if tour["on"] > self.now[:10]:
            return _refused(f"Tour {tour['sheet']} is on {tour['on']}.")
        due = self._tour_next_stop(tour)
        if due is not None:
            return _refused(
                f"Parcel {self.parcels[due['parcel_id']]['code']} of tour {tour['sheet']} was not scanned."
            )
        if cash != self._tour_cash(tour):
            return _refused(
                f"{self.drivers[tour['driver_id']]['name']} took {_money(self._tour_cash(tour))} on the tour, not "
                f"{_money(cash)}."
            )
        self._journal = []
        changed_parcels: list[Any] = []
        for s in [
            s
            for s in sorted(self._stops_by_tour.get(tour_id, {}).values(), key=_age)
            if self.parcels[s["parcel_id"]]["status"] == "missed"
        ]:
            if s["outcome"] == "refused" or self._parcel_failed(self.parcels[s["parcel_id"]]) >= 3:
                parcel = self.parcels[s["parcel_id"]]
                if parcel["status"] not in ("missed", "at_point", "returning"):
                    return self._take_back(f"Parcel {parcel['code']} cannot go from {parcel['status']} to returning.")
                changed_parcels.append(parcel)
                self._put("parcels", parcel, "status", "returning")
            else:
                its_parcel = self.parcels[s["parcel_id"]]
                if its_parcel["status"] not in ("in_depot", "loaded", "missed"):
                    return self._take_back(
                        f"Parcel {its_parcel['code']} cannot go from {its_parcel['status']} to in_depot."
                    )
                changed_parcels.append(its_parcel)
                self._put("parcels", its_parcel, "status", "in_depot")
        self._put("tours", tour, "status", "back")
        for one_stop in _distinct(
            [user for one in changed_parcels for user in self._stops_by_parcel.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        for one_stop in _distinct(self._stops_by_tour.get(tour["id"], {}).values()):
            if self._breaks_rule_12(one_stop):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: close tour {tour['sheet']} with {_money(cash)}.",
            "data": self._changes(),
        }

    def redirect_parcel(self, parcel_id: str, street: Text, district_id: str) -> Result:
        """Give a parcel in the depot another address.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.
            street (str): New street and house number to which the parcel goes.
            district_id (str): Id of the district, such as DISTRICT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        district = self.districts.get(district_id)
        if district is None:
            return _refused(f"There is no district {district_id!r}.")
        if parcel["status"] != "in_depot":
            return _refused(f"{parcel['code']} is {parcel['status']}; only parcels in the depot are redirected.")
        if parcel["street"] == street and parcel["district_id"] == district_id:
            return _refused(f"{parcel['code']} goes there already.")
        self._journal = []
        self._put("parcels", parcel, "street", street)
        self._put("parcels", parcel, "district_id", district_id)
        self._put("parcels", parcel, "address_ok", True)
        for one_stop in _distinct(self._stops_by_parcel.get(parcel["id"], {}).values()):
            if self._breaks_rule_5(one_stop):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: redirect {parcel['code']} to {street} in {district['name']}.",
            "data": self._changes(),
        }

    def collect_parcel(self, parcel_id: str) -> Result:
        """Hand a parcel over at its pick-up point.

        Args:
            parcel_id (str): Id of the parcel, such as PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return _refused(f"There is no parcel {parcel_id!r}.")
        if parcel["status"] != "at_point":
            return _refused(f"{parcel['code']} is {parcel['status']}, not at a pick-up point.")
        self._journal = []
        former_point_id = parcel["point_id"]
        self._put("parcels", parcel, "point_id", None)
        self._put("parcels", parcel, "dropped_on", None)
        self._put("parcels", parcel, "status", "collected")
        for one_stop in _distinct(self._stops_by_parcel.get(parcel["id"], {}).values()):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_pickup_point in _distinct(
            [self.pickup_points.get(parcel["point_id"]), self.pickup_points.get(former_point_id)]
        ):
            if self._breaks_rule_7(one_pickup_point):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(parcel):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(parcel):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: hand {parcel['code']} over.", "data": self._changes()}

    def clear_point(self, point_id: str) -> Result:
        """Fetch back what has lain at a pick-up point for more than seven days.

        Args:
            point_id (str): Pick-up point from which overdue parcels are fetched; an id such as PP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        point = self.pickup_points.get(point_id)
        if point is None:
            return _refused(f"There is no pickup point {point_id!r}.")
        if not any(self._overdue(p, self.now[:10]) for p in self._parcels_by_point.get(point_id, {}).values()):
            return _refused(f"Nothing at {point['name']} is overdue.")
        self._journal = []
        changed_parcels: list[Any] = []
        former_point_ids: list[Any] = []
        changed_parcels_2: list[Any] = []
        changed_parcels_3: list[Any] = []
        for p in [
            p
            for p in sorted(self._parcels_by_point.get(point_id, {}).values(), key=_age)
            if self._overdue(p, self.now[:10])
        ]:
            changed_parcels.append(p)
            former_point_ids.append(p["point_id"])
            self._put("parcels", p, "point_id", None)
            changed_parcels_2.append(p)
            self._put("parcels", p, "dropped_on", None)
            if p["status"] not in ("missed", "at_point", "returning"):
                return self._take_back(f"Parcel {p['code']} cannot go from {p['status']} to returning.")
            changed_parcels_3.append(p)
            self._put("parcels", p, "status", "returning")
        for one_stop in _distinct(
            [user for one in changed_parcels_3 for user in self._stops_by_parcel.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_pickup_point in _distinct(
            [
                *[self.pickup_points.get(one["point_id"]) for one in changed_parcels],
                *[self.pickup_points.get(key) for key in former_point_ids],
            ]
        ):
            if self._breaks_rule_7(one_pickup_point):
                return self._take_back(RULES[6])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_8(one_parcel):
                return self._take_back(RULES[7])
        for one_parcel in _distinct([*changed_parcels, *changed_parcels_2, *changed_parcels_3]):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: fetch overdue parcels back from {point['name']}.",
            "data": self._changes(),
        }

    def ship_returns(self, parcel_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Send returning parcels back to their sender, all of one sender at a time.

        Args:
            parcel_ids (list): Returning parcels of a single sender, each named once: ids of parcels, such as
                PARCEL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parcels = []
        for key in parcel_ids:
            if key not in self.parcels:
                return _refused(f"There is no parcel {key!r}.")
            parcels.append(self.parcels[key])
        if not (len(parcels) > 0 and _different([p["id"] for p in parcels])):
            return _refused("Name at least one parcel, and each once.")
        other = next((p for p in parcels if p["status"] != "returning"), None)
        if other is not None:
            return _refused(f"{other['code']} is {other['status']}, not returning.")
        mixed = next((q for p in parcels for q in parcels if p["sender"] != q["sender"]), None)
        if mixed is not None:
            return _refused(f"A return goes to one sender, and {mixed['code']} is from {mixed['sender']}.")
        self._journal = []
        changed_parcels: list[Any] = []
        for p in list(parcels):
            if p["status"] not in ("returning", "sent_back"):
                return self._take_back(f"Parcel {p['code']} cannot go from {p['status']} to sent_back.")
            changed_parcels.append(p)
            self._put("parcels", p, "status", "sent_back")
        for one_stop in _distinct(
            [user for one in changed_parcels for user in self._stops_by_parcel.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_s_again(one_stop):
                return self._take_back(RULES[0])
        for one_parcel in _distinct(changed_parcels):
            if self._breaks_rule_9(one_parcel):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: send {', '.join(str(one['code']) for one in parcels)} back.",
            "data": self._changes(),
        }

    def _show_route(self, route: Route) -> dict[str, Any]:
        """The route as an answer shows it."""
        return {**route, "waiting": self._route_waiting(route)}

    def _show_pickup_point(self, pickup_point: PickupPoint) -> dict[str, Any]:
        """The pickup point as an answer shows it."""
        return {**pickup_point, "held": self._pickup_point_held(pickup_point)}

    def _show_tour(self, tour: Tour) -> dict[str, Any]:
        """The tour as an answer shows it."""
        return {
            **tour,
            "load": self._tour_load(tour),
            "cash": self._tour_cash(tour),
            "next_stop_id": _id_of(self._tour_next_stop(tour)),
        }

    def _show_parcel(self, parcel: Parcel) -> dict[str, Any]:
        """The parcel as an answer shows it."""
        return {**parcel, "failed": self._parcel_failed(parcel)}

    def _names_of_districts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that districts point to."""
        return _names((self.routes, "name", [row["route_id"] for row in shown]))

    def _names_of_pickup_points(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pickup points point to."""
        return _names((self.districts, "name", [row["district_id"] for row in shown]))

    def _names_of_tours(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tours point to."""
        return _names(
            (self.routes, "name", [row["route_id"] for row in shown]),
            (self.drivers, "name", [row["driver_id"] for row in shown]),
        )

    def _names_of_parcels(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parcels point to."""
        return _names(
            (self.districts, "name", [row["district_id"] for row in shown]),
            (self.pickup_points, "name", [row["point_id"] for row in shown]),
        )

    def _names_of_stops(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stops point to."""
        return _names(
            (self.tours, "sheet", [row["tour_id"] for row in shown]),
            (self.parcels, "code", [row["parcel_id"] for row in shown]),
        )

    def _route_waiting(self, route: Route) -> int:
        """The waiting of a route."""
        return sum(
            1
            for d in self._districts_by_route.get(route["id"], {}).values()
            for p in self._parcels_by_district_status.get((d["id"], "in_depot"), {}).values()
        )

    def _pickup_point_held(self, pickup_point: PickupPoint) -> int:
        """The held of a pickup point."""
        return len(self._parcels_by_point.get(pickup_point["id"], {}))

    def _tour_load(self, tour: Tour) -> int:
        """The load of a tour."""
        return sum(self.parcels[s["parcel_id"]]["weight"] for s in self._stops_by_tour.get(tour["id"], {}).values())

    def _tour_cash(self, tour: Tour) -> int:
        """The cash of a tour."""
        return sum(s["cash"] for s in self._stops_by_tour.get(tour["id"], {}).values())

    def _tour_next_stop(self, tour: Tour) -> Stop | None:
        """The next stop of a tour."""
        return min(
            (s for s in self._stops_by_tour.get(tour["id"], {}).values() if s["outcome"] is None),
            key=lambda s: (s["position"], _age(s)),
            default=None,
        )

    def _parcel_failed(self, parcel: Parcel) -> int:
        """The failed of a parcel."""
        return sum(
            1
            for s in self._stops_by_parcel.get(parcel["id"], {}).values()
            if s["outcome"] is not None
            and s["outcome"] not in ("delivered", "not_reached")
        )

    def _open_stop(self, p: Parcel) -> Stop | None:
        return next(
            (s for s in sorted(self._stops_by_parcel.get(p["id"], {}).values(), key=_age) if s["outcome"] is None),
            None,
        )

    def _stops_of(self, t: Tour) -> list[Stop]:
        return sorted(self._stops_by_tour.get(t["id"], {}).values(), key=_age)

    def _for_point(self, p: Parcel) -> bool:
        return p["weight"] <= 15 and p["cod"] == 0

    def _overdue(self, p: Parcel, d: str) -> bool:
        return p["status"] == "at_point" and p["dropped_on"] is not None and _plus_days(p["dropped_on"], 7) < d

    def _ready(self, p: Parcel, r: Route) -> bool:
        return (
            p["status"] == "in_depot"
            and p["address_ok"]
            and self.districts[p["district_id"]]["route_id"] == r["id"]
        )

    def _breaks_rule_1_s(self, s: Stop) -> bool:
        """Whether this is broken: a parcel waits on one stop at most, and is loaded as long as it does."""
        return (
            s["outcome"] is None
            and any(
                other_s is not s
                for other_s in self._stops_by_parcel.get(s["parcel_id"], {}).values()
                if other_s["outcome"] is None
            )
        )

    def _breaks_rule_1_s_again(self, s: Stop) -> bool:
        """Whether this is broken: a parcel waits on one stop at most, and is loaded as long as it does."""
        return s["outcome"] is None and self.parcels[s["parcel_id"]]["status"] != "loaded"

    def _breaks_rule_2_s(self, s: Stop) -> bool:
        """Whether this is broken: the stops of a tour are numbered without gaps."""
        return any(
            other_s is not s
            for other_s in self._stops_by_tour.get(s["tour_id"], {}).values()
            if other_s["position"] == s["position"]
        )

    def _breaks_rule_2_s_again(self, s: Stop) -> bool:
        """Whether this is broken: the stops of a tour are numbered without gaps."""
        return s["position"] > len(self._stops_of(self.tours[s["tour_id"]]))

    def _breaks_rule_3_a(self, a: Stop) -> bool:
        """Whether this is broken: stops are scanned in their order."""
        return any(
            a["outcome"] is None
            and b["outcome"] is not None
            for b in self._stops_by_tour.get(a["tour_id"], {}).values()
            if a["position"] < b["position"]
        )

    def _breaks_rule_3_b(self, b: Stop) -> bool:
        """Whether this is broken: stops are scanned in their order."""
        return any(
            a["outcome"] is None
            and b["outcome"] is not None
            for a in self._stops_by_tour.get(b["tour_id"], {}).values()
            if a["position"] < b["position"]
        )

    def _breaks_rule_4(self, t: Tour) -> bool:
        """Whether this is broken: a van carries no more than it may."""
        return self._tour_load(t) > self.drivers[t["driver_id"]]["van_kg"]

    def _breaks_rule_5(self, s: Stop) -> bool:
        """Whether this is broken: a parcel travels on the route of its district."""
        return (
            s["outcome"] is None
            and self.districts[
                self.parcels[s["parcel_id"]]["district_id"]
            ]["route_id"] != self.tours[s["tour_id"]]["route_id"]
        )

    def _breaks_rule_6(self, p: Parcel) -> bool:
        """Whether this is broken: a delivery is tried three times at most."""
        return self._parcel_failed(p) > 3

    def _breaks_rule_7(self, k: PickupPoint) -> bool:
        """Whether this is broken: a pick-up point holds no more parcels than it has shelves."""
        return self._pickup_point_held(k) > k["shelves"]

    def _breaks_rule_8(self, p: Parcel) -> bool:
        """Whether this is broken: pick-up points hold neither parcels above 15 kg nor cash on delivery."""
        return not (p["point_id"] is None or self._for_point(p))

    def _breaks_rule_9(self, p: Parcel) -> bool:
        """Whether this is broken: a parcel lies at a pick-up point since some day, or at none."""
        return (
            (p["status"] == "at_point") != (p["point_id"] is not None)
            or (p["point_id"] is None) != (p["dropped_on"] is None)
        )

    def _breaks_rule_10_t(self, t: Tour) -> bool:
        """Whether this is broken: a route has one tour a day, and so has a driver."""
        return any(
            other_t is not t
            for other_t in self._tours_by_route.get(t["route_id"], {}).values()
            if other_t["on"] == t["on"]
        )

    def _breaks_rule_10_t_again(self, t: Tour) -> bool:
        """Whether this is broken: a route has one tour a day, and so has a driver."""
        return any(
            other_t is not t
            for other_t in self._tours_by_driver.get(t["driver_id"], {}).values()
            if other_t["on"] == t["on"]
        )

    def _breaks_rule_11(self, s: Stop) -> bool:
        """Whether this is broken: a parcel is handed over against exactly its cash on delivery."""
        return s["cash"] != (self.parcels[s["parcel_id"]]["cod"] if s["outcome"] == "delivered" else 0)

    def _breaks_rule_12(self, s: Stop) -> bool:
        """Whether this is broken: a tour is back only when each of its stops was scanned."""
        return s["outcome"] is None and self.tours[s["tour_id"]]["status"] == "back"

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
            case "districts":
                self._districts_by_route.setdefault(record["route_id"], {})[record["id"]] = record
            case "pickup_points":
                self._pickup_points_by_district.setdefault(record["district_id"], {})[record["id"]] = record
            case "tours":
                self._tours_by_driver.setdefault(record["driver_id"], {})[record["id"]] = record
                self._tours_by_route.setdefault(record["route_id"], {})[record["id"]] = record
                self._tours_by_sheet.setdefault(record["sheet"], {})[record["id"]] = record
            case "parcels":
                self._parcels_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._parcels_by_district_status.setdefault(
                    (record["district_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._parcels_by_point.setdefault(record["point_id"], {})[record["id"]] = record
            case "stops":
                self._stops_by_parcel.setdefault(record["parcel_id"], {})[record["id"]] = record
                self._stops_by_parcel_outcome.setdefault(
                    (record["parcel_id"], record["outcome"]),
                    {},
                )[record["id"]] = record
                self._stops_by_tour.setdefault(record["tour_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "districts":
                del self._districts_by_route[record["route_id"]][record["id"]]
            case "pickup_points":
                del self._pickup_points_by_district[record["district_id"]][record["id"]]
            case "tours":
                del self._tours_by_driver[record["driver_id"]][record["id"]]
                del self._tours_by_route[record["route_id"]][record["id"]]
                del self._tours_by_sheet[record["sheet"]][record["id"]]
            case "parcels":
                del self._parcels_by_code[record["code"]][record["id"]]
                del self._parcels_by_district_status[record["district_id"], record["status"]][record["id"]]
                del self._parcels_by_point[record["point_id"]][record["id"]]
            case "stops":
                del self._stops_by_parcel[record["parcel_id"]][record["id"]]
                del self._stops_by_parcel_outcome[record["parcel_id"], record["outcome"]][record["id"]]
                del self._stops_by_tour[record["tour_id"]][record["id"]]
