"""Well integrity. Compiled from blueprint.yaml; run `envscaler build well_integrity` after changing it there.

Keeps two good barriers in every producing well of three platforms, with leak tests in time, deferrals, repairs,
and permits to work that may not meet.
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
    "A producing well has two whole envelopes, without a failed barrier or one that was repaired and not tested.",
    "A well that is shut in or killed says why, and a producing one does not.",
    "A barrier has one deferral at a time that is asked for or in force.",
    "The tests of both envelopes of a well are never deferred together.",
    "A deferral ends at most 90 days after the test was due.",
    "A deferral is approved by another integrity engineer than the one who asked.",
    "Two permits in force on one well never meet, nor do hot work and an intervention on one platform.",
    "An intervention is only in force on a well that is not producing.",
    "A platform never has more permits in force at a time than it can watch over.",
    "Nobody holds two permits in force for the same time.",
    "A permit in force was issued by the offshore manager.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "record_test",
    "repair_barrier",
    "open_well",
    "shut_in_well",
    "kill_well",
    "request_deferral",
    "decide_deferral",
    "request_permit",
    "issue_permit",
    "close_permit",
    "cancel_permit",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "platforms": ("name",),
    "wells": ("name",),
    "barriers": (),
    "deferrals": (),
    "permits": (),
    "people": ("name",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("barriers", "condition"),
    ("barriers", "envelope"),
    ("barriers", "well_id"),
    ("deferrals", "barrier_id"),
    ("deferrals", "status"),
    ("permits", "holder_id"),
    ("permits", "status"),
    ("permits", "well_id"),
    ("permits", "work"),
    ("wells", "platform_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Platform(TypedDict):
    id: str
    name: str
    most_permits: int


class Well(TypedDict):
    id: str
    name: str
    platform_id: str
    shut_for: str | None
    status: Literal["shut_in", "producing", "killed"]


class Barrier(TypedDict):
    id: str
    well_id: str
    kind: Literal["safety_valve", "packer", "master_valve", "casing"]
    envelope: Literal["primary", "secondary"]
    limit: int
    interval: int
    tested_on: str
    leak: int | None
    condition: Literal["good", "degraded", "failed", "repaired"]


class Deferral(TypedDict):
    id: str
    barrier_id: str
    asked_by_id: str
    approver_id: str | None
    was_due: str
    until: str
    reason: str
    status: Literal["requested", "approved", "refused", "over"]


class Permit(TypedDict):
    id: str
    well_id: str
    work: Literal["hot_work", "intervention", "maintenance"]
    holder_id: str
    starts: str
    lasts: int
    issued_by_id: str | None
    status: Literal["requested", "issued", "cancelled", "closed"]


class Person(TypedDict):
    id: str
    name: str
    role: Literal["integrity_engineer", "offshore_manager", "supervisor"]


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


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class WellIntegrity:
    """Keeps two good barriers in every producing well of three platforms, with leak tests in time,
    deferrals, repairs, and permits to work that may not meet.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.platforms: dict[str, Platform] = _copied(config.get("platforms", {}))
        self.wells: dict[str, Well] = _copied(config.get("wells", {}))
        self.barriers: dict[str, Barrier] = _copied(config.get("barriers", {}))
        self.deferrals: dict[str, Deferral] = _copied(config.get("deferrals", {}))
        self.permits: dict[str, Permit] = _copied(config.get("permits", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.now: str = config.get("now", "2026-08-03T06:30")
        self.counters: dict[str, int] = {
            "platform": len(self.platforms),
            "well": len(self.wells),
            "barrier": len(self.barriers),
            "deferral": len(self.deferrals),
            "permit": len(self.permits),
            "person": len(self.people),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._wells_by_platform: dict[Any, dict[str, Well]] = {}
        self._barriers_by_well: dict[Any, dict[str, Barrier]] = {}
        self._barriers_by_well_condition: dict[Any, dict[str, Barrier]] = {}
        self._barriers_by_well_envelope: dict[Any, dict[str, Barrier]] = {}
        self._deferrals_by_barrier: dict[Any, dict[str, Deferral]] = {}
        self._deferrals_by_barrier_status: dict[Any, dict[str, Deferral]] = {}
        self._permits_by_holder_status: dict[Any, dict[str, Permit]] = {}
        self._permits_by_well_status: dict[Any, dict[str, Permit]] = {}
        self._permits_by_well_work_status: dict[Any, dict[str, Permit]] = {}
        for well in self.wells.values():
            self._link("wells", well)
        for barrier in self.barriers.values():
            self._link("barriers", barrier)
        for deferral in self.deferrals.values():
            self._link("deferrals", deferral)
        for permit in self.permits.values():
            self._link("permits", permit)

    def tests_due(
        self,
        by_day: Date,
        platform_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Barriers whose test is due by a day, the earliest first, with their deferral.

        Args:
            by_day (str): Last due day that is listed, as YYYY-MM-DD.
            platform_id (str, optional): Only barriers on this platform; an id such as PLATFORM-00001. If left out,
                the barriers on all platforms are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "barriers": records}} or {"success": False, "error": why
                not}
        """
        platform = self.platforms.get(platform_id) if platform_id is not None else None
        if platform_id is not None and platform is None:
            return _refused(f"There is no platform {platform_id!r}.")
        found = [
            b
            for b in self.barriers.values()
            if (self._barrier_due(b) <= by_day and self._testable(b))
            and (platform_id is None or self.wells[b["well_id"]]["platform_id"] == platform_id)
        ]
        found.sort(key=lambda b: (self._barrier_due(b), self.wells[b["well_id"]]["name"], b["kind"], _age(b)))
        return _found(
            {
                "total": len(found),
                "barriers": [
                    {
                        "id": b["id"],
                        "well": self.wells[b["well_id"]]["name"],
                        "kind": b["kind"],
                        "envelope": b["envelope"],
                        "due": self._barrier_due(b),
                        "late": self._barrier_due(b) < self.now[:10],
                        "deferral": _id_of(self._open_deferral(b)),
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def envelopes(
        self,
        platform_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Whether the two envelopes of each well are whole and whether a test of them is deferred.

        Args:
            platform_id (str, optional): Only wells on this platform; an id such as PLATFORM-00001. If left out,
                the wells on all platforms are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wells": records}} or {"success": False, "error": why
                not}
        """
        platform = self.platforms.get(platform_id) if platform_id is not None else None
        if platform_id is not None and platform is None:
            return _refused(f"There is no platform {platform_id!r}.")
        found = [w for w in self.wells.values() if (platform_id is None or w["platform_id"] == platform_id)]
        found.sort(key=lambda w: (w["name"], _age(w)))
        return _found(
            {
                "total": len(found),
                "wells": [
                    {
                        "id": w["id"],
                        "name": w["name"],
                        "status": w["status"],
                        "primary_whole": not self._broken(w, "primary"),
                        "secondary_whole": not self._broken(w, "secondary"),
                        "primary_deferred": self._deferred(w, "primary"),
                        "secondary_deferred": self._deferred(w, "secondary"),
                        "late_test": _id_of(self._late(w, self.now[:10])),
                    }
                    for w in _page(found, offset)
                ],
            }
        )

    def permit_clashes(
        self,
        permit_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The permits in force that a permit does not go with.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}} or {"success": False, "error": why
                not}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        found = [q for q in self._clash(permit)]
        found.sort(key=lambda q: (q["starts"], q["id"], _age(q)))
        return _found(
            {
                "total": len(found),
                "permits": [
                    {
                        "id": q["id"],
                        "well": self.wells[q["well_id"]]["name"],
                        "work": q["work"],
                        "holder": self.people[q["holder_id"]]["name"],
                        "starts": q["starts"],
                        "ends": self._permit_ends(q),
                    }
                    for q in _page(found, offset)
                ],
            }
        )

    def list_platforms(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the platforms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only platforms whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "platforms": records}}
        """
        found = [
            platform
            for platform in self.platforms.values()
            if (name is None or name.casefold() in platform["name"].casefold())
        ]
        return _found({"total": len(found), "platforms": [{**platform} for platform in _page(found, offset)]})

    def get_well(self, well_id: str) -> Result:
        """Look up one well by its id.

        Args:
            well_id (str): Id of the well, such as WELL-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        well = self.wells.get(well_id)
        if well is None:
            return _refused(f"There is no well {well_id!r}.")
        shown = self._show_well(well)
        return _found(shown, self._names_of_wells([shown]))

    def list_wells(
        self,
        name: Text | None = None,
        platform_id: str | None = None,
        status: Literal["shut_in", "producing", "killed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the wells, oldest first, all of them or only some.

        Args:
            name (str, optional): Only wells whose name contains this text.
            platform_id (str, optional): Only wells of this platform.
            status (str, optional): Only wells with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "wells": records}}
        """
        if platform_id is not None and platform_id not in self.platforms:
            return _refused(f"There is no platform {platform_id!r}.")
        found = [
            well
            for well in self.wells.values()
            if (name is None or name.casefold() in well["name"].casefold())
            and (platform_id is None or well["platform_id"] == platform_id)
            and (status is None or well["status"] == status)
        ]
        shown = [self._show_well(well) for well in _page(found, offset)]
        return _found({"total": len(found), "wells": shown}, self._names_of_wells(shown))

    def list_barriers(
        self,
        well_id: str | None = None,
        kind: Literal["safety_valve", "packer", "master_valve", "casing"] | None = None,
        envelope: Literal["primary", "secondary"] | None = None,
        condition: Literal["good", "degraded", "failed", "repaired"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the barriers, oldest first, all of them or only some.

        Args:
            well_id (str, optional): Only barriers of this well.
            kind (str, optional): Only barriers with this kind.
            envelope (str, optional): Only barriers with this envelope.
            condition (str, optional): Only barriers with this condition.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "barriers": records}}
        """
        if well_id is not None and well_id not in self.wells:
            return _refused(f"There is no well {well_id!r}.")
        found = [
            barrier
            for barrier in self.barriers.values()
            if (well_id is None or barrier["well_id"] == well_id)
            and (kind is None or barrier["kind"] == kind)
            and (envelope is None or barrier["envelope"] == envelope)
            and (condition is None or barrier["condition"] == condition)
        ]
        shown = [self._show_barrier(barrier) for barrier in _page(found, offset)]
        return _found({"total": len(found), "barriers": shown}, self._names_of_barriers(shown))

    def list_deferrals(
        self,
        barrier_id: str | None = None,
        asked_by_id: str | None = None,
        approver_id: str | None = None,
        status: Literal["requested", "approved", "refused", "over"] | None = None,
        was_due_from: Date | None = None,
        was_due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the deferrals, oldest first, all of them or only some.

        Args:
            barrier_id (str, optional): Only deferrals of this barrier.
            asked_by_id (str, optional): Only deferrals asked by this person.
            approver_id (str, optional): Only deferrals whose approver is this person.
            status (str, optional): Only deferrals with this status.
            was_due_from (str, optional): Only deferrals whose `was_due` is on this day or later.
            was_due_to (str, optional): Only deferrals whose `was_due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "deferrals": records}}
        """
        if barrier_id is not None and barrier_id not in self.barriers:
            return _refused(f"There is no barrier {barrier_id!r}.")
        if asked_by_id is not None and asked_by_id not in self.people:
            return _refused(f"There is no person {asked_by_id!r}.")
        if approver_id is not None and approver_id not in self.people:
            return _refused(f"There is no person {approver_id!r}.")
        found = [
            deferral
            for deferral in self.deferrals.values()
            if (barrier_id is None or deferral["barrier_id"] == barrier_id)
            and (asked_by_id is None or deferral["asked_by_id"] == asked_by_id)
            and (approver_id is None or deferral["approver_id"] == approver_id)
            and (status is None or deferral["status"] == status)
            and (was_due_from is None or deferral["was_due"] >= was_due_from)
            and (was_due_to is None or deferral["was_due"] <= was_due_to)
        ]
        shown = [{**deferral} for deferral in _page(found, offset)]
        return _found({"total": len(found), "deferrals": shown}, self._names_of_deferrals(shown))

    def list_permits(
        self,
        well_id: str | None = None,
        work: Literal["hot_work", "intervention", "maintenance"] | None = None,
        holder_id: str | None = None,
        issued_by_id: str | None = None,
        status: Literal["requested", "issued", "cancelled", "closed"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the permits, oldest first, all of them or only some.

        Args:
            well_id (str, optional): Only permits of this well.
            work (str, optional): Only permits with this work.
            holder_id (str, optional): Only permits whose holder is this person.
            issued_by_id (str, optional): Only permits issued by this person.
            status (str, optional): Only permits with this status.
            starts_from (str, optional): Only permits whose `starts` is on this day or later.
            starts_to (str, optional): Only permits whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "permits": records}}
        """
        if well_id is not None and well_id not in self.wells:
            return _refused(f"There is no well {well_id!r}.")
        if holder_id is not None and holder_id not in self.people:
            return _refused(f"There is no person {holder_id!r}.")
        if issued_by_id is not None and issued_by_id not in self.people:
            return _refused(f"There is no person {issued_by_id!r}.")
        found = [
            permit
            for permit in self.permits.values()
            if (well_id is None or permit["well_id"] == well_id)
            and (work is None or permit["work"] == work)
            and (holder_id is None or permit["holder_id"] == holder_id)
            and (issued_by_id is None or permit["issued_by_id"] == issued_by_id)
            and (status is None or permit["status"] == status)
            and (starts_from is None or permit["starts"][:10] >= starts_from)
            and (starts_to is None or permit["starts"][:10] <= starts_to)
        ]
        shown = [self._show_permit(permit) for permit in _page(found, offset)]
        return _found({"total": len(found), "permits": shown}, self._names_of_permits(shown))

    def list_people(
        self,
        name: Text | None = None,
        role: Literal["integrity_engineer", "offshore_manager", "supervisor"] | None = None,
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

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def record_test(self, barrier_id: str, leak: Annotated[int, {"minimum": 0, "maximum": 20000}]) -> Result:
        """Record a leak test of a barrier; above twice the limit it has failed, and a producing well is shut in.

        Args:
            barrier_id (str): Id of the barrier, such as BARRIER-00001.
            leak (int): Measured leak in millilitres a minute, from 0 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        barrier = self.barriers.get(barrier_id)
        if barrier is None:
            return _refused(f"There is no barrier {barrier_id!r}.")
        if self.wells[barrier["well_id"]]["status"] == "killed":
            return _refused(f"{self.wells[barrier['well_id']]['name']} has been killed, so nothing is tested there.")
        if barrier["condition"] == "failed":
            return _refused(
                f"The {barrier['kind']} of {self.wells[barrier['well_id']]['name']} has failed and has to be "
                "repaired before it is tested."
            )
        if barrier["tested_on"] >= self.now[:10] and barrier["condition"] != "repaired":
            return _refused(f"The {barrier['kind']} of {self.wells[barrier['well_id']]['name']} was tested today.")
        self._journal = []
        changed_deferrals: list[Any] = []
        changed_barriers: list[Any] = []
        changed_wells: list[Any] = []
        changed_wells_2: list[Any] = []
        self._put("barriers", barrier, "leak", leak)
        self._put("barriers", barrier, "tested_on", self.now[:10])
        for d in sorted(self._deferrals_by_barrier_status.get((barrier_id, "approved"), {}).values(), key=_age):
            if d["status"] not in ("approved", "over"):
                return self._take_back(f"Deferral {d['id']} cannot go from {d['status']} to over.")
            changed_deferrals.append(d)
            self._put("deferrals", d, "status", "over")
        for d in sorted(self._deferrals_by_barrier_status.get((barrier_id, "requested"), {}).values(), key=_age):
            if d["status"] not in ("requested", "refused"):
                return self._take_back(f"Deferral {d['id']} cannot go from {d['status']} to refused.")
            changed_deferrals.append(d)
            self._put("deferrals", d, "status", "refused")
        if leak <= barrier["limit"]:
            if barrier["condition"] not in ("good", "degraded", "repaired"):
                return self._take_back(f"Barrier {barrier['id']} cannot go from {barrier['condition']} to good.")
            changed_barriers.append(barrier)
            self._put("barriers", barrier, "condition", "good")
        else:
            if leak <= 2 * barrier["limit"]:
                if barrier["condition"] not in ("good", "degraded", "repaired"):
                    return self._take_back(
                        f"Barrier {barrier['id']} cannot go from {barrier['condition']} to degraded."
                    )
                changed_barriers.append(barrier)
                self._put("barriers", barrier, "condition", "degraded")
            else:
                changed_barriers.append(barrier)
                self._put("barriers", barrier, "condition", "failed")
                if self.wells[barrier["well_id"]]["status"] == "producing":
                    well = self.wells[barrier["well_id"]]
                    changed_wells.append(well)
                    self._put("wells", well, "shut_for", "failed barrier")
                    its_well = self.wells[barrier["well_id"]]
                    changed_wells_2.append(its_well)
                    self._put("wells", its_well, "status", "shut_in")
        for one_well in _distinct([*[self.wells[one["well_id"]] for one in changed_barriers], *changed_wells_2]):
            if self._breaks_rule_1(one_well):
                return self._take_back(RULES[0])
        for one_well in _distinct([*changed_wells, *changed_wells_2]):
            if self._breaks_rule_2(one_well):
                return self._take_back(RULES[1])
        for one_deferral in _distinct(changed_deferrals):
            if self._breaks_rule_3(one_deferral):
                return self._take_back(RULES[2])
        for one_well in _distinct(
            [self.wells[one["well_id"]] for one in [self.barriers[one["barrier_id"]] for one in changed_deferrals]]
        ):
            if self._breaks_rule_4(one_well):
                return self._take_back(RULES[3])
        for one_permit in _distinct(
            [
                user
                for one in changed_wells_2
                for user in self._permits_by_well_work_status.get((one["id"], "intervention", "issued"), {}).values()
            ]
        ):
            if self._breaks_rule_8(one_permit):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: record a leak of {leak} at the {barrier['kind']} of {self.wells[barrier['well_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def repair_barrier(self, barrier_id: str, permit_id: str) -> Result:
        """Report a barrier as repaired under a permit in force for an intervention; it counts again once it has been
        tested.

        Args:
            barrier_id (str): Id of the barrier, such as BARRIER-00001.
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        barrier = self.barriers.get(barrier_id)
        if barrier is None:
            return _refused(f"There is no barrier {barrier_id!r}.")
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if barrier["condition"] not in ("degraded", "failed"):
            return _refused(
                f"The {barrier['kind']} of {self.wells[barrier['well_id']]['name']} is {barrier['condition']}."
            )
        if self.wells[barrier["well_id"]]["status"] not in ("shut_in", "killed"):
            return _refused(
                f"{self.wells[barrier['well_id']]['name']} is {self.wells[barrier['well_id']]['status']}, and "
                "repairs are made in wells that are shut in or killed."
            )
        if permit["well_id"] != barrier["well_id"] or permit["work"] != "intervention":
            return _refused(f"The permit is not for an intervention on {self.wells[barrier['well_id']]['name']}.")
        if permit["status"] != "issued":
            return _refused(f"The permit for {self.wells[permit['well_id']]['name']} is {permit['status']}.")
        if permit["starts"] > self.now:
            return _refused(f"The permit for {self.wells[permit['well_id']]['name']} begins at {permit['starts']}.")
        self._journal = []
        self._put("barriers", barrier, "condition", "repaired")
        if self._breaks_rule_1(self.wells[barrier["well_id"]]):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: repair the {barrier['kind']} of {self.wells[barrier['well_id']]['name']}.",
            "data": self._changes(),
        }

    def open_well(self, well_id: str) -> Result:
        """Open a well that is shut in, when both envelopes are whole, no test is late and no intervention is in
        force.

        Args:
            well_id (str): Id of the well, such as WELL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        well = self.wells.get(well_id)
        if well is None:
            return _refused(f"There is no well {well_id!r}.")
        if well["status"] != "shut_in":
            return _refused(f"{well['name']} is {well['status']}.")
        bad = next(
            (
                b
                for b in sorted(self._barriers_by_well.get(well_id, {}).values(), key=_age)
                if b["condition"] in ("failed", "repaired")
            ),
            None,
        )
        if bad is not None:
            return _refused(f"The {bad['kind']} of {well['name']} is {bad['condition']}.")
        overdue = self._late(well, self.now[:10])
        if overdue is not None:
            return _refused(
                f"The test of the {overdue['kind']} of {well['name']} was due on {self._barrier_due(overdue)}."
            )
        busy = next(
            (
                p
                for p in sorted(
                    self._permits_by_well_work_status.get((well_id, "intervention", "issued"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if busy is not None:
            return _refused(
                f"{self.people[busy['holder_id']]['name']} has a permit for an intervention on {well['name']}, so "
                "close that first."
            )
        self._journal = []
        self._put("wells", well, "shut_for", None)
        self._put("wells", well, "status", "producing")
        if self._breaks_rule_1(well):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(well):
            return self._take_back(RULES[1])
        for one_permit in _distinct(
            self._permits_by_well_work_status.get((well["id"], "intervention", "issued"), {}).values()
        ):
            if self._breaks_rule_8(one_permit):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: open {well['name']}.", "data": self._changes()}

    def shut_in_well(self, well_id: str, reason: Text) -> Result:
        """Shut a producing well in, or take a killed one back after the workover, once nothing in it has failed.

        Args:
            well_id (str): Id of the well, such as WELL-00001.
            reason (str): Why the well is shut in.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        well = self.wells.get(well_id)
        if well is None:
            return _refused(f"There is no well {well_id!r}.")
        if well["status"] not in ("producing", "killed"):
            return _refused(f"{well['name']} is {well['status']}.")
        if well["status"] != "producing" and self._well_failed(well) != 0:
            return _refused(
                f"{well['name']} has {self._well_failed(well)} failed barriers, and a killed well is taken back "
                "only when they are repaired."
            )
        self._journal = []
        self._put("wells", well, "shut_for", reason)
        self._put("wells", well, "status", "shut_in")
        if self._breaks_rule_1(well):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(well):
            return self._take_back(RULES[1])
        for one_permit in _distinct(
            self._permits_by_well_work_status.get((well["id"], "intervention", "issued"), {}).values()
        ):
            if self._breaks_rule_8(one_permit):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: shut {well['name']} in for {reason}.", "data": self._changes()}

    def kill_well(self, well_id: str) -> Result:
        """Kill a well that is shut in, with heavy fluid, because a barrier in it has failed.

        Args:
            well_id (str): Id of the well, such as WELL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        well = self.wells.get(well_id)
        if well is None:
            return _refused(f"There is no well {well_id!r}.")
        if well["status"] != "shut_in":
            return _refused(f"{well['name']} is {well['status']}.")
        if self._well_failed(well) <= 0:
            return _refused(f"{well['name']} has no failed barrier, so it is not killed.")
        self._journal = []
        self._put("wells", well, "shut_for", "killed with heavy fluid")
        self._put("wells", well, "status", "killed")
        if self._breaks_rule_1(well):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(well):
            return self._take_back(RULES[1])
        for one_permit in _distinct(
            self._permits_by_well_work_status.get((well["id"], "intervention", "issued"), {}).values()
        ):
            if self._breaks_rule_8(one_permit):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: kill {well['name']}.", "data": self._changes()}

    def request_deferral(self, barrier_id: str, by_id: str, until: Date, reason: Text) -> Result:
        """Ask for the test of a good barrier that is not late to be put off.

        Args:
            barrier_id (str): Id of the barrier, such as BARRIER-00001.
            by_id (str): Integrity engineer who asks for the deferral; an id such as PERSON-00001.
            until (str): New day by which the test is due, at most 90 days later, as YYYY-MM-DD.
            reason (str): Why the test cannot be made in time.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        barrier = self.barriers.get(barrier_id)
        if barrier is None:
            return _refused(f"There is no barrier {barrier_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if by["role"] != "integrity_engineer":
            return _refused(f"{by['name']} is not an integrity engineer.")
        if self.wells[barrier["well_id"]]["status"] == "killed":
            return _refused(f"{self.wells[barrier['well_id']]['name']} has been killed.")
        if barrier["condition"] != "good":
            return _refused(
                f"The {barrier['kind']} of {self.wells[barrier['well_id']]['name']} is {barrier['condition']}, "
                "and only good ones may wait."
            )
        if self._barrier_due(barrier) < self.now[:10]:
            return _refused(
                f"The test was due on {self._barrier_due(barrier)}, so it is late and has to be made, not put off."
            )
        open = self._open_deferral(barrier)
        if open is not None:
            return _refused(f"A deferral until {open['until']} is {open['status']} for it.")
        if self._barrier_due(barrier) >= until or until > _plus_days(self._barrier_due(barrier), 90):
            return _refused(
                f"The test is due on {self._barrier_due(barrier)} and may wait until "
                f"{_plus_days(self._barrier_due(barrier), 90)} at most."
            )
        if sum(
            1
            for d in self._deferrals_by_barrier.get(barrier_id, {}).values()
            if d["status"] in ("approved", "over")
            and d["until"] > barrier["tested_on"]
        ) >= 2:
            return _refused("The test was put off twice already.")
        self._journal = []
        deferral: Deferral = {
            "id": self._new_id("deferral", "DEFERRAL", self.deferrals),
            "barrier_id": barrier_id,
            "asked_by_id": by_id,
            "approver_id": None,
            "was_due": self._barrier_due(barrier),
            "until": until,
            "reason": reason,
            "status": "requested",
        }
        self._add("deferrals", deferral)
        if self._breaks_rule_3(deferral):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.wells[self.barriers[deferral["barrier_id"]]["well_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(deferral):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(deferral):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: ask for the {barrier['kind']} of {self.wells[barrier['well_id']]['name']} to wait until "
                f"{until} (new: deferral {deferral['id']})."
            ),
            "data": {"deferral_id": deferral["id"], **self._changes()},
        }

    def decide_deferral(self, deferral_id: str, by_id: str, approved: bool) -> Result:
        """Approve or refuse a deferral as an integrity engineer who did not ask for it.

        Args:
            deferral_id (str): Id of the deferral, such as DEFERRAL-00001.
            by_id (str): Integrity engineer who decides and did not ask for it; an id such as PERSON-00001.
            approved (bool): Whether the test may be put off.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        deferral = self.deferrals.get(deferral_id)
        if deferral is None:
            return _refused(f"There is no deferral {deferral_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if deferral["status"] != "requested":
            return _refused(f"The deferral is {deferral['status']}.")
        if by["role"] != "integrity_engineer" or by_id == deferral["asked_by_id"]:
            return _refused(f"{by['name']} may not decide this, it takes another integrity engineer.")
        if approved and deferral["was_due"] < self.now[:10]:
            return _refused(f"The test was due on {deferral['was_due']}, so it is too late to put it off.")
        if (
            approved
            and self._deferred(
                self.wells[self.barriers[deferral["barrier_id"]]["well_id"]],
                self._other(self.barriers[deferral["barrier_id"]]["envelope"]),
            )
        ):
            return _refused(
                f"The other envelope of {self.wells[self.barriers[deferral['barrier_id']]['well_id']]['name']} "
                "has a deferral in force."
            )
        self._journal = []
        self._put("deferrals", deferral, "approver_id", by_id)
        status = "approved" if approved else "refused"
        self._put("deferrals", deferral, "status", status)
        if self._breaks_rule_3(deferral):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(self.wells[self.barriers[deferral["barrier_id"]]["well_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_6(deferral):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: decide about the {self.barriers[deferral['barrier_id']]['kind']} of "
                f"{self.wells[self.barriers[deferral['barrier_id']]['well_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def request_permit(
        self,
        well_id: str,
        work: Literal["hot_work", "intervention", "maintenance"],
        holder_id: str,
        starts: DateTime,
        lasts: Annotated[int, {"minimum": 1, "maximum": 96}],
    ) -> Result:
        """Request a permit to work on a well for some hours.

        Args:
            well_id (str): Id of the well, such as WELL-00001.
            work (str): Kind of work on the well: hot_work, intervention or maintenance.
            holder_id (str): Supervisor who is to hold the permit; an id such as PERSON-00001.
            starts (str): Start of the work, within the next 30 days, as YYYY-MM-DDTHH:MM.
            lasts (int): Duration of the work in hours, from 1 to 96.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        well = self.wells.get(well_id)
        if well is None:
            return _refused(f"There is no well {well_id!r}.")
        holder = self.people.get(holder_id)
        if holder is None:
            return _refused(f"There is no person {holder_id!r}.")
        if holder["role"] != "supervisor":
            return _refused(f"{holder['name']} is not a supervisor and cannot hold a permit.")
        if self.now > starts or starts > _plus_minutes(self.now, 30 * 1440):
            return _refused("Permits begin within the next thirty days.")
        self._journal = []
        permit: Permit = {
            "id": self._new_id("permit", "PERMIT", self.permits),
            "well_id": well_id,
            "work": work,
            "holder_id": holder_id,
            "starts": starts,
            "lasts": lasts,
            "issued_by_id": None,
            "status": "requested",
        }
        self._add("permits", permit)
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(permit):
            return self._take_back(RULES[7])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_permit):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(permit):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: request {work} on {well['name']} for {holder['name']} from {starts} (new: permit "
                f"{permit['id']})."
            ),
            "data": {"permit_id": permit["id"], **self._changes()},
        }

    def issue_permit(self, permit_id: str, by_id: str) -> Result:
        """Issue a requested permit as the offshore manager.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.
            by_id (str): Offshore manager who issues the permit; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if permit["status"] != "requested":
            return _refused(f"The permit is {permit['status']}.")
        if by["role"] != "offshore_manager":
            return _refused(f"{by['name']} is not the offshore manager.")
        if self._permit_ends(permit) <= self.now:
            return _refused(f"The time of the permit ended at {self._permit_ends(permit)}.")
        if permit["work"] == "intervention" and self.wells[permit["well_id"]]["status"] == "producing":
            return _refused(f"{self.wells[permit['well_id']]['name']} is producing, so shut it in first.")
        other_one = next((each for each in self._clash(permit)), None)
        if other_one is not None:
            return _refused(
                f"{other_one['work']} by {self.people[other_one['holder_id']]['name']} on "
                f"{self.wells[other_one['well_id']]['name']} from {other_one['starts']} to "
                f"{self._permit_ends(other_one)} does not go with it."
            )
        held = self._engaged(self.people[permit["holder_id"]], permit["starts"], self._permit_ends(permit))
        if held is not None:
            return _refused(
                f"{self.people[permit['holder_id']]['name']} has a permit for "
                f"{self.wells[held['well_id']]['name']} from {held['starts']} to {self._permit_ends(held)}."
            )
        if self._crowd(permit) >= self.platforms[self.wells[permit["well_id"]]["platform_id"]]["most_permits"]:
            return _refused(
                f"{self.platforms[self.wells[permit['well_id']]['platform_id']]['name']} has as many permits in "
                "force then as it can watch over."
            )
        self._journal = []
        self._put("permits", permit, "issued_by_id", by_id)
        self._put("permits", permit, "status", "issued")
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(permit):
            return self._take_back(RULES[7])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_permit):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(permit):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: issue the permit for {permit['work']} on {self.wells[permit['well_id']]['name']}.",
            "data": self._changes(),
        }

    def close_permit(self, permit_id: str) -> Result:
        """Close a permit in force when the work is done.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] != "issued":
            return _refused(f"The permit is {permit['status']}.")
        self._journal = []
        self._put("permits", permit, "status", "closed")
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(permit):
            return self._take_back(RULES[7])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_permit):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(permit):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: close the permit of {self.people[permit['holder_id']]['name']} on "
                f"{self.wells[permit['well_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def cancel_permit(self, permit_id: str) -> Result:
        """Cancel a permit that is requested or in force and has not begun.

        Args:
            permit_id (str): Id of the permit, such as PERMIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        permit = self.permits.get(permit_id)
        if permit is None:
            return _refused(f"There is no permit {permit_id!r}.")
        if permit["status"] not in ("requested", "issued"):
            return _refused(f"The permit is {permit['status']}.")
        if permit["status"] != "requested" and permit["starts"] <= self.now:
            return _refused(f"The permit has been in force since {permit['starts']}, so close it.")
        self._journal = []
        self._put("permits", permit, "status", "cancelled")
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_permit):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(permit):
            return self._take_back(RULES[7])
        for one_permit in _distinct(
            [
                permit,
                *[
                    user
                    for one in self._wells_by_platform.get(self.wells[permit["well_id"]]["platform_id"], {}).values()
                    for user in self._permits_by_well_status.get((one["id"], "issued"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_permit):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(permit):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(permit):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: cancel the permit of {self.people[permit['holder_id']]['name']} on "
                f"{self.wells[permit['well_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def _show_well(self, well: Well) -> dict[str, Any]:
        """The well as an answer shows it."""
        return {**well, "failed": self._well_failed(well)}

    def _show_barrier(self, barrier: Barrier) -> dict[str, Any]:
        """The barrier as an answer shows it."""
        return {**barrier, "due": self._barrier_due(barrier)}

    def _show_permit(self, permit: Permit) -> dict[str, Any]:
        """The permit as an answer shows it."""
        return {**permit, "ends": self._permit_ends(permit)}

    def _names_of_wells(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that wells point to."""
        return _names((self.platforms, "name", [row["platform_id"] for row in shown]))

    def _names_of_barriers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that barriers point to."""
        return _names((self.wells, "name", [row["well_id"] for row in shown]))

    def _names_of_deferrals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that deferrals point to."""
        return _names(
            (self.people, "name", [row["asked_by_id"] for row in shown]),
            (self.people, "name", [row["approver_id"] for row in shown]),
        )

    def _names_of_permits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that permits point to."""
        return _names(
            (self.wells, "name", [row["well_id"] for row in shown]),
            (self.people, "name", [row["holder_id"] for row in shown]),
            (self.people, "name", [row["issued_by_id"] for row in shown]),
        )

    def _well_failed(self, well: Well) -> int:
        """The failed of a well."""
        return len(self._barriers_by_well_condition.get((well["id"], "failed"), {}))

    def _barrier_due(self, barrier: Barrier) -> str:
        """The due of a barrier."""
        return max(
            _plus_days(
                barrier["tested_on"],
                barrier["interval"] // 2 if barrier["condition"] == "degraded" else barrier["interval"],
            ),
            self._put_off_until(barrier),
        )

    def _permit_ends(self, permit: Permit) -> str:
        """The ends of a permit."""
        return _plus_minutes(permit["starts"], permit["lasts"] * 60)

    def _put_off_until(self, b: Barrier) -> str:
        return (
            max(
                (d["until"] for d in self._deferrals_by_barrier_status.get((b["id"], "approved"), {}).values()),
                default=None,
            )
            if max(
                (d["until"] for d in self._deferrals_by_barrier_status.get((b["id"], "approved"), {}).values()),
                default=None,
            ) is not None
            else b["tested_on"]
        )

    def _open_deferral(self, b: Barrier) -> Deferral | None:
        return next(
            (
                d
                for d in sorted(self._deferrals_by_barrier.get(b["id"], {}).values(), key=_age)
                if d["status"] in ("requested", "approved")
            ),
            None,
        )

    def _deferred(self, w: Well, envelope: str) -> bool:
        return any(
            self.barriers[d["barrier_id"]]["envelope"] == envelope
            for _barrier in self._barriers_by_well.get(w["id"], {}).values()
            for d in self._deferrals_by_barrier_status.get((_barrier["id"], "approved"), {}).values()
        )

    def _other(self, e: str) -> str:
        return "secondary" if e == "primary" else "primary"

    def _broken(self, w: Well, e: str) -> bool:
        return any(
            b["condition"] in ("failed", "repaired")
            for b in self._barriers_by_well_envelope.get((w["id"], e), {}).values()
        )

    def _late(self, w: Well, d: str) -> Barrier | None:
        return next(
            (
                b
                for b in sorted(self._barriers_by_well.get(w["id"], {}).values(), key=_age)
                if self._barrier_due(b) < d
            ),
            None,
        )

    def _testable(self, b: Barrier) -> bool:
        return b["condition"] != "failed" and self.wells[b["well_id"]]["status"] != "killed"

    def _clash(self, p: Permit) -> list[Permit]:
        return [
            q
            for q in sorted(
                [
                    q
                    for _well in self._wells_by_platform.get(self.wells[p["well_id"]]["platform_id"], {}).values()
                    for q in self._permits_by_well_status.get((_well["id"], "issued"), {}).values()
                ],
                key=_age,
            )
            if q is not p
            and _overlap(q["starts"], self._permit_ends(q), p["starts"], self._permit_ends(p))
            and (
                q["well_id"] == p["well_id"]
                or q["work"] != p["work"]
                and q["work"] != "maintenance"
                and p["work"] != "maintenance"
            )
        ]

    def _crowd(self, p: Permit) -> int:
        return sum(
            1
            for _well in self._wells_by_platform.get(self.wells[p["well_id"]]["platform_id"], {}).values()
            for q in self._permits_by_well_status.get((_well["id"], "issued"), {}).values()
            if q is not p
            and _overlap(q["starts"], self._permit_ends(q), p["starts"], self._permit_ends(p))
        )

    def _engaged(self, h: Person, a: str, b: str) -> Permit | None:
        return next(
            (
                q
                for q in sorted(self._permits_by_holder_status.get((h["id"], "issued"), {}).values(), key=_age)
                if _overlap(q["starts"], self._permit_ends(q), a, b)
            ),
            None,
        )

    def _breaks_rule_1(self, w: Well) -> bool:
        """Whether this is broken: a producing well has two whole envelopes, without a failed barrier or one that was
        repaired and not tested.
        """
        return w["status"] == "producing" and (self._broken(w, "primary") or self._broken(w, "secondary"))

    def _breaks_rule_2(self, w: Well) -> bool:
        """Whether this is broken: a well that is shut in or killed says why, and a producing one does not."""
        return (w["status"] == "producing") != (w["shut_for"] is None)

    def _breaks_rule_3(self, d: Deferral) -> bool:
        """Whether this is broken: a barrier has one deferral at a time that is asked for or in force."""
        return (
            d["status"] in ("requested", "approved")
            and any(
                other_d is not d
                for other_d in self._deferrals_by_barrier.get(d["barrier_id"], {}).values()
                if other_d["status"] in ("requested", "approved")
            )
        )

    def _breaks_rule_4(self, w: Well) -> bool:
        """Whether this is broken: the tests of both envelopes of a well are never deferred together."""
        return self._deferred(w, "primary") and self._deferred(w, "secondary")

    def _breaks_rule_5(self, d: Deferral) -> bool:
        """Whether this is broken: a deferral ends at most 90 days after the test was due."""
        return d["was_due"] >= d["until"] or d["until"] > _plus_days(d["was_due"], 90)

    def _breaks_rule_6(self, d: Deferral) -> bool:
        """Whether this is broken: a deferral is approved by another integrity engineer than the one who asked."""
        return not (
            d["approver_id"] is None
            or d["approver_id"] != d["asked_by_id"]
            and self.people[d["approver_id"]]["role"] == "integrity_engineer"
        )

    def _breaks_rule_7(self, p: Permit) -> bool:
        """Whether this is broken: two permits in force on one well never meet, nor do hot work and an intervention on
        one platform.
        """
        return p["status"] == "issued" and len(self._clash(p)) != 0

    def _breaks_rule_8(self, p: Permit) -> bool:
        """Whether this is broken: an intervention is only in force on a well that is not producing."""
        return (
            p["status"] == "issued"
            and p["work"] == "intervention"
            and self.wells[p["well_id"]]["status"] == "producing"
        )

    def _breaks_rule_9(self, p: Permit) -> bool:
        """Whether this is broken: a platform never has more permits in force at a time than it can watch over."""
        return (
            p["status"] == "issued"
            and self._crowd(p) >= self.platforms[self.wells[p["well_id"]]["platform_id"]]["most_permits"]
        )

    def _breaks_rule_10(self, p: Permit) -> bool:
        """Whether this is broken: nobody holds two permits in force for the same time."""
        return (
            p["status"] == "issued"
            and any(
                _overlap(p["starts"], self._permit_ends(p), q["starts"], self._permit_ends(q))
                for q in self._permits_by_holder_status.get((p["holder_id"], "issued"), {}).values()
                if p is not q
            )
        )

    def _breaks_rule_11(self, p: Permit) -> bool:
        """Whether this is broken: a permit in force was issued by the offshore manager."""
        return (
            p["status"] == "issued"
            and (p["issued_by_id"] is None or self.people[p["issued_by_id"]]["role"] != "offshore_manager")
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
            case "wells":
                self._wells_by_platform.setdefault(record["platform_id"], {})[record["id"]] = record
            case "barriers":
                self._barriers_by_well.setdefault(record["well_id"], {})[record["id"]] = record
                self._barriers_by_well_condition.setdefault(
                    (record["well_id"], record["condition"]),
                    {},
                )[record["id"]] = record
                self._barriers_by_well_envelope.setdefault(
                    (record["well_id"], record["envelope"]),
                    {},
                )[record["id"]] = record
            case "deferrals":
                self._deferrals_by_barrier.setdefault(record["barrier_id"], {})[record["id"]] = record
                self._deferrals_by_barrier_status.setdefault(
                    (record["barrier_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "permits":
                self._permits_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._permits_by_well_status.setdefault((record["well_id"], record["status"]), {})[record["id"]] = record
                self._permits_by_well_work_status.setdefault(
                    (record["well_id"], record["work"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "wells":
                del self._wells_by_platform[record["platform_id"]][record["id"]]
            case "barriers":
                del self._barriers_by_well[record["well_id"]][record["id"]]
                del self._barriers_by_well_condition[record["well_id"], record["condition"]][record["id"]]
                del self._barriers_by_well_envelope[record["well_id"], record["envelope"]][record["id"]]
            case "deferrals":
                del self._deferrals_by_barrier[record["barrier_id"]][record["id"]]
                del self._deferrals_by_barrier_status[record["barrier_id"], record["status"]][record["id"]]
            case "permits":
                del self._permits_by_holder_status[record["holder_id"], record["status"]][record["id"]]
                del self._permits_by_well_status[record["well_id"], record["status"]][record["id"]]
                del self._permits_by_well_work_status[record["well_id"], record["work"], record["status"]][record["id"]]
