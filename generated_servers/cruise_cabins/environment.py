"""Cruise cabins. Compiled from blueprint.yaml; run `envscaler build cruise_cabins` after changing it there.

Berths the guests of a cruise ship by cabin category, seats their cabins at the early or late sitting, keeps
muster stations within capacity and sells shore excursions that need a minimum of guests.
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
    "A cabin never holds more guests than it has berths.",
    "A child has a grown-up in the same or the connecting cabin.",
    "A guest in a wheelchair lives in an accessible cabin.",
    "No muster station is meant for more people than it can take.",
    "A table never seats more guests than it has chairs.",
    "The guests of a cabin dine at the same sitting.",
    "Only guests who have a cabin are seated.",
    "No excursion takes more guests than its maximum.",
    "A confirmed excursion keeps its minimum of guests.",
    "Nobody holds tickets for excursions at the same time.",
    "Tickets are held for excursions still to come, and nobody in a wheelchair holds one for an active excursion.",
    "No child is ashore on an excursion without a grown-up.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "berth_party",
    "move_party",
    "swap_cabins",
    "seat_cabin",
    "change_station",
    "hold_drill",
    "book_excursion",
    "return_ticket",
    "confirm_excursion",
    "call_off_excursion",
    "close_excursion",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "categories": ("name",),
    "stations": ("code",),
    "cabins": ("number",),
    "tables": ("code",),
    "guests": ("name",),
    "excursions": ("name",),
    "tickets": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("cabins", "connects_id"),
    ("cabins", "station_id"),
    ("guests", "cabin_id"),
    ("guests", "drill"),
    ("guests", "table_id"),
    ("tickets", "excursion_id"),
    ("tickets", "guest_id"),
    ("tickets", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Category(TypedDict):
    id: str
    name: str
    rank: int
    fare: int


class Station(TypedDict):
    id: str
    code: str
    capacity: int


class Cabin(TypedDict):
    id: str
    number: str
    category_id: str
    berths: int
    accessible: bool
    connects_id: str | None
    station_id: str


class Table(TypedDict):
    id: str
    code: str
    sitting: Literal["early", "late"]
    seats: int


class Guest(TypedDict):
    id: str
    name: str
    child: bool
    wheelchair: bool
    cabin_id: str | None
    table_id: str | None
    account: int
    drill: Literal["due", "done"]


class Excursion(TypedDict):
    id: str
    name: str
    port: str
    leaves: str
    returns: str
    price: int
    minimum: int
    maximum: int
    active: bool
    status: Literal["open", "confirmed", "called_off", "over"]


class Ticket(TypedDict):
    id: str
    guest_id: str
    excursion_id: str
    price: int
    status: Literal["held", "returned", "refunded", "used", "missed"]


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class CruiseCabins:
    """Berths the guests of a cruise ship by cabin category, seats their cabins at the early or late
    sitting, keeps muster stations within capacity and sells shore excursions that need a minimum of
    guests.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.categories: dict[str, Category] = _copied(config.get("categories", {}))
        self.stations: dict[str, Station] = _copied(config.get("stations", {}))
        self.cabins: dict[str, Cabin] = _copied(config.get("cabins", {}))
        self.tables: dict[str, Table] = _copied(config.get("tables", {}))
        self.guests: dict[str, Guest] = _copied(config.get("guests", {}))
        self.excursions: dict[str, Excursion] = _copied(config.get("excursions", {}))
        self.tickets: dict[str, Ticket] = _copied(config.get("tickets", {}))
        self.now: str = config.get("now", "2026-07-14T08:20")
        self.counters: dict[str, int] = {
            "category": len(self.categories),
            "station": len(self.stations),
            "cabin": len(self.cabins),
            "table": len(self.tables),
            "guest": len(self.guests),
            "excursion": len(self.excursions),
            "ticket": len(self.tickets),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._cabins_by_connects: dict[Any, dict[str, Cabin]] = {}
        self._cabins_by_station: dict[Any, dict[str, Cabin]] = {}
        self._guests_by_cabin: dict[Any, dict[str, Guest]] = {}
        self._guests_by_cabin_drill: dict[Any, dict[str, Guest]] = {}
        self._guests_by_table: dict[Any, dict[str, Guest]] = {}
        self._tickets_by_excursion: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_excursion_status: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_guest_excursion_status: dict[Any, dict[str, Ticket]] = {}
        self._tickets_by_guest_status: dict[Any, dict[str, Ticket]] = {}
        for cabin in self.cabins.values():
            self._link("cabins", cabin)
        for guest in self.guests.values():
            self._link("guests", guest)
        for ticket in self.tickets.values():
            self._link("tickets", ticket)

    def cabins_to_move_to(
        self,
        cabin_id: str,
        category_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Empty cabins that suit the party of a cabin and whose muster station can take it, cheapest category first.

        Args:
            cabin_id (str): Id of the cabin, such as CABIN-00001.
            category_id (str, optional): Category of the cabins listed; an id such as CATEGORY-00001. If left out,
                cabins of all categories are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cabins": records}} or {"success": False, "error": why
                not}
        """
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        category = self.categories.get(category_id) if category_id is not None else None
        if category_id is not None and category is None:
            return _refused(f"There is no category {category_id!r}.")
        if self._cabin_party(cabin) <= 0:
            return _refused(f"Nobody lives in cabin {cabin['number']}.")
        found = [
            c
            for c in self.cabins.values()
            if self._fits(c, cabin)
            and (category_id is None or c["category_id"] == category_id)
        ]
        found.sort(key=lambda c: (self.categories[c["category_id"]]["rank"], c["number"], _age(c)))
        return _found(
            {
                "total": len(found),
                "cabins": [
                    {
                        "id": c["id"],
                        "number": c["number"],
                        "category": self.categories[c["category_id"]]["name"],
                        "berths": c["berths"],
                        "accessible": c["accessible"],
                        "station": self.stations[c["station_id"]]["code"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def drill_list(
        self,
        station_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Guests who still owe a drill, by muster station.

        Args:
            station_id (str, optional): Muster station of the guests listed; an id such as STATION-00001. If left
                out, the guests of all stations are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guests": records}} or {"success": False, "error": why
                not}
        """
        station = self.stations.get(station_id) if station_id is not None else None
        if station_id is not None and station is None:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            g
            for g in self.guests.values()
            if (g["cabin_id"] is not None and g["drill"] == "due")
            and (station_id is None or self.cabins[g["cabin_id"]]["station_id"] == station_id)
        ]
        found.sort(key=lambda g: (g["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "guests": [
                    {"id": g["id"], "name": g["name"], "child": g["child"], "wheelchair": g["wheelchair"]}
                    for g in _page(found, offset)
                ],
            }
        )

    def tables_with_room(
        self,
        sitting: Literal["early", "late"],
        guests: Annotated[int, {"minimum": 1, "maximum": 6}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tables of a sitting that can take a party, the tightest fit first.

        Args:
            sitting (str): Sitting at which the party eats: early or late.
            guests (int): Number of free seats that the party needs, from 1 to 6.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}} or {"success": False, "error": why
                not}
        """
        found = [t for t in self.tables.values() if (t["sitting"] == sitting and self._table_free(t) >= guests)]
        found.sort(key=lambda t: (self._table_free(t), t["code"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tables": [
                    {"id": t["id"], "code": t["code"], "free": self._table_free(t)}
                    for t in _page(found, offset)
                ],
            }
        )

    def excursion_numbers(
        self,
        until: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Excursions still to leave, with what they lack to their minimum and the places left.

        Args:
            until (str, optional): Last day on which the excursions listed leave, as YYYY-MM-DD. If left out, all
                excursions ahead are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "excursions": records}} or {"success": False, "error":
                why not}
        """
        found = [
            x
            for x in self.excursions.values()
            if (x["status"] in ("open", "confirmed") and x["leaves"] > self.now)
            and (until is None or x["leaves"][:10] <= until)
        ]
        found.sort(key=lambda x: (x["leaves"], x["name"], _age(x)))
        return _found(
            {
                "total": len(found),
                "excursions": [
                    {
                        "id": x["id"],
                        "name": x["name"],
                        "port": x["port"],
                        "leaves": x["leaves"],
                        "status": x["status"],
                        "sold": self._excursion_sold(x),
                        "lacking": max(x["minimum"] - self._excursion_sold(x), 0),
                        "room": self._excursion_room(x),
                    }
                    for x in _page(found, offset)
                ],
            }
        )

    def list_categories(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the categories, oldest first, all of them or only some.

        Args:
            name (str, optional): Only categories whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "categories": records}}
        """
        found = [
            category
            for category in self.categories.values()
            if (name is None or name.casefold() in category["name"].casefold())
        ]
        return _found({"total": len(found), "categories": [{**category} for category in _page(found, offset)]})

    def list_stations(
        self,
        code: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the stations, oldest first, all of them or only some.

        Args:
            code (str, optional): Only stations whose code contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "stations": records}}
        """
        found = [
            station
            for station in self.stations.values()
            if (code is None or code.casefold() in station["code"].casefold())
        ]
        return _found(
            {"total": len(found), "stations": [self._show_station(station) for station in _page(found, offset)]}
        )

    def list_cabins(
        self,
        number: Text | None = None,
        category_id: str | None = None,
        accessible: bool | None = None,
        connects_id: str | None = None,
        station_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the cabins, oldest first, all of them or only some.

        Args:
            number (str, optional): Only cabins whose number contains this text.
            category_id (str, optional): Only cabins of this category.
            accessible (bool, optional): Only cabins that are accessible (true) or not (false).
            connects_id (str, optional): Only cabins whose connects is this cabin.
            station_id (str, optional): Only cabins of this station.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "cabins": records}}
        """
        if category_id is not None and category_id not in self.categories:
            return _refused(f"There is no category {category_id!r}.")
        if connects_id is not None and connects_id not in self.cabins:
            return _refused(f"There is no cabin {connects_id!r}.")
        if station_id is not None and station_id not in self.stations:
            return _refused(f"There is no station {station_id!r}.")
        found = [
            cabin
            for cabin in self.cabins.values()
            if (number is None or number.casefold() in cabin["number"].casefold())
            and (category_id is None or cabin["category_id"] == category_id)
            and (accessible is None or cabin["accessible"] == accessible)
            and (connects_id is None or cabin["connects_id"] == connects_id)
            and (station_id is None or cabin["station_id"] == station_id)
        ]
        shown = [self._show_cabin(cabin) for cabin in _page(found, offset)]
        return _found({"total": len(found), "cabins": shown}, self._names_of_cabins(shown))

    def list_tables(
        self,
        code: Text | None = None,
        sitting: Literal["early", "late"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tables, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tables whose code contains this text.
            sitting (str, optional): Only tables with this sitting.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}}
        """
        found = [
            table
            for table in self.tables.values()
            if (code is None or code.casefold() in table["code"].casefold())
            and (sitting is None or table["sitting"] == sitting)
        ]
        return _found({"total": len(found), "tables": [self._show_table(table) for table in _page(found, offset)]})

    def list_guests(
        self,
        name: Text | None = None,
        child: bool | None = None,
        wheelchair: bool | None = None,
        cabin_id: str | None = None,
        table_id: str | None = None,
        drill: Literal["due", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guests, oldest first, all of them or only some.

        Args:
            name (str, optional): Only guests whose name contains this text.
            child (bool, optional): Only guests with this value of `child`.
            wheelchair (bool, optional): Only guests with this value of `wheelchair`.
            cabin_id (str, optional): Only guests of this cabin.
            table_id (str, optional): Only guests of this table.
            drill (str, optional): Only guests with this drill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guests": records}}
        """
        if cabin_id is not None and cabin_id not in self.cabins:
            return _refused(f"There is no cabin {cabin_id!r}.")
        if table_id is not None and table_id not in self.tables:
            return _refused(f"There is no table {table_id!r}.")
        found = [
            guest
            for guest in self.guests.values()
            if (name is None or name.casefold() in guest["name"].casefold())
            and (child is None or guest["child"] == child)
            and (wheelchair is None or guest["wheelchair"] == wheelchair)
            and (cabin_id is None or guest["cabin_id"] == cabin_id)
            and (table_id is None or guest["table_id"] == table_id)
            and (drill is None or guest["drill"] == drill)
        ]
        shown = [{**guest} for guest in _page(found, offset)]
        return _found({"total": len(found), "guests": shown}, self._names_of_guests(shown))

    def list_excursions(
        self,
        name: Text | None = None,
        active: bool | None = None,
        status: Literal["open", "confirmed", "called_off", "over"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the excursions, oldest first, all of them or only some.

        Args:
            name (str, optional): Only excursions whose name contains this text.
            active (bool, optional): Only excursions that are active (true) or not (false).
            status (str, optional): Only excursions with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "excursions": records}}
        """
        found = [
            excursion
            for excursion in self.excursions.values()
            if (name is None or name.casefold() in excursion["name"].casefold())
            and (active is None or excursion["active"] == active)
            and (status is None or excursion["status"] == status)
        ]
        return _found(
            {
                "total": len(found),
                "excursions": [self._show_excursion(excursion) for excursion in _page(found, offset)],
            }
        )

    def list_tickets(
        self,
        guest_id: str | None = None,
        excursion_id: str | None = None,
        status: Literal["held", "returned", "refunded", "used", "missed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tickets, oldest first, all of them or only some.

        Args:
            guest_id (str, optional): Only tickets of this guest.
            excursion_id (str, optional): Only tickets of this excursion.
            status (str, optional): Only tickets with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tickets": records}}
        """
        if guest_id is not None and guest_id not in self.guests:
            return _refused(f"There is no guest {guest_id!r}.")
        if excursion_id is not None and excursion_id not in self.excursions:
            return _refused(f"There is no excursion {excursion_id!r}.")
        found = [
            ticket
            for ticket in self.tickets.values()
            if (guest_id is None or ticket["guest_id"] == guest_id)
            and (excursion_id is None or ticket["excursion_id"] == excursion_id)
            and (status is None or ticket["status"] == status)
        ]
        shown = [{**ticket} for ticket in _page(found, offset)]
        return _found({"total": len(found), "tickets": shown}, self._names_of_tickets(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def berth_party(self, guest_ids: Annotated[list[str], {"maxItems": 20}], cabin_id: str) -> Result:
        """Give guests who have no cabin yet an empty one together and charge its fare; one guest alone pays half the
        fare more.

        Args:
            guest_ids (list): Guests without a cabin who live there together, at least one: ids of guests, such as
                GUEST-00001.
            cabin_id (str): Id of the cabin, such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guests = []
        for key in guest_ids:
            if key not in self.guests:
                return _refused(f"There is no guest {key!r}.")
            guests.append(self.guests[key])
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        if not (len(guests) > 0 and _different([g["id"] for g in guests])):
            return _refused("Name at least one guest, and each once.")
        berthed = next((g for g in guests if g["cabin_id"] is not None), None)
        if berthed is not None:
            return _refused(f"{berthed['name']} has a cabin already, so move the party instead.")
        if self._cabin_party(cabin) != 0:
            return _refused(f"Cabin {cabin['number']} is taken.")
        if len(guests) > cabin["berths"]:
            return _refused(f"Cabin {cabin['number']} has {cabin['berths']} berths, not {len(guests)}.")
        if not all(not g["wheelchair"] or cabin["accessible"] for g in guests):
            return _refused(f"Cabin {cabin['number']} is not accessible in a wheelchair.")
        if not (
            any(not g["child"] for g in guests)
            or self._grown_up_near(cabin)
            or all(not g["child"] for g in guests)
        ):
            return _refused(f"A child cannot live in cabin {cabin['number']} without a grown-up next to it.")
        if (
            self._station_load(self.stations[cabin["station_id"]])
            + len(guests) > self.stations[cabin["station_id"]]["capacity"]
        ):
            return _refused(
                f"Muster station {self.stations[cabin['station_id']]['code']} has room for "
                f"{self.stations[cabin['station_id']]['capacity'] - self._station_load(self.stations[cabin['station_id']])} more, so give cabin {cabin['number']} another station first."
            )
        self._journal = []
        changed_guests: list[Any] = []
        former_cabin_ids: list[Any] = []
        for g in list(guests):
            changed_guests.append(g)
            former_cabin_ids.append(g["cabin_id"])
            self._put("guests", g, "cabin_id", cabin_id)
            self._put("guests", g, "account", g["account"] + self.categories[cabin["category_id"]]["fare"])
            if len(guests) == 1:
                self._put("guests", g, "account", g["account"] + self.categories[cabin["category_id"]]["fare"] // 2)
        for one_cabin in _distinct(
            [
                *[self.cabins.get(one["cabin_id"]) for one in changed_guests],
                *[self.cabins.get(key) for key in former_cabin_ids],
            ]
        ):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_guest in _distinct(
            [
                *changed_guests,
                *[
                    user
                    for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                    if one is not None
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.cabins.get(key) for key in former_cabin_ids]
                    if one is not None
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                        if one is not None
                        for user in self._cabins_by_connects.get(one["id"], {}).values()
                    ]
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.cabins.get(key) for key in former_cabin_ids]
                        if one is not None
                        for user in self._cabins_by_connects.get(one["id"], {}).values()
                    ]
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_guest):
                return self._take_back(RULES[1])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        for one_station in _distinct(
            [
                *[
                    self.stations[one["station_id"]]
                    for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                    if one is not None
                ],
                *[
                    self.stations[one["station_id"]]
                    for one in [self.cabins.get(key) for key in former_cabin_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_4(one_station):
                return self._take_back(RULES[3])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_a(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_b(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_7(one_guest):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: berth {', '.join(str(one['name']) for one in guests)} in cabin {cabin['number']}.",
            "data": self._changes(),
        }

    def move_party(self, from_cabin_id: str, to_id: str, reason: Literal["upgrade", "fault", "medical"]) -> Result:
        """Move everybody in a cabin to an empty one; an upgrade is charged to each, a lower category after a fault is
        credited, and a new muster station means a new drill.

        Args:
            from_cabin_id (str): Cabin that the party lives in now; an id such as CABIN-00001.
            to_id (str): Empty cabin with enough berths that the party moves to; an id such as CABIN-00001.
            reason (str): Why they move (upgrade is charged, fault credits a lower category, medical is free of
                both): upgrade, fault or medical.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        from_cabin = self.cabins.get(from_cabin_id)
        if from_cabin is None:
            return _refused(f"There is no cabin {from_cabin_id!r}.")
        to = self.cabins.get(to_id)
        if to is None:
            return _refused(f"There is no cabin {to_id!r}.")
        movers = self._people(from_cabin)
        if len(movers) <= 0:
            return _refused(f"Nobody lives in cabin {from_cabin['number']}.")
        if self._cabin_party(to) != 0:
            return _refused(f"Cabin {to['number']} is taken, so swap the two cabins or choose another.")
        if len(movers) > to["berths"]:
            return _refused(f"Cabin {to['number']} has {to['berths']} berths, not {len(movers)}.")
        if not all(not g["wheelchair"] or to["accessible"] for g in movers):
            return _refused(f"Cabin {to['number']} is not accessible in a wheelchair.")
        if (
            reason == "upgrade"
            and self.categories[to["category_id"]]["rank"] <= self.categories[from_cabin["category_id"]]["rank"]
        ):
            return _refused(
                f"Cabin {to['number']} is {self.categories[to['category_id']]['name']}, which is no upgrade from "
                f"{self.categories[from_cabin['category_id']]['name']}."
            )
        if (
            reason != "upgrade"
            and self.categories[to["category_id"]]["rank"] > self.categories[from_cabin["category_id"]]["rank"] + 1
        ):
            return _refused("Without payment the category may rise by one step only.")
        if (
            from_cabin["station_id"] != to["station_id"]
            and self._station_load(
                self.stations[to["station_id"]]
            ) + len(movers) > self.stations[to["station_id"]]["capacity"]
        ):
            return _refused(
                f"Muster station {self.stations[to['station_id']]['code']} has room for "
                f"{self.stations[to['station_id']]['capacity'] - self._station_load(self.stations[to['station_id']])} more, so give cabin {to['number']} another station first."
            )
        if not (any(not g["child"] for g in movers) or self._grown_up_near(to)):
            return _refused(f"The children cannot live in cabin {to['number']} without a grown-up next to it.")
        if any(
            not any(not a["child"] for a in self._guests_by_cabin.get(o["cabin_id"], {}).values())
            for _cabin in self._cabins_by_connects.get(from_cabin_id, {}).values()
            for o in self._guests_by_cabin.get(_cabin["id"], {}).values()
            if o["child"]
            and o["cabin_id"] is not None
        ):
            return _refused("Children in the connecting cabin would be left alone.")
        self._journal = []
        changed_guests: list[Any] = []
        former_cabin_ids: list[Any] = []
        for g in list(movers):
            changed_guests.append(g)
            former_cabin_ids.append(g["cabin_id"])
            self._put("guests", g, "cabin_id", to_id)
            if (
                reason == "upgrade"
                or reason == "fault" and self.categories[to["category_id"]]["rank"] < self.categories[
                    from_cabin["category_id"]
                ]["rank"]
            ):
                self._put(
                    "guests",
                    g,
                    "account",
                    g["account"] + self.categories[to["category_id"]]["fare"] - self.categories[
                        from_cabin["category_id"]
                    ]["fare"],
                )
            if to["station_id"] != from_cabin["station_id"] and g["drill"] == "done":
                self._put("guests", g, "drill", "due")
        for one_cabin in _distinct(
            [
                *[self.cabins.get(one["cabin_id"]) for one in changed_guests],
                *[self.cabins.get(key) for key in former_cabin_ids],
            ]
        ):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_guest in _distinct(
            [
                *changed_guests,
                *[
                    user
                    for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                    if one is not None
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.cabins.get(key) for key in former_cabin_ids]
                    if one is not None
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                        if one is not None
                        for user in self._cabins_by_connects.get(one["id"], {}).values()
                    ]
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.cabins.get(key) for key in former_cabin_ids]
                        if one is not None
                        for user in self._cabins_by_connects.get(one["id"], {}).values()
                    ]
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_guest):
                return self._take_back(RULES[1])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        for one_station in _distinct(
            [
                *[
                    self.stations[one["station_id"]]
                    for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                    if one is not None
                ],
                *[
                    self.stations[one["station_id"]]
                    for one in [self.cabins.get(key) for key in former_cabin_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_4(one_station):
                return self._take_back(RULES[3])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_a(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_b(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_7(one_guest):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: move the party of cabin {from_cabin['number']} to cabin {to['number']} for {reason}.",
            "data": self._changes(),
        }

    def swap_cabins(self, one_id: str, other_id: str) -> Result:
        """Let the parties of two cabins of one category change places.

        Args:
            one_id (str): First of two taken cabins of one category; an id such as CABIN-00001.
            other_id (str): Second of two taken cabins of one category; an id such as CABIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        one = self.cabins.get(one_id)
        if one is None:
            return _refused(f"There is no cabin {one_id!r}.")
        other = self.cabins.get(other_id)
        if other is None:
            return _refused(f"There is no cabin {other_id!r}.")
        if one is other or self._cabin_party(one) <= 0 or self._cabin_party(other) <= 0:
            return _refused("Two different cabins that are both taken can be swapped.")
        if one["category_id"] != other["category_id"]:
            return _refused(
                f"Cabin {one['number']} is {self.categories[one['category_id']]['name']} and cabin "
                f"{other['number']} is {self.categories[other['category_id']]['name']}."
            )
        if self._cabin_party(one) > other["berths"] or self._cabin_party(other) > one["berths"]:
            return _refused("The berths do not suffice for a swap.")
        if not (
            all(not g["wheelchair"] or other["accessible"] for g in self._people(one))
            and all(not g["wheelchair"] or one["accessible"] for g in self._people(other))
        ):
            return _refused("A guest in a wheelchair needs an accessible cabin.")
        if not (
            one["connects_id"] is None
            and other["connects_id"] is None
            and not _distinct(
                [
                    *self._cabins_by_connects.get(one_id, {}).values(),
                    *self._cabins_by_connects.get(other_id, {}).values(),
                ]
            )
        ):
            return _refused("Cabins with a connecting door are not swapped.")
        if not (
            one["station_id"] == other["station_id"]
            or self._station_load(
                self.stations[one["station_id"]]
            ) - self._cabin_party(one) + self._cabin_party(other) <= self.stations[one["station_id"]]["capacity"]
            and self._station_load(
                self.stations[other["station_id"]]
            ) - self._cabin_party(other) + self._cabin_party(one) <= self.stations[other["station_id"]]["capacity"]
        ):
            return _refused("A muster station would have too many people.")
        self._journal = []
        changed_guests: list[Any] = []
        former_cabin_ids: list[Any] = []
        first_party = self._people(one)
        second_party = self._people(other)
        for g in list(first_party):
            changed_guests.append(g)
            former_cabin_ids.append(g["cabin_id"])
            self._put("guests", g, "cabin_id", other_id)
            if one["station_id"] != other["station_id"] and g["drill"] == "done":
                self._put("guests", g, "drill", "due")
        for g in list(second_party):
            changed_guests.append(g)
            former_cabin_ids.append(g["cabin_id"])
            self._put("guests", g, "cabin_id", one_id)
            if one["station_id"] != other["station_id"] and g["drill"] == "done":
                self._put("guests", g, "drill", "due")
        for one_cabin in _distinct(
            [
                *[self.cabins.get(one["cabin_id"]) for one in changed_guests],
                *[self.cabins.get(key) for key in former_cabin_ids],
            ]
        ):
            if self._breaks_rule_1(one_cabin):
                return self._take_back(RULES[0])
        for one_guest in _distinct(
            [
                *changed_guests,
                *[
                    user
                    for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                    if one is not None
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.cabins.get(key) for key in former_cabin_ids]
                    if one is not None
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                        if one is not None
                        for user in self._cabins_by_connects.get(one["id"], {}).values()
                    ]
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.cabins.get(key) for key in former_cabin_ids]
                        if one is not None
                        for user in self._cabins_by_connects.get(one["id"], {}).values()
                    ]
                    for user in self._guests_by_cabin.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_guest):
                return self._take_back(RULES[1])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_3(one_guest):
                return self._take_back(RULES[2])
        for one_station in _distinct(
            [
                *[
                    self.stations[one["station_id"]]
                    for one in [self.cabins.get(one["cabin_id"]) for one in changed_guests]
                    if one is not None
                ],
                *[
                    self.stations[one["station_id"]]
                    for one in [self.cabins.get(key) for key in former_cabin_ids]
                    if one is not None
                ],
            ]
        ):
            if self._breaks_rule_4(one_station):
                return self._take_back(RULES[3])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_a(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_b(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_7(one_guest):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: swap the parties of cabin {one['number']} and cabin {other['number']}.",
            "data": self._changes(),
        }

    def seat_cabin(self, cabin_id: str, table_id: str) -> Result:
        """Seat everybody of a cabin at one table, which also decides their sitting.

        Args:
            cabin_id (str): Id of the cabin, such as CABIN-00001.
            table_id (str): Id of the table, such as TABLE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        table = self.tables.get(table_id)
        if table is None:
            return _refused(f"There is no table {table_id!r}.")
        if self._cabin_party(cabin) <= 0:
            return _refused(f"Nobody lives in cabin {cabin['number']}.")
        if not any(g["table_id"] != table_id for g in self._people(cabin)):
            return _refused(f"The party of cabin {cabin['number']} sits at table {table['code']} already.")
        if sum(1 for g in self._people(cabin) if g["table_id"] != table_id) > self._table_free(table):
            return _refused(
                f"Table {table['code']} has {self._table_free(table)} free chairs, not "
                f"{sum(1 for g in self._people(cabin) if g['table_id'] != table_id)}."
            )
        self._journal = []
        changed_guests: list[Any] = []
        former_table_ids: list[Any] = []
        for g in list(self._people(cabin)):
            changed_guests.append(g)
            former_table_ids.append(g["table_id"])
            self._put("guests", g, "table_id", table_id)
        for one_table in _distinct(
            [
                *[self.tables.get(one["table_id"]) for one in changed_guests],
                *[self.tables.get(key) for key in former_table_ids],
            ]
        ):
            if self._breaks_rule_5(one_table):
                return self._take_back(RULES[4])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_a(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_6_b(one_guest):
                return self._take_back(RULES[5])
        for one_guest in _distinct(changed_guests):
            if self._breaks_rule_7(one_guest):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: seat the party of cabin {cabin['number']} at table {table['code']}.",
            "data": self._changes(),
        }

    def change_station(self, cabin_id: str, station_id: str) -> Result:
        """Give a cabin another muster station; its guests owe a drill there.

        Args:
            cabin_id (str): Id of the cabin, such as CABIN-00001.
            station_id (str): Id of the station, such as STATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        cabin = self.cabins.get(cabin_id)
        if cabin is None:
            return _refused(f"There is no cabin {cabin_id!r}.")
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        if cabin["station_id"] == station_id:
            return _refused(f"Cabin {cabin['number']} musters at {station['code']} already.")
        if self._station_load(station) + self._cabin_party(cabin) > station["capacity"]:
            return _refused(
                f"Muster station {station['code']} has room for "
                f"{station['capacity'] - self._station_load(station)} more and {self._cabin_party(cabin)} live in "
                f"cabin {cabin['number']}."
            )
        self._journal = []
        former_station_id = cabin["station_id"]
        self._put("cabins", cabin, "station_id", station_id)
        for g in list(self._people(cabin)):
            if g["drill"] == "done":
                self._put("guests", g, "drill", "due")
        if self._breaks_rule_4(self.stations[cabin["station_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4(self.stations[former_station_id]):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: let cabin {cabin['number']} muster at {station['code']}.",
            "data": self._changes(),
        }

    def hold_drill(self, station_id: str, absent_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Note a drill at a muster station; everybody of that station who was not absent has done it.

        Args:
            station_id (str): Id of the station, such as STATION-00001.
            absent_ids (list): Guests of that station who did not come, an empty list for none: ids of guests, such
                as GUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        station = self.stations.get(station_id)
        if station is None:
            return _refused(f"There is no station {station_id!r}.")
        absent = []
        for key in absent_ids:
            if key not in self.guests:
                return _refused(f"There is no guest {key!r}.")
            absent.append(self.guests[key])
        if not _different([g["id"] for g in absent]):
            return _refused("Name every absent guest once.")
        stray = next(
            (g for g in absent if (g["cabin_id"] is None or self.cabins[g["cabin_id"]]["station_id"] != station_id)),
            None,
        )
        if stray is not None:
            return _refused(f"{stray['name']} does not muster at {station['code']}.")
        if not any(
            g not in absent
            for _cabin in self._cabins_by_station.get(station_id, {}).values()
            for g in self._guests_by_cabin_drill.get((_cabin["id"], "due"), {}).values()
            if g["cabin_id"] is not None
        ):
            return _refused(f"Nobody who came to {station['code']} still owed a drill.")
        self._journal = []
        for g in [
            g
            for g in sorted(
                [
                    g
                    for _cabin in self._cabins_by_station.get(station_id, {}).values()
                    for g in self._guests_by_cabin_drill.get((_cabin["id"], "due"), {}).values()
                ],
                key=_age,
            )
            if g["cabin_id"] is not None
            and g not in absent
        ]:
            self._put("guests", g, "drill", "done")
        return {
            "success": True,
            "message": f"Done: note the drill at muster station {station['code']}.",
            "data": self._changes(),
        }

    def book_excursion(self, excursion_id: str, guest_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Sell guests places on an excursion and charge their accounts; who still owes the drill cannot go ashore
        with one.

        Args:
            excursion_id (str): Id of the excursion, such as EXCURSION-00001.
            guest_ids (list): Guests who go on the excursion, with the drill done and at least one named: ids of
                guests, such as GUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        excursion = self.excursions.get(excursion_id)
        if excursion is None:
            return _refused(f"There is no excursion {excursion_id!r}.")
        guests = []
        for key in guest_ids:
            if key not in self.guests:
                return _refused(f"There is no guest {key!r}.")
            guests.append(self.guests[key])
        if not (len(guests) > 0 and _different([g["id"] for g in guests])):
            return _refused("Name at least one guest, and each once.")
        if not self._selling(excursion):
            return _refused(f"{excursion['name']} is {excursion['status']} and no longer sold.")
        if len(guests) > self._excursion_room(excursion):
            return _refused(
                f"{excursion['name']} has {self._excursion_room(excursion)} places left, not {len(guests)}."
            )
        lost = next((g for g in guests if g["cabin_id"] is None), None)
        if lost is not None:
            return _refused(f"{lost['name']} is not berthed yet.")
        owing = next((g for g in guests if g["drill"] == "due"), None)
        if owing is not None:
            return _refused(f"{owing['name']} still owes the drill.")
        if not all(not g["wheelchair"] or not excursion["active"] for g in guests):
            return _refused(f"{excursion['name']} is too active for a guest in a wheelchair.")
        taken = next((g for g in guests if self._busy(g, excursion) is not None), None)
        if taken is not None:
            return _refused(f"{taken['name']} holds a ticket for another excursion at that time, so return it first.")
        alone = next(
            (
                g
                for g in guests
                if g["child"]
                and not any(not o["child"] for o in guests)
                and not self._guarded(excursion, None)
            ),
            None,
        )
        if alone is not None:
            return _refused(f"{alone['name']} is a child and goes on {excursion['name']} only with a grown-up.")
        self._journal = []
        added_tickets: list[Any] = []
        for g in list(guests):
            ticket = {
                "id": self._new_id("ticket", "TICKET", self.tickets),
                "guest_id": g["id"],
                "excursion_id": excursion_id,
                "price": excursion["price"],
                "status": "held",
            }
            self._add("tickets", ticket)
            added_tickets.append(ticket)
            self._put("guests", g, "account", g["account"] + excursion["price"])
        for one_excursion in _distinct([self.excursions[one["excursion_id"]] for one in added_tickets]):
            if self._breaks_rule_8(one_excursion):
                return self._take_back(RULES[7])
        for one_excursion in _distinct([self.excursions[one["excursion_id"]] for one in added_tickets]):
            if self._breaks_rule_9(one_excursion):
                return self._take_back(RULES[8])
        for one_ticket in _distinct(added_tickets):
            if self._breaks_rule_10(one_ticket):
                return self._take_back(RULES[9])
        for one_ticket in _distinct(added_tickets):
            if self._breaks_rule_11(one_ticket):
                return self._take_back(RULES[10])
        for one_ticket in _distinct(
            [
                *added_tickets,
                *[
                    user
                    for one in [self.excursions[one["excursion_id"]] for one in added_tickets]
                    for user in self._tickets_by_excursion.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_ticket):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: book {', '.join(str(one['name']) for one in guests)} on {excursion['name']}.",
            "data": self._changes(),
        }

    def return_ticket(self, ticket_id: str) -> Result:
        """Take a ticket back; until a day before the excursion leaves all of the price is credited, later on half of
        it.

        Args:
            ticket_id (str): Id of the ticket, such as TICKET-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        ticket = self.tickets.get(ticket_id)
        if ticket is None:
            return _refused(f"There is no ticket {ticket_id!r}.")
        if ticket["status"] != "held":
            return _refused(f"The ticket of {self.guests[ticket['guest_id']]['name']} is {ticket['status']}.")
        if self.excursions[ticket["excursion_id"]]["leaves"] <= self.now:
            return _refused(f"{self.excursions[ticket['excursion_id']]['name']} has left.")
        if (
            self.excursions[ticket["excursion_id"]]["status"] != "open"
            and self._excursion_sold(
                self.excursions[ticket["excursion_id"]]
            ) <= self.excursions[ticket["excursion_id"]]["minimum"]
        ):
            return _refused(
                f"{self.excursions[ticket['excursion_id']]['name']} is confirmed and would fall below its minimum "
                f"of {self.excursions[ticket['excursion_id']]['minimum']}."
            )
        if not self._may_go_back(ticket):
            return _refused(
                f"Children on {self.excursions[ticket['excursion_id']]['name']} would be left without a grown-up, "
                "so return their tickets first."
            )
        self._journal = []
        if _minutes_between(self.now, self.excursions[ticket["excursion_id"]]["leaves"]) >= 1 * 1440:
            guest = self.guests[ticket["guest_id"]]
            self._put("guests", guest, "account", self.guests[ticket["guest_id"]]["account"] - ticket["price"])
        else:
            its_guest = self.guests[ticket["guest_id"]]
            self._put(
                "guests",
                its_guest,
                "account",
                self.guests[ticket["guest_id"]]["account"] - ticket["price"] // 2,
            )
        self._put("tickets", ticket, "status", "returned")
        if self._breaks_rule_8(self.excursions[ticket["excursion_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(self.excursions[ticket["excursion_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(ticket):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(ticket):
            return self._take_back(RULES[10])
        for one_ticket in _distinct([ticket, *self._tickets_by_excursion.get(ticket["excursion_id"], {}).values()]):
            if self._breaks_rule_12(one_ticket):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: take back the ticket of {self.guests[ticket['guest_id']]['name']} for "
                f"{self.excursions[ticket['excursion_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def confirm_excursion(self, excursion_id: str) -> Result:
        """Confirm an excursion that has reached its minimum.

        Args:
            excursion_id (str): Id of the excursion, such as EXCURSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        excursion = self.excursions.get(excursion_id)
        if excursion is None:
            return _refused(f"There is no excursion {excursion_id!r}.")
        if excursion["status"] != "open":
            return _refused(f"{excursion['name']} is {excursion['status']}.")
        if excursion["leaves"] <= self.now:
            return _refused(f"{excursion['name']} should have left on {excursion['leaves']}.")
        if self._excursion_sold(excursion) < excursion["minimum"]:
            return _refused(
                f"{excursion['name']} has {self._excursion_sold(excursion)} guests and needs {excursion['minimum']}."
            )
        self._journal = []
        self._put("excursions", excursion, "status", "confirmed")
        if self._breaks_rule_9(excursion):
            return self._take_back(RULES[8])
        for one_ticket in _distinct(self._tickets_by_excursion_status.get((excursion["id"], "held"), {}).values()):
            if self._breaks_rule_11(one_ticket):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: confirm {excursion['name']}.", "data": self._changes()}

    def call_off_excursion(self, excursion_id: str) -> Result:
        """Call an excursion off and credit everybody who holds a ticket with its full price.

        Args:
            excursion_id (str): Id of the excursion, such as EXCURSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        excursion = self.excursions.get(excursion_id)
        if excursion is None:
            return _refused(f"There is no excursion {excursion_id!r}.")
        if excursion["status"] not in ("open", "confirmed"):
            return _refused(f"{excursion['name']} is {excursion['status']}.")
        if excursion["status"] != "open" and excursion["leaves"] <= self.now:
            return _refused(f"{excursion['name']} left on {excursion['leaves']}; close it when it is back.")
        self._journal = []
        changed_tickets: list[Any] = []
        self._put("excursions", excursion, "status", "called_off")
        for t in sorted(self._tickets_by_excursion_status.get((excursion_id, "held"), {}).values(), key=_age):
            guest = self.guests[t["guest_id"]]
            self._put("guests", guest, "account", self.guests[t["guest_id"]]["account"] - t["price"])
            if t["status"] not in ("held", "refunded"):
                return self._take_back(f"Ticket {t['id']} cannot go from {t['status']} to refunded.")
            changed_tickets.append(t)
            self._put("tickets", t, "status", "refunded")
        for one_excursion in _distinct([self.excursions[one["excursion_id"]] for one in changed_tickets]):
            if self._breaks_rule_8(one_excursion):
                return self._take_back(RULES[7])
        for one_excursion in _distinct(
            [excursion, *[self.excursions[one["excursion_id"]] for one in changed_tickets]]
        ):
            if self._breaks_rule_9(one_excursion):
                return self._take_back(RULES[8])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_10(one_ticket):
                return self._take_back(RULES[9])
        for one_ticket in _distinct(
            [*self._tickets_by_excursion_status.get((excursion["id"], "held"), {}).values(), *changed_tickets]
        ):
            if self._breaks_rule_11(one_ticket):
                return self._take_back(RULES[10])
        for one_ticket in _distinct(
            [
                *changed_tickets,
                *[
                    user
                    for one in [self.excursions[one["excursion_id"]] for one in changed_tickets]
                    for user in self._tickets_by_excursion.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_ticket):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: call {excursion['name']} off.", "data": self._changes()}

    def close_excursion(self, excursion_id: str, missing_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Close a confirmed excursion that has come back; tickets of guests who did not turn up are missed, all
        others used.

        Args:
            excursion_id (str): Id of the excursion, such as EXCURSION-00001.
            missing_ids (list): Guests with a ticket who did not turn up, an empty list for none: ids of guests,
                such as GUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        excursion = self.excursions.get(excursion_id)
        if excursion is None:
            return _refused(f"There is no excursion {excursion_id!r}.")
        missing = []
        for key in missing_ids:
            if key not in self.guests:
                return _refused(f"There is no guest {key!r}.")
            missing.append(self.guests[key])
        if not _different([g["id"] for g in missing]):
            return _refused("Name every missing guest once.")
        if excursion["status"] != "confirmed":
            return _refused(f"{excursion['name']} is {excursion['status']}.")
        if excursion["returns"] > self.now:
            return _refused(f"{excursion['name']} returns on {excursion['returns']}.")
        stray = next(
            (
                g
                for g in missing
                if not self._tickets_by_guest_excursion_status.get((g["id"], excursion_id, "held"), {})
            ),
            None,
        )
        if stray is not None:
            return _refused(f"{stray['name']} had no ticket for {excursion['name']}.")
        self._journal = []
        changed_tickets: list[Any] = []
        for t in sorted(self._tickets_by_excursion_status.get((excursion_id, "held"), {}).values(), key=_age):
            if self.guests[t["guest_id"]] in missing:
                if t["status"] not in ("held", "missed"):
                    return self._take_back(f"Ticket {t['id']} cannot go from {t['status']} to missed.")
                changed_tickets.append(t)
                self._put("tickets", t, "status", "missed")
            else:
                if t["status"] not in ("held", "used"):
                    return self._take_back(f"Ticket {t['id']} cannot go from {t['status']} to used.")
                changed_tickets.append(t)
                self._put("tickets", t, "status", "used")
        self._put("excursions", excursion, "status", "over")
        for one_excursion in _distinct([self.excursions[one["excursion_id"]] for one in changed_tickets]):
            if self._breaks_rule_8(one_excursion):
                return self._take_back(RULES[7])
        for one_excursion in _distinct(
            [excursion, *[self.excursions[one["excursion_id"]] for one in changed_tickets]]
        ):
            if self._breaks_rule_9(one_excursion):
                return self._take_back(RULES[8])
        for one_ticket in _distinct(changed_tickets):
            if self._breaks_rule_10(one_ticket):
                return self._take_back(RULES[9])
        for one_ticket in _distinct(
            [*changed_tickets, *self._tickets_by_excursion_status.get((excursion["id"], "held"), {}).values()]
        ):
            if self._breaks_rule_11(one_ticket):
                return self._take_back(RULES[10])
        for one_ticket in _distinct(
            [
                *changed_tickets,
                *[
                    user
                    for one in [self.excursions[one["excursion_id"]] for one in changed_tickets]
                    for user in self._tickets_by_excursion.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12(one_ticket):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: close {excursion['name']} with {len(missing)} missing.",
            "data": self._changes(),
        }

    def _show_station(self, station: Station) -> dict[str, Any]:
        """The station as an answer shows it."""
        return {**station, "load": self._station_load(station)}

    def _show_cabin(self, cabin: Cabin) -> dict[str, Any]:
        """The cabin as an answer shows it."""
        return {**cabin, "party": self._cabin_party(cabin)}

    def _show_table(self, table: Table) -> dict[str, Any]:
        """The table as an answer shows it."""
        return {**table, "seated": self._table_seated(table), "free": self._table_free(table)}

    def _show_excursion(self, excursion: Excursion) -> dict[str, Any]:
        """The excursion as an answer shows it."""
        return {**excursion, "sold": self._excursion_sold(excursion), "room": self._excursion_room(excursion)}

    def _names_of_cabins(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that cabins point to."""
        return _names(
            (self.categories, "name", [row["category_id"] for row in shown]),
            (self.cabins, "number", [row["connects_id"] for row in shown]),
            (self.stations, "code", [row["station_id"] for row in shown]),
        )

    def _names_of_guests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that guests point to."""
        return _names(
            (self.cabins, "number", [row["cabin_id"] for row in shown]),
            (self.tables, "code", [row["table_id"] for row in shown]),
        )

    def _names_of_tickets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tickets point to."""
        return _names(
            (self.guests, "name", [row["guest_id"] for row in shown]),
            (self.excursions, "name", [row["excursion_id"] for row in shown]),
        )

    def _station_load(self, station: Station) -> int:
        """The load of a station."""
        return sum(
            1
            for _cabin in self._cabins_by_station.get(station["id"], {}).values()
            for g in self._guests_by_cabin.get(_cabin["id"], {}).values()
            if g["cabin_id"] is not None
        )

    def _cabin_party(self, cabin: Cabin) -> int:
        """The party of a cabin."""
        return len(self._guests_by_cabin.get(cabin["id"], {}))

    def _table_seated(self, table: Table) -> int:
        """The seated of a table."""
        return len(self._guests_by_table.get(table["id"], {}))

    def _table_free(self, table: Table) -> int:
        """The free of a table."""
        return table["seats"] - self._table_seated(table)

    def _excursion_sold(self, excursion: Excursion) -> int:
        """The sold of an excursion."""
        return sum(
            1
            for t in self._tickets_by_excursion.get(excursion["id"], {}).values()
            if t["status"] in ("held", "used", "missed")
        )

    def _excursion_room(self, excursion: Excursion) -> int:
        """The room of an excursion."""
        return excursion["maximum"] - self._excursion_sold(excursion)

    def _people(self, c: Cabin) -> list[Guest]:
        return sorted(self._guests_by_cabin.get(c["id"], {}).values(), key=_age)

    def _selling(self, x: Excursion) -> bool:
        return x["status"] in ("open", "confirmed") and x["leaves"] > self.now

    def _busy(self, g: Guest, x: Excursion) -> Ticket | None:
        return next(
            (
                t
                for t in sorted(self._tickets_by_guest_status.get((g["id"], "held"), {}).values(), key=_age)
                if _overlap(
                    self.excursions[t["excursion_id"]]["leaves"],
                    self.excursions[t["excursion_id"]]["returns"],
                    x["leaves"],
                    x["returns"],
                )
            ),
            None,
        )

    def _guarded(self, x: Excursion, but: Ticket | None) -> bool:
        return any(
            not self.guests[t["guest_id"]]["child"]
            for t in self._tickets_by_excursion_status.get((x["id"], "held"), {}).values()
            if t is not but
        )

    def _may_go_back(self, t: Ticket) -> bool:
        return (
            self.guests[t["guest_id"]]["child"]
            or self._guarded(self.excursions[t["excursion_id"]], t)
            or not any(
                self.guests[o["guest_id"]]["child"]
                for o in self._tickets_by_excursion_status.get((t["excursion_id"], "held"), {}).values()
            )
        )

    def _fits(self, c: Cabin, old: Cabin) -> bool:
        return (
            self._cabin_party(c) == 0
            and c["berths"] >= self._cabin_party(old)
            and all(not g["wheelchair"] or c["accessible"] for g in self._people(old))
            and (
                c["station_id"] == old["station_id"]
                or self._station_load(
                    self.stations[c["station_id"]]
                ) + self._cabin_party(old) <= self.stations[c["station_id"]]["capacity"]
            )
        )

    def _grown_up_near(self, c: Cabin) -> bool:
        return any(
            not o["child"]
            for o in _distinct(
                [
                    *self._guests_by_cabin.get(c["id"], {}).values(),
                    *self._guests_by_cabin.get(c["connects_id"], {}).values(),
                ]
            )
            if o["cabin_id"] is not None
        )

    def _breaks_rule_1(self, c: Cabin) -> bool:
        """Whether this is broken: a cabin never holds more guests than it has berths."""
        return self._cabin_party(c) > c["berths"]

    def _breaks_rule_2(self, g: Guest) -> bool:
        """Whether this is broken: a child has a grown-up in the same or the connecting cabin."""
        return not (
            not g["child"]
            or g["cabin_id"] is None
            or any(
                o["cabin_id"] is not None
                for o in _distinct(
                    [
                        *self._guests_by_cabin.get(g["cabin_id"], {}).values(),
                        *self._guests_by_cabin.get(self.cabins[g["cabin_id"]]["connects_id"], {}).values(),
                    ]
                )
                if not o["child"]
            )
        )

    def _breaks_rule_3(self, g: Guest) -> bool:
        """Whether this is broken: a guest in a wheelchair lives in an accessible cabin."""
        return g["wheelchair"] and g["cabin_id"] is not None and not self.cabins[g["cabin_id"]]["accessible"]

    def _breaks_rule_4(self, s: Station) -> bool:
        """Whether this is broken: no muster station is meant for more people than it can take."""
        return self._station_load(s) > s["capacity"]

    def _breaks_rule_5(self, t: Table) -> bool:
        """Whether this is broken: a table never seats more guests than it has chairs."""
        return self._table_seated(t) > t["seats"]

    def _breaks_rule_6_a(self, a: Guest) -> bool:
        """Whether this is broken: the guests of a cabin dine at the same sitting."""
        return (
            a["cabin_id"] is not None
            and any(
                a["table_id"] is not None
                and b["table_id"] is not None
                and self.tables[a["table_id"]]["sitting"] != self.tables[b["table_id"]]["sitting"]
                for b in self._guests_by_cabin.get(a["cabin_id"], {}).values()
                if a is not b
            )
        )

    def _breaks_rule_6_b(self, b: Guest) -> bool:
        """Whether this is broken: the guests of a cabin dine at the same sitting."""
        return any(
            a["table_id"] is not None
            and b["table_id"] is not None
            and self.tables[a["table_id"]]["sitting"] != self.tables[b["table_id"]]["sitting"]
            for a in self._guests_by_cabin.get(b["cabin_id"], {}).values()
            if a is not b
            and a["cabin_id"] is not None
        )

    def _breaks_rule_7(self, g: Guest) -> bool:
        """Whether this is broken: only guests who have a cabin are seated."""
        return g["table_id"] is not None and g["cabin_id"] is None

    def _breaks_rule_8(self, x: Excursion) -> bool:
        """Whether this is broken: no excursion takes more guests than its maximum."""
        return self._excursion_sold(x) > x["maximum"]

    def _breaks_rule_9(self, x: Excursion) -> bool:
        """Whether this is broken: a confirmed excursion keeps its minimum of guests."""
        return x["status"] == "confirmed" and self._excursion_sold(x) < x["minimum"]

    def _breaks_rule_10(self, a: Ticket) -> bool:
        """Whether this is broken: nobody holds tickets for excursions at the same time."""
        return (
            a["status"] == "held"
            and any(
                _overlap(
                    self.excursions[a["excursion_id"]]["leaves"],
                    self.excursions[a["excursion_id"]]["returns"],
                    self.excursions[b["excursion_id"]]["leaves"],
                    self.excursions[b["excursion_id"]]["returns"],
                )
                for b in self._tickets_by_guest_status.get((a["guest_id"], "held"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_11(self, t: Ticket) -> bool:
        """Whether this is broken: tickets are held for excursions still to come, and nobody in a wheelchair holds one
        for an active excursion.
        """
        return (
            t["status"] == "held"
            and not (
                self.excursions[t["excursion_id"]]["status"] in ("open", "confirmed")
                and (not self.excursions[t["excursion_id"]]["active"] or not self.guests[t["guest_id"]]["wheelchair"])
            )
        )

    def _breaks_rule_12(self, t: Ticket) -> bool:
        """Whether this is broken: no child is ashore on an excursion without a grown-up."""
        return not (
            t["status"] != "held"
            or not self.guests[t["guest_id"]]["child"]
            or self._guarded(self.excursions[t["excursion_id"]], None)
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
            case "cabins":
                self._cabins_by_connects.setdefault(record["connects_id"], {})[record["id"]] = record
                self._cabins_by_station.setdefault(record["station_id"], {})[record["id"]] = record
            case "guests":
                self._guests_by_cabin.setdefault(record["cabin_id"], {})[record["id"]] = record
                self._guests_by_cabin_drill.setdefault((record["cabin_id"], record["drill"]), {})[record["id"]] = record
                self._guests_by_table.setdefault(record["table_id"], {})[record["id"]] = record
            case "tickets":
                self._tickets_by_excursion.setdefault(record["excursion_id"], {})[record["id"]] = record
                self._tickets_by_excursion_status.setdefault(
                    (record["excursion_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._tickets_by_guest_excursion_status.setdefault(
                    (record["guest_id"], record["excursion_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._tickets_by_guest_status.setdefault(
                    (record["guest_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "cabins":
                del self._cabins_by_connects[record["connects_id"]][record["id"]]
                del self._cabins_by_station[record["station_id"]][record["id"]]
            case "guests":
                del self._guests_by_cabin[record["cabin_id"]][record["id"]]
                del self._guests_by_cabin_drill[record["cabin_id"], record["drill"]][record["id"]]
                del self._guests_by_table[record["table_id"]][record["id"]]
            case "tickets":
                del self._tickets_by_excursion[record["excursion_id"]][record["id"]]
                del self._tickets_by_excursion_status[record["excursion_id"], record["status"]][record["id"]]
                del self._tickets_by_guest_excursion_status[
                    record["guest_id"],
                    record["excursion_id"],
                    record["status"],
                ][record["id"]]
                del self._tickets_by_guest_status[record["guest_id"], record["status"]][record["id"]]
