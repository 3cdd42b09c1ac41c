"""Ambulance dispatch. Compiled from blueprint.yaml; run `envscaler build ambulance_dispatch` after changing it there.

Sends ambulance crews to incidents by priority, follows them from the call to the hospital door, keeps a minimum
of free crews in every zone, and minds shift hours, breaks and hospitals on diversion.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A crew is on one run at a time.",
    "A crew on a run is on duty and not on a break.",
    "A crew works one shift at a time.",
    "Between two shifts of a crew lie at least ten hours.",
    "No shift is longer than thirteen hours.",
    "Only a running shift is interrupted by a break.",
    "No crew is under way for an incident that is over.",
    "Patients are taken to hospitals that treat what they need.",
    "No more ambulances are on their way to a hospital than it has bays.",
    "A crew stands in its home zone or next to it.",
    "At most three crews are under way for one incident.",
    "A diversion has an end and a reason.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_incident",
    "change_priority",
    "cancel_incident",
    "dispatch_crew",
    "report_arrival",
    "transport_patient",
    "clear_crew",
    "post_crew",
    "set_duty",
    "extend_shift",
    "divert_hospital",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "zones": ("name",),
    "hospitals": ("name",),
    "crews": ("call_sign",),
    "shifts": (),
    "incidents": ("number",),
    "runs": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("crews", "posted_id"),
    ("incidents", "number"),
    ("incidents", "status"),
    ("incidents", "zone_id"),
    ("runs", "crew_id"),
    ("runs", "hospital_id"),
    ("runs", "incident_id"),
    ("runs", "status"),
    ("shifts", "crew_id"),
    ("shifts", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Zone(TypedDict):
    id: str
    name: str
    minimum: int
    neighbour_ids: list[str]


class Hospital(TypedDict):
    id: str
    name: str
    zone_id: str
    treats: list[Literal["trauma", "stroke", "cardiac", "children", "maternity"]]
    bays: int
    diverting_until: str | None
    diverting_for: str | None


class Crew(TypedDict):
    id: str
    call_sign: str
    level: Literal["basic", "advanced"]
    home_id: str
    posted_id: str


class Shift(TypedDict):
    id: str
    crew_id: str
    starts_at: str
    ends_at: str
    on_break: bool
    breaks: int
    status: Literal["planned", "running", "ended"]


class Incident(TypedDict):
    id: str
    number: str
    zone_id: str
    address: str
    priority: int
    needs: Literal["trauma", "stroke", "cardiac", "children", "maternity"] | None
    opened_at: str
    closed_at: str | None
    status: Literal["open", "closed", "cancelled"]


class Run(TypedDict):
    id: str
    crew_id: str
    incident_id: str
    sent_at: str
    arrived_at: str | None
    hospital_id: str | None
    ended_at: str | None
    status: Literal["sent", "on_scene", "stood_down", "transporting", "treated", "handed_over"]


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


class AmbulanceDispatch:
    """Sends ambulance crews to incidents by priority, follows them from the call to the hospital door,
    keeps a minimum of free crews in every zone, and minds shift hours, breaks and hospitals on
    diversion.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.hospitals: dict[str, Hospital] = _copied(config.get("hospitals", {}))
        self.crews: dict[str, Crew] = _copied(config.get("crews", {}))
        self.shifts: dict[str, Shift] = _copied(config.get("shifts", {}))
        self.incidents: dict[str, Incident] = _copied(config.get("incidents", {}))
        self.runs: dict[str, Run] = _copied(config.get("runs", {}))
        self.now: str = config.get("now", "2026-07-14T17:50")
        self.counters: dict[str, int] = {
            "zone": len(self.zones),
            "hospital": len(self.hospitals),
            "crew": len(self.crews),
            "shift": len(self.shifts),
            "incident": len(self.incidents),
            "run": len(self.runs),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._crews_by_posted: dict[Any, dict[str, Crew]] = {}
        self._shifts_by_crew: dict[Any, dict[str, Shift]] = {}
        self._shifts_by_crew_status: dict[Any, dict[str, Shift]] = {}
        self._incidents_by_lower_number: dict[Any, dict[str, Incident]] = {}
        self._incidents_by_number: dict[Any, dict[str, Incident]] = {}
        self._incidents_by_zone_status: dict[Any, dict[str, Incident]] = {}
        self._runs_by_crew: dict[Any, dict[str, Run]] = {}
        self._runs_by_crew_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_hospital_status: dict[Any, dict[str, Run]] = {}
        self._runs_by_incident: dict[Any, dict[str, Run]] = {}
        self._runs_by_incident_status: dict[Any, dict[str, Run]] = {}
        for crew in self.crews.values():
            self._link("crews", crew)
        for shift in self.shifts.values():
            self._link("shifts", shift)
        for incident in self.incidents.values():
            self._link("incidents", incident)
        for run in self.runs.values():
            self._link("runs", run)

    def crews_for_incident(
        self,
        incident_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Crews that may be sent to an incident now, those of its zone first.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}} or {"success": False, "error": why
                not}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        found = [
            c
            for c in self.crews.values()
            if self._crew_free(c)
            and (self._near(c, incident) or incident["priority"] == 1)
            and (incident["priority"] > 1 or c["level"] == "advanced")
            and (incident["priority"] <= 2 or self._can_spare(c))
        ]
        found.sort(key=lambda c: (0 if c["posted_id"] == incident["zone_id"] else 1, c["call_sign"], _age(c)))
        return _found(
            {
                "total": len(found),
                "crews": [
                    {
                        "id": c["id"],
                        "call_sign": c["call_sign"],
                        "level": c["level"],
                        "posted": self.zones[c["posted_id"]]["name"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def board(
        self,
        zone_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is under way, the most urgent first.

        Args:
            zone_id (str, optional): Zone of the incidents; an id such as ZONE-00001. If left out, runs in all
                zones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}} or {"success": False, "error": why
                not}
        """
        zone = self.zones.get(zone_id) if zone_id is not None else None
        if zone_id is not None and zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            r
            for r in self.runs.values()
            if self._under_way(r)
            and (zone_id is None or self.incidents[r["incident_id"]]["zone_id"] == zone_id)
        ]
        found.sort(key=lambda r: (self.incidents[r["incident_id"]]["priority"], r["sent_at"], r["id"], _age(r)))
        shown = [
            {
                "id": r["id"],
                "crew": self.crews[r["crew_id"]]["call_sign"],
                "incident": self.incidents[r["incident_id"]]["number"],
                "priority": self.incidents[r["incident_id"]]["priority"],
                "needs": self.incidents[r["incident_id"]]["needs"],
                "status": r["status"],
                "sent_at": r["sent_at"],
                "hospital": r["hospital_id"],
            }
            for r in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "runs": shown},
            _names((self.hospitals, "name", [row["hospital"] for row in shown])),
        )

    def hospitals_for(
        self,
        incident_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Hospitals that may take the patient of an incident now, those with the fewest ambulances on the way first.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hospitals": records}} or {"success": False, "error":
                why not}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        found = [h for h in self.hospitals.values() if self._takes(h, incident)]
        found.sort(key=lambda h: (self._hospital_inbound(h), h["name"], _age(h)))
        return _found(
            {
                "total": len(found),
                "hospitals": [
                    {
                        "id": h["id"],
                        "name": h["name"],
                        "inbound": self._hospital_inbound(h),
                        "bays": h["bays"],
                        "zone": self.zones[h["zone_id"]]["name"],
                    }
                    for h in _page(found, offset)
                ],
            }
        )

    def waiting_calls(
        self,
        zone_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Open incidents to which nobody is under way, by priority and age.

        Args:
            zone_id (str, optional): Zone of the incidents; an id such as ZONE-00001. If left out, incidents in all
                zones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "incidents": records}} or {"success": False, "error":
                why not}
        """
        zone = self.zones.get(zone_id) if zone_id is not None else None
        if zone_id is not None and zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            i
            for i in self.incidents.values()
            if self._incident_waiting(i)
            and (zone_id is None or i["zone_id"] == zone_id)
        ]
        found.sort(key=lambda i: (i["priority"], i["opened_at"], i["number"], _age(i)))
        return _found(
            {
                "total": len(found),
                "incidents": [
                    {
                        "id": i["id"],
                        "number": i["number"],
                        "zone": self.zones[i["zone_id"]]["name"],
                        "address": i["address"],
                        "priority": i["priority"],
                        "needs": i["needs"],
                        "minutes": _minutes_between(i["opened_at"], self.now),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def list_zones(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        found = [zone for zone in self.zones.values() if (name is None or name.casefold() in zone["name"].casefold())]
        shown = [self._show_zone(zone) for zone in _page(found, offset)]
        return _found({"total": len(found), "zones": shown}, self._names_of_zones(shown))

    def list_hospitals(
        self,
        name: Text | None = None,
        zone_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the hospitals, oldest first, all of them or only some.

        Args:
            name (str, optional): Only hospitals whose name contains this text.
            zone_id (str, optional): Only hospitals of this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "hospitals": records}}
        """
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            hospital
            for hospital in self.hospitals.values()
            if (name is None or name.casefold() in hospital["name"].casefold())
            and (zone_id is None or hospital["zone_id"] == zone_id)
        ]
        shown = [self._show_hospital(hospital) for hospital in _page(found, offset)]
        return _found({"total": len(found), "hospitals": shown}, self._names_of_hospitals(shown))

    def list_crews(
        self,
        call_sign: Text | None = None,
        level: Literal["basic", "advanced"] | None = None,
        home_id: str | None = None,
        posted_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crews, oldest first, all of them or only some.

        Args:
            call_sign (str, optional): Only crews whose call sign contains this text.
            level (str, optional): Only crews with this level.
            home_id (str, optional): Only crews whose home is this zone.
            posted_id (str, optional): Only crews whose posted is this zone.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}}
        """
        if home_id is not None and home_id not in self.zones:
            return _refused(f"There is no zone {home_id!r}.")
        if posted_id is not None and posted_id not in self.zones:
            return _refused(f"There is no zone {posted_id!r}.")
        found = [
            crew
            for crew in self.crews.values()
            if (call_sign is None or call_sign.casefold() in crew["call_sign"].casefold())
            and (level is None or crew["level"] == level)
            and (home_id is None or crew["home_id"] == home_id)
            and (posted_id is None or crew["posted_id"] == posted_id)
        ]
        shown = [self._show_crew(crew) for crew in _page(found, offset)]
        return _found({"total": len(found), "crews": shown}, self._names_of_crews(shown))

    def list_shifts(
        self,
        crew_id: str | None = None,
        on_break: bool | None = None,
        status: Literal["planned", "running", "ended"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the shifts, oldest first, all of them or only some.

        Args:
            crew_id (str, optional): Only shifts of this crew.
            on_break (bool, optional): Only shifts that are on break (true) or not (false).
            status (str, optional): Only shifts with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "shifts": records}}
        """
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            shift
            for shift in self.shifts.values()
            if (crew_id is None or shift["crew_id"] == crew_id)
            and (on_break is None or shift["on_break"] == on_break)
            and (status is None or shift["status"] == status)
        ]
        shown = [{**shift} for shift in _page(found, offset)]
        return _found({"total": len(found), "shifts": shown}, self._names_of_shifts(shown))

    def list_incidents(
        self,
        number: Text | None = None,
        zone_id: str | None = None,
        needs: Literal["trauma", "stroke", "cardiac", "children", "maternity"] | None = None,
        status: Literal["open", "closed", "cancelled"] | None = None,
        opened_at_from: Date | None = None,
        opened_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the incidents, oldest first, all of them or only some.

        Args:
            number (str, optional): Only incidents whose number contains this text.
            zone_id (str, optional): Only incidents of this zone.
            needs (str, optional): Only incidents whose `needs` is this.
            status (str, optional): Only incidents with this status.
            opened_at_from (str, optional): Only incidents whose `opened_at` is on this day or later.
            opened_at_to (str, optional): Only incidents whose `opened_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "incidents": records}}
        """
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            incident
            for incident in self.incidents.values()
            if (number is None or number.casefold() in incident["number"].casefold())
            and (zone_id is None or incident["zone_id"] == zone_id)
            and (needs is None or incident["needs"] == needs)
            and (status is None or incident["status"] == status)
            and (opened_at_from is None or incident["opened_at"][:10] >= opened_at_from)
            and (opened_at_to is None or incident["opened_at"][:10] <= opened_at_to)
        ]
        shown = [self._show_incident(incident) for incident in _page(found, offset)]
        return _found({"total": len(found), "incidents": shown}, self._names_of_incidents(shown))

    def list_runs(
        self,
        crew_id: str | None = None,
        incident_id: str | None = None,
        hospital_id: str | None = None,
        status: Literal["sent", "on_scene", "stood_down", "transporting", "treated", "handed_over"] | None = None,
        sent_at_from: Date | None = None,
        sent_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the runs, oldest first, all of them or only some.

        Args:
            crew_id (str, optional): Only runs of this crew.
            incident_id (str, optional): Only runs of this incident.
            hospital_id (str, optional): Only runs of this hospital.
            status (str, optional): Only runs with this status.
            sent_at_from (str, optional): Only runs whose `sent_at` is on this day or later.
            sent_at_to (str, optional): Only runs whose `sent_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "runs": records}}
        """
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        if incident_id is not None and incident_id not in self.incidents:
            return _refused(f"There is no incident {incident_id!r}.")
        if hospital_id is not None and hospital_id not in self.hospitals:
            return _refused(f"There is no hospital {hospital_id!r}.")
        found = [
            run
            for run in self.runs.values()
            if (crew_id is None or run["crew_id"] == crew_id)
            and (incident_id is None or run["incident_id"] == incident_id)
            and (hospital_id is None or run["hospital_id"] == hospital_id)
            and (status is None or run["status"] == status)
            and (sent_at_from is None or run["sent_at"][:10] >= sent_at_from)
            and (sent_at_to is None or run["sent_at"][:10] <= sent_at_to)
        ]
        shown = [{**run} for run in _page(found, offset)]
        return _found({"total": len(found), "runs": shown}, self._names_of_runs(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_incident(
        self,
        number: Text,
        zone_id: str,
        address: Text,
        priority: Annotated[int, {"minimum": 1, "maximum": 4}],
        needs: Literal["trauma", "stroke", "cardiac", "children", "maternity"] | None = None,
    ) -> Result:
        """Open an incident for an emergency call.

        Args:
            number (str): New number of the incident, not used before.
            zone_id (str): Id of the zone, such as ZONE-00001.
            address (str): Address within the zone to which help is called.
            priority (int): Urgency of the call, 1 being the most urgent, from 1 to 4.
            needs (str, optional): Special care that the patient needs from a hospital: trauma, stroke, cardiac,
                children or maternity. If left out, any hospital will do.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if self._incidents_by_lower_number.get(number.lower(), {}):
            return _refused(f"Incident {number} exists already.")
        twin = next(
            (
                i
                for i in sorted(self._incidents_by_zone_status.get((zone_id, "open"), {}).values(), key=_age)
                if i["address"].lower() == address.lower()
            ),
            None,
        )
        if twin is not None:
            return _refused(f"{address} is known as incident {twin['number']} already.")
        self._journal = []
        incident: Incident = {
            "id": self._new_id("incident", "INCIDENT", self.incidents),
            "number": number,
            "zone_id": zone_id,
            "address": address,
            "priority": priority,
            "needs": needs,
            "opened_at": self.now,
            "closed_at": None,
            "status": "open",
        }
        self._add("incidents", incident)
        if len(self._incidents_by_number.get(incident["number"], {})) > 1:
            return self._take_back(f"There is already an incident with the number {incident['number']!r}.")
        if self._breaks_rule_7_i(incident):
            return self._take_back(RULES[6])
        if self._breaks_rule_11(incident):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: open incident {number} at {address} with priority {priority} (new: incident "
                f"{incident['id']})."
            ),
            "data": {"incident_id": incident["id"], **self._changes()},
        }

    def change_priority(self, incident_id: str, priority: Annotated[int, {"minimum": 1, "maximum": 4}]) -> Result:
        """Raise or lower the priority of an open incident; 1 is the most urgent.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            priority (int): New urgency, 1 being the most urgent, from 1 to 4.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if incident["status"] != "open":
            return _refused(f"Incident {incident['number']} is {incident['status']}.")
        if incident["priority"] == priority:
            return _refused(f"Incident {incident['number']} has priority {priority} already.")
        self._journal = []
        self._put("incidents", incident, "priority", priority)
        return {
            "success": True,
            "message": f"Done: give incident {incident['number']} priority {priority}.",
            "data": self._changes(),
        }

    def cancel_incident(self, incident_id: str) -> Result:
        """Cancel an incident nobody has reached yet; crews on the way are stood down.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if incident["status"] != "open":
            return _refused(f"Incident {incident['number']} is {incident['status']}.")
        there = next(
            (
                r
                for r in sorted(self._runs_by_incident.get(incident_id, {}).values(), key=_age)
                if r["status"] in ("on_scene", "transporting")
            ),
            None,
        )
        if there is not None:
            return _refused(
                f"{self.crews[there['crew_id']]['call_sign']} is with the patient of incident {incident['number']}."
            )
        self._journal = []
        changed_runs: list[Any] = []
        for r in sorted(self._runs_by_incident_status.get((incident_id, "sent"), {}).values(), key=_age):
            self._put("runs", r, "ended_at", self.now)
            if r["status"] not in ("sent", "stood_down"):
                return self._take_back(f"Run {r['id']} cannot go from {r['status']} to stood_down.")
            changed_runs.append(r)
            self._put("runs", r, "status", "stood_down")
        self._put("incidents", incident, "closed_at", self.now)
        self._put("incidents", incident, "status", "cancelled")
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_run in _distinct([*changed_runs, *self._runs_by_incident.get(incident["id"], {}).values()]):
            if self._breaks_rule_7_r(one_run):
                return self._take_back(RULES[6])
        if self._breaks_rule_7_i(incident):
            return self._take_back(RULES[6])
        for one_hospital in _distinct([self.hospitals.get(one["hospital_id"]) for one in changed_runs]):
            if self._breaks_rule_9(one_hospital):
                return self._take_back(RULES[8])
        for one_incident in _distinct([self.incidents[one["incident_id"]] for one in changed_runs]):
            if self._breaks_rule_11(one_incident):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: cancel incident {incident['number']}.", "data": self._changes()}

    def dispatch_crew(self, crew_id: str, incident_id: str) -> Result:
        """Send a crew to an incident; a crew still on its way to a less urgent one is redirected.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.
            incident_id (str): Id of the incident, such as INCIDENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if incident["status"] != "open":
            return _refused(f"Incident {incident['number']} is {incident['status']}.")
        shift = self._duty(crew)
        if shift is None or shift["on_break"]:
            return _refused(f"{crew['call_sign']} is off duty or on a break.")
        if shift["starts_at"] > self.now or self.now >= shift["ends_at"]:
            return _refused(
                f"The shift of {crew['call_sign']} runs from {shift['starts_at']} to {shift['ends_at']}, so "
                "extend it first."
            )
        old = self._run_of(crew)
        if old is not None and old["status"] != "sent":
            return _refused(f"{crew['call_sign']} is with a patient.")
        if old is not None and self.incidents[old["incident_id"]]["priority"] <= incident["priority"]:
            return _refused(f"{crew['call_sign']} is on its way to an incident that is just as urgent.")
        if not (self._near(crew, incident) or incident["priority"] == 1):
            return _refused(
                f"{crew['call_sign']} stands in {self.zones[crew['posted_id']]['name']}, which is not next to "
                f"{self.zones[incident['zone_id']]['name']}."
            )
        if sum(1 for r in self._runs_by_incident.get(incident_id, {}).values() if self._under_way(r)) >= 3:
            return _refused(f"Three crews are under way to incident {incident['number']} already.")
        if not (
            incident["priority"] > 1
            or crew["level"] == "advanced"
            or any(
                self.crews[r["crew_id"]]["level"] == "advanced"
                for r in self._runs_by_incident.get(incident_id, {}).values()
                if self._under_way(r)
            )
        ):
            return _refused(f"Priority 1 takes an advanced crew first, and {crew['call_sign']} is {crew['level']}.")
        if incident["priority"] > 2 and _minutes_between(self.now, shift["ends_at"]) < 45:
            return _refused(
                f"The shift of {crew['call_sign']} ends in {_minutes_between(self.now, shift['ends_at'])} "
                f"minutes, too soon for priority {incident['priority']}."
            )
        if not (incident["priority"] <= 2 or old is not None or self._can_spare(crew)):
            return _refused(
                f"{self.zones[crew['posted_id']]['name']} has {self._zone_cover(self.zones[crew['posted_id']])} "
                f"free crews and must keep {self.zones[crew['posted_id']]['minimum']}, so priority "
                f"{incident['priority']} waits or another crew is posted there."
            )
        self._journal = []
        changed_runs: list[Any] = []
        for r in sorted(self._runs_by_crew_status.get((crew_id, "sent"), {}).values(), key=_age):
            self._put("runs", r, "ended_at", self.now)
            if r["status"] not in ("sent", "stood_down"):
                return self._take_back(f"Run {r['id']} cannot go from {r['status']} to stood_down.")
            changed_runs.append(r)
            self._put("runs", r, "status", "stood_down")
        run: Run = {
            "id": self._new_id("run", "RUN", self.runs),
            "crew_id": crew_id,
            "incident_id": incident_id,
            "sent_at": self.now,
            "arrived_at": None,
            "hospital_id": None,
            "ended_at": None,
            "status": "sent",
        }
        self._add("runs", run)
        for one_run in _distinct([run, *changed_runs]):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct([run, *changed_runs]):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_run in _distinct([run, *changed_runs]):
            if self._breaks_rule_7_r(one_run):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(run):
            return self._take_back(RULES[7])
        for one_hospital in _distinct(
            [
                self.hospitals.get(run["hospital_id"]),
                *[self.hospitals.get(one["hospital_id"]) for one in changed_runs],
            ]
        ):
            if self._breaks_rule_9(one_hospital):
                return self._take_back(RULES[8])
        for one_incident in _distinct(
            [self.incidents[run["incident_id"]], *[self.incidents[one["incident_id"]] for one in changed_runs]]
        ):
            if self._breaks_rule_11(one_incident):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: send {crew['call_sign']} to incident {incident['number']} (new: run {run['id']}).",
            "data": {"run_id": run["id"], **self._changes()},
        }

    def report_arrival(self, crew_id: str) -> Result:
        """Record that a crew has reached its incident.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        run = self._run_of(crew)
        if run is None:
            return _refused(f"{crew['call_sign']} is on no run.")
        if run["status"] != "sent":
            return _refused(f"{crew['call_sign']} arrived at {self.incidents[run['incident_id']]['number']} before.")
        self._journal = []
        self._put("runs", run, "arrived_at", self.now)
        self._put("runs", run, "status", "on_scene")
        if self._breaks_rule_1(run):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(run):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_r(run):
            return self._take_back(RULES[6])
        for one_hospital in _distinct([self.hospitals.get(run["hospital_id"])]):
            if self._breaks_rule_9(one_hospital):
                return self._take_back(RULES[8])
        if self._breaks_rule_11(self.incidents[run["incident_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: record the arrival of {crew['call_sign']}.",
            "data": self._changes(),
        }

    def transport_patient(self, crew_id: str, hospital_id: str) -> Result:
        """Let a crew take its patient to a hospital, or to another one while it is on the way.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.
            hospital_id (str): Id of the hospital, such as HOSPITAL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        hospital = self.hospitals.get(hospital_id)
        if hospital is None:
            return _refused(f"There is no hospital {hospital_id!r}.")
        run = self._run_of(crew)
        if run is None:
            return _refused(f"{crew['call_sign']} is on no run.")
        if run["status"] not in ("on_scene", "transporting"):
            return _refused(
                f"{crew['call_sign']} has not reached incident {self.incidents[run['incident_id']]['number']} yet."
            )
        if run["hospital_id"] == hospital_id:
            return _refused(f"{crew['call_sign']} is on its way to {hospital['name']} already.")
        if not self._fit_for(hospital, self.incidents[run["incident_id"]]):
            return _refused(
                f"{hospital['name']} cannot treat what incident {self.incidents[run['incident_id']]['number']} needs."
            )
        if self._hospital_inbound(hospital) >= hospital["bays"]:
            return _refused(
                f"{hospital['name']} has {hospital['bays']} bays and {self._hospital_inbound(hospital)} "
                "ambulances on the way."
            )
        if not self._takes(hospital, self.incidents[run["incident_id"]]):
            return _refused(f"{hospital['name']} is on diversion and another hospital would do.")
        self._journal = []
        changed_runs: list[Any] = []
        former_hospital_id = run["hospital_id"]
        self._put("runs", run, "hospital_id", hospital_id)
        if run["status"] == "on_scene":
            changed_runs.append(run)
            self._put("runs", run, "status", "transporting")
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_7_r(one_run):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(run):
            return self._take_back(RULES[7])
        for one_hospital in _distinct(
            [
                self.hospitals.get(run["hospital_id"]),
                self.hospitals.get(former_hospital_id),
                *[self.hospitals.get(one["hospital_id"]) for one in changed_runs],
            ]
        ):
            if self._breaks_rule_9(one_hospital):
                return self._take_back(RULES[8])
        for one_incident in _distinct([self.incidents[one["incident_id"]] for one in changed_runs]):
            if self._breaks_rule_11(one_incident):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: send {crew['call_sign']} with the patient to {hospital['name']}.",
            "data": self._changes(),
        }

    def clear_crew(self, crew_id: str) -> Result:
        """Record that a crew is free again after handing over, treating on scene or being stood down; an incident is
        closed with its last crew.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        run = self._run_of(crew)
        if run is None:
            return _refused(f"{crew['call_sign']} is on no run.")
        self._journal = []
        changed_runs: list[Any] = []
        changed_incidents: list[Any] = []
        changed_incidents_2: list[Any] = []
        self._put("runs", run, "ended_at", self.now)
        if run["status"] == "sent":
            if run["status"] not in ("sent", "stood_down"):
                return self._take_back(f"Run {run['id']} cannot go from {run['status']} to stood_down.")
            changed_runs.append(run)
            self._put("runs", run, "status", "stood_down")
        else:
            if run["status"] == "on_scene":
                if run["status"] not in ("on_scene", "treated"):
                    return self._take_back(f"Run {run['id']} cannot go from {run['status']} to treated.")
                changed_runs.append(run)
                self._put("runs", run, "status", "treated")
            else:
                if run["status"] not in ("transporting", "handed_over"):
                    return self._take_back(f"Run {run['id']} cannot go from {run['status']} to handed_over.")
                changed_runs.append(run)
                self._put("runs", run, "status", "handed_over")
            if not any(self._under_way(r) for r in self._runs_by_incident.get(run["incident_id"], {}).values()):
                incident = self.incidents[run["incident_id"]]
                changed_incidents.append(incident)
                self._put("incidents", incident, "closed_at", self.now)
                its_incident = self.incidents[run["incident_id"]]
                if its_incident["status"] not in ("open", "closed"):
                    return self._take_back(
                        f"Incident {its_incident['number']} cannot go from {its_incident['status']} to closed."
                    )
                changed_incidents_2.append(its_incident)
                self._put("incidents", its_incident, "status", "closed")
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_1(one_run):
                return self._take_back(RULES[0])
        for one_run in _distinct(changed_runs):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_run in _distinct(
            [
                *changed_runs,
                *[user for one in changed_incidents_2 for user in self._runs_by_incident.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7_r(one_run):
                return self._take_back(RULES[6])
        for one_incident in _distinct([*changed_incidents, *changed_incidents_2]):
            if self._breaks_rule_7_i(one_incident):
                return self._take_back(RULES[6])
        for one_hospital in _distinct([self.hospitals.get(one["hospital_id"]) for one in changed_runs]):
            if self._breaks_rule_9(one_hospital):
                return self._take_back(RULES[8])
        for one_incident in _distinct([self.incidents[one["incident_id"]] for one in changed_runs]):
            if self._breaks_rule_11(one_incident):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: clear {crew['call_sign']}.", "data": self._changes()}

    def post_crew(self, crew_id: str, zone_id: str) -> Result:
        """Move a free crew to stand by in its home zone or one next to it.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.
            zone_id (str): Id of the zone, such as ZONE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        if not self._crew_free(crew):
            return _refused(f"{crew['call_sign']} is not free.")
        if crew["posted_id"] == zone_id:
            return _refused(f"{crew['call_sign']} stands in {zone['name']} already.")
        if not (zone_id == crew["home_id"] or self._beside(zone, self.zones[crew["home_id"]])):
            return _refused(
                f"{crew['call_sign']} belongs to {self.zones[crew['home_id']]['name']} and {zone['name']} is not "
                "next to it."
            )
        if not self._can_spare(crew):
            return _refused(
                f"{self.zones[crew['posted_id']]['name']} has {self._zone_cover(self.zones[crew['posted_id']])} "
                f"free crews and must keep {self.zones[crew['posted_id']]['minimum']}."
            )
        self._journal = []
        self._put("crews", crew, "posted_id", zone_id)
        if self._breaks_rule_10(crew):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: post {crew['call_sign']} to {zone['name']}.",
            "data": self._changes(),
        }

    def set_duty(self, crew_id: str, to: Literal["sign_on", "begin_break", "end_break", "sign_off"]) -> Result:
        """Sign a crew on for its shift, send it on a break, end the break, or sign it off.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.
            to (str): What the crew does next in its shift: sign_on, begin_break, end_break or sign_off.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        shift = min(
            (
                s
                for s in self._shifts_by_crew.get(crew_id, {}).values()
                if (
                    s["status"] == "running"
                    or to == "sign_on"
                    and s["status"] == "planned"
                    and s["starts_at"] <= _plus_minutes(self.now, 60)
                    and s["ends_at"] > self.now
                )
            ),
            key=lambda s: (s["starts_at"], _age(s)),
            default=None,
        )
        if shift is None:
            return _refused(f"{crew['call_sign']} has no shift for that now.")
        if to == "sign_on" and shift["status"] != "planned":
            return _refused(f"{crew['call_sign']} is on duty since {shift['starts_at']}.")
        if self._run_of(crew) is not None:
            return _refused(f"{crew['call_sign']} is on a run, so clear it first.")
        if to == "begin_break" and shift["on_break"]:
            return _refused(f"{crew['call_sign']} is on a break already.")
        if to == "begin_break" and shift["breaks"] >= 2:
            return _refused(f"{crew['call_sign']} has had {shift['breaks']} breaks on this shift.")
        if to == "end_break" and not shift["on_break"]:
            return _refused(f"{crew['call_sign']} is not on a break.")
        if to == "sign_off" and shift["ends_at"] > _plus_minutes(self.now, 30):
            return _refused(f"The shift of {crew['call_sign']} runs until {shift['ends_at']}.")
        if not (to not in ("begin_break", "sign_off") or self._can_spare(crew)):
            return _refused(
                f"{self.zones[crew['posted_id']]['name']} has {self._zone_cover(self.zones[crew['posted_id']])} "
                f"free crews and must keep {self.zones[crew['posted_id']]['minimum']}, so post another one there "
                "first."
            )
        self._journal = []
        changed_shifts: list[Any] = []
        changed_shifts_2: list[Any] = []
        changed_crews: list[Any] = []
        if to == "sign_on":
            if shift["status"] not in ("planned", "running"):
                return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to running.")
            changed_shifts.append(shift)
            self._put("shifts", shift, "status", "running")
        if to == "begin_break":
            changed_shifts_2.append(shift)
            self._put("shifts", shift, "on_break", True)
            breaks = shift["breaks"] + 1
            if not 0 <= breaks <= 6:
                return self._take_back(f"The breaks of {shift['id']} must be between 0 and 6.")
            self._put("shifts", shift, "breaks", breaks)
        if to == "end_break":
            changed_shifts_2.append(shift)
            self._put("shifts", shift, "on_break", False)
        if to == "sign_off":
            changed_shifts_2.append(shift)
            self._put("shifts", shift, "on_break", False)
            if shift["status"] not in ("running", "ended"):
                return self._take_back(f"Shift {shift['id']} cannot go from {shift['status']} to ended.")
            changed_shifts.append(shift)
            self._put("shifts", shift, "status", "ended")
            changed_crews.append(crew)
            self._put("crews", crew, "posted_id", crew["home_id"])
        for one_run in _distinct(
            [
                *[
                    user
                    for one in [self.crews[one["crew_id"]] for one in changed_shifts]
                    for user in self._runs_by_crew.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.crews[one["crew_id"]] for one in changed_shifts_2]
                    for user in self._runs_by_crew.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_run):
                return self._take_back(RULES[1])
        for one_shift in _distinct(changed_shifts):
            if self._breaks_rule_3(one_shift):
                return self._take_back(RULES[2])
        for one_shift in _distinct([*changed_shifts, *changed_shifts_2]):
            if self._breaks_rule_6(one_shift):
                return self._take_back(RULES[5])
        for one_crew in _distinct(changed_crews):
            if self._breaks_rule_10(one_crew):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: set {crew['call_sign']} to {to}.", "data": self._changes()}

    def extend_shift(self, crew_id: str, minutes: Annotated[int, {"minimum": 15, "maximum": 360}]) -> Result:
        """Let a crew work longer, up to thirteen hours altogether.

        Args:
            crew_id (str): Id of the crew, such as CREW-00001.
            minutes (int): Time added to the running shift, in minutes, from 15 to 360.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        shift = self._duty(crew)
        if shift is None:
            return _refused(f"{crew['call_sign']} is not on duty.")
        if _minutes_between(shift["starts_at"], _plus_minutes(shift["ends_at"], minutes)) > 780:
            return _refused(
                f"That makes {_minutes_between(shift['starts_at'], _plus_minutes(shift['ends_at'], minutes))} "
                "minutes, and thirteen hours are 780."
            )
        later = next(
            (
                s
                for s in sorted(self._shifts_by_crew.get(crew_id, {}).values(), key=_age)
                if s is not shift
                and s["starts_at"] > shift["starts_at"]
                and _minutes_between(shift["ends_at"], s["starts_at"]) < 600 + minutes
            ),
            None,
        )
        if later is not None:
            return _refused(f"{crew['call_sign']} begins again at {later['starts_at']} and needs ten hours of rest.")
        self._journal = []
        self._put("shifts", shift, "ends_at", _plus_minutes(shift["ends_at"], minutes))
        if self._breaks_rule_4(shift):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(shift):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: extend the shift of {crew['call_sign']} by {minutes} minutes.",
            "data": self._changes(),
        }

    def divert_hospital(self, hospital_id: str, until: DateTime | None = None, reason: Text | None = None) -> Result:
        """Put a hospital on diversion until a time, or open it again when no time is given.

        Args:
            hospital_id (str): Id of the hospital, such as HOSPITAL-00001.
            until (str, optional): Time until which patients are diverted, within twelve hours, as
                YYYY-MM-DDTHH:MM. If left out, the hospital is open again (give no reason either).
            reason (str, optional): Why patients are diverted, always together with a time. If left out, the
                hospital is open again (give no time either).

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        hospital = self.hospitals.get(hospital_id)
        if hospital is None:
            return _refused(f"There is no hospital {hospital_id!r}.")
        if until is None and hospital["diverting_until"] is None:
            return _refused(f"{hospital['name']} is not on diversion.")
        if (until is None) != (reason is None):
            return _refused("A diversion has both an end and a reason, and opening again has neither.")
        if not (until is None or self.now < until and until <= _plus_minutes(self.now, 720)):
            return _refused(f"A diversion ends within twelve hours from {self.now}.")
        self._journal = []
        self._put("hospitals", hospital, "diverting_until", until)
        self._put("hospitals", hospital, "diverting_for", reason)
        if self._breaks_rule_12(hospital):
            return self._take_back(RULES[11])
        done = f"change the diversion of {hospital['name']}"
        if until is not None:
            done += f" until {until}"
        if reason is not None:
            done += f" for {reason}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_zone(self, zone: Zone) -> dict[str, Any]:
        """The zone as an answer shows it."""
        return {**zone, "neighbour_ids": [*zone["neighbour_ids"]], "cover": self._zone_cover(zone)}

    def _show_hospital(self, hospital: Hospital) -> dict[str, Any]:
        """The hospital as an answer shows it."""
        return {**hospital, "treats": [*hospital["treats"]], "inbound": self._hospital_inbound(hospital)}

    def _show_crew(self, crew: Crew) -> dict[str, Any]:
        """The crew as an answer shows it."""
        return {**crew, "free": self._crew_free(crew)}

    def _show_incident(self, incident: Incident) -> dict[str, Any]:
        """The incident as an answer shows it."""
        return {**incident, "waiting": self._incident_waiting(incident)}

    def _names_of_zones(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that zones point to."""
        return _names((self.zones, "name", [each for row in shown for each in row["neighbour_ids"]]))

    def _names_of_hospitals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that hospitals point to."""
        return _names((self.zones, "name", [row["zone_id"] for row in shown]))

    def _names_of_crews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that crews point to."""
        return _names(
            (self.zones, "name", [row["home_id"] for row in shown]),
            (self.zones, "name", [row["posted_id"] for row in shown]),
        )

    def _names_of_shifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that shifts point to."""
        return _names((self.crews, "call_sign", [row["crew_id"] for row in shown]))

    def _names_of_incidents(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that incidents point to."""
        return _names((self.zones, "name", [row["zone_id"] for row in shown]))

    def _names_of_runs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that runs point to."""
        return _names(
            (self.crews, "call_sign", [row["crew_id"] for row in shown]),
            (self.incidents, "number", [row["incident_id"] for row in shown]),
            (self.hospitals, "name", [row["hospital_id"] for row in shown]),
        )

    def _zone_cover(self, zone: Zone) -> int:
        """The cover of a zone."""
        return sum(1 for c in self._crews_by_posted.get(zone["id"], {}).values() if self._crew_free(c))

    def _hospital_inbound(self, hospital: Hospital) -> int:
        """The inbound of a hospital."""
        return len(self._runs_by_hospital_status.get((hospital["id"], "transporting"), {}))

    def _crew_free(self, crew: Crew) -> bool:
        """The free of a crew."""
        return self._can_go(self._duty(crew)) and self._run_of(crew) is None

    def _incident_waiting(self, incident: Incident) -> bool:
        """The waiting of an incident."""
        return (
            incident["status"] == "open"
            and not any(self._under_way(r) for r in self._runs_by_incident.get(incident["id"], {}).values())
        )

    def _duty(self, c: Crew) -> Shift | None:
        return next(
            (s for s in sorted(self._shifts_by_crew_status.get((c["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _can_go(self, s: Shift | None) -> bool:
        return s is not None and not s["on_break"] and (s["starts_at"] <= self.now and self.now < s["ends_at"])

    def _under_way(self, r: Run) -> bool:
        return r["status"] in ("sent", "on_scene", "transporting")

    def _run_of(self, c: Crew) -> Run | None:
        return next(
            (r for r in sorted(self._runs_by_crew.get(c["id"], {}).values(), key=_age) if self._under_way(r)),
            None,
        )

    def _beside(self, a: Zone, b: Zone) -> bool:
        return b["id"] in a["neighbour_ids"] or a["id"] in b["neighbour_ids"]

    def _near(self, c: Crew, i: Incident) -> bool:
        return c["posted_id"] == i["zone_id"] or self._beside(self.zones[c["posted_id"]], self.zones[i["zone_id"]])

    def _can_spare(self, c: Crew) -> bool:
        return (
            not self._crew_free(c)
            or self._zone_cover(self.zones[c["posted_id"]]) > self.zones[c["posted_id"]]["minimum"]
        )

    def _closed_now(self, h: Hospital) -> bool:
        return h["diverting_until"] is not None and h["diverting_until"] > self.now

    def _fit_for(self, h: Hospital, i: Incident) -> bool:
        return i["needs"] is None or i["needs"] in h["treats"]

    def _takes(self, h: Hospital, i: Incident) -> bool:
        return (
            self._fit_for(h, i)
            and self._hospital_inbound(h) < h["bays"]
            and (
                not self._closed_now(h)
                or not any(not self._closed_now(o) for o in self.hospitals.values() if self._fit_for(o, i))
            )
        )

    def _breaks_rule_1(self, r: Run) -> bool:
        """Whether this is broken: a crew is on one run at a time."""
        return (
            self._under_way(r)
            and any(
                other_r is not r
                for other_r in self._runs_by_crew.get(r["crew_id"], {}).values()
                if self._under_way(other_r)
            )
        )

    def _breaks_rule_2(self, r: Run) -> bool:
        """Whether this is broken: a crew on a run is on duty and not on a break."""
        return (
            self._under_way(r)
            and not any(
                s["status"] == "running"
                and not s["on_break"]
                for s in self._shifts_by_crew.get(r["crew_id"], {}).values()
            )
        )

    def _breaks_rule_3(self, s: Shift) -> bool:
        """Whether this is broken: a crew works one shift at a time."""
        return (
            s["status"] == "running"
            and any(
                other_s is not s
                for other_s in self._shifts_by_crew_status.get((s["crew_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_4(self, a: Shift) -> bool:
        """Whether this is broken: between two shifts of a crew lie at least ten hours."""
        return any(
            _minutes_between(a["ends_at"], b["starts_at"]) < 600
            and _minutes_between(b["ends_at"], a["starts_at"]) < 600
            for b in self._shifts_by_crew.get(a["crew_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_5(self, s: Shift) -> bool:
        """Whether this is broken: no shift is longer than thirteen hours."""
        return (
            60 > _minutes_between(s["starts_at"], s["ends_at"])
            or _minutes_between(s["starts_at"], s["ends_at"]) > 780
        )

    def _breaks_rule_6(self, s: Shift) -> bool:
        """Whether this is broken: only a running shift is interrupted by a break."""
        return s["on_break"] and s["status"] != "running"

    def _breaks_rule_7_r(self, r: Run) -> bool:
        """Whether this is broken: no crew is under way for an incident that is over."""
        return self._under_way(r) and self.incidents[r["incident_id"]]["status"] != "open"

    def _breaks_rule_7_i(self, i: Incident) -> bool:
        """Whether this is broken: no crew is under way for an incident that is over."""
        return (i["closed_at"] is not None) != (i["status"] != "open")

    def _breaks_rule_8(self, r: Run) -> bool:
        """Whether this is broken: patients are taken to hospitals that treat what they need."""
        return (
            r["hospital_id"] is not None
            and not self._fit_for(self.hospitals[r["hospital_id"]], self.incidents[r["incident_id"]])
        )

    def _breaks_rule_9(self, h: Hospital) -> bool:
        """Whether this is broken: no more ambulances are on their way to a hospital than it has bays."""
        return self._hospital_inbound(h) > h["bays"]

    def _breaks_rule_10(self, c: Crew) -> bool:
        """Whether this is broken: a crew stands in its home zone or next to it."""
        return not (
            c["posted_id"] == c["home_id"]
            or self._beside(self.zones[c["posted_id"]], self.zones[c["home_id"]])
        )

    def _breaks_rule_11(self, i: Incident) -> bool:
        """Whether this is broken: at most three crews are under way for one incident."""
        return sum(1 for r in self._runs_by_incident.get(i["id"], {}).values() if self._under_way(r)) > 3

    def _breaks_rule_12(self, h: Hospital) -> bool:
        """Whether this is broken: a diversion has an end and a reason."""
        return (h["diverting_until"] is None) != (h["diverting_for"] is None)

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
            case "crews":
                self._crews_by_posted.setdefault(record["posted_id"], {})[record["id"]] = record
            case "shifts":
                self._shifts_by_crew.setdefault(record["crew_id"], {})[record["id"]] = record
                self._shifts_by_crew_status.setdefault((record["crew_id"], record["status"]), {})[record["id"]] = record
            case "incidents":
                self._incidents_by_lower_number.setdefault(record["number"].lower(), {})[record["id"]] = record
                self._incidents_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._incidents_by_zone_status.setdefault(
                    (record["zone_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "runs":
                self._runs_by_crew.setdefault(record["crew_id"], {})[record["id"]] = record
                self._runs_by_crew_status.setdefault((record["crew_id"], record["status"]), {})[record["id"]] = record
                self._runs_by_hospital_status.setdefault(
                    (record["hospital_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._runs_by_incident.setdefault(record["incident_id"], {})[record["id"]] = record
                self._runs_by_incident_status.setdefault(
                    (record["incident_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "crews":
                del self._crews_by_posted[record["posted_id"]][record["id"]]
            case "shifts":
                del self._shifts_by_crew[record["crew_id"]][record["id"]]
                del self._shifts_by_crew_status[record["crew_id"], record["status"]][record["id"]]
            case "incidents":
                del self._incidents_by_lower_number[record["number"].lower()][record["id"]]
                del self._incidents_by_number[record["number"]][record["id"]]
                del self._incidents_by_zone_status[record["zone_id"], record["status"]][record["id"]]
            case "runs":
                del self._runs_by_crew[record["crew_id"]][record["id"]]
                del self._runs_by_crew_status[record["crew_id"], record["status"]][record["id"]]
                del self._runs_by_hospital_status[record["hospital_id"], record["status"]][record["id"]]
                del self._runs_by_incident[record["incident_id"]][record["id"]]
                del self._runs_by_incident_status[record["incident_id"], record["status"]][record["id"]]
