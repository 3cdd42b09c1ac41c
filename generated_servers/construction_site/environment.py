"""Construction site. Compiled from blueprint.yaml; run `envscaler build construction_site` after changing it there.

Runs the work of a building site, with tasks that wait for others, crews by trade, one tower crane, hold points
that an inspector must release, and days lost to the weather.
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
    "No task waits for itself.",
    "Work begins only when everything that it waits for is released.",
    "A crew works on one task at a time.",
    "A task is done by a crew of its trade, from its first day on.",
    "No zone has more crews at work than it has room for.",
    "The crane makes one lift at a time.",
    "No lift stands in the crane plan on a day of wind.",
    "A task has no more lifts planned and made than it needs.",
    "A task is finished when no work is left and all its lifts are made.",
    "A hold point is released by an inspection that was passed.",
    "A task that is released has no open defect.",
    "One inspection at most is asked for a task, and only for a hold point with nothing left to mend.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "plan_task",
    "start_task",
    "report_work",
    "log_weather",
    "resume_task",
    "book_lift",
    "move_lift",
    "confirm_lift",
    "ask_inspection",
    "record_result",
    "mend_defect",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "zones": ("name",),
    "crews": ("foreman",),
    "tasks": ("name",),
    "lifts": (),
    "inspections": (),
    "defects": (),
    "weather_days": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("defects", "task_id"),
    ("inspections", "status"),
    ("inspections", "task_id"),
    ("lifts", "on"),
    ("lifts", "slot"),
    ("lifts", "status"),
    ("lifts", "task_id"),
    ("tasks", "after_ids"),
    ("tasks", "crew_id"),
    ("tasks", "name"),
    ("tasks", "status"),
    ("tasks", "zone_id"),
    ("weather_days", "kind"),
    ("weather_days", "on"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Zone(TypedDict):
    id: str
    name: str
    crews_at_once: int


class Crew(TypedDict):
    id: str
    foreman: str
    trade: Literal["groundworks", "concrete", "steel", "masonry", "carpentry", "services"]
    people: int


class Task(TypedDict):
    id: str
    name: str
    trade: Literal["groundworks", "concrete", "steel", "masonry", "carpentry", "services"]
    zone_id: str
    after_ids: list[str]
    days_left: int
    lifts: int
    hold_point: bool
    outdoor: bool
    crew_id: str | None
    booked_until: str | None
    status: Literal["waiting", "running", "stopped", "finished", "released"]


class Lift(TypedDict):
    id: str
    task_id: str
    on: str
    slot: Literal["early_morning", "late_morning", "early_afternoon", "late_afternoon"]
    status: Literal["planned", "made", "called_off"]


class Inspection(TypedDict):
    id: str
    task_id: str
    on: str
    status: Literal["requested", "passed", "failed"]


class Defect(TypedDict):
    id: str
    task_id: str
    what: str
    crew_id: str
    found_on: str
    mended: bool


class WeatherDay(TypedDict):
    id: str
    on: str
    kind: Literal["wind", "rain", "frost"]


class RecordResultDefect(TypedDict):
    what: Text
    crew_id: str


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


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


class ConstructionSite:
    """Runs the work of a building site, with tasks that wait for others, crews by trade, one tower crane,
    hold points that an inspector must release, and days lost to the weather.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.crews: dict[str, Crew] = _copied(config.get("crews", {}))
        self.tasks: dict[str, Task] = _copied(config.get("tasks", {}))
        self.lifts: dict[str, Lift] = _copied(config.get("lifts", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.defects: dict[str, Defect] = _copied(config.get("defects", {}))
        self.weather_days: dict[str, WeatherDay] = _copied(config.get("weather_days", {}))
        self.now: str = config.get("now", "2026-04-20T07:00")
        self.counters: dict[str, int] = {
            "zone": len(self.zones),
            "crew": len(self.crews),
            "task": len(self.tasks),
            "lift": len(self.lifts),
            "inspection": len(self.inspections),
            "defect": len(self.defects),
            "weather_day": len(self.weather_days),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tasks_by_after: dict[Any, dict[str, Task]] = {}
        self._tasks_by_crew_status: dict[Any, dict[str, Task]] = {}
        self._tasks_by_lower_name: dict[Any, dict[str, Task]] = {}
        self._tasks_by_name: dict[Any, dict[str, Task]] = {}
        self._tasks_by_status: dict[Any, dict[str, Task]] = {}
        self._tasks_by_zone_status: dict[Any, dict[str, Task]] = {}
        self._lifts_by_on_slot_status: dict[Any, dict[str, Lift]] = {}
        self._lifts_by_on_status: dict[Any, dict[str, Lift]] = {}
        self._lifts_by_task: dict[Any, dict[str, Lift]] = {}
        self._lifts_by_task_status: dict[Any, dict[str, Lift]] = {}
        self._inspections_by_task: dict[Any, dict[str, Inspection]] = {}
        self._inspections_by_task_status: dict[Any, dict[str, Inspection]] = {}
        self._defects_by_task: dict[Any, dict[str, Defect]] = {}
        self._weather_days_by_on: dict[Any, dict[str, WeatherDay]] = {}
        self._weather_days_by_on_kind: dict[Any, dict[str, WeatherDay]] = {}
        for task in self.tasks.values():
            self._link("tasks", task)
        for lift in self.lifts.values():
            self._link("lifts", lift)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)
        for defect in self.defects.values():
            self._link("defects", defect)
        for weather_day in self.weather_days.values():
            self._link("weather_days", weather_day)

    def tasks_ready(
        self,
        trade: Literal["groundworks", "concrete", "steel", "masonry", "carpentry", "services"] | None = None,
        zone_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tasks that could begin because nothing they wait for is open, biggest first.

        Args:
            trade (str, optional): Only tasks of this trade: groundworks, concrete, steel, masonry, carpentry or
                services. If left out, the tasks of all trades are listed.
            zone_id (str, optional): Only tasks in this zone of the site; an id such as ZONE-00001. If left out,
                the tasks of all zones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tasks": records}} or {"success": False, "error": why
                not}
        """
        zone = self.zones.get(zone_id) if zone_id is not None else None
        if zone_id is not None and zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            t
            for t in self.tasks.values()
            if self._task_ready(t)
            and (trade is None or t["trade"] == trade)
            and (zone_id is None or t["zone_id"] == zone_id)
        ]
        found.sort(key=lambda t: (-t["days_left"], t["name"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tasks": [
                    {
                        "id": t["id"],
                        "name": t["name"],
                        "trade": t["trade"],
                        "zone": self.zones[t["zone_id"]]["name"],
                        "days_left": t["days_left"],
                        "outdoor": t["outdoor"],
                        "lifts_missing": t["lifts"] - self._task_lifts_made(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def holding_up(self, task_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Everything not yet released that a task waits for, directly or through others.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tasks": records}} or {"success": False, "error": why
                not}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        found = [t for t in _above(self.tasks, task, "after_ids") if t["status"] != "released"]
        found.sort(key=lambda t: (t["status"], t["name"], _age(t)))
        shown = [
            {
                "id": t["id"],
                "name": t["name"],
                "status": t["status"],
                "days_left": t["days_left"],
                "open_defects": self._task_open_defects(t),
                "crew": t["crew_id"],
            }
            for t in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "tasks": shown},
            _names((self.crews, "foreman", [row["crew"] for row in shown])),
        )

    def crane_plan(self, since: Date, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The lifts planned from a day on, in the order of days.

        Args:
            since (str): First day that is listed, as YYYY-MM-DD.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lifts": records}} or {"success": False, "error": why
                not}
        """
        found = [l for l in self.lifts.values() if (l["status"] == "planned" and l["on"] >= since)]
        found.sort(key=lambda l: (l["on"], l["id"], _age(l)))
        return _found(
            {
                "total": len(found),
                "lifts": [
                    {
                        "id": l["id"],
                        "task": self.tasks[l["task_id"]]["name"],
                        "task_status": self.tasks[l["task_id"]]["status"],
                        "on": l["on"],
                        "slot": l["slot"],
                    }
                    for l in _page(found, offset)
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
        return _found({"total": len(found), "zones": [self._show_zone(zone) for zone in _page(found, offset)]})

    def list_crews(
        self,
        foreman: Text | None = None,
        trade: Literal["groundworks", "concrete", "steel", "masonry", "carpentry", "services"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crews, oldest first, all of them or only some.

        Args:
            foreman (str, optional): Only crews whose foreman contains this text.
            trade (str, optional): Only crews with this trade.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}}
        """
        found = [
            crew
            for crew in self.crews.values()
            if (foreman is None or foreman.casefold() in crew["foreman"].casefold())
            and (trade is None or crew["trade"] == trade)
        ]
        shown = [self._show_crew(crew) for crew in _page(found, offset)]
        return _found({"total": len(found), "crews": shown}, self._names_of_crews(shown))

    def get_task(self, task_id: str) -> Result:
        """Look up one task by its id.

        Args:
            task_id (str): Id of the task, such as TASK-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        shown = self._show_task(task)
        return _found(shown, self._names_of_tasks([shown]))

    def list_tasks(
        self,
        name: Text | None = None,
        trade: Literal["groundworks", "concrete", "steel", "masonry", "carpentry", "services"] | None = None,
        zone_id: str | None = None,
        hold_point: bool | None = None,
        outdoor: bool | None = None,
        crew_id: str | None = None,
        status: Literal["waiting", "running", "stopped", "finished", "released"] | None = None,
        booked_until_from: Date | None = None,
        booked_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tasks, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tasks whose name contains this text.
            trade (str, optional): Only tasks with this trade.
            zone_id (str, optional): Only tasks of this zone.
            hold_point (bool, optional): Only tasks with this value of `hold_point`.
            outdoor (bool, optional): Only tasks with this value of `outdoor`.
            crew_id (str, optional): Only tasks of this crew.
            status (str, optional): Only tasks with this status.
            booked_until_from (str, optional): Only tasks whose `booked_until` is on this day or later.
            booked_until_to (str, optional): Only tasks whose `booked_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tasks": records}}
        """
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            task
            for task in self.tasks.values()
            if (name is None or name.casefold() in task["name"].casefold())
            and (trade is None or task["trade"] == trade)
            and (zone_id is None or task["zone_id"] == zone_id)
            and (hold_point is None or task["hold_point"] == hold_point)
            and (outdoor is None or task["outdoor"] == outdoor)
            and (crew_id is None or task["crew_id"] == crew_id)
            and (status is None or task["status"] == status)
            and (
                booked_until_from is None
                or (task["booked_until"] is not None and task["booked_until"] >= booked_until_from)
            )
            and (
                booked_until_to is None
                or (task["booked_until"] is not None and task["booked_until"] <= booked_until_to)
            )
        ]
        shown = [self._show_task(task) for task in _page(found, offset)]
        return _found({"total": len(found), "tasks": shown}, self._names_of_tasks(shown))

    def list_lifts(
        self,
        task_id: str | None = None,
        slot: Literal["early_morning", "late_morning", "early_afternoon", "late_afternoon"] | None = None,
        status: Literal["planned", "made", "called_off"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lifts, oldest first, all of them or only some.

        Args:
            task_id (str, optional): Only lifts of this task.
            slot (str, optional): Only lifts with this slot.
            status (str, optional): Only lifts with this status.
            on_from (str, optional): Only lifts whose `on` is on this day or later.
            on_to (str, optional): Only lifts whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lifts": records}}
        """
        if task_id is not None and task_id not in self.tasks:
            return _refused(f"There is no task {task_id!r}.")
        found = [
            lift
            for lift in self.lifts.values()
            if (task_id is None or lift["task_id"] == task_id)
            and (slot is None or lift["slot"] == slot)
            and (status is None or lift["status"] == status)
            and (on_from is None or lift["on"] >= on_from)
            and (on_to is None or lift["on"] <= on_to)
        ]
        shown = [{**lift} for lift in _page(found, offset)]
        return _found({"total": len(found), "lifts": shown}, self._names_of_lifts(shown))

    def list_inspections(
        self,
        task_id: str | None = None,
        status: Literal["requested", "passed", "failed"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            task_id (str, optional): Only inspections of this task.
            status (str, optional): Only inspections with this status.
            on_from (str, optional): Only inspections whose `on` is on this day or later.
            on_to (str, optional): Only inspections whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if task_id is not None and task_id not in self.tasks:
            return _refused(f"There is no task {task_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (task_id is None or inspection["task_id"] == task_id)
            and (status is None or inspection["status"] == status)
            and (on_from is None or inspection["on"] >= on_from)
            and (on_to is None or inspection["on"] <= on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def list_defects(
        self,
        task_id: str | None = None,
        crew_id: str | None = None,
        mended: bool | None = None,
        found_on_from: Date | None = None,
        found_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the defects, oldest first, all of them or only some.

        Args:
            task_id (str, optional): Only defects of this task.
            crew_id (str, optional): Only defects of this crew.
            mended (bool, optional): Only defects that are mended (true) or not (false).
            found_on_from (str, optional): Only defects whose `found_on` is on this day or later.
            found_on_to (str, optional): Only defects whose `found_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "defects": records}}
        """
        if task_id is not None and task_id not in self.tasks:
            return _refused(f"There is no task {task_id!r}.")
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            defect
            for defect in self.defects.values()
            if (task_id is None or defect["task_id"] == task_id)
            and (crew_id is None or defect["crew_id"] == crew_id)
            and (mended is None or defect["mended"] == mended)
            and (found_on_from is None or defect["found_on"] >= found_on_from)
            and (found_on_to is None or defect["found_on"] <= found_on_to)
        ]
        shown = [{**defect} for defect in _page(found, offset)]
        return _found({"total": len(found), "defects": shown}, self._names_of_defects(shown))

    def list_weather_days(
        self,
        kind: Literal["wind", "rain", "frost"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the weather days, oldest first, all of them or only some.

        Args:
            kind (str, optional): Only weather days with this kind.
            on_from (str, optional): Only weather days whose `on` is on this day or later.
            on_to (str, optional): Only weather days whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "weather_days": records}}
        """
        found = [
            weather_day
            for weather_day in self.weather_days.values()
            if (kind is None or weather_day["kind"] == kind)
            and (on_from is None or weather_day["on"] >= on_from)
            and (on_to is None or weather_day["on"] <= on_to)
        ]
        return _found(
            {"total": len(found), "weather_days": [{**weather_day} for weather_day in _page(found, offset)]}
        )

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def plan_task(
        self,
        name: Text,
        trade: Literal["groundworks", "concrete", "steel", "masonry", "carpentry", "services"],
        zone_id: str,
        after_ids: Annotated[list[str], {"maxItems": 20}],
        duration: Annotated[int, {"minimum": 1, "maximum": 40}],
        lifts: Annotated[int, {"minimum": 0, "maximum": 4}] = 0,
        hold_point: bool = False,
        outdoor: bool = True,
    ) -> Result:
        """Put a further task into the programme, after the tasks that it waits for.

        Args:
            name (str): Name of the new task, not in use yet.
            trade (str): Trade whose crews do the work: groundworks, concrete, steel, masonry, carpentry or
                services.
            zone_id (str): Id of the zone, such as ZONE-00001.
            after_ids (list): Tasks that must be released first, each named once and at least one: ids of tasks,
                such as TASK-00001.
            duration (int): Work that the task takes, in days, from 1 to 40.
            lifts (int): Crane lifts that the task needs, from 0 to 4. Default: 0.
            hold_point (bool): Whether an inspector must pass the work before others go on. Default: false.
            outdoor (bool): Whether the work is outdoors and stops in bad weather. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        after = []
        for key in after_ids:
            if key not in self.tasks:
                return _refused(f"There is no task {key!r}.")
            after.append(self.tasks[key])
        if self._tasks_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a task called {name} already.")
        if not (len(after) > 0 and _different([t["id"] for t in after])):
            return _refused(f"Name at least one task that {name} waits for, and each once.")
        odd = next((t for t in after if any(o in _above(self.tasks, t, "after_ids") for o in after)), None)
        if odd is not None:
            return _refused(f"{odd['name']} waits for another of these tasks, which need not be named.")
        if not any(c["trade"] == trade for c in self.crews.values()):
            return _refused(f"There is no {trade} crew on this site.")
        self._journal = []
        task: Task = {
            "id": self._new_id("task", "TASK", self.tasks),
            "name": name,
            "trade": trade,
            "zone_id": zone_id,
            "after_ids": [record["id"] for record in after],
            "days_left": duration,
            "lifts": lifts,
            "hold_point": hold_point,
            "outdoor": outdoor,
            "crew_id": None,
            "booked_until": None,
            "status": "waiting",
        }
        self._add("tasks", task)
        if len(self._tasks_by_name.get(task["name"], {})) > 1:
            return self._take_back(f"There is already a task with the name {task['name']!r}.")
        if self._breaks_rule_1(task):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(task):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(task):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_t(task):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_t_again(task):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.zones[task["zone_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_8(task):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_t(task):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_t_again(task):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(task):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: plan {name} after {', '.join(str(one['name']) for one in after)} (new: task {task['id']})."
            ),
            "data": {"task_id": task["id"], **self._changes()},
        }

    def start_task(self, task_id: str, crew_id: str) -> Result:
        """Let a free crew of the trade begin a task whose forerunners are all released.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if task["status"] != "waiting":
            return _refused(f"{task['name']} is {task['status']}, not waiting.")
        blocker = next((p for p in [self.tasks[key] for key in task["after_ids"]] if p["status"] != "released"), None)
        if blocker is not None:
            return _refused(f"{task['name']} waits for {blocker['name']}, which is {blocker['status']}.")
        if crew["trade"] != task["trade"]:
            return _refused(
                f"{task['name']} is {task['trade']} work and {crew['foreman']} leads a {crew['trade']} crew."
            )
        busy = self._crew_job(crew)
        if busy is not None:
            return _refused(f"The crew of {crew['foreman']} is at {busy['name']}.")
        if self._hindered(task, self.now[:10]):
            return _refused(f"The weather of {self.now[:10]} allows no outdoor {task['trade']} work.")
        if self._full(self.zones[task["zone_id"]]):
            return _refused(
                f"{self.zones[task['zone_id']]['name']} has room for "
                f"{self.zones[task['zone_id']]['crews_at_once']} crews and is full."
            )
        self._journal = []
        self._put("tasks", task, "crew_id", crew_id)
        self._put("tasks", task, "booked_until", _plus_days(self.now[:10], -1))
        self._put("tasks", task, "status", "running")
        for one_task in _distinct([task, *self._tasks_by_after.get(task["id"], {}).values()]):
            if self._breaks_rule_2(one_task):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(task):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_t(task):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_t_again(task):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.zones[task["zone_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_9_t(task):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_t_again(task):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(task):
            return self._take_back(RULES[9])
        for one_defect in _distinct(self._defects_by_task.get(task["id"], {}).values()):
            if self._breaks_rule_11(one_defect):
                return self._take_back(RULES[10])
        for one_inspection in _distinct(self._inspections_by_task_status.get((task["id"], "requested"), {}).values()):
            if self._breaks_rule_12_i_again(one_inspection):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: start {task['name']} with the crew of {crew['foreman']}.",
            "data": self._changes(),
        }

    def report_work(self, task_id: str, done: Annotated[int, {"minimum": 1, "maximum": 40}]) -> Result:
        """Report days of work done on a task, at most as many as have gone by since it began or went on and are not
        reported yet; with the last of them it is released, or finished if it is a hold point.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            done (int): Days of work done that were not reported yet, from 1 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        if task["status"] != "running":
            return _refused(f"{task['name']} is {task['status']}, so no work can be reported.")
        if done > task["days_left"]:
            return _refused(f"{task['name']} has {task['days_left']} days left, not {done}.")
        if done > self._gone_by(task, self.now[:10]):
            return _refused(
                f"Only {self._gone_by(task, self.now[:10])} days have gone by on {task['name']} that are not "
                "reported yet, today counted."
            )
        if done >= task["days_left"] and self._task_lifts_made(task) != task["lifts"]:
            return _refused(
                f"{task['name']} needs {task['lifts']} lifts and {self._task_lifts_made(task)} are made, so it "
                "cannot be finished."
            )
        self._journal = []
        changed_tasks: list[Any] = []
        days_left = task["days_left"] - done
        if not 0 <= days_left <= 40:
            return self._take_back(f"The days left of {task['name']} must be between 0 and 40.")
        self._put("tasks", task, "days_left", days_left)
        self._put(
            "tasks",
            task,
            "booked_until",
            _plus_days(
                task["booked_until"] if task["booked_until"] is not None else _plus_days(self.now[:10], -done),
                done,
            ),
        )
        if task["days_left"] == 0:
            status = "finished" if task["hold_point"] else "released"
            changed_tasks.append(task)
            self._put("tasks", task, "status", status)
        for one_task in _distinct(
            [
                *changed_tasks,
                *[user for one in changed_tasks for user in self._tasks_by_after.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_task):
                return self._take_back(RULES[1])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_3(one_task):
                return self._take_back(RULES[2])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_4_t(one_task):
                return self._take_back(RULES[3])
        for one_zone in _distinct([self.zones[one["zone_id"]] for one in changed_tasks]):
            if self._breaks_rule_5(one_zone):
                return self._take_back(RULES[4])
        for one_task in _distinct([task, *changed_tasks]):
            if self._breaks_rule_9_t(one_task):
                return self._take_back(RULES[8])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_9_t_again(one_task):
                return self._take_back(RULES[8])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_10(one_task):
                return self._take_back(RULES[9])
        for one_defect in _distinct(
            [user for one in changed_tasks for user in self._defects_by_task.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_defect):
                return self._take_back(RULES[10])
        for one_inspection in _distinct(
            [
                user
                for one in changed_tasks
                for user in self._inspections_by_task_status.get((one["id"], "requested"), {}).values()
            ]
        ):
            if self._breaks_rule_12_i_again(one_inspection):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: report {done} days of work on {task['name']}.",
            "data": self._changes(),
        }

    def log_weather(self, on: Date, kind: Literal["wind", "rain", "frost"]) -> Result:
        """Log a day of bad weather; wind calls off every lift of that day, and if it is today, outdoor steel and
        carpentry stop for wind, concrete and masonry for frost, groundworks and masonry for rain.

        Args:
            on (str): Day of the bad weather, from today to ten days ahead, as YYYY-MM-DD.
            kind (str): What makes work impossible on that day: wind, rain or frost.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self.now[:10] > on or on > _plus_days(self.now[:10], 10):
            return _refused(f"The forecast covers {self.now[:10]} to {_plus_days(self.now[:10], 10)}, not {on}.")
        other = self._weather_on(on)
        if other is not None:
            return _refused(f"{on} is logged as a day of {other['kind']} already.")
        self._journal = []
        changed_tasks: list[Any] = []
        changed_lifts: list[Any] = []
        weather_day: WeatherDay = {"id": self._new_id("weather_day", "WD", self.weather_days), "on": on, "kind": kind}
        self._add("weather_days", weather_day)
        if on == self.now[:10]:
            for t in [
                t
                for t in sorted(self._tasks_by_status.get("running", {}).values(), key=_age)
                if t["outdoor"]
                and self._stops(kind, t["trade"])
            ]:
                if t["status"] not in ("running", "stopped"):
                    return self._take_back(f"Task {t['name']} cannot go from {t['status']} to stopped.")
                changed_tasks.append(t)
                self._put("tasks", t, "status", "stopped")
        if kind == "wind":
            for l in sorted(self._lifts_by_on_status.get((on, "planned"), {}).values(), key=_age):
                if l["status"] not in ("planned", "called_off"):
                    return self._take_back(f"Lift {l['id']} cannot go from {l['status']} to called_off.")
                changed_lifts.append(l)
                self._put("lifts", l, "status", "called_off")
        if len(self._weather_days_by_on.get(weather_day["on"], {})) > 1:
            return self._take_back(f"There is already a weather day with the on {weather_day['on']!r}.")
        for one_task in _distinct(
            [
                *changed_tasks,
                *[user for one in changed_tasks for user in self._tasks_by_after.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_task):
                return self._take_back(RULES[1])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_3(one_task):
                return self._take_back(RULES[2])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_4_t(one_task):
                return self._take_back(RULES[3])
        for one_zone in _distinct([self.zones[one["zone_id"]] for one in changed_tasks]):
            if self._breaks_rule_5(one_zone):
                return self._take_back(RULES[4])
        for one_lift in _distinct(changed_lifts):
            if self._breaks_rule_6(one_lift):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_7(one_lift) for one_lift in self.lifts.values()):
            return self._take_back(RULES[6])
        for one_task in _distinct([self.tasks[one["task_id"]] for one in changed_lifts]):
            if self._breaks_rule_8(one_task):
                return self._take_back(RULES[7])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_9_t(one_task):
                return self._take_back(RULES[8])
        for one_task in _distinct([*changed_tasks, *[self.tasks[one["task_id"]] for one in changed_lifts]]):
            if self._breaks_rule_9_t_again(one_task):
                return self._take_back(RULES[8])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_10(one_task):
                return self._take_back(RULES[9])
        for one_defect in _distinct(
            [user for one in changed_tasks for user in self._defects_by_task.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_defect):
                return self._take_back(RULES[10])
        for one_inspection in _distinct(
            [
                user
                for one in changed_tasks
                for user in self._inspections_by_task_status.get((one["id"], "requested"), {}).values()
            ]
        ):
            if self._breaks_rule_12_i_again(one_inspection):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: log {on} as a day of {kind} (new: weather day {weather_day['id']}).",
            "data": {"weather_day_id": weather_day["id"], **self._changes()},
        }

    def resume_task(self, task_id: str, crew_id: str | None = None) -> Result:
        """Go on with a task that the weather stopped, with its own crew or another one of the trade.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            crew_id (str, optional): Free crew of the same trade that takes the task over; an id such as
                CREW-00001. If left out, the task's own crew goes on.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        crew = self.crews.get(crew_id) if crew_id is not None else None
        if crew_id is not None and crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if task["status"] != "stopped" or task["crew_id"] is None:
            return _refused(f"{task['name']} is {task['status']}, not stopped.")
        team = crew or self.crews[task["crew_id"]]
        if team["trade"] != task["trade"]:
            return _refused(
                f"{task['name']} is {task['trade']} work and {team['foreman']} leads a {team['trade']} crew."
            )
        busy = self._crew_job(team)
        if busy is not None:
            return _refused(f"The crew of {team['foreman']} is at {busy['name']}, so name another one.")
        if self._hindered(task, self.now[:10]):
            return _refused(f"The weather of {self.now[:10]} allows no outdoor {task['trade']} work.")
        if self._full(self.zones[task["zone_id"]]):
            return _refused(
                f"{self.zones[task['zone_id']]['name']} has room for "
                f"{self.zones[task['zone_id']]['crews_at_once']} crews and is full."
            )
        self._journal = []
        self._put("tasks", task, "crew_id", team["id"])
        self._put("tasks", task, "booked_until", _plus_days(self.now[:10], -1))
        self._put("tasks", task, "status", "running")
        for one_task in _distinct([task, *self._tasks_by_after.get(task["id"], {}).values()]):
            if self._breaks_rule_2(one_task):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(task):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_t(task):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_t_again(task):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.zones[task["zone_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_9_t(task):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_t_again(task):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(task):
            return self._take_back(RULES[9])
        for one_defect in _distinct(self._defects_by_task.get(task["id"], {}).values()):
            if self._breaks_rule_11(one_defect):
                return self._take_back(RULES[10])
        for one_inspection in _distinct(self._inspections_by_task_status.get((task["id"], "requested"), {}).values()):
            if self._breaks_rule_12_i_again(one_inspection):
                return self._take_back(RULES[11])
        done = f"resume {task['name']}"
        if crew is not None:
            done += f" with the crew of {crew['foreman']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def book_lift(
        self,
        task_id: str,
        on: Date,
        slot: Literal["early_morning", "late_morning", "early_afternoon", "late_afternoon"],
    ) -> Result:
        """Book the crane for a lift that a task needs.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            on (str): Day of the lift, within three weeks from today, as YYYY-MM-DD.
            slot (str): Part of the day for which the crane is booked: early_morning, late_morning, early_afternoon
                or late_afternoon.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        if task["status"] not in ("waiting", "running", "stopped"):
            return _refused(f"{task['name']} is {task['status']} and needs no lift.")
        if not (task["status"] != "waiting" or self._task_ready(task)):
            return _refused(f"{task['name']} is held up by other work, so it is too early for the crane.")
        if self._lifts_covered(task) >= task["lifts"]:
            return _refused(f"The lifts of {task['name']} ({task['lifts']}) are all planned or made.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 21):
            return _refused(
                f"The crane is booked from {self.now[:10]} to {_plus_days(self.now[:10], 21)}, not for {on}."
            )
        if self._weather_days_by_on_kind.get((on, "wind"), {}):
            return _refused(f"The crane stands still on {on} because of the wind.")
        other = self._in_slot(on, slot)
        if other is not None:
            return _refused(f"The crane is with {self.tasks[other['task_id']]['name']} on {on} then.")
        self._journal = []
        lift: Lift = {
            "id": self._new_id("lift", "LIFT", self.lifts),
            "task_id": task_id,
            "on": on,
            "slot": slot,
            "status": "planned",
        }
        self._add("lifts", lift)
        if self._breaks_rule_6(lift):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(lift):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.tasks[lift["task_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_t_again(self.tasks[lift["task_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: book the crane for {task['name']} on {on}, {slot} (new: lift {lift['id']}).",
            "data": {"lift_id": lift["id"], **self._changes()},
        }

    def move_lift(
        self,
        lift_id: str,
        on: Date,
        slot: Literal["early_morning", "late_morning", "early_afternoon", "late_afternoon"] | None = None,
    ) -> Result:
        """Move a planned lift to another day or time.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.
            on (str): New day of the lift, or its old day where only the time changes, as YYYY-MM-DD.
            slot (str, optional): New part of the day: early_morning, late_morning, early_afternoon or
                late_afternoon. If left out, the lift keeps its part of the day.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        if lift["status"] != "planned":
            return _refused(f"The lift for {self.tasks[lift['task_id']]['name']} is {lift['status']}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 21):
            return _refused(
                f"The crane is booked from {self.now[:10]} to {_plus_days(self.now[:10], 21)}, not for {on}."
            )
        if self._weather_days_by_on_kind.get((on, "wind"), {}):
            return _refused(f"The crane stands still on {on} because of the wind.")
        time = slot if slot is not None else lift["slot"]
        if on == lift["on"] and time == lift["slot"]:
            return _refused(f"The lift for {self.tasks[lift['task_id']]['name']} is planned then already.")
        other = self._in_slot(on, time)
        if other is not None:
            return _refused(f"The crane is with {self.tasks[other['task_id']]['name']} on {on} then.")
        self._journal = []
        self._put("lifts", lift, "on", on)
        self._put("lifts", lift, "slot", time)
        if self._breaks_rule_6(lift):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(lift):
            return self._take_back(RULES[6])
        done = f"move the lift for {self.tasks[lift['task_id']]['name']} to {on}"
        if slot is not None:
            done += f", {slot}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def confirm_lift(self, lift_id: str) -> Result:
        """Confirm that a planned lift was made.

        Args:
            lift_id (str): Id of the lift, such as LIFT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lift = self.lifts.get(lift_id)
        if lift is None:
            return _refused(f"There is no lift {lift_id!r}.")
        if lift["status"] != "planned":
            return _refused(f"The lift for {self.tasks[lift['task_id']]['name']} is {lift['status']}.")
        if lift["on"] > self.now[:10]:
            return _refused(f"The lift for {self.tasks[lift['task_id']]['name']} is planned for {lift['on']}.")
        if self.tasks[lift["task_id"]]["status"] == "waiting":
            return _refused(f"{self.tasks[lift['task_id']]['name']} has not begun, so nothing was lifted for it.")
        self._journal = []
        self._put("lifts", lift, "status", "made")
        if self._breaks_rule_6(lift):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(lift):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(self.tasks[lift["task_id"]]):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_t_again(self.tasks[lift["task_id"]]):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: confirm the lift for {self.tasks[lift['task_id']]['name']} of {lift['on']}.",
            "data": self._changes(),
        }

    def ask_inspection(self, task_id: str, on: Date) -> Result:
        """Ask the inspector to look at a finished hold point with nothing left to mend.

        Args:
            task_id (str): Id of the task, such as TASK-00001.
            on (str): Day the inspector is to come, within two weeks from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        task = self.tasks.get(task_id)
        if task is None:
            return _refused(f"There is no task {task_id!r}.")
        if not task["hold_point"]:
            return _refused(f"{task['name']} is no hold point and needs no inspection.")
        if task["status"] != "finished":
            return _refused(f"{task['name']} is {task['status']}, not finished.")
        if self._task_open_defects(task) != 0:
            return _refused(
                f"{task['name']} has {self._task_open_defects(task)} open defects, which must be mended first."
            )
        other = self._asked(task)
        if other is not None:
            return _refused(f"An inspection of {task['name']} is asked for {other['on']} already.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 14):
            return _refused(
                f"The inspector comes from {self.now[:10]} to {_plus_days(self.now[:10], 14)}, not on {on}."
            )
        self._journal = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "task_id": task_id,
            "on": on,
            "status": "requested",
        }
        self._add("inspections", inspection)
        if self._breaks_rule_10(self.tasks[inspection["task_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_12_i(inspection):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_i_again(inspection):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: ask for an inspection of {task['name']} on {on} (new: inspection {inspection['id']}).",
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def record_result(
        self,
        inspection_id: str,
        passed: bool,
        defects: Annotated[list[RecordResultDefect], {"maxItems": 20}],
    ) -> Result:
        """Record what the inspector said; a pass releases the task, a fail lists the defects and who mends them.

        Args:
            inspection_id (str): Id of the inspection, such as INSPECTION-00001.
            passed (bool): Whether the inspector accepted the work, which then has no defects.
            defects (list): One entry for each defect, none where the work has passed: what: what is wrong, in a
                few words; crew_id: crew that has to mend the defect; an id such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        inspection = self.inspections.get(inspection_id)
        if inspection is None:
            return _refused(f"There is no inspection {inspection_id!r}.")
        entries, defects = defects, []
        for entry in entries:
            if entry["crew_id"] not in self.crews:
                return _refused(f"There is no crew {entry['crew_id']!r}.")
            defects.append({"what": entry["what"], "crew": self.crews[entry["crew_id"]]})
        if inspection["status"] != "requested":
            return _refused(
                f"The inspection of {self.tasks[inspection['task_id']]['name']} has {inspection['status']} already."
            )
        if inspection["on"] > self.now[:10]:
            return _refused(
                f"The inspector comes to {self.tasks[inspection['task_id']]['name']} on {inspection['on']}, so "
                "there is no result yet."
            )
        if passed != (len(defects) == 0):
            return _refused("An inspection that fails names defects, and one that is passed names none.")
        if not _different([d["what"].lower() for d in defects]):
            return _refused("A defect is named twice.")
        self._journal = []
        changed_inspections: list[Any] = []
        changed_tasks: list[Any] = []
        added_defects: list[Any] = []
        if passed:
            changed_inspections.append(inspection)
            self._put("inspections", inspection, "status", "passed")
            task = self.tasks[inspection["task_id"]]
            if task["status"] not in ("running", "finished", "released"):
                return self._take_back(f"Task {task['name']} cannot go from {task['status']} to released.")
            changed_tasks.append(task)
            self._put("tasks", task, "status", "released")
        else:
            if inspection["status"] not in ("requested", "failed"):
                return self._take_back(
                    f"Inspection {inspection['id']} cannot go from {inspection['status']} to failed."
                )
            changed_inspections.append(inspection)
            self._put("inspections", inspection, "status", "failed")
            for d in list(defects):
                defect = {
                    "id": self._new_id("defect", "DEFECT", self.defects),
                    "task_id": inspection["task_id"],
                    "what": d["what"],
                    "crew_id": d["crew"]["id"],
                    "found_on": self.now[:10],
                    "mended": False,
                }
                self._add("defects", defect)
                added_defects.append(defect)
        for one_task in _distinct(
            [
                *changed_tasks,
                *[user for one in changed_tasks for user in self._tasks_by_after.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_task):
                return self._take_back(RULES[1])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_3(one_task):
                return self._take_back(RULES[2])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_4_t(one_task):
                return self._take_back(RULES[3])
        for one_zone in _distinct([self.zones[one["zone_id"]] for one in changed_tasks]):
            if self._breaks_rule_5(one_zone):
                return self._take_back(RULES[4])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_9_t(one_task):
                return self._take_back(RULES[8])
        for one_task in _distinct(changed_tasks):
            if self._breaks_rule_9_t_again(one_task):
                return self._take_back(RULES[8])
        for one_task in _distinct([*[self.tasks[one["task_id"]] for one in changed_inspections], *changed_tasks]):
            if self._breaks_rule_10(one_task):
                return self._take_back(RULES[9])
        for one_defect in _distinct(
            [
                *[user for one in changed_tasks for user in self._defects_by_task.get(one["id"], {}).values()],
                *added_defects,
            ]
        ):
            if self._breaks_rule_11(one_defect):
                return self._take_back(RULES[10])
        for one_inspection in _distinct(changed_inspections):
            if self._breaks_rule_12_i(one_inspection):
                return self._take_back(RULES[11])
        for one_inspection in _distinct(
            [
                *changed_inspections,
                *[
                    user
                    for one in changed_tasks
                    for user in self._inspections_by_task_status.get((one["id"], "requested"), {}).values()
                ],
                *[
                    user
                    for one in [self.tasks[one["task_id"]] for one in added_defects]
                    for user in self._inspections_by_task_status.get((one["id"], "requested"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_12_i_again(one_inspection):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: record the inspection of {self.tasks[inspection['task_id']]['name']} with {len(defects)} "
                "defects."
            ),
            "data": self._changes(),
        }

    def mend_defect(self, defect_id: str) -> Result:
        """Note that a defect was mended.

        Args:
            defect_id (str): Id of the defect, such as DEFECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        defect = self.defects.get(defect_id)
        if defect is None:
            return _refused(f"There is no defect {defect_id!r}.")
        if defect["mended"]:
            return _refused(
                f"The defect {defect['what']} at {self.tasks[defect['task_id']]['name']} is mended already."
            )
        self._journal = []
        self._put("defects", defect, "mended", True)
        if self._breaks_rule_11(defect):
            return self._take_back(RULES[10])
        for one_inspection in _distinct(
            self._inspections_by_task_status.get((defect["task_id"], "requested"), {}).values()
        ):
            if self._breaks_rule_12_i_again(one_inspection):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note that {defect['what']} at {self.tasks[defect['task_id']]['name']} is mended.",
            "data": self._changes(),
        }

    def _show_zone(self, zone: Zone) -> dict[str, Any]:
        """The zone as an answer shows it."""
        return {**zone, "at_work": self._zone_at_work(zone)}

    def _show_crew(self, crew: Crew) -> dict[str, Any]:
        """The crew as an answer shows it."""
        return {**crew, "job_id": _id_of(self._crew_job(crew))}

    def _show_task(self, task: Task) -> dict[str, Any]:
        """The task as an answer shows it."""
        return {
            **task,
            "after_ids": [*task["after_ids"]],
            "ready": self._task_ready(task),
            "lifts_made": self._task_lifts_made(task),
            "open_defects": self._task_open_defects(task),
            "work_before": self._task_work_before(task),
        }

    def _names_of_crews(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that crews point to."""
        return _names((self.tasks, "name", [row["job_id"] for row in shown]))

    def _names_of_tasks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tasks point to."""
        return _names(
            (self.zones, "name", [row["zone_id"] for row in shown]),
            (self.tasks, "name", [each for row in shown for each in row["after_ids"]]),
            (self.crews, "foreman", [row["crew_id"] for row in shown]),
        )

    def _names_of_lifts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lifts point to."""
        return _names((self.tasks, "name", [row["task_id"] for row in shown]))

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names((self.tasks, "name", [row["task_id"] for row in shown]))

    def _names_of_defects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that defects point to."""
        return _names(
            (self.tasks, "name", [row["task_id"] for row in shown]),
            (self.crews, "foreman", [row["crew_id"] for row in shown]),
        )

    def _zone_at_work(self, zone: Zone) -> int:
        """The at work of a zone."""
        return len(self._tasks_by_zone_status.get((zone["id"], "running"), {}))

    def _crew_job(self, crew: Crew) -> Task | None:
        """The job of a crew."""
        return next(
            (t for t in sorted(self._tasks_by_crew_status.get((crew["id"], "running"), {}).values(), key=_age)),
            None,
        )

    def _task_ready(self, task: Task) -> bool:
        """The ready of a task."""
        return (
            task["status"] == "waiting"
            and all(p["status"] == "released" for p in [self.tasks[key] for key in task["after_ids"]])
        )

    def _task_lifts_made(self, task: Task) -> int:
        """The lifts made of a task."""
        return len(self._lifts_by_task_status.get((task["id"], "made"), {}))

    def _task_open_defects(self, task: Task) -> int:
        """The open defects of a task."""
        return sum(1 for d in self._defects_by_task.get(task["id"], {}).values() if not d["mended"])

    def _task_work_before(self, task: Task) -> int:
        """The work before of a task."""
        return sum(t["days_left"] for t in _above(self.tasks, task, "after_ids"))

    def _stops(self, kind: str, trade: str) -> bool:
        return (
            kind == "frost" and trade in ("concrete", "masonry")
            or kind == "wind" and trade in ("steel", "carpentry")
            or kind == "rain" and trade in ("groundworks", "masonry")
        )

    def _weather_on(self, d: str) -> WeatherDay | None:
        return next((w for w in sorted(self._weather_days_by_on.get(d, {}).values(), key=_age)), None)

    def _hindered(self, t: Task, d: str) -> bool:
        return (
            t["outdoor"]
            and any(self._stops(w["kind"], t["trade"]) for w in self._weather_days_by_on.get(d, {}).values())
        )

    def _full(self, z: Zone) -> bool:
        return self._zone_at_work(z) >= z["crews_at_once"]

    def _in_slot(self, d: str, at: str) -> Lift | None:
        return next(
            (l for l in sorted(self._lifts_by_on_slot_status.get((d, at, "planned"), {}).values(), key=_age)),
            None,
        )

    def _asked(self, t: Task) -> Inspection | None:
        return next(
            (i for i in sorted(self._inspections_by_task_status.get((t["id"], "requested"), {}).values(), key=_age)),
            None,
        )

    def _gone_by(self, t: Task, d: str) -> int:
        return _days_between(t["booked_until"], d) if t["booked_until"] is not None else 0

    def _lifts_covered(self, t: Task) -> int:
        return sum(1 for l in self._lifts_by_task.get(t["id"], {}).values() if l["status"] in ("planned", "made"))

    def _breaks_rule_1(self, t: Task) -> bool:
        """Whether this is broken: no task waits for itself."""
        return t in _above(self.tasks, t, "after_ids")

    def _breaks_rule_2(self, t: Task) -> bool:
        """Whether this is broken: work begins only when everything that it waits for is released."""
        return (
            t["status"] != "waiting"
            and any(p["status"] != "released" for p in [self.tasks[key] for key in t["after_ids"]])
        )

    def _breaks_rule_3(self, t: Task) -> bool:
        """Whether this is broken: a crew works on one task at a time."""
        return (
            t["status"] == "running"
            and any(
                other_t is not t
                for other_t in self._tasks_by_crew_status.get((t["crew_id"], "running"), {}).values()
            )
        )

    def _breaks_rule_4_t(self, t: Task) -> bool:
        """Whether this is broken: a task is done by a crew of its trade, from its first day on."""
        return (t["status"] == "waiting") != (t["crew_id"] is None)

    def _breaks_rule_4_t_again(self, t: Task) -> bool:
        """Whether this is broken: a task is done by a crew of its trade, from its first day on."""
        return t["crew_id"] is not None and self.crews[t["crew_id"]]["trade"] != t["trade"]

    def _breaks_rule_5(self, z: Zone) -> bool:
        """Whether this is broken: no zone has more crews at work than it has room for."""
        return self._zone_at_work(z) > z["crews_at_once"]

    def _breaks_rule_6(self, l: Lift) -> bool:
        """Whether this is broken: the crane makes one lift at a time."""
        return (
            l["status"] == "planned"
            and any(
                other_l is not l
                for other_l in self._lifts_by_on_slot_status.get((l["on"], l["slot"], "planned"), {}).values()
            )
        )

    def _breaks_rule_7(self, l: Lift) -> bool:
        """Whether this is broken: no lift stands in the crane plan on a day of wind."""
        return l["status"] == "planned" and bool(self._weather_days_by_on_kind.get((l["on"], "wind"), {}))

    def _breaks_rule_8(self, t: Task) -> bool:
        """Whether this is broken: a task has no more lifts planned and made than it needs."""
        return sum(
            1
            for l in self._lifts_by_task.get(t["id"], {}).values()
            if l["status"] in ("planned", "made")
        ) > t["lifts"]

    def _breaks_rule_9_t(self, t: Task) -> bool:
        """Whether this is broken: a task is finished when no work is left and all its lifts are made."""
        return (t["days_left"] == 0) != (t["status"] in ("finished", "released"))

    def _breaks_rule_9_t_again(self, t: Task) -> bool:
        """Whether this is broken: a task is finished when no work is left and all its lifts are made."""
        return t["status"] in ("finished", "released") and self._task_lifts_made(t) != t["lifts"]

    def _breaks_rule_10(self, t: Task) -> bool:
        """Whether this is broken: a hold point is released by an inspection that was passed."""
        return (
            t["hold_point"]
            and t["status"] == "released"
            and not any(i["status"] == "passed" for i in self._inspections_by_task.get(t["id"], {}).values())
        )

    def _breaks_rule_11(self, d: Defect) -> bool:
        """Whether this is broken: a task that is released has no open defect."""
        return not d["mended"] and self.tasks[d["task_id"]]["status"] == "released"

    def _breaks_rule_12_i(self, i: Inspection) -> bool:
        """Whether this is broken: one inspection at most is asked for a task, and only for a hold point with nothing
        left to mend.
        """
        return (
            i["status"] == "requested"
            and any(
                other_i is not i
                for other_i in self._inspections_by_task_status.get((i["task_id"], "requested"), {}).values()
            )
        )

    def _breaks_rule_12_i_again(self, i: Inspection) -> bool:
        """Whether this is broken: one inspection at most is asked for a task, and only for a hold point with nothing
        left to mend.
        """
        return (
            i["status"] == "requested"
            and (
                not self.tasks[i["task_id"]]["hold_point"]
                or self.tasks[i["task_id"]]["status"] != "finished"
                or self._task_open_defects(self.tasks[i["task_id"]]) != 0
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
            case "tasks":
                for key in record["after_ids"]:
                    self._tasks_by_after.setdefault(key, {})[record["id"]] = record
                self._tasks_by_crew_status.setdefault((record["crew_id"], record["status"]), {})[record["id"]] = record
                self._tasks_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._tasks_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._tasks_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._tasks_by_zone_status.setdefault((record["zone_id"], record["status"]), {})[record["id"]] = record
            case "lifts":
                self._lifts_by_on_slot_status.setdefault(
                    (record["on"], record["slot"], record["status"]),
                    {},
                )[record["id"]] = record
                self._lifts_by_on_status.setdefault((record["on"], record["status"]), {})[record["id"]] = record
                self._lifts_by_task.setdefault(record["task_id"], {})[record["id"]] = record
                self._lifts_by_task_status.setdefault((record["task_id"], record["status"]), {})[record["id"]] = record
            case "inspections":
                self._inspections_by_task.setdefault(record["task_id"], {})[record["id"]] = record
                self._inspections_by_task_status.setdefault(
                    (record["task_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "defects":
                self._defects_by_task.setdefault(record["task_id"], {})[record["id"]] = record
            case "weather_days":
                self._weather_days_by_on.setdefault(record["on"], {})[record["id"]] = record
                self._weather_days_by_on_kind.setdefault((record["on"], record["kind"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tasks":
                for key in record["after_ids"]:
                    self._tasks_by_after[key].pop(record["id"], None)
                del self._tasks_by_crew_status[record["crew_id"], record["status"]][record["id"]]
                del self._tasks_by_lower_name[record["name"].lower()][record["id"]]
                del self._tasks_by_name[record["name"]][record["id"]]
                del self._tasks_by_status[record["status"]][record["id"]]
                del self._tasks_by_zone_status[record["zone_id"], record["status"]][record["id"]]
            case "lifts":
                del self._lifts_by_on_slot_status[record["on"], record["slot"], record["status"]][record["id"]]
                del self._lifts_by_on_status[record["on"], record["status"]][record["id"]]
                del self._lifts_by_task[record["task_id"]][record["id"]]
                del self._lifts_by_task_status[record["task_id"], record["status"]][record["id"]]
            case "inspections":
                del self._inspections_by_task[record["task_id"]][record["id"]]
                del self._inspections_by_task_status[record["task_id"], record["status"]][record["id"]]
            case "defects":
                del self._defects_by_task[record["task_id"]][record["id"]]
            case "weather_days":
                del self._weather_days_by_on[record["on"]][record["id"]]
                del self._weather_days_by_on_kind[record["on"], record["kind"]][record["id"]]
