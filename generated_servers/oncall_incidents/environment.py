"""On-call incidents. Compiled from blueprint.yaml; run `envscaler build oncall_incidents` after changing it there.

Runs the on-call duty of software teams, with rotations and overrides, incidents that are paged, escalated,
merged and resolved, and the actions that follow from them.
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
    "A team has one turn at a level at a time, and a turn ends after it begins.",
    "Engineers take turns in their own team only, and never two at a time.",
    "An override lies inside its turn and is taken by another engineer of that team.",
    "A turn is covered by one override at a time.",
    "Whoever covers for somebody has no turn of their own and no other cover in those days.",
    "A service has one incident that is not over at a time.",
    "An incident is merged into one that was not merged itself, on a service on which its own rests.",
    "Somebody handles an incident from its acknowledgement on, and it is resolved with a cause.",
    "Nobody is handling more than three incidents at a time.",
    "A closed incident has no open action, and a grave one was never closed without an action that was done.",
    "Actions never hang on merged incidents.",
    "Nobody has more than six open actions.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_incident",
    "acknowledge_incident",
    "escalate_incident",
    "hand_over_incident",
    "merge_incident",
    "resolve_incident",
    "close_incident",
    "add_action",
    "settle_action",
    "add_override",
    "plan_turn",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "teams": ("name",),
    "engineers": ("name",),
    "services": ("name",),
    "turns": (),
    "overrides": (),
    "incidents": ("title",),
    "actions": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("actions", "incident_id"),
    ("actions", "owner_id"),
    ("actions", "status"),
    ("engineers", "team_id"),
    ("incidents", "handler_id"),
    ("incidents", "merged_into_id"),
    ("incidents", "service_id"),
    ("incidents", "status"),
    ("overrides", "engineer_id"),
    ("overrides", "turn_id"),
    ("services", "need_ids"),
    ("turns", "engineer_id"),
    ("turns", "team_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Team(TypedDict):
    id: str
    name: str


class Engineer(TypedDict):
    id: str
    name: str
    team_id: str
    lead: bool


class Service(TypedDict):
    id: str
    name: str
    team_id: str
    tier: int
    need_ids: list[str]


class Turn(TypedDict):
    id: str
    team_id: str
    level: int
    engineer_id: str
    starts: str
    ends: str


class Override(TypedDict):
    id: str
    turn_id: str
    engineer_id: str
    starts: str
    ends: str
    reason: str


class Incident(TypedDict):
    id: str
    title: str
    service_id: str
    severity: Literal["sev1", "sev2", "sev3", "sev4"]
    opened_at: str
    level: int
    paged_id: str
    paged_at: str
    handler_id: str | None
    merged_into_id: str | None
    cause: str | None
    resolved_at: str | None
    status: Literal["open", "acknowledged", "merged", "resolved", "closed"]


class Action(TypedDict):
    id: str
    incident_id: str
    task: str
    owner_id: str
    due: str
    status: Literal["open", "done", "dropped"]


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


class OncallIncidents:
    """Runs the on-call duty of software teams, with rotations and overrides, incidents that are paged,
    escalated, merged and resolved, and the actions that follow from them.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.engineers: dict[str, Engineer] = _copied(config.get("engineers", {}))
        self.services: dict[str, Service] = _copied(config.get("services", {}))
        self.turns: dict[str, Turn] = _copied(config.get("turns", {}))
        self.overrides: dict[str, Override] = _copied(config.get("overrides", {}))
        self.incidents: dict[str, Incident] = _copied(config.get("incidents", {}))
        self.actions: dict[str, Action] = _copied(config.get("actions", {}))
        self.now: str = config.get("now", "2026-09-15T10:30")
        self.counters: dict[str, int] = {
            "team": len(self.teams),
            "engineer": len(self.engineers),
            "service": len(self.services),
            "turn": len(self.turns),
            "override": len(self.overrides),
            "incident": len(self.incidents),
            "action": len(self.actions),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._engineers_by_team: dict[Any, dict[str, Engineer]] = {}
        self._services_by_needs: dict[Any, dict[str, Service]] = {}
        self._turns_by_engineer: dict[Any, dict[str, Turn]] = {}
        self._turns_by_team: dict[Any, dict[str, Turn]] = {}
        self._overrides_by_engineer: dict[Any, dict[str, Override]] = {}
        self._overrides_by_turn: dict[Any, dict[str, Override]] = {}
        self._incidents_by_handler_status: dict[Any, dict[str, Incident]] = {}
        self._incidents_by_merged_into: dict[Any, dict[str, Incident]] = {}
        self._incidents_by_service: dict[Any, dict[str, Incident]] = {}
        self._actions_by_incident: dict[Any, dict[str, Action]] = {}
        self._actions_by_incident_status: dict[Any, dict[str, Action]] = {}
        self._actions_by_owner_status: dict[Any, dict[str, Action]] = {}
        for engineer in self.engineers.values():
            self._link("engineers", engineer)
        for service in self.services.values():
            self._link("services", service)
        for turn in self.turns.values():
            self._link("turns", turn)
        for override in self.overrides.values():
            self._link("overrides", override)
        for incident in self.incidents.values():
            self._link("incidents", incident)
        for action in self.actions.values():
            self._link("actions", action)

    def who_is_on_call(self, team_id: str, on: Date) -> Result:
        """Who is on call for a team on a day, overrides included.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            on (str): Day for which you want to know it, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {first_level, second_level, lead}} or {"success": False, "error": why
                not}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        answer = {
            "first_level": _id_of(self._by_turn(team, 1, on)),
            "second_level": _id_of(self._by_turn(team, 2, on)),
            "lead": _id_of(self._lead_of(team)),
        }
        return _found(
            answer,
            _names(
                (self.engineers, "name", [row["first_level"] for row in [answer]]),
                (self.engineers, "name", [row["second_level"] for row in [answer]]),
                (self.engineers, "name", [row["lead"] for row in [answer]]),
            ),
        )

    def unanswered(
        self,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Incidents that nobody has acknowledged although the time for an answer is over, longest overdue first.

        Args:
            team_id (str, optional): Team that owns the services; an id such as TEAM-00001. If left out, the
                incidents of all teams are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "incidents": records}} or {"success": False, "error":
                why not}
        """
        team = self.teams.get(team_id) if team_id is not None else None
        if team_id is not None and team is None:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            i
            for i in self.incidents.values()
            if (i["status"] == "open" and self._incident_answer_due(i) < self.now)
            and (team_id is None or self.services[i["service_id"]]["team_id"] == team_id)
        ]
        found.sort(key=lambda i: (self._incident_answer_due(i), i["id"], _age(i)))
        return _found(
            {
                "total": len(found),
                "incidents": [
                    {
                        "id": i["id"],
                        "title": i["title"],
                        "service": self.services[i["service_id"]]["name"],
                        "severity": i["severity"],
                        "level": i["level"],
                        "paged": self.engineers[i["paged_id"]]["name"],
                        "answer_due": self._incident_answer_due(i),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def resting_on(self, service_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Services that rest on one, directly or through others, with the incidents that run on them.

        Args:
            service_id (str): Id of the service, such as SERVICE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "services": records}} or {"success": False, "error": why
                not}
        """
        service = self.services.get(service_id)
        if service is None:
            return _refused(f"There is no service {service_id!r}.")
        found = [s for s in _below(self._services_by_needs, service)]
        found.sort(key=lambda s: (s["name"], _age(s)))
        shown = [
            {
                "id": s["id"],
                "name": s["name"],
                "tier": s["tier"],
                "team": self.teams[s["team_id"]]["name"],
                "incident": _id_of(self._running_on(s)),
            }
            for s in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "services": shown},
            _names((self.incidents, "title", [row["incident"] for row in shown])),
        )

    def list_teams(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the teams, oldest first, all of them or only some.

        Args:
            name (str, optional): Only teams whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "teams": records}}
        """
        found = [team for team in self.teams.values() if (name is None or name.casefold() in team["name"].casefold())]
        return _found({"total": len(found), "teams": [{**team} for team in _page(found, offset)]})

    def list_engineers(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        lead: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the engineers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only engineers whose name contains this text.
            team_id (str, optional): Only engineers of this team.
            lead (bool, optional): Only engineers with this value of `lead`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "engineers": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            engineer
            for engineer in self.engineers.values()
            if (name is None or name.casefold() in engineer["name"].casefold())
            and (team_id is None or engineer["team_id"] == team_id)
            and (lead is None or engineer["lead"] == lead)
        ]
        shown = [self._show_engineer(engineer) for engineer in _page(found, offset)]
        return _found({"total": len(found), "engineers": shown}, self._names_of_engineers(shown))

    def list_services(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the services, oldest first, all of them or only some.

        Args:
            name (str, optional): Only services whose name contains this text.
            team_id (str, optional): Only services of this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "services": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            service
            for service in self.services.values()
            if (name is None or name.casefold() in service["name"].casefold())
            and (team_id is None or service["team_id"] == team_id)
        ]
        shown = [self._show_service(service) for service in _page(found, offset)]
        return _found({"total": len(found), "services": shown}, self._names_of_services(shown))

    def list_turns(
        self,
        team_id: str | None = None,
        engineer_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the turns, oldest first, all of them or only some.

        Args:
            team_id (str, optional): Only turns of this team.
            engineer_id (str, optional): Only turns of this engineer.
            starts_from (str, optional): Only turns whose `starts` is on this day or later.
            starts_to (str, optional): Only turns whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "turns": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if engineer_id is not None and engineer_id not in self.engineers:
            return _refused(f"There is no engineer {engineer_id!r}.")
        found = [
            turn
            for turn in self.turns.values()
            if (team_id is None or turn["team_id"] == team_id)
            and (engineer_id is None or turn["engineer_id"] == engineer_id)
            and (starts_from is None or turn["starts"] >= starts_from)
            and (starts_to is None or turn["starts"] <= starts_to)
        ]
        shown = [{**turn} for turn in _page(found, offset)]
        return _found({"total": len(found), "turns": shown}, self._names_of_turns(shown))

    def list_overrides(
        self,
        turn_id: str | None = None,
        engineer_id: str | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the overrides, oldest first, all of them or only some.

        Args:
            turn_id (str, optional): Only overrides of this turn.
            engineer_id (str, optional): Only overrides of this engineer.
            starts_from (str, optional): Only overrides whose `starts` is on this day or later.
            starts_to (str, optional): Only overrides whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "overrides": records}}
        """
        if turn_id is not None and turn_id not in self.turns:
            return _refused(f"There is no turn {turn_id!r}.")
        if engineer_id is not None and engineer_id not in self.engineers:
            return _refused(f"There is no engineer {engineer_id!r}.")
        found = [
            override
            for override in self.overrides.values()
            if (turn_id is None or override["turn_id"] == turn_id)
            and (engineer_id is None or override["engineer_id"] == engineer_id)
            and (starts_from is None or override["starts"] >= starts_from)
            and (starts_to is None or override["starts"] <= starts_to)
        ]
        shown = [{**override} for override in _page(found, offset)]
        return _found({"total": len(found), "overrides": shown}, self._names_of_overrides(shown))

    def get_incident(self, incident_id: str) -> Result:
        """Look up one incident by its id.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        shown = self._show_incident(incident)
        return _found(shown, self._names_of_incidents([shown]))

    def list_incidents(
        self,
        title: Text | None = None,
        service_id: str | None = None,
        severity: Literal["sev1", "sev2", "sev3", "sev4"] | None = None,
        paged_id: str | None = None,
        handler_id: str | None = None,
        merged_into_id: str | None = None,
        status: Literal["open", "acknowledged", "merged", "resolved", "closed"] | None = None,
        opened_at_from: Date | None = None,
        opened_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the incidents, oldest first, all of them or only some.

        Args:
            title (str, optional): Only incidents whose title contains this text.
            service_id (str, optional): Only incidents of this service.
            severity (str, optional): Only incidents with this severity.
            paged_id (str, optional): Only incidents whose paged is this engineer.
            handler_id (str, optional): Only incidents whose handler is this engineer.
            merged_into_id (str, optional): Only incidents whose merged into is this incident.
            status (str, optional): Only incidents with this status.
            opened_at_from (str, optional): Only incidents whose `opened_at` is on this day or later.
            opened_at_to (str, optional): Only incidents whose `opened_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "incidents": records}}
        """
        if service_id is not None and service_id not in self.services:
            return _refused(f"There is no service {service_id!r}.")
        if paged_id is not None and paged_id not in self.engineers:
            return _refused(f"There is no engineer {paged_id!r}.")
        if handler_id is not None and handler_id not in self.engineers:
            return _refused(f"There is no engineer {handler_id!r}.")
        if merged_into_id is not None and merged_into_id not in self.incidents:
            return _refused(f"There is no incident {merged_into_id!r}.")
        found = [
            incident
            for incident in self.incidents.values()
            if (title is None or title.casefold() in incident["title"].casefold())
            and (service_id is None or incident["service_id"] == service_id)
            and (severity is None or incident["severity"] == severity)
            and (paged_id is None or incident["paged_id"] == paged_id)
            and (handler_id is None or incident["handler_id"] == handler_id)
            and (merged_into_id is None or incident["merged_into_id"] == merged_into_id)
            and (status is None or incident["status"] == status)
            and (opened_at_from is None or incident["opened_at"][:10] >= opened_at_from)
            and (opened_at_to is None or incident["opened_at"][:10] <= opened_at_to)
        ]
        shown = [self._show_incident(incident) for incident in _page(found, offset)]
        return _found({"total": len(found), "incidents": shown}, self._names_of_incidents(shown))

    def list_actions(
        self,
        incident_id: str | None = None,
        owner_id: str | None = None,
        status: Literal["open", "done", "dropped"] | None = None,
        due_from: Date | None = None,
        due_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the actions, oldest first, all of them or only some.

        Args:
            incident_id (str, optional): Only actions of this incident.
            owner_id (str, optional): Only actions whose owner is this engineer.
            status (str, optional): Only actions with this status.
            due_from (str, optional): Only actions whose `due` is on this day or later.
            due_to (str, optional): Only actions whose `due` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "actions": records}}
        """
        if incident_id is not None and incident_id not in self.incidents:
            return _refused(f"There is no incident {incident_id!r}.")
        if owner_id is not None and owner_id not in self.engineers:
            return _refused(f"There is no engineer {owner_id!r}.")
        found = [
            action
            for action in self.actions.values()
            if (incident_id is None or action["incident_id"] == incident_id)
            and (owner_id is None or action["owner_id"] == owner_id)
            and (status is None or action["status"] == status)
            and (due_from is None or action["due"] >= due_from)
            and (due_to is None or action["due"] <= due_to)
        ]
        shown = [{**action} for action in _page(found, offset)]
        return _found({"total": len(found), "actions": shown}, self._names_of_actions(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_incident(
        self,
        service_id: str,
        severity: Literal["sev1", "sev2", "sev3", "sev4"],
        title: Text,
    ) -> Result:
        """Open an incident on a service and page the first level of its team.

        Args:
            service_id (str): Id of the service, such as SERVICE-00001.
            severity (str): How grave the incident is, sev1 being the gravest: sev1, sev2, sev3 or sev4.
            title (str): What is wrong, in a few words.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        service = self.services.get(service_id)
        if service is None:
            return _refused(f"There is no service {service_id!r}.")
        other = self._running_on(service)
        if other is not None:
            return _refused(
                f"{service['name']} has the incident {other['title']}, which is {other['status']}, so escalate "
                "that one if it got worse."
            )
        person = self._on_call(self.teams[service["team_id"]], 1, self.now[:10])
        if person is None:
            return _refused(f"Nobody of {self.teams[service['team_id']]['name']} can be paged, so plan a turn first.")
        self._journal = []
        incident: Incident = {
            "id": self._new_id("incident", "INCIDENT", self.incidents),
            "title": title,
            "service_id": service_id,
            "severity": severity,
            "opened_at": self.now,
            "level": 1,
            "paged_id": person["id"],
            "paged_at": self.now,
            "handler_id": None,
            "merged_into_id": None,
            "cause": None,
            "resolved_at": None,
            "status": "open",
        }
        self._add("incidents", incident)
        if self._breaks_rule_6(incident):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_i(incident):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_i_again(incident):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_i(incident):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(incident):
            return self._take_back(RULES[7])
        for one_engineer in _distinct([self.engineers.get(incident["handler_id"])]):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(incident):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: open {severity} {title} on {service['name']} (new: incident {incident['id']}).",
            "data": {"incident_id": incident["id"], **self._changes()},
        }

    def acknowledge_incident(self, incident_id: str, by_id: str) -> Result:
        """Let the person who was paged, or somebody else who is on call in that team today, take an incident.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            by_id (str): Engineer who takes the incident, paged or on call in that team today; an id such as
                ENGINEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        by = self.engineers.get(by_id)
        if by is None:
            return _refused(f"There is no engineer {by_id!r}.")
        if incident["status"] != "open":
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}."
            )
        if (
            by_id != incident["paged_id"]
            and by is not self._on_call(
                self.teams[self.services[incident["service_id"]]["team_id"]],
                1,
                self.now[:10],
            )
            and by is not self._on_call(
                self.teams[self.services[incident["service_id"]]["team_id"]],
                2,
                self.now[:10],
            )
        ):
            return _refused(
                f"{by['name']} was not paged and is not on call for "
                f"{self.teams[self.services[incident['service_id']]['team_id']]['name']}."
            )
        if self._engineer_working_on(by) >= 3:
            return _refused(f"{by['name']} is handling three incidents already.")
        self._journal = []
        former_handler_id = incident["handler_id"]
        self._put("incidents", incident, "handler_id", by_id)
        self._put("incidents", incident, "status", "acknowledged")
        if self._breaks_rule_6(incident):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_i(incident):
            return self._take_back(RULES[6])
        for one_incident in _distinct(self._incidents_by_merged_into.get(incident["id"], {}).values()):
            if self._breaks_rule_7_i_again(one_incident):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(incident):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(incident):
            return self._take_back(RULES[7])
        for one_engineer in _distinct(
            [self.engineers.get(incident["handler_id"]), self.engineers.get(former_handler_id)]
        ):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(incident):
            return self._take_back(RULES[9])
        for one_action in _distinct(self._actions_by_incident.get(incident["id"], {}).values()):
            if self._breaks_rule_11(one_action):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: acknowledge {incident['title']} on {self.services[incident['service_id']]['name']} as "
                f"{by['name']}."
            ),
            "data": self._changes(),
        }

    def escalate_incident(
        self,
        incident_id: str,
        severity: Literal["sev1", "sev2", "sev3", "sev4"] | None = None,
    ) -> Result:
        """Page the next level, because nobody answered in time, because whoever handles the incident needs help, or
        because it became graver.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            severity (str, optional): Graver severity than before, sev1 being the gravest: sev1, sev2, sev3 or
                sev4. If left out, the severity stays, and only an acknowledged or overdue incident is escalated.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if not self._running(incident):
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}."
            )
        if severity is not None and severity >= incident["severity"]:
            return _refused(
                f"{incident['title']} is {incident['severity']}, and escalating cannot make it {severity}."
            )
        if (
            severity is None
            and incident["status"] != "acknowledged"
            and self._incident_answer_due(incident) >= self.now
        ):
            return _refused(
                f"An answer for {incident['title']} is due at {self._incident_answer_due(incident)}, so only a "
                "graver severity would escalate it."
            )
        if incident["level"] >= 3:
            return _refused(f"{incident['title']} has reached the lead of the team.")
        person = self._on_call(
            self.teams[self.services[incident["service_id"]]["team_id"]],
            incident["level"] + 1,
            self.now[:10],
        )
        if person is None:
            return _refused(
                f"Nobody of {self.teams[self.services[incident['service_id']]['team_id']]['name']} is left to be "
                "paged."
            )
        self._journal = []
        changed_incidents: list[Any] = []
        level = incident["level"] + 1
        if not 1 <= level <= 3:
            return self._take_back(f"The level of {incident['title']} must be between 1 and 3.")
        self._put("incidents", incident, "level", level)
        self._put("incidents", incident, "severity", severity if severity is not None else incident["severity"])
        self._put("incidents", incident, "paged_id", person["id"])
        self._put("incidents", incident, "paged_at", self.now)
        former_handler_id = incident["handler_id"]
        self._put("incidents", incident, "handler_id", None)
        if incident["status"] == "acknowledged":
            if incident["status"] not in ("open", "acknowledged"):
                return self._take_back(f"Incident {incident['title']} cannot go from {incident['status']} to open.")
            changed_incidents.append(incident)
            self._put("incidents", incident, "status", "open")
        for one_incident in _distinct(changed_incidents):
            if self._breaks_rule_6(one_incident):
                return self._take_back(RULES[5])
        for one_incident in _distinct(changed_incidents):
            if self._breaks_rule_7_i(one_incident):
                return self._take_back(RULES[6])
        for one_incident in _distinct(
            [user for one in changed_incidents for user in self._incidents_by_merged_into.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7_i_again(one_incident):
                return self._take_back(RULES[6])
        for one_incident in _distinct([incident, *changed_incidents]):
            if self._breaks_rule_8_i(one_incident):
                return self._take_back(RULES[7])
        for one_incident in _distinct(changed_incidents):
            if self._breaks_rule_8_i_again(one_incident):
                return self._take_back(RULES[7])
        for one_engineer in _distinct(
            [
                self.engineers.get(incident["handler_id"]),
                self.engineers.get(former_handler_id),
                *[self.engineers.get(one["handler_id"]) for one in changed_incidents],
            ]
        ):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        for one_incident in _distinct([incident, *changed_incidents]):
            if self._breaks_rule_10(one_incident):
                return self._take_back(RULES[9])
        for one_action in _distinct(
            [user for one in changed_incidents for user in self._actions_by_incident.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_action):
                return self._take_back(RULES[10])
        done = f"escalate {incident['title']} on {self.services[incident['service_id']]['name']}"
        if severity is not None:
            done += f" as {severity}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_over_incident(self, incident_id: str, to_id: str) -> Result:
        """Hand an acknowledged incident to another engineer of the team that owns the service.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            to_id (str): Engineer of the team owning the service, who takes the incident over; an id such as
                ENGINEER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        to = self.engineers.get(to_id)
        if to is None:
            return _refused(f"There is no engineer {to_id!r}.")
        if incident["status"] != "acknowledged":
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}."
            )
        if to_id == incident["handler_id"]:
            return _refused(f"{to['name']} is handling {incident['title']} already.")
        if to["team_id"] != self.services[incident["service_id"]]["team_id"]:
            return _refused(
                f"{to['name']} belongs to {self.teams[to['team_id']]['name']}, and "
                f"{self.services[incident['service_id']]['name']} to "
                f"{self.teams[self.services[incident['service_id']]['team_id']]['name']}."
            )
        if self._engineer_working_on(to) >= 3:
            return _refused(f"{to['name']} is handling three incidents already.")
        self._journal = []
        former_handler_id = incident["handler_id"]
        self._put("incidents", incident, "handler_id", to_id)
        if self._breaks_rule_8_i(incident):
            return self._take_back(RULES[7])
        for one_engineer in _distinct(
            [self.engineers.get(incident["handler_id"]), self.engineers.get(former_handler_id)]
        ):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: hand {incident['title']} on {self.services[incident['service_id']]['name']} over to "
                f"{to['name']}."
            ),
            "data": self._changes(),
        }

    def merge_incident(self, incident_id: str, into_id: str) -> Result:
        """Merge an incident into another one on a service on which its own rests; actions and earlier merges move
        along.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            into_id (str): Running incident that absorbs this one, on a service on which its own rests; an id such
                as INCIDENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        into = self.incidents.get(into_id)
        if into is None:
            return _refused(f"There is no incident {into_id!r}.")
        if incident is into:
            return _refused("An incident cannot be merged into itself.")
        if not self._running(incident):
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}."
            )
        if not self._running(into):
            return _refused(f"{into['title']} on {self.services[into['service_id']]['name']} is {into['status']}.")
        if not self._rests_on(self.services[incident["service_id"]], self.services[into["service_id"]]):
            return _refused(
                f"{self.services[incident['service_id']]['name']} does not rest on "
                f"{self.services[into['service_id']]['name']}."
            )
        self._journal = []
        changed_actions: list[Any] = []
        former_incident_ids: list[Any] = []
        changed_incidents: list[Any] = []
        for x in sorted(self._actions_by_incident.get(incident_id, {}).values(), key=_age):
            changed_actions.append(x)
            former_incident_ids.append(x["incident_id"])
            self._put("actions", x, "incident_id", into_id)
        for i in sorted(self._incidents_by_merged_into.get(incident_id, {}).values(), key=_age):
            changed_incidents.append(i)
            self._put("incidents", i, "merged_into_id", into_id)
        self._put("incidents", incident, "merged_into_id", into_id)
        if incident["status"] not in ("open", "acknowledged", "merged"):
            return self._take_back(f"Incident {incident['title']} cannot go from {incident['status']} to merged.")
        self._put("incidents", incident, "status", "merged")
        if self._breaks_rule_6(incident):
            return self._take_back(RULES[5])
        for one_incident in _distinct([incident, *changed_incidents]):
            if self._breaks_rule_7_i(one_incident):
                return self._take_back(RULES[6])
        for one_incident in _distinct(
            [incident, *changed_incidents, *self._incidents_by_merged_into.get(incident["id"], {}).values()]
        ):
            if self._breaks_rule_7_i_again(one_incident):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(incident):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(incident):
            return self._take_back(RULES[7])
        for one_engineer in _distinct([self.engineers.get(incident["handler_id"])]):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        for one_incident in _distinct(
            [
                incident,
                *[self.incidents[one["incident_id"]] for one in changed_actions],
                *[self.incidents.get(key) for key in former_incident_ids],
            ]
        ):
            if self._breaks_rule_10(one_incident):
                return self._take_back(RULES[9])
        for one_action in _distinct([*changed_actions, *self._actions_by_incident.get(incident["id"], {}).values()]):
            if self._breaks_rule_11(one_action):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: merge the incident on {self.services[incident['service_id']]['name']} into the one on "
                f"{self.services[into['service_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def resolve_incident(self, incident_id: str, cause: Text) -> Result:
        """Resolve an acknowledged incident and say what caused it.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            cause (str): What caused the incident.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if incident["status"] != "acknowledged":
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}."
            )
        self._journal = []
        self._put("incidents", incident, "cause", cause)
        self._put("incidents", incident, "resolved_at", self.now)
        self._put("incidents", incident, "status", "resolved")
        if self._breaks_rule_6(incident):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_i(incident):
            return self._take_back(RULES[6])
        for one_incident in _distinct(self._incidents_by_merged_into.get(incident["id"], {}).values()):
            if self._breaks_rule_7_i_again(one_incident):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(incident):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(incident):
            return self._take_back(RULES[7])
        for one_engineer in _distinct([self.engineers.get(incident["handler_id"])]):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(incident):
            return self._take_back(RULES[9])
        for one_action in _distinct(self._actions_by_incident.get(incident["id"], {}).values()):
            if self._breaks_rule_11(one_action):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: resolve {incident['title']} on {self.services[incident['service_id']]['name']} with the "
                f"cause {cause}."
            ),
            "data": self._changes(),
        }

    def close_incident(self, incident_id: str) -> Result:
        """Close a resolved incident when nothing remains to be done; a SEV 1 or SEV 2 needs at least one action that
        was done.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        if incident["status"] != "resolved":
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}."
            )
        if self._incident_actions_open(incident) != 0:
            return _refused(f"{self._incident_actions_open(incident)} actions of {incident['title']} are open.")
        if not (not self._grave(incident) or bool(self._actions_by_incident_status.get((incident_id, "done"), {}))):
            return _refused(
                f"{incident['title']} was {incident['severity']} and needs an action that was done before it is "
                "closed."
            )
        self._journal = []
        self._put("incidents", incident, "status", "closed")
        if self._breaks_rule_6(incident):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_i(incident):
            return self._take_back(RULES[6])
        for one_incident in _distinct(self._incidents_by_merged_into.get(incident["id"], {}).values()):
            if self._breaks_rule_7_i_again(one_incident):
                return self._take_back(RULES[6])
        if self._breaks_rule_8_i(incident):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_i_again(incident):
            return self._take_back(RULES[7])
        for one_engineer in _distinct([self.engineers.get(incident["handler_id"])]):
            if self._breaks_rule_9(one_engineer):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(incident):
            return self._take_back(RULES[9])
        for one_action in _distinct(self._actions_by_incident.get(incident["id"], {}).values()):
            if self._breaks_rule_11(one_action):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: close {incident['title']} on {self.services[incident['service_id']]['name']}.",
            "data": self._changes(),
        }

    def add_action(self, incident_id: str, task: Text, owner_id: str, due: Date) -> Result:
        """Note what has to be done because of an incident, by whom and until when.

        Args:
            incident_id (str): Id of the incident, such as INCIDENT-00001.
            task (str): What has to be done.
            owner_id (str): Engineer who has to do it, with fewer than six open actions; an id such as
                ENGINEER-00001.
            due (str): Day by which it has to be done, after today and within 90 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        incident = self.incidents.get(incident_id)
        if incident is None:
            return _refused(f"There is no incident {incident_id!r}.")
        owner = self.engineers.get(owner_id)
        if owner is None:
            return _refused(f"There is no engineer {owner_id!r}.")
        if incident["status"] not in ("acknowledged", "resolved"):
            return _refused(
                f"{incident['title']} on {self.services[incident['service_id']]['name']} is {incident['status']}, "
                "so no action is added."
            )
        if self.now[:10] >= due or due > _plus_days(self.now[:10], 90):
            return _refused(f"An action is due within 90 days, not on {due}.")
        if self._engineer_open_actions(owner) >= 6:
            return _refused(f"{owner['name']} has six open actions and can take no more.")
        if any(x["task"].lower() == task.lower() for x in self._actions_by_incident.get(incident_id, {}).values()):
            return _refused(f"{incident['title']} has that action.")
        self._journal = []
        action: Action = {
            "id": self._new_id("action", "ACTION", self.actions),
            "incident_id": incident_id,
            "task": task,
            "owner_id": owner_id,
            "due": due,
            "status": "open",
        }
        self._add("actions", action)
        if self._breaks_rule_10(self.incidents[action["incident_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(action):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(self.engineers[action["owner_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: add the action {task} of {owner['name']} due on {due} (new: action {action['id']}).",
            "data": {"action_id": action["id"], **self._changes()},
        }

    def settle_action(self, action_id: str, outcome: Literal["done", "dropped"]) -> Result:
        """Mark an open action as done, or as dropped.

        Args:
            action_id (str): Id of the action, such as ACTION-00001.
            outcome (str): Whether the action was carried out or is given up: done or dropped.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        action = self.actions.get(action_id)
        if action is None:
            return _refused(f"There is no action {action_id!r}.")
        if action["status"] != "open":
            return _refused(f"The action of {self.engineers[action['owner_id']]['name']} is {action['status']}.")
        self._journal = []
        self._put("actions", action, "status", outcome)
        if self._breaks_rule_10(self.incidents[action["incident_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_12(self.engineers[action["owner_id"]]):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: mark the action of {self.engineers[action['owner_id']]['name']} on "
                f"{self.incidents[action['incident_id']]['title']} as {outcome}."
            ),
            "data": self._changes(),
        }

    def add_override(
        self,
        team_id: str,
        level: Annotated[int, {"minimum": 1, "maximum": 2}],
        engineer_id: str,
        starts: Date,
        ends: Date,
        reason: Text,
    ) -> Result:
        """Let another engineer of the team cover part of a turn, from one day up to another that is not covered any
        more.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            level (int): Level of the turn that is covered, where the first one is paged first, from 1 to 2.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.
            starts (str): First day that is covered, from today on, as YYYY-MM-DD.
            ends (str): Day after the last one covered, no later than the end of the turn, as YYYY-MM-DD.
            reason (str): Why the turn is covered by somebody else.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if self.now[:10] > starts or starts >= ends:
            return _refused("A cover begins today or later and ends after it begins.")
        turn = self._turn_of(team, level, starts)
        if turn is None:
            return _refused(f"{team['name']} has no turn at level {level} on {starts}.")
        if ends > turn["ends"]:
            return _refused(f"That turn of {self.engineers[turn['engineer_id']]['name']} ends on {turn['ends']}.")
        if engineer["team_id"] != team_id or engineer_id == turn["engineer_id"]:
            return _refused(
                f"{engineer['name']} belongs to {self.teams[engineer['team_id']]['name']}, and it is the turn of "
                f"{self.engineers[turn['engineer_id']]['name']} of {team['name']}."
            )
        taken = next(
            (
                o
                for o in sorted(self._overrides_by_turn.get(turn["id"], {}).values(), key=_age)
                if _overlap(o["starts"], o["ends"], starts, ends)
            ),
            None,
        )
        if taken is not None:
            return _refused(
                f"{self.engineers[taken['engineer_id']]['name']} covers from {taken['starts']} to {taken['ends']}."
            )
        own = next(
            (
                u
                for u in sorted(self._turns_by_engineer.get(engineer_id, {}).values(), key=_age)
                if _overlap(u["starts"], u["ends"], starts, ends)
            ),
            None,
        )
        if own is not None:
            return _refused(f"{engineer['name']} has a turn from {own['starts']} to {own['ends']}.")
        if any(
            _overlap(o["starts"], o["ends"], starts, ends)
            for o in self._overrides_by_engineer.get(engineer_id, {}).values()
        ):
            return _refused(f"{engineer['name']} covers for somebody else in those days.")
        self._journal = []
        override: Override = {
            "id": self._new_id("override", "OVERRIDE", self.overrides),
            "turn_id": turn["id"],
            "engineer_id": engineer_id,
            "starts": starts,
            "ends": ends,
            "reason": reason,
        }
        self._add("overrides", override)
        if self._breaks_rule_3(override):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(override):
            return self._take_back(RULES[3])
        if self._breaks_rule_5_o(override):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_a(override):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: let {engineer['name']} cover level {level} of {team['name']} from {starts} to {ends} "
                f"(new: override {override['id']})."
            ),
            "data": {"override_id": override["id"], **self._changes()},
        }

    def plan_turn(
        self,
        team_id: str,
        level: Annotated[int, {"minimum": 1, "maximum": 2}],
        engineer_id: str,
        starts: Date,
        ends: Date,
    ) -> Result:
        """Plan a coming turn of an engineer, from one day up to another that is not part of it.

        Args:
            team_id (str): Id of the team, such as TEAM-00001.
            level (int): Level of the turn, where the first one is paged first, from 1 to 2.
            engineer_id (str): Id of the engineer, such as ENGINEER-00001.
            starts (str): First day of the turn, from tomorrow on, as YYYY-MM-DD.
            ends (str): Day after the last one of the turn, which lasts 28 days at most, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        team = self.teams.get(team_id)
        if team is None:
            return _refused(f"There is no team {team_id!r}.")
        engineer = self.engineers.get(engineer_id)
        if engineer is None:
            return _refused(f"There is no engineer {engineer_id!r}.")
        if engineer["team_id"] != team_id:
            return _refused(f"{engineer['name']} belongs to {self.teams[engineer['team_id']]['name']}.")
        if not (self.now[:10] < starts and (_plus_days(starts, 1) <= ends and ends <= _plus_days(starts, 28))):
            return _refused("A turn begins tomorrow or later and lasts at most 28 days.")
        other = next(
            (
                u
                for u in sorted(self._turns_by_team.get(team_id, {}).values(), key=_age)
                if u["level"] == level
                and _overlap(u["starts"], u["ends"], starts, ends)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.engineers[other['engineer_id']]['name']} has that level from {other['starts']} to "
                f"{other['ends']}."
            )
        own = next(
            (
                u
                for u in sorted(self._turns_by_engineer.get(engineer_id, {}).values(), key=_age)
                if _overlap(u["starts"], u["ends"], starts, ends)
            ),
            None,
        )
        if own is not None:
            return _refused(f"{engineer['name']} has a turn from {own['starts']} to {own['ends']}.")
        if any(
            _overlap(o["starts"], o["ends"], starts, ends)
            for o in self._overrides_by_engineer.get(engineer_id, {}).values()
        ):
            return _refused(f"{engineer['name']} covers for somebody else in those days.")
        self._journal = []
        turn: Turn = {
            "id": self._new_id("turn", "TURN", self.turns),
            "team_id": team_id,
            "level": level,
            "engineer_id": engineer_id,
            "starts": starts,
            "ends": ends,
        }
        self._add("turns", turn)
        if self._breaks_rule_1_u(turn):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_a(turn):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_u(turn):
            return self._take_back(RULES[1])
        if self._breaks_rule_2_a(turn):
            return self._take_back(RULES[1])
        if self._breaks_rule_5_u(turn):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: plan {engineer['name']} at level {level} of {team['name']} from {starts} to {ends} (new: "
                f"turn {turn['id']})."
            ),
            "data": {"turn_id": turn["id"], **self._changes()},
        }

    def _show_engineer(self, engineer: Engineer) -> dict[str, Any]:
        """The engineer as an answer shows it."""
        return {
            **engineer,
            "open_actions": self._engineer_open_actions(engineer),
            "working_on": self._engineer_working_on(engineer),
        }

    def _show_service(self, service: Service) -> dict[str, Any]:
        """The service as an answer shows it."""
        return {**service, "need_ids": [*service["need_ids"]]}

    def _show_incident(self, incident: Incident) -> dict[str, Any]:
        """The incident as an answer shows it."""
        return {
            **incident,
            "answer_due": self._incident_answer_due(incident),
            "actions_open": self._incident_actions_open(incident),
        }

    def _names_of_engineers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that engineers point to."""
        return _names((self.teams, "name", [row["team_id"] for row in shown]))

    def _names_of_services(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that services point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.services, "name", [each for row in shown for each in row["need_ids"]]),
        )

    def _names_of_turns(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that turns point to."""
        return _names(
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.engineers, "name", [row["engineer_id"] for row in shown]),
        )

    def _names_of_overrides(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that overrides point to."""
        return _names((self.engineers, "name", [row["engineer_id"] for row in shown]))

    def _names_of_incidents(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that incidents point to."""
        return _names(
            (self.services, "name", [row["service_id"] for row in shown]),
            (self.engineers, "name", [row["paged_id"] for row in shown]),
            (self.engineers, "name", [row["handler_id"] for row in shown]),
            (self.incidents, "title", [row["merged_into_id"] for row in shown]),
        )

    def _names_of_actions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that actions point to."""
        return _names(
            (self.incidents, "title", [row["incident_id"] for row in shown]),
            (self.engineers, "name", [row["owner_id"] for row in shown]),
        )

    def _engineer_open_actions(self, engineer: Engineer) -> int:
        """The open actions of an engineer."""
        return len(self._actions_by_owner_status.get((engineer["id"], "open"), {}))

    def _engineer_working_on(self, engineer: Engineer) -> int:
        """The working on of an engineer."""
        return len(self._incidents_by_handler_status.get((engineer["id"], "acknowledged"), {}))

    def _incident_answer_due(self, incident: Incident) -> str:
        """The answer due of an incident."""
        return _plus_minutes(incident["paged_at"], self._minutes_to_answer(incident["severity"]))

    def _incident_actions_open(self, incident: Incident) -> int:
        """The actions open of an incident."""
        return len(self._actions_by_incident_status.get((incident["id"], "open"), {}))

    def _minutes_to_answer(self, s: str) -> int:
        return 5 if s == "sev1" else 15 if s == "sev2" else 60 if s == "sev3" else 240

    def _running(self, i: Incident) -> bool:
        return i["status"] in ("open", "acknowledged")

    def _running_on(self, s: Service) -> Incident | None:
        return next(
            (i for i in sorted(self._incidents_by_service.get(s["id"], {}).values(), key=_age) if self._running(i)),
            None,
        )

    def _turn_of(self, t: Team, l: int, d: str) -> Turn | None:
        return next(
            (
                u
                for u in sorted(self._turns_by_team.get(t["id"], {}).values(), key=_age)
                if u["level"] == l
                and (u["starts"] <= d and d < u["ends"])
            ),
            None,
        )

    def _covering(self, u: Turn, d: str) -> Override | None:
        return next(
            (
                o
                for o in sorted(self._overrides_by_turn.get(u["id"], {}).values(), key=_age)
                if (o["starts"] <= d and d < o["ends"])
            ),
            None,
        )

    def _by_turn(self, t: Team, l: int, d: str) -> Engineer | None:
        return next(
            (
                self.engineers[self._covering(u, d)["engineer_id"]]
                if self._covering(u, d) is not None
                else self.engineers[u["engineer_id"]]
                for u in sorted(self._turns_by_team.get(t["id"], {}).values(), key=_age)
                if u["level"] == l
                and (u["starts"] <= d and d < u["ends"])
            ),
            None,
        )

    def _lead_of(self, t: Team) -> Engineer | None:
        return next(
            (e for e in sorted(self._engineers_by_team.get(t["id"], {}).values(), key=_age) if e["lead"]),
            None,
        )

    def _on_call(self, t: Team, l: int, d: str) -> Engineer | None:
        return self._by_turn(t, l, d) or self._lead_of(t)

    def _rests_on(self, s: Service, base: Service) -> bool:
        return s is base or base in _above(self.services, s, "need_ids")

    def _grave(self, i: Incident) -> bool:
        return i["severity"] in ("sev1", "sev2")

    def _breaks_rule_1_u(self, u: Turn) -> bool:
        """Whether this is broken: a team has one turn at a level at a time, and a turn ends after it begins."""
        return u["starts"] >= u["ends"]

    def _breaks_rule_1_a(self, a: Turn) -> bool:
        """Whether this is broken: a team has one turn at a level at a time, and a turn ends after it begins."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._turns_by_team.get(a["team_id"], {}).values()
            if a is not b
            and a["level"] == b["level"]
        )

    def _breaks_rule_2_u(self, u: Turn) -> bool:
        """Whether this is broken: engineers take turns in their own team only, and never two at a time."""
        return self.engineers[u["engineer_id"]]["team_id"] != u["team_id"]

    def _breaks_rule_2_a(self, a: Turn) -> bool:
        """Whether this is broken: engineers take turns in their own team only, and never two at a time."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._turns_by_engineer.get(a["engineer_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_3(self, o: Override) -> bool:
        """Whether this is broken: an override lies inside its turn and is taken by another engineer of that team."""
        return not (
            (
                self.turns[o["turn_id"]]["starts"] <= o["starts"]
                and o["starts"] < o["ends"]
                and o["ends"] <= self.turns[o["turn_id"]]["ends"]
            )
            and o["engineer_id"] != self.turns[o["turn_id"]]["engineer_id"]
            and self.engineers[o["engineer_id"]]["team_id"] == self.turns[o["turn_id"]]["team_id"]
        )

    def _breaks_rule_4(self, a: Override) -> bool:
        """Whether this is broken: a turn is covered by one override at a time."""
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._overrides_by_turn.get(a["turn_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_5_o(self, o: Override) -> bool:
        """Whether this is broken: whoever covers for somebody has no turn of their own and no other cover in those
        days.
        """
        return any(
            _overlap(o["starts"], o["ends"], u["starts"], u["ends"])
            for u in self._turns_by_engineer.get(o["engineer_id"], {}).values()
        )

    def _breaks_rule_5_u(self, u: Turn) -> bool:
        """Whether this is broken: whoever covers for somebody has no turn of their own and no other cover in those
        days.
        """
        return any(
            _overlap(o["starts"], o["ends"], u["starts"], u["ends"])
            for o in self._overrides_by_engineer.get(u["engineer_id"], {}).values()
        )

    def _breaks_rule_5_a(self, a: Override) -> bool:
        """Whether this is broken: whoever covers for somebody has no turn of their own and no other cover in those
        days.
        """
        return any(
            _overlap(a["starts"], a["ends"], b["starts"], b["ends"])
            for b in self._overrides_by_engineer.get(a["engineer_id"], {}).values()
            if a is not b
        )

    def _breaks_rule_6(self, i: Incident) -> bool:
        """Whether this is broken: a service has one incident that is not over at a time."""
        return (
            self._running(i)
            and any(
                other_i is not i
                for other_i in self._incidents_by_service.get(i["service_id"], {}).values()
                if self._running(other_i)
            )
        )

    def _breaks_rule_7_i(self, i: Incident) -> bool:
        """Whether this is broken: an incident is merged into one that was not merged itself, on a service on which
        its own rests.
        """
        return (i["status"] == "merged") != (i["merged_into_id"] is not None)

    def _breaks_rule_7_i_again(self, i: Incident) -> bool:
        """Whether this is broken: an incident is merged into one that was not merged itself, on a service on which
        its own rests.
        """
        return (
            i["merged_into_id"] is not None
            and not (
                self.incidents[i["merged_into_id"]]["status"] != "merged"
                and i["merged_into_id"] != i["id"]
                and self._rests_on(
                    self.services[i["service_id"]],
                    self.services[self.incidents[i["merged_into_id"]]["service_id"]],
                )
            )
        )

    def _breaks_rule_8_i(self, i: Incident) -> bool:
        """Whether this is broken: somebody handles an incident from its acknowledgement on, and it is resolved with a
        cause.
        """
        return (
            (i["status"] in ("acknowledged", "resolved", "closed")) != (i["handler_id"] is not None)
            and i["status"] != "merged"
        )

    def _breaks_rule_8_i_again(self, i: Incident) -> bool:
        """Whether this is broken: somebody handles an incident from its acknowledgement on, and it is resolved with a
        cause.
        """
        return (i["status"] in ("resolved", "closed")) != (i["cause"] is not None and i["resolved_at"] is not None)

    def _breaks_rule_9(self, e: Engineer) -> bool:
        """Whether this is broken: nobody is handling more than three incidents at a time."""
        return self._engineer_working_on(e) > 3

    def _breaks_rule_10(self, i: Incident) -> bool:
        """Whether this is broken: a closed incident has no open action, and a grave one was never closed without an
        action that was done.
        """
        return (
            i["status"] == "closed"
            and not (
                self._incident_actions_open(i) == 0
                and (not self._grave(i) or bool(self._actions_by_incident_status.get((i["id"], "done"), {})))
            )
        )

    def _breaks_rule_11(self, x: Action) -> bool:
        """Whether this is broken: actions never hang on merged incidents."""
        return self.incidents[x["incident_id"]]["status"] == "merged"

    def _breaks_rule_12(self, e: Engineer) -> bool:
        """Whether this is broken: nobody has more than six open actions."""
        return self._engineer_open_actions(e) > 6

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
            case "engineers":
                self._engineers_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "services":
                for key in record["need_ids"]:
                    self._services_by_needs.setdefault(key, {})[record["id"]] = record
            case "turns":
                self._turns_by_engineer.setdefault(record["engineer_id"], {})[record["id"]] = record
                self._turns_by_team.setdefault(record["team_id"], {})[record["id"]] = record
            case "overrides":
                self._overrides_by_engineer.setdefault(record["engineer_id"], {})[record["id"]] = record
                self._overrides_by_turn.setdefault(record["turn_id"], {})[record["id"]] = record
            case "incidents":
                self._incidents_by_handler_status.setdefault(
                    (record["handler_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._incidents_by_merged_into.setdefault(record["merged_into_id"], {})[record["id"]] = record
                self._incidents_by_service.setdefault(record["service_id"], {})[record["id"]] = record
            case "actions":
                self._actions_by_incident.setdefault(record["incident_id"], {})[record["id"]] = record
                self._actions_by_incident_status.setdefault(
                    (record["incident_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._actions_by_owner_status.setdefault(
                    (record["owner_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "engineers":
                del self._engineers_by_team[record["team_id"]][record["id"]]
            case "services":
                for key in record["need_ids"]:
                    self._services_by_needs[key].pop(record["id"], None)
            case "turns":
                del self._turns_by_engineer[record["engineer_id"]][record["id"]]
                del self._turns_by_team[record["team_id"]][record["id"]]
            case "overrides":
                del self._overrides_by_engineer[record["engineer_id"]][record["id"]]
                del self._overrides_by_turn[record["turn_id"]][record["id"]]
            case "incidents":
                del self._incidents_by_handler_status[record["handler_id"], record["status"]][record["id"]]
                del self._incidents_by_merged_into[record["merged_into_id"]][record["id"]]
                del self._incidents_by_service[record["service_id"]][record["id"]]
            case "actions":
                del self._actions_by_incident[record["incident_id"]][record["id"]]
                del self._actions_by_incident_status[record["incident_id"], record["status"]][record["id"]]
                del self._actions_by_owner_status[record["owner_id"], record["status"]][record["id"]]
