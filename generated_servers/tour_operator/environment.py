"""Tour operator. Compiled from blueprint.yaml; run `envscaler build tour_operator` after changing it there.

Sells places on guided departures that are guaranteed from a minimum of secured travellers, with guides by
language, deposits and balances by their days, shared rooms and a waiting list.
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
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "No departure has more travellers than its tour takes.",
    "A traveller has one booking at most on a departure.",
    "Nobody is booked on two departures at once.",
    "A guide speaks the language of the departure.",
    "A guide has a day off between two departures.",
    "The licence of a guide lasts until the end of the tour.",
    "A departure that is guaranteed or gone has a guide.",
    "Room mates have chosen each other, travel on the same departure and are of one gender.",
    "Only travellers who are booked to share have a room mate.",
    "Whoever has left on a tour has paid all of it.",
    "Nobody has a live booking on a cancelled departure.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_traveller",
    "fill_from_waiting",
    "take_payment",
    "pair_travellers",
    "change_room",
    "cancel_booking",
    "move_booking",
    "assign_guide",
    "guarantee_departure",
    "cancel_departure",
    "send_off",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "tours": ("name",),
    "guides": ("name",),
    "departures": ("code",),
    "travellers": ("name",),
    "bookings": (),
    "payments": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "departure_id"),
    ("bookings", "mate_id"),
    ("bookings", "status"),
    ("bookings", "traveller_id"),
    ("departures", "guide_id"),
    ("payments", "booking_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Tour(TypedDict):
    id: str
    name: str
    nights: int
    price: int
    single_extra: int
    deposit_percent: int
    minimum: int
    maximum: int


class Guide(TypedDict):
    id: str
    name: str
    languages: list[Literal["english", "german", "french", "spanish"]]
    daily_fee: int
    licensed_until: str
    status: Literal["active", "on_leave"]


class Departure(TypedDict):
    id: str
    code: str
    tour_id: str
    starts: str
    language: Literal["english", "german", "french", "spanish"]
    guide_id: str | None
    status: Literal["planned", "guaranteed", "cancelled", "departed"]


class Traveller(TypedDict):
    id: str
    name: str
    gender: Literal["female", "male"]


class Booking(TypedDict):
    id: str
    traveller_id: str
    departure_id: str
    room: Literal["single", "share"]
    mate_id: str | None
    asked_on: str
    deposit_due: str
    balance_due: str
    fee: int
    status: Literal["waiting", "booked", "cancelled"]


class Payment(TypedDict):
    id: str
    booking_id: str
    amount: int
    paid_on: str


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class TourOperator:
    """Sells places on guided departures that are guaranteed from a minimum of secured travellers, with
    guides by language, deposits and balances by their days, shared rooms and a waiting list.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.tours: dict[str, Tour] = _copied(config.get("tours", {}))
        self.guides: dict[str, Guide] = _copied(config.get("guides", {}))
        self.departures: dict[str, Departure] = _copied(config.get("departures", {}))
        self.travellers: dict[str, Traveller] = _copied(config.get("travellers", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.payments: dict[str, Payment] = _copied(config.get("payments", {}))
        self.now: str = config.get("now", "2026-03-23T09:40")
        self.counters: dict[str, int] = {
            "tour": len(self.tours),
            "guide": len(self.guides),
            "departure": len(self.departures),
            "traveller": len(self.travellers),
            "booking": len(self.bookings),
            "payment": len(self.payments),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._departures_by_guide: dict[Any, dict[str, Departure]] = {}
        self._bookings_by_departure: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_departure_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_mate: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_traveller_departure: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_traveller_status: dict[Any, dict[str, Booking]] = {}
        self._payments_by_booking: dict[Any, dict[str, Payment]] = {}
        for departure in self.departures.values():
            self._link("departures", departure)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for payment in self.payments.values():
            self._link("payments", payment)

    def open_departures(
        self,
        tour_id: str | None = None,
        language: Literal["english", "german", "french", "spanish"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Departures that can still be booked, with their free places and what they lack to be guaranteed.

        Args:
            tour_id (str, optional): Tour whose departures are listed; an id such as TOUR-00001. If left out, the
                departures of all tours are listed.
            language (str, optional): Language of the departures listed: english, german, french or spanish. If
                left out, departures in all languages are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "departures": records}} or {"success": False, "error":
                why not}
        """
        tour = self.tours.get(tour_id) if tour_id is not None else None
        if tour_id is not None and tour is None:
            return _refused(f"There is no tour {tour_id!r}.")
        found = [
            d
            for d in self.departures.values()
            if (self._running(d) and d["starts"] > self.now[:10])
            and (tour_id is None or d["tour_id"] == tour_id)
            and (language is None or d["language"] == language)
        ]
        found.sort(key=lambda d: (d["starts"], d["code"], _age(d)))
        return _found(
            {
                "total": len(found),
                "departures": [
                    {
                        "id": d["id"],
                        "code": d["code"],
                        "tour": self.tours[d["tour_id"]]["name"],
                        "starts": d["starts"],
                        "status": d["status"],
                        "free": self._departure_free(d),
                        "lacking": max(self.tours[d["tour_id"]]["minimum"] - self._departure_secured(d), 0),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def payments_overdue(
        self,
        by_day: Date,
        departure_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Booked travellers whose deposit or balance should have been paid by a day and was not, earliest first.

        Args:
            by_day (str): Day by which the deposit or balance should have been paid, as YYYY-MM-DD.
            departure_id (str, optional): Departure of the travellers listed; an id such as DEPARTURE-00001. If
                left out, the travellers of all departures are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        departure = self.departures.get(departure_id) if departure_id is not None else None
        if departure_id is not None and departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        found = [
            b
            for b in self.bookings.values()
            if (
                b["status"] == "booked"
                and (
                    b["deposit_due"] <= by_day
                    and self._booking_paid(b) < self._booking_deposit(b)
                    or b["balance_due"] <= by_day
                    and self._booking_owed(b) > 0
                )
            )
            and (departure_id is None or b["departure_id"] == departure_id)
        ]
        found.sort(key=lambda b: (b["deposit_due"], b["balance_due"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "traveller": self.travellers[b["traveller_id"]]["name"],
                        "departure": self.departures[b["departure_id"]]["code"],
                        "deposit": self._booking_deposit(b),
                        "deposit_due": b["deposit_due"],
                        "balance_due": b["balance_due"],
                        "paid": self._booking_paid(b),
                        "owed": self._booking_owed(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def guides_for(self, departure_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Guides who could lead a departure, the least expensive first.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guides": records}} or {"success": False, "error": why
                not}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        found = [g for g in self.guides.values() if self._may_lead(g, departure)]
        found.sort(key=lambda g: (g["daily_fee"], g["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "guides": [
                    {"id": g["id"], "name": g["name"], "daily_fee": g["daily_fee"], "languages": [*g["languages"]]}
                    for g in _page(found, offset)
                ],
            }
        )

    def rooming_list(
        self,
        departure_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who sleeps where on a departure, with those who still look for a room mate last.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        found = [
            b
            for b in self._bookings_by_departure.get(departure_id, {}).values()
            if (b["departure_id"] == departure_id and b["status"] == "booked")
        ]
        found.sort(
            key=lambda b: (
                b["room"] == "share" and b["mate_id"] is None,
                b["room"],
                self.travellers[b["traveller_id"]]["name"],
                _age(b),
            )
        )
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "traveller": self.travellers[b["traveller_id"]]["name"],
                        "gender": self.travellers[b["traveller_id"]]["gender"],
                        "room": b["room"],
                        "mate": self.travellers[
                            self.bookings[b["mate_id"]]["traveller_id"]
                        ]["name"] if b["mate_id"] is not None else None,
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_tours(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tours, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tours whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tours": records}}
        """
        found = [tour for tour in self.tours.values() if (name is None or name.casefold() in tour["name"].casefold())]
        return _found({"total": len(found), "tours": [{**tour} for tour in _page(found, offset)]})

    def list_guides(
        self,
        name: Text | None = None,
        status: Literal["active", "on_leave"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guides, oldest first, all of them or only some.

        Args:
            name (str, optional): Only guides whose name contains this text.
            status (str, optional): Only guides with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guides": records}}
        """
        found = [
            guide
            for guide in self.guides.values()
            if (name is None or name.casefold() in guide["name"].casefold())
            and (status is None or guide["status"] == status)
        ]
        return _found({"total": len(found), "guides": [self._show_guide(guide) for guide in _page(found, offset)]})

    def list_departures(
        self,
        code: Text | None = None,
        tour_id: str | None = None,
        language: Literal["english", "german", "french", "spanish"] | None = None,
        guide_id: str | None = None,
        status: Literal["planned", "guaranteed", "cancelled", "departed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the departures, oldest first, all of them or only some.

        Args:
            code (str, optional): Only departures whose code contains this text.
            tour_id (str, optional): Only departures of this tour.
            language (str, optional): Only departures with this language.
            guide_id (str, optional): Only departures of this guide.
            status (str, optional): Only departures with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "departures": records}}
        """
        if tour_id is not None and tour_id not in self.tours:
            return _refused(f"There is no tour {tour_id!r}.")
        if guide_id is not None and guide_id not in self.guides:
            return _refused(f"There is no guide {guide_id!r}.")
        found = [
            departure
            for departure in self.departures.values()
            if (code is None or code.casefold() in departure["code"].casefold())
            and (tour_id is None or departure["tour_id"] == tour_id)
            and (language is None or departure["language"] == language)
            and (guide_id is None or departure["guide_id"] == guide_id)
            and (status is None or departure["status"] == status)
        ]
        shown = [self._show_departure(departure) for departure in _page(found, offset)]
        return _found({"total": len(found), "departures": shown}, self._names_of_departures(shown))

    def list_travellers(
        self,
        name: Text | None = None,
        gender: Literal["female", "male"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the travellers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only travellers whose name contains this text.
            gender (str, optional): Only travellers with this gender.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "travellers": records}}
        """
        found = [
            traveller
            for traveller in self.travellers.values()
            if (name is None or name.casefold() in traveller["name"].casefold())
            and (gender is None or traveller["gender"] == gender)
        ]
        return _found({"total": len(found), "travellers": [{**traveller} for traveller in _page(found, offset)]})

    def list_bookings(
        self,
        traveller_id: str | None = None,
        departure_id: str | None = None,
        room: Literal["single", "share"] | None = None,
        mate_id: str | None = None,
        status: Literal["waiting", "booked", "cancelled"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            traveller_id (str, optional): Only bookings of this traveller.
            departure_id (str, optional): Only bookings of this departure.
            room (str, optional): Only bookings with this room.
            mate_id (str, optional): Only bookings whose mate is this booking.
            status (str, optional): Only bookings with this status.
            asked_on_from (str, optional): Only bookings whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only bookings whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if traveller_id is not None and traveller_id not in self.travellers:
            return _refused(f"There is no traveller {traveller_id!r}.")
        if departure_id is not None and departure_id not in self.departures:
            return _refused(f"There is no departure {departure_id!r}.")
        if mate_id is not None and mate_id not in self.bookings:
            return _refused(f"There is no booking {mate_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (traveller_id is None or booking["traveller_id"] == traveller_id)
            and (departure_id is None or booking["departure_id"] == departure_id)
            and (room is None or booking["room"] == room)
            and (mate_id is None or booking["mate_id"] == mate_id)
            and (status is None or booking["status"] == status)
            and (asked_on_from is None or booking["asked_on"] >= asked_on_from)
            and (asked_on_to is None or booking["asked_on"] <= asked_on_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_payments(
        self,
        booking_id: str | None = None,
        paid_on_from: Date | None = None,
        paid_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the payments, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only payments of this booking.
            paid_on_from (str, optional): Only payments whose `paid_on` is on this day or later.
            paid_on_to (str, optional): Only payments whose `paid_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "payments": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            payment
            for payment in self.payments.values()
            if (booking_id is None or payment["booking_id"] == booking_id)
            and (paid_on_from is None or payment["paid_on"] >= paid_on_from)
            and (paid_on_to is None or payment["paid_on"] <= paid_on_to)
        ]
        return _found({"total": len(found), "payments": [{**payment} for payment in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_traveller(self, traveller_id: str, departure_id: str, room: Literal["single", "share"]) -> Result:
        """Book a traveller on a departure, or put them on its waiting list when it is full or others wait for it; the
        deposit is due in a week and the balance thirty days before the start.

        Args:
            traveller_id (str): Id of the traveller, such as TRAVELLER-00001.
            departure_id (str): Id of the departure, such as DEPARTURE-00001.
            room (str): Whether the traveller has a room alone or shares one: single or share.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        traveller = self.travellers.get(traveller_id)
        if traveller is None:
            return _refused(f"There is no traveller {traveller_id!r}.")
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        if not self._running(departure):
            return _refused(f"Departure {departure['code']} is {departure['status']}.")
        if departure["starts"] <= self.now[:10]:
            return _refused(f"Departure {departure['code']} started on {departure['starts']}.")
        if any(
            self._alive(b)
            for b in self._bookings_by_traveller_departure.get((traveller_id, departure_id), {}).values()
        ):
            return _refused(f"{traveller['name']} is on {departure['code']} already.")
        other = next(
            (
                b
                for b in sorted(
                    self._bookings_by_traveller_status.get((traveller_id, "booked"), {}).values(),
                    key=_age,
                )
                if self._at_once(self.departures[b["departure_id"]], departure)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{traveller['name']} travels on {self.departures[other['departure_id']]['code']} from "
                f"{self.departures[other['departure_id']]['starts']} to "
                f"{self._departure_ends(self.departures[other['departure_id']])}."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "traveller_id": traveller_id,
            "departure_id": departure_id,
            "room": room,
            "mate_id": None,
            "asked_on": self.now[:10],
            "deposit_due": _plus_days(self.now[:10], 7),
            "balance_due": max(_plus_days(departure["starts"], -30), self.now[:10]),
            "fee": 0,
            "status": "waiting",
        }
        self._add("bookings", booking)
        if self._departure_free(departure) > 0 and self._in_line(departure, booking) is None:
            if booking["status"] not in ("waiting", "booked"):
                return self._take_back(f"Booking {booking['id']} cannot go from {booking['status']} to booked.")
            changed_bookings.append(booking)
            self._put("bookings", booking, "status", "booked")
        for one_departure in _distinct(
            [
                self.departures[booking["departure_id"]],
                *[self.departures[one["departure_id"]] for one in changed_bookings],
            ]
        ):
            if self._breaks_rule_1(one_departure):
                return self._take_back(RULES[0])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_3_a(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        if self._breaks_rule_8(booking):
            return self._take_back(RULES[7])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {traveller['name']} on {departure['code']} in a {room} room (new: booking "
                f"{booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def fill_from_waiting(self, departure_id: str) -> Result:
        """Give the free places of a departure to its waiting list, longest waiting first; whoever is travelling then
        is passed over.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        if not (self._running(departure) and departure["starts"] > self.now[:10]):
            return _refused(
                f"Departure {departure['code']} is {departure['status']} and starts on {departure['starts']}."
            )
        if self._departure_free(departure) <= 0:
            return _refused(f"Departure {departure['code']} is full.")
        queue = [
            b
            for b in sorted(self._bookings_by_departure_status.get((departure_id, "waiting"), {}).values(), key=_age)
            if not any(
                self._at_once(self.departures[o["departure_id"]], departure)
                for o in self._bookings_by_traveller_status.get((b["traveller_id"], "booked"), {}).values()
            )
        ]
        if len(queue) <= 0:
            return _refused(f"Nobody who could travel waits for {departure['code']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        for b in sorted(
            queue,
            key=lambda b: (b["asked_on"], b["id"], _age(b)),
        )[: max(self._departure_free(departure), 0)]:
            if b["status"] not in ("waiting", "booked"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to booked.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "booked")
            self._put("bookings", b, "deposit_due", _plus_days(self.now[:10], 7))
        for one_departure in _distinct([self.departures[one["departure_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_departure):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3_a(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: fill {departure['code']} from the waiting list.",
            "data": self._changes(),
        }

    def take_payment(
        self,
        booking_id: str,
        amount: Annotated[int, {"minimum": 100, "maximum": 900000}] | None = None,
    ) -> Result:
        """Take a payment for a booking; without an amount all that is owed is paid.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            amount (int, optional): Money that the customer pays, at most what is owed, in cents, from 100 to
                900000. If left out, all that is owed is paid.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "booked":
            return _refused(
                f"The booking of {self.travellers[booking['traveller_id']]['name']} is {booking['status']}."
            )
        if self._booking_owed(booking) <= 0:
            return _refused(f"{self.travellers[booking['traveller_id']]['name']} owes nothing.")
        received = amount if amount is not None else self._booking_owed(booking)
        if received > self._booking_owed(booking):
            return _refused(
                f"{self.travellers[booking['traveller_id']]['name']} owes {_money(self._booking_owed(booking))}, "
                f"not {_money(received)}."
            )
        self._journal = []
        payment: Payment = {
            "id": self._new_id("payment", "PAYMENT", self.payments),
            "booking_id": booking_id,
            "amount": received,
            "paid_on": self.now[:10],
        }
        self._add("payments", payment)
        if self._breaks_rule_10(self.bookings[payment["booking_id"]]):
            return self._take_back(RULES[9])
        done = f"take a payment from {self.travellers[booking['traveller_id']]['name']}"
        if amount is not None:
            done += f" of {_money(amount)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: payment {payment['id']}).",
            "data": {"payment_id": payment["id"], **self._changes()},
        }

    def pair_travellers(self, one_id: str, other_id: str) -> Result:
        """Let two travellers who wish to share have a room together, which frees both of the extra charge; what one
        has paid too much is refunded.

        Args:
            one_id (str): Booking of the first of the two who share a room; an id such as BOOKING-00001.
            other_id (str): Booking of the second of the two who share a room; an id such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.bookings.get(one_id)
        if one is None:
            return _refused(f"There is no booking {one_id!r}.")
        other = self.bookings.get(other_id)
        if other is None:
            return _refused(f"There is no booking {other_id!r}.")
        if one is other or one["departure_id"] != other["departure_id"]:
            return _refused("Room mates travel on the same departure.")
        if one["status"] != "booked" or other["status"] != "booked":
            return _refused(f"Both must be booked, and these are {one['status']} and {other['status']}.")
        if one["room"] != "share" or other["room"] != "share":
            return _refused("Both must have asked to share.")
        if one["mate_id"] is not None or other["mate_id"] is not None:
            return _refused("One of them has a room mate already.")
        if self.travellers[one["traveller_id"]]["gender"] != self.travellers[other["traveller_id"]]["gender"]:
            return _refused(
                f"{self.travellers[one['traveller_id']]['name']} and "
                f"{self.travellers[other['traveller_id']]['name']} cannot share a room."
            )
        self._journal = []
        added_payments: list[Any] = []
        self._put("bookings", one, "mate_id", other_id)
        self._put("bookings", other, "mate_id", one_id)
        for b in [one, other]:
            credit = self._booking_paid(b) - self._booking_price(b)
            if credit > 0:
                payment = {
                    "id": self._new_id("payment", "PAYMENT", self.payments),
                    "booking_id": b["id"],
                    "amount": -credit,
                    "paid_on": self.now[:10],
                }
                self._add("payments", payment)
                added_payments.append(payment)
        for one_booking in _distinct(
            [
                one,
                other,
                *[user for one in [one] for user in self._bookings_by_mate.get(one["id"], {}).values()],
                *self._bookings_by_mate.get(other["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_booking):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(one):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(other):
            return self._take_back(RULES[8])
        for one_booking in _distinct([one, other, *[self.bookings[one["booking_id"]] for one in added_payments]]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: pair {self.travellers[one['traveller_id']]['name']} with "
                f"{self.travellers[other['traveller_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def change_room(self, booking_id: str, room: Literal["single", "share"]) -> Result:
        """Change a booking to a single or a shared room; a room mate is left without one.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            room (str): Whether the traveller has a room alone or shares one from now on: single or share.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if not (self._alive(booking) and self._running(self.departures[booking["departure_id"]])):
            return _refused(
                f"The booking of {self.travellers[booking['traveller_id']]['name']} is {booking['status']}."
            )
        if booking["room"] == room:
            return _refused(f"{self.travellers[booking['traveller_id']]['name']} has a {room} room already.")
        self._journal = []
        changed_bookings: list[Any] = []
        added_payments: list[Any] = []
        mate = self.bookings.get(booking["mate_id"])
        if mate is not None:
            changed_bookings.append(mate)
            self._put("bookings", mate, "mate_id", None)
            changed_bookings.append(booking)
            self._put("bookings", booking, "mate_id", None)
        self._put("bookings", booking, "room", room)
        credit = self._booking_paid(booking) - self._booking_price(booking)
        if credit > 0:
            payment = {
                "id": self._new_id("payment", "PAYMENT", self.payments),
                "booking_id": booking_id,
                "amount": -credit,
                "paid_on": self.now[:10],
            }
            self._add("payments", payment)
            added_payments.append(payment)
        for one_booking in _distinct(
            [
                *changed_bookings,
                *[user for one in changed_bookings for user in self._bookings_by_mate.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_booking):
                return self._take_back(RULES[7])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(
            [booking, *changed_bookings, *[self.bookings[one["booking_id"]] for one in added_payments]]
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: give {self.travellers[booking['traveller_id']]['name']} a {room} room.",
            "data": self._changes(),
        }

    def cancel_booking(self, booking_id: str) -> Result:
        """Cancel a booking; a booked place costs the deposit until 60 days before the start, half the price until 30
        days and nine tenths later, and what was paid beyond that is refunded.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if not self._alive(booking):
            return _refused(
                f"The booking of {self.travellers[booking['traveller_id']]['name']} is {booking['status']}."
            )
        if not (
            self._running(self.departures[booking["departure_id"]])
            and self.departures[booking["departure_id"]]["starts"] > self.now[:10]
        ):
            return _refused(
                f"Departure {self.departures[booking['departure_id']]['code']} is "
                f"{self.departures[booking['departure_id']]['status']}."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        changed_bookings_2: list[Any] = []
        added_payments: list[Any] = []
        mate = self.bookings.get(booking["mate_id"])
        if mate is not None:
            changed_bookings.append(mate)
            self._put("bookings", mate, "mate_id", None)
            changed_bookings.append(booking)
            self._put("bookings", booking, "mate_id", None)
        if booking["status"] == "booked":
            fee = self._storno(booking)
            if not 0 <= fee <= 900000:
                return self._take_back(f"The fee of {booking['id']} must be between 0.00 and 9,000.00.")
            changed_bookings_2.append(booking)
            self._put("bookings", booking, "fee", fee)
        self._put("bookings", booking, "status", "cancelled")
        credit = self._booking_paid(booking) - self._booking_price(booking)
        if credit > 0:
            payment = {
                "id": self._new_id("payment", "PAYMENT", self.payments),
                "booking_id": booking_id,
                "amount": -credit,
                "paid_on": self.now[:10],
            }
            self._add("payments", payment)
            added_payments.append(payment)
        if self._breaks_rule_1(self.departures[booking["departure_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(booking):
            return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *changed_bookings,
                *[user for one in changed_bookings for user in self._bookings_by_mate.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_booking):
                return self._take_back(RULES[7])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(
            [
                booking,
                *changed_bookings,
                *changed_bookings_2,
                *[self.bookings[one["booking_id"]] for one in added_payments],
            ]
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the booking of {self.travellers[booking['traveller_id']]['name']} on "
                f"{self.departures[booking['departure_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def move_booking(self, booking_id: str, to_id: str) -> Result:
        """Move a booked traveller with everything paid to another departure of the same tour, until thirty days
        before the start; a room mate stays behind.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            to_id (str): Other departure of the same tour that has a free place; an id such as DEPARTURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        to = self.departures.get(to_id)
        if to is None:
            return _refused(f"There is no departure {to_id!r}.")
        if not (booking["status"] == "booked" and self._running(self.departures[booking["departure_id"]])):
            return _refused(
                f"The booking of {self.travellers[booking['traveller_id']]['name']} is {booking['status']}."
            )
        if _days_between(self.now[:10], self.departures[booking["departure_id"]]["starts"]) < 30:
            return _refused(
                f"{self.departures[booking['departure_id']]['code']} starts on "
                f"{self.departures[booking['departure_id']]['starts']}; within thirty days of that nobody is "
                "moved, so it takes a cancellation with its fee and a new booking."
            )
        if to_id == booking["departure_id"] or to["tour_id"] != self.departures[booking["departure_id"]]["tour_id"]:
            return _refused(
                f"{to['code']} is no other departure of "
                f"{self.tours[self.departures[booking['departure_id']]['tour_id']]['name']}."
            )
        if not (self._running(to) and to["starts"] > self.now[:10]):
            return _refused(f"Departure {to['code']} is {to['status']} and starts on {to['starts']}.")
        if self._departure_free(to) <= 0:
            return _refused(f"Departure {to['code']} is full.")
        if any(
            self._alive(b)
            for b in self._bookings_by_traveller_departure.get((booking["traveller_id"], to_id), {}).values()
        ):
            return _refused(f"{self.travellers[booking['traveller_id']]['name']} is on {to['code']} already.")
        other = next(
            (
                b
                for b in sorted(
                    self._bookings_by_traveller_status.get((booking["traveller_id"], "booked"), {}).values(),
                    key=_age,
                )
                if b is not booking
                and self._at_once(self.departures[b["departure_id"]], to)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.travellers[booking['traveller_id']]['name']} travels on "
                f"{self.departures[other['departure_id']]['code']} at that time."
            )
        done = f"move {self.travellers[booking['traveller_id']]['name']} from {self.departures[booking['departure_id']]['code']} to {to['code']}"
        self._journal = []
        changed_bookings: list[Any] = []
        mate = self.bookings.get(booking["mate_id"])
        if mate is not None:
            changed_bookings.append(mate)
            self._put("bookings", mate, "mate_id", None)
            changed_bookings.append(booking)
            self._put("bookings", booking, "mate_id", None)
        former_departure_id = booking["departure_id"]
        self._put("bookings", booking, "departure_id", to_id)
        self._put("bookings", booking, "balance_due", max(_plus_days(to["starts"], -30), self.now[:10]))
        if self._breaks_rule_1(self.departures[booking["departure_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.departures[former_departure_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(booking):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(booking):
            return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                booking,
                *changed_bookings,
                *[user for one in changed_bookings for user in self._bookings_by_mate.get(one["id"], {}).values()],
                *self._bookings_by_mate.get(booking["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_booking):
                return self._take_back(RULES[7])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *changed_bookings]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(booking):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def assign_guide(self, departure_id: str, guide_id: str) -> Result:
        """Assign a guide who speaks the language, is licensed until the end and has a day off before and after.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.
            guide_id (str): Id of the guide, such as GUIDE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        guide = self.guides.get(guide_id)
        if guide is None:
            return _refused(f"There is no guide {guide_id!r}.")
        if not self._running(departure):
            return _refused(f"Departure {departure['code']} is {departure['status']}.")
        if departure["guide_id"] is not None and departure["guide_id"] == guide_id:
            return _refused(f"{guide['name']} leads {departure['code']} already.")
        if guide["status"] != "active":
            return _refused(f"{guide['name']} is on leave.")
        if departure["language"] not in guide["languages"]:
            return _refused(f"{guide['name']} does not guide in {departure['language']}.")
        if guide["licensed_until"] < self._departure_ends(departure):
            return _refused(
                f"The licence of {guide['name']} ends on {guide['licensed_until']}, before "
                f"{self._departure_ends(departure)}."
            )
        busy = self._leading_then(guide, departure)
        if busy is not None:
            return _refused(
                f"{guide['name']} leads {busy['code']} from {busy['starts']} to {self._departure_ends(busy)} and "
                "needs a day between."
            )
        self._journal = []
        self._put("departures", departure, "guide_id", guide_id)
        if self._breaks_rule_4(departure):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(departure):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(departure):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: let {guide['name']} lead {departure['code']}.",
            "data": self._changes(),
        }

    def guarantee_departure(self, departure_id: str) -> Result:
        """Guarantee a departure that has a guide and as many travellers with a paid deposit as its tour needs.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        if departure["status"] != "planned" or departure["starts"] <= self.now[:10]:
            return _refused(
                f"Departure {departure['code']} is {departure['status']} and starts on {departure['starts']}."
            )
        if departure["guide_id"] is None:
            return _refused(f"Departure {departure['code']} has no guide yet.")
        if self._departure_secured(departure) < self.tours[departure["tour_id"]]["minimum"]:
            return _refused(
                f"{self._departure_secured(departure)} travellers of {departure['code']} have paid the deposit "
                f"and {self.tours[departure['tour_id']]['minimum']} are needed."
            )
        self._journal = []
        self._put("departures", departure, "status", "guaranteed")
        if self._breaks_rule_5_a(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(departure):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(departure):
            return self._take_back(RULES[6])
        for one_booking in _distinct(
            self._bookings_by_departure_status.get((departure["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(self._bookings_by_departure.get(departure["id"], {}).values()):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: guarantee {departure['code']}.", "data": self._changes()}

    def cancel_departure(self, departure_id: str, reason: Literal["too_few", "force_majeure"] = "too_few") -> Result:
        """Cancel a departure, for too few travellers while it is planned and its last days have not come (20 for
        tours above six nights, 7 for shorter ones), or for force majeure; all its bookings end without a fee,
        everything paid is refunded, and its guide is free.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.
            reason (str): Why the departure is cancelled, a guaranteed one for force_majeure only: too_few or
                force_majeure. Default: too_few.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        if not self._running(departure):
            return _refused(f"Departure {departure['code']} is {departure['status']}.")
        if reason != "force_majeure" and departure["status"] != "planned":
            return _refused(f"{departure['code']} is guaranteed and is cancelled for force majeure only.")
        if (
            reason != "force_majeure"
            and _days_between(self.now[:10], departure["starts"]) < (
                20
                if self.tours[departure["tour_id"]]["nights"] > 6
                else 7
            )
        ):
            return _refused(
                f"It is too late to cancel {departure['code']}, which starts on {departure['starts']}, for want "
                "of travellers."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        changed_bookings_2: list[Any] = []
        added_payments: list[Any] = []
        if departure["status"] not in ("planned", "guaranteed", "cancelled"):
            return self._take_back(
                f"Departure {departure['code']} cannot go from {departure['status']} to cancelled."
            )
        self._put("departures", departure, "status", "cancelled")
        self._put("departures", departure, "guide_id", None)
        for b in [
            b
            for b in sorted(self._bookings_by_departure.get(departure_id, {}).values(), key=_age)
            if self._alive(b)
        ]:
            changed_bookings.append(b)
            self._put("bookings", b, "mate_id", None)
            changed_bookings_2.append(b)
            self._put("bookings", b, "status", "cancelled")
            if self._booking_paid(b) > 0:
                payment = {
                    "id": self._new_id("payment", "PAYMENT", self.payments),
                    "booking_id": b["id"],
                    "amount": -self._booking_paid(b),
                    "paid_on": self.now[:10],
                }
                self._add("payments", payment)
                added_payments.append(payment)
        for one_departure in _distinct([self.departures[one["departure_id"]] for one in changed_bookings_2]):
            if self._breaks_rule_1(one_departure):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings_2):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings_2):
            if self._breaks_rule_3_a(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings_2):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(departure):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(departure):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(departure):
            return self._take_back(RULES[6])
        for one_booking in _distinct(
            [
                *changed_bookings,
                *[user for one in changed_bookings for user in self._bookings_by_mate.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8(one_booking):
                return self._take_back(RULES[7])
        for one_booking in _distinct([*changed_bookings, *changed_bookings_2]):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(
            [
                *self._bookings_by_departure_status.get((departure["id"], "booked"), {}).values(),
                *changed_bookings,
                *changed_bookings_2,
                *[self.bookings[one["booking_id"]] for one in added_payments],
            ]
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [*self._bookings_by_departure.get(departure["id"], {}).values(), *changed_bookings_2]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: cancel {departure['code']} for {reason}.",
            "data": self._changes(),
        }

    def send_off(self, departure_id: str) -> Result:
        """Send a guaranteed departure off on its day, when all its travellers have paid; its waiting list ends.

        Args:
            departure_id (str): Id of the departure, such as DEPARTURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        departure = self.departures.get(departure_id)
        if departure is None:
            return _refused(f"There is no departure {departure_id!r}.")
        if departure["status"] != "guaranteed":
            return _refused(f"Departure {departure['code']} is {departure['status']}.")
        if departure["starts"] > self.now[:10]:
            return _refused(f"Departure {departure['code']} starts on {departure['starts']}.")
        debtor = next(
            (
                b
                for b in sorted(
                    self._bookings_by_departure_status.get((departure_id, "booked"), {}).values(),
                    key=_age,
                )
                if self._booking_owed(b) > 0
            ),
            None,
        )
        if debtor is not None:
            return _refused(
                f"{self.travellers[debtor['traveller_id']]['name']} still owes {_money(self._booking_owed(debtor))}."
            )
        self._journal = []
        changed_bookings: list[Any] = []
        self._put("departures", departure, "status", "departed")
        for b in sorted(self._bookings_by_departure_status.get((departure_id, "waiting"), {}).values(), key=_age):
            changed_bookings.append(b)
            self._put("bookings", b, "status", "cancelled")
        for one_departure in _distinct([self.departures[one["departure_id"]] for one in changed_bookings]):
            if self._breaks_rule_1(one_departure):
                return self._take_back(RULES[0])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3_a(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_a(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(departure):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(departure):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(departure):
            return self._take_back(RULES[6])
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(
            [*self._bookings_by_departure_status.get((departure["id"], "booked"), {}).values(), *changed_bookings]
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [*self._bookings_by_departure.get(departure["id"], {}).values(), *changed_bookings]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: send {departure['code']} off.", "data": self._changes()}

    def _show_guide(self, guide: Guide) -> dict[str, Any]:
        """The guide as an answer shows it."""
        return {**guide, "languages": [*guide["languages"]]}

    def _show_departure(self, departure: Departure) -> dict[str, Any]:
        """The departure as an answer shows it."""
        return {
            **departure,
            "ends": self._departure_ends(departure),
            "travellers": self._departure_travellers(departure),
            "free": self._departure_free(departure),
            "secured": self._departure_secured(departure),
        }

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {
            **booking,
            "price": self._booking_price(booking),
            "deposit": self._booking_deposit(booking),
            "paid": self._booking_paid(booking),
            "owed": self._booking_owed(booking),
        }

    def _names_of_departures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that departures point to."""
        return _names(
            (self.tours, "name", [row["tour_id"] for row in shown]),
            (self.guides, "name", [row["guide_id"] for row in shown]),
        )

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names(
            (self.travellers, "name", [row["traveller_id"] for row in shown]),
            (self.departures, "code", [row["departure_id"] for row in shown]),
        )

    def _departure_ends(self, departure: Departure) -> str:
        """The ends of a departure."""
        return _plus_days(departure["starts"], self.tours[departure["tour_id"]]["nights"])

    def _departure_travellers(self, departure: Departure) -> int:
        """The travellers of a departure."""
        return len(self._bookings_by_departure_status.get((departure["id"], "booked"), {}))

    def _departure_free(self, departure: Departure) -> int:
        """The free of a departure."""
        return self.tours[departure["tour_id"]]["maximum"] - self._departure_travellers(departure)

    def _departure_secured(self, departure: Departure) -> int:
        """The secured of a departure."""
        return sum(
            1
            for b in self._bookings_by_departure_status.get((departure["id"], "booked"), {}).values()
            if self._booking_paid(b) >= self._booking_deposit(b)
        )

    def _booking_price(self, booking: Booking) -> int:
        """The price of a booking."""
        return (
            booking["fee"]
            if booking["status"] == "cancelled"
            else self.tours[self.departures[booking["departure_id"]]["tour_id"]]["price"] + (
                self.tours[self.departures[booking["departure_id"]]["tour_id"]]["single_extra"]
                if booking["room"] == "single"
                else self.tours[self.departures[booking["departure_id"]]["tour_id"]]["single_extra"] // 2
                if booking["mate_id"] is None
                else self.tours[self.departures[booking["departure_id"]]["tour_id"]]["single_extra"] * 0
            )
        )

    def _booking_deposit(self, booking: Booking) -> int:
        """The deposit of a booking."""
        return _rounded(
            Fraction(
                self.tours[
                    self.departures[booking["departure_id"]]["tour_id"]
                ]["price"] * self.tours[self.departures[booking["departure_id"]]["tour_id"]]["deposit_percent"],
                100,
            )
        )

    def _booking_paid(self, booking: Booking) -> int:
        """The paid of a booking."""
        return sum(p["amount"] for p in self._payments_by_booking.get(booking["id"], {}).values())

    def _booking_owed(self, booking: Booking) -> int:
        """The owed of a booking."""
        return self._booking_price(booking) - self._booking_paid(booking)

    def _alive(self, b: Booking) -> bool:
        return b["status"] in ("waiting", "booked")

    def _running(self, d: Departure) -> bool:
        return d["status"] in ("planned", "guaranteed")

    def _at_once(self, a: Departure, b: Departure) -> bool:
        return _overlap(a["starts"], self._departure_ends(a), b["starts"], self._departure_ends(b))

    def _leading_then(self, g: Guide, d: Departure) -> Departure | None:
        return next(
            (
                o
                for o in sorted(self._departures_by_guide.get(g["id"], {}).values(), key=_age)
                if o is not d
                and o["status"] != "cancelled"
                and _overlap(
                    o["starts"],
                    _plus_days(self._departure_ends(o), 1),
                    d["starts"],
                    _plus_days(self._departure_ends(d), 1),
                )
            ),
            None,
        )

    def _storno(self, b: Booking) -> int:
        return min(
            self._booking_price(b),
            self._booking_deposit(b) if _days_between(
                self.now[:10],
                self.departures[b["departure_id"]]["starts"],
            ) >= 60 else _rounded(Fraction(self._booking_price(b) * 50, 100)) if _days_between(
                self.now[:10],
                self.departures[b["departure_id"]]["starts"],
            ) >= 30 else _rounded(Fraction(self._booking_price(b) * 90, 100)),
        )

    def _in_line(self, d: Departure, own: Booking) -> Booking | None:
        return next(
            (
                b
                for b in sorted(self._bookings_by_departure_status.get((d["id"], "waiting"), {}).values(), key=_age)
                if b is not own
                and not any(
                    self._at_once(self.departures[o["departure_id"]], d)
                    for o in self._bookings_by_traveller_status.get((b["traveller_id"], "booked"), {}).values()
                )
            ),
            None,
        )

    def _may_lead(self, g: Guide, d: Departure) -> bool:
        return (
            g["status"] == "active"
            and d["language"] in g["languages"]
            and g["licensed_until"] >= self._departure_ends(d)
            and self._leading_then(g, d) is None
        )

    def _breaks_rule_1(self, d: Departure) -> bool:
        """Whether this is broken: no departure has more travellers than its tour takes."""
        return self._departure_travellers(d) > self.tours[d["tour_id"]]["maximum"]

    def _breaks_rule_2(self, b: Booking) -> bool:
        """Whether this is broken: a traveller has one booking at most on a departure."""
        return (
            self._alive(b)
            and any(
                other_b is not b
                for other_b in self._bookings_by_traveller_departure.get(
                    (b["traveller_id"], b["departure_id"]),
                    {},
                ).values()
                if self._alive(other_b)
            )
        )

    def _breaks_rule_3_a(self, a: Booking) -> bool:
        """Whether this is broken: nobody is booked on two departures at once."""
        return (
            a["status"] == "booked"
            and any(
                self._at_once(self.departures[a["departure_id"]], self.departures[b["departure_id"]])
                for b in self._bookings_by_traveller_status.get((a["traveller_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_3_b(self, b: Booking) -> bool:
        """Whether this is broken: nobody is booked on two departures at once."""
        return (
            b["status"] == "booked"
            and any(
                self._at_once(self.departures[a["departure_id"]], self.departures[b["departure_id"]])
                for a in self._bookings_by_traveller_status.get((b["traveller_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_4(self, d: Departure) -> bool:
        """Whether this is broken: a guide speaks the language of the departure."""
        return d["guide_id"] is not None and d["language"] not in self.guides[d["guide_id"]]["languages"]

    def _breaks_rule_5_a(self, a: Departure) -> bool:
        """Whether this is broken: a guide has a day off between two departures."""
        return (
            a["guide_id"] is not None
            and a["status"] != "cancelled"
            and any(
                _overlap(
                    a["starts"],
                    _plus_days(self._departure_ends(a), 1),
                    b["starts"],
                    _plus_days(self._departure_ends(b), 1),
                )
                for b in self._departures_by_guide.get(a["guide_id"], {}).values()
                if a is not b
                and b["status"] != "cancelled"
            )
        )

    def _breaks_rule_5_b(self, b: Departure) -> bool:
        """Whether this is broken: a guide has a day off between two departures."""
        return (
            b["status"] != "cancelled"
            and any(
                _overlap(
                    a["starts"],
                    _plus_days(self._departure_ends(a), 1),
                    b["starts"],
                    _plus_days(self._departure_ends(b), 1),
                )
                for a in self._departures_by_guide.get(b["guide_id"], {}).values()
                if a is not b
                and a["guide_id"] is not None
                and a["status"] != "cancelled"
            )
        )

    def _breaks_rule_6(self, d: Departure) -> bool:
        """Whether this is broken: the licence of a guide lasts until the end of the tour."""
        return (
            d["guide_id"] is not None
            and d["status"] != "cancelled"
            and self.guides[d["guide_id"]]["licensed_until"] < self._departure_ends(d)
        )

    def _breaks_rule_7(self, d: Departure) -> bool:
        """Whether this is broken: a departure that is guaranteed or gone has a guide."""
        return d["status"] in ("guaranteed", "departed") and d["guide_id"] is None

    def _breaks_rule_8(self, b: Booking) -> bool:
        """Whether this is broken: room mates have chosen each other, travel on the same departure and are of one
        gender.
        """
        return not (
            b["mate_id"] is None
            or self.bookings[b["mate_id"]]["mate_id"] == b["id"]
            and b["mate_id"] != b["id"]
            and self.bookings[b["mate_id"]]["departure_id"] == b["departure_id"]
            and self.travellers[
                self.bookings[b["mate_id"]]["traveller_id"]
            ]["gender"] == self.travellers[b["traveller_id"]]["gender"]
        )

    def _breaks_rule_9(self, b: Booking) -> bool:
        """Whether this is broken: only travellers who are booked to share have a room mate."""
        return not (b["mate_id"] is None or b["room"] == "share" and b["status"] == "booked")

    def _breaks_rule_10(self, b: Booking) -> bool:
        """Whether this is broken: whoever has left on a tour has paid all of it."""
        return (
            b["status"] == "booked"
            and self.departures[b["departure_id"]]["status"] == "departed"
            and self._booking_owed(b) > 0
        )

    def _breaks_rule_11(self, b: Booking) -> bool:
        """Whether this is broken: nobody has a live booking on a cancelled departure."""
        return self._alive(b) and self.departures[b["departure_id"]]["status"] == "cancelled"

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
            case "departures":
                self._departures_by_guide.setdefault(record["guide_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_departure.setdefault(record["departure_id"], {})[record["id"]] = record
                self._bookings_by_departure_status.setdefault(
                    (record["departure_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_mate.setdefault(record["mate_id"], {})[record["id"]] = record
                self._bookings_by_traveller_departure.setdefault(
                    (record["traveller_id"], record["departure_id"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_traveller_status.setdefault(
                    (record["traveller_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "payments":
                self._payments_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "departures":
                del self._departures_by_guide[record["guide_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_departure[record["departure_id"]][record["id"]]
                del self._bookings_by_departure_status[record["departure_id"], record["status"]][record["id"]]
                del self._bookings_by_mate[record["mate_id"]][record["id"]]
                del self._bookings_by_traveller_departure[record["traveller_id"], record["departure_id"]][record["id"]]
                del self._bookings_by_traveller_status[record["traveller_id"], record["status"]][record["id"]]
            case "payments":
                del self._payments_by_booking[record["booking_id"]][record["id"]]
