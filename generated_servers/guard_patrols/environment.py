"""Guard patrols. Compiled from blueprint.yaml; run `envscaler build guard_patrols` after changing it there.

Runs the guards of a security company at its customers' sites - shifts with rest and licences, rounds past
checkpoints in order, keys signed out and incidents found on the way.
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
    "Between two shifts of a guard lie at least eleven hours.",
    "A shift lasts four to twelve hours.",
    "A guard works no more than 48 hours a week.",
    "A guard's licence is valid until the end of each shift ahead.",
    "Guards have what their site needs.",
    "A guard is on one shift at a time.",
    "A guard walks one round at a time, on the site of the shift.",
    "A key is only with a guard who is on shift at its site.",
    "A round that is complete skipped nothing, and an incomplete one did.",
    "A closed incident says how it ended, with a reference of the police where it was severe.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_shift",
    "reassign_shift",
    "cancel_shift",
    "begin_shift",
    "end_shift",
    "start_round",
    "pass_checkpoint",
    "sign_out_key",
    "return_key",
    "report_incident",
    "close_incident",
    "renew_licence",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "sites": ("name",),
    "guards": ("name",),
    "shifts": (),
    "keys": ("label",),
    "checkpoints": ("name",),
    "rounds": (),
    "incidents": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("checkpoints", "site_id"),
    ("incidents", "checkpoint_id"),
    ("incidents", "found_by_id"),
    ("incidents", "kind"),
    ("incidents", "status"),
    ("keys", "holder_id"),
    ("rounds", "guard_id"),
    ("rounds", "status"),
    ("shifts", "guard_id"),
    ("shifts", "site_id"),
    ("shifts", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Site(TypedDict):
    id: str
    name: str
    posts: int
    needs: Literal["first_aid", "hazmat", "dog"] | None


class Guard(TypedDict):
    id: str
    name: str
    licence_until: str
    skills: list[Literal["first_aid", "hazmat", "dog"]]


class Shift(TypedDict):
    id: str
    guard_id: str
    site_id: str
    starts: str
    ends: str
    status: Literal["planned", "on", "done"]


class Key(TypedDict):
    id: str
    label: str
    site_id: str
    holder_id: str | None


class Checkpoint(TypedDict):
    id: str
    name: str
    site_id: str
    position: int
    key_id: str | None


class Round(TypedDict):
    id: str
    guard_id: str
    site_id: str
    started_at: str
    reached: int
    skipped_ids: list[str]
    status: Literal["running", "complete", "incomplete", "broken_off"]


class Incident(TypedDict):
    id: str
    checkpoint_id: str
    found_by_id: str
    kind: Literal["broken_lock", "intruder", "fire", "leak", "damage", "lights_out"]
    severe: bool
    found_at: str
    outcome: str | None
    police_ref: str | None
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


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


class GuardPatrols:
    """Runs the guards of a security company at its customers' sites - shifts with rest and licences,
    rounds past checkpoints in order, keys signed out and incidents found on the way.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.sites: dict[str, Site] = _copied(config.get("sites", {}))
        self.guards: dict[str, Guard] = _copied(config.get("guards", {}))
        self.shifts: dict[str, Shift] = _copied(config.get("shifts", {}))
        self.keys: dict[str, Key] = _copied(config.get("keys", {}))
        self.checkpoints: dict[str, Checkpoint] = _copied(config.get("checkpoints", {}))
        self.rounds: dict[str, Round] = _copied(config.get("rounds", {}))
        self.incidents: dict[str, Incident] = _copied(config.get("incidents", {}))
        self.now: str = config.get("now", "2026-06-09T22:40")
        self.counters: dict[str, int] = {
            "site": len(self.sites),
            "guard": len(self.guards),
            "shift": len(self.shifts),
            "key": len(self.keys),
            "checkpoint": len(self.checkpoints),
            "round": len(self.rounds),
            "incident": len(self.incidents),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._shifts_by_guard: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_guard_status: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_site: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_status: dict[Any, dict[str, Shift]] = {}
        self._keys_by_holder: dict[Any, dict[str, Key]] = {}
        self._checkpoints_by_site: dict[Any, dict[str, Checkpoint]] = {}
        self._rounds_by_guard_status: dict[Any, dict[str, Round]] = {}
        self._incidents_by_checkpoint_kind_status: dict[Any, dict[str, Incident]] = {}
        self._incidents_by_found_by_status: dict[Any, dict[str, Incident]] = {}
        for shift in self.shifts.values():
            self._link("shifts", shift)
        for key in self.keys.values():
            self._link("keys", key)
        for checkpoint in self.checkpoints.values():
            self._link("checkpoints", checkpoint)
        for round in self.rounds.values():
            self._link("rounds", round)
        for incident in self.incidents.values():
            self._link("incidents", incident)

    def who_can_take(self, shift_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Guards who could take a planned shift as far as training, licence, rest and hours go, those with the least
        work in that week first.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guards": records}} or {"success": False, "error": why
                not}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        found = [
            g
            for g in self.guards.values()
            if g["id"] != shift["guard_id"]
            and (
                self.sites[shift["site_id"]]["needs"] is None
                or self.sites[shift["site_id"]]["needs"] in g["skills"]
            )
            and shift["ends"][:10] <= g["licence_until"]
            and self._resting(g, shift["starts"], shift["ends"])
            and self._week_minutes(g, shift["starts"][:10]) + _minutes_between(
                shift["starts"],
                shift["ends"],
            ) <= 48 * 60
        ]
        found.sort(key=lambda g: (self._week_minutes(g, shift["starts"][:10]), g["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "guards": [
                    {
                        "id": g["id"],
                        "name": g["name"],
                        "minutes_that_week": self._week_minutes(g, shift["starts"][:10]),
                        "licence_until": g["licence_until"],
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def on_duty(
        self,
        site_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The guards on duty, with the keys they hold and the round they walk.

        Args:
            site_id (str, optional): Site where the guards are on duty; an id such as SITE-00001. If left out, the
                guards of all sites are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}} or {"success": False, "error": why
                not}
        """
        site = self.sites.get(site_id) if site_id is not None else None
        if site_id is not None and site is None:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            s
            for s in self._shifts_by_status.get("on", {}).values()
            if (site_id is None or s["site_id"] == site_id)
        ]
        found.sort(key=lambda s: (self.sites[s["site_id"]]["name"], self.guards[s["guard_id"]]["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "shifts": [
                    {
                        "shift": s["id"],
                        "guard": self.guards[s["guard_id"]]["name"],
                        "site": self.sites[s["site_id"]]["name"],
                        "ends": s["ends"],
                        "keys": [
                            *[
                                k["label"]
                                for k in sorted(self._keys_by_holder.get(s["guard_id"], {}).values(), key=_age)
                            ]
                        ],
                        "on_a_round": self._walking(self.guards[s["guard_id"]]) is not None,
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def checkpoints_left(
        self,
        guard_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What a running round has still to pass, in order.

        Args:
            guard_id (str): Id of the guard, such as GUARD-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "checkpoints": records}} or {"success": False, "error":
                why not}
        """
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        walk = self._walking(guard)
        if walk is None:
            return _refused(f"{guard['name']} is not on a round.")
        found = [
            c
            for c in self._checkpoints_by_site.get(walk["site_id"], {}).values()
            if (c["site_id"] == walk["site_id"] and c["position"] > walk["reached"])
        ]
        found.sort(key=lambda c: (c["position"], _age(c)))
        shown = [{**c} for c in _page(found, offset)]
        return _found({"total": len(found), "checkpoints": shown}, self._names_of_checkpoints(shown))

    def list_sites(
        self,
        name: Text | None = None,
        needs: Literal["first_aid", "hazmat", "dog"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sites, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sites whose name contains this text.
            needs (str, optional): Only sites whose `needs` is this.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sites": records}}
        """
        found = [
            site
            for site in self.sites.values()
            if (name is None or name.casefold() in site["name"].casefold())
            and (needs is None or site["needs"] == needs)
        ]
        return _found({"total": len(found), "sites": [self._show_site(site) for site in _page(found, offset)]})

    def list_guards(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guards, oldest first, all of them or only some.

        Args:
            name (str, optional): Only guards whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guards": records}}
        """
        found = [
            guard
            for guard in self.guards.values()
            if (name is None or name.casefold() in guard["name"].casefold())
        ]
        return _found({"total": len(found), "guards": [self._show_guard(guard) for guard in _page(found, offset)]})

    def list_shifts(
        self,
        guard_id: str | None = None,
        site_id: str | None = None,
        status: Literal["planned", "on", "done"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shifts, oldest first, all of them or only some.

        Args:
            guard_id (str, optional): Only shifts of this guard.
            site_id (str, optional): Only shifts of this site.
            status (str, optional): Only shifts with this status.
            starts_from (str, optional): Only shifts whose `starts` is on this day or later.
            starts_to (str, optional): Only shifts whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}}
        """
        if guard_id is not None and guard_id not in self.guards:
            return _refused(f"There is no guard {guard_id!r}.")
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            shift
            for shift in self.shifts.values()
            if (guard_id is None or shift["guard_id"] == guard_id)
            and (site_id is None or shift["site_id"] == site_id)
            and (status is None or shift["status"] == status)
            and (starts_from is None or shift["starts"][:10] >= starts_from)
            and (starts_to is None or shift["starts"][:10] <= starts_to)
        ]
        shown = [self._show_shift(shift) for shift in _page(found, offset)]
        return _found({"total": len(found), "shifts": shown}, self._names_of_shifts(shown))

    def list_keys(
        self,
        label: Text | None = None,
        site_id: str | None = None,
        holder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the keys, oldest first, all of them or only some.

        Args:
            label (str, optional): Only keys whose label contains this text.
            site_id (str, optional): Only keys of this site.
            holder_id (str, optional): Only keys whose holder is this guard.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "keys": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if holder_id is not None and holder_id not in self.guards:
            return _refused(f"There is no guard {holder_id!r}.")
        found = [
            key
            for key in self.keys.values()
            if (label is None or label.casefold() in key["label"].casefold())
            and (site_id is None or key["site_id"] == site_id)
            and (holder_id is None or key["holder_id"] == holder_id)
        ]
        shown = [{**key} for key in _page(found, offset)]
        return _found({"total": len(found), "keys": shown}, self._names_of_keys(shown))

    def list_checkpoints(
        self,
        name: Text | None = None,
        site_id: str | None = None,
        key_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the checkpoints, oldest first, all of them or only some.

        Args:
            name (str, optional): Only checkpoints whose name contains this text.
            site_id (str, optional): Only checkpoints of this site.
            key_id (str, optional): Only checkpoints of this key.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "checkpoints": records}}
        """
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        if key_id is not None and key_id not in self.keys:
            return _refused(f"There is no key {key_id!r}.")
        found = [
            checkpoint
            for checkpoint in self.checkpoints.values()
            if (name is None or name.casefold() in checkpoint["name"].casefold())
            and (site_id is None or checkpoint["site_id"] == site_id)
            and (key_id is None or checkpoint["key_id"] == key_id)
        ]
        shown = [{**checkpoint} for checkpoint in _page(found, offset)]
        return _found({"total": len(found), "checkpoints": shown}, self._names_of_checkpoints(shown))

    def list_rounds(
        self,
        guard_id: str | None = None,
        site_id: str | None = None,
        status: Literal["running", "complete", "incomplete", "broken_off"] | None = None,
        started_at_from: Date | None = None,
        started_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rounds, oldest first, all of them or only some.

        Args:
            guard_id (str, optional): Only rounds of this guard.
            site_id (str, optional): Only rounds of this site.
            status (str, optional): Only rounds with this status.
            started_at_from (str, optional): Only rounds whose `started_at` is on this day or later.
            started_at_to (str, optional): Only rounds whose `started_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rounds": records}}
        """
        if guard_id is not None and guard_id not in self.guards:
            return _refused(f"There is no guard {guard_id!r}.")
        if site_id is not None and site_id not in self.sites:
            return _refused(f"There is no site {site_id!r}.")
        found = [
            round
            for round in self.rounds.values()
            if (guard_id is None or round["guard_id"] == guard_id)
            and (site_id is None or round["site_id"] == site_id)
            and (status is None or round["status"] == status)
            and (started_at_from is None or round["started_at"][:10] >= started_at_from)
            and (started_at_to is None or round["started_at"][:10] <= started_at_to)
        ]
        shown = [self._show_round(round) for round in _page(found, offset)]
        return _found({"total": len(found), "rounds": shown}, self._names_of_rounds(shown))

    def list_incidents(
        self,
        checkpoint_id: str | None = None,
        found_by_id: str | None = None,
        kind: Literal["broken_lock", "intruder", "fire", "leak", "damage", "lights_out"] | None = None,
        severe: bool | None = None,
        status: Literal["open", "closed"] | None = None,
        found_at_from: Date | None = None,
        found_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the incidents, oldest first, all of them or only some.

        Args:
            checkpoint_id (str, optional): Only incidents of this checkpoint.
            found_by_id (str, optional): Only incidents found by this guard.
            kind (str, optional): Only incidents with this kind.
            severe (bool, optional): Only incidents that are severe (true) or not (false).
            status (str, optional): Only incidents with this status.
            found_at_from (str, optional): Only incidents whose `found_at` is on this day or later.
            found_at_to (str, optional): Only incidents whose `found_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "incidents": records}}
        """
        if checkpoint_id is not None and checkpoint_id not in self.checkpoints:
            return _refused(f"There is no checkpoint {checkpoint_id!r}.")
        if found_by_id is not None and found_by_id not in self.guards:
            return _refused(f"There is no guard {found_by_id!r}.")
        found = [
            incident
            for incident in self.incidents.values()
            if (checkpoint_id is None or incident["checkpoint_id"] == checkpoint_id)
            and (found_by_id is None or incident["found_by_id"] == found_by_id)
            and (kind is None or incident["kind"] == kind)
            and (severe is None or incident["severe"] == severe)
            and (status is None or incident["status"] == status)
            and (found_at_from is None or incident["found_at"][:10] >= found_at_from)
            and (found_at_to is None or incident["found_at"][:10] <= found_at_to)
        ]
        shown = [{**incident} for incident in _page(found, offset)]
        return _found({"total": len(found), "incidents": shown}, self._names_of_incidents(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_shift(
        self,
        guard_id: str,
        site_id: str,
        starts: DateTime,
        lasts: Annotated[int, {"minimum": 4, "maximum": 12}],
    ) -> Result:
        """Plan a shift of four to twelve hours for a guard at a site.

        Args:
            guard_id (str): Id of the guard, such as GUARD-00001.
            site_id (str): Id of the site, such as SITE-00001.
            starts (str): Moment at which the shift begins, within the next 60 days, as YYYY-MM-DDTHH:MM.
            lasts (int): Length of the shift, in hours, from 4 to 12.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        site = self.sites.get(site_id)
        if site is None:
            return _refused(f"There is no site {site_id!r}.")
        if starts <= self.now:
            return _refused(f"{starts} is in the past.")
        if starts >= _plus_minutes(self.now, 60 * 1440):
            return _refused("Shifts are planned 60 days ahead at most.")
        ends = _plus_minutes(starts, lasts * 60)
        if site["needs"] is not None and site["needs"] not in guard["skills"]:
            return _refused(f"{site['name']} asks for training that {guard['name']} does not have.")
        if ends[:10] > guard["licence_until"]:
            return _refused(f"The licence of {guard['name']} ends on {guard['licence_until']}, so renew it first.")
        if not self._resting(guard, starts, ends):
            return _refused(f"{guard['name']} has another shift less than eleven hours away.")
        if self._week_minutes(guard, starts[:10]) + lasts * 60 > 48 * 60:
            return _refused(f"{guard['name']} would work more than 48 hours that week.")
        if self._posted(site, starts, ends) >= site["posts"]:
            return _refused(f"All {site['posts']} posts of {site['name']} are filled then.")
        self._journal = []
        shift: Shift = {
            "id": self._new_id("shift", "SHIFT", self.shifts),
            "guard_id": guard_id,
            "site_id": site_id,
            "starts": starts,
            "ends": ends,
            "status": "planned",
        }
        self._add("shifts", shift)
        if self._breaks_rule_1(shift):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(shift):
            return self._take_back(RULES[1])
        for one_shift in _distinct([shift, *self._shifts_by_guard.get(shift["guard_id"], {}).values()]):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shift):
            return self._take_back(RULES[5])
        for one_round in _distinct(self._rounds_by_guard_status.get((shift["guard_id"], "running"), {}).values()):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_key in _distinct(self._keys_by_holder.get(shift["guard_id"], {}).values()):
            if self._breaks_rule_8(one_key):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: plan {guard['name']} at {site['name']} from {starts} for {lasts} hours (new: shift "
                f"{shift['id']})."
            ),
            "data": {"shift_id": shift["id"], **self._changes()},
        }

    def reassign_shift(self, shift_id: str, guard_id: str) -> Result:
        """Give a planned shift to another guard.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.
            guard_id (str): Id of the guard, such as GUARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        if shift["status"] != "planned":
            return _refused(f"The shift of {self.guards[shift['guard_id']]['name']} is {shift['status']}.")
        if guard_id == shift["guard_id"]:
            return _refused(f"{guard['name']} has that shift already.")
        if (
            self.sites[shift["site_id"]]["needs"] is not None
            and self.sites[shift["site_id"]]["needs"] not in guard["skills"]
        ):
            return _refused(
                f"{self.sites[shift['site_id']]['name']} asks for training that {guard['name']} does not have."
            )
        if shift["ends"][:10] > guard["licence_until"]:
            return _refused(f"The licence of {guard['name']} ends on {guard['licence_until']}, so renew it first.")
        if not self._resting(guard, shift["starts"], shift["ends"]):
            return _refused(f"{guard['name']} has another shift less than eleven hours away.")
        if (
            self._week_minutes(guard, shift["starts"][:10])
            + _minutes_between(shift["starts"], shift["ends"]) > 48 * 60
        ):
            return _refused(f"{guard['name']} would work more than 48 hours that week.")
        done = f"give the shift of {self.guards[shift['guard_id']]['name']} at {self.sites[shift['site_id']]['name']} from {shift['starts']} to {guard['name']}"
        self._journal = []
        former_guard_id = shift["guard_id"]
        self._put("shifts", shift, "guard_id", guard_id)
        if self._breaks_rule_1(shift):
            return self._take_back(RULES[0])
        for one_shift in _distinct(
            [
                shift,
                *self._shifts_by_guard.get(shift["guard_id"], {}).values(),
                *self._shifts_by_guard.get(former_guard_id, {}).values(),
            ]
        ):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shift):
            return self._take_back(RULES[5])
        for one_round in _distinct(
            [
                *self._rounds_by_guard_status.get((shift["guard_id"], "running"), {}).values(),
                *self._rounds_by_guard_status.get((former_guard_id, "running"), {}).values(),
            ]
        ):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_key in _distinct(
            [
                *self._keys_by_holder.get(shift["guard_id"], {}).values(),
                *self._keys_by_holder.get(former_guard_id, {}).values(),
            ]
        ):
            if self._breaks_rule_8(one_key):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def cancel_shift(self, shift_id: str) -> Result:
        """Call a planned shift off, or strike one that nobody came to.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] != "planned":
            return _refused(
                f"The shift of {self.guards[shift['guard_id']]['name']} is {shift['status']}, and only a planned "
                "one can be called off."
            )
        self._journal = []
        self._remove("shifts", shift)
        for one_shift in _distinct(self._shifts_by_guard.get(shift["guard_id"], {}).values()):
            if one_shift["id"] in self.shifts and self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_round in _distinct(self._rounds_by_guard_status.get((shift["guard_id"], "running"), {}).values()):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_key in _distinct(self._keys_by_holder.get(shift["guard_id"], {}).values()):
            if self._breaks_rule_8(one_key):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: call the shift of {self.guards[shift['guard_id']]['name']} at "
                f"{self.sites[shift['site_id']]['name']} off."
            ),
            "data": self._changes(),
        }

    def begin_shift(self, shift_id: str) -> Result:
        """Book a guard on duty, from half an hour before the shift starts.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] != "planned":
            return _refused(f"The shift of {self.guards[shift['guard_id']]['name']} is {shift['status']}.")
        if _plus_minutes(shift["starts"], -30) > self.now or self.now >= shift["ends"]:
            return _refused(f"The shift is from {shift['starts']} to {shift['ends']}.")
        other = self._duty(self.guards[shift["guard_id"]])
        if other is not None:
            return _refused(
                f"{self.guards[shift['guard_id']]['name']} is still on duty at "
                f"{self.sites[other['site_id']]['name']}, so end that first."
            )
        self._journal = []
        self._put("shifts", shift, "status", "on")
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shift):
            return self._take_back(RULES[5])
        for one_round in _distinct(self._rounds_by_guard_status.get((shift["guard_id"], "running"), {}).values()):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_key in _distinct(self._keys_by_holder.get(shift["guard_id"], {}).values()):
            if self._breaks_rule_8(one_key):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: book {self.guards[shift['guard_id']]['name']} on duty at "
                f"{self.sites[shift['site_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def end_shift(self, shift_id: str) -> Result:
        """Book a guard off duty, who has no keys and no round left and no severe incident open; before the last half
        hour somebody else must be on duty at the site.

        Args:
            shift_id (str): Id of the shift, such as SHIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        shift = self.shifts.get(shift_id)
        if shift is None:
            return _refused(f"There is no shift {shift_id!r}.")
        if shift["status"] != "on" or shift["starts"] > self.now:
            return _refused(f"The shift of {self.guards[shift['guard_id']]['name']} is not under way.")
        round_left = self._walking(self.guards[shift["guard_id"]])
        if round_left is not None:
            return _refused(f"{self.guards[shift['guard_id']]['name']} is on a round, which must be finished first.")
        key = next((k for k in sorted(self._keys_by_holder.get(shift["guard_id"], {}).values(), key=_age)), None)
        if key is not None:
            return _refused(f"{self.guards[shift['guard_id']]['name']} still holds key {key['label']}.")
        grave = next(
            (
                x
                for x in sorted(
                    self._incidents_by_found_by_status.get((shift["guard_id"], "open"), {}).values(),
                    key=_age,
                )
                if x["severe"]
            ),
            None,
        )
        if grave is not None:
            return _refused(
                f"{self.guards[shift['guard_id']]['name']} has a severe incident open at "
                f"{self.checkpoints[grave['checkpoint_id']]['name']}."
            )
        if not (
            _plus_minutes(shift["ends"], -30) <= self.now
            or any(
                s is not shift
                and s["site_id"] == shift["site_id"]
                for s in self._shifts_by_status.get("on", {}).values()
            )
        ):
            return _refused(
                f"{self.sites[shift['site_id']]['name']} would be left without a guard until {shift['ends']}, so "
                "somebody must come on first."
            )
        self._journal = []
        self._put("shifts", shift, "status", "done")
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(shift):
            return self._take_back(RULES[5])
        for one_round in _distinct(self._rounds_by_guard_status.get((shift["guard_id"], "running"), {}).values()):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_key in _distinct(self._keys_by_holder.get(shift["guard_id"], {}).values()):
            if self._breaks_rule_8(one_key):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: book {self.guards[shift['guard_id']]['name']} off duty at "
                f"{self.sites[shift['site_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def start_round(self, guard_id: str) -> Result:
        """Start a round of a guard on duty.

        Args:
            guard_id (str): Id of the guard, such as GUARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        shift = self._duty(guard)
        if shift is None or _plus_minutes(shift["starts"], -30) > self.now:
            return _refused(f"{guard['name']} is not on duty.")
        other = self._walking(guard)
        if other is not None:
            return _refused(f"{guard['name']} is on a round already, at position {other['reached']}.")
        if self._site_last_point(self.sites[shift["site_id"]]) is None:
            return _refused(f"{self.sites[shift['site_id']]['name']} has no checkpoints.")
        self._journal = []
        round: Round = {
            "id": self._new_id("round", "ROUND", self.rounds),
            "guard_id": guard_id,
            "site_id": shift["site_id"],
            "started_at": self.now,
            "reached": 0,
            "skipped_ids": [record["id"] for record in []],
            "status": "running",
        }
        self._add("rounds", round)
        if self._breaks_rule_7_r(round):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_r_again(round):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(round):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: start a round of {guard['name']} (new: round {round['id']}).",
            "data": {"round_id": round["id"], **self._changes()},
        }

    def pass_checkpoint(self, tour_id: str, checkpoint_id: str, scanned: bool = True) -> Result:
        """Record the next checkpoint of a round as scanned, or as skipped; the last one ends the round.

        Args:
            tour_id (str): Running round on which the checkpoint is next; an id such as ROUND-00001.
            checkpoint_id (str): Id of the checkpoint, such as CHECKPOINT-00001.
            scanned (bool): Whether the checkpoint was scanned, as opposed to skipped. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tour = self.rounds.get(tour_id)
        if tour is None:
            return _refused(f"There is no round {tour_id!r}.")
        checkpoint = self.checkpoints.get(checkpoint_id)
        if checkpoint is None:
            return _refused(f"There is no checkpoint {checkpoint_id!r}.")
        if tour["status"] != "running":
            return _refused(f"That round is {tour['status']}.")
        shift = self._duty(self.guards[tour["guard_id"]])
        if shift is None or _plus_minutes(shift["starts"], -30) > self.now:
            return _refused(f"{self.guards[tour['guard_id']]['name']} is not on duty.")
        if checkpoint["site_id"] != tour["site_id"] or checkpoint["position"] != tour["reached"] + 1:
            return _refused(f"The checkpoint after position {tour['reached']} comes first.")
        if (
            scanned
            and checkpoint["key_id"] is not None
            and self.keys[checkpoint["key_id"]]["holder_id"] != tour["guard_id"]
        ):
            return _refused(
                f"{checkpoint['name']} is locked and {self.guards[tour['guard_id']]['name']} has no key for it; "
                "sign it out or skip the checkpoint."
            )
        self._journal = []
        changed_rounds: list[Any] = []
        changed_rounds_2: list[Any] = []
        reached = tour["reached"] + 1
        if not 0 <= reached <= 12:
            return self._take_back(f"The reached of {tour['id']} must be between 0 and 12.")
        self._put("rounds", tour, "reached", reached)
        if not scanned:
            changed_rounds.append(tour)
            self._put(
                "rounds",
                tour,
                "skipped_ids",
                [record["id"] for record in [self.checkpoints[key] for key in tour["skipped_ids"]] + [checkpoint]],
            )
        if tour["reached"] == self._site_last_point(self.sites[tour["site_id"]]):
            status = "complete" if len(tour["skipped_ids"]) == 0 else "incomplete"
            changed_rounds_2.append(tour)
            self._put("rounds", tour, "status", status)
        for one_round in _distinct(changed_rounds_2):
            if self._breaks_rule_7_r(one_round):
                return self._take_back(RULES[6])
        for one_round in _distinct(changed_rounds_2):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_round in _distinct([*changed_rounds, *changed_rounds_2]):
            if self._breaks_rule_9(one_round):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record {checkpoint['name']} on the round of {self.guards[tour['guard_id']]['name']}.",
            "data": self._changes(),
        }

    def sign_out_key(self, key_id: str, guard_id: str) -> Result:
        """Sign a key out to a guard who is on duty at its site.

        Args:
            key_id (str): Id of the key, such as KEY-00001.
            guard_id (str): Id of the guard, such as GUARD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        key = self.keys.get(key_id)
        if key is None:
            return _refused(f"There is no key {key_id!r}.")
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        if key["holder_id"] is not None:
            return _refused(
                f"Key {key['label']} is with {self.guards[key['holder_id']]['name']}, who must return it first."
            )
        shift = self._duty(guard)
        if shift is None or _plus_minutes(shift["starts"], -30) > self.now:
            return _refused(f"{guard['name']} is not on duty.")
        if shift["site_id"] != key["site_id"]:
            return _refused(
                f"{guard['name']} is on duty at {self.sites[shift['site_id']]['name']}, and the key belongs to "
                f"{self.sites[key['site_id']]['name']}."
            )
        if self._guard_keys_held(guard) >= 3:
            return _refused(f"{guard['name']} holds three keys already.")
        self._journal = []
        self._put("keys", key, "holder_id", guard_id)
        if self._breaks_rule_8(key):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: sign key {key['label']} out to {guard['name']}.",
            "data": self._changes(),
        }

    def return_key(self, key_id: str) -> Result:
        """Take a key back.

        Args:
            key_id (str): Id of the key, such as KEY-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        key = self.keys.get(key_id)
        if key is None:
            return _refused(f"There is no key {key_id!r}.")
        if key["holder_id"] is None:
            return _refused(f"Key {key['label']} is in the cabinet.")
        self._journal = []
        self._put("keys", key, "holder_id", None)
        if self._breaks_rule_8(key):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: take key {key['label']} back.", "data": self._changes()}

    def report_incident(
        self,
        guard_id: str,
        checkpoint_id: str,
        kind: Literal["broken_lock", "intruder", "fire", "leak", "damage", "lights_out"],
        severe: bool,
    ) -> Result:
        """Report what a guard on duty found at a checkpoint of the site; a severe incident breaks the guard's round
        off.

        Args:
            guard_id (str): Id of the guard, such as GUARD-00001.
            checkpoint_id (str): Id of the checkpoint, such as CHECKPOINT-00001.
            kind (str): What the guard found: broken_lock, intruder, fire, leak, damage or lights_out.
            severe (bool): Whether it is severe, which breaks the guard's round off.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        checkpoint = self.checkpoints.get(checkpoint_id)
        if checkpoint is None:
            return _refused(f"There is no checkpoint {checkpoint_id!r}.")
        shift = self._duty(guard)
        if shift is None or _plus_minutes(shift["starts"], -30) > self.now:
            return _refused(f"{guard['name']} is not on duty.")
        if shift["site_id"] != checkpoint["site_id"]:
            return _refused(
                f"{guard['name']} is on duty at {self.sites[shift['site_id']]['name']}, not at "
                f"{self.sites[checkpoint['site_id']]['name']}."
            )
        if self._incidents_by_checkpoint_kind_status.get((checkpoint_id, kind, "open"), {}):
            return _refused(f"That is open at {checkpoint['name']} already.")
        self._journal = []
        changed_rounds: list[Any] = []
        incident: Incident = {
            "id": self._new_id("incident", "INCIDENT", self.incidents),
            "checkpoint_id": checkpoint_id,
            "found_by_id": guard_id,
            "kind": kind,
            "severe": severe,
            "found_at": self.now,
            "outcome": None,
            "police_ref": None,
            "status": "open",
        }
        self._add("incidents", incident)
        if severe:
            for r in sorted(self._rounds_by_guard_status.get((guard_id, "running"), {}).values(), key=_age):
                if r["status"] not in ("running", "broken_off"):
                    return self._take_back(f"Round {r['id']} cannot go from {r['status']} to broken_off.")
                changed_rounds.append(r)
                self._put("rounds", r, "status", "broken_off")
        for one_round in _distinct(changed_rounds):
            if self._breaks_rule_7_r(one_round):
                return self._take_back(RULES[6])
        for one_round in _distinct(changed_rounds):
            if self._breaks_rule_7_r_again(one_round):
                return self._take_back(RULES[6])
        for one_round in _distinct(changed_rounds):
            if self._breaks_rule_9(one_round):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_x(incident):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_x_again(incident):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: report {kind} at {checkpoint['name']} as {guard['name']} (new: incident {incident['id']})."
            ),
            "data": {"incident_id": incident["id"], **self._changes()},
        }

    def close_incident(self, incident_id: str, outcome: Text, police_ref: Text | None = None) -> Result:
        """Close an incident with its outcome; a severe one needs the reference of the police.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            outcome (str): How the incident ended.
            police_ref (str, optional): Reference number of the police, needed for a severe incident. If left out,
                no reference is noted.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if incident["status"] != "open":
            return _refused(
                f"The incident at {self.checkpoints[incident['checkpoint_id']]['name']} is {incident['status']}."
            )
        if incident["severe"] and police_ref is None:
            return _refused("It is severe, so give the reference of the police.")
        self._journal = []
        self._put("incidents", incident, "outcome", outcome)
        self._put("incidents", incident, "police_ref", police_ref)
        self._put("incidents", incident, "status", "closed")
        if self._breaks_rule_10_x(incident):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_x_again(incident):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: close the incident at {self.checkpoints[incident['checkpoint_id']]['name']}.",
            "data": self._changes(),
        }

    def renew_licence(self, guard_id: str, until: Date) -> Result:
        """Record that a guard's licence was renewed.

        Args:
            guard_id (str): Id of the guard, such as GUARD-00001.
            until (str): Last day of the renewed licence, later than that of the present one, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guard = self.guards.get(guard_id)
        if guard is None:
            return _refused(f"There is no guard {guard_id!r}.")
        if guard["licence_until"] >= until or until > _plus_days(self.now[:10], 1830):
            return _refused(f"The new licence ends after {guard['licence_until']}, within five years.")
        self._journal = []
        self._put("guards", guard, "licence_until", until)
        for one_shift in _distinct(self._shifts_by_guard.get(guard["id"], {}).values()):
            if self._breaks_rule_4(one_shift):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: renew the licence of {guard['name']} until {until}.",
            "data": self._changes(),
        }

    def _show_site(self, site: Site) -> dict[str, Any]:
        """The site as an answer shows it."""
        return {**site, "last_point": self._site_last_point(site)}

    def _show_guard(self, guard: Guard) -> dict[str, Any]:
        """The guard as an answer shows it."""
        return {**guard, "skills": [*guard["skills"]], "keys_held": self._guard_keys_held(guard)}

    def _show_shift(self, shift: Shift) -> dict[str, Any]:
        """The shift as an answer shows it."""
        return {**shift, "week": self._shift_week(shift)}

    def _show_round(self, round: Round) -> dict[str, Any]:
        """The round as an answer shows it."""
        return {**round, "skipped_ids": [*round["skipped_ids"]]}

    def _names_of_shifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shifts point to."""
        return _names(
            (self.guards, "name", [row["guard_id"] for row in shown]),
            (self.sites, "name", [row["site_id"] for row in shown]),
        )

    def _names_of_keys(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that keys point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.guards, "name", [row["holder_id"] for row in shown]),
        )

    def _names_of_checkpoints(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that checkpoints point to."""
        return _names(
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.keys, "label", [row["key_id"] for row in shown]),
        )

    def _names_of_rounds(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that rounds point to."""
        return _names(
            (self.guards, "name", [row["guard_id"] for row in shown]),
            (self.sites, "name", [row["site_id"] for row in shown]),
            (self.checkpoints, "name", [each for row in shown for each in row["skipped_ids"]]),
        )

    def _names_of_incidents(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that incidents point to."""
        return _names(
            (self.checkpoints, "name", [row["checkpoint_id"] for row in shown]),
            (self.guards, "name", [row["found_by_id"] for row in shown]),
        )

    def _site_last_point(self, site: Site) -> int | None:
        """The last point of a site."""
        return max((c["position"] for c in self._checkpoints_by_site.get(site["id"], {}).values()), default=None)

    def _guard_keys_held(self, guard: Guard) -> int:
        """The keys held of a guard."""
        return len(self._keys_by_holder.get(guard["id"], {}))

    def _shift_week(self, shift: Shift) -> str:
        """The week of a shift."""
        return _plus_days(_plus_days(shift["starts"][:10], -_weekday(shift["starts"][:10])), 1)

    def _duty(self, g: Guard) -> Shift | None:
        return next(
            (s for s in sorted(self._shifts_by_guard_status.get((g["id"], "on"), {}).values(), key=_age)),
            None,
        )

    def _due(self, s: Shift) -> bool:
        return s["status"] in ("planned", "on")

    def _walking(self, g: Guard) -> Round | None:
        return next(
            (r for r in sorted(self._rounds_by_guard_status.get((g["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _week_minutes(self, g: Guard, d: str) -> int:
        return sum(
            _minutes_between(s["starts"], s["ends"])
            for s in self._shifts_by_guard.get(g["id"], {}).values()
            if self._shift_week(s) == _plus_days(_plus_days(d, -_weekday(d)), 1)
        )

    def _resting(self, g: Guard, a: str, b: str) -> bool:
        return not any(
            _overlap(s["starts"], _plus_minutes(s["ends"], 11 * 60), a, _plus_minutes(b, 11 * 60))
            for s in self._shifts_by_guard.get(g["id"], {}).values()
        )

    def _posted(self, w: Site, a: str, b: str) -> int:
        return sum(
            1
            for s in self._shifts_by_site.get(w["id"], {}).values()
            if self._due(s)
            and _overlap(s["starts"], s["ends"], a, b)
        )

    def _breaks_rule_1(self, a: Shift) -> bool:
        """Whether this is broken: between two shifts of a guard lie at least eleven hours."""
        return any(
            _overlap(a["starts"], _plus_minutes(a["ends"], 11 * 60), b["starts"], _plus_minutes(b["ends"], 11 * 60))
            for b in self._shifts_by_guard.get(a["guard_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_2(self, s: Shift) -> bool:
        """Whether this is broken: a shift lasts four to twelve hours."""
        return 4 * 60 > _minutes_between(s["starts"], s["ends"]) or _minutes_between(s["starts"], s["ends"]) > 12 * 60

    def _breaks_rule_3(self, s: Shift) -> bool:
        """Whether this is broken: a guard works no more than 48 hours a week."""
        return self._week_minutes(self.guards[s["guard_id"]], s["starts"][:10]) > 48 * 60

    def _breaks_rule_4(self, s: Shift) -> bool:
        """Whether this is broken: a guard's licence is valid until the end of each shift ahead."""
        return self._due(s) and s["ends"][:10] > self.guards[s["guard_id"]]["licence_until"]

    def _breaks_rule_5(self, s: Shift) -> bool:
        """Whether this is broken: guards have what their site needs."""
        return (
            self._due(s)
            and (
                self.sites[s["site_id"]]["needs"] is not None
                and self.sites[s["site_id"]]["needs"] not in self.guards[s["guard_id"]]["skills"]
            )
        )

    def _breaks_rule_6(self, s: Shift) -> bool:
        """Whether this is broken: a guard is on one shift at a time."""
        return (
            s["status"] == "on"
            and any(
                other_s is not s
                for other_s in self._shifts_by_guard_status.get((s["guard_id"], "on"), {}).values()
            )
        )

    def _breaks_rule_7_r(self, r: Round) -> bool:
        """Whether this is broken: a guard walks one round at a time, on the site of the shift."""
        return (
            r["status"] == "running"
            and any(
                other_r is not r
                for other_r in self._rounds_by_guard_status.get((r["guard_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_7_r_again(self, r: Round) -> bool:
        """Whether this is broken: a guard walks one round at a time, on the site of the shift."""
        return (
            r["status"] == "running"
            and not any(
                s["site_id"] == r["site_id"]
                for s in self._shifts_by_guard_status.get((r["guard_id"], "on"), {}).values()
            )
        )

    def _breaks_rule_8(self, k: Key) -> bool:
        """Whether this is broken: a key is only with a guard who is on shift at its site."""
        return not (
            k["holder_id"] is None
            or any(
                s["site_id"] == k["site_id"]
                for s in self._shifts_by_guard_status.get((k["holder_id"], "on"), {}).values()
            )
        )

    def _breaks_rule_9(self, r: Round) -> bool:
        """Whether this is broken: a round that is complete skipped nothing, and an incomplete one did."""
        return (
            r["status"] in ("complete", "incomplete")
            and (len(r["skipped_ids"]) == 0) != (r["status"] == "complete")
        )

    def _breaks_rule_10_x(self, x: Incident) -> bool:
        """Whether this is broken: a closed incident says how it ended, with a reference of the police where it was
        severe.
        """
        return (x["outcome"] is not None) != (x["status"] == "closed")

    def _breaks_rule_10_x_again(self, x: Incident) -> bool:
        """Whether this is broken: a closed incident says how it ended, with a reference of the police where it was
        severe.
        """
        return x["severe"] and x["status"] == "closed" and x["police_ref"] is None

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
            case "shifts":
                self._shifts_by_guard.setdefault(record["guard_id"], {})[record["id"]] = record
                self._shifts_by_guard_status.setdefault((record["guard_id"], record["status"]), {})[record["id"]] = record
                self._shifts_by_site.setdefault(record["site_id"], {})[record["id"]] = record
                self._shifts_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "keys":
                self._keys_by_holder.setdefault(record["holder_id"], {})[record["id"]] = record
            case "checkpoints":
                self._checkpoints_by_site.setdefault(record["site_id"], {})[record["id"]] = record
            case "rounds":
                self._rounds_by_guard_status.setdefault((record["guard_id"], record["status"]), {})[record["id"]] = record
            case "incidents":
                self._incidents_by_checkpoint_kind_status.setdefault(
                    (record["checkpoint_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._incidents_by_found_by_status.setdefault(
                    (record["found_by_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "shifts":
                del self._shifts_by_guard[record["guard_id"]][record["id"]]
                del self._shifts_by_guard_status[record["guard_id"], record["status"]][record["id"]]
                del self._shifts_by_site[record["site_id"]][record["id"]]
                del self._shifts_by_status[record["status"]][record["id"]]
            case "keys":
                del self._keys_by_holder[record["holder_id"]][record["id"]]
            case "checkpoints":
                del self._checkpoints_by_site[record["site_id"]][record["id"]]
            case "rounds":
                del self._rounds_by_guard_status[record["guard_id"], record["status"]][record["id"]]
            case "incidents":
                del self._incidents_by_checkpoint_kind_status[
                    record["checkpoint_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._incidents_by_found_by_status[record["found_by_id"], record["status"]][record["id"]]
