"""Airline rebooking. Compiled from blueprint.yaml; run `envscaler build airline_rebooking` after changing it there.

Keeps the parties of an airline on their way when flights are delayed or cancelled, with seats per cabin,
minimum connecting times, rebooking in the order of status and standby lists.
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
    "A cabin never carries more passengers than it has seats.",
    "Nobody holds a confirmed seat on a cancelled flight.",
    "Seats on a flight that has departed are flown, and only those.",
    "Between two flights of a passenger there is the minimum connecting time.",
    "A child flies with a grown-up of the same booking on the same flight.",
    "The members of a booking sit in one cabin of a flight.",
    "A booking is led by a grown-up.",
    "A seat waits on one standby list at a time.",
    "Whoever stands by for a flight holds a ticket for the same route on another one.",
    "A flight arrives after it departs.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_party",
    "add_connection",
    "report_disruption",
    "rebook_party",
    "rebook_stranded",
    "give_up_seats",
    "divide_booking",
    "join_standby",
    "clear_standby",
    "leave_standby",
    "depart_flight",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "airports": ("name",),
    "flights": ("code",),
    "cabins": ("code",),
    "passengers": ("name",),
    "bookings": ("locator",),
    "coupons": (),
    "standbies": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "locator"),
    ("cabins", "flight_id"),
    ("coupons", "booking_id"),
    ("coupons", "cabin_id"),
    ("coupons", "passenger_id"),
    ("coupons", "status"),
    ("flights", "origin_id"),
    ("standbies", "cabin_id"),
    ("standbies", "coupon_id"),
    ("standbies", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Airport(TypedDict):
    id: str
    name: str
    min_connect: int


class Flight(TypedDict):
    id: str
    code: str
    origin_id: str
    destination_id: str
    departs: str
    arrives: str
    reason: str | None
    late_by: int
    status: Literal["scheduled", "delayed", "cancelled", "departed"]


class Cabin(TypedDict):
    id: str
    code: str
    flight_id: str
    kind: Literal["economy", "business"]
    seats: int
    change_fee: int


class Passenger(TypedDict):
    id: str
    name: str
    tier: Literal["none", "silver", "gold", "platinum"]
    child: bool


class Booking(TypedDict):
    id: str
    locator: str
    lead_id: str
    booked_at: str
    fees: int


class Coupon(TypedDict):
    id: str
    booking_id: str
    passenger_id: str
    cabin_id: str
    status: Literal["confirmed", "displaced", "cancelled", "flown", "refunded"]


class Standby(TypedDict):
    id: str
    coupon_id: str
    cabin_id: str
    joined_at: str
    status: Literal["waiting", "cleared", "withdrawn"]


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class AirlineRebooking:
    """Keeps the parties of an airline on their way when flights are delayed or cancelled, with seats per
    cabin, minimum connecting times, rebooking in the order of status and standby lists.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.airports: dict[str, Airport] = _copied(config.get("airports", {}))
        self.flights: dict[str, Flight] = _copied(config.get("flights", {}))
        self.cabins: dict[str, Cabin] = _copied(config.get("cabins", {}))
        self.passengers: dict[str, Passenger] = _copied(config.get("passengers", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.coupons: dict[str, Coupon] = _copied(config.get("coupons", {}))
        self.standbies: dict[str, Standby] = _copied(config.get("standbies", {}))
        self.now: str = config.get("now", "2026-11-19T06:10")
        self.counters: dict[str, int] = {
            "airport": len(self.airports),
            "flight": len(self.flights),
            "cabin": len(self.cabins),
            "passenger": len(self.passengers),
            "booking": len(self.bookings),
            "coupon": len(self.coupons),
            "standby": len(self.standbies),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._flights_by_origin: dict[Any, dict[str, Flight]] = {}
        self._cabins_by_flight: dict[Any, dict[str, Cabin]] = {}
        self._bookings_by_locator: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_lower_locator: dict[Any, dict[str, Booking]] = {}
        self._coupons_by_booking: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_booking_cabin: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_booking_passenger: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_booking_status: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_cabin: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_cabin_status: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_passenger: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_passenger_status: dict[Any, dict[str, Coupon]] = {}
        self._coupons_by_status: dict[Any, dict[str, Coupon]] = {}
        self._standbies_by_cabin: dict[Any, dict[str, Standby]] = {}
        self._standbies_by_cabin_status: dict[Any, dict[str, Standby]] = {}
        self._standbies_by_coupon: dict[Any, dict[str, Standby]] = {}
        self._standbies_by_coupon_status: dict[Any, dict[str, Standby]] = {}
        for flight in self.flights.values():
            self._link("flights", flight)
        for cabin in self.cabins.values():
            self._link("cabins", cabin)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for coupon in self.coupons.values():
            self._link("coupons", coupon)
        for standby in self.standbies.values():
            self._link("standbies", standby)

    def seats_on_route(
        self,
        origin_id: str,
        destination_id: str,
        seats: Annotated[int, {"minimum": 1, "maximum": 9}],
        kind: Literal["economy", "business"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Cabins from one airport to another that can still be booked and have seats for a party, earliest first.

        Args:
            origin_id (str): Airport where the flights start; an id such as AIRPORT-00001.
            destination_id (str): Other airport where the flights end; an id such as AIRPORT-00001.
            seats (int): Number of seats that the party needs, from 1 to 9.
            kind (str, optional): Kind of cabin listed: economy or business. If left out, cabins of all kinds are
                listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cabins": records}} or {"success": False, "error": why
                not}
        """
        origin = self.airports.get(origin_id)
        if origin is None:
            return _refused(f"There is no airport {origin_id!r}.")
        destination = self.airports.get(destination_id)
        if destination is None:
            return _refused(f"There is no airport {destination_id!r}.")
        if origin is destination:
            return _refused(f"{origin['name']} is both ends of the route.")
        found = [
            c
            for c in [
                c
                for _flight in self._flights_by_origin.get(origin_id, {}).values()
                for c in self._cabins_by_flight.get(_flight["id"], {}).values()
            ]
            if (
                self.flights[c["flight_id"]]["origin_id"] == origin_id
                and self.flights[c["flight_id"]]["destination_id"] == destination_id
            )
            and (self._bookable(self.flights[c["flight_id"]]) and self._cabin_free(c) >= seats)
            and (kind is None or c["kind"] == kind)
        ]
        found.sort(key=lambda c: (self.flights[c["flight_id"]]["departs"], c["code"], _age(c)))
        shown = [
            {
                "id": c["id"],
                "flight": self.flights[c["flight_id"]]["code"],
                "kind": c["kind"],
                "departs": self.flights[c["flight_id"]]["departs"],
                "arrives": self.flights[c["flight_id"]]["arrives"],
                "free": self._cabin_free(c),
            }
            for c in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "cabins": shown},
            _names((self.cabins, "code", [row["id"] for row in shown])),
        )

    def stranded_parties(
        self,
        flight_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Bookings with stranded members, in the order in which they are to be rebooked.

        Args:
            flight_id (str, optional): Flight on which the parties are stranded; an id such as FLIGHT-00001. If
                left out, the parties of all flights are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        flight = self.flights.get(flight_id) if flight_id is not None else None
        if flight_id is not None and flight is None:
            return _refused(f"There is no flight {flight_id!r}.")
        found = [
            b
            for b in _those(
                self.bookings,
                [k["booking_id"] for k in self._coupons_by_status.get("displaced", {}).values()],
            )
            if any(k["status"] == "displaced" for k in self._coupons_by_booking.get(b["id"], {}).values())
            and (
                flight_id is None
                or any(
                    k["status"] == "displaced"
                    and self.cabins[k["cabin_id"]]["flight_id"] == flight_id
                    for k in self._coupons_by_booking.get(b["id"], {}).values()
                )
            )
        ]
        found.sort(key=lambda b: (self._booking_best(b), b["booked_at"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "locator": b["locator"],
                        "lead": self.passengers[b["lead_id"]]["name"],
                        "best": self._booking_best(b),
                        "booked_at": b["booked_at"],
                        "seats": len(self._coupons_by_booking_status.get((b["id"], "displaced"), {})),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def standby_order(self, cabin_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who stands by for a cabin, in the order in which seats are given.

        Args:
            cabin_id (str): Id of the cabin, such as CABIN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standbies": records}} or {"success": False, "error":
                why not}
        """
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        found = [
            s
            for s in self._standbies_by_cabin.get(cabin_id, {}).values()
            if (s["cabin_id"] == cabin_id and s["status"] == "waiting")
        ]
        found.sort(
            key=lambda s: (
                self._passenger_rank(self.passengers[self.coupons[s["coupon_id"]]["passenger_id"]]),
                s["joined_at"],
                s["id"],
                _age(s),
            )
        )
        return _found(
            {
                "total": len(found),
                "standbies": [
                    {
                        "id": s["id"],
                        "passenger": self.passengers[self.coupons[s["coupon_id"]]["passenger_id"]]["name"],
                        "tier": self.passengers[self.coupons[s["coupon_id"]]["passenger_id"]]["tier"],
                        "joined_at": s["joined_at"],
                        "holds": self.flights[
                            self.cabins[self.coupons[s["coupon_id"]]["cabin_id"]]["flight_id"]
                        ]["code"],
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def itinerary(self, passenger_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The flights of a passenger, in the order of departure.

        Args:
            passenger_id (str): Id of the passenger, such as PASSENGER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "coupons": records}} or {"success": False, "error": why
                not}
        """
        passenger = self.passengers.get(passenger_id)
        if passenger is None:
            return _refused(f"There is no passenger {passenger_id!r}.")
        found = [k for k in self._coupons_by_passenger.get(passenger_id, {}).values()]
        found.sort(key=lambda k: (self.flights[self.cabins[k["cabin_id"]]["flight_id"]]["departs"], k["id"], _age(k)))
        return _found(
            {
                "total": len(found),
                "coupons": [
                    {
                        "id": k["id"],
                        "locator": self.bookings[k["booking_id"]]["locator"],
                        "flight": self.flights[self.cabins[k["cabin_id"]]["flight_id"]]["code"],
                        "departs": self.flights[self.cabins[k["cabin_id"]]["flight_id"]]["departs"],
                        "arrives": self.flights[self.cabins[k["cabin_id"]]["flight_id"]]["arrives"],
                        "cabin": self.cabins[k["cabin_id"]]["kind"],
                        "status": k["status"],
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def list_airports(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the airports, oldest first, all of them or only some.

        Args:
            name (str, optional): Only airports whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "airports": records}}
        """
        found = [
            airport
            for airport in self.airports.values()
            if (name is None or name.casefold() in airport["name"].casefold())
        ]
        return _found({"total": len(found), "airports": [{**airport} for airport in _page(found, offset)]})

    def list_flights(
        self,
        code: Text | None = None,
        origin_id: str | None = None,
        destination_id: str | None = None,
        status: Literal["scheduled", "delayed", "cancelled", "departed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the flights, oldest first, all of them or only some.

        Args:
            code (str, optional): Only flights whose code contains this text.
            origin_id (str, optional): Only flights whose origin is this airport.
            destination_id (str, optional): Only flights whose destination is this airport.
            status (str, optional): Only flights with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "flights": records}}
        """
        if origin_id is not None and origin_id not in self.airports:
            return _refused(f"There is no airport {origin_id!r}.")
        if destination_id is not None and destination_id not in self.airports:
            return _refused(f"There is no airport {destination_id!r}.")
        found = [
            flight
            for flight in self.flights.values()
            if (code is None or code.casefold() in flight["code"].casefold())
            and (origin_id is None or flight["origin_id"] == origin_id)
            and (destination_id is None or flight["destination_id"] == destination_id)
            and (status is None or flight["status"] == status)
        ]
        shown = [self._show_flight(flight) for flight in _page(found, offset)]
        return _found({"total": len(found), "flights": shown}, self._names_of_flights(shown))

    def list_cabins(
        self,
        code: Text | None = None,
        flight_id: str | None = None,
        kind: Literal["economy", "business"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cabins, oldest first, all of them or only some.

        Args:
            code (str, optional): Only cabins whose code contains this text.
            flight_id (str, optional): Only cabins of this flight.
            kind (str, optional): Only cabins with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cabins": records}}
        """
        if flight_id is not None and flight_id not in self.flights:
            return _refused(f"There is no flight {flight_id!r}.")
        found = [
            cabin
            for cabin in self.cabins.values()
            if (code is None or code.casefold() in cabin["code"].casefold())
            and (flight_id is None or cabin["flight_id"] == flight_id)
            and (kind is None or cabin["kind"] == kind)
        ]
        shown = [self._show_cabin(cabin) for cabin in _page(found, offset)]
        return _found({"total": len(found), "cabins": shown}, self._names_of_cabins(shown))

    def list_passengers(
        self,
        name: Text | None = None,
        tier: Literal["none", "silver", "gold", "platinum"] | None = None,
        child: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the passengers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only passengers whose name contains this text.
            tier (str, optional): Only passengers with this tier.
            child (bool, optional): Only passengers with this value of `child`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "passengers": records}}
        """
        found = [
            passenger
            for passenger in self.passengers.values()
            if (name is None or name.casefold() in passenger["name"].casefold())
            and (tier is None or passenger["tier"] == tier)
            and (child is None or passenger["child"] == child)
        ]
        return _found(
            {
                "total": len(found),
                "passengers": [self._show_passenger(passenger) for passenger in _page(found, offset)],
            }
        )

    def list_bookings(
        self,
        locator: Text | None = None,
        lead_id: str | None = None,
        booked_at_from: Date | None = None,
        booked_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            locator (str, optional): Only bookings whose locator contains this text.
            lead_id (str, optional): Only bookings whose lead is this passenger.
            booked_at_from (str, optional): Only bookings whose `booked_at` is on this day or later.
            booked_at_to (str, optional): Only bookings whose `booked_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if lead_id is not None and lead_id not in self.passengers:
            return _refused(f"There is no passenger {lead_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (locator is None or locator.casefold() in booking["locator"].casefold())
            and (lead_id is None or booking["lead_id"] == lead_id)
            and (booked_at_from is None or booking["booked_at"][:10] >= booked_at_from)
            and (booked_at_to is None or booking["booked_at"][:10] <= booked_at_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_coupons(
        self,
        booking_id: str | None = None,
        passenger_id: str | None = None,
        cabin_id: str | None = None,
        status: Literal["confirmed", "displaced", "cancelled", "flown", "refunded"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the coupons, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only coupons of this booking.
            passenger_id (str, optional): Only coupons of this passenger.
            cabin_id (str, optional): Only coupons of this cabin.
            status (str, optional): Only coupons with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "coupons": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        if passenger_id is not None and passenger_id not in self.passengers:
            return _refused(f"There is no passenger {passenger_id!r}.")
        if cabin_id is not None and cabin_id not in self.cabins:
            return _refused(f"There is no cabin {cabin_id!r}.")
        found = [
            coupon
            for coupon in self.coupons.values()
            if (booking_id is None or coupon["booking_id"] == booking_id)
            and (passenger_id is None or coupon["passenger_id"] == passenger_id)
            and (cabin_id is None or coupon["cabin_id"] == cabin_id)
            and (status is None or coupon["status"] == status)
        ]
        shown = [{**coupon} for coupon in _page(found, offset)]
        return _found({"total": len(found), "coupons": shown}, self._names_of_coupons(shown))

    def list_standbies(
        self,
        coupon_id: str | None = None,
        cabin_id: str | None = None,
        status: Literal["waiting", "cleared", "withdrawn"] | None = None,
        joined_at_from: Date | None = None,
        joined_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the standbies, oldest first, all of them or only some.

        Args:
            coupon_id (str, optional): Only standbies of this coupon.
            cabin_id (str, optional): Only standbies of this cabin.
            status (str, optional): Only standbies with this status.
            joined_at_from (str, optional): Only standbies whose `joined_at` is on this day or later.
            joined_at_to (str, optional): Only standbies whose `joined_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "standbies": records}}
        """
        if coupon_id is not None and coupon_id not in self.coupons:
            return _refused(f"There is no coupon {coupon_id!r}.")
        if cabin_id is not None and cabin_id not in self.cabins:
            return _refused(f"There is no cabin {cabin_id!r}.")
        found = [
            standby
            for standby in self.standbies.values()
            if (coupon_id is None or standby["coupon_id"] == coupon_id)
            and (cabin_id is None or standby["cabin_id"] == cabin_id)
            and (status is None or standby["status"] == status)
            and (joined_at_from is None or standby["joined_at"][:10] >= joined_at_from)
            and (joined_at_to is None or standby["joined_at"][:10] <= joined_at_to)
        ]
        shown = [{**standby} for standby in _page(found, offset)]
        return _found({"total": len(found), "standbies": shown}, self._names_of_standbies(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_party(
        self,
        locator: Text,
        lead_id: str,
        other_ids: Annotated[list[str], {"maxItems": 20}],
        cabin_id: str,
    ) -> Result:
        """Book a party on a flight under a new locator.

        Args:
            locator (str): Code of the new booking, not in use yet.
            lead_id (str): Adult passenger in whose name the party is booked; an id such as PASSENGER-00001.
            other_ids (list): Further passengers of the party, an empty list for none: ids of passengers, such as
                PASSENGER-00001.
            cabin_id (str): Id of the cabin, such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lead = self.passengers.get(lead_id)
        if lead is None:
            return _refused(f"There is no passenger {lead_id!r}.")
        others = []
        for key in other_ids:
            if key not in self.passengers:
                return _refused(f"There is no passenger {key!r}.")
            others.append(self.passengers[key])
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        if self._bookings_by_lower_locator.get(locator.lower(), {}):
            return _refused(f"The locator {locator} is in use.")
        if lead["child"]:
            return _refused(f"{lead['name']} is a child and cannot lead a booking.")
        if not (_different([p["id"] for p in others]) and lead not in others):
            return _refused("Name every passenger once.")
        if not self._bookable(self.flights[cabin["flight_id"]]):
            return _refused(
                f"Flight {self.flights[cabin['flight_id']]['code']} is "
                f"{self.flights[cabin['flight_id']]['status']} and can no longer be booked."
            )
        if self._cabin_free(cabin) <= len(others):
            return _refused(f"{cabin['code']} has {self._cabin_free(cabin)} seats left, not {len(others) + 1}.")
        busy = next(
            (
                p
                for p in [lead] + others
                if any(
                    not self._connected(
                        self.flights[self.cabins[k["cabin_id"]]["flight_id"]],
                        self.flights[cabin["flight_id"]],
                    )
                    for k in self._coupons_by_passenger_status.get((p["id"], "confirmed"), {}).values()
                )
            ),
            None,
        )
        if busy is not None:
            return _refused(f"{busy['name']} is on another flight at that time.")
        self._journal = []
        added_coupons: list[Any] = []
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "locator": locator,
            "lead_id": lead_id,
            "booked_at": self.now,
            "fees": 0,
        }
        self._add("bookings", booking)
        for p in [lead] + others:
            coupon = {
                "id": self._new_id("coupon", "COUPON", self.coupons),
                "booking_id": booking["id"],
                "passenger_id": p["id"],
                "cabin_id": cabin_id,
                "status": "confirmed",
            }
            self._add("coupons", coupon)
            added_coupons.append(coupon)
        if len(self._bookings_by_locator.get(booking["locator"], {})) > 1:
            return self._take_back(f"There is already a booking with the locator {booking['locator']!r}.")
        for one_cabin in _distinct([self.cabins[one["cabin_id"]] for one in added_coupons]):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *added_coupons,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in added_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(booking):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: book {lead['name']} and {len(others)} more on {cabin['code']} (new: booking {booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def add_connection(self, booking_id: str, cabin_id: str) -> Result:
        """Book everybody who flies to an airport under a booking on from there, on a flight that keeps the minimum
        connecting time.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            cabin_id (str): Id of the cabin, such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        if not self._bookable(self.flights[cabin["flight_id"]]):
            return _refused(
                f"Flight {self.flights[cabin['flight_id']]['code']} is "
                f"{self.flights[cabin['flight_id']]['status']} and can no longer be booked."
            )
        coming = [
            k
            for k in sorted(self._coupons_by_booking_status.get((booking_id, "confirmed"), {}).values(), key=_age)
            if self.flights[
                self.cabins[k["cabin_id"]]["flight_id"]
            ]["destination_id"] == self.flights[cabin["flight_id"]]["origin_id"]
            and self.flights[
                self.cabins[k["cabin_id"]]["flight_id"]
            ]["arrives"] < self.flights[cabin["flight_id"]]["departs"]
        ]
        if len(coming) <= 0:
            return _refused(
                f"Nobody of booking {booking['locator']} arrives in "
                f"{self.airports[self.flights[cabin['flight_id']]['origin_id']]['name']} before "
                f"{self.flights[cabin['flight_id']]['code']} leaves."
            )
        if any(
            self.flights[
                self.cabins[k["cabin_id"]]["flight_id"]
            ]["origin_id"] == self.flights[cabin["flight_id"]]["origin_id"]
            for k in self._coupons_by_booking.get(booking_id, {}).values()
            if k["status"] in ("confirmed", "displaced")
        ):
            return _refused(
                f"Booking {booking['locator']} goes on from "
                f"{self.airports[self.flights[cabin['flight_id']]['origin_id']]['name']} already."
            )
        short = next(
            (
                k
                for k in coming
                if self._flight_connects_at(
                    self.flights[self.cabins[k["cabin_id"]]["flight_id"]]
                ) > self.flights[cabin["flight_id"]]["departs"]
            ),
            None,
        )
        if short is not None:
            return _refused(
                f"From {self.flights[self.cabins[short['cabin_id']]['flight_id']]['code']} there is less than the "
                f"{self.airports[self.flights[cabin['flight_id']]['origin_id']]['min_connect']} minutes that "
                f"{self.airports[self.flights[cabin['flight_id']]['origin_id']]['name']} needs."
            )
        if len(coming) > self._cabin_free(cabin):
            return _refused(
                f"{cabin['code']} has {self._cabin_free(cabin)} seats left and the party needs {len(coming)}."
            )
        busy = next(
            (
                k
                for k in coming
                if self._clash(
                    self.passengers[k["passenger_id"]],
                    self.flights[cabin["flight_id"]],
                    self.flights[self.cabins[k["cabin_id"]]["flight_id"]],
                ) is not None
            ),
            None,
        )
        if busy is not None:
            return _refused(f"{self.passengers[busy['passenger_id']]['name']} is on another flight at that time.")
        self._journal = []
        added_coupons: list[Any] = []
        for k in list(coming):
            coupon = {
                "id": self._new_id("coupon", "COUPON", self.coupons),
                "booking_id": booking_id,
                "passenger_id": k["passenger_id"],
                "cabin_id": cabin_id,
                "status": "confirmed",
            }
            self._add("coupons", coupon)
            added_coupons.append(coupon)
        for one_cabin in _distinct([self.cabins[one["cabin_id"]] for one in added_coupons]):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *added_coupons,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in added_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct(added_coupons):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: book {booking['locator']} on to {cabin['code']}.",
            "data": self._changes(),
        }

    def report_disruption(
        self,
        flight_id: str,
        reason: Text,
        minutes: Annotated[int, {"minimum": 10, "maximum": 600}] | None = None,
    ) -> Result:
        """Delay a flight by some minutes or, without minutes, cancel it; everybody on a cancelled flight is stranded,
        and so are parties that miss another flight of theirs because of a delay.

        Args:
            flight_id (str): Id of the flight, such as FLIGHT-00001.
            reason (str): What disrupts the flight.
            minutes (int, optional): Further delay of the flight in minutes, within the same day, from 10 to 600.
                If left out, the flight is cancelled.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flight = self.flights.get(flight_id)
        if flight is None:
            return _refused(f"There is no flight {flight_id!r}.")
        if flight["status"] not in ("scheduled", "delayed"):
            return _refused(f"Flight {flight['code']} is {flight['status']}, so nothing can be reported for it.")
        if minutes is not None and _plus_minutes(flight["departs"], minutes) <= self.now:
            return _refused(f"With {minutes} minutes of delay {flight['code']} would have left before {self.now}.")
        if minutes is not None and _plus_minutes(flight["departs"], minutes)[:10] != flight["departs"][:10]:
            return _refused(f"Such a delay goes beyond the day, so cancel {flight['code']} instead.")
        self._journal = []
        changed_coupons: list[Any] = []
        changed_standbies: list[Any] = []
        changed_flights: list[Any] = []
        changed_flights_2: list[Any] = []
        changed_flights_3: list[Any] = []
        self._put("flights", flight, "reason", reason)
        if minutes is None:
            for k in sorted(
                [
                    k
                    for _cabin in self._cabins_by_flight.get(flight_id, {}).values()
                    for k in self._coupons_by_cabin_status.get((_cabin["id"], "confirmed"), {}).values()
                ],
                key=_age,
            ):
                if k["status"] not in ("confirmed", "displaced"):
                    return self._take_back(f"Coupon {k['id']} cannot go from {k['status']} to displaced.")
                changed_coupons.append(k)
                self._put("coupons", k, "status", "displaced")
            for s in sorted(
                [
                    s
                    for _cabin in self._cabins_by_flight.get(flight_id, {}).values()
                    for s in self._standbies_by_cabin_status.get((_cabin["id"], "waiting"), {}).values()
                ],
                key=_age,
            ):
                if s["status"] not in ("waiting", "withdrawn"):
                    return self._take_back(f"Standby {s['id']} cannot go from {s['status']} to withdrawn.")
                changed_standbies.append(s)
                self._put("standbies", s, "status", "withdrawn")
            changed_flights.append(flight)
            self._put("flights", flight, "status", "cancelled")
        else:
            late_by = flight["late_by"] + minutes
            if not 0 <= late_by <= 6000:
                return self._take_back(f"The late by of {flight['code']} must be between 0 and 6000.")
            self._put("flights", flight, "late_by", late_by)
            changed_flights_2.append(flight)
            self._put("flights", flight, "departs", _plus_minutes(flight["departs"], minutes))
            changed_flights_3.append(flight)
            self._put("flights", flight, "arrives", _plus_minutes(flight["arrives"], minutes))
            if flight["status"] == "scheduled":
                if flight["status"] not in ("scheduled", "delayed"):
                    return self._take_back(f"Flight {flight['code']} cannot go from {flight['status']} to delayed.")
                changed_flights.append(flight)
                self._put("flights", flight, "status", "delayed")
            missed = [
                n
                for n in sorted(
                    _distinct(
                        [
                            n
                            for key in [
                                k["passenger_id"]
                                for _cabin in self._cabins_by_flight.get(flight_id, {}).values()
                                for k in self._coupons_by_cabin_status.get((_cabin["id"], "confirmed"), {}).values()
                            ]
                            for n in self._coupons_by_passenger.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if n["status"] == "confirmed"
                and self.cabins[n["cabin_id"]]["flight_id"] != flight_id
                and not self._connected(self.flights[self.cabins[n["cabin_id"]]["flight_id"]], flight)
                and any(
                    self.cabins[k["cabin_id"]]["flight_id"] == flight_id
                    and k["status"] == "confirmed"
                    for k in self._coupons_by_passenger.get(n["passenger_id"], {}).values()
                )
            ]
            for n in list(missed):
                for m in [
                    m
                    for m in sorted(
                        self._coupons_by_booking_status.get((n["booking_id"], "confirmed"), {}).values(),
                        key=_age,
                    )
                    if self.cabins[m["cabin_id"]]["flight_id"] == self.cabins[n["cabin_id"]]["flight_id"]
                ]:
                    if m["status"] not in ("confirmed", "displaced"):
                        return self._take_back(f"Coupon {m['id']} cannot go from {m['status']} to displaced.")
                    changed_coupons.append(m)
                    self._put("coupons", m, "status", "displaced")
        for one_cabin in _distinct([self.cabins[one["cabin_id"]] for one in changed_coupons]):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [
                        user
                        for one in changed_flights
                        for user in self._cabins_by_flight.get(one["id"], {}).values()
                    ]
                    for user in self._coupons_by_cabin_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [
                        user
                        for one in changed_flights
                        for user in self._cabins_by_flight.get(one["id"], {}).values()
                    ]
                    for user in self._coupons_by_cabin.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [
                        user
                        for one in changed_flights_2
                        for user in self._cabins_by_flight.get(one["id"], {}).values()
                    ]
                    for user in self._coupons_by_cabin_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in changed_flights_3
                        for user in self._cabins_by_flight.get(one["id"], {}).values()
                    ]
                    for user in self._coupons_by_cabin_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [
                        user
                        for one in changed_flights_2
                        for user in self._cabins_by_flight.get(one["id"], {}).values()
                    ]
                    for user in self._coupons_by_cabin_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in changed_flights_3
                        for user in self._cabins_by_flight.get(one["id"], {}).values()
                    ]
                    for user in self._coupons_by_cabin_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        for one_standby in _distinct(changed_standbies):
            if self._breaks_rule_8(one_standby):
                return self._take_back(RULES[7])
        for one_standby in _distinct(
            [
                *[
                    user
                    for one in changed_coupons
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
                *changed_standbies,
            ]
        ):
            if self._breaks_rule_9(one_standby):
                return self._take_back(RULES[8])
        for one_flight in _distinct([*changed_flights_2, *changed_flights_3]):
            if self._breaks_rule_10(one_flight):
                return self._take_back(RULES[9])
        done = f"report {reason} for flight {flight['code']}"
        if minutes is not None:
            done += f" and delay it by {minutes} minutes"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def rebook_party(self, booking_id: str, flight_id: str, to_id: str) -> Result:
        """Move the members of a booking from one flight to a cabin of another on the same route; a change nobody
        forced on them stays in the same cabin and costs the fee of that cabin per seat, except with gold or
        platinum in the party or where their flight is two hours late or more.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            flight_id (str): Id of the flight, such as FLIGHT-00001.
            to_id (str): Cabin of another flight on the same route, with seats for the whole party; an id such as
                CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        flight = self.flights.get(flight_id)
        if flight is None:
            return _refused(f"There is no flight {flight_id!r}.")
        to = self.cabins.get(to_id)
        if to is None:
            return _refused(f"There is no cabin {to_id!r}.")
        group = self._party(booking, flight)
        if len(group) <= 0:
            return _refused(f"Booking {booking['locator']} holds no seats on {flight['code']} that could be moved.")
        if not self._same_route(flight, self.flights[to["flight_id"]]):
            return _refused(
                f"{self.flights[to['flight_id']]['code']} is no other flight from "
                f"{self.airports[flight['origin_id']]['name']} to {self.airports[flight['destination_id']]['name']}."
            )
        if not self._bookable(self.flights[to["flight_id"]]):
            return _refused(
                f"Flight {self.flights[to['flight_id']]['code']} is {self.flights[to['flight_id']]['status']} and "
                "can no longer be booked."
            )
        if len(group) > self._cabin_free(to):
            return _refused(f"{to['code']} has {self._cabin_free(to)} seats left and the party needs {len(group)}.")
        forced = any(k["status"] == "displaced" for k in group)
        if not (forced or all(self.cabins[k["cabin_id"]]["kind"] == to["kind"] for k in group)):
            return _refused(f"Their flight operates, so they keep their cabin and {to['code']} is another one.")
        late = next(
            (
                k
                for k in group
                if self._clash(self.passengers[k["passenger_id"]], self.flights[to["flight_id"]], flight) is not None
            ),
            None,
        )
        if late is not None:
            return _refused(
                f"{self.passengers[late['passenger_id']]['name']} has another flight that "
                f"{self.flights[to['flight_id']]['code']} does not connect with."
            )
        self._journal = []
        changed_standbies: list[Any] = []
        changed_coupons: list[Any] = []
        former_cabin_ids: list[Any] = []
        changed_coupons_2: list[Any] = []
        for k in list(group):
            for s in sorted(self._standbies_by_coupon_status.get((k["id"], "waiting"), {}).values(), key=_age):
                if s["status"] not in ("waiting", "withdrawn"):
                    return self._take_back(f"Standby {s['id']} cannot go from {s['status']} to withdrawn.")
                changed_standbies.append(s)
                self._put("standbies", s, "status", "withdrawn")
            changed_coupons.append(k)
            former_cabin_ids.append(k["cabin_id"])
            self._put("coupons", k, "cabin_id", to_id)
            if k["status"] == "displaced":
                if k["status"] not in ("confirmed", "displaced"):
                    return self._take_back(f"Coupon {k['id']} cannot go from {k['status']} to confirmed.")
                changed_coupons_2.append(k)
                self._put("coupons", k, "status", "confirmed")
        if not forced and flight["late_by"] < 120 and self._booking_best(booking) > 1:
            self._put("bookings", booking, "fees", booking["fees"] + to["change_fee"] * len(group))
        for one_cabin in _distinct(
            [
                *[self.cabins[one["cabin_id"]] for one in changed_coupons],
                *[self.cabins.get(key) for key in former_cabin_ids],
                *[self.cabins[one["cabin_id"]] for one in changed_coupons_2],
            ]
        ):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
                *changed_coupons,
                *changed_coupons_2,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons_2]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        for one_standby in _distinct(changed_standbies):
            if self._breaks_rule_8(one_standby):
                return self._take_back(RULES[7])
        for one_standby in _distinct(
            [
                *changed_standbies,
                *[
                    user
                    for one in changed_coupons
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
                *[
                    user
                    for one in changed_coupons_2
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_standby):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: rebook {booking['locator']} from {flight['code']} to {to['code']}.",
            "data": self._changes(),
        }

    def rebook_stranded(self, flight_id: str, to_id: str) -> Result:
        """Rebook the parties stranded on a flight to the same cabin of another one, best status first, then oldest
        booking; a party that does not fit as a whole is passed over.

        Args:
            flight_id (str): Id of the flight, such as FLIGHT-00001.
            to_id (str): Cabin of another flight on the same route, of the kind that those stranded held; an id
                such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flight = self.flights.get(flight_id)
        if flight is None:
            return _refused(f"There is no flight {flight_id!r}.")
        to = self.cabins.get(to_id)
        if to is None:
            return _refused(f"There is no cabin {to_id!r}.")
        if not self._same_route(flight, self.flights[to["flight_id"]]):
            return _refused(
                f"{self.flights[to['flight_id']]['code']} is no other flight from "
                f"{self.airports[flight['origin_id']]['name']} to {self.airports[flight['destination_id']]['name']}."
            )
        if not self._bookable(self.flights[to["flight_id"]]):
            return _refused(
                f"Flight {self.flights[to['flight_id']]['code']} is {self.flights[to['flight_id']]['status']} and "
                "can no longer be booked."
            )
        if self._cabin_free(to) <= 0:
            return _refused(f"{to['code']} is full.")
        waiting = [b for b in self.bookings.values() if len(self._stranded_of(b, flight, to["kind"])) > 0]
        if len(waiting) <= 0:
            return _refused(f"Nobody is stranded on {flight['code']} in {to['kind']}.")
        if not any(self._goes_along(b, flight, to) for b in waiting):
            return _refused(
                f"No stranded party of {flight['code']} fits into {to['code']} with its {self._cabin_free(to)} seats."
            )
        self._journal = []
        changed_standbies: list[Any] = []
        changed_coupons: list[Any] = []
        former_cabin_ids: list[Any] = []
        changed_coupons_2: list[Any] = []
        for b in sorted(waiting, key=lambda b: (self._booking_best(b), b["booked_at"], b["id"], _age(b))):
            if self._goes_along(b, flight, to):
                for k in list(self._stranded_of(b, flight, to["kind"])):
                    for s in sorted(
                        self._standbies_by_coupon_status.get((k["id"], "waiting"), {}).values(),
                        key=_age,
                    ):
                        if s["status"] not in ("waiting", "withdrawn"):
                            return self._take_back(f"Standby {s['id']} cannot go from {s['status']} to withdrawn.")
                        changed_standbies.append(s)
                        self._put("standbies", s, "status", "withdrawn")
                    changed_coupons.append(k)
                    former_cabin_ids.append(k["cabin_id"])
                    self._put("coupons", k, "cabin_id", to_id)
                    if k["status"] not in ("confirmed", "displaced"):
                        return self._take_back(f"Coupon {k['id']} cannot go from {k['status']} to confirmed.")
                    changed_coupons_2.append(k)
                    self._put("coupons", k, "status", "confirmed")
        for one_cabin in _distinct(
            [
                *[self.cabins[one["cabin_id"]] for one in changed_coupons],
                *[self.cabins.get(key) for key in former_cabin_ids],
                *[self.cabins[one["cabin_id"]] for one in changed_coupons_2],
            ]
        ):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
                *changed_coupons,
                *changed_coupons_2,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons_2]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        for one_standby in _distinct(changed_standbies):
            if self._breaks_rule_8(one_standby):
                return self._take_back(RULES[7])
        for one_standby in _distinct(
            [
                *changed_standbies,
                *[
                    user
                    for one in changed_coupons
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
                *[
                    user
                    for one in changed_coupons_2
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_standby):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: rebook those stranded on {flight['code']} to {to['code']} in the order of status.",
            "data": self._changes(),
        }

    def give_up_seats(self, booking_id: str, flight_id: str) -> Result:
        """Give up a booking's seats on a flight; stranded members are refunded, others cancelled.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            flight_id (str): Id of the flight, such as FLIGHT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        flight = self.flights.get(flight_id)
        if flight is None:
            return _refused(f"There is no flight {flight_id!r}.")
        group = self._party(booking, flight)
        if len(group) <= 0:
            return _refused(
                f"Booking {booking['locator']} holds no seats on {flight['code']} that could be given up."
            )
        self._journal = []
        changed_standbies: list[Any] = []
        changed_coupons: list[Any] = []
        for k in list(group):
            for s in sorted(self._standbies_by_coupon_status.get((k["id"], "waiting"), {}).values(), key=_age):
                if s["status"] not in ("waiting", "withdrawn"):
                    return self._take_back(f"Standby {s['id']} cannot go from {s['status']} to withdrawn.")
                changed_standbies.append(s)
                self._put("standbies", s, "status", "withdrawn")
            if k["status"] == "displaced":
                if k["status"] not in ("displaced", "refunded"):
                    return self._take_back(f"Coupon {k['id']} cannot go from {k['status']} to refunded.")
                changed_coupons.append(k)
                self._put("coupons", k, "status", "refunded")
            else:
                if k["status"] not in ("confirmed", "cancelled"):
                    return self._take_back(f"Coupon {k['id']} cannot go from {k['status']} to cancelled.")
                changed_coupons.append(k)
                self._put("coupons", k, "status", "cancelled")
        for one_cabin in _distinct([self.cabins[one["cabin_id"]] for one in changed_coupons]):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        for one_standby in _distinct(changed_standbies):
            if self._breaks_rule_8(one_standby):
                return self._take_back(RULES[7])
        for one_standby in _distinct(
            [
                *changed_standbies,
                *[
                    user
                    for one in changed_coupons
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_standby):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: give up the seats of {booking['locator']} on {flight['code']}.",
            "data": self._changes(),
        }

    def divide_booking(
        self,
        booking_id: str,
        lead_id: str,
        other_ids: Annotated[list[str], {"maxItems": 20}],
        locator: Text,
    ) -> Result:
        """Take some passengers out of a booking into one of their own with a new locator, on all flights still ahead
        of them.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            lead_id (str): Adult who leads the new booking, not the present lead; an id such as PASSENGER-00001.
            other_ids (list): Further passengers who leave the old booking, an empty list for none: ids of
                passengers, such as PASSENGER-00001.
            locator (str): Code of the new booking, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        lead = self.passengers.get(lead_id)
        if lead is None:
            return _refused(f"There is no passenger {lead_id!r}.")
        others = []
        for key in other_ids:
            if key not in self.passengers:
                return _refused(f"There is no passenger {key!r}.")
            others.append(self.passengers[key])
        if self._bookings_by_lower_locator.get(locator.lower(), {}):
            return _refused(f"The locator {locator} is in use.")
        if not (_different([p["id"] for p in others]) and lead not in others):
            return _refused("Name every passenger once.")
        if booking["lead_id"] == lead_id or self.passengers[booking["lead_id"]] in others:
            return _refused(f"{self.passengers[booking['lead_id']]['name']} leads the booking and stays in it.")
        if lead["child"]:
            return _refused(f"{lead['name']} is a child and cannot lead a booking.")
        stray = next(
            (
                p
                for p in [lead] + others
                if not any(
                    k["status"] in ("confirmed", "displaced")
                    for k in self._coupons_by_booking_passenger.get((booking_id, p["id"]), {}).values()
                )
            ),
            None,
        )
        if stray is not None:
            return _refused(f"{stray['name']} has no flight ahead in booking {booking['locator']}.")
        child = next(
            (
                self.passengers[k["passenger_id"]]
                for k in sorted(self._coupons_by_booking_status.get((booking_id, "confirmed"), {}).values(), key=_age)
                if self.passengers[k["passenger_id"]]["child"]
                and self.passengers[k["passenger_id"]] not in others
                and not any(
                    self.passengers[o["passenger_id"]] not in [lead] + others
                    for o in self._coupons_by_booking_status.get((booking_id, "confirmed"), {}).values()
                    if self.cabins[o["cabin_id"]]["flight_id"] == self.cabins[k["cabin_id"]]["flight_id"]
                    and not self.passengers[o["passenger_id"]]["child"]
                )
            ),
            None,
        )
        if child is not None:
            return _refused(f"{child['name']} would be left without a grown-up.")
        done = f"divide {lead['name']} and {len(others)} more from {booking['locator']} under {locator}"
        self._journal = []
        changed_coupons: list[Any] = []
        former_booking_ids: list[Any] = []
        own: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "locator": locator,
            "lead_id": lead_id,
            "booked_at": booking["booked_at"],
            "fees": 0,
        }
        self._add("bookings", own)
        for k in [
            k
            for k in sorted(self._coupons_by_booking.get(booking_id, {}).values(), key=_age)
            if self.passengers[k["passenger_id"]] in [lead] + others
            and k["status"] in ("confirmed", "displaced")
        ]:
            changed_coupons.append(k)
            former_booking_ids.append(k["booking_id"])
            self._put("coupons", k, "booking_id", own["id"])
        if len(self._bookings_by_locator.get(own["locator"], {})) > 1:
            return self._take_back(f"There is already a booking with the locator {own['locator']!r}.")
        for one_coupon in _distinct(
            [
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
                *[
                    user
                    for one in [self.bookings.get(key) for key in former_booking_ids]
                    if one is not None
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
                *changed_coupons,
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(own):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: {done} (new: booking {own['id']}).",
            "data": {"booking_id": own["id"], **self._changes()},
        }

    def join_standby(self, coupon_id: str, cabin_id: str) -> Result:
        """Put a passenger on the standby list of a full cabin on the same route and day; nobody who travels with a
        child stands by.

        Args:
            coupon_id (str): Id of the coupon, such as COUPON-00001.
            cabin_id (str): Id of the cabin, such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        coupon = self.coupons.get(coupon_id)
        if coupon is None:
            return _refused(f"There is no coupon {coupon_id!r}.")
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        if coupon["status"] not in ("confirmed", "displaced"):
            return _refused(f"The seat of {self.passengers[coupon['passenger_id']]['name']} is {coupon['status']}.")
        own = self.flights[self.cabins[coupon["cabin_id"]]["flight_id"]]
        if not self._same_route(self.flights[cabin["flight_id"]], own):
            return _refused(
                f"{self.flights[cabin['flight_id']]['code']} is no other flight from "
                f"{self.airports[own['origin_id']]['name']} to {self.airports[own['destination_id']]['name']}."
            )
        if self.flights[cabin["flight_id"]]["departs"][:10] != own["departs"][:10]:
            return _refused(f"{self.flights[cabin['flight_id']]['code']} does not leave on the day of {own['code']}.")
        if not self._bookable(self.flights[cabin["flight_id"]]):
            return _refused(
                f"Flight {self.flights[cabin['flight_id']]['code']} is {self.flights[cabin['flight_id']]['status']}."
            )
        if cabin["kind"] != self.cabins[coupon["cabin_id"]]["kind"]:
            return _refused(
                f"{self.passengers[coupon['passenger_id']]['name']} holds a seat in "
                f"{self.cabins[coupon['cabin_id']]['kind']}, not in {cabin['kind']}."
            )
        if self._cabin_free(cabin) != 0:
            return _refused(f"{cabin['code']} has {self._cabin_free(cabin)} seats left, so rebook instead.")
        if any(
            self.passengers[k["passenger_id"]]["child"]
            for k in self._coupons_by_booking_cabin.get((coupon["booking_id"], coupon["cabin_id"]), {}).values()
        ):
            return _refused(f"The party of {self.passengers[coupon['passenger_id']]['name']} has a child with it.")
        if self._standbies_by_coupon_status.get((coupon_id, "waiting"), {}):
            return _refused(f"{self.passengers[coupon['passenger_id']]['name']} stands by for another flight.")
        if self._clash(self.passengers[coupon["passenger_id"]], self.flights[cabin["flight_id"]], own) is not None:
            return _refused(
                f"{self.passengers[coupon['passenger_id']]['name']} has another flight that "
                f"{self.flights[cabin['flight_id']]['code']} does not connect with."
            )
        self._journal = []
        standby: Standby = {
            "id": self._new_id("standby", "STANDBY", self.standbies),
            "coupon_id": coupon_id,
            "cabin_id": cabin_id,
            "joined_at": self.now,
            "status": "waiting",
        }
        self._add("standbies", standby)
        if self._breaks_rule_8(standby):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(standby):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: put {self.passengers[coupon['passenger_id']]['name']} on the standby list of "
                f"{cabin['code']} (new: standby {standby['id']})."
            ),
            "data": {"standby_id": standby["id"], **self._changes()},
        }

    def clear_standby(self, cabin_id: str) -> Result:
        """Give the free seats of a cabin to those who stand by for it, best status first, then whoever joined first.

        Args:
            cabin_id (str): Id of the cabin, such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        if not self._bookable(self.flights[cabin["flight_id"]]):
            return _refused(
                f"Flight {self.flights[cabin['flight_id']]['code']} is {self.flights[cabin['flight_id']]['status']}."
            )
        if self._cabin_free(cabin) <= 0:
            return _refused(f"{cabin['code']} is full.")
        list_now = [
            s
            for s in sorted(self._standbies_by_cabin_status.get((cabin_id, "waiting"), {}).values(), key=_age)
            if self._clash(
                self.passengers[self.coupons[s["coupon_id"]]["passenger_id"]],
                self.flights[cabin["flight_id"]],
                self.flights[self.cabins[self.coupons[s["coupon_id"]]["cabin_id"]]["flight_id"]],
            ) is None
        ]
        if len(list_now) <= 0:
            return _refused(f"Nobody who could still take it stands by for {cabin['code']}.")
        self._journal = []
        changed_standbies: list[Any] = []
        changed_coupons: list[Any] = []
        former_cabin_ids: list[Any] = []
        changed_coupons_2: list[Any] = []
        for s in sorted(
            list_now,
            key=lambda s: (
                self._passenger_rank(self.passengers[self.coupons[s["coupon_id"]]["passenger_id"]]),
                s["joined_at"],
                s["id"],
                _age(s),
            ),
        )[: max(self._cabin_free(cabin), 0)]:
            coupon = self.coupons[s["coupon_id"]]
            if s["status"] not in ("waiting", "cleared"):
                return self._take_back(f"Standby {s['id']} cannot go from {s['status']} to cleared.")
            changed_standbies.append(s)
            self._put("standbies", s, "status", "cleared")
            changed_coupons.append(coupon)
            former_cabin_ids.append(coupon["cabin_id"])
            self._put("coupons", coupon, "cabin_id", cabin_id)
            if coupon["status"] == "displaced":
                if coupon["status"] not in ("confirmed", "displaced"):
                    return self._take_back(f"Coupon {coupon['id']} cannot go from {coupon['status']} to confirmed.")
                changed_coupons_2.append(coupon)
                self._put("coupons", coupon, "status", "confirmed")
        for one_cabin in _distinct(
            [
                *[self.cabins[one["cabin_id"]] for one in changed_coupons],
                *[self.cabins.get(key) for key in former_cabin_ids],
                *[self.cabins[one["cabin_id"]] for one in changed_coupons_2],
            ]
        ):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
                *changed_coupons,
                *changed_coupons_2,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons_2]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct([*changed_coupons, *changed_coupons_2]):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        for one_standby in _distinct(changed_standbies):
            if self._breaks_rule_8(one_standby):
                return self._take_back(RULES[7])
        for one_standby in _distinct(
            [
                *changed_standbies,
                *[
                    user
                    for one in changed_coupons
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
                *[
                    user
                    for one in changed_coupons_2
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_standby):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: clear the standby list of {cabin['code']}.",
            "data": self._changes(),
        }

    def leave_standby(self, standby_id: str) -> Result:
        """Take a passenger off a standby list.

        Args:
            standby_id (str): Id of the standby, such as STANDBY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        standby = self.standbies.get(standby_id)
        if standby is None:
            return _refused(f"There is no standby {standby_id!r}.")
        if standby["status"] != "waiting":
            return _refused(
                f"{self.passengers[self.coupons[standby['coupon_id']]['passenger_id']]['name']} is "
                f"{standby['status']} on that list."
            )
        self._journal = []
        self._put("standbies", standby, "status", "withdrawn")
        if self._breaks_rule_8(standby):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(standby):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: take {self.passengers[self.coupons[standby['coupon_id']]['passenger_id']]['name']} off "
                f"the standby list of {self.cabins[standby['cabin_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def depart_flight(self, flight_id: str) -> Result:
        """Close a flight that has left; its seats are flown and its standby lists end.

        Args:
            flight_id (str): Id of the flight, such as FLIGHT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        flight = self.flights.get(flight_id)
        if flight is None:
            return _refused(f"There is no flight {flight_id!r}.")
        if flight["status"] not in ("scheduled", "delayed"):
            return _refused(f"Flight {flight['code']} is {flight['status']}.")
        if flight["departs"] > self.now:
            return _refused(f"Flight {flight['code']} leaves at {flight['departs']}.")
        self._journal = []
        changed_standbies: list[Any] = []
        changed_coupons: list[Any] = []
        for s in [
            s
            for s in sorted(
                _distinct(
                    [
                        *[
                            s
                            for _cabin in self._cabins_by_flight.get(flight_id, {}).values()
                            for s in self._standbies_by_cabin.get(_cabin["id"], {}).values()
                        ],
                        *[
                            s
                            for _cabin in self._cabins_by_flight.get(flight_id, {}).values()
                            for _coupon in self._coupons_by_cabin.get(_cabin["id"], {}).values()
                            for s in self._standbies_by_coupon.get(_coupon["id"], {}).values()
                        ],
                    ]
                ),
                key=_age,
            )
            if s["status"] == "waiting"
        ]:
            if s["status"] not in ("waiting", "withdrawn"):
                return self._take_back(f"Standby {s['id']} cannot go from {s['status']} to withdrawn.")
            changed_standbies.append(s)
            self._put("standbies", s, "status", "withdrawn")
        for k in sorted(
            [
                k
                for _cabin in self._cabins_by_flight.get(flight_id, {}).values()
                for k in self._coupons_by_cabin_status.get((_cabin["id"], "confirmed"), {}).values()
            ],
            key=_age,
        ):
            if k["status"] not in ("confirmed", "flown"):
                return self._take_back(f"Coupon {k['id']} cannot go from {k['status']} to flown.")
            changed_coupons.append(k)
            self._put("coupons", k, "status", "flown")
        self._put("flights", flight, "status", "departed")
        for one_cabin in _distinct([self.cabins[one["cabin_id"]] for one in changed_coupons]):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in self._cabins_by_flight.get(flight["id"], {}).values()
                    for user in self._coupons_by_cabin_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_coupon):
                return self._take_back(RULES[1])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in self._cabins_by_flight.get(flight["id"], {}).values()
                    for user in self._coupons_by_cabin.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_3(one_coupon):
                return self._take_back(RULES[2])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_4_a(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_4_b(one_coupon):
                return self._take_back(RULES[3])
        for one_coupon in _distinct(
            [
                *changed_coupons,
                *[
                    user
                    for one in [self.bookings[one["booking_id"]] for one in changed_coupons]
                    for user in self._coupons_by_booking_status.get((one["id"], "confirmed"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_coupon):
                return self._take_back(RULES[4])
        for one_coupon in _distinct(changed_coupons):
            if self._breaks_rule_6(one_coupon):
                return self._take_back(RULES[5])
        for one_standby in _distinct(changed_standbies):
            if self._breaks_rule_8(one_standby):
                return self._take_back(RULES[7])
        for one_standby in _distinct(
            [
                *changed_standbies,
                *[
                    user
                    for one in changed_coupons
                    for user in self._standbies_by_coupon_status.get((one["id"], "waiting"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_standby):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: close flight {flight['code']} as departed.",
            "data": self._changes(),
        }

    def _show_flight(self, flight: Flight) -> dict[str, Any]:
        """The flight as an answer shows it."""
        return {**flight, "connects_at": self._flight_connects_at(flight), "stranded": self._flight_stranded(flight)}

    def _show_cabin(self, cabin: Cabin) -> dict[str, Any]:
        """The cabin as an answer shows it."""
        return {**cabin, "taken": self._cabin_taken(cabin), "free": self._cabin_free(cabin)}

    def _show_passenger(self, passenger: Passenger) -> dict[str, Any]:
        """The passenger as an answer shows it."""
        return {**passenger, "rank": self._passenger_rank(passenger)}

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "best": self._booking_best(booking)}

    def _names_of_flights(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that flights point to."""
        return _names(
            (self.airports, "name", [row["origin_id"] for row in shown]),
            (self.airports, "name", [row["destination_id"] for row in shown]),
        )

    def _names_of_cabins(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cabins point to."""
        return _names((self.flights, "code", [row["flight_id"] for row in shown]))

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names((self.passengers, "name", [row["lead_id"] for row in shown]))

    def _names_of_coupons(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that coupons point to."""
        return _names(
            (self.bookings, "locator", [row["booking_id"] for row in shown]),
            (self.passengers, "name", [row["passenger_id"] for row in shown]),
            (self.cabins, "code", [row["cabin_id"] for row in shown]),
        )

    def _names_of_standbies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that standbies point to."""
        return _names((self.cabins, "code", [row["cabin_id"] for row in shown]))

    def _flight_connects_at(self, flight: Flight) -> str:
        """The connects at of a flight."""
        return _plus_minutes(flight["arrives"], self.airports[flight["destination_id"]]["min_connect"])

    def _flight_stranded(self, flight: Flight) -> int:
        """The stranded of a flight."""
        return len(
            [
                k
                for _cabin in self._cabins_by_flight.get(flight["id"], {}).values()
                for k in self._coupons_by_cabin_status.get((_cabin["id"], "displaced"), {}).values()
            ]
        )

    def _cabin_taken(self, cabin: Cabin) -> int:
        """The taken of a cabin."""
        return sum(
            1
            for k in self._coupons_by_cabin.get(cabin["id"], {}).values()
            if k["status"] in ("confirmed", "flown")
        )

    def _cabin_free(self, cabin: Cabin) -> int:
        """The free of a cabin."""
        return cabin["seats"] - self._cabin_taken(cabin)

    def _passenger_rank(self, passenger: Passenger) -> int:
        """The rank of a passenger."""
        return (
            0
            if passenger["tier"] == "platinum"
            else 1
            if passenger["tier"] == "gold"
            else 2
            if passenger["tier"] == "silver"
            else 3
        )

    def _booking_best(self, booking: Booking) -> int:
        """The best of a booking."""
        return (
            min(
                (
                    self._passenger_rank(self.passengers[k["passenger_id"]])
                    for k in self._coupons_by_booking.get(booking["id"], {}).values()
                ),
                default=None,
            )
            if min(
                (
                    self._passenger_rank(self.passengers[k["passenger_id"]])
                    for k in self._coupons_by_booking.get(booking["id"], {}).values()
                ),
                default=None,
            ) is not None
            else 3
        )

    def _bookable(self, f: Flight) -> bool:
        return f["status"] in ("scheduled", "delayed") and f["departs"] > self.now

    def _connected(self, a: Flight, b: Flight) -> bool:
        return self._flight_connects_at(a) <= b["departs"] or self._flight_connects_at(b) <= a["departs"]

    def _party(self, b: Booking, f: Flight) -> list[Coupon]:
        return [
            k
            for k in sorted(self._coupons_by_booking.get(b["id"], {}).values(), key=_age)
            if self.cabins[k["cabin_id"]]["flight_id"] == f["id"]
            and k["status"] in ("confirmed", "displaced")
        ]

    def _stranded_of(self, b: Booking, f: Flight, kind: str) -> list[Coupon]:
        return [
            k
            for k in sorted(self._coupons_by_booking_status.get((b["id"], "displaced"), {}).values(), key=_age)
            if self.cabins[k["cabin_id"]]["flight_id"] == f["id"]
            and self.cabins[k["cabin_id"]]["kind"] == kind
        ]

    def _clash(self, p: Passenger, f: Flight, but: Flight) -> Coupon | None:
        return next(
            (
                k
                for k in sorted(self._coupons_by_passenger_status.get((p["id"], "confirmed"), {}).values(), key=_age)
                if self.cabins[k["cabin_id"]]["flight_id"] != but["id"]
                and not self._connected(self.flights[self.cabins[k["cabin_id"]]["flight_id"]], f)
            ),
            None,
        )

    def _goes_along(self, b: Booking, f: Flight, to: Cabin) -> bool:
        return (
            len(self._stranded_of(b, f, to["kind"])) in _numbers(1, self._cabin_free(to) + 1)
            and not any(
                self._clash(self.passengers[k["passenger_id"]], self.flights[to["flight_id"]], f) is not None
                for k in self._stranded_of(b, f, to["kind"])
            )
        )

    def _same_route(self, a: Flight, b: Flight) -> bool:
        return a["origin_id"] == b["origin_id"] and a["destination_id"] == b["destination_id"] and a is not b

    def _breaks_rule_1(self, c: Cabin) -> bool:
        """Whether this is broken: a cabin never carries more passengers than it has seats."""
        return self._cabin_taken(c) > c["seats"]

    def _breaks_rule_2(self, k: Coupon) -> bool:
        """Whether this is broken: nobody holds a confirmed seat on a cancelled flight."""
        return (
            k["status"] == "confirmed"
            and self.flights[self.cabins[k["cabin_id"]]["flight_id"]]["status"] == "cancelled"
        )

    def _breaks_rule_3(self, k: Coupon) -> bool:
        """Whether this is broken: seats on a flight that has departed are flown, and only those."""
        return (
            k["status"] in ("confirmed", "flown")
            and (k["status"] == "flown") != (
                self.flights[self.cabins[k["cabin_id"]]["flight_id"]]["status"] == "departed"
            )
        )

    def _breaks_rule_4_a(self, a: Coupon) -> bool:
        """Whether this is broken: between two flights of a passenger there is the minimum connecting time."""
        return (
            a["status"] == "confirmed"
            and any(
                not self._connected(
                    self.flights[self.cabins[a["cabin_id"]]["flight_id"]],
                    self.flights[self.cabins[b["cabin_id"]]["flight_id"]],
                )
                for b in self._coupons_by_passenger_status.get((a["passenger_id"], "confirmed"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4_b(self, b: Coupon) -> bool:
        """Whether this is broken: between two flights of a passenger there is the minimum connecting time."""
        return (
            b["status"] == "confirmed"
            and any(
                not self._connected(
                    self.flights[self.cabins[a["cabin_id"]]["flight_id"]],
                    self.flights[self.cabins[b["cabin_id"]]["flight_id"]],
                )
                for a in self._coupons_by_passenger_status.get((b["passenger_id"], "confirmed"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_5(self, k: Coupon) -> bool:
        """Whether this is broken: a child flies with a grown-up of the same booking on the same flight."""
        return (
            k["status"] == "confirmed"
            and not (
                not self.passengers[k["passenger_id"]]["child"]
                or any(
                    not self.passengers[o["passenger_id"]]["child"]
                    and o["status"] == "confirmed"
                    and self.cabins[o["cabin_id"]]["flight_id"] == self.cabins[k["cabin_id"]]["flight_id"]
                    for o in self._coupons_by_booking.get(k["booking_id"], {}).values()
                )
            )
        )

    def _breaks_rule_6(self, a: Coupon) -> bool:
        """Whether this is broken: the members of a booking sit in one cabin of a flight."""
        return (
            a["status"] == "confirmed"
            and any(
                a["cabin_id"] != b["cabin_id"]
                and self.cabins[a["cabin_id"]]["flight_id"] == self.cabins[b["cabin_id"]]["flight_id"]
                for b in self._coupons_by_booking_status.get((a["booking_id"], "confirmed"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_7(self, b: Booking) -> bool:
        """Whether this is broken: a booking is led by a grown-up."""
        return self.passengers[b["lead_id"]]["child"]

    def _breaks_rule_8(self, s: Standby) -> bool:
        """Whether this is broken: a seat waits on one standby list at a time."""
        return (
            s["status"] == "waiting"
            and any(
                other_s is not s
                for other_s in self._standbies_by_coupon_status.get((s["coupon_id"], "waiting"), {}).values()
            )
        )

    def _breaks_rule_9(self, s: Standby) -> bool:
        """Whether this is broken: whoever stands by for a flight holds a ticket for the same route on another one.
        """
        return (
            s["status"] == "waiting"
            and not (
                self._same_route(
                    self.flights[self.cabins[s["cabin_id"]]["flight_id"]],
                    self.flights[self.cabins[self.coupons[s["coupon_id"]]["cabin_id"]]["flight_id"]],
                )
                and self.coupons[s["coupon_id"]]["status"] in ("confirmed", "displaced")
            )
        )

    def _breaks_rule_10(self, f: Flight) -> bool:
        """Whether this is broken: a flight arrives after it departs."""
        return f["departs"] >= f["arrives"]

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
            case "flights":
                self._flights_by_origin.setdefault(record["origin_id"], {})[record["id"]] = record
            case "cabins":
                self._cabins_by_flight.setdefault(record["flight_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_locator.setdefault(record["locator"], {})[record["id"]] = record
                self._bookings_by_lower_locator.setdefault(record["locator"].lower(), {})[record["id"]] = record
            case "coupons":
                self._coupons_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record
                self._coupons_by_booking_cabin.setdefault(
                    (record["booking_id"], record["cabin_id"]),
                    {},
                )[record["id"]] = record
                self._coupons_by_booking_passenger.setdefault(
                    (record["booking_id"], record["passenger_id"]),
                    {},
                )[record["id"]] = record
                self._coupons_by_booking_status.setdefault(
                    (record["booking_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._coupons_by_cabin.setdefault(record["cabin_id"], {})[record["id"]] = record
                self._coupons_by_cabin_status.setdefault(
                    (record["cabin_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._coupons_by_passenger.setdefault(record["passenger_id"], {})[record["id"]] = record
                self._coupons_by_passenger_status.setdefault(
                    (record["passenger_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._coupons_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "standbies":
                self._standbies_by_cabin.setdefault(record["cabin_id"], {})[record["id"]] = record
                self._standbies_by_cabin_status.setdefault(
                    (record["cabin_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._standbies_by_coupon.setdefault(record["coupon_id"], {})[record["id"]] = record
                self._standbies_by_coupon_status.setdefault(
                    (record["coupon_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "flights":
                del self._flights_by_origin[record["origin_id"]][record["id"]]
            case "cabins":
                del self._cabins_by_flight[record["flight_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_locator[record["locator"]][record["id"]]
                del self._bookings_by_lower_locator[record["locator"].lower()][record["id"]]
            case "coupons":
                del self._coupons_by_booking[record["booking_id"]][record["id"]]
                del self._coupons_by_booking_cabin[record["booking_id"], record["cabin_id"]][record["id"]]
                del self._coupons_by_booking_passenger[record["booking_id"], record["passenger_id"]][record["id"]]
                del self._coupons_by_booking_status[record["booking_id"], record["status"]][record["id"]]
                del self._coupons_by_cabin[record["cabin_id"]][record["id"]]
                del self._coupons_by_cabin_status[record["cabin_id"], record["status"]][record["id"]]
                del self._coupons_by_passenger[record["passenger_id"]][record["id"]]
                del self._coupons_by_passenger_status[record["passenger_id"], record["status"]][record["id"]]
                del self._coupons_by_status[record["status"]][record["id"]]
            case "standbies":
                del self._standbies_by_cabin[record["cabin_id"]][record["id"]]
                del self._standbies_by_cabin_status[record["cabin_id"], record["status"]][record["id"]]
                del self._standbies_by_coupon[record["coupon_id"]][record["id"]]
                del self._standbies_by_coupon_status[record["coupon_id"], record["status"]][record["id"]]
