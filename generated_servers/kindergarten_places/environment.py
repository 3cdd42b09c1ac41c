"""Kindergarten places. Compiled from blueprint.yaml; run `envscaler build kindergarten_places` after changing it there.

Gives out the places of a kindergarten by points and offers that lapse, keeps its groups within age and staff
ratios, and knows who is there and who may collect a child.
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
    "A group never gives out more places than it has; a child with extra care takes two.",
    "There are never more children in a group than its educators on duty may look after.",
    "A child joins a group at the age that it is for.",
    "A child has one place at a time, and one application as long as it has none.",
    "An application is offered one place at a time, and says so while the offer is open.",
    "A place is offered for the time it is wanted, and answered before it starts.",
    "A child is in the house at most once at a time, and only while it has a place.",
    "A child who has left was collected by somebody who is on its own list.",
    "A list of people who may collect a child names each of them once.",
    "Every child with a place has somebody who may collect it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "apply_for_place",
    "make_offer",
    "accept_offer",
    "close_offer",
    "change_group",
    "end_place",
    "allow_collector",
    "bar_collector",
    "check_in",
    "check_out",
    "assign_duty",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "groups": ("name",),
    "educators": ("name",),
    "children": ("name",),
    "enrolments": (),
    "applications": (),
    "offers": (),
    "collectors": ("name",),
    "attendances": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("applications", "child_id"),
    ("applications", "status"),
    ("attendances", "enrolment_id"),
    ("children", "older_id"),
    ("collectors", "child_id"),
    ("educators", "group_id"),
    ("enrolments", "child_id"),
    ("enrolments", "group_id"),
    ("offers", "application_id"),
    ("offers", "group_id"),
    ("offers", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Group(TypedDict):
    id: str
    name: str
    from_months: int
    to_months: int
    places: int
    per_educator: int


class Educator(TypedDict):
    id: str
    name: str
    group_id: str
    on_duty: bool


class Child(TypedDict):
    id: str
    name: str
    born: str
    older_id: str | None
    extra_care: bool


class Enrolment(TypedDict):
    id: str
    child_id: str
    group_id: str
    since: str
    ended_on: str | None


class Application(TypedDict):
    id: str
    child_id: str
    applied_on: str
    wanted_from: str
    parents_at_work: int
    status: Literal["waiting", "offered", "withdrawn", "placed"]


class Offer(TypedDict):
    id: str
    application_id: str
    group_id: str
    starts: str
    answer_by: str
    status: Literal["open", "accepted", "declined", "lapsed"]


class Collector(TypedDict):
    id: str
    name: str
    child_id: str
    relation: Literal["mother", "father", "grandmother", "grandfather", "aunt", "neighbour"]
    barred: bool


class Attendance(TypedDict):
    id: str
    enrolment_id: str
    arrived_at: str
    left_at: str | None
    collected_by_id: str | None


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _add_months(day: str, months: int) -> str:
    """The same day so many months later, or the last day of a shorter month."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    year, month = min(max(year, 1), 9999), month + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])).isoformat()


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


class KindergartenPlaces:
    """Gives out the places of a kindergarten by points and offers that lapse, keeps its groups within age
    and staff ratios, and knows who is there and who may collect a child.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.educators: dict[str, Educator] = _copied(config.get("educators", {}))
        self.children: dict[str, Child] = _copied(config.get("children", {}))
        self.enrolments: dict[str, Enrolment] = _copied(config.get("enrolments", {}))
        self.applications: dict[str, Application] = _copied(config.get("applications", {}))
        self.offers: dict[str, Offer] = _copied(config.get("offers", {}))
        self.collectors: dict[str, Collector] = _copied(config.get("collectors", {}))
        self.attendances: dict[str, Attendance] = _copied(config.get("attendances", {}))
        self.now: str = config.get("now", "2026-09-18T17:50")
        self.counters: dict[str, int] = {
            "group": len(self.groups),
            "educator": len(self.educators),
            "child": len(self.children),
            "enrolment": len(self.enrolments),
            "application": len(self.applications),
            "offer": len(self.offers),
            "collector": len(self.collectors),
            "attendance": len(self.attendances),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._educators_by_group: dict[Any, dict[str, Educator]] = {}
        self._children_by_older: dict[Any, dict[str, Child]] = {}
        self._enrolments_by_child: dict[Any, dict[str, Enrolment]] = {}
        self._enrolments_by_group: dict[Any, dict[str, Enrolment]] = {}
        self._applications_by_child: dict[Any, dict[str, Application]] = {}
        self._applications_by_status: dict[Any, dict[str, Application]] = {}
        self._offers_by_application_status: dict[Any, dict[str, Offer]] = {}
        self._offers_by_group_status: dict[Any, dict[str, Offer]] = {}
        self._collectors_by_child: dict[Any, dict[str, Collector]] = {}
        self._attendances_by_enrolment: dict[Any, dict[str, Attendance]] = {}
        for educator in self.educators.values():
            self._link("educators", educator)
        for child in self.children.values():
            self._link("children", child)
        for enrolment in self.enrolments.values():
            self._link("enrolments", enrolment)
        for application in self.applications.values():
            self._link("applications", application)
        for offer in self.offers.values():
            self._link("offers", offer)
        for collector in self.collectors.values():
            self._link("collectors", collector)
        for attendance in self.attendances.values():
            self._link("attendances", attendance)

    def line(
        self,
        group_id: str,
        starts: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Who waits for a place in a group from a day on, first in line first; only those the free places suffice
        for.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            starts (str): Day on which the place would begin, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}} or {"success": False, "error":
                why not}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            a
            for a in self.applications.values()
            if (
                a["status"] == "waiting"
                and a["wanted_from"] <= starts
                and self._fits(self.children[a["child_id"]], group, starts)
            )
            and self._group_taken(group) + self._weight(self.children[a["child_id"]]) <= group["places"]
        ]
        found.sort(
            key=lambda a: (
                -self._application_points(a),
                a["applied_on"],
                self.children[a["child_id"]]["born"],
                self.children[a["child_id"]]["name"],
                _age(a),
            )
        )
        return _found(
            {
                "total": len(found),
                "applications": [
                    {
                        "id": a["id"],
                        "child": self.children[a["child_id"]]["name"],
                        "points": self._application_points(a),
                        "applied_on": a["applied_on"],
                        "extra_care": self.children[a["child_id"]]["extra_care"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def who_is_here(
        self,
        group_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The children who are in the house, with the people who may collect them.

        Args:
            group_id (str, optional): Only children of this group; an id such as GROUP-00001. If left out, the
                children of all groups are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "attendances": records}} or {"success": False, "error":
                why not}
        """
        group = self.groups.get(group_id) if group_id is not None else None
        if group_id is not None and group is None:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            a
            for a in self.attendances.values()
            if a["left_at"] is None
            and (group_id is None or self.enrolments[a["enrolment_id"]]["group_id"] == group_id)
        ]
        found.sort(
            key=lambda a: (
                self.groups[self.enrolments[a["enrolment_id"]]["group_id"]]["name"],
                self.children[self.enrolments[a["enrolment_id"]]["child_id"]]["name"],
                _age(a),
            )
        )
        return _found(
            {
                "total": len(found),
                "attendances": [
                    {
                        "id": a["id"],
                        "child": self.children[self.enrolments[a["enrolment_id"]]["child_id"]]["name"],
                        "group": self.groups[self.enrolments[a["enrolment_id"]]["group_id"]]["name"],
                        "arrived_at": a["arrived_at"],
                        "may_collect": [
                            *[
                                c["name"]
                                for c in sorted(
                                    self._collectors_by_child.get(
                                        self.enrolments[a["enrolment_id"]]["child_id"],
                                        {},
                                    ).values(),
                                    key=_age,
                                )
                                if not c["barred"]
                            ]
                        ],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def staffing(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """How many educators each group has and could spare.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}} or {"success": False, "error": why
                not}
        """
        found = [g for g in self.groups.values()]
        found.sort(key=lambda g: (g["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "groups": [
                    {
                        "id": g["id"],
                        "name": g["name"],
                        "present": self._group_present(g),
                        "staff": self._group_staff(g),
                        "room_for": g["per_educator"] * self._group_staff(g) - self._group_present(g),
                        "could_spare_one": self._group_staff(g) > 0 and self._group_present(g) <= g["per_educator"] * (
                            self._group_staff(g) - 1
                        ),
                    }
                    for g in _page(found, offset)
                ],
            }
        )

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

    def list_educators(
        self,
        name: Text | None = None,
        group_id: str | None = None,
        on_duty: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the educators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only educators whose name contains this text.
            group_id (str, optional): Only educators of this group.
            on_duty (bool, optional): Only educators that are on duty (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "educators": records}}
        """
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            educator
            for educator in self.educators.values()
            if (name is None or name.casefold() in educator["name"].casefold())
            and (group_id is None or educator["group_id"] == group_id)
            and (on_duty is None or educator["on_duty"] == on_duty)
        ]
        shown = [{**educator} for educator in _page(found, offset)]
        return _found({"total": len(found), "educators": shown}, self._names_of_educators(shown))

    def list_children(
        self,
        name: Text | None = None,
        older_id: str | None = None,
        extra_care: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the children, oldest first, all of them or only some.

        Args:
            name (str, optional): Only children whose name contains this text.
            older_id (str, optional): Only children whose older is this child.
            extra_care (bool, optional): Only children with this value of `extra_care`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "children": records}}
        """
        if older_id is not None and older_id not in self.children:
            return _refused(f"There is no child {older_id!r}.")
        found = [
            child
            for child in self.children.values()
            if (name is None or name.casefold() in child["name"].casefold())
            and (older_id is None or child["older_id"] == older_id)
            and (extra_care is None or child["extra_care"] == extra_care)
        ]
        shown = [{**child} for child in _page(found, offset)]
        return _found({"total": len(found), "children": shown}, self._names_of_children(shown))

    def list_enrolments(
        self,
        child_id: str | None = None,
        group_id: str | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the enrolments, oldest first, all of them or only some.

        Args:
            child_id (str, optional): Only enrolments of this child.
            group_id (str, optional): Only enrolments of this group.
            since_from (str, optional): Only enrolments whose `since` is on this day or later.
            since_to (str, optional): Only enrolments whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "enrolments": records}}
        """
        if child_id is not None and child_id not in self.children:
            return _refused(f"There is no child {child_id!r}.")
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            enrolment
            for enrolment in self.enrolments.values()
            if (child_id is None or enrolment["child_id"] == child_id)
            and (group_id is None or enrolment["group_id"] == group_id)
            and (since_from is None or enrolment["since"] >= since_from)
            and (since_to is None or enrolment["since"] <= since_to)
        ]
        shown = [{**enrolment} for enrolment in _page(found, offset)]
        return _found({"total": len(found), "enrolments": shown}, self._names_of_enrolments(shown))

    def list_applications(
        self,
        child_id: str | None = None,
        status: Literal["waiting", "offered", "withdrawn", "placed"] | None = None,
        applied_on_from: Date | None = None,
        applied_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applications, oldest first, all of them or only some.

        Args:
            child_id (str, optional): Only applications of this child.
            status (str, optional): Only applications with this status.
            applied_on_from (str, optional): Only applications whose `applied_on` is on this day or later.
            applied_on_to (str, optional): Only applications whose `applied_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}}
        """
        if child_id is not None and child_id not in self.children:
            return _refused(f"There is no child {child_id!r}.")
        found = [
            application
            for application in self.applications.values()
            if (child_id is None or application["child_id"] == child_id)
            and (status is None or application["status"] == status)
            and (applied_on_from is None or application["applied_on"] >= applied_on_from)
            and (applied_on_to is None or application["applied_on"] <= applied_on_to)
        ]
        shown = [self._show_application(application) for application in _page(found, offset)]
        return _found({"total": len(found), "applications": shown}, self._names_of_applications(shown))

    def list_offers(
        self,
        application_id: str | None = None,
        group_id: str | None = None,
        status: Literal["open", "accepted", "declined", "lapsed"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the offers, oldest first, all of them or only some.

        Args:
            application_id (str, optional): Only offers of this application.
            group_id (str, optional): Only offers of this group.
            status (str, optional): Only offers with this status.
            starts_from (str, optional): Only offers whose `starts` is on this day or later.
            starts_to (str, optional): Only offers whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "offers": records}}
        """
        if application_id is not None and application_id not in self.applications:
            return _refused(f"There is no application {application_id!r}.")
        if group_id is not None and group_id not in self.groups:
            return _refused(f"There is no group {group_id!r}.")
        found = [
            offer
            for offer in self.offers.values()
            if (application_id is None or offer["application_id"] == application_id)
            and (group_id is None or offer["group_id"] == group_id)
            and (status is None or offer["status"] == status)
            and (starts_from is None or offer["starts"] >= starts_from)
            and (starts_to is None or offer["starts"] <= starts_to)
        ]
        shown = [{**offer} for offer in _page(found, offset)]
        return _found({"total": len(found), "offers": shown}, self._names_of_offers(shown))

    def list_collectors(
        self,
        name: Text | None = None,
        child_id: str | None = None,
        relation: Literal["mother", "father", "grandmother", "grandfather", "aunt", "neighbour"] | None = None,
        barred: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the collectors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only collectors whose name contains this text.
            child_id (str, optional): Only collectors of this child.
            relation (str, optional): Only collectors with this relation.
            barred (bool, optional): Only collectors that are barred (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "collectors": records}}
        """
        if child_id is not None and child_id not in self.children:
            return _refused(f"There is no child {child_id!r}.")
        found = [
            collector
            for collector in self.collectors.values()
            if (name is None or name.casefold() in collector["name"].casefold())
            and (child_id is None or collector["child_id"] == child_id)
            and (relation is None or collector["relation"] == relation)
            and (barred is None or collector["barred"] == barred)
        ]
        shown = [{**collector} for collector in _page(found, offset)]
        return _found({"total": len(found), "collectors": shown}, self._names_of_collectors(shown))

    def list_attendances(
        self,
        enrolment_id: str | None = None,
        collected_by_id: str | None = None,
        arrived_at_from: Date | None = None,
        arrived_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the attendances, oldest first, all of them or only some.

        Args:
            enrolment_id (str, optional): Only attendances of this enrolment.
            collected_by_id (str, optional): Only attendances collected by this collector.
            arrived_at_from (str, optional): Only attendances whose `arrived_at` is on this day or later.
            arrived_at_to (str, optional): Only attendances whose `arrived_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "attendances": records}}
        """
        if enrolment_id is not None and enrolment_id not in self.enrolments:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        if collected_by_id is not None and collected_by_id not in self.collectors:
            return _refused(f"There is no collector {collected_by_id!r}.")
        found = [
            attendance
            for attendance in self.attendances.values()
            if (enrolment_id is None or attendance["enrolment_id"] == enrolment_id)
            and (collected_by_id is None or attendance["collected_by_id"] == collected_by_id)
            and (arrived_at_from is None or attendance["arrived_at"][:10] >= arrived_at_from)
            and (arrived_at_to is None or attendance["arrived_at"][:10] <= arrived_at_to)
        ]
        shown = [{**attendance} for attendance in _page(found, offset)]
        return _found({"total": len(found), "attendances": shown}, self._names_of_attendances(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def apply_for_place(
        self,
        child_id: str,
        wanted_from: Date,
        parents_at_work: Annotated[int, {"minimum": 0, "maximum": 2}],
    ) -> Result:
        """Take an application for a child who has no place.

        Args:
            child_id (str): Id of the child, such as CHILD-00001.
            wanted_from (str): Day from which the place is wanted, within a year from today, as YYYY-MM-DD.
            parents_at_work (int): Number of parents who go to work, from 0 to 2.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        child = self.children.get(child_id)
        if child is None:
            return _refused(f"There is no child {child_id!r}.")
        if self._enrolled(child) is not None:
            return _refused(f"{child['name']} has a place already.")
        open_one = self._pending(child)
        if open_one is not None:
            return _refused(
                f"{child['name']} has an application of {open_one['applied_on']}, which is {open_one['status']}."
            )
        if self.now[:10] > wanted_from or wanted_from > _plus_days(self.now[:10], 365):
            return _refused(f"A place is applied for at most a year ahead, from {self.now[:10]} on.")
        self._journal = []
        application: Application = {
            "id": self._new_id("application", "APPLICATION", self.applications),
            "child_id": child_id,
            "applied_on": self.now[:10],
            "wanted_from": wanted_from,
            "parents_at_work": parents_at_work,
            "status": "waiting",
        }
        self._add("applications", application)
        if self._breaks_rule_4_a(application):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(application):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: take the application for {child['name']} from {wanted_from} (new: application "
                f"{application['id']})."
            ),
            "data": {"application_id": application["id"], **self._changes()},
        }

    def make_offer(self, application_id: str, group_id: str, starts: Date, answer_by: Date) -> Result:
        """Offer a free place to the application that is first in line for it, by points, then by its date.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.
            group_id (str): Id of the group, such as GROUP-00001.
            starts (str): First day in the group, not before the day the family wants, as YYYY-MM-DD.
            answer_by (str): Day by which the family must answer, after today and before the start, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        if application["status"] != "waiting":
            return _refused(
                f"The application for {self.children[application['child_id']]['name']} is {application['status']}."
            )
        if application["wanted_from"] > starts or starts > _plus_days(self.now[:10], 200):
            return _refused(
                f"{self.children[application['child_id']]['name']} wants a place from "
                f"{application['wanted_from']} on."
            )
        if self.now[:10] >= answer_by or answer_by >= starts:
            return _refused(f"An answer is due after {self.now[:10]} and before {starts}.")
        if not self._fits(self.children[application["child_id"]], group, starts):
            return _refused(
                f"{self.children[application['child_id']]['name']} is not of the age for {group['name']} on {starts}."
            )
        if self._group_taken(group) + self._weight(self.children[application["child_id"]]) > group["places"]:
            return _refused(
                f"{group['name']} has {group['places'] - self._group_taken(group)} places left, so "
                f"{self.children[application['child_id']]['name']} does not fit in."
            )
        ahead = self._next_for(group, starts)
        if ahead is not None and ahead is not application:
            return _refused(
                f"{self.children[ahead['child_id']]['name']} comes first with {self._application_points(ahead)} "
                f"points, and {self.children[application['child_id']]['name']} has "
                f"{self._application_points(application)}."
            )
        self._journal = []
        offer: Offer = {
            "id": self._new_id("offer", "OFFER", self.offers),
            "application_id": application_id,
            "group_id": group_id,
            "starts": starts,
            "answer_by": answer_by,
            "status": "open",
        }
        self._add("offers", offer)
        self._put("applications", application, "status", "offered")
        if self._breaks_rule_1(self.groups[offer["group_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_o(offer):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_a(application):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a_again(application):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_o(offer):
            return self._take_back(RULES[4])
        for one_offer in _distinct(
            [offer, *self._offers_by_application_status.get((application["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_5_o_again(one_offer):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(offer):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: offer {self.children[application['child_id']]['name']} a place in {group['name']} from "
                f"{starts} (new: offer {offer['id']})."
            ),
            "data": {"offer_id": offer["id"], **self._changes()},
        }

    def accept_offer(self, offer_id: str) -> Result:
        """Record that a family takes the place that they were offered.

        Args:
            offer_id (str): Id of the offer, such as OFFER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id)
        if offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        if offer["status"] != "open":
            return _refused(f"The offer is {offer['status']}.")
        if self.now[:10] > offer["answer_by"]:
            return _refused(f"The offer could be accepted until {offer['answer_by']}.")
        self._journal = []
        self._put("offers", offer, "status", "accepted")
        application = self.applications[offer["application_id"]]
        if application["status"] not in ("offered", "placed"):
            return self._take_back(
                f"Application {application['id']} cannot go from {application['status']} to placed."
            )
        self._put("applications", application, "status", "placed")
        enrolment: Enrolment = {
            "id": self._new_id("enrolment", "ENROLMENT", self.enrolments),
            "child_id": self.applications[offer["application_id"]]["child_id"],
            "group_id": offer["group_id"],
            "since": offer["starts"],
            "ended_on": None,
        }
        self._add("enrolments", enrolment)
        if self._breaks_rule_1(self.groups[offer["group_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.groups[enrolment["group_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_e(enrolment):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_o(offer):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_e(enrolment):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_a(application):
            return self._take_back(RULES[3])
        for one_application in _distinct(
            [application, *self._applications_by_child.get(enrolment["child_id"], {}).values()]
        ):
            if self._breaks_rule_4_a_again(one_application):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_o(offer):
            return self._take_back(RULES[4])
        for one_offer in _distinct(
            [offer, *self._offers_by_application_status.get((application["id"], "open"), {}).values()]
        ):
            if self._breaks_rule_5_o_again(one_offer):
                return self._take_back(RULES[4])
        if self._breaks_rule_10(enrolment):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: place {self.children[self.applications[offer['application_id']]['child_id']]['name']} in "
                f"{self.groups[offer['group_id']]['name']} from {offer['starts']} (new: enrolment {enrolment['id']})."
            ),
            "data": {"enrolment_id": enrolment["id"], **self._changes()},
        }

    def close_offer(self, offer_id: str | None = None, application_id: str | None = None) -> Result:
        """Close an offer without a place (in time it counts as declined and ends the application, afterwards it has
        lapsed and the family waits again), or take an application that waits off the list because the family
        withdraws it.

        Args:
            offer_id (str, optional): Open offer that is closed, where no application is named; an id such as
                OFFER-00001. If left out, a waiting application must be named.
            application_id (str, optional): Waiting application that the family withdraws, where no offer is named;
                an id such as APPLICATION-00001. If left out, an open offer must be named.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        offer = self.offers.get(offer_id) if offer_id is not None else None
        if offer_id is not None and offer is None:
            return _refused(f"There is no offer {offer_id!r}.")
        application = self.applications.get(application_id) if application_id is not None else None
        if application_id is not None and application is None:
            return _refused(f"There is no application {application_id!r}.")
        if (offer_id is None) == (application_id is None):
            return _refused("Name either an offer or an application.")
        if offer_id is not None and offer["status"] != "open":
            return _refused(f"The offer is {offer['status']}.")
        if application_id is not None and application["status"] != "waiting":
            return _refused(
                f"The application for {self.children[application['child_id']]['name']} is "
                f"{application['status']}; where a place is offered, close the offer."
            )
        self._journal = []
        changed_applications: list[Any] = []
        changed_offers: list[Any] = []
        if application_id is not None:
            if application["status"] not in ("waiting", "offered", "withdrawn"):
                return self._take_back(
                    f"Application {application['id']} cannot go from {application['status']} to withdrawn."
                )
            changed_applications.append(application)
            self._put("applications", application, "status", "withdrawn")
        if offer_id is not None:
            if self.now[:10] <= offer["answer_by"]:
                if offer["status"] not in ("open", "declined"):
                    return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to declined.")
                changed_offers.append(offer)
                self._put("offers", offer, "status", "declined")
                its_application = self.applications[offer["application_id"]]
                if its_application["status"] not in ("waiting", "offered", "withdrawn"):
                    return self._take_back(
                        f"Application {its_application['id']} cannot go from {its_application['status']} to "
                        "withdrawn."
                    )
                changed_applications.append(its_application)
                self._put("applications", its_application, "status", "withdrawn")
            else:
                if offer["status"] not in ("open", "lapsed"):
                    return self._take_back(f"Offer {offer['id']} cannot go from {offer['status']} to lapsed.")
                changed_offers.append(offer)
                self._put("offers", offer, "status", "lapsed")
                its_application_2 = self.applications[offer["application_id"]]
                if its_application_2["status"] not in ("waiting", "offered"):
                    return self._take_back(
                        f"Application {its_application_2['id']} cannot go from {its_application_2['status']} to "
                        "waiting."
                    )
                changed_applications.append(its_application_2)
                self._put("applications", its_application_2, "status", "waiting")
        for one_group in _distinct([self.groups[one["group_id"]] for one in changed_offers]):
            if self._breaks_rule_1(one_group):
                return self._take_back(RULES[0])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_3_o(one_offer):
                return self._take_back(RULES[2])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_4_a(one_application):
                return self._take_back(RULES[3])
        for one_application in _distinct(changed_applications):
            if self._breaks_rule_4_a_again(one_application):
                return self._take_back(RULES[3])
        for one_offer in _distinct(changed_offers):
            if self._breaks_rule_5_o(one_offer):
                return self._take_back(RULES[4])
        for one_offer in _distinct(
            [
                *[
                    user
                    for one in changed_applications
                    for user in self._offers_by_application_status.get((one["id"], "open"), {}).values()
                ],
                *changed_offers,
            ]
        ):
            if self._breaks_rule_5_o_again(one_offer):
                return self._take_back(RULES[4])
        done = "close"
        if offer is not None and application is not None:
            done += f" the offer to {self.children[self.applications[offer['application_id']]['child_id']]['name']}"
        if application is not None:
            done += f" the application for {self.children[application['child_id']]['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def change_group(self, enrolment_id: str, group_id: str) -> Result:
        """Move a child who is not in the house at the moment to another group that is right for its age.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.
            group_id (str): Id of the group, such as GROUP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        if enrolment["ended_on"] is not None:
            return _refused(f"{self.children[enrolment['child_id']]['name']} left on {enrolment['ended_on']}.")
        if group_id == enrolment["group_id"]:
            return _refused(f"{self.children[enrolment['child_id']]['name']} is in {group['name']} already.")
        if self._inside(enrolment) is not None:
            return _refused(
                f"{self.children[enrolment['child_id']]['name']} is in the house, so wait until the child has "
                "been collected."
            )
        if not self._fits(self.children[enrolment["child_id"]], group, max(self.now[:10], enrolment["since"])):
            return _refused(f"{self.children[enrolment['child_id']]['name']} is not of the age for {group['name']}.")
        if self._group_taken(group) + self._weight(self.children[enrolment["child_id"]]) > group["places"]:
            return _refused(f"{group['name']} has {group['places'] - self._group_taken(group)} places left.")
        self._journal = []
        former_group_id = enrolment["group_id"]
        self._put("enrolments", enrolment, "group_id", group_id)
        self._put("enrolments", enrolment, "since", max(self.now[:10], enrolment["since"]))
        if self._breaks_rule_1(self.groups[enrolment["group_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1(self.groups[former_group_id]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.groups[enrolment["group_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(self.groups[former_group_id]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_e(enrolment):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: move {self.children[enrolment['child_id']]['name']} to {group['name']}.",
            "data": self._changes(),
        }

    def end_place(self, enrolment_id: str) -> Result:
        """End the place of a child who leaves the kindergarten.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        if enrolment["ended_on"] is not None:
            return _refused(f"{self.children[enrolment['child_id']]['name']} left on {enrolment['ended_on']}.")
        if self._inside(enrolment) is not None:
            return _refused(
                f"{self.children[enrolment['child_id']]['name']} is in the house, so the child must be collected "
                "first."
            )
        self._journal = []
        self._put("enrolments", enrolment, "ended_on", self.now[:10])
        if self._breaks_rule_1(self.groups[enrolment["group_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_e(enrolment):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_e(enrolment):
            return self._take_back(RULES[3])
        for one_application in _distinct(self._applications_by_child.get(enrolment["child_id"], {}).values()):
            if self._breaks_rule_4_a_again(one_application):
                return self._take_back(RULES[3])
        for one_attendance in _distinct(self._attendances_by_enrolment.get(enrolment["id"], {}).values()):
            if self._breaks_rule_7_a_again(one_attendance):
                return self._take_back(RULES[6])
        if self._breaks_rule_10(enrolment):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: end the place of {self.children[enrolment['child_id']]['name']} in "
                f"{self.groups[enrolment['group_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def allow_collector(
        self,
        child_id: str,
        name: Text,
        relation: Literal["mother", "father", "grandmother", "grandfather", "aunt", "neighbour"],
    ) -> Result:
        """Put somebody on the list of people who may collect a child.

        Args:
            child_id (str): Id of the child, such as CHILD-00001.
            name (str): Full name of the person who may collect the child.
            relation (str): What that person is to the child: mother, father, grandmother, grandfather, aunt or
                neighbour.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        child = self.children.get(child_id)
        if child is None:
            return _refused(f"There is no child {child_id!r}.")
        if any(c["name"].lower() == name.lower() for c in self._collectors_by_child.get(child_id, {}).values()):
            return _refused(f"{name} is on the list of {child['name']} already.")
        self._journal = []
        collector: Collector = {
            "id": self._new_id("collector", "COLLECTOR", self.collectors),
            "name": name,
            "child_id": child_id,
            "relation": relation,
            "barred": False,
        }
        self._add("collectors", collector)
        if self._breaks_rule_9(collector):
            return self._take_back(RULES[8])
        for one_enrolment in _distinct(self._enrolments_by_child.get(collector["child_id"], {}).values()):
            if self._breaks_rule_10(one_enrolment):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: allow {name} to collect {child['name']} (new: collector {collector['id']}).",
            "data": {"collector_id": collector["id"], **self._changes()},
        }

    def bar_collector(self, collector_id: str) -> Result:
        """Bar somebody from collecting a child.

        Args:
            collector_id (str): Id of the collector, such as COLLECTOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        collector = self.collectors.get(collector_id)
        if collector is None:
            return _refused(f"There is no collector {collector_id!r}.")
        if collector["barred"]:
            return _refused(f"{collector['name']} is barred already.")
        if not any(
            not c["barred"]
            for c in self._collectors_by_child.get(collector["child_id"], {}).values()
            if c is not collector
        ):
            return _refused(
                f"Nobody else may collect {self.children[collector['child_id']]['name']}, so allow somebody first."
            )
        self._journal = []
        self._put("collectors", collector, "barred", True)
        for one_enrolment in _distinct(self._enrolments_by_child.get(collector["child_id"], {}).values()):
            if self._breaks_rule_10(one_enrolment):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: bar {collector['name']} from collecting {self.children[collector['child_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def check_in(self, enrolment_id: str) -> Result:
        """Record that a child has been brought in.

        Args:
            enrolment_id (str): Id of the enrolment, such as ENROLMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        enrolment = self.enrolments.get(enrolment_id)
        if enrolment is None:
            return _refused(f"There is no enrolment {enrolment_id!r}.")
        if enrolment["ended_on"] is not None:
            return _refused(f"{self.children[enrolment['child_id']]['name']} left on {enrolment['ended_on']}.")
        if enrolment["since"] > self.now[:10]:
            return _refused(f"{self.children[enrolment['child_id']]['name']} starts on {enrolment['since']}.")
        if self._inside(enrolment) is not None:
            return _refused(f"{self.children[enrolment['child_id']]['name']} is in the house already.")
        if any(
            a["arrived_at"][:10] == self.now[:10]
            for a in self._attendances_by_enrolment.get(enrolment_id, {}).values()
        ):
            return _refused(f"{self.children[enrolment['child_id']]['name']} was here today already.")
        group = self.groups[enrolment["group_id"]]
        if (
            self._group_present(group)
            + self._weight(self.children[enrolment["child_id"]]) > group["per_educator"] * self._group_staff(group)
        ):
            return _refused(
                f"{group['name']} has {self._group_staff(group)} educators for {self._group_present(group)} "
                "children, so bring in another educator first."
            )
        self._journal = []
        attendance: Attendance = {
            "id": self._new_id("attendance", "ATTENDANCE", self.attendances),
            "enrolment_id": enrolment_id,
            "arrived_at": self.now,
            "left_at": None,
            "collected_by_id": None,
        }
        self._add("attendances", attendance)
        if self._breaks_rule_2(self.groups[self.enrolments[attendance["enrolment_id"]]["group_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_a(attendance):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a_again(attendance):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(attendance):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: check {self.children[enrolment['child_id']]['name']} in (new: attendance {attendance['id']})."
            ),
            "data": {"attendance_id": attendance["id"], **self._changes()},
        }

    def check_out(self, attendance_id: str, collector_id: str) -> Result:
        """Hand a child over to somebody who may collect it.

        Args:
            attendance_id (str): Id of the attendance, such as ATTENDANCE-00001.
            collector_id (str): Id of the collector, such as COLLECTOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        attendance = self.attendances.get(attendance_id)
        if attendance is None:
            return _refused(f"There is no attendance {attendance_id!r}.")
        collector = self.collectors.get(collector_id)
        if collector is None:
            return _refused(f"There is no collector {collector_id!r}.")
        if attendance["left_at"] is not None:
            return _refused(
                f"{self.children[self.enrolments[attendance['enrolment_id']]['child_id']]['name']} has been "
                "collected."
            )
        if collector["child_id"] != self.enrolments[attendance["enrolment_id"]]["child_id"]:
            return _refused(
                f"{collector['name']} is not on the list of "
                f"{self.children[self.enrolments[attendance['enrolment_id']]['child_id']]['name']}."
            )
        if collector["barred"]:
            return _refused(
                f"{collector['name']} is barred from collecting {self.children[collector['child_id']]['name']}."
            )
        self._journal = []
        self._put("attendances", attendance, "left_at", self.now)
        self._put("attendances", attendance, "collected_by_id", collector_id)
        if self._breaks_rule_2(self.groups[self.enrolments[attendance["enrolment_id"]]["group_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_a(attendance):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a_again(attendance):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(attendance):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: hand {self.children[self.enrolments[attendance['enrolment_id']]['child_id']]['name']} "
                f"over to {collector['name']}."
            ),
            "data": self._changes(),
        }

    def assign_duty(self, educator_id: str, group_id: str | None = None) -> Result:
        """Put an educator on duty in a group, or off duty where no group is named.

        Args:
            educator_id (str): Id of the educator, such as EDUCATOR-00001.
            group_id (str, optional): Group in which the educator goes on duty; an id such as GROUP-00001. If left
                out, the educator goes off duty.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        educator = self.educators.get(educator_id)
        if educator is None:
            return _refused(f"There is no educator {educator_id!r}.")
        group = self.groups.get(group_id) if group_id is not None else None
        if group_id is not None and group is None:
            return _refused(f"There is no group {group_id!r}.")
        if group_id is None and not educator["on_duty"]:
            return _refused(f"{educator['name']} is off duty already.")
        if group_id is not None and educator["on_duty"] and educator["group_id"] == group_id:
            return _refused(f"{educator['name']} is on duty in {group['name']} already.")
        old = self.groups[educator["group_id"]]
        if educator["on_duty"] and self._group_present(old) > old["per_educator"] * (self._group_staff(old) - 1):
            return _refused(
                f"{old['name']} needs {educator['name']} for the {self._group_present(old)} children there, so "
                "send somebody else first."
            )
        self._journal = []
        changed_educators: list[Any] = []
        former_group_ids: list[Any] = []
        changed_educators_2: list[Any] = []
        if group_id is not None:
            changed_educators.append(educator)
            former_group_ids.append(educator["group_id"])
            self._put("educators", educator, "group_id", group_id)
            changed_educators_2.append(educator)
            self._put("educators", educator, "on_duty", True)
        else:
            changed_educators_2.append(educator)
            self._put("educators", educator, "on_duty", False)
        for one_group in _distinct(
            [
                *[self.groups[one["group_id"]] for one in changed_educators],
                *[self.groups.get(key) for key in former_group_ids],
                *[self.groups[one["group_id"]] for one in changed_educators_2],
            ]
        ):
            if self._breaks_rule_2(one_group):
                return self._take_back(RULES[1])
        done = f"change the duty of {educator['name']}"
        if group is not None:
            done += f" to {group['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_group(self, group: Group) -> dict[str, Any]:
        """The group as an answer shows it."""
        return {
            **group,
            "taken": self._group_taken(group),
            "present": self._group_present(group),
            "staff": self._group_staff(group),
        }

    def _show_application(self, application: Application) -> dict[str, Any]:
        """The application as an answer shows it."""
        return {**application, "points": self._application_points(application)}

    def _names_of_educators(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that educators point to."""
        return _names((self.groups, "name", [row["group_id"] for row in shown]))

    def _names_of_children(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that children point to."""
        return _names((self.children, "name", [row["older_id"] for row in shown]))

    def _names_of_enrolments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that enrolments point to."""
        return _names(
            (self.children, "name", [row["child_id"] for row in shown]),
            (self.groups, "name", [row["group_id"] for row in shown]),
        )

    def _names_of_applications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that applications point to."""
        return _names((self.children, "name", [row["child_id"] for row in shown]))

    def _names_of_offers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that offers point to."""
        return _names((self.groups, "name", [row["group_id"] for row in shown]))

    def _names_of_collectors(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that collectors point to."""
        return _names((self.children, "name", [row["child_id"] for row in shown]))

    def _names_of_attendances(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that attendances point to."""
        return _names((self.collectors, "name", [row["collected_by_id"] for row in shown]))

    def _group_taken(self, group: Group) -> int:
        """The taken of a group."""
        return (
            sum(
                self._weight(self.children[e["child_id"]])
                for e in self._enrolments_by_group.get(group["id"], {}).values()
                if e["ended_on"] is None
            )
            + sum(
                self._weight(self.children[self.applications[o["application_id"]]["child_id"]])
                for o in self._offers_by_group_status.get((group["id"], "open"), {}).values()
            )
        )

    def _group_present(self, group: Group) -> int:
        """The present of a group."""
        return sum(
            self._weight(self.children[self.enrolments[a["enrolment_id"]]["child_id"]])
            for _enrolment in self._enrolments_by_group.get(group["id"], {}).values()
            for a in self._attendances_by_enrolment.get(_enrolment["id"], {}).values()
            if a["left_at"] is None
        )

    def _group_staff(self, group: Group) -> int:
        """The staff of a group."""
        return sum(1 for e in self._educators_by_group.get(group["id"], {}).values() if e["on_duty"])

    def _application_points(self, application: Application) -> int:
        """The points of an application."""
        return (
            10 * application["parents_at_work"]
            + (8 if self._sibling_here(self.children[application["child_id"]]) else 0)
            + (5 if self.children[application["child_id"]]["extra_care"] else 0)
            + min(_days_between(application["applied_on"], application["wanted_from"]) // 30, 6)
        )

    def _weight(self, c: Child) -> int:
        return 2 if c["extra_care"] else 1

    def _enrolled(self, c: Child) -> Enrolment | None:
        return next(
            (
                e
                for e in sorted(self._enrolments_by_child.get(c["id"], {}).values(), key=_age)
                if e["ended_on"] is None
            ),
            None,
        )

    def _sibling_here(self, c: Child) -> bool:
        return (
            any(self._enrolled(s) is not None for s in _above(self.children, c, "older_id"))
            or any(self._enrolled(s) is not None for s in _below(self._children_by_older, c))
        )

    def _fits(self, c: Child, g: Group, d: str) -> bool:
        return _add_months(c["born"], g["from_months"]) <= d and d < _add_months(c["born"], g["to_months"])

    def _pending(self, c: Child) -> Application | None:
        return next(
            (
                a
                for a in sorted(self._applications_by_child.get(c["id"], {}).values(), key=_age)
                if a["status"] in ("waiting", "offered")
            ),
            None,
        )

    def _inside(self, e: Enrolment) -> Attendance | None:
        return next(
            (
                a
                for a in sorted(self._attendances_by_enrolment.get(e["id"], {}).values(), key=_age)
                if a["left_at"] is None
            ),
            None,
        )

    def _next_for(self, g: Group, d: str) -> Application | None:
        return min(
            (
                a
                for a in self._applications_by_status.get("waiting", {}).values()
                if a["wanted_from"] <= d
                and self._fits(self.children[a["child_id"]], g, d)
                and self._group_taken(g) + self._weight(self.children[a["child_id"]]) <= g["places"]
            ),
            key=lambda a: (
                -self._application_points(a),
                a["applied_on"],
                self.children[a["child_id"]]["born"],
                self.children[a["child_id"]]["name"],
                _age(a),
            ),
            default=None,
        )

    def _breaks_rule_1(self, g: Group) -> bool:
        """Whether this is broken: a group never gives out more places than it has; a child with extra care takes two.
        """
        return self._group_taken(g) > g["places"]

    def _breaks_rule_2(self, g: Group) -> bool:
        """Whether this is broken: there are never more children in a group than its educators on duty may look after.
        """
        return self._group_present(g) > g["per_educator"] * self._group_staff(g)

    def _breaks_rule_3_e(self, e: Enrolment) -> bool:
        """Whether this is broken: a child joins a group at the age that it is for."""
        return (
            e["ended_on"] is None
            and not self._fits(self.children[e["child_id"]], self.groups[e["group_id"]], e["since"])
        )

    def _breaks_rule_3_o(self, o: Offer) -> bool:
        """Whether this is broken: a child joins a group at the age that it is for."""
        return (
            o["status"] == "open"
            and not self._fits(
                self.children[self.applications[o["application_id"]]["child_id"]],
                self.groups[o["group_id"]],
                o["starts"],
            )
        )

    def _breaks_rule_4_e(self, e: Enrolment) -> bool:
        """Whether this is broken: a child has one place at a time, and one application as long as it has none."""
        return (
            e["ended_on"] is None
            and any(
                other_e is not e
                for other_e in self._enrolments_by_child.get(e["child_id"], {}).values()
                if other_e["ended_on"] is None
            )
        )

    def _breaks_rule_4_a(self, a: Application) -> bool:
        """Whether this is broken: a child has one place at a time, and one application as long as it has none."""
        return (
            a["status"] in ("waiting", "offered")
            and any(
                other_a is not a
                for other_a in self._applications_by_child.get(a["child_id"], {}).values()
                if other_a["status"] in ("waiting", "offered")
            )
        )

    def _breaks_rule_4_a_again(self, a: Application) -> bool:
        """Whether this is broken: a child has one place at a time, and one application as long as it has none."""
        return (
            a["status"] in ("waiting", "offered")
            and any(e["ended_on"] is None for e in self._enrolments_by_child.get(a["child_id"], {}).values())
        )

    def _breaks_rule_5_o(self, o: Offer) -> bool:
        """Whether this is broken: an application is offered one place at a time, and says so while the offer is open.
        """
        return (
            o["status"] == "open"
            and any(
                other_o is not o
                for other_o in self._offers_by_application_status.get((o["application_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_5_o_again(self, o: Offer) -> bool:
        """Whether this is broken: an application is offered one place at a time, and says so while the offer is open.
        """
        return o["status"] == "open" and self.applications[o["application_id"]]["status"] != "offered"

    def _breaks_rule_6(self, o: Offer) -> bool:
        """Whether this is broken: a place is offered for the time it is wanted, and answered before it starts."""
        return o["answer_by"] >= o["starts"] or self.applications[o["application_id"]]["wanted_from"] > o["starts"]

    def _breaks_rule_7_a(self, a: Attendance) -> bool:
        """Whether this is broken: a child is in the house at most once at a time, and only while it has a place."""
        return (
            a["left_at"] is None
            and any(
                other_a is not a
                for other_a in self._attendances_by_enrolment.get(a["enrolment_id"], {}).values()
                if other_a["left_at"] is None
            )
        )

    def _breaks_rule_7_a_again(self, a: Attendance) -> bool:
        """Whether this is broken: a child is in the house at most once at a time, and only while it has a place."""
        return a["left_at"] is None and self.enrolments[a["enrolment_id"]]["ended_on"] is not None

    def _breaks_rule_8(self, a: Attendance) -> bool:
        """Whether this is broken: a child who has left was collected by somebody who is on its own list."""
        return not (
            (a["left_at"] is not None) == (a["collected_by_id"] is not None)
            and (
                a["collected_by_id"] is None
                or self.collectors[a["collected_by_id"]]["child_id"] == self.enrolments[a["enrolment_id"]]["child_id"]
            )
        )

    def _breaks_rule_9(self, c: Collector) -> bool:
        """Whether this is broken: a list of people who may collect a child names each of them once."""
        return any(
            other_c is not c
            for other_c in self._collectors_by_child.get(c["child_id"], {}).values()
            if other_c["name"] == c["name"]
        )

    def _breaks_rule_10(self, e: Enrolment) -> bool:
        """Whether this is broken: every child with a place has somebody who may collect it."""
        return (
            e["ended_on"] is None
            and not (
                any(not c["barred"] for c in self._collectors_by_child.get(e["child_id"], {}).values())
                or not self._collectors_by_child.get(e["child_id"], {})
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
            case "educators":
                self._educators_by_group.setdefault(record["group_id"], {})[record["id"]] = record
            case "children":
                self._children_by_older.setdefault(record["older_id"], {})[record["id"]] = record
            case "enrolments":
                self._enrolments_by_child.setdefault(record["child_id"], {})[record["id"]] = record
                self._enrolments_by_group.setdefault(record["group_id"], {})[record["id"]] = record
            case "applications":
                self._applications_by_child.setdefault(record["child_id"], {})[record["id"]] = record
                self._applications_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "offers":
                self._offers_by_application_status.setdefault(
                    (record["application_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._offers_by_group_status.setdefault((record["group_id"], record["status"]), {})[record["id"]] = record
            case "collectors":
                self._collectors_by_child.setdefault(record["child_id"], {})[record["id"]] = record
            case "attendances":
                self._attendances_by_enrolment.setdefault(record["enrolment_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "educators":
                del self._educators_by_group[record["group_id"]][record["id"]]
            case "children":
                del self._children_by_older[record["older_id"]][record["id"]]
            case "enrolments":
                del self._enrolments_by_child[record["child_id"]][record["id"]]
                del self._enrolments_by_group[record["group_id"]][record["id"]]
            case "applications":
                del self._applications_by_child[record["child_id"]][record["id"]]
                del self._applications_by_status[record["status"]][record["id"]]
            case "offers":
                del self._offers_by_application_status[record["application_id"], record["status"]][record["id"]]
                del self._offers_by_group_status[record["group_id"], record["status"]][record["id"]]
            case "collectors":
                del self._collectors_by_child[record["child_id"]][record["id"]]
            case "attendances":
                del self._attendances_by_enrolment[record["enrolment_id"]][record["id"]]
