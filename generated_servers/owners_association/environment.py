"""Owners' association. Compiled from blueprint.yaml; run `envscaler build owners_association` after changing it there.

Runs an association of flat owners, with voting shares, meetings with a quorum, proxies, motions with their
majorities, levies shared out over the units, and the reserve fund.
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
    "Nobody signs in twice for a meeting, and nobody gives two proxies for it.",
    "Nobody gives a proxy to themselves, and whoever holds one has given none.",
    "Whoever has given a proxy does not attend as well.",
    "Nobody holds more than three proxies for a meeting.",
    "One meeting is open at a time.",
    "A unit votes once on a motion.",
    "A motion that was carried has the majority that it needs.",
    "A closed or cancelled meeting leaves no motion tabled.",
    "A motion that costs money names the fund that pays it.",
    "A fund never falls below its floor.",
    "A levy is never overpaid, and asked of a unit once for a fund and day.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "call_meeting",
    "table_motion",
    "give_proxy",
    "sign_in",
    "open_meeting",
    "cast_vote",
    "declare_result",
    "close_meeting",
    "raise_levy",
    "pay_levies",
    "transfer_unit",
)
"""The methods that may change something; all others only read."""

MEETING_STATUS_MOVES = {("called", "open"), ("called", "cancelled"), ("open", "closed")}

LABELS: dict[str, tuple[str, ...]] = {
    "owners": ("name",),
    "units": ("label",),
    "funds": ("name",),
    "meetings": ("name",),
    "proxies": (),
    "motions": ("title",),
    "votes": (),
    "levies": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("levies", "fund_id"),
    ("levies", "unit_id"),
    ("meetings", "name"),
    ("meetings", "status"),
    ("motions", "meeting_id"),
    ("motions", "status"),
    ("motions", "title"),
    ("proxies", "giver_id"),
    ("proxies", "holder_id"),
    ("proxies", "meeting_id"),
    ("units", "owner_id"),
    ("votes", "choice"),
    ("votes", "motion_id"),
    ("votes", "unit_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Owner(TypedDict):
    id: str
    name: str


class Unit(TypedDict):
    id: str
    label: str
    owner_id: str
    shares: int


class Fund(TypedDict):
    id: str
    name: str
    balance: int
    floor: int


class Meeting(TypedDict):
    id: str
    name: str
    on: str
    quorum_percent: int
    status: Literal["called", "open", "cancelled", "closed"]
    attending_ids: list[str]


class Proxy(TypedDict):
    id: str
    meeting_id: str
    giver_id: str
    holder_id: str


class Motion(TypedDict):
    id: str
    title: str
    meeting_id: str
    majority: Literal["simple", "two_thirds", "unanimous"]
    cost: int
    fund_id: str | None
    status: Literal["tabled", "carried", "lost", "dropped"]


class Vote(TypedDict):
    id: str
    motion_id: str
    unit_id: str
    choice: Literal["yes", "no", "abstain"]


class Levy(TypedDict):
    id: str
    unit_id: str
    fund_id: str
    due: str
    motion_id: str | None
    amount: int
    paid: int


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


class OwnersAssociation:
    """Runs an association of flat owners, with voting shares, meetings with a quorum, proxies, motions
    with their majorities, levies shared out over the units, and the reserve fund.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.owners: dict[str, Owner] = _copied(config.get("owners", {}))
        self.units: dict[str, Unit] = _copied(config.get("units", {}))
        self.funds: dict[str, Fund] = _copied(config.get("funds", {}))
        self.meetings: dict[str, Meeting] = _copied(config.get("meetings", {}))
        self.proxies: dict[str, Proxy] = _copied(config.get("proxies", {}))
        self.motions: dict[str, Motion] = _copied(config.get("motions", {}))
        self.votes: dict[str, Vote] = _copied(config.get("votes", {}))
        self.levies: dict[str, Levy] = _copied(config.get("levies", {}))
        self.now: str = config.get("now", "2026-09-15T18:00")
        self.counters: dict[str, int] = {
            "owner": len(self.owners),
            "unit": len(self.units),
            "fund": len(self.funds),
            "meeting": len(self.meetings),
            "proxy": len(self.proxies),
            "motion": len(self.motions),
            "vote": len(self.votes),
            "levy": len(self.levies),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._units_by_owner: dict[Any, dict[str, Unit]] = {}
        self._meetings_by_lower_name: dict[Any, dict[str, Meeting]] = {}
        self._meetings_by_name: dict[Any, dict[str, Meeting]] = {}
        self._meetings_by_status: dict[Any, dict[str, Meeting]] = {}
        self._proxies_by_meeting: dict[Any, dict[str, Proxy]] = {}
        self._proxies_by_meeting_giver: dict[Any, dict[str, Proxy]] = {}
        self._proxies_by_meeting_holder: dict[Any, dict[str, Proxy]] = {}
        self._motions_by_lower_title: dict[Any, dict[str, Motion]] = {}
        self._motions_by_meeting: dict[Any, dict[str, Motion]] = {}
        self._motions_by_meeting_status: dict[Any, dict[str, Motion]] = {}
        self._motions_by_title: dict[Any, dict[str, Motion]] = {}
        self._votes_by_motion: dict[Any, dict[str, Vote]] = {}
        self._votes_by_motion_choice: dict[Any, dict[str, Vote]] = {}
        self._votes_by_motion_unit: dict[Any, dict[str, Vote]] = {}
        self._votes_by_unit: dict[Any, dict[str, Vote]] = {}
        self._levies_by_fund: dict[Any, dict[str, Levy]] = {}
        self._levies_by_unit: dict[Any, dict[str, Levy]] = {}
        self._levies_by_unit_fund: dict[Any, dict[str, Levy]] = {}
        for unit in self.units.values():
            self._link("units", unit)
        for meeting in self.meetings.values():
            self._link("meetings", meeting)
        for proxy in self.proxies.values():
            self._link("proxies", proxy)
        for motion in self.motions.values():
            self._link("motions", motion)
        for vote in self.votes.values():
            self._link("votes", vote)
        for levy in self.levies.values():
            self._link("levies", levy)

    def on_the_floor(self, meeting_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The motions of a meeting, with the shares for and against and whether they would carry now.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "motions": records}} or {"success": False, "error": why
                not}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        found = [m for m in self._motions_by_meeting.get(meeting_id, {}).values()]
        found.sort(key=lambda m: (m["status"], m["title"], _age(m)))
        return _found(
            {
                "total": len(found),
                "motions": [
                    {
                        "id": m["id"],
                        "title": m["title"],
                        "status": m["status"],
                        "majority": m["majority"],
                        "yes": self._motion_yes(m),
                        "no": self._motion_no(m),
                        "would_carry": self._wins(m),
                        "cost": m["cost"],
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def owing(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Owners who have no vote until their levies are paid, the largest arrears first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "owners": records}} or {"success": False, "error": why
                not}
        """
        found = [o for o in self.owners.values() if self._owner_arrears(o) > 0]
        found.sort(key=lambda o: (-self._owner_arrears(o), o["name"], _age(o)))
        return _found(
            {
                "total": len(found),
                "owners": [
                    {"id": o["id"], "name": o["name"], "arrears": self._owner_arrears(o)}
                    for o in _page(found, offset)
                ],
            }
        )

    def list_owners(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the owners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only owners whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "owners": records}}
        """
        found = [
            owner
            for owner in self.owners.values()
            if (name is None or name.casefold() in owner["name"].casefold())
        ]
        return _found({"total": len(found), "owners": [self._show_owner(owner) for owner in _page(found, offset)]})

    def list_units(
        self,
        label: Text | None = None,
        owner_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the units, oldest first, all of them or only some.

        Args:
            label (str, optional): Only units whose label contains this text.
            owner_id (str, optional): Only units of this owner.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "units": records}}
        """
        if owner_id is not None and owner_id not in self.owners:
            return _refused(f"There is no owner {owner_id!r}.")
        found = [
            unit
            for unit in self.units.values()
            if (label is None or label.casefold() in unit["label"].casefold())
            and (owner_id is None or unit["owner_id"] == owner_id)
        ]
        shown = [{**unit} for unit in _page(found, offset)]
        return _found({"total": len(found), "units": shown}, self._names_of_units(shown))

    def list_funds(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the funds, oldest first, all of them or only some.

        Args:
            name (str, optional): Only funds whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "funds": records}}
        """
        found = [fund for fund in self.funds.values() if (name is None or name.casefold() in fund["name"].casefold())]
        return _found({"total": len(found), "funds": [{**fund} for fund in _page(found, offset)]})

    def get_meeting(self, meeting_id: str) -> Result:
        """Look up one meeting by its id.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        shown = self._show_meeting(meeting)
        return _found(shown, self._names_of_meetings([shown]))

    def list_meetings(
        self,
        name: Text | None = None,
        status: Literal["called", "open", "cancelled", "closed"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meetings, oldest first, all of them or only some.

        Args:
            name (str, optional): Only meetings whose name contains this text.
            status (str, optional): Only meetings with this status.
            on_from (str, optional): Only meetings whose `on` is on this day or later.
            on_to (str, optional): Only meetings whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meetings": records}}
        """
        found = [
            meeting
            for meeting in self.meetings.values()
            if (name is None or name.casefold() in meeting["name"].casefold())
            and (status is None or meeting["status"] == status)
            and (on_from is None or meeting["on"] >= on_from)
            and (on_to is None or meeting["on"] <= on_to)
        ]
        shown = [self._show_meeting(meeting) for meeting in _page(found, offset)]
        return _found({"total": len(found), "meetings": shown}, self._names_of_meetings(shown))

    def list_proxies(
        self,
        meeting_id: str | None = None,
        giver_id: str | None = None,
        holder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proxies, oldest first, all of them or only some.

        Args:
            meeting_id (str, optional): Only proxies of this meeting.
            giver_id (str, optional): Only proxies whose giver is this owner.
            holder_id (str, optional): Only proxies whose holder is this owner.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proxies": records}}
        """
        if meeting_id is not None and meeting_id not in self.meetings:
            return _refused(f"There is no meeting {meeting_id!r}.")
        if giver_id is not None and giver_id not in self.owners:
            return _refused(f"There is no owner {giver_id!r}.")
        if holder_id is not None and holder_id not in self.owners:
            return _refused(f"There is no owner {holder_id!r}.")
        found = [
            proxy
            for proxy in self.proxies.values()
            if (meeting_id is None or proxy["meeting_id"] == meeting_id)
            and (giver_id is None or proxy["giver_id"] == giver_id)
            and (holder_id is None or proxy["holder_id"] == holder_id)
        ]
        shown = [{**proxy} for proxy in _page(found, offset)]
        return _found({"total": len(found), "proxies": shown}, self._names_of_proxies(shown))

    def list_motions(
        self,
        title: Text | None = None,
        meeting_id: str | None = None,
        majority: Literal["simple", "two_thirds", "unanimous"] | None = None,
        fund_id: str | None = None,
        status: Literal["tabled", "carried", "lost", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the motions, oldest first, all of them or only some.

        Args:
            title (str, optional): Only motions whose title contains this text.
            meeting_id (str, optional): Only motions of this meeting.
            majority (str, optional): Only motions with this majority.
            fund_id (str, optional): Only motions of this fund.
            status (str, optional): Only motions with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "motions": records}}
        """
        if meeting_id is not None and meeting_id not in self.meetings:
            return _refused(f"There is no meeting {meeting_id!r}.")
        if fund_id is not None and fund_id not in self.funds:
            return _refused(f"There is no fund {fund_id!r}.")
        found = [
            motion
            for motion in self.motions.values()
            if (title is None or title.casefold() in motion["title"].casefold())
            and (meeting_id is None or motion["meeting_id"] == meeting_id)
            and (majority is None or motion["majority"] == majority)
            and (fund_id is None or motion["fund_id"] == fund_id)
            and (status is None or motion["status"] == status)
        ]
        shown = [self._show_motion(motion) for motion in _page(found, offset)]
        return _found({"total": len(found), "motions": shown}, self._names_of_motions(shown))

    def list_votes(
        self,
        motion_id: str | None = None,
        unit_id: str | None = None,
        choice: Literal["yes", "no", "abstain"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the votes, oldest first, all of them or only some.

        Args:
            motion_id (str, optional): Only votes of this motion.
            unit_id (str, optional): Only votes of this unit.
            choice (str, optional): Only votes with this choice.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "votes": records}}
        """
        if motion_id is not None and motion_id not in self.motions:
            return _refused(f"There is no motion {motion_id!r}.")
        if unit_id is not None and unit_id not in self.units:
            return _refused(f"There is no unit {unit_id!r}.")
        found = [
            vote
            for vote in self.votes.values()
            if (motion_id is None or vote["motion_id"] == motion_id)
            and (unit_id is None or vote["unit_id"] == unit_id)
            and (choice is None or vote["choice"] == choice)
        ]
        shown = [{**vote} for vote in _page(found, offset)]
        return _found({"total": len(found), "votes": shown}, self._names_of_votes(shown))

    def list_levies(
        self,
        unit_id: str | None = None,
        fund_id: str | None = None,
        motion_id: str | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the levies, oldest first, all of them or only some.

        Args:
            unit_id (str, optional): Only levies of this unit.
            fund_id (str, optional): Only levies of this fund.
            motion_id (str, optional): Only levies of this motion.
            due_from (str, optional): Only levies whose `due` is on this day or later.
            due_to (str, optional): Only levies whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "levies": records}}
        """
        if unit_id is not None and unit_id not in self.units:
            return _refused(f"There is no unit {unit_id!r}.")
        if fund_id is not None and fund_id not in self.funds:
            return _refused(f"There is no fund {fund_id!r}.")
        if motion_id is not None and motion_id not in self.motions:
            return _refused(f"There is no motion {motion_id!r}.")
        found = [
            levy
            for levy in self.levies.values()
            if (unit_id is None or levy["unit_id"] == unit_id)
            and (fund_id is None or levy["fund_id"] == fund_id)
            and (motion_id is None or levy["motion_id"] == motion_id)
            and (due_from is None or levy["due"] >= due_from)
            and (due_to is None or levy["due"] <= due_to)
        ]
        shown = [{**levy} for levy in _page(found, offset)]
        return _found({"total": len(found), "levies": shown}, self._names_of_levies(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def call_meeting(
        self,
        name: Text,
        on: Date,
        quorum_percent: Annotated[int, {"minimum": 20, "maximum": 75}] = 50,
    ) -> Result:
        """Call a meeting with at least two weeks' notice.

        Args:
            name (str): Name of the meeting, not in use yet.
            on (str): Day of the meeting, 14 to 120 days from today, as YYYY-MM-DD.
            quorum_percent (int): Shares that must be present, in percent, from 20 to 75. Default: 50.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if _plus_days(self.now[:10], 14) > on or on > _plus_days(self.now[:10], 120):
            return _refused(
                f"A meeting is called for {_plus_days(self.now[:10], 14)} to {_plus_days(self.now[:10], 120)}, "
                f"not for {on}."
            )
        if self._meetings_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a meeting called {name} already.")
        self._journal = []
        meeting: Meeting = {
            "id": self._new_id("meeting", "MEETING", self.meetings),
            "name": name,
            "on": on,
            "quorum_percent": quorum_percent,
            "status": "called",
            "attending_ids": [record["id"] for record in []],
        }
        self._add("meetings", meeting)
        if len(self._meetings_by_name.get(meeting["name"], {})) > 1:
            return self._take_back(f"There is already a meeting with the name {meeting['name']!r}.")
        if self._breaks_rule_1_m(meeting):
            return self._take_back(RULES[0])
        if self._breaks_rule_5():
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: call {name} for {on} (new: meeting {meeting['id']}).",
            "data": {"meeting_id": meeting["id"], **self._changes()},
        }

    def table_motion(
        self,
        title: Text,
        meeting_id: str,
        majority: Literal["simple", "two_thirds", "unanimous"],
        cost: Annotated[int, {"minimum": 0, "maximum": 30000000}] = 0,
        fund_id: str | None = None,
    ) -> Result:
        """Table a motion for a meeting that has not closed.

        Args:
            title (str): Title of the motion, not in use yet.
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            majority (str): Majority that carries the motion: simple, two_thirds or unanimous.
            cost (int): Money that the motion would cost, 0 for nothing, in cents, from 0 to 30000000. Default: 0.
            fund_id (str, optional): Fund that bears the cost, needed where there is one; an id such as FUND-00001.
                If left out, no fund is charged, so there may be no cost.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        fund = self.funds.get(fund_id) if fund_id is not None else None
        if fund_id is not None and fund is None:
            return _refused(f"There is no fund {fund_id!r}.")
        if meeting["status"] != "called":
            return _refused(f"{meeting['name']} is {meeting['status']}, and motions are tabled before it opens.")
        if self._motions_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a motion {title} already.")
        if (cost > 0) != (fund_id is not None):
            return _refused("A motion names the fund that pays if it costs something, and only then.")
        self._journal = []
        motion: Motion = {
            "id": self._new_id("motion", "MOTION", self.motions),
            "title": title,
            "meeting_id": meeting_id,
            "majority": majority,
            "cost": cost,
            "fund_id": fund_id,
            "status": "tabled",
        }
        self._add("motions", motion)
        if len(self._motions_by_title.get(motion["title"], {})) > 1:
            return self._take_back(f"There is already a motion with the title {motion['title']!r}.")
        if self._breaks_rule_7(motion):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(motion):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(motion):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: table {title} for {meeting['name']} (new: motion {motion['id']}).",
            "data": {"motion_id": motion["id"], **self._changes()},
        }

    def give_proxy(self, meeting_id: str, giver_id: str, holder_id: str) -> Result:
        """Let another owner speak and vote for one at a meeting.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            giver_id (str): Owner who is represented, not attending the meeting; an id such as OWNER-00001.
            holder_id (str): Owner who speaks and votes for the other; an id such as OWNER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        giver = self.owners.get(giver_id)
        if giver is None:
            return _refused(f"There is no owner {giver_id!r}.")
        holder = self.owners.get(holder_id)
        if holder is None:
            return _refused(f"There is no owner {holder_id!r}.")
        if meeting["status"] not in ("called", "open"):
            return _refused(f"{meeting['name']} is {meeting['status']}.")
        if giver is holder:
            return _refused(f"{giver['name']} cannot be their own proxy.")
        if self._attends(meeting, giver):
            return _refused(f"{giver['name']} attends {meeting['name']} in person.")
        if self._proxies_by_meeting_giver.get((meeting_id, giver_id), {}):
            return _refused(f"{giver['name']} has given a proxy for {meeting['name']} already.")
        if self._proxies_by_meeting_giver.get((meeting_id, holder_id), {}):
            return _refused(f"{holder['name']} has given a proxy away and cannot hold one.")
        if self._proxies_by_meeting_holder.get((meeting_id, giver_id), {}):
            return _refused(f"{giver['name']} holds proxies for {meeting['name']} and must come.")
        if len(self._proxies_by_meeting_holder.get((meeting_id, holder_id), {})) >= 3:
            return _refused(f"{holder['name']} holds three proxies for {meeting['name']} already.")
        self._journal = []
        proxy: Proxy = {
            "id": self._new_id("proxy", "PROXY", self.proxies),
            "meeting_id": meeting_id,
            "giver_id": giver_id,
            "holder_id": holder_id,
        }
        self._add("proxies", proxy)
        if self._breaks_rule_1_p(proxy):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_p(proxy):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_p_again(proxy):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_q(proxy):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(proxy):
            return self._take_back(RULES[2])
        for one_proxy in _distinct([proxy, *self._proxies_by_meeting.get(proxy["meeting_id"], {}).values()]):
            if self._breaks_rule_4(one_proxy):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: give {holder['name']} the proxy of {giver['name']} for {meeting['name']} (new: proxy "
                f"{proxy['id']})."
            ),
            "data": {"proxy_id": proxy["id"], **self._changes()},
        }

    def sign_in(self, meeting_id: str, owner_id: str) -> Result:
        """Sign an owner in for a meeting; a proxy that they had given ends.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            owner_id (str): Id of the owner, such as OWNER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        owner = self.owners.get(owner_id)
        if owner is None:
            return _refused(f"There is no owner {owner_id!r}.")
        if meeting["status"] not in ("called", "open"):
            return _refused(f"{meeting['name']} is {meeting['status']}.")
        if meeting["on"] > self.now[:10]:
            return _refused(f"{meeting['name']} is on {meeting['on']}.")
        if self._attends(meeting, owner):
            return _refused(f"{owner['name']} has signed in already.")
        self._journal = []
        deleted_proxies: list[Any] = []
        for p in sorted(self._proxies_by_meeting_giver.get((meeting_id, owner_id), {}).values(), key=_age):
            if p["id"] in self.proxies:
                self._remove("proxies", p)
            deleted_proxies.append(p)
        self._put(
            "meetings",
            meeting,
            "attending_ids",
            [record["id"] for record in [self.owners[key] for key in meeting["attending_ids"]] + [owner]],
        )
        if self._breaks_rule_1_m(meeting):
            return self._take_back(RULES[0])
        for one_proxy in _distinct(self._proxies_by_meeting.get(meeting["id"], {}).values()):
            if one_proxy["id"] in self.proxies and self._breaks_rule_3(one_proxy):
                return self._take_back(RULES[2])
        for one_proxy in _distinct(
            [
                user
                for one in [self.meetings[one["meeting_id"]] for one in deleted_proxies]
                for user in self._proxies_by_meeting.get(one["id"], {}).values()
            ]
        ):
            if one_proxy["id"] in self.proxies and self._breaks_rule_4(one_proxy):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: sign {owner['name']} in for {meeting['name']}.",
            "data": self._changes(),
        }

    def open_meeting(self, meeting_id: str) -> Result:
        """Open a meeting on its day once the quorum is there, counting proxies of those who attend.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        if meeting["status"] != "called":
            return _refused(f"{meeting['name']} is {meeting['status']}.")
        if meeting["on"] > self.now[:10]:
            return _refused(f"{meeting['name']} is on {meeting['on']}.")
        if not self._quorate(meeting):
            return _refused(
                f"{self._meeting_present(meeting)} of {sum(u['shares'] for u in self.units.values())} shares are "
                f"present, and {meeting['quorum_percent']} percent are needed."
            )
        if self._meetings_by_status.get("open", {}):
            return _refused("Another meeting is open.")
        self._journal = []
        self._put("meetings", meeting, "status", "open")
        if self._breaks_rule_5():
            return self._take_back(RULES[4])
        for one_motion in _distinct(self._motions_by_meeting_status.get((meeting["id"], "tabled"), {}).values()):
            if self._breaks_rule_8(one_motion):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: open {meeting['name']}.", "data": self._changes()}

    def cast_vote(self, motion_id: str, unit_id: str, by_id: str, choice: Literal["yes", "no", "abstain"]) -> Result:
        """Cast the vote of a unit, by its owner or the holder of the owner's proxy.

        Args:
            motion_id (str): Id of the motion, such as MOTION-00001.
            unit_id (str): Id of the unit, such as UNIT-00001.
            by_id (str): Attending owner who votes, for their own unit or by proxy; an id such as OWNER-00001.
            choice (str): Vote that is cast for the unit: yes, no or abstain.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        motion = self.motions.get(motion_id)
        if motion is None:
            return _refused(f"There is no motion {motion_id!r}.")
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        by = self.owners.get(by_id)
        if by is None:
            return _refused(f"There is no owner {by_id!r}.")
        if motion["status"] != "tabled" or self.meetings[motion["meeting_id"]]["status"] != "open":
            return _refused(f"{motion['title']} is not up for a vote.")
        if not self._attends(self.meetings[motion["meeting_id"]], by):
            return _refused(f"{by['name']} has not signed in.")
        if not self._speaks_for(self.meetings[motion["meeting_id"]], by, self.owners[unit["owner_id"]]):
            return _refused(
                f"Unit {unit['label']} belongs to {self.owners[unit['owner_id']]['name']}, who has given "
                f"{by['name']} no proxy."
            )
        if self._votes_by_motion_unit.get((motion_id, unit_id), {}):
            return _refused(f"Unit {unit['label']} has voted on {motion['title']}.")
        if self._owner_arrears(self.owners[unit["owner_id"]]) != 0:
            return _refused(
                f"{self.owners[unit['owner_id']]['name']} owes "
                f"{_money(self._owner_arrears(self.owners[unit['owner_id']]))} in levies and has no vote until "
                "they are paid."
            )
        self._journal = []
        vote: Vote = {
            "id": self._new_id("vote", "VOTE", self.votes),
            "motion_id": motion_id,
            "unit_id": unit_id,
            "choice": choice,
        }
        self._add("votes", vote)
        if self._breaks_rule_6(vote):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(self.motions[vote["motion_id"]]):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: vote {choice} for unit {unit['label']} on {motion['title']} (new: vote {vote['id']}).",
            "data": {"vote_id": vote["id"], **self._changes()},
        }

    def declare_result(self, motion_id: str) -> Result:
        """Declare a motion carried or lost by the shares that voted; what it costs is set aside from its fund.

        Args:
            motion_id (str): Id of the motion, such as MOTION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        motion = self.motions.get(motion_id)
        if motion is None:
            return _refused(f"There is no motion {motion_id!r}.")
        if motion["status"] != "tabled" or self.meetings[motion["meeting_id"]]["status"] != "open":
            return _refused(f"{motion['title']} is not up for a vote.")
        if not self._quorate(self.meetings[motion["meeting_id"]]):
            return _refused(f"The quorum of {self.meetings[motion['meeting_id']]['name']} is lost.")
        if not self._heard(motion):
            return _refused(f"Units with less than half of the shares present have voted on {motion['title']}.")
        if (
            self._wins(motion)
            and motion["fund_id"] is not None
            and self.funds[motion["fund_id"]]["balance"] - motion["cost"] < self.funds[motion["fund_id"]]["floor"]
        ):
            return _refused(f"The fund cannot pay {_money(motion['cost'])} for {motion['title']}.")
        self._journal = []
        changed_motions: list[Any] = []
        changed_funds: list[Any] = []
        if self._wins(motion):
            changed_motions.append(motion)
            self._put("motions", motion, "status", "carried")
            purse = self.funds.get(motion["fund_id"])
            if purse is not None:
                balance = purse["balance"] - motion["cost"]
                if not 0 <= balance <= 90000000:
                    return self._take_back(f"The balance of {purse['name']} must be between 0.00 and 900,000.00.")
                changed_funds.append(purse)
                self._put("funds", purse, "balance", balance)
        else:
            if motion["status"] not in ("tabled", "lost"):
                return self._take_back(f"Motion {motion['title']} cannot go from {motion['status']} to lost.")
            changed_motions.append(motion)
            self._put("motions", motion, "status", "lost")
        for one_motion in _distinct(changed_motions):
            if self._breaks_rule_7(one_motion):
                return self._take_back(RULES[6])
        for one_motion in _distinct(changed_motions):
            if self._breaks_rule_8(one_motion):
                return self._take_back(RULES[7])
        for one_fund in _distinct(changed_funds):
            if self._breaks_rule_10(one_fund):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: declare the result of {motion['title']}.",
            "data": self._changes(),
        }

    def close_meeting(self, meeting_id: str, next_meeting_id: str | None = None) -> Result:
        """Close an open meeting, or cancel one that was called; motions not decided go to another called meeting or
        are dropped.

        Args:
            meeting_id (str): Id of the meeting, such as MEETING-00001.
            next_meeting_id (str, optional): Called meeting that takes over motions not decided; an id such as
                MEETING-00001. If left out, motions not decided are dropped.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        meeting = self.meetings.get(meeting_id)
        if meeting is None:
            return _refused(f"There is no meeting {meeting_id!r}.")
        next_meeting = self.meetings.get(next_meeting_id) if next_meeting_id is not None else None
        if next_meeting_id is not None and next_meeting is None:
            return _refused(f"There is no meeting {next_meeting_id!r}.")
        if meeting["status"] not in ("called", "open"):
            return _refused(f"{meeting['name']} is {meeting['status']}.")
        voted = next(
            (
                m
                for m in sorted(self._motions_by_meeting_status.get((meeting_id, "tabled"), {}).values(), key=_age)
                if self._heard(m)
            ),
            None,
        )
        if voted is not None:
            return _refused(f"At least half have voted on {voted['title']}; declare the result first.")
        if not (next_meeting_id is None or next_meeting is not meeting and next_meeting["status"] == "called"):
            return _refused("Motions go to another meeting that is still called.")
        self._journal = []
        deleted_votes: list[Any] = []
        changed_motions: list[Any] = []
        changed_motions_2: list[Any] = []
        for m in sorted(self._motions_by_meeting_status.get((meeting_id, "tabled"), {}).values(), key=_age):
            if next_meeting_id is not None:
                for v in sorted(self._votes_by_motion.get(m["id"], {}).values(), key=_age):
                    if v["id"] in self.votes:
                        self._remove("votes", v)
                    deleted_votes.append(v)
                changed_motions.append(m)
                self._put("motions", m, "meeting_id", next_meeting_id)
            else:
                if m["status"] not in ("tabled", "dropped"):
                    return self._take_back(f"Motion {m['title']} cannot go from {m['status']} to dropped.")
                changed_motions_2.append(m)
                self._put("motions", m, "status", "dropped")
        status = "closed" if meeting["status"] == "open" else "cancelled"
        if meeting["status"] != status and (meeting["status"], status) not in MEETING_STATUS_MOVES:
            return self._take_back(f"Meeting {meeting['name']} cannot go from {meeting['status']} to {status}.")
        self._put("meetings", meeting, "status", status)
        if self._breaks_rule_5():
            return self._take_back(RULES[4])
        for one_motion in _distinct([*[self.motions[one["motion_id"]] for one in deleted_votes], *changed_motions_2]):
            if self._breaks_rule_7(one_motion):
                return self._take_back(RULES[6])
        for one_motion in _distinct(
            [
                *changed_motions,
                *changed_motions_2,
                *self._motions_by_meeting_status.get((meeting["id"], "tabled"), {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_motion):
                return self._take_back(RULES[7])
        done = f"close {meeting['name']}"
        if next_meeting is not None:
            done += f" and move what is open to {next_meeting['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def raise_levy(
        self,
        motion_id: str,
        fund_id: str,
        total: Annotated[int, {"minimum": 100000, "maximum": 30000000}],
        due: Date,
    ) -> Result:
        """Share an amount for a fund out over all units by their shares, rounded up to the cent, as a motion decided
        that was carried.

        Args:
            motion_id (str): Id of the motion, such as MOTION-00001.
            fund_id (str): Id of the fund, such as FUND-00001.
            total (int): Money to be raised from all units together, in cents, from 100000 to 30000000.
            due (str): Day on which it is due, 14 to 180 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        motion = self.motions.get(motion_id)
        if motion is None:
            return _refused(f"There is no motion {motion_id!r}.")
        fund = self.funds.get(fund_id)
        if fund is None:
            return _refused(f"There is no fund {fund_id!r}.")
        if motion["status"] != "carried":
            return _refused(f"“{motion['title']}” is {motion['status']}, and only what was carried is levied.")
        if motion["fund_id"] is not None and motion["fund_id"] != fund_id:
            return _refused(f"“{motion['title']}” does not concern the {fund['name']}.")
        if _plus_days(self.now[:10], 14) > due or due > _plus_days(self.now[:10], 180):
            return _refused(
                f"A levy is due between {_plus_days(self.now[:10], 14)} and {_plus_days(self.now[:10], 180)}."
            )
        if any(l["due"] == due for l in self._levies_by_fund.get(fund_id, {}).values()):
            return _refused(f"A levy for {fund['name']} is due on {due} already.")
        shares = sum(u["shares"] for u in self.units.values())
        if shares <= 0:
            return _refused("There are no units.")
        self._journal = []
        added_levies: list[Any] = []
        for u in list(self.units.values()):
            amount = ceil(Fraction(total * u["shares"], shares))
            if not 1 <= amount <= 9000000:
                return self._take_back("The amount of a levy must be between 0.01 and 90,000.00.")
            levy = {
                "id": self._new_id("levy", "LEVY", self.levies),
                "unit_id": u["id"],
                "fund_id": fund_id,
                "due": due,
                "motion_id": motion_id,
                "amount": amount,
                "paid": 0,
            }
            self._add("levies", levy)
            added_levies.append(levy)
        for one_levy in _distinct(added_levies):
            if self._breaks_rule_11_l(one_levy):
                return self._take_back(RULES[10])
        for one_levy in _distinct(added_levies):
            if self._breaks_rule_11_l_again(one_levy):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: raise {_money(total)} for {fund['name']}, due on {due}.",
            "data": self._changes(),
        }

    def pay_levies(self, unit_id: str, amount: Annotated[int, {"minimum": 1, "maximum": 9000000}]) -> Result:
        """Take money for a unit and put it against its open levies, oldest first; it goes to their funds.

        Args:
            unit_id (str): Id of the unit, such as UNIT-00001.
            amount (int): Money received, at most what the unit owes, in cents, from 1 to 9000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        owed = sum(l["amount"] - l["paid"] for l in self._levies_by_unit.get(unit_id, {}).values())
        if owed <= 0:
            return _refused(f"Unit {unit['label']} owes nothing.")
        if amount > owed:
            return _refused(f"Unit {unit['label']} owes {_money(owed)}, not {_money(amount)}.")
        self._journal = []
        changed_levies: list[Any] = []
        changed_funds: list[Any] = []
        left = amount
        for l in sorted(
            [l for l in self._levies_by_unit.get(unit_id, {}).values() if l["paid"] < l["amount"]],
            key=lambda l: (l["due"], l["id"], _age(l)),
        ):
            part = min(left, l["amount"] - l["paid"])
            paid = l["paid"] + part
            if not 0 <= paid <= 9000000:
                return self._take_back(f"The paid of {l['id']} must be between 0.00 and 90,000.00.")
            changed_levies.append(l)
            self._put("levies", l, "paid", paid)
            fund = self.funds[l["fund_id"]]
            balance = self.funds[l["fund_id"]]["balance"] + part
            if not 0 <= balance <= 90000000:
                return self._take_back(f"The balance of {fund['name']} must be between 0.00 and 900,000.00.")
            changed_funds.append(fund)
            self._put("funds", fund, "balance", balance)
            left = left - part
        for one_fund in _distinct(changed_funds):
            if self._breaks_rule_10(one_fund):
                return self._take_back(RULES[9])
        for one_levy in _distinct(changed_levies):
            if self._breaks_rule_11_l(one_levy):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take {_money(amount)} for unit {unit['label']}.",
            "data": self._changes(),
        }

    def transfer_unit(self, unit_id: str, buyer_id: str) -> Result:
        """Record that a unit was sold; its overdue levies must be paid first, and a vote that it has cast must be
        decided first.

        Args:
            unit_id (str): Id of the unit, such as UNIT-00001.
            buyer_id (str): Owner who has bought the unit; an id such as OWNER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        unit = self.units.get(unit_id)
        if unit is None:
            return _refused(f"There is no unit {unit_id!r}.")
        buyer = self.owners.get(buyer_id)
        if buyer is None:
            return _refused(f"There is no owner {buyer_id!r}.")
        if buyer_id == unit["owner_id"]:
            return _refused(f"{buyer['name']} owns unit {unit['label']} already.")
        voted = next(
            (
                v
                for v in sorted(self._votes_by_unit.get(unit_id, {}).values(), key=_age)
                if self.motions[v["motion_id"]]["status"] == "tabled"
            ),
            None,
        )
        if voted is not None:
            return _refused(
                f"Unit {unit['label']} has voted on {self.motions[voted['motion_id']]['title']}, which is not "
                "decided yet."
            )
        overdue = sum(
            l["amount"] - l["paid"]
            for l in self._levies_by_unit.get(unit_id, {}).values()
            if l["due"] < self.now[:10]
        )
        if overdue != 0:
            return _refused(f"{_money(overdue)} of overdue levies on unit {unit['label']} must be paid first.")
        self._journal = []
        self._put("units", unit, "owner_id", buyer_id)
        return {
            "success": True,
            "message": f"Done: transfer unit {unit['label']} to {buyer['name']}.",
            "data": self._changes(),
        }

    def _show_owner(self, owner: Owner) -> dict[str, Any]:
        """The owner as an answer shows it."""
        return {**owner, "shares": self._owner_shares(owner), "arrears": self._owner_arrears(owner)}

    def _show_meeting(self, meeting: Meeting) -> dict[str, Any]:
        """The meeting as an answer shows it."""
        return {**meeting, "attending_ids": [*meeting["attending_ids"]], "present": self._meeting_present(meeting)}

    def _show_motion(self, motion: Motion) -> dict[str, Any]:
        """The motion as an answer shows it."""
        return {**motion, "yes": self._motion_yes(motion), "no": self._motion_no(motion)}

    def _names_of_units(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that units point to."""
        return _names((self.owners, "name", [row["owner_id"] for row in shown]))

    def _names_of_meetings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that meetings point to."""
        return _names((self.owners, "name", [each for row in shown for each in row["attending_ids"]]))

    def _names_of_proxies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that proxies point to."""
        return _names(
            (self.meetings, "name", [row["meeting_id"] for row in shown]),
            (self.owners, "name", [row["giver_id"] for row in shown]),
            (self.owners, "name", [row["holder_id"] for row in shown]),
        )

    def _names_of_motions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that motions point to."""
        return _names(
            (self.meetings, "name", [row["meeting_id"] for row in shown]),
            (self.funds, "name", [row["fund_id"] for row in shown]),
        )

    def _names_of_votes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that votes point to."""
        return _names(
            (self.motions, "title", [row["motion_id"] for row in shown]),
            (self.units, "label", [row["unit_id"] for row in shown]),
        )

    def _names_of_levies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that levies point to."""
        return _names(
            (self.units, "label", [row["unit_id"] for row in shown]),
            (self.funds, "name", [row["fund_id"] for row in shown]),
            (self.motions, "title", [row["motion_id"] for row in shown]),
        )

    def _owner_shares(self, owner: Owner) -> int:
        """The shares of an owner."""
        return sum(u["shares"] for u in self._units_by_owner.get(owner["id"], {}).values())

    def _owner_arrears(self, owner: Owner) -> int:
        """The arrears of an owner."""
        return sum(
            l["amount"] - l["paid"]
            for _unit in self._units_by_owner.get(owner["id"], {}).values()
            for l in self._levies_by_unit.get(_unit["id"], {}).values()
            if l["due"] < self.now[:10]
        )

    def _meeting_present(self, meeting: Meeting) -> int:
        """The present of a meeting."""
        return sum(
            u["shares"]
            for u in _distinct(
                [
                    u
                    for key in [
                        *meeting["attending_ids"],
                        *[p["giver_id"] for p in self._proxies_by_meeting.get(meeting["id"], {}).values()],
                    ]
                    for u in self._units_by_owner.get(key, {}).values()
                ]
            )
            if (
                u["owner_id"] in meeting["attending_ids"]
                or any(
                    p["holder_id"] in meeting["attending_ids"]
                    for p in self._proxies_by_meeting_giver.get((meeting["id"], u["owner_id"]), {}).values()
                )
            )
        )

    def _motion_yes(self, motion: Motion) -> int:
        """The yes of a motion."""
        return sum(
            self.units[v["unit_id"]]["shares"]
            for v in self._votes_by_motion_choice.get((motion["id"], "yes"), {}).values()
        )

    def _motion_no(self, motion: Motion) -> int:
        """The no of a motion."""
        return sum(
            self.units[v["unit_id"]]["shares"]
            for v in self._votes_by_motion_choice.get((motion["id"], "no"), {}).values()
        )

    def _attends(self, m: Meeting, o: Owner) -> bool:
        return o["id"] in m["attending_ids"]

    def _speaks_for(self, m: Meeting, by: Owner, o: Owner) -> bool:
        return (
            by is o
            or any(
                p["holder_id"] == by["id"]
                for p in self._proxies_by_meeting_giver.get((m["id"], o["id"]), {}).values()
            )
        )

    def _quorate(self, m: Meeting) -> bool:
        return self._meeting_present(m) * 100 >= sum(u["shares"] for u in self.units.values()) * m["quorum_percent"]

    def _wins(self, m: Motion) -> bool:
        return (
            self._motion_yes(m) > self._motion_no(m)
            if m["majority"] == "simple"
            else self._motion_yes(m) * 3 >= (self._motion_yes(m) + self._motion_no(m)) * 2 and self._motion_yes(m) > 0
            if m["majority"] == "two_thirds"
            else self._motion_yes(m) > 0 and self._motion_no(m) == 0
        )

    def _heard(self, m: Motion) -> bool:
        return (
            sum(
                self.units[v["unit_id"]]["shares"]
                for v in self._votes_by_motion.get(m["id"], {}).values()
            ) * 2 >= self._meeting_present(self.meetings[m["meeting_id"]])
            and bool(self._votes_by_motion.get(m["id"], {}))
        )

    def _breaks_rule_1_m(self, m: Meeting) -> bool:
        """Whether this is broken: nobody signs in twice for a meeting, and nobody gives two proxies for it."""
        return not _different([o["id"] for o in [self.owners[key] for key in m["attending_ids"]]])

    def _breaks_rule_1_p(self, p: Proxy) -> bool:
        """Whether this is broken: nobody signs in twice for a meeting, and nobody gives two proxies for it."""
        return any(
            other_p is not p
            for other_p in self._proxies_by_meeting_giver.get((p["meeting_id"], p["giver_id"]), {}).values()
        )

    def _breaks_rule_2_p(self, p: Proxy) -> bool:
        """Whether this is broken: nobody gives a proxy to themselves, and whoever holds one has given none."""
        return p["giver_id"] == p["holder_id"]

    def _breaks_rule_2_p_again(self, p: Proxy) -> bool:
        """Whether this is broken: nobody gives a proxy to themselves, and whoever holds one has given none."""
        return bool(self._proxies_by_meeting_giver.get((p["meeting_id"], p["holder_id"]), {}))

    def _breaks_rule_2_q(self, q: Proxy) -> bool:
        """Whether this is broken: nobody gives a proxy to themselves, and whoever holds one has given none."""
        return bool(self._proxies_by_meeting_holder.get((q["meeting_id"], q["giver_id"]), {}))

    def _breaks_rule_3(self, p: Proxy) -> bool:
        """Whether this is broken: whoever has given a proxy does not attend as well."""
        return p["giver_id"] in self.meetings[p["meeting_id"]]["attending_ids"]

    def _breaks_rule_4(self, p: Proxy) -> bool:
        """Whether this is broken: nobody holds more than three proxies for a meeting."""
        return len(self._proxies_by_meeting_holder.get((p["meeting_id"], p["holder_id"]), {})) > 3

    def _breaks_rule_5(self) -> bool:
        """Whether this is broken: one meeting is open at a time."""
        return len(self._meetings_by_status.get("open", {})) > 1

    def _breaks_rule_6(self, v: Vote) -> bool:
        """Whether this is broken: a unit votes once on a motion."""
        return any(
            other_v is not v
            for other_v in self._votes_by_motion_unit.get((v["motion_id"], v["unit_id"]), {}).values()
        )

    def _breaks_rule_7(self, m: Motion) -> bool:
        """Whether this is broken: a motion that was carried has the majority that it needs."""
        return m["status"] == "carried" and not self._wins(m)

    def _breaks_rule_8(self, m: Motion) -> bool:
        """Whether this is broken: a closed or cancelled meeting leaves no motion tabled."""
        return m["status"] == "tabled" and self.meetings[m["meeting_id"]]["status"] in ("closed", "cancelled")

    def _breaks_rule_9(self, m: Motion) -> bool:
        """Whether this is broken: a motion that costs money names the fund that pays it."""
        return (m["cost"] > 0) != (m["fund_id"] is not None)

    def _breaks_rule_10(self, f: Fund) -> bool:
        """Whether this is broken: a fund never falls below its floor."""
        return f["balance"] < f["floor"]

    def _breaks_rule_11_l(self, l: Levy) -> bool:
        """Whether this is broken: a levy is never overpaid, and asked of a unit once for a fund and day."""
        return l["paid"] > l["amount"]

    def _breaks_rule_11_l_again(self, l: Levy) -> bool:
        """Whether this is broken: a levy is never overpaid, and asked of a unit once for a fund and day."""
        return any(
            other_l is not l
            for other_l in self._levies_by_unit_fund.get((l["unit_id"], l["fund_id"]), {}).values()
            if other_l["due"] == l["due"]
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
            case "units":
                self._units_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
            case "meetings":
                self._meetings_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._meetings_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._meetings_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "proxies":
                self._proxies_by_meeting.setdefault(record["meeting_id"], {})[record["id"]] = record
                self._proxies_by_meeting_giver.setdefault(
                    (record["meeting_id"], record["giver_id"]),
                    {},
                )[record["id"]] = record
                self._proxies_by_meeting_holder.setdefault(
                    (record["meeting_id"], record["holder_id"]),
                    {},
                )[record["id"]] = record
            case "motions":
                self._motions_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._motions_by_meeting.setdefault(record["meeting_id"], {})[record["id"]] = record
                self._motions_by_meeting_status.setdefault(
                    (record["meeting_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._motions_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "votes":
                self._votes_by_motion.setdefault(record["motion_id"], {})[record["id"]] = record
                self._votes_by_motion_choice.setdefault(
                    (record["motion_id"], record["choice"]),
                    {},
                )[record["id"]] = record
                self._votes_by_motion_unit.setdefault((record["motion_id"], record["unit_id"]), {})[record["id"]] = record
                self._votes_by_unit.setdefault(record["unit_id"], {})[record["id"]] = record
            case "levies":
                self._levies_by_fund.setdefault(record["fund_id"], {})[record["id"]] = record
                self._levies_by_unit.setdefault(record["unit_id"], {})[record["id"]] = record
                self._levies_by_unit_fund.setdefault((record["unit_id"], record["fund_id"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "units":
                del self._units_by_owner[record["owner_id"]][record["id"]]
            case "meetings":
                del self._meetings_by_lower_name[record["name"].lower()][record["id"]]
                del self._meetings_by_name[record["name"]][record["id"]]
                del self._meetings_by_status[record["status"]][record["id"]]
            case "proxies":
                del self._proxies_by_meeting[record["meeting_id"]][record["id"]]
                del self._proxies_by_meeting_giver[record["meeting_id"], record["giver_id"]][record["id"]]
                del self._proxies_by_meeting_holder[record["meeting_id"], record["holder_id"]][record["id"]]
            case "motions":
                del self._motions_by_lower_title[record["title"].lower()][record["id"]]
                del self._motions_by_meeting[record["meeting_id"]][record["id"]]
                del self._motions_by_meeting_status[record["meeting_id"], record["status"]][record["id"]]
                del self._motions_by_title[record["title"]][record["id"]]
            case "votes":
                del self._votes_by_motion[record["motion_id"]][record["id"]]
                del self._votes_by_motion_choice[record["motion_id"], record["choice"]][record["id"]]
                del self._votes_by_motion_unit[record["motion_id"], record["unit_id"]][record["id"]]
                del self._votes_by_unit[record["unit_id"]][record["id"]]
            case "levies":
                del self._levies_by_fund[record["fund_id"]][record["id"]]
                del self._levies_by_unit[record["unit_id"]][record["id"]]
                del self._levies_by_unit_fund[record["unit_id"], record["fund_id"]][record["id"]]
