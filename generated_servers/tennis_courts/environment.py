"""Tennis courts. Compiled from blueprint.yaml; run `envscaler build tennis_courts` after changing it there.

Books the courts of a club by surface and hour within the rights of its members, with guests, lights, rain and
team matches that go first.
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
    "A court is used by one reservation at a time.",
    "Nobody plays on a court during a team match.",
    "Nobody plays on a court that is closed.",
    "Two team matches never share a court.",
    "A team match has the courts the team needs, of its surface.",
    "A team plays once a day.",
    "No member plays on two courts at a time.",
    "No member plays more often a day than their rights allow.",
    "Two to four people share a court, each member once.",
    "After eight in the evening only courts with lights are used.",
    "What was called off by rain or a match is not charged.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "book_court",
    "cancel_booking",
    "change_court",
    "change_players",
    "plan_fixture",
    "call_off_fixture",
    "close_court",
    "open_court",
    "pay_charge",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "courts": ("name",),
    "members": ("name",),
    "teams": ("name",),
    "fixtures": (),
    "reservations": (),
    "closures": (),
    "charges": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("charges", "member_id"),
    ("charges", "reservation_id"),
    ("closures", "court_id"),
    ("fixtures", "court_ids"),
    ("fixtures", "played_on"),
    ("fixtures", "status"),
    ("fixtures", "team_id"),
    ("reservations", "court_id"),
    ("reservations", "played_on"),
    ("reservations", "player_ids"),
    ("reservations", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Court(TypedDict):
    id: str
    name: str
    surface: Literal["clay", "hard", "carpet"]
    roofed: bool
    lit: bool
    guest_fee: int
    light_fee: int


class Member(TypedDict):
    id: str
    name: str
    group: Literal["adult", "youth", "veteran"]
    a_day: int


class Team(TypedDict):
    id: str
    name: str
    captain_id: str
    needs_courts: int
    surface: Literal["clay", "hard", "carpet"]


class Fixture(TypedDict):
    id: str
    team_id: str
    played_on: str
    from_hour: int
    to_hour: int
    court_ids: list[str]
    status: Literal["planned", "called_off"]


class Reservation(TypedDict):
    id: str
    court_id: str
    played_on: str
    from_hour: int
    to_hour: int
    booked_by_id: str
    player_ids: list[str]
    guests: int
    status: Literal["booked", "cancelled", "displaced", "rained_off"]


class Closure(TypedDict):
    id: str
    court_id: str
    closed_on: str
    from_hour: int
    to_hour: int
    reason: Literal["rain", "frost", "roller", "repair"]


class Charge(TypedDict):
    id: str
    member_id: str
    reservation_id: str
    amount: int
    paid: bool


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class TennisCourts:
    """Books the courts of a club by surface and hour within the rights of its members, with guests,
    lights, rain and team matches that go first.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.courts: dict[str, Court] = _copied(config.get("courts", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.fixtures: dict[str, Fixture] = _copied(config.get("fixtures", {}))
        self.reservations: dict[str, Reservation] = _copied(config.get("reservations", {}))
        self.closures: dict[str, Closure] = _copied(config.get("closures", {}))
        self.charges: dict[str, Charge] = _copied(config.get("charges", {}))
        self.now: str = config.get("now", "2026-06-18T09:00")
        self.counters: dict[str, int] = {
            "court": len(self.courts),
            "member": len(self.members),
            "team": len(self.teams),
            "fixture": len(self.fixtures),
            "reservation": len(self.reservations),
            "closure": len(self.closures),
            "charge": len(self.charges),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._fixtures_by_courts: dict[Any, dict[str, Fixture]] = {}
        self._fixtures_by_played_on_status: dict[Any, dict[str, Fixture]] = {}
        self._fixtures_by_team_status: dict[Any, dict[str, Fixture]] = {}
        self._reservations_by_court: dict[Any, dict[str, Reservation]] = {}
        self._reservations_by_court_status: dict[Any, dict[str, Reservation]] = {}
        self._reservations_by_played_on_status: dict[Any, dict[str, Reservation]] = {}
        self._reservations_by_players: dict[Any, dict[str, Reservation]] = {}
        self._closures_by_court: dict[Any, dict[str, Closure]] = {}
        self._charges_by_member: dict[Any, dict[str, Charge]] = {}
        self._charges_by_reservation: dict[Any, dict[str, Charge]] = {}
        for fixture in self.fixtures.values():
            self._link("fixtures", fixture)
        for reservation in self.reservations.values():
            self._link("reservations", reservation)
        for closure in self.closures.values():
            self._link("closures", closure)
        for charge in self.charges.values():
            self._link("charges", charge)

    def free_courts(
        self,
        on: Date,
        from_hour: Annotated[int, {"minimum": 7, "maximum": 21}],
        to_hour: Annotated[int, {"minimum": 8, "maximum": 22}],
        surface: Literal["clay", "hard", "carpet"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Courts that can be booked for some hours of a day, with surface and lights.

        Args:
            on (str): Day on which the courts are wanted, as YYYY-MM-DD.
            from_hour (int): Full hour of the day at which play would begin, from 7 to 21.
            to_hour (int): Full hour of the day at which play would end, after the beginning, from 8 to 22.
            surface (str, optional): Surface of the courts listed: clay, hard or carpet. If left out, courts of all
                surfaces are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "courts": records}} or {"success": False, "error": why
                not}
        """
        if from_hour >= to_hour:
            return _refused(f"The last hour must come after {from_hour}.")
        found = [
            c
            for c in self.courts.values()
            if self._free(c, on, from_hour, to_hour)
            and (surface is None or c["surface"] == surface)
        ]
        found.sort(key=lambda c: (c["guest_fee"], c["name"], _age(c)))
        return _found({"total": len(found), "courts": [{**c} for c in _page(found, offset)]})

    def plan_of_day(
        self,
        on: Date,
        court_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who plays where on a day.

        Args:
            on (str): Day whose reservations are listed, as YYYY-MM-DD.
            court_id (str, optional): Court whose reservations are listed; an id such as COURT-00001. If left out,
                the reservations of all courts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reservations": records}} or {"success": False, "error":
                why not}
        """
        court = self.courts.get(court_id) if court_id is not None else None
        if court_id is not None and court is None:
            return _refused(f"There is no court {court_id!r}.")
        found = [
            r
            for r in self.reservations.values()
            if (r["status"] == "booked" and r["played_on"] == on)
            and (court_id is None or r["court_id"] == court_id)
        ]
        found.sort(key=lambda r: (self.courts[r["court_id"]]["name"], r["from_hour"], _age(r)))
        return _found(
            {
                "total": len(found),
                "reservations": [
                    {
                        "id": r["id"],
                        "court": self.courts[r["court_id"]]["name"],
                        "from_hour": r["from_hour"],
                        "to_hour": r["to_hour"],
                        "booked_by": self.members[r["booked_by_id"]]["name"],
                        "players": [*[m["name"] for m in [self.members[key] for key in r["player_ids"]]]],
                        "guests": r["guests"],
                    }
                    for r in _page(found, offset)
                ],
            }
        )

    def rights(self, member_id: str, on: Date) -> Result:
        """How often a member may still play on a day, and what they owe.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            on (str): Day on which the member wants to play, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {left, owes}} or {"success": False, "error": why not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        return _found(
            {"left": max(0, member["a_day"] - self._rights_used(member, on)), "owes": self._member_owes(member)}
        )

    def list_courts(
        self,
        name: Text | None = None,
        surface: Literal["clay", "hard", "carpet"] | None = None,
        roofed: bool | None = None,
        lit: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the courts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only courts whose name contains this text.
            surface (str, optional): Only courts with this surface.
            roofed (bool, optional): Only courts that are roofed (true) or not (false).
            lit (bool, optional): Only courts with this value of `lit`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "courts": records}}
        """
        found = [
            court
            for court in self.courts.values()
            if (name is None or name.casefold() in court["name"].casefold())
            and (surface is None or court["surface"] == surface)
            and (roofed is None or court["roofed"] == roofed)
            and (lit is None or court["lit"] == lit)
        ]
        return _found({"total": len(found), "courts": [{**court} for court in _page(found, offset)]})

    def list_members(
        self,
        name: Text | None = None,
        group: Literal["adult", "youth", "veteran"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            group (str, optional): Only members with this group.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (group is None or member["group"] == group)
        ]
        return _found(
            {"total": len(found), "members": [self._show_member(member) for member in _page(found, offset)]}
        )

    def list_teams(
        self,
        name: Text | None = None,
        captain_id: str | None = None,
        surface: Literal["clay", "hard", "carpet"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            captain_id (str, optional): Only teams whose captain is this member.
            surface (str, optional): Only teams with this surface.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        if captain_id is not None and captain_id not in self.members:
            return _refused(f"There is no member {captain_id!r}.")
        found = [
            team
            for team in self.teams.values()
            if (name is None or name.casefold() in team["name"].casefold())
            and (captain_id is None or team["captain_id"] == captain_id)
            and (surface is None or team["surface"] == surface)
        ]
        shown = [{**team} for team in _page(found, offset)]
        return _found({"total": len(found), "teams": shown}, self._names_of_teams(shown))

    def list_fixtures(
        self,
        team_id: str | None = None,
        status: Literal["planned", "called_off"] | None = None,
        played_on_from: Date | None = None,
        played_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fixtures, oldest first, all of them or only some.

        Args:
            team_id (str, optional): Only fixtures of this team.
            status (str, optional): Only fixtures with this status.
            played_on_from (str, optional): Only fixtures whose `played_on` is on this day or later.
            played_on_to (str, optional): Only fixtures whose `played_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fixtures": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            fixture
            for fixture in self.fixtures.values()
            if (team_id is None or fixture["team_id"] == team_id)
            and (status is None or fixture["status"] == status)
            and (played_on_from is None or fixture["played_on"] >= played_on_from)
            and (played_on_to is None or fixture["played_on"] <= played_on_to)
        ]
        shown = [self._show_fixture(fixture) for fixture in _page(found, offset)]
        return _found({"total": len(found), "fixtures": shown}, self._names_of_fixtures(shown))

    def get_reservation(self, reservation_id: str) -> Result:
        """Look up one reservation by its id.

        Args:
            reservation_id (str): Id of the reservation, such as RESERVATION-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        reservation = self.reservations.get(reservation_id)
        if reservation is None:
            return _refused(f"There is no reservation {reservation_id!r}.")
        shown = self._show_reservation(reservation)
        return _found(shown, self._names_of_reservations([shown]))

    def list_reservations(
        self,
        court_id: str | None = None,
        booked_by_id: str | None = None,
        status: Literal["booked", "cancelled", "displaced", "rained_off"] | None = None,
        played_on_from: Date | None = None,
        played_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reservations, oldest first, all of them or only some.

        Args:
            court_id (str, optional): Only reservations of this court.
            booked_by_id (str, optional): Only reservations booked by this member.
            status (str, optional): Only reservations with this status.
            played_on_from (str, optional): Only reservations whose `played_on` is on this day or later.
            played_on_to (str, optional): Only reservations whose `played_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reservations": records}}
        """
        if court_id is not None and court_id not in self.courts:
            return _refused(f"There is no court {court_id!r}.")
        if booked_by_id is not None and booked_by_id not in self.members:
            return _refused(f"There is no member {booked_by_id!r}.")
        found = [
            reservation
            for reservation in self.reservations.values()
            if (court_id is None or reservation["court_id"] == court_id)
            and (booked_by_id is None or reservation["booked_by_id"] == booked_by_id)
            and (status is None or reservation["status"] == status)
            and (played_on_from is None or reservation["played_on"] >= played_on_from)
            and (played_on_to is None or reservation["played_on"] <= played_on_to)
        ]
        shown = [self._show_reservation(reservation) for reservation in _page(found, offset)]
        return _found({"total": len(found), "reservations": shown}, self._names_of_reservations(shown))

    def list_closures(
        self,
        court_id: str | None = None,
        reason: Literal["rain", "frost", "roller", "repair"] | None = None,
        closed_on_from: Date | None = None,
        closed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the closures, oldest first, all of them or only some.

        Args:
            court_id (str, optional): Only closures of this court.
            reason (str, optional): Only closures with this reason.
            closed_on_from (str, optional): Only closures whose `closed_on` is on this day or later.
            closed_on_to (str, optional): Only closures whose `closed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "closures": records}}
        """
        if court_id is not None and court_id not in self.courts:
            return _refused(f"There is no court {court_id!r}.")
        found = [
            closure
            for closure in self.closures.values()
            if (court_id is None or closure["court_id"] == court_id)
            and (reason is None or closure["reason"] == reason)
            and (closed_on_from is None or closure["closed_on"] >= closed_on_from)
            and (closed_on_to is None or closure["closed_on"] <= closed_on_to)
        ]
        shown = [{**closure} for closure in _page(found, offset)]
        return _found({"total": len(found), "closures": shown}, self._names_of_closures(shown))

    def list_charges(
        self,
        member_id: str | None = None,
        reservation_id: str | None = None,
        paid: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the charges, oldest first, all of them or only some.

        Args:
            member_id (str, optional): Only charges of this member.
            reservation_id (str, optional): Only charges of this reservation.
            paid (bool, optional): Only charges that are paid (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "charges": records}}
        """
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if reservation_id is not None and reservation_id not in self.reservations:
            return _refused(f"There is no reservation {reservation_id!r}.")
        found = [
            charge
            for charge in self.charges.values()
            if (member_id is None or charge["member_id"] == member_id)
            and (reservation_id is None or charge["reservation_id"] == reservation_id)
            and (paid is None or charge["paid"] == paid)
        ]
        shown = [{**charge} for charge in _page(found, offset)]
        return _found({"total": len(found), "charges": shown}, self._names_of_charges(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def book_court(
        self,
        court_id: str,
        played_on: Date,
        from_hour: Annotated[int, {"minimum": 7, "maximum": 21}],
        length: Annotated[int, {"minimum": 1, "maximum": 2}],
        booked_by_id: str,
        other_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
        guests: Annotated[int, {"minimum": 0, "maximum": 3}] = 0,
    ) -> Result:
        """Book a court for one or two hours; guests and lights are charged to whoever books.

        Args:
            court_id (str): Id of the court, such as COURT-00001.
            played_on (str): Day of play, from today on and within 14 days, as YYYY-MM-DD.
            from_hour (int): Full hour of the day at which play begins, from 7 to 21.
            length (int): Length of play in hours, from 1 to 2.
            booked_by_id (str): Member who books, plays and pays for guests and lights; an id such as MEMBER-00001.
            other_ids (list): Further members who play, two to four people in all with guests: ids of members, such
                as MEMBER-00001. If left out, no other member plays.
            guests (int): How many people play who are not members, charged to whoever books, from 0 to 3. Default:
                0.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        court = self.courts.get(court_id)
        if court is None:
            return _refused(f"There is no court {court_id!r}.")
        booked_by = self.members.get(booked_by_id)
        if booked_by is None:
            return _refused(f"There is no member {booked_by_id!r}.")
        others = []
        for key in other_ids or []:
            if key not in self.members:
                return _refused(f"There is no member {key!r}.")
            others.append(self.members[key])
        if self.now[:10] > played_on or played_on > _plus_days(self.now[:10], 14):
            return _refused(f"Courts are booked from {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        until = from_hour + length
        if until > 22:
            return _refused("The courts close at 22.")
        if not (booked_by not in others and _different([m["id"] for m in others])):
            return _refused("A player is named twice.")
        if 2 > len(others) + 1 + guests or len(others) + 1 + guests > 4:
            return _refused(f"Two to four people play, not {len(others) + 1 + guests}.")
        closed = self._shut(court, played_on, from_hour, until)
        if closed is not None:
            return _refused(
                f"{court['name']} is closed for {closed['reason']} from {closed['from_hour']} to {closed['to_hour']}."
            )
        team = self._match_on(court, played_on, from_hour, until)
        if team is not None:
            return _refused(
                f"{self.teams[team['team_id']]['name']} has a match on {court['name']} from {team['from_hour']} "
                f"to {team['to_hour']}."
            )
        taken = self._in_use(court, played_on, from_hour, until)
        if taken is not None:
            return _refused(
                f"{court['name']} is booked by {self.members[taken['booked_by_id']]['name']} from "
                f"{taken['from_hour']} to {taken['to_hour']}."
            )
        if until > 20 and not court["lit"]:
            return _refused(f"{court['name']} has no lights, and it is dark after 20.")
        all_players = [booked_by] + others
        tied = next((m for m in all_players if self._busy(m, played_on, from_hour, until) is not None), None)
        if tied is not None:
            return _refused(f"{tied['name']} plays on another court then.")
        worn = next((m for m in all_players if self._rights_used(m, played_on) >= m["a_day"]), None)
        if worn is not None:
            return _refused(
                f"{worn['name']} may play {worn['a_day']} times a day and does so on {played_on} already."
            )
        if not (until <= 18 or any(m["group"] != "youth" for m in all_players)):
            return _refused("After 18 youth play with an adult only.")
        if self._member_owes(booked_by) > 5000:
            return _refused(f"{booked_by['name']} owes {_money(self._member_owes(booked_by))} and pays that first.")
        self._journal = []
        added_charges: list[Any] = []
        if not 8 <= until <= 22:
            return self._take_back("The to hour of a reservation must be between 8 and 22.")
        r: Reservation = {
            "id": self._new_id("reservation", "RESERVATION", self.reservations),
            "court_id": court_id,
            "played_on": played_on,
            "from_hour": from_hour,
            "to_hour": until,
            "booked_by_id": booked_by_id,
            "player_ids": [record["id"] for record in all_players],
            "guests": guests,
            "status": "booked",
        }
        self._add("reservations", r)
        if guests > 0 or self._light_hours(from_hour, until) > 0:
            amount = court["guest_fee"] * guests * length + court["light_fee"] * self._light_hours(from_hour, until)
            if not 0 <= amount <= 50000:
                return self._take_back("The amount of a charge must be between 0.00 and 500.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "member_id": booked_by_id,
                "reservation_id": r["id"],
                "amount": amount,
                "paid": False,
            }
            self._add("charges", charge)
            added_charges.append(charge)
        if self._breaks_rule_1(r):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(r):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(r):
            return self._take_back(RULES[2])
        if self._breaks_rule_7_a(r):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(r):
            return self._take_back(RULES[6])
        for one_reservation in _distinct(
            [
                r,
                *[
                    user
                    for one in [self.members[key] for key in r["player_ids"]]
                    for user in self._reservations_by_players.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_reservation):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(r):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_r(r):
            return self._take_back(RULES[9])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_11(one_charge):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: book {court['name']} for {booked_by['name']} on {played_on} at {from_hour} (new: "
                f"reservation {r['id']})."
            ),
            "data": {"reservation_id": r["id"], **self._changes()},
        }

    def cancel_booking(self, reservation_id: str) -> Result:
        """Cancel a reservation; before its day nothing is charged.

        Args:
            reservation_id (str): Id of the reservation, such as RESERVATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reservation = self.reservations.get(reservation_id)
        if reservation is None:
            return _refused(f"There is no reservation {reservation_id!r}.")
        if reservation["status"] != "booked":
            return _refused(f"That reservation is {reservation['status']}.")
        if reservation["played_on"] < self.now[:10]:
            return _refused(f"It was for {reservation['played_on']}.")
        self._journal = []
        deleted_charges: list[Any] = []
        self._put("reservations", reservation, "status", "cancelled")
        for c in [
            c
            for c in sorted(self._charges_by_reservation.get(reservation_id, {}).values(), key=_age)
            if not c["paid"]
            and reservation["played_on"] > self.now[:10]
        ]:
            if c["id"] in self.charges:
                self._remove("charges", c)
            deleted_charges.append(c)
        if self._breaks_rule_1(reservation):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(reservation):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(reservation):
            return self._take_back(RULES[2])
        if self._breaks_rule_7_a(reservation):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(reservation):
            return self._take_back(RULES[6])
        for one_reservation in _distinct(
            [
                reservation,
                *[
                    user
                    for one in [self.members[key] for key in reservation["player_ids"]]
                    for user in self._reservations_by_players.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_reservation):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_r(reservation):
            return self._take_back(RULES[9])
        for one_charge in _distinct(self._charges_by_reservation.get(reservation["id"], {}).values()):
            if one_charge["id"] in self.charges and self._breaks_rule_11(one_charge):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel {self.courts[reservation['court_id']]['name']} of "
                f"{self.members[reservation['booked_by_id']]['name']} on {reservation['played_on']}."
            ),
            "data": self._changes(),
        }

    def change_court(self, reservation_id: str, court_id: str) -> Result:
        """Let a reservation take place on another court at the same hour; what is not paid yet is charged at the fees
        of the new one.

        Args:
            reservation_id (str): Id of the reservation, such as RESERVATION-00001.
            court_id (str): Id of the court, such as COURT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reservation = self.reservations.get(reservation_id)
        if reservation is None:
            return _refused(f"There is no reservation {reservation_id!r}.")
        court = self.courts.get(court_id)
        if court is None:
            return _refused(f"There is no court {court_id!r}.")
        if reservation["status"] != "booked" or reservation["played_on"] < self.now[:10]:
            return _refused(f"That reservation is over or {reservation['status']}.")
        if court_id == reservation["court_id"]:
            return _refused(f"It is on {court['name']} already.")
        if not self._free(court, reservation["played_on"], reservation["from_hour"], reservation["to_hour"]):
            return _refused(
                f"{court['name']} is not free from {reservation['from_hour']} to {reservation['to_hour']}."
            )
        self._journal = []
        deleted_charges: list[Any] = []
        added_charges: list[Any] = []
        self._put("reservations", reservation, "court_id", court_id)
        for c in [
            c
            for c in sorted(self._charges_by_reservation.get(reservation_id, {}).values(), key=_age)
            if not c["paid"]
        ]:
            if c["id"] in self.charges:
                self._remove("charges", c)
            deleted_charges.append(c)
        fee = (
            court["guest_fee"] * reservation["guests"] * (reservation["to_hour"] - reservation["from_hour"])
            + court["light_fee"] * self._light_hours(reservation["from_hour"], reservation["to_hour"])
        )
        paid = sum(c["amount"] for c in self._charges_by_reservation.get(reservation_id, {}).values())
        if fee > paid:
            amount = fee - paid
            if not 0 <= amount <= 50000:
                return self._take_back("The amount of a charge must be between 0.00 and 500.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "member_id": reservation["booked_by_id"],
                "reservation_id": reservation_id,
                "amount": amount,
                "paid": False,
            }
            self._add("charges", charge)
            added_charges.append(charge)
        if self._breaks_rule_1(reservation):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(reservation):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(reservation):
            return self._take_back(RULES[2])
        if self._breaks_rule_10_r(reservation):
            return self._take_back(RULES[9])
        for one_charge in _distinct(added_charges):
            if one_charge["id"] in self.charges and self._breaks_rule_11(one_charge):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: move {self.members[reservation['booked_by_id']]['name']} to {court['name']}.",
            "data": self._changes(),
        }

    def change_players(self, reservation_id: str, member_id: str | None = None) -> Result:
        """Let a member or a guest join a reservation.

        Args:
            reservation_id (str): Id of the reservation, such as RESERVATION-00001.
            member_id (str, optional): Member who joins; an id such as MEMBER-00001. If left out, a guest joins,
                charged to whoever booked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        reservation = self.reservations.get(reservation_id)
        if reservation is None:
            return _refused(f"There is no reservation {reservation_id!r}.")
        member = self.members.get(member_id) if member_id is not None else None
        if member_id is not None and member is None:
            return _refused(f"There is no member {member_id!r}.")
        if reservation["status"] != "booked" or reservation["played_on"] < self.now[:10]:
            return _refused(f"That reservation is over or {reservation['status']}.")
        if len(reservation["player_ids"]) + reservation["guests"] >= 4:
            return _refused("Four people play already.")
        if member_id is not None and member_id in reservation["player_ids"]:
            return _refused(f"{member['name']} plays there already.")
        if (
            member_id is not None
            and self._busy(
                member,
                reservation["played_on"],
                reservation["from_hour"],
                reservation["to_hour"],
            ) is not None
        ):
            return _refused(f"{member['name']} plays on another court then.")
        if member_id is not None and self._rights_used(member, reservation["played_on"]) >= member["a_day"]:
            return _refused(f"{member['name']} has used the rights for {reservation['played_on']}.")
        self._journal = []
        changed_reservations: list[Any] = []
        former_player_ids: list[Any] = []
        changed_reservations_2: list[Any] = []
        added_charges: list[Any] = []
        if member_id is not None:
            changed_reservations.append(reservation)
            former_player_ids.extend(reservation["player_ids"])
            self._put(
                "reservations",
                reservation,
                "player_ids",
                [record["id"] for record in [self.members[key] for key in reservation["player_ids"]] + [member]],
            )
        else:
            guests = reservation["guests"] + 1
            if not 0 <= guests <= 3:
                return self._take_back(f"The guests of {reservation['id']} must be between 0 and 3.")
            changed_reservations_2.append(reservation)
            self._put("reservations", reservation, "guests", guests)
            amount = self.courts[reservation["court_id"]]["guest_fee"] * (
                reservation["to_hour"] - reservation["from_hour"]
            )
            if not 0 <= amount <= 50000:
                return self._take_back("The amount of a charge must be between 0.00 and 500.00.")
            charge = {
                "id": self._new_id("charge", "CHARGE", self.charges),
                "member_id": reservation["booked_by_id"],
                "reservation_id": reservation_id,
                "amount": amount,
                "paid": False,
            }
            self._add("charges", charge)
            added_charges.append(charge)
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_a(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_b(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(
            [
                *changed_reservations,
                *[
                    user
                    for one in [self.members[key] for one in changed_reservations for key in one["player_ids"]]
                    for user in self._reservations_by_players.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.members.get(key) for key in former_player_ids]
                    if one is not None
                    for user in self._reservations_by_players.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_reservation):
                return self._take_back(RULES[7])
        for one_reservation in _distinct([*changed_reservations, *changed_reservations_2]):
            if self._breaks_rule_9(one_reservation):
                return self._take_back(RULES[8])
        for one_charge in _distinct(added_charges):
            if self._breaks_rule_11(one_charge):
                return self._take_back(RULES[10])
        done = f"let somebody join {self.members[reservation['booked_by_id']]['name']}"
        if member is not None:
            done += f", {member['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def plan_fixture(
        self,
        team_id: str,
        played_on: Date,
        from_hour: Annotated[int, {"minimum": 8, "maximum": 20}],
        to_hour: Annotated[int, {"minimum": 9, "maximum": 22}],
        court_ids: Annotated[list[str], {"maxItems": 20}],
    ) -> Result:
        """Plan a team match on courts of its surface; reservations in its way are displaced and not charged.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            played_on (str): Day of the team match, after today, as YYYY-MM-DD.
            from_hour (int): Full hour of the day at which the match begins, from 8 to 20.
            to_hour (int): Full hour of the day at which the match ends, after the beginning, from 9 to 22.
            court_ids (list): Courts for the match, as many as the team needs and of its surface: ids of courts,
                such as COURT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        courts = []
        for key in court_ids:
            if key not in self.courts:
                return _refused(f"There is no court {key!r}.")
            courts.append(self.courts[key])
        if played_on <= self.now[:10]:
            return _refused("Team matches are planned a day ahead at the latest.")
        if from_hour >= to_hour:
            return _refused(f"The last hour must come after {from_hour}.")
        if any(
            each["played_on"] == played_on
            for each in self._fixtures_by_team_status.get((team_id, "planned"), {}).values()
        ):
            return _refused(f"{team['name']} plays on {played_on} already.")
        if not (_different([c["id"] for c in courts]) and len(courts) == team["needs_courts"]):
            return _refused(f"{team['name']} needs {team['needs_courts']} courts, each named once.")
        if not all(c["surface"] == team["surface"] for c in courts):
            return _refused(f"{team['name']} plays on {team['surface']}.")
        dark = next((c for c in courts if not c["lit"]), None)
        if to_hour > 20 and dark is not None:
            return _refused(f"{dark['name']} has no lights, and it is dark after 20.")
        other = next((c for c in courts if self._match_on(c, played_on, from_hour, to_hour) is not None), None)
        if other is not None:
            return _refused(f"Another team has {other['name']} at that time.")
        closed = next((c for c in courts if self._shut(c, played_on, from_hour, to_hour) is not None), None)
        if closed is not None:
            return _refused(f"{closed['name']} is closed at that time.")
        self._journal = []
        changed_reservations: list[Any] = []
        deleted_charges: list[Any] = []
        fixture: Fixture = {
            "id": self._new_id("fixture", "FIXTURE", self.fixtures),
            "team_id": team_id,
            "played_on": played_on,
            "from_hour": from_hour,
            "to_hour": to_hour,
            "court_ids": [record["id"] for record in courts],
            "status": "planned",
        }
        self._add("fixtures", fixture)
        for r in [
            r
            for r in sorted(
                _distinct(
                    [
                        r
                        for key in [record["id"] for record in courts]
                        for r in self._reservations_by_court.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if r["played_on"] == played_on
            and r["status"] == "booked"
            and _overlap(r["from_hour"], r["to_hour"], from_hour, to_hour)
        ]:
            if r["status"] not in ("booked", "displaced"):
                return self._take_back(f"Reservation {r['id']} cannot go from {r['status']} to displaced.")
            changed_reservations.append(r)
            self._put("reservations", r, "status", "displaced")
            for c in [
                c
                for c in sorted(self._charges_by_reservation.get(r["id"], {}).values(), key=_age)
                if not c["paid"]
            ]:
                if c["id"] in self.charges:
                    self._remove("charges", c)
                deleted_charges.append(c)
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_1(one_reservation):
                return self._take_back(RULES[0])
        for one_reservation in _distinct(
            [
                *[
                    user
                    for one in [self.courts[key] for key in fixture["court_ids"]]
                    for user in self._reservations_by_court_status.get((one["id"], "booked"), {}).values()
                ],
                *changed_reservations,
            ]
        ):
            if self._breaks_rule_2(one_reservation):
                return self._take_back(RULES[1])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_3(one_reservation):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_a(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_a(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_b(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(
            [
                *changed_reservations,
                *[
                    user
                    for one in [self.members[key] for one in changed_reservations for key in one["player_ids"]]
                    for user in self._reservations_by_players.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_reservation):
                return self._take_back(RULES[7])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_10_r(one_reservation):
                return self._take_back(RULES[9])
        if self._breaks_rule_10_f(fixture):
            return self._take_back(RULES[9])
        for one_charge in _distinct(
            [
                user
                for one in changed_reservations
                for user in self._charges_by_reservation.get(one["id"], {}).values()
            ]
        ):
            if one_charge["id"] in self.charges and self._breaks_rule_11(one_charge):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: plan the match of {team['name']} on {played_on} (new: fixture {fixture['id']}).",
            "data": {"fixture_id": fixture["id"], **self._changes()},
        }

    def call_off_fixture(self, fixture_id: str) -> Result:
        """Call a planned team match off, so that its courts are free again.

        Args:
            fixture_id (str): Id of the fixture, such as FIXTURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        fixture = self.fixtures.get(fixture_id)
        if fixture is None:
            return _refused(f"There is no fixture {fixture_id!r}.")
        if fixture["status"] != "planned":
            return _refused("That match was called off.")
        if fixture["played_on"] < self.now[:10]:
            return _refused(f"It was on {fixture['played_on']}.")
        self._journal = []
        self._put("fixtures", fixture, "status", "called_off")
        for one_reservation in _distinct(
            [
                user
                for one in [self.courts[key] for key in fixture["court_ids"]]
                for user in self._reservations_by_court_status.get((one["id"], "booked"), {}).values()
            ]
        ):
            if self._breaks_rule_2(one_reservation):
                return self._take_back(RULES[1])
        if self._breaks_rule_4_a(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(fixture):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(fixture):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(fixture):
            return self._take_back(RULES[5])
        if self._breaks_rule_10_f(fixture):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: call the match of {self.teams[fixture['team_id']]['name']} on {fixture['played_on']} off."
            ),
            "data": self._changes(),
        }

    def close_court(
        self,
        court_id: str,
        closed_on: Date,
        from_hour: Annotated[int, {"minimum": 7, "maximum": 21}],
        to_hour: Annotated[int, {"minimum": 8, "maximum": 22}],
        reason: Literal["rain", "frost", "roller", "repair"],
    ) -> Result:
        """Close a court for some hours; who had booked it is rained off and not charged.

        Args:
            court_id (str): Id of the court, such as COURT-00001.
            closed_on (str): Day of the closure, from today on, as YYYY-MM-DD.
            from_hour (int): Full hour of the day at which the closure begins, from 7 to 21.
            to_hour (int): Full hour of the day at which the closure ends, after the beginning, from 8 to 22.
            reason (str): Why the court is closed: rain, frost, roller or repair.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        court = self.courts.get(court_id)
        if court is None:
            return _refused(f"There is no court {court_id!r}.")
        if closed_on < self.now[:10] or from_hour >= to_hour:
            return _refused("A court is closed today or later, and from an hour to a later one.")
        if reason == "rain" and court["roofed"]:
            return _refused(f"It does not rain into {court['name']}.")
        team = self._match_on(court, closed_on, from_hour, to_hour)
        if team is not None:
            return _refused(f"{self.teams[team['team_id']]['name']} has a match there; call that off first.")
        if self._shut(court, closed_on, from_hour, to_hour) is not None:
            return _refused(f"{court['name']} is closed at that time already.")
        self._journal = []
        changed_reservations: list[Any] = []
        deleted_charges: list[Any] = []
        closure: Closure = {
            "id": self._new_id("closure", "CLOSURE", self.closures),
            "court_id": court_id,
            "closed_on": closed_on,
            "from_hour": from_hour,
            "to_hour": to_hour,
            "reason": reason,
        }
        self._add("closures", closure)
        for r in [
            r
            for r in sorted(self._reservations_by_court_status.get((court_id, "booked"), {}).values(), key=_age)
            if r["played_on"] == closed_on
            and _overlap(r["from_hour"], r["to_hour"], from_hour, to_hour)
        ]:
            if r["status"] not in ("booked", "rained_off"):
                return self._take_back(f"Reservation {r['id']} cannot go from {r['status']} to rained_off.")
            changed_reservations.append(r)
            self._put("reservations", r, "status", "rained_off")
            for c in [
                c
                for c in sorted(self._charges_by_reservation.get(r["id"], {}).values(), key=_age)
                if not c["paid"]
            ]:
                if c["id"] in self.charges:
                    self._remove("charges", c)
                deleted_charges.append(c)
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_1(one_reservation):
                return self._take_back(RULES[0])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_2(one_reservation):
                return self._take_back(RULES[1])
        for one_reservation in _distinct(
            [
                *self._reservations_by_court_status.get((closure["court_id"], "booked"), {}).values(),
                *changed_reservations,
            ]
        ):
            if self._breaks_rule_3(one_reservation):
                return self._take_back(RULES[2])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_a(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_7_b(one_reservation):
                return self._take_back(RULES[6])
        for one_reservation in _distinct(
            [
                *changed_reservations,
                *[
                    user
                    for one in [self.members[key] for one in changed_reservations for key in one["player_ids"]]
                    for user in self._reservations_by_players.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_reservation):
                return self._take_back(RULES[7])
        for one_reservation in _distinct(changed_reservations):
            if self._breaks_rule_10_r(one_reservation):
                return self._take_back(RULES[9])
        for one_charge in _distinct(
            [
                user
                for one in changed_reservations
                for user in self._charges_by_reservation.get(one["id"], {}).values()
            ]
        ):
            if one_charge["id"] in self.charges and self._breaks_rule_11(one_charge):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: close {court['name']} on {closed_on} for {reason} (new: closure {closure['id']}).",
            "data": {"closure_id": closure["id"], **self._changes()},
        }

    def open_court(self, closure_id: str) -> Result:
        """Open a court again before its closure is over.

        Args:
            closure_id (str): Id of the closure, such as CLOSURE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        closure = self.closures.get(closure_id)
        if closure is None:
            return _refused(f"There is no closure {closure_id!r}.")
        if closure["closed_on"] < self.now[:10]:
            return _refused(f"That closure was on {closure['closed_on']}.")
        self._journal = []
        self._remove("closures", closure)
        for one_reservation in _distinct(
            self._reservations_by_court_status.get((closure["court_id"], "booked"), {}).values()
        ):
            if self._breaks_rule_3(one_reservation):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: open {self.courts[closure['court_id']]['name']} on {closure['closed_on']}.",
            "data": self._changes(),
        }

    def pay_charge(self, charge_id: str) -> Result:
        """Enter that a charge was paid.

        Args:
            charge_id (str): Id of the charge, such as CHARGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        charge = self.charges.get(charge_id)
        if charge is None:
            return _refused(f"There is no charge {charge_id!r}.")
        if charge["paid"]:
            return _refused(f"{self.members[charge['member_id']]['name']} has paid that.")
        self._journal = []
        self._put("charges", charge, "paid", True)
        if self._breaks_rule_11(charge):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: enter {_money(charge['amount'])} from {self.members[charge['member_id']]['name']}.",
            "data": self._changes(),
        }

    def _show_member(self, member: Member) -> dict[str, Any]:
        """The member as an answer shows it."""
        return {**member, "owes": self._member_owes(member)}

    def _show_fixture(self, fixture: Fixture) -> dict[str, Any]:
        """The fixture as an answer shows it."""
        return {**fixture, "court_ids": [*fixture["court_ids"]]}

    def _show_reservation(self, reservation: Reservation) -> dict[str, Any]:
        """The reservation as an answer shows it."""
        return {**reservation, "player_ids": [*reservation["player_ids"]]}

    def _names_of_teams(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that teams point to."""
        return _names((self.members, "name", [row["captain_id"] for row in shown]))

    def _names_of_fixtures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fixtures point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.courts, "name", [each for row in shown for each in row["court_ids"]]),
        )

    def _names_of_reservations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reservations point to."""
        return _names(
            (self.courts, "name", [row["court_id"] for row in shown]),
            (self.members, "name", [row["booked_by_id"] for row in shown]),
            (self.members, "name", [each for row in shown for each in row["player_ids"]]),
        )

    def _names_of_closures(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that closures point to."""
        return _names((self.courts, "name", [row["court_id"] for row in shown]))

    def _names_of_charges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that charges point to."""
        return _names((self.members, "name", [row["member_id"] for row in shown]))

    def _member_owes(self, member: Member) -> int:
        """The owes of a member."""
        return sum(c["amount"] for c in self._charges_by_member.get(member["id"], {}).values() if not c["paid"])

    def _in_use(self, c: Court, d: str, a: int, b: int) -> Reservation | None:
        return next(
            (
                r
                for r in sorted(self._reservations_by_court_status.get((c["id"], "booked"), {}).values(), key=_age)
                if r["played_on"] == d
                and _overlap(r["from_hour"], r["to_hour"], a, b)
            ),
            None,
        )

    def _match_on(self, c: Court, d: str, a: int, b: int) -> Fixture | None:
        return next(
            (
                f
                for f in sorted(self._fixtures_by_courts.get(c["id"], {}).values(), key=_age)
                if f["played_on"] == d
                and f["status"] == "planned"
                and _overlap(f["from_hour"], f["to_hour"], a, b)
            ),
            None,
        )

    def _shut(self, c: Court, d: str, a: int, b: int) -> Closure | None:
        return next(
            (
                x
                for x in sorted(self._closures_by_court.get(c["id"], {}).values(), key=_age)
                if x["closed_on"] == d
                and _overlap(x["from_hour"], x["to_hour"], a, b)
            ),
            None,
        )

    def _free(self, c: Court, d: str, a: int, b: int) -> bool:
        return (
            self._in_use(c, d, a, b) is None
            and self._match_on(c, d, a, b) is None
            and self._shut(c, d, a, b) is None
            and (b <= 20 or c["lit"])
        )

    def _busy(self, m: Member, d: str, a: int, b: int) -> Reservation | None:
        return next(
            (
                r
                for r in sorted(self._reservations_by_players.get(m["id"], {}).values(), key=_age)
                if r["status"] == "booked"
                and r["played_on"] == d
                and _overlap(r["from_hour"], r["to_hour"], a, b)
            ),
            None,
        )

    def _rights_used(self, m: Member, d: str) -> int:
        return sum(
            1
            for r in self._reservations_by_players.get(m["id"], {}).values()
            if r["status"] == "booked"
            and r["played_on"] == d
        )

    def _light_hours(self, a: int, b: int) -> int:
        return max(0, b - max(a, 20))

    def _ahead(self, r: Reservation) -> bool:
        return r["status"] == "booked" and r["played_on"] > self.now[:10]

    def _breaks_rule_1(self, a: Reservation) -> bool:
        """Whether this is broken: a court is used by one reservation at a time."""
        return (
            a["status"] == "booked"
            and any(
                _overlap(a["from_hour"], a["to_hour"], b["from_hour"], b["to_hour"])
                for b in self._reservations_by_court_status.get((a["court_id"], "booked"), {}).values()
                if a is not b
                and a["played_on"] == b["played_on"]
            )
        )

    def _breaks_rule_2(self, r: Reservation) -> bool:
        """Whether this is broken: nobody plays on a court during a team match."""
        return (
            r["status"] == "booked"
            and self._match_on(self.courts[r["court_id"]], r["played_on"], r["from_hour"], r["to_hour"]) is not None
        )

    def _breaks_rule_3(self, r: Reservation) -> bool:
        """Whether this is broken: nobody plays on a court that is closed."""
        return (
            r["status"] == "booked"
            and self._shut(self.courts[r["court_id"]], r["played_on"], r["from_hour"], r["to_hour"]) is not None
        )

    def _breaks_rule_4_a(self, a: Fixture) -> bool:
        """Whether this is broken: two team matches never share a court."""
        return (
            a["status"] == "planned"
            and any(
                not (
                    a is b
                    or not _overlap(a["from_hour"], a["to_hour"], b["from_hour"], b["to_hour"])
                    or not any(c["id"] in b["court_ids"] for c in [self.courts[key] for key in a["court_ids"]])
                )
                for b in self._fixtures_by_played_on_status.get((a["played_on"], "planned"), {}).values()
            )
        )

    def _breaks_rule_4_b(self, b: Fixture) -> bool:
        """Whether this is broken: two team matches never share a court."""
        return (
            b["status"] == "planned"
            and any(
                not (
                    a is b
                    or not _overlap(a["from_hour"], a["to_hour"], b["from_hour"], b["to_hour"])
                    or not any(c["id"] in b["court_ids"] for c in [self.courts[key] for key in a["court_ids"]])
                )
                for a in self._fixtures_by_played_on_status.get((b["played_on"], "planned"), {}).values()
            )
        )

    def _breaks_rule_5(self, f: Fixture) -> bool:
        """Whether this is broken: a team match has the courts the team needs, of its surface."""
        return (
            f["status"] == "planned"
            and not (
                len(f["court_ids"]) == self.teams[f["team_id"]]["needs_courts"]
                and all(
                    c["surface"] == self.teams[f["team_id"]]["surface"]
                    for c in [self.courts[key] for key in f["court_ids"]]
                )
            )
        )

    def _breaks_rule_6(self, f: Fixture) -> bool:
        """Whether this is broken: a team plays once a day."""
        return (
            f["status"] == "planned"
            and any(
                other_f is not f
                for other_f in self._fixtures_by_team_status.get((f["team_id"], "planned"), {}).values()
                if other_f["played_on"] == f["played_on"]
            )
        )

    def _breaks_rule_7_a(self, a: Reservation) -> bool:
        """Whether this is broken: no member plays on two courts at a time."""
        return (
            a["status"] == "booked"
            and any(
                not (
                    a is b
                    or not _overlap(a["from_hour"], a["to_hour"], b["from_hour"], b["to_hour"])
                    or not any(m["id"] in b["player_ids"] for m in [self.members[key] for key in a["player_ids"]])
                )
                for b in self._reservations_by_played_on_status.get((a["played_on"], "booked"), {}).values()
            )
        )

    def _breaks_rule_7_b(self, b: Reservation) -> bool:
        """Whether this is broken: no member plays on two courts at a time."""
        return (
            b["status"] == "booked"
            and any(
                not (
                    a is b
                    or not _overlap(a["from_hour"], a["to_hour"], b["from_hour"], b["to_hour"])
                    or not any(m["id"] in b["player_ids"] for m in [self.members[key] for key in a["player_ids"]])
                )
                for a in self._reservations_by_played_on_status.get((b["played_on"], "booked"), {}).values()
            )
        )

    def _breaks_rule_8(self, r: Reservation) -> bool:
        """Whether this is broken: no member plays more often a day than their rights allow."""
        return (
            r["status"] == "booked"
            and any(
                self._rights_used(m, r["played_on"]) > m["a_day"]
                for m in [self.members[key] for key in r["player_ids"]]
            )
        )

    def _breaks_rule_9(self, r: Reservation) -> bool:
        """Whether this is broken: two to four people share a court, each member once."""
        return not (
            (2 <= len(r["player_ids"]) + r["guests"] and len(r["player_ids"]) + r["guests"] <= 4)
            and _different([m["id"] for m in [self.members[key] for key in r["player_ids"]]])
            and r["booked_by_id"] in r["player_ids"]
        )

    def _breaks_rule_10_r(self, r: Reservation) -> bool:
        """Whether this is broken: after eight in the evening only courts with lights are used."""
        return r["status"] == "booked" and (r["to_hour"] > 20 and not self.courts[r["court_id"]]["lit"])

    def _breaks_rule_10_f(self, f: Fixture) -> bool:
        """Whether this is broken: after eight in the evening only courts with lights are used."""
        return (
            f["status"] == "planned"
            and not (f["to_hour"] <= 20 or all(c["lit"] for c in [self.courts[key] for key in f["court_ids"]]))
        )

    def _breaks_rule_11(self, c: Charge) -> bool:
        """Whether this is broken: what was called off by rain or a match is not charged."""
        return (
            self.reservations[c["reservation_id"]]["status"] in ("displaced", "rained_off")
            and not c["paid"]
            and c["amount"] > 0
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
            case "fixtures":
                for key in record["court_ids"]:
                    self._fixtures_by_courts.setdefault(key, {})[record["id"]] = record
                self._fixtures_by_played_on_status.setdefault(
                    (record["played_on"], record["status"]),
                    {},
                )[record["id"]] = record
                self._fixtures_by_team_status.setdefault((record["team_id"], record["status"]), {})[record["id"]] = record
            case "reservations":
                self._reservations_by_court.setdefault(record["court_id"], {})[record["id"]] = record
                self._reservations_by_court_status.setdefault(
                    (record["court_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._reservations_by_played_on_status.setdefault(
                    (record["played_on"], record["status"]),
                    {},
                )[record["id"]] = record
                for key in record["player_ids"]:
                    self._reservations_by_players.setdefault(key, {})[record["id"]] = record
            case "closures":
                self._closures_by_court.setdefault(record["court_id"], {})[record["id"]] = record
            case "charges":
                self._charges_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._charges_by_reservation.setdefault(record["reservation_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "fixtures":
                for key in record["court_ids"]:
                    self._fixtures_by_courts[key].pop(record["id"], None)
                del self._fixtures_by_played_on_status[record["played_on"], record["status"]][record["id"]]
                del self._fixtures_by_team_status[record["team_id"], record["status"]][record["id"]]
            case "reservations":
                del self._reservations_by_court[record["court_id"]][record["id"]]
                del self._reservations_by_court_status[record["court_id"], record["status"]][record["id"]]
                del self._reservations_by_played_on_status[record["played_on"], record["status"]][record["id"]]
                for key in record["player_ids"]:
                    self._reservations_by_players[key].pop(record["id"], None)
            case "closures":
                del self._closures_by_court[record["court_id"]][record["id"]]
            case "charges":
                del self._charges_by_member[record["member_id"]][record["id"]]
                del self._charges_by_reservation[record["reservation_id"]][record["id"]]
