"""Swimming club. Compiled from blueprint.yaml; run `envscaler build swimming_club` after changing it there.

Shares the lanes of a pool among the squads of a swimming club, enters swimmers and relays of four for meets
with entry standards, and keeps everybody's times.
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
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The pool has eight lanes.",
    "A squad has one share of the lanes in a session.",
    "Everybody in a squad finds room in its lanes.",
    "Swimmers are born within the years of their squad.",
    "Nobody swims an event twice.",
    "Nobody swims more events at a meet than it allows, relays included.",
    "A relay has four different swimmers.",
    "Women swim women's events and men swim men's events.",
    "Single swimmers enter single events, and four enter relays.",
    "Whoever enters an event with a standard has reached it.",
    "A swum entry has a time, and no other has.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_swimmer",
    "move_swimmer",
    "give_lanes",
    "change_lanes",
    "release_lanes",
    "record_time",
    "enter_event",
    "withdraw_entry",
    "record_result",
    "disqualify",
    "enter_relay",
    "replace_in_relay",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "squads": ("name",),
    "swimmers": ("name",),
    "lane_shares": (),
    "meets": ("name",),
    "events": ("code",),
    "entries": (),
    "relays": (),
    "swims": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("entries", "event_id"),
    ("entries", "swimmer_id"),
    ("events", "meet_id"),
    ("lane_shares", "slot"),
    ("lane_shares", "squad_id"),
    ("lane_shares", "wday"),
    ("relays", "event_id"),
    ("relays", "swimmer_ids"),
    ("swimmers", "name"),
    ("swimmers", "squad_id"),
    ("swims", "course"),
    ("swims", "stroke"),
    ("swims", "swimmer_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Squad(TypedDict):
    id: str
    name: str
    coach: str
    born_from: str
    born_to: str
    per_lane: int


class Swimmer(TypedDict):
    id: str
    name: str
    sex: Literal["female", "male"]
    born: str
    squad_id: str


class LaneShare(TypedDict):
    id: str
    squad_id: str
    wday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    slot: Literal["early", "evening"]
    lanes: int


class Meet(TypedDict):
    id: str
    name: str
    held_on: str
    entries_until: str
    most_events: int
    course: Literal["short", "long"]


class Event(TypedDict):
    id: str
    code: str
    meet_id: str
    sex: Literal["female", "male"]
    stroke: Literal["freestyle", "backstroke", "breaststroke", "butterfly"]
    distance: int
    relay: bool
    standard: int | None


class Entry(TypedDict):
    id: str
    swimmer_id: str
    event_id: str
    seed: int | None
    result: int | None
    status: Literal["entered", "swum", "disqualified", "withdrawn"]


class Relay(TypedDict):
    id: str
    event_id: str
    swimmer_ids: list[str]


class Swim(TypedDict):
    id: str
    swimmer_id: str
    stroke: Literal["freestyle", "backstroke", "breaststroke", "butterfly"]
    distance: int
    hundredths: int
    swum_on: str
    course: Literal["short", "long"]


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


class SwimmingClub:
    """Shares the lanes of a pool among the squads of a swimming club, enters swimmers and relays of four
    for meets with entry standards, and keeps everybody's times.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.squads: dict[str, Squad] = _copied(config.get("squads", {}))
        self.swimmers: dict[str, Swimmer] = _copied(config.get("swimmers", {}))
        self.lane_shares: dict[str, LaneShare] = _copied(config.get("lane_shares", {}))
        self.meets: dict[str, Meet] = _copied(config.get("meets", {}))
        self.events: dict[str, Event] = _copied(config.get("events", {}))
        self.entries: dict[str, Entry] = _copied(config.get("entries", {}))
        self.relays: dict[str, Relay] = _copied(config.get("relays", {}))
        self.swims: dict[str, Swim] = _copied(config.get("swims", {}))
        self.now: str = config.get("now", "2026-03-12T17:30")
        self.counters: dict[str, int] = {
            "squad": len(self.squads),
            "swimmer": len(self.swimmers),
            "lane_share": len(self.lane_shares),
            "meet": len(self.meets),
            "event": len(self.events),
            "entry": len(self.entries),
            "relay": len(self.relays),
            "swim": len(self.swims),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._swimmers_by_name: dict[Any, dict[str, Swimmer]] = {}
        self._swimmers_by_squad: dict[Any, dict[str, Swimmer]] = {}
        self._lane_shares_by_squad: dict[Any, dict[str, LaneShare]] = {}
        self._lane_shares_by_squad_wday_slot: dict[Any, dict[str, LaneShare]] = {}
        self._events_by_meet: dict[Any, dict[str, Event]] = {}
        self._entries_by_event: dict[Any, dict[str, Entry]] = {}
        self._entries_by_swimmer: dict[Any, dict[str, Entry]] = {}
        self._entries_by_swimmer_event: dict[Any, dict[str, Entry]] = {}
        self._relays_by_event: dict[Any, dict[str, Relay]] = {}
        self._relays_by_swimmers: dict[Any, dict[str, Relay]] = {}
        self._swims_by_swimmer_stroke_course: dict[Any, dict[str, Swim]] = {}
        for swimmer in self.swimmers.values():
            self._link("swimmers", swimmer)
        for lane_share in self.lane_shares.values():
            self._link("lane_shares", lane_share)
        for event in self.events.values():
            self._link("events", event)
        for entry in self.entries.values():
            self._link("entries", entry)
        for relay in self.relays.values():
            self._link("relays", relay)
        for swim in self.swims.values():
            self._link("swims", swim)

    def free_lanes(
        self,
        wday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
        slot: Literal["early", "evening"],
    ) -> Result:
        """How many of the eight lanes are free in a session, and who has the others.

        Args:
            wday (str): Weekday of the session: monday, tuesday, wednesday, thursday, friday or saturday.
            slot (str): Session of that day that is looked at: early or evening.

        Returns:
            dict: {"success": True, "data": {free, squads, lanes}} or {"success": False, "error": why not}
        """
        there = [x for x in self.lane_shares.values() if x["wday"] == wday and x["slot"] == slot]
        return _found(
            {
                "free": 8 - sum(x["lanes"] for x in there),
                "squads": [*[self.squads[x["squad_id"]]["name"] for x in there]],
                "lanes": [*[x["lanes"] for x in there]],
            }
        )

    def who_may_enter(
        self,
        event_id: str,
        squad_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Swimmers who may still be entered for an event, the quickest first; those without a time come last.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            squad_id (str, optional): Squad of the swimmers listed; an id such as SQUAD-00001. If left out, the
                swimmers of all squads are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swimmers": records}} or {"success": False, "error": why
                not}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        squad = self.squads.get(squad_id) if squad_id is not None else None
        if squad_id is not None and squad is None:
            return _refused(f"There is no squad {squad_id!r}.")
        found = [
            s
            for s in self.swimmers.values()
            if self._fits(s, event)
            and (squad_id is None or s["squad_id"] == squad_id)
        ]
        found.sort(
            key=lambda s: (self._best(s, event) if self._best(s, event) is not None else 99999, s["name"], _age(s))
        )
        return _found(
            {
                "total": len(found),
                "swimmers": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "squad": self.squads[s["squad_id"]]["name"],
                        "best": self._best(s, event),
                        "events_at_meet": self._load(s, self.meets[event["meet_id"]]),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_squads(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the squads, oldest first, all of them or only some.

        Args:
            name (str, optional): Only squads whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "squads": records}}
        """
        found = [
            squad
            for squad in self.squads.values()
            if (name is None or name.casefold() in squad["name"].casefold())
        ]
        return _found({"total": len(found), "squads": [self._show_squad(squad) for squad in _page(found, offset)]})

    def list_swimmers(
        self,
        name: Text | None = None,
        sex: Literal["female", "male"] | None = None,
        squad_id: str | None = None,
        born_from: Date | None = None,
        born_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the swimmers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only swimmers whose name contains this text.
            sex (str, optional): Only swimmers with this sex.
            squad_id (str, optional): Only swimmers of this squad.
            born_from (str, optional): Only swimmers whose `born` is on this day or later.
            born_to (str, optional): Only swimmers whose `born` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swimmers": records}}
        """
        if squad_id is not None and squad_id not in self.squads:
            return _refused(f"There is no squad {squad_id!r}.")
        found = [
            swimmer
            for swimmer in self.swimmers.values()
            if (name is None or name.casefold() in swimmer["name"].casefold())
            and (sex is None or swimmer["sex"] == sex)
            and (squad_id is None or swimmer["squad_id"] == squad_id)
            and (born_from is None or swimmer["born"] >= born_from)
            and (born_to is None or swimmer["born"] <= born_to)
        ]
        shown = [{**swimmer} for swimmer in _page(found, offset)]
        return _found({"total": len(found), "swimmers": shown}, self._names_of_swimmers(shown))

    def list_lane_shares(
        self,
        squad_id: str | None = None,
        wday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] | None = None,
        slot: Literal["early", "evening"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lane shares, oldest first, all of them or only some.

        Args:
            squad_id (str, optional): Only lane shares of this squad.
            wday (str, optional): Only lane shares with this wday.
            slot (str, optional): Only lane shares with this slot.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lane_shares": records}}
        """
        if squad_id is not None and squad_id not in self.squads:
            return _refused(f"There is no squad {squad_id!r}.")
        found = [
            lane_share
            for lane_share in self.lane_shares.values()
            if (squad_id is None or lane_share["squad_id"] == squad_id)
            and (wday is None or lane_share["wday"] == wday)
            and (slot is None or lane_share["slot"] == slot)
        ]
        shown = [{**lane_share} for lane_share in _page(found, offset)]
        return _found({"total": len(found), "lane_shares": shown}, self._names_of_lane_shares(shown))

    def list_meets(
        self,
        name: Text | None = None,
        course: Literal["short", "long"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the meets, oldest first, all of them or only some.

        Args:
            name (str, optional): Only meets whose name contains this text.
            course (str, optional): Only meets with this course.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "meets": records}}
        """
        found = [
            meet
            for meet in self.meets.values()
            if (name is None or name.casefold() in meet["name"].casefold())
            and (course is None or meet["course"] == course)
        ]
        return _found({"total": len(found), "meets": [{**meet} for meet in _page(found, offset)]})

    def list_events(
        self,
        code: Text | None = None,
        meet_id: str | None = None,
        sex: Literal["female", "male"] | None = None,
        stroke: Literal["freestyle", "backstroke", "breaststroke", "butterfly"] | None = None,
        relay: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the events, oldest first, all of them or only some.

        Args:
            code (str, optional): Only events whose code contains this text.
            meet_id (str, optional): Only events of this meet.
            sex (str, optional): Only events with this sex.
            stroke (str, optional): Only events with this stroke.
            relay (bool, optional): Only events with this value of `relay`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "events": records}}
        """
        if meet_id is not None and meet_id not in self.meets:
            return _refused(f"There is no meet {meet_id!r}.")
        found = [
            event
            for event in self.events.values()
            if (code is None or code.casefold() in event["code"].casefold())
            and (meet_id is None or event["meet_id"] == meet_id)
            and (sex is None or event["sex"] == sex)
            and (stroke is None or event["stroke"] == stroke)
            and (relay is None or event["relay"] == relay)
        ]
        shown = [{**event} for event in _page(found, offset)]
        return _found({"total": len(found), "events": shown}, self._names_of_events(shown))

    def list_entries(
        self,
        swimmer_id: str | None = None,
        event_id: str | None = None,
        status: Literal["entered", "swum", "disqualified", "withdrawn"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the entries, oldest first, all of them or only some.

        Args:
            swimmer_id (str, optional): Only entries of this swimmer.
            event_id (str, optional): Only entries of this event.
            status (str, optional): Only entries with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "entries": records}}
        """
        if swimmer_id is not None and swimmer_id not in self.swimmers:
            return _refused(f"There is no swimmer {swimmer_id!r}.")
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        found = [
            entry
            for entry in self.entries.values()
            if (swimmer_id is None or entry["swimmer_id"] == swimmer_id)
            and (event_id is None or entry["event_id"] == event_id)
            and (status is None or entry["status"] == status)
        ]
        shown = [{**entry} for entry in _page(found, offset)]
        return _found({"total": len(found), "entries": shown}, self._names_of_entries(shown))

    def list_relays(
        self,
        event_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the relays, oldest first, all of them or only some.

        Args:
            event_id (str, optional): Only relays of this event.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "relays": records}}
        """
        if event_id is not None and event_id not in self.events:
            return _refused(f"There is no event {event_id!r}.")
        found = [relay for relay in self.relays.values() if (event_id is None or relay["event_id"] == event_id)]
        shown = [self._show_relay(relay) for relay in _page(found, offset)]
        return _found({"total": len(found), "relays": shown}, self._names_of_relays(shown))

    def list_swims(
        self,
        swimmer_id: str | None = None,
        stroke: Literal["freestyle", "backstroke", "breaststroke", "butterfly"] | None = None,
        course: Literal["short", "long"] | None = None,
        swum_on_from: Date | None = None,
        swum_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the swims, oldest first, all of them or only some.

        Args:
            swimmer_id (str, optional): Only swims of this swimmer.
            stroke (str, optional): Only swims with this stroke.
            course (str, optional): Only swims with this course.
            swum_on_from (str, optional): Only swims whose `swum_on` is on this day or later.
            swum_on_to (str, optional): Only swims whose `swum_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "swims": records}}
        """
        if swimmer_id is not None and swimmer_id not in self.swimmers:
            return _refused(f"There is no swimmer {swimmer_id!r}.")
        found = [
            swim
            for swim in self.swims.values()
            if (swimmer_id is None or swim["swimmer_id"] == swimmer_id)
            and (stroke is None or swim["stroke"] == stroke)
            and (course is None or swim["course"] == course)
            and (swum_on_from is None or swim["swum_on"] >= swum_on_from)
            and (swum_on_to is None or swim["swum_on"] <= swum_on_to)
        ]
        shown = [{**swim} for swim in _page(found, offset)]
        return _found({"total": len(found), "swims": shown}, self._names_of_swims(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_swimmer(self, name: Text, sex: Literal["female", "male"], born: Date, squad_id: str) -> Result:
        """Take a new swimmer into a squad.

        Args:
            name (str): Full name of the new swimmer.
            sex (str): Sex of the swimmer, which decides the events: female or male.
            born (str): Day of birth of the swimmer, within the years of the squad, as YYYY-MM-DD.
            squad_id (str): Id of the squad, such as SQUAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        squad = self.squads.get(squad_id)
        if squad is None:
            return _refused(f"There is no squad {squad_id!r}.")
        if self._swimmers_by_name.get(name, {}):
            return _refused(f"{name} is a member already.")
        if not self._of_squad_age(born, squad):
            return _refused(
                f"{squad['name']} is for those born from {squad['born_from']} to {squad['born_to']}, not on {born}."
            )
        tight = next((each for each in self._cramped(squad)), None)
        if tight is not None:
            return _refused(
                f"{squad['name']} has no room left on {tight['wday']} {tight['slot']} with {tight['lanes']} "
                "lanes, so widen that share first."
            )
        self._journal = []
        swimmer: Swimmer = {
            "id": self._new_id("swimmer", "SWIMMER", self.swimmers),
            "name": name,
            "sex": sex,
            "born": born,
            "squad_id": squad_id,
        }
        self._add("swimmers", swimmer)
        if len(self._swimmers_by_name.get(swimmer["name"], {})) > 1:
            return self._take_back(f"There is already a swimmer with the name {swimmer['name']!r}.")
        for one_lane_share in _distinct(self._lane_shares_by_squad.get(swimmer["squad_id"], {}).values()):
            if self._breaks_rule_3(one_lane_share):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(swimmer):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: take {name} into {squad['name']} (new: swimmer {swimmer['id']}).",
            "data": {"swimmer_id": swimmer["id"], **self._changes()},
        }

    def move_swimmer(self, swimmer_id: str, squad_id: str) -> Result:
        """Move a swimmer to another squad.

        Args:
            swimmer_id (str): Id of the swimmer, such as SWIMMER-00001.
            squad_id (str): Id of the squad, such as SQUAD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swimmer = self.swimmers.get(swimmer_id)
        if swimmer is None:
            return _refused(f"There is no swimmer {swimmer_id!r}.")
        squad = self.squads.get(squad_id)
        if squad is None:
            return _refused(f"There is no squad {squad_id!r}.")
        if swimmer["squad_id"] == squad_id:
            return _refused(f"{swimmer['name']} swims with {squad['name']} already.")
        if not self._of_squad_age(swimmer["born"], squad):
            return _refused(
                f"{squad['name']} is for those born from {squad['born_from']} to {squad['born_to']}, and "
                f"{swimmer['name']} was born on {swimmer['born']}."
            )
        tight = next((each for each in self._cramped(squad)), None)
        if tight is not None:
            return _refused(
                f"{squad['name']} has no room left on {tight['wday']} {tight['slot']} with {tight['lanes']} "
                "lanes, so widen that share first."
            )
        self._journal = []
        former_squad_id = swimmer["squad_id"]
        self._put("swimmers", swimmer, "squad_id", squad_id)
        for one_lane_share in _distinct(
            [
                *self._lane_shares_by_squad.get(swimmer["squad_id"], {}).values(),
                *self._lane_shares_by_squad.get(former_squad_id, {}).values(),
            ]
        ):
            if self._breaks_rule_3(one_lane_share):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(swimmer):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: move {swimmer['name']} to {squad['name']}.",
            "data": self._changes(),
        }

    def give_lanes(
        self,
        squad_id: str,
        wday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
        slot: Literal["early", "evening"],
        lanes: Annotated[int, {"minimum": 1, "maximum": 8}],
    ) -> Result:
        """Give a squad lanes in a session where it has none yet.

        Args:
            squad_id (str): Id of the squad, such as SQUAD-00001.
            wday (str): Weekday of the session: monday, tuesday, wednesday, thursday, friday or saturday.
            slot (str): Session of that day in which the squad gets lanes: early or evening.
            lanes (int): How many of the eight lanes the squad gets, enough for its members, from 1 to 8.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        squad = self.squads.get(squad_id)
        if squad is None:
            return _refused(f"There is no squad {squad_id!r}.")
        if self._lane_shares_by_squad_wday_slot.get((squad_id, wday, slot), {}):
            return _refused(f"{squad['name']} has lanes on {wday} {slot} already; change that share.")
        if lanes * squad["per_lane"] < self._squad_members(squad):
            return _refused(
                f"{self._squad_members(squad)} swimmers of {squad['name']} need {self._squad_lanes_needed(squad)} "
                f"lanes at {squad['per_lane']} to a lane."
            )
        taken = sum(x["lanes"] for x in self.lane_shares.values() if x["wday"] == wday and x["slot"] == slot)
        if taken + lanes > 8:
            return _refused(f"Only {8 - taken} of the eight lanes are free on {wday} {slot}.")
        self._journal = []
        lane_share: LaneShare = {
            "id": self._new_id("lane_share", "LS", self.lane_shares),
            "squad_id": squad_id,
            "wday": wday,
            "slot": slot,
            "lanes": lanes,
        }
        self._add("lane_shares", lane_share)
        if any(self._breaks_rule_1(one_lane_share) for one_lane_share in self.lane_shares.values()):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(lane_share):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(lane_share):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: give {squad['name']} {lanes} lanes on {wday} {slot} (new: lane share {lane_share['id']})."
            ),
            "data": {"lane_share_id": lane_share["id"], **self._changes()},
        }

    def change_lanes(self, share_id: str, lanes: Annotated[int, {"minimum": 1, "maximum": 8}]) -> Result:
        """Widen or narrow the share that a squad has of a session.

        Args:
            share_id (str): Share of a squad in a session that is widened or narrowed; an id such as LS-00001.
            lanes (int): How many lanes the squad has from now on, enough for its members, from 1 to 8.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        share = self.lane_shares.get(share_id)
        if share is None:
            return _refused(f"There is no lane share {share_id!r}.")
        if lanes == share["lanes"]:
            return _refused(f"{self.squads[share['squad_id']]['name']} has {lanes} lanes there already.")
        if lanes * self.squads[share["squad_id"]]["per_lane"] < self._squad_members(self.squads[share["squad_id"]]):
            return _refused(
                f"{self._squad_members(self.squads[share['squad_id']])} swimmers of "
                f"{self.squads[share['squad_id']]['name']} need "
                f"{self._squad_lanes_needed(self.squads[share['squad_id']])} lanes at "
                f"{self.squads[share['squad_id']]['per_lane']} to a lane."
            )
        others = sum(
            x["lanes"]
            for x in self.lane_shares.values()
            if x is not share
            and x["wday"] == share["wday"]
            and x["slot"] == share["slot"]
        )
        if others + lanes > 8:
            return _refused(
                f"The other squads have {others} of the eight lanes on {share['wday']} {share['slot']}, so narrow "
                "one of them first."
            )
        done = f"give {self.squads[share['squad_id']]['name']} {lanes} lanes on {share['wday']} {share['slot']} instead of {share['lanes']}"
        self._journal = []
        self._put("lane_shares", share, "lanes", lanes)
        if any(self._breaks_rule_1(one_lane_share) for one_lane_share in self.lane_shares.values()):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(share):
            return self._take_back(RULES[2])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def release_lanes(self, share_id: str) -> Result:
        """Give all lanes of a squad in a session back.

        Args:
            share_id (str): Share of a squad in a session that is given back; an id such as LS-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        share = self.lane_shares.get(share_id)
        if share is None:
            return _refused(f"There is no lane share {share_id!r}.")
        if len(self._lane_shares_by_squad.get(share["squad_id"], {})) <= 1:
            return _refused(f"It is the last session that {self.squads[share['squad_id']]['name']} has.")
        self._journal = []
        self._remove("lane_shares", share)
        if any(self._breaks_rule_1(one_lane_share) for one_lane_share in self.lane_shares.values()):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": (
                f"Done: give back the lanes of {self.squads[share['squad_id']]['name']} on {share['wday']} "
                f"{share['slot']}."
            ),
            "data": self._changes(),
        }

    def record_time(
        self,
        swimmer_id: str,
        stroke: Literal["freestyle", "backstroke", "breaststroke", "butterfly"],
        distance: Annotated[int, {"minimum": 25, "maximum": 1500}],
        hundredths: Annotated[int, {"minimum": 1000, "maximum": 99999}],
        swum_on: Date,
        course: Literal["short", "long"] = "short",
    ) -> Result:
        """Record a time swum in a time trial or elsewhere, on a short course (pool of 25 metres) or a long one (50
        metres).

        Args:
            swimmer_id (str): Id of the swimmer, such as SWIMMER-00001.
            stroke (str): Stroke that was swum: freestyle, backstroke, breaststroke or butterfly.
            distance (int): Distance in metres, one of the usual 25, 50, 100, 200, 400, 800 and 1500, from 25 to
                1500.
            hundredths (int): Time that was swum in hundredths of a second, from 1000 to 99999.
            swum_on (str): Day on which the time was swum, today or earlier, as YYYY-MM-DD.
            course (str): Length of the pool, short being 25 metres and long 50 metres: short or long. Default:
                short.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swimmer = self.swimmers.get(swimmer_id)
        if swimmer is None:
            return _refused(f"There is no swimmer {swimmer_id!r}.")
        if distance not in (25, 50, 100, 200, 400, 800, 1500):
            return _refused(f"Nobody swims {distance} metres; distances are 25, 50, 100, 200, 400, 800 and 1500.")
        if hundredths < distance * 38:
            return _refused(f"{hundredths} hundredths over {distance} metres is quicker than anybody ever swam.")
        if swum_on > self.now[:10]:
            return _refused(f"{swum_on} has not come yet.")
        if any(
            each["hundredths"] == hundredths
            for each in self._swims_by_swimmer_stroke_course.get((swimmer_id, stroke, course), {}).values()
            if each["distance"] == distance
            and each["swum_on"] == swum_on
        ):
            return _refused(f"That time of {swimmer['name']} on {swum_on} is in the book already.")
        self._journal = []
        swim: Swim = {
            "id": self._new_id("swim", "SWIM", self.swims),
            "swimmer_id": swimmer_id,
            "stroke": stroke,
            "distance": distance,
            "hundredths": hundredths,
            "swum_on": swum_on,
            "course": course,
        }
        self._add("swims", swim)
        return {
            "success": True,
            "message": (
                f"Done: record {hundredths} hundredths for {swimmer['name']} over {distance} {stroke}, {course} "
                f"course, on {swum_on} (new: swim {swim['id']})."
            ),
            "data": {"swim_id": swim["id"], **self._changes()},
        }

    def enter_event(self, swimmer_id: str, event_id: str) -> Result:
        """Enter a swimmer for a single event, seeded with the best time so far on a course as long as that of the
        meet.

        Args:
            swimmer_id (str): Id of the swimmer, such as SWIMMER-00001.
            event_id (str): Id of the event, such as EVENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        swimmer = self.swimmers.get(swimmer_id)
        if swimmer is None:
            return _refused(f"There is no swimmer {swimmer_id!r}.")
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        if event["relay"]:
            return _refused(f"{event['code']} is a relay and takes four.")
        if self.now[:10] > self.meets[event["meet_id"]]["entries_until"]:
            return _refused(
                f"Entries for {self.meets[event['meet_id']]['name']} closed on "
                f"{self.meets[event['meet_id']]['entries_until']}."
            )
        if swimmer["sex"] != event["sex"]:
            return _refused(f"{event['code']} is a {event['sex']} event.")
        if self._in_event(swimmer, event):
            return _refused(f"{swimmer['name']} is in {event['code']} already.")
        if self._load(swimmer, self.meets[event["meet_id"]]) >= self.meets[event["meet_id"]]["most_events"]:
            return _refused(
                f"{swimmer['name']} has {self.meets[event['meet_id']]['most_events']} events at "
                f"{self.meets[event['meet_id']]['name']}, which is all that is allowed, so withdraw one first."
            )
        if not self._good_enough(swimmer, event):
            return _refused(
                f"{swimmer['name']} has no {self.meets[event['meet_id']]['course']} course time that reaches the "
                f"standard of {event['code']}."
            )
        self._journal = []
        seed = self._best(swimmer, event)
        if seed is not None and not 1000 <= seed <= 99999:
            return self._take_back("The seed of an entry must be between 1000 and 99999.")
        entry: Entry = {
            "id": self._new_id("entry", "ENTRY", self.entries),
            "swimmer_id": swimmer_id,
            "event_id": event_id,
            "seed": seed,
            "result": None,
            "status": "entered",
        }
        self._add("entries", entry)
        if self._breaks_rule_5(entry):
            return self._take_back(RULES[4])
        for one_entry in _distinct([entry, *self._entries_by_swimmer.get(entry["swimmer_id"], {}).values()]):
            if self._breaks_rule_6_n(one_entry):
                return self._take_back(RULES[5])
        for one_relay in _distinct(self._relays_by_swimmers.get(entry["swimmer_id"], {}).values()):
            if self._breaks_rule_6_r(one_relay):
                return self._take_back(RULES[5])
        if self._breaks_rule_8_n(entry):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_n(entry):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(entry):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(entry):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: enter {swimmer['name']} for {event['code']} (new: entry {entry['id']}).",
            "data": {"entry_id": entry["id"], **self._changes()},
        }

    def withdraw_entry(self, entry_id: str) -> Result:
        """Withdraw an entry that has not been swum.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["status"] != "entered":
            return _refused(
                f"The entry of {self.swimmers[entry['swimmer_id']]['name']} for "
                f"{self.events[entry['event_id']]['code']} is {entry['status']}."
            )
        self._journal = []
        self._put("entries", entry, "status", "withdrawn")
        if self._breaks_rule_5(entry):
            return self._take_back(RULES[4])
        for one_entry in _distinct([entry, *self._entries_by_swimmer.get(entry["swimmer_id"], {}).values()]):
            if self._breaks_rule_6_n(one_entry):
                return self._take_back(RULES[5])
        for one_relay in _distinct(self._relays_by_swimmers.get(entry["swimmer_id"], {}).values()):
            if self._breaks_rule_6_r(one_relay):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(entry):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: withdraw {self.swimmers[entry['swimmer_id']]['name']} from "
                f"{self.events[entry['event_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def record_result(self, entry_id: str, hundredths: Annotated[int, {"minimum": 1000, "maximum": 99999}]) -> Result:
        """Record the time of an entry at a meet; it goes into the book of times too.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.
            hundredths (int): Time that was swum in hundredths of a second, from 1000 to 99999.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["status"] != "entered":
            return _refused(
                f"The entry of {self.swimmers[entry['swimmer_id']]['name']} for "
                f"{self.events[entry['event_id']]['code']} is {entry['status']}."
            )
        if self.meets[self.events[entry["event_id"]]["meet_id"]]["held_on"] > self.now[:10]:
            return _refused(
                f"{self.meets[self.events[entry['event_id']]['meet_id']]['name']} is not before "
                f"{self.meets[self.events[entry['event_id']]['meet_id']]['held_on']}."
            )
        if hundredths < self.events[entry["event_id"]]["distance"] * 38:
            return _refused(
                f"{hundredths} hundredths over {self.events[entry['event_id']]['distance']} metres is quicker "
                "than anybody ever swam."
            )
        self._journal = []
        self._put("entries", entry, "result", hundredths)
        self._put("entries", entry, "status", "swum")
        swim: Swim = {
            "id": self._new_id("swim", "SWIM", self.swims),
            "swimmer_id": entry["swimmer_id"],
            "stroke": self.events[entry["event_id"]]["stroke"],
            "distance": self.events[entry["event_id"]]["distance"],
            "hundredths": hundredths,
            "swum_on": self.meets[self.events[entry["event_id"]]["meet_id"]]["held_on"],
            "course": self.meets[self.events[entry["event_id"]]["meet_id"]]["course"],
        }
        self._add("swims", swim)
        if self._breaks_rule_5(entry):
            return self._take_back(RULES[4])
        for one_entry in _distinct([entry, *self._entries_by_swimmer.get(entry["swimmer_id"], {}).values()]):
            if self._breaks_rule_6_n(one_entry):
                return self._take_back(RULES[5])
        for one_relay in _distinct(self._relays_by_swimmers.get(entry["swimmer_id"], {}).values()):
            if self._breaks_rule_6_r(one_relay):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(entry):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record {hundredths} hundredths for {self.swimmers[entry['swimmer_id']]['name']} in "
                f"{self.events[entry['event_id']]['code']} (new: swim {swim['id']})."
            ),
            "data": {"swim_id": swim["id"], **self._changes()},
        }

    def disqualify(self, entry_id: str) -> Result:
        """Record that a swimmer was disqualified in an event.

        Args:
            entry_id (str): Id of the entry, such as ENTRY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entry = self.entries.get(entry_id)
        if entry is None:
            return _refused(f"There is no entry {entry_id!r}.")
        if entry["status"] != "entered":
            return _refused(
                f"The entry of {self.swimmers[entry['swimmer_id']]['name']} for "
                f"{self.events[entry['event_id']]['code']} is {entry['status']}."
            )
        if self.meets[self.events[entry["event_id"]]["meet_id"]]["held_on"] > self.now[:10]:
            return _refused(
                f"{self.meets[self.events[entry['event_id']]['meet_id']]['name']} is not before "
                f"{self.meets[self.events[entry['event_id']]['meet_id']]['held_on']}."
            )
        self._journal = []
        self._put("entries", entry, "status", "disqualified")
        if self._breaks_rule_5(entry):
            return self._take_back(RULES[4])
        for one_entry in _distinct([entry, *self._entries_by_swimmer.get(entry["swimmer_id"], {}).values()]):
            if self._breaks_rule_6_n(one_entry):
                return self._take_back(RULES[5])
        for one_relay in _distinct(self._relays_by_swimmers.get(entry["swimmer_id"], {}).values()):
            if self._breaks_rule_6_r(one_relay):
                return self._take_back(RULES[5])
        if self._breaks_rule_11(entry):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: disqualify {self.swimmers[entry['swimmer_id']]['name']} in "
                f"{self.events[entry['event_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def enter_relay(self, event_id: str, one_id: str, two_id: str, three_id: str, four_id: str) -> Result:
        """Enter a relay of four for a relay event.

        Args:
            event_id (str): Id of the event, such as EVENT-00001.
            one_id (str): First of four different swimmers of the relay; an id such as SWIMMER-00001.
            two_id (str): Second of four different swimmers of the relay; an id such as SWIMMER-00001.
            three_id (str): Third of four different swimmers of the relay; an id such as SWIMMER-00001.
            four_id (str): Fourth of four different swimmers of the relay; an id such as SWIMMER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        event = self.events.get(event_id)
        if event is None:
            return _refused(f"There is no event {event_id!r}.")
        one = self.swimmers.get(one_id)
        if one is None:
            return _refused(f"There is no swimmer {one_id!r}.")
        two = self.swimmers.get(two_id)
        if two is None:
            return _refused(f"There is no swimmer {two_id!r}.")
        three = self.swimmers.get(three_id)
        if three is None:
            return _refused(f"There is no swimmer {three_id!r}.")
        four = self.swimmers.get(four_id)
        if four is None:
            return _refused(f"There is no swimmer {four_id!r}.")
        swimmers = [one, two, three, four]
        if not event["relay"]:
            return _refused(f"{event['code']} is no relay.")
        if self.now[:10] > self.meets[event["meet_id"]]["entries_until"]:
            return _refused(
                f"Entries for {self.meets[event['meet_id']]['name']} closed on "
                f"{self.meets[event['meet_id']]['entries_until']}."
            )
        if not _different([s["id"] for s in swimmers]):
            return _refused("A relay has four different swimmers.")
        odd = next((s for s in swimmers if s["sex"] != event["sex"]), None)
        if odd is not None:
            return _refused(f"{odd['name']} cannot swim in a {event['sex']} relay.")
        twice = next((s for s in swimmers if self._in_event(s, event)), None)
        if twice is not None:
            return _refused(f"{twice['name']} is in a relay of {event['code']} already.")
        full = next(
            (
                s
                for s in swimmers
                if self._load(s, self.meets[event["meet_id"]]) >= self.meets[event["meet_id"]]["most_events"]
            ),
            None,
        )
        if full is not None:
            return _refused(
                f"{full['name']} has {self.meets[event['meet_id']]['most_events']} events at "
                f"{self.meets[event['meet_id']]['name']}, which is all that is allowed."
            )
        self._journal = []
        team = [one]
        for s in sorted(swimmers, key=lambda s: (s["name"], _age(s))):
            team = [m for m in team if m is not s] + [s]
        relay: Relay = {
            "id": self._new_id("relay", "RELAY", self.relays),
            "event_id": event_id,
            "swimmer_ids": [record["id"] for record in team],
        }
        self._add("relays", relay)
        if self._breaks_rule_5_again():
            return self._take_back(RULES[4])
        for one_entry in _distinct(
            [
                user
                for one in self._events_by_meet.get(self.events[relay["event_id"]]["meet_id"], {}).values()
                for user in self._entries_by_event.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_6_n(one_entry):
                return self._take_back(RULES[5])
        for one_relay in _distinct(
            [
                relay,
                *[
                    user
                    for one in self._events_by_meet.get(self.events[relay["event_id"]]["meet_id"], {}).values()
                    for user in self._relays_by_event.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6_r(one_relay):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(relay):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_r(relay):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_r(relay):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: enter a relay of {one['name']}, {two['name']}, {three['name']} and {four['name']} for "
                f"{event['code']} (new: relay {relay['id']})."
            ),
            "data": {"relay_id": relay["id"], **self._changes()},
        }

    def replace_in_relay(self, relay_id: str, leaving_id: str, joining_id: str) -> Result:
        """Replace one swimmer of a relay by another before the meet.

        Args:
            relay_id (str): Id of the relay, such as RELAY-00001.
            leaving_id (str): Swimmer who leaves the relay; an id such as SWIMMER-00001.
            joining_id (str): Swimmer who takes the place and is not in the event yet; an id such as SWIMMER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        relay = self.relays.get(relay_id)
        if relay is None:
            return _refused(f"There is no relay {relay_id!r}.")
        leaving = self.swimmers.get(leaving_id)
        if leaving is None:
            return _refused(f"There is no swimmer {leaving_id!r}.")
        joining = self.swimmers.get(joining_id)
        if joining is None:
            return _refused(f"There is no swimmer {joining_id!r}.")
        if leaving_id not in relay["swimmer_ids"]:
            return _refused(f"{leaving['name']} is not in that relay.")
        if self.meets[self.events[relay["event_id"]]["meet_id"]]["held_on"] < self.now[:10]:
            return _refused(
                f"{self.meets[self.events[relay['event_id']]['meet_id']]['name']} was on "
                f"{self.meets[self.events[relay['event_id']]['meet_id']]['held_on']}."
            )
        if joining["sex"] != self.events[relay["event_id"]]["sex"]:
            return _refused(f"{joining['name']} cannot swim in a {self.events[relay['event_id']]['sex']} relay.")
        if self._in_event(joining, self.events[relay["event_id"]]):
            return _refused(f"{joining['name']} is in a relay of {self.events[relay['event_id']]['code']} already.")
        if self._load(
            joining,
            self.meets[self.events[relay["event_id"]]["meet_id"]],
        ) >= self.meets[self.events[relay["event_id"]]["meet_id"]]["most_events"]:
            return _refused(
                f"{joining['name']} has {self.meets[self.events[relay['event_id']]['meet_id']]['most_events']} "
                f"events at {self.meets[self.events[relay['event_id']]['meet_id']]['name']}, which is all that is "
                "allowed."
            )
        self._journal = []
        self._put(
            "relays",
            relay,
            "swimmer_ids",
            [
                record["id"]
                for record in [
                    s
                    for s in [self.swimmers[key] for key in relay["swimmer_ids"]]
                    if s is not leaving
                ] + [joining]
            ],
        )
        if self._breaks_rule_5_again():
            return self._take_back(RULES[4])
        for one_entry in _distinct(
            [
                user
                for one in self._events_by_meet.get(self.events[relay["event_id"]]["meet_id"], {}).values()
                for user in self._entries_by_event.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_6_n(one_entry):
                return self._take_back(RULES[5])
        for one_relay in _distinct(
            [
                relay,
                *[
                    user
                    for one in self._events_by_meet.get(self.events[relay["event_id"]]["meet_id"], {}).values()
                    for user in self._relays_by_event.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6_r(one_relay):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(relay):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_r(relay):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: replace {leaving['name']} by {joining['name']} in the relay of "
                f"{self.events[relay['event_id']]['code']}."
            ),
            "data": self._changes(),
        }

    def _show_squad(self, squad: Squad) -> dict[str, Any]:
        """The squad as an answer shows it."""
        return {**squad, "members": self._squad_members(squad), "lanes_needed": self._squad_lanes_needed(squad)}

    def _show_relay(self, relay: Relay) -> dict[str, Any]:
        """The relay as an answer shows it."""
        return {**relay, "swimmer_ids": [*relay["swimmer_ids"]], "total_of_bests": self._relay_total_of_bests(relay)}

    def _names_of_swimmers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that swimmers point to."""
        return _names((self.squads, "name", [row["squad_id"] for row in shown]))

    def _names_of_lane_shares(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lane shares point to."""
        return _names((self.squads, "name", [row["squad_id"] for row in shown]))

    def _names_of_events(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that events point to."""
        return _names((self.meets, "name", [row["meet_id"] for row in shown]))

    def _names_of_entries(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that entries point to."""
        return _names(
            (self.swimmers, "name", [row["swimmer_id"] for row in shown]),
            (self.events, "code", [row["event_id"] for row in shown]),
        )

    def _names_of_relays(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that relays point to."""
        return _names(
            (self.events, "code", [row["event_id"] for row in shown]),
            (self.swimmers, "name", [each for row in shown for each in row["swimmer_ids"]]),
        )

    def _names_of_swims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that swims point to."""
        return _names((self.swimmers, "name", [row["swimmer_id"] for row in shown]))

    def _squad_members(self, squad: Squad) -> int:
        """The members of a squad."""
        return len(self._swimmers_by_squad.get(squad["id"], {}))

    def _squad_lanes_needed(self, squad: Squad) -> int:
        """The lanes needed of a squad."""
        return ceil(Fraction(self._squad_members(squad), squad["per_lane"]))

    def _relay_total_of_bests(self, relay: Relay) -> int:
        """The total of bests of a relay."""
        return sum(
            self._best(s, self.events[relay["event_id"]])
            if self._best(s, self.events[relay["event_id"]]) is not None
            else 0
            for s in [self.swimmers[key] for key in relay["swimmer_ids"]]
        )

    def _best(self, s: Swimmer, e: Event) -> int | None:
        return min(
            (
                w["hundredths"]
                for w in self._swims_by_swimmer_stroke_course.get(
                    (s["id"], e["stroke"], self.meets[e["meet_id"]]["course"]),
                    {},
                ).values()
                if w["distance"] == e["distance"]
            ),
            default=None,
        )

    def _load(self, s: Swimmer, m: Meet) -> int:
        return (
            sum(
                1
                for n in self._entries_by_swimmer.get(s["id"], {}).values()
                if self.events[n["event_id"]]["meet_id"] == m["id"]
                and n["status"] != "withdrawn"
            )
            + sum(
                1
                for _event in self._events_by_meet.get(m["id"], {}).values()
                for r in self._relays_by_event.get(_event["id"], {}).values()
                if s["id"] in r["swimmer_ids"]
            )
        )

    def _in_event(self, s: Swimmer, e: Event) -> bool:
        return (
            any(
                n["status"] != "withdrawn"
                for n in self._entries_by_swimmer_event.get((s["id"], e["id"]), {}).values()
            )
            or any(s["id"] in r["swimmer_ids"] for r in self._relays_by_event.get(e["id"], {}).values())
        )

    def _good_enough(self, s: Swimmer, e: Event) -> bool:
        return e["standard"] is None or self._best(s, e) is not None and self._best(s, e) <= e["standard"]

    def _fits(self, s: Swimmer, e: Event) -> bool:
        return (
            s["sex"] == e["sex"]
            and not self._in_event(s, e)
            and self._load(s, self.meets[e["meet_id"]]) < self.meets[e["meet_id"]]["most_events"]
            and self._good_enough(s, e)
        )

    def _of_squad_age(self, born: str, q: Squad) -> bool:
        return q["born_from"] <= born and born <= q["born_to"]

    def _cramped(self, q: Squad) -> list[LaneShare]:
        return [
            x
            for x in sorted(self._lane_shares_by_squad.get(q["id"], {}).values(), key=_age)
            if x["lanes"] * q["per_lane"] <= self._squad_members(q)
        ]

    def _breaks_rule_1(self, x: LaneShare) -> bool:
        """Whether this is broken: the pool has eight lanes."""
        return sum(
            o["lanes"]
            for o in self.lane_shares.values()
            if o["wday"] == x["wday"]
            and o["slot"] == x["slot"]
        ) > 8

    def _breaks_rule_2(self, x: LaneShare) -> bool:
        """Whether this is broken: a squad has one share of the lanes in a session."""
        return any(
            other_x is not x
            for other_x in self._lane_shares_by_squad_wday_slot.get(
                (x["squad_id"], x["wday"], x["slot"]),
                {},
            ).values()
        )

    def _breaks_rule_3(self, x: LaneShare) -> bool:
        """Whether this is broken: everybody in a squad finds room in its lanes."""
        return self._squad_members(self.squads[x["squad_id"]]) > x["lanes"] * self.squads[x["squad_id"]]["per_lane"]

    def _breaks_rule_4(self, s: Swimmer) -> bool:
        """Whether this is broken: swimmers are born within the years of their squad."""
        return not self._of_squad_age(s["born"], self.squads[s["squad_id"]])

    def _breaks_rule_5(self, n: Entry) -> bool:
        """Whether this is broken: nobody swims an event twice."""
        return (
            n["status"] != "withdrawn"
            and any(
                other_n is not n
                for other_n in self._entries_by_swimmer_event.get((n["swimmer_id"], n["event_id"]), {}).values()
                if other_n["status"] != "withdrawn"
            )
        )

    def _breaks_rule_5_again(self) -> bool:
        """Whether this is broken: nobody swims an event twice."""
        return not _different(
            [
                (r["event_id"], s["id"])
                for r in self.relays.values()
                for s in [self.swimmers[key] for key in r["swimmer_ids"]]
            ]
        )

    def _breaks_rule_6_n(self, n: Entry) -> bool:
        """Whether this is broken: nobody swims more events at a meet than it allows, relays included."""
        return (
            n["status"] != "withdrawn"
            and self._load(
                self.swimmers[n["swimmer_id"]],
                self.meets[self.events[n["event_id"]]["meet_id"]],
            ) > self.meets[self.events[n["event_id"]]["meet_id"]]["most_events"]
        )

    def _breaks_rule_6_r(self, r: Relay) -> bool:
        """Whether this is broken: nobody swims more events at a meet than it allows, relays included."""
        return any(
            self._load(
                s,
                self.meets[self.events[r["event_id"]]["meet_id"]],
            ) > self.meets[self.events[r["event_id"]]["meet_id"]]["most_events"]
            for s in [self.swimmers[key] for key in r["swimmer_ids"]]
        )

    def _breaks_rule_7(self, r: Relay) -> bool:
        """Whether this is broken: a relay has four different swimmers."""
        return not (
            len(r["swimmer_ids"]) == 4
            and _different([s["id"] for s in [self.swimmers[key] for key in r["swimmer_ids"]]])
        )

    def _breaks_rule_8_n(self, n: Entry) -> bool:
        """Whether this is broken: women swim women's events and men swim men's events."""
        return self.swimmers[n["swimmer_id"]]["sex"] != self.events[n["event_id"]]["sex"]

    def _breaks_rule_8_r(self, r: Relay) -> bool:
        """Whether this is broken: women swim women's events and men swim men's events."""
        return any(
            s["sex"] != self.events[r["event_id"]]["sex"]
            for s in [self.swimmers[key] for key in r["swimmer_ids"]]
        )

    def _breaks_rule_9_n(self, n: Entry) -> bool:
        """Whether this is broken: single swimmers enter single events, and four enter relays."""
        return self.events[n["event_id"]]["relay"]

    def _breaks_rule_9_r(self, r: Relay) -> bool:
        """Whether this is broken: single swimmers enter single events, and four enter relays."""
        return not self.events[r["event_id"]]["relay"]

    def _breaks_rule_10(self, n: Entry) -> bool:
        """Whether this is broken: whoever enters an event with a standard has reached it."""
        return not (
            self.events[n["event_id"]]["standard"] is None
            or n["seed"] is not None
            and n["seed"] <= self.events[n["event_id"]]["standard"]
        )

    def _breaks_rule_11(self, n: Entry) -> bool:
        """Whether this is broken: a swum entry has a time, and no other has."""
        return (n["status"] == "swum") != (n["result"] is not None)

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
            case "swimmers":
                self._swimmers_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._swimmers_by_squad.setdefault(record["squad_id"], {})[record["id"]] = record
            case "lane_shares":
                self._lane_shares_by_squad.setdefault(record["squad_id"], {})[record["id"]] = record
                self._lane_shares_by_squad_wday_slot.setdefault(
                    (record["squad_id"], record["wday"], record["slot"]),
                    {},
                )[record["id"]] = record
            case "events":
                self._events_by_meet.setdefault(record["meet_id"], {})[record["id"]] = record
            case "entries":
                self._entries_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                self._entries_by_swimmer.setdefault(record["swimmer_id"], {})[record["id"]] = record
                self._entries_by_swimmer_event.setdefault(
                    (record["swimmer_id"], record["event_id"]),
                    {},
                )[record["id"]] = record
            case "relays":
                self._relays_by_event.setdefault(record["event_id"], {})[record["id"]] = record
                for key in record["swimmer_ids"]:
                    self._relays_by_swimmers.setdefault(key, {})[record["id"]] = record
            case "swims":
                self._swims_by_swimmer_stroke_course.setdefault(
                    (record["swimmer_id"], record["stroke"], record["course"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "swimmers":
                del self._swimmers_by_name[record["name"]][record["id"]]
                del self._swimmers_by_squad[record["squad_id"]][record["id"]]
            case "lane_shares":
                del self._lane_shares_by_squad[record["squad_id"]][record["id"]]
                del self._lane_shares_by_squad_wday_slot[record["squad_id"], record["wday"], record["slot"]][record["id"]]
            case "events":
                del self._events_by_meet[record["meet_id"]][record["id"]]
            case "entries":
                del self._entries_by_event[record["event_id"]][record["id"]]
                del self._entries_by_swimmer[record["swimmer_id"]][record["id"]]
                del self._entries_by_swimmer_event[record["swimmer_id"], record["event_id"]][record["id"]]
            case "relays":
                del self._relays_by_event[record["event_id"]][record["id"]]
                for key in record["swimmer_ids"]:
                    self._relays_by_swimmers[key].pop(record["id"], None)
            case "swims":
                del self._swims_by_swimmer_stroke_course[
                    record["swimmer_id"],
                    record["stroke"],
                    record["course"],
                ][record["id"]]
