"""EV charging. Compiled from blueprint.yaml; run `envscaler build ev_charging` after changing it there.

Runs charging sites whose chargers share one grid connection, with sessions, reservations, prepaid members,
groups, tariffs and faults.
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
    "The sessions of a site together never get more power than its connection allows.",
    "A session never gets more power than its charger has.",
    "A charger has one session at a time, and so has a member.",
    "Nobody charges at a charger with a critical fault.",
    "At a site that is kept for a group only its members charge or have a booking.",
    "The bookings of a charger never overlap.",
    "A member has at most three bookings and never two at the same time.",
    "A booking lasts one to four hours.",
    "A finished session has a time, an energy and a price, and a running one has none of them.",
    "No session took more energy than its charger can deliver in the time.",
    "A site has one tariff from any one day.",
    "A group never has more members than places.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "top_up",
    "join_group",
    "set_tariff",
    "start_session",
    "set_power",
    "stop_session",
    "book_charger",
    "move_booking",
    "release_booking",
    "report_fault",
    "close_fault",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "chargers": ("code",),
    "groups": ("name",),
    "members": ("name",),
    "tariffs": (),
    "sessions": (),
    "reservations": (),
    "faults": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("chargers", "site_id"),
    ("faults", "charger_id"),
    ("faults", "kind"),
    ("members", "group_id"),
    ("reservations", "charger_id"),
    ("reservations", "member_id"),
    ("reservations", "status"),
    ("sessions", "charger_id"),
    ("sessions", "member_id"),
    ("sessions", "status"),
    ("tariffs", "site_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str
    limit_kw: int
    members_only_id: str | None
    per_idle_minute: int


class Charger(TypedDict):
    id: str
    code: str
    site_id: str
    max_kw: int
    plug: Literal["type2", "ccs", "chademo"]


class Group(TypedDict):
    id: str
    name: str
    discount: int
    credit: int
    places: int


class Member(TypedDict):
    id: str
    name: str
    group_id: str | None
    balance: int
    plugs: list[Literal["type2", "ccs", "chademo"]]


class Tariff(TypedDict):
    id: str
    site_id: str
    valid_from: str
    per_kwh: int


class Session(TypedDict):
    id: str
    member_id: str
    charger_id: str
    kw: int
    started_at: str
    stopped_at: str | None
    energy: int | None
    price: int | None
    status: Literal["charging", "finished"]


class Reservation(TypedDict):
    id: str
    member_id: str
    charger_id: str
    starts: str
    ends: str
    status: Literal["booked", "used", "cancelled", "no_show"]


class Fault(TypedDict):
    id: str
    charger_id: str
    kind: Literal["cable", "display", "lock", "overheating", "card_reader"]
    critical: bool
    reported_at: str
    fixed_at: str | None


class SetPowerLine(TypedDict):
    session_id: str
    kw: Annotated[int, {"minimum": 1, "maximum": 350}]


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class EvCharging:
    """Runs charging sites whose chargers share one grid connection, with sessions, reservations, prepaid
    members, groups, tariffs and faults.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.chargers: dict[str, Charger] = _copied(config.get("chargers", {}))
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.tariffs: dict[str, Tariff] = _copied(config.get("tariffs", {}))
        self.sessions: dict[str, Session] = _copied(config.get("sessions", {}))
        self.reservations: dict[str, Reservation] = _copied(config.get("reservations", {}))
        self.faults: dict[str, Fault] = _copied(config.get("faults", {}))
        self.now: str = config.get("now", "2026-06-10T17:45")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "charger": len(self.chargers),
            "group": len(self.groups),
            "member": len(self.members),
            "tariff": len(self.tariffs),
            "session": len(self.sessions),
            "reservation": len(self.reservations),
            "fault": len(self.faults),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._chargers_by_site: dict[Any, dict[str, Charger]] = {}
        self._members_by_group: dict[Any, dict[str, Member]] = {}
        self._tariffs_by_site: dict[Any, dict[str, Tariff]] = {}
        self._sessions_by_charger_status: dict[Any, dict[str, Session]] = {}
        self._sessions_by_member_status: dict[Any, dict[str, Session]] = {}
        self._sessions_by_status: dict[Any, dict[str, Session]] = {}
        self._reservations_by_charger_status: dict[Any, dict[str, Reservation]] = {}
        self._reservations_by_member_status: dict[Any, dict[str, Reservation]] = {}
        self._faults_by_charger: dict[Any, dict[str, Fault]] = {}
        self._faults_by_charger_kind: dict[Any, dict[str, Fault]] = {}
        for charger in self.chargers.values():
            self._link("chargers", charger)
        for member in self.members.values():
            self._link("members", member)
        for tariff in self.tariffs.values():
            self._link("tariffs", tariff)
        for session in self.sessions.values():
            self._link("sessions", session)
        for reservation in self.reservations.values():
            self._link("reservations", reservation)
        for fault in self.faults.values():
            self._link("faults", fault)

    def free_chargers(
        self,
        site_id: str | None = None,
        member_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Usable chargers without a session and without a booking in the next half hour, strongest first.

        Args:
            site_id (str, optional): Only chargers at this site; an id such as SITE-00001. If left out, the free
                chargers of all sites are listed.
            member_id (str, optional): Member whose plug must fit and who must be let in; an id such as
                MEMBER-00001. If left out, chargers for any member are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chargers": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        member = self.members.get(member_id) if member_id is not None else None
        if member_id is not None and member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            c
            for c in self.chargers.values()
            if (self._charger_usable(c) and not self._charger_taken(c))
            and len(self._booked_on(c, self.now, _plus_minutes(self.now, 30))) == 0
            and (site_id is None or c["site_id"] == site_id)
            and (member_id is None or self._let_in(member, self.sites[c["site_id"]]) and self._plugs_in(member, c))
        ]
        found.sort(key=lambda c: (-c["max_kw"], c["code"], _age(c)))
        return _found(
            {
                "total": len(found),
                "chargers": [
                    {
                        "id": c["id"],
                        "code": c["code"],
                        "site": self.sites[c["site_id"]]["name"],
                        "max_kw": c["max_kw"],
                        "site_free_kw": self._site_free_kw(self.sites[c["site_id"]]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def prices_now(self, on: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a kilowatt-hour costs at every site on a day, before any discount.

        Args:
            on (str): Day for which the prices are shown, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}} or {"success": False, "error": why
                not}
        """
        found = [s for s in self.sites.values()]
        found.sort(key=lambda s: (s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sites": [
                    {"id": s["id"], "site": s["name"], "per_kwh": self._rate(s, on)}
                    for s in _page(found, offset)
                ],
            }
        )

    def charging_now(
        self,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who is charging, longest first.

        Args:
            site_id (str, optional): Only sessions at this site; an id such as SITE-00001. If left out, the
                sessions at all sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            s
            for s in self._sessions_by_status.get("charging", {}).values()
            if (site_id is None or self.chargers[s["charger_id"]]["site_id"] == site_id)
        ]
        found.sort(key=lambda s: (s["started_at"], s["id"], _age(s)))
        return _found(
            {
                "total": len(found),
                "sessions": [
                    {
                        "id": s["id"],
                        "member": self.members[s["member_id"]]["name"],
                        "charger": self.chargers[s["charger_id"]]["code"],
                        "site": self.sites[self.chargers[s["charger_id"]]["site_id"]]["name"],
                        "kw": s["kw"],
                        "charger_max_kw": self.chargers[s["charger_id"]]["max_kw"],
                        "started_at": s["started_at"],
                        "minutes": _minutes_between(s["started_at"], self.now),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_sites(
        self,
        name: Text | None = None,
        members_only_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            members_only_id (str, optional): Only sites whose members only is this group.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        if members_only_id is not None and members_only_id not in self.groups:
            return _refused(f"There is no group {members_only_id!r}.")
        found = [
            site
            for site in self.sites.values()
            if (name is None or name.casefold() in site["name"].casefold())
            and (members_only_id is None or site["members_only_id"] == members_only_id)
        ]
        shown = [self._show_site(site) for site in _page(found, offset)]
        return _found({"total": len(found), "sites": shown}, self._names_of_sites(shown))

    def list_chargers(
        self,
        code: Text | None = None,
        site_id: str | None = None,
        plug: Literal["type2", "ccs", "chademo"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the chargers, oldest first, all of them or only some.

        Args:
            code (str, optional): Only chargers whose code contains this text.
            site_id (str, optional): Only chargers of this site.
            plug (str, optional): Only chargers with this plug.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "chargers": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            charger
            for charger in self.chargers.values()
            if (code is None or code.casefold() in charger["code"].casefold())
            and (site_id is None or charger["site_id"] == site_id)
            and (plug is None or charger["plug"] == plug)
        ]
        shown = [self._show_charger(charger) for charger in _page(found, offset)]
        return _found({"total": len(found), "chargers": shown}, self._names_of_chargers(shown))

    def list_groups(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the groups, oldest first, all of them or only some.

        Args:
            name (str, optional): Only groups whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}}
        """
        found = [
            group
            for group in self.groups.values()
            if (name is None or name.casefold() in group["name"].casefold())
        ]
        return _found({"total": len(found), "groups": [self._show_group(group) for group in _page(found, offset)]})

    def list_members(
        self,
        name: Text | None = None,
        group_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            group_id (str, optional): Only members of this group.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (group_id is None or member["group_id"] == group_id)
        ]
        shown = [self._show_member(member) for member in _page(found, offset)]
        return _found({"total": len(found), "members": shown}, self._names_of_members(shown))

    def list_tariffs(
        self,
        site_id: str | None = None,
        valid_from_from: Date | None = None,
        valid_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tariffs, oldest first, all of them or only some.

        Args:
            site_id (str, optional): Only tariffs of this site.
            valid_from_from (str, optional): Only tariffs whose `valid_from` is on this day or later.
            valid_from_to (str, optional): Only tariffs whose `valid_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tariffs": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            tariff
            for tariff in self.tariffs.values()
            if (site_id is None or tariff["site_id"] == site_id)
            and (valid_from_from is None or tariff["valid_from"] >= valid_from_from)
            and (valid_from_to is None or tariff["valid_from"] <= valid_from_to)
        ]
        shown = [{**tariff} for tariff in _page(found, offset)]
        return _found({"total": len(found), "tariffs": shown}, self._names_of_tariffs(shown))

    def list_sessions(
        self,
        member_id: str | None = None,
        charger_id: str | None = None,
        status: Literal["charging", "finished"] | None = None,
        started_at_from: Date | None = None,
        started_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sessions, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only sessions of this member.
            charger_id (str, optional): Only sessions of this charger.
            status (str, optional): Only sessions with this status.
            started_at_from (str, optional): Only sessions whose `started_at` is on this day or later.
            started_at_to (str, optional): Only sessions whose `started_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sessions": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if charger_id is not None and charger_id not in self.chargers:
            return _refused(f"There is no charger {charger_id!r}.")
        found = [
            session
            for session in self.sessions.values()
            if (member_id is None or session["member_id"] == member_id)
            and (charger_id is None or session["charger_id"] == charger_id)
            and (status is None or session["status"] == status)
            and (started_at_from is None or session["started_at"][:10] >= started_at_from)
            and (started_at_to is None or session["started_at"][:10] <= started_at_to)
        ]
        shown = [{**session} for session in _page(found, offset)]
        return _found({"total": len(found), "sessions": shown}, self._names_of_sessions(shown))

    def list_reservations(
        self,
        member_id: str | None = None,
        charger_id: str | None = None,
        status: Literal["booked", "used", "cancelled", "no_show"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reservations, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only reservations of this member.
            charger_id (str, optional): Only reservations of this charger.
            status (str, optional): Only reservations with this status.
            starts_from (str, optional): Only reservations whose `starts` is on this day or later.
            starts_to (str, optional): Only reservations whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reservations": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if charger_id is not None and charger_id not in self.chargers:
            return _refused(f"There is no charger {charger_id!r}.")
        found = [
            reservation
            for reservation in self.reservations.values()
            if (member_id is None or reservation["member_id"] == member_id)
            and (charger_id is None or reservation["charger_id"] == charger_id)
            and (status is None or reservation["status"] == status)
            and (starts_from is None or reservation["starts"][:10] >= starts_from)
            and (starts_to is None or reservation["starts"][:10] <= starts_to)
        ]
        shown = [{**reservation} for reservation in _page(found, offset)]
        return _found({"total": len(found), "reservations": shown}, self._names_of_reservations(shown))

    def list_faults(
        self,
        charger_id: str | None = None,
        kind: Literal["cable", "display", "lock", "overheating", "card_reader"] | None = None,
        critical: bool | None = None,
        reported_at_from: Date | None = None,
        reported_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the faults, oldest first, all of them or only some.

        Args:
            charger_id (str, optional): Only faults of this charger.
            kind (str, optional): Only faults with this kind.
            critical (bool, optional): Only faults that are critical (true) or not (false).
            reported_at_from (str, optional): Only faults whose `reported_at` is on this day or later.
            reported_at_to (str, optional): Only faults whose `reported_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "faults": records}}
        """
        if charger_id is not None and charger_id not in self.chargers:
            return _refused(f"There is no charger {charger_id!r}.")
        found = [
            fault
            for fault in self.faults.values()
            if (charger_id is None or fault["charger_id"] == charger_id)
            and (kind is None or fault["kind"] == kind)
            and (critical is None or fault["critical"] == critical)
            and (reported_at_from is None or fault["reported_at"][:10] >= reported_at_from)
            and (reported_at_to is None or fault["reported_at"][:10] <= reported_at_to)
        ]
        shown = [{**fault} for fault in _page(found, offset)]
        return _found({"total": len(found), "faults": shown}, self._names_of_faults(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def top_up(self, member_id: str, amount: Annotated[int, {"minimum": 100, "maximum": 50000}]) -> Result:
        """Put money on a member's account.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            amount (int): Sum that is added to the member's balance, in cents, from 100 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if member["balance"] + amount > 100000:
            return _refused(
                f"An account holds at most 1,000.00, and {member['name']} has {_money(member['balance'])}."
            )
        self._journal = []
        self._put("members", member, "balance", member["balance"] + amount)
        return {
            "success": True,
            "message": f"Done: put {_money(amount)} on the account of {member['name']}.",
            "data": self._changes(),
        }

    def join_group(self, member_id: str, group_id: str | None = None) -> Result:
        """Put a member into a group, or into none.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            group_id (str, optional): Group the member joins; an id such as GROUP-00001. If left out, the member
                leaves the present group.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        group = self.groups.get(group_id) if group_id is not None else None
        if group_id is not None and group is None:
            return _refused(f"There is no group {group_id!r}.")
        if group_id == member["group_id"]:
            return _refused(f"{member['name']} is there already.")
        if group_id is not None and self._group_members(group) >= group["places"]:
            return _refused(f"{group['name']} has no place left.")
        if group_id is None and member["balance"] < 0:
            return _refused(
                f"{member['name']} owes {_money(0 - member['balance'])} and has to pay that before leaving the group."
            )
        busy = self._running(member)
        if busy is not None:
            return _refused(
                f"{member['name']} is charging at {self.chargers[busy['charger_id']]['code']}, and the group sets "
                "the price, so stop that session first."
            )
        due = next(
            (
                r
                for r in sorted(self._reservations_by_member_status.get((member_id, "booked"), {}).values(), key=_age)
                if self.sites[self.chargers[r["charger_id"]]["site_id"]]["members_only_id"] is not None
                and self.sites[self.chargers[r["charger_id"]]["site_id"]]["members_only_id"] != group_id
            ),
            None,
        )
        if due is not None:
            return _refused(
                f"{member['name']} has a booking at "
                f"{self.sites[self.chargers[due['charger_id']]['site_id']]['name']}, which only the present group "
                "may use."
            )
        self._journal = []
        former_group_id = member["group_id"]
        self._put("members", member, "group_id", group_id)
        for one_session in _distinct(self._sessions_by_member_status.get((member["id"], "charging"), {}).values()):
            if self._breaks_rule_5_s(one_session):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(
            self._reservations_by_member_status.get((member["id"], "booked"), {}).values()
        ):
            if self._breaks_rule_5_r(one_reservation):
                return self._take_back(RULES[4])
        for one_group in _distinct([self.groups.get(member["group_id"]), self.groups.get(former_group_id)]):
            if self._breaks_rule_12(one_group):
                return self._take_back(RULES[11])
        done = f"move {member['name']}"
        if group is not None:
            done += f" to {group['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def set_tariff(
        self,
        site_id: str,
        valid_from: Date,
        per_kwh: Annotated[int, {"minimum": 1, "maximum": 150}],
    ) -> Result:
        """Set what a kilowatt-hour costs at a site from a day on.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            valid_from (str): First day of the new tariff, after today and within 120 days, as YYYY-MM-DD.
            per_kwh (int): Price of one kilowatt-hour, in cents, from 1 to 150.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if self.now[:10] >= valid_from or valid_from > _plus_days(self.now[:10], 120):
            return _refused(
                f"A tariff begins between {_plus_days(self.now[:10], 1)} and {_plus_days(self.now[:10], 120)}, "
                "since running sessions keep theirs."
            )
        if any(each["valid_from"] == valid_from for each in self._tariffs_by_site.get(site_id, {}).values()):
            return _refused(f"{site['name']} has a tariff from {valid_from} already.")
        self._journal = []
        tariff: Tariff = {
            "id": self._new_id("tariff", "TARIFF", self.tariffs),
            "site_id": site_id,
            "valid_from": valid_from,
            "per_kwh": per_kwh,
        }
        self._add("tariffs", tariff)
        if self._breaks_rule_11(tariff):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: set {_money(per_kwh)} at {site['name']} from {valid_from} (new: tariff {tariff['id']})."
            ),
            "data": {"tariff_id": tariff["id"], **self._changes()},
        }

    def start_session(
        self,
        member_id: str,
        charger_id: str,
        kw: Annotated[int, {"minimum": 1, "maximum": 350}],
    ) -> Result:
        """Let a member charge at a free charger with so much power; a booking of theirs is used up by it.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            charger_id (str): Id of the charger, such as CHARGER-00001.
            kw (int): Charging power in kilowatts, at most what charger and site have left, from 1 to 350.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        charger = self.chargers.get(charger_id)
        if charger is None:
            return _refused(f"There is no charger {charger_id!r}.")
        if not self._let_in(member, self.sites[charger["site_id"]]):
            return _refused(f"{self.sites[charger['site_id']]['name']} is kept for another group.")
        if not self._plugs_in(member, charger):
            return _refused(
                f"Charger {charger['code']} has {charger['plug']}, which does not fit the car of {member['name']}."
            )
        other = self._running(member)
        if other is not None:
            return _refused(f"{member['name']} is charging at {self.chargers[other['charger_id']]['code']}.")
        if not self._charger_usable(charger):
            return _refused(f"Charger {charger['code']} has a critical fault.")
        if self._charger_taken(charger):
            return _refused(f"Charger {charger['code']} is taken.")
        held = next(
            (
                r
                for r in self._booked_on(charger, self.now, _plus_minutes(self.now, 30))
                if r["member_id"] != member_id
            ),
            None,
        )
        if held is not None:
            return _refused(
                f"Charger {charger['code']} is booked by {self.members[held['member_id']]['name']} from "
                f"{held['starts']}."
            )
        if member["balance"] + self._credit_of(member) < 500:
            return _refused(
                f"{member['name']} has {_money(member['balance'])} and needs 5.00 with the credit of the group, "
                "so top up first."
            )
        if kw > charger["max_kw"]:
            return _refused(f"Charger {charger['code']} gives {charger['max_kw']} kW, not {kw}.")
        if kw > self._site_free_kw(self.sites[charger["site_id"]]):
            return _refused(
                f"{self.sites[charger['site_id']]['name']} has "
                f"{self._site_free_kw(self.sites[charger['site_id']])} kW left, not {kw}, so others must be "
                "turned down."
            )
        self._journal = []
        changed_reservations: list[Any] = []
        session: Session = {
            "id": self._new_id("session", "SESSION", self.sessions),
            "member_id": member_id,
            "charger_id": charger_id,
            "kw": kw,
            "started_at": self.now,
            "stopped_at": None,
            "energy": None,
            "price": None,
            "status": "charging",
        }
        self._add("sessions", session)
        for r in [
            r
            for r in self._booked_on(charger, self.now, _plus_minutes(self.now, 30))
            if r["member_id"] == member_id
        ]:
            if r["status"] not in ("booked", "used"):
                return self._take_back(f"Reservation {r['id']} cannot go from {r['status']} to used.")
            changed_reservations.append(r)
            self._put("reservations", r, "status", "used")
        if self._breaks_rule_1(self.sites[self.chargers[session["charger_id"]]["site_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_s(session):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_s_again(session):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(session):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_s(session):
            return self._take_back(RULES[4])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_5_r(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        for one_member in _distinct([self.members[one["member_id"]] for one in changed_reservations]):
            if self._breaks_rule_7_m(one_member):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_a(one_reservation):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(session):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(session):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: start {member['name']} at {charger['code']} with {kw} kW (new: session {session['id']})."
            ),
            "data": {"session_id": session["id"], **self._changes()},
        }

    def set_power(self, site_id: str, lines: Annotated[list[SetPowerLine], {"maxItems": 20}]) -> Result:
        """Turn running sessions of one site up or down.

        Args:
            site_id (str): Id of the site, such as SITE-00001.
            lines (list): One entry for each running session whose power changes, each once: session_id: running
                session at this site; an id such as SESSION-00001; kw: new charging power in kilowatts, from 1 to
                350.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        entries, lines = lines, []
        for entry in entries:
            if entry["session_id"] not in self.sessions:
                return _refused(f"There is no session {entry['session_id']!r}.")
            lines.append({"session": self.sessions[entry["session_id"]], "kw": entry["kw"]})
        if not (len(lines) > 0 and _different([l["session"]["id"] for l in lines])):
            return _refused("Name at least one session, and each once.")
        if not all(
            l["session"]["status"] == "charging"
            and self.chargers[l["session"]["charger_id"]]["site_id"] == site_id
            for l in lines
        ):
            return _refused(f"All of them must be charging at {site['name']}.")
        if not all(l["kw"] <= self.chargers[l["session"]["charger_id"]]["max_kw"] for l in lines):
            return _refused("A charger cannot give more than its own power.")
        more = sum(l["kw"] - l["session"]["kw"] for l in lines)
        if more > self._site_free_kw(site):
            return _refused(f"{site['name']} has {self._site_free_kw(site)} kW left and this would take {more} more.")
        self._journal = []
        changed_sessions: list[Any] = []
        for l in list(lines):
            session = l["session"]
            changed_sessions.append(session)
            self._put("sessions", session, "kw", l["kw"])
        for one_site in _distinct(
            [self.sites[one["site_id"]] for one in [self.chargers[one["charger_id"]] for one in changed_sessions]]
        ):
            if self._breaks_rule_1(one_site):
                return self._take_back(RULES[0])
        for one_session in _distinct(changed_sessions):
            if self._breaks_rule_2(one_session):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: set the power of {len(lines)} sessions at {site['name']}.",
            "data": self._changes(),
        }

    def stop_session(self, session_id: str, energy: Annotated[int, {"minimum": 0, "maximum": 900}]) -> Result:
        """End a session with the energy on the meter; the price follows from the tariff of the day it began, the
        group's discount and a fee for staying beyond four hours.

        Args:
            session_id (str): Id of the session, such as SESSION-00001.
            energy (int): Energy on the meter in kilowatt-hours, from 0 to 900.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        session = self.sessions.get(session_id)
        if session is None:
            return _refused(f"There is no session {session_id!r}.")
        if session["status"] != "charging":
            return _refused(f"The session of {self.members[session['member_id']]['name']} is {session['status']}.")
        minutes = _minutes_between(session["started_at"], self.now)
        if energy * 60 > self.chargers[session["charger_id"]]["max_kw"] * minutes + 60:
            return _refused(
                f"Charger {self.chargers[session['charger_id']]['code']} cannot have given {energy} kWh in "
                f"{minutes} minutes."
            )
        per_kwh = self._rate(self.sites[self.chargers[session["charger_id"]]["site_id"]], session["started_at"][:10])
        if per_kwh is None:
            return _refused(
                f"{self.sites[self.chargers[session['charger_id']]['site_id']]['name']} has no tariff for "
                f"{session['started_at'][:10]}."
            )
        self._journal = []
        self._put("sessions", session, "energy", energy)
        price = (
            _rounded(Fraction(per_kwh * energy * (100 - self._discount_of(self.members[session["member_id"]])), 100))
            + self._idle_fee(self.sites[self.chargers[session["charger_id"]]["site_id"]], minutes)
        )
        if not 0 <= price <= 200000:
            return self._take_back(f"The price of {session['id']} must be between 0.00 and 2,000.00.")
        self._put("sessions", session, "price", price)
        self._put("sessions", session, "stopped_at", self.now)
        self._put("sessions", session, "status", "finished")
        member = self.members[session["member_id"]]
        self._put("members", member, "balance", self.members[session["member_id"]]["balance"] - session["price"])
        if self._breaks_rule_1(self.sites[self.chargers[session["charger_id"]]["site_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(session):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_s(session):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_s_again(session):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(session):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_s(session):
            return self._take_back(RULES[4])
        if self._breaks_rule_9(session):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(session):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: stop {self.members[session['member_id']]['name']} at "
                f"{self.chargers[session['charger_id']]['code']} with {energy} kWh."
            ),
            "data": self._changes(),
        }

    def book_charger(
        self,
        member_id: str,
        charger_id: str,
        starts: DateTime,
        hours_booked: Annotated[int, {"minimum": 1, "maximum": 4}],
    ) -> Result:
        """Book a charger for a member for some hours.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            charger_id (str): Id of the charger, such as CHARGER-00001.
            starts (str): Start of the booking, within the next seven days, as YYYY-MM-DDTHH:MM.
            hours_booked (int): Duration of the booking in hours, from 1 to 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        charger = self.chargers.get(charger_id)
        if charger is None:
            return _refused(f"There is no charger {charger_id!r}.")
        if not self._let_in(member, self.sites[charger["site_id"]]):
            return _refused(f"{self.sites[charger['site_id']]['name']} is kept for another group.")
        if not self._plugs_in(member, charger):
            return _refused(
                f"Charger {charger['code']} has {charger['plug']}, which does not fit the car of {member['name']}."
            )
        if self.now >= starts or starts > _plus_minutes(self.now, 7 * 1440):
            return _refused(f"Bookings begin within the next seven days, not at {starts}.")
        if not self._charger_usable(charger):
            return _refused(f"Charger {charger['code']} has a critical fault.")
        ends = _plus_minutes(starts, hours_booked * 60)
        held = next((each for each in self._booked_on(charger, starts, ends)), None)
        if held is not None:
            return _refused(f"Charger {charger['code']} is booked from {held['starts']} to {held['ends']}.")
        own = next((r for r in self._bookings_of(member) if _overlap(r["starts"], r["ends"], starts, ends)), None)
        if own is not None:
            return _refused(
                f"{member['name']} has a booking at {self.chargers[own['charger_id']]['code']} at that time."
            )
        if len(self._bookings_of(member)) >= 3:
            return _refused(f"{member['name']} has three bookings already.")
        if member["balance"] < 0:
            return _refused(
                f"{member['name']} owes {_money(0 - member['balance'])}, so no booking before that is paid."
            )
        self._journal = []
        reservation: Reservation = {
            "id": self._new_id("reservation", "RESERVATION", self.reservations),
            "member_id": member_id,
            "charger_id": charger_id,
            "starts": starts,
            "ends": ends,
            "status": "booked",
        }
        self._add("reservations", reservation)
        if self._breaks_rule_5_r(reservation):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(reservation):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_m(self.members[reservation["member_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a(reservation):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(reservation):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: book {charger['code']} for {member['name']} at {starts} (new: reservation "
                f"{reservation['id']})."
            ),
            "data": {"reservation_id": reservation["id"], **self._changes()},
        }

    def move_booking(self, booking_id: str, charger_id: str) -> Result:
        """Move a booking to another charger of the same site.

        Args:
            booking_id (str): Booking that has not been used or released; an id such as RESERVATION-00001.
            charger_id (str): Id of the charger, such as CHARGER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.reservations.get(booking_id)
        if booking is None:
            return _refused(f"There is no reservation {booking_id!r}.")
        charger = self.chargers.get(charger_id)
        if charger is None:
            return _refused(f"There is no charger {charger_id!r}.")
        if booking["status"] != "booked":
            return _refused(f"The booking of {self.members[booking['member_id']]['name']} is {booking['status']}.")
        if (
            charger_id == booking["charger_id"]
            or charger["site_id"] != self.chargers[booking["charger_id"]]["site_id"]
        ):
            return _refused(
                "It must be another charger at "
                f"{self.sites[self.chargers[booking['charger_id']]['site_id']]['name']}."
            )
        if charger["max_kw"] < self.chargers[booking["charger_id"]]["max_kw"]:
            return _refused(
                f"Charger {charger['code']} is weaker than the {self.chargers[booking['charger_id']]['max_kw']} "
                "kW that were booked."
            )
        if not self._plugs_in(self.members[booking["member_id"]], charger):
            return _refused(
                f"Charger {charger['code']} has {charger['plug']}, which does not fit the car of "
                f"{self.members[booking['member_id']]['name']}."
            )
        if not self._charger_usable(charger):
            return _refused(f"Charger {charger['code']} has a critical fault.")
        held = next((each for each in self._booked_on(charger, booking["starts"], booking["ends"])), None)
        if held is not None:
            return _refused(f"Charger {charger['code']} is booked from {held['starts']} to {held['ends']}.")
        self._journal = []
        self._put("reservations", booking, "charger_id", charger_id)
        if self._breaks_rule_5_r(booking):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(booking):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: move the booking of {self.members[booking['member_id']]['name']} to {charger['code']}."
            ),
            "data": self._changes(),
        }

    def release_booking(self, booking_id: str) -> Result:
        """Cancel a booking before it begins, or write off a no-show fifteen minutes after its start for 5.00.

        Args:
            booking_id (str): Booking not begun yet, or begun fifteen minutes ago without the member; an id such as
                RESERVATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        booking = self.reservations.get(booking_id)
        if booking is None:
            return _refused(f"There is no reservation {booking_id!r}.")
        if booking["status"] != "booked":
            return _refused(f"The booking of {self.members[booking['member_id']]['name']} is {booking['status']}.")
        if self.now >= booking["starts"] and self.now < _plus_minutes(booking["starts"], 15):
            return _refused(
                f"{self.members[booking['member_id']]['name']} has until {_plus_minutes(booking['starts'], 15)} "
                "to come."
            )
        self._journal = []
        changed_reservations: list[Any] = []
        if self.now < booking["starts"]:
            changed_reservations.append(booking)
            self._put("reservations", booking, "status", "cancelled")
        else:
            if booking["status"] not in ("booked", "no_show"):
                return self._take_back(f"Reservation {booking['id']} cannot go from {booking['status']} to no_show.")
            changed_reservations.append(booking)
            self._put("reservations", booking, "status", "no_show")
            member = self.members[booking["member_id"]]
            self._put("members", member, "balance", self.members[booking["member_id"]]["balance"] - 500)
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_5_r(one_reservation):
                return self._take_back(RULES[4])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_6(one_reservation):
                return self._take_back(RULES[5])
        for one_member in _distinct([self.members[one["member_id"]] for one in changed_reservations]):
            if self._breaks_rule_7_m(one_member):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_a(one_reservation):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                f"Done: release the booking of {self.members[booking['member_id']]['name']} at "
                f"{self.chargers[booking['charger_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def report_fault(
        self,
        charger_id: str,
        kind: Literal["cable", "display", "lock", "overheating", "card_reader"],
        critical: bool,
    ) -> Result:
        """Report a fault of a charger; a critical one puts it out of use, so whoever charges there is stopped first.

        Args:
            charger_id (str): Id of the charger, such as CHARGER-00001.
            kind (str): What is wrong with the charger: cable, display, lock, overheating or card_reader.
            critical (bool): Whether the fault puts the charger out of use.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        charger = self.chargers.get(charger_id)
        if charger is None:
            return _refused(f"There is no charger {charger_id!r}.")
        if any(f["fixed_at"] is None for f in self._faults_by_charger_kind.get((charger_id, kind), {}).values()):
            return _refused(f"That fault of {charger['code']} is known.")
        if critical and self._charger_taken(charger):
            return _refused(f"Somebody is charging at {charger['code']}, so stop that session first.")
        self._journal = []
        fault: Fault = {
            "id": self._new_id("fault", "FAULT", self.faults),
            "charger_id": charger_id,
            "kind": kind,
            "critical": critical,
            "reported_at": self.now,
            "fixed_at": None,
        }
        self._add("faults", fault)
        for one_session in _distinct(
            self._sessions_by_charger_status.get((fault["charger_id"], "charging"), {}).values()
        ):
            if self._breaks_rule_4(one_session):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: report {kind} at {charger['code']} (new: fault {fault['id']}).",
            "data": {"fault_id": fault["id"], **self._changes()},
        }

    def close_fault(self, fault_id: str) -> Result:
        """Close a fault that has been repaired.

        Args:
            fault_id (str): Id of the fault, such as FAULT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fault = self.faults.get(fault_id)
        if fault is None:
            return _refused(f"There is no fault {fault_id!r}.")
        if fault["fixed_at"] is not None:
            return _refused(f"That fault of {self.chargers[fault['charger_id']]['code']} was closed already.")
        self._journal = []
        self._put("faults", fault, "fixed_at", self.now)
        for one_session in _distinct(
            self._sessions_by_charger_status.get((fault["charger_id"], "charging"), {}).values()
        ):
            if self._breaks_rule_4(one_session):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: close the fault {fault['kind']} of {self.chargers[fault['charger_id']]['code']}.",
            "data": self._changes(),
        }

    def _show_site(self, site: Site) -> dict[str, Any]:
        """The site as an answer shows it."""
        return {**site, "drawn_kw": self._site_drawn_kw(site), "free_kw": self._site_free_kw(site)}

    def _show_charger(self, charger: Charger) -> dict[str, Any]:
        """The charger as an answer shows it."""
        return {**charger, "usable": self._charger_usable(charger), "taken": self._charger_taken(charger)}

    def _show_group(self, group: Group) -> dict[str, Any]:
        """The group as an answer shows it."""
        return {**group, "members": self._group_members(group)}

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "plugs": [*member["plugs"]]}

    def _names_of_sites(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sites point to."""
        return _names((self.groups, "name", [row["members_only_id"] for row in shown]))

    def _names_of_chargers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that chargers point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_members(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that members point to."""
        return _names((self.groups, "name", [row["group_id"] for row in shown]))

    def _names_of_tariffs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tariffs point to."""
        return _names((self.sites, "name", [row["site_id"] for row in shown]))

    def _names_of_sessions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sessions point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.chargers, "code", [row["charger_id"] for row in shown]),
        )

    def _names_of_reservations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reservations point to."""
        return _names(
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.chargers, "code", [row["charger_id"] for row in shown]),
        )

    def _names_of_faults(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that faults point to."""
        return _names((self.chargers, "code", [row["charger_id"] for row in shown]))

    def _site_drawn_kw(self, site: Site) -> int:
        """The drawn kw of a site."""
        return sum(
            s["kw"]
            for _charger in self._chargers_by_site.get(site["id"], {}).values()
            for s in self._sessions_by_charger_status.get((_charger["id"], "charging"), {}).values()
        )

    def _site_free_kw(self, site: Site) -> int:
        """The free kw of a site."""
        return site["limit_kw"] - self._site_drawn_kw(site)

    def _charger_usable(self, charger: Charger) -> bool:
        """The usable of a charger."""
        return not any(
            f["fixed_at"] is None
            for f in self._faults_by_charger.get(charger["id"], {}).values()
            if f["critical"]
        )

    def _charger_taken(self, charger: Charger) -> bool:
        """The taken of a charger."""
        return bool(self._sessions_by_charger_status.get((charger["id"], "charging"), {}))

    def _group_members(self, group: Group) -> int:
        """The members of a group."""
        return len(self._members_by_group.get(group["id"], {}))

    def _credit_of(self, m: Member) -> int:
        return self.groups[m["group_id"]]["credit"] if m["group_id"] is not None else 0

    def _discount_of(self, m: Member) -> int:
        return self.groups[m["group_id"]]["discount"] if m["group_id"] is not None else 0

    def _rate(self, s: Site, d: str) -> int | None:
        return min(
            [
                ((_descending(t["valid_from"]),), t["per_kwh"])
                for t in sorted(self._tariffs_by_site.get(s["id"], {}).values(), key=_age)
                if t["valid_from"] <= d
            ],
            key=lambda pair: pair[0],
            default=(None, None),
        )[1]

    def _let_in(self, m: Member, s: Site) -> bool:
        return s["members_only_id"] is None or m["group_id"] == s["members_only_id"]

    def _plugs_in(self, m: Member, c: Charger) -> bool:
        return len(m["plugs"]) == 0 or c["plug"] in m["plugs"]

    def _running(self, m: Member) -> Session | None:
        return next(
            (s for s in sorted(self._sessions_by_member_status.get((m["id"], "charging"), {}).values(), key=_age)),
            None,
        )

    def _booked_on(self, c: Charger, a: str, b: str) -> list[Reservation]:
        return [
            r
            for r in sorted(self._reservations_by_charger_status.get((c["id"], "booked"), {}).values(), key=_age)
            if _overlap(r["starts"], r["ends"], a, b)
        ]

    def _bookings_of(self, m: Member) -> list[Reservation]:
        return sorted(self._reservations_by_member_status.get((m["id"], "booked"), {}).values(), key=_age)

    def _idle_fee(self, s: Site, minutes: int) -> int:
        return min(1200, s["per_idle_minute"] * max(0, minutes - 240))

    def _breaks_rule_1(self, s: Site) -> bool:
        """Whether this is broken: the sessions of a site together never get more power than its connection allows.
        """
        return self._site_drawn_kw(s) > s["limit_kw"]

    def _breaks_rule_2(self, s: Session) -> bool:
        """Whether this is broken: a session never gets more power than its charger has."""
        return s["status"] == "charging" and s["kw"] > self.chargers[s["charger_id"]]["max_kw"]

    def _breaks_rule_3_s(self, s: Session) -> bool:
        """Whether this is broken: a charger has one session at a time, and so has a member."""
        return (
            s["status"] == "charging"
            and any(
                other_s is not s
                for other_s in self._sessions_by_charger_status.get((s["charger_id"], "charging"), {}).values()
            )
        )

    def _breaks_rule_3_s_again(self, s: Session) -> bool:
        """Whether this is broken: a charger has one session at a time, and so has a member."""
        return (
            s["status"] == "charging"
            and any(
                other_s is not s
                for other_s in self._sessions_by_member_status.get((s["member_id"], "charging"), {}).values()
            )
        )

    def _breaks_rule_4(self, s: Session) -> bool:
        """Whether this is broken: nobody charges at a charger with a critical fault."""
        return s["status"] == "charging" and not self._charger_usable(self.chargers[s["charger_id"]])

    def _breaks_rule_5_s(self, s: Session) -> bool:
        """Whether this is broken: at a site that is kept for a group only its members charge or have a booking."""
        return (
            s["status"] == "charging"
            and not self._let_in(self.members[s["member_id"]], self.sites[self.chargers[s["charger_id"]]["site_id"]])
        )

    def _breaks_rule_5_r(self, r: Reservation) -> bool:
        """Whether this is broken: at a site that is kept for a group only its members charge or have a booking."""
        return (
            r["status"] == "booked"
            and not self._let_in(self.members[r["member_id"]], self.sites[self.chargers[r["charger_id"]]["site_id"]])
        )

    def _breaks_rule_6(self, a: Reservation) -> bool:
        """Whether this is broken: the bookings of a charger never overlap."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._reservations_by_charger_status.get((a["charger_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_7_m(self, m: Member) -> bool:
        """Whether this is broken: a member has at most three bookings and never two at the same time."""
        return len(self._bookings_of(m)) > 3

    def _breaks_rule_7_a(self, a: Reservation) -> bool:
        """Whether this is broken: a member has at most three bookings and never two at the same time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
                for b in self._reservations_by_member_status.get((a["member_id"], "booked"), {}).values()
                if a is not b
            )
        )

    def _breaks_rule_8(self, r: Reservation) -> bool:
        """Whether this is broken: a booking lasts one to four hours."""
        return 60 > _minutes_between(r["starts"], r["ends"]) or _minutes_between(r["starts"], r["ends"]) > 240

    def _breaks_rule_9(self, s: Session) -> bool:
        """Whether this is broken: a finished session has a time, an energy and a price, and a running one has none of
        them.
        """
        return (
            (s["status"] == "finished") != (s["price"] is not None)
            or (s["energy"] is None) != (s["price"] is None)
            or (s["stopped_at"] is None) != (s["price"] is None)
        )

    def _breaks_rule_10(self, s: Session) -> bool:
        """Whether this is broken: no session took more energy than its charger can deliver in the time."""
        return (
            s["energy"] is not None
            and s["stopped_at"] is not None
            and s["energy"] * 60 > self.chargers[s["charger_id"]]["max_kw"] * _minutes_between(
                s["started_at"],
                s["stopped_at"],
            ) + 60
        )

    def _breaks_rule_11(self, t: Tariff) -> bool:
        """Whether this is broken: a site has one tariff from any one day."""
        return any(
            other_t is not t
            for other_t in self._tariffs_by_site.get(t["site_id"], {}).values()
            if other_t["valid_from"] == t["valid_from"]
        )

    def _breaks_rule_12(self, g: Group) -> bool:
        """Whether this is broken: a group never has more members than places."""
        return self._group_members(g) > g["places"]

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
            case "chargers":
                self._chargers_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "members":
                self._members_by_group.setdefault(record["group_id"], {})[record["id"]] = record
            case "tariffs":
                self._tariffs_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "sessions":
                self._sessions_by_charger_status.setdefault(
                    (record["charger_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sessions_by_member_status.setdefault(
                    (record["member_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._sessions_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "reservations":
                self._reservations_by_charger_status.setdefault(
                    (record["charger_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._reservations_by_member_status.setdefault(
                    (record["member_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "faults":
                self._faults_by_charger.setdefault(record["charger_id"], {})[record["id"]] = record
                self._faults_by_charger_kind.setdefault((record["charger_id"], record["kind"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "chargers":
                del self._chargers_by_site[record["site_id"]][record["id"]]
            case "members":
                del self._members_by_group[record["group_id"]][record["id"]]
            case "tariffs":
                del self._tariffs_by_site[record["site_id"]][record["id"]]
            case "sessions":
                del self._sessions_by_charger_status[record["charger_id"], record["status"]][record["id"]]
                del self._sessions_by_member_status[record["member_id"], record["status"]][record["id"]]
                del self._sessions_by_status[record["status"]][record["id"]]
            case "reservations":
                del self._reservations_by_charger_status[record["charger_id"], record["status"]][record["id"]]
                del self._reservations_by_member_status[record["member_id"], record["status"]][record["id"]]
            case "faults":
                del self._faults_by_charger[record["charger_id"]][record["id"]]
                del self._faults_by_charger_kind[record["charger_id"], record["kind"]][record["id"]]
