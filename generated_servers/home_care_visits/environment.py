"""Home care visits. Compiled from blueprint.yaml; run `envscaler build home_care_visits` after changing it there.

Plans visits of carers to clients at home, with certified skills, time windows, travel between districts, the
hours granted per week, absences, missed visits, key carers and carers whom clients refuse.
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
    "Visits that need a skill are made by carers with a certificate that is valid on the day.",
    "Carers who are away have no visits planned.",
    "Between two visits a carer has time for the way, 10 minutes within a district, 20 to the next one and 40 farther.",
    "A client has one visit at a time.",
    "A client gets no more time in a week than was granted.",
    "Carers make no more visits in a week than their contract has time for.",
    "No visit is planned with a carer whom the client refuses, and nobody refuses the key carer.",
    "A visit lies within the hours agreed for its task.",
    "A task is done once a day.",
    "A client sees at most three different carers in a week.",
    "Visits that have begun have a carer, who is in one place at a time.",
    "A missed visit has a reason, and no other does.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_visit",
    "assign_carer",
    "move_visit",
    "start_visit",
    "finish_visit",
    "miss_visit",
    "cancel_visit",
    "report_absence",
    "change_grant",
    "set_preference",
    "renew_certificate",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "districts": ("name",),
    "carers": ("name",),
    "certificates": (),
    "clients": ("name",),
    "tasks": ("code",),
    "visits": (),
    "absences": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("absences", "carer_id"),
    ("certificates", "carer_id"),
    ("certificates", "skill"),
    ("tasks", "client_id"),
    ("visits", "carer_id"),
    ("visits", "status"),
    ("visits", "task_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class District(TypedDict):
    id: str
    name: str
    beside_ids: list[str]


class Carer(TypedDict):
    id: str
    name: str
    district_id: str
    weekly_minutes: int


class Certificate(TypedDict):
    id: str
    carer_id: str
    skill: Literal["medication", "wound_care", "hoist", "dementia"]
    valid_until: str


class Client(TypedDict):
    id: str
    name: str
    district_id: str
    granted_minutes: int
    key_carer_id: str | None
    refuse_ids: list[str]


class Task(TypedDict):
    id: str
    code: str
    client_id: str
    what: str
    skill: Literal["medication", "wound_care", "hoist", "dementia"] | None
    minutes: int
    earliest: str
    latest: str


class Visit(TypedDict):
    id: str
    task_id: str
    starts_at: str
    carer_id: str | None
    missed_for: Literal["carer_late", "carer_ill", "client_out", "no_cover"] | None
    status: Literal["planned", "under_way", "missed", "cancelled", "done"]


class Absence(TypedDict):
    id: str
    carer_id: str
    first_day: str
    last_day: str


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


def _weekday(day: str) -> int:
    """1 for Monday to 7 for Sunday."""
    return date.fromisoformat(day).isoweekday()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class HomeCareVisits:
    """Plans visits of carers to clients at home, with certified skills, time windows, travel between
    districts, the hours granted per week, absences, missed visits, key carers and carers whom clients
    refuse.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.districts: dict[str, District] = _copied(config.get("districts", {}))
        self.carers: dict[str, Carer] = _copied(config.get("carers", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.clients: dict[str, Client] = _copied(config.get("clients", {}))
        self.tasks: dict[str, Task] = _copied(config.get("tasks", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.absences: dict[str, Absence] = _copied(config.get("absences", {}))
        self.now: str = config.get("now", "2026-09-16T17:50")
        self.counters: dict[str, int] = {
            "district": len(self.districts),
            "carer": len(self.carers),
            "certificate": len(self.certificates),
            "client": len(self.clients),
            "task": len(self.tasks),
            "visit": len(self.visits),
            "absence": len(self.absences),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._certificates_by_carer_skill: dict[Any, dict[str, Certificate]] = {}
        self._tasks_by_client: dict[Any, dict[str, Task]] = {}
        self._visits_by_carer: dict[Any, dict[str, Visit]] = {}
        self._visits_by_carer_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_task: dict[Any, dict[str, Visit]] = {}
        self._visits_by_task_status: dict[Any, dict[str, Visit]] = {}
        self._absences_by_carer: dict[Any, dict[str, Absence]] = {}
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for task in self.tasks.values():
            self._link("tasks", task)
        for visit in self.visits.values():
            self._link("visits", visit)
        for absence in self.absences.values():
            self._link("absences", absence)

    def gaps(
        self,
        since: Date,
        until: Date,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Planned visits to which nobody is assigned, soonest first.

        Args:
            since (str): First day of visits to include, as YYYY-MM-DD.
            until (str): Last day of visits to include, as YYYY-MM-DD.
            district_id (str, optional): District where the clients live; an id such as DISTRICT-00001. If left
                out, visits in all districts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}} or {"success": False, "error": why
                not}
        """
        district = self.districts.get(district_id) if district_id is not None else None
        if district_id is not None and district is None:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            v
            for v in self.visits.values()
            if (v["status"] == "planned" and v["carer_id"] is None)
            and (since <= v["starts_at"][:10] and v["starts_at"][:10] <= until)
            and (
                district_id is None
                or self.clients[self.tasks[v["task_id"]]["client_id"]]["district_id"] == district_id
            )
        ]
        found.sort(key=lambda v: (v["starts_at"], self.tasks[v["task_id"]]["code"], _age(v)))
        shown = [
            {
                "id": v["id"],
                "client": self.clients[self.tasks[v["task_id"]]["client_id"]]["name"],
                "what": self.tasks[v["task_id"]]["what"],
                "skill": self.tasks[v["task_id"]]["skill"],
                "starts_at": v["starts_at"],
                "key_carer": self.clients[self.tasks[v["task_id"]]["client_id"]]["key_carer_id"],
            }
            for v in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "visits": shown},
            _names((self.carers, "name", [row["key_carer"] for row in shown])),
        )

    def carers_for_visit(
        self,
        visit_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Carers who could make a visit, those with the least time planned that week first.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "carers": records}} or {"success": False, "error": why
                not}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        on = visit["starts_at"][:10]
        found = [k for k in self.carers.values() if self._can_go(k, visit)]
        found.sort(key=lambda k: (self._carer_week(k, on), k["name"], _age(k)))
        return _found(
            {
                "total": len(found),
                "carers": [
                    {
                        "id": k["id"],
                        "name": k["name"],
                        "minutes_that_week": self._carer_week(k, on),
                        "contract": k["weekly_minutes"],
                        "knows_client": k in self._faces(
                            self.clients[self.tasks[visit["task_id"]]["client_id"]],
                            on,
                            visit,
                        ),
                    }
                    for k in _page(found, offset)
                ],
            }
        )

    def day_of_carer(
        self,
        carer_id: str,
        on: Date,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The visits of a carer on a day, in order.

        Args:
            carer_id (str): Id of the carer, such as CARER-00001.
            on (str): Day of the visits, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}} or {"success": False, "error": why
                not}
        """
        carer = self.carers.get(carer_id)
        if carer is None:
            return _refused(f"There is no carer {carer_id!r}.")
        found = [
            v
            for v in self._visits_by_carer.get(carer_id, {}).values()
            if (v["carer_id"] == carer_id and v["starts_at"][:10] == on and v["status"] != "cancelled")
        ]
        found.sort(key=lambda v: (v["starts_at"], _age(v)))
        return _found(
            {
                "total": len(found),
                "visits": [
                    {
                        "id": v["id"],
                        "client": self.clients[self.tasks[v["task_id"]]["client_id"]]["name"],
                        "district": self.districts[
                            self.clients[self.tasks[v["task_id"]]["client_id"]]["district_id"]
                        ]["name"],
                        "what": self.tasks[v["task_id"]]["what"],
                        "starts_at": v["starts_at"],
                        "ends_at": self._visit_ends_at(v),
                        "status": v["status"],
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def week_of_client(self, client_id: str, on: Date) -> Result:
        """What a client gets in the week of a day, and from whom.

        Args:
            client_id (str): Id of the client, such as CLIENT-00001.
            on (str): Any day of the week in question, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "data": {granted, planned, left, carers, missed}} or {"success": False,
                "error": why not}
        """
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        return _found(
            {
                "granted": client["granted_minutes"],
                "planned": self._client_week(client, on),
                "left": client["granted_minutes"] - self._client_week(client, on),
                "carers": [*[k["name"] for k in self._faces(client, on, None)]],
                "missed": sum(
                    1
                    for _task in self._tasks_by_client.get(client_id, {}).values()
                    for v in self._visits_by_task_status.get((_task["id"], "missed"), {}).values()
                    if self._week_of(v["starts_at"][:10]) == self._week_of(on)
                ),
            }
        )

    def list_districts(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the districts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only districts whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "districts": records}}
        """
        found = [
            district
            for district in self.districts.values()
            if (name is None or name.casefold() in district["name"].casefold())
        ]
        shown = [self._show_district(district) for district in _page(found, offset)]
        return _found({"total": len(found), "districts": shown}, self._names_of_districts(shown))

    def list_carers(
        self,
        name: Text | None = None,
        district_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the carers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only carers whose name contains this text.
            district_id (str, optional): Only carers of this district.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "carers": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        found = [
            carer
            for carer in self.carers.values()
            if (name is None or name.casefold() in carer["name"].casefold())
            and (district_id is None or carer["district_id"] == district_id)
        ]
        shown = [{**carer} for carer in _page(found, offset)]
        return _found({"total": len(found), "carers": shown}, self._names_of_carers(shown))

    def list_certificates(
        self,
        carer_id: str | None = None,
        skill: Literal["medication", "wound_care", "hoist", "dementia"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            carer_id (str, optional): Only certificates of this carer.
            skill (str, optional): Only certificates with this skill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if carer_id is not None and carer_id not in self.carers:
            return _refused(f"There is no carer {carer_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (carer_id is None or certificate["carer_id"] == carer_id)
            and (skill is None or certificate["skill"] == skill)
        ]
        shown = [{**certificate} for certificate in _page(found, offset)]
        return _found({"total": len(found), "certificates": shown}, self._names_of_certificates(shown))

    def list_clients(
        self,
        name: Text | None = None,
        district_id: str | None = None,
        key_carer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the clients, oldest first, all of them or only some.

        Args:
            name (str, optional): Only clients whose name contains this text.
            district_id (str, optional): Only clients of this district.
            key_carer_id (str, optional): Only clients whose key carer is this carer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "clients": records}}
        """
        if district_id is not None and district_id not in self.districts:
            return _refused(f"There is no district {district_id!r}.")
        if key_carer_id is not None and key_carer_id not in self.carers:
            return _refused(f"There is no carer {key_carer_id!r}.")
        found = [
            client
            for client in self.clients.values()
            if (name is None or name.casefold() in client["name"].casefold())
            and (district_id is None or client["district_id"] == district_id)
            and (key_carer_id is None or client["key_carer_id"] == key_carer_id)
        ]
        shown = [self._show_client(client) for client in _page(found, offset)]
        return _found({"total": len(found), "clients": shown}, self._names_of_clients(shown))

    def list_tasks(
        self,
        code: Text | None = None,
        client_id: str | None = None,
        skill: Literal["medication", "wound_care", "hoist", "dementia"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tasks, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tasks whose code contains this text.
            client_id (str, optional): Only tasks of this client.
            skill (str, optional): Only tasks with this skill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tasks": records}}
        """
        if client_id is not None and client_id not in self.clients:
            return _refused(f"There is no client {client_id!r}.")
        found = [
            task
            for task in self.tasks.values()
            if (code is None or code.casefold() in task["code"].casefold())
            and (client_id is None or task["client_id"] == client_id)
            and (skill is None or task["skill"] == skill)
        ]
        shown = [{**task} for task in _page(found, offset)]
        return _found({"total": len(found), "tasks": shown}, self._names_of_tasks(shown))

    def list_visits(
        self,
        task_id: str | None = None,
        carer_id: str | None = None,
        missed_for: Literal["carer_late", "carer_ill", "client_out", "no_cover"] | None = None,
        status: Literal["planned", "under_way", "missed", "cancelled", "done"] | None = None,
        starts_at_from: Date | None = None,
        starts_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            task_id (str, optional): Only visits of this task.
            carer_id (str, optional): Only visits of this carer.
            missed_for (str, optional): Only visits whose `missed_for` is this.
            status (str, optional): Only visits with this status.
            starts_at_from (str, optional): Only visits whose `starts_at` is on this day or later.
            starts_at_to (str, optional): Only visits whose `starts_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if task_id is not None and task_id not in self.tasks:
            return _refused(f"There is no task {task_id!r}.")
        if carer_id is not None and carer_id not in self.carers:
            return _refused(f"There is no carer {carer_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (task_id is None or visit["task_id"] == task_id)
            and (carer_id is None or visit["carer_id"] == carer_id)
            and (missed_for is None or visit["missed_for"] == missed_for)
            and (status is None or visit["status"] == status)
            and (starts_at_from is None or visit["starts_at"][:10] >= starts_at_from)
            and (starts_at_to is None or visit["starts_at"][:10] <= starts_at_to)
        ]
        shown = [self._show_visit(visit) for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def list_absences(
        self,
        carer_id: str | None = None,
        first_day_from: Date | None = None,
        first_day_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the absences, oldest first, all of them or only some.

        Args:
            carer_id (str, optional): Only absences of this carer.
            first_day_from (str, optional): Only absences whose `first_day` is on this day or later.
            first_day_to (str, optional): Only absences whose `first_day` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "absences": records}}
        """
        if carer_id is not None and carer_id not in self.carers:
            return _refused(f"There is no carer {carer_id!r}.")
        found = [
            absence
            for absence in self.absences.values()
            if (carer_id is None or absence["carer_id"] == carer_id)
            and (first_day_from is None or absence["first_day"] >= first_day_from)
            and (first_day_to is None or absence["first_day"] <= first_day_to)
        ]
        shown = [{**absence} for absence in _page(found, offset)]
        return _found({"total": len(found), "absences": shown}, self._names_of_absences(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_visit(self, task_id: str, starts_at: DateTime) -> Result:
        """Plan a visit for a task of a client, without a carer at first.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            starts_at (str): Start of the visit in the task's time window, within 28 days, as YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        if starts_at <= self.now:
            return _refused(f"{starts_at} is over.")
        if starts_at > _plus_minutes(self.now, 28 * 1440):
            return _refused("Visits are planned for the next 28 days.")
        if starts_at[11:] < task["earliest"] or _plus_minutes(starts_at, task["minutes"])[11:] > task["latest"]:
            return _refused(
                f"The {task['what']} of {self.clients[task['client_id']]['name']} takes place between "
                f"{task['earliest']} and {task['latest']}."
            )
        same = next(
            (
                v
                for v in sorted(self._visits_by_task.get(task_id, {}).values(), key=_age)
                if self._live(v)
                and v["starts_at"][:10] == starts_at[:10]
            ),
            None,
        )
        if same is not None:
            return _refused(
                f"The {task['what']} of {self.clients[task['client_id']]['name']} is planned for "
                f"{same['starts_at']} already."
            )
        there = next(
            (
                v
                for v in sorted(
                    [
                        v
                        for _task in self._tasks_by_client.get(task["client_id"], {}).values()
                        for v in self._visits_by_task.get(_task["id"], {}).values()
                    ],
                    key=_age,
                )
                if self._live(v)
                and _overlap(
                    v["starts_at"],
                    self._visit_ends_at(v),
                    starts_at,
                    _plus_minutes(starts_at, task["minutes"]),
                )
            ),
            None,
        )
        if there is not None:
            return _refused(
                f"{self.clients[task['client_id']]['name']} has the {self.tasks[there['task_id']]['what']} from "
                f"{there['starts_at']} to {self._visit_ends_at(there)}."
            )
        if (
            self._client_week(self.clients[task["client_id"]], starts_at[:10])
            + task["minutes"] > self.clients[task["client_id"]]["granted_minutes"]
        ):
            return _refused(
                f"{self.clients[task['client_id']]['name']} has "
                f"{self.clients[task['client_id']]['granted_minutes']} minutes a week, of which "
                f"{self._client_week(self.clients[task['client_id']], starts_at[:10])} are used."
            )
        self._journal = []
        visit: Visit = {
            "id": self._new_id("visit", "VISIT", self.visits),
            "task_id": task_id,
            "starts_at": starts_at,
            "carer_id": None,
            "missed_for": None,
            "status": "planned",
        }
        self._add("visits", visit)
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_v(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_v_again(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(visit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: plan the {task['what']} of {self.clients[task['client_id']]['name']} for {starts_at} "
                f"(new: visit {visit['id']})."
            ),
            "data": {"visit_id": visit["id"], **self._changes()},
        }

    def assign_carer(self, visit_id: str, carer_id: str) -> Result:
        """Assign a carer to a planned visit, in place of whoever had it.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            carer_id (str): Id of the carer, such as CARER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        carer = self.carers.get(carer_id)
        if carer is None:
            return _refused(f"There is no carer {carer_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self._visit_client(visit)['name']} is {visit['status']}.")
        if self._visit_ends_at(visit) <= self.now:
            return _refused(
                f"The visit to {self._visit_client(visit)['name']} should have ended at "
                f"{self._visit_ends_at(visit)}, so it can only be recorded as missed."
            )
        if visit["carer_id"] == carer_id:
            return _refused(f"{carer['name']} has that visit already.")
        if carer_id in self._visit_client(visit)["refuse_ids"]:
            return _refused(f"{self._visit_client(visit)['name']} does not want {carer['name']}.")
        if not self._certified(carer, self.tasks[visit["task_id"]], visit["starts_at"][:10]):
            return _refused(
                f"{carer['name']} has no certificate for the {self.tasks[visit['task_id']]['what']} that is valid "
                f"on {visit['starts_at'][:10]}."
            )
        absence = self._away(carer, visit["starts_at"][:10])
        if absence is not None:
            return _refused(f"{carer['name']} is away from {absence['first_day']} to {absence['last_day']}.")
        other = self._busy(carer, visit, visit["starts_at"])
        if other is not None:
            return _refused(
                f"{carer['name']} is with {self._visit_client(other)['name']} in "
                f"{self.districts[self._visit_client(other)['district_id']]['name']} from {other['starts_at']} to "
                f"{self._visit_ends_at(other)} and would be late."
            )
        if (
            self._carer_week(carer, visit["starts_at"][:10])
            + self.tasks[visit["task_id"]]["minutes"] > carer["weekly_minutes"]
        ):
            return _refused(
                f"{carer['name']} has {carer['weekly_minutes']} minutes a week, of which "
                f"{self._carer_week(carer, visit['starts_at'][:10])} are taken."
            )
        known = self._faces(self._visit_client(visit), visit["starts_at"][:10], visit)
        if carer not in known and len(known) >= 3:
            return _refused(
                f"{self._visit_client(visit)['name']} sees {', '.join(str(one['name']) for one in known)} that "
                "week, and a fourth carer is too many."
            )
        self._journal = []
        former_carer_id = visit["carer_id"]
        self._put("visits", visit, "carer_id", carer_id)
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
                *[
                    user
                    for one in [self.carers.get(former_carer_id)]
                    if one is not None
                    for user in self._visits_by_carer.get(former_carer_id, {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        for one_visit in _distinct(
            [
                user
                for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                for user in self._visits_by_task.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_v(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_v_again(visit):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: assign {carer['name']} to the {self.tasks[visit['task_id']]['what']} of "
                f"{self._visit_client(visit)['name']} at {visit['starts_at']}."
            ),
            "data": self._changes(),
        }

    def move_visit(self, visit_id: str, starts_at: DateTime) -> Result:
        """Move a planned visit to another time; the carer stays.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            starts_at (str): New start of the visit, in the task's time window and the same week, as
                YYYY-MM-DDTHH:MM.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self._visit_client(visit)['name']} is {visit['status']}.")
        if starts_at <= self.now or starts_at == visit["starts_at"]:
            return _refused(f"{starts_at} is over, or no change.")
        if (
            starts_at[11:] < self.tasks[visit["task_id"]]["earliest"]
            or _plus_minutes(
                starts_at,
                self.tasks[visit["task_id"]]["minutes"],
            )[11:] > self.tasks[visit["task_id"]]["latest"]
        ):
            return _refused(
                f"The {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']} takes place "
                f"between {self.tasks[visit['task_id']]['earliest']} and {self.tasks[visit['task_id']]['latest']}."
            )
        same = next(
            (
                v
                for v in sorted(self._visits_by_task.get(visit["task_id"], {}).values(), key=_age)
                if v is not visit
                and self._live(v)
                and v["starts_at"][:10] == starts_at[:10]
            ),
            None,
        )
        if same is not None:
            return _refused(
                f"The {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']} is planned "
                f"for {same['starts_at']} already."
            )
        there = next(
            (
                v
                for v in sorted(
                    [
                        v
                        for _task in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                        for v in self._visits_by_task.get(_task["id"], {}).values()
                    ],
                    key=_age,
                )
                if v is not visit
                and self._live(v)
                and _overlap(
                    v["starts_at"],
                    self._visit_ends_at(v),
                    starts_at,
                    _plus_minutes(starts_at, self.tasks[visit["task_id"]]["minutes"]),
                )
            ),
            None,
        )
        if there is not None:
            return _refused(
                f"{self._visit_client(visit)['name']} has the {self.tasks[there['task_id']]['what']} from "
                f"{there['starts_at']} to {self._visit_ends_at(there)}."
            )
        other = next(
            (
                w
                for w in sorted(self._visits_by_carer.get(visit["carer_id"], {}).values(), key=_age)
                if w["carer_id"] is not None
                and w is not visit
                and self._live(w)
                and self._collides(
                    w,
                    starts_at,
                    _plus_minutes(starts_at, self.tasks[visit["task_id"]]["minutes"]),
                    self.districts[self.clients[self.tasks[visit["task_id"]]["client_id"]]["district_id"]],
                )
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"The carer is with {self._visit_client(other)['name']} from {other['starts_at']} to "
                f"{self._visit_ends_at(other)} and would be late, so move that or assign another."
            )
        if self._week_of(starts_at[:10]) != self._week_of(visit["starts_at"][:10]):
            return _refused("A visit stays within its week, so cancel it and plan a new one.")
        if not (
            visit["carer_id"] is None
            or not any(
                x["first_day"] <= starts_at[:10]
                and starts_at[:10] <= x["last_day"]
                for x in self._absences_by_carer.get(visit["carer_id"], {}).values()
            )
        ):
            return _refused(f"The carer is away on {starts_at[:10]}.")
        if not (
            visit["carer_id"] is None
            or self._certified(self.carers[visit["carer_id"]], self.tasks[visit["task_id"]], starts_at[:10])
        ):
            return _refused(f"The certificate of the carer is not valid on {starts_at[:10]}.")
        self._journal = []
        self._put("visits", visit, "starts_at", starts_at)
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: move the {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']} to "
                f"{starts_at}."
            ),
            "data": self._changes(),
        }

    def start_visit(self, visit_id: str) -> Result:
        """Record that the carer has arrived at a visit of today.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self._visit_client(visit)['name']} is {visit['status']}.")
        if visit["starts_at"][:10] != self.now[:10] or visit["starts_at"] > _plus_minutes(self.now, 60):
            return _refused(f"The visit to {self._visit_client(visit)['name']} is planned for {visit['starts_at']}.")
        if visit["carer_id"] is None:
            return _refused(f"Nobody is assigned to the visit to {self._visit_client(visit)['name']}.")
        other = next(
            (
                v
                for v in sorted(
                    self._visits_by_carer_status.get((visit["carer_id"], "under_way"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.carers[visit['carer_id']]['name']} has not left {self._visit_client(other)['name']} yet."
            )
        self._journal = []
        self._put("visits", visit, "status", "under_way")
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_v(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_v_again(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(visit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: start the {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']}."
            ),
            "data": self._changes(),
        }

    def finish_visit(self, visit_id: str) -> Result:
        """Record that a visit is over.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "under_way":
            return _refused(f"The visit to {self._visit_client(visit)['name']} is {visit['status']}.")
        self._journal = []
        self._put("visits", visit, "status", "done")
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_v(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_v_again(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(visit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: finish the {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']}."
            ),
            "data": self._changes(),
        }

    def miss_visit(
        self,
        visit_id: str,
        reason: Literal["carer_late", "carer_ill", "client_out", "no_cover"],
    ) -> Result:
        """Record that a visit whose time has come did not take place.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.
            reason (str): Why the visit did not take place: carer_late, carer_ill, client_out or no_cover.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self._visit_client(visit)['name']} is {visit['status']}.")
        if visit["starts_at"] > self.now:
            return _refused(
                f"The visit to {self._visit_client(visit)['name']} is planned for {visit['starts_at']}, so it can "
                "still take place or be cancelled."
            )
        if reason == "no_cover" and visit["carer_id"] is not None:
            return _refused(f"{self.carers[visit['carer_id']]['name']} was assigned to the visit.")
        self._journal = []
        self._put("visits", visit, "missed_for", reason)
        self._put("visits", visit, "status", "missed")
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_v(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_v_again(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(visit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']} "
                f"as missed for {reason}."
            ),
            "data": self._changes(),
        }

    def cancel_visit(self, visit_id: str) -> Result:
        """Cancel a planned visit.

        Args:
            visit_id (str): Id of the visit, such as VISIT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        visit = self.visits.get(visit_id)
        if visit is None:
            return _refused(f"There is no visit {visit_id!r}.")
        if visit["status"] != "planned":
            return _refused(f"The visit to {self._visit_client(visit)['name']} is {visit['status']}.")
        self._journal = []
        self._put("visits", visit, "status", "cancelled")
        if self._breaks_rule_1(visit):
            return self._take_back(RULES[0])
        if self._breaks_rule_2_v(visit):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_a(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_b(visit):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(visit):
            return self._take_back(RULES[3])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in [self.carers.get(visit["carer_id"])]
                    if one is not None
                    for user in self._visits_by_carer.get(visit["carer_id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        if self._breaks_rule_7_v(visit):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(visit):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(visit):
            return self._take_back(RULES[8])
        for one_visit in _distinct(
            [
                visit,
                *[
                    user
                    for one in self._tasks_by_client.get(self.tasks[visit["task_id"]]["client_id"], {}).values()
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        if self._breaks_rule_11_v(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_11_v_again(visit):
            return self._take_back(RULES[10])
        if self._breaks_rule_12(visit):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: cancel the {self.tasks[visit['task_id']]['what']} of {self._visit_client(visit)['name']} "
                f"at {visit['starts_at']}."
            ),
            "data": self._changes(),
        }

    def report_absence(self, carer_id: str, first_day: Date, last_day: Date) -> Result:
        """Record that a carer is away on some days; planned visits of these days that have not begun lose their
        carer.

        Args:
            carer_id (str): Id of the carer, such as CARER-00001.
            first_day (str): First day of the absence, from today on, as YYYY-MM-DD.
            last_day (str): Last day of the absence, at most 60 days after the first, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        carer = self.carers.get(carer_id)
        if carer is None:
            return _refused(f"There is no carer {carer_id!r}.")
        if self.now[:10] > first_day or first_day > last_day or last_day > _plus_days(first_day, 60):
            return _refused("An absence begins today or later and lasts up to 61 days.")
        known = next(
            (
                x
                for x in sorted(self._absences_by_carer.get(carer_id, {}).values(), key=_age)
                if x["first_day"] <= last_day
                and first_day <= x["last_day"]
            ),
            None,
        )
        if known is not None:
            return _refused(f"{carer['name']} is away from {known['first_day']} to {known['last_day']} already.")
        inside = next(
            (v for v in sorted(self._visits_by_carer_status.get((carer_id, "under_way"), {}).values(), key=_age)),
            None,
        )
        if inside is not None and first_day <= self.now[:10]:
            return _refused(
                f"{carer['name']} is with {self._visit_client(inside)['name']}, so finish that visit first."
            )
        self._journal = []
        changed_visits: list[Any] = []
        former_carer_ids: list[Any] = []
        for v in [
            v
            for v in sorted(self._visits_by_carer_status.get((carer_id, "planned"), {}).values(), key=_age)
            if (first_day <= v["starts_at"][:10] and v["starts_at"][:10] <= last_day)
        ]:
            changed_visits.append(v)
            former_carer_ids.append(v["carer_id"])
            self._put("visits", v, "carer_id", None)
        absence: Absence = {
            "id": self._new_id("absence", "ABSENCE", self.absences),
            "carer_id": carer_id,
            "first_day": first_day,
            "last_day": last_day,
        }
        self._add("absences", absence)
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_1(one_visit):
                return self._take_back(RULES[0])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_2_v(one_visit):
                return self._take_back(RULES[1])
        if self._breaks_rule_2_x(absence):
            return self._take_back(RULES[1])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_3_a(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_3_b(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct(
            [
                *changed_visits,
                *[
                    user
                    for one in [self.carers.get(one["carer_id"]) for one in changed_visits]
                    if one is not None
                    for user in self._visits_by_carer.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.carers.get(key) for key in former_carer_ids]
                    if one is not None
                    for user in self._visits_by_carer.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_7_v(one_visit):
                return self._take_back(RULES[6])
        for one_visit in _distinct(
            [
                user
                for one in [
                    user
                    for one in [
                        self.clients[one["client_id"]]
                        for one in [self.tasks[one["task_id"]] for one in changed_visits]
                    ]
                    for user in self._tasks_by_client.get(one["id"], {}).values()
                ]
                for user in self._visits_by_task.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_11_v(one_visit):
                return self._take_back(RULES[10])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_11_v_again(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: record that {carer['name']} is away from {first_day} to {last_day} (new: absence "
                f"{absence['id']})."
            ),
            "data": {"absence_id": absence["id"], **self._changes()},
        }

    def change_grant(self, client_id: str, minutes: Annotated[int, {"minimum": 30, "maximum": 2100}]) -> Result:
        """Change the minutes a week that are granted to a client.

        Args:
            client_id (str): Id of the client, such as CLIENT-00001.
            minutes (int): Minutes granted each week, enough for the visits that are planned, from 30 to 2100.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        if minutes == client["granted_minutes"]:
            return _refused(f"{client['name']} has {minutes} minutes a week already.")
        over = next(
            (
                v
                for v in sorted(
                    [
                        v
                        for _task in self._tasks_by_client.get(client_id, {}).values()
                        for v in self._visits_by_task.get(_task["id"], {}).values()
                    ],
                    key=_age,
                )
                if self._live(v)
                and self._client_week(client, v["starts_at"][:10]) > minutes
            ),
            None,
        )
        if over is not None:
            return _refused(
                f"In the week of {over['starts_at'][:10]} {client['name']} has "
                f"{self._client_week(client, over['starts_at'][:10])} minutes of visits, so cancel some first."
            )
        self._journal = []
        self._put("clients", client, "granted_minutes", minutes)
        for one_visit in _distinct(
            [
                user
                for one in self._tasks_by_client.get(client["id"], {}).values()
                for user in self._visits_by_task.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_visit):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: grant {client['name']} {minutes} minutes a week.",
            "data": self._changes(),
        }

    def set_preference(self, client_id: str, carer_id: str, wish: Literal["key_carer", "refuse"]) -> Result:
        """Make a carer the key carer of a client, or note that the client refuses the carer, who then loses the
        visits planned there.

        Args:
            client_id (str): Id of the client, such as CLIENT-00001.
            carer_id (str): Id of the carer, such as CARER-00001.
            wish (str): What the client wishes with regard to the carer: key_carer or refuse.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        client = self.clients.get(client_id)
        if client is None:
            return _refused(f"There is no client {client_id!r}.")
        carer = self.carers.get(carer_id)
        if carer is None:
            return _refused(f"There is no carer {carer_id!r}.")
        if wish != "refuse" and client["key_carer_id"] == carer_id:
            return _refused(f"{carer['name']} is the key carer of {client['name']} already.")
        if carer_id in client["refuse_ids"]:
            return _refused(f"{client['name']} refuses {carer['name']}.")
        if not (
            wish == "key_carer"
            or not any(
                self.tasks[v["task_id"]]["client_id"] == client_id
                for v in self._visits_by_carer_status.get((carer_id, "under_way"), {}).values()
            )
        ):
            return _refused(f"{carer['name']} is with {client['name']} at the moment.")
        self._journal = []
        changed_clients: list[Any] = []
        changed_visits: list[Any] = []
        former_carer_ids: list[Any] = []
        changed_clients_2: list[Any] = []
        if wish == "key_carer":
            changed_clients.append(client)
            self._put("clients", client, "key_carer_id", carer_id)
        else:
            if client["key_carer_id"] == carer_id:
                changed_clients.append(client)
                self._put("clients", client, "key_carer_id", None)
            for v in [
                v
                for v in sorted(self._visits_by_carer_status.get((carer_id, "planned"), {}).values(), key=_age)
                if self.tasks[v["task_id"]]["client_id"] == client_id
            ]:
                changed_visits.append(v)
                former_carer_ids.append(v["carer_id"])
                self._put("visits", v, "carer_id", None)
            changed_clients_2.append(client)
            self._put(
                "clients",
                client,
                "refuse_ids",
                [record["id"] for record in [self.carers[key] for key in client["refuse_ids"]] + [carer]],
            )
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_1(one_visit):
                return self._take_back(RULES[0])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_2_v(one_visit):
                return self._take_back(RULES[1])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_3_a(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_3_b(one_visit):
                return self._take_back(RULES[2])
        for one_visit in _distinct(
            [
                *changed_visits,
                *[
                    user
                    for one in [self.carers.get(one["carer_id"]) for one in changed_visits]
                    if one is not None
                    for user in self._visits_by_carer.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.carers.get(key) for key in former_carer_ids]
                    if one is not None
                    for user in self._visits_by_carer.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_visit):
                return self._take_back(RULES[5])
        for one_visit in _distinct(
            [
                *changed_visits,
                *[
                    user
                    for one in [
                        user
                        for one in changed_clients_2
                        for user in self._tasks_by_client.get(one["id"], {}).values()
                    ]
                    for user in self._visits_by_task.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7_v(one_visit):
                return self._take_back(RULES[6])
        for one_client in _distinct([*changed_clients, *changed_clients_2]):
            if self._breaks_rule_7_c(one_client):
                return self._take_back(RULES[6])
        for one_visit in _distinct(
            [
                user
                for one in [
                    user
                    for one in [
                        self.clients[one["client_id"]]
                        for one in [self.tasks[one["task_id"]] for one in changed_visits]
                    ]
                    for user in self._tasks_by_client.get(one["id"], {}).values()
                ]
                for user in self._visits_by_task.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10(one_visit):
                return self._take_back(RULES[9])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_11_v(one_visit):
                return self._take_back(RULES[10])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_11_v_again(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: set {wish} of {client['name']} for {carer['name']}.",
            "data": self._changes(),
        }

    def renew_certificate(self, certificate_id: str, valid_until: Date) -> Result:
        """Renew a certificate of a carer.

        Args:
            certificate_id (str): Id of the certificate, such as CERTIFICATE-00001.
            valid_until (str): New last day of validity, later than the present one, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        certificate = self.certificates.get(certificate_id)
        if certificate is None:
            return _refused(f"There is no certificate {certificate_id!r}.")
        if valid_until <= certificate["valid_until"]:
            return _refused(f"The certificate is valid until {certificate['valid_until']} as it is.")
        if valid_until > _plus_days(self.now[:10], 1100):
            return _refused("Certificates last three years at most.")
        self._journal = []
        self._put("certificates", certificate, "valid_until", valid_until)
        for one_visit in _distinct(self._visits_by_carer.get(certificate["carer_id"], {}).values()):
            if self._breaks_rule_1(one_visit):
                return self._take_back(RULES[0])
        return {
            "success": True,
            "message": (
                f"Done: renew the {certificate['skill']} certificate of "
                f"{self.carers[certificate['carer_id']]['name']} until {valid_until}."
            ),
            "data": self._changes(),
        }

    def _show_district(self, district: District) -> dict[str, Any]:
        """The district as an answer shows it."""
        return {**district, "beside_ids": [*district["beside_ids"]]}

    def _show_client(self, client: Client) -> dict[str, Any]:
        """The client as an answer shows it."""
        return {**client, "refuse_ids": [*client["refuse_ids"]]}

    def _show_visit(self, visit: Visit) -> dict[str, Any]:
        """The visit as an answer shows it."""
        return {**visit, "client_id": _id_of(self._visit_client(visit)), "ends_at": self._visit_ends_at(visit)}

    def _names_of_districts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that districts point to."""
        return _names((self.districts, "name", [each for row in shown for each in row["beside_ids"]]))

    def _names_of_carers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that carers point to."""
        return _names((self.districts, "name", [row["district_id"] for row in shown]))

    def _names_of_certificates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that certificates point to."""
        return _names((self.carers, "name", [row["carer_id"] for row in shown]))

    def _names_of_clients(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that clients point to."""
        return _names(
            (self.districts, "name", [row["district_id"] for row in shown]),
            (self.carers, "name", [row["key_carer_id"] for row in shown]),
            (self.carers, "name", [each for row in shown for each in row["refuse_ids"]]),
        )

    def _names_of_tasks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tasks point to."""
        return _names((self.clients, "name", [row["client_id"] for row in shown]))

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names(
            (self.tasks, "code", [row["task_id"] for row in shown]),
            (self.carers, "name", [row["carer_id"] for row in shown]),
            (self.clients, "name", [row["client_id"] for row in shown]),
        )

    def _names_of_absences(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that absences point to."""
        return _names((self.carers, "name", [row["carer_id"] for row in shown]))

    def _visit_client(self, visit: Visit) -> Client:
        """The client of a visit."""
        return self.clients[self.tasks[visit["task_id"]]["client_id"]]

    def _visit_ends_at(self, visit: Visit) -> str:
        """The ends at of a visit."""
        return _plus_minutes(visit["starts_at"], self.tasks[visit["task_id"]]["minutes"])

    def _live(self, v: Visit) -> bool:
        return v["status"] in ("planned", "under_way", "done")

    def _week_of(self, d: str) -> str:
        return _plus_days(_plus_days(d, -_weekday(d)), 1)

    def _client_week(self, c: Client, d: str) -> int:
        return sum(
            self.tasks[v["task_id"]]["minutes"]
            for _task in self._tasks_by_client.get(c["id"], {}).values()
            for v in self._visits_by_task.get(_task["id"], {}).values()
            if self._live(v)
            and self._week_of(v["starts_at"][:10]) == self._week_of(d)
        )

    def _carer_week(self, k: Carer, d: str) -> int:
        return sum(
            self.tasks[v["task_id"]]["minutes"]
            for v in self._visits_by_carer.get(k["id"], {}).values()
            if self._live(v)
            and self._week_of(v["starts_at"][:10]) == self._week_of(d)
        )

    def _travel(self, a: District, b: District) -> int:
        return 10 if a is b else 20 if a["id"] in b["beside_ids"] or b["id"] in a["beside_ids"] else 40

    def _collides(self, a: Visit, from_: str, to_: str, there: District) -> bool:
        return _overlap(
            a["starts_at"],
            _plus_minutes(
                self._visit_ends_at(a),
                self._travel(
                    self.districts[self.clients[self.tasks[a["task_id"]]["client_id"]]["district_id"]],
                    there,
                ),
            ),
            from_,
            _plus_minutes(
                to_,
                self._travel(
                    self.districts[self.clients[self.tasks[a["task_id"]]["client_id"]]["district_id"]],
                    there,
                ),
            ),
        )

    def _busy(self, k: Carer, v: Visit, at: str) -> Visit | None:
        return next(
            (
                w
                for w in sorted(self._visits_by_carer.get(k["id"], {}).values(), key=_age)
                if w is not v
                and self._live(w)
                and self._collides(
                    w,
                    at,
                    _plus_minutes(at, self.tasks[v["task_id"]]["minutes"]),
                    self.districts[self.clients[self.tasks[v["task_id"]]["client_id"]]["district_id"]],
                )
            ),
            None,
        )

    def _certified(self, k: Carer, t: Task, d: str) -> bool:
        return (
            t["skill"] is None
            or any(
                z["valid_until"] >= d
                for z in self._certificates_by_carer_skill.get((k["id"], t["skill"]), {}).values()
            )
        )

    def _away(self, k: Carer, d: str) -> Absence | None:
        return next(
            (
                x
                for x in sorted(self._absences_by_carer.get(k["id"], {}).values(), key=_age)
                if (x["first_day"] <= d and d <= x["last_day"])
            ),
            None,
        )

    def _faces(self, c: Client, d: str, v: Visit | None) -> list[Carer]:
        return [
            k
            for k in _those(
                self.carers,
                [
                    w["carer_id"]
                    for _task in self._tasks_by_client.get(c["id"], {}).values()
                    for w in self._visits_by_task.get(_task["id"], {}).values()
                ],
            )
            if any(
                self._week_of(w["starts_at"][:10]) == self._week_of(d)
                for w in self._visits_by_carer.get(k["id"], {}).values()
                if self.tasks[w["task_id"]]["client_id"] == c["id"]
                and self._live(w)
                and w is not v
            )
        ]

    def _can_go(self, k: Carer, v: Visit) -> bool:
        return (
            k["id"] not in self.clients[self.tasks[v["task_id"]]["client_id"]]["refuse_ids"]
            and self._certified(k, self.tasks[v["task_id"]], v["starts_at"][:10])
            and self._away(k, v["starts_at"][:10]) is None
            and self._busy(k, v, v["starts_at"]) is None
            and (
                v["carer_id"] == k["id"]
                or self._carer_week(
                    k,
                    v["starts_at"][:10],
                ) + self.tasks[v["task_id"]]["minutes"] <= k["weekly_minutes"]
            )
            and (
                k in self._faces(self.clients[self.tasks[v["task_id"]]["client_id"]], v["starts_at"][:10], v)
                or len(self._faces(self.clients[self.tasks[v["task_id"]]["client_id"]], v["starts_at"][:10], v)) < 3
            )
        )

    def _breaks_rule_1(self, v: Visit) -> bool:
        """Whether this is broken: visits that need a skill are made by carers with a certificate that is valid on the
        day.
        """
        return (
            self._live(v)
            and not (
                v["carer_id"] is None
                or self._certified(self.carers[v["carer_id"]], self.tasks[v["task_id"]], v["starts_at"][:10])
            )
        )

    def _breaks_rule_2_v(self, v: Visit) -> bool:
        """Whether this is broken: carers who are away have no visits planned."""
        return (
            v["status"] in ("planned", "under_way")
            and v["carer_id"] is not None
            and any(
                x["carer_id"] == v["carer_id"]
                and (x["first_day"] <= v["starts_at"][:10] and v["starts_at"][:10] <= x["last_day"])
                for x in self._absences_by_carer.get(v["carer_id"], {}).values()
            )
        )

    def _breaks_rule_2_x(self, x: Absence) -> bool:
        """Whether this is broken: carers who are away have no visits planned."""
        return any(
            x["carer_id"] == v["carer_id"]
            and (x["first_day"] <= v["starts_at"][:10] and v["starts_at"][:10] <= x["last_day"])
            for v in self._visits_by_carer.get(x["carer_id"], {}).values()
            if v["status"] in ("planned", "under_way")
            and v["carer_id"] is not None
        )

    def _breaks_rule_3_a(self, a: Visit) -> bool:
        """Whether this is broken: between two visits a carer has time for the way, 10 minutes within a district, 20
        to the next one and 40 farther.
        """
        return (
            a["carer_id"] is not None
            and self._live(a)
            and any(
                self._collides(
                    a,
                    b["starts_at"],
                    self._visit_ends_at(b),
                    self.districts[self.clients[self.tasks[b["task_id"]]["client_id"]]["district_id"]],
                )
                for b in self._visits_by_carer.get(a["carer_id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_3_b(self, b: Visit) -> bool:
        """Whether this is broken: between two visits a carer has time for the way, 10 minutes within a district, 20
        to the next one and 40 farther.
        """
        return (
            self._live(b)
            and any(
                self._collides(
                    a,
                    b["starts_at"],
                    self._visit_ends_at(b),
                    self.districts[self.clients[self.tasks[b["task_id"]]["client_id"]]["district_id"]],
                )
                for a in self._visits_by_carer.get(b["carer_id"], {}).values()
                if a is not b
                and a["carer_id"] is not None
                and self._live(a)
            )
        )

    def _breaks_rule_4(self, a: Visit) -> bool:
        """Whether this is broken: a client has one visit at a time."""
        return (
            self._live(a)
            and any(
                _overlap(a["starts_at"], self._visit_ends_at(a), b["starts_at"], self._visit_ends_at(b))
                for _task in self._tasks_by_client.get(self.tasks[a["task_id"]]["client_id"], {}).values()
                for b in self._visits_by_task.get(_task["id"], {}).values()
                if a is not b
                and self._live(b)
            )
        )

    def _breaks_rule_5(self, v: Visit) -> bool:
        """Whether this is broken: a client gets no more time in a week than was granted."""
        return (
            self._live(v)
            and self._client_week(
                self.clients[self.tasks[v["task_id"]]["client_id"]],
                v["starts_at"][:10],
            ) > self.clients[self.tasks[v["task_id"]]["client_id"]]["granted_minutes"]
        )

    def _breaks_rule_6(self, v: Visit) -> bool:
        """Whether this is broken: carers make no more visits in a week than their contract has time for."""
        return (
            self._live(v)
            and (
                v["carer_id"] is not None
                and self._carer_week(
                    self.carers[v["carer_id"]],
                    v["starts_at"][:10],
                ) > self.carers[v["carer_id"]]["weekly_minutes"]
            )
        )

    def _breaks_rule_7_v(self, v: Visit) -> bool:
        """Whether this is broken: no visit is planned with a carer whom the client refuses, and nobody refuses the
        key carer.
        """
        return (
            v["status"] in ("planned", "under_way")
            and v["carer_id"] is not None
            and v["carer_id"] in self.clients[self.tasks[v["task_id"]]["client_id"]]["refuse_ids"]
        )

    def _breaks_rule_7_c(self, c: Client) -> bool:
        """Whether this is broken: no visit is planned with a carer whom the client refuses, and nobody refuses the
        key carer.
        """
        return c["key_carer_id"] is not None and c["key_carer_id"] in c["refuse_ids"]

    def _breaks_rule_8(self, v: Visit) -> bool:
        """Whether this is broken: a visit lies within the hours agreed for its task."""
        return (
            self._live(v)
            and (
                v["starts_at"][11:] < self.tasks[v["task_id"]]["earliest"]
                or self._visit_ends_at(v)[11:] > self.tasks[v["task_id"]]["latest"]
            )
        )

    def _breaks_rule_9(self, v: Visit) -> bool:
        """Whether this is broken: a task is done once a day."""
        return (
            self._live(v)
            and any(
                other_v is not v
                for other_v in self._visits_by_task.get(v["task_id"], {}).values()
                if other_v["starts_at"][:10] == v["starts_at"][:10]
                and self._live(other_v)
            )
        )

    def _breaks_rule_10(self, v: Visit) -> bool:
        """Whether this is broken: a client sees at most three different carers in a week."""
        return (
            self._live(v)
            and len(self._faces(self.clients[self.tasks[v["task_id"]]["client_id"]], v["starts_at"][:10], None)) > 3
        )

    def _breaks_rule_11_v(self, v: Visit) -> bool:
        """Whether this is broken: visits that have begun have a carer, who is in one place at a time."""
        return v["status"] in ("under_way", "done") and v["carer_id"] is None

    def _breaks_rule_11_v_again(self, v: Visit) -> bool:
        """Whether this is broken: visits that have begun have a carer, who is in one place at a time."""
        return (
            v["status"] == "under_way"
            and any(
                other_v is not v
                for other_v in self._visits_by_carer_status.get((v["carer_id"], "under_way"), {}).values()
            )
        )

    def _breaks_rule_12(self, v: Visit) -> bool:
        """Whether this is broken: a missed visit has a reason, and no other does."""
        return (v["status"] == "missed") != (v["missed_for"] is not None)

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
            case "certificates":
                self._certificates_by_carer_skill.setdefault(
                    (record["carer_id"], record["skill"]),
                    {},
                )[record["id"]] = record
            case "tasks":
                self._tasks_by_client.setdefault(record["client_id"], {})[record["id"]] = record
            case "visits":
                self._visits_by_carer.setdefault(record["carer_id"], {})[record["id"]] = record
                self._visits_by_carer_status.setdefault((record["carer_id"], record["status"]), {})[record["id"]] = record
                self._visits_by_task.setdefault(record["task_id"], {})[record["id"]] = record
                self._visits_by_task_status.setdefault((record["task_id"], record["status"]), {})[record["id"]] = record
            case "absences":
                self._absences_by_carer.setdefault(record["carer_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "certificates":
                del self._certificates_by_carer_skill[record["carer_id"], record["skill"]][record["id"]]
            case "tasks":
                del self._tasks_by_client[record["client_id"]][record["id"]]
            case "visits":
                del self._visits_by_carer[record["carer_id"]][record["id"]]
                del self._visits_by_carer_status[record["carer_id"], record["status"]][record["id"]]
                del self._visits_by_task[record["task_id"]][record["id"]]
                del self._visits_by_task_status[record["task_id"], record["status"]][record["id"]]
            case "absences":
                del self._absences_by_carer[record["carer_id"]][record["id"]]
