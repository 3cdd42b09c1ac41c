"""Pool cars. Compiled from blueprint.yaml; run `envscaler build pool_cars` after changing it there.

Lends the cars of a company pool, with licence checks, keys in a box, odometers, kilometres left to the next
service, defects and fuel cards with a monthly limit.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A car is on one trip at a time.",
    "A driver is on one trip at a time.",
    "The driver has the licence that the car needs.",
    "The licence of a driver was checked within half a year of the end of the trip.",
    "The kilometres planned with a car never go past its next service.",
    "Whoever is out with a car holds a key of it.",
    "A key is with people who are out with the car, and lost keys are with nobody.",
    "Odometers only go forward.",
    "A car has one fuel card that works.",
    "What is bought on a fuel card in a month stays within its limit.",
    "Fuel is bought with the card of the car that is on the trip.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_trip",
    "swap_car",
    "cancel_trip",
    "hand_out",
    "take_back",
    "check_licence",
    "record_fuel",
    "replace_card",
    "report_key_lost",
    "report_defect",
    "service_car",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "cars": ("plate",),
    "drivers": ("name",),
    "keys": ("tag",),
    "fuel_cards": ("number",),
    "trips": (),
    "refuellings": (),
    "defects": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("defects", "car_id"),
    ("fuel_cards", "car_id"),
    ("fuel_cards", "number"),
    ("keys", "car_id"),
    ("keys", "holder_id"),
    ("refuellings", "card_id"),
    ("refuellings", "trip_id"),
    ("trips", "car_id"),
    ("trips", "driver_id"),
    ("trips", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Car(TypedDict):
    id: str
    plate: str
    kind: Literal["small", "estate", "van", "truck"]
    licence: Literal["b", "c1"]
    odometer: int
    serviced_at: int
    service_every: int
    inspected_until: str | None


class Driver(TypedDict):
    id: str
    name: str
    classes: list[Literal["b", "c1"]]
    checked_on: str | None


class Key(TypedDict):
    id: str
    tag: str
    car_id: str
    holder_id: str | None
    lost: bool


class FuelCard(TypedDict):
    id: str
    number: str
    car_id: str
    monthly_limit: int
    blocked: bool


class Trip(TypedDict):
    id: str
    driver_id: str
    car_id: str
    starts: str
    ends: str
    km_planned: int
    km_out: int | None
    km_back: int | None
    status: Literal["booked", "out", "cancelled", "back"]


class Refuelling(TypedDict):
    id: str
    card_id: str
    trip_id: str
    on: str
    odometer: int
    litres: int
    amount: int


class Defect(TypedDict):
    id: str
    car_id: str
    note: str
    serious: bool
    fixed_on: str | None


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


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class PoolCars:
    """Lends the cars of a company pool, with licence checks, keys in a box, odometers, kilometres left to
    the next service, defects and fuel cards with a monthly limit.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.cars: dict[str, Car] = _copied(config.get("cars", {}))
        self.drivers: dict[str, Driver] = _copied(config.get("drivers", {}))
        self.keys: dict[str, Key] = _copied(config.get("keys", {}))
        self.fuel_cards: dict[str, FuelCard] = _copied(config.get("fuel_cards", {}))
        self.trips: dict[str, Trip] = _copied(config.get("trips", {}))
        self.refuellings: dict[str, Refuelling] = _copied(config.get("refuellings", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.now: str = config.get("now", "2026-09-08T07:50")
        self.counters: dict[str, int] = {
            "car": len(self.cars),
            "driver": len(self.drivers),
            "key": len(self.keys),
            "fuel_card": len(self.fuel_cards),
            "trip": len(self.trips),
            "refuelling": len(self.refuellings),
            "defect": len(self.defects),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._keys_by_car: dict[Any, dict[str, Key]] = {}
        self._keys_by_car_holder: dict[Any, dict[str, Key]] = {}
        self._keys_by_holder: dict[Any, dict[str, Key]] = {}
        self._fuel_cards_by_car: dict[Any, dict[str, FuelCard]] = {}
        self._fuel_cards_by_lower_number: dict[Any, dict[str, FuelCard]] = {}
        self._fuel_cards_by_number: dict[Any, dict[str, FuelCard]] = {}
        self._trips_by_car: dict[Any, dict[str, Trip]] = {}
        self._trips_by_car_status: dict[Any, dict[str, Trip]] = {}
        self._trips_by_driver: dict[Any, dict[str, Trip]] = {}
        self._trips_by_driver_status: dict[Any, dict[str, Trip]] = {}
        self._refuellings_by_card: dict[Any, dict[str, Refuelling]] = {}
        self._refuellings_by_trip: dict[Any, dict[str, Refuelling]] = {}
        self._defects_by_car: dict[Any, dict[str, Defect]] = {}
        for key in self.keys.values():
            self._link("keys", key)
        for fuel_card in self.fuel_cards.values():
            self._link("fuel_cards", fuel_card)
        for trip in self.trips.values():
            self._link("trips", trip)
        for refuelling in self.refuellings.values():
            self._link("refuellings", refuelling)
        for defect in self.defects.values():
            self._link("defects", defect)

    def free_cars(
        self,
        driver_id: str,
        starts: DateTime,
        ends: DateTime,
        km: Annotated[int, {"minimum": 5, "maximum": 2500}],
        kind: Literal["small", "estate", "van", "truck"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Cars that somebody could take for a time and a distance, by licence, bookings, defects and kilometres left;
        the one with the most left first.

        Args:
            driver_id (str): Id of the driver, such as DRIVER-00001.
            starts (str): When the trip would begin, as YYYY-MM-DDTHH:MM.
            ends (str): When the trip would end, as YYYY-MM-DDTHH:MM.
            km (int): Distance that would be driven in kilometres, from 5 to 2500.
            kind (str, optional): Kind of cars listed: small, estate, van or truck. If left out, cars of all kinds
                are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}} or {"success": False, "error": why
                not}
        """
        driver = self.drivers.get(driver_id)
        if driver is None:
            return _refused(f"There is no driver {driver_id!r}.")
        if starts >= ends:
            return _refused(f"The end must come after {starts}.")
        found = [
            c
            for c in self.cars.values()
            if self._suits(c, driver, starts, ends, km)
            and (kind is None or c["kind"] == kind)
        ]
        found.sort(key=lambda c: (-(self._car_left(c) - self._car_reserved(c)), c["plate"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cars": [
                    {
                        "id": c["id"],
                        "plate": c["plate"],
                        "kind": c["kind"],
                        "left_unreserved": self._car_left(c) - self._car_reserved(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def service_list(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Cars by the kilometres left to their service that no trip has reserved, the most urgent first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}} or {"success": False, "error": why
                not}
        """
        found = [c for c in self.cars.values()]
        found.sort(key=lambda c: (self._car_left(c) - self._car_reserved(c), c["plate"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cars": [
                    {
                        "id": c["id"],
                        "plate": c["plate"],
                        "odometer": c["odometer"],
                        "left": self._car_left(c),
                        "reserved": self._car_reserved(c),
                        "inspected_until": c["inspected_until"],
                        "open_defects": [
                            *[
                                d["note"]
                                for d in sorted(self._defects_by_car.get(c["id"], {}).values(), key=_age)
                                if d["fixed_on"] is None
                            ]
                        ],
                        "out": any(t["status"] == "out" for t in self._trips_by_car.get(c["id"], {}).values()),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def card_status(self, card_id: str) -> Result:
        """What a fuel card has left this month.

        Args:
            card_id (str): Fuel card that is looked at; an id such as FC-00001.

        Returns:
            dict: {"success": True, "data": {car, spent, left, blocked}} or {"success": False, "error": why not}
        """
        card = self.fuel_cards.get(card_id)
        if card is None:
            return _refused(f"There is no fuel card {card_id!r}.")
        return _found(
            {
                "car": self.cars[card["car_id"]]["plate"],
                "spent": self._spent(card, self.now[:10]),
                "left": card["monthly_limit"] - self._spent(card, self.now[:10]),
                "blocked": card["blocked"],
            }
        )

    def key_box(self, car_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The keys of a car, in the box, with somebody or lost.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "keys": records}} or {"success": False, "error": why
                not}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        found = [k for k in self._keys_by_car.get(car_id, {}).values()]
        found.sort(key=lambda k: (k["tag"], _age(k)))
        shown = [{**k} for k in _page(found, offset)]
        return _found({"total": len(found), "keys": shown}, self._names_of_keys(shown))

    def list_cars(
        self,
        plate: Text | None = None,
        kind: Literal["small", "estate", "van", "truck"] | None = None,
        licence: Literal["b", "c1"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cars, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only cars whose plate contains this text.
            kind (str, optional): Only cars with this kind.
            licence (str, optional): Only cars with this licence.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}}
        """
        found = [
            car
            for car in self.cars.values()
            if (plate is None or plate.casefold() in car["plate"].casefold())
            and (kind is None or car["kind"] == kind)
            and (licence is None or car["licence"] == licence)
        ]
        return _found({"total": len(found), "cars": [self._show_car(car) for car in _page(found, offset)]})

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
        return _found(
            {"total": len(found), "drivers": [self._show_driver(driver) for driver in _page(found, offset)]}
        )

    def list_keys(
        self,
        tag: Text | None = None,
        car_id: str | None = None,
        holder_id: str | None = None,
        lost: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the keys, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only keys whose tag contains this text.
            car_id (str, optional): Only keys of this car.
            holder_id (str, optional): Only keys whose holder is this driver.
            lost (bool, optional): Only keys with this value of `lost`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "keys": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        if holder_id is not None and holder_id not in self.drivers:
            return _refused(f"There is no driver {holder_id!r}.")
        found = [
            key
            for key in self.keys.values()
            if (tag is None or tag.casefold() in key["tag"].casefold())
            and (car_id is None or key["car_id"] == car_id)
            and (holder_id is None or key["holder_id"] == holder_id)
            and (lost is None or key["lost"] == lost)
        ]
        shown = [{**key} for key in _page(found, offset)]
        return _found({"total": len(found), "keys": shown}, self._names_of_keys(shown))

    def list_fuel_cards(
        self,
        number: Text | None = None,
        car_id: str | None = None,
        blocked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fuel cards, oldest first, all of them or only some.

        Args:
            number (str, optional): Only fuel cards whose number contains this text.
            car_id (str, optional): Only fuel cards of this car.
            blocked (bool, optional): Only fuel cards that are blocked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fuel_cards": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        found = [
            fuel_card
            for fuel_card in self.fuel_cards.values()
            if (number is None or number.casefold() in fuel_card["number"].casefold())
            and (car_id is None or fuel_card["car_id"] == car_id)
            and (blocked is None or fuel_card["blocked"] == blocked)
        ]
        shown = [{**fuel_card} for fuel_card in _page(found, offset)]
        return _found({"total": len(found), "fuel_cards": shown}, self._names_of_fuel_cards(shown))

    def list_trips(
        self,
        driver_id: str | None = None,
        car_id: str | None = None,
        status: Literal["booked", "out", "cancelled", "back"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the trips, oldest first, all of them or only some.

        Args:
            driver_id (str, optional): Only trips of this driver.
            car_id (str, optional): Only trips of this car.
            status (str, optional): Only trips with this status.
            starts_from (str, optional): Only trips whose `starts` is on this day or later.
            starts_to (str, optional): Only trips whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "trips": records}}
        """
        if driver_id is not None and driver_id not in self.drivers:
            return _refused(f"There is no driver {driver_id!r}.")
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        found = [
            trip
            for trip in self.trips.values()
            if (driver_id is None or trip["driver_id"] == driver_id)
            and (car_id is None or trip["car_id"] == car_id)
            and (status is None or trip["status"] == status)
            and (starts_from is None or trip["starts"][:10] >= starts_from)
            and (starts_to is None or trip["starts"][:10] <= starts_to)
        ]
        shown = [{**trip} for trip in _page(found, offset)]
        return _found({"total": len(found), "trips": shown}, self._names_of_trips(shown))

    def list_refuellings(
        self,
        card_id: str | None = None,
        trip_id: str | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the refuellings, oldest first, all of them or only some.

        Args:
            card_id (str, optional): Only refuellings whose card is this fuel card.
            trip_id (str, optional): Only refuellings of this trip.
            on_from (str, optional): Only refuellings whose `on` is on this day or later.
            on_to (str, optional): Only refuellings whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "refuellings": records}}
        """
        if card_id is not None and card_id not in self.fuel_cards:
            return _refused(f"There is no fuel card {card_id!r}.")
        if trip_id is not None and trip_id not in self.trips:
            return _refused(f"There is no trip {trip_id!r}.")
        found = [
            refuelling
            for refuelling in self.refuellings.values()
            if (card_id is None or refuelling["card_id"] == card_id)
            and (trip_id is None or refuelling["trip_id"] == trip_id)
            and (on_from is None or refuelling["on"] >= on_from)
            and (on_to is None or refuelling["on"] <= on_to)
        ]
        shown = [{**refuelling} for refuelling in _page(found, offset)]
        return _found({"total": len(found), "refuellings": shown}, self._names_of_refuellings(shown))

    def list_defects(
        self,
        car_id: str | None = None,
        serious: bool | None = None,
        fixed_on_from: Date | None = None,
        fixed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            car_id (str, optional): Only defects of this car.
            serious (bool, optional): Only defects that are serious (true) or not (false).
            fixed_on_from (str, optional): Only defects whose `fixed_on` is on this day or later.
            fixed_on_to (str, optional): Only defects whose `fixed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (car_id is None or defect["car_id"] == car_id)
            and (serious is None or defect["serious"] == serious)
            and (fixed_on_from is None or (defect["fixed_on"] is not None and defect["fixed_on"] >= fixed_on_from))
            and (fixed_on_to is None or (defect["fixed_on"] is not None and defect["fixed_on"] <= fixed_on_to))
        ]
        shown = [{**defect} for defect in _page(found, offset)]
        return _found({"total": len(found), "defects": shown}, self._names_of_defects(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_trip(
        self,
        driver_id: str,
        car_id: str,
        starts: DateTime,
        ends: DateTime,
        km: Annotated[int, {"minimum": 5, "maximum": 2500}],
    ) -> Result:
        """Book a car for a trip.

        Args:
            driver_id (str): Id of the driver, such as DRIVER-00001.
            car_id (str): Id of the car, such as CAR-00001.
            starts (str): When the trip begins, not in the past, as YYYY-MM-DDTHH:MM.
            ends (str): When the trip ends, within two weeks of its beginning, as YYYY-MM-DDTHH:MM.
            km (int): Distance that is to be driven in kilometres, from 5 to 2500.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        driver = self.drivers.get(driver_id)
        if driver is None:
            return _refused(f"There is no driver {driver_id!r}.")
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if self.now > starts or starts >= ends:
            return _refused("A trip begins now or later and ends after it begins.")
        if _minutes_between(starts, ends) > 14 * 1440:
            return _refused("A trip takes two weeks at most.")
        if car["licence"] not in driver["classes"]:
            return _refused(f"{car['plate']} needs licence {car['licence']}, which {driver['name']} does not have.")
        if not self._checked(driver, ends[:10]):
            return _refused(f"The licence of {driver['name']} must be checked again first.")
        other = self._taken(car, starts, ends, None)
        if other is not None:
            return _refused(
                f"{car['plate']} is with {self.drivers[other['driver_id']]['name']} from {other['starts']} to "
                f"{other['ends']}."
            )
        own = self._driving(driver, starts, ends)
        if own is not None:
            return _refused(
                f"{driver['name']} has {self.cars[own['car_id']]['plate']} from {own['starts']} to {own['ends']}."
            )
        defect = self._unsafe(car)
        if defect is not None:
            return _refused(f"{car['plate']} must not be driven because of this defect, {defect['note']}.")
        if not self._inspected(car, ends[:10]):
            return _refused(
                f"The inspection of {car['plate']} ends before {ends}; have it serviced and inspected first."
            )
        if self._car_reserved(car) + km > self._car_left(car):
            return _refused(
                f"{car['plate']} has {self._car_left(car) - self._car_reserved(car)} kilometres left to its "
                f"service, not {km}."
            )
        self._journal = []
        trip: Trip = {
            "id": self._new_id("trip", "TRIP", self.trips),
            "driver_id": driver_id,
            "car_id": car_id,
            "starts": starts,
            "ends": ends,
            "km_planned": km,
            "km_out": None,
            "km_back": None,
            "status": "booked",
        }
        self._add("trips", trip)
        if self._breaks_rule_1(trip):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(trip):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(trip):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(trip):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.cars[trip["car_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(trip):
            return self._take_back(RULES[5])
        for one_key in _distinct(self._keys_by_car.get(trip["car_id"], {}).values()):
            if self._breaks_rule_7(one_key):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(trip):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: book {car['plate']} for {driver['name']} from {starts} to {ends} (new: trip {trip['id']})."
            ),
            "data": {"trip_id": trip["id"], **self._changes()},
        }

    def swap_car(self, trip_id: str, car_id: str) -> Result:
        """Give a booked trip another car.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.
            car_id (str): Id of the car, such as CAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if trip["status"] != "booked":
            return _refused(f"The trip of {self.drivers[trip['driver_id']]['name']} is {trip['status']}.")
        if car_id == trip["car_id"]:
            return _refused(f"{self.drivers[trip['driver_id']]['name']} has {car['plate']} already.")
        if car["licence"] not in self.drivers[trip["driver_id"]]["classes"]:
            return _refused(
                f"{car['plate']} needs licence {car['licence']}, which {self.drivers[trip['driver_id']]['name']} "
                "does not have."
            )
        other = self._taken(car, trip["starts"], trip["ends"], trip)
        if other is not None:
            return _refused(
                f"{car['plate']} is with {self.drivers[other['driver_id']]['name']} from {other['starts']} to "
                f"{other['ends']}."
            )
        defect = self._unsafe(car)
        if defect is not None:
            return _refused(f"{car['plate']} must not be driven because of this defect, {defect['note']}.")
        if not self._inspected(car, trip["ends"][:10]):
            return _refused(
                f"The inspection of {car['plate']} ends before {trip['ends']}; have it serviced and inspected first."
            )
        if self._car_reserved(car) + trip["km_planned"] > self._car_left(car):
            return _refused(
                f"{car['plate']} has {self._car_left(car) - self._car_reserved(car)} kilometres left to its "
                f"service, not {trip['km_planned']}."
            )
        done = f"give {self.drivers[trip['driver_id']]['name']} {car['plate']} in place of {self.cars[trip['car_id']]['plate']}"
        self._journal = []
        former_car_id = trip["car_id"]
        self._put("trips", trip, "car_id", car_id)
        if self._breaks_rule_1(trip):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(trip):
            return self._take_back(RULES[2])
        if self._breaks_rule_5(self.cars[trip["car_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(self.cars[former_car_id]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(trip):
            return self._take_back(RULES[5])
        for one_key in _distinct(
            [*self._keys_by_car.get(trip["car_id"], {}).values(), *self._keys_by_car.get(former_car_id, {}).values()]
        ):
            if self._breaks_rule_7(one_key):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(trip):
            return self._take_back(RULES[7])
        for one_refuelling in _distinct(self._refuellings_by_trip.get(trip["id"], {}).values()):
            if self._breaks_rule_11(one_refuelling):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_trip(self, trip_id: str) -> Result:
        """Cancel a booked trip.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] != "booked":
            return _refused(f"The trip of {self.drivers[trip['driver_id']]['name']} is {trip['status']}.")
        self._journal = []
        self._put("trips", trip, "status", "cancelled")
        if self._breaks_rule_1(trip):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(trip):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(trip):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(trip):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.cars[trip["car_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(trip):
            return self._take_back(RULES[5])
        for one_key in _distinct(self._keys_by_car.get(trip["car_id"], {}).values()):
            if self._breaks_rule_7(one_key):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(trip):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: cancel the trip of {self.drivers[trip['driver_id']]['name']} with "
                f"{self.cars[trip['car_id']]['plate']}."
            ),
            "data": self._changes(),
        }

    def hand_out(self, trip_id: str) -> Result:
        """Hand out a key for a booked trip, from two hours before it begins; the odometer is taken from the car.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] != "booked":
            return _refused(f"The trip of {self.drivers[trip['driver_id']]['name']} is {trip['status']}.")
        if _plus_minutes(trip["starts"], -120) > self.now or self.now >= trip["ends"]:
            return _refused(
                f"The trip of {self.drivers[trip['driver_id']]['name']} is from {trip['starts']} to {trip['ends']}."
            )
        away = next(
            (t for t in sorted(self._trips_by_car_status.get((trip["car_id"], "out"), {}).values(), key=_age)),
            None,
        )
        if away is not None:
            return _refused(
                f"{self.cars[trip['car_id']]['plate']} is still out with {self.drivers[away['driver_id']]['name']}."
            )
        defect = self._unsafe(self.cars[trip["car_id"]])
        if defect is not None:
            return _refused(
                f"{self.cars[trip['car_id']]['plate']} must not be driven because of this defect, {defect['note']}."
            )
        one = self._key_in_box(self.cars[trip["car_id"]])
        if one is None:
            return _refused(f"There is no key of {self.cars[trip['car_id']]['plate']} in the box.")
        self._journal = []
        self._put("trips", trip, "km_out", self.cars[trip["car_id"]]["odometer"])
        former_holder_id = one["holder_id"]
        self._put("keys", one, "holder_id", trip["driver_id"])
        self._put("trips", trip, "status", "out")
        if self._breaks_rule_1(trip):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(trip):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(trip):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(trip):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.cars[trip["car_id"]]):
            return self._take_back(RULES[4])
        for one_trip in _distinct(
            [
                trip,
                *[
                    user
                    for one in [self.drivers.get(one["holder_id"]) for one in [one]]
                    if one is not None
                    for user in self._trips_by_driver_status.get((one["id"], "out"), {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(former_holder_id)]
                    if one is not None
                    for user in self._trips_by_driver_status.get((former_holder_id, "out"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_trip):
                return self._take_back(RULES[5])
        for one_key in _distinct([one, *self._keys_by_car.get(trip["car_id"], {}).values()]):
            if self._breaks_rule_7(one_key):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(trip):
            return self._take_back(RULES[7])
        for one_refuelling in _distinct(self._refuellings_by_trip.get(trip["id"], {}).values()):
            if self._breaks_rule_11(one_refuelling):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hand out {self.cars[trip['car_id']]['plate']} to {self.drivers[trip['driver_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def take_back(self, trip_id: str, odometer: Annotated[int, {"minimum": 0, "maximum": 400000}]) -> Result:
        """Take a car back and note its odometer; the keys go back into the box.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.
            odometer (int): Kilometres on the odometer now, at least the last figure known, from 0 to 400000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] != "out":
            return _refused(f"The trip of {self.drivers[trip['driver_id']]['name']} is {trip['status']}.")
        if (
            self.cars[trip["car_id"]]["odometer"] > odometer
            or odometer > self.cars[trip["car_id"]]["odometer"] + 4000
        ):
            return _refused(
                f"The odometer of {self.cars[trip['car_id']]['plate']} stood at "
                f"{self.cars[trip['car_id']]['odometer']}; {odometer} cannot be right."
            )
        if any(r["odometer"] > odometer for r in self._refuellings_by_trip.get(trip_id, {}).values()):
            return _refused("A refuelling on this trip has a higher odometer.")
        if (
            self.cars[trip["car_id"]]["serviced_at"] + self.cars[trip["car_id"]]["service_every"] - odometer < self._car_reserved(
                self.cars[trip["car_id"]]
            ) - trip["km_planned"]
            and self._car_reserved(self.cars[trip["car_id"]]) != trip["km_planned"]
        ):
            return _refused(
                f"Other trips with {self.cars[trip['car_id']]['plate']} would go past its service; give one of "
                "them another car first."
            )
        self._journal = []
        changed_keys: list[Any] = []
        former_holder_ids: list[Any] = []
        self._put("trips", trip, "km_back", odometer)
        car = self.cars[trip["car_id"]]
        self._put("cars", car, "odometer", odometer)
        self._put("trips", trip, "status", "back")
        for k in sorted(self._keys_by_car_holder.get((trip["car_id"], trip["driver_id"]), {}).values(), key=_age):
            changed_keys.append(k)
            former_holder_ids.append(k["holder_id"])
            self._put("keys", k, "holder_id", None)
        if self._breaks_rule_1(trip):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(trip):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(trip):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(trip):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(car):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(self.cars[trip["car_id"]]):
            return self._take_back(RULES[4])
        for one_trip in _distinct(
            [
                trip,
                *[
                    user
                    for one in [self.drivers.get(one["holder_id"]) for one in changed_keys]
                    if one is not None
                    for user in self._trips_by_driver_status.get((one["id"], "out"), {}).values()
                ],
                *[
                    user
                    for one in [self.drivers.get(key) for key in former_holder_ids]
                    if one is not None
                    for user in self._trips_by_driver_status.get((one["id"], "out"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_trip):
                return self._take_back(RULES[5])
        for one_key in _distinct([*self._keys_by_car.get(trip["car_id"], {}).values(), *changed_keys]):
            if self._breaks_rule_7(one_key):
                return self._take_back(RULES[6])
        for one_trip in _distinct([trip, *self._trips_by_car_status.get((car["id"], "back"), {}).values()]):
            if self._breaks_rule_8(one_trip):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: take {self.cars[trip['car_id']]['plate']} back from "
                f"{self.drivers[trip['driver_id']]['name']} at {odometer} kilometres."
            ),
            "data": self._changes(),
        }

    def check_licence(self, driver_id: str, valid: bool = True) -> Result:
        """Note that somebody showed a valid licence today, or that it turned out to be withdrawn.

        Args:
            driver_id (str): Id of the driver, such as DRIVER-00001.
            valid (bool): Whether the licence shown is valid rather than withdrawn. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        driver = self.drivers.get(driver_id)
        if driver is None:
            return _refused(f"There is no driver {driver_id!r}.")
        if valid and driver["checked_on"] is not None and driver["checked_on"] >= self.now[:10]:
            return _refused(f"The licence of {driver['name']} was checked today.")
        if not (valid or not any(self._live(t) for t in self._trips_by_driver.get(driver_id, {}).values())):
            return _refused(f"{driver['name']} has a car booked or out; cancel that or take it back first.")
        self._journal = []
        self._put("drivers", driver, "checked_on", self.now[:10] if valid else None)
        for one_trip in _distinct(self._trips_by_driver.get(driver["id"], {}).values()):
            if self._breaks_rule_4(one_trip):
                return self._take_back(RULES[3])
        return {"success": True, "message": f"Done: check the licence of {driver['name']}.", "data": self._changes()}

    def record_fuel(
        self,
        trip_id: str,
        odometer: Annotated[int, {"minimum": 0, "maximum": 400000}],
        litres: Annotated[int, {"minimum": 1, "maximum": 120}],
        amount: Annotated[int, {"minimum": 100, "maximum": 40000}],
    ) -> Result:
        """Record what was bought on the fuel card of a car during a trip.

        Args:
            trip_id (str): Id of the trip, such as TRIP-00001.
            odometer (int): Kilometres on the odometer at the pump, from 0 to 400000.
            litres (int): Fuel bought in litres, from 1 to 120.
            amount (int): Price of the fuel, within what the card has left this month, in cents, from 100 to 40000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        trip = self.trips.get(trip_id)
        if trip is None:
            return _refused(f"There is no trip {trip_id!r}.")
        if trip["status"] != "out" or trip["km_out"] is None:
            return _refused(f"The trip of {self.drivers[trip['driver_id']]['name']} is {trip['status']}.")
        card = next(
            (
                f
                for f in sorted(self._fuel_cards_by_car.get(trip["car_id"], {}).values(), key=_age)
                if not f["blocked"]
            ),
            None,
        )
        if card is None:
            return _refused(f"{self.cars[trip['car_id']]['plate']} has no fuel card that works.")
        if trip["km_out"] > odometer or odometer > trip["km_out"] + 4000:
            return _refused(
                f"{self.cars[trip['car_id']]['plate']} left with {trip['km_out']} kilometres; {odometer} cannot "
                "be right."
            )
        if self._spent(card, self.now[:10]) + amount > card["monthly_limit"]:
            return _refused(
                f"Card {card['number']} has {_money(card['monthly_limit'] - self._spent(card, self.now[:10]))} "
                f"left this month, not {_money(amount)}."
            )
        self._journal = []
        refuelling: Refuelling = {
            "id": self._new_id("refuelling", "REFUELLING", self.refuellings),
            "card_id": card["id"],
            "trip_id": trip_id,
            "on": self.now[:10],
            "odometer": odometer,
            "litres": litres,
            "amount": amount,
        }
        self._add("refuellings", refuelling)
        for one_refuelling in _distinct(
            [refuelling, *self._refuellings_by_card.get(refuelling["card_id"], {}).values()]
        ):
            if self._breaks_rule_10(one_refuelling):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(refuelling):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record {litres} litres for {_money(amount)} on the trip of "
                f"{self.drivers[trip['driver_id']]['name']} (new: refuelling {refuelling['id']})."
            ),
            "data": {"refuelling_id": refuelling["id"], **self._changes()},
        }

    def replace_card(self, card_id: str, number: Text) -> Result:
        """Block a fuel card that was lost or stolen and give the car a new one with the same limit.

        Args:
            card_id (str): Fuel card that was lost or stolen and is blocked; an id such as FC-00001.
            number (str): Number of the new fuel card, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        card = self.fuel_cards.get(card_id)
        if card is None:
            return _refused(f"There is no fuel card {card_id!r}.")
        if card["blocked"]:
            return _refused(f"Card {card['number']} is blocked already.")
        if self._fuel_cards_by_lower_number.get(number.lower(), {}):
            return _refused(f"There is a card {number} already.")
        done = f"replace fuel card {card['number']} by {number}"
        self._journal = []
        self._put("fuel_cards", card, "blocked", True)
        fuel_card: FuelCard = {
            "id": self._new_id("fuel_card", "FC", self.fuel_cards),
            "number": number,
            "car_id": card["car_id"],
            "monthly_limit": card["monthly_limit"],
            "blocked": False,
        }
        self._add("fuel_cards", fuel_card)
        if len(self._fuel_cards_by_number.get(fuel_card["number"], {})) > 1:
            return self._take_back(f"There is already a fuel card with the number {fuel_card['number']!r}.")
        if self._breaks_rule_9(card):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(fuel_card):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: {done} (new: fuel card {fuel_card['id']}).",
            "data": {"fuel_card_id": fuel_card["id"], **self._changes()},
        }

    def report_key_lost(self, key_id: str) -> Result:
        """Report that a key is lost.

        Args:
            key_id (str): Id of the key, such as KEY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        key = self.keys.get(key_id)
        if key is None:
            return _refused(f"There is no key {key_id!r}.")
        if key["lost"]:
            return _refused(f"Key {key['tag']} is lost already.")
        if key["holder_id"] is not None:
            return _refused(
                f"Key {key['tag']} is with {self.drivers[key['holder_id']]['name']}, who is out with the car."
            )
        self._journal = []
        self._put("keys", key, "lost", True)
        for one_trip in _distinct(
            [
                user
                for one in [self.drivers.get(key["holder_id"])]
                if one is not None
                for user in self._trips_by_driver_status.get((key["holder_id"], "out"), {}).values()
            ]
        ):
            if self._breaks_rule_6(one_trip):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(key):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: report key {key['tag']} lost.", "data": self._changes()}

    def report_defect(self, car_id: str, note: Text, serious: bool) -> Result:
        """Report a defect of a car; with a serious one the car must not leave until it has been mended at a service.

        Args:
            car_id (str): Id of the car, such as CAR-00001.
            note (str): Short description of the defect.
            serious (bool): Whether the car must not be driven before the defect is mended.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if any(
            d["note"].lower() == note.lower()
            for d in self._defects_by_car.get(car_id, {}).values()
            if d["fixed_on"] is None
        ):
            return _refused(f"{note} of {car['plate']} is known.")
        self._journal = []
        defect: Defect = {
            "id": self._new_id("defect", "DEFECT", self.defects),
            "car_id": car_id,
            "note": note,
            "serious": serious,
            "fixed_on": None,
        }
        self._add("defects", defect)
        return {
            "success": True,
            "message": f"Done: report {note} of {car['plate']} (new: defect {defect['id']}).",
            "data": {"defect_id": defect["id"], **self._changes()},
        }

    def service_car(self, car_id: str) -> Result:
        """Enter a service done today, with the yearly inspection, which mends all defects and starts the kilometres
        anew.

        Args:
            car_id (str): Id of the car, such as CAR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        car = self.cars.get(car_id)
        if car is None:
            return _refused(f"There is no car {car_id!r}.")
        if self._trips_by_car_status.get((car_id, "out"), {}):
            return _refused(f"{car['plate']} is out.")
        if not (
            car["odometer"] > car["serviced_at"]
            or any(d["fixed_on"] is None for d in self._defects_by_car.get(car_id, {}).values())
            or car["inspected_until"] is not None
            and car["inspected_until"] < _plus_days(self.now[:10], 60)
        ):
            return _refused(
                f"{car['plate']} was serviced at {car['serviced_at']} kilometres, has no defect and is inspected "
                "for two months or more."
            )
        self._journal = []
        self._put("cars", car, "inspected_until", _add_months(self.now[:10], 12))
        self._put("cars", car, "serviced_at", car["odometer"])
        for d in [
            d
            for d in sorted(self._defects_by_car.get(car_id, {}).values(), key=_age)
            if d["fixed_on"] is None
        ]:
            self._put("defects", d, "fixed_on", self.now[:10])
        if self._breaks_rule_5(car):
            return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: enter the service of {car['plate']}.", "data": self._changes()}

    def _show_car(self, car: Car) -> dict[str, Any]:
        """The car as an answer shows it."""
        return {**car, "left": self._car_left(car), "reserved": self._car_reserved(car)}

    def _show_driver(self, driver: Driver) -> dict[str, Any]:
        """The driver as an answer shows it."""
        return {**driver, "classes": [*driver["classes"]]}

    def _names_of_keys(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that keys point to."""
        return _names(
            (self.cars, "plate", [row["car_id"] for row in shown]),
            (self.drivers, "name", [row["holder_id"] for row in shown]),
        )

    def _names_of_fuel_cards(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fuel cards point to."""
        return _names((self.cars, "plate", [row["car_id"] for row in shown]))

    def _names_of_trips(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that trips point to."""
        return _names(
            (self.drivers, "name", [row["driver_id"] for row in shown]),
            (self.cars, "plate", [row["car_id"] for row in shown]),
        )

    def _names_of_refuellings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that refuellings point to."""
        return _names((self.fuel_cards, "number", [row["card_id"] for row in shown]))

    def _names_of_defects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defects point to."""
        return _names((self.cars, "plate", [row["car_id"] for row in shown]))

    def _car_left(self, car: Car) -> int:
        """The left of a car."""
        return car["serviced_at"] + car["service_every"] - car["odometer"]

    def _car_reserved(self, car: Car) -> int:
        """The reserved of a car."""
        return sum(
            t["km_planned"]
            for t in self._trips_by_car.get(car["id"], {}).values()
            if t["status"] in ("booked", "out")
        )

    def _live(self, t: Trip) -> bool:
        return t["status"] in ("booked", "out")

    def _taken(self, c: Car, a: str, b: str, own: Trip | None) -> Trip | None:
        return next(
            (
                t
                for t in sorted(self._trips_by_car.get(c["id"], {}).values(), key=_age)
                if t is not own
                and self._live(t)
                and _overlap(t["starts"], t["ends"], a, b)
            ),
            None,
        )

    def _driving(self, d: Driver, a: str, b: str) -> Trip | None:
        return next(
            (
                t
                for t in sorted(self._trips_by_driver.get(d["id"], {}).values(), key=_age)
                if self._live(t)
                and _overlap(t["starts"], t["ends"], a, b)
            ),
            None,
        )

    def _key_in_box(self, c: Car) -> Key | None:
        return min(
            (k for k in self._keys_by_car.get(c["id"], {}).values() if not k["lost"] and k["holder_id"] is None),
            key=lambda k: (k["tag"], _age(k)),
            default=None,
        )

    def _unsafe(self, c: Car) -> Defect | None:
        return next(
            (
                d
                for d in sorted(self._defects_by_car.get(c["id"], {}).values(), key=_age)
                if d["serious"]
                and d["fixed_on"] is None
            ),
            None,
        )

    def _checked(self, d: Driver, on: str) -> bool:
        return d["checked_on"] is not None and on <= _plus_days(d["checked_on"], 183)

    def _spent(self, c: FuelCard, on: str) -> int:
        return sum(
            r["amount"]
            for r in self._refuellings_by_card.get(c["id"], {}).values()
            if r["on"][:8] + "01" == on[:8] + "01"
        )

    def _inspected(self, c: Car, on: str) -> bool:
        return c["inspected_until"] is None or on <= c["inspected_until"]

    def _suits(self, c: Car, d: Driver, a: str, b: str, km: int) -> bool:
        return (
            c["licence"] in d["classes"]
            and self._taken(c, a, b, None) is None
            and self._car_left(c) - self._car_reserved(c) >= km
            and self._unsafe(c) is None
            and self._inspected(c, b[:10])
        )

    def _breaks_rule_1(self, a: Trip) -> bool:
        """Whether this is broken: a car is on one trip at a time."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._trips_by_car.get(a["car_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_2(self, a: Trip) -> bool:
        """Whether this is broken: a driver is on one trip at a time."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._trips_by_driver.get(a["driver_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_3(self, t: Trip) -> bool:
        """Whether this is broken: the driver has the licence that the car needs."""
        return self._live(t) and self.cars[t["car_id"]]["licence"] not in self.drivers[t["driver_id"]]["classes"]

    def _breaks_rule_4(self, t: Trip) -> bool:
        """Whether this is broken: the licence of a driver was checked within half a year of the end of the trip."""
        return self._live(t) and not self._checked(self.drivers[t["driver_id"]], t["ends"][:10])

    def _breaks_rule_5(self, c: Car) -> bool:
        """Whether this is broken: the kilometres planned with a car never go past its next service."""
        return self._car_reserved(c) > 0 and self._car_reserved(c) > max(self._car_left(c), 0)

    def _breaks_rule_6(self, t: Trip) -> bool:
        """Whether this is broken: whoever is out with a car holds a key of it."""
        return (
            t["status"] == "out"
            and not any(
                k["car_id"] == t["car_id"]
                and not k["lost"]
                for k in self._keys_by_holder.get(t["driver_id"], {}).values()
            )
        )

    def _breaks_rule_7(self, k: Key) -> bool:
        """Whether this is broken: a key is with people who are out with the car, and lost keys are with nobody."""
        return not (
            k["holder_id"] is None
            or not k["lost"]
            and any(
                t["status"] == "out"
                and t["driver_id"] == k["holder_id"]
                for t in self._trips_by_car.get(k["car_id"], {}).values()
            )
        )

    def _breaks_rule_8(self, t: Trip) -> bool:
        """Whether this is broken: odometers only go forward."""
        return (
            t["status"] == "back"
            and not (
                t["km_out"] is None
                or t["km_back"] is None
                or t["km_out"] <= t["km_back"]
                and t["km_back"] <= self.cars[t["car_id"]]["odometer"]
            )
        )

    def _breaks_rule_9(self, f: FuelCard) -> bool:
        """Whether this is broken: a car has one fuel card that works."""
        return (
            not f["blocked"]
            and any(
                other_f is not f
                for other_f in self._fuel_cards_by_car.get(f["car_id"], {}).values()
                if not other_f["blocked"]
            )
        )

    def _breaks_rule_10(self, r: Refuelling) -> bool:
        """Whether this is broken: what is bought on a fuel card in a month stays within its limit."""
        return self._spent(self.fuel_cards[r["card_id"]], r["on"]) > self.fuel_cards[r["card_id"]]["monthly_limit"]

    def _breaks_rule_11(self, r: Refuelling) -> bool:
        """Whether this is broken: fuel is bought with the card of the car that is on the trip."""
        return (
            self.fuel_cards[r["card_id"]]["car_id"] != self.trips[r["trip_id"]]["car_id"]
            or self.trips[r["trip_id"]]["km_out"] is None
            or r["odometer"] < self.trips[r["trip_id"]]["km_out"]
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
            case "keys":
                self._keys_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._keys_by_car_holder.setdefault((record["car_id"], record["holder_id"]), {})[record["id"]] = record
                self._keys_by_holder.setdefault(record["holder_id"], {})[record["id"]] = record
            case "fuel_cards":
                self._fuel_cards_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._fuel_cards_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._fuel_cards_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "trips":
                self._trips_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._trips_by_car_status.setdefault((record["car_id"], record["status"]), {})[record["id"]] = record
                self._trips_by_driver.setdefault(record["driver_id"], {})[record["id"]] = record
                self._trips_by_driver_status.setdefault(
                    (record["driver_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "refuellings":
                self._refuellings_by_card.setdefault(record["card_id"], {})[record["id"]] = record
                self._refuellings_by_trip.setdefault(record["trip_id"], {})[record["id"]] = record
            case "defects":
                self._defects_by_car.setdefault(record["car_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "keys":
                del self._keys_by_car[record["car_id"]][record["id"]]
                del self._keys_by_car_holder[record["car_id"], record["holder_id"]][record["id"]]
                del self._keys_by_holder[record["holder_id"]][record["id"]]
            case "fuel_cards":
                del self._fuel_cards_by_car[record["car_id"]][record["id"]]
                del self._fuel_cards_by_lower_number[record["number"].lower()][record["id"]]
                del self._fuel_cards_by_number[record["number"]][record["id"]]
            case "trips":
                del self._trips_by_car[record["car_id"]][record["id"]]
                del self._trips_by_car_status[record["car_id"], record["status"]][record["id"]]
                del self._trips_by_driver[record["driver_id"]][record["id"]]
                del self._trips_by_driver_status[record["driver_id"], record["status"]][record["id"]]
            case "refuellings":
                del self._refuellings_by_card[record["card_id"]][record["id"]]
                del self._refuellings_by_trip[record["trip_id"]][record["id"]]
            case "defects":
                del self._defects_by_car[record["car_id"]][record["id"]]
