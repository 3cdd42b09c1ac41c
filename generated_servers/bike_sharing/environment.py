"""Bike sharing. Compiled from blueprint.yaml; run `envscaler build bike_sharing` after changing it there.

Runs the shared bikes of a city, with stations of limited docks, rides that use up the free minutes of passes,
vans that move bikes about, reported faults, the workshop, and stations that close.
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
    "A station never holds more bikes than it has docks.",
    "A van never carries more bikes than it has racks.",
    "A docked bike is at a station, one aboard is in a van, and a ridden one is in neither.",
    "A rider has one ride at a time, and so has a bike.",
    "A bike with an open ride is on the road.",
    "A closed station holds no bikes.",
    "The passes of a rider never overlap.",
    "A pass has no more minutes left than its plan gives.",
    "Only a finished ride has a goal, and no ride has more free minutes than it lasted.",
    "A part of a bike is reported only once until it is fixed.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "sell_pass",
    "top_up",
    "unlock_bike",
    "return_bike",
    "report_fault",
    "repair_bike",
    "load_van",
    "drive_van",
    "unload_van",
    "close_station",
    "reopen_station",
)
"""The methods that may change something; all others only read."""

BIKE_STATUS_MOVES = {
    ("docked", "ridden"),
    ("docked", "aboard"),
    ("ridden", "docked"),
    ("ridden", "lost"),
    ("aboard", "docked"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "stations": ("name",),
    "bikes": ("number",),
    "vans": ("name",),
    "plans": ("name",),
    "riders": ("name",),
    "passes": (),
    "rides": (),
    "faults": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bikes", "station_id"),
    ("bikes", "van_id"),
    ("faults", "bike_id"),
    ("faults", "part"),
    ("passes", "rider_id"),
    ("rides", "bike_id"),
    ("rides", "rider_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Station(TypedDict):
    id: str
    name: str
    zone: Literal["centre", "harbour", "campus", "hills"]
    workshop: bool
    docks: int
    closed_for: str | None


class Bike(TypedDict):
    id: str
    number: str
    station_id: str | None
    van_id: str | None
    status: Literal["docked", "ridden", "aboard", "lost"]


class Van(TypedDict):
    id: str
    name: str
    racks: int
    station_id: str


class Plan(TypedDict):
    id: str
    name: str
    price: int
    days: int
    minutes: int
    per_minute: int


class Rider(TypedDict):
    id: str
    name: str
    balance: int


class Pass(TypedDict):
    id: str
    rider_id: str
    plan_id: str
    starts: str
    ends: str
    left: int


class Ride(TypedDict):
    id: str
    rider_id: str
    bike_id: str
    started_at: str
    ended_at: str | None
    goal_id: str | None
    free_minutes: int
    fee: int


class Fault(TypedDict):
    id: str
    bike_id: str
    part: Literal["brake", "chain", "tyre", "light", "saddle", "lock"]
    severe: bool
    found_on: str
    fixed: bool


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class BikeSharing:
    """Runs the shared bikes of a city, with stations of limited docks, rides that use up the free minutes
    of passes, vans that move bikes about, reported faults, the workshop, and stations that close.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.bikes: dict[str, Bike] = _copied(config.get("bikes", {}))
        self.vans: dict[str, Van] = _copied(config.get("vans", {}))
        self.plans: dict[str, Plan] = _copied(config.get("plans", {}))
        self.riders: dict[str, Rider] = _copied(config.get("riders", {}))
        self.passes: dict[str, Pass] = _copied(config.get("passes", {}))
        self.rides: dict[str, Ride] = _copied(config.get("rides", {}))
        self.faults: dict[str, Fault] = _copied(config.get("faults", {}))
        self.now: str = config.get("now", "2026-09-03T10:15")
        self.counters: dict[str, int] = {
            "station": len(self.stations),
            "bike": len(self.bikes),
            "van": len(self.vans),
            "plan": len(self.plans),
            "rider": len(self.riders),
            "pass": len(self.passes),
            "ride": len(self.rides),
            "fault": len(self.faults),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._bikes_by_station: dict[Any, dict[str, Bike]] = {}
        self._bikes_by_van: dict[Any, dict[str, Bike]] = {}
        self._passes_by_rider: dict[Any, dict[str, Pass]] = {}
        self._rides_by_bike: dict[Any, dict[str, Ride]] = {}
        self._rides_by_rider: dict[Any, dict[str, Ride]] = {}
        self._faults_by_bike: dict[Any, dict[str, Fault]] = {}
        self._faults_by_bike_part: dict[Any, dict[str, Fault]] = {}
        for bike in self.bikes.values():
            self._link("bikes", bike)
        for one_pass in self.passes.values():
            self._link("passes", one_pass)
        for ride in self.rides.values():
            self._link("rides", ride)
        for fault in self.faults.values():
            self._link("faults", fault)

    def bikes_at(self, station_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The bikes at a station, those that can be given out first.

        Args:
            station_id (str): Id of the station, such as STATION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bikes": records}} or {"success": False, "error": why
                not}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        found = [b for b in self._bikes_by_station.get(station_id, {}).values()]
        found.sort(key=lambda b: (self._bike_unsafe(b), b["number"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bikes": [
                    {
                        "id": b["id"],
                        "number": b["number"],
                        "rentable": self._rentable(b),
                        "open_faults": self._open_faults(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def docks_in(
        self,
        zone: Literal["centre", "harbour", "campus", "hills"],
        docks: Annotated[int, {"minimum": 1, "maximum": 30}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Stations of a zone with free docks, most first.

        Args:
            zone (str): Zone of the city in which docks are wanted: centre, harbour, campus or hills.
            docks (int, optional): Least number of free docks at the stations listed, from 1 to 30. If left out,
                stations with any free dock are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}} or {"success": False, "error": why
                not}
        """
        found = [
            s
            for s in self.stations.values()
            if (s["zone"] == zone and s["closed_for"] is None and self._station_free(s) > 0)
            and (docks is None or self._station_free(s) >= docks)
        ]
        found.sort(key=lambda s: (-self._station_free(s), s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "stations": [
                    {"id": s["id"], "name": s["name"], "free": self._station_free(s), "bikes": self._station_bikes(s)}
                    for s in _page(found, offset)
                ],
            }
        )

    def out_longest(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Riders who are on the road, those who set out first before the others.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rides": records}} or {"success": False, "error": why
                not}
        """
        found = [x for x in self.rides.values() if x["ended_at"] is None]
        found.sort(key=lambda x: (x["started_at"], x["id"], _age(x)))
        return _found(
            {
                "total": len(found),
                "rides": [
                    {
                        "id": x["id"],
                        "rider": self.riders[x["rider_id"]]["name"],
                        "bike": self.bikes[x["bike_id"]]["number"],
                        "started_at": x["started_at"],
                        "minutes_left": max(
                            (
                                p["left"]
                                for p in self._passes_by_rider.get(x["rider_id"], {}).values()
                                if (p["starts"] <= self.now[:10] and self.now[:10] <= p["ends"])
                            ),
                            default=None,
                        ),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_stations(
        self,
        name: Text | None = None,
        zone: Literal["centre", "harbour", "campus", "hills"] | None = None,
        workshop: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stations whose name contains this text.
            zone (str, optional): Only stations with this zone.
            workshop (bool, optional): Only stations with this value of `workshop`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (name is None or name.casefold() in station["name"].casefold())
            and (zone is None or station["zone"] == zone)
            and (workshop is None or station["workshop"] == workshop)
        ]
        return _found(
            {"total": len(found), "stations": [self._show_station(station) for station in _page(found, offset)]}
        )

    def list_bikes(
        self,
        number: Text | None = None,
        station_id: str | None = None,
        van_id: str | None = None,
        status: Literal["docked", "ridden", "aboard", "lost"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bikes, oldest first, all of them or only some.

        Args:
            number (str, optional): Only bikes whose number contains this text.
            station_id (str, optional): Only bikes of this station.
            van_id (str, optional): Only bikes of this van.
            status (str, optional): Only bikes with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bikes": records}}
        """
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        if van_id is not None and van_id not in self.vans:
            return _refused(f"There is no van {van_id!r}.")
        found = [
            bike
            for bike in self.bikes.values()
            if (number is None or number.casefold() in bike["number"].casefold())
            and (station_id is None or bike["station_id"] == station_id)
            and (van_id is None or bike["van_id"] == van_id)
            and (status is None or bike["status"] == status)
        ]
        shown = [self._show_bike(bike) for bike in _page(found, offset)]
        return _found({"total": len(found), "bikes": shown}, self._names_of_bikes(shown))

    def list_vans(
        self,
        name: Text | None = None,
        station_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the vans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only vans whose name contains this text.
            station_id (str, optional): Only vans of this station.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "vans": records}}
        """
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            van
            for van in self.vans.values()
            if (name is None or name.casefold() in van["name"].casefold())
            and (station_id is None or van["station_id"] == station_id)
        ]
        shown = [self._show_van(van) for van in _page(found, offset)]
        return _found({"total": len(found), "vans": shown}, self._names_of_vans(shown))

    def list_plans(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plans, oldest first, all of them or only some.

        Args:
            name (str, optional): Only plans whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plans": records}}
        """
        found = [plan for plan in self.plans.values() if (name is None or name.casefold() in plan["name"].casefold())]
        return _found({"total": len(found), "plans": [{**plan} for plan in _page(found, offset)]})

    def list_riders(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the riders, oldest first, all of them or only some.

        Args:
            name (str, optional): Only riders whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "riders": records}}
        """
        found = [
            rider
            for rider in self.riders.values()
            if (name is None or name.casefold() in rider["name"].casefold())
        ]
        return _found({"total": len(found), "riders": [{**rider} for rider in _page(found, offset)]})

    def list_passes(
        self,
        rider_id: str | None = None,
        plan_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the passes, oldest first, all of them or only some.

        Args:
            rider_id (str, optional): Only passes of this rider.
            plan_id (str, optional): Only passes of this plan.
            starts_from (str, optional): Only passes whose `starts` is on this day or later.
            starts_to (str, optional): Only passes whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "passes": records}}
        """
        if rider_id is not None and rider_id not in self.riders:
            return _refused(f"There is no rider {rider_id!r}.")
        if plan_id is not None and plan_id not in self.plans:
            return _refused(f"There is no plan {plan_id!r}.")
        found = [
            one_pass
            for one_pass in self.passes.values()
            if (rider_id is None or one_pass["rider_id"] == rider_id)
            and (plan_id is None or one_pass["plan_id"] == plan_id)
            and (starts_from is None or one_pass["starts"] >= starts_from)
            and (starts_to is None or one_pass["starts"] <= starts_to)
        ]
        shown = [{**one_pass} for one_pass in _page(found, offset)]
        return _found({"total": len(found), "passes": shown}, self._names_of_passes(shown))

    def list_rides(
        self,
        rider_id: str | None = None,
        bike_id: str | None = None,
        goal_id: str | None = None,
        started_at_from: Date | None = None,
        started_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rides, oldest first, all of them or only some.

        Args:
            rider_id (str, optional): Only rides of this rider.
            bike_id (str, optional): Only rides of this bike.
            goal_id (str, optional): Only rides whose goal is this station.
            started_at_from (str, optional): Only rides whose `started_at` is on this day or later.
            started_at_to (str, optional): Only rides whose `started_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rides": records}}
        """
        if rider_id is not None and rider_id not in self.riders:
            return _refused(f"There is no rider {rider_id!r}.")
        if bike_id is not None and bike_id not in self.bikes:
            return _refused(f"There is no bike {bike_id!r}.")
        if goal_id is not None and goal_id not in self.stations:
            return _refused(f"There is no station {goal_id!r}.")
        found = [
            ride
            for ride in self.rides.values()
            if (rider_id is None or ride["rider_id"] == rider_id)
            and (bike_id is None or ride["bike_id"] == bike_id)
            and (goal_id is None or ride["goal_id"] == goal_id)
            and (started_at_from is None or ride["started_at"][:10] >= started_at_from)
            and (started_at_to is None or ride["started_at"][:10] <= started_at_to)
        ]
        shown = [{**ride} for ride in _page(found, offset)]
        return _found({"total": len(found), "rides": shown}, self._names_of_rides(shown))

    def list_faults(
        self,
        bike_id: str | None = None,
        part: Literal["brake", "chain", "tyre", "light", "saddle", "lock"] | None = None,
        severe: bool | None = None,
        fixed: bool | None = None,
        found_on_from: Date | None = None,
        found_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the faults, oldest first, all of them or only some.

        Args:
            bike_id (str, optional): Only faults of this bike.
            part (str, optional): Only faults with this part.
            severe (bool, optional): Only faults that are severe (true) or not (false).
            fixed (bool, optional): Only faults that are fixed (true) or not (false).
            found_on_from (str, optional): Only faults whose `found_on` is on this day or later.
            found_on_to (str, optional): Only faults whose `found_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "faults": records}}
        """
        if bike_id is not None and bike_id not in self.bikes:
            return _refused(f"There is no bike {bike_id!r}.")
        found = [
            fault
            for fault in self.faults.values()
            if (bike_id is None or fault["bike_id"] == bike_id)
            and (part is None or fault["part"] == part)
            and (severe is None or fault["severe"] == severe)
            and (fixed is None or fault["fixed"] == fixed)
            and (found_on_from is None or fault["found_on"] >= found_on_from)
            and (found_on_to is None or fault["found_on"] <= found_on_to)
        ]
        shown = [{**fault} for fault in _page(found, offset)]
        return _found({"total": len(found), "faults": shown}, self._names_of_faults(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def sell_pass(self, rider_id: str, plan_id: str, starts: Date) -> Result:
        """Sell a rider a pass, paid from the balance.

        Args:
            rider_id (str): Id of the rider, such as RIDER-00001.
            plan_id (str): Id of the plan, such as PLAN-00001.
            starts (str): First day of the pass, from today on and within 400 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        plan = self.plans.get(plan_id)
        if plan is None:
            return _refused(f"There is no plan {plan_id!r}.")
        if self.now[:10] > starts or starts > _plus_days(self.now[:10], 400):
            return _refused("A pass begins today or later, within 400 days.")
        other = next(
            (
                p
                for p in sorted(self._passes_by_rider.get(rider_id, {}).values(), key=_age)
                if (p["ends"] >= starts and _plus_days(_plus_days(starts, plan["days"]), -1) >= p["starts"])
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{rider['name']} has the pass {self.plans[other['plan_id']]['name']} from {other['starts']} to "
                f"{other['ends']}."
            )
        if rider["balance"] < plan["price"]:
            return _refused(
                f"{rider['name']} has {_money(rider['balance'])} and {plan['name']} costs "
                f"{_money(plan['price'])}; top up first."
            )
        self._journal = []
        balance = rider["balance"] - plan["price"]
        if not -100000 <= balance <= 100000:
            return self._take_back(f"The balance of {rider['name']} must be between -1,000.00 and 1,000.00.")
        self._put("riders", rider, "balance", balance)
        new_pass: Pass = {
            "id": self._new_id("pass", "PASS", self.passes),
            "rider_id": rider_id,
            "plan_id": plan_id,
            "starts": starts,
            "ends": _plus_days(_plus_days(starts, plan["days"]), -1),
            "left": plan["minutes"],
        }
        self._add("passes", new_pass)
        if self._breaks_rule_7(new_pass):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(new_pass):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: sell {rider['name']} the pass {plan['name']} from {starts} (new: pass {new_pass['id']})."
            ),
            "data": {"pass_id": new_pass["id"], **self._changes()},
        }

    def top_up(self, rider_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 50000}]) -> Result:
        """Add money to the balance of a rider.

        Args:
            rider_id (str): Id of the rider, such as RIDER-00001.
            amount (int): Money added to the balance of the rider, in cents, from 1 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        if rider["balance"] + amount > 100000:
            return _refused("A balance holds 1,000.00 at most.")
        self._journal = []
        balance = rider["balance"] + amount
        if not -100000 <= balance <= 100000:
            return self._take_back(f"The balance of {rider['name']} must be between -1,000.00 and 1,000.00.")
        self._put("riders", rider, "balance", balance)
        return {
            "success": True,
            "message": f"Done: top {rider['name']} up by {_money(amount)}.",
            "data": self._changes(),
        }

    def unlock_bike(self, rider_id: str, bike_id: str) -> Result:
        """Unlock a bike at a street station for a rider.

        Args:
            rider_id (str): Id of the rider, such as RIDER-00001.
            bike_id (str): Id of the bike, such as BIKE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        bike = self.bikes.get(bike_id)
        if bike is None:
            return _refused(f"There is no bike {bike_id!r}.")
        if bike["status"] != "docked":
            return _refused(f"Bike {bike['number']} is {bike['status']}.")
        place = self.stations.get(bike["station_id"])
        if place is None:
            return _refused(f"Bike {bike['number']} is at no station.")
        if place["workshop"]:
            return _refused(f"Bike {bike['number']} is in the workshop {place['name']}.")
        if self._bike_unsafe(bike):
            return _refused(f"Bike {bike['number']} has a severe fault; give out another one.")
        ride = self._ride_of(rider)
        if ride is not None:
            return _refused(
                f"{rider['name']} rides bike {self.bikes[ride['bike_id']]['number']} since {ride['started_at']}."
            )
        if rider["balance"] < 0:
            return _refused(f"{rider['name']} owes {_money(-rider['balance'])}; top up first.")
        if rider["balance"] < 200 and self._pass_of(rider, self.now[:10]) is None:
            return _refused(f"{rider['name']} has no pass and less than 2.00; top up first.")
        self._journal = []
        new_ride: Ride = {
            "id": self._new_id("ride", "RIDE", self.rides),
            "rider_id": rider_id,
            "bike_id": bike_id,
            "started_at": self.now,
            "ended_at": None,
            "goal_id": None,
            "free_minutes": 0,
            "fee": 0,
        }
        self._add("rides", new_ride)
        former_station_id = bike["station_id"]
        self._put("bikes", bike, "station_id", None)
        self._put("bikes", bike, "status", "ridden")
        for one_station in _distinct([self.stations.get(bike["station_id"]), self.stations.get(former_station_id)]):
            if self._breaks_rule_1(one_station):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(bike):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_x(new_ride):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_x_again(new_ride):
            return self._take_back(RULES[3])
        for one_ride in _distinct([new_ride, *self._rides_by_bike.get(bike["id"], {}).values()]):
            if self._breaks_rule_5(one_ride):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(bike):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(new_ride):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: unlock bike {bike['number']} for {rider['name']} (new: ride {new_ride['id']}).",
            "data": {"ride_id": new_ride["id"], **self._changes()},
        }

    def return_bike(self, rider_id: str, station_id: str | None = None) -> Result:
        """End the ride of a rider at a station; minutes above those of the pass cost, up to 30.00 a ride. Without a
        station, a day after the ride began or later, the bike counts as lost.

        Args:
            rider_id (str): Id of the rider, such as RIDER-00001.
            station_id (str, optional): Open station with a free dock where the bike is returned; an id such as
                STATION-00001. If left out, the bike counts as lost, which is possible a day after the ride began.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        rider = self.riders.get(rider_id)
        if rider is None:
            return _refused(f"There is no rider {rider_id!r}.")
        station = self.stations.get(station_id) if station_id is not None else None
        if station_id is not None and station is None:
            return _refused(f"There is no station {station_id!r}.")
        ride = self._ride_of(rider)
        if ride is None:
            return _refused(f"{rider['name']} is not riding.")
        if ride["started_at"] > self.now:
            return _refused(f"The ride begins at {ride['started_at']}.")
        if station_id is None and _minutes_between(ride["started_at"], self.now) < 1440:
            return _refused(f"A bike counts as lost a day after {ride['started_at']} and not before; name a station.")
        if station_id is not None and station["workshop"]:
            return _refused(f"{station['name']} is a workshop.")
        if station_id is not None and station["closed_for"] is not None:
            return _refused(f"{station['name']} is closed.")
        if station_id is not None and self._station_free(station) <= 0:
            return _refused(f"{station['name']} has no free dock; take a bike away first.")
        self._journal = []
        changed_passes: list[Any] = []
        spent = _minutes_between(ride["started_at"], self.now)
        ticket = self._pass_of(rider, self.now[:10])
        given = min(spent, ticket["left"]) if ticket is not None else 0
        rate = self.plans[ticket["plan_id"]]["per_minute"] if ticket is not None else 20
        paid = (spent - given) * rate
        self._put("rides", ride, "ended_at", self.now)
        self._put("rides", ride, "goal_id", station_id)
        if not 0 <= given <= 20000:
            return self._take_back(f"The free minutes of {ride['id']} must be between 0 and 20000.")
        self._put("rides", ride, "free_minutes", given)
        fee = min(paid, 3000)
        if not 0 <= fee <= 3000:
            return self._take_back(f"The fee of {ride['id']} must be between 0.00 and 30.00.")
        self._put("rides", ride, "fee", fee)
        balance = rider["balance"] - min(paid, 3000)
        if not -100000 <= balance <= 100000:
            return self._take_back(f"The balance of {rider['name']} must be between -1,000.00 and 1,000.00.")
        self._put("riders", rider, "balance", balance)
        if ticket is not None:
            left = ticket["left"] - given
            if not 0 <= left <= 20000:
                return self._take_back(f"The left of {ticket['id']} must be between 0 and 20000.")
            changed_passes.append(ticket)
            self._put("passes", ticket, "left", left)
        bike = self.bikes[ride["bike_id"]]
        former_station_id = bike["station_id"]
        self._put("bikes", bike, "station_id", station_id)
        its_bike = self.bikes[ride["bike_id"]]
        status = "lost" if station_id is None else "docked"
        if its_bike["status"] != status and (its_bike["status"], status) not in BIKE_STATUS_MOVES:
            return self._take_back(f"Bike {its_bike['number']} cannot go from {its_bike['status']} to {status}.")
        self._put("bikes", its_bike, "status", status)
        for one_station in _distinct([self.stations.get(bike["station_id"]), self.stations.get(former_station_id)]):
            if self._breaks_rule_1(one_station):
                return self._take_back(RULES[0])
        if self._breaks_rule_3(bike):
            return self._take_back(RULES[2])
        if self._breaks_rule_3(its_bike):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_x(ride):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_x_again(ride):
            return self._take_back(RULES[3])
        for one_ride in _distinct([ride, *self._rides_by_bike.get(its_bike["id"], {}).values()]):
            if self._breaks_rule_5(one_ride):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(bike):
            return self._take_back(RULES[5])
        for one_pass in _distinct(changed_passes):
            if self._breaks_rule_8(one_pass):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(ride):
            return self._take_back(RULES[8])
        done = f"end the ride of {rider['name']}"
        if station is not None:
            done += f" at {station['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def report_fault(
        self,
        bike_id: str,
        part: Literal["brake", "chain", "tyre", "light", "saddle", "lock"],
        severe: bool,
    ) -> Result:
        """Report a fault of a bike; with a severe one it is not given out any more.

        Args:
            bike_id (str): Id of the bike, such as BIKE-00001.
            part (str): Part of the bike that is faulty: brake, chain, tyre, light, saddle or lock.
            severe (bool): Whether the fault makes the bike unsafe to ride.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bike = self.bikes.get(bike_id)
        if bike is None:
            return _refused(f"There is no bike {bike_id!r}.")
        if any(not f["fixed"] for f in self._faults_by_bike_part.get((bike_id, part), {}).values()):
            return _refused(f"The {part} of bike {bike['number']} was reported already.")
        self._journal = []
        fault: Fault = {
            "id": self._new_id("fault", "FAULT", self.faults),
            "bike_id": bike_id,
            "part": part,
            "severe": severe,
            "found_on": self.now[:10],
            "fixed": False,
        }
        self._add("faults", fault)
        if self._breaks_rule_10(fault):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: report the {part} of bike {bike['number']} (new: fault {fault['id']}).",
            "data": {"fault_id": fault["id"], **self._changes()},
        }

    def repair_bike(self, bike_id: str) -> Result:
        """Repair all that was reported of a bike in a workshop.

        Args:
            bike_id (str): Id of the bike, such as BIKE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bike = self.bikes.get(bike_id)
        if bike is None:
            return _refused(f"There is no bike {bike_id!r}.")
        if bike["station_id"] is None or not self.stations[bike["station_id"]]["workshop"]:
            return _refused(f"Bike {bike['number']} is not in a workshop; bring it there first.")
        if self._open_faults(bike) <= 0:
            return _refused(f"Nothing is open for bike {bike['number']}.")
        self._journal = []
        changed_faults: list[Any] = []
        for f in [f for f in sorted(self._faults_by_bike.get(bike_id, {}).values(), key=_age) if not f["fixed"]]:
            changed_faults.append(f)
            self._put("faults", f, "fixed", True)
        for one_fault in _distinct(changed_faults):
            if self._breaks_rule_10(one_fault):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: repair bike {bike['number']}.", "data": self._changes()}

    def load_van(self, van_id: str, bike_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Load bikes from the station where a van stands.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            bike_ids (list): Bikes to load, all at the station where the van stands: ids of bikes, such as
                BIKE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        bikes = []
        for key in bike_ids:
            if key not in self.bikes:
                return _refused(f"There is no bike {key!r}.")
            bikes.append(self.bikes[key])
        if not (len(bikes) > 0 and _different([b["id"] for b in bikes])):
            return _refused("Name at least one bike, and each once.")
        away = next((b for b in bikes if (b["station_id"] is None or b["station_id"] != van["station_id"])), None)
        if away is not None:
            return _refused(
                f"Bike {away['number']} is not at {self.stations[van['station_id']]['name']}, where {van['name']} "
                "stands."
            )
        if self._van_load(van) + len(bikes) > van["racks"]:
            return _refused(f"{van['name']} has {van['racks'] - self._van_load(van)} racks left, not {len(bikes)}.")
        self._journal = []
        changed_bikes: list[Any] = []
        former_station_ids: list[Any] = []
        changed_bikes_2: list[Any] = []
        former_van_ids: list[Any] = []
        changed_bikes_3: list[Any] = []
        for b in list(bikes):
            changed_bikes.append(b)
            former_station_ids.append(b["station_id"])
            self._put("bikes", b, "station_id", None)
            changed_bikes_2.append(b)
            former_van_ids.append(b["van_id"])
            self._put("bikes", b, "van_id", van_id)
            if b["status"] not in ("docked", "aboard"):
                return self._take_back(f"Bike {b['number']} cannot go from {b['status']} to aboard.")
            changed_bikes_3.append(b)
            self._put("bikes", b, "status", "aboard")
        for one_station in _distinct(
            [
                *[self.stations.get(one["station_id"]) for one in changed_bikes],
                *[self.stations.get(key) for key in former_station_ids],
            ]
        ):
            if self._breaks_rule_1(one_station):
                return self._take_back(RULES[0])
        for one_van in _distinct(
            [
                *[self.vans.get(one["van_id"]) for one in changed_bikes_2],
                *[self.vans.get(key) for key in former_van_ids],
            ]
        ):
            if self._breaks_rule_2(one_van):
                return self._take_back(RULES[1])
        for one_bike in _distinct([*changed_bikes, *changed_bikes_2, *changed_bikes_3]):
            if self._breaks_rule_3(one_bike):
                return self._take_back(RULES[2])
        for one_ride in _distinct(
            [user for one in changed_bikes_3 for user in self._rides_by_bike.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_ride):
                return self._take_back(RULES[4])
        for one_bike in _distinct(changed_bikes):
            if self._breaks_rule_6(one_bike):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: load {', '.join(str(one['number']) for one in bikes)} into {van['name']}.",
            "data": self._changes(),
        }

    def drive_van(self, van_id: str, station_id: str) -> Result:
        """Drive a van to another station.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            station_id (str): Id of the station, such as STATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if van["station_id"] == station_id:
            return _refused(f"{van['name']} stands at {station['name']} already.")
        self._journal = []
        self._put("vans", van, "station_id", station_id)
        return {
            "success": True,
            "message": f"Done: drive {van['name']} to {station['name']}.",
            "data": self._changes(),
        }

    def unload_van(self, van_id: str, bike_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Put bikes from a van into the free docks of the station where it stands.

        Args:
            van_id (str): Id of the van, such as VAN-00001.
            bike_ids (list): Bikes to unload, all in the van: ids of bikes, such as BIKE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        van = self.vans.get(van_id)
        if van is None:
            return _refused(f"There is no van {van_id!r}.")
        bikes = []
        for key in bike_ids:
            if key not in self.bikes:
                return _refused(f"There is no bike {key!r}.")
            bikes.append(self.bikes[key])
        if not (len(bikes) > 0 and _different([b["id"] for b in bikes])):
            return _refused("Name at least one bike, and each once.")
        away = next((b for b in bikes if (b["van_id"] is None or b["van_id"] != van_id)), None)
        if away is not None:
            return _refused(f"Bike {away['number']} is not in {van['name']}.")
        broken = next(
            (b for b in bikes if self._bike_unsafe(b) and not self.stations[van["station_id"]]["workshop"]),
            None,
        )
        if broken is not None:
            return _refused(f"Bike {broken['number']} has a severe fault and goes to a workshop only.")
        if self.stations[van["station_id"]]["closed_for"] is not None:
            return _refused(f"{self.stations[van['station_id']]['name']} is closed.")
        if len(bikes) > self._station_free(self.stations[van["station_id"]]):
            return _refused(
                f"{self.stations[van['station_id']]['name']} has "
                f"{self._station_free(self.stations[van['station_id']])} free docks, not {len(bikes)}."
            )
        self._journal = []
        changed_bikes: list[Any] = []
        former_van_ids: list[Any] = []
        changed_bikes_2: list[Any] = []
        former_station_ids: list[Any] = []
        changed_bikes_3: list[Any] = []
        for b in list(bikes):
            changed_bikes.append(b)
            former_van_ids.append(b["van_id"])
            self._put("bikes", b, "van_id", None)
            changed_bikes_2.append(b)
            former_station_ids.append(b["station_id"])
            self._put("bikes", b, "station_id", van["station_id"])
            if b["status"] not in ("docked", "ridden", "aboard"):
                return self._take_back(f"Bike {b['number']} cannot go from {b['status']} to docked.")
            changed_bikes_3.append(b)
            self._put("bikes", b, "status", "docked")
        for one_station in _distinct(
            [
                *[self.stations.get(one["station_id"]) for one in changed_bikes_2],
                *[self.stations.get(key) for key in former_station_ids],
            ]
        ):
            if self._breaks_rule_1(one_station):
                return self._take_back(RULES[0])
        for one_van in _distinct(
            [
                *[self.vans.get(one["van_id"]) for one in changed_bikes],
                *[self.vans.get(key) for key in former_van_ids],
            ]
        ):
            if self._breaks_rule_2(one_van):
                return self._take_back(RULES[1])
        for one_bike in _distinct([*changed_bikes, *changed_bikes_2, *changed_bikes_3]):
            if self._breaks_rule_3(one_bike):
                return self._take_back(RULES[2])
        for one_ride in _distinct(
            [user for one in changed_bikes_3 for user in self._rides_by_bike.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_ride):
                return self._take_back(RULES[4])
        for one_bike in _distinct(changed_bikes_2):
            if self._breaks_rule_6(one_bike):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: unload {', '.join(str(one['number']) for one in bikes)} from {van['name']}.",
            "data": self._changes(),
        }

    def close_station(self, station_id: str, reason: Text) -> Result:
        """Close a station from which all bikes were taken away.

        Args:
            station_id (str): Id of the station, such as STATION-00001.
            reason (str): Why the station is closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if station["closed_for"] is not None:
            return _refused(f"{station['name']} is closed already.")
        if station["workshop"]:
            return _refused(f"{station['name']} is a workshop.")
        if self._station_bikes(station) != 0:
            return _refused(f"{self._station_bikes(station)} bikes are at {station['name']}; take them away first.")
        self._journal = []
        self._put("stations", station, "closed_for", reason)
        for one_bike in _distinct(self._bikes_by_station.get(station["id"], {}).values()):
            if self._breaks_rule_6(one_bike):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: close {station['name']} for {reason}.", "data": self._changes()}

    def reopen_station(self, station_id: str) -> Result:
        """Reopen a closed station.

        Args:
            station_id (str): Id of the station, such as STATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if station["closed_for"] is None:
            return _refused(f"{station['name']} is open.")
        self._journal = []
        self._put("stations", station, "closed_for", None)
        for one_bike in _distinct(self._bikes_by_station.get(station["id"], {}).values()):
            if self._breaks_rule_6(one_bike):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: reopen {station['name']}.", "data": self._changes()}

    def _show_station(self, station: Station) -> dict[str, Any]:
        """The station as an answer shows it."""
        return {**station, "bikes": self._station_bikes(station), "free": self._station_free(station)}

    def _show_bike(self, bike: Bike) -> dict[str, Any]:
        """The bike as an answer shows it."""
        return {**bike, "unsafe": self._bike_unsafe(bike)}

    def _show_van(self, van: Van) -> dict[str, Any]:
        """The van as an answer shows it."""
        return {**van, "load": self._van_load(van)}

    def _names_of_bikes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bikes point to."""
        return _names(
            (self.stations, "name", [row["station_id"] for row in shown]),
            (self.vans, "name", [row["van_id"] for row in shown]),
        )

    def _names_of_vans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that vans point to."""
        return _names((self.stations, "name", [row["station_id"] for row in shown]))

    def _names_of_passes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that passes point to."""
        return _names(
            (self.riders, "name", [row["rider_id"] for row in shown]),
            (self.plans, "name", [row["plan_id"] for row in shown]),
        )

    def _names_of_rides(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rides point to."""
        return _names(
            (self.riders, "name", [row["rider_id"] for row in shown]),
            (self.bikes, "number", [row["bike_id"] for row in shown]),
            (self.stations, "name", [row["goal_id"] for row in shown]),
        )

    def _names_of_faults(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that faults point to."""
        return _names((self.bikes, "number", [row["bike_id"] for row in shown]))

    def _station_bikes(self, station: Station) -> int:
        """The bikes of a station."""
        return len(self._bikes_by_station.get(station["id"], {}))

    def _station_free(self, station: Station) -> int:
        """The free of a station."""
        return station["docks"] - self._station_bikes(station)

    def _bike_unsafe(self, bike: Bike) -> bool:
        """The unsafe of a bike."""
        return any(f["severe"] and not f["fixed"] for f in self._faults_by_bike.get(bike["id"], {}).values())

    def _van_load(self, van: Van) -> int:
        """The load of a van."""
        return len(self._bikes_by_van.get(van["id"], {}))

    def _pass_of(self, r: Rider, d: str) -> Pass | None:
        return next(
            (
                p
                for p in sorted(self._passes_by_rider.get(r["id"], {}).values(), key=_age)
                if (p["starts"] <= d and d <= p["ends"])
            ),
            None,
        )

    def _ride_of(self, r: Rider) -> Ride | None:
        return next(
            (x for x in sorted(self._rides_by_rider.get(r["id"], {}).values(), key=_age) if x["ended_at"] is None),
            None,
        )

    def _open_faults(self, b: Bike) -> int:
        return sum(1 for f in self._faults_by_bike.get(b["id"], {}).values() if not f["fixed"])

    def _rentable(self, b: Bike) -> bool:
        return (
            b["station_id"] is not None
            and not self._bike_unsafe(b)
            and not self.stations[b["station_id"]]["workshop"]
        )

    def _breaks_rule_1(self, s: Station) -> bool:
        """Whether this is broken: a station never holds more bikes than it has docks."""
        return self._station_bikes(s) > s["docks"]

    def _breaks_rule_2(self, v: Van) -> bool:
        """Whether this is broken: a van never carries more bikes than it has racks."""
        return self._van_load(v) > v["racks"]

    def _breaks_rule_3(self, b: Bike) -> bool:
        """Whether this is broken: a docked bike is at a station, one aboard is in a van, and a ridden one is in
        neither.
        """
        return (
            (b["station_id"] is not None) != (b["status"] == "docked")
            or (b["van_id"] is not None) != (b["status"] == "aboard")
        )

    def _breaks_rule_4_x(self, x: Ride) -> bool:
        """Whether this is broken: a rider has one ride at a time, and so has a bike."""
        return (
            x["ended_at"] is None
            and any(
                other_x is not x
                for other_x in self._rides_by_rider.get(x["rider_id"], {}).values()
                if other_x["ended_at"] is None
            )
        )

    def _breaks_rule_4_x_again(self, x: Ride) -> bool:
        """Whether this is broken: a rider has one ride at a time, and so has a bike."""
        return (
            x["ended_at"] is None
            and any(
                other_x is not x
                for other_x in self._rides_by_bike.get(x["bike_id"], {}).values()
                if other_x["ended_at"] is None
            )
        )

    def _breaks_rule_5(self, x: Ride) -> bool:
        """Whether this is broken: a bike with an open ride is on the road."""
        return x["ended_at"] is None and self.bikes[x["bike_id"]]["status"] != "ridden"

    def _breaks_rule_6(self, b: Bike) -> bool:
        """Whether this is broken: a closed station holds no bikes."""
        return b["station_id"] is not None and self.stations[b["station_id"]]["closed_for"] is not None

    def _breaks_rule_7(self, p: Pass) -> bool:
        """Whether this is broken: the passes of a rider never overlap."""
        return any(
            p["ends"] >= q["starts"]
            and q["ends"] >= p["starts"]
            for q in self._passes_by_rider.get(p["rider_id"], {}).values()
            if p is not q
        )

    def _breaks_rule_8(self, p: Pass) -> bool:
        """Whether this is broken: a pass has no more minutes left than its plan gives."""
        return p["left"] > self.plans[p["plan_id"]]["minutes"] or p["starts"] > p["ends"]

    def _breaks_rule_9(self, x: Ride) -> bool:
        """Whether this is broken: only a finished ride has a goal, and no ride has more free minutes than it lasted.
        """
        return not (
            (x["ended_at"] is not None or x["goal_id"] is None)
            and (
                x["free_minutes"] == 0
                or x["ended_at"] is not None
                and x["free_minutes"] <= _minutes_between(x["started_at"], x["ended_at"])
            )
        )

    def _breaks_rule_10(self, f: Fault) -> bool:
        """Whether this is broken: a part of a bike is reported only once until it is fixed."""
        return (
            not f["fixed"]
            and any(
                other_f is not f
                for other_f in self._faults_by_bike_part.get((f["bike_id"], f["part"]), {}).values()
                if not other_f["fixed"]
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
            case "bikes":
                self._bikes_by_station.setdefault(record["station_id"], {})[record["id"]] = record
                self._bikes_by_van.setdefault(record["van_id"], {})[record["id"]] = record
            case "passes":
                self._passes_by_rider.setdefault(record["rider_id"], {})[record["id"]] = record
            case "rides":
                self._rides_by_bike.setdefault(record["bike_id"], {})[record["id"]] = record
                self._rides_by_rider.setdefault(record["rider_id"], {})[record["id"]] = record
            case "faults":
                self._faults_by_bike.setdefault(record["bike_id"], {})[record["id"]] = record
                self._faults_by_bike_part.setdefault((record["bike_id"], record["part"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "bikes":
                del self._bikes_by_station[record["station_id"]][record["id"]]
                del self._bikes_by_van[record["van_id"]][record["id"]]
            case "passes":
                del self._passes_by_rider[record["rider_id"]][record["id"]]
            case "rides":
                del self._rides_by_bike[record["bike_id"]][record["id"]]
                del self._rides_by_rider[record["rider_id"]][record["id"]]
            case "faults":
                del self._faults_by_bike[record["bike_id"]][record["id"]]
                del self._faults_by_bike_part[record["bike_id"], record["part"]][record["id"]]
