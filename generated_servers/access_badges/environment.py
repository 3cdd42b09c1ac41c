"""Access badges. Compiled from blueprint.yaml; run `envscaler build access_badges` after changing it there.

Runs the badges of a research site - zones that lie within zones, doors, profiles by hour, presence without
passing back, visitors with an escort and rooms that nobody enters alone.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A person has at most one badge in use.",
    "A zone never holds more people than its capacity, those in the zones within it included.",
    "Nobody is alone in a zone that is never entered alone.",
    "In an escorted zone a visitor is together with the host.",
    "A visitor's badge in use has a host, who is an employee with a badge in use, and no other badge has one.",
    "A host looks after three visitors at most.",
    "Only a badge in use is anywhere on the site.",
    "A badge is only in zones of its profile.",
    "Where a safety briefing is needed everybody had a valid one when they came in.",
    "A suspended badge says why, and an active one has nothing to explain.",
    "Visitors have the visitor profile, and only they have it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "issue_badge",
    "pass_in",
    "pass_out",
    "correct_place",
    "change_host",
    "change_profile",
    "suspend_badge",
    "reinstate_badge",
    "return_badge",
    "replace_badge",
    "record_briefing",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "zones": ("name",),
    "doors": ("label",),
    "profiles": ("name",),
    "people": ("name",),
    "badges": ("number",),
    "passages": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("badges", "host_id"),
    ("badges", "number"),
    ("badges", "person_id"),
    ("badges", "zone_id"),
    ("doors", "zone_id"),
    ("zones", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Zone(TypedDict):
    id: str
    name: str
    within_id: str | None
    capacity: int
    escorted: bool
    never_alone: bool
    briefing: bool


class Door(TypedDict):
    id: str
    label: str
    zone_id: str
    visitors: bool


class Profile(TypedDict):
    id: str
    name: str
    opens: str
    closes: str
    weekends: bool
    zone_ids: list[str]


class Person(TypedDict):
    id: str
    name: str
    company: str
    kind: Literal["employee", "contractor", "visitor"]
    briefed_until: str | None


class Badge(TypedDict):
    id: str
    number: str
    person_id: str
    profile_id: str
    host_id: str | None
    zone_id: str | None
    passed_at: str | None
    expires: str
    reason: str | None
    status: Literal["active", "suspended", "returned", "lost"]


class Passage(TypedDict):
    id: str
    badge_id: str
    door_id: str
    way: Literal["in", "out"]
    at: str


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


class AccessBadges:
    """Runs the badges of a research site - zones that lie within zones, doors, profiles by hour, presence
    without passing back, visitors with an escort and rooms that nobody enters alone.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.doors: dict[str, Door] = _copied(config.get("doors", {}))
        self.profiles: dict[str, Profile] = _copied(config.get("profiles", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.badges: dict[str, Badge] = _copied(config.get("badges", {}))
        self.passages: dict[str, Passage] = _copied(config.get("passages", {}))
        self.now: str = config.get("now", "2026-03-03T10:20")
        self.counters: dict[str, int] = {
            "zone": len(self.zones),
            "door": len(self.doors),
            "profile": len(self.profiles),
            "person": len(self.people),
            "badge": len(self.badges),
            "passage": len(self.passages),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._zones_by_within: dict[Any, dict[str, Zone]] = {}
        self._doors_by_zone: dict[Any, dict[str, Door]] = {}
        self._badges_by_host: dict[Any, dict[str, Badge]] = {}
        self._badges_by_number: dict[Any, dict[str, Badge]] = {}
        self._badges_by_person: dict[Any, dict[str, Badge]] = {}
        self._badges_by_zone: dict[Any, dict[str, Badge]] = {}
        for zone in self.zones.values():
            self._link("zones", zone)
        for door in self.doors.values():
            self._link("doors", door)
        for badge in self.badges.values():
            self._link("badges", badge)

    def who_is_inside(self, zone_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The people in a zone and in the zones within it, longest there first.

        Args:
            zone_id (str): Id of the zone, such as ZONE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "badges": records}} or {"success": False, "error": why
                not}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            b
            for b in _distinct(
                [
                    b
                    for key in [zone_id, *[record["id"] for record in _below(self._zones_by_within, zone)]]
                    for b in self._badges_by_zone.get(key, {}).values()
                ]
            )
            if self._inside(b, zone)
        ]
        found.sort(key=lambda b: (b["passed_at"] if b["passed_at"] is not None else self.now, b["number"], _age(b)))
        return _found(
            {
                "total": len(found),
                "badges": [
                    {
                        "badge": b["id"],
                        "number": b["number"],
                        "person": self.people[b["person_id"]]["name"],
                        "kind": self.people[b["person_id"]]["kind"],
                        "zone": self.zones[b["zone_id"]]["name"] if b["zone_id"] is not None else zone["name"],
                        "passed_at": b["passed_at"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def doors_for(self, badge_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The doors before which a badge stands now and what its profile opens.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "doors": records}} or {"success": False, "error": why
                not}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        found = [
            d
            for d in [
                d
                for _zone in self._zones_by_within.get(badge["zone_id"], {}).values()
                for d in self._doors_by_zone.get(_zone["id"], {}).values()
            ]
            if d["zone_id"] in self.profiles[badge["profile_id"]]["zone_ids"]
        ]
        found.sort(key=lambda d: (d["label"], _age(d)))
        return _found(
            {
                "total": len(found),
                "doors": [
                    {
                        "id": d["id"],
                        "label": d["label"],
                        "zone": self.zones[d["zone_id"]]["name"],
                        "visitors": d["visitors"],
                        "briefing": self.zones[d["zone_id"]]["briefing"],
                        "room_left": self._zone_room_left(self.zones[d["zone_id"]]),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def never_left(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Badges that were last seen going in before today and are still known to be on the site.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "badges": records}} or {"success": False, "error": why
                not}
        """
        found = [
            b
            for b in self.badges.values()
            if (b["zone_id"] is not None and b["passed_at"] is not None and b["passed_at"][:10] < self.now[:10])
        ]
        found.sort(key=lambda b: (b["passed_at"], b["number"], _age(b)))
        shown = [{**b} for b in _page(found, offset)]
        return _found({"total": len(found), "badges": shown}, self._names_of_badges(shown))

    def visitors_of(self, host_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The visitors that a host looks after.

        Args:
            host_id (str): Badge of whoever looks after the visitors; an id such as BADGE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "badges": records}} or {"success": False, "error": why
                not}
        """
        host = self.badges.get(host_id)
        if host is None:
            return _refused(f"There is no badge {host_id!r}.")
        found = [v for v in self._guests(host)]
        found.sort(key=lambda v: (v["number"], _age(v)))
        shown = [{**v} for v in _page(found, offset)]
        return _found({"total": len(found), "badges": shown}, self._names_of_badges(shown))

    def list_zones(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        escorted: bool | None = None,
        never_alone: bool | None = None,
        briefing: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            within_id (str, optional): Only zones within this zone.
            escorted (bool, optional): Only zones that are escorted (true) or not (false).
            never_alone (bool, optional): Only zones with this value of `never_alone`.
            briefing (bool, optional): Only zones with this value of `briefing`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        if within_id is not None and within_id not in self.zones:
            return _refused(f"There is no zone {within_id!r}.")
        found = [
            zone
            for zone in self.zones.values()
            if (name is None or name.casefold() in zone["name"].casefold())
            and (within_id is None or zone["within_id"] == within_id)
            and (escorted is None or zone["escorted"] == escorted)
            and (never_alone is None or zone["never_alone"] == never_alone)
            and (briefing is None or zone["briefing"] == briefing)
        ]
        shown = [self._show_zone(zone) for zone in _page(found, offset)]
        return _found({"total": len(found), "zones": shown}, self._names_of_zones(shown))

    def list_doors(
        self,
        label: Text | None = None,
        zone_id: str | None = None,
        visitors: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the doors, oldest first, all of them or only some.

        Args:
            label (str, optional): Only doors whose label contains this text.
            zone_id (str, optional): Only doors of this zone.
            visitors (bool, optional): Only doors with this value of `visitors`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "doors": records}}
        """
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            door
            for door in self.doors.values()
            if (label is None or label.casefold() in door["label"].casefold())
            and (zone_id is None or door["zone_id"] == zone_id)
            and (visitors is None or door["visitors"] == visitors)
        ]
        shown = [{**door} for door in _page(found, offset)]
        return _found({"total": len(found), "doors": shown}, self._names_of_doors(shown))

    def list_profiles(
        self,
        name: Text | None = None,
        weekends: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the profiles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only profiles whose name contains this text.
            weekends (bool, optional): Only profiles with this value of `weekends`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "profiles": records}}
        """
        found = [
            profile
            for profile in self.profiles.values()
            if (name is None or name.casefold() in profile["name"].casefold())
            and (weekends is None or profile["weekends"] == weekends)
        ]
        shown = [self._show_profile(profile) for profile in _page(found, offset)]
        return _found({"total": len(found), "profiles": shown}, self._names_of_profiles(shown))

    def list_people(
        self,
        name: Text | None = None,
        kind: Literal["employee", "contractor", "visitor"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            kind (str, optional): Only people with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (kind is None or person["kind"] == kind)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_badges(
        self,
        number: Text | None = None,
        person_id: str | None = None,
        profile_id: str | None = None,
        host_id: str | None = None,
        zone_id: str | None = None,
        status: Literal["active", "suspended", "returned", "lost"] | None = None,
        passed_at_from: Date | None = None,
        passed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the badges, oldest first, all of them or only some.

        Args:
            number (str, optional): Only badges whose number contains this text.
            person_id (str, optional): Only badges of this person.
            profile_id (str, optional): Only badges of this profile.
            host_id (str, optional): Only badges whose host is this badge.
            zone_id (str, optional): Only badges of this zone.
            status (str, optional): Only badges with this status.
            passed_at_from (str, optional): Only badges whose `passed_at` is on this day or later.
            passed_at_to (str, optional): Only badges whose `passed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "badges": records}}
        """
        if person_id is not None and person_id not in self.people:
            return _refused(f"There is no person {person_id!r}.")
        if profile_id is not None and profile_id not in self.profiles:
            return _refused(f"There is no profile {profile_id!r}.")
        if host_id is not None and host_id not in self.badges:
            return _refused(f"There is no badge {host_id!r}.")
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            badge
            for badge in self.badges.values()
            if (number is None or number.casefold() in badge["number"].casefold())
            and (person_id is None or badge["person_id"] == person_id)
            and (profile_id is None or badge["profile_id"] == profile_id)
            and (host_id is None or badge["host_id"] == host_id)
            and (zone_id is None or badge["zone_id"] == zone_id)
            and (status is None or badge["status"] == status)
            and (
                passed_at_from is None
                or (badge["passed_at"] is not None and badge["passed_at"][:10] >= passed_at_from)
            )
            and (passed_at_to is None or (badge["passed_at"] is not None and badge["passed_at"][:10] <= passed_at_to))
        ]
        shown = [{**badge} for badge in _page(found, offset)]
        return _found({"total": len(found), "badges": shown}, self._names_of_badges(shown))

    def list_passages(
        self,
        badge_id: str | None = None,
        door_id: str | None = None,
        way: Literal["in", "out"] | None = None,
        at_from: Date | None = None,
        at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the passages, oldest first, all of them or only some.

        Args:
            badge_id (str, optional): Only passages of this badge.
            door_id (str, optional): Only passages of this door.
            way (str, optional): Only passages with this way.
            at_from (str, optional): Only passages whose `at` is on this day or later.
            at_to (str, optional): Only passages whose `at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "passages": records}}
        """
        if badge_id is not None and badge_id not in self.badges:
            return _refused(f"There is no badge {badge_id!r}.")
        if door_id is not None and door_id not in self.doors:
            return _refused(f"There is no door {door_id!r}.")
        found = [
            passage
            for passage in self.passages.values()
            if (badge_id is None or passage["badge_id"] == badge_id)
            and (door_id is None or passage["door_id"] == door_id)
            and (way is None or passage["way"] == way)
            and (at_from is None or passage["at"][:10] >= at_from)
            and (at_to is None or passage["at"][:10] <= at_to)
        ]
        shown = [{**passage} for passage in _page(found, offset)]
        return _found({"total": len(found), "passages": shown}, self._names_of_passages(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def issue_badge(
        self,
        person_id: str,
        profile_id: str,
        number: Text,
        expires: Date,
        host_id: str | None = None,
    ) -> Result:
        """Issue a badge to somebody who has none in use; a visitor needs a host and gets it for five days at most.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            profile_id (str): Id of the profile, such as PROFILE-00001.
            number (str): Number of the new badge, never used before.
            expires (str): Last day of the badge, at most 5 days ahead for a visitor, as YYYY-MM-DD.
            host_id (str, optional): Active badge of the employee who looks after the visitor; an id such as
                BADGE-00001. If left out, the badge has no host, which only a visitor must have.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        profile = self.profiles.get(profile_id)
        if profile is None:
            return _refused(f"There is no profile {profile_id!r}.")
        host = self.badges.get(host_id) if host_id is not None else None
        if host_id is not None and host is None:
            return _refused(f"There is no badge {host_id!r}.")
        if self._badges_by_number.get(number, {}):
            return _refused(f"The number {number} has been used before.")
        old = self._badge_of(person)
        if old is not None:
            return _refused(f"{person['name']} has badge {old['number']} in use.")
        if self.now[:10] > expires or expires > _plus_days(self.now[:10], 730):
            return _refused(f"A badge runs from today for two years at most, not until {expires}.")
        if person["kind"] == "visitor" and expires > _plus_days(self.now[:10], 5):
            return _refused(f"A visitor's badge ends by {_plus_days(self.now[:10], 5)}.")
        if (person["kind"] == "visitor") != (profile["name"] == "Visitor"):
            return _refused("Visitors get the visitor profile and nobody else does.")
        if person["kind"] == "visitor" and host_id is None:
            return _refused(f"{person['name']} is a visitor, so name a host.")
        if person["kind"] != "visitor" and host_id is not None:
            return _refused(f"{person['name']} is no visitor and needs no host.")
        if not (
            host_id is None
            or self.people[host["person_id"]]["kind"] == "employee"
            and host["status"] == "active"
        ):
            return _refused("The host must be an employee with an active badge.")
        if host_id is not None and len(self._guests(host)) >= 3:
            return _refused("The host looks after three visitors already.")
        done = f"issue badge {number} to {person['name']}"
        if host is not None:
            done += f" with the host {host['number']}"
        self._journal = []
        badge: Badge = {
            "id": self._new_id("badge", "BADGE", self.badges),
            "number": number,
            "person_id": person_id,
            "profile_id": profile_id,
            "host_id": host_id,
            "zone_id": None,
            "passed_at": None,
            "expires": expires,
            "reason": None,
            "status": "active",
        }
        self._add("badges", badge)
        if len(self._badges_by_number.get(badge["number"], {})) > 1:
            return self._take_back(f"There is already a badge with the number {badge['number']!r}.")
        if self._breaks_rule_1(badge):
            return self._take_back(RULES[0])
        for one_zone in _distinct(
            [
                self.zones.get(badge["zone_id"]),
                *[
                    user
                    for one in [self.zones.get(badge["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_zone):
                return self._take_back(RULES[1])
        for one_zone in _distinct(
            [
                self.zones.get(badge["zone_id"]),
                *[
                    user
                    for one in [self.zones.get(badge["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_zone):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(badge):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(badge):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b_again(badge):
            return self._take_back(RULES[4])
        for one_badge in _distinct([badge, self.badges.get(badge["host_id"])]):
            if self._breaks_rule_6(one_badge):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(badge):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(badge):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(badge):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(badge):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(badge):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: badge {badge['id']}).",
            "data": {"badge_id": badge["id"], **self._changes()},
        }

    def pass_in(self, door_id: str, badge_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Let badges through a door into its zone together; each must be known to be in front of that door.

        Args:
            door_id (str): Id of the door, such as DOOR-00001.
            badge_ids (list): Badges that go in together, each once: ids of badges, such as BADGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        door = self.doors.get(door_id)
        if door is None:
            return _refused(f"There is no door {door_id!r}.")
        badges = []
        for key in badge_ids:
            if key not in self.badges:
                return _refused(f"There is no badge {key!r}.")
            badges.append(self.badges[key])
        if not (len(badges) > 0 and _different([b["id"] for b in badges])):
            return _refused("Name at least one badge, and each once.")
        zone = self.zones[door["zone_id"]]
        off = next((b for b in badges if b["status"] != "active"), None)
        if off is not None:
            return _refused(f"Badge {off['number']} is {off['status']}.")
        over = next((b for b in badges if b["expires"] < self.now[:10]), None)
        if over is not None:
            return _refused(f"Badge {over['number']} expired on {over['expires']}.")
        back = next((b for b in badges if b["zone_id"] != zone["within_id"]), None)
        if back is not None:
            return _refused(
                f"Badge {back['number']} is not known to be in front of {door['label']}; no passing back, correct "
                "its place first."
            )
        barred = next((b for b in badges if zone["id"] not in self.profiles[b["profile_id"]]["zone_ids"]), None)
        if barred is not None:
            return _refused(f"The profile of badge {barred['number']} does not open {zone['name']}.")
        early = next((b for b in badges if not self._open_now(self.profiles[b["profile_id"]])), None)
        if early is not None:
            return _refused(f"The profile of badge {early['number']} is not valid at this hour.")
        if not (door["visitors"] or not any(b["host_id"] is not None for b in badges)):
            return _refused(f"{door['label']} is not for visitors.")
        raw = next(
            (
                b
                for b in badges
                if zone["briefing"]
                and (
                    self.people[b["person_id"]]["briefed_until"] is None
                    or self.people[b["person_id"]]["briefed_until"] < self.now[:10]
                )
            ),
            None,
        )
        if raw is not None:
            return _refused(
                f"{self.people[raw['person_id']]['name']} has no valid safety briefing for {zone['name']}."
            )
        lone = next(
            (
                b
                for b in badges
                if b["host_id"] is not None
                and zone["escorted"]
                and self.badges[b["host_id"]]["zone_id"] != zone["id"]
                and self.badges[b["host_id"]] not in badges
            ),
            None,
        )
        if lone is not None:
            return _refused(f"{self.people[lone['person_id']]['name']} may enter {zone['name']} only with the host.")
        left = next(
            (
                v
                for v in sorted(
                    _distinct(
                        [
                            v
                            for key in [record["id"] for record in badges]
                            for v in self._badges_by_host.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if v["host_id"] is not None
                and v not in badges
                and v["zone_id"] is not None
                and self.zones[v["zone_id"]]["escorted"]
            ),
            None,
        )
        if left is not None:
            return _refused(f"{self.people[left['person_id']]['name']} may not be left without the host.")
        if self._zone_people(zone) + len(badges) > zone["capacity"]:
            return _refused(f"{zone['name']} has room for {self._zone_room_left(zone)} more.")
        if zone["never_alone"] and self._zone_people(zone) + len(badges) < 2:
            return _refused(f"Nobody enters {zone['name']} alone.")
        self._journal = []
        changed_badges: list[Any] = []
        former_zone_ids: list[Any] = []
        changed_badges_2: list[Any] = []
        for b in sorted(badges, key=lambda b: (b["number"], _age(b))):
            changed_badges.append(b)
            former_zone_ids.append(b["zone_id"])
            self._put("badges", b, "zone_id", zone["id"])
            changed_badges_2.append(b)
            self._put("badges", b, "passed_at", self.now)
            passage = {
                "id": self._new_id("passage", "PASSAGE", self.passages),
                "badge_id": b["id"],
                "door_id": door_id,
                "way": "in",
                "at": self.now,
            }
            self._add("passages", passage)
        for one_zone in _distinct(
            [
                *[self.zones.get(one["zone_id"]) for one in changed_badges],
                *[self.zones.get(key) for key in former_zone_ids],
                *[
                    user
                    for one in [self.zones.get(one["zone_id"]) for one in changed_badges]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(key) for key in former_zone_ids]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_zone):
                return self._take_back(RULES[1])
        for one_zone in _distinct(
            [
                *[self.zones.get(one["zone_id"]) for one in changed_badges],
                *[self.zones.get(key) for key in former_zone_ids],
                *[
                    user
                    for one in [self.zones.get(one["zone_id"]) for one in changed_badges]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(key) for key in former_zone_ids]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_zone):
                return self._take_back(RULES[2])
        for one_badge in _distinct(
            [
                *changed_badges,
                *[user for one in changed_badges for user in self._badges_by_host.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_4(one_badge):
                return self._take_back(RULES[3])
        for one_badge in _distinct(changed_badges):
            if self._breaks_rule_7(one_badge):
                return self._take_back(RULES[6])
        for one_badge in _distinct(changed_badges):
            if self._breaks_rule_8(one_badge):
                return self._take_back(RULES[7])
        for one_badge in _distinct([*changed_badges, *changed_badges_2]):
            if self._breaks_rule_9(one_badge):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: pass {', '.join(str(one['number']) for one in badges)} in through {door['label']}.",
            "data": self._changes(),
        }

    def pass_out(self, door_id: str, badge_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Let badges through a door out of its zone together.

        Args:
            door_id (str): Id of the door, such as DOOR-00001.
            badge_ids (list): Badges that go out together, each once: ids of badges, such as BADGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        door = self.doors.get(door_id)
        if door is None:
            return _refused(f"There is no door {door_id!r}.")
        badges = []
        for key in badge_ids:
            if key not in self.badges:
                return _refused(f"There is no badge {key!r}.")
            badges.append(self.badges[key])
        if not (len(badges) > 0 and _different([b["id"] for b in badges])):
            return _refused("Name at least one badge, and each once.")
        zone = self.zones[door["zone_id"]]
        away = next((b for b in badges if b["zone_id"] != zone["id"]), None)
        if away is not None:
            return _refused(f"Badge {away['number']} is not known to be in {zone['name']}; correct its place first.")
        there = self.zones.get(zone["within_id"])
        barred = next(
            (
                b
                for b in badges
                if there is not None
                and there["id"] not in self.profiles[b["profile_id"]]["zone_ids"]
            ),
            None,
        )
        if barred is not None:
            return _refused(
                f"The profile of badge {barred['number']} does not open what lies behind {door['label']}."
            )
        lone = next(
            (
                b
                for b in badges
                if b["host_id"] is not None
                and there is not None
                and there["escorted"]
                and self.badges[b["host_id"]]["zone_id"] != there["id"]
                and self.badges[b["host_id"]] not in badges
            ),
            None,
        )
        if lone is not None:
            return _refused(f"{self.people[lone['person_id']]['name']} may leave {zone['name']} only with the host.")
        left = next(
            (
                v
                for v in sorted(
                    _distinct(
                        [
                            v
                            for key in [record["id"] for record in badges]
                            for v in self._badges_by_host.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if v["host_id"] is not None
                and v not in badges
                and v["zone_id"] is not None
                and self.zones[v["zone_id"]]["escorted"]
            ),
            None,
        )
        if left is not None:
            return _refused(f"{self.people[left['person_id']]['name']} may not be left without the host.")
        if zone["never_alone"] and self._zone_people(zone) - len(badges) == 1:
            return _refused(f"Somebody would be left alone in {zone['name']}.")
        self._journal = []
        changed_badges: list[Any] = []
        former_zone_ids: list[Any] = []
        changed_badges_2: list[Any] = []
        for b in sorted(badges, key=lambda b: (b["number"], _age(b))):
            changed_badges.append(b)
            former_zone_ids.append(b["zone_id"])
            self._put("badges", b, "zone_id", there["id"] if there is not None else None)
            changed_badges_2.append(b)
            self._put("badges", b, "passed_at", self.now)
            passage = {
                "id": self._new_id("passage", "PASSAGE", self.passages),
                "badge_id": b["id"],
                "door_id": door_id,
                "way": "out",
                "at": self.now,
            }
            self._add("passages", passage)
        for one_zone in _distinct(
            [
                *[self.zones.get(one["zone_id"]) for one in changed_badges],
                *[self.zones.get(key) for key in former_zone_ids],
                *[
                    user
                    for one in [self.zones.get(one["zone_id"]) for one in changed_badges]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(key) for key in former_zone_ids]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_zone):
                return self._take_back(RULES[1])
        for one_zone in _distinct(
            [
                *[self.zones.get(one["zone_id"]) for one in changed_badges],
                *[self.zones.get(key) for key in former_zone_ids],
                *[
                    user
                    for one in [self.zones.get(one["zone_id"]) for one in changed_badges]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(key) for key in former_zone_ids]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_zone):
                return self._take_back(RULES[2])
        for one_badge in _distinct(
            [
                *changed_badges,
                *[user for one in changed_badges for user in self._badges_by_host.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_4(one_badge):
                return self._take_back(RULES[3])
        for one_badge in _distinct(changed_badges):
            if self._breaks_rule_7(one_badge):
                return self._take_back(RULES[6])
        for one_badge in _distinct(changed_badges):
            if self._breaks_rule_8(one_badge):
                return self._take_back(RULES[7])
        for one_badge in _distinct([*changed_badges, *changed_badges_2]):
            if self._breaks_rule_9(one_badge):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: pass {', '.join(str(one['number']) for one in badges)} out through {door['label']}.",
            "data": self._changes(),
        }

    def correct_place(self, badge_id: str, zone_id: str | None = None) -> Result:
        """Correct where a badge is known to be, after somebody slipped through behind another; without a zone it is
        off the site.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            zone_id (str, optional): Innermost zone where the badge really is; an id such as ZONE-00001. If left
                out, the badge is off the site.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        zone = self.zones.get(zone_id) if zone_id is not None else None
        if zone_id is not None and zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if not self._in_use(badge):
            return _refused(f"Badge {badge['number']} is {badge['status']}.")
        if zone_id == badge["zone_id"]:
            return _refused(f"Badge {badge['number']} is known to be there already.")
        if zone_id is not None and zone_id not in self.profiles[badge["profile_id"]]["zone_ids"]:
            return _refused(
                f"The profile of badge {badge['number']} does not open that zone, so change the profile first."
            )
        if not (
            zone_id is None
            or not zone["briefing"]
            or self.people[badge["person_id"]]["briefed_until"] is not None
            and self.people[badge["person_id"]]["briefed_until"] >= self.now[:10]
        ):
            return _refused(f"{self.people[badge['person_id']]['name']} has no valid safety briefing.")
        if (
            zone_id is not None
            and zone["escorted"]
            and badge["host_id"] is not None
            and self.badges[badge["host_id"]]["zone_id"] != zone_id
        ):
            return _refused(f"{self.people[badge['person_id']]['name']} can be there only with the host.")
        left = next(
            (v for v in self._guests(badge) if v["zone_id"] is not None and self.zones[v["zone_id"]]["escorted"]),
            None,
        )
        if left is not None:
            return _refused(
                f"{self.people[left['person_id']]['name']} is with {self.people[badge['person_id']]['name']} and "
                "must be moved first."
            )
        full = next(
            (
                z
                for z in self.zones.values()
                if zone_id is not None
                and (z is zone or z in _above(self.zones, zone, "within_id"))
                and not self._inside(badge, z)
                and self._zone_room_left(z) == 0
            ),
            None,
        )
        if full is not None:
            return _refused(f"{full['name']} is full.")
        if zone_id is not None and zone["never_alone"] and self._zone_people(zone) <= 0:
            return _refused("Nobody is alone in that zone.")
        if (
            badge["zone_id"] is not None
            and self.zones[badge["zone_id"]]["never_alone"]
            and self._zone_people(self.zones[badge["zone_id"]]) == 2
        ):
            return _refused("Somebody would be left alone in the zone.")
        self._journal = []
        former_zone_id = badge["zone_id"]
        self._put("badges", badge, "zone_id", zone_id)
        self._put("badges", badge, "passed_at", self.now)
        for one_zone in _distinct(
            [
                self.zones.get(badge["zone_id"]),
                self.zones.get(former_zone_id),
                *[
                    user
                    for one in [self.zones.get(badge["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(former_zone_id)]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_zone):
                return self._take_back(RULES[1])
        for one_zone in _distinct(
            [
                self.zones.get(badge["zone_id"]),
                self.zones.get(former_zone_id),
                *[
                    user
                    for one in [self.zones.get(badge["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(former_zone_id)]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_zone):
                return self._take_back(RULES[2])
        for one_badge in _distinct([badge, *self._badges_by_host.get(badge["id"], {}).values()]):
            if self._breaks_rule_4(one_badge):
                return self._take_back(RULES[3])
        if self._breaks_rule_7(badge):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(badge):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(badge):
            return self._take_back(RULES[8])
        done = f"correct the place of badge {badge['number']}"
        if zone is not None:
            done += f" to {zone['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_host(self, badge_id: str, host_id: str) -> Result:
        """Give a visitor another host; where both are in an escorted zone the new host must be there too.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            host_id (str): Active badge of the employee who takes over the visitor; an id such as BADGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        host = self.badges.get(host_id)
        if host is None:
            return _refused(f"There is no badge {host_id!r}.")
        if not (self._in_use(badge) and badge["host_id"] is not None):
            return _refused(f"Badge {badge['number']} is no visitor's badge in use.")
        if host_id == badge["host_id"]:
            return _refused(f"{self.people[host['person_id']]['name']} is the host already.")
        if self.people[host["person_id"]]["kind"] != "employee" or host["status"] != "active":
            return _refused(f"{self.people[host['person_id']]['name']} is no employee with an active badge.")
        if len(self._guests(host)) >= 3:
            return _refused(f"{self.people[host['person_id']]['name']} looks after three visitors already.")
        if (
            badge["zone_id"] is not None
            and self.zones[badge["zone_id"]]["escorted"]
            and host["zone_id"] != badge["zone_id"]
        ):
            return _refused(
                f"{self.people[host['person_id']]['name']} must be where "
                f"{self.people[badge['person_id']]['name']} is."
            )
        self._journal = []
        former_host_id = badge["host_id"]
        self._put("badges", badge, "host_id", host_id)
        if self._breaks_rule_4(badge):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_b(badge):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_b_again(badge):
            return self._take_back(RULES[4])
        for one_badge in _distinct([self.badges.get(badge["host_id"]), self.badges.get(former_host_id)]):
            if self._breaks_rule_6(one_badge):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: make {self.people[host['person_id']]['name']} the host of "
                f"{self.people[badge['person_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def change_profile(self, badge_id: str, profile_id: str) -> Result:
        """Give a badge another profile, which must open the zone where it is.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            profile_id (str): Id of the profile, such as PROFILE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        profile = self.profiles.get(profile_id)
        if profile is None:
            return _refused(f"There is no profile {profile_id!r}.")
        if not self._in_use(badge):
            return _refused(f"Badge {badge['number']} is {badge['status']}.")
        if badge["profile_id"] == profile_id:
            return _refused(f"Badge {badge['number']} has that profile already.")
        if badge["host_id"] is not None or profile["name"] == "Visitor":
            return _refused("The visitor profile is not exchanged.")
        if badge["zone_id"] is not None and badge["zone_id"] not in profile["zone_ids"]:
            return _refused(
                f"{self.people[badge['person_id']]['name']} is where {profile['name']} does not open, so let them "
                "out first."
            )
        self._journal = []
        self._put("badges", badge, "profile_id", profile_id)
        if self._breaks_rule_8(badge):
            return self._take_back(RULES[7])
        if self._breaks_rule_11(badge):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give badge {badge['number']} the profile {profile['name']}.",
            "data": self._changes(),
        }

    def suspend_badge(self, badge_id: str, reason: Text) -> Result:
        """Suspend an active badge and say why; whoever looks after visitors hands them over first.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            reason (str): Why the badge is suspended.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        if badge["status"] != "active":
            return _refused(f"Badge {badge['number']} is {badge['status']}.")
        if len(self._guests(badge)) != 0:
            return _refused(
                f"{self.people[badge['person_id']]['name']} is host to {len(self._guests(badge))} visitors, who "
                "need another one first."
            )
        self._journal = []
        self._put("badges", badge, "status", "suspended")
        self._put("badges", badge, "reason", reason)
        if self._breaks_rule_1(badge):
            return self._take_back(RULES[0])
        if self._breaks_rule_5_b(badge):
            return self._take_back(RULES[4])
        for one_badge in _distinct([badge, *self._badges_by_host.get(badge["id"], {}).values()]):
            if self._breaks_rule_5_b_again(one_badge):
                return self._take_back(RULES[4])
        for one_badge in _distinct([self.badges.get(badge["host_id"])]):
            if self._breaks_rule_6(one_badge):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(badge):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(badge):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(badge):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: suspend badge {badge['number']} with the reason {reason}.",
            "data": self._changes(),
        }

    def reinstate_badge(self, badge_id: str, expires: Date | None = None) -> Result:
        """Make a suspended badge active again; one that has expired gets a new last day.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            expires (str, optional): New last day of the badge, from today on, as YYYY-MM-DD. If left out, the last
                day stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        if badge["status"] != "suspended":
            return _refused(f"Badge {badge['number']} is {badge['status']}, not suspended.")
        until = expires if expires is not None else badge["expires"]
        if self.now[:10] > until or until > _plus_days(self.now[:10], 730):
            return _refused(
                f"Badge {badge['number']} would end on {until}; name a last day from {self.now[:10]} to "
                f"{_plus_days(self.now[:10], 730)}."
            )
        if badge["host_id"] is not None and until > _plus_days(self.now[:10], 5):
            return _refused(f"A visitor's badge ends by {_plus_days(self.now[:10], 5)}.")
        self._journal = []
        self._put("badges", badge, "reason", None)
        self._put("badges", badge, "expires", until)
        self._put("badges", badge, "status", "active")
        if self._breaks_rule_1(badge):
            return self._take_back(RULES[0])
        if self._breaks_rule_5_b(badge):
            return self._take_back(RULES[4])
        for one_badge in _distinct([badge, *self._badges_by_host.get(badge["id"], {}).values()]):
            if self._breaks_rule_5_b_again(one_badge):
                return self._take_back(RULES[4])
        for one_badge in _distinct([self.badges.get(badge["host_id"])]):
            if self._breaks_rule_6(one_badge):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(badge):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(badge):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(badge):
            return self._take_back(RULES[10])
        done = f"reinstate badge {badge['number']}"
        if expires is not None:
            done += f" until {expires}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def return_badge(self, badge_id: str) -> Result:
        """Take a badge back from somebody who has left the site.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        if not self._in_use(badge):
            return _refused(f"Badge {badge['number']} is {badge['status']}.")
        if badge["zone_id"] is not None:
            return _refused(f"{self.people[badge['person_id']]['name']} is still on the site.")
        if len(self._guests(badge)) != 0:
            return _refused(
                f"{self.people[badge['person_id']]['name']} is host to {len(self._guests(badge))} visitors, who "
                "need another one first."
            )
        self._journal = []
        self._put("badges", badge, "reason", None)
        if badge["status"] not in ("active", "suspended", "returned"):
            return self._take_back(f"Badge {badge['number']} cannot go from {badge['status']} to returned.")
        self._put("badges", badge, "status", "returned")
        if self._breaks_rule_1(badge):
            return self._take_back(RULES[0])
        if self._breaks_rule_5_b(badge):
            return self._take_back(RULES[4])
        for one_badge in _distinct([badge, *self._badges_by_host.get(badge["id"], {}).values()]):
            if self._breaks_rule_5_b_again(one_badge):
                return self._take_back(RULES[4])
        for one_badge in _distinct([self.badges.get(badge["host_id"])]):
            if self._breaks_rule_6(one_badge):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(badge):
            return self._take_back(RULES[6])
        if self._breaks_rule_10(badge):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(badge):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take badge {badge['number']} of {self.people[badge['person_id']]['name']} back.",
            "data": self._changes(),
        }

    def replace_badge(self, badge_id: str, number: Text) -> Result:
        """Replace a lost badge; the new one stands for the same place, profile and visitors.

        Args:
            badge_id (str): Id of the badge, such as BADGE-00001.
            number (str): Number of the new badge, never used before.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        badge = self.badges.get(badge_id)
        if badge is None:
            return _refused(f"There is no badge {badge_id!r}.")
        if badge["status"] != "active":
            return _refused(f"Badge {badge['number']} is {badge['status']}.")
        if badge["expires"] < self.now[:10]:
            return _refused(f"Badge {badge['number']} expired on {badge['expires']} anyway.")
        if self._badges_by_number.get(number, {}):
            return _refused(f"The number {number} has been used before.")
        done = f"replace badge {badge['number']} by {number}"
        self._journal = []
        changed_badges: list[Any] = []
        former_host_ids: list[Any] = []
        fresh: Badge = {
            "id": self._new_id("badge", "BADGE", self.badges),
            "number": number,
            "person_id": badge["person_id"],
            "profile_id": badge["profile_id"],
            "host_id": badge["host_id"],
            "zone_id": badge["zone_id"],
            "passed_at": badge["passed_at"],
            "expires": badge["expires"],
            "reason": None,
            "status": "active",
        }
        self._add("badges", fresh)
        for v in list(self._guests(badge)):
            changed_badges.append(v)
            former_host_ids.append(v["host_id"])
            self._put("badges", v, "host_id", fresh["id"])
        former_zone_id = badge["zone_id"]
        self._put("badges", badge, "zone_id", None)
        self._put("badges", badge, "status", "lost")
        if len(self._badges_by_number.get(fresh["number"], {})) > 1:
            return self._take_back(f"There is already a badge with the number {fresh['number']!r}.")
        if self._breaks_rule_1(fresh):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(badge):
            return self._take_back(RULES[0])
        for one_zone in _distinct(
            [
                self.zones.get(fresh["zone_id"]),
                self.zones.get(badge["zone_id"]),
                self.zones.get(former_zone_id),
                *[
                    user
                    for one in [self.zones.get(fresh["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(badge["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(former_zone_id)]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_zone):
                return self._take_back(RULES[1])
        for one_zone in _distinct(
            [
                self.zones.get(fresh["zone_id"]),
                self.zones.get(badge["zone_id"]),
                self.zones.get(former_zone_id),
                *[
                    user
                    for one in [self.zones.get(fresh["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(badge["zone_id"])]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
                *[
                    user
                    for one in [self.zones.get(former_zone_id)]
                    if one is not None
                    for user in _above(self.zones, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_3(one_zone):
                return self._take_back(RULES[2])
        for one_badge in _distinct(
            [fresh, badge, *changed_badges, *self._badges_by_host.get(badge["id"], {}).values()]
        ):
            if self._breaks_rule_4(one_badge):
                return self._take_back(RULES[3])
        for one_badge in _distinct([fresh, badge, *changed_badges]):
            if self._breaks_rule_5_b(one_badge):
                return self._take_back(RULES[4])
        for one_badge in _distinct(
            [fresh, badge, *changed_badges, *self._badges_by_host.get(badge["id"], {}).values()]
        ):
            if self._breaks_rule_5_b_again(one_badge):
                return self._take_back(RULES[4])
        for one_badge in _distinct(
            [
                fresh,
                self.badges.get(fresh["host_id"]),
                self.badges.get(badge["host_id"]),
                *[self.badges.get(one["host_id"]) for one in changed_badges],
                *[self.badges.get(key) for key in former_host_ids],
            ]
        ):
            if self._breaks_rule_6(one_badge):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(fresh):
            return self._take_back(RULES[6])
        if self._breaks_rule_7(badge):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(fresh):
            return self._take_back(RULES[7])
        if self._breaks_rule_8(badge):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(fresh):
            return self._take_back(RULES[8])
        if self._breaks_rule_9(badge):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(fresh):
            return self._take_back(RULES[9])
        if self._breaks_rule_10(badge):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(fresh):
            return self._take_back(RULES[10])
        if self._breaks_rule_11(badge):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: badge {fresh['id']}).",
            "data": {"badge_id": fresh["id"], **self._changes()},
        }

    def record_briefing(self, person_id: str) -> Result:
        """Record a safety briefing, which is valid for a year, or for a visitor for five days.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        until = _plus_days(self.now[:10], 5) if person["kind"] == "visitor" else _add_months(self.now[:10], 12)
        if person["briefed_until"] is not None and person["briefed_until"] >= until:
            return _refused(f"{person['name']} was briefed today already.")
        self._journal = []
        self._put("people", person, "briefed_until", until)
        for one_badge in _distinct(self._badges_by_person.get(person["id"], {}).values()):
            if self._breaks_rule_9(one_badge):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record the safety briefing of {person['name']}.",
            "data": self._changes(),
        }

    def _show_zone(self, zone: Zone) -> dict[str, Any]:
        """The zone as an answer shows it."""
        return {**zone, "people": self._zone_people(zone), "room_left": self._zone_room_left(zone)}

    def _show_profile(self, profile: Profile) -> dict[str, Any]:
        """The profile as an answer shows it."""
        return {**profile, "zone_ids": [*profile["zone_ids"]]}

    def _names_of_zones(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that zones point to."""
        return _names((self.zones, "name", [row["within_id"] for row in shown]))

    def _names_of_doors(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that doors point to."""
        return _names((self.zones, "name", [row["zone_id"] for row in shown]))

    def _names_of_profiles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that profiles point to."""
        return _names((self.zones, "name", [each for row in shown for each in row["zone_ids"]]))

    def _names_of_badges(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that badges point to."""
        return _names(
            (self.people, "name", [row["person_id"] for row in shown]),
            (self.profiles, "name", [row["profile_id"] for row in shown]),
            (self.badges, "number", [row["host_id"] for row in shown]),
            (self.zones, "name", [row["zone_id"] for row in shown]),
        )

    def _names_of_passages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that passages point to."""
        return _names(
            (self.badges, "number", [row["badge_id"] for row in shown]),
            (self.doors, "label", [row["door_id"] for row in shown]),
        )

    def _zone_people(self, zone: Zone) -> int:
        """The people of a zone."""
        return sum(
            1
            for b in _distinct(
                [
                    b
                    for key in [zone["id"], *[record["id"] for record in _below(self._zones_by_within, zone)]]
                    for b in self._badges_by_zone.get(key, {}).values()
                ]
            )
            if self._inside(b, zone)
        )

    def _zone_room_left(self, zone: Zone) -> int:
        """The room left of a zone."""
        return zone["capacity"] - self._zone_people(zone)

    def _inside(self, b: Badge, z: Zone) -> bool:
        return (
            b["zone_id"] is not None
            and (b["zone_id"] == z["id"] or z in _above(self.zones, self.zones[b["zone_id"]], "within_id"))
        )

    def _in_use(self, b: Badge) -> bool:
        return b["status"] in ("active", "suspended")

    def _guests(self, h: Badge) -> list[Badge]:
        return [v for v in sorted(self._badges_by_host.get(h["id"], {}).values(), key=_age) if self._in_use(v)]

    def _badge_of(self, p: Person) -> Badge | None:
        return next(
            (b for b in sorted(self._badges_by_person.get(p["id"], {}).values(), key=_age) if self._in_use(b)),
            None,
        )

    def _open_now(self, p: Profile) -> bool:
        return (
            (
                p["opens"] <= self.now[11:]
                and self.now[11:] < p["closes"]
                if p["opens"] < p["closes"]
                else self.now[11:] >= p["opens"]
                or self.now[11:] < p["closes"]
            )
            and (p["weekends"] or _weekday(self.now[:10]) <= 5)
        )

    def _breaks_rule_1(self, b: Badge) -> bool:
        """Whether this is broken: a person has at most one badge in use."""
        return (
            self._in_use(b)
            and any(
                other_b is not b
                for other_b in self._badges_by_person.get(b["person_id"], {}).values()
                if self._in_use(other_b)
            )
        )

    def _breaks_rule_2(self, z: Zone) -> bool:
        """Whether this is broken: a zone never holds more people than its capacity, those in the zones within it
        included.
        """
        return self._zone_people(z) > z["capacity"]

    def _breaks_rule_3(self, z: Zone) -> bool:
        """Whether this is broken: nobody is alone in a zone that is never entered alone."""
        return z["never_alone"] and self._zone_people(z) == 1

    def _breaks_rule_4(self, b: Badge) -> bool:
        """Whether this is broken: in an escorted zone a visitor is together with the host."""
        return (
            self.people[b["person_id"]]["kind"] == "visitor"
            and b["zone_id"] is not None
            and self.zones[b["zone_id"]]["escorted"]
            and (b["host_id"] is None or self.badges[b["host_id"]]["zone_id"] != b["zone_id"])
        )

    def _breaks_rule_5_b(self, b: Badge) -> bool:
        """Whether this is broken: a visitor's badge in use has a host, who is an employee with a badge in use, and no
        other badge has one.
        """
        return self._in_use(b) and (self.people[b["person_id"]]["kind"] == "visitor") != (b["host_id"] is not None)

    def _breaks_rule_5_b_again(self, b: Badge) -> bool:
        """Whether this is broken: a visitor's badge in use has a host, who is an employee with a badge in use, and no
        other badge has one.
        """
        return (
            self._in_use(b)
            and not (
                b["host_id"] is None
                or self.people[self.badges[b["host_id"]]["person_id"]]["kind"] == "employee"
                and self._in_use(self.badges[b["host_id"]])
            )
        )

    def _breaks_rule_6(self, h: Badge) -> bool:
        """Whether this is broken: a host looks after three visitors at most."""
        return sum(1 for v in self._badges_by_host.get(h["id"], {}).values() if self._in_use(v)) > 3

    def _breaks_rule_7(self, b: Badge) -> bool:
        """Whether this is broken: only a badge in use is anywhere on the site."""
        return b["zone_id"] is not None and not self._in_use(b)

    def _breaks_rule_8(self, b: Badge) -> bool:
        """Whether this is broken: a badge is only in zones of its profile."""
        return b["zone_id"] is not None and b["zone_id"] not in self.profiles[b["profile_id"]]["zone_ids"]

    def _breaks_rule_9(self, b: Badge) -> bool:
        """Whether this is broken: where a safety briefing is needed everybody had a valid one when they came in."""
        return not (
            b["zone_id"] is None
            or not self.zones[b["zone_id"]]["briefing"]
            or b["passed_at"] is not None
            and self.people[b["person_id"]]["briefed_until"] is not None
            and b["passed_at"][:10] <= self.people[b["person_id"]]["briefed_until"]
        )

    def _breaks_rule_10(self, b: Badge) -> bool:
        """Whether this is broken: a suspended badge says why, and an active one has nothing to explain."""
        return self._in_use(b) and (b["status"] == "suspended") != (b["reason"] is not None)

    def _breaks_rule_11(self, b: Badge) -> bool:
        """Whether this is broken: visitors have the visitor profile, and only they have it."""
        return (
            self._in_use(b)
            and (self.people[b["person_id"]]["kind"] == "visitor") != (
                self.profiles[b["profile_id"]]["name"] == "Visitor"
            )
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
            case "zones":
                self._zones_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "doors":
                self._doors_by_zone.setdefault(record["zone_id"], {})[record["id"]] = record
            case "badges":
                self._badges_by_host.setdefault(record["host_id"], {})[record["id"]] = record
                self._badges_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._badges_by_person.setdefault(record["person_id"], {})[record["id"]] = record
                self._badges_by_zone.setdefault(record["zone_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "zones":
                del self._zones_by_within[record["within_id"]][record["id"]]
            case "doors":
                del self._doors_by_zone[record["zone_id"]][record["id"]]
            case "badges":
                del self._badges_by_host[record["host_id"]][record["id"]]
                del self._badges_by_number[record["number"]][record["id"]]
                del self._badges_by_person[record["person_id"]][record["id"]]
                del self._badges_by_zone[record["zone_id"]][record["id"]]
