"""Taxi dispatch. Compiled from blueprint.yaml; run `envscaler build taxi_dispatch` after changing it there.

Sends taxis from the queues at their ranks to bookings with particular needs, with drivers' hours and rest,
fares between zones, no-shows and complaints.
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
    "A driver has one shift at a time and is not suspended in it.",
    "A car is out on one shift at a time.",
    "No two drivers have the same place at a rank.",
    "An ended shift says when it ended, and no other does.",
    "A driver who is driving has one ride, and nobody else has one.",
    "The car has a seat for everybody and whatever the ride needs.",
    "Open and cancelled bookings have no driver, and all others have one.",
    "Complaints are about rides that took place, one for each.",
    "Money is given back where a complaint was upheld, and never more than the fare.",
    "Whoever has three complaints upheld is suspended.",
    "The same ride is not booked twice.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "begin_shift",
    "go_to_rank",
    "pause_shift",
    "end_shift",
    "take_booking",
    "assign_ride",
    "complete_ride",
    "report_no_show",
    "hand_back",
    "cancel_booking",
    "file_complaint",
    "decide_complaint",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "zones": ("name",),
    "fares": (),
    "drivers": ("name",),
    "cars": ("plate",),
    "shifts": (),
    "bookings": ("customer",),
    "complaints": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "shift_id"),
    ("bookings", "status"),
    ("bookings", "target_id"),
    ("complaints", "booking_id"),
    ("complaints", "verdict"),
    ("fares", "pickup_id"),
    ("fares", "target_id"),
    ("shifts", "car_id"),
    ("shifts", "driver_id"),
    ("shifts", "rank_id"),
    ("shifts", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Zone(TypedDict):
    id: str
    name: str
    nearest_id: str | None


class Fare(TypedDict):
    id: str
    pickup_id: str
    target_id: str
    price: int
    minutes: int


class Driver(TypedDict):
    id: str
    name: str
    suspended: bool


class Car(TypedDict):
    id: str
    plate: str
    seats: int
    features: list[Literal["ramp", "child_seat", "big_boot", "pets"]]


class Shift(TypedDict):
    id: str
    driver_id: str
    car_id: str
    began_at: str
    rank_id: str
    place: int
    driven: int
    ended_at: str | None
    status: Literal["waiting", "driving", "paused", "ended"]


class Booking(TypedDict):
    id: str
    customer: str
    pickup_id: str
    target_id: str
    pickup_at: str
    people: int
    needs: list[Literal["ramp", "child_seat", "big_boot", "pets"]]
    fare: int
    shift_id: str | None
    status: Literal["open", "assigned", "cancelled", "done", "no_show"]


class Complaint(TypedDict):
    id: str
    booking_id: str
    about: Literal["late", "rude", "detour", "dirty", "unsafe"]
    filed_on: str
    verdict: Literal["open", "upheld", "rejected"]
    refund: int


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class TaxiDispatch:
    """Sends taxis from the queues at their ranks to bookings with particular needs, with drivers' hours
    and rest, fares between zones, no-shows and complaints.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.fares: dict[str, Fare] = _copied(config.get("fares", {}))
        self.drivers: dict[str, Driver] = _copied(config.get("drivers", {}))
        self.cars: dict[str, Car] = _copied(config.get("cars", {}))
        self.shifts: dict[str, Shift] = _copied(config.get("shifts", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.complaints: dict[str, Complaint] = _copied(config.get("complaints", {}))
        self.now: str = config.get("now", "2026-09-05T00:40")
        self.counters: dict[str, int] = {
            "zone": len(self.zones),
            "fare": len(self.fares),
            "driver": len(self.drivers),
            "car": len(self.cars),
            "shift": len(self.shifts),
            "booking": len(self.bookings),
            "complaint": len(self.complaints),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._fares_by_pickup_target: dict[Any, dict[str, Fare]] = {}
        self._shifts_by_car: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_driver: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_rank_status: dict[Any, dict[str, Shift]] = {}
        self._bookings_by_shift: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_shift_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_target: dict[Any, dict[str, Booking]] = {}
        self._complaints_by_booking: dict[Any, dict[str, Complaint]] = {}
        self._complaints_by_booking_verdict: dict[Any, dict[str, Complaint]] = {}
        for fare in self.fares.values():
            self._link("fares", fare)
        for shift in self.shifts.values():
            self._link("shifts", shift)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for complaint in self.complaints.values():
            self._link("complaints", complaint)

    def rank_queue(self, zone_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The drivers who wait at a rank, foremost first.

        Args:
            zone_id (str): Id of the zone, such as ZONE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}} or {"success": False, "error": why
                not}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [s for s in self._queue(zone)]
        found.sort(key=lambda s: (s["place"], _age(s)))
        return _found(
            {
                "total": len(found),
                "shifts": [
                    {
                        "shift_id": s["id"],
                        "driver": self.drivers[s["driver_id"]]["name"],
                        "plate": self.cars[s["car_id"]]["plate"],
                        "seats": self.cars[s["car_id"]]["seats"],
                        "features": [*self.cars[s["car_id"]]["features"]],
                        "place": s["place"],
                        "driven": s["driven"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def rides_due(
        self,
        until: DateTime,
        pickup_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open bookings due by some time, earliest first.

        Args:
            until (str): Latest pick-up time of the bookings listed, as YYYY-MM-DDTHH:MM.
            pickup_id (str, optional): Zone where the customers are picked up; an id such as ZONE-00001. If left
                out, the bookings of all zones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        pickup = self.zones.get(pickup_id) if pickup_id is not None else None
        if pickup_id is not None and pickup is None:
            return _refused(f"There is no zone {pickup_id!r}.")
        found = [
            b
            for b in self.bookings.values()
            if (b["status"] == "open" and b["pickup_at"] <= until)
            and (pickup_id is None or b["pickup_id"] == pickup_id)
        ]
        found.sort(key=lambda b: (b["pickup_at"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "customer": b["customer"],
                        "pickup": self.zones[b["pickup_id"]]["name"],
                        "target": self.zones[b["target_id"]]["name"],
                        "pickup_at": b["pickup_at"],
                        "people": b["people"],
                        "needs": [*b["needs"]],
                        "minutes": self._ride_minutes(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def whose_turn(self, booking_id: str) -> Result:
        """Which shift would get an open booking now, and how long the ride is.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "data": {shift, minutes}} or {"success": False, "error": why not}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "open":
            return _refused(f"The booking of {booking['customer']} is {booking['status']}.")
        return _found({"shift": _id_of(self._turn(booking)), "minutes": self._ride_minutes(booking)})

    def list_zones(
        self,
        name: Text | None = None,
        nearest_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            nearest_id (str, optional): Only zones whose nearest is this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        if nearest_id is not None and nearest_id not in self.zones:
            return _refused(f"There is no zone {nearest_id!r}.")
        found = [
            zone
            for zone in self.zones.values()
            if (name is None or name.casefold() in zone["name"].casefold())
            and (nearest_id is None or zone["nearest_id"] == nearest_id)
        ]
        shown = [self._show_zone(zone) for zone in _page(found, offset)]
        return _found({"total": len(found), "zones": shown}, self._names_of_zones(shown))

    def list_fares(
        self,
        pickup_id: str | None = None,
        target_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fares, oldest first, all of them or only some.

        Args:
            pickup_id (str, optional): Only fares whose pickup is this zone.
            target_id (str, optional): Only fares whose target is this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fares": records}}
        """
        if pickup_id is not None and pickup_id not in self.zones:
            return _refused(f"There is no zone {pickup_id!r}.")
        if target_id is not None and target_id not in self.zones:
            return _refused(f"There is no zone {target_id!r}.")
        found = [
            fare
            for fare in self.fares.values()
            if (pickup_id is None or fare["pickup_id"] == pickup_id)
            and (target_id is None or fare["target_id"] == target_id)
        ]
        shown = [{**fare} for fare in _page(found, offset)]
        return _found({"total": len(found), "fares": shown}, self._names_of_fares(shown))

    def list_drivers(
        self,
        name: Text | None = None,
        suspended: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drivers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only drivers whose name contains this text.
            suspended (bool, optional): Only drivers that are suspended (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drivers": records}}
        """
        found = [
            driver
            for driver in self.drivers.values()
            if (name is None or name.casefold() in driver["name"].casefold())
            and (suspended is None or driver["suspended"] == suspended)
        ]
        return _found(
            {"total": len(found), "drivers": [self._show_driver(driver) for driver in _page(found, offset)]}
        )

    def list_cars(
        self,
        plate: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cars, oldest first, all of them or only some.

        Args:
            plate (str, optional): Only cars whose plate contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cars": records}}
        """
        found = [car for car in self.cars.values() if (plate is None or plate.casefold() in car["plate"].casefold())]
        return _found({"total": len(found), "cars": [self._show_car(car) for car in _page(found, offset)]})

    def list_shifts(
        self,
        driver_id: str | None = None,
        car_id: str | None = None,
        rank_id: str | None = None,
        status: Literal["waiting", "driving", "paused", "ended"] | None = None,
        began_at_from: Date | None = None,
        began_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shifts, oldest first, all of them or only some.

        Args:
            driver_id (str, optional): Only shifts of this driver.
            car_id (str, optional): Only shifts of this car.
            rank_id (str, optional): Only shifts whose rank is this zone.
            status (str, optional): Only shifts with this status.
            began_at_from (str, optional): Only shifts whose `began_at` is on this day or later.
            began_at_to (str, optional): Only shifts whose `began_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}}
        """
        if driver_id is not None and driver_id not in self.drivers:
            return _refused(f"There is no driver {driver_id!r}.")
        if car_id is not None and car_id not in self.cars:
            return _refused(f"There is no car {car_id!r}.")
        if rank_id is not None and rank_id not in self.zones:
            return _refused(f"There is no zone {rank_id!r}.")
        found = [
            shift
            for shift in self.shifts.values()
            if (driver_id is None or shift["driver_id"] == driver_id)
            and (car_id is None or shift["car_id"] == car_id)
            and (rank_id is None or shift["rank_id"] == rank_id)
            and (status is None or shift["status"] == status)
            and (began_at_from is None or shift["began_at"][:10] >= began_at_from)
            and (began_at_to is None or shift["began_at"][:10] <= began_at_to)
        ]
        shown = [{**shift} for shift in _page(found, offset)]
        return _found({"total": len(found), "shifts": shown}, self._names_of_shifts(shown))

    def list_bookings(
        self,
        customer: Text | None = None,
        pickup_id: str | None = None,
        target_id: str | None = None,
        shift_id: str | None = None,
        status: Literal["open", "assigned", "cancelled", "done", "no_show"] | None = None,
        pickup_at_from: Date | None = None,
        pickup_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            customer (str, optional): Only bookings whose customer contains this text.
            pickup_id (str, optional): Only bookings whose pickup is this zone.
            target_id (str, optional): Only bookings whose target is this zone.
            shift_id (str, optional): Only bookings of this shift.
            status (str, optional): Only bookings with this status.
            pickup_at_from (str, optional): Only bookings whose `pickup_at` is on this day or later.
            pickup_at_to (str, optional): Only bookings whose `pickup_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if pickup_id is not None and pickup_id not in self.zones:
            return _refused(f"There is no zone {pickup_id!r}.")
        if target_id is not None and target_id not in self.zones:
            return _refused(f"There is no zone {target_id!r}.")
        if shift_id is not None and shift_id not in self.shifts:
            return _refused(f"There is no shift {shift_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (customer is None or customer.casefold() in booking["customer"].casefold())
            and (pickup_id is None or booking["pickup_id"] == pickup_id)
            and (target_id is None or booking["target_id"] == target_id)
            and (shift_id is None or booking["shift_id"] == shift_id)
            and (status is None or booking["status"] == status)
            and (pickup_at_from is None or booking["pickup_at"][:10] >= pickup_at_from)
            and (pickup_at_to is None or booking["pickup_at"][:10] <= pickup_at_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_complaints(
        self,
        booking_id: str | None = None,
        about: Literal["late", "rude", "detour", "dirty", "unsafe"] | None = None,
        verdict: Literal["open", "upheld", "rejected"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the complaints, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only complaints of this booking.
            about (str, optional): Only complaints whose `about` is this.
            verdict (str, optional): Only complaints with this verdict.
            filed_on_from (str, optional): Only complaints whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only complaints whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "complaints": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            complaint
            for complaint in self.complaints.values()
            if (booking_id is None or complaint["booking_id"] == booking_id)
            and (about is None or complaint["about"] == about)
            and (verdict is None or complaint["verdict"] == verdict)
            and (filed_on_from is None or complaint["filed_on"] >= filed_on_from)
            and (filed_on_to is None or complaint["filed_on"] <= filed_on_to)
        ]
        shown = [self._show_complaint(complaint) for complaint in _page(found, offset)]
        return _found({"total": len(found), "complaints": shown}, self._names_of_complaints(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def begin_shift(self, driver_id: str, car_id: str, rank_id: str) -> Result:
        """Begin the shift of a driver with a car; the driver goes to the end of a rank.

        Args:
            driver_id (str): Id of the driver, such as DRIVER-00001.
            car_id (str): Id of the car, such as CAR-00001.
            rank_id (str): Zone at whose rank the driver queues; an id such as ZONE-00001.

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
        rank = self.zones.get(rank_id)
        if rank is None:
            return _refused(f"There is no zone {rank_id!r}.")
        if driver["suspended"]:
            return _refused(f"{driver['name']} is suspended.")
        own = self._shift_of(driver)
        if own is not None:
            return _refused(f"{driver['name']} is on duty with {self.cars[own['car_id']]['plate']}.")
        other = next(
            (s for s in sorted(self._shifts_by_car.get(car_id, {}).values(), key=_age) if self._on_duty(s)),
            None,
        )
        if other is not None:
            return _refused(f"{car['plate']} is out with {self.drivers[other['driver_id']]['name']}.")
        late = next(
            (
                s
                for s in sorted(self._shifts_by_driver.get(driver_id, {}).values(), key=_age)
                if s["ended_at"] is not None
                and _plus_minutes(s["ended_at"], 8 * 60) > self.now
            ),
            None,
        )
        if late is not None:
            return _refused(f"{driver['name']} has not rested for eight hours since the last shift.")
        self._journal = []
        place = self._tail(rank)
        if not -999 <= place <= 9999:
            return self._take_back("The place of a shift must be between -999 and 9999.")
        shift: Shift = {
            "id": self._new_id("shift", "SHIFT", self.shifts),
            "driver_id": driver_id,
            "car_id": car_id,
            "began_at": self.now,
            "rank_id": rank_id,
            "place": place,
            "driven": 0,
            "ended_at": None,
            "status": "waiting",
        }
        self._add("shifts", shift)
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_s(shift):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: begin the shift of {driver['name']} with {car['plate']} at {rank['name']} (new: shift "
                f"{shift['id']})."
            ),
            "data": {"shift_id": shift["id"], **self._changes()},
        }

    def go_to_rank(self, shift_id: str, rank_id: str) -> Result:
        """Send a driver who waits or is paused to the end of a rank.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            rank_id (str): Zone at whose rank the driver queues from now on; an id such as ZONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        rank = self.zones.get(rank_id)
        if rank is None:
            return _refused(f"There is no zone {rank_id!r}.")
        if shift["status"] not in ("waiting", "paused"):
            return _refused(f"{self.drivers[shift['driver_id']]['name']} is {shift['status']}.")
        if shift["status"] != "paused" and shift["rank_id"] == rank_id:
            return _refused(f"{self.drivers[shift['driver_id']]['name']} waits at {rank['name']} already.")
        self._journal = []
        place = self._tail(rank)
        if not -999 <= place <= 9999:
            return self._take_back(f"The place of {shift['id']} must be between -999 and 9999.")
        self._put("shifts", shift, "place", place)
        self._put("shifts", shift, "rank_id", rank_id)
        self._put("shifts", shift, "status", "waiting")
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        for one_booking in _distinct(self._bookings_by_shift_status.get((shift["id"], "assigned"), {}).values()):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_s(shift):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: send {self.drivers[shift['driver_id']]['name']} to {rank['name']}.",
            "data": self._changes(),
        }

    def pause_shift(self, shift_id: str) -> Result:
        """Let a waiting driver have a break; the place in the queue is lost.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] != "waiting":
            return _refused(f"{self.drivers[shift['driver_id']]['name']} is {shift['status']}.")
        self._journal = []
        self._put("shifts", shift, "status", "paused")
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        for one_booking in _distinct(self._bookings_by_shift_status.get((shift["id"], "assigned"), {}).values()):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_s(shift):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: let {self.drivers[shift['driver_id']]['name']} have a break.",
            "data": self._changes(),
        }

    def end_shift(self, shift_id: str) -> Result:
        """End the shift of a driver who has no ride.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] == "ended":
            return _refused(f"The shift of {self.drivers[shift['driver_id']]['name']} has ended.")
        if shift["status"] == "driving":
            return _refused(
                f"{self.drivers[shift['driver_id']]['name']} has a ride; complete it or hand it back first."
            )
        self._journal = []
        self._put("shifts", shift, "ended_at", self.now)
        if shift["status"] not in ("waiting", "paused", "ended"):
            return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to ended.")
        self._put("shifts", shift, "status", "ended")
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        for one_booking in _distinct(self._bookings_by_shift_status.get((shift["id"], "assigned"), {}).values()):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_s(shift):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: end the shift of {self.drivers[shift['driver_id']]['name']}.",
            "data": self._changes(),
        }

    def take_booking(
        self,
        customer: Text,
        pickup_id: str,
        target_id: str,
        pickup_at: DateTime,
        people: Annotated[int, {"minimum": 1, "maximum": 8}],
        needs: Annotated[list[Literal["ramp", "child_seat", "big_boot", "pets"]], {"maxItems": 20}],
    ) -> Result:
        """Take a booking; the fare goes by the zones and is half as much again for more than four people.

        Args:
            customer (str): Full name of the customer who books.
            pickup_id (str): Zone where the customer is picked up; an id such as ZONE-00001.
            target_id (str): Zone that the customer is taken to; an id such as ZONE-00001.
            pickup_at (str): When the customer is to be picked up, not in the past, as YYYY-MM-DDTHH:MM.
            people (int): How many people ride, from 1 to 8.
            needs (list): Things that the taxi must have for this ride, an empty list for none: ramp, child_seat,
                big_boot or pets.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pickup = self.zones.get(pickup_id)
        if pickup is None:
            return _refused(f"There is no zone {pickup_id!r}.")
        target = self.zones.get(target_id)
        if target is None:
            return _refused(f"There is no zone {target_id!r}.")
        if pickup_at < self.now:
            return _refused(f"{pickup_at} is past.")
        if not _different([n for n in needs]):
            return _refused("A need is named twice.")
        fare = self._tariff(pickup, target)
        if fare is None:
            return _refused(f"There is no fare from {pickup['name']} to {target['name']}.")
        if not any(c["seats"] >= people and all(n in c["features"] for n in needs) for c in self.cars.values()):
            return _refused(f"None of our cars can take {people} people with all of these needs.")
        if any(
            b["status"] in ("open", "assigned")
            for b in self._bookings_by_target.get(target_id, {}).values()
            if b["customer"].lower() == customer.lower()
            and b["pickup_at"] == pickup_at
            and b["people"] == people
        ):
            return _refused(f"{customer} has booked that ride.")
        self._journal = []
        new_fare = _rounded(Fraction(fare["price"] * (150 if people > 4 else 100), 100))
        if not 300 <= new_fare <= 40000:
            return self._take_back("The fare of a booking must be between 3.00 and 400.00.")
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "customer": customer,
            "pickup_id": pickup_id,
            "target_id": target_id,
            "pickup_at": pickup_at,
            "people": people,
            "needs": [*needs],
            "fare": new_fare,
            "shift_id": None,
            "status": "open",
        }
        self._add("bookings", booking)
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b_again(booking):
            return self._take_back(RULES[4])
        for one_shift in _distinct([self.shifts.get(booking["shift_id"])]):
            if self._breaks_rule_5_s(one_shift):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: take the booking of {customer} from {pickup['name']} to {target['name']} at {pickup_at} "
                f"(new: booking {booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def assign_ride(self, booking_id: str) -> Result:
        """Give a booking that is due within two hours to the driver whose turn it is, that is the foremost suitable
        one at the rank of its zone, or of the nearest zone if there is none.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "open":
            return _refused(f"The booking of {booking['customer']} is {booking['status']}.")
        if booking["pickup_at"] > _plus_minutes(self.now, 120):
            return _refused(f"It is for {booking['pickup_at']}; rides are assigned two hours before.")
        next_one = self._turn(booking)
        if next_one is None:
            return _refused(
                f"Nobody suitable waits in {self.zones[booking['pickup_id']]['name']} or at the nearest rank."
            )
        self._journal = []
        former_shift_id = booking["shift_id"]
        self._put("bookings", booking, "shift_id", next_one["id"])
        self._put("bookings", booking, "status", "assigned")
        if next_one["status"] not in ("waiting", "driving"):
            return self._take_back(f"Shift {next_one['id']} cannot go from {next_one['status']} to driving.")
        self._put("shifts", next_one, "status", "driving")
        if self._breaks_rule_1_s(next_one):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(next_one):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(next_one):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(next_one):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(next_one):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct(
            [booking, *self._bookings_by_shift_status.get((next_one["id"], "assigned"), {}).values()]
        ):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        for one_shift in _distinct(
            [self.shifts.get(booking["shift_id"]), self.shifts.get(former_shift_id), next_one]
        ):
            if self._breaks_rule_5_s(one_shift):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_complaint in _distinct(self._complaints_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_8_c_again(one_complaint):
                return self._take_back(RULES[7])
        for one_driver in _distinct(
            [
                *[
                    self.drivers[one["driver_id"]]
                    for one in [self.shifts.get(booking["shift_id"])]
                    if one is not None
                ],
                *[self.drivers[one["driver_id"]] for one in [self.shifts.get(former_shift_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_10(one_driver):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give the ride of {booking['customer']} to the driver whose turn it is.",
            "data": self._changes(),
        }

    def complete_ride(self, booking_id: str) -> Result:
        """Complete a ride; the driver goes to the end of the rank where it ended.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "assigned" or booking["shift_id"] is None:
            return _refused(f"The booking of {booking['customer']} is {booking['status']}.")
        if booking["pickup_at"] > self.now:
            return _refused(f"The pickup is at {booking['pickup_at']}.")
        self._journal = []
        shift = self.shifts[booking["shift_id"]]
        self._put("bookings", booking, "status", "done")
        driven = shift["driven"] + self._ride_minutes(booking)
        if not 0 <= driven <= 600:
            return self._take_back(f"The driven of {shift['id']} must be between 0 and 600.")
        self._put("shifts", shift, "driven", driven)
        place = self._tail(self.zones[booking["target_id"]])
        if not -999 <= place <= 9999:
            return self._take_back(f"The place of {shift['id']} must be between -999 and 9999.")
        self._put("shifts", shift, "place", place)
        self._put("shifts", shift, "rank_id", booking["target_id"])
        if shift["status"] not in ("waiting", "driving", "paused"):
            return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to waiting.")
        self._put("shifts", shift, "status", "waiting")
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct(
            [booking, *self._bookings_by_shift_status.get((shift["id"], "assigned"), {}).values()]
        ):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        for one_shift in _distinct([self.shifts.get(booking["shift_id"]), shift]):
            if self._breaks_rule_5_s(one_shift):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_complaint in _distinct(self._complaints_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_8_c_again(one_complaint):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: complete the ride of {booking['customer']}.",
            "data": self._changes(),
        }

    def report_no_show(self, booking_id: str) -> Result:
        """Report that a customer was not there; the driver goes to the front of the rank of the pickup.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "assigned" or booking["shift_id"] is None:
            return _refused(f"The booking of {booking['customer']} is {booking['status']}.")
        if booking["pickup_at"] > self.now:
            return _refused(f"The pickup is at {booking['pickup_at']}.")
        self._journal = []
        shift = self.shifts[booking["shift_id"]]
        self._put("bookings", booking, "status", "no_show")
        place = self._head(self.zones[booking["pickup_id"]])
        if not -999 <= place <= 9999:
            return self._take_back(f"The place of {shift['id']} must be between -999 and 9999.")
        self._put("shifts", shift, "place", place)
        self._put("shifts", shift, "rank_id", booking["pickup_id"])
        if shift["status"] not in ("waiting", "driving", "paused"):
            return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to waiting.")
        self._put("shifts", shift, "status", "waiting")
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct(
            [booking, *self._bookings_by_shift_status.get((shift["id"], "assigned"), {}).values()]
        ):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        for one_shift in _distinct([self.shifts.get(booking["shift_id"]), shift]):
            if self._breaks_rule_5_s(one_shift):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_complaint in _distinct(self._complaints_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_8_c_again(one_complaint):
                return self._take_back(RULES[7])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: report {booking['customer']} as a no-show.",
            "data": self._changes(),
        }

    def hand_back(self, booking_id: str) -> Result:
        """Hand an assigned ride back; it is open again and the driver goes to the end of the rank of its zone.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "assigned" or booking["shift_id"] is None:
            return _refused(f"The booking of {booking['customer']} is {booking['status']}.")
        self._journal = []
        shift = self.shifts[booking["shift_id"]]
        former_shift_id = booking["shift_id"]
        self._put("bookings", booking, "shift_id", None)
        self._put("bookings", booking, "status", "open")
        place = self._tail(self.zones[booking["pickup_id"]])
        if not -999 <= place <= 9999:
            return self._take_back(f"The place of {shift['id']} must be between -999 and 9999.")
        self._put("shifts", shift, "place", place)
        self._put("shifts", shift, "rank_id", booking["pickup_id"])
        if shift["status"] not in ("waiting", "driving", "paused"):
            return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to waiting.")
        self._put("shifts", shift, "status", "waiting")
        if self._breaks_rule_1_s(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_s_again(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(shift):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct(
            [booking, *self._bookings_by_shift_status.get((shift["id"], "assigned"), {}).values()]
        ):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        for one_shift in _distinct([self.shifts.get(booking["shift_id"]), self.shifts.get(former_shift_id), shift]):
            if self._breaks_rule_5_s(one_shift):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_complaint in _distinct(self._complaints_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_8_c_again(one_complaint):
                return self._take_back(RULES[7])
        for one_driver in _distinct(
            [
                *[
                    self.drivers[one["driver_id"]]
                    for one in [self.shifts.get(booking["shift_id"])]
                    if one is not None
                ],
                *[self.drivers[one["driver_id"]] for one in [self.shifts.get(former_shift_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_10(one_driver):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: hand the ride of {booking['customer']} back.",
            "data": self._changes(),
        }

    def cancel_booking(self, booking_id: str) -> Result:
        """Cancel a booking; a driver who was on the way already goes to the front of the rank of the pickup.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] not in ("open", "assigned"):
            return _refused(f"The booking of {booking['customer']} is {booking['status']}.")
        self._journal = []
        changed_shifts: list[Any] = []
        changed_shifts_2: list[Any] = []
        changed_shifts_3: list[Any] = []
        shift = self.shifts.get(booking["shift_id"])
        former_shift_id = booking["shift_id"]
        self._put("bookings", booking, "shift_id", None)
        self._put("bookings", booking, "status", "cancelled")
        if shift is not None:
            place = self._head(self.zones[booking["pickup_id"]])
            if not -999 <= place <= 9999:
                return self._take_back(f"The place of {shift['id']} must be between -999 and 9999.")
            changed_shifts.append(shift)
            self._put("shifts", shift, "place", place)
            changed_shifts_2.append(shift)
            self._put("shifts", shift, "rank_id", booking["pickup_id"])
            if shift["status"] not in ("waiting", "driving", "paused"):
                return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to waiting.")
            changed_shifts_3.append(shift)
            self._put("shifts", shift, "status", "waiting")
        for one_shift in _distinct(changed_shifts_3):
            if self._breaks_rule_1_s(one_shift):
                return self._take_back(RULES[0])
        for one_shift in _distinct(changed_shifts_3):
            if self._breaks_rule_1_s_again(one_shift):
                return self._take_back(RULES[0])
        for one_shift in _distinct(changed_shifts_3):
            if self._breaks_rule_2(one_shift):
                return self._take_back(RULES[1])
        for one_shift in _distinct([*changed_shifts, *changed_shifts_2, *changed_shifts_3]):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct(changed_shifts_3):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct(
            [
                booking,
                *[
                    user
                    for one in changed_shifts_3
                    for user in self._bookings_by_shift_status.get((one["id"], "assigned"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5_b_again(one_booking):
                return self._take_back(RULES[4])
        for one_shift in _distinct(
            [self.shifts.get(booking["shift_id"]), self.shifts.get(former_shift_id), *changed_shifts_3]
        ):
            if self._breaks_rule_5_s(one_shift):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        for one_complaint in _distinct(self._complaints_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_8_c_again(one_complaint):
                return self._take_back(RULES[7])
        for one_driver in _distinct(
            [
                *[
                    self.drivers[one["driver_id"]]
                    for one in [self.shifts.get(booking["shift_id"])]
                    if one is not None
                ],
                *[self.drivers[one["driver_id"]] for one in [self.shifts.get(former_shift_id)] if one is not None],
            ]
        ):
            if self._breaks_rule_10(one_driver):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cancel the booking of {booking['customer']}.",
            "data": self._changes(),
        }

    def file_complaint(self, booking_id: str, about: Literal["late", "rude", "detour", "dirty", "unsafe"]) -> Result:
        """File a complaint about a ride that took place.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            about (str): What the customer complains about: late, rude, detour, dirty or unsafe.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "done":
            return _refused(f"The ride of {booking['customer']} is {booking['status']}.")
        if self._complaints_by_booking.get(booking_id, {}):
            return _refused("There is a complaint about that ride already.")
        self._journal = []
        complaint: Complaint = {
            "id": self._new_id("complaint", "COMPLAINT", self.complaints),
            "booking_id": booking_id,
            "about": about,
            "filed_on": self.now[:10],
            "verdict": "open",
            "refund": 0,
        }
        self._add("complaints", complaint)
        if self._breaks_rule_8_c(complaint):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_c_again(complaint):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(complaint):
            return self._take_back(RULES[8])
        for one_driver in _distinct(
            [
                self.drivers[one["driver_id"]]
                for one in [self.shifts.get(self.bookings[complaint["booking_id"]]["shift_id"])]
                if one is not None
            ]
        ):
            if self._breaks_rule_10(one_driver):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: file a complaint of {booking['customer']} for {about} (new: complaint {complaint['id']})."
            ),
            "data": {"complaint_id": complaint["id"], **self._changes()},
        }

    def decide_complaint(
        self,
        complaint_id: str,
        upheld: bool,
        refund: Annotated[int, {"minimum": 0, "maximum": 40000}] = 0,
    ) -> Result:
        """Uphold a complaint, with some of the fare given back, or reject it; the third one upheld suspends the
        driver, who must not be on duty then.

        Args:
            complaint_id (str): Id of the complaint, such as COMPLAINT-00001.
            upheld (bool): Whether the complaint is upheld rather than rejected.
            refund (int): Part of the fare given back, only where the complaint is upheld, in cents, from 0 to
                40000. Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        complaint = self.complaints.get(complaint_id)
        if complaint is None:
            return _refused(f"There is no complaint {complaint_id!r}.")
        if complaint["verdict"] != "open" or self.bookings[complaint["booking_id"]]["shift_id"] is None:
            return _refused(f"The complaint was {complaint['verdict']}.")
        if not (upheld or refund == 0):
            return _refused("Nothing is given back where a complaint is rejected.")
        if refund > self.bookings[complaint["booking_id"]]["fare"]:
            return _refused(f"The fare was {_money(self.bookings[complaint['booking_id']]['fare'])}.")
        driver = self.drivers[self.shifts[self.bookings[complaint["booking_id"]]["shift_id"]]["driver_id"]]
        if upheld and self._driver_upheld(driver) >= 2 and self._shift_of(driver) is not None:
            return _refused(f"{driver['name']} would be suspended and is on duty; end the shift first.")
        self._journal = []
        changed_complaints: list[Any] = []
        changed_complaints_2: list[Any] = []
        changed_drivers: list[Any] = []
        if upheld:
            changed_complaints.append(complaint)
            self._put("complaints", complaint, "refund", refund)
            changed_complaints_2.append(complaint)
            self._put("complaints", complaint, "verdict", "upheld")
            if self._driver_upheld(driver) >= 3:
                changed_drivers.append(driver)
                self._put("drivers", driver, "suspended", True)
        else:
            if complaint["verdict"] not in ("open", "rejected"):
                return self._take_back(
                    f"Complaint {complaint['id']} cannot go from {complaint['verdict']} to rejected."
                )
            changed_complaints_2.append(complaint)
            self._put("complaints", complaint, "verdict", "rejected")
        for one_shift in _distinct(
            [user for one in changed_drivers for user in self._shifts_by_driver.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_s_again(one_shift):
                return self._take_back(RULES[0])
        for one_complaint in _distinct([*changed_complaints, *changed_complaints_2]):
            if self._breaks_rule_9(one_complaint):
                return self._take_back(RULES[8])
        for one_driver in _distinct(
            [
                *[
                    self.drivers[one["driver_id"]]
                    for one in [
                        self.shifts.get(one["shift_id"])
                        for one in [self.bookings[one["booking_id"]] for one in changed_complaints_2]
                    ]
                    if one is not None
                ],
                *changed_drivers,
            ]
        ):
            if self._breaks_rule_10(one_driver):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: decide about the complaint of {self.bookings[complaint['booking_id']]['customer']}.",
            "data": self._changes(),
        }

    def _show_zone(self, zone: Zone) -> dict[str, Any]:
        """The zone as an answer shows it."""
        return {**zone, "waiting": self._zone_waiting(zone)}

    def _show_driver(self, driver: Driver) -> dict[str, Any]:
        """The driver as an answer shows it."""
        return {**driver, "upheld": self._driver_upheld(driver)}

    def _show_car(self, car: Car) -> dict[str, Any]:
        """The car as an answer shows it."""
        return {**car, "features": [*car["features"]]}

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "needs": [*booking["needs"]]}

    def _show_complaint(self, complaint: Complaint) -> dict[str, Any]:
        """The complaint as an answer shows it."""
        return {**complaint, "customer": self._complaint_customer(complaint)}

    def _names_of_zones(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that zones point to."""
        return _names((self.zones, "name", [row["nearest_id"] for row in shown]))

    def _names_of_fares(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fares point to."""
        return _names(
            (self.zones, "name", [row["pickup_id"] for row in shown]),
            (self.zones, "name", [row["target_id"] for row in shown]),
        )

    def _names_of_shifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shifts point to."""
        return _names(
            (self.drivers, "name", [row["driver_id"] for row in shown]),
            (self.cars, "plate", [row["car_id"] for row in shown]),
            (self.zones, "name", [row["rank_id"] for row in shown]),
        )

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names(
            (self.zones, "name", [row["pickup_id"] for row in shown]),
            (self.zones, "name", [row["target_id"] for row in shown]),
        )

    def _names_of_complaints(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that complaints point to."""
        return _names((self.bookings, "customer", [row["booking_id"] for row in shown]))

    def _zone_waiting(self, zone: Zone) -> int:
        """The waiting of a zone."""
        return len(self._shifts_by_rank_status.get((zone["id"], "waiting"), {}))

    def _driver_upheld(self, driver: Driver) -> int:
        """The upheld of a driver."""
        return sum(
            1
            for _shift in self._shifts_by_driver.get(driver["id"], {}).values()
            for _booking in self._bookings_by_shift.get(_shift["id"], {}).values()
            for c in self._complaints_by_booking_verdict.get((_booking["id"], "upheld"), {}).values()
            if self.bookings[c["booking_id"]]["shift_id"] is not None
        )

    def _complaint_customer(self, complaint: Complaint) -> str:
        """The customer of a complaint."""
        return self.bookings[complaint["booking_id"]]["customer"]

    def _tariff(self, a: Zone, b: Zone) -> Fare | None:
        return next(
            (f for f in sorted(self._fares_by_pickup_target.get((a["id"], b["id"]), {}).values(), key=_age)),
            None,
        )

    def _ride_minutes(self, b: Booking) -> int:
        return sum(
            f["minutes"]
            for f in self._fares_by_pickup_target.get((b["pickup_id"], b["target_id"]), {}).values()
        )

    def _on_duty(self, s: Shift) -> bool:
        return s["status"] != "ended"

    def _serves(self, s: Shift, b: Booking) -> bool:
        return (
            self.cars[s["car_id"]]["seats"] >= b["people"]
            and all(n in self.cars[s["car_id"]]["features"] for n in b["needs"])
            and s["driven"] + self._ride_minutes(b) <= 600
        )

    def _queue(self, z: Zone) -> list[Shift]:
        return sorted(self._shifts_by_rank_status.get((z["id"], "waiting"), {}).values(), key=_age)

    def _foremost(self, z: Zone, b: Booking) -> Shift | None:
        return min(
            (s for s in self._queue(z) if self._serves(s, b)),
            key=lambda s: (s["place"], _age(s)),
            default=None,
        )

    def _turn(self, b: Booking) -> Shift | None:
        return (
            self._foremost(self.zones[b["pickup_id"]], b)
            or (
                self._foremost(self.zones[self.zones[b["pickup_id"]]["nearest_id"]], b)
                if self.zones[b["pickup_id"]]["nearest_id"] is not None
                else None
            )
        )

    def _tail(self, z: Zone) -> int:
        return (
            (
                max((s["place"] for s in self._queue(z)), default=None)
                if max((s["place"] for s in self._queue(z)), default=None) is not None
                else 0
            )
            + 1
        )

    def _head(self, z: Zone) -> int:
        return (
            (
                min((s["place"] for s in self._queue(z)), default=None)
                if min((s["place"] for s in self._queue(z)), default=None) is not None
                else 2
            )
            - 1
        )

    def _shift_of(self, d: Driver) -> Shift | None:
        return next(
            (s for s in sorted(self._shifts_by_driver.get(d["id"], {}).values(), key=_age) if self._on_duty(s)),
            None,
        )

    def _breaks_rule_1_s(self, s: Shift) -> bool:
        """Whether this is broken: a driver has one shift at a time and is not suspended in it."""
        return (
            self._on_duty(s)
            and any(
                other_s is not s
                for other_s in self._shifts_by_driver.get(s["driver_id"], {}).values()
                if self._on_duty(other_s)
            )
        )

    def _breaks_rule_1_s_again(self, s: Shift) -> bool:
        """Whether this is broken: a driver has one shift at a time and is not suspended in it."""
        return self._on_duty(s) and self.drivers[s["driver_id"]]["suspended"]

    def _breaks_rule_2(self, s: Shift) -> bool:
        """Whether this is broken: a car is out on one shift at a time."""
        return (
            self._on_duty(s)
            and any(
                other_s is not s
                for other_s in self._shifts_by_car.get(s["car_id"], {}).values()
                if self._on_duty(other_s)
            )
        )

    def _breaks_rule_3(self, s: Shift) -> bool:
        """Whether this is broken: no two drivers have the same place at a rank."""
        return (
            s["status"] == "waiting"
            and any(
                other_s is not s
                for other_s in self._shifts_by_rank_status.get((s["rank_id"], "waiting"), {}).values()
                if other_s["place"] == s["place"]
            )
        )

    def _breaks_rule_4(self, s: Shift) -> bool:
        """Whether this is broken: an ended shift says when it ended, and no other does."""
        return (s["status"] == "ended") != (s["ended_at"] is not None)

    def _breaks_rule_5_b(self, b: Booking) -> bool:
        """Whether this is broken: a driver who is driving has one ride, and nobody else has one."""
        return (
            b["status"] == "assigned"
            and any(
                other_b is not b
                for other_b in self._bookings_by_shift_status.get((b["shift_id"], "assigned"), {}).values()
            )
        )

    def _breaks_rule_5_b_again(self, b: Booking) -> bool:
        """Whether this is broken: a driver who is driving has one ride, and nobody else has one."""
        return (
            b["status"] == "assigned"
            and (b["shift_id"] is None or self.shifts[b["shift_id"]]["status"] != "driving")
        )

    def _breaks_rule_5_s(self, s: Shift) -> bool:
        """Whether this is broken: a driver who is driving has one ride, and nobody else has one."""
        return (
            s["status"] == "driving"
            and not any(b["status"] == "assigned" for b in self._bookings_by_shift.get(s["id"], {}).values())
        )

    def _breaks_rule_6(self, b: Booking) -> bool:
        """Whether this is broken: the car has a seat for everybody and whatever the ride needs."""
        return (
            b["status"] in ("assigned", "done")
            and not (
                b["shift_id"] is None
                or self.cars[self.shifts[b["shift_id"]]["car_id"]]["seats"] >= b["people"]
                and all(n in self.cars[self.shifts[b["shift_id"]]["car_id"]]["features"] for n in b["needs"])
            )
        )

    def _breaks_rule_7(self, b: Booking) -> bool:
        """Whether this is broken: open and cancelled bookings have no driver, and all others have one."""
        return (b["status"] in ("open", "cancelled")) != (b["shift_id"] is None)

    def _breaks_rule_8_c(self, c: Complaint) -> bool:
        """Whether this is broken: complaints are about rides that took place, one for each."""
        return any(other_c is not c for other_c in self._complaints_by_booking.get(c["booking_id"], {}).values())

    def _breaks_rule_8_c_again(self, c: Complaint) -> bool:
        """Whether this is broken: complaints are about rides that took place, one for each."""
        return self.bookings[c["booking_id"]]["status"] != "done"

    def _breaks_rule_9(self, c: Complaint) -> bool:
        """Whether this is broken: money is given back where a complaint was upheld, and never more than the fare."""
        return not (
            c["refund"] <= self.bookings[c["booking_id"]]["fare"]
            and (c["verdict"] == "upheld" or c["refund"] == 0)
        )

    def _breaks_rule_10(self, d: Driver) -> bool:
        """Whether this is broken: whoever has three complaints upheld is suspended."""
        return self._driver_upheld(d) >= 3 and not d["suspended"]

    def _breaks_rule_11(self, b: Booking) -> bool:
        """Whether this is broken: the same ride is not booked twice."""
        return (
            b["status"] in ("open", "assigned")
            and any(
                other_b is not b
                for other_b in self._bookings_by_target.get(b["target_id"], {}).values()
                if other_b["customer"].lower() == b["customer"].lower()
                and other_b["pickup_at"] == b["pickup_at"]
                and other_b["people"] == b["people"]
                and other_b["status"] in ("open", "assigned")
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
            case "fares":
                self._fares_by_pickup_target.setdefault(
                    (record["pickup_id"], record["target_id"]),
                    {},
                )[record["id"]] = record
            case "shifts":
                self._shifts_by_car.setdefault(record["car_id"], {})[record["id"]] = record
                self._shifts_by_driver.setdefault(record["driver_id"], {})[record["id"]] = record
                self._shifts_by_rank_status.setdefault((record["rank_id"], record["status"]), {})[record["id"]] = record
            case "bookings":
                self._bookings_by_shift.setdefault(record["shift_id"], {})[record["id"]] = record
                self._bookings_by_shift_status.setdefault(
                    (record["shift_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_target.setdefault(record["target_id"], {})[record["id"]] = record
            case "complaints":
                self._complaints_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record
                self._complaints_by_booking_verdict.setdefault(
                    (record["booking_id"], record["verdict"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "fares":
                del self._fares_by_pickup_target[record["pickup_id"], record["target_id"]][record["id"]]
            case "shifts":
                del self._shifts_by_car[record["car_id"]][record["id"]]
                del self._shifts_by_driver[record["driver_id"]][record["id"]]
                del self._shifts_by_rank_status[record["rank_id"], record["status"]][record["id"]]
            case "bookings":
                del self._bookings_by_shift[record["shift_id"]][record["id"]]
                del self._bookings_by_shift_status[record["shift_id"], record["status"]][record["id"]]
                del self._bookings_by_target[record["target_id"]][record["id"]]
            case "complaints":
                del self._complaints_by_booking[record["booking_id"]][record["id"]]
                del self._complaints_by_booking_verdict[record["booking_id"], record["verdict"]][record["id"]]
