"""Restaurant floor. Compiled from blueprint.yaml; run `envscaler build restaurant_floor` after changing it there.

Runs the floor of a restaurant through a service, with bookings and walk-ins, tables pushed together, courses
sent in order and bills that are split.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A party never has more people than seats.",
    "Tables that are pushed together stand beside each other.",
    "A party that has gone keeps no table.",
    "A waiter never looks after more guests than agreed.",
    "Two bookings for one table lie at least two hours apart.",
    "A booking has tables that stand together, with enough seats.",
    "No course is sent before the courses ahead of it are served.",
    "Nothing that a party must avoid is on its way to it.",
    "No more of a dish is ordered than the kitchen has.",
    "Only what was served stands on a bill, and on a bill of that party.",
    "The bills of a party add up to what stands on them.",
    "Nobody leaves before everything is billed and paid.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "take_booking",
    "drop_booking",
    "seat_booking",
    "seat_walk_in",
    "move_party",
    "order_dishes",
    "strike_dish",
    "fire_course",
    "serve_course",
    "make_bill",
    "split_bill",
    "pay_bill",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "tables": ("number",),
    "waiters": ("name",),
    "bookings": ("name",),
    "parties": ("name",),
    "dishes": ("name",),
    "plates": (),
    "bills": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("bills", "party_id"),
    ("bookings", "status"),
    ("bookings", "table_ids"),
    ("parties", "status"),
    ("parties", "waiter_id"),
    ("plates", "dish_id"),
    ("plates", "party_id"),
    ("plates", "status"),
    ("tables", "beside_ids"),
    ("tables", "party_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Table(TypedDict):
    id: str
    number: str
    area: Literal["hall", "window", "terrace", "gallery"]
    seats: int
    beside_ids: list[str]
    party_id: str | None


class Waiter(TypedDict):
    id: str
    name: str
    most_guests: int


class Booking(TypedDict):
    id: str
    name: str
    people: int
    at: str
    table_ids: list[str]
    status: Literal["booked", "seated", "cancelled", "no_show"]


class Party(TypedDict):
    id: str
    name: str
    people: int
    waiter_id: str
    avoids: list[Literal["nuts", "gluten", "milk", "fish"]]
    booking_id: str | None
    seated_at: str
    status: Literal["seated", "gone"]


class Dish(TypedDict):
    id: str
    name: str
    course: Literal["starter", "main", "dessert", "drink"]
    price: int
    portions: int
    contains: list[Literal["nuts", "gluten", "milk", "fish"]]


class Plate(TypedDict):
    id: str
    party_id: str
    dish_id: str
    bill_id: str | None
    status: Literal["ordered", "fired", "served"]


class Bill(TypedDict):
    id: str
    party_id: str
    payer: str
    amount: int
    tip: int
    paid_by: Literal["cash", "card"] | None


class OrderDishesLine(TypedDict):
    dish_id: str
    number: Annotated[int, {"minimum": 1, "maximum": 16}]


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


def _numbers(start: int, end: int) -> list[int]:
    """Every number from start until the one before end, at most 1,000."""
    return list(range(start, min(end, start + 1000)))


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class RestaurantFloor:
    """Runs the floor of a restaurant through a service, with bookings and walk-ins, tables pushed
    together, courses sent in order and bills that are split.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.tables: dict[str, Table] = _copied(config.get("tables", {}))
        self.waiters: dict[str, Waiter] = _copied(config.get("waiters", {}))
        self.bookings: dict[str, Booking] = _copied(config.get("bookings", {}))
        self.parties: dict[str, Party] = _copied(config.get("parties", {}))
        self.dishes: dict[str, Dish] = _copied(config.get("dishes", {}))
        self.plates: dict[str, Plate] = _copied(config.get("plates", {}))
        self.bills: dict[str, Bill] = _copied(config.get("bills", {}))
        self.now: str = config.get("now", "2026-06-12T18:20")
        self.counters: dict[str, int] = {
            "table": len(self.tables),
            "waiter": len(self.waiters),
            "booking": len(self.bookings),
            "party": len(self.parties),
            "dish": len(self.dishes),
            "plate": len(self.plates),
            "bill": len(self.bills),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tables_by_beside: dict[Any, dict[str, Table]] = {}
        self._tables_by_party: dict[Any, dict[str, Table]] = {}
        self._bookings_by_status: dict[Any, dict[str, Booking]] = {}
        self._bookings_by_tables: dict[Any, dict[str, Booking]] = {}
        self._parties_by_waiter_status: dict[Any, dict[str, Party]] = {}
        self._plates_by_dish: dict[Any, dict[str, Plate]] = {}
        self._plates_by_party: dict[Any, dict[str, Plate]] = {}
        self._plates_by_party_dish: dict[Any, dict[str, Plate]] = {}
        self._plates_by_party_status: dict[Any, dict[str, Plate]] = {}
        self._bills_by_party: dict[Any, dict[str, Bill]] = {}
        for table in self.tables.values():
            self._link("tables", table)
        for booking in self.bookings.values():
            self._link("bookings", booking)
        for party in self.parties.values():
            self._link("parties", party)
        for plate in self.plates.values():
            self._link("plates", plate)
        for bill in self.bills.values():
            self._link("bills", bill)

    def free_tables(
        self,
        people: Annotated[int, {"minimum": 1, "maximum": 16}] | None = None,
        area: Literal["hall", "window", "terrace", "gallery"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tables that are free now and not promised within ninety minutes, smallest first.

        Args:
            people (int, optional): Number of guests that one table must seat, from 1 to 16. If left out, tables of
                any size are listed.
            area (str, optional): Part of the restaurant: hall, window, terrace or gallery. If left out, tables in
                all parts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}} or {"success": False, "error": why
                not}
        """
        found = [
            t
            for t in self.tables.values()
            if (t["party_id"] is None and self._promised(t, None) is None)
            and (people is None or t["seats"] >= people)
            and (area is None or t["area"] == area)
        ]
        found.sort(key=lambda t: (t["seats"], t["number"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tables": [
                    {
                        "id": t["id"],
                        "number": t["number"],
                        "area": t["area"],
                        "seats": t["seats"],
                        "beside": [
                            *[
                                u["number"]
                                for u in sorted(
                                    _distinct(
                                        [
                                            *self._tables_by_beside.get(t["id"], {}).values(),
                                            *_those(self.tables, t["beside_ids"]),
                                        ]
                                    ),
                                    key=_age,
                                )
                            ]
                        ],
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def expected_guests(self, on: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Bookings still open for a day, by time.

        Args:
            on (str): Day of the bookings, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}} or {"success": False, "error": why
                not}
        """
        found = [b for b in self.bookings.values() if (b["status"] == "booked" and b["at"][:10] == on)]
        found.sort(key=lambda b: (b["at"], b["name"], _age(b)))
        return _found(
            {
                "total": len(found),
                "bookings": [
                    {
                        "id": b["id"],
                        "name": b["name"],
                        "people": b["people"],
                        "at": b["at"],
                        "tables": [*[t["number"] for t in [self.tables[key] for key in b["table_ids"]]]],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def kitchen_board(
        self,
        waiter_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is sent but not served, and what may be sent next, party by party.

        Args:
            waiter_id (str, optional): Waiter who serves the parties; an id such as WAITER-00001. If left out,
                parties of all waiters are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}} or {"success": False, "error": why
                not}
        """
        waiter = self.waiters.get(waiter_id) if waiter_id is not None else None
        if waiter_id is not None and waiter is None:
            return _refused(f"There is no waiter {waiter_id!r}.")
        found = [
            p
            for p in self.parties.values()
            if (waiter_id is None or p["status"] == "seated" and p["waiter_id"] == waiter_id)
            and any(x["status"] != "served" for x in self._plates_by_party.get(p["id"], {}).values())
        ]
        found.sort(key=lambda p: (p["seated_at"], p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "parties": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "tables": [*[t["number"] for t in self._tables_of(p)]],
                        "ordered": [
                            *[
                                self.dishes[x["dish_id"]]["name"]
                                for x in sorted(
                                    self._plates_by_party_status.get((p["id"], "ordered"), {}).values(),
                                    key=_age,
                                )
                            ]
                        ],
                        "sent": [
                            *[
                                self.dishes[x["dish_id"]]["name"]
                                for x in sorted(
                                    self._plates_by_party_status.get((p["id"], "fired"), {}).values(),
                                    key=_age,
                                )
                            ]
                        ],
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_tables(
        self,
        number: Text | None = None,
        area: Literal["hall", "window", "terrace", "gallery"] | None = None,
        party_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tables, oldest first, all of them or only some.

        Args:
            number (str, optional): Only tables whose number contains this text.
            area (str, optional): Only tables with this area.
            party_id (str, optional): Only tables of this party.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}}
        """
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            table
            for table in self.tables.values()
            if (number is None or number.casefold() in table["number"].casefold())
            and (area is None or table["area"] == area)
            and (party_id is None or table["party_id"] == party_id)
        ]
        shown = [self._show_table(table) for table in _page(found, offset)]
        return _found({"total": len(found), "tables": shown}, self._names_of_tables(shown))

    def list_waiters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the waiters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only waiters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "waiters": records}}
        """
        found = [
            waiter
            for waiter in self.waiters.values()
            if (name is None or name.casefold() in waiter["name"].casefold())
        ]
        return _found(
            {"total": len(found), "waiters": [self._show_waiter(waiter) for waiter in _page(found, offset)]}
        )

    def list_bookings(
        self,
        name: Text | None = None,
        status: Literal["booked", "seated", "cancelled", "no_show"] | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bookings, oldest first, all of them or only some.

        Args:
            name (str, optional): Only bookings whose name contains this text.
            status (str, optional): Only bookings with this status.
            at_from (str, optional): Only bookings whose `at` is on this day or later.
            at_to (str, optional): Only bookings whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bookings": records}}
        """
        found = [
            booking
            for booking in self.bookings.values()
            if (name is None or name.casefold() in booking["name"].casefold())
            and (status is None or booking["status"] == status)
            and (at_from is None or booking["at"][:10] >= at_from)
            and (at_to is None or booking["at"][:10] <= at_to)
        ]
        shown = [self._show_booking(booking) for booking in _page(found, offset)]
        return _found({"total": len(found), "bookings": shown}, self._names_of_bookings(shown))

    def list_parties(
        self,
        name: Text | None = None,
        waiter_id: str | None = None,
        booking_id: str | None = None,
        status: Literal["seated", "gone"] | None = None,
        seated_at_from: Date | None = None,
        seated_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the parties, oldest first, all of them or only some.

        Args:
            name (str, optional): Only parties whose name contains this text.
            waiter_id (str, optional): Only parties of this waiter.
            booking_id (str, optional): Only parties of this booking.
            status (str, optional): Only parties with this status.
            seated_at_from (str, optional): Only parties whose `seated_at` is on this day or later.
            seated_at_to (str, optional): Only parties whose `seated_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "parties": records}}
        """
        if waiter_id is not None and waiter_id not in self.waiters:
            return _refused(f"There is no waiter {waiter_id!r}.")
        if booking_id is not None and booking_id not in self.bookings:
            return _refused(f"There is no booking {booking_id!r}.")
        found = [
            party
            for party in self.parties.values()
            if (name is None or name.casefold() in party["name"].casefold())
            and (waiter_id is None or party["waiter_id"] == waiter_id)
            and (booking_id is None or party["booking_id"] == booking_id)
            and (status is None or party["status"] == status)
            and (seated_at_from is None or party["seated_at"][:10] >= seated_at_from)
            and (seated_at_to is None or party["seated_at"][:10] <= seated_at_to)
        ]
        shown = [self._show_party(party) for party in _page(found, offset)]
        return _found({"total": len(found), "parties": shown}, self._names_of_parties(shown))

    def list_dishes(
        self,
        name: Text | None = None,
        course: Literal["starter", "main", "dessert", "drink"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the dishes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only dishes whose name contains this text.
            course (str, optional): Only dishes with this course.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dishes": records}}
        """
        found = [
            dish
            for dish in self.dishes.values()
            if (name is None or name.casefold() in dish["name"].casefold())
            and (course is None or dish["course"] == course)
        ]
        return _found({"total": len(found), "dishes": [self._show_dish(dish) for dish in _page(found, offset)]})

    def list_plates(
        self,
        party_id: str | None = None,
        dish_id: str | None = None,
        bill_id: str | None = None,
        status: Literal["ordered", "fired", "served"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plates, oldest first, all of them or only some.

        Args:
            party_id (str, optional): Only plates of this party.
            dish_id (str, optional): Only plates of this dish.
            bill_id (str, optional): Only plates of this bill.
            status (str, optional): Only plates with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plates": records}}
        """
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        if dish_id is not None and dish_id not in self.dishes:
            return _refused(f"There is no dish {dish_id!r}.")
        if bill_id is not None and bill_id not in self.bills:
            return _refused(f"There is no bill {bill_id!r}.")
        found = [
            plate
            for plate in self.plates.values()
            if (party_id is None or plate["party_id"] == party_id)
            and (dish_id is None or plate["dish_id"] == dish_id)
            and (bill_id is None or plate["bill_id"] == bill_id)
            and (status is None or plate["status"] == status)
        ]
        shown = [{**plate} for plate in _page(found, offset)]
        return _found({"total": len(found), "plates": shown}, self._names_of_plates(shown))

    def list_bills(
        self,
        party_id: str | None = None,
        paid_by: Literal["cash", "card"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the bills, oldest first, all of them or only some.

        Args:
            party_id (str, optional): Only bills of this party.
            paid_by (str, optional): Only bills whose `paid_by` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "bills": records}}
        """
        if party_id is not None and party_id not in self.parties:
            return _refused(f"There is no party {party_id!r}.")
        found = [
            bill
            for bill in self.bills.values()
            if (party_id is None or bill["party_id"] == party_id)
            and (paid_by is None or bill["paid_by"] == paid_by)
        ]
        shown = [{**bill} for bill in _page(found, offset)]
        return _found({"total": len(found), "bills": shown}, self._names_of_bills(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def take_booking(
        self,
        name: Text,
        people: Annotated[int, {"minimum": 1, "maximum": 16}],
        at: DateTime,
        table_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Book one or several tables that stand together, for two hours.

        Args:
            name (str): Name under which the tables are booked.
            people (int): Number of guests, at most the seats of the tables, from 1 to 16.
            at (str): Time of arrival within 60 days, between 11.30 and 21.30, as YYYY-MM-DDTHH:MM.
            table_ids (list): Tables that are booked, standing side by side where there are several: ids of tables,
                such as TABLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tables = []
        for key in table_ids:
            if key not in self.tables:
                return _refused(f"There is no table {key!r}.")
            tables.append(self.tables[key])
        if at <= self.now or at > _plus_minutes(self.now, 60 * 1440):
            return _refused("Bookings are taken up to 60 days ahead.")
        if at[11:] < "11:30" or at[11:] > "21:30":
            return _refused("Tables are booked from 11:30 to 21:30.")
        if not (len(tables) > 0 and _different([t["id"] for t in tables])):
            return _refused("Name at least one table, and each once.")
        if not self._in_one_piece(tables):
            return _refused("These tables do not stand beside each other.")
        if people > sum(t["seats"] for t in tables):
            return _refused(f"{people} people do not fit, there are {sum(t['seats'] for t in tables)} seats.")
        taken = next((t for t in tables if not self._open_at(t, at)), None)
        if taken is not None:
            return _refused(f"Table {taken['number']} is booked within two hours of {at}.")
        self._journal = []
        booking: Booking = {
            "id": self._new_id("booking", "BOOKING", self.bookings),
            "name": name,
            "people": people,
            "at": at,
            "table_ids": [record["id"] for record in tables],
            "status": "booked",
        }
        self._add("bookings", booking)
        if self._breaks_rule_5_a(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: book for {name}, {people} people at {at} (new: booking {booking['id']}).",
            "data": {"booking_id": booking["id"], **self._changes()},
        }

    def drop_booking(self, booking_id: str, no_show: bool = False) -> Result:
        """Cancel a booking, or note that nobody came, half an hour after the time at the earliest.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            no_show (bool): Whether the guests stayed away without cancelling. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        if booking["status"] != "booked":
            return _refused(f"The booking of {booking['name']} is {booking['status']}.")
        if no_show and _plus_minutes(booking["at"], 30) > self.now:
            return _refused(f"{booking['name']} is expected at {booking['at']} and has half an hour.")
        self._journal = []
        status = "no_show" if no_show else "cancelled"
        self._put("bookings", booking, "status", status)
        if self._breaks_rule_5_a(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: drop the booking of {booking['name']}.", "data": self._changes()}

    def seat_booking(
        self,
        booking_id: str,
        waiter_id: str,
        avoids: Annotated[list[Literal["nuts", "gluten", "milk", "fish"]], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Seat the guests of a booking at their tables, up to an hour early.

        Args:
            booking_id (str): Id of the booking, such as BOOKING-00001.
            waiter_id (str): Id of the waiter, such as WAITER-00001.
            avoids (list): Ingredients that the guests must not eat: nuts, gluten, milk or fish. If left out,
                nothing has to be avoided.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.bookings.get(booking_id)
        if booking is None:
            return _refused(f"There is no booking {booking_id!r}.")
        waiter = self.waiters.get(waiter_id)
        if waiter is None:
            return _refused(f"There is no waiter {waiter_id!r}.")
        avoids = avoids or []
        if booking["status"] != "booked":
            return _refused(f"The booking of {booking['name']} is {booking['status']}.")
        if _minutes_between(self.now, booking["at"]) > 60:
            return _refused(f"{booking['name']} is expected at {booking['at']}, which is more than an hour away.")
        full = next(
            (t for t in [self.tables[key] for key in booking["table_ids"]] if t["party_id"] is not None),
            None,
        )
        if full is not None:
            return _refused(f"Table {full['number']} is not free yet.")
        if self._waiter_guests(waiter) + booking["people"] > waiter["most_guests"]:
            return _refused(
                f"{waiter['name']} has {self._waiter_guests(waiter)} guests and takes {waiter['most_guests']}."
            )
        self._journal = []
        changed_tables: list[Any] = []
        former_party_ids: list[Any] = []
        party: Party = {
            "id": self._new_id("party", "PARTY", self.parties),
            "name": booking["name"],
            "people": booking["people"],
            "waiter_id": waiter_id,
            "avoids": [*avoids],
            "booking_id": booking_id,
            "seated_at": self.now,
            "status": "seated",
        }
        self._add("parties", party)
        for t in [self.tables[key] for key in booking["table_ids"]]:
            changed_tables.append(t)
            former_party_ids.append(t["party_id"])
            self._put("tables", t, "party_id", party["id"])
        self._put("bookings", booking, "status", "seated")
        for one_party in _distinct(
            [
                party,
                *[self.parties.get(one["party_id"]) for one in changed_tables],
                *[self.parties.get(key) for key in former_party_ids],
            ]
        ):
            if self._breaks_rule_1(one_party):
                return self._take_back(RULES[0])
        for one_table in _distinct(
            [
                *changed_tables,
                *[
                    user
                    for one in [self.parties.get(one["party_id"]) for one in changed_tables]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.parties.get(key) for key in former_party_ids]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_table):
                return self._take_back(RULES[1])
        for one_table in _distinct(changed_tables):
            if self._breaks_rule_3(one_table):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.waiters[party["waiter_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_a(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        if self._breaks_rule_11(party):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: seat {booking['name']} with {waiter['name']} (new: party {party['id']}).",
            "data": {"party_id": party["id"], **self._changes()},
        }

    def seat_walk_in(
        self,
        name: Text,
        people: Annotated[int, {"minimum": 1, "maximum": 16}],
        table_ids: Annotated[list[str], {"maxItems": 20}],
        waiter_id: str,
        avoids: Annotated[list[Literal["nuts", "gluten", "milk", "fish"]], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Seat guests without a booking at free tables that nobody is expected at within ninety minutes.

        Args:
            name (str): Name of the party, for calling it.
            people (int): Number of guests, at most the seats of the tables, from 1 to 16.
            table_ids (list): Free tables for the party, standing side by side where there are several: ids of
                tables, such as TABLE-00001.
            waiter_id (str): Id of the waiter, such as WAITER-00001.
            avoids (list): Ingredients that the guests must not eat: nuts, gluten, milk or fish. If left out,
                nothing has to be avoided.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tables = []
        for key in table_ids:
            if key not in self.tables:
                return _refused(f"There is no table {key!r}.")
            tables.append(self.tables[key])
        waiter = self.waiters.get(waiter_id)
        if waiter is None:
            return _refused(f"There is no waiter {waiter_id!r}.")
        avoids = avoids or []
        if not (len(tables) > 0 and _different([t["id"] for t in tables])):
            return _refused("Name at least one table, and each once.")
        if not self._in_one_piece(tables):
            return _refused("These tables do not stand beside each other.")
        full = next((t for t in tables if t["party_id"] is not None), None)
        if full is not None:
            return _refused(f"Table {full['number']} is not free.")
        due = next((t for t in tables if self._promised(t, None) is not None), None)
        if due is not None:
            return _refused(f"Guests with a booking are expected at table {due['number']} soon.")
        if people > sum(t["seats"] for t in tables):
            return _refused(f"{people} people do not fit, there are {sum(t['seats'] for t in tables)} seats.")
        if self._waiter_guests(waiter) + people > waiter["most_guests"]:
            return _refused(
                f"{waiter['name']} has {self._waiter_guests(waiter)} guests and takes {waiter['most_guests']}."
            )
        self._journal = []
        changed_tables: list[Any] = []
        former_party_ids: list[Any] = []
        party: Party = {
            "id": self._new_id("party", "PARTY", self.parties),
            "name": name,
            "people": people,
            "waiter_id": waiter_id,
            "avoids": [*avoids],
            "booking_id": None,
            "seated_at": self.now,
            "status": "seated",
        }
        self._add("parties", party)
        for t in list(tables):
            changed_tables.append(t)
            former_party_ids.append(t["party_id"])
            self._put("tables", t, "party_id", party["id"])
        for one_party in _distinct(
            [
                party,
                *[self.parties.get(one["party_id"]) for one in changed_tables],
                *[self.parties.get(key) for key in former_party_ids],
            ]
        ):
            if self._breaks_rule_1(one_party):
                return self._take_back(RULES[0])
        for one_table in _distinct(
            [
                *changed_tables,
                *[
                    user
                    for one in [self.parties.get(one["party_id"]) for one in changed_tables]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.parties.get(key) for key in former_party_ids]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_table):
                return self._take_back(RULES[1])
        for one_table in _distinct(changed_tables):
            if self._breaks_rule_3(one_table):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.waiters[party["waiter_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_11(party):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: seat {name}, {people} people, with {waiter['name']} (new: party {party['id']}).",
            "data": {"party_id": party["id"], **self._changes()},
        }

    def move_party(
        self,
        party_id: str,
        table_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
        people: Annotated[int, {"minimum": 1, "maximum": 16}] | None = None,
        waiter_id: str | None = None,
        avoids: Annotated[list[Literal["nuts", "gluten", "milk", "fish"]], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Give a seated party other or more tables, another number of people or another waiter, note what else it
        must avoid, or all of it.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            table_ids (list): All tables that the party has from now on: ids of tables, such as TABLE-00001. If
                left out, the party keeps its tables.
            people (int, optional): New number of guests, at most the seats of the tables, from 1 to 16. If left
                out, the number of guests stays as it is.
            waiter_id (str, optional): Waiter who takes over the party; an id such as WAITER-00001. If left out,
                the waiter stays the same.
            avoids (list): Further ingredients that the party must not eat: nuts, gluten, milk or fish. If left
                out, nothing is added.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        tables = []
        for key in table_ids or []:
            if key not in self.tables:
                return _refused(f"There is no table {key!r}.")
            tables.append(self.tables[key])
        waiter = self.waiters.get(waiter_id) if waiter_id is not None else None
        if waiter_id is not None and waiter is None:
            return _refused(f"There is no waiter {waiter_id!r}.")
        avoids = avoids or []
        if party["status"] != "seated":
            return _refused(f"{party['name']} has left.")
        if len(tables) <= 0 and people is None and waiter_id is None and len(avoids) <= 0:
            return _refused("Say what is to change.")
        if not (_different([a for a in avoids]) and not any(a in party["avoids"] for a in avoids)):
            return _refused("Name what is new to be avoided, each once.")
        risky = next(
            (
                x
                for x in sorted(self._plates_by_party.get(party_id, {}).values(), key=_age)
                if x["status"] != "served"
                and any(a in avoids for a in self.dishes[x["dish_id"]]["contains"])
            ),
            None,
        )
        if risky is not None:
            return _refused(
                f"{self.dishes[risky['dish_id']]['name']} has been ordered and contains that, so strike it first."
            )
        if not (_different([t["id"] for t in tables]) and (len(tables) == 0 or self._in_one_piece(tables))):
            return _refused("Name tables that stand beside each other, each once.")
        full = next((t for t in tables if t["party_id"] is not None and t["party_id"] != party_id), None)
        if full is not None:
            return _refused(f"Table {full['number']} is not free.")
        due = next(
            (
                t
                for t in tables
                if t["party_id"] is None
                and self._promised(t, self.bookings.get(party["booking_id"])) is not None
            ),
            None,
        )
        if due is not None:
            return _refused(f"Guests with a booking are expected at table {due['number']} soon.")
        heads = people if people is not None else party["people"]
        seats = sum(t["seats"] for t in tables) if len(tables) > 0 else self._party_seats(party)
        if heads > seats:
            return _refused(f"{heads} people do not fit, there are {seats} seats.")
        carer = waiter or self.waiters[party["waiter_id"]]
        if (
            self._waiter_guests(carer)
            - (party["people"] if carer["id"] == party["waiter_id"] else 0)
            + heads > carer["most_guests"]
        ):
            return _refused(
                f"{carer['name']} has {self._waiter_guests(carer)} guests and takes {carer['most_guests']}."
            )
        self._journal = []
        changed_tables: list[Any] = []
        former_party_ids: list[Any] = []
        if len(tables) > 0:
            for t in [
                t
                for t in sorted(self._tables_by_party.get(party_id, {}).values(), key=_age)
                if t not in tables
            ]:
                changed_tables.append(t)
                former_party_ids.append(t["party_id"])
                self._put("tables", t, "party_id", None)
            for t in list(tables):
                changed_tables.append(t)
                former_party_ids.append(t["party_id"])
                self._put("tables", t, "party_id", party_id)
        if not 1 <= heads <= 16:
            return self._take_back(f"The people of {party['name']} must be between 1 and 16.")
        self._put("parties", party, "people", heads)
        former_waiter_id = party["waiter_id"]
        self._put("parties", party, "waiter_id", carer["id"])
        self._put("parties", party, "avoids", [*(party["avoids"] + avoids)])
        for one_party in _distinct(
            [
                party,
                *[self.parties.get(one["party_id"]) for one in changed_tables],
                *[self.parties.get(key) for key in former_party_ids],
            ]
        ):
            if self._breaks_rule_1(one_party):
                return self._take_back(RULES[0])
        for one_table in _distinct(
            [
                *changed_tables,
                *[
                    user
                    for one in [self.parties.get(one["party_id"]) for one in changed_tables]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.parties.get(key) for key in former_party_ids]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_table):
                return self._take_back(RULES[1])
        for one_table in _distinct(changed_tables):
            if self._breaks_rule_3(one_table):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(self.waiters[party["waiter_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.waiters[former_waiter_id]):
            return self._take_back(RULES[3])
        for one_plate in _distinct(self._plates_by_party.get(party["id"], {}).values()):
            if self._breaks_rule_8(one_plate):
                return self._take_back(RULES[7])
        done = f"change {party['name']}"
        if people is not None:
            done += f", now {people} people"
        if waiter is not None:
            done += f" with {waiter['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def order_dishes(self, party_id: str, lines: Annotated[list[OrderDishesLine], {"maxItems": 20}]) -> Result:
        """Take an order of a party.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            lines (list): One entry for each dish that is ordered: dish_id: dish that holds nothing the party must
                avoid; an id such as DISH-00001; number: portions of the dish, at most those left, from 1 to 16.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["dish_id"] not in self.dishes:
                return _refused(f"There is no dish {entry['dish_id']!r}.")
            lines.append({"dish": self.dishes[entry["dish_id"]], "number": entry["number"]})
        if party["status"] != "seated":
            return _refused(f"{party['name']} has left.")
        if not (len(lines) > 0 and _different([l["dish"]["id"] for l in lines])):
            return _refused("Name at least one dish, and each once.")
        bad = next((l["dish"] for l in lines if any(a in party["avoids"] for a in l["dish"]["contains"])), None)
        if bad is not None:
            return _refused(f"{bad['name']} contains what the party of {party['name']} must avoid.")
        out = next((l["dish"] for l in lines if l["number"] > self._dish_left(l["dish"])), None)
        if out is not None:
            return _refused(f"The kitchen has {self._dish_left(out)} of {out['name']} left.")
        late = next(
            (
                l["dish"]
                for l in lines
                for x in sorted(self._plates_by_party.get(party_id, {}).values(), key=_age)
                if x["status"] != "ordered"
                and (0 < self._rank(l["dish"]) and self._rank(l["dish"]) < self._rank(self.dishes[x["dish_id"]]))
            ),
            None,
        )
        if late is not None:
            return _refused(f"It is too late for {late['name']}, a later course has been sent.")
        self._journal = []
        added_plates: list[Any] = []
        for l in list(lines):
            for i in list(_numbers(0, l["number"])):
                plate = {
                    "id": self._new_id("plate", "PLATE", self.plates),
                    "party_id": party_id,
                    "dish_id": l["dish"]["id"],
                    "bill_id": None,
                    "status": "ordered",
                }
                self._add("plates", plate)
                added_plates.append(plate)
        for one_plate in _distinct(added_plates):
            if self._breaks_rule_7_x(one_plate):
                return self._take_back(RULES[6])
        for one_plate in _distinct(added_plates):
            if self._breaks_rule_7_y(one_plate):
                return self._take_back(RULES[6])
        for one_plate in _distinct(added_plates):
            if self._breaks_rule_8(one_plate):
                return self._take_back(RULES[7])
        for one_dish in _distinct([self.dishes[one["dish_id"]] for one in added_plates]):
            if self._breaks_rule_9(one_dish):
                return self._take_back(RULES[8])
        for one_plate in _distinct(added_plates):
            if self._breaks_rule_10(one_plate):
                return self._take_back(RULES[9])
        for one_party in _distinct([self.parties[one["party_id"]] for one in added_plates]):
            if self._breaks_rule_11(one_party):
                return self._take_back(RULES[10])
        for one_plate in _distinct(added_plates):
            if self._breaks_rule_12_x(one_plate):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: order {len(lines)} dishes for {party['name']}.",
            "data": self._changes(),
        }

    def strike_dish(
        self,
        party_id: str,
        dish_id: str,
        number: Annotated[int, {"minimum": 1, "maximum": 16}],
    ) -> Result:
        """Strike dishes off the order of a party that have not been served, those not sent yet first.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            dish_id (str): Id of the dish, such as DISH-00001.
            number (int): Portions of the dish that are struck off, from 1 to 16.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        dish = self.dishes.get(dish_id)
        if dish is None:
            return _refused(f"There is no dish {dish_id!r}.")
        open = [
            x
            for x in sorted(self._plates_by_party_dish.get((party_id, dish_id), {}).values(), key=_age)
            if x["status"] != "served"
            and x["bill_id"] is None
        ]
        if len(open) < number:
            return _refused(f"{party['name']} has {len(open)} of {dish['name']} that are still to be served.")
        self._journal = []
        deleted_plates: list[Any] = []
        for x in sorted(
            open,
            key=lambda x: (_descending(x["status"]), _descending(x["id"]), _age(x)),
        )[: max(number, 0)]:
            if x["id"] in self.plates:
                self._remove("plates", x)
            deleted_plates.append(x)
        for one_dish in _distinct([self.dishes[one["dish_id"]] for one in deleted_plates]):
            if self._breaks_rule_9(one_dish):
                return self._take_back(RULES[8])
        for one_party in _distinct([self.parties[one["party_id"]] for one in deleted_plates]):
            if self._breaks_rule_11(one_party):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: strike {number} of {dish['name']} off the order of {party['name']}.",
            "data": self._changes(),
        }

    def fire_course(self, party_id: str, course: Literal["starter", "main", "dessert", "drink"]) -> Result:
        """Send what a party ordered of a course, once the courses ahead of it are served.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            course (str): Course that the kitchen is to send out: starter, main, dessert or drink.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if not any(
            x["status"] == "ordered"
            and self.dishes[x["dish_id"]]["course"] == course
            for x in self._plates_by_party.get(party_id, {}).values()
        ):
            return _refused(f"{party['name']} has no {course} waiting to be sent.")
        n = 2 if course == "main" else 3 if course == "dessert" else 0
        if self._on_the_way(party, n):
            return _refused(f"An earlier course of {party['name']} has not been served yet.")
        self._journal = []
        changed_plates: list[Any] = []
        for x in [
            x
            for x in sorted(self._plates_by_party_status.get((party_id, "ordered"), {}).values(), key=_age)
            if self.dishes[x["dish_id"]]["course"] == course
        ]:
            if x["status"] not in ("ordered", "fired"):
                return self._take_back(f"Plate {x['id']} cannot go from {x['status']} to fired.")
            changed_plates.append(x)
            self._put("plates", x, "status", "fired")
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_7_x(one_plate):
                return self._take_back(RULES[6])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_7_y(one_plate):
                return self._take_back(RULES[6])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_8(one_plate):
                return self._take_back(RULES[7])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_10(one_plate):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: send the {course} course of {party['name']}.",
            "data": self._changes(),
        }

    def serve_course(self, party_id: str, course: Literal["starter", "main", "dessert", "drink"]) -> Result:
        """Note that what was sent of a course stands on the table.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            course (str): Course that has been served: starter, main, dessert or drink.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if not any(
            x["status"] == "fired"
            and self.dishes[x["dish_id"]]["course"] == course
            for x in self._plates_by_party.get(party_id, {}).values()
        ):
            return _refused(f"No {course} of {party['name']} has been sent, so send it first.")
        self._journal = []
        changed_plates: list[Any] = []
        for x in [
            x
            for x in sorted(self._plates_by_party_status.get((party_id, "fired"), {}).values(), key=_age)
            if self.dishes[x["dish_id"]]["course"] == course
        ]:
            if x["status"] not in ("fired", "served"):
                return self._take_back(f"Plate {x['id']} cannot go from {x['status']} to served.")
            changed_plates.append(x)
            self._put("plates", x, "status", "served")
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_7_x(one_plate):
                return self._take_back(RULES[6])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_7_y(one_plate):
                return self._take_back(RULES[6])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_8(one_plate):
                return self._take_back(RULES[7])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_10(one_plate):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: serve the {course} course of {party['name']}.",
            "data": self._changes(),
        }

    def make_bill(
        self,
        party_id: str,
        payer: Text,
        courses: Annotated[list[Literal["starter", "main", "dessert", "drink"]], {"maxItems": 20}],
    ) -> Result:
        """Write a bill for everything served and not billed yet, or for some courses of it.

        Args:
            party_id (str): Id of the party, such as PARTY-00001.
            payer (str): Name of the person who pays the bill.
            courses (list): Courses to bill, an empty list being all of them: starter, main, dessert or drink.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        party = self.parties.get(party_id)
        if party is None:
            return _refused(f"There is no party {party_id!r}.")
        if party["status"] != "seated":
            return _refused(f"{party['name']} has left.")
        items = [
            x
            for x in sorted(self._plates_by_party_status.get((party_id, "served"), {}).values(), key=_age)
            if x["bill_id"] is None
            and (len(courses) == 0 or self.dishes[x["dish_id"]]["course"] in courses)
        ]
        if len(items) <= 0:
            return _refused("Nothing of that kind is served and not billed yet.")
        self._journal = []
        changed_plates: list[Any] = []
        amount = sum(self.dishes[x["dish_id"]]["price"] for x in items)
        if not 0 <= amount <= 300000:
            return self._take_back("The amount of a bill must be between 0.00 and 3,000.00.")
        bill: Bill = {
            "id": self._new_id("bill", "BILL", self.bills),
            "party_id": party_id,
            "payer": payer,
            "amount": amount,
            "tip": 0,
            "paid_by": None,
        }
        self._add("bills", bill)
        for x in list(items):
            changed_plates.append(x)
            self._put("plates", x, "bill_id", bill["id"])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_10(one_plate):
                return self._take_back(RULES[9])
        for one_party in _distinct(
            [self.parties[bill["party_id"]], *[self.parties[one["party_id"]] for one in changed_plates]]
        ):
            if self._breaks_rule_11(one_party):
                return self._take_back(RULES[10])
        for one_plate in _distinct(changed_plates):
            if self._breaks_rule_12_x(one_plate):
                return self._take_back(RULES[11])
        if self._breaks_rule_12_b(bill):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: write a bill of {party['name']} for {payer} (new: bill {bill['id']}).",
            "data": {"bill_id": bill["id"], **self._changes()},
        }

    def split_bill(self, bill_id: str, others: Annotated[list[Text], {"maxItems": 20}]) -> Result:
        """Share an unpaid bill equally with others; odd cents stay with the payer it was written for.

        Args:
            bill_id (str): Id of the bill, such as BILL-00001.
            others (list): Names of those who pay a share each, without the present payer.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bill = self.bills.get(bill_id)
        if bill is None:
            return _refused(f"There is no bill {bill_id!r}.")
        if bill["paid_by"] is not None:
            return _refused(f"{bill['payer']} has paid already.")
        if not (
            len(others) > 0
            and len(others) + 1 != 0
            and _different([o for o in others])
            and bill["payer"] not in others
        ):
            return _refused("Name who else pays, each once.")
        share = bill["amount"] // (len(others) + 1)
        done = f"share the bill of {bill['payer']} with {', '.join(one for one in others)}"
        self._journal = []
        added_bills: list[Any] = []
        changed_bills: list[Any] = []
        for o in list(others):
            if not 0 <= share <= 300000:
                return self._take_back("The amount of a bill must be between 0.00 and 3,000.00.")
            new_bill = {
                "id": self._new_id("bill", "BILL", self.bills),
                "party_id": bill["party_id"],
                "payer": o,
                "amount": share,
                "tip": 0,
                "paid_by": None,
            }
            self._add("bills", new_bill)
            added_bills.append(new_bill)
            amount = bill["amount"] - share
            if not 0 <= amount <= 300000:
                return self._take_back(f"The amount of {bill['id']} must be between 0.00 and 3,000.00.")
            changed_bills.append(bill)
            self._put("bills", bill, "amount", amount)
        for one_party in _distinct(
            [
                *[self.parties[one["party_id"]] for one in added_bills],
                *[self.parties[one["party_id"]] for one in changed_bills],
            ]
        ):
            if self._breaks_rule_11(one_party):
                return self._take_back(RULES[10])
        for one_bill in _distinct(added_bills):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def pay_bill(
        self,
        bill_id: str,
        paid_by: Literal["cash", "card"],
        tip: Annotated[int, {"minimum": 0, "maximum": 60000}],
    ) -> Result:
        """Take the money for a bill; when nothing of the party is open any more it leaves and its tables are free.

        Args:
            bill_id (str): Id of the bill, such as BILL-00001.
            paid_by (str): Means by which the bill is paid: cash or card.
            tip (int): Tip given on top, at most the amount of the bill, in cents, from 0 to 60000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        bill = self.bills.get(bill_id)
        if bill is None:
            return _refused(f"There is no bill {bill_id!r}.")
        if bill["paid_by"] is not None:
            return _refused(f"{bill['payer']} has paid already.")
        if tip > bill["amount"]:
            return _refused(f"A tip of {_money(tip)} on {_money(bill['amount'])} is a slip of the pen.")
        self._journal = []
        changed_parties: list[Any] = []
        changed_tables: list[Any] = []
        former_party_ids: list[Any] = []
        self._put("bills", bill, "tip", tip)
        self._put("bills", bill, "paid_by", paid_by)
        if (
            all(x["bill_id"] is not None for x in self._plates_by_party.get(bill["party_id"], {}).values())
            and all(b["paid_by"] is not None for b in self._bills_by_party.get(bill["party_id"], {}).values())
        ):
            party = self.parties[bill["party_id"]]
            changed_parties.append(party)
            self._put("parties", party, "status", "gone")
            for t in sorted(self._tables_by_party.get(bill["party_id"], {}).values(), key=_age):
                changed_tables.append(t)
                former_party_ids.append(t["party_id"])
                self._put("tables", t, "party_id", None)
        for one_party in _distinct(
            [
                *changed_parties,
                *[self.parties.get(one["party_id"]) for one in changed_tables],
                *[self.parties.get(key) for key in former_party_ids],
            ]
        ):
            if self._breaks_rule_1(one_party):
                return self._take_back(RULES[0])
        for one_table in _distinct(
            [
                *changed_tables,
                *[
                    user
                    for one in [self.parties.get(one["party_id"]) for one in changed_tables]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.parties.get(key) for key in former_party_ids]
                    if one is not None
                    for user in self._tables_by_party.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_table):
                return self._take_back(RULES[1])
        for one_table in _distinct(
            [
                *[user for one in changed_parties for user in self._tables_by_party.get(one["id"], {}).values()],
                *changed_tables,
            ]
        ):
            if self._breaks_rule_3(one_table):
                return self._take_back(RULES[2])
        for one_waiter in _distinct([self.waiters[one["waiter_id"]] for one in changed_parties]):
            if self._breaks_rule_4(one_waiter):
                return self._take_back(RULES[3])
        for one_plate in _distinct(
            [user for one in changed_parties for user in self._plates_by_party.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_12_x(one_plate):
                return self._take_back(RULES[11])
        for one_bill in _distinct(
            [bill, *[user for one in changed_parties for user in self._bills_by_party.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_12_b(one_bill):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: take {_money(bill['amount'])} from {bill['payer']} by {paid_by}.",
            "data": self._changes(),
        }

    def _show_table(self, table: Table) -> dict[str, Any]:
        """The table as an answer shows it."""
        return {**table, "beside_ids": [*table["beside_ids"]]}

    def _show_waiter(self, waiter: Waiter) -> dict[str, Any]:
        """The waiter as an answer shows it."""
        return {**waiter, "guests": self._waiter_guests(waiter)}

    def _show_booking(self, booking: Booking) -> dict[str, Any]:
        """The booking as an answer shows it."""
        return {**booking, "table_ids": [*booking["table_ids"]]}

    def _show_party(self, party: Party) -> dict[str, Any]:
        """The party as an answer shows it."""
        return {
            **party,
            "avoids": [*party["avoids"]],
            "seats": self._party_seats(party),
            "unbilled": self._party_unbilled(party),
        }

    def _show_dish(self, dish: Dish) -> dict[str, Any]:
        """The dish as an answer shows it."""
        return {**dish, "contains": [*dish["contains"]], "left": self._dish_left(dish)}

    def _names_of_tables(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tables point to."""
        return _names(
            (self.tables, "number", [each for row in shown for each in row["beside_ids"]]),
            (self.parties, "name", [row["party_id"] for row in shown]),
        )

    def _names_of_bookings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bookings point to."""
        return _names((self.tables, "number", [each for row in shown for each in row["table_ids"]]))

    def _names_of_parties(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that parties point to."""
        return _names(
            (self.waiters, "name", [row["waiter_id"] for row in shown]),
            (self.bookings, "name", [row["booking_id"] for row in shown]),
        )

    def _names_of_plates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plates point to."""
        return _names(
            (self.parties, "name", [row["party_id"] for row in shown]),
            (self.dishes, "name", [row["dish_id"] for row in shown]),
        )

    def _names_of_bills(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that bills point to."""
        return _names((self.parties, "name", [row["party_id"] for row in shown]))

    def _waiter_guests(self, waiter: Waiter) -> int:
        """The guests of a waiter."""
        return sum(p["people"] for p in self._parties_by_waiter_status.get((waiter["id"], "seated"), {}).values())

    def _party_seats(self, party: Party) -> int:
        """The seats of a party."""
        return sum(t["seats"] for t in self._tables_by_party.get(party["id"], {}).values())

    def _party_unbilled(self, party: Party) -> int:
        """The unbilled of a party."""
        return sum(
            self.dishes[x["dish_id"]]["price"]
            for x in self._plates_by_party.get(party["id"], {}).values()
            if x["bill_id"] is None
        )

    def _dish_left(self, dish: Dish) -> int:
        """The left of a dish."""
        return dish["portions"] - len(self._plates_by_dish.get(dish["id"], {}))

    def _rank(self, d: Dish) -> int:
        return 1 if d["course"] == "starter" else 2 if d["course"] == "main" else 3 if d["course"] == "dessert" else 0

    def _adjoin(self, a: Table, b: Table) -> bool:
        return a["id"] in b["beside_ids"] or b["id"] in a["beside_ids"]

    def _in_one_piece(self, ts: list[Table]) -> bool:
        return len(ts) == 1 or all(any(self._adjoin(t, u) for u in ts) for t in ts)

    def _tables_of(self, p: Party) -> list[Table]:
        return sorted(self._tables_by_party.get(p["id"], {}).values(), key=_age)

    def _open_at(self, t: Table, at: str) -> bool:
        return not any(
            abs(_minutes_between(at, b["at"])) < 120
            for b in self._bookings_by_tables.get(t["id"], {}).values()
            if b["status"] == "booked"
        )

    def _promised(self, t: Table, mine: Booking | None) -> Booking | None:
        return next(
            (
                b
                for b in sorted(self._bookings_by_tables.get(t["id"], {}).values(), key=_age)
                if b["status"] == "booked"
                and b is not mine
                and (-30 < _minutes_between(self.now, b["at"]) and _minutes_between(self.now, b["at"]) < 90)
            ),
            None,
        )

    def _on_the_way(self, p: Party, r: int) -> bool:
        return any(
            x["status"] != "served"
            and (0 < self._rank(self.dishes[x["dish_id"]]) and self._rank(self.dishes[x["dish_id"]]) < r)
            for x in self._plates_by_party.get(p["id"], {}).values()
        )

    def _breaks_rule_1(self, p: Party) -> bool:
        """Whether this is broken: a party never has more people than seats."""
        return p["status"] == "seated" and p["people"] > self._party_seats(p)

    def _breaks_rule_2(self, t: Table) -> bool:
        """Whether this is broken: tables that are pushed together stand beside each other."""
        return (
            t["party_id"] is not None
            and not (
                len(self._tables_by_party.get(t["party_id"], {})) == 1
                or any(
                    self._adjoin(t, u)
                    for u in self._tables_by_party.get(t["party_id"], {}).values()
                    if u is not t
                )
            )
        )

    def _breaks_rule_3(self, t: Table) -> bool:
        """Whether this is broken: a party that has gone keeps no table."""
        return t["party_id"] is not None and self.parties[t["party_id"]]["status"] != "seated"

    def _breaks_rule_4(self, w: Waiter) -> bool:
        """Whether this is broken: a waiter never looks after more guests than agreed."""
        return self._waiter_guests(w) > w["most_guests"]

    def _breaks_rule_5_a(self, a: Booking) -> bool:
        """Whether this is broken: two bookings for one table lie at least two hours apart."""
        return (
            a["status"] == "booked"
            and any(
                abs(_minutes_between(b["at"], a["at"])) < 120
                for t in [self.tables[key] for key in a["table_ids"]]
                for b in self._bookings_by_tables.get(t["id"], {}).values()
                if b["status"] == "booked"
                and a is not b
            )
        )

    def _breaks_rule_5_b(self, b: Booking) -> bool:
        """Whether this is broken: two bookings for one table lie at least two hours apart."""
        return (
            b["status"] == "booked"
            and any(
                abs(_minutes_between(b["at"], a["at"])) < 120
                for a in self._bookings_by_status.get("booked", {}).values()
                if a is not b
                for t in [self.tables[key] for key in a["table_ids"]]
                if t["id"] in b["table_ids"]
            )
        )

    def _breaks_rule_6(self, b: Booking) -> bool:
        """Whether this is broken: a booking has tables that stand together, with enough seats."""
        return (
            b["status"] == "booked"
            and not (
                len(b["table_ids"]) > 0
                and self._in_one_piece([self.tables[key] for key in b["table_ids"]])
                and b["people"] <= sum(t["seats"] for t in [self.tables[key] for key in b["table_ids"]])
            )
        )

    def _breaks_rule_7_x(self, x: Plate) -> bool:
        """Whether this is broken: no course is sent before the courses ahead of it are served."""
        return any(
            x["status"] != "ordered"
            and y["status"] != "served"
            and self._rank(self.dishes[y["dish_id"]]) != 0
            and self._rank(self.dishes[y["dish_id"]]) < self._rank(self.dishes[x["dish_id"]])
            for y in self._plates_by_party.get(x["party_id"], {}).values()
        )

    def _breaks_rule_7_y(self, y: Plate) -> bool:
        """Whether this is broken: no course is sent before the courses ahead of it are served."""
        return any(
            x["status"] != "ordered"
            and y["status"] != "served"
            and self._rank(self.dishes[y["dish_id"]]) != 0
            and self._rank(self.dishes[y["dish_id"]]) < self._rank(self.dishes[x["dish_id"]])
            for x in self._plates_by_party.get(y["party_id"], {}).values()
        )

    def _breaks_rule_8(self, x: Plate) -> bool:
        """Whether this is broken: nothing that a party must avoid is on its way to it."""
        return (
            x["status"] != "served"
            and any(a in self.parties[x["party_id"]]["avoids"] for a in self.dishes[x["dish_id"]]["contains"])
        )

    def _breaks_rule_9(self, d: Dish) -> bool:
        """Whether this is broken: no more of a dish is ordered than the kitchen has."""
        return self._dish_left(d) < 0

    def _breaks_rule_10(self, x: Plate) -> bool:
        """Whether this is broken: only what was served stands on a bill, and on a bill of that party."""
        return (
            x["bill_id"] is not None
            and (x["status"] != "served" or self.bills[x["bill_id"]]["party_id"] != x["party_id"])
        )

    def _breaks_rule_11(self, p: Party) -> bool:
        """Whether this is broken: the bills of a party add up to what stands on them."""
        return sum(b["amount"] for b in self._bills_by_party.get(p["id"], {}).values()) != sum(
            self.dishes[x["dish_id"]]["price"]
            for x in self._plates_by_party.get(p["id"], {}).values()
            if x["bill_id"] is not None
        )

    def _breaks_rule_12_x(self, x: Plate) -> bool:
        """Whether this is broken: nobody leaves before everything is billed and paid."""
        return self.parties[x["party_id"]]["status"] == "gone" and x["bill_id"] is None

    def _breaks_rule_12_b(self, b: Bill) -> bool:
        """Whether this is broken: nobody leaves before everything is billed and paid."""
        return self.parties[b["party_id"]]["status"] == "gone" and b["paid_by"] is None

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
            case "tables":
                for key in record["beside_ids"]:
                    self._tables_by_beside.setdefault(key, {})[record["id"]] = record
                self._tables_by_party.setdefault(record["party_id"], {})[record["id"]] = record
            case "bookings":
                self._bookings_by_status.setdefault(record["status"], {})[record["id"]] = record
                for key in record["table_ids"]:
                    self._bookings_by_tables.setdefault(key, {})[record["id"]] = record
            case "parties":
                self._parties_by_waiter_status.setdefault(
                    (record["waiter_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "plates":
                self._plates_by_dish.setdefault(record["dish_id"], {})[record["id"]] = record
                self._plates_by_party.setdefault(record["party_id"], {})[record["id"]] = record
                self._plates_by_party_dish.setdefault((record["party_id"], record["dish_id"]), {})[record["id"]] = record
                self._plates_by_party_status.setdefault((record["party_id"], record["status"]), {})[record["id"]] = record
            case "bills":
                self._bills_by_party.setdefault(record["party_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tables":
                for key in record["beside_ids"]:
                    self._tables_by_beside[key].pop(record["id"], None)
                del self._tables_by_party[record["party_id"]][record["id"]]
            case "bookings":
                del self._bookings_by_status[record["status"]][record["id"]]
                for key in record["table_ids"]:
                    self._bookings_by_tables[key].pop(record["id"], None)
            case "parties":
                del self._parties_by_waiter_status[record["waiter_id"], record["status"]][record["id"]]
            case "plates":
                del self._plates_by_dish[record["dish_id"]][record["id"]]
                del self._plates_by_party[record["party_id"]][record["id"]]
                del self._plates_by_party_dish[record["party_id"], record["dish_id"]][record["id"]]
                del self._plates_by_party_status[record["party_id"], record["status"]][record["id"]]
            case "bills":
                del self._bills_by_party[record["party_id"]][record["id"]]
