"""Carpool. Compiled from blueprint.yaml; run `envscaler build carpool` after changing it there.

Seats neighbours and their children in shared cars for the way to the valley and back, minds child seats and
detours, finds substitutes, and keeps the balance of drives given and taken fair.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A car never has more riders than seats.",
    "Every child sits in a child seat.",
    "Nobody sits in two cars at once.",
    "A car and a driver make one run at a time.",
    "Whoever drives is not a rider at the same time.",
    "Drivers make no longer detours than they are willing to, each stop counted once.",
    "Only people with a licence drive.",
    "Nobody rides or drives while they are away.",
    "Nobody falls more than twelve points behind, with the seats that are booked.",
    "The absences of a person do not overlap.",
    "A cancelled run has no riders.",
    "A car has no more child seats than seats.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_run",
    "take_seat",
    "give_up_seat",
    "move_rider",
    "change_driver",
    "cancel_run",
    "close_run",
    "note_absence",
    "end_absence",
    "mount_child_seats",
    "give_points",
)
"""The methods that may change something; all others only read."""

SEAT_STATUS_MOVES = {("booked", "rode"), ("booked", "dropped")}

LABELS: dict[str, tuple[str, ...]] = {
    "stops": ("name",),
    "people": ("name",),
    "cars": ("name",),
    "runs": (),
    "seats": (),
    "absences": (),
    "gifts": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("absences", "person_id"),
    ("gifts", "giver_id"),
    ("gifts", "taker_id"),
    ("people", "guardian_id"),
    ("runs", "car_id"),
    ("runs", "driver_id"),
    ("runs", "status"),
    ("runs", "way"),
    ("seats", "rider_id"),
    ("seats", "run_id"),
    ("seats", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Stop(TypedDict):
    id: str
    name: str
    toward_id: str | None
    minutes: int


class Person(TypedDict):
    id: str
    name: str
    stop_id: str
    guardian_id: str | None
    drives: bool
    most_detour: int


class Car(TypedDict):
    id: str
    name: str
    owner_id: str
    seats: int
    child_seats: int


class Run(TypedDict):
    id: str
    car_id: str
    driver_id: str
    on: str
    way: Literal["morning", "evening"]
    leaves: str
    status: Literal["planned", "driven", "cancelled"]


class Seat(TypedDict):
    id: str
    run_id: str
    rider_id: str
    status: Literal["booked", "rode", "dropped"]


class Absence(TypedDict):
    id: str
    person_id: str
    starts: str
    ends: str


class Gift(TypedDict):
    id: str
    giver_id: str
    taker_id: str
    points: int
    on: str


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


class Carpool:
    """Seats neighbours and their children in shared cars for the way to the valley and back, minds child
    seats and detours, finds substitutes, and keeps the balance of drives given and taken fair.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.stops: dict[str, Stop] = _copied(config.get("stops", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.cars: dict[str, Car] = _copied(config.get("cars", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.seats: dict[str, Seat] = _copied(config.get("seats", {}))
        self.absences: dict[str, Absence] = _copied(config.get("absences", {}))
        self.gifts: dict[str, Gift] = _copied(config.get("gifts", {}))
        self.now: str = config.get("now", "2026-10-07T19:00")
        self.counters: dict[str, int] = {
            "stop": len(self.stops),
            "person": len(self.people),
            "car": len(self.cars),
            "run": len(self.runs),
            "seat": len(self.seats),
            "absence": len(self.absences),
            "gift": len(self.gifts),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._people_by_guardian: dict[Any, dict[str, Person]] = {}
        self._runs_by_car_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_car_way: dict[Any, dict[str, Run]] = {}
        self._runs_by_driver_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_driver_way: dict[Any, dict[str, Run]] = {}
        self._runs_by_driver_way_status: dict[Any, dict[str, Run]] = {}
        self._seats_by_rider: dict[Any, dict[str, Seat]] = {}
        self._seats_by_rider_status: dict[Any, dict[str, Seat]] = {}
        self._seats_by_run: dict[Any, dict[str, Seat]] = {}
        self._seats_by_run_rider_status: dict[Any, dict[str, Seat]] = {}
        self._seats_by_run_status: dict[Any, dict[str, Seat]] = {}
        self._absences_by_person: dict[Any, dict[str, Absence]] = {}
        self._gifts_by_giver: dict[Any, dict[str, Gift]] = {}
        self._gifts_by_taker: dict[Any, dict[str, Gift]] = {}
        for person in self.people.values():
            self._link("people", person)
        for run in self.runs.values():
            self._link("runs", run)
        for seat in self.seats.values():
            self._link("seats", seat)
        for absence in self.absences.values():
            self._link("absences", absence)
        for gift in self.gifts.values():
            self._link("gifts", gift)

    def cars_for(
        self,
        rider_id: str,
        on: Date,
        way: Literal["morning", "evening"],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Planned runs on which somebody could have a seat, those with the shortest detour first.

        Args:
            rider_id (str): Person who needs a seat; an id such as PERSON-00001.
            on (str): Day on which the seat is needed, as YYYY-MM-DD.
            way (str): Direction in which the person travels: morning or evening.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}} or {"success": False, "error": why
                not}
        """
        rider = self.people.get(rider_id)
        if rider is None:
            return _refused(f"There is no person {rider_id!r}.")
        found = [r for r in self.runs.values() if (r["on"] == on and r["way"] == way and self._takes(r, rider))]
        found.sort(key=lambda r: (self._added(r, rider), r["leaves"], self.people[r["driver_id"]]["name"], _age(r)))
        return _found(
            {
                "total": len(found),
                "runs": [
                    {
                        "id": r["id"],
                        "driver": self.people[r["driver_id"]]["name"],
                        "car": self.cars[r["car_id"]]["name"],
                        "leaves": r["leaves"],
                        "detour": self._added(r, rider),
                        "free": self.cars[r["car_id"]]["seats"] - self._run_riders(r),
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def balance(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who has given and taken how many rides, those furthest behind first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}} or {"success": False, "error": why
                not}
        """
        found = [p for p in self.people.values() if p["guardian_id"] is None]
        found.sort(key=lambda p: (self._person_standing(p), p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "people": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "drives": p["drives"],
                        "points": self._person_points(p),
                        "standing": self._person_standing(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def could_step_in(self, run_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Drivers who could take over a run with all its riders, those furthest behind first.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}} or {"success": False, "error": why
                not}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        found = [p for p in self.people.values() if self._could_drive(p, run)]
        found.sort(key=lambda p: (self._person_standing(p), p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "people": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "standing": self._person_standing(p),
                        "detour": self._all_detours(p, run),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_stops(
        self,
        name: Text | None = None,
        toward_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stops, oldest first, all of them or only some.

        Args:
            name (str, optional): Only stops whose name contains this text.
            toward_id (str, optional): Only stops whose toward is this stop.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stops": records}}
        """
        if toward_id is not None and toward_id not in self.stops:
            return _refused(f"There is no stop {toward_id!r}.")
        found = [
            stop
            for stop in self.stops.values()
            if (name is None or name.casefold() in stop["name"].casefold())
            and (toward_id is None or stop["toward_id"] == toward_id)
        ]
        shown = [{**stop} for stop in _page(found, offset)]
        return _found({"total": len(found), "stops": shown}, self._names_of_stops(shown))

    def list_people(
        self,
        name: Text | None = None,
        stop_id: str | None = None,
        guardian_id: str | None = None,
        drives: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            stop_id (str, optional): Only people of this stop.
            guardian_id (str, optional): Only people whose guardian is this person.
            drives (bool, optional): Only people with this value of `drives`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        if stop_id is not None and stop_id not in self.stops:
            return _refused(f"There is no stop {stop_id!r}.")
        if guardian_id is not None and guardian_id not in self.people:
            return _refused(f"There is no person {guardian_id!r}.")
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (stop_id is None or person["stop_id"] == stop_id)
            and (guardian_id is None or person["guardian_id"] == guardian_id)
            and (drives is None or person["drives"] == drives)
        ]
        shown = [self._show_person(person) for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_cars(
        self,
        name: Text | None = None,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cars, oldest first, all of them or only some.

        Args:
            name (str, optional): Only cars whose name contains this text.
            owner_id (str, optional): Only cars whose owner is this person.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}}
        """
        if owner_id is not None and owner_id not in self.people:
            return _refused(f"There is no person {owner_id!r}.")
        found = [
            car
            for car in self.cars.values()
            if (name is None or name.casefold() in car["name"].casefold())
            and (owner_id is None or car["owner_id"] == owner_id)
        ]
        shown = [{**car} for car in _page(found, offset)]
        return _found({"total": len(found), "cars": shown}, self._names_of_cars(shown))

    def list_runs(
        self,
        car_id: str | None = None,
        driver_id: str | None = None,
        way: Literal["morning", "evening"] | None = None,
        status: Literal["planned", "driven", "cancelled"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            car_id (str, optional): Only runs of this car.
            driver_id (str, optional): Only runs whose driver is this person.
            way (str, optional): Only runs with this way.
            status (str, optional): Only runs with this status.
            on_from (str, optional): Only runs whose `on` is on this day or later.
            on_to (str, optional): Only runs whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        if driver_id is not None and driver_id not in self.people:
            return _refused(f"There is no person {driver_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (car_id is None or run["car_id"] == car_id)
            and (driver_id is None or run["driver_id"] == driver_id)
            and (way is None or run["way"] == way)
            and (status is None or run["status"] == status)
            and (on_from is None or run["on"] >= on_from)
            and (on_to is None or run["on"] <= on_to)
        ]
        shown = [self._show_run(run) for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def list_seats(
        self,
        run_id: str | None = None,
        rider_id: str | None = None,
        status: Literal["booked", "rode", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the seats, oldest first, all of them or only some.

        Args:
            run_id (str, optional): Only seats of this run.
            rider_id (str, optional): Only seats whose rider is this person.
            status (str, optional): Only seats with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seats": records}}
        """
        if run_id is not None and run_id not in self.runs:
            return _refused(f"There is no run {run_id!r}.")
        if rider_id is not None and rider_id not in self.people:
            return _refused(f"There is no person {rider_id!r}.")
        found = [
            seat
            for seat in self.seats.values()
            if (run_id is None or seat["run_id"] == run_id)
            and (rider_id is None or seat["rider_id"] == rider_id)
            and (status is None or seat["status"] == status)
        ]
        shown = [{**seat} for seat in _page(found, offset)]
        return _found({"total": len(found), "seats": shown}, self._names_of_seats(shown))

    def list_absences(
        self,
        person_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the absences, oldest first, all of them or only some.

        Args:
            person_id (str, optional): Only absences of this person.
            starts_from (str, optional): Only absences whose `starts` is on this day or later.
            starts_to (str, optional): Only absences whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "absences": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        found = [
            absence
            for absence in self.absences.values()
            if (person_id is None or absence["person_id"] == person_id)
            and (starts_from is None or absence["starts"] >= starts_from)
            and (starts_to is None or absence["starts"] <= starts_to)
        ]
        shown = [{**absence} for absence in _page(found, offset)]
        return _found({"total": len(found), "absences": shown}, self._names_of_absences(shown))

    def list_gifts(
        self,
        giver_id: str | None = None,
        taker_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the gifts, oldest first, all of them or only some.

        Args:
            giver_id (str, optional): Only gifts whose giver is this person.
            taker_id (str, optional): Only gifts whose taker is this person.
            on_from (str, optional): Only gifts whose `on` is on this day or later.
            on_to (str, optional): Only gifts whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gifts": records}}
        """
        if giver_id is not None and giver_id not in self.people:
            return _refused(f"There is no person {giver_id!r}.")
        if taker_id is not None and taker_id not in self.people:
            return _refused(f"There is no person {taker_id!r}.")
        found = [
            gift
            for gift in self.gifts.values()
            if (giver_id is None or gift["giver_id"] == giver_id)
            and (taker_id is None or gift["taker_id"] == taker_id)
            and (on_from is None or gift["on"] >= on_from)
            and (on_to is None or gift["on"] <= on_to)
        ]
        shown = [{**gift} for gift in _page(found, offset)]
        return _found({"total": len(found), "gifts": shown}, self._names_of_gifts(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_run(
        self,
        car_id: str,
        driver_id: str,
        on: Date,
        way: Literal["morning", "evening"],
        leaves: Time,
    ) -> Result:
        """Plan a run of a car to the valley in the morning or back in the evening.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            driver_id (str): Person who drives and is free then; an id such as PERSON-00001.
            on (str): Day of the run, within 21 days after today, as YYYY-MM-DD.
            way (str): Whether it goes to the valley in the morning or back in the evening: morning or evening.
            leaves (str): Time of day at which it leaves, as HH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        driver = self.people.get(driver_id)
        if driver is None:
            return _refused(f"There is no person {driver_id!r}.")
        if self.now[:10] >= on or on > _plus_days(self.now[:10], 21):
            return _refused(
                f"Runs are planned for {_plus_days(self.now[:10], 1)} to {_plus_days(self.now[:10], 21)}."
            )
        if not driver["drives"]:
            return _refused(f"{driver['name']} has no licence.")
        if self._away(driver, on):
            return _refused(f"{driver['name']} is away on {on}.")
        if self._drive_on(driver, on, way) is not None:
            return _refused(f"{driver['name']} drives that {way} already.")
        if self._seat_on(driver, on, way) is not None:
            return _refused(f"{driver['name']} has a seat in another car, so give that up first.")
        if any(
            r["status"] != "cancelled"
            for r in self._runs_by_car_way.get((car_id, way), {}).values()
            if r["on"] == on
        ):
            return _refused(f"The {car['name']} is out that {way} already.")
        self._journal = []
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "car_id": car_id,
            "driver_id": driver_id,
            "on": on,
            "way": way,
            "leaves": leaves,
            "status": "planned",
        }
        self._add("runs", run)
        if self._breaks_rule_1(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(run):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_r(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_r_again(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_r(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(run):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(run):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_r(run):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.people[run["driver_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: plan {driver['name']} with the {car['name']} for the {way} of {on} (new: run {run['id']})."
            ),
            "data": {"run_id": run["id"], **self._changes()},
        }

    def take_seat(self, run_id: str, rider_id: str) -> Result:
        """Give somebody a seat on a planned run.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            rider_id (str): Person who gets the seat; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        rider = self.people.get(rider_id)
        if rider is None:
            return _refused(f"There is no person {rider_id!r}.")
        if run["status"] != "planned":
            return _refused(f"That run is {run['status']}.")
        if run["on"] <= self.now[:10]:
            return _refused(f"That run was on {run['on']}.")
        if run["driver_id"] == rider_id:
            return _refused(f"{rider['name']} is the driver.")
        if self._away(rider, run["on"]):
            return _refused(f"{rider['name']} is away on {run['on']}.")
        if (
            self._seat_on(rider, run["on"], run["way"]) is not None
            or self._drive_on(rider, run["on"], run["way"]) is not None
        ):
            return _refused(f"{rider['name']} is in another car that {run['way']}.")
        if self._run_riders(run) >= self.cars[run["car_id"]]["seats"]:
            return _refused(f"The {self.cars[run['car_id']]['name']} is full.")
        if rider["guardian_id"] is not None and self._children_in(run) >= self.cars[run["car_id"]]["child_seats"]:
            return _refused(
                f"{rider['name']} needs a child seat and the {self.cars[run['car_id']]['name']} has none left."
            )
        if self._detour(self.people[run["driver_id"]], rider) >= 99:
            return _refused(
                f"{self.stops[rider['stop_id']]['name']} is nowhere near the way of "
                f"{self.people[run['driver_id']]['name']}."
            )
        if (
            self._all_detours(self.people[run["driver_id"]], run)
            + self._added(run, rider) > self.people[run["driver_id"]]["most_detour"]
        ):
            return _refused(
                f"{self.people[run['driver_id']]['name']} makes detours of "
                f"{self.people[run['driver_id']]['most_detour']} minutes at most."
            )
        who = self._payer(rider)
        if self._person_standing(who) <= -12:
            return _refused(f"{who['name']} is twelve points behind and has to drive first.")
        self._journal = []
        seat: Seat = {
            "id": self._new_id("seat", "SEAT", self.seats),
            "run_id": run_id,
            "rider_id": rider_id,
            "status": "booked",
        }
        self._add("seats", seat)
        if self._breaks_rule_1(self.runs[seat["run_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.runs[seat["run_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(seat):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_s(seat):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.runs[seat["run_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_s(seat):
            return self._take_back(RULES[7])
        for one_person in _distinct(
            [
                self.people[self.runs[seat["run_id"]]["driver_id"]],
                self.people[seat["rider_id"]],
                self.people.get(self.people[seat["rider_id"]]["guardian_id"]),
            ]
        ):
            if self._breaks_rule_9(one_person):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(seat):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: give {rider['name']} a seat with {self.people[run['driver_id']]['name']} on the "
                f"{run['way']} of {run['on']} (new: seat {seat['id']})."
            ),
            "data": {"seat_id": seat["id"], **self._changes()},
        }

    def give_up_seat(self, seat_id: str) -> Result:
        """Give a booked seat up.

        Args:
            seat_id (str): Id of the seat, such as SEAT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        seat = self.seats.get(seat_id)
        if seat is None:
            return _refused(f"There is no seat {seat_id!r}.")
        if seat["status"] != "booked":
            return _refused(f"That seat is {seat['status']}.")
        if self.runs[seat["run_id"]]["on"] + "T" + self.runs[seat["run_id"]]["leaves"] <= self.now:
            return _refused(
                f"That run left on {self.runs[seat['run_id']]['on']} at {self.runs[seat['run_id']]['leaves']}, so "
                "close it and name who stayed away."
            )
        self._journal = []
        self._put("seats", seat, "status", "dropped")
        if self._breaks_rule_1(self.runs[seat["run_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.runs[seat["run_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(seat):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_s(seat):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.runs[seat["run_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_s(seat):
            return self._take_back(RULES[7])
        for one_person in _distinct(
            [
                self.people[self.runs[seat["run_id"]]["driver_id"]],
                self.people[seat["rider_id"]],
                self.people.get(self.people[seat["rider_id"]]["guardian_id"]),
            ]
        ):
            if self._breaks_rule_9(one_person):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(seat):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: take {self.people[seat['rider_id']]['name']} off the {self.runs[seat['run_id']]['way']} "
                f"of {self.runs[seat['run_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def move_rider(self, seat_id: str, run_id: str) -> Result:
        """Move a rider to another car of the same morning or evening.

        Args:
            seat_id (str): Id of the seat, such as SEAT-00001.
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        seat = self.seats.get(seat_id)
        if seat is None:
            return _refused(f"There is no seat {seat_id!r}.")
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if seat["status"] != "booked" or seat["run_id"] == run_id:
            return _refused(f"That seat is {seat['status']}, or in that car.")
        if (
            run["status"] != "planned"
            or run["on"] != self.runs[seat["run_id"]]["on"]
            or run["way"] != self.runs[seat["run_id"]]["way"]
        ):
            return _refused("That car does not go at the same time.")
        if run["driver_id"] == seat["rider_id"]:
            return _refused(f"{self.people[seat['rider_id']]['name']} is the driver there.")
        if not self._takes(run, self.people[seat["rider_id"]]):
            return _refused(
                f"The car of {self.people[run['driver_id']]['name']} has no fitting seat for "
                f"{self.people[seat['rider_id']]['name']}, or the detour is too long."
            )
        self._journal = []
        former_run_id = seat["run_id"]
        self._put("seats", seat, "run_id", run_id)
        if self._breaks_rule_1(self.runs[seat["run_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.runs[former_run_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.runs[seat["run_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.runs[former_run_id]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(seat):
            return self._take_back(RULES[2])
        if self._breaks_rule_5_s(seat):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(self.runs[seat["run_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(self.runs[former_run_id]):
            return self._take_back(RULES[5])
        if self._breaks_rule_8_s(seat):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.people[self.runs[seat["run_id"]]["driver_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(self.people[self.runs[former_run_id]["driver_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(seat):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: move {self.people[seat['rider_id']]['name']} to {self.people[run['driver_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def change_driver(self, run_id: str, driver_id: str | None = None, car_id: str | None = None) -> Result:
        """Let somebody else drive a planned run, another car, or both.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            driver_id (str, optional): Person who drives instead; an id such as PERSON-00001. If left out, the
                driver stays the same.
            car_id (str, optional): Car that is taken instead; an id such as CAR-00001. If left out, the car stays
                the same.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        driver = self.people.get(driver_id) if driver_id is not None else None
        if driver_id is not None and driver is None:
            return _refused(f"There is no person {driver_id!r}.")
        car = self.cars.get(car_id) if car_id is not None else None
        if car_id is not None and car is None:
            return _refused(f"There is no car {car_id!r}.")
        if run["status"] != "planned":
            return _refused(f"That run is {run['status']}.")
        if driver_id is None and car_id is None:
            return _refused("Say who drives or which car goes.")
        if not (driver_id is None or self._could_drive(driver, run)):
            return _refused(
                f"{driver['name']} cannot drive then, has another seat, or would make too long a detour for these "
                "riders."
            )
        wheels = car or self.cars[run["car_id"]]
        if self._run_riders(run) > wheels["seats"]:
            return _refused(
                f"The {wheels['name']} has {wheels['seats']} seats and {self._run_riders(run)} people ride."
            )
        if self._children_in(run) > wheels["child_seats"]:
            return _refused(
                f"The {wheels['name']} has {wheels['child_seats']} child seats and {self._children_in(run)} "
                "children ride."
            )
        if any(
            r["status"] != "cancelled"
            for r in self._runs_by_car_way.get((wheels["id"], run["way"]), {}).values()
            if r is not run
            and r["on"] == run["on"]
        ):
            return _refused(f"The {wheels['name']} is out at that time.")
        self._journal = []
        former_driver_id = run["driver_id"]
        self._put("runs", run, "driver_id", (driver or self.people[run["driver_id"]])["id"])
        self._put("runs", run, "car_id", wheels["id"])
        if self._breaks_rule_1(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(run):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_r(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_r_again(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_r(run):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(run):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(run):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_r(run):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.people[run["driver_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(self.people[former_driver_id]):
            return self._take_back(RULES[8])
        done = f"change the {run['way']} of {run['on']}"
        if driver is not None:
            done += f" to {driver['name']}"
        if car is not None:
            done += f" with the {car['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_run(self, run_id: str) -> Result:
        """Cancel a planned run; whoever had a seat has none then.

        Args:
            run_id (str): Id of the run, such as RUN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        if run["status"] != "planned":
            return _refused(f"That run is {run['status']}.")
        self._journal = []
        changed_seats: list[Any] = []
        for s in sorted(self._seats_by_run_status.get((run_id, "booked"), {}).values(), key=_age):
            if s["status"] not in ("booked", "dropped"):
                return self._take_back(f"Seat {s['id']} cannot go from {s['status']} to dropped.")
            changed_seats.append(s)
            self._put("seats", s, "status", "dropped")
        self._put("runs", run, "status", "cancelled")
        for one_run in _distinct([run, *[self.runs[one["run_id"]] for one in changed_seats]]):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct([run, *[self.runs[one["run_id"]] for one in changed_seats]]):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_3(one_seat):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_r(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_r_again(run):
            return self._take_back(RULES[3])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_r(run):
            return self._take_back(RULES[4])
        for one_run in _distinct([run, *[self.runs[one["run_id"]] for one in changed_seats]]):
            if self._breaks_rule_6(one_run):
                return self._take_back(RULES[5])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_8_s(one_seat):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_r(run):
            return self._take_back(RULES[7])
        for one_person in _distinct(
            [
                self.people[run["driver_id"]],
                *[self.people[one["driver_id"]] for one in [self.runs[one["run_id"]] for one in changed_seats]],
                *[self.people[one["rider_id"]] for one in changed_seats],
                *[
                    self.people.get(one["guardian_id"])
                    for one in [self.people[one["rider_id"]] for one in changed_seats]
                ],
            ]
        ):
            if self._breaks_rule_9(one_person):
                return self._take_back(RULES[8])
        for one_seat in _distinct([*changed_seats, *self._seats_by_run.get(run["id"], {}).values()]):
            if self._breaks_rule_11(one_seat):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cancel {self.people[run['driver_id']]['name']} on the {run['way']} of {run['on']}.",
            "data": self._changes(),
        }

    def close_run(self, run_id: str, stayed_away_ids: Annotated[list[str], {"maxItems": 20}] | None = None) -> Result:
        """Note that a run took place; riders who did not come lose their seat without a point.

        Args:
            run_id (str): Id of the run, such as RUN-00001.
            stayed_away_ids (list): Riders with a seat who did not come: ids of people, such as PERSON-00001. May
                be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        run = self.runs.get(run_id)
        if run is None:
            return _refused(f"There is no run {run_id!r}.")
        stayed_away = []
        for key in stayed_away_ids or []:
            if key not in self.people:
                return _refused(f"There is no person {key!r}.")
            stayed_away.append(self.people[key])
        if run["status"] != "planned":
            return _refused(f"That run is {run['status']}.")
        if run["on"] > self.now[:10]:
            return _refused(f"That run is only on {run['on']}.")
        if not _different([p["id"] for p in stayed_away]):
            return _refused("Somebody is named twice.")
        odd = next(
            (p for p in stayed_away if not self._seats_by_run_rider_status.get((run_id, p["id"], "booked"), {})),
            None,
        )
        if odd is not None:
            return _refused(f"{odd['name']} had no seat there.")
        self._journal = []
        changed_seats: list[Any] = []
        for s in sorted(self._seats_by_run_status.get((run_id, "booked"), {}).values(), key=_age):
            status = "dropped" if self.people[s["rider_id"]] in stayed_away else "rode"
            if s["status"] != status and (s["status"], status) not in SEAT_STATUS_MOVES:
                return self._take_back(f"Seat {s['id']} cannot go from {s['status']} to {status}.")
            changed_seats.append(s)
            self._put("seats", s, "status", status)
        self._put("runs", run, "status", "driven")
        for one_run in _distinct([run, *[self.runs[one["run_id"]] for one in changed_seats]]):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct([run, *[self.runs[one["run_id"]] for one in changed_seats]]):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_3(one_seat):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_r(run):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_r_again(run):
            return self._take_back(RULES[3])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_r(run):
            return self._take_back(RULES[4])
        for one_run in _distinct([run, *[self.runs[one["run_id"]] for one in changed_seats]]):
            if self._breaks_rule_6(one_run):
                return self._take_back(RULES[5])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_8_s(one_seat):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_r(run):
            return self._take_back(RULES[7])
        for one_person in _distinct(
            [
                self.people[run["driver_id"]],
                *[self.people[one["driver_id"]] for one in [self.runs[one["run_id"]] for one in changed_seats]],
                *[self.people[one["rider_id"]] for one in changed_seats],
                *[
                    self.people.get(one["guardian_id"])
                    for one in [self.people[one["rider_id"]] for one in changed_seats]
                ],
            ]
        ):
            if self._breaks_rule_9(one_person):
                return self._take_back(RULES[8])
        for one_seat in _distinct([*changed_seats, *self._seats_by_run.get(run["id"], {}).values()]):
            if self._breaks_rule_11(one_seat):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: close the {run['way']} of {run['on']} with {self.people[run['driver_id']]['name']}.",
            "data": self._changes(),
        }

    def note_absence(self, person_id: str, starts: Date, ends: Date) -> Result:
        """Note that somebody is away for some days; their seats become free, and runs they drive must be in other
        hands before.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            starts (str): First day of the absence, after today, as YYYY-MM-DD.
            ends (str): Last day of the absence, within 30 days of the first, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if not ((self.now[:10] < starts and starts <= ends) and ends <= _plus_days(starts, 30)):
            return _refused(f"An absence begins after {self.now[:10]} and lasts a month at most.")
        if any(
            starts <= a["ends"]
            for a in self._absences_by_person.get(person_id, {}).values()
            if a["starts"] <= ends
        ):
            return _refused(f"{person['name']} is down as away for some of these days.")
        duty = next(
            (
                r
                for r in sorted(self._runs_by_driver_status.get((person_id, "planned"), {}).values(), key=_age)
                if starts <= r["on"]
                and r["on"] <= ends
            ),
            None,
        )
        if duty is not None:
            return _refused(f"{person['name']} drives on {duty['on']}, so find a substitute or cancel that first.")
        self._journal = []
        changed_seats: list[Any] = []
        absence: Absence = {
            "id": self._new_id("absence", "ABSENCE", self.absences),
            "person_id": person_id,
            "starts": starts,
            "ends": ends,
        }
        self._add("absences", absence)
        for s in [
            s
            for s in sorted(self._seats_by_rider_status.get((person_id, "booked"), {}).values(), key=_age)
            if starts <= self.runs[s["run_id"]]["on"]
            and self.runs[s["run_id"]]["on"] <= ends
        ]:
            if s["status"] not in ("booked", "dropped"):
                return self._take_back(f"Seat {s['id']} cannot go from {s['status']} to dropped.")
            changed_seats.append(s)
            self._put("seats", s, "status", "dropped")
        for one_run in _distinct([self.runs[one["run_id"]] for one in changed_seats]):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct([self.runs[one["run_id"]] for one in changed_seats]):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_3(one_seat):
                return self._take_back(RULES[2])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_5_s(one_seat):
                return self._take_back(RULES[4])
        for one_run in _distinct([self.runs[one["run_id"]] for one in changed_seats]):
            if self._breaks_rule_6(one_run):
                return self._take_back(RULES[5])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_8_s(one_seat):
                return self._take_back(RULES[7])
        if self._breaks_rule_8_a(absence):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a_again(absence):
            return self._take_back(RULES[7])
        for one_person in _distinct(
            [
                *[self.people[one["driver_id"]] for one in [self.runs[one["run_id"]] for one in changed_seats]],
                *[self.people[one["rider_id"]] for one in changed_seats],
                *[
                    self.people.get(one["guardian_id"])
                    for one in [self.people[one["rider_id"]] for one in changed_seats]
                ],
            ]
        ):
            if self._breaks_rule_9(one_person):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_a(absence):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_a_again(absence):
            return self._take_back(RULES[9])
        for one_seat in _distinct(changed_seats):
            if self._breaks_rule_11(one_seat):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: note that {person['name']} is away from {starts} to {ends} (new: absence {absence['id']})."
            ),
            "data": {"absence_id": absence["id"], **self._changes()},
        }

    def end_absence(self, absence_id: str, ends: Date) -> Result:
        """Let an absence end earlier.

        Args:
            absence_id (str): Id of the absence, such as ABSENCE-00001.
            ends (str): New last day of the absence, earlier than before, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        absence = self.absences.get(absence_id)
        if absence is None:
            return _refused(f"There is no absence {absence_id!r}.")
        if absence["starts"] > ends or ends >= absence["ends"]:
            return _refused(f"It has to end between {absence['starts']} and the day before {absence['ends']}.")
        self._journal = []
        self._put("absences", absence, "ends", ends)
        if self._breaks_rule_8_a(absence):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a_again(absence):
            return self._take_back(RULES[7])
        if self._breaks_rule_10_a(absence):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_a_again(absence):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: let the absence of {self.people[absence['person_id']]['name']} end on {ends}.",
            "data": self._changes(),
        }

    def mount_child_seats(self, car_id: str, child_seats: Annotated[int, {"minimum": 0, "maximum": 4}]) -> Result:
        """Set how many child seats are mounted in a car.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            child_seats (int): Child seats in the car in all, at most its seats, from 0 to 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if child_seats == car["child_seats"]:
            return _refused(f"The {car['name']} has {car['child_seats']} child seats.")
        if child_seats > car["seats"]:
            return _refused(f"The {car['name']} has {car['seats']} seats only.")
        need = next(
            (
                r
                for r in sorted(self._runs_by_car_status.get((car_id, "planned"), {}).values(), key=_age)
                if self._children_in(r) > child_seats
            ),
            None,
        )
        if need is not None:
            return _refused(f"On {need['on']} {self._children_in(need)} children ride in the {car['name']}.")
        self._journal = []
        self._put("cars", car, "child_seats", child_seats)
        for one_run in _distinct(self._runs_by_car_status.get((car["id"], "planned"), {}).values()):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        if self._breaks_rule_12(car):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: mount {child_seats} child seats in the {car['name']}.",
            "data": self._changes(),
        }

    def give_points(
        self,
        giver_id: str,
        taker_id: str,
        points: Annotated[int, {"minimum": 1, "maximum": 20}],
    ) -> Result:
        """Let somebody pass points on to somebody else.

        Args:
            giver_id (str): Person who gives the points; an id such as PERSON-00001.
            taker_id (str): Person who gets the points; an id such as PERSON-00001.
            points (int): Points that are passed on, from 1 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.people.get(giver_id)
        if giver is None:
            return _refused(f"There is no person {giver_id!r}.")
        taker = self.people.get(taker_id)
        if taker is None:
            return _refused(f"There is no person {taker_id!r}.")
        if giver is taker:
            return _refused("Nobody gives points to themselves.")
        child = giver if giver["guardian_id"] is not None else taker
        if child["guardian_id"] is not None:
            return _refused(
                f"{child['name']} is a child, whose rides are on the account of a guardian, so points do not pass "
                "there."
            )
        if self._person_points(giver) < points:
            return _refused(f"{giver['name']} has {self._person_points(giver)} points to give.")
        if self._person_standing(giver) - points < -12:
            return _refused(
                f"With the seats that are booked {giver['name']} would be more than twelve points behind."
            )
        self._journal = []
        gift: Gift = {
            "id": self._new_id("gift", "GIFT", self.gifts),
            "giver_id": giver_id,
            "taker_id": taker_id,
            "points": points,
            "on": self.now[:10],
        }
        self._add("gifts", gift)
        if self._breaks_rule_9(self.people[gift["taker_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(self.people[gift["giver_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: give {points} points of {giver['name']} to {taker['name']} (new: gift {gift['id']}).",
            "data": {"gift_id": gift["id"], **self._changes()},
        }

    def _show_person(self, person: Person) -> dict[str, Any]:
        """The person as an answer shows it."""
        return {
            **person,
            "given": self._person_given(person),
            "taken": self._person_taken(person),
            "points": self._person_points(person),
            "standing": self._person_standing(person),
        }

    def _show_run(self, run: Run) -> dict[str, Any]:
        """The run as an answer shows it."""
        return {**run, "riders": self._run_riders(run)}

    def _names_of_stops(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that stops point to."""
        return _names((self.stops, "name", [row["toward_id"] for row in shown]))

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names(
            (self.stops, "name", [row["stop_id"] for row in shown]),
            (self.people, "name", [row["guardian_id"] for row in shown]),
        )

    def _names_of_cars(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cars point to."""
        return _names((self.people, "name", [row["owner_id"] for row in shown]))

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names(
            (self.cars, "name", [row["car_id"] for row in shown]),
            (self.people, "name", [row["driver_id"] for row in shown]),
        )

    def _names_of_seats(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that seats point to."""
        return _names((self.people, "name", [row["rider_id"] for row in shown]))

    def _names_of_absences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that absences point to."""
        return _names((self.people, "name", [row["person_id"] for row in shown]))

    def _names_of_gifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that gifts point to."""
        return _names(
            (self.people, "name", [row["giver_id"] for row in shown]),
            (self.people, "name", [row["taker_id"] for row in shown]),
        )

    def _person_given(self, person: Person) -> int:
        """The given of a person."""
        return sum(
            1
            for r in self._runs_by_driver_status.get((person["id"], "driven"), {}).values()
            for s in self._seats_by_run_status.get((r["id"], "rode"), {}).values()
        )

    def _person_taken(self, person: Person) -> int:
        """The taken of a person."""
        return sum(
            1
            for s in _distinct(
                [
                    *self._seats_by_rider.get(person["id"], {}).values(),
                    *[
                        s
                        for _person in self._people_by_guardian.get(person["id"], {}).values()
                        for s in self._seats_by_rider.get(_person["id"], {}).values()
                    ],
                ]
            )
            if s["status"] == "rode"
        )

    def _person_points(self, person: Person) -> int:
        """The points of a person."""
        return (
            self._person_given(person)
            - self._person_taken(person)
            + sum(g["points"] for g in self._gifts_by_taker.get(person["id"], {}).values())
            - sum(g["points"] for g in self._gifts_by_giver.get(person["id"], {}).values())
        )

    def _person_standing(self, person: Person) -> int:
        """The standing of a person."""
        return (
            self._person_points(person)
            - sum(
                1
                for s in _distinct(
                    [
                        *self._seats_by_rider.get(person["id"], {}).values(),
                        *[
                            s
                            for _person in self._people_by_guardian.get(person["id"], {}).values()
                            for s in self._seats_by_rider.get(_person["id"], {}).values()
                        ],
                    ]
                )
                if s["status"] == "booked"
            )
        )

    def _run_riders(self, run: Run) -> int:
        """The riders of a run."""
        return sum(1 for s in self._seats_by_run.get(run["id"], {}).values() if s["status"] in ("booked", "rode"))

    def _on_the_way(self, d: Person, s: Stop) -> bool:
        return s["id"] == d["stop_id"] or s in _above(self.stops, self.stops[d["stop_id"]], "toward_id")

    def _stop_detour(self, d: Person, s: Stop) -> int:
        return (
            0
            if self._on_the_way(d, s)
            else 2 * s["minutes"]
            if s["toward_id"] is not None and self._on_the_way(d, self.stops[s["toward_id"]])
            else 99
        )

    def _detour(self, d: Person, r: Person) -> int:
        return self._stop_detour(d, self.stops[r["stop_id"]])

    def _sits(self, s: Seat) -> bool:
        return s["status"] in ("booked", "rode")

    def _all_detours(self, d: Person, run: Run) -> int:
        return sum(
            self._stop_detour(d, t)
            for t in _those(
                self.stops,
                [self.people[s["rider_id"]]["stop_id"] for s in self._seats_by_run.get(run["id"], {}).values()],
            )
            if any(
                self.people[s["rider_id"]]["stop_id"] == t["id"]
                for s in self._seats_by_run.get(run["id"], {}).values()
                if self._sits(s)
            )
        )

    def _added(self, run: Run, p: Person) -> int:
        return (
            0
            if any(
                self.people[s["rider_id"]]["stop_id"] == p["stop_id"]
                for s in self._seats_by_run.get(run["id"], {}).values()
                if self._sits(s)
            )
            else self._stop_detour(self.people[run["driver_id"]], self.stops[p["stop_id"]])
        )

    def _children_in(self, run: Run) -> int:
        return sum(
            1
            for s in self._seats_by_run.get(run["id"], {}).values()
            if self._sits(s)
            and self.people[s["rider_id"]]["guardian_id"] is not None
        )

    def _away(self, p: Person, d: str) -> bool:
        return any(a["starts"] <= d and d <= a["ends"] for a in self._absences_by_person.get(p["id"], {}).values())

    def _seat_on(self, p: Person, d: str, way: str) -> Seat | None:
        return next(
            (
                s
                for s in sorted(self._seats_by_rider.get(p["id"], {}).values(), key=_age)
                if self._sits(s)
                and self.runs[s["run_id"]]["on"] == d
                and self.runs[s["run_id"]]["way"] == way
                and self.runs[s["run_id"]]["status"] != "cancelled"
            ),
            None,
        )

    def _drive_on(self, p: Person, d: str, way: str) -> Run | None:
        return next(
            (
                r
                for r in sorted(self._runs_by_driver_way.get((p["id"], way), {}).values(), key=_age)
                if r["on"] == d
                and r["status"] != "cancelled"
            ),
            None,
        )

    def _takes(self, run: Run, p: Person) -> bool:
        return (
            run["status"] == "planned"
            and run["driver_id"] != p["id"]
            and self._run_riders(run) < self.cars[run["car_id"]]["seats"]
            and (p["guardian_id"] is None or self._children_in(run) < self.cars[run["car_id"]]["child_seats"])
            and self._all_detours(
                self.people[run["driver_id"]],
                run,
            ) + self._added(run, p) <= self.people[run["driver_id"]]["most_detour"]
        )

    def _payer(self, p: Person) -> Person:
        return self.people.get(p["guardian_id"]) or p

    def _could_drive(self, p: Person, run: Run) -> bool:
        return (
            p["drives"]
            and p["id"] != run["driver_id"]
            and not self._away(p, run["on"])
            and self._drive_on(p, run["on"], run["way"]) is None
            and self._seat_on(p, run["on"], run["way"]) is None
            and self._all_detours(p, run) <= p["most_detour"]
        )

    def _breaks_rule_1(self, r: Run) -> bool:
        """Whether this is broken: a car never has more riders than seats."""
        return r["status"] != "cancelled" and self._run_riders(r) > self.cars[r["car_id"]]["seats"]

    def _breaks_rule_2(self, r: Run) -> bool:
        """Whether this is broken: every child sits in a child seat."""
        return (
            r["status"] == "planned"
            and sum(
                1
                for s in self._seats_by_run_status.get((r["id"], "booked"), {}).values()
                if self.people[s["rider_id"]]["guardian_id"] is not None
            ) > self.cars[r["car_id"]]["child_seats"]
        )

    def _breaks_rule_3(self, s: Seat) -> bool:
        """Whether this is broken: nobody sits in two cars at once."""
        return (
            self._sits(s)
            and any(
                other_s is not s
                for other_s in self._seats_by_rider.get(s["rider_id"], {}).values()
                if self.runs[other_s["run_id"]]["on"] == self.runs[s["run_id"]]["on"]
                and self.runs[other_s["run_id"]]["way"] == self.runs[s["run_id"]]["way"]
                and self._sits(other_s)
            )
        )

    def _breaks_rule_4_r(self, r: Run) -> bool:
        """Whether this is broken: a car and a driver make one run at a time."""
        return (
            r["status"] != "cancelled"
            and any(
                other_r is not r
                for other_r in self._runs_by_driver_way.get((r["driver_id"], r["way"]), {}).values()
                if other_r["on"] == r["on"]
                and other_r["status"] != "cancelled"
            )
        )

    def _breaks_rule_4_r_again(self, r: Run) -> bool:
        """Whether this is broken: a car and a driver make one run at a time."""
        return (
            r["status"] != "cancelled"
            and any(
                other_r is not r
                for other_r in self._runs_by_car_way.get((r["car_id"], r["way"]), {}).values()
                if other_r["on"] == r["on"]
                and other_r["status"] != "cancelled"
            )
        )

    def _breaks_rule_5_s(self, s: Seat) -> bool:
        """Whether this is broken: whoever drives is not a rider at the same time."""
        return (
            s["status"] == "booked"
            and any(
                r["on"] == self.runs[s["run_id"]]["on"]
                for r in self._runs_by_driver_way_status.get(
                    (s["rider_id"], self.runs[s["run_id"]]["way"], "planned"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_5_r(self, r: Run) -> bool:
        """Whether this is broken: whoever drives is not a rider at the same time."""
        return (
            r["status"] == "planned"
            and any(
                r["way"] == self.runs[s["run_id"]]["way"]
                for s in self._seats_by_rider_status.get((r["driver_id"], "booked"), {}).values()
                if r["on"] == self.runs[s["run_id"]]["on"]
            )
        )

    def _breaks_rule_6(self, r: Run) -> bool:
        """Whether this is broken: drivers make no longer detours than they are willing to, each stop counted once.
        """
        return (
            r["status"] == "planned"
            and self._all_detours(self.people[r["driver_id"]], r) > self.people[r["driver_id"]]["most_detour"]
        )

    def _breaks_rule_7(self, r: Run) -> bool:
        """Whether this is broken: only people with a licence drive."""
        return not self.people[r["driver_id"]]["drives"]

    def _breaks_rule_8_s(self, s: Seat) -> bool:
        """Whether this is broken: nobody rides or drives while they are away."""
        return (
            s["status"] == "booked"
            and any(
                a["starts"] <= self.runs[s["run_id"]]["on"]
                and self.runs[s["run_id"]]["on"] <= a["ends"]
                for a in self._absences_by_person.get(s["rider_id"], {}).values()
            )
        )

    def _breaks_rule_8_a(self, a: Absence) -> bool:
        """Whether this is broken: nobody rides or drives while they are away."""
        return any(
            a["starts"] <= self.runs[s["run_id"]]["on"]
            and self.runs[s["run_id"]]["on"] <= a["ends"]
            for s in self._seats_by_rider_status.get((a["person_id"], "booked"), {}).values()
        )

    def _breaks_rule_8_r(self, r: Run) -> bool:
        """Whether this is broken: nobody rides or drives while they are away."""
        return (
            r["status"] == "planned"
            and any(
                a["starts"] <= r["on"]
                and r["on"] <= a["ends"]
                for a in self._absences_by_person.get(r["driver_id"], {}).values()
            )
        )

    def _breaks_rule_8_a_again(self, a: Absence) -> bool:
        """Whether this is broken: nobody rides or drives while they are away."""
        return any(
            a["starts"] <= r["on"]
            and r["on"] <= a["ends"]
            for r in self._runs_by_driver_status.get((a["person_id"], "planned"), {}).values()
        )

    def _breaks_rule_9(self, p: Person) -> bool:
        """Whether this is broken: nobody falls more than twelve points behind, with the seats that are booked."""
        return self._person_standing(p) < -12

    def _breaks_rule_10_a(self, a: Absence) -> bool:
        """Whether this is broken: the absences of a person do not overlap."""
        return any(
            a["ends"] >= b["starts"]
            and b["ends"] >= a["starts"]
            for b in self._absences_by_person.get(a["person_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_10_a_again(self, a: Absence) -> bool:
        """Whether this is broken: the absences of a person do not overlap."""
        return a["starts"] > a["ends"]

    def _breaks_rule_11(self, s: Seat) -> bool:
        """Whether this is broken: a cancelled run has no riders."""
        return self._sits(s) and self.runs[s["run_id"]]["status"] == "cancelled"

    def _breaks_rule_12(self, c: Car) -> bool:
        """Whether this is broken: a car has no more child seats than seats."""
        return c["child_seats"] > c["seats"]

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
            case "people":
                self._people_by_guardian.setdefault(record["guardian_id"], {})[record["id"]] = record
            case "runs":
                self._runs_by_car_status.setdefault((record["car_id"], record["status"]), {})[record["id"]] = record
                self._runs_by_car_way.setdefault((record["car_id"], record["way"]), {})[record["id"]] = record
                self._runs_by_driver_status.setdefault((record["driver_id"], record["status"]), {})[record["id"]] = record
                self._runs_by_driver_way.setdefault((record["driver_id"], record["way"]), {})[record["id"]] = record
                self._runs_by_driver_way_status.setdefault(
                    (record["driver_id"], record["way"], record["status"]),
                    {},
                )[record["id"]] = record
            case "seats":
                self._seats_by_rider.setdefault(record["rider_id"], {})[record["id"]] = record
                self._seats_by_rider_status.setdefault((record["rider_id"], record["status"]), {})[record["id"]] = record
                self._seats_by_run.setdefault(record["run_id"], {})[record["id"]] = record
                self._seats_by_run_rider_status.setdefault(
                    (record["run_id"], record["rider_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._seats_by_run_status.setdefault((record["run_id"], record["status"]), {})[record["id"]] = record
            case "absences":
                self._absences_by_person.setdefault(record["person_id"], {})[record["id"]] = record
            case "gifts":
                self._gifts_by_giver.setdefault(record["giver_id"], {})[record["id"]] = record
                self._gifts_by_taker.setdefault(record["taker_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "people":
                del self._people_by_guardian[record["guardian_id"]][record["id"]]
            case "runs":
                del self._runs_by_car_status[record["car_id"], record["status"]][record["id"]]
                del self._runs_by_car_way[record["car_id"], record["way"]][record["id"]]
                del self._runs_by_driver_status[record["driver_id"], record["status"]][record["id"]]
                del self._runs_by_driver_way[record["driver_id"], record["way"]][record["id"]]
                del self._runs_by_driver_way_status[record["driver_id"], record["way"], record["status"]][record["id"]]
            case "seats":
                del self._seats_by_rider[record["rider_id"]][record["id"]]
                del self._seats_by_rider_status[record["rider_id"], record["status"]][record["id"]]
                del self._seats_by_run[record["run_id"]][record["id"]]
                del self._seats_by_run_rider_status[record["run_id"], record["rider_id"], record["status"]][record["id"]]
                del self._seats_by_run_status[record["run_id"], record["status"]][record["id"]]
            case "absences":
                del self._absences_by_person[record["person_id"]][record["id"]]
            case "gifts":
                del self._gifts_by_giver[record["giver_id"]][record["id"]]
                del self._gifts_by_taker[record["taker_id"]][record["id"]]
