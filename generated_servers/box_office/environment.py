"""Theatre box office. Compiled from blueprint.yaml; run `envscaler build box_office` after changing it there.

Sells the seats of a small theatre by row and number, with holds that lapse, price bands, concessions, groups,
exchanges and returns, and never leaves a single seat behind.
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
    "A seat is given away once for a performance.",
    "A patron has at most one hold for a performance.",
    "The seats of a booking lie side by side in one row.",
    "Bookings that are held or sold have seats, and no others do.",
    "A hold says when it lapses, and nothing else does.",
    "No more concessions are sold for a performance than are set aside for it.",
    "Concessions are given on sold tickets only.",
    "There is at least an hour between two performances.",
    "Nobody has tickets or a hold for a cancelled performance.",
    "Sold tickets are paid for, with the fees.",
    "A patron has no more than ten seats for one performance.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "hold_seats",
    "extend_hold",
    "sell_booking",
    "lapse_hold",
    "release_hold",
    "drop_seats",
    "exchange_tickets",
    "return_tickets",
    "cancel_performance",
    "add_performance",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "shows": ("title",),
    "bands": ("name",),
    "tariffs": (),
    "performances": (),
    "seats": ("label",),
    "patrons": ("name",),
    "bookings": (),
    "tickets": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bookings", "patron_id"),
    ("bookings", "performance_id"),
    ("bookings", "status"),
    ("performances", "starts_at"),
    ("performances", "status"),
    ("seats", "place"),
    ("seats", "row"),
    ("tariffs", "band_id"),
    ("tariffs", "show_id"),
    ("tickets", "booking_id"),
    ("tickets", "seat_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Show(TypedDict):
    id: str
    title: str
    minutes: int


class Band(TypedDict):
    id: str
    name: str


class Tariff(TypedDict):
    id: str
    show_id: str
    band_id: str
    full: int


class Performance(TypedDict):
    id: str
    show_id: str
    starts_at: str
    concession_seats: int
    status: Literal["on_sale", "cancelled"]


class Seat(TypedDict):
    id: str
    label: str
    row: Literal["A", "B", "C", "D"]
    place: int
    band_id: str


class Patron(TypedDict):
    id: str
    name: str
    friend: bool
    credit: int


class Booking(TypedDict):
    id: str
    patron_id: str
    performance_id: str
    made_at: str
    held_until: str | None
    extended: bool
    fees: int
    paid: int
    status: Literal["held", "sold", "lapsed", "released", "returned"]


class Ticket(TypedDict):
    id: str
    booking_id: str
    seat_id: str
    concession: Literal["child", "student", "senior"] | None


class SellBookingConcession(TypedDict):
    kind: Literal["child", "student", "senior"]
    number: Annotated[int, {"minimum": 1, "maximum": 8}]


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class BoxOffice:
    """Sells the seats of a small theatre by row and number, with holds that lapse, price bands,
    concessions, groups, exchanges and returns, and never leaves a single seat behind.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.shows: dict[str, Show] = _copied(config.get("shows", {}))
        self.bands: dict[str, Band] = _copied(config.get("bands", {}))
        self.tariffs: dict[str, Tariff] = _copied(config.get("tariffs", {}))
        self.performances: dict[str, Performance] = _copied(config.get("performances", {}))
        self.seats: dict[str, Seat] = _copied(config.get("seats", {}))
        self.patrons: dict[str, Patron] = _copied(config.get("patrons", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.tickets: dict[str, Ticket] = _copied(config.get("tickets", {}))
        self.now: str = config.get("now", "2026-03-12T10:30")
        self.counters: dict[str, int] = {
            "show": len(self.shows),
            "band": len(self.bands),
            "tariff": len(self.tariffs),
            "performance": len(self.performances),
            "seat": len(self.seats),
            "patron": len(self.patrons),
            "booking": len(self.bookings),
            "ticket": len(self.tickets),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tariffs_by_show_band: dict[Any, dict[str, Tariff]] = {}
        self._performances_by_starts_at: dict[Any, dict[str, Performance]] = {}
        self._performances_by_status: dict[Any, dict[str, Performance]] = {}
        self._seats_by_row_place: dict[Any, dict[str, Seat]] = {}
        self._bookings_by_patron: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_patron_performance: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_patron_performance_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_performance: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_performance_status: dict[Any, dict[str, Booking]] = {}
        self._tickets_by_booking: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_seat: dict[Any, dict[str, Ticket]] = {}
        for tariff in self.tariffs.values():
            self._link("tariffs", tariff)
        for performance in self.performances.values():
            self._link("performances", performance)
        for seat in self.seats.values():
            self._link("seats", seat)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for ticket in self.tickets.values():
            self._link("tickets", ticket)

    def seats_together(
        self,
        performance_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 8}],
        band_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Where some seats side by side are free without leaving a single seat, front row first; each line is the
        seat with the lowest number.

        Args:
            performance_id (str): Id of the performance, such as PERFORMANCE-00001.
            number (int): Seats wanted side by side, from 1 to 8.
            band_id (str, optional): Only seats of this price band; an id such as BAND-00001. If left out, seats of
                all price bands are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seats": records}} or {"success": False, "error": why
                not}
        """
        performance = self.performances.get(performance_id)
        if performance is None:
            return _refused(f"There is no performance {performance_id!r}.")
        band = self.bands.get(band_id) if band_id is not None else None
        if band_id is not None and band is None:
            return _refused(f"There is no band {band_id!r}.")
        if performance["status"] != "on_sale":
            return _refused("The performance is cancelled.")
        found = [
            s
            for s in self.seats.values()
            if self._fits(performance, s, number)
            and (band_id is None or s["band_id"] == band_id)
        ]
        found.sort(key=lambda s: (s["row"], s["place"], _age(s)))
        return _found(
            {
                "total": len(found),
                "seats": [
                    {
                        "first_seat_id": s["id"],
                        "label": s["label"],
                        "band": self.bands[s["band_id"]]["name"],
                        "full_price": self._full(performance, s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def holds_ending(
        self,
        until: DateTime,
        performance_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Holds that run out by some time, those that have run out included, first ones first.

        Args:
            until (str): Latest end of the holds that are listed, as YYYY-MM-DDTHH:MM.
            performance_id (str, optional): Only holds for this performance; an id such as PERFORMANCE-00001. If
                left out, the holds for all performances are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        performance = self.performances.get(performance_id) if performance_id is not None else None
        if performance_id is not None and performance is None:
            return _refused(f"There is no performance {performance_id!r}.")
        found = [
            b
            for b in self.bookings.values()
            if (b["held_until"] is not None and b["held_until"] <= until)
            and (performance_id is None or b["performance_id"] == performance_id)
        ]
        found.sort(key=lambda b: (b["held_until"], b["id"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "patron": self.patrons[b["patron_id"]]["name"],
                        "show": self.shows[self.performances[b["performance_id"]]["show_id"]]["title"],
                        "starts_at": self.performances[b["performance_id"]]["starts_at"],
                        "held_until": b["held_until"],
                        "seats": self._booking_seats(b),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def house_report(self, performance_id: str) -> Result:
        """How a performance stands.

        Args:
            performance_id (str): Id of the performance, such as PERFORMANCE-00001.

        Returns:
            dict: {"success": True, "data": {show, free_seats, sold, held, concessions_left, takings}} or
                {"success": False, "error": why not}
        """
        performance = self.performances.get(performance_id)
        if performance is None:
            return _refused(f"There is no performance {performance_id!r}.")
        return _found(
            {
                "show": self.shows[performance["show_id"]]["title"],
                "free_seats": self._performance_free_seats(performance),
                "sold": sum(
                    1
                    for _booking in self._bookings_by_performance.get(performance_id, {}).values()
                    for t in self._tickets_by_booking.get(_booking["id"], {}).values()
                    if self.bookings[t["booking_id"]]["status"] == "sold"
                ),
                "held": sum(
                    1
                    for _booking in self._bookings_by_performance.get(performance_id, {}).values()
                    for t in self._tickets_by_booking.get(_booking["id"], {}).values()
                    if self.bookings[t["booking_id"]]["status"] == "held"
                ),
                "concessions_left": performance["concession_seats"] - self._cheaper(performance),
                "takings": sum(
                    b["paid"]
                    for b in self._bookings_by_performance_status.get((performance_id, "sold"), {}).values()
                ),
            }
        )

    def list_shows(
        self,
        title: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shows, oldest first, all of them or only some.

        Args:
            title (str, optional): Only shows whose title contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shows": records}}
        """
        found = [
            show
            for show in self.shows.values()
            if (title is None or title.casefold() in show["title"].casefold())
        ]
        return _found({"total": len(found), "shows": [{**show} for show in _page(found, offset)]})

    def list_bands(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bands, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bands whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bands": records}}
        """
        found = [band for band in self.bands.values() if (name is None or name.casefold() in band["name"].casefold())]
        return _found({"total": len(found), "bands": [{**band} for band in _page(found, offset)]})

    def list_tariffs(
        self,
        show_id: str | None = None,
        band_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tariffs, oldest first, all of them or only some.

        Args:
            show_id (str, optional): Only tariffs of this show.
            band_id (str, optional): Only tariffs of this band.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tariffs": records}}
        """
        if show_id is not None and show_id not in self.shows:
            return _refused(f"There is no show {show_id!r}.")
        if band_id is not None and band_id not in self.bands:
            return _refused(f"There is no band {band_id!r}.")
        found = [
            tariff
            for tariff in self.tariffs.values()
            if (show_id is None or tariff["show_id"] == show_id)
            and (band_id is None or tariff["band_id"] == band_id)
        ]
        shown = [{**tariff} for tariff in _page(found, offset)]
        return _found({"total": len(found), "tariffs": shown}, self._names_of_tariffs(shown))

    def list_performances(
        self,
        show_id: str | None = None,
        status: Literal["on_sale", "cancelled"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the performances, oldest first, all of them or only some.

        Args:
            show_id (str, optional): Only performances of this show.
            status (str, optional): Only performances with this status.
            starts_at_from (str, optional): Only performances whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only performances whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "performances": records}}
        """
        if show_id is not None and show_id not in self.shows:
            return _refused(f"There is no show {show_id!r}.")
        found = [
            performance
            for performance in self.performances.values()
            if (show_id is None or performance["show_id"] == show_id)
            and (status is None or performance["status"] == status)
            and (starts_at_from is None or performance["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or performance["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_performance(performance) for performance in _page(found, offset)]
        return _found({"total": len(found), "performances": shown}, self._names_of_performances(shown))

    def list_seats(
        self,
        label: Text | None = None,
        row: Literal["A", "B", "C", "D"] | None = None,
        band_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the seats, oldest first, all of them or only some.

        Args:
            label (str, optional): Only seats whose label contains this text.
            row (str, optional): Only seats with this row.
            band_id (str, optional): Only seats of this band.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "seats": records}}
        """
        if band_id is not None and band_id not in self.bands:
            return _refused(f"There is no band {band_id!r}.")
        found = [
            seat
            for seat in self.seats.values()
            if (label is None or label.casefold() in seat["label"].casefold())
            and (row is None or seat["row"] == row)
            and (band_id is None or seat["band_id"] == band_id)
        ]
        shown = [{**seat} for seat in _page(found, offset)]
        return _found({"total": len(found), "seats": shown}, self._names_of_seats(shown))

    def list_patrons(
        self,
        name: Text | None = None,
        friend: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the patrons, oldest first, all of them or only some.

        Args:
            name (str, optional): Only patrons whose name contains this text.
            friend (bool, optional): Only patrons with this value of `friend`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "patrons": records}}
        """
        found = [
            patron
            for patron in self.patrons.values()
            if (name is None or name.casefold() in patron["name"].casefold())
            and (friend is None or patron["friend"] == friend)
        ]
        return _found({"total": len(found), "patrons": [{**patron} for patron in _page(found, offset)]})

    def list_bookings(
        self,
        patron_id: str | None = None,
        performance_id: str | None = None,
        extended: bool | None = None,
        status: Literal["held", "sold", "lapsed", "released", "returned"] | None = None,
        made_at_from: Date | None = None,
        made_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            patron_id (str, optional): Only bookings of this patron.
            performance_id (str, optional): Only bookings of this performance.
            extended (bool, optional): Only bookings that are extended (true) or not (false).
            status (str, optional): Only bookings with this status.
            made_at_from (str, optional): Only bookings whose `made_at` is on this day or later.
            made_at_to (str, optional): Only bookings whose `made_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        if patron_id is not None and patron_id not in self.patrons:
            return _refused(f"There is no patron {patron_id!r}.")
        if performance_id is not None and performance_id not in self.performances:
            return _refused(f"There is no performance {performance_id!r}.")
        found = [
            booking
            for booking in self.bookings.values()
            if (patron_id is None or booking["patron_id"] == patron_id)
            and (performance_id is None or booking["performance_id"] == performance_id)
            and (extended is None or booking["extended"] == extended)
            and (status is None or booking["status"] == status)
            and (made_at_from is None or booking["made_at"][:10] >= made_at_from)
            and (made_at_to is None or booking["made_at"][:10] <= made_at_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_tickets(
        self,
        booking_id: str | None = None,
        seat_id: str | None = None,
        concession: Literal["child", "student", "senior"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tickets, oldest first, all of them or only some.

        Args:
            booking_id (str, optional): Only tickets of this booking.
            seat_id (str, optional): Only tickets of this seat.
            concession (str, optional): Only tickets with this concession.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}}
        """
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        if seat_id is not None and seat_id not in self.seats:
            return _refused(f"There is no seat {seat_id!r}.")
        found = [
            ticket
            for ticket in self.tickets.values()
            if (booking_id is None or ticket["booking_id"] == booking_id)
            and (seat_id is None or ticket["seat_id"] == seat_id)
            and (concession is None or ticket["concession"] == concession)
        ]
        shown = [self._show_ticket(ticket) for ticket in _page(found, offset)]
        return _found({"total": len(found), "tickets": shown}, self._names_of_tickets(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def hold_seats(
        self,
        patron_id: str,
        performance_id: str,
        first_seat_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 8}],
    ) -> Result:
        """Hold some seats side by side for a patron, beginning with a seat and going up in numbers; a hold lapses
        after three days, for six seats and more after five days, and three hours before the performance at the
        latest; in these last three hours, at the door, for twenty minutes.

        Args:
            patron_id (str): Id of the patron, such as PATRON-00001.
            performance_id (str): Id of the performance, such as PERFORMANCE-00001.
            first_seat_id (str): Seat with the lowest number of those held; an id such as SEAT-00001.
            number (int): Seats to be held side by side in one row, from 1 to 8.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        patron = self.patrons.get(patron_id)
        if patron is None:
            return _refused(f"There is no patron {patron_id!r}.")
        performance = self.performances.get(performance_id)
        if performance is None:
            return _refused(f"There is no performance {performance_id!r}.")
        first_seat = self.seats.get(first_seat_id)
        if first_seat is None:
            return _refused(f"There is no seat {first_seat_id!r}.")
        if performance["status"] != "on_sale":
            return _refused("The performance is cancelled.")
        if self.now >= performance["starts_at"]:
            return _refused(f"The performance began at {performance['starts_at']}.")
        chosen = self._side_by_side_defined(first_seat, number)
        if len(chosen) != number:
            return _refused(f"Row {first_seat['row']} has only {len(chosen)} seats from {first_seat['label']} on.")
        gone = next((s for s in chosen if not self._free(performance, s)), None)
        if gone is not None:
            return _refused(f"Seat {gone['label']} is taken.")
        lone = self._stranded(performance, chosen)
        if lone is not None:
            return _refused(f"Seat {lone['label']} would be left single.")
        if self._bookings_by_patron_performance_status.get((patron_id, performance_id, "held"), {}):
            return _refused(f"{patron['name']} has a hold for this performance already.")
        if self._seats_of(patron, performance) + number > 10:
            return _refused(
                f"{patron['name']} has {self._seats_of(patron, performance)} seats already and may have ten at most."
            )
        self._journal = []
        added_tickets: list[Any] = []
        early = self.now < _plus_minutes(performance["starts_at"], -(3 * 60))
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "patron_id": patron_id,
            "performance_id": performance_id,
            "made_at": self.now,
            "held_until": min(
                _plus_minutes(self.now, (5 if number >= 6 else 3) * 1440),
                _plus_minutes(performance["starts_at"], -(3 * 60)),
            ) if early else min(_plus_minutes(self.now, 20), performance["starts_at"]),
            "extended": False,
            "fees": 0,
            "paid": 0,
            "status": "held",
        }
        self._add("bookings", booking)
        for s in list(chosen):
            ticket = {
                "id": self._new_id("ticket", "TICKET", self.tickets),
                "booking_id": booking["id"],
                "seat_id": s["id"],
                "concession": None,
            }
            self._add("tickets", ticket)
            added_tickets.append(ticket)
        for one_ticket in _distinct(added_tickets):
            if self._breaks_rule_1(one_ticket):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        for one_ticket in _distinct(added_tickets):
            if self._breaks_rule_3_a(one_ticket):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in added_tickets]]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in added_tickets]]):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in added_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(added_tickets):
            if self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in added_tickets]]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                booking,
                *self._bookings_by_patron.get(booking["patron_id"], {}).values(),
                *[
                    user
                    for one in [
                        self.patrons[one["patron_id"]]
                        for one in [self.bookings[one["booking_id"]] for one in added_tickets]
                    ]
                    for user in self._bookings_by_patron.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hold {number} seats from {first_seat['label']} on for {patron['name']} (new: booking "
                f"{booking['id']})."
            ),
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def extend_hold(self, booking_id: str, until: DateTime) -> Result:
        """Extend a hold that has not lapsed, once.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            until (str): New end of the hold, three hours before the performance at the latest, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "held" or booking["held_until"] is None:
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if booking["held_until"] <= self.now:
            return _refused(
                f"The hold of {self.patrons[booking['patron_id']]['name']} ran out at {booking['held_until']}."
            )
        if booking["extended"]:
            return _refused(f"The hold of {self.patrons[booking['patron_id']]['name']} was extended before.")
        if until <= booking["held_until"]:
            return _refused(f"The hold lasts until {booking['held_until']} anyway.")
        if until > _plus_minutes(self.performances[booking["performance_id"]]["starts_at"], -(3 * 60)):
            return _refused(
                "A hold ends three hours before the performance at the latest, that is "
                f"{_plus_minutes(self.performances[booking['performance_id']]['starts_at'], -(3 * 60))}."
            )
        self._journal = []
        self._put("bookings", booking, "held_until", until)
        self._put("bookings", booking, "extended", True)
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: extend the hold of {self.patrons[booking['patron_id']]['name']} until {until}.",
            "data": self._changes(),
        }

    def sell_booking(
        self,
        booking_id: str,
        concessions: Annotated[list[SellBookingConcession], {"maxItems": 20}],
        use_credit: bool = False,
    ) -> Result:
        """Sell the held seats of a booking; the lowest numbers get the concessions, in the order of their names.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            concessions (list): One entry for each reduced price, none where all seats cost full price: kind: group
                of people who get the reduced price: child, student or senior; number: seats of the booking at that
                reduced price, from 1 to 8.
            use_credit (bool): Whether the patron's credit is used towards the price. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "held" or booking["held_until"] is None:
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if booking["held_until"] <= self.now:
            return _refused(
                f"The hold of {self.patrons[booking['patron_id']]['name']} ran out at {booking['held_until']}, so "
                "lapse it and hold seats again."
            )
        if not _different([c["kind"] for c in concessions]):
            return _refused("A concession is named twice.")
        reduced = sum(c["number"] for c in concessions)
        if reduced > self._booking_seats(booking):
            return _refused(f"The booking has {self._booking_seats(booking)} seats, not {reduced}.")
        if (
            self._cheaper(self.performances[booking["performance_id"]])
            + reduced > self.performances[booking["performance_id"]]["concession_seats"]
        ):
            return _refused(
                f"{self.performances[booking['performance_id']]['concession_seats'] - self._cheaper(self.performances[booking['performance_id']])} concessions are left for this performance, not {reduced}."
            )
        if use_credit and self.patrons[booking["patron_id"]]["credit"] <= 0:
            return _refused(f"{self.patrons[booking['patron_id']]['name']} has no credit.")
        self._journal = []
        changed_tickets: list[Any] = []
        self._put("bookings", booking, "status", "sold")
        self._put("bookings", booking, "held_until", None)
        for c in sorted(concessions, key=lambda c: (c["kind"],)):
            for t in sorted(
                [t for t in self._tickets_by_booking.get(booking_id, {}).values() if t["concession"] is None],
                key=lambda t: (self.seats[t["seat_id"]]["place"], _age(t)),
            )[: max(c["number"], 0)]:
                changed_tickets.append(t)
                self._put("tickets", t, "concession", c["kind"])
        paid = self._booking_total(booking)
        if not 0 <= paid <= 500000:
            return self._take_back(f"The paid of {booking['id']} must be between 0.00 and 5,000.00.")
        self._put("bookings", booking, "paid", paid)
        if use_credit:
            patron = self.patrons[booking["patron_id"]]
            credit = (
                self.patrons[booking["patron_id"]]["credit"]
                - min(self.patrons[booking["patron_id"]]["credit"], self._booking_total(booking))
            )
            if not 0 <= credit <= 200000:
                return self._take_back(f"The credit of {patron['name']} must be between 0.00 and 2,000.00.")
            self._put("patrons", patron, "credit", credit)
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        if self._breaks_rule_4(booking):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in changed_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct([*self._tickets_by_booking.get(booking["id"], {}).values(), *changed_tickets]):
            if self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in changed_tickets]]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: sell {self._booking_seats(booking)} seats to {self.patrons[booking['patron_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def lapse_hold(self, booking_id: str) -> Result:
        """Let a hold lapse that has run out, so that its seats are free again.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "held" or booking["held_until"] is None:
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if booking["held_until"] > self.now:
            return _refused(
                f"The hold of {self.patrons[booking['patron_id']]['name']} lasts until {booking['held_until']}; "
                "release it if it is not wanted."
            )
        self._journal = []
        deleted_tickets: list[Any] = []
        for t in sorted(self._tickets_by_booking.get(booking_id, {}).values(), key=_age):
            if t["id"] in self.tickets:
                self._remove("tickets", t)
            deleted_tickets.append(t)
        self._put("bookings", booking, "held_until", None)
        self._put("bookings", booking, "status", "lapsed")
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_booking.get(booking["id"], {}).values()):
            if one_ticket["id"] in self.tickets and self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                user
                for one in [
                    self.patrons[one["patron_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                ]
                for user in self._bookings_by_patron.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: let the hold of {self.patrons[booking['patron_id']]['name']} lapse.",
            "data": self._changes(),
        }

    def release_hold(self, booking_id: str) -> Result:
        """Give held seats back that are not wanted any more.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "held" or booking["held_until"] is None:
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if booking["held_until"] <= self.now:
            return _refused(
                f"The hold of {self.patrons[booking['patron_id']]['name']} ran out at {booking['held_until']}, so "
                "let it lapse."
            )
        self._journal = []
        deleted_tickets: list[Any] = []
        for t in sorted(self._tickets_by_booking.get(booking_id, {}).values(), key=_age):
            if t["id"] in self.tickets:
                self._remove("tickets", t)
            deleted_tickets.append(t)
        self._put("bookings", booking, "held_until", None)
        self._put("bookings", booking, "status", "released")
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_booking.get(booking["id"], {}).values()):
            if one_ticket["id"] in self.tickets and self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                user
                for one in [
                    self.patrons[one["patron_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                ]
                for user in self._bookings_by_patron.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: release the hold of {self.patrons[booking['patron_id']]['name']}.",
            "data": self._changes(),
        }

    def drop_seats(self, booking_id: str, number: Annotated[int, {"minimum": 1, "maximum": 7}]) -> Result:
        """Take the seats with the highest numbers off a hold.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            number (int): Seats to take off the hold, fewer than it has, from 1 to 7.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "held":
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if number >= self._booking_seats(booking):
            return _refused(f"The hold has {self._booking_seats(booking)} seats; release it if none are wanted.")
        edge = self._highest_of(booking)
        if not (
            edge is not None
            and (
                number > 1
                or any(self._free(self.performances[booking["performance_id"]], s) for s in self._beside(edge))
            )
        ):
            return _refused("The last seat would be left single, so drop two or none.")
        self._journal = []
        deleted_tickets: list[Any] = []
        for t in sorted(
            self._tickets_by_booking.get(booking_id, {}).values(),
            key=lambda t: (-self.seats[t["seat_id"]]["place"], _age(t)),
        )[: max(number, 0)]:
            if t["id"] in self.tickets:
                self._remove("tickets", t)
            deleted_tickets.append(t)
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                user
                for one in [
                    self.patrons[one["patron_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                ]
                for user in self._bookings_by_patron.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: drop {number} seats from the hold of {self.patrons[booking['patron_id']]['name']}.",
            "data": self._changes(),
        }

    def exchange_tickets(self, booking_id: str, performance_id: str, first_seat_id: str) -> Result:
        """Exchange the tickets of a sold booking for as many seats at another performance, beginning with a seat;
        each ticket costs a fee of 2.00 and nothing for friends of the theatre. What was paid too much becomes
        credit, the rest is paid.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            performance_id (str): Id of the performance, such as PERFORMANCE-00001.
            first_seat_id (str): Seat with the lowest number of the new ones, at the other performance; an id such
                as SEAT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        performance = self.performances.get(performance_id)
        if performance is None:
            return _refused(f"There is no performance {performance_id!r}.")
        first_seat = self.seats.get(first_seat_id)
        if first_seat is None:
            return _refused(f"There is no seat {first_seat_id!r}.")
        if booking["status"] != "sold":
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if performance["status"] != "on_sale":
            return _refused("The performance is cancelled.")
        if performance_id == booking["performance_id"]:
            return _refused(f"{self.patrons[booking['patron_id']]['name']} has tickets for that performance already.")
        if self.now >= _plus_minutes(self.performances[booking["performance_id"]]["starts_at"], -(24 * 60)):
            return _refused("Tickets are exchanged until 24 hours before their performance.")
        if self.now >= performance["starts_at"]:
            return _refused(f"The performance began at {performance['starts_at']}.")
        chosen = self._side_by_side_defined(first_seat, self._booking_seats(booking))
        if len(chosen) != self._booking_seats(booking):
            return _refused(f"Row {first_seat['row']} has only {len(chosen)} seats from {first_seat['label']} on.")
        gone = next((s for s in chosen if not self._free(performance, s)), None)
        if gone is not None:
            return _refused(f"Seat {gone['label']} is taken.")
        lone = self._stranded(performance, chosen)
        if lone is not None:
            return _refused(f"Seat {lone['label']} would be left single.")
        if self._seats_of(self.patrons[booking["patron_id"]], performance) + self._booking_seats(booking) > 10:
            return _refused(f"{self.patrons[booking['patron_id']]['name']} may have ten seats at most.")
        reduced = [
            t["concession"]
            for t in sorted(self._tickets_by_booking.get(booking_id, {}).values(), key=_age)
            if t["concession"] is not None
        ]
        if self._cheaper(performance) + len(reduced) > performance["concession_seats"]:
            return _refused(
                f"{performance['concession_seats'] - self._cheaper(performance)} concessions are left for that "
                f"performance, not {len(reduced)}."
            )
        self._journal = []
        added_tickets: list[Any] = []
        deleted_tickets: list[Any] = []
        changed_bookings: list[Any] = []
        before = booking["paid"]
        given = sorted(self._tickets_by_booking.get(booking_id, {}).values(), key=_age)
        for t in sorted(given, key=lambda t: (self.seats[t["seat_id"]]["place"], _age(t))):
            there = next(
                (
                    s
                    for s in sorted(
                        self._seats_by_row_place.get(
                            (
                                first_seat["row"],
                                first_seat["place"] + sum(
                                    1
                                    for x in given
                                    if self.seats[x["seat_id"]]["place"] < self.seats[t["seat_id"]]["place"]
                                ),
                            ),
                            {},
                        ).values(),
                        key=_age,
                    )
                ),
                None,
            )
            if there is not None:
                ticket = {
                    "id": self._new_id("ticket", "TICKET", self.tickets),
                    "booking_id": booking_id,
                    "seat_id": there["id"],
                    "concession": t["concession"],
                }
                self._add("tickets", ticket)
                added_tickets.append(ticket)
        for t in list(given):
            if t["id"] in self.tickets:
                self._remove("tickets", t)
            deleted_tickets.append(t)
        former_performance_id = booking["performance_id"]
        self._put("bookings", booking, "performance_id", performance_id)
        if not self.patrons[booking["patron_id"]]["friend"]:
            for t in list(given):
                fees = booking["fees"] + 200
                if not 0 <= fees <= 50000:
                    return self._take_back(f"The fees of {booking['id']} must be between 0.00 and 500.00.")
                changed_bookings.append(booking)
                self._put("bookings", booking, "fees", fees)
        paid = self._booking_total(booking) + booking["fees"]
        if not 0 <= paid <= 500000:
            return self._take_back(f"The paid of {booking['id']} must be between 0.00 and 5,000.00.")
        self._put("bookings", booking, "paid", paid)
        if booking["paid"] < before:
            patron = self.patrons[booking["patron_id"]]
            credit = self.patrons[booking["patron_id"]]["credit"] + before - booking["paid"]
            if not 0 <= credit <= 200000:
                return self._take_back(f"The credit of {patron['name']} must be between 0.00 and 2,000.00.")
            self._put("patrons", patron, "credit", credit)
        for one_ticket in _distinct([*added_tickets, *self._tickets_by_booking.get(booking["id"], {}).values()]):
            if one_ticket["id"] in self.tickets and self._breaks_rule_1(one_ticket):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        for one_ticket in _distinct(added_tickets):
            if one_ticket["id"] in self.tickets and self._breaks_rule_3_a(one_ticket):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *[self.bookings[one["booking_id"]] for one in added_tickets],
                *[self.bookings[one["booking_id"]] for one in deleted_tickets],
            ]
        ):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [
                *[self.bookings[one["booking_id"]] for one in added_tickets],
                *[self.bookings[one["booking_id"]] for one in deleted_tickets],
            ]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_performance in _distinct(
            [
                self.performances[booking["performance_id"]],
                self.performances[former_performance_id],
                *[
                    self.performances[one["performance_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in added_tickets]
                ],
                *[
                    self.performances[one["performance_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                ],
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(added_tickets):
            if one_ticket["id"] in self.tickets and self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        for one_booking in _distinct(
            [
                booking,
                *[self.bookings[one["booking_id"]] for one in added_tickets],
                *[self.bookings[one["booking_id"]] for one in deleted_tickets],
                *changed_bookings,
            ]
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                booking,
                *[
                    user
                    for one in [
                        self.patrons[one["patron_id"]]
                        for one in [self.bookings[one["booking_id"]] for one in added_tickets]
                    ]
                    for user in self._bookings_by_patron.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        self.patrons[one["patron_id"]]
                        for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                    ]
                    for user in self._bookings_by_patron.get(one["id"], {}).values()
                ],
                *self._bookings_by_patron.get(booking["patron_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: exchange the tickets of {self.patrons[booking['patron_id']]['name']} for seats from "
                f"{first_seat['label']} on."
            ),
            "data": self._changes(),
        }

    def return_tickets(self, booking_id: str) -> Result:
        """Take the tickets of a sold booking back until the day before the performance; the price without fees
        becomes credit, less a tenth.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "sold":
            return _refused(f"The booking of {self.patrons[booking['patron_id']]['name']} is {booking['status']}.")
        if self.now[:10] >= self.performances[booking["performance_id"]]["starts_at"][:10]:
            return _refused("Tickets are taken back until the day before the performance.")
        self._journal = []
        deleted_tickets: list[Any] = []
        patron = self.patrons[booking["patron_id"]]
        credit = (
            self.patrons[booking["patron_id"]]["credit"]
            + _rounded(Fraction(self._booking_total(booking) * 9, 10))
        )
        if not 0 <= credit <= 200000:
            return self._take_back(f"The credit of {patron['name']} must be between 0.00 and 2,000.00.")
        self._put("patrons", patron, "credit", credit)
        for t in sorted(self._tickets_by_booking.get(booking_id, {}).values(), key=_age):
            if t["id"] in self.tickets:
                self._remove("tickets", t)
            deleted_tickets.append(t)
        self._put("bookings", booking, "status", "returned")
        if self._breaks_rule_2(booking):
            return self._take_back(RULES[1])
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(booking):
            return self._take_back(RULES[4])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(self._tickets_by_booking.get(booking["id"], {}).values()):
            if one_ticket["id"] in self.tickets and self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(booking):
            return self._take_back(RULES[8])
        for one_booking in _distinct([booking, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                user
                for one in [
                    self.patrons[one["patron_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                ]
                for user in self._bookings_by_patron.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take the tickets of {self.patrons[booking['patron_id']]['name']} back.",
            "data": self._changes(),
        }

    def cancel_performance(self, performance_id: str) -> Result:
        """Cancel a performance; whoever has tickets gets all that was paid as credit, and holds are released.

        Args:
            performance_id (str): Id of the performance, such as PERFORMANCE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        performance = self.performances.get(performance_id)
        if performance is None:
            return _refused(f"There is no performance {performance_id!r}.")
        if performance["status"] != "on_sale":
            return _refused("The performance is cancelled already.")
        if self.now >= performance["starts_at"]:
            return _refused(f"The performance began at {performance['starts_at']}.")
        self._journal = []
        changed_bookings: list[Any] = []
        changed_bookings_2: list[Any] = []
        deleted_tickets: list[Any] = []
        for b in sorted(self._bookings_by_performance_status.get((performance_id, "sold"), {}).values(), key=_age):
            patron = self.patrons[b["patron_id"]]
            credit = self.patrons[b["patron_id"]]["credit"] + b["paid"]
            if not 0 <= credit <= 200000:
                return self._take_back(f"The credit of {patron['name']} must be between 0.00 and 2,000.00.")
            self._put("patrons", patron, "credit", credit)
            if b["status"] not in ("sold", "returned"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to returned.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "returned")
        for b in sorted(self._bookings_by_performance_status.get((performance_id, "held"), {}).values(), key=_age):
            changed_bookings_2.append(b)
            self._put("bookings", b, "held_until", None)
            if b["status"] not in ("held", "released"):
                return self._take_back(f"Booking {b['id']} cannot go from {b['status']} to released.")
            changed_bookings.append(b)
            self._put("bookings", b, "status", "released")
        for t in sorted(
            [
                t
                for _booking in self._bookings_by_performance.get(performance_id, {}).values()
                for t in self._tickets_by_booking.get(_booking["id"], {}).values()
            ],
            key=_age,
        ):
            if t["id"] in self.tickets:
                self._remove("tickets", t)
            deleted_tickets.append(t)
        self._put("performances", performance, "status", "cancelled")
        for one_booking in _distinct(changed_bookings):
            if self._breaks_rule_2(one_booking):
                return self._take_back(RULES[1])
        for one_booking in _distinct([self.bookings[one["booking_id"]] for one in deleted_tickets]):
            if self._breaks_rule_3_b(one_booking):
                return self._take_back(RULES[2])
        for one_booking in _distinct(
            [*changed_bookings, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]
        ):
            if self._breaks_rule_4(one_booking):
                return self._take_back(RULES[3])
        for one_booking in _distinct([*changed_bookings, *changed_bookings_2]):
            if self._breaks_rule_5(one_booking):
                return self._take_back(RULES[4])
        for one_performance in _distinct(
            [
                self.performances[one["performance_id"]]
                for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
            ]
        ):
            if self._breaks_rule_6(one_performance):
                return self._take_back(RULES[5])
        for one_ticket in _distinct(
            [user for one in changed_bookings for user in self._tickets_by_booking.get(one["id"], {}).values()]
        ):
            if one_ticket["id"] in self.tickets and self._breaks_rule_7(one_ticket):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(performance):
            return self._take_back(RULES[7])
        for one_booking in _distinct(
            [*changed_bookings, *self._bookings_by_performance.get(performance["id"], {}).values()]
        ):
            if self._breaks_rule_9(one_booking):
                return self._take_back(RULES[8])
        for one_booking in _distinct(
            [*changed_bookings, *[self.bookings[one["booking_id"]] for one in deleted_tickets]]
        ):
            if self._breaks_rule_10(one_booking):
                return self._take_back(RULES[9])
        for one_booking in _distinct(
            [
                user
                for one in [
                    self.patrons[one["patron_id"]]
                    for one in [self.bookings[one["booking_id"]] for one in deleted_tickets]
                ]
                for user in self._bookings_by_patron.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_11(one_booking):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the performance of {self.shows[performance['show_id']]['title']} at "
                f"{performance['starts_at']}."
            ),
            "data": self._changes(),
        }

    def add_performance(
        self,
        show_id: str,
        starts_at: DateTime,
        concession_seats: Annotated[int, {"minimum": 2, "maximum": 30}] = 6,
    ) -> Result:
        """Put another performance of a show on sale.

        Args:
            show_id (str): Id of the show, such as SHOW-00001.
            starts_at (str): Start of the performance, more than a day ahead, as YYYY-MM-DDTHH:MM.
            concession_seats (int): Most seats that may be sold at a reduced price, from 2 to 30. Default: 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        show = self.shows.get(show_id)
        if show is None:
            return _refused(f"There is no show {show_id!r}.")
        if starts_at <= _plus_minutes(self.now, 1 * 1440):
            return _refused("A performance goes on sale at least a day before.")
        if self._performances_by_starts_at.get(starts_at, {}):
            return _refused(f"There is a performance at {starts_at}.")
        other = next(
            (
                p
                for p in sorted(self._performances_by_status.get("on_sale", {}).values(), key=_age)
                if _overlap(
                    p["starts_at"],
                    _plus_minutes(_plus_minutes(p["starts_at"], self.shows[p["show_id"]]["minutes"]), 60),
                    starts_at,
                    _plus_minutes(_plus_minutes(starts_at, show["minutes"]), 60),
                )
            ),
            None,
        )
        if other is not None:
            return _refused(f"{self.shows[other['show_id']]['title']} at {other['starts_at']} leaves no room.")
        self._journal = []
        performance: Performance = {
            "id": self._new_id("performance", "PERFORMANCE", self.performances),
            "show_id": show_id,
            "starts_at": starts_at,
            "concession_seats": concession_seats,
            "status": "on_sale",
        }
        self._add("performances", performance)
        if len(self._performances_by_starts_at.get(performance["starts_at"], {})) > 1:
            return self._take_back(f"There is already a performance with the starts at {performance['starts_at']!r}.")
        if self._breaks_rule_6(performance):
            return self._take_back(RULES[5])
        if self._breaks_rule_8(performance):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: put {show['title']} at {starts_at} on sale (new: performance {performance['id']}).",
            "data": {"performance_id": performance["id"], **self._changes()},
        }

    def _show_performance(self, performance: Performance) -> dict[str, Any]:
        """The performance as an answer shows it."""
        return {
            **performance,
            "taken": self._performance_taken(performance),
            "free_seats": self._performance_free_seats(performance),
        }

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "seats": self._booking_seats(booking), "total": self._booking_total(booking)}

    def _show_ticket(self, ticket: Ticket) -> dict[str, Any]:
        """The ticket as an answer shows it."""
        return {**ticket, "price": self._ticket_price(ticket)}

    def _names_of_tariffs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tariffs point to."""
        return _names(
            (self.shows, "title", [row["show_id"] for row in shown]),
            (self.bands, "name", [row["band_id"] for row in shown]),
        )

    def _names_of_performances(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that performances point to."""
        return _names((self.shows, "title", [row["show_id"] for row in shown]))

    def _names_of_seats(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that seats point to."""
        return _names((self.bands, "name", [row["band_id"] for row in shown]))

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names((self.patrons, "name", [row["patron_id"] for row in shown]))

    def _names_of_tickets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tickets point to."""
        return _names((self.seats, "label", [row["seat_id"] for row in shown]))

    def _performance_taken(self, performance: Performance) -> int:
        """The taken of a performance."""
        return len(
            [
                t
                for _booking in self._bookings_by_performance.get(performance["id"], {}).values()
                for t in self._tickets_by_booking.get(_booking["id"], {}).values()
            ]
        )

    def _performance_free_seats(self, performance: Performance) -> int:
        """The free seats of a performance."""
        return len(self.seats) - self._performance_taken(performance)

    def _booking_seats(self, booking: Booking) -> int:
        """The seats of a booking."""
        return len(self._tickets_by_booking.get(booking["id"], {}))

    def _booking_total(self, booking: Booking) -> int:
        """The total of a booking."""
        return sum(self._ticket_price(t) for t in self._tickets_by_booking.get(booking["id"], {}).values())

    def _ticket_price(self, ticket: Ticket) -> int:
        """The price of a ticket."""
        return _rounded(
            Fraction(
                self._full(self.performances[self.bookings[ticket["booking_id"]]["performance_id"]], self.seats[ticket["seat_id"]]) * (
                    100 - max(
                        self._percent(ticket),
                        10 if self._booking_seats(self.bookings[ticket["booking_id"]]) >= 6 else 0,
                    )
                ),
                100,
            )
        )

    def _full(self, p: Performance, s: Seat) -> int:
        return (
            next(
                (
                    t["full"]
                    for t in sorted(
                        self._tariffs_by_show_band.get((p["show_id"], s["band_id"]), {}).values(),
                        key=_age,
                    )
                ),
                None,
            )
            if next(
                (
                    t["full"]
                    for t in sorted(
                        self._tariffs_by_show_band.get((p["show_id"], s["band_id"]), {}).values(),
                        key=_age,
                    )
                ),
                None,
            ) is not None
            else 0
        )

    def _percent(self, t: Ticket) -> int:
        return (
            50
            if t["concession"] == "child"
            else 30
            if t["concession"] == "student"
            else 20
            if t["concession"] == "senior"
            else 0
        )

    def _free(self, p: Performance, s: Seat) -> bool:
        return not any(
            self.bookings[t["booking_id"]]["performance_id"] == p["id"]
            for t in self._tickets_by_seat.get(s["id"], {}).values()
        )

    def _side_by_side_defined(self, s: Seat, n: int) -> list[Seat]:
        return [
            x
            for x in self.seats.values()
            if x["row"] == s["row"]
            and (s["place"] <= x["place"] and x["place"] < s["place"] + n)
        ]

    def _beside(self, s: Seat) -> list[Seat]:
        return [x for x in self.seats.values() if x["row"] == s["row"] and abs(x["place"] - s["place"]) == 1]

    def _stranded(self, p: Performance, chosen: list[Seat]) -> Seat | None:
        return next(
            (
                s
                for s in self.seats.values()
                if s not in chosen
                and self._free(p, s)
                and any(t in chosen for t in self._beside(s))
                and not any(t not in chosen and self._free(p, t) for t in self._beside(s))
            ),
            None,
        )

    def _fits(self, p: Performance, s: Seat, n: int) -> bool:
        return (
            len(self._side_by_side_defined(s, n)) == n
            and all(self._free(p, x) for x in self._side_by_side_defined(s, n))
            and self._stranded(p, self._side_by_side_defined(s, n)) is None
        )

    def _best(self, p: Performance, n: int) -> Seat | None:
        return min(
            (s for s in self.seats.values() if self._fits(p, s, n)),
            key=lambda s: (s["row"], s["place"], _age(s)),
            default=None,
        )

    def _highest_of(self, b: Booking) -> Seat | None:
        return min(
            [
                ((-self.seats[t["seat_id"]]["place"],), self.seats[t["seat_id"]])
                for t in sorted(self._tickets_by_booking.get(b["id"], {}).values(), key=_age)
            ],
            key=lambda pair: pair[0],
            default=(None, None),
        )[1]

    def _lowest_of(self, b: Booking) -> Seat | None:
        return min(
            [
                ((self.seats[t["seat_id"]]["place"],), self.seats[t["seat_id"]])
                for t in sorted(self._tickets_by_booking.get(b["id"], {}).values(), key=_age)
            ],
            key=lambda pair: pair[0],
            default=(None, None),
        )[1]

    def _reduced_in(self, b: Booking) -> int:
        return sum(1 for t in self._tickets_by_booking.get(b["id"], {}).values() if t["concession"] is not None)

    def _ends(self, b: Booking) -> str:
        return b["held_until"] if b["held_until"] is not None else self.now

    def _cheaper(self, p: Performance) -> int:
        return sum(
            1
            for _booking in self._bookings_by_performance.get(p["id"], {}).values()
            for t in self._tickets_by_booking.get(_booking["id"], {}).values()
            if t["concession"] is not None
        )

    def _seats_of(self, g: Patron, p: Performance) -> int:
        return sum(
            1
            for b in self._bookings_by_patron_performance.get((g["id"], p["id"]), {}).values()
            for t in self._tickets_by_booking.get(b["id"], {}).values()
        )

    def _breaks_rule_1(self, t: Ticket) -> bool:
        """Whether this is broken: a seat is given away once for a performance."""
        return any(
            other_t is not t
            for other_t in self._tickets_by_seat.get(t["seat_id"], {}).values()
            if self.bookings[
                other_t["booking_id"]
            ]["performance_id"] == self.bookings[t["booking_id"]]["performance_id"]
        )

    def _breaks_rule_2(self, b: Booking) -> bool:
        """Whether this is broken: a patron has at most one hold for a performance."""
        return (
            b["status"] == "held"
            and any(
                other_b is not b
                for other_b in self._bookings_by_patron_performance_status.get(
                    (b["patron_id"], b["performance_id"], "held"),
                    {},
                ).values()
            )
        )

    def _breaks_rule_3_a(self, a: Ticket) -> bool:
        """Whether this is broken: the seats of a booking lie side by side in one row."""
        return any(
            self.seats[a["seat_id"]]["row"] != self.seats[b["seat_id"]]["row"]
            for b in self._tickets_by_booking.get(a["booking_id"], {}).values()
        )

    def _breaks_rule_3_b(self, b: Booking) -> bool:
        """Whether this is broken: the seats of a booking lie side by side in one row."""
        return (
            self._booking_seats(b) > 0
            and (
                max(
                    (self.seats[t["seat_id"]]["place"] for t in self._tickets_by_booking.get(b["id"], {}).values()),
                    default=None,
                )
                if max(
                    (self.seats[t["seat_id"]]["place"] for t in self._tickets_by_booking.get(b["id"], {}).values()),
                    default=None,
                ) is not None
                else 0
            ) - (
                min(
                    (self.seats[t["seat_id"]]["place"] for t in self._tickets_by_booking.get(b["id"], {}).values()),
                    default=None,
                )
                if min(
                    (self.seats[t["seat_id"]]["place"] for t in self._tickets_by_booking.get(b["id"], {}).values()),
                    default=None,
                ) is not None
                else 0
            ) != self._booking_seats(b) - 1
        )

    def _breaks_rule_4(self, b: Booking) -> bool:
        """Whether this is broken: bookings that are held or sold have seats, and no others do."""
        return (b["status"] in ("held", "sold")) != (self._booking_seats(b) > 0)

    def _breaks_rule_5(self, b: Booking) -> bool:
        """Whether this is broken: a hold says when it lapses, and nothing else does."""
        return (b["status"] == "held") != (b["held_until"] is not None)

    def _breaks_rule_6(self, p: Performance) -> bool:
        """Whether this is broken: no more concessions are sold for a performance than are set aside for it."""
        return sum(
            1
            for _booking in self._bookings_by_performance.get(p["id"], {}).values()
            for t in self._tickets_by_booking.get(_booking["id"], {}).values()
            if t["concession"] is not None
        ) > p["concession_seats"]

    def _breaks_rule_7(self, t: Ticket) -> bool:
        """Whether this is broken: concessions are given on sold tickets only."""
        return t["concession"] is not None and self.bookings[t["booking_id"]]["status"] != "sold"

    def _breaks_rule_8(self, p: Performance) -> bool:
        """Whether this is broken: there is at least an hour between two performances."""
        return (
            p["status"] == "on_sale"
            and any(
                _overlap(
                    p["starts_at"],
                    _plus_minutes(_plus_minutes(p["starts_at"], self.shows[p["show_id"]]["minutes"]), 60),
                    q["starts_at"],
                    _plus_minutes(_plus_minutes(q["starts_at"], self.shows[q["show_id"]]["minutes"]), 60),
                )
                for q in self._performances_by_status.get("on_sale", {}).values()
                if p is not q
            )
        )

    def _breaks_rule_9(self, b: Booking) -> bool:
        """Whether this is broken: nobody has tickets or a hold for a cancelled performance."""
        return self.performances[b["performance_id"]]["status"] == "cancelled" and b["status"] in ("held", "sold")

    def _breaks_rule_10(self, b: Booking) -> bool:
        """Whether this is broken: sold tickets are paid for, with the fees."""
        return b["status"] == "sold" and b["paid"] != self._booking_total(b) + b["fees"]

    def _breaks_rule_11(self, b: Booking) -> bool:
        """Whether this is broken: a patron has no more than ten seats for one performance."""
        return sum(
            1
            for c in self._bookings_by_patron_performance.get((b["patron_id"], b["performance_id"]), {}).values()
            for t in self._tickets_by_booking.get(c["id"], {}).values()
        ) > 10

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
            case "tariffs":
                self._tariffs_by_show_band.setdefault((record["show_id"], record["band_id"]), {})[record["id"]] = record
            case "performances":
                self._performances_by_starts_at.setdefault(record["starts_at"], {})[record["id"]] = record
                self._performances_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "seats":
                self._seats_by_row_place.setdefault((record["row"], record["place"]), {})[record["id"]] = record
            case "bookings":
                self._bookings_by_patron.setdefault(record["patron_id"], {})[record["id"]] = record
                self._bookings_by_patron_performance.setdefault(
                    (record["patron_id"], record["performance_id"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_patron_performance_status.setdefault(
                    (record["patron_id"], record["performance_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._bookings_by_performance.setdefault(record["performance_id"], {})[record["id"]] = record
                self._bookings_by_performance_status.setdefault(
                    (record["performance_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "tickets":
                self._tickets_by_booking.setdefault(record["booking_id"], {})[record["id"]] = record
                self._tickets_by_seat.setdefault(record["seat_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tariffs":
                del self._tariffs_by_show_band[record["show_id"], record["band_id"]][record["id"]]
            case "performances":
                del self._performances_by_starts_at[record["starts_at"]][record["id"]]
                del self._performances_by_status[record["status"]][record["id"]]
            case "seats":
                del self._seats_by_row_place[record["row"], record["place"]][record["id"]]
            case "bookings":
                del self._bookings_by_patron[record["patron_id"]][record["id"]]
                del self._bookings_by_patron_performance[record["patron_id"], record["performance_id"]][record["id"]]
                del self._bookings_by_patron_performance_status[
                    record["patron_id"],
                    record["performance_id"],
                    record["status"],
                ][record["id"]]
                del self._bookings_by_performance[record["performance_id"]][record["id"]]
                del self._bookings_by_performance_status[record["performance_id"], record["status"]][record["id"]]
            case "tickets":
                del self._tickets_by_booking[record["booking_id"]][record["id"]]
                del self._tickets_by_seat[record["seat_id"]][record["id"]]
