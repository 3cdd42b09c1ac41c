"""Change management. Compiled from blueprint.yaml; run `envscaler build change_management` after changing it there.

Takes changes of production systems from draft through votes by risk to execution step by step, with freezes,
clashes between nested systems, rollback and reviews after failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Changes that are approved or running never overlap on one system, nor on a system and a part of it.",
    "No change but an emergency is approved for a day on which one of its systems is frozen.",
    "Changes of critical systems, emergencies apart, are approved for nights and weekends only.",
    "Nobody votes on their own change, and nobody votes twice.",
    "An approved change has the votes that its risk demands and no vote against it; a refused one has one.",
    "A change touches each of its systems once, and a standard change has a risk of 2 at most.",
    "The steps of a change are numbered without repetition and finished in their order.",
    "Every step of a change that is done is finished, and none of a change that was rolled back.",
    "A change that was rolled back has one review, and no other change has any.",
    "Whoever runs a change runs no other one at the time, and only started changes have a runner.",
    "A closed review has a finding, and nobody who ran the change leads its review.",
    "A freeze ends no earlier than it begins and covers something.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "draft_change",
    "plan_step",
    "submit_change",
    "cast_vote",
    "reschedule_change",
    "cancel_change",
    "start_change",
    "finish_step",
    "roll_back_change",
    "close_review",
    "declare_freeze",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "people": ("name",),
    "systems": ("name",),
    "changes": ("title",),
    "touches": (),
    "steps": (),
    "votes": (),
    "freezes": ("name",),
    "reviews": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("changes", "runner_id"),
    ("changes", "status"),
    ("changes", "title"),
    ("freezes", "name"),
    ("freezes", "system_ids"),
    ("reviews", "change_id"),
    ("reviews", "status"),
    ("steps", "change_id"),
    ("steps", "status"),
    ("systems", "part_of_id"),
    ("touches", "change_id"),
    ("touches", "system_id"),
    ("votes", "by_id"),
    ("votes", "change_id"),
    ("votes", "verdict"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Person(TypedDict):
    id: str
    name: str
    role: Literal["engineer", "manager", "risk_officer"]


class System(TypedDict):
    id: str
    name: str
    part_of_id: str | None
    owner_id: str
    critical: bool


class Change(TypedDict):
    id: str
    title: str
    requester_id: str
    kind: Literal["normal", "standard", "emergency"]
    impact: int
    likelihood: int
    starts_at: str
    minutes: int
    backout: str | None
    runner_id: str | None
    ended_at: str | None
    status: Literal["draft", "submitted", "cancelled", "approved", "refused", "running", "done", "rolled_back"]


class Touch(TypedDict):
    id: str
    change_id: str
    system_id: str


class Step(TypedDict):
    id: str
    change_id: str
    position: int
    what: str
    status: Literal["waiting", "finished", "undone"]


class Vote(TypedDict):
    id: str
    change_id: str
    by_id: str
    verdict: Literal["yes", "no"]
    remark: str | None


class Freeze(TypedDict):
    id: str
    name: str
    system_ids: list[str]
    starts: str
    ends: str


class Review(TypedDict):
    id: str
    change_id: str
    lead_id: str
    due: str
    finding: str | None
    status: Literal["open", "closed"]


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


def _id_of(record: Any) -> str | None:
    """The id of a record that may not be there."""
    return record["id"] if record is not None else None


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class ChangeManagement:
    """Takes changes of production systems from draft through votes by risk to execution step by step, with
    freezes, clashes between nested systems, rollback and reviews after failure.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.systems: dict[str, System] = _copied(config.get("systems", {}))
        self.changes: dict[str, Change] = _copied(config.get("changes", {}))
        self.touches: dict[str, Touch] = _copied(config.get("touches", {}))
        self.steps: dict[str, Step] = _copied(config.get("steps", {}))
        self.votes: dict[str, Vote] = _copied(config.get("votes", {}))
        self.freezes: dict[str, Freeze] = _copied(config.get("freezes", {}))
        self.reviews: dict[str, Review] = _copied(config.get("reviews", {}))
        self.now: str = config.get("now", "2026-10-21T07:40")
        self.counters: dict[str, int] = {
            "person": len(self.people),
            "system": len(self.systems),
            "change": len(self.changes),
            "touch": len(self.touches),
            "step": len(self.steps),
            "vote": len(self.votes),
            "freeze": len(self.freezes),
            "review": len(self.reviews),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._systems_by_part_of: dict[Any, dict[str, System]] = {}
        self._changes_by_lower_title: dict[Any, dict[str, Change]] = {}
        self._changes_by_runner_status: dict[Any, dict[str, Change]] = {}
        self._changes_by_status: dict[Any, dict[str, Change]] = {}
        self._changes_by_title: dict[Any, dict[str, Change]] = {}
        self._touches_by_change: dict[Any, dict[str, Touch]] = {}
        self._touches_by_change_system: dict[Any, dict[str, Touch]] = {}
        self._touches_by_system: dict[Any, dict[str, Touch]] = {}
        self._steps_by_change: dict[Any, dict[str, Step]] = {}
        self._steps_by_change_status: dict[Any, dict[str, Step]] = {}
        self._votes_by_change: dict[Any, dict[str, Vote]] = {}
        self._votes_by_change_by: dict[Any, dict[str, Vote]] = {}
        self._votes_by_change_verdict: dict[Any, dict[str, Vote]] = {}
        self._freezes_by_lower_name: dict[Any, dict[str, Freeze]] = {}
        self._freezes_by_name: dict[Any, dict[str, Freeze]] = {}
        self._freezes_by_systems: dict[Any, dict[str, Freeze]] = {}
        self._reviews_by_change: dict[Any, dict[str, Review]] = {}
        self._reviews_by_status: dict[Any, dict[str, Review]] = {}
        for system in self.systems.values():
            self._link("systems", system)
        for change in self.changes.values():
            self._link("changes", change)
        for touch in self.touches.values():
            self._link("touches", touch)
        for step in self.steps.values():
            self._link("steps", step)
        for vote in self.votes.values():
            self._link("votes", vote)
        for freeze in self.freezes.values():
            self._link("freezes", freeze)
        for review in self.reviews.values():
            self._link("reviews", review)

    def vote_state(self, change_id: str) -> Result:
        """What a change still needs to be approved.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "data": {title, status, risk, backout, needed, yes_votes, owners_agree,
                clashes_with, frozen_by}} or {"success": False, "error": why not}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        answer = {
            "title": change["title"],
            "status": change["status"],
            "risk": self._change_risk(change),
            "backout": change["backout"],
            "needed": self._needed(change),
            "yes_votes": self._change_yes_votes(change),
            "owners_agree": self._owners_agree(change),
            "clashes_with": _id_of(self._clash(change)),
            "frozen_by": _id_of(self._stopped_by(change)),
        }
        return _found(
            answer,
            _names(
                (self.changes, "title", [row["clashes_with"] for row in [answer]]),
                (self.freezes, "name", [row["frozen_by"] for row in [answer]]),
            ),
        )

    def changes_around(
        self,
        system_id: str,
        status: Literal[
            "draft",
            "submitted",
            "cancelled",
            "approved",
            "refused",
            "running",
            "done",
            "rolled_back",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Changes that touch a system, a part of it or what it is part of, in the order of their times.

        Args:
            system_id (str): Id of the system, such as SYSTEM-00001.
            status (str, optional): State in which the changes are: draft, submitted, cancelled, approved, refused,
                running, done or rolled_back. If left out, changes in every state are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "changes": records}} or {"success": False, "error": why
                not}
        """
        system = self.systems.get(system_id)
        if system is None:
            return _refused(f"There is no system {system_id!r}.")
        found = [
            c
            for c in _those(
                self.changes,
                [
                    t["change_id"]
                    for t in _distinct(
                        [
                            t
                            for key in [
                                system_id,
                                *[record["id"] for record in _above(self.systems, system, "part_of_id")],
                                *[record["id"] for record in _below(self._systems_by_part_of, system)],
                            ]
                            for t in self._touches_by_system.get(key, {}).values()
                        ]
                    )
                ],
            )
            if any(
                self._akin(self.systems[t["system_id"]], system)
                for t in self._touches_by_change.get(c["id"], {}).values()
            )
            and (status is None or c["status"] == status)
        ]
        found.sort(key=lambda c: (c["starts_at"], c["id"], _age(c)))
        shown = [self._show_change(c) for c in _page(found, offset)]
        return _found({"total": len(found), "changes": shown}, self._names_of_changes(shown))

    def steps_of(self, change_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The steps of a change in their order.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}} or {"success": False, "error": why
                not}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        found = [s for s in self._steps_by_change.get(change_id, {}).values()]
        found.sort(key=lambda s: (s["position"], _age(s)))
        shown = [{**s} for s in _page(found, offset)]
        return _found({"total": len(found), "steps": shown}, self._names_of_steps(shown))

    def list_people(
        self,
        name: Text | None = None,
        role: Literal["engineer", "manager", "risk_officer"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            role (str, optional): Only people with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (role is None or person["role"] == role)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_systems(
        self,
        name: Text | None = None,
        part_of_id: str | None = None,
        owner_id: str | None = None,
        critical: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the systems, oldest first, all of them or only some.

        Args:
            name (str, optional): Only systems whose name contains this text.
            part_of_id (str, optional): Only systems part of this system.
            owner_id (str, optional): Only systems whose owner is this person.
            critical (bool, optional): Only systems that are critical (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "systems": records}}
        """
        if part_of_id is not None and part_of_id not in self.systems:
            return _refused(f"There is no system {part_of_id!r}.")
        if owner_id is not None and owner_id not in self.people:
            return _refused(f"There is no person {owner_id!r}.")
        found = [
            system
            for system in self.systems.values()
            if (name is None or name.casefold() in system["name"].casefold())
            and (part_of_id is None or system["part_of_id"] == part_of_id)
            and (owner_id is None or system["owner_id"] == owner_id)
            and (critical is None or system["critical"] == critical)
        ]
        shown = [{**system} for system in _page(found, offset)]
        return _found({"total": len(found), "systems": shown}, self._names_of_systems(shown))

    def get_change(self, change_id: str) -> Result:
        """Look up one change by its id.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        shown = self._show_change(change)
        return _found(shown, self._names_of_changes([shown]))

    def list_changes(
        self,
        title: Text | None = None,
        requester_id: str | None = None,
        kind: Literal["normal", "standard", "emergency"] | None = None,
        runner_id: str | None = None,
        status: Literal[
            "draft",
            "submitted",
            "cancelled",
            "approved",
            "refused",
            "running",
            "done",
            "rolled_back",
        ] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the changes, oldest first, all of them or only some.

        Args:
            title (str, optional): Only changes whose title contains this text.
            requester_id (str, optional): Only changes whose requester is this person.
            kind (str, optional): Only changes with this kind.
            runner_id (str, optional): Only changes whose runner is this person.
            status (str, optional): Only changes with this status.
            starts_at_from (str, optional): Only changes whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only changes whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "changes": records}}
        """
        if requester_id is not None and requester_id not in self.people:
            return _refused(f"There is no person {requester_id!r}.")
        if runner_id is not None and runner_id not in self.people:
            return _refused(f"There is no person {runner_id!r}.")
        found = [
            change
            for change in self.changes.values()
            if (title is None or title.casefold() in change["title"].casefold())
            and (requester_id is None or change["requester_id"] == requester_id)
            and (kind is None or change["kind"] == kind)
            and (runner_id is None or change["runner_id"] == runner_id)
            and (status is None or change["status"] == status)
            and (starts_at_from is None or change["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or change["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_change(change) for change in _page(found, offset)]
        return _found({"total": len(found), "changes": shown}, self._names_of_changes(shown))

    def list_steps(
        self,
        change_id: str | None = None,
        status: Literal["waiting", "finished", "undone"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the steps, oldest first, all of them or only some.

        Args:
            change_id (str, optional): Only steps of this change.
            status (str, optional): Only steps with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "steps": records}}
        """
        if change_id is not None and change_id not in self.changes:
            return _refused(f"There is no change {change_id!r}.")
        found = [
            step
            for step in self.steps.values()
            if (change_id is None or step["change_id"] == change_id)
            and (status is None or step["status"] == status)
        ]
        shown = [{**step} for step in _page(found, offset)]
        return _found({"total": len(found), "steps": shown}, self._names_of_steps(shown))

    def list_votes(
        self,
        change_id: str | None = None,
        by_id: str | None = None,
        verdict: Literal["yes", "no"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the votes, oldest first, all of them or only some.

        Args:
            change_id (str, optional): Only votes of this change.
            by_id (str, optional): Only votes by this person.
            verdict (str, optional): Only votes with this verdict.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "votes": records}}
        """
        if change_id is not None and change_id not in self.changes:
            return _refused(f"There is no change {change_id!r}.")
        if by_id is not None and by_id not in self.people:
            return _refused(f"There is no person {by_id!r}.")
        found = [
            vote
            for vote in self.votes.values()
            if (change_id is None or vote["change_id"] == change_id)
            and (by_id is None or vote["by_id"] == by_id)
            and (verdict is None or vote["verdict"] == verdict)
        ]
        shown = [{**vote} for vote in _page(found, offset)]
        return _found({"total": len(found), "votes": shown}, self._names_of_votes(shown))

    def list_freezes(
        self,
        name: Text | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the freezes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only freezes whose name contains this text.
            starts_from (str, optional): Only freezes whose `starts` is on this day or later.
            starts_to (str, optional): Only freezes whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "freezes": records}}
        """
        found = [
            freeze
            for freeze in self.freezes.values()
            if (name is None or name.casefold() in freeze["name"].casefold())
            and (starts_from is None or freeze["starts"] >= starts_from)
            and (starts_to is None or freeze["starts"] <= starts_to)
        ]
        shown = [self._show_freeze(freeze) for freeze in _page(found, offset)]
        return _found({"total": len(found), "freezes": shown}, self._names_of_freezes(shown))

    def list_reviews(
        self,
        change_id: str | None = None,
        lead_id: str | None = None,
        status: Literal["open", "closed"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the reviews, oldest first, all of them or only some.

        Args:
            change_id (str, optional): Only reviews of this change.
            lead_id (str, optional): Only reviews whose lead is this person.
            status (str, optional): Only reviews with this status.
            due_from (str, optional): Only reviews whose `due` is on this day or later.
            due_to (str, optional): Only reviews whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "reviews": records}}
        """
        if change_id is not None and change_id not in self.changes:
            return _refused(f"There is no change {change_id!r}.")
        if lead_id is not None and lead_id not in self.people:
            return _refused(f"There is no person {lead_id!r}.")
        found = [
            review
            for review in self.reviews.values()
            if (change_id is None or review["change_id"] == change_id)
            and (lead_id is None or review["lead_id"] == lead_id)
            and (status is None or review["status"] == status)
            and (due_from is None or review["due"] >= due_from)
            and (due_to is None or review["due"] <= due_to)
        ]
        shown = [{**review} for review in _page(found, offset)]
        return _found({"total": len(found), "reviews": shown}, self._names_of_reviews(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def draft_change(
        self,
        title: Text,
        requester_id: str,
        system_ids: Annotated[list[str], {"maxItems": 20}],
        impact: Annotated[int, {"minimum": 1, "maximum": 3}],
        likelihood: Annotated[int, {"minimum": 1, "maximum": 3}],
        starts_at: DateTime,
        minutes: Annotated[int, {"minimum": 15, "maximum": 480}],
        first_step: Text,
        backout: Text,
        kind: Literal["normal", "standard", "emergency"] | None = None,
    ) -> Result:
        """Draft a change of one or several systems with its first step and the plan for backing out.

        Args:
            title (str): Title of the new change, not in use yet.
            requester_id (str): Person who requests the change and cannot vote on it; an id such as PERSON-00001.
            system_ids (list): Systems that the change touches, each named once: ids of systems, such as
                SYSTEM-00001.
            impact (int): How much harm a failure would do, where 3 is the most, from 1 to 3.
            likelihood (int): How likely a failure is, where 3 is the most, from 1 to 3.
            starts_at (str): When the work is to begin, not in the past, as YYYY-MM-DDTHH:MM.
            minutes (int): How long the work takes, in minutes, from 15 to 480.
            first_step (str): What is done in the first step.
            backout (str): How the change is undone if it fails.
            kind (str, optional): Sort of change, a standard one needing low risk and no votes: normal, standard or
                emergency. If left out, it is a normal change.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        requester = self.people.get(requester_id)
        if requester is None:
            return _refused(f"There is no person {requester_id!r}.")
        systems = []
        for key in system_ids:
            if key not in self.systems:
                return _refused(f"There is no system {key!r}.")
            systems.append(self.systems[key])
        if self._changes_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a change called {title} already.")
        if not (len(systems) > 0 and _different([s["id"] for s in systems])):
            return _refused("Name at least one system, and each once.")
        if kind == "standard" and impact * likelihood > 2:
            return _refused("A standard change has a risk of 2 at most.")
        if starts_at < self.now:
            return _refused(f"{starts_at} is over.")
        self._journal = []
        added_touches: list[Any] = []
        change: Change = {
            "id": self._new_id("change", "CHANGE", self.changes),
            "title": title,
            "requester_id": requester_id,
            "kind": kind if kind is not None else "normal",
            "impact": impact,
            "likelihood": likelihood,
            "starts_at": starts_at,
            "minutes": minutes,
            "backout": backout,
            "runner_id": None,
            "ended_at": None,
            "status": "draft",
        }
        self._add("changes", change)
        for s in list(systems):
            touch = {
                "id": self._new_id("touch", "TOUCH", self.touches),
                "change_id": change["id"],
                "system_id": s["id"],
            }
            self._add("touches", touch)
            added_touches.append(touch)
        step: Step = {
            "id": self._new_id("step", "STEP", self.steps),
            "change_id": change["id"],
            "position": 1,
            "what": first_step,
            "status": "waiting",
        }
        self._add("steps", step)
        if len(self._changes_by_title.get(change["title"], {})) > 1:
            return self._take_back(f"There is already a change with the title {change['title']!r}.")
        for one_touch in _distinct(added_touches):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(added_touches):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(added_touches):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(added_touches):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        for one_change in _distinct([change, *[self.changes[one["change_id"]] for one in added_touches]]):
            if self._breaks_rule_5_c(one_change):
                return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(change):
            return self._take_back(RULES[4])
        for one_touch in _distinct(added_touches):
            if self._breaks_rule_6_t(one_touch):
                return self._take_back(RULES[5])
        if self._breaks_rule_6_c(change):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_s(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_s(step):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_s_again(step):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_c(change):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_c(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_c_again(change):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: draft {title} for {requester['name']} at {starts_at} (new: change {change['id']}, step "
                f"{step['id']})."
            ),
            "data": {"change_id": change["id"], "step_id": step["id"], **self._changes()},
        }

    def plan_step(self, change_id: str, what: Text) -> Result:
        """Add a step at the end of a change that is a draft.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            what (str): What is done in this step.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] != "draft":
            return _refused(f"{change['title']} is {change['status']}, so reschedule it if it has to be worked on.")
        if len(self._steps_by_change.get(change_id, {})) >= 30:
            return _refused(f"{change['title']} has thirty steps.")
        self._journal = []
        position = len(self._steps_by_change.get(change_id, {})) + 1
        if not 1 <= position <= 30:
            return self._take_back("The position of a step must be between 1 and 30.")
        step: Step = {
            "id": self._new_id("step", "STEP", self.steps),
            "change_id": change_id,
            "position": position,
            "what": what,
            "status": "waiting",
        }
        self._add("steps", step)
        if self._breaks_rule_7_s(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_s(step):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_s_again(step):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: add the step {what} to {change['title']} (new: step {step['id']}).",
            "data": {"step_id": step["id"], **self._changes()},
        }

    def submit_change(self, change_id: str) -> Result:
        """Put a drafted change to the vote; a standard one is approved by that without votes.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] != "draft":
            return _refused(f"{change['title']} is {change['status']}.")
        if change["starts_at"] < self.now:
            return _refused(f"{change['title']} was planned for {change['starts_at']}, so reschedule it first.")
        freeze = self._stopped_by(change)
        if freeze is not None:
            return _refused(
                f"{freeze['name']} keeps everything as it is from {freeze['starts']} to {freeze['ends']}, so "
                f"reschedule {change['title']}."
            )
        if not (
            change["kind"] == "emergency"
            or self._by_night(change["starts_at"])
            or not any(
                self.systems[t["system_id"]]["critical"]
                for t in self._touches_by_change.get(change_id, {}).values()
            )
        ):
            return _refused(
                f"{change['title']} touches a critical system and {change['starts_at']} is neither night nor weekend."
            )
        other = self._clash(change)
        if other is not None:
            return _refused(
                f"{change['title']} clashes with {other['title']}, which lasts from {other['starts_at']} to "
                f"{self._change_ends_at(other)}."
            )
        self._journal = []
        changed_changes: list[Any] = []
        self._put("changes", change, "status", "submitted")
        if change["kind"] == "standard":
            if change["status"] not in ("submitted", "approved"):
                return self._take_back(f"Change {change['title']} cannot go from {change['status']} to approved.")
            changed_changes.append(change)
            self._put("changes", change, "status", "approved")
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        for one_change in _distinct([change, *changed_changes]):
            if self._breaks_rule_5_c(one_change):
                return self._take_back(RULES[4])
        for one_change in _distinct([change, *changed_changes]):
            if self._breaks_rule_5_c_again(one_change):
                return self._take_back(RULES[4])
        for one_step in _distinct(
            [
                *self._steps_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._steps_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(
            [
                *self._steps_by_change_status.get((change["id"], "finished"), {}).values(),
                *[
                    user
                    for one in changed_changes
                    for user in self._steps_by_change_status.get((one["id"], "finished"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        for one_change in _distinct([change, *changed_changes]):
            if self._breaks_rule_9_c(one_change):
                return self._take_back(RULES[8])
        for one_change in _distinct([change, *changed_changes]):
            if self._breaks_rule_10_c(one_change):
                return self._take_back(RULES[9])
        for one_change in _distinct([change, *changed_changes]):
            if self._breaks_rule_10_c_again(one_change):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: submit {change['title']}.", "data": self._changes()}

    def cast_vote(
        self,
        change_id: str,
        by_id: str,
        verdict: Literal["yes", "no"],
        remark: Text | None = None,
    ) -> Result:
        """Record the vote of a manager, a risk officer or the owner of a touched system; the last vote that is needed
        approves the change, a no refuses it.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            by_id (str): Manager, risk officer or owner of a touched system who votes; an id such as PERSON-00001.
            verdict (str): How the person votes, a single no refusing the change: yes or no.
            remark (str, optional): What the voter has to say about it. If left out, the vote has no remark.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if change["status"] != "submitted":
            return _refused(f"{change['title']} is {change['status']}.")
        if by_id == change["requester_id"]:
            return _refused(f"{by['name']} has requested {change['title']}.")
        if self._votes_by_change_by.get((change_id, by_id), {}):
            return _refused(f"{by['name']} has voted on {change['title']}.")
        if not self._may_vote(by, change):
            return _refused(f"{by['name']} is an engineer who owns none of the systems of {change['title']}.")
        other = self._clash(change)
        if verdict != "no" and other is not None:
            return _refused(
                f"{change['title']} clashes with {other['title']}, which lasts from {other['starts_at']} to "
                f"{self._change_ends_at(other)}."
            )
        freeze = self._stopped_by(change)
        if verdict != "no" and freeze is not None:
            return _refused(
                f"{freeze['name']} keeps everything as it is from {freeze['starts']} to {freeze['ends']}."
            )
        self._journal = []
        changed_changes: list[Any] = []
        vote: Vote = {
            "id": self._new_id("vote", "VOTE", self.votes),
            "change_id": change_id,
            "by_id": by_id,
            "verdict": verdict,
            "remark": remark,
        }
        self._add("votes", vote)
        if verdict == "no":
            changed_changes.append(change)
            self._put("changes", change, "status", "refused")
        else:
            if self._carried(change):
                if change["status"] not in ("submitted", "approved"):
                    return self._take_back(f"Change {change['title']} cannot go from {change['status']} to approved.")
                changed_changes.append(change)
                self._put("changes", change, "status", "approved")
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_v(vote):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(vote):
            return self._take_back(RULES[3])
        for one_change in _distinct([self.changes[vote["change_id"]], *changed_changes]):
            if self._breaks_rule_5_c(one_change):
                return self._take_back(RULES[4])
        for one_change in _distinct([self.changes[vote["change_id"]], *changed_changes]):
            if self._breaks_rule_5_c_again(one_change):
                return self._take_back(RULES[4])
        for one_step in _distinct(
            [user for one in changed_changes for user in self._steps_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(
            [
                user
                for one in changed_changes
                for user in self._steps_by_change_status.get((one["id"], "finished"), {}).values()
            ]
        ):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_9_c(one_change):
                return self._take_back(RULES[8])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c(one_change):
                return self._take_back(RULES[9])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c_again(one_change):
                return self._take_back(RULES[9])
        done = f"record the {verdict} of {by['name']} on {change['title']}"
        if remark is not None:
            done += f" with the remark {remark}"
        return {
            "success": True,
            "message": f"Done: {done} (new: vote {vote['id']}).",
            "data": {"vote_id": vote["id"], **self._changes()},
        }

    def reschedule_change(self, change_id: str, starts_at: DateTime) -> Result:
        """Give a change another time, which makes it a draft again and annuls its votes.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            starts_at (str): New time at which the work begins, not in the past, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] not in ("draft", "submitted", "approved"):
            return _refused(f"{change['title']} is {change['status']}.")
        if starts_at < self.now:
            return _refused(f"{starts_at} is over.")
        if starts_at == change["starts_at"]:
            return _refused(f"{change['title']} is planned for {starts_at} already.")
        self._journal = []
        deleted_votes: list[Any] = []
        changed_changes: list[Any] = []
        for v in sorted(self._votes_by_change.get(change_id, {}).values(), key=_age):
            if v["id"] in self.votes:
                self._remove("votes", v)
            deleted_votes.append(v)
        self._put("changes", change, "starts_at", starts_at)
        if change["status"] != "draft":
            changed_changes.append(change)
            self._put("changes", change, "status", "draft")
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(
            [
                *self._touches_by_change.get(change["id"], {}).values(),
                *[user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        for one_change in _distinct([*[self.changes[one["change_id"]] for one in deleted_votes], *changed_changes]):
            if self._breaks_rule_5_c(one_change):
                return self._take_back(RULES[4])
        for one_change in _distinct([*[self.changes[one["change_id"]] for one in deleted_votes], *changed_changes]):
            if self._breaks_rule_5_c_again(one_change):
                return self._take_back(RULES[4])
        for one_step in _distinct(
            [user for one in changed_changes for user in self._steps_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(
            [
                user
                for one in changed_changes
                for user in self._steps_by_change_status.get((one["id"], "finished"), {}).values()
            ]
        ):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_9_c(one_change):
                return self._take_back(RULES[8])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c(one_change):
                return self._take_back(RULES[9])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c_again(one_change):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: reschedule {change['title']} to {starts_at}.",
            "data": self._changes(),
        }

    def cancel_change(self, change_id: str) -> Result:
        """Cancel a change that has not been started.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        if change["status"] not in ("draft", "submitted", "approved"):
            return _refused(f"{change['title']} is {change['status']}.")
        if not self._touches_by_change.get(change_id, {}):
            return _refused(f"{change['title']} touches nothing.")
        self._journal = []
        self._put("changes", change, "status", "cancelled")
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_c(change):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(change):
            return self._take_back(RULES[4])
        for one_step in _distinct(self._steps_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(self._steps_by_change_status.get((change["id"], "finished"), {}).values()):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_c(change):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_c(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_c_again(change):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: cancel {change['title']}.", "data": self._changes()}

    def start_change(self, change_id: str, runner_id: str) -> Result:
        """Let an engineer start an approved change whose time has come; one that is no emergency waits as long as an
        earlier failure around one of its systems is under review.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            runner_id (str): Engineer who carries out the change and runs no other one; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        runner = self.people.get(runner_id)
        if runner is None:
            return _refused(f"There is no person {runner_id!r}.")
        if change["status"] != "approved":
            return _refused(f"{change['title']} is {change['status']}.")
        if change["starts_at"] > self.now:
            return _refused(f"{change['title']} is planned for {change['starts_at']}.")
        if _plus_minutes(change["starts_at"], 1440) <= self.now:
            return _refused(
                f"{change['title']} was to begin at {change['starts_at']}, more than a day ago, so reschedule it."
            )
        frozen_now = next(
            (
                self._frozen(self.systems[t["system_id"]], self.now[:10])
                for t in sorted(self._touches_by_change.get(change_id, {}).values(), key=_age)
                if self._frozen(self.systems[t["system_id"]], self.now[:10]) is not None
            ),
            None,
        )
        if frozen_now is not None and change["kind"] != "emergency":
            return _refused(f"{frozen_now['name']} freezes one of its systems today.")
        beside = next(
            (
                self.changes[u["change_id"]]
                for t in sorted(self._touches_by_change.get(change_id, {}).values(), key=_age)
                for u in sorted(
                    _distinct(
                        [
                            u
                            for key in [
                                t["system_id"],
                                *[
                                    record["id"]
                                    for record in _below(self._systems_by_part_of, self.systems[t["system_id"]])
                                ],
                                *[
                                    record["id"]
                                    for record in _above(self.systems, self.systems[t["system_id"]], "part_of_id")
                                ],
                            ]
                            for u in self._touches_by_system.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if u["change_id"] != change_id
                and self.changes[u["change_id"]]["status"] == "running"
            ),
            None,
        )
        if beside is not None:
            return _refused(f"{beside['title']} is running on the same systems, so wait until it is over.")
        if runner["role"] != "engineer":
            return _refused(f"{runner['name']} is no engineer.")
        busy = next(
            (c for c in sorted(self._changes_by_runner_status.get((runner_id, "running"), {}).values(), key=_age)),
            None,
        )
        if busy is not None:
            return _refused(f"{runner['name']} is running {busy['title']}.")
        review = next(
            (
                self._under_review(self.systems[t["system_id"]])
                for t in sorted(self._touches_by_change.get(change_id, {}).values(), key=_age)
                if self._under_review(self.systems[t["system_id"]]) is not None
            ),
            None,
        )
        if review is not None and change["kind"] != "emergency":
            return _refused(f"The failure of {self.changes[review['change_id']]['title']} is still under review.")
        self._journal = []
        self._put("changes", change, "runner_id", runner_id)
        self._put("changes", change, "status", "running")
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_c(change):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(change):
            return self._take_back(RULES[4])
        for one_step in _distinct(self._steps_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(self._steps_by_change_status.get((change["id"], "finished"), {}).values()):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_c(change):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_c(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_c_again(change):
            return self._take_back(RULES[9])
        for one_review in _distinct(self._reviews_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_11(one_review):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: start {change['title']} with {runner['name']}.",
            "data": self._changes(),
        }

    def finish_step(self, step_id: str) -> Result:
        """Mark the next step of a running change as finished; with the last one the change is done.

        Args:
            step_id (str): Id of the step, such as STEP-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        step = self.steps.get(step_id)
        if step is None:
            return _refused(f"There is no step {step_id!r}.")
        if self.changes[step["change_id"]]["status"] != "running":
            return _refused(
                f"{self.changes[step['change_id']]['title']} is {self.changes[step['change_id']]['status']}."
            )
        if step["status"] != "waiting":
            return _refused(
                f"Step {step['position']} of {self.changes[step['change_id']]['title']} is {step['status']}."
            )
        earlier = next(
            (
                s
                for s in sorted(
                    self._steps_by_change_status.get((step["change_id"], "waiting"), {}).values(),
                    key=_age,
                )
                if s["position"] < step["position"]
            ),
            None,
        )
        if earlier is not None:
            return _refused(f"Step {earlier['position']} of {self.changes[step['change_id']]['title']} comes first.")
        self._journal = []
        changed_changes: list[Any] = []
        self._put("steps", step, "status", "finished")
        if all(s["status"] == "finished" for s in self._steps_by_change.get(step["change_id"], {}).values()):
            change = self.changes[step["change_id"]]
            self._put("changes", change, "ended_at", self.now)
            its_change = self.changes[step["change_id"]]
            if its_change["status"] not in ("running", "done"):
                return self._take_back(f"Change {its_change['title']} cannot go from {its_change['status']} to done.")
            changed_changes.append(its_change)
            self._put("changes", its_change, "status", "done")
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_5_c(one_change):
                return self._take_back(RULES[4])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_5_c_again(one_change):
                return self._take_back(RULES[4])
        if self._breaks_rule_7_b(step):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_a(step):
            return self._take_back(RULES[6])
        for one_step in _distinct(
            [step, *[user for one in changed_changes for user in self._steps_by_change.get(one["id"], {}).values()]]
        ):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(
            [
                step,
                *[
                    user
                    for one in changed_changes
                    for user in self._steps_by_change_status.get((one["id"], "finished"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_9_c(one_change):
                return self._take_back(RULES[8])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c(one_change):
                return self._take_back(RULES[9])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c_again(one_change):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: finish step {step['position']} of {self.changes[step['change_id']]['title']}.",
            "data": self._changes(),
        }

    def roll_back_change(self, change_id: str, lead_id: str, due: Date) -> Result:
        """Roll a running change back; what was finished is undone and a review is opened.

        Args:
            change_id (str): Id of the change, such as CHANGE-00001.
            lead_id (str): Person who leads the review, other than the engineer who ran the change; an id such as
                PERSON-00001.
            due (str): Day by which the review is due, after today and within 30 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        change = self.changes.get(change_id)
        if change is None:
            return _refused(f"There is no change {change_id!r}.")
        lead = self.people.get(lead_id)
        if lead is None:
            return _refused(f"There is no person {lead_id!r}.")
        if change["status"] != "running":
            return _refused(f"{change['title']} is {change['status']}.")
        if lead_id == change["runner_id"]:
            return _refused(f"{lead['name']} runs {change['title']} and cannot lead its review.")
        if self.now[:10] >= due or due > _plus_days(self.now[:10], 30):
            return _refused("A review is due within 30 days.")
        self._journal = []
        changed_steps: list[Any] = []
        for s in sorted(self._steps_by_change_status.get((change_id, "finished"), {}).values(), key=_age):
            if s["status"] not in ("finished", "undone"):
                return self._take_back(f"Step {s['id']} cannot go from {s['status']} to undone.")
            changed_steps.append(s)
            self._put("steps", s, "status", "undone")
        self._put("changes", change, "ended_at", self.now)
        review: Review = {
            "id": self._new_id("review", "REVIEW", self.reviews),
            "change_id": change_id,
            "lead_id": lead_id,
            "due": due,
            "finding": None,
            "status": "open",
        }
        self._add("reviews", review)
        self._put("changes", change, "status", "rolled_back")
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_2(one_touch):
                return self._take_back(RULES[1])
        for one_touch in _distinct(self._touches_by_change.get(change["id"], {}).values()):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        if self._breaks_rule_5_c(change):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_c_again(change):
            return self._take_back(RULES[4])
        for one_step in _distinct(changed_steps):
            if self._breaks_rule_7_b(one_step):
                return self._take_back(RULES[6])
        for one_step in _distinct(changed_steps):
            if self._breaks_rule_7_a(one_step):
                return self._take_back(RULES[6])
        for one_step in _distinct([*changed_steps, *self._steps_by_change.get(change["id"], {}).values()]):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(
            [*changed_steps, *self._steps_by_change_status.get((change["id"], "finished"), {}).values()]
        ):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        if self._breaks_rule_9_r(review):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_c(self.changes[review["change_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_c(change):
            return self._take_back(RULES[8])
        if self._breaks_rule_10_c(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_c_again(change):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(review):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: roll {change['title']} back and let {lead['name']} review it until {due} (new: review "
                f"{review['id']})."
            ),
            "data": {"review_id": review["id"], **self._changes()},
        }

    def close_review(self, review_id: str, finding: Text) -> Result:
        """Close a review with what was found.

        Args:
            review_id (str): Id of the review, such as REVIEW-00001.
            finding (str): What the review found to be the reason for the failure.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        review = self.reviews.get(review_id)
        if review is None:
            return _refused(f"There is no review {review_id!r}.")
        if review["status"] != "open":
            return _refused(f"The review of {self.changes[review['change_id']]['title']} is {review['status']}.")
        self._journal = []
        self._put("reviews", review, "finding", finding)
        self._put("reviews", review, "status", "closed")
        if self._breaks_rule_11(review):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: close the review of {self.changes[review['change_id']]['title']} with the finding {finding}."
            ),
            "data": self._changes(),
        }

    def declare_freeze(
        self,
        name: Text,
        system_ids: Annotated[list[str], {"maxItems": 20}],
        starts: Date,
        ends: Date,
    ) -> Result:
        """Freeze systems and all their parts for some days; approved changes of those days, emergencies apart, become
        drafts again and lose their votes.

        Args:
            name (str): Name of the new freeze, not in use yet.
            system_ids (list): Systems that are frozen with all their parts, each named once: ids of systems, such
                as SYSTEM-00001.
            starts (str): First day of the freeze, from today on, as YYYY-MM-DD.
            ends (str): Last day of the freeze, itself included, for 31 days at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        systems = []
        for key in system_ids:
            if key not in self.systems:
                return _refused(f"There is no system {key!r}.")
            systems.append(self.systems[key])
        if self._freezes_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a freeze called {name}.")
        if not (len(systems) > 0 and _different([s["id"] for s in systems])):
            return _refused("Name at least one system, and each once.")
        if self.now[:10] > starts or starts > ends or ends > _plus_days(starts, 30):
            return _refused("A freeze begins today or later and lasts at most 31 days.")
        self._journal = []
        deleted_votes: list[Any] = []
        changed_changes: list[Any] = []
        freeze: Freeze = {
            "id": self._new_id("freeze", "FREEZE", self.freezes),
            "name": name,
            "system_ids": [record["id"] for record in systems],
            "starts": starts,
            "ends": ends,
        }
        self._add("freezes", freeze)
        for c in [
            c
            for c in sorted(self._changes_by_status.get("approved", {}).values(), key=_age)
            if self._stopped_by(c) is not None
        ]:
            for v in sorted(self._votes_by_change.get(c["id"], {}).values(), key=_age):
                if v["id"] in self.votes:
                    self._remove("votes", v)
                deleted_votes.append(v)
            if c["status"] not in ("draft", "submitted", "approved"):
                return self._take_back(f"Change {c['title']} cannot go from {c['status']} to draft.")
            changed_changes.append(c)
            self._put("changes", c, "status", "draft")
        if len(self._freezes_by_name.get(freeze["name"], {})) > 1:
            return self._take_back(f"There is already a freeze with the name {freeze['name']!r}.")
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_t(one_touch):
                return self._take_back(RULES[0])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_1_u(one_touch):
                return self._take_back(RULES[0])
        if any(self._breaks_rule_2(one_touch) for one_touch in self.touches.values()):
            return self._take_back(RULES[1])
        for one_touch in _distinct(
            [user for one in changed_changes for user in self._touches_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_touch):
                return self._take_back(RULES[2])
        for one_change in _distinct([*[self.changes[one["change_id"]] for one in deleted_votes], *changed_changes]):
            if self._breaks_rule_5_c(one_change):
                return self._take_back(RULES[4])
        for one_change in _distinct([*[self.changes[one["change_id"]] for one in deleted_votes], *changed_changes]):
            if self._breaks_rule_5_c_again(one_change):
                return self._take_back(RULES[4])
        for one_step in _distinct(
            [user for one in changed_changes for user in self._steps_by_change.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_s(one_step):
                return self._take_back(RULES[7])
        for one_step in _distinct(
            [
                user
                for one in changed_changes
                for user in self._steps_by_change_status.get((one["id"], "finished"), {}).values()
            ]
        ):
            if self._breaks_rule_8_s_again(one_step):
                return self._take_back(RULES[7])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_9_c(one_change):
                return self._take_back(RULES[8])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c(one_change):
                return self._take_back(RULES[9])
        for one_change in _distinct(changed_changes):
            if self._breaks_rule_10_c_again(one_change):
                return self._take_back(RULES[9])
        if self._breaks_rule_12(freeze):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: freeze {', '.join(str(one['name']) for one in systems)} from {starts} to {ends} as {name} "
                f"(new: freeze {freeze['id']})."
            ),
            "data": {"freeze_id": freeze["id"], **self._changes()},
        }

    def _show_change(self, change: Change) -> dict[str, Any]:
        """The change as an answer shows it."""
        return {
            **change,
            "risk": self._change_risk(change),
            "ends_at": self._change_ends_at(change),
            "systems": [record["id"] for record in self._change_systems(change)],
            "yes_votes": self._change_yes_votes(change),
        }

    def _show_freeze(self, freeze: Freeze) -> dict[str, Any]:
        """The freeze as an answer shows it."""
        return {**freeze, "system_ids": [*freeze["system_ids"]]}

    def _names_of_systems(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that systems point to."""
        return _names(
            (self.systems, "name", [row["part_of_id"] for row in shown]),
            (self.people, "name", [row["owner_id"] for row in shown]),
        )

    def _names_of_changes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that changes point to."""
        return _names(
            (self.people, "name", [row["requester_id"] for row in shown]),
            (self.people, "name", [row["runner_id"] for row in shown]),
            (self.systems, "name", [each for row in shown for each in row["systems"]]),
        )

    def _names_of_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that steps point to."""
        return _names((self.changes, "title", [row["change_id"] for row in shown]))

    def _names_of_votes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that votes point to."""
        return _names(
            (self.changes, "title", [row["change_id"] for row in shown]),
            (self.people, "name", [row["by_id"] for row in shown]),
        )

    def _names_of_freezes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that freezes point to."""
        return _names((self.systems, "name", [each for row in shown for each in row["system_ids"]]))

    def _names_of_reviews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that reviews point to."""
        return _names(
            (self.changes, "title", [row["change_id"] for row in shown]),
            (self.people, "name", [row["lead_id"] for row in shown]),
        )

    def _change_risk(self, change: Change) -> int:
        """The risk of a change."""
        return change["impact"] * change["likelihood"]

    def _change_ends_at(self, change: Change) -> str:
        """The ends at of a change."""
        return _plus_minutes(change["starts_at"], change["minutes"])

    def _change_systems(self, change: Change) -> list[System]:
        """The systems of a change."""
        return [
            self.systems[t["system_id"]]
            for t in sorted(self._touches_by_change.get(change["id"], {}).values(), key=_age)
        ]

    def _change_yes_votes(self, change: Change) -> int:
        """The yes votes of a change."""
        return len(self._votes_by_change_verdict.get((change["id"], "yes"), {}))

    def _firm(self, c: Change) -> bool:
        return c["status"] in ("approved", "running")

    def _akin(self, a: System, b: System) -> bool:
        return a is b or a in _above(self.systems, b, "part_of_id") or b in _above(self.systems, a, "part_of_id")

    def _clash(self, c: Change) -> Change | None:
        return next(
            (
                self.changes[u["change_id"]]
                for t in sorted(self._touches_by_change.get(c["id"], {}).values(), key=_age)
                for u in sorted(
                    _distinct(
                        [
                            u
                            for key in [
                                t["system_id"],
                                *[
                                    record["id"]
                                    for record in _below(self._systems_by_part_of, self.systems[t["system_id"]])
                                ],
                                *[
                                    record["id"]
                                    for record in _above(self.systems, self.systems[t["system_id"]], "part_of_id")
                                ],
                            ]
                            for u in self._touches_by_system.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if u["change_id"] != c["id"]
                and self._firm(self.changes[u["change_id"]])
                and _overlap(
                    self.changes[t["change_id"]]["starts_at"],
                    self._change_ends_at(self.changes[t["change_id"]]),
                    self.changes[u["change_id"]]["starts_at"],
                    self._change_ends_at(self.changes[u["change_id"]]),
                )
            ),
            None,
        )

    def _frozen(self, s: System, d: str) -> Freeze | None:
        return next(
            (
                f
                for f in sorted(
                    _distinct(
                        [
                            f
                            for key in [s["id"], *[record["id"] for record in _above(self.systems, s, "part_of_id")]]
                            for f in self._freezes_by_systems.get(key, {}).values()
                        ]
                    ),
                    key=_age,
                )
                if (f["starts"] <= d and d <= f["ends"])
                and any(
                    x is s
                    or x in _above(self.systems, s, "part_of_id")
                    for x in [self.systems[key] for key in f["system_ids"]]
                )
            ),
            None,
        )

    def _stopped_by(self, c: Change) -> Freeze | None:
        return next(
            (
                self._frozen(self.systems[t["system_id"]], c["starts_at"][:10])
                for t in sorted(self._touches_by_change.get(c["id"], {}).values(), key=_age)
                if c["kind"] != "emergency"
                and self._frozen(self.systems[t["system_id"]], c["starts_at"][:10]) is not None
            ),
            None,
        )

    def _by_night(self, m: str) -> bool:
        return m[11:] >= "20:00" or m[11:] < "06:00" or _weekday(m[:10]) >= 6

    def _needed(self, c: Change) -> int:
        return (
            0
            if c["kind"] == "standard"
            else 1
            if c["kind"] == "emergency" or self._change_risk(c) <= 2
            else 2
            if self._change_risk(c) <= 4
            else 3
        )

    def _owners_agree(self, c: Change) -> bool:
        return (
            c["kind"] == "standard"
            or all(
                self.systems[t["system_id"]]["owner_id"] == c["requester_id"]
                or any(
                    v["verdict"] == "yes"
                    for v in self._votes_by_change_by.get(
                        (c["id"], self.systems[t["system_id"]]["owner_id"]),
                        {},
                    ).values()
                )
                for t in self._touches_by_change.get(c["id"], {}).values()
                if self.systems[t["system_id"]]["critical"]
            )
        )

    def _carried(self, c: Change) -> bool:
        return (
            self._change_yes_votes(c) >= self._needed(c)
            and self._owners_agree(c)
            and (
                self._change_risk(c) < 6
                or any(
                    self.people[v["by_id"]]["role"] == "risk_officer"
                    and v["verdict"] == "yes"
                    for v in self._votes_by_change.get(c["id"], {}).values()
                )
            )
        )

    def _may_vote(self, p: Person, c: Change) -> bool:
        return (
            p["id"] != c["requester_id"]
            and (
                p["role"] != "engineer"
                or any(
                    self.systems[t["system_id"]]["owner_id"] == p["id"]
                    for t in self._touches_by_change.get(c["id"], {}).values()
                )
            )
            and not self._votes_by_change_by.get((c["id"], p["id"]), {})
        )

    def _under_review(self, s: System) -> Review | None:
        return next(
            (
                r
                for r in sorted(self._reviews_by_status.get("open", {}).values(), key=_age)
                if any(self._akin(x, s) for x in self._change_systems(self.changes[r["change_id"]]))
            ),
            None,
        )

    def _breaks_rule_1_t(self, t: Touch) -> bool:
        """Whether this is broken: changes that are approved or running never overlap on one system, nor on a system
        and a part of it.
        """
        return (
            self._firm(self.changes[t["change_id"]])
            and any(
                self._akin(self.systems[t["system_id"]], self.systems[u["system_id"]])
                and _overlap(
                    self.changes[t["change_id"]]["starts_at"],
                    self._change_ends_at(self.changes[t["change_id"]]),
                    self.changes[u["change_id"]]["starts_at"],
                    self._change_ends_at(self.changes[u["change_id"]]),
                )
                for u in self.touches.values()
                if t["change_id"] != u["change_id"]
                and self._firm(self.changes[u["change_id"]])
            )
        )

    def _breaks_rule_1_u(self, u: Touch) -> bool:
        """Whether this is broken: changes that are approved or running never overlap on one system, nor on a system
        and a part of it.
        """
        return (
            self._firm(self.changes[u["change_id"]])
            and any(
                self._akin(self.systems[t["system_id"]], self.systems[u["system_id"]])
                and _overlap(
                    self.changes[t["change_id"]]["starts_at"],
                    self._change_ends_at(self.changes[t["change_id"]]),
                    self.changes[u["change_id"]]["starts_at"],
                    self._change_ends_at(self.changes[u["change_id"]]),
                )
                for t in self.touches.values()
                if t["change_id"] != u["change_id"]
                and self._firm(self.changes[t["change_id"]])
            )
        )

    def _breaks_rule_2(self, t: Touch) -> bool:
        """Whether this is broken: no change but an emergency is approved for a day on which one of its systems is
        frozen.
        """
        return (
            self.changes[t["change_id"]]["status"] == "approved"
            and self.changes[t["change_id"]]["kind"] != "emergency"
            and self._frozen(self.systems[t["system_id"]], self.changes[t["change_id"]]["starts_at"][:10]) is not None
        )

    def _breaks_rule_3(self, t: Touch) -> bool:
        """Whether this is broken: changes of critical systems, emergencies apart, are approved for nights and
        weekends only.
        """
        return (
            self.systems[t["system_id"]]["critical"]
            and self.changes[t["change_id"]]["kind"] != "emergency"
            and self._firm(self.changes[t["change_id"]])
            and not self._by_night(self.changes[t["change_id"]]["starts_at"])
        )

    def _breaks_rule_4_v(self, v: Vote) -> bool:
        """Whether this is broken: nobody votes on their own change, and nobody votes twice."""
        return v["by_id"] == self.changes[v["change_id"]]["requester_id"]

    def _breaks_rule_4_v_again(self, v: Vote) -> bool:
        """Whether this is broken: nobody votes on their own change, and nobody votes twice."""
        return any(
            other_v is not v
            for other_v in self._votes_by_change_by.get((v["change_id"], v["by_id"]), {}).values()
        )

    def _breaks_rule_5_c(self, c: Change) -> bool:
        """Whether this is broken: an approved change has the votes that its risk demands and no vote against it; a
        refused one has one.
        """
        return self._firm(c) and not (self._carried(c) and not self._votes_by_change_verdict.get((c["id"], "no"), {}))

    def _breaks_rule_5_c_again(self, c: Change) -> bool:
        """Whether this is broken: an approved change has the votes that its risk demands and no vote against it; a
        refused one has one.
        """
        return c["status"] == "refused" and not self._votes_by_change_verdict.get((c["id"], "no"), {})

    def _breaks_rule_6_t(self, t: Touch) -> bool:
        """Whether this is broken: a change touches each of its systems once, and a standard change has a risk of 2 at
        most.
        """
        return any(
            other_t is not t
            for other_t in self._touches_by_change_system.get((t["change_id"], t["system_id"]), {}).values()
        )

    def _breaks_rule_6_c(self, c: Change) -> bool:
        """Whether this is broken: a change touches each of its systems once, and a standard change has a risk of 2 at
        most.
        """
        return c["kind"] == "standard" and self._change_risk(c) > 2

    def _breaks_rule_7_s(self, s: Step) -> bool:
        """Whether this is broken: the steps of a change are numbered without repetition and finished in their order.
        """
        return any(
            other_s is not s
            for other_s in self._steps_by_change.get(s["change_id"], {}).values()
            if other_s["position"] == s["position"]
        )

    def _breaks_rule_7_b(self, b: Step) -> bool:
        """Whether this is broken: the steps of a change are numbered without repetition and finished in their order.
        """
        return any(
            a["status"] != "waiting"
            and b["status"] == "waiting"
            for a in self._steps_by_change.get(b["change_id"], {}).values()
            if a["position"] > b["position"]
        )

    def _breaks_rule_7_a(self, a: Step) -> bool:
        """Whether this is broken: the steps of a change are numbered without repetition and finished in their order.
        """
        return any(
            a["status"] != "waiting"
            and b["status"] == "waiting"
            for b in self._steps_by_change.get(a["change_id"], {}).values()
            if a["position"] > b["position"]
        )

    def _breaks_rule_8_s(self, s: Step) -> bool:
        """Whether this is broken: every step of a change that is done is finished, and none of a change that was
        rolled back.
        """
        return self.changes[s["change_id"]]["status"] == "done" and s["status"] != "finished"

    def _breaks_rule_8_s_again(self, s: Step) -> bool:
        """Whether this is broken: every step of a change that is done is finished, and none of a change that was
        rolled back.
        """
        return s["status"] == "finished" and self.changes[s["change_id"]]["status"] == "rolled_back"

    def _breaks_rule_9_r(self, r: Review) -> bool:
        """Whether this is broken: a change that was rolled back has one review, and no other change has any."""
        return any(other_r is not r for other_r in self._reviews_by_change.get(r["change_id"], {}).values())

    def _breaks_rule_9_c(self, c: Change) -> bool:
        """Whether this is broken: a change that was rolled back has one review, and no other change has any."""
        return (c["status"] == "rolled_back") != bool(self._reviews_by_change.get(c["id"], {}))

    def _breaks_rule_10_c(self, c: Change) -> bool:
        """Whether this is broken: whoever runs a change runs no other one at the time, and only started changes have
        a runner.
        """
        return (
            c["status"] == "running"
            and any(
                other_c is not c
                for other_c in self._changes_by_runner_status.get((c["runner_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_10_c_again(self, c: Change) -> bool:
        """Whether this is broken: whoever runs a change runs no other one at the time, and only started changes have
        a runner.
        """
        return (c["runner_id"] is not None) != (c["status"] in ("running", "done", "rolled_back"))

    def _breaks_rule_11(self, r: Review) -> bool:
        """Whether this is broken: a closed review has a finding, and nobody who ran the change leads its review."""
        return (
            (r["status"] == "closed") != (r["finding"] is not None)
            or r["lead_id"] == self.changes[r["change_id"]]["runner_id"]
        )

    def _breaks_rule_12(self, f: Freeze) -> bool:
        """Whether this is broken: a freeze ends no earlier than it begins and covers something."""
        return f["starts"] > f["ends"] or len(f["system_ids"]) <= 0

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
            case "systems":
                self._systems_by_part_of.setdefault(record["part_of_id"], {})[record["id"]] = record
            case "changes":
                self._changes_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._changes_by_runner_status.setdefault(
                    (record["runner_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._changes_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._changes_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "touches":
                self._touches_by_change.setdefault(record["change_id"], {})[record["id"]] = record
                self._touches_by_change_system.setdefault(
                    (record["change_id"], record["system_id"]),
                    {},
                )[record["id"]] = record
                self._touches_by_system.setdefault(record["system_id"], {})[record["id"]] = record
            case "steps":
                self._steps_by_change.setdefault(record["change_id"], {})[record["id"]] = record
                self._steps_by_change_status.setdefault(
                    (record["change_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "votes":
                self._votes_by_change.setdefault(record["change_id"], {})[record["id"]] = record
                self._votes_by_change_by.setdefault((record["change_id"], record["by_id"]), {})[record["id"]] = record
                self._votes_by_change_verdict.setdefault(
                    (record["change_id"], record["verdict"]),
                    {},
                )[record["id"]] = record
            case "freezes":
                self._freezes_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._freezes_by_name.setdefault(record["name"], {})[record["id"]] = record
                for key in record["system_ids"]:
                    self._freezes_by_systems.setdefault(key, {})[record["id"]] = record
            case "reviews":
                self._reviews_by_change.setdefault(record["change_id"], {})[record["id"]] = record
                self._reviews_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "systems":
                del self._systems_by_part_of[record["part_of_id"]][record["id"]]
            case "changes":
                del self._changes_by_lower_title[record["title"].lower()][record["id"]]
                del self._changes_by_runner_status[record["runner_id"], record["status"]][record["id"]]
                del self._changes_by_status[record["status"]][record["id"]]
                del self._changes_by_title[record["title"]][record["id"]]
            case "touches":
                del self._touches_by_change[record["change_id"]][record["id"]]
                del self._touches_by_change_system[record["change_id"], record["system_id"]][record["id"]]
                del self._touches_by_system[record["system_id"]][record["id"]]
            case "steps":
                del self._steps_by_change[record["change_id"]][record["id"]]
                del self._steps_by_change_status[record["change_id"], record["status"]][record["id"]]
            case "votes":
                del self._votes_by_change[record["change_id"]][record["id"]]
                del self._votes_by_change_by[record["change_id"], record["by_id"]][record["id"]]
                del self._votes_by_change_verdict[record["change_id"], record["verdict"]][record["id"]]
            case "freezes":
                del self._freezes_by_lower_name[record["name"].lower()][record["id"]]
                del self._freezes_by_name[record["name"]][record["id"]]
                for key in record["system_ids"]:
                    self._freezes_by_systems[key].pop(record["id"], None)
            case "reviews":
                del self._reviews_by_change[record["change_id"]][record["id"]]
                del self._reviews_by_status[record["status"]][record["id"]]
