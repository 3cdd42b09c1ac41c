"""Board game café. Compiled from blueprint.yaml; run `envscaler build board_game_cafe` after changing it there.

Runs a café with tables by the half hour, copies of games that lose pieces, borrowing by members, tabs and
titles kept back for an evening.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A table has one party at a time.",
    "No party is larger than its table.",
    "A party plays a game that is made for so many players.",
    "A party has one game at a time, and only while it sits there.",
    "Copies are at a table when they belong to a party, lent when a member has them, and nowhere twice.",
    "A copy without board, rules or cards is kept in repair.",
    "Only complete copies are lent.",
    "A member borrows no more copies than the level allows.",
    "No more is kept back for an evening than there are usable copies.",
    "A member has one title kept back for an evening.",
    "A table is kept for one member on an evening.",
    "A party that has paid has a total.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "seat_party",
    "change_party",
    "bring_game",
    "return_copy",
    "mend_copy",
    "add_to_tab",
    "close_sitting",
    "lend_copy",
    "hold_title",
    "drop_hold",
    "pay_debt",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "titles": ("name",),
    "copies": ("code",),
    "tables": ("number",),
    "members": ("name",),
    "sittings": (),
    "drinks": ("name",),
    "tab_lines": (),
    "holds": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("copies", "lent_to_id"),
    ("copies", "place"),
    ("copies", "sitting_id"),
    ("copies", "title_id"),
    ("holds", "member_id"),
    ("holds", "status"),
    ("holds", "table_id"),
    ("holds", "title_id"),
    ("sittings", "member_id"),
    ("sittings", "status"),
    ("sittings", "table_id"),
    ("tab_lines", "sitting_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Title(TypedDict):
    id: str
    name: str
    from_players: int
    to_players: int
    minutes: int
    late_day: int


class Copy(TypedDict):
    id: str
    code: str
    title_id: str
    missing: list[Literal["board", "rules", "cards", "die", "token", "timer"]]
    sitting_id: str | None
    lent_to_id: str | None
    due_on: str | None
    place: Literal["shelf", "table", "lent", "repair"]


class Table(TypedDict):
    id: str
    number: str
    seats: int
    half_hour: int
    quiet: bool


class Member(TypedDict):
    id: str
    name: str
    level: Literal["pawn", "knight", "queen"]
    paid_until: str
    owes: int


class Sitting(TypedDict):
    id: str
    table_id: str
    host: str
    member_id: str | None
    people: int
    began_at: str
    total: int | None
    status: Literal["open", "paid"]


class Drink(TypedDict):
    id: str
    name: str
    price: int
    stock: int


class TabLine(TypedDict):
    id: str
    sitting_id: str
    drink_id: str
    number: int
    price: int


class Hold(TypedDict):
    id: str
    member_id: str
    title_id: str
    evening: str
    table_id: str | None
    status: Literal["waiting", "used", "dropped"]


class AddToTabDrink(TypedDict):
    drink_id: str
    number: Annotated[int, {"minimum": 1, "maximum": 40}]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class BoardGameCafe:
    """Runs a café with tables by the half hour, copies of games that lose pieces, borrowing by members,
    tabs and titles kept back for an evening.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.titles: dict[str, Title] = _copied(config.get("titles", {}))
        self.copies: dict[str, Copy] = _copied(config.get("copies", {}))
        self.tables: dict[str, Table] = _copied(config.get("tables", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.sittings: dict[str, Sitting] = _copied(config.get("sittings", {}))
        self.drinks: dict[str, Drink] = _copied(config.get("drinks", {}))
        self.tab_lines: dict[str, TabLine] = _copied(config.get("tab_lines", {}))
        self.holds: dict[str, Hold] = _copied(config.get("holds", {}))
        self.now: str = config.get("now", "2026-10-09T20:30")
        self.counters: dict[str, int] = {
            "title": len(self.titles),
            "copy": len(self.copies),
            "table": len(self.tables),
            "member": len(self.members),
            "sitting": len(self.sittings),
            "drink": len(self.drinks),
            "tab_line": len(self.tab_lines),
            "hold": len(self.holds),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._copies_by_lent_to: dict[Any, dict[str, Copy]] = {}
        self._copies_by_sitting: dict[Any, dict[str, Copy]] = {}
        self._copies_by_title: dict[Any, dict[str, Copy]] = {}
        self._copies_by_title_place: dict[Any, dict[str, Copy]] = {}
        self._sittings_by_member_status: dict[Any, dict[str, Sitting]] = {}
        self._sittings_by_table_status: dict[Any, dict[str, Sitting]] = {}
        self._tab_lines_by_sitting: dict[Any, dict[str, TabLine]] = {}
        self._holds_by_member_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_member_title_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_table_status: dict[Any, dict[str, Hold]] = {}
        self._holds_by_title_status: dict[Any, dict[str, Hold]] = {}
        for copy in self.copies.values():
            self._link("copies", copy)
        for sitting in self.sittings.values():
            self._link("sittings", sitting)
        for tab_line in self.tab_lines.values():
            self._link("tab_lines", tab_line)
        for hold in self.holds.values():
            self._link("holds", hold)

    def free_tables(
        self,
        people: Annotated[int, {"minimum": 1, "maximum": 12}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tables that are free and not kept for this evening, with enough seats, the smallest first.

        Args:
            people (int): Number of people to be seated, from 1 to 12.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}} or {"success": False, "error": why
                not}
        """
        found = [t for t in self.tables.values() if (self._free_now(t) and t["seats"] >= people)]
        found.sort(key=lambda t: (t["seats"], t["number"], _age(t)))
        return _found({"total": len(found), "tables": [{**t} for t in _page(found, offset)]})

    def games_for(
        self,
        people: Annotated[int, {"minimum": 1, "maximum": 12}],
        minutes: Annotated[int, {"minimum": 10, "maximum": 300}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Copies on the shelf that suit a number of players, the longest games last.

        Args:
            people (int): Number of people who want to play, from 1 to 12.
            minutes (int, optional): Longest playing time to include, in minutes, from 10 to 300. If left out,
                games of any length are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "copies": records}} or {"success": False, "error": why
                not}
        """
        found = [
            c
            for c in self.copies.values()
            if (
                c["place"] == "shelf"
                and (
                    self.titles[c["title_id"]]["from_players"] <= people
                    and people <= self.titles[c["title_id"]]["to_players"]
                )
            )
            and (minutes is None or self.titles[c["title_id"]]["minutes"] <= minutes)
        ]
        found.sort(key=lambda c: (self.titles[c["title_id"]]["minutes"], c["code"], _age(c)))
        return _found(
            {
                "total": len(found),
                "copies": [
                    {
                        "id": c["id"],
                        "code": c["code"],
                        "title": self.titles[c["title_id"]]["name"],
                        "minutes": self.titles[c["title_id"]]["minutes"],
                        "missing": [*c["missing"]],
                        "kept_back": self._kept_back(self.titles[c["title_id"]], self.now[:10], self.now[:10]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def bill(self, sitting_id: str) -> Result:
        """What a party would pay now.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.

        Returns:
            dict: {"success": True, "data": {half_hours, time, tab}} or {"success": False, "error": why not}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        if sitting["status"] != "open" or sitting["began_at"] > self.now:
            return _refused(f"There is nothing to pay for {sitting['host']}.")
        return _found(
            {
                "half_hours": self._half_hours(sitting),
                "time": self._time_fee(sitting),
                "tab": self._sitting_tab(sitting),
            }
        )

    def list_titles(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the titles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only titles whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "titles": records}}
        """
        found = [
            title
            for title in self.titles.values()
            if (name is None or name.casefold() in title["name"].casefold())
        ]
        return _found({"total": len(found), "titles": [self._show_title(title) for title in _page(found, offset)]})

    def list_copies(
        self,
        code: Text | None = None,
        title_id: str | None = None,
        sitting_id: str | None = None,
        lent_to_id: str | None = None,
        place: Literal["shelf", "table", "lent", "repair"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the copies, oldest first, all of them or only some.

        Args:
            code (str, optional): Only copies whose code contains this text.
            title_id (str, optional): Only copies of this title.
            sitting_id (str, optional): Only copies of this sitting.
            lent_to_id (str, optional): Only copies lent to this member.
            place (str, optional): Only copies with this place.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "copies": records}}
        """
        if title_id is not None and title_id not in self.titles:
            return _refused(f"There is no title {title_id!r}.")
        if sitting_id is not None and sitting_id not in self.sittings:
            return _refused(f"There is no sitting {sitting_id!r}.")
        if lent_to_id is not None and lent_to_id not in self.members:
            return _refused(f"There is no member {lent_to_id!r}.")
        found = [
            copy
            for copy in self.copies.values()
            if (code is None or code.casefold() in copy["code"].casefold())
            and (title_id is None or copy["title_id"] == title_id)
            and (sitting_id is None or copy["sitting_id"] == sitting_id)
            and (lent_to_id is None or copy["lent_to_id"] == lent_to_id)
            and (place is None or copy["place"] == place)
        ]
        shown = [self._show_copy(copy) for copy in _page(found, offset)]
        return _found({"total": len(found), "copies": shown}, self._names_of_copies(shown))

    def list_tables(
        self,
        number: Text | None = None,
        quiet: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tables, oldest first, all of them or only some.

        Args:
            number (str, optional): Only tables whose number contains this text.
            quiet (bool, optional): Only tables that are quiet (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tables": records}}
        """
        found = [
            table
            for table in self.tables.values()
            if (number is None or number.casefold() in table["number"].casefold())
            and (quiet is None or table["quiet"] == quiet)
        ]
        return _found({"total": len(found), "tables": [{**table} for table in _page(found, offset)]})

    def list_members(
        self,
        name: Text | None = None,
        level: Literal["pawn", "knight", "queen"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            level (str, optional): Only members with this level.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (level is None or member["level"] == level)
        ]
        return _found({"total": len(found), "members": [{**member} for member in _page(found, offset)]})

    def list_sittings(
        self,
        table_id: str | None = None,
        member_id: str | None = None,
        status: Literal["open", "paid"] | None = None,
        began_at_from: Date | None = None,
        began_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sittings, oldest first, all of them or only some.

        Args:
            table_id (str, optional): Only sittings of this table.
            member_id (str, optional): Only sittings of this member.
            status (str, optional): Only sittings with this status.
            began_at_from (str, optional): Only sittings whose `began_at` is on this day or later.
            began_at_to (str, optional): Only sittings whose `began_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sittings": records}}
        """
        if table_id is not None and table_id not in self.tables:
            return _refused(f"There is no table {table_id!r}.")
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            sitting
            for sitting in self.sittings.values()
            if (table_id is None or sitting["table_id"] == table_id)
            and (member_id is None or sitting["member_id"] == member_id)
            and (status is None or sitting["status"] == status)
            and (began_at_from is None or sitting["began_at"][:10] >= began_at_from)
            and (began_at_to is None or sitting["began_at"][:10] <= began_at_to)
        ]
        shown = [self._show_sitting(sitting) for sitting in _page(found, offset)]
        return _found({"total": len(found), "sittings": shown}, self._names_of_sittings(shown))

    def list_drinks(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drinks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only drinks whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drinks": records}}
        """
        found = [
            drink
            for drink in self.drinks.values()
            if (name is None or name.casefold() in drink["name"].casefold())
        ]
        return _found({"total": len(found), "drinks": [{**drink} for drink in _page(found, offset)]})

    def list_tab_lines(
        self,
        sitting_id: str | None = None,
        drink_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tab lines, oldest first, all of them or only some.

        Args:
            sitting_id (str, optional): Only tab lines of this sitting.
            drink_id (str, optional): Only tab lines of this drink.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tab_lines": records}}
        """
        if sitting_id is not None and sitting_id not in self.sittings:
            return _refused(f"There is no sitting {sitting_id!r}.")
        if drink_id is not None and drink_id not in self.drinks:
            return _refused(f"There is no drink {drink_id!r}.")
        found = [
            tab_line
            for tab_line in self.tab_lines.values()
            if (sitting_id is None or tab_line["sitting_id"] == sitting_id)
            and (drink_id is None or tab_line["drink_id"] == drink_id)
        ]
        shown = [{**tab_line} for tab_line in _page(found, offset)]
        return _found({"total": len(found), "tab_lines": shown}, self._names_of_tab_lines(shown))

    def list_holds(
        self,
        member_id: str | None = None,
        title_id: str | None = None,
        table_id: str | None = None,
        status: Literal["waiting", "used", "dropped"] | None = None,
        evening_from: Date | None = None,
        evening_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the holds, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only holds of this member.
            title_id (str, optional): Only holds of this title.
            table_id (str, optional): Only holds of this table.
            status (str, optional): Only holds with this status.
            evening_from (str, optional): Only holds whose `evening` is on this day or later.
            evening_to (str, optional): Only holds whose `evening` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "holds": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if title_id is not None and title_id not in self.titles:
            return _refused(f"There is no title {title_id!r}.")
        if table_id is not None and table_id not in self.tables:
            return _refused(f"There is no table {table_id!r}.")
        found = [
            hold
            for hold in self.holds.values()
            if (member_id is None or hold["member_id"] == member_id)
            and (title_id is None or hold["title_id"] == title_id)
            and (table_id is None or hold["table_id"] == table_id)
            and (status is None or hold["status"] == status)
            and (evening_from is None or hold["evening"] >= evening_from)
            and (evening_to is None or hold["evening"] <= evening_to)
        ]
        shown = [{**hold} for hold in _page(found, offset)]
        return _found({"total": len(found), "holds": shown}, self._names_of_holds(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def seat_party(
        self,
        table_id: str,
        host: Text,
        people: Annotated[int, {"minimum": 1, "maximum": 12}],
        member_id: str | None = None,
    ) -> Result:
        """Seat a party at a free table, under the name of its host and, where there is one, of a member among them.

        Args:
            table_id (str): Id of the table, such as TABLE-00001.
            host (str): Name of the host of the party.
            people (int): Number of people in the party, at most the seats, from 1 to 12.
            member_id (str, optional): Member in the party, who plays free while the membership is paid; an id such
                as MEMBER-00001. If left out, no member is noted for the party.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        table = self.tables.get(table_id)
        if table is None:
            return _refused(f"There is no table {table_id!r}.")
        member = self.members.get(member_id) if member_id is not None else None
        if member_id is not None and member is None:
            return _refused(f"There is no member {member_id!r}.")
        sitting = self._sitting_at(table)
        if sitting is not None:
            return _refused(f"Table {table['number']} is taken by the party of {sitting['host']}.")
        kept = self._keeper(table, self.now[:10], member)
        if kept is not None and self.now[11:] >= "16:00":
            return _refused(
                f"Table {table['number']} is kept for {self.members[kept['member_id']]['name']} this evening."
            )
        if people > table["seats"]:
            return _refused(f"Table {table['number']} has {table['seats']} seats, not {people}.")
        if not (member_id is None or not self._sittings_by_member_status.get((member_id, "open"), {})):
            return _refused(f"{member['name']} sits at another table already.")
        self._journal = []
        new_sitting: Sitting = {
            "id": self._new_id("sitting", "SITTING", self.sittings),
            "table_id": table_id,
            "host": host,
            "member_id": member_id,
            "people": people,
            "began_at": self.now,
            "total": None,
            "status": "open",
        }
        self._add("sittings", new_sitting)
        if self._breaks_rule_1(new_sitting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(new_sitting):
            return self._take_back(RULES[1])
        if self._breaks_rule_12(new_sitting):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: seat {host} with {people} people at table {table['number']} (new: sitting "
                f"{new_sitting['id']})."
            ),
            "data": {"sitting_id": new_sitting["id"], **self._changes()},
        }

    def change_party(
        self,
        sitting_id: str,
        table_id: str | None = None,
        people: Annotated[int, {"minimum": 1, "maximum": 12}] | None = None,
    ) -> Result:
        """Change the number of people of a party, the table, or both.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.
            table_id (str, optional): Free table that the party moves to; an id such as TABLE-00001. If left out,
                the party keeps its table.
            people (int, optional): New number of people, suiting the seats and any game they have, from 1 to 12.
                If left out, the number of people stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        table = self.tables.get(table_id) if table_id is not None else None
        if table_id is not None and table is None:
            return _refused(f"There is no table {table_id!r}.")
        if sitting["status"] != "open":
            return _refused(f"The party of {sitting['host']} has paid.")
        if sitting["began_at"][:10] > self.now[:10]:
            return _refused(f"The party of {sitting['host']} comes only at {sitting['began_at']}.")
        if table_id is None and people is None:
            return _refused("Give a table or a number of people.")
        there = table or self.tables[sitting["table_id"]]
        so_many = people if people is not None else sitting["people"]
        other = self._sitting_at(there)
        if other is not None and other is not sitting:
            return _refused(f"Table {there['number']} is taken by the party of {other['host']}.")
        kept = self._keeper(there, self.now[:10], self.members.get(sitting["member_id"]))
        if kept is not None and there["id"] != sitting["table_id"] and self.now[11:] >= "16:00":
            return _refused(
                f"Table {there['number']} is kept for {self.members[kept['member_id']]['name']} this evening."
            )
        if so_many > there["seats"]:
            return _refused(f"Table {there['number']} has {there['seats']} seats, not {so_many}.")
        game = next((c for c in sorted(self._copies_by_sitting.get(sitting_id, {}).values(), key=_age)), None)
        if not (
            game is None
            or self.titles[game["title_id"]]["from_players"] <= so_many
            and so_many <= self.titles[game["title_id"]]["to_players"]
        ):
            return _refused(
                f"{self.titles[game['title_id']]['name']} is for {self.titles[game['title_id']]['from_players']} "
                f"to {self.titles[game['title_id']]['to_players']} players; take it back first."
            )
        self._journal = []
        self._put("sittings", sitting, "table_id", there["id"])
        if not 1 <= so_many <= 12:
            return self._take_back(f"The people of {sitting['id']} must be between 1 and 12.")
        self._put("sittings", sitting, "people", so_many)
        if self._breaks_rule_1(sitting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(sitting):
            return self._take_back(RULES[1])
        for one_copy in _distinct(self._copies_by_sitting.get(sitting["id"], {}).values()):
            if self._breaks_rule_3(one_copy):
                return self._take_back(RULES[2])
        done = f"change the party of {sitting['host']}"
        if table is not None:
            done += f" to table {table['number']}"
        if people is not None:
            done += f" to {people} people"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def bring_game(self, sitting_id: str, copy_id: str) -> Result:
        """Bring a copy from the shelf to a party; what is kept back for others this evening stays on the shelf.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.
            copy_id (str): Id of the copy, such as COPY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if sitting["status"] != "open":
            return _refused(f"The party of {sitting['host']} has paid.")
        if sitting["began_at"][:10] > self.now[:10]:
            return _refused(f"The party of {sitting['host']} comes only at {sitting['began_at']}.")
        if copy["place"] != "shelf":
            return _refused(f"Copy {copy['code']} is not on the shelf.")
        game = next((c for c in sorted(self._copies_by_sitting.get(sitting_id, {}).values(), key=_age)), None)
        if game is not None:
            return _refused(
                f"The party of {sitting['host']} plays {self.titles[game['title_id']]['name']}; take that back first."
            )
        if (
            self.titles[copy["title_id"]]["from_players"] > sitting["people"]
            or sitting["people"] > self.titles[copy["title_id"]]["to_players"]
        ):
            return _refused(
                f"{self.titles[copy['title_id']]['name']} is for {self.titles[copy['title_id']]['from_players']} "
                f"to {self.titles[copy['title_id']]['to_players']} players, and they are {sitting['people']}."
            )
        hold = self._own_hold(self.members.get(sitting["member_id"]), self.titles[copy["title_id"]], self.now[:10])
        if (
            hold is None
            and self._title_on_shelf(self.titles[copy["title_id"]]) <= self._kept_back(
                self.titles[copy["title_id"]],
                self.now[:10],
                self.now[:10],
            )
        ):
            return _refused(
                f"The last copies of {self.titles[copy['title_id']]['name']} are kept back for this evening."
            )
        self._journal = []
        changed_holds: list[Any] = []
        self._put("copies", copy, "sitting_id", sitting_id)
        self._put("copies", copy, "place", "table")
        for h in _those(self.holds, [(hold["id"] if hold is not None else None)]):
            if h["status"] not in ("waiting", "used"):
                return self._take_back(f"Hold {h['id']} cannot go from {h['status']} to used.")
            changed_holds.append(h)
            self._put("holds", h, "status", "used")
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_c(copy):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_c_again(copy):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(copy):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(copy):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(copy):
            return self._take_back(RULES[6])
        for one_hold in _distinct(
            [
                *changed_holds,
                *[
                    user
                    for one in [self.titles[one["title_id"]] for one in changed_holds]
                    for user in self._holds_by_title_status.get((one["id"], "waiting"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_hold):
                return self._take_back(RULES[8])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_10(one_hold):
                return self._take_back(RULES[9])
        for one_hold in _distinct(changed_holds):
            if self._breaks_rule_11(one_hold):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: bring {self.titles[copy['title_id']]['name']} to the party of {sitting['host']}.",
            "data": self._changes(),
        }

    def return_copy(
        self,
        copy_id: str,
        missing: Annotated[
            list[Literal["board", "rules", "cards", "die", "token", "timer"]],
            {"maxItems": 20},
        ] | None = None,
    ) -> Result:
        """Take a copy back from a table or from a member, with the pieces that turned out to be missing; members pay
        for late days, and three days for a missing piece.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.
            missing (list): Pieces found missing now, apart from those noted before: board, rules, cards, die,
                token or timer. If left out, nothing more is missing.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        missing = missing or []
        if copy["place"] not in ("table", "lent"):
            return _refused(f"Copy {copy['code']} is not out.")
        party = self.sittings.get(copy["sitting_id"])
        if party is not None and party["began_at"][:10] > self.now[:10]:
            return _refused(
                f"Copy {copy['code']} lies ready for the party of {party['host']}, which comes at "
                f"{party['began_at']}."
            )
        if not (_different([p for p in missing]) and not any(p in copy["missing"] for p in missing)):
            return _refused("A piece is named twice or was missing before.")
        late = max(0, _days_between(copy["due_on"] if copy["due_on"] is not None else self.now[:10], self.now[:10]))
        self._journal = []
        changed_copies: list[Any] = []
        for m in _those(self.members, [copy["lent_to_id"]]):
            owes = m["owes"] + self.titles[copy["title_id"]]["late_day"] * (late + 3 * len(missing))
            if not 0 <= owes <= 50000:
                return self._take_back(f"The owes of {m['name']} must be between 0.00 and 500.00.")
            self._put("members", m, "owes", owes)
        self._put("copies", copy, "missing", [*(copy["missing"] + missing)])
        self._put("copies", copy, "sitting_id", None)
        former_lent_to_id = copy["lent_to_id"]
        self._put("copies", copy, "lent_to_id", None)
        self._put("copies", copy, "due_on", None)
        if self._crippled(copy["missing"]):
            changed_copies.append(copy)
            self._put("copies", copy, "place", "repair")
        else:
            changed_copies.append(copy)
            self._put("copies", copy, "place", "shelf")
        if self._breaks_rule_3(copy):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_c(copy):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_c_again(copy):
            return self._take_back(RULES[3])
        for one_copy in _distinct([copy, *changed_copies]):
            if self._breaks_rule_5(one_copy):
                return self._take_back(RULES[4])
        for one_copy in _distinct([copy, *changed_copies]):
            if self._breaks_rule_6(one_copy):
                return self._take_back(RULES[5])
        for one_copy in _distinct([copy, *changed_copies]):
            if self._breaks_rule_7(one_copy):
                return self._take_back(RULES[6])
        for one_member in _distinct([self.members.get(copy["lent_to_id"]), self.members.get(former_lent_to_id)]):
            if self._breaks_rule_8(one_member):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take copy {copy['code']} of {self.titles[copy['title_id']]['name']} back.",
            "data": self._changes(),
        }

    def mend_copy(
        self,
        copy_id: str,
        pieces: Annotated[list[Literal["board", "rules", "cards", "die", "token", "timer"]], {"maxItems": 20}],
    ) -> Result:
        """Put new pieces into a copy; once board, rules and cards are there it goes back on the shelf.

        Args:
            copy_id (str): Id of the copy, such as COPY-00001.
            pieces (list): Missing pieces that are replaced: board, rules, cards, die, token or timer.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if copy["place"] not in ("shelf", "repair"):
            return _refused(f"Copy {copy['code']} is out.")
        if not (len(pieces) > 0 and _different([p for p in pieces])):
            return _refused("Name at least one piece, and each once.")
        if not all(p in copy["missing"] for p in pieces):
            return _refused(f"Copy {copy['code']} lacks only {', '.join(one for one in copy['missing'])}.")
        self._journal = []
        changed_copies: list[Any] = []
        self._put("copies", copy, "missing", [*[p for p in copy["missing"] if p not in pieces]])
        if copy["place"] == "repair" and not self._crippled(copy["missing"]):
            changed_copies.append(copy)
            self._put("copies", copy, "place", "shelf")
        for one_copy in _distinct(changed_copies):
            if self._breaks_rule_5(one_copy):
                return self._take_back(RULES[4])
        for one_copy in _distinct([copy, *changed_copies]):
            if self._breaks_rule_6(one_copy):
                return self._take_back(RULES[5])
        for one_copy in _distinct([copy, *changed_copies]):
            if self._breaks_rule_7(one_copy):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: mend copy {copy['code']} of {self.titles[copy['title_id']]['name']}.",
            "data": self._changes(),
        }

    def add_to_tab(self, sitting_id: str, drinks: Annotated[list[AddToTabDrink], {"maxItems": 20}]) -> Result:
        """Put drinks on the tab of a party.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.
            drinks (list): One entry for each kind of drink: drink_id: drink that is put on the tab; an id such as
                DRINK-00001; number: how many of it, at most those in stock, from 1 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        entries, drinks = drinks, []
        for entry in entries:
            if entry["drink_id"] not in self.drinks:
                return _refused(f"There is no drink {entry['drink_id']!r}.")
            drinks.append({"drink": self.drinks[entry["drink_id"]], "number": entry["number"]})
        if sitting["status"] != "open":
            return _refused(f"The party of {sitting['host']} has paid.")
        if sitting["began_at"][:10] > self.now[:10]:
            return _refused(f"The party of {sitting['host']} comes only at {sitting['began_at']}.")
        if not (len(drinks) > 0 and _different([d["drink"]["id"] for d in drinks])):
            return _refused("Name at least one drink, and each once.")
        out = next((d for d in drinks if d["drink"]["stock"] < d["number"]), None)
        if out is not None:
            return _refused(f"There are {out['drink']['stock']} {out['drink']['name']} left.")
        self._journal = []
        for d in sorted(drinks, key=lambda d: (d["drink"]["name"],)):
            tab_line = {
                "id": self._new_id("tab_line", "TL", self.tab_lines),
                "sitting_id": sitting_id,
                "drink_id": d["drink"]["id"],
                "number": d["number"],
                "price": d["drink"]["price"],
            }
            self._add("tab_lines", tab_line)
            drink = d["drink"]
            stock = d["drink"]["stock"] - d["number"]
            if not 0 <= stock <= 500:
                return self._take_back(f"The stock of {drink['name']} must be between 0 and 500.")
            self._put("drinks", drink, "stock", stock)
        return {
            "success": True,
            "message": f"Done: put drinks on the tab of {sitting['host']}.",
            "data": self._changes(),
        }

    def close_sitting(self, sitting_id: str) -> Result:
        """Let a party pay its time and its tab; each person pays for every half hour begun, six at most, and the
        member is free.

        Args:
            sitting_id (str): Id of the sitting, such as SITTING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sitting = self.sittings.get(sitting_id)
        if sitting is None:
            return _refused(f"There is no sitting {sitting_id!r}.")
        if sitting["status"] != "open":
            return _refused(f"The party of {sitting['host']} has paid.")
        if sitting["began_at"] > self.now:
            return _refused(f"The party of {sitting['host']} comes only at {sitting['began_at']}.")
        game = next((c for c in sorted(self._copies_by_sitting.get(sitting_id, {}).values(), key=_age)), None)
        if game is not None:
            return _refused(f"Take {self.titles[game['title_id']]['name']} back first.")
        self._journal = []
        total = self._time_fee(sitting) + self._sitting_tab(sitting)
        if not 0 <= total <= 200000:
            return self._take_back(f"The total of {sitting['id']} must be between 0.00 and 2,000.00.")
        self._put("sittings", sitting, "total", total)
        self._put("sittings", sitting, "status", "paid")
        if self._breaks_rule_1(sitting):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(sitting):
            return self._take_back(RULES[1])
        for one_copy in _distinct(self._copies_by_sitting.get(sitting["id"], {}).values()):
            if self._breaks_rule_4_c_again(one_copy):
                return self._take_back(RULES[3])
        if self._breaks_rule_12(sitting):
            return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: close the table of {sitting['host']}.", "data": self._changes()}

    def lend_copy(self, member_id: str, copy_id: str, until: Date) -> Result:
        """Lend a complete copy from the shelf to a paid-up member without debts.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            copy_id (str): Id of the copy, such as COPY-00001.
            until (str): Day by which it must be back, at most 21 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        copy = self.copies.get(copy_id)
        if copy is None:
            return _refused(f"There is no copy {copy_id!r}.")
        if member["paid_until"] < self.now[:10]:
            return _refused(f"The membership of {member['name']} ended on {member['paid_until']}.")
        if member["owes"] != 0:
            return _refused(f"{member['name']} owes {_money(member['owes'])}; that is paid first.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 21):
            return _refused(f"Copies are lent until {_plus_days(self.now[:10], 21)} at the latest.")
        if len(self._copies_by_lent_to.get(member_id, {})) >= self._borrows_up_to(member):
            return _refused(f"As a {member['level']} {member['name']} can borrow no more.")
        if copy["place"] != "shelf":
            return _refused(f"Copy {copy['code']} is not on the shelf.")
        if len(copy["missing"]) != 0:
            return _refused(f"Copy {copy['code']} lacks {', '.join(one for one in copy['missing'])}.")
        if self._title_on_shelf(self.titles[copy["title_id"]]) <= self._kept_back(
            self.titles[copy["title_id"]],
            self.now[:10],
            until,
        ):
            return _refused(f"{self.titles[copy['title_id']]['name']} is kept back for somebody before {until}.")
        self._journal = []
        former_lent_to_id = copy["lent_to_id"]
        self._put("copies", copy, "lent_to_id", member_id)
        self._put("copies", copy, "due_on", until)
        self._put("copies", copy, "place", "lent")
        if self._breaks_rule_5(copy):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(copy):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(copy):
            return self._take_back(RULES[6])
        for one_member in _distinct([self.members.get(copy["lent_to_id"]), self.members.get(former_lent_to_id)]):
            if self._breaks_rule_8(one_member):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: lend {self.titles[copy['title_id']]['name']} to {member['name']} until {until}.",
            "data": self._changes(),
        }

    def hold_title(self, member_id: str, title_id: str, evening: Date, table_id: str | None = None) -> Result:
        """Keep a title back for a member for an evening, with a table where one is wanted; a table is kept from four
        o'clock on.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            title_id (str): Id of the title, such as TITLE-00001.
            evening (str): Evening for which it is kept, at most 30 days ahead, as YYYY-MM-DD.
            table_id (str, optional): Table that is kept for the member too; an id such as TABLE-00001. If left
                out, no table is kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        title = self.titles.get(title_id)
        if title is None:
            return _refused(f"There is no title {title_id!r}.")
        table = self.tables.get(table_id) if table_id is not None else None
        if table_id is not None and table is None:
            return _refused(f"There is no table {table_id!r}.")
        if member["paid_until"] < evening:
            return _refused(f"The membership of {member['name']} ends on {member['paid_until']}.")
        if self.now[:10] > evening or evening > _plus_days(self.now[:10], 30):
            return _refused(f"Titles are kept back until {_plus_days(self.now[:10], 30)} at the latest.")
        if any(
            each["evening"] == evening
            for each in self._holds_by_member_status.get((member_id, "waiting"), {}).values()
        ):
            return _refused(f"{member['name']} has a title kept back for {evening} already.")
        if self._kept_back(title, evening, evening) >= self._ready(title, evening):
            return _refused(f"No further copy of {title['name']} will be here to be kept back for {evening}.")
        before = next(
            (
                h
                for h in sorted(self._holds_by_table_status.get((table_id, "waiting"), {}).values(), key=_age)
                if table_id is not None
                and h["evening"] == evening
            ),
            None,
        )
        if before is not None:
            return _refused(f"That table is kept for {self.members[before['member_id']]['name']} on {evening}.")
        self._journal = []
        hold: Hold = {
            "id": self._new_id("hold", "HOLD", self.holds),
            "member_id": member_id,
            "title_id": title_id,
            "evening": evening,
            "table_id": table_id,
            "status": "waiting",
        }
        self._add("holds", hold)
        for one_hold in _distinct(
            [hold, *self._holds_by_title_status.get((hold["title_id"], "waiting"), {}).values()]
        ):
            if self._breaks_rule_9(one_hold):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(hold):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(hold):
            return self._take_back(RULES[10])
        done = f"keep {title['name']} back for {member['name']} on {evening}"
        if table is not None:
            done += f" at table {table['number']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: hold {hold['id']}).",
            "data": {"hold_id": hold["id"], **self._changes()},
        }

    def drop_hold(self, hold_id: str) -> Result:
        """Give up a title that was kept back.

        Args:
            hold_id (str): Id of the hold, such as HOLD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hold = self.holds.get(hold_id)
        if hold is None:
            return _refused(f"There is no hold {hold_id!r}.")
        if hold["status"] != "waiting":
            return _refused(f"That hold was {hold['status']}.")
        self._journal = []
        self._put("holds", hold, "status", "dropped")
        for one_hold in _distinct(
            [hold, *self._holds_by_title_status.get((hold["title_id"], "waiting"), {}).values()]
        ):
            if self._breaks_rule_9(one_hold):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(hold):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(hold):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: drop the hold of {self.members[hold['member_id']]['name']} on "
                f"{self.titles[hold['title_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def pay_debt(self, member_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 50000}]) -> Result:
        """Enter that a member pays something of what is owed.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            amount (int): Amount paid, at most what the member owes, in cents, from 1 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if amount > member["owes"]:
            return _refused(f"{member['name']} owes {_money(member['owes'])}, not {_money(amount)}.")
        self._journal = []
        owes = member["owes"] - amount
        if not 0 <= owes <= 50000:
            return self._take_back(f"The owes of {member['name']} must be between 0.00 and 500.00.")
        self._put("members", member, "owes", owes)
        return {
            "success": True,
            "message": f"Done: enter a payment of {_money(amount)} by {member['name']}.",
            "data": self._changes(),
        }

    def _show_title(self, title: Title) -> dict[str, Any]:
        """The title as an answer shows it."""
        return {**title, "on_shelf": self._title_on_shelf(title), "usable": self._title_usable(title)}

    def _show_copy(self, copy: Copy) -> dict[str, Any]:
        """The copy as an answer shows it."""
        return {**copy, "missing": [*copy["missing"]]}

    def _show_sitting(self, sitting: Sitting) -> dict[str, Any]:
        """The sitting as an answer shows it."""
        return {**sitting, "tab": self._sitting_tab(sitting)}

    def _names_of_copies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that copies point to."""
        return _names(
            (self.titles, "name", [row["title_id"] for row in shown]),
            (self.members, "name", [row["lent_to_id"] for row in shown]),
        )

    def _names_of_sittings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sittings point to."""
        return _names(
            (self.tables, "number", [row["table_id"] for row in shown]),
            (self.members, "name", [row["member_id"] for row in shown]),
        )

    def _names_of_tab_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tab lines point to."""
        return _names((self.drinks, "name", [row["drink_id"] for row in shown]))

    def _names_of_holds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that holds point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.titles, "name", [row["title_id"] for row in shown]),
            (self.tables, "number", [row["table_id"] for row in shown]),
        )

    def _title_on_shelf(self, title: Title) -> int:
        """The on shelf of a title."""
        return len(self._copies_by_title_place.get((title["id"], "shelf"), {}))

    def _title_usable(self, title: Title) -> int:
        """The usable of a title."""
        return sum(1 for c in self._copies_by_title.get(title["id"], {}).values() if c["place"] != "repair")

    def _sitting_tab(self, sitting: Sitting) -> int:
        """The tab of a sitting."""
        return sum(l["number"] * l["price"] for l in self._tab_lines_by_sitting.get(sitting["id"], {}).values())

    def _crippled(self, missing: list[str]) -> bool:
        return any(p in ("board", "rules", "cards") for p in missing)

    def _sitting_at(self, t: Table) -> Sitting | None:
        return next(
            (s for s in sorted(self._sittings_by_table_status.get((t["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _borrows_up_to(self, m: Member) -> int:
        return 1 if m["level"] == "pawn" else 2 if m["level"] == "knight" else 4

    def _kept_back(self, t: Title, from_on: str, to_on: str) -> int:
        return sum(
            1
            for h in self._holds_by_title_status.get((t["id"], "waiting"), {}).values()
            if (from_on <= h["evening"] and h["evening"] <= to_on)
        )

    def _keeper(self, t: Table, on: str, m: Member | None) -> Hold | None:
        return next(
            (
                h
                for h in sorted(self._holds_by_table_status.get((t["id"], "waiting"), {}).values(), key=_age)
                if h["evening"] == on
                and (m is None or h["member_id"] != m["id"])
            ),
            None,
        )

    def _free_now(self, t: Table) -> bool:
        return (
            self._sitting_at(t) is None
            and (self.now[11:] < "16:00" or self._keeper(t, self.now[:10], None) is None)
        )

    def _ready(self, t: Title, on: str) -> int:
        return sum(
            1
            for c in self._copies_by_title.get(t["id"], {}).values()
            if c["place"] != "repair"
            and (c["due_on"] is None or c["due_on"] < on)
        )

    def _half_hours(self, s: Sitting) -> int:
        return ceil(Fraction(_minutes_between(s["began_at"], self.now), 30))

    def _time_fee(self, s: Sitting) -> int:
        return self.tables[s["table_id"]]["half_hour"] * min(self._half_hours(s), 6) * (
            s["people"] - (
                1
                if s["member_id"] is not None
                and self.members[s["member_id"]]["paid_until"] >= s["began_at"][:10]
                else 0
            )
        )

    def _own_hold(self, m: Member | None, t: Title, on: str) -> Hold | None:
        return next(
            (
                h
                for h in sorted(
                    self._holds_by_member_title_status.get(
                        (m["id"] if m is not None else None, t["id"], "waiting"),
                        {},
                    ).values(),
                    key=_age,
                )
                if m is not None
                and h["evening"] == on
            ),
            None,
        )

    def _breaks_rule_1(self, s: Sitting) -> bool:
        """Whether this is broken: a table has one party at a time."""
        return (
            s["status"] == "open"
            and any(
                other_s is not s
                for other_s in self._sittings_by_table_status.get((s["table_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_2(self, s: Sitting) -> bool:
        """Whether this is broken: no party is larger than its table."""
        return s["status"] == "open" and s["people"] > self.tables[s["table_id"]]["seats"]

    def _breaks_rule_3(self, c: Copy) -> bool:
        """Whether this is broken: a party plays a game that is made for so many players."""
        return not (
            c["sitting_id"] is None
            or self.titles[c["title_id"]]["from_players"] <= self.sittings[c["sitting_id"]]["people"]
            and self.sittings[c["sitting_id"]]["people"] <= self.titles[c["title_id"]]["to_players"]
        )

    def _breaks_rule_4_c(self, c: Copy) -> bool:
        """Whether this is broken: a party has one game at a time, and only while it sits there."""
        return (
            c["sitting_id"] is not None
            and any(
                other_c is not c
                for other_c in self._copies_by_sitting.get(c["sitting_id"], {}).values()
                if other_c["sitting_id"] is not None
            )
        )

    def _breaks_rule_4_c_again(self, c: Copy) -> bool:
        """Whether this is broken: a party has one game at a time, and only while it sits there."""
        return c["sitting_id"] is not None and self.sittings[c["sitting_id"]]["status"] != "open"

    def _breaks_rule_5(self, c: Copy) -> bool:
        """Whether this is broken: copies are at a table when they belong to a party, lent when a member has them, and
        nowhere twice.
        """
        return (
            (c["place"] == "table") != (c["sitting_id"] is not None)
            or (c["place"] == "lent") != (c["lent_to_id"] is not None)
            or (c["place"] == "lent") != (c["due_on"] is not None)
        )

    def _breaks_rule_6(self, c: Copy) -> bool:
        """Whether this is broken: a copy without board, rules or cards is kept in repair."""
        return self._crippled(c["missing"]) and c["place"] != "repair"

    def _breaks_rule_7(self, c: Copy) -> bool:
        """Whether this is broken: only complete copies are lent."""
        return c["place"] == "lent" and len(c["missing"]) != 0

    def _breaks_rule_8(self, m: Member) -> bool:
        """Whether this is broken: a member borrows no more copies than the level allows."""
        return len(self._copies_by_lent_to.get(m["id"], {})) > self._borrows_up_to(m)

    def _breaks_rule_9(self, h: Hold) -> bool:
        """Whether this is broken: no more is kept back for an evening than there are usable copies."""
        return (
            h["status"] == "waiting"
            and sum(
                1
                for o in self._holds_by_title_status.get((h["title_id"], "waiting"), {}).values()
                if o["evening"] == h["evening"]
            ) > len(self._copies_by_title.get(h["title_id"], {}))
        )

    def _breaks_rule_10(self, h: Hold) -> bool:
        """Whether this is broken: a member has one title kept back for an evening."""
        return (
            h["status"] == "waiting"
            and any(
                other_h is not h
                for other_h in self._holds_by_member_status.get((h["member_id"], "waiting"), {}).values()
                if other_h["evening"] == h["evening"]
            )
        )

    def _breaks_rule_11(self, h: Hold) -> bool:
        """Whether this is broken: a table is kept for one member on an evening."""
        return (
            h["status"] == "waiting"
            and h["table_id"] is not None
            and any(
                other_h is not h
                for other_h in self._holds_by_table_status.get((h["table_id"], "waiting"), {}).values()
                if other_h["evening"] == h["evening"]
                and other_h["table_id"] is not None
            )
        )

    def _breaks_rule_12(self, s: Sitting) -> bool:
        """Whether this is broken: a party that has paid has a total."""
        return (s["status"] == "paid") != (s["total"] is not None)

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
            case "copies":
                self._copies_by_lent_to.setdefault(record["lent_to_id"], {})[record["id"]] = record
                self._copies_by_sitting.setdefault(record["sitting_id"], {})[record["id"]] = record
                self._copies_by_title.setdefault(record["title_id"], {})[record["id"]] = record
                self._copies_by_title_place.setdefault((record["title_id"], record["place"]), {})[record["id"]] = record
            case "sittings":
                self._sittings_by_member_status.setdefault(
                    (record["member_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sittings_by_table_status.setdefault(
                    (record["table_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "tab_lines":
                self._tab_lines_by_sitting.setdefault(record["sitting_id"], {})[record["id"]] = record
            case "holds":
                self._holds_by_member_status.setdefault(
                    (record["member_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._holds_by_member_title_status.setdefault(
                    (record["member_id"], record["title_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._holds_by_table_status.setdefault((record["table_id"], record["status"]), {})[record["id"]] = record
                self._holds_by_title_status.setdefault((record["title_id"], record["status"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "copies":
                del self._copies_by_lent_to[record["lent_to_id"]][record["id"]]
                del self._copies_by_sitting[record["sitting_id"]][record["id"]]
                del self._copies_by_title[record["title_id"]][record["id"]]
                del self._copies_by_title_place[record["title_id"], record["place"]][record["id"]]
            case "sittings":
                del self._sittings_by_member_status[record["member_id"], record["status"]][record["id"]]
                del self._sittings_by_table_status[record["table_id"], record["status"]][record["id"]]
            case "tab_lines":
                del self._tab_lines_by_sitting[record["sitting_id"]][record["id"]]
            case "holds":
                del self._holds_by_member_status[record["member_id"], record["status"]][record["id"]]
                del self._holds_by_member_title_status[
                    record["member_id"],
                    record["title_id"],
                    record["status"],
                ][record["id"]]
                del self._holds_by_table_status[record["table_id"], record["status"]][record["id"]]
                del self._holds_by_title_status[record["title_id"], record["status"]][record["id"]]
