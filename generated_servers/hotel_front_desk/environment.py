"""Hotel front desk. Compiled from blueprint.yaml; run `envscaler build hotel_front_desk` after changing it there.

Sells rooms by type up to an overbooking limit, gives guests a room when they check in, keeps the folios of
guests and their firms, and follows housekeeping from dirty to ready.
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
    "A room is given to one party at a time.",
    "A guest stays in one room at a time.",
    "Only who has checked in has a room.",
    "A room counts as occupied exactly while a party stays in it.",
    "A party stays in a room of the type that was sold or of a higher one, and the room sleeps them all.",
    "No night of a room type is sold beyond its rooms and the overbooking that is allowed.",
    "Nobody leaves before every folio of the booking is settled.",
    "No folio is paid beyond what was charged to it.",
    "A firm pays for accommodation, breakfast and parking only.",
    "A firm is charged no more than it has agreed to.",
    "A booking has at most one folio for the guest and one for a firm.",
    "A room is out of order for a stated defect, and no other room has one.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_stay",
    "release_booking",
    "check_in",
    "move_room",
    "change_departure",
    "post_charge",
    "transfer_charge",
    "take_payment",
    "check_out",
    "finish_work",
    "inspect_room",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "room_types": ("name",),
    "rooms": ("number",),
    "guests": ("name",),
    "bookings": (),
    "folios": (),
    "lines": (),
    "payments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "guest_id"),
    ("bookings", "room_id"),
    ("bookings", "status"),
    ("bookings", "type_id"),
    ("folios", "booking_id"),
    ("folios", "payer"),
    ("lines", "folio_id"),
    ("lines", "kind"),
    ("payments", "folio_id"),
    ("rooms", "condition"),
    ("rooms", "type_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class RoomType(TypedDict):
    id: str
    name: str
    rank: int
    nightly: int
    sleeps: int
    overbook: int


class Room(TypedDict):
    id: str
    number: str
    type_id: str
    floor: int
    defect: str | None
    condition: Literal["ready", "occupied", "out_of_order", "dirty", "cleaned"]


class Guest(TypedDict):
    id: str
    name: str
    gold: bool


class Booking(TypedDict):
    id: str
    guest_id: str
    type_id: str
    arrives: str
    leaves: str
    people: int
    rate: int
    room_id: str | None
    status: Literal["reserved", "in_house", "cancelled", "no_show", "walked", "departed"]


class Folio(TypedDict):
    id: str
    booking_id: str
    payer: Literal["guest", "company"]
    firm: str | None
    limit: int | None


class Line(TypedDict):
    id: str
    folio_id: str
    kind: Literal[
        "accommodation",
        "breakfast",
        "parking",
        "minibar",
        "restaurant",
        "laundry",
        "upgrade",
        "fee",
        "rebate",
    ]
    amount: int
    posted_on: str


class Payment(TypedDict):
    id: str
    folio_id: str
    amount: int
    method: Literal["card", "cash", "voucher", "bank_transfer"]
    taken_on: str


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


def _dates(start: str, end: str) -> list[str]:
    """Every date from start until the day before end, at most 366."""
    return [_plus_days(start, days) for days in range(min(max(_days_between(start, end), 0), 366))]


class HotelFrontDesk:
    """Sells rooms by type up to an overbooking limit, gives guests a room when they check in, keeps the
    folios of guests and their firms, and follows housekeeping from dirty to ready.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.room_types: dict[str, RoomType] = _copied(config.get("room_types", {}))
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.guests: dict[str, Guest] = _copied(config.get("guests", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.folios: dict[str, Folio] = _copied(config.get("folios", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.now: str = config.get("now", "2026-05-18T15:10")
        self.counters: dict[str, int] = {
            "room_type": len(self.room_types),
            "room": len(self.rooms),
            "guest": len(self.guests),
            "booking": len(self.bookings),
            "folio": len(self.folios),
            "line": len(self.lines),
            "payment": len(self.payments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._rooms_by_type: dict[Any, dict[str, Room]] = {}
        self._rooms_by_type_condition: dict[Any, dict[str, Room]] = {}
        self._bookings_by_guest_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_room: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_room_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_type: dict[Any, dict[str, Booking]] = {}
        self._folios_by_booking: dict[Any, dict[str, Folio]] = {}
        self._folios_by_booking_payer: dict[Any, dict[str, Folio]] = {}
        self._lines_by_folio: dict[Any, dict[str, Line]] = {}
        self._lines_by_folio_kind: dict[Any, dict[str, Line]] = {}
        self._payments_by_folio: dict[Any, dict[str, Payment]] = {}
        for room in self.rooms.values():
            self._link("rooms", room)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for folio in self.folios.values():
            self._link("folios", folio)
        for line in self.lines.values():
            self._link("lines", line)
        for payment in self.payments.values():
            self._link("payments", payment)

    def availability(
        self,
        arrives: Date,
        leaves: Date,
        people: Annotated[int, {"minimum": 1, "maximum": 6}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """How many rooms of each type can still be sold for every night of a stay, overbooking included.

        Args:
            arrives (str): Day of arrival, as YYYY-MM-DD.
            leaves (str): Day of departure, after the arrival, as YYYY-MM-DD.
            people (int, optional): Number of people the room must sleep, from 1 to 6. If left out, room types of
                any size are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "room_types": records}} or {"success": False, "error":
                why not}
        """
        if arrives >= leaves:
            return _refused(f"The last day must come after {arrives}.")
        found = [t for t in self.room_types.values() if (people is None or t["sleeps"] >= people)]
        found.sort(key=lambda t: (t["rank"], _age(t)))
        return _found(
            {
                "total": len(found),
                "room_types": [
                    {
                        "id": t["id"],
                        "name": t["name"],
                        "nightly": t["nightly"],
                        "left": self._room_type_sellable(t) - (
                            max((self._sold_on(t, d) for d in _dates(arrives, leaves)), default=None)
                            if max((self._sold_on(t, d) for d in _dates(arrives, leaves)), default=None) is not None
                            else 0
                        ),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def arrivals(
        self,
        on: Date,
        type_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who is expected on a day, gold members first.

        Args:
            on (str): Day of arrival, as YYYY-MM-DD.
            type_id (str, optional): Room type that was booked; an id such as RT-00001. If left out, arrivals for
                all room types are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        type = self.room_types.get(type_id) if type_id is not None else None
        if type_id is not None and type is None:
            return _refused(f"There is no room type {type_id!r}.")
        found = [
            b
            for b in self.bookings.values()
            if (b["status"] == "reserved" and b["arrives"] == on)
            and (type_id is None or b["type_id"] == type_id)
        ]
        found.sort(key=lambda b: (-self.guests[b["guest_id"]]["gold"], self.guests[b["guest_id"]]["name"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "guest": self.guests[b["guest_id"]]["name"],
                        "gold": self.guests[b["guest_id"]]["gold"],
                        "type": self.room_types[b["type_id"]]["name"],
                        "people": b["people"],
                        "nights": self._booking_nights(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def rooms_for(self, booking_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Ready rooms that sleep a party and are not below the type that was sold, lowest type first.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}} or {"success": False, "error": why
                not}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            r
            for r in self.rooms.values()
            if (
                r["condition"] == "ready"
                and self.room_types[r["type_id"]]["sleeps"] >= booking["people"]
                and self.room_types[r["type_id"]]["rank"] >= self.room_types[booking["type_id"]]["rank"]
            )
        ]
        found.sort(key=lambda r: (self.room_types[r["type_id"]]["rank"], r["number"], _age(r)))
        return _found(
            {
                "total": len(found),
                "rooms": [
                    {
                        "id": r["id"],
                        "number": r["number"],
                        "type": self.room_types[r["type_id"]]["name"],
                        "floor": r["floor"],
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def open_folios(
        self,
        payer: Literal["guest", "company"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Folios on which something is open, the highest balance first.

        Args:
            payer (str, optional): Who pays the folio: guest or company. If left out, folios of guests and firms
                are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "folios": records}} or {"success": False, "error": why
                not}
        """
        found = [
            f
            for f in self.folios.values()
            if self._folio_balance(f) > 0
            and (payer is None or f["payer"] == payer)
        ]
        found.sort(key=lambda f: (-self._folio_balance(f), f["id"], _age(f)))
        return _found(
            {
                "total": len(found),
                "folios": [
                    {
                        "id": f["id"],
                        "guest": self.guests[self.bookings[f["booking_id"]]["guest_id"]]["name"],
                        "status": self.bookings[f["booking_id"]]["status"],
                        "payer": f["payer"],
                        "balance": self._folio_balance(f),
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def list_room_types(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the room types, oldest first, all of them or only some.

        Args:
            name (str, optional): Only room types whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "room_types": records}}
        """
        found = [
            room_type
            for room_type in self.room_types.values()
            if (name is None or name.casefold() in room_type["name"].casefold())
        ]
        return _found(
            {
                "total": len(found),
                "room_types": [self._show_room_type(room_type) for room_type in _page(found, offset)],
            }
        )

    def list_rooms(
        self,
        number: Text | None = None,
        type_id: str | None = None,
        condition: Literal["ready", "occupied", "out_of_order", "dirty", "cleaned"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            number (str, optional): Only rooms whose number contains this text.
            type_id (str, optional): Only rooms whose type is this room type.
            condition (str, optional): Only rooms with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        if type_id is not None and type_id not in self.room_types:
            return _refused(f"There is no room type {type_id!r}.")
        found = [
            room
            for room in self.rooms.values()
            if (number is None or number.casefold() in room["number"].casefold())
            and (type_id is None or room["type_id"] == type_id)
            and (condition is None or room["condition"] == condition)
        ]
        shown = [{**room} for room in _page(found, offset)]
        return _found({"total": len(found), "rooms": shown}, self._names_of_rooms(shown))

    def list_guests(
        self,
        name: Text | None = None,
        gold: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guests, oldest first, all of them or only some.

        Args:
            name (str, optional): Only guests whose name contains this text.
            gold (bool, optional): Only guests with this value of `gold`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guests": records}}
        """
        found = [
            guest
            for guest in self.guests.values()
            if (name is None or name.casefold() in guest["name"].casefold())
            and (gold is None or guest["gold"] == gold)
        ]
        return _found({"total": len(found), "guests": [{**guest} for guest in _page(found, offset)]})

    def list_bookings(
        self,
        guest_id: str | None = None,
        type_id: str | None = None,
        room_id: str | None = None,
        status: Literal["reserved", "in_house", "cancelled", "no_show", "walked", "departed"] | None = None,
        arrives_from: Date | None = None,
        arrives_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            guest_id (str, optional): Only bookings of this guest.
            type_id (str, optional): Only bookings whose type is this room type.
            room_id (str, optional): Only bookings of this room.
            status (str, optional): Only bookings with this status.
            arrives_from (str, optional): Only bookings whose `arrives` is on this day or later.
            arrives_to (str, optional): Only bookings whose `arrives` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if guest_id is not None and guest_id not in self.guests:
            return _refused(f"There is no guest {guest_id!r}.")
        if type_id is not None and type_id not in self.room_types:
            return _refused(f"There is no room type {type_id!r}.")
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (guest_id is None or booking["guest_id"] == guest_id)
            and (type_id is None or booking["type_id"] == type_id)
            and (room_id is None or booking["room_id"] == room_id)
            and (status is None or booking["status"] == status)
            and (arrives_from is None or booking["arrives"] >= arrives_from)
            and (arrives_to is None or booking["arrives"] <= arrives_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_folios(
        self,
        booking_id: str | None = None,
        payer: Literal["guest", "company"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the folios, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only folios of this booking.
            payer (str, optional): Only folios with this payer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "folios": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            folio
            for folio in self.folios.values()
            if (booking_id is None or folio["booking_id"] == booking_id)
            and (payer is None or folio["payer"] == payer)
        ]
        return _found({"total": len(found), "folios": [self._show_folio(folio) for folio in _page(found, offset)]})

    def list_lines(
        self,
        folio_id: str | None = None,
        kind: Literal[
            "accommodation",
            "breakfast",
            "parking",
            "minibar",
            "restaurant",
            "laundry",
            "upgrade",
            "fee",
            "rebate",
        ] | None = None,
        posted_on_from: Date | None = None,
        posted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            folio_id (str, optional): Only lines of this folio.
            kind (str, optional): Only lines with this kind.
            posted_on_from (str, optional): Only lines whose `posted_on` is on this day or later.
            posted_on_to (str, optional): Only lines whose `posted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if folio_id is not None and folio_id not in self.folios:
            return _refused(f"There is no folio {folio_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (folio_id is None or line["folio_id"] == folio_id)
            and (kind is None or line["kind"] == kind)
            and (posted_on_from is None or line["posted_on"] >= posted_on_from)
            and (posted_on_to is None or line["posted_on"] <= posted_on_to)
        ]
        return _found({"total": len(found), "lines": [{**line} for line in _page(found, offset)]})

    def list_payments(
        self,
        folio_id: str | None = None,
        method: Literal["card", "cash", "voucher", "bank_transfer"] | None = None,
        taken_on_from: Date | None = None,
        taken_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            folio_id (str, optional): Only payments of this folio.
            method (str, optional): Only payments with this method.
            taken_on_from (str, optional): Only payments whose `taken_on` is on this day or later.
            taken_on_to (str, optional): Only payments whose `taken_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if folio_id is not None and folio_id not in self.folios:
            return _refused(f"There is no folio {folio_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (folio_id is None or payment["folio_id"] == folio_id)
            and (method is None or payment["method"] == method)
            and (taken_on_from is None or payment["taken_on"] >= taken_on_from)
            and (taken_on_to is None or payment["taken_on"] <= taken_on_to)
        ]
        return _found({"total": len(found), "payments": [{**payment} for payment in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_stay(
        self,
        guest_id: str,
        type_id: str,
        arrives: Date,
        leaves: Date,
        people: Annotated[int, {"minimum": 1, "maximum": 6}] = 1,
        firm: Text | None = None,
        limit: Annotated[int, {"minimum": 10000, "maximum": 500000}] | None = None,
    ) -> Result:
        """Sell a stay in a room type; where a firm pays, its folio is opened with the limit it has agreed to.

        Args:
            guest_id (str): Id of the guest, such as GUEST-00001.
            type_id (str): Room type that is booked; an id such as RT-00001.
            arrives (str): Day of arrival, from today on, as YYYY-MM-DD.
            leaves (str): Day of departure, at most 21 nights after arrival, as YYYY-MM-DD.
            people (int): Number of people, at most those the room type sleeps, from 1 to 6. Default: 1.
            firm (str, optional): Name of the firm that pays, always together with its limit. If left out, no firm
                pays.
            limit (int, optional): Most that may be charged to the firm, always together with its name, in cents,
                from 10000 to 500000. If left out, no firm pays.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guest = self.guests.get(guest_id)
        if guest is None:
            return _refused(f"There is no guest {guest_id!r}.")
        type = self.room_types.get(type_id)
        if type is None:
            return _refused(f"There is no room type {type_id!r}.")
        if self.now[:10] > arrives or arrives >= leaves:
            return _refused(f"A stay begins on {self.now[:10]} or later and lasts a night at least.")
        if _days_between(arrives, leaves) > 21:
            return _refused(
                f"{_days_between(arrives, leaves)} nights are more than the 21 that the front desk may sell."
            )
        if people > type["sleeps"]:
            return _refused(f"{type['name']} sleeps {type['sleeps']}, not {people}.")
        if (firm is None) != (limit is None):
            return _refused("A firm's folio needs both its name and the limit it has agreed to.")
        full = self._full_night(type, arrives, leaves)
        if full is not None:
            return _refused(f"{type['name']} is sold out for the night of {full}, overbooking included.")
        self._journal = []
        added_folios: list[Any] = []
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "guest_id": guest_id,
            "type_id": type_id,
            "arrives": arrives,
            "leaves": leaves,
            "people": people,
            "rate": type["nightly"],
            "room_id": None,
            "status": "reserved",
        }
        self._add("bookings", booking)
        folio: Folio = {
            "id": self._new_id("folio", "FOLIO", self.folios),
            "booking_id": booking["id"],
            "payer": "guest",
            "firm": None,
            "limit": None,
        }
        self._add("folios", folio)
        if firm is not None:
            new_folio = {
                "id": self._new_id("folio", "FOLIO", self.folios),
                "booking_id": booking["id"],
                "payer": "company",
                "firm": firm,
                "limit": limit,
            }
            self._add("folios", new_folio)
            added_folios.append(new_folio)
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        for one_room in _distinct([self.rooms.get(booking["room_id"])]):
            if self._breaks_rule_4(one_room):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct([booking, *self._bookings_by_type.get(booking["type_id"], {}).values()]):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_folio in _distinct([folio, *added_folios]):
            if self._breaks_rule_7(one_folio):
                return self._take_back(RULES[6])
        for one_folio in _distinct([folio, *added_folios]):
            if self._breaks_rule_8(one_folio):
                return self._take_back(RULES[7])
        for one_folio in _distinct([folio, *added_folios]):
            if self._breaks_rule_10(one_folio):
                return self._take_back(RULES[9])
        for one_folio in _distinct([folio, *added_folios]):
            if self._breaks_rule_11(one_folio):
                return self._take_back(RULES[10])
        done = f"book {type['name']} for {guest['name']} from {arrives} to {leaves}"
        if firm is not None:
            done += f" with a folio for {firm}"
        return {
            "success": True,
            "message": f"Done: {done} (new: booking {booking['id']}, folio {folio['id']}).",
            "data": {"booking_id": booking["id"], "folio_id": folio["id"], **self._changes()},
        }

    def release_booking(self, booking_id: str, why: Literal["cancelled", "no_show", "walked"]) -> Result:
        """Give a reservation up because it was cancelled, the guest never came, or the hotel sends the guest to
        another house; a late cancellation or a no-show costs one night.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            why (str): Why it is given up, where walked means sent to another house: cancelled, no_show or walked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "reserved":
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} is {booking['status']}.")
        if why == "no_show" and booking["arrives"] >= self.now[:10]:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} is expected on {booking['arrives']} and is a no-show "
                "from the next day only."
            )
        if why == "cancelled" and booking["arrives"] < self.now[:10]:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} was expected on {booking['arrives']}, so it is too "
                "late to cancel."
            )
        if not (
            why != "walked"
            or self.now[:10] <= booking["arrives"]
            and booking["arrives"] <= _plus_days(self.now[:10], 1)
        ):
            return _refused(
                "Only guests who arrive today or tomorrow are sent to another house, and "
                f"{self.guests[booking['guest_id']]['name']} arrives on {booking['arrives']}."
            )
        own = self._own_folio(booking)
        if own is None:
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} has no folio.")
        self._journal = []
        added_lines: list[Any] = []
        self._put("bookings", booking, "status", why)
        if why == "no_show" or why == "cancelled" and _days_between(self.now[:10], booking["arrives"]) < 2:
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "folio_id": own["id"],
                "kind": "fee",
                "amount": booking["rate"],
                "posted_on": self.now[:10],
            }
            self._add("lines", line)
            added_lines.append(line)
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        for one_room in _distinct([self.rooms.get(booking["room_id"])]):
            if self._breaks_rule_4(one_room):
                return self._take_back(RULES[3])
        for one_booking in _distinct([booking, *self._bookings_by_type.get(booking["type_id"], {}).values()]):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_folio in _distinct(
            [
                *self._folios_by_booking.get(booking["id"], {}).values(),
                *[self.folios[one["folio_id"]] for one in added_lines],
            ]
        ):
            if self._breaks_rule_7(one_folio):
                return self._take_back(RULES[6])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_8(one_folio):
                return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_10(one_folio):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: release the booking of {self.guests[booking['guest_id']]['name']} for "
                f"{booking['arrives']} as {why}."
            ),
            "data": self._changes(),
        }

    def check_in(self, booking_id: str, room_id: str) -> Result:
        """Give an arriving party a ready room and charge the nights; a higher type is given only to gold members or
        while no room of the type sold is ready.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            room_id (str): Id of the room, such as ROOM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if booking["status"] != "reserved":
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} is {booking['status']}.")
        if booking["arrives"] > self.now[:10] or self.now[:10] >= booking["leaves"]:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} is booked from {booking['arrives']} to "
                f"{booking['leaves']}."
            )
        if self._bookings_by_guest_status.get((booking["guest_id"], "in_house"), {}):
            return _refused(f"{self.guests[booking['guest_id']]['name']} has checked in already.")
        if room["condition"] != "ready":
            return _refused(f"Room {room['number']} is {room['condition']}.")
        if self.room_types[room["type_id"]]["sleeps"] < booking["people"]:
            return _refused(
                f"Room {room['number']} sleeps {self.room_types[room['type_id']]['sleeps']}, not {booking['people']}."
            )
        if self.room_types[room["type_id"]]["rank"] < self.room_types[booking["type_id"]]["rank"]:
            return _refused(
                f"Room {room['number']} is {self.room_types[room['type_id']]['name']}, which is below the "
                f"{self.room_types[booking['type_id']]['name']} that was sold."
            )
        if (
            room["type_id"] != booking["type_id"]
            and not self.guests[booking["guest_id"]]["gold"]
            and self._room_type_ready(self.room_types[booking["type_id"]]) != 0
        ):
            return _refused(
                f"{self.room_types[booking['type_id']]['name']} was sold and "
                f"{self._room_type_ready(self.room_types[booking['type_id']])} of that type are ready, so no "
                f"upgrade to room {room['number']}."
            )
        whole = booking["rate"] * self._booking_nights(booking)
        own = self._own_folio(booking)
        if own is None:
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} has no folio.")
        firm = self._firm_folio(booking)
        self._journal = []
        added_lines: list[Any] = []
        former_room_id = booking["room_id"]
        self._put("bookings", booking, "room_id", room_id)
        self._put("bookings", booking, "status", "in_house")
        self._put("rooms", room, "condition", "occupied")
        if firm is not None and self._within(firm, whole):
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "folio_id": firm["id"],
                "kind": "accommodation",
                "amount": whole,
                "posted_on": self.now[:10],
            }
            self._add("lines", line)
            added_lines.append(line)
        else:
            new_line = {
                "id": self._new_id("line", "LINE", self.lines),
                "folio_id": own["id"],
                "kind": "accommodation",
                "amount": whole,
                "posted_on": self.now[:10],
            }
            self._add("lines", new_line)
            added_lines.append(new_line)
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        for one_room in _distinct([self.rooms.get(booking["room_id"]), self.rooms.get(former_room_id), room]):
            if self._breaks_rule_4(one_room):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_booking in _distinct([booking, *self._bookings_by_type.get(booking["type_id"], {}).values()]):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_folio in _distinct(
            [
                *self._folios_by_booking.get(booking["id"], {}).values(),
                *[self.folios[one["folio_id"]] for one in added_lines],
            ]
        ):
            if self._breaks_rule_7(one_folio):
                return self._take_back(RULES[6])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_8(one_folio):
                return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_10(one_folio):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(room):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: check {self.guests[booking['guest_id']]['name']} into room {room['number']}.",
            "data": self._changes(),
        }

    def move_room(
        self,
        booking_id: str,
        room_id: str,
        reason: Literal["noise", "wish", "defect", "upgrade"],
        defect: Text | None = None,
    ) -> Result:
        """Move a party to another ready room; after a defect the old room is out of order, and an upgrade at the
        guest's wish is charged for the nights that are left.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            room_id (str): Id of the room, such as ROOM-00001.
            reason (str): Why the party moves: noise, wish, defect or upgrade.
            defect (str, optional): What is wrong with the old room, only for the reason defect. If left out, no
                defect is noted, and the old room is only dirty.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if booking["status"] != "in_house" or booking["room_id"] is None:
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} is {booking['status']}.")
        old = self.rooms[booking["room_id"]]
        if room["condition"] != "ready":
            return _refused(f"Room {room['number']} is {room['condition']}.")
        if self.room_types[room["type_id"]]["sleeps"] < booking["people"]:
            return _refused(
                f"Room {room['number']} sleeps {self.room_types[room['type_id']]['sleeps']}, not {booking['people']}."
            )
        if self.room_types[room["type_id"]]["rank"] < self.room_types[booking["type_id"]]["rank"]:
            return _refused(
                f"Room {room['number']} is {self.room_types[room['type_id']]['name']}, which is below the "
                f"{self.room_types[booking['type_id']]['name']} that was sold."
            )
        if (reason == "defect") != (defect is not None):
            return _refused(f"State the defect of room {old['number']} if there is one, and only then.")
        if (
            reason == "upgrade"
            and self.room_types[room["type_id"]]["rank"] <= self.room_types[old["type_id"]]["rank"]
        ):
            return _refused(f"Room {room['number']} is no upgrade from room {old['number']}.")
        if (
            reason != "upgrade"
            and room["type_id"] != old["type_id"]
            and room["type_id"] != booking["type_id"]
            and self._room_type_ready(self.room_types[booking["type_id"]]) != 0
        ):
            return _refused(
                f"{self.room_types[booking['type_id']]['name']} was sold and "
                f"{self._room_type_ready(self.room_types[booking['type_id']])} of that type are ready, so a "
                "higher type is an upgrade to be paid."
            )
        if reason == "upgrade" and self.now[:10] >= booking["leaves"]:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} leaves today, so there is no night to upgrade."
            )
        own = self._own_folio(booking)
        if own is None:
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} has no folio.")
        self._journal = []
        changed_rooms: list[Any] = []
        changed_rooms_2: list[Any] = []
        added_lines: list[Any] = []
        former_room_id = booking["room_id"]
        self._put("bookings", booking, "room_id", room_id)
        self._put("rooms", room, "condition", "occupied")
        if reason == "defect":
            changed_rooms.append(old)
            self._put("rooms", old, "defect", defect)
            if old["condition"] not in ("ready", "occupied", "out_of_order", "cleaned"):
                return self._take_back(f"Room {old['number']} cannot go from {old['condition']} to out_of_order.")
            changed_rooms_2.append(old)
            self._put("rooms", old, "condition", "out_of_order")
        else:
            if old["condition"] not in ("occupied", "out_of_order", "dirty", "cleaned"):
                return self._take_back(f"Room {old['number']} cannot go from {old['condition']} to dirty.")
            changed_rooms_2.append(old)
            self._put("rooms", old, "condition", "dirty")
        if reason == "upgrade":
            line = {
                "id": self._new_id("line", "LINE", self.lines),
                "folio_id": own["id"],
                "kind": "upgrade",
                "amount": (
                    self.room_types[room["type_id"]]["nightly"] - self.room_types[old["type_id"]]["nightly"]
                ) * _days_between(self.now[:10], booking["leaves"]),
                "posted_on": self.now[:10],
            }
            self._add("lines", line)
            added_lines.append(line)
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        for one_room in _distinct(
            [self.rooms.get(booking["room_id"]), self.rooms.get(former_room_id), room, *changed_rooms_2]
        ):
            if self._breaks_rule_4(one_room):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_7(one_folio):
                return self._take_back(RULES[6])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_8(one_folio):
                return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_10(one_folio):
                return self._take_back(RULES[9])
        for one_room in _distinct([room, *changed_rooms, *changed_rooms_2]):
            if self._breaks_rule_12(one_room):
                return self._take_back(RULES[11])
        done = f"move {self.guests[booking['guest_id']]['name']} to room {room['number']} for {reason}"
        if defect is not None:
            done += f" since {defect}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_departure(self, booking_id: str, leaves: Date) -> Result:
        """Let a party stay longer or leave sooner; the nights are added to the bill or taken off it.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            leaves (str): New day of departure, from today on and within 21 nights of arrival, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if not self._sold(booking):
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} is {booking['status']}.")
        if leaves == booking["leaves"]:
            return _refused(f"{self.guests[booking['guest_id']]['name']} leaves on {leaves} already.")
        if leaves <= booking["arrives"] or leaves < self.now[:10]:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} arrives on {booking['arrives']} and cannot leave on "
                f"{leaves}."
            )
        if _days_between(booking["arrives"], leaves) > 21:
            return _refused(
                f"A stay has 21 nights at most, and this would be {_days_between(booking['arrives'], leaves)}."
            )
        full = next(
            (
                d
                for d in _dates(booking["leaves"], max(leaves, booking["leaves"]))
                if self._sold_on(
                    self.room_types[booking["type_id"]],
                    d,
                ) >= self._room_type_sellable(self.room_types[booking["type_id"]])
            ),
            None,
        )
        if full is not None:
            return _refused(
                f"{self.room_types[booking['type_id']]['name']} is sold out for the night of {full}, so "
                f"{self.guests[booking['guest_id']]['name']} cannot keep the room."
            )
        more = booking["rate"] * _days_between(booking["leaves"], leaves)
        own = self._own_folio(booking)
        if own is None:
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} has no folio.")
        bearing = (
            next(
                (
                    self.folios[l["folio_id"]]
                    for l in sorted(
                        [
                            l
                            for _folio in self._folios_by_booking.get(booking_id, {}).values()
                            for l in self._lines_by_folio_kind.get((_folio["id"], "accommodation"), {}).values()
                        ],
                        key=_age,
                    )
                ),
                None,
            )
            or own
        )
        if booking["status"] != "reserved" and self._folio_balance(bearing) + more < 0:
            return _refused(
                f"The nights have been paid, and only {_money(self._folio_balance(bearing))} of them could be "
                "taken off."
            )
        done = f"let {self.guests[booking['guest_id']]['name']} leave on {leaves} instead of {booking['leaves']}"
        self._journal = []
        added_lines: list[Any] = []
        self._put("bookings", booking, "leaves", leaves)
        if booking["status"] == "in_house":
            if self._within(bearing, more):
                line = {
                    "id": self._new_id("line", "LINE", self.lines),
                    "folio_id": bearing["id"],
                    "kind": "accommodation",
                    "amount": more,
                    "posted_on": self.now[:10],
                }
                self._add("lines", line)
                added_lines.append(line)
            else:
                new_line = {
                    "id": self._new_id("line", "LINE", self.lines),
                    "folio_id": own["id"],
                    "kind": "accommodation",
                    "amount": more,
                    "posted_on": self.now[:10],
                }
                self._add("lines", new_line)
                added_lines.append(new_line)
        for one_booking in _distinct(self._bookings_by_type.get(booking["type_id"], {}).values()):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_7(one_folio):
                return self._take_back(RULES[6])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_8(one_folio):
                return self._take_back(RULES[7])
        for one_line in _distinct(added_lines):
            if self._breaks_rule_9(one_line):
                return self._take_back(RULES[8])
        for one_folio in _distinct([self.folios[one["folio_id"]] for one in added_lines]):
            if self._breaks_rule_10(one_folio):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def post_charge(
        self,
        folio_id: str,
        kind: Literal["breakfast", "parking", "minibar", "restaurant", "laundry", "fee", "rebate"],
        amount: Annotated[int, {"minimum": 100, "maximum": 100000}],
    ) -> Result:
        """Post what a party has used to one of its folios, or a rebate that takes off what was charged wrongly.

        Args:
            folio_id (str): Id of the folio, such as FOLIO-00001.
            kind (str): What the charge is for, or that it is a rebate: breakfast, parking, minibar, restaurant,
                laundry, fee or rebate.
            amount (int): Amount of the charge or rebate, without a minus sign, in cents, from 100 to 100000.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        folio = self.folios.get(folio_id)
        if folio is None:
            return _refused(f"There is no folio {folio_id!r}.")
        if self.bookings[folio["booking_id"]]["status"] != "in_house":
            return _refused(
                f"The booking of {self.guests[self.bookings[folio['booking_id']]['guest_id']]['name']} is "
                f"{self.bookings[folio['booking_id']]['status']}."
            )
        if not (folio["payer"] == "guest" or self._for_firms(kind)):
            return _refused(f"The firm does not pay for {kind}, so post it to the guest's folio.")
        if not (kind == "rebate" or self._within(folio, amount)):
            return _refused(f"The firm's limit leaves no room for {_money(amount)}, so post it to the guest's folio.")
        if kind == "rebate" and amount > self._folio_balance(folio):
            return _refused(
                f"Only {_money(self._folio_balance(folio))} is open on that folio, so no more can be taken off it."
            )
        self._journal = []
        line: Line = {
            "id": self._new_id("line", "LINE", self.lines),
            "folio_id": folio_id,
            "kind": kind,
            "amount": 0 - amount if kind == "rebate" else amount,
            "posted_on": self.now[:10],
        }
        self._add("lines", line)
        if self._breaks_rule_7(self.folios[line["folio_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.folios[line["folio_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(line):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.folios[line["folio_id"]]):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: post {_money(amount)} for {kind} to the {folio['payer']} folio of "
                f"{self.guests[self.bookings[folio['booking_id']]['guest_id']]['name']} (new: line {line['id']})."
            ),
            "data": {"line_id": line["id"], **self._changes()},
        }

    def transfer_charge(self, line_id: str, to: Literal["guest", "company"]) -> Result:
        """Transfer a charge from the guest's folio of a booking to the firm's, or the other way round.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            to (str): Who pays the charge from now on: guest or company.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        folio = next(
            (
                f
                for f in sorted(
                    self._folios_by_booking_payer.get((self.folios[line["folio_id"]]["booking_id"], to), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if folio is None:
            return _refused(
                "The booking of "
                f"{self.guests[self.bookings[self.folios[line['folio_id']]['booking_id']]['guest_id']]['name']} "
                f"has no {to} folio."
            )
        if self.bookings[folio["booking_id"]]["status"] == "departed":
            return _refused(
                f"{self.guests[self.bookings[folio['booking_id']]['guest_id']]['name']} has left and the bill is "
                "closed."
            )
        if line["folio_id"] == folio["id"]:
            return _refused("The charge is on that folio already.")
        if not (folio["payer"] == "guest" or self._for_firms(line["kind"])):
            return _refused(f"The firm does not pay for {line['kind']}.")
        if not self._within(folio, line["amount"]):
            return _refused(f"The firm's limit leaves no room for {_money(line['amount'])}.")
        if self._folio_balance(self.folios[line["folio_id"]]) < line["amount"]:
            return _refused(
                f"Only {_money(self._folio_balance(self.folios[line['folio_id']]))} is still open on that folio, "
                f"so {_money(line['amount'])} has been paid there."
            )
        if self._folio_balance(folio) + line["amount"] < 0:
            return _refused("That folio would be paid beyond what is charged to it.")
        done = f"transfer {_money(line['amount'])} for {line['kind']} of {self.guests[self.bookings[self.folios[line['folio_id']]['booking_id']]['guest_id']]['name']} to the {to} folio"
        self._journal = []
        former_folio_id = line["folio_id"]
        self._put("lines", line, "folio_id", folio["id"])
        if self._breaks_rule_7(self.folios[line["folio_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(self.folios[former_folio_id]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.folios[line["folio_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(self.folios[former_folio_id]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(line):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(self.folios[line["folio_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(self.folios[former_folio_id]):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def take_payment(
        self,
        folio_id: str,
        method: Literal["card", "cash", "voucher", "bank_transfer"],
        amount: Annotated[int, {"minimum": 1, "maximum": 2000000}] | None = None,
    ) -> Result:
        """Take a payment on a folio, up to what is open on it; without an amount all of it is paid.

        Args:
            folio_id (str): Id of the folio, such as FOLIO-00001.
            method (str): How it is paid, by bank transfer only for a firm: card, cash, voucher or bank_transfer.
            amount (int, optional): Amount paid, at most what is open on the folio, in cents, from 1 to 2000000. If
                left out, all that is open is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        folio = self.folios.get(folio_id)
        if folio is None:
            return _refused(f"There is no folio {folio_id!r}.")
        if self._folio_balance(folio) <= 0:
            return _refused(
                "Nothing is open on that folio of "
                f"{self.guests[self.bookings[folio['booking_id']]['guest_id']]['name']}."
            )
        sum_paid = amount if amount is not None else self._folio_balance(folio)
        if sum_paid > self._folio_balance(folio):
            return _refused(
                f"Only {_money(self._folio_balance(folio))} is open on that folio, not {_money(sum_paid)}."
            )
        if method == "bank_transfer" and folio["payer"] != "company":
            return _refused("Guests pay by card, in cash or with a voucher.")
        self._journal = []
        if not 1 <= sum_paid <= 2000000:
            return self._take_back("The amount of a payment must be between 0.01 and 20,000.00.")
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "folio_id": folio_id,
            "amount": sum_paid,
            "method": method,
            "taken_on": self.now[:10],
        }
        self._add("payments", payment)
        if self._breaks_rule_7(self.folios[payment["folio_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.folios[payment["folio_id"]]):
            return self._take_back(RULES[7])
        done = f"take a payment by {method} from {self.guests[self.bookings[folio['booking_id']]['guest_id']]['name']}"
        if amount is not None:
            done += f" of {_money(amount)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def check_out(self, booking_id: str) -> Result:
        """Let a party go whose folios are all settled; the room is dirty then.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "in_house" or booking["room_id"] is None:
            return _refused(f"The booking of {self.guests[booking['guest_id']]['name']} is {booking['status']}.")
        if booking["leaves"] > self.now[:10]:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} is booked until {booking['leaves']}, so change the "
                "departure first."
            )
        if (
            booking["leaves"] != self.now[:10]
            and _days_between(booking["arrives"], self.now[:10]) <= 21
            and self._full_night(self.room_types[booking["type_id"]], booking["leaves"], self.now[:10]) is None
        ):
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} was booked until {booking['leaves']} only, so change "
                f"the departure to {self.now[:10]} first, which charges the nights since."
            )
        if self._booking_owed(booking) != 0:
            return _refused(
                f"{self.guests[booking['guest_id']]['name']} still owes {_money(self._booking_owed(booking))}."
            )
        self._journal = []
        room = self.rooms[booking["room_id"]]
        if room["condition"] not in ("occupied", "out_of_order", "dirty", "cleaned"):
            return self._take_back(f"Room {room['number']} cannot go from {room['condition']} to dirty.")
        self._put("rooms", room, "condition", "dirty")
        self._put("bookings", booking, "status", "departed")
        if self._breaks_rule_1(booking):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(booking):
            return self._take_back(RULES[2])
        for one_room in _distinct([room, self.rooms.get(booking["room_id"])]):
            if self._breaks_rule_4(one_room):
                return self._take_back(RULES[3])
        for one_booking in _distinct([booking, *self._bookings_by_type.get(booking["type_id"], {}).values()]):
            if self._breaks_rule_6(one_booking):
                return self._take_back(RULES[5])
        for one_folio in _distinct(self._folios_by_booking.get(booking["id"], {}).values()):
            if self._breaks_rule_7(one_folio):
                return self._take_back(RULES[6])
        if self._breaks_rule_12(room):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: check {self.guests[booking['guest_id']]['name']} out.",
            "data": self._changes(),
        }

    def finish_work(self, room_id: str) -> Result:
        """Note that work in a room is done; a repaired room is dirty then, and a dirty one is clean and waits for
        inspection.

        Args:
            room_id (str): Id of the room, such as ROOM-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if room["condition"] not in ("dirty", "out_of_order"):
            return _refused(f"Room {room['number']} is {room['condition']}, so there was nothing to finish.")
        self._journal = []
        changed_rooms: list[Any] = []
        changed_rooms_2: list[Any] = []
        if room["condition"] == "out_of_order":
            changed_rooms.append(room)
            self._put("rooms", room, "defect", None)
            changed_rooms_2.append(room)
            self._put("rooms", room, "condition", "dirty")
        else:
            if room["condition"] not in ("dirty", "cleaned"):
                return self._take_back(f"Room {room['number']} cannot go from {room['condition']} to cleaned.")
            changed_rooms_2.append(room)
            self._put("rooms", room, "condition", "cleaned")
        for one_room in _distinct(changed_rooms_2):
            if self._breaks_rule_4(one_room):
                return self._take_back(RULES[3])
        for one_room in _distinct([*changed_rooms, *changed_rooms_2]):
            if self._breaks_rule_12(one_room):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note that the work in room {room['number']} is done.",
            "data": self._changes(),
        }

    def inspect_room(
        self,
        room_id: str,
        finding: Literal["ready", "dirty", "out_of_order"],
        defect: Text | None = None,
    ) -> Result:
        """Inspect a cleaned room; it is ready, must be cleaned again, or is out of order for a defect.

        Args:
            room_id (str): Id of the room, such as ROOM-00001.
            finding (str): State in which the room is: ready, dirty or out_of_order.
            defect (str, optional): What is wrong, only given for a room out of order. If left out, a defect noted
                before is removed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        room = self.rooms.get(room_id)
        if room is None:
            return _refused(f"There is no room {room_id!r}.")
        if room["condition"] != "cleaned":
            return _refused(f"Room {room['number']} is {room['condition']}, not cleaned.")
        if (finding == "out_of_order") != (defect is not None):
            return _refused(f"State the defect if room {room['number']} is out of order, and only then.")
        self._journal = []
        self._put("rooms", room, "defect", defect)
        self._put("rooms", room, "condition", finding)
        if self._breaks_rule_4(room):
            return self._take_back(RULES[3])
        if self._breaks_rule_12(room):
            return self._take_back(RULES[11])
        done = f"inspect room {room['number']} and find it {finding}"
        if defect is not None:
            done += f" since {defect}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_room_type(self, room_type: RoomType) -> dict[str, Any]:
        """The room type as an answer shows it."""
        return {
            **room_type,
            "rooms": self._room_type_rooms(room_type),
            "sellable": self._room_type_sellable(room_type),
            "ready": self._room_type_ready(room_type),
        }

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "nights": self._booking_nights(booking), "owed": self._booking_owed(booking)}

    def _show_folio(self, folio: Folio) -> dict[str, Any]:
        """The folio as an answer shows it."""
        return {
            **folio,
            "charged": self._folio_charged(folio),
            "paid": self._folio_paid(folio),
            "balance": self._folio_balance(folio),
        }

    def _names_of_rooms(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rooms point to."""
        return _names((self.room_types, "name", [row["type_id"] for row in shown]))

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names(
            (self.guests, "name", [row["guest_id"] for row in shown]),
            (self.room_types, "name", [row["type_id"] for row in shown]),
            (self.rooms, "number", [row["room_id"] for row in shown]),
        )

    def _room_type_rooms(self, room_type: RoomType) -> int:
        """The rooms of a room type."""
        return len(self._rooms_by_type.get(room_type["id"], {}))

    def _room_type_sellable(self, room_type: RoomType) -> int:
        """The sellable of a room type."""
        return self._room_type_rooms(room_type) + room_type["overbook"]

    def _room_type_ready(self, room_type: RoomType) -> int:
        """The ready of a room type."""
        return len(self._rooms_by_type_condition.get((room_type["id"], "ready"), {}))

    def _booking_nights(self, booking: Booking) -> int:
        """The nights of a booking."""
        return _days_between(booking["arrives"], booking["leaves"])

    def _booking_owed(self, booking: Booking) -> int:
        """The owed of a booking."""
        return sum(self._folio_balance(f) for f in self._folios_by_booking.get(booking["id"], {}).values())

    def _folio_charged(self, folio: Folio) -> int:
        """The charged of a folio."""
        return sum(l["amount"] for l in self._lines_by_folio.get(folio["id"], {}).values())

    def _folio_paid(self, folio: Folio) -> int:
        """The paid of a folio."""
        return sum(p["amount"] for p in self._payments_by_folio.get(folio["id"], {}).values())

    def _folio_balance(self, folio: Folio) -> int:
        """The balance of a folio."""
        return self._folio_charged(folio) - self._folio_paid(folio)

    def _sold(self, b: Booking) -> bool:
        return b["status"] in ("reserved", "in_house")

    def _sold_on(self, t: RoomType, d: str) -> int:
        return sum(
            1
            for b in self._bookings_by_type.get(t["id"], {}).values()
            if self._sold(b)
            and (b["arrives"] <= d and d < b["leaves"])
        )

    def _full_night(self, t: RoomType, a: str, z: str) -> str | None:
        return next((d for d in _dates(a, z) if self._sold_on(t, d) >= self._room_type_sellable(t)), None)

    def _for_firms(self, kind: str) -> bool:
        return kind in ("accommodation", "breakfast", "parking", "rebate")

    def _own_folio(self, b: Booking) -> Folio | None:
        return next(
            (f for f in sorted(self._folios_by_booking_payer.get((b["id"], "guest"), {}).values(), key=_age)),
            None,
        )

    def _firm_folio(self, b: Booking) -> Folio | None:
        return next(
            (f for f in sorted(self._folios_by_booking_payer.get((b["id"], "company"), {}).values(), key=_age)),
            None,
        )

    def _within(self, f: Folio, more: int) -> bool:
        return f["limit"] is None or self._folio_charged(f) + more <= f["limit"]

    def _breaks_rule_1(self, b: Booking) -> bool:
        """Whether this is broken: a room is given to one party at a time."""
        return (
            b["status"] == "in_house"
            and any(
                other_b is not b
                for other_b in self._bookings_by_room_status.get((b["room_id"], "in_house"), {}).values()
            )
        )

    def _breaks_rule_2(self, b: Booking) -> bool:
        """Whether this is broken: a guest stays in one room at a time."""
        return (
            b["status"] == "in_house"
            and any(
                other_b is not b
                for other_b in self._bookings_by_guest_status.get((b["guest_id"], "in_house"), {}).values()
            )
        )

    def _breaks_rule_3(self, b: Booking) -> bool:
        """Whether this is broken: only who has checked in has a room."""
        return (b["room_id"] is not None) != (b["status"] in ("in_house", "departed"))

    def _breaks_rule_4(self, r: Room) -> bool:
        """Whether this is broken: a room counts as occupied exactly while a party stays in it."""
        return (r["condition"] == "occupied") != any(
            b["status"] == "in_house"
            for b in self._bookings_by_room.get(r["id"], {}).values()
        )

    def _breaks_rule_5(self, b: Booking) -> bool:
        """Whether this is broken: a party stays in a room of the type that was sold or of a higher one, and the room
        sleeps them all.
        """
        return not (
            b["room_id"] is None
            or self.room_types[self.rooms[b["room_id"]]["type_id"]]["rank"] >= self.room_types[b["type_id"]]["rank"]
            and self.room_types[self.rooms[b["room_id"]]["type_id"]]["sleeps"] >= b["people"]
        )

    def _breaks_rule_6(self, b: Booking) -> bool:
        """Whether this is broken: no night of a room type is sold beyond its rooms and the overbooking that is
        allowed.
        """
        return (
            self._sold(b)
            and sum(
                1
                for o in self._bookings_by_type.get(b["type_id"], {}).values()
                if self._sold(o)
                and (o["arrives"] <= b["arrives"] and b["arrives"] < o["leaves"])
            ) > self._room_type_sellable(self.room_types[b["type_id"]])
        )

    def _breaks_rule_7(self, f: Folio) -> bool:
        """Whether this is broken: nobody leaves before every folio of the booking is settled."""
        return self.bookings[f["booking_id"]]["status"] == "departed" and self._folio_balance(f) != 0

    def _breaks_rule_8(self, f: Folio) -> bool:
        """Whether this is broken: no folio is paid beyond what was charged to it."""
        return self._folio_balance(f) < 0

    def _breaks_rule_9(self, l: Line) -> bool:
        """Whether this is broken: a firm pays for accommodation, breakfast and parking only."""
        return self.folios[l["folio_id"]]["payer"] == "company" and not self._for_firms(l["kind"])

    def _breaks_rule_10(self, f: Folio) -> bool:
        """Whether this is broken: a firm is charged no more than it has agreed to."""
        return f["limit"] is not None and self._folio_charged(f) > f["limit"]

    def _breaks_rule_11(self, f: Folio) -> bool:
        """Whether this is broken: a booking has at most one folio for the guest and one for a firm."""
        return any(
            other_f is not f
            for other_f in self._folios_by_booking_payer.get((f["booking_id"], f["payer"]), {}).values()
        )

    def _breaks_rule_12(self, r: Room) -> bool:
        """Whether this is broken: a room is out of order for a stated defect, and no other room has one."""
        return (r["condition"] == "out_of_order") != (r["defect"] is not None)

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
            case "rooms":
                self._rooms_by_type.setdefault(record["type_id"], {})[record["id"]] = record
                self._rooms_by_type_condition.setdefault(
                    (record["type_id"], record["condition"]),
                    {},
                )[record["id"]] = record
            case "bookings":
                self._bookings_by_guest_status.setdefault(
                    (record["guest_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_room.setdefault(record["room_id"], {})[record["id"]] = record
                self._bookings_by_room_status.setdefault((record["room_id"], record["status"]), {})[record["id"]] = record
                self._bookings_by_type.setdefault(record["type_id"], {})[record["id"]] = record
            case "folios":
                self._folios_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record
                self._folios_by_booking_payer.setdefault(
                    (record["booking_id"], record["payer"]),
                    {},
                )[record["id"]] = record
            case "lines":
                self._lines_by_folio.setdefault(record["folio_id"], {})[record["id"]] = record
                self._lines_by_folio_kind.setdefault((record["folio_id"], record["kind"]), {})[record["id"]] = record
            case "payments":
                self._payments_by_folio.setdefault(record["folio_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "rooms":
                del self._rooms_by_type[record["type_id"]][record["id"]]
                del self._rooms_by_type_condition[record["type_id"], record["condition"]][record["id"]]
            case "bookings":
                del self._bookings_by_guest_status[record["guest_id"], record["status"]][record["id"]]
                del self._bookings_by_room[record["room_id"]][record["id"]]
                del self._bookings_by_room_status[record["room_id"], record["status"]][record["id"]]
                del self._bookings_by_type[record["type_id"]][record["id"]]
            case "folios":
                del self._folios_by_booking[record["booking_id"]][record["id"]]
                del self._folios_by_booking_payer[record["booking_id"], record["payer"]][record["id"]]
            case "lines":
                del self._lines_by_folio[record["folio_id"]][record["id"]]
                del self._lines_by_folio_kind[record["folio_id"], record["kind"]][record["id"]]
            case "payments":
                del self._payments_by_folio[record["folio_id"]][record["id"]]
